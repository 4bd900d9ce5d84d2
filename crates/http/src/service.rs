//! What handlers share: the ports, and the thread pools for blocking work.

use std::io;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use actix_web::http::StatusCode;
use actix_web::http::header::EntityTag;
use actix_web::web::Data;
use finance_domain::changes::KeptSince;
use finance_domain::credentials::{Need, SecretHash};
use finance_domain::error::Chain;
use finance_domain::gamification::Catalog;
use finance_domain::notices::{NoticeSender, PushHosts, Texts};
use finance_domain::recurring;
use finance_domain::store::LastWrite;
use finance_domain::suggestions::Lexicon;
use finance_domain::transfers::Phrases;
use finance_domain::use_cases::upkeep;
use finance_domain::yields::{DayCount, RateSource, RateWindow, Rates, TaxTables};
use finance_domain::{
    Access, Caller, Clock, Context, Error, ProfileId, Proof, Repo, Result, SessionId, Step, Store, TimeLimit,
    TransactionOptions,
};
use finance_drawings::Drawings;
use futures_util::future::join_all;
use time::UtcOffset;
use tokio::sync::oneshot;

use crate::banks::Bank;
use crate::blocking::BlockingPool;
use crate::changes;
use crate::deadline::{CancelledOnDrop, Deadline};
use crate::display;
use crate::entity_tags::{self, Answer};
use crate::fair_queue::{Requester, Turn};
use crate::known_tokens::KnownTokens;
use crate::login_tokens::LoginTokens;
use crate::metrics::Metrics;
use crate::permits::{Permit, Permits};
use crate::problem::Problem;
use crate::readiness::SharedCheck;
use crate::request_clock::RequestClock;
use crate::secrets::SecretKind;
use crate::stream::{self, ChunkWriter, Chunks};

/// The maximum number of concurrent requests for rates; they wait outside any transaction.
const RATE_CALLERS_MAX: usize = 64;
/// The most bodies over the ordinary limit in memory at once, and the most of one profile.
const LARGE_BODIES_MAX: usize = 16;
const LARGE_BODIES_SHARE_MAX: usize = 2;
/// How long a statement may be read, its wait in the queue included: as long as an ordinary transaction.
const STATEMENT_MAX: Duration = Duration::from_secs(20);
/// The most answers that are streamed at once, each with a connection of its own, and the most of one profile.
const STREAMS_MAX: usize = 2;
const STREAMS_SHARE_MAX: usize = 1;
/// The most documents that are read and restored at once, with all their rows in memory, and the most of one profile.
const RESTORES_MAX: usize = 2;
const RESTORES_SHARE_MAX: usize = 1;

/// The parts of the service.
pub struct ServiceParts {
    /// The store of the data.
    pub store: Arc<dyn Store>,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// The provider of rates.
    pub rates: Arc<dyn RateSource>,
    /// How to count days without a published rate, for accounts that do not specify it.
    pub day_count: DayCount,
    /// The taxes on yield.
    pub taxes: Arc<TaxTables>,
    /// The holidays, and the templates of recurring items.
    pub schedules: Arc<recurring::Catalog>,
    /// The catalog of gamification.
    pub catalog: Arc<Catalog>,
    /// The drawings of its figure.
    pub drawings: Arc<Drawings>,
    /// The phrases of statements that mean a transfer.
    pub phrases: Arc<Phrases>,
    /// What is known about payees.
    pub lexicon: Arc<Lexicon>,
    /// The texts of notices.
    pub notice_texts: Arc<Texts>,
    /// Sends notices. Requests only ask it what is configured.
    pub notice_sender: Arc<dyn NoticeSender>,
    /// The push services that devices may have.
    pub push_hosts: PushHosts,
    /// The offset of the time of day.
    pub utc_offset: UtcOffset,
    /// Where banks offer statements that can be read.
    pub banks: Arc<[Bank]>,
    /// The issuer of tokens.
    pub tokens: LoginTokens,
    /// The most concurrent transactions: the connections of the store.
    pub store_connections: usize,
    /// The most bytes of an uploaded statement.
    pub upload_bytes_max: usize,
    /// Whether webhooks may have addresses in private networks.
    pub webhooks_private: bool,
    /// How many days changes are kept.
    pub history_days: u16,
}

