//! Push services and mail servers as they answer, and as the real channels tell a household.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, mpsc};

use finance_adapters_delivery::Channels;
use finance_domain::Clock;
use finance_tests::{Device, Mailbox, Pushed, Receiver, TestApp, channels, eventually};
use serde_json::{Value, json};
use time::Duration;
use time::macros::date;

use super::delivery::{at_any_hour, pass};
use super::email::code_in;
use super::{Told, id, of_kind, only, spend};

/// A household that is told by push and by mail, with the clock of the service.
fn household(service: &Receiver, mailbox: &Mailbox) -> (TestApp, Told, Device) {
    let app = TestApp::start_sending_by(channels(Some(mailbox)));
    let house = Told::new(&app);
    at_any_hour(&house.client);
    let device = Device::new(service, 1);
    house.client.post("/api/notices/devices", device.subscription()).created();
    (app, house, device)
}

#[test]
fn a_household_is_told_by_push_and_by_mail() {
    let (service, mailbox) = (Receiver::start(), Mailbox::start());
    let (app, house, device) = household(&service, &mailbox);
    house.client.post("/api/notices/email", json!({ "address": "ana@example.com" })).expect(202);
    let _deliverer = app.deliver();
    let code = code_in(&mailbox.wait_for(1)[0].text);
    house.client.post("/api/notices/email/confirm", json!({ "code": code })).ok();
    let kinds = json!({ "kinds": { "budget": { "channels": ["page", "push", "email"] } } });
    house.client.put("/api/notices/preferences", kinds).ok();
    spend(&house.client, house.account, "2026-03-10", "FEIRA C", "90.00", Some(house.market));
    let pushed: Pushed = device.open(&service.wait_for(1)[0], app.clock.now());
    let notice = of_kind(&house.notices(), "budget").remove(0);
    assert_eq!((&notice["params"]["percent"], &notice["title"]), (&json!(100), &pushed.payload["title"]));
    assert_eq!((&pushed.payload["url"], &pushed.payload["tag"]), (&json!("/budgets"), &json!(pushed.topic)));
    assert_eq!(pushed.topic.len(), 32);
    let mail = mailbox.wait_for(2).remove(1);
    assert_eq!((mail.to.as_str(), mail.header("Subject").as_deref()), ("ana@example.com", notice["title"].as_str()));
    assert!(mail.header("Message-ID").unwrap().contains(&pushed.topic), "{mail:?}");
    assert!(!mail.text.contains("R$"), "{}", mail.text);
    // On the 13th the bill is due.
    app.clock.set_today(date!(2026 - 03 - 13));
    let due = eventually("the bill of today", || {
        let received = service.received();
        let titles = received.iter().map(|request| device.open(request, app.clock.now()));
        titles.into_iter().find(|pushed| pushed.payload["title"] == "Fatura Nubank vence hoje")
    });
    let bill = of_kind(&house.notices(), "bill_due").remove(0);
    let actions = json!([{ "action": format!("paid:{}", bill["id"]), "title": "Paguei" },
        { "action": format!("tomorrow:{}", bill["id"]), "title": "Amanhã" }]);
    assert_eq!(due.payload["actions"], actions);
    let paid = bill["params"]["credit_bill_id"].clone();
    house.client.post(&format!("/api/credit-bills/{paid}/pay"), json!({ "account_id": house.account })).ok();
    assert!(!of_kind(&house.notices(), "bill_due")[0]["settled_at"].is_null());
    assert_eq!(only(&house.notices(), "bill_closed")["kind"], "bill_closed");
    assert!(id(&bill) > 0);
}

#[test]
fn push_services_answer_in_every_way() {
    let (service, mailbox) = (Receiver::start(), Mailbox::start());
    let (app, house, device) = household(&service, &mailbox);
    let devices = || house.client.get("/api/notices/devices").ok();
    let test = || {
        let id = devices()[0]["id"].clone();
        house.client.post_nothing(&format!("/api/notices/devices/{id}/test")).expect(202);
        pass(&app, &app.channels);
    };
    assert_eq!(pass(&app, &app.channels), 0);
    for (answer, failure) in [
        ("201 Created", Value::Null),
        ("302 Found\r\nLocation: http://127.0.0.1:9/", json!("redirect")),
        ("500 Oops", json!("status")),
        ("429 Too Many Requests\r\nRetry-After: 7", json!("status")),
    ] {
        service.answers(answer);
        test();
        assert_eq!(devices()[0]["failure"], failure, "{answer}");
    }
    service.answers_by(|_| None);
    test();
    assert_eq!(devices()[0]["failure"], "connection");
    service.answers("201 Created");
    app.clock.advance(Duration::minutes(1));
    pass(&app, &app.channels);
    assert_eq!(devices()[0]["failure"], Value::Null);
    let received = service.received();
    let last = &received[received.len() - 2..];
    let topics: Vec<&str> = last.iter().map(|request| request.header("Topic").unwrap()).collect();
    assert_eq!(topics[0], topics[1], "the test that hung up is the same message");
    assert_eq!(device.open(&last[1], app.clock.now()).payload["title"], "Os avisos chegam aqui");
    service.answers("410 Gone");
    test();
    assert_eq!(devices(), json!([]));
}

