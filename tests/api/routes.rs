//! All routes of the API, each with a valid request and the rows that it refers to.

use finance_tests::{Client, Form, Reply, ofx, totp};
use serde_json::{Value, json};
use ureq::http::Method;

use crate::household::Household;
use crate::notices::subscription;

/// An id that does not exist.
pub(crate) const NEVER_ISSUED: i64 = 9_000_000_000;

/// The day of a balance that a file of the household states.
pub(crate) const ANCHORED: &str = "2026-03-04";

/// The payload of a request.
#[derive(Clone)]
pub(crate) enum Payload {
    Nothing,
    Json(Value),
    /// A statement, with these text fields.
    Statement(Vec<(String, String)>),
}

/// A field of a route's payload that refers to a row of the profile.
pub(crate) struct Reference {
    /// The name of the field in a validation error.
    pub(crate) field: &'static str,
    /// Ana's row.
    pub(crate) anas: i64,
}

/// A route, a valid request of Bia, and the places that can have one of Ana's ids.
pub(crate) struct Route {
    pub(crate) method: Method,
    pub(crate) template: &'static str,
    /// Ana's row, if the path has an id.
    pub(crate) anas: Option<i64>,
    /// Bia's row, if the path has an id.
    pub(crate) bias: Option<i64>,
    /// The query of a valid request.
    query: &'static str,
    pub(crate) payload: Payload,
    pub(crate) references: Vec<Reference>,
    /// Query parameters that refer to a row. With Ana's id they find nothing.
    pub(crate) filters: Vec<(&'static str, i64)>,
    /// The answer if nothing is found.
    pub(crate) nothing: Value,
}

impl Route {
    fn new(method: Method, template: &'static str) -> Self {
        Route {
            method,
            template,
            anas: None,
            bias: None,
            query: "",
            payload: Payload::Nothing,
            references: Vec::new(),
            filters: Vec::new(),
            nothing: json!([]),
        }
    }

    fn rows(mut self, anas: i64, bias: i64) -> Self {
        (self.anas, self.bias) = (Some(anas), Some(bias));
        self
    }

    fn query(mut self, query: &'static str) -> Self {
        self.query = query;
        self
    }

    fn json(mut self, body: Value) -> Self {
        self.payload = Payload::Json(body);
        self
    }

    fn statement(mut self) -> Self {
        self.payload = Payload::Statement(Vec::new());
        self
    }

    fn refers(mut self, field: &'static str, anas: i64) -> Self {
        self.references.push(Reference { field, anas });
        self
    }

    fn filters(mut self, name: &'static str, anas: i64) -> Self {
        self.filters.push((name, anas));
        self
    }

    fn finds_nothing(mut self, nothing: Value) -> Self {
        self.nothing = nothing;
        self
    }

    pub(crate) fn path(&self, id: Option<i64>) -> String {
        let path = match id {
            Some(id) => {
                self.template.replace("{id}", &id.to_string()).replace("{delivery_id}", "1").replace("{date}", ANCHORED)
            }
            None => self.template.replace("{month}", "2026-03"),
        };
        format!("{path}{}", self.query)
    }

