//! Citus: if its extension is in the database, tables are distributed over its nodes by profile (docs/scaling.md). No statement
//! differs for Citus: only this file and `distributed.sql` refer to it.

use diesel::connection::SimpleConnection;
use diesel::sql_types::Bool;
use diesel::{Connection, PgConnection, QueryResult, QueryableByName, RunQueryDsl, sql_query};

const BY_PROFILE: &str = include_str!("distributed.sql");

/// Prepares a session that migrates. Returns whether the database uses Citus.
pub(crate) fn begin(connection: &mut PgConnection) -> QueryResult<bool> {
    #[derive(QueryableByName)]
    struct Known {
        #[diesel(sql_type = Bool)]
        known: bool,
    }
    let citus: Known =
        sql_query("select exists (select from pg_catalog.pg_extension where extname = 'citus') as known")
            .get_result(connection)?;
    if citus.known {
        // A transaction may change a table and then the tables that refer to it. Citus would send a notice for every table.
        connection
            .batch_execute("SET citus.multi_shard_modify_mode = 'sequential'; SET client_min_messages = warning")?;
    }
    Ok(citus.known)
}

/// Distributes the tables that are not distributed yet.
pub(crate) fn distribute(connection: &mut PgConnection) -> QueryResult<()> {
    connection.transaction(|connection| connection.batch_execute(BY_PROFILE))
}

/// The statements that the service's role needs on the other nodes. The coordinator connects to them as the role that queries it,
/// so the role may log in. It has no password, so the nodes must accept it as they accept the coordinator. Citus propagates
/// grants on tables, but not on their sequences.
pub(crate) fn role_on_nodes(role: &str) -> String {
    format!(
        "do $$ declare
            refused text;
        begin
            if not (select rolcanlogin from pg_catalog.pg_roles where rolname = '{role}') then
                alter role {role} login;
            end if;
            select result into refused
            from run_command_on_workers('grant usage on all sequences in schema public to {role}')
            where not success limit 1;
            if found then
                raise exception '%', refused;
            end if;
        end $$;"
    )
}
