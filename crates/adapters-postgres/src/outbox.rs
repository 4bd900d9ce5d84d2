//! Turns at delivering the webhooks and notices of profiles.

use diesel::PgConnection;
use finance_domain::store::{Outbox, Work};
use finance_domain::webhooks::Turn;
use finance_domain::{Access, Cancellation, ProfileId, Repo, Result, TimeLimit};
use time::{Date, OffsetDateTime};

use crate::repo::PgRepo;
use crate::store::{Frame, PgStore, begin, last_statement};
use crate::webhooks;

impl PgStore {
    /// Runs a part of a turn: `work` once the transaction is bound to the profile, and `then` after it. Returns false if `open`
    /// does.
    fn in_turn(
        &self,
        profile_id: ProfileId,
        work: Work<'_>,
        open: impl FnOnce(&mut PgConnection) -> Result<bool>,
        then: impl FnOnce(&mut PgConnection) -> Result<()>,
    ) -> Result<bool> {
        let frame = Frame {
            pool: &self.pool,
            opening: begin(Access::Write, None),
            wait_max: self.connection_timeout,
            time_max: self.time_limits.of(TimeLimit::Ordinary),
            cancellation: &Cancellation::default(),
        };
        self.in_frame(&frame, |connection| {
            if !open(connection)? {
                return Ok((false, None));
            }
            let mut repo = PgRepo::new(connection, profile_id, self.transactions_max);
            work(&mut repo as &mut dyn Repo)?;
            then(repo.connection)?;
            Ok((true, last_statement(&repo)))
        })
    }
}

impl Outbox for PgStore {
    fn profiles_due(&self, now: OffsetDateTime, today: Date, limit: usize) -> Result<Vec<ProfileId>> {
        self.in_transaction(Access::Read, TimeLimit::Ordinary, |connection| {
            webhooks::profiles_due(connection, now, today, limit)
        })
    }

    fn turn_begin(&self, turn: &Turn, now: OffsetDateTime, work: Work<'_>) -> Result<bool> {
        let open = |connection: &mut PgConnection| webhooks::take_turn(connection, turn, now);
        self.in_turn(turn.profile_id, work, open, |_| Ok(()))
    }

    fn turn_end(&self, turn: &Turn, now: OffsetDateTime, work: Work<'_>) -> Result<()> {
        let open = |connection: &mut PgConnection| webhooks::come_back(connection, turn).map(|()| true);
        let give_back = |connection: &mut PgConnection| webhooks::give_back(connection, turn, now);
        self.in_turn(turn.profile_id, work, open, give_back).map(|_| ())
    }
}
