//! Export, restore and deletion of a profile.

use std::path::Path;
use std::process::Output;

use finance_domain::Clock;
use finance_tests::{Client, Form, PASSWORD, Program, ScratchDir, TestApp, ofx, totp};
use serde_json::{Value, json};

use crate::household::{
    MONTHS, buy_by_instalments, choose_looks, edit_a_row, figures, fill, make_a_rule, move_money, name_bill_dates,
    split_a_row,
};
use crate::outcome::{printed, refused, run_with_input};

const STATEMENT: &[u8] = include_bytes!("../../config/demo/three_months.ofx");

/// A service, and commands on its database.
struct House {
    app: TestApp,
    scratch: ScratchDir,
}

impl House {
    fn new() -> Self {
        let scratch = ScratchDir::new();
        std::fs::create_dir_all(scratch.path()).unwrap();
        House { app: TestApp::start(), scratch }
    }

    fn command(&self, arguments: &[&str]) -> std::process::Command {
        let mut command = Program::command(self.scratch.path());
        command.env("DATABASE_URL", self.app.database_url()).env("FINANCE_TODAY", "2026-03-15").args(arguments);
        command.stdin(std::process::Stdio::null()).env("RUST_LOG", "warn");
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("the program runs")
    }

    /// Writes a document to a file, and returns the path.
    fn file(&self, name: &str, document: &[u8]) -> String {
        let path = self.scratch.path().join(name);
        std::fs::write(&path, document).unwrap();
        path.to_str().unwrap().to_string()
    }

    /// All stored rows of a profile.
    fn stored(&self, client: &Client) -> Vec<(String, Vec<Value>)> {
        let id = client.caller().profile_id;
        let of_profiles = self.app.rows(&format!("select * from profiles where id = {id}"));
        let owned = self.tables().into_iter().map(|table| {
            let mut rows = self.app.rows(&format!("select * from {table} where profile_id = {id}"));
            rows.sort_by_key(Value::to_string);
            (table, rows)
        });
        [("profiles".to_string(), of_profiles)].into_iter().chain(owned).collect()
    }

    fn tables(&self) -> Vec<String> {
        let named = self.app.rows(
            "select relname from pg_class join pg_attribute on attrelid = pg_class.oid
            where attname = 'profile_id' and relkind = 'r' and relnamespace = 'public'::regnamespace order by relname",
        );
        named.iter().map(|row| row["relname"].as_str().unwrap().to_string()).collect()
    }
}

/// A document whose ids are replaced by numbers from 1 in each table, so that two documents can be compared.
fn counted(document: &Value) -> Value {
    let mut document = document.clone();
    let named: Vec<(String, Vec<i64>)> = document
        .as_object()
        .unwrap()
        .iter()
        .filter_map(|(table, rows)| {
            Some((table.clone(), rows.as_array()?.iter().filter_map(|row| row["id"].as_i64()).collect()))
        })
        .collect();
    let number = |table: &str, id: &Value| {
        let (_, ids) = named.iter().find(|(name, _)| name == table).unwrap();
        json!(1 + ids.iter().position(|known| Some(*known) == id.as_i64()).expect("a row of the document"))
    };
    let references = [
        ("category_id", "categories"),
        ("account_id", "accounts"),
        ("transfer_id", "transfers"),
        ("import_id", "imports"),
        ("bill_id", "credit_bills"),
        ("recurring_id", "recurring"),
        ("rule_id", "rules"),
        ("transaction_id", "transactions"),
        ("pending_bill_id", "pending_bills"),
        ("statement_account_id", "accounts"),
        ("from_id", "transactions"),
        ("to_id", "transactions"),
    ];
    document["exported_at"] = Value::Null;
    document["profile"] = Value::Null;
    for (table, rows) in document.as_object_mut().unwrap() {
        for row in rows.as_array_mut().into_iter().flatten() {
            for (field, value) in row.as_object_mut().unwrap() {
                let of = references.iter().find(|(name, _)| name == field).map(|(_, of)| *of);
                let of = if field == "id" { Some(table.as_str()) } else { of };
                if let (Some(of), false) = (of, value.is_null()) {
                    *value = number(of, value);
                }
            }
        }
    }
    document
}

