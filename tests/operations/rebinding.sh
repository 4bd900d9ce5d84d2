#!/usr/bin/env bash
# Sends webhooks to a name whose address changes between two questions (DNS rebinding), with the system's own resolver and a
# real DNS server, in a network namespace without any way out. rebinding.sh [PROGRAM], by default target/debug/finance. Needs
# root and Python 3.
set -euo pipefail
here=$(dirname "$(realpath "$0")")
program=$(realpath "${1:-$here/../../target/debug/finance}")

if [ -z "${FINANCE_REBINDING:-}" ]; then
    [ "$(id -u)" -eq 0 ] || { echo "only root can make a network of its own" >&2; exit 1; }
    FINANCE_REBINDING=1 exec unshare --net --mount --pid --fork --kill-child --mount-proc "$0" "$program"
fi
work=$(mktemp -d /tmp/finance-rebinding-XXXXXX)
trap 'rm -rf --one-file-system "$work"' EXIT
chmod 711 "$work"
# A public address that is this machine, in this namespace only.
public=93.184.215.14
ip link set lo up
ip address add "$public/32" dev lo
echo "nameserver 127.0.0.1" > "$work/resolv.conf"
echo "hosts: files dns" > "$work/nsswitch.conf"
mount --bind "$work/resolv.conf" /etc/resolv.conf
mount --bind "$work/nsswitch.conf" /etc/nsswitch.conf
FINANCE_DATA_DIR=$work/finance FINANCE_BIND=127.0.0.1:18081 RUST_LOG=warn PUBLIC=$public \
    python3 "$here/rebinding.py" "$program"
