//! Payments of cards whose other side is not here yet: where a card is kept, a payment is never spending.

use std::collections::HashSet;

use finance_tests::{Client, TestApp, ofx};
use serde_json::{Value, json};
use time::macros::date;

/// A bank with 5000.00 and a card that closes on the 25th and is due on the 5th. Today is 2026-04-10.
fn books(app: &TestApp, name: &str) -> (Client, i64, i64) {
    app.clock.set_today(date!(2026 - 04 - 10));
    let client = app.user(name);
    let bank = json!({ "name": "Banco", "kind": "current", "opening_balance": "5000", "opening_date": "2026-01-01" });
    let bank = client.create("/api/accounts", bank);
    let card = client.open_card("Visa", 25, 5);
    (client, bank, card)
}

/// The balances of the bank and the card, and income and expenses of a month.
fn figures(client: &Client, bank: i64, card: i64, month: &str) -> [Value; 4] {
    let balance = |id: i64| client.get(&format!("/api/accounts/{id}")).ok()["balance"].clone();
    let of_month = client.get(&format!("/api/dashboard?month={month}")).ok();
    [balance(bank), balance(card), of_month["income"].clone(), of_month["expenses"].clone()]
}

#[test]
fn a_payment_that_the_card_books_a_week_later_is_one_in_either_order() {
    let app = TestApp::start();
    let sent = ofx(&[("20260305", "-300.00", "A1", "PAGAMENTO FATURA CARTAO")]);
    let received = ofx(&[("20260312", "300.00", "C1", "Pagamento recebido")]);
    for (name, order) in [("ana", [true, false]), ("bia", [false, true])] {
        let (client, bank, card) = books(&app, name);
        let mut imports = Vec::new();
        for of_account in order {
            let (account, file) = if of_account { (bank, &sent) } else { (card, &received) };
            imports.push(client.import(Some(account), file).created());
        }
        let expected = ["4700.00", "0.00", "0.00", "0.00"];
        assert_eq!(figures(&client, bank, card, "2026-03"), expected, "{name}");
        for (account, file) in [(bank, &sent), (card, &received)] {
            assert_eq!(client.import(Some(account), file).created()["inserted"], 0, "{name}");
        }
        assert_eq!(client.all("/api/transfers/suggestions"), Vec::<Value>::new());
    }
}

#[test]
fn a_payment_whose_text_names_a_card_is_never_that_of_another_one() {
    let app = TestApp::start();
    for (name, order) in [("ana", [0, 1]), ("bia", [1, 0])] {
        let (client, bank, _) = books(&app, name);
        let [roxo, verde] = ["Roxo", "Verde"].map(|name| client.open_card(name, 25, 5));
        for card in [roxo, verde] {
            client.import(Some(card), &ofx(&[("20260210", "-300.00", "C0", "LOJA")])).created();
        }
        let files = [
            (roxo, ofx(&[("20260321", "300.00", "C1", "Pagamento recebido")])),
            (bank, ofx(&[("20260315", "-300.00", "A1", "PAGAMENTO FATURA VERDE")])),
        ];
        for (account, file) in order.map(|at| &files[at]) {
            client.import(Some(*account), file).created();
        }
        let balance = |id: i64| client.get(&format!("/api/accounts/{id}")).ok()["balance"].clone();
        assert_eq!([bank, roxo, verde].map(balance), ["4700.00", "0.00", "0.00"], "{name}");
    }
}

#[test]
fn a_payment_that_names_no_card_goes_to_the_card_that_shows_it_in_every_order_of_files() {
    let app = TestApp::start();
    let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    for order in orders {
        let (client, bank, _) = books(&app, &format!("user-{order:?}"));
        let [roxo, verde] = ["Roxo", "Verde"].map(|name| client.open_card(name, 25, 5));
        let received = [("20260210", "-300.00", "R1", "LOJA R"), ("20260309", "300.00", "R2", "Pagamento recebido")];
        let files = [
            (verde, ofx(&[("20260210", "-300.00", "V1", "LOJA V")])),
            (bank, ofx(&[("20260308", "-300.00", "A1", "PAGAMENTO FATURA CARTAO")])),
            (roxo, ofx(&received)),
        ];
        for (account, file) in order.map(|at| &files[at]) {
            client.import(Some(*account), file).created();
        }
        let balance = |id: i64| client.get(&format!("/api/accounts/{id}")).ok()["balance"].clone();
        assert_eq!([bank, roxo, verde].map(balance), ["4700.00", "0.00", "-300.00"], "{order:?}");
    }
}

