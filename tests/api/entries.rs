//! `/api/entries/parse`: lines as people write them, and the requests that save them.

use std::fs;

use finance_domain::credentials::Role;
use finance_tests::{Client, TestApp};
use serde_json::{Value, json};
use time::macros::date;

use crate::mcp::{called, failed};
use crate::needs::token;

/// The day of the lines: a Tuesday.
const TODAY: time::Date = date!(2026 - 03 - 10);

struct Home {
    client: Client,
    accounts: Vec<(String, i64)>,
}

impl Home {
    fn id(&self, name: &str) -> i64 {
        self.accounts.iter().find(|(known, _)| known == name).unwrap_or_else(|| panic!("no account {name}")).1
    }

    fn account(&self, id: &Value) -> String {
        let known = self.accounts.iter().find(|(_, known)| *id == json!(known));
        known.map_or_else(|| format!("unknown {id}"), |(name, _)| name.clone())
    }

    fn parse(&self, text: &str) -> Value {
        self.client.post("/api/entries/parse", json!({ "text": text })).ok()
    }
}

fn spent(client: &Client, account: Option<i64>, date: &str, description: &str, amount: &str, more: Value) {
    let mut body = json!({ "type": "expense", "account_id": account, "date": date, "description": description,
        "amount": amount });
    for (field, value) in more.as_object().unwrap() {
        body[field] = value.clone();
    }
    client.post("/api/transactions", body).created();
}

fn category(client: &Client, name: &str) -> i64 {
    let all = client.get("/api/categories").ok();
    let found = all.as_array().unwrap().iter().find(|category| category["name"] == name);
    found.unwrap_or_else(|| panic!("no category {name}"))["id"].as_i64().unwrap()
}

fn home(app: &TestApp, name: &str) -> Home {
    app.clock.set_today(TODAY);
    let client = app.user(&format!("home_{name}").to_lowercase());
    let accounts: &[(&str, &str, i64, i64)] = match name {
        "A" => &[
            ("Conta Itaú", "current", 0, 0),
            ("Nubank", "credit", 25, 5),
            ("Itaú Visa", "credit", 20, 1),
            ("Poupança", "savings", 0, 0),
            ("Mercado Pago", "current", 0, 0),
        ],
        "B" => &[("Conta", "current", 0, 0), ("Cartão", "credit", 25, 5), ("Poupança", "savings", 0, 0)],
        _ => &[
            ("Inter", "current", 0, 0),
            ("Cartão Inter", "credit", 5, 15),
            ("C6", "credit", 3, 12),
            ("Caixinha", "savings", 0, 0),
        ],
    };
    let accounts = accounts.iter().map(|(name, kind, closing, due)| {
        let id = match *closing {
            0 => client.open_account(name, kind),
            _ => client.open_card(name, u8::try_from(*closing).unwrap(), u8::try_from(*due).unwrap()),
        };
        (name.to_string(), id)
    });
    let home = Home { accounts: accounts.collect(), client: client.clone() };
    match name {
        "A" => {
            let leisure = category(&client, "Lazer");
            spent(&client, Some(home.id("Nubank")), "2026-02-10", "Compra de fevereiro", "300.00", json!({}));
            let filed = json!({ "category_id": leisure });
            spent(&client, Some(home.id("Conta Itaú")), "2026-02-11", "Armarinho Fernando", "20.00", filed);
            spent(&client, None, "2026-02-12", "Semente", "10.00", json!({ "tags": ["Viagem", "casa"] }));
        }
        "C" => {
            spent(&client, Some(home.id("Cartão Inter")), "2026-02-20", "Compra", "120.50", json!({}));
            spent(&client, Some(home.id("C6")), "2026-02-20", "Compra", "89.90", json!({}));
        }
        _ => {}
    }
    home
}

