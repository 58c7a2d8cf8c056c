# shellcheck shell=bash
# Measurements against other tools; bench/run.py --help has the arguments.

cmd_bench() {
    need build bench
    need_build release
    [[ ${1-} != spark ]] || need_jar
    "$(find_python)" bench/run.py "$@"
}
