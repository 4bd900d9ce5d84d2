//! `/api/forecast`, `/api/credit-bills/upcoming`, and what the dashboard shows of them.

use finance_tests::{Client, TestApp, cents, id, money};
use serde_json::{Value, json};
use time::macros::date;
use time::{Date, Duration};

/// The household of the acceptance figures.
struct Household {
    ana: Client,
    bank: i64,
    card: i64,
    category: i64,
    salary: i64,
    rent: i64,
    streaming: i64,
}

/// Creates the household on 10 March 2026, with this balance in its bank account.
fn household(app: &TestApp, balance: &str) -> Household {
    app.clock.set_today(date!(2026 - 03 - 10));
    let ana = app.user("ana");
    let opening = money(cents(&json!(balance)) - 500_000);
    let bank = json!({ "name": "Banco", "kind": "current", "opening_balance": opening, "opening_date": "2026-01-01" });
    let bank = ana.create("/api/accounts", bank);
    let card = ana.open_card("Nubank", 25, 5);
    let category = ana.create("/api/categories", json!({ "name": "Contas" }));
    let item = |kind: &str, text: &str, amount: &str, day: u8, account: i64| {
        let body = json!({ "type": kind, "description": text, "amount": amount, "day": day, "category_id": category, "account_id": account });
        ana.create("/api/recurring", body)
    };
    let salary = item("income", "Salário", "5000.00", 5, bank);
    let rent = item("expense", "Aluguel", "1800.00", 15, bank);
    let streaming = item("expense", "Streaming", "40.00", 12, card);
    let came = json!({ "type": "income", "date": "2026-03-05", "description": "Salário", "amount": "5000.00", "category_id": category, "account_id": bank });
    ana.create("/api/transactions", came);
    let household = Household { ana, bank, card, category, salary, rent, streaming };
    household.buys("2026-03-02", "Mercado", "300.00");
    household.buys("2026-03-03", "Loja - Parcela 3/6", "100.00");
    household
}

impl Household {
    fn buys(&self, date: &str, text: &str, amount: &str) -> i64 {
        let row =
            json!({ "type": "expense", "account_id": self.card, "date": date, "description": text, "amount": amount });
        self.ana.create("/api/transactions", row)
    }

    fn moves(&self, kind: &str, date: &str, amount: &str, category_id: Option<i64>) -> i64 {
        let row = json!({ "type": kind, "account_id": self.bank, "date": date, "description": "Algo", "amount": amount, "category_id": category_id });
        self.ana.create("/api/transactions", row)
    }

    fn forecast(&self, query: &str) -> Value {
        let forecast = self.ana.get(&format!("/api/forecast{query}")).ok();
        adds_up(&forecast);
        forecast
    }
}

/// A figure of each month.
fn figures(forecast: &Value, name: &str) -> Vec<String> {
    forecast["months"].as_array().unwrap().iter().map(|month| month[name].as_str().unwrap().to_string()).collect()
}

/// Checks that the figures of a forecast are the sums of its events.
#[track_caller]
fn adds_up(forecast: &Value) {
    let events = forecast["events"].as_array().unwrap();
    let dates: Vec<&str> = events.iter().map(|event| event["date"].as_str().unwrap()).collect();
    assert!(dates.is_sorted() && dates.iter().all(|date| *date >= forecast["as_of"].as_str().unwrap()), "{dates:?}");
    let mut balance = cents(&forecast["opening"]);
    for month in forecast["months"].as_array().unwrap() {
        let of_month = |event: &&Value| event["date"].as_str().unwrap().starts_with(month["month"].as_str().unwrap());
        let sum: i128 = events.iter().filter(of_month).map(|event| cents(&event["amount"])).sum();
        balance += sum - cents(&month["estimated"]);
        assert_eq!(cents(&month["closing"]), balance, "{month}");
        let net = cents(&month["income"]) - cents(&month["expenses"]) - cents(&month["card_bills"]);
        assert_eq!(net, sum, "{month}");
        assert!(cents(&month["lowest"]["balance"]) <= balance, "{month}");
    }
}

