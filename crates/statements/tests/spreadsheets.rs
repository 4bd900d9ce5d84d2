//! Spreadsheets of three formats, written by four libraries, and damaged variants of them.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "the helpers of tests fail as the tests do")]

#[path = "spreadsheets/broken.rs"]
mod broken;
#[path = "spreadsheets/parts.rs"]
mod parts;
#[path = "spreadsheets/written.rs"]
mod written;

use std::io::Cursor;

use calamine::{Data, Reader, open_workbook_auto_from_rs};
use finance_statements::{Column, Error, Format, Options, Statement, read};

const BTG: &[u8] = include_bytes!("fixtures/btg.xlsx");
const TWO_LINES: &[u8] = include_bytes!("fixtures/headers_over_two_lines.xlsx");
const ITAU: &[u8] = include_bytes!("fixtures/itau.xls");
const SANTANDER: &[u8] = include_bytes!("fixtures/santander.xls");
const C6: &[u8] = include_bytes!("fixtures/c6.ods");
const PASSWORD: &[u8] = include_bytes!("fixtures/password.xlsx");

/// A row as `line date cents description`, a rejected line as `sheet line: reason`.
fn shown(statement: &Statement) -> (Vec<String>, Vec<String>) {
    let rows = statement.rows.iter().map(|row| format!("{} {} {} {}", row.line, row.date, row.cents, row.description));
    let rejected = statement.rejected.iter().map(|rejected| {
        format!("{} {}: {}", rejected.sheet.as_deref().unwrap_or("no sheet"), rejected.line, rejected.reason)
    });
    (rows.collect(), rejected.collect())
}

#[track_caller]
fn check(file: &[u8], rows: &[&str], rejected: &[&str]) {
    let statement = read(file, &Options::default()).unwrap_or_else(|error| panic!("{error:?}"));
    assert_eq!(statement.format, Format::Csv);
    let (rows_read, rejected_read) = shown(&statement);
    assert_eq!(rows_read, rows);
    assert_eq!(rejected_read, rejected);
    // The recognized layout, given as options, reads the file in the same way.
    let layout = statement.layout.as_ref().expect("a layout");
    assert_eq!(layout.separator, None);
    let by_layout = Options {
        decimal_separator: layout.decimal_separator,
        date_column: Some(Column::Number(layout.date_column)).filter(|_| sheets_with_rows(&statement) == 1),
        separator: Some(';'),
        ..Options::default()
    };
    assert_eq!(shown(&read(file, &by_layout).unwrap()), shown(&statement), "{layout:?}");
}

/// How many sheets have rows. The line numbers start again with each sheet.
fn sheets_with_rows(statement: &Statement) -> usize {
    1 + statement.rows.windows(2).filter(|rows| rows[0].line > rows[1].line).count()
}

#[test]
fn btg_in_xlsx() {
    check(
        BTG,
        &[
            "12 2026-01-05 -1234 Pix enviado PADARIA DO ZÉ",
            "13 2026-01-06 500000 Pix recebido EMPRESA & FILHOS LTDA",
            "14 2026-01-07 -30 Débito \"ARMAZÉM\" 100",
            "2 2026-02-02 -4590 LIVRARIA",
            "4 2026-02-10 -123456 POSTO",
        ],
        &["Extrato 15: linha de saldo", "Fevereiro 3: data inválida: ontem"],
    );
    let layout = read(BTG, &Options::default()).unwrap().layout.unwrap();
    assert_eq!((layout.date_column, layout.description_column, layout.amount_column), (2, Some(4), Some(8)));
    assert_eq!(layout.date_format.as_deref(), Some("yyyy-mm-dd"));
    assert_eq!(layout.headers, ["", "Data e hora", "Categoria", "Transação", "Descrição", "", "", "Valor"]);
    assert_eq!(layout.sample[0], ["", "2026-01-05", "Transferência", "Pix enviado", "PADARIA DO ZÉ", "", "", "-12,34"]);
}

#[test]
fn headers_over_two_lines_and_the_epoch_of_1904_in_xlsx() {
    check(
        TWO_LINES,
        &["5 2026-01-31 1000 PIX DE BIA", "6 2026-01-31 -2050 MERCADO", "7 2026-02-01 -399 FARMÁCIA"],
        &[],
    );
}

#[test]
fn itau_in_xls() {
    let mut rows = vec![
        "11 2026-01-02 25000 PIX TRANSF BIA02/01".to_string(),
        "12 2026-01-05 -1234 RSHOP-PADARIA".to_string(),
        "13 2026-01-05 -1900 TAR PACOTE".to_string(),
    ];
    rows.extend(
        (1..=400).map(|number| format!("{} 2026-01-06 -{number} LOJA DE NÚMERO {number:04} – FILIAL", 13 + number)),
    );
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    check(
        ITAU,
        &rows,
        &["Lançamentos 10: linha de saldo", "Lançamentos 414: lançamento futuro", "Lançamentos 415: lançamento futuro"],
    );
}

