//! Transfers between own accounts and payments of cards, recognised when statements are imported.

use finance_tests::{Client, Form, TestApp, ofx};
use serde_json::{Value, json};
use time::macros::date;

const CARD: [finance_tests::OfxRow<'static>; 5] = [
    ("20260210", "-300.00", "C1", "MERCADO A"),
    ("20260220", "-700.00", "C2", "LOJA B - Parcela 1/3"),
    ("20260302", "-120.00", "C3", "POSTO C"),
    ("20260305", "1000.00", "C4", "Pagamento recebido"),
    ("20260308", "50.00", "C5", "Estorno LOJA D"),
];
const ACCOUNT: [finance_tests::OfxRow<'static>; 3] = [
    ("20260301", "4000.00", "A1", "SALARIO"),
    ("20260305", "-1000.00", "A2", "PAGAMENTO FATURA CARTAO"),
    ("20260306", "-200.00", "A3", "PIX ENVIADO FULANO"),
];

/// A household with an account and a card, on 10 March 2026.
struct House {
    client: Client,
    account: i64,
    card: i64,
}

impl House {
    fn new(app: &TestApp, name: &str) -> Self {
        app.clock.set_today(date!(2026 - 03 - 10));
        let client = app.user(name);
        let account = json!({ "name": "Conta", "kind": "current", "opening_balance": "5000.00",
            "opening_date": "2026-02-01" });
        let account = client.create("/api/accounts", account);
        let card = client
            .create("/api/accounts", json!({ "name": "Cartão", "kind": "credit", "closing_day": 25, "due_day": 5 }));
        House { client, account, card }
    }

    fn preview(&self, account: i64, file: &[u8]) -> Value {
        preview(&self.client, account, file)
    }

    fn confirm(&self, account: i64, preview: &Value) -> Value {
        confirm(&self.client, account, preview)
    }

    fn import_card(&self) -> Value {
        self.confirm(self.card, &self.preview(self.card, &ofx(&CARD)))
    }

    fn import_account(&self) -> Value {
        self.confirm(self.account, &self.preview(self.account, &ofx(&ACCOUNT)))
    }

    fn bills(&self) -> Vec<[String; 5]> {
        let bills = self.client.get(&format!("/api/credit-bills?account_id={}", self.card)).ok();
        let text = |bill: &Value, name: &str| bill[name].as_str().unwrap().to_string();
        let bill = |bill: &Value| {
            ["period_start", "period_end", "total", "paid_amount", "status"].map(|name| text(bill, name))
        };
        bills.as_array().unwrap().iter().map(bill).collect()
    }

    fn month(&self, month: &str) -> [String; 2] {
        let dashboard = self.client.get(&format!("/api/dashboard?month={month}")).ok();
        ["income", "expenses"].map(|name| dashboard[name].as_str().unwrap().to_string())
    }

    fn balances(&self) -> [Value; 2] {
        [self.account, self.card].map(|id| self.client.get(&format!("/api/accounts/{id}")).ok()["balance"].clone())
    }

    /// The figures of the two files, whatever way they came.
    #[track_caller]
    fn assert_figures(&self, when: &str) {
        assert_eq!(self.month("2026-03"), ["4050.00", "320.00"], "{when}");
        assert_eq!(self.month("2026-02"), ["0.00", "1000.00"], "{when}");
        assert_eq!(self.balances(), [json!("7800.00"), json!("-70.00")], "{when}");
        let bill = |start: &str, end: &str, total: &str, paid: &str, status: &str| {
            [start, end, total, paid, status].map(str::to_string)
        };
        assert_eq!(
            self.bills(),
            [
                bill("2026-02-25", "2026-03-24", "70.00", "0.00", "unpaid"),
                bill("2026-01-25", "2026-02-24", "1000.00", "1000.00", "paid"),
            ],
            "{when}"
        );
    }

    fn undo(&self, imported: &Value) {
        self.client.delete(&format!("/api/imports/{}", imported["import_id"])).ok();
    }
}

fn preview(client: &Client, account: i64, file: &[u8]) -> Value {
    let form = Form::new().file("statement", file).text("account_id", &account.to_string());
    client.post_form("/api/import/preview", form).ok()
}

fn body(account: i64, preview: &Value) -> Value {
    json!({ "account_id": account, "file_name": "statement", "format": preview["format"], "rows": preview["rows"] })
}

fn confirm(client: &Client, account: i64, preview: &Value) -> Value {
    client.post("/api/import/confirm", body(account, preview)).created()
}

fn described<'a>(list: &'a Value, description: &str) -> &'a Value {
    list.as_array().unwrap().iter().find(|row| row["description"] == description).unwrap()
}

