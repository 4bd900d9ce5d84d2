//! The service under test.

use std::net::SocketAddr;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Duration;

use diesel::connection::SimpleConnection;
use diesel::pg::Pg;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId, SqlQuery};
use diesel::query_dsl::methods::LoadQuery;
use diesel::sql_types::{Text, Untyped};
use diesel::{Connection, PgConnection, QueryResult, QueryableByName, RunQueryDsl, sql_query};
use finance_adapters_delivery::{Channels, Deliverer, HttpSender};
use finance_adapters_postgres::restored::rebuild_sums;
use finance_adapters_postgres::{PgStore, StoreOptions, TimeLimits};
use finance_domain::credentials::Role;
use finance_domain::gamification::Catalog;
use finance_domain::members::NewMember;
use finance_domain::notices::{PushHosts, Texts};
use finance_domain::profiles::{NewAccess, NewProfile};
use finance_domain::suggestions::Lexicon;
use finance_domain::transactions::TRANSACTIONS_MAX;
use finance_domain::transfers::Phrases;
use finance_domain::use_cases::members;
use finance_domain::use_cases::turns::Senders;
use finance_domain::webhooks::WebhookSender;
use finance_domain::yields::{DayCount, TaxTables};
use finance_domain::{Access, Caller, Clock, Context, Store};
use finance_http::{LoginTokens, ServerOptions, Service, ServiceParts};
use serde_json::Value;
use time::UtcOffset;

use crate::citus::{self, Citus, url_of_service};
use crate::client::Client;
use crate::clock::FakeClock;
use crate::database;
use crate::eventually::eventually;
use crate::mailbox::Mailbox;
use crate::node::{self, Node};
use crate::push::channels;
use crate::queries;
use crate::rates::FakeRates;
use crate::reused::Reused;
use crate::sums::wrong_sums;

/// The secret that signs the tokens of tests.
pub const TOKEN_SECRET: &[u8] = b"a secret of the tests, at least 32 bytes";
/// The password of every user that [`TestApp::user`] creates.
pub const PASSWORD: &str = "correct horse";
/// The bcrypt hash of [`PASSWORD`] at its lowest cost, because tests create many users.
pub const PASSWORD_HASH: &str = "$2b$04$mJBCcCwGjTYzx9VEvNgYBuE/Uxqye6mfuZg5oeLsjlUFCdVIwI38W";

/// The number of database connections of a service under test.
const CONNECTIONS_MAX: u32 = 4;

/// A running service with its own clock and rates, and a database that no other test has meanwhile.
pub struct TestApp {
    addresses: Vec<SocketAddr>,
    /// Sets the day.
    pub clock: Arc<FakeClock>,
    /// Sets the rates.
    pub rates: Arc<FakeRates>,
    /// The channels of the service for notices.
    pub channels: Arc<Channels>,
    /// The store of the service. If the service is another process, a separate store on the same database.
    pub store: Arc<PgStore>,
    database_url: String,
    /// The connection of the test's own statements: a new one has to read the catalogs of PostgreSQL first, which takes as long as
    /// many statements.
    kept_connection: Mutex<Option<PgConnection>>,
    /// Whether it is an additional node on the database of another `TestApp`.
    is_guest: bool,
    /// The connection that empties the database for a later test. None if this test has changed more than rows.
    emptying: Mutex<Option<PgConnection>>,
    served: Option<Served>,
    _nodes: Vec<Arc<Node>>,
}

impl TestApp {
    /// Starts the service on an empty database. Today is 2026-03-15, a Sunday.
    pub fn start() -> Self {
        Self::start_with(DayCount::Calendar)
    }

    /// Like [`start`](Self::start), on a database that no test had before: for a test of what PostgreSQL counts or plans. No later
    /// test gets it, so connections can be ended.
    pub fn start_alone() -> Self {
        Self::start_on(database::fresh(), DayCount::Calendar)
    }