/// The service, as handlers take it.
pub(crate) type Shared = Data<Service>;

/// What handlers share.
pub struct Service {
    store: Arc<dyn Store>,
    /// Its date stays the same for a whole request.
    pub(crate) clock: Arc<dyn Clock>,
    day_count: DayCount,
    taxes: Arc<TaxTables>,
    schedules: Arc<recurring::Catalog>,
    pub(crate) catalog: Arc<Catalog>,
    pub(crate) drawings: Arc<Drawings>,
    phrases: Arc<Phrases>,
    lexicon: Arc<Lexicon>,
    pub(crate) notice_texts: Arc<Texts>,
    pub(crate) notice_sender: Arc<dyn NoticeSender>,
    pub(crate) push_hosts: Arc<PushHosts>,
    pub(crate) utc_offset: UtcOffset,
    pub(crate) banks: Arc<[Bank]>,
    pub(crate) tokens: LoginTokens,
    known_tokens: KnownTokens,
    pub(crate) upload_bytes_max: usize,
    pub(crate) webhooks_private: bool,
    history_days: u16,
    /// A digest of the settings and catalogs that tagged answers depend on. Only previews use the rest of the lexicon, and only problems
    /// the banks.
    configured: String,
    rates: Arc<dyn RateSource>,
    pub(crate) metrics: Arc<Metrics>,
    rate_callers: Arc<BlockingPool>,
    store_threads: Arc<BlockingPool>,
    password_threads: Arc<BlockingPool>,
    body_threads: Arc<BlockingPool>,
    readiness: SharedCheck,
    streams: Permits,
    restores: Permits,
    large_bodies: Permits,
}

/// The most threads of a pool that one requester may use: three of eight.
fn share_of(threads: usize) -> usize {
    (threads * 3).div_ceil(8)
}

/// A caller whose credential was proved in the store: an argument of the handlers and extractors that read a large body.
///
/// The use case proves the credential again in its own transaction. Without this proof, a revoked token, or the login of a member
/// who was removed, could occupy the permits of its former profile for as long as it sends a body. So only a `Proved` gets a
/// permit for a large body, and has it parsed.
pub(crate) struct Proved(Caller);

impl Proved {
    /// The caller.
    pub(crate) fn caller(&self) -> Caller {
        self.0
    }

    fn requester(&self) -> Requester {
        requester(&self.0)
    }
}

/// The requester of a caller's work.
fn requester(caller: &Caller) -> Requester {
    Requester::Profile(caller.profile_id)
}

impl Service {
    /// The service of the given parts.
    ///
    /// # Errors
    ///
    /// The system cannot create the threads.
    pub fn new(parts: ServiceParts) -> io::Result<Self> {
        let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let shared = |name, size| BlockingPool::new(name, size, share_of(size)).map(Arc::new);
        let store_threads = shared("store", parts.store_connections)?;
        // Half the cores, so that a flood of logins leaves the other half to other requests.
        let password_threads = shared("passwords", (cores / 2).max(1))?;
        let rate_callers = shared("rates", RATE_CALLERS_MAX)?;
        // A body that arrives slowly occupies its thread.
        let body_threads = Arc::new(BlockingPool::new("bodies", LARGE_BODIES_MAX, LARGE_BODIES_SHARE_MAX)?);
        let store_to_check = Arc::clone(&parts.store);
        // Printed in the same order by every process, so that nodes know each other's tags.
        let ServiceParts { day_count, taxes, schedules, catalog, drawings, phrases, lexicon, .. } = &parts;
        let (payees, drawn, push_key) = (&lexicon.payees, drawings.version(), parts.notice_sender.push_key());
        let configured = entity_tags::digest(&[&format!(
            "{day_count:?}{taxes:?}{schedules:?}{catalog:?}{drawn}{phrases:?}{payees:?}{push_key:?}"
        )]);
        display::show_by(lexicon);
        let pools = [&store_threads, &password_threads, &rate_callers, &body_threads].map(Arc::clone);
        Ok(Service {
            metrics: Arc::new(Metrics::new(pools.to_vec())),
            store: parts.store,
            clock: Arc::new(RequestClock(parts.clock)),
            day_count: parts.day_count,
            taxes: parts.taxes,
            schedules: parts.schedules,
            catalog: parts.catalog,
            drawings: parts.drawings,
            phrases: parts.phrases,
            lexicon: parts.lexicon,
            notice_texts: parts.notice_texts,
            notice_sender: parts.notice_sender,
            push_hosts: Arc::new(parts.push_hosts),
            utc_offset: parts.utc_offset,
            banks: parts.banks,
            tokens: parts.tokens,
            known_tokens: KnownTokens::default(),
            rates: parts.rates,
            upload_bytes_max: parts.upload_bytes_max,
            webhooks_private: parts.webhooks_private,
            history_days: parts.history_days,
            configured,
            rate_callers,
            store_threads,
            password_threads,
            body_threads,
            readiness: SharedCheck::start(move || store_to_check.ready())?,
            streams: Permits::new(STREAMS_MAX.min((parts.store_connections / 2).max(1)), STREAMS_SHARE_MAX),
            restores: Permits::new(RESTORES_MAX, RESTORES_SHARE_MAX),
            large_bodies: Permits::new(LARGE_BODIES_MAX, LARGE_BODIES_SHARE_MAX),
        })
    }

