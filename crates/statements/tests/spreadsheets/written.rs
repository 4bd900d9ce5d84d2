//! Spreadsheets that are written here by `rust_xlsxwriter`.

use finance_statements::{Options, read};
use proptest::prelude::*;
use rust_xlsxwriter::{ExcelDateTime, Format, Formula, Workbook};

use super::shown;

#[test]
fn results_of_formulas_and_formats_of_numbers_are_read() {
    let mut workbook = Workbook::new();
    let sheet = workbook.add_worksheet();
    sheet.set_name("Lançamentos").unwrap();
    let date = Format::new().set_num_format("[$-416]d\\ mmm\\ yy;@");
    let money = Format::new().set_num_format("_-[$R$-416]\\ * #,##0.00_-");
    sheet.merge_range(0, 0, 0, 3, "Extrato da conta", &Format::new()).unwrap();
    sheet.write_row(2, 0, ["Data", "Hora", "Descrição", "Valor"]).unwrap();
    let day = ExcelDateTime::from_ymd(2026, 1, 31).unwrap();
    for (row, (text, result)) in [("SOMA", "-12.34"), ("JUROS", "0.1"), ("ERRO", "#DIV/0!")].into_iter().enumerate() {
        let row = row as u32 + 3;
        sheet.write_datetime_with_format(row, 0, &day, &date).unwrap();
        sheet.write_number_with_format(row, 1, 0.4375, &Format::new().set_num_format("hh:mm")).unwrap();
        sheet.write_string(row, 2, text).unwrap();
        sheet.write_formula_with_format(row, 3, Formula::new("=A1+1").set_result(result), &money).unwrap();
    }
    workbook.add_worksheet().set_name("Gráfico").unwrap();
    let file = workbook.save_to_buffer().unwrap();
    let statement = read(&file, &Options::default()).unwrap();
    let (rows, rejected) = shown(&statement);
    assert_eq!(rows, ["4 2026-01-31 -1234 SOMA", "5 2026-01-31 10 JUROS"]);
    assert_eq!(rejected, ["Lançamentos 6: valor ilegível: #DIV/0!"]);
    assert_eq!(statement.layout.unwrap().sample[0], ["2026-01-31", "10:30", "SOMA", "-12,34"]);
}

#[test]
fn a_card_known_by_its_headers_has_purchases_as_expenses() {
    let mut workbook = Workbook::new();
    let sheet = workbook.add_worksheet();
    sheet.write_row(0, 0, ["Data", "Estabelecimento", "Portador", "Valor", "Parcela"]).unwrap();
    sheet.write_row(1, 0, ["10/01/2026", "LOJA", "ANA"]).unwrap();
    sheet.write_number(1, 3, 8.0).unwrap();
    sheet.write_string(1, 4, "3 de 10").unwrap();
    sheet.write_row(2, 0, ["11/01/2026", "PAGAMENTO", "ANA", "R$ -19.213,62", "-"]).unwrap();
    let statement = read(&workbook.save_to_buffer().unwrap(), &Options::default()).unwrap();
    assert_eq!(shown(&statement).0, ["2 2026-01-10 -800 LOJA 3 de 10", "3 2026-01-11 1921362 PAGAMENTO"]);
}

#[test]
fn a_sheet_without_headers_is_read_if_no_other_has_some() {
    let file = |with_headers: bool| {
        let mut workbook = Workbook::new();
        let sheet = workbook.add_worksheet();
        for row in 0..3 {
            sheet.write_row(row, 0, ["10/01/2026", "PADARIA"]).unwrap();
            sheet.write_number(row, 2, -1.5).unwrap();
        }
        if with_headers {
            let sheet = workbook.add_worksheet();
            sheet.write_row(0, 0, ["Data", "Descrição", "Valor"]).unwrap();
            sheet.write_row(1, 0, ["11/01/2026", "FEIRA", "-2,00"]).unwrap();
        }
        workbook.save_to_buffer().unwrap()
    };
    let rows = |with_headers| shown(&read(&file(with_headers), &Options::default()).unwrap()).0;
    assert_eq!(rows(false).len(), 3);
    assert_eq!(rows(true), ["2 2026-01-11 -200 FEIRA"]);
}

