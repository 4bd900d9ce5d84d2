//! The parts of rows before and after a change: the lines of a transaction, the conditions of a rule, the marks of an item.

use std::collections::{BTreeMap, HashMap, HashSet};

use diesel::QueryableByName;
use diesel::sql_types::BigInt;
use finance_domain::ChangeId;
use finance_domain::Result;
use finance_domain::changes::{Entry, Noun, Op, Parts, RECORDED, Shown};
use finance_domain::export::Row;

use super::entries::{ENTRIES, ENTRY, EntryRow};
use super::{CREATED, REMOVED, RecordedRow, select};
use crate::repo::PgRepo;
use crate::sql::{Arguments, Fetch};

/// The rows of a table that are parts of a row, by their keys.
type Rows = HashMap<Vec<String>, Row>;
/// Those of several rows, by the ids of these. The settings have none.
type ByOwner = HashMap<Option<i64>, Rows>;

#[derive(QueryableByName)]
struct LaterRow {
    #[diesel(sql_type = BigInt)]
    change_id: i64,
    #[diesel(embed)]
    entry: EntryRow,
}

/// Takes an entry about a part back.
fn take_back(at: usize, rows: &mut ByOwner, entry: &EntryRow) {
    let (recorded, key) = (&RECORDED[at], entry.row_key());
    let rows = rows.entry(entry.row_id).or_default();
    match entry.op.as_str() {
        CREATED => {
            rows.remove(&key);
        }
        REMOVED => {
            rows.insert(key, entry.row(recorded));
        }
        _ => {
            if let Some(row) = rows.remove(&key) {
                let row = entry.laid_over(recorded, row);
                rows.insert(recorded.key(&row), row);
            }
        }
    }
}

/// Rows in the order of their keys. Numbers have no zeros before them, and days have all the same length.
fn ordered(rows: &Rows, only: Option<&HashSet<Vec<String>>>) -> Vec<Row> {
    let kept = rows.iter().filter(|(key, _)| only.is_none_or(|only| only.contains(*key)));
    let in_order: BTreeMap<Vec<(usize, &String)>, &Row> =
        kept.map(|(key, row)| (key.iter().map(|part| (part.len(), part)).collect(), row)).collect();
    in_order.into_values().cloned().collect()
}

impl PgRepo<'_> {
    /// Adds the parts of the rows that a change concerns: all of a kind where they are shown as one value, or else those that it
    /// touched.
    pub(super) fn add_parts(&mut self, id: ChangeId, entries: &[EntryRow], shown: &mut [Entry]) -> Result<()> {
        for (at, recorded) in RECORDED.iter().enumerate() {
            let Some(shown_as) = recorded.shown else { continue };
            let own: Vec<&EntryRow> =
                entries.iter().filter(|entry| entry.table_name == recorded.table && !entry.is_derived).collect();
            let mut touched: HashMap<Option<i64>, HashSet<Vec<String>>> = HashMap::new();
            for entry in &own {
                touched.entry(entry.row_id).or_default().insert(entry.row_key());
            }
            let is_shown = |entry: &Entry| {
                entry.noun == recorded.noun
                    && (touched.contains_key(&entry.id) || shown_as == Shown::Whole && entry.op != Op::Changed)
            };
            let owners: Vec<Option<i64>> = shown.iter().filter(|entry| is_shown(entry)).map(|entry| entry.id).collect();
            if owners.is_empty() {
                continue;
            }
            let after = self.parts_after(at, id, &owners)?;
            let mut before = after.clone();
            for entry in own {
                take_back(at, &mut before, entry);
            }
            for entry in shown.iter_mut().filter(|entry| is_shown(entry)) {
                let only = touched.get(&entry.id).filter(|_| shown_as == Shown::Touched);
                let rows = |of: &ByOwner| of.get(&entry.id).map(|rows| ordered(rows, only)).unwrap_or_default();
                entry.parts.push(Parts { table: recorded.table, before: rows(&before), after: rows(&after) });
            }
        }
        Ok(())
    }

    /// The parts of rows as a change left them: as they are now, with all that came later taken back.
    fn parts_after(&mut self, at: usize, id: ChangeId, owners: &[Option<i64>]) -> Result<ByOwner> {
        let recorded = &RECORDED[at];
        let ids: Vec<i64> = owners.iter().copied().flatten().collect();
        let condition = match recorded.owner {
            Some(owner) => format!("{owner} = any($2)"),
            None => "$2::bigint[] is not null".to_string(),
        };
        let query = self.sql(select(at, &condition));
        let now: Vec<RecordedRow> = query.arg(&ids).fetch(self.connection)?;
        let mut rows = ByOwner::new();
        for RecordedRow { row_values: row, .. } in now {
            rows.entry(recorded.owner_of(&row)).or_default().insert(recorded.key(&row), row);
        }
        let query = self.sql(format!(
            "select e.change_id, {ENTRY} from {ENTRIES}
            where e.profile_id = $1 and e.change_id > $2 and e.table_name = $3
                and (e.row_id = any($4) or $6 and e.row_id is null)
            union all
            select e.change_id, {ENTRY} from {ENTRIES}
            where e.profile_id = $1 and e.change_id > $2 and e.table_name = $5 and e.ids is not null
                and e.ids && (select range_agg(int8range(given.id, given.id, '[]')) from unnest($4::bigint[]) as given (id))
            order by 1 desc"
        ));
        let later: Vec<LaterRow> = query
            .arg(id.0)
            .arg(recorded.table)
            .arg(&ids)
            .arg(recorded.noun.as_str())
            .arg(recorded.noun == Noun::Settings)
            .fetch(self.connection)?;
        for of_change in later.chunk_by(|one, next| one.change_id == next.change_id) {
            for LaterRow { entry, .. } in of_change {
                match entry.table_name == recorded.table {
                    true => take_back(at, &mut rows, entry),
                    // The parts of a new row came with it.
                    false => entry.ids.iter().for_each(|id| drop(rows.remove(&Some(*id)))),
                }
            }
        }
        Ok(rows)
    }
}
