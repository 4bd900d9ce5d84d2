//! `GET /api/reports/irpf`: the figures that a household needs for its yearly income tax return.

use finance_tests::{Client, TestApp};
use serde_json::{Value, json};
use time::macros::date;

fn enter(client: &Client, kind: &str, category: Option<i64>, date: &str, description: &str, amount: &str) {
    let body =
        json!({ "type": kind, "category_id": category, "date": date, "description": description, "amount": amount });
    client.create("/api/transactions", body);
}

fn category(client: &Client, name: &str, tax_kind: &str) -> i64 {
    client.create("/api/categories", json!({ "name": name, "tax_kind": tax_kind }))
}

#[test]
fn a_category_has_a_kind_of_the_return() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let listed = ana.get("/api/categories").ok();
    assert!(listed.as_array().unwrap().iter().all(|category| category["tax_kind"] == "none"));
    let mut made = ana.post("/api/categories", json!({ "name": "Médicos", "tax_kind": "health" })).created();
    assert_eq!(made["tax_kind"], "health");
    made["tax_kind"] = json!("education");
    let path = format!("/api/categories/{}", made["id"]);
    assert_eq!(ana.put(&path, made.clone()).ok(), made);
    made["tax_kind"] = json!("sport");
    ana.put(&path, made).invalid(&["tax_kind"]);
}

#[test]
fn expenses_are_added_up_by_kind_and_payee() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let (doctors, dentists) = (category(&ana, "Médicos", "health"), category(&ana, "Dentistas", "health"));
    let (school, market) = (category(&ana, "Escola", "education"), category(&ana, "Feira", "none"));
    for (kind, category, date, description, amount) in [
        ("expense", Some(doctors), "2025-01-01", "Clínica Sol", "100.00"),
        ("expense", Some(dentists), "2025-12-31", "CLINICA  SOL", "50.00"),
        ("expense", Some(doctors), "2025-06-01", "Dr. Lima", "200.00"),
        ("income", Some(doctors), "2025-06-02", "Dr. Lima", "20.00"),
        ("expense", Some(school), "2025-02-01", "Colégio", "900.00"),
        ("expense", Some(school), "2024-12-31", "Colégio", "800.00"),
        ("expense", Some(school), "2026-01-01", "Colégio", "1000.00"),
        ("expense", Some(market), "2025-02-01", "Feira", "30.00"),
        ("expense", None, "2025-02-01", "Outros", "40.00"),
    ] {
        enter(&ana, kind, category, date, description, amount);
    }
    let report = ana.get("/api/reports/irpf?year=2025").ok();
    assert_eq!(report["year"], 2025);
    let health = report["categories"][0].clone();
    assert_eq!((&health["tax_kind"], &health["total"]), (&json!("health"), &json!("350.00")));
    let payees: Vec<String> =
        health["payees"].as_array().unwrap().iter().map(|payee| payee["total"].as_str().unwrap().to_string()).collect();
    assert_eq!(payees, ["200.00", "150.00"], "texts that differ in case, accents and blanks only are one payee");
    assert_eq!(health["payees"][0]["description"], "Dr. Lima");
    let education = json!({ "tax_kind": "education", "total": "900.00", "payees": [
        { "key": "colegio", "description": "Colégio", "total": "900.00" }
    ] });
    assert_eq!(report["categories"][1], education);
    assert_eq!(report["categories"].as_array().unwrap().len(), 2);
    assert_eq!(ana.get("/api/reports/irpf").ok(), report, "the last year");
    assert_eq!(
        app.user("bia").get("/api/reports/irpf").ok(),
        json!({ "year": 2025, "categories": [], "accounts": [], "yields": [] })
    );
}

#[test]
fn instalments_and_dates_in_a_text_make_no_further_payees() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let (doctors, school) = (category(&ana, "Médicos", "health"), category(&ana, "Escola", "education"));
    for (category, date, description, amount) in [
        (doctors, "2025-01-10", "CLINICA SORRISO 1/3", "100.00"),
        (doctors, "2025-02-10", "CLINICA SORRISO 2/3", "100.00"),
        (doctors, "2025-03-10", "Compra no débito - Clinica Sorriso", "120.00"),
        (doctors, "2025-04-10", "Dr. Lima", "150.00"),
        (doctors, "2025-05-10", "123", "10.00"),
        (doctors, "2025-06-10", "456", "20.00"),
        (school, "2025-02-10", "CLINICA SORRISO", "7.00"),
    ] {
        enter(&ana, "expense", Some(category), date, description, amount);
    }
    let kinds = ana.get("/api/reports/irpf?year=2025").ok()["categories"].clone();
    let clinic = "clinica sorriso";
    let payees = json!([
        { "key": clinic, "description": "Compra no débito - Clinica Sorriso", "total": "320.00" },
        { "key": "dr lima", "description": "Dr. Lima", "total": "150.00" },
        { "key": null, "description": "456", "total": "20.00" },
        { "key": null, "description": "123", "total": "10.00" },
    ]);
    assert_eq!((&kinds[0]["total"], &kinds[0]["payees"]), (&json!("500.00"), &payees));
    assert_eq!(kinds[1]["payees"], json!([{ "key": clinic, "description": "CLINICA SORRISO", "total": "7.00" }]));
    let found = ana.get("/api/transactions?payee=clinica%20sorriso&from=2025-01-01&to=2025-12-31").ok();
    assert_eq!(found.as_array().unwrap().len(), 4, "the key finds the transactions");
}