#[test]
fn six_months_come_to_what_is_known_of_them() {
    let app = TestApp::start();
    let house = household(&app, "2000.00");
    let forecast = house.forecast("?months=6");
    assert_eq!((&forecast["as_of"], &forecast["opening"]), (&json!("2026-03-10"), &json!("2000.00")));
    let months: Vec<_> =
        forecast["months"].as_array().unwrap().iter().map(|month| month["month"].as_str().unwrap()).collect();
    assert_eq!(months, ["2026-03", "2026-04", "2026-05", "2026-06", "2026-07", "2026-08"]);
    assert_eq!(figures(&forecast, "closing"), ["200.00", "2960.00", "6020.00", "9080.00", "12140.00", "15300.00"]);
    assert_eq!(figures(&forecast, "card_bills"), ["0.00", "440.00", "140.00", "140.00", "140.00", "40.00"]);
    assert_eq!(figures(&forecast, "income"), ["0.00", "5000.00", "5000.00", "5000.00", "5000.00", "5000.00"]);
    assert_eq!(figures(&forecast, "expenses"), ["1800.00"; 6]);
    assert_eq!(figures(&forecast, "estimated"), ["0.00"; 6]);
    assert_eq!(forecast["months"][0]["lowest"], json!({ "date": "2026-03-15", "balance": "200.00" }));
    assert_eq!((&forecast["free_to_spend"], &forecast["first_negative_date"]), (&json!("200.00"), &Value::Null));
    let bill = ana_bill(&house);
    assert_eq!(
        forecast["events"].as_array().unwrap()[..3],
        [
            json!({ "date": "2026-03-15", "kind": "recurring", "description": "Aluguel", "amount": "-1800.00",
                "account_id": house.bank, "source_id": house.rent }),
            json!({ "date": "2026-04-05", "kind": "recurring", "description": "Salário", "amount": "5000.00",
                "account_id": house.bank, "source_id": house.salary }),
            json!({ "date": "2026-04-05", "kind": "credit_bill", "description": "Fatura Nubank", "amount": "-440.00",
                "account_id": house.card, "source_id": bill }),
        ]
    );
    let dashboard = house.ana.get("/api/dashboard").ok();
    let expected =
        json!({ "closing": "200.00", "free_to_spend": "200.00", "reserved": "0.00", "first_negative_date": null });
    assert_eq!(dashboard["forecast"], expected);
    assert_eq!(house.ana.get("/api/dashboard?month=2026-03").ok()["forecast"], expected);
    for other in ["2026-02", "2026-04"] {
        assert_eq!(house.ana.get(&format!("/api/dashboard?month={other}")).ok()["forecast"], Value::Null);
    }
    assert_eq!(house.forecast("")["months"].as_array().unwrap().len(), 12);
    assert_eq!(house.forecast("?months=1&baseline=none")["free_to_spend"], "200.00");
    assert_eq!(house.forecast("?months=24")["months"].as_array().unwrap().len(), 24);
}

/// The id of the open bill.
fn ana_bill(house: &Household) -> i64 {
    id(&house.ana.get(&format!("/api/accounts/{}", house.card)).ok()["current_bill"])
}

#[test]
fn a_balance_that_does_not_reach_is_told_with_its_day() {
    let app = TestApp::start();
    let house = household(&app, "1500.00");
    let forecast = house.forecast("?months=6");
    assert_eq!((&forecast["first_negative_date"], &forecast["free_to_spend"]), (&json!("2026-03-15"), &json!("0.00")));
    assert_eq!(house.ana.get("/api/dashboard").ok()["forecast"]["first_negative_date"], "2026-03-15");
}

#[test]
fn what_was_foreseen_and_came_does_not_move_the_closing() {
    let app = TestApp::start();
    let house = household(&app, "2000.00");
    let closing = |what: &str| {
        let forecast = house.forecast("?months=6");
        assert_eq!(
            figures(&forecast, "closing"),
            ["200.00", "2960.00", "6020.00", "9080.00", "12140.00", "15300.00"],
            "{what}"
        );
        assert_eq!(house.ana.get("/api/dashboard").ok()["forecast"]["closing"], "200.00", "{what}");
    };
    house.moves("expense", "2026-03-10", "1800.00", Some(house.category));
    closing("the rent is paid");
    let streamed = json!({ "type": "expense", "account_id": house.card, "date": "2026-03-10", "description": "Streaming",
        "amount": "40.00", "category_id": house.category });
    house.ana.create("/api/transactions", streamed);
    closing("the card has its item");
    house.moves("expense", "2026-03-20", "7.00", None);
    let later = house.forecast("?months=6");
    assert_eq!(later["opening"], "200.00", "a row of a later day is not there yet");
    assert_eq!(figures(&later, "closing")[0], "193.00");
    assert_eq!(later["events"][0]["kind"], "posted");
}

