//! Starts: the first one, a repeated one, many concurrent ones, and the messages of a failed one.

use std::fs;
use std::thread;

use finance_private_postgres::{Cluster, ClusterError, ClusterOptions};

use super::{DataDir, is_gone, query, query_at, wait_until};

#[test]
fn first_start_makes_a_cluster_that_serves_an_unprivileged_role() {
    let dir = DataDir::new();
    let cluster = dir.start();
    assert!(cluster.is_running());
    assert_eq!(query(&cluster, "select current_user, current_database()"), "finance|finance");
    let role = "select rolsuper, rolcreatedb, rolcreaterole, rolbypassrls from pg_roles where rolname = 'finance'";
    assert_eq!(query(&cluster, role), "f|f|f|f");
    query(&cluster, "create table kept (id int primary key)");
    assert_eq!(query(&cluster, "show server_encoding"), "UTF8");
    assert_eq!(query(&cluster, "show data_checksums"), "on");
    assert_eq!(query_at(&cluster, &cluster.admin_url("postgres"), "select current_user"), "finance_admin");
    cluster.stop().unwrap();
    assert!(!cluster.is_running());
}

#[test]
fn restart_keeps_the_data() {
    let dir = DataDir::new();
    let cluster = dir.start();
    query(&cluster, "create table kept (name text); insert into kept values ('Avó')");
    cluster.stop().unwrap();
    assert!(!dir.pid_file().exists());
    let cluster = dir.start();
    assert_eq!(query(&cluster, "select name from kept"), "Avó");
    cluster.stop().unwrap();
}

#[test]
fn a_cluster_left_running_is_adopted() {
    let dir = DataDir::new();
    drop(dir.start());
    let pid = dir.pid();
    let cluster = dir.start();
    assert_eq!(dir.pid(), pid);
    query(&cluster, "select 1");
    cluster.stop().unwrap();
    wait_until("the end of the server", || is_gone(pid));
}

#[test]
fn starts_at_once_on_a_fresh_directory_share_one_cluster() {
    let dir = DataDir::new();
    let clusters = thread::scope(|scope| {
        let starts: Vec<_> = (0..4).map(|_| scope.spawn(|| dir.start())).collect();
        starts.into_iter().map(|start| start.join().unwrap()).collect::<Vec<_>>()
    });
    for cluster in &clusters {
        query(cluster, "select 1");
    }
    thread::scope(|scope| {
        for cluster in &clusters {
            scope.spawn(|| cluster.stop().unwrap());
        }
    });
    assert!(!dir.pid_file().exists(), "the last one stopped it");
}

#[test]
fn starts_and_stops_that_race_never_fail() {
    let dir = DataDir::new();
    dir.start().stop().unwrap();
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                for _ in 0..5 {
                    let cluster = dir.start();
                    query(&cluster, "select 1");
                    cluster.stop().unwrap();
                }
            });
        }
    });
    assert!(!dir.pid_file().exists());
}

#[test]
fn an_interrupted_first_start_leaves_nothing_behind() {
    let dir = DataDir::new();
    for name in ["postgres.new-1", "postgres.new-4711"] {
        fs::create_dir_all(dir.0.join(name).join("base/1")).unwrap();
        fs::write(dir.0.join(name).join("PG_VERSION"), "15\n").unwrap();
    }
    fs::create_dir(dir.0.join("postgres.new-and-mine")).unwrap();
    let cluster = dir.start();
    query(&cluster, "select 1");
    cluster.stop().unwrap();
    let mut names: Vec<_> = fs::read_dir(&dir.0).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(
        names,
        ["postgres", "postgres.lease", "postgres.lock", "postgres.log", "postgres.new-and-mine", "postgres.server"]
    );
}

#[test]
fn data_of_another_major_version_are_refused_and_left_alone() {
    let dir = DataDir::new();
    let data = dir.postgres();
    fs::create_dir(&data).unwrap();
    fs::write(data.join("PG_VERSION"), "9.6\n").unwrap();
    let error = dir.error();
    assert!(matches!(error, ClusterError::VersionMismatch { .. }), "{error:?}");
    assert!(error.to_string().contains("was made by PostgreSQL 9.6, but PostgreSQL "), "{error}");
    assert_eq!(fs::read_dir(&data).unwrap().count(), 1);
}

#[test]
fn missing_programs_are_one_line_that_says_what_to_do() {
    let (dir, empty) = (DataDir::new(), DataDir::new());
    let options = ClusterOptions { bin_dirs: vec![empty.0.clone()], ..dir.options() };
    let error = Cluster::start(&options).unwrap_err();
    assert!(matches!(error, ClusterError::PostgresMissing { .. }), "{error:?}");
    let line = error.to_string();
    assert_eq!(line.lines().count(), 1);
    assert!(line.contains("apt-get install postgresql") && line.contains("DATABASE_URL"), "{line}");
    assert!(!dir.postgres().exists());
}

#[test]
fn a_server_that_cannot_start_says_why_in_one_line() {
    let dir = DataDir::new();
    dir.start().stop().unwrap();
    fs::remove_file(dir.postgres().join("global/pg_control")).unwrap();
    let error = dir.error();
    assert!(error.to_string().contains("global/pg_control"), "{error}");
    let options = ClusterOptions { settings: vec![("no_such_setting".into(), "1".into())], ..dir.options() };
    let error = Cluster::start(&options).unwrap_err().to_string();
    assert!(error.contains("no_such_setting"), "{error}");
}
