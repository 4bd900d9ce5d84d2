//! `/api/settings`.

use finance_tests::TestApp;
use serde_json::json;

#[test]
fn the_savings_goal_is_forty_until_it_is_set() {
    let app = TestApp::start();
    let (ana, bia) = (app.user("ana"), app.user("bia"));
    assert_eq!(ana.get("/api/settings").ok(), json!({ "savings_goal_pct": 40 }));
    assert_eq!(ana.get("/api/dashboard").ok()["savings_goal_pct"], 40);
    for goal in [json!(0), json!(100), json!(33.33), json!(12.5)] {
        let settings = json!({ "savings_goal_pct": goal });
        assert_eq!(ana.put("/api/settings", settings.clone()).ok(), settings);
        assert_eq!(ana.get("/api/settings").ok(), settings);
        assert_eq!(ana.get("/api/dashboard").ok()["savings_goal_pct"], goal);
    }
    assert_eq!(bia.get("/api/settings").ok(), json!({ "savings_goal_pct": 40 }), "each profile has its own");
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
    assert_eq!(ana.get("/api/settings").ok(), json!({ "savings_goal_pct": 55 }));
    ana.delete("/api/settings").problem(405, "ErrMethodNotAllowed");
}
