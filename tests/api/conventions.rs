//! Conventions of all routes: request ids, problems, headers, and the formats of values.

use finance_tests::{Client, Form, Reply, TestApp};
use serde_json::{Value, json};
use ureq::http::Method;

use crate::household::Household;

fn with_request_id(client: &Client, path: &str, id: &str) -> Reply {
    client.send_with(Method::GET, path, None, Vec::new(), &[("X-Request-Id", id)])
}

/// Sends a raw body.
fn raw(client: &Client, path: &str, content_type: Option<&str>, body: impl Into<Vec<u8>>) -> Reply {
    client.send(Method::POST, path, content_type, body.into())
}

#[test]
fn a_sane_request_id_comes_back_and_another_is_replaced() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let longest = "x".repeat(64);
    for sane in ["7", "4bf92f3577b34da6a3ce929d0e0e4736", "a-b_c.d:e", longest.as_str()] {
        assert_eq!(with_request_id(&ana, "/api/auth/me", sane).header("X-Request-Id"), Some(sane));
        let problem = with_request_id(&app.anyone(), "/api/nowhere", sane).problem(401, "ErrUnauthenticated");
        assert_eq!(problem["request_id"], sane);
    }
    let too_long = "x".repeat(65);
    for odd in ["", "two words", "<script>", "a\"b", "ação", "a,b", too_long.as_str()] {
        let reply = with_request_id(&ana, "/api/auth/me", odd);
        let id = reply.header("X-Request-Id").expect("an id").to_string();
        assert!(id != odd && !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric()), "{odd}: {id}");
    }
}

#[test]
fn every_answer_has_an_id_of_its_own() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let replies = [
        ana.get("/api/auth/me"),
        ana.get("/api/auth/me"),
        ana.get("/healthz"),
        ana.get("/docs"),
        ana.get("/nowhere"),
        ana.get("/api/nowhere"),
        ana.post_nothing("/api/logout"),
        app.anyone().get("/api/auth/me"),
    ];
    let mut ids: Vec<&str> = replies.iter().map(|reply| reply.header("X-Request-Id").expect("an id")).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), replies.len());
}

#[test]
fn answers_are_not_stored_and_not_sniffed() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let anyone = app.anyone();
    for reply in [
        ana.get("/api/auth/me"),
        ana.get("/api/categories/0"),
        ana.post("/api/categories", json!({})),
        anyone.get("/api/auth/me"),
        anyone.get("/api/nowhere"),
        anyone.get("/api/openapi.json"),
        anyone.post("/api/auth/login", json!({ "name": "x", "password": "y" })),
    ] {
        assert_eq!(reply.header("Cache-Control"), Some("no-store"), "{reply:?}");
        assert_eq!(reply.header("X-Content-Type-Options"), Some("nosniff"), "{reply:?}");
    }
    for path in ["/healthz", "/docs", "/nowhere"] {
        assert_eq!(anyone.get(path).header("X-Content-Type-Options"), Some("nosniff"), "{path}");
    }
}

#[test]
fn an_unknown_route_is_404_with_a_token_and_401_without_one() {
    let app = TestApp::start();
    let ana = app.user("ana");
    for path in ["/api", "/api/", "/api/nowhere", "/api/categories/1/more", "/api/v1/categories", "/api/import"] {
        ana.get(path).problem(404, "ErrNotFound");
        ana.post(path, json!({})).problem(404, "ErrNotFound");
        let reply = app.anyone().get(path);
        assert_eq!(reply.header("WWW-Authenticate"), Some("Bearer"), "{path}");
        reply.problem(401, "ErrUnauthenticated");
    }
    for path in ["/", "/nowhere", "/apis", "/docs/nothing.js", "/favicon.ico"] {
        app.anyone().get(path).problem(404, "ErrNotFound");
    }
}

