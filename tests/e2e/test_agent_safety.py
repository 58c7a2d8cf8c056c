"""What the agent must not do to its host: end it, slow it down for good, grow in it, or lose what was recorded."""

import collections
import contextlib
import ctypes
import os
import pathlib
import re
import shutil
import signal
import subprocess

import agents
import jdks
import jvms
import pytest

EVERY_JDK = jdks.VERSIONS
ROOT = os.geteuid() == 0
EVERYTHING = "event=cpu,interval=1ms,wall=5ms,alloc=64k,live,lock=10us,maxoverhead=100,jstackdepth=200"


@pytest.fixture(scope="module", autouse=True)
def _tidy():
    yield
    jvms.forget()


def steps(recording):
    """The steps of java/Steps.java that a recording holds."""
    names = {sample.thread for sample in agents.samples(recording)}
    return sorted(int(name[5:]) for name in names if name.startswith("step-"))


# -- the end of the process


@pytest.mark.parametrize("version", EVERY_JDK)
@pytest.mark.parametrize("killed_after", [3, 40, 90])
def test_a_kill_leaves_a_whole_recording(tmp_path, charcloth, jfr_summary, version, killed_after):
    options = "event=cpu,interval=1ms,maxoverhead=100"
    with agents.started(tmp_path, version, "Steps", 10_000, 40, options=options) as host:
        while host.line() != f"step\t{killed_after}":
            pass
        host.process.send_signal(signal.SIGKILL)
        host.finish()
    found = steps(host.recording)
    counts = [jfr_summary(host.recording, reader).get(agents.CPU, 0) for reader in (17, 25)]
    assert counts == [len(agents.samples(host.recording))] * 2
    text = charcloth("convert", host.recording, "-f", "collapsed", "-o", "-")
    if killed_after > 60:  # 40 ms of CPU each: more than one flush has been since
        assert text.returncode == 0, text.stderr
        assert found
    # nothing is missing but the tail
    assert found == list(range(len(found)))
    assert len(found) <= killed_after + 2


@pytest.mark.parametrize("version", [11, 25])
def test_an_exit_in_the_middle_loses_nothing(tmp_path, version):
    host = agents.run(tmp_path, version, "Steps", 20, 10, options="event=cpu,interval=1ms,maxoverhead=100")
    assert steps(host.recording) == list(range(20))


# -- files and disks


