#!/usr/bin/env bash
# Runs the tests on each major version of PostgreSQL that is found, and moves the private database from each version to each
# later one: postgres_versions.sh [--only MAJOR,…] [--no-moves] [ARGUMENT OF cargo test…]. With --only those versions alone are
# tested, and moved to.
#
# Found are the versions in /usr/lib/postgresql, and those in the directories of FINANCE_POSTGRES_BIN_DIRS, separated by
# colons. postgres_from_debian.sh makes those of another Debian release usable here, postgres_from_wheel.sh version 16.
set -euo pipefail
cd "$(dirname "$0")/../.."
only='' moves=yes
while [ $# -gt 0 ]; do
    case "$1" in
        --only) only=,$2, && shift 2 ;;
        --no-moves) moves='' && shift ;;
        *) break ;;
    esac
done
is_wanted() { [ -z "$only" ] || [[ "$only" = *,"$1",* ]]; }

declare -A found
IFS=: read -r -a named <<< "${FINANCE_POSTGRES_BIN_DIRS:-}"
for dir in "${named[@]}" /usr/lib/postgresql/*/bin; do
    if [ -x "$dir/postgres" ]; then
        major=$("$dir/postgres" --version | sed 's/.*(PostgreSQL) \([0-9]*\).*/\1/')
        : "${found[$major]:=$dir}"
    fi
done
[ "${#found[@]}" -gt 0 ] || { echo "no PostgreSQL is found in /usr/lib/postgresql or FINANCE_POSTGRES_BIN_DIRS" >&2; exit 1; }
mapfile -t majors < <(printf '%s\n' "${!found[@]}" | sort --numeric-sort)
for major in 15 16 17 18; do
    if is_wanted "$major" && [ -z "${found[$major]:-}" ]; then echo "not tested: PostgreSQL $major is not installed" >&2; fi
done

cargo build --workspace
failed=() tested=()
for major in "${majors[@]}"; do
    is_wanted "$major" || continue
    tested+=("$major")
    echo "== PostgreSQL $major in ${found[$major]}"
    FINANCE_POSTGRES_BIN_DIRS=${found[$major]} cargo test --workspace --no-fail-fast "$@" || failed+=("$major")
done
for old in "${majors[@]}"; do
    for newer in "${majors[@]}"; do
        if [ -n "$moves" ] && [ "$newer" -gt "$old" ] && is_wanted "$newer"; then
            echo "== from PostgreSQL $old to $newer"
            FINANCE_POSTGRES_BIN_DIRS=${found[$old]} FINANCE_TESTS_NEWER_POSTGRES=${found[$newer]} \
                cargo test --workspace --test program -- major_upgrade || failed+=("$old to $newer")
        fi
    done
done
if [ "${#failed[@]}" -gt 0 ]; then
    printf 'failed: PostgreSQL %s\n' "${failed[@]}" >&2
    exit 1
fi
echo "passed on PostgreSQL ${tested[*]}"
