//! Entries as they are stored, and as they are shown.

use std::collections::{HashMap, hash_map};

use const_format::formatcp;
use diesel::QueryableByName;
use diesel::sql_types::{Array, BigInt, Bool, Nullable, Text};
use finance_domain::changes::{Entry, Noun, Op, RECORDED, Recorded, Values};
use finance_domain::export::{Kind, Row};
use finance_domain::settings::Settings;
use finance_domain::{ChangeId, Percentage, Result};

use super::{CHANGED, CREATED, REMOVED, RecordedRow, select};
use crate::recorder::place;
use crate::repo::PgRepo;
use crate::row::row;
use crate::sql::{Arguments, Cache, Fetch};

row! { pub(super) struct EntryRow {
    pub(super) table_name: String [Text],
    pub(super) op: String [Text],
    pub(super) is_derived: bool [Bool],
    pub(super) row_id: Option<i64> [Nullable<BigInt>],
    pub(super) ids: Vec<i64> [Array<BigInt>],
    pub(super) key: Option<Vec<String>> [Nullable<Array<Text>>],
    pub(super) names: Vec<String> [Array<Text>],
    pub(super) cells: Vec<Option<String>> [Array<Nullable<Text>>],
} }

/// The columns of an [`EntryRow`]. An element of a multirange is one of its ids.
pub(super) const ENTRY: &str = "e.table_name, e.op::text as op, e.is_derived, e.row_id, e.key,
    array(select id from unnest(e.ids) as part, generate_series(lower(part), upper(part) - 1) as id) as ids,
    coalesce(c.names, '{}') as names, coalesce(c.cells, '{}') as cells";

/// The entries, with those of changes that have their created rows themselves.
pub(super) const ALL_ENTRIES: &str = "(
        select profile_id, change_id, position, table_name, op, is_derived, row_id, ids, key, columns from change_entries
        union all
        select profile_id, id, 0, made_table, 'c', false, null, made_ids, null, null from changes where made_ids is not null
    ) e";

/// The entries, with their columns taken apart once.
pub(super) const ENTRIES: &str = formatcp!(
    "{ALL_ENTRIES} cross join lateral (
        select array_agg(cell.key) as names, array_agg(cell.value) as cells from jsonb_each_text(e.columns) as cell
    ) c"
);

impl EntryRow {
    pub(super) fn at(&self) -> Result<usize> {
        place(&self.table_name)
    }

    /// The row's key.
    pub(super) fn row_key(&self) -> Vec<String> {
        match &self.key {
            Some(key) => key.clone(),
            None => self.row_id.iter().map(ToString::to_string).collect(),
        }
    }

    /// The recorded values of a removed row, completed as those of an older document.
    pub(super) fn row(&self, recorded: &Recorded) -> Row {
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
    pub(super) fn laid_over(&self, recorded: &Recorded, mut row: Row) -> Row {
        for (name, cell) in self.names.iter().zip(&self.cells) {
            if let Some(value) = recorded.position(name).and_then(|at| row.get_mut(at)) {
                value.clone_from(cell);
            }
        }
        row
    }

    pub(super) fn cell(&self, name: &str) -> Option<&str> {
        let at = self.names.iter().position(|known| known == name)?;
        self.cells.get(at)?.as_deref()
    }
}

pub(super) fn parsed(id: &str) -> Option<i64> {
    id.parse().ok()
}

/// The settings of a profile that has stored none, as a recorded row.
fn default_settings(recorded: &Recorded) -> Row {
    let Settings { savings_goal_pct, own_names: _, show_character, second_factor_days } = Settings::default();
    recorded
        .columns()
        .map(|column| match column.name {
            "savings_goal_pct" => Some(savings_goal_pct.to_string()),
            "show_character" => Some(show_character.to_string()),
            "second_factor_days" => second_factor_days.map(|days| days.to_string()),
            _ => None,
        })
        .collect()
}

/// Whether two cells of a column have the same value.
fn is_same(kind: Kind, one: Option<&str>, other: Option<&str>) -> bool {
    let percentage = |text: Option<&str>| text.and_then(|text| text.parse::<Percentage>().ok());
    match kind {
        Kind::Percentage => percentage(one) == percentage(other),
        _ => one == other,
    }
}

/// The tables whose rows stand for themselves: what was noted about a due of a recurring item, or about a suggestion, is in the way
/// of what was noted about the same one, not of its item.
const NOTED: [&str; 4] = ["recurring_marks", "recurring_due_marks", "recurring_links", "rejected_recurring"];

/// Whether the rows of a table stand for themselves.
pub(super) fn is_noted(table: &str) -> bool {
    NOTED.contains(&table)
}

/// The tables of a noun whose entries are about the noun's row.
pub(super) fn tables_of(noun: &str) -> Vec<&'static str> {
    let own = RECORDED.iter().filter(|recorded| recorded.noun.as_str() == noun);
    own.map(|recorded| recorded.table).filter(|table| !is_noted(table) && *table != "transfers").collect()
}

