"""The inputs of the benchmark. Each is made once, from a fixed seed where it is made by us, and kept in the cache."""

from __future__ import annotations

import hashlib
import os
import pathlib
import random
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests" / "e2e"))

import jdks  # noqa: E402

FOLDER = jdks.CACHE / "bench"
MB = 1_000_000

JFR_PATHS = 10_000
JFR_ALLOCATIONS = 7_000_000
JFR_BYTES = 100 * MB
ASYNC_PATHS = 20_000
ASYNC_ALLOCATIONS = 24_000_000
BIG_JFR_BYTES = 1000 * MB
FOLDED_BYTES = 200 * MB
PERF_BYTES = 200 * MB


def made(name, shape, make):
    """The file `name` in the cache, made by make(path) unless one of this shape is there."""
    mark = hashlib.sha256(repr(shape).encode()).hexdigest()[:10]
    stem, dot, ending = name.partition(".")
    path = FOLDER / f"{stem}-{mark}{dot}{ending}"
    if path.exists():
        return path
    print(f"making {path.name} …", file=sys.stderr, flush=True)
    FOLDER.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f"new-{os.getpid()}-{path.name}")
    try:
        make(fresh)
        fresh.rename(path)
    finally:
        fresh.unlink(missing_ok=True)
    return path


def source(path):
    return path.read_text(encoding="utf-8")


def recorded(path, arguments, paths, allocations, least):
    """Runs Stacks.java with these arguments of the JVM, which write the recording `path`."""
    classes = path.with_suffix(".classes")
    jdks.run([jdks.javac(), "--release", "17", "-d", classes, HERE / "Stacks.java"])
    jdks.run([jdks.java(17), "-Xmx512m", *arguments, "-cp", classes, "Stacks", paths, allocations])
    shutil.rmtree(classes)
    if path.stat().st_size < least:
        raise RuntimeError(f"the recording is only {path.stat().st_size} bytes long")


def jfr():
    """More than 100 MB of JDK 17 flight recording: millions of allocation events on ten thousand deep stacks."""
    program, settings = HERE / "Stacks.java", HERE / "stacks.jfc"
    shape = (source(program), source(settings), JFR_PATHS, JFR_ALLOCATIONS, "tlab 2k")

    def make(path):
        recording = f"-XX:StartFlightRecording:filename={path},settings={settings},maxsize=4g"
        tlabs = ["-XX:+UseParallelGC", "-XX:TLABSize=2k", "-XX:MinTLABSize=2k", "-XX:-ResizeTLAB"]
        recorded(path, [*tlabs, recording], JFR_PATHS, JFR_ALLOCATIONS, JFR_BYTES)

    return made("stacks.jfr", shape, make)


def async_jfr():
    """More than 100 MB of async-profiler: one chunk, a third of it distinct stacks."""
    shape = (source(HERE / "Stacks.java"), jdks.ASYNC_PROFILER, ASYNC_PATHS, ASYNC_ALLOCATIONS, "alloc 2k")

    def make(path):
        agent = f"-agentpath:{jdks.async_profiler()}=start,event=cpu,interval=1ms,alloc=2k,jfr,file={path}"
        recorded(path, [agent], ASYNC_PATHS, ASYNC_ALLOCATIONS, JFR_BYTES)

    return made("async.jfr", shape, make)


