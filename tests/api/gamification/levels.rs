//! Levels: a profile from its first day to the last level.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use finance_tests::{Client, TestApp};
use serde_json::{Value, json};
use time::macros::date;
use time::{Date, Duration, Weekday};

use super::{achievement, all, events, expense, paged, profile, xp};

/// The shipped levels: the XP and the sprite of each.
const LEVELS: [(u64, &str); 15] = [
    (0, "semente"),
    (100, "broto"),
    (250, "muda"),
    (450, "folhagem"),
    (700, "arbusto"),
    (1_000, "canteiro"),
    (1_400, "horta"),
    (1_900, "jardim"),
    (2_500, "estufa"),
    (3_200, "pomar"),
    (4_000, "arvore"),
    (5_000, "arvoredo"),
    (6_200, "bosque"),
    (7_600, "mata"),
    (9_500, "floresta"),
];

#[test]
fn a_new_profile_has_no_awards() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let profile = profile(&ana);
    assert_eq!((&profile["level"], &profile["xp"]), (&json!(1), &json!(0)));
    assert_eq!((&profile["xp_into_level"], &profile["xp_to_next_level"]), (&json!(0), &json!(100)));
    assert_eq!(profile["equipped"], json!({ "hair": null, "shirt": null, "pants": null, "shoes": null }));
    assert!(profile["theme"].as_object().unwrap().values().all(|color| color.as_str().unwrap().starts_with('#')));
    assert!(events(&ana).is_empty());

    let quests = all(&ana, "quests");
    assert!(quests.len() >= 12);
    assert!(quests.iter().all(|quest| quest["progress"] == 0 && quest["completed_at"].is_null()));
    let types: BTreeSet<_> = quests.iter().map(|quest| quest["quest_type"].as_str().unwrap()).collect();
    assert_eq!(types, BTreeSet::from(["daily", "monthly", "once", "weekly"]));
    let titles: HashSet<_> =
        quests.iter().map(|quest| (quest["title"].as_str(), quest["quest_type"].as_str())).collect();
    assert_eq!(titles.len(), quests.len());

    let achievements = all(&ana, "achievements");
    assert!(achievements.len() >= 15);
    assert!(achievements.iter().all(|fixed| fixed["earned_at"].is_null() && fixed["category_id"].is_null()));
    let keys: Vec<_> = achievements.iter().map(|fixed| fixed["key"].as_str().unwrap()).collect();
    assert!(!keys.contains(&"veleiro_under_500") && !keys.contains(&"health_3months"));

    let cosmetics = all(&ana, "cosmetics");
    assert!(cosmetics.len() >= 24);
    for kind in ["hair", "shirt", "pants", "shoes"] {
        assert!(cosmetics.iter().any(|cosmetic| cosmetic["type"] == kind), "{kind}");
    }
}

/// Checks all data of the player after each action.
struct Walk<'a> {
    app: &'a TestApp,
    client: &'a Client,
    cosmetics: Vec<Value>,
    seen: Vec<u64>,
}

impl Walk<'_> {
    fn act(&mut self, path: &str, body: Value) -> Value {
        let answer = self.client.post(path, body).created();
        self.check();
        answer
    }

    fn check(&mut self) {
        let profile = profile(self.client);
        let (xp, level) = (profile["xp"].as_u64().unwrap(), profile["level"].as_u64().unwrap());
        let reached = LEVELS.iter().rposition(|(threshold, _)| *threshold <= xp).unwrap();
        assert_eq!(level, reached as u64 + 1, "{xp} XP");
        assert_eq!(profile["xp_into_level"], xp - LEVELS[reached].0);
        assert_eq!(profile["xp_to_next_level"], LEVELS.get(reached + 1).map_or(0, |(threshold, _)| threshold - xp));
        if self.seen.last() == Some(&level) {
            return;
        }
        self.seen.push(level);
        let sprite = profile["sprite"].as_str().unwrap();
        assert!(sprite.starts_with(&format!("/sprites/{}.svg?", LEVELS[reached].1)), "{sprite}");
        let drawn = self.app.anyone().get(sprite);
        assert_eq!((drawn.status, drawn.header("Content-Type")), (200, Some("image/svg+xml")));
        for cosmetic in &self.cosmetics {
            let unlocked = cosmetic["required_level"].as_u64().unwrap() <= level;
            let path = format!("/api/gamification/cosmetics/{}/equip", cosmetic["id"]);
            match unlocked {
                true => assert_eq!(self.client.post_nothing(&path).ok()["equipped"], true),
                false => drop(self.client.post_nothing(&path).problem(409, "ErrCosmeticLocked")),
            }
        }
        for cosmetic in all(self.client, "cosmetics") {
            let unlocked = cosmetic["required_level"].as_u64().unwrap() <= level;
            assert_eq!(cosmetic["owned"], unlocked, "{cosmetic} on level {level}");
        }
    }
}

