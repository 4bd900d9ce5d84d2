//! `/api/changes`: what is recorded, and that an undo puts everything back.

mod derived;
mod effects;
mod forgetting;
mod limits;
mod openings;
mod parts;
mod random;
mod statements;
mod tables;

use finance_tests::{Client, Method, Reply, TestApp, id, ofx};
use serde_json::{Value, json};
use time::macros::date;

/// The export without its instant and without what was earned, and the transfers that are suggested.
fn books(client: &Client) -> Value {
    let mut export = client.get("/api/export").ok();
    let document = export.as_object_mut().unwrap();
    for name in ["exported_at", "xp_events", "xp_tallies", "category_achievements"] {
        document.remove(name);
    }
    document.insert("suggested".into(), client.get("/api/transfers/suggestions").ok());
    export
}

/// What differs, for the message of a failed test.
fn differing(before: &Value, after: &Value) -> String {
    let (before, after) = (before.as_object().unwrap(), after.as_object().unwrap());
    let differing = before.iter().filter(|(name, value)| after.get(*name) != Some(*value));
    differing.map(|(name, value)| format!("{name}:\n  {value}\n  {}\n", after[name])).collect()
}

fn assert_same(what: &str, before: &Value, after: &Value) {
    assert!(before == after, "{what}: {}", differing(before, after));
}

fn change_of(reply: &Reply) -> Option<i64> {
    reply.header("Finance-Change").map(|id| id.parse().unwrap())
}

fn undo(client: &Client, change: i64) -> Reply {
    client.post_nothing(&format!("/api/changes/{change}/undo"))
}

fn assert_sums(app: &TestApp) {
    assert_eq!(app.wrong_sums(), Vec::<String>::new());
}

/// A household with something of every noun.
struct House {
    app: TestApp,
    ana: Client,
    bank: i64,
    savings: i64,
    card: i64,
    food: i64,
    home: i64,
}

impl House {
    fn new() -> Self {
        let app = TestApp::start();
        app.clock.set_today(date!(2026 - 03 - 10));
        let ana = app.user("ana");
        let account = |name: &str, kind: &str, balance: &str| {
            let body = json!({ "name": name, "kind": kind, "opening_balance": balance, "opening_date": "2026-02-01" });
            ana.create("/api/accounts", body)
        };
        let (bank, savings) = (account("Conta", "current", "5000.00"), account("Poupança", "savings", "0"));
        let card = ana.open_card("Cartão", 25, 5);
        let food = ana.create("/api/categories", json!({ "name": "Comida", "monthly_budget": "100.00" }));
        let home = ana.create("/api/categories", json!({ "name": "Lar" }));
        House { app, ana, bank, savings, card, food, home }
    }

    /// Checks that a write is recorded as of that kind, and that its undo and the undo of that put everything back.
    fn recorded(&self, kind: &str, subject: impl Into<Value>, write: impl FnOnce(&Self) -> Reply) -> Value {
        let ana = &self.ana;
        let before = books(ana);
        let stored = tables::stored(&self.app);
        let reply = write(self);
        assert!(reply.status < 300, "{kind}: {reply:?}");
        let change = change_of(&reply).unwrap_or_else(|| panic!("{kind} is not recorded: {reply:?}"));
        // A write that misses rows which follow from it would leave them behind at an undo.
        let touched = tables::differing(&stored, &tables::stored(&self.app));
        assert_eq!(tables::entries(&self.app, change), touched, "{kind}");
        let after = books(ana);
        assert_ne!(before, after, "{kind}");
        let shown = ana.get(&format!("/api/changes/{change}")).ok();
        assert_eq!((&shown["kind"], &shown["subject"]), (&json!(kind), &subject.into()), "{shown}");
        assert_eq!(shown["blocked_by"], json!([]), "{shown}");
        assert_ne!(shown["counts"], json!([]), "{shown}");
        assert_sums(&self.app);
        let undone = undo(ana, change).ok();
        assert_same(&format!("{kind} undone"), &before, &books(ana));
        assert_sums(&self.app);
        undo(ana, change).problem(409, "ErrAlreadyUndone");
        let redo = undo(ana, undone["change_id"].as_i64().unwrap());
        assert_eq!(redo.status, 200, "{kind} redone: {redo:?}");
        assert_same(&format!("{kind} redone"), &after, &books(ana));
        assert_sums(&self.app);
        reply.json_or_null()
    }

