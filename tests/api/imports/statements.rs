//! Files with the statements of several accounts, and how files are read on cards, in other currencies, and formerly.

use finance_adapters_postgres::TimeLimits;
use finance_tests::{Client, Method, TestApp, gzip, ofx};
use serde_json::{Value, json};
use time::macros::date;

use super::confirm;

/// Two accounts of one bank in one file.
fn two_accounts(from: &str, to: &str) -> Vec<u8> {
    let row = |kind: &str, day: &str, amount: &str, id: &str, memo: &str| {
        format!("<STMTTRN><TRNTYPE>{kind}<DTPOSTED>{day}<TRNAMT>{amount}<FITID>{id}<MEMO>{memo}</STMTTRN>")
    };
    let statement = |number: &str, kind: &str, rows: &[String], balance: &str| {
        format!(
            "<STMTTRNRS><STMTRS><CURDEF>BRL<BANKACCTFROM><BANKID>0341<ACCTID>{number}<ACCTTYPE>{kind}</BANKACCTFROM><BANKTRANLIST>\
             {}</BANKTRANLIST><LEDGERBAL><BALAMT>{balance}<DTASOF>20260304</LEDGERBAL></STMTRS></STMTTRNRS>",
            rows.concat()
        )
    };
    let current = [
        row("CREDIT", "20260302", "2000.00", "20260302001", "SALARIO"),
        row("DEBIT", "20260303", "-500.00", "20260303001", from),
    ];
    let savings = [
        row("CREDIT", "20260303", "500.00", "20260303001", to),
        row("DEBIT", "20260304", "-20.00", "20260304001", "SAQUE"),
    ];
    let accounts = [
        statement("11111-1", "CHECKING", &current, "1500.00"),
        statement("11111-1/500", "SAVINGS", &savings, "480.00"),
    ];
    format!("OFXHEADER:100\n\n<OFX><BANKMSGSRSV1>{}</BANKMSGSRSV1></OFX>", accounts.concat()).into_bytes()
}

/// A user with a current account and savings, on 2026-03-10.
fn books(app: &TestApp, name: &str) -> (Client, i64, i64) {
    app.clock.set_today(date!(2026 - 03 - 10));
    let client = app.user(name);
    let accounts = [client.open_account("Corrente", "current"), client.open_account("Poupança", "savings")];
    (client, accounts[0], accounts[1])
}

/// The body of a confirm that sends a preview back.
fn sent_back(preview: &Value) -> Value {
    json!({ "file_name": "contas.ofx", "format": preview["format"], "statements": preview["statements"], "rows": preview["rows"] })
}

fn month(client: &Client) -> [Value; 2] {
    let month = client.get("/api/dashboard?month=2026-03").ok();
    [month["income"].clone(), month["expenses"].clone()]
}

