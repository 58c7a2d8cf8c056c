"""Loads an agent into a running JVM by HotSpot's attach protocol: no second JVM runs beside the measured one."""

from __future__ import annotations

import os
import pathlib
import signal
import socket
import time

PATIENCE_S = 10


def listening(pid):
    """The path of the JVM's socket; asks it to listen first, when it does not yet."""
    path = pathlib.Path(f"/tmp/.java_pid{pid}")  # noqa: S108 - the JVM has it there
    if path.exists():
        return path
    ask = pathlib.Path(f"/proc/{pid}/cwd/.attach_pid{pid}")
    ask.touch()
    try:
        os.kill(pid, signal.SIGQUIT)
        end = time.monotonic() + PATIENCE_S
        while not path.exists():
            if time.monotonic() > end:
                raise RuntimeError(f"the JVM {pid} does not listen")
            time.sleep(0.01)
    finally:
        ask.unlink(missing_ok=True)
    return path


def load(pid, library, options):
    """Loads the library with these options. Raises RuntimeError with the answer when that fails."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(listening(pid)))
        words = ["1", "load", str(library), "true", options]
        connection.sendall("".join(word + "\0" for word in words).encode())
        answer = b""
        while part := connection.recv(4096):
            answer += part
    if b"return code: 0" not in answer:
        raise RuntimeError(f"{library} with '{options}': {answer.decode('utf-8', 'replace')}")
