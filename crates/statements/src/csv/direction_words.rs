//! The words and letters that tell income from expenses.

use crate::text::fold;

/// The most bytes of a text that tells income from expenses.
const DIRECTION_BYTES_MAX: usize = 32;

/// How texts begin that say that something is given back.
const REVERSALS: [&str; 5] = ["devol", "estorn", "reembols", "cancel", "refund"];

/// Whether the text says that something is given back, which goes either way: its amount tells.
pub(super) fn is_reversal(text: &str) -> bool {
    text.len() <= DIRECTION_BYTES_MAX && {
        let folded = fold(text);
        REVERSALS.iter().any(|start| folded.starts_with(start))
    }
}

/// The words for the sides of a balance.
const SIDES_OF_BALANCE: [&str; 23] = [
    "c", "d", "+", "-", "h", "s", "cr", "cred", "credito", "creditos", "credit", "credor", "haben", "haber", "db",
    "dr", "deb", "debito", "debitos", "debit", "devedor", "soll", "debe",
];

/// Whether a cell beside a balance may say on which side it is, or is empty. `Despesa` is no word for that.
pub(super) fn is_side_of_balance(text: &str) -> bool {
    let folded = fold(text);
    let word = folded.trim_start_matches('(').trim_end_matches(['.', ')']);
    word.is_empty() || SIDES_OF_BALANCE.contains(&word)
}

/// Whether the text may be a function of a card, of credit or of debit.
pub(super) fn is_card_function(text: &str) -> bool {
    let folded = fold(text);
    let first = folded.split(|letter: char| !letter.is_alphabetic()).next().unwrap_or_default();
    matches!(first, "c" | "d" | "cr" | "db" | "cred" | "deb" | "credito" | "debito" | "credit" | "debit")
}

/// Whether the text means income (true) or an expense (false). Wise calls a move into another currency neutral: it leaves the amount that
/// is shown. The letters are those of `entrada` and `saída`, of `Haben` and `Soll`.
pub(super) fn direction(text: &str) -> Option<bool> {
    if text.len() > DIRECTION_BYTES_MAX {
        return None;
    }
    match text.as_bytes() {
        [b'C' | b'c' | b'+' | b'E' | b'e' | b'H' | b'h'] => return Some(true),
        [b'D' | b'd' | b'-' | b'S' | b's'] => return Some(false),
        _ => {}
    }
    let folded = fold(text);
    let word = folded.trim_start_matches('(').trim_end_matches(['.', ')']);
    match word {
        "c" | "+" => return Some(true),
        "d" | "-" => return Some(false),
        _ => {}
    }
    match word {
        "credito" | "cred" | "cr" | "credit" | "entrada" | "receita" | "in" | "income" | "inc" | "deposito"
        | "deposit" | "credito em conta" | "credor" | "recebimento" | "recebimentos" | "haben" | "bij" | "abono"
        | "haber" | "ingreso" | "ingresos" | "creditos" | "entradas" | "receitas" | "entra" | "aporte" | "receb"
        | "cre" | "ganho" | "ganhos" | "inflow" => Some(true),
        "debito" | "deb" | "db" | "dr" | "debit" | "saida" | "despesa" | "out" | "expense" | "exp" | "saque"
        | "withdrawal" | "debito em conta" | "devedor" | "pagamento" | "soll" | "af" | "cargo" | "neutral" | "debe"
        | "gasto" | "egreso" | "egresos" | "debitos" | "saidas" | "despesas" | "sai" | "envio" | "retirada"
        | "pgto" | "pago" | "paga" | "gastos" | "outflow" => Some(false),
        // What is given back goes the other way: `Devolução de Pix enviado`.
        _ if REVERSALS.iter().any(|start| word.starts_with(start)) => None,
        // How a purchase is paid goes no way: `Crédito à vista`, `Crédito parcelado 3x`.
        _ if word.split(' ').any(|part| part == "vista" || part.starts_with("parcel")) => None,
        _ if word == "a credito" || word.ends_with(" a credito") => Some(true),
        _ if word == "a debito" || word.ends_with(" a debito") => Some(false),
        _ => match (word.split(' ').next(), word.rsplit(' ').next()) {
            (_, Some("recebido" | "recebida")) | (Some("credito"), _) => Some(true),
            (_, Some("enviado" | "enviada")) | (Some("debito"), _) => Some(false),
            _ => None,
        },
    }
}