/// The sentences of the specification, if it is beside the checkout.
#[test]
fn the_sentences_of_the_specification_are_exact() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/features/quick-entry.tsv");
    let Ok(text) = fs::read_to_string(path) else {
        eprintln!("skipped: {path} is not there");
        return;
    };
    let app = TestApp::start();
    let homes = [("A", home(&app, "A")), ("B", home(&app, "B")), ("C", home(&app, "C"))];
    let mut wrong = Vec::new();
    let mut count = 0;
    for row in text.lines().filter(|row| !row.starts_with('#')).skip(1) {
        let cells: Vec<&str> = row.split('\t').collect();
        let home = &homes.iter().find(|(name, _)| *name == cells[1]).expect("a home").1;
        let found = cells_of(home, cells[2]);
        count += 1;
        if found != cells[3..] {
            wrong.push(format!("{}\n  is      {found:?}\n  must be {:?}", cells[2], &cells[3..]));
        }
    }
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(count, 60);
}

/// What is read of a line, as the columns of the specification.
fn cells_of(home: &Home, text: &str) -> Vec<String> {
    let read = home.parse(text);
    let body = &read["body"];
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_string);
    let cell = |field: &str| match &body[field] {
        Value::Null => String::new(),
        value => text(value),
    };
    let named = |field: &str| match &body[field] {
        Value::Null => String::new(),
        id => home.account(id),
    };
    let path = match read["path"].as_str() {
        None if body.is_null() => "code".to_string(),
        None => "pay".to_string(),
        Some(path) => match path.strip_prefix("/api/credit-bills/") {
            Some(rest) => {
                let bill = home.client.get(&format!("/api/credit-bills/{}", rest.trim_end_matches("/pay"))).ok();
                format!("pay:{}", home.account(&bill["account_id"]))
            }
            None => path.trim_start_matches("/api/").to_string(),
        },
    };
    let categories = home.client.get("/api/categories").ok();
    let categories = categories.as_array().unwrap();
    let category = categories.iter().find(|known| known["id"] == body["category_id"]);
    let tags =
        body["tags"].as_array().map_or(String::new(), |tags| tags.iter().map(text).collect::<Vec<_>>().join(","));
    let missing = read["missing"].as_array().unwrap().iter().map(|missing| {
        let candidates: Vec<String> =
            missing["candidates"].as_array().unwrap().iter().map(|candidate| text(&candidate["text"])).collect();
        let separator = if candidates.is_empty() { "" } else { ":" };
        format!("{}{separator}{}", text(&missing["field"]), candidates.join("|"))
    });
    let is_transfer = path == "transfers";
    let account = named(if is_transfer { "from_account_id" } else { "account_id" });
    vec![
        path,
        cell("type"),
        cell("amount"),
        cell("total_amount"),
        cell("count"),
        cell("date"),
        cell("description"),
        account,
        named("to_account_id"),
        category.map_or(String::new(), |category| text(&category["name"])),
        tags,
        missing.collect::<Vec<_>>().join(";"),
    ]
}

#[test]
fn a_line_becomes_the_body_of_the_route_that_saves_it() {
    let app = TestApp::start();
    let home = home(&app, "A");
    let (nubank, bank, savings) = (home.id("Nubank"), home.id("Conta Itaú"), home.id("Poupança"));
    let read = home.parse("quitanda 54,90 ontem no nubank #casa");
    assert_eq!(
        read,
        json!({
            "path": "/api/transactions",
            "body": { "type": "expense", "amount": "54.90", "date": "2026-03-09", "description": "Quitanda",
                "account_id": nubank, "category_id": read["body"]["category_id"], "tags": ["casa"] },
            "suggestion": read["suggestion"],
            "understood": [
                { "start": 9, "end": 14, "text": "54,90", "as": "amount" },
                { "start": 15, "end": 20, "text": "ontem", "as": "date" },
                { "start": 21, "end": 30, "text": "no nubank", "as": "account" },
                { "start": 31, "end": 36, "text": "#casa", "as": "tag" },
            ],
            "missing": [],
        })
    );
    // Each of the four is saved as it is.
    let saved = |text: &str| {
        let read = home.parse(text);
        assert_eq!(read["missing"], json!([]), "{text}");
        let reply = home.client.post(read["path"].as_str().unwrap(), read["body"].clone());
        assert!([200, 201].contains(&reply.status), "{text}: {reply:?}");
        reply.json()
    };
    let stored = saved("quitanda 54,90 ontem no nubank #casa");
    assert_eq!((&stored["amount"], &stored["tags"]), (&json!("54.90"), &json!(["casa"])));
    let plan = saved("celular 1200 em 10x no nubank #Viagem #novo");
    assert_eq!((&plan["account_id"], &plan["count"]), (&json!(nubank), &json!(10)));
    for id in plan["transactions"].as_array().unwrap() {
        let row = home.client.get(&format!("/api/transactions/{id}")).ok();
        assert_eq!((&row["tags"], &row["amount"]), (&json!(["Viagem", "novo"]), &json!("120.00")));
    }
    let transfer = saved("transferi 200 da conta para poupança");
    assert_eq!(transfer["from"]["account_id"], json!(bank));
    assert_eq!(transfer["to"]["account_id"], json!(savings));
    let bill = saved("paguei a fatura do nubank com a conta itaú");
    assert_eq!((&bill["status"], &bill["account_id"]), (&json!("paid"), &json!(nubank)));
    // The bill is paid, so none is left.
    let again = home.parse("paguei a fatura do nubank");
    assert_eq!(again["path"], Value::Null);
    assert_eq!(again["missing"], json!([{ "field": "bill_id", "candidates": [] }]));
    assert_eq!(again["body"], json!({ "account_id": null, "date": "2026-03-10" }));
}

