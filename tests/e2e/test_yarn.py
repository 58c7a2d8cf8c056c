"""The plugin on a real YARN with a real HDFS: CodeGuru's command, killed containers, Spark's own profiler's keys."""

from __future__ import annotations

import dataclasses
import os
import pathlib
import re
import signal

import hadoop
import pytest

import spark

PLUGIN = "dev.charcloth.spark.CharclothPlugin"
FLUSH_S = 2
RESULT = "result 3000009"
WARNING = re.compile(r".* WARN (Recording|Shipper|DriverSide|ExecutorSide): (.*)")
# The command of its README; only the jar is another one, and the last option says where to.
CODEGURU = r"""
spark-submit \
--master yarn \
--deploy-mode cluster \
--class software.amazon.profiler.SampleSparkApp \
--jars {jar} \
--conf spark.plugins=software.amazon.profiler.AmazonProfilerPlugin \
--conf spark.executorEnv.PROFILING_CONTEXT="{{\\\"profilingGroupName\\\":\\\"my-group\\\",\\\"driverEnabled\\\":\\\"true\\\"}}" \
--conf spark.executorEnv.ENABLE_AMAZON_PROFILER=true \
--conf spark.yarn.appMasterEnv.PROFILING_CONTEXT="{{\\\"profilingGroupName\\\":\\\"my-group\\\",\\\"driverEnabled\\\":\\\"true\\\"}}" \
--conf spark.yarn.appMasterEnv.ENABLE_AMAZON_PROFILER=true \
--conf spark.dynamicAllocation.enabled=false \
--conf spark.charcloth.output=hdfs:///profiles \
{jar} 2
"""  # noqa: E501 - as it stands


@pytest.fixture(scope="module")
def jar():
    return spark.plugin_jar()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    with hadoop.running(tmp_path_factory.mktemp("yarn")) as running:
        yield running


def warnings(log):
    """What the plugin warns of in a log."""
    return [match[2] for match in map(WARNING.match, log.splitlines()) if match]


# -- CodeGuru's command


@pytest.fixture(scope="module")
def codeguru(cluster, jar):
    return cluster.shell(CODEGURU.format(jar=jar)).succeed()


@pytest.fixture(scope="module")
def profiles(cluster, codeguru):
    """The folder of the application, copied out of HDFS."""
    return cluster.get(f"/profiles/my-group/{codeguru.id}_1", cluster.folder / "profiles")


def test_codegurus_command_runs_its_sample(codeguru):
    lines = codeguru.driver["stdout"].splitlines()
    primes = [re.match(r"(.*) found a prime of (\d+) bits", line).groups() for line in lines]
    assert primes == [("An executor", "2000"), ("An executor", "2000"), ("The driver", "5000")]


def test_driver_and_executors_are_below_the_group(cluster, codeguru, profiles):
    app = f"my-group/{codeguru.id}_1"
    files = {"driver.jfr", "executor-1.jfr", "executor-2.jfr"}
    assert set(cluster.ls("/profiles")) == {"my-group", app, *(f"{app}/{name}" for name in files)}
    assert {path.name for path in profiles.iterdir()} == files


@pytest.mark.parametrize("name", ["driver", "executor-1", "executor-2"])
def test_what_is_there_is_read(profiles, jfr_summary, name):
    assert jfr_summary(profiles / f"{name}.jfr")["jdk.ExecutionSample"] > 0


def test_samples_of_the_task_have_its_stage(profiles, charcloth):
    words = ["--by", "group,role,stage", "-I", r"SampleSparkApp\.prime", "-f", "collapsed", "-o", "-"]
    rows = charcloth("convert", profiles, *words, check=0).stdout.splitlines()
    # A lambda calls it on an executor, main calls it on the driver.
    assert {tuple(row.split(";")[:3]) for row in rows} == {
        ("group=my-group", "role=driver", "stage=-"),
        ("group=my-group", "role=executor", "stage=0"),
    }


def test_the_lines_that_its_users_look_for_are_in_every_log(codeguru):
    wanted = [
        "Profiling is enabled",
        "Profiling context: ProfilingContext(profilingGroupName=my-group, driverEnabled=true, executorEnabled=true, "
        "heapSummaryEnabled=true)",
        "Profiling is being started",
        "Profiling scheduled, sampling rate is PT0.01S",
        "Attempting to report profile data: start=",
        "Successfully reported profile",
    ]
    logs = [codeguru.driver["stderr"], *(executor["stderr"] for executor in codeguru.executors)]
    assert len(logs) == 3
    for log in logs:
        places = [log.find(line) for line in wanted]
        assert -1 not in places and places == sorted(places), log
        assert re.search(r"\[HeapSummary\] Processed \d+ events\.", log)
        assert warnings(log) == []


# -- containers that are killed


@dataclasses.dataclass(frozen=True)
class Beats:
    """Where the tasks of jobs/yarn/Hold.java write the time, each executor to a file named after it and its process."""

    folder: pathlib.Path

    def pids(self):
        found = [path.name.split(".") for path in self.folder.glob("[0-9]*.[0-9]*")]
        return {executor: int(pid) for executor, pid in found}

    def last(self, executor):
        """In seconds since the epoch."""
        (path,) = self.folder.glob(f"{executor}.*")
        return int(path.read_text()) / 1000


@dataclasses.dataclass(frozen=True)
class Killed:
    application: hadoop.Application
    beats: Beats
    profiles: pathlib.Path
    by_signal: str
    by_node_manager: str