#[test]
fn an_instalment_that_comes_takes_the_place_of_the_projected_one() {
    let app = TestApp::start();
    let house = household(&app, "2000.00");
    let bills = || house.ana.get(&format!("/api/credit-bills/upcoming?account_id={}&months=6", house.card)).ok();
    let figure = |bills: &Value, name: &str| -> Vec<String> {
        bills.as_array().unwrap().iter().map(|bill| bill[name].as_str().unwrap().to_string()).collect()
    };
    let first = bills();
    assert_eq!(
        first[0],
        json!({ "account_id": house.card, "period_start": "2026-02-25", "period_end": "2026-03-24", "due_date": "2026-04-05",
            "previous": "0.00", "paid_amount": "0.00", "posted": "400.00", "installments": "0.00", "recurring": "40.00", "total": "440.00" })
    );
    assert_eq!(figure(&first, "installments"), ["0.00", "100.00", "100.00", "100.00", "0.00", "0.00"]);
    assert_eq!(figure(&first, "recurring"), ["40.00"; 6]);
    assert_eq!(figure(&first, "total"), ["440.00", "140.00", "140.00", "140.00", "40.00", "40.00"]);
    app.clock.set_today(date!(2026 - 04 - 10));
    house.moves("expense", "2026-04-05", "400.00", None);
    let before = bills();
    assert_eq!(figure(&before, "installments")[0], "100.00", "it may still come on the open bill");
    house.buys("2026-04-02", "Loja - Parcela 4/6", "100.00");
    let after = bills();
    assert_eq!((figure(&after, "posted")[0].as_str(), figure(&after, "installments")[0].as_str()), ("100.00", "0.00"));
    assert_eq!(figure(&after, "total"), figure(&before, "total"));

    // A plan that was entered by hand is on its later bills as instalments to come, and not as posted rows.
    let plan = json!({ "account_id": house.card, "description": "TV", "date": "2026-04-10", "count": 2, "total_amount": "80.01" });
    house.ana.post("/api/installments", plan).created();
    let entered = bills();
    assert_eq!((figure(&entered, "posted")[0].as_str(), figure(&entered, "posted")[1].as_str()), ("140.01", "0.00"));
    assert_eq!(figure(&entered, "installments")[..2], ["0.00", "140.00"]);
    // Other rows of later bills are posted.
    house.buys("2026-04-26", "Passagem", "9.00");
    assert_eq!(figure(&bills(), "posted")[1], "9.00");
}

#[test]
fn bills_ahead_are_of_each_card_in_the_order_in_which_they_are_due() {
    let app = TestApp::start();
    let house = household(&app, "2000.00");
    let other = house.ana.open_card("Outro", 5, 15);
    let upcoming = house.ana.get("/api/credit-bills/upcoming?months=2").ok();
    let listed: Vec<_> = upcoming
        .as_array()
        .unwrap()
        .iter()
        .map(|bill| (bill["account_id"].as_i64().unwrap(), bill["due_date"].as_str().unwrap()))
        .collect();
    assert_eq!(
        listed,
        [(house.card, "2026-04-05"), (other, "2026-04-15"), (house.card, "2026-05-05"), (other, "2026-05-15")]
    );
    assert_eq!(house.ana.get("/api/credit-bills/upcoming").ok().as_array().unwrap().len(), 24);
    for (account, count) in [(other, 12), (house.bank, 0), (999_999, 0)] {
        let of = house.ana.get(&format!("/api/credit-bills/upcoming?account_id={account}")).ok();
        assert_eq!(of.as_array().unwrap().len(), count);
    }
    // The first read of a new period creates its bill, as listing bills does.
    app.clock.set_today(date!(2026 - 05 - 26));
    assert_eq!(house.ana.get("/api/credit-bills/upcoming?months=1").ok()[0]["period_start"], "2026-05-05");
    let due: Vec<Value> = house.ana.all("/api/credit-bills").iter().map(|bill| bill["period_start"].clone()).collect();
    assert!(due.contains(&json!("2026-05-25")), "{due:?}");
}

