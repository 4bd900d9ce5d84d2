//! Members with a device who are told of many things at once while nodes are killed, and the check of what has arrived.

use std::collections::HashSet;

use diesel::{Connection, PgConnection};
use finance_domain::notices::{SENT_A_DAY_MAX, tag};
use finance_domain::{NoticeId, ProfileId};
use finance_tests::{Device, Program, Receiver, eventually, rows};
use serde_json::{Value, json};

use crate::crowd::PASSWORD;

/// The counts of the notices.
#[derive(Debug, Default, Clone, Copy)]
pub struct Notices {
    /// The number of notices that the members were to be sent.
    pub due: usize,
    /// The number of different topics that arrived.
    pub topics: usize,
    /// The number of requests. A node that is killed after it has sent leaves one that is sent again.
    pub requests: usize,
}

/// The members who are told, each of a profile of its own.
pub(crate) struct Households {
    service: Receiver,
    households: Vec<Household>,
}

struct Household {
    token: String,
    account: i64,
}

impl Households {
    /// Signs a device up for each of the named profiles. They are told at any hour.
    pub(crate) fn gather(names: &[String], node: &Program) -> Self {
        let service = Receiver::start();
        service.answers("201 Created");
        let settle = |(name, number): (&String, u8)| {
            let client = node.login(name, PASSWORD);
            let always = json!({ "hour": "00:00", "quiet_from": "00:00", "quiet_to": "00:00" });
            client.put("/api/notices/preferences", always).ok();
            // A balance below zero would be told, too.
            let rich = json!({ "name": "Conta", "kind": "current", "opening_balance": "10000.00" });
            let account = client.create("/api/accounts", rich);
            client.post("/api/notices/devices", Device::new(&service, number).subscription()).created();
            Household { token: client.token().to_string(), account }
        };
        let households = names.iter().zip(0..=u8::MAX).map(settle).collect();
        Households { service, households }
    }

    /// Stores what each is told of, as many charges that are repeated as notices are sent on one day. Returns when the first has arrived.
    pub(crate) fn charge_twice(&self, node: &Program) {
        for household in &self.households {
            let client = node.client().with_token(&household.token);
            let today = client.get("/api/auth/me").ok()["today"].clone();
            let rows: Vec<Value> = (0..SENT_A_DAY_MAX * 2).map(|at| charge(&today, at)).collect();
            let body =
                json!({ "account_id": household.account, "file_name": "extrato.ofx", "format": "ofx", "rows": rows });
            let confirmed = client.post("/api/import/confirm?transactions=false", body).created();
            assert_eq!(confirmed["inserted"], json!(SENT_A_DAY_MAX * 2));
        }
        if !self.households.is_empty() {
            self.service.wait_for(1);
        }
    }

    /// The notices that are to arrive.
    fn due(&self) -> usize {
        self.households.len() * SENT_A_DAY_MAX
    }

    /// Waits until everything is delivered.
    pub(crate) fn drain(&self, database_url: &str) {
        let mut connection = PgConnection::establish(database_url).expect("a connection");
        let delivered = |connection: &mut PgConnection| {
            rows(connection, "select id from notice_deliveries where state = 'delivered'").len()
        };
        eventually("all notices are delivered", || (delivered(&mut connection) >= self.due()).then_some(()));
    }

    /// Compares what has arrived with what is stored. Nothing may be written during the comparison.
    pub(crate) fn audit(&self, database_url: &str) -> (Notices, Vec<String>) {
        let mut connection = PgConnection::establish(database_url).expect("a connection");
        let stored = rows(&mut connection, "select profile_id, notice_id, state, attempts from notice_deliveries");
        let undelivered = stored.iter().filter(|row| row["state"] != "delivered");
        let mut wrong: Vec<String> = undelivered.map(|row| format!("a notice has not arrived: {row}")).collect();
        let number = |row: &Value, name: &str| row[name].as_i64().expect("an id");
        let expected: HashSet<String> = stored
            .iter()
            .map(|row| tag(ProfileId(number(row, "profile_id")), NoticeId(number(row, "notice_id"))))
            .collect();
        let received = self.service.received();
        let topics: HashSet<String> =
            received.iter().map(|request| request.header("Topic").expect("a topic").to_string()).collect();
        wrong.extend(expected.difference(&topics).map(|topic| format!("the notice {topic} is lost")));
        wrong.extend(topics.difference(&expected).map(|topic| format!("{topic} is sent and of no notice")));
        if expected.len() != self.due() {
            wrong.push(format!("{} notices are stored, of {}", expected.len(), self.due()));
        }
        (Notices { due: self.due(), topics: topics.len(), requests: received.len() }, wrong)
    }
}

/// One of two equal charges.
fn charge(date: &Value, at: usize) -> Value {
    let cents = at / 2;
    json!({ "date": date, "description": "Padaria Central", "amount": format!("7.{cents:02}"), "type": "expense",
        "external_id": format!("charge-{at}") })
}
