"""What the agent records: stacks, names, threads, weights, files. Programs of java/ print their own truth."""

import collections
import dataclasses
import json
import re
import signal

import agents
import jdks
import jvms
import pytest

EVERY_JDK = jdks.VERSIONS
MILLI = "event=cpu,interval=1ms,maxoverhead=100"


def folder_of(tmp_path_factory, name):
    return tmp_path_factory.mktemp(name)


def busiest(samples, n=5):
    return collections.Counter(tuple(sample.names[:4]) for sample in samples).most_common(n)


# -- the walker against the VM's own


def oracle_counts(path):
    return {key: int(value) for key, value in (line.split() for line in path.read_text().splitlines())}


@pytest.mark.parametrize("version", EVERY_JDK)
def test_the_walker_sees_what_asyncgetcalltrace_sees(tmp_path, version):
    oracle = agents.ROOT / "build/release/tests/liboracle.so"
    out = tmp_path / "counts"
    host = agents.run(tmp_path, version, "Stress", 6000, options=None, jvm=[f"-agentpath:{oracle}={out}"])
    assert host.number("wrong") == 0
    counts = oracle_counts(out)
    assert counts["both"] > 200
    assert counts["same_callers"] >= 0.99 * counts["both"], counts
    assert counts["only_theirs"] <= 0.01 * counts["samples"], counts


@pytest.mark.parametrize("version", [17, 25])
def test_without_the_walker_the_vm_is_asked(tmp_path, charcloth, version):
    env = {"CHARCLOTH_WALKER": "asgct"}
    with agents.started(tmp_path, version, "Steps", 1000, 20, options=MILLI, env=env) as host:
        for _ in range(10):
            host.line()
        said = charcloth("status", host.pid, check=0).stdout
        charcloth("stop", host.pid, check=0)
    assert "AsyncGetCallTrace, because CHARCLOTH_WALKER=asgct" in said
    main = [sample for sample in agents.samples(host.recording) if sample.thread.startswith("step-")]
    named = [sample for sample in main if sample.has("Steps.main")]
    assert len(main) > 50
    assert agents.share(named, main) > 0.8, busiest(main)


# -- kinds of calls and frames


@dataclasses.dataclass
class Shapes:
    version: int
    host: agents.Host
    samples: list[agents.Sample]

    @property
    def main(self):
        return [sample for sample in self.samples if sample.thread == "main"]

    def part(self, name):
        """The samples of the main thread while that part ran."""
        begin, end = next((int(row[1]), int(row[2])) for row in self.host.said("part") if row[0] == name)
        return [sample for sample in self.main if begin <= sample.time <= end]


@pytest.fixture(scope="module", params=EVERY_JDK)
def shapes(request, tmp_path_factory):
    host = agents.run(folder_of(tmp_path_factory, "shapes"), request.param, "Shapes", 250, options=MILLI)
    return Shapes(request.param, host, agents.samples(host.recording))


PARTS = ("vtable", "itable", "arraycopy", "intrinsics", "natives", "exceptions", "line")


@pytest.mark.parametrize("part", PARTS)
def test_the_caller_is_right(shapes, part):
    found = shapes.part(part)
    right = [sample for sample in found if sample.has(f"Shapes.{part}") and sample.names[-1] == "Shapes.main"]
    assert len(found) > 50
    assert agents.share(right, found) > 0.8, busiest(found)


def test_next_to_nothing_is_unknown(shapes):
    unknown = [sample for sample in shapes.samples if any("unknown" in name for name in sample.names)]
    assert agents.share(unknown, shapes.samples) < 0.005, busiest(unknown)


def test_every_sample_has_a_stack_and_a_thread(shapes):
    assert all(sample.frames and sample.thread and sample.count > 0 for sample in shapes.samples)
    assert {sample.state for sample in shapes.samples} == {"STATE_RUNNABLE"}


def test_kinds_of_frames_are_told_apart(shapes):
    kinds = collections.Counter(frame.kind for sample in shapes.samples for frame in sample.frames)
    assert set(kinds) >= {"Interpreted", "C1 compiled", "JIT compiled", "Inlined", "Native", "C++"}, kinds


