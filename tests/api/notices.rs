//! `/api/notices`: what is told in time, once, to each member.

use finance_domain::credentials::Role;
use finance_tests::{Client, TestApp, ofx};
use serde_json::{Value, json};
use time::macros::date;

use crate::planned_household::{row, standard};

mod channels;
mod delivery;
mod devices;
mod email;

pub(crate) use devices::subscription;

/// The household of the acceptance, on 2026-03-10.
struct Told {
    client: Client,
    account: i64,
    card: i64,
    market: i64,
    salary: i64,
}

fn id(value: &Value) -> i64 {
    value["id"].as_i64().expect("an id")
}

fn spend(client: &Client, account: i64, date: &str, description: &str, amount: &str, category: Option<i64>) -> i64 {
    let body = json!({ "type": "expense", "account_id": account, "date": date, "description": description, "amount": amount,
        "category_id": category });
    id(&client.post("/api/transactions", body).created())
}

impl Told {
    fn new(app: &TestApp) -> Self {
        app.clock.set_today(date!(2026 - 03 - 10));
        let client = app.user("ana");
        let account =
            json!({ "name": "Conta", "kind": "current", "opening_balance": "1664.50", "opening_date": "2026-01-01" });
        let account = id(&client.post("/api/accounts", account).created());
        let card = json!({ "name": "Nubank", "kind": "credit", "closing_day": 3, "due_day": 13 });
        let card = id(&client.post("/api/accounts", card).created());
        let market = standard(&client, "Mercado");
        let stored = client.get(&format!("/api/categories/{market}")).ok();
        let mut budgeted = stored.clone();
        budgeted["monthly_budget"] = json!("500.00");
        client.put(&format!("/api/categories/{market}"), budgeted).ok();
        let imported = ofx(&[("20260225", "-20.00", "T1", "TAXA")]);
        client.import(Some(account), &imported).created();
        for (date, description, amount, category) in [
            ("2026-03-02", "FEIRA A", "250.00", Some(market)),
            ("2026-03-06", "FEIRA B", "160.00", Some(market)),
            ("2026-03-08", "POSTO C", "54.90", None),
            ("2026-03-09", "POSTO C", "54.90", None),
            ("2026-01-12", "NETFLIX.COM", "39.90", None),
            ("2026-02-12", "NETFLIX.COM", "39.90", None),
            ("2026-03-09", "NETFLIX.COM", "44.90", None),
        ] {
            spend(&client, account, date, description, amount, category);
        }
        spend(&client, card, "2026-02-20", "LOJA D", "300.00", None);
        let item = |kind: &str, description: &str, amount: &str, day: u8, category: i64| {
            let body = json!({ "type": kind, "description": description, "amount": amount, "day": day, "category_id": category });
            id(&client.post("/api/recurring", body).created())
        };
        let salary = item("income", "Salário", "5000.00", 5, standard(&client, "Salário"));
        item("expense", "Aluguel", "5800.00", 15, standard(&client, "Moradia"));
        Told { client, account, card, market, salary }
    }

    fn notices(&self) -> Vec<Value> {
        list(&self.client)
    }
}

fn list(client: &Client) -> Vec<Value> {
    client.get("/api/notices").ok().as_array().unwrap().clone()
}

/// The notices of a kind, newest first.
fn of_kind(notices: &[Value], kind: &str) -> Vec<Value> {
    notices.iter().filter(|notice| notice["kind"] == kind).cloned().collect()
}

fn only(notices: &[Value], kind: &str) -> Value {
    let found = of_kind(notices, kind);
    assert_eq!(found.len(), 1, "{kind}: {notices:#?}");
    found[0].clone()
}

fn open(notices: &[Value]) -> Vec<String> {
    let open = notices.iter().filter(|notice| notice["settled_at"].is_null());
    let mut kinds: Vec<String> = open.map(|notice| notice["kind"].as_str().unwrap().to_string()).collect();
    kinds.sort();
    kinds
}

