#!/bin/sh
# Installs PostgreSQL with the system's package manager where it is absent, after saying so.
set -eu
for binary in postgres /usr/lib/postgresql/*/bin/postgres /opt/homebrew/opt/postgresql@*/bin/postgres \
    /usr/local/opt/postgresql@*/bin/postgres /usr/pgsql-*/bin/postgres; do
    if command -v "$binary" > /dev/null; then exit 0; fi
done
as_root=""
if [ "$(id -u)" -ne 0 ]; then as_root=sudo; fi
echo "PostgreSQL is not here; installing it with the system's package manager." >&2
if command -v apt-get > /dev/null; then
    $as_root apt-get update --quiet
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install --quiet --yes --no-install-recommends postgresql
elif command -v dnf > /dev/null; then
    $as_root dnf install --assumeyes postgresql-server
elif command -v brew > /dev/null; then
    brew install postgresql@17
else
    echo "No package manager is known here; install PostgreSQL 15 or newer by hand." >&2
    exit 1
fi