/// Imports a file of two accounts with a balance and a rejected line, and a row of it again, sets budgets, and ends a plan.
fn bring_statements(client: &Client) {
    let accounts = client.all("/api/accounts");
    let account =
        |name: &str| accounts.iter().find(|account| account["name"] == name).expect("an account")["id"].clone();
    let row = |text: &str, statement: usize| json!({ "date": "2026-03-09", "description": text, "amount": "3.21", "type": "expense", "statement": statement });
    let statements = json!([
        { "index": 0, "ref": "a".repeat(64), "hint": "11-1", "account_id": account("Banco"),
          "balance": { "date": "2026-03-09", "amount": "1.00" } },
        { "index": 1, "ref": "b".repeat(64), "hint": "/500", "account_id": account("CDB") },
    ]);
    let rejected = json!([{ "line": 9, "code": "pending_transaction", "date": "2026-03-09", "amount": "4.00", "type": "expense",
        "description": "Pendente" }]);
    let rows = [row("Feira do bairro", 0), row("Custódia", 1)];
    let both = json!({ "statements": statements, "rejected": rejected, "rows": rows });
    client.post("/api/import/confirm", both).created();
    let again = json!({ "account_id": account("Banco"), "rows": [row("Feira do bairro", 0), row("Outra feira", 0)] });
    client.post("/api/import/confirm", again).created();
    let categories = client.all("/api/categories");
    let mut pets = categories.into_iter().find(|category| category["name"] == "Pets").expect("a category");
    let budgets = json!({ "budgets": [{ "category_id": pets["id"], "amount": "300" }] });
    client.put("/api/budgets/2026-03", budgets).ok();
    pets["monthly_budget"] = json!("260.00");
    client.put(&format!("/api/categories/{}", pets["id"]), pets).ok();
    let plans = client.all("/api/installments");
    let plan = plans.iter().find(|plan| !plan["id"].is_null()).expect("a plan");
    client.put(&format!("/api/installments/{}", plan["id"]), json!({ "ended": true })).ok();
}

/// Sends a file to the inbox.
fn send_a_file(client: &Client) {
    let file = ofx(&[("20260205", "-6.00", "F7", "Café")]);
    client.post_form("/api/inbox", Form::new().file("fevereiro.ofx", &file)).created();
}

/// Holds a statement with a split row, and makes an item of each week with a mark and a link, and refuses a suggested one.
fn repeat_and_hold(client: &Client) {
    let accounts = client.all("/api/accounts");
    let card = accounts.iter().find(|account| account["kind"] == "credit").expect("a card")["id"].clone();
    let categories = client.all("/api/categories");
    let lines = json!([{ "category_id": categories[0]["id"], "amount": "6.00" }, { "category_id": categories[1]["id"], "amount": "4.00" }]);
    let row = json!({ "date": "2026-03-11", "description": "Loja dividida", "amount": "10.00", "type": "expense", "lines": lines });
    let held = json!({ "account_id": card, "is_credit_card": true, "payment_date": "2026-05-28", "rows": [row] });
    assert_eq!(client.post("/api/import/confirm", held).status, 202);

    let paid = json!({ "type": "expense", "date": "2026-03-06", "description": "Faxina", "amount": "150.00" });
    let paid = client.create("/api/transactions", paid);
    let weekly = json!({ "type": "expense", "description": "Faxina", "amount": "150.00", "category_id": categories[0]["id"],
        "every": { "n": 1, "unit": "week" }, "start_on": "2026-03-06" });
    let weekly = client.create("/api/recurring", weekly);
    client.post(&format!("/api/recurring/{weekly}/link?due=2026-03-06"), json!({ "transaction_ids": [paid] })).ok();
    client.post_nothing(&format!("/api/recurring/{weekly}/ignore?due=2026-03-13")).ok();

    for month in ["2025-12", "2026-01", "2026-02", "2026-03"] {
        let row = json!({ "type": "expense", "date": format!("{month}-12"), "description": "STREAMING SERIES", "amount": "39.90" });
        client.create("/api/transactions", row);
    }
    let found = client.get("/api/recurring/suggestions").ok();
    let id = found[0]["id"].as_str().expect("a suggestion").to_string();
    client.post_nothing(&format!("/api/recurring/suggestions/{id}/reject")).gone();
}

