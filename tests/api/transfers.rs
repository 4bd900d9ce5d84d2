//! `/api/transfers`.

use finance_tests::{Client, TestApp, id};
use serde_json::{Value, json};
use time::macros::date;

fn account(client: &Client, name: &str) -> i64 {
    client.create("/api/accounts", json!({ "name": name, "kind": "current" }))
}

fn body(from: i64, to: i64) -> Value {
    json!({ "from_account_id": from, "to_account_id": to, "amount": "500.5", "date": "2026-03-10" })
}

fn balance(client: &Client, account_id: i64) -> Value {
    client.get(&format!("/api/accounts/{account_id}")).ok()["balance"].clone()
}

#[test]
fn a_transfer_is_two_transactions_of_one_id() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let (from, to) = (account(&ana, "De"), account(&ana, "Para"));
    let reply = ana.post("/api/transfers", body(from, to));
    let location = reply.header("Location").unwrap().to_string();
    let created = reply.created();
    assert_eq!(location, format!("/api/transfers/{}", created["id"]));
    for (leg, kind, account_id) in [("from", "expense", from), ("to", "income", to)] {
        let leg = &created[leg];
        assert_eq!(
            *leg,
            json!({
                "id": leg["id"], "profile_id": ana.caller().profile_id.0, "type": kind, "category_id": null,
                "account_id": account_id, "date": "2026-03-10", "original_date": null, "external_id": null,
                "source": "transfer", "description": "Transferência", "display": { "name": "Transferência", "method": null }, "statement_description": null, "amount": "500.50",
                "transfer_id": created["id"], "import_id": null, "is_transfer": true, "installment": null, "lines": null, "tags": [], "note": null, "created_at": leg["created_at"],
                "created_by": ana.get("/api/auth/me").ok()["member_id"],
            })
        );
        assert_eq!(ana.get(&format!("/api/transactions/{}", leg["id"])).ok(), *leg);
    }
    assert_ne!(created["from"]["id"], created["to"]["id"]);
    assert_eq!(ana.get(&location).ok(), created);
    assert_eq!((balance(&ana, from), balance(&ana, to)), (json!("-500.50"), json!("500.50")));
    let mut described = body(from, to);
    described["description"] = json!("  Reserva ");
    let described = ana.post("/api/transfers", described).created();
    assert_eq!(
        (&described["from"]["description"], &described["to"]["description"]),
        (&json!("Reserva"), &json!("Reserva"))
    );
}

#[test]
fn no_figure_of_the_dashboard_counts_a_transfer() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let (from, to) = (account(&ana, "De"), account(&ana, "Para"));
    let category = id(&ana.get("/api/categories").ok()[0]);
    for kind in ["income", "expense"] {
        ana.create(
            "/api/recurring",
            json!({ "type": kind, "description": "Algo", "amount": "500.50", "category_id": category, "day": 10 }),
        );
    }
    let before = ana.get("/api/dashboard").ok();
    let transfer = ana.post("/api/transfers", body(from, to)).created();
    let after = ana.get("/api/dashboard").ok();
    assert_eq!(after["last_transactions"], json!([transfer["to"], transfer["from"]]));
    assert_eq!(after["net_worth"], "0.00");
    assert_eq!(
        (&after["accounts"][0]["balance"], &after["accounts"][1]["balance"]),
        (&json!("-500.50"), &json!("500.50"))
    );
    for (figure, value) in before.as_object().unwrap() {
        if !matches!(figure.as_str(), "last_transactions" | "accounts") {
            assert_eq!(after[figure], *value, "{figure}");
        }
    }
    assert_eq!(after["pending_recurrings"].as_array().unwrap().len(), 2);
}

