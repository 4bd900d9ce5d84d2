//! Spreadsheets that are small and cost much to read: what they repeat, refer to or leave blank is large.

use std::io::{Cursor, Write};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::Chance;

/// Makes a file.
type Make = fn(&mut Chance) -> Vec<u8>;

/// The ways to be costly, each with its name.
pub(crate) const COSTLY: [(&str, Make); 11] = [
    ("shared texts after many blanks", shared_texts),
    ("one part as many sheets", same_part),
    ("cells far away", far_cells),
    ("merged cells", merged_cells),
    ("repeated cells", repeated_cells),
    ("blank cells", blank_cells),
    ("nodes", nodes),
    ("headers", headers),
    ("long texts", long_texts),
    ("ends of an archive", archive_ends),
    ("old workbooks", old_workbook),
];

/// One of them.
pub(crate) fn costly(chance: &mut Chance) -> Vec<u8> {
    let (_, make) = COSTLY[chance.below(COSTLY.len())];
    make(chance)
}

/// An ordinary workbook of that many rows, of six columns.
pub(crate) fn ordinary(rows: usize) -> Vec<u8> {
    let strings = "<sst><si><t>Data</t></si><si><t>Descrição</t></si><si><t>Valor</t></si><si><t>Saldo</t></si></sst>";
    let head = "<row r='1'><c r='A1' t='s'><v>0</v></c><c r='B1' t='s'><v>1</v></c><c r='C1' t='s'><v>2</v></c><c r='D1' t='s'><v>3</v></c></row>";
    let body: String = (2..rows + 2)
        .map(|row| {
            format!(
                "<row r='{row}' spans='1:6'><c r='A{row}' s='1'><v>{}</v></c><c r='B{row}' t='inlineStr'><is><t>COMPRA CARTAO SUPERMERCADO {row}</t></is></c>\
                 <c r='C{row}'><v>-{}.{:02}</v></c><c r='D{row}'><v>1234.5</v></c><c r='E{row}' t='s'><v>1</v></c><c r='F{row}' s='0'/></row>",
                46_000 + row % 300,
                row % 900 + 1,
                row % 100
            )
        })
        .collect();
    workbook(1, strings, &format!("{head}{body}"), "")
}

/// A workbook of which one part, whose last cell is far below, is a hundred sheets.
pub(crate) fn hundred_sheets() -> Vec<u8> {
    workbook(100, "<sst/>", "<row r='1048576'><c r='A1048576'><v>1</v></c></row>", "")
}

/// A workbook of which many cells refer to one long text of blanks.
pub(crate) fn blank_texts() -> Vec<u8> {
    let strings = format!("<sst><si><t>{}</t></si></sst>", " ".repeat(4_000));
    workbook(1, &strings, &format!("{LISTED}<row>{}</row>", "<c t='s'><v>0</v></c>".repeat(600_000)), "")
}

/// An archive before thousands of end records, each of which may be the right one.
pub(crate) fn thousands_of_ends() -> Vec<u8> {
    let mut file = workbook(1, "<sst/>", LISTED, "");
    // Zip64 ends, and locators before ends that refer to them.
    file.extend(b"PK\x06\x06".repeat(500_000));
    let zip64 = [&b"PK\x06\x07"[..], &[0; 4], &64_u64.to_le_bytes(), &1_u32.to_le_bytes()].concat();
    let end = [&b"PK\x05\x06"[..], &[0; 4], &[0xFF; 12], &[0; 2]].concat();
    file.extend([zip64, end].concat().repeat(1_500));
    file
}

fn archive(parts: &[(&str, &str)]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    for (path, content) in parts {
        writer.start_file(*path, options).expect("a part begins");
        writer.write_all(content.as_bytes()).expect("a part is written");
    }
    writer.finish().expect("an archive ends").into_inner()
}

/// A workbook that has the same part as many sheets.
fn workbook(sheets: usize, strings: &str, rows: &str, after: &str) -> Vec<u8> {
    let sheets: String = (0..sheets).map(|at| format!("<sheet name='s{at}' r:id='r1'/>")).collect();
    archive(&[
        ("xl/workbook.xml", &format!("<workbook><sheets>{sheets}</sheets></workbook>")),
        (
            "xl/_rels/workbook.xml.rels",
            "<Relationships><Relationship Id='r1' Type='x/worksheet' Target='s.xml'/><Relationship Id='r2' Type='x/sharedStrings' Target='t.xml'/>\
             <Relationship Id='r3' Type='x/styles' Target='f.xml'/></Relationships>",
        ),
        ("xl/t.xml", strings),
        ("xl/f.xml", "<styleSheet><cellXfs><xf/><xf numFmtId='14'/></cellXfs></styleSheet>"),
        ("xl/s.xml", &format!("<worksheet><sheetData>{rows}</sheetData>{after}</worksheet>")),
    ])
}

