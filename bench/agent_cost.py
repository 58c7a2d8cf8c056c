"""What a profiler costs: CPU time, memory, bytes on disk, samples lost."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import re
import shutil
import statistics
import subprocess
import time

import agent_run
import attach
import jdks
from agent_run import Paired, Row, number, percent, quartiles
from agent_truth import tools

import jfr

# --- CPU time of a fixed amount of work -----------------------------------------------------------------------------


ROUNDS_IN_A_ROW = 6


class Worker:
    """A JVM with Work.java in it, in which one profiler is started and stopped between rounds."""

    def __init__(self, process, tool, folder):
        self.process, self.tool, self.folder = process, tool, folder
        process.stdout.readline()
        self.cpu = {"off": [], "off again": [], "on": []}
        self.asked = []  # ms of CPU time after which threads were asked, where the recording tells

    def once(self):
        """CPU nanoseconds of one round of work."""
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        for line in self.process.stdout:  # agents have their say on it too
            if line.startswith("took\t"):
                return int(line.split("\t")[1])
        raise RuntimeError(f"Work under {self.tool.name} has ended")

    def some(self):
        """Some rounds in a row. The first one does not count: a recording begins in it."""
        return [self.once() for _ in range(ROUNDS_IN_A_ROW + 1)][1:]

    def some_on(self, settings):
        out = self.folder / f"work-{self.tool.name}.jfr"
        options = self.tool.options(settings, out)
        attach.load(self.process.pid, self.tool.library, options)
        try:
            return self.some()
        finally:
            attach.load(self.process.pid, self.tool.library, f"stop,file={out}")
            self.asked += [event.fields["interval"] / 1e6 for event in jfr.events(out, "charcloth.SamplerStats")][-1:]
            out.unlink(missing_ok=True)

    def turn(self, settings, turn):
        """Each state once, another one first each time."""
        states = ["off", "on", "off again"]
        for state in states[turn % 3 :] + states[: turn % 3]:
            self.cpu[state] += self.some_on(settings) if state == "on" else self.some()

    def cost(self):
        """Percent of CPU time, against all rounds without: of both kinds, so that neither's luck counts for more."""
        without = self.cpu["off"] + self.cpu["off again"]
        return 100 * (quartiles(self.cpu["on"])[0] / quartiles(without)[0] - 1)

    def noise(self):
        return Paired(self.cpu["off again"], self.cpu["off"]).quick


class Costs:
    """What one profiler costs in some JVMs. Where a JVM puts its code and data is luck, so no single one will do."""

    def __init__(self, workers):
        self.each = sorted(worker.cost() for worker in workers)
        self.mean = statistics.mean(self.each)
        self.noise = statistics.mean(worker.noise() for worker in workers)
        self.asked = list(itertools.chain(*(worker.asked for worker in workers)))

    def __str__(self):
        asked = f"asked every {statistics.mean(self.asked):.1f} ms: " if self.asked else ""
        each = ", ".join(f"{cost:+.1f}" for cost in self.each)
        return f"{asked}{self.mean:+.2f} % (each {each}); off/off {self.noise:+.2f} %"


def floor(bench):
    """What the clock alone costs: signals into an empty handler of a program in C."""
    program = bench.folder / "floor"
    if not program.exists():
        command = [shutil.which("cc") or "gcc", "-O2", "-o", program, agent_run.HERE / "native" / "floor.c"]
        subprocess.run(command, check=True)
    done = jdks.run([program, "1000000", str(bench.pick(10, 80))])
    low, middle, high = quartiles([int(line) / 1000 for line in done.stdout.split()])
    yield Row(
        "of that at 1ms: an empty handler on the same clock, without a JVM", bench.jdk,
        f"{middle / 10:+.2f} %: {middle:.1f} µs a signal [{low:.1f}, {high:.1f}]", "–", "–", None,
    )  # fmt: skip


def workers_after(bench, arguments, settings, tools_to_run):
    """Each tool in a JVM of its own, after so many turns."""
    units, warm, turns = arguments
    flags = ["-Xms512m", "-Xmx512m", "-XX:+UseSerialGC"]
    if bench.jdk >= 21:
        flags.append("-XX:+EnableDynamicAgentLoading")
    workers = []
    with contextlib.ExitStack() as stack:
        for tool in tools_to_run:
            # loaded from outside: started without it
            at = bench.process(agent_run.OFF, "", "Work", units, warm, flags=flags)
            workers.append(Worker(stack.enter_context(at)[0], tool, bench.folder))
        for turn in range(turns):
            for worker in workers:
                worker.turn(settings, turn)
    return workers


def costs(bench, settings, turns, tools_to_run):
    """Costs of each tool, all measured at the same time, in one set of JVMs after the other."""
    units, warm, sets = bench.pick((10, 40, 2), (20, 200, 5))
    found = [workers_after(bench, (units, warm, turns), settings, tools_to_run) for _ in range(sets)]
    return [Costs(workers) for workers in zip(*found)]