    fn row(&self, account: i64, day: &str, amount: &str, category: Option<i64>) -> i64 {
        let kind = if amount.starts_with('-') { "expense" } else { "income" };
        let body = json!({ "type": kind, "date": day, "description": "Loja", "amount": amount.trim_start_matches('-'),
            "account_id": account, "category_id": category });
        self.ana.create("/api/transactions", body)
    }

    fn put(&self, path: &str, change: &[(&str, Value)]) -> Reply {
        let mut body = self.ana.get(path).ok();
        for (field, value) in change {
            body[*field] = value.clone();
        }
        self.ana.put(path, body)
    }
}

trait OrNull {
    fn json_or_null(&self) -> Value;
}

impl OrNull for Reply {
    fn json_or_null(&self) -> Value {
        if self.status == 204 { Value::Null } else { self.json() }
    }
}

#[test]
fn every_write_of_transactions_is_undone_and_redone() {
    let house = House::new();
    let ana = &house.ana;
    let body = |amount: &str, account: i64| {
        json!({ "type": "expense", "date": "2026-03-02", "description": "Padaria", "amount": amount,
        "account_id": account, "category_id": house.food, "tags": ["a", "b"], "note": "duas\nlinhas" })
    };
    let created = house.recorded("transactions.create", "Padaria", |house| {
        house.ana.post("/api/transactions", body("12.34", house.bank))
    });
    let path = format!("/api/transactions/{}", id(&created));
    house.recorded("transactions.create", "Padaria", |house| {
        house.ana.post("/api/transactions", body("50.00", house.card))
    });
    let mut split = body("100.00", house.card);
    split["category_id"] = Value::Null;
    split["lines"] =
        json!([{ "category_id": house.food, "amount": "60.00" }, { "category_id": house.home, "amount": "40.00" }]);
    house.recorded("transactions.update", "Padaria", |house| house.ana.put(&path, split.clone()));
    let mut renamed = split.clone();
    renamed["description"] = json!("Mercado");
    house.recorded("transactions.update", "Mercado", |house| house.ana.put(&path, renamed.clone()));
    let same = ana.put(&path, renamed.clone());
    assert_eq!((same.status, change_of(&same)), (200, None), "the same values are no change");
    let rows: Vec<i64> = (1..4).map(|day| house.row(house.bank, &format!("2026-03-0{day}"), "-10.00", None)).collect();
    house.recorded("transactions.update", Value::Null, |house| {
        house.ana.post("/api/transactions/update", json!({ "ids": rows, "category_id": house.home }))
    });
    house.recorded("transactions.delete", Value::Null, |house| {
        house.ana.post("/api/transactions/delete", json!({ "ids": rows }))
    });
    house.recorded("transactions.delete", "Mercado", |house| house.ana.delete(&path));
    let transfer =
        json!({ "from_account_id": house.bank, "to_account_id": house.savings, "amount": "500", "date": "2026-03-10" });
    let made =
        house.recorded("transfers.create", Value::Null, |house| house.ana.post("/api/transfers", transfer.clone()));
    house.recorded("transfers.delete", Value::Null, |house| house.ana.delete(&format!("/api/transfers/{}", id(&made))));
    let (from, to) =
        (house.row(house.bank, "2026-03-03", "-77.00", None), house.row(house.savings, "2026-03-03", "77.00", None));
    let pair = json!({ "from_id": from, "to_id": to });
    let linked =
        house.recorded("transfers.link", Value::Null, |house| house.ana.post("/api/transfers/link", pair.clone()));
    house.recorded("transfers.unlink", Value::Null, |house| {
        house.ana.post_nothing(&format!("/api/transfers/{}/unlink", id(&linked)))
    });
    let (from, to) =
        (house.row(house.bank, "2026-03-04", "-78.00", None), house.row(house.savings, "2026-03-04", "78.00", None));
    house.recorded("transfers.reject", Value::Null, |house| {
        house.ana.post("/api/transfers/reject", json!({ "from_id": from, "to_id": to }))
    });
    let plan = json!({ "account_id": house.card, "description": "TV", "total_amount": "300.00", "count": 3, "date": "2026-03-01" });
    let plan =
        house.recorded("installments.create", Value::Null, |house| house.ana.post("/api/installments", plan.clone()));
    let plan = format!("/api/installments/{}", id(&plan));
    house.recorded("installments.update", "TV - Parcela 1/3", |house| house.ana.put(&plan, json!({ "ended": true })));
    house.recorded("installments.delete", "TV - Parcela 1/3", |house| house.ana.delete(&plan));
    house.recorded("transactions.delete", "2026-03", |house| house.ana.delete("/api/transactions?month=2026-03"));
}

