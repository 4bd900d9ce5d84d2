"""Called by rebinding.sh: a DNS server, receivers on a public and a private address, and the service that sends to their name."""

import json
import os
import socket
import struct
import subprocess
import sys
import threading
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PUBLIC, PRIVATE = os.environ["PUBLIC"], "127.0.0.1"
AT = "http://" + os.environ["FINANCE_BIND"]
WAIT_SECONDS = 60

# What the DNS server answers next. The last answer of a list stays.
answers = []
asked = []
hits = []


def dns():
    """Answers each question of type A with the next list of addresses, with a time to live of zero."""
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind(("127.0.0.1", 53))
    while True:
        question, client = server.recvfrom(512)
        end = question.index(b"\0", 12) + 5
        is_a = question[end - 4 : end - 2] == b"\0\1"
        found = []
        if is_a:
            found = answers.pop(0) if len(answers) > 1 else answers[0]
            asked.append(found)
        head = question[:2] + b"\x81\x80\0\1" + struct.pack(">H", len(found)) + b"\0\0\0\0" + question[12:end]
        records = (b"\xc0\x0c\0\1\0\1\0\0\0\0\0\4" + socket.inet_aton(address) for address in found)
        server.sendto(head + b"".join(records), client)


class Receiver(BaseHTTPRequestHandler):
    """Notes the address at which a request arrives."""

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        hits.append(self.server.server_address[0])
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


def api(method, path, body=None, token=None):
    headers = {"Content-Type": "application/json"} | ({"Authorization": "Bearer " + token} if token else {})
    request = urllib.request.Request(AT + path, json.dumps(body).encode() if body else None, headers, method=method)
    with urllib.request.urlopen(request) as answer:
        text = answer.read()
        return json.loads(text) if text else None


def until(what, check):
    end = time.monotonic() + WAIT_SECONDS
    while not (found := check()):
        assert time.monotonic() < end, f"not within {WAIT_SECONDS} s: {what}"
        time.sleep(0.05)
    return found


def main(program):
    threading.Thread(target=dns, daemon=True).start()
    for address in (PUBLIC, PRIVATE):
        threading.Thread(target=ThreadingHTTPServer((address, 80), Receiver).serve_forever, daemon=True).start()
    subprocess.run([program, "create-user", "--name", "ana"], input=b"correct horse\n", check=True)
    service = subprocess.Popen([program, "serve"], stdout=subprocess.PIPE)
    assert b"listening on" in service.stdout.readline()
    try:
        token = api("POST", "/api/auth/login", {"name": "ana", "password": "correct horse"})["token"]
        answers[:] = [[PUBLIC]]
        hook = {"url": "http://rebinding.example/hook", "events": ["transaction.created"]}
        webhook = api("POST", "/api/webhooks", hook, token)["id"]
        for what, next_answers, is_sent in [
            ("the public address", [[PUBLIC]], True),
            ("a private address", [[PRIVATE]], False),
            ("both addresses", [[PUBLIC, PRIVATE]], False),
            ("both addresses, the private one first", [[PRIVATE, PUBLIC]], False),
            ("first the public address, then a private one", [[PUBLIC], [PRIVATE]], True),
            ("the public address again", [[PUBLIC]], True),
        ]:
            hits.clear(), asked.clear()
            answers[:] = next_answers
            row = {"type": "expense", "date": "2026-03-01", "description": what, "amount": "1.00"}
            api("POST", "/api/transactions", row, token)
            newest = lambda: api("GET", f"/api/webhooks/{webhook}/deliveries", token=token)[0]
            seen = getattr(main, "seen", 0)
            told = until(what, lambda: (d := newest())["id"] > seen and d["attempts"] > 0 and d)
            main.seen = told["id"]
            print(f"  {what}: asked {len(asked)} times, arrived at {hits or 'no address'}, {told['state']}", told.get("failure") or "")
            assert hits == ([PUBLIC] if is_sent else []), (what, hits)
            # A name that is asked for twice could give another answer the second time.
            assert len(asked) == 1, (what, asked)
    finally:
        service.terminate()
        service.wait()
    print("passed: nothing arrived at a private address, and each delivery asked for the name once")


main(sys.argv[1])
