"""What a recording says against what the program did: names, shares, drops, and what a kill leaves behind."""

from __future__ import annotations

import bisect
import collections
import random
import re
import subprocess
import time

import agent_run
import jdks
from agent_run import Row, number, percent, said

import jfr

EDGE_NS = 100_000  # the clocks of a recording and of Java agree to some microseconds


def tools():
    return agent_run.charcloth(), agent_run.async_profiler()


class Spans:
    """Stretches of time that do not overlap, each with what was going on."""

    def __init__(self, spans):
        self.spans = sorted(spans)
        self.begins = [span[0] for span in self.spans]

    def at(self, moment):
        """What was going on then, if it was not just beginning or ending."""
        index = bisect.bisect(self.begins, moment) - 1
        if index < 0:
            return None
        begin, end, what = self.spans[index]
        return what if begin + EDGE_NS <= moment <= end - EDGE_NS else None


# --- classes that are run once and unloaded -------------------------------------------------------------------------


def named_right(out, lines):
    """Of the samples taken while a generated class ran: how many there are, how many name it, how many name another."""
    spans = Spans((int(begin), int(end), name) for name, begin, end in said(lines, "ran"))
    total = right = wrong = 0
    for sample in jfr.samples(out, jfr.CPU):
        name = spans.at(sample.time) if sample.name in ("main", "DestroyJavaVM") else None
        if name:
            found = {frame.rpartition(".")[0] for frame in sample.stack if frame.startswith("Generated")}
            total += 1
            right += found == {name}
            wrong += bool(found - {name})
    return total, right, wrong


def one_shot(bench):
    """6,000 one-shot classes."""
    for interval in ("10ms", "1ms"):
        results = []
        for tool in tools():
            out, lines = bench.run(
                tool, f"event=cpu,interval={interval}", "OneShot", bench.pick(1500, 6000), 1500, flags=["-Xmx128m"]
            )
            results.append((*named_right(out, lines), number(lines, "unloaded")))
        texts = [
            f"{percent(right, total):.1f} % of {total}, {wrong} wrong, {unloaded} classes unloaded"
            for total, right, wrong, unloaded in results
        ]
        total, right, wrong, _ = results[0]
        yield Row(
            f"one-shot classes, unloaded at once, {interval}: samples with the right name", bench.jdk, *texts,
            "≥ 99 %, none wrong", total > 0 and percent(right, total) >= 99 and not wrong,
        )  # fmt: skip


# --- killed at a random moment --------------------------------------------------------------------------------------


def opens(out):
    """Which readers open a recording: the `jfr` tools of two JDKs and ours."""
    if not out.exists():
        return []
    commands = {f"jfr {version}": [jdks.jfr_tool(version), "summary", out] for version in agent_run.JDKS}
    commands["charcloth"] = [agent_run.ROOT / "build" / "charcloth", "convert", "--quiet", out, "--format", "collapsed"]
    found = []
    for name, command in commands.items():
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
        # killed in the first moments there is nothing to show yet: what is lost then, the tail says
        if done.returncode == 0 or "no samples in the input" in done.stderr:
            found.append(name)
    return found


def killed_once(bench, tool, wait_s):
    """Kills a program under way. Returns whether every reader opens what it left, and the seconds lost."""
    with bench.process(tool, "event=cpu,interval=10ms", "Killed") as (process, out):
        process.stdout.readline()
        time.sleep(wait_s)
        process.kill()
        at = time.time_ns()
        process.wait()
    whole = len(opens(out)) == len(agent_run.JDKS) + 1
    try:
        lost = (at - jfr.last_time(out)) / 1e9
    except (jfr.DamagedError, OSError):
        lost = None
    return whole, lost


def killed(bench):
    """SIGKILL at a random moment."""
    rounds = bench.pick(4, 20)
    chance = random.Random(bench.jdk)
    results = collections.defaultdict(list)
    for _ in range(rounds):
        wait_s = chance.uniform(0.5, 5)
        for tool in tools():
            results[tool.name].append(killed_once(bench, tool, wait_s))
    texts = []
    for found in results.values():
        lost = [seconds for _, seconds in found if seconds is not None]
        tail = f"; lost at most {max(lost):.2f} s" if lost else ""
        texts.append(f"{sum(whole for whole, _ in found)} of {rounds} open{tail}")
    ours = results["Charcloth"]
    met = all(whole and lost is not None and lost <= 1.2 for whole, lost in ours)
    yield Row(
        "SIGKILL at a random moment: files that `jfr` 17, `jfr` 25 and charcloth open; tail lost", bench.jdk, *texts,
        "all; ≤ 1.2 s", met,
    )  # fmt: skip


# --- known shares of the CPU ----------------------------------------------------------------------------------------

