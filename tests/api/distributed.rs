//! The tables, distributed by profile over the nodes of Citus (`just citus`). On plain PostgreSQL the tests check only what
//! is also true there.

use diesel::connection::SimpleConnection;
use finance_tests::{Citus, TestApp, rows};
use serde_json::{Value, json};

/// The shards of a worker, and whether row-level security protects each of them.
const SHARDS: &str = "select c.relname as name, c.relrowsecurity and c.relforcerowsecurity
        and exists (select 1 from pg_policy where polrelid = c.oid) as secured,
        case when c.relname ~ '^profiles_' then 'id' else 'profile_id' end as key
    from pg_class c
    where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and c.relname ~ '_[0-9]{6}$'";

#[test]
#[ignore = "needs Citus: just citus"]
fn each_shard_shows_the_rows_of_the_bound_profile_alone() {
    let citus = Citus::of_environment().expect("just citus starts it");
    let app = TestApp::start();
    // With ten profiles, several of them are on the same shard.
    let clients: Vec<_> = (0..10).map(|at| app.user(&format!("user{at}"))).collect();
    for client in &clients {
        let account = client.open_account("Banco", "current");
        let bought =
            json!({ "type": "expense", "date": "2026-03-01", "description": "x", "amount": 9, "account_id": account });
        client.post("/api/transactions", bought).created();
    }
    let (mut shards_seen, mut rows_hidden) = (0, 0);
    for mut connection in citus.workers_of(app.database_name()) {
        for shard in rows(&mut connection, SHARDS) {
            let (name, key) = (shard["name"].as_str().unwrap(), shard["key"].as_str().unwrap());
            assert_eq!(shard["secured"], true, "{name}");
            let all = rows(&mut connection, &format!("select {key} as id from {name}"));
            connection.batch_execute("begin; set local role finance_service").unwrap();
            let unbound = rows(&mut connection, &format!("select {key} as id from {name}"));
            assert_eq!(unbound, Vec::<Value>::new(), "{name} without a profile");
            for client in &clients {
                let id = client.caller().profile_id.0;
                connection.batch_execute(&format!("set local finance.profile_id = '{id}'")).unwrap();
                let seen = rows(&mut connection, &format!("select {key} as id from {name}"));
                let own = all.iter().filter(|row| row["id"] == id).count();
                assert!(seen.len() == own && seen.iter().all(|row| row["id"] == id), "{name} as {id}: {seen:?}");
                rows_hidden += all.len() - own;
            }
            connection.batch_execute("rollback").unwrap();
            shards_seen += 1;
        }
    }
    assert!(shards_seen >= 60 && rows_hidden > 500, "{shards_seen} shards, {rows_hidden} rows were hidden");
}

#[test]
#[ignore = "needs Citus: just citus"]
fn a_statement_of_several_shards_is_refused_in_these_tests() {
    Citus::of_environment().expect("just citus starts it");
    let app = TestApp::start();
    app.user("ana");
    let mut connection = app.connection();
    connection.batch_execute("set citus.multi_task_query_log_level = 'error'").unwrap();
    assert!(connection.batch_execute("select count(*) from transactions").is_err());
    assert!(connection.batch_execute("select count(*) from transactions where profile_id = 1").is_ok());
}

#[test]
fn a_later_migration_adds_a_table_of_profiles_whether_distributed_or_not() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let account = ana.open_account("Banco", "current");
    // `finance migrate` makes this setting on Citus. Without Citus nothing reads it.
    app.sql(
        "begin;
        set local citus.multi_shard_modify_mode = 'sequential';
        create table later (
            profile_id bigint not null,
            id bigint generated always as identity,
            account_id bigint,
            constraint later_pkey primary key (profile_id, id)
        );
        alter table later enable row level security;
        alter table later force row level security;
        create policy later_isolation on later using (profile_id = current_profile_id());
        select distribute_by_profile('later');
        do $$ begin
            alter table later add constraint later_profile_fkey
                foreign key (profile_id) references profiles (id) on delete cascade;
            alter table later add constraint later_account_fkey
                foreign key (profile_id, account_id) references accounts (profile_id, id);
            alter table accounts add column later_note text;
        end $$;
        commit",
    );
    let id = ana.caller().profile_id;
    app.sql(&format!("insert into later (profile_id, account_id) values ({id}, {account})"));
    ana.delete(&format!("/api/accounts/{account}")).expect(409);
    app.sql(&format!("delete from profiles where id = {id}"));
    assert_eq!(app.rows("select * from later"), Vec::<Value>::new());
    if Citus::of_environment().is_some() {
        let shared = app.rows(
            "select colocation_id from citus_tables where table_name in ('later'::regclass, 'profiles'::regclass) group by 1",
        );
        assert_eq!(shared.len(), 1, "{shared:?}");
    }
}
