"""Recording is switched on and off while the application runs."""

import json
import time

from pyspark.sql import SparkSession


def say(word, value):
    print(json.dumps([word, value]), flush=True)


def wait_for(text):
    """Asks for the status until a text is in it."""
    while text not in charcloth.status(jsc.sc()):
        time.sleep(0.1)
    return charcloth.status(jsc.sc())


spark = SparkSession.builder.appName("on and off").getOrCreate()
sc, jsc = spark.sparkContext, spark.sparkContext._jsc
burn, charcloth = sc._jvm.jobs.Burn, sc._jvm.dev.charcloth.spark.Charcloth
say("app", sc.applicationId)
burn.executors(jsc, 2)
say("before", wait_for("executors: 2, recording: 0"))
charcloth.start(jsc.sc(), "event=wall,interval=5ms")
say("on", wait_for("executors: 2, recording: 2"))
burn.alphas(jsc, 4, 300)
charcloth.stop(jsc.sc())
say("off", wait_for("executors: 2, recording: 0"))
burn.betas(jsc, 4, 300)
charcloth.start(jsc.sc(), "")
wait_for("executors: 2, recording: 2")
burn.alphas(jsc, 4, 300)
spark.stop()
say("afterwards", list(burn.threads()))
