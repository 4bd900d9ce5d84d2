//! Watches the server and stops it.

use std::error::Error;
use std::fs;
use std::process::{Command, Stdio};

use finance_private_postgres::{Cluster, ClusterOptions};
use rustix::process::{Resource, Rlimit, Signal, kill_process, setrlimit};

use super::{DataDir, is_gone, psql, query, wait_until};

#[test]
fn stop_waits_for_the_last_lease() {
    let dir = DataDir::new();
    let (service, command) = (dir.start(), dir.start());
    command.stop().unwrap();
    assert!(service.is_running());
    query(&service, "select 1");
    service.stop().unwrap();
    assert!(!service.is_running());
    service.stop().unwrap();
    assert!(!service.ensure_running().unwrap(), "a stopped cluster is not started again");
    assert!(!service.is_running());
}

#[test]
fn ensure_running_starts_a_killed_server_again_and_keeps_what_was_committed() {
    let dir = DataDir::new();
    let cluster = dir.start();
    query(&cluster, "create table kept as select 42 as answer");
    // A session that runs a statement does not notice the death of the server's main process until the statement ends.
    let mut busy = psql(&cluster, &cluster.url())
        .args(["-c", "select count(*) from generate_series(1, 1000000000000)"])
        .stderr(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let active =
        "select count(*) from pg_stat_activity where query like '%generate_series%' and pid <> pg_backend_pid()";
    wait_until("the session", || query(&cluster, active) == "1");
    assert!(!cluster.ensure_running().unwrap(), "nothing to do yet");

    kill_process(dir.pid(), Signal::KILL).unwrap();
    wait_until("the death", || !cluster.is_running());
    // It ends that session, which would prevent the new server from starting for hours.
    assert!(cluster.ensure_running().unwrap());
    assert_eq!(query(&cluster, "select answer from kept"), "42");
    assert!(!busy.wait().unwrap().success());
    cluster.stop().unwrap();
}

#[test]
fn start_waits_for_a_server_that_is_being_stopped() {
    let dir = DataDir::new();
    drop(dir.start());
    let pid = dir.pid();
    kill_process(pid, Signal::INT).unwrap();
    let cluster = dir.start();
    query(&cluster, "select 1");
    assert_ne!(dir.pid(), pid);
    cluster.stop().unwrap();
}

#[test]
fn a_stop_that_waits_for_clients_does_not_keep_the_service_from_its_server() {
    let dir = DataDir::new();
    let cluster = dir.start();
    let client = psql(&cluster, &cluster.url()).args(["-c", "select pg_sleep(600)"]).stderr(Stdio::null()).spawn();
    let sleeping = "select count(*) from pg_stat_activity where query like '%pg_sleep%' and pid <> pg_backend_pid()";
    wait_until("the session", || query(&cluster, sleeping) == "1");
    kill_process(dir.pid(), Signal::TERM).unwrap();
    wait_until("the stop", || !cluster.is_running());
    // It does not wait for the client, but disconnects it.
    assert!(cluster.ensure_running().unwrap());
    query(&cluster, "select 1");
    assert!(!client.unwrap().wait().unwrap().success());
    cluster.stop().unwrap();
}

#[test]
fn a_signal_to_the_service_s_process_group_spares_the_server() {
    let dir = DataDir::new();
    let cluster = dir.start();
    let group = rustix::process::getpgid(Some(dir.pid())).unwrap();
    assert_eq!(group, dir.pid());
    cluster.stop().unwrap();
}

#[test]
fn a_server_whose_socket_was_removed_is_started_again() {
    let dir = DataDir::new();
    drop(dir.start());
    fs::remove_file(dir.postgres().join(".s.PGSQL.5432")).unwrap();
    let cluster = dir.start();
    query(&cluster, "select 1");
    cluster.stop().unwrap();
}

#[test]
fn stop_ends_the_server_of_a_deleted_data_directory() {
    let dir = DataDir::new();
    let cluster = dir.start();
    let pid = dir.pid();
    fs::remove_dir_all(&dir.0).unwrap();
    cluster.stop().unwrap();
    wait_until("the end of the server", || is_gone(pid));
}

/// Not a separate test: the next test runs it in another process. That process uses up all its file descriptors.
#[test]
#[ignore = "the next test runs it"]
fn a_process_without_file_descriptors() {
    let data_dir = std::env::var_os(STARVED).expect("a data directory");
    let options = ClusterOptions::new(data_dir);
    let cluster = Cluster::start(&options).unwrap();
    setrlimit(Resource::Nofile, Rlimit { current: Some(64), maximum: Some(64) }).unwrap();
    let mut taken = Vec::new();
    while let Ok(file) = fs::File::open("/dev/null") {
        taken.push(file);
    }
    for left in 0..taken.len() {
        // With some of these numbers of free descriptors it can read the id of the server's process, but not inspect that process.
        match cluster.ensure_running() {
            Ok(restarted) => {
                assert!(!restarted, "with {left} descriptors");
                break;
            }
            Err(error) => {
                let cause = error.source().expect("the operating system's answer").to_string();
                assert!(cause.contains("Too many open files"), "{error}: {cause}");
            }
        }
        taken.pop();
    }
    assert!(taken.len() > 10, "it can look with a few descriptors");
    cluster.stop().unwrap();
}

const STARVED: &str = "FINANCE_TEST_STARVED_DATA_DIR";

#[test]
fn a_server_that_cannot_be_looked_at_is_not_taken_for_dead() {
    let dir = DataDir::new();
    let cluster = dir.start();
    let pid = dir.pid();
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "watch::a_process_without_file_descriptors"])
        .env(STARVED, &dir.0)
        .output()
        .unwrap();
    assert!(child.status.success(), "{child:?}");
    assert!(String::from_utf8_lossy(&child.stdout).contains("1 passed"), "{child:?}");
    assert_eq!(dir.pid(), pid);
    query(&cluster, "select 1");
    cluster.stop().unwrap();
}
