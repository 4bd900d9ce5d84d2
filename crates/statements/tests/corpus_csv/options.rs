//! The caller's options take precedence over what is detected.

use finance_statements::{Column, Options};

use super::{check, check_rows, check_with, refused};

fn column(text: &str) -> Option<Column> {
    text.parse().ok()
}

fn columns(date: &str, description: &str, amount: &str) -> Options {
    Options {
        date_column: column(date),
        description_column: column(description),
        amount_column: column(amount),
        ..Options::default()
    }
}

const STRANGE: &str = "relatório da loja\n\nQuando foi;Quem;Obs;R$\n31/01/2025;Ana;x;10,50\n01/02/2025;Bia;y;-3\n";

#[test]
fn columns_are_named_by_header() {
    let rows = ["4 2025-01-31 1050 Ana", "5 2025-02-01 -300 Bia"];
    check_with(&columns("quando foi", "QUEM", "R$"), STRANGE, &rows, &[]);
    check_with(&columns("1", "Quem", "R$"), STRANGE, &rows, &[]);
    check_with(&columns("1", "Quem", "4"), STRANGE, &rows, &[]);
}

#[test]
fn columns_are_counted_from_one_with_or_without_header() {
    check_with(&columns("1", "2", "4"), STRANGE, &["4 2025-01-31 1050 Ana", "5 2025-02-01 -300 Bia"], &[]);
    check_with(
        &columns("3", "1", "2"),
        "Ana,10.50,20250131\nBia,-3,20250201\n",
        &["1 2025-01-31 1050 Ana", "2 2025-02-01 -300 Bia"],
        &[],
    );
    check_with(
        &columns("1", "3", "4"),
        "Data;Descrição;Obs;Valor\n31/01/2025;A;obs;1,00\n",
        &["2 2025-01-31 100 obs"],
        &[],
    );
}

#[test]
fn one_column_may_be_told_and_the_others_found() {
    let file = "Data Compra;Data Pagamento;Descrição;Detalhes;Valor;Saldo\n01/01/2025;31/01/2025;A;B;1,00;2,00\n";
    check_rows(file, &["2 2025-01-01 100 A B"]);
    let date = Options { date_column: column("Data Pagamento"), ..Options::default() };
    check_with(&date, file, &["2 2025-01-31 100 A B"], &[]);
    let description = Options { description_column: column("4"), ..Options::default() };
    check_with(&description, file, &["2 2025-01-01 100 B"], &[]);
    let amount = Options { amount_column: column("saldo"), ..Options::default() };
    check_with(&amount, file, &["2 2025-01-01 200 A B"], &[]);
    let headless = Options { amount_column: column("4"), ..Options::default() };
    check_with(&headless, "31/01/2025;A;1,00;2,00\n", &["1 2025-01-31 200 A"], &[]);
}

#[test]
fn a_card_export_with_its_amount_column_told_is_not_turned() {
    let file = "date,title,amount\n2025-08-03,Mercado,78.40\n";
    check_rows(file, &["2 2025-08-03 -7840 Mercado"]);
    let options = Options { amount_column: column("amount"), ..Options::default() };
    check_with(&options, file, &["2 2025-08-03 7840 Mercado"], &[]);
    let options = Options { description_column: column("title"), ..Options::default() };
    check_with(&options, file, &["2 2025-08-03 -7840 Mercado"], &[]);
}

