//! Stored payments of cards, from before the card was kept here, are asked again when rows of a card come.

use finance_tests::{Client, TestApp, id, ofx};
use serde_json::{Value, json};
use time::macros::date;

use super::House;

/// A bank with payments of a card that is not kept here yet. Today is 2026-03-20.
fn books(app: &TestApp, name: &str) -> (Client, i64) {
    app.clock.set_today(date!(2026 - 03 - 20));
    let client = app.user(name);
    let bank = json!({ "name": "Banco", "kind": "current", "opening_balance": "5000", "opening_date": "2026-01-01" });
    let bank = client.create("/api/accounts", bank);
    let rows = [
        ("20260305", "-1000.00", "A1", "PAGAMENTO FATURA CARTAO"),
        ("20260312", "-70.00", "A2", "PGTO FATURA"),
        ("20260313", "-20.00", "A3", "PADARIA"),
    ];
    assert_eq!(client.import(Some(bank), &ofx(&rows)).created()["linked"], json!([]));
    assert_eq!(client.get("/api/dashboard").ok()["expenses"], "1090.00", "no card is kept here");
    (client, bank)
}

const BOUGHT: [(&str, &str, &str, &str); 2] =
    [("20260210", "-400.00", "C1", "LOJA"), ("20260220", "-600.00", "C2", "MERCADO")];

/// The expenses of March, the card's balance, and what is due.
fn figures(client: &Client, card: i64) -> [Value; 3] {
    let due = client.all("/api/credit-bills").iter().map(|bill| bill["amount_due"].clone()).find(|due| due != "0.00");
    let balance = client.get(&format!("/api/accounts/{card}")).ok()["balance"].clone();
    [client.get("/api/dashboard").ok()["expenses"].clone(), balance, due.unwrap_or(json!("0.00"))]
}

#[test]
fn a_payment_from_before_the_card_is_one_when_the_card_s_file_comes() {
    let app = TestApp::start();
    let (ana, _) = books(&app, "ana");
    let card = ana.open_card("Visa", 25, 5);
    let imported = ana.import(Some(card), &ofx(&BOUGHT)).created();
    let linked = imported["linked"].as_array().unwrap();
    assert_eq!(linked.len(), 2, "{imported}");
    assert!(linked.iter().all(|link| link["row"].is_null() && link["transfer_id"].is_i64()), "{imported}");
    let paid = ana.get(&format!("/api/transactions/{}", linked[1]["transaction_id"])).ok();
    let bill = ana.get("/api/credit-bills").ok()[1]["id"].clone();
    assert_eq!(
        (&linked[0]["bill_id"], &linked[1]["bill_id"], &paid["description"], &paid["is_transfer"]),
        (&Value::Null, &bill, &json!("PAGAMENTO FATURA CARTAO"), &json!(true)),
        "the second is what is due on a bill"
    );
    assert_eq!(figures(&ana, card), [json!("20.00"), json!("70.00"), json!("-70.00")]);
    assert_eq!(ana.post("/api/transfers/detect", json!({})).ok()["linked"], 0);
}

#[test]
fn every_way_in_which_rows_of_a_card_come_asks_them() {
    let app = TestApp::start();
    for way in ["hand", "held", "detect"] {
        let (client, _) = books(&app, way);
        let card = client.open_card("Visa", 25, 5);
        match way {
            "hand" => {
                let row = json!({ "type": "expense", "date": "2026-02-10", "description": "LOJA", "amount": "1000", "account_id": card });
                client.create("/api/transactions", row);
            }
            "held" => {
                let held = client.import_card(card, "2026-04-05", &ofx(&BOUGHT)).expect(202);
                let path = format!("/api/pending-bills/{}/confirm", id(&held["pending_bill"]));
                let confirmed = client.post_nothing(&path).created();
                assert_eq!(confirmed["linked"].as_array().unwrap().len(), 2, "{confirmed}");
            }
            _ => assert_eq!(client.post("/api/transfers/detect", json!({})).ok()["linked"], 2),
        }
        assert_eq!(figures(&client, card)[0], "20.00", "{way}");
        assert_eq!(client.post("/api/transfers/detect", json!({})).ok()["linked"], 0, "{way}");
    }
}