def test_a_place_that_cannot_be_written_is_told(tmp_path):
    host = agents.run(tmp_path, 17, "Steps", 2, 1, options=f"event=cpu,file={tmp_path}/not/there/x.jfr")
    assert re.search(r"\[charcloth\] error: .*/not/there/x\.jfr.*No such file or directory", host.err)
    assert host.said("step") == [["0"], ["1"]]


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 300 KB."""
    if not ROOT:
        pytest.skip("only root can mount a small file system")
    place = tmp_path / "small"
    place.mkdir()
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(b"none", os.fsencode(place), b"tmpfs", 0, b"size=300k") != 0:
        pytest.skip(f"mounting is not permitted here: {os.strerror(ctypes.get_errno())}")
    yield place
    libc.umount2(os.fsencode(place), 2)


@pytest.mark.parametrize("version", [17, 25])
def test_a_full_disk_ends_the_recording_only(tmp_path, charcloth, small_disk, version):
    (small_disk / "ballast").write_bytes(bytes(180 << 10))
    recording = small_disk / "x.jfr"
    options = f"{EVERYTHING},file={recording}"
    with agents.started(tmp_path, version, "Steps", 10_000, 20, options=options) as host:
        said = ""
        while "the recording has ended" not in said:
            host.line()
            assert host.process.poll() is None
            said = charcloth("status", host.pid, check=0).stdout
        assert "No space left on device" in said
        # the program goes on
        for _ in range(5):
            assert host.line().startswith("step\t")
        stopped = charcloth("stop", host.pid)
        assert stopped.returncode == 1
        assert "No space left on device" in stopped.stderr
        # what was whole stays whole, and a new recording can begin elsewhere
        assert steps(recording) == list(range(len(steps(recording))))
        charcloth("start", host.pid, "-f", tmp_path / "next.jfr", check=0)
        while "samples cpu: " not in charcloth("status", host.pid, check=0).stdout:
            pass
        charcloth("stop", host.pid, check=0)
    assert steps(tmp_path / "next.jfr")


@pytest.mark.parametrize("version", [11, 25])
def test_a_full_disk_does_not_change_how_the_program_ends(tmp_path, small_disk, version):
    (small_disk / "ballast").write_bytes(bytes(250 << 10))
    host = agents.run(tmp_path, version, "Steps", 60, 30, options=f"{EVERYTHING},file={small_disk}/x.jfr")
    assert host.said("step")[-1] == ["59"]


def test_a_copy_that_has_no_room_is_not_left_behind(tmp_path, charcloth, small_disk):
    jcmd = jdks.java_home(17) / "bin" / "jcmd"
    (small_disk / "ballast").write_bytes(bytes(290 << 10))
    copy = small_disk / "copy.jfr"
    with agents.started(tmp_path, 17, "Steps", 10_000, 20, options=EVERYTHING) as host:
        while not host.recording.exists() or host.recording.stat().st_size < 40 << 10:
            host.line()
        jdks.run([jcmd, host.pid, "JVMTI.agent_load", agents.library(), f'"dump,file={copy},log={tmp_path}/log"'])
        said = (tmp_path / "log").read_text(encoding="utf-8")
        assert said == f"error: write '{copy}': No space left on device\n"
        assert not copy.exists()
        charcloth("dump", host.pid, "-o", tmp_path / "copy.jfr", check=0)
        charcloth("stop", host.pid, check=0)
    assert steps(tmp_path / "copy.jfr")
    assert len(steps(host.recording)) >= len(steps(tmp_path / "copy.jfr"))


# -- nonsense


NONSENSE = {
    "event=nonsense": "nonsense",
    "event=cpu,interval=10parsecs": "'10parsecs' is no time: give a number with ns, us, ms, s, m, h or d",
    "alloc=2elephants": "'2elephants' is no size: give a number with k, m or g",
    "sauce=hot": "there is no option 'sauce'; the options are: event interval cpu wall alloc",
    "jstackdepth=-3": "jstackdepth=-3 is no positive number",
    "maxoverhead=lots": "maxoverhead=lots is no percentage above 0",
    "jstackdepth=99999999": "jstackdepth goes up to 16384",
    "file=%{UNCLOSED": "is too long or has an unknown %",
    "event=": "event= wants a name",
    "x" * 5000: "the options are too long",
}


@pytest.mark.parametrize("options", NONSENSE, ids=lambda text: text[:20])
def test_nonsense_is_told_and_the_program_runs(tmp_path, options):
    host = agents.run(tmp_path, 17, "Steps", 2, 1, options=options)
    assert NONSENSE[options] in host.err
    assert host.err.startswith("[charcloth] error: ")
    assert host.said("step") == [["0"], ["1"]]


def test_a_start_that_fails_closes_no_descriptor_of_the_program(tmp_path):
    with agents.started(tmp_path, 17, "Steps", 10_000, 20, options="event=cpu,file=%q.jfr") as host:
        host.line()
        assert os.readlink(f"/proc/{host.pid}/fd/0").startswith("pipe:")


def test_files_that_follow_each_other_end_when_the_time_is_over(tmp_path, charcloth):
    options = f"event=cpu,loop=1s,duration=2500ms,file={tmp_path}/part-%n.jfr"
    with agents.started(tmp_path, 17, "Steps", 100_000, 20, options=options) as host:
        host.line()  # it runs: before that it is no JVM yet
        while "its time was over" not in charcloth("status", host.pid, check=0).stdout:
            host.line()
    assert 2 <= len(list(tmp_path.glob("part-*.jfr"))) <= 3


def each(folder, ask):
    """What is said of each file of a folder in /proc that is not gone meanwhile."""
    for path in pathlib.Path(folder).iterdir():
        with contextlib.suppress(OSError):
            yield ask(path)


def own_threads(pid):
    names = each(f"/proc/{pid}/task", lambda task: (task / "comm").read_text())
    return [name for name in names if name.startswith("charcloth")]


def open_files(pid):
    return set(each(f"/proc/{pid}/fd", os.readlink))


@pytest.mark.parametrize("version", [11, 25])
def test_a_recording_whose_time_is_over_holds_nothing(tmp_path, charcloth, version):
    """Nobody need come to stop it: what it had is given back, but for what it is asked about."""
    with agents.started(tmp_path, version, "Steps", 100_000, 20, options=f"{EVERYTHING},timeout=1s") as host:
        host.line()
        while "its time was over" not in charcloth("status", host.pid, check=0).stdout:
            host.line()
        assert not {str(host.recording), "anon_inode:[perf_event]"} & open_files(host.pid)
        while own_threads(host.pid):
            host.line()
        said = charcloth("status", host.pid, check=0).stdout
        assert f"recording to: {host.recording}\n" in said
        assert f"written: {host.recording.stat().st_size} bytes\n" in said
        charcloth("dump", host.pid, "-o", tmp_path / "copy.jfr", check=0)
        charcloth("stop", host.pid, check=0)
        assert "nothing is being recorded" in charcloth("status", host.pid, check=0).stdout
    assert steps(host.recording) == steps(tmp_path / "copy.jfr") != []


def test_two_recordings_do_not_share_a_file(tmp_path):
    """As where JAVA_TOOL_OPTIONS has the agent, and a JVM starts another one."""
    with agents.started(tmp_path, 17, "Steps", 100_000, 20, options="event=cpu") as host:
        host.line()
        second = agents.run(tmp_path, 17, "Steps", 2, 1, options="event=cpu")
        assert "another recording is being written to" in second.err
        assert "%p in its name" in second.err
        assert second.said("step") == [["0"], ["1"]]
        host.process.send_signal(signal.SIGTERM)
        host.finish()
    assert agents.samples(host.recording)


def test_a_recording_that_is_cut_by_another_ends(tmp_path, charcloth):
    with agents.started(tmp_path, 17, "Steps", 100_000, 20, options="event=cpu") as host:
        while not host.recording.exists() or host.recording.stat().st_size < 10 << 10:
            host.line()
        os.truncate(host.recording, 0)
        while "was cut by another" not in charcloth("status", host.pid, check=0).stdout:
            host.line()


def test_no_command_writes_over_the_recording(tmp_path):
    """A copy replaces what a link leads to; a log or a map of code in the place of the recording is not written."""
    jcmd = jdks.java(17).with_name("jcmd")
    (tmp_path / "copy.jfr").write_bytes(b"old")
    (tmp_path / "link.jfr").symlink_to("copy.jfr")
    with agents.started(tmp_path, 17, "Steps", 100_000, 20, options="event=cpu") as host:
        while not host.recording.exists() or host.recording.stat().st_size < 20 << 10:
            host.line()
        for command in (
            f"dump,file={tmp_path}/link.jfr",
            f"status,log={host.recording}",
            f"perfmap,file={host.recording}",
        ):
            jdks.run([jcmd, host.pid, "JVMTI.agent_load", agents.library(), f'"{command}"'])
        host.process.send_signal(signal.SIGTERM)
        host.finish()
    assert (tmp_path / "link.jfr").is_symlink()
    assert agents.samples(tmp_path / "copy.jfr")
    assert agents.samples(host.recording)
    assert not list(tmp_path.glob("*.part"))


def test_an_unknown_event_lists_the_right_ones(tmp_path):
    host = agents.run(tmp_path, 17, "Steps", 2, 1, options="event=cpv")
    assert "cpv" in host.err
    for event in ("cpu", "wall", "alloc", "live", "lock", "itimer", "page-faults"):
        assert event in host.err


@pytest.mark.parametrize("version", EVERY_JDK)
@pytest.mark.parametrize("options", ["", "=", "=,,,", "=stop", "=status", "=dump", "=nothing-at-all", "=start=start"])
def test_the_agent_alone_is_harmless(tmp_path, version, options):
    host = agents.run(tmp_path, version, "Steps", 2, 1, options=None, jvm=[f"-agentpath:{agents.library()}{options}"])
    assert host.said("step") == [["0"], ["1"]]
    assert not list(tmp_path.glob("*.jfr"))


# -- everything at once


@pytest.mark.parametrize("version", EVERY_JDK)
def test_a_program_under_stress_survives_all_events(tmp_path, version):
    host = agents.run(tmp_path, version, "Stress", 8000, options=EVERYTHING)
    assert host.number("wrong") == 0
    assert {name for name, _ in host.said("turns")} == {
        "classes", "deopt", "deep", "exceptions", "garbage", "threads", "locks-1", "locks-2"
    }  # fmt: skip
    assert all(int(turns) > 0 for _, turns in host.said("turns"))
    assert host.err == ""
    counts = collections.Counter(event.type for event in agents.jfr.events(host.recording))
    for kind in (agents.CPU, agents.WALL, agents.ALLOC, agents.LIVE, "jdk.ThreadPark"):
        assert counts[kind] > 0, counts
    samples = agents.samples(host.recording)
    assert all(sample.frames and sample.thread for sample in samples)
    assert agents.share([s for s in samples if any("unknown" in n for n in s.names)], samples) < 0.02
    stats = agents.last_stats(host.recording)
    assert stats["droppedBusy"] + stats["droppedUnnamed"] == 0
    assert stats["droppedFull"] < 0.01 * stats["taken"]


@pytest.mark.parametrize("version", [21, 25])
def test_virtual_threads_survive_all_events(tmp_path, version):
    host = agents.run(tmp_path, version, "Virtual", 200, 20, options=EVERYTHING)
    assert host.number("done") == 200
    assert host.err == ""
    for kind in (agents.CPU, agents.WALL):
        assert [sample for sample in agents.samples(host.recording, kind) if sample.has("Virtual.spin")]


@pytest.mark.parametrize("version", [17, 25])
def test_the_wall_clock_goes_on_beside_the_cpu_clock(tmp_path, version):
    """Both use one signal, of which one is pending at a time: whose was lost is asked all the same."""
    options = "event=cpu,interval=1ms,wall=10ms,maxoverhead=100"
    host = agents.run(tmp_path, version, "Stress", 4000, options=options)
    found = agents.samples(host.recording, agents.WALL)
    lasted = (max(s.time for s in found) - min(s.time for s in found)) / 10_000_000
    for name in ("deopt", "deep", "exceptions", "garbage"):
        assert sum(s.count for s in found if s.thread == name) > 0.7 * lasted, name


@pytest.mark.parametrize("version", [17, 25])
def test_the_agent_under_asan_reports_nothing(tmp_path, version):
    library = agents.ROOT / "build/asan/src/libcharcloth.so"
    if not library.exists():
        pytest.fail(f"{library} is not built: run ./dev build --asan")
    asan = subprocess.run(["gcc", "-print-file-name=libasan.so"], capture_output=True, text=True, check=True)
    ubsan = subprocess.run(["gcc", "-print-file-name=libubsan.so"], capture_output=True, text=True, check=True)
    env = {
        "LD_PRELOAD": f"{asan.stdout.strip()}:{ubsan.stdout.strip()}",
        "ASAN_OPTIONS": "handle_segv=0:handle_sigbus=0:allow_user_segv_handler=1:detect_leaks=0:abort_on_error=0",
    }
    jvm = [f"-agentpath:{library}=start,{EVERYTHING},file={tmp_path}/x.jfr"]
    host = agents.run(tmp_path, version, "Stress", 6000, options=None, jvm=jvm, env=env)
    assert host.number("wrong") == 0
    assert "Sanitizer" not in host.err and "runtime error" not in host.err, host.err[:4000]
    assert len(agents.samples(tmp_path / "x.jfr")) > 100


@pytest.mark.parametrize("version", [11, 25])
def test_the_checks_of_jni_have_nothing_to_say_but_about_handlers(tmp_path, version):
    host = agents.run(tmp_path, version, "Stress", 1500, options=EVERYTHING, jvm=["-Xcheck:jni"])
    assert "without checking exceptions" not in host.out + host.err


# -- a host that is short of something


@pytest.mark.parametrize("version", [17, 25])
def test_few_file_descriptors_are_left_to_the_program(tmp_path, version):
    """A clock of perf takes one for each thread; who cannot have one is asked by a timer and counts as much."""
    recording = tmp_path / "x.jfr"
    words = agents.command(version, "Stress", [2000], "event=cpu,interval=1ms,maxoverhead=100", recording, [])
    limited = ["sh", "-c", 'ulimit -n 24 && exec "$@"', "sh", *words]
    done = subprocess.run(limited, capture_output=True, text=True, check=False, timeout=agents.TIMEOUT_S)
    assert (done.returncode, done.stderr) == (0, "")
    assert "wrong\t0" in done.stdout.splitlines()
    found = agents.samples(recording)
    # what is written of a thread at its end only would mean that nobody asked it
    asked = {sample.thread for sample in found if sample.names != ["[end of thread]"]}
    assert asked >= {"deopt", "deep", "exceptions", "garbage", "locks-1", "locks-2"}
    assert sum(sample.count for sample in found) > 1900


@pytest.mark.parametrize("version", [17, 25])
def test_few_pending_signals_lose_no_thread(tmp_path, version):
    """Each timer takes one of them; who cannot have a timer is asked by perf's clock, or by one timer for all."""
    recording = tmp_path / "x.jfr"
    words = agents.command(version, "Stress", [3000], "event=cpu,maxoverhead=100", recording, [])
    limited = ["prlimit", "--sigpending=4", *words]
    done = subprocess.run(limited, capture_output=True, text=True, check=False, timeout=agents.TIMEOUT_S)
    assert done.returncode == 0, done.stderr
    asked = {sample.thread for sample in agents.samples(recording) if sample.names != ["[end of thread]"]}
    assert asked >= {"deopt", "deep", "exceptions", "garbage"}


