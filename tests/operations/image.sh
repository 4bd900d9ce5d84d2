#!/usr/bin/env bash
# Builds the image, starts compose, and checks health, backup, restore and an upgrade, with buildah, podman and podman-compose:
# image.sh [--quick | --program FILE]. Without a registry the base images are made here by debootstrap, under the names that the
# Dockerfile and compose.yaml use; the toolchain is this machine's.
#
# With --quick the stage that compiles does so without optimizations, in a third of the time. With --program it is left out, and
# the last stage is built with that program. Needs root and the Debian
# packages buildah, podman, podman-compose, runc, netavark, aardvark-dns, iptables and debootstrap.
set -euo pipefail
cd "$(dirname "$0")/../.."

fail() {
    echo "$*" >&2
    exit 1
}
program='' quick=''
case "${1:-}" in
    --program) program=$(realpath "$2") ;;
    --quick) quick=yes ;;
esac
[ "$(id -u)" -eq 0 ] || fail "the base images are made by debootstrap, which only root can"
for tool in buildah podman podman-compose debootstrap; do
    command -v "$tool" > /dev/null || fail "$tool is not installed: apt-get install $tool"
done
# shellcheck disable=SC2016 # apt-get's own variables
mirror=$(apt-get indextargets --format '$(CODENAME) $(REPO_URI)' 'Created-By: Packages' |
    awk '$1 !~ /-/ && !found { print $2; found = 1 }')

work=$(mktemp -d /var/tmp/finance-image-XXXXXX)
project=$work/source
compose() { (cd "$project/deploy" && podman-compose --project-name finance "$@"); }
trap 'compose down --volumes > /dev/null 2>&1 || true; rm -rf --one-file-system "$work"' EXIT

# Limits that may be set where this machine is a container itself, and a runtime that it can run.
mkdir "$work/etc"
limits=(--ulimit nofile=4096:4096 --ulimit nproc=4096:4096)
cat > "$work/etc/containers.conf" << CONF
[containers]
default_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]
[engine]
runtime = "$(command -v runc > /dev/null && echo runc || echo crun)"
CONF
export CONTAINERS_CONF=$work/etc/containers.conf

# Podman runs health checks by timers of systemd; without it they are run below.
if [ ! -d /run/systemd/system ]; then export DISABLE_HC_SYSTEMD=true; fi

