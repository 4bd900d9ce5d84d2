//! Changes that were recorded: reading them, finding what met their rows since, and putting the rows back.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, hash_map};

use diesel::prelude::*;
use diesel::sql_types::{Array, BigInt, Bool, Date as SqlDate, Integer, Nullable, Text, Timestamptz};
use diesel::{QueryableByName, sql_query};
use finance_domain::changes::{
    Change, ChangeFilter, ChangeRepo, Count, ENTRIES_MAX, Entry, FORGOTTEN_MAX, Forgetting, Later, Noun, Op, RECORDED,
    Recorded, Undone, Values,
};
use finance_domain::export::{Key, Kind, Row};
use finance_domain::text::name_key;
use finance_domain::{Access, ChangeId, Error, MemberId, Result, TimeLimit, TokenId, TransactionId};
use time::{Date, OffsetDateTime};

use crate::changes::{CHANGED, CREATED, REMOVED, RecordedRow, has_ranges, place, references_to, select};
use crate::constraints::{broken_rule, error};
use crate::export::putting;
use crate::repo::PgRepo;
use crate::statement::Cache;
use crate::store::PgStore;
use crate::sums::{self, STORED_LINES, TOTAL_OF_BILL};

/// The most rows of a table that one statement puts back.
const PUT_ROWS: usize = 5_000;

#[derive(QueryableByName)]
struct ChangeRow {
    #[diesel(sql_type = BigInt)]
    id: i64,
    #[diesel(sql_type = Timestamptz)]
    at: OffsetDateTime,
    #[diesel(sql_type = Text)]
    kind: String,
    #[diesel(sql_type = Nullable<Text>)]
    subject: Option<String>,
    #[diesel(sql_type = Nullable<BigInt>)]
    member_id: Option<i64>,
    #[diesel(sql_type = Nullable<Text>)]
    member_name: Option<String>,
    #[diesel(sql_type = Nullable<BigInt>)]
    token_id: Option<i64>,
    #[diesel(sql_type = Nullable<BigInt>)]
    undoes: Option<i64>,
    #[diesel(sql_type = Nullable<BigInt>)]
    undone_by: Option<i64>,
    #[diesel(sql_type = Array<Text>)]
    nouns: Vec<String>,
    #[diesel(sql_type = Array<Integer>)]
    created: Vec<i32>,
    #[diesel(sql_type = Array<Integer>)]
    changed: Vec<i32>,
    #[diesel(sql_type = Array<Integer>)]
    removed: Vec<i32>,
}

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

#[derive(QueryableByName)]
struct EntryRow {
    #[diesel(sql_type = Text)]
    table_name: String,
    #[diesel(sql_type = Text)]
    op: String,
    #[diesel(sql_type = Bool)]
    is_derived: bool,
    #[diesel(sql_type = Nullable<BigInt>)]
    row_id: Option<i64>,
    #[diesel(sql_type = Array<BigInt>)]
    ids: Vec<i64>,
    #[diesel(sql_type = Nullable<Array<Text>>)]
    key: Option<Vec<String>>,
    #[diesel(sql_type = Array<Text>)]
    names: Vec<String>,
    #[diesel(sql_type = Array<Nullable<Text>>)]
    cells: Vec<Option<String>>,
}

/// Deletes those of the bills $2 on which nothing is.
const EMPTY_BILLS: &str =
    "delete from credit_bills known where known.profile_id = $1 and known.id = any($2) and known.total = 0
    and not exists (select from credit_bill_payments p where p.profile_id = $1 and p.bill_id = known.id)";
/// Deletes those of the transfers $2 that have no sides.
const EMPTY_TRANSFERS: &str = "delete from transfers known where known.profile_id = $1 and known.id = any($2)
    and not exists (select from transactions t where t.profile_id = $1 and t.transfer_id = known.id)
    and not exists (select from credit_bill_payments p where p.profile_id = $1 and p.transfer_id = known.id)";

/// The columns of an [`EntryRow`]. An element of a multirange is one of its ids.
const ENTRY: &str = "e.table_name, e.op::text as op, e.is_derived, e.row_id, e.key,
    array(select id from unnest(e.ids) as part, generate_series(lower(part), upper(part) - 1) as id) as ids,
    array(select cell.key from jsonb_each_text(e.columns) as cell order by cell.key) as names,
    array(select cell.value from jsonb_each_text(e.columns) as cell order by cell.key) as cells";

impl EntryRow {
    fn at(&self) -> Result<usize> {
        place(&self.table_name)
    }

    /// The row's key.
    fn row_key(&self) -> Vec<String> {
        match &self.key {
            Some(key) => key.clone(),
            None => self.row_id.iter().map(ToString::to_string).collect(),
        }
    }

