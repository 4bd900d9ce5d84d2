//! Records what a transaction changes.
//!
//! A method that changes or deletes rows first [touches](PgRepo::touch) them: the rows are read as they are, once. One that inserts
//! rows notes their ids. When the work is done, [`PgRepo::close_change`] reads the touched rows again, and what differs are the
//! entries. So a row that goes by a foreign key, or gets the values that it had, needs nothing of its own. Only a transaction with
//! a [`Recording`] reads anything.

mod entries;
mod forgetting;
mod in_the_way;
mod listing;
mod openings;
mod parts;
pub(crate) mod storing;
mod taken;
mod undoing;
mod undone_openings;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use diesel::QueryableByName;
use diesel::sql_types::{Array, Bool, Integer, Nullable, Text};
use finance_domain::changes::{ChangeKind, Count, Noun, RECORDED, Recorded, Recording};
use finance_domain::export::{Column, Key, Kind, Row};
use finance_domain::{ChangeId, Error, Result, Word};

use crate::changes::openings::{Kept, opening_of};
use crate::export::as_text;
use crate::recorder::{Before, place};
use crate::repo::PgRepo;
use crate::row::row;
use crate::sql::{Arguments, Cache, Fetch};

/// A created row.
pub(crate) const CREATED: &str = "c";
/// A changed row.
pub(crate) const CHANGED: &str = "u";
/// A removed row.
pub(crate) const REMOVED: &str = "d";

/// The rows of a noun that were created, changed and removed.
type OpIds = [HashSet<Option<i64>>; 3];

