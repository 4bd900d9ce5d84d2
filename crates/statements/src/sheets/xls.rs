//! Sheets of XLS: BIFF 8 and 5 records in a Compound File.

use std::collections::HashMap;

use encoding_rs::WINDOWS_1252;

use super::cfb::{Compound, f64_at, u16_at, u32_at};
use super::formats::{Kind, hundredth, shortest};
use super::strings::Strings;
use super::table::{Merged, SHEETS_MAX, Table, Take, too_many_sheets};
use super::xml::{damaged, encrypted};
use crate::Error;
use crate::date::Epoch;
use crate::watch::Watch;

/// The most merged areas that are read from a sheet.
const MERGED_MAX: usize = 10_000;
/// The most bytes of the records of all sheets together. Several sheets may have the same records.
const RECORDS_BYTES_MAX: usize = 32 * 1024 * 1024;
/// The work of a record, in bytes of text.
const RECORD_WORK: usize = 16;
/// The version of BIFF 8, with texts in UTF-16.
const BIFF8: u16 = 0x0600;

// Records.
const FORMULA: u16 = 0x0006;
const END: u16 = 0x000A;
const DATE_MODE: u16 = 0x0022;
const FILE_PASS: u16 = 0x002F;
const CONTINUE: u16 = 0x003C;
const BOUND_SHEET: u16 = 0x0085;
const MULTIPLE_RK: u16 = 0x00BD;
const RICH_LABEL: u16 = 0x00D6;
const EXTENDED_FORMAT: u16 = 0x00E0;
const MERGED_CELLS: u16 = 0x00E5;
const SHARED_STRINGS: u16 = 0x00FC;
const SHARED_LABEL: u16 = 0x00FD;
const NUMBER: u16 = 0x0203;
const LABEL: u16 = 0x0204;
const BOOLEAN: u16 = 0x0205;
const STRING: u16 = 0x0207;
const RK: u16 = 0x027E;
const FORMAT: u16 = 0x041E;
const BEGIN: u16 = 0x0809;

/// Reads the visible sheets of a workbook.
pub(super) fn read(bytes: &[u8], watch: &Watch<'_>, table: &mut Table<'_>, take: &mut Take<'_>) -> Result<(), Error> {
    let file = Compound::open(bytes).ok_or_else(damaged)?;
    if file.has("EncryptedPackage") {
        return Err(encrypted());
    }
    let Some(name) = ["Workbook", "Book"].into_iter().find(|name| file.has(name)) else {
        return Err(Error::Unsupported("um documento antigo do Office, e não uma planilha"));
    };
    let stream = file.stream(name).ok_or_else(damaged)?;
    let workbook = Workbook::read(&stream)?;
    table.epoch = workbook.epoch;
    let mut bytes_left = RECORDS_BYTES_MAX;
    for (name, position) in &workbook.sheets {
        table.clear();
        let records = stream.get(*position..).ok_or_else(damaged)?;
        let length = workbook.sheet(records, bytes_left, watch, table)?;
        bytes_left = bytes_left.saturating_sub(length);
        take(name, table)?;
    }
    Ok(())
}

/// The records of a stream, each with its kind.
struct Records<'a> {
    bytes: &'a [u8],
}

impl<'a> Records<'a> {
    /// The next record.
    ///
    /// # Errors
    ///
    /// [`Error::Unreadable`] if the stream ends inside it, because a stream ends with its own record.
    fn next(&mut self) -> Result<(u16, &'a [u8]), Error> {
        let (kind, length) = (u16_at(self.bytes, 0), u16_at(self.bytes, 2));
        let (Some(kind), Some(length)) = (kind, length) else { return Err(damaged()) };
        let (data, rest) = self.bytes[4..].split_at_checked(length.into()).ok_or_else(damaged)?;
        self.bytes = rest;
        Ok((kind, data))
    }

