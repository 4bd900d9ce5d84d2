//! Spreadsheets that are truncated, damaged, too large, or another kind of file.

use finance_statements::{Error, Options, read};

use super::parts::{SHEET, STRINGS, STYLES, WORKBOOK, archive, ods, text, with_sheet, xlsx};
use super::{BTG, C6, ITAU, SANTANDER, TWO_LINES, shown};

fn result(file: &[u8]) -> Result<Vec<String>, Error> {
    read(file, &Options::default()).map(|statement| shown(&statement).0)
}

#[track_caller]
fn unreadable(file: &[u8]) {
    let result = result(file);
    assert!(matches!(result, Err(Error::Unreadable(_))), "{result:?}");
}

#[track_caller]
fn too_large(file: &[u8]) {
    let result = result(file);
    assert!(matches!(result, Err(Error::TooLarge(_))), "{result:?}");
}

const ROWS: [&str; 2] = ["2 2026-01-31 -1234 Pão & cia", "3 2026-02-01 2500 FEIRA"];

#[test]
fn every_kind_of_cell_is_read() {
    let statement = read(&with_sheet(SHEET), &Options::default()).unwrap();
    let (rows, rejected) = shown(&statement);
    assert_eq!(rows, ROWS);
    assert_eq!(rejected, ["Conta 4: valor ilegível: #N/A"]);
}

#[test]
fn a_file_that_is_cut_off_is_unreadable() {
    for file in [BTG, TWO_LINES, C6, ITAU, SANTANDER] {
        for length in [8, 30, 100, 511, 512, 700, file.len() / 3, file.len() / 2, file.len() * 2 / 3] {
            unreadable(&file[..length]);
        }
    }
    for end in ["<sheetData>", "<row r='2'>", "P&#227;", "</sheetData>"] {
        let at = SHEET.find(end).unwrap() + end.len();
        unreadable(&with_sheet(&SHEET[..at]));
    }
    let row = text("x");
    let table = "<office:document-content><office:body><office:spreadsheet><table:table table:name='x'>";
    for content in [
        table.to_string(),
        format!("{table}<table:table-row>{row}"),
        format!("{table}<table:table-row><table:table-cell><office:annotation>"),
    ] {
        unreadable(&archive(&[("content.xml", &content)]));
    }
}

#[test]
fn a_spoilt_archive_is_unreadable() {
    let file = with_sheet(SHEET);
    let directory = file.windows(4).position(|bytes| bytes == b"PK\x01\x02").unwrap();
    // Where a part is said to be, how long it is, and how it is compressed.
    for (offset, value) in [(42, 0xFF), (43, 0xFF), (20, 0x03), (10, 0x63)] {
        let mut spoilt = file.clone();
        spoilt[directory + offset] ^= value;
        assert!(result(&spoilt).is_err() || result(&spoilt) == Ok(ROWS.map(String::from).to_vec()), "{offset}");
    }
    let mut spoilt = file.clone();
    let end = spoilt.windows(4).rposition(|bytes| bytes == b"PK\x05\x06").unwrap();
    spoilt[end + 16..end + 20].fill(0xFF);
    unreadable(&spoilt);
    // A part that the workbook names is not there.
    unreadable(&xlsx(WORKBOOK, STRINGS, STYLES, "").into_iter().take(300).collect::<Vec<u8>>());
    // An encrypted part.
    let mut encrypted = file;
    encrypted[directory + 8] |= 1;
    unreadable(&encrypted);
}

#[test]
fn what_is_said_to_be_large_and_is_not_costs_nothing() {
    for strings in [
        STRINGS.replace("uniqueCount='3'", "uniqueCount='999999999999999999'"),
        STRINGS.replace("count='3'", "count='4294967295'"),
    ] {
        assert_eq!(result(&xlsx(WORKBOOK, &strings, STYLES, SHEET)).unwrap(), ROWS);
    }
    for sheet in [
        SHEET.replace("A1:C3", "A1:XFD1048576"),
        SHEET.replace("A1:C3", "A1:ZZZZZZZZZ99999999999999"),
        SHEET.replace("A9:A10", "A1:XFD1048576:A1").replace("C3", "Z9"),
        SHEET.replace("A9:A10", "B9:XFD1048576"),
    ] {
        assert_eq!(result(&with_sheet(&sheet)).unwrap(), ROWS);
    }
    // A row and a column that no sheet has.
    too_large(&with_sheet(&SHEET.replace("<row r='2'><c r='A2'", "<row r='2'><c r='A4000000000'")));
    let beyond = SHEET.replace("<c r='C2'>", "<c r='ZZZZ2'><v>7</v></c><c r='C2'>");
    assert_eq!(result(&with_sheet(&beyond)).unwrap(), ROWS);
    // Rows and columns without content may be repeated as often as the format has them.
    let blank = "<table:table-row table:number-rows-repeated='1048576'><table:table-cell table:number-columns-repeated='16384'/></table:table-row>";
    let row = format!("<table:table-row>{}</table:table-row>", ["31/01/2026", "FEIRA", "-1,00"].map(text).concat());
    assert_eq!(result(&ods(&format!("{row}{blank}{blank}"))).unwrap(), ["2 2026-01-31 -100 FEIRA"]);
}