    /// The recorded values of a removed row, completed as those of an older document.
    fn row(&self, recorded: &Recorded) -> Row {
        let mut row: Row = recorded
            .columns()
            .map(|column| {
                let at = self.names.iter().position(|name| name == column.name);
                at.and_then(|at| self.cells.get(at).cloned().flatten())
            })
            .collect();
        finance_domain::tables::complete(recorded.exported(), &mut row);
        row
    }

    /// The changed values over those of a row.
    fn laid_over(&self, recorded: &Recorded, mut row: Row) -> Row {
        for (name, cell) in self.names.iter().zip(&self.cells) {
            if let Some(value) = recorded.position(name).and_then(|at| row.get_mut(at)) {
                value.clone_from(cell);
            }
        }
        row
    }

    fn cell(&self, name: &str) -> Option<&str> {
        let at = self.names.iter().position(|known| known == name)?;
        self.cells.get(at)?.as_deref()
    }
}

#[derive(QueryableByName)]
struct IdRow {
    #[diesel(sql_type = BigInt)]
    id: i64,
}

#[derive(QueryableByName)]
struct CountRow {
    #[diesel(sql_type = BigInt)]
    count: i64,
}

#[derive(QueryableByName)]
struct LaterRow {
    #[diesel(sql_type = BigInt)]
    id: i64,
    #[diesel(sql_type = Nullable<BigInt>)]
    undone_by: Option<i64>,
}

/// The rows of nouns, by their ids. Settings have one row, 0.
type Rows = BTreeMap<&'static str, BTreeSet<i64>>;

fn parsed(id: &str) -> Option<i64> {
    id.parse().ok()
}

/// The tables of a noun whose entries are about the noun's row.
fn tables_of(noun: &str) -> Vec<&'static str> {
    let own = RECORDED.iter().filter(|recorded| recorded.noun.as_str() == noun);
    own.map(|recorded| recorded.table).filter(|table| *table != "recurring_marks" && *table != "transfers").collect()
}