#[test]
fn of_two_equal_payments_each_has_its_row_in_every_order_of_files() {
    let app = TestApp::start();
    let files = [
        (true, ofx(&[("20260301", "-300.00", "A1", "PGTO FATURA")])),
        (true, ofx(&[("20260309", "-300.00", "A2", "Pagamento de fatura")])),
        (false, ofx(&[("20260301", "300.00", "C1", "Pagamento recebido")])),
        (false, ofx(&[("20260309", "300.00", "C2", "PGTO RECEBIDO")])),
    ];
    let mut orders = vec![vec![]];
    for _ in 0..files.len() {
        let longer = |order: Vec<usize>| {
            let left: Vec<usize> = (0..4).filter(|at| !order.contains(at)).collect();
            left.into_iter().map(move |at| [order.clone(), vec![at]].concat())
        };
        orders = orders.into_iter().flat_map(longer).collect();
    }
    for (at, order) in orders.into_iter().enumerate() {
        let (client, bank, card) = books(&app, &format!("user-{at}"));
        client.import(Some(card), &ofx(&[("20260210", "-600.00", "C0", "LOJA")])).created();
        let mut named = Vec::new();
        for file in &order {
            let (of_account, file) = &files[*file];
            let answer = client.import(Some(if *of_account { bank } else { card }), file).created();
            named.push(answer["linked"].clone());
        }
        assert_eq!(
            figures(&client, bank, card, "2026-03"),
            ["4400.00", "0.00", "0.00", "0.00"],
            "{order:?} {named:#?}"
        );
        let rows = client.all("/api/transactions?month=2026-03");
        let transfers: HashSet<&Value> = rows.iter().map(|row| &row["transfer_id"]).collect();
        assert_eq!((rows.len(), transfers.len()), (4, 2), "{order:?}");
        for (account, file) in files.iter().map(|(of_account, file)| (if *of_account { bank } else { card }, file)) {
            assert_eq!(client.import(Some(account), file).created()["inserted"], 0, "{order:?}");
        }
    }
}

#[test]
fn parts_overpayments_and_payments_before_the_card_s_file_are_payments() {
    let app = TestApp::start();
    let (client, bank, card) = books(&app, "ana");
    let sent = [
        ("20260305", "-600.00", "A1", "PAGAMENTO FATURA CARTAO"),
        ("20260310", "-400.00", "A2", "DEBITO AUTOMATICO FATURA"),
        ("20260405", "-250.00", "A3", "PAG FATURA"),
    ];
    let imported = client.import(Some(bank), &ofx(&sent)).created();
    assert_eq!(imported["linked"].as_array().unwrap().len(), 3);
    let bought = [("20260210", "-1000.00", "C1", "LOJA"), ("20260315", "-200.00", "C2", "MERCADO")];
    client.import(Some(card), &ofx(&bought)).created();
    assert_eq!(figures(&client, bank, card, "2026-03"), ["3750.00", "50.00", "0.00", "200.00"]);
    let received = [
        ("20260306", "600.00", "C3", "Pagamento recebido"),
        ("20260311", "400.00", "C4", "PGTO RECEBIDO"),
        ("20260407", "250.00", "C5", "Pagamento da fatura"),
        // A refund of the same amount as a payment is none.
        ("20260408", "250.00", "C6", "Estorno LOJA"),
    ];
    assert_eq!(client.import(Some(card), &ofx(&received)).created()["inserted"], 1);
    assert_eq!(figures(&client, bank, card, "2026-03"), ["3750.00", "300.00", "0.00", "200.00"]);
    let due: Vec<Value> = client.all("/api/credit-bills").iter().map(|bill| bill["amount_due"].clone()).collect();
    assert_eq!(due, ["-300.00", "0.00", "0.00"]);
}

