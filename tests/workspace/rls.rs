//! Row-level security also applies to queries without a filter: the service's connections see only rows of the profile that they
//! are bound to.

use diesel::connection::SimpleConnection;
use diesel::{Connection, PgConnection, RunQueryDsl, sql_query};
use finance_domain::credentials::{Need, SecretHash};
use finance_domain::{Access, Caller, Clock, CredentialId, Error, Proof, Store};
use finance_tests::{Client, TestApp, rows};
use serde_json::{Value, json};
use time::Duration;

/// A connection with the service's role.
fn stepped_down(app: &TestApp) -> PgConnection {
    let mut connection = app.connection();
    connection.batch_execute("set role finance_service").expect("the service's role");
    connection
}

const ROLES: &str = "'{owner,editor,viewer}'";

/// The call that binds a transaction to the profile of a login.
fn binding(caller: Caller, writes: bool) -> String {
    let Proof::Login { credential_id, .. } = caller.proof else { panic!("{caller:?} is no login") };
    format!("bind_profile({}, '{credential_id}', {ROLES}, {writes})", caller.profile_id)
}

/// Runs `work` in a transaction bound to a profile, and rolls it back.
fn bound<T>(connection: &mut PgConnection, caller: Caller, work: impl FnOnce(&mut PgConnection) -> T) -> T {
    connection.batch_execute(&format!("begin; select {}", binding(caller, true))).expect("the profile is bound");
    let answer = work(connection);
    connection.batch_execute("rollback").expect("the end");
    answer
}

/// Whether a statement fails because of a policy or a missing privilege, and for no other reason.
fn is_refused_by_policy(connection: &mut PgConnection, statement: &str) -> bool {
    let tried = format!(
        "do $$ begin
            begin {statement}; exception when insufficient_privilege then return; end;
            raise exception 'it was not refused';
        end $$"
    );
    connection.batch_execute(&tried).is_ok()
}

/// The tables with rows of profiles.
fn tables(app: &TestApp) -> Vec<String> {
    let named = app.rows("select attrelid::regclass::text as name from pg_attribute join pg_class on pg_class.oid = attrelid where attname = 'profile_id' and relkind = 'r'");
    named.iter().map(|row| row["name"].as_str().unwrap().to_string()).collect()
}

/// Creates rows in as many tables as a few requests can.
fn fill(client: &Client) {
    let card = json!({ "name": "Cartão", "kind": "credit", "closing_day": 20, "due_day": 27 });
    let card = client.post("/api/accounts", card).created()["id"].clone();
    let bank = json!({ "name": "Banco", "kind": "current", "opening_balance": 1000 });
    let bank = client.post("/api/accounts", bank).created()["id"].clone();
    let category = client.get("/api/categories").ok()[0]["id"].clone();
    let bought =
        json!({ "type": "expense", "date": "2026-03-01", "description": "x", "amount": 9, "account_id": card });
    client.post("/api/transactions", bought).created();
    let row =
        json!({ "date": "2026-03-02", "description": "y", "amount": 5, "type": "expense", "category_id": category });
    let import = json!({ "account_id": bank, "format": "csv", "rows": [row] });
    client.post("/api/import/confirm", import).created();
    let held = json!({ "account_id": card, "is_credit_card": true, "payment_date": "2026-03-27", "rows": [row] });
    client.post("/api/import/confirm", held).expect(202);
    let salary = json!({ "type": "income", "description": "Salário", "amount": 50, "category_id": category, "day": 5 });
    let salary = client.post("/api/recurring", salary).created()["id"].clone();
    client.post_nothing(&format!("/api/recurring/{salary}/late")).ok();
    client.put("/api/settings", json!({ "savings_goal_pct": 30 })).ok();
    let bill = client.get("/api/credit-bills").ok()[0]["id"].clone();
    client.post(&format!("/api/credit-bills/{bill}/pay"), json!({ "account_id": bank })).ok();
    let days = json!({ "name": "Cartão", "kind": "credit", "closing_day": 21, "due_day": 28 });
    client.put(&format!("/api/accounts/{card}"), days).ok();
}