#[test]
fn a_route_has_no_trailing_slash_and_one_spelling() {
    let app = TestApp::start();
    let ana = app.user("ana");
    for path in ["/api/categories/", "/api//categories", "/api/Categories", "/api/auth/me/", "/healthz/"] {
        ana.get(path).problem(404, "ErrNotFound");
    }
    ana.post("/api/auth/login/", json!({ "name": "ana", "password": "x" })).problem(404, "ErrNotFound");
    app.anyone().post("/api/auth/login/", json!({})).problem(401, "ErrUnauthenticated");
}

#[test]
fn no_spelling_of_a_path_gets_past_the_token() {
    let app = TestApp::start();
    app.user("ana");
    for path in [
        "/%61pi/categories",
        "/api%2Fcategories",
        "//api/categories",
        "/./api/categories",
        "/api/../api/categories",
        "/API/categories",
    ] {
        let reply = app.anyone().get(path);
        assert!([401, 404].contains(&reply.status), "{path}: {reply:?}");
    }
}

#[test]
fn another_method_is_405_with_the_ones_there_are() {
    let app = TestApp::start();
    let ana = app.user("ana");
    for (method, path, allowed) in [
        ("PATCH", "/api/categories", "GET, HEAD, POST"),
        ("PUT", "/api/categories", "GET, HEAD, POST"),
        ("DELETE", "/api/categories", "GET, HEAD, POST"),
        ("POST", "/api/categories/1", "DELETE, GET, HEAD, PUT"),
        ("PATCH", "/api/transactions/1", "DELETE, GET, HEAD, PUT"),
        ("PUT", "/api/transactions", "DELETE, GET, HEAD, POST"),
        ("GET", "/api/import/preview", "POST"),
        ("GET", "/api/imports/1", "DELETE"),
        ("GET", "/api/auth/login", "POST"),
        ("GET", "/api/logout", "POST"),
        ("POST", "/api/openapi.json", "GET, HEAD"),
        ("POST", "/healthz", "GET, HEAD"),
        ("DELETE", "/docs", "GET, HEAD"),
        ("PROPFIND", "/api/settings", "GET, HEAD, PUT"),
    ] {
        let reply = ana.send(method.parse().unwrap(), path, None, Vec::new());
        assert_eq!(reply.header("Allow"), Some(allowed), "{method} {path}: {reply:?}");
        reply.problem(405, "ErrMethodNotAllowed");
    }
    app.anyone().send(Method::PATCH, "/api/categories", None, Vec::new()).problem(401, "ErrUnauthenticated");
    app.anyone().get("/api/auth/login").problem(405, "ErrMethodNotAllowed");
}

#[test]
fn head_is_answered_wherever_get_is() {
    let app = TestApp::start();
    let ana = app.user("ana");
    for path in
        ["/api/categories", "/api/settings", "/api/dashboard", "/healthz", "/readyz", "/docs", "/api/openapi.json"]
    {
        let (get, head) = (ana.get(path), ana.send(Method::HEAD, path, None, Vec::new()));
        assert_eq!((head.status, head.bytes.len()), (200, 0), "{head:?}");
        for header in ["content-length", "content-type"] {
            assert_eq!(head.header(header), get.header(header), "{head:?}");
        }
    }
    assert_eq!(ana.send(Method::HEAD, "/api/categories/999", None, Vec::new()).status, 404);
    assert_eq!(ana.send(Method::HEAD, "/api/import/preview", None, Vec::new()).status, 405);
    assert_eq!(app.anyone().send(Method::HEAD, "/api/categories", None, Vec::new()).status, 401);
}

#[test]
fn a_number_is_nothing_but_a_number() {
    let app = TestApp::start();
    let ana = app.user("ana");
    for budget in [
        json!({ "$serde_json::private::Number": "5.00" }),
        json!({ "$serde_json::private::RawValue": "5.00" }),
        json!([5]),
    ] {
        ana.post("/api/categories", json!({ "name": "Quitanda", "monthly_budget": budget }))
            .invalid(&["monthly_budget"]);
    }
    let exact = raw(
        &ana,
        "/api/categories",
        Some("application/json"),
        "{\"name\":\"Quitanda\",\"monthly_budget\":9999999999.99}",
    );
    assert_eq!(exact.created()["monthly_budget"], "9999999999.99");
}