#[test]
fn accounts_have_their_balances_of_two_years_and_their_yield() {
    let app = TestApp::start();
    let ana = app.user("ana");
    app.rates.publish_weekdays(date!(2024 - 11 - 01), date!(2025 - 12 - 31), "0.04");
    app.clock.set_today(date!(2026 - 01 - 01));
    let taxed = json!({ "name": "CDB", "kind": "investment", "yield_type": "cdi", "yield_day_count": "business",
        "yield_tax": "regressive", "last_yield_date": "2024-12-30", "opening_balance": "1000.00", "opening_date": "2024-12-30" });
    let taxed = ana.create("/api/accounts", taxed);
    let bank = ana.create(
        "/api/accounts",
        json!({ "name": "Banco", "kind": "current", "opening_balance": "70.00", "opening_date": "2025-03-01" }),
    );
    let row =
        json!({ "type": "expense", "account_id": bank, "date": "2026-01-01", "description": "x", "amount": "5.00" });
    ana.create("/api/transactions", row);
    ana.get("/api/accounts").ok();
    let report = ana.get("/api/reports/irpf?year=2025").ok();
    let cents = |value: &Value| finance_tests::cents(value);
    let (of_bank, of_cdb) = (&report["accounts"][0], &report["accounts"][1]);
    assert_eq!(
        *of_bank,
        json!({ "account_id": bank, "name": "Banco", "kind": "current", "balance_previous": "0.00", "balance": "70.00" })
    );
    // One day of 2024 at 0.04 % of 1000.00.
    assert_eq!((&of_cdb["account_id"], &of_cdb["balance_previous"]), (&json!(taxed), &json!("1000.40")));
    let earned = &report["yields"][0];
    assert_eq!(report["yields"].as_array().unwrap().len(), 1);
    assert_eq!(cents(&of_cdb["balance"]) - cents(&of_cdb["balance_previous"]), cents(&earned["gross"]));
    // The deposit is 366 days old at the end of the year, so the tax is 17.5 % of the year's yield, to the cent.
    let expected = cents(&earned["gross"]) * 175;
    assert!((cents(&earned["income_tax"]) * 1000 - expected).abs() <= 1000, "{earned}");
    assert_eq!(earned["iof"], "0.00");
}

#[test]
fn the_report_is_a_table_too_and_refuses_years_to_come() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let doctors = category(&ana, "Médicos", "health");
    enter(&ana, "expense", Some(doctors), "2025-05-01", "=Clínica, Sol", "100.00");
    ana.create(
        "/api/accounts",
        json!({ "name": "Banco", "kind": "current", "opening_balance": "70.00", "opening_date": "2024-03-01" }),
    );
    let reply = ana.get("/api/reports/irpf?year=2025&format=csv");
    assert_eq!((reply.status, reply.header("Content-Type")), (200, Some("text/csv; charset=utf-8")));
    let text = String::from_utf8(reply.bytes.clone()).unwrap();
    let id = ana.get("/api/accounts").ok()[0]["id"].clone();
    let expected = format!(
        "section,kind,account_id,name,total,balance_previous,balance,gross,iof,income_tax\r\n\
        categories,health,,,100.00,,,,,\r\n\
        payees,health,,\"'=Clínica, Sol\",100.00,,,,,\r\n\
        accounts,current,{id},Banco,,70.00,70.00,,,\r\n"
    );
    assert_eq!(text, expected);
    for (query, field) in [("year=2027", "year"), ("year=0", "year"), ("year=x", "year"), ("format=pdf", "format")] {
        ana.get(&format!("/api/reports/irpf?{query}")).invalid(&[field]);
    }
    assert_eq!(ana.get("/api/reports/irpf?year=2026").ok()["year"], 2026);
}
