//! `/api/webhooks`: which events are sent, how they are signed, to which addresses they may go, and that each is sent again
//! until it is accepted.

mod makers;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use finance_adapters_delivery::{DELIVERIES_AT_ONCE_MAX, HttpSender};
use finance_domain::Clock;
use finance_domain::store::Outbox;
use finance_domain::use_cases::turns::take_turn;
use finance_domain::webhooks::{
    Attempt, DELIVERIES_PENDING_MAX, Failure, LEASE_SECONDS, Outgoing, TURNS_BETWEEN_FORGETTING, WebhookSender,
};
use finance_tests::{Citus, Client, Receiver, TestApp, eventually, ofx};
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::Sha256;
use time::macros::date;
use time::{Duration, OffsetDateTime};

const EVENTS: [&str; 5] = ["import.confirmed", "bill.closed", "bill.due", "budget.exceeded", "transaction.created"];

pub(crate) fn hook(client: &Client, url: &str, events: &[&str]) -> Value {
    client.post("/api/webhooks", json!({ "url": url, "events": events })).created()
}

fn expense(amount: &str) -> Value {
    json!({ "type": "expense", "date": "2026-03-10", "description": "Padaria", "amount": amount })
}

fn deliveries(client: &Client, webhook: &Value) -> Vec<Value> {
    let path = format!("/api/webhooks/{}/deliveries", webhook["id"]);
    client.get(&path).ok().as_array().unwrap().clone()
}

/// The types of the deliveries, the oldest first.
fn types(client: &Client, webhook: &Value) -> Vec<String> {
    deliveries(client, webhook).iter().rev().map(|one| one["type"].as_str().unwrap().to_string()).collect()
}

/// Waits until all deliveries are as expected, and returns them.
#[track_caller]
fn wait_until(client: &Client, webhook: &Value, is_as_expected: impl Fn(&Value) -> bool) -> Vec<Value> {
    eventually("the deliveries are as expected", || {
        let found = deliveries(client, webhook);
        (!found.is_empty() && found.iter().all(&is_as_expected)).then_some(found)
    })
}

/// Delivers what is due now, and returns when nothing more is: the turns that a deliverer takes, in the test's thread. Returns how
/// many deliveries were sent.
#[track_caller]
pub(crate) fn pass(app: &TestApp, sender: Arc<dyn WebhookSender>) -> usize {
    let outbox: &dyn Outbox = app.store.as_ref();
    let clock = || app.clock.now();
    let senders = app.senders(sender);
    let turn = |profile_id| take_turn(outbox, &senders, profile_id, &app.context(), &clock).unwrap();
    let (mut sent, mut idle_looks) = (0, 0);
    // A turn that finds a closed bill stores its event, and the next turn sends it.
    while idle_looks < 2 {
        let due = outbox.profiles_due(clock(), app.clock.today(), 64).unwrap();
        match due.into_iter().filter(|profile_id| turn(*profile_id)).count() {
            0 => idle_looks += 1,
            count => (sent, idle_looks) = (sent + count, 0),
        }
    }
    sent
}

#[test]
fn a_webhook_tells_its_secret_once_and_a_profile_has_ten() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let made = hook(&ana, "https://hooks.example/x", &["bill.due", "bill.due", "import.confirmed"]);
    let secret = made["secret"].as_str().unwrap();
    assert!(secret.starts_with("whs_") && secret.len() == 47, "{secret}");
    assert_eq!(made["events"], json!(["bill.due", "import.confirmed"]));
    let mut listed = made.clone();
    listed.as_object_mut().unwrap().remove("secret");
    assert_eq!(ana.get("/api/webhooks").ok(), json!([listed]));
    for _ in 1..10 {
        assert_ne!(hook(&ana, "https://hooks.example/x", &EVENTS)["secret"], made["secret"]);
    }
    let eleventh = json!({ "url": "https://hooks.example/x", "events": EVENTS });
    ana.post("/api/webhooks", eleventh).problem(409, "ErrLimitReached");
    let path = format!("/api/webhooks/{}", made["id"]);
    ana.delete(&path).gone();
    ana.delete(&path).problem(404, "ErrNotFound");
    ana.get(&format!("{path}/deliveries")).problem(404, "ErrNotFound");
    let send = |body: Value| ana.post("/api/webhooks", body);
    send(json!({})).invalid(&["url", "events"]);
    send(json!({ "url": "ftp://x", "events": [] })).invalid(&["url", "events"]);
    send(json!({ "url": "https://a.example", "events": ["bill.due", "bill.paid", 7] }))
        .invalid(&["events[1]", "events[2]"]);
    assert!(!ana.get("/api/export").ok().to_string().contains("hooks.example"));
}

