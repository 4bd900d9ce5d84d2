//! Pseudo-random mutations of statements, and the invariants of their results.

#[allow(
    clippy::expect_used,
    dead_code,
    reason = "writing to memory does not fail; the example and the tests use some of it"
)]
mod costly;

use std::fmt;
use std::io::{Cursor, Write};

#[allow(unused_imports, reason = "the example and the tests use some of them")]
pub(crate) use costly::{COSTLY, blank_texts, costly, hundred_sheets, ordinary, thousands_of_ends};
use finance_statements::{Column, DateFormat, Format, Options, Statement};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// The kinds of files that are mutated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// OFX.
    Ofx,
    /// CSV.
    Csv,
    /// XLSX, XLS and ODS.
    Sheet,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Ofx => "ofx",
            Kind::Csv => "csv",
            Kind::Sheet => "sheet",
        })
    }
}

/// Small files to mutate: together they have each kind of line that a reader handles. Of spreadsheets it is the part with the
/// cells.
pub(crate) fn seeds(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Ofx => &OFX,
        Kind::Csv => &CSV,
        Kind::Sheet => &SHEETS,
    }
}

/// Whole spreadsheets, which are mutated as bytes.
const BOOKS: [&[u8]; 4] = [
    include_bytes!("../fixtures/santander.xls"),
    include_bytes!("../fixtures/btg.xlsx"),
    include_bytes!("../fixtures/c6.ods"),
    include_bytes!("../fixtures/password.xlsx"),
];

const SHEETS: [&str; 2] = [
    "<worksheet><sheetData><row r='1'><c r='A1' t='s'><v>0</v></c><c r='B1' t='s'><v>1</v></c><c r='C1' t='inlineStr'><is><t>Valor</t></is></c></row>\
     <row r='2'><c r='A2' s='1'><v>46053</v></c><c r='B2' t='str'><f>A1</f><v>P&#227;o &amp; cia</v></c><c r='C2'><v>-12.34</v></c></row>\
     <row><c t='d'><v>2026-02-01</v></c><c t='b'><v>1</v></c><c><v>2.5E1</v></c></row></sheetData>\
     <mergeCells><mergeCell ref='A2:A3'/></mergeCells></worksheet>",
    "<office:document-content><style:style style:name='h'><style:table-properties table:display='false'/></style:style><office:spreadsheet>\
     <table:table table:name='a'><table:table-row><table:table-cell office:value-type='string'><text:p>Data</text:p></table:table-cell>\
     <table:table-cell office:value-type='string'><text:p>Descri<text:s text:c='2'/>ção</text:p></table:table-cell>\
     <table:table-cell office:value-type='string' office:string-value='Valor'/></table:table-row>\
     <table:table-row table:number-rows-repeated='2'><table:table-cell office:value-type='date' office:date-value='2026-01-31' table:number-rows-spanned='2'/>\
     <table:table-cell><text:p>P&amp;o</text:p></table:table-cell><table:table-cell office:value-type='float' office:value='-1.5' table:number-columns-repeated='2'/>\
     </table:table-row></table:table><table:table table:name='b' table:style-name='h'/></office:spreadsheet></office:document-content>",
];

/// The other parts of a workbook.
const PARTS: [(&str, &str); 4] = [
    ("xl/workbook.xml", "<workbook><workbookPr date1904='0'/><sheets><sheet name='a' r:id='r1'/></sheets></workbook>"),
    (
        "xl/_rels/workbook.xml.rels",
        "<Relationships><Relationship Id='r1' Type='x/worksheet' Target='s.xml'/><Relationship Id='r2' Type='x/sharedStrings' Target='t.xml'/>\
         <Relationship Id='r3' Type='x/styles' Target='f.xml'/></Relationships>",
    ),
    (
        "xl/t.xml",
        "<sst count='2' uniqueCount='2'><si><t>Data</t></si><si><r><t>Descri</t></r><r><t>ção</t></r><rPh><t>x</t></rPh></si></sst>",
    ),
    (
        "xl/f.xml",
        "<styleSheet><numFmts><numFmt numFmtId='164' formatCode='dd/mm/yy'/></numFmts><cellXfs><xf/><xf numFmtId='164'/></cellXfs></styleSheet>",
    ),
];

