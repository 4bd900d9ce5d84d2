//! One of many clients: its requests and the answers to them.

use std::collections::{BTreeMap, HashSet};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

use super::NODES;
use finance_tests::{Client, Method, Reply, money};

/// The number of rows of each imported file.
pub(super) const ROWS: usize = 20;
/// The largest amount of a row, in cents.
const CENTS_MAX: u64 = 100_000;
/// How often an import is sent until it succeeds. After that it is left without a known result.
const TRIES_MAX: usize = 200;
/// How long a worker waits after a request without success.
const PAUSE: Duration = Duration::from_millis(50);

/// The answers to all workers together.
#[derive(Debug, Default)]
pub(super) struct Tally {
    /// The number of answers by status. 0 counts requests without an answer.
    pub(super) answers: BTreeMap<u16, u64>,
    pub(super) imports: Vec<Import>,
    /// The ids of the transactions whose creation was acknowledged.
    pub(super) created: Vec<i64>,
    /// The ids of the transactions whose deletion was requested, with any answer or none.
    pub(super) deleted: HashSet<i64>,
    /// Descriptions of unexpected answers.
    pub(super) wrong: Vec<String>,
}

/// An import that was sent.
#[derive(Debug)]
pub(super) struct Import {
    /// The beginning of the ids of its rows.
    pub(super) prefix: String,
    /// Whether one of the requests with this file was answered with success.
    pub(super) acknowledged: bool,
}

/// The accounts and categories that the workers of a profile use.
#[derive(Debug, Clone)]
pub(super) struct Settled {
    bank: i64,
    card: i64,
    categories: Vec<i64>,
}

/// Creates the accounts of a profile.
pub(super) fn settle(client: &Client) -> Settled {
    let bank = client.open_account("Conta", "current");
    let card = client.open_card("Cartão", 10, 20);
    let categories = client.get("/api/categories").ok();
    let categories = categories.as_array().expect("a list").iter().map(finance_tests::id).collect();
    Settled { bank, card, categories }
}

/// One client.
pub(super) struct Worker {
    number: usize,
    token: String,
    settled: Settled,
    addresses: Arc<Mutex<[SocketAddr; NODES]>>,
    tally: Arc<Mutex<Tally>>,
    steps: u64,
    random: u64,
    /// The ids of the worker's own transactions, to change and delete.
    own: Vec<i64>,
    clients: BTreeMap<SocketAddr, Client>,
}

impl Worker {
    pub(super) fn new(
        number: usize,
        token: &str,
        settled: Settled,
        addresses: Arc<Mutex<[SocketAddr; NODES]>>,
        tally: Arc<Mutex<Tally>>,
    ) -> Self {
        let (token, random) = (token.to_string(), 0x9e37_79b9_7f4a_7c15 ^ (number as u64 + 1));
        Worker { number, token, settled, addresses, tally, steps: 0, random, own: Vec::new(), clients: BTreeMap::new() }
    }

    /// Performs one random action.
    pub(super) fn step(&mut self) {
        self.steps += 1;
        match self.below(100) {
            0..35 => self.insert(),
            35..50 => drop(self.ask(Method::GET, "/api/transactions?limit=50", None, &[200])),
            50..65 => drop(self.ask(Method::GET, "/api/dashboard", None, &[200])),
            65..75 => self.import(),
            75..82 => self.change(),
            82..89 => self.delete(),
            89..94 => self.transfer(),
            _ => drop(self.ask(Method::GET, "/api/accounts", None, &[200])),
        }
    }

    fn insert(&mut self) {
        let body = self.transaction();
        if let Some(reply) = self.ask(Method::POST, "/api/transactions", Some(body), &[201]) {
            let id = reply.json()["id"].as_i64().expect("an id");
            self.own.push(id);
            self.tally.lock().unwrap().created.push(id);
            // It must be visible immediately on every node.
            self.ask(Method::GET, &format!("/api/transactions/{id}"), None, &[200]);
        }
    }

    fn change(&mut self) {
        let Some(id) = self.pick() else { return };
        let body = self.transaction();
        // A transaction whose deletion got no answer may be deleted.
        self.ask(Method::PUT, &format!("/api/transactions/{id}"), Some(body), &[200, 404]);
    }

    fn delete(&mut self) {
        let Some(id) = self.pick() else { return };
        self.tally.lock().unwrap().deleted.insert(id);
        if self.ask(Method::DELETE, &format!("/api/transactions/{id}"), None, &[204, 404]).is_some() {
            self.own.retain(|own| *own != id);
        }
    }

