//! What leaves the machine, when, and how often.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use finance_domain::Clock;
use finance_domain::credentials::Role;
use finance_domain::notices::{Destination, Message, NoticeSender, Outcome};
use finance_domain::store::Outbox;
use finance_domain::use_cases::turns::take_turn;
use finance_domain::webhooks::Failure;
use finance_tests::{Client, PASSWORD, TestApp, eventually};
use serde_json::{Value, json};
use time::macros::date;
use time::{Duration, OffsetDateTime, Time};

use super::devices::subscription;
use super::{Told, spend};
use crate::webhooks::Taking;

/// Sends what is due now, and returns when nothing more is: the turns that a deliverer takes, in the test's thread. Returns how many
/// turns sent something.
#[track_caller]
pub(crate) fn pass<S: NoticeSender + 'static>(app: &TestApp, sender: &Arc<S>) -> usize {
    let outbox: &dyn Outbox = app.store.as_ref();
    let mut senders = app.senders(Arc::new(Taking));
    senders.notices = sender.clone();
    let clock = || app.clock.now();
    let (mut sent, mut idle_looks) = (0, 0);
    while idle_looks < 2 {
        let due = outbox.profiles_due(clock(), app.clock.today(), 64).unwrap();
        let turn = |profile_id| take_turn(outbox, &senders, profile_id, &app.context(), &clock).unwrap();
        match due.into_iter().filter(|profile_id| turn(*profile_id)).count() {
            0 => idle_looks += 1,
            count => (sent, idle_looks) = (sent + count, 0),
        }
    }
    sent
}

/// A sender whose outcomes the test sets, and that keeps what it was to send.
#[derive(Default)]
struct Posted {
    outcome: Mutex<Option<Outcome>>,
    sent: Mutex<Vec<(String, Message)>>,
}

impl Posted {
    fn answers(&self, outcome: Outcome) {
        *self.outcome.lock().unwrap() = Some(outcome);
    }

    /// The endpoints or addresses and the messages since the last call.
    fn take(&self) -> Vec<(String, Message)> {
        std::mem::take(&mut self.sent.lock().unwrap())
    }

    /// The titles since the last call.
    fn titles(&self) -> Vec<String> {
        let mut titles: Vec<String> = self.take().into_iter().map(|(_, message)| message.title).collect();
        titles.sort();
        titles
    }
}

impl NoticeSender for Posted {
    fn push_key(&self) -> Option<&str> {
        Some("key")
    }

    fn has_mail(&self) -> bool {
        true
    }

    fn is_public_key(&self, _: &[u8]) -> bool {
        true
    }

    fn send(&self, destination: &Destination, message: &Message, _: OffsetDateTime) -> Outcome {
        let to = match destination {
            Destination::Push(target) => target.endpoint.clone(),
            Destination::Email(address) => address.clone(),
        };
        self.sent.lock().unwrap().push((to, message.clone()));
        self.outcome.lock().unwrap().unwrap_or(Outcome::Done)
    }
}

/// Sends some messages, and is killed at the next one: before it is sent, or once it has arrived.
struct Killed {
    posted: Arc<Posted>,
    /// How many it sends before.
    lives: usize,
    arrives: bool,
    tried: AtomicUsize,
}

impl Killed {
    fn after(lives: usize, posted: &Arc<Posted>, arrives: bool) -> Arc<Self> {
        Arc::new(Killed { posted: posted.clone(), lives, arrives, tried: AtomicUsize::new(0) })
    }
}

impl NoticeSender for Killed {
    fn push_key(&self) -> Option<&str> {
        None
    }

    fn has_mail(&self) -> bool {
        false
    }

    fn is_public_key(&self, _: &[u8]) -> bool {
        false
    }

    fn send(&self, destination: &Destination, message: &Message, now: OffsetDateTime) -> Outcome {
        let is_killed = self.tried.fetch_add(1, Ordering::Relaxed) == self.lives;
        let outcome = (!is_killed || self.arrives).then(|| self.posted.send(destination, message, now));
        match outcome {
            Some(outcome) if !is_killed => outcome,
            _ => std::panic::panic_any("the process is killed"),
        }
    }
}