#[test]
fn a_card_that_is_named_as_the_payer_is_not_taken_for_another_account() {
    let app = TestApp::start();
    let home = home(&app, "A");
    let bill = home.parse("paguei a fatura do nubank com o itaú visa");
    assert_eq!((&bill["body"]["account_id"], &bill["missing"]), (&Value::Null, &json!([])));
    let part = home.parse("paguei 50 da fatura do nubank com o itaú visa");
    assert_eq!(part["missing"][0]["field"], "from_account_id");
    // A part of both names is that of the account that can pay.
    let bank = home.parse("paguei a fatura do nubank com o itaú");
    assert_eq!(bank["body"]["account_id"], json!(home.id("Conta Itaú")));
}

#[test]
fn what_is_missing_has_candidates_by_value_and_by_name() {
    let app = TestApp::start();
    let of_cards = home(&app, "C");
    let bills = of_cards.parse("paguei a fatura");
    let candidates = bills["missing"][0]["candidates"].as_array().unwrap();
    for (candidate, name, due) in [(&candidates[0], "C6", "89.90"), (&candidates[1], "Cartão Inter", "120.50")] {
        assert_eq!(candidate["text"], name);
        let bill = of_cards.client.get(&format!("/api/credit-bills/{}", candidate["value"])).ok();
        assert_eq!((&bill["account_id"], &bill["amount_due"]), (&json!(of_cards.id(name)), &json!(due)));
    }
    let home = home(&app, "A");
    let read = home.parse("pizza 50 62 terça no itaú");
    let account = |name: &str| json!({ "value": home.id(name), "text": name });
    let text = |text: &str| json!({ "value": text, "text": text });
    assert_eq!(
        read["missing"],
        json!([
            { "field": "amount", "candidates": [text("50.00"), text("62.00")] },
            { "field": "date", "candidates": [text("2026-03-10"), text("2026-03-03")] },
            { "field": "account_id", "candidates": [account("Conta Itaú"), account("Itaú Visa")] },
        ])
    );
    for field in ["amount", "date", "account_id"] {
        assert_eq!(read["body"][field], Value::Null);
    }
    let code = home.parse("34191.79001 01043.510047 91020.150008 8 95870000012345");
    assert_eq!((&code["path"], &code["body"], &code["missing"]), (&Value::Null, &Value::Null, &json!([])));
    assert_eq!(code["understood"][0]["as"], "code");
}