/// An entry, before it is stored.
struct NewEntry {
    at: usize,
    op: &'static str,
    is_derived: bool,
    row_id: Option<i64>,
    key: Vec<String>,
    columns: Vec<(&'static str, Option<String>)>,
}

row! { pub(crate) struct RecordedRow {
    pub(crate) place: i32 [Integer],
    pub(crate) row_values: Vec<Option<String>> [Array<Nullable<Text>>],
} }

#[derive(QueryableByName)]
struct TouchedRow {
    #[diesel(embed)]
    touched: RecordedRow,
    #[diesel(sql_type = Bool)]
    is_watched: bool,
}

row! { struct NameRow { name: Option<String> [Nullable<Text>] } }

/// A `select` of rows as they are recorded.
pub(crate) fn select(at: usize, condition: &str) -> String {
    let recorded = &RECORDED[at];
    let values: Vec<String> = recorded.columns().map(as_text).collect();
    format!(
        "select {at} as place, array[{}] as row_values from {} where profile_id = $1 and ({condition})",
        values.join(", "),
        recorded.table
    )
}

/// The tables and columns that refer to a table.
pub(crate) fn references_to(table: &str) -> impl Iterator<Item = (usize, &'static str, bool)> + use<'_> {
    RECORDED.iter().enumerate().flat_map(move |(at, recorded)| {
        let refers = move |kind: Kind| matches!(kind, Kind::Reference(to) if to == table);
        let columns = recorded.columns().filter(move |column| refers(column.kind));
        columns.map(move |column| (at, column.name, column.required))
    })
}

/// The touched rows and those that refer to them, as conditions: rows that refer to a row go or change with it.
fn with_dependents(table: &str, condition: &str) -> Result<Vec<(usize, String)>> {
    let mut all = vec![(place(table)?, condition.to_string())];
    for (at, column, is_required) in references_to(table) {
        let child = &RECORDED[at];
        let of = format!("{column} in (select id from {table} where profile_id = $1 and ({condition}))");
        if is_required && child.exported().key == Key::Id && child.table != "transactions" {
            all.extend(with_dependents(child.table, &of)?);
        } else {
            all.push((at, of));
        }
    }
    Ok(all)
}

/// Whether a value is the one that [`complete`](finance_domain::tables::complete) gives a transaction without it.
fn is_completed(table: &str, column: &Column, value: Option<&str>) -> bool {
    table == "transactions" && column.kind == Kind::Flag && column.name != "is_transfer" && value == Some("false")
}

/// Whether created rows of a table are recorded as ranges of ids: they are rows of their own, and no parts of others.
pub(crate) fn has_ranges(recorded: &Recorded) -> bool {
    recorded.exported().key == Key::Id && recorded.owner.is_none()
}

/// Whether a row is derived from others: nobody wrote it.
fn is_derived(recorded: &Recorded, row: &Row, kept: &Kept, is_new: bool) -> bool {
    match recorded.table {
        "anchors" => recorded.position("import_id").and_then(|at| row.get(at)).is_some_and(Option::is_some),
        "transactions" => kept.is_derived(row, is_new),
        _ => recorded.is_derived,
    }
}

/// Whether a column is a part of the rhythm of a recurring item, which is one field: it is told as a whole.
fn is_part_of_every(table: &str, column: &str) -> bool {
    table == "recurring" && matches!(column, "every_n" | "every_unit")
}

/// Whether the service itself sets a column of a row that a person may change, so that a change of it alone is none of the row.
fn is_derived_column(table: &str, column: &str, kind: ChangeKind) -> bool {
    match (table, column) {
        ("accounts", "opening_is_said") => true,
        // The undo of a posting leaves the day as it is.
        ("accounts", "last_yield_date") => kind == ChangeKind::YieldsPost,
        _ => false,
    }
}

impl PgRepo<'_> {
    /// Whether what this transaction changes is recorded.
    pub(crate) fn is_recording(&self) -> bool {
        self.recorder.is_on()
    }

    /// Reads rows that are about to be changed or deleted. The condition has the ids as `$2`.
    pub(crate) fn touch(&mut self, table: &str, condition: &str, ids: &[i64]) -> Result<()> {
        if !self.recorder.is_on() {
            return Ok(());
        }
        let all = vec![(place(table)?, condition.to_string())];
        self.touch_all(all, ids)
    }

    /// As [`PgRepo::touch`], for rows that may be deleted: also reads those that refer to them.
    pub(crate) fn touch_deleted(&mut self, table: &str, condition: &str, ids: &[i64]) -> Result<()> {
        if !self.recorder.is_on() {
            return Ok(());
        }
        self.touch_all(with_dependents(table, condition)?, ids)
    }

    /// As [`PgRepo::touch`], for rows among which there may be new ones when the work is done.
    pub(crate) fn watch(&mut self, table: &str, condition: &str, ids: &[i64]) -> Result<()> {
        if !self.recorder.is_on() {
            return Ok(());
        }
        let scope = (place(table)?, condition.to_string());
        let watched = self.recorder.scopes.get(&scope);
        // What is watched already may have new rows by now, which would be taken for old ones.
        let is_new = |id: &i64| watched.is_none_or(|watched| !watched.contains(id));
        let new: BTreeSet<i64> = ids.iter().copied().filter(is_new).collect();
        if new.is_empty() && watched.is_some() {
            return Ok(());
        }
        self.touch_all(vec![scope.clone()], &new.iter().copied().collect::<Vec<_>>())?;
        self.recorder.scopes.entry(scope).or_default().extend(new);
        Ok(())
    }

    /// Notes new rows.
    pub(crate) fn note_created(&mut self, table: &str, ids: impl IntoIterator<Item = i64>) -> Result<()> {
        if self.recorder.is_on() {
            self.recorder.created.entry(place(table)?).or_default().extend(ids);
        }
        Ok(())
    }

    /// Notes new opening balances, with their accounts.
    pub(crate) fn note_openings(&mut self, openings: impl IntoIterator<Item = (i64, i64)>) {
        if self.recorder.is_on() {
            self.recorder.openings.extend(openings);
        }
    }

    fn touch_all(&mut self, all: Vec<(usize, String)>, ids: &[i64]) -> Result<()> {
        let statement: Vec<String> = all.iter().map(|(at, condition)| select(*at, condition)).collect();
        let statement = statement.join(" union all ");
        // An unused parameter needs a type.
        let statement = format!("with ids as (select $2::bigint[] as ids) {statement}");
        let rows: Vec<RecordedRow> = self.sql(statement).arg(ids).about(ids.len()).fetch(self.connection)?;
        for row in rows {
            let at = usize::try_from(row.place).map_err(|error| Error::Internal(Box::new(error)))?;
            let key = RECORDED[at].key(&row.row_values);
            if !self.recorder.is_created(at, &row.row_values) {
                self.recorder.before.entry(at).or_default().entry(key).or_insert(Some(row.row_values));
            }
        }
        Ok(())
    }

    /// Notes that rows with such ids do not exist before they are put back.
    pub(crate) fn note_missing(&mut self, at: usize, key: Vec<String>) {
        if self.recorder.is_on() {
            self.recorder.before.entry(at).or_default().entry(key).or_insert(None);
        }
    }

    /// Whether a row is known to have existed when the work began.
    pub(crate) fn was_there(&self, at: usize, key: &[String]) -> bool {
        self.recorder.before.get(&at).and_then(|rows| rows.get(key)).is_some_and(Option::is_some)
    }

    /// The touched rows as they are now.
    fn touched_now(&mut self) -> Result<Vec<(usize, Row, bool)>> {
        let mut parts: Vec<(usize, String, Vec<i64>, bool)> = Vec::new();
        for (at, before) in &self.recorder.before {
            let recorded = &RECORDED[*at];
            let first: Option<HashSet<i64>> = before.keys().map(|key| key.first()?.parse().ok()).collect();
            match (recorded.exported().columns.first(), first) {
                // A text that is a number is no id.
                (Some(column), Some(ids))
                    if recorded.key_len() > 0 && matches!(column.kind, Kind::Id | Kind::Reference(_)) =>
                {
                    parts.push((*at, format!("{} = any($ids)", column.name), ids.into_iter().collect(), false));
                }
                // Few rows, without a number as their key.
                _ => parts.push((*at, "true".to_string(), Vec::new(), false)),
            }
        }
        for ((at, condition), ids) in &self.recorder.scopes {
            parts.push((*at, condition.replace("$2", "$ids"), ids.iter().copied().collect(), true));
        }
        if parts.is_empty() {
            return Ok(Vec::new());
        }
        let selects: Vec<String> = parts
            .iter()
            .enumerate()
            .map(|(number, (at, condition, _, is_watched))| {
                let ids = format!("${}::bigint[]", number + 2);
                let select = select(*at, &condition.replace("$ids", &ids));
                format!(
                    "select place, row_values, {is_watched} as is_watched from ({select} and {ids} is not null) as rows"
                )
            })
            .collect();
        let mut query = self.sql(selects.join(" union all "));
        for (_, _, ids, _) in parts {
            query = query.arg(ids);
        }
        let rows: Vec<TouchedRow> = query.fetch(self.connection)?;
        let known = rows.into_iter().map(|TouchedRow { touched: row, is_watched }| {
            let at = usize::try_from(row.place).map_err(|error| Error::Internal(Box::new(error)))?;
            Ok((at, row.row_values, is_watched))
        });
        known.collect()
    }

    /// Stores what was changed, and returns the change.
    pub(crate) fn close_change(&mut self) -> Result<Option<ChangeId>> {
        if let Some(closed) = self.recorder.closed {
            return Ok(closed);
        }
        let Some(recording) = self.recorder.recording.clone() else { return Ok(None) };
        let id = self.store_change(&recording)?;
        self.recorder.closed = Some(id);
        Ok(id)
    }

    fn store_change(&mut self, recording: &Recording) -> Result<Option<ChangeId>> {
        let has_new = |table: &str| {
            place(table).ok().and_then(|at| self.recorder.created.get(&at)).is_some_and(|ids| !ids.is_empty())
        };
        // The same request confirms a statement or holds it.
        let is_held = recording.kind == ChangeKind::ImportsConfirm && has_new("pending_bills") && !has_new("imports");
        let held = Recording { kind: ChangeKind::PendingBillsHold, ..recording.clone() };
        let recording = if is_held { &held } else { recording };
        let kind = recording.kind;
        let mut entries: Vec<NewEntry> = Vec::new();
        let mut names: Vec<(i64, Option<String>)> = Vec::new();
        let now = self.touched_now()?;
        let mut by_key: BTreeMap<usize, HashMap<Vec<String>, Row>> = BTreeMap::new();
        let before = std::mem::take(&mut self.recorder.before);
        let mut new: HashSet<(usize, Vec<String>)> = HashSet::new();
        for (at, row, is_watched) in now {
            let key = RECORDED[at].key(&row);
            let known = before.get(&at).and_then(|known| known.get(&key));
            if known.is_none() && is_watched || known.is_some_and(Option::is_none) {
                new.insert((at, key.clone()));
            }
            by_key.entry(at).or_default().insert(key, row);
        }
        let kept = self.kept(&before, &by_key, &new)?;
        // New rows among those that were watched.
        for (at, key) in new {
            let recorded = &RECORDED[at];
            let Some(row) = by_key.get(&at).and_then(|rows| rows.get(&key)) else { continue };
            if self.recorder.is_created(at, row) {
                continue;
            }
            let derived = is_derived(recorded, row, &kept, true);
            if has_ranges(recorded) {
                if let Some(Ok(id)) = key.first().map(|id| id.parse::<i64>()) {
                    self.recorder.created.entry(at).or_default().insert(id);
                    if derived {
                        self.recorder.derived.entry(at).or_default().insert(id);
                    }
                }
                continue;
            }
            let row_id = recorded.owner_of(row);
            entries.push(NewEntry { at, op: CREATED, is_derived: derived, row_id, key, columns: Vec::new() });
        }
        let created = self.recorder.created.clone();
        let is_new = |table: &'static str, id: i64| {
            place(table).ok().and_then(|at| created.get(&at)).is_some_and(|ids| ids.contains(&id))
        };
        // A part of a new row goes with it.
        entries.retain(|entry| {
            let recorded = &RECORDED[entry.at];
            let owner = recorded.owner.zip(entry.row_id);
            let row = by_key.get(&entry.at).and_then(|rows| rows.get(&entry.key));
            let refers_to_new = recorded.columns().zip(row.into_iter().flatten()).any(|(column, value)| {
                let id = value.as_deref().and_then(|id| id.parse::<i64>().ok());
                matches!(column.kind, Kind::Reference(to) if column.required && id.is_some_and(|id| is_new(to, id)))
            });
            !refers_to_new && !owner.is_some_and(|(_, id)| is_new(recorded.noun.as_str(), id))
        });
        let text_of = |recorded: &Recorded, row: &Row| {
            let columns = ["description", "name", "file_name"];
            columns.iter().find_map(|column| recorded.position(column).and_then(|at| row.get(at)?.clone()))
        };
        for (at, rows) in &before {
            let recorded = &RECORDED[*at];
            for (key, row) in rows {
                let (Some(row), now) = (row, by_key.get(at).and_then(|rows| rows.get(key))) else { continue };
                let derived = is_derived(recorded, row, &kept, false);
                let row_id = recorded.owner_of(row);
                let changed: Vec<(&'static str, Option<String>)> = match now {
                    // Nulls, and what completing an older row gives, are left out.
                    None => recorded
                        .columns()
                        .zip(row)
                        .filter(|(column, value)| {
                            value.is_some() && !is_completed(recorded.table, column, value.as_deref())
                        })
                        .map(|(column, value)| (column.name, value.clone()))
                        .collect(),
                    Some(now) => {
                        let all = || recorded.columns().zip(row.iter().zip(now));
                        let is_other =
                            |(_, (before, now)): &(&Column, (&Option<String>, &Option<String>))| before != now;
                        let is_of_every = |column: &Column| is_part_of_every(recorded.table, column.name);
                        let has_other_every = all().any(|both| is_of_every(both.0) && is_other(&both));
                        all()
                            .filter(|both| is_other(both) || has_other_every && is_of_every(both.0))
                            .map(|(column, (before, _))| (column.name, before.clone()))
                            .collect()
                    }
                };
                if let Some(now) = now.filter(|_| recorded.is_own())
                    && recording.addressed.is_some()
                    && recording.addressed == row_id
                    && recording.kind.table() == Some(recorded.table)
                {
                    names.push((row_id.unwrap_or_default(), text_of(recorded, now)));
                }
                if changed.is_empty() && now.is_some() {
                    continue;
                }
                if recording.kind.table() == Some(recorded.table)
                    && !derived
                    && let Some(id) = row_id
                {
                    names.push((id, text_of(recorded, now.unwrap_or(row))));
                }
                let of_service =
                    now.is_some() && changed.iter().all(|(name, _)| is_derived_column(recorded.table, name, kind));
                entries.push(NewEntry {
                    at: *at,
                    op: if now.is_some() { CHANGED } else { REMOVED },
                    is_derived: derived || of_service,
                    row_id,
                    key: key.clone(),
                    columns: changed,
                });
            }
        }
        entries.sort_by(|a, b| (a.at, a.row_id, &a.key).cmp(&(b.at, b.row_id, &b.key)));
        self.recorder.before = before;
        let counts = self.counts(&entries);
        // An undo is a change also where the service has since derived what it puts back.
        if counts.is_empty() && self.recorder.undoes.is_none() {
            self.drop_row_change()?;
            return Ok(None);
        }
        let subject = self.subject(recording, names)?;
        self.insert_change(recording, subject, &counts, &entries).map(Some)
    }

