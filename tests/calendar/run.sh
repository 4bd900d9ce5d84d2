#!/usr/bin/env bash
# Reads the calendar feed of a throw-away service with programs that others wrote: the packages icalendar and vobject of Python,
# and ical.js, the parser of Thunderbird's calendar. Everything is in target/calendar. What cannot be installed for want of npm,
# Python or their registries is skipped with a notice; in CI it is a failure.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
target=${CARGO_TARGET_DIR:-$root/target}
work=$target/calendar
finance=$target/debug/finance
mkdir -p "$work/feeds" "$work/npm"

# In CI nobody would read that something was skipped.
skip() {
    echo "skipped: $*" >&2
    if [ -n "${CI:-}" ]; then exit 1; fi
    exit 0
}

command -v python3 > /dev/null || skip "python3 is not here"
if ! cmp --silent "$here/requirements.txt" "$work/venv/installed.txt"; then
    rm -rf "$work/venv"
    python3 -m venv "$work/venv"
    "$work/venv/bin/pip" install --quiet --disable-pip-version-check --requirement "$here/requirements.txt" ||
        skip "Python's registry cannot be reached"
    cp "$here/requirements.txt" "$work/venv/installed.txt"
fi
cp "$here"/{package.json,package-lock.json,read.mjs} "$work/npm/"
if command -v npm > /dev/null && command -v node > /dev/null; then
    if ! cmp --silent "$here/package-lock.json" "$work/npm/installed.json"; then
        if npm ci --prefix "$work/npm" --no-audit --no-fund --loglevel=error; then
            cp "$here/package-lock.json" "$work/npm/installed.json"
        fi
    fi
fi

(cd "$root" && cargo build --quiet --package finance-cli)

scratch=$(mktemp -d)
service=""
# shellcheck disable=SC2317 # the trap calls it
clean_up() {
    if [ -n "$service" ] && kill "$service"; then
        wait "$service" || true
    fi
    rm -rf "$scratch"
}
trap clean_up EXIT
unset DATABASE_URL JWT_SECRET
export FINANCE_DATA_DIR=$scratch/data FINANCE_BIND=127.0.0.1:0 FINANCE_TODAY=2026-03-15 RUST_LOG=warn
export FINANCE_PASSWORD="correct horse"
cd "$scratch"
"$finance" serve > listening &
service=$!
until grep --quiet '^listening on ' listening; do
    kill -0 "$service"
    sleep 0.1
done
"$finance" create-user --name ana <<< "$FINANCE_PASSWORD" > /dev/null
url=$(sed -n 's/^listening on //p' listening)

"$work/venv/bin/python" "$here/household.py" "$url" "$work/feeds"
"$work/venv/bin/python" "$here/read.py" "$work/feeds"
if [ -f "$work/npm/installed.json" ]; then
    node "$work/npm/read.mjs" "$work/feeds"
else
    skip "npm or its registry is not here; ical.js has not read the feed"
fi