#[test]
fn santander_in_xls() {
    check(
        SANTANDER,
        &[
            "2 2026-01-01 123456789 PIX RECEBIDO BIA",
            "3 2026-01-02 -1 COMPRA CARTAO",
            "4 2026-01-03 -15000 TARIFA",
            "6 2026-01-05 100 RENDIMENTO",
        ],
        &["Extrato 5: valor zero"],
    );
}

#[test]
fn c6_in_ods() {
    check(
        C6,
        &[
            "9 2026-01-05 -10307 Pix enviado para Bia & Cia",
            "10 2026-01-06 -550 CAFÉ",
            "11 2026-01-06 -550 CAFÉ",
            "15 2026-01-07 123450 Pix recebido",
        ],
        &[],
    );
}

#[test]
fn a_spreadsheet_takes_the_options_of_csv() {
    let rows = |options: &Options| {
        let statement = read(BTG, options).unwrap();
        statement.rows.iter().map(|row| (row.description.clone(), row.cents)).collect::<Vec<_>>()
    };
    let by_name = Options {
        date_column: Some(Column::Name("data e hora".into())),
        description_column: Some(Column::Name("Transação".into())),
        date_format: Some("dd/mm/yyyy".parse().unwrap()),
        decimal_separator: Some('.'),
        skip_negative: true,
        ..Options::default()
    };
    // The sheet without these columns is skipped.
    assert_eq!(rows(&by_name), [("Pix recebido".to_string(), 500_000)]);
    let expenses = rows(&Options { all_expenses: true, ..Options::default() });
    assert!(expenses.iter().all(|(_, cents)| *cents < 0) && expenses.len() == 5);
    for (options, name) in [
        (Options { date_column: Some(Column::Name("Quando".into())), ..Options::default() }, "date_column"),
        (Options { amount_column: Some(Column::Number(99)), ..Options::default() }, "amount_column"),
        (Options { decimal_separator: Some('x'), ..Options::default() }, "decimal_separator"),
    ] {
        assert!(matches!(read(BTG, &options), Err(Error::Option { name: refused, .. }) if refused == name), "{name}");
    }
    for (rows_max, is_read) in [(5, true), (4, false), (1, false)] {
        let result = read(BTG, &Options { rows_max: Some(rows_max), ..Options::default() });
        assert_eq!(result.is_ok(), is_read, "{rows_max}");
        assert!(is_read || result == Err(Error::TooManyRows { rows_max }));
    }
    let ofx = Options { format: Some(Format::Ofx), ..Options::default() };
    assert!(matches!(read(BTG, &ofx), Err(Error::Unreadable(_))));
    assert_eq!(read(BTG, &Options { format: Some(Format::Csv), ..Options::default() }).unwrap().rows.len(), 5);
}

#[test]
fn a_spreadsheet_with_a_password_says_so() {
    let Err(Error::Unreadable(reason)) = read(PASSWORD, &Options::default()) else { panic!("read") };
    assert!(reason.contains("senha"), "{reason}");
    // The record before the encrypted ones of an old workbook.
    let mut old = SANTANDER.to_vec();
    let code_page = old.windows(6).position(|bytes| bytes == [0x42, 0, 2, 0, 0xB0, 4]).unwrap();
    old[code_page] = 0x2F;
    let Err(Error::Unreadable(reason)) = read(&old, &Options::default()) else { panic!("read") };
    assert!(reason.contains("senha"), "{reason}");
}

/// The amounts and texts that another library reads.
#[test]
fn another_reader_sees_the_same_cells() {
    for (file, sheet, text_column, amount_columns) in [
        (BTG, "Extrato", 4, [7, 7]),
        (TWO_LINES, "Conta", 1, [2, 3]),
        (ITAU, "Lançamentos", 1, [3, 3]),
        (SANTANDER, "Extrato", 1, [3, 3]),
        (C6, "Extrato", 2, [4, 5]),
    ] {
        let mut workbook = open_workbook_auto_from_rs(Cursor::new(file)).unwrap();
        let range = workbook.worksheet_range(sheet).unwrap();
        let statement = read(file, &Options::default()).unwrap();
        let of_sheet = statement
            .rows
            .iter()
            .enumerate()
            .take_while(|(at, row)| *at == 0 || statement.rows[at - 1].line < row.line);
        for (_, row) in of_sheet {
            let cell = |column: u32| range.get_value((row.line as u32 - 1, column)).cloned().unwrap_or_default();
            let text = cell(text_column).to_string().split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(text.contains(&row.description) || row.description.contains(&text), "{text}: {row:?}");
            let amount = amount_columns.iter().find_map(|column| match cell(*column) {
                Data::Float(value) if value != 0.0 => Some(value),
                Data::Int(value) if value != 0 => Some(value as f64),
                _ => None,
            });
            let cents = (amount.unwrap().abs() * 100.0).round() as i64;
            assert_eq!(cents, row.cents.abs(), "{row:?}");
        }
    }
}
