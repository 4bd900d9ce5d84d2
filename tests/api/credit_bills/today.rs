//! What a card shows of today: held statements are owed, and later rows are told apart. The days and figures are those of the
//! bank: the card closes on the 25th and is due on the 5th.

use finance_tests::{Client, TestApp, ofx};
use serde_json::{Value, json};
use time::macros::date;

use super::{account, due};

/// The card of the examples, with a limit.
fn card(client: &Client, limit: &str) -> i64 {
    let card = json!({ "name": "Visa", "kind": "credit", "closing_day": 25, "due_day": 5, "credit_limit": limit });
    client.create("/api/accounts", card)
}

fn card_bills(client: &Client, months: u32) -> Vec<Value> {
    let forecast = client.get(&format!("/api/forecast?months={months}")).ok();
    forecast["months"].as_array().unwrap().iter().map(|month| month["card_bills"].clone()).collect()
}

#[test]
fn a_held_statement_is_owed_at_once() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 03 - 26));
    let ana = app.user("ana");
    let card = card(&ana, "5000");
    let rows = ofx(&[("20260312", "-140.00", "H1", "MERCADO")]);
    let held = ana.import_card(card, "2026-04-05", &rows).expect(202)["pending_bill"]["id"].clone();
    let shown = account(&ana, card);
    assert_eq!(
        (&shown["balance"], &shown["held"], &shown["available_limit"]),
        (&json!("0.00"), &json!("-140.00"), &json!("4860.00"))
    );
    assert_eq!(due(&ana, card), [("2026-04-05".to_string(), "140.00".to_string())]);
    let dashboard = ana.get("/api/dashboard").ok();
    assert_eq!((&dashboard["net_worth"], &dashboard["net_worth_after_tax"]), (&json!("-140.00"), &json!("-140.00")));
    let line = ana.get("/api/net-worth?from=2026-02&to=2026-03").ok();
    let worth: Vec<&Value> = line.as_array().unwrap().iter().map(|month| &month["total"]).collect();
    assert_eq!(worth, ["0.00", "-140.00"], "{line}");
    assert_eq!(dashboard["expenses"], "0.00", "it is an expense when it is confirmed");
    assert_eq!(card_bills(&ana, 2), ["0.00", "140.00"]);
    // Confirmed, it is owed once.
    app.clock.set_today(date!(2026 - 04 - 05));
    ana.post_nothing(&format!("/api/pending-bills/{held}/confirm")).created();
    let shown = account(&ana, card);
    assert_eq!((&shown["balance"], &shown["held"]), (&json!("-140.00"), &json!("0.00")));
    assert_eq!(due(&ana, card), [("2026-04-05".to_string(), "140.00".to_string())]);
    // Discarded, it is owed no more.
    let rows = ofx(&[("20260412", "-60.00", "H2", "MERCADO")]);
    let held = ana.import_card(card, "2026-05-05", &rows).expect(202)["pending_bill"]["id"].clone();
    assert_eq!(account(&ana, card)["held"], "-60.00");
    ana.delete(&format!("/api/pending-bills/{held}")).expect(204);
    assert_eq!(account(&ana, card)["held"], "0.00");
    assert_eq!(due(&ana, card), [("2026-04-05".to_string(), "140.00".to_string())]);
}

#[test]
fn a_statement_that_is_confirmed_early_is_owed_as_before() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 03 - 26));
    let ana = app.user("ana");
    let card = card(&ana, "5000");
    ana.create("/api/accounts", json!({ "name": "Banco", "kind": "current", "opening_balance": "1000" }));
    let rows = ofx(&[("20260312", "-140.00", "H1", "MERCADO"), ("20260314", "20.00", "H2", "Estorno LOJA")]);
    let held = ana.import_card(card, "2026-04-05", &rows).expect(202)["pending_bill"]["id"].clone();
    let figures = || {
        let shown = account(&ana, card);
        let line = ana.get("/api/net-worth?from=2026-03&to=2026-03").ok()[0].clone();
        let worth = [&ana.get("/api/dashboard").ok()["net_worth"], &line["total"], &line["credit"]].map(Value::clone);
        let owed = [&shown["balance"], &shown["held"], &shown["available_limit"]].map(Value::clone);
        (owed, worth, due(&ana, card), card_bills(&ana, 2))
    };
    let waiting = figures();
    assert_eq!(waiting.0, ["0.00", "-120.00", "4880.00"]);
    assert_eq!(waiting.1[..2], ["880.00", "880.00"]);
    ana.post_nothing(&format!("/api/pending-bills/{held}/confirm")).created();
    assert_eq!(figures(), waiting);
    assert_eq!(account(&ana, card)["ahead"], "-120.00");
    // From the payment date on its rows are in the balance.
    app.clock.set_today(date!(2026 - 04 - 05));
    let ana = app.user("ana");
    let shown = account(&ana, card);
    assert_eq!(
        (&shown["balance"], &shown["held"], &shown["ahead"]),
        (&json!("-120.00"), &json!("0.00"), &json!("0.00"))
    );
    assert_eq!(ana.get("/api/dashboard").ok()["net_worth"], "880.00");
}

