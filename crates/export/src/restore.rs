//! Restores a document into an empty profile, completely or not at all, with new ids.

use std::collections::{HashMap, HashSet};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use finance_domain::export::{Column, Key, Kind, Row, Table};
use finance_domain::gamification::Catalog;
use finance_domain::month::{COMPUTED_YEARS, YEARS, parse_date_within, year_out_of_range};
use finance_domain::tables::{TABLES, complete, invalid, table};
use finance_domain::tags::{self, TAGS_MAX};
use finance_domain::text::NOTE_CHARS_MAX;
use finance_domain::use_cases::{anchors, budgets, credit_bills};
use finance_domain::{Context, CosmeticId, Error, Money, Month, Percentage, Refusal, Repo, Result, Violation, text};
use time::format_description::well_known::Rfc3339;
use time::{Date, Duration, OffsetDateTime, UtcOffset};

use crate::rules;

/// The most rows of a table in a document.
pub const ROWS_MAX: usize = 10_000_000;
/// The most characters of a text.
const TEXT_CHARS_MAX: usize = 255;
/// The most rows that one statement stores.
const INSERT_ROWS: usize = 5_000;

/// A document that was read, but not checked yet.
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

/// A checked document, the input of [`restore`]: every value is valid for its column, and every reference names a row.
#[derive(Debug)]
pub struct SoundDocument {
    rows: HashMap<&'static str, Vec<Row>>,
}

impl Document {
    /// Adds a row. Its values have the order of the table's columns.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] if the table has too many rows.
    pub fn push(&mut self, table: &'static Table, row: Row) -> Result<()> {
        let rows = self.rows.entry(table.name).or_default();
        if rows.len() == ROWS_MAX {
            return Err(Error::invalid(table.name, Violation::document(format!("must have at most {ROWS_MAX} rows"))));
        }
        rows.push(row);
        Ok(())
    }

