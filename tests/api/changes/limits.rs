//! Undos of what there is no room for any more, or what only owners decide.

use finance_domain::credentials::Role;
use finance_tests::{Client, Method, Reply, ofx};
use serde_json::{Value, json};
use time::Duration;
use time::macros::date;

use super::{House, assert_same, books, change_of, undo};

/// Fills a table with SQL: `given` has the values of `n` from 1 to `count`.
fn fill(house: &House, table: &str, columns: &str, given: &str, count: i64) {
    let profile = house.ana.caller().profile_id.0;
    house.app.sql(&format!(
        "insert into {table} (profile_id, {columns}) select {profile}, {given} from generate_series(1, {count}) as n"
    ));
}

fn listed(client: &Client, path: &str) -> i64 {
    client.get(path).ok().as_array().unwrap().len() as i64
}

#[test]
fn a_deletion_is_not_undone_beyond_a_limit() {
    let house = House::new();
    let ana = &house.ana;
    let monthly =
        json!({ "type": "expense", "description": "Escola", "amount": "1.00", "category_id": house.home, "day": 5 });
    let weekly = json!({ "type": "expense", "description": "Faxina", "amount": "1.00", "category_id": house.home,
        "every": { "n": 1, "unit": "day" }, "start_on": "2026-03-02" });
    let rule = json!({ "name": "R", "conditions": [{ "field": "description", "op": "contains", "value": "loja" }],
        "actions": [{ "action": "mark_transfer" }] });
    let categories = ("categories", "name, name_key, is_tax, is_standard", "n::text, n::text, false, false");
    let accounts = ("accounts", "name, name_key, kind", "n::text, n::text, 'current'");
    let rules = ("rules", "name, position, is_enabled, matching", "n::text, n, true, 'all'");
    let items = "kind, description, amount, category_id, day";
    let item = format!("'expense', 'Algo', n, {}, 5", house.home);
    for (path, body, (table, columns, given), max) in [
        ("/api/categories", json!({ "name": "Festa" }), categories, 500),
        ("/api/accounts", json!({ "name": "Cofre", "kind": "current" }), accounts, 200),
        ("/api/rules", rule, rules, 200),
        ("/api/recurring", monthly, ("recurring", items, item.as_str()), 500),
    ] {
        let gone = ana.create(path, body);
        let gone = change_of(&ana.delete(&format!("{path}/{gone}"))).unwrap();
        fill(&house, table, columns, given, max - listed(ana, path));
        let before = books(ana);
        let problem = undo(ana, gone).problem(409, "ErrLimitReached");
        assert!(problem["detail"].as_str().unwrap().contains(&format!("at most {max} ")), "{problem}");
        assert_same(path, &before, &books(ana));
        house.app.sql(&format!("delete from {table} where id = (select max(id) from {table})"));
        assert_eq!(undo(ana, gone).ok()["restored"], 1, "{path}");
        house.app.sql(&format!("delete from {table} where id > (select max(id) - 100 from {table})"));
    }
    // Dues within 31 days are limited too.
    house.app.sql("delete from recurring");
    let gone = ana.create("/api/recurring", weekly);
    let gone = change_of(&ana.delete(&format!("/api/recurring/{gone}"))).unwrap();
    fill(
        &house,
        "recurring",
        "kind, description, amount, category_id, day, every_n, every_unit, start_on",
        &format!("'expense', 'Algo', n, {}, 2, 1, 'day', '2026-03-02'", house.home),
        32,
    );
    let problem = undo(ana, gone).problem(409, "ErrLimitReached");
    assert!(problem["detail"].as_str().unwrap().contains("occurrences"), "{problem}");
    house.app.sql("delete from recurring");
    undo(ana, gone).ok();
}