/// The archive of a part with cells and, for a workbook, the others, one of which may be mutated.
#[allow(clippy::expect_used, reason = "writing to memory does not fail")]
fn archive(cells: &[u8], chance: &mut Chance) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let mut add = |path: &str, content: &[u8]| {
        writer.start_file(path, SimpleFileOptions::default()).expect("a part begins");
        writer.write_all(content).expect("a part is written");
    };
    if cells.windows(15).take(64).any(|start| start == b"office:document") {
        add("content.xml", cells);
    } else {
        let spoilt = chance.below(8 * PARTS.len());
        for (at, (path, content)) in PARTS.iter().enumerate() {
            let mut content = content.as_bytes().to_vec();
            if at == spoilt {
                mutate(&mut content, Kind::Sheet, chance);
            }
            add(path, &content);
        }
        add("xl/s.xml", cells);
    }
    writer.finish().expect("an archive ends").into_inner()
}

/// Marks of a file that make it a spreadsheet.
fn is_book(file: &[u8]) -> bool {
    file.starts_with(b"PK") || file.starts_with(b"\xD0\xCF")
}

const OFX: [&str; 4] = [
    "OFXHEADER:100\r\nDATA:OFXSGML\r\n\r\n<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>BRL<BANKTRANLIST><DTSTART>20260101<DTEND>20260131\r\n\
     <STMTTRN><TRNTYPE>DEBIT<DTPOSTED>20260110120000[-3:BRT]<TRNAMT>-1.234,56<FITID>E1<MEMO>TOK &amp; STOK&nbsp;LTDA</STMTTRN>\r\n\
     <STMTTRN><TRNTYPE>DEBIT<DTPOSTED>00000000<TRNAMT>   .  <FITID>0<MEMO>SALDO DIA</STMTTRN>\r\n\
     </BANKTRANLIST><LEDGERBAL><BALAMT>1<DTASOF>0</LEDGERBAL></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>\r\n",
    "<?xml version=\"1.0\"?>\n<?OFX OFXHEADER=\"200\"?>\n<OFX>\n<CCSTMTRS>\n<BANKTRANLIST>\n<STMTTRN>\n<TRNTYPE>PAYMENT</TRNTYPE>\n\
     <DTPOSTED>20260110</DTPOSTED>\n<TRNAMT>-30.000</TRNAMT>\n<FITID>a&b</FITID>\n<PAYEE><NAME>João</NAME></PAYEE>\n\
     <MEMO><![CDATA[A & <B>]]></MEMO>\n<!-- <MEMO>x -->\n</STMTTRN>\n</BANKTRANLIST>\n</CCSTMTRS>\n</OFX>\n",
    "<BANKTRANLIST><stmttrn><DtPosted>31/01/2026<TRNAMT>R$ 5<NAME>A < B<MEMO/></stmttrn><STMTTRNP><NAME>F</STMTTRNP>",
    "<OFX>\r<BANKTRANLIST>\r<STMTTRN>\r<DTPOSTED>\r20260131\r<TRNAMT>\r+1.5\r<MEMO>\rPagamento\rde conta\r</MEMO>\r</STMTTRN>\r",
];

const CSV: [&str; 10] = [
    "Data,Valor,Identificador,Descrição\n10/01/2026,-12.34,64b0-1,Padaria\n11/01/2026,1200.00,64b0-2,\"Pix, de \"\"Ana\"\"\"\n",
    "date,title,amount\n2026-01-10,Loja - Parcela 2/10,45.90\n2026-01-11,Pagamento recebido,-318.19\n",
    "Extrato Conta Corrente\nConta ;123\nSaldo: ;1,00\n\nData Lançamento;Histórico;Descrição;Valor;Saldo\n10/01/2026;Pix;\"Ana\" LTDA;-1.200,00;1,00\n",
    "\u{feff}\"Data\",\"Lançamento\",\"Categoria\",\"Tipo\",\"Valor\"\r\n\"10/01/2026\",\"LOJA\",\"X\",\"Compra\",\"R$ 15,00\"\r\n",
    "Extrato de: Ag: 1 | Conta: 2\rData;Histórico;Docto.;Crédito (R$);Débito (R$);Saldo (R$);\r10/01/26;PIX;1;;-5,00;1,00;\r;Des: Ana 04/07;;;;;\rTotal;;;1,00;2,00;;\r",
    "Data_Mov;Nr_Doc;Historico;Valor;Deb_Cred\n20260110;1;COMPRA;12,34;D\n20260111;2;SALDO DIA;0,00;C\n",
    "10/01/2026;PADARIA;-12,34\n11/01/2026;ALUGUEL;-1.500,00\n",
    "Data;Estabelecimento;Portador;Valor;Parcela\n10/01/2026;LOJA;ANA;R$ 8,00;3 de 10\n11/01/2026;PAGAMENTO;ANA;R$ -19.213,62;-\n",
    "Type,Started Date,Completed Date,Description,Amount,Fee,Currency,State,Balance\nTOPUP,2026-01-09 10:00:00,2026-01-10 10:00:05,Ana,10.00,1.00,BRL,COMPLETED,9.00\n",
    "Saldo;Data de pagamento;Descrição;Valor total (US$);Situação\n1,00;10/01/2026;LOJA;-8,00;Pago\n2,00;11/01/2026;PADARIA;-1,00;Cancelado\n",
];