    /// The context of use cases that a test runs itself.
    pub fn context(&self) -> Context {
        Context {
            today: self.clock.today(),
            catalog: SHIPPED.catalog.clone(),
            phrases: SHIPPED.phrases.clone(),
            lexicon: SHIPPED.lexicon.clone(),
            schedules: SHIPPED.schedules.clone(),
            taxes: SHIPPED.taxes.clone(),
            day_count: DayCount::Calendar,
        }
    }

    /// How many statements the service sends to its database while it does the work. It has to be in the process of the test.
    pub fn statements_of(&self, work: impl FnOnce()) -> usize {
        assert!(self.served.is_some(), "the statements of another process are not counted");
        let before = queries::sent(&self.database_url);
        work();
        queries::sent(&self.database_url) - before
    }

    /// Starts the service with the given day count.
    pub fn start_with(day_count: DayCount) -> Self {
        if Citus::of_environment().is_some() || node::count() > 0 {
            return Self::start_on(database::fresh(), day_count);
        }
        let Reused { url, store, connection, emptying } = Reused::take();
        let mut app = Self::start_by(url, store, Parts::new(day_count), |options| options);
        app.kept_connection = Mutex::new(Some(connection));
        app.emptying = Mutex::new(Some(emptying));
        app
    }

    /// Starts the service with other server options, always in the process of the test.
    pub fn start_serving(adjust: impl FnOnce(ServerOptions) -> ServerOptions) -> Self {
        Self::start_in_process(Parts::new(DayCount::Calendar), adjust)
    }

    /// Starts the service with webhooks to public addresses only, which is the default of the program. Always in the process of
    /// the test.
    pub fn start_without_private_webhooks() -> Self {
        let parts = Parts { webhooks_private: false, ..Parts::new(DayCount::Calendar) };
        Self::start_in_process(parts, |options| options)
    }

    /// Delivers to the webhooks of all profiles, until the result is dropped.
    pub fn deliver(&self) -> Deliverer {
        self.deliver_by(HttpSender::new(true))
    }

    /// Like [`deliver`](Self::deliver), with a sender of the test.
    pub fn deliver_by(&self, sender: impl WebhookSender + 'static) -> Deliverer {
        self.deliver_with(self.senders(Arc::new(sender)))
    }

    /// Like [`deliver`](Self::deliver), with all senders of the test.
    pub fn deliver_with(&self, senders: Senders) -> Deliverer {
        let (clock, context) = (self.clock.clone(), self.context());
        let context = move || Context { today: clock.today(), ..context.clone() };
        Deliverer::start(self.store.clone(), senders, self.clock.clone(), context)
            .expect("there is room for its thread")
    }

    /// Senders with that sender of webhooks, and the channels of the service.
    pub fn senders(&self, webhooks: Arc<dyn WebhookSender>) -> Senders {
        Senders { webhooks, notices: self.channels.clone(), texts: SHIPPED.texts.clone(), offset: UtcOffset::UTC }
    }

    /// Starts the service with other channels for notices. Always in the process of the test.
    pub fn start_sending_by(channels: Channels) -> Self {
        let parts = Parts { channels: Arc::new(channels), ..Parts::new(DayCount::Calendar) };
        Self::start_in_process(parts, |options| options)
    }

    /// Starts the service with other time limits of its store, always in the process of the test.
    pub fn start_limited(time_limits: TimeLimits) -> Self {
        Self::start_with_limits(time_limits, TRANSACTIONS_MAX)
    }

    /// Starts the service with another limit of the transactions of a profile, always in the process of the test.
    pub fn start_with_transactions_max(transactions_max: usize) -> Self {
        Self::start_with_limits(TimeLimits::default(), transactions_max)
    }

    fn start_with_limits(time_limits: TimeLimits, transactions_max: usize) -> Self {
        let database_url = database::fresh();
        let store = Arc::new(open(&database_url, time_limits, transactions_max));
        Self::start_by(database_url, store, Parts::new(DayCount::Calendar), |options| options)
    }

