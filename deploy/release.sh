#!/usr/bin/env bash
# Makes the files of a release in FOLDER, by default target/release-files: the archive, the Debian package if cargo-deb is
# installed, and their checksums. release.sh [--twice] [--commit COMMIT] [FOLDER]; --twice builds all of it again in another
# directory, and fails if a byte differs. It builds a clone of the commit, by default the last one, and ignores the work tree.
set -euo pipefail
cd "$(dirname "$0")/.."
repository=$PWD
twice='' commit=HEAD
while [ $# -gt 0 ]; do
    case "$1" in
        --twice) twice=yes && shift ;;
        --commit) commit=$2 && shift 2 ;;
        *) break ;;
    esac
done
files=$(realpath --canonicalize-missing "${1:-target/release-files}")
commit=$(git rev-parse --verify "$commit^{commit}")
[ -z "$(git status --porcelain)" ] || echo "the work tree has changes, which are not in the release of ${commit:0:12}" >&2

SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct "$commit")}
export SOURCE_DATE_EPOCH TZ=UTC LC_ALL=C
umask 022

# make FOLDER PLACE: clones and builds in PLACE, and puts the files into FOLDER.
make() (
    mkdir -p "$2/target" "$1"
    folder=$(realpath "$1") source=$(realpath "$2")/source target=$(realpath "$2")/target
    find "$folder" -mindepth 1 -delete
    [ -e "$source" ] || git init --quiet "$source"
    cd "$source"
    # Unchanged crates are not compiled again.
    if [ "$(git rev-parse --quiet --verify HEAD)" != "$commit" ]; then
        git fetch --quiet --no-tags "$repository" "$commit"
        git checkout --quiet --force --detach "$commit"
    fi
    git clean --quiet -ffdx
    [ -z "$(git status --porcelain)" ]

    # Keeps the paths of this machine out of the program, both from Rust and from C code.
    cargo=$(realpath "${CARGO_HOME:-$HOME/.cargo}") library=$(rustc --print sysroot)/lib/rustlib/src/rust
    hash=$(rustc -vV | sed -n 's/^commit-hash: //p')
    export CARGO_TARGET_DIR=$target
    RUSTFLAGS="--remap-path-prefix=$library=/rustc/$hash" CFLAGS=
    for of in "$cargo=/cargo" "$source=/source" "$target=/target"; do
        RUSTFLAGS+=" --remap-path-prefix=$of" CFLAGS+=" -ffile-prefix-map=$of"
    done
    export RUSTFLAGS CFLAGS
    # Strips the symbol names: they depend on the directory, because a crate (utoipa-swagger-ui) generates sources with its paths.
    cargo rustc --release --locked --package finance-cli --bin finance -- -C strip=symbols
    program=$target/release/finance
    "$program" --version
    for path in "$cargo" "$source" "$target" "$library"; do
        if grep --quiet --text --fixed-strings -- "$path" "$program"; then
            echo "the program contains the path $path of this machine" >&2
            exit 1
        fi
    done

    version=$(cargo metadata --no-deps --format-version 1 | sed 's/.*"name":"finance-cli","version":"\([^"]*\)".*/\1/')
    name=finance-$version-$(rustc -vV | sed -n 's/^host: //p')
    stage=$(mktemp -d)
    trap 'rm -rf "$stage"' EXIT
    mkdir "$stage/$name"
    cp --parents --recursive --target-directory="$stage/$name" LICENSE README.md CHANGELOG.md config/finance.toml deploy \
        docs/operators.md docs/security.md docs/scaling.md docs/performance.md
    cp "$program" "$stage/$name/"
    chmod -R u=rwX,go=rX "$stage/$name"
    tar --create --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --directory="$stage" "$name" |
        gzip --best --no-name > "$folder/$name.tar.gz"
    if cargo deb --version > /dev/null 2>&1; then
        deploy/package.sh "$folder" --no-build
    else
        echo "cargo-deb is not installed, so no package is made: cargo install --locked cargo-deb" >&2
    fi
    cd "$folder"
    find . -type f -printf '%P\0' | sort -z | xargs -0 sha256sum > "$stage/sums"
    cp "$stage/sums" SHA256SUMS
    cat SHA256SUMS
)

make "$files" target/release-build
if [ -n "$twice" ]; then
    make "$files.again" target/release-build-again
    diff --recursive --brief "$files" "$files.again" || { echo "the two builds differ" >&2; exit 1; }
    rm -rf "$files.again" target/release-build-again
    echo "built twice, in two directories: the same bytes"
fi