#[test]
fn every_write_of_the_other_nouns_is_undone_and_redone() {
    let house = House::new();
    house.row(house.bank, "2026-03-03", "-10.00", Some(house.food));
    house.row(house.card, "2026-03-03", "-30.00", Some(house.food));
    let category = house.recorded("categories.create", "Festas", |house| {
        house.ana.post("/api/categories", json!({ "name": "Festas", "monthly_budget": "5.00" }))
    });
    let festas = id(&category);
    house.recorded("categories.update", "Festanças", |house| {
        house.put(
            &format!("/api/categories/{festas}"),
            &[("name", json!("Festanças")), ("monthly_budget", json!("7.00"))],
        )
    });
    house.recorded("categories.update", "2026-03", |house| {
        house.ana.put("/api/budgets/2026-03", json!({ "budgets": [{ "category_id": festas, "amount": "3.00" }] }))
    });
    house.row(house.bank, "2026-03-04", "-11.00", Some(festas));
    house.recorded("categories.delete", "Festanças", |house| {
        house.ana.delete(&format!("/api/categories/{festas}?move_to={}", house.food))
    });
    let account = house.recorded("accounts.create", "Nova", |house| {
        house.ana.post("/api/accounts", json!({ "name": "Nova", "kind": "savings", "opening_balance": "10.00" }))
    });
    let nova = format!("/api/accounts/{}", id(&account));
    house.recorded("accounts.update", "Velha", |house| house.put(&nova, &[("name", json!("Velha"))]));
    house.recorded("anchors.set", "Velha", |house| {
        house.ana.put(&format!("{nova}/anchors/2026-03-09"), json!({ "amount": "25.00" }))
    });
    house.recorded("accounts.delete", "Velha", |house| house.ana.delete(&nova));
    house.recorded("accounts.create", "Outro", |house| {
        house.ana.post("/api/accounts", json!({ "name": "Outro", "kind": "credit", "closing_day": 3, "due_day": 10 }))
    });
    house.recorded("accounts.update", "Cartão", |house| {
        house.put(&format!("/api/accounts/{}", house.card), &[("closing_day", json!(20)), ("due_day", json!(1))])
    });
    let item = json!({ "type": "income", "description": "Salário", "amount": "4000.00", "category_id": house.home, "account_id": house.bank, "day": 5 });
    let item = house.recorded("recurring.create", "Salário", |house| house.ana.post("/api/recurring", item.clone()));
    let item = format!("/api/recurring/{}", id(&item));
    for (action, kind) in [
        ("late", "recurring.late"),
        ("unlate", "recurring.unlate"),
        ("ignore", "recurring.ignore"),
        ("unignore", "recurring.unignore"),
        ("confirm", "recurring.confirm"),
    ] {
        house.recorded(kind, "Salário", |house| {
            house.ana.post(
                &format!("{item}/{action}"),
                json!({ "month": "2026-03", "date": "2026-03-05", "amount": "4000.00" }),
            )
        });
    }
    house.recorded("recurring.update", "Ordenado", |house| house.put(&item, &[("description", json!("Ordenado"))]));
    house.recorded("recurring.delete", "Ordenado", |house| house.ana.delete(&item));
    let rule = json!({ "name": "Loja", "conditions": [{ "field": "description", "op": "contains", "value": "loja" }],
        "actions": [{ "action": "set_category", "category_id": house.home }] });
    let rule = house.recorded("rules.create", "Loja", |house| house.ana.post("/api/rules", rule.clone()));
    let rule = format!("/api/rules/{}", id(&rule));
    house.recorded("rules.update", "Lojas", |house| house.put(&rule, &[("name", json!("Lojas"))]));
    house.recorded("rules.delete", "Lojas", |house| house.ana.delete(&rule));
    house.recorded("settings.update", Value::Null, |house| {
        house.put("/api/settings", &[("savings_goal_pct", json!(33)), ("own_names", json!(["Ana Souza"]))])
    });
}

