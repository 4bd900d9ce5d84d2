//! The export as a zip of CSV tables (RFC 4180, UTF-8), for spreadsheets.

use std::collections::HashMap;
use std::io::Write;

use finance_domain::export::{Column, Kind, Row, Table};
use finance_domain::{Error, Result};
use finance_export::ExportSink;
use finance_statements::defused;
use zip::result::ZipError;
use zip::write::{SimpleFileOptions, StreamWriter};
use zip::{CompressionMethod, ZipWriter};

use super::values::{field, instant};
use crate::display::display;
use crate::stream::client_gone;
use crate::words::{WordSchema, WordView};

finance_domain::words! {
    /// The customs that tables are written by.
    pub(super) enum Locale {
        /// Those of Brazil.
        Brazil = "pt-BR",
    }
}

impl WordSchema for Locale {
    const NAME: &'static str = "Locale";
    const DESCRIPTION: &'static str = "The customs that tables are written by.";
}

pub(super) type LocaleView = WordView<Locale>;

/// The tables whose rows are named instead of their ids.
const NAMED: [&str; 2] = ["categories", "accounts"];

/// The table that has what is shown of each row, too, where ids have names.
const SHOWN: &str = "transactions";

/// Writes the zip.
pub(super) struct TablesWriter<W: Write> {
    zip: ZipWriter<StreamWriter<W>>,
    table: Option<&'static Table>,
    /// Numbers have decimal commas, cells are apart by `;`, and categories and accounts have names.
    locale: Option<Locale>,
    /// The names of rows, by table and id.
    names: HashMap<(&'static str, String), String>,
}

impl<W: Write> TablesWriter<W> {
    /// Begins the zip.
    pub(super) fn begin(out: W, locale: Option<Locale>) -> Self {
        TablesWriter { zip: ZipWriter::new_stream(out), table: None, locale, names: HashMap::new() }
    }

    /// Ends the zip.
    pub(super) fn finish(self) -> Result<()> {
        self.zip.finish().map(drop).map_err(failed)
    }
}

fn failed(error: ZipError) -> Error {
    match error {
        ZipError::Io(error) => client_gone(error),
        error => Error::Internal(Box::new(error)),
    }
}

impl<W: Write> ExportSink for TablesWriter<W> {
    fn table(&mut self, table: &'static Table) -> Result<()> {
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
        self.zip.start_file(format!("{}.csv", table.name), options).map_err(failed)?;
        self.table = Some(table);
        let shown: &[&str] =
            if table.name == SHOWN && self.locale.is_some() { &["display_name", "display_method"] } else { &[] };
        let name = |column| match names_in(column, self.locale) {
            Some(_) => field(table, column).trim_end_matches("_id"),
            None => field(table, column),
        };
        let names = table.columns.iter().map(name).chain(shown.iter().copied());
        writeln_by(&mut self.zip, separator(self.locale), names.map(str::to_string))
    }

    fn rows(&mut self, rows: &[Row]) -> Result<()> {
        let Some(table) = self.table else { return Err(Error::Internal("rows of no table".into())) };
        let value = |row: &'_ Row, name: &str| table.position(name).and_then(|at| row.get(at).cloned().flatten());
        if self.locale.is_some() && NAMED.contains(&table.name) {
            let named = rows.iter().filter_map(|row| Some(((table.name, value(row, "id")?), value(row, "name")?)));
            self.names.extend(named);
        }
        let (names, locale) = (&self.names, self.locale);
        rows.iter().try_for_each(|row| {
            let cells = table.columns.iter().zip(row).map(|(column, value)| match value {
                None => String::new(),
                Some(text) => match names_in(column, locale).and_then(|to| names.get(&(to, text.clone()))) {
                    Some(name) => cell(Kind::Name, name),
                    None => localized(column.kind, cell(column.kind, text), locale),
                },
            });
            let mut cells: Vec<String> = cells.collect();
            if table.name == SHOWN && locale.is_some() {
                let description = value(row, "description").unwrap_or_default();
                let shown = display(&description, value(row, "statement_description").as_deref());
                cells.push(cell(Kind::Text, &shown.name));
                cells.push(shown.method.map(|method| method.as_str().to_string()).unwrap_or_default());
            }
            writeln_by(&mut self.zip, separator(locale), cells.into_iter())
        })
    }
}

/// The table whose names a column has instead of ids.
fn names_in(column: &Column, locale: Option<Locale>) -> Option<&'static str> {
    match column.kind {
        Kind::Reference(to) if locale.is_some() && NAMED.contains(&to) => Some(to),
        _ => None,
    }
}

