//! Sheets of XLSX: Office Open XML, transitional and strict.

use std::collections::HashMap;

use super::archive::Archive;
use super::formats::{Kind, shortest};
use super::strings::Strings;
use super::table::{Merged, SHEETS_MAX, Table, Take, append, too_many_sheets};
use super::xml::{self, Element, Node};
use crate::Error;
use crate::date::{Epoch, iso};

/// The most formats of a workbook, which is the limit of Excel. Cells with further formats are read as numbers.
const FORMATS_MAX: usize = 65_536;
/// The most merged areas that are read from a sheet.
const MERGED_MAX: usize = 10_000;
/// The most relations of a part. A workbook has one for each sheet, and a few more.
const RELATIONS_MAX: usize = 4_000;

/// Reads the visible sheets of a workbook.
pub(super) fn read(archive: &mut Archive<'_>, table: &mut Table<'_>, take: &mut Take<'_>) -> Result<(), Error> {
    let path = workbook_path(archive)?;
    let related = relations(archive, &path)?;
    let path_of = |kind: &str| related.values().find(|part| part.kind == kind).map(|part| part.path.as_str());
    let workbook = workbook(archive, &path)?;
    table.epoch = workbook.epoch;
    let strings = strings(archive, path_of("sharedStrings"))?;
    let formats = formats(archive, path_of("styles"))?;
    for (name, relation) in workbook.sheets {
        // A sheet may be a chart.
        let Some(part) = related.get(&relation).filter(|part| part.kind == "worksheet") else { continue };
        table.clear();
        let mut sheet = Sheet::new(&strings, &formats, table);
        if !archive.read(&part.path, &mut |node| sheet.node(node))? {
            return Err(xml::damaged());
        }
        let merged = sheet.merged;
        table.fill(&merged)?;
        take(&name, table)?;
    }
    Ok(())
}

/// A part that another part refers to.
#[derive(Debug)]
struct Part {
    /// The last word of its type: `worksheet`, `styles`.
    kind: String,
    path: String,
}

/// The parts that a part refers to, by their ids.
fn relations(archive: &mut Archive<'_>, path: &str) -> Result<HashMap<String, Part>, Error> {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let mut related = HashMap::new();
    archive.read(&format!("{folder}/_rels/{name}.rels"), &mut |node| {
        if let Node::Open(element) = node
            && element.name() == "Relationship"
            && let (Some(id), Some(kind), Some(target)) =
                (element.attribute("Id"), element.attribute("Type"), element.attribute("Target"))
            && related.len() < RELATIONS_MAX
        {
            let kind = kind.rsplit('/').next().unwrap_or_default().to_string();
            related.insert(id.into_owned(), Part { kind, path: resolved(folder, &target) });
        }
        Ok(())
    })?;
    Ok(related)
}

/// The path of a target that a part in this folder refers to.
fn resolved(folder: &str, target: &str) -> String {
    let whole = if target.starts_with('/') { target.to_string() } else { format!("{folder}/{target}") };
    let mut steps: Vec<&str> = Vec::new();
    for step in whole.split(['/', '\\']) {
        match step {
            "" | "." => {}
            ".." => drop(steps.pop()),
            step => steps.push(step),
        }
    }
    steps.join("/")
}

/// The path of the workbook.
///
/// # Errors
///
/// [`Error::Unsupported`] if the archive is not a workbook.
fn workbook_path(archive: &mut Archive<'_>) -> Result<String, Error> {
    let root = relations(archive, "")?;
    let named = root.into_values().find(|part| part.kind == "officeDocument").map(|part| part.path);
    let path = named.unwrap_or_else(|| "xl/workbook.xml".to_string());
    if archive.has(&path) && path.ends_with("workbook.xml") {
        return Ok(path);
    }
    Err(Error::Unsupported(if archive.has("xl/workbook.bin") {
        "uma planilha binária do Excel (XLSB)"
    } else if archive.has("word/document.xml") {
        "um documento do Word"
    } else if archive.has_below("Index/") {
        "uma planilha do Numbers"
    } else {
        "um arquivo ZIP"
    }))
}

#[derive(Debug)]
struct Workbook {
    /// The names of its visible sheets, and the ids of their relations.
    sheets: Vec<(String, String)>,
    epoch: Epoch,
}

