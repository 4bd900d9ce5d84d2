//! Manipulated backups: none of their SQL is run, nothing is left behind, and the served data does not change.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use diesel::connection::SimpleConnection;
use diesel::{Connection, PgConnection};
use finance_private_postgres::{Cluster, ClusterOptions};
use finance_tests::{Client, PASSWORD, Program, ScratchDir, rows, with_user};
use serde_json::{Value, json};

use crate::outcome::{printed, refused};

/// The database that is changed, and then dumped to an archive.
const CRAFTED: &str = "crafted";
/// A statement that changes nothing.
const UNCHANGED: &str = "select 1";

/// A service with a few rows, its backup, and its answers.
struct Served {
    scratch: ScratchDir,
    _service: Program,
    cluster: Cluster,
    ana: Client,
    backup: PathBuf,
    transactions: Value,
}

impl Served {
    fn start() -> Served {
        let scratch = ScratchDir::new();
        let data = scratch.path().join("data");
        with_user(&data);
        let service = Program::serve(&data);
        let cluster = Cluster::start(&ClusterOptions::new(&data)).expect("the cluster that runs is joined");
        let ana = service.login("ana", PASSWORD);
        let account = json!({ "name": "Banco", "kind": "current", "opening_balance": "10.00" });
        let account = ana.post("/api/accounts", account).created()["id"].clone();
        let bought = json!({ "type": "expense", "date": "2026-03-01", "description": "Ração e areia do gato",
            "amount": "55.55", "account_id": account });
        ana.post("/api/transactions", bought).created();
        ana.put("/api/settings", json!({ "savings_goal_pct": 12.5 })).ok();
        let backup = scratch.path().join("finance.dump");
        printed(&Program::run(&data, &["backup", backup.to_str().unwrap()]));
        let transactions = ana.get("/api/transactions").ok();
        assert_eq!(transactions.as_array().map(Vec::len), Some(2));
        Served { scratch, _service: service, cluster, ana, backup, transactions }
    }

    fn run(&self, program: &str, arguments: &[&str]) -> Output {
        let output = Command::new(self.cluster.bin_dir().join(program)).args(arguments).output().unwrap();
        assert!(output.status.success(), "{program}: {output:?}");
        output
    }

    fn admin(&self, database: &str) -> PgConnection {
        PgConnection::establish(&self.cluster.admin_url(database)).expect("the superuser connects")
    }

    /// An archive of the restored backup after a change.
    fn crafted(&self, change: &str, dump: &[&str]) -> Vec<u8> {
        let url = self.cluster.admin_url(CRAFTED);
        self.admin("postgres").batch_execute(&format!("create database {CRAFTED} owner finance")).unwrap();
        self.run("pg_restore", &["--dbname", &url, self.backup.to_str().unwrap()]);
        self.admin(CRAFTED).batch_execute(change).expect("the change is made");
        let archive = self.run("pg_dump", &[&["--format=custom", "--dbname", &url], dump].concat()).stdout;
        self.admin("postgres").batch_execute(&format!("drop database {CRAFTED}")).unwrap();
        archive
    }

    fn restore(&self, archive: &[u8]) -> Output {
        let file = self.scratch.path().join("crafted.dump");
        std::fs::write(&file, archive).unwrap();
        let data = self.scratch.path().join("data");
        let mut restore = Program::command(&data);
        restore.args(["restore", "--yes", file.to_str().unwrap()]).env("RUST_LOG", "warn");
        restore.output().expect("the program runs")
    }

    /// Checks that nothing has changed.
    #[track_caller]
    fn assert_untouched(&self, case: &str) {
        assert_eq!(self.ana.get("/api/transactions").ok(), self.transactions, "{case}");
        self.assert_clean(case);
    }