#[test]
fn what_happens_is_told_in_the_words_of_the_document() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let account = ana.open_account("Conta", "current");
    ana.post("/api/transactions", expense("1.00")).created();
    let all = hook(&ana, "https://hooks.example/x", &EVENTS);
    let imports = hook(&ana, "https://hooks.example/y", &["import.confirmed"]);
    assert_eq!(types(&ana, &all), [""; 0], "nothing from before");
    ana.post("/api/transactions", expense("12.00")).created();
    let file = ofx(&[("20260301", "-10.00", "A1", "Padaria"), ("20260302", "25.00", "A2", "Venda")]);
    ana.import(Some(account), &file).created();
    ana.import(Some(account), &file).created();
    assert_eq!(types(&ana, &all), ["transaction.created", "import.confirmed"], "imported rows are told of together");
    assert_eq!(types(&ana, &imports), ["import.confirmed"]);
    let of = |webhook: &Value| deliveries(&ana, webhook)[0]["event_id"].clone();
    assert_eq!(of(&all), of(&imports), "an event has one id");
    let delivery = &deliveries(&ana, &imports)[0];
    assert_eq!((&delivery["state"], &delivery["attempts"]), (&json!("pending"), &json!(0)));
    assert_eq!((&delivery["response_status"], &delivery["error"]), (&Value::Null, &Value::Null));
    // A refused request makes no event.
    ana.post("/api/transactions", json!({ "type": "expense" })).problem(422, "ErrValidation");
    let rows = app.rows("select data from webhook_deliveries where kind = 'import.confirmed'");
    let data: Value = serde_json::from_str(rows[0]["data"].as_str().unwrap()).unwrap();
    assert_eq!((&data["account_id"], &data["inserted"], &data["skipped"]), (&json!(account), &json!(2), &json!(0)));
}

#[test]
fn a_budget_is_told_once_in_its_month_when_a_write_passes_it() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let pets = ana.create("/api/categories", json!({ "name": "Pets", "monthly_budget": "100.00" }));
    let all = hook(&ana, "https://hooks.example/x", &["budget.exceeded"]);
    let spend = |amount: &str, date: &str| {
        let mut body = expense(amount);
        (body["category_id"], body["date"]) = (json!(pets), json!(date));
        ana.post("/api/transactions", body).created();
    };
    spend("100.00", "2026-03-01");
    spend("900.00", "2026-02-01");
    assert_eq!(types(&ana, &all), [""; 0], "exactly the budget, and another month");
    spend("0.01", "2026-03-02");
    spend("5.00", "2026-03-03");
    assert_eq!(types(&ana, &all), ["budget.exceeded"]);
    let rows = app.rows("select data from webhook_deliveries");
    let data: Value = serde_json::from_str(rows[0]["data"].as_str().unwrap()).unwrap();
    assert_eq!(data, json!({ "category_id": pets, "month": "2026-03", "budget": "100.00", "spent": "100.01" }));
    app.clock.set_today(date!(2026 - 04 - 02));
    spend("200.00", "2026-04-01");
    assert_eq!(types(&ana, &all).len(), 2);
    // A budget is lowered below the amount that was spent.
    let cars = ana.create("/api/categories", json!({ "name": "Carros" }));
    let mut body = expense("50.00");
    (body["category_id"], body["date"]) = (json!(cars), json!("2026-04-01"));
    ana.post("/api/transactions", body).created();
    assert_eq!(types(&ana, &all).len(), 2);
    ana.put(&format!("/api/categories/{cars}"), json!({ "name": "Carros", "monthly_budget": "49.99" })).ok();
    assert_eq!(types(&ana, &all).len(), 3);
}