#[test]
fn the_service_steps_down_to_a_role_that_policies_bind() {
    let app = TestApp::start();
    app.sql(
        "create table witness (role text, privileged boolean);
        grant insert on witness to public;
        create function testify() returns trigger language plpgsql as $$ begin
            insert into witness select current_user, rolsuper or rolbypassrls from pg_roles where rolname = current_user;
            return null;
        end $$;
        create trigger testify after insert on categories for each statement execute function testify();",
    );
    app.user("ana").post("/api/categories", json!({ "name": "Pets" })).created();
    let seen = app.rows("select * from witness");
    assert!(!seen.is_empty());
    for witness in seen {
        assert_eq!(witness, json!({ "role": "finance_service", "privileged": false }));
    }
    let owned = app.rows("select relname from pg_class where relowner = 'finance_service'::regrole");
    assert_eq!(owned, Vec::<Value>::new(), "who owns a table may lift its policies");
}

#[test]
fn a_query_without_a_filter_reads_one_profile() {
    let app = TestApp::start();
    let (ana, bia) = (app.user("ana"), app.user("bia"));
    fill(&ana);
    fill(&bia);
    let mut connection = stepped_down(&app);
    let mut filled = 0;
    for table in tables(&app) {
        let all = app.rows(&format!("select profile_id, count(*) as count from {table} group by profile_id"));
        for client in [&ana, &bia] {
            let profile_id = json!(client.caller().profile_id.0);
            let expected: Vec<_> = all.iter().filter(|row| row["profile_id"] == profile_id).cloned().collect();
            let seen = bound(&mut connection, client.caller(), |connection| {
                rows(connection, &format!("select profile_id, count(*) as count from {table} group by profile_id"))
            });
            assert_eq!(seen, expected, "{table}");
            filled += expected.len();
        }
    }
    assert!(filled >= 2 * 12, "only {filled} tables had rows to hide");
    let seen = bound(&mut connection, ana.caller(), |connection| rows(connection, "select id from profiles"));
    assert_eq!(seen, [json!({ "id": ana.caller().profile_id.0 })]);
}

#[test]
fn an_update_or_delete_without_a_filter_touches_one_profile() {
    let app = TestApp::start();
    let (ana, bia) = (app.user("ana"), app.user("bia"));
    fill(&ana);
    fill(&bia);
    let mut connection = stepped_down(&app);
    for table in tables(&app) {
        let own = app.rows(&format!("select 1 from {table} where profile_id = {}", ana.caller().profile_id)).len();
        let updated = bound(&mut connection, ana.caller(), |connection| {
            sql_query(format!("update {table} set profile_id = profile_id")).execute(connection).expect("an update")
        });
        assert_eq!(updated, own, "{table}");
        let deleted = bound(&mut connection, ana.caller(), |connection| {
            // References to the rows do not matter here.
            sql_query(format!("with gone as (delete from {table} returning 1) select * from gone")).execute(connection)
        });
        // A row in use prevents the delete. A row of another profile is never counted.
        assert!(deleted.is_err() || deleted == Ok(own), "{table}: {deleted:?} of {own}");
    }
    connection.batch_execute("begin").expect("a transaction");
    connection.batch_execute(&format!("select {}", binding(ana.caller(), true))).expect("bound");
    let before =
        app.rows(&format!("select * from transactions where profile_id = {} order by id", bia.caller().profile_id));
    connection
        .batch_execute(
            "delete from recurring_marks; delete from credit_bill_payments; delete from transactions; commit",
        )
        .expect("a delete without a filter");
    assert_eq!(app.rows("select * from transactions order by id"), before);
    app.rebuild_sums();
}

#[test]
fn a_row_cannot_be_written_for_another_profile() {
    let app = TestApp::start();
    let (ana, bia) = (app.user("ana"), app.user("bia"));
    fill(&ana);
    let mut connection = stepped_down(&app);
    let bias = bia.caller().profile_id;
    for statement in [
        format!("insert into categories (profile_id, name, name_key) values ({bias}, 'x', 'x')"),
        format!("insert into settings (profile_id, savings_goal_pct) values ({bias}, 1)"),
        format!("insert into accounts (profile_id, name, name_key, kind) values ({bias}, 'x', 'x', 'current')"),
        format!("update settings set profile_id = {bias}"),
        format!("update accounts set profile_id = {bias}"),
    ] {
        let refused = bound(&mut connection, ana.caller(), |connection| is_refused_by_policy(connection, &statement));
        assert!(refused, "{statement}");
    }
}