/// The files of the acceptance of transfers.
fn files() -> (Vec<u8>, Vec<u8>) {
    let card = ofx(&[
        ("20260210", "-300.00", "c1", "MERCADO A"),
        ("20260220", "-700.00", "c2", "LOJA B - Parcela 1/3"),
        ("20260302", "-120.00", "c3", "POSTO C"),
        ("20260305", "1000.00", "c4", "Pagamento recebido"),
        ("20260308", "50.00", "c5", "Estorno LOJA D"),
    ]);
    let bank = ofx(&[
        ("20260301", "4000.00", "b1", "SALARIO"),
        ("20260305", "-1000.00", "b2", "PAGAMENTO FATURA CARTAO"),
        ("20260306", "-200.00", "b3", "PIX ENVIADO FULANO"),
    ]);
    (card, bank)
}

#[test]
fn a_month_is_deleted_and_undone() {
    let house = House::new();
    let ana = &house.ana;
    let (card, bank) = files();
    house.recorded("imports.confirm", "statement", |house| house.ana.import(Some(house.card), &card));
    house.recorded("imports.confirm", "statement", |house| house.ana.import(Some(house.bank), &bank));
    let figures = |path: &str| ana.get(path).ok();
    let paths = ["/api/accounts", "/api/credit-bills", "/api/dashboard", "/api/transactions", "/api/net-worth"];
    let before: Vec<Value> = paths.map(figures).into();
    let balance = |account: i64| figures(&format!("/api/accounts/{account}"))["balance"].clone();
    let bill = || {
        figures("/api/credit-bills")
            .as_array()
            .unwrap()
            .iter()
            .find(|bill| bill["period_end"] == "2026-02-24")
            .unwrap()
            .clone()
    };
    assert_eq!(
        (balance(house.bank), balance(house.card), bill()["status"].clone()),
        (json!("7800.00"), json!("-70.00"), json!("paid"))
    );
    let deleted = ana.delete("/api/transactions?month=2026-03");
    assert_eq!(deleted.json(), json!({ "deleted": 6 }));
    let change = change_of(&deleted).unwrap();
    assert_eq!(
        (balance(house.bank), balance(house.card), bill()["status"].clone()),
        (json!("5000.00"), json!("-1000.00"), json!("unpaid"))
    );
    let undone = undo(ana, change).ok();
    let counts = json!({ "change_id": undone["change_id"], "restored": 6, "removed": 0, "changed": 0 });
    assert_eq!(undone, counts);
    for (path, before) in paths.iter().zip(before) {
        assert_eq!(figures(path), before, "{path}");
    }
    assert_sums(&house.app);
    for (account, file) in [(house.card, &card), (house.bank, &bank)] {
        let again = ana.import(Some(account), file).created();
        assert_eq!(again["inserted"], 0, "{again}");
    }
}

