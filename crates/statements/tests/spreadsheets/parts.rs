//! Archives put together from their parts, to break one of them.

use std::io::{Cursor, Write};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// An archive of these parts.
pub(crate) fn archive(parts: &[(&str, &str)]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    for (path, content) in parts {
        writer.start_file(*path, options).unwrap();
        writer.write_all(content.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

const TYPES: &str = "<Types xmlns='http://schemas.openxmlformats.org/package/2006/content-types'/>";
const ROOT: &str =
    "<Relationships><Relationship Id='a' Type='x/officeDocument' Target='/xl/workbook.xml'/></Relationships>";
const RELATIONS: &str = "<Relationships><Relationship Id='r1' Type='x/worksheet' Target='worksheets/sheet1.xml'/>\
    <Relationship Id='r2' Type='x/sharedStrings' Target='sharedStrings.xml'/>\
    <Relationship Id='r3' Type='x/styles' Target='styles.xml'/></Relationships>";
pub(crate) const WORKBOOK: &str = "<workbook><sheets><sheet name='Conta' sheetId='1' r:id='r1'/></sheets></workbook>";
pub(crate) const STRINGS: &str = "<sst count='3' uniqueCount='3'><si><t>Data</t></si>\
    <si><r><t>Descri</t></r><r><t>ção</t></r><rPh><t>no</t></rPh></si><si><t xml:space='preserve'> Valor </t></si></sst>";
pub(crate) const STYLES: &str = "<styleSheet><numFmts><numFmt numFmtId='164' formatCode='dd/mm/yyyy'/></numFmts>\
    <cellStyleXfs><xf numFmtId='14'/></cellStyleXfs><cellXfs><xf numFmtId='0'/><xf numFmtId='164'/></cellXfs></styleSheet>";
pub(crate) const SHEET: &str = "<worksheet><dimension ref='A1:C3'/><sheetData>\
    <row r='1'><c r='A1' t='s'><v>0</v></c><c r='B1' t='s'><v>1</v></c><c r='C1' t='s'><v>2</v></c></row>\
    <row r='2'><c r='A2' s='1'><v>46053</v></c><c r='B2' t='inlineStr'><is><t>P&#227;o &amp; cia</t></is></c><c r='C2'><v>-12.34</v></c></row>\
    <row><c t='d'><v>2026-02-01T00:00:00</v></c><c t='str'><f>A1</f><v>FEIRA</v></c><c><f>1+1</f><v>2.5E1</v></c></row>\
    <row><c s='1'><v>46055</v></c><c t='b'><v>1</v></c><c t='e'><v>#N/A</v></c></row>\
    </sheetData><mergeCells><mergeCell ref='A9:A10'/></mergeCells></worksheet>";

/// A workbook of these parts.
pub(crate) fn xlsx(workbook: &str, strings: &str, styles: &str, sheet: &str) -> Vec<u8> {
    archive(&[
        ("[Content_Types].xml", TYPES),
        ("_rels/.rels", ROOT),
        ("xl/workbook.xml", workbook),
        ("xl/_rels/workbook.xml.rels", RELATIONS),
        ("xl/sharedStrings.xml", strings),
        ("xl/styles.xml", styles),
        ("xl/worksheets/sheet1.xml", sheet),
    ])
}

/// A workbook of that sheet.
pub(crate) fn with_sheet(sheet: &str) -> Vec<u8> {
    xlsx(WORKBOOK, STRINGS, STYLES, sheet)
}

/// A document of these rows, under headers.
pub(crate) fn ods(rows: &str) -> Vec<u8> {
    let content = format!(
        "<office:document-content><office:body><office:spreadsheet><table:table table:name='Conta'><table:table-row>{}</table:table-row>\
         {rows}</table:table></office:spreadsheet></office:body></office:document-content>",
        ["Data", "Descrição", "Valor"].map(text).concat(),
    );
    archive(&[("mimetype", "application/vnd.oasis.opendocument.spreadsheet"), ("content.xml", &content)])
}

/// A cell with a text.
pub(crate) fn text(text: &str) -> String {
    format!("<table:table-cell office:value-type='string'><text:p>{text}</text:p></table:table-cell>")
}