#[test]
fn a_statement_that_is_confirmed_early_is_owed_in_the_months_before_its_payment() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 03 - 26));
    let ana = app.user("ana");
    let card = card(&ana, "5000");
    ana.create("/api/accounts", json!({ "name": "Banco", "kind": "current", "opening_balance": "1000" }));
    let rows = ofx(&[("20260312", "-140.00", "H1", "MERCADO")]);
    let held = ana.import_card(card, "2026-05-05", &rows).expect(202)["pending_bill"]["id"].clone();
    let worth = || {
        ["2026-03", "2026-04", "2026-05"]
            .map(|of| ana.get(&format!("/api/dashboard?month={of}")).ok()["net_worth"].clone())
    };
    assert_eq!(worth(), ["860.00", "860.00", "860.00"]);
    ana.post_nothing(&format!("/api/pending-bills/{held}/confirm")).created();
    assert_eq!(worth(), ["860.00", "860.00", "860.00"]);
}

#[test]
fn a_plan_knows_the_rows_of_a_held_statement() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 03 - 26));
    let ana = app.user("ana");
    let card = card(&ana, "5000");
    let rows = ofx(&[("20260226", "-1000.00", "H1", "LOJA"), ("20260302", "-100.00", "H2", "TV - Parcela 1/12")]);
    ana.import_card(card, "2026-04-05", &rows).expect(202);
    assert_eq!(account(&ana, card)["available_limit"], "2800.00");
    let plans = ana.get("/api/installments").ok();
    assert_eq!(plans.as_array().unwrap().len(), 1);
    assert_eq!(
        (&plans[0]["id"], &plans[0]["number"], &plans[0]["remaining"], &plans[0]["transactions"]),
        (&json!(null), &json!(1), &json!(11), &json!([]))
    );
    assert_eq!(ana.get("/api/installments?status=active").ok(), plans);
    let upcoming = ana.get("/api/credit-bills/upcoming?months=2").ok();
    assert_eq!((&upcoming[0]["total"], &upcoming[1]["total"]), (&json!("100.00"), &json!("100.00")));
}

#[test]
fn a_held_purchase_like_a_stored_one_is_a_plan_of_its_own() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 03 - 05));
    let ana = app.user("ana");
    let card = card(&ana, "1000");
    let text = "PET SHOP - Parcela 1/2";
    let rows = [("20260303", "-80.00", "P1", text), ("20260310", "-80.00", "P2", text)];
    ana.import(Some(card), &ofx(&rows[..1])).created();
    app.clock.set_today(date!(2026 - 03 - 26));
    let held = ana.import_card(card, "2026-04-05", &ofx(&rows)).expect(202)["pending_bill"].clone();
    assert_eq!((&held["row_count"], &held["total"]), (&json!(1), &json!("80.00")));
    let figures = || {
        let upcoming = ana.get("/api/credit-bills/upcoming?months=1").ok()[0]["installments"].clone();
        let limit = account(&ana, card)["available_limit"].clone();
        (ana.get("/api/installments").ok().as_array().unwrap().len(), limit, upcoming)
    };
    let waiting = figures();
    assert_eq!(waiting, (2, json!("680.00"), json!("160.00")), "two purchases, and two instalments to come");
    ana.post_nothing(&format!("/api/pending-bills/{}/confirm", held["id"])).created();
    assert_eq!(figures(), waiting);
}

#[test]
fn a_plan_is_known_from_a_held_statement_that_asks_for_nothing() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 03 - 26));
    let ana = app.user("ana");
    let card = card(&ana, "5000");
    let rows = ofx(&[("20260302", "-100.00", "H1", "TV - Parcela 1/12"), ("20260305", "300.00", "H2", "Estorno LOJA")]);
    ana.import_card(card, "2026-04-05", &rows).expect(202);
    let shown = account(&ana, card);
    assert_eq!((&shown["held"], &shown["available_limit"]), (&json!("0.00"), &json!("3900.00")));
}

