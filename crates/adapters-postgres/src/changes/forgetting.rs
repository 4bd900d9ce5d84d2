//! Forgets old changes, and files of the inbox that have expired.

use diesel::QueryableByName;
use diesel::prelude::*;
use diesel::sql_types::Bool;
use finance_domain::changes::{ENTRIES_MAX, FORGOTTEN_MAX, Forgetting};
use finance_domain::{Access, Result, TimeLimit};
use time::{Date, OffsetDateTime};

use crate::constraints::error;
use crate::repo::{all_profiles, bind};
use crate::row::row;
use crate::sql::{Arguments, Cache, Fetch, IdRow, with_args};
use crate::store::PgStore;

/// The advisory lock of the node that forgets. It ends with its transaction.
const FORGETTING_LOCK: i64 = 0x0066_6f72_6765_7473;

row! { struct TurnRow { is_taken: bool [Bool] } }

/// How many profiles are looked at in one transaction. All of a large service would exceed its time limit.
const PROFILES_AT_ONCE: usize = 1_000;

/// Which changes of a profile are forgotten, the oldest first: those before $2, and those beyond the $3 latest entries.
const OLD: &str = "select id, entries, sum(entries + 1) over (order by id) as forgotten
    from (select id, at, entries, sum(entries + 1) over (order by id desc) as kept from changes where profile_id = $1) known
    where at < $2 or kept > $3";

impl Forgetting for PgStore {
    fn changes_forget(&self, before: OffsetDateTime, today: Date) -> Result<bool> {
        let profiles = self
            .in_transaction(Access::Read, TimeLimit::Ordinary, |connection| all_profiles(connection).map_err(error))?;
        let mut old = Vec::new();
        for some in profiles.chunks(PROFILES_AT_ONCE) {
            old.extend(self.in_transaction(Access::Read, TimeLimit::Ordinary, |connection| {
                with_old_changes(connection, some, before, today)
            })?);
        }
        let mut left = FORGOTTEN_MAX;
        for profile in old {
            let gone: Option<i64> = self.in_transaction(Access::Write, TimeLimit::Ordinary, |connection| {
                let query = with_args("select pg_try_advisory_xact_lock($1) as is_taken");
                let turn: TurnRow = query.arg(FORGETTING_LOCK).fetch_one(connection)?;
                if !turn.is_taken {
                    return Ok(None);
                }
                bind(connection, profile)?;
                let expired = with_args("delete from inbox where profile_id = $1 and expires_on < $2");
                expired.arg(profile).arg(today).exec(connection)?;
                let whole = forget(connection, profile, before, left, &format!(
                    "with old as ({OLD}), gone as (
                        delete from changes where profile_id = $1 and id in (select id from old where forgotten <= $4)
                        returning entries
                    )
                    select (select coalesce(sum(entries + 1), 0) from gone)::bigint as id"
                ))?;
                if whole >= left {
                    return Ok(Some(whole));
                }
                // The oldest one is too large for this transaction: it goes in parts, and is shown no more from the first on.
                let part = forget(connection, profile, before, left - whole, &format!(
                    "with old as ({OLD} order by id limit 1), gone as (
                        delete from change_entries where profile_id = $1 and change_id = (select id from old) and position <= (
                            select max(position) from (
                                select position from change_entries
                                where profile_id = $1 and change_id = (select id from old)
                                order by position limit $4
                            ) as part)
                        returning position
                    ), hidden as (
                        update changes set entries = entries - (select count(*) from gone)::integer, at = 'epoch'
                        where profile_id = $1 and id = (select id from old)
                        returning id
                    )
                    select count(*)::bigint as id from gone"
                ))?;
                Ok(Some(whole + part))
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

/// Those of the profiles that have something to forget. Binds the transaction to each in turn.
fn with_old_changes(
    connection: &mut PgConnection,
    profiles: &[IdRow],
    before: OffsetDateTime,
    today: Date,
) -> Result<Vec<i64>> {
    row! { struct OldRow { has_old: bool [Bool] } }
    let mut old = Vec::new();
    for IdRow { id } in profiles {
        bind(connection, *id)?;
        let query = with_args(
            "select exists (select 1 from changes where profile_id = $1 and at < $2)
                or exists (select 1 from inbox where profile_id = $1 and expires_on < $3)
                or (select coalesce(sum(entries + 1), 0) from changes where profile_id = $1) > $4 as has_old",
        );
        let row: OldRow = query.arg(*id).arg(before).arg(today).arg(ENTRIES_MAX).row(connection)?;
        if row.has_old {
            old.push(*id);
        }
    }
    Ok(old)
}

/// Runs a statement that forgets at most `left` entries of a profile, and tells how many it did.
fn forget(connection: &mut PgConnection, profile: i64, before: OffsetDateTime, left: i64, sql: &str) -> Result<i64> {
    let gone: IdRow = with_args(sql).arg(profile).arg(before).arg(ENTRIES_MAX).arg(left).fetch_one(connection)?;
    Ok(gone.id)
}
