//! The store: a pool of connections, and transactions bound to a profile.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use diesel::PgConnection;
use diesel::connection::SimpleConnection;
use diesel::r2d2::{HandleError, Pool, PooledConnection};
use finance_domain::credentials::SecretHash;
use finance_domain::members::{Credential, Member};
use finance_domain::profiles::NewProfile;
use finance_domain::second_factor::Evidence;
use finance_domain::sessions::{LoggedIn, NewSession};
use finance_domain::store::{LoginAttempt, Outbox, Work};
use finance_domain::webhooks::Turn;
use finance_domain::{
    Access, Caller, Cancellation, Error, ProfileId, Proof, Repo, Result, SessionId, Store, TimeLimit,
    TransactionOptions, Word,
};
use time::{Date, OffsetDateTime};

use crate::connect::{OpenError, SAY_INTERVAL, connect, one_line, timed};
use crate::readiness::Readiness;
use crate::repo::PgRepo;
use crate::session::{Powers, Session, SessionManager};
use crate::watchdog::Watchdog;
use crate::{constraints, login_failures, members, migrations, profiles, second_factor, sessions, tokens, webhooks};

/// How much longer than its transaction PostgreSQL allows a statement to run, in case the watchdog does not cancel it.
const STATEMENT_GRACE: Duration = Duration::from_secs(5);
/// The wait before the pool tries to connect again, at first half of it. It is short, so that a database that is back
/// is found soon.
const POOL_RETRY: Duration = Duration::from_millis(400);

/// How to reach the database.
#[derive(Debug, Clone)]
pub struct StoreOptions {
    /// A libpq connection string or URL.
    pub url: String,
    /// The most concurrent transactions. The readiness check uses one more connection.
    pub connections_max: u32,
    /// How long a request waits for a connection before it fails.
    pub connection_timeout: Duration,
    /// The time limits of transactions.
    pub time_limits: TimeLimits,
    /// Whether opening applies pending migrations. If not, it fails where there are any.
    pub migrate: bool,
}

/// The time limits of transactions.
#[derive(Debug, Clone, Copy)]
pub struct TimeLimits {
    /// For beginning: a writer waits for the writers of its profile in other processes.
    pub begin: Duration,
    /// For [`TimeLimit::Ordinary`].
    pub ordinary: Duration,
    /// For [`TimeLimit::Long`]. A streamed export takes as long as its client reads it.
    pub long: Duration,
}

impl Default for TimeLimits {
    fn default() -> Self {
        TimeLimits {
            begin: Duration::from_secs(10),
            ordinary: Duration::from_secs(20),
            long: Duration::from_secs(30 * 60),
        }
    }
}

impl TimeLimits {
    fn of(&self, limit: TimeLimit) -> Duration {
        match limit {
            TimeLimit::Ordinary => self.ordinary,
            TimeLimit::Long => self.long,
        }
    }
}

impl StoreOptions {
    /// The default options for the database of a URL.
    pub fn new(url: impl Into<String>) -> Self {
        StoreOptions {
            url: url.into(),
            connections_max: 8,
            connection_timeout: Duration::from_secs(3),
            time_limits: TimeLimits::default(),
            migrate: true,
        }
    }
}

/// The store in PostgreSQL.
pub struct PgStore {
    pool: Pool<SessionManager>,
    readiness: Readiness,
    connection_timeout: Duration,
    time_limits: TimeLimits,
}

