"""Commands of the agent that record nothing, and the governor."""

from __future__ import annotations

import os
import pathlib
import re
import time

import agents
import jdks
import jvms
import pytest
import test_agent_metrics as metrics

OWN = ["cpu", "wall", "alloc", "live", "lock", "ctimer", "itimer"]
PERF = ["cpu-clock", "page-faults", "context-switches", "cycles", "instructions", "cache-references", "cache-misses"]
PERF += ["branch-instructions", "branch-misses", "bus-cycles", "L1-dcache-load-misses", "LLC-load-misses"]
PERF += ["dTLB-load-misses", "rNNN", "mem:ADDRESS", "SUBSYSTEM:TRACEPOINT"]


@pytest.fixture(scope="module", params=jdks.VERSIONS, ids=lambda version: f"jdk{version}")
def idle(request):
    with jvms.running(request.param) as jvm:
        jvm.version = request.param
        yield jvm


def answer_to(jvm, text, log):
    """Runs a command of the agent by the JDK's own tool; the answer goes to a file."""
    jcmd = jdks.java_home(jvm.version) / "bin" / "jcmd"
    jdks.run([jcmd, jvm.pid, "JVMTI.agent_load", agents.library(), f'"{text},log={log}"'])


def command(jvm, text, folder):
    """The same; the answer."""
    log = folder / "log"
    answer_to(jvm, text, log)
    return log.read_text(encoding="utf-8")


def test_list_has_a_line_for_each_event(charcloth, idle):
    lines = charcloth("list", idle.pid, check=0).stdout.splitlines()
    assert [line.split()[0] for line in lines] == OWN + PERF
    for line in lines[: len(OWN)]:
        assert "missing" not in line
    for line in lines:
        assert re.fullmatch(r"\S+ +[^;]+(; missing: .+)?", line), line


def test_list_says_what_can_be_recorded(charcloth, idle, tmp_path):
    """What is not missing starts, what is missing is refused."""
    rows = dict(line.split(None, 1) for line in charcloth("list", idle.pid, check=0).stdout.splitlines())
    for name in ("wall", "page-faults", "cycles"):
        rest = rows[name]
        text = command(idle, f"start,event={name},file={tmp_path}/{name}.jfr", tmp_path)
        assert text.startswith("error: " if "missing:" in rest else "ok\n"), (name, rest, text)
        if "missing:" not in rest:
            assert command(idle, "stop", tmp_path).startswith("ok\n")


def test_a_wrong_event_is_answered_with_the_right_ones(idle, tmp_path):
    text = command(idle, "start,event=cpuu", tmp_path)
    assert text == f"error: there is no event 'cpuu'; the events are: {', '.join(OWN + PERF)}\n"
    assert command(idle, "status", tmp_path).startswith("ok\n")
    assert idle.alive()


def test_a_recording_of_another_is_left_alone(charcloth, idle, tmp_path):
    assert "error" not in command(idle, f"start,event=cpu,owner=the night watch,file={tmp_path}/x.jfr", tmp_path)
    try:
        done = charcloth("stop", idle.pid, check=1)
        assert "this is a recording of the night watch" in done.stderr
        done = charcloth("record", idle.pid, "-d", 1, "-o", tmp_path / "y.html", check=1)
        assert "a recording of the night watch runs already" in done.stderr
    finally:
        assert "error" not in command(idle, "stop,owner=the night watch", tmp_path)
    assert "nothing is being recorded" in charcloth("stop", idle.pid, check=1).stderr


def test_a_dump_of_the_last_of_several_files_says_so(charcloth, idle, tmp_path):
    command(idle, f"start,event=wall,loop=1s,file={tmp_path}/x-%n.jfr", tmp_path)
    while not (tmp_path / "x-1.jfr").exists():
        time.sleep(0.05)
    done = charcloth("dump", idle.pid, "-o", tmp_path / "so-far.jfr", check=0)
    charcloth("stop", idle.pid, check=0)
    assert re.search(r"the last \d+ s only: what came before is in files of its own", done.stderr)


