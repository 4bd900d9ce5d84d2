//! Common names of headers, in Portuguese and English.

/// Headers of dates, in order of preference.
const DATES: &[&str] = &[
    "data",
    "date",
    "dt",
    "dia",
    "data lancamento",
    "data do lancamento",
    "data de lancamento",
    "dt lancamento",
    "data da transacao",
    "data transacao",
    "data de transacao",
    "transaction date",
    "data da compra",
    "data de compra",
    "data compra",
    "data movimento",
    "data do movimento",
    "data mov",
    "dt movimento",
    "data movimentacao",
    "data da movimentacao",
    "data operacao",
    "data da operacao",
    "posting date",
    "posted date",
    "booking date",
    "date posted",
    "release date",
    "data hora",
    "data e hora",
    "datetime",
    "date time",
    "data pagamento",
    "data do pagamento",
    "data contabil",
    "value date",
    "data efetivacao",
    "quando",
];

/// Headers of short titles. Another column may have the description.
const TITLES: &[&str] = &["historico", "lancamento", "lancamentos", "titulo", "title", "transaction type"];

/// Headers of descriptions, in order of preference.
const DESCRIPTIONS: &[&str] = &[
    "descricao",
    "description",
    "descricao da transacao",
    "descricao do lancamento",
    "descricao lancamento",
    "transaction description",
    "detalhes",
    "detalhe",
    "details",
    "memo",
    "estabelecimento",
    "merchant",
    "nome do estabelecimento",
    "narrative",
    "movimentacao",
    "movimento",
    "transacao",
    "transaction",
    "payee",
    "name",
    "nome",
    "favorecido",
    "beneficiario",
    "complemento",
    "observacao",
    "observacoes",
    "texto",
    "desc",
    "notes",
    "onde",
];

/// Headers of amounts, in order of preference.
const AMOUNTS: &[&str] = &[
    "valor r",
    "valor em r",
    "valor brl",
    "valor em reais",
    "amount brl",
    "valor",
    "amount",
    "quantia",
    "montante",
    "value",
    "vlr",
    "vl",
    "valor rs",
    "valor da transacao",
    "valor transacao",
    "valor do lancamento",
    "valor lancamento",
    "valor da compra",
    "valor liquido",
    "transaction amount",
    "transaction net amount",
    "net amount",
    "amount r",
    "quantia r",
    "valor da operacao",
    "valor pago",
    "quanto",
];

const CREDITS: &[&str] = &[
    "credito",
    "creditos",
    "credit",
    "credits",
    "entrada",
    "entradas",
    "receita",
    "receitas",
    "valor credito",
    "valor entrada",
    "valor de entrada",
    "credit amount",
    "money in",
    "paid in",
    "deposit",
    "deposits",
    "recebido",
];

const DEBITS: &[&str] = &[
    "debito",
    "debitos",
    "debit",
    "debits",
    "saida",
    "saidas",
    "despesa",
    "despesas",
    "valor debito",
    "valor saida",
    "valor de saida",
    "debit amount",
    "money out",
    "paid out",
    "withdrawal",
    "withdrawals",
    "pago",
];

/// Headers of columns that only distinguish income from expenses.
const DIRECTIONS: &[&str] = &[
    "deb cred",
    "debito credito",
    "credito debito",
    "cred deb",
    "d c",
    "c d",
    "dc",
    "cd",
    "sinal",
    "entrada saida",
    "debit credit",
    "credit debit",
    "tipo lancamento",
    "tipo de lancamento",
];

/// Headers of columns that may distinguish income from expenses.
const MAYBE_DIRECTIONS: &[&str] =
    &["tipo", "type", "natureza", "operacao", "tipo da transacao", "tipo de transacao", "tipo transacao"];

const IDS: &[&str] = &[
    "identificador",
    "fitid",
    "transaction id",
    "id da transacao",
    "id transacao",
    "codigo da transacao",
    "reference id",
];

const INSTALMENTS: &[&str] = &["parcela", "parcelas", "installment", "installments", "instalment"];

/// The positions of the columns that the headers name, from 0.
#[derive(Debug, Default)]
pub(super) struct Guess {
    pub(super) date: Option<usize>,
    pub(super) texts: Vec<usize>,
    pub(super) amount: Option<usize>,
    pub(super) credit: Option<usize>,
    pub(super) debit: Option<usize>,
    pub(super) direction: Option<usize>,
    pub(super) maybe_direction: Option<usize>,
    pub(super) id: Option<usize>,
    pub(super) instalment: Option<usize>,
}

/// The columns by their headers.
pub(super) fn guess(keys: &[String]) -> Guess {
    // The names contain no digit, and most cells of rows do.
    let candidates = keys.iter().enumerate().filter(|(_, key)| !key.bytes().any(|byte| byte.is_ascii_digit()));
    let candidates: Vec<(usize, &str)> = candidates.map(|(at, key)| (at, key.as_str())).collect();
    let keys = candidates.as_slice();
    let title = best(keys, TITLES);
    let description = best(keys, DESCRIPTIONS);
    Guess {
        date: best(keys, DATES),
        texts: title.into_iter().chain(description).collect(),
        amount: best(keys, AMOUNTS),
        credit: best(keys, CREDITS),
        debit: best(keys, DEBITS),
        direction: best(keys, DIRECTIONS),
        maybe_direction: best(keys, MAYBE_DIRECTIONS),
        id: best(keys, IDS),
        instalment: best(keys, INSTALMENTS),
    }
}

/// The column with the most preferred of these names. `R$` or `BRL` after the name is ignored.
fn best(keys: &[(usize, &str)], names: &[&str]) -> Option<usize> {
    let is_with_currency = |key: &str, name: &str| {
        key.strip_prefix(name).is_some_and(|rest| matches!(rest, " r" | " em r" | " brl" | " em reais" | " rs"))
    };
    names.iter().find_map(|name| {
        let exact = keys.iter().find(|(_, key)| key == name);
        exact.or_else(|| keys.iter().find(|(_, key)| is_with_currency(key, name))).map(|(at, _)| *at)
    })
}

/// Whether the text means income (true) or an expense (false).
pub(super) fn direction(text: &str) -> Option<bool> {
    if text.len() > 12 {
        return None;
    }
    match text.as_bytes() {
        [b'C' | b'c' | b'+'] => return Some(true),
        [b'D' | b'd' | b'-'] => return Some(false),
        _ => {}
    }
    match crate::text::fold(text).trim_end_matches('.') {
        "credito" | "cred" | "cr" | "credit" | "entrada" | "receita" | "in" | "income" | "deposito" => Some(true),
        "debito" | "deb" | "db" | "debit" | "saida" | "despesa" | "out" | "expense" | "saque" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_of_a_header_has_a_digit() {
        let lists =
            [DATES, TITLES, DESCRIPTIONS, AMOUNTS, CREDITS, DEBITS, DIRECTIONS, MAYBE_DIRECTIONS, IDS, INSTALMENTS];
        assert!(!lists.concat().iter().any(|name| name.bytes().any(|byte| byte.is_ascii_digit())));
    }
}