    fn start_in_process(parts: Parts, adjust: impl FnOnce(ServerOptions) -> ServerOptions) -> Self {
        let database_url = database::fresh();
        let store = Arc::new(open_usual(&database_url));
        Self::start_by(database_url, store, parts, adjust)
    }

    /// Starts the service in this process.
    fn start_by(
        database_url: String,
        store: Arc<PgStore>,
        parts: Parts,
        adjust: impl FnOnce(ServerOptions) -> ServerOptions,
    ) -> Self {
        let (clock, rates, channels) = (parts.clock.clone(), parts.rates.clone(), parts.channels.clone());
        let served = serve(store.clone(), parts, adjust);
        TestApp {
            addresses: vec![served.address],
            clock,
            rates,
            channels,
            store,
            database_url,
            kept_connection: Mutex::default(),
            is_guest: false,
            emptying: Mutex::default(),
            served: Some(served),
            _nodes: Vec::new(),
        }
    }

    /// Starts another service on the same database, with its own clock and rates.
    pub fn another_node(&self) -> Self {
        self.keep_from_later_tests();
        let mut node = Self::start_on(self.database_url.clone(), DayCount::Calendar);
        node.is_guest = true;
        node.clock.set_today(self.clock.today());
        node
    }

    fn start_on(database_url: String, day_count: DayCount) -> Self {
        let store = Arc::new(open_usual(&database_url));
        let nodes: Vec<Arc<Node>> = (0..node::count()).map(|_| Node::start(&database_url, day_count)).collect();
        if nodes.is_empty() {
            return Self::start_by(database_url, store, Parts::new(day_count), |options| options);
        }
        TestApp {
            addresses: nodes.iter().map(|node| node.address).collect(),
            clock: Arc::new(FakeClock::followed_by(nodes.clone())),
            rates: Arc::new(FakeRates::followed_by(nodes.clone())),
            channels: usual_channels(),
            store,
            database_url,
            kept_connection: Mutex::default(),
            is_guest: false,
            emptying: Mutex::default(),
            served: None,
            _nodes: nodes,
        }
    }

    /// Creates a profile. Returns a client with its token.
    pub fn user(&self, name: &str) -> Client {
        let new = NewProfile {
            name: name.to_string(),
            access: NewAccess::Password(PASSWORD_HASH.to_string()),
            standard_categories: finance_cli::catalogs::standard_categories().expect("the shipped catalog is sound"),
        };
        self.store.profile_upsert(&new).expect("the profile is stored");
        let credential = self.store.credential_by_name(name).expect("the store answers").expect("the profile exists");
        let tokens = LoginTokens::new(TOKEN_SECRET).expect("the secret is long enough");
        let (token, _) = tokens.issue(&credential, None, self.clock.now()).expect("a token");
        let caller = Caller::of_login(credential.member.profile_id, credential.id);
        Client::new(&self.addresses, Some(token), Some(caller))
    }

    /// Adds a member to the profile of a client. Returns a client with the login of that member.
    pub fn member(&self, of: &Client, name: &str, role: Role) -> Client {
        let new = NewMember { name: name.to_string(), password_hash: Some(PASSWORD_HASH.to_string()), role };
        let store: &dyn Store = self.store.as_ref();
        let credential = store.run(&of.caller(), Access::Write, |repo| members::add(repo, &new)).expect("a member");
        let tokens = LoginTokens::new(TOKEN_SECRET).expect("the secret is long enough");
        let (token, _) = tokens.issue(&credential, None, self.clock.now()).expect("a token");
        let caller = Caller::of_login(credential.member.profile_id, credential.id);
        Client::new(&self.addresses, Some(token), Some(caller))
    }

    /// A client without a token.
    pub fn anyone(&self) -> Client {
        Client::new(&self.addresses, None, None)
    }

    /// The address of the service. If it has several processes, the address of the first one.
    pub fn address(&self) -> SocketAddr {
        self.addresses[0]
    }

