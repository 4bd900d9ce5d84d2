//! The schema with tables partitioned by profile. `just partitions` runs all tests of the API with it.

use finance_tests::{TestApp, cents, ofx};
use serde_json::json;

/// The number of tables that are not partitioned: members, tokens, invitations and sessions are found before their profile is known.
const UNIQUE_ACROSS: u64 = 4;
const BY_PROFILE: &str = include_str!("../partitions/by_profile.sql");

#[test]
fn tables_with_rows_become_hash_partitions_and_the_service_goes_on() {
    let app = TestApp::start();
    let (ana, bruno) = (app.user("ana"), app.user("bruno"));
    let account = ana.open_account("Conta", "current");
    let file = ofx(&[("20260301", "-10.00", "A1", "Padaria"), ("20260302", "25.00", "A2", "Venda")]);
    ana.import(Some(account), &file).created();
    bruno.open_card("Cartão", 10, 20);
    let (listed, shown) = (ana.get("/api/transactions").ok(), ana.get("/api/dashboard").ok());

    app.sql(BY_PROFILE);

    let kinds = app.rows(
        "select relkind as kind, count(*) as tables from pg_class
        join pg_attribute on attrelid = pg_class.oid and attname = 'profile_id'
        where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') group by 1 order by 1",
    );
    let tables = kinds[0]["tables"].as_u64().unwrap();
    assert!(tables > 10, "{kinds:?}");
    assert_eq!(
        kinds[1],
        json!({ "kind": "r", "tables": tables * 4 + UNIQUE_ACROSS }),
        "four partitions of each, and no other plain one left"
    );
    assert_eq!((ana.get("/api/transactions").ok(), ana.get("/api/dashboard").ok()), (listed, shown));

    // Ids continue, sums are updated, constraints are known by name, and a profile sees only its own rows.
    let body = json!({ "type": "expense", "date": "2026-03-03", "description": "Feira", "amount": "5.00", "account_id": account });
    let created = ana.post("/api/transactions", body).created();
    assert!(created["id"].as_i64() > Some(2), "{created}");
    assert_eq!(ana.balance(account), 1_000);
    assert_eq!(cents(&ana.get("/api/dashboard").ok()["expenses"]), 1_500);
    ana.post("/api/accounts", json!({ "name": "CONTA", "kind": "savings" })).problem(409, "ErrAccountNameTaken");
    assert_eq!(ana.import(Some(account), &file).created()["inserted"], 0);
    assert_eq!(bruno.get("/api/transactions").ok(), json!([]));
    assert_eq!(bruno.get("/api/accounts").ok().as_array().unwrap().len(), 1);
}
