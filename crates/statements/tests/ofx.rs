//! OFX as Brazilian banks write it, with one deviation for each test.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(clippy::inconsistent_digit_grouping, reason = "the last two digits are hundredths")]

#[path = "ofx/properties.rs"]
mod properties;

use std::time::Duration;

use cpu_time::ThreadTime;
use finance_statements::{CardSign, Error, Format, Options, Row, Statement, read};
use time::macros::date;

fn statement(file: impl AsRef<[u8]>) -> Statement {
    read(file.as_ref(), &Options::default()).unwrap()
}

/// A file with the given list of transactions.
fn list(rows: &str) -> String {
    format!(
        "OFXHEADER:100\r\nDATA:OFXSGML\r\n<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><BANKTRANLIST>{rows}</BANKTRANLIST></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>"
    )
}

/// The only row of a list.
fn row(rows: &str) -> Row {
    let statement = statement(list(rows));
    let [row] = &statement.rows[..] else { panic!("{statement:?}") };
    row.clone()
}

/// A transaction with the given fields, and default values for a missing date, amount or id.
fn transaction(fields: &str) -> String {
    let or = |tag: &str, usual: &'static str| if fields.contains(tag) { "" } else { usual };
    format!(
        "<STMTTRN><TRNTYPE>OTHER{}{}{}{fields}</STMTTRN>",
        or("<DTPOSTED", "<DTPOSTED>20260131"),
        or("<TRNAMT", "<TRNAMT>-12.34"),
        or("<FITID", "<FITID>A1")
    )
}

fn reasons(statement: &Statement) -> Vec<(usize, String)> {
    statement.rejected.iter().map(|rejected| (rejected.line, rejected.reason.to_string())).collect()
}

#[track_caller]
fn assert_reasons(statement: &Statement, expected: &[(usize, &str)]) {
    let expected: Vec<(usize, String)> = expected.iter().map(|(line, reason)| (*line, reason.to_string())).collect();
    assert_eq!(reasons(statement), expected);
}

fn padaria() -> Row {
    Row { id: Some("A1".to_string()), ..Row::new(3, date!(2026 - 01 - 31), "PADARIA", -12_34) }
}

#[test]
fn a_row_reads_the_same_however_its_tags_are_closed() {
    for rows in [
        "<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>20260131<TRNAMT>-12.34<FITID>A1<MEMO>PADARIA</STMTTRN>",
        "<STMTTRN><TRNTYPE>DEBIT</TRNTYPE><DTPOSTED>20260131</DTPOSTED><TRNAMT>-12.34</TRNAMT><FITID>A1</FITID><MEMO>PADARIA</MEMO></STMTTRN>",
        "<STMTTRN><TRNTYPE>DEBIT\r\n<DTPOSTED>20260131\r\n<TRNAMT>-12.34</TRNAMT>\r\n<FITID>A1\r\n<MEMO>PADARIA\r\n</STMTTRN>",
        "<STMTTRN>\n<DTPOSTED>\n20260131\n</DTPOSTED>\n<TRNAMT>\n-12.34\n<FITID>\nA1\n</FITID><MEMO>\nPADARIA\n</MEMO></STMTTRN>",
        "<stmttrn><dtposted>20260131<trnamt>-12.34<fitid>A1<memo>PADARIA</stmttrn>",
        "<StmtTrn><DtPosted>20260131</DTPOSTED><TrnAmt>-12.34</TRNAMT><FitId>A1</fitid><Memo>PADARIA</MEMO></STMTTRN>",
        "<STMTTRN><DTPOSTED>20260131</TRNAMT><TRNAMT>-12.34</DTPOSTED><FITID>A1</MEMO><MEMO>PADARIA</NAME></STMTTRN>",
        "<STMTTRN><NAME/><CHECKNUM></CHECKNUM><REFNUM/><DTPOSTED>20260131<TRNAMT>-12.34<FITID>A1<MEMO>PADARIA</STMTTRN>",
        "<STMTTRN><DTPOSTED a='1'>20260131<TRNAMT currency=\"BRL\">-12.34<FITID >A1<MEMO\n>PADARIA</STMTTRN >",
        "<STMTTRN><DTPOSTED>20260131<TRNAMT>-12.34<FITID>A1<MEMO><![CDATA[PADARIA]]></MEMO></STMTTRN>",
        "<STMTTRN><!-- <MEMO>NADA --><DTPOSTED>20260131<TRNAMT>-12.34<FITID>A1<MEMO>PAD<!-- x -->ARIA</STMTTRN>",
        "<STMTTRN><DTPOSTED>20260131<TRNAMT>-12.34<FITID>A1<MEMO>PADARIA",
        "<STMTTRN><MEMO>PADARIA<FITID>A1<TRNAMT>-12.34<DTPOSTED>20260131</STMTTRN>",
        "<STMTTRN><MEMO><FITID>A1<TRNAMT>-12.34<DTPOSTED>20260131<MEMO>PADARIA<MEMO>OUTRA</STMTTRN>",
        "<STMTTRN><DTPOSTED>      20260131  <TRNAMT>            -12.34   <FITID>  A1 <MEMO>  PADARIA        </STMTTRN>",
    ] {
        assert_eq!(row(rows), padaria(), "{rows}");
    }
}