#[test]
fn what_is_paid_on_a_later_bill_is_taken_off_it_in_both_lists() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 03 - 10));
    let ana = app.user("ana");
    let bank = ana.open_account("Banco", "current");
    let card = ana.open_card("Visa", 25, 5);
    let bought = json!({ "type": "expense", "account_id": card, "date": "2026-03-01", "description": "Loja", "amount": "400.00" });
    ana.create("/api/transactions", bought);
    let held = finance_tests::ofx(&[("20260405", "-122.00", "H1", "LOJA")]);
    ana.import_card(card, "2026-05-05", &held).expect(202);
    let paid = json!({ "from_account_id": bank, "to_account_id": card, "amount": "100.00", "date": "2026-05-01" });
    ana.post("/api/transfers", paid).created();
    let upcoming = ana.get("/api/credit-bills/upcoming?months=2").ok();
    assert_eq!(
        (&upcoming[1]["due_date"], &upcoming[1]["paid_amount"], &upcoming[1]["total"]),
        (&json!("2026-05-05"), &json!("100.00"), &json!("22.00"))
    );
    let events = ana.get("/api/forecast").ok()["events"].clone();
    let of_may: Vec<&Value> = events
        .as_array()
        .unwrap()
        .iter()
        .filter(|event| event["date"] == "2026-05-05")
        .map(|event| &event["amount"])
        .collect();
    assert_eq!(of_may, ["-22.00"]);
}

#[test]
fn payments_of_coming_bills_are_taken_off_these_once() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 03 - 10));
    let ana = app.user("ana");
    let bank = ana.open_account("Banco", "current");
    let income = json!({ "type": "income", "account_id": bank, "date": "2026-03-01", "description": "Saldo", "amount": "5000.00" });
    ana.create("/api/transactions", income);
    let card = ana.open_card("Visa", 25, 5);
    let pay = |date: &str, amount: &str| {
        let paid = json!({ "from_account_id": bank, "to_account_id": card, "date": date, "amount": amount });
        ana.create("/api/transfers", paid);
    };
    let buy = |date: &str, amount: &str| {
        let bought =
            json!({ "type": "expense", "account_id": card, "date": date, "description": "Loja", "amount": amount });
        ana.create("/api/transactions", bought);
    };
    buy("2026-02-20", "50.00");
    buy("2026-03-28", "100.00");
    pay("2026-04-03", "30.00");
    pay("2026-05-05", "60.00");
    let ahead = || -> Vec<[String; 2]> {
        let upcoming = ana.get("/api/credit-bills/upcoming?months=3").ok();
        let figures = |bill: &Value| ["paid_amount", "total"].map(|name| bill[name].as_str().unwrap().to_string());
        upcoming.as_array().unwrap().iter().map(figures).collect()
    };
    let closing = || figures(&ana.get("/api/forecast?months=4&baseline=none").ok(), "closing");
    // What is left of the closed bill is due today; the payment of 3 April that is more than the open bill is credit of the next one.
    assert_eq!(ahead(), [["30.00", "-30.00"], ["60.00", "10.00"], ["0.00", "0.00"]]);
    assert_eq!(closing(), ["4950.00", "4920.00", "4850.00", "4850.00"]);
    // Rows that come later, also on a bill between them, and a payment before its bill closes.
    buy("2026-04-30", "20.00");
    buy("2026-05-30", "7.00");
    pay("2026-05-20", "25.00");
    pay("2026-08-05", "7.00");
    assert_eq!(closing()[3], "4830.00");
    buy("2026-04-10", "5.00");
    assert_eq!(closing()[3], "4825.00");
}

