//! Which bills the payments of statements pay.

use finance_adapters_postgres::TimeLimits;
use finance_tests::{Form, TestApp, ofx};
use serde_json::{Value, json};

use super::{ACCOUNT, CARD, House, body, confirm, described, preview};

#[test]
fn a_bill_that_was_paid_here_is_not_paid_again_by_statements() {
    let app = TestApp::start();
    for (name, card_first) in [("ana", true), ("bia", false)] {
        let house = House::new(&app, name);
        let purchases = house.preview(house.card, &ofx(&CARD[..3]));
        house.confirm(house.card, &purchases);
        let bill = house.client.get(&format!("/api/credit-bills?account_id={}", house.card)).ok()[1].clone();
        let pay = json!({ "account_id": house.account, "date": "2026-03-05" });
        house.client.post(&format!("/api/credit-bills/{}/pay", bill["id"]), pay).ok();
        let (mut card, mut account) = (Value::Null, Value::Null);
        for of_card in [card_first, !card_first] {
            if of_card {
                let preview = house.preview(house.card, &ofx(&CARD));
                let row = described(&preview["rows"], "Pagamento recebido");
                assert_eq!(row["duplicate"], true, "{row}");
                assert_eq!(row["transfer"]["kind"], "leg");
                card = house.confirm(house.card, &preview);
                assert_eq!(card["inserted"], 1, "the refund is new");
            } else {
                account = house.import_account();
                assert_eq!(account["inserted"], 2, "{account}");
            }
        }
        house.assert_figures(name);
        assert_eq!(
            (house.import_card()["inserted"].clone(), house.import_account()["inserted"].clone()),
            (json!(0), json!(0))
        );
        house.undo(&card);
        house.undo(&account);
        card = house.import_card();
        account = house.import_account();
        house.assert_figures("undone and done again");
        assert_eq!((&card["inserted"], &account["inserted"]), (&json!(1), &json!(2)));
    }
}

#[test]
fn an_expense_pays_the_bill_it_equals_and_the_card_tells_of_it_later() {
    let app = TestApp::start();
    let house = House::new(&app, "ana");
    house.confirm(house.card, &house.preview(house.card, &ofx(&CARD[..3])));
    // Before this preview the bill of February is not stored.
    let preview = house.preview(house.account, &ofx(&ACCOUNT));
    let bill = house.client.get(&format!("/api/credit-bills?account_id={}", house.card)).ok()[1].clone();
    let row = described(&preview["rows"], "PAGAMENTO FATURA CARTAO");
    assert_eq!(
        row["transfer"],
        json!({ "kind": "bill_payment", "confidence": "certain", "with": { "bill_id": bill["id"] } })
    );
    let imported = house.confirm(house.account, &preview);
    let linked = imported["linked"][0].clone();
    assert_eq!((&linked["row"], &linked["bill_id"]), (&json!(1), &bill["id"]));
    assert_eq!(imported["inserted"], 3, "the card's side is none of the file's rows");
    let transfer = house.client.get(&format!("/api/transfers/{}", linked["transfer_id"])).ok();
    assert_eq!((&transfer["to"]["id"], &transfer["to"]["source"]), (&linked["transaction_id"], &json!("transfer")));
    assert_eq!(transfer["to"]["description"], "Pagamento de fatura 05/03/2026");
    assert_eq!(house.bills()[1][4], "paid");
    let card = house.import_card();
    assert_eq!(card["inserted"], 1, "the payment is the leg that was made: {card}");
    house.assert_figures("the card's statement after it");
    assert_eq!(house.import_card()["inserted"], 0);
    // The card's statement has the row too, so it stays when the account's file is undone.
    house.undo(&imported);
    assert_eq!(house.bills()[1][4], "paid");
    assert_eq!(house.month("2026-03"), ["50.00", "120.00"]);
    let again = house.import_account();
    assert_eq!(again["linked"][0]["transaction_id"], linked["transaction_id"], "they are a pair again: {again}");
    house.assert_figures("the account's statement again");
    house.client.post_nothing(&format!("/api/credit-bills/{}/unpay", bill["id"])).problem(409, "ErrPaidByStatement");
    // It goes with the file of the card, and the payment is in flight again.
    house.undo(&card);
    assert_eq!(house.month("2026-03")[1], "320.00", "of the purchases and the account: no payment");
}

