"""The tools Charcloth is compared with, and how they get here.

Versions are pinned: a result names what it was measured against.
"""

from __future__ import annotations

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests" / "e2e"))

import jdks  # noqa: E402

INFERNO = "0.12.8"  # needs Rust 1.71
FLAMEGRAPH_PL = pathlib.Path("/usr/share/perl5/Devel/NYTProf/flamegraph.pl")


def jfrconv():
    """The command that starts async-profiler's converter."""
    return [str(jdks.java(17)), "-jar", str(jdks.maven_jar(jdks.JFR_CONVERTER))]


def jfrconv_name():
    return "jfrconv " + jdks.JFR_CONVERTER.rpartition(":")[2]


def inferno(program):
    """The path of inferno-flamegraph or inferno-collapse-perf, built on first use."""

    def build(directory):
        print(f"building inferno {INFERNO} …", file=sys.stderr, flush=True)
        command = ["cargo", "install", "--quiet", "--locked", "--root", directory, "--version", INFERNO, "inferno"]
        jdks.run(command, cwd="/")

    return jdks.in_place(jdks.CACHE / "cargo" / f"inferno-{INFERNO}", build) / "bin" / program


def flamegraph_pl():
    """Brendan Gregg's script as Debian ships it with libdevel-nytprof-perl."""
    if not FLAMEGRAPH_PL.exists():
        raise RuntimeError("flamegraph.pl is missing: run ./dev setup bench")
    return ["perl", str(FLAMEGRAPH_PL)]