#[test]
fn a_household_is_told_eight_things() {
    let app = TestApp::start();
    let house = Told::new(&app);
    let notices = house.notices();
    assert_eq!(
        open(&notices),
        [
            "balance",
            "bill_closed",
            "bill_due",
            "budget",
            "price_changed",
            "recurring_late",
            "repeated_charge",
            "statement_missing"
        ]
    );
    assert_eq!(notices.len(), 8);
    let bill = house.client.get(&format!("/api/credit-bills?account_id={}", house.card)).ok();
    let closed = row(&bill, "due_date", "2026-03-13")["id"].clone();
    let due = only(&notices, "bill_due");
    assert_eq!(
        due["params"],
        json!({ "account_id": house.card, "credit_bill_id": closed, "name": "Nubank", "date": "2026-03-13", "amount": "300.00",
            "days": 3 })
    );
    assert_eq!((&due["title"], &due["url"]), (&json!("Fatura Nubank vence em 3 dias"), &json!("/cards")));
    assert_eq!(
        (&due["read_at"], &due["snoozed_until"], &due["settled_at"]),
        (&Value::Null, &Value::Null, &Value::Null)
    );
    let params = |kind: &str| only(&notices, kind)["params"].clone();
    assert_eq!(
        (&params("bill_closed")["date"], &params("bill_closed")["amount"]),
        (&json!("2026-03-03"), &json!("300.00"))
    );
    assert_eq!(
        params("recurring_late"),
        json!({ "recurring_id": house.salary, "name": "Salário", "date": "2026-03-05", "amount": "5000.00" })
    );
    assert_eq!(
        params("budget"),
        json!({ "category_id": house.market, "name": "Mercado", "month": "2026-03", "amount": "410.00", "percent": 80 })
    );
    assert_eq!(only(&notices, "budget")["title"], "Mercado passou de 80% do orçamento");
    assert_eq!(params("balance"), json!({ "date": "2026-03-15", "amount": "-100.00", "days": 5 }));
    assert_eq!(
        params("statement_missing"),
        json!({ "account_id": house.account, "name": "Conta", "date": "2026-02-25" })
    );
    let price = params("price_changed");
    assert_eq!((&price["before"], &price["amount"]), (&json!("39.90"), &json!("44.90")));
    assert_eq!(price["transaction_ids"].as_array().unwrap().len(), 1);
    let repeated = params("repeated_charge");
    assert_eq!((&repeated["amount"], repeated["transaction_ids"].as_array().unwrap().len()), (&json!("54.90"), 2));
    for kind in ["recurring_late", "balance", "statement_missing"] {
        let title = only(&notices, kind)["title"].as_str().unwrap().to_string();
        let date = params(kind)["date"].as_str().unwrap().to_string();
        assert!(title.contains(&format!("{}/{}", &date[8..], &date[5..7])), "{title}");
    }
    assert_eq!(house.notices(), notices, "each once");
}

#[test]
fn what_is_nearer_or_done_settles_what_was_told() {
    let app = TestApp::start();
    let house = Told::new(&app);
    assert_eq!(house.notices().len(), 8);
    spend(&house.client, house.account, "2026-03-10", "FEIRA C", "90.00", Some(house.market));
    let budgets = of_kind(&house.notices(), "budget");
    let state = |at: usize| (budgets[at]["params"]["percent"].clone(), budgets[at]["settled_at"].is_null());
    assert_eq!((state(0), state(1)), ((json!(100), true), (json!(80), false)));
    assert_eq!(budgets[0]["params"]["amount"], "500.00");
    app.clock.set_today(date!(2026 - 03 - 11));
    let due = only(&house.notices(), "bill_due");
    assert_eq!((&due["params"]["days"], &due["title"]), (&json!(2), &json!("Fatura Nubank vence em 2 dias")));
    app.clock.set_today(date!(2026 - 03 - 13));
    let due = of_kind(&house.notices(), "bill_due");
    assert_eq!((&due[0]["params"]["days"], &due[0]["title"]), (&json!(0), &json!("Fatura Nubank vence hoje")));
    assert_eq!((due.len(), due[0]["settled_at"].is_null(), due[1]["settled_at"].is_null()), (2, true, false));
    let bill = due[0]["params"]["credit_bill_id"].clone();
    house.client.post(&format!("/api/credit-bills/{bill}/pay"), json!({ "account_id": house.account })).ok();
    let paid = of_kind(&house.notices(), "bill_due");
    assert!(paid.len() == 2 && paid.iter().all(|notice| !notice["settled_at"].is_null()), "{paid:#?}");
    // Unpaid again, it is the same notice.
    house.client.post_nothing(&format!("/api/credit-bills/{bill}/unpay")).ok();
    let again = of_kind(&house.notices(), "bill_due");
    assert_eq!((again.len(), &again[0]["id"], &again[0]["settled_at"]), (2, &due[0]["id"], &Value::Null));
    app.clock.set_today(date!(2026 - 03 - 14));
    assert!(of_kind(&house.notices(), "bill_due").iter().all(|notice| !notice["settled_at"].is_null()), "it is past");
}