#[test]
fn bills_that_rows_name_are_read_together() {
    let app = TestApp::start_limited(TimeLimits::default());
    let ana = app.user("ana");
    let bank = ana.open_account("Banco", "current");
    let confirm = |count: usize| {
        let row = |bill: usize| {
            json!({ "date": "2026-03-05", "description": "PAGAMENTO", "amount": "1.00", "type": "expense",
                "transfer_with": { "bill_id": bill } })
        };
        let body = json!({ "account_id": bank, "rows": (1..=count).map(row).collect::<Vec<Value>>() });
        let fields: Vec<String> = (0..count).map(|at| format!("rows[{at}].transfer_with")).collect();
        let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
        app.statements_of(|| drop(ana.post("/api/import/confirm", body).invalid(&fields)))
    };
    confirm(2);
    let of_two = confirm(2);
    assert_eq!(confirm(10), of_two);
}

#[test]
fn a_bill_that_only_statements_pay_is_not_unpaid() {
    let app = TestApp::start();
    let house = House::new(&app, "ana");
    let imported = house.import_card();
    let bill = house.client.get(&format!("/api/credit-bills?account_id={}", house.card)).ok()[1].clone();
    let unpay = format!("/api/credit-bills/{}/unpay", bill["id"]);
    house.client.post_nothing(&unpay).problem(409, "ErrPaidByStatement");
    house.client.post(&format!("/api/credit-bills/{}/pay", bill["id"]), json!({})).problem(409, "ErrBillAlreadyPaid");
    // A late purchase is paid here in addition to the statement's payment. Only the payment that was made here is undone.
    house.client.create(
        "/api/transactions",
        json!({ "type": "expense", "date": "2026-02-11", "description": "Tarde",
        "amount": "10", "account_id": house.card }),
    );
    let pay = json!({ "account_id": house.account });
    let paid = house.client.post(&format!("/api/credit-bills/{}/pay", bill["id"]), pay).ok();
    assert_eq!((&paid["paid_amount"], &paid["status"]), (&json!("1010.00"), &json!("paid")));
    assert_eq!(house.client.post_nothing(&unpay).ok()["paid_amount"], "1000.00");
    house.client.post_nothing(&unpay).problem(409, "ErrPaidByStatement");
    house.undo(&imported);
    house.client.post_nothing(&unpay).problem(409, "ErrBillNotPaid");
}

/// A payment pays the bill that closed before it. The rest of the payment counts on the open bill. The order of the files
/// makes no difference.
#[test]
fn statements_of_many_months_pay_the_same_bills_in_any_order() {
    let app = TestApp::start();
    let month = |month: u8, bought: &str, paid: &str| {
        ofx(&[
            (&format!("2025{month:02}10"), &format!("-{bought}"), &format!("B{month}"), "COMPRA"),
            (&format!("2025{month:02}05"), paid, &format!("P{month}"), "Pagamento recebido"),
        ])
    };
    let files: Vec<Vec<u8>> =
        [(4, "100.00", "70.00"), (5, "50.00", "130.00"), (6, "30.00", "50.00"), (7, "20.00", "1.00")]
            .into_iter()
            .map(|(at, bought, paid)| month(at, bought, paid))
            .collect();
    let mut seen = Vec::new();
    for (name, order) in [("ana", [0, 1, 2, 3]), ("bia", [3, 2, 1, 0]), ("caio", [2, 0, 3, 1]), ("duda", [1, 3, 0, 2])]
    {
        let house = House::new(&app, name);
        let mut imports = Vec::new();
        for at in order {
            imports.push(house.confirm(house.card, &house.preview(house.card, &files[at])));
        }
        let bills = house.bills();
        house.undo(&imports[1]);
        house.undo(&imports[2]);
        house.confirm(house.card, &house.preview(house.card, &files[order[2]]));
        house.confirm(house.card, &house.preview(house.card, &files[order[1]]));
        assert_eq!(house.bills(), bills, "{name}: undone and done again in another order");
        seen.push(bills);
    }
    assert!(seen.iter().all(|bills| *bills == seen[0]), "{seen:?}");
    let bought = seen[0].iter().filter(|bill| bill[2] != "0.00");
    let paid: Vec<(&str, &str)> = bought.map(|bill| (bill[2].as_str(), bill[3].as_str())).collect();
    // The 70.00 of April pay a bill that is not here. Of the 130.00 paid in May, 100.00 are due on April's bill, and 30.00 count on the
    // bill that is open then, and so on.
    let expected = [("20.00", "1.00"), ("30.00", "30.00"), ("50.00", "50.00"), ("100.00", "100.00")];
    assert_eq!(paid, expected);
}

