#!/usr/bin/env python3
"""Looks through all tracked text files for what must not stand in them.

Paths of one person's machine, addresses of package mirrors, and marks of unfinished work.
"""

import argparse
import pathlib
import re
import subprocess
import sys

# The words are put together here so that this file passes its own check. ~/.debug is where perf keeps what a JIT made.
RULES = [
    (re.compile(r"\b(?:TO" r"DO|FIX" r"ME|X" r"XX)\b"), "a mark of unfinished work: finish it or write an issue"),
    (
        re.compile(r"(?<![\w.$}~/-])/(?:ro" r"ot(?!/\.debug/)|ho" r"me/\w+|Us" r"ers/\w+|wo" r"rk)(?:/|\b)"),
        "a path of one person's machine",
    ),
    (
        re.compile(r"artifac" r"tory|nex" r"us\.\w+\.|https?://(?:10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.)"),
        "the address of a package mirror",
    ),
]
NPM_SOURCE = re.compile(r'"resolved":\s*"(?!https://registry\.npmjs\.org/)(https?://[^"]+)"')
# Inputs of parsers are what they are.
SKIPPED = re.compile(r"^(?:fuzz/corpus|tests/data|tests/golden|tests/e2e/(?:data|golden))/")


def tracked(root):
    """Tracked and new files, not the ignored ones."""
    listing = subprocess.run(
        ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        check=True,
        capture_output=True,
    )
    return sorted(name for name in listing.stdout.decode().split("\0") if name)


def check(root):
    found = []
    for name in tracked(root):
        path = root / name
        if SKIPPED.match(name) or not path.is_file():
            continue
        data = path.read_bytes()
        if b"\0" in data[:8192]:
            continue
        for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
            found.extend(f"{name}:{number}: {reason}" for rule, reason in RULES if rule.search(line))
            if name.endswith("package-lock.json") and NPM_SOURCE.search(line):
                found.append(f"{name}:{number}: a package that does not come from the public registry")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", nargs="?", default=pathlib.Path(__file__).resolve().parent.parent, type=pathlib.Path)
    found = check(parser.parse_args().root)
    print("\n".join(found) if found else "nothing found")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