impl PgRepo<'_> {
    fn entries_of(&mut self, id: ChangeId) -> Result<Vec<EntryRow>> {
        sql_query(format!(
            "select {ENTRY} from change_entries e where e.profile_id = $1 and e.change_id = $2 order by e.position"
        ))
        .bind::<BigInt, _>(self.profile_id.0)
        .bind::<BigInt, _>(id.0)
        .cached()
        .load(self.connection)
        .map_err(error)
    }

    /// The changes after a change that created, changed or removed rows of a noun.
    fn touched_since(
        &mut self,
        id: ChangeId,
        noun: &str,
        ids: &BTreeSet<i64>,
        met: &mut HashSet<ChangeId>,
    ) -> Result<()> {
        if ids.is_empty() {
            return Ok(());
        }
        let found: Vec<IdRow> = sql_query(
            "select distinct e.change_id as id from change_entries e
            where e.profile_id = $1 and e.change_id > $2 and not e.is_derived and e.table_name = any($3)
                and (e.row_id = any($4) or $5 and e.row_id is null and e.ids is null)
            union
            select e.change_id from change_entries e
            where e.profile_id = $1 and e.change_id > $2 and e.ids is not null and not e.is_derived
                and e.table_name = any($3)
                and e.ids && (select range_agg(int8range(given.id, given.id, '[]')) from unnest($4::bigint[]) as given (id))",
        )
        .bind::<BigInt, _>(self.profile_id.0)
        .bind::<BigInt, _>(id.0)
        .bind::<Array<Text>, _>(tables_of(noun))
        .bind::<Array<BigInt>, _>(ids.iter().copied().collect::<Vec<_>>())
        .bind::<Bool, _>(noun == Noun::Settings.as_str())
        .load(self.connection)
        .map_err(error)?;
        met.extend(found.into_iter().map(|row| ChangeId(row.id)));
        Ok(())
    }

    /// The rows of nouns that other rows, which do not go too, refer to.
    fn naming(&mut self, table: &str, going: &[i64], all: &Rows) -> Result<Rows> {
        let mut found = Rows::new();
        if going.is_empty() {
            return Ok(found);
        }
        for (at, column, _) in references_to(table) {
            let child = &RECORDED[at];
            if child.is_derived || child.table == "credit_bill_payments" {
                continue;
            }
            let owner = child.owner.unwrap_or("id");
            let rows: Vec<IdRow> = sql_query(format!(
                "select {owner} as id from {} where profile_id = $1 and {column} = any($2) limit 10000",
                child.table
            ))
            .bind::<BigInt, _>(self.profile_id.0)
            .bind::<Array<BigInt>, _>(going)
            .load(self.connection)
            .map_err(error)?;
            let noun = child.noun.as_str();
            let goes = |id: &i64| all.get(noun).is_some_and(|ids| ids.contains(id));
            found.entry(noun).or_default().extend(rows.into_iter().map(|row| row.id).filter(|id| !goes(id)));
        }
        Ok(found)
    }

    /// Rows that now have what must be unique of a row that comes back.
    fn taking(&mut self, entry: &EntryRow, found: &mut Rows) -> Result<()> {
        let by = |this: &mut Self, query: String, text: String, account: Option<i64>| -> Result<Vec<i64>> {
            let rows: Vec<IdRow> = sql_query(query)
                .bind::<BigInt, _>(this.profile_id.0)
                .bind::<Text, _>(text)
                .bind::<Nullable<BigInt>, _>(account)
                .bind::<Nullable<BigInt>, _>(entry.row_id)
                .cached()
                .load(this.connection)
                .map_err(error)?;
            Ok(rows.into_iter().map(|row| row.id).collect())
        };
        let named = [("categories", Noun::Categories), ("accounts", Noun::Accounts)];
        if let (Some((table, noun)), Some(name)) =
            (named.into_iter().find(|(table, _)| *table == entry.table_name), entry.cell("name"))
        {
            let query = format!(
                "select id from {table} where profile_id = $1 and name_key = $2 and $3::bigint is null and id is distinct from $4"
            );
            let taken = by(self, query, name_key(name), None)?;
            found.entry(noun.as_str()).or_default().extend(taken);
        }
        if entry.table_name == "transactions" {
            let account = entry.cell("account_id").and_then(parsed);
            if let Some(external_id) = entry.cell("external_id") {
                let query = "select id from transactions where profile_id = $1 and external_id = $2
                    and account_id is not distinct from $3 and id is distinct from $4";
                let taken = by(self, query.to_string(), external_id.to_string(), account)?;
                found.entry(Noun::Transactions.as_str()).or_default().extend(taken);
            }
            if let Some(day) = entry.cell("yield_from") {
                let query = "select id from transactions where profile_id = $1 and yield_from = $2::text::date
                    and account_id = $3 and id is distinct from $4";
                let taken = by(self, query.to_string(), day.to_string(), account)?;
                found.entry(Noun::Transactions.as_str()).or_default().extend(taken);
            }
        }
        Ok(())
    }

    /// The rows that later imports stored and that are the same as rows that come back, by date, type, amount and description.
    fn imported_again(&mut self, id: ChangeId) -> Result<BTreeSet<i64>> {
        let rows: Vec<IdRow> = sql_query(
            "with gone as (
                select e.columns ->> 'account_id' as account_id,
                    coalesce(e.columns ->> 'statement_date', e.columns ->> 'original_date', e.columns ->> 'date')::date as date,
                    coalesce(e.columns ->> 'statement_kind', e.columns ->> 'kind') as kind,
                    coalesce(e.columns ->> 'statement_amount', e.columns ->> 'amount')::numeric as amount,
                    coalesce(e.columns ->> 'statement_description', e.columns ->> 'description') as description
                from change_entries e
                where e.profile_id = $1 and e.change_id = $2 and e.op = 'd' and e.table_name = 'transactions'
                    and e.columns ? 'import_id'
            )
            select t.id from gone join transactions t on t.profile_id = $1
                and t.account_id is not distinct from gone.account_id::bigint
                and coalesce(t.statement_date, t.original_date, t.date) = gone.date
                and (t.date = gone.date or t.original_date = gone.date or t.statement_date = gone.date)
                and coalesce(t.statement_kind, t.kind) = gone.kind
                and coalesce(t.statement_amount, t.amount) = gone.amount
                and coalesce(t.statement_description, t.description) = gone.description
                and t.import_id is not null",
        )
        .bind::<BigInt, _>(self.profile_id.0)
        .bind::<BigInt, _>(id.0)
        .load(self.connection)
        .map_err(error)?;
        Ok(rows.into_iter().map(|row| row.id).collect())
    }

    /// Whether a change removed rows of an import.
    fn has_removed_rows(entries: &[EntryRow]) -> bool {
        entries.iter().any(|entry| entry.op == REMOVED && entry.cell("import_id").is_some())
    }

    /// Adds the rows with these ids to all sums, or subtracts them.
    fn move_sums(&mut self, ids: &[i64], is_written: bool) -> Result<()> {
        if ids.is_empty() {
            return Ok(());
        }
        let parts = sums::parts("(select * from transactions where profile_id = $1 and id = any($2))", STORED_LINES);
        let (name, change) = match is_written {
            true => ("written", sums::Change::Written(crate::statement::Rows::Many)),
            false => ("removed", sums::Change::Removed),
        };
        sql_query(format!("with {name} as materialized ({parts}) {} select 1", sums::keep(change)))
            .bind::<BigInt, _>(self.profile_id.0)
            .bind::<Array<BigInt>, _>(ids)
            .cached()
            .execute(self.connection)
            .map_err(error)?;
        Ok(())
    }

    fn run(&mut self, statement: &str, ids: &[i64]) -> Result<()> {
        sql_query(statement)
            .bind::<BigInt, _>(self.profile_id.0)
            .bind::<Array<BigInt>, _>(ids)
            .execute(self.connection)
            .map(|_| ())
            .map_err(cannot_revert)
    }

    /// The rows of a table with these ids in its first column, by their keys.
    fn rows_by_key(&mut self, at: usize, ids: &[i64]) -> Result<HashMap<Vec<String>, Row>> {
        let recorded = &RECORDED[at];
        let condition = match recorded.exported().columns.first() {
            Some(column) if recorded.key_len() > 0 && column.kind != Kind::Text => format!("{} = any($2)", column.name),
            _ => "$2::bigint[] is not null".to_string(),
        };
        let rows: Vec<RecordedRow> = sql_query(select(at, &condition))
            .bind::<BigInt, _>(self.profile_id.0)
            .bind::<Array<BigInt>, _>(ids)
            .load(self.connection)
            .map_err(error)?;
        Ok(rows.into_iter().map(|row| (recorded.key(&row.row_values), row.row_values)).collect())
    }
}