#[test]
fn what_a_person_refused_is_not_asked_again() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 03 - 20));
    let ana = app.user("ana");
    let bank = ana.open_account("Banco", "current");
    let row = json!({ "date": "2026-03-05", "description": "PAGAMENTO FATURA CARTAO", "amount": "1000.00", "type": "expense",
        "transfer_with": null });
    ana.post("/api/import/confirm", json!({ "account_id": bank, "format": "ofx", "rows": [row] })).created();
    let card = ana.open_card("Visa", 25, 5);
    assert_eq!(ana.import(Some(card), &ofx(&BOUGHT)).created()["linked"], json!([]));
    assert_eq!(ana.post("/api/transfers/detect", json!({})).ok()["linked"], 0);
    assert_eq!(figures(&ana, card), [json!("1000.00"), json!("-1000.00"), json!("1000.00")]);
}

/// A current account and a card, on 2026-03-10, with the balance and what is due of the card.
fn current_and_card(app: &TestApp, name: &str) -> (Client, i64, i64) {
    app.clock.set_today(date!(2026 - 03 - 10));
    let client = app.user(name);
    (client.clone(), client.open_account("Banco", "current"), client.open_card("Visa", 25, 5))
}

fn buy(client: &Client, card: i64, date: &str, amount: &str) {
    let body =
        json!({ "type": "expense", "account_id": card, "date": date, "description": "Padaria", "amount": amount });
    client.create("/api/transactions", body);
}

#[test]
fn a_payment_that_a_person_made_a_transfer_alone_stays_so() {
    let app = TestApp::start();
    let (ana, bank, card) = current_and_card(&app, "ana");
    buy(&ana, card, "2026-02-10", "500.00");
    let row = ana.import(Some(bank), &ofx(&[("20260305", "-500.00", "P1", "PAGAMENTO FATURA CARTAO")])).created();
    let row = row["transactions"][0].clone();
    assert_eq!(ana.balance(card), 0);
    ana.post_nothing(&format!("/api/transfers/{}/unlink", row["transfer_id"])).ok();
    let path = format!("/api/transactions/{}", row["id"]);
    let mut alone = ana.get(&path).ok();
    alone["is_transfer"] = json!(true);
    ana.put(&path, alone).ok();
    buy(&ana, card, "2026-03-10", "10.00");
    assert_eq!(ana.balance(card), -51_000);
    ana.post("/api/transfers/detect", json!({})).ok();
    assert_eq!((ana.balance(card), &ana.get(&path).ok()["transfer_id"]), (-51_000, &Value::Null));
}

#[test]
fn a_bill_whose_payment_a_person_took_back_stays_due() {
    let app = TestApp::start();
    let (ana, bank, card) = current_and_card(&app, "ana");
    ana.import(Some(card), &ofx(&[("20260210", "-300.00", "C1", "LOJA")])).created();
    ana.import(Some(bank), &ofx(&[("20260305", "-300.00", "P1", "PAGAMENTO FATURA CARTAO")])).created();
    let bill = ana.all("/api/credit-bills").into_iter().find(|bill| bill["due_date"] == "2026-03-05").unwrap();
    assert_eq!(bill["status"], "paid");
    let unpaid = ana.post_nothing(&format!("/api/credit-bills/{}/unpay", bill["id"])).ok();
    assert_eq!(unpaid["amount_due"], "300.00");
    buy(&ana, card, "2026-03-10", "10.00");
    ana.post("/api/transfers/detect", json!({})).ok();
    assert_eq!(ana.get(&format!("/api/credit-bills/{}", bill["id"])).ok()["amount_due"], "300.00");
    assert_eq!((ana.balance(card), ana.get("/api/dashboard").ok()["expenses"].clone()), (-31_000, json!("10.00")));
    // It is paid by the same row where a person says so.
    let row = ana.get("/api/transactions?q=fatura").ok()[0]["id"].clone();
    ana.post("/api/transfers/link", json!({ "from_id": row, "bill_id": bill["id"] })).created();
    assert_eq!(ana.balance(card), -1_000);
}

