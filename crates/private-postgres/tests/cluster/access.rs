//! Access to the server, the user that it runs as, and the content of its log.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::Stdio;

use finance_private_postgres::{Cluster, ClusterOptions};

use super::{DataDir, is_root, psql, query};

#[test]
fn only_the_owner_can_reach_the_socket_and_nothing_listens_on_tcp() {
    let dir = DataDir::new();
    let cluster = dir.start();
    let socket_dir = fs::metadata(cluster.socket_dir()).unwrap();
    assert_eq!(socket_dir.mode() & 0o7777, 0o700);
    assert!(cluster.socket_dir().join(".s.PGSQL.5432").exists());
    assert_eq!(query(&cluster, "show listen_addresses"), "");
    assert_eq!(query(&cluster, "show unix_socket_permissions"), "0700");
    // The sixth line is for the first address that the server listens on.
    assert_eq!(fs::read_to_string(dir.pid_file()).unwrap().lines().nth(5), Some(""));
    let access = fs::read_to_string(dir.postgres().join("pg_hba.conf")).unwrap();
    assert!(!access.contains("host"), "{access}");
    cluster.stop().unwrap();
    assert!(!cluster.socket_dir().join(".s.PGSQL.5432").exists());
}

#[test]
fn under_root_the_server_is_an_unprivileged_user_without_root_s_groups() {
    if !is_root() {
        return;
    }
    let dir = DataDir::new();
    let cluster = dir.start();
    let status = fs::read_to_string(format!("/proc/{}/status", dir.pid().as_raw_nonzero())).unwrap();
    let field = |name: &str| status.lines().find_map(|line| line.strip_prefix(name)).unwrap().trim().to_owned();
    assert!(!field("Uid:").split_whitespace().any(|id| id == "0"), "{status}");
    assert!(!field("Gid:").split_whitespace().any(|id| id == "0"), "{status}");
    assert_eq!(field("Groups:"), "");
    // The data directory still belongs to root. Only the server's group has access to it: it may enter it, but not read it.
    let data_dir = fs::metadata(&dir.0).unwrap();
    assert_eq!((data_dir.uid(), data_dir.mode() & 0o7777), (0, 0o710));
    cluster.stop().unwrap();
}

#[test]
fn under_root_a_data_directory_out_of_the_server_s_reach_holds_a_link_to_the_cluster() {
    if !is_root() {
        return;
    }
    // The cluster is created in /var/lib, which must be on the same volume.
    let barred = DataDir::below(Path::new("/var/tmp"), "");
    let dir = barred.0.join("finance");
    let options = ClusterOptions { data_dir: dir.clone(), ..barred.options() };
    let cluster = Cluster::start(&options).unwrap();
    assert_eq!(fs::metadata(&barred.0).unwrap().mode() & 0o7777, 0o700, "the parent keeps its mode");
    assert!(cluster.data_dir().starts_with("/var/lib"), "{}", cluster.data_dir().display());
    assert_eq!(fs::read_link(dir.join("postgres")).unwrap(), cluster.data_dir());
    query(&cluster, "create table kept as select 42 as answer");
    cluster.stop().unwrap();

    let cluster = Cluster::start(&options).unwrap();
    assert_eq!(query(&cluster, "select answer from kept"), "42");
    cluster.stop().unwrap();

    // Without the link, the cluster is still found from the same data directory.
    fs::remove_file(dir.join("postgres")).unwrap();
    let cluster = Cluster::start(&options).unwrap();
    assert_eq!(query(&cluster, "select answer from kept"), "42");
    cluster.stop().unwrap();
    fs::remove_dir_all(cluster.data_dir().parent().unwrap()).unwrap();
}

#[test]
fn under_root_a_data_directory_of_another_user_s_is_served_as_that_user() {
    if !is_root() {
        return;
    }
    let dir = DataDir::new();
    std::os::unix::fs::chown(&dir.0, Some(65534), Some(65534)).unwrap();
    let cluster = dir.start();
    query(&cluster, "select 1");
    for name in ["postgres", "postgres.lock", "postgres.lease", "postgres.log"] {
        assert_eq!(fs::metadata(dir.0.join(name)).unwrap().uid(), 65534, "{name}");
    }
    assert_eq!(fs::metadata(&dir.0).unwrap().mode() & 0o7777, 0o700);
    cluster.stop().unwrap();
}

#[test]
fn the_log_holds_no_statement_and_no_value() {
    let dir = DataDir::new();
    let cluster = dir.start();
    query(&cluster, "create table people (name text unique); insert into people values ('secret-name')");
    let refused = psql(&cluster, &cluster.url())
        .args(["-c", "insert into people values ('secret-name')", "-c", "select 'secret-name'::int"])
        .stderr(Stdio::null())
        .status()
        .unwrap();
    assert!(!refused.success());
    let invalid =
        psql(&cluster, &cluster.url()).args(["-c", "select 'secret-name'::int"]).stderr(Stdio::null()).status();
    assert!(!invalid.unwrap().success());
    cluster.stop().unwrap();
    let log = fs::read_to_string(dir.0.join("postgres.log")).unwrap();
    assert!(log.contains("database system is ready") && !log.contains("secret-name"), "{log}");
}

#[test]
fn a_long_log_is_put_aside() {
    let dir = DataDir::new();
    dir.start().stop().unwrap();
    let log = dir.0.join("postgres.log");
    fs::File::options().write(true).open(&log).unwrap().set_len(11 << 20).unwrap();
    dir.start().stop().unwrap();
    assert!(fs::metadata(&log).unwrap().len() < 1 << 20);
    assert_eq!(fs::metadata(dir.0.join("postgres.log.old")).unwrap().len(), 11 << 20);
}
