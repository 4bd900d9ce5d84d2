"""Makes a household by the API, and stores its feed beside what the API says that has to be in it.

household.py URL FOLDER, with the password in FINANCE_PASSWORD. Today is 2026-03-15.
"""

import json
import os
import sys
from datetime import date
from pathlib import Path
from urllib.request import Request, urlopen

FIRST, LAST = date(2026, 2, 15), date(2027, 3, 15)
# Everything that has a meaning in the format, letters of two to four bytes, and more than a line holds.
LONG = "Ração, areia; 50% \\ à vista: \"família\" 👩‍👩‍👧‍👦 e São João 🎉, " + "açaí" * 20
NAMES = [LONG, "BEGIN:VEVENT", "x" * 63 + "😀" * 20, "a,b;c\\n,d\\,e", "Água"]

url, folder = sys.argv[1], Path(sys.argv[2])
token = None


def ask(method, path, body=None):
    """The JSON of the answer, or its bytes."""
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
    data = None if body is None else json.dumps(body).encode()
    with urlopen(Request(url + path, data, headers, method=method)) as answer:
        content = answer.read()
        return json.loads(content) if "json" in answer.headers["Content-Type"] else content


def reais(amount):
    """`R$ 1.234,50` for `1234.50`."""
    return "R$ " + f"{float(amount):,.2f}".translate(str.maketrans(",.", ".,"))


def months():
    """The months of the feed."""
    month = FIRST.replace(day=1)
    while month <= LAST:
        yield f"{month:%Y-%m}"
        month = month.replace(year=month.year + month.month // 12, month=month.month % 12 + 1)


def clamped(month, day):
    """That day of the month, or its last one."""
    while True:
        try:
            return date.fromisoformat(f"{month}-{day:02}")
        except ValueError:
            day -= 1


def expected():
    """What is due by the API, by the ids of the events: the day, the text, and the text with its amount."""
    accounts = {account["id"]: account["name"] for account in ask("GET", "/api/accounts")}
    found = {}

    def add(identity, day, text, amount):
        if FIRST <= day <= LAST:
            found[f"{identity}.profile-{profile}@finance"] = [str(day), text, f"{text}, {reais(amount)}"]

    for bill in ask("GET", "/api/credit-bills"):
        if float(bill["amount_due"]) > 0:
            due = date.fromisoformat(bill["due_date"])
            add(f"bill-{bill['id']}", due, f"Fatura: {accounts[bill['account_id']]}", bill["amount_due"])
    for held in ask("GET", "/api/pending-bills"):
        day = date.fromisoformat(held["payment_date"])
        add(f"pending-bill-{held['id']}", day, f"Fatura a confirmar: {accounts[held['account_id']]}", held["total"])
    for month in months():
        for item in ask("GET", f"/api/recurring?month={month}"):
            if item["status"] in ("pending", "late"):
                word = "A receber" if item["type"] == "income" else "A pagar"
                day, text = clamped(month, item["day"]), f"{word}: {item['description']}"
                add(f"recurring-{item['id']}-{month}", day, text, item["amount"])
    return found


def store(name):
    """The feed without amounts and with them, and what has to be in both."""
    address = f"/calendar.ics?token={calendar}"
    (folder / f"{name}.ics").write_bytes(ask("GET", address))
    (folder / f"{name}-amounts.ics").write_bytes(ask("GET", f"{address}&amounts=1"))
    (folder / f"{name}.json").write_text(json.dumps(expected()))


login = ask("POST", "/api/auth/login", {"name": "ana", "password": os.environ["FINANCE_PASSWORD"]})
token, profile = login["token"], login["profile"]["id"]
calendar = ask("POST", "/api/tokens", {"name": "phone", "scopes": ["calendar"]})["token"]
store("empty")
category = ask("POST", "/api/categories", {"name": "Tudo"})["id"]
for at, name in enumerate(NAMES):
    card = ask("POST", "/api/accounts", {"name": name[:100], "kind": "credit", "closing_day": 20, "due_day": 27})["id"]
    for day, amount in [("2026-02-01", "1234567.89"), ("2026-03-01", f"{at + 1}.05")]:
        row = {"type": "expense", "date": day, "description": "x", "amount": amount, "account_id": card}
        ask("POST", "/api/transactions", row)
    held = {"account_id": card, "is_credit_card": True, "payment_date": "2026-04-27", "format": "csv"}
    row = {"date": "2026-03-05", "description": "Livro", "amount": "50", "type": "expense"}
    ask("POST", "/api/import/confirm", held | {"rows": [row]})
    kind = "income" if at % 2 else "expense"
    item = {"type": kind, "description": name[:255], "amount": str(900 + at * 500), "category_id": category}
    ask("POST", "/api/recurring", item | {"day": 31 - at * 7})
store("before")
bill = next(bill for bill in ask("GET", "/api/credit-bills") if bill["due_date"] == "2026-03-27")
ask("POST", f"/api/credit-bills/{bill['id']}/pay", {})
(folder / "paid.txt").write_text(f"bill-{bill['id']}.profile-{profile}@finance")
store("after")
