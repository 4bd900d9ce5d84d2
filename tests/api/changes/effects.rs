//! What an undo tells, earns, is refused for, and what is in its way.

use finance_domain::credentials::Role;
use finance_tests::{Client, TestApp, id};
use serde_json::{Value, json};
use time::Duration;

use super::{House, assert_same, assert_sums, books, change_of, undo};

/// The changes that refuse an undo.
fn in_the_way(client: &Client, change: i64) -> Value {
    let named = undo(client, change).problem(409, "ErrChangedSince")["changes"].clone();
    assert_eq!(client.get(&format!("/api/changes/{change}")).ok()["blocked_by"], named);
    named
}

fn weekly(house: &House) -> String {
    let body = json!({ "type": "expense", "description": "Faxina", "amount": "150.00", "category_id": house.home,
        "account_id": house.bank, "every": { "n": 1, "unit": "week" }, "start_on": "2026-03-02" });
    format!("/api/recurring/{}", house.ana.create("/api/recurring", body))
}

#[test]
fn what_was_noted_about_another_due_is_not_in_the_way() {
    let house = House::new();
    let ana = &house.ana;
    let item = weekly(&house);
    let ignore = |due: &str| change_of(&ana.post_nothing(&format!("{item}/ignore?due={due}"))).unwrap();
    let (first, second) = (ignore("2026-03-02"), ignore("2026-03-09"));
    undo(ana, first).ok();
    let again = change_of(&ana.post_nothing(&format!("{item}/unignore?due=2026-03-09"))).unwrap();
    assert_eq!(in_the_way(ana, second), json!([again]), "of the same due it is");
    // Links likewise, also of an item of months, and an edit of the item is none of a due's.
    let monthly = json!({ "type": "expense", "description": "Escola", "amount": "400.00", "category_id": house.home,
        "account_id": house.bank, "day": 5 });
    let monthly = format!("/api/recurring/{}", ana.create("/api/recurring", monthly));
    let (old, new) =
        (house.row(house.bank, "2026-02-03", "-7.00", None), house.row(house.bank, "2026-03-03", "-8.00", None));
    let link = |month: &str, row: i64| {
        change_of(&ana.post(&format!("{monthly}/link?month={month}"), json!({ "transaction_ids": [row] }))).unwrap()
    };
    let (february, march) = (link("2026-02", old), link("2026-03", new));
    change_of(&house.put(&monthly, &[("amount", json!("410.00"))])).unwrap();
    undo(ana, february).ok();
    let unlinked = change_of(&ana.post_nothing(&format!("{monthly}/unlink?month=2026-03"))).unwrap();
    assert_eq!(in_the_way(ana, march), json!([unlinked]));
    assert_sums(&house.app);
}

#[test]
fn what_was_noted_about_a_row_that_goes_is_in_the_way() {
    let house = House::new();
    let ana = &house.ana;
    let made = |path: &str, body: Value| {
        let reply = ana.post(path, body);
        (change_of(&reply).unwrap(), id(&reply.created()))
    };
    let monthly = json!({ "type": "expense", "description": "Escola", "amount": "400.00", "category_id": house.home,
        "account_id": house.bank, "day": 5 });
    let (item_made, item) = made("/api/recurring", monthly);
    let ignored = change_of(&ana.post_nothing(&format!("/api/recurring/{item}/ignore?month=2026-02"))).unwrap();
    assert_eq!(in_the_way(ana, item_made), json!([ignored]));
    let row = json!({ "type": "expense", "date": "2026-03-03", "description": "Colégio", "amount": "3.00", "account_id": house.bank });
    let (row_made, row) = made("/api/transactions", row);
    let linked = ana.post(&format!("/api/recurring/{item}/link?month=2026-03"), json!({ "transaction_ids": [row] }));
    let linked = change_of(&linked).unwrap();
    assert_eq!(in_the_way(ana, row_made), json!([linked]));
    assert_eq!(in_the_way(ana, item_made), json!([linked, ignored]), "the newest first");
    for change in [linked, row_made, ignored, item_made] {
        undo(ana, change).ok();
    }
    ana.get(&format!("/api/recurring/{item}")).problem(404, "ErrNotFound");
    assert_sums(&house.app);
}

