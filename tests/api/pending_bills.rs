//! `/api/pending-bills`: card statements that are pending until their payment date.

use std::thread;

use finance_adapters_postgres::TimeLimits;
use finance_tests::{Client, OfxRow, TestApp, ofx};
use serde_json::{Value, json};
use time::macros::date;

/// A statement of 3 purchases and a refund, 155.40 in all.
const STATEMENT: [OfxRow<'_>; 4] = [
    ("20260210", "-100.00", "C1", "MERCADO"),
    ("20260211", "-50.40", "C2", "LIVRARIA Parcela 2/3"),
    ("20260215", "-15.00", "", "CINEMA"),
    ("20260220", "10.00", "C4", "ESTORNO LIVRARIA"),
];

/// Opens a card, and imports a statement that is pending.
fn held(client: &Client) -> (i64, Value) {
    let card = client.open_card("Cartão", 3, 20);
    let answer = client.import_card(card, "2026-03-20", &ofx(&STATEMENT)).expect(202);
    (card, answer["pending_bill"].clone())
}

fn path(bill: &Value) -> String {
    format!("/api/pending-bills/{}", bill["id"])
}

#[test]
fn a_card_statement_due_after_today_is_held_whole() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let card = ana.open_card("Cartão", 3, 20);
    let answer = ana.import_card(card, "2026-03-16", &ofx(&STATEMENT)).expect(202);
    let bill = &answer["pending_bill"];
    assert_eq!(
        answer,
        json!({ "status": "pending", "pending_bill": {
            "id": bill["id"], "profile_id": ana.caller().profile_id.0, "account_id": card,
            "payment_date": "2026-03-16", "total": "155.40", "row_count": 4, "status": "pending",
            "created_at": bill["created_at"],
        }})
    );
    assert_eq!(ana.get("/api/transactions").ok(), json!([]), "nothing is inserted");
    assert_eq!(ana.get("/api/imports").ok(), json!([]), "nor logged");
    assert_eq!(ana.balance(card), 0);
    assert_eq!(ana.get("/api/pending-bills").ok(), json!([bill]));
    assert_eq!(ana.get("/api/dashboard").ok()["pending_bill_imports"], json!([bill]));
    let categories = ana.all("/api/categories");
    let lazer = &categories.iter().find(|category| category["name"] == "Lazer").unwrap()["id"];
    let mut read = ana.get(&path(bill)).ok();
    let rows = read.as_object_mut().unwrap().remove("rows").unwrap();
    assert_eq!(&read, bill);
    assert_eq!(
        rows,
        json!([
            { "date": "2026-02-10", "description": "MERCADO", "amount": "100.00", "type": "expense",
              "external_id": "C1", "category_id": null, "statement_description": null,
              "lines": null, "tags": [], "note": null },
            { "date": "2026-02-11", "description": "LIVRARIA Parcela 2/3", "amount": "50.40", "type": "expense",
              "external_id": "C2", "category_id": null, "statement_description": null,
              "lines": null, "tags": [], "note": null },
            { "date": "2026-02-15", "description": "CINEMA", "amount": "15.00", "type": "expense",
              "external_id": null, "category_id": lazer, "statement_description": null,
              "lines": null, "tags": [], "note": null },
            { "date": "2026-02-20", "description": "ESTORNO LIVRARIA", "amount": "10.00", "type": "income",
              "external_id": "C4", "category_id": null, "statement_description": null,
              "lines": null, "tags": [], "note": null },
        ])
    );
}

#[test]
fn a_statement_due_today_or_before_is_not_held() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let card = ana.open_card("Cartão", 3, 20);
    assert_eq!(ana.import_card(card, "2026-03-15", &ofx(&STATEMENT[..2])).created()["inserted"], 2);
    assert_eq!(ana.import_card(card, "2026-03-14", &ofx(&STATEMENT[2..])).created()["inserted"], 2);
    assert_eq!(ana.get("/api/pending-bills").ok(), json!([]));
}

