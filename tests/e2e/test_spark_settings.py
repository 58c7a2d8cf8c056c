"""The plugin's configuration in real applications: wrong values, and what was written for other profilers."""

from __future__ import annotations

import re
import stat

import pytest

import spark

KEY = "spark.charcloth."
WRONG = {
    "driver": "perhaps",
    "executors": "many",
    "events": "cpu,teleport",
    "interval": "1ns",
    "flushInterval": "5ms",
    "maxOverhead": "lots",
    "seed": "x",
    "tags": "nothing",
    "keepLocal": "2",
    "python": "true",
    "otuput": "file:///x",
}
# A setting that is right by itself and cannot be followed: the word that its warning must have.
HOPELESS = {
    "a file system that nobody knows": ({KEY + "output": "nosuch://bucket/x"}, "nosuch"),
    "a folder that cannot be made": ({KEY + "output": "file:///proc/charcloth"}, "/proc/charcloth"),
    "a local folder that cannot be made": ({KEY + "localDir": "/proc/charcloth"}, "localDir"),
}


@pytest.fixture(scope="module")
def sums(tmp_path_factory):
    """What the simple job says without a plugin."""
    return spark.python(tmp_path_factory.mktemp("plain"), "3.5", "simple", plugin=False).said["sums"]


def test_every_wrong_value_is_one_warning(tmp_path, sums):
    conf = {KEY + name: value for name, value in WRONG.items()}
    ended = spark.python(tmp_path, "3.5", "simple", master=spark.CLUSTER, conf=conf)
    assert ended.said["sums"] == sums
    warnings = ended.warnings()
    for name, value in WRONG.items():
        (line,) = [line for line in warnings if line.startswith(KEY + name + "=")]
        assert re.match(rf"{re.escape(KEY + name)}='{re.escape(value)}': .*(use|leave|remove)", line), line
    assert len(warnings) == len(WRONG)
    assert {name: ended.warnings(log) for name, log in ended.executor_logs.items()} == {"0": [], "1": []}
    assert ended.files == ["driver.jfr", "executor-0.jfr", "executor-1.jfr"]


@pytest.mark.parametrize("case", HOPELESS)
def test_what_cannot_be_done_is_one_warning(tmp_path, sums, case):
    conf, word = HOPELESS[case]
    ended = spark.python(tmp_path, "3.5", "simple", 5, status=5, conf=conf)
    assert ended.said["sums"] == sums
    (line,) = ended.warnings()
    assert word in line


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_a_job_for_the_profiler_of_spark(tmp_path, sums):
    (tmp_path / "dfs").mkdir()
    conf = {
        "spark.plugins": "org.apache.spark.profiler.ProfilerPlugin",
        KEY + "output": None,
        "spark.profiler.driver.enabled": "true",
        "spark.profiler.executor.enabled": "true",
        "spark.profiler.executor.fraction": "1.0",
        "spark.profiler.dfsDir": tmp_path / "dfs",
        "spark.profiler.localDir": tmp_path / "tmp",
    }
    ended = spark.python(tmp_path, "3.5", "simple", master=spark.CLUSTER, conf=conf)
    assert ended.said["sums"] == sums
    (folder,) = (tmp_path / "dfs").iterdir()
    assert folder.name == ended.said["app"]
    names = ["profile-driver.jfr", "profile-exec-0.jfr", "profile-exec-1.jfr"]
    assert sorted(path.name for path in folder.iterdir()) == names
    assert mode(folder) == 0o770
    assert [mode(folder / name) for name in names] == [0o660] * 3
    assert ended.left_behind() == []
    rows = spark.folded(folder, "stage", more=["--event", "wall"])
    assert spark.total(rows, stage="0") > 0


def test_our_plugin_beside_one_of_its_other_names(tmp_path, sums):
    both = (spark.PLUGIN, "org.apache.spark.profiler.ProfilerPlugin")
    conf = {"spark.plugins": ",".join(both), KEY + "events": "cpu"}
    ended = spark.python(tmp_path, "3.5", "simple", master=spark.CLUSTER, conf=conf)
    assert ended.said["sums"] == sums
    (line,) = ended.warnings()
    assert all(name in line for name in both)
    assert {name: ended.warnings(log) for name, log in ended.executor_logs.items()} == {"0": [], "1": []}
    assert ended.files == ["driver.jfr", "executor-0.jfr", "executor-1.jfr"]
    assert spark.tasks(ended.recordings)


