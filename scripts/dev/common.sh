# shellcheck shell=bash
# What every command uses: words to the user, steps with a clock and a log, places.

# shellcheck disable=SC2034  # used by the other parts
CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/charcloth
LOGS=$ROOT/build/log

BOLD='' RED='' GREEN='' PLAIN=''
if [[ -t 1 && -z ${NO_COLOR-} && ${TERM-dumb} != dumb ]]; then
    BOLD=$'\e[1m' RED=$'\e[31m' GREEN=$'\e[32m' PLAIN=$'\e[0m'
fi

say() { printf '%s==>%s %s\n' "$BOLD" "$PLAIN" "$*"; }
good() { printf '%s%s%s\n' "$GREEN" "$*" "$PLAIN"; }
warn() { printf 'dev: %s\n' "$*" >&2; }

die() {
    printf '%sdev: %s%s\n' "$RED" "$*" "$PLAIN" >&2
    exit 1
}

usage_error() {
    printf 'dev: %s; see ./dev help\n' "$*" >&2
    exit 2
}

# The clock of a step, drawn in place; only for terminals.
tick() {
    local text=$1 start=$SECONDS
    while sleep 1; do
        printf '\r%s==>%s %s … %d s' "$BOLD" "$PLAIN" "$text" $((SECONDS - start))
    done
}

# step NAME TEXT COMMAND…: run the command with its output in build/log/NAME.log; on failure show the tail.
step() {
    local text=$2 log=$LOGS/$1.log start=$SECONDS ticker='' status=0
    shift 2
    mkdir -p "$LOGS"
    printf '%s==>%s %s …' "$BOLD" "$PLAIN" "$text"
    if [[ -t 1 ]]; then
        tick "$text" &
        ticker=$!
    fi
    "$@" >"$log" 2>&1 </dev/null || status=$?
    if [[ -n $ticker ]]; then
        kill "$ticker" 2>/dev/null || true
        wait "$ticker" 2>/dev/null || true
        printf '\r%s==>%s %s …' "$BOLD" "$PLAIN" "$text"
    fi
    if ((status == 0)); then
        printf ' %d s\n' $((SECONDS - start))
        return 0
    fi
    printf ' %sfailed%s after %d s\n' "$RED" "$PLAIN" $((SECONDS - start))
    grep -vE '^\[[0-9]+/[0-9]+\] (Compiling|Linking|Generating)|^INFO: ' "$log" | tail -n 40 | sed 's/^/    /'
    echo "    (all of it: ${log#"$ROOT"/})"
    return "$status"
}

have() { command -v "$1" >/dev/null 2>&1; }

# digest FILE…: a short name for the contents of the files.
digest() { cat -- "$@" | sha256sum | cut -c1-12; }

# The first python3 that is new enough; meson brings one on a fresh machine.
find_python() {
    local candidate
    for candidate in python3 /usr/bin/python3; do
        if have "$candidate" && "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null; then
            command -v "$candidate"
            return
        fi
    done
    return 1
}