#[test]
fn a_preview_that_found_a_bill_may_be_sent_after_the_card_told_of_the_payment() {
    let app = TestApp::start();
    let (client, bank, card) = books(&app, "ana");
    client.import(Some(card), &ofx(&[("20260210", "-300.00", "C1", "LOJA")])).created();
    let preview = super::preview(&client, bank, &ofx(&[("20260405", "-300.00", "A1", "PAGAMENTO FATURA CARTAO")]));
    assert!(preview["rows"][0]["transfer_with"]["bill_id"].is_i64(), "{preview}");
    client.import(Some(card), &ofx(&[("20260406", "300.00", "C2", "Pagamento recebido")])).created();
    let confirmed = super::confirm(&client, bank, &preview);
    assert!(confirmed["linked"][0]["transaction_id"].is_i64(), "{confirmed}");
    assert_eq!(figures(&client, bank, card, "2026-04"), ["4700.00", "0.00", "0.00", "0.00"]);
    // Nothing is left to pay, and no row of the card is left.
    let again = json!({ "account_id": bank, "format": "ofx", "rows": [{ "date": "2026-04-07", "type": "expense", "amount": "300.00",
        "description": "PAGAMENTO FATURA CARTAO", "transfer_with": preview["rows"][0]["transfer_with"] }] });
    client.post("/api/import/confirm", again).invalid(&["rows[0].transfer_with"]);
}

#[test]
fn a_preview_that_found_a_payment_may_be_sent_after_the_service_gave_it_a_leg_on_the_card() {
    let app = TestApp::start();
    let (client, bank, alfa) = books(&app, "ana");
    client.open_card("Beta", 25, 5);
    let sent = client.import(Some(bank), &ofx(&[("20260304", "-400.00", "A1", "PAGAMENTO FATURA CARTAO")])).created();
    assert_eq!(sent["linked"][0]["transfer_id"], Value::Null, "two cards are kept");
    let bought = super::preview(&client, alfa, &ofx(&[("20260210", "-400.00", "C1", "LOJA")]));
    let received = [("20260305", "400.00", "C2", "Pagamento recebido"), ("20260307", "-15.00", "C3", "PADARIA")];
    let paid = super::preview(&client, alfa, &ofx(&received));
    assert_eq!(paid["rows"][0]["transfer_with"]["transaction_id"], sent["transactions"][0]["id"], "{paid}");
    let linked = super::confirm(&client, alfa, &bought)["linked"].clone();
    assert_eq!(linked[0]["transaction_id"], sent["transactions"][0]["id"], "the amount names the card now: {linked}");
    // The row is the leg that was made meanwhile.
    let confirmed = super::confirm(&client, alfa, &paid);
    assert_eq!((&confirmed["inserted"], &confirmed["linked"]), (&json!(1), &json!([])), "{confirmed}");
    assert_eq!(figures(&client, bank, alfa, "2026-03"), ["4600.00", "-15.00", "0.00", "15.00"]);
    let row = client.all(&format!("/api/transactions?account_id={alfa}&type=income")).remove(0);
    assert_eq!(row["external_id"], "C2");
}

#[test]
fn of_several_cards_the_one_that_the_text_names_is_paid() {
    let app = TestApp::start();
    let (client, bank, visa) = books(&app, "ana");
    let nubank = client.open_card("Nubank 4321", 25, 5);
    let sent = [
        ("20260305", "-100.00", "A1", "PAGAMENTO FATURA NUBANK"),
        ("20260306", "-30.00", "A2", "PGTO FATURA FINAL 4321"),
        ("20260307", "-7.00", "A3", "PAGAMENTO FATURA"),
    ];
    let imported = client.import(Some(bank), &ofx(&sent)).created();
    let made: Vec<bool> =
        imported["linked"].as_array().unwrap().iter().map(|link| link["transaction_id"].is_i64()).collect();
    assert_eq!(made, [true, true, false], "the third is a transfer by itself");
    assert_eq!(figures(&client, bank, visa, "2026-03"), ["4863.00", "0.00", "0.00", "0.00"]);
    let rows = client.all(&format!("/api/transactions?account_id={nubank}&source=transfer"));
    assert_eq!(rows.len(), 2);
}