#[test]
fn what_is_held_counts_as_stored() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let (card, bill) = held(&ana);
    let other = ana.open_card("Outro", 3, 20);
    let judged = |account: Option<i64>| {
        let account = account.map(|id| id.to_string()).unwrap_or_default();
        let preview = ana.preview_with(&ofx(&STATEMENT), &[("account_id", &account)]).ok();
        for row in preview["rows"].as_array().unwrap() {
            assert_eq!(row["duplicate_of"], Value::Null, "a held row is no transaction");
        }
        preview["summary"]["duplicates"].clone()
    };
    assert_eq!((judged(Some(card)), judged(None), judged(Some(other))), (json!(4), json!(4), json!(0)));
    let again = ana.import_card(card, "2026-03-20", &ofx(&STATEMENT)).created();
    assert_eq!(
        (&again["inserted"], &again["status"]),
        (&json!(0), &json!("imported")),
        "nothing left is no pending bill"
    );
    assert_eq!(
        again["skipped"][0],
        json!({ "row": 0, "code": "duplicate_of_pending", "params": {},
        "reason": "duplicate of a row in a pending bill" })
    );
    // Only the new rows of a longer statement are kept.
    let longer = [&STATEMENT[..], &[("20260228", "-7.00", "C5", "CAFE")]].concat();
    let second = ana.import_card(card, "2026-03-21", &ofx(&longer)).expect(202)["pending_bill"].clone();
    assert_eq!((&second["row_count"], &second["total"]), (&json!(1), &json!("7.00")));
    assert_eq!(ana.get("/api/pending-bills").ok(), json!([bill, second]), "by payment date");
}

#[test]
fn confirming_inserts_what_an_import_would_have() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let (card, bill) = held(&ana);
    let answer = ana.post_nothing(&format!("{}/confirm", path(&bill))).created();
    assert_eq!(
        (&answer["status"], &answer["inserted"], &answer["skipped"]),
        (&json!("imported"), &json!(4), &json!([]))
    );
    for (transaction, (purchase, ..)) in answer["transactions"].as_array().unwrap().iter().zip(STATEMENT) {
        assert_eq!(transaction["date"], "2026-03-20");
        assert_eq!(transaction["original_date"].as_str().unwrap().replace('-', ""), purchase);
        assert_eq!((&transaction["account_id"], &transaction["source"]), (&json!(card), &json!("ofx")));
        assert_eq!(transaction["import_id"], answer["import_id"]);
    }
    let account = ana.get(&format!("/api/accounts/{card}")).ok();
    assert_eq!(
        (&account["balance"], &account["ahead"], &account["held"]),
        (&json!("0.00"), &json!("-155.40"), &json!("-155.40")),
        "its rows are dated after today, and owed"
    );
    let log = ana.get("/api/imports").ok();
    assert_eq!((&log[0]["id"], &log[0]["file_name"]), (&answer["import_id"], &json!("fatura")));
    // A settled statement can only be read.
    ana.post_nothing(&format!("{}/confirm", path(&bill))).problem(409, "ErrPendingBillSettled");
    ana.delete(&path(&bill)).problem(409, "ErrPendingBillSettled");
    let read = ana.get(&path(&bill)).ok();
    assert_eq!((&read["status"], read["rows"].as_array().unwrap().len()), (&json!("confirmed"), 4));
    assert_eq!(ana.get("/api/pending-bills").ok(), json!([]));
    assert_eq!(ana.get("/api/dashboard").ok()["pending_bill_imports"], json!([]));
    assert_eq!(ana.import_card(card, "2026-03-20", &ofx(&STATEMENT)).created()["inserted"], 0);
    // After the undo, the rows of the statement are stored nowhere.
    assert_eq!(ana.delete(&format!("/api/imports/{}", answer["import_id"])).ok()["deleted"], 4);
    assert_eq!(ana.import_card(card, "2026-03-15", &ofx(&STATEMENT)).created()["inserted"], 4);
}

#[test]
fn rows_stored_by_other_ways_while_it_was_held_are_skipped() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let (card, bill) = held(&ana);
    let by_hand = json!({ "type": "expense", "date": "2026-02-15", "description": "Cinema", "amount": "15",
        "account_id": card });
    let by_hand = ana.post("/api/transactions", by_hand).created();
    let answer = ana.post_nothing(&format!("{}/confirm", path(&bill))).created();
    let reason = format!("duplicate of transaction {}", by_hand["id"]);
    let skipped =
        json!([{ "row": 2, "code": "duplicate", "params": { "transaction_id": by_hand["id"] }, "reason": reason }]);
    assert_eq!((&answer["inserted"], &answer["skipped"]), (&json!(3), &skipped));
    app.clock.set_today(date!(2026 - 03 - 20));
    assert_eq!(ana.balance(card), -15_540);
}

