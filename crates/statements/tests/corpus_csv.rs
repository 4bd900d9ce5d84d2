//! CSV files of banks, compared with results that were written by hand.
//!
//! The samples of the corpus are read if they are present. All other files are in the tests.

#[path = "corpus_csv/banks.rs"]
mod banks;
#[path = "corpus_csv/directions.rs"]
mod directions;
#[path = "corpus_csv/generic.rs"]
mod generic;
#[path = "corpus_csv/options.rs"]
mod options;
#[path = "corpus_csv/partial.rs"]
mod partial;
#[path = "corpus_csv/properties.rs"]
mod properties;
#[path = "corpus_csv/reading.rs"]
mod reading;
#[path = "corpus_csv/sections.rs"]
mod sections;

use std::path::Path;

use finance_statements::{Column, CsvLayout, Error, Format, Options, Statement, read};

/// A row as `line date cents [id] description`, a rejected line as `line: reason`.
fn shown(statement: &Statement) -> (Vec<String>, Vec<String>) {
    let rows = statement.rows.iter().map(|row| {
        let id = row.id.as_ref().map(|id| format!(" [{id}]")).unwrap_or_default();
        format!("{} {} {}{id} {}", row.line, row.date, row.cents, row.description)
    });
    let rejected = statement.rejected.iter().map(|rejected| format!("{}: {}", rejected.line, rejected.reason));
    (rows.collect(), rejected.collect())
}

#[track_caller]
fn check_with(options: &Options, file: impl AsRef<[u8]>, rows: &[&str], rejected: &[&str]) {
    let statement = read(file.as_ref(), options).unwrap_or_else(|error| panic!("{error:?}"));
    assert_eq!(statement.format, Format::Csv);
    let (rows_read, rejected_read) = shown(&statement);
    assert_eq!(rows_read, rows);
    assert_eq!(rejected_read, rejected);
    check_layout(options, file.as_ref(), &statement);
}

/// The recognized layout, given as options, reads the file in the same way.
#[track_caller]
fn check_layout(options: &Options, file: &[u8], statement: &Statement) {
    let Some(layout) = &statement.layout else { panic!("a CSV file without a layout") };
    assert!(layout.sample.len() <= 5, "{layout:?}");
    // A column of descriptions may be one of several, and the sign of a column of amounts counts as it is written.
    let by_layout = Options {
        separator: layout.separator,
        decimal_separator: layout.decimal_separator,
        date_format: layout
            .date_format
            .as_ref()
            .filter(|_| has_one_date_format(file, options, layout))
            .map(|format| format.parse().unwrap_or_else(|error| panic!("{format:?}: {error}"))),
        date_column: Some(Column::Number(layout.date_column)),
        ..options.clone()
    };
    let again = read(file, &by_layout).unwrap_or_else(|error| panic!("{layout:?}: {error:?}"));
    assert_eq!(shown(&again), shown(statement), "{layout:?}");
    assert_eq!(again.layout.as_ref(), Some(layout), "of the file read again");
}

/// Whether the detected format reads as many dates as the file has.
fn has_one_date_format(file: &[u8], options: &Options, layout: &CsvLayout) -> bool {
    let date_format = layout.date_format.as_ref().and_then(|format| format.parse().ok());
    let read = |options: &Options| read(file, options).map(|statement| statement.rows.len()).ok();
    read(&Options { date_format, ..options.clone() }) == read(options)
}

#[track_caller]
fn check(file: impl AsRef<[u8]>, rows: &[&str], rejected: &[&str]) {
    check_with(&Options::default(), file, rows, rejected);
}

/// Checks a file whose lines from the second on are all rows.
#[track_caller]
fn check_rows(file: &str, rows: &[&str]) {
    check(file, rows, &[]);
}

