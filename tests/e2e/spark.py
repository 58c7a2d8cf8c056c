"""Real Spark: fetched from PyPI and run by spark-submit with the plugin; all that it writes is in a test's folder."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

import jdks
import pytest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
JOBS = HERE / "jobs"
TIMEOUT_S = 300

# The release of pyspark, and the JDK it runs on.
RELEASES = {"3.2": ("3.2.4", 11), "3.5": ("3.5.3", 17), "4.0": ("4.0.0", 17), "4.3": ("4.3.0", 17)}
# What Spark Connect needs in Python beside pyspark.
CONNECT = ("grpcio==1.71.0", "grpcio-status==1.71.0", "googleapis-common-protos==1.69.2", "pandas==2.2.3",
           "pyarrow==18.1.0", "numpy==1.26.4")  # fmt: skip
PLUGIN = "dev.charcloth.spark.CharclothPlugin"
LOCAL, CLUSTER = "local[2]", "local-cluster[2,1,1024]"


def plugin_jar():
    """The jar of the build, or what CHARCLOTH_JAR names."""
    return pathlib.Path(os.environ.get("CHARCLOTH_JAR") or ROOT / "build/charcloth-spark.jar")


def program():
    """The command line of the build, or what CHARCLOTH_BIN names."""
    return pathlib.Path(os.environ.get("CHARCLOTH_BIN") or ROOT / "build/release/src/charcloth")


def packages(name, *wanted):
    """A folder with Python packages, with all that they need."""

    def fetch(directory):
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
        jdks.run([*pip, "--target", directory, *wanted])

    return jdks.in_place(jdks.CACHE / "spark" / name, fetch)


@functools.cache
def home(version):
    """The home of a Spark: the package pyspark."""
    release = RELEASES[version][0]
    return packages(f"pyspark-{release}", f"pyspark=={release}") / "pyspark"


@functools.cache
def jobs_folder(version):
    """The folder with jobs.jar: the classes of jobs/*.java, compiled for a Spark; removed when Python ends."""
    folder = tempfile.TemporaryDirectory(prefix="charcloth-jobs-")
    classes = pathlib.Path(folder.name) / "classes"
    words = ["--release", "8", "-g", "-nowarn", "-proc:none", "-Xlint:-options", "-cp", home(version) / "jars/*"]
    jdks.run([jdks.javac(), *words, "-d", classes, *sorted(JOBS.glob("*.java"))])
    jdks.run([jdks.javac().with_name("jar"), "cf", jobs_jar_in(folder), "-C", classes, "."])
    return folder


def jobs_jar_in(folder):
    return pathlib.Path(folder.name) / "jobs.jar"


def own_home(version, folder):
    """A home like Spark's own: its cluster in a process keeps the files of executors below its home."""
    own = folder / "home"
    own.mkdir()
    for path in home(version).iterdir():
        (own / path.name).symlink_to(path)
    return own


@dataclasses.dataclass(frozen=True)
class Ended:
    """An application that has ended."""

    version: str  # of Spark
    folder: pathlib.Path
    status: int
    out: str
    log: str  # of the driver

    @functools.cached_property
    def said(self):
        """What a job of jobs/ said: {word: value}."""
        return dict(json.loads(line) for line in self.out.splitlines() if line.startswith('["'))

    @functools.cached_property
    def executor_logs(self):
        """{executor id: its log}."""
        logs = self.folder.glob("home/work/app-*/*/stderr")
        return {path.parent.name: path.read_text(encoding="utf-8", errors="replace") for path in logs}

    def warnings(self, log=None):
        """What the plugin warned of, in the driver or in a log of an executor."""
        lines = (self.log if log is None else log).splitlines()
        found = [re.match(r".* WARN (\w+): (.*)", line) for line in lines]
        return [match[2] for match in found if match and match[1] in CLASSES]

    @property
    def output(self):
        return self.folder / "out"

    @functools.cached_property
    def recordings(self):
        """The folder of the one application in the output."""
        (only,) = self.output.iterdir()
        return only

    @property
    def files(self):
        """The names in that folder, all of them."""
        return sorted(path.name for path in self.recordings.iterdir())

    def left_behind(self):
        """What the plugin has left in the temporary folder of the driver and of executors."""
        return sorted(path.name for path in (self.folder / "tmp").iterdir() if "charcloth" in path.name)


CLASSES = {path.stem for path in (ROOT / "spark-plugin/src/main/java/dev/charcloth").rglob("*.java")}


