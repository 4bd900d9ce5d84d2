//! The store: a pool of connections, and transactions bound to a profile.
//!
//! A transaction begins, binds the connection to the caller's profile and checks that the caller's credential (a login or a
//! token) opens the profile and meets the route's need (see `proof.rs`). A writer locks the profile's row and gives it another
//! `write_id`, so writers of one profile run one after another.

use std::time::{Duration, Instant};

use diesel::PgConnection;
use diesel::connection::SimpleConnection;
use finance_domain::credentials::SecretHash;
use finance_domain::members::{Credential, Member, NewLink};
use finance_domain::profiles::NewProfile;
use finance_domain::second_factor::Evidence;
use finance_domain::sessions::{DeviceChange, DeviceLogin, LoggedIn, NewSession};
use finance_domain::store::{LastWrite, LoginAttempt, Work};
use finance_domain::{
    Access, Caller, Cancellation, Error, ProfileId, Proof, Refusal, Repo, Result, SessionId, Store, TimeLimit,
    TransactionOptions,
};
use time::{Date, OffsetDateTime};

use crate::connect::{OpenError, SAY_INTERVAL, connect, of_primary, one_line};
use crate::connection::{ConnectionManager, Powers, SetUp, WatchedConnection};
use crate::options::{StoreOptions, TimeLimits};
use crate::pool::{self, ConnectionPool, Outage};
use crate::readiness::Readiness;
use crate::recorder::Recorder;
use crate::replica::Replica;
use crate::repo::{LastWriteRow, PgRepo};
use crate::shortage::Shortage;
use crate::watchdog::Watchdog;
use crate::{
    constraints, counts, login_failures, members, migrations, profiles, proof, second_factor, sessions, tokens,
    webhooks,
};

/// How much longer than its transaction PostgreSQL allows a statement to run, in case the watchdog does not cancel it.
const STATEMENT_GRACE: Duration = Duration::from_secs(5);
/// The age at which a connection is replaced.
const AGE_MAX: Duration = Duration::from_secs(30 * 60);

/// The store in PostgreSQL.
pub struct PgStore {
    pub(crate) pool: ConnectionPool,
    pub(crate) replica: Option<Replica>,
    readiness: Readiness,
    pub(crate) connection_timeout: Duration,
    pub(crate) time_limits: TimeLimits,
    pub(crate) transactions_max: i64,
    shortage: Shortage,
    /// Its thread ends with the store, so that it does not connect while a private server stops.
    _watchdog: Watchdog,
}

impl PgStore {
    /// Opens the pool. First applies pending migrations, or checks that there are none. Migrations are applied under a lock, so
    /// that nodes that start together apply each one once.
    ///
    /// # Errors
    ///
    /// [`OpenError`].
    pub fn open(options: &StoreOptions) -> Result<Self, OpenError> {
        let mut connection = connect(&options.url)?;
        if options.migrate {
            let applied = migrations::migrate(&mut connection)?;
            if applied > 0 {
                log::info!("{applied} migrations applied");
            }
        } else {
            migrations::check_done(&mut connection)?;
        }
        let powers = Powers::of(&mut connection)?;
        drop(connection);
        let url = of_primary(&options.url);
        let watchdog = Watchdog::start(url.clone()).map_err(|error| OpenError::Connect(Box::new(error)))?;
        let statement_millis_max = (options.time_limits.ordinary + STATEMENT_GRACE).as_millis();
        let set_up = powers.set_up(statement_millis_max);
        let readiness = Readiness::new(url.clone(), set_up.clone());
        let manager = ConnectionManager::new(url, SetUp::Known(set_up), watchdog.list());
        let pool = pool::build(manager, options.connections_max, AGE_MAX, Outage::of("database", SAY_INTERVAL));
        pool.get_timeout(options.connection_timeout)
            .map_err(|error| OpenError::Connect(one_line(&error.to_string()).into()))?;
        let replica = options.replica_url.as_deref().map(|url| {
            Replica::open(url, options.connections_max, statement_millis_max)
                .map_err(|error| OpenError::Connect(Box::new(error)))
        });
        let StoreOptions { connection_timeout, time_limits, .. } = *options;
        Ok(PgStore {
            pool,
            replica: replica.transpose()?,
            readiness,
            connection_timeout,
            time_limits,
            transactions_max: i64::try_from(options.transactions_max).unwrap_or(i64::MAX),
            shortage: Shortage::default(),
            _watchdog: watchdog,
        })
    }

