"""Talking to running JVMs: who is there, what they do, and who must be left alone."""

import contextlib
import ctypes
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time

import jdks
import jvms
import pytest

ROOT = os.geteuid() == 0
TMP = jvms.TMP
needs_root = pytest.mark.skipif(not ROOT, reason="only root can act as another user")


@pytest.fixture(scope="module", autouse=True)
def _tidy():
    yield
    jvms.forget()


@pytest.fixture(scope="module", params=jdks.VERSIONS)
def version(request):
    return request.param


@pytest.fixture(scope="module")
def idle(version):
    """A JVM that several tests look at."""
    with jvms.running(version) as jvm:
        yield jvm


@contextlib.contextmanager
def for_nobody(charcloth):
    """A copy of the program where everybody can run it, and a way to run it as nobody."""
    with tempfile.TemporaryDirectory() as name:
        pathlib.Path(name).chmod(0o755)
        copy = pathlib.Path(name) / "charcloth"
        shutil.copy(charcloth.path, copy)

        def run(*arguments):
            return subprocess.run(
                [copy, *map(str, arguments)],
                capture_output=True,
                text=True,
                check=False,
                cwd="/",
                user=jvms.NOBODY,
                group=jvms.NOBODY,
                extra_groups=[],
            )

        yield run


def listed(charcloth, pid):
    rows = json.loads(charcloth("list", "--json", check=0).stdout)
    return next((row for row in rows if row["pid"] == pid), None)


# -- what is there


def test_a_jvm_is_listed(charcloth, idle, version):
    row = listed(charcloth, idle.pid)
    assert row["kind"] == "jvm"
    assert row["program"] == "Idle"
    assert row["version"].split(".")[0] == str(version)
    assert row["uid"] == os.geteuid()
    assert row["open"] is True
    assert "spark" not in row


def test_the_table_has_a_line_per_process(charcloth, idle):
    text = charcloth("list", check=0).stdout
    assert text.splitlines()[0].split() == ["PID", "USER", "KIND", "SPARK", "PROGRAM"]
    line = next(line for line in text.splitlines() if line.split()[0] == str(idle.pid))
    assert re.search(r"JVM [\d.]+ .*\bIdle$", line)