    /// Checks the values, and the rules between rows. The store checks its own constraints.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] with the first error.
    pub fn check(mut self) -> Result<SoundDocument> {
        rules::nets_refunds_at_first(&mut self.rows);
        let mut known: Known = HashMap::new();
        for table in TABLES {
            for (at, row) in self.rows_mut(table).iter_mut().enumerate() {
                complete(table, row);
                for (column, value) in table.columns.iter().zip(row.iter_mut()) {
                    let judged = judge(column, value.take(), &known);
                    *value = judged.map_err(|violation| invalid(table, at, column.name, violation))?;
                }
                if table.key == Key::Id
                    && let Some(Some(id)) = row.first()
                    && !known.entry(table.name).or_default().insert(id.clone())
                {
                    return Err(invalid(
                        table,
                        at,
                        table.columns[0].name,
                        Violation::document("is the id of an earlier row"),
                    ));
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

/// A checked value, in the canonical form of its kind.
fn judge(column: &Column, value: Option<String>, known: &Known) -> Result<Option<String>, Violation> {
    let Some(text) = value else {
        return if column.required { Err(Violation::Required) } else { Ok(None) };
    };
    Ok(Some(match column.kind {
        Kind::Id => match whole(&text)? {
            id if id > 0 => id.to_string(),
            _ => return Err(Violation::NotPositive),
        },
        Kind::Reference(to) => {
            let id = whole(&text)?.to_string();
            if !known.get(to).is_some_and(|ids| ids.contains(&id)) {
                return Err(Violation::document("refers to a row that is not in the document"));
            }
            id
        }
        Kind::Whole => whole(&text)?.to_string(),
        Kind::Money => text.parse::<Money>()?.to_string(),
        Kind::Percentage => text.parse::<Percentage>()?.to_string(),
        // Names and tags of an earlier version may have characters that are refused now. They are restored as they are: without
        // the characters, two of them could be equal.
        Kind::Name => text::stored_name(&text)
            .and_then(|name| if name == text { Ok(name) } else { Err(Violation::document("must be trimmed")) })?,
        // A client may send a statement's account without the end of its number.
        Kind::Text if column.name == "hint" && text.is_empty() => text,
        Kind::Text | Kind::Word => plain(text, TEXT_CHARS_MAX)?,
        Kind::Note => plain(text, NOTE_CHARS_MAX)?,
        Kind::Tags => tags(text)?,
        Kind::Date => parse_date_within(&text, &COMPUTED_YEARS)?.to_string(),
        Kind::Month => text.parse::<Month>()?.to_string(),
        Kind::Instant => instant(&text)?,
        Kind::Bytes => match STANDARD.decode(&text) {
            Ok(bytes) if !bytes.is_empty() => text,
            _ => return Err(Violation::document("must be bytes in Base64")),
        },
        Kind::Flag => match text.as_str() {
            "true" | "false" => text,
            _ => return Err(Violation::NotABoolean),
        },
    }))
}

fn whole(text: &str) -> Result<i64, Violation> {
    text.parse().map_err(|_| Violation::NotAWholeNumber)
}

/// The tags in their stored form.
fn tags(text: String) -> Result<String, Violation> {
    let mut known = HashSet::new();
    for tag in text.split('\n') {
        if tags::stored_tag(tag)? != tag {
            return Err(Violation::document("must be trimmed"));
        }
        if !known.insert(tags::key(tag)) {
            return Err(Violation::document("must have each tag once"));
        }
    }
    match known.len() {
        0..=TAGS_MAX => Ok(text),
        _ => Err(Violation::TooManyElements { max: TAGS_MAX as i64 }),
    }
}

fn plain(text: String, chars_max: usize) -> Result<String, Violation> {
    if text.contains('\0') {
        Err(Violation::NulCharacter)
    } else if text.is_empty() {
        Err(Violation::Blank { max: chars_max as i64 })
    } else if text.chars().nth(chars_max).is_some() {
        Err(Violation::TooLong { max: chars_max as i64 })
    } else {
        Ok(text)
    }
}

/// An instant in the precision of the store, which is microseconds. Finer digits are cut off: the store would round them, and the
/// last instant of the last year would become one of a year that no document may have. What an earlier release rounded so is
/// taken as the last instant of the last year.
fn instant(text: &str) -> Result<String, Violation> {
    let expected = || Violation::document("must be an instant as 2026-01-31T12:00:00Z");
    let instant = OffsetDateTime::parse(text, &Rfc3339).map_err(|_| expected())?;
    let utc = instant.checked_to_offset(UtcOffset::UTC).ok_or_else(expected)?;
    let rounded_up = Date::from_ordinal_date(*YEARS.end() + 1, 1).map(|date| date.midnight().assume_utc());
    let utc = if rounded_up == Ok(utc) { utc - Duration::microseconds(1) } else { utc };
    if !YEARS.contains(&utc.year()) {
        return Err(year_out_of_range());
    }
    let utc = utc.replace_nanosecond(utc.microsecond() * 1_000).map_err(|_| expected())?;
    utc.format(&Rfc3339).map_err(|_| expected())
}

/// Stores a document in the caller's profile, which must be empty. Returns the number of rows.
///
/// The document's categories replace the standard categories of the profile. The devices of its members end, so each of them logs in
/// again within a day. Webhooks are told which budgets of this month are exceeded.
///
/// # Errors
///
/// [`Refusal::NotEmpty`] if the profile has rows, [`Error::Invalid`] if the document breaks a rule.
pub fn restore(repo: &mut dyn Repo, context: &Context, document: SoundDocument) -> Result<u64> {
    if let Some(name) = repo.restore_obstacle(TABLES)? {
        return Err(Refusal::NotEmpty { table: name }.into());
    }
    wears_what_there_is(&context.catalog, &document)?;
    looks_like_what_there_is(&context.catalog, &document)?;
    repo.restore_clear()?;
    repo.devices_remove()?;
    let mut rows = document.rows;
    let mut ids: HashMap<&'static str, HashMap<String, String>> = HashMap::new();
    let mut count = 0;
    for table in TABLES {
        let mut rows = rows.remove(table.name).unwrap_or_default();
        count += rows.len() as u64;
        if table.key == Key::Id {
            // New ids follow the order of the old ones, which is the order of rows with the same date.
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
    repo.restore_finish()?;
    anchors::follow_restored(repo)?;
    credit_bills::align_restored(repo)?;
    budgets::tell_restored(repo, context)?;
    Ok(count)
}

/// Replaces the old ids in a row by the new ones.
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

/// Refuses equipped cosmetics that are not in the catalog.
fn wears_what_there_is(catalog: &Catalog, document: &SoundDocument) -> Result<()> {
    let Some(table) = table("equipped_cosmetics") else { return Ok(()) };
    for (at, row) in document.rows.get(table.name).into_iter().flatten().enumerate() {
        if let [Some(kind), Some(id)] = row.as_slice() {
            let known = id.parse().ok().and_then(|id| catalog.cosmetic(CosmeticId(id)));
            if known.is_none_or(|known| known.kind.as_str() != kind) {
                return Err(invalid(
                    table,
                    at,
                    "cosmetic_id",
                    Violation::document(format!("is no cosmetic of kind {kind}")),
                ));
            }
        }
    }
    Ok(())
}

/// Refuses appearances that are not in the catalog.
fn looks_like_what_there_is(catalog: &Catalog, document: &SoundDocument) -> Result<()> {
    let Some(table) = table("appearances") else { return Ok(()) };
    let choices = &catalog.drawable().choices;
    for (at, row) in document.rows.get(table.name).into_iter().flatten().enumerate() {
        for (column, value) in table.columns.iter().zip(row) {
            let known = match column.name {
                "skin" => &choices.skin,
                "hair_style" => &choices.hair_style,
                _ => &choices.body,
            };
            if !value.as_ref().is_some_and(|id| known.contains(id)) {
                return Err(invalid(table, at, column.name, Violation::not_one_of(known)));
            }
        }
    }
    Ok(())
}