/// Tokens with a meaning to a reader.
const PIECES: [&str; 48] = [
    "<",
    ">",
    "</",
    "/>",
    "<![CDATA[",
    "]]>",
    "<!--",
    "-->",
    "<?",
    "&",
    "&amp;",
    "&#0;",
    "&#x10FFFF;",
    ";",
    ",",
    "\"",
    "\"\"",
    "\n",
    "\r",
    "\r\n",
    "\t",
    "\0",
    "\u{feff}",
    "\u{a0}",
    "\u{2212}",
    "<STMTTRN>",
    "</STMTTRN>",
    "<MEMO>",
    "<TRNAMT>",
    "<OFX>",
    "<PAYEE>",
    "-",
    "(",
    ")",
    "R$",
    "1.234",
    "99999999999999999999",
    "00/00/0000",
    "SALDO ",
    "Data;Valor;",
    "ç",
    "Total;",
    "<c>",
    "</row>",
    "<table:table-row table:number-rows-repeated='99999999999'>",
    " r='ZZZ999'",
    "<v>1e308</v>",
    "<x a='",
];

/// A pseudo-random generator, xorshift64*, so that every run is the same.
pub(crate) struct Chance(u64);

impl Chance {
    pub(crate) fn new(seed: u64) -> Self {
        Chance(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// A number below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        if end == 0 { 0 } else { (self.next() >> 16) as usize % end }
    }

    fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    fn of<'a, T: ?Sized>(&mut self, list: &[&'a T]) -> &'a T {
        list[self.below(list.len())]
    }

    /// A range of a text of that length, of at most that many bytes.
    fn stretch(&mut self, length: usize, bytes_max: usize) -> std::ops::Range<usize> {
        let start = self.below(length + 1);
        start..start + self.below((length - start).min(bytes_max) + 1)
    }
}

/// One of the seeds, mutated in a few places.
pub(crate) fn mutated(format: Kind, chance: &mut Chance) -> Vec<u8> {
    if format == Kind::Sheet && chance.one_in(2) {
        let mut book = chance.of(&BOOKS).to_vec();
        for _ in 0..=chance.below(8) {
            mutate(&mut book, format, chance);
        }
        return book;
    }
    let cells = mutated_text(format, chance);
    if format == Kind::Sheet { archive(&cells, chance) } else { cells }
}

fn mutated_text(format: Kind, chance: &mut Chance) -> Vec<u8> {
    let mut bytes = chance.of(seeds(format)).as_bytes().to_vec();
    if chance.one_in(16) {
        bytes = String::from_utf8_lossy(&bytes).encode_utf16().flat_map(u16::to_le_bytes).collect();
    }
    for _ in 0..=chance.below(8) {
        mutate(&mut bytes, format, chance);
    }
    bytes
}

fn mutate(bytes: &mut Vec<u8>, format: Kind, chance: &mut Chance) {
    let at = chance.below(bytes.len() + 1);
    match chance.below(8) {
        0 if at < bytes.len() => bytes[at] = chance.next() as u8,
        1 if at < bytes.len() => bytes[at] ^= 1 << chance.below(8),
        2 | 3 => drop(bytes.splice(at..at, chance.of(&PIECES).bytes())),
        4 => drop(bytes.drain(chance.stretch(bytes.len(), 40))),
        5 => {
            let copy = bytes[chance.stretch(bytes.len(), 200)].to_vec();
            bytes.splice(at..at, copy);
        }
        6 if chance.one_in(4) => bytes.truncate(at),
        7 => {
            let other = chance.of(seeds(format)).as_bytes();
            let piece = other[chance.stretch(other.len(), 200)].to_vec();
            bytes.splice(at..at, piece);
        }
        _ => {}
    }
}

