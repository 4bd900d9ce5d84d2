//! The rules for all tables: their rows belong to a profile, and the database enforces this.

use std::collections::{BTreeMap, BTreeSet};

use diesel::PgConnection;
use diesel_migrations::{FileBasedMigrations, MigrationHarness};
use finance_tests::{TestApp, rows};
use serde_json::Value;

/// The tables that do not belong to a profile: profiles, failed logins, and the list of migrations.
const NOT_OWNED: [&str; 3] = ["profiles", "login_failures", "__diesel_schema_migrations"];

/// The tables with rows that are found before their profile is known and that are unique over all profiles. Each with the
/// condition: the column and the setting of the transaction.
const FOUND_BY: [(&str, &str); 4] = [
    ("members", "(name_key = NULLIF(current_setting('finance.login_name'::text, true), ''::text))"),
    ("tokens", "(hash = decode(NULLIF(current_setting('finance.secret_hash'::text, true), ''::text), 'hex'::text))"),
    (
        "sessions",
        "(device_selector = decode(NULLIF(current_setting('finance.secret_hash'::text, true), ''::text), 'hex'::text))",
    ),
    (
        "invitations",
        "(hash = decode(NULLIF(current_setting('finance.secret_hash'::text, true), ''::text), 'hex'::text))",
    ),
];

fn text<'a>(row: &'a Value, name: &str) -> &'a str {
    row[name].as_str().unwrap_or_else(|| panic!("{name} in {row}"))
}

fn texts<'a>(row: &'a Value, name: &str) -> Vec<&'a str> {
    row[name]
        .as_array()
        .unwrap_or_else(|| panic!("{name} in {row}"))
        .iter()
        .map(|text| text.as_str().unwrap())
        .collect()
}

fn tables(app: &TestApp) -> Vec<Value> {
    app.rows(
        "select relname as name, relrowsecurity as secured, relforcerowsecurity as forced
        from pg_class where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace",
    )
}

fn owned_tables(app: &TestApp) -> Vec<String> {
    let names = tables(app).iter().map(|table| text(table, "name").to_string()).collect::<Vec<_>>();
    assert!(NOT_OWNED.iter().all(|exempt| names.iter().any(|name| name == exempt)), "an exemption is of no use");
    names.into_iter().filter(|name| !NOT_OWNED.contains(&name.as_str())).collect()
}

/// Constraints with the names of their columns, in order.
fn constraints(app: &TestApp) -> Vec<Value> {
    app.rows(
        "select conname as name, conrelid::regclass::text as of, contype as kind,
            nullif(confrelid, 0)::regclass::text as target, confdeltype as on_delete,
            (select coalesce(json_agg(attname order by position), '[]') from unnest(conkey) with ordinality as keys (number, position)
                join pg_attribute on attrelid = conrelid and attnum = number) as columns,
            (select coalesce(json_agg(attname order by position), '[]') from unnest(confkey) with ordinality as keys (number, position)
                join pg_attribute on attrelid = confrelid and attnum = number) as target_columns
        from pg_constraint
        where connamespace = 'public'::regnamespace and conrelid <> 0 and contype in ('p', 'u', 'f', 'c', 'x')",
    )
}

/// Indexes with the names of their columns, in order.
fn indexes(app: &TestApp) -> Vec<Value> {
    app.rows(
        "select indexrelid::regclass::text as name, indrelid::regclass::text as of, indisunique as is_unique,
            indisprimary as is_primary, indpred is not null as is_partial,
            (select coalesce(json_agg(attname order by position), '[]') from unnest(indkey::int2[]) with ordinality as keys (number, position)
                join pg_attribute on attrelid = indrelid and attnum = number) as columns
        from pg_index join pg_class on pg_class.oid = indrelid
        where relnamespace = 'public'::regnamespace",
    )
}