/// A row of a statement: date, amount, id and text.
type StatementRow = (String, String, String, &'static str);

/// The rows of two cards whose statements show no payments, and of the account that pays both in full each month.
fn half_a_year_of_two_cards() -> [Vec<StatementRow>; 3] {
    let months = ["202510", "202511", "202512", "202601", "202602", "202603"];
    let rows = |id: &str, day: &str, (first, step): (usize, usize), months: &[&str], text: &'static str| {
        let row = |(at, month): (usize, &&str)| {
            (format!("{month}{day}"), format!("-{}.00", first + step * at), format!("{id}{at}"), text)
        };
        months.iter().enumerate().map(row).collect::<Vec<_>>()
    };
    let (roxo, preto, paid) = ((200, 10), (300, 7), "PAGAMENTO FATURA CARTAO");
    [
        rows("R", "10", roxo, &months[..5], "LOJA R"),
        rows("P", "10", preto, &months[..5], "LOJA P"),
        [rows("A", "05", roxo, &months[1..], paid), rows("B", "03", preto, &months[1..], paid)].concat(),
    ]
}

fn statement<'a>(rows: impl IntoIterator<Item = &'a StatementRow>) -> Vec<u8> {
    ofx(&rows.into_iter().map(|(date, amount, id, text)| (&**date, &**amount, &**id, *text)).collect::<Vec<_>>())
}

/// Two cards that close on the 25th and are due on the 5th, and a bank with 9000.00 that pays them. Today is 2026-03-10.
fn two_cards(app: &TestApp, name: &str) -> (Client, [i64; 3]) {
    app.clock.set_today(date!(2026 - 03 - 10));
    let client = app.user(name);
    let [roxo, preto] = ["Roxo", "Preto"].map(|name| client.open_card(name, 25, 5));
    let bank = json!({ "name": "Banco", "kind": "current", "opening_balance": "9000", "opening_date": "2025-10-01" });
    let bank = client.create("/api/accounts", bank);
    (client, [roxo, preto, bank])
}

#[test]
fn payments_of_several_cards_pay_what_was_due_on_their_days_in_every_order_of_files() {
    let app = TestApp::start();
    let rows = half_a_year_of_two_cards();
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let (client, accounts) = two_cards(&app, &format!("user-{order:?}"));
        for at in order {
            client.import(Some(accounts[at]), &statement(&rows[at])).created();
        }
        let balance = |id: i64| client.get(&format!("/api/accounts/{id}")).ok()["balance"].clone();
        assert_eq!(accounts.map(balance), ["0.00", "0.00", "6330.00"], "{order:?}");
        let bills = client.all("/api/credit-bills");
        let sums = |bill: &Value| ["paid_amount", "carried", "amount_due"].map(|field| bill[field].clone());
        for bill in bills.iter().filter(|bill| bill["total"] != "0.00") {
            assert_eq!(sums(bill), [bill["total"].clone(), json!("0.00"), json!("0.00")], "{order:?} {bill}");
        }
        // The payments that a card shows later are the same ones.
        let shown =
            [("20251105", "200.00", "T1", "Pagamento recebido"), ("20260306", "240.00", "T2", "Pagamento recebido")];
        client.import(Some(accounts[0]), &ofx(&shown)).created();
        assert_eq!(balance(accounts[0]), "0.00", "{order:?}");
        for at in 0..3 {
            let again = client.import(Some(accounts[at]), &statement(&rows[at])).created();
            assert_eq!(again["inserted"], 0, "{order:?}");
        }
        assert_eq!(client.all("/api/transfers/suggestions"), Vec::<Value>::new(), "{order:?}");
    }
}

