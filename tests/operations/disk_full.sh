#!/usr/bin/env bash
# Fills the disk of the backups, then the disk of the database too, under a running service: no backup is made, and the service
# goes on. disk_full.sh [PROGRAM], by default target/debug/finance. Needs root, for two small file systems in memory.
set -euo pipefail
program=$(realpath "${1:-$(dirname "$0")/../../target/debug/finance}")

if [ -z "${FINANCE_DISK_FULL:-}" ]; then
    [ "$(id -u)" -eq 0 ] || { echo "only root can mount a file system" >&2; exit 1; }
    FINANCE_DISK_FULL=1 exec unshare --mount --pid --fork --kill-child --mount-proc "$0" "$program"
fi
work=$(mktemp -d /tmp/finance-disk-XXXXXX)
# What is mounted and what is started ends with the namespace.
trap 'umount --lazy "$work/backups" "$work/data" || true; rm -rf --one-file-system "$work"' EXIT
mkdir "$work/backups" "$work/data"
chmod 711 "$work"
mount -t tmpfs -o size=8m,mode=711 tmpfs "$work/backups"
mount -t tmpfs -o size=300m,mode=711 tmpfs "$work/data"
export FINANCE_DATA_DIR=$work/data/finance FINANCE_BACKUP_DIR=$work/backups/finance FINANCE_BACKUP_WAIT_SECONDS=0 \
    FINANCE_BIND=127.0.0.1:18080 RUST_LOG=warn
at=http://$FINANCE_BIND

fill() { dd if=/dev/zero of="$1/filler" bs=64k status=none 2> /dev/null || true; }
fails() { if line=$("$program" backup 2>&1); then echo "a backup was made: $line" >&2; exit 1; else echo "  $line"; fi; }
write() {
    curl --silent --fail "$at/api/categories" --header "Authorization: Bearer $token" --json "{\"name\": \"$1\"}" > /dev/null
    echo "  the service takes $1, and $(curl --silent --fail "$at/readyz")"
}
serve() {
    "$program" serve > /dev/null 2> "$work/log" &
    service=$!
    for _ in $(seq 100); do curl --silent --fail "$at/readyz" > /dev/null && break; sleep 0.2; done
    token=$(curl --silent --fail "$at/api/auth/login" --json '{"name": "ana", "password": "correct horse"}' |
        sed 's/.*"token":"\([^"]*\)".*/\1/')
}
stop() { kill "$service"; wait "$service"; }

"$program" create-user --name ana <<< 'correct horse'
echo "== the disk of the backups is full"
fill "$work/backups"
serve
for _ in $(seq 100); do grep --quiet 'no good backup' "$work/log" && break; sleep 0.2; done
sed 's/^/  /' "$work/log"
grep --quiet 'no backup was made' "$work/log"
fails
write one
[ -z "$(find "$work/backups" -name '*.part' -o -name '*.dump')" ]

echo "== it has room again"
rm "$work/backups/filler"
"$program" backup | sed 's/^/  /'
good=$("$program" backup --list | sed 1d)

echo "== the disk of the database has less room than a backup needs"
dd if=/dev/zero of="$work/data/filler" bs=1M status=none count=$(($(df --output=avail --block-size=1M "$work/data" | tail -n 1) - 60))
fails
write two
[ "$("$program" backup --list | sed 1d | awk '{print $NF}')" = "$(awk '{print $NF}' <<< "$good")" ]
stop
if grep --quiet PANIC "$FINANCE_DATA_DIR/postgres.log"; then echo "the server had no room" >&2; exit 1; fi
echo "passed: no backup was made on a full disk, the service went on, and the good one is kept"
