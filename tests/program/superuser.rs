//! Access to a running private cluster as its superuser.

use std::path::Path;

use diesel::{Connection, PgConnection};
use finance_tests::{eventually, rows};

/// The superuser's URL of a database.
pub(crate) fn url(data_dir: &Path, database: &str) -> String {
    let socket = std::fs::canonicalize(data_dir.join("postgres")).unwrap();
    let host = socket.to_str().unwrap().replace('/', "%2F");
    format!("postgresql:///{database}?host={host}&port=5432&user=finance_admin")
}

/// Waits until PostgreSQL has ended all sessions of a killed service, so that nothing of it is committed later.
pub(crate) fn wait_until_unused(data_dir: &Path) {
    let mut observer = connect(data_dir);
    eventually("the end of the killed service's sessions", || {
        rows(&mut observer, "select 1 from pg_stat_activity where usename = 'finance'").is_empty().then_some(())
    });
}

/// A connection to the service's database.
pub(crate) fn connect(data_dir: &Path) -> PgConnection {
    PgConnection::establish(&url(data_dir, "finance")).expect("the superuser connects")
}
