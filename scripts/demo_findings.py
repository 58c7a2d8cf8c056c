"""What the recordings of examples/slow_sql.py say, in three lines. Every number is read from them.

Usage: demo_findings.py CHARCLOTH FOLDER
"""

from __future__ import annotations

import json
import subprocess
import sys

PLANTED = "java/util/regex/Pattern.compile"
PER_SECOND = 100


def top(charcloth, folder, *arguments):
    """The list of hot methods, weighed by samples: each is 10 ms of CPU time."""
    command = [charcloth, "top", folder, "--quiet", "--json", "-n", "0", *arguments]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def groups(charcloth, folder, label, *arguments):
    """{value of the label: its group}, those without the label left out, the largest first."""
    found = top(charcloth, folder, "--by", label, *arguments)["groups"]
    by_value = {group["labels"][0].partition("=")[2]: group for group in found}
    by_value.pop("-", None)
    return dict(sorted(by_value.items(), key=lambda item: -item[1]["total"]))


def main():
    charcloth, folder = sys.argv[1:]
    stages = groups(charcloth, folder, "stage")
    if not stages:
        sys.exit("demo: no sample of a task was recorded")
    stage, hot = next(iter(stages.items()))
    all_tasks = sum(group["total"] for group in stages.values())
    print(
        f"stage {stage} takes {hot['total'] / all_tasks:.0%} of the CPU time of all tasks: "
        f"{hot['total'] / PER_SECOND:.1f} s of {all_tasks / PER_SECOND:.1f} s"
    )
    hottest = hot["top"][0]
    planted = sum(row["total"] for row in hot["top"] if row["name"] == PLANTED)
    print(
        f"its hottest method is {hottest['name']} ({hottest['self'] / hot['total']:.0%}); {planted / hot['total']:.0%} "
        "lie under Pattern.compile: RLIKE with a pattern from a column compiles it for every row"
    )
    tasks = groups(charcloth, folder, "partition", "--where", f"stage={stage}")
    partition, longest = next(iter(tasks.items()))
    print(
        f"partition {partition} alone takes {longest['total'] / hot['total']:.0%} of the {len(tasks)} tasks' time: "
        "one customer has four orders of ten"
    )


if __name__ == "__main__":
    main()
