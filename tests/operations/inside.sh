#!/bin/bash
# The steps of package.sh, inside the booted Debian.
set -euo pipefail
# shellcheck disable=SC1091 # written by package.sh
. /finance/settings
export DEBIAN_FRONTEND=noninteractive HOME=/root
at=http://127.0.0.1:8080
trap 'echo "FAILED at line $LINENO"; journalctl --no-pager --lines=30 --unit=finance || true' ERR

step() { echo "== $*"; }
has() { grep --quiet --fixed-strings -- "$1" <<< "$2" || { echo "not there: $1, in: $2"; false; }; }
healthy() {
    for _ in $(seq 120); do
        if curl --silent --fail "$at/readyz" > /dev/null; then return 0; fi
        sleep 0.5
    done
    echo "not ready within a minute"
    false
}
token() {
    curl --silent --fail "$at/api/auth/login" --json '{"name": "ana", "password": "correct horse"}' |
        sed 's/.*"token":"\([^"]*\)".*/\1/'
}
there() {
    local token
    token=$(token)
    has '"Depois"' "$(curl --silent --fail "$at/api/categories" --header "Authorization: Bearer $token")"
    has '"130.00"' "$(curl --silent --fail "$at/api/transactions" --header "Authorization: Bearer $token")"
}
has_backup() { [ -n "$(find /var/lib/finance/backups -name '*.dump')" ]; }
cluster() { cat /var/lib/finance/postgres/PG_VERSION; }

step "install the earlier package, with PostgreSQL"
apt-get update --quiet=2
apt-get install --quiet=2 --yes --no-install-recommends /finance/old.deb > /finance/apt.log 2>&1 || { tail -n 20 /finance/apt.log; false; }
dpkg-query --show finance postgresql
healthy
systemctl is-active finance
systemctl is-enabled finance
has "(finance)" "$(id finance)"
[ "$(stat --format='%U %a' /var/lib/finance)" = "finance 700" ]
[ "$(stat --format='%U %a' /etc/finance/finance.env)" = "root 600" ]
echo "PostgreSQL $(cluster), $(systemctl show finance --property=MainPID,User --value | tr '\n' ' ')"

step "a household"
finance create-user --name ana <<< 'correct horse'
login="Authorization: Bearer $(token)"
category=$(curl --silent --fail "$at/api/categories" --json '{"name": "Depois"}' --header "$login" | sed 's/.*"id":\([0-9]*\).*/\1/')
curl --silent --fail "$at/api/transactions" --header "$login" --json \
    "{\"type\": \"expense\", \"category_id\": $category, \"date\": \"2026-03-02\", \"description\": \"Ração\", \"amount\": \"130.00\"}" \
    > /dev/null
there
echo 'FINANCE_UTC_OFFSET=-04:00' >> /etc/finance/finance.env
echo 'FINANCE_BACKUP_WAIT_SECONDS=0' >> /etc/finance/finance.env

step "upgrade to the new package"
apt-get install --quiet=2 --yes --no-install-recommends /finance/new.deb > /finance/apt.log 2>&1 || { tail -n 20 /finance/apt.log; false; }
dpkg-query --show finance
healthy
finance --version
journalctl --no-pager --unit=finance --output=cat --grep='migrations applied' | tail -n 2 || true
there
for file in man/man1/finance.1.gz bash-completion/completions/finance zsh/vendor-completions/_finance fish/vendor_completions.d/finance.fish; do
    [ -s "/usr/share/$file" ]
done
has 'FINANCE_UTC_OFFSET=-04:00' "$(cat /etc/finance/finance.env)"
systemd-analyze security finance --no-pager | tail -n 1

step "the backup of the day, by the service"
for _ in $(seq 60); do
    if [ "$(finance backup --list | wc -l)" -gt 1 ]; then break; fi
    sleep 1
done
finance backup --list
[ "$(finance backup --list | wc -l)" -eq 2 ]
curl --silent --fail "$at/readyz"
echo
has '"last_backup":{"made_at":"20' "$(curl --silent --fail "$at/readyz")"
backup=$(find /var/lib/finance/backups -name '*.dump')
[ "$(stat --format='%U %a' "$backup")" = "finance 600" ]

step "restore it beside the running service"
finance restore --yes "$backup"
healthy
there

if [ -n "$next" ]; then
    step "upgrade Debian to $next"
    before=$(cluster)
    sed --in-place "s/$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)/$next/g" /etc/apt/sources.list
    apt-get update --quiet=2
    apt-get dist-upgrade --quiet=2 --yes --no-install-recommends --option Dpkg::Options::=--force-confold \
        > /finance/apt.log 2>&1 || { tail -n 20 /finance/apt.log; false; }
    sed -n 's/^PRETTY_NAME=//p' /etc/os-release
    dpkg-query --show 'postgresql-[0-9][0-9]'
    healthy
    systemctl restart finance
    healthy
    echo "PostgreSQL $before before, $(cluster) now"
    journalctl --no-pager --unit=finance --output=cat | grep --extended-regexp 'moving|moved|stays'
    [ "$(cluster)" -gt "$before" ]
    there
    finance backup
    if [ -e "/var/lib/finance/postgres.old-$before" ]; then echo "the earlier cluster is still there"; false; fi
fi

step "remove the package"
apt-get remove --quiet=2 --yes finance > /finance/apt.log 2>&1 || { tail -n 20 /finance/apt.log; false; }
if systemctl is-active finance || [ -e /usr/bin/finance ]; then false; fi
if [ -n "$(find /proc -maxdepth 1 -user finance)" ]; then echo "processes are left"; false; fi
[ -e /etc/finance/finance.env ]
has_backup

step "install it again: the data are there"
apt-get install --quiet=2 --yes --no-install-recommends /finance/new.deb > /finance/apt.log 2>&1 || { tail -n 20 /finance/apt.log; false; }
healthy
there

step "purge it"
apt-get purge --quiet=2 --yes finance > /finance/apt.log 2>&1 || { tail -n 20 /finance/apt.log; false; }
grep 'are kept in /var/lib/finance' /finance/apt.log
[ ! -e /etc/finance ]
has_backup
[ -d /var/lib/finance/postgres ]
touch /finance/passed
