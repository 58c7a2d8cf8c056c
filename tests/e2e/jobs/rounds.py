"""Executors come and go: in each round as many as there are places for are busy, then all of them leave."""

import json
import time

from pyspark.sql import SparkSession

ROUNDS, PLACES = 3, 2

spark = SparkSession.builder.appName("rounds").getOrCreate()
sc, jsc = spark.sparkContext, spark.sparkContext._jsc
burn, charcloth = sc._jvm.jobs.Burn, sc._jvm.dev.charcloth.spark.Charcloth
seen = set()
for _ in range(ROUNDS):
    now = set(dict(burn.executors(jsc, PLACES)))
    # Each has asked the driver by then whether it is to record.
    while sum(f"executor {one} on" in charcloth.status(jsc.sc()) for one in now) < PLACES:
        time.sleep(0.1)
    burn.alphas(jsc, 2 * PLACES, 300)
    seen |= now
    while "executors: 0" not in charcloth.status(jsc.sc()):
        time.sleep(0.1)
print(json.dumps(["executors", sorted(seen, key=int)]))
spark.stop()
