//! The end of a transaction: what was acknowledged is stored.

use finance_domain::categories::NewCategory;
use finance_domain::{Access, Error, Store, TransactionOptions};
use finance_tests::TestApp;
use serde_json::json;

#[test]
fn a_failed_statement_whose_error_is_ignored_fails_the_transaction() {
    let app = TestApp::start();
    let ana = app.user("ana");
    ana.create("/api/categories", json!({ "name": "Pets" }));
    let before = ana.get("/api/categories").ok();
    let category = |name: &str| NewCategory {
        name: name.into(),
        is_tax: false,
        monthly_budget: None,
        tax_kind: Default::default(),
        planning: Default::default(),
    };
    let worked = app.store.transact(&ana.caller(), &TransactionOptions::from(Access::Write), &mut |repo| {
        repo.category_insert(&category("Casa"))?;
        // PostgreSQL has undone everything by now, and would answer a commit with a rollback.
        assert!(repo.category_insert(&category("Pets")).is_err());
        Ok(())
    });
    assert!(matches!(worked, Err(Error::Internal(_))), "{worked:?}");
    assert_eq!(ana.get("/api/categories").ok(), before);
    // The connection is good for the next request.
    ana.create("/api/categories", json!({ "name": "Casa" }));
}
