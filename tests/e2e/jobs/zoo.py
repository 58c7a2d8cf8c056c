"""Every kind of task in one application, each kind in a job group of its own. What it says is the truth about them."""

import json
import os
import subprocess
import time

from pyspark import BarrierTaskContext
from pyspark.sql import SparkSession
from pyspark.sql.functions import udf

SMALL = 2000


def say(word, value):
    print(json.dumps([word, value]), flush=True)


def stages(group):
    """The stages of a job group."""
    tracker = spark.sparkContext.statusTracker()
    return sorted(stage for job in tracker.getJobIdsForGroup(group) for stage in tracker.getJobInfo(job).stageIds)


def in_group(group, work):
    """Says what a piece of work results in, and which stages it had."""
    sc.setJobGroup(group, "work of " + group, interruptOnCancel=True)
    say(group, work())
    say(group + " stages", stages(group))


def sums():
    rows = spark.range(6_000_000).selectExpr("id % 7 AS k", "sqrt(id) AS v").groupBy("k").sum("v").orderBy("k")
    return [[row[0], round(row[1])] for row in rows.collect()]


def small():
    return burn.alphas(jsc, SMALL, 5)


def barrier():
    def meet(rows):
        BarrierTaskContext.get().barrier()
        return [sum(rows)]

    return sc.parallelize(range(10), 2).barrier().mapPartitions(meet).collect()


def python_udf():
    upstream = "sha2(concat(sha2(cast(id AS string), 512), sha2(cast(id * 3 AS string), 512)), 512) AS s"
    hashed = spark.range(0, 120_000, 1, 2).selectExpr(upstream)
    return hashed.select(udf(len, "int")("s").alias("n")).groupBy("n").count().collect()[0]["count"]


def cancelled():
    """Waits until both executors are at it, then cancels."""
    future = burn.endless(jsc, 2)
    tracker = sc.statusTracker()
    while sum(tracker.getStageInfo(stage).numActiveTasks for stage in tracker.getActiveStageIds()) < 2:
        time.sleep(0.05)
    sc.cancelJobGroup("cancelled")
    try:
        future.get()
    except Exception as e:
        return "cancelled" in str(e)


def status():
    """What the command line says about this driver, once both executors record."""
    pid = sc._jvm.java.lang.ProcessHandle.current().pid()
    while True:
        done = subprocess.run(
            [os.environ["CHARCLOTH_BIN"], "status", str(pid)], capture_output=True, text=True, check=False
        )
        if "recording: 2" in done.stdout or done.returncode != 0:
            return [done.returncode, done.stdout + done.stderr]
        time.sleep(0.2)


spark = SparkSession.builder.appName("zoo").getOrCreate()
sc, jsc = spark.sparkContext, spark.sparkContext._jsc
burn = sc._jvm.jobs.Burn
say("app", sc.applicationId)
say("executors", sorted(dict(burn.executors(jsc, 2))))
say("status", status())
say("both", burn.both(jsc, 30, 120))
say("alpha stages", stages("alpha"))
say("beta stages", stages("beta"))
in_group("sums", sums)
in_group("flaky", lambda: burn.flaky(jsc))
in_group("cancelled", cancelled)
in_group("barrier", barrier)
in_group("udf", python_udf)
in_group("small", small)
say("threads", list(burn.threads()))
spark.stop()
say("threads afterwards", list(burn.threads()))
burn.endAfterMain()
