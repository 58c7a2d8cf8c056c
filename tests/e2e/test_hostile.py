"""Hostile input, hostile surroundings: one sentence and an honest exit status, never a signal, never half a file."""

from __future__ import annotations

import gzip
import json
import os
import random
import resource
import signal
import subprocess
import time

import pytest
from conftest import ROOT

FOLDED = "main;work;sum 5\nmain;work;read 2\nmain;idle 3\n"
OUTPUTS = ["html", "svg", "collapsed", "pprof", "speedscope", "jfr", "text", "tree", "top", "json", "top-json", "uber"]


@pytest.fixture
def folded(tmp_path):
    path = tmp_path / "in.folded"
    path.write_text(FOLDED)
    return path


def start(program, *arguments, **options):
    """Runs the program as the shell would, with what Program does not offer: limits, closed files."""
    return subprocess.run(
        [str(program.path), *map(str, arguments)], check=False, timeout=60, capture_output=True, **options
    )


# --- content ----------------------------------------------------------------------------------


@pytest.mark.parametrize("output", OUTPUTS)
def test_a_stack_of_100000_frames_goes_everywhere(charcloth, tmp_path, output):
    deep = tmp_path / "deep"
    deep.write_text(";".join(f"f{i}" for i in range(100_000)) + " 7\n")
    out = tmp_path / "out"
    charcloth("convert", deep, "--format", output, "-o", out, check=0)
    assert out.stat().st_size > 0


def test_a_name_of_64_megabytes_is_cut_and_told(charcloth, tmp_path):
    wide = tmp_path / "wide"
    wide.write_bytes(b"a;" + b"N" * (64 << 20) + b" 5\na;b 1\n")
    done = charcloth("convert", wide, "-o", "-", "--format", "collapsed", check=3)
    assert "names longer than 65536 bytes were cut" in done.stderr
    assert len(done.stdout) < 70_000


def test_sums_beyond_64_bits_are_told(charcloth, tmp_path):
    huge = tmp_path / "huge"
    huge.write_text("".join(f"a;f{i} {1 << 60}\n" for i in range(20)))
    done = charcloth("top", huge, check=3)
    assert "too large for 64 bits" in done.stderr
    row = next(line for line in done.stdout.splitlines() if line.endswith("  f0"))
    assert row.split()[0] == row.split()[2] == f"{1 << 60:,}"


def test_a_zero_in_a_name_ends_nothing(charcloth, tmp_path):
    path = tmp_path / "zero"
    path.write_bytes(b"a;nul\0tail 2\nb;c 1\n")
    options = ["--input-format", "collapsed", "-o", "-"]
    tree = charcloth("convert", path, *options, "--format", "tree", check=0).stdout
    assert "tail" in tree
    kept = charcloth("convert", path, *options, "--format", "collapsed", "--include", "tail$", check=0).stdout
    assert kept == "a;nul\\x00tail 2\n"


def test_uber_names_do_not_depend_on_filters(charcloth):
    dump = ROOT / "tests/data/jstack/jdk17-two-dumps.log"

    def stacks(*filters):
        text = charcloth("convert", dump, "--format", "uber", *filters, check=0).stdout
        return {tuple(json.loads(line)["stacktrace"]) for line in text.splitlines()}

    assert stacks("--include", "sleep") == {s for s in stacks() if any("sleep" in name for name in s)}


@pytest.mark.parametrize("output", OUTPUTS)
def test_flipped_bytes_never_crash(asan_charcloth, tmp_path, output):
    sources = [path for path in sorted((ROOT / "tests/data").rglob("*")) if path.is_file()]
    sources += sorted((ROOT / "fuzz/corpus/jfr").iterdir())
    dice = random.Random(output)
    for source in dice.sample(sources, 8):
        data = bytearray(source.read_bytes())
        for _ in range(min(len(data), dice.choice([1, 3, 20]))):
            data[dice.randrange(len(data))] = dice.choice([0, 0x7F, 0x80, 0xFF, dice.randrange(256)])
        del data[dice.choice([len(data), dice.randrange(len(data) + 1)]) :]
        (tmp_path / "in").write_bytes(data)
        out = tmp_path / "out"
        out.unlink(missing_ok=True)
        done = asan_charcloth("convert", tmp_path / "in", "--format", output, "-o", out)
        assert "Sanitizer" not in done.stderr and "runtime error" not in done.stderr, done.stderr
        assert done.returncode in (0, 1, 3) and out.exists() == (done.returncode != 1)


