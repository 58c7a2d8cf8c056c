"""What the agent records beside CPU and wall time, against programs that print their own truth."""

from __future__ import annotations

import collections
import re

import agents
import jdks
import jvms
import pytest

ALL = pytest.mark.parametrize("version", jdks.VERSIONS)
TWO = pytest.mark.parametrize("version", [17, 25])
WALKERS = pytest.mark.parametrize("walker", ["own", "asgct"])


def seconds(duration):
    """PT1M0.42S as a number."""
    match = re.fullmatch(r"PT(?:(\d+)M)?(?:([\d.]+(?:E-?\d+)?)S)?", duration)
    assert match, duration
    return 60 * float(match[1] or 0) + float(match[2] or 0)


def record(folder, version, options, program, *arguments, **others):
    """Runs a program that says nothing on standard error."""
    run = agents.run(folder, version, program, *arguments, options=options, **others)
    assert run.err == ""
    return run


def frames(event):
    return event["stackTrace"]["frames"]


# -- allocations


@ALL
@WALKERS
def test_allocated_bytes_are_those_that_the_threads_count(version, walker, tmp_path):
    run = record(tmp_path, version, "event=alloc,alloc=32k", "Alloc", 100, env={"CHARCLOTH_WALKER": walker})
    events = agents.events(run.recording, "jdk.ObjectAllocationSample")
    classes = {"small": "[B", "medium": "[J", "large": "[Ljava/lang/Object;"}
    for kind, name in classes.items():
        mine = [event for event in events if agents.total([event], "weight", f"Alloc.{kind}")]
        assert agents.total(mine, "weight") == pytest.approx(run.number(kind), rel=0.05)
        assert {event["objectClass"]["name"] for event in mine} == {name}
        assert {event["eventThread"]["javaName"] for event in mine} == {f"allocator-{list(classes).index(kind)}"}


@ALL
def test_live_bytes_are_those_that_are_still_reachable(version, tmp_path):
    run = record(tmp_path, version, "event=live", "Live", jvm=["-Xmx300m"])
    events = agents.events(run.recording, "profiler.LiveObject")
    assert agents.total(events, "weight", "Live.keep") == pytest.approx(run.number("live"), rel=0.1)
    assert agents.total(events, "weight", "Live.waste") == 0
    kept = [event for event in events if agents.total([event], "weight", "Live.keep")]
    assert {event["allocationSize"] for event in kept} <= {1024, 1032}
    assert all(event["allocationTime"] < event["startTime"] for event in kept)


def test_live_objects_keep_their_stacks_over_chunks(tmp_path):
    run = record(
        tmp_path,
        17,
        "event=live,event=alloc,alloc=8k,chunksize=1k,event=cpu",
        "Live",
        "3500",
        jvm=["-Xmx300m"],
    )
    events = agents.events(run.recording, "profiler.LiveObject")
    assert agents.total(events, "weight", "Live.keep") == pytest.approx(run.number("live"), rel=0.1)
    names = {agents.method(frame) for event in events for frame in frames(event)}
    assert not [name for name in names if "unknown" in name]
    assert all(event["eventThread"] and event["objectClass"] for event in events)
    # The JDK's reader takes constants of the chunk before for the same when their keys are.
    descriptors = {frame["method"]["descriptor"] for event in events for frame in frames(event)}
    assert [text for text in descriptors if not re.match(r"\(.*\)", text)] == []
    # Also as allocations, of which they are a part.
    allocated = agents.events(run.recording, "jdk.ObjectAllocationSample")
    assert agents.total(allocated, "weight", "Live.keep") == pytest.approx(run.number("live"), rel=0.05)


def test_a_full_table_of_live_objects_is_thinned_not_cut(tmp_path):
    """At 1 KB nearly every object is sampled: several times as many as are kept."""
    run = record(tmp_path, 17, "event=live,alloc=1k", "Live", jvm=["-Xmx300m"])
    events = agents.events(run.recording, "profiler.LiveObject")
    assert agents.total(events, "weight", "Live.keep") == pytest.approx(run.number("live"), rel=0.1)
    assert len(events) <= 8192


# -- locks


def waits_in(event, method):
    """True when the method itself waits, or in ReentrantLock.lock; a class may be loaded there too, under a lock."""
    names = [agents.method(frame) for frame in frames(event)]
    at = names.index(method) if method in names else -1
    return at == 0 or (at > 0 and names[at - 1].endswith("ReentrantLock.lock"))


@ALL
@WALKERS
def test_lock_time_is_what_the_threads_waited(version, walker, tmp_path):
    run = record(tmp_path, version, "event=lock", "Locks", 20, env={"CHARCLOTH_WALKER": walker})
    truths = {
        "monitor": ("jdk.JavaMonitorEnter", "monitorClass", "java/lang/Object", "Locks.enterMonitor"),
        "park": (
            "jdk.ThreadPark",
            "parkedClass",
            "java/util/concurrent/locks/ReentrantLock$NonfairSync",
            "Locks.takeLock",
        ),
    }
    for word, (kind, field, name, method) in truths.items():
        mine = [event for event in agents.events(run.recording, kind) if waits_in(event, method)]
        assert sum(seconds(event["duration"]) for event in mine) == pytest.approx(run.number(word) / 1e9, rel=0.1)
        assert {event[field]["name"] for event in mine} == {name}
        assert len({event["address"] for event in mine}) == 1