LOADS = {
    "4": "4 threads",
    "20": "20 threads",
    "40": "40 threads",
    "short": "threads of 1–9 ms",
    "gc": "GC pressure",
    "jni": "JNI",
    "calls": "system calls",
}
OWN_THREADS = {
    "GC": re.compile(r"GC Thread|G1 |VM Thread|ParGC"),
    "compiler": re.compile(r"C[12] Comp"),
}


def group_of(name):
    """The group of a thread of Shares.java, of the JVM, or `other`."""
    if match := re.fullmatch(r"(duty\d+|short\d|stays|small|large|plain|deflate|read|write)-\d+", name):
        return match[1]
    return next((group for group, pattern in OWN_THREADS.items() if pattern.search(name)), "other")


def true_shares(lines):
    """CPU nanoseconds of each group, as the program says."""
    cpu = {group: int(ns) for group, ns in said(lines, "group")}
    for _, name, ns in said(lines, "task"):
        group = group_of(name)
        if group in OWN_THREADS:
            cpu[group] = cpu.get(group, 0) + int(ns)
    return cpu


def sampled_shares(out, lines, interval_ns):
    """CPU nanoseconds of each group, as the recording says, and of all."""
    begin, end = number(lines, "begin"), number(lines, "end")
    cpu = collections.Counter()
    for sample in jfr.samples(out, jfr.CPU):
        if begin <= sample.time <= end:
            cpu[group_of(sample.name)] += sample.count * interval_ns
    return cpu, sum(cpu.values())


def compare_shares(bench, tool, load, seconds):
    """Largest error of a group in points, sampled / real CPU of those groups, sampled / real CPU of the process."""
    flags = ["-Xmx256m", "-XX:+UseG1GC"]
    out, lines = bench.run(tool, "event=cpu,interval=10ms", "Shares", load, seconds, flags=flags)
    truth = true_shares(lines)
    seen, total = sampled_shares(out, lines, 10_000_000)
    true_sum, seen_sum = sum(truth.values()), sum(seen[group] for group in truth) or 1
    errors = {group: percent(seen[group], seen_sum) - percent(truth[group], true_sum) for group in truth}
    worst = max(errors, key=lambda group: abs(errors[group]))
    return {
        "error": abs(errors[worst]),
        "group": worst,
        "threads": seen_sum / true_sum,
        "process": total / number(lines, "process"),
        "detail": {g: (round(percent(truth[g], true_sum), 2), round(errors[g], 2)) for g in sorted(truth)},
    }


def shares(bench):
    """Known shares of the CPU."""
    for load, title in LOADS.items():
        # whether a short thread is seen is chance: more of them are needed
        seconds = bench.pick(5, 45 if load == "short" else 15)
        found = [compare_shares(bench, tool, load, seconds) for tool in tools()]
        texts = [
            f"{f['error']:.2f} points ({f['group']}); {f['threads']:.3f} of the threads', {f['process']:.3f} of the "
            "process's CPU"
            for f in found
        ]
        agent_run.say(f"  {load}: {found[0]['detail']}")
        met = found[0]["error"] <= 1 and abs(found[0]["threads"] - 1) <= 0.02 and abs(found[0]["process"] - 1) <= 0.02
        yield Row(
            f"known CPU shares, {title}: largest error; sampled / real", bench.jdk, *texts, "≤ 1 point; 1 ± 0.02", met
        )


# --- threads that are renamed for each task -------------------------------------------------------------------------


def renamed_right(out, lines):
    """Of the samples taken within a task: how many, how many bear its name, how many its method."""
    tasks = collections.defaultdict(list)
    for thread, begin, end, method, name in said(lines, "task"):
        tasks[int(thread)].append((int(begin), int(end), (name, method)))
    tasks = {thread: Spans(spans) for thread, spans in tasks.items()}
    total = named = placed = 0
    for sample in jfr.samples(out, jfr.CPU):
        task = tasks[sample.java_id].at(sample.time) if sample.java_id in tasks else None
        if task:
            total += 1
            named += sample.name == task[0]
            placed += task[1] in sample.stack
    return total, named, placed


def renamed(bench):
    """Threads that are renamed for each task."""
    seconds = bench.pick(5, 12)
    found = []
    for tool in tools():
        out, lines = bench.run(tool, "event=cpu,interval=10ms", "Rename", seconds, 4)
        found.append(renamed_right(out, lines))
    texts = [f"{percent(n, total):.1f} % of {total} (method: {percent(m, total):.1f} %)" for total, n, m in found]
    total, named, _ = found[0]
    yield Row(
        "thread renamed per task: samples with the name of their task", bench.jdk, *texts, "≥ 99 %",
        total > 0 and percent(named, total) >= 99,
    )  # fmt: skip
