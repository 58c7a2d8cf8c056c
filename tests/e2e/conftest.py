"""Fixtures of the end-to-end tests.

charcloth, asan_charcloth   the program: call it with arguments, get a Result
jdk                         jdk(17) is the home of that JDK; 11, 17, 21 and 25 are there
jfr_summary                 event counts of a recording as the JDK's own tool sees them
recordings                  recordings of real JVMs, see recordings.Recording
peers                       other people's converters, for comparison
golden                      compare with a file in golden/; `pytest --update` writes it instead
"""

from __future__ import annotations

import dataclasses
import difflib
import os
import pathlib
import re
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE))

import jdks  # noqa: E402
import recordings as makers  # noqa: E402

TIMEOUT_S = 60


def pytest_addoption(parser):
    parser.addoption("--update", action="store_true", help="write the golden files instead of comparing with them")


@dataclasses.dataclass(frozen=True)
class Program:
    """An executable to be called with arguments."""

    path: pathlib.Path

    def __call__(self, *arguments, check=None, data=None, text=True, timeout=TIMEOUT_S, env=None, cwd=None):
        """Runs the program; `data` goes to its standard input, `check` is the exit status it must end with.

        A death by signal fails the test at once, whatever was to be checked. Returns a CompletedProcess; stdout and
        stderr are str, or bytes with text=False.
        """
        environment = {**os.environ, "NO_COLOR": "1", "LC_ALL": "C.UTF-8", **(env or {})}
        if isinstance(data, str) and not text:
            data = data.encode()
        done = subprocess.run(
            [str(self.path), *(str(word) for word in arguments)],
            input=data if data is not None else ("" if text else b""),
            capture_output=True,
            check=False,
            timeout=timeout,
            env=environment,
            cwd=cwd,
            **({"encoding": "utf-8", "errors": "surrogateescape"} if text else {}),
        )
        assert done.returncode >= 0, f"ended by signal {-done.returncode}:\n{done.stderr}"
        if check is not None:
            assert done.returncode == check, f"exit status {done.returncode}, not {check}:\n{done.stderr}"
        return done


def program(variable, default):
    path = pathlib.Path(os.environ.get(variable) or ROOT / default)
    if not path.exists():
        pytest.fail(f"{path} is not built: run ./dev build")
    return Program(path)


@pytest.fixture(scope="session")
def charcloth():
    """The release build, or what CHARCLOTH_BIN names."""
    return program("CHARCLOTH_BIN", "build/release/src/charcloth")


@pytest.fixture(scope="session")
def asan_charcloth():
    """The build with AddressSanitizer and UndefinedBehaviorSanitizer: any report ends it with a non-zero status."""
    return program("CHARCLOTH_ASAN_BIN", "build/asan/src/charcloth")


@pytest.fixture(scope="session")
def jdk():
    """jdk(version): the home directory of a JDK 11, 17, 21 or 25."""
    return jdks.java_home


@pytest.fixture(scope="session")
def jfr_summary():
    """jfr_summary(path, jdk=25): {event type: count} of a recording, from `jfr summary` of that JDK."""

    def summary(path, jdk=25):
        text = jdks.run([jdks.jfr_tool(jdk), "summary", path]).stdout
        rows = re.findall(r"^ ([\w.$]+) +(\d+) +\d+\s*$", text, re.MULTILINE)
        assert rows, f"jfr summary says nothing about {path}:\n{text}"
        return {name: int(number) for name, number in rows}

    return summary


@pytest.fixture(scope="session")
def recordings():
    """All recordings: a list of recordings.Recording (path, jdk, kind, truth). Made on first use, then cached."""
    return makers.every()


@pytest.fixture(scope="session")
def recording():
    """recording(kind, jdk): one of them, for tests that need no more."""
    return makers.record


@dataclasses.dataclass(frozen=True)
class Peers:
    """Other people's converters."""

    jfrconv_jar: pathlib.Path

    def jfrconv(self, *arguments):
        """Runs async-profiler's converter."""
        return jdks.run([jdks.java(17), "-jar", self.jfrconv_jar, *arguments])


@pytest.fixture(scope="session")
def peers():
    """Peers with `jfrconv_jar` and a way to run it."""
    return Peers(jdks.maven_jar(jdks.JFR_CONVERTER))


@pytest.fixture
def golden(request):
    """golden(name, text): the text must equal tests/e2e/golden/<name>; --update writes it."""
    update = request.config.getoption("--update")

    def compare(name, text):
        path = HERE / "golden" / name
        data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")
        if update:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            return
        if not path.exists():
            pytest.fail(f"there is no {path.relative_to(ROOT)}: look at the output, then run with --update")
        wanted = path.read_bytes()
        if data != wanted:
            lines = [part.decode("utf-8", "replace").splitlines() for part in (wanted, data)]
            pytest.fail("\n".join(difflib.unified_diff(*lines, f"golden/{name}", "output", lineterm="")))

    return compare
