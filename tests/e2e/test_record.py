"""Recording JVMs from the command line, with the real agent in them."""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time

import agents
import jdks
import jvms
import pytest

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as another user")
FOREVER = 600


@pytest.fixture(scope="module", autouse=True)
def _tidy():
    yield
    jvms.forget()


@pytest.fixture(scope="module", params=jdks.VERSIONS)
def busy(request):
    """A JVM that burns CPU in Spin.burn for as long as the tests take."""
    with jvms.running(request.param, program="Spin", arguments=[FOREVER]) as jvm:
        yield jvm


@pytest.fixture
def spinning():
    """The same for one test, on one JDK."""
    with jvms.running(17, program="Spin", arguments=[FOREVER]) as jvm:
        yield jvm


def scrap(jvm):
    """Files in /tmp that were made for this JVM."""
    return [path.name for path in jvms.TMP.iterdir() if path.name.startswith(f".charcloth-{jvm.pid}-")]


def folded(path):
    rows = (line.rsplit(" ", 1) for line in pathlib.Path(path).read_text().splitlines())
    return {stack: int(weight) for stack, weight in rows}


def share(stacks, frame):
    return sum(n for stack, n in stacks.items() if frame in stack.split(";")) / sum(stacks.values())


def java(version, *words):
    return [str(jdks.java(version)), "-Xmx64m", "-cp", str(jvms.classes("Spin")), "Spin", *map(str, words)]


def wait_for_samples(charcloth, pid):
    """Until there are enough of them to speak of shares; they must come, so that there is no limit of time."""
    count = 0
    while count < 50:
        time.sleep(0.02)
        match = re.search(r"^samples cpu: (\d+)", charcloth("status", pid, check=0).stdout, re.MULTILINE)
        count = int(match[1]) if match else 0


# -- a running JVM


def test_record_draws_the_hot_method(charcloth, busy, tmp_path):
    out = tmp_path / "out.collapsed"
    done = charcloth("record", busy.pid, "-d", "1", "-o", out, check=0)
    assert share(folded(out), "Spin.burn") > 0.9
    assert f"wrote {out}" in done.stderr
    assert scrap(busy) == []
    assert busy.left_behind() == []
    assert busy.alive()


def test_without_output_the_hot_methods_are_printed(charcloth, busy):
    done = charcloth("record", busy.pid, "-d", "500ms", "-n", 3, check=0)
    assert "Spin.burn" in done.stdout
    assert f"Spin (pid {busy.pid})" in done.stdout


def test_a_jfr_is_the_recording_itself(charcloth, busy, tmp_path, jfr_summary):
    plain = tmp_path / "out.jfr"
    charcloth("record", busy.pid, "-d", "1s", "-f", plain, check=0)
    counts = jfr_summary(plain)
    assert counts["jdk.ExecutionSample"] > 0
    assert counts["charcloth.SamplerStats"] > 0  # a converted one has no such events


@pytest.mark.parametrize("suffix", ["zst", "gz"])
def test_a_recording_can_be_packed(charcloth, spinning, tmp_path, suffix):
    packed = tmp_path / f"out.jfr.{suffix}"
    charcloth("record", spinning.pid, "-d", "1", "-o", packed, check=0)
    assert "Spin.burn" in charcloth("top", packed, check=0).stdout
    magic = {"zst": b"\x28\xb5\x2f\xfd", "gz": b"\x1f\x8b"}[suffix]
    assert packed.read_bytes().startswith(magic)


def test_filters_of_convert_apply(charcloth, spinning, tmp_path):
    out = tmp_path / "out.collapsed"
    charcloth("record", spinning.pid, "-d", "1", "--threads", "--include", "Spin.burn", "-o", out, check=0)
    assert all(stack.startswith("main;") and "Spin.burn" in stack for stack in folded(out))


def test_several_events_in_one_recording(charcloth, spinning, tmp_path, jfr_summary):
    out = tmp_path / "out.jfr"
    charcloth("record", spinning.pid, "-d", "1", "-e", "cpu,wall", "--wall", "20ms", "-o", out, check=0)
    counts = jfr_summary(out)
    assert counts["jdk.ExecutionSample"] > 0
    assert counts["profiler.WallClockSample"] > 0


