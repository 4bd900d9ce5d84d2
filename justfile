# The project's commands. `just` alone lists them.

set shell := ["bash", "-euo", "pipefail", "-c"]

_default:
    @just --list --unsorted

# Serve the API on a private PostgreSQL in the data directory.
serve: _postgres
    cargo run --release

# Show a bank statement on the dashboard: a throw-away service, the shipped fixture, the public API.
demo:
    cargo run -- demo

# Run every test, with the database clusters in memory if 12 GB of it are free.
test: _postgres
    #!/usr/bin/env bash
    set -euo pipefail
    cargo build
    # More threads than processors, because a test waits for its service, a clock, a lock or a disk for almost half of its time.
    processors=$(getconf _NPROCESSORS_ONLN)
    export RUST_TEST_THREADS=${RUST_TEST_THREADS:-$((processors * 2 + 1))}
    # On a disk, a third of the processor time goes into creating and removing the files of hundreds of databases.
    is_roomy() { [ "$1" -gt $((12 * 1024 * 1024)) ]; }
    if [ -z "${TMPDIR:-}" ] && [ -w /dev/shm ] && ! findmnt --noheadings --output OPTIONS /dev/shm | grep -qw noexec &&
        is_roomy "$(df --output=avail /dev/shm | tail -1)" && is_roomy "$(awk '/^MemAvailable/ { print $2 }' /proc/meminfo)"; then
        TMPDIR=$(mktemp --directory /dev/shm/finance-tests-XXXXXX)
        export TMPDIR
        # PostgreSQL's programs run as another user.
        chmod 1777 "$TMPDIR"
        trap 'rm -rf "$TMPDIR"' EXIT
    fi
    cargo test --workspace --no-fail-fast

# Run all checks that a commit must pass: format, lints, documentation, dependencies, tests, pages.
check: lint deny test web

# Test the web pages: types, then flows in Chromium; `just web dashboard` runs one file, `just web --watch dashboard` again after each change, `just web --pictures dashboard` saves its screens, `just web --firefox` runs the first flows in Firefox, `just web --types` regenerates the types.
web *ARGUMENTS: _postgres
    tests/web/run.sh {{ ARGUMENTS }}

# Format, lints and documentation, with warnings denied, of the crates, the pages and the files of deploy/.
lint:
    cargo fmt --all --check
    cargo clippy --workspace --all-targets -- -D warnings
    RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --lib --quiet
    deploy/check.sh
    tests/web/run.sh --lint

# Lint the OpenAPI document strictly, and make a round trip with a TypeScript and a Python client generated from it.
clients: _postgres
    tests/clients/run.sh

# Check the dependencies: licences, sources, duplicates, and known vulnerabilities if their list can be fetched.
deny:
    #!/usr/bin/env bash
    set -euo pipefail
    if ! cargo deny --version > /dev/null 2>&1; then
        echo "cargo-deny is not installed, so the dependencies are not checked: cargo install --locked --debug cargo-deny" >&2
        # In CI nobody would read the message.
        if [ -n "${CI:-}" ]; then exit 1; fi
        exit 0
    fi
    cargo deny --log-level error check --hide-inclusion-graph bans licenses sources
    if cargo deny fetch db > /dev/null 2>&1; then
        cargo deny check --disable-fetch advisories
    else
        echo "the list of vulnerabilities cannot be fetched here: advisories are not checked" >&2
    fi

# Read the calendar feed with independent readers from Python and npm, and compare it with the API.
calendar: _postgres
    tests/calendar/run.sh

# Test the API with requests that its document allows and forbids, with each kind of credential; needs Python 3.10 or newer.
schemathesis *ARGUMENTS: _postgres
    tests/schemathesis/run.sh {{ ARGUMENTS }}

# Measure the service against PostgreSQL's own limit; `just bench --quick`, `just bench --json`.
bench *ARGUMENTS: _postgres _wrk
    cargo build --release
    cargo run --release --package finance-load --bin bench -- {{ ARGUMENTS }}

# Measure what a request, a row and a million profiles cost, and print what ten thousand to ten million households need.
cost: _postgres _wrk
    cargo build --release
    cargo run --release --package finance-load --bin bench -- --cost

# Measure the statement readers, an import through HTTP, the dashboard and anchors as the history grows, and an export.
bench-readers: _postgres
    cargo bench --package finance-statements
    cargo run --release --package finance-load --bin import_speed
    cargo run --release --package finance-load --bin dashboard_growth
    cargo run --release --package finance-load --bin notices_at_one_hour
    cargo run --release --package finance-load --bin anchors_growth
    cargo run --release --package finance-load --bin ownership_speed

# Measure how one profile affects another: concurrent imports, large bodies, unread answers, floods of logins.
bench-neighbours: _postgres
    cargo build --release
    cargo run --release --package finance-load --bin noisy_neighbour

