"""The Spark plugin from outside: two lines of spark-submit, recordings of real drivers and executors."""

from __future__ import annotations

import re
import socket

import pytest

import spark

RELEASES = ("3.5", pytest.param("4.0", marks=pytest.mark.full), "4.3")


def zipped(rows, label):
    """All values of a label."""
    return {said[label] for said, _, _ in rows}


@pytest.fixture(scope="module", params=RELEASES)
def local(request, tmp_path_factory):
    """The simple job in one process."""
    return spark.python(tmp_path_factory.mktemp("local"), request.param, "simple", 3, status=3)


@pytest.fixture(scope="module", params=RELEASES)
def cluster(request, tmp_path_factory):
    """The simple job with two executors."""
    return spark.python(tmp_path_factory.mktemp("cluster"), request.param, "simple", master=spark.CLUSTER)


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """The simple job without the plugin."""
    return spark.python(tmp_path_factory.mktemp("plain"), "3.5", "simple", 3, status=3, plugin=False)


def test_local_mode_has_one_recording(local, plain):
    assert local.said["sums"] == plain.said["sums"]
    assert (local.recordings.name, local.files) == (local.said["app"], ["driver.jfr"])
    assert local.left_behind() == []
    assert local.warnings() == []


def test_local_mode_knows_tasks(local):
    rows = spark.folded(local.recordings, "app", "role", "executor", "stage", "sql", "job_group")
    assert zipped(rows, "app") == {local.said["app"]}
    assert zipped(rows, "role") == {"driver"}
    assert zipped(rows, "executor") == {"driver"}
    # Before Spark tells the plugin about a task, the thread's name says which it is, and no more.
    in_tasks = [row for row in rows if row[0]["stage"] != "-"]
    assert {(said["sql"], said["job_group"]) for said, _, _ in in_tasks} <= {("0", "sums"), ("-", "-")}
    assert spark.total(in_tasks, "Task.runTask", job_group="-") == 0
    assert spark.total(in_tasks, job_group="sums") > 0


def test_local_mode_without_the_driver_is_of_its_application(tmp_path):
    """The executor is there before the application has its id."""
    ended = spark.python(tmp_path, "3.5", "simple", conf={"spark.charcloth.driver": "false"})
    assert (ended.recordings.name, ended.files) == (ended.said["app"], ["executor-driver.jfr"])
    assert zipped(spark.folded(ended.recordings, "app"), "app") == {ended.said["app"]}


def test_a_cluster_has_a_recording_of_each_process(cluster, plain):
    assert cluster.said["sums"] == plain.said["sums"]
    assert cluster.recordings.name == cluster.said["app"]
    assert cluster.files == ["driver.jfr", "executor-0.jfr", "executor-1.jfr"]
    assert cluster.left_behind() == []
    assert cluster.warnings() == []
    assert {name: cluster.warnings(log) for name, log in cluster.executor_logs.items()} == {"0": [], "1": []}


def test_recordings_say_whose_they_are(cluster):
    rows = spark.folded(cluster.recordings, "app", "role", "executor")
    assert {(said["app"], said["role"], said["executor"]) for said, _, _ in rows} == {
        (cluster.said["app"], "driver", "driver"),
        (cluster.said["app"], "executor", "0"),
        (cluster.said["app"], "executor", "1"),
    }


def test_the_folder_is_taken_as_it_is(cluster, charcloth, tmp_path):
    page = tmp_path / "flame.html"
    charcloth("convert", cluster.recordings, "--by", "stage", "-o", page, check=0)
    assert page.stat().st_size > 0
    assert "stage=0" in charcloth("top", cluster.recordings, "--by", "stage", check=0).stdout
    charcloth("diff", cluster.recordings, cluster.recordings, "-o", tmp_path / "diff.html", check=0)


def test_the_jdk_reads_it(cluster, jfr_summary):
    for path in cluster.recordings.glob("*.jfr"):
        counts = jfr_summary(path, jdk=17)
        assert counts["jdk.ExecutionSample"] > 0
        assert counts["jdk.GCHeapSummary"] > 0
        assert counts["charcloth.SamplerStats"] > 0


@pytest.mark.parametrize(
    ("share", "recorded"), [("ids:1", ["executor-1.jfr"]), ("0.5", ["executor-1.jfr"]), ("none", [])]
)
@pytest.mark.full
def test_a_share_of_the_executors(tmp_path, share, recorded):
    ended = spark.python(tmp_path, "3.5", "simple", master=spark.CLUSTER, conf={"spark.charcloth.executors": share})
    assert ended.files == ["driver.jfr", *recorded]