def test_a_second_recording_is_refused_and_the_first_goes_on(charcloth, spinning, tmp_path):
    first = tmp_path / "first.jfr"
    charcloth("start", spinning.pid, "-f", first, check=0)
    done = charcloth("record", spinning.pid, "-d", "1", check=1)
    assert "stop it first" in done.stderr
    assert f"recording to: {first}" in charcloth("status", spinning.pid, check=0).stdout
    wait_for_samples(charcloth, spinning.pid)
    charcloth("stop", spinning.pid, check=0)
    assert "Spin.burn" in charcloth("top", first, check=0).stdout
    assert scrap(spinning) == []


@pytest.mark.parametrize("sig", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_early_and_keeps_the_data(charcloth, spinning, tmp_path, sig):
    out = tmp_path / "out.collapsed"
    process = subprocess.Popen(
        [charcloth.path, "record", str(spinning.pid), "-d", "1h", "-o", out], stderr=subprocess.PIPE, text=True
    )
    wait_for_samples(charcloth, spinning.pid)
    process.send_signal(sig)
    process.communicate(timeout=60)
    assert process.returncode == 0
    assert share(folded(out), "Spin.burn") > 0.9
    assert scrap(spinning) == []
    assert "nothing is being recorded" in charcloth("status", spinning.pid, check=0).stdout


def test_a_recording_whose_command_was_killed_ends_by_itself(charcloth, spinning):
    with subprocess.Popen(
        [charcloth.path, "record", str(spinning.pid), "-d", "30s"], stderr=subprocess.PIPE
    ) as process:
        wait_for_samples(charcloth, spinning.pid)
        process.kill()
    said = charcloth("status", spinning.pid, check=0).stdout
    assert "ends after: 90 s" in said
    pathlib.Path(re.search(r"^recording to: (.*)", said, re.MULTILINE)[1]).unlink()


def test_a_recording_that_has_ended_is_not_in_the_way(charcloth, tmp_path):
    with agents.started(tmp_path, 17, "Steps", 100_000, 20, options="event=cpu,duration=100ms") as host:
        host.line()  # it runs: before that it is no JVM yet
        while "its time was over" not in charcloth("status", host.pid, check=0).stdout:
            host.line()
        charcloth("start", host.pid, "-f", tmp_path / "next.jfr", check=0)
        wait_for_samples(charcloth, host.pid)
        charcloth("stop", host.pid, check=0)
    assert agents.samples(tmp_path / "rec.jfr")
    assert agents.samples(tmp_path / "next.jfr")


def test_a_jvm_that_is_stopped_meanwhile_is_not_waited_for(charcloth, spinning, tmp_path):
    out = tmp_path / "out.jfr"
    with subprocess.Popen(
        [charcloth.path, "record", str(spinning.pid), "-d", "1h", "-o", out], stderr=subprocess.PIPE, text=True
    ) as process:
        wait_for_samples(charcloth, spinning.pid)
        os.kill(spinning.pid, signal.SIGSTOP)
        try:
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=60)
        finally:
            os.kill(spinning.pid, signal.SIGCONT)
    assert process.returncode == 3
    assert f"process {spinning.pid} is stopped" in said
    assert out.stat().st_size > 0


@pytest.mark.parametrize("sig", [signal.SIGTERM, signal.SIGKILL])
def test_the_end_of_the_jvm_keeps_the_data(charcloth, tmp_path, sig):
    out = tmp_path / "out.collapsed"
    with jvms.running(17, program="Spin", arguments=[FOREVER]) as jvm:
        process = subprocess.Popen(
            [charcloth.path, "record", str(jvm.pid), "-d", "1h", "-o", out], stderr=subprocess.PIPE, text=True
        )
        while "for: 2 s" not in charcloth("status", jvm.pid, check=0).stdout:
            time.sleep(0.02)
        jvm.process.send_signal(sig)
        jvm.process.wait()
        _, said = process.communicate(timeout=60)
    assert process.returncode == 0, said
    assert f"process {jvm.pid} ended after" in said
    assert share(folded(out), "Spin.burn") > 0.9
    assert scrap(jvm) == []


# -- driving by hand


