//! `/api/reports/flow` and `/api/reports/year`: where the money came from and went.

use finance_domain::credentials::Role;
use finance_tests::{Client, TestApp};
use serde_json::{Value, json};
use time::macros::date;

use crate::planned_household::{Planned, cents, change, money, row};

fn flow(client: &Client, query: &str) -> Value {
    client.get(&format!("/api/reports/flow?{query}")).ok()
}

fn net(sums: &Value) -> i64 {
    cents(&sums["total"]["net"])
}

#[test]
fn twelve_months_and_those_before_them() {
    let app = TestApp::start();
    let house = Planned::new(&app);
    let report = flow(&house.client, "to=2026-02-28&compare=previous");
    assert_eq!((&report["from"], &report["to"]), (&json!("2025-03-01"), &json!("2026-02-28")));
    assert_eq!(
        report["total"]["total"],
        json!({ "income": "50.25", "expenses": "10678.50", "refunds": "50.25", "net": "10628.25" })
    );
    assert_eq!(report["total"]["previous"]["net"], "1702.55");
    assert_eq!(report["intervals"][0], json!({ "from": "2025-03-01", "to": "2025-03-31" }));
    assert_eq!((report["intervals"].as_array().unwrap().len(), report["other"].clone()), (12, Value::Null));
    let keys: Vec<_> = report["rows"].as_array().unwrap().iter().map(|row| row["key"].clone()).collect();
    assert_eq!(json!(keys), json!([house.market, house.leisure, house.shopping, house.health]), "largest first");
    let market = row(&report["rows"], "key", house.market);
    assert_eq!(
        (&market["name"], &market["filter"]),
        (&json!("Mercado"), &json!(format!("kind=expense&category_id={}", house.market)))
    );
    assert_eq!(market["series"][11]["net"], "685.00");
    assert_eq!(row(&report["rows"], "key", house.health)["previous"]["net"], "400.00");
    let by_default = flow(&house.client, "");
    assert_eq!((&by_default["from"], &by_default["to"]), (&json!("2025-04-01"), &json!("2026-03-31")));
    assert_eq!(market["previous"]["net"], "875.00");

    let groups = flow(&house.client, "by=group&to=2026-02-28&limit=1");
    assert_eq!((&groups["rows"][0]["key"], &groups["rows"][0]["name"]), (&json!("Casa"), &json!("Casa")));
    assert_eq!(net(&groups["rows"][0]) + net(&groups["other"]), 1_062_825);
    let payees = flow(&house.client, "by=payee&from=2026-01-01&to=2026-02-28");
    let bakery = row(&payees["rows"], "key", "padaria ana");
    assert_eq!((&bakery["name"], net(bakery)), (&json!("PADARIA ANA"), 6_000));
    assert_eq!(row(&payees["rows"], "key", "mercado bom")["name"], "Mercado Bom 13", "its newest text");
    assert_eq!(net(row(&payees["rows"], "key", "moda sul")), 10_750 + 11_000 - 5_025);
    // By the day of the purchase, the last one of the card is in February.
    let bought = flow(&house.client, "date=purchase&from=2026-02-01&to=2026-02-28&interval=none");
    let shopping = row(&bought["rows"], "key", house.shopping);
    assert_eq!((net(shopping), &shopping["series"]), (11_250 - 5_025, &json!([])));
    let until = |day: &str| house.client.get(&format!("/api/transactions/summary?date=purchase&to={day}")).ok();
    let all = house.client.get("/api/transactions/summary").ok();
    assert_eq!((&until("2199-12-31"), &until("1900-01-01")["count"]), (&all, &json!(0)));
    let income = flow(&house.client, "kind=income&from=2026-02-01&to=2026-02-28");
    assert_eq!((income["rows"].as_array().unwrap().len(), net(&income["total"])), (1, 500_000));
    let both = flow(&house.client, "kind=both&from=2026-02-01&to=2026-02-28");
    assert_eq!(net(&both["total"]), 505_025 - 99_245);
    let quarters = flow(&house.client, "interval=quarter&from=2025-12-15&to=2026-02-28");
    assert_eq!(
        quarters["intervals"],
        json!([{ "from": "2025-12-15", "to": "2025-12-31" }, { "from": "2026-01-01", "to": "2026-02-28" }])
    );
}