#[test]
fn the_file_may_start_anywhere_and_its_header_may_lie() {
    let body = list(&transaction("<MEMO>PÃO"));
    let body = &body[body.find("<OFX>").unwrap()..];
    for header in [
        "",
        "\n\n\n\n\nOFXHEADER:100\nDATA:OFXSGML\n\n",
        "OFXHEADER:100 DATA:OFXSGML VERSION:300 ENCODING:UTF-8 CHARSET:8859-1",
        "OFXHEADER:100\rDATA:OFXSGML\rENCODING:USASCII\rCHARSET:NONE\r",
        "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\n<?OFX OFXHEADER=\"200\" VERSION=\"220\"?>\n",
    ] {
        let text = format!("{header}{body}");
        let cp1252: Vec<u8> = text.chars().map(|letter| u8::try_from(u32::from(letter)).unwrap()).collect();
        let wide: Vec<u8> = format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_be_bytes).collect();
        for bytes in [text.as_bytes(), &cp1252, &wide, format!("\u{feff}{text}").as_bytes()] {
            let statement = statement(bytes);
            assert_eq!(statement.format, Format::Ofx);
            assert_eq!(statement.rows[0].description, "PÃO", "{header}");
        }
    }
    let list_only = format!("<BANKTRANLIST>{}</BANKTRANLIST>", transaction("<MEMO>PÃO"));
    assert_eq!(statement(list_only).rows.len(), 1);
}

#[test]
fn the_line_is_that_of_the_transaction_whatever_ends_lines() {
    let file = format!("<OFX>\n<BANKTRANLIST>\n{}\n\n\n{}", transaction("<MEMO>a\nb"), transaction(""));
    for line_end in ["\n", "\r", "\r\n"] {
        let statement = statement(file.replace('\n', line_end));
        assert_eq!(statement.rows.iter().map(|row| row.line).collect::<Vec<_>>(), [3, 7], "{line_end:?}");
    }
    let one_line = format!("<OFX>{}{}", transaction(""), transaction(""));
    assert!(statement(one_line).rows.iter().all(|row| row.line == 1));
}

#[test]
fn the_date_is_taken_as_written_and_never_shifted() {
    for date in [
        "20260131",
        "20260131235959[-3:BRT]",
        "20260131000000[-03:EST]",
        "20260131100000[9:GMT]",
        "31/01/2026",
        "2026-01-31",
    ] {
        assert_eq!(row(&transaction(&format!("<DTPOSTED>{date}"))).date, date!(2026 - 01 - 31), "{date}");
    }
    let statement = statement(list(
        &["00000000", "20260230", "****", "", "18000101"]
            .map(|date| transaction(&format!("<DTPOSTED>{date}")))
            .join("\n"),
    ));
    assert_reasons(
        &statement,
        &[
            (3, "data inválida: 00000000"),
            (4, "data inválida: 20260230"),
            (5, "data inválida: ****"),
            (6, "data ausente"),
            (7, "data inválida: 18000101"),
        ],
    );
}

#[test]
fn each_amount_says_for_itself_which_mark_is_decimal() {
    for (amount, cents) in [
        ("-530,86", -530_86),
        ("0.07", 7),
        ("-30.000", -30_00),
        ("1.234,56", 1234_56),
        ("1,234.56", 1234_56),
        ("+23757.44", 23_757_44),
        ("R$ 5.326,43", 5326_43),
        ("                -11,76", -11_76),
        ("-12.34\nlixo", -12_34),
        ("&#45;12.34", -12_34),
        ("9999999999.99", 9_999_999_999_99),
    ] {
        assert_eq!(row(&transaction(&format!("<TRNAMT>{amount}"))).cents, cents, "{amount}");
    }
    let statement = statement(list(
        &["0.00", "0,004", "            .  ", "", "10000000000.00", "abc"]
            .map(|amount| transaction(&format!("<TRNAMT>{amount}")))
            .join("\n"),
    ));
    assert_reasons(
        &statement,
        &[
            (3, "valor zero"),
            (4, "valor zero"),
            (5, "valor ilegível: ."),
            (6, "valor ausente"),
            (7, "valor acima do limite: 10000000000.00"),
            (8, "valor ilegível: abc"),
        ],
    );
}

#[test]
fn the_sign_of_the_amount_decides_and_not_the_type() {
    let credit = "<STMTTRN><TRNTYPE>CREDIT<DTPOSTED>20260131<TRNAMT>-1.00</STMTTRN>";
    let debit = "<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>20260131<TRNAMT>1.00</STMTTRN>";
    assert_eq!(row(credit).cents, -1_00);
    assert_eq!(row(debit).cents, 1_00);
}