#[test]
fn a_problem_says_nothing_of_the_inside() {
    let app = TestApp::start();
    let ana = app.user("ana");
    for reply in [
        ana.get("/api/categories/99999999999"),
        ana.get("/api/transactions?month=x&limit=0"),
        ana.post("/api/categories", json!({ "name": "a\0b" })),
        raw(&ana, "/api/categories", Some("application/json"), "{"),
        raw(&ana, "/api/categories", Some("text/plain"), "{}"),
        app.anyone().get("/api/categories"),
    ] {
        let text = String::from_utf8(reply.bytes).unwrap().to_lowercase();
        for inside in ["select ", "insert ", "diesel", "postgres", "/src/", ".rs", "panicked", "actix"] {
            assert!(!text.contains(inside), "{text}");
        }
    }
}

#[test]
fn a_body_that_does_not_parse_is_400() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let bodies: Vec<Vec<u8>> = vec![
        b"".to_vec(),
        b" ".to_vec(),
        b"{".to_vec(),
        b"{\"name\":}".to_vec(),
        b"{\"name\":\"x\"} {}".to_vec(),
        b"{\"name\":\"x\",}".to_vec(),
        b"{'name':'x'}".to_vec(),
        b"{\"name\":\"\xff\xfe\"}".to_vec(),
        b"{\"name\":\"\xed\xa0\x80\"}".to_vec(),
        b"{\"name\":\"\\ud800\"}".to_vec(),
        b"{\"name\":\"a\nb\"}".to_vec(),
        b"\xef\xbb\xbf{\"name\":\"x\"}".to_vec(),
        b"name=x".to_vec(),
        b"{\"name\":\"x\",\"monthly_budget\":01}".to_vec(),
        b"{\"name\":\"x\",\"monthly_budget\":.5}".to_vec(),
        b"{\"name\":\"x\",\"monthly_budget\":+5}".to_vec(),
        b"{\"name\":\"x\",\"monthly_budget\":NaN}".to_vec(),
        nested(30_000).into_bytes(),
        "[".repeat(60_000).into_bytes(),
        "{\"a\":".repeat(10_000).into_bytes(),
        format!("{{\"name\":\"x\",\"more\":{}}}", nested(1_000)).into_bytes(),
    ];
    for body in bodies {
        let shown = String::from_utf8_lossy(&body[..body.len().min(60)]).into_owned();
        let reply = raw(&ana, "/api/categories", Some("application/json"), body);
        assert_eq!(reply.status, 400, "{shown}: {reply:?}");
        reply.problem(400, "ErrMalformedRequest");
    }
    let names = ana.get("/api/categories").ok();
    assert!(names.as_array().unwrap().iter().all(|category| category["name"] != "x"));
}

#[test]
fn a_body_of_another_json_type_is_422() {
    let app = TestApp::start();
    let ana = app.user("ana");
    for body in ["[]", "null", "7", "\"name\"", "true", "[{\"name\":\"x\"}]"] {
        raw(&ana, "/api/categories", Some("application/json"), body).invalid(&["body"]);
    }
}

#[test]
fn a_body_that_may_be_left_out_may_be_null_or_empty() {
    let app = TestApp::start();
    let ana = Household::new(&app, "ana");
    let (pay, unpay) = (format!("/api/credit-bills/{}/pay", ana.bill), format!("/api/credit-bills/{}/unpay", ana.bill));
    for (kind, body) in [
        (None, ""),
        (Some("application/json"), ""),
        (Some("text/plain"), ""),
        (Some("application/json"), "{}"),
        (Some("application/json"), " null\n"),
        (Some("application/json"), "{\"account_id\":null,\"date\":null}"),
    ] {
        assert_eq!(raw(&ana.client, &pay, kind, body).ok()["status"], "paid", "{kind:?} {body}");
        ana.client.post_nothing(&unpay).ok();
    }
    raw(&ana.client, &pay, Some("application/json"), "[]").invalid(&["body"]);
    raw(&ana.client, &pay, Some("application/json"), "{").problem(400, "ErrMalformedRequest");
}