#[test]
fn a_year_is_compared_with_the_same_days_before() {
    let app = TestApp::start();
    let house = Planned::new(&app);
    let year = house.client.get("/api/reports/year").ok();
    assert_eq!((&year["year"], &year["from"], &year["to"]), (&json!(2026), &json!("2026-01-01"), &json!("2026-03-10")));
    let market = row(&year["rises"], "category_id", house.market);
    assert_eq!(
        (&market["change"], &market["net"], &market["previous"]),
        (&json!("180.00"), &json!("1515.00"), &json!("1335.00"))
    );
    let health = row(&year["falls"], "category_id", house.health);
    assert_eq!((&health["name"], &health["change"]), (&json!("Saúde"), &json!("-400.00")));
    assert_eq!((&year["days"], &year["days_without_spending"]), (&json!(69), &json!(61)));
    assert_eq!(year["longest_streak"], json!({ "from": "2026-02-13", "to": "2026-02-24", "days": 12 }));
    let months: Vec<_> = year["months"].as_array().unwrap().iter().map(|month| month["month"].clone()).collect();
    assert_eq!(json!(months), json!(["2026-01", "2026-02", "2026-03"]));
    let dashboard = house.client.get("/api/dashboard?month=2026-02").ok();
    for field in ["income", "expenses", "refunds", "savings_pct"] {
        assert_eq!(year["months"][1][field], dashboard[field], "{field}");
    }
    let report = flow(&house.client, "kind=both&from=2026-01-01&to=2026-03-10&compare=year");
    assert_eq!((&year["total"], &year["previous"]), (&report["total"]["total"], &report["total"]["previous"]));
    assert_eq!(year["payees"][0], json!({ "key": "mercado bom", "name": "Mercado Bom 13", "net": "1235.00" }));
    let last = house.client.get("/api/reports/year?year=2025").ok();
    assert_eq!((last["months"].as_array().unwrap().len(), &last["days"]), (12, &json!(365)));
    // The same days, though the month of the year before was longer.
    app.clock.set_today(date!(2025 - 02 - 28));
    let bia = app.user("bianca");
    for day in ["2024-02-28", "2024-02-29"] {
        let body = json!({ "type": "expense", "date": day, "description": "x", "amount": "100.00" });
        bia.create("/api/transactions", body);
    }
    assert_eq!(bia.get("/api/reports/year").ok()["previous"]["expenses"], "100.00");
    app.clock.set_today(date!(2026 - 03 - 10));
    for year in ["2027", "1899", "x"] {
        house.client.get(&format!("/api/reports/year?year={year}")).invalid(&["year"]);
    }
    let nobody = app.user("bia").get("/api/reports/year").ok();
    assert_eq!((&nobody["days"], &nobody["longest_streak"]), (&json!(0), &Value::Null));
}

#[test]
fn a_report_is_a_table_too() {
    let app = TestApp::start();
    let ana = app.user("ana");
    for (date, description, cents) in
        [("2026-02-01", "=Quitanda", 1_000), ("2026-03-01", "Feira", 2_000), ("2025-12-31", "Feira", 300)]
    {
        let body = json!({ "type": "expense", "date": date, "description": description, "amount": money(cents) });
        ana.create("/api/transactions", body);
    }
    let table = |query: &str| {
        let reply = ana.get(&format!("/api/reports/flow?format=csv&{query}"));
        assert_eq!((reply.status, reply.header("Content-Type")), (200, Some("text/csv; charset=utf-8")));
        String::from_utf8(reply.bytes).unwrap()
    };
    assert_eq!(
        table("by=payee&from=2026-02-01&to=2026-03-31&compare=previous&limit=1"),
        "section,key,name,2026-02,2026-03,total,previous\r\n\
        row,feira,Feira,0.00,20.00,20.00,3.00\r\n\
        other,,,10.00,0.00,10.00,0.00\r\n\
        total,,,10.00,20.00,30.00,3.00\r\n"
    );
    assert_eq!(
        table("by=category&from=2026-01-01&to=2026-03-31&interval=quarter"),
        "section,key,name,2026-Q1,total,previous\r\nrow,,,30.00,30.00,\r\ntotal,,,30.00,30.00,\r\n"
    );
    assert!(
        table("by=payee&from=2026-02-01&to=2026-02-28&interval=year")
            .contains("row,quitanda,'=Quitanda,10.00,10.00,\r\n")
    );
    assert!(
        table("from=2025-12-01&to=2026-03-31&interval=year")
            .starts_with("section,key,name,2025,2026,total,previous\r\n")
    );
}

#[test]
fn the_payees_of_a_year_are_those_at_which_most_was_spent() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let shopping = ana.get("/api/categories").ok()[0]["id"].clone();
    let row = |kind: &str, payee: &str, amount: String| {
        ana.create(
            "/api/transactions",
            json!({ "type": kind, "date": "2026-02-03", "description": payee, "amount": amount, "category_id": shopping }),
        )
    };
    change(&ana, shopping.as_i64().unwrap(), json!({ "nets_refunds": true }));
    row("income", "Estorno", "900.00".into());
    for at in 0..11 {
        row("expense", &format!("Loja {}", char::from(b'A' + at)), format!("{}.00", 20 + at));
    }
    let payees = ana.get("/api/reports/year?year=2026").ok()["payees"].clone();
    let names: Vec<&str> = payees.as_array().unwrap().iter().map(|payee| payee["name"].as_str().unwrap()).collect();
    let expected: Vec<String> = (1..11).rev().map(|at| format!("Loja {}", char::from(b'A' + at))).collect();
    assert_eq!(names, expected);
}