/// Where numbers have decimal commas, spreadsheets separate cells by semicolons.
fn separator(locale: Option<Locale>) -> &'static str {
    match locale {
        Some(Locale::Brazil) => ";",
        None => ",",
    }
}

/// A cell with a decimal comma, if it is a number.
fn localized(kind: Kind, cell: String, locale: Option<Locale>) -> String {
    match (kind, locale) {
        (Kind::Money | Kind::Percentage, Some(Locale::Brazil)) => cell.replace('.', ","),
        _ => cell,
    }
}

pub(crate) fn writeln_csv(out: &mut impl Write, cells: impl Iterator<Item = String>) -> Result<()> {
    writeln_by(out, ",", cells)
}

fn writeln_by(out: &mut impl Write, separator: &str, cells: impl Iterator<Item = String>) -> Result<()> {
    let line: Vec<String> = cells.map(|cell| quoted(cell, separator)).collect();
    write!(out, "{}\r\n", line.join(separator)).map_err(client_gone)
}

/// A value as a cell. Text from people and banks gets an apostrophe where a spreadsheet would run it as a formula. Numbers,
/// including negative ones, stay numbers.
fn cell(kind: Kind, text: &str) -> String {
    match kind {
        Kind::Name | Kind::Text | Kind::Note => defused(text),
        Kind::Tags => defused(&text.replace('\n', "; ")),
        Kind::Instant => instant(text),
        _ => text.to_string(),
    }
}

fn quoted(cell: String, separator: &str) -> String {
    if cell.contains(separator) || cell.contains(['"', '\r', '\n']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_defused_and_numbers_are_not() {
        for text in ["=1+1", "+55 11", "-desconto", "@SUM(A1)", "＝1+1", "'=1"] {
            assert_eq!(cell(Kind::Text, text), format!("'{text}"));
            assert_eq!(cell(Kind::Name, text), format!("'{text}"));
        }
        for text in ["a=1", "a@b.example", "Compra 3/10 - loja", "x;y", "a, -b", "'a"] {
            assert_eq!(cell(Kind::Text, text), text);
        }
        assert_eq!(cell(Kind::Money, "-12.34"), "-12.34");
        assert_eq!(cell(Kind::Whole, "-1"), "-1");
    }

    /// A spreadsheet finds no formula, regardless of its cell separator and of whether it supports quotes.
    #[test]
    fn no_reading_of_a_line_finds_a_formula() {
        let pieces = ["a", "=1", "+", "-", "@", ";", ",", "\t", "\r", "\n", "\"", " ", "'"];
        // Every text of four pieces.
        for number in 0..pieces.len().pow(4) {
            let text: String = (0..4).map(|at| pieces[number / pieces.len().pow(at) % pieces.len()]).collect();
            let mut line = Vec::new();
            writeln_csv(&mut line, ["1".to_string(), cell(Kind::Text, &text), "2".to_string()].into_iter()).unwrap();
            let line = String::from_utf8(line).unwrap();
            for separator in [',', ';', '\t'] {
                // Only a spreadsheet that supports quotes can distinguish the commas of a text from those between cells.
                let unquoted = line.split([separator, '\r', '\n']).filter(|_| separator != ',').map(str::to_string);
                for found in cells_of(&line, separator).chain(unquoted) {
                    let start = found.trim_start_matches([' ', '"']);
                    assert!(!start.starts_with(['=', '+', '-', '@']), "{text:?}: {found:?} by {separator:?}");
                }
            }
        }
    }

    /// The cells of a line, as read by a spreadsheet that uses this separator and supports quotes.
    fn cells_of(line: &str, separator: char) -> impl Iterator<Item = String> {
        let (mut cells, mut cell, mut is_quoted) = (Vec::new(), String::new(), false);
        let mut letters = line.chars().peekable();
        while let Some(letter) = letters.next() {
            match letter {
                '"' if is_quoted && letters.peek() == Some(&'"') => cell.extend(letters.next()),
                '"' if is_quoted => is_quoted = false,
                '"' if cell.is_empty() => is_quoted = true,
                '\r' | '\n' if !is_quoted => cells.push(std::mem::take(&mut cell)),
                letter if letter == separator && !is_quoted => cells.push(std::mem::take(&mut cell)),
                letter => cell.push(letter),
            }
        }
        cells.push(cell);
        cells.into_iter()
    }

    #[test]
    fn cells_are_quoted_where_they_must_be() {
        let mut line = Vec::new();
        let cells = ["plain", "a,b", "he said \"no\"", "two\nlines", ""];
        writeln_csv(&mut line, cells.iter().map(|cell| cell.to_string())).unwrap();
        assert_eq!(String::from_utf8(line).unwrap(), "plain,\"a,b\",\"he said \"\"no\"\"\",\"two\nlines\",\r\n");
    }
}
