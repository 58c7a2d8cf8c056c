"""The tools Charcloth is compared with, and how they get here.

Versions are pinned: a result names what it was measured against.
"""

from __future__ import annotations

import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests" / "e2e"))

import jdks  # noqa: E402

# The newest inferno needs Rust 1.71; the older one is the last that Debian 12's own compiler (1.63) can build.
INFERNO = ((71, "0.12.8"), (0, "0.11.15"))
FLAMEGRAPH_PL = pathlib.Path("/usr/share/perl5/Devel/NYTProf/flamegraph.pl")


def jfrconv():
    """The command that starts async-profiler's converter."""
    return [str(jdks.java(17)), "-jar", str(jdks.maven_jar(jdks.JFR_CONVERTER))]


def jfrconv_name():
    return "jfrconv " + jdks.JFR_CONVERTER.rpartition(":")[2]


def inferno_version():
    text = jdks.run(["cargo", "--version"]).stdout
    minor = int(re.search(r"cargo (?:1|0)\.(\d+)", text)[1])
    return next(version for least, version in INFERNO if minor >= least)


def inferno(program):
    """The path of inferno-flamegraph or inferno-collapse-perf, built on first use."""
    version = inferno_version()

    def build(directory):
        print(f"building inferno {version} …", file=sys.stderr, flush=True)
        command = ["cargo", "install", "--quiet", "--locked", "--root", directory, "--version", version, "inferno"]
        jdks.run(command, cwd="/")

    return jdks.in_place(jdks.CACHE / "cargo" / f"inferno-{version}", build) / "bin" / program


def flamegraph_pl():
    """Brendan Gregg's script as Debian ships it with libdevel-nytprof-perl."""
    if not FLAMEGRAPH_PL.exists():
        raise RuntimeError("flamegraph.pl is missing: run ./dev setup bench")
    return ["perl", str(FLAMEGRAPH_PL)]