#[test]
fn instalments_and_payments_that_a_person_enters_ask_what_is_stored() {
    let app = TestApp::start();
    let (ana, _) = books(&app, "ana");
    let card = ana.open_card("Visa", 25, 5);
    let plan = json!({ "account_id": card, "description": "Loja", "date": "2026-02-10", "count": 10, "total_amount": "1000.00" });
    ana.post("/api/installments", plan).created();
    assert_eq!(
        ana.get("/api/dashboard").ok()["expenses"],
        "120.00",
        "an instalment and bread: both others are payments"
    );
    // Of two bills of one amount the other one is paid, when a person pays the first.
    app.clock.set_today(date!(2026 - 02 - 10));
    let bia = app.user("bia");
    let bank = bia.open_account("Banco", "current");
    let cards = ["Visa", "Elo"].map(|name| bia.open_card(name, 25, 5));
    cards.iter().for_each(|card| buy(&bia, *card, "2026-01-10", "300.00"));
    bia.import(Some(bank), &ofx(&[("20260206", "-300.00", "P1", "PAGAMENTO FATURA CARTAO")])).created();
    assert_eq!(cards.map(|card| bia.balance(card)), [-30_000; 2]);
    let bill = bia.get(&format!("/api/credit-bills?account_id={}", cards[1])).ok();
    let bill = bill.as_array().unwrap().iter().find(|bill| bill["due_date"] == "2026-02-05").unwrap()["id"].clone();
    let pay = json!({ "account_id": bank, "date": "2026-02-06" });
    bia.post(&format!("/api/credit-bills/{bill}/pay"), pay).ok();
    assert_eq!(cards.map(|card| bia.balance(card)), [0; 2]);
}

#[test]
fn a_payment_that_is_moved_to_its_card_takes_the_place_of_the_leg_that_was_made_here() {
    let app = TestApp::start();
    for (name, many) in [("ana", true), ("bia", false)] {
        let (client, bank, card) = current_and_card(&app, name);
        let wrong = client.open_account("Outro", "current");
        client.import(Some(card), &ofx(&[("20260210", "-300.00", "C1", "LOJA")])).created();
        client.import(Some(bank), &ofx(&[("20260305", "-300.00", "P1", "PAGAMENTO FATURA CARTAO")])).created();
        let rows = client.import(Some(wrong), &ofx(&[("20260306", "300.00", "C2", "Pagamento recebido")])).created();
        let row = rows["transactions"][0].clone();
        if many {
            client.post("/api/transactions/update", json!({ "ids": [row["id"]], "account_id": card })).ok();
        } else {
            let path = format!("/api/transactions/{}", row["id"]);
            let mut moved = client.get(&path).ok();
            moved["account_id"] = json!(card);
            client.put(&path, moved).ok();
        }
        let month = client.get("/api/dashboard").ok();
        assert_eq!((client.balance(card), &month["income"]), (0, &json!("0.00")), "{name}");
    }
}

#[test]
fn a_link_knows_the_bills_of_the_day_without_a_read_before() {
    let app = TestApp::start();
    let (ana, bank, card) = current_and_card(&app, "ana");
    buy(&ana, card, "2026-02-10", "1000.00");
    buy(&ana, card, "2026-03-02", "500.00");
    app.clock.set_today(date!(2026 - 03 - 20));
    let bill = ana.all("/api/credit-bills").into_iter().find(|bill| bill["due_date"] == "2026-04-05").unwrap();
    app.clock.set_today(date!(2026 - 03 - 25));
    let body = json!({ "type": "expense", "account_id": bank, "date": "2026-03-25", "description": "Boleto", "amount": "1500.00" });
    let paid = ana.create("/api/transactions", body);
    ana.post("/api/transfers/link", json!({ "from_id": paid, "bill_id": bill["id"] })).created();
    assert_eq!(ana.balance(card), 0);
}

