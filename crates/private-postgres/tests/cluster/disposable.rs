//! Disposable clusters. They are removed with their value and with their process.

use std::fs;
use std::io::Read;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use finance_private_postgres::start_disposable;
use rustix::process::Pid;

use super::{DataDir, is_gone, query, query_at, wait_until};

#[test]
fn a_disposable_cluster_goes_with_its_value() {
    let disposable = start_disposable().unwrap();
    let cluster = disposable.cluster();
    assert_eq!(query(cluster, "show fsync"), "off");
    query_at(cluster, &cluster.admin_url("postgres"), "create database copy template finance owner finance");
    query_at(cluster, &cluster.admin_url("copy"), "select 1");
    let data = cluster.data_dir().to_owned();
    let pid = Pid::from_raw(
        fs::read_to_string(data.join("postmaster.pid")).unwrap().lines().next().unwrap().parse().unwrap(),
    );
    drop(disposable);
    wait_until("the end of the server", || is_gone(pid.unwrap()));
    assert!(!data.parent().unwrap().exists());
}

const CHILD: &str = "FINANCE_TEST_CHILD_OUTPUT";

/// Not a separate test: the next test runs it in another process, and kills that process.
#[test]
#[ignore = "the next test runs it"]
fn disposable_cluster_in_a_child_process() {
    let output = std::env::var_os(CHILD).expect("a file for the path of the cluster");
    let disposable = start_disposable().unwrap();
    let partial = PathBuf::from(&output).with_extension("partial");
    fs::write(&partial, disposable.cluster().data_dir().display().to_string()).unwrap();
    fs::rename(partial, output).unwrap();
    // Lives until it is killed, or the process that started it has ended.
    let _ = std::io::stdin().read(&mut [0]);
}

#[test]
fn a_disposable_cluster_goes_with_its_process_even_when_that_is_killed() {
    let dir = DataDir::new();
    let output = dir.0.join("output");
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "disposable::disposable_cluster_in_a_child_process"])
        .env(CHILD, &output)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    wait_until("the start in the child", || output.exists());
    let data = PathBuf::from(fs::read_to_string(&output).unwrap());
    let text = fs::read_to_string(data.join("postmaster.pid")).unwrap();
    let pid = Pid::from_raw(text.lines().next().unwrap().parse().unwrap()).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    wait_until("the end of the server", || is_gone(pid));
    wait_until("the removal", || !data.parent().unwrap().exists());
}