    /// Applies pending migrations and returns their number. A service that runs on the database may use the new objects.
    ///
    /// # Errors
    ///
    /// [`OpenError`].
    pub fn migrate(url: &str) -> Result<usize, OpenError> {
        migrations::migrate(&mut connect(url)?)
    }

    fn too_many_transactions(&self) -> Error {
        let max = usize::try_from(self.transactions_max).unwrap_or(usize::MAX);
        Refusal::LimitReached { what: constraints::TRANSACTIONS, max }.into()
    }

    /// The most concurrent transactions.
    pub fn connections_max(&self) -> u32 {
        self.pool.max_size()
    }

    /// Runs `work` in a transaction that is not bound to a profile.
    pub(crate) fn in_transaction<T>(
        &self,
        access: Access,
        limit: TimeLimit,
        work: impl FnOnce(&mut PgConnection) -> Result<T>,
    ) -> Result<T> {
        let frame = Frame {
            pool: &self.pool,
            opening: begin(access, self.statement_limit(limit)),
            wait_max: self.connection_timeout,
            time_max: self.time_limits.of(limit),
            cancellation: &Cancellation::default(),
        };
        self.in_frame(&frame, |connection| Ok((work(connection)?, None)))
    }

    /// Runs `work` on the primary, in a transaction bound to the caller's profile.
    pub(crate) fn on_primary(&self, caller: &Caller, options: &TransactionOptions, work: Work<'_>) -> Result<()> {
        let recording = options.recording.clone();
        let change_id = options.recording.as_ref().map(|recording| recording.change_id.clone());
        let change = self.in_profile(caller, options, |connection, last_write| {
            let mut repo = PgRepo::new(connection, caller.profile_id, self.transactions_max);
            repo.last_write = last_write;
            repo.recorder = Recorder::new(recording);
            work(&mut repo as &mut dyn Repo)?;
            let change = repo.close_change()?;
            Ok((change, last_statement(&repo)))
        })?;
        if let (Some(change_id), Some(change)) = (change_id, change) {
            change_id.set(change);
        }
        if let (Access::Write, Some(replica)) = (options.access, &self.replica) {
            replica.note_write(caller.profile_id);
        }
        Ok(())
    }

    /// As [`PgStore::in_frame`], on the primary and in a transaction bound to the caller's profile. `work` of a reader gets the last
    /// write of the profile, where its proof told it.
    pub(crate) fn in_profile<T>(
        &self,
        caller: &Caller,
        options: &TransactionOptions,
        work: impl FnOnce(&mut PgConnection, Option<LastWriteRow>) -> Result<(T, Option<String>)>,
    ) -> Result<T> {
        let begin = begin(options.access, self.statement_limit(options.time_limit));
        let frame = Frame {
            pool: &self.pool,
            opening: match proof::writer(caller).filter(|_| options.access == Access::Write) {
                Some(proof) => format!("{begin}; {proof}"),
                None => begin,
            },
            wait_max: self.connection_timeout,
            time_max: self.time_limits.of(options.time_limit),
            cancellation: &options.cancellation,
        };
        self.in_frame(&frame, |connection| {
            let last_write = match (caller.proof, options.access) {
                (Proof::Invitation { hash, now }, access) => {
                    members::bind_invitation(connection, caller.profile_id, hash, now, access)
                        .map_err(constraints::outage)?;
                    None
                }
                (_, Access::Read) => proof::prove(connection, caller).map_err(constraints::opening_error)?,
                (_, Access::Write) => None,
            };
            work(connection, last_write)
        })
    }

    /// The statement timeout of the transaction, if it differs from the connection's.
    pub(crate) fn statement_limit(&self, limit: TimeLimit) -> Option<Duration> {
        match limit {
            TimeLimit::Ordinary => None,
            TimeLimit::Long => Some(self.time_limits.long + STATEMENT_GRACE),
        }
    }