@ALL
def test_a_wait_that_began_before_the_recording_is_not_taken_for_an_older_one(version, tmp_path):
    paths = tmp_path / "first.jfr", tmp_path / "second.jfr"
    jvm = [f"-agentpath:{agents.library()}=version"]
    run = agents.run(tmp_path, version, "Across", *paths, options=None, jvm=jvm)
    assert "error" not in run.out
    assert not [event for event in agents.events(paths[1], "jdk.JavaMonitorEnter") if waits_in(event, "Across.enter")]


# -- counters of the kernel


@TWO
def test_page_faults_are_those_of_the_code_that_touches(version, tmp_path):
    run = record(tmp_path, version, "event=page-faults", "Faults", 200, jvm=["-Xms600m", "-Xmx600m"])
    events = agents.events(run.recording, "charcloth.PerfSample")
    assert {event["event"] for event in events} == {"page-faults"}
    # Pages may be larger than the smallest, but every megabyte takes one at least.
    assert agents.total(events, "weight", "Faults.touch") >= 200 / 2


def test_threads_that_get_no_counter_are_told(charcloth, tmp_path):
    """A counter for each thread takes a descriptor; half of those that the process may have stay its own."""
    with jvms.running(17, prefix=["prlimit", "--nofile=32:32"]) as jvm:
        done = charcloth("start", jvm.pid, "-e", "page-faults", "-f", tmp_path / "x.jfr", check=0)
        assert re.search(r"threads whose events are not counted: \d+, as a counter for each thread would", done.stdout)
        assert "threads whose events are not counted: " in charcloth("status", jvm.pid, check=0).stdout
        charcloth("stop", jvm.pid, check=0)
        assert jvm.end() == ""


@TWO
def test_several_events_go_into_one_recording(version, tmp_path):
    options = "event=cpu,interval=1ms,maxoverhead=100,event=wall,alloc=256,event=live,lock=1us"
    options += ",event=page-faults,event=context-switches"
    run = record(tmp_path, version, options, "Locks", 10)
    kinds = {
        "jdk.ExecutionSample",
        "profiler.WallClockSample",
        "jdk.ObjectAllocationSample",
        "profiler.LiveObject",
        "jdk.JavaMonitorEnter",
        "jdk.ThreadPark",
    }
    assert [kind for kind in kinds if not agents.events(run.recording, kind)] == []
    assert {event["event"] for event in agents.events(run.recording, "charcloth.PerfSample")} == {
        "page-faults",
        "context-switches",
    }


# -- spans of tasks


def spans(path):
    """{task: [(result, thread, is open)]} in the order they were written."""
    found = collections.defaultdict(list)
    for event in agents.events(path, "charcloth.TaskSpan"):
        found[event["taskId"]].append(
            (event["result"], event["eventThread"]["osName"], seconds(event["duration"]) == 0)
        )
    return found


@ALL
def test_a_task_that_is_killed_has_a_span(version, tmp_path, charcloth):
    run = record(tmp_path, version, "event=cpu,interval=1ms,maxoverhead=100", "Tasks", "halt", code=9)
    assert set(spans(run.recording)[1]) == {(None, "worker", True), ("ok", "worker", False)}
    assert set(spans(run.recording)[2]) == {(None, "worker", True), ("failed", "worker", False)}
    assert set(spans(run.recording)[3]) == {(None, "last", True)}
    assert set(spans(run.recording)[4]) == {(None, "leaver", True), (None, "leaver", False)}
    first = next(event for event in agents.events(run.recording, "charcloth.TaskSpan") if event["taskId"] == 1)
    assert (first["stage"], first["partition"], first["sqlExecution"], first["executor"]) == (3, 1, 7, "exec-1")
    assert first["jobGroup"] == "group \u00e9\U0001f600"
    assert first["description"] == "two\nlines"
    stacks = charcloth("convert", run.recording, "-o", "-", "--format", "collapsed", "--by", "task", check=0).stdout
    burnt = {line.split(";")[0] for line in stacks.splitlines() if ";Tasks.burn" in line}
    assert burnt == {"task=1", "task=2", "task=3", "task=4"}


@ALL
def test_a_recording_that_starts_in_a_task_knows_it(version, tmp_path):
    path = tmp_path / "late.jfr"
    jvm = [f"-agentpath:{agents.library()}=version"]
    run = agents.run(tmp_path, version, "Tasks", "late", path, options=None, jvm=jvm)
    assert run.out.startswith("ok\n")
    assert run.out.endswith("error: nothing is being recorded\n")
    assert {task: set(told) for task, told in spans(path).items()} == {
        50: {(None, "main", True), ("ok", "main", False)}
    }
