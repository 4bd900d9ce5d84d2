//! The content of the pid file of a server that has ended is not trusted.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::process::{Child, Command, Stdio};

use super::{DataDir, query};

/// Starts a process that is unrelated to PostgreSQL.
fn sleeper() -> Child {
    Command::new("sleep").arg("600").stdin(Stdio::null()).spawn().unwrap()
}

#[test]
fn a_stale_pid_file_of_a_dead_process_is_survived() {
    let dir = DataDir::new();
    dir.start().stop().unwrap();
    let mut dead = sleeper();
    dead.kill().unwrap();
    dead.wait().unwrap();
    leave_pid_file(&dir, &dead.id().to_string());
    let cluster = dir.start();
    query(&cluster, "select 1");
    cluster.stop().unwrap();
}

#[test]
fn a_stale_pid_file_whose_number_another_program_has_is_survived() {
    for pid in [std::process::id().to_string(), "1".to_owned()] {
        let dir = DataDir::new();
        dir.start().stop().unwrap();
        leave_pid_file(&dir, &pid);
        let cluster = dir.start();
        query(&cluster, "select 1");
        cluster.stop().unwrap();
    }
    let dir = DataDir::new();
    dir.start().stop().unwrap();
    let mut foreign = sleeper();
    leave_pid_file(&dir, &foreign.id().to_string());
    let cluster = dir.start();
    query(&cluster, "select 1");
    cluster.stop().unwrap();
    assert!(foreign.try_wait().unwrap().is_none(), "the other program goes on");
    foreign.kill().unwrap();
    foreign.wait().unwrap();
}

#[test]
fn a_stale_pid_file_whose_number_another_cluster_has_is_survived() {
    let (dir, other) = (DataDir::new(), DataDir::new());
    dir.start().stop().unwrap();
    let other_cluster = other.start();
    leave_pid_file(&dir, &other.pid().as_raw_nonzero().to_string());
    let cluster = dir.start();
    assert_ne!(dir.pid(), other.pid());
    query(&cluster, "select 1");
    query(&other_cluster, "select 1");
    cluster.stop().unwrap();
    other_cluster.stop().unwrap();
}

#[test]
fn an_empty_pid_file_is_survived() {
    let dir = DataDir::new();
    dir.start().stop().unwrap();
    fs::write(dir.pid_file(), "").unwrap();
    dir.start().stop().unwrap();
}

/// Writes the files that a killed server leaves: its own pid file and the lock file of its socket.
fn leave_pid_file(dir: &DataDir, pid: &str) {
    let data = dir.postgres();
    let text = format!("{pid}\n{0}\n1767225600\n5432\n{0}\n\n  5432001         1\nready   \n", data.display());
    fs::write(dir.pid_file(), &text).unwrap();
    fs::write(data.join(".s.PGSQL.5432.lock"), &text).unwrap();
    for file in [dir.pid_file(), data.join(".s.PGSQL.5432.lock")] {
        let owner = fs::metadata(&data).unwrap();
        std::os::unix::fs::chown(file, Some(owner.uid()), Some(owner.gid())).unwrap();
    }
}