#[test]
fn a_card_s_row_that_a_person_unlinked_is_not_linked_by_a_later_payment() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 04 - 10));
    let ana = app.user("ana");
    let bank = ana.open_account("Banco", "current");
    let card = json!({ "name": "Visa", "kind": "credit", "closing_day": 25, "due_day": 5, "opening_balance": "0.00" });
    let card = ana.create("/api/accounts", card);
    let balance = || ana.get(&format!("/api/accounts/{card}")).ok()["balance"].clone();
    let bought = [("20260210", "-1500.00", "C1", "LOJA"), ("20260303", "500.00", "C2", "Pagamento recebido")];
    ana.import(Some(card), &ofx(&bought)).created();
    let paid = |day: &str, id: &str| {
        ana.import(Some(bank), &ofx(&[(day, "-500.00", id, "PAGAMENTO FATURA")])).created();
    };
    paid("20260302", "P1");
    paid("20260306", "P2");
    assert_eq!(balance(), "-500.00");
    let received = ana.get("/api/transactions?q=recebido").ok()[0].clone();
    ana.post_nothing(&format!("/api/transfers/{}/unlink", received["transfer_id"])).ok();
    assert_eq!(balance(), "-500.00");
    paid("20260330", "P3");
    assert_eq!(balance(), "0.00");
    let after = ana.get(&format!("/api/transactions/{}", received["id"])).ok();
    assert_eq!((&after["transfer_id"], &after["is_transfer"]), (&Value::Null, &json!(true)));
}