#[test]
fn what_is_not_configured_is_not_lost() {
    let service = Receiver::start();
    let (app, house, device) = household(&service, &Mailbox::start());
    for _ in 0..2 {
        spend(&house.client, house.account, "2026-03-10", "PADARIA E", "7.00", None);
    }
    pass(&app, &Arc::new(Channels::default()));
    assert_eq!(service.received().len(), 0);
    app.clock.advance(Duration::minutes(1));
    pass(&app, &app.channels);
    let pushed = device.open(&service.wait_for(1)[0], app.clock.now());
    assert_eq!(pushed.payload["title"], "PADARIA E cobrou duas vezes?");
}

#[test]
fn a_slow_push_service_holds_up_nobody_else() {
    let (slow, quick) = (Receiver::start(), Receiver::start());
    let (app, house, device) = household(&slow, &Mailbox::start());
    let bia = app.user("bia");
    at_any_hour(&bia);
    let other = Device::new(&quick, 2);
    bia.post("/api/notices/devices", other.subscription()).created();
    assert_eq!(pass(&app, &app.channels), 0);
    let (release, held) = mpsc::channel::<()>();
    let held = Mutex::new(held);
    let (sender, asking) = mpsc::channel();
    slow.answers_by(move |_| {
        // Nobody waits for it any more if it was given up.
        let _ = sender.send(());
        let _ = held.lock().unwrap().recv();
        Some("201 Created".to_string())
    });
    let deliverer = app.deliver();
    for _ in 0..2 {
        spend(&house.client, house.account, "2026-03-10", "PADARIA E", "7.00", None);
    }
    asking.recv().unwrap();
    let account = json!({ "name": "Conta", "kind": "current", "opening_balance": "90.00" });
    let account = id(&bia.post("/api/accounts", account).created());
    for _ in 0..2 {
        spend(&bia, account, "2026-03-10", "FEIRA", "9.00", None);
    }
    assert_eq!(other.open(&quick.wait_for(1)[0], app.clock.now()).payload["title"], "FEIRA cobrou duas vezes?");
    // If it took longer than the service waits, it is sent again.
    drop(release);
    drop(deliverer);
    app.clock.advance(Duration::minutes(2));
    pass(&app, &app.channels);
    let received = slow.received();
    let topics: HashSet<&str> = received.iter().map(|request| request.header("Topic").unwrap()).collect();
    assert_eq!(topics.len(), 1);
    assert_eq!(device.open(&received[0], app.clock.now()).payload["title"], "PADARIA E cobrou duas vezes?");
    assert_eq!(app.rows("select 1 from notice_deliveries where state = 'delivered'").len(), 2);
}

#[test]
fn mail_servers_answer_in_every_way() {
    let mailbox = Mailbox::start();
    let app = TestApp::start_sending_by(channels(Some(&mailbox)));
    let house = Told::new(&app);
    at_any_hour(&house.client);
    house.client.post("/api/notices/email", json!({ "address": "ana@example.com" })).expect(202);
    pass(&app, &app.channels);
    let code = code_in(&mailbox.wait_for(1)[0].text);
    house.client.post("/api/notices/email/confirm", json!({ "code": code })).ok();
    let kinds =
        json!({ "kinds": { "budget": { "channels": ["email"] }, "repeated_charge": { "channels": ["email"] } } });
    house.client.put("/api/notices/preferences", kinds).ok();
    assert_eq!(pass(&app, &app.channels), 0, "what is known when the address is confirmed stays in the list");
    spend(&house.client, house.account, "2026-03-10", "FEIRA C", "90.00", Some(house.market));
    // Each answer is to the same command of the same mail, which is tried later each time.
    let tries = Arc::new(Mutex::new(Vec::<String>::new()));
    for (answer, failure) in [(Some("451 later"), "status"), (Some("554 spam"), "status"), (None, "connection")] {
        let own = Arc::clone(&tries);
        mailbox.answers_by(move |command| match command {
            "DATA END" => {
                own.lock().unwrap().push(failure.to_string());
                answer.map(str::to_string)
            }
            _ => Some(Mailbox::accepts(command)),
        });
        assert_eq!(pass(&app, &app.channels), 1, "{answer:?}");
        let stored = app.rows("select state, failure from notice_deliveries where state = 'pending'");
        assert_eq!(stored, [json!({ "state": "pending", "failure": failure })]);
        app.clock.advance(Duration::hours(1));
    }
    assert_eq!(tries.lock().unwrap().len(), 3);
    mailbox.accepts_all();
    assert_eq!(pass(&app, &app.channels), 1);
    let mail = mailbox.wait_for(2).remove(1);
    assert_eq!(mail.header("Subject").as_deref(), Some("Mercado passou de 100% do orçamento"));
    assert_eq!(app.rows("select 1 from notice_deliveries where state = 'delivered'").len(), 1);
    // Nothing goes to an address that was removed.
    house.client.delete("/api/notices/email").gone();
    for _ in 0..2 {
        spend(&house.client, house.account, "2026-03-10", "PADARIA E", "7.00", None);
    }
    assert_eq!(pass(&app, &app.channels), 0);
    assert_eq!(mailbox.received().len(), 2);
}
