"""A small query; ends with the status that the first argument says."""

import json
import sys

from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("A simple job").getOrCreate()
spark.sparkContext.setJobGroup("sums", "the sums")
rows = spark.range(4_000_000).selectExpr("id % 7 AS k", "sqrt(id) AS v").groupBy("k").sum("v").orderBy("k").collect()
print(json.dumps(["sums", [[row[0], round(row[1])] for row in rows]]))
print(json.dumps(["app", spark.sparkContext.applicationId]))
spark.stop()
sys.exit(int(sys.argv[1]) if len(sys.argv) > 1 else 0)