#[test]
fn imports_bills_and_held_statements_are_undone_and_redone() {
    let house = House::new();
    let ana = &house.ana;
    let (card, bank) = files();
    house.recorded("imports.confirm", "statement", |house| house.ana.import(Some(house.bank), &bank));
    let import = ana.import(Some(house.card), &card).created();
    house.recorded("imports.undo", "statement", |house| {
        house.ana.delete(&format!("/api/imports/{}", import["import_id"]))
    });
    let other = ana.open_card("Outro", 25, 5);
    house.row(other, "2026-02-10", "-40.00", Some(house.food));
    let bills = ana.get("/api/credit-bills").ok();
    let bill = bills
        .as_array()
        .unwrap()
        .iter()
        .find(|bill| bill["period_end"] == "2026-02-24" && bill["account_id"] == other)
        .unwrap();
    let bill = format!("/api/credit-bills/{}", id(bill));
    house.recorded("credit_bills.pay", Value::Null, |house| {
        house.ana.post(&format!("{bill}/pay"), json!({ "account_id": house.bank, "date": "2026-03-05" }))
    });
    house.recorded("credit_bills.unpay", Value::Null, |house| house.ana.post_nothing(&format!("{bill}/unpay")));
    house.recorded("credit_bills.set_dates", Value::Null, |house| {
        house.ana.put(&bill, json!({ "due_date": "2026-03-07" }))
    });
    // The bill that is open becomes a part of the one that closes later.
    let third = ana.open_card("Terceiro", 3, 13);
    house.row(third, "2026-02-20", "-40.00", Some(house.food));
    let bills = ana.get(&format!("/api/credit-bills?account_id={third}")).ok();
    assert_eq!(bills[1]["closing_date"], "2026-03-03", "{bills}");
    house.recorded("credit_bills.set_dates", Value::Null, |house| {
        house.ana.put(&format!("/api/credit-bills/{}", id(&bills[1])), json!({ "closing_date": "2026-03-12" }))
    });
    // A row of an older bill brings that bill, and those after it.
    let old = json!({ "type": "expense", "date": "2025-11-29", "description": "Antiga", "amount": "250.50", "account_id": third });
    house.recorded("transactions.create", "Antiga", |house| house.ana.post("/api/transactions", old));
    let held = ofx(&[("20260401", "-15.00", "h1", "LIVRARIA")]);
    house.recorded("pending_bills.hold", "fatura", |house| house.ana.import_card(house.card, "2026-05-05", &held));
    let pending = ana.get("/api/pending-bills").ok()[0].clone();
    let pending = format!("/api/pending-bills/{}", id(&pending));
    house.recorded("pending_bills.confirm", "fatura", |house| house.ana.post_nothing(&format!("{pending}/confirm")));
    ana.import_card(house.card, "2026-06-05", &ofx(&[("20260501", "-16.00", "h2", "LIVRARIA")])).expect(202);
    let pending = ana
        .get("/api/pending-bills")
        .ok()
        .as_array()
        .unwrap()
        .iter()
        .find(|held| held["status"] == "pending")
        .unwrap()
        .clone();
    house.recorded("pending_bills.discard", "fatura", |house| {
        house.ana.delete(&format!("/api/pending-bills/{}", id(&pending)))
    });
}

#[test]
fn what_later_changes_met_is_in_the_way() {
    let house = House::new();
    let ana = &house.ana;
    let row = |name: &str| json!({ "type": "expense", "date": "2026-03-02", "description": name, "amount": "5.00", "account_id": house.bank });
    let created = ana.post("/api/transactions", row("Um"));
    let (first, path) = (change_of(&created).unwrap(), format!("/api/transactions/{}", id(&created.json())));
    let second = change_of(&ana.put(&path, row("Dois"))).unwrap();
    let refused = undo(ana, first).problem(409, "ErrChangedSince");
    assert_eq!(refused["changes"], json!([second]));
    assert_eq!(ana.get(&format!("/api/changes/{first}")).ok()["blocked_by"], json!([second]));
    let third = undo(ana, second).ok()["change_id"].as_i64().unwrap();
    assert_eq!(ana.get(&path).ok()["description"], "Um");
    assert_eq!(ana.get(&format!("/api/changes/{first}")).ok()["blocked_by"], json!([]), "{third} and {second} cancel");
    undo(ana, first).ok();
    ana.get(&path).problem(404, "ErrNotFound");
    // A returning row names a category that is gone, and a category that goes is named by a row.
    let made = ana.post("/api/categories", json!({ "name": "Festa" }));
    let (made, category) = (change_of(&made).unwrap(), id(&made.json()));
    let mut in_it = row("Bolo");
    in_it["category_id"] = json!(category);
    let used = ana.post("/api/transactions", in_it);
    let (used, row_of_it) = (change_of(&used).unwrap(), id(&used.json()));
    assert_eq!(undo(ana, made).problem(409, "ErrChangedSince")["changes"], json!([used]));
    let gone = change_of(&ana.delete(&format!("/api/transactions/{row_of_it}"))).unwrap();
    let removed = change_of(&ana.delete(&format!("/api/categories/{category}"))).unwrap();
    assert_eq!(undo(ana, gone).problem(409, "ErrChangedSince")["changes"], json!([removed]));
    // Its name is taken.
    let taken = change_of(&ana.post("/api/categories", json!({ "name": "festa" }))).unwrap();
    assert_eq!(undo(ana, removed).problem(409, "ErrChangedSince")["changes"], json!([taken]));
    undo(ana, taken).ok();
    undo(ana, removed).ok();
    undo(ana, gone).ok();
    assert_eq!(ana.get(&format!("/api/transactions/{row_of_it}")).ok()["category_id"], category);
    assert_sums(&house.app);
}