#[test]
fn a_payment_that_fits_no_bill_beside_another_one_is_stored_as_it_was_previewed() {
    let app = TestApp::start();
    let (client, [roxo, _, bank]) = two_cards(&app, "ana");
    let bought = [("20260110", "-300.00", "R1", "LOJA"), ("20260210", "-100.00", "R2", "LOJA")];
    client.import(Some(roxo), &ofx(&bought)).created();
    // The first one pays the bill of January. Without it, the second one would be what is due in March.
    let paid = [
        ("20260205", "-300.00", "A1", "PAGAMENTO FATURA CARTAO"),
        ("20260305", "-400.00", "A2", "PAGAMENTO FATURA CARTAO"),
    ];
    let preview = super::preview(&client, bank, &ofx(&paid));
    let with = [0, 1].map(|at: usize| &preview["rows"][at]["transfer_with"]);
    assert!(with[0]["bill_id"].is_i64() && *with[1] == json!({}), "{preview}");
    let imported = super::confirm(&client, bank, &preview);
    let linked: Vec<bool> =
        imported["linked"].as_array().unwrap().iter().map(|link| link["transfer_id"].is_i64()).collect();
    assert_eq!(linked, [true, false]);
    assert_eq!(client.balance(roxo), -10_000);
}

#[test]
fn a_payment_waits_for_the_older_rows_and_payments_that_tell_what_was_due() {
    let app = TestApp::start();
    let rows = half_a_year_of_two_cards();
    let months = ["202603", "202602", "202601", "202512", "202511", "202510"];
    for (name, order) in [("ana", [2, 0, 1]), ("bia", [0, 1, 2])] {
        let (client, accounts) = two_cards(&app, name);
        // Month by month, the newest first.
        for at in order {
            for month in months {
                let of_month: Vec<&StatementRow> = rows[at].iter().filter(|row| row.0.starts_with(month)).collect();
                if !of_month.is_empty() {
                    client.import(Some(accounts[at]), &statement(of_month)).created();
                }
            }
        }
        let balance = |id: i64| client.get(&format!("/api/accounts/{id}")).ok()["balance"].clone();
        assert_eq!(accounts.map(balance), ["0.00", "0.00", "6330.00"], "{name}");
        let detected = client.post("/api/transfers/detect", json!({})).ok();
        assert_eq!(detected, json!({ "linked": 0, "suggested": 0 }), "{name}");
    }
}

#[test]
fn a_payment_that_a_person_enters_shows_what_later_ones_pay() {
    let app = TestApp::start();
    for (name, is_linked) in [("ana", true), ("bia", false)] {
        let (client, [roxo, preto, bank]) = two_cards(&app, name);
        for (card, amounts) in [(roxo, ["-200.00", "-210.00"]), (preto, ["-500.00", "-510.00"])] {
            let bought = [("20260110", amounts[0], "C1", "LOJA"), ("20260201", amounts[1], "C2", "LOJA")];
            client.import(Some(card), &ofx(&bought)).created();
        }
        client.import(Some(bank), &ofx(&[("20260305", "-210.00", "A1", "PAGAMENTO FATURA CARTAO")])).created();
        let balance = |id: i64| client.get(&format!("/api/accounts/{id}")).ok()["balance"].clone();
        assert_eq!(balance(roxo), "-410.00", "{name}");
        if is_linked {
            let expense = json!({ "type": "expense", "account_id": bank, "date": "2026-02-05", "amount": "200.00",
                "description": "Boleto" });
            let expense = client.create("/api/transactions", expense);
            let bills = client.all(&format!("/api/credit-bills?account_id={roxo}"));
            let bill = bills.iter().find(|bill| bill["total"] == "200.00").unwrap();
            client.post("/api/transfers/link", json!({ "from_id": expense, "bill_id": bill["id"] })).created();
        } else {
            let transfer =
                json!({ "from_account_id": bank, "to_account_id": roxo, "date": "2026-02-05", "amount": "200.00" });
            client.create("/api/transfers", transfer);
        }
        assert_eq!([roxo, preto].map(balance), ["0.00", "-1010.00"], "{name}");
    }
}