/// The option because of which a file is refused.
#[track_caller]
fn refused(options: &Options, file: &str) -> (&'static str, String) {
    match read(file.as_bytes(), options) {
        Err(Error::Option { name, fault }) => (name, fault.to_string()),
        other => panic!("not refused for an option: {other:?}"),
    }
}

#[path = "../../../tests/support/skipped.rs"]
#[allow(dead_code, unreachable_pub, reason = "these tests are skipped in CI, too")]
mod skipped;

/// Checks a sample of the corpus. Prints a notice if the corpus is not beside the workspace.
#[track_caller]
fn sample(name: &str, rows: &[&str], rejected: &[&str]) {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    if !corpus.exists() {
        skipped::notice(&format!("../shared/corpus is not here; {name} is not tested"));
        return;
    }
    let bytes = std::fs::read(corpus.join("csv/synthetic").join(name));
    check(bytes.unwrap_or_else(|error| panic!("{name}: {error}")), rows, rejected);
}

#[test]
fn banco_do_brasil() {
    sample(
        "bb_extrato_antigo.csv",
        &["3 2017-02-01 -1000 Compra com Cartão - 01/02 17:00 RESTAURANTE"],
        &["2: linha de saldo", "4: linha de saldo"],
    );
    sample(
        "bb_extrato_novo.csv",
        &[
            "3 2025-03-12 137000 Pix - Recebido 12/03 08:56 FULANO",
            "4 2025-03-12 -137000 Pix - Enviado 12/03 21:08 BELTRANO",
        ],
        &["2: linha de saldo", "5: linha de saldo", "6: linha de saldo"],
    );
}

#[test]
fn bradesco() {
    sample(
        "bradesco_extrato.csv",
        &[
            "4 2025-07-06 676911 Trans Sal p/c/c Empregador Exemplo Ltda",
            "6 2025-07-06 -677000 Transfe Pix Des: Fulano de Tal 04/07",
            "8 2025-07-06 -6400 Conta Telefone",
        ],
        &["3: linha de saldo", "9: linha de total", "10: data inválida: Os dados acima têm como base 10/08/2025…"],
    );
}

#[test]
fn c6() {
    sample(
        "c6_extrato.csv",
        &[
            "10 2025-08-23 -50000 PGTO FAT CARTAO C6 Fatura de cartão",
            "11 2025-08-25 300000 Pix recebido de Fulano",
            "12 2025-09-16 -10300 Pix enviado para Beltrano",
            "13 2025-09-16 -10300 Pix enviado para Beltrano",
        ],
        &[],
    );
    sample(
        "c6_fatura.csv",
        &[
            "2 2025-07-13 -28401 LOJA EXEMPLO MOVEIS- 2/7",
            "3 2025-08-08 50000 Inclusao de Pagamento",
            "4 2025-08-20 -669 PADARIA EXEMPLO",
            "5 2025-08-20 -669 PADARIA EXEMPLO",
            "6 2025-08-12 -5185 AMAZON US",
        ],
        &[],
    );
}

#[test]
fn caixa() {
    sample("caixa_extrato.csv", &["2 2025-01-02 6 REM BASICA", "3 2025-01-05 -1500 ENVIO PIX"], &[]);
}

#[test]
fn spreadsheets() {
    sample("excel_utf16le.csv", &["2 2025-08-03 43215 Mercado do mês", "3 2025-08-05 950000 Salário"], &[]);
    sample(
        "formula_injection.csv",
        &["2 2025-02-05 -1010 =HYPERLINK(\"http://x\")", "3 2025-02-06 -100 @SUM(1+1)"],
        &[],
    );
}