    /// The URL of the test's database, which no later test gets.
    pub fn database_url(&self) -> &str {
        self.keep_from_later_tests();
        &self.database_url
    }

    /// A connection to the test's database as a superuser, which bypasses row-level security. No later test gets the database.
    pub fn connection(&self) -> PgConnection {
        self.keep_from_later_tests();
        PgConnection::establish(&self.database_url).expect("a connection")
    }

    /// Runs statements on the connection that this test keeps, or on a new one if its session was ended.
    fn with_kept_connection<T>(&self, statements: impl FnOnce(&mut PgConnection) -> T) -> T {
        let kept = taken(&self.kept_connection);
        let is_open = |connection: &mut PgConnection| connection.batch_execute("select").is_ok();
        let mut connection = kept
            .and_then(|mut kept| is_open(&mut kept).then_some(kept))
            .unwrap_or_else(|| PgConnection::establish(&self.database_url).expect("a connection"));
        let result = statements(&mut connection);
        *self.kept_connection.lock().unwrap_or_else(PoisonError::into_inner) = Some(connection);
        result
    }

    /// What is wrong with the stored sums: each is the sum of its rows.
    pub fn wrong_sums(&self) -> Vec<String> {
        self.with_kept_connection(wrong_sums)
    }

    /// Locks a client's profile. Its writers wait until the returned connection is dropped.
    pub fn lock_profile(&self, client: &Client) -> PgConnection {
        let mut holder = self.connection();
        let lock = format!("begin; select 1 from profiles where id = {} for update", client.caller().profile_id);
        holder.batch_execute(&lock).expect("the profile is locked");
        holder
    }

    /// Runs SQL as a superuser, which bypasses row-level security. No later test gets a database of which more was changed than
    /// rows.
    pub fn sql(&self, statement: &str) {
        if !changes_rows_only(statement) {
            self.keep_from_later_tests();
        }
        self.with_kept_connection(|connection| connection.batch_execute(statement)).expect("the statement runs");
    }

    /// The rows of a query as JSON objects, read as a superuser.
    pub fn rows(&self, query: &str) -> Vec<Value> {
        self.with_kept_connection(|connection| rows(connection, query))
    }

    /// The rows of a query about the state of a server, such as its sessions. On Citus, the rows of the coordinator and of all
    /// workers.
    pub fn rows_of_nodes(&self, query: &str) -> Vec<Value> {
        let workers = Citus::of_environment().map(|citus| citus.workers_of(self.database_name())).unwrap_or_default();
        std::iter::once(self.connection()).chain(workers).flat_map(|mut node| rows(&mut node, query)).collect()
    }

    /// The name of the test's database.
    pub fn database_name(&self) -> &str {
        let path = self.database_url.split('?').next().unwrap_or_default();
        path.rsplit('/').next().unwrap_or_default()
    }

    /// All rows of all tables as text, sorted, without the columns in `left_out`, read as a superuser.
    pub fn stored_rows(&self, left_out: &[&str]) -> Vec<String> {
        let tables =
            self.rows("select relname from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace");
        let left_out = format!("'{{{}}}'::text[]", left_out.join(","));
        let parts = tables.iter().map(|table| {
            let table = table["relname"].as_str().expect("a name");
            format!("select '{table}' as name, to_jsonb({table}) - {left_out} as content from {table}")
        });
        let all = parts.collect::<Vec<_>>().join(" union all ");
        let found = self.rows(&format!("select name || ' ' || content as stored from ({all}) as rows order by 1"));
        found.iter().map(|row| row["stored"].as_str().expect("text").to_owned()).collect()
    }

    /// Lets no later test have the database.
    fn keep_from_later_tests(&self) {
        taken(&self.emptying);
    }

    /// Stops the service and gives its database to later tests, after `emptying` has deleted its rows.
    fn give_back(&mut self, emptying: PgConnection) {
        self.served = None;
        // Threads of the service that still hold the store could write into the database of the next test.
        eventually("the service lets its store go", || (Arc::strong_count(&self.store) == 1).then_some(()));
        let connection = taken(&self.kept_connection).expect("the sums were read on it");
        Reused { url: self.database_url.clone(), store: self.store.clone(), connection, emptying }.give_back();
    }

