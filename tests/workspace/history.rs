//! Every table is recorded in the history, derived from what is, or left out with a reason.

use std::collections::BTreeSet;

use finance_domain::changes::{RECORDED, UNRECORDED};
use finance_tests::TestApp;

/// The tables whose rows every write derives anew.
const DERIVED: [&str; 4] = ["account_balances", "month_totals", "net_worth_months", "transaction_counts"];

/// The tables that no export has and no history either, each with the reason.
const LEFT_OUT: [(&str, &str); 19] = [
    ("__diesel_schema_migrations", "of the schema"),
    ("change_entries", "the history itself"),
    ("changes", "the history itself"),
    ("idempotency_keys", "answers that are repeated, for a day"),
    ("invitations", "access, which is not undone"),
    ("login_failures", "access, which is not undone"),
    ("members", "access, which is not undone"),
    ("notice_addresses", "where notices are sent, which is not undone"),
    ("notice_deliveries", "what was sent stays sent"),
    ("notice_kinds", "choices of a member about notices"),
    ("notice_preferences", "choices of a member about notices"),
    ("notices", "made anew from the books"),
    ("profiles", "access, which is not undone"),
    ("push_devices", "where notices are sent, which is not undone"),
    ("recovery_codes", "access, which is not undone"),
    ("sessions", "access, which is not undone"),
    ("tokens", "access, which is not undone"),
    ("webhook_deliveries", "what was sent stays sent"),
    ("webhooks", "where events are sent, which is not undone"),
];

#[test]
fn every_table_is_recorded_derived_or_left_out_with_a_reason() {
    let app = TestApp::start();
    let stored = app.rows(
        "select relname as name from pg_class
        where relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace",
    );
    let stored: BTreeSet<String> = stored.iter().map(|table| table["name"].as_str().unwrap().to_string()).collect();
    let reasons = || LEFT_OUT.iter().chain(&UNRECORDED);
    assert!(reasons().all(|(_, reason)| !reason.is_empty()));
    let mut decided = BTreeSet::new();
    let recorded = RECORDED.iter().map(|recorded| recorded.table);
    for table in recorded.chain(DERIVED).chain(reasons().map(|(table, _)| *table)) {
        assert!(decided.insert(table.to_string()), "{table} is in two lists");
    }
    assert_eq!(stored, decided);
}
