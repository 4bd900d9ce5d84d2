//! The private cluster, against the PostgreSQL that is installed.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test fails by panicking")]

use std::error::Error;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use finance_private_postgres::{Cluster, ClusterError, ClusterOptions, start_disposable};
use rustix::process::{Pid, Resource, Rlimit, Signal, kill_process, setrlimit, test_kill_process};

/// A data directory of mode 0700, as `mktemp -d` makes it. Its server is ended and it is removed with the value.
struct DataDir(PathBuf);

impl DataDir {
    fn new() -> DataDir {
        DataDir::named("")
    }

    fn named(name: &str) -> DataDir {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let dir = std::env::temp_dir().join(format!("cluster-{}-{count}{name}", std::process::id()));
        fs::create_dir(&dir).unwrap();
        fs::set_permissions(&dir, fs::Permissions::from_mode(0o700)).unwrap();
        DataDir(fs::canonicalize(dir).unwrap())
    }

    fn options(&self) -> ClusterOptions {
        let settings = vec![("fsync".to_owned(), "off".to_owned())];
        ClusterOptions { settings, ..ClusterOptions::new(&self.0) }
    }

    fn start(&self) -> Cluster {
        Cluster::start(&self.options()).unwrap_or_else(|error| panic!("{error}"))
    }

    fn error(&self) -> ClusterError {
        let error = Cluster::start(&self.options()).expect_err("the start must fail");
        assert_eq!(error.to_string().lines().count(), 1, "one line: {error}");
        error
    }

    fn postgres(&self) -> PathBuf {
        self.0.join("postgres")
    }

    fn pid_file(&self) -> PathBuf {
        self.postgres().join("postmaster.pid")
    }

    fn pid(&self) -> Pid {
        let text = fs::read_to_string(self.pid_file()).unwrap();
        Pid::from_raw(text.lines().next().unwrap().parse().unwrap()).unwrap()
    }
}

impl Drop for DataDir {
    fn drop(&mut self) {
        if self.pid_file().exists() {
            let _ = kill_process(self.pid(), Signal::QUIT);
        }
        for _ in 0..20 {
            if fs::remove_dir_all(&self.0).is_ok() {
                break;
            }
            thread::sleep(Duration::from_millis(50));
        }
    }
}

fn psql(cluster: &Cluster, url: &str) -> Command {
    let mut psql = Command::new(cluster.bin_dir().join("psql"));
    psql.args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", url]);
    psql
}

fn query_at(cluster: &Cluster, url: &str, sql: &str) -> String {
    let output = psql(cluster, url).args(["-c", sql]).output().unwrap();
    assert!(output.status.success(), "{sql}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

fn query(cluster: &Cluster, sql: &str) -> String {
    query_at(cluster, &cluster.url(), sql)
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !condition() {
        assert!(Instant::now() < deadline, "{what} did not come to pass");
        thread::sleep(Duration::from_millis(10));
    }
}

fn is_gone(pid: Pid) -> bool {
    test_kill_process(pid).is_err()
        || fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).is_ok_and(|stat| stat.contains(") Z "))
}

/// A process that has nothing to do with PostgreSQL.
fn sleeper() -> Child {
    Command::new("sleep").arg("600").stdin(Stdio::null()).spawn().unwrap()
}

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
fn only_the_owner_can_reach_the_socket_and_nothing_listens_on_tcp() {
    let dir = DataDir::new();
    let cluster = dir.start();
    let socket_dir = fs::metadata(cluster.socket_dir()).unwrap();
    assert_eq!(socket_dir.mode() & 0o7777, 0o700);
    assert!(cluster.socket_dir().join(".s.PGSQL.5432").exists());
    assert_eq!(query(&cluster, "show listen_addresses"), "");
    assert_eq!(query(&cluster, "show unix_socket_permissions"), "0700");
    // The first address listened on stands on the sixth line.
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
    // The data directory is still root's, and closed to all but the server's group, which may enter and not read.
    let data_dir = fs::metadata(&dir.0).unwrap();
    assert_eq!((data_dir.uid(), data_dir.mode() & 0o7777), (0, 0o710));
    cluster.stop().unwrap();
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

/// What a server that was killed leaves: its own file, and that of its socket.
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

#[test]
fn ensure_running_starts_a_killed_server_again_and_keeps_what_was_committed() {
    let dir = DataDir::new();
    let cluster = dir.start();
    query(&cluster, "create table kept as select 42 as answer");
    // A session at work does not notice the death of the server's main process until its statement ends.
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
    let begin = Instant::now();
    assert!(cluster.ensure_running().unwrap());
    assert!(begin.elapsed() < Duration::from_secs(5), "{:?}", begin.elapsed());
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
    let begin = Instant::now();
    assert!(cluster.ensure_running().unwrap());
    assert!(begin.elapsed() < Duration::from_secs(5), "{:?}", begin.elapsed());
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
    let options = ClusterOptions { bin_dir: Some(empty.0.clone()), ..dir.options() };
    let error = Cluster::start(&options).unwrap_err();
    assert!(matches!(error, ClusterError::PostgresMissing { .. }), "{error:?}");
    let line = error.to_string();
    assert_eq!(line.lines().count(), 1);
    assert!(line.contains("apt-get install postgresql") && line.contains("DATABASE_URL"), "{line}");
    assert!(!dir.postgres().exists());
}

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
fn under_root_a_data_directory_out_of_the_server_s_reach_holds_a_link_to_the_cluster() {
    if !is_root() {
        return;
    }
    let barred = DataDir::new();
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

    // Without its link, it is still found from the same place.
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

#[test]
fn stop_ends_the_server_of_a_deleted_data_directory() {
    let dir = DataDir::new();
    let cluster = dir.start();
    let pid = dir.pid();
    fs::remove_dir_all(&dir.0).unwrap();
    cluster.stop().unwrap();
    wait_until("the end of the server", || is_gone(pid));
}

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

/// Not a test of its own: what the next one runs in a process of its own, to kill it.
#[test]
fn disposable_cluster_in_a_child_process() {
    let Some(output) = std::env::var_os(CHILD) else { return };
    let disposable = start_disposable().unwrap();
    let partial = PathBuf::from(&output).with_extension("partial");
    fs::write(&partial, disposable.cluster().data_dir().display().to_string()).unwrap();
    fs::rename(partial, output).unwrap();
    thread::sleep(Duration::from_secs(60));
}

/// Not a test of its own: what the next one runs in a process of its own, which it takes all file descriptors from.
#[test]
fn a_process_without_file_descriptors() {
    let Some(data_dir) = std::env::var_os(STARVED) else { return };
    let options = ClusterOptions::new(data_dir);
    let cluster = Cluster::start(&options).unwrap();
    setrlimit(Resource::Nofile, Rlimit { current: Some(64), maximum: Some(64) }).unwrap();
    let mut taken = Vec::new();
    while let Ok(file) = fs::File::open("/dev/null") {
        taken.push(file);
    }
    for left in 0..taken.len() {
        // At one of these it can read where the server's process is, and not look at it.
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
        .args(["--exact", "a_process_without_file_descriptors"])
        .env(STARVED, &dir.0)
        .output()
        .unwrap();
    assert!(child.status.success(), "{child:?}");
    assert_eq!(dir.pid(), pid);
    query(&cluster, "select 1");
    cluster.stop().unwrap();
}

#[test]
fn a_disposable_cluster_goes_with_its_process_even_when_that_is_killed() {
    let dir = DataDir::new();
    let output = dir.0.join("output");
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "disposable_cluster_in_a_child_process"])
        .env(CHILD, &output)
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