    pub(crate) fn call(&self, client: &Client, path: &str, payload: &Payload) -> Reply {
        match payload {
            Payload::Nothing => client.send(self.method.clone(), path, None, Vec::new()),
            Payload::Json(body) => {
                client.send(self.method.clone(), path, Some("application/json"), body.to_string().into_bytes())
            }
            Payload::Statement(texts) => {
                let form = Form::new().file("x.ofx", &ofx(&[("20260306", "-5.00", "F9", "Café")]));
                client.post_form(path, texts.iter().fold(form, |form, (name, value)| form.text(name, value)))
            }
        }
    }
}

/// All routes that require a token.
pub(crate) fn routes(ana: &Household, bia: &Household) -> Vec<Route> {
    let (get, post, put, delete) = (Method::GET, Method::POST, Method::PUT, Method::DELETE);
    let route = |method: &Method, template| Route::new(method.clone(), template);
    let category = json!({ "name": "Casa nova" });
    let account = json!({ "name": "Carteira", "kind": "current" });
    let transaction = json!({ "type": "expense", "date": "2026-03-02", "description": "Pão", "amount": "8",
        "category_id": bia.category, "account_id": bia.account });
    let transfer =
        json!({ "from_account_id": bia.account, "to_account_id": bia.savings, "amount": "1", "date": "2026-03-03" });
    let import = json!({ "account_id": bia.account, "format": "ofx", "rows": [{ "date": "2026-03-07", "description": "Chá",
        "amount": "4", "type": "expense", "category_id": bia.category }] });
    let recurring = json!({ "type": "income", "description": "Aluguel", "amount": "900", "category_id": bia.category,
        "account_id": bia.account, "day": 7 });
    let rule = json!({ "name": "Agrados", "conditions": [{ "field": "account_id", "op": "eq", "value": bia.account }],
        "actions": [{ "action": "set_category", "category_id": bia.category }] });
    let installments = json!({ "account_id": bia.card, "description": "Fogão", "date": "2026-03-08", "count": 3,
        "total_amount": "90", "category_id": bia.category });
    let password = json!({ "password": finance_tests::PASSWORD });
    let begun = bia.client.post("/api/auth/second-factor", password.clone()).created();
    let code = totp(begun["secret"].as_str().expect("a secret"), time::OffsetDateTime::now_utc());
    vec![
        // This route is first, while the code is valid. It ends Bia's login, as the next one does: their answers have a new one.
        route(&post, "/api/auth/second-factor/confirm").json(json!({ "code": code })),
        route(&delete, "/api/auth/second-factor").json(password.clone()),
        route(&post, "/api/auth/second-factor").json(password),
        route(&get, "/api/auth/me"),
        route(&get, "/api/auth/sessions"),
        route(&delete, "/api/auth/sessions/{id}").rows(ana.session, bia.session),
        route(&get, "/api/tokens"),
        route(&post, "/api/tokens").json(json!({ "name": "cron", "scopes": ["write"] })),
        route(&delete, "/api/tokens/{id}").rows(ana.token, bia.token),
        route(&get, "/api/webhooks"),
        route(&post, "/api/webhooks").json(json!({ "url": "https://hooks.example/b", "events": ["bill.due"] })),
        route(&get, "/api/webhooks/{id}/deliveries").rows(ana.webhook, bia.webhook),
        route(&post, "/api/webhooks/{id}/deliveries/{delivery_id}/send").rows(ana.webhook, bia.webhook),
        route(&delete, "/api/webhooks/{id}").rows(ana.webhook, bia.webhook),
        route(&get, "/api/changes").filters("transaction_id", ana.transaction).filters("member_id", ana.member),
        route(&get, "/api/changes/{id}").rows(ana.change, bia.change),
        route(&post, "/api/changes/{id}/undo").rows(ana.change, bia.change),
        route(&get, "/api/transactions/{id}/changes").rows(ana.transaction, bia.transaction),
        route(&get, "/api/members"),
        route(&get, "/api/members/invitations"),
        route(&post, "/api/members/invitations").json(json!({ "role": "editor" })),
        route(&delete, "/api/members/invitations/{id}").rows(ana.invitation, bia.invitation),
        route(&post, "/api/members/{id}/password-link").rows(ana.member, bia.member),
        route(&put, "/api/members/{id}").rows(ana.member, bia.member).json(json!({ "role": "editor" })),
        route(&delete, "/api/members/{id}").rows(ana.member, bia.member),
        route(&get, "/api/categories"),
        route(&post, "/api/categories").json(category.clone()),
        route(&get, "/api/categories/{id}").rows(ana.category, bia.category),
        route(&put, "/api/categories/{id}").rows(ana.category, bia.category).json(category),
        route(&delete, "/api/categories/{id}").rows(ana.category, bia.category),
        route(&get, "/api/budgets/{month}"),
        route(&put, "/api/budgets/{month}")
            .json(json!({ "budgets": [{ "category_id": bia.category, "amount": "300" }] }))
            .refers("budgets[0].category_id", ana.category),
        route(&post, "/api/budgets/{month}/fill")
            .json(json!({ "from": "previous", "category_ids": [bia.category] }))
            .refers("category_ids[0]", ana.category),
        route(&get, "/api/accounts"),
        route(&post, "/api/accounts").json(account.clone()),
        route(&get, "/api/accounts/{id}").rows(ana.account, bia.account),
        route(&get, "/api/accounts/{id}/balances").rows(ana.account, bia.account),
        route(&get, "/api/accounts/{id}/yields").rows(ana.account, bia.account),
        route(&put, "/api/accounts/{id}").rows(ana.account, bia.account).json(account),
        route(&delete, "/api/accounts/{id}").rows(ana.account, bia.account),
        route(&get, "/api/accounts/{id}/keys").rows(ana.account, bia.account),
        route(&delete, "/api/accounts/{id}/keys").rows(ana.account, bia.account),
        route(&get, "/api/accounts/{id}/anchors").rows(ana.account, bia.account),
        route(&get, "/api/accounts/{id}/anchors/{date}").rows(ana.account, bia.account),
        route(&put, "/api/accounts/{id}/anchors/{date}").rows(ana.account, bia.account).json(json!({ "amount": "1" })),
        route(&delete, "/api/accounts/{id}/anchors/{date}").rows(ana.account, bia.account),
        route(&post, "/api/accounts/{id}/anchors/{date}/adjust").rows(ana.account, bia.account),
        route(&get, "/api/transactions")
            .filters("account_id", ana.account)
            .filters("category_id", ana.category)
            .filters("import_id", ana.import)
            .filters("bill_id", ana.bill),
        route(&get, "/api/transactions/descriptions"),
        route(&get, "/api/tags"),
        route(&get, "/api/transactions/summary")
            .filters("account_id", ana.account)
            .filters("category_id", ana.category)
            .filters("import_id", ana.import)
            .filters("bill_id", ana.bill)
            .finds_nothing(json!({ "count": 0, "income": "0.00", "expenses": "0.00" })),
        route(&post, "/api/transactions")
            .json(transaction.clone())
            .refers("category_id", ana.category)
            .refers("account_id", ana.account),
        route(&get, "/api/transactions/{id}").rows(ana.transaction, bia.transaction),
        route(&put, "/api/transactions/{id}")
            .rows(ana.transaction, bia.transaction)
            .json(transaction)
            .refers("category_id", ana.category)
            .refers("account_id", ana.account),
        route(&delete, "/api/transactions/{id}").rows(ana.transaction, bia.transaction),
        route(&post, "/api/transfers")
            .json(transfer)
            .refers("from_account_id", ana.account)
            .refers("to_account_id", ana.savings),
        route(&get, "/api/transfers/suggestions"),
        route(&post, "/api/transfers/reject")
            .json(json!({ "from_id": bia.sent, "to_id": bia.received }))
            .refers("from_id", ana.sent)
            .refers("to_id", ana.received),
        route(&post, "/api/transfers/link")
            .json(json!({ "from_id": bia.sent, "to_id": bia.received }))
            .refers("from_id", ana.sent)
            .refers("to_id", ana.received),
        route(&post, "/api/transfers/detect").json(json!({})),
        route(&post, "/api/transfers/{id}/unlink").rows(ana.linked, bia.linked),
        route(&get, "/api/transfers/{id}").rows(ana.transfer, bia.transfer),
        route(&delete, "/api/transfers/{id}").rows(ana.transfer, bia.transfer),
        route(&post, "/api/entries/parse").json(json!({ "text": "mercado 54,90" })),
        route(&post, "/api/import/preview").statement().refers("account_id", ana.account),
        route(&post, "/api/import/confirm")
            .json(import)
            .refers("account_id", ana.account)
            .refers("inbox_id", ana.inbox)
            .refers("rows[0].category_id", ana.category),
        route(&post, "/api/inbox").statement(),
        route(&get, "/api/inbox"),
        route(&get, "/api/inbox/{id}").rows(ana.inbox, bia.inbox),
        route(&get, "/api/inbox/{id}/file").rows(ana.inbox, bia.inbox),
        route(&put, "/api/inbox/{id}").rows(ana.inbox, bia.inbox).json(json!({ "state": "dismissed" })),
        route(&delete, "/api/inbox/{id}").rows(ana.inbox, bia.inbox),
        route(&get, "/api/imports"),
        route(&delete, "/api/imports/{id}").rows(ana.import, bia.import),
        route(&get, "/api/rules"),
        route(&post, "/api/rules")
            .json(rule.clone())
            .refers("conditions[0].value", ana.account)
            .refers("actions[0].category_id", ana.category),
        route(&post, "/api/rules/test")
            .json(rule.clone())
            .refers("conditions[0].value", ana.account)
            .refers("actions[0].category_id", ana.category),
        route(&post, "/api/rules/apply").json(json!({ "rule_ids": [bia.rule] })).refers("rule_ids[0]", ana.rule),
        route(&get, "/api/rules/{id}").rows(ana.rule, bia.rule),
        route(&put, "/api/rules/{id}")
            .rows(ana.rule, bia.rule)
            .json(rule)
            .refers("conditions[0].value", ana.account)
            .refers("actions[0].category_id", ana.category),
        route(&delete, "/api/rules/{id}").rows(ana.rule, bia.rule),
        route(&get, "/api/pending-bills"),
        route(&get, "/api/pending-bills/{id}").rows(ana.pending_bill, bia.pending_bill),
        route(&post, "/api/pending-bills/{id}/confirm").rows(ana.pending_bill, bia.pending_bill),
        route(&delete, "/api/pending-bills/{id}").rows(ana.pending_bill, bia.pending_bill),
        route(&get, "/api/credit-bills").filters("account_id", ana.card),
        route(&delete, "/api/credit-bills/changed"),
        route(&get, "/api/credit-bills/upcoming").filters("account_id", ana.card),
        route(&get, "/api/credit-bills/{id}").rows(ana.bill, bia.bill),
        route(&put, "/api/credit-bills/{id}").rows(ana.bill, bia.bill).json(json!({})),
        route(&post, "/api/credit-bills/{id}/pay")
            .rows(ana.bill, bia.bill)
            .json(json!({}))
            .refers("account_id", ana.account),
        route(&post, "/api/credit-bills/{id}/unpay").rows(ana.bill, bia.bill),
        route(&get, "/api/installments").filters("account_id", ana.card),
        route(&post, "/api/installments")
            .json(installments)
            .refers("account_id", ana.card)
            .refers("category_id", ana.category),
        route(&get, "/api/installments/{id}").rows(ana.plan, bia.plan),
        route(&put, "/api/installments/{id}").json(json!({ "ended": true })).rows(ana.plan, bia.plan),
        route(&delete, "/api/installments/{id}").rows(ana.plan, bia.plan),
        route(&get, "/api/recurring"),
        route(&post, "/api/recurring")
            .json(recurring.clone())
            .refers("category_id", ana.category)
            .refers("account_id", ana.account),
        route(&get, "/api/recurring/occurrences"),
        route(&get, "/api/recurring/templates"),
        route(&get, "/api/recurring/suggestions"),
        // No suggestion has such an id.
        route(&post, "/api/recurring/suggestions/{id}/accept")
            .rows(ana.recurring, bia.recurring)
            .json(json!({ "category_id": bia.category })),
        route(&post, "/api/recurring/suggestions/{id}/reject").rows(ana.recurring, bia.recurring),
        route(&post, "/api/recurring/parse").json(json!({ "text": crate::recurring::BOLETO })),
        route(&get, "/api/recurring/{id}").rows(ana.recurring, bia.recurring),
        route(&put, "/api/recurring/{id}")
            .rows(ana.recurring, bia.recurring)
            .json(recurring)
            .refers("category_id", ana.category)
            .refers("account_id", ana.account),
        route(&delete, "/api/recurring/{id}").rows(ana.recurring, bia.recurring),
        route(&post, "/api/recurring/{id}/confirm")
            .rows(ana.recurring, bia.recurring)
            .json(json!({}))
            .refers("account_id", ana.account),
        route(&post, "/api/recurring/{id}/late").rows(ana.recurring, bia.recurring),
        route(&post, "/api/recurring/{id}/unlate").rows(ana.recurring, bia.recurring),
        route(&post, "/api/recurring/{id}/ignore").rows(ana.recurring, bia.recurring),
        route(&post, "/api/recurring/{id}/unignore").rows(ana.recurring, bia.recurring),
        route(&post, "/api/recurring/{id}/link")
            .rows(ana.recurring, bia.recurring)
            .json(json!({ "transaction_ids": [bia.transaction] })),
        route(&post, "/api/recurring/{id}/unlink").rows(ana.recurring, bia.recurring),
        route(&get, "/api/dashboard"),
        route(&get, "/api/forecast"),
        route(&get, "/api/net-worth"),
        route(&get, "/api/reports/irpf"),
        route(&get, "/api/reports/flow"),
        route(&get, "/api/reports/year"),
        route(&get, "/api/export"),
        // This is refused, because Bia's profile has data.
        route(&post, "/api/restore").json(bia.client.get("/api/export").ok()),
        route(&get, "/api/gamification/profile"),
        route(&get, "/api/gamification/xp-events"),
        route(&get, "/api/gamification/quests"),
        route(&get, "/api/gamification/achievements"),
        route(&get, "/api/gamification/cosmetics"),
        route(&get, "/api/gamification/appearance"),
        route(&put, "/api/gamification/appearance")
            .json(json!({ "skin": "deep", "hair_style": "coily", "body": "broad" })),
        // Cosmetics are in the catalog and belong to no profile.
        route(&post, "/api/gamification/cosmetics/{id}/equip").rows(NEVER_ISSUED + 1, 1),
        route(&post, "/api/gamification/cosmetics/{id}/unequip").rows(NEVER_ISSUED + 1, 1),
        route(&get, "/api/notices"),
        route(&post, "/api/notices/read").json(json!({})),
        route(&get, "/api/notices/preferences"),
        route(&put, "/api/notices/preferences").json(json!({ "hour": "08:00" })),
        route(&post, "/api/notices/{id}/snooze").rows(ana.notice, bia.notice).json(json!({ "until": null })),
        route(&get, "/api/notices/devices"),
        route(&post, "/api/notices/devices").json(subscription("http://127.0.0.1:9/another")),
        route(&post, "/api/notices/devices/{id}/test").rows(ana.device, bia.device),
        route(&delete, "/api/notices/devices/{id}").rows(ana.device, bia.device),
        route(&post, "/api/notices/email/confirm").json(json!({ "code": bia.code })),
        route(&post, "/api/notices/email").json(json!({ "address": "outra@example.com" })),
        route(&delete, "/api/notices/email"),
        route(&get, "/api/settings"),
        route(&put, "/api/settings").json(json!({ "savings_goal_pct": 55 })),
        route(&get, "/api/transactions/{id}/payee").rows(ana.transaction, bia.transaction),
        route(&post, "/api/transactions/update")
            .json(json!({ "ids": [bia.transaction], "category_id": bia.category, "account_id": bia.account }))
            .refers("ids[0]", ana.transaction)
            .refers("category_id", ana.category)
            .refers("account_id", ana.account),
        route(&post, "/api/transactions/delete")
            .json(json!({ "ids": [bia.transaction] }))
            .refers("ids[0]", ana.transaction),
        route(&delete, "/api/transactions").query("?month=2026-03"),
        route(&post, "/api/logout"),
        // This route is last, because it revokes Bia's token.
        route(&post, "/api/auth/change-password")
            .json(json!({ "current_password": finance_tests::PASSWORD, "new_password": "battery staple" })),
    ]
}

/// The routes without a token. All others are in the table.
pub(crate) const PUBLIC: [(&str, &str); 9] = [
    ("POST", "/api/auth/login"),
    ("POST", "/api/auth/renew"),
    ("POST", "/api/auth/accept"),
    ("GET", "/api/openapi.json"),
    ("GET", "/healthz"),
    ("GET", "/readyz"),
    ("GET", "/docs"),
    ("GET", "/docs/{file}"),
    ("GET", "/sprites/{name}.svg"),
];

/// The route that ends the sessions of its caller, and of nobody else.
pub(crate) const ENDS_SESSIONS: (&str, &str) = ("DELETE", "/api/auth/sessions");

/// The route with a token in its address.
pub(crate) const CALENDAR: (&str, &str) = ("GET", "/calendar.ics");
