"""JVMs with the agent inside, and what it recorded of them.

run(…)       a program of java/ from start to end, the agent loaded with -agentpath
started(…)   the same, but handed over while it runs
samples(…)   what a recording holds, by a reader that shares no code with the project's own
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import hashlib
import os
import pathlib
import subprocess
import sys

import agents
import jdks

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.append(str(ROOT / "bench"))

import jfr  # noqa: E402 - the small reader of the measurements

# Programs of the measurements that tell what is needed here too.
BORROWED = ("OneShot", "OneShotPattern", "Rename", "Truth")
TIMEOUT_S = 180

CPU, WALL = "jdk.ExecutionSample", "profiler.WallClockSample"
ALLOC, LIVE = "jdk.ObjectAllocationSample", "profiler.LiveObject"
STATS = "charcloth.SamplerStats"


@functools.cache
def classes():
    """The folder with the compiled programs."""
    sources = sorted((HERE / "java").glob("*.java"))
    sources += [ROOT / "bench" / "java" / f"{name}.java" for name in BORROWED]
    key = hashlib.sha256(b"".join(source.name.encode() + source.read_bytes() for source in sources)).hexdigest()[:16]

    def compile_all(directory):
        jdks.run([jdks.javac(), "--release", "11", "-g", "-nowarn", "-d", directory, *sources])

    return jdks.in_place(jdks.CACHE / "classes" / f"hosts-{key}", compile_all)


@dataclasses.dataclass
class Host:
    """A program that ran, or runs, with the agent inside."""

    process: subprocess.Popen
    recording: pathlib.Path
    out: str = ""
    err: str = ""

    @property
    def pid(self):
        return self.process.pid

    @property
    def code(self):
        return self.process.returncode

    def said(self, word):
        """What follows a word, from each line that begins with it; lines are split at tabs."""
        rows = (line.split("\t") for line in self.out.splitlines())
        return [row[1:] for row in rows if row[0] == word]

    def number(self, word):
        return int(self.said(word)[0][0])

    def line(self):
        """The next line that the running program prints."""
        line = self.process.stdout.readline()
        self.out += line
        return line.rstrip("\n")

    def finish(self):
        """Waits for the end of the program."""
        out, err = self.process.communicate(timeout=TIMEOUT_S)
        self.out += out
        self.err += err
        return self


def command(version, program, arguments, options, recording, jvm):
    words = [jdks.java(version), "-Xmx256m", *jvm]
    if options is not None:
        place = "" if "file=" in options else f",file={recording}"
        words.append(f"-agentpath:{agents.library()}=start,{options}{place}")
    return [str(word) for word in [*words, "-cp", classes(), program, *arguments]]


@contextlib.contextmanager
def started(folder, version, program, *arguments, options="event=cpu", jvm=(), env=None):
    """A program that runs; options None: without the agent. It is killed at the end if it still runs."""
    recording = folder / "rec.jfr"
    process = subprocess.Popen(
        command(version, program, arguments, options, recording, jvm),
        cwd=folder,
        env={**os.environ, **(env or {})},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield Host(process, recording)
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            stream.close()


def run(folder, version, program, *arguments, options="event=cpu", jvm=(), env=None, code=0):
    """A program from start to end, which must end with the status `code`."""
    with started(folder, version, program, *arguments, options=options, jvm=jvm, env=env) as host:
        host.finish()
    assert host.code == code, f"{program} ended with {host.code}:\n{host.out[-4000:]}\n{host.err[-4000:]}"
    return host


@dataclasses.dataclass(frozen=True)
class Frame:
    name: str
    line: int
    kind: str


@dataclasses.dataclass(frozen=True)
class Sample:
    time: int
    """nanoseconds since 1970"""
    thread: str
    frames: tuple[Frame, ...]
    """the innermost first"""
    truncated: bool
    count: int
    state: str
    about: str
    """the class of the object"""

    @property
    def names(self):
        return [frame.name for frame in self.frames]

    def has(self, name):
        return any(frame.name == name for frame in self.frames)


def stack_of(chunk, key):
    found = chunk.value(key)
    if not found:
        return (), False
    frames = (Frame(chunk.method_name(f["method"]), f["lineNumber"], chunk.word(f["type"])) for f in found["frames"])
    return tuple(frames), bool(found["truncated"])


def samples(path, kind=CPU):
    """The samples of one type, in the order of the file."""
    found = []
    for chunk in jfr.chunks(path):
        stacks = {}
        for event in chunk.events(kind):
            fields = event.fields
            key = fields["stackTrace"]
            if key.number not in stacks:
                stacks[key.number] = stack_of(chunk, key)
            thread = chunk.thread(fields.get("sampledThread") or fields.get("eventThread"))
            found.append(
                Sample(
                    event.time,
                    chunk.word(thread.get("javaName")) or chunk.word(thread.get("osName")),
                    *stacks[key.number],
                    fields.get("samples", 1),
                    chunk.word(fields.get("state")) or "",
                    chunk.class_name(fields["objectClass"]) if "objectClass" in fields else "",
                )
            )
    return found


def last_stats(path):
    """What the agent counted, from the last event that tells it."""
    return list(jfr.events(path, STATS))[-1].fields


def share(some, all_of):
    """The part of the weight of `all_of` that `some` has."""
    whole = sum(sample.count for sample in all_of)
    return sum(sample.count for sample in some) / whole if whole else 0.0
