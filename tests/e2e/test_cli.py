"""What a user of the command line meets: inputs, outputs, filters, mistakes."""

from __future__ import annotations

import gzip
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import tempfile

import pytest

FOLDED = "main;work;sum 5\nmain;work;read 2\nmain;idle 3\n"
OTHER = "main;work;sum 1\nmain;new 9\n"


def folded(text):
    """Collapsed text as {stack: count}."""
    return {line.rsplit(" ", 1)[0]: float(line.rsplit(" ", 1)[1]) for line in text.splitlines()}


@pytest.fixture
def two(tmp_path):
    (tmp_path / "a.folded").write_text(FOLDED)
    (tmp_path / "b.folded").write_text(OTHER)
    return tmp_path


# --- inputs -----------------------------------------------------------------------------------


def test_stdin_to_stdout(charcloth):
    done = charcloth("convert", "-", "-o", "-", data=FOLDED, check=0)
    assert folded(done.stdout) == folded(FOLDED)


@pytest.mark.parametrize("wrap", ["gzip", "zstd", "both"])
def test_wrappers_are_seen_through(charcloth, tmp_path, wrap):
    data = FOLDED.encode()
    if wrap in ("zstd", "both"):
        data = subprocess.run(["zstd", "-q", "-c"], input=data, capture_output=True, check=True).stdout
    if wrap in ("gzip", "both"):
        data = gzip.compress(data)
    (tmp_path / "any.name").write_bytes(data)
    done = charcloth("convert", tmp_path / "any.name", "-o", "-", check=0)
    assert folded(done.stdout) == folded(FOLDED)