#[test]
fn a_budget_that_a_restored_profile_exceeds_is_told_with_the_restore() {
    let app = TestApp::start();
    let (ana, bia) = (app.user("ana"), app.user("bia"));
    let spent = |category: &Value| {
        let mut body = expense("150.00");
        body["category_id"] = category.clone();
        body
    };
    let pets = ana.create("/api/categories", json!({ "name": "Pets", "monthly_budget": "100.00" }));
    ana.create("/api/categories", json!({ "name": "Carros", "monthly_budget": "100.00" }));
    ana.post("/api/transactions", spent(&json!(pets))).created();
    let document = ana.get("/api/export").ok();
    let all = hook(&bia, "https://hooks.example/x", &["budget.exceeded"]);
    bia.post("/api/restore", document).ok();
    assert_eq!(types(&bia, &all), ["budget.exceeded"]);
    let rows = app.rows("select data from webhook_deliveries");
    let data: Value = serde_json::from_str(rows[0]["data"].as_str().unwrap()).unwrap();
    let categories = bia.get("/api/categories").ok();
    let pets = categories.as_array().unwrap().iter().find(|category| category["name"] == "Pets").unwrap();
    assert_eq!((&data["category_id"], &data["spent"]), (&pets["id"], &json!("150.00")));
    bia.post("/api/transactions", spent(&pets["id"])).created();
    assert_eq!(types(&bia, &all), ["budget.exceeded"], "once in its month");
}

#[test]
fn a_bill_is_told_when_it_closes_and_before_it_is_due_each_once() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let card = ana.open_card("Cartão", 20, 27);
    let mut body = expense("80.00");
    body["account_id"] = json!(card);
    ana.post("/api/transactions", body).created();
    let all = hook(&ana, "https://hooks.example/x", &["bill.closed", "bill.due"]);
    assert_eq!(pass(&app, Arc::new(Taking)), 0, "the bill is open");
    for (today, count) in
        [(date!(2026 - 03 - 20), 1), (date!(2026 - 03 - 23), 0), (date!(2026 - 03 - 24), 1), (date!(2026 - 03 - 26), 0)]
    {
        app.clock.set_today(today);
        app.clock.advance(Duration::minutes(61));
        assert_eq!(pass(&app, Arc::new(Taking)), count, "{today}");
        assert_eq!(pass(&app, Arc::new(Taking)), 0, "{today}: sent twice");
    }
    assert_eq!(types(&ana, &all), ["bill.closed", "bill.due"]);
    let rows = app.rows("select data from webhook_deliveries where kind = 'bill.due'");
    let data: Value = serde_json::from_str(rows[0]["data"].as_str().unwrap()).unwrap();
    assert_eq!(
        (&data["account_id"], &data["closing_date"], &data["due_date"]),
        (&json!(card), &json!("2026-03-20"), &json!("2026-03-27"))
    );
    assert_eq!((&data["total"], &data["amount_due"]), (&json!("80.00"), &json!("80.00")));
}

