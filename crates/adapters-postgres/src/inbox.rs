//! Files that wait to be imported.

use const_format::formatcp;
use diesel::QueryableByName;
use diesel::sql_types::{BigInt, Binary, Bool, Date as SqlDate, Integer, Nullable, Text, Timestamptz};
use finance_domain::inbox::{InboxItem, InboxOutcome, InboxRepo, InboxState, NewInboxItem};
use finance_domain::pending_bills::PendingBillStatus;
use finance_domain::{AccountId, ImportId, InboxItemId, PendingBillId, Result};
use time::{Date, OffsetDateTime};

use crate::repo::PgRepo;
use crate::row::row;
use crate::sql::{Arguments, Fetch, IdRow};

row! { struct ItemRow {
    id: i64 [BigInt],
    file_name: Option<String> [Nullable<Text>],
    size: i32 [Integer],
    sha256: String [Text],
    received_at: OffsetDateTime [Timestamptz],
    expires_on: Date [SqlDate],
    is_dismissed: bool [Bool],
    is_imported: bool [Bool],
    account_id: Option<i64> [Nullable<BigInt>],
} }

row! { struct FileRow {
    file_name: Option<String> [Nullable<Text>],
    bytes: Vec<u8> [Binary],
} }

impl From<ItemRow> for InboxItem {
    fn from(row: ItemRow) -> Self {
        let state = match (row.is_imported, row.is_dismissed) {
            (true, _) => InboxState::Imported,
            (false, true) => InboxState::Dismissed,
            (false, false) => InboxState::New,
        };
        InboxItem {
            id: InboxItemId(row.id),
            file_name: row.file_name,
            size: u64::try_from(row.size).unwrap_or(0),
            sha256: row.sha256,
            received_at: row.received_at,
            expires_on: row.expires_on,
            state,
            account_id: row.account_id.map(AccountId),
        }
    }
}

/// Condition: what the inbox `item` became is there, `$3` being the state of held statements. One that was confirmed without a new row has
/// no import.
const IS_THERE: &str =
    "(exists (select from imports import where import.profile_id = $1 and import.id = item.import_id)
    or exists (select from pending_bills held where held.profile_id = $1 and held.id = item.pending_bill_id
        and (held.status = $3 or item.import_id is null)))";

/// The items that have not expired on `$2`.
const ITEMS: &str = formatcp!(
    "select item.id, item.file_name, item.size, encode(item.sha256, 'hex') as sha256, item.received_at, item.expires_on,
        item.is_dismissed, item.is_settled or {IS_THERE} as is_imported, known.account_id
    from inbox item
    left join account_keys known on known.profile_id = $1 and known.reference = item.reference
    where item.profile_id = $1 and item.expires_on >= $2"
);

impl InboxRepo for PgRepo<'_> {
    fn inbox_list(&mut self, today: Date) -> Result<Vec<InboxItem>> {
        let query = self.sql(format!("{ITEMS} order by item.id"));
        query.arg(today).arg(PendingBillStatus::Pending.as_str()).fetch_as(self.connection, |row: ItemRow| row.into())
    }

    fn inbox_get(&mut self, id: InboxItemId, today: Date) -> Result<Option<InboxItem>> {
        let query = self.sql(format!("{ITEMS} and item.id = $4"));
        let row: Option<ItemRow> =
            query.arg(today).arg(PendingBillStatus::Pending.as_str()).arg(id.0).fetch_if_any(self.connection)?;
        Ok(row.map(InboxItem::from))
    }

    fn inbox_file(&mut self, id: InboxItemId, today: Date) -> Result<Option<(Option<String>, Vec<u8>)>> {
        let query =
            self.sql("select file_name, bytes from inbox where profile_id = $1 and id = $2 and expires_on >= $3");
        let row: Option<FileRow> = query.arg(id.0).arg(today).fetch_if_any(self.connection)?;
        Ok(row.map(|row| (row.file_name, row.bytes)))
    }

    fn inbox_find(&mut self, bytes: &[u8], today: Date) -> Result<Option<InboxItem>> {
        let query = self.sql(format!("{ITEMS} and item.sha256 = sha256($4)"));
        let row: Option<ItemRow> =
            query.arg(today).arg(PendingBillStatus::Pending.as_str()).arg(bytes).fetch_if_any(self.connection)?;
        Ok(row.map(InboxItem::from))
    }

    fn inbox_insert(&mut self, new: &NewInboxItem) -> Result<InboxItemId> {
        let query = self.sql(
            "insert into inbox (profile_id, file_name, bytes, received_at, expires_on, reference)
            values ($1, $2, $3, $4, $5, $6) returning id",
        );
        let row: IdRow = query
            .arg(new.file_name.as_deref())
            .arg(&new.bytes)
            .arg(new.received_at)
            .arg(new.expires_on)
            .arg(new.reference.as_deref())
            .fetch_one(self.connection)?;
        Ok(InboxItemId(row.id))
    }

    fn inbox_dismiss(&mut self, id: InboxItemId, is_dismissed: bool) -> Result<()> {
        let query = self.sql("update inbox set is_dismissed = $3 where profile_id = $1 and id = $2");
        query.arg(id.0).arg(is_dismissed).exec(self.connection)
    }

    fn inbox_note(&mut self, id: InboxItemId, outcome: InboxOutcome) -> Result<()> {
        let (import_id, held) = match outcome {
            InboxOutcome::Imported(id) => (Some(id.0), None),
            InboxOutcome::Held(id) => (None, Some(id.0)),
            InboxOutcome::Nothing => (None, None),
        };
        // Where nothing was left to insert, what the file became before goes on to say it, if that is there.
        self.sql(formatcp!(
            "update inbox item set is_dismissed = false,
                is_settled = $4 and not {IS_THERE},
                import_id = case when $4 then item.import_id else $5 end,
                pending_bill_id = case when $4 then item.pending_bill_id else $6 end
            where item.profile_id = $1 and item.id = $2"
        ))
        .arg(id.0)
        .arg(PendingBillStatus::Pending.as_str())
        .arg(outcome == InboxOutcome::Nothing)
        .arg(import_id)
        .arg(held)
        .exec(self.connection)
    }

    fn inbox_follow(&mut self, held: PendingBillId, import_id: ImportId) -> Result<()> {
        let query = self.sql("update inbox set import_id = $3 where profile_id = $1 and pending_bill_id = $2");
        query.arg(held.0).arg(import_id.0).exec(self.connection)
    }

    fn inbox_delete(&mut self, ids: &[InboxItemId]) -> Result<()> {
        if ids.is_empty() {
            return Ok(());
        }
        let query = self.sql("delete from inbox where profile_id = $1 and id = any($2)");
        query.arg(ids.iter().map(|id| id.0).collect::<Vec<_>>()).exec(self.connection)
    }

    fn inbox_expire(&mut self, today: Date) -> Result<()> {
        self.sql("delete from inbox where profile_id = $1 and expires_on < $2").arg(today).exec(self.connection)
    }
}