#[test]
fn an_imported_profile_has_every_figure_of_the_one_exported() {
    let house = House::new();
    let ana = house.app.user("ana");
    fill(&ana, Some(&house.app));
    edit_a_row(&ana);
    move_money(&ana);
    buy_by_instalments(&ana);
    choose_looks(&ana);
    name_bill_dates(&ana);
    split_a_row(&ana);
    make_a_rule(&ana);
    bring_statements(&ana);
    repeat_and_hold(&ana);
    send_a_file(&ana);
    let before = figures(&ana);
    let document = ana.get("/api/export").ok();
    for (table, rows) in document.as_object().unwrap() {
        assert!(rows.as_array().is_none_or(|rows| !rows.is_empty()), "{table} has nothing to restore");
    }
    let bia = house.app.user("bia");
    let file = house.file("ana.json", document.to_string().as_bytes());
    let anas = house.stored(&ana);
    let output = printed(&house.run(&["import-profile", "--name", "bia", &file]));
    assert!(output.contains("rows restored") && output.contains("bia"), "{output}");
    assert_eq!(house.stored(&ana), anas, "nothing of ana's has changed");

    for ((path, anas), (_, bias)) in before.iter().zip(&figures(&bia)) {
        assert_eq!(anas, bias, "{path}");
    }
    assert_eq!(counted(&bia.get("/api/export").ok()), counted(&ana.get("/api/export").ok()));
    // Stored sums and computed columns are equal too.
    for table in ["account_balances", "accounts", "credit_bills", "month_totals", "transactions", "pending_bill_rows"] {
        let sums = |client: &Client| {
            let columns = match table {
                "account_balances" => "balance",
                "accounts" => "name_key",
                "credit_bills" => "period_start, total",
                "month_totals" => "month, income, expenses, transactions",
                "transactions" => {
                    "date, description_normalized, statement_description_normalized, external_id_base, created_at,
                        installment_number, installment_count, installment_shop, is_recognised, note, note_normalized,
                        tags, tag_keys, is_split"
                }
                _ => "date, description_normalized, external_id_base",
            };
            let id = client.caller().profile_id;
            house.app.rows(&format!("select {columns} from {table} where profile_id = {id} order by {columns}"))
        };
        assert_eq!(sums(&bia), sums(&ana), "{table}");
        assert!(!sums(&bia).is_empty(), "{table}");
    }
    // The same statement has the same duplicates and suggestions.
    let summary = |client: &Client| client.preview(STATEMENT).ok()["summary"].clone();
    assert_eq!(summary(&bia), summary(&ana));
    assert_eq!(summary(&bia)["new"], 0);
    // Nothing is awarded a second time. New events can be awarded.
    let xp = |client: &Client| client.get("/api/gamification/profile").ok()["xp"].clone();
    let earned = xp(&bia);
    let settings = json!({ "savings_goal_pct": 20 });
    bia.put("/api/settings", settings.clone()).ok();
    ana.put("/api/settings", settings).ok();
    assert_eq!((xp(&bia), xp(&bia)), (earned, xp(&ana)));
    let lunch = json!({ "type": "expense", "date": "2026-03-15", "description": "Almoço", "amount": "32.50" });
    bia.post("/api/transactions", lunch).created();
}

#[test]
fn a_document_comes_from_standard_input_too() {
    let house = House::new();
    let ana = house.app.user("ana");
    ana.post("/api/categories", json!({ "name": "Pets" })).created();
    let document = ana.get("/api/export").bytes;
    let bia = house.app.user("bia");
    let mut command = house.command(&["import-profile", "--name", "bia", "-"]);
    printed(&run_with_input(&mut command, &String::from_utf8(document).unwrap()));
    assert_eq!(
        bia.get("/api/categories").ok().as_array().unwrap().iter().filter(|row| row["name"] == "Pets").count(),
        1
    );
}