fn sign_up(client: &Client, name: &str) -> Value {
    client.post("/api/notices/devices", subscription(&format!("http://127.0.0.1:9/{name}"))).created()
}

/// Sends at every hour, and every kind to devices.
pub(super) fn at_any_hour(client: &Client) {
    let kinds: serde_json::Map<String, Value> = [
        "bill_due",
        "bill_closed",
        "recurring_due",
        "recurring_late",
        "budget",
        "balance",
        "statement_missing",
        "price_changed",
        "repeated_charge",
    ]
    .map(|kind| (kind.to_string(), json!({ "channels": ["page", "push"] })))
    .into_iter()
    .collect();
    let body = json!({ "hour": "00:00", "quiet_from": "00:00", "quiet_to": "00:00", "kinds": kinds });
    client.put("/api/notices/preferences", body).ok();
}

/// The same client after another login: one of a day before has expired.
fn log_in(app: &TestApp, client: &Client, name: &str) -> Client {
    let login = app.anyone().post("/api/auth/login", json!({ "name": name, "password": PASSWORD })).ok();
    client.with_token(login["token"].as_str().unwrap())
}

/// Moves the clock on to the next time of day in UTC, which is the time zone of the tests, at which the household logs in anew.
fn advance_to(app: &TestApp, house: &mut Told, time: Time) {
    let now = app.clock.now();
    let mut at = now.replace_time(time);
    if at <= now {
        at += Duration::DAY;
    }
    app.clock.advance(at - now);
    house.client = log_in(app, &house.client, "ana");
}

#[test]
fn what_is_known_when_the_first_device_comes_stays_in_the_list() {
    let app = TestApp::start();
    let house = Told::new(&app);
    at_any_hour(&house.client);
    sign_up(&house.client, "a");
    let sender = Arc::new(Posted::default());
    assert_eq!(pass(&app, &sender), 0);
    assert_eq!(house.notices().len(), 8);
    spend(&house.client, house.account, "2026-03-10", "FEIRA C", "90.00", Some(house.market));
    pass(&app, &sender);
    let sent = sender.take();
    assert_eq!(sent.len(), 1, "{sent:?}");
    let (to, message) = &sent[0];
    assert_eq!((to.as_str(), message.title.as_str()), ("http://127.0.0.1:9/a", "Mercado passou de 100% do orçamento"));
    assert!(!message.body.contains("R$"), "{}", message.body);
    assert_eq!((message.url.as_str(), message.tag.len()), ("/budgets", 32));
    // The list, which stores too, does not send twice, and a second device is told only what comes after it.
    house.notices();
    sign_up(&house.client, "b");
    assert_eq!(pass(&app, &sender), 0);
    house.client.put("/api/notices/preferences", json!({ "amounts": true, "language": "en" })).ok();
    let row = spend(&house.client, house.account, "2026-03-10", "FEIRA D", "12.00", None);
    spend(&house.client, house.account, "2026-03-10", "FEIRA D", "12.00", None);
    // Whoever stores it first.
    house.notices();
    pass(&app, &sender);
    let sent = sender.take();
    let mut to: Vec<&str> = sent.iter().map(|(to, _)| to.as_str()).collect();
    to.sort_unstable();
    assert_eq!(to, ["http://127.0.0.1:9/a", "http://127.0.0.1:9/b"]);
    assert!(sent.iter().all(|(_, message)| message.body.contains("R$ 12.00")), "{sent:?}");
    assert_eq!(sent[0].1.tag, sent[1].1.tag);
    house.client.delete(&format!("/api/transactions/{row}")).gone();
    assert_eq!(pass(&app, &sender), 0);
}