    /// The records that continue the previous one.
    fn continued(&mut self, data: &'a [u8]) -> Result<Vec<&'a [u8]>, Error> {
        let mut pieces = vec![data];
        while u16_at(self.bytes, 0) == Some(CONTINUE) {
            pieces.push(self.next()?.1);
        }
        Ok(pieces)
    }
}

/// The data that all sheets share.
struct Workbook {
    is_biff8: bool,
    epoch: Epoch,
    /// The names of the visible sheets, and the positions of their records.
    sheets: Vec<(String, usize)>,
    formats: Vec<Kind>,
    strings: Strings,
}

impl Workbook {
    fn read(stream: &[u8]) -> Result<Self, Error> {
        let mut workbook = Workbook {
            is_biff8: true,
            epoch: Epoch::Year1900,
            sheets: Vec::new(),
            formats: Vec::new(),
            strings: Strings::default(),
        };
        let mut codes: HashMap<u16, Kind> = HashMap::new();
        let mut format_numbers = Vec::new();
        let mut records = Records { bytes: stream };
        loop {
            let (kind, data) = records.next()?;
            match kind {
                BEGIN => workbook.is_biff8 = u16_at(data, 0) == Some(BIFF8),
                FILE_PASS => return Err(encrypted()),
                DATE_MODE if u16_at(data, 0) == Some(1) => workbook.epoch = Epoch::Year1904,
                FORMAT => {
                    let code = if workbook.is_biff8 { text16(data, 2) } else { bytes8(data, 2) };
                    if let (Some(number), Some(code)) = (u16_at(data, 0), code) {
                        codes.insert(number, Kind::of_code(&code));
                    }
                }
                EXTENDED_FORMAT => format_numbers.push(u16_at(data, 2).unwrap_or(0)),
                BOUND_SHEET => workbook.bound_sheet(data)?,
                SHARED_STRINGS => {
                    let pieces = records.continued(data)?;
                    workbook.strings = shared_strings(pieces)?;
                }
                END => break,
                _ => {}
            }
        }
        let kind = |number: u16| codes.get(&number).copied().unwrap_or_else(|| Kind::of_number(number.into()));
        workbook.formats = format_numbers.into_iter().map(kind).collect();
        Ok(workbook)
    }

    fn bound_sheet(&mut self, data: &[u8]) -> Result<(), Error> {
        let name = if self.is_biff8 { text8(data, 6) } else { bytes8(data, 6) };
        let (Some(position), Some(name)) = (u32_at(data, 0), name) else { return Err(damaged()) };
        // The sheet is not hidden, and is neither a chart nor a module.
        if data.get(4..6) == Some(&[0, 0]) {
            if self.sheets.len() == SHEETS_MAX {
                return Err(too_many_sheets());
            }
            self.sheets.push((name, position as usize));
        }
        Ok(())
    }

    /// Adds the cells of a sheet to the table, and returns the length of its records, which is limited.
    fn sheet(&self, bytes: &[u8], bytes_max: usize, watch: &Watch<'_>, table: &mut Table<'_>) -> Result<usize, Error> {
        let mut records = Records { bytes };
        let mut merged = Vec::new();
        // A chart inside the sheet has records with the same types.
        let mut depth = 0;
        // The cell of a formula whose text is in the next record.
        let mut formula = None;
        loop {
            let (kind, data) = records.next()?;
            watch.work(RECORD_WORK + data.len())?;
            if bytes.len() - records.bytes.len() > bytes_max {
                return Err(Error::TooLarge(format!(
                    "A planilha tem mais de {} MB de células",
                    RECORDS_BYTES_MAX / 1024 / 1024
                )));
            }
            match kind {
                BEGIN => depth += 1,
                END if depth <= 1 => break,
                END => depth -= 1,
                _ if depth > 1 => {}
                STRING => {
                    if let Some((row, column)) = formula.take() {
                        let text = if self.is_biff8 { text16(data, 0) } else { bytes16(data, 0) };
                        table.text(row, column, &text.unwrap_or_default())?;
                    }
                }
                MERGED_CELLS => merge(data, &mut merged),
                MULTIPLE_RK => self.multiple(data, table)?,
                _ => formula = self.cell(kind, data, table)?.or(formula),
            }
        }
        table.fill(&merged)?;
        Ok(bytes.len() - records.bytes.len())
    }

