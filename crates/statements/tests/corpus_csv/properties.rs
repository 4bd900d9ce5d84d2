//! Properties: no text panics, and a file written in a layout is read back equal.

use finance_statements::{Column, Options, read};
use proptest::prelude::*;

/// Date as year, month, day; description; cents, negative for an expense.
type Written = (u16, u8, u8, String, i64);

fn written() -> impl Strategy<Value = Written> {
    let text =
        "[A-Z][A-Za-zãçé*.,;\"' ]{0,20}[A-Z]".prop_filter("no balance", |text| !text.to_lowercase().starts_with("s"));
    (1990u16..2069, 1u8..13, 1u8..29, text, prop_oneof![1i64..100_000_000, -100_000_000i64..0])
}

fn comma(cents: i64, grouped: bool) -> String {
    let units = (cents.abs() / 100).to_string();
    let mut text = String::new();
    for (at, digit) in units.chars().enumerate() {
        if grouped && at > 0 && (units.len() - at).is_multiple_of(3) {
            text.push('.');
        }
        text.push(digit);
    }
    format!("{}{text},{:02}", if cents < 0 { "-" } else { "" }, cents.abs() % 100)
}

fn dot(cents: i64) -> String {
    comma(cents, false).replace(',', ".")
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

type Line = fn(&Written) -> String;

/// The header, and how a row is written.
const LAYOUTS: [(&str, Line); 13] = [
    ("Data,Valor,Identificador,Descrição\n", |(y, m, d, text, cents)| {
        format!("{d:02}/{m:02}/{y},{},0,{}\n", dot(*cents), quoted(text))
    }),
    ("date,title,amount\n", |(y, m, d, text, cents)| format!("{y}-{m:02}-{d:02},{},{}\n", quoted(text), dot(-cents))),
    ("date,category,title,amount\n", |(y, m, d, text, cents)| {
        format!("{y}-{m:02}-{d:02},x,{},{}\n", quoted(text), dot(-cents))
    }),
    ("Extrato\nConta ;1\n\nData Lançamento;Descrição;Valor;Saldo\n", |(y, m, d, text, cents)| {
        format!("{d:02}/{m:02}/{y};{};{};1,00\n", quoted(text), comma(*cents, true))
    }),
    ("\"Data\",\"Lançamento\",\"Categoria\",\"Tipo\",\"Valor\"\n", |(y, m, d, text, cents)| {
        format!("\"{d:02}/{m:02}/{y}\",{},\"x\",\"Compra\",\"R$ {}\"\n", quoted(text), comma(-cents, true))
    }),
    (
        "Data Lançamento,Data Contábil,Título,Descrição,Entrada(R$),Saída(R$),Saldo do Dia(R$)\n",
        |(y, m, d, text, cents)| {
            let (credit, debit) = if *cents > 0 { (*cents, 0) } else { (0, -cents) };
            format!("{d:02}/{m:02}/{y},01/01/2025,{},,{},{},1.00\n", quoted(text), dot(credit), dot(debit))
        },
    ),
    ("data;lançamento;ag./origem;valor (R$);saldos (R$)\n", |(y, m, d, text, cents)| {
        format!("{d:02}/{m:02}/{y};{};;{};\n", quoted(text), comma(*cents, true))
    }),
    ("Extrato de: Ag: 2\rData;Histórico;Docto.;Crédito (R$);Débito (R$);Saldo (R$);\r", |(y, m, d, text, cents)| {
        let amount = quoted(&comma(*cents, true));
        let columns = if *cents > 0 { format!("{amount};") } else { format!(";{amount}") };
        format!("{d:02}/{m:02}/{y};{};1;{columns};\"1,00\"\r", quoted(text))
    }),
    (
        "\"Data\",\"Lançamento\",\"Detalhes\",\"N° documento\",\"Valor\",\"Tipo Lançamento\"\n",
        |(y, m, d, text, cents)| {
            let kind = if *cents > 0 { "Entrada" } else { "Saída" };
            format!("\"{d:02}/{m:02}/{y}\",{},\"\",\"1\",\"{}\",\"{kind}\"\n", quoted(text), comma(*cents, true))
        },
    ),
    ("Conta;Data_Mov;Nr_Doc;Historico;Valor;Deb_Cred\r\n", |(y, m, d, text, cents)| {
        format!("1;{y}{m:02}{d:02};0;{};{};{}\r\n", quoted(text), dot(cents.abs()), if *cents > 0 { 'C' } else { 'D' })
    }),
    (
        "RELEASE_DATE;TRANSACTION_TYPE;REFERENCE_ID;TRANSACTION_NET_AMOUNT;PARTIAL_BALANCE\n",
        |(y, m, d, text, cents)| format!("{d:02}-{m:02}-{y};{};0;{};1,00\n", quoted(text), comma(*cents, true)),
    ),
    ("Data;Estabelecimento;Portador;Valor;Parcela\n", |(y, m, d, text, cents)| {
        format!("{d:02}/{m:02}/{y};{};F;R$ {};-\n", quoted(text), comma(-cents, true))
    }),
    ("Date\tDescription\tAmount\n", |(y, m, d, text, cents)| {
        format!("{d}.{m}.{y}\t{}\t{}\n", quoted(text), dot(*cents))
    }),
];

proptest! {
    #[test]
    fn rows_of_every_layout_read_back(rows in prop::collection::vec(written(), 1..20), layout in 0..LAYOUTS.len()) {
        let (header, line) = LAYOUTS[layout];
        let file = format!("{header}{}", rows.iter().map(line).collect::<String>());
        let statement = read(file.as_bytes(), &Options::default()).unwrap();
        prop_assert_eq!(&statement.rejected, &[], "{}", file);
        let found: Vec<_> = statement.rows.iter().map(|row| {
            (row.date.to_string(), row.description.clone(), row.cents, row.id.clone())
        }).collect();
        let expected: Vec<_> = rows.iter().map(|(y, m, d, text, cents)| {
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            (format!("{y}-{m:02}-{d:02}"), text, *cents, None)
        }).collect();
        prop_assert_eq!(found, expected, "{}", file);
    }

    #[test]
    fn no_text_panics(text in "(Data;Descrição;Valor\n|Data,Valor\r)?[\"\\PC;,\t\r\n|0-9/.-]{0,200}") {
        let _ = read(text.as_bytes(), &Options::default());
    }

    #[test]
    fn no_text_like_a_statement_panics(
        cells in prop::collection::vec(
            prop_oneof!["[0-9]{1,2}/[0-9]{1,2}/[0-9]{2,4}", "-?[0-9.,]{1,12}", "[DC\" a-zé]{0,8}", Just("Data".to_string()), Just("Valor".to_string())],
            0..40
        ),
        ends in prop::collection::vec(prop::sample::select(vec![";", ",", "\t", "\n", "\r", "\r\n", ";\""]), 40),
        number in 0usize..5,
        name in "[a-zA-Z]{0,5}",
    ) {
        let text: String = cells.iter().zip(ends).flat_map(|(cell, end)| [cell.as_str(), end]).collect();
        let lines = text.split(['\r', '\n']).count();
        if let Ok(statement) = read(text.as_bytes(), &Options::default()) {
            prop_assert!(statement.rows.iter().all(|row| row.cents != 0 && row.line <= lines));
            prop_assert!(statement.rejected.iter().all(|rejected| rejected.line <= lines));
        }
        let options = Options {
            date_column: Some(Column::Number(number)),
            amount_column: Some(Column::Name(name)),
            separator: Some(';'),
            ..Options::default()
        };
        let _ = read(text.as_bytes(), &options);
    }

    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = read(&bytes, &Options::default());
    }
}
