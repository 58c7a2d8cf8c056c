# shellcheck shell=bash
# The checks that need no running program. Each is a function lint_<name>; each counts as one test.

LINT_CHECKS=(layers words shell python format sizes web warnings tidy)
TIDY_JOBS=2
LONG_FILE=700

cmd_lint() {
    need build test
    need_web
    need_venv
    mkdir -p "$LOGS"
    : >"$TALLY"
    if [[ ${1-} == --fix ]]; then
        shift
        c_files | xargs -r clang-format -i
        "$VENV/bin/ruff" check --quiet --fix . || true
        "$VENV/bin/ruff" format --quiet .
    fi
    run_lint "$@"
}

run_lint() {
    local name passed=0 failed=0
    (($#)) || set -- "${LINT_CHECKS[@]}"
    for name in "$@"; do
        [[ " ${LINT_CHECKS[*]} " == *" $name "* ]] || usage_error "lint knows ${LINT_CHECKS[*]}, not '$name'"
        if step "lint-$name" "lint: $name" "lint_$name"; then
            passed=$((passed + 1))
        else
            failed=$((failed + 1))
        fi
        [[ $name == sizes ]] && cat "$LOGS/lint-sizes.log"
    done
    echo "$passed $failed 0 lint" >>"$TALLY"
    ((failed == 0))
}

# listed PATTERN…: tracked and new files that match, one per line.
listed() {
    git ls-files --cached --others --exclude-standard -- "$@" | sort -u | while read -r file; do
        [[ -f $file ]] && echo "$file"
    done
}

c_files() { listed 'src/*.[ch]' 'tests/unit/*.[ch]' 'fuzz/*.[ch]'; }

lint_layers() { "$VENV/bin/python" scripts/check_layers.py; }

lint_words() { "$VENV/bin/python" scripts/check_words.py; }

lint_shell() { { listed '*.sh' && printf '%s\n' dev .ci/run; } | xargs shellcheck -x; }

lint_python() {
    local status=0
    "$VENV/bin/ruff" check . || status=1
    "$VENV/bin/ruff" format --check --diff . || status=1
    return "$status"
}

lint_format() { c_files | xargs -r clang-format --dry-run -Werror; }

# Long files are named, not forbidden.
lint_sizes() {
    listed '*.c' '*.h' '*.ts' '*.mjs' '*.py' '*.sh' '*.java' dev | xargs wc -l |
        awk -v most="$LONG_FILE" '$2 != "total" && $1 > most { printf "    %s is %d lines long (more than %d)\n", $2, $1, most }'
}

lint_web() {
    [[ -f web/package.json ]] || return 0
    npm --prefix web run check
}

# All code, tests included, through clang with warnings as errors.
lint_warnings() {
    configure debug
    ninja -C build/debug -k 0
}

# Generated headers must exist before their users are read; what does not compile is told by lint_warnings.
lint_tidy() {
    configure debug
    ninja -C build/debug -k 0 >/dev/null 2>&1 || true
    "$VENV/bin/python" scripts/tidy.py build/debug --memory "$CACHE/tidy" --jobs "$TIDY_JOBS"
}