#[test]
fn a_purchase_that_a_person_corrects_tells_which_card_was_paid() {
    let app = TestApp::start();
    let (client, [roxo, preto, bank]) = two_cards(&app, "ana");
    let purchase = |amount: &str| json!({ "type": "expense", "account_id": roxo, "date": "2026-01-10", "amount": amount, "description": "LOJA" });
    let id = client.create("/api/transactions", purchase("201.00"));
    client.import(Some(bank), &ofx(&[("20260205", "-210.00", "A1", "PAGAMENTO FATURA CARTAO")])).created();
    let balances = || [roxo, preto].map(|id| client.get(&format!("/api/accounts/{id}")).ok()["balance"].clone());
    assert_eq!(balances(), ["-201.00", "0.00"]);
    client.put(&format!("/api/transactions/{id}"), purchase("210.00")).ok();
    assert_eq!(balances(), ["0.00", "0.00"]);
}

#[test]
fn an_expense_is_linked_with_an_older_bill_whose_debt_went_to_the_next_one() {
    let app = TestApp::start();
    let (client, bank, card) = books(&app, "ana");
    let bought = [("20260110", "-200.00", "C1", "LOJA"), ("20260210", "-300.00", "C2", "LOJA")];
    client.import(Some(card), &ofx(&bought)).created();
    let expense = |amount: &str| {
        let expense = json!({ "type": "expense", "account_id": bank, "date": "2026-02-05", "amount": amount, "description": "Boleto" });
        client.create("/api/transactions", expense)
    };
    let (paid, more) = (expense("200.00"), expense("200.01"));
    let bill = || client.all("/api/credit-bills").into_iter().find(|bill| bill["total"] == "200.00").unwrap();
    let sums = |bill: &Value| ["paid_amount", "carried", "amount_due"].map(|field| bill[field].clone());
    assert_eq!(sums(&bill()), ["0.00", "200.00", "0.00"]);
    let link = |from: i64| client.post("/api/transfers/link", json!({ "from_id": from, "bill_id": bill()["id"] }));
    link(more).invalid(&["bill_id"]);
    link(paid).created();
    assert_eq!(sums(&bill()), ["200.00", "0.00", "0.00"]);
    assert_eq!(client.get(&format!("/api/accounts/{card}")).ok()["balance"], "-300.00");
    link(more).problem(409, "ErrBillAlreadyPaid");
}

#[test]
fn a_word_that_the_names_of_several_cards_have_names_none_of_them() {
    let app = TestApp::start();
    let (client, bank, visa) = books(&app, "ana");
    let [azul, verde] = ["Cartão Azul", "Cartão Verde"].map(|name| client.open_card(name, 25, 5));
    let sent = [
        ("20260305", "-100.00", "A1", "PAGAMENTO FATURA CARTAO AZUL"),
        ("20260306", "-30.00", "A2", "PAGAMENTO CARTAO CREDITO VERDE"),
        ("20260307", "-7.00", "A3", "PAGAMENTO FATURA CARTAO"),
    ];
    client.import(Some(bank), &ofx(&sent)).created();
    let balance = |id: i64| client.get(&format!("/api/accounts/{id}")).ok()["balance"].clone();
    let of_cards = [azul, verde, visa]
        .map(|card| client.all(&format!("/api/transactions?account_id={card}&source=transfer")).len());
    assert_eq!((of_cards, balance(bank)), ([1, 1, 0], json!("4863.00")));
}