def test_the_line_is_right(shapes):
    wanted = shapes.host.number("line")
    found = [sample.frames[0] for sample in shapes.part("line") if sample.names[0] == "Shapes.line"]
    assert len(found) > 50
    assert sum(frame.line == wanted for frame in found) > 0.95 * len(found)


def test_lambdas_have_names(shapes):
    called = {frame.name for sample in shapes.part("itable") for frame in sample.frames}
    assert any(re.fullmatch(r"Shapes\$\$Lambda[^.]*\.applyAsInt", name) for name in called), called


def test_native_code_has_names(shapes):
    frames = [frame for sample in shapes.part("natives") for frame in sample.frames]
    assert any(f.name.startswith("Java_java_util_zip_Deflater_deflate") for f in frames)
    vm = {f.name for sample in shapes.part("exceptions") for f in sample.frames if f.kind == "C++"}
    assert "java_lang_Throwable::fill_in_stack_trace" in vm
    copies = collections.Counter(sample.names[0] for sample in shapes.part("arraycopy"))
    assert any("arraycopy" in name and name != "Shapes.arraycopy" for name in copies), copies


def test_all_readers_count_the_same(shapes, charcloth, jfr_summary):
    ours = collections.Counter(event.type for event in agents.jfr.events(shapes.host.recording))
    for version in (17, 25):
        theirs = {name: n for name, n in jfr_summary(shapes.host.recording, version).items() if n}
        theirs = {
            name: n for name, n in theirs.items() if name not in ("jdk.Metadata", "jdk.CheckPoint", "jdk.Checkpoint")
        }
        assert theirs == dict(ours)
    text = charcloth("convert", shapes.host.recording, "-f", "collapsed", "-o", "-", check=0).stdout
    weights = sum(int(line.rpartition(" ")[2]) for line in text.splitlines())
    assert weights == sum(sample.count for sample in shapes.samples)


def test_the_jdk_prints_the_same_stacks(tmp_path_factory):
    host = agents.run(folder_of(tmp_path_factory, "print"), 17, "Steps", 10, 10, options=MILLI)
    ours = [(s.thread, s.names[0]) for s in agents.samples(host.recording)]
    for version in (17, 25):
        words = [jdks.jfr_tool(version), "print", "--json", "--stack-depth", 64, "--events", agents.CPU, host.recording]
        events = json.loads(jdks.run(words).stdout)["recording"]["events"]
        theirs = [
            (thread["javaName"] or thread["osName"], top["method"]["type"]["name"], top["method"]["name"])
            for thread, top in (
                (event["values"]["sampledThread"], event["values"]["stackTrace"]["frames"][0]) for event in events
            )
        ]
        dotted = [(thread, f"{owner.replace('/', '.')}.{name}".lstrip(".")) for thread, owner, name in theirs]
        assert sorted(dotted) == sorted(ours)


@pytest.mark.parametrize("reader", [17, 25])
def test_a_recording_can_be_read_while_it_is_written(tmp_path, reader):
    with agents.started(tmp_path, 17, "Steps", 10_000, 20, options=MILLI) as host:
        counts = []
        while len(counts) < 3 or counts[-1] == counts[0]:
            host.line()
            # The reader asks for the length of the file again at its end: it must not grow meanwhile.
            host.process.send_signal(signal.SIGSTOP)
            done = jdks.run([jdks.java(reader), "-cp", jvms.classes("Read"), "Read", host.recording])
            host.process.send_signal(signal.SIGCONT)
            rows = [line.split("\t") for line in done.stdout.splitlines()]
            assert ["bare", "0"] in rows
            counts.append(sum(int(row[2]) for row in rows if row[:2] == ["type", agents.CPU]))
        assert counts == sorted(counts)


# -- names of what does not last


