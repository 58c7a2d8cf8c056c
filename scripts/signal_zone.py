"""Checks what code that a signal handler can reach calls: only other such code, and a few functions of libc.

Such code lives in files named *_sig.c. What their objects leave undefined must be defined in another of them, or in the
loads that may fault (peek_*.S), or be one of these.
"""

from __future__ import annotations

import pathlib
import subprocess
import sys

# Safe by POSIX, by being a plain system call, or by touching nothing but their arguments.
ALLOWED = {
    "_GLOBAL_OFFSET_TABLE_",
    "__errno_location",
    "clock_gettime",
    "memcpy",
    "memset",
    "sched_getcpu",
    "sigaction",
    "syscall",
    "timer_settime",
    "write",
}


def symbols(path, flag):
    done = subprocess.run(["nm", "--format=posix", flag, path], capture_output=True, text=True, check=True)
    return {line.split()[0] for line in done.stdout.splitlines() if line.strip()}


def main(build):
    zone = sorted(build.rglob("*_sig.c.o"))
    if not zone:
        sys.exit(f"no objects of the signal zone in {build}")
    loads = list(build.rglob("sys_peek_*.o"))
    known = set().union(*(symbols(path, "--defined-only") for path in [*zone, *loads])) | ALLOWED
    bad = [(path.name, name) for path in zone for name in sorted(symbols(path, "--undefined-only") - known)]
    for path, name in bad:
        print(
            f"{path.removesuffix('.o').replace('_', '/', 1)} calls {name}, which is not known to be safe in a signal handler"
        )
    sys.exit(1 if bad else 0)


main(pathlib.Path(sys.argv[1]))
