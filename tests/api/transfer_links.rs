//! `/api/transfers`: suggestions, links, and how links are undone.

use finance_domain::transfers::{StoredSide, StoredSides};
use finance_domain::{Access, Store};
use finance_tests::{Client, TestApp, ofx};
use serde_json::{Value, json};
use time::macros::date;

/// An account, savings, and a card on 10 March 2026, with rows that were entered by hand.
struct House {
    client: Client,
    account: i64,
    savings: i64,
    card: i64,
}

impl House {
    fn new(app: &TestApp) -> Self {
        app.clock.set_today(date!(2026 - 03 - 10));
        let client = app.user("ana");
        let account = client.open_account("Conta", "current");
        let savings = client.open_account("Poupança", "savings");
        let card = client.open_card("Cartão", 25, 5);
        House { client, account, savings, card }
    }

    fn put(&self, account: i64, signed: &str, date: &str, description: &str) -> Value {
        let (kind, amount) = signed.strip_prefix('-').map_or(("income", signed), |amount| ("expense", amount));
        let body =
            json!({ "type": kind, "date": date, "description": description, "amount": amount, "account_id": account });
        self.client.post("/api/transactions", body).created()
    }

    fn link(&self, from: &Value, to: &Value) -> finance_tests::Reply {
        self.client.post("/api/transfers/link", json!({ "from_id": from["id"], "to_id": to["id"] }))
    }

    fn get(&self, row: &Value) -> Value {
        self.client.get(&format!("/api/transactions/{}", row["id"])).ok()
    }

    fn march(&self) -> [String; 2] {
        let dashboard = self.client.get("/api/dashboard?month=2026-03").ok();
        ["income", "expenses"].map(|name| dashboard[name].as_str().unwrap().to_string())
    }

    fn suggestions(&self) -> Vec<[String; 2]> {
        let found = self.client.all("/api/transfers/suggestions?limit=2");
        let text = |side: &Value| side["description"].as_str().unwrap_or("-").to_string();
        found.iter().map(|found| [text(&found["from"]), text(&found["to"])]).collect()
    }

    fn detect(&self, path: &str, body: Value) -> [u64; 2] {
        let found = self.client.post(&format!("/api/transfers/detect{path}"), body).ok();
        ["linked", "suggested"].map(|name| found[name].as_u64().unwrap())
    }
}

#[test]
fn a_payment_whose_rows_are_in_both_statements_is_theirs() {
    for card_is_told in [true, false] {
        let app = TestApp::start();
        let house = House::new(&app);
        house.put(house.card, "-300.00", "2026-02-10", "Compra");
        let bills = || house.client.get(&format!("/api/credit-bills?account_id={}", house.card)).ok();
        let path = format!("/api/credit-bills/{}", bills()[1]["id"]);
        house.client.post(&format!("{path}/pay"), json!({ "account_id": house.account, "date": "2026-03-05" })).ok();
        let confirm = |account: i64, kind: &str, text: &str| {
            let row = json!({ "date": "2026-03-05", "type": kind, "description": text, "amount": "300.00" });
            let body = json!({ "account_id": account, "file_name": "a.csv", "format": "csv", "rows": [row] });
            let stored = house.client.post("/api/import/confirm", body).created();
            assert_eq!(stored["skipped"][0]["code"], "duplicate", "it is the leg");
        };
        confirm(house.account, "expense", "PAGAMENTO FATURA CARTAO");
        let balances = || [house.account, house.card].map(|id| house.client.balance(id));
        if card_is_told {
            confirm(house.card, "income", "Pagamento recebido");
            house.client.post_nothing(&format!("{path}/unpay")).problem(409, "ErrPaidByStatement");
            assert_eq!((balances(), &bills()[1]["amount_due"]), ([-30_000, 0], &json!("0.00")));
        } else {
            // The card's leg is the service's own and goes. The account's row stays.
            house.client.post_nothing(&format!("{path}/unpay")).ok();
            assert_eq!((balances(), &bills()[1]["amount_due"]), ([-30_000, -30_000], &json!("300.00")));
        }
    }
}