#[test]
fn a_content_type_the_route_does_not_take_is_415() {
    let app = TestApp::start();
    let ana = app.user("ana");
    for kind in [
        None,
        Some("text/plain"),
        Some("application/x-www-form-urlencoded"),
        Some("application/xml"),
        Some("multipart/form-data; boundary=x"),
        Some("application/jsonp"),
    ] {
        raw(&ana, "/api/categories", kind, "{\"name\":\"x\"}").problem(415, "ErrUnsupportedMedia");
    }
    raw(&ana, "/api/categories", Some("application/json; charset=utf-8"), "{\"name\":\"x\"}").created();
    raw(&ana, "/api/categories", Some("Application/JSON"), "{\"name\":\"y\"}").created();
    ana.post("/api/import/preview", json!({})).problem(415, "ErrUnsupportedMedia");
    raw(&ana, "/api/import/preview", Some("text/plain"), "x").problem(415, "ErrUnsupportedMedia");
    raw(&ana, "/api/import/preview", Some("multipart/form-data"), "x").problem(400, "ErrMalformedRequest");
    raw(&ana, "/api/import/preview", Some("multipart/form-data; boundary=x"), "x").problem(400, "ErrMalformedRequest");
    raw(&ana, "/api/recurring/1/confirm", Some("text/plain"), "x").problem(415, "ErrUnsupportedMedia");
}

#[test]
fn a_body_over_the_limit_is_413() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let padded = |bytes: usize| format!("{{\"name\":\"x\",\"more\":\"{}\"}}", "a".repeat(bytes));
    raw(&ana, "/api/categories", Some("application/json"), padded(65 * 1024)).problem(413, "ErrTooLarge");
    raw(&ana, "/api/categories", Some("application/json"), padded(5 << 20)).problem(413, "ErrTooLarge");
    raw(&app.anyone(), "/api/auth/login", Some("application/json"), padded(1 << 20)).problem(413, "ErrTooLarge");
    raw(&ana, "/api/import/confirm", Some("application/json"), padded(17 << 20)).problem(413, "ErrTooLarge");
    ana.preview(&vec![b'a'; (10 << 20) + 1]).problem(413, "ErrTooLarge");
    ana.post_form("/api/import/preview", Form::new().text("account_id", &"1".repeat(5_000)))
        .problem(413, "ErrTooLarge");
    raw(&ana, "/api/categories", Some("application/json"), padded(60 * 1024)).created();
}

#[test]
fn an_invalid_id_is_404() {
    let app = TestApp::start();
    let ana = app.user("ana");
    for id in
        ["abc", "1.5", "-1", "0", "99999999999999999999", "9223372036854775807", "1%2F2", "%00", "1e3", "%20", "null"]
    {
        for noun in ["categories", "accounts", "transactions", "recurring", "credit-bills"] {
            ana.get(&format!("/api/{noun}/{id}")).problem(404, "ErrNotFound");
        }
        ana.delete(&format!("/api/imports/{id}")).problem(404, "ErrNotFound");
    }
}

#[test]
fn every_unusable_query_parameter_is_named() {
    let app = TestApp::start();
    let ana = app.user("ana");
    ana.get("/api/transactions?month=2026-13&account_id=x&category_id=1.5&type=gift&limit=0&cursor=!").invalid(&[
        "month",
        "account_id",
        "category_id",
        "type",
        "limit",
        "cursor",
    ]);
    ana.get("/api/dashboard?month=march").invalid(&["month"]);
    ana.get("/api/recurring?month=2026-00").invalid(&["month"]);
    ana.get("/api/credit-bills?status=late&account_id=&limit=1001").invalid(&["status", "account_id", "limit"]);
    ana.get("/api/imports?limit=-1&cursor=x").invalid(&["limit", "cursor"]);
    ana.get("/api/transactions?limit=1&limit=2").invalid(&["query"]);
    ana.get("/api/transactions?nothing=else").ok();
    ana.get("/api/transactions?q=%FF").ok();
    ana.get("/api/transactions?q=%00").invalid(&["q"]);
}

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
            format!("{{\"savings_goal_pct\":{leaves},\"own_names\":[]}}")
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

