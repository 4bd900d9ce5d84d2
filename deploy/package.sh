#!/usr/bin/env bash
# Makes the Debian package of the built program, or builds it first: package.sh FOLDER [CARGO-DEB-ARGUMENT…]. Prints its path.
# Needs cargo-deb (cargo install --locked cargo-deb) and a Debian or Ubuntu. deploy/release.sh calls it.
set -euo pipefail
mkdir -p "$1"
folder=$(realpath "$1")
shift
cd "$(dirname "$0")/.."

cargo deb --version > /dev/null 2>&1 || { echo "cargo-deb is not installed: cargo install --locked cargo-deb" >&2; exit 1; }
# The package has the time of the last commit, so that the same commit gives the same bytes.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH
cargo deb --package finance-cli --locked --output "$folder" "$@" | tail -n 1