#[test]
fn two_transactions_are_linked_and_unlinked() {
    let app = TestApp::start();
    let house = House::new(&app);
    let (from, to) = (
        house.put(house.account, "-50", "2026-03-01", "Reserva"),
        house.put(house.savings, "50", "2026-01-05", "Chegou"),
    );
    let reply = house.link(&from, &to);
    let location = reply.header("Location").unwrap().to_string();
    let linked = reply.created();
    assert_eq!(location, format!("/api/transfers/{}", linked["id"]));
    assert_eq!(house.client.get(&location).ok(), linked);
    for (side, before) in [("from", &from), ("to", &to)] {
        let mut expected = before.clone();
        (expected["is_transfer"], expected["transfer_id"]) = (json!(true), linked["id"].clone());
        assert_eq!(linked[side], expected, "nothing else of it changes");
    }
    assert_eq!(house.march(), ["0.00", "0.00"]);
    house.link(&from, &to).problem(409, "ErrTransferLeg");
    house
        .client
        .put(&format!("/api/transactions/{}", from["id"]), linked["from"].clone())
        .problem(409, "ErrTransferLeg");
    let unlinked = house.client.post_nothing(&format!("{location}/unlink")).ok();
    assert_eq!(unlinked, json!({ "from": from, "to": to }), "as they would be alone");
    house.client.get(&location).problem(404, "ErrNotFound");
    house.client.post_nothing(&format!("{location}/unlink")).problem(404, "ErrNotFound");
    assert_eq!(house.march(), ["0.00", "50.00"]);
    // To delete a link undoes it. To delete one side leaves the other side.
    let again = house.link(&from, &to).created();
    house.client.delete(&format!("/api/transfers/{}", again["id"])).gone();
    assert_eq!((house.get(&from), house.get(&to)), (from.clone(), to.clone()));
    let again = house.link(&from, &to).created();
    house.client.delete(&format!("/api/transactions/{}", to["id"])).gone();
    assert_eq!(house.get(&from), from);
    house.client.get(&format!("/api/transfers/{}", again["id"])).problem(404, "ErrNotFound");
    let to = house.put(house.savings, "50", "2026-01-05", "Chegou");
    house.link(&from, &to).created();
    assert_eq!(house.client.delete("/api/transactions?month=2026-01").ok(), json!({ "deleted": 1 }));
    assert_eq!(house.get(&from), from);
}

#[test]
fn what_was_made_as_a_transfer_is_not_unlinked() {
    let app = TestApp::start();
    let house = House::new(&app);
    let made = json!({ "from_account_id": house.account, "to_account_id": house.savings, "amount": "5", "date": "2026-03-01" });
    let made = house.client.post("/api/transfers", made).created();
    let path = format!("/api/transfers/{}", made["id"]);
    house.client.post_nothing(&format!("{path}/unlink")).problem(409, "ErrTransferNotLinked");
    house
        .client
        .post("/api/transfers/link", json!({ "from_id": made["from"]["id"], "to_id": made["to"]["id"] }))
        .problem(409, "ErrTransferLeg");
    house.client.delete(&path).gone();
    assert!(house.client.all_transactions().is_empty());
}

#[test]
fn a_link_that_cannot_be_is_refused_by_its_field() {
    let app = TestApp::start();
    let house = House::new(&app);
    let bia = app.user("bia");
    let hers = bia.post(
        "/api/transactions",
        json!({ "type": "income", "date": "2026-03-01", "description": "x", "amount": "50" }),
    );
    let hers = hers.created()["id"].clone();
    let from = house.put(house.account, "-50", "2026-03-01", "Saiu");
    let nowhere = json!({ "type": "income", "date": "2026-03-01", "description": "Sem conta", "amount": "50" });
    let nowhere = house.client.post("/api/transactions", nowhere).created();
    let opened =
        house.client.post("/api/accounts", json!({ "name": "Aberta", "kind": "current", "opening_balance": "50" }));
    let opened = house.client.all(&format!("/api/transactions?account_id={}", opened.created()["id"]))[0].clone();
    let link = |body: Value| house.client.post("/api/transfers/link", body);
    link(json!({})).invalid(&["from_id", "to_id"]);
    link(json!({ "from_id": from["id"] })).invalid(&["to_id"]);
    link(json!({ "from_id": "1", "to_id": true, "bill_id": "x" })).invalid(&["from_id", "to_id", "bill_id"]);
    link(json!({ "from_id": hers, "to_id": hers })).invalid(&["from_id", "to_id"]);
    link(json!({ "from_id": from["id"], "to_id": hers })).invalid(&["to_id"]);
    link(json!({ "from_id": from["id"], "bill_id": 9_000_000 })).invalid(&["bill_id"]);
    for (to, field) in [
        (house.put(house.savings, "50.01", "2026-03-01", "Outro valor"), "to_id"),
        (house.put(house.account, "50", "2026-03-01", "Mesma conta"), "to_id"),
        (house.put(house.savings, "-50", "2026-03-01", "Mesmo tipo"), "to_id"),
        (nowhere, "to_id"),
        (opened, "to_id"),
        (from.clone(), "to_id"),
    ] {
        house.link(&from, &to).invalid(&[field]);
    }
    let income = house.put(house.savings, "50", "2026-03-01", "Entrou");
    house.link(&income, &from).invalid(&["from_id"]);
    assert!(house.client.all_transactions().iter().all(|row| row["is_transfer"] == false));
}