#[test]
fn later_rows_are_ahead_and_part_of_no_figure_of_today() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 03 - 10));
    let ana = app.user("ana");
    let bank = json!({ "name": "Banco", "kind": "current", "opening_balance": "5000", "opening_date": "2026-01-01" });
    let bank = ana.create("/api/accounts", bank);
    let rent = |date: &str| json!({ "type": "expense", "date": date, "description": "Aluguel", "amount": "200", "account_id": bank });
    ana.create("/api/transactions", rent("2026-04-02"));
    let card = card(&ana, "5000");
    let plan =
        json!({ "account_id": card, "description": "TV", "date": "2026-03-10", "count": 10, "total_amount": "1000" });
    ana.post("/api/installments", plan).created();
    let (of_bank, of_card) = (account(&ana, bank), account(&ana, card));
    assert_eq!((&of_bank["balance"], &of_bank["ahead"]), (&json!("5000.00"), &json!("-200.00")));
    assert_eq!((&of_card["balance"], &of_card["ahead"]), (&json!("-100.00"), &json!("-900.00")));
    assert_eq!(of_card["available_limit"], "4000.00");
    let dashboard = ana.get("/api/dashboard").ok();
    let line = ana.get("/api/net-worth?from=2026-03&to=2026-03").ok();
    assert_eq!((&dashboard["net_worth"], &line[0]["total"]), (&json!("4900.00"), &json!("4900.00")));
    assert_eq!(ana.get("/api/forecast?months=1").ok()["opening"], "5000.00");
    app.clock.set_today(date!(2026 - 04 - 02));
    assert_eq!(account(&ana, bank)["balance"], "4800.00");
    // A payment that is dated later leaves the limit until its day.
    let transfer = json!({ "from_account_id": bank, "to_account_id": card, "amount": "100", "date": "2026-04-05" });
    ana.post("/api/transfers", transfer).created();
    assert_eq!(account(&ana, card)["available_limit"], "4000.00");
    // What will be taken out of the card is no longer available.
    let taken = json!({ "from_account_id": card, "to_account_id": bank, "amount": "30", "date": "2026-04-20" });
    let taken = ana.post("/api/transfers", taken).created();
    assert_eq!(account(&ana, card)["available_limit"], "3970.00");
    ana.delete(&format!("/api/transfers/{}", taken["id"])).gone();
    app.clock.set_today(date!(2026 - 04 - 05));
    assert_eq!(account(&ana, card)["available_limit"], "4100.00");
}

#[test]
fn a_row_with_a_payment_date_is_on_the_bill_that_is_due_on_it() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 05 - 20));
    let ana = app.user("ana");
    for (closing_day, due_day, paid, end) in [
        (10, 10, "2026-04-10", "2026-03-09"),
        (10, 10, "2026-04-11", "2026-04-09"),
        (31, 28, "2026-02-28", "2026-01-30"),
        (25, 5, "2026-04-05", "2026-03-24"),
        (25, 5, "2026-03-25", "2026-03-24"),
    ] {
        let days = json!({ "name": format!("{closing_day} {paid}"), "kind": "credit", "closing_day": closing_day, "due_day": due_day });
        let card = ana.create("/api/accounts", days);
        ana.import_card(card, paid, &ofx(&[("20260115", "-50.00", "P1", "LIVRARIA")])).created();
        let bills = ana.all(&format!("/api/credit-bills?account_id={card}"));
        let with_it: Vec<&Value> = bills.iter().filter(|bill| bill["total"] == "50.00").collect();
        assert_eq!(with_it.len(), 1, "{paid}: {bills:?}");
        assert_eq!(with_it[0]["period_end"], end, "closing {closing_day}, due {due_day}, paid {paid}");
        let rows = ana.all(&format!("/api/transactions?bill_id={}", with_it[0]["id"]));
        assert_eq!(rows.len(), 1, "the rows of the bill are those of its total");
    }
}