#[test]
fn a_delivery_is_signed_and_tells_what_happened() {
    let app = TestApp::start();
    let (ana, receiver) = (app.user("ana"), Receiver::start());
    let made = hook(&ana, &receiver.url("/finance?key=1"), &["transaction.created"]);
    let _deliverer = app.deliver();
    let before = app.clock.now().unix_timestamp();
    let id = ana.create("/api/transactions", expense("12.30"));
    let received = receiver.wait_for(1).remove(0);
    assert_eq!(received.head[0], "POST /finance?key=1 HTTP/1.1");
    assert_eq!(received.header("Content-Type"), Some("application/json"));
    let sent = received.json();
    let delivery = wait_until(&ana, &made, |one| one["state"] == "delivered").remove(0);
    assert_eq!((&sent["id"], &sent["type"]), (&delivery["event_id"], &json!("transaction.created")));
    assert_eq!(sent["created_at"], delivery["created_at"]);
    let data = json!({ "transaction_id": id, "type": "expense", "date": "2026-03-10", "amount": "12.30", "account_id": null,
        "category_id": null });
    assert_eq!(sent["data"], data, "ids, dates and amounts, and nothing that somebody wrote");
    assert_eq!((&delivery["attempts"], &delivery["response_status"]), (&json!(1), &json!(204)));
    assert_eq!((&delivery["next_attempt_at"], &delivery["error"]), (&Value::Null, &Value::Null));
    // The signature is computed as the documents describe it.
    let signature = received.header("Finance-Signature").unwrap();
    let (time, v1) = signature.strip_prefix("t=").unwrap().split_once(",v1=").unwrap();
    let seconds: i64 = time.parse().unwrap();
    assert!((before..=app.clock.now().unix_timestamp()).contains(&seconds), "{time}");
    let mut mac = <Hmac<Sha256>>::new_from_slice(made["secret"].as_str().unwrap().as_bytes()).unwrap();
    mac.update(format!("{time}.{}", received.body).as_bytes());
    let expected: String = mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(v1, expected);
}

#[test]
fn what_fails_is_sent_again_with_growing_waits_and_given_up_after_a_day() {
    let app = TestApp::start();
    let (ana, receiver) = (app.user("ana"), Receiver::start());
    receiver.answers("500 Internal Server Error");
    let made = hook(&ana, &receiver.url("/"), &["transaction.created"]);
    let sender = Arc::new(HttpSender::new(true));
    ana.post("/api/transactions", expense("1.00")).created();
    for (attempt, wait) in [(1, 30), (2, 120), (3, 480)] {
        assert_eq!(pass(&app, sender.clone()), 1);
        let delivery = deliveries(&ana, &made).remove(0);
        assert_eq!((&delivery["response_status"], &delivery["attempts"]), (&json!(500), &json!(attempt)));
        assert_eq!((&delivery["state"], &delivery["error"]), (&json!("pending"), &json!("status")));
        assert!(delivery["next_attempt_at"].is_string());
        // The test has the rest of the wait, at least 20 s, for this.
        app.clock.advance(Duration::seconds(wait / 3));
        assert_eq!(pass(&app, sender.clone()), 0, "attempt {attempt} is not repeated at once");
        app.clock.advance(Duration::seconds(wait - wait / 3 + 1));
    }
    assert_eq!(pass(&app, sender.clone()), 1);
    assert_eq!(deliveries(&ana, &made)[0]["attempts"], 4);
    app.clock.advance(Duration::hours(23) + Duration::minutes(40));
    assert_eq!(pass(&app, sender.clone()), 1);
    let delivery = deliveries(&ana, &made).remove(0);
    assert_eq!((&delivery["state"], &delivery["attempts"]), (&json!("failed"), &json!(5)));
    assert_eq!(delivery["next_attempt_at"], Value::Null);
    assert_eq!(receiver.received().len(), 5);
    let bodies: Vec<String> = receiver.received().into_iter().map(|received| received.body).collect();
    assert!(bodies.iter().all(|body| *body == bodies[0]), "the same event with the same id");
    // A delivery that is sent again by hand is tried for another day.
    receiver.answers("200 OK");
    let path = format!("/api/webhooks/{}/deliveries/{}/send", made["id"], delivery["id"]);
    assert_eq!(ana.post_nothing(&path).ok()["state"], "pending");
    assert_eq!(pass(&app, sender.clone()), 1);
    let delivery = deliveries(&ana, &made).remove(0);
    assert_eq!(delivery["state"], "delivered");
    assert_eq!((&delivery["response_status"], &delivery["attempts"]), (&json!(200), &json!(6)));
    ana.post_nothing(&format!("/api/webhooks/{}/deliveries/9000000000/send", made["id"])).problem(404, "ErrNotFound");
}

