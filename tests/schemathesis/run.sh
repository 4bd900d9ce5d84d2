#!/usr/bin/env bash
# Sends what the served OpenAPI document allows, and what it forbids, to a throw-away service with a valid
# token, and judges every answer by all of schemathesis' checks. Arguments are passed on to `schemathesis run`.
set -euo pipefail
cd "$(dirname "$0")/../.."

venv=target/schemathesis-venv
if [ ! -x "$venv/bin/schemathesis" ]; then
    python3 -m venv "$venv"
    if ! "$venv/bin/pip" install --quiet --requirement tests/schemathesis/requirements.txt; then
        echo "schemathesis cannot be installed here: skipped" >&2
        rm -rf "$venv"
        exit 0
    fi
fi

cargo build --quiet
finance=$PWD/target/debug/finance
scratch=$(mktemp -d)
service=""
# shellcheck disable=SC2317 # the trap calls it
finish() {
    if [ -n "$service" ] && kill "$service"; then
        wait "$service"
    fi
    rm -rf "$scratch"
}
trap finish EXIT

export FINANCE_DATA_DIR=$scratch/data FINANCE_BIND=127.0.0.1:0 RUST_LOG=warn
# No password of the document's examples: trying those must change nothing.
password=$(head -c 16 /dev/urandom | od -An -tx1 | tr -d ' \n')
cd "$scratch"
printf '%s\n' "$password" | "$finance" create-user --name zoe > /dev/null
"$finance" serve > listening 2> log &
service=$!
until grep -q listening listening; do
    kill -0 "$service"
    sleep 0.1
done
url=$(sed -n 's/^listening on //p' listening)
token=$(curl --silent --fail "$url/api/auth/login" --header 'Content-Type: application/json' \
    --data "{\"name\": \"zoe\", \"password\": \"$password\"}" | sed 's/.*"token":"\([^"]*\)".*/\1/')

cd - > /dev/null
status=0
"$venv/bin/schemathesis" --config-file tests/schemathesis/schemathesis.toml run "$url/api/openapi.json" \
    --header "Authorization: Bearer $token" --checks all "$@" || status=$?
# The server itself logs a request it cannot parse as an error; ours are what counts.
if grep -q "ERROR finance" "$scratch/log"; then
    grep "ERROR finance" "$scratch/log" | head -n 20 >&2
    status=1
fi
exit "$status"
