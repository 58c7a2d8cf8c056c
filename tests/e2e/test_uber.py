"""The jar as a substitute for Uber's JVM profiler: -javaagent with its arguments, its records, and our recording."""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import fcntl
import json
import os
import pathlib
import re
import signal
import subprocess

import agents
import jdks
import jvms
import pytest

EVERY_JDK = jdks.VERSIONS
FILES = "reporter=com.uber.profiling.reporters.FileOutputReporter"
CONSOLE_LINE = re.compile(r"^ConsoleOutputReporter - (\w+): (\{.*\})$")
SECONDS, STATUS = "1.5", "7"
COMMON = {"name", "host", "processUuid", "appId"}
CPU_AND_MEMORY = COMMON | {
    "epochMillis", "processCpuLoad", "systemCpuLoad", "processCpuTime", "gc", "memoryPools", "bufferPools",
    "heapMemoryTotalUsed", "heapMemoryCommitted", "heapMemoryMax",
    "nonHeapMemoryTotalUsed", "nonHeapMemoryCommitted", "nonHeapMemoryMax",
    "vmRSS", "vmHWM", "vmSize", "vmPeak",
}  # fmt: skip
STACKTRACE = COMMON | {"startEpoch", "endEpoch", "threadName", "threadState", "stacktrace", "count"}
PROCESS_INFO = COMMON | {
    "epochMillis", "agentVersion", "appJar", "appClass", "jvmInputArguments", "jvmClassPath", "cmdline",
}  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def no_classes_left():
    yield
    jvms.forget()


@pytest.fixture(scope="session")
def jar():
    path = pathlib.Path(os.environ.get("CHARCLOTH_JAR") or agents.ROOT / "build/charcloth-spark.jar")
    if not path.exists():
        pytest.fail(f"{path} is not built: run ./dev build")
    return path


@dataclasses.dataclass(frozen=True)
class Ended:
    """A JVM that ran Spin with the jar."""

    out: str
    err: str
    code: int
    folder: pathlib.Path

    @property
    def program_lines(self):
        return [line for line in self.out.splitlines() if not CONSOLE_LINE.match(line)]

    @property
    def warnings(self):
        return [line for line in self.err.splitlines() if line.startswith("[charcloth] ")]

    def console(self):
        """Records on the console by the name of their profiler."""
        found = collections.defaultdict(list)
        for line in self.out.splitlines():
            if match := CONSOLE_LINE.match(line):
                found[match[1]].append(json.loads(match[2]))
        return found

    def file(self, name):
        lines = (self.folder / f"{name}.json").read_text(encoding="ascii").splitlines()
        return [json.loads(line) for line in lines]


def native_access(version):
    """From JDK 24 on the JVM complains about every library that is loaded without it."""
    return ["--enable-native-access=ALL-UNNAMED"] if version >= 24 else []


def command(jar, folder, arguments, version=17, jvm=(), seconds=SECONDS):
    """The words that run Spin with folder/tmp as its temporary directory."""
    tmp = folder / "tmp"
    tmp.mkdir(exist_ok=True)
    agent = f"-javaagent:{jar}" + ("" if arguments is None else f"={arguments}")
    words = [jdks.java(version), *native_access(version), f"-Djava.io.tmpdir={tmp}", *jvm, agent]
    return [str(word) for word in [*words, "-cp", jvms.classes("Spin"), "Spin", seconds, STATUS]]


def spin(jar, folder, *arguments, env=None, **options):
    """Runs Spin to its end in a folder."""
    done = subprocess.run(
        command(jar, folder, *arguments, **options),
        cwd=folder,
        env={**os.environ, **(env or {})},
        capture_output=True,
        text=True,
        check=False,
        timeout=agents.TIMEOUT_S,
    )
    return Ended(done.stdout, done.stderr, done.returncode, folder / "out")