#[test]
fn closed_bills_are_paid_when_they_are_due_and_what_was_paid_is_not_paid_again() {
    let app = TestApp::start();
    let house = household(&app, "2000.00");
    house.buys("2026-02-20", "Antes", "250.00");
    let card_bills = |what: &str| {
        let forecast = house.forecast("?months=3");
        // The dashboard foresees the same, even if no listing has created the bill yet.
        let bills: Vec<(String, String)> = forecast["events"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|event| event["kind"] == "credit_bill")
            .map(|event| (event["date"].as_str().unwrap().to_string(), event["amount"].as_str().unwrap().to_string()))
            .collect();
        println!("{what}: {bills:?}");
        bills
    };
    let seen = house.ana.get("/api/dashboard").ok()["forecast"]["closing"].clone();
    assert_eq!(seen, "-50.00", "the dashboard creates no bill, and tells of it all the same");
    let check = |bills: &[(String, String)], expected: &[(&str, &str)]| {
        let bills: Vec<(&str, &str)> = bills.iter().map(|(date, amount)| (date.as_str(), amount.as_str())).collect();
        assert_eq!(bills, expected);
    };
    check(&card_bills("overdue"), &[("2026-03-10", "-250.00"), ("2026-04-05", "-440.00"), ("2026-05-05", "-140.00")]);
    let bills = house.ana.all(&format!("/api/credit-bills?account_id={}", house.card));
    let pay = |bill: &Value, body: Value| house.ana.post(&format!("/api/credit-bills/{}/pay", bill["id"]), body).ok();
    pay(&bills[1], json!({ "account_id": house.bank, "date": "2026-03-12" }));
    let forecast = house.forecast("?months=3");
    assert_eq!(forecast["events"][0]["kind"], "posted", "the payment is dated later");
    assert_eq!((&forecast["events"][0]["amount"], &forecast["opening"]), (&json!("-250.00"), &json!("2000.00")));
    check(&card_bills("paid later"), &[("2026-04-05", "-440.00"), ("2026-05-05", "-140.00")]);
    pay(&bills[0], json!({}));
    check(&card_bills("the open one is paid early"), &[("2026-04-05", "-40.00"), ("2026-05-05", "-140.00")]);
    app.clock.set_today(date!(2026 - 03 - 20));
    house.ana.get("/api/accounts").ok();
    check(&card_bills("the item is late"), &[("2026-04-05", "-40.00"), ("2026-05-05", "-140.00")]);
    app.clock.set_today(date!(2026 - 03 - 26));
    check(&card_bills("its bill has closed"), &[("2026-05-05", "-180.00")]);
}

#[test]
fn held_statements_are_paid_on_their_payment_date() {
    let app = TestApp::start();
    let house = household(&app, "2000.00");
    let row = json!({ "date": "2026-02-15", "description": "Livro", "amount": "50", "type": "expense" });
    let held = json!({ "account_id": house.card, "is_credit_card": true, "payment_date": "2026-03-20", "format": "csv", "rows": [row] });
    let held = house.ana.post("/api/import/confirm", held).expect(202);
    let forecast = house.forecast("?months=1");
    assert_eq!(
        forecast["events"][1],
        json!({ "date": "2026-03-20", "kind": "pending_bill", "description": "Fatura Nubank", "amount": "-50.00",
            "account_id": house.card, "source_id": held["pending_bill"]["id"] })
    );
    assert_eq!(
        (figures(&forecast, "card_bills"), figures(&forecast, "closing")),
        (vec!["50.00".into()], vec!["150.00".into()])
    );
    app.clock.set_today(date!(2026 - 03 - 24));
    assert_eq!(house.forecast("?months=1")["events"][0]["date"], "2026-03-24", "it is still held");
}

