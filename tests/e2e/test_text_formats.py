"""Foreign text formats and honest-profiler logs, as users have them: files of real tools against golden output."""

from __future__ import annotations

import pathlib

import pytest

DATA = pathlib.Path(__file__).resolve().parent.parent / "data"
FOLDERS = ("collapsed", "perf", "jstack", "hpl")
FILES = sorted(path for folder in FOLDERS for path in (DATA / folder).iterdir())


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_file_of_a_real_tool_gives_these_stacks(charcloth, golden, path):
    done = charcloth("convert", path, "--format", "collapsed", "--annotate", "-o", "-", check=0)
    golden(f"{path.parent.name}/{path.stem}.collapsed", done.stdout)


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_written_stacks_read_back_to_the_same_text(charcloth, path):
    once = charcloth("convert", path, "--format", "collapsed", "-o", "-", check=0).stdout
    twice = charcloth("convert", "-", "--format", "collapsed", "-o", "-", data=once, check=0).stdout
    assert twice == once


def test_a_state_narrows_a_thread_dump(charcloth):
    dump = DATA / "jstack" / "jdk25.txt"
    done = charcloth("convert", dump, "--state", "BLOCKED", "--threads", "--format", "collapsed", "-o", "-", check=0)
    (line,) = done.stdout.splitlines()
    assert "waiter" in line
    assert line.endswith(" 1")


def test_periods_are_the_total_of_perf(charcloth):
    stacks = DATA / "perf" / "stacks.txt"
    samples = charcloth("convert", stacks, "--format", "collapsed", "-o", "-", check=0).stdout
    periods = charcloth("convert", stacks, "--total", "--format", "collapsed", "-o", "-", check=0).stdout
    count = sum(int(line.rsplit(" ", 1)[1]) for line in samples.splitlines())
    assert sum(int(line.rsplit(" ", 1)[1]) for line in periods.splitlines()) == count * 1001001


@pytest.mark.parametrize("folder", FOLDERS)
def test_cut_files_are_told_or_read_but_never_die(charcloth, tmp_path, folder):
    for path in (DATA / folder).iterdir():
        data = path.read_bytes()
        for part in range(1, 16):
            cut = tmp_path / "cut"
            cut.write_bytes(data[: len(data) * part // 16])
            done = charcloth("convert", cut, "--format", "collapsed", "-o", "-")
            assert done.returncode in (0, 1, 3)
            assert done.returncode == 0 or done.stderr.strip()
