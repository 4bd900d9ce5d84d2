//! The repository of one profile inside one transaction. Each noun's queries are in its own file.

use std::collections::{HashMap, HashSet};

use diesel::connection::SimpleConnection;
use diesel::query_builder::SqlQuery;
use diesel::result::Error as DieselError;
use diesel::sql_types::{BigInt, Date as SqlDate, Nullable, Text};
use diesel::{PgConnection, QueryResult, QueryableByName, RunQueryDsl};
use finance_domain::store::{LastWrite, LastWriteRepo, Rehearsal, Work};
use finance_domain::webhooks::Event;
use finance_domain::{AccountId, Error, ProfileId, Result};
use time::Date;
use uuid::Uuid;

use crate::constraints::error;
use crate::recorder::Recorder;
use crate::row::row;
use crate::sql::{Arguments, Binding, Cache, IdRow, with_args};

/// The repository that [`PgStore`](crate::PgStore) gives to a use case. Every query filters by the profile, and so does
/// row-level security.
pub(crate) struct PgRepo<'a> {
    pub(crate) connection: &'a mut PgConnection,
    pub(crate) profile_id: ProfileId,
    /// Events for the webhooks, stored when the transaction commits.
    pub(crate) events: Vec<Event>,
    /// Accounts that are known not to be cards. The kind of an account never changes.
    pub(crate) no_cards: HashSet<AccountId>,
    /// The day of the last anchor of an account, where it is known. A row of a later day moves no anchor and no opening balance.
    pub(crate) anchored_until: HashMap<AccountId, Option<Date>>,
    /// Whether something was written that opening balances may depend on since they were brought up to date.
    pub(crate) anchors_moved: bool,
    /// Whether the profile is known to have no webhook. Writers of a profile run one after another, so only this transaction can
    /// change that.
    pub(crate) has_no_webhook: bool,
    /// The number of transactions that this transaction has stored, less those that it deleted.
    pub(crate) transactions_added: i64,
    /// The most transactions of the profile.
    pub(crate) transactions_max: i64,
    /// What this transaction changes.
    pub(crate) recorder: Recorder,
    /// The profile's last write, once it is known.
    pub(crate) last_write: Option<LastWriteRow>,
}

impl<'a> PgRepo<'a> {
    /// The repository of the profile that the connection's transaction is bound to.
    pub(crate) fn new(connection: &'a mut PgConnection, profile_id: ProfileId, transactions_max: i64) -> Self {
        PgRepo {
            connection,
            profile_id,
            events: Vec::new(),
            no_cards: HashSet::new(),
            anchored_until: HashMap::new(),
            anchors_moved: false,
            has_no_webhook: false,
            transactions_added: 0,
            transactions_max,
            recorder: Recorder::default(),
            last_write: None,
        }
    }

    /// A statement whose parameter `$1` is the profile.
    pub(crate) fn sql<'v>(&self, text: impl Into<String>) -> Binding<'v, SqlQuery> {
        with_args(text).arg(self.profile_id.0)
    }

    /// Whether a row of that account and day is known to be later than the account's anchors.
    pub(crate) fn is_off_anchors(&self, account_id: Option<AccountId>, date: Date) -> bool {
        account_id
            .is_none_or(|id| self.anchored_until.get(&id).is_some_and(|until| until.is_none_or(|until| until < date)))
    }

    /// Whether a row of that account is known not to be on a card.
    pub(crate) fn is_off_cards(&self, account_id: Option<AccountId>) -> bool {
        account_id.is_none_or(|id| self.no_cards.contains(&id))
    }
}

/// Changes a setting of the transaction, which its policies ask.
fn set_local(connection: &mut PgConnection, setting: &str, value: &str) -> QueryResult<()> {
    with_args("select set_local($1, $2)").arg(setting).arg(value).cached().execute(connection)
}

/// Lets the transaction see everything that the profile owns.
pub(crate) fn bind(connection: &mut PgConnection, id: i64) -> Result<()> {
    set_local(connection, "finance.profile_id", &id.to_string()).map_err(error)
}