    /// Adds a cell to the table. Returns the position of a formula whose text is in a later record.
    fn cell(&self, kind: u16, data: &[u8], table: &mut Table<'_>) -> Result<Option<(u32, u32)>, Error> {
        let (Some(row), Some(column)) = (u16_at(data, 0), u16_at(data, 2)) else { return Ok(None) };
        let (row, column) = (row.into(), column.into());
        let format = u16_at(data, 4).and_then(|at| self.formats.get(usize::from(at))).copied().unwrap_or_default();
        match kind {
            NUMBER => number(table, row, column, f64_at(data, 6), format)?,
            RK => rk(table, row, column, u32_at(data, 6), format)?,
            SHARED_LABEL => {
                let text = u32_at(data, 6).and_then(|at| self.strings.get(at as usize));
                table.text(row, column, text.unwrap_or_default())?;
            }
            LABEL | RICH_LABEL => {
                let text = if self.is_biff8 { text16(data, 6) } else { bytes16(data, 6) };
                table.text(row, column, &text.unwrap_or_default())?;
            }
            BOOLEAN => boolean(table, row, column, data.get(6..8))?,
            FORMULA => match data.get(6..14) {
                Some([0, .., 0xFF, 0xFF]) => return Ok(Some((row, column))),
                Some([1, _, value, .., 0xFF, 0xFF]) => boolean(table, row, column, Some(&[*value, 0]))?,
                Some([2, .., 0xFF, 0xFF]) => boolean(table, row, column, Some(&[0, 1]))?,
                Some([.., 0xFF, 0xFF]) => {}
                _ => number(table, row, column, f64_at(data, 6), format)?,
            },
            _ => {}
        }
        Ok(None)
    }

    /// Several numbers of one row.
    fn multiple(&self, data: &[u8], table: &mut Table<'_>) -> Result<(), Error> {
        let (Some(row), Some(first)) = (u16_at(data, 0), u16_at(data, 2)) else { return Ok(()) };
        let cells = data.get(4..data.len().saturating_sub(2)).unwrap_or_default();
        for (column, cell) in (u32::from(first)..).zip(cells.chunks_exact(6)) {
            let format = u16_at(cell, 0).and_then(|at| self.formats.get(usize::from(at))).copied().unwrap_or_default();
            rk(table, row.into(), column, u32_at(cell, 2), format)?;
        }
        Ok(())
    }
}

fn number(table: &mut Table<'_>, row: u32, column: u32, value: Option<f64>, format: Kind) -> Result<(), Error> {
    match value.filter(|value| value.is_finite()) {
        Some(value) => table.number(row, column, value, format),
        None => Ok(()),
    }
}

/// A number in four bytes: an integer, or the upper half of a floating point number. A flag says that the value is a
/// hundredth of it.
fn rk(table: &mut Table<'_>, row: u32, column: u32, value: Option<u32>, format: Kind) -> Result<(), Error> {
    let Some(value) = value else { return Ok(()) };
    let (is_hundredth, is_integer) = (value & 1 == 1, value & 2 == 2);
    let bits = value & !3;
    let number = if is_integer { f64::from(bits as i32 >> 2) } else { f64::from_bits(u64::from(bits) << 32) };
    if is_hundredth && number.is_finite() {
        return table.decimal(row, column, &hundredth(&shortest(number)));
    }
    self::number(table, row, column, Some(number), format)
}

fn boolean(table: &mut Table<'_>, row: u32, column: u32, value: Option<&[u8]>) -> Result<(), Error> {
    match value {
        Some([0, 0]) => table.text(row, column, "FALSE"),
        Some([_, 0]) => table.text(row, column, "TRUE"),
        _ => table.text(row, column, "#N/A"),
    }
}

fn merge(data: &[u8], merged: &mut Vec<Merged>) {
    for area in data.get(2..).unwrap_or_default().chunks_exact(8) {
        if let (Some(first), Some(last), Some(column)) = (u16_at(area, 0), u16_at(area, 2), u16_at(area, 4))
            && first < last
            && merged.len() < MERGED_MAX
        {
            merged.push(Merged { column: column.into(), first: first.into(), last: last.into() });
        }
    }
}

/// A text after its length in two bytes and a flag.
fn text16(data: &[u8], at: usize) -> Option<String> {
    Pieces { pieces: &[data], at }.text(None)
}

/// A text after its length in one byte and a flag.
fn text8(data: &[u8], at: usize) -> Option<String> {
    let length = *data.get(at)?;
    Pieces { pieces: &[data], at: at + 1 }.text(Some(length.into()))
}

/// A text in Windows-1252 after its length in two bytes. BIFF 5 can name other encodings, which no bank here uses.
fn bytes16(data: &[u8], at: usize) -> Option<String> {
    bytes(data, at + 2, u16_at(data, at)?.into())
}

/// A text in Windows-1252 after its length in one byte.
fn bytes8(data: &[u8], at: usize) -> Option<String> {
    bytes(data, at + 1, (*data.get(at)?).into())
}

fn bytes(data: &[u8], at: usize, length: usize) -> Option<String> {
    let rest = data.get(at..)?;
    Some(WINDOWS_1252.decode_without_bom_handling(&rest[..length.min(rest.len())]).0.into_owned())
}

/// The shared texts. The record may be continued anywhere, even inside a text.
fn shared_strings(pieces: Vec<&[u8]>) -> Result<Strings, Error> {
    let mut strings = Strings::default();
    // The counts before the texts are not trusted.
    let mut reader = Pieces { pieces: &pieces, at: 8 };
    while reader.has_more() {
        let text = reader.text(None).ok_or_else(damaged)?;
        strings.push(&text)?;
    }
    Ok(strings)
}

/// Reads texts from the pieces of a record.
struct Pieces<'p, 'a> {
    pieces: &'p [&'a [u8]],
    /// The position in the first piece.
    at: usize,
}

