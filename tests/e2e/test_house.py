"""The house itself: the front door, the checks, the fixtures."""

import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
COMMANDS = ["setup", "build", "test", "demo", "bench", "fuzz", "lint", "package", "clean", "help"]


def run(*command, data=None, cwd=ROOT):
    return subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, check=False, cwd=cwd, input=data
    )


def test_help_names_every_command():
    done = run("./dev", "help")
    assert done.returncode == 0
    assert re.findall(r"^  (\w+) ", done.stdout, re.MULTILINE) == COMMANDS


def test_an_unknown_command_is_wrong_usage():
    done = run("./dev", "fly")
    assert done.returncode == 2
    assert done.stderr == "dev: there is no command 'fly'; see ./dev help\n"


def test_readme_names_every_command():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert [name for name in COMMANDS if f"`./dev {name}" not in text] == []


# -- the signal zone

# What code that a signal handler reaches may call. Nothing here takes a lock, allocates or fills thread-local storage.
SIGNAL_SAFE = {
    "__errno_location",
    "__stack_chk_fail",
    "_GLOBAL_OFFSET_TABLE_",
    "clock_gettime",
    "memcmp",
    "memcpy",
    "memmove",
    "memset",
    "read",
    "sched_getcpu",
    "sigaction",
    "syscall",
    "write",
}


def symbols(objects, *options):
    done = run("nm", "--format=posix", *options, *objects)
    assert done.returncode == 0, done.stderr
    return {line.split()[0] for line in done.stdout.splitlines() if line and not line.endswith(":")}


def test_the_signal_zone_calls_only_what_is_safe():
    objects = sorted((ROOT / "build/release").rglob("*_sig.c.o"))
    sources = {path.name for path in (ROOT / "src").rglob("*_sig.c")}
    assert {path.name.removesuffix(".o").split("_", 1)[1] for path in objects} == sources
    loads = sorted((ROOT / "build/release").rglob("sys_peek_*.o"))
    called = symbols(objects, "--undefined-only") - symbols([*objects, *loads], "--defined-only")
    assert called - SIGNAL_SAFE == set()


# -- the include check


@pytest.fixture
def tree(tmp_path):
    """A tree with the real layer table and two harmless files."""
    (tmp_path / "ARCHITECTURE.md").write_bytes((ROOT / "ARCHITECTURE.md").read_bytes())
    for name, text in {
        "src/base/error.h": "#include <errno.h>\n",
        "src/formats/folded.c": '#include "formats/folded.h"\n#include "profile/profile.h"\n#include "base/error.h"\n',
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def check_layers(tree):
    return run(sys.executable, ROOT / "scripts/check_layers.py", tree)


def test_includes_that_point_down_pass(tree):
    assert check_layers(tree).returncode == 0


@pytest.mark.parametrize(
    ("file", "line", "sentence"),
    [
        ("base/map.c", '#include "profile/profile.h"', "base (layer 0) may not include profile (layer 2)"),
        ("profile/fold.c", '#  include "formats/folded.h"', "profile (layer 2) may not include formats (layer 2)"),
        ("render/svg.c", '#include "cli/commands.h"', "render (layer 3) may not include cli (layer 4)"),
        ("jfr/read.c", '#include "codex/varint.h"', "src/codex is not in the layer table"),
        ("misc/x.c", '#include "base/error.h"', "src/misc is not in the layer table"),
        ("agent/main.c", '#include "render/svg.h"', "libcharcloth.so does not link render, and agent is part of it"),
        ("sys/proc.c", '#include "../base/error.h"', '"../base/error.h" leaves its folder'),
    ],
)
def test_a_planted_violation_is_named(tree, file, line, sentence):
    path = tree / "src" / file
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"/* first line */\n{line}\n", encoding="utf-8")
    done = check_layers(tree)
    assert done.returncode == 1
    assert f"src/{file}:2: " in done.stdout
    assert sentence in done.stdout


def test_a_missing_table_is_an_objection(tree):
    (tree / "ARCHITECTURE.md").write_text("nothing\n", encoding="utf-8")
    assert check_layers(tree).returncode == 1