#[test]
fn redirects_are_not_followed() {
    let app = TestApp::start();
    let (ana, receiver, other) = (app.user("ana"), Receiver::start(), Receiver::start());
    receiver.answers(&format!("302 Found\r\nLocation: {}", other.url("/")));
    let made = hook(&ana, &receiver.url("/"), &["transaction.created"]);
    let _deliverer = app.deliver();
    ana.post("/api/transactions", expense("1.00")).created();
    let delivery = wait_until(&ana, &made, |one| one["error"] == "redirect").remove(0);
    assert_eq!((&delivery["response_status"], &delivery["state"]), (&json!(302), &json!("pending")));
    assert!(other.received().is_empty());
}

#[test]
fn private_addresses_are_refused_also_after_a_name_was_resolved() {
    let app = TestApp::start_without_private_webhooks();
    let (ana, receiver) = (app.user("ana"), Receiver::start());
    let port = receiver.port();
    for host in [
        "127.0.0.1",
        "localhost",
        "LOCALHOST.",
        "10.0.0.1",
        "192.168.0.1",
        "169.254.169.254",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[fe80::1]",
        "[fd00::1]",
        "0.0.0.0",
        "100.64.0.1",
        "2130706433",
        "0x7f000001",
        "127.1",
        "0177.0.0.1",
    ] {
        let body = json!({ "url": format!("http://{host}:{port}/"), "events": ["transaction.created"] });
        ana.post("/api/webhooks", body).invalid(&["url"]);
    }
    // This test changes the address in the table, as if the check at the creation did not exist or the name's address had
    // changed.
    let made = hook(&ana, "https://hooks.example/x", &["transaction.created"]);
    let sender = Arc::new(HttpSender::new(false));
    // A name that resolves to no address at all. No server is asked for it, because it is too long.
    let nobody = format!("{}.example", "x".repeat(64));
    for host in ["localhost", "127.0.0.1", "2130706433", "0x7f000001", "127.1", "[::1]", "[::ffff:127.0.0.1]", &nobody]
    {
        app.sql(&format!("delete from webhook_deliveries; update webhooks set url = 'http://{host}:{port}/'"));
        ana.post("/api/transactions", expense("1.00")).created();
        assert_eq!(pass(&app, sender.clone()), 1, "{host}");
        let delivery = deliveries(&ana, &made).remove(0);
        let expected = (&json!(1), &json!("unresolved"));
        assert_eq!(
            (&delivery["attempts"], &delivery["error"]),
            expected,
            "the network of the service is not told: {host}"
        );
    }
    // Earlier versions stored another word for private addresses.
    app.sql("update webhook_deliveries set failure = 'private_address'");
    let listed = ana.get(&format!("/api/webhooks/{}/deliveries", made["id"])).ok();
    assert_eq!(listed[0]["error"], "unresolved");
    assert!(receiver.received().is_empty());
}

/// Accepts every delivery, and sends nothing.
pub(crate) struct Taking;

impl WebhookSender for Taking {
    fn send(&self, _: &Outgoing, _: OffsetDateTime) -> Attempt {
        Attempt { status: Some(204), failure: None }
    }
}

/// The sender of one of two nodes. It answers when both nodes are sending, and keeps the ids of the events that it sent.
struct Together {
    node: usize,
    begun: Arc<[AtomicBool; 2]>,
    sent: Arc<Mutex<Vec<String>>>,
}

