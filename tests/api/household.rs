//! A profile with one row of everything.

use finance_domain::credentials::Role;
use finance_tests::{Client, Form, PASSWORD, TestApp, ofx};
use serde_json::{Value, json};

use crate::notices::subscription;

/// A profile with one row of everything, and their ids.
pub(crate) struct Household {
    pub(crate) client: Client,
    pub(crate) category: i64,
    pub(crate) account: i64,
    pub(crate) savings: i64,
    pub(crate) card: i64,
    pub(crate) transaction: i64,
    pub(crate) transfer: i64,
    pub(crate) import: i64,
    pub(crate) bill: i64,
    pub(crate) pending_bill: i64,
    pub(crate) recurring: i64,
    /// A rule about the account and the category.
    pub(crate) rule: i64,
    /// A purchase by instalments.
    pub(crate) plan: i64,
    /// Two transactions that may be a transfer.
    pub(crate) sent: i64,
    pub(crate) received: i64,
    /// A transfer of two transactions that were linked.
    pub(crate) linked: i64,
    /// A token.
    pub(crate) token: i64,
    /// A webhook, and a delivery to it.
    pub(crate) webhook: i64,
    pub(crate) delivery: i64,
    /// Another member, with the role viewer.
    pub(crate) member: i64,
    /// An open invitation.
    pub(crate) invitation: i64,
    /// A session.
    pub(crate) session: i64,
    /// A change that can be undone.
    pub(crate) change: i64,
    /// A notice of the member.
    pub(crate) notice: i64,
    /// A device of the member.
    pub(crate) device: i64,
    /// The code that confirms the address of the member.
    pub(crate) code: String,
    /// A file in the inbox.
    pub(crate) inbox: i64,
}

