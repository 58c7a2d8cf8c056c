"""Recordings of real JVMs, made once and kept in the cache directory.

programs/Busy.java runs for a few seconds under each JDK and each way of recording below. A recording's place in the
cache is named by a hash of everything that shapes it: the program, the settings, the command line, the JDK's version.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import pathlib
import shutil

import jdks

HERE = pathlib.Path(__file__).resolve().parent
PROGRAM = HERE / "programs" / "Busy.java"
SETTINGS = HERE / "data" / "all-events.jfc"
SECONDS = 4


@dataclasses.dataclass(frozen=True)
class Recording:
    """One recording and what is known about it from elsewhere."""

    path: pathlib.Path
    """The .jfr file. It is shared by all tests: never write to it."""
    jdk: int
    """The feature release of the JDK that ran the program: 11, 17, 21 or 25."""
    kind: str
    """A name out of KINDS."""
    truth: dict[str, int]
    """What the program counted itself: exceptions, parks, socket_reads, file_writes."""

    @property
    def name(self):
        return f"{self.kind}-{self.jdk}"


# How a recording is made: name, the JDKs it is made with, the arguments of java. {out} is the file to be written.
KINDS = {
    # every event that Charcloth reads, no thresholds
    "jfr-all": (jdks.VERSIONS, ["-XX:StartFlightRecording:filename={out},settings={settings}"]),
    # what people mostly have: the JDK's own settings
    "jfr-profile": (jdks.VERSIONS, ["-XX:StartFlightRecording:filename={out},settings=profile"]),
    # many chunks in one file
    "jfr-chunks": ((17, 25), ["-XX:StartFlightRecording:filename={out},settings={settings}", "-Dbusy.rotate=true"]),
    # async-profiler, one engine each and several at once
    "async-cpu": ((11, 17, 21, 25), ["-agentpath:{agent}=start,event=cpu,interval=1ms,jfr,file={out}"]),
    "async-wall": ((17,), ["-agentpath:{agent}=start,event=wall,interval=5ms,jfr,file={out}"]),
    "async-all": ((11, 17, 21, 25), ["-agentpath:{agent}=start,event=cpu,interval=2ms,wall=20ms,alloc=16k,lock=10us,"
                               "nativemem=64k,jfr,file={out}"]),
    "async-live": ((17,), ["-agentpath:{agent}=start,alloc=16k,live,jfr,file={out}"]),
    # the JDK's recorder and async-profiler in one file
    "async-jfrsync": ((17,), ["-agentpath:{agent}=start,event=cpu,interval=2ms,wall=20ms,jfrsync=profile,file={out}"]),
}  # fmt: skip


def classes():
    """The directory with the compiled program."""
    source = PROGRAM.read_bytes()

    def compile_program(directory):
        jdks.run([jdks.javac(), "--release", "11", "-g", "-d", directory, PROGRAM])

    return jdks.in_place(jdks.CACHE / "classes" / hashlib.sha256(source).hexdigest()[:16], compile_program)


def key(kind, version):
    """What the recording depends on, as a short name."""
    parts = [kind, str(version), str(SECONDS), repr(KINDS[kind][1]), jdks.ASYNC_PROFILER]
    parts.append((jdks.java_home(version) / "release").read_text(encoding="utf-8"))
    parts += [PROGRAM.read_text(encoding="utf-8"), SETTINGS.read_text(encoding="utf-8")]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def record(kind, version):
    """Makes the recording, or finds it in the cache."""

    def make(directory):
        out = directory / "recording.jfr"
        class_path = str(classes())
        names = {"out": out, "settings": SETTINGS, "agent": ""}
        if kind.startswith("async"):
            names["agent"] = jdks.async_profiler()
            class_path += f":{jdks.maven_jar(jdks.ASYNC_PROFILER)}"
        arguments = [word.format(**names) for word in KINDS[kind][1]]
        # the directory is renamed afterwards: only the program's output and the recording may stay in it
        done = jdks.run(
            [jdks.java(version), "-Xmx192m", *arguments, "-cp", class_path, "Busy", SECONDS], cwd=directory, timeout=120
        )
        truth = dict(line.split("=") for line in done.stdout.splitlines() if "=" in line and line[0].islower())
        numbers = {name: int(value) for name, value in truth.items() if value.isdigit()}
        if not out.exists():
            raise RuntimeError(f"no recording was written:\n{done.stdout}{done.stderr}")
        (directory / "truth.json").write_text(json.dumps(numbers), encoding="utf-8")

    folder = jdks.in_place(jdks.CACHE / "recordings" / f"{kind}-{version}-{key(kind, version)}", make)
    truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
    return Recording(folder / "recording.jfr", version, kind, truth)


def every(kinds=None):
    """All recordings (or those of some kinds), made one after the other: they share the machine's cores."""
    return [record(kind, version) for kind in kinds or KINDS for version in KINDS[kind][0]]


def forget():
    """Removes all recordings from the cache."""
    shutil.rmtree(jdks.CACHE / "recordings", ignore_errors=True)


if __name__ == "__main__":
    for one in every():
        print(f"{one.path.stat().st_size:>10} {one.name:<18} {one.path}")