#[test]
fn a_document_of_a_release_before_a_column_came_is_restored_without_it() {
    let house = House::new();
    let ana = house.app.user("ana");
    fill(&ana, Some(&house.app));
    edit_a_row(&ana);
    move_money(&ana);
    buy_by_instalments(&ana);
    choose_looks(&ana);
    make_a_rule(&ana);
    let mut document = ana.get("/api/export").ok();
    // In earlier releases only the service made transfers.
    let mut linked = Vec::new();
    for row in document["transactions"].as_array_mut().unwrap() {
        if row["source"] != "transfer" && !row["transfer_id"].is_null() {
            linked.push(row["transfer_id"].take());
        }
        row.as_object_mut().unwrap().retain(|field, _| {
            !field.starts_with("statement_")
                && !["is_transfer", "is_kept_unlinked", "is_recognised", "note", "tags"].contains(&field.as_str())
        });
    }
    for row in document["categories"].as_array_mut().unwrap() {
        row.as_object_mut().unwrap().remove("tax_kind");
    }
    for row in document["accounts"].as_array_mut().unwrap() {
        for field in ["credit_limit", "yield_rate", "yield_day_count", "yield_tax"] {
            row.as_object_mut().unwrap().remove(field);
        }
    }
    document["transfers"].as_array_mut().unwrap().retain(|row| !linked.contains(&row["id"]));
    document["credit_bill_payments"].as_array_mut().unwrap().retain(|row| row["transaction_id"].is_null());
    for (table, fields) in [
        ("credit_bill_payments", &["transaction_id"][..]),
        ("pending_bill_rows", &["is_transfer", "is_kept_unlinked", "statement_description"]),
    ] {
        for row in document[table].as_array_mut().unwrap() {
            row.as_object_mut().unwrap().retain(|field, _| !fields.contains(&field.as_str()));
        }
    }
    for table in [
        "appearances",
        "own_names",
        "rejected_transfers",
        "repeated_rows",
        "ended_plans",
        "rules",
        "rule_conditions",
        "rule_actions",
        "transaction_lines",
    ] {
        document.as_object_mut().unwrap().remove(table);
    }
    let bia = house.app.user("bia");
    printed(&house.run(&["import-profile", "--name", "bia", &house.file("old.json", document.to_string().as_bytes())]));
    let stored = bia.all("/api/transactions?limit=1000");
    assert_eq!(stored.len(), document["transactions"].as_array().unwrap().len());
    assert!(stored.iter().all(|row| row["statement_description"].is_null()));
    assert!(stored.iter().all(|row| row["is_transfer"] == (row["source"] == "transfer")));
    let read = stored.iter().find(|row| row["description"] == "Livro 1/3").expect("a row of the card");
    assert_eq!(read["installment"], json!({ "number": 1, "count": 3 }));
    let accounts = bia.get("/api/accounts").ok();
    assert!(accounts.as_array().unwrap().iter().all(|account| account["credit_limit"].is_null()));
}

type Tamper = fn(&mut Value);

/// Adds copies of a table's first row with new ids, up to a number of rows.
fn grow(document: &mut Value, table: &str, count: usize) {
    let rows = document[table].as_array_mut().unwrap();
    let mut copy = rows[0].clone();
    for id in rows.len()..count {
        copy["id"] = json!(1_000_000 + id);
        rows.push(copy.clone());
    }
}