#[test]
fn an_expense_pays_a_bill_in_whole_or_in_part() {
    let app = TestApp::start();
    let house = House::new(&app);
    house.put(house.card, "-100", "2026-02-10", "Compra");
    let bill = house.client.get("/api/credit-bills").ok()[1].clone();
    let path = format!("/api/credit-bills/{}", bill["id"]);
    let link = |from: &Value| {
        house.client.post("/api/transfers/link", json!({ "from_id": from["id"], "bill_id": bill["id"] }))
    };
    let part = house.put(house.account, "-40", "2026-03-01", "Fatura");
    let linked = link(&part).created();
    assert_eq!((&linked["to"]["source"], &linked["to"]["account_id"]), (&json!("transfer"), &json!(house.card)));
    assert_eq!(house.client.get(&path).ok()["amount_due"], "60.00");
    assert_eq!((house.client.balance(house.card), house.march()), (-6_000, ["0.00", "0.00"].map(str::to_string)));
    link(&house.put(house.account, "-60.01", "2026-03-02", "Demais")).invalid(&["bill_id"]);
    link(&house.put(house.card, "-1", "2026-03-02", "Do cartão")).invalid(&["bill_id"]);
    link(&part).problem(409, "ErrTransferLeg");
    let rest = house.put(house.savings, "-60", "2026-03-02", "Resto");
    let rest_linked = link(&rest).created();
    assert_eq!(house.client.get(&path).ok()["status"], "paid");
    link(&house.put(house.account, "-1", "2026-03-02", "Mais")).problem(409, "ErrBillAlreadyPaid");
    let unlinked = house.client.post_nothing(&format!("/api/transfers/{}/unlink", rest_linked["id"])).ok();
    assert_eq!(unlinked, json!({ "from": rest, "to": null }), "what was made for it is gone");
    assert_eq!(house.client.get(&path).ok()["amount_due"], "60.00");
    house.client.post_nothing(&format!("{path}/unpay")).ok();
    assert_eq!((house.get(&part), house.client.get(&path).ok()["amount_due"].clone()), (part, json!("100.00")));
}

#[test]
fn suggestions_are_told_newest_first_until_they_are_rejected_or_linked() {
    let app = TestApp::start();
    let house = House::new(&app);
    for (at, month) in ["2024-02", "2025-11", "2026-01", "2026-03"].into_iter().enumerate() {
        house.put(house.account, &format!("-{}", at + 10), &format!("{month}-05"), &format!("Pix enviado {at}"));
        house.put(house.savings, &format!("{}", at + 10), &format!("{month}-07"), &format!("Entrou {at}"));
    }
    let pair = |at: usize| [format!("Pix enviado {at}"), format!("Entrou {at}")];
    assert_eq!(house.suggestions(), [pair(3), pair(2), pair(1), pair(0)]);
    house.client.get("/api/transfers/suggestions?limit=0&cursor=x").invalid(&["limit", "cursor"]);
    assert_eq!(house.detect("", json!({})), [0, 4]);
    let all = house.client.all("/api/transfers/suggestions");
    let body = json!({ "from_id": all[0]["from"]["id"], "to_id": all[0]["to"]["id"] });
    for _ in 0..2 {
        house.client.post("/api/transfers/reject", body.clone()).gone();
    }
    assert_eq!(house.suggestions(), [pair(2), pair(1), pair(0)]);
    house.link(&all[1]["from"], &all[1]["to"]).created();
    assert_eq!(house.suggestions(), [pair(1), pair(0)]);
    assert_eq!(house.detect("", json!({ "from": "2024-01-01", "to": "2024-12-31" })), [0, 1]);
    for (wrong, fields) in [
        (json!({}), &["from_id", "to_id"][..]),
        (json!({ "from_id": all[0]["to"]["id"], "to_id": all[0]["from"]["id"] }), &["from_id", "to_id"]),
        (json!({ "from_id": 9_000_000, "to_id": all[0]["to"]["id"] }), &["from_id"]),
    ] {
        house.client.post("/api/transfers/reject", wrong).invalid(fields);
    }
    // Own names make a likely transfer certain. A rejected pair stays rejected.
    house.put(house.account, "-99", "2026-03-05", "PIX TRANSF ANA SO05/03");
    house.put(house.savings, "99", "2026-03-05", "PIX RECEBIDO");
    assert_eq!(house.detect("", json!({})), [0, 3]);
    house.client.put("/api/settings", json!({ "savings_goal_pct": 40, "own_names": ["Ana Souza"] })).ok();
    assert_eq!(house.detect("?dry_run=true", json!({})), [1, 2]);
    assert_eq!(house.detect("", json!({})), [1, 2]);
    assert_eq!(house.detect("", json!({})), [0, 2]);
}