def test_a_pipe_is_no_place_for_a_copy_or_an_answer(idle, tmp_path):
    """Nobody reads it: who opened it would wait, and the JVM with them."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    recording = tmp_path / "x.jfr"
    assert command(idle, f"start,event=wall,wall=10ms,file={recording}", tmp_path).startswith("ok\n")
    assert command(idle, f"dump,file={pipe}", tmp_path) == f"error: '{pipe}' is no regular file\n"
    answer_to(idle, "status", pipe)
    assert "has ended" not in command(idle, "status", tmp_path)
    assert command(idle, f"dump,file={tmp_path}/copy.jfr", tmp_path).startswith("ok\n")
    assert command(idle, "stop", tmp_path).startswith("ok\n")
    assert pipe.is_fifo()
    assert agents.samples(recording, agents.WALL)


def methods_of(path):
    lines = [line.split(" ", 2) for line in path.read_text(encoding="utf-8").splitlines()]
    return {int(start, 16): (int(size, 16), name) for start, size, name in lines}


def test_perfmap_names_the_code_as_the_jvm_does(charcloth, idle, tmp_path):
    path = tmp_path / "own.map"
    answer = command(idle, f"perfmap,file={path}", tmp_path)
    own = methods_of(path)
    assert answer == f"ok\npieces of code: {len(own)}\n"
    assert any(name == "java.lang.String.hashCode" for _, name in own.values())
    assert "Interpreter" in {name for _, name in own.values()}
    starts = sorted(own)
    assert all(a + own[a][0] <= b for a, b in zip(starts, starts[1:]))
    if idle.version < 17:
        return
    theirs = pathlib.Path(charcloth("perfmap", idle.pid, check=0).stdout.rstrip("\n"))
    try:
        compared = 0
        for start, (size, name) in methods_of(theirs).items():
            # Other methods may have been compiled there meanwhile: only what has the same size is compared.
            if start in own and own[start][0] == size:
                method = re.match(r"\S+ (\S+\.[^ (]+)\(", name)
                assert own[start][1] == (method[1] if method else name)
                compared += bool(method)
    finally:
        theirs.unlink()
    assert compared > 20


@pytest.mark.parametrize("agent", ["start,event=cpu", "start,event=cpu,wall=10ms"])
def test_too_much_overhead_lengthens_the_interval_and_keeps_the_sum(agent, tmp_path):
    recorded = metrics.record(tmp_path, 17, main=("Gauges", "5"), agent=agent + ",maxoverhead=0.0001")
    intervals = [metrics.seconds(row["interval"]) for row in recorded.events["charcloth.SamplerStats"]]
    assert intervals[0] == 0.01
    assert intervals == sorted(intervals)
    assert intervals[-1] in (0.02, 0.04, 0.08, 0.16)
    samples = metrics.events_of(recorded.path, ["jdk.ExecutionSample"])["jdk.ExecutionSample"]
    main = [row["samples"] for row in samples if row["sampledThread"]["javaName"] == "main"]
    assert max(main) >= 2
    assert sum(main) * 0.01 == pytest.approx(recorded.truth["spun"] / 1e9, rel=0.1)


def test_where_signals_cost_too_much_a_recording_begins_slower(tmp_path):
    agent = "start,event=cpu,interval=1ms,maxoverhead=0.1"
    said = r"\[charcloth\] a signal costs \d+ µs on this machine: .* every \d+ ms, not 1; .*\n"
    recorded = metrics.record(tmp_path, 17, main=("Gauges", "3"), agent=agent, said=said)
    intervals = [metrics.seconds(row["interval"]) for row in recorded.events["charcloth.SamplerStats"]]
    assert 0.01 < intervals[0] <= 0.064  # the sample alone is taken for 10 of 1,000 µs
    samples = metrics.events_of(recorded.path, ["jdk.ExecutionSample"])["jdk.ExecutionSample"]
    main = [row["samples"] for row in samples if row["sampledThread"]["javaName"] == "main"]
    assert sum(main) * 0.001 == pytest.approx(recorded.truth["spun"] / 1e9, rel=0.1)


def test_a_cheap_recording_keeps_its_interval(tmp_path):
    recorded = metrics.record(tmp_path, 17, main=("Gauges", "5"), agent="start,event=cpu,maxoverhead=50")
    intervals = {metrics.seconds(row["interval"]) for row in recorded.events["charcloth.SamplerStats"]}
    assert intervals == {0.01}