#[test]
fn confirmed_by_many_at_once_it_is_inserted_once() {
    let app = TestApp::start();
    let node = app.another_node();
    let ana = app.user("ana");
    let (card, bill) = held(&ana);
    let there = Client::of(node.address()).with_token(ana.token());
    let path = format!("{}/confirm", path(&bill));
    let replies = thread::scope(|scope| {
        let confirms = [&ana, &there, &ana, &there, &ana, &there, &ana, &there]
            .map(|client| scope.spawn(|| client.post_nothing(&path)));
        confirms.map(|confirm| confirm.join().unwrap())
    });
    let (first, others): (Vec<_>, Vec<_>) = replies.into_iter().partition(|reply| reply.status == 201);
    assert_eq!(first.len(), 1);
    for other in others {
        other.problem(409, "ErrPendingBillSettled");
    }
    assert_eq!(ana.all("/api/transactions").len(), 4);
    app.clock.set_today(date!(2026 - 03 - 20));
    assert_eq!(ana.balance(card), -15_540);
}

#[test]
fn a_discarded_one_is_gone_and_can_be_imported_again() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let (card, bill) = held(&ana);
    ana.delete(&path(&bill)).gone();
    ana.get(&path(&bill)).problem(404, "ErrNotFound");
    ana.delete(&path(&bill)).problem(404, "ErrNotFound");
    ana.post_nothing(&format!("{}/confirm", path(&bill))).problem(404, "ErrNotFound");
    assert_eq!(ana.get("/api/pending-bills").ok(), json!([]));
    let again = ana.import_card(card, "2026-03-20", &ofx(&STATEMENT)).expect(202);
    assert_eq!(again["pending_bill"]["row_count"], 4);
}

#[test]
fn it_survives_a_restart_and_keeps_its_payment_date() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let (card, bill) = held(&ana);
    let node = app.another_node();
    node.clock.set_today(date!(2026 - 04 - 02));
    let there = Client::of(node.address()).with_token(ana.token());
    assert_eq!(there.get("/api/pending-bills").ok(), json!([bill]), "the day alone settles nothing");
    let answer = there.post_nothing(&format!("{}/confirm", path(&bill))).created();
    assert_eq!((&answer["inserted"], &answer["transactions"][0]["date"]), (&json!(4), &json!("2026-03-20")));
    assert_eq!(there.balance(card), -15_540);
}

#[test]
fn a_card_is_not_deleted_while_a_statement_is_held_for_it() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let (card, bill) = held(&ana);
    let account = format!("/api/accounts/{card}");
    ana.delete(&account).problem(409, "ErrAccountInUse");
    assert_eq!(ana.get("/api/pending-bills").ok(), json!([bill]));
    ana.delete(&path(&bill)).gone();
    ana.delete(&account).gone();
    ana.get(&account).problem(404, "ErrNotFound");
}

#[test]
fn a_category_of_a_held_statement_is_in_use() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let category = ana.post("/api/categories", json!({ "name": "Livros" })).created()["id"].clone();
    let rows = json!([{ "date": "2026-02-11", "description": "Livraria", "amount": "9", "type": "expense", "category_id": category }]);
    let body = json!({ "is_credit_card": true, "payment_date": "2026-03-20", "rows": rows });
    let bill = ana.post("/api/import/confirm", body).expect(202)["pending_bill"].clone();
    assert_eq!(bill["account_id"], Value::Null, "a card statement need not name its card");
    assert_eq!(ana.get(&path(&bill)).ok()["rows"][0]["category_id"], category);
    ana.delete(&format!("/api/categories/{category}")).problem(409, "ErrCategoryInUse");
    let answer = ana.post_nothing(&format!("{}/confirm", path(&bill))).created();
    assert_eq!(answer["transactions"][0]["category_id"], category);
}

#[test]
fn another_profile_has_no_such_statement() {
    let app = TestApp::start();
    let (ana, bia) = (app.user("ana"), app.user("bia"));
    let (_, bill) = held(&ana);
    assert_eq!(bia.get("/api/pending-bills").ok(), json!([]));
    bia.get(&path(&bill)).problem(404, "ErrNotFound");
    bia.delete(&path(&bill)).problem(404, "ErrNotFound");
    bia.post_nothing(&format!("{}/confirm", path(&bill))).problem(404, "ErrNotFound");
    assert_eq!(bia.preview(&ofx(&STATEMENT)).ok()["summary"]["new"], 4);
    assert_eq!(ana.get("/api/pending-bills").ok(), json!([bill]));
    ana.get("/api/pending-bills/x").problem(404, "ErrNotFound");
}