#[test]
fn every_owned_table_has_a_profile_and_goes_with_it() {
    let app = TestApp::start();
    let owned: BTreeSet<String> = owned_tables(&app).into_iter().collect();
    let columns = app.rows(
        "select attrelid::regclass::text as of, attnotnull as required, format_type(atttypid, null) as kind
        from pg_attribute where attname = 'profile_id' and attnum > 0",
    );
    let constraints = constraints(&app);
    // A profile's deletion cascades to a table through foreign keys, perhaps through other owned tables.
    let mut cascading: BTreeSet<String> = BTreeSet::from(["profiles".to_string()]);
    loop {
        let reached: Vec<String> = constraints
            .iter()
            .filter(|key| text(key, "kind") == "f" && text(key, "on_delete") == "c")
            .filter(|key| cascading.contains(text(key, "target")) && texts(key, "columns")[0] == "profile_id")
            .map(|key| text(key, "of").to_string())
            .filter(|table| !cascading.contains(table))
            .collect();
        if reached.is_empty() {
            break;
        }
        cascading.extend(reached);
    }
    for table in &owned {
        let column = columns.iter().find(|column| text(column, "of") == table);
        let column = column.unwrap_or_else(|| panic!("{table} has no profile_id"));
        assert!(column["required"] == true && text(column, "kind") == "bigint", "{table}: {column}");
        assert!(cascading.contains(table), "{table} does not go with its profile");
    }
    // What refers to another table without going with its rows must go with the profile itself: only so is it gone when those are checked.
    for key in constraints.iter().filter(|key| text(key, "kind") == "f" && text(key, "on_delete") == "a") {
        let of = text(key, "of");
        let goes = constraints.iter().any(|own| {
            text(own, "kind") == "f"
                && text(own, "of") == of
                && text(own, "target") == "profiles"
                && text(own, "on_delete") == "c"
        });
        assert!(goes || !owned.contains(text(key, "target")), "{key} keeps a profile from being deleted");
    }
}

#[test]
fn deleting_a_profile_leaves_nothing_of_it() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let account = ana.post(
        "/api/accounts",
        serde_json::json!({ "name": "Banco", "kind": "credit", "closing_day": 1, "due_day": 9 }),
    );
    let account = account.created()["id"].clone();
    let row = serde_json::json!({ "type": "expense", "date": "2026-03-01", "description": "x", "amount": 1, "account_id": account });
    ana.post("/api/transactions", row).created();
    ana.put("/api/settings", serde_json::json!({ "savings_goal_pct": 1 })).ok();
    let category = ana.get("/api/categories").ok()[0]["id"].clone();
    let rows = serde_json::json!([{ "date": "2026-03-01", "description": "y", "amount": "2", "type": "expense", "category_id": category }]);
    let held = serde_json::json!({ "account_id": account, "is_credit_card": true, "payment_date": "2026-12-09", "rows": rows });
    ana.post("/api/import/confirm", held).expect(202);
    app.sql("delete from profiles");
    for table in owned_tables(&app) {
        assert_eq!(app.rows(&format!("select * from {table}")), Vec::<Value>::new(), "{table}");
    }
}

#[test]
fn every_key_and_unique_index_of_an_owned_table_starts_with_its_profile() {
    let app = TestApp::start();
    let indexes = indexes(&app);
    for table in owned_tables(&app) {
        let own: Vec<&Value> = indexes.iter().filter(|index| text(index, "of") == table).collect();
        assert!(own.iter().any(|index| index["is_primary"] == true), "{table} has no primary key");
        let leads = |index: &Value| texts(index, "columns").first() == Some(&"profile_id");
        let across: Vec<_> = own.iter().filter(|index| index["is_unique"] == true && !leads(index)).collect();
        let is_found_by = FOUND_BY.iter().any(|(known, _)| *known == table);
        assert_eq!(across.len(), usize::from(is_found_by), "{table} is unique across profiles: {across:?}");
        assert!(
            own.iter().any(|index| leads(index) && index["is_partial"] == false),
            "{table} has no index by profile"
        );
    }
}

