# shellcheck shell=bash
# What is handed out: one archive with the program and its papers.

cmd_package() {
    (($# == 0)) || usage_error "package takes no arguments"
    local version name stage
    need_jar
    version=$(build/charcloth version | grep -oE '[0-9]+(\.[0-9]+)+' | head -n 1)
    [[ -n $version ]] || die "build/charcloth does not tell its version"
    name=charcloth-$version-linux-$(uname -m)
    stage=build/package/$name
    rm -rf build/package
    mkdir -p "$stage"
    step package "installing into $stage" env DESTDIR="$ROOT/build/package/root" meson install -C build/release --no-rebuild --strip || exit 1
    # the prefix falls away: the archive is to be unpacked over any prefix
    local prefix
    prefix=$(meson introspect build/release --buildoptions |
        "$(find_python)" -c 'import json, sys; print(next(o["value"] for o in json.load(sys.stdin) if o["name"] == "prefix"))')
    cp -a "build/package/root$prefix/." "$stage/"
    mkdir -p "$stage/lib/charcloth" "$stage/share/doc/charcloth"
    cp build/charcloth-spark.jar "$stage/lib/charcloth/"
    cp LICENSE "$stage/"
    cp -r README.md ARCHITECTURE.md CONTRIBUTING.md CHANGELOG.md LICENSE docs examples "$stage/share/doc/charcloth/"
    tar -C build/package --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$(git log -1 --format=%ct)" \
        -czf "build/$name.tar.gz" "$name"
    good "build/$name.tar.gz ($(du -h "build/$name.tar.gz" | cut -f1))"
}
