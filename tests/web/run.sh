#!/usr/bin/env bash
# Tests the web pages: types against the OpenAPI document, then flows in a real Chromium against the real program on a
# throw-away directory, and the login in Debian's Firefox. Browsers and the packages of npm are installed where they are
# absent, after saying so; what cannot be had is named and skipped. `tests/web/run.sh dashboard` runs one file, and
# `tests/web/run.sh --firefox` the flows from the login to the cards in Firefox.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
target=${CARGO_TARGET_DIR:-$root/target}
finance=$target/debug/finance
mkdir -p "$target/web"

# In CI nobody would read that something was skipped.
skip() {
    echo "skipped: $*" >&2
    if [ -n "${CI:-}" ]; then exit 1; fi
    exit 0
}

install_npm() {
    cmp --silent "$here/package-lock.json" "$here/node_modules/installed.json" && return
    echo "Installing the packages of tests/web/package-lock.json from npm." >&2
    npm ci --prefix "$here" --no-audit --no-fund --loglevel=error || return
    cp "$here/package-lock.json" "$here/node_modules/installed.json"
}

# The command that has to be there, and the packages that bring it.
install() {
    if [ -x "$1" ]; then return; fi
    if ! command -v apt-get > /dev/null; then return 1; fi
    as_root=""
    if [ "$(id -u)" -ne 0 ]; then as_root=sudo; fi
    echo "$1 is not installed; installing ${*:2} with the system's package manager." >&2
    $as_root apt-get update --quiet
    DEBIAN_FRONTEND=noninteractive $as_root apt-get install --quiet --yes --no-install-recommends "${@:2}"
}

install_chromium() { install "${CHROMIUM:=/usr/bin/chromium}" chromium chromium-l10n fonts-noto-core pngquant; }
install_firefox() { install "${FIREFOX:=/usr/bin/firefox-esr}" firefox-esr firefox-esr-l10n-pt-br fonts-noto-core; }

# A file that fails is run once more: on a busy machine a browser may miss a deadline. A fault fails twice.
try() {
    node --test "$1" || {
        echo "$1 failed; once more" >&2
        node --test "$1"
    }
}

in_firefox() {
    install_firefox || skip "Firefox cannot be installed here; $* is not tested in it"
    export FIREFOX
    for file in "$@"; do FINANCE_BROWSER=firefox try "$file.test.mjs"; done
}

if ! command -v npm > /dev/null || ! command -v node > /dev/null; then
    skip "npm is not installed; neither the types nor the flows of the web pages are tested"
fi
install_npm || skip "npm's registry cannot be reached; neither the types nor the flows of the web pages are tested"

if [ "${1:-}" = --lint ]; then
    cd "$root"
    exec "$here/node_modules/.bin/biome" ci --error-on-warnings
fi
if [ "${1:-}" = --format ]; then
    cd "$root"
    exec "$here/node_modules/.bin/biome" check --write
fi

(cd "$root" && cargo build --quiet --package finance-cli)
"$finance" openapi > "$target/web/openapi.json"
cd "$here"
npx --no-install openapi-typescript "$target/web/openapi.json" --output "$target/web/api.d.ts" > /dev/null
if ! cmp --silent "$target/web/api.d.ts" "$root/crates/web/types/api.d.ts"; then
    if [ "${1:-}" = --types ]; then
        cp "$target/web/api.d.ts" "$root/crates/web/types/api.d.ts"
        echo "crates/web/types/api.d.ts was regenerated." >&2
    else
        echo "crates/web/types/api.d.ts does not match the OpenAPI document: just web --types regenerates it" >&2
        exit 1
    fi
fi
npx --no-install tsc -p "$root/crates/web"
if [ "${1:-}" = --types ]; then exit 0; fi

if [ "${1:-}" = --firefox ]; then
    if [ $# -gt 1 ]; then in_firefox "${@:2}"; else in_firefox login dashboard transactions imports cards; fi
    exit 0
fi
install_chromium || skip "Chromium cannot be installed here; the flows of the web pages are not tested"
export CHROMIUM
if [ "${1:-}" = --bench ]; then
    FINANCE_BINARY=${FINANCE_BINARY:-$target/release/finance} node bench.mjs
    exit 0
fi
if [ "${1:-}" = --pictures ]; then
    node pictures.mjs
    exit 0
fi
files=(*.test.mjs)
if [ $# -gt 0 ]; then files=("${@/%/.test.mjs}"); fi
# One file at a time, because their browsers and services share the processors.
for file in "${files[@]}"; do try "$file"; done
if [ $# -eq 0 ]; then in_firefox login; fi
