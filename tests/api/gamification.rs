//! `/api/gamification`.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops")]

mod achievements;
mod awards;
mod cosmetics;
mod levels;
mod quests;

use finance_tests::Client;
use serde_json::{Value, json};
use time::Date;

fn profile(client: &Client) -> Value {
    client.get("/api/gamification/profile").ok()
}

fn xp(client: &Client) -> u64 {
    profile(client)["xp"].as_u64().unwrap()
}

/// All objects of a list.
fn all(client: &Client, what: &str) -> Vec<Value> {
    client.get(&format!("/api/gamification/{what}")).ok().as_array().unwrap().clone()
}

fn events(client: &Client) -> Vec<Value> {
    all(client, "xp-events?limit=1000")
}

/// The number of events of an action.
fn count(client: &Client, action: &str) -> usize {
    events(client).iter().filter(|event| event["action"] == action).count()
}

fn achievement(client: &Client, key: &str) -> Option<Value> {
    all(client, "achievements").into_iter().find(|achievement| achievement["key"] == key)
}

fn expense(date: Date, description: &str, amount: &str) -> Value {
    json!({ "type": "expense", "date": date.to_string(), "description": description, "amount": amount })
}

fn income(date: Date, description: &str, amount: &str) -> Value {
    json!({ "type": "income", "date": date.to_string(), "description": description, "amount": amount })
}

fn category(client: &Client, name: &str, budget: Value) -> Value {
    client.post("/api/categories", json!({ "name": name, "monthly_budget": budget })).created()["id"].clone()
}

/// All events, page by page.
fn paged(client: &Client, limit: u32) -> Vec<Value> {
    let mut events = Vec::new();
    let mut path = format!("/api/gamification/xp-events?limit={limit}");
    loop {
        let reply = client.get(&path);
        let next = reply.header("Link").map(|link| link.trim_start_matches('<').split('>').next().unwrap().to_string());
        let page = reply.ok();
        events.extend(page.as_array().unwrap().iter().cloned());
        match next {
            Some(next) => path = next,
            None => return events,
        }
    }
}