    /// Recomputes all sums, after a test wrote transactions by SQL.
    pub fn rebuild_sums(&self) {
        rebuild_sums(&self.database_url).expect("the sums are made");
    }
}

/// Takes a connection that is kept, if there is one.
fn taken(kept: &Mutex<Option<PgConnection>>) -> Option<PgConnection> {
    kept.lock().unwrap_or_else(PoisonError::into_inner).take()
}

/// Whether SQL of a test changes neither the schema nor a setting nor a session.
fn changes_rows_only(sql: &str) -> bool {
    let is_of_rows = |statement: &str| {
        let word = statement.split_whitespace().next().unwrap_or_default();
        ["insert", "update", "delete", "with"].contains(&word.to_ascii_lowercase().as_str())
    };
    sql.split(';').filter(|statement| !statement.trim().is_empty()).all(is_of_rows)
}

impl Drop for TestApp {
    /// Checks at the end of every test that all stored sums are the sums of their rows.
    fn drop(&mut self) {
        if std::thread::panicking() {
            return;
        }
        assert_eq!(self.wrong_sums(), Vec::<String>::new());
        if let Some(emptying) = taken(&self.emptying) {
            self.give_back(emptying);
        } else if !self.is_guest {
            citus::remove(&self.database_url);
        }
    }
}

/// The rows of a query as JSON objects.
pub fn rows(connection: &mut PgConnection, query: &str) -> Vec<Value> {
    json_rows(connection, sql_query(json_of(query)))
}

/// The rows of a query of constant text, which each connection parses and plans once.
pub(crate) fn constant_rows(connection: &mut PgConnection, query: &'static str) -> Vec<Value> {
    json_rows(connection, Prepared(sql_query(json_of(query))))
}

fn json_of(query: &str) -> String {
    format!("with rows as materialized ({query}) select to_json(rows)::text as json from rows")
}

#[derive(QueryableByName)]
struct JsonRow {
    #[diesel(sql_type = Text)]
    json: String,
}

fn json_rows<'query>(
    connection: &mut PgConnection,
    query: impl LoadQuery<'query, PgConnection, JsonRow>,
) -> Vec<Value> {
    let rows: Vec<JsonRow> = query.load(connection).expect("the query runs");
    rows.iter().map(|row| serde_json::from_str(&row.json).expect("PostgreSQL writes JSON")).collect()
}

/// A statement that diesel keeps prepared, which it does not by itself for statements of text.
struct Prepared(SqlQuery);

impl QueryFragment<Pg> for Prepared {
    fn walk_ast<'b>(&'b self, pass: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        self.0.walk_ast(pass)
    }

    fn is_safe_to_cache_prepared(&self, _: &Pg) -> QueryResult<bool> {
        Ok(true)
    }
}

