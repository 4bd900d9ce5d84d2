//! `GET /calendar.ics`: what is due. The tests read the feed with their own parser.

use finance_tests::{Client, TestApp};
use serde_json::json;
use time::macros::date;
use ureq::http::Method;

use crate::needs::token;

/// An event of a feed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Event {
    uid: String,
    pub(crate) first: String,
    end: String,
    pub(crate) summary: String,
}

/// Reads a feed by RFC 5545: lines end with CRLF, and a long line is folded by CRLF and a space.
fn events(text: &str) -> Vec<Event> {
    assert!(text.ends_with("\r\n") && !text.replace("\r\n", "").contains(['\r', '\n']), "{text:?}");
    assert!(text.split("\r\n").all(|line| line.len() <= 75), "{text}");
    let unfolded = text.replace("\r\n ", "");
    let lines: Vec<&str> = unfolded.split("\r\n").filter(|line| !line.is_empty()).collect();
    assert_eq!((lines.first(), lines.last()), (Some(&"BEGIN:VCALENDAR"), Some(&"END:VCALENDAR")));
    assert!(lines.contains(&"VERSION:2.0") && lines.iter().any(|line| line.starts_with("PRODID:")));
    let mut found = Vec::new();
    for event in unfolded.split("BEGIN:VEVENT\r\n").skip(1) {
        let (event, _) = event.split_once("END:VEVENT\r\n").expect("its end");
        let value = |name: &str| {
            let values: Vec<&str> = event.split("\r\n").filter_map(|line| line.strip_prefix(name)).collect();
            assert_eq!(values.len(), 1, "{name} in {event}");
            values[0].to_string()
        };
        assert!(value("DTSTAMP:").ends_with('Z'));
        let summary = value("SUMMARY:").replace("\\,", ",").replace("\\;", ";").replace("\\\\", "\\");
        let (first, end) = (value("DTSTART;VALUE=DATE:"), value("DTEND;VALUE=DATE:"));
        found.push(Event { uid: value("UID:"), first, end, summary });
    }
    let mut uids: Vec<&str> = found.iter().map(|event| event.uid.as_str()).collect();
    uids.sort_unstable();
    uids.dedup();
    assert_eq!(uids.len(), found.len(), "each event has an id of its own: {found:?}");
    found
}

/// The address of the feed of a client's profile.
pub(crate) fn address(client: &Client) -> String {
    format!("/calendar.ics?token={}", token(client, &["calendar"]).token())
}

pub(crate) fn feed(app: &TestApp, address: &str) -> Vec<Event> {
    let reply = app.anyone().get(address);
    assert_eq!(reply.status, 200, "{reply:?}");
    assert_eq!(reply.header("Content-Type"), Some("text/calendar; charset=utf-8"));
    events(std::str::from_utf8(&reply.bytes).unwrap())
}

fn seen(events: &[Event]) -> Vec<(&str, &str)> {
    events.iter().map(|event| (event.first.as_str(), event.summary.as_str())).collect()
}

#[test]
fn unpaid_bills_are_in_the_feed_until_they_are_paid() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let card = ana.open_card("Cartão, o roxo; 100%", 20, 27);
    let buy = |date: &str, amount: &str| {
        let row = json!({ "type": "expense", "date": date, "description": "x", "amount": amount, "account_id": card });
        ana.post("/api/transactions", row).created();
    };
    buy("2026-03-01", "1234.5");
    buy("2026-02-01", "10");
    let address = address(&ana);
    assert_eq!(
        seen(&feed(&app, &address)),
        [("20260227", "Fatura: Cartão, o roxo; 100%"), ("20260327", "Fatura: Cartão, o roxo; 100%")]
    );
    let with_amounts = feed(&app, &format!("{address}&amounts=1"));
    assert_eq!(with_amounts[1].summary, "Fatura: Cartão, o roxo; 100%, R$ 1.234,50");
    assert_eq!(with_amounts[1].end, "20260328");
    let bills = ana.get("/api/credit-bills").ok();
    let bill = bills.as_array().unwrap().iter().find(|bill| bill["due_date"] == "2026-03-27").unwrap();
    ana.post(&format!("/api/credit-bills/{}/pay", bill["id"]), json!({})).ok();
    // The payment counts on the bill that closed before, so as much is left of this one.
    assert_eq!(seen(&feed(&app, &address)), [("20260327", "Fatura: Cartão, o roxo; 100%")]);
    ana.post(&format!("/api/credit-bills/{}/pay", bill["id"]), json!({})).ok();
    assert_eq!(seen(&feed(&app, &address)), []);
    // The bill of a new period is added by itself.
    app.clock.set_today(date!(2026 - 04 - 01));
    buy("2026-03-25", "7");
    assert_eq!(seen(&feed(&app, &address)), [("20260427", "Fatura: Cartão, o roxo; 100%")]);
}

