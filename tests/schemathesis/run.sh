#!/usr/bin/env bash
# Sends what the served OpenAPI document allows, and what it forbids, to a throw-away service, once with each kind of
# credential, and judges every answer by all of schemathesis' checks. Each kind has a profile of its own. Arguments are passed on
# to `schemathesis run`; FINANCE_SCHEMATHESIS_KINDS, such as "owner read", has it try only these kinds.
set -euo pipefail
cd "$(dirname "$0")/../.."

# Logins by their roles, tokens by their scopes.
kinds=${FINANCE_SCHEMATHESIS_KINDS:-owner viewer read import write export}
# The owner does everything, and tries everything. For the others it is another answer at the door, or the same handler.
fewer=("--phases=examples,fuzzing" --max-examples 8)

venv=target/schemathesis-venv
if [ ! -x "$venv/bin/schemathesis" ]; then
    python3 -m venv "$venv"
    if ! "$venv/bin/pip" install --quiet --requirement tests/schemathesis/requirements.txt; then
        echo "skipped: schemathesis cannot be installed here" >&2
        rm -rf "$venv"
        # In CI nobody would read that something was skipped.
        if [ -n "${CI:-}" ]; then exit 1; fi
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
"$finance" serve > listening 2> log &
service=$!
until grep -q listening listening; do
    kill -0 "$service"
    sleep 0.1
done
url=$(sed -n 's/^listening on //p' listening)
for kind in $kinds; do
    printf '%s\n' "$password" | "$finance" create-user --name "of $kind" > /dev/null
done
cd - > /dev/null

# What answers with a token: the path, the body, and headers.
token_of() {
    curl --silent --fail "$url$1" --header 'Content-Type: application/json' --data "$2" "${@:3}" |
        sed 's/.*"token":"\([^"]*\)".*/\1/'
}

# The credential of a kind.
credential() {
    local login
    login=$(token_of /api/auth/login "{\"name\": \"of $1\", \"password\": \"$password\"}")
    case $1 in
        owner) echo "$login" ;;
        viewer)
            printf '%s\n' "$password" | "$finance" add-member --profile "of viewer" --name viewer --role viewer > /dev/null
            token_of /api/auth/login "{\"name\": \"viewer\", \"password\": \"$password\"}"
            ;;
        *) token_of /api/tokens "{\"name\": \"$1\", \"scopes\": [\"$1\"]}" --header "Authorization: Bearer $login" ;;
    esac
}

# Who may not do everything is refused, which the document says of each operation that may refuse.
config=tests/schemathesis/schemathesis.toml
sed 's/expected-statuses = \["2xx", /&403, /' "$config" > "$scratch/refused.toml"

status=0
for kind in $kinds; do
    echo "== $kind" >&2
    options=(--config-file "$scratch/refused.toml")
    if [ "$kind" = owner ]; then options=(--config-file "$config"); fi
    options+=(run "$url/api/openapi.json" --header "Authorization: Bearer $(credential "$kind")" --checks all)
    if [ "$kind" != owner ]; then options+=("${fewer[@]}"); fi
    # It ends the login that is tried.
    case $kind in owner | viewer) options+=(--exclude-name "DELETE /api/auth/sessions") ;; esac
    "$venv/bin/schemathesis" "${options[@]}" "$@" || status=$?
done
# The server itself logs a request it cannot parse as an error; ours are what counts.
if grep -q "ERROR finance" "$scratch/log"; then
    grep "ERROR finance" "$scratch/log" | head -n 20 >&2
    status=1
fi
exit "$status"