impl WebhookSender for Together {
    fn send(&self, outgoing: &Outgoing, _: OffsetDateTime) -> Attempt {
        self.begun[self.node].store(true, Ordering::SeqCst);
        eventually("both nodes send", || self.begun.iter().all(|begun| begun.load(Ordering::SeqCst)).then_some(()));
        self.sent.lock().unwrap().push(outgoing.event_id.clone());
        Attempt { status: Some(200), failure: None }
    }
}

#[test]
fn two_nodes_send_each_delivery_once() {
    // More than one node takes at once.
    const PROFILES: usize = DELIVERIES_AT_ONCE_MAX + 2;
    const EVENTS: usize = 5;
    let app = TestApp::start();
    let there = app.another_node();
    let users: Vec<Client> = (0..PROFILES).map(|at| app.user(&format!("user {at}"))).collect();
    let hooks: Vec<Value> =
        users.iter().map(|user| hook(user, "https://hooks.example/x", &["transaction.created"])).collect();
    for user in &users {
        for _ in 0..EVENTS {
            user.post("/api/transactions", expense("1.00")).created();
        }
    }
    let (begun, sent) = (Arc::<[AtomicBool; 2]>::default(), Arc::<Mutex<Vec<String>>>::default());
    let sender = |node| Together { node, begun: begun.clone(), sent: sent.clone() };
    let _deliverers = [app.deliver_by(sender(0)), there.deliver_by(sender(1))];
    for (user, hook) in users.iter().zip(&hooks) {
        assert_eq!(wait_until(user, hook, |one| one["state"] == "delivered" && one["attempts"] == 1).len(), EVENTS);
    }
    let mut ids = sent.lock().unwrap().clone();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!((ids.len(), sent.lock().unwrap().len()), (PROFILES * EVENTS, PROFILES * EVENTS));
}

#[test]
fn a_deliverer_that_dies_loses_its_turn_and_another_sends() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let made = hook(&ana, "https://hooks.example/x", &["transaction.created"]);
    ana.post("/api/transactions", expense("1.00")).created();
    // The state that a process leaves if it is killed while it sends.
    app.sql(
        "update webhook_deliveries set attempts = 1, next_attempt_at = now() + interval '1 hour';
        update profiles set webhooks_leased_until = now() + interval '1 hour'",
    );
    assert_eq!(pass(&app, Arc::new(Taking)), 0, "the turn is another's");
    assert_eq!(deliveries(&ana, &made)[0]["state"], "pending");
    app.clock.advance(Duration::minutes(61));
    assert_eq!(pass(&app, Arc::new(Taking)), 1);
    let delivery = deliveries(&ana, &made).remove(0);
    assert_eq!((&delivery["state"], &delivery["attempts"]), (&json!("delivered"), &json!(2)));
}

#[test]
fn a_profile_without_webhooks_keeps_nothing() {
    let app = TestApp::start();
    let (ana, bia) = (app.user("ana"), app.user("bia"));
    hook(&bia, "https://hooks.example/x", &EVENTS);
    ana.post("/api/transactions", expense("1.00")).created();
    assert_eq!(app.rows("select * from webhook_deliveries"), Vec::<Value>::new());
    let due = app.rows("select id from profiles where webhooks_due_at is not null");
    assert_eq!(due.len(), 1, "bia's, whose bills are to be looked at");
}

#[test]
fn deliveries_are_forgotten_after_a_month() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let made = hook(&ana, "https://hooks.example/x", &["transaction.created"]);
    ana.post("/api/transactions", expense("1.00")).created();
    assert_eq!(pass(&app, Arc::new(Failing)), 1);
    let delivery = deliveries(&ana, &made).remove(0);
    assert_eq!((&delivery["attempts"], &delivery["error"]), (&json!(1), &json!("timeout")));
    // The time is longer than a login is valid, so the test reads the table.
    let stored = || json!(app.rows("select state, attempts from webhook_deliveries"));
    app.clock.advance(Duration::hours(25));
    assert_eq!(pass(&app, Arc::new(Failing)), 1);
    assert_eq!(stored(), json!([{ "state": "failed", "attempts": 2 }]));
    app.clock.advance(Duration::days(31));
    assert_eq!(pass(&app, Arc::new(Failing)), 0);
    assert_eq!(stored(), json!([]));
}

