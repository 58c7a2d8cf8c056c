"""A real HDFS and a real YARN on this machine, of one node each, and Spark applications that run there.

Everything lies below one folder, everybody listens on the loopback interface only, and nobody outlives the `with`.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import os
import pathlib
import shlex
import signal
import socket
import subprocess
import tempfile
import time

import jdks

import spark

HERE = pathlib.Path(__file__).resolve().parent
JOBS = HERE / "jobs" / "yarn"
JDK = 17
SPARK = "3.5"
# The Hadoop that this pyspark has inside, and what its clusters for tests need beside it.
MAVEN = (
    "org.apache.hadoop:hadoop-client-minicluster:3.3.4",
    "junit:junit:4.13.2",
    "org.hamcrest:hamcrest-core:1.3",
    "org.mockito:mockito-core:2.28.2",
    "org.bouncycastle:bcprov-jdk15on:1.60",
    "org.bouncycastle:bcpkix-jdk15on:1.60",
)
TIMEOUT_S = 240
# All processes of a cluster have this in their environment; its value is the folder.
MARK = "CHARCLOTH_TEST_CLUSTER"
# Small, since two cores carry all of it; the README's command says nothing of this, so it is the cluster's default.
DEFAULTS = {
    "spark.driver.memory": "512m",
    "spark.executor.memory": "512m",
    "spark.executor.instances": "2",
    "spark.executor.cores": "1",
    "spark.ui.enabled": "false",
    "spark.yarn.appMasterEnv.SPARK_LOCAL_IP": "127.0.0.1",
    "spark.executorEnv.SPARK_LOCAL_IP": "127.0.0.1",
}


def class_path():
    """The cluster's own classes come first: pyspark has one of YARN's, but not the servlets it was compiled with."""
    return os.pathsep.join([*(str(jdks.maven_jar(name)) for name in MAVEN), str(spark.home(SPARK) / "jars/*")])


@functools.cache
def jobs_folder():
    """The folder with jobs.jar: the classes of jobs/yarn/*.java; removed when Python ends."""
    folder = tempfile.TemporaryDirectory(prefix="charcloth-yarn-jobs-")
    classes = pathlib.Path(folder.name) / "classes"
    words = ["--release", "11", "-g", "-nowarn", "-proc:none", "-Xlint:-options", "-cp", class_path()]
    jdks.run([jdks.javac(), *words, "-d", classes, *sorted(JOBS.glob("*.java"))])
    jdks.run([jdks.javac().with_name("jar"), "cf", jobs_jar_in(folder), "-C", classes, "."])
    return folder


def jobs_jar_in(folder):
    return pathlib.Path(folder.name) / "jobs.jar"


def jobs_jar():
    return jobs_jar_in(jobs_folder())


def wait_for(found, what, alive=lambda: True):
    """The first true value of found(). Waits for as long as alive() says that it can still come, within the limit."""
    end = time.monotonic() + TIMEOUT_S
    while True:
        goes_on = alive() and time.monotonic() < end
        value = found()
        if value:
            return value
        assert goes_on, f"there is still no {what}"
        time.sleep(0.1)


@dataclasses.dataclass(frozen=True)
class Entry:
    """A file or folder of HDFS."""

    mode: str
    length: int  # that can be read
    path: str
    folder: bool

    @property
    def name(self):
        return self.path.rsplit("/", 1)[1]


class Application:
    """A Spark application in cluster mode: spark-submit waits for its end here, all else is in containers."""

    def __init__(self, cluster, process, log):
        self.cluster = cluster
        self.process = process
        self.log_path = log

    @property
    def log(self):
        """What spark-submit said."""
        return self.log_path.read_text(encoding="utf-8", errors="replace")

    @functools.cached_property
    def id(self):
        return wait_for(self.find_id, "application", self.runs)

    def find_id(self):
        return next((word for word in self.log.split() if word.startswith("application_")), None)

    def runs(self):
        return self.process.poll() is None

    def succeed(self):
        """Waits for its end, which must be a good one; containers may need a moment longer than their application."""
        assert self.process.wait(TIMEOUT_S) == 0, self.story()
        container = f"CONTAINER_ID=container_{self.id.split('_', 1)[1]}_"
        wait_for(lambda: not processes_with(container), f"end of {self.id}")
        return self

    def containers(self):
        """What its containers said, by their names: {"stdout": text, "stderr": text}. The first is the driver's."""
        found = {}
        for folder in sorted(self.cluster.folder.glob(f"data/yarn/*/*-logDir-*/{self.id}/container_*")):
            streams = [folder / name for name in ("stdout", "stderr") if (folder / name).exists()]
            found[folder.name] = {path.name: path.read_text(encoding="utf-8", errors="replace") for path in streams}
        return found

    @property
    def driver(self):
        return next(iter(self.containers().values()))

    @property
    def executors(self):
        return list(self.containers().values())[1:]

    def story(self):
        """All logs, for a failure."""
        said = {"spark-submit": self.log}
        for name, streams in self.containers().items() if self.find_id() else ():
            said.update({f"{name} {stream}": text for stream, text in streams.items()})
        return "\n".join(f"-- {name}\n{text[-4000:]}" for name, text in said.items())


