//! Runs a private PostgreSQL for one program: finds the installed programs, creates a cluster in a data directory, starts,
//! watches and stops its server, and backs it up and restores it.
//!
//! The server listens on a Unix socket only, in a directory that only its own user may enter. It does not listen on TCP, and
//! needs no password.
//!
//! ```no_run
//! use finance_private_postgres::{Cluster, ClusterOptions};
//!
//! let cluster = Cluster::start(&ClusterOptions::new("/var/lib/finance"))?;
//! println!("connect to {}", cluster.url());
//! cluster.stop()?;
//! # Ok::<(), finance_private_postgres::ClusterError>(())
//! ```
//!
//! # Names
//!
//! | role or database | |
//! |---|---|
//! | `finance` | the role that the program connects as, and its database. Not a superuser: row-level security applies to it |
//! | `finance_admin` | the superuser, for backups and tests |
//!
//! # Several processes
//!
//! Processes share one cluster: a service, and commands that run at the same time. Each holds a *lease*, an advisory lock on a
//! file that ends with the process. The process that stops last stops the server. One process at a time creates, starts or stops
//! it, under a second lock. A process that ends without [`Cluster::stop`] leaves the server running:
//! open transactions of others are safe, and the next [`Cluster::start`] adopts it.
//!
//! # Files
//!
//! | in the data directory | |
//! |---|---|
//! | `postgres/` | PostgreSQL's data directory and the socket, mode 0700 (under root possibly a link, see below) |
//! | `postgres.log` | the server's messages; `postgres.log.old` are earlier ones |
//! | `postgres.lock`, `postgres.lease`, `postgres.restore`, `postgres.backup` | the locks for starting, using, restoring and backing up |
//! | `postgres.server` | a lock that the server's own processes hold |
//! | `postgres.new-…/` | a cluster that is being created |
//! | `postgres.old-15/` | the cluster of an earlier major version, until [`Cluster::remove_earlier`] |
//!
//! # A new major version
//!
//! A cluster belongs to the major version of PostgreSQL that made it. If a newer one is installed, [`Cluster::start`] creates a
//! cluster of that version in `postgres.new-…`, copies everything with its pg_dumpall, compares the rows of the service's
//! database, and gives the two directories their new names. If it is killed before the first of the two renames, the next start
//! removes the new cluster and begins again. If it is killed between the two, the next start first gives the earlier one its
//! name back.
//!
//! # Under root
//!
//! PostgreSQL refuses to run as root. Under root the server runs as the owner of the data directory if that is another
//! user, else as `postgres`, else as `nobody`. If that user cannot reach the data directory, the cluster is created under
//! `/var/lib`, and `postgres` is a symbolic link to it. PostgreSQL's other programs run as the same user.
//!
//! # What it needs
//!
//! PostgreSQL 15 or newer with its client programs (`psql`, `pg_dump`, `pg_restore`), on Linux, macOS or another Unix.
//! The crate has no database driver: the few statements it needs are run with `psql`.

mod archive;
mod backup;
mod binaries;
mod client;
mod cluster;
mod disposable;
mod error;
mod fingerprint;
mod initialize;
mod lock;
mod major_upgrade;
mod place;
mod postmaster;
mod process;
mod programs;
mod restore;
mod schema;
mod sql;
mod startup;
mod user;
mod verified_backup;

pub use backup::Archive;
pub use cluster::{Cluster, ClusterOptions};
pub use disposable::{DisposableCluster, start_disposable};
pub use error::ClusterError;
pub use fingerprint::Fingerprint;
pub use schema::Schema;
pub use verified_backup::BackupRun;

/// The oldest major version of PostgreSQL that is used.
pub const MAJOR_MIN: u32 = 15;