    /// Runs `work` in a transaction with its time limit. A connection that died while it was idle fails at the opening, before
    /// any work: it is replaced without an error. `work` returns its result, and a statement that is sent with the commit.
    pub(crate) fn in_frame<T>(
        &self,
        frame: &Frame<'_>,
        work: impl FnOnce(&mut PgConnection) -> Result<(T, Option<String>)>,
    ) -> Result<T> {
        let deadline = Instant::now() + frame.wait_max;
        let mut pooled = loop {
            let mut pooled = pool::connection(frame.pool, deadline)?;
            let begun = Instant::now();
            pooled.watched.begin(begun + frame.time_max.min(self.time_limits.begin), frame.cancellation);
            match pooled.connection.batch_execute(&frame.opening).map_err(constraints::opening_error) {
                Ok(()) => {
                    pooled.watched.go_on(begun + frame.time_max);
                    break pooled;
                }
                Err(error) => {
                    pooled.end()?;
                    // A connection that cannot roll back is dead, and the pool drops it.
                    match (pooled.connection.batch_execute("ROLLBACK"), error) {
                        (Err(_), Error::Unavailable(cause)) if Instant::now() < deadline => {
                            log::debug!("a dead connection is replaced: {cause}");
                        }
                        (_, error) => return Err(error),
                    }
                }
            }
        };
        let worked = work(&mut pooled.connection);
        match (worked, pooled.end()) {
            (Ok((value, last)), Ok(())) => {
                // PostgreSQL answers the commit of a failed transaction with a rollback, which is no error. Any other statement
                // is refused in such a transaction, and the commit after it is not run.
                let last = last.as_deref().unwrap_or("SELECT");
                match pooled.connection.batch_execute(&format!("{last}; COMMIT")) {
                    Ok(()) => Ok(value),
                    // The commit may be the only thing that failed. Then there is nothing to roll back.
                    Err(error) => Err(rolled_back(&mut pooled.connection, constraints::error(error))),
                }
            }
            (Err(error), Ok(())) => Err(rolled_back(&mut pooled.connection, error)),
            // Dropping the connection rolls back. The error of the work is a consequence of the cancellation.
            (Ok(_) | Err(Error::Internal(_) | Error::Unavailable(_)), Err(cancelled)) => Err(cancelled),
            (Err(error), Err(_)) => Err(error),
        }
    }
}

/// The statements that are sent with the commit: they count the transactions that were stored, and store the events.
pub(crate) fn last_statement(repo: &PgRepo<'_>) -> Option<String> {
    let statements = [counts::count(repo), webhooks::store_events(repo)];
    statements.into_iter().flatten().reduce(|first, second| format!("{first}; {second}"))
}

/// The settings of a transaction.
pub(crate) struct Frame<'a> {
    /// The pool that the connection is taken from.
    pub(crate) pool: &'a ConnectionPool,
    /// The statements that begin the transaction, sent in one round trip.
    pub(crate) opening: String,
    /// How long the transaction waits for a connection.
    pub(crate) wait_max: Duration,
    /// The time limit of the transaction, from the moment that it has a connection.
    pub(crate) time_max: Duration,
    /// Cancels the transaction.
    pub(crate) cancellation: &'a Cancellation,
}

/// The statements that begin a transaction.
pub(crate) fn begin(access: Access, statement_limit: Option<Duration>) -> String {
    let mut begin = match access {
        Access::Read => "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY".to_string(),
        Access::Write => "BEGIN".to_string(),
    };
    if let Some(limit) = statement_limit {
        begin.push_str(&format!("; SET LOCAL statement_timeout = {}", limit.as_millis()));
    }
    begin
}

impl WatchedConnection {
    /// Ends the watching of its work. After a cancellation the connection is not used again, so that a late cancellation never
    /// affects the statement of another request.
    ///
    /// # Errors
    ///
    /// The reason for the cancellation.
    pub(crate) fn end(&mut self) -> Result<()> {
        match self.watched.end() {
            None => Ok(()),
            Some(reason) => {
                self.is_spent = true;
                Err(reason.into())
            }
        }
    }
}

/// Rolls a failed transaction back, and returns why it failed. A connection that cannot roll back is dead, which ends the transaction
/// too, and the pool drops it. An error that says nothing more is then a consequence: the server went away.
fn rolled_back(connection: &mut PgConnection, error: Error) -> Error {
    let Err(dead) = connection.batch_execute("ROLLBACK") else { return error };
    log::warn!("rollback failed, the connection is dropped: {}", one_line(&dead.to_string()));
    constraints::outage(error)
}

/// The same error. One about a token's scopes names the least scope that is sufficient for the caller's request.
fn scope_named(error: Error, caller: &Caller) -> Error {
    match error {
        Error::InsufficientScope { .. } => Error::InsufficientScope { scope: caller.need.least_scope() },
        error => error,
    }
}

impl Store for PgStore {
    fn transact(&self, caller: &Caller, options: &TransactionOptions, work: Work<'_>) -> Result<()> {
        let worked = match &self.replica {
            Some(replica) if replica.may_answer(caller, options) => {
                self.read_on_replica(replica, caller, options, work)
            }
            _ => self.on_primary(caller, options, work),
        };
        self.shortage.note(options.access, &worked);
        worked.map_err(|error| match error {
            Error::Refused(Refusal::LimitReached { what: constraints::TRANSACTIONS, .. }) => {
                self.too_many_transactions()
            }
            error => scope_named(error, caller),
        })
    }

