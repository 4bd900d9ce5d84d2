#!/usr/bin/env bash
# Attacks the service through a real proxy (nginx, as docs/operators.md says): invented client addresses, smuggled requests,
# slow bodies. proxy.sh [PROGRAM], by default target/debug/finance. Needs nginx and Python 3.
set -euo pipefail
here=$(dirname "$(realpath "$0")")
program=$(realpath "${1:-$here/../../target/debug/finance}")
command -v nginx > /dev/null || { echo "nginx is not installed: apt-get install nginx-light" >&2; exit 1; }
work=$(mktemp -d /tmp/finance-proxy-XXXXXX)
trap 'rm -rf --one-file-system "$work"' EXIT
chmod 711 "$work"
cat > "$work/nginx.conf" <<CONF
daemon off;
pid $work/nginx.pid;
error_log $work/error.log;
events {}
http {
    access_log off;
    client_body_temp_path $work/body;
    proxy_temp_path $work/proxy;
    fastcgi_temp_path $work/fastcgi;
    uwsgi_temp_path $work/uwsgi;
    scgi_temp_path $work/scgi;
    client_max_body_size 64m;
    upstream finance { server 127.0.0.1:18082; keepalive 4; }
    server {
        listen 127.0.0.1:18083;
        location / {
            proxy_pass http://finance;
            proxy_http_version 1.1;
            proxy_set_header Connection "";
            proxy_set_header X-Forwarded-For \$proxy_add_x_forwarded_for;
        }
    }
}
CONF
FINANCE_DATA_DIR=$work/finance FINANCE_BIND=127.0.0.1:18082 FINANCE_TRUSTED_PROXIES=127.0.0.1 RUST_LOG=info \
    python3 "$here/proxy.py" "$program" "$work/nginx.conf"