#[test]
fn a_page_of_suggestions_holds_no_more_than_its_limit_however_many_pairs_there_are() {
    let app = TestApp::start();
    let house = House::new(&app);
    let rows = |sign: &str, text: &str| {
        let ids: Vec<String> = (0..60).map(|at| format!("{sign}{at}")).collect();
        let amount = format!("{sign}7.00");
        let rows: Vec<_> = ids.iter().map(|id| ("20260305", amount.as_str(), id.as_str(), text)).collect();
        ofx(&rows)
    };
    house.client.import(Some(house.account), &rows("-", "PIX ENVIADO")).created();
    house.client.import(Some(house.savings), &rows("", "PIX RECEBIDO")).created();
    assert_eq!(house.detect("", json!({})), [0, 3_600]);
    let mut path = "/api/transfers/suggestions?limit=1000".to_string();
    let mut seen = std::collections::HashSet::new();
    loop {
        let reply = house.client.get(&path);
        let next = reply.next().map(str::to_string);
        let page = reply.ok();
        assert!(page.as_array().unwrap().len() <= 1_000);
        for found in page.as_array().unwrap() {
            assert!(seen.insert((found["from"]["id"].clone().to_string(), found["to"]["id"].to_string())), "{found}");
        }
        match next {
            Some(next) => path = next,
            None => break,
        }
    }
    assert_eq!(seen.len(), 3_600);
}

#[test]
fn what_is_stored_is_linked_when_it_is_asked_for_and_once() {
    let app = TestApp::start();
    let house = House::new(&app);
    // These rows are entered by hand, so they are not linked, as in releases that did not link the rows of statements.
    house.put(house.card, "-300", "2026-02-10", "Compra");
    house.put(house.card, "-70", "2026-03-02", "Outra");
    let paid = house.put(house.card, "300", "2026-03-05", "Pagamento recebido");
    house.put(house.card, "12", "2026-03-06", "Estorno");
    let alone = house.put(house.card, "5", "2026-03-07", "Pagamento efetuado");
    // A later row of the card would ask this payment.
    let payment = house.put(house.account, "-300", "2026-03-06", "PAGAMENTO FATURA");
    assert_eq!(house.march(), ["317.00", "370.00"]);
    let before = house.client.all_transactions();
    assert_eq!(house.detect("?dry_run=true", json!({})), [2, 0]);
    house.client.post("/api/transfers/detect?dry_run=maybe", json!({})).invalid(&["dry_run"]);
    house.client.post("/api/transfers/detect", json!({ "from": "2026-03-02", "to": "2026-03-01" })).invalid(&["to"]);
    let detected = house.client.post("/api/transfers/detect?dry_run=true&transfers=true", json!({})).ok();
    // Newest first: the card's payment whose other side is not stored here, then the pair. Each row has its current state.
    let single = json!({ "id": null, "from": null, "to": alone, "bill_id": null });
    let pair = json!({ "id": null, "from": payment, "to": paid, "bill_id": null });
    assert_eq!(detected, json!({ "linked": 2, "suggested": 0, "transfers": [single, pair] }));
    house.client.post("/api/transfers/detect?transfers=2", json!({})).invalid(&["transfers"]);
    assert_eq!(house.client.all_transactions(), before, "a dry run changes nothing");
    assert_eq!(house.detect("", json!({ "to": "2026-02-28" })), [0, 0]);
    assert_eq!(house.client.post_nothing("/api/transfers/detect").ok(), json!({ "linked": 2, "suggested": 0 }));
    assert_eq!(house.detect("", json!({})), [0, 0]);
    assert_eq!(house.march(), ["12.00", "70.00"]);
    let transfer = house.get(&paid)["transfer_id"].clone();
    assert_eq!(house.get(&payment)["transfer_id"], transfer);
    assert_eq!((&house.get(&alone)["is_transfer"], &house.get(&alone)["transfer_id"]), (&json!(true), &Value::Null));
    let bill = house.client.get("/api/credit-bills").ok()[1].clone();
    assert_eq!((&bill["status"], &bill["paid_amount"]), (&json!("paid"), &json!("300.00")));
    // The link is undone, and is not found again. The card's side is a transfer without another side.
    let unlinked = house.client.post_nothing(&format!("/api/transfers/{transfer}/unlink")).ok();
    assert_eq!((&unlinked["from"]["is_transfer"], &unlinked["to"]["is_transfer"]), (&json!(false), &json!(true)));
    assert_eq!(house.detect("", json!({})), [0, 0]);
    assert!(house.suggestions().is_empty());
    house.link(&payment, &paid).created();
}