#[test]
fn an_unsound_statement_is_not_held() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let current = ana.open_account("Conta", "current");
    let rows = json!([{ "date": "2026-02-11", "description": "", "amount": "9", "type": "expense" }]);
    let body = json!({ "account_id": current, "is_credit_card": true, "payment_date": "2026-03-20", "rows": rows });
    ana.post("/api/import/confirm", body).invalid(&["account_id", "rows[0].description"]);
    assert_eq!(ana.get("/api/pending-bills").ok(), json!([]));
    // If the account is not a card, a payment date in the future is ignored.
    let rows = json!([{ "date": "2026-02-11", "description": "Pix", "amount": "9", "type": "expense" }]);
    let body = json!({ "account_id": current, "payment_date": "2026-03-20", "rows": rows });
    assert_eq!(ana.post("/api/import/confirm", body).created()["inserted"], 1);
}

#[test]
fn a_profile_holds_two_hundred_statements() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let (card, first) = held(&ana);
    app.sql(&format!(
        "insert into pending_bills (profile_id, payment_date, format, total, row_count, status)
        select {}, '2026-04-01', 'csv', 1, 1, case when n < 200 then 'pending' else 'confirmed' end
        from generate_series(1, 250) as n",
        ana.caller().profile_id.0
    ));
    let another = ofx(&[("20260221", "-7.00", "D1", "PADARIA")]);
    let problem = ana.import_card(card, "2026-03-21", &another).problem(409, "ErrLimitReached");
    assert_eq!(problem["detail"], "Refused: a profile holds at most 200 pending bills.");
    assert_eq!(ana.get("/api/pending-bills").ok().as_array().unwrap().len(), 200);
    ana.import_card(card, "2026-03-14", &another).created();
    ana.import_card(card, "2026-03-20", &ofx(&STATEMENT)).created();
    ana.delete(&path(&first)).gone();
    ana.import_card(card, "2026-03-21", &ofx(&[("20260222", "-8.00", "D2", "FARMACIA")])).expect(202);
}

#[test]
fn the_rows_of_confirmed_statements_have_a_limit_too() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let (card, bill) = held(&ana);
    ana.post_nothing(&format!("{}/confirm", path(&bill))).created();
    // The last row is where the last one of so many would be.
    app.sql("update pending_bill_rows set position = 999998 where position = 4");
    let rows: [OfxRow<'_>; 4] = [
        ("20260221", "-7.00", "D1", "PADARIA"),
        ("20260222", "-8.00", "D2", "FARMACIA"),
        ("20260223", "-9.00", "D3", "BAR"),
        ("20260224", "-3.00", "D4", "CAFE"),
    ];
    let import = |rows: &[OfxRow<'_>]| ana.import_card(card, "2026-04-20", &ofx(rows));
    let problem = import(&rows[..3]).problem(409, "ErrLimitReached");
    assert_eq!(problem["detail"], "Refused: a profile holds at most 1000000 rows of held statements.");
    let held = import(&rows[..2]).expect(202)["pending_bill"].clone();
    import(&rows[3..]).problem(409, "ErrLimitReached");
    ana.delete(&path(&held)).gone();
    import(&rows[3..]).expect(202);
}

#[test]
fn the_instalments_of_a_held_statement_are_not_foreseen_twice() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 03 - 20));
    let ana = app.user("ana");
    let card = ana.open_card("Cartão", 25, 5);
    let bought = |date: &str, number: u8| {
        json!({ "type": "expense", "account_id": card, "date": date, "description": format!("Loja - Parcela {number}/6"),
            "amount": "100.00" })
    };
    ana.create("/api/transactions", bought("2026-02-03", 3));
    let card_bills = || {
        let forecast = ana.get("/api/forecast?months=6").ok();
        let of_month = |month: &Value| month["card_bills"].as_str().unwrap().to_string();
        forecast["months"].as_array().unwrap().iter().map(of_month).collect::<Vec<_>>()
    };
    let installments = || {
        let bills = ana.get(&format!("/api/credit-bills/upcoming?account_id={card}&months=4")).ok();
        bills.as_array().unwrap().iter().map(|bill| bill["installments"].clone()).collect::<Vec<_>>()
    };
    // The instalment of the closed bill is due in March, and three more follow.
    assert_eq!(card_bills(), ["100.00", "100.00", "100.00", "100.00", "0.00", "0.00"]);
    // The statement of the open bill is imported before its payment date. It has the fourth instalment, and the first of
    // two of another purchase.
    let row = |date: &str, description: &str, amount: &str| json!({ "date": date, "description": description, "amount": amount, "type": "expense" });
    let rows = [row("2026-01-03", "LOJA PARC 04/06", "100.00"), row("2026-03-02", "TV - Parcela 1/2", "30.00")];
    let statement = json!({ "account_id": card, "is_credit_card": true, "payment_date": "2026-04-05", "format": "csv", "rows": rows });
    let held = ana.post("/api/import/confirm", statement).expect(202)["pending_bill"].clone();
    let expected = ["100.00", "130.00", "130.00", "100.00", "0.00", "0.00"];
    assert_eq!(
        (card_bills(), installments()),
        (expected.map(str::to_string).to_vec(), json_all(["0.00", "130.00", "100.00", "0.00"]))
    );
    let dashboard = ana.get("/api/dashboard?month=2026-03").ok();
    let forecast = ana.get("/api/forecast?months=1").ok();
    assert_eq!(dashboard["forecast"]["closing"], forecast["months"][0]["closing"]);
    // After the confirm no figure changes: the held rows are posted.
    ana.post_nothing(&format!("/api/pending-bills/{}/confirm", held["id"])).created();
    assert_eq!(
        (card_bills(), installments()),
        (expected.map(str::to_string).to_vec(), json_all(["0.00", "130.00", "100.00", "0.00"]))
    );
}