def is_gone(pid):
    """Whether a process that is not ours has ended."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


@pytest.fixture(scope="module")
def killed(cluster, jar, tmp_path_factory):
    """An application that lost an executor to SIGKILL, and another to the node manager."""
    folder = tmp_path_factory.mktemp("hold")
    beats = Beats(folder)
    conf = {
        "spark.plugins": PLUGIN,
        "spark.charcloth.output": "hdfs:///killed",
        "spark.charcloth.flushInterval": f"{FLUSH_S}s",
    }
    application = cluster.submit(jar, conf, "Hold", folder)

    def shipped(executor):
        """How much of an executor's recording there is; asked for once the executor works."""
        entries = cluster.ls(f"/killed/{application.id}_1")
        entry = entries.get(f"executor-{executor}.jfr")
        return entry.length if entry else 0

    def until(found, what):
        return hadoop.wait_for(found, what, application.runs)

    def until_shipped_twice(executor):
        length = until(lambda: shipped(executor), f"recording of executor {executor}")
        until(lambda: shipped(executor) > length, f"more of the recording of executor {executor}")

    def working(n):
        return until(lambda: len(beats.pids()) >= n and beats.pids(), f"{n}. executor that works")

    pids = working(2)
    first, second = sorted(pids)
    until_shipped_twice(first)
    os.kill(pids[first], signal.SIGKILL)
    working(3)
    until_shipped_twice(second)
    cluster.preempt(pids[second])
    until(lambda: is_gone(pids[second]), f"end of executor {second}")
    working(4)
    (folder / "end").touch()
    application.succeed()
    copy = cluster.get(f"/killed/{application.id}_1", cluster.folder / "killed")
    return Killed(application, beats, copy, first, second)


def test_the_application_goes_on_without_them(killed):
    assert RESULT in killed.application.driver["stdout"].splitlines()


def test_the_driver_learns_how_they_were_lost(killed):
    reasons = re.findall(r"Lost executor (\d+) on \S+ (.*)", killed.application.driver["stderr"])
    told = {executor: reason for executor, reason in reasons if "ontainer" in reason}
    assert set(told) == {killed.by_signal, killed.by_node_manager}
    assert "preempted" in told[killed.by_node_manager]
    assert "137" in told[killed.by_signal]


@pytest.mark.parametrize("how", ["by_signal", "by_node_manager"])
def test_at_most_the_last_interval_is_lost(killed, charcloth, how):
    executor = getattr(killed, how)
    recent = killed.beats.last(executor) - FLUSH_S - 1
    words = [killed.profiles / f"executor-{executor}.jfr", "-I", r"Hold\.burn", "-f", "collapsed", "-o", "-"]
    every = charcloth("convert", *words, check=0).stdout
    assert every
    assert charcloth("convert", *words, "--from", f"{recent:.3f}", check=0).stdout, f"nothing since {recent}"


def test_those_that_lived_have_whole_files(killed, charcloth, jfr_summary):
    lost = {f"executor-{executor}.jfr" for executor in (killed.by_signal, killed.by_node_manager)}
    names = {path.name for path in killed.profiles.iterdir()}
    assert lost | {"driver.jfr"} < names
    for name in names - lost:
        assert jfr_summary(killed.profiles / name)["jdk.ExecutionSample"] > 0


def test_the_folder_is_read_as_it_is(killed, charcloth):
    words = ["--by", "stage", "-I", r"Hold\.burn", "-f", "collapsed", "-o", "-"]
    rows = charcloth("convert", killed.profiles, *words, check=0).stdout.splitlines()
    assert {row.split(";")[0] for row in rows} == {"stage=0"}


# -- the keys of Spark's own profiler


@dataclasses.dataclass(frozen=True)
class Profiled:
    found: hadoop.Application
    missing: hadoop.Application


@pytest.fixture(scope="module")
def profiled(cluster, jar, tmp_path_factory):
    """Two applications at once: the folder that one of them is to write to exists."""
    folder = tmp_path_factory.mktemp("ended")
    (folder / "end").touch()
    cluster.mkdir("/found")
    conf = {
        "spark.plugins": "org.apache.spark.profiler.ProfilerPlugin",
        "spark.profiler.driver.enabled": "true",
        "spark.profiler.executor.enabled": "true",
        "spark.profiler.executor.fraction": "1.0",
        "spark.executor.instances": "1",
    }
    found, missing = (
        cluster.submit(jar, {**conf, "spark.profiler.dfsDir": f"hdfs:///{name}"}, "Hold", folder)
        for name in ("found", "missing")
    )
    return Profiled(found.succeed(), missing.succeed())


def test_layout_and_modes_are_those_of_sparks_profiler(cluster, profiled):
    app = f"{profiled.found.id}_1"
    assert {name: entry.mode for name, entry in cluster.ls("/found").items()} == {
        app: "770",
        f"{app}/profile-driver.jfr": "660",
        f"{app}/profile-exec-1.jfr": "660",
    }
    copy = cluster.get(f"/found/{app}", cluster.folder / "found")
    assert {path.name for path in copy.iterdir()} == {"profile-driver.jfr", "profile-exec-1.jfr"}


def test_a_folder_that_is_missing_costs_one_warning_each(cluster, profiled):
    driver, (executor,) = profiled.missing.driver, profiled.missing.executors
    for log in (driver["stderr"], executor["stderr"]):
        (warning,) = warnings(log)
        assert "the folder hdfs:/missing does not exist" in warning.replace("hdfs:///", "hdfs:/")
    assert RESULT in driver["stdout"].splitlines()
    assert "missing" not in cluster.ls("/")