def test_a_cut_wrapper_gives_what_is_there(charcloth, tmp_path):
    data = gzip.compress("".join(f"main;f{i} {i}\n" for i in range(20000)).encode())
    (tmp_path / "cut.gz").write_bytes(data[: len(data) // 2])
    done = charcloth("convert", tmp_path / "cut.gz", "-o", "-", check=3)
    assert "the compressed data is damaged or cut short" in done.stderr
    assert len(done.stdout.splitlines()) > 1000


def test_a_bomb_is_refused(charcloth, tmp_path):
    piece = gzip.compress(b"main;a 1\n" * (1 << 22), compresslevel=9)
    (tmp_path / "bomb.gz").write_bytes(piece * 12)
    done = charcloth("convert", tmp_path / "bomb.gz", "-o", tmp_path / "x.svg", env={"TMPDIR": str(tmp_path)})
    assert done.returncode == 1
    assert "expands to more than" in done.stderr
    assert sorted(os.listdir(tmp_path)) == ["bomb.gz"]


def test_inputs_are_merged_and_labelled_by_file(charcloth, two):
    done = charcloth("convert", two / "a.folded", two / "b.folded", "-o", "-", check=0)
    assert folded(done.stdout)["main;work;sum"] == 6
    done = charcloth("convert", two, "--by", "file", "-o", "-", check=0)
    assert folded(done.stdout)["file=a.folded;main;work;sum"] == 5
    assert folded(done.stdout)["file=b.folded;main;work;sum"] == 1
    done = charcloth("convert", two / "b.folded", "--by", "file", "-o", "-", check=0)
    assert folded(done.stdout)["file=b.folded;main;new"] == 9
    done = charcloth("convert", f"{two}/*.folded", "-o", "-", check=0)
    assert folded(done.stdout)["main;work;sum"] == 6
    done = charcloth("convert", two, "--where", "file=b.folded", "-o", "-", check=0)
    assert folded(done.stdout) == folded(OTHER)


def test_a_folder_may_hold_other_things(charcloth, two):
    (two / "notes.md").write_text("# Nothing\n\nto see here, move along.\n")
    (two / "sub").mkdir()
    (two / "sub" / "c.folded").write_text("main;deep 4\n")
    done = charcloth("convert", two, "--by", "file", "-o", "-", check=0)
    assert folded(done.stdout)["file=sub/c.folded;main;deep"] == 4
    assert "passed over what is no profile: notes.md" in done.stderr


def test_a_folder_that_cannot_be_read_is_named(charcloth):
    """As somebody whom permissions bind: root may look into every folder."""
    nobody = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
    with tempfile.TemporaryDirectory() as name:
        place = pathlib.Path(name)
        place.chmod(0o755)
        shutil.copy(charcloth.path, place / "charcloth")  # the build may lie where only its owner can go
        (place / "in").mkdir()
        (place / "in" / "a.folded").write_text(FOLDED)
        (place / "in" / "closed").mkdir(mode=0)
        command = [place / "charcloth", "convert", "in", "-o", "-"]
        done = subprocess.run(command, cwd=place, capture_output=True, text=True, check=False, **nobody)
        (place / "in" / "closed").chmod(0o700)
    assert done.returncode == 3
    assert "closed': Permission denied" in done.stderr
    assert folded(done.stdout) == folded(FOLDED)


def test_names_cannot_speak_to_the_terminal(charcloth, tmp_path):
    done = charcloth("convert", tmp_path / "a\x1b[31m.jfr", "-o", "-", check=1)
    assert "a⟨U+001B⟩[31m.jfr" in done.stderr
    assert "\x1b" not in done.stderr


def test_one_bad_file_among_good_ones_is_named(charcloth, two):
    (two / "bad.jfr").write_bytes(b"FLR\0" + b"\xff" * 100)
    done = charcloth("convert", two / "a.folded", two / "bad.jfr", "-o", "-", check=3)
    assert folded(done.stdout) == folded(FOLDED)
    assert "bad.jfr" in done.stderr


@pytest.mark.parametrize("cores", ["1", "2"])
def test_the_result_does_not_depend_on_the_cores(charcloth, tmp_path, cores):
    for i in range(12):
        (tmp_path / f"{i:02}.folded").write_text("".join(f"main;f{k % (i + 3)};g{k} {k + 1}\n" for k in range(300)))
    done = charcloth("convert", tmp_path, "--cores", cores, "-o", "-", check=0)
    expected = {}
    for i in range(12):
        for k in range(300):
            stack = f"main;f{k % (i + 3)};g{k}"
            expected[stack] = expected.get(stack, 0) + k + 1
    assert folded(done.stdout) == expected


# --- mistakes -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "status", "sentence"),
    [
        (["convert"], 2, "convert needs an input"),
        (["convert", "nothing.jfr", "-o", "x.html"], 1, "open 'nothing.jfr': No such file or directory"),
        (["convert", "*.nothing", "-o", "x.html"], 1, "nothing matches '*.nothing'"),
        (["convert", "a.folded", "-o", "x.docx"], 2, "does not say which format to write"),
        (["convert", "a.folded", "-o", "x", "--format", "docx"], 2, "unknown format 'docx'"),
        (["convert", "a.folded", "-o", "nowhere/x.svg"], 1, "write 'nowhere/x.svg': No such file or directory"),
        (["convert", "a.folded", "-o", "x.svg", "--include", "["], 2, "is no regular expression"),
        (["convert", "a.folded", "-o", "x.svg", "--include", "nothing"], 1, "no samples are left: --include"),
        (["convert", "a.folded", "-o", "x.svg", "--event", "alloc"], 1, "there are no 'alloc' samples"),
        (["convert", "a.folded", "-o", "x.svg", "--from", "+1s"], 1, "need samples with a time"),
        (["convert", "a.folded", "-o", "x.svg", "--input-format", "docx"], 2, "there is no input format 'docx'"),
        (["convert", "a.folded", "-o", "x.svg", "--colors", "pink"], 2, "pink"),
        (["convert", "empty", "-o", "x.svg"], 1, "'empty' is empty"),
        (["diff", "a.folded"], 2, "diff compares two inputs"),
        (["diff", "a.folded", "b.folded", "-o", "x.pb.gz"], 2, "a difference cannot be written as pprof"),
        (["top", "--json", "-o", "x"], 2, "there is no option -o here"),
        (["konvert"], 2, "there is no command 'konvert'; is 'convert' meant?"),
        (["dance"], 2, "there is no command 'dance'"),
        (["completion", "fish"], 2, "bash or zsh"),
    ],
)
def test_mistakes_are_told_in_one_sentence(charcloth, two, arguments, status, sentence):
    (two / "empty").write_text("")
    before = sorted(os.listdir(two))
    done = charcloth(*arguments, check=status, cwd=two)
    assert sentence in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert sorted(os.listdir(two)) == before


# --- outputs -------------------------------------------------------------------------------------


def test_without_o_a_page_is_written_here(charcloth, two):
    here = two / "here"
    here.mkdir()
    charcloth("convert", two / "a.folded", cwd=here, check=0)
    assert os.listdir(here) == ["a.html"]


def test_output_keeps_the_mode_of_new_files_and_follows_links(charcloth, two):
    (two / "real.svg").write_text("old")
    (two / "link.svg").symlink_to("real.svg")
    charcloth("convert", two / "a.folded", "-o", two / "link.svg", check=0)
    assert (two / "link.svg").is_symlink()
    assert "<svg" in (two / "real.svg").read_text()
    mask = os.umask(0)
    os.umask(mask)
    assert (two / "real.svg").stat().st_mode & 0o777 == 0o666 & ~mask


def test_a_full_disk_is_an_error_and_leaves_no_file(charcloth, two):
    (two / "big.folded").write_text("".join(f"main;f{i};g{i} 1\n" for i in range(50000)))
    done = subprocess.run(
        [charcloth.path, "convert", two / "big.folded", "-o", two / "x.collapsed"],
        capture_output=True,
        check=False,
        text=True,
        preexec_fn=lambda: (
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN),
            resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000)),
        ),
    )
    assert done.returncode == 1
    assert "x.collapsed': File too large" in done.stderr
    assert sorted(os.listdir(two)) == ["a.folded", "b.folded", "big.folded"]


