# shellcheck shell=bash
# Debian packages of another architecture, unpacked into the cache: what tests link with that no cross package holds.
# apt keeps its lists and packages there too, so that the system is not told of the architecture.

FOREIGN_PACKAGES=(libcmocka0 libcmocka-dev)

foreign_root() { echo "$CACHE/foreign/$1-$(printf '%s\n' "${FOREIGN_PACKAGES[@]}" | sha256sum | cut -c1-12)"; }

# need_foreign ARCHITECTURE: silent when they are there.
need_foreign() {
    [[ -d $(foreign_root "$1") ]] && return 0
    have apt-get || die "there is no apt-get to fetch ${FOREIGN_PACKAGES[*]} for $1 with"
    mkdir -p "$CACHE/foreign"
    step "foreign-$1" "fetching ${FOREIGN_PACKAGES[*]} for $1" fetch_foreign "$1" || exit 1
}

fetch_foreign() (
    fresh=$(mktemp -d "$CACHE/foreign/.$1.XXXXXX") || exit 1
    trap 'rm -rf "$fresh"' EXIT
    options=(-qq -o "APT::Architecture=$1" -o "APT::Architectures=$1" -o "Dir::State=$fresh/state"
        -o "Dir::Cache=$fresh/cache" -o APT::Sandbox::User=)
    mkdir -p "$fresh"/{state/lists/partial,cache/archives/partial,packages,root}
    apt-get "${options[@]}" update || echo "some package lists are missing"
    cd "$fresh/packages" && apt-get "${options[@]}" download "${FOREIGN_PACKAGES[@]}" || exit 1
    for package in *.deb; do
        dpkg-deb -x "$package" "$fresh/root" || exit 1
    done
    mv -T "$fresh/root" "$(foreign_root "$1")" || [[ -d $(foreign_root "$1") ]] # another one was faster
)