/// An ordinary household, which sets up its books on the first day. It enters three expenses a day, moves money twice a month,
/// pays a bill and confirms a salary each month, and imports a statement a week.
fn live(app: &TestApp, walk: &mut Walk<'_>, first: Date, days: i64) -> BTreeMap<i64, u64> {
    let client = walk.client;
    let account = |kind: &str| json!({ "name": kind, "kind": kind, "closing_day": 1, "due_day": 10 });
    let bank = json!({ "name": "Banco", "kind": "current" });
    let bank = walk.act("/api/accounts", bank)["id"].clone();
    let savings = walk.act("/api/accounts", json!({ "name": "Poupança", "kind": "savings" }))["id"].clone();
    let card = walk.act("/api/accounts", account("credit"))["id"].clone();
    client.put("/api/settings", json!({ "savings_goal_pct": 20 })).ok();
    let food = walk.act("/api/categories", json!({ "name": "Comida", "monthly_budget": "2000" }))["id"].clone();
    for (name, budget) in [("Carro", json!("600")), ("Filhos", json!("900")), ("Presentes", Value::Null)] {
        walk.act("/api/categories", json!({ "name": name, "monthly_budget": budget }));
    }
    let standard = client.get("/api/categories").ok()[0]["id"].clone();
    let item = |kind: &str, name: &str, amount: &str| json!({ "type": kind, "description": name, "amount": amount, "category_id": standard, "day": 5 });
    let salary = walk.act("/api/recurring", item("income", "Salário", "6000"))["id"].clone();
    for name in ["Aluguel", "Internet", "Escola"] {
        walk.act("/api/recurring", item("expense", name, "100"));
    }

    let mut levels = BTreeMap::new();
    for number in 0..days {
        let today = first + Duration::days(number);
        app.clock.set_today(today);
        for at in 0..3 {
            let mut body = expense(today, &format!("Compra {at}"), "17.50");
            body["category_id"] = food.clone();
            body["account_id"] = if at == 0 { card.clone() } else { bank.clone() };
            client.post("/api/transactions", body).created();
        }
        if today.weekday() == Weekday::Sunday {
            let row = json!([{ "date": today.to_string(), "description": "Pix", "amount": "9", "type": "income" }]);
            client.post("/api/import/confirm", json!({ "account_id": bank, "format": "csv", "rows": row })).created();
        }
        if let 8 | 20 = today.day() {
            let date = today.to_string();
            let body = json!({ "from_account_id": bank, "to_account_id": savings, "amount": "10", "date": date });
            client.post("/api/transfers", body).created();
        }
        if today.day() == 5 {
            client.post(&format!("/api/recurring/{salary}/confirm"), json!({})).created();
        }
        if today.day() == 10 {
            let bills = client.get("/api/credit-bills").ok();
            let open = |bill: &&Value| bill["due_date"] == today.to_string() && bill["status"] != "paid";
            if let Some(bill) = bills.as_array().unwrap().iter().find(open) {
                client.post(&format!("/api/credit-bills/{}/pay", bill["id"]), json!({ "account_id": bank })).ok();
            }
        }
        client.get("/api/dashboard").ok();
        walk.check();
        levels.insert(number + 1, walk.seen.last().copied().unwrap_or_default());
    }
    levels
}

/// A level takes weeks of ordinary use, and not minutes.
#[test]
fn an_ordinary_household_has_level_three_after_a_week_six_after_a_month_and_ten_after_half_a_year() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let cosmetics = all(&ana, "cosmetics");
    let mut walk = Walk { app: &app, client: &ana, cosmetics, seen: Vec::new() };
    walk.check();
    let levels = live(&app, &mut walk, date!(2026 - 03 - 15), 182);
    assert_eq!([1, 7, 30, 182].map(|day| levels[&day]), [2, 3, 6, 10], "{levels:?}");

    // The last levels take years. What these earn is put in the place of it.
    for (number, (threshold, _)) in (1..).zip(LEVELS).skip(10) {
        let missing = threshold - xp(&ana);
        app.sql(&format!(
            "with profile as (select id from profiles limit 1), event as (
                insert into xp_events (profile_id, action, subject, xp, day)
                select id, 'transaction_created', 'level {number}', {missing}, date '2026-09-12' from profile
            )
            update xp_tallies set total_xp = total_xp + {missing} where action = 'transaction_created'"
        ));
        walk.act("/api/transactions", expense(date!(2026 - 09 - 12), &format!("Nível {number}"), "1.00"));
    }
    assert_eq!(walk.seen, (1..=15).collect::<Vec<_>>(), "no level was passed over");

    let total: u64 = paged(&ana, 100).iter().map(|event| event["xp"].as_u64().unwrap()).sum();
    assert_eq!(xp(&ana), total, "what the profile says is what its events add up to");
    assert_eq!(profile(&ana)["xp_to_next_level"], 0);
    assert!(all(&ana, "cosmetics").iter().all(|cosmetic| cosmetic["owned"] == true));
    for key in ["level_5", "level_10", "level_15", "first_transfer", "first_recurring_confirmed", "transactions_50"] {
        assert!(!achievement(&ana, key).unwrap()["earned_at"].is_null(), "{key}");
    }
}