#[test]
fn the_description_is_the_memo_or_else_the_name_or_else_the_payee() {
    for (fields, description) in [
        ("<NAME>LOJA<MEMO>COMPRA", "COMPRA"),
        ("<NAME>LOJA<MEMO>", "LOJA"),
        ("<NAME>LOJA<MEMO>   </MEMO>", "LOJA"),
        ("<NAME>LOJA<MEMO>&nbsp;</MEMO>", "LOJA"),
        ("<NAME></NAME><PAYEE><NAME>FULANO</NAME><ADDR1>RUA 1</ADDR1></PAYEE>", "FULANO"),
        ("<PAYEE><NAME>FULANO</PAYEE><NAME>LOJA", "LOJA"),
        ("<PAYEE><NAME>FULANO<CITY>SP</PAYEE>", "FULANO"),
        ("<PAYEE><NAME>FULANO<MEMO>COMPRA", "COMPRA"),
        ("<CCACCTTO><ACCTID>1<NAME>CARTAO</CCACCTTO><NAME>LOJA", "LOJA"),
        ("<BANKACCTTO><NAME>CONTA</NAME></BANKACCTTO>", "(sem descrição)"),
        ("<CURRENCY><CURRATE>1.0<CURSYM>BRL<NAME>REAL</CURRENCY>", "(sem descrição)"),
        ("", "(sem descrição)"),
        ("<MEMO>TOK &amp; STOK&nbsp;LTDA", "TOK & STOK LTDA"),
        ("<MEMO>AMAZON & CLOUD", "AMAZON & CLOUD"),
        ("<MEMO>&amp;lt;LOJA&amp;gt;", "&lt;LOJA&gt;"),
        ("<MEMO>&lt;LOJA&gt; &quot;X&quot; &#231;", "<LOJA> \"X\" ç"),
        ("<MEMO>IOF de \"Steam Purchase\"", "IOF de \"Steam Purchase\""),
        ("<MEMO>PIX < 10 E > 5", "PIX < 10 E > 5"),
        ("<MEMO><![CDATA[A & B &amp; <C>]]></MEMO>", "A & B &amp; <C>"),
        ("<MEMO>A <![CDATA[& B]]>&amp; C</MEMO>", "A & B& C"),
        ("<MEMO>DUAS\r\n   LINHAS</MEMO>", "DUAS LINHAS"),
        ("<MEMO>CERTID\\C3O", "CERTID\\C3O"),
        ("<MEMO>A\u{7}B", "A B"),
        ("<MEMO>SALDOBRAS LTDA", "SALDOBRAS LTDA"),
        ("<MEMO>Loja - Parcela 2/10", "Loja - Parcela 2/10"),
    ] {
        assert_eq!(row(&transaction(fields)).description, description, "{fields}");
    }
    assert_eq!(row(&transaction(&format!("<MEMO>{}", "é".repeat(300)))).description, "é".repeat(255));
}

#[test]
fn an_id_of_nothing_or_zeros_is_none() {
    for (id, expected) in [
        ("A1", Some("A1")),
        ("  20160906001  ", Some("20160906001")),
        ("COB000003  -2", Some("COB000003  -2")),
        ("a&b", Some("a&b")),
        ("a&amp;b", Some("a&b")),
        ("N20063:04/01/24:500.0:0951549: Transfe Pix", Some("N20063:04/01/24:500.0:0951549: Transfe Pix")),
        ("", None),
        ("   ", None),
        ("0", None),
        ("000000", None),
        ("\u{1}", None),
        ("00a", Some("00a")),
    ] {
        assert_eq!(row(&transaction(&format!("<FITID>{id}"))).id.as_deref(), expected, "{id}");
    }
    assert_eq!(row("<STMTTRN><DTPOSTED>20260131<TRNAMT>1</STMTTRN>").id, None);
    assert_eq!(row(&transaction(&format!("<FITID>{}", "é".repeat(2000)))).id, Some("é".repeat(1024)));
}

#[test]
fn balance_rows_are_rejected_before_anything_else_is_asked_of_them() {
    let statement = statement(list(
        &["SALDO DIA<TRNAMT>     .  ", "Saldo Anterior", "SALDO DO DIA<DTPOSTED>00000000", "S A L D O"]
            .map(|memo| transaction(&format!("<MEMO>{memo}")))
            .join(""),
    ));
    assert_eq!(statement.rows, []);
    assert!(reasons(&statement).iter().all(|(_, reason)| reason == "linha de saldo"), "{statement:?}");
}

#[test]
fn all_statements_of_a_file_are_read_accounts_cards_and_the_cash_of_investments() {
    let row = transaction("");
    let file = format!(
        "<OFX><STMTRS><BANKTRANLIST>{row}</BANKTRANLIST><LEDGERBAL><BALAMT>R$<DTASOF>00000000</LEDGERBAL></STMTRS>\
         <STMTRS><BANKTRANLIST>{row}{row}</BANKTRANLIST></STMTRS>\
         <CCSTMTRS><BANKTRANLIST>{row}</BANKTRANLIST></STMTRS>\
         <INVSTMTRS><INVTRANLIST><BUYSTOCK><FITID>9<DTTRADE>20260101<MEMO>ACAO</BUYSTOCK>\
         <INVBANKTRAN>{row}<SUBACCTFUND>CASH</INVBANKTRAN></INVTRANLIST></INVSTMTRS></OFX>"
    );
    assert_eq!(statement(file).rows.len(), 5);
}

#[test]
fn what_follows_an_open_transaction_is_not_taken_for_a_part_of_it() {
    let open = "<STMTTRN><DTPOSTED>20260131<TRNAMT>-1.00";
    for after in ["<LEDGERBAL>", "<AVAILBAL>", "<BALLIST>", "</BANKTRANLIST><BALLIST>", "</STMTRS>", "</OFX>"] {
        let file = format!("<OFX><BANKTRANLIST>{open}{after}<NAME>OUTRO<FITID>X<MEMO>OUTRO");
        let statement = statement(file);
        assert_eq!(
            (statement.rows[0].description.as_str(), statement.rows[0].id.as_deref()),
            ("(sem descrição)", None),
            "{after}"
        );
    }
}

