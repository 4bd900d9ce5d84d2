//! How statements are run. Those of constant text are prepared once by a connection, and cached.
//!
//! PostgreSQL plans such a statement again for each execution while it estimates that the values of the parameters make the plan
//! cheaper. Planning takes longer than most statements run. An array or a date as `$2` has this effect: PostgreSQL knows the
//! length of a known array, and assumes ten rows for an unknown one. Written as `(select $2::date)` the value is unknown in every
//! plan, so the statement is planned once.
//!
//! A connection keeps such a plan until PostgreSQL analyzes the tables, a minute or more after they have grown. A plan that was made
//! while a profile had few rows reads all rows of the profile for each value. So a statement about many values is planned for each
//! execution ([`Cache::about`]).

use diesel::deserialize;
use diesel::pg::Pg;
use diesel::query_builder::{AstPass, BoxedSqlQuery, Query, QueryFragment, QueryId, SqlQuery};
use diesel::query_dsl::methods::{ExecuteDsl, LoadQuery};
use diesel::row::NamedRow;
use diesel::serialize::ToSql;
use diesel::sql_types::{
    Array, BigInt, Binary, Bool, Date as SqlDate, HasSqlType, Integer, Nullable, Numeric, SmallInt, Text, Timestamptz,
    Untyped,
};
use diesel::{OptionalExtension, PgConnection, QueryResult, QueryableByName, RunQueryDsl, sql_query};
use finance_domain::Result;
use time::{Date, OffsetDateTime};

use crate::constraints::error;
use crate::numeric::Hundredths;
use crate::row::row;

/// A statement while its values are bound.
pub(crate) type Binding<'v, Q> = BoxedSqlQuery<'v, Pg, Q>;

/// A statement to bind values to.
pub(crate) fn with_args<'v>(text: impl Into<String>) -> Binding<'v, SqlQuery> {
    sql_query(text).into_boxed()
}

/// A value that is bound by its own type in SQL.
pub(crate) trait Parameter {
    type Sql: 'static;
}

macro_rules! parameters {
    ($($type:ty => $sql:ty),+ $(,)?) => {$(
        impl Parameter for $type {
            type Sql = $sql;
        }
    )+};
}

parameters! {
    bool => Bool,
    i16 => SmallInt,
    i32 => Integer,
    i64 => BigInt,
    Hundredths => Numeric,
    str => Text,
    String => Text,
    [u8] => Binary,
    Vec<u8> => Binary,
    Date => SqlDate,
    OffsetDateTime => Timestamptz,
}

impl<T: Parameter + ?Sized> Parameter for &T {
    type Sql = T::Sql;
}

impl<T: Parameter> Parameter for Option<T> {
    type Sql = Nullable<T::Sql>;
}

impl<T: Parameter> Parameter for [T] {
    type Sql = Array<T::Sql>;
}

impl<T: Parameter> Parameter for Vec<T> {
    type Sql = Array<T::Sql>;
}

/// Binds values without their types in SQL.
pub(crate) trait Arguments<'v> {
    /// Binds the next parameter.
    fn arg<S: Send + 'v, T: Parameter<Sql = S> + ToSql<S, Pg> + Send + 'v>(self, value: T) -> Self
    where
        Pg: HasSqlType<S>;
}

impl<'v, Q> Arguments<'v> for Binding<'v, Q> {
    fn arg<S: Send + 'v, T: Parameter<Sql = S> + ToSql<S, Pg> + Send + 'v>(self, value: T) -> Self
    where
        Pg: HasSqlType<S>,
    {
        self.bind::<S, T>(value)
    }
}

row! {
    /// A row of which only the id is read.
    pub(crate) struct IdRow {
        pub(crate) id: i64 [BigInt],
    }
}

row! {
    /// A row that is a count.
    pub(crate) struct CountRow {
        pub(crate) count: i64 [BigInt],
    }
}

/// The number of rows that a statement is written for. For one row the text has no aggregates and no groups, which take longer to
/// set up than to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rows {
    One,
    Many,
}

