//! The repository of one profile inside one transaction. Each noun's queries are in its own file.

use diesel::PgConnection;
use diesel::connection::SimpleConnection;
use finance_domain::store::{Rehearsal, Work};
use finance_domain::{Error, ProfileId, Result};

use crate::constraints::error;

/// The repository that [`PgStore`](crate::PgStore) gives to a use case. Every query filters by the profile, and so does
/// row-level security.
pub(crate) struct PgRepo<'a> {
    pub(crate) connection: &'a mut PgConnection,
    pub(crate) profile_id: ProfileId,
}

/// A count as PostgreSQL returns it.
pub(crate) fn counted(count: i64) -> Result<usize> {
    usize::try_from(count).map_err(|error| Error::Internal(Box::new(error)))
}

impl Rehearsal for PgRepo<'_> {
    fn rehearse(&mut self, work: Work<'_>) -> Result<()> {
        self.connection.batch_execute("savepoint rehearsal").map_err(error)?;
        // An error ends the whole transaction.
        work(self)?;
        self.connection.batch_execute("rollback to savepoint rehearsal; release savepoint rehearsal").map_err(error)
    }
}