impl Household {
    /// Creates the profile and its rows, all in March 2026.
    pub(crate) fn new(app: &TestApp, name: &str) -> Self {
        let client = app.user(name);
        app.anyone().post("/api/auth/login", json!({ "name": name, "password": PASSWORD })).ok();
        let make = |path: &str, body: Value| client.post(path, body).created();
        let category = id(&make("/api/categories", json!({ "name": "Pets", "monthly_budget": "250" }))["id"]);
        let account = make("/api/accounts", json!({ "name": "Banco", "kind": "current", "opening_balance": "1000" }));
        let account = id(&account["id"]);
        let savings = id(&make("/api/accounts", json!({ "name": "Poupança", "kind": "savings" }))["id"]);
        let card =
            make("/api/accounts", json!({ "name": "Cartão", "kind": "credit", "closing_day": 20, "due_day": 27 }));
        let (card, bill) = (id(&card["id"]), id(&card["current_bill"]["id"]));
        let transaction = make(
            "/api/transactions",
            json!({ "type": "expense", "date": "2026-03-02", "description": "Ração", "amount": "80",
                "category_id": category, "account_id": card, "external_id": "manual-1", "tags": ["Bicho"],
                "note": "Saco grande" }),
        );
        let transfer = make(
            "/api/transfers",
            json!({ "from_account_id": account, "to_account_id": savings, "amount": "100", "date": "2026-03-03" }),
        );
        let preview = client.preview(&ofx(&[("20260304", "-12.34", "F1", "Padaria")])).ok();
        let imported = make(
            "/api/import/confirm",
            json!({ "account_id": account, "format": "ofx", "rows": preview["rows"],
                "statements": [{ "index": 0, "ref": "0".repeat(64), "hint": "11-1", "balance": { "date": "2026-03-04", "amount": "887.66" } }],
                "rejected": [{ "line": 9, "code": "pending_transaction", "date": "2026-03-04", "amount": "3",
                    "type": "expense", "description": "Reserva" }] }),
        );
        let held = client.post(
            "/api/import/confirm",
            json!({ "account_id": card, "is_credit_card": true, "payment_date": "2026-03-27", "format": "csv",
                "rows": [{ "date": "2026-03-05", "description": "Livro", "amount": "50", "type": "expense" }] }),
        );
        let recurring = make(
            "/api/recurring",
            json!({ "type": "income", "description": "Salário", "amount": "5000", "category_id": category,
                "account_id": account, "day": 5 }),
        );
        let plan = make(
            "/api/installments",
            json!({ "account_id": card, "description": "Geladeira", "date": "2026-03-04", "count": 3, "total_amount": "300" }),
        );
        let rule = make(
            "/api/rules",
            json!({ "name": "Petiscos", "match": "all",
                "conditions": [{ "field": "account_id", "op": "eq", "value": account },
                    { "field": "description", "op": "contains", "value": "Petiscos" },
                    { "field": "amount", "op": "between", "value": ["1.00", "9.00"] },
                    { "field": "day", "op": "between", "value": [1, 31] },
                    { "field": "type", "op": "eq", "value": "expense" }],
                "actions": [{ "action": "set_category", "category_id": category },
                    { "action": "rename", "description": "Agrado" }] }),
        );
        let webhook = json!({ "url": "https://hooks.example/a", "events": ["transaction.created"] });
        let webhook = id(&make("/api/webhooks", webhook)["id"]);
        let moved = |kind: &str, account: i64, description: &str, amount: &str| {
            let body = json!({ "type": kind, "date": "2026-03-06", "description": description, "amount": amount,
                "account_id": account });
            id(&make("/api/transactions", body)["id"])
        };
        let (sent, received) =
            (moved("expense", account, "Pix enviado", "8.5"), moved("income", savings, "Pix recebido", "8.5"));
        let (from, to) = (moved("expense", account, "Reserva", "9"), moved("income", savings, "Reserva", "9"));
        let linked = id(&make("/api/transfers/link", json!({ "from_id": from, "to_id": to }))["id"]);
        let token = id(&make("/api/tokens", json!({ "name": "cron", "scopes": ["read"] }))["id"]);
        let deliveries = client.get(&format!("/api/webhooks/{webhook}/deliveries")).ok();
        let delivery = id(&deliveries[0]["id"]);
        make("/api/members/invitations", json!({ "role": "viewer" }));
        let invitation = id(&client.get("/api/members/invitations").ok()[0]["id"]);
        let viewer = app.member(&client, &format!("{name} filha"), Role::Viewer);
        let member = id(&viewer.get("/api/auth/me").ok()["member_id"]);
        let session = id(&client.get("/api/auth/sessions").ok()[0]["id"]);
        let brief = id(&make("/api/categories", json!({ "name": "Breve" }))["id"]);
        let change = client.delete(&format!("/api/categories/{brief}"));
        let change = change.header("Finance-Change").and_then(|id| id.parse().ok()).unwrap_or_default();
        let notice = id(&client.get("/api/notices").ok()[0]["id"]);
        let waiting = Form::new().file("fevereiro.ofx", &ofx(&[("20260205", "-6.00", "F7", "Café")]));
        let inbox = id(&client.post_form("/api/inbox", waiting).created()["id"]);
        let device = id(&make("/api/notices/devices", subscription("http://127.0.0.1:9/device"))["id"]);
        client.post("/api/notices/email", json!({ "address": "ana@example.com" })).expect(202);
        let code = app.rows("select code from notice_deliveries where code is not null order by id desc");
        let code = code[0]["code"].as_str().expect("a code").to_string();
        Household {
            device,
            code,
            inbox,
            change,
            notice,
            session,
            token,
            webhook,
            delivery,
            member,
            invitation,
            sent,
            received,
            linked,
            category,
            account,
            savings,
            card,
            transaction: id(&transaction["id"]),
            transfer: id(&transfer["id"]),
            import: id(&imported["import_id"]),
            bill,
            pending_bill: id(&held.expect(202)["pending_bill"]["id"]),
            recurring: id(&recurring["id"]),
            rule: id(&rule["id"]),
            plan: id(&plan["id"]),
            client,
        }
    }
}

/// The id in an answer.
#[track_caller]
pub(crate) fn id(value: &Value) -> i64 {
    value.as_i64().unwrap_or_else(|| panic!("an id, not {value}"))
}