@pytest.mark.parametrize("version", EVERY_JDK)
def test_classes_that_run_once_keep_their_names(tmp_path, version):
    host = agents.run(tmp_path, version, "OneShot", 600, 2000, options=MILLI)
    assert host.number("unloaded") > 200
    spans = [(int(begin) + 100_000, int(end) - 100_000, name) for name, begin, end in host.said("ran")]
    main = [sample for sample in agents.samples(host.recording) if sample.has("OneShot.main")]
    inside = right = 0
    for sample in main:
        name = next((name for begin, end, name in spans if begin <= sample.time <= end), None)
        if name:
            inside += 1
            right += {n.rpartition(".")[0] for n in sample.names if n.startswith("Generated")} == {name}
    assert inside > 300
    assert right >= 0.99 * inside


COLLECTORS = ("Serial", "Parallel", "G1", "Z", "Shenandoah")
WAYS = {
    **{name: ["-XX:+UnlockExperimentalVMOptions", f"-XX:+Use{name}GC"] for name in COLLECTORS},
    "plain-classes": ["-XX:-UseCompressedClassPointers"],
    "plain-oops": ["-XX:-UseCompressedOops"],
    "compact-headers": ["-XX:+UnlockExperimentalVMOptions", "-XX:+UseCompactObjectHeaders"],
    "interpreter": ["-Xint"],
    "c1": ["-XX:TieredStopAtLevel=1"],
    "no-perfdata": ["-XX:-UsePerfData"],
}
# Which JDK sees which way in the ordinary run: each way on two at least, where it is there.
USUAL = {11: {"Serial", "Z", "plain-classes", "interpreter", "c1"}, 17: {"Parallel", "Z", "Shenandoah", "plain-oops"}}
USUAL[21] = {"Parallel", "Z", "Shenandoah", "plain-oops", "no-perfdata", "c1"}
USUAL[25] = {"Serial", "G1", "Z", "plain-classes", "compact-headers", "interpreter", "no-perfdata"}


def ways():
    for version in EVERY_JDK:
        for way in WAYS:
            if way != "compact-headers" or version >= 25:
                marks = [] if way in USUAL[version] else [pytest.mark.full]
                yield pytest.param(version, way, marks=marks, id=f"{version}-{way}")


def offers(version, jvm):
    """Whether that JDK starts with these flags."""
    try:
        jdks.run([jdks.java(version), *jvm, "-version"])
    except RuntimeError:
        return False
    return True


@pytest.mark.parametrize(("version", "way"), ways())
def test_threads_are_named_as_they_are_called_at_the_moment(tmp_path, version, way):
    """Threads that are renamed for each task, as those of Spark are, whatever the VM's objects look like."""
    if not offers(version, WAYS[way]):
        pytest.skip(f"JDK {version} has no {way}")
    host = agents.run(tmp_path, version, "Rename", 2, 2, options=MILLI, jvm=WAYS[way])
    assert not [line for line in host.err.splitlines() if "was deprecated" not in line]
    tasks = [
        (int(begin) + 100_000, int(end) - 100_000, method, name) for _, begin, end, method, name in host.said("task")
    ]
    samples = [sample for sample in agents.samples(host.recording) if sample.has("Rename.task")]
    working = [s for s in samples if any(s.has(f"Rename.{kind}") for kind in ("scan", "join", "sort", "write"))]
    named = [
        sample
        for sample in working
        if any(b <= sample.time <= e and sample.has(method) and name == sample.thread for b, e, method, name in tasks)
    ]
    edge = [s for s in working if not any(b <= s.time <= e and s.has(method) for b, e, method, _ in tasks)]
    assert len(working) > 100
    assert agents.share(edge, working) < 0.2
    assert agents.share(named, working) + agents.share(edge, working) > 0.98, collections.Counter(
        sample.thread for sample in working
    ).most_common(5)
    assert agents.share([s for s in samples if any("unknown" in n for n in s.names)], samples) < 0.01


# -- depth


