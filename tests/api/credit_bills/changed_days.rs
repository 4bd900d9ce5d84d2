//! Cards whose days change, also after a bill closed on a date of its own.

use finance_tests::{Citus, Client, TestApp, id, ofx};
use serde_json::{Value, json};
use time::macros::date;

use super::{bill_holding, bills, path, pay, put};

pub(super) fn days(client: &Client, card: i64, closing: u8, due: u8) {
    let body = json!({ "name": "Cartão", "kind": "credit", "closing_day": closing, "due_day": due });
    client.put(&format!("/api/accounts/{card}"), body).ok();
}

/// A card that closes on the 25th and is due on the 5th, whose bill of March closed on the 19th. Purchases of 100.00 before that
/// and of 10.00 after it. Today is 20 March.
fn closed_early(app: &TestApp, client: &Client) -> i64 {
    app.clock.set_today(date!(2026 - 03 - 20));
    let card = client.open_card("Cartão", 25, 5);
    put(client, card, "2026-03-12", "expense", "100.00");
    put(client, card, "2026-03-19", "expense", "10.00");
    let bill = bill_holding(client, card, "2026-03-12");
    client.put(&path(&bill), json!({ "closing_date": "2026-03-19" })).ok();
    card
}

#[test]
fn new_days_after_a_bill_closed_early_put_no_purchase_on_two_bills() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let card = closed_early(&app, &ana);
    let closed = bill_holding(&ana, card, "2026-03-12");
    pay(&ana, &closed, json!({})).ok();
    let closed = ana.get(&path(&closed)).ok();
    for (closing, due, end, due_date) in
        [(22, 2, "2026-03-21", "2026-04-02"), (28, 8, "2026-03-27", "2026-04-08"), (15, 25, "2026-04-14", "2026-04-25")]
    {
        days(&ana, card, closing, due);
        assert_eq!(
            bills(&ana, card),
            [
                ["2026-03-19", end, due_date, "10.00", "unpaid"],
                ["2026-02-25", "2026-03-18", "2026-04-05", "100.00", "paid"],
            ],
            "{closing}"
        );
    }
    // The same closing day as at first: the open bill closes as it did before all changes.
    days(&ana, card, 25, 5);
    assert_eq!(bills(&ana, card)[0], ["2026-03-19", "2026-04-24", "2026-05-05", "10.00", "unpaid"]);
    assert_eq!(ana.get(&path(&closed)).ok(), closed, "what closed stays");
    // The closed bill can still get other dates, and the open one begins with them.
    ana.put(&path(&closed), json!({ "closing_date": "2026-03-20" })).ok();
    assert_eq!(bills(&ana, card)[0][..2], ["2026-03-20", "2026-04-24"]);
    assert_eq!(ana.get(&path(&closed)).ok()["total"], "110.00");
}

#[test]
fn another_due_day_moves_no_closing_date() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let card = closed_early(&app, &ana);
    let open = bill_holding(&ana, card, "2026-03-19");
    ana.put(&path(&open), json!({ "closing_date": "2026-04-20" })).ok();
    days(&ana, card, 25, 8);
    assert_eq!(
        bills(&ana, card),
        [
            ["2026-03-19", "2026-04-19", "2026-05-08", "10.00", "unpaid"],
            ["2026-02-25", "2026-03-18", "2026-04-05", "100.00", "unpaid"],
        ]
    );
}

#[test]
fn bills_that_overlap_are_repaired_by_the_migration_with_their_payments() {
    if Citus::of_environment().is_some() {
        eprintln!("not run on Citus: its tables are distributed after this migration");
        return;
    }
    let app = TestApp::start();
    let ana = app.user("ana");
    let card = closed_early(&app, &ana);
    let bank = ana.open_account("Banco", "current");
    let open = bill_holding(&ana, card, "2026-03-19");
    pay(&ana, &open, json!({ "account_id": bank })).ok();
    // What an earlier release left after a change of the closing day to the 28th: the closed bill grew, and the open one stayed.
    app.sql(
        "do $$ declare kept record; begin
            for kept in select conrelid::regclass as of, conname from pg_constraint where conname like 'credit_bills_kept_apart%'
            loop execute format('alter table %s drop constraint %I', kept.of, kept.conname); end loop;
        end $$;
        alter table card_cycles drop column closes_on, drop column former_closing;
        -- A table with partitions cannot have the constraint of 0071 itself.
        delete from __diesel_schema_migrations where version = '0070' or version = '0071'
            and exists (select from pg_class where oid = 'credit_bills'::regclass and relkind = 'r');
        delete from bill_dates;
        insert into card_cycles (profile_id, account_id, replaced_on, closing_day, due_day)
            select profile_id, id, '2026-03-20', 25, 5 from accounts where kind = 'credit';
        update accounts set closing_day = 28, due_day = 8 where kind = 'credit';
        update credit_bills set period_end = '2026-03-27', due_date = '2026-04-08', following_end = '2026-04-27', total = 110
            where period_start = '2026-02-25'",
    );
    let due = || app.rows("select sum(total)::text as due from credit_bills")[0]["due"].clone();
    assert_eq!(due(), "120.00", "a purchase of 10.00 is on two bills");
    let write = "select write_id::text from profiles";
    let written = app.rows(write);
    finance_adapters_postgres::PgStore::migrate(app.database_url()).expect("the migration repairs the bills");
    assert_ne!(app.rows(write), written, "whoever has the bills of before reads them again");
    let after = ana.get("/api/credit-bills").ok();
    assert_eq!(due(), "110.00");
    let summary: Vec<[&Value; 4]> = after
        .as_array()
        .unwrap()
        .iter()
        .map(|bill| ["period_start", "period_end", "total", "paid_amount"].map(|name| &bill[name]))
        .collect();
    assert_eq!(
        json!(summary),
        json!([["2026-03-28", "2026-04-27", "0.00", "0.00"], ["2026-02-25", "2026-03-27", "110.00", "10.00"],])
    );
    let forced = "select relname from pg_class where relname in ('profiles', 'accounts', 'card_cycles', 'bill_dates',
        'credit_bills', 'credit_bill_payments', 'transactions') and relforcerowsecurity";
    assert_eq!(app.rows(forced).len(), 7);
}

