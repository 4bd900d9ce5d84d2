//! A document back into an empty profile: all of it or nothing, under ids of this service's own.

use std::collections::{HashMap, HashSet};

use finance_domain::export::{Column, Key, Kind, Row, Table};
use finance_domain::gamification::Catalog;
use finance_domain::month::{YEARS, parse_date};
use finance_domain::{CosmeticId, Error, Money, Month, Percentage, Repo, Result, Word, text};
use time::format_description::well_known::Rfc3339;
use time::{OffsetDateTime, UtcOffset};

use crate::rules;
use crate::tables::{TABLES, table};

/// Rows of one table in a document at the most.
pub const ROWS_MAX: usize = 1_000_000;
/// Characters in a text at the most.
const TEXT_CHARS_MAX: usize = 255;
/// Rows that are stored by one statement.
const INSERT_ROWS: usize = 5_000;

/// A document whose values have been read and not yet been judged.
///
/// ```
/// use finance_export::{Document, table};
///
/// let settings = table("settings").expect("a table of the document");
/// let mut document = Document::default();
/// document.push(settings, vec![Some("12.345".into())])?;
/// let refused = document.check().unwrap_err();
/// assert_eq!(refused.to_string(), "settings[0].savings_goal_pct: must have at most two decimals");
/// # Ok::<(), finance_domain::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct Document {
    rows: HashMap<&'static str, Vec<Row>>,
}

/// A document that [`restore`] takes: every value is what its column holds, every reference leads to a row.
#[derive(Debug)]
pub struct SoundDocument {
    rows: HashMap<&'static str, Vec<Row>>,
}

impl Document {
    /// Adds a row, its values in the order of the table's columns.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] where there are too many.
    pub fn push(&mut self, table: &'static Table, row: Row) -> Result<()> {
        let rows = self.rows.entry(table.name).or_default();
        if rows.len() == ROWS_MAX {
            return Err(Error::invalid(table.name, format!("must have at most {ROWS_MAX} rows")));
        }
        rows.push(row);
        Ok(())
    }

    /// Judges the document by itself; what else is wrong with it the store finds out.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] with the first thing that is wrong.
    pub fn check(mut self) -> Result<SoundDocument> {
        let mut known: Known = HashMap::new();
        for table in TABLES {
            for (at, row) in self.rows_mut(table).iter_mut().enumerate() {
                for (column, value) in table.columns.iter().zip(row.iter_mut()) {
                    let judged = judge(column, value.take(), &known);
                    *value = judged.map_err(|message| wrong(table, at, column.name, message))?;
                }
                if table.key == Key::Id
                    && let Some(Some(id)) = row.first()
                    && !known.entry(table.name).or_default().insert(id.clone())
                {
                    return Err(wrong(table, at, table.columns[0].name, "is the id of an earlier row"));
                }
            }
        }
        rules::check(&self.rows)?;
        Ok(SoundDocument { rows: self.rows })
    }

    fn rows_mut(&mut self, table: &'static Table) -> &mut Vec<Row> {
        self.rows.entry(table.name).or_default()
    }
}

/// The ids of a document's rows, by table.
type Known = HashMap<&'static str, HashSet<String>>;

/// That a value of a document is wrong.
pub(crate) fn wrong(table: &Table, at: usize, column: &str, message: impl Into<String>) -> Error {
    Error::invalid(format!("{}[{at}].{column}", table.name), message)
}

/// A value in the one form of its kind.
fn judge(column: &Column, value: Option<String>, known: &Known) -> Result<Option<String>, &'static str> {
    let Some(text) = value else {
        return if column.required { Err("must not be null") } else { Ok(None) };
    };
    Ok(Some(match column.kind {
        Kind::Id => match whole(&text)? {
            id if id > 0 => id.to_string(),
            _ => return Err("must be above zero"),
        },
        Kind::Reference(to) => {
            let id = whole(&text)?.to_string();
            if !known.get(to).is_some_and(|ids| ids.contains(&id)) {
                return Err("refers to a row that is not in the document");
            }
            id
        }
        Kind::Whole => whole(&text)?.to_string(),
        Kind::Money => text.parse::<Money>().map_err(|error| error.message())?.to_string(),
        Kind::Percentage => text.parse::<Percentage>().map_err(|error| error.message())?.to_string(),
        Kind::Name => {
            text::name(&text).and_then(|name| if name == text { Ok(name) } else { Err("must be trimmed") })?
        }
        Kind::Text | Kind::Word => plain(text)?,
        Kind::Date => parse_date(&text)?.to_string(),
        Kind::Month => text.parse::<Month>()?.to_string(),
        Kind::Instant => instant(&text)?,
        Kind::Flag => match text.as_str() {
            "true" | "false" => text,
            _ => return Err("must be true or false"),
        },
    }))
}

