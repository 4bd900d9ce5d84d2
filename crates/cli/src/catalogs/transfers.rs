//! The phrases for transfers in statements: `config/transfers.toml`.

use anyhow::{Context, Result};
use finance_domain::transfers::{PhraseLists, Phrases};
use serde::Deserialize;

const FILE: &str = "config/transfers.toml";
const SHIPPED: &str = include_str!("../../../../config/transfers.toml");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PhrasesFile {
    paid_out: Vec<String>,
    paid_in: Vec<String>,
    moved: Vec<String>,
    invested: Vec<String>,
    lent: Vec<String>,
    billers: Vec<String>,
    whole_words: Vec<String>,
    abbreviations: Vec<String>,
}

/// The phrases that identify transfers.
///
/// # Errors
///
/// If `config/transfers.toml` is invalid. The message names the list and the phrase.
pub fn transfer_phrases() -> Result<Phrases> {
    read(SHIPPED)
}

fn read(text: &str) -> Result<Phrases> {
    let PhrasesFile { paid_out, paid_in, moved, invested, lent, billers, whole_words, abbreviations } =
        toml::from_str(text).context(FILE)?;
    Phrases::new(PhraseLists { paid_out, paid_in, moved, invested, lent, billers, whole_words, abbreviations })
        .context(FILE)
}

#[cfg(test)]
mod tests {
    use finance_domain::transfers::Evidence;

    use super::*;

    #[test]
    fn the_shipped_phrases_know_what_banks_write() {
        let phrases = transfer_phrases().unwrap();
        let (paid_out, paid_in, moved) = (
            Evidence { paid_out: true, ..Evidence::default() },
            Evidence { paid_in: true, ..Evidence::default() },
            Evidence { moved: true, ..Evidence::default() },
        );
        let both = Evidence { paid_in: true, ..paid_out };
        for (text, expected) in [
            // The account and the sign of the row tell the two sides apart.
            ("PAGAMENTO FATURA CARTAO", both),
            ("Pagamento de fatura 05/03/2026", both),
            ("PAGAMENTO DA FATURA", both),
            ("DEBITO AUTOMATICO FATURA", paid_out),
            ("PAG FATURA CARTAO", both),
            ("PGTO RECEBIDO", paid_in),
            ("PAGAMENTO MINIMO", paid_in),
            ("Pagamento com saldo", paid_in),
            ("PAGTO ANTECIPADO", paid_in),
            ("Crédito de parcelamento de fatura", paid_in),
            ("Valor adicionado na conta por cartão de crédito - Pix no Crédito", Evidence { lent: true, ..moved }),
            ("PGTO FAT CARTAO C6", paid_out),
            ("GASTOS CARTÃO DE CRÉDITO", paid_out),
            ("DEB FATURA NUBANK", paid_out),
            ("Pagamento recebido", paid_in),
            ("PAGAMENTO ON LINE", paid_in),
            ("Inclusao de Pagamento", paid_in),
            ("PAGTO. POR DEB EM C/C", paid_in),
            ("PGTO DEBITO CONTA 1234", paid_in),
            ("PAGAMENTO DEB AUTOMATIC", paid_in),
            ("DEB AUTOM DE FATURA EM C/", both),
            ("Pagamentos Validos Normais", paid_in),
            ("Pagamento efetuado - Fatura Cartão Inter", both),
            ("DEB.AUT. FATURA VISA", paid_out),
            ("PGTO. FATURA CARTAO", both),
            ("PAGTO DA FATURA", both),
            ("PAG. DA FATURA", paid_out),
            ("DEBITO EM CONTA DA FATURA", paid_out),
            ("PGTO. CARTAO DE CREDITO", paid_out),
            ("PAGTO EFETUADO", paid_in),
            ("PAG RECEBIDO VIA PIX", Evidence { paid_in: true, ..moved }),
            ("PGTO. FATURA SABESP", paid_in),
            ("Fatura do cartão", paid_out),
            ("PGTO. CASH AG. 1604", paid_in),
            ("PAYMENT RECEIVED - THANK YOU", paid_in),
            ("DEB AUT FATURA CARTAO", paid_out),
            ("DEBITO AUT. FATURA", paid_out),
            ("PAGTO FAT CARTAO", paid_out),
            ("PAG CARTAO CREDITO", paid_out),
            ("PAGAMENTO DE CARTAO DE CREDITO", paid_out),
            ("PAGAMENTO FATURA UNIMED", paid_in),
            ("PGTO FATURA COLEGIO SANTA ANA", paid_in),
            ("PAGTO FATURA NET SERVICOS", paid_in),
            ("PAGTO FATURA NET EMPRESA", both),
            ("PIX TRANSF ANA SO05/03", moved),
            ("TRANSFERENCIA ENVIADA", moved),
            ("APLICACAO RDB", moved),
            ("RESGATE RDB", moved),
            ("TRANSF.ELETR.DISPONIV", moved),
            ("TRANSF CC PARA CC PJ", moved),
            ("TRANSF1234", moved),
            ("TRANSFCC P/ POUP", moved),
            ("TRANSFERENCIAS", moved),
            ("TRANSFERENC", moved),
            ("Transferido para poupança", moved),
            ("TRANSFER ENTRE CONTAS", moved),
            ("Transfer from checking", moved),
            ("TRANSFERRED FROM X10", moved),
            ("APLIC AUT MAIS", moved),
            ("APLIC.AUT", moved),
            ("APLIC FACIL", moved),
            ("APLICAÇÕES", moved),
            ("RESG", moved),
            ("RESG.AUT", moved),
            ("RESGATADO CDB", moved),
            // Words that only begin like them.
            ("APLICATIVO UBER VIAGEM", Evidence::default()),
            ("RESGUARDO SEGUROS", Evidence::default()),
            ("TRANSFER CAR LOCADORA", Evidence::default()),
            ("TRANSFER AEROPORTO", Evidence::default()),
            ("TRANSFORMADORES LTDA", Evidence::default()),
            ("DOCERIA DA ANA", Evidence::default()),
            ("Estorno LOJA D", Evidence::default()),
            ("SALARIO", Evidence::default()),
        ] {
            assert_eq!(phrases.evidence(text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_named_by_file_list_and_phrase() {
        for (from, to, part) in [
            ("paid_in", "paid_by", "paid_by"),
            ("\"pix\",", "\"PIX\",", "PIX"),
            ("invested = [", "invested = [] #", "invested"),
        ] {
            let error = format!("{:#}", read(&SHIPPED.replacen(from, to, 1)).unwrap_err());
            assert!(error.contains(FILE) && error.contains(part), "{error}");
        }
    }
}
