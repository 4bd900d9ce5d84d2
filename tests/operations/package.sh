#!/usr/bin/env bash
# Installs, upgrades, removes and purges the Debian package in a booted Debian: package.sh [NEW.deb [OLD.deb]], by default that
# of `just release`. With --dist-upgrade SUITE the Debian under it is upgraded too, and PostgreSQL with it, as a household does it every two years.
#
# Without an earlier package the new one is given an earlier version, so that an upgrade can be tried. Needs root,
# debootstrap and systemd-container; of the network what apt needs. Five minutes, fifteen with --dist-upgrade.
set -euo pipefail

fail() {
    echo "$*" >&2
    exit 1
}

next=
if [ "${1:-}" = --dist-upgrade ]; then
    next=$2
    shift 2
fi
if [ $# -eq 0 ]; then
    set -- "$(dirname "$0")"/../../target/release-files/*.deb
    [ -f "$1" ] || fail "no package is in target/release-files: just release"
fi
new=$(realpath "$1")
[ "$(id -u)" -eq 0 ] || fail "only root can boot a Debian"
for tool in debootstrap systemd-nspawn; do
    command -v "$tool" > /dev/null || fail "$tool is not installed: apt-get install debootstrap systemd-container"
done
suite=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
# shellcheck disable=SC2016 # apt-get's own variables
mirror=$(apt-get indextargets --format '$(CODENAME) $(REPO_URI)' 'Created-By: Packages' |
    awk '$1 !~ /-/ && !found { print $2; found = 1 }')
[ -n "$mirror" ] || fail "apt-get knows no package source; apt-get update first"

work=$(mktemp -d /var/tmp/finance-package-XXXXXX)
trap 'rm -rf --one-file-system "$work"' EXIT
root=$work/root
if [ -n "${FINANCE_DEBIAN_ROOT:-}" ]; then
    cp -a "$FINANCE_DEBIAN_ROOT" "$root"
else
    echo "a booting $suite from $mirror"
    debootstrap --variant=minbase --include=systemd,systemd-sysv,dbus,ca-certificates,curl "$suite" "$root" "$mirror" \
        > "$work/log" 2>&1 < /dev/null || { tail "$work/log" >&2; fail "debootstrap failed"; }
fi
cp /etc/resolv.conf "$root/etc/"
{ grep -lsr '^ *Acquire' /etc/apt/apt.conf /etc/apt/apt.conf.d || true; } |
    xargs --no-run-if-empty cp --target-directory="$root/etc/apt/apt.conf.d"
install -D /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/ca-certificates.crt"

mkdir "$root/finance"
cp "$new" "$root/finance/new.deb"
old=${2:-$new}
[ $# -ge 2 ] || echo "no earlier package is given: the new one is installed with an earlier version first"
if dpkg --compare-versions "$(dpkg-deb --field "$old" Version)" lt "$(dpkg-deb --field "$new" Version)"; then
    cp "$old" "$root/finance/old.deb"
else
    # A package of an earlier commit may have the same version.
    dpkg-deb --raw-extract "$old" "$work/old"
    sed -i 's/^Version: .*/Version: 0.0.1-1/' "$work/old/DEBIAN/control"
    dpkg-deb --root-owner-group -Zgzip --build "$work/old" "$root/finance/old.deb" > /dev/null
fi
printf 'next=%q\nmirror=%q\n' "$next" "$mirror" > "$root/finance/settings"
cp "$(dirname "$0")/inside.sh" "$root/finance/"
cat > "$root/etc/systemd/system/finance-test.service" << 'UNIT'
[Unit]
After=multi-user.target
[Service]
Type=oneshot
StandardOutput=file:/finance/log
StandardError=inherit
ExecStart=/bin/bash /finance/inside.sh
ExecStopPost=/bin/systemctl poweroff --force --no-block
UNIT
mkdir -p "$root/etc/systemd/system/multi-user.target.wants"
ln -s ../finance-test.service "$root/etc/systemd/system/multi-user.target.wants/"
: > "$root/finance/log"

# Its own network would need a bridge; the port is the only thing that is shared.
timeout "${FINANCE_PACKAGE_SECONDS:-1800}" systemd-nspawn --quiet --register=no --keep-unit --boot --directory="$root" \
    --console=pipe > "$work/console" 2>&1 < /dev/null &
booted=$!
tail --follow --lines=+1 --pid="$booted" "$root/finance/log"
wait "$booted" || { tail "$work/console" >&2; fail "the booted Debian failed"; }
[ -e "$root/finance/passed" ] || fail "a step failed, the last one above"
echo "all steps passed"