/// A file of about that size that mostly repeats one part, which reveals more than linear time.
pub(crate) fn long(format: Kind, chance: &mut Chance, bytes_about: usize) -> Vec<u8> {
    let mut bytes = mutated_text(format, chance);
    let at = chance.below(bytes.len() + 1);
    let piece = if chance.one_in(3) {
        (0..=chance.below(3)).flat_map(|_| chance.of(&PIECES).bytes()).collect()
    } else {
        bytes[chance.stretch(bytes.len(), 300)].to_vec()
    };
    if !piece.is_empty() {
        bytes.splice(at..at, piece.repeat(bytes_about / piece.len()));
    }
    if format == Kind::Sheet { archive(&bytes, chance) } else { bytes }
}

/// Random options, mostly none.
pub(crate) fn options(chance: &mut Chance) -> Options {
    let column = |text: &str| -> Column { text.parse().unwrap_or(Column::Number(1)) };
    let columns = ["1", "2", "3", "9999999999", "Data", "VALOR", "Descricao", "", "amount"];
    let formats = ["dd/mm/yyyy", "yyyymmdd", "dd-mm-yy", "mm/dd/yyyy", "ddmmyyyy"];
    let mut options = Options::default();
    if chance.one_in(16) {
        options.format = Some(if chance.one_in(2) { Format::Ofx } else { Format::Csv });
    }
    if chance.one_in(8) {
        options.separator = [';', ',', '\t', '|', 'ç', '"', '\n'].get(chance.below(7)).copied();
    }
    if chance.one_in(8) {
        options.decimal_separator = [',', '.', ';', '0'].get(chance.below(4)).copied();
    }
    if chance.one_in(8) {
        options.date_format = chance.of(&formats).parse::<DateFormat>().ok();
    }
    if chance.one_in(8) {
        options.date_column = Some(column(chance.of(&columns)));
    }
    if chance.one_in(8) {
        options.description_column = Some(column(chance.of(&columns)));
    }
    if chance.one_in(8) {
        options.amount_column = Some(column(chance.of(&columns)));
    }
    options.skip_negative = chance.one_in(8);
    options.all_expenses = chance.one_in(8);
    options.rows_max = chance.one_in(8).then(|| chance.below(4));
    options
}

/// The invariants of every statement. Returns the one that is violated.
pub(crate) fn violation(file: &[u8], options: &Options, statement: &Statement) -> Option<String> {
    // The rows of a sheet, or the lines of a text.
    let line_ends =
        if is_book(file) { 1_048_575 } else { file.iter().filter(|byte| matches!(byte, b'\n' | b'\r')).count() };
    let row_is_sound = |row: &finance_statements::Row| {
        let chars = row.description.chars().count();
        (1..=255).contains(&chars)
            && row.description.trim() == row.description
            && !row.description.contains("  ")
            && !row.description.chars().any(char::is_control)
            && row.cents != 0
            && row.cents.abs() <= 999_999_999_999
            && (1900..=2199).contains(&row.date.year())
            && (1..=line_ends + 1).contains(&row.line)
            && row.id.as_ref().is_none_or(|id| !id.trim().is_empty() && id.chars().count() <= 1024)
            && !(options.all_expenses && row.cents > 0)
    };
    if let Some(row) = statement.rows.iter().find(|row| !row_is_sound(row)) {
        return Some(format!("{row:?}"));
    }
    let rejected_is_sound = |rejected: &finance_statements::Rejected| {
        (1..=line_ends + 1).contains(&rejected.line) && (1..=100).contains(&rejected.reason.to_string().chars().count())
    };
    if let Some(rejected) = statement.rejected.iter().find(|rejected| !rejected_is_sound(rejected)) {
        return Some(format!("{rejected:?}"));
    }
    match options.rows_max {
        Some(rows_max) if statement.rows.len() > rows_max => Some(format!("{} rows", statement.rows.len())),
        _ => None,
    }
}
