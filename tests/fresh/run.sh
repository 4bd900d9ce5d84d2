#!/usr/bin/env bash
# Runs the commands of the README's section "Two commands", each with its time, in a minimal Debian: nothing is in it but
# debootstrap's smallest variant and what the README names. `just fresh`, or `just fresh trixie` for another release.
#
# Needs root, debootstrap and 8 GB; of the network what the README's commands need. The Rust toolchain is this machine's.
set -euo pipefail
cd "$(dirname "$0")/../.."

fail() {
    echo "$*" >&2
    exit 1
}

# Mounts end with the namespace, and so does every process that was started in the root.
if [ -z "${FINANCE_FRESH_ROOT:-}" ]; then
    [ "$(id -u)" -eq 0 ] || fail "just fresh makes a root of its own, which only root can"
    command -v debootstrap > /dev/null || fail "debootstrap is not here: apt-get install debootstrap"
    FINANCE_FRESH_ROOT=$(mktemp -d /var/tmp/finance-fresh-XXXXXX)
    # The server's user has to reach its directory, and mktemp makes the root for its owner alone.
    chmod 0755 "$FINANCE_FRESH_ROOT"
    export FINANCE_FRESH_ROOT
    trap 'rm -rf --one-file-system "$FINANCE_FRESH_ROOT" "$FINANCE_FRESH_ROOT.log"' EXIT
    unshare --mount --pid --fork --kill-child "$0" "$@"
    exit
fi
root=$FINANCE_FRESH_ROOT

suite=${1:-$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)}
# shellcheck disable=SC2016 # apt-get's own variables
mirror=$(apt-get indextargets --format '$(CODENAME) $(REPO_URI)' 'Created-By: Packages' |
    awk '$1 !~ /-/ && !found { print $2; found = 1 }')
[ -n "$mirror" ] || fail "apt-get knows no package source; apt-get update first"
echo "a minimal $suite from $mirror, with gcc, libc6-dev and make"
debootstrap --variant=minbase --include=gcc,libc6-dev,make "$suite" "$root" "$mirror" > "$root.log" 2>&1 < /dev/null ||
    { tail "$root.log" >&2; fail "debootstrap failed"; }
rm "$root.log"

# How this machine reaches the package sources, and whom it trusts: what a proxy needs.
cp /etc/resolv.conf /etc/hosts "$root/etc/"
{ grep -lsr '^ *Acquire' /etc/apt/apt.conf /etc/apt/apt.conf.d || true; } |
    xargs --no-run-if-empty cp --target-directory="$root/etc/apt/apt.conf.d"
install -D /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/ca-certificates.crt"
mkdir -p "$root/root/.cargo" "$root/opt/rust" "$root/finance"
if [ -f "${CARGO_HOME:-$HOME/.cargo}/config.toml" ]; then
    cp "${CARGO_HOME:-$HOME/.cargo}/config.toml" "$root/root/.cargo/"
fi
# The toolchain itself: rustup's commands would ask for rustup's home.
mount --bind --read-only "$(rustc --print sysroot)" "$root/opt/rust"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
git ls-files -z --cached --others --exclude-standard |
    tar -c --null --ignore-failed-read --warning=no-failed-read -T - | tar -x -C "$root/finance"

sed -n '/^## Two commands/,/^## A/s/^\$ //p' README.md > "$root/commands"
[ "$(wc -l < "$root/commands")" -eq 2 ] || fail "the README has not two commands"
# shellcheck disable=SC2016 # variables of the shell in the root
env -i HOME=/root PATH=/opt/rust/bin:/root/.cargo/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    chroot "$root" /bin/bash -euo pipefail -c '
        cd /finance
        TIMEFORMAT="%0R s, of processor time %0U s in programs and %0S s in the system"
        while read -r command <&3; do
            printf "\n\$ %s\n" "$command"
            time eval "$command" < /dev/null
        done 3< /commands
        du --summarize --block-size=M --total target /root/.cargo/registry/{cache,index} /var/lib/postgresql
    '