#[test]
fn pending_transactions_are_listed_and_not_imported() {
    let file = format!(
        "<OFX><STMTRS><BANKTRANLIST>{}</BANKTRANLIST>\n<BANKTRANLISTP><STMTTRNP><DTTRAN>20260201<TRNAMT>-5.00<NAME>FUTURO</STMTTRNP></BANKTRANLISTP></STMTRS></OFX>",
        transaction("<MEMO>PADARIA")
    );
    let statement = statement(file);
    assert_eq!(statement.rows.len(), 1);
    assert_reasons(&statement, &[(2, "lançamento pendente")]);
    // What can be read of it is told: it may be what is missing from a balance.
    let rejected = &statement.rejected[0];
    assert_eq!(
        (rejected.date, rejected.cents, rejected.description.as_deref()),
        (Some(date!(2026 - 02 - 01)), Some(-500), Some("FUTURO"))
    );
}

#[test]
fn a_file_cut_short_keeps_its_complete_rows() {
    let complete = transaction("<MEMO>OK");
    for (cut, rows, rejected) in [
        ("", 1, None),
        ("<STMTTRN><DTPOSTED>20260111<TRNAMT>-11.0", 1, Some("arquivo truncado")),
        ("<STMTTRN><TRNAMT>-11.00<DTPOSTED>20260111", 1, Some("arquivo truncado")),
        ("<STMTTRN><DTPOSTED>20260111<TRN", 1, Some("arquivo truncado")),
        ("<STMTTRN><DTPOSTED>20260111<TRNAMT>", 1, Some("arquivo truncado")),
        ("<STMTTRN>", 1, Some("arquivo truncado")),
        ("<STMTTRN><DTPOSTED>20260111<TRNAMT>-11.00\n", 1, Some("arquivo truncado")),
        ("<STMTTRN><DTPOSTED>20260111<TRNAMT>-11.00<FIT", 1, Some("arquivo truncado")),
        ("<STMTTRN><DTPOSTED>20260111<TRNAMT>-11.00<FITID>202601", 1, Some("arquivo truncado")),
        ("<STMTTRN><DTPOSTED>20260111<TRNAMT>-11.00<MEMO>PADAR", 1, Some("arquivo truncado")),
        ("<STMTTRN><DTPOSTED>20260111<TRNAMT>-11.00<FITID>202601<MEMO>PADAR", 2, None),
    ] {
        let statement = statement(format!("<OFX><BANKTRANLIST>{complete}{cut}"));
        assert_eq!(statement.rows.len(), rows, "{cut}");
        assert_eq!(
            statement.rejected.first().map(|rejected| rejected.reason.to_string()).as_deref(),
            rejected,
            "{cut}"
        );
    }
}

/// A row of a cut file is in the whole file too, so it is no other row there: its amount, its date and its id are whole.
#[test]
fn a_file_cut_anywhere_has_no_row_that_the_whole_file_does_not_have() {
    let closed = "<STMTTRN><TRNTYPE>DEBIT</TRNTYPE><DTPOSTED>20260302</DTPOSTED><TRNAMT>-1234.56</TRNAMT>\
        <FITID>abc999</FITID><MEMO>COMPRA NO MERCADO</MEMO></STMTTRN>";
    let open =
        "<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>20260302<TRNAMT>-1234.56<FITID>abc999<MEMO>COMPRA NO MERCADO</STMTTRN>";
    for row in [closed, open] {
        let whole = list(&format!("{}{row}", transaction("<MEMO>PADARIA<FITID>1")));
        let known: Vec<_> = statement(&whole).rows.into_iter().map(|row| (row.date, row.cents, row.id)).collect();
        for end in 0..whole.len() {
            let Ok(cut) = read(&whole.as_bytes()[..end], &Options::default()) else { continue };
            for row in cut.rows {
                assert!(known.contains(&(row.date, row.cents, row.id.clone())), "{row:?}: {}", &whole[..end]);
            }
        }
    }
}

#[test]
fn a_list_without_transactions_is_a_statement_and_a_file_without_a_list_is_none() {
    for file in [
        list(""),
        "<OFX><STMTRS><CURDEF>BRL<LEDGERBAL><BALAMT>1</LEDGERBAL></STMTRS></OFX>".to_string(),
        "<OFX><INVSTMTRS><INVTRANLIST></INVTRANLIST></INVSTMTRS></OFX>".to_string(),
        "<BANKTRANLIST></BANKTRANLIST>".to_string(),
    ] {
        let statement = statement(&file);
        assert!(statement.rows.is_empty() && statement.rejected.is_empty(), "{file}");
    }
    for file in [
        "OFXHEADER:100\nDATA:OFXSGML\n",
        "OFXHEADER:100\n\n<OFX></OFX>",
        "<OFX><SIGNONMSGSRSV1><SONRS><STATUS><CODE>15500<SEVERITY>ERROR</STATUS></SONRS></SIGNONMSGSRSV1></OFX>",
        "<OFX><PROFMSGSRSV1></PROFMSGSRSV1></OFX>",
    ] {
        assert!(matches!(read(file.as_bytes(), &Options::default()), Err(Error::Unreadable(_))), "{file}");
    }
}

#[test]
fn a_format_that_is_not_that_of_the_file_is_refused() {
    let ofx = list(&transaction(""));
    let csv = "Data;Descrição;Valor\n31/01/2026;PADARIA;-12,34\n";
    for (file, format) in [(ofx.as_str(), Format::Csv), (csv, Format::Ofx)] {
        let options = Options { format: Some(format), ..Options::default() };
        assert!(matches!(read(file.as_bytes(), &options), Err(Error::Unreadable(_))), "{format}");
    }
    let options = Options { format: Some(Format::Ofx), ..Options::default() };
    assert_eq!(read(ofx.as_bytes(), &options).unwrap().rows.len(), 1);
}