impl QueryId for Prepared {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl Query for Prepared {
    type SqlType = Untyped;
}

impl RunQueryDsl<PgConnection> for Prepared {}

/// The parts of a service that a test sets.
pub(crate) struct Parts {
    pub(crate) clock: Arc<FakeClock>,
    pub(crate) rates: Arc<FakeRates>,
    day_count: DayCount,
    webhooks_private: bool,
    channels: Arc<Channels>,
}

impl Parts {
    pub(crate) fn new(day_count: DayCount) -> Self {
        Parts {
            clock: Arc::new(FakeClock::new()),
            rates: Arc::new(FakeRates::default()),
            day_count,
            webhooks_private: true,
            channels: usual_channels(),
        }
    }
}

/// A service in this process, stopped when it is dropped.
pub(crate) struct Served {
    pub(crate) address: SocketAddr,
    stop: Option<tokio::sync::oneshot::Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

/// The store of a service with the usual limits.
pub(crate) fn open_usual(database_url: &str) -> PgStore {
    open(database_url, TimeLimits::default(), TRANSACTIONS_MAX)
}

fn open(database_url: &str, time_limits: TimeLimits, transactions_max: usize) -> PgStore {
    queries::count();
    let store_options = StoreOptions {
        connections_max: CONNECTIONS_MAX,
        time_limits,
        transactions_max,
        ..StoreOptions::new(url_of_service(database_url))
    };
    PgStore::open(&store_options).expect("the database opens")
}

/// What ships with the program, read once for all tests.
struct Shipped {
    catalog: Arc<Catalog>,
    phrases: Arc<Phrases>,
    lexicon: Arc<Lexicon>,
    texts: Arc<Texts>,
    schedules: Arc<finance_domain::recurring::Catalog>,
    taxes: Arc<TaxTables>,
}

static SHIPPED: LazyLock<Shipped> = LazyLock::new(|| Shipped {
    catalog: Arc::new(finance_cli::catalogs::gamification().expect("the shipped catalog is sound")),
    phrases: Arc::new(finance_cli::catalogs::transfer_phrases().expect("the shipped phrases are sound")),
    lexicon: Arc::new(finance_cli::catalogs::lexicon().expect("the shipped lexicon is sound")),
    texts: Arc::new(finance_cli::catalogs::notice_texts().expect("the shipped texts are sound")),
    schedules: Arc::new(finance_cli::catalogs::schedules().expect("the shipped schedules are sound")),
    taxes: Arc::new(finance_cli::catalogs::taxes().expect("the shipped taxes are sound")),
});

/// Channels for notices, with a mail server that no test looks into.
fn usual_channels() -> Arc<Channels> {
    static MAILBOX: LazyLock<Mailbox> = LazyLock::new(Mailbox::start);
    Arc::new(channels(Some(&MAILBOX)))
}

/// Serves on a free port.
pub(crate) fn serve(store: Arc<PgStore>, parts: Parts, adjust: impl FnOnce(ServerOptions) -> ServerOptions) -> Served {
    let service = Service::new(ServiceParts {
        store,
        clock: parts.clock,
        rates: parts.rates,
        day_count: parts.day_count,
        catalog: SHIPPED.catalog.clone(),
        drawings: Arc::new(finance_cli::catalogs::drawings().expect("the shipped drawings are sound")),
        phrases: SHIPPED.phrases.clone(),
        notice_texts: SHIPPED.texts.clone(),
        notice_sender: parts.channels,
        push_hosts: PushHosts::new(
            finance_cli::catalogs::push_hosts().expect("the shipped hosts are sound"),
            ["127.0.0.1"],
            parts.webhooks_private,
        ),
        utc_offset: UtcOffset::UTC,
        lexicon: SHIPPED.lexicon.clone(),
        banks: finance_cli::catalogs::banks().expect("the shipped banks are sound").into(),
        schedules: SHIPPED.schedules.clone(),
        taxes: SHIPPED.taxes.clone(),
        tokens: LoginTokens::new(TOKEN_SECRET).expect("the secret is long enough"),
        store_connections: CONNECTIONS_MAX as usize,
        upload_bytes_max: 10 * 1024 * 1024,
        webhooks_private: parts.webhooks_private,
        history_days: 30,
    })
    .expect("there is room for its threads");
    let bind = "127.0.0.1:0".parse().expect("an address");
    let options = ServerOptions { shutdown_timeout: Duration::from_secs(1), ..adjust(ServerOptions::new(bind)) };
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let (listening, listened) = std::sync::mpsc::channel();
    let thread = std::thread::spawn(move || {
        let announce = |address| listening.send(address).expect("the test waits");
        let stopped = async {
            let _ = stopped.await;
        };
        finance_http::serve(service, &options, announce, stopped).expect("the server runs");
    });
    let address = listened.recv().expect("the server listens");
    Served { address, stop: Some(stop), thread: Some(thread) }
}

impl Drop for Served {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
