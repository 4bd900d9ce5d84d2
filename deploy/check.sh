#!/usr/bin/env bash
# Checks the files of deploy/ without a container engine: the paths that they name exist, and the tools that read them accept
# them. A missing tool is skipped with a notice.
set -euo pipefail
cd "$(dirname "$0")/.."

has() { command -v "$1" > /dev/null; }
skip() { echo "skipped: $*" >&2; }

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
    skip "docker compose is not installed; compose.yaml is only parsed"
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
