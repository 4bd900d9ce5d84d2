//! A client that sends each request with an idempotency key until it succeeds. Each request may be executed only once, also if
//! an earlier answer to it was lost.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use diesel::PgConnection;
use finance_tests::{Client, Method, rows};
use serde_json::json;

/// The time before a request is sent again.
const PAUSE: Duration = Duration::from_millis(20);
/// The beginning of the descriptions of the client's transactions.
const PREFIX: &str = "keyed";

/// The requests and answers of the client.
#[derive(Debug, Default)]
pub(super) struct Keyed {
    /// The id in each answer, by the number of the request.
    ids: Vec<i64>,
    sent: usize,
    wrong: Vec<String>,
}

impl Keyed {
    /// Sends one request after another, to the nodes in turn.
    pub(super) fn run(nodes: &[Client], stop: &AtomicBool) -> Self {
        let account = nodes[0].open_account("Com chave", "current");
        let mut keyed = Keyed::default();
        while !stop.load(Ordering::Relaxed) {
            keyed.send(nodes, account);
        }
        keyed
    }

    /// Sends the next request until it succeeds.
    fn send(&mut self, nodes: &[Client], account: i64) {
        let number = self.ids.len();
        let key = format!("{PREFIX}-{number}");
        let body = json!({ "type": "expense", "date": "2026-11-02", "description": format!("{PREFIX} {number}"),
            "amount": "1.00", "account_id": account });
        let bytes = body.to_string().into_bytes();
        loop {
            let node = &nodes[self.sent % nodes.len()];
            self.sent += 1;
            let headers = [("Idempotency-Key", key.as_str())];
            let json = Some("application/json");
            match node.try_send(Method::POST, "/api/transactions", json, bytes.clone(), &headers) {
                Ok(reply) if reply.status == 201 => {
                    return self.ids.push(reply.json()["id"].as_i64().expect("an id"));
                }
                Ok(reply) if reply.status == 503 => thread::sleep(PAUSE),
                Ok(reply) => {
                    self.wrong.push(format!("{key}: {} {}", reply.status, String::from_utf8_lossy(&reply.bytes)));
                    thread::sleep(PAUSE);
                }
                Err(_) => thread::sleep(PAUSE),
            }
        }
    }

    /// The number of requests that succeeded.
    pub(super) fn answered(&self) -> usize {
        self.ids.len()
    }

    /// How often requests were sent, including repetitions.
    pub(super) fn sent(&self) -> usize {
        self.sent
    }

    /// Descriptions of unexpected answers, and of the difference if the stored transactions are not exactly those of the answers.
    pub(super) fn wrong(&self, connection: &mut PgConnection) -> Vec<String> {
        let stored = rows(
            connection,
            &format!("select id, description from transactions where description like '{PREFIX} %' order by id"),
        );
        let mut wrong = self.wrong.clone();
        let ids: Vec<i64> = stored.iter().filter_map(|row| row["id"].as_i64()).collect();
        if ids != self.ids {
            let missing: Vec<usize> = (0..self.ids.len()).filter(|at| !ids.contains(&self.ids[*at])).collect();
            wrong.push(format!(
                "{} requests with keys were answered, {} are there; missing are {missing:?}",
                self.ids.len(),
                ids.len()
            ));
        }
        wrong
    }
}
