#!/usr/bin/env bash
# Makes PostgreSQL of another Debian release usable beside this one's: postgres_from_debian.sh SUITE MAJOR FOLDER, for
# example `postgres_from_debian.sh trixie 17 /opt/postgresql`. The programs are in FOLDER/usr/lib/postgresql/MAJOR/bin then.
#
# The packages come from this machine's own package source. Programs of a newer release need its C library; it is put beside
# them, and they are told to load it. Needs root, debootstrap and patchelf.
set -euo pipefail
suite=$1 major=$2
mkdir -p "$3"
folder=$(realpath "$3")

for tool in debootstrap patchelf; do
    command -v "$tool" > /dev/null || { echo "$tool is not installed: apt-get install $tool" >&2; exit 1; }
done
# shellcheck disable=SC2016 # apt-get's own variables
mirror=$(apt-get indextargets --format '$(CODENAME) $(REPO_URI)' 'Created-By: Packages' |
    awk '$1 !~ /-/ && !found { print $2; found = 1 }')
root=$(mktemp -d /var/tmp/finance-postgres-XXXXXX)
trap 'rm -rf --one-file-system "$root"' EXIT
debootstrap --variant=minbase --include="postgresql-$major" "$suite" "$root/root" "$mirror" > "$root/log" 2>&1 < /dev/null ||
    { tail "$root/log" >&2; exit 1; }

from=$root/root
# PostgreSQL finds its other directories from where its program is, so they keep their layout.
mkdir -p "$folder/usr/lib/postgresql" "$folder/usr/share/postgresql" "$folder/lib"
cp -a "$from/usr/lib/postgresql/$major" "$folder/usr/lib/postgresql/"
rm -rf "$folder/usr/lib/postgresql/$major/lib/bitcode"
cp -aL "$from/usr/share/postgresql/$major" "$folder/usr/share/postgresql/" 2> /dev/null || true
cp -a "$from"/usr/lib/*-linux-gnu/*.so* "$folder/lib/"
loader=$(find "$folder/lib" -name 'ld-linux*' | head -n 1)
for program in "$folder/usr/lib/postgresql/$major/bin"/*; do
    if patchelf --print-interpreter "$program" > /dev/null 2>&1; then
        patchelf --set-interpreter "$loader" --force-rpath --set-rpath "$folder/lib" "$program"
    fi
done
chmod -R go+rX "$folder"
"$folder/usr/lib/postgresql/$major/bin/postgres" --version
