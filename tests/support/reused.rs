//! Databases that tests use one after another, each with the connections of its store. A new connection reads the catalogs of
//! PostgreSQL and plans every statement first, which takes most of the time of a short test.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use diesel::connection::SimpleConnection;
use diesel::{Connection, PgConnection};
use finance_adapters_postgres::PgStore;

use crate::app::{open_usual, rows};
use crate::database;

/// An empty database for a test.
pub(crate) struct Reused {
    pub(crate) url: String,
    /// A store with the usual limits.
    pub(crate) store: Arc<PgStore>,
    /// The connection of the tests' own statements.
    pub(crate) connection: PgConnection,
    /// The connection that empties it.
    pub(crate) emptying: PgConnection,
}

/// The databases that no test uses now.
static FREE: Mutex<Vec<Reused>> = Mutex::new(Vec::new());

impl Reused {
    /// A database that an earlier test gave back, or else a new one.
    pub(crate) fn take() -> Self {
        let free = FREE.lock().unwrap_or_else(PoisonError::into_inner).pop();
        free.unwrap_or_else(|| {
            let url = database::fresh();
            let store = Arc::new(open_usual(&url));
            let connection = PgConnection::establish(&url).expect("a connection");
            let mut emptying = PgConnection::establish(&url).expect("a connection");
            // No trigger and no foreign key acts. A connection on which this is changed later forgets its plans.
            emptying.batch_execute("set session_replication_role = replica").expect("triggers are switched off");
            Reused { url, store, connection, emptying }
        })
    }

    /// Empties the database and gives it to a later test. The sequences begin again, so a test sees the same ids whichever
    /// database it has.
    ///
    /// # Panics
    ///
    /// If PostgreSQL refuses to empty it.
    pub(crate) fn give_back(mut self) {
        let statements = statements(&mut self.emptying);
        self.emptying.batch_execute(statements).expect("the database is emptied");
        FREE.lock().unwrap_or_else(PoisonError::into_inner).push(self);
    }
}

/// The statements that empty a database. They delete rows and do not truncate, because the plans that connections keep of a
/// truncated table are made again.
fn statements(connection: &mut PgConnection) -> &'static str {
    static EMPTYING: OnceLock<String> = OnceLock::new();
    EMPTYING.get_or_init(|| {
        let tables = rows(
            connection,
            "select quote_ident(relname) as name from pg_class
            where relkind = 'r' and relnamespace = 'public'::regnamespace and relname <> '__diesel_schema_migrations'",
        );
        let names = tables.iter().map(|table| table["name"].as_str().expect("a name"));
        let deletions: String = names.map(|name| format!("delete from {name};\n")).collect();
        format!(
            "begin;
            {deletions}
            do $$ begin
                perform setval(seqrelid::regclass, seqstart, false) from pg_sequence;
            end $$;
            commit;"
        )
    })
}
