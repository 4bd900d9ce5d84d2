//! `/api/settings`.

use finance_domain::credentials::Role;
use finance_tests::TestApp;
use serde_json::{Value, json};

#[test]
fn the_savings_goal_is_forty_until_it_is_set() {
    let app = TestApp::start();
    let (ana, bia) = (app.user("ana"), app.user("bia"));
    assert_eq!(
        ana.get("/api/settings").ok(),
        json!({ "savings_goal_pct": 40, "own_names": [], "show_character": true, "second_factor_days": null })
    );
    assert_eq!(ana.get("/api/dashboard").ok()["savings_goal_pct"], 40);
    for goal in [json!(0), json!(100), json!(33.33), json!(12.5)] {
        let settings =
            json!({ "savings_goal_pct": goal, "own_names": [], "show_character": true, "second_factor_days": null });
        assert_eq!(ana.put("/api/settings", json!({ "savings_goal_pct": goal })).ok(), settings);
        assert_eq!(ana.get("/api/settings").ok(), settings);
        assert_eq!(ana.get("/api/dashboard").ok()["savings_goal_pct"], goal);
    }
    assert_eq!(
        bia.get("/api/settings").ok(),
        json!({ "savings_goal_pct": 40, "own_names": [], "show_character": true, "second_factor_days": null }),
        "each profile has its own"
    );
}

#[test]
fn a_goal_out_of_bounds_is_refused() {
    let app = TestApp::start();
    let ana = app.user("ana");
    ana.put("/api/settings", json!({ "savings_goal_pct": 55 })).ok();
    for goal in [json!(-0.01), json!(100.01), json!(1e9), json!(50.005), json!("50"), json!(true), json!(null)] {
        ana.put("/api/settings", json!({ "savings_goal_pct": goal })).invalid(&["savings_goal_pct"]);
    }
    ana.put("/api/settings", json!({})).invalid(&["savings_goal_pct"]);
    ana.put("/api/settings", json!([50])).invalid(&["body"]);
    assert_eq!(
        ana.get("/api/settings").ok(),
        json!({ "savings_goal_pct": 55, "own_names": [], "show_character": true, "second_factor_days": null })
    );
    ana.delete("/api/settings").problem(405, "ErrMethodNotAllowed");
}

#[test]
fn own_names_stay_until_others_are_put() {
    let app = TestApp::start();
    let (ana, bia) = (app.user("ana"), app.user("bia"));
    let names = json!(["Ana Souza", "ANA C DE SOUZA"]);
    let put = |body| ana.put("/api/settings", body);
    assert_eq!(
        put(json!({ "savings_goal_pct": 40, "own_names": [" Ana Souza ", "ANA C DE SOUZA"] })).ok()["own_names"],
        names
    );
    assert_eq!(put(json!({ "savings_goal_pct": 41 })).ok()["own_names"], names);
    assert_eq!(put(json!({ "savings_goal_pct": 42, "own_names": null })).ok()["own_names"], names);
    for (wrong, field) in [
        (json!("Ana Souza"), "own_names"),
        (json!({}), "own_names"),
        (json!(["abcdef", "abcdef", "abcdef", "abcdef", "abcdef", "abcdef"]), "own_names"),
        (json!(["Ana S"]), "own_names[0]"),
        (json!(["Ana Souza", " Ana S "]), "own_names[1]"),
        (json!(["Ana Souza", 7]), "own_names[1]"),
        (json!(["Ana Souza", null]), "own_names[1]"),
        (json!(["Ana\u{301}\u{301}\u{301} S"]), "own_names[0]"),
        (json!(["x".repeat(101)]), "own_names[0]"),
        (json!(["Ana\u{0}Souza"]), "own_names[0]"),
    ] {
        put(json!({ "savings_goal_pct": 43, "own_names": wrong })).invalid(&[field]);
    }
    assert_eq!(ana.get("/api/settings").ok()["own_names"], names);
    assert_eq!(bia.get("/api/settings").ok()["own_names"], json!([]));
    assert_eq!(put(json!({ "savings_goal_pct": 42, "own_names": [] })).ok()["own_names"], json!([]));
    let five = json!(["Ana Souza", "Ana Lima", "Bia Souza", "Bia Lima", "x".repeat(100)]);
    assert_eq!(put(json!({ "savings_goal_pct": 42, "own_names": five })).ok()["own_names"], five);
}

#[test]
fn the_character_is_shown_until_it_is_hidden_and_stays_as_it_is() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let put = |body| ana.put("/api/settings", body);
    assert_eq!(put(json!({ "savings_goal_pct": 40, "show_character": false })).ok()["show_character"], false);
    for kept in [json!({ "savings_goal_pct": 41 }), json!({ "savings_goal_pct": 42, "show_character": null })] {
        assert_eq!(put(kept).ok()["show_character"], false);
    }
    for wrong in [json!("no"), json!(0), json!([])] {
        put(json!({ "savings_goal_pct": 43, "show_character": wrong })).invalid(&["show_character"]);
    }
    assert_eq!(ana.get("/api/settings").ok()["savings_goal_pct"], 42);
}

#[test]
fn owners_say_after_how_many_days_a_renewal_takes_a_code() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let bia = app.member(&ana, "bia", Role::Editor);
    let days = |days: Value| json!({ "savings_goal_pct": 40, "second_factor_days": days });
    for good in [json!(1), json!(90), json!(null), json!(30)] {
        assert_eq!(ana.put("/api/settings", days(good.clone())).ok()["second_factor_days"], good);
    }
    for wrong in [json!(0), json!(91), json!(-1), json!(1.5), json!("30"), json!(true), json!(99999)] {
        ana.put("/api/settings", days(wrong)).invalid(&["second_factor_days"]);
    }
    // An editor changes the rest, and may send back what it read.
    bia.put("/api/settings", days(json!(31))).problem(403, "ErrNotAllowed");
    bia.put("/api/settings", days(json!(null))).problem(403, "ErrNotAllowed");
    bia.put("/api/settings", json!({ "savings_goal_pct": 20 })).ok();
    assert_eq!(bia.put("/api/settings", days(json!(30))).ok()["second_factor_days"], 30);
}