#[test]
fn a_card_and_its_account_count_each_payment_once_in_either_order() {
    let app = TestApp::start();
    for (name, card_first) in [("ana", true), ("bia", false)] {
        let house = House::new(&app, name);
        if card_first {
            let imported = house.import_card();
            assert_eq!(imported["inserted"], 5);
            let payment = described(&imported["transactions"], "Pagamento recebido");
            assert_eq!((&payment["is_transfer"], &payment["transfer_id"]), (&json!(true), &Value::Null));
            assert_eq!(
                imported["linked"],
                json!([{ "row": 3, "transaction_id": null, "transfer_id": null, "bill_id": null }])
            );
            let other = house.import_account();
            let linked = &other["linked"][0];
            assert_eq!((&linked["row"], &linked["transaction_id"]), (&json!(1), &payment["id"]), "{other}");
            assert_eq!(other["linked"].as_array().unwrap().len(), 1);
            let transfer = house.client.get(&format!("/api/transfers/{}", linked["transfer_id"])).ok();
            assert_eq!(transfer["to"]["id"], payment["id"]);
            assert_eq!(transfer["from"]["description"], "PAGAMENTO FATURA CARTAO");
            assert_eq!((&transfer["from"]["source"], &transfer["from"]["external_id"]), (&json!("ofx"), &json!("A2")));
        } else {
            assert_eq!(house.import_account()["linked"], json!([]));
            let imported = house.import_card();
            assert_eq!(imported["linked"].as_array().unwrap().len(), 1);
            assert_ne!(imported["linked"][0]["transfer_id"], Value::Null);
        }
        house.assert_figures(name);
        for (account, file) in [(house.card, ofx(&CARD)), (house.account, ofx(&ACCOUNT))] {
            assert_eq!(house.confirm(account, &house.preview(account, &file))["inserted"], 0);
        }
        house.assert_figures("both again");
    }
}

#[test]
fn two_files_may_be_previewed_before_either_is_confirmed() {
    let app = TestApp::start();
    for (name, card_first) in [("ana", true), ("bia", false)] {
        let house = House::new(&app, name);
        let (card, account) = (house.preview(house.card, &ofx(&CARD)), house.preview(house.account, &ofx(&ACCOUNT)));
        let payment = described(&card["rows"], "Pagamento recebido");
        assert_eq!(payment["transfer"], json!({ "kind": "bill_payment", "confidence": "certain", "with": null }));
        assert_eq!(payment["transfer_with"], json!({}));
        for row in [described(&card["rows"], "MERCADO A"), described(&account["rows"], "PAGAMENTO FATURA CARTAO")] {
            assert_eq!(row["transfer"], Value::Null);
            assert!(row.get("transfer_with").is_none(), "{row}");
        }
        let mut files = [(house.card, &card), (house.account, &account)];
        if !card_first {
            files.reverse();
        }
        for (account, preview) in files {
            house.confirm(account, preview);
        }
        house.assert_figures(name);
        for (account, preview) in files {
            assert_eq!(house.confirm(account, preview)["inserted"], 0, "the same answer sent again");
        }
        house.assert_figures("sent again");
    }
}

#[test]
fn either_import_may_be_undone_and_done_again() {
    let app = TestApp::start();
    for (name, card_first) in [("ana", true), ("bia", false)] {
        let house = House::new(&app, name);
        let (mut card, mut account) = (Value::Null, Value::Null);
        for of_card in [card_first, !card_first] {
            if of_card { card = house.import_card() } else { account = house.import_account() }
        }
        house.assert_figures("at first");
        for round in 0..2 {
            house.undo(&card);
            assert_eq!(house.month("2026-03"), ["4000.00", "1200.00"], "the account's payment is an expense again");
            card = house.import_card();
            house.assert_figures(&format!("card, round {round}"));
            house.undo(&account);
            assert_eq!(house.month("2026-03"), ["50.00", "120.00"], "the card's payment is a transfer by itself");
            assert_eq!(house.bills()[1][4], "paid");
            account = house.import_account();
            house.assert_figures(&format!("account, round {round}"));
        }
        house.undo(&card);
        house.undo(&account);
        assert_eq!(house.balances(), [json!("5000.00"), json!("0.00")]);
        house.import_account();
        house.import_card();
        house.assert_figures("both again");
    }
}

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
fn an_account_without_a_card_kept_here_spends_what_it_pays() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 03 - 10));
    let ana = app.user("ana");
    let account = ana.create("/api/accounts", json!({ "name": "Conta", "kind": "current" }));
    confirm(&ana, account, &preview(&ana, account, &ofx(&ACCOUNT)));
    assert_eq!(ana.get("/api/dashboard?month=2026-03").ok()["expenses"], "1200.00");
}