# -- the word check


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("/* TO" + "DO: later */", "a mark of unfinished work"),
        ('path = "/ho' + 'me/somebody/charcloth"', "a path of one person's machine"),
        ("index = https://" + "10.1.2.3/simple", "the address of a package mirror"),
    ],
)
def test_words_that_must_not_stand_anywhere(tmp_path, text, sentence):
    run("git", "init", "-q", tmp_path)
    (tmp_path / "file.c").write_text(f"int x;\n{text}\n", encoding="utf-8")
    done = run(sys.executable, ROOT / "scripts/check_words.py", tmp_path)
    assert done.returncode == 1
    assert done.stdout.startswith(f"file.c:2: {sentence}")


# -- the sum of all tests


def tally(tmp_path, kind, text, status=0):
    (tmp_path / "log").write_text(text, encoding="utf-8")
    done = run(sys.executable, ROOT / "scripts/tally.py", kind, tmp_path / "log", "--name", "x", "--status", status)
    return done.stdout.strip()


def test_cmocka_tests_count_one_by_one(tmp_path):
    log = (
        '{"name": "a", "result": "OK", "stdout": "[  PASSED  ] 5 test(s).\\n"}\n'
        '{"name": "b", "result": "FAIL", "stdout": "[  PASSED  ] 2 test(s).\\n[  FAILED  ] 1 test(s), listed\\n"}\n'
        '{"name": "corpus", "result": "OK"}\n'
        '{"name": "crash", "result": "ERROR"}\n'
    )
    assert tally(tmp_path, "meson", log, 1) == "8 2 0 x"


def test_node_runs_add_up(tmp_path):
    assert tally(tmp_path, "node", "# pass 3\n# fail 0\n# cancelled 0\nℹ pass 4\nℹ fail 1\n", 1) == "7 1 0 x"


def test_a_runner_that_breaks_is_a_failure(tmp_path):
    assert tally(tmp_path, "junit", "not xml", 4) == "0 1 0 x"


@pytest.mark.parametrize(
    ("lines", "last", "status"),
    [
        ("3 0 0 a\n4 0 1 b\n", "7 passed, 0 failed", 0),
        ("3 0 0 a\n4 2 1 b\n", "7 passed, 2 failed", 1),
        ("", "0 passed, 0 failed", 1),
    ],
)
def test_the_sum_is_the_last_line(tmp_path, lines, last, status):
    (tmp_path / "tally").write_text(lines, encoding="utf-8")
    done = run(sys.executable, ROOT / "scripts/tally.py", "sum", tmp_path / "tally")
    assert done.stdout.splitlines()[-1] == last
    assert done.returncode == status


# -- the fixtures


def test_every_jdk_is_what_it_says(jdk):
    for version in (11, 17, 21, 25):
        done = run(jdk(version) / "bin" / "java", "-version")
        assert re.search(rf'version "{version}[."]', done.stderr), done.stderr


def test_recordings_hold_what_the_program_did(recordings, jfr_summary):
    events = {"exceptions": "jdk.JavaExceptionThrow", "socket_reads": "jdk.SocketRead", "file_writes": "jdk.FileWrite"}
    for recording in recordings:
        if recording.kind == "jfr-all":
            counts = jfr_summary(recording.path)
            assert counts["jdk.ExecutionSample"] > 50, recording.name
            for word, event in events.items():
                assert counts[event] >= recording.truth[word] > 50, (recording.name, event)


def test_jfrconv_reads_every_async_profiler_recording(recordings, peers, tmp_path):
    for recording in recordings:
        if recording.kind == "async-cpu":
            out = tmp_path / "out.collapsed"
            peers.jfrconv("--cpu", "-o", "collapsed", recording.path, out)
            assert "Busy.fib" in out.read_text(encoding="utf-8")


# -- packages


def missing(tmp_path, installed, *words):
    """What ./dev would install, on a machine with these packages."""
    tool = tmp_path / "dpkg-query"
    tool.write_text("#!/bin/sh\n" + "".join(f"echo installed {name}\n" for name in installed), encoding="utf-8")
    tool.chmod(0o755)
    script = "ROOT=.; source scripts/dev/common.sh; source scripts/dev/packages.sh; yes() { true; }; no() { false; }; "
    script += 'PATH=$0:$PATH; missing_packages "$@"'
    done = run("bash", "-c", script, tmp_path, *words)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_installed_packages_are_not_asked_for(tmp_path):
    assert missing(tmp_path, ["gcc", "b"], "gcc", "meson", "a|b", "c|d") == ["meson", "c|d"]


def test_a_probe_decides_alone(tmp_path):
    assert missing(tmp_path, ["cargo"], "nodejs@yes", "cargo@no", "maven@no") == ["cargo", "maven"]