fn workbook(archive: &mut Archive<'_>, path: &str) -> Result<Workbook, Error> {
    let mut workbook = Workbook { sheets: Vec::new(), epoch: Epoch::Year1900 };
    archive.read(path, &mut |node| {
        let Node::Open(element) = node else { return Ok(()) };
        match element.name() {
            "workbookPr" if element.attribute("date1904").is_some_and(|is| is == "1" || is == "true") => {
                workbook.epoch = Epoch::Year1904;
            }
            "sheet" => {
                let is_visible = element.attribute("state").is_none_or(|state| state == "visible");
                if let (true, Some(name), Some(id)) = (is_visible, element.attribute("name"), element.attribute("id")) {
                    if workbook.sheets.len() == SHEETS_MAX {
                        return Err(too_many_sheets());
                    }
                    workbook.sheets.push((name.into_owned(), id.into_owned()));
                }
            }
            _ => {}
        }
        Ok(())
    })?;
    Ok(workbook)
}

/// The texts that cells refer to. A text may consist of pieces in several fonts, and may have a phonetic reading, which is
/// skipped.
fn strings(archive: &mut Archive<'_>, path: Option<&str>) -> Result<Strings, Error> {
    let mut strings = Strings::default();
    let Some(path) = path else { return Ok(strings) };
    let mut piece = Piece::default();
    archive.read(path, &mut |node| {
        match node {
            Node::Open(element) if element.name() == "si" => piece = Piece::default(),
            Node::Close("si") => return strings.push(&piece.text),
            node => piece.node(&node),
        }
        Ok(())
    })?;
    Ok(strings)
}

/// A text that is put together from `t` elements.
#[derive(Debug, Default)]
struct Piece {
    text: String,
    is_text: bool,
    is_phonetic: bool,
}

impl Piece {
    fn node(&mut self, node: &Node<'_>) {
        match node {
            Node::Open(element) => match element.name() {
                "t" => self.is_text = true,
                "rPh" => self.is_phonetic = true,
                _ => {}
            },
            Node::Close("t") => self.is_text = false,
            Node::Close("rPh") => self.is_phonetic = false,
            Node::Text(text) if self.is_text && !self.is_phonetic => append(&mut self.text, text),
            _ => {}
        }
    }
}

/// The kinds of values that numbers are shown as, by the number of a cell's style.
fn formats(archive: &mut Archive<'_>, path: Option<&str>) -> Result<Vec<Kind>, Error> {
    let mut formats = Vec::new();
    let Some(path) = path else { return Ok(formats) };
    let mut codes: HashMap<usize, Kind> = HashMap::new();
    let mut is_cells = false;
    archive.read(path, &mut |node| {
        match node {
            Node::Open(element) => match element.name() {
                "cellXfs" => is_cells = true,
                "numFmt" if codes.len() < FORMATS_MAX => {
                    if let (Some(id), Some(code)) = (element.number("numFmtId"), element.attribute("formatCode")) {
                        codes.insert(id, Kind::of_code(&code));
                    }
                }
                "xf" if is_cells && formats.len() < FORMATS_MAX => {
                    let id = element.number("numFmtId").unwrap_or(0);
                    formats.push(codes.get(&id).copied().unwrap_or_else(|| Kind::of_number(id)));
                }
                _ => {}
            },
            Node::Close("cellXfs") => is_cells = false,
            _ => {}
        }
        Ok(())
    })?;
    Ok(formats)
}

/// Reads the cells of a sheet.
struct Sheet<'s, 't, 'o> {
    strings: &'s Strings,
    formats: &'s [Kind],
    table: &'t mut Table<'o>,
    row: u32,
    column: u32,
    cell: Option<Cell>,
    merged: Vec<Merged>,
}

/// The cell that is being read.
#[derive(Debug, Default)]
struct Cell {
    kind: String,
    format: Kind,
    /// The content of `v`: a number, the number of a shared text, or the result of a formula.
    value: String,
    is_value: bool,
    /// The content of `is`, an inline text.
    text: Piece,
}

impl<'s, 't, 'o> Sheet<'s, 't, 'o> {
    fn new(strings: &'s Strings, formats: &'s [Kind], table: &'t mut Table<'o>) -> Self {
        Sheet { strings, formats, table, row: 0, column: 0, cell: None, merged: Vec::new() }
    }

