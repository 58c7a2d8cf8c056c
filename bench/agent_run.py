"""How the measurements of the JVM agent run a program: without a profiler, under Charcloth, under async-profiler."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import os
import pathlib
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path.insert(0, str(ROOT / "tests" / "e2e"))

import jdks  # noqa: E402

JDKS = (17, 25)
PROGRAMS = HERE / "java"


@dataclasses.dataclass(frozen=True)
class Tool:
    """A profiler, or none."""

    name: str
    library: pathlib.Path | None
    extra: str = ""

    def options(self, settings, out):
        return f"start,{settings}{self.extra},file={out}"

    def arguments(self, settings, out):
        return [f"-agentpath:{self.library}={self.options(settings, out)}"] if self.library else []


def charcloth():
    return Tool("Charcloth", ROOT / "build" / "libcharcloth.so")


def async_profiler():
    return Tool("async-profiler", jdks.async_profiler(), ",jfr")


OFF = Tool("off", None)


@dataclasses.dataclass
class Bench:
    """One measurement on one JDK: where it works, how long it may take."""

    jdk: int
    folder: pathlib.Path
    quick: bool

    def pick(self, quick, full):
        return quick if self.quick else full

    def java(self):
        return str(jdks.java(self.jdk))

    def out(self, tool, name="rec"):
        path = self.folder / f"{name}-{tool.name}-{self.jdk}.jfr"
        path.unlink(missing_ok=True)
        return path

    def command(self, tool, settings, out, program, *arguments, flags=()):
        words = [self.java(), *flags, *tool.arguments(settings, out), "-cp", str(classes()), program, *arguments]
        return [str(word) for word in words]

    def run(self, tool, settings, program, *arguments, flags=(), env=None):
        """Runs a program to its end. Returns the recording and the lines it printed, split at tabs."""
        out = self.out(tool, program)
        command = self.command(tool, settings, out, program, *arguments, flags=flags)
        done = jdks.run(command, cwd=self.folder, env={**os.environ, **(env or {})}, timeout=600)
        for line in done.stderr.splitlines():
            say(f"  {tool.name}: {line}")
        return out, lines_of(done.stdout)

    @contextlib.contextmanager
    def process(self, tool, settings, program, *arguments, flags=()):
        """A program that runs beside us, its standard input and output at hand. It is killed at the end."""
        out = self.out(tool, program)
        command = self.command(tool, settings, out, program, *arguments, flags=flags)
        process = subprocess.Popen(
            command,
            cwd=self.folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        try:
            yield process, out
        finally:
            process.kill()
            process.wait()
            process.stdin.close()
            process.stdout.close()


@dataclasses.dataclass
class Row:
    """A line of the table."""

    what: str
    jdk: int
    ours: str
    peer: str
    goal: str
    met: bool | None  # None: there is no goal, the figure explains another one

    def verdict(self):
        return "" if self.met is None else "met" if self.met else "missed"


def lines_of(text):
    return [line.split("\t") for line in text.splitlines()]


def said(lines, word):
    """What follows a word, from each line that begins with it."""
    return [line[1:] for line in lines if line[0] == word]


def number(lines, word):
    return int(said(lines, word)[0][0])


def classes():
    """The directory with the compiled programs."""
    sources = sorted(PROGRAMS.glob("*.java"))
    key = hashlib.sha256(b"".join(source.read_bytes() for source in sources)).hexdigest()[:16]

    def compile_all(directory):
        jdks.run([jdks.javac(), "--release", "11", "-g", "-d", directory, *sources])

    return jdks.in_place(jdks.CACHE / "classes" / f"bench-{key}", compile_all)


def percent(part, whole):
    return 100 * part / whole if whole else 0.0


class Paired:
    """How much longer rounds took than their partners, in percent."""

    def __init__(self, some, none):
        self.low, self.middle, self.high = quartiles([100 * (a / b - 1) for a, b in zip(some, none)])
        # Neighbours on the host only ever add time: the quicker rounds of both say most about the difference.
        self.quick = 100 * (quartiles(some)[0] / quartiles(none)[0] - 1)

    def __str__(self):
        return f"{self.quick:+.2f} % (median of pairs {self.middle:+.2f} [{self.low:+.2f}, {self.high:+.2f}])"


def quartiles(values):
    """First quartile, median, third quartile."""
    low, middle, high = statistics.quantiles(values, n=4) if len(values) > 1 else [*values] * 3
    return low, middle, high


def say(text):
    print(text, file=sys.stderr, flush=True)