#[test]
fn a_sheet_of_some_known_headers_comes_before_one_without_and_after_one_with_whole_headers() {
    let file = |headers: &[[&str; 4]]| {
        let mut workbook = Workbook::new();
        for (at, headers) in headers.iter().enumerate() {
            let sheet = workbook.add_worksheet();
            sheet.write_row(0, 0, *headers).unwrap();
            sheet.write_row(1, 0, ["11/01/2026", &format!("FEIRA {at}"), "-2,00", "ok"]).unwrap();
        }
        workbook.save_to_buffer().unwrap()
    };
    let rows = |headers: &[[&str; 4]]| shown(&read(&file(headers), &Options::default()).unwrap()).0;
    let (none, some) = (["Abc", "Def", "Ghi", "Jkl"], ["Data de pagamento", "Descrição", "Valor", "Status"]);
    let whole = ["Data", "Descrição", "Valor", "Status"];
    assert_eq!(rows(&[none, some, whole]), ["2 2026-01-11 -200 FEIRA 2"]);
    assert_eq!(rows(&[none, some]), ["2 2026-01-11 -200 FEIRA 1"]);
    assert_eq!(rows(&[none]), ["2 2026-01-11 -200 FEIRA 0"]);
}

/// Year, month, day, text, cents, and whether the date and the amount are written as texts.
type Written = (u16, u8, u8, String, i64, bool, bool);

fn written() -> impl Strategy<Value = Written> {
    let text = "[\"A-Z][A-Za-zãçé*.,;<&\"' ]{0,20}[A-Z]"
        .prop_filter("no balance", |text| !text.to_lowercase().starts_with('s'));
    let cents = prop_oneof![1i64..100_000_000_000, -100_000_000_000i64..0, -1000i64..0];
    (1990u16..2069, 1u8..13, 1u8..29, text, cents, any::<bool>(), any::<bool>())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn rows_read_back_to_the_cent(rows in prop::collection::vec(written(), 1..20), start in 0u32..5, column in 0u16..4) {
        let mut workbook = Workbook::new();
        let sheet = workbook.add_worksheet();
        let date_format = Format::new().set_num_format("dd/mm/yyyy");
        sheet.write_row(start, column, ["Data", "Descrição", "Valor"]).unwrap();
        for (at, (year, month, day, text, cents, is_date_text, is_amount_text)) in rows.iter().enumerate() {
            let row = start + 1 + at as u32;
            let date = ExcelDateTime::from_ymd(*year, *month, *day).unwrap();
            if *is_date_text {
                sheet.write_string(row, column, format!("{day:02}/{month:02}/{year}")).unwrap();
            } else {
                sheet.write_datetime_with_format(row, column, &date, &date_format).unwrap();
            }
            sheet.write_string(row, column + 1, text).unwrap();
            if *is_amount_text {
                let sign = if *cents < 0 { "-" } else { "" };
                let amount = format!("{sign}R$ {},{:02}", cents.abs() / 100, cents.abs() % 100);
                sheet.write_string(row, column + 2, amount).unwrap();
            } else {
                sheet.write_number(row, column + 2, *cents as f64 / 100.0).unwrap();
            }
        }
        let statement = read(&workbook.save_to_buffer().unwrap(), &Options::default()).unwrap();
        prop_assert_eq!(&statement.rejected, &[]);
        let read: Vec<_> = statement.rows.iter().map(|row| (row.line, row.date.to_string(), row.description.clone(), row.cents)).collect();
        let expected: Vec<_> = rows.iter().enumerate().map(|(at, (year, month, day, text, cents, ..))| {
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            (start as usize + 2 + at, format!("{year}-{month:02}-{day:02}"), text, *cents)
        }).collect();
        prop_assert_eq!(read, expected);
    }
}