#[test]
fn columns_that_are_missing_are_refused_by_option() {
    let file = "Data;Descrição;Valor\n31/01/2025;A;1,00\n";
    let cases = [
        (columns("Dia", "2", "3"), "date_column", "O arquivo não tem a coluna \"Dia\"."),
        (columns("1", "Texto", "3"), "description_column", "O arquivo não tem a coluna \"Texto\"."),
        (columns("1", "2", "Total"), "amount_column", "O arquivo não tem a coluna \"Total\"."),
        (columns("1", "2", "9"), "amount_column", "A coluna 9 não existe: o arquivo tem 3 colunas."),
        (columns("4", "2", "3"), "date_column", "A coluna 4 não existe: o arquivo tem 3 colunas."),
        (columns("2", "2", "3"), "date_column", "A coluna informada para a data não tem nenhuma data."),
        (columns("1", "2", "2"), "amount_column", "A coluna informada para o valor não tem nenhum valor."),
    ];
    for (options, name, message) in cases {
        assert_eq!(refused(&options, file), (name, message.to_string()));
    }
    let zero = Options { date_column: Some(Column::Number(0)), ..Options::default() };
    assert_eq!(refused(&zero, file).0, "date_column");
    let blank = Options { date_column: Some(Column::Name(" ".into())), ..Options::default() };
    assert_eq!(refused(&blank, file).0, "date_column");
    let headless = "31/01/2025;A;1,00\n";
    assert_eq!(refused(&columns("Data", "2", "3"), headless).0, "date_column");
    assert_eq!(refused(&columns("1", "2", "7"), headless).0, "amount_column");
    assert_eq!(refused(&columns("2", "1", "3"), headless).0, "date_column");
    assert_eq!(refused(&columns("1", "2", "2"), headless).0, "amount_column");
}

#[test]
fn the_decimal_separator_told_wins() {
    let with = |mark| Options { decimal_separator: Some(mark), ..Options::default() };
    let file = "Data;Descrição;Valor\n31/01/2025;A;1.234\n31/01/2025;B;1.234,56\n31/01/2025;C;1,234.56\n";
    check_with(&with('.'), file, &["2 2025-01-31 123 A", "3 2025-01-31 123456 B", "4 2025-01-31 123456 C"], &[]);
    check_with(&with(','), file, &["2 2025-01-31 123400 A", "3 2025-01-31 123456 B", "4 2025-01-31 123456 C"], &[]);
    let wrong = "Data;Descrição;Valor\n31/01/2025;A;10,50\n";
    assert_eq!(refused(&with('.'), wrong).0, "decimal_separator");
    assert_eq!(refused(&with(';'), wrong).0, "decimal_separator");
}

#[test]
fn the_date_format_told_wins() {
    let with = |format: &str| Options { date_format: Some(format.parse().unwrap()), ..Options::default() };
    let file = "date,description,amount\n01/02/2025,A,1.00\n01/13/2025,B,1.00\n";
    check_with(&with("mm/dd/yyyy"), file, &["2 2025-01-02 100 A", "3 2025-01-13 100 B"], &[]);
    check_with(&with("dd/mm/yyyy"), file, &["2 2025-02-01 100 A"], &["3: data inválida: 01/13/2025"]);
    assert_eq!(refused(&with("yyyy-mm-dd"), file).0, "date_format");
    check_with(&with("ddmmyy"), "310125;A;1,00\n010225;B;2,00\n", &["1 2025-01-31 100 A", "2 2025-02-01 200 B"], &[]);
    assert_eq!(refused(&with("yyyymmdd"), "31/01/2025;A;1,00\n").0, "date_format");
}

#[test]
fn the_separator_told_wins() {
    let with = |separator| Options { separator: Some(separator), ..Options::default() };
    check_with(&with(':'), "Data:Descrição:Valor\n31/01/2025:A;B,C:1,00\n", &["2 2025-01-31 100 A;B,C"], &[]);
    check_with(&with('\t'), "31/01/2025\tA;B\t1,00\n", &["1 2025-01-31 100 A;B"], &[]);
    for separator in ['é', 'a', '1', '"', '\n'] {
        assert_eq!(refused(&with(separator), "31/01/2025;A;1,00\n").0, "separator");
    }
}

#[test]
fn signs_are_skipped_as_the_file_sees_them() {
    let file = "Data;Descrição;Crédito;Débito\n31/01/2025;A;1,00;\n31/01/2025;B;;2,00\n";
    let options = Options { skip_negative: true, ..Options::default() };
    check_with(&options, file, &["2 2025-01-31 100 A"], &["3: valor negativo ignorado"]);
    let options = Options { all_expenses: true, ..Options::default() };
    check_with(&options, file, &["2 2025-01-31 -100 A", "3 2025-01-31 -200 B"], &[]);
    check(file, &["2 2025-01-31 100 A", "3 2025-01-31 -200 B"], &[]);
}