def test_start_status_dump_stop(charcloth, busy, tmp_path):
    file = tmp_path / "by-hand.jfr"
    done = charcloth("start", busy.pid, "-e", "cpu", "-i", "5ms", "-f", file, check=0)
    assert f"recording to {file}" in done.stderr
    assert f"recording to: {file}\n" in charcloth("status", busy.pid, check=0).stdout
    wait_for_samples(charcloth, busy.pid)
    assert "Spin.burn" in charcloth("dump", busy.pid, check=0).stdout
    assert f"recording to: {file}\n" in charcloth("status", busy.pid, check=0).stdout
    charcloth("stop", busy.pid, "-o", tmp_path / "x.html", check=0)
    assert "Spin" in charcloth("top", file, check=0).stdout
    assert (tmp_path / "x.html").stat().st_size > 0
    assert "nothing is being recorded" in charcloth("status", busy.pid, check=0).stdout
    assert scrap(busy) == []


def test_relative_names_are_of_our_folder(charcloth, spinning, tmp_path):
    charcloth("start", spinning.pid, "-f", "here.jfr", cwd=tmp_path, check=0)
    charcloth("stop", spinning.pid, check=0)
    assert (tmp_path / "here.jfr").exists()


@pytest.mark.parametrize("command", ["stop", "dump"])
def test_nothing_to_stop(charcloth, command):
    with jvms.running(17) as jvm:
        done = charcloth(command, jvm.pid, check=1)
        assert done.stderr == f"charcloth: nothing is being recorded in process {jvm.pid}\n"
        assert charcloth("status", jvm.pid, check=0).stdout == "no agent is loaded, nothing is being recorded\n"
        assert "libcharcloth" not in pathlib.Path(f"/proc/{jvm.pid}/maps").read_text()


# -- other people's JVMs


@needs_root
def test_the_jvm_of_another_user_that_cannot_read_our_library(charcloth, tmp_path):
    """Its copy of the agent is gone once it is loaded, and the same copy serves the next command."""
    tmp_path.chmod(0o700)
    library = tmp_path / "libcharcloth.so"
    shutil.copy(charcloth.path.parent / "libcharcloth.so", library)
    with jvms.running(17, program="Spin", arguments=[FOREVER], user=jvms.NOBODY) as jvm:
        for _ in range(2):
            out = tmp_path / "out.collapsed"
            charcloth("record", jvm.pid, "--lib", library, "-d", "1", "-o", out, check=0)
            assert share(folded(out), "Spin.burn") > 0.9
        maps = pathlib.Path(f"/proc/{jvm.pid}/maps").read_text()
        mapped = {line.split(maxsplit=5)[5] for line in maps.splitlines() if "libcharcloth" in line}
        assert len(mapped) == 1
        assert scrap(jvm) == []


@needs_root
def test_a_jvm_in_a_container(charcloth, tmp_path):
    """Own pids, own mounts, own /tmp: nothing of ours has the same name there."""
    unshare = ["unshare", "--pid", "--mount", "--fork", "--mount-proc", "--kill-child", "sh", "-c"]
    script = 'mount -t tmpfs tmpfs /tmp && exec "$@"'
    if subprocess.run([*unshare, script, "sh", "true"], capture_output=True, check=False).returncode != 0:
        pytest.skip("namespaces are not permitted here")
    with tempfile.TemporaryDirectory(dir="/var/tmp") as place:
        shutil.copytree(jvms.classes("Spin"), f"{place}/classes")
        command = [*unshare, script, "sh", *java(17, FOREVER)]
        command[command.index(str(jvms.classes("Spin")))] = f"{place}/classes"
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as outer:
            assert outer.stdout.readline() == "up\n"
            pid = int(pathlib.Path(f"/proc/{outer.pid}/task/{outer.pid}/children").read_text().split()[0])
            out = tmp_path / "out.collapsed"
            for _ in range(2):
                charcloth("record", pid, "-d", "1", "-o", out, check=0)
                assert share(folded(out), "Spin.burn") > 0.9
            there = {path.name for path in pathlib.Path(f"/proc/{pid}/root/tmp").iterdir()}
            assert not {name for name in there if "charcloth" in name}
            outer.kill()