#[test]
fn held_statements_and_open_recurring_items_are_in_the_feed() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let card = ana.open_card("Visa", 20, 27);
    let row = json!({ "date": "2026-03-05", "description": "Livro", "amount": "50", "type": "expense" });
    let held = json!({ "account_id": card, "is_credit_card": true, "payment_date": "2026-04-27", "format": "csv", "rows": [row] });
    let held = ana.post("/api/import/confirm", held).expect(202)["pending_bill"]["id"].clone();
    let category = ana.create("/api/categories", json!({ "name": "Casa nova" }));
    let rent =
        json!({ "type": "expense", "description": "Aluguel", "amount": "900", "category_id": category, "day": 31 });
    let rent = ana.create("/api/recurring", rent);
    let paid = json!({ "type": "expense", "date": "2026-03-30", "description": "x", "amount": "900", "category_id": category });
    ana.post("/api/transactions", paid).created();
    ana.post_nothing(&format!("/api/recurring/{rent}/ignore?month=2026-05")).ok();
    let address = address(&ana);
    let before = feed(&app, &address);
    let of = |events: &[Event], month: &str| -> Vec<String> {
        let in_month = events.iter().filter(|event| event.first.starts_with(month));
        in_month.map(|event| format!("{} {}", &event.first[6..], event.summary)).collect()
    };
    assert_eq!(of(&before, "202602"), ["28 A pagar: Aluguel"]);
    assert_eq!(of(&before, "202603"), [""; 0], "a transaction covers it");
    assert_eq!(of(&before, "202604"), ["27 Fatura a confirmar: Visa", "30 A pagar: Aluguel"]);
    assert_eq!(of(&before, "202605"), [""; 0], "it is ignored");
    assert_eq!(of(&before, "202702"), ["28 A pagar: Aluguel"], "and so on for twelve months");
    assert_eq!(of(&before, "202703"), [""; 0], "the 31st is beyond them");
    // An item with a new name and day is still the same event.
    let renamed =
        json!({ "type": "expense", "description": "Aluguel novo", "amount": "900", "category_id": category, "day": 5 });
    ana.put(&format!("/api/recurring/{rent}"), renamed).ok();
    let after = feed(&app, &address);
    let uid = |events: &[Event], first: &str| events.iter().find(|event| event.first == first).unwrap().uid.clone();
    assert_eq!(uid(&after, "20260605"), uid(&before, "20260630"));
    ana.post_nothing(&format!("/api/pending-bills/{held}/confirm")).created();
    assert!(!feed(&app, &address).iter().any(|event| event.summary.contains("confirmar")));
}

#[test]
fn the_feed_has_a_tag_and_is_not_sent_again() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let address = address(&ana);
    let first = app.anyone().get(&address);
    let tag = first.header("ETag").unwrap().to_string();
    let ask = |tag: &str| app.anyone().send_with(Method::GET, &address, None, Vec::new(), &[("If-None-Match", tag)]);
    let same = ask(&tag);
    assert_eq!((same.status, same.bytes.len(), same.header("ETag")), (304, 0, Some(tag.as_str())));
    assert_eq!(ask(&format!("\"x\", W/{tag}")).status, 304);
    assert_eq!(ask("\"x\"").status, 200);
    let category = ana.create("/api/categories", json!({ "name": "Casa nova" }));
    let rent = json!({ "type": "income", "description": "Salário", "amount": "9", "category_id": category, "day": 5 });
    ana.create("/api/recurring", rent);
    assert_eq!(ask(&tag).status, 200);
    assert_eq!(app.anyone().send(Method::HEAD, &address, None, Vec::new()).status, 200);
}

#[test]
fn the_feed_opens_by_its_scope_only_and_until_it_is_revoked() {
    let app = TestApp::start();
    let there = app.another_node();
    let (ana, bia) = (app.user("ana"), app.user("bia"));
    bia.open_card("Segredo", 20, 27);
    for scopes in [&["read", "import", "write", "export"][..], &["write"]] {
        let other = token(&ana, scopes);
        let refused = app.anyone().get(&format!("/calendar.ics?token={}", other.token()));
        assert_eq!(refused.header("WWW-Authenticate"), Some("Bearer error=\"insufficient_scope\", scope=\"calendar\""));
        refused.problem(403, "ErrInsufficientScope");
    }
    for nobody in ["", "?token=", "?token=x", &format!("?token={}", ana.token()), "?amounts=1"] {
        app.anyone().get(&format!("/calendar.ics{nobody}")).problem(401, "ErrUnauthenticated");
    }
    let made = ana.post("/api/tokens", json!({ "name": "phone", "scopes": ["calendar", "read"] })).created();
    let address = format!("/calendar.ics?token={}", made["token"].as_str().unwrap());
    assert_eq!(feed(&app, &address), [], "nothing of another profile");
    app.anyone().get(&format!("{address}&amounts=yes")).invalid(&["amounts"]);
    assert_eq!(there.anyone().get(&address).status, 200);
    let listed = ana.get("/api/tokens").ok();
    assert!(listed.as_array().unwrap().iter().any(|token| token["last_used_on"] == "2026-03-15"), "{listed}");
    ana.delete(&format!("/api/tokens/{}", made["id"])).gone();
    app.anyone().get(&address).problem(401, "ErrUnauthenticated");
    there.anyone().get(&address).problem(401, "ErrUnauthenticated");
}
