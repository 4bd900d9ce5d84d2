//! Backs up and restores a database. Only the test knows its schema.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test fails by panicking")]

use std::error::Error;
use std::fs::File;
use std::process::Command;

use finance_private_postgres::{Archive, Cluster, ClusterError, Schema, start_disposable};

/// A table of notes. Its second version has a title.
struct Notes<'a>(&'a Cluster);

const VERSIONS: [(&str, &str); 2] = [
    ("1", "create table notes (id bigint generated always as identity primary key, text text not null)"),
    ("2", "alter table notes add column title text not null default ''"),
];

impl Schema for Notes<'_> {
    fn version_table(&self) -> &str {
        "_versions"
    }

    fn version_column(&self) -> &str {
        "version"
    }

    fn build(&self, url: &str, versions: &[String]) -> Result<(), Box<dyn Error + Send + Sync>> {
        if !versions.iter().all(|version| VERSIONS.iter().any(|(known, _)| known == version)) {
            return Err("the version is unknown".into());
        }
        query(self.0, url, "create table _versions (version text primary key)");
        for (version, statement) in VERSIONS.iter().filter(|(known, _)| versions.iter().any(|version| version == known))
        {
            query(self.0, url, &format!("{statement}; insert into _versions values ('{version}')"));
        }
        Ok(())
    }

    fn complete(&self, url: &str) -> Result<(), Box<dyn Error + Send + Sync>> {
        if query(self.0, url, "select count(*) from _versions where version = '2'") == "0" {
            query(self.0, url, &format!("{}; insert into _versions values ('2')", VERSIONS[1].1));
        }
        Ok(())
    }
}

fn query(cluster: &Cluster, url: &str, sql: &str) -> String {
    let mut psql = Command::new(cluster.bin_dir().join("psql"));
    psql.args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", url, "-c", sql]);
    let output = psql.output().unwrap();
    assert!(output.status.success(), "{sql}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

fn restore(cluster: &Cluster, archive: &[u8]) -> Result<(), ClusterError> {
    cluster.restore(Archive::open(archive)?, &Notes(cluster))
}

fn back_up(cluster: &Cluster) -> Vec<u8> {
    let mut archive = Vec::new();
    let bytes = cluster.back_up(&mut archive).unwrap();
    assert_eq!(bytes, archive.len() as u64);
    archive
}

#[test]
fn rows_are_restored_into_the_schema_that_the_caller_builds() {
    let disposable = start_disposable().unwrap();
    let cluster = disposable.cluster();
    let url = &cluster.url();
    Notes(cluster).build(url, &["1".to_owned()]).unwrap();
    query(cluster, url, r"insert into notes (text) values (E'two\nlines, \\. and a \t'), ('Ração'), ('gone')");
    query(cluster, url, "delete from notes where text = 'gone'");
    let archive = back_up(cluster);
    let content = "select string_agg(format('%s %L', id, text), ', ' order by id) from notes";
    let before = query(cluster, url, content);
    query(cluster, url, "drop table notes");

    restore(cluster, &archive).unwrap();
    assert_eq!(query(cluster, url, content), before);
    // The sequence continues at its value, the later version is applied, and the role owns everything.
    assert_eq!(query(cluster, url, "insert into notes (text) values ('new') returning id, title"), "4|");
    let owners = "select distinct relowner::regrole from pg_class where relnamespace = 'public'::regnamespace";
    assert_eq!(query(cluster, url, owners), "finance");
    let databases = "select string_agg(datname, ' ' order by datname) from pg_database where not datistemplate";
    assert_eq!(query(cluster, url, databases), "finance postgres");
    restore(cluster, &back_up(cluster)).unwrap();
}

#[test]
fn what_the_schema_does_not_have_is_refused_and_nothing_changes() {
    let disposable = start_disposable().unwrap();
    let cluster = disposable.cluster();
    let url = &cluster.url();
    Notes(cluster).build(url, &["1".to_owned(), "2".to_owned()]).unwrap();
    query(cluster, url, "insert into notes (text) values ('kept')");
    for (change, undo, reason) in [
        ("create table more (id int)", "drop table more", "TABLE public more"),
        (
            "alter table notes add column more int",
            "alter table notes drop column more",
            "COPY public.notes (id, text, title, more)",
        ),
        (
            "insert into _versions values ('3')",
            "delete from _versions where version = '3'",
            "the backup cannot be restored",
        ),
        ("alter table _versions rename to versions", "alter table versions rename to _versions", "something else"),
    ] {
        query(cluster, url, change);
        let archive = back_up(cluster);
        query(cluster, url, undo);
        let error = restore(cluster, &archive).unwrap_err().to_string();
        assert!(error.contains(reason), "{change}: {error}");
        assert_eq!(query(cluster, url, "select text from notes"), "kept");
    }
    let whole = back_up(cluster);
    for cut in [10, whole.len() / 2] {
        assert!(restore(cluster, &whole[..cut]).is_err(), "{cut} bytes of {}", whole.len());
    }
    let lock = File::create(cluster.data_dir().with_extension("restore")).unwrap();
    lock.lock().unwrap();
    assert!(matches!(restore(cluster, &whole), Err(ClusterError::RestoreRunning { .. })));
    assert_eq!(query(cluster, url, "select text from notes"), "kept");
}

#[test]
fn a_backup_is_proved_by_what_it_holds() {
    let disposable = start_disposable().unwrap();
    let cluster = disposable.cluster();
    let url = &cluster.url();
    Notes(cluster).build(url, &["1".to_owned(), "2".to_owned()]).unwrap();
    query(cluster, url, r"insert into notes (text, title) values (E'two\nlines', 'a|b'), ('Ração', '')");
    let run = cluster.begin_backup().unwrap();
    assert!(matches!(cluster.begin_backup(), Err(ClusterError::BackupRunning { .. })));
    let (mut first, mut second) = (Vec::new(), Vec::new());
    let counted = run.write(&mut first).unwrap();
    assert_eq!((counted.tables(), counted.rows()), (2, 4));
    run.prove(Archive::open(first.as_slice()).unwrap(), &Notes(cluster), &counted).unwrap();

    // The same number of rows, but different rows.
    query(cluster, url, "update notes set text = 'other' where id = 1");
    let changed = run.write(&mut second).unwrap();
    let proved = |archive: &[u8], counted| run.prove(Archive::open(archive).unwrap(), &Notes(cluster), counted);
    proved(&second, &changed).unwrap();
    let error = proved(&first, &changed).unwrap_err();
    assert!(matches!(&error, ClusterError::Unproved { problem } if problem.contains("public.notes")), "{error}");
    assert!(proved(&second[..second.len() / 2], &changed).is_err());
    let databases = "select string_agg(datname, ' ' order by datname) from pg_database where not datistemplate";
    assert_eq!(query(cluster, url, databases), "finance postgres");
}
