#!/usr/bin/env python3
"""Runs clang-tidy over the sources of a build directory, and remembers what was clean.

A file is read again only when it, a header it includes, its compiler flags, the rules or clang-tidy itself changed.
What is remembered holds no paths, so that all checkouts share it. Tests are left out: the analyzer does not know that a
failed cmocka assertion does not return.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ("src", "fuzz")


def headers(build):
    """{object: files of this repository that went into it}, as the compiler told ninja."""
    text = subprocess.run(["ninja", "-C", build, "-t", "deps"], capture_output=True, text=True, check=True).stdout
    found, current = {}, []
    for line in text.splitlines():
        if match := re.match(r"(\S+): #deps", line):
            current = found.setdefault(match[1], [])
        elif line.strip():
            path = pathlib.Path(os.path.normpath(build / line.strip()))
            if path.is_relative_to(ROOT):
                current.append(path)
    return found


def sources(build):
    """(source file, flags, files it includes), each source once."""
    included = headers(build)
    seen = set()
    for command in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        source = pathlib.Path(os.path.normpath(build / command["file"]))
        if source.suffix != ".c" or source in seen or not source.is_relative_to(ROOT):
            continue
        if source.relative_to(ROOT).parts[0] not in FOLDERS:
            continue
        seen.add(source)
        yield source, command["command"], included.get(command["output"], [])


def mark(rules, source, flags, files):
    """The name under which a clean result is remembered."""
    digest = hashlib.sha256(rules + flags.encode())
    for path in sorted({source, *files}):
        digest.update(path.read_bytes() + b"\0")
    return digest.hexdigest()[:32]


def check(build, source):
    """The complaints about one file, one line each."""
    command = ["clang-tidy", "-p", str(build), "--quiet", str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    lines = [line for line in (done.stdout + done.stderr).splitlines() if re.search(r"\b(error|warning): ", line)]
    if done.returncode != 0 and not lines:
        lines = [f"{source}: clang-tidy ended with {done.returncode}: {done.stderr.strip()}"]
    prefix = re.compile(rf"^(?:{re.escape(str(ROOT))}/|\.\./)*(?:build/\w+/(?:\.\./)*)?")
    return [prefix.sub("", line) for line in lines] if done.returncode != 0 else []


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path, help="a build directory that is up to date")
    parser.add_argument("--memory", type=pathlib.Path, required=True, help="directory to remember clean files in")
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    arguments.memory.mkdir(parents=True, exist_ok=True)
    version = subprocess.run(["clang-tidy", "--version"], capture_output=True, check=True).stdout
    rules = version + (ROOT / ".clang-tidy").read_bytes()

    work = {}
    for source, flags, files in sources(build):
        name = arguments.memory / mark(rules, source, flags, files)
        if not name.exists():
            work[source] = name
    complaints = set()
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        results = {pool.submit(check, build, source): name for source, name in work.items()}
        for result in concurrent.futures.as_completed(results):
            if found := result.result():
                complaints.update(found)
            else:
                results[result].touch()
    print("\n".join([*sorted(complaints), f"{len(work)} files read"]))
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