fn json_all<const N: usize>(texts: [&str; N]) -> Vec<Value> {
    texts.map(|text| json!(text)).to_vec()
}

#[test]
fn a_row_that_equals_a_stored_one_is_stored_when_its_statement_is_confirmed() {
    let app = TestApp::start();
    for (user, ids) in [("ana", ["C1", "C2"]), ("bia", ["", ""])] {
        let client = app.user(user);
        let card = client.open_card("Cartão", 3, 20);
        let coffees = ids.map(|id| ("20260302", "-10.00", id, "CAFE"));
        assert_eq!(client.import_card(card, "2026-03-15", &ofx(&coffees[..1])).created()["inserted"], 1);
        let held = client.import_card(card, "2026-04-20", &ofx(&coffees)).expect(202);
        assert_eq!(held["pending_bill"]["total"], "10.00", "one is stored already");
        let confirmed = client.post(&format!("{}/confirm", path(&held["pending_bill"])), json!({})).created();
        assert_eq!((&confirmed["inserted"], &confirmed["skipped"]), (&json!(1), &json!([])), "{user}: {confirmed}");
        assert_eq!(client.get("/api/transactions").ok().as_array().unwrap().len(), 2);
    }
}

#[test]
fn equal_rows_of_two_held_statements_are_both_stored_in_any_order() {
    let app = TestApp::start();
    for (user, order) in [("ana", [0, 1]), ("bia", [1, 0])] {
        let client = app.user(user);
        let card = client.open_card("Cartão", 3, 20);
        let coffees = ["C1", "C2"].map(|id| ("20260302", "-10.00", id, "CAFE"));
        let held = [1, 2].map(|rows| {
            client.import_card(card, "2026-04-20", &ofx(&coffees[..rows])).expect(202)["pending_bill"].clone()
        });
        for at in order {
            let confirmed = client.post(&format!("{}/confirm", path(&held[at])), json!({})).created();
            assert_eq!(confirmed["inserted"], 1, "{user}: {confirmed}");
        }
    }
}

#[test]
fn a_held_statement_in_credit_takes_from_what_others_of_its_payment_date_ask_for() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let card = ana.open_card("Cartão", 3, 20);
    let rows = [("20260305", "-50.00", "a", "LOJA"), ("20260306", "20.00", "b", "ESTORNO LOJA")];
    ana.import_card(card, "2026-04-20", &ofx(&rows[..1])).expect(202);
    ana.import_card(card, "2026-04-20", &ofx(&rows)).expect(202);
    let account = ana.get(&format!("/api/accounts/{card}")).ok();
    assert_eq!(account["held"], "-30.00");
    let bills = ana.all(&format!("/api/credit-bills?account_id={card}"));
    let bill = bills.iter().find(|bill| bill["due_date"] == "2026-04-20").unwrap();
    assert_eq!((&bill["held"], &bill["amount_due"]), (&json!("30.00"), &json!("30.00")));
    let dashboard = ana.get("/api/dashboard").ok();
    assert_eq!(dashboard["net_worth"], "-30.00");
    let events = ana.get("/api/forecast?months=3").ok()["events"].clone();
    let amounts: Vec<&Value> = events
        .as_array()
        .unwrap()
        .iter()
        .filter(|event| event["date"] == "2026-04-20")
        .map(|event| &event["amount"])
        .collect();
    assert_eq!(amounts, ["-30.00"]);
}

