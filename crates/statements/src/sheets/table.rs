//! The cells of a sheet, and the lines of text that are made from them.

use time::Date;

use super::formats::{self, Kind};
use crate::amount;
use crate::csv::may_be_date;
use crate::date::Epoch;
use crate::{Error, Options};

/// The most cells of all sheets together.
const CELLS_MAX: usize = 500_000;
/// The most bytes of the texts of all cells.
const TEXT_BYTES_MAX: usize = 8 * 1024 * 1024;
/// The most bytes of the lines of all sheets together. Merged cells repeat a text.
const LINES_BYTES_MAX: usize = 16 * 1024 * 1024;
/// The most blank cells, line ends and separators of all sheets together.
const BLANKS_MAX: usize = 2_000_000;
/// The most bytes of a cell. The rest is cut, as in a description.
const CELL_BYTES_MAX: usize = 4 * 1024;
/// The rows that a sheet can have.
const ROWS_MAX: u32 = 1_048_576;
/// The most columns that are read, which is the most fields of a line.
pub(super) const COLUMNS_MAX: u32 = 512;
/// The most sheets of a workbook.
pub(super) const SHEETS_MAX: usize = 100;
/// The character between two cells of a line. No cell contains it.
pub(super) const SEPARATOR: u8 = 0x1F;

/// Receives a sheet with its name, before the next one is read.
pub(super) type Take<'t> = dyn FnMut(&str, &mut Table<'_>) -> Result<(), Error> + 't;

/// Merged cells of a column: only the first of them has the value.
#[derive(Debug, Clone, Copy)]
pub(super) struct Merged {
    /// Their column.
    pub(super) column: u32,
    /// The first row.
    pub(super) first: u32,
    /// The last row.
    pub(super) last: u32,
}

#[derive(Debug, Clone, Copy)]
struct Cell {
    row: u32,
    column: u32,
    start: u32,
    length: u32,
}

/// The cells of one sheet. It is used for all sheets of a workbook, and the limits apply to all of them together.
#[derive(Debug)]
pub(super) struct Table<'o> {
    options: &'o Options,
    /// The epoch of the numbers of dates.
    pub(super) epoch: Epoch,
    cells: Vec<Cell>,
    text: String,
    cells_left: usize,
    blanks_left: usize,
    bytes_left: usize,
    lines_bytes_left: usize,
}

impl<'o> Table<'o> {
    pub(super) fn new(options: &'o Options) -> Self {
        Table {
            options,
            epoch: Epoch::Year1900,
            cells: Vec::new(),
            text: String::new(),
            cells_left: CELLS_MAX,
            blanks_left: BLANKS_MAX,
            bytes_left: TEXT_BYTES_MAX,
            lines_bytes_left: LINES_BYTES_MAX,
        }
    }

