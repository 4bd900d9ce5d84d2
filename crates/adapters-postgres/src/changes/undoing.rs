//! Puts the rows of a change back.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use diesel::QueryableByName;
use diesel::prelude::*;
use diesel::sql_types::BigInt;
use finance_domain::changes::{Noun, RECORDED, Recorded, Undone};
use finance_domain::export::{Key, Kind, Row};
use finance_domain::{ChangeId, Error, Result, transactions};

use super::entries::{EntryRow, parsed};
use super::{CHANGED, CREATED, REMOVED, has_ranges};
use crate::constraints::{broken_rule, error};
use crate::export::putting;
use crate::installments::KIND_OF_CARD;
use crate::recorder::place;
use crate::repo::PgRepo;
use crate::row::row;
use crate::sql::{Arguments, Cache, CountRow, Fetch};
use crate::sums::{self, STORED_LINES, TOTAL_OF_BILL};

/// The most rows of a table that one statement puts back.
const PUT_ROWS: usize = 5_000;

/// Deletes those of the bills $2 on which nothing is.
const EMPTY_BILLS: &str =
    "delete from credit_bills known where known.profile_id = $1 and known.id = any($2) and known.total = 0
    and not exists (select from credit_bill_payments p where p.profile_id = $1 and p.bill_id = known.id)";
/// Deletes those of the transfers $2 that have no sides.
const EMPTY_TRANSFERS: &str = "delete from transfers known where known.profile_id = $1 and known.id = any($2)
    and not exists (select from transactions t where t.profile_id = $1 and t.transfer_id = known.id)
    and not exists (select from credit_bill_payments p where p.profile_id = $1 and p.transfer_id = known.id)";

row! { struct ReplacedRow {
    gone: i64 [BigInt],
    kept: i64 [BigInt],
} }