#[test]
fn an_item_on_a_card_is_covered_by_the_date_of_the_purchase_also_while_its_statement_is_held() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 03 - 26));
    let ana = app.user("ana");
    let card = card(&ana, "5000");
    let category = ana.create("/api/categories", json!({ "name": "Assinaturas de casa" }));
    let item = json!({ "type": "expense", "description": "Netflix", "amount": "40.00", "category_id": category,
        "account_id": card, "day": 12 });
    ana.create("/api/recurring", item);
    let rows = [
        json!({ "date": "2026-03-12", "description": "NETFLIX.COM", "amount": "40.00", "type": "expense",
            "external_id": "N1", "category_id": category }),
        json!({ "date": "2026-03-15", "description": "MERCADO", "amount": "100.00", "type": "expense", "external_id": "N2" }),
    ];
    let target = json!({ "account_id": card, "is_credit_card": true, "payment_date": "2026-04-05", "format": "ofx",
        "rows": rows });
    let held = ana.post("/api/import/confirm", target).expect(202)["pending_bill"]["id"].clone();
    let status = |month: &str| {
        let item = ana.get(&format!("/api/recurring?month={month}")).ok()[0].clone();
        (item["status"].as_str().unwrap().to_string(), item["transaction_id"].is_null())
    };
    assert_eq!(status("2026-03"), ("covered".to_string(), true));
    assert_eq!(status("2026-04"), ("pending".to_string(), true));
    assert_eq!(card_bills(&ana, 3), ["0.00", "140.00", "40.00"]);
    app.clock.set_today(date!(2026 - 04 - 05));
    ana.post_nothing(&format!("/api/pending-bills/{held}/confirm")).created();
    assert_eq!(card_bills(&ana, 3), ["140.00", "40.00", "40.00"]);
    app.clock.set_today(date!(2026 - 04 - 10));
    assert_eq!(status("2026-03"), ("covered".to_string(), false));
    assert_eq!(status("2026-04"), ("pending".to_string(), true), "April's purchase is to come");
    let open = ana.get("/api/credit-bills/upcoming?months=1").ok();
    assert_eq!((&open[0]["recurring"], &open[0]["total"]), (&json!("40.00"), &json!("40.00")));
}

#[test]
fn a_bill_that_has_not_begun_is_not_paid_and_changes_no_figure_of_the_others() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 03 - 10));
    let ana = app.user("ana");
    let bank = json!({ "name": "Banco", "kind": "current", "opening_balance": "1000", "opening_date": "2026-01-01" });
    let bank = ana.create("/api/accounts", bank);
    let card = card(&ana, "5000");
    let plan = json!({ "account_id": card, "description": "TV", "date": "2026-03-01", "count": 5, "amount": "100" });
    ana.post("/api/installments", plan).created();
    let figures = || {
        let dashboard = ana.get("/api/dashboard").ok();
        (dashboard["forecast"].clone(), dashboard["current_bills"].clone(), dashboard["net_worth"].clone())
    };
    let before = figures();
    let rows = ofx(&[("20260304", "-22.00", "H1", "LOJA")]);
    let held = ana.import_card(card, "2026-05-05", &rows).expect(202)["pending_bill"]["id"].clone();
    let bills = ana.all("/api/credit-bills");
    let ahead = bills.iter().find(|bill| bill["due_date"] == "2026-05-05").unwrap();
    assert_eq!(ahead["amount_due"], "122.00");
    let pay = || ana.post(&format!("/api/credit-bills/{}/pay", ahead["id"]), json!({ "account_id": bank }));
    pay().problem(409, "ErrNothingToPay");
    let current = ana.get("/api/dashboard").ok()["current_bills"].clone();
    assert_eq!((current.as_array().unwrap().len(), &current[0]["due_date"]), (1, &json!("2026-04-05")));
    ana.delete(&format!("/api/pending-bills/{held}")).expect(204);
    pay().problem(409, "ErrNothingToPay");
    assert_eq!(figures(), before);
}

#[test]
fn a_payment_counts_on_the_day_that_a_person_gives_it() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 03 - 10));
    let ana = app.user("ana");
    let card = card(&ana, "5000");
    let rows = [
        ("20251228", "-100.00", "C1", "LOJA"),
        ("20260128", "-50.00", "C2", "LOJA"),
        ("20260205", "100.00", "C3", "Pagamento recebido"),
    ];
    ana.import(Some(card), &ofx(&rows)).created();
    assert_eq!(due(&ana, card), [("2026-03-05".to_string(), "50.00".to_string())]);
    let paid = ana.all("/api/transactions").into_iter().find(|row| row["type"] == "income").unwrap();
    let mut body = paid.clone();
    body["date"] = json!("2026-03-05");
    ana.put(&format!("/api/transactions/{}", paid["id"]), body).ok();
    let bills = ana.all(&format!("/api/credit-bills?account_id={card}"));
    let of = |end: &str| bills.iter().find(|bill| bill["period_end"] == end).unwrap();
    let (january, february) = (of("2026-01-24"), of("2026-02-24"));
    assert_eq!((&january["paid_amount"], &january["carried"]), (&json!("0.00"), &json!("100.00")));
    assert_eq!((&february["statement"], &february["paid_amount"]), (&json!("150.00"), &json!("100.00")));
}
