#!/usr/bin/env bash
# Starts a Citus coordinator and two workers on loopback and runs the tests of the API on them: citus.sh [ARGUMENT OF cargo test…].
# `citus.sh --soak [SECONDS]` puts load on them instead, while each worker is killed once and comes back, and
# `citus.sh --run COMMAND…` runs another command, with FINANCE_TESTS_CITUS set, the ports of the nodes.
#
# Citus is found in the PostgreSQL of FINANCE_CITUS_BIN_DIR, of PATH, or where packages put it. The ports are FINANCE_CITUS_PORT, 15432
# unless it is set, and the two after it.
set -euo pipefail
cd "$(dirname "$0")/../.."

bin=''
for dir in "${FINANCE_CITUS_BIN_DIR:-}" "$(dirname "$(command -v postgres || true)")" /usr/lib/postgresql/*/bin /usr/pgsql-*/bin; do
    if [ -x "$dir/pg_config" ] && [ -x "$dir/initdb" ] && [ -f "$("$dir/pg_config" --sharedir)/extension/citus.control" ]; then
        bin=$dir
        break
    fi
done
if [ -z "$bin" ]; then
    echo "Citus is not installed, so nothing is tested on it. Install its extension for PostgreSQL 15 or newer (12.1 or newer;" >&2
    echo "packages and source: https://docs.citusdata.com/en/stable/installation/multi_node.html), or name the programs of a" >&2
    echo "PostgreSQL that has it: FINANCE_CITUS_BIN_DIR=…/bin." >&2
    exit 1
fi

place=$(mktemp --directory /tmp/finance-citus-XXXXXX)
as=()
if [ "$(id -u)" -eq 0 ]; then
    as=(setpriv --reuid=postgres --regid=postgres --clear-groups env HOME="$place")
    chown postgres "$place"
fi
keeper=''
stop() {
    if [ -n "$keeper" ]; then kill "$keeper" || true; fi
    for node in 0 1 2; do
        "${as[@]}" "$bin/pg_ctl" --pgdata "$place/$node" --mode immediate stop > "$place/stop.log" 2>&1 || true
    done
    rm -rf "$place"
}
trap stop EXIT
start() { "${as[@]}" "$bin/pg_ctl" --pgdata "$place/$1" --log "$place/$1.log" --wait start > "$place/start.log"; }

first=${FINANCE_CITUS_PORT:-15432}
for node in 0 1 2; do
    "${as[@]}" "$bin/initdb" --pgdata "$place/$node" --username finance_admin --auth trust --encoding UTF8 --locale C.UTF-8 \
        > "$place/initdb.log"
    # That a machine loses power is of no interest to tests.
    cat >> "$place/$node/postgresql.conf" <<CONF
shared_preload_libraries = 'citus'
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
port = $((first + node))
max_connections = 400
max_prepared_transactions = 400
max_worker_processes = 32
fsync = off
full_page_writes = off
autovacuum_naptime = 1d
max_wal_size = 2GB
citus.node_conninfo = 'sslmode=disable'
citus.shard_count = 2
# Each database has a process for these on each node, and the tests make hundreds of databases.
citus.distributed_deadlock_detection_factor = -1
citus.recover_2pc_interval = -1
citus.defer_shard_delete_interval = -1
citus.metadata_sync_interval = 1h
citus.background_task_queue_interval = -1
CONF
    # The coordinator explains the statements of who asks for it, as the tests' service does.
    if [ "$node" -eq 0 ]; then echo "session_preload_libraries = 'auto_explain'" >> "$place/$node/postgresql.conf"; fi
    start "$node"
done
export FINANCE_TESTS_CITUS=$first,$((first + 1)),$((first + 2))
if [ "${1:-}" = --soak ]; then
    shift
    cargo build
    # Starts a node that is gone, as a service manager does.
    while sleep 1; do
        for node in 0 1 2; do
            if ! "${as[@]}" "$bin/pg_ctl" --pgdata "$place/$node" status > "$place/status.log"; then start "$node" || true; fi
        done
    done &
    keeper=$!
    cargo run --package finance-load --bin soak -- "$@"
elif [ "${1:-}" = --run ]; then
    shift
    "$@"
else
    passed=0
    # The tests of Citus itself are ignored everywhere else.
    case " $* " in *" -- "*) ;; *) set -- "$@" -- ;; esac
    cargo test --package finance-tests --test api "$@" --include-ignored || passed=$?
    # Each plan of the service that reads or writes shards has to have one task, which is one shard.
    awk '
        /Query Text: / { text = ""; is_text = 1 }
        /\(cost=/ { is_text = 0 }
        is_text { text = text "\n" $0 }
        /Task Count: / { plans++; statements += !seen[text]++; if ($NF != 1) { several++; print text } }
        END {
            printf "%d statements over shards, %d plans of them, %d with several shards\n", statements, plans, several
            exit several > 0 || plans == 0
        }' "$place/0.log"
    exit "$passed"
fi