/// Changes that make a document invalid, each with its reason.
fn tamperings() -> Vec<(&'static str, Tamper)> {
    vec![
        ("version 2", |d| d["version"] = json!(2)),
        ("format", |d| d["format"] = json!("other")),
        ("unknown part", |d| d["passwords"] = json!([])),
        ("has no transactions", |d| drop(d.as_object_mut().unwrap().remove("transactions"))),
        ("transactions[0].category_id", |d| d["transactions"][0]["category_id"] = json!(987_654_321)),
        ("transactions[0].account_id", |d| d["transactions"][0]["account_id"] = json!(-1)),
        ("transactions[0].amount", |d| d["transactions"][0]["amount"] = json!("1.005")),
        ("transactions[0].amount", |d| d["transactions"][0]["amount"] = json!(12)),
        ("transactions[0].amount", |d| d["transactions"][0]["amount"] = json!("1e40")),
        ("impossible value", |d| d["transactions"][0]["amount"] = json!("99999999999.00")),
        ("transaction_amount_positive", |d| d["transactions"][0]["amount"] = json!("-5.00")),
        ("transactions[0].date", |d| d["transactions"][0]["date"] = json!("2026-02-30")),
        ("transactions[0].date", |d| d["transactions"][0]["date"] = Value::Null),
        ("transactions[0].created_at", |d| d["transactions"][0]["created_at"] = json!("yesterday")),
        ("transaction_kind_known", |d| d["transactions"][0]["statement_type"] = json!("gift")),
        ("transaction_amount_positive", |d| d["transactions"][0]["statement_amount"] = json!("0.00")),
        ("transactions[0].statement_account_id", |d| d["transactions"][0]["statement_account_id"] = json!(987_654_321)),
        ("transaction_kind_known", |d| d["transactions"][0]["type"] = json!("gift")),
        ("transactions[0].description", |d| d["transactions"][0]["description"] = json!("x".repeat(256))),
        ("NUL", |d| d["transactions"][0]["description"] = json!("a\u{0}b")),
        ("transactions[0].id", |d| d["transactions"][0]["id"] = json!(1.5)),
        ("earlier row", |d| d["transactions"][1]["id"] = d["transactions"][0]["id"].clone()),
        ("unknown field", |d| d["transactions"][0]["balance"] = json!(1)),
        ("has no source", |d| drop(d["transactions"][0].as_object_mut().unwrap().remove("source"))),
        ("invalid type", |d| d["transactions"][0] = json!([1, 2])),
        ("invalid type", |d| d["transactions"][0]["description"] = json!([[[[]]]])),
        ("two legs", |d| {
            let legs = d["transactions"].as_array_mut().unwrap();
            let leg = legs.iter().position(|row| !row["transfer_id"].is_null()).unwrap();
            legs.remove(leg);
        }),
        ("categories_name_key", |d| d["categories"][1]["name"] = d["categories"][0]["name"].clone()),
        ("categories[0].name", |d| d["categories"][0]["name"] = json!(" x ")),
        ("accounts_closing_day_range", |d| {
            let card = d["accounts"].as_array_mut().unwrap().iter_mut().find(|row| row["kind"] == "credit").unwrap();
            card["closing_day"] = json!(99);
        }),
        ("credit account", |d| {
            let bank =
                d["accounts"].as_array().unwrap().iter().find(|row| row["kind"] == "current").unwrap()["id"].clone();
            d["credit_bills"][0]["account_id"] = bank;
        }),
        ("total_xp", |d| d["xp_tallies"][0]["total_xp"] = json!(1_000_000)),
        ("no action", |d| d["xp_events"][0]["action"] = json!("sleep")),
        ("xp_tallies", |d| d["xp_tallies"] = json!([])),
        ("cosmetic", |d| d["equipped_cosmetics"][0]["cosmetic_id"] = json!(4_711)),
        ("skin: must be", |d| d["appearances"][0]["skin"] = json!("green")),
        ("hair_style: must be", |d| d["appearances"][0]["hair_style"] = json!("mohawk")),
        ("body: must be", |d| d["appearances"][0]["body"] = json!("round")),
        ("appearances_pkey", |d| d["appearances"] = json!([d["appearances"][0], d["appearances"][0]])),
        ("rules[0].id: must have rule_conditions", |d| d["rule_conditions"] = json!([])),
        ("rules[0].id: must have rule_actions", |d| d["rule_actions"] = json!([])),
        ("rule_conditions[0].text", |d| d["rule_conditions"][0]["text"] = json!("\u{301}")),
        ("rule_conditions_value_of_field", |d| d["rule_conditions"][0]["op"] = json!("eq")),
        ("rule_actions_value_of_action", |d| d["rule_actions"][0]["action"] = json!("skip")),
        ("rules: must have at most 200 rows", |d| grow(d, "rules", 201)),
        ("row_count", |d| d["pending_bills"][0]["row_count"] = json!(77)),
        ("settings_pkey", |d| d["settings"] = json!([d["settings"][0], d["settings"][0]])),
        ("categories: must have at most 500 rows", |d| grow(d, "categories", 501)),
        ("accounts: must have at most 200 rows", |d| grow(d, "accounts", 201)),
        ("recurring: must have at most 500 rows", |d| grow(d, "recurring", 501)),
        ("at most 200 pending rows", |d| grow(d, "pending_bills", 201)),
        ("savings_goal", |d| d["settings"][0]["savings_goal_pct"] = json!(101)),
    ]
}