#[test]
fn what_is_linked_is_named_with_the_bill_that_it_pays() {
    let app = TestApp::start();
    let house = House::new(&app);
    house.put(house.card, "-300", "2026-02-10", "Compra");
    let payment = house.put(house.account, "-300", "2026-03-06", "PAGAMENTO FATURA");
    let bill = house.client.get("/api/credit-bills").ok()[1].clone();
    let detected = house.client.post("/api/transfers/detect?transfers=true", json!({})).ok();
    let linked = house.get(&payment);
    assert!(linked["transfer_id"].is_i64(), "{linked}");
    let named = json!({ "id": linked["transfer_id"], "from": linked, "to": null, "bill_id": bill["id"] });
    assert_eq!(detected, json!({ "linked": 1, "suggested": 0, "transfers": [named] }));
    let again = house.client.post("/api/transfers/detect?transfers=true", json!({})).ok();
    assert_eq!(again, json!({ "linked": 0, "suggested": 0, "transfers": [] }));
    house.client.post_nothing(&format!("/api/transfers/{}/unlink", linked["transfer_id"])).ok();
    assert_eq!(house.get(&payment), payment);
}

#[test]
fn a_single_transaction_is_made_a_transfer_and_an_ordinary_one_again() {
    let app = TestApp::start();
    let house = House::new(&app);
    let row = house.put(house.account, "-50", "2026-03-01", "Corretora");
    let path = format!("/api/transactions/{}", row["id"]);
    let put = |row: &Value, changes: Value| {
        let mut body = row.clone();
        body.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
        house.client.put(&path, body)
    };
    let transfer = put(&row, json!({ "is_transfer": true })).ok();
    assert_eq!((&transfer["is_transfer"], &transfer["transfer_id"]), (&json!(true), &Value::Null));
    assert_eq!(house.march(), ["0.00", "0.00"]);
    let mut without = transfer.clone();
    without.as_object_mut().unwrap().remove("is_transfer");
    assert_eq!(house.client.put(&path, without).ok(), transfer, "it stays as it is where absent");
    put(&transfer, json!({ "account_id": null })).invalid(&["account_id"]);
    put(&transfer, json!({ "is_transfer": "yes" })).invalid(&["is_transfer"]);
    assert_eq!(put(&transfer, json!({ "is_transfer": false })).ok(), row);
    assert_eq!(house.march(), ["0.00", "50.00"]);
    let opened =
        house.client.post("/api/accounts", json!({ "name": "Aberta", "kind": "current", "opening_balance": "50" }));
    let mut opened = house.client.all(&format!("/api/transactions?account_id={}", opened.created()["id"]))[0].clone();
    opened["is_transfer"] = json!(true);
    house.client.put(&format!("/api/transactions/{}", opened["id"]), opened).invalid(&["is_transfer"]);
    // If a user says that a row is not a payment, it is not recognised as one again.
    let paid = house.put(house.card, "7", "2026-03-05", "Pagamento recebido");
    assert_eq!(house.detect("", json!({})), [1, 0]);
    let mut income = house.get(&paid);
    income["is_transfer"] = json!(false);
    house.client.put(&format!("/api/transactions/{}", paid["id"]), income).ok();
    assert_eq!(house.detect("", json!({})), [0, 0]);
    assert_eq!(house.march(), ["7.00", "50.00"]);
}

