//! No profile reaches another's data. Every route of the OpenAPI document is tested; a route that is not in the table below
//! fails the test.

use std::collections::BTreeSet;

use finance_tests::{Client, Form, Reply, TestApp, ofx, totp};
use serde_json::{Value, json};
use ureq::http::Method;

use crate::household::Household;

/// An id that does not exist.
const NEVER_ISSUED: i64 = 9_000_000_000;

/// The payload of a request.
#[derive(Clone)]
pub(crate) enum Payload {
    Nothing,
    Json(Value),
    /// A statement, with these text fields.
    Statement(Vec<(String, String)>),
}

/// A field of a route's payload that refers to a row of the profile.
struct Reference {
    /// The name of the field in a validation error.
    field: &'static str,
    /// Ana's row.
    anas: i64,
}

/// A route, a valid request of Bia, and the places where Ana's ids can be put.
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
    references: Vec<Reference>,
    /// Query parameters that refer to a row. With Ana's id they find nothing.
    filters: Vec<(&'static str, i64)>,
    /// What finding nothing is.
    nothing: Value,
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
            Some(id) => self.template.replace("{id}", &id.to_string()).replace("{delivery_id}", "1"),
            None => self.template.to_string(),
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

/// The payload with the field replaced.
fn smuggled(payload: &Payload, field: &str, id: i64) -> Payload {
    match payload {
        Payload::Nothing => Payload::Json(json!({ field: id })),
        Payload::Json(body) => {
            let mut body = body.clone();
            // `rows[0].amount` is `/rows/0/amount`.
            let pointer = format!("/{}", field.replace('[', "/").replace("].", "/").replace(']', ""));
            match body.pointer_mut(&pointer) {
                Some(value) => *value = json!(id),
                None => body[field] = json!(id),
            }
            Payload::Json(body)
        }
        Payload::Statement(texts) => {
            let text = (field.to_string(), id.to_string());
            Payload::Statement(texts.iter().cloned().chain([text]).collect())
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
    let begun = bia.client.post_nothing("/api/auth/second-factor").created();
    let code = totp(begun["secret"].as_str().expect("a secret"), time::OffsetDateTime::now_utc());
    vec![
        // First, while the code is good.
        route(&post, "/api/auth/second-factor/confirm").json(json!({ "code": code })),
        route(&delete, "/api/auth/second-factor").json(json!({ "password": finance_tests::PASSWORD })),
        route(&post, "/api/auth/second-factor"),
        route(&get, "/api/auth/me"),
        route(&get, "/api/auth/sessions"),
        route(&get, "/api/tokens"),
        route(&post, "/api/tokens").json(json!({ "name": "cron", "scopes": ["write"] })),
        route(&delete, "/api/tokens/{id}").rows(ana.token, bia.token),
        route(&get, "/api/webhooks"),
        route(&post, "/api/webhooks").json(json!({ "url": "https://hooks.example/b", "events": ["bill.due"] })),
        route(&get, "/api/webhooks/{id}/deliveries").rows(ana.webhook, bia.webhook),
        route(&post, "/api/webhooks/{id}/deliveries/{delivery_id}/send").rows(ana.webhook, bia.webhook),
        route(&delete, "/api/webhooks/{id}").rows(ana.webhook, bia.webhook),
        route(&get, "/api/members"),
        route(&post, "/api/members/invitations").json(json!({ "role": "editor" })),
        route(&put, "/api/members/{id}").rows(ana.member, bia.member).json(json!({ "role": "editor" })),
        route(&delete, "/api/members/{id}").rows(ana.member, bia.member),
        route(&get, "/api/categories"),
        route(&post, "/api/categories").json(category.clone()),
        route(&get, "/api/categories/{id}").rows(ana.category, bia.category),
        route(&put, "/api/categories/{id}").rows(ana.category, bia.category).json(category),
        route(&delete, "/api/categories/{id}").rows(ana.category, bia.category),
        route(&get, "/api/accounts"),
        route(&post, "/api/accounts").json(account.clone()),
        route(&get, "/api/accounts/{id}").rows(ana.account, bia.account),
        route(&get, "/api/accounts/{id}/balances").rows(ana.account, bia.account),
        route(&get, "/api/accounts/{id}/yields").rows(ana.account, bia.account),
        route(&put, "/api/accounts/{id}").rows(ana.account, bia.account).json(account),
        route(&delete, "/api/accounts/{id}").rows(ana.account, bia.account),
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
        route(&post, "/api/import/preview").statement().refers("account_id", ana.account),
        route(&post, "/api/import/confirm")
            .json(import)
            .refers("account_id", ana.account)
            .refers("rows[0].category_id", ana.category),
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
        route(&delete, "/api/installments/{id}").rows(ana.plan, bia.plan),
        route(&get, "/api/recurring"),
        route(&post, "/api/recurring")
            .json(recurring.clone())
            .refers("category_id", ana.category)
            .refers("account_id", ana.account),
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
        route(&get, "/api/dashboard"),
        route(&get, "/api/forecast"),
        route(&get, "/api/net-worth"),
        route(&get, "/api/reports/irpf"),
        route(&get, "/api/export"),
        // Bia's profile has data, so that this is refused.
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
        route(&get, "/api/settings"),
        route(&put, "/api/settings").json(json!({ "savings_goal_pct": 55 })),
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
        // Last, because it revokes Bia's token.
        route(&post, "/api/auth/change-password")
            .json(json!({ "current_password": finance_tests::PASSWORD, "new_password": "battery staple" })),
    ]
}

/// The routes without a token; all others are in the table.
const PUBLIC: [(&str, &str); 8] = [
    ("POST", "/api/auth/login"),
    ("POST", "/api/auth/accept"),
    ("GET", "/api/openapi.json"),
    ("GET", "/healthz"),
    ("GET", "/readyz"),
    ("GET", "/docs"),
    ("GET", "/docs/{file}"),
    ("GET", "/sprites/{name}.svg"),
];

/// The route that ends the session of who calls it, and of nobody else.
pub(crate) const ENDS_SESSIONS: (&str, &str) = ("DELETE", "/api/auth/sessions");

/// The route with a token in its address.
const CALENDAR: (&str, &str) = ("GET", "/calendar.ics");

/// The routes of the served document.
fn documented(app: &TestApp) -> BTreeSet<(String, String)> {
    let document = app.anyone().get("/api/openapi.json").ok();
    let mut routes = BTreeSet::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for method in item.as_object().unwrap().keys() {
            routes.insert((method.to_uppercase(), path.clone()));
        }
    }
    routes
}

/// Everything that Ana can read, byte for byte.
fn seen(ana: &Household, routes: &[Route]) -> Vec<(String, Vec<u8>)> {
    let readable = routes.iter().filter(|route| route.method == Method::GET);
    let paths = readable.map(|route| route.path(route.anas)).chain([
        "/api/recurring?month=2026-02".to_string(),
        "/api/dashboard?month=2026-02".to_string(),
        format!("/api/accounts/{}", ana.savings),
        format!("/api/accounts/{}", ana.card),
    ]);
    paths
        .map(|path| {
            let bytes = read(&ana.client, &path);
            (path, bytes)
        })
        .collect()
}

/// The answer of a path, without the instant of an export.
fn read(client: &Client, path: &str) -> Vec<u8> {
    let reply = client.get(path);
    assert_eq!(reply.status, 200, "{path}");
    if path != "/api/export" {
        return reply.bytes;
    }
    let mut document = reply.json();
    document.as_object_mut().unwrap().remove("exported_at");
    document.to_string().into_bytes()
}

/// An answer without the id of its request.
fn said(reply: Reply, status: u16, code: &str) -> Value {
    let mut problem = reply.problem(status, code);
    problem.as_object_mut().unwrap().remove("request_id");
    problem
}

#[test]
fn every_route_of_the_document_is_in_the_table() {
    let app = TestApp::start();
    let (ana, bia) = (Household::new(&app, "ana"), Household::new(&app, "bia"));
    let tabled = routes(&ana, &bia).into_iter().map(|route| (route.method.to_string(), route.template.to_string()));
    let others = PUBLIC
        .into_iter()
        .chain([CALENDAR, ENDS_SESSIONS])
        .map(|(method, path)| (method.to_string(), path.to_string()));
    let known: BTreeSet<_> = tabled.chain(others).collect();
    let documented = documented(&app);
    let untested: Vec<_> = documented.difference(&known).collect();
    assert!(untested.is_empty(), "routes without an isolation test: {untested:?}");
    let unknown: Vec<_> = known.difference(&documented).collect();
    assert!(unknown.is_empty(), "routes that are not served: {unknown:?}");
}

#[test]
fn without_a_token_every_route_but_the_public_ones_is_401() {
    let app = TestApp::start();
    let (ana, bia) = (Household::new(&app, "ana"), Household::new(&app, "bia"));
    let anyone = app.anyone();
    let routes = routes(&ana, &bia);
    let before = seen(&ana, &routes);
    for route in &routes {
        let reply = route.call(&anyone, &route.path(route.anas), &route.payload);
        assert_eq!(reply.header("WWW-Authenticate"), Some("Bearer"), "{reply:?}");
        reply.problem(401, "ErrUnauthenticated");
        let expired = anyone.with_token("eyJhbGciOiJIUzI1NiJ9.e30.x");
        route.call(&expired, &route.path(route.anas), &route.payload).problem(401, "ErrUnauthenticated");
    }
    assert_eq!(seen(&ana, &routes), before);
    for (method, path) in PUBLIC {
        let path = path.replace("{file}", "swagger-ui.css");
        let reply = anyone.send(method.parse().unwrap(), &path, None, Vec::new());
        assert_ne!(reply.status, 401, "{path}");
    }
}

#[test]
fn another_profiles_rows_do_not_exist_and_stay_as_they_are() {
    let app = TestApp::start();
    let (ana, bia) = (Household::new(&app, "ana"), Household::new(&app, "bia"));
    let routes = routes(&ana, &bia);
    seen(&ana, &routes); // The first look at a period creates its bills.
    let before = seen(&ana, &routes);
    for route in &routes {
        let client = &bia.client;
        let what = format!("{} {}", route.method, route.template);
        assert_eq!(route.anas.is_some(), route.template.contains("{id}"), "{what}");
        for reference in &route.references {
            let path = route.path(route.bias);
            let [foreign, unknown] = [reference.anas, NEVER_ISSUED]
                .map(|id| route.call(client, &path, &smuggled(&route.payload, reference.field, id)));
            let foreign = said(foreign, 422, "ErrValidation");
            assert_eq!(foreign["errors"][0]["field"], reference.field, "{what}: {foreign}");
            assert_eq!(foreign["errors"].as_array().unwrap().len(), 1, "{what}: {foreign}");
            assert_eq!(foreign, said(unknown, 422, "ErrValidation"), "{what}: the answers differ");
        }
        for (name, anas) in &route.filters {
            let found = client.get(&format!("{}?{name}={anas}", route.template)).ok();
            assert_eq!(found, route.nothing, "{what} by {name}");
        }
        if let Some(anas) = route.anas {
            let [foreign, unknown] =
                [anas, NEVER_ISSUED].map(|id| route.call(client, &route.path(Some(id)), &route.payload));
            let (foreign, unknown) = (said(foreign, 404, "ErrNotFound"), said(unknown, 404, "ErrNotFound"));
            assert_eq!(foreign, unknown, "{what}: the answers differ");
        } else {
            // Bia's valid request succeeds, and changes nothing of Ana.
            let reply = route.call(client, &route.path(None), &route.payload);
            let is_refused = route.template == "/api/restore" && reply.status == 409;
            assert!(reply.status < 300 || is_refused, "{what}: {reply:?}");
        }
        for (path, bytes) in &before {
            let now = read(&ana.client, path);
            let (now, bytes) = (String::from_utf8_lossy(&now), String::from_utf8_lossy(bytes));
            assert_eq!(now, bytes, "{what} by bia changed {path} of ana");
        }
    }
}

#[test]
fn no_answer_to_bia_holds_a_word_of_anas() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let bia = Household::new(&app, "bia");
    ana.post("/api/categories", json!({ "name": "Segredo" })).created();
    let account = ana.post("/api/accounts", json!({ "name": "Segredo", "kind": "current" })).created()["id"].clone();
    let hidden = json!({ "type": "expense", "date": "2026-03-14", "description": "Segredo", "amount": "7077.77",
        "tags": ["Segredo"], "note": "Segredo",
        "account_id": account });
    ana.post("/api/transactions", hidden).created();
    let routes = routes(&bia, &bia);
    for route in routes.iter().filter(|route| route.method == Method::GET) {
        let body = String::from_utf8(bia.client.get(&route.path(route.bias)).bytes).unwrap();
        assert!(!body.contains("Segredo") && !body.contains("7077.77"), "{}: {body}", route.template);
    }
    assert_eq!(bia.client.get("/api/transactions?q=segredo").ok(), json!([]));
    // The same texts in another profile are neither duplicates nor suggestions, and no name is taken.
    let statement = ofx(&[("20260314", "-7077.77", "F1", "Segredo")]);
    let row = bia.client.preview(&statement).ok()["rows"][0].clone();
    assert_eq!(
        (&row["duplicate"], &row["category_id"], &row["similar_to"]),
        (&json!(false), &Value::Null, &Value::Null),
        "{row}"
    );
    bia.client.post("/api/categories", json!({ "name": "Segredo" })).created();
}