impl PgRepo<'_> {
    pub(super) fn entries_of(&mut self, id: ChangeId) -> Result<Vec<EntryRow>> {
        let query = self.sql(format!(
            "select {ENTRY} from {ENTRIES} where e.profile_id = $1 and e.change_id = $2 order by e.position"
        ));
        query.arg(id.0).rows(self.connection)
    }

    /// The rows of a table with these ids in its first column, by their keys.
    pub(super) fn rows_by_key(&mut self, at: usize, ids: &[i64]) -> Result<HashMap<Vec<String>, Row>> {
        let recorded = &RECORDED[at];
        let condition = match recorded.exported().columns.first() {
            Some(column) if recorded.key_len() > 0 && column.kind != Kind::Text => format!("{} = any($2)", column.name),
            _ => "$2::bigint[] is not null".to_string(),
        };
        let query = self.sql(select(at, &condition));
        query.arg(ids).fetch_as(self.connection, |row: RecordedRow| (recorded.key(&row.row_values), row.row_values))
    }

    /// What a change did, by row of a noun.
    pub(super) fn shown(&mut self, id: ChangeId) -> Result<Vec<Entry>> {
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
                    shown.push(Entry { noun, id: entry.row_id, op: Op::Changed, before, after, parts: Vec::new() });
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
            let mut push = |op: Op, id: Option<i64>, before: Option<Values>, after: Option<Values>| {
                let entry = Entry { noun, id, op, before, after, parts: Vec::new() };
                match places.get(&(noun.as_str(), id)) {
                    Some(known) => shown[*known] = entry,
                    None => {
                        places.insert((noun.as_str(), id), shown.len());
                        shown.push(entry);
                    }
                }
            };
            match entry.op.as_str() {
                CREATED | REMOVED if noun == Noun::Settings => {
                    let default = default_settings(recorded);
                    let (before, after) = match entry.op.as_str() {
                        CREATED => (default.clone(), later.get(&(at, 0)).cloned().unwrap_or(default)),
                        _ => (entry.row(recorded), default),
                    };
                    let cells = recorded.columns().zip(before.iter().zip(&after));
                    let names: Vec<String> = cells
                        .filter(|(column, (one, other))| !is_same(column.kind, one.as_deref(), other.as_deref()))
                        .map(|(column, _)| column.name.to_string())
                        .collect();
                    let (before, after) = (Some(values(&before, Some(&names))), Some(values(&after, Some(&names))));
                    push(Op::Changed, None, before, after);
                }
                CREATED => {
                    let ids: Vec<Option<i64>> = match entry.ids.is_empty() {
                        true => vec![entry.row_id],
                        false => entry.ids.iter().map(|id| Some(*id)).collect(),
                    };
                    for id in ids {
                        let after = later.get(&(at, id.unwrap_or_default())).map(|row| values(row, None));
                        push(Op::Created, id, None, after);
                    }
                }
                REMOVED => {
                    let before = Some(values(&entry.row(recorded), None));
                    push(Op::Removed, entry.row_id, before, None);
                }
                _ => {
                    let empty: Row = recorded.columns().map(|_| None).collect();
                    let before = Some(values(&entry.laid_over(recorded, empty), Some(&entry.names)));
                    let after = later.get(&(at, entry.row_id.unwrap_or_default()));
                    let after = after.map(|row| values(row, Some(&entry.names)));
                    push(Op::Changed, entry.row_id, before, after);
                }
            }
        }
        self.add_parts(id, &entries, &mut shown)?;
        Ok(shown)
    }

    /// Rows as a change left them: as they are now, with what later changes replaced.
    fn rows_after(&mut self, at: usize, id: ChangeId, ids: &[i64]) -> Result<HashMap<i64, Row>> {
        let recorded = &RECORDED[at];
        let own = |row: &Row| recorded.owner_of(row).unwrap_or_default();
        let mut rows: HashMap<i64, Row> =
            self.rows_by_key(at, ids)?.into_values().map(|row| (own(&row), row)).collect();
        let query = self.sql(format!(
            "select {ENTRY} from {ENTRIES}
            where e.profile_id = $1 and e.change_id > $2 and e.table_name = $3 and e.op <> 'c'
                and (e.row_id = any($4) or $5 and e.row_id is null)
            order by e.change_id desc"
        ));
        let later: Vec<EntryRow> =
            query.arg(id.0).arg(recorded.table).arg(ids).arg(recorded.noun == Noun::Settings).fetch(self.connection)?;
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
