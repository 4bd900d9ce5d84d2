//! Files of unknown banks: synonyms, separators, encodings, missing headers, and damaged files.

use finance_statements::{Error, Options, read};

use super::{check, check_rows, check_with, refused};

#[test]
fn portuguese_and_english_headers_are_understood() {
    let row = ["2 2025-01-31 -1050 Padaria"];
    for file in [
        "Data;Descrição;Valor\n31/01/2025;Padaria;-10,50\n",
        "DT;HISTÓRICO;QUANTIA\n31/01/2025;Padaria;-10,50\n",
        "Valor (R$);Data da Transação;Estabelecimento\n-10,50;31/01/2025;Padaria\n",
        "Data;Memo;Crédito;Débito\n31/01/2025;Padaria;;10,50\n",
        "Data;Título;Entrada (R$);Saída (R$);Saldo (R$)\n31/01/2025;Padaria;0,00;-10,50;1,00\n",
        "Data;Descrição;Saídas\n31/01/2025;Padaria;10,50\n",
        "date,description,value,balance\n2025-01-31,Padaria,-10.50,3.00\n",
        "Posting Date,Details,Debit,Credit\n31/01/2025,Padaria,10.50,\n",
        "Transaction Date\tMerchant\tAmount\n31.01.2025\tPadaria\t-10,50\n",
        "Data|Lançamento|Valor\n31-01-25|Padaria|(10,50)\n",
        "data;tipo;descrição;valor\n31/01/2025;Débito;Padaria;10,50\n",
        "Data;Descrição;Valor;D/C\n31/01/2025;Padaria;10,50;D\n",
        "Data;Descrição;Valor\n31/01/2025;Padaria;10,50 D\n",
        "Data;Descrição;Valor\n31/01/2025;Padaria;10,50-\n",
        "Data;Descrição;Valor\n31/01/2025;Padaria;\u{2212} R$ 10,50\n",
        "Data;Fornecedor;Valor\n31/01/2025;Padaria;-10,50\n",
        "sep=;\nData;Descrição;Valor\n31/01/2025;Padaria;-10,50\n",
        "Data;Valor;Valor;Descrição\n31/01/2025;-10,50;99,99;Padaria\n",
    ] {
        println!("{file}");
        let lines_before = usize::from(file.starts_with("sep="));
        check_rows(file, &[&row[0].replacen('2', &(2 + lines_before).to_string(), 1)]);
    }
}

#[test]
fn a_dash_is_no_amount_where_income_and_expenses_have_columns() {
    check(
        "sep=;\nData;Histórico;Crédito;Débito\n02/03/2026;Salário;1.000,00;-\n03/03/2026;Feira;-;50,00\n04/03/2026;Nota;-;-\n",
        &["3 2026-03-02 100000 Salário", "4 2026-03-03 -5000 Feira"],
        &["5: linha sem valor"],
    );
}

#[test]
fn words_after_amounts_say_whether_they_are_income() {
    check_rows(
        "Data;Histórico;Valor\n02/03/2026;Salário;1.234,56 CR\n03/03/2026;Feira;50,00 DB\n",
        &["2 2026-03-02 123456 Salário", "3 2026-03-03 -5000 Feira"],
    );
}

#[test]
fn a_column_that_tells_no_direction_is_left_alone() {
    check_rows(
        "data;tipo;descrição;valor\n31/01/2025;Débito;Padaria;-10,50\n01/02/2025;Pix;Ana;20,00\n",
        &["2 2025-01-31 -1050 Padaria", "3 2025-02-01 2000 Ana"],
    );
}

#[test]
fn a_balance_row_without_a_word_does_not_hide_what_the_others_say() {
    check(
        "data;tipo;descrição;valor\n31/01/2025;Débito;Padaria;10,50\n31/01/2025;;Saldo do dia;1,00\n\
         data;tipo;descrição;valor\n01/02/2025;Crédito;Ana;20,00\nTotal;;;9,50\n",
        &["2 2025-01-31 -1050 Padaria", "5 2025-02-01 2000 Ana"],
        &["3: linha de saldo", "4: cabeçalho repetido", "6: linha de total"],
    );
}

#[test]
fn a_total_is_rejected_with_a_date_too() {
    check(
        "Data;Histórico;Valor\n05/01/2026;PADARIA;-10,00\n06/01/2026;TOTAL ATACADO;-20,00\n31/01/2026;Total;-30,00\n",
        &["2 2026-01-05 -1000 PADARIA", "3 2026-01-06 -2000 TOTAL ATACADO"],
        &["4: linha de total"],
    );
}