#[test]
fn a_document_that_was_tampered_with_is_refused_whole() {
    let house = House::new();
    let ana = house.app.user("ana");
    fill(&ana, Some(&house.app));
    choose_looks(&ana);
    make_a_rule(&ana);
    let document = ana.get("/api/export").ok();
    let bia = house.app.user("bia");
    let before = house.stored(&bia);
    for (at, (word, tamper)) in tamperings().into_iter().enumerate() {
        let mut changed = document.clone();
        tamper(&mut changed);
        let file = house.file(&format!("{at}.json"), changed.to_string().as_bytes());
        let line = refused(&house.run(&["import-profile", "--name", "bia", &file]));
        assert!(line.contains(word) && line.len() < 400, "{word}: {line}");
        assert!(!line.contains("internal"), "{word}: {line}");
    }
    let text = document.to_string();
    for (name, broken) in [
        ("half.json", &text.as_bytes()[..text.len() / 2]),
        ("empty.json", b""),
        ("zip.json", b"PK\x03\x04"),
        ("list.json", b"[]"),
        ("deep.json", "[".repeat(100_000).as_bytes()),
    ] {
        let line = refused(&house.run(&["import-profile", "--name", "bia", &house.file(name, broken)]));
        assert!(line.contains(name) && line.contains("document"), "{line}");
    }
    assert_eq!(house.stored(&bia), before, "none of it left a trace");
}

#[test]
fn a_document_is_restored_into_a_new_profile_only() {
    let house = House::new();
    let (ana, bia) = (house.app.user("ana"), house.app.user("bia"));
    let file = house.file("ana.json", &ana.get("/api/export").bytes);
    let import = |name: &str| house.run(&["import-profile", "--name", name, &file]);
    let line = refused(&import("carla"));
    assert!(line.contains("carla") && line.contains("create-user"), "{line}");
    bia.post("/api/categories", json!({ "name": "Pets" })).created();
    let before = house.stored(&bia);
    let line = refused(&import("bia"));
    assert!(line.contains("not empty"), "{line}");
    assert_eq!(house.stored(&bia), before);
    let line = refused(&house.run(&["import-profile", "--name", "bia", "/nowhere/ana.json"]));
    assert!(line.contains("/nowhere/ana.json"), "{line}");
    // An empty profile can be exported, and restored into.
    house.app.user("dora");
    printed(&import("dora"));
}

