//! Failed logins, counted by name and address.

use diesel::prelude::*;
use diesel::sql_types::BigInt;
use diesel::{QueryableByName, sql_query};
use finance_domain::Result;
use finance_domain::store::LoginAttempt;
use finance_domain::text::{NAME_CHARS_MAX, name_key};

use crate::constraints::error;
use crate::row::row;
use crate::sql::{Arguments, Cache, Fetch, with_args};

/// The window in which failed logins are counted together.
const LOGIN_WINDOW: &str = "15 minutes";

/// Deletes the failed logins of a name that is free again.
pub(crate) fn forget(connection: &mut PgConnection, name: &str) -> Result<()> {
    with_args("delete from login_failures where name_key = $1").arg(failures_key(name)).exec(connection)
}

/// The name under which failed logins are counted. Names too long for a profile are cut.
fn failures_key(name: &str) -> String {
    name_key(name).chars().filter(|letter| *letter != '\0').take(NAME_CHARS_MAX).collect()
}

pub(crate) fn attempt(
    connection: &mut PgConnection,
    name: &str,
    address: &str,
    failures_max: u32,
) -> Result<LoginAttempt> {
    sql_query(format!("delete from login_failures where window_started_at <= now() - interval '{LOGIN_WINDOW}'"))
        .run(connection)?;
    // One statement, so that concurrent attempts count each other.
    let query = with_args(
        "insert into login_failures as known (name_key, address, failures, window_started_at) values ($1, $2, 1, now())
        on conflict (name_key, address) do update set failures = known.failures + 1 where known.failures < $3
        returning true",
    );
    let query = query.arg(failures_key(name)).arg(address).arg(i64::from(failures_max));
    let counted = query.cached().execute_returning(connection).map_err(error)?;
    if counted > 0 {
        return Ok(LoginAttempt::Counted);
    }
    row! { struct Window { seconds: i64 [BigInt] } }
    let query = with_args(format!(
        "select ceil(extract(epoch from window_started_at + interval '{LOGIN_WINDOW}' - now()))::bigint as seconds
        from login_failures where name_key = $1 and address = $2"
    ));
    let window: Option<Window> = query.arg(failures_key(name)).arg(address).row_if_any(connection)?;
    let seconds = window.and_then(|window| u64::try_from(window.seconds).ok());
    Ok(LoginAttempt::Refused { retry_after_seconds: seconds.unwrap_or(1).max(1) })
}

pub(crate) fn forgive(connection: &mut PgConnection, name: &str, address: &str) -> Result<()> {
    let query = with_args(
        "with gone as (delete from login_failures where name_key = $1 and address = $2 and failures <= 1)
        update login_failures set failures = failures - 1 where name_key = $1 and address = $2 and failures > 1",
    );
    query.arg(failures_key(name)).arg(address).run(connection)
}
