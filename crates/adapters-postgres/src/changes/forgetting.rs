//! Forgets old changes, and files of the inbox that have expired.

use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Date as SqlDate, Timestamptz};
use diesel::{QueryableByName, sql_query};
use finance_domain::changes::{ENTRIES_MAX, FORGOTTEN_MAX, Forgetting};
use finance_domain::{Access, Result, TimeLimit};
use time::{Date, OffsetDateTime};

use super::entries::IdRow;
use crate::constraints::error;
use crate::store::PgStore;

/// The advisory lock of the node that forgets. It ends with its transaction.
const FORGETTING_LOCK: i64 = 0x0066_6f72_6765_7473;

#[derive(QueryableByName)]
struct TurnRow {
    #[diesel(sql_type = Bool)]
    is_taken: bool,
}

impl Forgetting for PgStore {
    fn changes_forget(&self, before: OffsetDateTime, today: Date) -> Result<bool> {
        let profiles: Vec<IdRow> = self.in_transaction(Access::Read, TimeLimit::Ordinary, |connection| {
            sql_query("select id from list_profiles() as known (id)").load(connection).map_err(error)
        })?;
        let mut left = FORGOTTEN_MAX;
        for profile in profiles {
            let gone: Option<i64> = self.in_transaction(Access::Write, TimeLimit::Ordinary, |connection| {
                let turn: TurnRow =
                    sql_query("select pg_try_advisory_xact_lock($1) as is_taken").bind::<BigInt, _>(FORGETTING_LOCK)
                        .get_result(connection).map_err(error)?;
                if !turn.is_taken {
                    return Ok(None);
                }
                crate::repo::bind(connection, profile.id)?;
                sql_query("delete from inbox where profile_id = $1 and expires_on < $2")
                    .bind::<BigInt, _>(profile.id)
                    .bind::<SqlDate, _>(today)
                    .execute(connection)
                    .map_err(error)?;
                let gone: Vec<IdRow> = sql_query(
                    "with old as (
                        select id, at, entries, sum(entries + 1) over (order by id) as forgotten,
                            sum(entries + 1) over (order by id desc) as kept
                        from changes where profile_id = $1
                    ), gone as (
                        delete from changes where profile_id = $1 and id in (
                            select id from old where (at < $2 or kept > $3) and (forgotten <= $4 or forgotten = entries + 1))
                        returning entries
                    )
                    select (select coalesce(sum(entries + 1), 0) from gone)::bigint as id",
                )
                .bind::<BigInt, _>(profile.id)
                .bind::<Timestamptz, _>(before)
                .bind::<BigInt, _>(ENTRIES_MAX)
                .bind::<BigInt, _>(left)
                .load(connection)
                .map_err(error)?;
                Ok(Some(gone.first().map_or(0, |row| row.id)))
            })?;
            let Some(gone) = gone else { return Ok(false) };
            left -= gone;
            if left <= 0 {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
