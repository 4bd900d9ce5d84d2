//! The port of changes: lists them, and asks what is in the way of an undo.

use std::collections::{BTreeSet, HashSet};

use const_format::formatcp;
use diesel::QueryableByName;
use diesel::sql_types::{Array, BigInt, Integer, Nullable, Text, Timestamptz};
use finance_domain::changes::{Change, ChangeFilter, ChangeRepo, Count, Entry, KeptSince, Later, Noun, Undone};
use finance_domain::imports::{Candidate, Comparison, Stored};
use finance_domain::{AccountId, ChangeId, MemberId, PendingBillId, Result, TokenId, TransactionId};
use time::OffsetDateTime;

use super::CREATED;
use super::entries::{ALL_ENTRIES, tables_of};
use crate::repo::PgRepo;
use crate::row::row;
use crate::sql::{Arguments, Cache, Fetch};

row! { struct ChangeRow {
    id: i64 [BigInt],
    at: OffsetDateTime [Timestamptz],
    kind: String [Text],
    subject: Option<String> [Nullable<Text>],
    member_id: Option<i64> [Nullable<BigInt>],
    member_name: Option<String> [Nullable<Text>],
    token_id: Option<i64> [Nullable<BigInt>],
    undoes: Option<i64> [Nullable<BigInt>],
    undone_by: Option<i64> [Nullable<BigInt>],
    nouns: Vec<String> [Array<Text>],
    created: Vec<i32> [Array<Integer>],
    changed: Vec<i32> [Array<Integer>],
    removed: Vec<i32> [Array<Integer>],
} }

impl From<ChangeRow> for Change {
    fn from(row: ChangeRow) -> Self {
        let unsigned = |count: i32| u32::try_from(count).unwrap_or_default();
        let numbers = row.created.into_iter().zip(row.changed).zip(row.removed);
        let counts = row.nouns.iter().zip(numbers).filter_map(|(noun, ((created, changed), removed))| {
            let (created, changed, removed) = (unsigned(created), unsigned(changed), unsigned(removed));
            Some(Count { noun: noun.parse().ok()?, created, changed, removed })
        });
        Change {
            counts: counts.collect(),
            id: ChangeId(row.id),
            at: row.at,
            kind: row.kind,
            subject: row.subject,
            member_id: row.member_id.map(MemberId),
            member_name: row.member_name,
            token_id: row.token_id.map(TokenId),
            undoes: row.undoes.map(ChangeId),
            undone_by: row.undone_by.map(ChangeId),
        }
    }
}

/// The columns of a [`ChangeRow`].
const CHANGE: &str =
    "c.id, c.at, c.kind, c.subject, c.member_id, m.name as member_name, c.token_id, c.undoes, c.undone_by,
    c.nouns, c.created, c.changed, c.removed
    from changes c left join members m on m.profile_id = $1 and m.id = c.member_id";

row! { struct LaterRow {
    id: i64 [BigInt],
    undone_by: Option<i64> [Nullable<BigInt>],
} }

row! { struct MarkRow { mark: String [Text] } }