#[test]
fn a_card_statement_with_a_payment_date_does_not_move_its_payments() {
    let app = TestApp::start();
    let house = House::new(&app, "ana");
    let confirm = |payment_date: &str| {
        let form = Form::new()
            .file("statement", &ofx(&CARD))
            .text("account_id", &house.card.to_string())
            .text("is_credit_card", "true")
            .text("payment_date", payment_date);
        let preview = house.client.post_form("/api/import/preview", form).ok();
        let mut body = body(house.card, &preview);
        (body["is_credit_card"], body["payment_date"]) = (json!(true), json!(payment_date));
        house.client.post("/api/import/confirm", body)
    };
    let now = confirm("2026-03-09").created();
    let payment = described(&now["transactions"], "Pagamento recebido");
    assert_eq!((&payment["date"], &payment["original_date"]), (&json!("2026-03-05"), &Value::Null));
    assert_eq!(described(&now["transactions"], "MERCADO A")["original_date"], "2026-02-10");
    assert_eq!(confirm("2026-03-09").created()["inserted"], 0);
    house.undo(&now);
    // The statement is held until it is paid. The total is what is to be paid, without the earlier payment.
    let held = confirm("2026-04-05").expect(202)["pending_bill"].clone();
    assert_eq!((&held["total"], &held["row_count"]), (&json!("1070.00"), &json!(5)));
    assert_eq!(house.month("2026-03"), ["0.00", "0.00"]);
    let confirmed = house.client.post_nothing(&format!("/api/pending-bills/{}/confirm", held["id"])).created();
    assert_eq!(confirmed["linked"].as_array().unwrap().len(), 1, "{confirmed}");
    let payment = described(&confirmed["transactions"], "Pagamento recebido");
    assert_eq!((&payment["is_transfer"], &payment["date"]), (&json!(true), &json!("2026-03-05")));
    assert_eq!(house.month("2026-04"), ["50.00", "1120.00"]);
}

#[test]
fn a_payment_in_a_period_without_purchases_counts_on_the_bill_that_was_open() {
    let app = TestApp::start();
    let house = House::new(&app, "ana");
    let imported = house
        .confirm(house.card, &house.preview(house.card, &ofx(&[("20251010", "80.00", "P", "Pagamento recebido")])));
    let bill = |start: &str| house.bills().into_iter().find(|bill| bill[0] == start).expect("a bill");
    assert_eq!(bill("2025-09-25"), ["2025-09-25", "2025-10-24", "0.00", "80.00", "paid"].map(str::to_string));
    // When the purchases that it paid are imported, the payment counts on their bill.
    house.confirm(house.card, &house.preview(house.card, &ofx(&[("20250910", "-80.00", "C", "COMPRA")])));
    assert_eq!(bill("2025-08-25"), ["2025-08-25", "2025-09-24", "80.00", "80.00", "paid"].map(str::to_string));
    assert_eq!(bill("2025-09-25")[3], "0.00");
    house.undo(&imported);
    assert_eq!(bill("2025-08-25")[3], "0.00");
}

/// 47 real bills of one card: every payment is a transfer, and no other row is.
#[test]
fn the_payments_of_47_real_bills_are_no_income() {
    let Some(corpus) = finance_tests::corpus() else { return };
    let app = TestApp::start();
    let ana = app.user("ana");
    let card = ana.open_card("Nubank", 25, 5);
    let mut files: Vec<_> =
        std::fs::read_dir(corpus.join("cards")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "csv"));
    files.sort_unstable();
    assert_eq!(files.len(), 47);
    let mut linked = 0;
    for path in &files {
        let imported = confirm(&ana, card, &preview(&ana, card, &std::fs::read(path).unwrap()));
        linked += imported["linked"].as_array().unwrap().len();
    }
    assert_eq!(linked, 105);
    let all = ana.all_transactions();
    let sum = |is_transfer: bool, kind: &str| {
        let rows = all.iter().filter(|row| row["is_transfer"] == is_transfer && row["type"] == kind);
        rows.fold((0, 0), |(count, sum), row| (count + 1, sum + finance_tests::cents(&row["amount"])))
    };
    assert_eq!((sum(true, "income"), sum(true, "expense")), ((105, 5_725_582), (0, 0)));
    assert_eq!(sum(false, "income"), (28, 58_316), "the other credits stay incomes");
    let counted: i128 =
        ana.all("/api/credit-bills?limit=1000").iter().map(|bill| finance_tests::cents(&bill["total"])).sum();
    assert_eq!(counted, sum(false, "expense").1 - 58_316);
}
