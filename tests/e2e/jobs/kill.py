"""An executor is killed in the middle of a stage, once its recording has grown several times."""

import glob
import json
import os
import signal
import sys
import time

from pyspark.sql import SparkSession

folder, grown = sys.argv[1], int(sys.argv[2])


def recorded():
    """The size of what the output has of executor 0."""
    return sum(os.path.getsize(path) for path in glob.glob(f"{folder}/*/executor-0*.jfr"))


spark = SparkSession.builder.appName("kill").getOrCreate()
sc, jsc = spark.sparkContext, spark.sparkContext._jsc
burn = sc._jvm.jobs.Burn
pid = int(dict(burn.executors(jsc, 2))["0"])
sc.setJobGroup("endless", "until it is cancelled", interruptOnCancel=True)
future = burn.endless(jsc, 2)
size = recorded()
while grown:
    time.sleep(0.02)
    if recorded() > size:
        size, grown = recorded(), grown - 1
# Not at once: what is lost of a whole interval must be seen.
begun = time.time()
while time.time() < begun + 1:
    time.sleep(0.1)
os.kill(pid, signal.SIGKILL)
print(json.dumps(["killed", time.time()]))
sc.cancelJobGroup("endless")
try:
    future.get()
except Exception as e:
    print(json.dumps(["cancelled", "cancelled" in str(e)]))
print(json.dumps(["executors afterwards", sorted(dict(burn.executors(jsc, 2)))]))
print(json.dumps(["afterwards", burn.alphas(jsc, 4, 1)]))
spark.stop()