impl ChangeRepo for PgRepo<'_> {
    fn change_close(&mut self) -> Result<Option<ChangeId>> {
        self.close_change()
    }

    fn change_note_subject(&mut self, subject: &str) {
        if let Some(recording) = &mut self.recorder.recording {
            recording.subject.get_or_insert_with(|| subject.to_string());
        }
    }

    fn change_note_undo(&mut self, id: ChangeId) {
        self.recorder.note_undo(id);
    }

    fn change_list(&mut self, filter: &ChangeFilter, since: KeptSince) -> Result<Vec<Change>> {
        let of_transaction = formatcp!(
            "and ($7::bigint is null or exists (
                select from {ALL_ENTRIES} where e.profile_id = $1 and e.change_id = c.id and not e.is_derived
                    and (e.row_id = $7 and e.table_name = any($8)
                        or e.ids @> $7 and e.table_name = 'transactions')))"
        );
        self.sql(format!(
            "select {CHANGE}
            where c.profile_id = $1 and c.at >= $2 and c.day >= $10 and ($3::date is null or c.day >= $3)
                and ($4::date is null or c.day <= $4)
                and ($5::bigint is null or c.member_id = $5) and ($6::bigint is null or c.id < $6)
                {of_transaction}
            order by c.id desc limit $9"
        ))
        .arg(since.at)
        .arg(filter.from)
        .arg(filter.to)
        .arg(filter.member_id.map(|id| id.0))
        .arg(filter.before.map(|id| id.0))
        .arg(filter.transaction_id.map(|id| id.0))
        .arg(tables_of(Noun::Transactions.as_str()))
        .arg(i64::from(filter.limit))
        .arg(since.day)
        .fetch_as(self.connection, |row: ChangeRow| row.into())
    }

    fn change_get(&mut self, id: ChangeId, since: KeptSince) -> Result<Option<Change>> {
        let query =
            self.sql(format!("select {CHANGE} where c.profile_id = $1 and c.id = $2 and c.at >= $3 and c.day >= $4"));
        let row: Option<ChangeRow> = query.arg(id.0).arg(since.at).arg(since.day).row_if_any(self.connection)?;
        Ok(row.map(Change::from))
    }

    fn change_entries(&mut self, id: ChangeId, after: u32, limit: u32) -> Result<Vec<Entry>> {
        let all = self.shown(id)?;
        Ok(all.into_iter().skip(after as usize).take(limit as usize).collect())
    }

    fn change_entry_of(&mut self, id: ChangeId, transaction: TransactionId) -> Result<Option<Entry>> {
        let found = self.shown(id)?;
        Ok(found.into_iter().find(|entry| entry.noun == Noun::Transactions && entry.id == Some(transaction.0)))
    }

    fn changes_since(&mut self, id: ChangeId) -> Result<Vec<Later>> {
        let later = |row: LaterRow| Later { id: ChangeId(row.id), undone_by: row.undone_by.map(ChangeId) };
        let query = self.sql(
            "select id, undone_by from changes where profile_id = $1 and id > $2 and (undone_by is not null or undoes is not null)",
        );
        query.arg(id.0).fetch_as(self.connection, later)
    }

    fn changes_met(&mut self, id: ChangeId) -> Result<HashSet<ChangeId>> {
        self.met(id)
    }

    fn change_mark(&mut self, since: KeptSince) -> Result<String> {
        let query = self.sql(
            "select concat_ws(' ', (select min(id) from changes where profile_id = $1 and at >= $2 and day >= $3),
                (select string_agg(id || ' ' || name, E'\n' order by id) from members where profile_id = $1)) as mark",
        );
        let row: MarkRow = query.arg(since.at).arg(since.day).row(self.connection)?;
        Ok(row.mark)
    }

    fn change_imported_rows(&mut self, id: ChangeId) -> Result<Vec<(Option<AccountId>, Candidate)>> {
        self.imported_rows(id)
    }

    fn change_imported_since(&mut self, id: ChangeId, ids: &[TransactionId]) -> Result<HashSet<TransactionId>> {
        let ids: Vec<i64> = ids.iter().map(|id| id.0).collect();
        self.imported_since(id, &ids)
    }

    fn change_held_since(&mut self, id: ChangeId, comparison: &Comparison) -> Result<Vec<(PendingBillId, Stored)>> {
        self.held_since(id, comparison)
    }

    fn changes_of_pending_bills(&mut self, id: ChangeId, ids: &[PendingBillId]) -> Result<HashSet<ChangeId>> {
        let mut met = HashSet::new();
        self.touched_since(id, Noun::PendingBills.as_str(), &ids.iter().map(|id| id.0).collect(), &mut met)?;
        Ok(met)
    }

    fn changes_of_transactions(&mut self, id: ChangeId, ids: &[TransactionId]) -> Result<HashSet<ChangeId>> {
        let mut met = HashSet::new();
        self.touched_since(id, Noun::Transactions.as_str(), &ids.iter().map(|id| id.0).collect(), &mut met)?;
        Ok(met)
    }

    fn change_pending_bills(&mut self, id: ChangeId) -> Result<Vec<PendingBillId>> {
        let entries = self.entries_of(id)?;
        let made = entries.iter().filter(|entry| entry.table_name == "pending_bills" && entry.op == CREATED);
        Ok(made.flat_map(|entry| entry.ids.iter().copied()).map(PendingBillId).collect())
    }

    fn change_revert(&mut self, id: ChangeId) -> Result<Undone> {
        self.revert(id)
    }

    fn change_transactions(&mut self, id: ChangeId) -> Result<Vec<TransactionId>> {
        let entries = self.entries_of(id)?;
        let own = entries.iter().filter(|entry| tables_of("transactions").contains(&entry.table_name.as_str()));
        let ids: BTreeSet<i64> = own.flat_map(|entry| entry.ids.iter().copied().chain(entry.row_id)).collect();
        Ok(ids.into_iter().map(TransactionId).collect())
    }
}
