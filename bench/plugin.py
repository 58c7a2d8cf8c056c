"""Measures the Spark plugin. docs/performance.md says how, and holds the last result.

Every row is a job of bench/spark on a real Spark (PyPI's pyspark), which says itself what it did.
"""

from __future__ import annotations

import argparse
import pathlib
import random
import re
import statistics
import sys
import tempfile

import agent_run
import jdks
from agent_run import Paired, number, said, say

import jfr
import spark

VERSION = "3.5"
FLUSH_S = 10
MAIN = "dev.charcloth.spark.Rows"
COLUMNS = ("What", "Measured", "Goal", "")
SOURCES = pathlib.Path(__file__).resolve().parent / "spark"


class Bench:
    """Where the measurements work, how long they may take."""

    def __init__(self, folder, quick):
        self.folder, self.quick, self.runs = folder, quick, 0

    def pick(self, quick, full):
        return quick if self.quick else full

    def jar(self):
        """The jobs, compiled against Spark and the plugin."""
        jar = self.folder / "rows.jar"
        if not jar.exists():
            path = f"{spark.home(VERSION)}/jars/*:{spark.plugin_jar()}"
            words = ["--release", "8", "-g", "-nowarn", "-proc:none", "-Xlint:-options", "-cp", path]
            classes = self.folder / "classes"
            jdks.run([jdks.javac(), *words, "-d", classes, *sorted(SOURCES.rglob("*.java"))])
            jdks.run([jdks.javac().with_name("jar"), "cf", jar, "-C", classes, "."])
        return jar

    def submit(self, *words, master=spark.LOCAL, conf=None):
        """Runs a job to its end. Returns it, and the lines that it printed, split at tabs."""
        self.runs += 1
        options = {
            # In one class loader with the plugin, whose package they are in.
            "spark.driver.extraClassPath": f"{spark.plugin_jar()}:{self.jar()}",
            "spark.executor.extraClassPath": f"{spark.plugin_jar()}:{self.jar()}",
            "spark.scheduler.mode": "FAIR",
            **(conf or {}),
        }
        ended = spark.submit(
            self.folder / f"run-{self.runs}", VERSION, "--class", MAIN, self.jar(), *words, master=master, conf=options
        )
        if ended.status != 0:
            raise RuntimeError(f"{words} ended with {ended.status}: {ended.log[-2000:]}")
        return ended, agent_run.lines_of(ended.out)


def stages(bench):
    """Two stages at once, each in its own method."""
    ended, _ = bench.submit("stages", bench.pick(5, 60))
    rows = spark.folded(ended.recordings, "job_group")
    mine = {name: spark.total(rows, f"Rows.{name}") for name in ("alpha", "beta")}
    right = sum(spark.total(rows, f"Rows.{name}", job_group=name) for name in mine)
    bare = sum(spark.total(rows, f"Rows.{name}", job_group="-") for name in mine)
    whole = sum(mine.values())
    yield (
        "two stages at once: samples under the wrong stage; of task threads without a stage",
        f"{whole - right - bare} of {whole}; {100 * bare / whole:.3f} %",
        "0; < 0.1 %",
        right + bare == whole and bare < whole / 1000,
    )


def is_generated(frame):
    return "GeneratedClass$" in frame


def plans(bench):
    """Whole-stage code by name."""
    n = bench.pick(20, 150)
    ended, _ = bench.submit("plans", n)
    called = named = 0
    for _, stack, count in spark.folded(ended.recordings, "stage"):
        # Whoever is called by this method is generated code.
        after = [b for a, b in zip(stack, stack[1:]) if a.endswith("BufferedRowIterator.hasNext")]
        if after:
            called += count
            named += count * is_generated(after[-1])
    yield (
        f"whole-stage code of {n} plans: samples with the name of its class and method",
        f"{100 * named / max(called, 1):.2f} % of {called}",
        "≥ 99 %",
        called > 0 and named >= 0.99 * called,
    )


def time(bench):
    """Run time of a job."""
    _, lines = bench.submit("work", bench.pick(4, 80), conf={"spark.charcloth.autoStart": "false"})
    took = {state: [] for state in ("off", "on", "off again")}
    for state, ns in said(lines, "took"):
        took[state].append(int(ns))
    on, again = (Paired(took[state], took["off"]) for state in ("on", "off again"))
    yield (
        f"run time of a job, {len(took['on'])} paired rounds: lower quartiles, recorded with the defaults",
        f"{on}; off/off {again}",
        "< 1 % beyond the control",
        on.quick - again.quick < 1,
    )


