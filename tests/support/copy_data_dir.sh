#!/bin/sh
# Copies the data directory of a service that has stopped properly: copy_data_dir.sh FROM TO. A start on a copy needs neither
# initdb nor migrations. The copy has no secret for tokens, so its service makes one of its own.
set -eu
from=$1
to=$2
refuse() {
    echo "copy_data_dir: $from cannot be copied to $to: $1" >&2
    exit 1
}
[ -f "$from/postgres/PG_VERSION" ] || refuse "it has no cluster"
[ ! -L "$from/postgres" ] || refuse "its cluster is in another directory"
[ ! -e "$from/postgres/postmaster.pid" ] || refuse "its PostgreSQL runs, or was killed"
[ ! -e "$to" ] || refuse "$to exists"
# Owners and modes are kept: under root PostgreSQL runs as another user, and refuses a cluster of others.
cp -pPR "$from" "$to"
rm -f "$to/jwt_secret"