#[test]
fn a_file_of_two_accounts_goes_to_both_and_is_known_the_next_time() {
    let app = TestApp::start();
    let (client, current, savings) = books(&app, "ana");
    let file = two_accounts("TRANSF PARA POUPANCA", "TRANSF DA CONTA CORRENTE");
    let unknown = client.preview(&file).ok();
    let both: Vec<Value> = unknown["statements"].as_array().unwrap().clone();
    assert_eq!(
        both.iter().map(|one| (&one["index"], &one["hint"], &one["kind"], &one["rows"])).collect::<Vec<_>>(),
        [
            (&json!(0), &json!("11-1"), &json!("current"), &json!(2)),
            (&json!(1), &json!("/500"), &json!("savings"), &json!(2)),
        ]
    );
    assert_eq!(both[0]["balance"], json!({ "amount": "1500.00", "date": "2026-03-04" }));
    assert!(both.iter().all(|one| one["account_id"].is_null() && one["agrees"].is_null() && one["currency"].is_null()));
    assert_ne!(both[0]["ref"], both[1]["ref"]);
    assert_eq!(unknown["rows"][2]["statement"], 1);

    let chosen = json!([{ "index": 0, "account_id": current }, { "index": 1, "account_id": savings }]);
    let preview = client.preview_with(&file, &[("statements", &chosen.to_string())]).ok();
    let agreed: Vec<_> =
        preview["statements"].as_array().unwrap().iter().map(|one| (&one["balance_after"], &one["agrees"])).collect();
    assert_eq!(agreed, [(&json!("1500.00"), &json!(true)), (&json!("480.00"), &json!(true))]);
    let transfer = |with: usize| json!({ "kind": "own_account", "confidence": "certain", "with": { "row": with } });
    assert_eq!((&preview["rows"][1]["transfer"], &preview["rows"][2]["transfer"]), (&transfer(2), &transfer(1)));

    let imported = client.post("/api/import/confirm", sent_back(&preview)).created();
    assert_eq!((&imported["inserted"], imported["linked"].as_array().unwrap().len()), (&json!(4), 2));
    let rows = &imported["transactions"];
    assert!(rows[1]["transfer_id"].is_i64() && rows[1]["transfer_id"] == rows[2]["transfer_id"], "{rows}");
    assert_eq!(imported["linked"][0]["transaction_id"], rows[2]["id"]);
    assert_eq!(client.balance(current), 150_000);
    assert_eq!(client.balance(savings), 48_000);
    assert_eq!(month(&client), ["2000.00", "20.00"]);
    let log = client.get("/api/imports").ok();
    assert_eq!((&log[0]["account_id"], &log[0]["account_ids"]), (&Value::Null, &json!([current, savings])));

    let again = client.preview(&file).ok();
    let known: Vec<&Value> = again["statements"].as_array().unwrap().iter().map(|one| &one["account_id"]).collect();
    assert_eq!(known, [&json!(current), &json!(savings)]);
    assert_eq!(again["summary"]["new"], 0);
    assert_eq!(client.post("/api/import/confirm", sent_back(&again)).created()["inserted"], 0);

    let keys = client.get(&format!("/api/accounts/{current}/keys")).ok();
    assert_eq!(keys, json!([{ "ref": both[0]["ref"], "hint": "11-1" }]));
    client.delete(&format!("/api/accounts/{current}/keys")).gone();
    assert_eq!(client.get(&format!("/api/accounts/{current}/keys")).ok(), json!([]));
    assert_eq!(client.preview(&file).ok()["statements"][0]["account_id"], Value::Null);
    let deleted = client.delete(&format!("/api/imports/{}", log[0]["id"])).ok();
    assert_eq!((&deleted["deleted"], client.balance(current), client.balance(savings)), (&json!(4), 0, 0));
}

#[test]
fn rows_of_one_file_are_a_transfer_only_if_both_say_so_and_no_other_is_alike() {
    let app = TestApp::start();
    let (client, current, savings) = books(&app, "ana");
    let chosen = json!([{ "index": 0, "account_id": current }, { "index": 1, "account_id": savings }]).to_string();
    let file = two_accounts("MERCADO", "TRANSF DA CONTA CORRENTE");
    let preview = client.preview_with(&file, &[("statements", &chosen)]).ok();
    assert_ne!(preview["rows"][1]["transfer"]["with"], json!({ "row": 2 }), "a shop");
    let card = client.open_card("Visa", 25, 5);
    let with_card = json!([{ "index": 0, "account_id": current }, { "index": 1, "account_id": card }]).to_string();
    let file = two_accounts("TRANSF PARA POUPANCA", "TRANSF DA CONTA CORRENTE");
    let preview = client.preview_with(&file, &[("statements", &with_card)]).ok();
    assert_ne!(preview["rows"][1]["transfer"]["with"], json!({ "row": 2 }), "a card");
    // Of two that are alike a person refuses one: nobody said that the other one is the transfer.
    let row = |statement: i64, kind: &str, description: &str| json!({ "statement": statement, "date": "2026-03-03", "description": description, "amount": "500.00", "type": kind });
    let mut refused = row(0, "expense", "TRANSF PARA POUPANCA A");
    refused["transfer_with"] = Value::Null;
    let rows = [refused, row(0, "expense", "TRANSF PARA POUPANCA B"), row(1, "income", "TRANSF DA CONTA CORRENTE")];
    let statements = json!([{ "index": 0, "account_id": current }, { "index": 1, "account_id": savings }]);
    let body = json!({ "format": "ofx", "statements": statements, "rows": rows });
    assert_eq!(client.post("/api/import/confirm", body).created()["linked"], json!([]));
}