#[test]
fn a_row_that_was_entered_before_its_statement_is_a_row_of_the_statement() {
    let app = TestApp::start();
    let house = Told::new(&app);
    let missing = || of_kind(&house.notices(), "statement_missing")[0].clone();
    spend(&house.client, house.account, "2026-03-09", "PADARIA ANA", "12.00", None);
    assert_eq!((&missing()["params"]["date"], &missing()["settled_at"]), (&json!("2026-02-25"), &Value::Null));
    let imported = house.client.import(Some(house.account), &ofx(&[("20260309", "-12.00", "T2", "PADARIA ANA")]));
    assert_eq!(imported.created()["inserted"], 0);
    assert_ne!(missing()["settled_at"], Value::Null);
}

#[test]
fn a_held_statement_is_the_last_one_of_its_card() {
    let app = TestApp::start();
    let house = Told::new(&app);
    let of_card = || -> Vec<Value> {
        let missing = of_kind(&house.notices(), "statement_missing").into_iter();
        missing.filter(|notice| notice["params"]["account_id"] == house.card).collect()
    };
    let paid = ofx(&[("20260120", "-80.00", "C1", "LOJA E")]);
    house.client.import_card(house.card, "2026-02-13", &paid).created();
    let told = of_card();
    assert_eq!((told.len(), &told[0]["params"]["date"]), (1, &json!("2026-01-20")));
    let held = ofx(&[("20260308", "-90.00", "C2", "LOJA F")]);
    house.client.import_card(house.card, "2026-04-13", &held).expect(202);
    let told = of_card();
    assert_eq!(told.len(), 1);
    assert_ne!(told[0]["settled_at"], Value::Null);
}

#[test]
fn transfers_instalments_and_openings_are_no_expenses() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 03 - 10));
    let ana = app.user("ana");
    let [from, to, card] = [
        json!({ "name": "A", "kind": "current", "opening_balance": "1000.00" }),
        json!({ "name": "B", "kind": "savings" }),
        json!({ "name": "C", "kind": "credit", "closing_day": 20, "due_day": 27 }),
    ]
    .map(|body| id(&ana.post("/api/accounts", body).created()));
    for day in ["2026-03-08", "2026-03-09"] {
        let transfer = json!({ "from_account_id": from, "to_account_id": to, "amount": "10.00", "date": day,
            "description": "Reserva" });
        ana.post("/api/transfers", transfer).created();
        let plan =
            json!({ "account_id": card, "description": "Loja", "date": day, "count": 2, "total_amount": "200.00" });
        ana.post("/api/installments", plan).created();
        let gain =
            json!({ "type": "income", "account_id": from, "date": day, "description": "Venda", "amount": "5.00" });
        ana.post("/api/transactions", gain).created();
    }
    assert_eq!(list(&ana), [Value::Null; 0]);
    spend(&ana, from, "2026-03-07", "Posto", "30.00", None);
    spend(&ana, from, "2026-03-10", "POSTO 22", "30.00", None);
    assert_eq!(open(&list(&ana)), ["repeated_charge"]);
    // Without an account nothing is known to be of one account.
    let floating = json!({ "type": "expense", "date": "2026-03-09", "description": "Feira", "amount": "1.00" });
    ana.post("/api/transactions", floating.clone()).created();
    ana.post("/api/transactions", floating).created();
    assert_eq!(list(&ana).len(), 1);
}

#[test]
fn a_sum_larger_than_an_amount_is_told() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 03 - 10));
    let ana = app.user("ana");
    let market = ana.create("/api/categories", json!({ "name": "Feira", "monthly_budget": "100.00" }));
    let account = ana.open_account("Conta", "current");
    let row = |at: usize| json!({ "date": "2026-03-02", "description": format!("FEIRA {at}"), "amount": "9999999999.99", "type": "expense", "category_id": market });
    let rows: Vec<Value> = (0..1001).map(row).collect();
    ana.post("/api/import/confirm", json!({ "account_id": account, "format": "csv", "rows": rows })).created();
    let over = &of_kind(&list(&ana), "budget")[0];
    assert_eq!(over["params"]["amount"], "10009999999989.99", "{over}");
}

