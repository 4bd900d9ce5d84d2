#!/usr/bin/env bash
# Makes PostgreSQL 16 usable where no Debian release has it: postgres_from_wheel.sh FOLDER, for example
# `postgres_from_wheel.sh /opt/postgresql-16`. The programs are in FOLDER/bin then.
#
# They come from the Python package pgserver, which has PostgreSQL 16.2 inside, built for any Linux. Needs pip, unzip and patchelf.
set -euo pipefail
mkdir -p "$1"
folder=$(realpath "$1")

for tool in pip unzip patchelf; do
    command -v "$tool" > /dev/null || { echo "$tool is not installed: apt-get install python3-pip unzip patchelf" >&2; exit 1; }
done
work=$(mktemp -d /var/tmp/finance-postgres-XXXXXX)
trap 'rm -rf --one-file-system "$work"' EXIT
pip download --quiet --no-deps --dest "$work" pgserver==0.1.4
unzip -q "$work"/*.whl -d "$work"
cp -a "$work/pgserver/pginstall/." "$folder/"
mkdir -p "$folder/lib"
cp -a "$work"/pgserver.libs/* "$folder/lib/"
chmod 755 "$folder"/bin/*
for program in "$folder"/bin/*; do
    patchelf --force-rpath --set-rpath "$folder/lib" "$program"
done
chmod -R go+rX "$folder"
"$folder/bin/postgres" --version