#[test]
fn both_rows_of_a_card_s_payment_are_stored_from_one_file_whichever_account_is_older() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 03 - 10));
    let row = |day: &str, amount: &str, id: &str, memo: &str| {
        format!("<STMTTRN><TRNTYPE>OTHER<DTPOSTED>{day}<TRNAMT>{amount}<FITID>{id}<MEMO>{memo}</STMTTRN>")
    };
    let file = format!(
        "OFXHEADER:100\n\n<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>BRL<BANKACCTFROM><BANKID>0341<ACCTID>11111-1\
         <ACCTTYPE>CHECKING</BANKACCTFROM><BANKTRANLIST>{}</BANKTRANLIST></STMTRS></STMTTRNRS></BANKMSGSRSV1>\
         <CREDITCARDMSGSRSV1><CCSTMTTRNRS><CCSTMTRS><CURDEF>BRL<CCACCTFROM><ACCTID>99887</CCACCTFROM><BANKTRANLIST>{}{}\
         </BANKTRANLIST></CCSTMTRS></CCSTMTTRNRS></CREDITCARDMSGSRSV1></OFX>",
        row("20260305", "-1000.00", "a1", "PAGAMENTO FATURA CARTAO"),
        row("20260308", "1000.00", "c1", "Pagamento recebido"),
        row("20260309", "-20.00", "c2", "PADARIA")
    );
    for (name, card_first) in [("ana", false), ("bia", true)] {
        let client = app.user(name);
        let older = card_first.then(|| client.open_card("Visa", 25, 5));
        let current = client.open_account("Corrente", "current");
        let card = older.unwrap_or_else(|| client.open_card("Visa", 25, 5));
        let purchase = json!({ "type": "expense", "account_id": card, "date": "2026-02-10", "description": "MERCADO A", "amount": "1000.00" });
        client.post("/api/transactions", purchase).created();
        let chosen = json!([{ "index": 0, "account_id": current }, { "index": 1, "account_id": card }]).to_string();
        let preview = client.preview_with(file.as_bytes(), &[("statements", &chosen)]).ok();
        assert_eq!(preview["summary"]["new"], 3, "{name}");
        let imported = client.post("/api/import/confirm", sent_back(&preview)).created();
        assert_eq!((&imported["inserted"], &imported["skipped"]), (&json!(3), &json!([])), "{name}");
        let rows = &imported["transactions"];
        assert_eq!((&rows[1]["date"], &rows[1]["description"]), (&json!("2026-03-08"), &json!("Pagamento recebido")));
        assert!(rows[0]["transfer_id"].is_i64() && rows[0]["transfer_id"] == rows[1]["transfer_id"], "{name}: {rows}");
        assert_eq!((client.balance(current), client.balance(card)), (-100_000, -2_000), "{name}");
    }
}

#[test]
fn rows_that_are_stored_already_are_no_other_sides_of_new_ones() {
    let app = TestApp::start();
    let (client, current, savings) = books(&app, "ana");
    let row = |statement: i64, kind: &str, id: &str, description: &str| {
        json!({ "statement": statement, "date": "2026-03-03", "amount": "500.00", "type": kind, "external_id": id,
            "description": description })
    };
    let sent = |id: &str| row(0, "expense", id, "TRANSF PARA POUPANCA");
    let received = |id: &str| row(1, "income", id, "TRANSF DA CONTA CORRENTE");
    let import = |rows: &[Value]| {
        let statements = json!([{ "index": 0, "account_id": current }, { "index": 1, "account_id": savings }]);
        let body = json!({ "format": "ofx", "statements": statements, "rows": rows });
        client.post("/api/import/confirm", body).created()
    };
    assert_eq!(import(&[sent("A1"), received("B1")])["linked"].as_array().unwrap().len(), 2);
    // The same file later on that day, with another transfer of the same amount.
    let later = import(&[sent("A1"), sent("A2"), received("B1"), received("B2")]);
    let new = &later["transactions"];
    assert_eq!((&later["inserted"], later["linked"].as_array().unwrap().len()), (&json!(2), 2));
    assert!(new[0]["transfer_id"].is_i64() && new[0]["transfer_id"] == new[1]["transfer_id"], "{new}");
    assert_eq!(month(&client), ["0.00", "0.00"]);
}

