//! Quests of a day, a week and a month.

use finance_tests::{Client, TestApp};
use serde_json::{Value, json};
use time::Duration;
use time::macros::date;

use super::{all, count, expense};

fn quest(client: &Client, title: &str) -> Value {
    all(client, "quests").into_iter().find(|quest| quest["title"] == title).unwrap()
}

#[test]
fn quests_start_again_with_each_period() {
    let app = TestApp::start();
    let ana = app.user("ana");
    // This is a Sunday, the last day of its week.
    let sunday = date!(2026 - 03 - 15);
    for item in 0..3 {
        assert_eq!(quest(&ana, "Diário em dia")["progress"], item);
        ana.post("/api/transactions", expense(sunday, &format!("Compra {item}"), "1")).created();
    }
    let daily = quest(&ana, "Diário em dia");
    assert_eq!((&daily["progress"], &daily["target"]), (&json!(3), &json!(3)));
    assert!(!daily["completed_at"].is_null());
    assert_eq!(quest(&ana, "Semana registrada")["progress"], 3);
    assert!(!quest(&ana, "Primeiros passos")["completed_at"].is_null());
    let completed = count(&ana, "quest_completed");

    app.clock.set_today(sunday + Duration::days(1));
    let daily = quest(&ana, "Diário em dia");
    assert_eq!((&daily["progress"], &daily["completed_at"]), (&json!(0), &Value::Null));
    assert_eq!(quest(&ana, "Semana registrada")["progress"], 0);
    assert_eq!(quest(&ana, "Mês registrado")["progress"], 3);
    assert!(!quest(&ana, "Primeiros passos")["completed_at"].is_null(), "what is done once is done");
    for item in 3..6 {
        ana.post("/api/transactions", expense(sunday, &format!("Compra {item}"), "1")).created();
    }
    assert_eq!(count(&ana, "quest_completed"), completed + 1);
}