    /// Whose opening balance the service keeps, of the accounts whose one was touched or is new. Marks those that are new.
    fn kept(
        &mut self,
        before: &BTreeMap<usize, Before>,
        now: &BTreeMap<usize, HashMap<Vec<String>, Row>>,
        new: &HashSet<(usize, Vec<String>)>,
    ) -> Result<Kept> {
        let at = place("transactions")?;
        let was = before.get(&at).into_iter().flat_map(HashMap::values).flatten();
        let is = now.get(&at).into_iter().flat_map(HashMap::values);
        let mut accounts: BTreeSet<i64> = was.chain(is).filter_map(opening_of).collect();
        accounts.extend(self.recorder.openings.values());
        let kept = self.kept_openings(&accounts, before, new)?;
        let openings = self.recorder.openings.iter();
        let derived: Vec<i64> =
            openings.filter(|(_, account)| kept.is_new_derived(**account)).map(|(id, _)| *id).collect();
        self.recorder.derived.entry(at).or_default().extend(derived);
        Ok(kept)
    }

    /// How many rows of each noun were created, changed and removed. Derived rows do not count.
    fn counts(&self, entries: &[NewEntry]) -> Vec<Count> {
        let mut all: BTreeMap<&str, (Noun, OpIds)> = BTreeMap::new();
        for (at, ids) in &self.recorder.created {
            let recorded = &RECORDED[*at];
            if !recorded.is_derived {
                let own = all.entry(recorded.noun.as_str()).or_insert_with(|| (recorded.noun, Default::default()));
                let derived = self.recorder.derived.get(at);
                let of_people = ids.iter().filter(|id| !derived.is_some_and(|derived| derived.contains(id)));
                own.1[0].extend(of_people.map(|id| Some(*id)));
            }
        }
        for entry in entries.iter().filter(|entry| !entry.is_derived) {
            let recorded = &RECORDED[entry.at];
            let own = all.entry(recorded.noun.as_str()).or_insert_with(|| (recorded.noun, Default::default()));
            // Whoever has stored no settings has those by default.
            let comes_or_goes = recorded.is_own() && recorded.noun != Noun::Settings;
            let which = match entry.op {
                CREATED if comes_or_goes => 0,
                REMOVED if comes_or_goes => 2,
                _ => 1,
            };
            own.1[which].insert(entry.row_id);
        }
        let size = |ids: usize| u32::try_from(ids).unwrap_or(u32::MAX);
        Noun::ALL
            .iter()
            .filter_map(|noun| all.remove(noun.as_str()))
            .map(|(noun, [created, changed, removed])| {
                let changed = changed.iter().filter(|id| !created.contains(id) && !removed.contains(id)).count();
                let (created, removed) = (size(created.len()), size(removed.len()));
                Count { noun, created, changed: size(changed), removed }
            })
            .filter(|count| (count.created, count.changed, count.removed) != (0, 0, 0))
            .collect()
    }