#[test]
fn what_is_only_likely_is_told_and_not_done() {
    let app = TestApp::start();
    let house = House::new(&app, "ana");
    let other = house.client.create("/api/accounts", json!({ "name": "Outra", "kind": "savings" }));
    let sent = [("20260303", "-100.00", "S1", "PIX ENVIADO"), ("20260303", "-100.00", "S2", "PIX ENVIADO")];
    assert_eq!(house.confirm(house.account, &house.preview(house.account, &ofx(&sent)))["linked"], json!([]));
    let preview = house.preview(other, &ofx(&[("20260304", "100.00", "R1", "PIX RECEBIDO")]));
    let row = &preview["rows"][0];
    assert_eq!((&row["transfer"]["kind"], &row["transfer"]["confidence"]), (&json!("own_account"), &json!("likely")));
    assert!(row["transfer"]["with"]["transaction_id"].is_i64() && row.get("transfer_with").is_none(), "{row}");
    assert_eq!(house.confirm(other, &preview)["linked"], json!([]));
    let suggestions = house.client.get("/api/transfers/suggestions").ok();
    assert_eq!(suggestions.as_array().unwrap().len(), 2, "{suggestions}");
    for suggestion in suggestions.as_array().unwrap() {
        assert_eq!((&suggestion["bill_id"], &suggestion["kind"]), (&Value::Null, &json!("own_account")));
        assert_eq!(suggestion["to"]["description"], "PIX RECEBIDO");
    }
    // A purchase with a card and a Pix of as much from a third person.
    house
        .client
        .post(
            "/api/transactions",
            json!({ "type": "expense", "date": "2026-03-07", "description": "LOJA E",
        "amount": "80.00", "account_id": house.card }),
        )
        .created();
    let third = house.preview(house.account, &ofx(&[("20260307", "80.00", "P1", "PIX RECEBIDO BELTRANO")]));
    assert_eq!(house.confirm(house.account, &third)["linked"], json!([]));
    assert_eq!(house.client.get("/api/transfers/suggestions").ok().as_array().unwrap().len(), 2);
}

#[test]
fn rows_say_what_becomes_of_them() {
    let app = TestApp::start();
    let house = House::new(&app, "ana");
    let income = house.import_card()["transactions"].clone();
    let payment = described(&income, "Pagamento recebido")["id"].clone();
    let preview = house.preview(house.account, &ofx(&ACCOUNT));
    let row = described(&preview["rows"], "PAGAMENTO FATURA CARTAO");
    assert_eq!(
        row["transfer"],
        json!({ "kind": "bill_payment", "confidence": "certain", "with": { "transaction_id": payment } })
    );
    assert_eq!(row["transfer_with"], json!({ "transaction_id": payment }));
    let with = |transfer_with: Value| {
        let mut body = body(house.account, &preview);
        body["rows"][1]["transfer_with"] = transfer_with;
        house.client.post("/api/import/confirm", body)
    };
    let salary = 9_000_000_000_i64;
    for wrong in [
        json!({ "transaction_id": salary }),
        json!({ "transaction_id": described(&income, "MERCADO A")["id"] }),
        json!({ "transaction_id": described(&income, "Estorno LOJA D")["id"] }),
        json!({ "bill_id": salary }),
        json!({ "transaction_id": payment, "bill_id": 1 }),
        json!({ "transaction_id": "1" }),
        json!("yes"),
        json!([]),
    ] {
        with(wrong).invalid(&["rows[1].transfer_with"]);
    }
    assert_eq!(house.month("2026-03"), ["50.00", "120.00"], "nothing was saved");
    // One transaction is the other side of one row.
    let mut twice = body(house.account, &preview);
    twice["rows"][2] = json!({ "date": "2026-03-05", "description": "OUTRO PAGAMENTO", "amount": "1000.00", "type": "expense",
        "transfer_with": { "transaction_id": payment } });
    house.client.post("/api/import/confirm", twice).invalid(&["rows[2].transfer_with"]);
    let mut nowhere = body(house.account, &preview);
    nowhere["account_id"] = Value::Null;
    house.client.post("/api/import/confirm", nowhere).invalid(&["rows[1].transfer_with"]);
    // Null: an ordinary row, for good.
    let ordinary = with(Value::Null).created();
    assert_eq!((&ordinary["linked"], house.month("2026-03")), (&json!([]), ["4050.00", "1320.00"].map(str::to_string)));
    assert_eq!(house.client.post("/api/transfers/detect", json!({})).ok(), json!({ "linked": 0, "suggested": 0 }));
    house.undo(&ordinary);
    // Absent: what the preview says; then the same once more, under an id that was no candidate any more.
    let mut absent = body(house.account, &preview);
    absent["rows"][1].as_object_mut().unwrap().remove("transfer_with");
    assert_eq!(house.client.post("/api/import/confirm", absent).created()["linked"][0]["transaction_id"], payment);
    house.assert_figures("absent");
    assert_eq!(with(json!({ "transaction_id": payment })).created()["inserted"], 0, "a duplicate needs no candidate");
    // A transfer without another side, whatever its text says.
    let other = house.client.create("/api/accounts", json!({ "name": "Outra", "kind": "current" }));
    let single = json!({ "account_id": other, "rows": [{ "date": "2026-03-09", "description": "LOJA X", "amount": "10",
        "type": "expense", "transfer_with": {} }] });
    let single = house.client.post("/api/import/confirm", single).created();
    assert_eq!(
        (&single["transactions"][0]["is_transfer"], &single["linked"][0]["transfer_id"]),
        (&json!(true), &Value::Null)
    );
    house.assert_figures("a single transfer");
}