#[test]
fn row_level_security_is_enabled_and_forced_on_every_owned_table() {
    let app = TestApp::start();
    let policies = app.rows(
        "select polname as name, polrelid::regclass::text as of, polcmd as command, polpermissive as permissive, polroles::text as roles,
            pg_get_expr(polqual, polrelid) as using, pg_get_expr(polwithcheck, polrelid) as checks
        from pg_policy",
    );
    let owned = owned_tables(&app);
    for table in tables(&app) {
        let name = text(&table, "name");
        if name != "profiles" && !owned.iter().any(|owned| owned == name) {
            continue;
        }
        assert!(table["secured"] == true && table["forced"] == true, "{table}");
        let own: Vec<&Value> = policies.iter().filter(|policy| text(policy, "of") == name).collect();
        // Profiles and members have one more policy, for listing them to an operator. It only allows reading.
        let (listing, own): (Vec<&Value>, Vec<&Value>) = own.into_iter().partition(|policy| {
            ["profiles", "members"].contains(&name) && text(policy, "name") == format!("{name}_listing")
        });
        assert!(listing.iter().all(|policy| text(policy, "command") == "r"), "{listing:?}");
        assert_eq!(own.len(), 1, "{name} has one policy");
        assert_eq!(text(own[0], "command"), "*", "{name}: for every command");
        assert_eq!(text(own[0], "roles"), "{0}", "{name}: for every role");
        if name != "profiles" {
            let bound = "(profile_id = current_profile_id())";
            let found_by = FOUND_BY.iter().find(|(known, _)| *known == name);
            let expected = found_by.map_or(bound.to_string(), |(_, found_by)| format!("({bound} OR {found_by})"));
            assert_eq!(text(own[0], "using"), expected, "{name}");
            assert!(own[0]["checks"].is_null(), "{name}: what is written is judged as what is read");
        }
    }
}

#[test]
fn a_row_refers_to_rows_of_its_own_profile_only() {
    let app = TestApp::start();
    let owned = owned_tables(&app);
    for key in constraints(&app).iter().filter(|key| text(key, "kind") == "f") {
        let (columns, target_columns) = (texts(key, "columns"), texts(key, "target_columns"));
        if owned.iter().any(|table| table == text(key, "target")) {
            assert!(columns.len() > 1, "{key}: a key of the id alone");
            assert_eq!((columns[0], target_columns[0]), ("profile_id", "profile_id"), "{key}");
        } else {
            assert_eq!(text(key, "target"), "profiles", "{key}");
        }
    }
}

#[test]
fn every_foreign_key_has_an_index_that_finds_its_rows() {
    let app = TestApp::start();
    let indexes = indexes(&app);
    for key in constraints(&app).iter().filter(|key| text(key, "kind") == "f") {
        let columns: BTreeSet<&str> = texts(key, "columns").into_iter().collect();
        let found = indexes.iter().any(|index| {
            let led: BTreeSet<&str> = texts(index, "columns").into_iter().take(columns.len()).collect();
            text(index, "of") == text(key, "of") && led == columns
        });
        assert!(found, "deleting what {} points at reads the whole profile", text(key, "name"));
    }
}

#[test]
fn every_constraint_has_a_name_that_was_chosen() {
    let app = TestApp::start();
    for constraint in constraints(&app) {
        let (name, table) = (text(&constraint, "name"), text(&constraint, "of"));
        if table == "__diesel_schema_migrations" {
            continue;
        }
        let columns = texts(&constraint, "columns").join("_");
        let stem = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
        let generated = match text(&constraint, "kind") {
            "p" => name != stem,
            "c" => stem.ends_with("_check"),
            "f" => stem == format!("{table}_{columns}_fkey"),
            "u" => stem == format!("{table}_{columns}_key"),
            "x" => stem.ends_with("_excl"),
            _ => true,
        };
        assert!(!generated, "{name} was named by PostgreSQL");
        assert!(name.starts_with(&format!("{table}_")), "{name} is on {table}");
    }
}