def test_a_python_is_listed(charcloth):
    script = "import sys; print('up', flush=True); sys.stdin.read()"
    python = "/usr/bin/python3" if pathlib.Path("/usr/bin/python3").exists() else shutil.which("python3")
    with subprocess.Popen(
        [python, "-c", script, "--app-id", "x"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "up\n"
        row = listed(charcloth, process.pid)
        process.stdin.close()
    assert row["kind"] == "python"
    assert row["program"] == "-c"
    assert re.fullmatch(r"3\.\d+", row["version"])


def test_an_executor_is_told_by_its_command_line(charcloth, tmp_path):
    """The class itself need not be Spark's: its name and arguments are what a process list shows."""
    package = tmp_path / "org" / "apache" / "spark" / "executor"
    package.mkdir(parents=True)
    source = package / "CoarseGrainedExecutorBackend.java"
    source.write_text(
        "package org.apache.spark.executor; public class CoarseGrainedExecutorBackend {"
        "public static void main(String[] a) throws Exception { System.out.println(1); System.in.read(); } }"
    )
    jdks.run([jdks.javac(), "--release", "11", "-d", tmp_path, source])
    words = ["--executor-id", "3", "--app-id", "app-20240101-0001"]
    with subprocess.Popen(
        [jdks.java(17), "-cp", tmp_path, "org.apache.spark.executor.CoarseGrainedExecutorBackend", *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout.readline() == b"1\n"
        row = listed(charcloth, process.pid)
        process.stdin.close()
    assert row["spark"] == {"role": "executor", "executor": "3", "app": "app-20240101-0001"}


@needs_root
def test_another_users_jvm_is_listed_as_closed(charcloth, idle):
    with for_nobody(charcloth) as run:
        done = run("list", "--json")
    row = next(row for row in json.loads(done.stdout) if row["pid"] == idle.pid)
    assert row["open"] is False
    assert row["program"] == "Idle"


# -- commands to a JVM


def test_threads_prints_a_dump(charcloth, idle):
    done = charcloth("threads", idle.pid, check=0)
    assert '"main"' in done.stdout
    assert "at Idle.rest(Idle.java:" in done.stdout
    assert "Locked ownable synchronizers" not in done.stdout
    assert idle.left_behind() == []


def test_threads_can_show_locks(charcloth, idle):
    assert "Locked ownable synchronizers" in charcloth("threads", idle.pid, "-l", check=0).stdout


def test_a_dump_is_an_input_of_convert(charcloth, idle):
    dump = charcloth("threads", idle.pid, check=0).stdout
    assert "Idle.main" in charcloth("convert", "-", "-o", "-", data=dump, check=0).stdout


def test_heap_counts_objects(charcloth, idle):
    everything = json.loads(charcloth("heap", idle.pid, "--json", "-n", 0, check=0).stdout)
    live = json.loads(charcloth("heap", idle.pid, "--json", "--live", "-n", 0, check=0).stdout)
    counted = {row["class"]: row for row in live["classes"]}["Idle$Counted"]
    assert counted["instances"] == 4321
    assert counted["bytes"] % 4321 == 0
    assert everything["instances"] >= live["instances"]
    assert live["count"] == len(live["classes"])
    assert live["bytes"] == sum(row["bytes"] for row in live["classes"])
    sizes = [row["bytes"] for row in live["classes"]]
    assert sizes == sorted(sizes, reverse=True)


def test_heap_prints_a_table(charcloth, idle):
    lines = charcloth("heap", idle.pid, "-n", 5, check=0).stdout.splitlines()
    assert lines[0].split() == ["bytes", "instances", "class"]
    assert len(lines) == 7
    assert "byte[]" in " ".join(lines)
    assert re.search(r"all of \d+ classes$", lines[-1])


def test_perfmap_says_where_the_map_is(charcloth, idle):
    path = pathlib.Path(charcloth("perfmap", idle.pid, check=0).stdout.rstrip("\n"))
    try:
        assert path.name == f"perf-{idle.pid}.map"
        assert re.match(r"(0x)?[0-9a-f]+ (0x)?[0-9a-f]+ \S", path.read_text().splitlines()[0])
    finally:
        path.unlink()


def test_a_jvm_that_cannot_write_where_it_stands_is_asked_by_tmp(charcloth):
    """As nobody, whose JVM stands in the root folder."""
    if not ROOT:
        pytest.skip("only root can act as another user")
    command = [jdks.java(17), "-Xmx64m", "-cp", jvms.classes("Idle"), "Idle"]
    with (
        for_nobody(charcloth) as run,
        subprocess.Popen(
            command, cwd="/", stdin=subprocess.PIPE, stdout=subprocess.PIPE, user=jvms.NOBODY, group=jvms.NOBODY
        ) as process,
    ):
        assert process.stdout.readline() == b"up\n"
        jvms.remove_socket(process.pid)
        done = run("threads", process.pid)
        process.stdin.close()
    assert done.returncode == 0, done.stderr
    assert "Idle.main" in done.stdout
    assert not (TMP / f".attach_pid{process.pid}").exists()


# -- who must be left alone


def test_no_such_process(charcloth):
    done = charcloth("threads", 2**31 - 1, check=1)
    assert done.stderr == "charcloth: there is no process 2147483647\n"


@pytest.mark.parametrize("word", ["x", "-1", "0", "12x", "", "99999999999"])
def test_a_pid_is_a_number(charcloth, word):
    done = charcloth("heap", "--", word, check=2)
    assert "is no pid" in done.stderr


def test_one_pid_is_needed(charcloth):
    assert "needs the pid of one process" in charcloth("threads", check=2).stderr
    assert "needs the pid of one process" in charcloth("threads", 1, 2, check=2).stderr


@pytest.mark.parametrize("command", ["threads", "heap", "perfmap"])
def test_what_is_no_jvm_survives(charcloth, command):
    with subprocess.Popen(["sleep", "60"]) as process:
        done = charcloth(command, process.pid, check=1)
        assert f"process {process.pid} is no HotSpot JVM (it runs " in done.stderr
        assert process.poll() is None
        process.kill()


def test_a_thread_is_no_process(charcloth, idle):
    tid = next(int(t.name) for t in pathlib.Path(f"/proc/{idle.pid}/task").iterdir() if int(t.name) != idle.pid)
    done = charcloth("threads", tid, check=1)
    assert done.stderr == f"charcloth: {tid} is a thread of process {idle.pid}; name the process\n"


@pytest.mark.parametrize("extra", [[], ["-XX:-UsePerfData"]])
def test_a_jvm_with_attach_switched_off_prints_nothing(charcloth, version, extra):
    with jvms.running(version, "-XX:+DisableAttachMechanism", *extra) as jvm:
        done = charcloth("threads", jvm.pid, check=1)
        assert "was started with -XX:+DisableAttachMechanism" in done.stderr
        assert jvm.end() == ""
        assert jvm.left_behind() == []


@contextlib.contextmanager
def left_socket(pid):
    """What a killed JVM that had the same number leaves behind: a socket at which nobody listens."""
    path = TMP / f".java_pid{pid}"
    with socket.socket(socket.AF_UNIX) as gone:
        gone.bind(str(path))
    try:
        yield
    finally:
        path.unlink(missing_ok=True)


def test_the_socket_of_a_dead_jvm_does_not_speak_for_the_living(charcloth, version):
    with jvms.running(version) as jvm, left_socket(jvm.pid):
        assert "Idle.main" in charcloth("threads", jvm.pid, check=0).stdout
        assert jvm.end() == ""
    with jvms.running(version, "-XX:+DisableAttachMechanism") as jvm, left_socket(jvm.pid):
        done = charcloth("threads", jvm.pid, check=1)
        assert "was started with -XX:+DisableAttachMechanism" in done.stderr
        assert jvm.end() == ""


def test_a_jvm_without_a_handler_survives(charcloth, version):
    """With -Xrs a JVM listens from its start, so that no signal is needed; without its socket it cannot be asked."""
    with jvms.running(version, "-Xrs") as jvm:
        assert "Idle.main" in charcloth("threads", jvm.pid, check=0).stdout
        (TMP / f".java_pid{jvm.pid}").unlink()
        done = charcloth("threads", jvm.pid, check=1)
        assert "was started with -Xrs" in done.stderr
        assert jvm.alive()
        assert jvm.end() == ""


def test_a_stopped_jvm_is_not_waited_for(charcloth):
    with jvms.running(17) as jvm:
        os.kill(jvm.pid, signal.SIGSTOP)
        while pathlib.Path(f"/proc/{jvm.pid}/stat").read_text().split(") ")[1][0] != "T":
            pass
        done = charcloth("threads", jvm.pid, check=1)
        os.kill(jvm.pid, signal.SIGCONT)
        assert f"process {jvm.pid} is stopped" in done.stderr
        assert charcloth("threads", jvm.pid, check=0).stdout


def test_a_starting_jvm_is_waited_for(charcloth):
    """From its first instruction on: either it is asked when it can hear, or it is no JVM yet; never is it killed."""
    for _ in range(5):
        command = [jdks.java(17), "-Xmx64m", "-cp", jvms.classes("Idle"), "Idle"]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
            done = charcloth("threads", process.pid)
            out, _ = process.communicate()
        assert process.returncode == 0
        assert out == "up\n"
        assert done.returncode == 0 or "is no HotSpot JVM" in done.stderr


def test_an_interrupted_attach_leaves_no_file(charcloth):
    """A JVM stopped right after the check never answers: the trigger stays until we are ended."""
    with jvms.running(17) as jvm:
        trigger = jvm.folder / f".attach_pid{jvm.pid}"
        # A socket that nobody opens: the signal dispatcher of the JVM is held by a debugger's stop of one thread.
        dispatcher = next(
            task.name
            for task in pathlib.Path(f"/proc/{jvm.pid}/task").iterdir()
            if (task / "comm").read_text().startswith("Signal Dispatch")
        )
        with held(int(dispatcher)):
            process = subprocess.Popen([charcloth.path, "threads", str(jvm.pid)], stderr=subprocess.PIPE)
            while not trigger.exists():
                assert process.poll() is None, process.stderr.read()
                time.sleep(0.001)
            process.send_signal(signal.SIGINT)
            process.communicate()
        assert process.returncode == -signal.SIGINT
        assert not trigger.exists()
        assert jvm.alive()


@contextlib.contextmanager
def held(tid):
    """One thread of another process, stopped by ptrace; it runs on when this ends."""
    libc = ctypes.CDLL(None, use_errno=True)
    seize, interrupt, detach = 0x4206, 0x4207, 17
    libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
    if libc.ptrace(seize, tid, None, None) != 0:
        pytest.skip("ptrace is not permitted here")
    libc.ptrace(interrupt, tid, None, None)
    os.waitpid(tid, 0x40000000)  # __WALL
    try:
        yield
    finally:
        if libc.ptrace(detach, tid, None, None) != 0:
            os.waitpid(tid, 0x40000000)  # it died; nobody else can bury it


@needs_root
def test_root_reaches_the_jvm_of_nobody(charcloth):
    for version in (17, 25):
        with jvms.running(version, user=jvms.NOBODY) as jvm:
            assert "Idle.main" in charcloth("threads", jvm.pid, check=0).stdout
            assert jvm.left_behind() == []
            assert jvm.end() == ""


@needs_root
def test_nobody_does_not_reach_the_jvm_of_root(charcloth):
    with jvms.running(17) as jvm, for_nobody(charcloth) as run:
        done = run("threads", jvm.pid)
        assert done.returncode == 1
        assert done.stderr == (f"charcloth: process {jvm.pid} belongs to root (uid 0); run as that user or as root\n")
        assert jvm.end() == ""


@needs_root
def test_a_trigger_of_another_user_is_not_trusted(charcloth):
    """The JVM would take it for none and print a thread dump."""
    with jvms.running(17) as jvm:
        trigger = jvm.folder / f".attach_pid{jvm.pid}"
        trigger.touch()
        os.chown(trigger, jvms.NOBODY, jvms.NOBODY)
        done = charcloth("threads", jvm.pid, check=1)
        assert "of another user is in the way" in done.stderr
        assert jvm.end() == ""


@needs_root
def test_a_socket_that_another_user_left_is_named(charcloth):
    with jvms.running(17, user=jvms.NOBODY) as jvm:
        path = jvms.TMP / f".java_pid{jvm.pid}"
        with socket.socket(socket.AF_UNIX) as left:
            left.bind(str(path))
        path.chmod(0o600)
        done = charcloth("threads", jvm.pid, check=1)
        assert f"'{path}' of another user is in the way" in done.stderr
        assert jvm.end() == ""


@needs_root
def test_a_jvm_in_a_pid_namespace(charcloth):
    unshare = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"]
    if subprocess.run([*unshare, "true"], capture_output=True, check=False).returncode != 0:
        pytest.skip("namespaces are not permitted here")
    with jvms.running(17, prefix=unshare) as outer:
        children = pathlib.Path(f"/proc/{outer.pid}/task/{outer.pid}/children").read_text().split()
        pid = int(children[0])
        assert "Idle.main" in charcloth("threads", pid, check=0).stdout
        assert listed(charcloth, pid)["program"] == "Idle"
        place = charcloth("perfmap", pid, check=0)
        assert place.stdout == f"/proc/{pid}/root/tmp/perf-1.map\n"
        pathlib.Path(place.stdout.strip()).unlink()
        assert f"{TMP}/perf-{pid}.map" in place.stderr
        assert not list(outer.folder.glob(".attach_pid*"))
    (TMP / ".java_pid1").unlink(missing_ok=True)


def test_a_jvm_that_dies_while_asked_is_told(charcloth):
    with jvms.running(17) as jvm:
        dispatcher = next(
            task.name
            for task in pathlib.Path(f"/proc/{jvm.pid}/task").iterdir()
            if (task / "comm").read_text().startswith("Signal Dispatch")
        )
        with held(int(dispatcher)):
            process = subprocess.Popen([charcloth.path, "threads", str(jvm.pid)], stderr=subprocess.PIPE, text=True)
            while not (jvm.folder / f".attach_pid{jvm.pid}").exists():
                assert process.poll() is None, process.stderr.read()
                time.sleep(0.001)
            jvm.process.kill()
            _, said = process.communicate()
        assert process.returncode == 1
        assert said == f"charcloth: process {jvm.pid} ended meanwhile\n"
        assert jvm.left_behind() == []


def test_what_a_thread_is_called_cannot_speak_to_the_terminal(charcloth, idle):
    shown = subprocess.run(
        ["script", "-qec", f"{charcloth.path} threads {idle.pid}", "/dev/null"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "NO_COLOR": "1"},
    )
    if shown.returncode == 127:
        pytest.skip("there is no script(1)")
    assert "named ⟨U+001B⟩[31m thread" in shown.stdout
    assert "\x1b[31m" not in shown.stdout
