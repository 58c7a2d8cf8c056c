"""A task hangs until its second attempt has overtaken it."""

import json

from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("straggler").getOrCreate()
sc, jsc = spark.sparkContext, spark.sparkContext._jsc
burn = sc._jvm.jobs.Burn
print(json.dumps(["straggling", burn.straggling(jsc)]))
# Its executor has room for another task once it has ended.
burn.executors(jsc, 2)
spark.stop()