@contextlib.contextmanager
def spinning(jar, folder, *arguments, **options):
    """A Spin that would run for minutes; killed at the end if it still runs."""
    words = command(jar, folder, *arguments, seconds="300", **options)
    with subprocess.Popen(words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def lines_until(stream, n, word):
    """Lines of a running program up to the n-th that has the word."""
    found = []
    while sum(word in line for line in found) < n:
        line = stream.readline()
        assert line, f"the program ended before the {n}. '{word}'"
        found.append(line)
    return found


@dataclasses.dataclass(frozen=True)
class Filed:
    version: int
    ended: Ended
    tmp: pathlib.Path


@pytest.fixture(scope="module", params=EVERY_JDK)
def filed(request, jar, tmp_path_factory):
    folder = tmp_path_factory.mktemp("uber")
    out = folder / "out"
    options = f"sampleInterval=50,metricInterval=300,{FILES},outputDir={out},tag=it's,ioProfiling=true"
    ended = spin(jar, folder, f"{options},threadProfiling=true,cluster=c", request.param, jvm=["-Xmx64m"])
    return Filed(request.param, ended, folder / "tmp")


# -- files


def test_the_program_is_not_disturbed(filed):
    assert (filed.ended.out, filed.ended.err, filed.ended.code) == ("up\n", "", int(STATUS))


def test_the_files_are_those_of_the_profilers_and_a_recording(filed):
    records = filed.ended.file("ProcessInfo")
    names = {path.name for path in filed.ended.folder.iterdir()}
    profilers = {f"{name}.json" for name in ("CpuAndMemory", "IO", "ProcessInfo", "Stacktrace", "ThreadInfo")}
    assert names == profilers | {f"{records[0]['processUuid']}.jfr"}


def test_nothing_is_left_in_the_temporary_directory(filed):
    assert list(filed.tmp.iterdir()) == []


def test_records_have_their_fields(filed):
    extra = {"tag", "cluster"}
    assert all(set(record) == CPU_AND_MEMORY | extra for record in filed.ended.file("CpuAndMemory"))
    assert all(set(record) == STACKTRACE | extra for record in filed.ended.file("Stacktrace"))
    (info,) = filed.ended.file("ProcessInfo")
    assert set(info) == PROCESS_INFO | extra | {"xmxBytes"}
    assert info["xmxBytes"] == 64 << 20
    assert info["tag"] == "it's"
    assert f" Spin {SECONDS} {STATUS}" in info["cmdline"]


def test_all_records_are_of_one_process(filed):
    names = ("CpuAndMemory", "IO", "ProcessInfo", "Stacktrace", "ThreadInfo")
    everything = [record for name in names for record in filed.ended.file(name)]
    assert len({(record["processUuid"], record["name"], record["host"]) for record in everything}) == 1
    assert everything[0]["name"].endswith("@" + everything[0]["host"])


def test_metrics_come_at_the_start_between_and_at_the_end(filed):
    records = filed.ended.file("CpuAndMemory")
    assert len(records) > 2
    cpu = [record["processCpuTime"] for record in records]
    # The JVM adds up two numbers of the kernel's, in hundredths of a second: their sum can step back by one.
    assert all(later >= earlier - 10_000_000 for earlier, later in zip(cpu, cpu[1:]))
    assert cpu[-1] > cpu[0]
    assert cpu[-1] > cpu[0]
    for record in records:
        assert record["processCpuLoad"] == "NaN" or 0 <= record["processCpuLoad"] <= 1
        assert record["vmHWM"] >= record["vmRSS"] > 0


def test_input_output_and_threads_are_counted(filed):
    io, threads = filed.ended.file("IO"), filed.ended.file("ThreadInfo")
    assert io[-1]["self"]["io"]["rchar"] >= io[0]["self"]["io"]["rchar"] > 0
    assert io[0]["stat"][0]["cpu"] == "cpu"
    assert len(io[0]["stat"]) > 1
    assert sum(record["newThreadCount"] for record in threads) == threads[-1]["totalStartedThreadCount"]


def test_stacks_are_grouped_by_interval_and_leave_our_threads_out(filed):
    records = filed.ended.file("Stacktrace")
    keys = [(r["endEpoch"], r["threadName"], r["threadState"], *r["stacktrace"]) for r in records]
    assert len(keys) == len(set(keys))
    assert not [record for record in records if record["threadName"].startswith("charcloth")]
    spans = sorted({(record["startEpoch"], record["endEpoch"]) for record in records})
    assert all(begin <= end for begin, end in spans)
    assert all(one[1] <= next_one[0] for one, next_one in zip(spans, spans[1:], strict=False))


def test_the_hot_method_is_read_by_charcloth(filed, charcloth):
    text = charcloth("convert", filed.ended.folder / "Stacktrace.json", "-o", "-", "-f", "collapsed", check=0).stdout
    counts = collections.Counter()
    for line in text.splitlines():
        stack, count = line.rsplit(" ", 1)
        if "Spin.main" in stack:
            counts["Spin.burn" in stack] += int(count)
    assert counts[True] > counts[False]
    top = charcloth("top", filed.ended.folder / "Stacktrace.json", "--thread", "^main$", "-n", "3", check=0).stdout
    assert "Spin.burn" in top


def test_the_recording_bears_the_tag(filed, charcloth):
    (recording,) = filed.ended.folder.glob("*.jfr")
    assert "Spin.burn" in charcloth("top", "--where", "tag=it's", "--where", "cluster=c", recording, check=0).stdout
    assert "Spin.burn" not in charcloth("top", "--where", "tag=other", recording).stdout


def test_the_recording_has_the_hot_method(filed, charcloth, jfr_summary):
    (recording,) = filed.ended.folder.glob("*.jfr")
    assert jfr_summary(recording)["jdk.ExecutionSample"] > 0
    found = json.loads(charcloth("top", "--json", recording, check=0).stdout)
    assert "Spin.burn" in json.dumps(found)


# -- console


@pytest.mark.parametrize("version", EVERY_JDK)
def test_records_stand_between_the_lines_of_the_program(jar, tmp_path, charcloth, version):
    reporter = "reporter=com.uber.profiling.reporters.ConsoleOutputReporter"
    ended = spin(jar, tmp_path, f"sampleInterval=50,metricInterval=100,{reporter}", version)
    assert (ended.program_lines, ended.err, ended.code) == (["up"], "", int(STATUS))
    console = ended.console()
    assert set(console) == {"CpuAndMemory", "ProcessInfo", "Stacktrace"}
    assert len(console["CpuAndMemory"]) > 2
    log = tmp_path / "log"
    log.write_text(ended.out)
    assert "Spin.burn" in charcloth("top", log, "--thread", "^main$", check=0).stdout
    assert not list(tmp_path.glob("*.jfr"))


def test_without_arguments_the_console_has_the_metrics_of_start_and_end(jar, tmp_path):
    ended = spin(jar, tmp_path, None, seconds="0.2")
    console = ended.console()
    assert {name: len(records) for name, records in console.items()} == {"ProcessInfo": 1, "CpuAndMemory": 2}
    assert (ended.program_lines, ended.code) == (["up"], int(STATUS))


def test_a_recording_beside_the_console_is_one_that_was_asked_for(jar, tmp_path, jfr_summary):
    ended = spin(jar, tmp_path, "jfr=asked.jfr")
    assert ended.err == ""
    assert jfr_summary(tmp_path / "asked.jfr")["jdk.ExecutionSample"] > 0


def test_no_recording_is_made_when_it_is_off(jar, tmp_path):
    ended = spin(jar, tmp_path, f"{FILES},outputDir=out,jfr=off", seconds="0.2")
    assert sorted(path.name for path in ended.folder.iterdir()) == ["CpuAndMemory.json", "ProcessInfo.json"]


# -- who it is


def test_the_app_id_comes_from_where_it_is_named(jar, tmp_path):
    app = "application_1700000000000_0042"
    found = spin(jar, tmp_path, None, jvm=[f"-Dlog.dir=/logs/{app}/x"], seconds="0.1").console()
    assert found["CpuAndMemory"][0]["appId"] == app
    found = spin(jar, tmp_path, "appIdVariable=MY_APP", seconds="0.1", env={"MY_APP": "mine"}).console()
    assert found["CpuAndMemory"][0]["appId"] == "mine"
    assert spin(jar, tmp_path, None, seconds="0.1").console()["CpuAndMemory"][0]["appId"] is None


def test_the_file_of_arguments_is_read(jar, tmp_path):
    (tmp_path / "a.yaml").write_text(
        f"tag: from file\nmetricInterval: 100\n{FILES.replace('=', ': ')}\noutputDir: out\n"
    )
    provider = "configProvider=com.uber.profiling.YamlConfigProvider"
    ended = spin(jar, tmp_path, f"{provider},configFile=a.yaml,tag=x", seconds="0.5")
    assert (ended.out, ended.err) == ("up\n", "")
    assert {record["tag"] for record in ended.file("CpuAndMemory")} == {"from file"}


# -- beginnings and ends


def test_records_are_out_at_once(jar, tmp_path):
    with spinning(jar, tmp_path, "metricInterval=50") as process:
        lines = lines_until(process.stdout, 3, "CpuAndMemory")
    assert all(CONSOLE_LINE.match(line) for line in lines if line != "up\n")


def test_a_jvm_that_is_terminated_writes_a_last_record(jar, tmp_path):
    with spinning(jar, tmp_path, f"{FILES},outputDir=out,sampleInterval=50") as process:
        assert process.stdout.readline() == "up\n"
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=agents.TIMEOUT_S)
    ended = Ended("", "", process.returncode, tmp_path / "out")
    assert ended.code == 128 + signal.SIGTERM
    assert len(ended.file("CpuAndMemory")) == 2
    assert any(record["threadName"] == "main" for record in ended.file("Stacktrace"))