#[test]
fn what_is_written_in_plpgsql_is_what_has_to_be() {
    let app = TestApp::start();
    let functions = app.rows(
        "select proname as name from pg_proc join pg_language on pg_language.oid = prolang
        where pronamespace = 'public'::regnamespace and lanname = 'plpgsql' order by proname",
    );
    let names: Vec<&str> = functions.iter().map(|function| text(function, "name")).collect();
    assert_eq!(names, ["bind_profile", "bind_token", "count_transactions"], "see docs/decisions/three_functions.md");
}

/// A description of everything in the schema.
fn described(connection: &mut PgConnection) -> BTreeMap<String, Vec<String>> {
    let mut described = BTreeMap::new();
    for (what, query) in [
        (
            "columns",
            "select format('%s.%s %s %s %s %s', attrelid::regclass, attname, format_type(atttypid, atttypmod), attnotnull,
                attidentity, pg_get_expr(adbin, adrelid)) as line
            from pg_attribute join pg_class on pg_class.oid = attrelid left join pg_attrdef on adrelid = attrelid and adnum = attnum
            where relkind = 'r' and relnamespace = 'public'::regnamespace and attnum > 0 and not attisdropped",
        ),
        (
            "constraints",
            "select format('%s %s %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as line
            from pg_constraint where connamespace = 'public'::regnamespace",
        ),
        ("indexes", "select indexdef as line from pg_indexes where schemaname = 'public'"),
        (
            "policies",
            "select format('%s %s %s', polrelid::regclass, polname, pg_get_expr(polqual, polrelid)) as line from pg_policy",
        ),
        (
            "tables",
            "select format('%s %s %s %s', relkind, relname, relrowsecurity, relforcerowsecurity) as line
            from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'v', 'm', 'S')",
        ),
        (
            "functions",
            "select pg_get_functiondef(oid) as line from pg_proc where pronamespace = 'public'::regnamespace",
        ),
        ("triggers", "select pg_get_triggerdef(oid) as line from pg_trigger where not tgisinternal"),
        ("types", "select typname as line from pg_type where typnamespace = 'public'::regnamespace and typtype in ('e', 'd')"),
    ] {
        let mut lines: Vec<String> = rows(connection, query).iter().map(|row| text(row, "line").to_string()).collect();
        lines.sort_unstable();
        described.insert(what.to_string(), lines);
    }
    described
}

#[test]
fn down_migrations_undo_the_up_ones() {
    let app = TestApp::start();
    let connection = &mut app.connection();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../migrations");
    let migrations = || FileBasedMigrations::from_path(folder).expect("the migrations");
    let before = described(connection);
    assert!(before["tables"].len() > 10 && !before["functions"].is_empty());
    assert_eq!(before["triggers"], [""; 0], "sums are kept by the statements that write their rows");
    let reverted = connection.revert_all_migrations(migrations()).expect("every down.sql works").len();
    let left = described(connection);
    for (what, lines) in &left {
        let left: Vec<_> = lines.iter().filter(|line| !line.contains("__diesel_schema_migrations")).collect();
        assert!(left.is_empty(), "{what} left behind: {left:?}");
    }
    let applied = connection.run_pending_migrations(migrations()).expect("every up.sql works again").len();
    assert_eq!(applied, reverted);
    assert_eq!(described(connection), before);
}

#[test]
fn each_down_migration_undoes_its_own_up_one() {
    let app = TestApp::start();
    let connection = &mut app.connection();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../migrations");
    let migrations = FileBasedMigrations::from_path(folder).expect("the migrations");
    connection.revert_all_migrations(migrations.clone()).expect("every down.sql works");
    while connection.has_pending_migration(migrations.clone()).expect("an answer") {
        let before = described(connection);
        connection.run_next_migration(migrations.clone()).expect("the next up.sql works");
        let after = described(connection);
        let version = connection.revert_last_migration(migrations.clone()).expect("its down.sql works");
        assert_eq!(described(connection), before, "{version} is not undone");
        connection.run_next_migration(migrations.clone()).expect("the up.sql works again");
        assert_eq!(described(connection), after, "{version} is not done again");
    }
}