#[test]
fn an_unbound_connection_sees_and_touches_nothing() {
    let app = TestApp::start();
    let ana = app.user("ana");
    fill(&ana);
    let mut connection = stepped_down(&app);
    for table in tables(&app).into_iter().chain(["profiles".to_string()]) {
        assert_eq!(rows(&mut connection, &format!("select * from {table}")), Vec::<Value>::new(), "{table}");
        let deleted = sql_query(format!("delete from {table}")).execute(&mut connection);
        assert_eq!(deleted, Ok(0), "{table}");
    }
    let insert =
        format!("insert into categories (profile_id, name, name_key) values ({}, 'x', 'x')", ana.caller().profile_id);
    assert!(is_refused_by_policy(&mut connection, &insert));
    // The binding ends with the transaction, committed or rolled back.
    bound(&mut connection, ana.caller(), |connection| assert!(!rows(connection, "select * from accounts").is_empty()));
    assert_eq!(rows(&mut connection, "select * from accounts"), Vec::<Value>::new());
    let kept = connection
        .transaction(|connection| connection.batch_execute(&format!("select {}", binding(ana.caller(), false))));
    assert_eq!(kept, Ok(()));
    assert_eq!(rows(&mut connection, "select * from accounts"), Vec::<Value>::new());
}

#[test]
fn a_profile_that_is_gone_or_changed_cannot_be_bound() {
    let app = TestApp::start();
    let caller = app.user("ana").caller();
    let Proof::Login { credential_id: own, .. } = caller.proof else { panic!("{caller:?} is no login") };
    let mut connection = stepped_down(&app);
    let mut bind = |profile: i64, credential: CredentialId| {
        let bound =
            connection.batch_execute(&format!("begin; select bind_profile({profile}, '{credential}', {ROLES}, false)"));
        connection.batch_execute("rollback").expect("the end");
        bound.is_ok()
    };
    assert!(bind(caller.profile_id.0, own));
    assert!(!bind(caller.profile_id.0, CredentialId(own.0 ^ 1)));
    assert!(!bind(caller.profile_id.0, CredentialId(0)));
    assert!(!bind(0, own));
    assert!(!bind(i64::MAX, own));
}

#[test]
fn listing_profiles_opens_no_other_table() {
    let app = TestApp::start();
    let (ana, bia) = (app.user("ana"), app.user("bia"));
    fill(&ana);
    fill(&bia);
    let mut connection = stepped_down(&app);
    // A part of a transaction lists them, and no transaction after it.
    for (leave, end) in [("select set_local('finance.lists_profiles', '')", "rollback"), ("commit", "begin; rollback")]
    {
        connection.batch_execute("begin; select set_local('finance.lists_profiles', 'on')").unwrap();
        for table in ["profiles", "members"] {
            assert_eq!(rows(&mut connection, &format!("select id from {table}")).len(), 2, "{table}");
        }
        connection.batch_execute(leave).unwrap();
        for table in ["profiles", "members"] {
            assert_eq!(rows(&mut connection, &format!("select id from {table}")), Vec::<Value>::new(), "{table}");
        }
        connection.batch_execute(end).unwrap();
    }
    // Even if it is left on, the policies are for reading profiles and members only.
    connection.batch_execute("set finance.lists_profiles = 'on'").unwrap();
    assert_eq!(rows(&mut connection, "select id from profiles").len(), 2);
    for table in tables(&app).into_iter().filter(|table| table != "members") {
        assert_eq!(rows(&mut connection, &format!("select profile_id from {table}")), Vec::<Value>::new(), "{table}");
    }
    for change in [
        "update profiles set created_at = created_at",
        "delete from profiles",
        "update members set name = name",
        "delete from members",
    ] {
        assert_eq!(sql_query(change).execute(&mut connection), Ok(0), "{change}");
    }
}

#[test]
fn a_disabled_member_binds_nothing() {
    let app = TestApp::start();
    let caller = app.user("ana").caller();
    app.sql("update members set is_disabled = true");
    let mut connection = stepped_down(&app);
    for writes in [false, true] {
        let bound = connection.batch_execute(&format!("begin; select {}", binding(caller, writes)));
        connection.batch_execute("rollback").unwrap();
        assert!(bound.is_err(), "writes: {writes}");
    }
}