#[test]
fn inter() {
    sample(
        "inter_extrato.csv",
        &[
            "7 2025-06-02 120000 Pix recebido: \"Cp :12345678-FULANO DE TAL\"",
            "8 2025-06-03 -1000 Pix enviado: \"Cp :00000000-Beltrana\"",
            "9 2025-07-01 -31819 Pagamento efetuado: \"Pagamento fatura cartao Inter\"",
        ],
        &[],
    );
    sample(
        "inter_extrato_com_historico.csv",
        &["7 2025-09-02 -123456 Pix enviado Drogaria", "8 2025-09-03 80000 Pix recebido Fulano"],
        &[],
    );
    sample(
        "inter_fatura.csv",
        &[
            "2 2025-06-27 -1500 LOJA EXEMPLO Betim BRA",
            "3 2025-06-12 -116650 OFICINA EXEMPLO BETIM BRA Parcela 1/2",
            "4 2025-06-02 31819 PAGAMENTO ON LINE",
        ],
        &[],
    );
}

#[test]
fn itau() {
    sample(
        "itau_extrato.csv",
        &[
            "9 2025-08-01 250000 PIX TRANSF CLIENTE01/08",
            "11 2025-08-10 -5000 PIX QRS LOJA10/08",
            "12 2025-08-10 -5000 PIX QRS LOJA10/08",
        ],
        &[
            "8: linha de saldo",
            "10: linha de saldo",
            "13: linha de saldo",
            "14: lançamento futuro",
            "15: lançamento futuro",
            "16: lançamento futuro",
        ],
    );
}

#[test]
fn mercado_pago() {
    sample(
        "mercadopago_extrato.csv",
        &[
            "5 2025-07-01 17 [1746070030010] Rendimentos",
            "6 2025-07-02 -1280 [166796556722] Pagamento com QR Pix LOJA LTDA",
            "7 2025-07-04 677000 [166288037669] Pix recebido FULANO",
        ],
        &[],
    );
}

#[test]
fn nubank() {
    sample(
        "nubank_conta.csv",
        &[
            "2 2025-08-01 -5000 [11111111-aaaa-4bbb-8ccc-000000000001] Transferência enviada pelo Pix - FULANO DE TAL \
             - •••.000.000-•• - BCO DO BRASIL S.A. (0001) Agência: 1 Conta: 2-3",
            "3 2025-08-02 120000 [11111111-aaaa-4bbb-8ccc-000000000002] Transferência Recebida - EMPRESA LTDA",
            "4 2025-08-03 -1290 [11111111-aaaa-4bbb-8ccc-000000000003] Compra no débito - PADARIA",
        ],
        &[],
    );
    sample(
        "nubank_cartao_atual.csv",
        &[
            "2 2025-08-03 -7840 iFood *Restaurante",
            "3 2025-08-05 -12000 Loja X - Parcela 2/10",
            "4 2025-08-06 1990 Estorno de compra",
            "5 2025-08-10 150000 Pagamento recebido",
            "6 2025-08-11 -503 IOF de \"Openai *Chatgpt\"",
        ],
        &[],
    );
    sample(
        "nubank_cartao_antigo.csv",
        &[
            "2 2020-12-11 -4890 Americanas Marketplace 5/6",
            "3 2020-12-12 -1500 Uber *Trip",
            "4 2020-12-13 80050 Pagamento recebido",
        ],
        &[],
    );
}

#[test]
fn pagbank() {
    sample(
        "pagbank_extrato.csv",
        &[
            "2 2025-10-01 3 [404ee56a-32ee-0000-0000-000000000000] Rendimento da conta Rendimento sobre dinheiro",
            "3 2025-10-02 1000 [18ff075b-0eab-0000-0000-000000000000] Pix recebido Fulano de Tal",
        ],
        &[],
    );
}

#[test]
fn xp() {
    sample(
        "xp_fatura.csv",
        &[
            "2 2025-08-01 -800 LOUNGE PADEL",
            "3 2025-07-05 1921362 Pagamento de fatura",
            "4 2025-05-19 -159000 CENTRO MEDICO 3 de 10",
            "5 2025-08-03 -1250 SEM PARAR PEDAGIO",
            "6 2025-08-03 -1250 SEM PARAR PEDAGIO",
        ],
        &[],
    );
}
