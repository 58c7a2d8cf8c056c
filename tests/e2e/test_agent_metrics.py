"""What the agent writes once a second, against what the JVM says about itself through JMX."""

from __future__ import annotations

import dataclasses
import datetime
import json
import os
import pathlib
import re
import socket
import subprocess

import agents
import jdks
import jvms
import pytest

READ_BYTES = 9 << 20
KEPT_BYTES = 40 << 20
MB = 1 << 20

KERNEL = ["jdk.CPULoad", "jdk.ThreadContextSwitchRate", "charcloth.ProcessStats"]
COUNTERS = ["charcloth.MemoryPool", "charcloth.Collector", "jdk.JavaThreadStatistics", "jdk.ClassLoadingStatistics"]
TYPES = [*KERNEL, "jdk.GCHeapSummary", *COUNTERS]

# Which options make a JVM use a collector.
COLLECTORS = {
    "Serial": ["-XX:+UseSerialGC"],
    "Parallel": ["-XX:+UseParallelGC"],
    "G1": ["-XX:+UseG1GC"],
    "Z": ["-XX:+UseZGC"],
}


@dataclasses.dataclass(frozen=True)
class Recorded:
    """A JVM that has ended, what it said, and what was recorded of it."""

    path: pathlib.Path
    truth: dict
    events: dict  # type: list of {field: value}

    def last(self, kind, name=None):
        rows = [row for row in self.events[kind] if name is None or row["name"] == name]
        assert rows, f"no {kind} {name or ''}: {sorted({row.get('name', '') for row in self.events[kind]})}"
        return rows[-1]


def seconds(duration):
    """PT1M0.42S as a number."""
    match = re.fullmatch(r"PT(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+(?:E-?\d+)?)S)?", duration)
    assert match, duration
    return 3600 * float(match[1] or 0) + 60 * float(match[2] or 0) + float(match[3] or 0)


def when(row):
    return datetime.datetime.fromisoformat(re.sub(r"(\.\d{6})\d*", r"\1", row["startTime"])).timestamp()


def events_of(path, kinds=(*TYPES, "charcloth.SamplerStats", "charcloth.Labels", "jdk.ActiveRecording")):
    text = jdks.run([jdks.jfr_tool(17), "print", "--json", "--events", ",".join(kinds), path]).stdout
    found = {kind: [] for kind in kinds}
    for event in json.loads(text)["recording"]["events"]:
        found[event["type"]].append(event["values"])
    for rows in found.values():
        rows.sort(key=lambda row: row["startTime"])
    return found


def record(folder, version, *options, main=("Gauges", "1.5"), agent="start,event=cpu", said=""):
    """Runs programs/Gauges.java under the agent to its end; `said` is a pattern of what the agent has to say."""
    path, data = folder / "x.jfr", folder / "data"
    data.write_bytes(bytes(READ_BYTES))
    command = [jdks.java(version), "-Xmx256m", *options, f"-agentpath:{agents.library()}={agent},file={path}"]
    command += ["-cp", jvms.classes("Gauges"), *main, data]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.fullmatch(said, done.stderr)
    truth = {key: int(value) for key, value in re.findall(r"^(.*)=(-?\d+)$", done.stdout, re.MULTILINE)}
    return Recorded(path, truth, events_of(path))


@pytest.fixture(scope="module", params=jdks.VERSIONS, ids=lambda version: f"jdk{version}")
def recorded(request, tmp_path_factory):
    return record(tmp_path_factory.mktemp("metrics"), request.param, "-XX:+UseG1GC")


def test_every_kind_is_there_every_second(recorded):
    stats = len(recorded.events["charcloth.SamplerStats"])
    assert stats >= 2
    for kind in TYPES:
        times = {row["startTime"] for row in recorded.events[kind]}
        # What needs a span of time is left out when the last one is too short.
        assert len(times) in (stats, stats - 1), kind


def test_cpu_adds_up_to_what_was_burnt(recorded):
    begin, cpu = when(recorded.events["jdk.ActiveRecording"][0]), 0.0
    for row in recorded.events["jdk.CPULoad"]:
        assert 0 <= row["machineTotal"] <= 1
        cpu += (row["jvmUser"] + row["jvmSystem"]) * (when(row) - begin) * os.cpu_count()
        begin = when(row)
    # The last part of a second may have no event of its own: what the main thread burnt of it is missing then.
    assert cpu >= recorded.truth["spun"] / 1e9 - 0.35


def test_collections_are_those_of_jmx(recorded):
    told = {key[3:]: value for key, value in recorded.truth.items() if key.startswith("gc ")}
    assert told["G1 Young Generation"] > 3
    for name, count in told.items():
        row = recorded.last("charcloth.Collector", name)
        assert row["collections"] == count, name
        assert abs(seconds(row["time"]) * 1000 - recorded.truth["gctime " + name]) <= 2 + count, name
    assert recorded.last("jdk.GCHeapSummary")["gcId"] == sum(
        recorded.last("charcloth.Collector", name)["collections"]
        for name in {row["name"] for row in recorded.events["charcloth.Collector"]}
    )


def check_heap(recorded):
    row = recorded.last("jdk.GCHeapSummary")
    assert row["when"] == "Now"
    assert row["heapSpace"]["reservedSize"] == recorded.truth["max"]
    assert row["heapSpace"]["committedSize"] <= recorded.truth["max"]
    assert KEPT_BYTES <= row["heapUsed"] <= row["heapSpace"]["committedSize"]
    assert abs(row["heapUsed"] - recorded.truth["used"]) <= 16 * MB