#[test]
fn recurring_items_are_foreseen_by_what_was_said_of_them() {
    let app = TestApp::start();
    let house = household(&app, "2000.00");
    let of_items = |query: &str| -> Vec<(String, i64)> {
        house.forecast(query)["events"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|event| event["kind"] == "recurring")
            .map(|event| (event["date"].as_str().unwrap().to_string(), event["source_id"].as_i64().unwrap()))
            .collect()
    };
    let dated = |date: &str, id: i64| (date.to_string(), id);
    app.clock.set_today(date!(2026 - 03 - 20));
    assert_eq!(of_items("?months=1"), [dated("2026-03-20", house.rent)], "past its day it is expected today");
    house.ana.post_nothing(&format!("/api/recurring/{}/late", house.rent)).ok();
    assert_eq!(of_items("?months=1"), [dated("2026-03-20", house.rent)]);
    house.ana.post_nothing(&format!("/api/recurring/{}/ignore", house.rent)).ok();
    assert_eq!(of_items("?months=1"), []);
    house.ana.post_nothing(&format!("/api/recurring/{}/ignore?month=2026-04", house.rent)).ok();
    house
        .ana
        .post(&format!("/api/recurring/{}/confirm?month=2026-05", house.salary), json!({ "date": "2026-05-06" }))
        .created();
    let expected = [dated("2026-04-05", house.salary), dated("2026-05-15", house.rent)];
    assert_eq!(of_items("?months=3"), expected, "a month that is confirmed or ignored ahead brings nothing more");
    let card = |months: usize| {
        house.ana.get(&format!("/api/credit-bills/upcoming?account_id={}&months={months}", house.card)).ok()
    };
    house.ana.post_nothing(&format!("/api/recurring/{}/ignore?month=2026-04", house.streaming)).ok();
    assert_eq!((&card(3)[1]["recurring"], &card(3)[2]["recurring"]), (&json!("0.00"), &json!("40.00")));

    // A day past a month's end means its last day, an income on a card is on no bill, and an item of an investment account
    // is not spent.
    let invested = house.ana.open_account("CDB", "investment");
    let item = |kind: &str, account: Option<i64>| {
        let body = json!({ "type": kind, "description": "Algo", "amount": "1.00", "day": 31, "category_id": house.category, "account_id": account });
        house.ana.create("/api/recurring", body)
    };
    let (none, on_card, _) = (item("expense", None), item("income", Some(house.card)), item("expense", Some(invested)));
    let seen = of_items("?months=2");
    assert!(seen.contains(&dated("2026-03-31", none)) && seen.contains(&dated("2026-04-30", none)), "{seen:?}");
    assert!(seen.iter().all(|(_, id)| *id != on_card), "{seen:?}");
    assert_eq!(seen.len(), 3, "{seen:?}");
}

#[test]
fn what_moves_between_own_accounts_is_neither_income_nor_expense() {
    let app = TestApp::start();
    let house = household(&app, "2000.00");
    let (savings, invested) =
        (house.ana.open_account("Poupança", "savings"), house.ana.open_account("CDB", "investment"));
    let transfer = |from: i64, to: i64, amount: &str, date: &str| {
        let body = json!({ "from_account_id": from, "to_account_id": to, "amount": amount, "date": date });
        house.ana.post("/api/transfers", body).created()
    };
    transfer(house.bank, savings, "100.00", "2026-03-12");
    let moved = house.forecast("?months=1");
    assert_eq!((figures(&moved, "income"), figures(&moved, "expenses")), (vec!["0.00".into()], vec!["1800.00".into()]));
    assert_eq!(
        (moved["events"].as_array().unwrap().len(), &moved["free_to_spend"]),
        (3, &json!("100.00")),
        "savings are not spendable"
    );
    transfer(house.bank, invested, "100.00", "2026-03-12");
    transfer(invested, house.bank, "30.00", "2026-03-16");
    let left = house.forecast("?months=1");
    assert_eq!((figures(&left, "closing"), &left["free_to_spend"]), (vec!["130.00".into()], &json!("0.00")));
    transfer(house.bank, savings, "300.00", "2026-03-09");
    assert_eq!(house.forecast("?months=1")["opening"], "2000.00", "both count");
}

#[test]
fn rows_of_the_days_ahead_that_come_to_nothing_are_foreseen() {
    let app = TestApp::start();
    let house = household(&app, "5000.00");
    let posted = || -> Vec<Value> {
        let events = house.forecast("")["events"].as_array().unwrap().clone();
        events.into_iter().filter(|event| event["kind"] == "posted").collect()
    };
    assert_eq!(posted(), Vec::<Value>::new());
    for kind in ["income", "expense"] {
        house.moves(kind, "2026-03-20", "70.00", None);
    }
    let amounts: Vec<i128> = posted().iter().map(|event| cents(&event["amount"])).collect();
    assert_eq!(amounts, [7_000, -7_000]);
}