    /// Checks that the cluster has only the expected databases, roles, settings and schemas.
    #[track_caller]
    fn assert_clean(&self, case: &str) {
        let rows_of = |query: &str| rows(&mut self.admin("postgres"), query);
        let databases = rows_of("select datname from pg_database where not datistemplate order by datname");
        assert_eq!(databases, [json!({ "datname": "finance" }), json!({ "datname": "postgres" })], "{case}");
        let roles = rows_of("select rolname from pg_roles where rolname !~ '^pg_' order by rolname");
        assert_eq!(roles, [json!({ "rolname": "finance" }), json!({ "rolname": "finance_admin" })], "{case}");
        assert_eq!(rows_of("select * from pg_db_role_setting"), Vec::<Value>::new(), "{case}");
        let schemas = rows(
            &mut self.admin("finance"),
            "select nspname from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema'",
        );
        assert_eq!(schemas, [json!({ "nspname": "public" })], "{case}");
    }
}

/// Replaces text in an archive. A shorter replacement is filled with spaces to the same length.
#[track_caller]
fn patched(archive: &[u8], beginning: &str, end: &str, replacement: &str) -> Vec<u8> {
    let find = |text: &str, from: usize| {
        let found = archive[from..].windows(text.len()).position(|window| window == text.as_bytes());
        found.unwrap_or_else(|| panic!("the archive has no {text}")) + from
    };
    let at = find(beginning, 0);
    let length = find(end, at) + end.len() - at;
    assert!(replacement.len() <= length, "{} bytes for {length}", replacement.len());
    let mut patched = archive.to_vec();
    patched[at..at + length].fill(b' ');
    patched[at..at + replacement.len()].copy_from_slice(replacement.as_bytes());
    patched
}

/// A command that makes a file if PostgreSQL runs it. PostgreSQL runs commands in the directory of its cluster.
const TOUCH: &str = "touch witness";

/// The file that [`TOUCH`] makes.
fn witness(served: &Served) -> PathBuf {
    served.cluster.data_dir().join("witness")
}

#[track_caller]
fn assert_no_witness(path: &Path, case: &str) {
    assert!(!path.exists(), "{case}: a program of the archive was run");
}

#[test]
fn an_archive_with_objects_of_its_own_is_refused() {
    let served = Served::start();
    for (case, change, named) in [
        ("a function", "create function evil() returns integer language sql as 'select 1'", "FUNCTION public evil()"),
        (
            "a trigger",
            "create trigger evil before update on settings for each row execute function suppress_redundant_updates_trigger()",
            "TRIGGER public settings evil",
        ),
        (
            "an event trigger",
            "create function evil() returns event_trigger language plpgsql as 'begin end';
            create event trigger evil on ddl_command_end execute function evil()",
            "public evil()",
        ),
        (
            "a foreign table",
            "create foreign data wrapper evil; create server evil foreign data wrapper evil;
            create foreign table evil (id integer) server evil",
            "FOREIGN DATA WRAPPER - evil",
        ),
        ("a table", "create table evil (id integer)", "TABLE public evil"),
        ("a view in a schema", "create schema evil; create view evil.pg_roles as select 1 as one", "SCHEMA - evil"),
        ("a rule", "create rule evil as on insert to settings do also select 1", "RULE public settings evil"),
        ("a policy", "create policy evil on settings using (true)", "POLICY public settings evil"),
        ("a large object", "select lo_create(4711)", "4711"),
        ("a column", "alter table settings add column evil text", "COPY public.settings ("),
        ("a column less", "alter table settings drop column savings_goal_pct cascade", "COPY public.settings ("),
        ("a materialized view", "create materialized view evil as select 1 as one", "MATERIALIZED VIEW public evil"),
    ] {
        let line = refused(&served.restore(&served.crafted(change, &[])));
        assert!(line.contains(named) && line.contains("everything is as it was"), "{case}: {line}");
        served.assert_untouched(case);
    }
}

#[test]
fn an_archive_that_is_not_whole_is_refused() {
    let served = Served::start();
    for (case, change, dump, reason) in [
        ("a table's rows left out", UNCHANGED, &["--exclude-table-data=transactions"][..], "is not complete"),
        ("no versions", "delete from __diesel_schema_migrations", &[], "something else"),
        ("no version table", "drop table __diesel_schema_migrations", &[], "something else"),
        ("another encoding", UNCHANGED, &["--encoding=LATIN1"], "LATIN1"),
        (
            "rows that break a check",
            "alter domain transaction_amount drop constraint transaction_amount_positive; alter table transactions disable trigger user;
            alter table transactions no force row level security; update transactions set amount = -1",
            &[],
            "transaction_amount_positive",
        ),
        (
            "rows that break a key",
            "alter table transactions drop constraint transactions_account_fkey; alter table transactions disable trigger user;
            alter table transactions no force row level security; update transactions set account_id = 4711",
            &[],
            "transactions_account_fkey",
        ),
    ] {
        let line = refused(&served.restore(&served.crafted(change, dump)));
        assert!(line.contains(reason), "{case}: {line}");
        served.assert_untouched(case);
    }
}

