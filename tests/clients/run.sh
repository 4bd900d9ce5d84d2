#!/usr/bin/env bash
# Lints the OpenAPI document, generates a TypeScript and a Python client from it, and makes a round
# trip with each against a throw-away service. Everything generated is in target/clients.
# What cannot be installed for want of npm, Python or their registries is skipped with a notice; in CI it is a failure.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
target=${CARGO_TARGET_DIR:-$root/target}
work=$target/clients
finance=$target/debug/finance
mkdir -p "$work/typescript"

skip() {
    echo "skipped: $*" >&2
    skipped=yes
    if [ -n "${CI:-}" ]; then exit 1; fi
}

# Installs what the lock file names, unless the same was installed before.
install_npm() {
    cp "$here"/{package.json,package-lock.json,tsconfig.json,redocly.yaml,round_trip.ts} "$work/typescript/"
    cd "$work/typescript"
    cmp --silent package-lock.json installed.json && return
    rm -f installed.json
    npm view openapi-fetch version --fetch-retries=0 > /dev/null 2>&1 || return 0
    npm ci --no-audit --no-fund --loglevel=error
    cp package-lock.json installed.json
}

install_python() {
    cmp --silent "$here/requirements.txt" "$work/venv/installed.txt" && return
    rm -rf "$work/venv"
    python3 -m venv "$work/venv"
    "$work/venv/bin/pip" download --quiet --disable-pip-version-check --retries 0 --no-deps --dest "$work/probe" \
        "$(grep '^attrs==' "$here/requirements.txt")" > /dev/null 2>&1 || return 0
    "$work/venv/bin/pip" install --quiet --disable-pip-version-check --requirement "$here/requirements.txt"
    cp "$here/requirements.txt" "$work/venv/installed.txt"
}

skipped=no
has_npm=no
has_python=no
if command -v npm > /dev/null && command -v node > /dev/null; then
    (install_npm)
    if [ -f "$work/typescript/installed.json" ]; then has_npm=yes; else skip "npm's registry cannot be reached; no linter, no TypeScript"; fi
else
    skip "npm is not here; no linter, no TypeScript"
fi
if command -v python3 > /dev/null; then
    install_python
    if [ -f "$work/venv/installed.txt" ]; then has_python=yes; else skip "Python's registry cannot be reached; no Python"; fi
else
    skip "python3 is not here; no Python"
fi

(cd "$root" && cargo build --quiet --package finance-cli)
"$finance" openapi > "$work/openapi.json"

if [ $has_npm = yes ]; then
    cd "$work/typescript"
    npx --no-install redocly lint --config redocly.yaml ../openapi.json
    npx --no-install openapi-typescript ../openapi.json --output api.d.ts
    npx --no-install tsc --project .
fi
if [ $has_python = yes ]; then
    cd "$work"
    venv/bin/openapi-spec-validator openapi.json
    rm -rf python
    venv/bin/openapi-python-client generate --path openapi.json --config "$here/python-client.yaml" --meta none \
        --output-path python/finance_client --fail-on-warning
fi

# A service on a private database of its own, with a user.
scratch=$(mktemp -d)
service=""
clean_up() {
    if [ -n "$service" ]; then
        if kill -TERM "$service"; then wait "$service" || true; fi
    fi
    rm -rf "$scratch"
}
trap clean_up EXIT
unset DATABASE_URL JWT_SECRET
cd "$scratch"
export FINANCE_DATA_DIR=$scratch/data FINANCE_BIND=127.0.0.1:0 RUST_LOG=warn
export FINANCE_USER=ana FINANCE_PASSWORD="correct horse"
"$finance" create-user --name "$FINANCE_USER" <<< "$FINANCE_PASSWORD"
"$finance" serve > "$scratch/address" &
service=$!
for _ in $(seq 300); do
    if grep --quiet '^listening on ' "$scratch/address"; then break; fi
    kill -0 "$service"
    sleep 0.1
done
FINANCE_URL=$(sed -n 's/^listening on //p' "$scratch/address")
export FINANCE_URL
if [ -z "$FINANCE_URL" ]; then
    echo "the service does not listen" >&2
    exit 1
fi

if [ $has_npm = yes ]; then node "$work/typescript/out/round_trip.js"; fi
if [ $has_python = yes ]; then PYTHONPATH=$work/python "$work/venv/bin/python" "$here/round_trip.py"; fi
if [ $skipped = yes ]; then echo "The clients were not all tried." >&2; fi