#[test]
fn a_superuser_s_session_looks_nothing_up_where_the_database_says() {
    let app = TestApp::start();
    let ana = app.user("ana");
    // These views hide PostgreSQL's own `pg_roles` and the real `profiles` if their schema precedes the others in the search
    // path, which the owner of a database may set.
    app.sql(
        "create schema evil; grant usage on schema evil to public;
        create table evil.witness (role text); grant insert on evil.witness to public;
        create function evil.testify() returns boolean language plpgsql as
            $$ begin insert into evil.witness values (current_user); return true; end $$;
        create view evil.pg_roles as select * from pg_catalog.pg_roles where evil.testify();
        create view evil.profiles as select * from public.profiles where evil.testify();
        grant select on all tables in schema evil to public;
        do $$ begin execute format('alter database %I set search_path = evil, public, pg_catalog', current_database()); end $$",
    );
    let path = rows(&mut app.connection(), "select current_setting('search_path') as path");
    assert_eq!(path[0]["path"], "evil, public, pg_catalog");
    let there = app.another_node();
    there.anyone().with_token(ana.token()).get("/api/auth/me").ok();
    assert_eq!(app.rows("select * from evil.witness"), Vec::<Value>::new());
}

#[test]
fn an_invitation_opens_its_own_profile_until_it_expires() {
    let app = TestApp::start();
    let (ana, bia) = (app.user("ana"), app.user("bia"));
    for client in [&ana, &bia] {
        client.post("/api/members/invitations", json!({ "role": "viewer" })).created();
    }
    let (anas, bias) = (ana.caller().profile_id, bia.caller().profile_id);
    let stored = app.rows(&format!("select encode(hash, 'hex') as hash from invitations where profile_id = {anas}"));
    let hex = stored[0]["hash"].as_str().unwrap();
    let hash = SecretHash(std::array::from_fn(|at| u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).unwrap()));
    let now = app.clock.now();
    let store: &dyn Store = app.store.as_ref();
    let write_ids = || app.rows("select write_id from profiles order by id");
    for access in [Access::Read, Access::Write] {
        let members = |profile_id, hash, now| {
            let caller = Caller { profile_id, proof: Proof::Invitation { hash, now }, need: Need::Any };
            store.run(&caller, access, |repo| repo.member_list())
        };
        let before = write_ids();
        let other = SecretHash([0; 32]);
        for (profile_id, hash, now) in [(bias, hash, now), (anas, other, now), (anas, hash, now + Duration::hours(48))]
        {
            let refused = members(profile_id, hash, now);
            assert!(matches!(refused, Err(Error::Unauthenticated)), "{refused:?}");
        }
        assert_eq!(write_ids(), before);
        let names: Vec<String> = members(anas, hash, now).unwrap().into_iter().map(|member| member.name).collect();
        assert_eq!(names, ["ana"]);
        assert_eq!(write_ids() != before, access == Access::Write, "a writer is known by its write");
    }
}

#[test]
fn a_secret_shows_the_one_row_that_has_its_hash() {
    let app = TestApp::start();
    let (ana, bia) = (app.user("ana"), app.user("bia"));
    for client in [&ana, &bia] {
        client.post("/api/tokens", json!({ "name": "cron", "scopes": ["read"] })).created();
        client.post("/api/members/invitations", json!({ "role": "viewer" })).created();
    }
    for name in ["ana", "bia"] {
        let login = json!({ "name": name, "password": finance_tests::PASSWORD, "remember": "token" });
        app.anyone().post("/api/auth/login", login).ok();
    }
    let mut connection = stepped_down(&app);
    for (table, column) in [("tokens", "hash"), ("invitations", "hash"), ("sessions", "device_selector")] {
        let stored = app.rows(&format!("select encode({column}, 'hex') as hash, profile_id from {table}"));
        assert_eq!(stored.len(), 2);
        for row in &stored {
            let hash = row["hash"].as_str().unwrap();
            connection.batch_execute(&format!("begin; set local finance.secret_hash = '{hash}'")).unwrap();
            let seen = rows(&mut connection, &format!("select profile_id from {table}"));
            assert_eq!(seen, [json!({ "profile_id": row["profile_id"] })], "{table}");
            // It gives access to nothing else.
            assert_eq!(rows(&mut connection, "select id from members"), Vec::<Value>::new());
            connection.batch_execute("rollback").unwrap();
        }
    }
}
