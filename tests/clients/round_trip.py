"""One round trip with the Python client: what the types say is what the service does."""

import datetime
import os

from finance_client import AuthenticatedClient, Client
from finance_client.api.auth import auth_login
from finance_client.api.categories import categories_create
from finance_client.api.transactions import transactions_create, transactions_list
from finance_client.models import CategoryBody, LoginBody, Problem, TransactionBody, TransactionType

# An amount that no binary float can hold.
AMOUNT = "9999999999.99"


def answered(reply):
    """The answer, or an error with the problem's code."""
    if reply is None or isinstance(reply, Problem):
        raise SystemExit(f"refused: {reply}")
    return reply


def equal(left, right, what):
    if left != right:
        raise SystemExit(f"{what}: {left!r} is not {right!r}")


base_url = os.environ["FINANCE_URL"]
body = LoginBody(name=os.environ["FINANCE_USER"], password=os.environ["FINANCE_PASSWORD"])
login = answered(auth_login.sync(client=Client(base_url=base_url), body=body))
client = AuthenticatedClient(base_url=base_url, token=login.token)

category = answered(categories_create.sync(client=client, body=CategoryBody(name="Python")))
bought = TransactionBody(
    type_=TransactionType.EXPENSE,
    date=datetime.date(2026, 1, 31),
    description="Padaria",
    amount=AMOUNT,
    category_id=category.id,
)
first = transactions_create.sync_detailed(client=client, body=bought, idempotency_key="python-1")
second = transactions_create.sync_detailed(client=client, body=bought, idempotency_key="python-1")
equal(answered(second.parsed).id, answered(first.parsed).id, "sent twice, done once")
equal(second.headers.get("Idempotency-Replayed"), "true", "replayed")

listed = answered(transactions_list.sync(client=client, category_id=category.id, month="2026-01"))
equal(len(listed), 1, "listed")
equal(listed[0].amount, AMOUNT, "the amount, digit by digit")
equal(listed[0].date, bought.date, "the date")

# A number is an amount too; one that is not is told by field.
bought.amount = 12.5
equal(answered(transactions_create.sync(client=client, body=bought)).amount, "12.50", "a number")
bought.amount = "12.345"
refused = transactions_create.sync(client=client, body=bought)
equal(refused.code, "ErrValidation", "the problem's code")
equal(refused.errors[0].field, "amount", "the problem's field")
print(f"Python: {AMOUNT} came back as it was sent")
