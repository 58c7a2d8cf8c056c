"""Foreign formats as users have them: files of real tools against golden output, and from format to format."""

from __future__ import annotations

import pathlib

import pytest

DATA = pathlib.Path(__file__).resolve().parent.parent / "data"
FOLDERS = ("collapsed", "perf", "jstack", "hpl", "pprof", "speedscope", "uber")
NO_STACKS = ("CpuAndMemory.json",)
DAMAGED = ("console.log",)  # holds broken records on purpose: read as far as it goes, exit status 3
NAMELESS = ("odd-names.txt",)  # has a frame without a name, which only collapsed stacks can say
FILES = sorted(path for folder in FOLDERS for path in (DATA / folder).iterdir() if path.name not in NO_STACKS)


def status_of(path):
    return 3 if path.name in DAMAGED else 0


def folded(charcloth, path, *options):
    """Collapsed stacks as sorted lines."""
    done = charcloth("convert", path, *options, "--format", "collapsed", "-o", "-", check=status_of(path))
    return sorted(done.stdout.splitlines())


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_file_of_a_real_tool_gives_these_stacks(charcloth, golden, path):
    done = charcloth("convert", path, "--format", "collapsed", "--annotate", "-o", "-", check=status_of(path))
    golden(f"{path.parent.name}/{path.stem}.collapsed", done.stdout)


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_written_stacks_read_back_to_the_same_text(charcloth, path):
    once = charcloth("convert", path, "--format", "collapsed", "-o", "-", check=status_of(path)).stdout
    twice = charcloth("convert", "-", "--format", "collapsed", "-o", "-", data=once, check=0).stdout
    assert twice == once


@pytest.mark.parametrize("extension", ["pb.gz", "speedscope.json", "jfr", "collapsed"])
@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_another_format_keeps_stacks_and_weights(charcloth, tmp_path, path, extension):
    if path.name in NAMELESS and extension in ("pb.gz", "jfr"):
        path = tmp_path / "named.txt"
        path.write_text((DATA / "collapsed" / NAMELESS[0]).read_text().replace(";;", ";x;"))
    other = tmp_path / f"x.{extension}"
    charcloth("convert", path, "-o", other, check=status_of(path))
    assert folded(charcloth, other) == folded(charcloth, path)
    if extension in ("pb.gz", "jfr"):
        assert folded(charcloth, other, "--total") == folded(charcloth, path, "--total")


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_uber_records_keep_every_count(charcloth, tmp_path, path):
    other = tmp_path / "x.uber.json"
    charcloth("convert", path, "-o", other, check=status_of(path))
    before, after = (sum(float(line.rsplit(" ", 1)[1]) for line in folded(charcloth, name)) for name in (path, other))
    assert before == after


@pytest.mark.parametrize("order", [("whole", "parts"), ("parts", "whole")])
def test_recordings_put_together_keep_their_scales(charcloth, tmp_path, order):
    for name, count in {"whole": "3", "parts": "0.25"}.items():
        charcloth("convert", "-", "-o", tmp_path / f"{name}.jfr", data=f"main;work {count}\n", check=0)
    both = tmp_path / "both.jfr"
    both.write_bytes(b"".join((tmp_path / f"{name}.jfr").read_bytes() for name in order))
    assert charcloth("convert", both, "-o", "-", check=0).stdout == "main;work 3.25\n"


def test_series_survive_a_recording(charcloth, tmp_path):
    uber = DATA / "uber"
    charcloth("convert", uber / "Stacktrace.json", uber / "CpuAndMemory.json", "-o", tmp_path / "x.jfr")
    charcloth("convert", tmp_path / "x.jfr", "-o", tmp_path / "x.html", check=0)
    assert '"name":"heap used","unit":"bytes"' in (tmp_path / "x.html").read_text()


def test_labels_survive_pprof_and_recordings(charcloth, tmp_path):
    dump = DATA / "jstack" / "jdk17-two-dumps.log"
    for extension in ("pb.gz", "jfr"):
        other = tmp_path / f"x.{extension}"
        charcloth("convert", dump, "-o", other, check=0)
        assert folded(charcloth, other, "--by", "thread,state") == folded(charcloth, dump, "--by", "thread,state")


def test_records_without_stacks_are_told(charcloth):
    done = charcloth("convert", DATA / "uber" / "CpuAndMemory.json", "--format", "collapsed", "-o", "-", check=1)
    assert len(done.stderr.splitlines()) == 1


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