# -- again and again


def resident_kb(pid):
    text = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"^VmRSS:\s+(\d+)", text, re.MULTILINE)[1])


def threads_and_descriptors(pid):
    tasks = [(task / "comm").read_text().strip() for task in pathlib.Path(f"/proc/{pid}/task").iterdir()]
    ours = [name for name in tasks if name.startswith("charcloth")]
    return ours, len(list(pathlib.Path(f"/proc/{pid}/fd").iterdir()))


AGAIN = ["-e", "cpu,wall,alloc,live,lock"]


@pytest.mark.parametrize(
    "version", [pytest.param(v, marks=[] if v in (17, 25) else [pytest.mark.full]) for v in EVERY_JDK]
)
def test_a_hundred_recordings_leave_nothing_behind(tmp_path, charcloth, version):
    with jvms.running(version, "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1") as jvm:
        for turn in range(100):
            charcloth("start", jvm.pid, *AGAIN, "-f", tmp_path / "x.jfr", check=0)
            charcloth("stop", jvm.pid, check=0)
            if turn == 19:  # what is taken once and kept is there by now
                resident, (_, descriptors) = resident_kb(jvm.pid), threads_and_descriptors(jvm.pid)
        threads, descriptors_now = threads_and_descriptors(jvm.pid)
        assert threads == []
        assert descriptors_now <= descriptors
        assert resident_kb(jvm.pid) - resident < 3 << 10
        assert agents.jfr.chunks(tmp_path / "x.jfr")
        assert jvm.left_behind() == []
        assert jvm.alive()