#[test]
fn transfers_between_two_accounts_of_a_file_cost_no_statement_each() {
    let app = TestApp::start_limited(TimeLimits::default());
    let (client, current, savings) = books(&app, "ana");
    let mut numbers = 1..;
    let mut import = |pairs: usize| {
        let pair = |number: usize| {
            let row = |statement: i64, kind: &str, description: &str| {
                json!({ "statement": statement, "date": "2026-03-03", "amount": format!("{number}.00"), "type": kind,
                    "external_id": format!("{kind}{number}"), "description": description })
            };
            [row(0, "expense", "TRANSF PARA POUPANCA"), row(1, "income", "TRANSF DA CONTA CORRENTE")]
        };
        let rows: Vec<Value> = numbers.by_ref().take(pairs).flat_map(pair).collect();
        let statements = json!([{ "index": 0, "account_id": current }, { "index": 1, "account_id": savings }]);
        let body = json!({ "format": "ofx", "statements": statements, "rows": rows });
        app.statements_of(|| {
            let imported = client.post("/api/import/confirm", body).created();
            let linked = imported["linked"].as_array().unwrap();
            assert_eq!(linked.len(), 2 * pairs);
            let of = |at: usize, name: &str| imported["transactions"][at][name].clone();
            for (at, link) in linked.iter().enumerate() {
                assert_eq!((&link["row"], &link["transaction_id"]), (&json!(at), &of(at ^ 1, "id")));
                assert_eq!(
                    (&link["transfer_id"], &of(at, "transfer_id")),
                    (&of(at ^ 1, "transfer_id"), &link["transfer_id"])
                );
            }
        })
    };
    // The first ones also earn awards.
    import(30);
    let (of_two, of_thirty) = (import(2), import(30));
    assert!(of_thirty < of_two + 10, "{of_two} statements for two transfers, {of_thirty} for thirty");
}

#[test]
fn rows_of_a_statement_without_an_account_are_skipped_if_another_has_one() {
    let app = TestApp::start();
    let (client, current, _) = books(&app, "ana");
    let file = two_accounts("A", "B");
    let chosen = json!([{ "index": 0, "account_id": current }]).to_string();
    let preview = client.preview_with(&file, &[("statements", &chosen)]).ok();
    let imported = client.post("/api/import/confirm", sent_back(&preview)).created();
    let skipped: Vec<_> =
        imported["skipped"].as_array().unwrap().iter().map(|row| (&row["row"], &row["code"])).collect();
    assert_eq!(skipped, [(&json!(2), &json!("not_chosen")), (&json!(3), &json!("not_chosen"))]);
    assert_eq!((client.balance(current), &imported["inserted"]), (150_000, &json!(2)));

    let other = app.user("bia");
    let preview = other.preview(&file).ok();
    assert_eq!(other.post("/api/import/confirm", sent_back(&preview)).created()["inserted"], 4, "none has one");
    assert_eq!(other.get("/api/imports").ok()[0]["account_ids"], json!([]));
}

