# shellcheck shell=bash
# All tests. Every part adds a line "passed failed skipped name" to the tally; the sum is the last line printed.

TALLY=$ROOT/build/log/tally

cmd_test() {
    local part='' full='' arguments=() status=0
    while (($#)); do
        case $1 in
        --full) full=1 ;;
        lint | unit | tsan | e2e | web | fuzz | java)
            if [[ -n $part ]]; then arguments+=("$1"); else part=$1; fi
            ;;
        *) arguments+=("$1") ;;
        esac
        shift
    done
    [[ -z $part && ${#arguments[@]} -gt 0 ]] && usage_error "name the part that '${arguments[0]}' is for"
    need build test
    need_web
    need_venv
    mkdir -p "$LOGS"
    : >"$TALLY"
    local name
    for name in ${part:-lint unit tsan web java e2e}; do
        "test_$name" "${arguments[@]}" || status=1
    done
    "$VENV/bin/python" scripts/tally.py sum "$TALLY" || status=1
    return "$status"
}

# tally KIND NAME FILE STATUS: count what a runner reported in FILE.
tally() { "$VENV/bin/python" scripts/tally.py "$1" "$3" --name "$2" --status "$4" >>"$TALLY"; }

# built VARIANT PART: build it; a build that fails is a failed test of the part.
built() {
    (need_build "$1") && return 0
    echo "0 1 0 $2" >>"$TALLY"
    return 1
}

test_lint() { run_lint "$@"; }

# Unit tests and the replay of every fuzz corpus, under ASan and UBSan.
test_unit() {
    local status=0 log=build/asan/meson-logs/testlog.json
    built asan unit || return 1
    rm -f "$log"
    UBSAN_OPTIONS=print_stacktrace=1 ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1 \
        step unit "unit tests and fuzz corpora under ASan and UBSan" \
        meson test -C build/asan --no-rebuild --print-errorlogs "$@" || status=$?
    tally meson unit "$log" "$status"
    return "$status"
}

# The unit tests again under TSan, for what threads share.
test_tsan() {
    local status=0 log=build/tsan/meson-logs/testlog.json
    built tsan tsan || return 1
    rm -f "$log"
    TSAN_OPTIONS=halt_on_error=1 step tsan "unit tests under TSan" \
        meson test -C build/tsan --no-rebuild --print-errorlogs --suite unit "$@" || status=$?
    tally meson tsan "$log" "$status"
    return "$status"
}

# Only the replay of the fuzz corpora.
test_fuzz() { test_unit --suite fuzz "$@"; }

test_web() {
    local status=0
    [[ -f web/package.json ]] || return 0
    step web "page tests in node and the browser" npm --prefix web test -- "$@" || status=$?
    tally node web "$LOGS/web.log" "$status"
    return "$status"
}

# The unit tests of the Spark plugin.
test_java() {
    local status=0 reports=build/spark/target/surefire-reports
    (need_jar) || return 1 # the tests load the agent
    rm -rf "$reports"
    step java "unit tests of the Spark plugin" maven test "$@" || status=$?
    tally junit java "$reports" "$status"
    return "$status"
}

test_e2e() {
    local status=0 marks=(-m "not full")
    built release e2e && built asan e2e && built aarch64 e2e || return 1
    (need_jar) || return 1
    [[ -n $full ]] && marks=()
    rm -f "$LOGS/e2e.xml"
    CHARCLOTH_BIN=$ROOT/build/release/src/charcloth CHARCLOTH_ASAN_BIN=$ROOT/build/asan/src/charcloth \
        step e2e "end-to-end tests" "$VENV/bin/python" -m pytest tests/e2e "${marks[@]}" \
        --junitxml="$LOGS/e2e.xml" -o junit_family=xunit2 "$@" || status=$?
    tally junit e2e "$LOGS/e2e.xml" "$status"
    return "$status"
}