#[test]
fn an_expense_pays_the_bill_it_equals_and_the_card_tells_of_it_later() {
    let app = TestApp::start();
    let house = House::new(&app, "ana");
    house.confirm(house.card, &house.preview(house.card, &ofx(&CARD[..3])));
    // The bill of February is not stored before this preview.
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
    // Without the account's file the leg is gone, and the bill is due again.
    house.undo(&imported);
    assert_eq!(house.bills()[1][4], "unpaid");
    assert_eq!(house.month("2026-03"), ["50.00", "120.00"]);
    let again = house.import_account();
    assert_eq!(again["linked"].as_array().unwrap().len(), 1);
    // Unpaying takes back what was made here; the account's row is an expense again.
    house.client.post_nothing(&format!("/api/credit-bills/{}/unpay", bill["id"])).ok();
    assert_eq!(house.month("2026-03"), ["4050.00", "1320.00"]);
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
    // A late purchase is paid here beside the statement's payment, and only that is taken back.
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

/// A payment pays the bill that closed before it, and what exceeds that counts on the open bill, in whatever order files come.
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
    let paid: Vec<(&str, &str)> = seen[0].iter().map(|bill| (bill[2].as_str(), bill[3].as_str())).collect();
    // 70.00 count on April's bill while it is open. Of the 130.00 of May 30.00 are due on it, and 100.00 count on the bill
    // that is open then, and so on.
    let expected = [("20.00", "1.00"), ("30.00", "50.00"), ("50.00", "100.00"), ("100.00", "100.00")];
    assert_eq!(paid[1..], expected);
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
    // Held until it is paid: the total asks for what is to be paid, without what was paid before.
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
fn of_two_confirms_at_once_one_links() {
    let app = TestApp::start();
    let node = app.another_node();
    for name in ["ana", "bia", "caio"] {
        let house = House::new(&app, name);
        let there = Client::of(node.address()).with_token(house.client.token());
        let other = house.client.create("/api/accounts", json!({ "name": "Outra", "kind": "savings" }));
        house.import_card();
        let file = ofx(&[("20260305", "-1000.00", "A2", "PAGAMENTO FATURA CARTAO")]);
        let previews = [(house.account, house.preview(house.account, &file)), (other, house.preview(other, &file))];
        let replies = std::thread::scope(|scope| {
            let confirms =
                [(&house.client, &previews[0]), (&there, &previews[1])].map(|(client, (account, preview))| {
                    scope.spawn(move || client.post("/api/import/confirm", body(*account, preview)))
                });
            confirms.map(|confirm| confirm.join().unwrap())
        });
        let (linked, refused): (Vec<_>, Vec<_>) = replies.into_iter().partition(|reply| reply.status == 201);
        assert_eq!((linked.len(), refused.len()), (1, 1));
        for reply in refused {
            reply.invalid(&["rows[0].transfer_with"]);
        }
        assert_eq!(house.bills()[1][3], "1000.00");
    }
}

#[test]
fn a_payment_in_a_period_without_purchases_counts_on_the_bill_that_was_open() {
    let app = TestApp::start();
    let house = House::new(&app, "ana");
    let imported = house
        .confirm(house.card, &house.preview(house.card, &ofx(&[("20251010", "80.00", "P", "Pagamento recebido")])));
    let bills = house.bills();
    assert_eq!(bills[1], ["2025-09-25", "2025-10-24", "0.00", "80.00", "paid"].map(str::to_string), "{bills:?}");
    // Once the purchases come that it paid, it counts on their bill.
    house.confirm(house.card, &house.preview(house.card, &ofx(&[("20250910", "-80.00", "C", "COMPRA")])));
    assert_eq!(house.bills()[2], ["2025-08-25", "2025-09-24", "80.00", "80.00", "paid"].map(str::to_string));
    assert_eq!(house.bills()[1][3], "0.00");
    house.undo(&imported);
    assert_eq!(house.bills()[2][3], "0.00");
}

/// 47 real bills of one card: every payment is a transfer, and nothing else is.
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