#[test]
fn negative_rows_are_skipped_before_every_row_becomes_an_expense() {
    let file = list(&[transaction("<TRNAMT>-1.00"), transaction("<TRNAMT>2.00")].join("\n"));
    let with = |skip_negative, all_expenses| {
        let options = Options { skip_negative, all_expenses, ..Options::default() };
        let statement = read(file.as_bytes(), &options).unwrap();
        let cents: Vec<i64> = statement.rows.iter().map(|row| row.cents).collect();
        (cents, reasons(&statement).iter().map(|(line, reason)| format!("{line}: {reason}")).collect::<Vec<_>>())
    };
    assert_eq!(with(false, false), (vec![-1_00, 2_00], vec![]));
    assert_eq!(with(false, true), (vec![-1_00, -2_00], vec![]));
    assert_eq!(with(true, false), (vec![2_00], vec!["3: valor negativo ignorado".to_string()]));
    assert_eq!(with(true, true), (vec![-2_00], vec!["3: valor negativo ignorado".to_string()]));
}

#[test]
fn more_rows_or_rejected_lines_than_allowed_are_an_error() {
    let file = list(&transaction("").repeat(3));
    let with = |rows_max| read(file.as_bytes(), &Options { rows_max: Some(rows_max), ..Options::default() });
    assert_eq!(with(3).unwrap().rows.len(), 3);
    assert_eq!(with(2), Err(Error::TooManyRows { rows_max: 2 }));
    let rejected = list(&"<STMTTRN>".repeat(3));
    let with = |rows_max| read(rejected.as_bytes(), &Options { rows_max: Some(rows_max), ..Options::default() });
    assert_eq!(with(3).unwrap().rejected.len(), 3);
    assert_eq!(with(2), Err(Error::TooManyRows { rows_max: 2 }), "lines that are no rows count for themselves");
}

#[test]
fn equal_rows_all_stay() {
    assert_eq!(statement(list(&transaction("").repeat(3))).rows.len(), 3);
}

#[test]
fn no_file_takes_longer_than_its_size_allows() {
    let (few, many) = (time_of_hostile_files(75_000), time_of_hostile_files(300_000));
    assert!(many < few * 9, "{many:?} after {few:?}, of a quarter");
}

/// The processor time for files of a given size, each of which repeats one piece.
fn time_of_hostile_files(bytes: usize) -> Duration {
    let blanks = " ".repeat(bytes * 2 / 3);
    let began = ThreadTime::now();
    for (start, piece) in [
        ("<STMTTRN>", "<MEMO>a"),
        ("<STMTTRN><MEMO>", "<a"),
        ("<STMTTRN><MEMO>", "a<!--"),
        ("<STMTTRN><MEMO>", "&"),
        ("<STMTTRN><MEMO>", "<![CDATA[a"),
        ("<STMTTRN><MEMO>", "<![CDATA[a]]>"),
        ("<STMTTRN><MEMO>", "\u{200B}"),
        ("<STMTTRN><TRNAMT>", "0"),
        ("<STMTTRN><TRNAMT>", "("),
        (&format!("<STMTTRN><MEMO>{blanks}x"), "<MEMO>"),
        (&format!("<STMTTRN><MEMO>{blanks}"), "<MEMO><MEMO>x"),
        ("", "<STMTTRN>"),
        ("", "<a "),
        ("", "<?"),
        ("", "\r"),
    ] {
        for end in ["", "-->", "]]>", ">"] {
            let _ =
                read(format!("<OFX>{start}{}{end}", piece.repeat(bytes / piece.len())).as_bytes(), &Options::default());
        }
    }
    began.elapsed()
}

fn named(file: &str) -> Vec<String> {
    statement(file).accounts.iter().map(|statement| statement.account.to_string()).collect()
}