/// As [`bind`], for a writer, as `bind_profile` and `bind_token` do it: locks the profile, and gives it another `write_id`. Whoever has
/// a device is due to be told.
pub(crate) fn bind_writer(connection: &mut PgConnection, id: i64) -> QueryResult<()> {
    set_local(connection, "finance.profile_id", &id.to_string())?;
    // In a separate statement, so that the following ones see what the last writer stored.
    let update = with_args(
        "update profiles
        set write_id = $2::uuid, notices_on = case when notices_on is not null then '-infinity'::date end
        where id = $1",
    );
    update.arg(id).arg(Uuid::new_v4().to_string()).cached().execute(connection)
}

/// Runs `work`, which may read the profiles and the members of all of them: no other table, and nothing to write. An error of `work`
/// must end the transaction.
pub(crate) fn across_profiles<T>(
    connection: &mut PgConnection,
    work: impl FnOnce(&mut PgConnection) -> QueryResult<T>,
) -> QueryResult<T> {
    set_local(connection, "finance.lists_profiles", "on")?;
    let listed = work(connection)?;
    set_local(connection, "finance.lists_profiles", "")?;
    Ok(listed)
}

/// The ids of all profiles.
pub(crate) fn all_profiles(connection: &mut PgConnection) -> QueryResult<Vec<IdRow>> {
    across_profiles(connection, |connection| with_args("select id from profiles order by id").load(connection))
}

/// A count as PostgreSQL returns it.
pub(crate) fn counted(count: i64) -> Result<usize> {
    usize::try_from(count).map_err(|error| Error::Internal(Box::new(error)))
}

row! {
    /// The last write of the bound profile, and the member of the transaction.
    pub(crate) struct LastWriteRow {
        pub(crate) write_id: String [Text],
        pub(crate) member_id: Option<i64> [Nullable<BigInt>],
        pub(crate) upkept_on: Option<Date> [Nullable<SqlDate>],
    }
}

impl PgRepo<'_> {
    /// Reads it once: it is the same in the whole transaction.
    fn last_write_row(&mut self) -> Result<&mut LastWriteRow> {
        let row = match self.last_write.take() {
            Some(row) => row,
            None => self.read_last_write()?.ok_or_else(|| error(DieselError::NotFound))?,
        };
        Ok(self.last_write.insert(row))
    }

    /// None if the profile does not exist.
    fn read_last_write(&mut self) -> Result<Option<LastWriteRow>> {
        self.sql("select write_id::text, current_member_id() as member_id, upkept_on from profiles where id = $1")
            .row_if_any(self.connection)
    }

    /// Whether that is the profile's last write.
    pub(crate) fn has_last_write(&mut self, write_id: &str) -> Result<bool> {
        self.last_write = self.read_last_write()?;
        Ok(self.last_write.as_ref().is_some_and(|row| row.write_id == write_id))
    }
}

impl LastWriteRepo for PgRepo<'_> {
    fn last_write(&mut self) -> Result<LastWrite> {
        let LastWriteRow { write_id, member_id, .. } = self.last_write_row()?;
        Ok(LastWrite { id: write_id.clone(), member_id: *member_id })
    }

    fn upkept_on(&mut self) -> Result<Option<Date>> {
        Ok(self.last_write_row()?.upkept_on)
    }

    fn upkeep_note(&mut self, on: Option<Date>) -> Result<()> {
        self.sql("update profiles set upkept_on = $2 where id = $1").arg(on).run(self.connection)?;
        self.last_write_row()?.upkept_on = on;
        Ok(())
    }
}

impl Rehearsal for PgRepo<'_> {
    fn rehearse(&mut self, work: Work<'_>) -> Result<()> {
        self.connection.batch_execute("savepoint rehearsal").map_err(error)?;
        let (noted, added) = (self.events.len(), self.transactions_added);
        // What is rolled back is no change.
        let recorder = std::mem::take(&mut self.recorder);
        // An error ends the whole transaction.
        work(self)?;
        self.events.truncate(noted);
        self.transactions_added = added;
        self.recorder = recorder;
        self.connection.batch_execute("rollback to savepoint rehearsal; release savepoint rehearsal").map_err(error)
    }
}
