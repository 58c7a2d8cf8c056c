#!/usr/bin/env python3
"""Measures Charcloth against other tools. docs/performance.md says how, and holds the last result."""

from __future__ import annotations

import argparse
import dataclasses
import datetime
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

import inputs
import peers
import plugin

import agent

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "performance.md"
MARKS = "<!-- bench:begin -->", "<!-- bench:end -->"
ONE_CORE = ["taskset", "-c", "0"]
PATIENCE_S = 240  # a tool that has taken this long in all is not run again
MIB = 1 << 20


@dataclasses.dataclass
class Run:
    """One run of one program."""

    seconds: float
    peak_mib: float


@dataclasses.dataclass
class Contender:
    """A program in a comparison, and what was measured of it."""

    name: str
    command: list[str]
    """{out} stands for the file to be written"""
    stdout: bool = False
    """whether the result comes on standard output instead"""
    runs: list[Run] = dataclasses.field(default_factory=list)
    total: int | None = None

    @property
    def seconds(self):
        return statistics.median(run.seconds for run in self.runs)

    @property
    def peak_mib(self):
        return statistics.median(run.peak_mib for run in self.runs)

    def spent(self):
        return sum(run.seconds for run in self.runs)

    def run_once(self, out):
        """Runs the program and keeps time and memory. Raises when it fails."""
        command = [word.replace("{out}", str(out)) for word in self.command]
        out.unlink(missing_ok=True)
        with tempfile.TemporaryFile() as errors, open(out if self.stdout else os.devnull, "wb") as stdout:
            begin = time.monotonic()
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=stdout, stderr=errors)
            _, status, usage = os.wait4(process.pid, 0)
            seconds = time.monotonic() - begin
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode != 0:
                errors.seek(0)
                text = errors.read()[-2000:].decode("utf-8", "replace")
                raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}:\n{text}")
        self.runs.append(Run(seconds, usage.ru_maxrss * 1024 / MIB))


@dataclasses.dataclass
class Goal:
    """What is asked of a ratio or a size."""

    text: str
    met: Callable[[Contender, Contender | None], bool]
    value: Callable[[Contender, Contender | None], str]


def faster(times):
    return Goal(
        f"≥ {times}× faster",
        lambda ours, peer: peer.seconds >= times * ours.seconds,
        lambda ours, peer: f"{peer.seconds / ours.seconds:.1f}×",
    )


def smaller(times):
    return Goal(
        f"≤ 1/{times} of the memory",
        lambda ours, peer: ours.peak_mib * times <= peer.peak_mib,
        lambda ours, peer: f"1/{peer.peak_mib / ours.peak_mib:.1f}",
    )


def below_mb(limit):
    return Goal(
        f"< {limit} MB",
        lambda ours, _: ours.peak_mib * MIB < limit * 1e6,
        lambda ours, _: f"{ours.peak_mib * MIB / 1e6:.0f} MB",
    )


@dataclasses.dataclass
class Case:
    """One row of work: an input, a peer or none, ours on one core and on all."""

    key: str
    title: str
    source: Callable[[], pathlib.Path]
    ours: Callable[[pathlib.Path], list[str]]
    peer: Callable[[pathlib.Path], Contender] | None
    total: Callable[[pathlib.Path], int | None]
    goals: list[Goal]


def total_of_folded(path):
    """The sum of all counts in a collapsed file."""
    with open(path, "rb") as file:
        return round(sum(float(line.rpartition(b" ")[2]) for line in file if line.strip()))


def total_of_svg(path):
    """The count of the frame `all` in a flame graph, as its title says; None when there is no such title."""
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            if match := re.search(r">all \(([\d,.]+) \w+", line):
                return int(match[1].replace(",", "").replace(".", ""))
    return None


def convert(source, *options):
    """Arguments of `charcloth convert`; the ending of the result is part of the case."""
    return ["convert", "--quiet", str(source), *options]


JFR_TITLES = {
    inputs.jfr: "JFR of JDK 17, 100 MB+",
    inputs.async_jfr: "JFR of async-profiler, 100 MB+",
    inputs.big_jfr: "JFR of 1 GB",
}


def jfr_case(key, event, source, peer, goals):
    return Case(
        key,
        f"{JFR_TITLES[source]}, {event} → collapsed",
        source,
        lambda path: [*convert(path, "--event", event), "-o", "{out}.collapsed"],
        peer,
        total_of_folded,
        goals,
    )


def jfrconv_for(option):
    def contender(path):
        words = [*peers.jfrconv(), *option, "-o", "collapsed", str(path), "{out}.collapsed"]
        return Contender(peers.jfrconv_name(), words)

    return contender


def inferno_flamegraph(path):
    words = [str(peers.inferno("inferno-flamegraph")), str(path)]
    return Contender(f"inferno {peers.INFERNO}", words, stdout=True)