# --- wrappers ---------------------------------------------------------------------------------


def test_a_bomb_in_a_wrapper_is_refused_by_the_size_of_the_file(charcloth, tmp_path):
    member = gzip.compress(b"a;b 1\n" * (1 << 20))
    inner = member * ((32 << 20) // len(member))  # unpacks to 20 GB
    (tmp_path / "bomb").write_bytes(gzip.compress(inner))
    done = charcloth("top", tmp_path / "bomb", check=1)
    assert "which no profile does" in done.stderr


def test_what_follows_a_gzip_member_is_not_lost_silently(charcloth, tmp_path):
    packed = tmp_path / "packed"
    packed.write_bytes(gzip.compress(FOLDED.encode()) + b"more;stacks 7\n")
    assert "damaged" in charcloth("top", packed, check=3).stderr
    packed.write_bytes(gzip.compress(FOLDED.encode()) + bytes(512))
    charcloth("top", packed, check=0)


def test_a_window_that_is_too_large_is_called_that(charcloth, tmp_path):
    data = subprocess.run(
        ["zstd", "-q", "-c", "--long=28", "-"], input=FOLDED.encode() * 20, capture_output=True, check=True
    ).stdout
    # A frame header that asks for a window of 2 GiB: no single segment, no size, window exponent 21.
    (tmp_path / "wide.zst").write_bytes(data[:4] + b"\x00" + bytes([21 << 3]) + data[6:])
    done = charcloth("top", tmp_path / "wide.zst", check=1)
    assert "window of more than 128 MiB" in done.stderr


# --- files and folders ------------------------------------------------------------------------


def test_a_folder_says_what_it_did_not_read(charcloth, tmp_path):
    (tmp_path / "in" / ".hidden").mkdir(parents=True)
    (tmp_path / "in" / "a").write_text(FOLDED)
    (tmp_path / "in" / ".hidden" / "b").write_text(FOLDED)
    (tmp_path / "in" / "link").symlink_to("a")
    (tmp_path / "in" / "loop").symlink_to(".")
    os.mkfifo(tmp_path / "in" / "pipe")
    done = charcloth("top", tmp_path / "in", "--json", check=0)
    assert json.loads(done.stdout)["total"] == 10
    assert "2 symbolic links in folders were not followed" in done.stderr
    charcloth("top", tmp_path / "in" / "*", "--json", timeout=20)  # waits for no pipe


def test_a_limit_on_file_size_is_an_error_of_the_write(charcloth, folded, tmp_path):
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

    done = start(charcloth, "convert", folded, "-o", tmp_path / "x.html", preexec_fn=limit)
    assert done.returncode == 1 and b"File too large" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["in.folded"]


def test_words_do_not_end_in_the_output(charcloth, tmp_path):
    (tmp_path / "in").write_text(FOLDED + "no count\n")
    command = (
        f'"{charcloth.path}" convert --input-format collapsed "{tmp_path}/in" -o "{tmp_path}/out.folded" <&- >&- 2>&-'
    )
    assert subprocess.run(["sh", "-c", command], check=False, timeout=60).returncode == 3
    assert sorted((tmp_path / "out.folded").read_text().splitlines()) == sorted(FOLDED.splitlines())


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_signal_leaves_all_or_nothing(charcloth, tmp_path, number):
    dice = random.Random(7)
    lines = [";".join(f"f{dice.randrange(900)}" for _ in range(12)) for _ in range(60_000)]
    (tmp_path / "in").write_text("".join(f"{line} 1\n" for line in lines))
    out = tmp_path / "out.svg"
    for wait_s in (0.0, 0.02, 0.05, 0.1, 0.2):
        out.unlink(missing_ok=True)
        with subprocess.Popen([charcloth.path, "convert", tmp_path / "in", "-q", "-o", out]) as run:
            time.sleep(wait_s)
            run.send_signal(number)
        assert run.returncode in (0, -number)
        # The signal may come when the picture is in place already: then it is whole.
        assert out.exists() or run.returncode != 0
        assert not out.exists() or out.read_text().rstrip().endswith("</svg>")
        if number != signal.SIGKILL:
            assert {path.name for path in tmp_path.iterdir()} <= {"in", "out.svg"}


# --- memory -----------------------------------------------------------------------------------

FAIL_NTH = r"""
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
static _Atomic long n;
static long at, for_good;
static int fails(void)
{
	long i = ++n;
	if (i == 1) {
		at = getenv("FAIL_AT") ? atol(getenv("FAIL_AT")) : 0;
		for_good = getenv("FAIL_ON") != NULL;
	}
	if (!at || (for_good ? i < at : i != at))
		return 0;
	errno = ENOMEM;
	return 1;
}
void *malloc(size_t size) { return fails() ? NULL : __libc_malloc(size); }
void *calloc(size_t a, size_t b) { return fails() ? NULL : __libc_calloc(a, b); }
void *realloc(void *p, size_t size) { return fails() ? NULL : __libc_realloc(p, size); }
"""


@pytest.fixture(scope="module")
def fail_nth(tmp_path_factory):
    """A library that makes the FAIL_AT-th allocation fail, and with FAIL_ON every one from there on."""
    folder = tmp_path_factory.mktemp("memory")
    (folder / "fail.c").write_text(FAIL_NTH)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", folder / "fail.so", folder / "fail.c"], check=True)
    return folder / "fail.so"


@pytest.mark.parametrize(
    ("source", "output"),
    [
        ("tests/data/collapsed/async-profiler.txt", "pprof"),
        ("tests/data/pprof/go-cpu.pb.gz", "collapsed"),
        ("tests/data/perf/java-map.txt", "top-json"),
        ("tests/data/jstack/jdk17-two-dumps.log", "collapsed"),
        ("tests/data/hpl/both-generations.hpl", "collapsed"),
        ("tests/data/uber/Stacktrace.json", "collapsed"),
        ("fuzz/corpus/jfr/two-chunks.jfr", "collapsed"),
    ],
)
def test_memory_that_is_not_there_is_told(charcloth, fail_nth, tmp_path, source, output):
    out = tmp_path / "out"
    command = ["convert", ROOT / source, "--format", output, "-o", out, "--cores", "1", "-q"]
    start(charcloth, *command)
    whole = out.read_bytes()
    for at in range(1, 200, 2):
        for more in ({}, {"FAIL_ON": "1"}):
            out.unlink(missing_ok=True)
            env = {**os.environ, "LD_PRELOAD": str(fail_nth), "FAIL_AT": str(at), **more}
            done = start(charcloth, *command, env=env)
            assert done.returncode in (0, 1, 3), (at, more, done)
            assert out.exists() == (done.returncode != 1), (at, more, done)
            assert done.returncode != 1 or b"memory" in done.stderr, (at, more, done)
            if done.returncode == 0:
                assert out.read_bytes() == whole, (at, more, done)


# --- options ----------------------------------------------------------------------------------


@pytest.mark.parametrize("when", ["99999999999", "99999999999999", "9999999999999999", "9999-12-31T23:59:59Z"])
def test_times_beyond_the_clock_do_not_wrap(asan_charcloth, when):
    record = json.dumps({"stacktrace": ["a.B.c"], "count": 1, "startEpoch": 1700000000000, "endEpoch": 1700000000000})
    done = asan_charcloth("top", "-", "--to", when, data=record + "\n", check=0)
    assert "a/B.c" in done.stdout
    done = asan_charcloth("top", "-", "--from", when, data=record + "\n", check=1)
    assert "--from" in done.stderr


@pytest.mark.parametrize(
    "option",
    [
        ("--from", "1e12"),
        ("--from", "0x10"),
        ("--input-format", "nope"),
        ("--include", "((((a{1,100}){1,100}){1,100}){1,100})"),
        ("--exclude", "a{1,32767}"),
        ("--thread", "(" * 1000),
    ],
)
def test_a_value_that_makes_no_sense_is_wrong_usage(charcloth, folded, option):
    done = charcloth("top", folded, *option, check=2, timeout=10)
    assert option[0] in done.stderr or option[1] in done.stderr


def test_long_expressions_are_fine(charcloth, folded):
    charcloth("top", folded, "--include", "sum|" + "x" * 10_000, check=0)
    charcloth("top", folded, "--include", "^s[a-z]{2,200}$", check=0)