#[test]
fn one_statement_takes_the_account_of_the_import_and_several_take_none() {
    let app = TestApp::start();
    let (client, current, savings) = books(&app, "ana");
    let preview = client.preview(&two_accounts("A", "B")).ok();
    let with = |name: &str, value: Value| {
        let mut body = sent_back(&preview);
        body[name] = value;
        client.post("/api/import/confirm", body)
    };
    let problem = with("account_id", json!(current)).invalid(&["account_id"]);
    assert_eq!(problem["errors"][0]["code"], "several_accounts");
    with("payment_date", json!("2026-03-20")).invalid(&["payment_date"]);
    with("statements", json!("both")).invalid(&["statements"]);
    with("statements", json!([{ "account_id": current }, { "index": 1 }])).invalid(&["statements[0].index"]);
    with("statements", json!([{ "index": 1 }, { "index": 1 }])).invalid(&["statements[1].index"]);
    with("statements", json!([{ "index": 0, "account_id": 999_999 }, { "index": 1 }]))
        .invalid(&["statements[0].account_id"]);
    with("statements", json!([{ "index": 0, "ref": "x", "hint": "12345" }, { "index": 1 }]))
        .invalid(&["statements[0].ref", "statements[0].hint"]);
    with("statements", json!([{ "index": 0, "ref": "0".repeat(64), "hint": "a\0b" }, { "index": 1 }]))
        .invalid(&["statements[0].hint"]);
    let mut body = sent_back(&preview);
    body["rows"][0]["statement"] = json!(7);
    body["rows"][1].as_object_mut().unwrap().remove("statement");
    client.post("/api/import/confirm", body).invalid(&["rows[0].statement", "rows[1].statement"]);
    assert_eq!(client.all("/api/imports"), Vec::<Value>::new(), "nothing is stored");

    let one = ofx(&[("20260302", "-10.00", "A1", "MERCADO")]);
    let preview = client.preview(&one).ok();
    let mut body = sent_back(&preview);
    (body["account_id"], body["statements"][0]["account_id"]) = (json!(current), json!(savings));
    client.post("/api/import/confirm", body).created();
    assert_eq!((client.balance(current), client.balance(savings)), (-1_000, 0), "the account of the import wins");
    client.preview_with(&one, &[("statements", "{}")]).invalid(&["statements"]);
    client.preview_with(&one, &[("statements", "[{\"index\": 3}]")]).invalid(&["statements[0].index"]);
    client.preview_with(&one, &[("statements", "[{\"index\": 0}, {\"index\": 0}]")]).invalid(&["statements[1].index"]);
    client
        .preview_with(&one, &[("statements", "[{\"index\": 0, \"account_id\": 999999}]")])
        .invalid(&["statements[0].account_id"]);
}

#[test]
fn an_account_keeps_its_newest_twenty_keys_and_the_latest_choice_counts() {
    let app = TestApp::start();
    let (client, current, savings) = books(&app, "ana");
    let learn = |account: i64, number: usize| {
        let reference = format!("{number:064x}");
        let statements = json!([{ "index": 0, "ref": reference, "hint": number.to_string(), "account_id": account }]);
        let row =
            json!({ "date": "2026-03-01", "description": format!("A {number}"), "amount": "1.00", "type": "expense" });
        client.post("/api/import/confirm", json!({ "statements": statements, "rows": [row] })).created();
    };
    (0..25).for_each(|number| learn(current, number));
    learn(savings, 24);
    let hints = |account: i64| {
        let keys = client.get(&format!("/api/accounts/{account}/keys")).ok();
        keys.as_array().unwrap().iter().map(|key| key["hint"].as_str().unwrap().to_string()).collect::<Vec<_>>()
    };
    let expected: Vec<String> = (5..24).rev().map(|number| number.to_string()).collect();
    assert_eq!((hints(current), hints(savings)), (expected, vec!["24".to_string()]));
    let other = app.user("bia");
    other.get(&format!("/api/accounts/{current}/keys")).problem(404, "ErrNotFound");
    other.delete(&format!("/api/accounts/{current}/keys")).problem(404, "ErrNotFound");
    assert_eq!(hints(current).len(), 19);
}

#[test]
fn references_differ_between_profiles() {
    let app = TestApp::start();
    let file = two_accounts("A", "B");
    let references = |name: &str| app.user(name).preview(&file).ok()["statements"][0]["ref"].clone();
    assert_ne!(references("ana"), references("bia"));
}