/// What the schema refuses was changed since by what no entry tells.
fn cannot_revert(source: diesel::result::Error) -> Error {
    let rule = broken_rule(&source);
    if let Some(rule) = &rule {
        log::info!("an undo is refused by {rule}");
    }
    match (rule.is_some(), error(source)) {
        (_, limit @ Error::Refused(finance_domain::Refusal::LimitReached { .. })) => limit,
        (_, outage @ Error::Unavailable(_)) => outage,
        (true, _) => Error::ChangedSince(Vec::new()),
        (false, other) => other,
    }
}

impl ChangeRepo for PgRepo<'_> {
    fn change_close(&mut self) -> Result<Option<ChangeId>> {
        self.close_change()
    }

    fn change_note_undo(&mut self, id: ChangeId) {
        self.recorder.note_undo(id);
    }

    fn change_list(&mut self, filter: &ChangeFilter, since: OffsetDateTime) -> Result<Vec<Change>> {
        let of_transaction = "and ($7::bigint is null or exists (
                select from change_entries e where e.profile_id = $1 and e.change_id = c.id
                    and (e.row_id = $7 and e.table_name = any($8)
                        or e.ids @> $7 and e.table_name = 'transactions')))";
        let rows: Vec<ChangeRow> = sql_query(format!(
            "select {CHANGE}
            where c.profile_id = $1 and c.at >= $2 and ($3::date is null or c.day >= $3)
                and ($4::date is null or c.day <= $4)
                and ($5::bigint is null or c.member_id = $5) and ($6::bigint is null or c.id < $6)
                {of_transaction}
            order by c.id desc limit $9"
        ))
        .bind::<BigInt, _>(self.profile_id.0)
        .bind::<Timestamptz, _>(since)
        .bind::<Nullable<SqlDate>, _>(filter.from)
        .bind::<Nullable<SqlDate>, _>(filter.to)
        .bind::<Nullable<BigInt>, _>(filter.member_id.map(|id| id.0))
        .bind::<Nullable<BigInt>, _>(filter.before.map(|id| id.0))
        .bind::<Nullable<BigInt>, _>(filter.transaction_id.map(|id| id.0))
        .bind::<Array<Text>, _>(tables_of(Noun::Transactions.as_str()))
        .bind::<BigInt, _>(i64::from(filter.limit))
        .load(self.connection)
        .map_err(error)?;
        Ok(rows.into_iter().map(Change::from).collect())
    }

    fn change_get(&mut self, id: ChangeId, since: OffsetDateTime) -> Result<Option<Change>> {
        let row: Option<ChangeRow> =
            sql_query(format!("select {CHANGE} where c.profile_id = $1 and c.id = $2 and c.at >= $3"))
                .bind::<BigInt, _>(self.profile_id.0)
                .bind::<BigInt, _>(id.0)
                .bind::<Timestamptz, _>(since)
                .cached()
                .get_result(self.connection)
                .optional()
                .map_err(error)?;
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
        let rows: Vec<LaterRow> = sql_query(
            "select id, undone_by from changes where profile_id = $1 and id > $2 and (undone_by is not null or undoes is not null)",
        )
        .bind::<BigInt, _>(self.profile_id.0)
        .bind::<BigInt, _>(id.0)
        .load(self.connection)
        .map_err(error)?;
        Ok(rows.into_iter().map(|row| Later { id: ChangeId(row.id), undone_by: row.undone_by.map(ChangeId) }).collect())
    }

    fn changes_met(&mut self, id: ChangeId) -> Result<HashSet<ChangeId>> {
        let entries = self.entries_of(id)?;
        let mut met = HashSet::new();
        let (mut own, mut named, mut taken) = (Rows::new(), Rows::new(), Rows::new());
        let mut going: BTreeMap<&'static str, Vec<i64>> = BTreeMap::new();
        let mut marks: Vec<&EntryRow> = Vec::new();
        for entry in entries.iter().filter(|entry| !entry.is_derived) {
            let recorded = &RECORDED[entry.at()?];
            if recorded.table == "recurring_marks" {
                marks.push(entry);
            } else {
                let ids =
                    entry.ids.iter().copied().chain(entry.row_id).chain((recorded.noun == Noun::Settings).then_some(0));
                own.entry(recorded.noun.as_str()).or_default().extend(ids);
            }
            if entry.op == CREATED && recorded.is_own() {
                going.entry(recorded.table).or_default().extend(&entry.ids);
            }
            for (name, cell) in entry.names.iter().zip(&entry.cells) {
                let column = recorded.columns().find(|column| column.name == *name);
                if let (Some(Kind::Reference(to)), Some(id)) =
                    (column.map(|column| column.kind), cell.as_deref().and_then(parsed))
                {
                    named.entry(to).or_default().insert(id);
                }
            }
            if entry.op != CREATED {
                self.taking(entry, &mut taken)?;
            }
        }
        for (noun, ids) in &own {
            self.touched_since(id, noun, ids, &mut met)?;
        }
        for mark in marks {
            let found: Vec<IdRow> = sql_query(
                "select change_id as id from change_entries
                where profile_id = $1 and change_id > $2 and table_name = 'recurring_marks' and row_id = $3 and key = $4",
            )
            .bind::<BigInt, _>(self.profile_id.0)
            .bind::<BigInt, _>(id.0)
            .bind::<Nullable<BigInt>, _>(mark.row_id)
            .bind::<Array<Text>, _>(mark.row_key())
            .load(self.connection)
            .map_err(error)?;
            met.extend(found.into_iter().map(|row| ChangeId(row.id)));
        }
        for (table, ids) in named {
            let found: Vec<IdRow> = sql_query(
                "select change_id as id from change_entries
                where profile_id = $1 and change_id > $2 and table_name = $3 and op = 'd' and not is_derived
                    and row_id = any($4)",
            )
            .bind::<BigInt, _>(self.profile_id.0)
            .bind::<BigInt, _>(id.0)
            .bind::<Text, _>(table)
            .bind::<Array<BigInt>, _>(ids.into_iter().collect::<Vec<_>>())
            .load(self.connection)
            .map_err(error)?;
            met.extend(found.into_iter().map(|row| ChangeId(row.id)));
        }
        for (table, ids) in going {
            for (noun, ids) in self.naming(table, &ids, &own)? {
                self.touched_since(id, noun, &ids, &mut met)?;
            }
        }
        if Self::has_removed_rows(&entries) {
            taken.entry(Noun::Transactions.as_str()).or_default().extend(self.imported_again(id)?);
        }
        for (noun, ids) in taken {
            self.touched_since(id, noun, &ids, &mut met)?;
        }
        Ok(met)
    }

    fn change_revert(&mut self, id: ChangeId) -> Result<Undone> {
        let entries = self.entries_of(id)?;
        let mut by_table: BTreeMap<usize, Vec<EntryRow>> = BTreeMap::new();
        for entry in entries {
            by_table.entry(entry.at()?).or_default().push(entry);
        }
        let transactions = place("transactions")?;
        let mut affected: BTreeSet<i64> = BTreeSet::new();
        let mut of_cards = false;
        // What is written is read first, so that the undo can be undone.
        for (at, entries) in &by_table {
            let recorded = &RECORDED[*at];
            let created: Vec<i64> = entries.iter().flat_map(|entry| entry.ids.iter().copied()).collect();
            if !created.is_empty() {
                self.touch_deleted(recorded.table, "id = any($2)", &created)?;
            }
            let keys: Vec<Vec<String>> =
                entries.iter().filter(|entry| entry.ids.is_empty()).map(EntryRow::row_key).collect();
            let first: Vec<i64> = keys.iter().filter_map(|key| parsed(key.first()?)).collect();
            let condition = match recorded.exported().columns.first() {
                Some(column) if recorded.key_len() > 0 && column.kind != Kind::Text => {
                    format!("{} = any($2)", column.name)
                }
                _ => "$2::bigint[] is not null".to_string(),
            };
            if !keys.is_empty() {
                if recorded.exported().key == Key::Id && entries.iter().any(|entry| entry.op == CREATED) {
                    self.touch_deleted(recorded.table, &condition, &first)?;
                } else {
                    self.touch(recorded.table, &condition, &first)?;
                }
            }
            for key in keys {
                self.note_missing(*at, key);
            }
            match recorded.table {
                "transactions" => affected.extend(created.iter().copied().chain(first)),
                "transaction_lines" => affected.extend(entries.iter().filter_map(|entry| entry.row_id)),
                "accounts"
                | "card_cycles"
                | "bill_dates"
                | "credit_bills"
                | "credit_bill_payments"
                | "pending_bills" => {
                    of_cards = true;
                }
                _ => {}
            }
        }
        let affected: Vec<i64> = affected.into_iter().collect();
        self.move_sums(&affected, false)?;
        self.run(
            "update transactions set is_split = false where profile_id = $1 and id = any($2) and is_split",
            &affected,
        )?;
        // Bills that a period began with make room for those that it had.
        let new_bills = by_table.get(&place("credit_bills")?).into_iter().flatten();
        let new_bills: Vec<i64> = new_bills.flat_map(|entry| entry.ids.iter().copied()).collect();
        if !new_bills.is_empty() {
            self.run(EMPTY_BILLS, &new_bills)?;
        }
        let mut undone = Undone::default();
        let mut changed: HashSet<(&str, Option<i64>)> = HashSet::new();
        let mut moved: HashSet<(&str, Option<i64>)> = HashSet::new();
        for (at, entries) in &by_table {
            let recorded = &RECORDED[*at];
            let first: Vec<i64> = entries
                .iter()
                .filter(|entry| entry.op == CHANGED)
                .filter_map(|entry| parsed(entry.row_key().first()?))
                .collect();
            let now = match entries.iter().any(|entry| entry.op == CHANGED) {
                true => self.rows_by_key(*at, &first)?,
                false => HashMap::new(),
            };
            let (mut put, mut fitting) = (Vec::new(), Vec::new());
            for entry in entries {
                let of = (recorded.noun.as_str(), entry.row_id);
                match entry.op.as_str() {
                    REMOVED if entry.is_derived => fitting.push(entry.row(recorded)),
                    REMOVED => {
                        put.push(entry.row(recorded));
                        if recorded.is_own() {
                            undone.restored += 1;
                            moved.insert(of);
                        } else {
                            changed.insert(of);
                        }
                    }
                    CHANGED => match now.get(&entry.row_key()) {
                        Some(row) => {
                            put.push(entry.laid_over(recorded, row.clone()));
                            if !entry.is_derived {
                                changed.insert(of);
                            }
                        }
                        None if entry.is_derived => {}
                        None => return Err(Error::ChangedSince(Vec::new())),
                    },
                    _ if entry.ids.is_empty() && !entry.is_derived => {
                        changed.insert(of);
                    }
                    _ => {}
                }
            }
            if *at == transactions {
                let new = put.iter().filter(|row| !self.was_there(*at, &recorded.key(row))).count();
                self.check_room(new + fitting.len())?;
                self.transactions_added += i64::try_from(new).unwrap_or(i64::MAX);
            }
            for (rows, leaves_out) in [(fitting, true), (put, false)] {
                for rows in rows.chunks(PUT_ROWS) {
                    let stored: CountRow = putting(self.profile_id.0, recorded, rows, leaves_out)
                        .get_result(self.connection)
                        .map_err(cannot_revert)?;
                    if *at == transactions && leaves_out {
                        self.transactions_added += stored.count;
                    }
                }
            }
        }
        let mut last: Vec<(&str, Vec<i64>)> = Vec::new();
        for (at, entries) in by_table.iter().rev() {
            let recorded = &RECORDED[*at];
            for entry in entries.iter().filter(|entry| entry.op == CREATED) {
                if has_ranges(recorded) {
                    if !entry.is_derived && recorded.is_own() {
                        moved.extend(entry.ids.iter().map(|id| (recorded.noun.as_str(), Some(*id))));
                    }
                    match recorded.table {
                        // What is on them comes and goes first.
                        "credit_bills" | "transfers" => last.push((recorded.table, entry.ids.clone())),
                        table => {
                            let statement = format!("delete from {table} where profile_id = $1 and id = any($2)");
                            let gone = sql_query(statement)
                                .bind::<BigInt, _>(self.profile_id.0)
                                .bind::<Array<BigInt>, _>(&entry.ids)
                                .execute(self.connection)
                                .map_err(cannot_revert)?;
                            if *at == transactions {
                                self.transactions_added -= i64::try_from(gone).unwrap_or(i64::MAX);
                            }
                            if !entry.is_derived && recorded.is_own() {
                                undone.removed += u32::try_from(gone).unwrap_or(u32::MAX);
                            }
                        }
                    }
                    continue;
                }
                let columns: Vec<&str> =
                    recorded.columns().take(recorded.key_len()).map(|column| column.name).collect();
                let key = entry.row_key();
                let texts: Vec<String> = recorded
                    .columns()
                    .take(recorded.key_len())
                    .enumerate()
                    .map(|(number, column)| format!("{} = ${}", crate::export::as_text(column), number + 2))
                    .collect();
                if columns.is_empty() {
                    self.run(
                        &format!("delete from {} where profile_id = $1 and $2::bigint[] is not null", recorded.table),
                        &[],
                    )?;
                    continue;
                }
                let mut query = sql_query(format!(
                    "delete from {} where profile_id = $1 and {}",
                    recorded.table,
                    texts.join(" and ")
                ))
                .into_boxed()
                .bind::<BigInt, _>(self.profile_id.0);
                for value in key {
                    query = query.bind::<Text, _>(value);
                }
                query.execute(self.connection).map_err(cannot_revert)?;
            }
        }
        self.run(
            "update transactions t set is_split = not t.is_split where t.profile_id = $1 and t.id = any($2)
                and t.is_split <> exists (select from transaction_lines l where l.profile_id = $1 and l.transaction_id = t.id)",
            &affected,
        )?;
        self.move_sums(&affected, true)?;
        for (table, ids) in last {
            let statement = match table {
                "transfers" => EMPTY_TRANSFERS,
                _ => EMPTY_BILLS,
            };
            self.run(statement, &ids)?;
        }
        let put_ids = |table: &str| -> Result<Vec<i64>> {
            let entries = by_table.get(&place(table)?).into_iter().flatten();
            Ok(entries.filter_map(|entry| parsed(entry.row_key().first()?)).collect())
        };
        let bills = put_ids("credit_bills")?;
        if !bills.is_empty() {
            self.run(
                &format!(
                    "update credit_bills b set total = {TOTAL_OF_BILL} where b.profile_id = $1 and b.id = any($2)"
                ),
                &bills,
            )?;
        }
        let anchors = put_ids("anchors")?;
        if !anchors.is_empty() {
            self.run(
                "update anchors a set rows_total = (
                    select coalesce(sum(case when t.kind = 'income' then t.amount else -t.amount end), 0) from transactions t
                    where t.profile_id = $1 and t.account_id = a.account_id and t.date <= a.date)
                where a.profile_id = $1 and a.id = any($2)",
                &anchors,
            )?;
        }
        if of_cards {
            self.run(
                "update accounts set payments_stale = true, bills_complete_until = null
                where profile_id = $1 and kind = 'credit' and $2::bigint[] is not null",
                &[],
            )?;
        }
        self.anchors_moved = true;
        self.anchored_until.clear();
        undone.changed = u32::try_from(changed.iter().filter(|row| !moved.contains(row)).count()).unwrap_or(u32::MAX);
        Ok(undone)
    }

    fn change_transactions(&mut self, id: ChangeId) -> Result<Vec<TransactionId>> {
        let entries = self.entries_of(id)?;
        let own = entries.iter().filter(|entry| tables_of("transactions").contains(&entry.table_name.as_str()));
        let ids: BTreeSet<i64> = own.flat_map(|entry| entry.ids.iter().copied().chain(entry.row_id)).collect();
        Ok(ids.into_iter().map(TransactionId).collect())
    }
}