fn whole(text: &str) -> Result<i64, &'static str> {
    text.parse().map_err(|_| "must be a whole number")
}

fn plain(text: String) -> Result<String, &'static str> {
    if text.contains('\0') {
        Err("must not hold a NUL character")
    } else if text.is_empty() || text.chars().nth(TEXT_CHARS_MAX).is_some() {
        Err("must have 1 to 255 characters")
    } else {
        Ok(text)
    }
}

fn instant(text: &str) -> Result<String, &'static str> {
    const EXPECTED: &str = "must be an instant as 2026-01-31T12:00:00Z";
    let instant = OffsetDateTime::parse(text, &Rfc3339).map_err(|_| EXPECTED)?;
    let utc = instant.checked_to_offset(UtcOffset::UTC).ok_or(EXPECTED)?;
    if !YEARS.contains(&utc.year()) {
        return Err("must lie in the years 1900 to 2199");
    }
    utc.format(&Rfc3339).map_err(|_| EXPECTED)
}

/// Stores a document in the caller's profile, which must be empty, and tells how many rows that were.
/// The standard categories of the profile give way to those of the document.
///
/// # Errors
///
/// [`Error::Invalid`] where the profile owns something already, or the document breaks a rule.
pub fn restore(repo: &mut dyn Repo, catalog: &Catalog, document: SoundDocument) -> Result<u64> {
    if let Some(name) = repo.restore_obstacle(TABLES)? {
        let message = format!("is not empty, it has rows in {name}; a document is restored into a new profile only");
        return Err(Error::invalid("profile", message));
    }
    wears_what_there_is(catalog, &document)?;
    repo.restore_clear()?;
    let mut rows = document.rows;
    let mut ids: HashMap<&'static str, HashMap<String, String>> = HashMap::new();
    let mut count = 0;
    for table in TABLES {
        let mut rows = rows.remove(table.name).unwrap_or_default();
        count += rows.len() as u64;
        if table.key == Key::Id {
            // In the order of their ids, which decides between rows of one date.
            rows.sort_by_cached_key(|row| row.first().and_then(Option::as_deref).and_then(|id| id.parse::<i64>().ok()));
            let given = repo.restore_ids(table, rows.len())?;
            let before = rows.iter().filter_map(|row| row.first().cloned().flatten());
            ids.insert(table.name, before.zip(given).map(|(before, now)| (before, now.to_string())).collect());
        }
        for row in &mut rows {
            renumber(table, row, &ids)?;
        }
        for some in rows.chunks(INSERT_ROWS) {
            repo.restore_insert(table, some)?;
        }
    }
    Ok(count)
}

/// Replaces the ids of a row by those it is stored under.
fn renumber(table: &Table, row: &mut Row, ids: &HashMap<&'static str, HashMap<String, String>>) -> Result<()> {
    for (column, value) in table.columns.iter().zip(row) {
        let of = match column.kind {
            Kind::Id => table.name,
            Kind::Reference(to) => to,
            _ => continue,
        };
        if let Some(id) = value {
            let given = ids.get(of).and_then(|ids| ids.get(id));
            *id = given.cloned().ok_or_else(|| Error::Internal(format!("{of} has no row {id}").into()))?;
        }
    }
    Ok(())
}

/// A cosmetic that no catalog knows cannot be worn.
fn wears_what_there_is(catalog: &Catalog, document: &SoundDocument) -> Result<()> {
    let Some(table) = table("equipped_cosmetics") else { return Ok(()) };
    for (at, row) in document.rows.get(table.name).into_iter().flatten().enumerate() {
        if let [Some(kind), Some(id)] = row.as_slice() {
            let known = id.parse().ok().and_then(|id| catalog.cosmetic(CosmeticId(id)));
            if known.is_none_or(|known| known.kind.as_str() != kind) {
                return Err(wrong(table, at, "cosmetic_id", format!("is no cosmetic of kind {kind}")));
            }
        }
    }
    Ok(())
}