def flamegraph_pl(path):
    return Contender("flamegraph.pl", [*peers.flamegraph_pl(), str(path)], stdout=True)


def inferno_perf(path):
    words = [str(peers.inferno("inferno-collapse-perf")), str(path)]
    return Contender(f"inferno {peers.INFERNO}", words, stdout=True)


def to_svg(path):
    return [*convert(path), "-o", "{out}.svg"]


def perf_to_collapsed(path):
    """With periods as weights, as inferno has them."""
    return [*convert(path, "--total"), "-o", "{out}.collapsed"]


CASES = [
    jfr_case("jfr", "alloc", inputs.jfr, jfrconv_for(["--alloc"]), [faster(10), smaller(5)]),
    jfr_case("jfr-cpu", "cpu", inputs.jfr, jfrconv_for([]), [faster(10), smaller(5)]),
    jfr_case("async", "alloc", inputs.async_jfr, jfrconv_for(["--alloc"]), [faster(10), smaller(5)]),
    jfr_case("async-cpu", "cpu", inputs.async_jfr, jfrconv_for(["--cpu"]), [faster(10), smaller(5)]),
    Case("svg", "folded → SVG", inputs.folded, to_svg, inferno_flamegraph, total_of_svg, [faster(3)]),
    Case("svg-pl", "folded → SVG", inputs.folded, to_svg, flamegraph_pl, total_of_svg, [faster(50)]),
    Case("perf", "perf script → collapsed", inputs.perf_script, perf_to_collapsed, inferno_perf, total_of_folded,
         [faster(3)]),
    jfr_case("big", "alloc", inputs.big_jfr, None, [below_mb(300)]),
]  # fmt: skip


def measure(case, charcloth, rounds, folder):
    """Runs the contenders of a case in turns. Returns [ours on all cores, ours on one, peer or None]."""
    source = case.source()
    inputs.warm(source)
    words = [str(charcloth), *case.ours(source)]
    ours = Contender("all cores", words)
    one = Contender("one core", [*ONE_CORE, *words])
    peer = case.peer(source) if case.peer else None
    contenders = [contender for contender in (peer, ours, one) if contender]
    for number in range(rounds):
        for contender in contenders:
            if number and contender.spent() > PATIENCE_S:
                continue
            say(f"{case.key}: round {number + 1} of {rounds}, {contender.name}")
            result = run_contender(contender, folder)
            if number == 0:
                contender.total = case.total(result)
            result.unlink()
    say("")
    return ours, one, peer


def run_contender(contender, folder):
    """One run; returns the file that was written."""
    out = folder / "out"
    contender.run_once(out)
    written = [path for path in folder.iterdir() if path.stat().st_size]
    if len(written) != 1:
        raise RuntimeError(f"{contender.name} wrote {len(written)} files")
    for path in folder.iterdir():
        if path != written[0]:
            path.unlink()
    return written[0]


def say(text):
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)
    elif text:
        print(text, file=sys.stderr, flush=True)


def agreement(ours, one, peer):
    """Whether all results say the same sum: `yes`, or what they say."""
    totals = {contender.name: contender.total for contender in (ours, one, peer) if contender}
    return (
        "yes"
        if len(set(totals.values())) == 1 and None not in totals.values()
        else ", ".join(f"{name}: {total}" for name, total in totals.items())
    )


def rows_of(case, ours, one, peer):
    """Table rows of a case, one per goal, each with whether its goal is met."""
    agreed = agreement(ours, one, peer)
    for goal in case.goals:
        # a different result is no result, and a goal for speed holds on all cores: that is what users get
        met = goal.met(ours, peer) and agreed == "yes"
        yield {
            "work": f"{case.title} ({inputs.shape_of(case.source())})",
            "peer": f"{peer.name}: {peer.seconds:.2f} s, {peer.peak_mib:.0f} MiB ({len(peer.runs)}×)" if peer else "–",
            "all": f"{ours.seconds:.2f} s, {ours.peak_mib:.0f} MiB",
            "one": f"{one.seconds:.2f} s, {one.peak_mib:.0f} MiB",
            "ratio": f"{goal.value(ours, peer)} (one core: {goal.value(one, peer)})",
            "goal": goal.text,
            "met": "met" if met else "missed",
            "agree": agreed,
        }


PAGE_GOALS = [
    ("first_paint_ms", "first paint", 1000, "ms"),
    ("zoom_ms", "zoom", 50, "ms"),
    ("search_ms", "search", 300, "ms"),
    ("bytes_per_frame", "file size per frame", 12, "bytes"),
]