#[test]
fn wrong_queries_are_named() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let refused = |query: &str, fields: &[&str]| ana.get(&format!("/api/reports/flow?{query}")).invalid(fields);
    refused(
        "by=x&interval=x&kind=x&date=x&compare=x&limit=0&format=pdf&account_id=x&category_id=x",
        &["by", "interval", "kind", "date", "compare", "limit", "format", "account_id", "category_id"],
    );
    refused("limit=201", &["limit"]);
    refused("from=2026-03-02&to=2026-03-01", &["to"]);
    refused("from=2016-03-31&to=2026-03-01", &["to"]);
    refused("from=2026-02-30", &["from"]);
    refused("by=tag&tag=x", &["tag"]);
    flow(&ana, "from=2016-04-01&to=2026-03-31");
    for list in ["/api/transactions", "/api/transactions/summary"] {
        ana.get(&format!("{list}?payee=feira")).invalid(&["payee"]);
        ana.get(&format!("{list}?payee=feira&from=2026-01-01")).invalid(&["payee"]);
        ana.get(&format!("{list}?payee=feira&month=2026-01")).ok();
        ana.get(&format!("{list}?kind=x&date=x&member_id=x")).invalid(&["kind", "date", "member_id"]);
    }
}

/// A household with everything that a report tells apart, drawn at random.
fn generated(app: &TestApp, seed: u64) -> Client {
    let ana = app.user("ana");
    let bia = app.member(&ana, "bia", Role::Editor);
    let mut seed = seed;
    let mut drawn = |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    };
    let categories: Vec<i64> = (0..5)
        .map(|at| {
            let id = ana.create("/api/categories", json!({ "name": format!("C{at}") }));
            let group =
                [json!("Casa"), json!("CASA"), json!("Vida & Cia"), Value::Null, json!("Vida & Cia")][at].clone();
            change(
                &ana,
                id,
                json!({ "group": group, "nets_refunds": at % 3 != 1, "monthly_budget": "100.00",
                "carry": (["none", "both", "surplus"][at % 3]), "is_tax": at == 4 }),
            );
            id
        })
        .collect();
    let bank = ana.create(
        "/api/accounts",
        json!({ "name": "Banco", "kind": "current", "opening_balance": "50", "opening_date": "2025-12-01" }),
    );
    let savings = ana.create("/api/accounts", json!({ "name": "Poupança", "kind": "savings" }));
    let card =
        ana.create("/api/accounts", json!({ "name": "Cartão", "kind": "credit", "closing_day": 20, "due_day": 27 }));
    let date = |day: u64| {
        format!("{}-{:02}", ["2025-11", "2025-12", "2026-01", "2026-02", "2026-03"][(day / 28) as usize], day % 28 + 1)
    };
    let shops =
        ["Feira", "FEIRA", "Padaria São João 3", "Uber *Trip", "Pix enviado", "PAG*CasaMaria", "Loja %_ 10% & mais"];
    for _ in 0..60 {
        let day = date(drawn(5 * 28));
        let category = categories.get(drawn(6) as usize).copied();
        let mut body = json!({ "type": (["expense", "expense", "income"][drawn(3) as usize]), "date": day,
            "description": shops[drawn(7) as usize], "amount": money(drawn(9_000) as i64 + 10),
            "category_id": category, "account_id": ([json!(bank), Value::Null][drawn(2) as usize].clone()),
            "tags": ([json!([]), json!(["Viagem"]), json!(["viagem", "Casa"]), json!(["Praia & Sol"])][drawn(4) as usize].clone()) });
        if drawn(4) == 0 {
            let amounts = [drawn(5_000) as i64 + 1, drawn(5_000) as i64 + 1];
            body["category_id"] = Value::Null;
            body["amount"] = json!(money(amounts[0] + amounts[1]));
            let line =
                |at: usize, of: u64| json!({ "category_id": categories[of as usize], "amount": money(amounts[at]) });
            body["lines"] = json!([line(0, drawn(5)), line(1, drawn(5))]);
        }
        [&ana, &bia][drawn(2) as usize].create("/api/transactions", body);
    }
    let rows: Vec<Value> = (0..8)
        .map(|at| {
            json!({ "date": date(28 + drawn(56)), "description": shops[drawn(7) as usize], "type": "expense",
            "amount": money(1_000 + at), "category_id": categories[drawn(5) as usize] })
        })
        .collect();
    let statement = json!({ "account_id": card, "is_credit_card": true, "format": "csv", "payment_date": "2026-02-27", "rows": rows });
    ana.post("/api/import/confirm", statement).created();
    let transfer = json!({ "from_account_id": bank, "to_account_id": savings, "amount": "77", "date": "2026-02-03" });
    ana.create("/api/transfers", transfer);
    ana
}

