"""Flight recordings of real JVMs: counts and weights against the JDK's own tool and async-profiler's converter."""

from __future__ import annotations

import re

import pytest
import recordings as makers

# Events that are read without being asked for by type, and whose rows stand for one sample each.
SINGLE = {
    "jdk.ExecutionSample",
    "jdk.NativeMethodSample",
    "jdk.CPUTimeSample",
    "jdk.ObjectAllocationSample",
    "jdk.ObjectAllocationInNewTLAB",
    "jdk.ObjectAllocationOutsideTLAB",
    "jdk.JavaMonitorEnter",
    "jdk.ThreadPark",
    "jdk.SocketRead",
    "jdk.SocketWrite",
    "jdk.FileRead",
    "jdk.FileWrite",
    "jdk.JavaExceptionThrow",
    "jdk.OldObjectSample",
    "profiler.LiveObject",
    "profiler.Malloc",
}
STACKLESS = re.compile(r"^\[(no|lost) stack\]")
ALL = [(kind, version) for kind in makers.KINDS for version in makers.KINDS[kind][0]]
every_recording = pytest.mark.parametrize(("kind", "version"), ALL, ids=lambda value: str(value))


def collapsed(charcloth, path, event, *options):
    done = charcloth("convert", path, "--event", event, "--format", "collapsed", "-o", "-", *options)
    return done.stdout if done.returncode == 0 else ""


def total(text):
    return sum(int(line.rsplit(" ", 1)[1]) for line in text.splitlines())


def stackless(text):
    return total("\n".join(line for line in text.splitlines() if STACKLESS.match(line)))


def converted(peers, tmp_path, path, *options):
    out = tmp_path / "peer.collapsed"
    peers.jfrconv("-o", "collapsed", *options, path, out)
    return total(out.read_text())


@every_recording
def test_counts_are_those_of_the_jdk(charcloth, jfr_summary, recording, kind, version):
    path = recording(kind, version).path
    counted = {name: n for name, n in jfr_summary(path).items() if n and name in SINGLE}
    assert {name: total(collapsed(charcloth, path, name)) for name in counted} == counted


@pytest.mark.parametrize("kind", ["async-all", "async-wall", "async-live", "async-jfrsync"])
def test_counts_and_bytes_are_those_of_async_profiler(charcloth, peers, recording, tmp_path, kind):
    path = recording(kind, 17).path
    for event, option in (("alloc", "--alloc"), ("lock", "--lock"), ("live", "--live"), ("malloc", "--nativemem")):
        if event == "live" and kind == "async-jfrsync":
            continue  # the JDK's own samples of old objects, which the converter does not read
        for weigh in ([], ["--total"]):
            ours = collapsed(charcloth, path, event, *weigh)
            theirs = converted(peers, tmp_path, path, option, *weigh)
            # It leaves out samples without a stack, and cuts the nanoseconds of each stack.
            assert total(ours) - stackless(ours) - 1 <= theirs * (1 + 1e-6) <= total(ours) * (1 + 2e-6) + 1


@pytest.mark.parametrize(
    ("kind", "event", "option"),
    [
        ("async-cpu", "cpu", "--cpu"),
        ("async-all", "cpu", "--cpu"),
        ("async-all", "wall", "--wall"),
        ("async-wall", "wall", "--wall"),
    ],
)
def test_samples_in_time_are_counted(charcloth, peers, recording, tmp_path, kind, event, option):
    path = recording(kind, 17).path
    for weigh in ([], ["--total"]):
        ours = total(collapsed(charcloth, path, event, *weigh))
        assert ours == converted(peers, tmp_path, path, option, *weigh)


@pytest.mark.parametrize("version", [11, 17, 21, 25])
def test_the_jdks_samples_are_all_there(charcloth, peers, recording, tmp_path, version):
    path = recording("jfr-profile", version).path
    events = ("jdk.ExecutionSample", "jdk.NativeMethodSample", "jdk.CPUTimeSample")
    assert sum(total(collapsed(charcloth, path, event)) for event in events) == converted(peers, tmp_path, path)


@pytest.mark.parametrize(("kind", "version"), [("async-all", 17), ("jfr-all", 25), ("jfr-all", 11)])
def test_a_recording_written_by_us_is_the_same(charcloth, jfr_summary, recording, tmp_path, kind, version):
    path = recording(kind, version).path
    again = tmp_path / "again.jfr"
    charcloth("convert", path, "-o", again, check=0)
    counted = {name: n for name, n in jfr_summary(path).items() if n and name in SINGLE}
    for jdk in (17, 25):
        summary = jfr_summary(again, jdk=jdk)
        assert {name: summary.get(name) for name in counted} == counted
    for name in counted:
        for weigh in ([], ["--total"], ["--threads"]):
            assert sorted(collapsed(charcloth, again, name, *weigh).splitlines()) == sorted(
                collapsed(charcloth, path, name, *weigh).splitlines()
            )


def test_each_file_shows_its_best_measure_of_the_cpu(charcloth, recording, tmp_path):
    """CPU time samples of one recording do not silence the execution samples of another."""
    for version in (17, 25):
        (tmp_path / f"{version}.jfr").symlink_to(recording("jfr-profile", version).path)
    both = [tmp_path / f"{version}.jfr" for version in (17, 25)]
    alone = [total(collapsed(charcloth, path, "cpu")) for path in both]
    done = charcloth("convert", *both, "--format", "collapsed", "-o", "-", check=0)
    assert total(done.stdout) == sum(alone)


def test_unlike_events_are_not_compared(charcloth, recording):
    sides = [recording(kind, 17).path for kind in ("async-cpu", "async-wall")]
    done = charcloth("diff", *sides, check=1)
    assert "the first input has cpu samples, the second wall" in done.stderr


def test_spans_are_labels(charcloth, recording):
    path = recording("async-all", 17).path
    text = collapsed(charcloth, path, "wall", "--by", "span")
    assert any(line.startswith("span=request-") for line in text.splitlines())
    assert total(text) == total(collapsed(charcloth, path, "wall"))


def test_one_core_reads_the_same_as_two(charcloth, recording):
    path = recording("jfr-chunks", 17).path
    outputs = {collapsed(charcloth, path, "alloc", "--total", "--cores", cores) for cores in ("1", "2")}
    assert len(outputs) == 1


def test_a_cut_recording_is_read_as_far_as_it_goes(charcloth, recording, tmp_path):
    data = recording("jfr-chunks", 17).path.read_bytes()
    cut = tmp_path / "cut.jfr"
    for part in range(1, 12):
        cut.write_bytes(data[: len(data) * part // 12])
        done = charcloth("convert", cut, "--event", "alloc", "--format", "collapsed", "-o", "-")
        assert done.returncode in (1, 3)
        assert done.stderr.strip()
    assert done.returncode == 3