#[test]
fn a_pix_on_credit_is_the_purchase_on_the_card_alone() {
    let app = TestApp::start();
    let account = "Data,Valor,Identificador,Descrição\n\
        03/03/2026,100.00,70a1,Valor adicionado na conta por cartão de crédito - Valor adicionado para Pix no Crédito\n\
        03/03/2026,-100.00,70a2,Transferência enviada pelo Pix - ELETRICISTA\n\
        03/03/2026,-100.00,70a3,Transferência enviada pelo Pix - PADARIA\n";
    let card_file = "date,title,amount\n2026-03-03,Eletricista,105.90\n";
    for (name, account_first) in [("ana", true), ("bia", false)] {
        let (client, bank, card) = books(&app, name);
        let mut files = [(bank, account), (card, card_file)];
        if !account_first {
            files.reverse();
        }
        for (id, file) in files {
            client.import(Some(id), file.as_bytes()).created();
        }
        assert_eq!(figures(&client, bank, card, "2026-03"), ["4900.00", "-105.90", "0.00", "205.90"], "{name}");
    }
}

#[test]
fn a_payment_that_a_person_refused_makes_its_other_side_likely_at_most() {
    let app = TestApp::start();
    let sent = json!({ "date": "2026-03-05", "description": "PAGAMENTO FATURA CARTAO", "amount": "300.00",
        "type": "expense", "external_id": "A1" });
    let received = json!({ "date": "2026-03-12", "description": "Pagamento recebido", "amount": "300.00",
        "type": "income", "external_id": "C1" });
    for (name, account_first) in [("ana", true), ("bia", false)] {
        let (client, bank, card) = books(&app, name);
        client.import(Some(card), &ofx(&[("20260210", "-300.00", "C0", "LOJA")])).created();
        let mut files = [(bank, sent.clone()), (card, received.clone())];
        if !account_first {
            files.reverse();
        }
        // The first one is refused; nobody says anything of the second one.
        files[0].1["transfer_with"] = Value::Null;
        for (account, row) in files {
            let body = json!({ "account_id": account, "format": "ofx", "rows": [row] });
            client.post("/api/import/confirm", body).created();
        }
        assert_eq!(figures(&client, bank, card, "2026-03"), ["4700.00", "0.00", "300.00", "300.00"], "{name}");
    }
}

#[test]
fn what_leaves_a_card_by_a_transfer_is_that_transfer_whatever_the_card_says() {
    let app = TestApp::start();
    let (client, bank, card) = books(&app, "ana");
    let transfer = json!({ "from_account_id": card, "to_account_id": bank, "amount": "80.00", "date": "2026-03-05" });
    client.post("/api/transfers", transfer).created();
    let imported = client.import(Some(card), &ofx(&[("20260306", "-80.00", "S1", "SAQUE NO CREDITO")])).created();
    assert_eq!(imported["inserted"], 0, "it is the side that was made here");
    assert_eq!(figures(&client, bank, card, "2026-03"), ["5080.00", "-80.00", "0.00", "0.00"]);
}

#[test]
fn a_purchase_a_week_after_a_transfer_out_of_a_card_is_a_purchase() {
    let app = TestApp::start();
    let (client, bank, card) = books(&app, "ana");
    let transfer = json!({ "from_account_id": card, "to_account_id": bank, "amount": "80.00", "date": "2026-03-05" });
    client.post("/api/transfers", transfer).created();
    for (file, inserted) in
        [(("20260312", "-80.00", "S2", "LOJA"), 1), (("20260306", "-80.00", "S1", "SAQUE NO CREDITO"), 0)]
    {
        assert_eq!(client.import(Some(card), &ofx(&[file])).created()["inserted"], inserted, "{file:?}");
    }
    assert_eq!(figures(&client, bank, card, "2026-03"), ["5080.00", "-160.00", "0.00", "80.00"]);
}