#[test]
fn an_amount_in_another_currency_is_never_stored_as_reais() {
    let app = TestApp::start();
    let (client, current, _) = books(&app, "ana");
    let file =
        b"Date,Amount,Currency,Description\n2026-03-02,-100.00,BRL,Pix MERCADO\n2026-03-03,-50.00,USD,AMAZON US\n";
    let preview = client.preview_with(file, &[("account_id", &current.to_string())]).ok();
    assert_eq!(preview["rows"].as_array().unwrap().len(), 1);
    let rejected = &preview["rejected"][0];
    assert_eq!(
        (&rejected["code"], &rejected["params"], &rejected["line"]),
        (&json!("other_currency"), &json!({ "currency": "USD" }), &json!(3))
    );
    assert_eq!(
        (&rejected["amount"], &rejected["type"], &rejected["date"]),
        (&json!("50.00"), &json!("expense"), &json!("2026-03-03"))
    );
    let without = client.preview(file).ok();
    assert_eq!((&without["rows"][1]["currency"], &without["rows"][0]["currency"]), (&json!("USD"), &Value::Null));
    let imported = client.post("/api/import/confirm", json!({ "rows": without["rows"] })).created();
    assert_eq!((&imported["inserted"], &imported["skipped"][0]["code"]), (&json!(1), &json!("other_currency")));
}

#[test]
fn a_card_s_file_is_read_by_its_account_and_a_client_may_say_the_sign() {
    let app = TestApp::start();
    let (client, current, _) = books(&app, "ana");
    let card = client.open_card("Visa", 25, 5).to_string();
    let file = "data,lançamento,valor\n2026-03-09,PAGAMENTO COM SALDO,-910.40\n2026-03-08,MERCADO,17.4\n".as_bytes();
    let kinds = |options: &[(&str, &str)]| {
        let preview = client.preview_with(file, options).ok();
        let kinds: Vec<String> =
            preview["rows"].as_array().unwrap().iter().map(|row| row["type"].as_str().unwrap().to_string()).collect();
        (kinds.join(" "), preview["detected"]["sign"].clone())
    };
    let (positive, negative) = (json!("purchases_positive"), json!("purchases_negative"));
    assert_eq!(kinds(&[("account_id", &card)]), ("income expense".to_string(), positive.clone()));
    assert_eq!(kinds(&[("is_credit_card", "true")]), ("income expense".to_string(), positive));
    assert_eq!(kinds(&[("account_id", &current.to_string())]), ("expense income".to_string(), Value::Null));
    assert_eq!(
        kinds(&[("account_id", &card), ("card_sign", "purchases_negative")]),
        ("expense income".to_string(), negative)
    );
    client.preview_with(file, &[("card_sign", "up")]).invalid(&["card_sign"]);
    let chosen = format!("[{{\"index\": 0, \"account_id\": {card}}}]");
    assert_eq!(kinds(&[("statements", &chosen)]).0, "income expense");
}

#[test]
fn a_learned_account_without_the_end_of_its_number_is_restored() {
    let app = TestApp::start();
    let (ana, bia) = (app.user("ana"), app.user("bia"));
    let bank = ana.open_account("Banco", "current");
    let statements = json!([{ "index": 0, "ref": "ab".repeat(32), "account_id": bank }]);
    let rows = json!([{ "date": "2026-03-04", "type": "expense", "description": "x", "amount": "1" }]);
    let body = json!({ "account_id": bank, "format": "ofx", "statements": statements, "rows": rows });
    ana.post("/api/import/confirm", body).created();
    let document = ana.get("/api/export").ok();
    assert_eq!(document["account_keys"][0]["hint"], "");
    bia.post("/api/restore", document).ok();
}