    /// The metrics of the service, for a [`MetricsListener`](crate::MetricsListener).
    pub fn metrics(&self) -> Arc<Metrics> {
        Arc::clone(&self.metrics)
    }

    /// The context of the current request.
    pub(crate) fn context(&self) -> Context {
        Context {
            today: self.clock.today(),
            catalog: Arc::clone(&self.catalog),
            phrases: Arc::clone(&self.phrases),
            lexicon: Arc::clone(&self.lexicon),
            taxes: Arc::clone(&self.taxes),
            schedules: Arc::clone(&self.schedules),
            day_count: self.day_count,
        }
    }

    /// Runs a use case that only reads, in one snapshot, after the profile was brought up to today: for what shows the bills of cards,
    /// or what they ask for.
    pub(crate) async fn read_today<T: Send + 'static>(
        &self,
        caller: Caller,
        work: impl FnOnce(&mut dyn Repo) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let today = self.clock.today();
        let begin = move |repo: &mut dyn Repo| match upkeep::is_done(repo, today)? {
            true => Ok(Ok(work(repo)?)),
            false => Ok(Err(work)),
        };
        match self.read(caller, begin).await? {
            Ok(result) => Ok(result),
            Err(work) => {
                self.write_for_read(caller, move |repo| upkeep::run(repo, today)).await?;
                self.read(caller, work).await
            }
        }
    }

    /// A write that a request makes before it is answered with what it read.
    async fn write_for_read<T: Send + 'static>(
        &self,
        caller: Caller,
        work: impl FnOnce(&mut dyn Repo) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (result, last) = self.write(caller, move |repo| Ok((work(repo)?, repo.last_write()?))).await?;
        entity_tags::tell(Answer::After(last));
        Ok(result)
    }

    /// Runs a use case of several steps, each in the thread pool for its kind of work. The first one reads.
    pub(crate) async fn flow<T: Send + 'static>(
        &self,
        caller: Caller,
        begin: impl FnOnce(&mut dyn Repo) -> Result<Step<T>> + Send + 'static,
    ) -> Result<T> {
        let step = self.read(caller, begin).await?;
        self.finish(caller, step).await
    }

    /// As [`Service::flow`], after the profile was brought up to today.
    pub(crate) async fn flow_today<T: Send + 'static>(
        &self,
        caller: Caller,
        begin: impl FnOnce(&mut dyn Repo) -> Result<Step<T>> + Send + 'static,
    ) -> Result<T> {
        let step = self.read_today(caller, begin).await?;
        self.finish(caller, step).await
    }

    async fn finish<T: Send + 'static>(&self, caller: Caller, mut step: Step<T>) -> Result<T> {
        loop {
            step = match step {
                Step::Done(result) => return Ok(result),
                Step::Write(work) => self.write_for_read(caller, work).await?,
                Step::Rates { windows, next } => {
                    // The next request has to ask for rates that are not published yet.
                    entity_tags::tell(Answer::Passing);
                    next(self.rates(caller, windows).await)
                }
                Step::Password(work) => self.with_password(requester(&caller), work).await?,
                Step::Award { result, award } => {
                    // A read-only credential earns nothing. An award is still due at the next request.
                    match self.write(Caller { need: Need::Write, ..caller }, award).await {
                        Ok(()) | Err(Error::NotAllowed | Error::InsufficientScope { .. }) => {}
                        Err(error) => {
                            // The next request has to try again.
                            entity_tags::tell(Answer::Passing);
                            log::warn!("an award could not be stored: {}", Chain(&error));
                        }
                    }
                    return Ok(result);
                }
            };
        }
    }

    /// The profile of a token or an invitation, if it exists.
    pub(crate) async fn profile_of_secret(&self, hash: SecretHash, requester: Requester) -> Result<Option<ProfileId>> {
        let store = Arc::clone(&self.store);
        self.store_threads.run(requester, Turn::Shared, move || store.profile_by_secret(hash)).await
    }

    /// The profile of a token. It is looked up once.
    async fn profile_of_token(&self, hash: SecretHash, requester: Requester) -> Result<Option<ProfileId>> {
        if let Some(known) = self.known_tokens.profile_of(&hash) {
            return Ok(Some(known));
        }
        let found = self.profile_of_secret(hash, requester).await?;
        if let Some(profile_id) = found {
            self.known_tokens.remember(hash, profile_id);
        }
        Ok(found)
    }

    /// The caller with a token. Whether the token is valid is checked when the transaction begins.
    ///
    /// # Errors
    ///
    /// [`Problem::unauthenticated`] if the text is not a token, or no such token exists.
    pub(crate) async fn caller_by_token(&self, text: &str, need: Need, of: Requester) -> Result<Caller, Problem> {
        let hash = SecretKind::Token.hash_of(text).ok_or_else(Problem::unauthenticated)?;
        let profile_id = self.profile_of_token(hash, of).await?.ok_or_else(Problem::unauthenticated)?;
        Ok(Caller { profile_id, proof: Proof::Token { hash, today: self.clock.today() }, need })
    }

    /// Proves the caller and reads the last write of its profile.
    ///
    /// # Errors
    ///
    /// The refusal, or why the store cannot tell.
    pub(crate) async fn last_write(&self, caller: Caller) -> Result<LastWrite> {
        let store = Arc::clone(&self.store);
        let options = TransactionOptions::from(Access::Read);
        let _waiting = CancelledOnDrop(options.cancellation.clone());
        let read = move || store.last_write(&caller, &options);
        self.store_threads.run(requester(&caller), Turn::Shared, read).await
    }

    /// The tag of the answer to a request for `target`, a path with its query, on the request's date and after a write that was read
    /// before the answer. If another write came between, the answer is newer than its tag, which is then never current again.
    pub(crate) fn tag(&self, caller: &Caller, last: &LastWrite, target: &str) -> EntityTag {
        entity_tags::of(caller, last, self.clock.today(), target, &self.configured)
    }

    /// Proves in the store that the caller's credential is valid for its profile and sufficient for the request.
    ///
    /// # Errors
    ///
    /// The refusal, or why the store cannot tell.
    pub(crate) async fn prove(&self, caller: Caller) -> Result<Proved> {
        self.last_write(caller).await?;
        Ok(Proved(caller))
    }

    /// As [`Service::prove`], for a request that is not carried out anyway: if the store cannot tell, there is no error.
    ///
    /// # Errors
    ///
    /// The refusal.
    pub(crate) async fn check(&self, caller: Caller) -> Result<()> {
        match self.prove(caller).await {
            Err(refusal @ (Error::Unauthenticated | Error::NotAllowed | Error::InsufficientScope { .. })) => {
                Err(refusal)
            }
            _ => Ok(()),
        }
    }

    /// Waits for a permit for a large body. It is held until the body and its data are out of memory.
    pub(crate) async fn large_body(&self, proved: &Proved) -> Result<Permit> {
        self.large_bodies.acquire(proved.requester()).await
    }

    /// As [`Service::large_body`], for a document that is restored.
    pub(crate) async fn restored_document(&self, proved: &Proved) -> Result<Permit> {
        self.restores.acquire(proved.requester()).await
    }

    /// Notes that a token was used today, unless that is noted already. `status` is the status of the answer.
    pub(crate) async fn note_use(&self, caller: &Caller, status: StatusCode) {
        let Proof::Token { hash, today } = caller.proof else { return };
        if status == StatusCode::UNAUTHORIZED {
            return self.known_tokens.forget(&hash);
        }
        if status.is_server_error() || !self.known_tokens.is_unnoted(&hash, today) {
            return;
        }
        let (store, profile_id) = (Arc::clone(&self.store), caller.profile_id);
        let note = move || store.token_note_use(profile_id, hash, today);
        match self.store_threads.run(requester(caller), Turn::Shared, note).await {
            Ok(()) => self.known_tokens.noted(&hash, today),
            Err(error) => log::warn!("the use of a token could not be noted: {}", Chain(&error)),
        }
    }

    /// Removes the session of a caller's login, whose credential was proved. It does not wait for writers of the profile. Returns
    /// whether the session had a device.
    pub(crate) async fn forget_session(&self, caller: Caller, session: SessionId) -> Result<bool> {
        let store = Arc::clone(&self.store);
        let forget = move || store.session_delete(caller.profile_id, session);
        self.store_threads.run(requester(&caller), Turn::Shared, forget).await
    }

    /// Runs a use case of a requester that has shown no credential yet. It takes no password: those have their own threads.
    pub(crate) async fn with_store<T: Send + 'static>(
        &self,
        requester: Requester,
        work: impl FnOnce(&dyn Store) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let store = Arc::clone(&self.store);
        self.store_threads.run(requester, Turn::Shared, move || work(store.as_ref())).await
    }

    /// Runs a use case that only reads, in one snapshot. It is cancelled when the client hangs up.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        caller: Caller,
        work: impl FnOnce(&mut dyn Repo) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let options = TransactionOptions::from(Access::Read);
        let store = Arc::clone(&self.store);
        let _waiting = CancelledOnDrop(options.cancellation.clone());
        let is_sought = entity_tags::is_sought();
        let read = move || {
            store.run(&caller, options, |repo| {
                let last = is_sought.then(|| repo.last_write()).transpose()?;
                Ok((work(repo)?, last))
            })
        };
        let (result, last) = self.store_threads.run(requester(&caller), Turn::Shared, read).await?;
        if let Some(last) = last {
            entity_tags::tell(Answer::After(last));
        }
        Ok(result)
    }

    /// Since when changes are kept.
    pub(crate) fn history_since(&self) -> KeptSince {
        KeptSince::of(self.clock.now(), self.clock.today(), self.history_days)
    }

    /// What the history shows although the profile wrote nothing.
    ///
    /// # Errors
    ///
    /// The refusal, or why the store cannot tell.
    pub(crate) async fn history_mark(&self, caller: Caller) -> Result<String> {
        let since = self.history_since();
        self.read(caller, move |repo| repo.change_mark(since)).await
    }

    /// Runs a use case in one transaction, after those of the same profile that came before. It is cancelled when the
    /// client hangs up before it has committed.
    pub(crate) async fn write<T: Send + 'static>(
        &self,
        caller: Caller,
        work: impl FnOnce(&mut dyn Repo) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.write_then(TimeLimit::Ordinary, caller, work, Ok).await
    }

    /// As [`Service::write`], with the given time limit. After the commit, `then` converts the result on the same thread.
    pub(crate) async fn write_then<T, V: Send + 'static>(
        &self,
        time_limit: TimeLimit,
        caller: Caller,
        work: impl FnOnce(&mut dyn Repo) -> Result<T> + Send + 'static,
        then: impl FnOnce(T) -> Result<V> + Send + 'static,
    ) -> Result<V> {
        let recording = changes::recording(self.clock.as_ref(), &caller);
        let change_id = recording.as_ref().map(|recording| recording.change_id.clone());
        let options = TransactionOptions { time_limit, recording, ..Access::Write.into() };
        let store = Arc::clone(&self.store);
        let _waiting = CancelledOnDrop(options.cancellation.clone());
        let write = move || store.run(&caller, options, work).and_then(then);
        let written = self.store_threads.run(requester(&caller), Turn::Exclusive, write).await;
        if let Some(id) = change_id.and_then(|change_id| change_id.get()) {
            changes::tell(id);
        }
        written
    }

    /// Streams an answer that a use case writes while it reads one snapshot. `head` first reads what the answer's headers need,
    /// and `work` gets the same value.
    ///
    /// It occupies a connection for as long as the client takes to read the answer, so only a few run at once. It is cancelled
    /// when the client hangs up.
    pub(crate) async fn stream<H: Clone + Send + 'static>(
        &self,
        caller: Caller,
        head: impl FnOnce(&mut dyn Repo) -> Result<H> + Send + 'static,
        work: impl FnOnce(&mut dyn Repo, H, &mut ChunkWriter) -> Result<()> + Send + 'static,
    ) -> Result<(H, Chunks)> {
        let requester = requester(&caller);
        let permit = self.streams.acquire(requester.clone()).await?;
        let (store, threads) = (Arc::clone(&self.store), Arc::clone(&self.store_threads));
        let (mut writer, chunks) = stream::channel();
        let options = TransactionOptions { time_limit: TimeLimit::Long, ..Access::Read.into() };
        let waiting = CancelledOnDrop(options.cancellation.clone());
        let (head_read, head_of_answer) = oneshot::channel();
        let is_sought = entity_tags::is_sought();
        let work = move || {
            let result = store.run(&caller, options, |repo| {
                let last = is_sought.then(|| repo.last_write()).transpose()?;
                let head = head(repo)?;
                // The receiver is gone if the client has hung up.
                let _ = head_read.send((head.clone(), last));
                work(repo, head, &mut writer)
            });
            drop(permit);
            result
        };
        let working = async move {
            let _waiting = waiting;
            threads.run(requester, Turn::Shared, work).await
        };
        let chunks = stream::body(chunks, Box::pin(working)).await?;
        // The head was sent before the first chunk.
        let (head, last) = head_of_answer.await.map_err(|gone| Error::Internal(Box::new(gone)))?;
        if let Some(last) = last {
            entity_tags::tell(Answer::After(last));
        }
        Ok((head, chunks))
    }

    /// Whether the store is ready, within a second.
    pub(crate) async fn ready(&self) -> Result<()> {
        self.readiness.ask().await
    }

    /// The published rates of the windows. They are requested concurrently, so that with a slow provider all of them take as
    /// long as one. A series for which the provider fails is left out, because yield can be paid later.
    async fn rates(&self, caller: Caller, windows: Vec<RateWindow>) -> Rates {
        let ask = |RateWindow { series, first, last }| {
            let rates = Arc::clone(&self.rates);
            let ask = move || Ok(rates.published(series, first, last).ok());
            let answer = self.rate_callers.run(requester(&caller), Turn::Shared, ask);
            async move { Some((series, answer.await.ok().flatten()?)) }
        };
        join_all(windows.into_iter().map(ask)).await.into_iter().flatten().collect()
    }

    /// Runs the parsing of a large body in its thread pool.
    pub(crate) async fn read_body<T: Send + 'static>(
        &self,
        proved: &Proved,
        work: impl FnOnce() -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.body_threads.run(proved.requester(), Turn::Shared, work).await
    }

    /// Runs the reading of a statement in the thread pool of large bodies. `work` has to ask whether its deadline lasts: it ends
    /// when the client hangs up.
    pub(crate) async fn read_statement<T: Send + 'static>(
        &self,
        proved: &Proved,
        work: impl FnOnce(&Deadline) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (deadline, _waiting) = Deadline::after(STATEMENT_MAX);
        self.body_threads.run(proved.requester(), Turn::Shared, move || work(&deadline)).await
    }

    /// Runs the hashing or comparison of a password, with access to the store, in its thread pool.
    pub(crate) async fn with_password<T: Send + 'static>(
        &self,
        requester: Requester,
        work: impl FnOnce(&dyn Store) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let store = Arc::clone(&self.store);
        self.password_threads.run(requester, Turn::Shared, move || work(store.as_ref())).await
    }
}
