//! The export as a zip of CSV tables (RFC 4180, UTF-8), for spreadsheets.

use std::io::Write;

use finance_domain::export::{Kind, Row, Table};
use finance_domain::{Error, Result};
use finance_export::ExportSink;
use zip::result::ZipError;
use zip::write::{SimpleFileOptions, StreamWriter};
use zip::{CompressionMethod, ZipWriter};

use super::values::{field, instant};
use crate::stream::client_gone;

/// The characters that start a formula in a spreadsheet. The wide forms are those of East Asian keyboards.
const FORMULA_STARTS: [char; 8] = ['=', '+', '-', '@', '＝', '＋', '－', '＠'];
/// The characters after which a cell may start inside a text. A spreadsheet that separates cells by tabs, or by `;` as in
/// Portuguese settings, ignores the quotes around a text with commas.
const CELL_BREAKS: [char; 4] = [';', '\t', '\r', '\n'];
/// The characters that may stand between the start of a cell and the start of its formula.
const SKIPPED_AT_START: [char; 3] = [' ', '\u{a0}', '"'];

/// Writes the zip.
pub(super) struct TablesWriter<W: Write> {
    zip: ZipWriter<StreamWriter<W>>,
    table: Option<&'static Table>,
}

impl<W: Write> TablesWriter<W> {
    /// Begins the zip.
    pub(super) fn begin(out: W) -> Self {
        TablesWriter { zip: ZipWriter::new_stream(out), table: None }
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
        let names: Vec<&str> = table.columns.iter().map(|column| field(table, column)).collect();
        writeln_csv(&mut self.zip, names.iter().map(|name| name.to_string()))
    }

    fn rows(&mut self, rows: &[Row]) -> Result<()> {
        let Some(table) = self.table else { return Err(Error::Internal("rows of no table".into())) };
        rows.iter().try_for_each(|row| {
            let cells = table.columns.iter().zip(row).map(|(column, value)| match value {
                None => String::new(),
                Some(text) => cell(column.kind, text),
            });
            writeln_csv(&mut self.zip, cells)
        })
    }
}

pub(crate) fn writeln_csv(out: &mut impl Write, cells: impl Iterator<Item = String>) -> Result<()> {
    let line: Vec<String> = cells.map(quoted).collect();
    write!(out, "{}\r\n", line.join(",")).map_err(client_gone)
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

/// A text with an apostrophe before each character that would start a formula, wherever a spreadsheet may start a cell.
pub(crate) fn defused(text: &str) -> String {
    let mut defused = String::with_capacity(text.len() + 1);
    let mut is_cell_start = true;
    for letter in text.chars() {
        if is_cell_start && FORMULA_STARTS.contains(&letter) {
            defused.push('\'');
        }
        is_cell_start = CELL_BREAKS.contains(&letter) || (is_cell_start && SKIPPED_AT_START.contains(&letter));
        defused.push(letter);
    }
    defused
}

fn quoted(cell: String) -> String {
    if cell.contains([',', '"', '\r', '\n']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_defused_and_numbers_are_not() {
        for text in ["=1+1", "+55 11", "-desconto", "@SUM(A1)", "＝1+1"] {
            assert_eq!(cell(Kind::Text, text), format!("'{text}"));
            assert_eq!(cell(Kind::Name, text), format!("'{text}"));
        }
        for text in ["a=1", "a@b.example", "Compra 3/10 - loja", "x;y", "a, -b", "'=1"] {
            assert_eq!(cell(Kind::Text, text), text);
        }
        assert_eq!(cell(Kind::Money, "-12.34"), "-12.34");
        assert_eq!(cell(Kind::Whole, "-1"), "-1");
    }

    #[test]
    fn formulas_are_defused_wherever_a_spreadsheet_may_begin_a_cell() {
        for (text, defused) in [
            ("x;=cmd|' /C calc'!A0", "x;'=cmd|' /C calc'!A0"),
            ("x;+1;-2;@SUM(A1)", "x;'+1;'-2;'@SUM(A1)"),
            ("x; =1", "x; '=1"),
            ("x;\"=1", "x;\"'=1"),
            ("\"=1", "\"'=1"),
            ("x\t=1", "x\t'=1"),
            ("x\n=1", "x\n'=1"),
            ("x\r=1", "x\r'=1"),
            ("x\r\n=1", "x\r\n'=1"),
            ("\t=1", "\t'=1"),
            ("\r=1", "\r'=1"),
            ("==1", "'==1"),
        ] {
            assert_eq!(cell(Kind::Text, text), defused);
        }
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