@pytest.mark.parametrize("version", EVERY_JDK)
def test_deep_stacks_are_whole(tmp_path, version):
    host = agents.run(tmp_path, version, "Depths", 300, 2500, options=f"{MILLI},jstackdepth=3000")
    deep = [sample for sample in agents.samples(host.recording) if sample.has("Depths.leaf")]
    assert len(deep) > 100
    assert not any(sample.truncated for sample in deep)
    depths = collections.Counter(sum(n in ("Depths.even", "Depths.odd") for n in sample.names) for sample in deep)
    assert set(depths) == {2500}
    assert {sample.names[-1] for sample in deep} == {"java.lang.Thread.run"}


@pytest.mark.parametrize("version", EVERY_JDK)
def test_a_stack_deeper_than_asked_for_is_cut(tmp_path, version):
    host = agents.run(tmp_path, version, "Depths", 300, 300, options=f"{MILLI},jstackdepth=50")
    deep = [
        sample for sample in agents.samples(host.recording) if sample.thread == "deep" and sample.has("Depths.leaf")
    ]
    assert len(deep) > 100
    assert all(sample.truncated for sample in deep)
    assert {len(sample.frames) for sample in deep} == {50}


@pytest.mark.parametrize("version", [21, 25])
def test_virtual_threads_are_walked_to_their_carrier(tmp_path, version):
    host = agents.run(tmp_path, version, "Virtual", 40, 50, options=MILLI)
    assert host.number("done") == 40
    spinning = [sample for sample in agents.samples(host.recording) if sample.has("Virtual.spin")]
    assert len(spinning) > 200
    whole = [
        sample
        for sample in spinning
        if sample.has("jdk.internal.vm.Continuation.enterSpecial") and sample.names[-1].startswith("java.")
    ]
    assert agents.share(whole, spinning) > 0.95, busiest(spinning)


# -- weights


def engines():
    """Each way to ask for CPU time, on two JDKs in the ordinary run."""
    ways = {"event=cpu,interval=5ms": (17, 25), MILLI: (11, 25)}
    for options, usual in ways.items():
        for version in EVERY_JDK:
            yield pytest.param(version, options, marks=[] if version in usual else [pytest.mark.full])


@pytest.mark.parametrize(("version", "options"), engines())
def test_cpu_time_goes_to_who_uses_it(tmp_path, version, options):
    host = agents.run(tmp_path, version, "Thirds", "cpu", 500, options=options)
    threads = [sample for sample in agents.samples(host.recording) if sample.thread.startswith("third-")]
    for method in ("first", "second", "third"):
        assert agents.share([s for s in threads if s.has(f"Thirds.{method}")], threads) > 0.25
    everything = agents.samples(host.recording)
    assert agents.share([s for s in everything if s.has("Thirds.idle")], everything) < 0.05


@pytest.mark.parametrize("version", [11, 21])
def test_one_timer_for_all_sees_whoever_runs(tmp_path, version):
    """Which thread the kernel chooses is its own affair: shares are not promised."""
    host = agents.run(tmp_path, version, "Thirds", "cpu", 500, options="event=itimer,interval=5ms")
    samples = agents.samples(host.recording)
    for method in ("first", "second", "third"):
        assert [s for s in samples if s.has(f"Thirds.{method}")]
    assert agents.share([s for s in samples if s.has("Thirds.idle")], samples) < 0.05


@pytest.mark.parametrize("version", EVERY_JDK)
def test_wall_time_goes_to_all_alike(tmp_path, version):
    host = agents.run(tmp_path, version, "Thirds", "wall", 2500, options="event=wall,interval=10ms,maxoverhead=100")
    samples = agents.samples(host.recording, agents.WALL)
    assert all(sample.frames and sample.thread for sample in samples)
    threads = [sample for sample in samples if sample.thread.startswith("third-")]
    for method in ("first", "second", "third"):
        assert 0.28 < agents.share([s for s in threads if s.has(f"Thirds.{method}")], threads) < 0.39
    assert {sample.state for sample in threads} == {"STATE_RUNNABLE", "STATE_SLEEPING"}
    sleeper = [sample for sample in samples if sample.thread == "sleeper"]
    # it sleeps as long as each of the others lives
    assert 0.28 < agents.share(sleeper, [*threads, *sleeper]) * 4 / 3 < 0.39
    asleep = [sample for sample in sleeper if sample.state == "STATE_SLEEPING" and sample.has("Thirds.idle")]
    assert agents.share(asleep, sleeper) > 0.9, busiest(sleeper)