    /// The name of the one row that was addressed.
    fn subject(&mut self, recording: &Recording, names: Vec<(i64, Option<String>)>) -> Result<Option<String>> {
        if recording.subject.is_some() || recording.kind == ChangeKind::ChangesUndo {
            return Ok(recording.subject.clone());
        }
        let Some(table) = recording.kind.table() else { return Ok(None) };
        if let Some(addressed) = recording.addressed {
            if let Some((_, name)) = names.into_iter().find(|(id, _)| *id == addressed) {
                return Ok(name);
            }
            return self.name_of(table, addressed);
        }
        let at = place(table)?;
        let derived = self.recorder.derived.get(&at);
        let by_people = |id: &&i64| !derived.is_some_and(|derived| derived.contains(*id));
        let mut created = self.recorder.created.get(&at).into_iter().flatten().filter(by_people);
        let ids: HashSet<i64> = names.iter().map(|(id, _)| *id).collect();
        match (created.next().copied(), created.next(), ids.len()) {
            (Some(_), None, 0) if table == "transactions" && self.recorder.name.is_some() => {
                Ok(self.recorder.name.clone())
            }
            (Some(id), None, 0) => self.name_of(table, id),
            (None, None, 1) => Ok(names.into_iter().find_map(|(_, name)| name)),
            _ => Ok(None),
        }
    }

    fn name_of(&mut self, table: &str, id: i64) -> Result<Option<String>> {
        let column = match table {
            "imports" | "pending_bills" => "file_name",
            "transactions" | "recurring" => "description",
            _ => "name",
        };
        let query = self.sql(format!("select {column} as name from {table} where profile_id = $1 and id = $2"));
        let row: Option<NameRow> = query.arg(id).row_if_any(self.connection)?;
        Ok(row.and_then(|row| row.name))
    }
}
