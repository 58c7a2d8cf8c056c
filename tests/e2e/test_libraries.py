"""What the built agents ask of the systems that they are loaded on."""

import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
OLDEST_GLIBC = (2, 17)
LIBRARIES = {
    "x86_64": ROOT / "build/release/src/libcharcloth.so",
    "aarch64": ROOT / "build/aarch64/src/libcharcloth.so",
}
# musl answers to these names itself, and every glibc has them.
NEEDED = {"libc.so.6", "libdl.so.2", "libm.so.6", "libpthread.so.0"}

# What a JVM does with an agent, in a process of any libc.
LOADER = """
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
    puts(library ? "loaded" : dlerror());
    return !library || !dlsym(library, "JNI_OnLoad") || !dlsym(library, "Agent_OnLoad");
}
"""


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(params=LIBRARIES)
def library(request):
    path = LIBRARIES[request.param]
    assert path.exists(), f"{path} is not built: run ./dev build"
    return path


def test_nothing_newer_than_the_oldest_glibc_is_asked_for(library):
    found = re.findall(r" (\w+)@GLIBC_([\d.]+)", run("readelf", "-W", "--dyn-syms", library))
    asked = {name: tuple(map(int, version.split("."))) for name, version in found}
    assert {"dlopen", "memcpy", "pthread_create"} <= asked.keys()
    assert {name: version for name, version in asked.items() if version > OLDEST_GLIBC} == {}


def test_only_libraries_that_every_libc_has_are_needed(library):
    assert set(re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "-W", "-d", library))) == NEEDED


def test_there_is_no_thread_local_storage(library):
    assert not re.search(r"^ +TLS ", run("readelf", "-W", "-l", library), re.MULTILINE)
    assert "__tls_get_addr" not in run("readelf", "-W", "--dyn-syms", library)


@pytest.mark.parametrize("compiler", ["gcc", "musl-gcc"])
def test_it_loads_into_a_process_of_this_libc(compiler, tmp_path):
    (tmp_path / "loader.c").write_text(LOADER, encoding="utf-8")
    run(compiler, "-o", tmp_path / "loader", tmp_path / "loader.c")
    assert run(tmp_path / "loader", LIBRARIES["x86_64"]) == "loaded\n"