impl Pieces<'_, '_> {
    /// Moves to the next piece if this one is used up. False after the last.
    fn has_more(&mut self) -> bool {
        while let [first, rest @ ..] = self.pieces {
            if self.at < first.len() {
                return true;
            }
            (self.pieces, self.at) = (rest, self.at - first.len());
        }
        false
    }

    fn byte(&mut self) -> Option<u8> {
        if !self.has_more() {
            return None;
        }
        self.at += 1;
        self.pieces.first()?.get(self.at - 1).copied()
    }

    fn number16(&mut self) -> Option<usize> {
        Some(usize::from(u16::from_le_bytes([self.byte()?, self.byte()?])))
    }

    /// A text of the given length, or of the length written before it. Its formatting is skipped.
    fn text(&mut self, length: Option<usize>) -> Option<String> {
        let length = match length {
            Some(length) => length,
            None => self.number16()?,
        };
        let flags = self.byte()?;
        let runs = if flags & 8 != 0 { self.number16()? } else { 0 };
        let extra = if flags & 4 != 0 { self.number16()? | self.number16()? << 16 } else { 0 };
        let mut units: Vec<u16> = Vec::new();
        let mut is_wide = flags & 1 != 0;
        while units.len() < length {
            // The rest of the text begins with another flag.
            if self.pieces.first().is_none_or(|piece| self.at >= piece.len()) {
                is_wide = self.byte()? & 1 != 0;
            }
            let low = self.byte()?;
            let high = if is_wide { self.byte()? } else { 0 };
            units.push(u16::from_le_bytes([low, high]));
        }
        self.at += 4 * runs + extra;
        Some(char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shared_text_goes_on_in_the_next_record_with_a_flag_of_its_own() {
        let first = [0, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, b'P', b'a'];
        let second = [1, 0xE3, 0, b'o', 0, b'!', 0, 2, 0, 8 | 4, 1, 0, 3, 0, 0, 0, b'o', b'k', 9, 9, 9];
        // The four bytes of a format and three of another end in the third record.
        let third = [9, 9, 9, 9, 1, 0, 0, b'z'];
        let strings = shared_strings(vec![&first, &second, &third]).unwrap();
        assert_eq!(
            [strings.get(0), strings.get(1), strings.get(2), strings.get(3)],
            [Some("Paão!"), Some("ok"), Some("z"), None]
        );
        assert!(shared_strings(vec![&first]).is_err(), "the text is longer than the record");
    }

    #[test]
    fn a_number_in_four_bytes_is_exact() {
        let options = crate::Options::default();
        for (value, text) in [
            ((1_234_567 << 2) | 3, "12345,67"),
            ((-5_i32 << 2) as u32 | 3, "-0,05"),
            ((42 << 2) | 2, "42"),
            ((1.5_f64.to_bits() >> 32) as u32, "1,5"),
            ((150_f64.to_bits() >> 32) as u32 | 1, "1,50"),
        ] {
            let mut table = Table::new(&options);
            rk(&mut table, 0, 0, Some(value), Kind::Number).unwrap();
            assert_eq!(table.render().unwrap(), text);
        }
    }
}