#[test]
fn a_link_that_is_of_another_item_since_is_in_the_way() {
    let house = House::new();
    let ana = &house.ana;
    let monthly = |name: &str| {
        let body = json!({ "type": "expense", "description": name, "amount": "400.00", "category_id": house.home,
            "account_id": house.bank, "day": 5 });
        format!("/api/recurring/{}", ana.create("/api/recurring", body))
    };
    let (school, course) = (monthly("Escola"), monthly("Curso"));
    let row = house.row(house.bank, "2026-03-03", "-7.00", None);
    let link = |item: &str| {
        change_of(&ana.post(&format!("{item}/link?month=2026-03"), json!({ "transaction_ids": [row] }))).unwrap()
    };
    let unlink = |item: &str| change_of(&ana.post_nothing(&format!("{item}/unlink?month=2026-03"))).unwrap();
    let covered = |item: &str| ana.get(&format!("{item}?month=2026-03")).ok()["transaction_id"].clone();
    link(&school);
    let unlinked = unlink(&school);
    let taken = link(&course);
    assert_eq!(in_the_way(ana, unlinked), json!([taken]), "the row covers another item");
    assert_eq!((covered(&school), covered(&course)), (Value::Null, json!(row)));
    undo(ana, taken).ok();
    undo(ana, unlinked).ok();
    assert_eq!((covered(&school), covered(&course)), (json!(row), Value::Null));
    // A new item that was suggested took the row with it.
    let rows: Vec<i64> = ["2025-12", "2026-01", "2026-02", "2026-03"]
        .iter()
        .map(|month| {
            let body = json!({ "type": "expense", "date": format!("{month}-08"), "description": "Academia Forte", "amount": "90.00",
                "account_id": house.bank });
            ana.create("/api/transactions", body)
        })
        .collect();
    let linked = json!({ "transaction_ids": [rows[3]] });
    change_of(&ana.post(&format!("{course}/link?month=2026-03"), linked)).unwrap();
    let unlinked_from_course = unlink(&course);
    let suggested = ana.get("/api/recurring/suggestions").ok()[0]["id"].as_str().unwrap().to_string();
    let accept = format!("/api/recurring/suggestions/{suggested}/accept");
    let accepted = ana.post(&accept, json!({ "category_id": house.home }));
    let accepted = change_of(&accepted).unwrap();
    assert_eq!(in_the_way(ana, unlinked_from_course), json!([accepted]));
    let last = ana.get(&format!("/api/changes?transaction_id={}", rows[3])).ok()[0]["id"].as_i64().unwrap();
    assert_eq!(in_the_way(ana, last), json!([accepted]), "its row is named by the link of the item");
    // Of an item that is no longer of months the link covers nothing, so another item takes the row.
    house.put(&school, &[("every", json!({ "n": 1, "unit": "week" })), ("start_on", json!("2026-03-02"))]).ok();
    let taken = link(&course);
    let unlinked = unlink(&course);
    assert_eq!(in_the_way(ana, taken), json!([unlinked]));
    undo(ana, unlinked).ok();
    assert_eq!(covered(&course), json!(row));
    undo(ana, taken).ok();
    assert_eq!(covered(&course), Value::Null);
    assert_sums(&house.app);
}

#[test]
fn a_payment_that_was_noted_is_in_the_way_of_its_card() {
    let house = House::new();
    let ana = &house.ana;
    let made = ana.post("/api/accounts", json!({ "name": "Novo", "kind": "credit", "closing_day": 25, "due_day": 5 }));
    let (made, card) = (change_of(&made).unwrap(), id(&made.created()));
    let path = format!("/api/accounts/{card}");
    let bought = house.row(card, "2026-03-02", "-80.00", None);
    let bill = ana.get(&path).ok()["current_bill"]["id"].clone();
    let paid = change_of(&ana.post(&format!("/api/credit-bills/{bill}/pay"), json!({}))).unwrap();
    ana.delete(&format!("/api/transactions/{bought}")).gone();
    ana.delete(&path).problem(409, "ErrAccountInUse");
    let before = books(ana);
    assert_eq!(in_the_way(ana, made), json!([paid]), "as a deletion is refused");
    assert_same("refused", &before, &books(ana));
    undo(ana, paid).ok();
    undo(ana, made).ok();
    ana.get(&path).problem(404, "ErrNotFound");
    assert_sums(&house.app);
}