impl PgStore {
    /// Opens the pool. First applies pending migrations, under a lock, so that nodes that start together apply each one
    /// once; or checks that there are none.
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
        let url = timed(&options.url);
        let watchdog = Watchdog::start(url.clone()).map_err(|error| OpenError::Connect(Box::new(error)))?;
        let set_up = powers.set_up((options.time_limits.ordinary + STATEMENT_GRACE).as_millis());
        let readiness = Readiness::new(url.clone(), set_up.clone());
        let pool = Pool::builder()
            .max_size(options.connections_max)
            .min_idle(Some(1))
            .connection_timeout(POOL_RETRY)
            .error_handler(Box::new(Outage::default()))
            .test_on_check_out(false)
            .build_unchecked(SessionManager::new(url, set_up, watchdog));
        pool.get_timeout(options.connection_timeout)
            .map_err(|error| OpenError::Connect(one_line(&error.to_string()).into()))?;
        let StoreOptions { connection_timeout, time_limits, .. } = *options;
        Ok(PgStore { pool, readiness, connection_timeout, time_limits })
    }

    /// Applies pending migrations and returns their number. A service that runs on the database may use the new objects.
    ///
    /// # Errors
    ///
    /// [`OpenError`].
    pub fn migrate(url: &str) -> Result<usize, OpenError> {
        migrations::migrate(&mut connect(url)?)
    }

    /// The most concurrent transactions.
    pub fn connections_max(&self) -> u32 {
        self.pool.max_size()
    }

    fn session(&self, deadline: Instant) -> Result<PooledConnection<SessionManager>> {
        let wait_max = deadline.saturating_duration_since(Instant::now());
        self.pool.get_timeout(wait_max).map_err(|error| Error::Unavailable(one_line(&error.to_string()).into()))
    }

    /// Runs `work` in a transaction of no profile.
    fn in_transaction<T>(
        &self,
        access: Access,
        limit: TimeLimit,
        work: impl FnOnce(&mut PgConnection) -> Result<T>,
    ) -> Result<T> {
        let frame = Frame {
            opening: begin(access, self.statement_limit(limit)),
            wait_max: self.connection_timeout,
            time_max: self.time_limits.of(limit),
            cancellation: &Cancellation::default(),
        };
        self.in_frame(&frame, |connection| Ok((work(connection)?, None)))
    }

    /// Runs a part of a turn at webhooks: `work` once the transaction is bound to the profile, and `then` after it. Returns false
    /// where `open` does.
    fn in_turn(
        &self,
        profile_id: ProfileId,
        work: Work<'_>,
        open: impl FnOnce(&mut PgConnection) -> Result<bool>,
        then: impl FnOnce(&mut PgConnection) -> Result<()>,
    ) -> Result<bool> {
        let frame = Frame {
            opening: begin(Access::Write, None),
            wait_max: self.connection_timeout,
            time_max: self.time_limits.of(TimeLimit::Ordinary),
            cancellation: &Cancellation::default(),
        };
        self.in_frame(&frame, |connection| {
            if !open(connection)? {
                return Ok((false, None));
            }
            let mut repo = PgRepo { connection, profile_id, notices: Vec::new() };
            work(&mut repo as &mut dyn Repo)?;
            let PgRepo { connection, notices, .. } = repo;
            then(connection)?;
            Ok((true, webhooks::store_notices(profile_id, &notices)))
        })
    }

    /// The statement timeout of the transaction, where it differs from the connection's.
    fn statement_limit(&self, limit: TimeLimit) -> Option<Duration> {
        match limit {
            TimeLimit::Ordinary => None,
            TimeLimit::Long => Some(self.time_limits.long + STATEMENT_GRACE),
        }
    }

    /// Runs `work` in a transaction with its time limit. A connection that died while it was idle fails at the opening,
    /// before anything was done: it is replaced without an error.
    /// `work` returns its result, and a statement that is sent with the commit.
    fn in_frame<T>(
        &self,
        frame: &Frame<'_>,
        work: impl FnOnce(&mut PgConnection) -> Result<(T, Option<String>)>,
    ) -> Result<T> {
        let deadline = Instant::now() + frame.wait_max;
        let mut session = loop {
            let mut session = self.session(deadline)?;
            let begun = Instant::now();
            session.watched.begin(begun + frame.time_max.min(self.time_limits.begin), frame.cancellation);
            match session.connection.batch_execute(&frame.opening).map_err(constraints::opening_error) {
                Ok(()) => {
                    session.watched.go_on(begun + frame.time_max);
                    break session;
                }
                Err(error) => {
                    session.end()?;
                    // A connection that cannot roll back is dead, and the pool drops it.
                    match (session.connection.batch_execute("ROLLBACK"), error) {
                        (Err(_), Error::Unavailable(cause)) if Instant::now() < deadline => {
                            log::debug!("a dead connection is replaced: {cause}");
                        }
                        (_, error) => return Err(error),
                    }
                }
            }
        };
        let worked = work(&mut session.connection);
        match (worked, session.end()) {
            (Ok((value, None)), Ok(())) => {
                session.connection.batch_execute("COMMIT").map_err(constraints::error)?;
                Ok(value)
            }
            (Ok((value, Some(last))), Ok(())) => match session.connection.batch_execute(&format!("{last}; COMMIT")) {
                Ok(()) => Ok(value),
                Err(error) => {
                    // It may be that only the commit has failed, after which there is nothing to roll back.
                    roll_back(&mut session.connection);
                    Err(constraints::error(error))
                }
            },
            (Err(error), Ok(())) => {
                roll_back(&mut session.connection);
                Err(error)
            }
            // Dropping the connection rolls back. The error of the work is a consequence of the cancellation.
            (Ok(_) | Err(Error::Internal(_) | Error::Unavailable(_)), Err(cancelled)) => Err(cancelled),
            (Err(error), Err(_)) => Err(error),
        }
    }
}

/// How a transaction is run.
struct Frame<'a> {
    /// The statements that begin it, sent in one round trip.
    opening: String,
    /// How long it waits for a connection.
    wait_max: Duration,
    /// Its time limit from then on.
    time_max: Duration,
    /// Cancels it.
    cancellation: &'a Cancellation,
}