#[test]
fn the_database_keeps_bills_apart() {
    if Citus::of_environment().is_some() {
        eprintln!("not run on Citus: it needs an extension for this constraint");
        return;
    }
    let app = TestApp::start();
    let ana = app.user("ana");
    closed_early(&app, &ana);
    let refused = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        app.sql("update credit_bills set period_end = period_end + 1 where period_start = '2026-02-25'");
    }));
    assert!(refused.is_err(), "two bills have a day in common");
}

#[test]
fn a_document_with_bills_that_overlap_is_restored_in_order() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let card = closed_early(&app, &ana);
    pay(&ana, &bill_holding(&ana, card, "2026-03-19"), json!({})).ok();
    let mut document = ana.get("/api/export").ok();
    let bill = document["credit_bills"].as_array_mut().unwrap();
    let grown = bill.iter_mut().find(|bill| bill["period_start"] == "2026-02-25").unwrap();
    grown["period_end"] = json!("2026-03-27");
    let bia = app.user("bia");
    bia.post("/api/restore", document).ok();
    let (of_ana, of_bia) = (bills(&ana, card), ana_like(&bia));
    assert_eq!(of_bia, of_ana);
}

fn ana_like(client: &Client) -> Vec<[String; 5]> {
    let accounts = client.get("/api/accounts").ok();
    bills(client, id(&accounts[0]))
}

#[test]
fn closed_bills_keep_their_days_on_a_card_without_purchases() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 03 - 10));
    let ana = app.user("ana");
    let card = |name: &str, more: Value| {
        let mut body = json!({ "name": name, "kind": "credit", "closing_day": 25, "due_day": 5 });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        ana.create("/api/accounts", body)
    };
    let owed = card("Devendo", json!({ "opening_balance": "-250.00", "opening_date": "2026-02-20" }));
    let held = card("Guardada", json!({}));
    ana.import_card(held, "2026-03-12", &ofx(&[("20260203", "-70.00", "a", "LOJA")])).expect(202);
    let paid = card("Paga", json!({}));
    let account = ana.open_account("Conta", "current");
    let transfer =
        json!({ "from_account_id": account, "to_account_id": paid, "amount": "30.00", "date": "2026-03-01" });
    ana.post("/api/transfers", transfer).created();
    for card in [owed, held, paid] {
        let closed = || {
            let mut closed = bills(&ana, card);
            closed.retain(|bill| bill[1].as_str() < "2026-03-10");
            closed
        };
        let before = closed();
        assert_eq!(before[0][..3], ["2026-01-25", "2026-02-24", "2026-03-05"]);
        let name = ana.get(&format!("/api/accounts/{card}")).ok()["name"].clone();
        let body = json!({ "name": name, "kind": "credit", "closing_day": 15, "due_day": 20 });
        ana.put(&format!("/api/accounts/{card}"), body).ok();
        assert_eq!(closed(), before, "{name}");
    }
}

#[test]
fn undone_days_of_a_card_without_purchases_bring_its_bills_back_under_their_ids() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 03 - 10));
    let ana = app.user("ana");
    let opened = json!({ "name": "Cartão", "kind": "credit", "closing_day": 25, "due_day": 5,
        "opening_balance": "-50.00", "opening_date": "2026-02-20" });
    let card = ana.create("/api/accounts", opened);
    let account = ana.open_account("Conta", "current");
    let transfer =
        json!({ "from_account_id": account, "to_account_id": card, "amount": "80.00", "date": "2026-03-08" });
    ana.post("/api/transfers", transfer).created();
    let listed = || ana.get(&format!("/api/credit-bills?account_id={card}")).ok();
    let before = listed();
    days(&ana, card, 20, 5);
    assert_ne!(listed(), before);
    let change = ana.get("/api/changes?limit=1").ok()[0]["id"].clone();
    ana.post_nothing(&format!("/api/changes/{change}/undo")).ok();
    assert_eq!(listed(), before);
}
