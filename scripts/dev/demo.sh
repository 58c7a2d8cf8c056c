# shellcheck shell=bash
# The main job on a fresh machine: record a small Java program with three planted faults, show what the profile says.

DEMO_SECONDS=12

cmd_demo() {
    (($# == 0)) || usage_error "demo takes no arguments"
    local out=build/demo java
    need build demo
    need_build release
    java=$(demo_java)
    rm -rf "$out"
    mkdir -p "$out/classes"
    step demo-compile "compiling examples/hotspots/Hotspots.java" \
        "${java}c" -d "$out/classes" examples/hotspots/Hotspots.java || exit 1
    step demo-record "running it for $DEMO_SECONDS s and recording CPU, allocations and locks" \
        build/charcloth record -e cpu,alloc,lock -o "$out/hotspots.jfr" -- \
        "$java" -Xmx256m -cp "$out/classes" Hotspots "$DEMO_SECONDS" || exit 1
    step demo-convert "drawing the flame graph" build/charcloth convert "$out/hotspots.jfr" -o "$out/flame.html" || exit 1
    say "the hottest methods (build/charcloth top $out/hotspots.jfr)"
    build/charcloth top "$out/hotspots.jfr" -n 10
    say "what was found in a program that prices orders"
    demo_finding "$out" cpu Rules.matches "CPU samples" "it compiles its pattern again for every item"
    demo_finding "$out" alloc Invoice.render "allocated bytes" "it joins text with +="
    demo_finding "$out" lock Ledger.post "lock waiting" "it sums up all accounts inside the lock"
    echo "other views: build/charcloth convert $out/hotspots.jfr --event alloc -o alloc.svg   (or lock)"
    good "open this file in a browser: $ROOT/$out/flame.html"
    if [[ -n ${DISPLAY-}${WAYLAND_DISPLAY-} ]] && have xdg-open; then
        xdg-open "$out/flame.html" >/dev/null 2>&1 || true
    fi
}

# A java whose javac stands beside it.
demo_java() {
    local candidate
    for candidate in "${JAVA_HOME-}/bin/java" /usr/lib/jvm/java-{17,21,25}-openjdk-*/bin/java java; do
        if have "$candidate" && have "${candidate}c"; then
            echo "$candidate"
            return
        fi
    done
    die "no JDK found"
}

# demo_finding DIR EVENT METHOD WHAT WHY: the share of stacks that hold the method.
demo_finding() {
    build/charcloth convert --quiet "$1/hotspots.jfr" --event "$2" --total -o "$1/$2.collapsed" || return 0
    FRAME="Hotspots\$$3" awk -v name="$3" -v what="$4" -v why="$5" '
        { total += $NF; if (index($0, ENVIRON["FRAME"])) under += $NF }
        END { if (total) printf "%3.0f %% of %s lie under %s: %s\n", 100 * under / total, what, name, why }
    ' "$1/$2.collapsed"
}