#[test]
fn the_category_is_that_of_a_preview_or_the_one_of_that_name() {
    let app = TestApp::start();
    let home = home(&app, "A");
    let (leisure, health) = (category(&home.client, "Lazer"), category(&home.client, "Saúde"));
    for (text, description, amount) in [
        ("armarinho fernando 12", "Armarinho fernando", "12.00"),
        ("ARMARINHO FERNANDO LTDA 12", "ARMARINHO FERNANDO LTDA", "12.00"),
        ("farmácia 30", "Farmácia", "30.00"),
        ("quitanda 3", "Quitanda", "3.00"),
        ("uber 3", "Uber", "3.00"),
    ] {
        let read = home.parse(text);
        assert_eq!(read["body"]["description"], description);
        let rows = format!("Data;Descrição;Valor\n10/03/2026;{description};-{amount}\n");
        let row = home.client.preview(rows.as_bytes()).ok()["rows"][0].clone();
        assert_eq!(read["suggestion"], row["suggestion"], "{text}");
        assert_eq!(read["body"]["category_id"], row["category_id"], "{text}");
    }
    assert_eq!(home.parse("armarinho fernando 12")["body"]["category_id"], json!(leisure));
    // A rule of the household goes before.
    let rule = json!({ "name": "Linhas", "conditions": [{ "field": "description", "op": "contains", "value": "armarinho" }],
        "actions": [{ "action": "set_category", "category_id": health }] });
    let rule = home.client.post("/api/rules", rule).created();
    let read = home.parse("armarinho fernando 12");
    assert_eq!(read["suggestion"], json!({ "category_id": health, "source": "rule", "rule_id": rule["id"] }));
    // A rule compares the amount of an instalment, which is what a statement has.
    let rule = json!({ "name": "Pequenas", "conditions": [{ "field": "amount", "op": "lte", "value": "100" }],
        "actions": [{ "action": "set_category", "category_id": leisure }] });
    let rule = home.client.post("/api/rules", rule).created();
    let suggestion = json!({ "category_id": leisure, "source": "rule", "rule_id": rule["id"] });
    assert_eq!(home.parse("sofá xyz 1000 em 10x no nubank")["suggestion"], suggestion);
    assert_eq!(home.parse("sofá xyz 10x de 100 no nubank")["suggestion"], suggestion);
    assert_eq!(home.parse("sofá xyz 1010 em 10x no nubank")["suggestion"], Value::Null);
    // No source knows it, but a category has its name.
    let pets = home.client.create("/api/categories", json!({ "name": "Bichos" }));
    let read = home.parse("bichos 120");
    assert_eq!((&read["body"]["category_id"], &read["suggestion"]), (&json!(pets), &Value::Null));
}

#[test]
fn lines_are_checked_and_counted_from_the_day_of_writing() {
    let app = TestApp::start();
    let home = home(&app, "A");
    let parse = |body: Value| home.client.post("/api/entries/parse", body);
    for body in [json!({}), json!({ "text": " " }), json!({ "text": "a".repeat(1_001) }), json!({ "text": "a\u{0}b" })]
    {
        parse(body).invalid(&["text"]);
    }
    parse(json!({ "text": 5 })).invalid(&["text"]);
    for on in ["2026-03-11", "2025-03-08", "ontem", "2026-02-30"] {
        parse(json!({ "text": "pão 5", "on": on })).invalid(&["on"]);
    }
    parse(json!({ "text": "", "on": "x" })).invalid(&["text", "on"]);
    parse(json!({ "text": "a".repeat(1_000) })).ok();
    let on = |on: &str| parse(json!({ "text": "pão 5 ontem", "on": on })).ok()["body"]["date"].clone();
    assert_eq!(on("2026-01-01"), "2025-12-31");
    assert_eq!(on("2025-03-09"), "2025-03-08");
    let bare = parse(json!({ "text": "pão 5", "on": "2026-01-01" })).ok();
    assert_eq!(bare["body"]["date"], "2026-01-01");
}

#[test]
fn a_parse_saves_nothing_and_another_household_is_not_seen() {
    let app = TestApp::start();
    let (home, other) = (home(&app, "A"), app.user("outra"));
    // The first read of the day may write.
    for client in [&home.client, &other] {
        client.get("/api/credit-bills").ok();
    }
    let before = app.stored_rows(&[]);
    for text in ["pão 5 #casa", "tv 10x de 5 no nubank", "transferi 5 da conta para poupança", "paguei a fatura"] {
        home.parse(text);
        let read = other.post("/api/entries/parse", json!({ "text": text })).ok();
        for field in ["account_id", "from_account_id", "to_account_id"] {
            assert!(read["body"].get(field).is_none_or(Value::is_null), "{text}: {read}");
        }
        assert!(read["missing"].as_array().unwrap().iter().all(|missing| missing["candidates"] == json!([])));
    }
    assert_eq!(app.stored_rows(&[]), before);
}