#[test]
fn a_new_day_is_told_from_the_hour_on_and_nothing_in_quiet_hours() {
    let app = TestApp::start();
    let mut house = Told::new(&app);
    sign_up(&house.client, "a");
    let sender = Arc::new(Posted::default());
    advance_to(&app, &mut house, time::macros::time!(08:55));
    assert_eq!(pass(&app, &sender), 0);
    app.clock.set_today(date!(2026 - 03 - 13));
    assert_eq!(pass(&app, &sender), 0, "before nine");
    assert_eq!(app.rows("select 1 from notice_deliveries where state = 'pending'").len(), 1, "the bill");
    app.clock.advance(Duration::minutes(10));
    pass(&app, &sender);
    let due = sender.titles();
    assert!(due.contains(&"Fatura Nubank vence hoje".to_string()), "{due:?}");
    assert_eq!(pass(&app, &sender), 0, "once");
    // A repeated charge in the quiet hours is told after them.
    advance_to(&app, &mut house, time::macros::time!(22:00));
    for _ in 0..2 {
        spend(&house.client, house.account, "2026-03-13", "PADARIA E", "7.00", None);
    }
    assert_eq!(pass(&app, &sender), 0);
    advance_to(&app, &mut house, time::macros::time!(08:02));
    pass(&app, &sender);
    assert_eq!(sender.titles(), ["PADARIA E cobrou duas vezes?"]);
}

#[test]
fn the_preferences_of_then_judge() {
    let app = TestApp::start();
    let mut house = Told::new(&app);
    sign_up(&house.client, "a");
    let sender = Arc::new(Posted::default());
    advance_to(&app, &mut house, time::macros::time!(22:00));
    for _ in 0..2 {
        spend(&house.client, house.account, "2026-03-10", "PADARIA E", "7.00", None);
        spend(&house.client, house.account, "2026-03-10", "PADARIA F", "9.00", None);
    }
    assert_eq!(pass(&app, &sender), 0);
    // One is settled before it was sent.
    let repeated = super::of_kind(&house.notices(), "repeated_charge");
    let of = |name: &str| repeated.iter().find(|notice| notice["params"]["name"] == name).unwrap().clone();
    let row = &of("PADARIA F")["params"]["transaction_ids"][1];
    house.client.delete(&format!("/api/transactions/{row}")).gone();
    assert_eq!(pass(&app, &sender), 0);
    // No quiet hours any more: it is sent at once.
    house.client.put("/api/notices/preferences", json!({ "quiet_from": "00:00", "quiet_to": "00:00" })).ok();
    pass(&app, &sender);
    assert_eq!(sender.titles(), ["PADARIA E cobrou duas vezes?"]);
    let unwanted = json!({ "kinds": { "repeated_charge": { "channels": ["page"] } } });
    house.client.put("/api/notices/preferences", unwanted).ok();
    for _ in 0..2 {
        spend(&house.client, house.account, "2026-03-10", "PADARIA G", "3.00", None);
    }
    assert_eq!(pass(&app, &sender), 0);
    assert_eq!(super::of_kind(&house.notices(), "repeated_charge").len(), 4);
}

#[test]
fn thirty_a_day_are_sent_and_the_rest_is_listed() {
    let app = TestApp::start();
    let house = Told::new(&app);
    at_any_hour(&house.client);
    sign_up(&house.client, "a");
    sign_up(&house.client, "b");
    let sender = Arc::new(Posted::default());
    assert_eq!(pass(&app, &sender), 0);
    for letter in 'A'..='Z' {
        for amount in ["3.00", "4.00"] {
            for _ in 0..2 {
                let payee = format!("PADARIA {letter}{letter}{letter}");
                spend(&house.client, house.account, "2026-03-10", &payee, amount, None);
            }
        }
    }
    pass(&app, &sender);
    let sent = sender.take();
    let tags: HashSet<&str> = sent.iter().map(|(_, message)| message.tag.as_str()).collect();
    assert_eq!((tags.len(), sent.len()), (30, 60));
    assert_eq!(app.rows("select 1 from notices where kind = 'repeated_charge'").len(), 53);
    app.clock.set_today(date!(2026 - 03 - 11));
    assert!(pass(&app, &sender) <= 2, "yesterday's rest stays in the list");
}

