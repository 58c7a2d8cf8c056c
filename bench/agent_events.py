"""Allocations, live objects and locks: what a recording says in all against what the program did."""

from __future__ import annotations

import collections

from agent_run import Row, number, percent, said
from agent_truth import tools

import jfr

MB = 1_000_000
ALLOC = ("jdk.ObjectAllocationSample", "jdk.ObjectAllocationInNewTLAB", "jdk.ObjectAllocationOutsideTLAB")
LIVE = "profiler.LiveObject"
LOCKS = {"monitor": "jdk.JavaMonitorEnter", "brief": "jdk.JavaMonitorEnter", "lock": "jdk.ThreadPark"}


def bytes_of(sample):
    """The bytes that a sample of an allocation stands for."""
    fields = sample.fields
    return fields.get("weight") or fields.get("tlabSize") or fields.get("allocationSize", 0)


def live(bench):
    """50 MB held in objects of 1 KB."""
    held_mb = bench.pick(20, 50)
    figures = []
    for tool in tools():
        # for async-profiler live is a way to sample allocations, not an event of its own
        settings = "event=live" if tool.name == "Charcloth" else "event=alloc,live"
        out, lines = bench.run(tool, settings, "Held", held_mb, held_mb * 4, flags=["-Xmx512m"])
        seen = 0
        for sample in jfr.samples(out, LIVE):
            if "Held.main" in sample.stack and sample.about in ("Held$Kept", "[B", "byte[]"):
                seen += sample.fields.get("weight", sample.fields["allocationSize"])
        figures.append((seen, number(lines, "held")))
    texts = [f"{seen / MB:.1f} of {held / MB:.1f} MB" for seen, held in figures]
    seen, held = figures[0]
    yield Row(
        f"{held_mb} MB live in objects of 1 KB: reported", bench.jdk, *texts, "± 10 %", abs(seen / held - 1) <= 0.1
    )


def alloc(bench):
    """Allocated bytes against the truth."""
    errors = []
    for tool in tools():
        out, lines = bench.run(tool, "event=alloc,alloc=512k", "Allocs", bench.pick(500, 3000), flags=["-Xmx256m"])
        truth = {name: int(count) for name, count in said(lines, "allocated")}
        seen = collections.Counter()
        for sample in jfr.samples(out, *ALLOC):
            seen[sample.name] += bytes_of(sample)
        total = 100 * (sum(seen[name] for name in truth) / sum(truth.values()) - 1)
        worst = max((100 * (seen[name] / truth[name] - 1) for name in truth), key=abs)
        errors.append((total, worst))
    texts = [f"{total:+.1f} % in all; worst thread {worst:+.1f} %" for total, worst in errors]
    yield Row("allocated bytes against the truth", bench.jdk, *texts, "± 5 %", abs(errors[0][0]) <= 5)


def locks(bench):
    """Time waited for locks against the truth."""
    ratios = []
    for tool in tools():
        out, lines = bench.run(tool, "event=lock,lock=10us", "Locks", bench.pick(3, 8))
        seen = {
            word: sum(s.span_ns for s in jfr.samples(out, kind) if s.name.startswith(word + "-"))
            for word, kind in LOCKS.items()
        }
        ratios.append({word: percent(seen[word], number(lines, word)) for word in LOCKS})
    texts = [f"monitor {r['monitor']:.1f} %, held briefly {r['brief']:.1f} %, lock {r['lock']:.1f} %" for r in ratios]
    met = all(abs(ratio - 100) <= 10 for ratio in ratios[0].values())
    yield Row(
        "time waited at monitors (held 2 ms; 0.1 ms) and at a lock: reported of the truth",
        bench.jdk,
        *texts,
        "100 ± 10 %",
        met,
    )
