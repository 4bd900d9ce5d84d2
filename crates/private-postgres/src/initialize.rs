//! Creates a new cluster, completely or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::thread;
use std::time::Duration;

use crate::binaries::Binaries;
use crate::error::ClusterError;
use crate::lock::private;
use crate::place::{self, Place};
use crate::postmaster::{self, State};
use crate::programs;

/// The superuser that initdb makes.
pub(crate) const ADMIN: &str = "finance_admin";
/// The role the service connects as, and the name of its database. It is not a superuser: row-level security applies to it.
pub(crate) const SERVICE: &str = "finance";

/// Every user who can reach the socket is trusted. Its directory has mode 0700, so these are the server's own user and root,
/// and both can access the files themselves anyway. There is no line for hosts, because the server does not listen for any.
const ACCESS: &str = "# Written by finance.\nlocal all all trust\n";

/// Creates the cluster beside its final place. Moves it there when it is complete and, if `durable`, on disk.
pub(crate) fn initialize(place: &Place, binaries: &Binaries, durable: bool) -> Result<(), ClusterError> {
    let unfinished = place.unfinished();
    place::create_for(&place.user, &unfinished)?;
    let made = create(place, binaries, &unfinished).and_then(|()| {
        add_service(place, binaries, &unfinished)?;
        if durable {
            synchronize(place, binaries, &unfinished)?;
        }
        fs::rename(&unfinished, &place.data).map_err(ClusterError::file("create the directory", &place.data))?;
        let home = File::open(&place.home).and_then(|home| home.sync_all());
        home.map_err(ClusterError::file("write", &place.home))
    });
    if made.is_err() {
        let _ = fs::remove_dir_all(&unfinished);
    }
    made
}

/// Removes what an interrupted first start or upgrade left behind. Its initdb or its server may still run there for a moment.
pub(crate) fn remove_leftovers(place: &Place) -> Result<(), ClusterError> {
    for leftover in place.leftovers()? {
        log::info!("removing the unfinished cluster {}", leftover.display());
        remove(&place.at(leftover))?;
    }
    Ok(())
}

/// Stops the server of an unfinished cluster, and removes the cluster with the files beside it.
pub(crate) fn remove(unfinished: &Place) -> Result<(), ClusterError> {
    if let State::Ready(pid) | State::Starting(pid) | State::Stopping(pid) = postmaster::state(unfinished)? {
        postmaster::stop(unfinished, pid)?;
    }
    postmaster::end_orphans(unfinished);
    unfinished.remove_socket_dir();
    let mut tries = 20;
    loop {
        match fs::remove_dir_all(&unfinished.data) {
            Ok(()) => break,
            Err(error) if error.kind() == io::ErrorKind::NotFound => break,
            Err(_) if tries > 0 => tries -= 1,
            Err(error) => return Err(ClusterError::file("remove the directory", &unfinished.data)(error)),
        }
        thread::sleep(Duration::from_millis(50));
    }
    for file in [unfinished.log(), unfinished.server_lock()] {
        match fs::remove_file(&file) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(ClusterError::file("remove", &file)(error));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Creates a cluster in an empty directory, with its superuser only.
pub(crate) fn create(place: &Place, binaries: &Binaries, dir: &Path) -> Result<(), ClusterError> {
    // The cluster is synchronized to disk once, at the end, not step by step.
    let mut initdb = place.user.command(binaries.program("initdb"));
    initdb.arg("-D").arg(dir).args(["--encoding=UTF8", "--locale=C", "--data-checksums", "--auth=trust"]);
    initdb.arg(format!("--username={ADMIN}")).args(["--no-sync", "--no-instructions"]);
    programs::run("initdb", initdb, b"")?;

    let access = dir.join("pg_hba.conf");
    // initdb created the file. Its owner does not change.
    private(OpenOptions::new().write(true).truncate(true))
        .open(&access)
        .and_then(|mut file| file.write_all(ACCESS.as_bytes()))
        .map_err(ClusterError::file("write", &access))
}

/// Adds the service's role and database.
fn add_service(place: &Place, binaries: &Binaries, dir: &Path) -> Result<(), ClusterError> {
    // Single-user mode: no second start of the server is needed, and nobody can connect before all is in place.
    let mut single = place.user.command(binaries.program("postgres"));
    single.args(["--single", "-j", "-D"]).arg(dir);
    for (name, value) in
        [("exit_on_error", "on"), ("fsync", "off"), ("log_checkpoints", "off"), ("wal_level", "minimal")]
    {
        postmaster::set(&mut single, name, value);
    }
    postmaster::set(&mut single, "max_wal_senders", "0");
    single.arg("postgres");
    // With -j a statement ends at a semicolon and an empty line.
    let sql = format!("create role {SERVICE} login;\n\ncreate database {SERVICE} owner {SERVICE};\n\n");
    programs::run("postgres --single", single, sql.as_bytes()).map(drop)
}

/// Makes sure that all of a stopped cluster is on disk.
pub(crate) fn synchronize(place: &Place, binaries: &Binaries, dir: &Path) -> Result<(), ClusterError> {
    let mut sync = place.user.command(binaries.program("initdb"));
    sync.arg("-D").arg(dir).arg("--sync-only");
    programs::run("initdb --sync-only", sync, b"").map(drop)
}