#[test]
fn a_notice_that_was_put_off_is_sent_again_on_its_day() {
    let app = TestApp::start();
    let house = Told::new(&app);
    at_any_hour(&house.client);
    sign_up(&house.client, "a");
    let sender = Arc::new(Posted::default());
    for _ in 0..2 {
        spend(&house.client, house.account, "2026-03-10", "PADARIA E", "7.00", None);
    }
    pass(&app, &sender);
    let first = sender.take().remove(0).1;
    let notice = super::of_kind(&house.notices(), "repeated_charge").remove(0);
    let snooze = |until: Value| {
        house.client.post(&format!("/api/notices/{}/snooze", notice["id"]), json!({ "until": until })).ok()
    };
    snooze(json!("2026-03-12"));
    assert_eq!(pass(&app, &sender), 0);
    app.clock.set_today(date!(2026 - 03 - 11));
    pass(&app, &sender);
    assert!(!sender.titles().contains(&first.title));
    app.clock.set_today(date!(2026 - 03 - 12));
    pass(&app, &sender);
    let sent = sender.take();
    let again = &sent.iter().find(|(_, message)| message.title == first.title).expect("it is sent again").1;
    assert_eq!((&again.tag, again.message_id == first.message_id), (&first.tag, false));
    pass(&app, &sender);
    assert_eq!(sender.titles(), [""; 0]);
    // Put off and no longer: it was sent already.
    snooze(json!("2026-03-14"));
    snooze(Value::Null);
    app.clock.set_today(date!(2026 - 03 - 14));
    pass(&app, &sender);
    assert!(!sender.titles().contains(&first.title));
}

#[test]
fn a_failed_delivery_is_tried_for_a_day_as_the_same_message() {
    let app = TestApp::start();
    let house = Told::new(&app);
    at_any_hour(&house.client);
    let device = sign_up(&house.client, "a");
    let sender = Arc::new(Posted::default());
    sender.answers(Outcome::Failed(Failure::Timeout));
    for _ in 0..2 {
        spend(&house.client, house.account, "2026-03-10", "PADARIA E", "7.00", None);
    }
    pass(&app, &sender);
    let failure = |client: &Client| client.get("/api/notices/devices").ok()[0]["failure"].clone();
    assert_eq!(failure(&house.client), "timeout");
    sender.answers(Outcome::RetryAfter(Duration::minutes(50)));
    app.clock.advance(Duration::minutes(1));
    pass(&app, &sender);
    app.clock.advance(Duration::minutes(45));
    assert_eq!(pass(&app, &sender), 0, "the push service said when");
    app.clock.advance(Duration::minutes(6));
    pass(&app, &sender);
    let tried = sender.take();
    assert_eq!(tried.len(), 3);
    let same = |(_, message): &(String, Message)| (message.tag.clone(), message.message_id.clone());
    assert!(tried.iter().all(|one| same(one) == same(&tried[0])), "{tried:?}");
    sender.answers(Outcome::Failed(Failure::Connection));
    app.clock.advance(Duration::hours(24));
    pass(&app, &sender);
    app.clock.advance(Duration::hours(24));
    sender.take();
    assert_eq!(pass(&app, &sender), 0, "a day is over");
    // The login of two days before has expired, which ends no device.
    let ana = log_in(&app, &house.client, "ana");
    assert_eq!(failure(&ana), "connection");
    // Others are sent, and a device that is gone is no more.
    sender.answers(Outcome::Gone);
    ana.post_nothing(&format!("/api/notices/devices/{}/test", device["id"])).expect(202);
    pass(&app, &sender);
    assert_eq!(sender.titles(), ["Os avisos chegam aqui"]);
    assert_eq!(ana.get("/api/notices/devices").ok(), json!([]));
    assert_eq!(app.rows("select 1 from notice_deliveries"), [Value::Null; 0]);
}

#[test]
fn twenty_kills_lose_no_notice_and_each_has_one_topic() {
    let app = TestApp::start();
    let house = Told::new(&app);
    at_any_hour(&house.client);
    sign_up(&house.client, "a");
    let posted = Arc::new(Posted::default());
    pass(&app, &posted);
    posted.take();
    for number in 0..20 {
        let shop = format!("LOJA {}", char::from(b'A' + number));
        for _ in 0..2 {
            spend(&house.client, house.account, "2026-03-10", &shop, &format!("{}.00", 7 + number), None);
        }
    }
    for kill in 0..20 {
        let killed = Killed::after(kill % 2, &posted, kill % 3 == 0);
        let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| pass(&app, &killed)));
        assert!(caught.is_err(), "kill {kill}: nothing was left to send");
        app.clock.advance(Duration::seconds(61));
    }
    pass(&app, &posted);
    let mut topics: HashMap<String, HashSet<String>> = HashMap::new();
    let arrived = posted.take();
    for (_, message) in &arrived {
        topics.entry(message.title.clone()).or_default().insert(message.tag.clone());
    }
    assert!(topics.values().all(|tags| tags.len() == 1), "{topics:?}");
    let doubled = topics.keys().filter(|title| title.contains("cobrou duas vezes")).count();
    assert_eq!(doubled, 20, "{topics:?}");
    assert!(arrived.len() <= topics.len() + 20, "what was told is told again only after a kill");
    assert_eq!(app.rows("select 1 from notice_deliveries where state = 'pending'"), [Value::Null; 0]);
}

