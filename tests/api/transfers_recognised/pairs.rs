//! Which rows are linked, suggested or not changed, and what an undo does.

use finance_tests::{Client, TestApp, ofx};
use serde_json::{Value, json};
use time::macros::date;

use super::{ACCOUNT, CARD, House, body, confirm, described, preview};

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
            // A payment in flight: the card's side is made here, and the card's row is it.
            let other = house.import_account();
            assert_eq!(other["linked"].as_array().unwrap().len(), 1);
            assert_eq!(house.month("2026-03"), ["4000.00", "200.00"], "it is never spending");
            let imported = house.import_card();
            assert_eq!((&imported["inserted"], &imported["linked"]), (&json!(4), &json!([])));
            let leg = house.client.get(&format!("/api/transactions/{}", other["linked"][0]["transaction_id"])).ok();
            assert_eq!((&leg["source"], &leg["external_id"]), (&json!("transfer"), &json!("C4")));
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
        let paid = described(&account["rows"], "PAGAMENTO FATURA CARTAO");
        assert_eq!(paid["transfer"], payment["transfer"], "it pays the card that is kept here");
        let row = described(&card["rows"], "MERCADO A");
        assert_eq!(row["transfer"], Value::Null);
        assert!(row.get("transfer_with").is_none(), "{row}");
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
            assert_eq!(house.month("2026-03"), ["4000.00", "200.00"], "the account's payment is in flight again");
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
    // A purchase with a card, and a Pix of the same amount from a third person.
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
fn a_move_that_a_person_refuses_leaves_another_one_like_it_likely() {
    let app = TestApp::start();
    let house = House::new(&app, "ana");
    let mut settings = house.client.get("/api/settings").ok();
    settings["own_names"] = json!(["Ana Souza"]);
    house.client.put("/api/settings", settings).ok();
    let other = house.client.open_account("Outra", "savings");
    let received = ofx(&[("20260303", "100.00", "R1", "PIX RECEBIDO ANA SOUZA")]);
    house.confirm(other, &house.preview(other, &received));
    let sent = [
        ("20260303", "-100.00", "S1", "PIX ENVIADO ANA SOUZA"),
        ("20260304", "-100.00", "S2", "PIX ENVIADO ANA SOUZA"),
    ];
    let mut preview = house.preview(house.account, &ofx(&sent));
    for row in preview["rows"].as_array().unwrap() {
        assert!(row["transfer"]["confidence"] == "likely" && row.get("transfer_with").is_none(), "{row}");
    }
    // One is refused, and the other one is sent back as it was read.
    preview["rows"][0]["transfer_with"] = Value::Null;
    assert_eq!(house.confirm(house.account, &preview)["linked"], json!([]));
    let suggestions = house.client.get("/api/transfers/suggestions").ok();
    let suggested: Vec<&Value> =
        suggestions.as_array().unwrap().iter().map(|suggestion| &suggestion["from"]["external_id"]).collect();
    assert_eq!(suggested, [&json!("S2")]);
}

#[test]
fn a_shop_whose_name_begins_like_a_word_for_moved_money_is_no_transfer() {
    let app = TestApp::start();
    let house = House::new(&app, "ana");
    let mut settings = house.client.get("/api/settings").ok();
    settings["own_names"] = json!(["Ana Souza"]);
    house.client.put("/api/settings", settings).ok();
    let savings = house.client.open_account("Poupança", "savings");
    let shops = ["APLICATIVO UBER VIAGEM", "RESGUARDO SEGUROS", "TRANSFER CAR LOCADORA", "TRANSFORMADORES LTDA"];
    let amounts = ["50.00", "60.00", "70.00", "80.00"];
    let spent: Vec<_> = amounts.iter().map(|amount| format!("-{amount}")).collect();
    let rows: Vec<_> = (0..4).map(|at| ("20260303", spent[at].as_str(), amounts[at], shops[at])).collect();
    house.confirm(house.account, &house.preview(house.account, &ofx(&rows)));
    let rows: Vec<_> = amounts.iter().map(|amount| ("20260305", *amount, *amount, "PIX RECEBIDO ANA SOUZA")).collect();
    let imported = house.confirm(savings, &house.preview(savings, &ofx(&rows)));
    assert_eq!((&imported["inserted"], &imported["linked"]), (&json!(4), &json!([])));
    assert_eq!(house.month("2026-03")[1], "260.00");
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
    // A transaction can be the other side of one row only.
    let mut twice = body(house.account, &preview);
    twice["rows"][2] = json!({ "date": "2026-03-05", "description": "OUTRO PAGAMENTO", "amount": "1000.00", "type": "expense",
        "transfer_with": { "transaction_id": payment } });
    house.client.post("/api/import/confirm", twice).invalid(&["rows[2].transfer_with"]);
    let mut nowhere = body(house.account, &preview);
    nowhere["account_id"] = Value::Null;
    house.client.post("/api/import/confirm", nowhere).invalid(&["rows[1].transfer_with"]);
    // With null the row is an ordinary one, and stays so.
    let ordinary = with(Value::Null).created();
    assert_eq!((&ordinary["linked"], house.month("2026-03")), (&json!([]), ["4050.00", "1320.00"].map(str::to_string)));
    assert_eq!(house.client.post("/api/transfers/detect", json!({})).ok(), json!({ "linked": 0, "suggested": 0 }));
    house.undo(&ordinary);
    // If the field is absent, the preview's link is used. Then the same row is sent again, with an id that is no longer a
    // candidate.
    let mut absent = body(house.account, &preview);
    absent["rows"][1].as_object_mut().unwrap().remove("transfer_with");
    assert_eq!(house.client.post("/api/import/confirm", absent).created()["linked"][0]["transaction_id"], payment);
    house.assert_figures("absent");
    assert_eq!(with(json!({ "transaction_id": payment })).created()["inserted"], 0, "a duplicate needs no candidate");
    // An empty object makes a transfer without another side, whatever the text of the row is.
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
fn the_rows_of_a_profile_that_the_database_did_not_count_yet_are_searched_as_sets() {
    let app = TestApp::start();
    let [ana, bia] = ["ana", "bia"].map(|name| app.user(name));
    let store = |client: &Client, rows: i64| {
        let profile = client.caller().profile_id.0;
        let account = client.open_account("Conta", "current");
        app.sql(&format!(
            "insert into transactions (profile_id, kind, account_id, date, source, description, description_normalized, amount)
            select {profile}, 'expense', {account}, date '2025-01-01' + n % 300, 'manual', 'LOJA ' || n, 'loja ' || n, n
            from generate_series(1, {rows}) as n"
        ));
    };
    store(&bia, 5_000);
    app.sql("analyze transactions");
    // When each row was compared with each other row, this took longer than the time limit of a request.
    store(&ana, 40_000);
    app.rebuild_sums();
    assert_eq!(ana.get("/api/transfers/suggestions").ok(), json!([]));
}