#[test]
fn a_deleted_import_that_was_imported_again_is_in_the_way() {
    let house = House::new();
    let (card, _) = files();
    let import = house.ana.import(Some(house.card), &card).created();
    let gone = change_of(&house.ana.delete(&format!("/api/imports/{}", import["import_id"]))).unwrap();
    let again = change_of(&house.ana.import(Some(house.card), &card)).unwrap();
    assert_eq!(undo(&house.ana, gone).problem(409, "ErrChangedSince")["changes"], json!([again]));
    undo(&house.ana, again).ok();
    undo(&house.ana, gone).ok();
    assert_sums(&house.app);
}

#[test]
fn what_was_imported_again_is_judged_as_an_import_judges_it() {
    let house = House::new();
    let ana = &house.ana;
    let import = |rows: &[(&str, &str, &str, &str)]| ana.import(Some(house.bank), &ofx(rows));
    // The bank writes the text anew under the same id, and another time gives another id.
    for (first, again) in [
        (("20260301", "-12.00", "j1", "PADARIA SOL"), ("20260301", "-12.00", "j1", "Padaria do Sol Ltda")),
        (("20260302", "-13.00", "j2", "AÇOUGUE"), ("20260302", "-13.00", "j9", "Acougue")),
    ] {
        let gone = import(&[first]).created();
        let gone = change_of(&ana.delete(&format!("/api/imports/{}", gone["import_id"]))).unwrap();
        let again = import(&[again]);
        let blocking = change_of(&again).unwrap();
        assert_eq!(again.json()["inserted"], 1);
        assert_eq!(undo(ana, gone).problem(409, "ErrChangedSince")["changes"], json!([blocking]));
        undo(ana, blocking).ok();
        undo(ana, gone).ok();
    }
    // Two equal rows are two purchases: one that stayed is not one that came again.
    let twice = import(&[("20260303", "-5.00", "c1", "CAFE"), ("20260303", "-5.00", "c2", "CAFE")]).created();
    let one = id(&twice["transactions"][0]);
    let gone = change_of(&ana.delete(&format!("/api/transactions/{one}"))).unwrap();
    let other =
        house.put(&format!("/api/transactions/{}", id(&twice["transactions"][1])), &[("note", json!("com leite"))]);
    assert_eq!(other.status, 200);
    undo(ana, gone).ok();
    assert_sums(&house.app);
}

#[test]
fn a_row_alone_is_recorded_with_its_change_and_one_that_brings_more_by_entries() {
    let house = House::new();
    let count = |table: &str| house.app.rows(&format!("select count(*) as n from {table}"))[0]["n"].as_i64().unwrap();
    let counts = || (count("changes"), count("change_entries"));
    let (changes, entries) = counts();
    house.row(house.bank, "2026-03-02", "-5.00", Some(house.food));
    assert_eq!(counts(), (changes + 1, entries));
    let follows =
        house.ana.create("/api/accounts", json!({ "name": "Hoje", "kind": "current", "balance_today": "100.00" }));
    let (changes, entries) = counts();
    house.row(follows, "2026-03-02", "-5.00", Some(house.food));
    let (later_changes, later_entries) = counts();
    assert_eq!(later_changes, changes + 1, "the one that was stored with the row is gone");
    assert!(later_entries > entries, "its opening balance follows");
}

#[test]
fn a_write_is_recorded_however_its_address_is_encoded() {
    let house = House::new();
    let row = house.row(house.bank, "2026-03-02", "-5.00", None);
    let (bank, day) = (house.bank, "2026-03-02");
    let body = |amount: &str| json!({ "type": "expense", "date": day, "description": "Loja", "amount": amount, "account_id": bank });
    for (prefix, amount) in [("%2B", "6.00"), ("%2b", "7.00"), ("0", "8.00")] {
        let path = format!("/api/transactions/{prefix}{row}");
        house.recorded("transactions.update", "Loja", |house| house.ana.put(&path, body(amount)));
    }
    let month = |house: &House| house.ana.delete("/api/transactions?%6Donth=2026%2D03");
    house.recorded("transactions.delete", "2026-03", month);
}

