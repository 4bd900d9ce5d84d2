//! The location of the files of the cluster.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;

use finance_private_postgres::{Cluster, ClusterError, ClusterOptions};
use rustix::process::{Signal, kill_process};

use super::{DataDir, is_gone, query, query_at, wait_until};

#[test]
fn something_else_in_the_cluster_s_place_is_refused_and_left_alone() {
    let dir = DataDir::new();
    fs::create_dir(dir.postgres()).unwrap();
    fs::write(dir.postgres().join("letters.txt"), "mine").unwrap();
    assert!(matches!(dir.error(), ClusterError::NotACluster { .. }));
    assert_eq!(fs::read_to_string(dir.postgres().join("letters.txt")).unwrap(), "mine");

    let dir = DataDir::new();
    fs::write(dir.postgres(), "mine").unwrap();
    assert!(matches!(dir.error(), ClusterError::NotACluster { .. }));

    let dir = DataDir::new();
    symlink("/nonexistent/cluster", dir.postgres()).unwrap();
    assert!(matches!(dir.error(), ClusterError::File { .. }));
}

#[test]
fn an_empty_directory_in_the_cluster_s_place_is_used() {
    let dir = DataDir::new();
    fs::create_dir(dir.postgres()).unwrap();
    dir.start().stop().unwrap();
}

#[test]
fn a_data_directory_that_is_missing_is_made_with_its_parents() {
    let dir = DataDir::new();
    let nested = dir.0.join("share").join("finance");
    fs::set_permissions(&dir.0, fs::Permissions::from_mode(0o711)).unwrap();
    let options = ClusterOptions { data_dir: nested.clone(), ..dir.options() };
    let cluster = Cluster::start(&options).unwrap();
    assert_eq!(fs::metadata(&nested).unwrap().mode() & 0o067, 0, "nobody else may read it");
    assert_eq!(cluster.data_dir(), nested.join("postgres"));
    cluster.stop().unwrap();
}

#[test]
fn a_path_too_long_for_a_socket_gets_a_short_private_one() {
    let dir = DataDir::named(&"-long".repeat(30));
    let cluster = dir.start();
    let socket_dir = cluster.socket_dir();
    assert!(!socket_dir.starts_with(&dir.0) && socket_dir.as_os_str().len() < 80, "{}", socket_dir.display());
    let found = fs::symlink_metadata(&socket_dir).unwrap();
    assert_eq!(found.mode() & 0o7777, 0o700);
    assert_eq!(found.uid(), fs::metadata(dir.postgres()).unwrap().uid());
    query(&cluster, "select 1");
    cluster.stop().unwrap();
    assert!(!socket_dir.exists());

    fs::create_dir(&socket_dir).unwrap();
    fs::set_permissions(&socket_dir, fs::Permissions::from_mode(0o755)).unwrap();
    assert!(matches!(dir.error(), ClusterError::UnsafeSocketDir { .. }));
    fs::remove_dir(&socket_dir).unwrap();
    symlink(&dir.0, &socket_dir).unwrap();
    assert!(matches!(dir.error(), ClusterError::UnsafeSocketDir { .. }));
    fs::remove_file(&socket_dir).unwrap();
}

#[test]
fn odd_characters_in_the_path_are_no_obstacle() {
    let dir = DataDir::named(" it's \"ça\", 100% $HOME #?&");
    let cluster = dir.start();
    query(&cluster, "select 1");
    assert!(Path::new(&query_at(&cluster, &cluster.admin_url("postgres"), "show data_directory")) == dir.postgres());
    cluster.stop().unwrap();
}

#[test]
fn a_cluster_that_disappeared_is_an_error_and_never_replaced() {
    let dir = DataDir::new();
    let cluster = dir.start();
    let pid = dir.pid();
    kill_process(pid, Signal::QUIT).unwrap();
    wait_until("the end of the server", || is_gone(pid));
    fs::remove_dir_all(dir.postgres()).unwrap();
    assert!(matches!(cluster.ensure_running(), Err(ClusterError::NotACluster { .. })));
    assert!(!dir.postgres().exists());
}
