# shellcheck shell=bash
# What is needed beside Debian packages: node modules and a Python environment.

cmd_setup() {
    local want
    (($#)) || set -- build test
    for want in "$@"; do
        [[ $want =~ ^(build|test|cross|demo|bench)$ ]] || usage_error "setup knows build, test, cross, demo and bench, not '$want'"
    done
    need "$@"
    need_web
    if [[ " $* " == *" test "* ]]; then need_venv; fi
    good "everything needed for $* is here"
}

# node modules of the page; installed again only when the lock file changed.
need_web() {
    [[ -f web/package-lock.json ]] || return 0
    local mark=web/node_modules/.charcloth-lock want
    want=$(digest web/package-lock.json)
    [[ -f $mark && $(<"$mark") == "$want" ]] && return 0
    step npm "fetching the node modules" env -C web PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 \
        npm ci --no-audit --no-fund || exit 1
    echo "$want" >"$mark"
}

# Sets VENV to an environment with tests/requirements.txt in it. It is named by its contents, so that
# several checkouts share it and none disturbs another.
need_venv() {
    local python
    python=$(find_python) || die "no python3 of version 3.9 or newer"
    VENV=$CACHE/venv/$({
        "$python" -c 'import sys; print(sys.executable, sys.version)'
        cat tests/requirements.txt
    } | sha256sum | cut -c1-12)
    [[ -f $VENV/.complete ]] && return 0
    mkdir -p "$CACHE/venv"
    step venv "making the Python environment" make_venv "$python" || exit 1
}

make_venv() (
    flock 9
    [[ -f $VENV/.complete ]] && return 0
    "$1" -m venv --clear "$VENV" &&
        "$VENV/bin/python" -m pip install --quiet --disable-pip-version-check -r tests/requirements.txt &&
        touch "$VENV/.complete"
) 9>"$CACHE/venv/.lock"
