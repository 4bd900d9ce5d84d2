//! Benchmarks of reading statements.

use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};
use finance_statements::{Options, read};

const ROWS: [usize; 3] = [1_000, 10_000, 100_000];

fn main() {
    divan::main();
}

/// Unclosed tags, as most banks write them.
#[divan::bench(args = ROWS)]
fn ofx(bencher: Bencher, rows: usize) {
    measure(bencher, rows, |row| {
        format!(
            "<STMTTRN>\r\n<TRNTYPE>DEBIT\r\n<DTPOSTED>202601{:02}100000[-03:EST]\r\n<TRNAMT>-{}.{:02}\r\n<FITID>202601{row:07}\r\n\
             <CHECKNUM>{row:010}\r\n<MEMO>COMPRA CARTAO SUPERMERCADO {row}\r\n</STMTTRN>\r\n",
            row % 28 + 1,
            row % 5000 + 1,
            row % 100
        )
    });
}

/// Closed tags, accents and entities.
#[divan::bench(args = ROWS)]
fn ofx_closed(bencher: Bencher, rows: usize) {
    measure(bencher, rows, |row| {
        format!(
            "<STMTTRN><TRNTYPE>PAYMENT</TRNTYPE><DTPOSTED>202601{:02}</DTPOSTED><TRNAMT>-{},{:02}</TRNAMT><FITID>202601{row:07}</FITID>\
             <MEMO>Pix enviado - João &amp; Conceição {row}</MEMO></STMTTRN>\n",
            row % 28 + 1,
            row % 5000 + 1,
            row % 100
        )
    });
}

fn measure(bencher: Bencher, rows: usize, row: impl Fn(usize) -> String) {
    let transactions: String = (0..rows).map(row).collect();
    let file =
        format!("OFXHEADER:100\r\nDATA:OFXSGML\r\n\r\n<OFX><BANKTRANLIST>\r\n{transactions}</BANKTRANLIST></OFX>");
    count(bencher, rows, file.as_bytes());
}

/// One column with a signed amount, as Inter and others write it.
#[divan::bench(args = ROWS)]
fn csv(bencher: Bencher, rows: usize) {
    let mut file = "Data Lançamento;Histórico;Descrição;Valor;Saldo\n".to_string();
    for row in 0..rows {
        file.push_str(&format!(
            "{:02}/01/2026;Pix enviado;Supermercado São João {row};-{},{:02};1.000,00\n",
            row % 28 + 1,
            row % 5000 + 1,
            row % 100
        ));
    }
    count(bencher, rows, file.as_bytes());
}

fn count(bencher: Bencher, rows: usize, file: &[u8]) {
    bencher
        .counter(BytesCount::of_slice(file))
        .counter(ItemsCount::new(rows))
        .bench(|| read(divan::black_box(file), &Options::default()));
}
