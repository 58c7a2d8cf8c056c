"""Measures the JVM agent against async-profiler, on two JDKs. docs/performance.md says how, and holds the last result.

Every row is measured with both tools in the same run, one after the other; where time counts, with a control that
compares off with off.
"""

from __future__ import annotations

import argparse
import pathlib
import shutil
import sys
import tempfile

import agent_cost
import agent_events
import agent_run
import agent_truth
from agent_run import Bench

ROWS = {
    "names": agent_truth.one_shot,
    "kill": agent_truth.killed,
    "shares": agent_truth.shares,
    "rename": agent_truth.renamed,
    "live": agent_events.live,
    "overhead": agent_cost.overhead,
    "handler": agent_cost.handler,
    "drops": agent_cost.dropped,
    "bytes": agent_cost.bytes_per_sample,
    "memory": agent_cost.memory,
    "wall": agent_cost.wall,
    "alloc": agent_events.alloc,
    "lock": agent_events.locks,
}

COLUMNS = ("What", "JDK", "Charcloth", "async-profiler", "Goal", "")


def markdown(rows, old=""):
    """The table; rows of an old one stay where they were not measured again."""
    lines = {}
    for line in old.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == len(COLUMNS) and cells[1].isdigit():
            lines[cells[0], cells[1]] = line
    for row in rows:
        cells = (row.what, str(row.jdk), row.ours, row.peer, row.goal, row.verdict())
        lines[row.what, str(row.jdk)] = "| " + " | ".join(cells) + " |"
    return "\n".join(["| " + " | ".join(COLUMNS) + " |", "|" + "---|" * len(COLUMNS), *lines.values()])


def measure(names, versions, quick, folder):
    """Runs the rows. Returns what was found, and sentences on what failed."""
    rows, failed = [], []
    for name in names:
        for version in versions:
            agent_run.say(f"agent {name}, JDK {version}: {ROWS[name].__doc__}")
            try:
                for row in ROWS[name](Bench(version, folder, quick)):
                    agent_run.say(f"  {row.what}: {row.ours} | {row.peer} | {row.goal}: {row.verdict()}")
                    rows.append(row)
            except (RuntimeError, OSError) as error:
                failed.append(f"{name}, JDK {version}: {error}")
    return rows, failed


def main(words, machine, page, write_page):
    parser = argparse.ArgumentParser(prog="./dev bench agent", description=__doc__)
    parser.add_argument("rows", nargs="*", metavar="ROW", help="some of " + ", ".join(ROWS) + "; all without")
    parser.add_argument("--quick", action="store_true", help="a few seconds each: a look, no result")
    parser.add_argument("--jdk", type=int, action="append", choices=agent_run.JDKS, help="only this one (17 and 25)")
    parser.add_argument(
        "--write", action="store_true", help="put what was measured into the table of docs/performance.md"
    )
    parser.add_argument("--keep", type=pathlib.Path, metavar="FOLDER", help="leave the recordings there")
    arguments = parser.parse_args(words)
    if unknown := set(arguments.rows) - set(ROWS):
        parser.error(f"there is no row '{unknown.pop()}'")
    if arguments.write and arguments.quick:
        parser.error("--write needs rows in full")
    folder = arguments.keep or pathlib.Path(tempfile.mkdtemp(prefix="charcloth-bench-"))
    folder.mkdir(parents=True, exist_ok=True)
    try:
        names, versions = arguments.rows or list(ROWS), arguments.jdk or agent_run.JDKS
        rows, failed = measure(names, versions, arguments.quick, folder.resolve())
    finally:
        if not arguments.keep:
            shutil.rmtree(folder)
    print(f"{machine}\n\n{markdown(rows)}")
    for sentence in failed:
        print(f"bench: {sentence}", file=sys.stderr)
    if arguments.write and rows:
        write_page(f"{machine}\n\n{markdown(rows, page)}")
    met = [row.met for row in rows]
    print(f"\n{met.count(True)} goals met, {met.count(False)} missed, {len(failed)} not measured")
    return 1 if failed else 0