#[test]
fn dues_that_are_moved_to_one_day_are_told_of_once() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 03 - 10));
    let ana = app.user("ana");
    let item = json!({ "type": "expense", "description": "Estacionamento", "amount": "20.00", "weekend": "before",
        "every": { "n": 1, "unit": "day" }, "start_on": "2026-03-01", "category_id": standard(&ana, "Transporte") });
    ana.post("/api/recurring", item).created();
    let dates = |kind: &str| -> Vec<Value> {
        let mut dates: Vec<Value> =
            of_kind(&list(&ana), kind).iter().map(|notice| notice["params"]["date"].clone()).collect();
        dates.sort_by_key(Value::to_string);
        dates
    };
    // Friday, Saturday and Sunday are due on Friday.
    let late = dates("recurring_late");
    assert!(late.contains(&json!("2026-03-06")) && late.windows(2).all(|two| two[0] != two[1]), "{late:?}");
    assert_eq!(dates("recurring_due"), ["2026-03-10", "2026-03-11"]);
}

#[test]
fn thirty_days_reach_over_a_short_february() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 01 - 31));
    let ana = app.user("ana");
    let days = json!({ "kinds": { "recurring_due": { "days": [30] }, "balance": { "days": 30 } } });
    ana.put("/api/notices/preferences", days).ok();
    let bank = json!({ "name": "Conta", "kind": "current", "opening_balance": "100.00", "opening_date": "2026-01-01" });
    ana.create("/api/accounts", bank);
    let item = json!({ "type": "expense", "description": "Aluguel", "amount": "800.00", "day": 1, "start_on": "2026-03-01",
        "category_id": standard(&ana, "Moradia") });
    ana.post("/api/recurring", item).created();
    assert_eq!(open(&list(&ana)), ["balance", "recurring_due"]);
    assert_eq!(only(&list(&ana), "balance")["params"]["date"], "2026-03-01");
}

#[test]
fn a_notice_is_read_put_off_and_listed_by_pages() {
    let app = TestApp::start();
    let house = Told::new(&app);
    let ana = &house.client;
    let notices = house.notices();
    let ids: Vec<i64> = notices.iter().map(id).collect();
    assert!(ids.is_sorted_by(|one, next| one > next), "newest first: {ids:?}");
    assert_eq!(ana.post("/api/notices/read", json!({ "ids": [ids[0], ids[0], ids[1]] })).ok(), json!({ "read": 2 }));
    assert_eq!(ana.post("/api/notices/read", json!({ "ids": [ids[0]] })).ok(), json!({ "read": 0 }));
    assert_eq!(ana.get("/api/notices?unread=true").ok().as_array().unwrap().len(), 6);
    assert_eq!(ana.get("/api/notices?unread=false").ok().as_array().unwrap().len(), 2);
    let first = ana.get("/api/notices?limit=3");
    let next = first.next().expect("another page").to_string();
    assert_eq!(first.ok(), json!(house.notices()[..3]));
    let second = ana.get(&next);
    assert_eq!(second.json().as_array().unwrap().iter().map(id).collect::<Vec<_>>(), ids[3..6]);
    assert_eq!(ana.post_nothing("/api/notices/read").ok(), json!({ "read": 6 }));
    assert_eq!(ana.get("/api/notices?unread=true").ok(), json!([]));
    ana.get("/api/notices?unread=x&limit=0&cursor=!").invalid(&["unread", "limit", "cursor"]);
    ana.post("/api/notices/read", json!({ "ids": "x" })).invalid(&["ids"]);
    ana.post("/api/notices/read", json!({ "ids": [ids[0], "x"] })).invalid(&["ids[1]"]);
    ana.post("/api/notices/read", json!({ "ids": vec![ids[0]; 1001] })).invalid(&["ids"]);
    ana.post("/api/notices/read", json!({ "ids": [ids[0], 9_000_000_000_i64] })).problem(404, "ErrNotFound");

    let snooze = |id: i64, body: Value| ana.post(&format!("/api/notices/{id}/snooze"), body);
    let put_off = snooze(ids[0], json!({ "until": "2026-03-11" })).ok();
    assert_eq!((&put_off["snoozed_until"], &put_off["id"]), (&json!("2026-03-11"), &json!(ids[0])));
    assert_eq!(house.notices()[0], put_off);
    assert_eq!(snooze(ids[0], json!({ "until": "2026-04-09" })).ok()["snoozed_until"], "2026-04-09");
    assert_eq!(snooze(ids[0], json!({ "until": null })).ok()["snoozed_until"], Value::Null);
    for wrong in [json!({}), json!({ "until": "2026-03-10" }), json!({ "until": "2026-04-10" }), json!({ "until": 3 })]
    {
        snooze(ids[0], wrong).invalid(&["until"]);
    }
    snooze(9_000_000_000, json!({ "until": "2026-03-11" })).problem(404, "ErrNotFound");
}