#[test]
fn the_accounts_of_all_statements_are_told_once_each() {
    let bank = "<BANKACCTFROM><BANKID>0341<BRANCHID>12<ACCTID>1234567-8<ACCTTYPE>CHECKING</BANKACCTFROM>";
    let closed = "<BANKACCTFROM><BANKID>0341</BANKID><ACCTID>1234567-8</ACCTID></BANKACCTFROM>";
    let card = "<CCACCTFROM>\r\n<ACCTID>5162 &amp; ****\r\n</CCACCTFROM>";
    let of = |accounts: &[&str]| {
        let rows = transaction("<MEMO>PADARIA<BANKACCTTO><BANKID>999<ACCTID>999</BANKACCTTO>");
        let statements: String = accounts
            .iter()
            .map(|account| format!("<STMTRS>{account}<BANKTRANLIST>{rows}</BANKTRANLIST></STMTRS>"))
            .collect();
        format!("<OFX>{statements}</OFX>")
    };
    assert_eq!(named(&of(&[bank])), ["account 1234567-8 of bank 0341"]);
    assert_eq!(named(&of(&[bank, closed, card])), ["account 1234567-8 of bank 0341", "card 5162 & ****"]);
    assert_eq!(named(&of(&[""])), ["account"]);
    assert_eq!(named(&of(&["<BANKACCTFROM><ACCTID></BANKACCTFROM>"])), ["account"]);
    assert_eq!(named(&of(&["<CCACCTFROM><ACCTID>1"])), ["card 1"], "an aggregate that is not closed");
    assert_eq!(named("<OFX><STMTRS><BANKACCTFROM><BANKID>1<ACCTID>2"), ["account 2 of bank 1"], "a file that is cut");
    let many: Vec<String> = (0..51).map(|at| format!("<BANKACCTFROM><ACCTID>{at}</BANKACCTFROM>")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    assert_eq!(named(&of(&many[..50])).len(), 50);
    assert!(matches!(read(of(&many).as_bytes(), &Options::default()), Err(Error::Unreadable(_))));
    assert_eq!(named(&format!("<OFX><STMTRS><CCACCTFROM><ACCTID>{}", "9".repeat(1_000)))[0].len(), "card ".len() + 64);
}

/// The amounts of a file in hundredths, with what they were read as formerly and their currency.
fn amounts(file: &str) -> Vec<(i64, Option<i64>, Option<String>)> {
    let rows = statement(file).rows;
    let fields = |row: &Row| {
        (row.cents, row.former.as_ref().map(|former| former.cents), row.currency.as_deref().map(str::to_string))
    };
    rows.iter().map(fields).collect()
}

#[test]
fn types_are_the_sign_of_a_statement_without_signs() {
    let of = |rows: &[(&str, &str)]| {
        let rows = rows
            .iter()
            .map(|(kind, amount)| format!("<STMTTRN><TRNTYPE>{kind}<DTPOSTED>20260302<TRNAMT>{amount}</STMTTRN>"));
        amounts(&list(&rows.collect::<String>()))
    };
    let (plain, flipped) = (|cents| (cents, None, None), |cents: i64| (cents, Some(-cents), None));
    assert_eq!(
        of(&[("CREDIT", "1500,00"), ("DEBIT", "89,90"), ("OTHER", "5.00")]),
        [plain(1500_00), flipped(-89_90), plain(5_00)]
    );
    assert_eq!(
        of(&[("CREDIT", "15.00"), ("DEBIT", "8.00"), ("OTHER", "-5.00")]),
        [plain(15_00), plain(8_00), plain(-5_00)]
    );
    assert_eq!(of(&[("DEBIT", "15.00"), ("PAYMENT", "8.00")]), [plain(15_00), plain(8_00)], "none gives");
    assert_eq!(of(&[("CREDIT", "15.00"), ("XFER", "8.00")]), [plain(15_00), plain(8_00)], "none takes");
    let skipped = Options { all_expenses: true, ..Options::default() };
    let file = list(
        "<STMTTRN><TRNTYPE>CREDIT<DTPOSTED>20260302<TRNAMT>1.00</STMTTRN><STMTTRN><TRNTYPE>DEBIT<DTPOSTED>20260302<TRNAMT>2.00</STMTTRN>",
    );
    let rows = read(file.as_bytes(), &skipped).unwrap().rows;
    assert_eq!(
        rows.iter().map(|row| (row.cents, row.former.is_none())).collect::<Vec<_>>(),
        [(-1_00, true), (-2_00, true)]
    );
}

#[test]
fn options_change_no_sign_of_the_rows_that_they_leave() {
    let cents = |file: &str, options: Options| {
        let is_payment = finance_statements::TextTest::new(|text| text.starts_with("PAGAMENTO"));
        let options = Options { is_payment: Some(is_payment), ..options };
        read(file.as_bytes(), &options).unwrap().rows.iter().map(|row| row.cents).collect::<Vec<_>>()
    };
    let rows = |rows: &[(&str, &str, &str)]| {
        let row = |(kind, amount, memo): &(&str, &str, &str)| {
            format!("<STMTTRN><TRNTYPE>{kind}<DTPOSTED>20260302<TRNAMT>{amount}<MEMO>{memo}</STMTTRN>")
        };
        rows.iter().map(row).collect::<String>()
    };
    let card = |list: &str| {
        format!("<OFX><CCSTMTRS><CCACCTFROM><ACCTID>1</CCACCTFROM><BANKTRANLIST>{list}</BANKTRANLIST></CCSTMTRS></OFX>")
    };
    let all_expenses = || Options { all_expenses: true, ..Options::default() };
    let skip_negative = || Options { skip_negative: true, ..Options::default() };
    let purchases = card(&rows(&[("DEBIT", "30.00", "UBER"), ("DEBIT", "50.00", "LOJA")]));
    assert_eq!(cents(&purchases, Options::default()), [-30_00, -50_00]);
    assert_eq!(cents(&purchases, all_expenses()), [-30_00, -50_00]);
    let by_caller = Options { card_sign: Some(CardSign::PurchasesPositive), ..all_expenses() };
    assert_eq!(cents(&purchases, by_caller), [-30_00, -50_00]);
    let paid = card(&rows(&[("DEBIT", "30.00", "UBER"), ("PAYMENT", "-130.00", "PAGAMENTO RECEBIDO")]));
    assert_eq!(cents(&paid, Options::default()), [-30_00, 130_00]);
    assert_eq!(cents(&paid, skip_negative()), [-30_00], "the payment that is left out tells the sign");
    let refund =
        list(&rows(&[("CREDIT", "1500.00", "SALARIO"), ("DEBIT", "20.00", "ESTORNO"), ("DEBIT", "-80.00", "LUZ")]));
    assert_eq!(cents(&refund, Options::default()), [1500_00, 20_00, -80_00]);
    assert_eq!(cents(&refund, skip_negative()), [1500_00, 20_00]);
}

#[test]
fn a_card_s_statement_is_one_whatever_names_its_account() {
    let of = |account: &str| {
        let rows = transaction("<MEMO>PADARIA");
        format!("<OFX><CCSTMTRS>{account}<BANKTRANLIST>{rows}</BANKTRANLIST></CCSTMTRS></OFX>")
    };
    assert_eq!(named(&of("")), ["card"]);
    assert_eq!(named(&of("<BANKACCTFROM><BANKID>1<ACCTID>2</BANKACCTFROM>")), ["card 2 of bank 1"]);
    assert_eq!(named(&of("<CCACCTFROM><ACCTID>2</CCACCTFROM>")), ["card 2"]);
    let after = format!("{}<STMTRS><BANKACCTFROM><ACCTID>3</BANKACCTFROM></STMTRS>", of("").replace("</OFX>", ""));
    assert_eq!(named(&after), ["card", "account 3"]);
}

#[test]
fn an_account_may_have_a_statement_in_each_currency() {
    let of = |currency: &str, amount: &str| {
        let row = transaction(&format!("<TRNAMT>{amount}<MEMO>A"));
        format!(
            "<STMTRS><CURDEF>{currency}<BANKACCTFROM><BANKID>077<ACCTID>1</BANKACCTFROM><BANKTRANLIST>{row}</BANKTRANLIST></STMTRS>"
        )
    };
    let (reais, dollars) = ((-10_00, None, None), (-50_00, None, Some("USD".to_string())));
    let file = |first: String, second: String| format!("<OFX>{first}{second}</OFX>");
    assert_eq!(amounts(&file(of("BRL", "-10.00"), of("USD", "-50.00"))), [reais.clone(), dollars.clone()]);
    assert_eq!(amounts(&file(of("USD", "-50.00"), of("BRL", "-10.00"))), [dollars, reais]);
}

#[test]
fn an_amount_in_another_currency_is_converted_by_its_rate_or_says_so() {
    let of = |default: &str, more: &str| {
        let row = transaction(&format!("<TRNAMT>-50.00<MEMO>STEAM{more}"));
        amounts(&format!("<OFX><STMTRS>{default}<BANKTRANLIST>{row}</BANKTRANLIST></STMTRS></OFX>"))
    };
    let aggregate = |name: &str, rate: &str| format!("<{name}>{rate}<CURSYM>USD</{name}>");
    let (brl, usd) = ("<CURDEF>BRL", Some("USD".to_string()));
    assert_eq!(of(brl, &aggregate("CURRENCY", "<CURRATE>5.40")), [(-270_00, Some(-50_00), None)]);
    assert_eq!(of("", &aggregate("CURRENCY", "<CURRATE>5,405")), [(-270_25, Some(-50_00), None)]);
    assert_eq!(of(brl, &aggregate("CURRENCY", "")), [(-50_00, None, usd.clone())]);
    assert_eq!(of(brl, &aggregate("ORIGCURRENCY", "<CURRATE>5.40")), [(-50_00, None, None)]);
    assert_eq!(of("<CURDEF>USD", ""), [(-50_00, None, usd.clone())]);
    assert_eq!(of("<CURDEF>USD", "<CURRENCY><CURRATE>1<CURSYM>BRL</CURRENCY>"), [(-50_00, None, None)]);
    assert_eq!(of("<CURDEF>EUR", &aggregate("CURRENCY", "<CURRATE>5.40")), [(-50_00, None, usd)]);
}

#[test]
fn rows_and_balances_belong_to_the_statement_of_their_account() {
    let statement_of = |account: &str, amount: &str, balance: &str| {
        format!(
            "<STMTRS><CURDEF>BRL<BANKACCTFROM><BANKID>0341<ACCTID>{account}<ACCTTYPE>SAVINGS</BANKACCTFROM><BANKTRANLIST>\
             {}</BANKTRANLIST><LEDGERBAL><BALAMT>{balance}<DTASOF>20260310</LEDGERBAL><AVAILBAL><BALAMT>7.00<DTASOF>20260311</AVAILBAL></STMTRS>",
            transaction(&format!("<TRNAMT>{amount}<MEMO>A"))
        )
    };
    let file = format!(
        "<OFX>{}{}{}</OFX>",
        statement_of("1", "-1.00", "10.00"),
        statement_of("2", "-2.00", "20.00"),
        statement_of("1", "-3.00", "")
    );
    let found = statement(file);
    assert_eq!(
        found.rows.iter().map(|row| (row.statement, row.cents)).collect::<Vec<_>>(),
        [(0, -1_00), (1, -2_00), (0, -3_00)]
    );
    let day = date!(2026 - 03 - 10);
    let balances: Vec<_> = found.accounts.iter().map(|statement| statement.balances.clone()).collect();
    assert_eq!(balances, [[(day, 10_00)], [(day, 20_00)]]);
    assert!(
        found.accounts.iter().all(|statement| statement.account.kind == Some(finance_statements::AccountKind::Savings))
    );
}

#[test]
fn balances_in_another_currency_are_none() {
    let balances = |currency: &str| {
        let rows = transaction("<TRNAMT>-1.00<MEMO>A") + &transaction("<TRNAMT>9.00<MEMO>SALDO DO DIA");
        let file = format!(
            "<OFX><STMTRS>{currency}<BANKACCTFROM><ACCTID>1</BANKACCTFROM><BANKTRANLIST>{rows}</BANKTRANLIST>\
             <LEDGERBAL><BALAMT>10.00<DTASOF>20260310</LEDGERBAL></STMTRS></OFX>"
        );
        statement(file).accounts.remove(0).balances
    };
    let days = vec![(date!(2026 - 01 - 31), 9_00), (date!(2026 - 03 - 10), 10_00)];
    assert_eq!((balances("<CURDEF>BRL"), balances("")), (days.clone(), days));
    assert_eq!((balances("<CURDEF>USD"), balances("<CURDEF>EUR")), (Vec::new(), Vec::new()));
}

#[test]
fn a_rejected_transaction_tells_what_can_be_read_of_it() {
    let found = statement(list(&transaction("<TRNAMT>0.00<MEMO>ISENTO")));
    let rejected = &found.rejected[0];
    let fields = (rejected.date, rejected.cents, rejected.description.as_deref());
    assert_eq!(fields, (Some(date!(2026 - 01 - 31)), Some(0), Some("ISENTO")));
    let found = statement(list(&transaction("<DTPOSTED>soon<MEMO>A")));
    assert_eq!((found.rejected[0].date, found.rejected[0].cents), (None, Some(-12_34)));
}

#[test]
fn a_card_whose_purchases_are_positive_is_told_by_its_types() {
    let of = |options: &Options, rows: &[(&str, &str, &str)]| {
        let rows: String = rows
            .iter()
            .map(|(kind, amount, memo)| {
                format!("<STMTTRN><TRNTYPE>{kind}<DTPOSTED>20260302<TRNAMT>{amount}<MEMO>{memo}</STMTTRN>")
            })
            .collect();
        let file = format!(
            "<OFX><CCSTMTRS><CCACCTFROM><ACCTID>1</CCACCTFROM><BANKTRANLIST>{rows}</BANKTRANLIST></CCSTMTRS></OFX>"
        );
        read(file.as_bytes(), options).unwrap().rows.iter().map(|row| row.cents).collect::<Vec<_>>()
    };
    let is_payment = finance_statements::TextTest::new(|text| text.to_lowercase().contains("pagamento"));
    let plain = Options { is_payment: Some(is_payment), ..Options::default() };
    let (uber, loja) = (("DEBIT", "30.00", "UBER"), ("DEBIT", "50.00", "LOJA"));
    assert_eq!(of(&plain, &[uber, loja]), [-30_00, -50_00]);
    assert_eq!(of(&plain, &[uber, ("PAYMENT", "-130.00", "PAGAMENTO RECEBIDO")]), [-30_00, 130_00]);
    // The sign of the amount decides where nothing contradicts it.
    assert_eq!(of(&plain, &[("CREDIT", "-100.00", "MERCADO"), ("DEBIT", "30.00", "ESTORNO LOJA")]), [-100_00, 30_00]);
    assert_eq!(of(&plain, &[uber]), [30_00], "a refund of the wrong type");
    assert_eq!(of(&plain, &[uber, ("DEBIT", "-50.00", "LOJA")]), [30_00, -50_00]);
    assert_eq!(of(&plain, &[("PAYMENT", "30.00", "UBER"), ("PAYMENT", "50.00", "LOJA")]), [30_00, 50_00]);
    let sign = |sign| Options { card_sign: Some(sign), ..plain.clone() };
    assert_eq!(of(&sign(finance_statements::CardSign::PurchasesPositive), &[("OTHER", "30.00", "UBER")]), [-30_00]);
    assert_eq!(of(&sign(finance_statements::CardSign::PurchasesNegative), &[uber, loja]), [30_00, 50_00]);
    // Of an account it counts as written.
    let account = list(
        "<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>20260302<TRNAMT>30.00</STMTTRN><STMTTRN><TRNTYPE>DEBIT<DTPOSTED>20260302<TRNAMT>5.00</STMTTRN>",
    );
    assert_eq!(
        read(account.as_bytes(), &plain).unwrap().rows.iter().map(|row| row.cents).collect::<Vec<_>>(),
        [30_00, 5_00]
    );
}

#[test]
fn the_kind_of_an_account_may_be_in_portuguese_and_a_card_among_accounts() {
    use finance_statements::AccountKind::{Card, Checking, Savings};
    for (written, kind) in [
        ("checking", Some(Checking)),
        ("CONTA CORRENTE", Some(Checking)),
        ("POUPANÇA", Some(Savings)),
        ("CREDITCARD", Some(Card)),
        ("Cartão de crédito", Some(Card)),
        ("CREDITLINE", Some(Card)),
        ("OUTRA", None),
    ] {
        let file = format!(
            "<OFX><STMTRS><BANKACCTFROM><ACCTID>1<ACCTTYPE>{written}</BANKACCTFROM><BANKTRANLIST>{}</BANKTRANLIST>\
             <LEDGERBAL><BALAMT>-10.00<DTASOF>20260301</LEDGERBAL></STMTRS></OFX>",
            transaction("<MEMO>SALDO DO DIA DAS MAES")
        );
        let found = statement(file);
        assert_eq!(found.accounts[0].account.kind, kind, "{written}");
        // On a card that is a shop, and the balance is none of an account.
        let expected = if kind == Some(Card) { (1, 0) } else { (0, 1) };
        assert_eq!((found.rows.len(), found.accounts[0].balances.len()), expected, "{written}");
    }
}