#[test]
fn parts_are_in_the_way_as_their_row_is() {
    let house = House::new();
    let ana = &house.ana;
    let row = format!("/api/transactions/{}", house.row(house.bank, "2026-03-02", "-10.00", None));
    let lines =
        json!([{ "category_id": house.food, "amount": "6.00" }, { "category_id": house.home, "amount": "4.00" }]);
    let split = change_of(&house.put(&row, &[("lines", lines)])).unwrap();
    let noted = change_of(&house.put(&row, &[("note", json!("x"))])).unwrap();
    assert_eq!(in_the_way(ana, split), json!([noted]));
    let card = format!("/api/accounts/{}", house.card);
    house.row(house.card, "2026-03-02", "-10.00", None);
    let bill = ana.get(&card).ok()["current_bill"]["id"].clone();
    let dated = change_of(&ana.put(&format!("/api/credit-bills/{bill}"), json!({ "due_date": "2026-04-07" }))).unwrap();
    let renamed = change_of(&house.put(&card, &[("name", json!("Visa"))])).unwrap();
    assert_eq!(in_the_way(ana, dated), json!([renamed]));
    let rule = json!({ "name": "Loja", "conditions": [{ "field": "description", "op": "contains", "value": "loja" }],
        "actions": [{ "action": "set_category", "category_id": house.home }] });
    let rule = format!("/api/rules/{}", ana.create("/api/rules", rule));
    let wider = json!([{ "field": "description", "op": "contains", "value": "lo" }]);
    let wider = change_of(&house.put(&rule, &[("conditions", wider)])).unwrap();
    let renamed = change_of(&house.put(&rule, &[("name", json!("Lo"))])).unwrap();
    assert_eq!(in_the_way(ana, wider), json!([renamed]));
    let food = json!([{ "category_id": house.food, "amount": "60.00" }]);
    let planned = change_of(&ana.put("/api/budgets/2026-03", json!({ "budgets": food }))).unwrap();
    let renamed =
        change_of(&house.put(&format!("/api/categories/{}", house.food), &[("name", json!("Feira"))])).unwrap();
    assert_eq!(in_the_way(ana, planned), json!([renamed]));
    for change in [renamed, planned] {
        undo(ana, change).ok();
    }
    assert_sums(&house.app);
}

#[test]
fn a_refusal_names_the_newest_hundred_changes() {
    let house = House::new();
    let ana = &house.ana;
    let body = |step: usize| json!({ "type": "expense", "date": "2026-03-02", "description": format!("{step}"), "amount": "5.00" });
    let made = ana.post("/api/transactions", body(0));
    let (first, path) = (change_of(&made).unwrap(), format!("/api/transactions/{}", id(&made.created())));
    let edits: Vec<i64> = (1..=103).map(|step| change_of(&ana.put(&path, body(step))).unwrap()).collect();
    let newest: Vec<i64> = edits.into_iter().rev().take(100).collect();
    assert_eq!(in_the_way(ana, first), json!(newest));
}

#[test]
fn an_undo_earns_nothing_and_only_tells_of_budgets() {
    let house = House::new();
    let ana = &house.ana;
    let events = ["import.confirmed", "bill.closed", "bill.due", "budget.exceeded", "transaction.created"];
    ana.post("/api/webhooks", json!({ "url": "https://hooks.example/x", "events": events })).created();
    let kinds = || -> Vec<Value> {
        let rows = house.app.rows("select kind from webhook_deliveries order by id");
        rows.into_iter().map(|row| row["kind"].clone()).collect()
    };
    let earned = || (ana.get("/api/gamification/profile").ok(), ana.get("/api/gamification/achievements").ok());
    let row = house.row(house.bank, "2026-03-02", "-130.00", Some(house.food));
    let before = kinds();
    assert!(before.contains(&json!("budget.exceeded")) && before.contains(&json!("transaction.created")), "{before:?}");
    let xp = earned();
    let gone = change_of(&ana.delete(&format!("/api/transactions/{row}"))).unwrap();
    let limit =
        change_of(&house.put(&format!("/api/categories/{}", house.food), &[("monthly_budget", json!("900.00"))]))
            .unwrap();
    undo(ana, gone).ok();
    assert_eq!((earned(), kinds()), (xp.clone(), before.clone()), "no XP, and no event");
    // The budget is exceeded again, by an undo.
    undo(ana, limit).ok();
    let file = finance_tests::ofx(&[("20260303", "-9.00", "u1", "BANCA")]);
    let imported = change_of(&ana.import(Some(house.bank), &file)).unwrap();
    let (xp, before) = (earned(), kinds());
    let undone = undo(ana, imported).ok()["change_id"].as_i64().unwrap();
    undo(ana, undone).ok();
    assert_eq!((earned(), kinds()), (xp, before));
    // So is one of a category whose budget is of one month only.
    let own = |amount: &str| {
        let budgets = json!({ "budgets": [{ "category_id": house.home, "amount": amount }] });
        change_of(&ana.put("/api/budgets/2026-03", budgets)).unwrap()
    };
    own("100.00");
    let raised = own("200.00");
    house.row(house.bank, "2026-03-05", "-150.00", Some(house.home));
    let before = kinds().len();
    undo(ana, raised).ok();
    assert_eq!(kinds()[before..], [json!("budget.exceeded")]);
}

#[test]
fn an_undo_keeps_to_the_limit_of_transactions() {
    let app = TestApp::start_with_transactions_max(4);
    let ana = app.user("ana");
    let row = |name: &str| {
        ana.create(
            "/api/transactions",
            json!({ "type": "expense", "date": "2026-03-02", "description": name, "amount": "1.00" }),
        )
    };
    let ids: Vec<i64> = ["a", "b", "c"].into_iter().map(row).collect();
    let gone = change_of(&ana.post("/api/transactions/delete", json!({ "ids": ids }))).unwrap();
    row("d");
    let last = row("e");
    let before = books(&ana);
    undo(&ana, gone).problem(409, "ErrLimitReached");
    assert_same("refused", &before, &books(&ana));
    ana.delete(&format!("/api/transactions/{last}")).gone();
    assert_eq!(undo(&ana, gone).ok()["restored"], 3);
}

