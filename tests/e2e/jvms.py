"""The programs that tests run, and JVMs that live as long as a test needs them."""

from __future__ import annotations

import contextlib
import functools
import os
import pathlib
import subprocess
import tempfile

import jdks

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
# Where programs are: our own, then those of the measurements, which tell what is needed here too.
PROGRAMS = (HERE / "programs", ROOT / "bench" / "java")
PLUGIN = ROOT / "spark-plugin" / "src" / "main" / "java"
NOBODY = 65534
TMP = pathlib.Path("/tmp")  # noqa: S108 - where every HotSpot puts its socket


@functools.cache
def compiled():
    """The folder of all that is compiled, readable for everybody; removed when Python ends."""
    folder = tempfile.TemporaryDirectory(prefix="charcloth-classes-")
    pathlib.Path(folder.name).chmod(0o755)
    return folder


@functools.cache
def classes(name):
    """The folder with the classes of a program, and of what it uses: parts of others, the Java side of the agent."""
    home = next(folder for folder in PROGRAMS if (folder / f"{name}.java").exists())
    folder = pathlib.Path(compiled().name) / name
    path = os.pathsep.join(map(str, (*PROGRAMS, PLUGIN)))
    options = ["--release", "11", "-g", "-nowarn", "-implicit:class", "-sourcepath", path]
    sources = sorted(home.glob(f"{name}*.java"))  # a part may be loaded by its name only
    jdks.run([jdks.javac(), *options, "-d", folder, *sources])
    return folder


def forget():
    """Removes the compiled classes."""
    if compiled.cache_info().currsize:
        compiled().cleanup()
        compiled.cache_clear()
        classes.cache_clear()


class Jvm:
    """A running JVM in a folder of its own."""

    def __init__(self, process, folder, pid=None):
        self.process = process
        self.folder = folder
        self.pid = pid or process.pid

    def alive(self):
        return self.process.poll() is None

    def end(self):
        """Lets the program end by itself; what it printed after `up`."""
        out, _ = self.process.communicate(timeout=60)
        return out

    def left_behind(self):
        """Files of an attach in its folder and in /tmp."""
        here = [path.name for path in self.folder.iterdir() if path.name.startswith((".attach", ".charcloth"))]
        tmp = [path.name for path in TMP.iterdir() if path.name == f".attach_pid{self.pid}"]
        return here + tmp


def remove_socket(pid):
    """A JVM that was killed leaves it, and then it is in the way of another user's JVM that gets this pid."""
    (TMP / f".java_pid{pid}").unlink(missing_ok=True)


@contextlib.contextmanager
def running(version, *options, user=None, prefix=(), program="Idle", arguments=()):
    """A JVM with a program that has printed its first line; killed at the end if it still runs."""
    with tempfile.TemporaryDirectory(prefix="charcloth-jvm-") as name:
        folder = pathlib.Path(name)
        folder.chmod(0o755)
        as_user = {"user": user, "group": user, "extra_groups": []} if user is not None else {}
        if user is not None:
            os.chown(folder, user, user)
        command = [*prefix, jdks.java(version), "-Xmx64m", *options, "-cp", classes(program), program, *arguments]
        process = subprocess.Popen(
            [str(word) for word in command],
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            **as_user,
        )
        try:
            first = process.stdout.readline()
            assert first == "up\n", f"the JVM said {first!r}{process.stdout.read() if first else ''}"
            if user is not None:
                remove_socket(process.pid)
            yield Jvm(process, folder)
        finally:
            process.kill()
            process.wait()
            remove_socket(process.pid)
            process.stdin.close()
            process.stdout.close()
