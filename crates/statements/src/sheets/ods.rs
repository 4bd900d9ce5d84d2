//! Sheets of ODS (OpenDocument).

use std::collections::HashSet;

use super::archive::Archive;
use super::formats::shortest;
use super::table::{COLUMNS_MAX, Merged, SHEETS_MAX, Table, Take, append, cut, too_many_sheets};
use super::xml::{self, Element, Node};
use crate::Error;
use crate::date::iso;

/// The part with the sheets.
pub(super) const CONTENT: &str = "content.xml";
/// The part that lists the others, and says how they are encrypted.
const MANIFEST: &str = "META-INF/manifest.xml";
/// The most styles of hidden sheets.
const HIDDEN_STYLES_MAX: usize = 1_000;
/// The most merged areas that are read from a sheet.
const MERGED_MAX: usize = 10_000;
/// The most blanks that one element may stand for.
const BLANKS_MAX: usize = 100;

/// Reads the visible sheets of a document.
pub(super) fn read(archive: &mut Archive<'_>, table: &mut Table<'_>, take: &mut Take<'_>) -> Result<(), Error> {
    archive.read(MANIFEST, &mut |node| match node {
        Node::Open(element) if element.name() == "encryption-data" => Err(xml::encrypted()),
        _ => Ok(()),
    })?;
    let mut document = Document {
        table,
        take,
        style: None,
        hidden: HashSet::new(),
        is_spreadsheet: false,
        count: 0,
        sheet: None,
        depth: 0,
    };
    archive.read(CONTENT, &mut |node| document.node(node))?;
    if document.is_spreadsheet {
        Ok(())
    } else {
        Err(Error::Unsupported("um documento do LibreOffice, e não uma planilha"))
    }
}

struct Document<'d, 'o> {
    table: &'d mut Table<'o>,
    take: &'d mut Take<'d>,
    /// The style that is being read.
    style: Option<String>,
    /// The styles of hidden sheets.
    hidden: HashSet<String>,
    is_spreadsheet: bool,
    /// The sheets so far.
    count: usize,
    sheet: Option<Sheet>,
    /// How many tables contain the node. Only the cells of the outermost are read.
    depth: usize,
}

/// The sheet that is being read.
#[derive(Debug, Default)]
struct Sheet {
    name: String,
    is_hidden: bool,
    row: u32,
    /// How often the row is repeated.
    row_count: u32,
    column: u32,
    /// The cells of the row: the first column, the one after the last, and the text, which is trimmed. They are added to the
    /// table at the end of the row, once for each repetition.
    cells: Vec<(u32, u32, String)>,
    cell: Option<Cell>,
    merged: Vec<Merged>,
}

/// The value of a cell.
#[derive(Debug)]
enum Value {
    Text(String),
    Number(f64),
    Date(time::Date),
}

/// The cell that is being read.
#[derive(Debug)]
struct Cell {
    /// How often the cell is repeated.
    count: u32,
    /// The number of rows that it is merged over.
    rows: u32,
    value: Option<Value>,
    text: String,
    paragraphs: usize,
    /// How many remarks contain the node. Their text is not the cell's.
    remarks: usize,
}

impl Document<'_, '_> {
    fn node(&mut self, node: Node<'_>) -> Result<(), Error> {
        match &node {
            Node::Open(element) if element.name() == "table" => return self.begin_table(element),
            Node::Close("table") => return self.end_table(),
            _ if self.depth > 1 => return Ok(()),
            _ => {}
        }
        if let Some(sheet) = &mut self.sheet {
            return if sheet.is_hidden { Ok(()) } else { sheet.node(&node, self.table) };
        }
        match node {
            Node::Open(element) => match element.name() {
                "spreadsheet" => self.is_spreadsheet = true,
                "style" => self.style = element.attribute("name").map(|name| name.into_owned()),
                "table-properties" if element.attribute("display").is_some_and(|display| display == "false") => {
                    if let Some(style) = self.style.take().filter(|_| self.hidden.len() < HIDDEN_STYLES_MAX) {
                        self.hidden.insert(style);
                    }
                }
                _ => {}
            },
            Node::Close("style") => self.style = None,
            _ => {}
        }
        Ok(())
    }

    fn begin_table(&mut self, element: &Element<'_>) -> Result<(), Error> {
        self.depth += 1;
        if self.depth > 1 {
            return Ok(());
        }
        self.count += 1;
        if self.count > SHEETS_MAX {
            return Err(too_many_sheets());
        }
        let style = element.attribute("style-name");
        self.table.clear();
        self.sheet = Some(Sheet {
            name: element.attribute("name").unwrap_or_default().into_owned(),
            is_hidden: style.is_some_and(|style| self.hidden.contains(&*style)),
            ..Sheet::default()
        });
        Ok(())
    }

