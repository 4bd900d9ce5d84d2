//! Statements of fixed text, which a connection prepares once and keeps.

use diesel::pg::Pg;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::sql_types::Untyped;
use diesel::{QueryResult, RunQueryDsl};

/// Bound SQL of a text that is the same every time: what varies is bound to it.
///
/// diesel takes any SQL text for one that is never seen again, and has PostgreSQL parse and plan it each
/// time, in a round trip of its own.
pub(crate) struct Kept<Q>(Q);

/// What can be kept: a [`sql_query`](diesel::sql_query) with what is bound to it.
pub(crate) trait Keep: Sized {
    /// The same statement, prepared once a connection. Only for texts of which there are few.
    fn kept(self) -> Kept<Self> {
        Kept(self)
    }
}

impl<Q: Query<SqlType = Untyped>> Keep for Q {}

impl<Q: QueryFragment<Pg>> QueryFragment<Pg> for Kept<Q> {
    fn walk_ast<'b>(&'b self, pass: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        self.0.walk_ast(pass)
    }

    fn is_safe_to_cache_prepared(&self, _: &Pg) -> QueryResult<bool> {
        Ok(true)
    }
}

impl<Q> QueryId for Kept<Q> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<Q> Query for Kept<Q> {
    type SqlType = Untyped;
}

impl<Q, Connection> RunQueryDsl<Connection> for Kept<Q> {}