def test_a_console_that_nobody_reads_does_not_keep_the_jvm_from_ending(jar, tmp_path):
    read, write = os.pipe()
    try:
        fcntl.fcntl(write, fcntl.F_SETPIPE_SZ, 4096)
        words = command(jar, tmp_path, "metricInterval=50", seconds="0.5")
        process = subprocess.Popen(words, stdout=write, cwd=tmp_path)
        assert process.wait(timeout=agents.TIMEOUT_S) == int(STATUS)
    finally:
        os.close(read)
        os.close(write)


def test_processes_share_a_folder(jar, tmp_path):
    options = f"{FILES},outputDir={tmp_path}/out,metricInterval=50,sampleInterval=50,jfr=off"
    words = command(jar, tmp_path, options, seconds="1")
    both = [subprocess.Popen(words, stdout=subprocess.DEVNULL, cwd=tmp_path) for _ in range(2)]
    assert [process.wait(timeout=agents.TIMEOUT_S) for process in both] == [int(STATUS)] * 2
    ended = Ended("", "", 0, tmp_path / "out")
    for name in ("CpuAndMemory", "Stacktrace", "ProcessInfo"):
        assert {int(record["name"].split("@")[0]) for record in ended.file(name)} == {process.pid for process in both}


def test_the_jar_is_loaded_into_a_running_jvm(jar):
    with jvms.running(17, program="Spin", arguments=["300"]) as jvm:
        jcmd = [jdks.java_home(17) / "bin" / "jcmd", jvm.pid, "JVMTI.agent_load", jar]
        jdks.run([*jcmd, '"metricInterval=50"'])
        lines_until(jvm.process.stdout, 2, "CpuAndMemory")
        jdks.run([*jcmd, '"metricInterval=50"'])
        (said,) = [line for line in lines_until(jvm.process.stdout, 1, "[charcloth]") if "[charcloth]" in line]
    assert said == "[charcloth] the records are being written already: this second start is ignored\n"


