//! The export as a zip of CSV tables (RFC 4180, UTF-8), for spreadsheets.

use std::io::Write;

use finance_domain::export::{ExportSink, Kind, Row, Table};
use finance_domain::{Error, Result};
use zip::result::ZipError;
use zip::write::{SimpleFileOptions, StreamWriter};
use zip::{CompressionMethod, ZipWriter};

use super::{field, instant, taker_gone};

/// What a spreadsheet takes for the beginning of a formula, or for more to come before one.
const FORMULA_STARTS: [char; 6] = ['=', '+', '-', '@', '\t', '\r'];

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
        ZipError::Io(error) => taker_gone(error),
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

fn writeln_csv(out: &mut impl Write, cells: impl Iterator<Item = String>) -> Result<()> {
    let line: Vec<String> = cells.map(quoted).collect();
    write!(out, "{}\r\n", line.join(",")).map_err(taker_gone)
}

/// A value as a cell. What people and banks wrote gets an apostrophe where a spreadsheet would run it; numbers
/// stay numbers, the negative ones too.
fn cell(kind: Kind, text: &str) -> String {
    match kind {
        Kind::Name | Kind::Text if text.starts_with(FORMULA_STARTS) => format!("'{text}"),
        Kind::Instant => instant(text),
        _ => text.to_string(),
    }
}

fn quoted(cell: String) -> String {
    if cell.contains([',', '"', '\r', '\n']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_defused_and_numbers_are_not() {
        for text in ["=1+1", "+55 11", "-desconto", "@SUM(A1)", "\t=1", "\r=1"] {
            assert_eq!(cell(Kind::Text, text), format!("'{text}"));
            assert_eq!(cell(Kind::Name, text), format!("'{text}"));
        }
        assert_eq!(cell(Kind::Text, "a=1"), "a=1");
        assert_eq!(cell(Kind::Money, "-12.34"), "-12.34");
        assert_eq!(cell(Kind::Whole, "-1"), "-1");
    }

    #[test]
    fn cells_are_quoted_where_they_must_be() {
        let mut line = Vec::new();
        let cells = ["plain", "a,b", "he said \"no\"", "two\nlines", ""];
        writeln_csv(&mut line, cells.iter().map(|cell| cell.to_string())).unwrap();
        assert_eq!(String::from_utf8(line).unwrap(), "plain,\"a,b\",\"he said \"\"no\"\"\",\"two\nlines\",\r\n");
    }
}