def check_pools(recorded):
    told = {key[5:]: value for key, value in recorded.truth.items() if key.startswith("pool ")}
    heap = recorded.last("jdk.GCHeapSummary")
    names = {row["name"] for row in recorded.events["charcloth.MemoryPool"]}
    assert {name for name in told if "CodeHeap" not in name and "CodeCache" not in name} == names
    for name in names - {"Metaspace", "Compressed Class Space"}:
        row = recorded.last("charcloth.MemoryPool", name)
        assert abs(row["used"] - told[name]) <= 16 * MB, name
        assert row["used"] <= row["committed"] <= row["max"], name
    used = [
        recorded.last("charcloth.MemoryPool", name)["used"] for name in names - {"Metaspace", "Compressed Class Space"}
    ]
    assert abs(sum(used) - heap["heapUsed"]) <= 16 * MB


def test_the_heap_is_as_full_as_the_runtime_says(recorded):
    check_heap(recorded)


def test_pools_have_the_names_of_jmx(recorded):
    check_pools(recorded)


def test_threads_and_classes_are_those_of_jmx(recorded):
    threads = recorded.last("jdk.JavaThreadStatistics")
    # The main thread may have become the one that ends the VM, and the agent's own has gone.
    assert abs(threads["activeCount"] - recorded.truth["threads"]) <= 2
    assert abs(threads["daemonCount"] - recorded.truth["daemons"]) <= 2
    assert 0 <= threads["accumulatedCount"] - recorded.truth["started"] <= 2
    assert threads["peakCount"] >= recorded.truth["threads"]
    classes = recorded.last("jdk.ClassLoadingStatistics")
    assert 0 <= classes["loadedClassCount"] - recorded.truth["classes"] <= 40
    assert classes["unloadedClassCount"] <= classes["loadedClassCount"]


def test_the_process_is_counted(recorded):
    first, last = recorded.events["charcloth.ProcessStats"][0], recorded.last("charcloth.ProcessStats")
    assert abs(last["rss"] - recorded.truth["rss"]) <= 0.2 * recorded.truth["rss"]
    assert last["readBytes"] >= READ_BYTES
    assert last["threads"] >= recorded.truth["threads"]
    assert last["minorFaults"] > 0
    assert last["voluntarySwitches"] > 0
    for field, value in first.items():
        if field not in ("startTime", "rss", "threads"):
            assert 0 <= value <= last[field], field
    assert all(row["switchRate"] > 0 for row in recorded.events["jdk.ThreadContextSwitchRate"])


def test_a_chunk_says_whose_it_is(recorded):
    labels = {row["key"]: row["value"] for row in recorded.events["charcloth.Labels"]}
    assert labels["host"] == socket.gethostname()
    assert labels["pid"].isdigit()
    assert "role" not in labels


def test_the_page_shows_them_over_time(recorded, charcloth, tmp_path):
    out = tmp_path / "y.jfr"
    charcloth("convert", recorded.path, "-o", out, check=0)
    names = {row["name"] for row in events_of(out, ["charcloth.Point"])["charcloth.Point"]}
    assert names >= {"CPU of the JVM", "CPU of the machine", "heap used", "heap committed", "RSS of the JVM"}


@pytest.mark.parametrize("version", [11, 17, 25])
@pytest.mark.parametrize("collector", ["Serial", "Parallel", "Z"])
def test_other_collectors(collector, version, tmp_path):
    experimental = ["-XX:+UnlockExperimentalVMOptions"] if version == 11 else []
    recorded = record(tmp_path, version, *experimental, *COLLECTORS[collector], main=("Gauges", "1.0"))
    check_heap(recorded)
    check_pools(recorded)
    told = {key[3:]: value for key, value in recorded.truth.items() if key.startswith("gc ")}
    if collector != "Z":
        for name, count in told.items():
            assert recorded.last("charcloth.Collector", name)["collections"] == count, name
    elif version >= 17:  # cycles go on meanwhile, and only their pauses are counted
        pauses = [name for name in told if name.endswith("Pauses")]
        assert pauses
        for name in pauses:
            assert recorded.last("charcloth.Collector", name)["collections"] >= told[name], name


@pytest.mark.parametrize("version", [11, 25])
def test_without_counters_the_rest_is_there(version, tmp_path):
    recorded = record(tmp_path, version, "-XX:-UsePerfData", "-XX:+UseG1GC", main=("Gauges", "1.0"))
    for kind in KERNEL:
        assert recorded.events[kind], kind
    for kind in COUNTERS:
        assert recorded.events[kind] == [], kind
    check_heap(recorded)


def test_an_executor_says_which_one_it_is(tmp_path):
    """The command line of Spark's executor, without Spark."""
    source = tmp_path / "CoarseGrainedExecutorBackend.java"
    source.write_text(
        "package org.apache.spark.executor; public class CoarseGrainedExecutorBackend"
        " { public static void main(String[] a) { } }",
        encoding="utf-8",
    )
    jdks.run([jdks.javac(), "--release", "11", "-d", tmp_path, source])
    main = ["org.apache.spark.executor.CoarseGrainedExecutorBackend"]
    main += ["--driver-url", "spark://x", "--executor-id", "7", "--app-id", "app-1"]
    recorded = record(tmp_path, 17, "-cp", tmp_path, main=["-cp", tmp_path, *main])
    labels = {row["key"]: row["value"] for row in recorded.events["charcloth.Labels"]}
    assert {key: labels[key] for key in ("role", "app", "executor")} == {
        "role": "executor",
        "app": "app-1",
        "executor": "7",
    }