# -- what is wrong


@pytest.mark.parametrize(
    "arguments",
    [
        "metricInterval=1",
        "sampleInterval=abc",
        "nonsense",
        "unknown=1",
        "reporter=com.uber.profiling.reporters.KafkaOutputReporter",
        "durationProfiling=a.B.c",
        "argumentProfiling=a.B.c.0",
        "configFile=/there/is/none",
        "appIdRegex=(",
        "jfr=/there/is/none/x.jfr",
        f"{FILES},outputDir=/proc/none",
        f"{FILES}",
    ],
)
def test_a_wrong_argument_is_one_line_and_the_program_runs(jar, tmp_path, arguments):
    ended = spin(jar, tmp_path, arguments, seconds="0.1")
    assert len(ended.warnings) == len(ended.err.splitlines()) == 1, ended.err
    assert (ended.program_lines, ended.code) == (["up"], int(STATUS))


def test_a_full_disk_costs_records_and_one_line(jar, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out/CpuAndMemory.json").symlink_to("/dev/full")
    ended = spin(jar, tmp_path, f"{FILES},outputDir=out,metricInterval=50,jfr=off", seconds="0.5")
    assert len(ended.warnings) == len(ended.err.splitlines()) == 1, ended.err
    assert (ended.out, ended.code) == ("up\n", int(STATUS))
    assert len(ended.file("ProcessInfo")) == 1


def test_noop_does_nothing(jar, tmp_path):
    ended = spin(jar, tmp_path, f"noop=true,{FILES},outputDir=out", seconds="0.1")
    assert (ended.out, ended.err, ended.code) == ("up\n", "", int(STATUS))
    assert not ended.folder.exists()


# -- the library


def test_an_agent_that_is_there_already_is_used(jar, tmp_path, jfr_summary):
    ended = spin(jar, tmp_path, "jfr=asked.jfr", jvm=[f"-agentpath:{agents.library()}"])
    assert ended.err == ""
    assert jfr_summary(tmp_path / "asked.jfr")["jdk.ExecutionSample"] > 0


def test_a_recording_that_runs_already_is_left_alone(jar, tmp_path, jfr_summary):
    agent = f"-agentpath:{agents.library()}=start,file={tmp_path}/first.jfr"
    ended = spin(jar, tmp_path, "jfr=second.jfr", jvm=[agent])
    assert len(ended.warnings) == 1
    assert jfr_summary(tmp_path / "first.jfr")["jdk.ExecutionSample"] > 0
    assert not (tmp_path / "second.jfr").exists()


def test_a_temporary_directory_that_is_not_there_costs_the_recording_only(jar, tmp_path):
    ended = spin(jar, tmp_path, "jfr=x.jfr", jvm=[f"-Djava.io.tmpdir={tmp_path}/none"], seconds="0.1")
    assert len(ended.warnings) == 1
    assert (ended.program_lines, ended.code) == (["up"], int(STATUS))
    assert len(ended.console()["CpuAndMemory"]) == 2