#[test]
fn changes_name_members_tokens_and_what_undid_them() {
    let house = House::new();
    let ana = &house.ana;
    let bia = house.app.member(ana, "bia", Role::Editor);
    let token = bia.post("/api/tokens", json!({ "name": "script", "scopes": ["write"] })).created();
    let script = bia.with_token(token["token"].as_str().unwrap());
    let body = json!({ "type": "expense", "date": "2026-03-02", "description": "Um", "amount": "5.00" });
    let made = change_of(&script.post("/api/transactions", body)).unwrap();
    let read = |change: i64| ana.get(&format!("/api/changes/{change}")).ok();
    assert_eq!((&read(made)["member_name"], &read(made)["token_id"]), (&json!("bia"), &token["id"]));
    // Another member undoes it.
    let undone = undo(ana, made).ok()["change_id"].as_i64().unwrap();
    assert_eq!((&read(made)["undone_by"], &read(undone)["undoes"]), (&json!(undone), &json!(made)));
    assert_eq!((&read(undone)["kind"], &read(undone)["member_name"]), (&json!("changes.undo"), &json!("ana")));
    // Who has left has no name, and what was done stays.
    let member = read(made)["member_id"].clone();
    ana.delete(&format!("/api/members/{member}")).gone();
    let left = read(made);
    assert_eq!((&left["member_id"], &left["member_name"]), (&member, &Value::Null), "{left}");
    assert_eq!(ana.get(&format!("/api/changes?member_id={member}")).ok()[0]["id"], json!(made));
}

#[test]
fn rows_of_a_change_come_in_pages_and_what_is_old_is_unknown() {
    let house = House::new();
    let ana = &house.ana;
    let ids: Vec<i64> = (1..6).map(|day| house.row(house.bank, &format!("2026-03-0{day}"), "-1.00", None)).collect();
    let gone = change_of(&ana.post("/api/transactions/delete", json!({ "ids": ids }))).unwrap();
    let path = format!("/api/changes/{gone}");
    let (mut seen, mut next) = (Vec::new(), Some(format!("{path}?limit=2")));
    while let Some(page) = next {
        let reply = ana.get(&page);
        next = reply.next().map(str::to_string);
        let entries = reply.ok()["entries"].as_array().unwrap().clone();
        assert!(entries.len() <= 2);
        seen.extend(entries.iter().filter(|entry| entry["noun"] == "transactions").map(id));
    }
    seen.sort_unstable();
    assert_eq!(seen, ids);
    house.app.clock.advance(Duration::days(31));
    let ana = house.app.user("ana");
    assert_eq!(ana.get("/api/changes").ok(), json!([]));
    ana.get(&path).problem(404, "ErrNotFound");
    undo(&ana, gone).problem(404, "ErrNotFound");
    ana.get(&format!("/api/transactions/{}/changes", ids[0])).problem(404, "ErrNotFound");
}

#[test]
fn settings_are_changed_from_what_they_are_by_default() {
    let house = House::new();
    let ana = &house.ana;
    let put = |percent: i64| change_of(&ana.put("/api/settings", json!({ "savings_goal_pct": percent })));
    let before = books(ana);
    assert_eq!(put(40), None, "the same values");
    let first = put(50).unwrap();
    let shown = |change: i64| {
        let found = ana.get(&format!("/api/changes/{change}")).ok();
        (found["counts"].clone(), found["entries"].clone())
    };
    let counts = json!([{ "noun": "settings", "created": 0, "changed": 1, "removed": 0 }]);
    let entry = |before: i64, after: i64| {
        json!([{ "noun": "settings", "id": null, "op": "changed", "before": { "savings_goal_pct": before },
            "after": { "savings_goal_pct": after } }])
    };
    assert_eq!(shown(first), (counts.clone(), entry(40, 50)));
    assert_eq!(put(50), None);
    let undone = undo(ana, first).ok();
    assert_eq!((&undone["restored"], &undone["removed"], &undone["changed"]), (&json!(0), &json!(0), &json!(1)));
    assert_eq!(shown(undone["change_id"].as_i64().unwrap()), (counts, entry(50, 40)));
    assert_same("undone", &before, &books(ana));
    let redone = undo(ana, undone["change_id"].as_i64().unwrap()).ok();
    assert_eq!((&redone["restored"], &redone["removed"], &redone["changed"]), (&json!(0), &json!(0), &json!(1)));
    assert_eq!(ana.get("/api/settings").ok()["savings_goal_pct"], 50);
}