/// Stores deliveries of all webhooks, as many as given of each.
fn fill(app: &TestApp, count: usize, state: &str, created_at: &str, next_attempt_at: &str) {
    app.sql(&format!(
        "insert into webhook_deliveries (profile_id, webhook_id, event_id, kind, data, state, created_at, next_attempt_at)
        select w.profile_id, w.id, gen_random_uuid(), 'transaction.created', '{{}}', '{state}', {created_at}, {next_attempt_at}
        from webhooks w cross join generate_series(1, {count}) as number"
    ));
}

#[test]
fn the_oldest_of_too_many_deliveries_that_wait_are_dropped() {
    let app = TestApp::start();
    let ana = app.user("ana");
    for name in ["a", "b"] {
        hook(&ana, &format!("https://hooks.example/{name}"), &["transaction.created"]);
    }
    fill(&app, 1, "pending", "now() - interval '2 days'", "now() + interval '1 hour'");
    let oldest = app.rows("select id from webhook_deliveries");
    app.sql(&format!(
        "insert into webhook_deliveries (profile_id, webhook_id, event_id, kind, data, next_attempt_at)
        select profile_id, min(id), gen_random_uuid(), 'transaction.created', '{{}}', now() + interval '1 hour'
        from webhooks cross join generate_series(1, {DELIVERIES_PENDING_MAX}) as number group by profile_id, number"
    ));
    assert_eq!(pass(&app, Arc::new(Taking)), 0, "nothing is due");
    let left = app.rows("select count(*) from webhook_deliveries group by webhook_id order by webhook_id");
    assert_eq!(json!(left), json!([{ "count": DELIVERIES_PENDING_MAX }, { "count": 1 }]));
    let ids: Vec<String> = oldest.iter().map(|row| row["id"].to_string()).collect();
    let left = app.rows(&format!("select id from webhook_deliveries where id in ({})", ids.join(",")));
    assert_eq!(left.len(), 1, "the first one of the webhook with too many is gone");
}

#[test]
fn deliveries_are_forgotten_also_while_others_wait_to_be_sent() {
    if Citus::of_environment().is_some() {
        eprintln!("not run on Citus: ids do not follow one another");
        return;
    }
    let app = TestApp::start();
    let ana = app.user("ana");
    hook(&ana, "https://hooks.example/x", &["transaction.created"]);
    fill(&app, 1, "delivered", "now() - interval '40 days'", "now() - interval '40 days'");
    let queued = usize::try_from(TURNS_BETWEEN_FORGETTING).unwrap() + 1;
    fill(&app, queued, "pending", "now()", "now() - interval '1 minute'");
    let outbox: &dyn Outbox = app.store.as_ref();
    let clock = || app.clock.now();
    let (senders, profile_id) = (app.senders(Arc::new(Taking)), ana.caller().profile_id);
    for _ in 1..queued {
        assert!(take_turn(outbox, &senders, profile_id, &app.context(), &clock).unwrap());
    }
    let left =
        app.rows("select count(*), count(*) filter (where state = 'pending') as pending from webhook_deliveries");
    assert_eq!(json!(left), json!([{ "count": queued, "pending": 1 }]));
}

