//! `/api/notices/email`: an address is a member's once a code that was sent there is entered.

use finance_tests::{Client, Mailbox, TestApp, channels};
use serde_json::{Value, json};
use time::Duration;

use super::delivery::pass;

fn ask(client: &Client, address: &str) -> Value {
    client.post("/api/notices/email", json!({ "address": address })).expect(202)
}

fn confirm(client: &Client, code: &str) -> finance_tests::Reply {
    client.post("/api/notices/email/confirm", json!({ "code": code }))
}

fn email(client: &Client) -> Value {
    client.get("/api/notices/preferences").ok()["email"].clone()
}

/// The only number of six digits in a text.
pub(crate) fn code_in(text: &str) -> String {
    let words = text.split(|letter: char| !letter.is_ascii_digit());
    let codes: Vec<&str> = words.filter(|word| word.len() == 6).collect();
    assert_eq!(codes.len(), 1, "{text}");
    codes[0].to_string()
}

fn wrong(code: &str) -> String {
    format!("{:06}", (code.parse::<u32>().unwrap() + 1) % 1_000_000)
}

#[test]
fn an_address_is_confirmed_by_the_code_that_was_sent_there() {
    let mailbox = Mailbox::start();
    let app = TestApp::start_sending_by(channels(Some(&mailbox)));
    let ana = app.user("ana");
    assert_eq!(email(&ana), Value::Null);
    let unconfirmed = json!({ "address": "ana@example.com", "confirmed": false });
    assert_eq!(ask(&ana, " ana@example.com "), unconfirmed);
    assert_eq!(email(&ana), unconfirmed);
    assert_eq!(pass(&app, &app.channels), 1);
    let mail = mailbox.wait_for(1).remove(0);
    assert_eq!(
        (mail.to.as_str(), mail.header("Subject").as_deref()),
        ("ana@example.com", Some("Código para receber avisos"))
    );
    let code = code_in(&mail.text);
    confirm(&ana, &wrong(&code)).invalid(&["code"]);
    assert_eq!(confirm(&ana, &code).ok(), json!({ "address": "ana@example.com", "confirmed": true }));
    assert_eq!(email(&ana)["confirmed"], true);
    confirm(&ana, &code).invalid(&["code"]);
    assert_eq!(app.rows("select code_hash from notice_addresses"), [json!({ "code_hash": null })]);
    assert_eq!(app.rows("select 1 from notice_deliveries"), [Value::Null; 0], "no code stays");
    // A former address is told nothing any more.
    assert_eq!(ask(&ana, "ana@example.org"), json!({ "address": "ana@example.org", "confirmed": false }));
    ana.delete("/api/notices/email").gone();
    assert_eq!(email(&ana), Value::Null);
    assert_eq!(pass(&app, &app.channels), 0);
    confirm(&ana, "123456").invalid(&["code"]);
    ana.delete("/api/notices/email").gone();
    for body in [json!({}), json!({ "address": 7 }), json!({ "address": "ana" }), json!({ "address": "a@b@c.com" })] {
        ana.post("/api/notices/email", body).invalid(&["address"]);
    }
    ana.post("/api/notices/email/confirm", json!({})).invalid(&["code"]);
    assert!(!ana.get("/api/export").ok().to_string().contains("example.org"));
}

#[test]
fn codes_are_few_and_expire() {
    let mailbox = Mailbox::start();
    let app = TestApp::start_sending_by(channels(Some(&mailbox)));
    let ana = app.user("ana");
    let sent = |count: usize| {
        assert_eq!(pass(&app, &app.channels), 1);
        code_in(&mailbox.wait_for(count)[count - 1].text)
    };
    ask(&ana, "ana@example.com");
    let code = sent(1);
    for _ in 0..5 {
        confirm(&ana, &wrong(&code)).invalid(&["code"]);
    }
    let refused = confirm(&ana, &code);
    let wait: i64 = refused.header("Retry-After").unwrap().parse().unwrap();
    assert!((1..=1_800).contains(&wait), "{wait}");
    refused.problem(429, "ErrTooManyAttempts");
    ask(&ana, "ana@example.com");
    let code = sent(2);
    app.clock.advance(Duration::minutes(31));
    confirm(&ana, &code).invalid(&["code"]);
    ask(&ana, "ana@example.com");
    let code = sent(3);
    let refused = ana.post("/api/notices/email", json!({ "address": "ana@example.com" }));
    let wait: i64 = refused.header("Retry-After").unwrap().parse().unwrap();
    assert!((1..=86_400).contains(&wait), "{wait}");
    refused.problem(429, "ErrTooManyAttempts");
    assert_eq!(confirm(&ana, &code).ok()["confirmed"], true, "the last code is valid yet");
    // Removing the address does not make room.
    ana.delete("/api/notices/email").gone();
    ana.post("/api/notices/email", json!({ "address": "ana@example.com" })).problem(429, "ErrTooManyAttempts");
    app.clock.set_today(time::macros::date!(2026 - 03 - 16));
    ask(&ana, "ana@example.com");
    // Each member has codes of its own.
    ask(&app.user("bia"), "bia@example.com");
}