#[test]
fn what_a_held_statement_has_of_stored_rows_moves_when_it_is_confirmed() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 03 - 10));
    let ana = app.user("ana");
    let (card, bank) = (ana.open_card("Cartão", 25, 5), ana.open_account("Conta", "current"));
    let plan =
        json!({ "account_id": card, "description": "Loja B", "date": "2026-03-02", "count": 3, "total_amount": "90" });
    ana.post("/api/installments", plan).created();
    let transfer = json!({ "from_account_id": bank, "to_account_id": card, "amount": "50", "date": "2026-03-05" });
    ana.post("/api/transfers", transfer).created();
    // What is paid before the first bill pays what is not here.
    let rows = ofx(&[
        ("20260302", "-30.00", "H1", "LOJA B - Parcela 1/3"),
        ("20260303", "-10.00", "H2", "OUTRA"),
        ("20260306", "50.00", "H3", "Pagamento recebido"),
    ]);
    let figures = || {
        let [march, may] = ["2026-03", "2026-05"].map(|month| ana.get(&format!("/api/dashboard?month={month}")).ok());
        let shown = ana.get(&format!("/api/accounts/{card}")).ok();
        [&shown["balance"], &shown["held"], &march["net_worth"], &march["expenses"], &may["expenses"]].map(Value::clone)
    };
    assert_eq!(figures(), ["-30.00", "0.00", "-80.00", "30.00", "30.00"]);
    let held = || ana.import_card(card, "2026-05-05", &rows).expect(202)["pending_bill"].clone();
    for _ in 0..2 {
        let bill = held();
        assert_eq!((&bill["total"], &bill["row_count"]), (&json!("10.00"), &json!(3)));
        assert_eq!(figures(), ["-30.00", "-10.00", "-90.00", "30.00", "30.00"]);
        let again = ana.import_card(card, "2026-05-05", &rows).created();
        assert_eq!((&again["inserted"], again["skipped"].as_array().unwrap().len()), (&json!(0), 3));
        ana.delete(&path(&bill)).expect(204);
        assert_eq!(figures(), ["-30.00", "0.00", "-80.00", "30.00", "30.00"]);
        let known = ana.all("/api/transactions").into_iter().any(|row| !row["external_id"].is_null());
        assert!(!known, "nothing is left of a discarded statement");
    }
    let bill = held();
    app.clock.set_today(date!(2026 - 05 - 05));
    let confirmed = ana.post_nothing(&format!("{}/confirm", path(&bill))).created();
    assert_eq!(confirmed["inserted"], 1);
    let rows = ana.all("/api/transactions");
    let of = |id: &str| rows.iter().find(|row| row["external_id"] == id).unwrap()["date"].clone();
    assert_eq!([of("H1"), of("H2"), of("H3")], ["2026-05-05", "2026-05-05", "2026-03-05"]);
    assert_eq!(rows.len(), 7, "three of the plan, two legs, one that was held, and the opening balance");
}