def test_a_second_start_is_refused_and_the_first_goes_on(tmp_path, charcloth):
    with jvms.running(17) as jvm:
        charcloth("start", jvm.pid, "-e", "wall", "-f", tmp_path / "first.jfr", check=0)
        done = charcloth("start", jvm.pid, "-f", tmp_path / "second.jfr", check=1)
        assert "a recording runs already: stop it first" in done.stderr
        assert not (tmp_path / "second.jfr").exists()
        assert str(tmp_path / "first.jfr") in charcloth("status", jvm.pid, check=0).stdout
        charcloth("stop", jvm.pid, check=0)
        assert agents.samples(tmp_path / "first.jfr", agents.WALL)


# -- two profilers in one JVM


@pytest.mark.parametrize("version", EVERY_JDK)
def test_a_second_agent_of_our_own_stays_out(tmp_path, version):
    copy = tmp_path / "libanother.so"
    shutil.copy(agents.library(), copy)
    options = "event=cpu,interval=1ms,maxoverhead=100"
    jvm = [f"-agentpath:{copy}=start,{options},file={tmp_path}/second.jfr"]
    host = agents.run(tmp_path, version, "Steps", 40, 10, options=options, jvm=jvm)
    assert host.err.count("another profiler holds SIGPROF in this JVM: stop it first") == 1
    first, second = host.recording, tmp_path / "second.jfr"
    # whichever the VM called first records, and all of it
    recorded = first if first.exists() and agents.samples(first) else second
    assert len(steps(recorded)) >= 38


