//! What later changes have to do with the rows of a change.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use const_format::formatcp;
use diesel::QueryableByName;
use diesel::sql_types::{BigInt, Date as SqlDate, Nullable, Numeric, Text};
use finance_domain::changes::{ChangeKind, Noun, RECORDED, Recorded};
use finance_domain::export::Kind;
use finance_domain::imports::{Candidate, Comparison, Content, Stored};
use finance_domain::month::parse_date;
use finance_domain::pending_bills::PendingBillStatus;
use finance_domain::text::{name_key, normalized};
use finance_domain::transactions::{Kind as TransactionKind, Source};
use finance_domain::{AccountId, ChangeId, Error, PendingBillId, Result, TransactionId};
use time::Date;

use super::entries::{ALL_ENTRIES, EntryRow, is_noted, parsed, tables_of};
use super::{CHANGED, CREATED, REMOVED, RecordedRow, references_to, select};
use crate::imports::{HELD_COMPARED, compared};
use crate::numeric::Hundredths;
use crate::repo::PgRepo;
use crate::row::row;
use crate::sql::{Arguments, Cache, Fetch, IdRow, column};
use crate::words::StoredWord;

/// The rows of nouns, by their ids. Settings have one row, 0.
type Rows = BTreeMap<&'static str, BTreeSet<i64>>;
/// Rows that stand for themselves: their tables, items and keys.
type Noted = BTreeSet<(&'static str, Option<i64>, Vec<String>)>;

/// Whether rows of a table with the same key may be of different rows of their noun, one after the other.
fn may_move(recorded: &Recorded) -> bool {
    recorded.owner.is_some_and(|owner| recorded.exported().key_columns().iter().all(|column| column.name != owner))
}

row! {
    /// A row of a held statement.
    struct HeldSinceRow {
        bill_id: i64 [BigInt],
        date: Date [SqlDate],
        kind: StoredWord<TransactionKind> [Text],
        amount: Hundredths [Numeric],
        description: String [Text],
        external_id: Option<String> [Nullable<Text>],
    }
}

/// A removed row as its statement gave it. The columns have its day, kind and amount, the first one that is there counts.
fn candidate(entry: &EntryRow, [date, kind, amount]: [&[&str]; 3]) -> Option<Candidate> {
    let first = |names: &[&str]| names.iter().find_map(|name| entry.cell(name));
    let content = Content {
        date: parse_date(first(date)?).ok()?,
        kind: first(kind)?.parse().ok()?,
        amount: first(amount)?.parse().ok()?,
        description: normalized(first(&["statement_description", "description"])?),
    };
    Some(Candidate { content, external_id: entry.cell("external_id").map(str::to_string), former: None })
}

impl PgRepo<'_> {
    /// The changes after a change that created, changed or removed rows of a noun.
    pub(super) fn touched_since(
        &mut self,
        id: ChangeId,
        noun: &str,
        ids: &BTreeSet<i64>,
        met: &mut HashSet<ChangeId>,
    ) -> Result<()> {
        if ids.is_empty() {
            return Ok(());
        }
        let query = self.sql(formatcp!(
            "select distinct e.change_id as id from change_entries e
            where e.profile_id = $1 and e.change_id > $2 and not e.is_derived and e.table_name = any($3)
                and (e.row_id = any($4) or $5 and e.row_id is null and e.ids is null)
            union
            select e.change_id from {ALL_ENTRIES}
            where e.profile_id = $1 and e.change_id > $2 and e.ids is not null and not e.is_derived
                and e.table_name = any($3)
                and e.ids && (select range_agg(int8range(given.id, given.id, '[]')) from unnest($4::bigint[]) as given (id))",
        ));
        let found: Vec<IdRow> = query
            .arg(id.0)
            .arg(tables_of(noun))
            .arg(ids.iter().copied().collect::<Vec<_>>())
            .arg(noun == Noun::Settings.as_str())
            .fetch(self.connection)?;
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
            // An anchor that an import brought follows from it.
            let is_of_import = (table, child.table) == ("imports", "anchors");
            if is_of_import || child.is_derived || child.table == "credit_bill_payments" || is_noted(child.table) {
                continue;
            }
            let owner = child.owner.unwrap_or("id");
            let query = self.sql(format!(
                "select {owner} as id from {} where profile_id = $1 and {column} = any($2) limit 10000",
                child.table
            ));
            let rows: Vec<IdRow> = query.arg(going).fetch(self.connection)?;
            let noun = child.noun.as_str();
            let goes = |id: &i64| all.get(noun).is_some_and(|ids| ids.contains(id));
            found.entry(noun).or_default().extend(rows.into_iter().map(|row| row.id).filter(|id| !goes(id)));
        }
        if table == Noun::Accounts.as_str() {
            // A payment names a bill, which goes with its card.
            let query = self.sql(
                "select distinct b.id from credit_bills b
                join credit_bill_payments p on p.profile_id = $1 and p.bill_id = b.id
                where b.profile_id = $1 and b.account_id = any($2)",
            );
            let paid: Vec<IdRow> = query.arg(going).fetch(self.connection)?;
            found.entry(Noun::CreditBills.as_str()).or_default().extend(paid.into_iter().map(|row| row.id));
        }
        Ok(found)
    }

    /// What is noted about rows that go: about a due that a transaction covers, or about dues of an item.
    fn noted_of(&mut self, table: &str, going: &[i64], noted: &mut Noted) -> Result<()> {
        for (at, column, _) in references_to(table).filter(|(at, ..)| is_noted(RECORDED[*at].table)) {
            let query = self.sql(select(at, &format!("{column} = any($2)")));
            let rows: Vec<RecordedRow> = query.arg(going).fetch(self.connection)?;
            let recorded = &RECORDED[at];
            noted.extend(rows.into_iter().map(|RecordedRow { row_values: row, .. }| {
                (recorded.table, recorded.owner_of(&row), recorded.key(&row))
            }));
        }
        Ok(())
    }

    /// The changes after a change that noted something else, or nothing any more.
    fn noted_since(&mut self, id: ChangeId, noted: Noted, met: &mut HashSet<ChangeId>) -> Result<()> {
        if noted.is_empty() {
            return Ok(());
        }
        let tables: Vec<&str> = noted.iter().map(|(table, ..)| *table).collect();
        let items: Vec<Option<i64>> = noted.iter().map(|(_, item, _)| *item).collect();
        let keys: Vec<String> = noted.iter().map(|(.., key)| key.join("\n")).collect();
        let query = self.sql(
            "select distinct e.change_id as id from change_entries e
            join unnest($3::text[], $4::text[]) as given (table_name, key)
                on e.table_name = given.table_name and e.key = string_to_array(given.key, E'\n')
            where e.profile_id = $1 and e.change_id > $2 and (e.row_id = any($5) or $6 and e.row_id is null)",
        );
        let found: Vec<IdRow> =
            query.arg(id.0).arg(tables).arg(keys).arg(&items).arg(items.contains(&None)).fetch(self.connection)?;
        met.extend(found.into_iter().map(|row| ChangeId(row.id)));
        Ok(())
    }

    /// What is noted now under the keys of rows that come back, where it may be of other items.
    fn noted_instead(&mut self, at: usize, keys: Vec<Vec<String>>, noted: &mut Noted) -> Result<()> {
        let recorded = &RECORDED[at];
        let first: Vec<i64> = keys.iter().filter_map(|key| parsed(key.first()?)).collect();
        let now = self.rows_by_key(at, &first)?;
        let known = keys.into_iter().filter_map(|key| {
            let item = recorded.owner_of(now.get(&key)?);
            Some((recorded.table, item, key))
        });
        noted.extend(known);
        Ok(())
    }

    /// The changes after a change that noted what is noted now, or made it together with its item.
    fn noted_now_since(&mut self, id: ChangeId, noted: Noted, met: &mut HashSet<ChangeId>) -> Result<()> {
        if noted.is_empty() {
            return Ok(());
        }
        // What came with a new item has no entry of its own.
        let query = self.sql(formatcp!(
            "select distinct e.change_id as id
            from unnest($3::text[], $4::text[], $5::bigint[]) as given (table_name, key, item)
            join {ALL_ENTRIES} on e.ids @> given.item
            where e.profile_id = $1 and e.change_id > $2 and e.table_name = $6 and not exists (
                select from change_entries part
                where part.profile_id = $1 and part.change_id > $2 and part.row_id = given.item
                    and part.table_name = given.table_name and part.key = string_to_array(given.key, E'\n'))"
        ));
        let found: Vec<IdRow> = query
            .arg(id.0)
            .arg(noted.iter().map(|(table, ..)| *table).collect::<Vec<_>>())
            .arg(noted.iter().map(|(.., key)| key.join("\n")).collect::<Vec<_>>())
            .arg(noted.iter().map(|(_, item, _)| *item).collect::<Vec<_>>())
            .arg(Noun::Recurring.as_str())
            .fetch(self.connection)?;
        met.extend(found.into_iter().map(|row| ChangeId(row.id)));
        self.noted_since(id, noted, met)
    }

    /// The changes after a change that touched parts which it had given to other rows of their noun.
    fn moved_since(&mut self, id: ChangeId, moved: &Noted, met: &mut HashSet<ChangeId>) -> Result<()> {
        if moved.is_empty() {
            return Ok(());
        }
        let query = self.sql(
            "select distinct e.change_id as id from change_entries e
            join unnest($3::text[], $4::text[]) as given (table_name, key)
                on e.table_name = given.table_name and e.key = string_to_array(given.key, E'\n')
            where e.profile_id = $1 and e.change_id > $2",
        );
        let found: Vec<IdRow> = query
            .arg(id.0)
            .arg(moved.iter().map(|(table, ..)| *table).collect::<Vec<_>>())
            .arg(moved.iter().map(|(.., key)| key.join("\n")).collect::<Vec<_>>())
            .fetch(self.connection)?;
        met.extend(found.into_iter().map(|row| ChangeId(row.id)));
        Ok(())
    }

    /// Rows that now have what must be unique of rows that come back: a name, a bank's id, or the first day of a yield.
    fn taking(&mut self, entries: &[EntryRow]) -> Result<Rows> {
        let mut found = Rows::new();
        let back = || entries.iter().filter(|entry| entry.op != CREATED && !entry.is_derived);
        for (table, noun) in [("categories", Noun::Categories), ("accounts", Noun::Accounts)] {
            let named = back().filter(|entry| entry.table_name == table);
            let (keys, ids): (Vec<String>, Vec<Option<i64>>) =
                named.filter_map(|entry| Some((name_key(entry.cell("name")?), entry.row_id))).unzip();
            if keys.is_empty() {
                continue;
            }
            let query = self.sql(format!(
                "select known.id from unnest($2::text[], $3::bigint[]) as back (name_key, id)
                join {table} known on known.profile_id = $1 and known.name_key = back.name_key and known.id <> back.id"
            ));
            let taken: Vec<IdRow> = query.arg(keys).arg(ids).fetch(self.connection)?;
            found.entry(noun.as_str()).or_default().extend(taken.into_iter().map(|row| row.id));
        }
        let unique = ["account_id", "external_id", "yield_from"];
        let rows: Vec<&EntryRow> = back()
            .filter(|entry| entry.table_name == "transactions")
            .filter(|entry| entry.names.iter().any(|name| unique.contains(&name.as_str())))
            .collect();
        if rows.is_empty() {
            return Ok(found);
        }
        // A row that was changed has the other columns that it has now.
        let has = |name: &str| -> Vec<bool> {
            rows.iter().map(|entry| entry.op == REMOVED || entry.names.iter().any(|known| known == name)).collect()
        };
        let query = self.sql(
            "with back as (
                select given.id,
                    case when given.has_account then given.account_id else own.account_id end as account_id,
                    case when given.has_external_id then given.external_id else own.external_id end as external_id,
                    case when given.has_day then given.yield_from::date else own.yield_from end as yield_from
                from unnest($2::bigint[], $3::boolean[], $4::bigint[], $5::boolean[], $6::text[], $7::boolean[], $8::text[])
                    as given (id, has_account, account_id, has_external_id, external_id, has_day, yield_from)
                left join transactions own on own.profile_id = $1 and own.id = given.id
            )
            select t.id from back join transactions t on t.profile_id = $1 and t.external_id = back.external_id
                and t.account_id is not distinct from back.account_id and t.id <> back.id
            union
            select t.id from back join transactions t on t.profile_id = $1 and t.account_id = back.account_id
                and t.yield_from = back.yield_from and t.id <> back.id",
        );
        let taken: Vec<IdRow> = query
            .arg(column(&rows, |entry| entry.row_id))
            .arg(has("account_id"))
            .arg(column(&rows, |entry| entry.cell("account_id").and_then(parsed)))
            .arg(has("external_id"))
            .arg(column(&rows, |entry| entry.cell("external_id")))
            .arg(has("yield_from"))
            .arg(column(&rows, |entry| entry.cell("yield_from")))
            .fetch(self.connection)?;
        found.entry(Noun::Transactions.as_str()).or_default().extend(taken.into_iter().map(|row| row.id));
        Ok(found)
    }

    /// The changes after a change that met its rows, but for imports of rows that come back.
    pub(super) fn met(&mut self, id: ChangeId) -> Result<HashSet<ChangeId>> {
        let entries = self.entries_of(id)?;
        let mut met = HashSet::new();
        let (mut own, mut named) = (Rows::new(), Rows::new());
        let mut going: BTreeMap<&'static str, Vec<i64>> = BTreeMap::new();
        let (mut noted, mut noted_now, mut moved) = (Noted::new(), Noted::new(), Noted::new());
        let mut back: BTreeMap<usize, Vec<Vec<String>>> = BTreeMap::new();
        for entry in &entries {
            let at = entry.at()?;
            let recorded = &RECORDED[at];
            // A payment comes back with its transaction, on its bill.
            if entry.is_derived && recorded.table != "credit_bill_payments" {
                continue;
            }
            for (name, cell) in entry.names.iter().zip(&entry.cells) {
                let column = recorded.columns().find(|column| column.name == *name);
                if let (Some(Kind::Reference(to)), Some(id)) =
                    (column.map(|column| column.kind), cell.as_deref().and_then(parsed))
                {
                    named.entry(to).or_default().insert(id);
                }
            }
            if entry.is_derived {
                continue;
            }
            if is_noted(recorded.table) {
                noted.insert((recorded.table, entry.row_id, entry.row_key()));
                if entry.op == REMOVED && may_move(recorded) {
                    back.entry(at).or_default().push(entry.row_key());
                }
            } else {
                let ids =
                    entry.ids.iter().copied().chain(entry.row_id).chain((recorded.noun == Noun::Settings).then_some(0));
                own.entry(recorded.noun.as_str()).or_default().extend(ids);
            }
            if entry.op == CHANGED && recorded.owner.is_some_and(|owner| entry.names.iter().any(|name| name == owner)) {
                moved.insert((recorded.table, None, entry.row_key()));
            }
            if entry.op == CREATED && recorded.is_own() {
                going.entry(recorded.table).or_default().extend(&entry.ids);
            }
        }
        for (noun, ids) in &own {
            self.touched_since(id, noun, ids, &mut met)?;
        }
        for (table, ids) in named {
            let query = self.sql(
                "select change_id as id from change_entries
                where profile_id = $1 and change_id > $2 and table_name = $3 and op = 'd' and row_id = any($4)
                    and (not is_derived or table_name = 'credit_bills' and not exists (
                        select from credit_bills known where known.profile_id = $1 and known.id = row_id))",
            );
            let found: Vec<IdRow> =
                query.arg(id.0).arg(table).arg(ids.into_iter().collect::<Vec<_>>()).fetch(self.connection)?;
            met.extend(found.into_iter().map(|row| ChangeId(row.id)));
        }
        for (table, ids) in going {
            self.noted_of(table, &ids, &mut noted_now)?;
            for (noun, ids) in self.naming(table, &ids, &own)? {
                self.touched_since(id, noun, &ids, &mut met)?;
            }
        }
        for (at, keys) in back {
            self.noted_instead(at, keys, &mut noted_now)?;
        }
        self.noted_since(id, noted, &mut met)?;
        self.noted_now_since(id, noted_now, &mut met)?;
        self.moved_since(id, &moved, &mut met)?;
        for (noun, ids) in self.taking(&entries)? {
            self.touched_since(id, noun, &ids, &mut met)?;
        }
        Ok(met)
    }

    /// The rows that a change removed and that a statement may contain, stored or held, as their statements gave them, with their
    /// accounts.
    pub(super) fn imported_rows(&mut self, id: ChangeId) -> Result<Vec<(Option<AccountId>, Candidate)>> {
        let entries = self.entries_of(id)?;
        let removed =
            |table: &'static str| entries.iter().filter(move |entry| entry.table_name == table && entry.op == REMOVED);
        let account_of = |entry: &EntryRow, names: &[&str]| {
            names.iter().find_map(|name| entry.cell(name)).and_then(parsed).map(AccountId)
        };
        let is_computed = |entry: &&EntryRow| {
            [Source::OpeningBalance, Source::Yield].iter().any(|source| entry.cell("source") == Some(source.as_str()))
        };
        let imported = removed("transactions").filter(|entry| !is_computed(entry));
        let imported = imported.map(|entry| {
            (
                account_of(entry, &["statement_account_id", "account_id"]),
                candidate(
                    entry,
                    [
                        &["statement_date", "original_date", "date"],
                        &["statement_kind", "kind"],
                        &["statement_amount", "amount"],
                    ],
                ),
            )
        });
        // A confirmed statement holds nothing any more.
        let pending = removed("pending_bills");
        let pending = pending.filter(|entry| entry.cell("status") == Some(PendingBillStatus::Pending.as_str()));
        let cards: HashMap<Option<i64>, Option<AccountId>> =
            pending.map(|entry| (entry.row_id, account_of(entry, &["account_id"]))).collect();
        let held = removed("pending_bill_rows").filter(|entry| entry.cell("is_repeated") != Some("true"));
        let held = held.filter_map(|entry| Some((cards.get(&entry.row_id)?, entry)));
        let held = held.map(|(card, entry)| (*card, candidate(entry, [&["date"], &["kind"], &["amount"]])));
        let unreadable = || Error::Internal(format!("a row of the change {id} cannot be read").into());
        imported.chain(held).map(|(account, row)| Ok((account, row.ok_or_else(unreadable)?))).collect()
    }

    /// The held rows of the comparison, each with its statement, that changes after a change hold.
    pub(super) fn held_since(&mut self, id: ChangeId, comparison: &Comparison) -> Result<Vec<(PendingBillId, Stored)>> {
        let query = formatcp!(
            "select bill.id as bill_id, held.date, held.kind, held.amount, held.description_normalized as description,
                held.external_id
            from pending_bills bill
            join pending_bill_rows held on held.profile_id = $1 and held.pending_bill_id = bill.id
            where bill.profile_id = $1 and {HELD_COMPARED}
                and exists (
                    select from {ALL_ENTRIES}
                    where e.profile_id = $1 and e.change_id > $8 and e.table_name = 'pending_bills'
                        and (e.row_id = bill.id or e.ids @> bill.id))
            order by bill.id, held.position",
        );
        let Some(query) = compared(query, self.profile_id, comparison) else { return Ok(Vec::new()) };
        let stored = |row: HeldSinceRow| {
            let content =
                Content { date: row.date, kind: row.kind.0, amount: row.amount.into(), description: row.description };
            (PendingBillId(row.bill_id), Stored { id: None, content, external_id: row.external_id, is_entered: false })
        };
        query.arg(id.0).fetch_as(self.connection, stored)
    }

    /// Those of the transactions that changes after a change stored from statements.
    pub(super) fn imported_since(&mut self, id: ChangeId, ids: &[i64]) -> Result<HashSet<TransactionId>> {
        let query = self.sql(formatcp!(
            "with since as (
                select range_agg(part) as ids from {ALL_ENTRIES}, unnest(e.ids) as part
                where e.profile_id = $1 and e.change_id > $2 and e.ids is not null and e.table_name = 'transactions'
            )
            select t.id from since, transactions t
            where t.profile_id = $1 and t.id = any($3) and t.import_id is not null and since.ids @> t.id",
        ));
        query.arg(id.0).arg(ids).fetch_as(self.connection, |row: IdRow| TransactionId(row.id))
    }

    /// The accounts whose yield was posted by a change or after it.
    pub(super) fn paid_since(&mut self, id: ChangeId) -> Result<BTreeSet<i64>> {
        let query = self.sql(
            "select distinct e.row_id as id from change_entries e
            join changes c on c.profile_id = $1 and c.id = e.change_id and c.kind = $3
            where e.profile_id = $1 and e.change_id >= $2 and e.table_name = 'accounts' and e.columns ? 'last_yield_date'",
        );
        query.arg(id.0).arg(ChangeKind::YieldsPost.as_str()).rows_as(self.connection, |row: IdRow| row.id)
    }
}
