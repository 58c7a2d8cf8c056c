#!/usr/bin/env python3
"""Compares every #include "folder/file.h" in src/ with the layer table of ARCHITECTURE.md.

A folder may include itself and what lies strictly below; further arrows (`formats` → `profile`) stand in the
table's last column. Programs listed under "Links only" may reach no folder beside those.
"""

import argparse
import pathlib
import re
import sys

LAYER_ROW = re.compile(r"^\|\s*(\d+)\s+[\w ]+\|(?P<folders>[^|]*)\|[^|]*\|(?P<uses>[^|]*)\|\s*$")
LINK_ROW = re.compile(r"^\|\s*`(?P<program>[\w.-]+)`\s*\|(?P<folders>(?:\s*`src/\w+`)+)\s*\|\s*$")
FOLDER = re.compile(r"`src/(\w+)`")
ARROW = re.compile(r"`(\w+)`\s*→\s*`(\w+)`")
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


class Table:
    """What ARCHITECTURE.md says: the level of every folder, extra arrows, link sets."""

    def __init__(self, text):
        self.level = {}
        self.arrows = set()
        self.links = {}
        for line in text.splitlines():
            if row := LAYER_ROW.match(line):
                for folder in FOLDER.findall(row["folders"]):
                    self.level[folder] = int(row[1])
                self.arrows.update(ARROW.findall(row["uses"]))
            elif row := LINK_ROW.match(line):
                self.links[row["program"]] = set(FOLDER.findall(row["folders"]))

    def objection(self, source, target):
        """Why the folder `source` may not include the folder `target`; None when it may."""
        if source not in self.level:
            return f"src/{source} is not in the layer table"
        if target not in self.level:
            return f"src/{target} is not in the layer table"
        if source == target or (source, target) in self.arrows:
            return None
        if self.level[target] >= self.level[source]:
            return f"{source} (layer {self.level[source]}) may not include {target} (layer {self.level[target]})"
        return None


def includes(path):
    """Line number and name of every quoted include of the file."""
    text = path.read_text(encoding="utf-8", errors="replace")
    for match in INCLUDE.finditer(text):
        yield text.count("\n", 0, match.start(1)) + 1, match[1]


def check(root):
    """All objections as "file:line: sentence"."""
    table = Table((root / "ARCHITECTURE.md").read_text(encoding="utf-8"))
    if not table.level:
        return ["ARCHITECTURE.md: no layer table found"]
    found = []
    reached = {}  # folder -> {folder it includes: first place}
    source_root = root / "src"
    for path in sorted(source_root.rglob("*.[ch]")):
        relative = path.relative_to(source_root)
        if len(relative.parts) < 2:
            found.append(f"src/{relative}: every source file lives in a folder of the layer table")
            continue
        for line, name in includes(path):
            place = f"src/{relative}:{line}"
            if ".." in name:
                found.append(f'{place}: "{name}" leaves its folder; include it as "folder/file.h"')
            if "/" not in name or ".." in name:
                continue
            source, target = relative.parts[0], name.split("/")[0]
            reached.setdefault(source, {}).setdefault(target, place)
            if reason := table.objection(source, target):
                found.append(f"{place}: {reason}")
    for program, allowed in table.links.items():
        for source in sorted(allowed):
            for target, place in reached.get(source, {}).items():
                if target not in allowed:
                    found.append(f"{place}: {program} does not link {target}, and {source} is part of it")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", nargs="?", default=pathlib.Path(__file__).resolve().parent.parent, type=pathlib.Path)
    found = check(parser.parse_args().root)
    print("\n".join(found) if found else "every include points down")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