# Measure the web pages with 100,000 stored transactions, and a blank page for comparison, in one run.
bench-web: _postgres
    cargo build --release
    tests/web/run.sh --bench

# Measure the suggested categories on real bills: accuracy and precision by source; `just suggestions FOLDER` also measures other bills.
suggestions FOLDER="": _postgres
    #!/usr/bin/env bash
    set -euo pipefail
    if [ ! -d ../shared/corpus/cards ]; then echo "../shared/corpus/cards is not here: it is skipped" >&2; fi
    if [ -n "{{ FOLDER }}" ]; then export FINANCE_TESTS_BILLS=$(realpath "{{ FOLDER }}"); fi
    cargo test --package finance-tests --test api -- --nocapture on_real_bills | grep --invert-match '^running\|^$'

# Run the API's tests against two processes on one database.
nodes: _postgres
    FINANCE_TESTS_NODES=2 cargo test --package finance-tests --test api

# Run the API's tests on tables that are hash partitions by profile.
partitions: _postgres
    FINANCE_TESTS_PARTITIONED=1 cargo test --package finance-tests --test api

# Run the API's tests on a coordinator and two workers of an installed Citus; `just citus -- dashboard` runs some, `just citus --soak 60` kills the workers under load.
citus *ARGUMENTS:
    tests/operations/citus.sh {{ ARGUMENTS }}

# Run load on two processes for ten minutes, and kill PostgreSQL and one of them; `just soak 60` for a minute.
soak SECONDS="600": _postgres
    cargo build --release
    cargo run --release --package finance-load --bin soak -- {{ SECONDS }}

# Run load on a primary and a synchronous replica, kill the primary and promote the replica, twice; `just failover 600` for ten minutes.
failover SECONDS="60": _postgres
    cargo build --release
    cargo run --release --package finance-load --bin failover -- {{ SECONDS }}

# Measure reads with and without a replica: requests per second, and the cost of each to the primary.
replica-reads: _postgres
    cargo build --release
    cargo run --release --package finance-load --bin replica_reads

# Run the README's two commands in a minimal Debian that has only what the README names; as root, half an hour.
fresh SUITE="":
    tests/fresh/run.sh {{ SUITE }}

# Make the archive, the Debian package and their checksums in target/release-files; `just release --twice` proves that the same commit gives the same bytes.
release *ARGUMENTS:
    deploy/release.sh {{ ARGUMENTS }}

# Install, upgrade, remove and purge the Debian package of `just release` in a booted Debian; as root. `just package --dist-upgrade trixie [NEW.deb [OLD.deb]]` upgrades Debian too.
package *ARGUMENTS:
    tests/operations/package.sh {{ ARGUMENTS }}

# Run the tests on each PostgreSQL in /usr/lib/postgresql and FINANCE_POSTGRES_BIN_DIRS, and upgrade from each to each later one.
postgres-versions *ARGUMENTS: _postgres
    tests/operations/postgres_versions.sh {{ ARGUMENTS }}

# Fill the disk of the backups and that of the database under a running service; as root.
disk-full *ARGUMENTS: _postgres
    cargo build
    tests/operations/disk_full.sh {{ ARGUMENTS }}

# Build the image, start compose, back up, restore and upgrade it with podman; as root.
image *ARGUMENTS:
    tests/operations/image.sh {{ ARGUMENTS }}

# Start a migration: `just migration add_notes` makes migrations/NNNN_add_notes.
migration NAME:
    #!/usr/bin/env bash
    set -euo pipefail
    last=$(ls migrations | sort | tail -n 1 | cut -d _ -f 1)
    folder=migrations/$(printf '%04d' $((10#$last + 1)))_{{ NAME }}
    mkdir "$folder"
    touch "$folder/up.sql" "$folder/down.sql"
    echo "$folder"

# Install PostgreSQL with the system's package manager if it is missing, after a message.
_postgres:
    sh crates/cli/src/demo/install_postgresql.sh

# Install wrk, the load generator of `just bench`, if it is missing, after a message.
_wrk:
    #!/usr/bin/env bash
    set -euo pipefail
    if command -v wrk > /dev/null; then exit 0; fi
    as_root=""
    if [ "$(id -u)" -ne 0 ]; then as_root=sudo; fi
    echo "wrk is not installed; installing it with the system's package manager." >&2
    if command -v apt-get > /dev/null; then
        $as_root apt-get update --quiet
        DEBIAN_FRONTEND=noninteractive $as_root apt-get install --quiet --yes wrk
    elif command -v brew > /dev/null; then
        brew install wrk
    else
        echo "There is no known package for this system; install wrk (https://github.com/wg/wrk) by hand." >&2
        exit 1
    fi