#[test]
fn a_bill_of_water_or_power_is_spending_and_no_payment_of_the_card() {
    let app = TestApp::start();
    let (client, bank, card) = books(&app, "ana");
    let sent = [
        ("20260305", "-90.00", "A1", "PAGAMENTO FATURA SABESP"),
        ("20260306", "-210.00", "A2", "PGTO FATURA CPFL ENERGIA 03/2026"),
        ("20260307", "-60.00", "A3", "DEBITO AUTOMATICO FATURA VIVO"),
        ("20260308", "-300.00", "A4", "PAGAMENTO FATURA CARTAO VIVO"),
    ];
    let imported = client.import(Some(bank), &ofx(&sent)).created();
    let linked: Vec<&Value> = imported["linked"].as_array().unwrap().iter().map(|link| &link["row"]).collect();
    assert_eq!(linked, [&json!(3)]);
    // The card has no rows yet: what was paid was owed before.
    assert_eq!(figures(&client, bank, card, "2026-03"), ["4340.00", "0.00", "0.00", "360.00"]);
}

#[test]
fn a_leg_that_a_person_deletes_stays_away_and_the_bill_is_due_again() {
    let app = TestApp::start();
    for (name, in_bulk) in [("ana", false), ("bia", true)] {
        let (client, bank, card) = books(&app, name);
        client.import(Some(card), &ofx(&[("20260210", "-300.00", "C1", "LOJA")])).created();
        client.import(Some(bank), &ofx(&[("20260305", "-300.00", "A1", "PAGAMENTO FATURA")])).created();
        assert_eq!(figures(&client, bank, card, "2026-03"), ["4700.00", "0.00", "0.00", "0.00"]);
        let leg = client.all(&format!("/api/transactions?account_id={card}&type=income"))[0]["id"].clone();
        let deleted = match in_bulk {
            true => client.post("/api/transactions/delete", json!({ "ids": [leg] })),
            false => client.delete(&format!("/api/transactions/{leg}")),
        };
        let expected = ["4700.00", "-300.00", "0.00", "300.00"];
        assert_eq!(figures(&client, bank, card, "2026-03"), expected, "{name}");
        assert!(client.all(&format!("/api/transactions?account_id={card}&type=income")).is_empty());
        let detected = client.post("/api/transfers/detect", json!({})).ok();
        assert_eq!(detected["linked"], 0, "nor is it linked by itself again");
        let change = deleted.header("Finance-Change").unwrap();
        client.post_nothing(&format!("/api/changes/{change}/undo")).ok();
        assert_eq!(figures(&client, bank, card, "2026-03"), ["4700.00", "0.00", "0.00", "0.00"]);
    }
}

#[test]
fn a_part_of_a_bill_of_one_of_several_cards_is_suggested_for_each_bill() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 03 - 10));
    let client = app.user("ana");
    let bank = client.open_account("Banco", "current");
    let [roxo, verde] = ["Roxo", "Verde"].map(|name| client.open_card(name, 25, 5));
    for (card, amount) in [(roxo, "-300.00"), (verde, "-200.00")] {
        client.import(Some(card), &ofx(&[("20260210", amount, "C0", "LOJA")])).created();
    }
    let rows = [
        ("20260305", "-77.00", "A1", "PAGAMENTO FATURA"),
        ("20260306", "-250.00", "A2", "PAGAMENTO FATURA"),
        ("20260307", "-500.00", "A3", "PAGAMENTO FATURA"),
    ];
    client.import(Some(bank), &ofx(&rows)).created();
    let suggestions = client.all("/api/transfers/suggestions");
    let shown: Vec<(&str, bool)> = suggestions
        .iter()
        .map(|one| (one["from"]["amount"].as_str().unwrap(), one["to"].is_null() && one["bill_id"].is_i64()))
        .collect();
    assert_eq!(shown, [("250.00", true), ("77.00", true), ("77.00", true)]);
    let dry = client.post("/api/transfers/detect?dry_run=true", json!({})).ok();
    assert_eq!((&dry["linked"], &dry["suggested"]), (&json!(0), &json!(3)));
    let part = suggestions.iter().find(|one| one["from"]["amount"] == "77.00").unwrap();
    client.post("/api/transfers/link", json!({ "from_id": part["from"]["id"], "bill_id": part["bill_id"] })).created();
    assert!(client.all("/api/transfers/suggestions").iter().all(|one| one["from"]["amount"] != "77.00"));
}