#[test]
fn a_token_that_enters_does_nothing_else() {
    let app = TestApp::start();
    let home = home(&app, "A");
    let enters = token(&home.client, &["enter"]);
    assert_eq!(enters.get("/api/auth/me").ok()["name"], "home_a");
    for text in ["pão 5", "tv 300 3x no nubank", "transferi 5 da conta para poupança"] {
        let read = enters.post("/api/entries/parse", json!({ "text": text })).ok();
        enters.post(read["path"].as_str().unwrap(), read["body"].clone()).created();
    }
    let read = enters.post("/api/entries/parse", json!({ "text": "paguei a fatura do nubank" })).ok();
    let path = read["path"].as_str().expect("a bill");
    enters.post(path, read["body"].clone()).problem(403, "ErrInsufficientScope");
    for path in ["/api/transactions", "/api/accounts", "/api/categories"] {
        enters.get(path).problem(403, "ErrInsufficientScope");
    }
    let viewer = app.member(&home.client, "visita", Role::Viewer);
    viewer.post("/api/entries/parse", json!({ "text": "pão 5" })).problem(403, "ErrNotAllowed");
    let body = json!({ "name": "celular", "scopes": ["enter"] });
    viewer.post("/api/tokens", body).problem(403, "ErrNotAllowed");
}

#[test]
fn instalments_have_tags_as_transactions_do() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let card = ana.open_card("Cartão", 25, 5);
    let body = |tags: Value| {
        json!({ "account_id": card, "description": "Sofá", "date": "2026-03-01", "count": 2, "total_amount": "10",
            "tags": tags })
    };
    let many: Vec<String> = (0..11).map(|number| number.to_string()).collect();
    ana.post("/api/installments", body(json!(many))).invalid(&["tags"]);
    ana.post("/api/installments", body(json!(["a", 5, "A"]))).invalid(&["tags[1]", "tags[2]"]);
    ana.post("/api/installments", body(json!("casa"))).invalid(&["tags"]);
    for (tags, stored) in
        [(Value::Null, json!([])), (json!([]), json!([])), (json!([" casa ", "Férias"]), json!(["casa", "Férias"]))]
    {
        let plan = ana.post("/api/installments", body(tags)).created();
        for id in plan["transactions"].as_array().unwrap() {
            assert_eq!(ana.get(&format!("/api/transactions/{id}")).ok()["tags"], stored);
        }
    }
}

#[test]
fn assistants_read_a_line_and_save_it_once() {
    let app = TestApp::start();
    let home = home(&app, "A");
    let assistant = token(&home.client, &["write"]);
    let count = || home.client.all("/api/transactions").len();
    let before = count();
    let read =
        called(&assistant, "parse_entry", &json!({ "text": "quitanda 54,90 ontem no nubank", "on": "2026-03-08" }));
    assert_eq!((&read["path"], &read["missing"]), (&json!("/api/transactions"), &json!([])));
    assert_eq!(read["body"]["date"], "2026-03-07");
    assert_eq!(read["understood"][0], json!({ "text": "54,90", "as": "amount" }));
    assert_eq!(count(), before, "a reading saves nothing");
    let entry = json!({ "path": read["path"], "body": read["body"], "idempotency_key": "line-1" });
    let added = called(&assistant, "add_entry", &entry);
    let stored = &added["entry"];
    assert_eq!((&stored["amount"], &stored["account_id"]), (&json!("54.90"), &json!(home.id("Nubank"))));
    assert_eq!(called(&assistant, "add_entry", &entry), added, "the same call again");
    assert_eq!(count(), before + 1);
    let asks = called(&assistant, "parse_entry", &json!({ "text": "posto 7 120" }));
    assert_eq!(asks["missing"][0]["field"], "amount");
    assert_eq!(asks["missing"][0]["candidates"][1], json!({ "value": "120.00", "text": "120.00" }));
    assert!(failed(&assistant, "add_entry", &json!({ "path": asks["path"], "body": asks["body"] })).contains("amount"));
    let bill = called(&assistant, "parse_entry", &json!({ "text": "paguei a fatura do nubank" }));
    let refused = failed(&assistant, "add_entry", &json!({ "path": bill["path"], "body": bill["body"] }));
    assert!(refused.contains("path must be"), "{refused}");
    assert_eq!(count(), before + 1);
}