/// Adds the figures of rows.
fn added<'v>(figures: impl IntoIterator<Item = &'v Value>) -> [i64; 4] {
    let mut sums = [0; 4];
    for figure in figures {
        for (sum, field) in sums.iter_mut().zip(["income", "expenses", "refunds", "net"]) {
            *sum += cents(&figure[field]);
        }
    }
    sums
}

#[test]
fn a_months_report_is_its_dashboard_and_every_filter_opens_its_rows() {
    let app = TestApp::start();
    let ana = generated(&app, 1);
    for month in ["2025-12", "2026-01", "2026-02"] {
        let days = format!("from={month}-01&to={month}-{}", if month == "2026-02" { 28 } else { 31 });
        let dashboard = ana.get(&format!("/api/dashboard?month={month}")).ok();
        let both = flow(&ana, &format!("kind=both&{days}"));
        for field in ["income", "expenses", "refunds"] {
            assert_eq!(both["total"]["total"][field], dashboard[field], "{month} {field}");
        }
        let spending = flow(&ana, &days);
        for spent in dashboard["spending_by_category"].as_array().unwrap() {
            let of_report = &row(&spending["rows"], "key", spent["category_id"].clone())["total"];
            assert_eq!((&of_report["expenses"], &of_report["net"]), (&spent["total"], &spent["spent"]), "{month}");
        }
        let budgets = ana.get(&format!("/api/budgets/{month}")).ok();
        assert_eq!(budgets["total"]["spent"], spending["total"]["total"]["net"]);
        for spent in dashboard["spending_by_category"].as_array().unwrap() {
            let line = row(&budgets["categories"], "category_id", spent["category_id"].clone());
            for field in ["spent", "refunds", "budget", "available"] {
                assert_eq!(line[field], spent[field], "{month} {field}");
            }
        }
    }
    let periods = ["from=2025-12-01&to=2026-02-28", "from=2025-12-11&to=2026-02-16"];
    for by in ["category", "group", "payee", "tag", "account", "member"] {
        for kind in ["expense", "income", "both"] {
            for (date, more) in [("effective", ""), ("purchase", ""), ("effective", "&q=feira")] {
                let period = periods[usize::from(kind == "both" || date == "purchase")];
                let query = format!("by={by}&kind={kind}&date={date}{more}&{period}&compare=previous&limit=3");
                let report = flow(&ana, &query);
                let rows = report["rows"].as_array().unwrap();
                let listed = rows.iter().chain(report["other"].as_object().map(|_| &report["other"]));
                let all = added(listed.map(|row| &row["total"]));
                if by != "tag" {
                    assert_eq!(all, added([&report["total"]["total"]]), "{query}");
                    let before = rows.iter().chain(report["other"].as_object().map(|_| &report["other"]));
                    assert_eq!(
                        added(before.map(|row| &row["previous"])),
                        added([&report["total"]["previous"]]),
                        "{query}"
                    );
                }
                for row in rows.iter().chain([&report["total"]]) {
                    assert_eq!(added(row["series"].as_array().unwrap()), added([&row["total"]]), "{query}");
                }
                for row in rows {
                    let filter = row["filter"].as_str().unwrap();
                    let summary = ana.get(&format!("/api/transactions/summary?{filter}&{period}")).ok();
                    let total = &row["total"];
                    assert_eq!(
                        (&summary["income"], &summary["expenses"]),
                        (&total["income"], &total["expenses"]),
                        "{query}: {row}"
                    );
                    let list = ana.get(&format!("/api/transactions?{filter}&{period}&limit=1000")).ok();
                    assert_eq!(json!(list.as_array().unwrap().len()), summary["count"], "{query}: {filter}");
                }
            }
        }
    }
}

#[test]
fn a_report_shows_only_rows_of_its_profile() {
    let app = TestApp::start();
    let ana = generated(&app, 2);
    let bia = app.user("caio");
    for by in ["category", "group", "payee", "tag", "account", "member"] {
        let report = flow(&bia, &format!("by={by}&kind=both&from=2025-01-01&to=2026-12-31"));
        assert_eq!((&report["rows"], &report["other"]), (&json!([]), &Value::Null), "{by}");
    }
    let category = ana.get("/api/categories").ok()[0]["id"].clone();
    assert_eq!(flow(&bia, &format!("category_id={category}"))["rows"], json!([]));
}
