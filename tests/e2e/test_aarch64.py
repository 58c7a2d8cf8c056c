"""The agent on aarch64: cross-compiled, in a real JVM of that machine under qemu-user.

There qemu has no perf events; CPU timers of threads work. Signals arrive where one of qemu's blocks ends, so that a
compiled method is mostly met at its entry, in loops and behind calls; with QEMU_SINGLESTEP they arrive anywhere.
"""

import collections
import hashlib
import json
import os
import pathlib
import subprocess

import jdks
import pytest

HERE = pathlib.Path(__file__).resolve().parent
BUILD = HERE.parent.parent / "build" / "aarch64"
QEMU = ("qemu-aarch64-static", "-L", "/usr/aarch64-linux-gnu")
VERSIONS = (21, 25)
CPU_MS = 2000
INTERVAL_MS = 10

# How the JVM runs the program, and what most of spin() must be then.
MODES = {
    "-Xint": {"Interpreted"},
    "-Xmixed": {"JIT compiled", "Inlined"},
    "-XX:TieredStopAtLevel=1": {"C1 compiled", "Inlined"},
}


@pytest.fixture(scope="module")
def classes():
    source = HERE / "programs" / "Quarters.java"

    def compile_program(directory):
        jdks.run([jdks.javac(), "--release", "11", "-g", "-d", directory, source])

    digest = hashlib.sha256(source.read_bytes()).hexdigest()[:16]
    return jdks.in_place(jdks.CACHE / "classes" / digest, compile_program)


def run_java(version, agent, options, classes, **environment):
    """Runs the program to its end with an agent: its path below the build, and its options.

    Returns the CPU time that the program says it spent under each of the two that call spin().
    """
    library = BUILD / agent
    assert library.exists(), f"{library} is not built: run ./dev build --aarch64"
    java = [*QEMU, jdks.aarch64_home(version) / "bin" / "java", "-Xmx64m"]
    done = subprocess.run(
        [*map(str, java), f"-agentpath:{library}={options[0]}", *options[1:], "-cp", classes, "Quarters", str(CPU_MS)],
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
        env={**os.environ, **environment},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return {way: int(ns) for way, ns in (line.split() for line in done.stdout.splitlines())}


def printed(path, event):
    """The events of a kind in a recording, as the JDK's own tool reads them."""
    text = jdks.run([jdks.jfr_tool(17), "print", "--json", "--stack-depth", "64", "--events", event, path]).stdout
    return [one["values"] for one in json.loads(text)["recording"]["events"]]


def frames_of(sample):
    trace = sample["stackTrace"]
    return trace["frames"] if trace else []


def name_of(frame):
    return f"{frame['method']['type']['name']}.{frame['method']['name']}"


def test_the_agent_is_for_aarch64():
    assert "AArch64" in jdks.run(["aarch64-linux-gnu-readelf", "-h", BUILD / "src" / "libcharcloth.so"]).stdout


def test_the_units_of_the_agent_pass():
    done = subprocess.run(
        ["meson", "test", "-C", BUILD, "--no-rebuild", "--print-errorlogs", "--logbase", "units"],
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout
    rows = (BUILD / "meson-logs" / "units.json").read_text().splitlines()
    assert {"symbols", "unwind"} <= {json.loads(row)["name"] for row in rows}


@pytest.mark.parametrize("mode", ["-Xmixed", "-Xint", pytest.param("-XX:TieredStopAtLevel=1", marks=pytest.mark.full)])
@pytest.mark.parametrize("version", VERSIONS)
def test_a_program_is_seen_as_it_is(version, mode, classes, charcloth, tmp_path):
    recording = tmp_path / "recording.jfr"
    start = f"start,event=cpu,interval={INTERVAL_MS}ms,file={recording}"
    spent = run_java(version, "src/libcharcloth.so", [start, mode], classes)

    settings = {one["name"]: one["value"] for one in printed(recording, "jdk.ActiveSetting")}
    assert settings["walker"] == f"own walker, JDK {version}"
    stats = printed(recording, "charcloth.SamplerStats")[-1]
    failed = stats["walkBadStack"] + stats["walkBadCode"] + stats["walkBadFrame"]
    assert failed <= stats["taken"] / 50, stats

    # hot methods with all their callers, and the share of each way to them
    collapsed = tmp_path / "all.collapsed"
    charcloth("convert", "--quiet", recording, "-o", collapsed, check=0)
    ways = collections.Counter()
    for line in collapsed.read_text().splitlines():
        stack, weight = line.rsplit(" ", 1)
        words = stack.split(";")
        if "Quarters.spin" in words and not words[0].startswith("[unknown"):  # failed walks are counted above
            assert words[:2] == ["Quarters.main", "Quarters.round"], line
            assert words[2] in {"Quarters.heavy", "Quarters.light"}, line
            assert words[3] == "Quarters.spin", line
            ways[words[2].split(".")[1]] += int(weight)
    assert ways.total() > CPU_MS / INTERVAL_MS / 2
    assert set(spent) == {"heavy", "light"}
    for way, ns in spent.items():
        assert ways[way] / ways.total() == pytest.approx(ns / sum(spent.values()), abs=0.12)

    # each frame says how it ran
    kinds = collections.Counter(
        frame["type"]
        for sample in printed(recording, "jdk.ExecutionSample")
        for frame in frames_of(sample)
        if name_of(frame) == "Quarters.spin"
    )
    assert sum(kinds[kind] for kind in MODES[mode]) > kinds.total() / 2, kinds


@pytest.mark.full
@pytest.mark.parametrize("version", VERSIONS)
def test_the_walker_agrees_with_the_vm_at_every_instruction(version, classes, tmp_path):
    truth = tmp_path / "counts"
    step = {"QEMU_SINGLESTEP": "1", "QEMU_ONE_INSN_PER_TB": "1"}  # its name before and since qemu 8.1
    run_java(version, "tests/liboracle.so", [str(truth)], classes, **step)
    counts = {name: int(number) for name, number in (line.split() for line in truth.read_text().splitlines())}
    assert counts["both"] > counts["samples"] / 2
    assert counts["same_callers"] >= 0.98 * counts["both"], counts
    assert counts["only_theirs"] <= 0.01 * counts["samples"], counts