#[test]
fn a_turn_that_is_lost_is_taken_again_and_two_nodes_send_once() {
    let app = TestApp::start();
    let house = Told::new(&app);
    at_any_hour(&house.client);
    sign_up(&house.client, "a");
    let posted = Arc::new(Posted::default());
    assert_eq!(pass(&app, &posted), 0);
    for _ in 0..2 {
        spend(&house.client, house.account, "2026-03-10", "PADARIA E", "7.00", None);
    }
    let killed = Killed::after(0, &posted, false);
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| pass(&app, &killed)));
    assert!(caught.is_err());
    assert_eq!(pass(&app, &posted), 0, "the turn is the killed one's");
    app.clock.advance(Duration::seconds(61));
    pass(&app, &posted);
    assert_eq!(
        (killed.tried.load(Ordering::Relaxed), posted.titles()),
        (1, vec!["PADARIA E cobrou duas vezes?".to_string()])
    );
    // Two nodes deliver at the same time.
    let mut senders = app.senders(Arc::new(Taking));
    senders.notices = posted.clone();
    let _nodes = [app.deliver_with(senders.clone()), app.deliver_with(senders)];
    for amount in 1..=20 {
        for _ in 0..2 {
            spend(&house.client, house.account, "2026-03-10", "PADARIA H", &format!("{amount}.00"), None);
        }
    }
    let delivered = || {
        let rows = app.rows("select 1 from notice_deliveries where state = 'delivered' and delivered_at is not null");
        (rows.len() == 21).then_some(())
    };
    eventually("all are sent", delivered);
    let sent = posted.take();
    let tags: HashSet<&str> = sent.iter().map(|(_, message)| message.tag.as_str()).collect();
    assert_eq!((sent.len(), tags.len()), (20, 20));
}

#[test]
fn a_viewer_is_told_as_everybody_is() {
    let app = TestApp::start();
    let mut house = Told::new(&app);
    let viewer = app.member(&house.client, "bia", Role::Viewer);
    at_any_hour(&viewer);
    sign_up(&viewer, "bia");
    let sender = Arc::new(Posted::default());
    assert_eq!(pass(&app, &sender), 0);
    spend(&house.client, house.account, "2026-03-10", "FEIRA C", "90.00", Some(house.market));
    pass(&app, &sender);
    let sent = sender.take();
    assert_eq!(sent.iter().map(|(to, _)| to.as_str()).collect::<Vec<_>>(), ["http://127.0.0.1:9/bia"]);
    // At 08:59 nothing is sent that waits for nine.
    viewer.put("/api/notices/preferences", json!({ "hour": "09:00" })).ok();
    app.clock.set_today(date!(2026 - 03 - 13));
    advance_to(&app, &mut house, time::macros::time!(08:59));
    assert_eq!(pass(&app, &sender), 0);
    app.clock.advance(Duration::minutes(1));
    pass(&app, &sender);
    assert!(sender.titles().contains(&"Fatura Nubank vence hoje".to_string()));
    // A member who is removed is told nothing any more.
    let member = log_in(&app, &viewer, "bia").get("/api/auth/me").ok()["member_id"].clone();
    house.client.delete(&format!("/api/members/{member}")).gone();
    house.client.get("/api/notices").ok();
    assert_eq!(pass(&app, &sender), 0);
    assert_eq!(app.rows("select 1 from push_devices"), [Value::Null; 0]);
}
