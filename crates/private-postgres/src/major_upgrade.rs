//! Moves a cluster to a newer major version of PostgreSQL, which cannot read the files of an earlier one.
//!
//! The new cluster is created and filled beside the old one. Two renames then put it in the old one's place. Whenever this is
//! interrupted, the old cluster is complete until the new one is: see [`recover`].

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::time::Instant;

use crate::binaries::Binaries;
use crate::client::{self, MAINTENANCE, PROOF, REPLACED, RESTORED};
use crate::error::ClusterError;
use crate::fingerprint::{self, Fingerprint};
use crate::initialize::{self, ADMIN, SERVICE};
use crate::place::{self, Content, Place};
use crate::postmaster::{self, State};
use crate::programs::{self, Running};
use crate::startup::bring_up;

/// Databases that interrupted work may have left behind. They are not needed.
const LEFT_OUT: [&str; 3] = [PROOF, REPLACED, RESTORED];
/// Bytes that must stay free on the disk. A server without space for its log ends.
const RESERVE_BYTES: u64 = 256 << 20;
/// The new server does not wait for the disk while it is filled. Its data are put on disk before it takes the old one's place.
const FILLING: [(&str, &str); 3] = [("fsync", "off"), ("full_page_writes", "off"), ("synchronous_commit", "off")];

/// Puts the earlier cluster back in its place, if an upgrade was interrupted between its two renames. The caller holds the
/// startup lock.
pub(crate) fn recover(place: &Place) -> Result<(), ClusterError> {
    let Some((major, earlier)) = place.all_earlier()?.pop() else { return Ok(()) };
    if matches!(place.content()?, Content::Cluster(_)) {
        return Ok(());
    }
    log::warn!("an upgrade was interrupted: the cluster of PostgreSQL {major} takes its place again");
    rename(place, &earlier, &place.data)
}

/// Moves everything from the cluster, which `old` made, into a new one of `newer`. The caller holds the startup lock, and
/// nobody else uses the cluster.
///
/// # Errors
///
/// After any error the cluster is as it was, and its server may be running.
pub(crate) fn upgrade(
    place: &Place,
    old: &Binaries,
    newer: &Binaries,
    settings: &[(String, String)],
    is_durable: bool,
) -> Result<(), ClusterError> {
    let begin = Instant::now();
    let earlier = place.earlier(old.major);
    if earlier.exists() {
        let problem = "exists already, and the upgraded cluster would get its name";
        return Err(ClusterError::NotACluster { data: earlier, problem });
    }
    log::info!("moving the private cluster from PostgreSQL {} to {}", old.major, newer.major);
    let new = place.at(place.unfinished());
    let moved = fill(place, old, &new, newer, settings, is_durable).and_then(|rows| {
        rename(place, &place.data, &earlier)?;
        if let Err(error) = rename(place, &new.data, &place.data) {
            rename(place, &earlier, &place.data)?;
            return Err(error);
        }
        Ok(rows)
    });
    // After the renames, only the files beside the new cluster are left.
    let removed = initialize::remove(&new);
    let rows = moved?;
    if let Err(error) = removed {
        log::warn!("what is left of the upgrade is removed by the next start: {error}");
    }
    log::info!(
        "moved {rows} rows from PostgreSQL {} to {} in {} ms; the earlier cluster is kept in {}",
        old.major,
        newer.major,
        begin.elapsed().as_millis(),
        earlier.display()
    );
    Ok(())
}

/// Removes the earlier clusters that were kept; returns their number.
pub(crate) fn remove_earlier(place: &Place) -> Result<usize, ClusterError> {
    let mut count = 0;
    for (earlier, dir) in place.all_earlier()? {
        fs::remove_dir_all(&dir).map_err(ClusterError::file("remove the directory", &dir))?;
        log::info!("removed the cluster of PostgreSQL {earlier} in {}", dir.display());
        count += 1;
    }
    Ok(count)
}

/// Makes the new cluster and copies everything into it. Both servers have stopped at the end. Returns how many rows the
/// service's database has.
fn fill(
    place: &Place,
    old: &Binaries,
    new: &Place,
    newer: &Binaries,
    settings: &[(String, String)],
    is_durable: bool,
) -> Result<u64, ClusterError> {
    bring_up(place, old, settings)?;
    check_room(place, old)?;
    place::create_for(&new.user, &new.data)?;
    initialize::create(new, newer, &new.data)?;
    let filling = FILLING.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    bring_up(new, newer, &settings.iter().cloned().chain(filling).collect::<Vec<_>>())?;
    copy(place, new, newer)?;
    let (before, after) = (fingerprint(place, newer)?, fingerprint(new, newer)?);
    if let Some(problem) = before.difference(&after) {
        return Err(ClusterError::Unproved { problem });
    }
    query(new, newer, SERVICE, "analyze")?;
    for server in [new, place] {
        if let State::Ready(pid) = postmaster::state(server)? {
            postmaster::stop(server, pid)?;
        }
    }
    if is_durable {
        initialize::synchronize(new, newer, &new.data)?;
    }
    Ok(after.rows())
}

/// Checks that the disk has room for a second cluster.
fn check_room(place: &Place, old: &Binaries) -> Result<(), ClusterError> {
    let used = query(place, old, MAINTENANCE, "select sum(pg_database_size(oid))::bigint from pg_database")?;
    let used: u64 = used.parse().unwrap_or(0);
    let disk =
        rustix::fs::statvfs(&place.home).map_err(|error| ClusterError::file("read", &place.home)(error.into()))?;
    let (free, needed) = (disk.f_bavail.saturating_mul(disk.f_frsize), 2 * used + RESERVE_BYTES);
    if free < needed {
        let (what, path) = ("a cluster of the newer PostgreSQL", place.home.clone());
        return Err(ClusterError::NoRoom { what, path, needed, free });
    }
    Ok(())
}