# -- a command


def test_a_java_command_is_recorded_from_its_start(charcloth, tmp_path):
    place = tmp_path / "tmp"
    place.mkdir()
    for version in jdks.VERSIONS:
        out = tmp_path / f"{version}.collapsed"
        done = charcloth("record", "-o", out, "--", *java(version, 1), check=0, env={"TMPDIR": str(place)})
        assert done.stdout == "up\n"
        assert share(folded(out), "Spin.burn") > 0.5
        assert list(place.iterdir()) == []


def test_a_wrapper_hands_the_agent_on(charcloth, tmp_path):
    out = tmp_path / "out.collapsed"
    script = tmp_path / "run"
    script.write_text('#!/bin/sh\n"$@"\n')
    script.chmod(0o755)
    done = charcloth("record", "--by", "file", "-o", out, "--", script, *java(17, 1), check=0)
    assert "Picked up JAVA_TOOL_OPTIONS" in done.stderr
    assert share(folded(out), "Spin.burn") > 0.5


def test_the_status_is_that_of_the_command(charcloth, tmp_path):
    out = tmp_path / "out.collapsed"
    charcloth("record", "-o", out, "--", *java(17, 1, 7), check=7)
    assert share(folded(out), "Spin.burn") > 0.5
    assert "run '" in charcloth("record", "--", tmp_path / "none", check=1).stderr
    done = charcloth("record", "--", "true", check=1)
    assert "nothing was recorded" in done.stderr
    charcloth("record", "--", "sh", "-c", "exit 5", check=5)


def test_signals_are_handed_on(charcloth, tmp_path):
    out = tmp_path / "out.collapsed"
    process = subprocess.Popen(
        [charcloth.path, "record", "-o", out, "--", *java(17, FOREVER)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "up\n"
    child = int(pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()[0])
    wait_for_samples(charcloth, child)
    process.terminate()
    process.communicate(timeout=60)
    assert process.returncode == 128 + signal.SIGTERM
    assert share(folded(out), "Spin.main") > 0


# -- mistakes


def test_what_cannot_be_written_is_told_before_recording(charcloth, tmp_path):
    with jvms.running(17) as jvm:
        folder = tmp_path / "x.html"
        folder.mkdir()
        for name, status, words in [
            (tmp_path / "none" / "x.html", 1, "No such file or directory"),
            (folder, 1, "it is a folder"),
            (tmp_path / "x.docx", 2, "does not say which format to write"),
        ]:
            assert words in charcloth("record", jvm.pid, "-d", "1h", "-o", name, check=status).stderr
        assert "libcharcloth" not in pathlib.Path(f"/proc/{jvm.pid}/maps").read_text()


def test_a_wrong_unit_is_told_by_the_agent(charcloth):
    with jvms.running(17) as jvm:
        done = charcloth("record", jvm.pid, "-i", "10parsecs", "-d", "1", check=1)
        assert "'10parsecs' is no time" in done.stderr
        assert scrap(jvm) == []


@pytest.mark.parametrize("words", [["-d", "soon"], ["-d", "0"], ["-i", "1,2"], ["-e", ""]])
def test_wrong_values_are_wrong_usage(charcloth, words):
    charcloth("record", 1, *words, check=2)


@pytest.mark.parametrize("command", ["record", "start", "stop", "dump", "status"])
def test_what_is_no_jvm_survives(charcloth, command):
    with subprocess.Popen(["sleep", "60"]) as process:
        done = charcloth(command, process.pid, check=1)
        assert "is no HotSpot JVM" in done.stderr
        assert process.poll() is None
        process.kill()


def test_a_library_that_is_none_is_told(charcloth, tmp_path):
    library = tmp_path / "libcharcloth.so"
    library.write_text("no library")
    tmp_path.chmod(0o755)
    with jvms.running(17) as jvm:
        done = charcloth("record", jvm.pid, "--lib", library, "-d", "1", check=1)
        assert "could not load" in done.stderr
        assert charcloth("record", jvm.pid, "--lib", tmp_path / "none.so", "-d", "1", check=1).stderr.endswith(
            "none.so': No such file or directory\n"
        )
        assert scrap(jvm) == []
