"""JVMs with the agent inside, and what it recorded of them.

run(…)       a program from start to end, the agent loaded with -agentpath
started(…)   the same, but handed over while it runs
samples(…)   what a recording holds, by a reader that shares no code with the project's own
events(…)    the same by the JDK's
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import pathlib
import subprocess
import sys

import jdks
import jvms

ROOT = jvms.ROOT
sys.path.append(str(ROOT / "bench"))

import jfr  # noqa: E402 - the small reader of the measurements

TIMEOUT_S = 180

CPU, WALL = "jdk.ExecutionSample", "profiler.WallClockSample"
ALLOC, LIVE = "jdk.ObjectAllocationSample", "profiler.LiveObject"
STATS = "charcloth.SamplerStats"


def library():
    """The agent of the release build, or what CHARCLOTH_AGENT names."""
    return pathlib.Path(os.environ.get("CHARCLOTH_AGENT") or ROOT / "build/release/src/libcharcloth.so")


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
        """The number behind the word, which begins one line only."""
        found = [line.split()[1] for line in self.out.splitlines() if line.split()[:1] == [word]]
        assert len(found) == 1, f"'{word}' is not once in the output:\n{self.out}"
        return int(found[0])

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
        words.append(f"-agentpath:{library()}=start,{options}{place}")
    return [str(word) for word in [*words, "-cp", jvms.classes(program), program, *arguments]]


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


def events(path, kind):
    """The fields of all events of a type, as `jfr print --json` tells them."""
    command = [jdks.jfr_tool(25), "print", "--json", "--stack-depth", "2048", "--events", kind, path]
    return [event["values"] for event in json.loads(jdks.run(command).stdout)["recording"]["events"]]


def method(frame):
    """Class.method of a frame of an event."""
    return f"{frame['method']['type']['name']}.{frame['method']['name']}"


def total(events, field, through=None):
    """The sum of a field over the events, or over those whose stack goes through a method."""
    return sum(
        event[field]
        for event in events
        if through is None or any(method(frame) == through for frame in event["stackTrace"]["frames"])
    )