#[test]
fn a_row_that_a_held_statement_repeats_stays_when_the_import_before_is_undone() {
    let rows: [OfxRow<'_>; 2] = [("20260310", "-100.00", "A1", "LOJA A"), ("20260312", "-50.00", "B1", "LOJA B")];
    let app = TestApp::start();
    // The first file is held too, or stored at once.
    for (name, payment_date, status) in [("ana", "2026-04-05", 202), ("bia", "2026-03-15", 201)] {
        app.clock.set_today(date!(2026 - 03 - 26));
        let client = app.user(name);
        let card = client.open_card("Cartão", 25, 5);
        let first = client.import_card(card, payment_date, &ofx(&rows[..1])).expect(status);
        let second = client.import_card(card, "2026-04-05", &ofx(&rows)).expect(202)["pending_bill"].clone();
        assert_eq!((&second["total"], &second["row_count"]), (&json!("50.00"), &json!(1)), "{name}");
        assert_eq!(client.get(&path(&second)).ok()["rows"].as_array().unwrap().len(), 1, "{name}");
        app.clock.set_today(date!(2026 - 04 - 06));
        if status == 202 {
            client.post_nothing(&format!("{}/confirm", path(&first["pending_bill"]))).created();
        }
        let confirmed = client.post_nothing(&format!("{}/confirm", path(&second))).created();
        assert_eq!((&confirmed["inserted"], &confirmed["skipped"]), (&json!(1), &json!([])), "{name}");
        let imports = client.get("/api/imports").ok();
        assert_eq!((&imports[0]["inserted"], &imports[0]["skipped"]), (&json!(1), &json!(1)), "{name}");
        let undone = client.delete(&format!("/api/imports/{}", imports[1]["id"])).ok();
        assert_eq!((undone, client.balance(card)), (json!({ "deleted": 0 }), -15_000), "{name}");
        let undone = client.delete(&format!("/api/imports/{}", imports[0]["id"])).ok();
        assert_eq!((undone, client.balance(card)), (json!({ "deleted": 2 }), 0), "{name}");
    }
}

#[test]
fn what_a_held_statement_repeats_is_stored_with_it_if_it_is_nowhere_else_any_more() {
    let rows: [OfxRow<'_>; 2] = [("20260310", "-100.00", "A1", "LOJA A"), ("20260312", "-50.00", "B1", "LOJA B")];
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 03 - 26));
    let ana = app.user("ana");
    let card = ana.open_card("Cartão", 25, 5);
    let first = ana.import_card(card, "2026-04-05", &ofx(&rows[..1])).expect(202)["pending_bill"].clone();
    let second = ana.import_card(card, "2026-04-05", &ofx(&rows)).expect(202)["pending_bill"].clone();
    // A third file with both finds each row once.
    ana.import_card(card, "2026-04-05", &ofx(&rows)).expect(201);
    let document = ana.get("/api/export").ok();
    let bia = app.user("bia");
    bia.post("/api/restore", document).ok();
    for client in [&ana, &bia] {
        let held = client.get("/api/pending-bills").ok();
        let discarded = client.delete(&path(&held[0]));
        let change = discarded.header("Finance-Change").unwrap().to_string();
        discarded.gone();
        // The second statement asks for both rows from now on.
        let left = || client.get("/api/pending-bills").ok();
        let asked = |held: &Value| (held["total"].clone(), held["row_count"].clone());
        let owed = || client.get("/api/accounts").ok()[0]["held"].clone();
        assert_eq!((asked(&left()[0]), owed()), ((json!("150.00"), json!(2)), json!("-150.00")));
        assert_eq!(client.get(&path(&held[1])).ok()["rows"].as_array().unwrap().len(), 2);
        let undone = client.post_nothing(&format!("/api/changes/{change}/undo")).ok()["change_id"].clone();
        assert_eq!((left(), owed()), (held.clone(), json!("-150.00")));
        client.post_nothing(&format!("/api/changes/{undone}/undo")).ok();
        assert_eq!((asked(&left()[0]), owed()), ((json!("150.00"), json!(2)), json!("-150.00")));
        assert_eq!(client.post_nothing(&format!("{}/confirm", path(&held[1]))).created()["inserted"], 2);
    }
    assert_eq!((&first["row_count"], &second["row_count"], ana.balance(card)), (&json!(1), &json!(1), 0));
    app.clock.set_today(date!(2026 - 04 - 06));
    assert_eq!(ana.balance(card), -15_000);
}

#[test]
fn what_a_held_statement_repeats_counts_in_it_once_it_is_deleted_elsewhere() {
    let rows: [OfxRow<'_>; 3] = [
        ("20260310", "-100.00", "A1", "LOJA A"),
        ("20260311", "30.00", "P1", "Pagamento recebido"),
        ("20260312", "-50.00", "B1", "LOJA B"),
    ];
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 03 - 26));
    let ana = app.user("ana");
    let card = ana.open_card("Cartão", 25, 5);
    let first = ana.import_card(card, "2026-03-15", &ofx(&rows[..2])).created();
    let held = ana.import_card(card, "2026-04-05", &ofx(&rows)).expect(202)["pending_bill"].clone();
    let asked = || {
        let bill = ana.get(&path(&held)).ok();
        let owed = ana.get(&format!("/api/accounts/{card}")).ok()["held"].clone();
        (bill["total"].clone(), bill["rows"].as_array().unwrap().len(), owed)
    };
    let both = (json!("50.00"), 1, json!("-50.00"));
    assert_eq!(asked(), both, "the others are stored");
    let row_of = |id: &str| {
        let rows = ana.all("/api/transactions");
        rows.iter().find(|row| row["external_id"] == id).unwrap()["id"].clone()
    };
    // A row that the statement does not have changes nothing.
    let other = json!({ "type": "expense", "date": "2026-03-02", "description": "Pão", "amount": "8" });
    let other = ana.create("/api/transactions", other);
    ana.delete(&format!("/api/transactions/{other}")).gone();
    assert_eq!(asked(), both);
    ana.delete(&format!("/api/transactions/{}", row_of("P1"))).gone();
    assert_eq!(asked(), (json!("50.00"), 2, json!("-50.00")), "a payment is not asked for");
    let deleted = ana.delete(&format!("/api/transactions/{}", row_of("A1")));
    let change = deleted.header("Finance-Change").unwrap().to_string();
    deleted.gone();
    let alone = (json!("150.00"), 3, json!("-150.00"));
    assert_eq!(asked(), alone);
    ana.post_nothing(&format!("/api/changes/{change}/undo")).ok();
    assert_eq!(asked(), (json!("50.00"), 2, json!("-50.00")));
    // An undone import takes the row away likewise.
    ana.delete(&format!("/api/imports/{}", first["import_id"])).ok();
    assert_eq!(asked(), alone);
    assert_eq!(ana.import_card(card, "2026-03-15", &ofx(&rows[..2])).created()["inserted"], 0, "they are held");
    assert_eq!(ana.post_nothing(&format!("{}/confirm", path(&held))).created()["inserted"], 3);
}

