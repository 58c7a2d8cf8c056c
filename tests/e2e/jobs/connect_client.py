"""A query of a client of Spark Connect."""

import json
import sys

from pyspark.sql import SparkSession

spark = SparkSession.builder.remote(f"sc://127.0.0.1:{sys.argv[1]}").getOrCreate()
rows = spark.range(4_000_000).selectExpr("id % 7 AS k", "sqrt(id) AS v").groupBy("k").sum("v").orderBy("k").collect()
print(json.dumps(["sums", [[row[0], round(row[1])] for row in rows]]))
spark.stop()