#[test]
fn what_is_larger_than_it_may_be_is_too_large() {
    // A text that never ends.
    too_large(&with_sheet(&SHEET.replace("FEIRA", &"a".repeat(3 * 1024 * 1024))));
    too_large(&with_sheet(
        &SHEET.replace("<dimension", &format!("<x y='{}'/><dimension", "a".repeat(3 * 1024 * 1024))),
    ));
    // Repeated rows and columns.
    for (rows, columns) in [(4_000_000_000_u64, 1), (u64::MAX, u64::MAX), (100_000, 16_384)] {
        let cell = format!(
            "<table:table-row table:number-rows-repeated='{rows}'><table:table-cell table:number-columns-repeated='{columns}' \
             office:value-type='float' office:value='1'/></table:table-row>"
        );
        too_large(&ods(&cell));
    }
    // One merged area over all rows.
    let merged = "<mergeCell ref='A1:A1048576'/>".repeat(2);
    too_large(&with_sheet(&SHEET.replace("<mergeCells>", &format!("<mergeCells>{merged}"))));
    // Shared texts.
    let strings =
        STRINGS.replace("</sst>", &format!("{}</sst>", format!("<si><t>{}</t></si>", "a".repeat(4096)).repeat(4200)));
    too_large(&xlsx(WORKBOOK, &strings, STYLES, SHEET));
    // Sheets.
    let sheet = "<sheet name='Conta' sheetId='1' r:id='r1'/>";
    too_large(&xlsx(&WORKBOOK.replace(sheet, &sheet.repeat(101)), STRINGS, STYLES, SHEET));
    // Parts.
    let names: Vec<String> = (0..4_100).map(|at| format!("{at}.xml")).collect();
    let parts: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "")).collect();
    too_large(&archive(&parts));
    // The size that a part is said to have.
    let mut declared = with_sheet(SHEET);
    let directory = declared.windows(4).position(|bytes| bytes == b"PK\x01\x02").unwrap();
    declared[directory + 24..directory + 28].copy_from_slice(&0x7FFF_FFFF_u32.to_le_bytes());
    too_large(&declared);
}

#[test]
fn a_document_that_is_nested_too_deep_is_unreadable() {
    let nested = |levels: usize| {
        SHEET.replace("<dimension", &format!("{}{}<dimension", "<x>".repeat(levels), "</x>".repeat(levels)))
    };
    assert_eq!(result(&with_sheet(&nested(200))).unwrap(), ROWS);
    unreadable(&with_sheet(&nested(300)));
    unreadable(&with_sheet(&nested(100_000)));
    unreadable(&with_sheet(&SHEET.replace("</row>", "</raw>")));
    // No entity is expanded, whatever a document declares.
    let declared =
        format!("<!DOCTYPE x [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;'>]>{}", SHEET.replace("FEIRA", "&b;FEIRA"));
    assert_eq!(result(&with_sheet(&declared)).unwrap(), ROWS);
}

#[test]
fn what_is_no_spreadsheet_is_named() {
    for (file, what) in [
        (archive(&[("a.txt", "x")]), "um arquivo ZIP"),
        (archive(&[("word/document.xml", "<x/>")]), "um documento do Word"),
        (archive(&[("xl/workbook.bin", "x")]), "uma planilha binária do Excel (XLSB)"),
        (archive(&[("Index/Document.iwa", "x")]), "uma planilha do Numbers"),
        (archive(&[("content.xml", "<office:document-content/>")]), "um documento do LibreOffice, e não uma planilha"),
    ] {
        assert_eq!(result(&file), Err(Error::Unsupported(what)));
    }
    for empty in ["<worksheet><sheetData/></worksheet>", "<worksheet/>"] {
        unreadable(&with_sheet(empty));
    }
    unreadable(&with_sheet(
        &SHEET.replace("46053", "nada").replace("2026-02-01T00:00:00", "").replace("<v>0</v>", "<v>9</v>"),
    ));
}