#[test]
fn pix_on_credit_is_two_transfers_in_whichever_file_each_half_comes() {
    let app = TestApp::start();
    let lent = ("20260303", "100.00", "L1", "Valor adicionado na conta por cartão de crédito");
    let sent = ("20260303", "-100.00", "P1", "PIX ENVIADO FULANO");
    let other = ("20260303", "-100.00", "P2", "PIX ENVIADO SICRANO");
    let files: [(&str, &[&[finance_tests::OfxRow<'static>]]); 4] = [
        ("ana", &[&[lent], &[sent]]),
        ("bia", &[&[sent], &[lent]]),
        ("caio", &[&[lent, sent], &[lent, sent]]),
        ("davi", &[&[lent], &[lent, sent], &[other]]),
    ];
    for (name, files) in files {
        let house = House::new(&app, name);
        for (at, rows) in files.iter().enumerate() {
            let preview = house.preview(house.account, &ofx(rows));
            let confirmed = house.confirm(house.account, &preview);
            // The row that was stored before is told.
            let is_told = at == 1 && name != "caio";
            let before: Vec<_> =
                confirmed["linked"].as_array().unwrap().iter().filter(|link| link["row"].is_null()).collect();
            assert_eq!(before.len(), usize::from(is_told), "{name}: {confirmed}");
            for (row, stored) in preview["rows"]
                .as_array()
                .unwrap()
                .iter()
                .filter(|row| row["duplicate"] == false)
                .zip(confirmed["transactions"].as_array().unwrap())
            {
                assert_eq!(row["transfer"]["confidence"] == "certain", stored["is_transfer"] == true, "{name}: {row}");
            }
        }
        let month = house.client.get("/api/dashboard?month=2026-03").ok();
        let spent = if name == "davi" { "100.00" } else { "0.00" };
        assert_eq!((&month["income"], &month["expenses"]), (&json!("0.00"), &json!(spent)), "{name}");
        assert_eq!(house.client.post("/api/transfers/detect", json!({})).ok()["linked"], 0, "{name}");
    }
}

#[test]
fn pix_on_credit_that_was_entered_by_hand_is_detected() {
    let app = TestApp::start();
    let House { client, account, .. } = House::new(&app, "ana");
    let enter = |kind: &str, text: &str| {
        let row = json!({ "type": kind, "date": "2026-03-03", "description": text, "amount": "100.00", "account_id": account });
        client.create("/api/transactions", row)
    };
    enter("income", "Valor adicionado na conta por cartão de crédito");
    enter("expense", "PIX ENVIADO FULANO");
    let changes = || client.get("/api/changes").ok();
    let before = changes();
    let rehearsed = client.post("/api/transfers/detect?dry_run=true", json!({}));
    assert_eq!(rehearsed.header("Finance-Change"), None);
    assert_eq!(changes(), before, "what is tried out is no change");
    let rehearsed = rehearsed.ok();
    assert_eq!((&rehearsed["linked"], &rehearsed["suggested"]), (&json!(2), &json!(0)));
    assert_eq!(client.post("/api/transfers/detect", json!({})).ok()["linked"], 2);
    let month = client.get("/api/dashboard?month=2026-03").ok();
    assert_eq!((&month["income"], &month["expenses"]), (&json!("0.00"), &json!("0.00")));
    // What a person took apart stays so.
    for row in client.all("/api/transactions?month=2026-03") {
        let mut row = row;
        row["is_transfer"] = json!(false);
        client.put(&format!("/api/transactions/{}", row["id"]), row.clone()).ok();
    }
    assert_eq!(client.post("/api/transfers/detect", json!({})).ok()["linked"], 0);
}

/// What comes, and in which order: the other account's file (0), what a person enters (1), and later the account's file (2). What is
/// entered after that file is a row of its own.
const ORDERS: [[usize; 3]; 3] = [[0, 1, 2], [1, 0, 2], [1, 2, 0]];

#[test]
fn a_payment_that_was_entered_is_asked_when_a_file_has_it_too() {
    let app = TestApp::start();
    let with_payment = [("20260110", "-300.00", "C1", "LOJA"), ("20260205", "300.00", "C2", "Pagamento recebido")];
    let account = [("20260205", "-300.00", "A1", "PAGAMENTO FATURA CARTAO")];
    for (at, (order, of_card)) in
        ORDERS.into_iter().flat_map(|order| [(order, &with_payment[..]), (order, &with_payment[..1])]).enumerate()
    {
        let house = House::new(&app, &format!("house-{at}"));
        for step in order {
            match step {
                0 => drop(house.confirm(house.card, &house.preview(house.card, &ofx(of_card)))),
                1 => drop(house.client.create(
                    "/api/transactions",
                    json!({ "type": "expense", "account_id": house.account, "date": "2026-02-05", "amount": "300.00",
                        "description": "PAGAMENTO FATURA CARTAO" }),
                )),
                _ => drop(house.confirm(house.account, &house.preview(house.account, &ofx(&account)))),
            }
        }
        let february = house.client.get("/api/dashboard?month=2026-02").ok();
        assert_eq!((&february["expenses"], &february["income"]), (&json!("0.00"), &json!("0.00")), "{order:?}");
        assert_eq!(house.client.balance(house.card), 0, "{order:?} {of_card:?}");
    }
}

#[test]
fn a_move_that_was_entered_is_asked_when_a_file_has_it_too() {
    let app = TestApp::start();
    for (at, order) in ORDERS.into_iter().enumerate() {
        let house = House::new(&app, &format!("house-{at}"));
        let mut settings = house.client.get("/api/settings").ok();
        settings["own_names"] = json!(["Ana Souza"]);
        house.client.put("/api/settings", settings).ok();
        let savings = house.client.open_account("Poupança", "savings");
        for step in order {
            match step {
                0 => {
                    let file = ofx(&[("20260115", "151.90", "S1", "PIX RECEBIDO ANA SOUZA")]);
                    drop(house.confirm(savings, &house.preview(savings, &file)));
                }
                1 => drop(house.client.create(
                    "/api/transactions",
                    json!({ "type": "expense", "account_id": house.account, "date": "2026-01-15", "amount": "151.90",
                        "description": "PIX ENVIADO ANA SOUZA" }),
                )),
                _ => {
                    let file = ofx(&[("20260115", "-151.90", "A1", "PIX ENVIADO ANA SOUZA")]);
                    drop(house.confirm(house.account, &house.preview(house.account, &file)));
                }
            }
        }
        let january = house.client.get("/api/dashboard?month=2026-01").ok();
        assert_eq!((&january["expenses"], &january["income"]), (&json!("0.00"), &json!("0.00")), "{order:?}");
    }
}

#[test]
fn a_payment_entered_on_a_card_takes_the_place_of_the_leg_that_was_made_here() {
    let app = TestApp::start();
    for (at, entered_last) in [true, false].into_iter().enumerate() {
        let house = House::new(&app, &format!("house-{at}"));
        house.confirm(house.card, &house.preview(house.card, &ofx(&[("20260211", "-250.00", "C1", "LOJA")])));
        let pay = || {
            let file = ofx(&[("20260306", "-250.00", "A1", "PAGTO FATURA")]);
            drop(house.confirm(house.account, &house.preview(house.account, &file)));
        };
        let enter = || {
            let entered = json!({ "type": "income", "account_id": house.card, "date": "2026-03-07", "amount": "250.00",
                "description": "Pagamento recebido" });
            house.client.create("/api/transactions", entered)
        };
        let id = match entered_last {
            true => {
                pay();
                enter()
            }
            false => {
                let id = enter();
                pay();
                id
            }
        };
        assert_eq!(house.client.balance(house.card), 0, "{entered_last}");
        let march = house.client.get("/api/dashboard?month=2026-03").ok();
        assert_eq!((&march["expenses"], &march["income"]), (&json!("0.00"), &json!("0.00")), "{entered_last}");
        assert_eq!(house.client.get(&format!("/api/transactions/{id}")).ok()["is_transfer"], true, "{entered_last}");
        assert_eq!(house.client.all(&format!("/api/transactions?account_id={}", house.card)).len(), 2);
        let bills = house.client.all(&format!("/api/credit-bills?account_id={}", house.card));
        assert!(bills.iter().all(|bill| bill["amount_due"] == "0.00"), "{bills:?}");
        // The card's file knows it.
        let file = ofx(&[("20260211", "-250.00", "C1", "LOJA"), ("20260307", "250.00", "C2", "Pagamento recebido")]);
        assert_eq!(house.confirm(house.card, &house.preview(house.card, &file))["inserted"], 0, "{entered_last}");
    }
}

#[test]
fn a_split_income_of_a_card_is_no_payment_whatever_its_text_says() {
    let app = TestApp::start();
    let house = House::new(&app, "ana");
    house.confirm(house.card, &house.preview(house.card, &ofx(&[("20260211", "-250.00", "C1", "LOJA")])));
    house.confirm(house.account, &house.preview(house.account, &ofx(&[("20260306", "-250.00", "A1", "PAGTO FATURA")])));
    let category = house.client.get("/api/categories").ok()[0]["id"].clone();
    let line = |amount: &str| json!({ "category_id": category, "amount": amount });
    let split = json!({ "type": "income", "account_id": house.card, "date": "2026-03-07", "amount": "250.00",
        "description": "Pagamento recebido", "lines": [line("100.00"), line("150.00")] });
    let made = house.client.post("/api/transactions", split).created();
    assert_eq!((&made["is_transfer"], &made["transfer_id"]), (&json!(false), &Value::Null));
    assert_eq!(house.client.balance(house.card), 25_000);
}