#[test]
fn deleting_a_profile_deletes_its_rows_and_no_others() {
    let house = House::new();
    let (mut ana, mut bia) = (house.app.user("ana"), house.app.user("bia"));
    fill(&ana, Some(&house.app));
    fill(&bia, Some(&house.app));
    move_money(&ana);
    move_money(&bia);
    choose_looks(&ana);
    make_a_rule(&ana);
    split_a_row(&ana);
    choose_looks(&bia);
    make_a_rule(&bia);
    split_a_row(&bia);
    name_bill_dates(&ana);
    name_bill_dates(&bia);
    bring_statements(&ana);
    bring_statements(&bia);
    for client in [&ana, &bia] {
        repeat_and_hold(client);
        send_a_file(client);
    }

    for client in [&mut ana, &mut bia] {
        client.post("/api/tokens", json!({ "name": "cron", "scopes": ["read"] })).created();
        client.get("/api/notices").ok();
        let preferences = json!({ "hour": "10:00", "kinds": { "budget": { "channels": ["page"], "percents": [80] } } });
        client.put("/api/notices/preferences", preferences).ok();
        let hook = json!({ "url": "https://hooks.example/x", "events": ["transaction.created"] });
        client.post("/api/webhooks", hook).created();
        let row = json!({ "type": "expense", "date": "2026-03-10", "description": "Padaria", "amount": "8.50" });
        client.post("/api/transactions", row).created();
        let enrolment = client.post("/api/auth/second-factor", json!({ "password": PASSWORD })).created();
        let code = totp(enrolment["secret"].as_str().unwrap(), house.app.clock.now());
        // Each profile has a session.
        let name = client.get("/api/auth/me").ok()["name"].clone();
        house.app.anyone().post("/api/auth/login", json!({ "name": name, "password": PASSWORD })).ok();
        let confirmed = client.post("/api/auth/second-factor/confirm", json!({ "code": code })).ok();
        // The code ended the login, and the invitations made with it.
        *client = client.with_token(confirmed["token"].as_str().unwrap());
        client.post("/api/members/invitations", json!({ "role": "viewer" })).created();
        let keys = json!({ "auth": "BTBZMqHH6r4Tts7J_aSIgg",
            "p256dh": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4" });
        let device = json!({ "endpoint": "https://updates.push.services.mozilla.com/wpush/v2/x", "keys": keys });
        client.post("/api/notices/devices", device).created();
        client.post("/api/notices/email", json!({ "address": "ana@example.com" })).expect(202);
    }
    let wrong = json!({ "name": "bia", "password": "not the password" });
    house.app.anyone().post("/api/auth/login", wrong).problem(401, "ErrInvalidCredentials");
    let (anas, bias) = (house.stored(&ana), house.stored(&bia));
    assert!(
        bias.iter().all(|(table, rows)| !rows.is_empty()
            || ["idempotency_keys", "changes", "change_entries"].contains(&table.as_str())),
        "one of everything"
    );

    let line = refused(&house.run(&["delete-profile", "--name", "bia"]));
    assert!(line.contains("--yes"), "without a terminal to ask on: {line}");
    let line = refused(&house.run(&["delete-profile", "--name", "carla", "--yes"]));
    assert!(line.contains("carla"), "{line}");
    assert_eq!(house.stored(&bia), bias);

    let output = printed(&house.run(&["delete-profile", "--name", "bia", "--yes"]));
    assert!(output.contains("bia"), "{output}");
    for (table, rows) in house.stored(&bia) {
        assert_eq!(rows, Vec::<Value>::new(), "{table}");
    }
    assert_eq!(house.app.rows("select * from login_failures where name_key = 'bia'"), Vec::<Value>::new());
    assert_eq!(house.stored(&ana), anas);
    bia.get("/api/auth/me").problem(401, "ErrUnauthenticated");
    let login = json!({ "name": "bia", "password": PASSWORD });
    house.app.anyone().post("/api/auth/login", login).problem(401, "ErrInvalidCredentials");
    ana.get(&format!("/api/dashboard?month={}", MONTHS[0])).ok();
    // The name can be used again, and the new profile is empty.
    house.app.user("bia").get("/api/transactions").ok();
    assert!(refused(&house.run(&["delete-profile", "--name", "carla", "--yes"])).contains("no user"));
}

#[test]
fn help_shows_an_example() {
    for command in ["import", "import-profile", "delete-profile", "backup", "restore"] {
        let help = printed(&Program::run(Path::new("/nonexistent"), &[command, "--help"]));
        assert!(help.contains(&format!("finance {command} ")) && help.contains("Examples"), "{help}");
    }
}