def big_jfr():
    """The chunks of jfr() again and again, 1 GB in all: a file of JFR chunks is again a JFR file."""
    small = jfr()

    def make(path):
        copies = -(-BIG_JFR_BYTES // small.stat().st_size)
        with open(path, "wb") as out:
            for _ in range(copies):
                with open(small, "rb") as piece:
                    shutil.copyfileobj(piece, out, 1 << 20)

    return made("big.jfr", (small.name, BIG_JFR_BYTES), make)


PACKAGES = [
    "java/util",
    "java/util/concurrent",
    "java/io",
    "org/apache/spark/sql/execution",
    "org/apache/spark/scheduler",
]
PACKAGES += ["org/apache/spark/util/collection", "scala/collection/immutable", "io/netty/channel", "com/example/orders"]
PACKAGES += ["com/example/orders/pricing", "com/fasterxml/jackson/core", "org/apache/hadoop/fs", "sun/nio/ch"]
NOUNS = ["Task", "Row", "Stream", "Iterator", "Buffer", "Writer", "Reader", "Block", "Shuffle", "Partition", "Channel"]
NOUNS += ["Codec", "Manager", "Context", "Handler", "Pool", "Node", "Builder", "Cache", "Parser", "Schema", "Plan"]
VERBS = ["run", "apply", "next", "hasNext", "read", "write", "flush", "compute", "execute", "insert", "merge", "encode"]
VERBS += ["decode", "process", "dispatch", "lookup", "resolve", "append", "compareTo", "hashCode", "get", "put"]


def names(rng, count):
    """So many distinct method names that look like those of a large JVM program."""
    found = {}
    while len(found) < count:
        name = f"{rng.choice(PACKAGES)}/{rng.choice(NOUNS)}{rng.choice(NOUNS)}.{rng.choice(VERBS)}"
        found.setdefault(name if name not in found else f"{name}${len(found)}", None)
    return list(found)


class CallGraph:
    """Walks from a few roots through a graph in which every method calls a few others, some of them often."""

    def __init__(self, seed, methods):
        self.rng = random.Random(seed)
        self.names = names(self.rng, methods)
        self.callees = [[self.rng.randrange(methods) for _ in range(6)] for _ in range(methods)]

    def stack(self, least, most):
        """Method numbers from the root to the leaf."""
        rng = self.rng
        depth = rng.randint(least, most)
        method = rng.randrange(4)
        walk = [method]
        for _ in range(depth - 1):
            # the square prefers the first callees: beginnings are shared, ends differ
            method = self.callees[method][int(rng.random() ** 2 * 6)]
            walk.append(method)
        return walk


def folded():
    """200 MB of collapsed stacks, nearly all of them distinct."""

    def make(path):
        graph = CallGraph(1, 4000)
        written = 0
        with open(path, "w", encoding="ascii") as out:
            while written < FOLDED_BYTES:
                frames = ";".join(graph.names[method] for method in graph.stack(6, 26))
                written += out.write(f"{frames} {1 + int(graph.rng.expovariate(0.1))}\n")

    return made("stacks.folded", ("folded", 1, FOLDED_BYTES, PACKAGES, NOUNS, VERBS), make)


def perf_script():
    """200 MB in the layout of `perf script`: Java frames from a perf map, native and kernel frames, several threads."""

    def make(path):
        graph = CallGraph(2, 3000)
        rng = graph.rng
        java = []
        for number, name in enumerate(graph.names):
            owner, _, method = name.rpartition(".")
            address = 0x7F3A10000000 + number * 0x340
            java.append(f"\t{address + 0x5C:16x} L{owner};::{method}+0x5c (/tmp/perf-4242.map)\n")
        native = [
            "\t    7f3a2c0d1b2f __memmove_avx_unaligned_erms+0x8f (/usr/lib/x86_64-linux-gnu/libc.so.6)\n",
            "\t    7f3a2c8812aa G1ParScanThreadState::copy_to_survivor_space+0x2a (/opt/jdk/lib/server/libjvm.so)\n",
            "\t    7f3a2c99aa10 [unknown] (/opt/jdk/lib/server/libjvm.so)\n",
        ]
        kernel = [
            "\tffffffff8a2d1f31 copy_user_enhanced_fast_string+0x11 ([kernel.kallsyms])\n",
            "\tffffffff8a4e0c55 do_syscall_64+0x55 ([kernel.kallsyms])\n",
            "\tffffffff8ac00099 entry_SYSCALL_64_after_hwframe+0x61 ([kernel.kallsyms])\n",
        ]
        bottom = "\t    7f3a2c5a3fa3 start_thread+0xf3 (/usr/lib/x86_64-linux-gnu/libc.so.6)\n\n"
        threads = ["java", "C2 CompilerThre", "GC Thread#0", "Executor task l", "netty-rpc-conn"]
        clock = 10_000.0
        written = 0
        with open(path, "w", encoding="ascii") as out:
            while written < PERF_BYTES:
                clock += rng.random() * 0.002
                thread = int(rng.random() ** 2 * len(threads))
                head = f"{threads[thread]:>16}  4242/{4250 + thread:<6} [{rng.randrange(8):03d}] {clock:.6f}: "
                top = "".join(kernel) if rng.random() < 0.1 else ""
                if rng.random() < 0.2:
                    top += rng.choice(native)
                body = "".join(java[method] for method in reversed(graph.stack(6, 26)))
                written += out.write(f"{head}   10101010 cycles:P: \n{top}{body}{bottom}")

    return made("stacks.perf.txt", ("perf", 2, PERF_BYTES, PACKAGES, NOUNS, VERBS), make)


def warm(path):
    """Reads the file once, so that the first run is not slower than the others."""
    with open(path, "rb") as file:
        while file.read(1 << 22):
            pass


def shape_of(path):
    """Size for the table."""
    return f"{path.stat().st_size / MB:,.0f} MB"


if __name__ == "__main__":
    for maker in (jfr, big_jfr, folded, perf_script):
        print(maker())
    subprocess.run(["ls", "-l", str(FOLDER)], check=True)