#[test]
fn a_baseline_is_the_median_of_what_is_ordinary() {
    let app = TestApp::start();
    let house = household(&app, "2000.00");
    let tax = house.ana.create("/api/categories", json!({ "name": "IPTU", "is_tax": true }));
    let food = house.ana.create("/api/categories", json!({ "name": "Feira" }));
    let bank = |date: &str, amount: &str, category: Option<i64>| house.moves("expense", date, amount, category);
    for (date, amount) in
        [("2025-12-10", "900.00"), ("2026-01-10", "310.00"), ("2026-02-10", "100.00"), ("2025-11-10", "5000.00")]
    {
        bank(date, amount, Some(food));
    }
    // None of these is ordinary spending: a tax, an instalment, a transaction that covers an item, a transfer.
    bank("2026-01-11", "777.00", Some(tax));
    house.buys("2026-01-12", "Sofá 1/2", "555.00");
    bank("2026-01-15", "1800.00", Some(house.category));
    house.ana.post("/api/transfers", json!({ "from_account_id": house.bank, "to_account_id": house.ana.open_account("CDB", "investment"), "amount": "400.00", "date": "2026-01-20" })).created();
    let forecast = house.forecast("?months=2&baseline=median3");
    assert_eq!(figures(&forecast, "estimated"), ["10.00", "310.00"], "300.00 of this month's 310.00 are spent");
    bank("2026-03-01", "4.00", None);
    assert_eq!(figures(&house.forecast("?months=2&baseline=median3"), "estimated"), ["6.00", "310.00"]);
    bank("2026-03-01", "40.00", None);
    let spent = house.forecast("?months=2&baseline=median3");
    assert_eq!(figures(&spent, "estimated"), ["0.00", "310.00"]);
    assert_eq!(figures(&house.forecast("?months=2"), "estimated"), ["0.00", "0.00"]);
    let events = |forecast: &Value| forecast["events"].clone();
    assert_eq!(events(&spent), events(&house.forecast("?months=2")), "it is never an event");
}

#[test]
fn a_baseline_leaves_out_an_item_on_a_card_that_was_bought_months_before_it_was_paid() {
    let app = TestApp::start();
    let house = household(&app, "2000.00");
    for (date, amount) in [("2025-12-10", "100.00"), ("2026-01-10", "300.00"), ("2026-02-10", "350.00")] {
        house.moves("expense", date, amount, None);
    }
    let school = house.ana.create("/api/categories", json!({ "name": "Escola" }));
    let item = json!({ "type": "expense", "description": "Escola", "amount": "450.00", "day": 28, "category_id": school,
        "account_id": house.card });
    house.ana.create("/api/recurring", item);
    // Bought in October, on the bill that closed in November and was paid in December.
    let row = json!({ "date": "2025-10-28", "description": "Escola", "amount": "450.00", "type": "expense", "category_id": school });
    let bill = json!({ "account_id": house.card, "is_credit_card": true, "payment_date": "2025-12-05", "rows": [row] });
    house.ana.post("/api/import/confirm", bill).created();
    // The median of 100.00, 300.00 and 350.00; the 300.00 of this month are spent.
    let forecast = house.forecast("?months=2&baseline=median3");
    assert_eq!(figures(&forecast, "estimated"), ["0.00", "300.00"]);
}

#[test]
fn what_cannot_be_asked_for_is_told() {
    let app = TestApp::start();
    let house = household(&app, "2000.00");
    for months in ["0", "25", "-1", "1.5", "x", "", "99999999999999999999"] {
        house.ana.get(&format!("/api/forecast?months={months}")).invalid(&["months"]);
        house.ana.get(&format!("/api/credit-bills/upcoming?months={months}")).invalid(&["months"]);
    }
    house.ana.get("/api/forecast?months=0&baseline=mean").invalid(&["months", "baseline"]);
    house.ana.get("/api/credit-bills/upcoming?account_id=x").invalid(&["account_id"]);
}

#[test]
fn an_empty_profile_has_twelve_months_of_nothing() {
    let app = TestApp::start();
    let forecast = app.user("ana").get("/api/forecast").ok();
    adds_up(&forecast);
    assert_eq!((&forecast["opening"], &forecast["free_to_spend"]), (&json!("0.00"), &json!("0.00")));
    assert_eq!((forecast["months"].as_array().unwrap().len(), forecast["events"].as_array().unwrap().len()), (12, 0));
}