#[test]
fn deleting_either_leg_or_the_transfer_deletes_both() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let (from, to) = (account(&ana, "De"), account(&ana, "Para"));
    for deleted in ["from", "to", "transfer"] {
        let transfer = ana.post("/api/transfers", body(from, to)).created();
        let path = format!("/api/transfers/{}", transfer["id"]);
        match deleted {
            "transfer" => ana.delete(&path).gone(),
            leg => ana.delete(&format!("/api/transactions/{}", transfer[leg]["id"])).gone(),
        }
        ana.get(&path).problem(404, "ErrNotFound");
        ana.delete(&path).problem(404, "ErrNotFound");
        for leg in ["from", "to"] {
            ana.get(&format!("/api/transactions/{}", transfer[leg]["id"])).problem(404, "ErrNotFound");
        }
        assert!(ana.all_transactions().is_empty());
        assert_eq!((balance(&ana, from), balance(&ana, to)), (json!("0.00"), json!("0.00")));
    }
}

#[test]
fn deleting_a_month_deletes_its_transfers_and_no_other() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let (from, to) = (account(&ana, "De"), account(&ana, "Para"));
    let mut february = body(from, to);
    february["date"] = json!("2026-02-28");
    let gone = ana.create("/api/transfers", february);
    let kept = ana.create("/api/transfers", body(from, to));
    assert_eq!(ana.delete("/api/transactions?month=2026-02").ok()["deleted"], 2);
    ana.get(&format!("/api/transfers/{gone}")).problem(404, "ErrNotFound");
    ana.get(&format!("/api/transfers/{kept}")).ok();
    assert_eq!((balance(&ana, from), balance(&ana, to)), (json!("-500.50"), json!("500.50")));
}

#[test]
fn what_pays_more_from_before_the_books_than_a_transaction_holds_is_refused() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let (bank, card) = (account(&ana, "Banco"), ana.open_card("Visa", 25, 5));
    let pay = || {
        let body =
            json!({ "from_account_id": bank, "to_account_id": card, "amount": "9999999999.99", "date": "2026-03-10" });
        ana.post("/api/transfers", body)
    };
    pay().created();
    pay().invalid(&["amount"]);
    assert_eq!(balance(&ana, card), json!("0.00"));
}

#[test]
fn a_leg_is_not_changed_by_itself() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let (from, to) = (account(&ana, "De"), account(&ana, "Para"));
    let transfer = ana.post("/api/transfers", body(from, to)).created();
    for leg in ["from", "to"] {
        let mut changed = transfer[leg].clone();
        let path = format!("/api/transactions/{}", changed["id"]);
        ana.put(&path, changed.clone()).problem(409, "ErrTransferLeg");
        changed["amount"] = json!("1.00");
        ana.put(&path, changed).problem(409, "ErrTransferLeg");
    }
    assert_eq!(ana.get(&format!("/api/transfers/{}", transfer["id"])).ok(), transfer);
    ana.put(&format!("/api/transfers/{}", transfer["id"]), body(from, to)).problem(405, "ErrMethodNotAllowed");
}

#[test]
fn every_wrong_field_is_named_at_once() {
    let app = TestApp::start();
    let (ana, bia) = (app.user("ana"), app.user("bia"));
    let (from, to, hers) = (account(&ana, "De"), account(&ana, "Para"), account(&bia, "Dela"));
    let all = ["from_account_id", "to_account_id", "amount", "date"];
    ana.post("/api/transfers", json!({})).invalid(&all);
    ana.post(
        "/api/transfers",
        json!({ "from_account_id": "1", "to_account_id": null, "amount": "um", "date": "10/03/2026" }),
    )
    .invalid(&all);
    ana.post("/api/transfers", body(from, from)).invalid(&["to_account_id"]);
    ana.post("/api/transfers", body(hers, to)).invalid(&["from_account_id"]);
    ana.post("/api/transfers", body(from, hers)).invalid(&["to_account_id"]);
    ana.post("/api/transfers", body(hers, hers)).invalid(&["from_account_id", "to_account_id"]);
    for amount in [json!(0), json!("-1"), json!("0.001"), json!("10000000000")] {
        let mut wrong = body(from, to);
        wrong["amount"] = amount;
        ana.post("/api/transfers", wrong).invalid(&["amount"]);
    }
    for description in [json!("x".repeat(256)), json!("a\0b"), json!(7)] {
        let mut wrong = body(from, to);
        wrong["description"] = description;
        ana.post("/api/transfers", wrong).invalid(&["description"]);
    }
    assert!(ana.all_transactions().is_empty() && bia.all_transactions().is_empty());
    assert_eq!((balance(&ana, from), balance(&bia, hers)), (json!("0.00"), json!("0.00")));
}

