# shellcheck shell=bash
# The main job on a fresh machine: run a Spark job with a planted illness, driver and two executors recorded by the plugin,
# and show what the recordings say.

# Real executor processes: two, of one core and 1024 MiB each.
DEMO_MASTER='local-cluster[2,1,1024]'

cmd_demo() {
    (($# == 0)) || usage_error "demo takes no arguments"
    local out=build/demo recordings
    need build demo
    need_jar
    need_spark
    rm -rf "$out"
    mkdir -p "$out"
    step demo-run "running examples/slow_sql.py in Spark, recorded by the plugin" demo_run "$out" || exit 1
    recordings=$(find "$out/recordings" -mindepth 1 -maxdepth 1 -type d)
    [[ -n $recordings ]] || die "there are no recordings in $out/recordings; see build/log/demo-run.log"
    step demo-convert "drawing the flame graph by stage" \
        build/charcloth convert "$recordings" --by stage --title "slow SQL, by stage" -o "$out/flame.html" || exit 1
    say "recorded: $(cd "$recordings" && echo *.jfr), in $recordings"
    say "what was found in a job that asks what customers owe"
    "$(find_python)" scripts/demo_findings.py build/charcloth "$recordings" || exit 1
    echo "by yourself: spark-submit with what \`build/charcloth spark-conf --output FOLDER\` prints, then"
    echo "             build/charcloth convert FOLDER/APP-ID --by stage -o flame.html"
    good "open this file in a browser: $ROOT/$out/flame.html"
    if [[ -n ${DISPLAY-}${WAYLAND_DISPLAY-} ]] && have xdg-open; then
        xdg-open "$out/flame.html" >/dev/null 2>&1 || true
    fi
}

# The words that spark-conf prints are for a shell: this is one. Spark keeps the folders of executors where its home is,
# so that it gets one here.
demo_run() {
    local options part
    mkdir "$1/spark"
    for part in bin jars python; do
        ln -s "$("$SPARK_VENV/bin/python" -c 'import pyspark; print(*pyspark.__path__)')/$part" "$1/spark/$part"
    done
    options=$(build/charcloth spark-conf --quiet --output "file://$ROOT/$1/recordings") || return 1
    SPARK_HOME=$ROOT/$1/spark SPARK_LOCAL_DIRS=$ROOT/$1/spark/local SPARK_LOCAL_IP=127.0.0.1 \
        JAVA_HOME=$(spark_java_home) PYSPARK_PYTHON=$SPARK_VENV/bin/python \
        bash -c "$1/spark/bin/spark-submit --master '$DEMO_MASTER' --conf spark.ui.enabled=false $options \$0" examples/slow_sql.py
}