class Cluster:
    """A running MiniCluster: asks it things, and submits to it."""

    def __init__(self, folder, process):
        self.folder = folder
        self.process = process
        self.applications = []

    @property
    def conf(self):
        return self.folder / "conf"

    def ask(self, *words):
        """The lines that it answers to a command."""
        self.process.stdin.write(" ".join(str(word) for word in words) + "\n")
        self.process.stdin.flush()
        lines = []
        while True:
            line = self.process.stdout.readline().rstrip("\n")
            assert line and not line.startswith("error"), f"{words}: {line or 'the cluster is gone'}"
            if line == "ok":
                return lines
            lines.append(line)

    def mkdir(self, path):
        self.ask("mkdir", path)

    def get(self, source, target):
        """Copies a file or folder out of HDFS, as `hdfs dfs -get` does."""
        self.ask("get", source, target)
        return target

    def ls(self, path):
        """All below a folder, by its path behind that."""
        found = {}
        for line in self.ask("ls", path):
            mode, length, name = line.split(" ", 2)
            found[name[len(path) :].strip("/")] = Entry(mode[1:], int(length), name, mode[0] == "d")
        return found

    def preempt(self, pid):
        """YARN takes the container of a process away."""
        variables = pathlib.Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
        (name,) = [word for word in variables if word.startswith(b"CONTAINER_ID=")]
        self.ask("preempt", name.decode().split("=")[1])

    def environment(self):
        kept = {key: value for key, value in os.environ.items() if not key.startswith(("SPARK_", "HADOOP_", "JAVA_"))}
        return {
            **kept,
            "JAVA_HOME": str(jdks.java_home(JDK)),
            "SPARK_HOME": str(spark.home(SPARK)),
            "SPARK_CONF_DIR": str(self.conf),
            "HADOOP_CONF_DIR": str(self.conf),
            "SPARK_LOCAL_IP": "127.0.0.1",
            MARK: str(self.folder),
            "SPARK_SUBMIT_OPTS": " ".join(jvm_options(self.folder)),
            "PATH": f"{spark.home(SPARK) / 'bin'}{os.pathsep}{os.environ['PATH']}",
        }

    def shell(self, line):
        """Gives a line with spark-submit in it to a shell, as a user does."""
        log = self.folder / f"submit-{len(self.applications)}.log"
        with log.open("wb") as out:
            process = subprocess.Popen(
                ["bash", "-c", line],
                cwd=self.folder,
                env=self.environment(),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self.applications.append(Application(self, process, log))
        return self.applications[-1]

    def submit(self, jar, conf, main, *arguments):
        """Submits a class of jobs.jar with the plugin's jar and a configuration."""
        words = ["spark-submit", "--master", "yarn", "--deploy-mode", "cluster", "--class", main, "--jars", jar]
        for key, value in conf.items():
            words += ["--conf", f"{key}={value}"]
        return self.shell(shlex.join(str(word) for word in [*words, jobs_jar(), *arguments]))


def jvm_options(folder):
    """This machine's name is that of the loopback interface, and temporary files stay in the folder."""
    return [f"-Djdk.net.hosts.file={folder / 'hosts'}", f"-Djava.io.tmpdir={folder / 'tmp'}"]


def prepare(folder):
    for name in ("conf", "data", "tmp"):
        (folder / name).mkdir()
    (folder / "hosts").write_text(f"127.0.0.1 localhost {socket.gethostname()}\n")
    options = jvm_options(folder)[0]
    every = {
        **DEFAULTS,
        "spark.yarn.jars": f"local:{spark.home(SPARK)}/jars/*",
        "spark.driver.extraJavaOptions": options,
        "spark.executor.extraJavaOptions": options,
    }
    lines = [f"{key} {value}\n" for key, value in every.items()]
    (folder / "conf/spark-defaults.conf").write_text("".join(lines))


def processes_with(variable):
    """The ids of processes that have something in their environment. Containers are sessions of their own, and cannot
    be told by anything else."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            if os.fsencode(variable) in path.read_bytes():
                found.append(int(path.parent.name))
    return found


def end(cluster):
    """Whatever became of the tests, nobody is left. The cluster goes first: it would start containers anew."""
    with contextlib.suppress(BrokenPipeError):
        cluster.process.stdin.close()
    with contextlib.suppress(subprocess.TimeoutExpired):
        cluster.process.wait(10)
    cluster.process.kill()
    cluster.process.wait()
    cluster.process.stdout.close()
    while pids := processes_with(f"{MARK}={cluster.folder}\0"):
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for application in cluster.applications:
            application.process.poll()


@contextlib.contextmanager
def running(folder):
    """A Cluster whose data is below a folder, which must be empty."""
    prepare(folder)
    words = [jdks.java(JDK), "-Xmx768m", *jvm_options(folder), f"-Dtest.build.data={folder / 'data'}"]
    words += ["--add-opens", "java.base/java.lang=ALL-UNNAMED"]  # for the web pages of YARN, which cannot be left out
    words += ["-cp", f"{class_path()}{os.pathsep}{jobs_jar()}", "MiniCluster", folder / "data", folder / "conf"]
    with (folder / "cluster.log").open("wb") as log:
        process = subprocess.Popen(
            [str(word) for word in words],
            cwd=folder,
            env={**os.environ, "JAVA_HOME": str(jdks.java_home(JDK)), MARK: str(folder)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            encoding="utf-8",
            start_new_session=True,
        )
    cluster = Cluster(folder, process)
    try:
        first = process.stdout.readline()
        assert first == "ready\n", (folder / "cluster.log").read_text(errors="replace")[-6000:]
        yield cluster
    finally:
        end(cluster)