#[test]
fn another_profile_has_no_such_transfer() {
    let app = TestApp::start();
    let (ana, bia) = (app.user("ana"), app.user("bia"));
    let transfer = ana.post("/api/transfers", body(account(&ana, "De"), account(&ana, "Para"))).created();
    let path = format!("/api/transfers/{}", transfer["id"]);
    bia.get(&path).problem(404, "ErrNotFound");
    bia.delete(&path).problem(404, "ErrNotFound");
    bia.delete(&format!("/api/transactions/{}", transfer["from"]["id"])).problem(404, "ErrNotFound");
    assert_eq!(bia.delete("/api/transactions?month=2026-03").ok()["deleted"], 0);
    assert_eq!(ana.get(&path).ok(), transfer);
    ana.get("/api/transfers/999999").problem(404, "ErrNotFound");
    ana.delete("/api/transfers/999999").problem(404, "ErrNotFound");
}

#[test]
fn a_transfer_to_a_card_pays_its_last_closed_bill_and_then_the_open_one() {
    for transfer_first in [false, true] {
        let app = TestApp::start();
        app.clock.set_today(date!(2026 - 03 - 10));
        let ana = app.user("ana");
        let (bank, card) = (account(&ana, "Banco"), ana.open_card("Cartão", 25, 5));
        let buy = || {
            for (date, amount) in [("2026-02-10", "300"), ("2026-03-02", "120")] {
                let bought = json!({ "type": "expense", "date": date, "description": "Compra", "amount": amount,
                    "account_id": card });
                ana.post("/api/transactions", bought).created();
            }
        };
        let pay = || {
            let paid = json!({ "from_account_id": bank, "to_account_id": card, "amount": "350", "date": "2026-03-05" });
            ana.create("/api/transfers", paid)
        };
        let figures = || -> Vec<[String; 5]> {
            let bills = ana.get(&format!("/api/credit-bills?account_id={card}")).ok();
            let text = |bill: &Value, name: &str| bill[name].as_str().unwrap().to_string();
            let names = ["period_start", "total", "paid_amount", "amount_due", "status"];
            bills.as_array().unwrap().iter().map(|bill| names.map(|name| text(bill, name))).collect()
        };
        let transfer = if transfer_first {
            let transfer = pay();
            buy();
            transfer
        } else {
            buy();
            pay()
        };
        let expected =
            [["2026-02-25", "120.00", "50.00", "70.00", "unpaid"], ["2026-01-25", "300.00", "300.00", "0.00", "paid"]];
        assert_eq!(figures(), expected, "transfer first: {transfer_first}");
        assert_eq!(ana.balance(card), -7_000);
        let paid = ana.get(&format!("/api/credit-bills?account_id={card}")).ok()[1]["id"].clone();
        ana.post_nothing(&format!("/api/credit-bills/{paid}/unpay")).problem(409, "ErrPaidByStatement");
        ana.delete(&format!("/api/transfers/{transfer}")).gone();
        let expected = [
            ["2026-02-25", "120.00", "0.00", "120.00", "unpaid"],
            ["2026-01-25", "300.00", "0.00", "300.00", "unpaid"],
        ];
        assert_eq!(figures(), expected, "without the transfer");
    }
}