impl PgRepo<'_> {
    /// What a change did, by row of a noun.
    fn shown(&mut self, id: ChangeId) -> Result<Vec<Entry>> {
        let entries = self.entries_of(id)?;
        let mut shown: Vec<Entry> = Vec::new();
        let mut places: HashMap<(&str, Option<i64>), usize> = HashMap::new();
        let mut later: HashMap<(usize, i64), Row> = HashMap::new();
        for (at, recorded) in RECORDED.iter().enumerate().filter(|(_, recorded)| recorded.is_own()) {
            let ids: Vec<i64> = entries
                .iter()
                .filter(|entry| entry.table_name == recorded.table)
                .flat_map(|entry| entry.ids.iter().copied().chain(entry.row_id.filter(|_| entry.op == CHANGED)))
                .collect();
            if !ids.is_empty() || recorded.noun == Noun::Settings {
                for (id, row) in self.rows_after(at, id, &ids)? {
                    later.insert((at, id), row);
                }
            }
        }
        for entry in entries.iter().filter(|entry| !entry.is_derived) {
            let at = entry.at()?;
            let recorded = &RECORDED[at];
            let noun = recorded.noun;
            if !recorded.is_own() {
                if let hash_map::Entry::Vacant(place) = places.entry((noun.as_str(), entry.row_id)) {
                    place.insert(shown.len());
                    let (before, after) = (Some(Vec::new()), Some(Vec::new()));
                    shown.push(Entry { noun, id: entry.row_id, op: Op::Changed, before, after });
                }
                continue;
            }
            let values = |row: &Row, only: Option<&[String]>| -> Values {
                recorded
                    .exported()
                    .columns
                    .iter()
                    .zip(row)
                    .filter(|(column, _)| {
                        column.kind != Kind::Id && only.is_none_or(|only| only.iter().any(|name| name == column.name))
                    })
                    .map(|(column, value)| (column.name, column.kind, value.clone()))
                    .collect()
            };
            let mut push = |id: Option<i64>, entry: Entry| match places.get(&(noun.as_str(), id)) {
                Some(known) => shown[*known] = entry,
                None => {
                    places.insert((noun.as_str(), id), shown.len());
                    shown.push(entry);
                }
            };
            match entry.op.as_str() {
                CREATED => {
                    let ids: Vec<Option<i64>> = match entry.ids.is_empty() {
                        true => vec![entry.row_id],
                        false => entry.ids.iter().map(|id| Some(*id)).collect(),
                    };
                    for id in ids {
                        let after = later.get(&(at, id.unwrap_or_default())).map(|row| values(row, None));
                        push(id, Entry { noun, id, op: Op::Created, before: None, after });
                    }
                }
                REMOVED => {
                    let before = Some(values(&entry.row(recorded), None));
                    push(entry.row_id, Entry { noun, id: entry.row_id, op: Op::Removed, before, after: None });
                }
                _ => {
                    let empty: Row = recorded.columns().map(|_| None).collect();
                    let before = Some(values(&entry.laid_over(recorded, empty), Some(&entry.names)));
                    let after = later.get(&(at, entry.row_id.unwrap_or_default()));
                    let after = after.map(|row| values(row, Some(&entry.names)));
                    push(entry.row_id, Entry { noun, id: entry.row_id, op: Op::Changed, before, after });
                }
            }
        }
        Ok(shown)
    }

    /// Rows as a change left them: as they are now, with what later changes replaced.
    fn rows_after(&mut self, at: usize, id: ChangeId, ids: &[i64]) -> Result<HashMap<i64, Row>> {
        let recorded = &RECORDED[at];
        let own = |row: &Row| recorded.owner_of(row).unwrap_or_default();
        let mut rows: HashMap<i64, Row> =
            self.rows_by_key(at, ids)?.into_values().map(|row| (own(&row), row)).collect();
        let later: Vec<EntryRow> = sql_query(format!(
            "select {ENTRY} from change_entries e
            where e.profile_id = $1 and e.change_id > $2 and e.table_name = $3 and e.op <> 'c'
                and (e.row_id = any($4) or $5 and e.row_id is null)
            order by e.change_id desc"
        ))
        .bind::<BigInt, _>(self.profile_id.0)
        .bind::<BigInt, _>(id.0)
        .bind::<Text, _>(recorded.table)
        .bind::<Array<BigInt>, _>(ids)
        .bind::<Bool, _>(recorded.noun == Noun::Settings)
        .load(self.connection)
        .map_err(error)?;
        for entry in later {
            let key = entry.row_id.unwrap_or_default();
            match entry.op.as_str() {
                REMOVED => {
                    rows.insert(key, entry.row(recorded));
                }
                _ => {
                    if let Some(row) = rows.remove(&key) {
                        rows.insert(key, entry.laid_over(recorded, row));
                    }
                }
            }
        }
        Ok(rows)
    }
}

impl Forgetting for PgStore {
    fn changes_forget(&self, before: OffsetDateTime, today: Date) -> Result<bool> {
        let profiles: Vec<IdRow> = self.in_transaction(Access::Read, TimeLimit::Ordinary, |connection| {
            sql_query("select id from list_profiles() as known (id)").load(connection).map_err(error)
        })?;
        let mut left = FORGOTTEN_MAX;
        for profile in profiles {
            let gone: i64 = self.in_transaction(Access::Write, TimeLimit::Ordinary, |connection| {
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
                Ok(gone.first().map_or(0, |row| row.id))
            })?;
            left -= gone;
            if left <= 0 {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
