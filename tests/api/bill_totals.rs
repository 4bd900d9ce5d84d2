//! A bill's total equals the sum of its rows after every kind of write, and so does every other stored sum.

use finance_tests::{Client, TestApp, cents, id, money, ofx, signed_cents};
use serde_json::{Value, json};
use time::macros::date;

/// Checks that every bill and every stored sum is the sum of its rows. Returns how many bills have rows.
#[track_caller]
fn agree(app: &TestApp, client: &Client, what: &str) -> usize {
    assert_eq!(app.wrong_sums(), Vec::<String>::new(), "{what}");
    let rows = client.all_transactions();
    // The dashboard is read before a request that may create or refresh bills, and the bills are read after it.
    let dashboard = client.get("/api/dashboard").ok();
    let accounts = client.get("/api/accounts").ok();
    let bills = client.get("/api/credit-bills?limit=1000").ok();
    let bills = bills.as_array().unwrap();
    let mut used = 0;
    for bill in bills {
        let text = |field: &str| bill[field].as_str().unwrap();
        let following = bills
            .iter()
            .filter(|other| {
                other["account_id"] == bill["account_id"] && other["period_start"].as_str() > Some(text("period_end"))
            })
            .min_by_key(|other| other["period_start"].as_str());
        let paid_in = |date: &str| match following {
            Some(next) => date > text("period_end") && date <= next["period_end"].as_str().unwrap(),
            None => date > text("period_end"),
        };
        let on_bill = |row: &&Value| {
            let date = row["date"].as_str().unwrap();
            row["account_id"] == bill["account_id"]
                && row["source"] != "transfer"
                && row["source"] != "opening_balance"
                && if row["original_date"].is_null() {
                    (text("period_start")..=text("period_end")).contains(&date)
                } else {
                    paid_in(date)
                }
        };
        let total: i128 = rows.iter().filter(on_bill).map(|row| -signed_cents(row)).sum();
        assert_eq!(bill["total"], money(total), "{what}: {bill}");
        let [previous, paid, carried] = ["previous", "paid_amount", "carried"].map(|name| cents(&bill[name]));
        assert_eq!(cents(&bill["amount_due"]), previous + total - paid - carried, "{what}: {bill}");
        assert_eq!(client.get(&format!("/api/credit-bills/{}", bill["id"])).ok(), *bill, "{what}");
        used += usize::from(total != 0);
    }
    for account in accounts.as_array().unwrap().iter().filter(|account| account["kind"] == "credit") {
        let current = bills.iter().find(|bill| bill["id"] == account["current_bill"]["id"]);
        assert_eq!(Some(&account["current_bill"]), current, "{what}");
    }
    for shown in dashboard["current_bills"].as_array().unwrap() {
        assert_eq!(Some(shown), bills.iter().find(|bill| bill["id"] == shown["id"]), "{what}");
    }
    used
}