#[test]
fn a_statement_is_not_held_again_beyond_the_limit() {
    let house = House::new();
    let ana = &house.ana;
    let file = ofx(&[("20260301", "-9.00", "h1", "LOJA")]);
    ana.import_card(house.card, "2026-04-05", &file).expect(202);
    let held = ana.get("/api/pending-bills").ok()[0]["id"].clone();
    let path = format!("/api/pending-bills/{held}");
    let confirmed = change_of(&ana.post_nothing(&format!("{path}/confirm"))).unwrap();
    fill(
        &house,
        "pending_bills",
        "payment_date, format, total, row_count, status",
        "'2026-04-01', 'csv', 1, 1, 'pending'",
        200,
    );
    undo(ana, confirmed).problem(409, "ErrLimitReached");
    house.app.sql("delete from pending_bills where id = (select max(id) from pending_bills)");
    undo(ana, confirmed).ok();
    let discarded = change_of(&ana.delete(&path)).unwrap();
    fill(
        &house,
        "pending_bills",
        "payment_date, format, total, row_count, status",
        "'2026-04-01', 'csv', 1, 1, 'pending'",
        1,
    );
    undo(ana, discarded).problem(409, "ErrLimitReached");
}

#[test]
fn only_owners_undo_what_only_owners_change() {
    let house = House::new();
    let ana = &house.ana;
    let editor = house.app.member(ana, "bia", Role::Editor);
    let days = |days: Value| change_of(&house.put("/api/settings", &[("second_factor_days", days)])).unwrap();
    let set = days(json!(30));
    undo(&editor, set).problem(403, "ErrNotAllowed");
    assert_eq!(ana.get("/api/settings").ok()["second_factor_days"], 30);
    let undone = undo(ana, set).ok()["change_id"].as_i64().unwrap();
    undo(&editor, undone).problem(403, "ErrNotAllowed");
    assert_eq!(ana.get("/api/settings").ok()["second_factor_days"], Value::Null);
    // What editors change of the settings they undo, whoever did it.
    let goal = change_of(&house.put("/api/settings", &[("savings_goal_pct", json!(55))])).unwrap();
    undo(&editor, goal).ok();
}

#[test]
fn an_answer_with_changes_that_the_client_has_is_not_sent_again() {
    let house = House::new();
    let ana = &house.ana;
    let row = house.row(house.bank, "2026-03-02", "-5.00", None);
    let change = change_of(&ana.delete(&format!("/api/transactions/{row}"))).unwrap();
    let paths =
        ["/api/changes".to_string(), format!("/api/changes/{change}"), format!("/api/transactions/{row}/changes")];
    let tag = |reply: &Reply| reply.header("ETag").expect("a tag").to_string();
    let ask = |client: &Client, path: &str, tag: &str| {
        client.send_with(Method::GET, path, None, Vec::new(), &[("If-None-Match", tag)])
    };
    ana.get("/api/accounts").ok();
    for path in &paths {
        let known = tag(&ana.get(path));
        assert_eq!(ask(ana, path, &known).status, 304, "{path}");
        // The command line changes members without a write of the books.
        house.app.sql("update members set name = name || 'x' where name <> 'ana'");
        assert_eq!(ask(ana, path, &known).status, 304, "{path}");
        house.app.sql("update members set name = 'anna' where name = 'ana'");
        assert_eq!(ask(ana, path, &known).status, 200, "{path}");
        house.app.sql("update members set name = 'ana' where name = 'anna'");
        house.row(house.bank, "2026-03-03", "-6.00", None);
        assert_eq!(ask(ana, path, &known).status, 200, "{path}: something was written");
    }
    let known = tag(&ana.get(&paths[0]));
    let kept = ana.get(&paths[0]).ok().as_array().unwrap().len();
    assert!(kept > 0);
    house.app.clock.advance(Duration::days(31));
    let ana = house.app.user("ana");
    let answer = ask(&ana, &paths[0], &known);
    assert_eq!((answer.status, answer.json()), (200, json!([])), "what is too old is gone at once");
}

#[test]
fn the_history_ages_with_the_day_of_the_service() {
    let house = House::new();
    let ana = &house.ana;
    let row = house.row(house.bank, "2026-03-03", "-6.00", None);
    let change = change_of(&ana.delete(&format!("/api/transactions/{row}"))).unwrap();
    let path = format!("/api/changes/{change}");
    house.app.clock.set_today(date!(2026 - 04 - 09));
    assert_eq!(ana.get(&path).ok()["id"], change);
    house.app.clock.set_today(date!(2026 - 04 - 10));
    assert_eq!(ana.get("/api/changes").ok(), json!([]));
    ana.get(&path).problem(404, "ErrNotFound");
    undo(ana, change).problem(404, "ErrNotFound");
}