#[test]
fn unknown_and_read_only_fields_are_ignored() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let created = ana
        .post(
            "/api/transactions",
            json!({ "type": "income", "date": "2026-03-01", "description": "x", "amount": "5", "id": 1, "profile_id": 1,
                "source": "ofx", "transfer_id": 9, "import_id": 9, "created_at": "2000-01-01T00:00:00Z",
                "original_date": "2020-01-01", "colour": { "deep": [1, 2] }, "": null }),
        )
        .created();
    assert_eq!(created["profile_id"], ana.caller().profile_id.0);
    assert_eq!((&created["source"], &created["transfer_id"]), (&json!("manual"), &Value::Null));
    assert_eq!((&created["import_id"], &created["original_date"]), (&Value::Null, &Value::Null));
    assert_ne!(created["created_at"], "2000-01-01T00:00:00Z");
}

#[test]
fn what_was_read_can_be_sent_back() {
    let app = TestApp::start();
    let ana = Household::new(&app, "ana");
    let client = &ana.client;
    let investment = json!({ "name": "CDB", "kind": "investment", "yield_type": "cdi", "cdi_percentage": 110.5,
        "last_yield_date": "2026-03-10" });
    let investment = client.post("/api/accounts", investment).created()["id"].clone();
    let imported = client.get("/api/transactions?q=padaria").ok()[0]["id"].clone();
    let opening = client.get("/api/transactions?q=saldo").ok()[0]["id"].clone();
    for path in [
        format!("/api/categories/{}", ana.category),
        format!("/api/accounts/{}", ana.account),
        format!("/api/accounts/{}", ana.card),
        format!("/api/accounts/{investment}"),
        format!("/api/transactions/{}", ana.transaction),
        format!("/api/transactions/{imported}"),
        format!("/api/transactions/{opening}"),
        format!("/api/recurring/{}", ana.recurring),
        "/api/settings".to_string(),
        "/api/gamification/appearance".to_string(),
    ] {
        let read = client.get(&path).ok();
        assert_eq!(client.put(&path, read.clone()).ok(), read, "{path}");
        assert_eq!(client.get(&path).ok(), read, "{path}");
    }
}

#[test]
fn what_is_created_is_where_its_location_says() {
    let app = TestApp::start();
    let ana = Household::new(&app, "ana");
    let transaction = json!({ "type": "income", "date": "2026-03-01", "description": "x", "amount": 1 });
    let transfer =
        json!({ "from_account_id": ana.account, "to_account_id": ana.savings, "amount": 1, "date": "2026-03-01" });
    let recurring =
        json!({ "type": "expense", "description": "x", "amount": 1, "category_id": ana.category, "day": 1 });
    for (path, body) in [
        ("/api/categories", json!({ "name": "Nova" })),
        ("/api/accounts", json!({ "name": "Nova", "kind": "savings" })),
        ("/api/transactions", transaction),
        ("/api/transfers", transfer),
        ("/api/recurring", recurring),
    ] {
        let reply = ana.client.post(path, body);
        let location = reply.header("Location").expect("a location").to_string();
        assert_eq!(reply.header("Content-Type"), Some("application/json"));
        let created = reply.created();
        assert_eq!(location, format!("{path}/{}", created["id"]));
        assert_eq!(ana.client.get(&location).ok(), created);
    }
    let confirmed = ana.client.post_nothing(&format!("/api/recurring/{}/confirm", ana.recurring));
    let location = confirmed.header("Location").expect("a location").to_string();
    assert_eq!(ana.client.get(&location).ok(), confirmed.created());
}

#[test]
fn the_process_and_the_database_can_be_asked_without_a_token() {
    let app = TestApp::start();
    let anyone = app.anyone();
    assert_eq!(anyone.get("/healthz").ok(), json!({ "status": "ok" }));
    assert_eq!(anyone.get("/readyz").ok(), json!({ "status": "ok" }));
}