#[test]
fn the_list_tells_who_did_what_and_when() {
    let house = House::new();
    let ana = &house.ana;
    let bia = house.app.member(ana, "bia", finance_domain::credentials::Role::Editor);
    let created = bia.post(
        "/api/transactions",
        json!({ "type": "expense", "date": "2026-03-02", "description": "Um",
        "amount": "5.00", "account_id": house.bank, "category_id": house.food }),
    );
    let (change, row) = (change_of(&created).unwrap(), id(&created.json()));
    let listed = ana.get("/api/changes").ok();
    let member = bia.get("/api/auth/me").ok()["member_id"].clone();
    let expected = json!({ "id": change, "at": listed[0]["at"], "kind": "transactions.create", "subject": "Um",
        "counts": [{ "noun": "transactions", "created": 1, "changed": 0, "removed": 0 }], "member_id": member,
        "member_name": "bia", "token_id": null, "undoes": null, "undone_by": null });
    assert_eq!(listed[0], expected);
    let of_bia = format!("/api/changes?member_id={member}");
    assert_eq!(ana.get(&of_bia).ok(), json!([expected]));
    assert_eq!(ana.get("/api/changes?to=2026-03-09").ok(), json!([]));
    assert_eq!(ana.get("/api/changes?from=2026-03-10&to=2026-03-10").ok(), listed);
    assert_eq!(ana.get("/api/changes?from=2026-03-11").ok(), json!([]));
    ana.get("/api/changes?from=2026-03-11&to=2026-03-10").invalid(&["to"]);
    ana.get("/api/changes?from=x&to=y&member_id=z&transaction_id=w&limit=0&cursor=!").invalid(&[
        "from",
        "to",
        "member_id",
        "transaction_id",
        "limit",
        "cursor",
    ]);
    let page = ana.get("/api/changes?limit=1");
    let rest = ana.get(page.next().unwrap());
    assert_eq!(rest.json()[0], listed[1]);
    let path = format!("/api/transactions/{row}");
    let edited =
        change_of(&house.put(&path, &[("category_id", json!(house.home)), ("description", json!("Dois"))])).unwrap();
    let details = ana.get(&format!("/api/changes/{edited}")).ok();
    assert_eq!(
        details["entries"],
        json!([{ "noun": "transactions", "id": row, "op": "changed",
        "before": { "category_id": house.food, "description": "Um" }, "after": { "category_id": house.home, "description": "Dois" } }])
    );
    let details = ana.get(&format!("/api/changes/{change}")).ok();
    assert_eq!(details["entries"][0]["after"]["description"], "Um", "as the change left it");
    assert_eq!(details["entries"][0]["before"], Value::Null);
    ana.delete(&path).gone();
    let of_row = ana.get(&format!("{path}/changes")).ok();
    let ops: Vec<&Value> = of_row.as_array().unwrap().iter().map(|change| &change["entry"]["op"]).collect();
    assert_eq!(ops, ["removed", "changed", "created"]);
    assert_eq!(of_row[0]["entry"]["before"]["type"], "expense");
    assert_eq!(ana.get(&format!("/api/changes?transaction_id={row}")).ok().as_array().unwrap().len(), 3);
    ana.get("/api/transactions/999999999/changes").problem(404, "ErrNotFound");
    ana.get("/api/changes/999999999").problem(404, "ErrNotFound");
    undo(ana, 999_999_999).problem(404, "ErrNotFound");
}

#[test]
fn of_two_undos_at_once_one_is_done() {
    let house = House::new();
    let row = house.row(house.bank, "2026-03-02", "-5.00", None);
    let change = change_of(&house.ana.delete(&format!("/api/transactions/{row}"))).unwrap();
    let mut statuses: Vec<u16> = std::thread::scope(|scope| {
        let both: Vec<_> = (0..2).map(|_| scope.spawn(|| undo(&house.ana, change).status)).collect();
        both.into_iter().map(|one| one.join().unwrap()).collect()
    });
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409]);
}

#[test]
fn a_replayed_answer_names_the_change_too() {
    let house = House::new();
    let body = serde_json::to_vec(&json!({ "name": "Festa" })).unwrap();
    let send = || {
        let headers = [("Idempotency-Key", "a-key")];
        house.ana.send_with(Method::POST, "/api/categories", Some("application/json"), body.clone(), &headers)
    };
    let (first, again) = (send(), send());
    assert_eq!(again.header("Idempotency-Replayed"), Some("true"));
    assert_eq!((change_of(&first).is_some(), change_of(&again)), (true, change_of(&first)));
}