    fn end_table(&mut self) -> Result<(), Error> {
        self.depth = self.depth.saturating_sub(1);
        if self.depth > 0 {
            return Ok(());
        }
        match self.sheet.take() {
            Some(sheet) if !sheet.is_hidden => {
                self.table.fill(&sheet.merged)?;
                (self.take)(&sheet.name, self.table)
            }
            _ => Ok(()),
        }
    }
}

impl Sheet {
    fn node(&mut self, node: &Node<'_>, table: &mut Table<'_>) -> Result<(), Error> {
        if let Some(cell) = &mut self.cell {
            match node {
                Node::Close("table-cell" | "covered-table-cell") => self.end_cell(table),
                node => cell.node(node),
            }
            return Ok(());
        }
        match node {
            Node::Open(element) => match element.name() {
                "table-row" => {
                    self.row_count = count(element, "number-rows-repeated");
                    (self.column, self.cells) = (0, Vec::new());
                }
                "table-cell" | "covered-table-cell" => self.cell = Some(Cell::new(element)),
                _ => {}
            },
            Node::Close("table-row") => return self.end_row(table),
            _ => {}
        }
        Ok(())
    }

    fn end_cell(&mut self, table: &Table<'_>) {
        let Some(cell) = self.cell.take() else { return };
        let end = self.column.saturating_add(cell.count);
        let is_merged = cell.rows > 1 && self.merged.len() < MERGED_MAX;
        let text = match cell.value {
            None => trimmed(&cell.text),
            Some(Value::Text(text)) => trimmed(&text),
            Some(Value::Number(number)) => table.decimal_text(&shortest(number)),
            Some(Value::Date(date)) => table.date_text(date),
        };
        if !text.is_empty() && self.column < COLUMNS_MAX {
            if is_merged {
                let last = self.row.saturating_add(cell.rows - 1);
                self.merged.push(Merged { column: self.column, first: self.row, last });
            }
            self.cells.push((self.column, end.min(COLUMNS_MAX), text));
        }
        self.column = end;
    }

    fn end_row(&mut self, table: &mut Table<'_>) -> Result<(), Error> {
        let first = self.row;
        self.row = first.saturating_add(self.row_count);
        if self.cells.is_empty() {
            return Ok(());
        }
        // The table refuses more cells than it may have, so a large count ends soon.
        for row in first..self.row {
            for (start, end, text) in &self.cells {
                for column in *start..*end {
                    table.text(row, column, text)?;
                }
            }
        }
        Ok(())
    }
}

impl Cell {
    fn new(element: &Element<'_>) -> Self {
        let attribute = |name| element.attribute(name);
        let value = match attribute("value-type").as_deref() {
            Some("float" | "currency" | "percentage") => attribute("value").map(|value| match value.trim().parse() {
                Ok(number) if f64::is_finite(number) => Value::Number(number),
                _ => Value::Text(value.into_owned()),
            }),
            Some("date") => attribute("date-value").map(|value| match iso(&value) {
                Some(date) => Value::Date(date),
                None => Value::Text(value.into_owned()),
            }),
            Some("string") => attribute("string-value").map(|value| Value::Text(value.into_owned())),
            // The text of a time is the one shown.
            _ => None,
        };
        Cell {
            count: count(element, "number-columns-repeated"),
            rows: count(element, "number-rows-spanned"),
            value,
            text: String::new(),
            paragraphs: 0,
            remarks: 0,
        }
    }

    fn node(&mut self, node: &Node<'_>) {
        match node {
            Node::Open(element) if element.name() == "annotation" => self.remarks += 1,
            Node::Close("annotation") => self.remarks = self.remarks.saturating_sub(1),
            _ if self.remarks > 0 => {}
            Node::Open(element) => match element.name() {
                "p" => {
                    self.paragraphs += 1;
                    if self.paragraphs > 1 {
                        append(&mut self.text, " ");
                    }
                }
                "s" => append(&mut self.text, &" ".repeat(element.number("c").unwrap_or(1).min(BLANKS_MAX))),
                "tab" | "line-break" => append(&mut self.text, " "),
                _ => {}
            },
            Node::Text(text) if self.paragraphs > 0 => append(&mut self.text, text),
            _ => {}
        }
    }
}

/// A text as a cell has it. It is prepared once, however often the cell is repeated.
fn trimmed(text: &str) -> String {
    cut(text.trim()).to_string()
}

/// How often an element is repeated.
fn count(element: &Element<'_>, name: &str) -> u32 {
    element.number(name).map_or(1, |count| u32::try_from(count.max(1)).unwrap_or(u32::MAX))
}