#[test]
fn each_member_is_told_by_itself() {
    let app = TestApp::start();
    let house = Told::new(&app);
    let viewer = app.member(&house.client, "bia", Role::Viewer);
    let (anas, bias) = (house.notices(), list(&viewer));
    assert_eq!((open(&anas), bias.len()), (open(&bias), 8));
    let of_ana = id(&anas[0]);
    viewer.post(&format!("/api/notices/{of_ana}/snooze"), json!({ "until": "2026-03-11" })).problem(404, "ErrNotFound");
    viewer.post("/api/notices/read", json!({ "ids": [of_ana] })).problem(404, "ErrNotFound");
    assert_eq!(viewer.post("/api/notices/read", json!({})).ok(), json!({ "read": 8 }), "every role for itself");
    assert_eq!(house.client.get("/api/notices?unread=true").ok().as_array().unwrap().len(), 8);
    viewer.put("/api/notices/preferences", json!({ "language": "en", "kinds": { "budget": { "channels": [] } } })).ok();
    assert_eq!(only(&list(&viewer), "bill_due")["title"], "Nubank bill is due in 3 days");
    assert_eq!(of_kind(&list(&viewer), "budget"), [Value::Null; 0]);
    assert_eq!(only(&house.notices(), "budget")["settled_at"], Value::Null);
    // What a member was told goes with the member, and is in no export.
    let member = viewer.get("/api/auth/me").ok()["member_id"].clone();
    let stored = || app.rows(&format!("select 1 from notices where member_id = {member}")).len();
    assert_eq!(stored(), 8);
    assert!(!house.client.get("/api/export").ok().to_string().contains("statement_missing"));
    house.client.delete(&format!("/api/members/{member}")).gone();
    assert_eq!(stored(), 0);
    assert_eq!(app.rows("select 1 from notice_preferences"), [Value::Null; 0]);
    assert_eq!(app.rows("select 1 from notice_kinds"), [Value::Null; 0]);
    assert_eq!(house.notices().len(), 8);
}