/// The rows that a request for suggestions reads, as positions in `rows`.
fn sides_read(app: &TestApp, house: &House, rows: &[Value]) -> Vec<usize> {
    let store: &dyn Store = app.store.as_ref();
    let sides = store.run(&house.client.caller(), Access::Read, |repo| {
        assert!(repo.transfer_marks_are_current()?, "the suggestions that were asked for before sought them");
        repo.stored_sides(None, None, &[], StoredSides::Paired)
    });
    let at = |side: StoredSide| rows.iter().position(|row| row["id"] == side.id.0).unwrap();
    let mut found: Vec<usize> = sides.unwrap().into_iter().map(at).collect();
    found.sort_unstable();
    found
}

#[test]
fn suggestions_read_only_rows_that_have_another_side() {
    let app = TestApp::start();
    let house = House::new(&app);
    let mut rows = Vec::new();
    // Equal amounts that never make a pair: five days apart, in one account, of one type, or without an account.
    for month in 1..=12 {
        let on = |day: u8| format!("2025-{month:02}-{day:02}");
        rows.push(house.put(house.account, "-50.00", &on(1), "PIX ENVIADO"));
        rows.push(house.put(house.savings, "50.00", &on(6), "PIX RECEBIDO"));
        rows.push(house.put(house.account, "-60.00", &on(15), "PIX ENVIADO"));
        rows.push(house.put(house.account, "60.00", &on(15), "PIX RECEBIDO"));
        rows.push(house.put(house.savings, "-70.00", &on(20), "PIX ENVIADO"));
        rows.push(house.put(house.account, "-70.00", &on(20), "PIX ENVIADO"));
        let body = json!({ "type": "income", "date": on(20), "description": "PIX RECEBIDO", "amount": "70.00" });
        rows.push(house.client.post("/api/transactions", body).created());
    }
    assert!(house.suggestions().is_empty());
    assert!(sides_read(&app, &house, &rows).is_empty());
    // A pair is read if its other side is new, or if an edit moved it near. A linked pair is no longer read.
    rows.push(house.put(house.savings, "60.00", "2025-06-19", "PIX RECEBIDO"));
    let one = rows.iter().position(|row| row["amount"] == "60.00" && row["date"] == "2025-06-15").unwrap();
    assert_eq!(house.suggestions().len(), 1);
    assert_eq!(sides_read(&app, &house, &rows), [one, rows.len() - 1]);
    let moved = json!({ "type": "income", "date": "2025-01-05", "description": "PIX RECEBIDO", "amount": "50.00",
        "account_id": house.savings });
    house.client.put(&format!("/api/transactions/{}", rows[1]["id"]), moved).ok();
    assert_eq!(house.suggestions().len(), 2);
    house.link(&rows[one], &rows[rows.len() - 1]).created();
    assert_eq!(house.suggestions(), [["PIX ENVIADO", "PIX RECEBIDO"]]);
    assert_eq!(sides_read(&app, &house, &rows), [0, 1]);
}

#[test]
fn a_payment_that_a_person_linked_to_a_bill_stays_when_another_card_s_file_has_its_amount() {
    let app = TestApp::start();
    let house = House::new(&app);
    let green = house.client.open_card("Verde", 25, 5);
    house.put(house.card, "-100.00", "2026-02-02", "Loja");
    let paid = house.put(house.account, "-100.00", "2026-03-09", "Boleto banco");
    let bills = || house.client.all(&format!("/api/credit-bills?account_id={}", house.card));
    let bill = bills().into_iter().find(|bill| bill["due_date"] == "2026-03-05").unwrap();
    let link = json!({ "from_id": paid["id"], "bill_id": bill["id"] });
    let link = house.client.post("/api/transfers/link", link).created();
    let imported =
        house.client.import(Some(green), &ofx(&[("20260309", "100.00", "p", "Pagamento recebido")])).created();
    assert_eq!(
        (&imported["inserted"], &imported["linked"][0]["transaction_id"]),
        (&json!(1), &json!(null)),
        "{imported}"
    );
    let bill = bills().into_iter().find(|one| one["id"] == bill["id"]).unwrap();
    assert_eq!((&bill["paid_amount"], &bill["status"]), (&json!("100.00"), &json!("paid")));
    assert_eq!(house.get(&paid)["transfer_id"], link["id"]);
}