#[test]
fn generic_files_are_no_card_statements() {
    check_rows("date,description,amount\n2025-01-31,Padaria,10.50\n", &["2 2025-01-31 1050 Padaria"]);
}

#[test]
fn unclear_thousands_follow_the_file_and_then_the_separator() {
    check_rows("Data;Descrição;Valor\n31/01/2025;A;1.234\n", &["2 2025-01-31 123400 A"]);
    check_rows("date,description,amount\n2025-01-31,A,1.234\n", &["2 2025-01-31 123 A"]);
    check_rows(
        "date;description;amount\n2025-01-31;A;1.234\n2025-01-31;B;1.5\n",
        &["2 2025-01-31 123 A", "3 2025-01-31 150 B"],
    );
    check_rows(
        "Data,Descrição,Valor\n31/01/2025,A,1.234\n31/01/2025,B,\"1,50\"\n",
        &["2 2025-01-31 123400 A", "3 2025-01-31 150 B"],
    );
    check_rows(
        "Data;Descrição;Valor\n31/01/2025;A;0.123\n31/01/2025;B;1.234,56\n",
        &["2 2025-01-31 12 A", "3 2025-01-31 123456 B"],
    );
    check(
        "Data;Descrição;Valor\n31/01/2025;A;10.50\n31/01/2025;B;10,50\n31/01/2025;C;1.234\n",
        &["2 2025-01-31 1050 A", "3 2025-01-31 1050 B", "4 2025-01-31 123 C"],
        &[],
    );
}

#[test]
fn a_comma_that_parts_fields_and_decimals_tears_no_amount() {
    check_rows(
        "Data,Descrição,Valor\n31/01/2025,A,-10,50\n31/01/2025,B,-1.234,56\n",
        &["2 2025-01-31 -1050 A", "3 2025-01-31 -123456 B"],
    );
    check_rows("31/01/2025,A,-10,50\n31/01/2025,B,7,25\n", &["1 2025-01-31 -1050 A", "2 2025-01-31 725 B"]);
}

#[test]
fn the_month_comes_first_only_where_the_day_cannot() {
    check_rows(
        "date,description,amount\n01/02/2025,A,1.00\n03/04/2025,B,1.00\n",
        &["2 2025-02-01 100 A", "3 2025-04-03 100 B"],
    );
    check_rows(
        "date,description,amount\n01/02/2025,A,1.00\n01/31/2025,B,1.00\n",
        &["2 2025-01-02 100 A", "3 2025-01-31 100 B"],
    );
    check(
        "date,description,amount\n01/02/2025,A,1.00\n01/31/2025,B,1.00\n31/01/2025,C,1.00\n",
        &["2 2025-02-01 100 A", "4 2025-01-31 100 C"],
        &["3: data inválida: 01/31/2025"],
    );
}

#[test]
fn one_clear_row_decides_wherever_it_is() {
    let unclear = "01/02/2025;Pix;A;1.234\n".repeat(150);
    let header = "date;type;description;amount\n";
    let rows = |file: String| -> Vec<(String, i64)> {
        let rows = read(file.as_bytes(), &Options::default()).unwrap().rows;
        rows.iter().map(|row| (row.date.to_string(), row.cents)).collect()
    };
    let alone = rows(format!("{header}{unclear}"));
    assert_eq!(alone, vec![("2025-02-01".to_string(), 123_400); 150]);
    for (clear, date, cents) in [
        ("01/31/2025;Pix;B;1\n", "2025-01-02", 123_400),
        ("31/01/2025;Pix;B;1.5\n", "2025-02-01", 123),
        ("01/31/2025;Pix;B;1.5\n", "2025-01-02", 123),
    ] {
        let last = rows(format!("{header}{unclear}{clear}"));
        assert_eq!(last[..150], vec![(date.to_string(), cents); 150], "{clear}");
        let mut first = rows(format!("{header}{clear}{unclear}"));
        first.rotate_left(1);
        assert_eq!(last, first, "{clear}");
    }
    let spent = "31/01/2025;Débito;A;10,00\n".repeat(150);
    assert_eq!(rows(format!("{header}{spent}"))[0].1, -1_000);
    assert_eq!(rows(format!("{header}{spent}31/01/2025;Pix;B;1,00\n"))[0].1, 1_000, "the column tells no direction");
}

