#!/usr/bin/env bash
# Makes the files of a release in FOLDER, by default target/release-files: the archive, the Debian package where cargo-deb is
# here, and their checksums. release.sh [--twice] [FOLDER]; --twice builds it all again in another target directory, and fails
# where a byte differs.
set -euo pipefail
cd "$(dirname "$0")/.."
twice=
if [ "${1:-}" = --twice ]; then
    twice=yes
    shift
fi
folder=${1:-target/release-files}

SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH TZ=UTC LC_ALL=C
[ -z "$(git status --porcelain)" ] || echo "the work tree has changes: these files are of no commit" >&2

# make FOLDER TARGET-DIRECTORY
make() {
    local folder=$1 target=$2 version architecture name stage
    rm -rf "$folder"
    mkdir -p "$folder" "$target"
    folder=$(realpath "$folder") target=$(realpath "$target")
    # Paths of this machine are not in the program, neither of Rust's code nor of C's.
    local cargo=${CARGO_HOME:-$HOME/.cargo}
    export CARGO_TARGET_DIR=$target
    export RUSTFLAGS="--remap-path-prefix=$cargo=/cargo --remap-path-prefix=$PWD=/source --remap-path-prefix=$target=/target"
    export CFLAGS="-ffile-prefix-map=$cargo=/cargo -ffile-prefix-map=$PWD=/source -ffile-prefix-map=$target=/target"
    cargo build --release --locked --package finance-cli
    version=$(cargo metadata --no-deps --format-version 1 | sed 's/.*"name":"finance-cli","version":"\([^"]*\)".*/\1/')
    architecture=$(rustc -vV | sed -n 's/^host: //p')
    name=finance-$version-$architecture
    stage=$(mktemp -d)
    mkdir "$stage/$name"
    cp "$target/release/finance" LICENSE README.md CHANGELOG.md config/finance.toml docs/operators.md "$stage/$name/"
    cp -r deploy "$stage/$name/deploy"
    chmod -R u=rwX,go=rX "$stage/$name"
    tar --create --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --directory="$stage" "$name" |
        gzip --best --no-name > "$folder/$name.tar.gz"
    rm -r "$stage"
    if cargo deb --version > /dev/null 2>&1; then
        deploy/package.sh "$folder" --no-build
    else
        echo "cargo-deb is not here, no package is made: cargo install --locked cargo-deb" >&2
    fi
    (cd "$folder" && find . -name '*.tar.gz' -printf '%P\0' -o -name '*.deb' -printf '%P\0' | sort -z | xargs -0 sha256sum) \
        > "$stage.sums"
    mv "$stage.sums" "$folder/SHA256SUMS"
    cat "$folder/SHA256SUMS"
}

make "$folder" target/release-build
if [ -n "$twice" ]; then
    make "$folder.again" target/release-again
    diff --recursive --brief "$folder" "$folder.again" || { echo "the two builds differ" >&2; exit 1; }
    echo "built twice, the same bytes"
fi
