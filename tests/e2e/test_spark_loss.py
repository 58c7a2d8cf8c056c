"""What is left of executors that are killed, on file systems of both kinds, and of tasks that were overtaken."""

from __future__ import annotations

import contextlib
import datetime
import os
import re
import subprocess
import time

import jdks
import pytest

import spark

FLUSH_S = 3


def kill(folder, scheme, conf=None):
    """Runs the job that kills executor 0 with its output in a folder, seen through a file system."""
    output = folder / "out"
    settings = {
        "spark.charcloth.output": f"{scheme}{output}",
        "spark.charcloth.flushInterval": f"{FLUSH_S}s",
        **(conf or {}),
    }
    return spark.python(folder, "3.5", "kill", output, 2, master=spark.CLUSTER, conf=settings)


@pytest.fixture(scope="module")
def growing(tmp_path_factory):
    return kill(tmp_path_factory.mktemp("growing"), "file://")


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    """As an object store: no hflush, no append, nothing to see before close."""
    conf = {"spark.hadoop.fs.closed.impl": "jobs.ClosedFileSystem"}
    return kill(tmp_path_factory.mktemp("parts"), "closed://bucket", conf)


def last_sample(path):
    """When the last sample of a recording was taken, in seconds since 1970."""
    times = [event["startTime"] for event in spark.events(path, "jdk.ExecutionSample")]
    return max(datetime.datetime.fromisoformat(re.sub(r"(\.\d{6})\d*", r"\1", text)).timestamp() for text in times)


def lost_seconds(ended, pattern):
    """How long before it was killed the last sample of executor 0 was taken."""
    return ended.said["killed"] - max(last_sample(path) for path in ended.recordings.glob(pattern))


def test_a_killed_executor_loses_one_interval_at_most(growing):
    assert growing.said["cancelled"]
    assert growing.said["afterwards"] == 4
    assert "executor-0.jfr" in growing.files
    assert 0 <= lost_seconds(growing, "executor-0.jfr") <= FLUSH_S + 1


def test_what_is_left_is_readable(growing, charcloth, jfr_summary):
    path = growing.recordings / "executor-0.jfr"
    assert jfr_summary(path, jdk=17)["jdk.ExecutionSample"] > 0
    rows = spark.folded(path, "executor", "job_group")
    assert spark.total(rows, "jobs/Burn.alpha", executor="0", job_group="endless") > 0
    charcloth("top", growing.recordings, "--by", "stage", check=0)


def test_the_executor_in_its_place_records(growing):
    assert growing.said["executors afterwards"] == ["1", "2"]
    assert growing.files == ["driver.jfr", "executor-0.jfr", "executor-1.jfr", "executor-2.jfr"]


def test_parts_where_files_do_not_grow(parts, charcloth, jfr_summary):
    """Names are counted from 1 without a gap, and each is a recording by itself."""
    by_name = {}
    for name in parts.files:
        stem, number = re.fullmatch(r"(driver|executor-\d+)\.(\d+)\.jfr", name).groups()
        by_name.setdefault(stem, []).append(int(number))
    assert {"driver", "executor-0", "executor-1"} <= set(by_name)
    for numbers in by_name.values():
        assert sorted(numbers) == list(range(1, len(numbers) + 1))
    assert len(by_name["executor-0"]) >= 2
    for path in parts.recordings.iterdir():
        assert jfr_summary(path, jdk=17)["jdk.ActiveRecording"] > 0
    rows = spark.folded(parts.recordings, "executor", "stage")
    assert spark.total(rows, "jobs/Burn.alpha", executor="0") > 0
    assert charcloth("top", parts.recordings, check=0).stderr == ""


def test_a_killed_executor_leaves_its_parts(parts):
    assert parts.said["afterwards"] == 4
    assert 0 <= lost_seconds(parts, "executor-0.*.jfr") <= FLUSH_S + 1


@contextlib.contextmanager
def standalone(folder, version):
    """A master and two workers with an address each: Spark does not try a task again on a host where it runs."""
    (folder / "cluster").mkdir()
    own = spark.own_home(version, folder / "cluster")
    env = {**os.environ, "SPARK_HOME": str(own), "JAVA_HOME": str(jdks.java_home(17)), "SPARK_LOCAL_IP": "127.0.0.1",
           "SPARK_DAEMON_MEMORY": "256m", "SPARK_WORKER_WEBUI_PORT": "0"}  # fmt: skip
    logs = folder / "cluster" / "logs"
    logs.mkdir()
    running = []

    def begin(name, *words):
        path = logs / name
        with path.open("w") as log:
            command = [own / "bin/spark-class", *words]
            running.append(subprocess.Popen([str(word) for word in command], env=env, cwd=folder / "cluster",
                                            stdout=log, stderr=log, start_new_session=True))  # fmt: skip
        return path

    def wait_for(path, pattern):
        while not (match := re.search(pattern, path.read_text(errors="replace"))):
            assert running[-1].poll() is None, path.read_text(errors="replace")
            time.sleep(0.1)
        return match

    try:
        master = "org.apache.spark.deploy.master.Master"
        log = begin("master", master, "--host", "127.0.0.1", "--port", "0", "--webui-port", "0")
        url = wait_for(log, r"spark://127\.0\.0\.1:\d+")[0]
        for host in ("127.0.0.1", "127.0.0.2"):
            worker = "org.apache.spark.deploy.worker.Worker"
            words = ["--host", host, "--cores", "1", "--memory", "1g", "--work-dir", folder / "cluster" / host, url]
            wait_for(begin(host, worker, *words), "Successfully registered with master")
        yield url
    finally:
        for process in reversed(running):
            spark.end_session(process)


@pytest.mark.full
def test_a_task_that_was_overtaken_is_killed(tmp_path):
    conf = {
        "spark.speculation": "true",
        "spark.speculation.interval": "100ms",
        "spark.speculation.multiplier": "1.1",
        "spark.speculation.quantile": "0.5",
    }
    with standalone(tmp_path, "3.5") as master:
        ended = spark.python(tmp_path / "app", "3.5", "straggler", master=master, conf=conf)
    assert ended.said["straggling"] == 4
    tasks = [task for task in spark.tasks(ended.recordings) if task.begun["stage"] == 0]
    attempts = {(task.begun["partition"], task.begun["attempt"]): task for task in tasks}
    assert attempts[0, 0].result == "killed"
    assert attempts[0, 1].result == "succeeded"
    assert attempts[0, 0].begun["executor"] != attempts[0, 1].begun["executor"]