#[test]
fn a_profile_whose_turn_fails_leaves_the_turns_to_others_for_as_long_as_a_turn_lasts() {
    let app = TestApp::start_alone();
    let (ana, bia) = (app.user("ana"), app.user("bia"));
    for client in [&ana, &bia] {
        hook(client, "https://hooks.example/x", &["transaction.created"]);
        client.post("/api/transactions", expense("1.00")).created();
    }
    let (broken, sound) = (ana.caller().profile_id, bia.caller().profile_id);
    // It is due for its notices, too.
    app.sql(&format!("update profiles set notices_on = '2026-01-01' where id = {broken}"));
    app.sql(&format!(
        "create function refuse() returns boolean language plpgsql as $$ begin raise exception 'broken'; end $$;
        alter policy webhook_deliveries_isolation on webhook_deliveries
            using (profile_id = current_profile_id() and (profile_id <> {broken} or refuse()))"
    ));
    let outbox: &dyn Outbox = app.store.as_ref();
    let clock = || app.clock.now();
    let senders = app.senders(Arc::new(Taking));
    let due = || outbox.profiles_due(clock(), app.clock.today(), 64).unwrap();
    let turn = |profile_id| take_turn(outbox, &senders, profile_id, &app.context(), &clock);
    assert_eq!(due(), [broken, sound], "the one that waits longest is first");
    turn(broken).unwrap_err();
    assert_eq!(due(), [sound]);
    assert!(!turn(broken).unwrap(), "no other node tries it either");
    assert!(turn(sound).unwrap());
    app.clock.advance(Duration::seconds(LEASE_SECONDS));
    assert_eq!(due(), [broken]);
    turn(broken).unwrap_err();
    app.sql(
        "alter policy webhook_deliveries_isolation on webhook_deliveries using (profile_id = current_profile_id())",
    );
    app.clock.advance(Duration::seconds(LEASE_SECONDS));
    assert!(turn(broken).unwrap(), "its delivery is not lost");
}

/// Every delivery fails with a timeout.
struct Failing;

impl WebhookSender for Failing {
    fn send(&self, _: &Outgoing, _: OffsetDateTime) -> Attempt {
        Attempt { status: None, failure: Some(Failure::Timeout) }
    }
}

#[test]
fn forgetting_reads_each_kept_delivery_a_few_times_however_many_there_are() {
    if Citus::of_environment().is_some() {
        eprintln!("not run on Citus: the counters are those of the workers");
        return;
    }
    let app = TestApp::start_alone();
    let ana = app.user("ana");
    for number in 0..10 {
        hook(&ana, &format!("https://hooks.example/{number}"), &["transaction.created"]);
    }
    const KEPT: i64 = 950;
    const GONE: i64 = 10;
    app.sql(&format!(
        "insert into webhook_deliveries (profile_id, webhook_id, event_id, kind, data, state, created_at)
        select w.profile_id, w.id, gen_random_uuid(), 'transaction.created', '{{}}', 'delivered',
            now() - interval '40 days' * (number <= {GONE})::int
        from webhooks w cross join generate_series(1, {KEPT} + {GONE}) as number;
        analyze webhook_deliveries"
    ));
    let read = "select sum(idx_tup_read)::bigint + (select sum(seq_tup_read)::bigint from pg_stat_user_tables
            where relname like 'webhook_deliveries%') as read,
            (select sum(n_tup_del)::bigint from pg_stat_user_tables where relname like 'webhook_deliveries%') as gone
        from pg_stat_user_indexes where relname like 'webhook_deliveries%'";
    let number = |name: &str| app.rows(read)[0][name].as_i64().unwrap_or_default();
    let before = number("read");
    let _deliverer = app.deliver_by(Failing);
    // A connection tells its counters some seconds after its work.
    eventually("the counters of the deletion", || (number("gone") >= 10 * GONE).then_some(()));
    assert_eq!(app.rows("select count(*) from webhook_deliveries")[0]["count"], 10 * KEPT);
    let (kept, read) = (10 * (KEPT + GONE), number("read") - before);
    assert!(number("gone") >= 10 * GONE && read <= 20 * kept, "{read} entries read of {kept} deliveries");
}