impl Rows {
    /// The variant for that many rows.
    pub(crate) fn of(count: usize) -> Self {
        if count == 1 { Rows::One } else { Rows::Many }
    }

    /// The aggregate of a value, or the value itself for one row. For `sum`, `min` and `bool_or`, which return a single value
    /// unchanged.
    pub(crate) fn all(self, aggregate: &str, value: &str) -> String {
        match self {
            Rows::One => format!("({value})"),
            Rows::Many => format!("{aggregate}({value})"),
        }
    }

    /// The `group by` of these columns, for many rows.
    pub(crate) fn by(self, columns: &str) -> String {
        self.only_many(&format!("group by {columns}"))
    }

    /// The text for many rows; empty for one.
    pub(crate) fn only_many(self, text: &str) -> String {
        match self {
            Rows::One => String::new(),
            Rows::Many => text.to_string(),
        }
    }
}

/// An `insert … select` inside a `with`. Nodes of Citus would pass the rows of a standalone one between them, and row-level
/// security policies refuse that. Returns the number of rows.
pub(crate) fn inserting(insert: &str) -> String {
    format!("with stored as ({insert} returning 1) select count(*) from stored")
}

/// A value of each row, to be bound as an array.
pub(crate) fn column<'a, R, T>(rows: &'a [R], value: impl Fn(&'a R) -> T) -> Vec<T> {
    rows.iter().map(value).collect()
}

/// `unnest` of arrays of these types, bound from the parameter with that number on. No plan knows the lengths of the arrays.
pub(crate) fn unnest(first: usize, types: &[&str]) -> String {
    let arrays: Vec<String> =
        types.iter().enumerate().map(|(at, of)| format!("(select ${}::{of}[])", first + at)).collect();
    format!("unnest({})", arrays.join(", "))
}

/// An SQL statement whose text is constant: only its parameters vary.
///
/// diesel never caches a [`sql_query`](diesel::sql_query), and has PostgreSQL parse it each time, in a round trip of its
/// own.
pub(crate) struct Cached<Q> {
    statement: Q,
    is_prepared: bool,
}

/// Whether a statement has so many values that a wrong plan would cost more time than planning it.
pub(crate) fn are_many(values: usize) -> bool {
    values >= 100
}

/// A statement that can be cached: a [`sql_query`](diesel::sql_query) with its bound values. Each of these methods prepares it once for
/// each connection, so they are only for statements with few different texts.
pub(crate) trait Cache: Sized {
    /// The same statement, prepared once.
    fn cached(self) -> Cached<Self> {
        Cached { statement: self, is_prepared: true }
    }

    /// The same statement, whose arrays have that many values. If they are many, it is planned for each execution.
    fn about(self, values: usize) -> Cached<Self> {
        Cached { statement: self, is_prepared: !are_many(values) }
    }

    /// Its rows.
    fn rows<'query, T>(self, connection: &mut PgConnection) -> Result<Vec<T>>
    where
        Cached<Self>: LoadQuery<'query, PgConnection, T>,
    {
        self.cached().fetch(connection)
    }

    /// What `value` makes of each of its rows.
    fn rows_as<'query, T, V, C: FromIterator<V>>(
        self,
        connection: &mut PgConnection,
        value: impl FnMut(T) -> V,
    ) -> Result<C>
    where
        Cached<Self>: LoadQuery<'query, PgConnection, T>,
    {
        self.cached().fetch_as(connection, value)
    }

    /// Its first row, which must be there.
    fn row<'query, T>(self, connection: &mut PgConnection) -> Result<T>
    where
        Cached<Self>: LoadQuery<'query, PgConnection, T>,
    {
        self.cached().fetch_one(connection)
    }

    /// Its first row, if there is one.
    fn row_if_any<'query, T>(self, connection: &mut PgConnection) -> Result<Option<T>>
    where
        Cached<Self>: LoadQuery<'query, PgConnection, T>,
    {
        self.cached().fetch_if_any(connection)
    }

    /// Runs it, whatever it returns.
    fn run(self, connection: &mut PgConnection) -> Result<()>
    where
        Self: QueryFragment<Pg>,
    {
        self.cached().exec(connection)
    }
}