    /// Begins another sheet.
    pub(super) fn clear(&mut self) {
        self.cells.clear();
        self.text.clear();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// Adds a cell with a text. Rows and columns count from 0. Blank cells are left out.
    pub(super) fn text(&mut self, row: u32, column: u32, text: &str) -> Result<(), Error> {
        let text = cut(text.trim());
        if text.is_empty() || column >= COLUMNS_MAX {
            return self.spend_blanks(1);
        }
        if row >= ROWS_MAX {
            return Err(too_large(format!("A planilha tem mais de {ROWS_MAX} linhas")));
        }
        self.spend_cell()?;
        let start = self.text.len();
        // A line must not contain a line end, and a cell must not contain the separator.
        self.text.extend(text.chars().map(|character| if character.is_control() { ' ' } else { character }));
        let length = self.text.len() - start;
        self.bytes_left = self.bytes_left.checked_sub(length).ok_or_else(text_too_large)?;
        // Both fit, because the text has at most 16 MiB.
        self.cells.push(Cell { row, column, start: start as u32, length: length as u32 });
        Ok(())
    }

    /// Adds a cell with a number, written in the format of its kind.
    pub(super) fn number(&mut self, row: u32, column: u32, value: f64, kind: Kind) -> Result<(), Error> {
        let date = match kind {
            Kind::Date => formats::date(value, self.epoch),
            Kind::Time => return self.text(row, column, &formats::time(value)),
            Kind::Number => None,
        };
        match date {
            Some(date) => self.date(row, column, date),
            None => self.decimal(row, column, &formats::shortest(value)),
        }
    }

    /// Adds a cell with a decimal number, written with a dot.
    ///
    /// The reader of lines must read the same number, whichever decimal separator the texts of its column have. Three
    /// decimals alone could be a group of thousands.
    pub(super) fn decimal(&mut self, row: u32, column: u32, number: &str) -> Result<(), Error> {
        self.text(row, column, &self.decimal_text(number))
    }

    /// The text of a decimal number, written with a dot.
    pub(super) fn decimal_text(&self, number: &str) -> String {
        let Some((whole, decimals)) = number.split_once('.') else { return number.to_string() };
        let mark = self.options.decimal_separator.unwrap_or(',');
        let zero = if decimals.len() == 3 { "0" } else { "" };
        format!("{whole}{mark}{decimals}{zero}")
    }

    /// Adds a cell with a date, written in the date format of the options.
    pub(super) fn date(&mut self, row: u32, column: u32, date: Date) -> Result<(), Error> {
        self.text(row, column, &self.date_text(date))
    }

    /// The text of a date. A format without a year would lose it.
    pub(super) fn date_text(&self, date: Date) -> String {
        match self.options.date_format.as_ref().filter(|format| format.has_year()) {
            Some(format) => format.write(date),
            None => format!("{:04}-{:02}-{:02}", date.year(), u8::from(date.month()), date.day()),
        }
    }

    /// Gives vertically merged cells the value of the first. It is used for headers on two lines, and for one date beside
    /// several rows. An amount beside a description on two lines is one amount.
    pub(super) fn fill(&mut self, merged: &[Merged]) -> Result<(), Error> {
        self.sort();
        let mut filled = Vec::new();
        for Merged { column, first, last } in merged {
            let Ok(at) = self.cells.binary_search_by_key(&(*first, *column), |cell| (cell.row, cell.column)) else {
                continue;
            };
            let text = self.text_of(self.cells[at]);
            if amount::is_amount(text) && !may_be_date(text) {
                continue;
            }
            for row in first.saturating_add(1)..=(*last).min(ROWS_MAX - 1) {
                self.spend_cell()?;
                filled.push(Cell { row, ..self.cells[at] });
            }
        }
        self.cells.extend(filled);
        Ok(())
    }

    fn text_of(&self, cell: Cell) -> &str {
        &self.text[cell.start as usize..][..cell.length as usize]
    }

    fn spend_cell(&mut self) -> Result<(), Error> {
        let left = self.cells_left.checked_sub(1);
        self.cells_left =
            left.ok_or_else(|| too_large(format!("A planilha tem mais de {CELLS_MAX} células preenchidas")))?;
        Ok(())
    }

    fn spend_blanks(&mut self, count: usize) -> Result<(), Error> {
        let left = self.blanks_left.checked_sub(count);
        self.blanks_left =
            left.ok_or_else(|| too_large(format!("A planilha tem mais de {BLANKS_MAX} células vazias")))?;
        Ok(())
    }

    fn sort(&mut self) {
        self.cells.sort_by_key(|cell| (cell.row, cell.column));
    }

    /// The lines of the sheet. The number of a line is the number of its row.
    pub(super) fn render(&mut self) -> Result<String, Error> {
        self.sort();
        // If a cell is written twice, the first value counts.
        self.cells.dedup_by_key(|cell| (cell.row, cell.column));
        let mut lines = String::with_capacity(self.text.len() + 2 * self.cells.len());
        let (mut row, mut column) = (0, 0);
        let cells = std::mem::take(&mut self.cells);
        for cell in &cells {
            let (new_rows, from) = (cell.row - row, if cell.row == row { column } else { 0 });
            let separators = cell.column - from;
            self.spend_blanks(new_rows as usize + separators as usize)?;
            lines.extend(std::iter::repeat_n('\n', new_rows as usize));
            lines.extend(std::iter::repeat_n(char::from(SEPARATOR), separators as usize));
            (row, column) = (cell.row, cell.column);
            let text = self.text_of(*cell);
            if text.starts_with('"') {
                push_quoted(&mut lines, text);
            } else {
                lines.push_str(text);
            }
            if lines.len() > self.lines_bytes_left {
                return Err(text_too_large());
            }
        }
        self.lines_bytes_left -= lines.len();
        Ok(lines)
    }
}

/// Adds a text as a quoted field. A quote in it is written twice.
fn push_quoted(lines: &mut String, text: &str) {
    lines.push('"');
    for piece in text.split_inclusive('"') {
        lines.push_str(piece);
        if piece.ends_with('"') {
            lines.push('"');
        }
    }
    lines.push('"');
}

/// The text, cut to the most bytes of a cell.
pub(super) fn cut(text: &str) -> &str {
    let mut end = text.len().min(CELL_BYTES_MAX);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Adds the part of a text that still fits into a cell.
pub(super) fn append(text: &mut String, piece: &str) {
    // The rest is cut when the text is added to a table. Until then up to twice as much is stored.
    if text.len() < CELL_BYTES_MAX {
        text.push_str(cut(piece));
    }
}

fn text_too_large() -> Error {
    too_large(format!("A planilha tem mais de {} MB de texto", TEXT_BYTES_MAX / 1024 / 1024))
}

/// The error of a workbook with too many sheets.
pub(super) fn too_many_sheets() -> Error {
    too_large(format!("O arquivo tem mais de {SHEETS_MAX} planilhas"))
}

fn too_large(what: String) -> Error {
    Error::TooLarge(what)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_on_the_line_of_its_row_and_contains_no_separator() {
        let options = Options::default();
        let mut table = Table::new(&options);
        table.text(3, 1, "b\r\nc\u{1F}d").unwrap();
        table.text(1, 0, " a ").unwrap();
        table.text(1, 2, "\"x\" y").unwrap();
        table.text(1, 3, "  ").unwrap();
        table.text(1, COLUMNS_MAX, "beyond").unwrap();
        table.text(1, 0, "again").unwrap();
        assert_eq!(table.render().unwrap(), "\na\u{1F}\u{1F}\"\"\"x\"\" y\"\n\n\u{1F}b  c d");
    }

    #[test]
    fn a_number_is_written_so_that_it_is_no_group_of_thousands() {
        let (comma, dot) = (Options::default(), Options { decimal_separator: Some('.'), ..Options::default() });
        for (value, with_comma, with_dot) in [
            (12.5, "12,5", "12.5"),
            (1.234, "1,2340", "1.2340"),
            (-1234.0, "-1234", "-1234"),
            (0.1 + 0.2, "0,30000000000000004", "0.30000000000000004"),
            (1e21, "1000000000000000000000", "1000000000000000000000"),
        ] {
            for (options, text) in [(&comma, with_comma), (&dot, with_dot)] {
                let mut table = Table::new(options);
                table.number(0, 0, value, Kind::Number).unwrap();
                assert_eq!(table.render().unwrap(), text);
            }
        }
    }

    #[test]
    fn a_date_is_written_as_the_caller_says_that_dates_are() {
        let day_first = Options { date_format: Some("dd/mm/yy".parse().unwrap()), ..Options::default() };
        for (options, text) in [(Options::default(), "2026-01-31"), (day_first, "31/01/26")] {
            let mut table = Table::new(&options);
            table.number(0, 0, 46053.75, Kind::Date).unwrap();
            assert_eq!(table.render().unwrap(), text);
        }
    }

    #[test]
    fn merged_cells_below_each_other_have_the_first_value() {
        let options = Options::default();
        let mut table = Table::new(&options);
        table.text(0, 0, "a").unwrap();
        table.text(1, 1, "b").unwrap();
        table.fill(&[Merged { column: 0, first: 0, last: 2 }, Merged { column: 5, first: 0, last: 9 }]).unwrap();
        assert_eq!(table.render().unwrap(), "a\na\u{1F}b\na");
    }

    #[test]
    fn an_amount_that_is_merged_over_rows_is_one_amount() {
        let options = Options::default();
        let mut table = Table::new(&options);
        table.number(0, 0, 46053.0, Kind::Date).unwrap();
        table.number(0, 1, -120.5, Kind::Number).unwrap();
        table.text(0, 2, "02.03").unwrap();
        let merged = |column: u32| Merged { column, first: 0, last: 1 };
        table.fill(&[merged(0), merged(1), merged(2)]).unwrap();
        assert_eq!(table.render().unwrap(), "2026-01-31\u{1F}-120,5\u{1F}02.03\n2026-01-31\u{1F}\u{1F}02.03");
    }

    #[test]
    fn cells_rows_and_texts_are_limited() {
        let options = Options::default();
        let is_too_large = |result: Result<(), Error>| matches!(result, Err(Error::TooLarge(_)));
        let mut table = Table::new(&options);
        assert!(is_too_large(table.text(ROWS_MAX, 0, "x")));
        table.text(0, 0, "x").unwrap();
        assert!(is_too_large(table.fill(&[Merged { column: 0, first: 0, last: u32::MAX }; 2])));
        let mut table = Table::new(&options);
        let text = "x".repeat(CELL_BYTES_MAX + 1);
        let cells = (0..).take_while(|row| table.text(*row, 0, &text).is_ok()).count();
        assert_eq!(cells, TEXT_BYTES_MAX / CELL_BYTES_MAX);
        // Blank cells before the cells count as columns, but not as text.
        let mut table = Table::new(&options);
        for row in 0..70_000 {
            table.text(row, COLUMNS_MAX - 1, "x").unwrap();
        }
        assert!(is_too_large(table.render().map(|_| ())));
    }
}