#[test]
fn sql_in_the_place_of_an_object_s_definition_is_not_run() {
    let served = Served::start();
    let witness = witness(&served);
    // Release 0.1 has a function whose definition is long enough to be replaced.
    let archive = include_bytes!("../fixtures/release-0.1.dump");
    let definition = "CREATE FUNCTION public.apply_to_month_totals() RETURNS trigger";
    let function = format!("{definition} LANGUAGE plpgsql AS $$ begin return null; end $$;");
    let run = format!("copy (select 1) to program '{TOUCH}'");
    for (case, sql) in [
        (
            "views in the place of the catalog, for the superuser's next session",
            format!(
                "CREATE SCHEMA evil; GRANT USAGE ON SCHEMA evil TO public;
                CREATE FUNCTION evil.run() RETURNS boolean LANGUAGE plpgsql AS $x$ begin
                    if (select rolsuper from pg_catalog.pg_roles where rolname = current_user) then execute $r${run}$r$; end if;
                    return true; end $x$;
                CREATE VIEW public.pg_roles AS SELECT *, false AS rolsuper, false AS rolbypassrls FROM (VALUES ('finance'), ('finance_service')) AS r (rolname) WHERE evil.run();
                GRANT SELECT ON public.pg_roles TO public;
                ALTER DATABASE finance_restored SET search_path = public, pg_catalog;"
            ),
        ),
        ("a setting of the role", "ALTER ROLE finance SET search_path = evil;".to_owned()),
        ("a setting of the database", "ALTER DATABASE finance SET search_path = evil;".to_owned()),
    ] {
        let crafted = patched(archive, definition, "$$;", &format!("{sql} {function}"));
        // The rows are valid, so the rows are restored, and nothing else is.
        printed(&served.restore(&crafted));
        assert_no_witness(&witness, case);
        served.assert_clean(case);
        let views = "select relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'v'";
        assert_eq!(rows(&mut served.admin("finance"), views), Vec::<Value>::new(), "{case}");
    }
}

#[test]
fn sql_in_the_place_of_a_table_s_rows_is_refused() {
    let served = Served::start();
    let witness = witness(&served);
    let archive = std::fs::read(&served.backup).unwrap();
    let copy = "COPY public.login_failures (name_key, address, failures, window_started_at) FROM stdin;";
    let program = format!("COPY public.settings FROM PROGRAM '{TOUCH}';");
    for (case, statement) in [
        ("a program", program.as_str()),
        ("a file", "COPY public.settings FROM '/etc/passwd';"),
        ("a statement more", "COPY public.settings (a) FROM stdin; ALTER ROLE finance SUPERUSER;"),
        ("a statement before", "ALTER ROLE finance SET role = x; COPY public.settings (a) FROM stdin;"),
        ("another table", "COPY pg_catalog.pg_authid (rolname) FROM stdin;"),
        ("a table twice", "COPY public.accounts (id) FROM stdin;"),
        ("a command of psql", "\\! touch /tmp/x"),
    ] {
        let line = refused(&served.restore(&patched(&archive, copy, "stdin;", statement)));
        let beginning: String = statement.chars().take(20).collect();
        assert!(line.contains(&beginning), "{case}: {line}");
        assert_no_witness(&witness, case);
        served.assert_untouched(case);
    }

    // These cases change the rows of an uncompressed archive.
    let plain = served.crafted(UNCHANGED, &["--compress=0"]);
    let text = "Ração e areia do gato";
    for (case, rows) in [
        ("rows that end early", "\\.\nALTER ROLE finance;\n"),
        ("a command after rows that end early", "\\.\n\\! touch /tmp/x\n"),
    ] {
        refused(&served.restore(&patched(&plain, text, "gato", rows)));
        served.assert_untouched(case);
    }
}