/// A document with these tables.
fn document(tables: &str) -> Vec<u8> {
    let content = format!(
        "<office:document-content><office:body><office:spreadsheet>{tables}</office:spreadsheet></office:body></office:document-content>"
    );
    archive(&[("content.xml", &content)])
}

/// The rows of a list, so that the sheet is one.
const LISTED: &str = "<row><c t='inlineStr'><is><t>Data</t></is></c><c t='inlineStr'><is><t>Loja</t></is></c><c t='inlineStr'><is><t>Valor</t></is></c></row>\
     <row><c t='inlineStr'><is><t>31/01/2026</t></is></c><c t='inlineStr'><is><t>FEIRA</t></is></c><c><v>-1.5</v></c></row>";

fn sheets(chance: &mut Chance) -> usize {
    [1, 2, 20, 100][chance.below(4)]
}

fn blanks(chance: &mut Chance) -> String {
    [" ", "\t", "\u{a0}", "\n", "&#32;"][chance.below(5)].repeat([1, 100, 4_000, 60_000][chance.below(4)])
}

fn shared_texts(chance: &mut Chance) -> Vec<u8> {
    let text = format!("{}{}", blanks(chance), ["", "x", "31/01/2026", "saldo"][chance.below(4)]);
    let strings =
        format!("<sst>{}</sst>", format!("<si><t xml:space='preserve'>{text}</t></si>").repeat(1 + chance.below(20)));
    let columns = 1 + chance.below(600);
    let row = format!("<row>{}</row>", "<c t='s'><v>0</v></c>".repeat(columns));
    let rows = row.repeat([1, 1_000, 60_000, 1_000_000][chance.below(4)] / columns + 1);
    workbook(sheets(chance), &strings, &format!("{LISTED}{rows}"), "")
}

fn same_part(chance: &mut Chance) -> Vec<u8> {
    let cell =
        ["<c><v>1</v></c>", "<c/>", "<c t='inlineStr'><is><t>saldo</t></is></c>", "<c t='d'><v>2026-01-31</v></c>"];
    let row = format!("<row>{}</row>", cell[chance.below(4)].repeat(1 + chance.below(40)));
    let rows = row.repeat(1 + chance.below(5_000));
    workbook(100, "<sst/>", &format!("{LISTED}{rows}"), "")
}

fn far_cells(chance: &mut Chance) -> Vec<u8> {
    let (row, column) = ([2, 1_000, 60_000, 1_048_576][chance.below(4)], ["A", "Z", "SR", "XFD"][chance.below(4)]);
    let far = format!("<row r='{row}'><c r='{column}{row}'><v>1</v></c></row>");
    let many: String =
        (3..3 + chance.below(8_000)).map(|row| format!("<row><c r='SR{row}'><v>1</v></c></row>")).collect();
    let listed = if chance.one_in(2) { LISTED } else { "" };
    workbook(sheets(chance), "<sst/>", &format!("{listed}{many}{far}"), "")
}

fn merged_cells(chance: &mut Chance) -> Vec<u8> {
    let (last, columns) = ([10, 8_000, 60_000, 1_048_576][chance.below(4)], 1 + chance.below(26));
    let text = "x".repeat([1, 255, 4_096][chance.below(3)]);
    let cells: String = (0..columns).map(|_| format!("<c t='inlineStr'><is><t>{text}</t></is></c>")).collect();
    let merged: String = (0..columns)
        .map(|at| char::from(b'A' + at as u8))
        .map(|letter| format!("<mergeCell ref='{letter}3:{letter}{last}'/>"))
        .collect();
    let merged = format!("<mergeCells>{}</mergeCells>", merged.repeat(1 + chance.below(200)));
    workbook(sheets(chance), "<sst/>", &format!("{LISTED}<row r='3'>{cells}</row>"), &merged)
}

