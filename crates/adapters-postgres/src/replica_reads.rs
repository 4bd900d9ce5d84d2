//! Reads that a replica answers.
//!
//! The primary proves the caller in one round trip, which also returns the id of the profile's last write. The read then runs on
//! the replica if the profile has the same id there, in the snapshot that the read sees. Writers of a profile run one after
//! another, and each one sets a new id, so the same id means the same rows: a read sees at least every write that any node
//! acknowledged before the read began. Otherwise, or if the replica cannot be used, the read runs on the primary.

use std::time::Instant;

use diesel::r2d2::R2D2Connection;
use diesel::result::{DatabaseErrorKind, Error as DieselError};
use finance_domain::store::{LastWrite, LastWriteRepo, Work};
use finance_domain::{Access, Caller, Error, Repo, Result, TransactionOptions};

use crate::connect::one_line;
use crate::constraints::{self, Behind};
use crate::pool;
use crate::proof;
use crate::replica::{Replica, ReplicaFigures, WAIT_MAX};
use crate::repo::{LastWriteRow, PgRepo};
use crate::store::{Frame, PgStore, begin, last_statement};

impl PgStore {
    /// Counts of the reads that the replica could have answered. None if there is no replica.
    pub fn replica_figures(&self) -> Option<ReplicaFigures> {
        self.replica.as_ref().map(Replica::figures)
    }

    /// Runs `work` on the replica if the profile's data there is the same as on the primary, otherwise on the primary.
    pub(crate) fn read_on_replica(
        &self,
        replica: &Replica,
        caller: &Caller,
        options: &TransactionOptions,
        work: Work<'_>,
    ) -> Result<()> {
        let Some(LastWriteRow { write_id, member_id, .. }) = self.prove(caller, options)? else {
            return self.on_primary(caller, options, work);
        };
        let begin = begin(Access::Read, self.statement_limit(options.time_limit));
        let profile_id = caller.profile_id;
        let member_id = member_id.map_or_else(String::new, |id| id.to_string());
        let frame = Frame {
            pool: &replica.pool,
            opening: format!(
                "{begin}; SELECT set_local('finance.profile_id', '{profile_id}'), set_local('finance.member_id', '{member_id}')"
            ),
            wait_max: WAIT_MAX,
            time_max: self.time_limits.of(options.time_limit),
            cancellation: &options.cancellation,
        };
        let mut has_begun = false;
        let read = self.in_frame(&frame, |connection| {
            let mut repo = PgRepo::new(connection, profile_id, self.transactions_max);
            // Almost every read asks for the last write, so this takes no round trip more.
            if !repo.has_last_write(&write_id)? {
                return Err(Error::Unavailable(Box::new(Behind)));
            }
            has_begun = true;
            work(&mut repo as &mut dyn Repo)?;
            Ok(((), last_statement(&repo)))
        });
        match read {
            Ok(()) => {
                replica.note_answer();
                Ok(())
            }
            Err(error) if options.cancellation.is_cancelled() => Err(error),
            // The work runs once, so the client must repeat the request. By then the primary answers.
            Err(error) if has_begun => {
                let error = as_outage(error);
                if matches!(error, Error::Unavailable(_)) {
                    replica.put_aside(&error);
                }
                Err(error)
            }
            Err(Error::Unavailable(cause)) if cause.is::<Behind>() => {
                replica.note_behind(profile_id);
                self.on_primary(caller, options, work)
            }
            Err(error) => {
                replica.note_away(&error);
                self.on_primary(caller, options, work)
            }
        }
    }

    /// Proves the caller on the primary and returns the last write of its profile.
    pub(crate) fn prove_last_write(&self, caller: &Caller, options: &TransactionOptions) -> Result<LastWrite> {
        if let Some(LastWriteRow { write_id: id, member_id, .. }) = self.prove(caller, options)? {
            return Ok(LastWrite { id, member_id });
        }
        // A statement of its own sees the profile's row on another node.
        self.in_profile(caller, options, |connection, _| {
            let mut repo = PgRepo::new(connection, caller.profile_id, self.transactions_max);
            Ok((repo.last_write()?, None))
        })
    }

    /// Proves the caller on the primary, in a transaction of one statement. A connection that died while it was idle is replaced.
    fn prove(&self, caller: &Caller, options: &TransactionOptions) -> Result<Option<LastWriteRow>> {
        let deadline = Instant::now() + self.connection_timeout;
        loop {
            let mut pooled = pool::connection(&self.pool, deadline)?;
            pooled.watched.begin(Instant::now() + self.time_limits.begin, &options.cancellation);
            let proved = proof::prove(&mut pooled.connection, caller).map_err(constraints::opening_error);
            pooled.end()?;
            match proved {
                Err(Error::Unavailable(cause)) if Instant::now() < deadline && pooled.connection.ping().is_err() => {
                    pooled.is_spent = true;
                    log::debug!("a dead connection is replaced: {}", one_line(&cause.to_string()));
                }
                proved => return proved,
            }
        }
    }
}

/// Turns the error of a read that the replica cancelled because of a conflicting change into an outage: the client may repeat it.
fn as_outage(error: Error) -> Error {
    match &error {
        Error::Internal(cause) if is_conflict(cause.downcast_ref()) => constraints::outage(error),
        _ => error,
    }
}

fn is_conflict(error: Option<&DieselError>) -> bool {
    matches!(error, Some(DieselError::DatabaseError(DatabaseErrorKind::SerializationFailure, _)))
}
