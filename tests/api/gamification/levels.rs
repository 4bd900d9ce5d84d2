//! Levels: a profile from its first day to the last level.

use std::collections::{BTreeSet, HashSet};

use finance_tests::{Client, TestApp};
use serde_json::{Value, json};
use time::macros::date;
use time::{Date, Duration};

use super::{achievement, all, count, events, expense, paged, profile, xp};

/// The shipped levels: the XP and the sprite of each.
const LEVELS: [(u64, &str); 15] = [
    (0, "semente"),
    (100, "broto"),
    (800, "muda"),
    (1_110, "folhagem"),
    (1_220, "arbusto"),
    (1_330, "canteiro"),
    (1_950, "horta"),
    (2_900, "jardim"),
    (4_000, "estufa"),
    (5_300, "pomar"),
    (7_000, "arvore"),
    (8_300, "arvoredo"),
    (9_800, "bosque"),
    (11_500, "mata"),
    (13_500, "floresta"),
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

/// A household that looks in every other day: it enters what it paid in cash, imports a statement a week, pays its card, and saves.
#[test]
fn half_a_year_of_a_household_reaches_level_ten() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let first = date!(2026 - 03 - 02);
    app.clock.set_today(first);
    let create = |path: &str, body: Value| ana.post(path, body).created()["id"].clone();
    let current = create("/api/accounts", json!({ "name": "Banco", "kind": "current" }));
    let savings = create("/api/accounts", json!({ "name": "Poupança", "kind": "savings" }));
    let card = create("/api/accounts", json!({ "name": "Cartão", "kind": "credit", "closing_day": 3, "due_day": 13 }));
    let categories = ana.get("/api/categories").ok();
    let category = |name: &str| {
        let found = categories.as_array().unwrap().iter().find(|category| category["name"] == name);
        found.unwrap_or_else(|| panic!("no category {name}"))["id"].clone()
    };
    for (name, budget) in [("Mercado", "1200.00"), ("Restaurantes", "300.00"), ("Transporte", "200.00")] {
        let body = json!({ "name": name, "is_tax": false, "monthly_budget": budget });
        ana.put(&format!("/api/categories/{}", category(name)), body).ok();
    }
    create("/api/categories", json!({ "name": "Cachorro" }));
    let recurring = |kind: &str, description: &str, amount: &str, day: u8, category: Value| {
        let item = json!({
            "type": kind, "description": description, "amount": amount, "day": day, "category_id": category,
            "account_id": current,
        });
        create("/api/recurring", item)
    };
    let salary = recurring("income", "Salário", "6500.00", 5, category("Salário"));
    recurring("expense", "Aluguel", "1800.00", 10, category("Moradia"));
    recurring("expense", "Escola", "980.00", 8, category("Educação"));
    ana.put("/api/settings", json!({ "savings_goal_pct": 30 })).ok();

    let row = |today: Date, kind: &str, description: &str, amount: &str, category: Value| {
        json!({
            "date": today.to_string(), "description": description, "amount": amount, "type": kind,
            "category_id": category,
        })
    };
    let level = || (profile(&ana)["level"].as_u64().unwrap(), xp(&ana));
    let mut levels = vec![("the first hour", level())];
    for day in 0..=182 {
        let today = first + Duration::days(day);
        app.clock.set_today(today);
        let (of_month, month) = (today.day(), today.month());
        if day % 2 == 0 {
            let bread = row(today, "expense", "Padaria", "18.50", category("Mercado"));
            ana.post("/api/transactions", bread).created();
            ana.get("/api/dashboard").ok();
        }
        if day % 7 == 5 {
            let mut rows = vec![
                row(today, "expense", "Supermercado", "210.00", category("Mercado")),
                row(today, "expense", "Cantina", "62.00", category("Restaurantes")),
                row(today, "expense", "Combustível", "45.00", category("Transporte")),
            ];
            if (month as u8).is_multiple_of(3) {
                rows.push(row(today, "expense", "Dentista", "700.00", category("Saúde")));
            }
            let statement = json!({ "account_id": current, "format": "csv", "rows": rows });
            ana.post("/api/import/confirm", statement).created();
            let mut bought = row(today, "expense", "Livraria", "89.90", category("Educação"));
            bought["account_id"] = card.clone();
            ana.post("/api/transactions", bought).created();
        }
        match of_month {
            5 => drop(ana.post(&format!("/api/recurring/{salary}/confirm"), json!({})).created()),
            6 => {
                let transfer = json!({
                    "from_account_id": current, "to_account_id": savings, "amount": "1500.00",
                    "date": today.to_string(), "description": "Reserva",
                });
                ana.post("/api/transfers", transfer).created();
            }
            13 => {
                let bills = ana.get(&format!("/api/credit-bills?account_id={card}")).ok();
                // Nothing was bought before the first one closed.
                let is_due = |bill: &&Value| bill["due_date"] == today.to_string() && bill["amount_due"] != "0.00";
                let due = bills.as_array().unwrap().iter().find(is_due);
                if let Some(bill) = due {
                    ana.post(&format!("/api/credit-bills/{}/pay", bill["id"]), json!({ "account_id": current })).ok();
                }
            }
            _ => {}
        }
        match day {
            0 => levels.push(("a day", level())),
            7 => levels.push(("a week", level())),
            29 => levels.push(("a month", level())),
            91 => levels.push(("a quarter", level())),
            182 => levels.push(("half a year", level())),
            _ => {}
        }
    }
    let of = |when: &str| levels.iter().find(|(what, _)| *what == when).map(|(_, (level, _))| *level);
    let reached = ["the first hour", "a week", "a month", "half a year"].map(of);
    assert_eq!(reached, [Some(2), Some(3), Some(6), Some(10)], "{levels:?}");
    for (key, actions) in
        [("savings_checked", 3), ("bill_paid", 5), ("recurring_confirmed", 6), ("import_confirmed", 26)]
    {
        assert!(count(&ana, key) >= actions, "{key}: {}", count(&ana, key));
    }
}