@pytest.mark.parametrize("version", EVERY_JDK)
def test_we_stay_out_where_async_profiler_is(tmp_path, version):
    theirs = [f"-agentpath:{jdks.async_profiler()}=start,event=cpu,interval=1ms,jfr,file={tmp_path}/theirs.jfr"]
    host = agents.run(tmp_path, version, "Steps", 40, 10, options="event=cpu,interval=1ms", jvm=theirs)
    assert host.said("step")[-1] == ["39"]
    assert "another profiler holds SIGPROF in this JVM: stop it first" in host.err
    assert (tmp_path / "theirs.jfr").stat().st_size > 0


def test_async_profiler_after_us_does_no_harm(tmp_path):
    """It takes SIGPROF without asking; the program goes on, and our file stays whole."""
    options = "event=cpu,interval=1ms,maxoverhead=100"
    with agents.started(tmp_path, 17, "Steps", 200, 10, options=options) as host:
        for _ in range(20):
            host.line()
        library = jdks.async_profiler()
        words = [jdks.java_home(17) / "bin" / "jcmd", host.pid, "JVMTI.agent_load", library]
        jdks.run([*words, f'"start,event=cpu,jfr,file={tmp_path}/theirs.jfr"'])
        host.finish()
    assert host.code == 0
    assert host.said("step")[-1] == ["199"]
    assert steps(host.recording)[:15] == list(range(15))
