#!/usr/bin/env bash
# Makes the files of a release in FOLDER, by default target/release-files: the archive, the Debian package where cargo-deb is
# here, and their checksums. release.sh [--twice] [FOLDER]; --twice clones the commit into another directory, builds it all
# again there, and fails where a byte differs.
set -euo pipefail
cd "$(dirname "$0")/.."
twice=
if [ "${1:-}" = --twice ]; then
    twice=yes
    shift
fi
rm -rf "${1:-target/release-files}"
mkdir -p "${1:-target/release-files}" target/release-build
folder=$(realpath "${1:-target/release-files}")
target=$(realpath target/release-build)

if [ -n "$(git status --porcelain)" ]; then
    echo "the work tree has changes: these files are of no commit" >&2
    [ -z "$twice" ] || { echo "--twice builds a commit" >&2; exit 1; }
fi
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH TZ=UTC LC_ALL=C
umask 022

# Paths of this machine are not in the program, neither of Rust's code nor of C's. The last one that fits is taken.
cargo=$(realpath "${CARGO_HOME:-$HOME/.cargo}")
library=$(rustc --print sysroot)/lib/rustlib/src/rust
hash=$(rustc -vV | sed -n 's/^commit-hash: //p')
export CARGO_TARGET_DIR=$target
export RUSTFLAGS="--remap-path-prefix=$library=/rustc/$hash --remap-path-prefix=$cargo=/cargo --remap-path-prefix=$PWD=/source --remap-path-prefix=$target=/target"
export CFLAGS="-ffile-prefix-map=$cargo=/cargo -ffile-prefix-map=$PWD=/source -ffile-prefix-map=$target=/target"
cargo build --release --locked --package finance-cli
program=$target/release/finance
"$program" --version
for path in "$cargo" "$PWD" "$target" "$library"; do
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
# Only what git knows: deploy/.env has the secrets of whoever runs compose here.
git ls-files -z LICENSE README.md CHANGELOG.md config/finance.toml deploy docs/operators.md docs/security.md docs/scaling.md \
    docs/performance.md | xargs -0 cp --parents --target-directory="$stage/$name"
cp "$program" "$stage/$name/"
chmod -R u=rwX,go=rX "$stage/$name"
tar --create --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --directory="$stage" "$name" |
    gzip --best --no-name > "$folder/$name.tar.gz"
if cargo deb --version > /dev/null 2>&1; then
    deploy/package.sh "$folder" --no-build
else
    echo "cargo-deb is not here, no package is made: cargo install --locked cargo-deb" >&2
fi
(cd "$folder" && find . -type f -printf '%P\0' | sort -z | xargs -0 sha256sum) > "$stage/sums"
mv "$stage/sums" "$folder/SHA256SUMS"
chmod 644 "$folder"/*
cat "$folder/SHA256SUMS"

if [ -n "$twice" ]; then
    again=$target/again
    rm -rf "$again"
    git clone --quiet . "$again"
    # The settings of this build are not those of that one.
    env --unset=CARGO_TARGET_DIR --unset=RUSTFLAGS --unset=CFLAGS "$again/deploy/release.sh"
    diff --recursive --brief "$folder" "$again/target/release-files" || { echo "the two builds differ" >&2; exit 1; }
    rm -rf "$again"
    echo "built twice in two directories, the same bytes"
fi