def overhead(bench):
    """CPU overhead, paired rounds with a control."""
    unlimited = dataclasses.replace(agent_run.charcloth(), extra=",maxoverhead=100")
    # the less there is to see, the more rounds it takes
    plan = (("10ms", 0.5, bench.pick(2, 18), []), ("1ms", 2.0, bench.pick(2, 9), [unlimited]))
    for interval, limit, turns, more in plan:
        ours, peer, *others = costs(bench, f"event=cpu,interval={interval}", turns, [*tools(), *more])
        yield Row(
            f"CPU overhead at {interval}: mean of {len(ours.each)} JVMs", bench.jdk, str(ours), str(peer),
            f"≤ {limit} %, not above the peer", ours.mean <= limit and ours.mean <= max(peer.mean, 0),
        )  # fmt: skip
        for other in others:
            yield Row(f"the same with maxoverhead=100, at {interval}", bench.jdk, str(other), "–", "–", None)
    yield from floor(bench)


# --- CPU time inside the handler ------------------------------------------------------------------------------------


def handler(bench):
    """CPU time inside the signal handler."""
    log = bench.folder / "handler.log"
    runs, seconds, frames = *bench.pick((1, 5), (5, 20)), 36
    costs, middles = [], []
    for _ in range(runs):
        out, _ = bench.run(
            agent_run.charcloth(), "event=cpu,interval=10ms", "Deep", seconds, 4, frames,
            env={"CHARCLOTH_HANDLER_LOG": str(log)},
        )  # fmt: skip
        costs.append([int(line) / 1000 for line in log.read_text(encoding="ascii").split()])
        middles.append(statistics.median(costs[-1]))
    depth = statistics.median(len(sample.stack) for sample in jfr.samples(out, jfr.CPU))
    calls = sorted(itertools.chain(*costs))
    middle, late = statistics.median(calls), calls[len(calls) * 99 // 100]
    yield Row(
        f"CPU inside the handler, {depth:.0f} frames, {runs} runs: median, 99 %", bench.jdk,
        f"{middle:.1f} µs (of runs {min(middles):.1f} to {max(middles):.1f}), {late:.1f} µs of {len(calls)} calls",
        "–", "≤ 6 µs, ≤ 50 µs", middle <= 6 and late <= 50,
    )  # fmt: skip


# --- samples that are lost ------------------------------------------------------------------------------------------


def counted_drops(out):
    """What a recording of Charcloth says about samples that it dropped, and those it took."""
    last = list(jfr.events(out, "charcloth.SamplerStats"))[-1].fields
    return sum(count for name, count in last.items() if name.startswith("dropped")), last["taken"]


def skipped(bench, tool, arguments):
    """What async-profiler says about samples that it skipped, and all it counts: only its text output does."""
    text = bench.folder / "skipped.txt"
    options = f"-agentpath:{tool.library}=start,event=cpu,interval=1ms,summary,file={text}"
    bench.run(agent_run.OFF, "", "Deep", *arguments, flags=[options])
    found = text.read_text(encoding="utf-8")
    total = int(re.search(r"Total samples\s*:\s*(\d+)", found)[1])
    match = re.search(r"^\s*(?:skipped|ticks_skipped)\s*:\s*(\d+)", found, re.MULTILINE)
    return int(match[1]) if match else 0, total


def seen_and_expected(out, lines, interval_ns):
    seen = sum(s.count for s in jfr.samples(out, jfr.CPU) if s.name.startswith("deep-"))
    return seen, number(lines, "threads") / interval_ns


def dropped(bench):
    """Samples dropped with 64 busy threads."""
    arguments = (bench.pick(5, 20), 64, 36)
    ours, peer = tools()
    texts, met = [], False
    for tool in (ours, peer):
        out, lines = bench.run(tool, "event=cpu,interval=1ms", "Deep", *arguments)
        seen, expected = seen_and_expected(out, lines, 1_000_000)
        lost, taken = counted_drops(out) if tool is ours else skipped(bench, tool, arguments)
        silent = 100 - percent(seen + (lost if tool is ours else 0), expected)
        if tool is ours:
            met = percent(lost, lost + taken) < 0.1 and abs(silent) <= 2
        texts.append(
            f"{percent(lost, lost + taken):.2f} % counted as dropped; {seen} of {expected:.0f} seen, "
            f"{silent:.1f} % missing silently"
        )
    yield Row(
        "64 busy threads at 1 ms: samples dropped", bench.jdk, *texts, "< 0.1 % counted, none silent (± 2 %)", met
    )


# --- bytes ----------------------------------------------------------------------------------------------------------


def size_and_count(bench, tool, seconds):
    out, _ = bench.run(tool, "event=cpu,interval=10ms", "Planner", seconds, 2)
    found = list(jfr.samples(out, jfr.CPU))
    stacks = [sample.stack for sample in found if sample.name.startswith("planner")]
    return out.stat().st_size, len(found), statistics.mean(len(stack) for stack in stacks), len(set(stacks))


def bytes_per_sample(bench):
    """Bytes per sample with stacks of 70 frames and more."""
    runs, short, long = bench.pick((1, 5, 10), (3, 10, 30))
    texts, met = [], False
    for tool in tools():
        size, count, _, _ = size_and_count(bench, tool, short)
        # what the compiler inlines differs from run to run, and with it the stacks
        found = sorted((size_and_count(bench, tool, long) for _ in range(runs)), key=lambda run: run[0] / run[1])
        each = [more_size / more_count for more_size, more_count, _, _ in found]
        middle = each[runs // 2]
        _, more_count, depth, distinct = found[runs // 2]
        if tool.name == "Charcloth":
            met = middle <= 40
        texts.append(
            f"{middle:.0f} in {long} s (of runs {each[0]:.0f} to {each[-1]:.0f}; {size / count:.0f} in {short} s; "
            f"{depth:.0f} frames, {distinct} distinct stacks of {more_count})"
        )
    yield Row("bytes per sample, deep stacks, two threads, by CPU time", bench.jdk, *texts, f"≤ 40 in {long} s", met)


def resident_mib(bench, tool):
    """VmRSS in MiB of a JVM that has worked for a while, all of its heap touched and its compiler held small."""
    flags = ["-Xms128m", "-Xmx128m", "-XX:+AlwaysPreTouch", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
    with bench.process(tool, "event=cpu,interval=10ms", "Work", 1, bench.pick(20, 100), flags=flags) as (process, _):
        process.stdout.readline()
        time.sleep(bench.pick(1.5, 4))
        with open(f"/proc/{process.pid}/status", encoding="ascii") as file:
            return int(re.search(r"VmRSS:\s*(\d+)", file.read())[1]) / 1024


def memory(bench):
    """RSS added, and the size of the library."""
    rounds = bench.pick(3, 5)
    seen = {tool.name: [] for tool in (agent_run.OFF, *tools())}
    for _ in range(rounds):
        for tool in (agent_run.OFF, *tools()):
            seen[tool.name].append(resident_mib(bench, tool))
    middle = {name: statistics.median(values) for name, values in seen.items()}
    added = [middle[tool.name] - middle["off"] for tool in tools()]
    spread = max(seen["off"]) - min(seen["off"])
    texts = [f"{mib:.1f} MiB (off varies by {spread:.1f})" for mib in added]
    yield Row(f"RSS added, median of {rounds}", bench.jdk, *texts, "≤ 12 MiB", added[0] <= 12)
    sizes = [stripped_size(bench, tool) / 1024 for tool in tools()]
    texts = [f"{size:.0f} KiB" for size in sizes]
    yield Row("size of the stripped library", bench.jdk, *texts, "≤ 400 KiB", sizes[0] <= 400)


def stripped_size(bench, tool):
    copy = bench.folder / "stripped.so"
    shutil.copy(tool.library, copy)
    jdks.run(["strip", copy])
    return copy.stat().st_size


# --- wall -----------------------------------------------------------------------------------------------------------

IDLE, BUSY = 200, 2


def wall_once(bench, tool, seconds):
    """Bytes of the recording, CPU seconds a second beside the busy threads, and how much of the time was seen."""
    out, lines = bench.run(tool, "event=wall,interval=10ms", "Idle", seconds, IDLE, BUSY)
    span = number(lines, "end") - number(lines, "begin")
    cpu = (number(lines, "process") - number(lines, "busy")) / span
    if not tool.library:
        return 0, cpu, {}
    # a sample that stands for a long time may bear the time of its beginning: all of the recording counts
    seen = {"idle": 0, "busy": 0}
    for sample in jfr.samples(out, jfr.WALL):
        kind = sample.name.partition("-")[0]
        if kind in seen:
            seen[kind] += sample.span_ns if tool.name == "Charcloth" else sample.count * 10_000_000
    lived = number(lines, "end") - number(lines, "waiting")
    ratios = {"idle": seen["idle"] / IDLE / lived, "busy": seen["busy"] / BUSY / span}
    return out.stat().st_size / (IDLE + BUSY) / (lived / 1e9), cpu, ratios


def wall(bench):
    """Wall clock, 200 idle and 2 busy threads."""
    rounds, seconds = bench.pick((1, 5), (1, 30))
    found = {tool.name: [] for tool in (agent_run.OFF, *tools())}
    for _ in range(rounds):
        for tool in (agent_run.OFF, *tools()):
            found[tool.name].append(wall_once(bench, tool, seconds))
    off = statistics.median(cpu for _, cpu, _ in found["off"])
    figures = []
    for tool in tools():
        runs = found[tool.name]
        figures.append(
            (
                statistics.median(size for size, _, _ in runs),
                statistics.median(cpu for _, cpu, _ in runs) - off,
                {kind: statistics.median(ratios[kind] for _, _, ratios in runs) for kind in ("idle", "busy")},
            )
        )
    texts = [
        f"{size:.1f} B; {cpu:.3f} core; idle {r['idle']:.3f}, busy {r['busy']:.3f} of real time"
        for size, cpu, r in figures
    ]
    size, cpu, _ = figures[0]
    yield Row(
        f"wall at 10 ms, {IDLE} idle and {BUSY} busy threads, {seconds} s: bytes per thread and second; CPU beyond off",
        bench.jdk, *texts, "≤ 20 B; ≤ 0.02 core", size <= 20 and cpu <= 0.02,
    )  # fmt: skip
