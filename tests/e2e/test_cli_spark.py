"""`charcloth spark-conf`: options that Spark takes as they are printed, and mistakes found before a job has them."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess

import pytest
from conftest import ROOT, Program

JAR = "local:///opt/charcloth-spark.jar"
MANY = [
    *("--output", "hdfs:///profiles/nightly run", "--events", "cpu,wall=20ms,alloc=2m", "--interval", "5ms"),
    *("--executors", "25%", "--no-driver", "--flush-interval", "30s", "--maxoverhead", "1.5"),
    *("--tags", 'team=search,note=it\'s "new" \\o/'),
]
PLUGIN = "spark-plugin/src/main/java/dev/charcloth/spark"


@pytest.mark.parametrize("format", ["submit", "defaults", "python"])
def test_what_is_printed(charcloth, golden, format):
    done = charcloth("spark-conf", "--jar", JAR, "--format", format, *MANY, check=0)
    golden(f"spark-conf/{format}.txt", done.stdout)


def settings(charcloth, *arguments):
    """What a shell makes of the options: {key: value}."""
    done = charcloth("spark-conf", "--jar", JAR, *arguments, check=0)
    script = f"printf '%s\\0' {done.stdout}"
    words = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True).stdout.split("\0")[:-1]
    assert words[:2] == ["--jars", JAR]
    assert words[2::2] == ["--conf"] * (len(words) // 2 - 1)
    return dict(word.split("=", 1) for word in words[3::2])


def test_a_shell_reads_what_was_meant(charcloth):
    said = settings(charcloth, *MANY)
    assert said["spark.plugins"] == "dev.charcloth.spark.CharclothPlugin"
    assert said["spark.charcloth.output"] == "hdfs:///profiles/nightly run"
    assert said["spark.charcloth.tags"] == 'team=search,note=it\'s "new" \\o/'


def test_python_reads_what_was_meant(charcloth):
    done = charcloth("spark-conf", "--jar", JAR, "--format", "python", *MANY, check=0)
    pairs = [ast.literal_eval(line.removeprefix("    .config")) for line in done.stdout.splitlines()]
    assert dict(pairs) == {"spark.jars": JAR, **settings(charcloth, *MANY)}


def test_without_options_the_plugin_alone_is_named(charcloth):
    assert settings(charcloth) == {"spark.plugins": "dev.charcloth.spark.CharclothPlugin"}
    assert "without --output" in charcloth("spark-conf", "--jar", JAR, check=0).stderr


def test_every_key_is_one_of_the_plugin(charcloth):
    documented = set(re.findall(r"^\| `(spark\.charcloth\.\w+)`", (ROOT / "docs/spark.md").read_text(), re.MULTILINE))
    assert set(settings(charcloth, *MANY)) - {"spark.plugins"} <= documented


@pytest.mark.parametrize(
    "value", ["all", "none", "0", "3", "0.25", ".5", "1.0", "12.5%", "100%", "ids:1,5", "ids: 1 , 5"]
)
def test_shares_of_executors(charcloth, value):
    assert settings(charcloth, "--executors", value)["spark.charcloth.executors"] == value


@pytest.mark.parametrize(
    "value", ["cpu", "wall,alloc,live,lock=1ms", "page-faults,rc0,sched:sched_switch", "alloc=512KB"]
)
def test_events(charcloth, value):
    assert settings(charcloth, "--events", value)["spark.charcloth.events"] == value


WRONG = [
    ("--output", "https://collector/x", "sending over HTTP comes later; use e.g. hdfs:///profiles"),
    ("--output", "HTTP://collector/x", "sending over HTTP comes later; use e.g. hdfs:///profiles"),
    ("--executors", "half", "not a share of executors; use all, 25%, 0.25, 3 or ids:1,5"),
    ("--executors", "101%", "more than all executors; use all, 25%, 0.25, 3 or ids:1,5"),
    ("--executors", "ids:1,,5", "an id is empty; use all, 25%, 0.25, 3 or ids:1,5"),
    ("--events", "cpu,heap", "there is no event 'heap'; use e.g. cpu,wall,alloc"),
    ("--events", "alloc=lots", "not a size; use e.g. alloc=2m"),
    ("--events", "lock=soon", "not a time; use e.g. lock=1ms"),
    ("--events", "r1,r2,r3,r4,r5,r6,r7,r8,r9", "more than 8 perf events; use fewer"),
    ("--interval", "10", "not a time; use e.g. 10ms"),
    ("--interval", "9us", "shorter than 10us; use e.g. 10ms"),
    ("--flush-interval", "99ms", "shorter than 100ms; use e.g. 10s"),
    ("--maxoverhead", "0", "not a percentage above 0; use e.g. 2"),
    ("--tags", "search", "not a list of pairs; use e.g. team=search,env=prod"),
]


@pytest.mark.parametrize(("option", "value", "sentence"), WRONG)
def test_a_wrong_value_is_one_sentence(charcloth, option, value, sentence):
    done = charcloth("spark-conf", "--jar", JAR, option, value, check=2)
    assert done.stderr == f"charcloth: {option} '{value}': {sentence}\n"
    assert done.stdout == ""


@pytest.mark.parametrize("sentence", sorted({sentence for _, _, sentence in WRONG}))
def test_the_sentences_are_those_of_the_plugin(sentence):
    """Word by word, save for what either puts in: a number, a name, an example."""
    java = "".join(path.read_text() for path in sorted((ROOT / PLUGIN).glob("*.java")))
    put_in = r"\b8\b|'\w+'|(?<=than )\w+(?=;)|(?<=time; use e.g. ).*|(?<=; )(?=use all)"
    for piece in filter(None, re.split(put_in, sentence)):
        assert piece in java


def test_wall_alone_has_its_own_shortest_interval(charcloth):
    done = charcloth("spark-conf", "--jar", JAR, "--events", "wall", "--interval", "50us", check=2)
    assert "shorter than 100us; use e.g. 10ms" in done.stderr
    settings(charcloth, "--events", "cpu,wall", "--interval", "50us")


def test_a_line_break_cannot_smuggle_in_a_key(charcloth):
    done = charcloth("spark-conf", "--jar", JAR, "--format", "defaults", "--output", "/x\nspark.master local", check=2)
    assert "control character" in done.stderr


# --- the jar ------------------------------------------------------------------------------------


def test_the_jar_is_found_beside_the_program(charcloth, tmp_path):
    for place in ("bin", "lib/charcloth"):
        (tmp_path / place).mkdir(parents=True)
    shutil.copy(charcloth.path, tmp_path / "bin/charcloth")
    copy = Program(tmp_path / "bin/charcloth")
    done = copy("spark-conf", check=1)
    assert "charcloth-spark.jar is not beside this program; --jar says where it is" in done.stderr
    (tmp_path / "lib/charcloth/charcloth-spark.jar").touch()
    assert f"--jars {tmp_path}/lib/charcloth/charcloth-spark.jar " in copy("spark-conf", check=0).stdout
    (tmp_path / "bin/charcloth-spark.jar").touch()
    assert f"--jars {tmp_path}/bin/charcloth-spark.jar " in copy("spark-conf", check=0).stdout


def test_a_jar_by_name(charcloth, tmp_path):
    (tmp_path / "my plugin.jar").touch()
    done = charcloth("spark-conf", "--jar", "my plugin.jar", cwd=tmp_path, check=0)
    assert f"--jars '{tmp_path}/my plugin.jar' " in done.stdout
    done = charcloth("spark-conf", "--jar", "none.jar", cwd=tmp_path, check=1)
    assert "open 'none.jar': No such file or directory" in done.stderr
    (tmp_path / "a,b.jar").touch()
    assert "has a comma" in charcloth("spark-conf", "--jar", "a,b.jar", cwd=tmp_path, check=1).stderr


def test_other_mistakes(charcloth):
    done = charcloth("spark-conf", "--jar", JAR, "--format", "yaml", check=2)
    assert "there is no format 'yaml'; --format is one of submit, defaults, python" in done.stderr
    assert "takes options only" in charcloth("spark-conf", "app.jar", check=2).stderr
    assert "is --executors meant?" in charcloth("spark-conf", "--executor", "1", check=2).stderr