    /// Creates a transfer. No other row has such a large amount, because an imported row with the same amount would be matched as
    /// one of the two sides.
    fn transfer(&mut self) {
        let amount = money(i128::from(self.below(CENTS_MAX) + 1 + CENTS_MAX));
        let body = json!({ "from_account_id": self.settled.bank, "to_account_id": self.settled.card,
            "amount": amount, "date": self.date() });
        self.ask(Method::POST, "/api/transfers", Some(body), &[201]);
    }

    /// Imports a new file. After a failure, half of the files are sent again, and the others are left without a known result.
    fn import(&mut self) {
        let prefix = format!("w{}-{}-", self.number, self.steps);
        let account = if self.below(4) == 0 { self.settled.card } else { self.settled.bank };
        let rows: Vec<Value> = (0..ROWS)
            .map(|row| {
                json!({ "date": self.date(), "description": format!("{prefix}{row}"), "amount": self.amount(),
                    "type": self.kind(), "external_id": format!("{prefix}{row}"), "category_id": self.category() })
            })
            .collect();
        let body = json!({ "account_id": account, "file_name": prefix, "format": "ofx", "rows": rows });
        let tries = if self.below(2) == 0 { TRIES_MAX } else { 1 };
        let mut acknowledged = false;
        for _ in 0..tries {
            let Some(reply) = self.ask(Method::POST, "/api/import/confirm", Some(body.clone()), &[201]) else {
                continue;
            };
            let answer = reply.json();
            let (inserted, skipped) = (&answer["inserted"], answer["skipped"].as_array().map_or(0, Vec::len));
            // All rows are inserted now, or all were inserted by an earlier request.
            if !(*inserted == json!(ROWS) && skipped == 0 || *inserted == json!(0) && skipped == ROWS) {
                self.tally.lock().unwrap().wrong.push(format!("{prefix}: {inserted} inserted, {skipped} skipped"));
            }
            acknowledged = true;
            break;
        }
        self.tally.lock().unwrap().imports.push(Import { prefix, acknowledged });
    }

    /// Sends a request to a random node. Returns the answer if its status is in `hoped`.
    fn ask(&mut self, method: Method, path: &str, body: Option<Value>, hoped: &[u16]) -> Option<Reply> {
        let node = self.below(NODES as u64) as usize;
        let address = self.addresses.lock().unwrap()[node];
        let token = &self.token;
        let client = self.clients.entry(address).or_insert_with(|| Client::of(address).with_token(token));
        let content_type = body.as_ref().map(|_| "application/json");
        let bytes = body.map_or_else(Vec::new, |body| body.to_string().into_bytes());
        let what = format!("{method} {path}");
        let answered = client.try_send(method, path, content_type, bytes, &[]);
        let mut seen = self.tally.lock().unwrap();
        let status = answered.as_ref().map_or(0, |reply| reply.status);
        *seen.answers.entry(status).or_default() += 1;
        match answered {
            Ok(reply) if hoped.contains(&reply.status) => return Some(reply),
            Ok(reply) if reply.status == 503 && reply.json()["code"] == "ErrUnavailable" => {}
            Ok(reply) => seen.wrong.push(format!("{what}: {} {}", reply.status, String::from_utf8_lossy(&reply.bytes))),
            Err(_) => {}
        }
        drop(seen);
        std::thread::sleep(PAUSE);
        None
    }

    fn transaction(&mut self) -> Value {
        let account = if self.below(4) == 0 { self.settled.card } else { self.settled.bank };
        json!({ "type": self.kind(), "date": self.date(), "description": format!("Compra {}", self.below(1_000_000)),
            "amount": self.amount(), "account_id": account, "category_id": self.category() })
    }

    fn pick(&mut self) -> Option<i64> {
        let at = self.below(self.own.len().max(1) as u64) as usize;
        self.own.get(at).copied()
    }

    fn date(&mut self) -> String {
        format!("2026-{:02}-{:02}", self.below(12) + 1, self.below(28) + 1)
    }

    fn amount(&mut self) -> String {
        money(i128::from(self.below(CENTS_MAX) + 1))
    }

    fn kind(&mut self) -> &'static str {
        if self.below(4) == 0 { "income" } else { "expense" }
    }

    fn category(&mut self) -> i64 {
        let at = self.below(self.settled.categories.len() as u64) as usize;
        self.settled.categories[at]
    }

    /// The next number of a fixed pseudo-random sequence, below `bound`.
    fn below(&mut self, bound: u64) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random % bound
    }
}