fn repeated_cells(chance: &mut Chance) -> Vec<u8> {
    let cell = match chance.below(4) {
        0 => format!("office:value-type='string'><text:p>{}x</text:p>", blanks(chance)),
        1 => format!("office:value-type='string' office:string-value='{}x'>", blanks(chance)),
        2 => format!("office:value-type='float' office:value='{}'>", ["1", "1e308", "-0.001"][chance.below(3)]),
        _ => "office:value-type='date' office:date-value='2026-01-31'>".to_string(),
    };
    let (rows, columns) = ([1, 1_000, 60_000, 1_048_576][chance.below(4)], [1, 20, 512, 16_384][chance.below(4)]);
    let repeated = format!(
        "<table:table-row table:number-rows-repeated='{rows}'><table:table-cell table:number-columns-repeated='{columns}' {cell}\
         </table:table-cell></table:table-row>"
    );
    let table = format!("<table:table table:name='a'>{}</table:table>", repeated.repeat(1 + chance.below(3)));
    document(&table.repeat(sheets(chance)))
}

fn blank_cells(chance: &mut Chance) -> Vec<u8> {
    if chance.one_in(2) {
        let cell =
            ["<c/>", "<c t='s'><v>9</v></c>", "<c t='str'><v> </v></c>", "<c r='XFD1'><v>1</v></c>"][chance.below(4)];
        let row = format!("<row>{}</row>", cell.repeat(1 + chance.below(400)));
        let rows = row.repeat(2_000_000 / row.len() * (1 + chance.below(20)));
        return workbook(sheets(chance), "<sst/>", &format!("{LISTED}{rows}"), "");
    }
    let far = "<table:table-row><table:table-cell table:number-columns-repeated='511'/><table:table-cell office:value-type='float' office:value='1'/></table:table-row>";
    let gap = format!("<table:table-row table:number-rows-repeated='{}'/>", [1, 1_000, 500_000][chance.below(3)]);
    let rows = format!("{gap}{far}").repeat([1, 10, 2_000, 10_000][chance.below(4)]);
    document(&format!("<table:table table:name='a'>{rows}</table:table>").repeat(sheets(chance).min(20)))
}

fn nodes(chance: &mut Chance) -> Vec<u8> {
    let node = match chance.below(6) {
        0 => "<x/>".to_string(),
        1 => "&#32;".to_string(),
        2 => "<c r='A1'/>".to_string(),
        3 => format!("<c {}/>", "a='' ".repeat(1 + chance.below(10_000))),
        4 => format!("<x a='{}'/>", "y".repeat(1 + chance.below(10_000))),
        _ => format!("<!--{}-->", "-".repeat(chance.below(100))),
    };
    let many = node.repeat((1 + chance.below(60)) * 1_000_000 / node.len());
    if chance.one_in(2) {
        workbook(1, "<sst/>", &format!("{LISTED}{many}"), "")
    } else {
        let many = many.replace("<c ", "<text:s ");
        let cell = format!("<table:table-cell><text:p>{many}</text:p></table:table-cell>");
        document(&format!("<table:table table:name='a'><table:table-row>{cell}</table:table-row></table:table>"))
    }
}

fn headers(chance: &mut Chance) -> Vec<u8> {
    let names = [
        "data",
        "valor",
        "Valor (R$)",
        "historico",
        "entrada",
        "ç",
        "observações em r",
        "saldo do dia",
        "x y z",
        "Total",
    ];
    let cells: String = (0..1 + chance.below(511))
        .map(|_| format!("<c t='inlineStr'><is><t>{}</t></is></c>", names[chance.below(names.len())]))
        .collect();
    let rows = format!("<row>{cells}</row>").repeat([1, 200, 2_000][chance.below(3)]);
    let listed = if chance.one_in(2) { LISTED } else { "" };
    workbook(sheets(chance), "<sst/>", &format!("{listed}{rows}"), "")
}

fn long_texts(chance: &mut Chance) -> Vec<u8> {
    let piece = ["x", "é", "1", "1.", "vencimento 1", "\"", "\"\"a", " a", "-", "s", "01/01/2026 "][chance.below(11)];
    let text = piece.repeat([10, 250, 4_096][chance.below(3)] / piece.len() + 1);
    let cell = format!("<c t='inlineStr'><is><t>{text}</t></is></c>");
    let row = format!("<row>{}</row>", cell.repeat(1 + chance.below(64)));
    let rows = row.repeat((1 + chance.below(20)) * 1_000_000 / row.len() + 1);
    let (before, after) = if chance.one_in(2) { (LISTED, "") } else { ("", LISTED) };
    workbook(sheets(chance), "<sst/>", &format!("{before}{rows}{after}"), "")
}