    fn last_write(&self, caller: &Caller, options: &TransactionOptions) -> Result<LastWrite> {
        self.prove_last_write(caller, options).map_err(|error| scope_named(error, caller))
    }

    fn credential_by_name(&self, name: &str) -> Result<Option<Credential>> {
        self.in_transaction(Access::Read, TimeLimit::Ordinary, |connection| {
            members::credential_by_name(connection, name)
        })
    }

    fn profile_by_secret(&self, hash: SecretHash) -> Result<Option<ProfileId>> {
        self.in_transaction(Access::Read, TimeLimit::Ordinary, |connection| tokens::profile_by_secret(connection, hash))
    }

    fn token_note_use(&self, profile_id: ProfileId, hash: SecretHash, today: Date) -> Result<()> {
        self.in_transaction(Access::Write, TimeLimit::Ordinary, |connection| {
            tokens::note_use(connection, profile_id, hash, today)
        })
    }

    fn profile_upsert(&self, new: &NewProfile) -> Result<Member> {
        self.in_transaction(Access::Write, TimeLimit::Ordinary, |connection| profiles::upsert(connection, new))
    }

    fn has_members(&self) -> Result<bool> {
        self.in_transaction(Access::Read, TimeLimit::Ordinary, members::are_there)
    }

    fn member_list(&self) -> Result<Vec<Member>> {
        self.in_transaction(Access::Read, TimeLimit::Ordinary, members::list)
    }

    fn member_set_password(&self, name: &str, password_hash: &str) -> Result<Member> {
        self.in_transaction(Access::Write, TimeLimit::Ordinary, |connection| {
            members::set_password(connection, name, password_hash)?.ok_or(Error::NotFound("user"))
        })
    }

    fn member_link(&self, name: &str, link: &NewLink) -> Result<Member> {
        self.in_transaction(Access::Write, TimeLimit::Ordinary, |connection| {
            members::link(connection, name, link)?.ok_or(Error::NotFound("user"))
        })
    }

    fn member_set_disabled(&self, name: &str, is_disabled: bool) -> Result<Member> {
        self.in_transaction(Access::Write, TimeLimit::Ordinary, |connection| {
            members::set_disabled(connection, name, is_disabled)
        })
    }

    fn second_factor_use(&self, credential: &Credential, evidence: &Evidence) -> Result<bool> {
        self.in_transaction(Access::Write, TimeLimit::Ordinary, |connection| {
            second_factor::use_up(connection, credential, evidence)
        })
    }

    fn second_factor_remove(&self, name: &str) -> Result<(Member, bool)> {
        self.in_transaction(Access::Write, TimeLimit::Ordinary, |connection| {
            second_factor::remove_by_name(connection, name)?.ok_or(Error::NotFound("user"))
        })
    }

    fn profile_delete(&self, id: ProfileId) -> Result<bool> {
        self.in_transaction(Access::Write, TimeLimit::Long, |connection| profiles::delete(connection, id))
    }

    fn login_attempt(&self, name: &str, address: &str, failures_max: u32) -> Result<LoginAttempt> {
        self.in_transaction(Access::Write, TimeLimit::Ordinary, |connection| {
            login_failures::attempt(connection, name, address, failures_max)
        })
    }

    fn login_attempt_forgive(&self, name: &str, address: &str) -> Result<()> {
        self.in_transaction(Access::Write, TimeLimit::Ordinary, |connection| {
            login_failures::forgive(connection, name, address)
        })
    }

    fn session_begin(&self, judged: &Credential, address: &str, new: &NewSession) -> Result<Option<LoggedIn>> {
        self.in_transaction(Access::Write, TimeLimit::Ordinary, |connection| {
            sessions::log_in(connection, judged, address, new)
        })
    }

    fn session_delete(&self, profile_id: ProfileId, id: SessionId) -> Result<bool> {
        self.in_transaction(Access::Write, TimeLimit::Ordinary, |connection| {
            sessions::delete(connection, profile_id, id)
        })
    }

    fn device_judge(
        &self,
        selector: SecretHash,
        now: OffsetDateTime,
        judge: &mut dyn FnMut(&DeviceLogin) -> Result<DeviceChange>,
    ) -> Result<bool> {
        self.in_transaction(Access::Write, TimeLimit::Ordinary, |connection| {
            sessions::judge_device(connection, selector, now, judge)
        })
    }

    fn ready(&self) -> Result<()> {
        self.shortage.check()?;
        self.readiness.check()
    }
}