#[test]
fn a_limit_counts_the_rows_as_the_whole_file_has_them_read() {
    // With the day first the last row is no date, and rejected; it shows that the month comes first.
    let odd = "02/13/2025;A;1,00\n";
    let file = format!("date;description;amount\n{}{odd}", "01/02/2025;A;1,00\n".repeat(150));
    let limit = |rows_max| Options { rows_max: Some(rows_max), ..Options::default() };
    assert_eq!(read(file.as_bytes(), &limit(151)).unwrap().rows.len(), 151);
    assert_eq!(read(file.as_bytes(), &limit(150)), Err(Error::TooManyRows { rows_max: 150 }));
}

#[test]
fn a_file_without_header_is_read_by_its_rows() {
    check_rows(
        "31/01/2025;Padaria;-10,50\n01/02/2025;Salário;5.000,00\n",
        &["1 2025-01-31 -1050 Padaria", "2 2025-02-01 500000 Salário"],
    );
    check_rows(
        "2025-01-31,Padaria,-10.50\n2025-02-01,Mercado,7\n",
        &["1 2025-01-31 -1050 Padaria", "2 2025-02-01 700 Mercado"],
    );
    check_rows("31/01/2025\t361216\tPadaria\t-10,50\t100,00\n", &["1 2025-01-31 -1050 Padaria"]);
    check_rows("Padaria|10|31/01/2025\n", &["1 2025-01-31 1000 Padaria"]);
    check_rows(
        "31/01/2025;Padaria;10,50;D\n01/02/2025;Pix;5,00;C\n",
        &["1 2025-01-31 -1050 Padaria", "2 2025-02-01 500 Pix"],
    );
    check(
        "Meu extrato;;\nConta 1;;\n31/01/2025;Padaria;-10,50\n01/02/2025;Saldo do dia;1,00\n02/02/2025;Nada;x\n;;\nfim;;\n",
        &["3 2025-01-31 -1050 Padaria"],
        &["4: linha de saldo", "5: valor ilegível: x", "7: data inválida: fim"],
    );
}

#[test]
fn no_row_of_a_file_without_header_gets_lost() {
    check(
        "Extrato;01/01/2025\n31/01/2025;Padaria;\n01/02/2025;SALDO;;1,00\n02/02/2025;Mercado;-2,00\n03/02/2025;Bar;-3,00\n",
        &["4 2025-02-02 -200 Mercado", "5 2025-02-03 -300 Bar"],
        &["2: linha sem valor", "3: linha de saldo"],
    );
    check(
        "31/07/2025;SALDO ANTERIOR;;1.000,00\n01/08/2025;PIX;2.500,00;\n01/08/2025;SALDO DO DIA;;3.500,00\n",
        &["2 2025-08-01 250000 PIX"],
        &["1: linha de saldo", "3: linha de saldo"],
    );
}

#[test]
fn ragged_blank_and_bad_lines_cost_only_themselves() {
    check(
        "Data;Descrição;Valor;Saldo\n\
         31/01/2025;A;-1,00\n\
         \n\
         31/01/2025;B;-2,00;9,99;;;sobra\n\
         ;;;\n\
         31/01/2025;C\n\
         31/13/2025;D;-3,00\n\
         31/01/2025;E;abc\n\
         ;F;-4,00\n\
         31/01/2025;;-5,00\n\
         31/01/2025;  G \u{a0} H\u{1};-6,00\n\
         31/01/2025;I;99999999999999\n\
         31/01/2025;S A L D O;1,00\n\
         31/01/2025;J;0,00\n",
        &["2 2025-01-31 -100 A", "4 2025-01-31 -200 B", "10 2025-01-31 -500 (sem descrição)", "11 2025-01-31 -600 G H"],
        &[
            "6: linha sem valor",
            "7: data inválida: 31/13/2025",
            "8: valor ilegível: abc",
            "9: linha sem data",
            "12: valor acima do limite: 99999999999999",
            "13: linha de saldo",
            "14: valor zero",
        ],
    );
}

#[test]
fn quotes_may_hold_separators_and_line_ends() {
    check_rows(
        "\"Data\",\"Descrição\",\"Valor\"\r\n\"31/01/2025\",\"Loja \"\"Boa\"\",\r\nSão Paulo\",\"-1,00\"\r\n31/01/2025,B,\"2,00\"\r\n",
        &["2 2025-01-31 -100 Loja \"Boa\", São Paulo", "4 2025-01-31 200 B"],
    );
    check_rows(
        "Data,Descrição,Valor\n31/01/2025,\"Sem fim,-1.00\n31/01/2025,B,2.00\n31/01/2025,C,3.00\n",
        &["2 2025-01-31 -100 \"Sem fim", "3 2025-01-31 200 B", "4 2025-01-31 300 C"],
    );
}

