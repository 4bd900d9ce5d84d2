"""Called by proxy.sh: starts nginx and the service behind it, and sends what a stranger would."""

import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import time

PROXY, DIRECT = ("127.0.0.1", 18083), ("127.0.0.1", 18082)
FAILURES_MAX = 10


def exchange(address, sent, source="127.0.0.1", pause=None):
    """Sends bytes, in two parts where there is a pause, and reads until the end of the connection."""
    with socket.create_connection(address, timeout=30, source_address=(source, 0)) as connection:
        if pause:
            connection.sendall(sent[: len(sent) // 2])
            time.sleep(pause)
            connection.sendall(sent[len(sent) // 2 :])
        else:
            connection.sendall(sent)
        received = b""
        try:
            while part := connection.recv(65536):
                received += part
        except (ConnectionResetError, TimeoutError):
            pass
        return received


def statuses(received):
    # An answer may begin right behind the body of the one before.
    return [int(status) for status in re.findall(rb"HTTP/1\.[01] (\d{3}) ", received)]


def post(path, body, more="", close=True):
    head = f"POST {path} HTTP/1.1\r\nHost: finance\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n{more}"
    return (head + ("Connection: close\r\n" if close else "") + "\r\n" + body).encode()


def login(password, forwarded="", source="127.0.0.1", address=PROXY):
    more = f"X-Forwarded-For: {forwarded}\r\n" if forwarded else ""
    body = json.dumps({"name": "ana", "password": password})
    return statuses(exchange(address, post("/api/auth/login", body, more), source))


def main(program, configuration):
    with tempfile.TemporaryFile("w+") as log:
        subprocess.run([program, "create-user", "--name", "ana"], input=b"correct horse\n", check=True, stderr=log)
        service = subprocess.Popen([program, "serve"], stdout=subprocess.PIPE, stderr=log)
        assert b"listening on" in service.stdout.readline()
        proxy = subprocess.Popen(["nginx", "-c", configuration])
        try:
            while True:
                try:
                    socket.create_connection(PROXY).close()
                    break
                except ConnectionRefusedError:
                    time.sleep(0.05)

            # Invented addresses count as one client: the proxy appends the real one.
            invented = ["", "1.2.3.4", "127.0.0.1", "8.8.8.8, 127.0.0.1", "::1", "unknown", "9.9.9.9:80", "a" * 300]
            seen = [login("wrong horse", invented[at % len(invented)], "127.0.0.2") for at in range(FAILURES_MAX + 1)]
            assert seen == [[401]] * FAILURES_MAX + [[429]], seen
            assert login("correct horse", "7.7.7.7", "127.0.0.2") == [429]
            # Another client behind the same proxy has its own count.
            assert login("correct horse", "", "127.0.0.3") == [200]
            # Who reaches the service without the proxy cannot speak for others, unless its address is the proxy's.
            assert login("wrong horse", "127.0.0.3", "127.0.0.4", DIRECT) == [401]
            print("  invented client addresses: one count a real address")

            # A request within a request is never answered as a second one, and never reaches the service.
            inner = "GET /api/smuggled HTTP/1.1\r\nHost: finance\r\n\r\n"
            chunked = f"0\r\n\r\n{inner}"
            for name, more, body in [
                ("both lengths", "Transfer-Encoding: chunked\r\n", chunked),
                ("both lengths, spelled oddly", "Transfer-Encoding: xchunked\r\n", chunked),
                ("a blank before the colon", "Transfer-Encoding : chunked\r\n", chunked),
                ("a tab before the word", "Transfer-Encoding:\tchunked\r\n", chunked),
                ("twice, once unknown", "Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n", chunked),
                ("two lengths", "Content-Length: 5\r\n", chunked),
                ("a folded line", "X: y\r\n Transfer-Encoding: chunked\r\n", chunked),
                ("a bare line feed", "X: y\nTransfer-Encoding: chunked\r\n", chunked),
            ]:
                for where, address in (("through the proxy", PROXY), ("directly", DIRECT)):
                    found = statuses(exchange(address, post("/api/auth/login", body, more)))
                    # The body of exactly its length is read as a body, or the request is refused.
                    assert len(found) <= 1 and all(400 <= status < 500 or status == 501 for status in found), (name, where, found)
            log.flush()
            log.seek(0)
            assert "/api/smuggled" not in log.read()
            print("  smuggled requests: none reached the service")

            # A body that arrives in two parts is one body.
            body = json.dumps({"name": "ana", "password": "correct horse"})
            assert statuses(exchange(PROXY, post("/api/auth/login", body), "127.0.0.3", pause=2)) == [200]
            # Many requests on one connection to the proxy are each answered, and for who sent them.
            many = post("/api/auth/login", body, close=False) * 20 + post("/api/auth/login", body)
            found = statuses(exchange(PROXY, many, "127.0.0.3"))
            assert found == [200] * 21, found
            # A path that the proxy and the service could read differently is no way around the proof.
            for path in ["/api//accounts", "/api/./accounts", "/api/x/../accounts", "/api/%2e%2e/api/accounts", "/API/accounts", "//api/accounts", "/api/accounts%00", "/api/accounts;x"]:
                found = statuses(exchange(PROXY, f"GET {path} HTTP/1.1\r\nHost: finance\r\nConnection: close\r\n\r\n".encode()))
                assert len(found) == 1 and (400 <= found[0] < 500 or found == [200] and path == "//api/accounts"), (path, found)
            print("  slow bodies, many requests on one connection, odd paths: as without a proxy")
        finally:
            proxy.terminate(), service.terminate()
            proxy.wait(), service.wait()
    print("passed")


main(sys.argv[1], sys.argv[2])