#[test]
fn more_events_than_an_answer_holds_count_all_the_same() {
    let app = TestApp::start();
    let house = household(&app, "2000.00");
    let row = |at: i64| {
        let date = date!(2026 - 03 - 11) + Duration::days(at % 600);
        json!({ "date": date.to_string(), "description": format!("Linha {at}"), "amount": "0.01", "type": "expense" })
    };
    let rows: Vec<Value> = (0..2_500).map(row).collect();
    let body = json!({ "account_id": house.bank, "format": "csv", "rows": rows });
    assert_eq!(house.ana.post("/api/import/confirm", body).created()["inserted"], 2_500);
    let forecast = house.ana.get("/api/forecast?months=24").ok();
    assert_eq!(forecast["events"].as_array().unwrap().len(), 2_000);
    assert_eq!(forecast["opening"], "2000.00");
    let without = household(&TestApp::start(), "2000.00").forecast("?months=24");
    let last = |forecast: &Value| cents(&forecast["months"][23]["closing"]);
    assert_eq!(last(&forecast), last(&without) - 2_500);
}

/// Six months of a household: two purchases by instalments, a card, a salary and bills. Each month's forecast is compared
/// with what then happens.
#[test]
fn six_months_of_a_household_go_as_they_were_foreseen() {
    let app = TestApp::start();
    let house = household(&app, "2000.00");
    let plan = |text: &str, date: &str, count: u8, total: &str| {
        let body = json!({ "account_id": house.card, "description": text, "date": date, "count": count, "total_amount": total });
        house.ana.post("/api/installments", body).created();
    };
    plan("Geladeira", "2026-03-10", 4, "1000.00");
    plan("Curso", "2026-03-20", 3, "200.00");
    let day = |month: i32, day: u8| "2026-03".parse::<finance_domain::Month>().unwrap().plus(month).day_clamped(day);
    let mut foreseen: Vec<Vec<String>> = Vec::new();
    for month in 0..6 {
        let today: Date = if month == 0 { day(0, 10) } else { day(month, 1) };
        app.clock.set_today(today);
        house.ana.get("/api/accounts").ok();
        let forecast = house.forecast("?months=6");
        for (earlier, closings) in foreseen.iter().enumerate() {
            let before = &closings[month as usize - earlier - 1];
            assert_eq!(
                &forecast["opening"],
                before,
                "month {month}, as foreseen {} months before",
                month as usize - earlier
            );
        }
        foreseen.push(figures(&forecast, "closing"));
        // Now the month happens: the card's rows, then what is paid and received.
        if month > 0 {
            house.moves("income", &day(month, 5).to_string(), "5000.00", Some(house.category));
            let bills = house.ana.all(&format!("/api/credit-bills?account_id={}&status=unpaid", house.card));
            app.clock.set_today(day(month, 5));
            for bill in bills.iter().filter(|bill| bill["due_date"] == day(month, 5).to_string()) {
                let body = json!({ "account_id": house.bank });
                house.ana.post(&format!("/api/credit-bills/{}/pay", bill["id"]), body).ok();
            }
            if month < 4 {
                house.buys(&day(month, 3).to_string(), &format!("Loja - Parcela {}/6", month + 3), "100.00");
            }
        }
        app.clock.set_today(day(month, 28));
        let streamed = json!({ "type": "expense", "account_id": house.card, "date": day(month, 12).to_string(), "description": "Streaming",
            "amount": "40.00", "category_id": house.category });
        house.ana.create("/api/transactions", streamed);
        house.moves("expense", &day(month, 15).to_string(), "1800.00", Some(house.category));
    }
    assert_eq!(foreseen[0].len(), 6);
}

#[test]
fn two_profiles_share_no_figure() {
    let app = TestApp::start();
    let house = household(&app, "2000.00");
    let before = (house.forecast(""), house.ana.get("/api/credit-bills/upcoming").ok());
    let bia = app.user("bia");
    let (bank, card) = (bia.open_account("Banco", "current"), bia.open_card("Cartão", 25, 5));
    for (account, date) in [(bank, "2026-04-01"), (card, "2026-03-01")] {
        let row = json!({ "type": "expense", "account_id": account, "date": date, "description": "Loja 1/9", "amount": "10.00" });
        bia.create("/api/transactions", row);
    }
    assert_eq!((house.forecast(""), house.ana.get("/api/credit-bills/upcoming").ok()), before);
    assert_eq!(bia.get("/api/forecast").ok()["months"][1]["closing"], "-20.00");
}
