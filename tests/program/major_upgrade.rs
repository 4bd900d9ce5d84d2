//! The service moves the private database to a newer major version of PostgreSQL by itself.
//!
//! If `FINANCE_TESTS_NEWER_POSTGRES` is set to a directory of programs, the newer version is a real one. Otherwise the
//! installed version reports the next version number. Then everything is the same as with a real one, except the version in
//! the new files.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use finance_private_postgres::{Cluster, ClusterOptions};
use finance_tests::{PASSWORD, Program, ScratchDir, eventually, eventually_or};
use serde_json::{Value, json};

use crate::household::{figures, fill};
use crate::outcome::{printed, refused};

/// A data directory that the installed version made, and the programs of a newer version.
struct Household {
    scratch: ScratchDir,
    data: PathBuf,
    old: PathBuf,
    major: u32,
    newer: PathBuf,
}

impl Household {
    /// A household with a month of transactions. The service has stopped.
    fn new() -> (Household, Vec<(String, Value)>) {
        let scratch = ScratchDir::new();
        fs::create_dir(scratch.path()).unwrap();
        fs::set_permissions(scratch.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let data = scratch.path().join("data");
        let command = |arguments: &[&str]| {
            let mut command = Program::command(&data);
            command.env("FINANCE_TODAY", "2026-03-15").env("FINANCE_BCB_URL", "http://127.0.0.1:1").args(arguments);
            command
        };
        printed(&command(&["create-user", "--name", "ana", "--password", PASSWORD]).output().unwrap());
        let mut service = Program::start(&mut command(&[]));
        let ana = service.login("ana", PASSWORD);
        fill(&ana, None);
        let shown = figures(&ana);
        let cluster = Cluster::start(&ClusterOptions::new(&data)).expect("the cluster that runs is joined");
        let old = cluster.bin_dir();
        drop(cluster);
        service.signal("TERM");
        assert!(service.wait());
        let major = fs::read_to_string(data.join("postgres/PG_VERSION")).unwrap().trim().parse().unwrap();
        let newer = scratch.path().join("newer");
        let household = Household { data, old, major, newer, scratch };
        household.install_newer();
        (household, shown)
    }

    /// Creates the programs of the newer version. If the folder `stop` has a file with the name of a program, the program
    /// removes it, waits for the file `go`, and fails.
    fn install_newer(&self) {
        let stop = self.stop_folder();
        for folder in [&self.newer, &stop] {
            fs::create_dir(folder).unwrap();
            fs::set_permissions(folder, fs::Permissions::from_mode(0o777)).unwrap();
        }
        let real = std::env::var_os("FINANCE_TESTS_NEWER_POSTGRES").map(PathBuf::from);
        let command = match &real {
            None => format!("echo 'postgres (PostgreSQL) {}.0'", self.major + 1),
            Some(real) => format!("'{}' --version", real.join("postgres").display()),
        };
        let version = format!("[ \"$1\" = --version ] && exec {command}\n");
        let (real, stop) = (real.unwrap_or_else(|| self.old.clone()), stop.display());
        for program in ["postgres", "initdb", "psql", "pg_dump", "pg_dumpall", "pg_restore"] {
            let version = if program == "postgres" { version.as_str() } else { "" };
            let script = format!(
                "#!/bin/sh\n{version}if rm '{stop}/{program}' 2> /dev/null; then touch '{stop}/reached'; \
                 until [ -e '{stop}/go' ]; do sleep 0.02; done; exit 1; fi\n\
                 exec '{}' \"$@\"\n",
                real.join(program).display()
            );
            let path = self.newer.join(program);
            fs::write(&path, script).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
    }

    fn stop_folder(&self) -> PathBuf {
        self.scratch.path().join("stop")
    }

    /// Whether a program that stops goes on and fails.
    fn let_go(&self, goes_on: bool) {
        let go = self.stop_folder().join("go");
        if goes_on {
            fs::write(go, "").unwrap();
        } else {
            let _ = fs::remove_file(go);
        }
    }

    /// The next call of that program of the newer version waits until it may go on, and fails.
    fn stop_at(&self, program: &str) {
        // A program that runs now may take it at once, so it appears complete.
        let made = self.stop_folder().join("made");
        fs::write(&made, "").unwrap();
        fs::set_permissions(&made, fs::Permissions::from_mode(0o666)).unwrap();
        fs::rename(made, self.stop_folder().join(program)).unwrap();
    }

    fn command(&self, bin_dirs: &[&Path], arguments: &[&str]) -> Command {
        let mut command = Program::command(&self.data);
        command.env("FINANCE_POSTGRES_BIN_DIRS", std::env::join_paths(bin_dirs).unwrap());
        command.env("FINANCE_TODAY", "2026-03-15").env("FINANCE_BCB_URL", "http://127.0.0.1:1").args(arguments);
        command
    }

    fn serve(&self, bin_dirs: &[&Path]) -> Program {
        Program::start(&mut self.command(bin_dirs, &[]))
    }

    fn earlier(&self) -> PathBuf {
        self.data.join(format!("postgres.old-{}", self.major))
    }
}

/// Waits until the log contains a text.
#[track_caller]
fn wait_for_log(service: &Program, text: &str) {
    let failure = || format!("{text} is not in {}", service.log());
    eventually_or(failure, || service.log().contains(text).then_some(()));
}

#[test]
fn the_private_database_moves_to_a_newer_version_whenever_the_move_is_killed() {
    let (household, before) = Household::new();
    let both = [household.old.as_path(), household.newer.as_path()];
    // The move is killed while the new cluster is made, while its server starts, while the old one is dumped, and while it
    // is restored.
    for program in ["initdb", "postgres", "pg_dumpall", "psql"] {
        let reached = household.stop_folder().join("reached");
        let _ = fs::remove_file(&reached);
        household.let_go(false);
        let mut command = household.command(&both, &["list-users"]);
        household.stop_at(program);
        let mut moving = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        eventually(&format!("{program} is called"), || reached.exists().then_some(()));
        moving.kill().unwrap();
        moving.wait().unwrap();
        household.let_go(true);
        let version = fs::read_to_string(household.data.join("postgres/PG_VERSION")).unwrap();
        assert_eq!(version.trim(), household.major.to_string(), "killed at {program}");
        assert!(!household.earlier().exists(), "killed at {program}");
    }
    // This is the state after a kill between the two renames.
    fs::rename(household.data.join("postgres"), household.earlier()).unwrap();
    let service = household.serve(&both);
    wait_for_log(&service, "takes its place again");
    wait_for_log(&service, "rows from PostgreSQL");
    let ana = service.login("ana", PASSWORD);
    assert_eq!(figures(&ana), before);
    ana.post("/api/categories", json!({ "name": "Depois" })).created();
    assert!(household.earlier().join("PG_VERSION").exists(), "the earlier cluster is kept");
    let left: Vec<_> = fs::read_dir(&household.data).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().contains(".new-")), "{left:?}");

    // Once a backup of the new cluster is proved, the earlier cluster is deleted.
    printed(&household.command(&both, &["backup"]).output().unwrap());
    assert!(!household.earlier().exists());
}

#[test]
fn a_move_that_fails_leaves_the_service_on_the_version_that_it_has() {
    let (household, before) = Household::new();
    // If the old programs are missing, one line says what to install.
    let line = refused(&household.command(&[&household.newer], &["list-users"]).output().unwrap());
    let advice = format!("install PostgreSQL {} beside it once more", household.major);
    assert!(line.contains(&advice) && line.contains("automatically"), "{line}");

    household.let_go(true);
    household.stop_at("pg_dumpall");
    let service = household.serve(&[&household.old, &household.newer]);
    wait_for_log(&service, &format!("stays with PostgreSQL {}", household.major));
    assert_eq!(figures(&service.login("ana", PASSWORD)), before);
    assert!(!household.earlier().exists());
    // While the cluster is in use, another process uses it without a move.
    let log = household.command(&[&household.old, &household.newer], &["-v", "list-users"]).output().unwrap();
    assert!(!String::from_utf8_lossy(&log.stderr).contains("moving"), "{log:?}");
    printed(&log);
}
