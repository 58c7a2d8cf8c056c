"""The driver of a server of Spark Connect; it ends when the client has got its answer."""

import os
import subprocess
import sys

from pyspark.sql import SparkSession

client, port, packages = sys.argv[1:]
spark = SparkSession.builder.appName("server").getOrCreate()
path = os.pathsep.join([packages, os.environ["PYTHONPATH"]])
print(
    subprocess.run(
        [sys.executable, client, port],
        env={"PATH": os.environ["PATH"], "PYTHONPATH": path},  # nothing of the driver's
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout
)
spark.stop()
