//! The most transactions of a profile.

use std::thread;

use finance_tests::{Client, Reply, TestApp, id, ofx};
use serde_json::{Value, json};
use time::macros::date;

fn expense(date: &str) -> Value {
    json!({ "type": "expense", "date": date, "description": "Compra", "amount": "1.00" })
}

fn stored(client: &Client) -> usize {
    client.all("/api/transactions?limit=1000").len()
}

/// The body of an import of a file, by its preview.
fn import(client: &Client, rows: usize) -> Reply {
    let texts: Vec<(String, String)> = (0..rows).map(|at| (format!("F{at}"), format!("Loja {at}"))).collect();
    let rows: Vec<_> = texts.iter().map(|(fitid, text)| ("20260310", "-2.00", fitid.as_str(), text.as_str())).collect();
    client.import(None, &ofx(&rows))
}

#[test]
fn every_way_to_make_transactions_ends_at_the_limit() {
    let app = TestApp::start_with_transactions_max(6);
    let ana = app.user("ana");
    let (card, bank) = (ana.open_card("Cartão", 10, 20), ana.open_account("Banco", "current"));
    let category = id(&ana.get("/api/categories").ok()[0]);
    let salary =
        json!({ "type": "income", "description": "Salário", "amount": "10.00", "category_id": category, "day": 20 });
    let salary = ana.create("/api/recurring", salary);
    let held = ana.import_card(card, "2026-03-20", &ofx(&[("20260301", "-3.00", "H1", "Livraria")])).expect(202);
    let held = format!("/api/pending-bills/{}/confirm", held["pending_bill"]["id"]);
    let mut bought = expense("2026-02-15");
    bought["account_id"] = json!(card);
    ana.post("/api/transactions", bought).created();
    let bill = ana.get(&format!("/api/credit-bills?account_id={card}")).ok();
    let bill = bill.as_array().unwrap().iter().find(|bill| bill["total"] == "4.00").unwrap().clone();
    for _ in 0..4 {
        ana.post("/api/transactions", expense("2026-03-01")).created();
    }
    let last = ana.create("/api/transactions", expense("2026-03-02"));
    assert_eq!(stored(&ana), 6);
    app.clock.set_today(date!(2026 - 03 - 20));
    let plan =
        json!({ "account_id": card, "description": "Fogão", "date": "2026-03-05", "count": 2, "total_amount": "9.00" });
    let transfer = json!({ "from_account_id": bank, "to_account_id": card, "amount": "1.00", "date": "2026-03-05" });
    let opened = json!({ "name": "Cofre", "kind": "current", "opening_balance": "5.00" });
    let listed = ana.get("/api/accounts").ok();
    for reply in [
        ana.post("/api/transactions", expense("2026-03-03")),
        ana.post("/api/installments", plan),
        ana.post("/api/transfers", transfer),
        ana.post("/api/accounts", opened),
        ana.post(&format!("/api/credit-bills/{}/pay", bill["id"]), json!({ "account_id": bank })),
        ana.post(&format!("/api/recurring/{salary}/confirm?month=2026-03"), json!({})),
        ana.post_nothing(&held),
        import(&ana, 1),
        import(&ana, 20),
    ] {
        reply.problem(409, "ErrLimitReached");
    }
    assert_eq!((stored(&ana), ana.get("/api/accounts").ok()), (6, listed), "nothing is half done");
    // What needs no transaction is still possible, and a deleted one makes room.
    ana.post(&format!("/api/credit-bills/{}/pay", bill["id"]), json!({})).ok();
    let edited = json!({ "type": "expense", "date": "2026-03-02", "description": "Outra", "amount": "7.00" });
    ana.put(&format!("/api/transactions/{last}"), edited).ok();
    ana.delete(&format!("/api/transactions/{last}")).gone();
    ana.post_nothing(&held).created();
    ana.post("/api/transactions", expense("2026-03-03")).problem(409, "ErrLimitReached");
}

#[test]
fn of_writers_at_once_only_as_many_write_as_there_is_room_for() {
    let app = TestApp::start_with_transactions_max(3);
    let ana = app.user("ana");
    ana.post("/api/transactions", expense("2026-03-01")).created();
    let statuses = thread::scope(|scope| {
        let posts: Vec<_> =
            (0..8).map(|_| scope.spawn(|| ana.post("/api/transactions", expense("2026-03-02")).status)).collect();
        posts.into_iter().map(|post| post.join().unwrap()).collect::<Vec<u16>>()
    });
    let count = |wanted: u16| statuses.iter().filter(|status| **status == wanted).count();
    assert_eq!((count(201), count(409)), (2, 6), "{statuses:?}");
    assert_eq!(stored(&ana), 3);
}

#[test]
fn a_document_with_more_transactions_than_a_profile_may_have_is_not_restored() {
    let app = TestApp::start_with_transactions_max(2);
    let (ana, bia) = (app.user("ana"), app.user("bia"));
    for date in ["2026-03-01", "2026-03-02"] {
        ana.post("/api/transactions", expense(date)).created();
    }
    let mut document = ana.get("/api/export").ok();
    let fits = document.clone();
    let rows = document["transactions"].as_array_mut().unwrap();
    let mut third = rows[1].clone();
    third["id"] = json!(third["id"].as_i64().unwrap() + 1);
    rows.push(third);
    bia.post("/api/restore", document).problem(409, "ErrLimitReached");
    bia.post("/api/restore", fits).ok();
    bia.post("/api/transactions", expense("2026-03-03")).problem(409, "ErrLimitReached");
}

#[test]
fn a_full_profile_lists_its_accounts_and_its_yield_waits() {
    let app = TestApp::start_with_transactions_max(2);
    let ana = app.user("ana");
    app.clock.set_today(date!(2025 - 01 - 20));
    app.rates.publish_weekdays(date!(2024 - 12 - 12), date!(2025 - 01 - 17), "0.045513");
    let account = json!({ "name": "CDB", "kind": "investment", "yield_type": "cdi", "cdi_percentage": 100,
        "last_yield_date": "2025-01-10", "opening_balance": "1000.00", "opening_date": "2025-01-10" });
    let account = ana.create("/api/accounts", account);
    let other = ana.create("/api/transactions", expense("2025-01-11"));
    assert_eq!(ana.get("/api/accounts").ok()[0]["balance"], "1000.00");
    assert_eq!(stored(&ana), 2);
    ana.delete(&format!("/api/transactions/{other}")).gone();
    assert_ne!(ana.get("/api/accounts").ok()[0]["balance"], "1000.00", "the days were not lost");
    assert!(ana.balance(account) > 100_000);
}
