"""JVMs that are started with the agent, the truth that their programs print, and what was recorded of them."""

from __future__ import annotations

import dataclasses
import functools
import json
import os
import pathlib
import subprocess
import tempfile

import jdks

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
TIMEOUT_S = 120


def library():
    """The agent of the release build, or what CHARCLOTH_AGENT names."""
    return pathlib.Path(os.environ.get("CHARCLOTH_AGENT") or ROOT / "build/release/src/libcharcloth.so")


@functools.cache
def classes(program):
    """The folder with the classes of a program and of the Java side of the agent; removed when Python ends."""
    folder = tempfile.TemporaryDirectory(prefix="charcloth-classes-")
    sources = [HERE / "programs" / f"{program}.java", *sorted((ROOT / "java/src").rglob("*.java"))]
    jdks.run([jdks.javac(), "--release", "11", "-g", "-nowarn", "-d", folder.name, *sources])
    return folder


@dataclasses.dataclass(frozen=True)
class Run:
    """A JVM that has ended."""

    path: pathlib.Path  # of its recording
    output: str
    status: int

    def truth(self, word):
        """The number that the program printed behind a word."""
        found = [line.split()[1] for line in self.output.splitlines() if line.split()[:1] == [word]]
        assert len(found) == 1, f"'{word}' is not once in the output:\n{self.output}"
        return int(found[0])

    def events(self, kind):
        """The fields of all events of a type, as `jfr print --json` tells them."""
        tool = jdks.jfr_tool(25)
        text = jdks.run([tool, "print", "--json", "--stack-depth", "2048", "--events", kind, self.path]).stdout
        return [event["values"] for event in json.loads(text)["recording"]["events"]]


def command(version, options, program, *arguments, jvm=()):
    """The words that start a program of programs/ with the agent and these options of it."""
    agent = f"-agentpath:{library()}={options}"
    words = [jdks.java(version), agent, *jvm, "-cp", classes(program).name, program, *arguments]
    return [str(word) for word in words]


def run(version, path, options, program, *arguments, jvm=(), status=0, env=None):
    """Runs a program to its end while the agent records it to path; what it prints is the only output allowed."""
    done = subprocess.run(
        command(version, f"start,{options},file={path}", program, *arguments, jvm=jvm),
        capture_output=True,
        text=True,
        check=False,
        timeout=TIMEOUT_S,
        env={**os.environ, **(env or {})},
    )
    assert done.returncode == status, f"ended with {done.returncode}:\n{done.stdout}{done.stderr}"
    assert done.stderr == ""
    return Run(path, done.stdout, done.returncode)


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