/// A row of which nothing is read.
struct UnreadRow;

impl QueryableByName<Pg> for UnreadRow {
    fn build<'row>(_: &impl NamedRow<'row, Pg>) -> deserialize::Result<Self> {
        Ok(UnreadRow)
    }
}

impl<Q: QueryFragment<Pg>> Cached<Q> {
    /// Runs it, whatever it returns. [`RunQueryDsl::execute`] would pass a reference to the statement, of which diesel does not ask
    /// whether it may be cached.
    pub(crate) fn execute(self, connection: &mut PgConnection) -> QueryResult<()> {
        self.execute_returning(connection).map(|_| ())
    }

    /// As [`Cached::execute`], with the errors of the store.
    pub(crate) fn exec(self, connection: &mut PgConnection) -> Result<()> {
        self.execute(connection).map_err(error)
    }

    /// Runs it, and returns how many rows it returned.
    pub(crate) fn execute_returning(self, connection: &mut PgConnection) -> QueryResult<usize> {
        let returned: Vec<UnreadRow> = self.load(connection)?;
        Ok(returned.len())
    }
}

impl<Q: Query<SqlType = Untyped>> Cache for Q {}

/// Any other statement: one that diesel builds, and caches by itself, or one that PostgreSQL plans for each execution.
pub(crate) trait Fetch: RunQueryDsl<PgConnection> {
    /// Its rows.
    fn fetch<'query, T>(self, connection: &mut PgConnection) -> Result<Vec<T>>
    where
        Self: LoadQuery<'query, PgConnection, T>,
    {
        self.load(connection).map_err(error)
    }

    /// What `value` makes of each of its rows.
    fn fetch_as<'query, T, V, C: FromIterator<V>>(
        self,
        connection: &mut PgConnection,
        value: impl FnMut(T) -> V,
    ) -> Result<C>
    where
        Self: LoadQuery<'query, PgConnection, T>,
    {
        let rows: Vec<T> = self.fetch(connection)?;
        Ok(rows.into_iter().map(value).collect())
    }

    /// Its first row, which must be there.
    fn fetch_one<'query, T>(self, connection: &mut PgConnection) -> Result<T>
    where
        Self: LoadQuery<'query, PgConnection, T>,
    {
        self.get_result(connection).map_err(error)
    }

    /// Its first row, if there is one.
    fn fetch_if_any<'query, T>(self, connection: &mut PgConnection) -> Result<Option<T>>
    where
        Self: LoadQuery<'query, PgConnection, T>,
    {
        self.get_result(connection).optional().map_err(error)
    }

    /// Runs it, whatever it returns.
    fn exec(self, connection: &mut PgConnection) -> Result<()>
    where
        Self: ExecuteDsl<PgConnection>,
    {
        self.exec_count(connection).map(|_| ())
    }

    /// Runs it, and returns how many rows it concerned.
    fn exec_count(self, connection: &mut PgConnection) -> Result<usize>
    where
        Self: ExecuteDsl<PgConnection>,
    {
        self.execute(connection).map_err(error)
    }
}

impl<Q: RunQueryDsl<PgConnection>> Fetch for Q {}

impl<Q: QueryFragment<Pg>> QueryFragment<Pg> for Cached<Q> {
    fn walk_ast<'b>(&'b self, pass: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        self.statement.walk_ast(pass)
    }

    fn is_safe_to_cache_prepared(&self, _: &Pg) -> QueryResult<bool> {
        Ok(self.is_prepared)
    }
}

impl<Q> QueryId for Cached<Q> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<Q> Query for Cached<Q> {
    type SqlType = Untyped;
}

impl<Q, Connection> RunQueryDsl<Connection> for Cached<Q> {}
