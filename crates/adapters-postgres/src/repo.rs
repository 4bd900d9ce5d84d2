//! The repository of one profile inside one transaction. Each noun's queries are in its own file.

use diesel::PgConnection;
use finance_domain::{Error, ProfileId, Result};

/// What [`PgStore`](crate::PgStore) hands to a use case. Every query of it names the profile, and
/// row-level security names it again.
pub(crate) struct PgRepo<'a> {
    pub(crate) connection: &'a mut PgConnection,
    pub(crate) profile_id: ProfileId,
}

/// A count as PostgreSQL tells it.
pub(crate) fn counted(count: i64) -> Result<usize> {
    usize::try_from(count).map_err(|error| Error::Internal(Box::new(error)))
}