def test_a_count_of_executors_without_the_driver(tmp_path):
    conf = {"spark.charcloth.executors": "1", "spark.charcloth.driver": "false"}
    ended = spark.python(tmp_path, "3.5", "simple", master=spark.CLUSTER, conf=conf)
    (only,) = ended.files
    assert re.fullmatch(r"executor-[01]\.jfr", only)


@pytest.mark.full
def test_dynamic_allocation_keeps_the_share(tmp_path):
    conf = {
        "spark.charcloth.executors": "0.5",
        "spark.dynamicAllocation.enabled": "true",
        "spark.dynamicAllocation.shuffleTracking.enabled": "true",
        "spark.dynamicAllocation.minExecutors": "0",
        "spark.dynamicAllocation.maxExecutors": "2",
        "spark.dynamicAllocation.executorIdleTimeout": "2s",
        "spark.dynamicAllocation.schedulerBacklogTimeout": "1s",
    }
    ended = spark.python(tmp_path, "3.5", "rounds", master=spark.CLUSTER, conf=conf)
    ids = [int(one) for one in ended.said["executors"]]
    assert len(ids) >= 6
    assert ended.files == sorted(["driver.jfr", *(f"executor-{one}.jfr" for one in ids if one % 2 == 1)])


@pytest.fixture(scope="module")
def on_and_off(tmp_path_factory):
    conf = {"spark.charcloth.autoStart": "false"}
    return spark.python(tmp_path_factory.mktemp("onoff"), "3.5", "onoff", master=spark.CLUSTER, conf=conf)


def test_each_start_makes_files_of_its_own(on_and_off):
    names = ("driver", "executor-0", "executor-1")
    assert on_and_off.files == sorted(f"{name}{part}.jfr" for name in names for part in ("", ".1"))
    assert "driver: not recording" in on_and_off.said["before"]
    assert "driver: recording" in on_and_off.said["on"]
    assert "driver: not recording" in on_and_off.said["off"]
    assert on_and_off.said["afterwards"] == []
    assert on_and_off.left_behind() == []


def test_only_what_ran_meanwhile_is_recorded(on_and_off, charcloth):
    for number in (0, 1):
        for name, event in ((f"executor-{number}.jfr", "wall"), (f"executor-{number}.1.jfr", "cpu")):
            rows = spark.folded(on_and_off.recordings / name, "stage", more=["--event", event])
            assert spark.total(rows, "jobs/Burn.alpha") > 0
            assert spark.total(rows, "jobs/Burn.beta") == 0


@pytest.mark.full
def test_an_old_spark(tmp_path):
    """Spark 3.2 on JDK 11; its Python side does not run on the Python of today."""
    words = ["--class", "software.amazon.profiler.SampleSparkApp", spark.plugin_jar(), "1"]
    ended = spark.submit(tmp_path, "3.2", *words, master=spark.CLUSTER)
    assert ended.status == 0, ended.log
    assert ended.out.count("An executor found a prime of 1000 bits") == 2
    assert ended.files == ["driver.jfr", "executor-0.jfr", "executor-1.jfr"]
    rows = spark.folded(ended.recordings, "executor", "stage")
    in_tasks = spark.total(rows, "SampleSparkApp.prime", stage="0")
    assert in_tasks > 0
    assert in_tasks + spark.total(rows, "SampleSparkApp.prime", executor="driver") == spark.total(
        rows, "SampleSparkApp.prime"
    )


@pytest.mark.full
def test_spark_connect(tmp_path, plain):
    """The server is in the driver; what a client asks for is labelled like all work."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    conf = {
        "spark.plugins": f"org.apache.spark.sql.connect.SparkConnectPlugin,{spark.PLUGIN}",
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": port,
    }
    packages = spark.packages("connect", *spark.CONNECT)
    client = spark.JOBS / "connect_client.py"
    ended = spark.python(tmp_path, "4.0", "connect_server", client, port, packages, conf=conf)
    assert ended.said["sums"] == plain.said["sums"]
    assert ended.files == ["driver.jfr"]
    rows = spark.folded(ended.recordings, "stage", "sql")
    assert spark.total(rows, "ShuffleMapTask.runTask") > 0
    assert spark.total(rows, "ShuffleMapTask.runTask", sql="-") == 0
    assert spark.total(rows, "ShuffleMapTask.runTask", stage="-") == 0
