# shellcheck shell=bash
# Which Debian packages each need asks for, and how they get here.
# shellcheck disable=SC2034  # the sets are looked up by name in need()

# One word per package: name[|other name…][@probe]. The first name that apt knows is installed, unless one of them
# is installed already; with a probe, unless that function says that what is here serves, wherever it came from.
BUILD_PACKAGES=(
    gcc libc6-dev meson ninja-build pkg-config zlib1g-dev libzstd-dev ca-certificates
    nodejs@probe_node npm@probe_npm "openjdk-17-jdk-headless|openjdk-21-jdk-headless@probe_jvmti" maven@probe_maven
)
TEST_PACKAGES=(
    libcmocka-dev clang clang-tidy clang-format "libclang-rt-14-dev|libclang-rt-dev" llvm shellcheck zstd musl-tools
    python3-venv@probe_venv chromium
    "openjdk-17-jdk-headless|openjdk-21-jdk-headless"
)
CROSS_PACKAGES=(gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static)
DEMO_PACKAGES=("openjdk-17-jdk-headless|openjdk-21-jdk-headless@probe_spark_java" python3-venv@probe_venv)
BENCH_PACKAGES=(
    "openjdk-17-jdk-headless|openjdk-21-jdk-headless" maven@probe_maven "cargo-web|cargo@probe_cargo" perl libdevel-nytprof-perl
    chromium
)

probe_node() { have node && node -e 'process.exit(parseInt(process.versions.node) >= 18 ? 0 : 1)'; }
probe_npm() { have npm; }
probe_maven() { have mvn; }
# Debian 12's own cargo is too old for the inferno that is measured against; cargo-web is the newer one.
probe_cargo() { have cargo && [[ $(cargo --version) =~ ^cargo\ 1\.(7[1-9]|[89][0-9]|[1-9][0-9]{2}) ]]; }
probe_jvmti() { "$ROOT"/scripts/jdk-include >/dev/null 2>&1; }
probe_spark_java() { spark_java_home >/dev/null; }
probe_venv() {
    local python
    python=$(find_python) && "$python" -c 'import ensurepip, venv' 2>/dev/null
}

# The given words that are not satisfied yet, one per line, probes cut off.
missing_packages() {
    local word names probe name installed
    installed=$'\n'$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' | sed -n 's/^installed //p')$'\n'
    for word in "$@"; do
        names=${word%@*} probe=''
        [[ $word == *@* ]] && probe=${word#*@}
        if [[ -n $probe ]]; then
            "$probe" || echo "$names"
            continue
        fi
        for name in ${names//|/ }; do
            [[ $installed == *$'\n'"$name"$'\n'* ]] && continue 2
        done
        echo "$names"
    done
}

# Turns `a|b` into the first of the names that apt can install.
choose_names() {
    local names name
    for names in "$@"; do
        for name in ${names//|/ }; do
            if [[ $names != *'|'* ]] || apt-cache show "$name" >/dev/null 2>&1; then
                echo "$name"
                continue 2
            fi
        done
        echo "${names%%|*}"
    done
}

# need build|test|cross|demo|bench…: install what is missing; silent when nothing is.
need() {
    local want words=() missing=() names as_root=()
    have dpkg-query || {
        warn "this is not a Debian system: what the commands need is listed in scripts/dev/packages.sh"
        return 0
    }
    for want in "$@"; do
        local -n set_of_want="${want^^}_PACKAGES"
        words+=("${set_of_want[@]}")
    done
    mapfile -t missing < <(missing_packages "${words[@]}" | sort -u)
    ((${#missing[@]})) || return 0

    if ((EUID == 0)); then
        as_root=(env)
    elif have sudo && { sudo -n true 2>/dev/null || { [[ -t 0 ]] && sudo -v; }; }; then
        as_root=(sudo env)
    else
        mapfile -t names < <(choose_names "${missing[@]}")
        echo "dev: packages are missing and this user may not install them; as root, run:" >&2
        echo "apt-get install -y --no-install-recommends ${names[*]}" >&2
        exit 1
    fi
    step apt-update "reading the package lists" "${as_root[@]}" apt-get -qq update ||
        warn "the package lists could not be renewed; going on with the old ones"
    mapfile -t names < <(choose_names "${missing[@]}")
    step apt-install "installing ${names[*]}" "${as_root[@]}" DEBIAN_FRONTEND=noninteractive \
        apt-get -qq install -y --no-install-recommends "${names[@]}" || exit 1
}
