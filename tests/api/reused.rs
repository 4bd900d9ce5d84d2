//! Tests use databases one after another.

use finance_tests::TestApp;
use serde_json::json;

#[test]
fn a_test_finds_nothing_of_an_earlier_one_in_its_database() {
    for _ in 0..3 {
        let app = TestApp::start();
        let stored = app.stored_rows(&[]);
        let stored: Vec<_> = stored.iter().filter(|row| !row.starts_with("__diesel_schema_migrations ")).collect();
        assert!(stored.is_empty(), "{stored:?}");
        let ana = app.user("ana");
        assert_eq!(ana.caller().profile_id.0, 1);
        let category_id = ana.create("/api/categories", json!({ "name": "Casa" }));
        let entry = json!({
            "type": "expense", "description": "Luz", "amount": "80.00", "date": "2026-03-02", "category_id": category_id,
        });
        ana.create("/api/transactions", entry);
        ana.get("/api/dashboard?month=2026-03").ok();
    }
}