#[test]
fn utf_16_and_windows_1252_and_cr_only_files_are_read() {
    let text = "Data;Descrição;Valor\r31/01/2025;Pão;-1,00\r";
    let row = ["2 2025-01-31 -100 Pão"];
    let wide = |text: &str| text.encode_utf16().collect::<Vec<u16>>();
    check(
        [&[0xFF, 0xFE][..], &wide(text).iter().flat_map(|unit| unit.to_le_bytes()).collect::<Vec<_>>()].concat(),
        &row,
        &[],
    );
    check(
        [&[0xFE, 0xFF][..], &wide(text).iter().flat_map(|unit| unit.to_be_bytes()).collect::<Vec<_>>()].concat(),
        &row,
        &[],
    );
    check(encoding_rs::WINDOWS_1252.encode(text).0, &row, &[]);
    check(format!("\u{feff}{text}"), &row, &[]);
}

#[test]
fn a_header_without_rows_is_no_error() {
    check("Data;Descrição;Valor\n", &[], &[]);
    check("date,title,amount", &[], &[]);
}

#[test]
fn a_file_without_recognisable_columns_is_refused() {
    for file in
        ["oi", "a;b;c\n1;2;3\n", "Data;Descrição\n31/01/2025;A\n", "nome;idade\nAna;30\n", ";;;;\n", "31/01/2025\n"]
    {
        assert!(matches!(read(file.as_bytes(), &Options::default()), Err(Error::Unreadable(_))), "{file}");
    }
}

#[test]
fn columns_that_take_turns_without_header_must_be_told() {
    let file = "31/01/2025;A;;10,00;90,00\n01/02/2025;B;20,00;;110,00\n";
    assert!(matches!(read(file.as_bytes(), &Options::default()), Err(Error::Unreadable(_))));
    let options = Options { amount_column: "3".parse().ok(), ..Options::default() };
    check_with(&options, file, &["2 2025-02-01 2000 B"], &["1: linha sem valor"]);
}

#[test]
fn rows_beyond_the_limit_are_refused() {
    let file = "Data;Descrição;Valor\n31/01/2025;A;-1,00\n31/01/2025;SALDO;1,00\n31/01/2025;B;-2,00\n";
    let limit = |rows_max| Options { rows_max: Some(rows_max), ..Options::default() };
    assert_eq!(read(file.as_bytes(), &limit(2)).unwrap().rows.len(), 2);
    assert_eq!(read(file.as_bytes(), &limit(1)), Err(Error::TooManyRows { rows_max: 1 }));
}

#[test]
fn a_separator_that_parts_nothing_is_refused() {
    let options = Options { separator: Some('|'), ..Options::default() };
    let (name, message) = refused(&options, "Data;Descrição;Valor\n31/01/2025;A;-1,00\n");
    assert_eq!((name, message.as_str()), ("separator", "O separador informado não separa as colunas deste arquivo."));
}

#[test]
fn a_line_without_an_amount_does_not_hide_what_the_words_of_the_others_say() {
    check(
        "03/02/2026;Débito;IFOOD RESTAURANTE;15,62\n09/02/2026;Crédito;Compra devolvida;389,06\n28/02/2026;SALDO FINAL;1.234,56\n",
        &["1 2026-02-03 -1562 IFOOD RESTAURANTE", "2 2026-02-09 38906 Compra devolvida"],
        &["3: linha sem valor"],
    );
    let words = "03/02/2026;IOF;69,31;Débito\n07/02/2026;TED;1501,31;Débito\n";
    check_rows(words, &["1 2026-02-03 -6931 IOF", "2 2026-02-07 -150131 TED"]);
    let rows = read(words.as_bytes(), &Options::default()).unwrap().rows;
    assert_eq!(rows[0].former.as_ref().map(|former| former.description.as_str()), Some("Débito"));
}

#[test]
fn a_comma_of_amounts_separates_no_columns_of_a_file_with_tabs() {
    // Nothing shows which of the two columns is that of expenses.
    let file = "Dia\tQuem\tA\tB\n02/02/2026 09:31\tUBER\tR$ 30,81\t0,00\n02/02/2026 13:23\tPADARIA\t0,00\tR$ 90,93\n\
                05/02/2026 14:47\tSAQUE\t0,00\tR$ 61,51\n";
    assert!(matches!(read(file.as_bytes(), &Options::default()), Err(Error::Unreadable(_))));
    check_rows(
        &file.replace("A\tB", "Entrou\tSaiu"),
        &["2 2026-02-02 3081 UBER", "3 2026-02-02 -9093 PADARIA", "4 2026-02-05 -6151 SAQUE"],
    );
}