def test_dev_full_is_an_error(charcloth, two):
    done = charcloth("convert", two / "a.folded", "--format", "svg", "-o", "/dev/full")
    assert done.returncode == 1
    assert "No space left on device" in done.stderr


def test_a_closed_pipe_is_an_error(charcloth, two):
    (two / "big.folded").write_text("".join(f"main;f{i};g{i} 1\n" for i in range(50000)))
    done = subprocess.run(
        [
            "bash",
            "-c",
            f"'{charcloth.path}' convert '{two}/big.folded' -o - | head -c 10 >/dev/null; echo ${{PIPESTATUS[0]}}",
        ],
        capture_output=True,
        check=True,
        text=True,
    )
    assert done.stdout.strip() == "1"
    assert "Broken pipe" in done.stderr


def test_ctrl_c_leaves_nothing_behind(charcloth, two):
    os.mkfifo(two / "pipe")
    process = subprocess.Popen([charcloth.path, "convert", two / "pipe", "-o", two / "x.svg"], stderr=subprocess.PIPE)
    with open(two / "pipe", "wb") as pipe:  # opens once the reader is there
        pipe.write(FOLDED.encode())
        pipe.flush()
        process.send_signal(signal.SIGINT)
        process.wait(20)
    process.stderr.close()
    assert process.returncode == -signal.SIGINT
    assert sorted(os.listdir(two)) == ["a.folded", "b.folded", "pipe"]


def test_json_tree_has_self_and_total(charcloth, two):
    tree = json.loads(charcloth("convert", two / "a.folded", "--format", "json", check=0).stdout)
    text = json.dumps(tree)
    for part in ('"name": "work"', '"self"', '"total"'):
        assert part in text


# --- filters and names ---------------------------------------------------------------------------


def test_filters(charcloth):
    def stacks(*options):
        return folded(charcloth("convert", "-", "-o", "-", *options, data=FOLDED, check=0).stdout)

    assert stacks("--include", "^sum$") == {"main;work;sum": 5}
    assert stacks("--exclude", "work") == {"main;idle": 3}
    assert stacks("--reverse") == {"sum;work;main": 5, "read;work;main": 2, "idle;main": 3}


def both_sides(text):
    """Collapsed difference as {stack: (before, after)}."""
    rows = (line.rsplit(" ", 2) for line in text.splitlines())
    return {stack: (float(before), float(after)) for stack, before, after in rows}


def test_diff_shows_both_sides(charcloth, two):
    sides = ("diff", two / "a.folded", two / "b.folded")
    rows = both_sides(charcloth(*sides, "--format", "collapsed", "--absolute", check=0).stdout)
    assert rows == {"main;work;sum": (5, 1), "main;work;read": (2, 0), "main;idle": (3, 0), "main;new": (0, 9)}
    rows = both_sides(charcloth(*sides, "--format", "collapsed", check=0).stdout)
    assert rows["main;work;sum"] == (5, 1)  # both sides have ten samples: nothing to stretch
    assert re.search(r"\+90\.00 pt .* new$", charcloth(*sides, check=0).stdout, re.MULTILINE)


def test_diff_of_unlike_totals_compares_shares(charcloth, two):
    (two / "double.folded").write_text("main;work;sum 10\nmain;work;read 4\nmain;idle 6\n")
    done = charcloth("diff", two / "a.folded", two / "double.folded", "--format", "collapsed", check=0)
    for before, after in both_sides(done.stdout).values():
        assert before == after


def test_top_counts_self_and_total(charcloth):
    table = charcloth("top", "-", data="main;a;a;a 4\nmain;b 1\n", check=0).stdout
    row = next(line.split() for line in table.splitlines() if line.endswith(" a"))
    assert (row[0], row[2]) == ("4", "4")  # a recursive method counts once
    rows = json.loads(charcloth("top", "-", "--json", data="main;a;a;a 4\nmain;b 1\n", check=0).stdout)
    assert "main" in json.dumps(rows)