#[test]
fn an_ofx_file_of_a_card_that_says_account_is_read_by_the_account_that_was_chosen_or_learned() {
    let app = TestApp::start();
    let client = app.user("ana");
    let card = client.open_card("Visa", 25, 5);
    let file = |days: [&str; 2]| {
        let row = |(day, amount): (&str, &str)| {
            format!("<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>{day}<TRNAMT>{amount}<MEMO>LOJA {day}</STMTTRN>")
        };
        let rows: String = days.into_iter().zip(["30.00", "50.00"]).map(row).collect();
        format!(
            "<OFX><STMTRS><CURDEF>BRL<BANKACCTFROM><BANKID>077<ACCTID>5162</BANKACCTFROM><BANKTRANLIST>{rows}</BANKTRANLIST></STMTRS></OFX>"
        )
    };
    let kinds = |preview: &Value| -> Vec<String> {
        preview["rows"].as_array().unwrap().iter().map(|row| row["type"].as_str().unwrap().to_string()).collect()
    };
    let first = file(["20260302", "20260303"]);
    let plain = client.preview_with(first.as_bytes(), &[]).ok();
    assert_eq!(kinds(&plain), ["income", "income"], "nobody knows that it is a card's");
    let chosen = format!("[{{\"index\": 0, \"account_id\": {card}}}]");
    let preview = client.preview_with(first.as_bytes(), &[("statements", &chosen)]).ok();
    assert_eq!(kinds(&preview), ["expense", "expense"]);
    let statements = json!([{ "index": 0, "ref": preview["statements"][0]["ref"], "account_id": card }]);
    let body = json!({ "format": "ofx", "statements": statements, "rows": preview["rows"] });
    assert_eq!(client.post("/api/import/confirm", body).created()["inserted"], 2);
    let next = client.preview_with(file(["20260309", "20260310"]).as_bytes(), &[]).ok();
    assert_eq!(
        (kinds(&next), &next["statements"][0]["account_id"]),
        (vec!["expense".into(), "expense".into()], &json!(card))
    );
}

#[test]
fn rows_that_an_earlier_release_read_otherwise_are_known_by_what_it_made_of_them() {
    let app = TestApp::start();
    let (client, current, _) = books(&app, "ana");
    let card = client.open_card("Visa", 25, 5);
    // As the last release stored them: the sign of a card's file inside out, one of two texts, dollars as reais.
    let stored = |account: i64, rows: Value| confirm(&client, Some(account), &rows).created();
    let row = |date: &str, description: &str, amount: &str, kind: &str| json!({ "date": date, "description": description, "amount": amount, "type": kind });
    stored(
        card,
        json!([
            row("2026-03-09", "PAGAMENTO COM SALDO", "910.40", "expense"),
            row("2026-03-08", "MERCADO", "17.40", "income")
        ]),
    );
    stored(
        current,
        json!([row("2026-03-02", "Recebido", "60.00", "income"), row("2026-03-02", "Recebido", "60.00", "income")]),
    );
    let files: [(i64, &str); 2] = [
        (card, "data,lançamento,valor\n2026-03-09,PAGAMENTO COM SALDO,-910.40\n2026-03-08,MERCADO,17.4\n"),
        (
            current,
            "Data,Nome,Detalhe,Valor (R$)\n2026-03-02,Pix OTAVIO,Recebido,\"+R$ 60,00\"\n2026-03-02,Pix LIVIA,Recebido,\"R$ 60,00\"\n",
        ),
    ];
    for (account, file) in files {
        let preview = client.preview_with(file.as_bytes(), &[("account_id", &account.to_string())]).ok();
        assert_eq!(preview["summary"]["duplicates"], 2, "{file}");
        assert!(preview["rows"][0]["former"].is_object(), "{file}");
        let imported = confirm(&client, Some(account), &preview["rows"]).created();
        assert_eq!((&imported["inserted"], imported["skipped"].as_array().unwrap().len()), (&json!(0), 2), "{file}");
        let third = file.to_string() + &file.lines().last().unwrap().replace("2026-03-0", "2026-02-0");
        assert_eq!(client.import(Some(account), third.as_bytes()).created()["inserted"], 1, "{file}");
    }
    let bad = json!([{ "date": "2026-03-01", "description": "A", "amount": "1.00", "type": "expense", "former": { "amount": "0" } }]);
    confirm(&client, None, &bad).invalid(&[
        "rows[0].former.description",
        "rows[0].former.amount",
        "rows[0].former.type",
    ]);
}