fn archive_ends(chance: &mut Chance) -> Vec<u8> {
    let mut file = workbook(1, "<sst/>", LISTED, "");
    let number = |chance: &mut Chance| [0_u32, 1, 46, 0xFFFF, u32::MAX][chance.below(5)].to_le_bytes();
    let mut records = Vec::new();
    for _ in 0..1 + chance.below(4) {
        let mark = [b"PK\x05\x06", b"PK\x06\x06", b"PK\x06\x07", b"PK\x01\x02"][chance.below(4)];
        records.extend_from_slice(mark);
        for _ in 0..chance.below(12) {
            records.extend(number(chance));
        }
    }
    let ends = records.repeat((1 + chance.below(20)) * 100_000 / records.len());
    let at = if chance.one_in(2) { file.len() } else { 4 };
    file.splice(at..at, ends);
    file
}

/// A Compound File with a stream `Workbook`.
fn compound(stream: &[u8]) -> Vec<u8> {
    const SECTOR: usize = 512;
    const END: u32 = 0xFFFF_FFFE;
    const TABLE: u32 = 0xFFFF_FFFD;
    let length = stream.len().max(4_096);
    let data = length.div_ceil(SECTOR);
    let tables = (data + 2).div_ceil(SECTOR / 4 - 1);
    let mut next: Vec<u32> = vec![TABLE; tables];
    next.push(END);
    let first = next.len() as u32;
    next.extend((1..data as u32).map(|at| first + at));
    next.push(END);
    next.resize(tables * SECTOR / 4, u32::MAX);
    let mut file = vec![0; SECTOR];
    file[..8].copy_from_slice(b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1");
    file[30] = 9;
    file[48..52].copy_from_slice(&(tables as u32).to_le_bytes());
    file[68..72].copy_from_slice(&END.to_le_bytes());
    for at in 0..109 {
        let number = if at < tables { at as u32 } else { u32::MAX };
        file[76 + 4 * at..80 + 4 * at].copy_from_slice(&number.to_le_bytes());
    }
    file.extend(next.iter().flat_map(|number| number.to_le_bytes()));
    let mut directory = vec![0; SECTOR];
    for (at, (name, start, length)) in
        [("Root Entry", END, 0), ("Workbook", first, length as u32)].into_iter().enumerate()
    {
        let entry = &mut directory[128 * at..128 * (at + 1)];
        for (at, unit) in name.encode_utf16().enumerate() {
            entry[2 * at..2 * at + 2].copy_from_slice(&unit.to_le_bytes());
        }
        entry[64] = 2 * (name.len() as u8 + 1);
        entry[116..120].copy_from_slice(&start.to_le_bytes());
        entry[120..124].copy_from_slice(&length.to_le_bytes());
    }
    file.extend(directory);
    file.extend_from_slice(stream);
    file.resize(
        SECTOR + (next.len() - next.iter().rev().take_while(|number| **number == u32::MAX).count()) * SECTOR,
        0,
    );
    file
}

/// Records of an old workbook, each with its kind and data.
fn record(kind: u16, data: &[u8]) -> Vec<u8> {
    [&kind.to_le_bytes()[..], &(data.len() as u16).to_le_bytes(), data].concat()
}

fn old_workbook(chance: &mut Chance) -> Vec<u8> {
    let begin = record(0x0809, &[0, 6, 5, 0, 0, 0, 0, 0]);
    let end = record(0x000A, &[]);
    let cell =
        |row: u16, column: u16, rest: &[u8]| [&row.to_le_bytes()[..], &column.to_le_bytes(), &[0, 0], rest].concat();
    let text = [&[0; 8][..], &4_000_u16.to_le_bytes(), &[0], &[b' '; 3_999], &[[b' ', b'x'][chance.below(2)]]].concat();
    let strings = record(0x00FC, &text);
    let wide = cell(3, 0, &[&4_000_u16.to_le_bytes()[..], &[0], &[b'x'; 4_000]].concat());
    let piece = match chance.below(6) {
        0 => record(0x00FD, &cell(2, 600, &[0; 4])),
        1 => record(0x00FD, &cell(2, 0, &[0; 4])),
        2 => record(0x1234, &[]),
        3 => record(0x0203, &cell(60_000, 255, &1e300_f64.to_le_bytes())),
        4 => record(0x0204, &wide),
        _ => [record(0x0809, &[0; 8]), end.clone()].concat(),
    };
    let sheet = [begin.clone(), piece.repeat((1 + chance.below(30)) * 100_000 / piece.len()), end.clone()].concat();
    let sheets = sheets(chance);
    let bound = |position: u32| record(0x0085, &[&position.to_le_bytes()[..], &[0, 0, 1, 0, b's']].concat());
    let head = begin.len() + strings.len() + sheets * bound(0).len() + end.len();
    let bound = bound(head as u32).repeat(sheets);
    compound(&[begin, strings, bound, end, sheet].concat())
}