#[test]
fn every_total_is_the_sum_of_its_rows_after_every_kind_of_write() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let card = |name: &str| {
        let body = json!({ "name": name, "kind": "credit", "closing_day": 10, "due_day": 20,
            "opening_balance": "-77.00", "opening_date": "2026-03-12" });
        ana.create("/api/accounts", body)
    };
    let (one, two) = (card("Um"), card("Dois"));
    let bank = ana.create("/api/accounts", json!({ "name": "Banco", "kind": "current" }));
    let row = |account_id: i64, kind: &str, date: &str, amount: &str| json!({ "type": kind, "account_id": account_id, "date": date, "description": "Compra", "amount": amount });
    assert_eq!(agree(&app, &ana, "nothing"), 0, "an opening balance is on no bill");

    ana.create("/api/transactions", row(one, "expense", "2026-03-12", "30.00"));
    assert_eq!(agree(&app, &ana, "on a bill that is there"), 1);
    let old = ana.create("/api/transactions", row(one, "expense", "2025-12-15", "10.00"));
    ana.create("/api/transactions", row(one, "expense", "2026-01-09", "5.00"));
    assert_eq!(agree(&app, &ana, "on a bill that was not there"), 2);
    ana.create("/api/transactions", row(one, "income", "2025-12-20", "2.50"));
    agree(&app, &ana, "a refund");

    let path = format!("/api/transactions/{old}");
    for (what, changed) in [
        ("amount", row(one, "expense", "2025-12-15", "11.00")),
        ("type", row(one, "income", "2025-12-15", "11.00")),
        ("date within the bill", row(one, "expense", "2025-12-16", "11.00")),
        ("date of another bill", row(one, "expense", "2026-03-11", "11.00")),
        ("another card", row(two, "expense", "2026-03-11", "11.00")),
        ("no card", row(bank, "expense", "2026-03-11", "11.00")),
        ("a card again", row(two, "expense", "2025-12-15", "11.00")),
    ] {
        ana.put(&path, changed).ok();
        agree(&app, &ana, what);
    }

    let bill = id(&ana.get(&format!("/api/credit-bills?account_id={two}")).ok()[0]);
    ana.create("/api/transactions", row(two, "expense", "2026-03-14", "40.00"));
    ana.post(&format!("/api/credit-bills/{bill}/pay"), json!({ "account_id": bank })).ok();
    agree(&app, &ana, "paid: a transfer is on no bill");
    ana.post_nothing(&format!("/api/credit-bills/{bill}/unpay")).ok();
    agree(&app, &ana, "unpaid");

    let imported = ana
        .import(Some(one), &ofx(&[("20260211", "-10.00", "a1", "Padaria"), ("20260303", "-7.77", "a2", "Livro")]))
        .created();
    agree(&app, &ana, "imported");
    let statement = |payment_date: &str| {
        json!({ "account_id": one, "file_name": "f.csv", "format": "csv", "is_credit_card": true,
            "payment_date": payment_date,
            "rows": [{ "date": "2026-01-20", "description": "Sapato", "amount": "99.90", "type": "expense" },
                { "date": "2026-01-21", "description": "Estorno", "amount": "9.90", "type": "income" }] })
    };
    let by_payment = ana.post("/api/import/confirm", statement("2026-02-20")).created();
    agree(&app, &ana, "imported with a payment date");
    ana.delete(&format!("/api/imports/{}", imported["import_id"])).ok();
    agree(&app, &ana, "undone");

    ana.put(
        &format!("/api/accounts/{one}"),
        json!({ "name": "Um", "kind": "credit", "closing_day": 25, "due_day": 5 }),
    )
    .ok();
    agree(&app, &ana, "other days");
    ana.create("/api/transactions", row(one, "expense", "2026-03-20", "3.00"));
    app.clock.set_today(date!(2026 - 04 - 28));
    agree(&app, &ana, "another bill");
    ana.create("/api/transactions", row(one, "expense", "2026-04-26", "4.00"));
    agree(&app, &ana, "on it");

    ana.delete(&format!("/api/imports/{}", by_payment["import_id"])).ok();
    agree(&app, &ana, "undone as well");
    assert_eq!(ana.delete("/api/transactions?month=2026-03").ok()["deleted"], 5);
    agree(&app, &ana, "a month is gone");
    ana.delete(&path).gone();
    for month in ["2025-12", "2026-01", "2026-04"] {
        ana.delete(&format!("/api/transactions?month={month}")).ok();
    }
    assert_eq!(agree(&app, &ana, "everything is gone"), 0);
    for card in [one, two] {
        ana.delete(&format!("/api/accounts/{card}")).gone();
    }
    assert_eq!(agree(&app, &ana, "the cards too"), 0);
}

#[test]
fn a_large_import_lands_on_every_bill_it_belongs_to() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let body = json!({ "name": "Cartão", "kind": "credit", "closing_day": 10, "due_day": 20 });
    let card = ana.create("/api/accounts", body);
    let rows = |offset: u32| -> Vec<Value> {
        (0..500)
            .map(|number| {
                let date = format!("{}-{:02}-{:02}", 2024 + number % 2, number % 12 + 1, number % 28 + 1);
                json!({ "date": date, "description": format!("Compra {}", number + offset),
                    "amount": money(i128::from(number) + 1), "type": if number % 7 == 0 { "income" } else { "expense" } })
            })
            .collect()
    };
    for offset in [0, 1_000] {
        // The first import finds the current bill only, the second finds all bills.
        let body = json!({ "account_id": card, "file_name": "x.csv", "format": "csv", "rows": rows(offset) });
        assert_eq!(ana.post("/api/import/confirm", body).created()["inserted"], 500);
        assert!(agree(&app, &ana, "imported") >= 24);
    }
}