def page_rows():
    """What the page's own benchmark measured in the browser: one JSON object on its last line."""
    if not (ROOT / "web" / "bench" / "page.mjs").exists():
        return
    say("page: one million frames in the browser")
    command = ["npm", "--prefix", str(ROOT / "web"), "run", "--silent", "bench"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    say("")
    if done.returncode != 0:
        raise RuntimeError(f"web/bench/page.mjs ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    found = json.loads(done.stdout.strip().splitlines()[-1])
    if found.get("errors"):
        raise RuntimeError(f"the page reported errors: {found['errors']}")
    for key, name, limit, unit in PAGE_GOALS:
        value, note = found[key], ""
        if isinstance(value, dict):
            value, note = value["median"], f" (worst {value['worst']:.4g})"
        met = value <= limit if unit == "bytes" else value < limit
        sign = "≤" if unit == "bytes" else "<"
        yield {
            **dict.fromkeys(COLUMNS, "–"),
            "work": f"page of {found['nodes']:,} frames: {name}",
            "ratio": f"{value:.4g} {unit}{note}",
            "goal": f"{sign} {limit} {unit}",
            "met": "met" if met else "missed",
        }


COLUMNS = {"work": "Work", "peer": "Peer", "all": "Charcloth, all cores", "one": "Charcloth, one core"}
COLUMNS |= {"ratio": "Result", "goal": "Goal", "met": "", "agree": "Same totals"}


def markdown(rows):
    lines = ["| " + " | ".join(COLUMNS.values()) + " |", "|" + "---|" * len(COLUMNS)]
    lines += ["| " + " | ".join(row[key] for key in COLUMNS) + " |" for row in rows]
    return "\n".join(lines)


def machine():
    """What the numbers depend on, without naming the machine."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        model = re.search(r"^model name\s*:\s*(.*)$", file.read(), re.MULTILINE)
    cores = len(os.sched_getaffinity(0))
    today = datetime.datetime.now(datetime.timezone.utc).date()
    return f"Measured on {today} with {cores} cores ({model[1] if model else os.uname().machine})."


def read_page(marks):
    begin, end = marks
    return PAGE.read_text(encoding="utf-8").partition(begin)[2].partition(end)[0]


def write_page(text, marks=MARKS):
    begin, end = marks
    page = PAGE.read_text(encoding="utf-8")
    before, _, rest = page.partition(begin)
    _, _, after = rest.partition(end)
    PAGE.write_text(f"{before}{begin}\n{text}\n{end}{after}", encoding="utf-8")


# What has a command line and a table of its own.
PARTS = {
    "agent": (agent.main, ("<!-- bench-agent:begin -->", "<!-- bench-agent:end -->")),
    "spark": (plugin.main, ("<!-- bench-spark:begin -->", "<!-- bench-spark:end -->")),
}


def main():
    if sys.argv[1:2] and sys.argv[1] in PARTS:
        measure, marks = PARTS[sys.argv[1]]
        return measure(sys.argv[2:], machine(), read_page(marks), lambda text: write_page(text, marks))
    others = "`./dev bench agent` measures the JVM agent, `./dev bench spark` the Spark plugin."
    parser = argparse.ArgumentParser(description=__doc__, epilog=others)
    keys = [case.key for case in CASES] + ["page"]
    parser.add_argument("cases", nargs="*", metavar="CASE", help="some of " + ", ".join(keys) + "; all without")
    parser.add_argument("--rounds", type=int, default=5, help="how often each program runs (5)")
    parser.add_argument("--write", action="store_true", help="put the table into docs/performance.md")
    parser.add_argument("--inputs", action="store_true", help="only make the inputs")
    parser.add_argument("--charcloth", default=ROOT / "build" / "release" / "src" / "charcloth", type=pathlib.Path)
    arguments = parser.parse_args()
    if unknown := set(arguments.cases) - set(keys):
        parser.error(f"there is no case '{unknown.pop()}'")
    if arguments.write and arguments.cases:
        parser.error("--write needs all cases")
    chosen = [case for case in CASES if case.key in (arguments.cases or keys)]
    if arguments.inputs:
        for case in chosen:
            print(case.source())
        return 0

    rows, failed = [], []
    folder = pathlib.Path(tempfile.mkdtemp(prefix="charcloth-bench-"))
    try:
        for case in chosen:
            try:
                rows += rows_of(case, *measure(case, arguments.charcloth, arguments.rounds, folder))
            except RuntimeError as error:
                failed.append(f"{case.key}: {error}")
        if "page" in (arguments.cases or keys):
            try:
                rows += page_rows()
            except RuntimeError as error:
                failed.append(f"page: {error}")
    finally:
        shutil.rmtree(folder)

    text = f"{machine()}\n\n{markdown(rows)}"
    print(text)
    for sentence in failed:
        print(f"bench: {sentence}", file=sys.stderr)
    if arguments.write and not failed:
        write_page(text)
    missed = [row for row in rows if row["met"] != "met"]
    print(f"\n{len(rows) - len(missed)} goals met, {len(missed)} missed, {len(failed)} not measured")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
