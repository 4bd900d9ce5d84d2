//! PostgreSQL's client programs, connected to the server of a place.

use std::fmt::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::Command;

use crate::initialize::ADMIN;
use crate::place::{self, Place};

/// The database that exists in every cluster, for statements about databases.
pub(crate) const MAINTENANCE: &str = "postgres";

/// The database that a backup is restored into, before it replaces the service's database.
pub(crate) const RESTORED: &str = "finance_restored";
/// The name of the service's database after it was replaced, until it is dropped.
pub(crate) const REPLACED: &str = "finance_replaced";
/// The database that a backup is restored into for its proof. It is always dropped afterwards.
pub(crate) const PROOF: &str = "finance_proof";

/// The URL with which a role connects to a database.
pub(crate) fn url(place: &Place, role: &str, database: &str) -> String {
    format!(
        "postgresql:///{}?host={}&port={}&user={}",
        encoded(database.as_bytes()),
        encoded(place.socket_dir().as_os_str().as_bytes()),
        place::PORT,
        encoded(role.as_bytes()),
    )
}

/// The superuser's URL with a fixed search path, which no setting of a database or a role overrides.
pub(crate) fn restricted_admin_url(place: &Place, database: &str) -> String {
    url(place, ADMIN, database) + "&options=-csearch_path%3Dpg_catalog"
}

/// A command for one of PostgreSQL's programs. It runs as the server's user, never as root.
pub(crate) fn program(place: &Place, bin_dir: &Path, name: &str) -> Command {
    place.user.command(bin_dir.join(name))
}

/// psql that stops at the first error, and prints nothing but values.
pub(crate) fn psql(place: &Place, bin_dir: &Path, url: &str) -> Command {
    let mut command = program(place, bin_dir, "psql");
    command.args(["--no-psqlrc", "--no-password", "--quiet", "--no-align", "--tuples-only"]);
    command.args(["--set", "ON_ERROR_STOP=1", "--dbname", url]).env("PGCLIENTENCODING", "UTF8");
    command
}

/// Percent-encodes a part of a URL: every byte except letters, digits and `-._~`.
fn encoded(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(byte) {
            text.push(char::from(*byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(text, "%{byte:02X}");
        }
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encoded_leaves_only_what_a_url_may_hold() {
        assert_eq!(encoded("/tmp/olá ~x".as_bytes()), "%2Ftmp%2Fol%C3%A1%20~x");
    }
}