#[test]
fn sums_follow_a_transaction_through_months_categories_and_accounts() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let [bank, savings] =
        [("Banco", "current"), ("Poupança", "savings")].map(|(name, kind)| ana.open_account(name, kind));
    let [home, pets] = ["Casa própria", "Pets"].map(|name| ana.create("/api/categories", json!({ "name": name })));
    let kept = || -> Vec<(Value, Value, Value, Value)> {
        let rows =
            app.rows("select month, category_id, income, expenses from month_totals order by month, category_id");
        rows.into_iter()
            .map(|row| {
                (row["month"].clone(), row["category_id"].clone(), row["income"].clone(), row["expenses"].clone())
            })
            .collect()
    };
    let body = |kind: &str, date: &str, amount: &str, account: Value, category: Value| json!({ "type": kind, "date": date, "amount": amount, "description": "Ração", "account_id": account, "category_id": category });
    let transaction = ana.create("/api/transactions", body("expense", "2026-03-10", "30.00", json!(bank), json!(home)));
    for (what, changed, row) in [
        ("category", body("expense", "2026-03-10", "30.00", json!(bank), json!(pets)), ("2026-03-01", pets, 0.0, 30.0)),
        ("none", body("expense", "2026-03-10", "30.00", json!(bank), Value::Null), ("2026-03-01", 0, 0.0, 30.0)),
        ("month", body("expense", "2026-02-28", "30.00", json!(bank), Value::Null), ("2026-02-01", 0, 0.0, 30.0)),
        (
            "account",
            body("expense", "2026-02-28", "30.00", json!(savings), json!(home)),
            ("2026-02-01", home, 0.0, 30.0),
        ),
        (
            "no account",
            body("expense", "2026-02-27", "30.00", Value::Null, json!(home)),
            ("2026-02-01", home, 0.0, 30.0),
        ),
        ("kind", body("income", "2026-02-27", "31.50", json!(savings), json!(home)), ("2026-02-01", home, 31.5, 0.0)),
        (
            "nothing",
            body("income", "2026-02-27", "31.50", json!(savings), json!(home)),
            ("2026-02-01", home, 31.5, 0.0),
        ),
    ] {
        ana.put(&format!("/api/transactions/{transaction}"), changed).ok();
        agree(&app, &ana, what);
        let (month, category, income, expenses) = row;
        assert_eq!(kept(), [(json!(month), json!(category), json!(income), json!(expenses))], "{what}");
    }
    assert_eq!((ana.balance(bank), ana.balance(savings)), (0, 3_150));
    // A month keeps its row while it has other transactions, even if its sums are zero.
    ana.create("/api/transactions", body("income", "2026-02-01", "0.01", Value::Null, json!(home)));
    ana.delete(&format!("/api/transactions/{transaction}")).gone();
    agree(&app, &ana, "one of two deleted");
    assert_eq!(kept(), [(json!("2026-02-01"), json!(home), json!(0.01), json!(0.0))]);
    let transfer = json!({ "from_account_id": bank, "to_account_id": savings, "date": "2026-02-02", "amount": "7.00" });
    let transfer = ana.post("/api/transfers", transfer).created();
    assert_eq!((ana.balance(bank), ana.balance(savings)), (-700, 700));
    agree(&app, &ana, "a transfer is in balances only");
    ana.delete(&format!("/api/transactions/{}", transfer["from"]["id"])).gone();
    agree(&app, &ana, "both legs deleted");
    assert_eq!(ana.delete("/api/transactions?month=2026-02").ok()["deleted"], 1);
    assert_eq!(kept(), []);
    agree(&app, &ana, "nothing left");
}

#[test]
fn lost_sums_are_recomputed_from_the_transactions() {
    let app = TestApp::start();
    let clients = ["ana", "bia"].map(|name| {
        let client = app.user(name);
        let bank = client.open_account("Banco", "current");
        let card = client.open_card("Cartão", 10, 20);
        for (account, kind, date) in
            [(bank, "income", "2026-03-01"), (card, "expense", "2026-03-12"), (card, "expense", "2025-11-12")]
        {
            let body =
                json!({ "type": kind, "account_id": account, "date": date, "description": "X", "amount": "12.34" });
            client.create("/api/transactions", body);
        }
        let transfer =
            json!({ "from_account_id": bank, "to_account_id": card, "date": "2026-03-13", "amount": "7.00" });
        client.create("/api/transfers", transfer);
        client.get("/api/accounts").ok();
        client
    });
    let queries = [
        "select profile_id, account_id, balance from account_balances order by 1, 2",
        "select profile_id, id, total from credit_bills order by 1, 2",
        "select profile_id, month, category_id, income, expenses, transactions from month_totals order by 1, 2, 3",
    ];
    let kept = || queries.map(|query| app.rows(query));
    let before = kept();
    assert!(before.iter().all(|rows| rows.len() >= 4), "{before:?}");
    app.sql(
        "update account_balances set balance = balance + 5; update credit_bills set total = 1;
        update month_totals set income = 3, transactions = 9;
        insert into month_totals select profile_id, '2020-01-01', 7, 1, 1, 1 from month_totals limit 1;
        delete from month_totals where month = '2025-11-01'",
    );
    assert!(app.wrong_sums().len() > 8);
    app.rebuild_sums();
    assert_eq!(kept(), before);
    // The next listing assigns the payments anew.
    for client in clients {
        client.get("/api/accounts").ok();
    }
}