#[test]
fn a_member_says_what_it_is_told() {
    let app = TestApp::start();
    let house = Told::new(&app);
    let ana = &house.client;
    let put = |body: Value| ana.put("/api/notices/preferences", body);
    let default = ana.get("/api/notices/preferences").ok();
    let (both, page) = (json!(["page", "push"]), json!(["page"]));
    assert_eq!(
        default["kinds"],
        json!({ "bill_due": { "channels": both, "days": [3, 0] }, "bill_closed": { "channels": page },
            "recurring_due": { "channels": both, "days": [1, 0] }, "recurring_late": { "channels": both, "days": [3] },
            "budget": { "channels": page, "percents": [80, 100] }, "balance": { "channels": both, "days": [14] },
            "statement_missing": { "channels": page, "days": [10] }, "price_changed": { "channels": page },
            "repeated_charge": { "channels": both }, "digest": { "channels": [] } })
    );
    let of = |name: &str| default[name].clone();
    assert_eq!((of("hour"), of("quiet_from"), of("quiet_to")), (json!("09:00"), json!("21:00"), json!("08:00")));
    assert_eq!((of("amounts"), of("language")), (json!(false), json!("pt-BR")));
    assert_eq!(put(default.clone()).ok(), default, "a client may send back what it read");
    let changed = put(json!({ "hour": "07:30", "amounts": true,
        "kinds": { "bill_due": { "days": [5, 5, 1] }, "balance": { "days": 4, "channels": ["page", "page"] },
            "budget": { "percents": [90] } } }))
    .ok();
    assert_eq!((&changed["hour"], &changed["quiet_from"]), (&json!("07:30"), &json!("21:00")));
    assert_eq!(changed["kinds"]["bill_due"], json!({ "channels": both, "days": [5, 1] }));
    assert_eq!(changed["kinds"]["balance"], json!({ "channels": page, "days": [4] }));
    assert_eq!(changed["kinds"]["digest"], default["kinds"]["digest"], "a kind left out stays");
    assert_eq!(ana.get("/api/notices/preferences").ok(), changed);
    let notices = house.notices();
    assert!(of_kind(&notices, "budget").is_empty() && of_kind(&notices, "balance").is_empty(), "{notices:#?}");
    assert_eq!(only(&notices, "bill_due")["subject"].as_str().unwrap().split(':').next_back(), Some("5"));

    put(json!({ "kinds": { "moon": {} } })).invalid(&["kinds.moon"]);
    put(json!({ "kinds": { "moon": 7 } })).invalid(&["kinds.moon"]);
    put(json!({ "kinds": { "budget": { "channels": ["fax"] } } })).invalid(&["kinds.budget.channels[0]"]);
    put(json!({ "kinds": { "budget": { "channels": ["page", 7, null] } } }))
        .invalid(&["kinds.budget.channels[1]", "kinds.budget.channels[2]"]);
    put(json!({ "kinds": [] })).invalid(&["kinds"]);
    put(json!({ "kinds": { "budget": [] } })).invalid(&["kinds.budget"]);
    for (kind, field, wrong, at) in [
        ("bill_due", "days", json!([]), ""),
        ("bill_due", "days", json!([1, 2, 3, 4]), ""),
        ("bill_due", "days", json!([1, 31]), "[1]"),
        ("bill_due", "days", json!([-1]), "[0]"),
        ("bill_due", "days", json!(["x"]), "[0]"),
        ("bill_due", "days", json!("x"), ""),
        ("balance", "days", json!([1, 2]), ""),
        ("balance", "days", json!([99_999]), "[0]"),
        ("budget", "percents", json!([0]), "[0]"),
        ("budget", "percents", json!([200, 201]), "[1]"),
        ("budget", "percents", json!([null]), "[0]"),
    ] {
        put(json!({ "kinds": { kind: { field: wrong } } })).invalid(&[&format!("kinds.{kind}.{field}{at}")]);
    }
    for time in ["24:00", "9:00", "09:60", "", "noon"] {
        put(json!({ "hour": time, "quiet_from": time, "quiet_to": time })).invalid(&["hour", "quiet_from", "quiet_to"]);
    }
    put(json!({ "hour": 9, "amounts": "x", "language": "fr" })).invalid(&["hour", "amounts", "language"]);
    assert_eq!(ana.get("/api/notices/preferences").ok(), changed, "nothing was changed");
}

#[test]
fn a_digest_comes_on_mondays_to_those_who_want_it() {
    let app = TestApp::start();
    let house = Told::new(&app);
    house.client.put("/api/notices/preferences", json!({ "kinds": { "digest": { "channels": ["page"] } } })).ok();
    assert_eq!(of_kind(&house.notices(), "digest"), [Value::Null; 0]);
    app.clock.set_today(date!(2026 - 03 - 09));
    let digest = only(&house.notices(), "digest");
    assert_eq!(digest["subject"], "2026-W11");
    // The week from 2026-03-02: FEIRA A and B, POSTO C.
    assert_eq!(
        digest["params"],
        json!({ "date": "2026-03-09", "amount": "464.90", "rows": 3, "due": 2 }),
        "the bill, and the rent on the 15th"
    );
    app.clock.set_today(date!(2026 - 03 - 10));
    assert!(!only(&house.notices(), "digest")["settled_at"].is_null());
}

#[test]
fn old_notices_are_forgotten_but_not_told_again() {
    let app = TestApp::start();
    let house = Told::new(&app);
    house.notices();
    app.sql("update notices set created_at = now() - interval '91 days'");
    spend(&house.client, house.account, "2026-03-10", "FEIRA C", "90.00", Some(house.market));
    let notices = house.notices();
    assert_eq!(notices.iter().map(|notice| notice["kind"].clone()).collect::<Vec<_>>(), ["budget"]);
    assert_eq!(app.rows("select 1 from notices").len(), 8, "the settled one is gone, what is due stays known");
    app.sql(
        "insert into notices (profile_id, member_id, kind, subject, settled_at)
        select n.profile_id, n.member_id, 'digest', 'old' || of, now()
        from (select profile_id, member_id from notices limit 1) n, generate_series(1, 1200) of",
    );
    house.client.put("/api/notices/preferences", json!({ "kinds": { "digest": { "channels": ["page"] } } })).ok();
    let count = |path: &str| house.client.get(path).ok().as_array().unwrap().len();
    assert_eq!(count("/api/notices?limit=1000"), 1000);
    spend(&house.client, house.account, "2026-03-10", "Posto D", "1.00", Some(house.market));
    house.notices();
    assert!(app.rows("select 1 from notices").len() <= 1010);
}
