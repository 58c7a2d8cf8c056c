# shellcheck shell=bash
# libFuzzer over the readers. New inputs that reach new code stay in build/fuzz-corpus; a crash is kept in
# build/fuzz-crashes and belongs, once understood, into fuzz/corpus/<target> where the ordinary tests replay it.

cmd_fuzz() {
    local seconds=60 targets=() name program failed=0
    while (($#)); do
        case $1 in
        -t)
            [[ ${2-} =~ ^[0-9]+$ ]] || usage_error "-t takes a number of seconds"
            seconds=$2
            shift
            ;;
        -*) usage_error "fuzz does not know '$1'" ;;
        *) targets+=("${1#fuzz_}") ;;
        esac
        shift
    done
    need_build fuzz
    if ((${#targets[@]} == 0)); then
        for program in build/fuzz/fuzz/fuzz_*; do
            [[ -f $program && -x $program ]] && targets+=("${program##*/fuzz_}")
        done
    fi
    ((${#targets[@]})) || die "there are no fuzz targets in build/fuzz/fuzz"
    for name in "${targets[@]}"; do
        [[ -x build/fuzz/fuzz/fuzz_$name ]] || die "there is no fuzz target '$name'"
        step "fuzz-$name" "fuzzing $name for $seconds s" fuzz_one "$name" "$seconds" || failed=$((failed + 1))
        grep '^Done' "$LOGS/fuzz-$name.log" | tail -n 1 || true
    done
    ((failed == 0)) || die "$failed target(s) failed; the inputs are in build/fuzz-crashes"
}

fuzz_one() {
    local name=$1 found=build/fuzz-corpus/$1 dictionary=() corpora=()
    mkdir -p "$found" build/fuzz-crashes
    corpora=("$found")
    [[ -d fuzz/corpus/$name ]] && corpora+=("fuzz/corpus/$name")
    [[ -f fuzz/$name.dict ]] && dictionary=("-dict=fuzz/$name.dict")
    UBSAN_OPTIONS=print_stacktrace=1 "build/fuzz/fuzz/fuzz_$name" -max_total_time="$2" -timeout=10 -rss_limit_mb=1024 \
        -print_final_stats=1 -artifact_prefix="build/fuzz-crashes/$name-" "${dictionary[@]}" "${corpora[@]}"
}
