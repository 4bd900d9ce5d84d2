//! Formats of values: money, dates, percentages, texts.

use finance_tests::TestApp;
use serde_json::{Value, json};
use ureq::http::Method;

use super::raw;

#[test]
fn money_enters_as_a_string_or_a_number_and_leaves_with_two_places() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let send = |amount: &str| {
        let body = format!(r#"{{"type":"expense","date":"2026-03-01","description":"x","amount":{amount}}}"#);
        raw(&ana, "/api/transactions", Some("application/json"), body)
    };
    for (amount, leaves) in [
        ("\"12.34\"", "12.34"),
        ("12.34", "12.34"),
        ("12", "12.00"),
        ("\"12\"", "12.00"),
        ("12.5", "12.50"),
        ("12.340", "12.34"),
        ("\"12.3400000\"", "12.34"),
        ("1e2", "100.00"),
        ("1E2", "100.00"),
        ("1E+2", "100.00"),
        ("1.25e1", "12.50"),
        ("100000e-5", "1.00"),
        ("1e-2", "0.01"),
        ("\"1e2\"", "100.00"),
        ("\" 7.5 \"", "7.50"),
        ("\"007.5\"", "7.50"),
        ("0.01", "0.01"),
        ("0.1", "0.10"),
        ("0.29", "0.29"),
        ("1.15", "1.15"),
        ("4503599627.37", "4503599627.37"),
        ("9999999999.99", "9999999999.99"),
        ("\"9999999999.99\"", "9999999999.99"),
    ] {
        let created = send(amount).created();
        assert_eq!(created["amount"], leaves, "{amount}");
        assert_eq!(ana.get(&format!("/api/transactions/{}", created["id"])).ok()["amount"], leaves, "{amount}");
    }
    for amount in [
        "0",
        "-0",
        "-0.0",
        "0e5",
        "\"0\"",
        "\"-0.00\"",
        "-1",
        "\"-12.34\"",
        "0.001",
        "12.345",
        "\"1.005\"",
        "1e-3",
        "10000000000",
        "\"9999999999.995\"",
        "1e10",
        "1e400",
        "1e999999999999999999999",
        "1e-999999999999999999999",
        "-1e400",
        "123456789012345678901234567890123456789012345678901234567890",
        "\"NaN\"",
        "\"Infinity\"",
        "\"1,50\"",
        "\"1.234,56\"",
        "\"1,234.56\"",
        "\"R$ 5\"",
        "\"+5\"",
        "\"0x10\"",
        "\"1_000\"",
        "\"\"",
        "\" \"",
        "\".\"",
        "\".5\"",
        "\"5.\"",
        "\"1 000\"",
        "\"--1\"",
        "\"1e\"",
        "\"e5\"",
        "\"１２\"",
        "true",
        "[]",
        "[12]",
        "{}",
        "null",
    ] {
        let reply = send(amount);
        assert_eq!(reply.status, 422, "{amount}: {reply:?}");
        reply.invalid(&["amount"]);
    }
}

#[test]
fn a_negative_zero_is_zero() {
    let app = TestApp::start();
    let ana = app.user("ana");
    for (position, zero) in ["-0", "-0.00", "\"-0\"", "0e9", "-0e400"].iter().enumerate() {
        let body = format!(r#"{{"name":"{position}","monthly_budget":{zero}}}"#);
        let created = raw(&ana, "/api/categories", Some("application/json"), body).created();
        assert_eq!(created["monthly_budget"], "0.00", "{zero}");
        let body = format!(r#"{{"name":"{position}","kind":"current","opening_balance":{zero}}}"#);
        let created = raw(&ana, "/api/accounts", Some("application/json"), body).created();
        assert_eq!(created["balance"], "0.00", "{zero}");
    }
    assert_eq!(ana.get("/api/transactions").ok(), json!([]), "a balance of zero makes no transaction");
}

#[test]
fn a_date_is_a_day_of_the_calendar() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let send = |date: Value| {
        ana.post("/api/transactions", json!({ "type": "expense", "date": date, "description": "x", "amount": 1 }))
    };
    for date in ["2024-02-29", "2000-02-29", "2025-02-28", "1900-01-01", "2199-12-31", "2026-12-31"] {
        let created = send(json!(date)).created();
        assert_eq!(created["date"], date);
        assert_eq!(ana.get(&format!("/api/transactions/{}", created["id"])).ok()["date"], date);
    }
    for date in [
        "2025-02-29",
        "2025-02-30",
        "1900-02-29",
        "2026-04-31",
        "2026-13-01",
        "2026-00-10",
        "2026-01-00",
        "2026-01-32",
        "1899-12-31",
        "2200-01-01",
        "0000-01-01",
        "9999-12-31",
        "-2026-01-01",
        "+2026-01-01",
        "12026-01-01",
        "2026-1-5",
        "26-01-05",
        "20260105",
        "2026-01-05T00:00:00",
        "2026-01-05T00:00:00Z",
        "2026-01-05T23:59:59-03:00",
        "2026-01-05 ",
        " 2026-01-05",
        "05/01/2026",
        "2026/01/05",
        "2026-W01-1",
        "2026-001",
        "today",
        "",
        "２０２６-０１-０５",
    ] {
        let reply = send(json!(date));
        assert_eq!(reply.status, 422, "{date}: {reply:?}");
        reply.invalid(&["date"]);
    }
    for date in [json!(20260105), json!(null), json!(["2026-01-05"]), json!({}), json!(true)] {
        send(date).invalid(&["date"]);
    }
}

#[test]
fn a_percentage_is_a_number_of_two_decimals() {
    let app = TestApp::start();
    let ana = app.user("ana");
    for (given, leaves) in
        [("40", "40"), ("33.33", "33.33"), ("0", "0"), ("-0", "0"), ("100.00", "100"), ("1e1", "10"), ("12.50", "12.5")]
    {
        let body = format!("{{\"savings_goal_pct\":{given}}}");
        let answer = ana.send(Method::PUT, "/api/settings", Some("application/json"), body.into_bytes());
        assert_eq!(answer.status, 200, "{given}: {answer:?}");
        assert_eq!(
            String::from_utf8(answer.bytes).unwrap(),
            format!(
                "{{\"savings_goal_pct\":{leaves},\"own_names\":[],\"show_character\":true,\"second_factor_days\":null}}"
            )
        );
    }
    for given in ["-1", "100.01", "33.333", "\"40\"", "null", "1e400", "true"] {
        let body = format!("{{\"savings_goal_pct\":{given}}}");
        ana.send(Method::PUT, "/api/settings", Some("application/json"), body.into_bytes())
            .invalid(&["savings_goal_pct"]);
    }
}

#[test]
fn texts_are_trimmed_and_counted_in_characters() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let send = |text: &str| {
        ana.post(
            "/api/transactions",
            json!({ "type": "expense", "date": "2026-03-01", "description": text, "amount": 1 }),
        )
    };
    assert_eq!(send("  Pão   de queijo\t\n").created()["description"], "Pão   de queijo");
    let longest = "ç".repeat(255);
    assert_eq!(send(&format!(" {longest} ")).created()["description"], longest.as_str());
    assert_eq!(send("👩‍👩‍👧 🏠").created()["description"], "👩‍👩‍👧 🏠");
    assert_eq!(send("'; drop table transactions; --").created()["description"], "'; drop table transactions; --");
    for refused in ["", " ", "\u{a0}\t", "a\0b", &"ç".repeat(256)] {
        send(refused).invalid(&["description"]);
    }
}