def test_top_shows_every_method_when_asked(charcloth):
    data = "".join(f"main;method{i} 1\n" for i in range(100))
    assert "71 more" in charcloth("top", "-", data=data, check=0).stdout
    assert charcloth("top", "-", "-n", "0", data=data, check=0).stdout.count("method") == 100


def test_top_sorts_by_total_when_asked(charcloth):
    table = charcloth("top", "-", "--sort-total", data="main;a;b 4\nmain;c 1\n", check=0).stdout
    rows = [line.split()[-1] for line in table.splitlines() if "%" in line and "Frame" not in line]
    assert rows == ["main", "b", "a", "c"]


def test_files_of_one_name_are_told_apart(charcloth, two):
    for folder, count in (("x", 1), ("y", 2)):
        (two / folder).mkdir()
        (two / folder / "same.folded").write_text(f"main {count}\n")
    done = charcloth("convert", "x/same.folded", "y/same.folded", "--by", "file", "-o", "-", cwd=two, check=0)
    assert folded(done.stdout) == {"file=x/same.folded;main": 1, "file=y/same.folded;main": 2}


def test_an_input_is_never_overwritten(charcloth, two):
    (two / "link.folded").symlink_to("a.folded")
    for name in ("a.folded", "./a.folded", "link.folded"):
        done = charcloth("convert", "a.folded", "-o", name, "--format", "svg", cwd=two, check=2)
        assert "is an input too" in done.stderr
    assert (two / "a.folded").read_text() == FOLDED


def test_a_dump_deep_in_a_log_is_found(charcloth, tmp_path):
    dump = (pathlib.Path(__file__).parent.parent / "data" / "jstack" / "jdk25.txt").read_text()
    (tmp_path / "driver.log").write_text("12:00:00 INFO nothing to see here\n" * 5000 + dump)
    done = charcloth("convert", tmp_path / "driver.log", "-o", "-", check=0)
    assert "java/lang/Thread.run" in done.stdout


def test_our_own_text_is_no_profile(charcloth, two):
    charcloth("convert", two / "a.folded", "-o", two / "x.txt", check=0)
    done = charcloth("convert", two / "x.txt", "-o", "-", check=1)
    assert "is no profile known here" in done.stderr


def test_a_label_that_nobody_has_is_told(charcloth, two):
    done = charcloth("top", two, "--by", "stege", check=0)
    assert "no sample has the label 'stege'" in done.stderr


def test_top_by_label_makes_a_list_each(charcloth, two):
    table = charcloth("top", two, "--by", "file", check=0).stdout
    assert re.findall(r"^file=\S+: .*$", table, re.MULTILINE) == [
        "file=a.folded: 10 samples, 50.00% of all",
        "file=b.folded: 10 samples, 50.00% of all",
    ]
    groups = json.loads(charcloth("top", two, "--by", "file", "--json", check=0).stdout)["groups"]
    assert [group["labels"] for group in groups] == [["file=a.folded"], ["file=b.folded"]]
    assert groups[1]["top"][0] == {"name": "new", "self": 9, "total": 9}


# --- the program about itself -----------------------------------------------------------------------


COMMANDS = ["convert", "diff", "top", "record", "start", "stop", "dump", "status", "list", "threads", "heap", "perfmap"]


def test_help_man_and_completion_know_every_command(charcloth):
    usage = charcloth("help", check=0).stdout
    for command in COMMANDS:
        assert command in usage
        text = charcloth(command, "--help", check=0).stdout
        assert "Examples" in text
        assert max(map(len, text.splitlines())) <= 82
        assert charcloth("help", command, check=0).stdout == text
        page = charcloth("help", "man", command, check=0).stdout
        assert page.startswith(f".TH CHARCLOTH-{command}")
    assert charcloth("--version", check=0).stdout.startswith("charcloth ")


def test_completion_is_valid_shell(charcloth):
    script = charcloth("completion", "bash", check=0).stdout
    probe = script + '\nCOMP_WORDS=(charcloth convert --inc); COMP_CWORD=2; _charcloth; echo "${COMPREPLY[@]}"\n'
    done = subprocess.run(["bash", "-c", probe], capture_output=True, check=True, text=True)
    assert done.stdout.strip() == "--include"


def test_every_option_is_documented(charcloth):
    pages = pathlib.Path(__file__).parents[2] / "docs"
    docs = "".join(page.read_text() for page in pages.glob("*.md"))
    for command in COMMANDS:
        text = charcloth(command, "--help", check=0).stdout
        for option in re.findall(r"^ {2,6}(?:-\w, )?(--[a-z-]+)", text, re.MULTILINE):
            assert option in docs, f"{option} stands in no page of docs/"
