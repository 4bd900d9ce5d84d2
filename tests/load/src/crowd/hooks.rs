//! The webhooks of the profiles under load: a receiver that refuses some events at first, and the check of what has arrived.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use diesel::connection::SimpleConnection;
use diesel::{Connection, PgConnection};
use finance_tests::{Client, Receiver, rows};
use serde_json::{Value, json};

use super::worker::ROWS;

/// The events that the webhooks receive: those of the actions that the workers count.
const EVENTS: [&str; 2] = ["transaction.created", "import.confirmed"];
/// On its first delivery, one event in this many is refused with 503, and one in this many gets no answer. An event is refused
/// only once, because the wait after a second failure is longer than a run.
const REFUSED_OF: u8 = 24;
/// The longest time from the end of the load until everything is delivered. It covers the lease of a killed process, then the
/// waits of an event that this process was sending and that is refused afterwards.
const DELIVERED_MAX: Duration = Duration::from_secs(300);
/// Makes the deliveries that wait for their next attempt due, for profiles of which nothing is being sent.
const CUT_WAITS_SHORT: &str = "
    update webhook_deliveries set next_attempt_at = now()
    where state = 'pending' and profile_id in (
        select id from profiles where webhooks_leased_until is null and webhooks_due_at > now());
    update profiles set webhooks_due_at = now() where webhooks_leased_until is null and webhooks_due_at > now()";
const LOOK: Duration = Duration::from_millis(250);

/// The counts of the deliveries.
#[derive(Debug, Default, Clone, Copy)]
pub struct Deliveries {
    /// The number of different events that were received.
    pub events: usize,
    /// The number of requests that were received.
    pub requests: usize,
    /// The number of requests that were answered with 503 or not at all.
    pub refused: usize,
    /// The time from the end of the load until everything was delivered.
    pub drained_in: Duration,
}

/// The receiver of all profiles' webhooks.
pub(super) struct Hooks {
    receiver: Receiver,
    refused: Arc<Mutex<HashSet<String>>>,
}

impl Hooks {
    /// Starts to receive.
    pub(super) fn start() -> Self {
        let (receiver, refused) = (Receiver::start(), Arc::<Mutex<HashSet<String>>>::default());
        let seen = Arc::clone(&refused);
        receiver.answers_by(move |received| {
            let id = received.json()["id"].as_str().unwrap_or_default().to_string();
            let part = id.bytes().fold(0_u8, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte)) % REFUSED_OF;
            if part > 1 || !seen.lock().unwrap().insert(id) {
                return Some("204 No Content".to_string());
            }
            (part == 0).then(|| "503 Service Unavailable".to_string())
        });
        Hooks { receiver, refused }
    }

    /// Creates the webhook of a profile.
    pub(super) fn add(&self, client: &Client) {
        client.post("/api/webhooks", json!({ "url": self.receiver.url("/"), "events": EVENTS })).created();
    }

    /// Waits until nothing is left to send. Skips the minutes between two attempts, because tests of the API check them.
    pub(super) fn drain(&self, database_url: &str) -> Deliveries {
        let began = Instant::now();
        let mut connection = PgConnection::establish(database_url).expect("a connection");
        let left = |connection: &mut PgConnection| {
            rows(connection, "select id from webhook_deliveries where state = 'pending'").len()
        };
        while left(&mut connection) > 0 && began.elapsed() < DELIVERED_MAX {
            connection.batch_execute(CUT_WAITS_SHORT).expect("the waits end");
            thread::sleep(LOOK);
        }
        Deliveries { drained_in: began.elapsed(), ..Deliveries::default() }
    }

    /// Compares the received events with the stored and acknowledged actions. Nothing may be written during the comparison.
    pub(super) fn audit(&self, database_url: &str, created: &[i64], deliveries: &mut Deliveries) -> Vec<String> {
        let mut connection = PgConnection::establish(database_url).expect("a connection");
        let mut wrong: Vec<String> = rows(
            &mut connection,
            "select id, event_id, state, attempts, failure from webhook_deliveries where state <> 'delivered'",
        )
        .into_iter()
        .map(|row| format!("a delivery has not arrived: {row}"))
        .collect();
        let received = self.receiver.received();
        deliveries.requests = received.len();
        deliveries.refused = self.refused.lock().unwrap().len();
        // An event may arrive more than once, but must be the same each time.
        let mut bodies: HashMap<String, String> = HashMap::new();
        let mut events: HashMap<(String, i64), usize> = HashMap::new();
        for one in received {
            let message = one.json();
            let id = message["id"].as_str().expect("an id").to_string();
            if let Some(before) = bodies.get(&id) {
                if *before != one.body {
                    wrong.push(format!("event {id} is told in two ways: {before} and {}", one.body));
                }
                continue;
            }
            bodies.insert(id, one.body);
            let kind = message["type"].as_str().expect("a type").to_string();
            let data = &message["data"];
            if kind == EVENTS[1] && (&data["inserted"], &data["skipped"]) != (&json!(ROWS), &json!(0)) {
                wrong.push(format!("an import is told of as {message}"));
            }
            let subject = if kind == EVENTS[0] { &data["transaction_id"] } else { &data["import_id"] };
            *events.entry((kind, subject.as_i64().expect("an id"))).or_default() += 1;
        }
        deliveries.events = bodies.len();
        for ((kind, subject), count) in events.iter().filter(|(_, count)| **count > 1) {
            wrong.push(format!("{kind} of {subject} is told as {count} events"));
        }
        // The creation of a transaction that was deleted later was acknowledged: a worker deletes only transactions whose id it
        // knows. So `created` contains it.
        let mut ids = |query: &str| -> HashSet<i64> {
            rows(&mut connection, query).iter().filter_map(|row: &Value| row["id"].as_i64()).collect()
        };
        let mut transactions = ids("select id from transactions where source = 'manual' and transfer_id is null");
        transactions.extend(created);
        let imports = ids("select id from imports
            where inserted > 0 and profile_id not in (select profile_id from push_devices)");
        for (kind, done) in [(EVENTS[0], transactions), (EVENTS[1], imports)] {
            let known: HashSet<i64> = events.keys().filter(|(of, _)| of == kind).map(|(_, subject)| *subject).collect();
            wrong.extend(done.difference(&known).map(|id| format!("{kind} of {id} is lost")));
            wrong.extend(known.difference(&done).map(|id| format!("{kind} of {id} is told and was never committed")));
        }
        wrong
    }
}