step() { echo "== $*"; }
# base NAME SUITE PACKAGES: a Debian of that suite, with what a build in it needs to reach the package source.
base() {
    if podman image exists "$1"; then return; fi
    local root=$work/root
    echo "making $1 of $2"
    debootstrap --variant=minbase --include="$3" "$2" "$root" "$mirror" > "$work/log" 2>&1 < /dev/null ||
        { tail "$work/log" >&2; fail "debootstrap failed"; }
    { grep -lsr '^ *Acquire' /etc/apt/apt.conf /etc/apt/apt.conf.d || true; } |
        xargs --no-run-if-empty cp --target-directory="$root/etc/apt/apt.conf.d"
    install -D /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/ca-certificates.crt"
    if [ -n "${4:-}" ]; then "$4" "$root"; fi
    tar --directory="$root" --create . | podman import --quiet "${@:5}" - "$1" > /dev/null
    rm -rf --one-file-system "$root"
}
with_rust() {
    mkdir -p "$1/opt/rust" "$1/root/.cargo"
    tar --directory="$(rustc --print sysroot)" --exclude=./share --create . | tar --directory="$1/opt/rust" --extract
    for tool in "$1"/opt/rust/bin/*; do ln -s "/opt/rust/bin/$(basename "$tool")" "$1/usr/local/bin/"; done
    if [ -f "${CARGO_HOME:-$HOME/.cargo}/config.toml" ]; then cp "${CARGO_HOME:-$HOME/.cargo}/config.toml" "$1/root/.cargo/"; fi
}
# What the official image's entry point does with the variables of compose.yaml.
with_entrypoint() {
    cat > "$1/usr/local/bin/entrypoint" << 'ENTRY'
#!/bin/bash
set -euo pipefail
bin=$(echo /usr/lib/postgresql/*/bin)
ln -sf "$bin"/* /usr/local/bin/
data=/var/lib/postgresql/data
install -d -o postgres -g postgres -m 0700 "$data"
as() { setpriv --reuid=postgres --regid=postgres --init-groups "$@"; }
if [ ! -e "$data/PG_VERSION" ]; then
    as initdb -D "$data" -U "$POSTGRES_USER" --pwfile="$POSTGRES_PASSWORD_FILE" --auth-host=scram-sha-256 > /dev/null
    echo 'host all all all scram-sha-256' >> "$data/pg_hba.conf"
    as pg_ctl -D "$data" -w -o '-c listen_addresses=' start > /dev/null
    as createdb -U "$POSTGRES_USER" "$POSTGRES_DB"
    as pg_ctl -D "$data" -w stop > /dev/null
fi
exec setpriv --reuid=postgres --regid=postgres --init-groups postgres -D "$data" -c 'listen_addresses=*'
ENTRY
    chmod 0755 "$1/usr/local/bin/entrypoint"
}

step "base images"
base docker.io/library/debian:bookworm-slim bookworm ca-certificates
postgres=$(sed -n 's/^ *image: \(postgres:.*\)$/\1/p' deploy/compose.yaml)
base "docker.io/library/$postgres" trixie postgresql-17 with_entrypoint --change 'ENTRYPOINT ["/usr/local/bin/entrypoint"]' \
    --change 'STOPSIGNAL SIGINT'

step "the image"
mkdir -p "$project"
git ls-files -z --cached --others --exclude-standard |
    tar -c --null --ignore-failed-read --warning=no-failed-read -T - | tar -x -C "$project"
context=$project file=$project/deploy/Dockerfile
if [ -n "$program" ]; then
    echo "the stage that compiles is left out: the program is $program"
    context=$work/context file=$work/Dockerfile
    mkdir -p "$context/source/target/release"
    cp "$program" "$context/source/target/release/finance"
    sed -n '/^FROM debian/,$p' "$project/deploy/Dockerfile" | sed 's/^COPY --from=build /COPY /' > "$file"
else
    base docker.io/library/rust:1-slim-bookworm bookworm ca-certificates with_rust
fi
cargo=()
if [ -n "$quick" ]; then
    mkdir "$work/cargo"
    if [ -f "${CARGO_HOME:-$HOME/.cargo}/config.toml" ]; then cp "${CARGO_HOME:-$HOME/.cargo}/config.toml" "$work/cargo/"; fi
    printf '[profile.release]\nopt-level = 0\nlto = "off"\ncodegen-units = 16\n' >> "$work/cargo/config.toml"
    cargo=(--volume "$work/cargo:/root/.cargo")
fi
# build LABEL: the layers of the stage that compiles are kept, so that a second image is made in seconds.
build() {
    buildah build --quiet --layers --isolation chroot "${limits[@]}" "${cargo[@]}" --format docker --network host --pull=never \
        --build-arg FINANCE_COMMIT="$(git log -1 --abbrev=12 --format='%h %cs')" --label "build=$1" \
        --file "$file" --tag localhost/finance:latest "$context" > "$work/build" 2>&1 || { tail -n 40 "$work/build" >&2; fail "the image is not built"; }
}
began=$SECONDS
build first
echo "built in $((SECONDS - began)) seconds"
podman image inspect localhost/finance:latest --format '{{.Size}} bytes, user {{.Config.User}}'
podman run --rm --network none localhost/finance:latest --version

step "compose up"
sed --in-place 's|^    image: finance:latest|    image: localhost/finance:latest|' "$project/deploy/compose.yaml"
# The podman-compose of Debian 12 knows no secrets from the environment: the password comes from a file.
printf 'POSTGRES_PASSWORD=%s\nJWT_SECRET=%s\n' "$(openssl rand -hex 24)" "$(openssl rand -hex 32)" > "$project/deploy/.env"
sed -n 's/^POSTGRES_PASSWORD=//p' "$project/deploy/.env" | tr --delete '\n' > "$project/deploy/password"
chmod 644 "$project/deploy/password"
sed --in-place 's|^    environment: POSTGRES_PASSWORD$|    file: ./password|' "$project/deploy/compose.yaml"
sed --in-place 's|^      core: 0|      core: 0\n      nofile: 4096\n      nproc: 4096|' "$project/deploy/compose.yaml"
compose up --detach --no-build > "$work/up" 2>&1 || { tail "$work/up" >&2; fail "compose does not start"; }
at=http://127.0.0.1:8080
finance() { podman exec --interactive finance_finance_1 /usr/local/bin/finance "$@"; }
healthy() {
    for _ in $(seq 120); do
        if finance health 2> /dev/null; then return; fi
        sleep 0.5
    done
    podman logs finance_finance_1 >&2
    fail "it is not healthy within a minute"
}
token() {
    curl --silent --fail "$at/api/auth/login" --json '{"name": "ana", "password": "correct horse"}' |
        sed 's/.*"token":"\([^"]*\)".*/\1/'
}
there() {
    curl --silent --fail "$at/api/categories" --header "Authorization: Bearer $(token)" | grep --quiet '"Depois"' ||
        fail "what was written is not there"
}
healthy
podman healthcheck run finance_finance_1
finance create-user --name ana <<< 'correct horse'
curl --silent --fail "$at/api/categories" --json '{"name": "Depois"}' --header "Authorization: Bearer $(token)" > /dev/null
there

step "back up the database of compose, as operators do with a server of their own, and restore it"
podman exec finance_postgres_1 pg_dump -U finance --format=custom finance > "$work/dump"
podman stop finance_finance_1 > /dev/null
podman exec finance_postgres_1 dropdb -U finance finance
podman exec finance_postgres_1 createdb -U finance finance
podman exec --interactive finance_postgres_1 pg_restore -U finance --dbname finance --exit-on-error < "$work/dump"
podman start finance_finance_1 > /dev/null
healthy
there

step "upgrade: a new image, and the same data"
build second
compose down > /dev/null 2>&1
compose up --detach --no-build > "$work/up" 2>&1 || { tail "$work/up" >&2; fail "compose does not start again"; }
healthy
there
echo "the service runs the image of the $(podman inspect finance_finance_1 --format '{{index .Config.Labels "build"}}') build"
podman stop finance_finance_1 > /dev/null
echo "stopped with $(podman inspect finance_finance_1 --format '{{.State.ExitCode}}')"
echo "all steps passed; the layers are kept for the next time (podman image prune removes them)"