@pytest.mark.parametrize(
    "name",
    [
        "org.apache.spark.executor.profiler.ExecutorProfilerPlugin",
        pytest.param("org.apache.spark.executor.ExecutorProfilerPlugin", marks=pytest.mark.full),
    ],
)
def test_a_job_for_its_previews(tmp_path, sums, name):
    (tmp_path / "dfs").mkdir()
    conf = {
        "spark.plugins": name,
        KEY + "output": None,
        "spark.executor.profiling.enabled": "true",
        "spark.executor.profiling.fraction": "0.5",
        "spark.executor.profiling.outputDir": tmp_path / "dfs",
        "spark.executor.profiling.localDir": tmp_path / "tmp",
        "spark.executor.profiling.options": "event=cpu,interval=5ms",
    }
    ended = spark.python(tmp_path, "3.5", "simple", master=spark.CLUSTER, conf=conf)
    assert ended.said["sums"] == sums
    files = [str(path.relative_to(tmp_path / "dfs")) for path in (tmp_path / "dfs").glob("*/*")]
    assert files == [f"{ended.said['app']}/profile-A-simple-job-exec-1.jfr"]


CONTEXT = '{{"profilingGroupName":"primes","driverEnabled":"{driver}","heapSummaryEnabled":"true"}}'
LINES = (
    "Profiling is enabled",
    "Profiling context: ProfilingContext(profilingGroupName=primes",
    "Profiling scheduled, sampling rate is PT0.01S",
    "New agent configuration received : AgentConfiguration(",
)
REPORTS = ("Attempting to report profile data: start=", "Successfully reported profile")


@pytest.mark.parametrize("way", ["configuration", pytest.param("environment", marks=pytest.mark.full)])
def test_a_job_for_codeguru(tmp_path, way):
    """Its sample application, with what its users set; in client mode the driver has its own environment."""
    variables = {"ENABLE_AMAZON_PROFILER": "true", "PROFILING_CONTEXT": CONTEXT.format(driver="false")}
    of_driver = {**variables, "PROFILING_CONTEXT": CONTEXT.format(driver="true")}
    conf = {
        "spark.plugins": "software.amazon.profiler.AmazonProfilerPlugin",
        **{f"spark.executorEnv.{name}": value for name, value in variables.items()},
    }
    if way == "configuration":
        conf |= {f"spark.yarn.appMasterEnv.{name}": value for name, value in of_driver.items()}
    words = ["--class", "software.amazon.profiler.SampleSparkApp", spark.plugin_jar(), "1"]
    ended = spark.submit(
        tmp_path, "3.5", *words, master=spark.CLUSTER, conf=conf, env=of_driver if way == "environment" else None
    )
    assert ended.status == 0, ended.log
    assert "The driver found a prime of 5000 bits" in ended.out
    (folder,) = (ended.output / "primes").iterdir()
    assert sorted(path.name for path in folder.iterdir()) == ["driver.jfr", "executor-0.jfr", "executor-1.jfr"]
    for log in (ended.log, *ended.executor_logs.values()):
        assert [line for line in LINES if line not in log] == []
    # The executors of this master are ended by a signal: their log may be closed before their last upload.
    assert [line for line in REPORTS if line not in ended.log] == []
    rows = spark.folded(folder, "group", "executor", "stage")
    assert {said["group"] for said, _, _ in rows} == {"primes"}
    assert spark.total(rows, "SampleSparkApp.prime", executor="driver") > 0
    assert all(spark.events(path, "profiler.LiveObject") for path in folder.iterdir())


def test_codeguru_that_is_switched_off(tmp_path, sums):
    conf = {"spark.plugins": "software.amazon.profiler.AmazonProfilerPlugin"}
    ended = spark.python(tmp_path, "3.5", "simple", conf=conf)
    assert ended.said["sums"] == sums
    assert not ended.output.exists()
    assert ended.warnings() == []