/// The call that binds a transaction to the caller's profile, if what the caller shows opens it and reaches. It has nothing
/// of the request but integers, dates and hexadecimal digits, so parameters, and the round trip for them, are not needed.
fn bind(caller: &Caller, access: Access) -> String {
    let Caller { profile_id, proof, need } = *caller;
    let writes = access == Access::Write;
    let roles = array(need.roles());
    match proof {
        Proof::Login(credential_id) => format!("bind_profile({profile_id}, '{credential_id}', {roles}, {writes})"),
        Proof::Token { hash, today } => {
            let scopes = array(need.scopes());
            format!("bind_token({profile_id}, '\\x{hash}', {scopes}, {roles}, '{today}', {writes})")
        }
        Proof::Invitation { hash, now } => {
            let now = now.unix_timestamp();
            format!("bind_invitation({profile_id}, '\\x{hash}', to_timestamp({now}), {writes})")
        }
    }
}

/// A literal of an array of words.
fn array<T: Word>(words: &[T]) -> String {
    let words: Vec<&str> = words.iter().map(|word| word.as_str()).collect();
    format!("'{{{}}}'", words.join(","))
}

/// The statements that begin a transaction.
fn begin(access: Access, statement_limit: Option<Duration>) -> String {
    let mut begin = match access {
        Access::Read => "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY".to_string(),
        Access::Write => "BEGIN".to_string(),
    };
    if let Some(limit) = statement_limit {
        begin.push_str(&format!("; SET LOCAL statement_timeout = {}", limit.as_millis()));
    }
    begin
}

impl Session {
    /// Ends the watching of its work. After a cancellation the connection is not used again, so that a late cancellation
    /// never hits the statement of another request.
    ///
    /// # Errors
    ///
    /// The reason for the cancellation.
    fn end(&mut self) -> Result<()> {
        match self.watched.end() {
            None => Ok(()),
            Some(reason) => {
                self.is_spent = true;
                Err(reason.into())
            }
        }
    }
}

/// Rolls a failed transaction back. If that fails, the connection is dead, which ends the transaction too, and the pool
/// drops the connection.
fn roll_back(connection: &mut PgConnection) {
    if let Err(error) = connection.batch_execute("ROLLBACK") {
        log::warn!("rollback failed, the connection is dropped: {}", one_line(&error.to_string()));
    }
}

impl Store for PgStore {
    fn transact(&self, caller: &Caller, options: &TransactionOptions, work: Work<'_>) -> Result<()> {
        let begin = begin(options.access, self.statement_limit(options.time_limit));
        let frame = Frame {
            opening: format!("{begin}; SELECT {}", bind(caller, options.access)),
            wait_max: self.connection_timeout,
            time_max: self.time_limits.of(options.time_limit),
            cancellation: &options.cancellation,
        };
        let worked = self.in_frame(&frame, |connection| {
            let mut repo = PgRepo { connection, profile_id: caller.profile_id, notices: Vec::new() };
            work(&mut repo as &mut dyn Repo)?;
            Ok(((), webhooks::store_notices(caller.profile_id, &repo.notices)))
        });
        worked.map_err(|error| match error {
            Error::InsufficientScope { .. } => Error::InsufficientScope { scope: caller.need.least_scope() },
            error => error,
        })
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

    fn member_list(&self) -> Result<Vec<Member>> {
        self.in_transaction(Access::Read, TimeLimit::Ordinary, members::list)
    }

    fn member_set_password(&self, name: &str, password_hash: &str) -> Result<Member> {
        self.in_transaction(Access::Write, TimeLimit::Ordinary, |connection| {
            members::set_password(connection, name, password_hash)?.ok_or(Error::NotFound("user"))
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

    fn session_delete(&self, profile_id: ProfileId, id: SessionId) -> Result<()> {
        self.in_transaction(Access::Write, TimeLimit::Ordinary, |connection| {
            sessions::delete(connection, profile_id, id)
        })
    }

    fn ready(&self) -> Result<()> {
        self.readiness.check()
    }
}

impl Outbox for PgStore {
    fn profiles_due(&self, now: OffsetDateTime, limit: usize) -> Result<Vec<ProfileId>> {
        self.in_transaction(Access::Read, TimeLimit::Ordinary, |connection| {
            webhooks::profiles_due(connection, now, limit)
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

/// Logs that the pool cannot connect, but not every attempt.
#[derive(Debug, Default)]
struct Outage {
    said: Mutex<Option<Instant>>,
}

impl HandleError<diesel::r2d2::Error> for Outage {
    fn handle_error(&self, error: diesel::r2d2::Error) {
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        if said.is_none_or(|said| said.elapsed() >= SAY_INTERVAL) {
            *said = Some(Instant::now());
            log::warn!("no connection to the database: {}", one_line(&error.to_string()));
        }
    }
}