#[test]
fn a_category_that_the_file_names_is_suggested_after_rules() {
    let app = TestApp::start();
    let client = app.user("ana");
    let id = client.create("/api/categories", json!({ "name": "Açougue" }));
    let file = "Data;Loja;Valor;Categoria\n01/03/2026;BOI BOM;-10,00;acougue\n02/03/2026;OUTRA;-1,00;Nenhuma destas\n";
    let preview = client.preview(file.as_bytes()).ok();
    assert_eq!(
        (&preview["rows"][0]["category_id"], &preview["rows"][0]["suggestion"]["source"]),
        (&json!(id), &json!("file"))
    );
    assert_ne!(preview["rows"][1]["suggestion"]["source"], "file");
}

#[test]
fn a_confirm_takes_a_body_packed_by_gzip() {
    let app = TestApp::start();
    let client = app.user("ana");
    let send = |body: Vec<u8>, encoding: &str| {
        let headers = [("Content-Encoding", encoding)];
        client.send_with(
            Method::POST,
            "/api/import/confirm?transactions=false",
            Some("application/json"),
            body,
            &headers,
        )
    };
    let rows: Vec<Value> = (0..20_000)
        .map(|at| json!({ "date": "2026-03-01", "description": format!("{at} {}", "x".repeat(245)), "amount": "1.00", "type": "expense" }))
        .collect();
    let body = json!({ "rows": rows }).to_string().into_bytes();
    assert_eq!(send(gzip(&body), "gzip").created()["inserted"], 20_000);
    send(gzip(b"{\"rows\": []}"), "gzip").created();
    send(b"{\"rows\": []}".to_vec(), "identity").created();
    for encoding in ["br", "deflate", "gzip, gzip", ""] {
        send(gzip(b"{\"rows\": []}"), encoding).problem(415, "ErrUnsupportedMedia");
    }
    let whole = gzip(&body);
    send(whole[..whole.len() / 2].to_vec(), "gzip").problem(400, "ErrMalformedRequest");
    send(b"{\"rows\": []}".to_vec(), "gzip").problem(400, "ErrMalformedRequest");
    let bomb = format!("{{\"rows\": [], \"x\": \"{}\"}}", "x".repeat(65 * 1024 * 1024));
    send(gzip(bomb.as_bytes()), "gzip").problem(413, "ErrTooLarge");
    assert_eq!(client.all("/api/imports").len(), 1);
}

#[test]
fn a_statement_agrees_with_a_balance_that_a_person_said() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 03 - 10));
    let client = app.user("ana");
    let body = json!({ "name": "Banco", "kind": "current", "balance_today": "1000.00" });
    let bank = client.create("/api/accounts", body);
    let rows = [("20260105", "4000.00"), ("20260210", "-1500.00"), ("20260309", "-600.00")];
    let rows: String = rows
        .iter()
        .map(|(day, amount)| {
            format!("<STMTTRN><TRNTYPE>OTHER<DTPOSTED>{day}<TRNAMT>{amount}<FITID>{day}<MEMO>A {day}</STMTTRN>")
        })
        .collect();
    let file = format!(
        "<OFX><STMTRS><BANKTRANLIST>{rows}</BANKTRANLIST><LEDGERBAL><BALAMT>1000.00<DTASOF>20260309</LEDGERBAL></STMTRS></OFX>"
    );
    let preview = client.preview_with(file.as_bytes(), &[("account_id", &bank.to_string())]).ok();
    let statement = &preview["statements"][0];
    assert_eq!((&statement["balance_after"], &statement["agrees"]), (&json!("1000.00"), &json!(true)));
    client.post("/api/import/confirm", sent_back(&preview)).created();
    assert_eq!(client.get(&format!("/api/accounts/{bank}")).ok()["agrees_until"], "2026-03-09");
    let again = client.preview_with(file.as_bytes(), &[("account_id", &bank.to_string())]).ok();
    assert_eq!(again["statements"][0]["agrees"], true);
}
