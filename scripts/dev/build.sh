# shellcheck shell=bash
# The builds of the C code. Each lives in build/<variant>; release is what users take away. The variant aarch64 is the
# JVM agent alone, cross-compiled: the program would need libraries of that machine.

cmd_build() {
    local variant=release
    case ${1-} in
    '' | --release) ;;
    --debug | --asan | --tsan | --fuzz | --aarch64) variant=${1#--} ;;
    *) usage_error "build takes --debug, --asan, --tsan, --fuzz or --aarch64, not '$1'" ;;
    esac
    need_build "$variant"
    case $variant in
    release)
        need_jar
        echo "built build/charcloth, build/libcharcloth.so and build/charcloth-spark.jar"
        ;;
    aarch64) echo "built build/aarch64/src/libcharcloth.so" ;;
    *) echo "built build/$variant" ;;
    esac
}

# The compiler of a variant. gcc makes what runs; clang reads all code again for `./dev lint tidy` and takes no warning.
variant_compiler() {
    case $1 in
    release | asan | tsan) echo "${CC-gcc}" ;;
    debug | fuzz) echo clang ;;
    aarch64) echo aarch64-linux-gnu-gcc ;;
    esac
}

# The meson arguments of a variant, one per line.
variant_arguments() {
    case $1 in
    release) printf '%s\n' --buildtype=release ;;
    debug) printf '%s\n' --buildtype=debug --werror ;;
    asan)
        printf '%s\n' --buildtype=debug --werror -Doptimization=1 -Db_sanitize=address,undefined -Db_lundef=false \
            "-Dc_args=-fno-sanitize-recover=all -fno-omit-frame-pointer"
        ;;
    tsan) printf '%s\n' --buildtype=debug -Doptimization=1 -Db_sanitize=thread -Db_lundef=false ;;
    aarch64)
        printf '%s\n' --buildtype=release --werror -Dagent_only=true --cross-file=scripts/cross/aarch64.ini \
            "-Dcmocka_root=$(foreign_root arm64)"
        ;;
    fuzz)
        printf '%s\n' --buildtype=debugoptimized -Dfuzz=true -Db_sanitize=address,undefined -Db_lundef=false \
            "-Dc_args=-fsanitize=fuzzer-no-link -fno-sanitize-recover=all -fno-omit-frame-pointer"
        ;;
    esac
}

# Put in place by a rename: a JVM may have the old library mapped.
take_away() {
    cp "$1" "build/.${1##*/}.new" && mv "build/.${1##*/}.new" "build/${1##*/}"
}

# need_build VARIANT: packages, node modules, configuration, compilation. Silent when all is up to date.
need_build() {
    local variant=$1 dir=build/$1
    case $variant in
    release) need build ;;
    aarch64)
        need build cross
        need_foreign arm64
        ;;
    *) need build test ;;
    esac
    [[ $variant == aarch64 ]] || need_web
    configure "$variant"
    if ! up_to_date "$dir"; then
        step "build-$variant" "building $variant" meson compile -C "$dir" || exit 1
    fi
    if [[ $variant == release ]]; then
        local file
        for file in charcloth libcharcloth.so; do
            cmp -s "build/release/src/$file" "build/$file" || take_away "build/release/src/$file" || exit 1
        done
    fi
}

# The Spark plugin with the agents of all platforms. Silent when nothing it is made of is newer.
need_jar() {
    local jar=build/charcloth-spark.jar
    need build cross
    need_build release
    need_build aarch64
    put_agent build/libcharcloth.so linux-x64 strip
    put_agent build/libcharcloth.so linux-musl-x64 strip
    put_agent build/aarch64/src/libcharcloth.so linux-arm64 aarch64-linux-gnu-strip
    [[ -f $jar && -z $(find spark-plugin/pom.xml spark-plugin/src/main build/spark/native -newer "$jar" -print -quit) ]] &&
        return 0
    step spark-plugin "building the Spark plugin" maven -Dmaven.test.skip=true package || exit 1
    take_away build/spark/target/charcloth-spark.jar
}

# put_agent LIBRARY PLATFORM STRIP: where the jar takes it from, without what only debuggers read.
put_agent() {
    local to=build/spark/native/META-INF/charcloth/$2/libcharcloth.so
    [[ $to -nt $1 ]] && return 0
    mkdir -p "${to%/*}"
    "$3" -o "$to" "$1"
}

# Maven in the plugin's folder; what it downloads stays in its own cache.
maven() { mvn -q -B -f spark-plugin/pom.xml "$@"; }

# True when ninja would do nothing.
up_to_date() { ninja -C "$1" -n 2>/dev/null | grep -q 'no work to do'; }

# Configures a build directory when it is new or was configured with other arguments.
configure() {
    local variant=$1 dir=build/$1 arguments=() compiler
    [[ -f meson.build ]] || die "there is no meson.build here"
    mapfile -t arguments < <(variant_arguments "$variant")
    compiler=$(variant_compiler "$variant")
    local want="$compiler ${arguments[*]}"
    if [[ -f $dir/build.ninja ]]; then
        [[ -f $dir/.arguments && $(<"$dir/.arguments") == "$want" ]] && return 0
        rm -rf "$dir" # meson --wipe would keep options that are no longer given
    fi
    step "configure-$variant" "configuring $variant" env CC="$compiler" \
        meson setup "$dir" "${arguments[@]}" || exit 1
    echo "$want" >"$dir/.arguments"
}