def options(folder, version, master, conf, plugin):
    """The options of spark-submit; a value of None leaves a key out."""
    tmp = f"-Djava.io.tmpdir={folder / 'tmp'}"
    every = {
        "spark.ui.enabled": "false",
        "spark.scheduler.minRegisteredResourcesRatio": "1.0",
        "spark.scheduler.maxRegisteredResourcesWaitingTime": "2m",
        "spark.local.dir": folder / "local",
        "spark.sql.warehouse.dir": folder / "warehouse",
        "spark.sql.shuffle.partitions": "2",
        "spark.driver.memory": "768m",
        "spark.driver.extraJavaOptions": tmp,
        "spark.executor.extraJavaOptions": tmp,
        **({"spark.plugins": PLUGIN, "spark.charcloth.output": f"file://{folder / 'out'}"} if plugin else {}),
        **(conf or {}),
    }
    jars = [jobs_jar_in(jobs_folder(version)), *([plugin_jar()] if plugin else [])]
    words = ["--master", master, "--jars", ",".join(str(jar) for jar in jars)]
    for key, value in every.items():
        words += ["--conf", f"{key}={value}"] if value is not None else []
    return words


def submit(folder, version, *words, master=LOCAL, conf=None, env=None, plugin=True):
    """Runs an application to its end in a folder of its own: its script or jar, arguments and options in `words`."""
    for name in ("tmp", "local"):
        (folder / name).mkdir(parents=True)
    own = own_home(version, folder)
    environment = {
        **{key: value for key, value in os.environ.items() if not key.startswith(("SPARK_", "PYSPARK_", "JAVA_"))},
        "JAVA_HOME": str(jdks.java_home(RELEASES[version][1])),
        "SPARK_HOME": str(own),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYSPARK_PYTHON": sys.executable,
        "PYTHONDONTWRITEBYTECODE": "1",
        "CHARCLOTH_BIN": str(program()),
        **(env or {}),
    }
    command = [own / "bin/spark-submit", *options(folder, version, master, conf, plugin), *words]
    out, log = folder / "stdout", folder / "stderr"
    with out.open("w") as to, log.open("w") as errors:
        process = subprocess.Popen(
            [str(word) for word in command],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=to,
            stderr=errors,
            start_new_session=True,
        )
        try:
            process.wait(TIMEOUT_S)
            wait_for_executors(process)
        except subprocess.TimeoutExpired:
            pytest.fail(f"not ended within {TIMEOUT_S} s: {out.read_text()}\n{log.read_text()[-6000:]}")
        finally:
            end_session(process)
    return Ended(version, folder, process.returncode, out.read_text(encoding="utf-8"), log.read_text(encoding="utf-8"))


def wait_for_executors(process):
    """The driver does not wait for its executors, which end by themselves: they have their session's id."""
    until = time.monotonic() + TIMEOUT_S
    with contextlib.suppress(ProcessLookupError):
        while time.monotonic() < until:
            os.killpg(process.pid, 0)
            time.sleep(0.05)


def end_session(process):
    """Ends what is left of an application: nobody waits for executors whose driver was killed."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def python(folder, version, job, *arguments, status=0, **how):
    """Runs jobs/<job>.py, which must end with a status."""
    ended = submit(folder, version, JOBS / f"{job}.py", *arguments, **how)
    assert ended.status == status, f"{job} ended with {ended.status}:\n{ended.out}\n{ended.log[-6000:]}"
    return ended


def folded(path, *labels, more=()):
    """The CPU samples of a recording or folder: [({label: value}, stack from the root, count)]."""
    words = [program(), "convert", path, "--by", ",".join(labels), "--format", "collapsed", "--quiet", *more, "-o", "-"]
    rows = []
    for line in jdks.run(words).stdout.splitlines():
        stack, count = line.rsplit(" ", 1)
        frames = stack.split(";")
        said = dict(frame.split("=", 1) for frame in frames[: len(labels)])
        rows.append((said, frames[len(labels) :], int(count)))
    return rows


def total(rows, through=None, **labels):
    """How many samples have these labels, and a frame that ends so."""
    return sum(
        count
        for said, stack, count in rows
        if all(said[label] == str(value) for label, value in labels.items())
        and (through is None or any(frame.endswith(through) for frame in stack))
    )


def events(path, kind):
    """The fields of all events of a type in a recording, as the JDK's own tool tells them."""
    text = jdks.run([jdks.jfr_tool(17), "print", "--json", "--events", kind, path]).stdout
    return [event["values"] for event in json.loads(text)["recording"]["events"]]


@dataclasses.dataclass(frozen=True)
class Task:
    """A task as a recording tells it: begun, and ended or not."""

    begun: dict
    ended: dict | None

    @property
    def result(self):
        return self.ended["result"] if self.ended else None


def tasks(folder):
    """All tasks of the recordings in a folder, in the order of their ids.

    One that goes on is told again in every chunk. Threads that help it have spans of it too, without a result.
    """
    begun, ended = {}, {}
    for path in sorted(folder.glob("*.jfr")):
        for span in events(path, "charcloth.TaskSpan"):
            if not span["eventThread"]["javaName"].startswith("Executor task launch worker"):
                continue
            number = span["taskId"]
            if span["result"] is None:
                assert begun.setdefault(number, span)["startTime"] == span["startTime"]
            else:
                assert number not in ended, f"task {number} ends twice"
                ended[number] = span
    assert set(ended) <= set(begun)
    return [Task(span, ended.get(number)) for number, span in sorted(begun.items())]