    fn node(&mut self, node: Node<'_>) -> Result<(), Error> {
        if let Some(cell) = &mut self.cell {
            match &node {
                Node::Close("c") => return self.end_cell(),
                Node::Open(element) if element.name() == "v" => cell.is_value = true,
                Node::Close("v") => cell.is_value = false,
                Node::Text(text) if cell.is_value => append(&mut cell.value, text),
                node => cell.text.node(node),
            }
            return Ok(());
        }
        match node {
            Node::Open(element) => match element.name() {
                "row" => {
                    if let Some(number) = element.number("r") {
                        self.row = u32::try_from(number.saturating_sub(1)).unwrap_or(u32::MAX);
                    }
                    self.column = 0;
                }
                "c" => self.begin_cell(element),
                "mergeCell" => self.merge(element),
                _ => {}
            },
            Node::Close("row") => self.row = self.row.saturating_add(1),
            _ => {}
        }
        Ok(())
    }

    fn begin_cell(&mut self, element: &Element<'_>) {
        if let Some((row, column)) = element.attribute("r").and_then(|place| position(&place)) {
            (self.row, self.column) = (row, column);
        }
        let format = element.number("s").and_then(|style| self.formats.get(style)).copied().unwrap_or_default();
        let kind = element.attribute("t").unwrap_or_default().into_owned();
        self.cell = Some(Cell { kind, format, ..Cell::default() });
    }

    fn end_cell(&mut self) -> Result<(), Error> {
        let Some(Cell { kind, format, value, text, .. }) = self.cell.take() else { return Ok(()) };
        let (row, column) = (self.row, self.column);
        self.column = self.column.saturating_add(1);
        let table = &mut *self.table;
        match kind.as_str() {
            "inlineStr" => table.text(row, column, &text.text),
            "s" => {
                let text = value.trim().parse().ok().and_then(|at| self.strings.get(at));
                table.text(row, column, text.unwrap_or_default())
            }
            "d" => match iso(&value) {
                Some(date) => table.date(row, column, date),
                None => table.text(row, column, &value),
            },
            "b" => table.text(row, column, if value.trim() == "0" { "FALSE" } else { "TRUE" }),
            "" | "n" => match value.trim().parse::<f64>() {
                Ok(number) if !shortest(number).is_empty() => table.number(row, column, number, format),
                _ => table.text(row, column, &value),
            },
            // `str`, the text of a formula, and `e`, an error such as `#N/A`.
            _ => table.text(row, column, &value),
        }
    }

    fn merge(&mut self, element: &Element<'_>) {
        let Some(area) = element.attribute("ref") else { return };
        let Some((first, last)) = area.split_once(':') else { return };
        if let (Some(first), Some(last)) = (position(first), position(last))
            && first.0 < last.0
            && self.merged.len() < MERGED_MAX
        {
            self.merged.push(Merged { column: first.1, first: first.0, last: last.0 });
        }
    }
}

/// The row and column of a cell's name, such as `B7`, from 0.
fn position(name: &str) -> Option<(u32, u32)> {
    let letters = name.bytes().take_while(u8::is_ascii_alphabetic).count();
    let (letters, digits) = name.split_at(letters);
    let column = letters.bytes().try_fold(0_u32, |column, letter| {
        column.checked_mul(26)?.checked_add(u32::from(letter.to_ascii_uppercase() - b'A') + 1)
    })?;
    let row: u32 = digits.parse().ok()?;
    Some((row.checked_sub(1)?, column.checked_sub(1)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_cell_is_its_row_and_column() {
        for (name, expected) in [
            ("A1", Some((0, 0))),
            ("b7", Some((6, 1))),
            ("AA10", Some((9, 26))),
            ("XFD1048576", Some((1_048_575, 16_383))),
            ("A0", None),
            ("1", None),
            ("A", None),
            ("", None),
            ("A-1", None),
            ("ZZZZZZZZ1", None),
            ("A99999999999", None),
            ("É1", None),
        ] {
            assert_eq!(position(name), expected, "{name}");
        }
    }

    #[test]
    fn a_target_is_relative_to_its_folder() {
        for (folder, target, expected) in [
            ("xl", "worksheets/sheet1.xml", "xl/worksheets/sheet1.xml"),
            ("xl", "/xl/styles.xml", "xl/styles.xml"),
            ("xl", "../other/x.xml", "other/x.xml"),
            ("", "xl/workbook.xml", "xl/workbook.xml"),
            ("xl", ".\\sheet.xml", "xl/sheet.xml"),
            ("", "../../x", "x"),
        ] {
            assert_eq!(resolved(folder, target), expected, "{target}");
        }
    }
}
