//! Migration 0060, after which invitations and webhooks have makers.

use diesel_migrations::{FileBasedMigrations, MigrationHarness};
use finance_domain::credentials::Role;
use finance_tests::{TestApp, rows};
use serde_json::{Value, json};

#[test]
fn stored_webhooks_get_the_first_owner_and_stored_invitations_go() {
    let app = TestApp::start();
    let (ana, carla) = (app.user("ana"), app.user("carla"));
    // Ana's first member is no owner any more.
    let bia = app.member(&ana, "bia", Role::Owner);
    app.member(&ana, "davi", Role::Owner);
    let id = ana.get("/api/auth/me").ok()["member_id"].clone();
    bia.put(&format!("/api/members/{id}"), json!({ "role": "viewer" })).ok();
    let hook = json!({ "url": "https://hooks.example/x", "events": ["bill.due"] });
    for client in [&bia, &carla] {
        client.post("/api/webhooks", hook.clone()).created();
        client.post("/api/members/invitations", json!({ "role": "viewer" })).created();
        client.post("/api/auth/second-factor", json!({ "password": finance_tests::PASSWORD })).created();
    }
    let connection = &mut app.connection();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../migrations");
    let migrations = FileBasedMigrations::from_path(folder).expect("the migrations");
    loop {
        let version = connection.revert_last_migration(migrations.clone()).expect("its down.sql works").to_string();
        if version == "0060" {
            break;
        }
    }
    assert_eq!(rows(connection, "select id from invitations").len(), 2);
    connection.run_pending_migrations(migrations).expect("every up.sql works");
    let makers = rows(
        connection,
        "select name from webhooks join members on members.profile_id = webhooks.profile_id and members.id = created_by
        order by webhooks.id",
    );
    assert_eq!(makers, [json!({ "name": "bia" }), json!({ "name": "carla" })]);
    assert_eq!(rows(connection, "select id from invitations"), Vec::<Value>::new());
    assert_eq!(rows(connection, "select id from members where factor_secret is not null"), Vec::<Value>::new());
}