# -- files


@pytest.mark.parametrize(
    ("version", "option"), [(11, "chunksize=20k"), (17, "chunktime=1s"), (21, "memlimit=200k"), (25, "chunktime=1s")]
)
def test_chunks_lose_nothing(tmp_path, charcloth, jfr_summary, version, option):
    options = f"{MILLI},alloc=2m,jstackdepth=100,{option}"
    host = agents.run(tmp_path, version, "Stress", 6000, options=options)
    chunks = agents.jfr.chunks(host.recording)
    assert len(chunks) >= 3
    found = [s for kind in (agents.CPU, agents.ALLOC) for s in agents.samples(host.recording, kind)]
    assert all(sample.frames and sample.thread for sample in found)
    stats = agents.last_stats(host.recording)
    assert stats["taken"] == len(found)
    assert stats["droppedBusy"] == stats["droppedUnnamed"] == 0
    for reader in (17, 25):
        assert jfr_summary(host.recording, reader)[agents.CPU] == len(agents.samples(host.recording))
    text = charcloth("convert", host.recording, "-e", "cpu", "-f", "collapsed", "-o", "-", check=0).stdout
    weights = sum(int(line.rpartition(" ")[2]) for line in text.splitlines())
    assert weights == sum(sample.count for sample in agents.samples(host.recording))


@pytest.mark.parametrize("version", [17, 25])
def test_who_waits_is_known_in_every_chunk(tmp_path, version):
    """A thread that only sleeps is looked at once and then told again, also in chunks that begin meanwhile."""
    host = agents.run(tmp_path, version, "Thirds", "wall", 4000, options="event=wall,interval=10ms,chunktime=1s")
    assert len(agents.jfr.chunks(host.recording)) >= 3
    samples = agents.samples(host.recording, agents.WALL)
    assert all(sample.frames and sample.thread for sample in samples)
    asleep = [sample for sample in samples if sample.thread == "sleeper"]
    assert agents.share([sample for sample in asleep if sample.has("Thirds.idle")], asleep) > 0.9, busiest(asleep)


def test_a_loop_writes_one_file_after_the_other(tmp_path):
    host = agents.run(tmp_path, 17, "Steps", 60, 50, options=f"{MILLI},loop=1s,file={tmp_path}/loop-%n.jfr")
    files = sorted(tmp_path.glob("loop-*.jfr"), key=lambda path: int(path.stem.split("-")[1]))
    assert len(files) >= 2
    assert [path.name for path in files] == [f"loop-{i}.jfr" for i in range(len(files))]
    steps = [sample.thread for path in files for sample in agents.samples(path) if sample.thread.startswith("step-")]
    assert {f"step-{i}" for i in range(60)} == set(steps)
    numbers = [int(step.split("-")[1]) for step in steps]
    assert host.said("step")[-1] == ["59"]
    first_of = {path: min(int(s.thread[5:]) for s in agents.samples(path) if s.thread.startswith("step-"))
                for path in files}  # fmt: skip
    assert sorted(first_of.values()) == list(first_of.values())
    assert max(numbers) == 59


def test_names_of_files_are_filled_in(tmp_path):
    env = {"CHARCLOTH_TEST_ROLE": "driver"}
    pattern = f"{tmp_path}/%p-%t-%{{CHARCLOTH_TEST_ROLE}}-%{{CHARCLOTH_TEST_NOT_SET}}-100%%.jfr"
    host = agents.run(tmp_path, 17, "Steps", 5, 10, options=f"{MILLI},file={pattern}", env=env)
    (path,) = tmp_path.glob("*.jfr")
    assert re.fullmatch(rf"{host.pid}-\d{{8}}-\d{{6}}-driver--100%\.jfr", path.name)
    assert agents.samples(path)
