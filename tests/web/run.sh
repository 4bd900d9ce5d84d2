#!/usr/bin/env bash
# Tests the web pages: types against the OpenAPI document, then flows in a real Chromium against the real program on a
# throw-away directory, and the login in Debian's Firefox. Browsers and the packages of npm are installed where they are
# absent, after saying so; what cannot be had is named and skipped, but never in CI.
#
#   tests/web/run.sh                      everything
#   tests/web/run.sh dashboard …          these files
#   tests/web/run.sh --pictures dashboard …   these files, which save their pictures in target/web
#   tests/web/run.sh --pictures           the pictures of docs/web.md
#   tests/web/run.sh --watch dashboard …  these files, again after each change of a page or a test
#   tests/web/run.sh --firefox [FILE …]   the flows from the login to the cards in Firefox
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
target=${CARGO_TARGET_DIR:-$root/target}
finance=$target/debug/finance
mkdir -p "$target/web"

# In CI nobody would read that something was skipped.
skip() {
    echo "skipped: $*" >&2
    if [ -n "${types:-}" ]; then wait "$types"; fi
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

# With the browser's own words in Portuguese, for pictures and for people who watch.
install_chromium() { install "${CHROMIUM:=/usr/bin/chromium}" chromium chromium-l10n fonts-noto-core pngquant; }
# Without the parts of Chromium that draw windows: the same tests take a quarter less processor time.
install_shell() { install "${CHROMIUM:=/usr/bin/chromium-headless-shell}" chromium-headless-shell fonts-noto-core; }
install_firefox() { install "${FIREFOX:=/usr/bin/firefox-esr}" firefox-esr firefox-esr-l10n-pt-br fonts-noto-core; }

if ! command -v npm > /dev/null || ! command -v node > /dev/null; then
    skip "npm is not installed; neither the types nor the flows of the web pages are tested"
fi
install_npm || skip "npm's registry cannot be reached; neither the types nor the flows of the web pages are tested"

if [ "${1:-}" = --lint ]; then
    cd "$root"
    exec "$here/node_modules/.bin/biome" ci --error-on-warnings --colors=off
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
if [ "${1:-}" = --watch ]; then
    install_chromium || skip "Chromium cannot be installed here; nothing can be watched"
    export CHROMIUM
    exec node pool.mjs "$@"
fi
# The compiler of the types uses one processor, so the flows run meanwhile.
npx --no-install tsc -p "$root/crates/web" &
types=$!
flows() {
    node "$@"
    wait "$types"
    exit 0
}
if [ "${1:-}" = --types ]; then
    wait "$types"
    exit 0
fi

if [ "${1:-}" = --firefox ]; then
    install_firefox || skip "Firefox cannot be installed here; nothing is tested in it"
    export FIREFOX
    files=(login dashboard transactions imports cards)
    if [ $# -gt 1 ]; then files=("${@:2}"); fi
    flows pool.mjs "${files[@]/%/:firefox}"
fi
if [ "${1:-}" = --bench ] || [ "${1:-}" = --pictures ]; then
    install_chromium || skip "Chromium cannot be installed here; the web pages are neither measured nor drawn"
    export CHROMIUM
fi
if [ "${1:-}" = --bench ]; then
    wait "$types"
    FINANCE_BINARY=${FINANCE_BINARY:-$target/release/finance} exec node bench.mjs
fi
if [ "${1:-}" = --pictures ]; then
    if [ $# -eq 1 ]; then flows pictures.mjs; fi
    export FINANCE_PICTURES=yes
    shift
fi
# Other systems have the whole browser only.
install_shell || { unset CHROMIUM && install_chromium; } ||
    skip "Chromium cannot be installed here; the flows of the web pages are not tested"
export CHROMIUM
if [ $# -gt 0 ]; then flows pool.mjs "$@"; fi
files=(*.test.mjs)
files=("${files[@]%.test.mjs}")
if install_firefox; then
    export FIREFOX
    flows pool.mjs "${files[@]}" login:firefox
fi
node pool.mjs "${files[@]}"
skip "Firefox cannot be installed here; the login is not tested in it"
