//! Levels: a profile from its first day to the last level.

use std::collections::{BTreeSet, HashSet};

use finance_tests::{Client, TestApp};
use serde_json::{Value, json};
use time::macros::date;
use time::{Date, Duration};

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
        self.look();
        answer
    }

    fn look(&mut self) {
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

#[test]
fn a_profile_walks_to_the_last_level() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let cosmetics = all(&ana, "cosmetics");
    let mut walk = Walk { app: &app, client: &ana, cosmetics, seen: Vec::new() };
    walk.look();
    let mut today = date!(2026 - 03 - 15);
    let day = |today: Date, n: i64| today + Duration::days(n);

    walk.act("/api/transactions", expense(today, "Primeiro", "1.00"));
    walk.act("/api/categories", json!({ "name": "Pets", "monthly_budget": "200" }));
    let current = walk.act("/api/accounts", json!({ "name": "Banco", "kind": "current" }))["id"].clone();
    let savings = walk.act("/api/accounts", json!({ "name": "Poupança", "kind": "savings" }))["id"].clone();
    let standard = ana.get("/api/categories").ok()[0]["id"].clone();
    let salary =
        json!({ "type": "income", "description": "Salário", "amount": "5000", "category_id": standard, "day": 5 });
    let salary = walk.act("/api/recurring", salary)["id"].clone();
    walk.act(&format!("/api/recurring/{salary}/confirm"), json!({}));

    for n in 1.. {
        if walk.seen.last() == Some(&15) {
            break;
        }
        assert!(n < 60, "the last level takes no more than two months");
        today = day(today, 1);
        app.clock.set_today(today);
        for item in 0..10 {
            walk.act("/api/transactions", expense(today, &format!("Compra {item}"), "3.50"));
        }
        let transfer = json!({
            "from_account_id": current, "to_account_id": savings, "amount": "10", "date": today.to_string(),
        });
        walk.act("/api/transfers", transfer);
        let statement = json!([{ "date": today.to_string(), "description": "Pix", "amount": "9", "type": "income" }]);
        walk.act("/api/import/confirm", json!({ "account_id": current, "format": "csv", "rows": statement }));
        ana.get("/api/dashboard").ok();
        walk.look();
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