def kill(bench):
    """An executor killed in the middle of a stage."""
    tails = []
    for _ in range(bench.pick(1, 5)):
        millis = random.randint(12_000, 22_000)
        ended, lines = bench.submit("kill", millis, master="local-cluster[1,2,1024]")
        ((executor, killed_ms),) = said(lines, "killed")
        files = ended.recordings.glob(f"executor-{executor}*.jfr")
        tails.append(int(killed_ms) / 1000 - max(jfr.last_time(path) for path in files) / 1e9)
    yield (
        f"executor killed by SIGKILL in a stage, {len(tails)} rounds: the end that is missing",
        f"at most {max(tails):.1f} s",
        f"≤ {FLUSH_S} s + 1 s",
        max(tails) <= FLUSH_S + 1,
    )


def tasks(bench):
    """What the callbacks of a task cost."""
    _, lines = bench.submit("tasks", bench.pick(5_000, 20_000))
    cost = number(lines, "task")
    yield "start and end of a task, while recording", f"{cost / 1000:.1f} µs", "< 5 µs", cost < 5000


def init(bench):
    """How long an executor waits for the plugin at its start."""
    waits = []
    for _ in range(bench.pick(1, 5)):
        ended, _ = bench.submit("plans", 1, master=spark.CLUSTER)
        for log in ended.executor_logs.values():
            waits += [int(ms) for ms in re.findall(r"Charcloth is ready in executor \S+ after (\d+) ms", log)]
    middle = statistics.median(waits)
    yield (
        f"start of an executor, waiting for the plugin: median and worst of {len(waits)}",
        f"{middle:.0f} ms, {max(waits)} ms",
        "< 100 ms",
        max(waits) < 100,
    )


def size(bench):
    """The jar."""
    del bench
    n = spark.plugin_jar().stat().st_size
    yield "the jar, with the agents for x64 and arm64", f"{n / 1e6:.2f} MB", "< 1.5 MB", n < 1.5e6


ROWS = {"stages": stages, "plans": plans, "time": time, "kill": kill, "tasks": tasks, "init": init, "size": size}


def markdown(rows, old=""):
    """The table; rows of an old one stay where they were not measured again."""
    lines = {}
    for line in old.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == len(COLUMNS) and cells[-1] in ("met", "missed"):
            lines[cells[0]] = line
    for what, measured, goal, met in rows:
        lines[what] = "| " + " | ".join((what, measured, goal, "met" if met else "missed")) + " |"
    return "\n".join(["| " + " | ".join(COLUMNS) + " |", "|" + "---|" * len(COLUMNS), *lines.values()])


def main(words, machine, page, write_page):
    parser = argparse.ArgumentParser(prog="./dev bench spark", description=__doc__)
    parser.add_argument("rows", nargs="*", metavar="ROW", help="some of " + ", ".join(ROWS) + "; all without")
    parser.add_argument("--quick", action="store_true", help="a few seconds each: a look, no result")
    parser.add_argument(
        "--write", action="store_true", help="put what was measured into the table of docs/performance.md"
    )
    arguments = parser.parse_args(words)
    if unknown := set(arguments.rows) - set(ROWS):
        parser.error(f"there is no row '{unknown.pop()}'")
    if arguments.write and arguments.quick:
        parser.error("--write needs rows in full")
    rows, failed = [], 0
    with tempfile.TemporaryDirectory(prefix="charcloth-bench-") as folder:
        bench = Bench(pathlib.Path(folder), arguments.quick)
        for name in arguments.rows or ROWS:
            say(f"spark {name}: {ROWS[name].__doc__}")
            try:
                rows += ROWS[name](bench)
            except (RuntimeError, OSError) as error:
                print(f"bench: {name}: {error}", file=sys.stderr)
                failed += 1
    print(f"{machine}\n\n{markdown(rows)}")
    if arguments.write and not failed:
        write_page(f"{machine}\n\n{markdown(rows, page)}")
    return 1 if failed else 0
