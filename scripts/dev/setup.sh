# shellcheck shell=bash
# What is needed beside Debian packages: node modules and Python environments.

cmd_setup() {
    local want
    (($#)) || set -- build test
    for want in "$@"; do
        [[ $want =~ ^(build|test|cross|demo|bench)$ ]] || usage_error "setup knows build, test, cross, demo and bench, not '$want'"
    done
    need "$@"
    need_web
    if [[ " $* " == *" test "* ]]; then need_venv; fi
    if [[ " $* " == *" demo "* ]]; then need_spark; fi
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

# Sets VENV to an environment with tests/requirements.txt in it.
need_venv() {
    set_venv VENV tests/requirements.txt venv "making the Python environment"
}

# Sets SPARK_VENV to one with Spark in it.
need_spark() {
    spark_java_home >/dev/null || die "Spark needs JDK 11, 17 or 21: set JAVA_HOME to one"
    set_venv SPARK_VENV examples/requirements.txt spark "fetching Spark (300 MB, once)"
}

# A JDK that this Spark runs on.
spark_java_home() {
    local home
    for home in "${JAVA_HOME-}" /usr/lib/jvm/java-{17,21,11}-openjdk-*; do
        if [[ -x $home/bin/java && $("$home/bin/java" -version 2>&1) =~ \"(11|17|21)[.\"] ]]; then
            echo "$home"
            return
        fi
    done
    return 1
}

# set_venv VARIABLE REQUIREMENTS NAME TEXT: sets the variable to an environment with the requirements in it. It is named
# by its contents, so that several checkouts share it and none disturbs another.
set_venv() {
    local -n venv=$1
    local python
    python=$(find_python) || die "no python3 of version 3.9 or newer"
    venv=$CACHE/$3/$({
        "$python" -c 'import sys; print(sys.executable, sys.version)'
        cat "$2"
    } | sha256sum | cut -c1-12)
    [[ -f $venv/.complete ]] && return 0
    mkdir -p "$CACHE/$3"
    step "$3" "$4" make_venv "$python" "$2" "$venv" || exit 1
}

# make_venv PYTHON REQUIREMENTS FOLDER
make_venv() (
    flock 9
    [[ -f $3/.complete ]] && return 0
    "$1" -m venv --clear "$3" &&
        "$3/bin/python" -m pip install --quiet --disable-pip-version-check -r "$2" &&
        touch "$3/.complete"
) 9>"${3%/*}/.lock"