/// Copies roles and databases with the newer version's programs.
fn copy(from: &Place, to: &Place, newer: &Binaries) -> Result<(), ClusterError> {
    let mut dump = client::program(from, &newer.dir, "pg_dumpall");
    dump.args(["--no-password", "--dbname", &client::restricted_admin_url(from, MAINTENANCE)]);
    dump.args(LEFT_OUT.map(|database| format!("--exclude-database={database}")));
    let mut psql = client::psql(to, &newer.dir, &client::url(to, ADMIN, MAINTENANCE));
    psql.arg("--output=/dev/null");
    let mut dump = Running::start("pg_dumpall", dump)?;
    let mut restore = Running::start("psql", psql)?;
    let (mut script, mut input) = (BufReader::new(dump.output()?), restore.input()?);
    let passed = pass(&mut script, &mut input);
    drop(input);
    // If psql has ended early, this returns the reason. Otherwise the reader is at its end.
    restore.finish()?;
    passed.map_err(ClusterError::io("pass on what pg_dumpall prints"))?;
    dump.finish()
}

/// Passes a script on, except for what the new cluster would reject: the statement that creates the superuser, which exists
/// already, and [marks of changed columns](is_version_mark).
fn pass(script: &mut impl BufRead, to: &mut impl Write) -> io::Result<()> {
    let superuser = format!("CREATE ROLE {ADMIN};\n");
    let mut made = false;
    let mut in_rows = false;
    let mut line = Vec::new();
    while script.read_until(b'\n', &mut line)? > 0 {
        let is_left_out = match in_rows {
            true => {
                in_rows = line != b"\\.\n";
                false
            }
            false => {
                in_rows = line.starts_with(b"COPY ") && line.ends_with(b" FROM stdin;\n");
                let makes_superuser = !made && line == superuser.as_bytes();
                made |= makes_superuser;
                makes_superuser || is_version_mark(&line)
            }
        };
        if !is_left_out {
            to.write_all(&line)?;
        }
        line.clear();
    }
    match made {
        true => to.flush(),
        false => Err(io::Error::new(io::ErrorKind::UnexpectedEof, format!("the role {ADMIN} is not in it"))),
    }
}

/// Whether a line sets the option `pg_attver` of a column and nothing else. PostgreSQL 15.20 sets it by itself on each column
/// of a table whose type was changed. An older `pg_dumpall` treats it as an option that a user set, and a server of the same
/// age rejects it. It says nothing about a newly created table.
fn is_version_mark(line: &[u8]) -> bool {
    let Some(statement) = str::from_utf8(line).ok().and_then(|line| line.strip_suffix(");\n")) else { return false };
    let setting = statement.trim_end_matches(|char: char| char.is_ascii_digit());
    setting.starts_with("ALTER TABLE ") && setting.ends_with(" SET (pg_attver=")
}

fn fingerprint(place: &Place, binaries: &Binaries) -> Result<Fingerprint, ClusterError> {
    let psql = client::psql(place, &binaries.dir, &client::restricted_admin_url(place, SERVICE));
    let output = programs::run("psql", psql, fingerprint::script().as_bytes())?;
    Ok(Fingerprint::read(String::from_utf8_lossy(&output).lines()))
}

fn query(place: &Place, binaries: &Binaries, database: &str, statement: &str) -> Result<String, ClusterError> {
    let mut psql = client::psql(place, &binaries.dir, &client::restricted_admin_url(place, database));
    psql.args(["--command", statement]);
    let output = programs::run("psql", psql, b"")?;
    Ok(String::from_utf8_lossy(&output).trim().to_owned())
}

/// Renames a directory beside the cluster, and waits until that is on disk.
fn rename(place: &Place, from: &Path, to: &Path) -> Result<(), ClusterError> {
    fs::rename(from, to).map_err(ClusterError::file("rename", from))?;
    let home = File::open(&place.home).and_then(|home| home.sync_all());
    home.map_err(ClusterError::file("write", &place.home))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_superuser_is_made_once() {
        let script = "\\restrict x\nCREATE ROLE finance;\nCREATE ROLE finance_admin;\nALTER ROLE finance_admin;\n\
            CREATE ROLE finance_admin;\n";
        let mut passed = Vec::new();
        pass(&mut script.as_bytes(), &mut passed).unwrap();
        let expected = "\\restrict x\nCREATE ROLE finance;\nALTER ROLE finance_admin;\nCREATE ROLE finance_admin;\n";
        assert_eq!(String::from_utf8(passed).unwrap(), expected);
        assert!(pass(&mut "CREATE ROLE finance;\n".as_bytes(), &mut Vec::new()).is_err());
    }

    #[test]
    fn a_mark_of_a_changed_column_is_left_out_but_no_row() {
        let mark = "ALTER TABLE ONLY public.t ALTER COLUMN b SET (pg_attver=22222520);\n";
        let kept = "ALTER TABLE ONLY public.t ALTER COLUMN b SET (n_distinct=5);\nCOPY public.t (b) FROM stdin;\n";
        let script = format!("CREATE ROLE finance_admin;\n{mark}{kept}{mark}COPY \n\\.\n{mark}analyze;\n");
        let mut passed = Vec::new();
        pass(&mut script.as_bytes(), &mut passed).unwrap();
        assert_eq!(String::from_utf8(passed).unwrap(), format!("{kept}{mark}COPY \n\\.\nanalyze;\n"));
    }
}