#[test]
fn a_deletion_costs_as_much_more_as_more_statements_are_held() {
    let app = TestApp::start_limited(TimeLimits::default());
    app.clock.set_today(date!(2026 - 03 - 26));
    let ana = app.user("ana");
    let card = ana.open_card("Cartão", 25, 5);
    let delete = || {
        let other = json!({ "type": "expense", "date": "2026-03-02", "description": "Pão", "amount": "8" });
        let path = format!("/api/transactions/{}", ana.create("/api/transactions", other));
        app.statements_of(|| ana.delete(&path).gone())
    };
    delete();
    let without = delete();
    let ids: Vec<String> = (0..8).map(|at| format!("A{at}")).collect();
    let rows: Vec<OfxRow<'_>> = ids.iter().map(|id| ("20260310", "-100.00", id.as_str(), id.as_str())).collect();
    // Each statement repeats the rows of those before it.
    let hold = |counts: std::ops::RangeInclusive<usize>| {
        for count in counts {
            ana.import_card(card, "2026-04-05", &ofx(&rows[..count])).expect(202);
        }
    };
    hold(1..=4);
    let of_four = delete() - without;
    hold(5..=8);
    let of_eight = delete() - without;
    assert!(of_eight <= 3 * of_four, "{of_four} statements where four are held, {of_eight} where eight are");
}

#[test]
fn a_held_statement_asks_at_once_for_what_an_undone_import_has_taken_away() {
    let rows: [OfxRow<'_>; 4] = [
        ("20260303", "500.00", "A0", "Pagamento recebido"),
        ("20260310", "-100.00", "A1", "LOJA A"),
        ("20260312", "-50.00", "B1", "LOJA B"),
        ("20260312", "-50.00", "B2", "LOJA B"),
    ];
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 03 - 26));
    let ana = app.user("ana");
    let card = ana.open_card("Cartão", 25, 5);
    let first = ana.import(Some(card), &ofx(&rows[..3])).created()["import_id"].clone();
    ana.import_card(card, "2026-04-05", &ofx(&rows)).expect(202);
    let held = || ana.get("/api/pending-bills").ok()[0].clone();
    let asked = || {
        let (held, shown) = (held(), ana.get(&format!("/api/accounts/{card}")).ok());
        [&held["total"], &held["row_count"], &shown["held"], &shown["balance"]].map(Value::clone)
    };
    let before = [json!("50.00"), json!(1), json!("-50.00"), json!("-150.00")];
    let after = [json!("200.00"), json!(4), json!("-200.00"), json!("0.00")];
    assert_eq!(asked(), before);
    let undone = ana.delete(&format!("/api/imports/{first}"));
    let mut change = undone.header("Finance-Change").unwrap().to_string();
    undone.ok();
    assert_eq!(asked(), after);
    for expected in [&before, &after] {
        let undone = ana.post_nothing(&format!("/api/changes/{change}/undo")).ok();
        change = undone["change_id"].to_string();
        assert_eq!(asked(), *expected);
    }
    // The first file is known.
    assert_eq!(ana.import(Some(card), &ofx(&rows[..3])).created()["inserted"], 0);
    let confirmed = ana.post_nothing(&format!("{}/confirm", path(&held()))).created();
    assert_eq!(confirmed["inserted"], 4);
    let payment = confirmed["transactions"].as_array().unwrap().iter().find(|row| row["type"] == "income").unwrap();
    assert_eq!((&payment["is_transfer"], &payment["date"]), (&json!(true), &json!("2026-03-03")));
}
