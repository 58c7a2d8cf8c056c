"""Whose samples are whose: tasks of every kind in one application, and what its recordings say about them."""

from __future__ import annotations

import re

import pytest

import spark

SMALL = 2000


@pytest.fixture(scope="module", params=["3.5", pytest.param("4.3", marks=pytest.mark.full)])
def zoo(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("zoo")
    sink = "spark.metrics.conf.*.sink.csv."
    conf = {
        "spark.scheduler.mode": "FAIR",
        "spark.charcloth.interval": "4ms",
        "spark.charcloth.maxOverhead": "50",
        "spark.charcloth.flushInterval": "2s",
        sink + "class": "org.apache.spark.metrics.sink.CsvSink",
        sink + "period": "1",
        sink + "unit": "seconds",
        sink + "directory": folder / "metrics",
    }
    (folder / "metrics").mkdir()
    return spark.python(folder, request.param, "zoo", master=spark.CLUSTER, conf=conf)


@pytest.fixture(scope="module")
def rows(zoo):
    return spark.folded(zoo.recordings, "executor", "stage", "task", "job_group", "sql", "thread")


@pytest.fixture(scope="module")
def tasks(zoo):
    return spark.tasks(zoo.recordings)


def of_group(tasks, name):
    return [task for task in tasks if task.begun["jobGroup"] == name]


def test_the_job_does_its_work(zoo):
    said = zoo.said
    assert (said["both"], said["flaky"], said["cancelled"], said["small"]) == (60, 3, True, SMALL)
    assert (said["barrier"], said["udf"]) == ([10, 35], 120_000)
    assert said["executors"] == ["0", "1"]
    assert zoo.files == ["driver.jfr", "executor-0.jfr", "executor-1.jfr"]


@pytest.mark.parametrize("name", ["alpha", "beta"])
def test_two_stages_at_once_are_told_apart(zoo, rows, name):
    (stage,) = zoo.said[f"{name} stages"]
    own = [row for row in rows if row[0]["job_group"] in ("alpha", "beta", "-")]
    burnt = spark.total(own, f"jobs/Burn.{name}", job_group=name)
    assert burnt > 300
    assert spark.total(own, f"jobs/Burn.{name}", job_group=name, stage=stage) == burnt
    other = {"alpha": "beta", "beta": "alpha"}[name]
    assert spark.total(rows, f"jobs/Burn.{other}", stage=stage) == 0
    assert spark.total(rows, f"jobs/Burn.{name}", job_group=other) == 0


def test_no_sample_of_a_task_is_without_it(rows):
    burnt = spark.total(rows, "jobs/Burn.alpha") + spark.total(rows, "jobs/Burn.beta")
    without = [row for row in rows if row[0]["stage"] == "-" or row[0]["task"] == "-"]
    lost = spark.total(without, "jobs/Burn.alpha") + spark.total(without, "jobs/Burn.beta")
    assert lost <= burnt * 0.001, [row for row in without if any("jobs/Burn" in frame for frame in row[1])]


def test_tasks_are_of_their_executor(rows, tasks):
    where = {str(task.begun["taskId"]): task.begun["executor"] for task in tasks}
    assert {said["executor"] for said, _, _ in rows if said["task"] != "-"} <= {"0", "1"}
    assert all(where[said["task"]] == said["executor"] for said, _, _ in rows if said["task"] != "-")


def test_a_query_is_known_by_its_id(zoo, rows):
    stages = {str(stage) for stage in zoo.said["sums stages"]}
    of_query = [said for said, _, _ in rows if said["job_group"] == "sums"]
    assert {said["sql"] for said in of_query} == {"0"}
    assert {said["stage"] for said in of_query} <= stages
    assert {said["sql"] for said, _, _ in rows if said["job_group"] == "small"} == {"-"}


def test_a_failed_attempt_is_followed_by_another(tasks):
    attempts = {(task.begun["partition"], task.begun["attempt"]): task.result for task in of_group(tasks, "flaky")}
    assert sorted(attempts) == [(0, 0), (1, 0), (1, 1), (2, 0)]
    assert re.match(r"failed: .*IllegalStateException.*the first attempt", attempts.pop((1, 0)))
    assert set(attempts.values()) == {"succeeded"}


def test_tasks_of_a_cancelled_group_are_killed(tasks):
    assert [task.result for task in of_group(tasks, "cancelled")] == ["killed", "killed"]


def test_a_barrier_stage_has_its_tasks(tasks):
    stage = of_group(tasks, "barrier")
    assert [task.result for task in stage] == ["succeeded", "succeeded"]
    assert {task.begun["executor"] for task in stage} == {"0", "1"}
    assert {task.begun["description"] for task in stage} == {"work of barrier"}


def test_each_of_thousands_of_short_tasks_begins_and_ends(tasks):
    short = of_group(tasks, "small")
    assert sorted(task.begun["partition"] for task in short) == list(range(SMALL))
    assert {task.result for task in short} == {"succeeded"}


def test_a_thread_that_writes_to_python_works_for_the_task(zoo, rows):
    written = [row for row in rows if row[0]["thread"].startswith("stdout writer for")]
    if zoo.version != "3.5":
        assert written == [], "later ones write in the task's own thread"
        return
    assert spark.total(written, job_group="udf") > 0
    assert {said["stage"] for said, _, _ in written if said["job_group"] == "udf"} <= {
        str(stage) for stage in zoo.said["udf stages"]
    }


def test_the_command_line_sees_executors_through_the_driver(zoo):
    code, text = zoo.said["status"]
    assert code == 0
    lines = text.splitlines()
    assert "executors: 2, recording: 2" in lines
    for number in ("0", "1"):
        assert any(
            re.match(rf"executor {number} on \S+: samples \d+, dropped \d+, .* % of its CPU", line) for line in lines
        )


@pytest.mark.parametrize("who", ["driver", "0", "1"])
def test_gauges_are_in_the_metrics_of_spark(zoo, who):
    prefix = f"{zoo.said['app']}.{who}.plugin.{spark.PLUGIN}.charcloth."
    found = {path.name[len(prefix) : -len(".csv")]: path for path in (zoo.folder / "metrics").glob(prefix + "*.csv")}
    assert set(found) == {"samples", "dropped", "overheadPercent", "bytesUploaded", "recording"}
    for name in ("samples", "bytesUploaded"):
        values = [int(line.split(",")[1]) for line in found[name].read_text().splitlines()[1:]]
        assert max(values) > 0


def test_nothing_is_left(zoo):
    assert zoo.said["threads"] != []
    assert zoo.said["threads afterwards"] == []
    assert zoo.left_behind() == []
    assert zoo.warnings() == []
    assert {name: zoo.warnings(log) for name, log in zoo.executor_logs.items()} == {"0": [], "1": []}
