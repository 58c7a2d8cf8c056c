#!/usr/bin/env python3
"""Counts what the test runners report.

tally.py meson|node|junit FILE --name NAME --status N   prints "passed failed skipped NAME"; a folder of .xml will do
tally.py sum FILE                                       adds such lines; the last line is "N passed, N failed"
"""

import argparse
import json
import pathlib
import re
import sys
from xml.etree import ElementTree

CMOCKA = re.compile(r"^\[  (PASSED|FAILED|SKIPPED)  \] (\d+) test\(s\)", re.MULTILINE)
NODE = re.compile(r"^(?:#|ℹ) (pass|fail|cancelled|skipped) (\d+)\s*$", re.MULTILINE)


def count_meson(text):
    """meson's testlog.json: one object per program; a cmocka program counts as its test functions."""
    passed = failed = skipped = 0
    for line in text.splitlines():
        test = json.loads(line)
        output = test.get("stdout", "") + "\n" + test.get("stderr", "")
        inner = {"PASSED": 0, "FAILED": 0, "SKIPPED": 0}
        for word, number in CMOCKA.findall(output):
            inner[word] += int(number)
        good = test["result"] in ("OK", "EXPECTEDFAIL")
        if test["result"] == "SKIP":
            skipped += 1
            continue
        passed += inner["PASSED"] or (1 if good else 0)
        failed += inner["FAILED"] or (0 if good else 1)
        skipped += inner["SKIPPED"]
    return passed, failed, skipped


def count_node(text):
    """The closing lines of `node --test`; there may be several runs in one log."""
    totals = {"pass": 0, "fail": 0, "cancelled": 0, "skipped": 0}
    for word, number in NODE.findall(text):
        totals[word] += int(number)
    return totals["pass"], totals["fail"] + totals["cancelled"], totals["skipped"]


def count_junit(text):
    passed = failed = skipped = 0
    for case in ElementTree.fromstring(text).iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            failed += 1
        elif case.find("skipped") is not None:
            skipped += 1
        else:
            passed += 1
    return passed, failed, skipped


COUNTERS = {"meson": count_meson, "node": count_node, "junit": count_junit}


def count(kind, path, name, status):
    path = pathlib.Path(path)
    passed = failed = skipped = 0
    try:
        for file in sorted(path.glob("*.xml")) if path.is_dir() else [path]:
            one = COUNTERS[kind](file.read_text(encoding="utf-8", errors="replace"))
            passed, failed, skipped = passed + one[0], failed + one[1], skipped + one[2]
    except (OSError, ValueError, KeyError, ElementTree.ParseError):
        passed = failed = skipped = 0
    if status != 0 and failed == 0:
        failed = 1  # the runner itself broke
    print(passed, failed, skipped, name)


def add_up(path):
    passed = failed = skipped = 0
    with open(path, encoding="utf-8") as file:
        for line in file:
            one_passed, one_failed, one_skipped, name = line.split(maxsplit=3)
            passed += int(one_passed)
            failed += int(one_failed)
            skipped += int(one_skipped)
            print(f"    {name.strip():<8} {one_passed} passed, {one_failed} failed, {one_skipped} skipped")
    print(f"{passed} passed, {failed} failed")
    return 0 if failed == 0 and passed > 0 else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=[*COUNTERS, "sum"])
    parser.add_argument("file")
    parser.add_argument("--name", default="tests")
    parser.add_argument("--status", type=int, default=0)
    arguments = parser.parse_args()
    if arguments.kind == "sum":
        return add_up(arguments.file)
    count(arguments.kind, arguments.file, arguments.name, arguments.status)
    return 0


if __name__ == "__main__":
    sys.exit(main())