impl PgRepo<'_> {
    /// Adds the rows with these ids to all sums, or subtracts them.
    fn move_sums(&mut self, ids: &[i64], is_written: bool) -> Result<()> {
        if ids.is_empty() {
            return Ok(());
        }
        let parts = sums::parts("(select * from transactions where profile_id = $1 and id = any($2))", STORED_LINES);
        let (name, change) = match is_written {
            true => ("written", sums::Change::Written(crate::sql::Rows::Many)),
            false => ("removed", sums::Change::Removed),
        };
        let query = self.sql(format!("with {name} as materialized ({parts}) {} select 1", sums::keep(change)));
        query.arg(ids).about(ids.len()).exec(self.connection)
    }

    fn run(&mut self, statement: &str, ids: &[i64]) -> Result<()> {
        self.sql(statement).arg(ids).execute(self.connection).map(|_| ()).map_err(cannot_revert)
    }

    /// Deletes rows that the change created, and returns how many.
    fn delete_created(&mut self, table: &str, ids: &[i64]) -> Result<i64> {
        if ids.is_empty() {
            return Ok(0);
        }
        let query = self.sql(format!("delete from {table} where profile_id = $1 and id = any($2)"));
        let gone = query.arg(ids).execute(self.connection).map_err(cannot_revert)?;
        Ok(i64::try_from(gone).unwrap_or(i64::MAX))
    }

    /// Deletes the row with a key, or all rows of a table without one.
    fn delete_by_key(&mut self, recorded: &Recorded, key: Vec<String>) -> Result<()> {
        let columns = recorded.columns().take(recorded.key_len()).enumerate();
        let equal: Vec<String> =
            columns.map(|(number, column)| format!("{} = ${}", crate::export::as_text(column), number + 2)).collect();
        let condition = if equal.is_empty() { "true".to_string() } else { equal.join(" and ") };
        let mut query = self.sql(format!("delete from {} where profile_id = $1 and {condition}", recorded.table));
        for value in key.into_iter().take(equal.len()) {
            query = query.arg(value);
        }
        query.execute(self.connection).map(|_| ()).map_err(cannot_revert)
    }

    /// Puts payments whose bill is gone on the bill that has taken its place, of the same card and with the nearest first day. So it
    /// is after a change of a card's days and its undo: the card has a bill of that period again, under another id.
    fn find_bills(&mut self, recorded: &Recorded, payments: Vec<&mut Row>) -> Result<()> {
        let Some(at) = recorded.position("bill_id") else { return Ok(()) };
        let bills: Vec<i64> = payments.iter().filter_map(|payment| parsed(payment[at].as_deref()?)).collect();
        if bills.is_empty() {
            return Ok(());
        }
        let query = self.sql(
            "select given.id as gone, kept.id as kept from unnest($2::bigint[]) as given (id)
            cross join lateral (
                select (e.columns ->> 'account_id')::bigint as account_id, (e.columns ->> 'period_start')::date as start
                from change_entries e
                where e.profile_id = $1 and e.table_name = 'credit_bills' and e.op = 'd' and e.row_id = given.id
                order by e.change_id desc limit 1
            ) gone
            cross join lateral (
                select known.id from credit_bills known
                where known.profile_id = $1 and known.account_id = gone.account_id
                order by abs(known.period_start - gone.start), known.period_start limit 1
            ) kept
            where not exists (select from credit_bills known where known.profile_id = $1 and known.id = given.id)",
        );
        let replaced: Vec<ReplacedRow> = query.arg(&bills).fetch(self.connection)?;
        let replaced: HashMap<i64, i64> = replaced.into_iter().map(|row| (row.gone, row.kept)).collect();
        for payment in payments {
            let bill = payment[at].as_deref().and_then(parsed);
            if let Some(kept) = bill.and_then(|bill| replaced.get(&bill)) {
                payment[at] = Some(kept.to_string());
            }
        }
        Ok(())
    }

    /// Puts every row of a change back.
    pub(super) fn revert(&mut self, id: ChangeId) -> Result<Undone> {
        let entries = self.entries_of(id)?;
        let mut by_table: BTreeMap<usize, Vec<EntryRow>> = BTreeMap::new();
        for entry in entries {
            by_table.entry(entry.at()?).or_default().push(entry);
        }
        let transactions = place("transactions")?;
        let mut affected: BTreeSet<i64> = BTreeSet::new();
        let mut of_cards = false;
        let paid_since = self.paid_since(id)?;
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
            if *at == transactions {
                let by_people = entries.iter().filter(|entry| !entry.is_derived);
                let ids = by_people.flat_map(|entry| entry.ids.iter().copied().chain(entry.row_id));
                self.recorder.by_people.extend(ids);
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
        let lost = self.lost_openings(id, &by_table)?;
        let kept = self.openings_in_place_of(id, &by_table, &lost)?;
        if !kept.is_empty() {
            self.touch_deleted("transactions", "id = any($2)", &kept)?;
            affected.extend(&kept);
        }
        let affected: Vec<i64> = affected.into_iter().collect();
        self.move_sums(&affected, false)?;
        self.transactions_added -= self.delete_created("transactions", &kept)?;
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
                        if recorded.is_own() && recorded.noun != Noun::Settings {
                            undone.restored += 1;
                            moved.insert(of);
                        } else {
                            changed.insert(of);
                        }
                    }
                    CHANGED => match now.get(&entry.row_key()) {
                        Some(row) => {
                            let mut back = entry.laid_over(recorded, row.clone());
                            let is_paid =
                                recorded.table == "accounts" && entry.row_id.is_some_and(|id| paid_since.contains(&id));
                            if is_paid && let Some(at) = recorded.position("last_yield_date") {
                                back[at].clone_from(&row[at]);
                            }
                            put.push(back);
                            if !entry.is_derived {
                                changed.insert(of);
                            }
                        }
                        None if entry.is_derived => {}
                        None => {
                            let row = entry.row_id.filter(|_| *at == transactions).and_then(|id| lost.get(&id));
                            let row = row.ok_or_else(|| Error::ChangedSince(Vec::new()))?;
                            put.push(entry.laid_over(recorded, row.clone()));
                            changed.insert(of);
                        }
                    },
                    _ if entry.ids.is_empty() && !entry.is_derived => {
                        changed.insert(of);
                    }
                    _ => {}
                }
            }
            if *at == transactions {
                // Another opening balance of the account makes room for the one that it had.
                let derived = entries.iter().filter(|entry| entry.op == CREATED && entry.is_derived);
                let derived: Vec<i64> = derived.flat_map(|entry| entry.ids.iter().copied()).collect();
                self.transactions_added -= self.delete_created(recorded.table, &derived)?;
                let new = put.iter().filter(|row| !self.was_there(*at, &recorded.key(row))).count();
                self.check_room(new + fitting.len())?;
                self.transactions_added += i64::try_from(new).unwrap_or(i64::MAX);
            }
            if recorded.table == "rule_actions" {
                // One may get the kind of action that another one still has: they were swapped.
                for entry in entries.iter().filter(|entry| entry.op != REMOVED) {
                    self.delete_by_key(recorded, entry.row_key())?;
                }
            }
            if recorded.table == "credit_bill_payments" {
                self.find_bills(recorded, put.iter_mut().chain(&mut fitting).collect())?;
            }
            // Derived rows come last: whether there is room for one depends on the others.
            for (rows, leaves_out) in [(put, false), (fitting, true)] {
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
                            let gone = self.delete_created(table, &entry.ids)?;
                            if *at == transactions {
                                self.transactions_added -= gone;
                            }
                            if !entry.is_derived && recorded.is_own() {
                                undone.removed += u32::try_from(gone).unwrap_or(u32::MAX);
                            }
                        }
                    }
                    continue;
                }
                self.delete_by_key(recorded, entry.row_key())?;
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
                &format!(
                    "update anchors a set rows_total = (
                        select coalesce(sum(case when t.kind = '{income}' then t.amount else -t.amount end), 0) from transactions t
                        where t.profile_id = $1 and t.account_id = a.account_id and t.date <= a.date)
                    where a.profile_id = $1 and a.id = any($2)",
                    income = transactions::Kind::Income.as_str()
                ),
                &anchors,
            )?;
        }
        if of_cards {
            self.run(
                &format!(
                    "update accounts set payments_stale = true, bills_complete_until = null
                    where profile_id = $1 and {KIND_OF_CARD} and $2::bigint[] is not null"
                ),
                &[],
            )?;
        }
        self.anchors_moved = true;
        self.anchored_until.clear();
        undone.changed = u32::try_from(changed.iter().filter(|row| !moved.contains(row)).count()).unwrap_or(u32::MAX);
        Ok(undone)
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
