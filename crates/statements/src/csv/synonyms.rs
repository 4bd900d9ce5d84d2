//! Common names of headers, in Portuguese and English, and what single headers say.

use std::collections::HashMap;
use std::sync::LazyLock;

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
    "trans date",
    "data da compra",
    "data de compra",
    "data compra",
    "dt compra",
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

/// Headers of the date of a purchase on a card, whose bill has the date on which it was posted beside it.
const PURCHASE_DATES: [&str; 10] = [
    "data da compra",
    "data de compra",
    "data compra",
    "dt compra",
    "data da transacao",
    "data transacao",
    "data de transacao",
    "transaction date",
    "trans date",
    "purchase date",
];

/// The column of the date of a purchase.
pub(super) fn purchase_date(keys: &[String]) -> Option<usize> {
    keys.iter().position(|key| PURCHASE_DATES.contains(&key.as_str()))
}

/// Headers of short titles. Another column may have the description.
const TITLES: &[&str] = &["historico", "lancamento", "lancamentos", "titulo", "title", "transaction type"];

/// Headers of texts that may be no more than the type of a row, `Crédito` or `Débito`.
const TYPES: [&str; 9] = [
    "lancamento",
    "lancamentos",
    "transaction type",
    "movimentacao",
    "movimento",
    "movimiento",
    "transacao",
    "transaction",
    "details",
];

/// Whether the header of a text may be that of the type of a row.
pub(super) fn is_type(key: &str) -> bool {
    TYPES.contains(&key)
}

/// Headers of descriptions, in order of preference.
const DESCRIPTIONS: &[&str] = &[
    "descricao",
    "description",
    "descricao da transacao",
    "descricao do lancamento",
    "descricao lancamento",
    "descricao da operacao",
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

/// Headers of the other party and of remarks, which were not known until 2026-12. A cell counts if it has a word.
const PARTIES: &[&str] = &[
    "identificacao",
    "razao social",
    "origem",
    "destino",
    "origem destino",
    "de para",
    "destinatario",
    "remetente",
    "destinatario remetente",
    "remetente destinatario",
    "nome do destinatario",
    "nome do remetente",
    "nome do favorecido",
    "nome do pagador",
    "nome do recebedor",
    "nome razao social",
    "pagador recebedor",
    "recebedor pagador",
    "informacoes adicionais",
    "auftraggeber empfanger",
    "auftraggeber",
    "empfanger",
    "zahlungsempfanger",
    "verwendungszweck",
    "concepto",
    "movimiento",
    "descripcion",
    "contraparte",
    "nome da contraparte",
    "counterparty",
    "counterparty name",
    "empresa",
    "fornecedor",
    "loja",
    "detalhamento",
    "detalhamento hist",
    "detalhamento historico",
    "source name",
    "target name",
    "cliente",
    "pagador",
    "recebedor",
    "note",
    "nota",
];

/// Headers of what is said beside a description, which most rows may lack.
const REMARKS: [&str; 13] = [
    "complemento",
    "detalhamento",
    "detalhamento hist",
    "detalhamento historico",
    "detalhe",
    "detalhes",
    "details",
    "informacoes adicionais",
    "nota",
    "note",
    "notes",
    "observacao",
    "observacoes",
];

/// Whether the header is that of what is said beside a description.
pub(super) fn is_remark(key: &str) -> bool {
    REMARKS.contains(&key)
}

/// The headers of the party from which money comes, and of the one to which it goes: the second ones are Wise's.
const PARTIES_OF_A_MOVE: [[&str; 2]; 2] = [["origem", "destino"], ["source name", "target name"]];

/// The columns of the party from which money comes and of the one to which it goes, if the file has both. One of the two is the holder
/// of the account.
pub(super) fn parties_of_a_move(keys: &[String]) -> Option<(usize, usize)> {
    let place = |name: &str| keys.iter().position(|key| key == name);
    PARTIES_OF_A_MOVE.iter().find_map(|[from, to]| place(from).zip(place(to)))
}

/// Headers of amounts, in order of preference.
const AMOUNTS: &[&str] = &[
    "valor r",
    "valor em r",
    "valor brl",
    "valor em brl",
    "valor em reais",
    "amount brl",
    "amount in brl",
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
    RECEIVED_AMOUNT,
    "quanto",
    SOURCE_AMOUNT,
];

/// Mercado Pago's amount of a sale, of which its fee was taken.
const RECEIVED_AMOUNT: &str = "valor total recebido";

/// Wise's amount of a transfer, which stands beside its fee. It was not known until 2026-12.
const SOURCE_AMOUNT: &str = "source amount after fees";

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

/// Headers of income that count only beside one of expenses, and without a column of amounts: alone they may be something else.
const PAIRED_CREDITS: &[&str] = &[
    "deposito",
    "depositos",
    "lancamentos a credito",
    "lancamento a credito",
    "valor creditado",
    "recebimentos",
    "recebimento",
    "haber",
    "abono",
    "abonos",
    "cr",
    "inflow",
    "received",
    "vlr credito",
    "c",
    "credit euros",
    "net credit amount",
    "income",
    "income amount",
    "entrou",
    "receipts",
    "in",
    "ingreso",
    "ingresos",
    "einnahmen",
    "haben",
];

/// Headers of expenses that count only beside one of income, and without a column of amounts.
const PAIRED_DEBITS: &[&str] = &[
    "saque",
    "saques",
    "retirada",
    "retiradas",
    "lancamentos a debito",
    "lancamento a debito",
    "valor debitado",
    "pagamentos",
    "pagamento",
    "debe",
    "cargo",
    "cargos",
    "dr",
    "outflow",
    "spent",
    "vlr debito",
    "d",
    "debit euros",
    "net debit amount",
    "expense",
    "expense amount",
    "saiu",
    "payments",
    "out",
    "gasto",
    "gastos",
    "ausgaben",
    "soll",
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
    "direction",
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

/// Headers of columns that say whether a row moved money, and words in such headers: `Situação do pagamento`, `Payment Status`.
pub(super) const STATUSES: &[&str] = &["status", "situacao", "state", "estado"];

/// Headers of fees beside the amount. A column "taxa" without a currency may be a percentage.
const FEES: &[&str] = &[
    "fee",
    "fees",
    "tarifa",
    "tarifas",
    "transaction fee",
    "valor da tarifa",
    "valor tarifa",
    "valor da taxa",
    "valor taxa",
    "valor das taxas",
    "taxa cobrada",
    "taxas cobradas",
    "taxa r",
    "taxas r",
    "taxa em r",
    "taxa brl",
    "taxa em reais",
    "valor da taxa r",
    "comissao",
    "source fee amount",
    "fee amount",
];

/// Headers of the currency of the amount.
const CURRENCY_CODES: &[&str] = &[
    "moeda",
    "currency",
    "codigo da moeda",
    "currency code",
    "moeda da transacao",
    "source currency",
    "wahrung",
    "waehrung",
    "divisa",
    "devise",
    "ccy",
];
/// Words in the headers of a currency: `Moeda da conta`, `Payment currency`.
pub(super) const CURRENCY_WORDS: &[&str] = &["moeda", "currency", "ccy", "divisa"];
/// Words in the headers of the currency of another amount, and of an amount in a currency.
pub(super) const OTHER_CURRENCY_WORDS: &[&str] = &[
    "orig",
    "original",
    "origem",
    "estrangeira",
    "exterior",
    "target",
    "destino",
    "foreign",
    "counter",
    "cotacao",
    "rate",
    "taxa",
    "valor",
    "vlr",
    "amount",
    "total",
    "value",
    "quantia",
];

/// Headers of the name of a category.
const CATEGORIES: &[&str] = &["categoria", "category"];

/// Headers of what the account held after the row.
const BALANCES: &[&str] =
    &["saldo", "saldos", "balance", "running balance", "saldo apos", "saldo apos lancamento", "saldo final"];

const INSTALMENTS: &[&str] = &["parcela", "parcelas", "installment", "installments", "instalment"];

/// Headers of instalments that were not known until 2026-12.
const NEAR_INSTALMENTS: &[&str] = &[
    "n parcela",
    "parc",
    "parcelamento",
    "numero da parcela",
    "numero parcela",
    "n da parcela",
    "nr parcela",
    "parcela atual",
    "parcela total",
    "parcela atual total",
    "parcela total de parcelas",
    "parcela total parcelas",
    "parcela de",
    "prestacao",
];

/// Headers of the number of instalments, beside that of the instalment.
const INSTALMENT_COUNTS: [&str; 11] = [
    "total de parcelas",
    "total parcelas",
    "qtd parcelas",
    "qtde parcelas",
    "qtd de parcelas",
    "quantidade de parcelas",
    "numero de parcelas",
    "n de parcelas",
    "parcelas",
    "de",
    "plano",
];

/// The column of the number of instalments, beside that of the instalment.
pub(super) fn instalment_count(keys: &[String], instalment: usize) -> Option<usize> {
    let is_count = |(at, key): (usize, &String)| at != instalment && INSTALMENT_COUNTS.contains(&key.as_str());
    keys.iter().enumerate().position(is_count)
}

/// Headers of the amount of one instalment, which stand beside that of the whole purchase. They were not known until 2026-12.
const INSTALMENT_AMOUNTS: &[&str] = &["valor da parcela", "valor parcela", "valor da prestacao", "installment amount"];

/// Words in the headers of balances that are not what the account held after the row.
pub(super) const OTHER_BALANCE_WORDS: &[&str] =
    &["anterior", "inicial", "antes", "bloqueado", "previous", "opening", "initial", "before", "blocked", "date"];

/// The lists of names.
pub(super) const LISTS: [&[&str]; 20] = [
    DATES,
    TITLES,
    DESCRIPTIONS,
    PARTIES,
    AMOUNTS,
    CREDITS,
    DEBITS,
    DIRECTIONS,
    MAYBE_DIRECTIONS,
    IDS,
    INSTALMENTS,
    STATUSES,
    FEES,
    CURRENCY_CODES,
    CATEGORIES,
    BALANCES,
    NEAR_INSTALMENTS,
    PAIRED_CREDITS,
    PAIRED_DEBITS,
    INSTALMENT_AMOUNTS,
];
/// The positions of the lists of texts.
pub(super) const TEXTS: std::ops::RangeInclusive<usize> = 1..=3;

/// The lists that contain a name, and its position in each.
pub(super) static NAMES: LazyLock<HashMap<&'static str, Vec<(usize, usize)>>> = LazyLock::new(|| {
    let mut names: HashMap<_, Vec<_>> = HashMap::new();
    for (list, words) in LISTS.into_iter().enumerate() {
        for (rank, name) in words.iter().enumerate() {
            names.entry(*name).or_default().push((list, rank));
        }
    }
    names
});

/// What may follow the name of a column of money.
const CURRENCIES: [&str; 7] = [" r", " em r", " brl", " em brl", " em reais", " rs", IN_BRL];
const IN_BRL: &str = " in brl";

/// Whether the header of an amount says that it is in reais.
pub(super) fn is_in_reais(key: &str) -> bool {
    CURRENCIES.iter().any(|currency| key.ends_with(currency))
}

/// Whether the header of an amount says that fees are subtracted already.
pub(super) fn is_net(key: &str) -> bool {
    key == RECEIVED_AMOUNT || key.split(' ').any(|word| matches!(word, "liquido" | "net"))
}

/// Whether the header is that of an amount of which fees are subtracted.
pub(super) fn is_net_amount(key: &str) -> bool {
    is_net(key) && (key == RECEIVED_AMOUNT || has_word(key, &["valor", "vlr", "amount", "total", "net"]))
}

/// Words in the headers of the means of a payment, which may be a debit card: `Crédito` beside a sale is no income.
const MEANS_WORDS: &[&str] = &[
    "forma",
    "formas",
    "meio",
    "meios",
    "metodo",
    "metodos",
    "modalidade",
    "funcao",
    "instrumento",
    "bandeira",
    "cartao",
    "produto",
    "canal",
    "via",
    "method",
    "instrument",
    "product",
    "brand",
];

/// Whether the header is that of the means of a payment.
pub(super) fn is_means(key: &str) -> bool {
    has_word(key, MEANS_WORDS)
}

/// Whether the header may be that of the means of a payment: `Pagamento` may also be that of what was paid. Names of fields are one word,
/// `tipoPagamento`.
pub(super) fn may_be_means(key: &str) -> bool {
    let is_payment = |word: &str| word.ends_with("pagamento") || word == "pagamentos" || word.starts_with("payment");
    is_means(key) || key.split(' ').any(is_payment)
}

pub(super) fn has_word(key: &str, words: &[&str]) -> bool {
    key.split(' ').any(|word| words.contains(&word))
}

/// Whether the header is that of a balance.
pub(super) fn is_balance(key: &str) -> bool {
    key.starts_with("saldo") && matches!(key.split(' ').next(), Some("saldo" | "saldos"))
        || key.contains("balance") && has_word(key, &["balance"])
}

/// Whether the header was not known until 2026-12.
pub(super) fn is_recent(key: &str) -> bool {
    key.ends_with(IN_BRL)
        || key == SOURCE_AMOUNT
        || [NEAR_INSTALMENTS, PAIRED_CREDITS, PAIRED_DEBITS, INSTALMENT_AMOUNTS].iter().any(|list| list.contains(&key))
}

/// The names that a header may be: itself, and itself without a currency at its end, each with whether one was taken off.
pub(super) fn names_in(key: &str) -> impl Iterator<Item = (&str, bool)> {
    let without_currency = CURRENCIES.iter().filter_map(move |currency| key.strip_suffix(currency));
    std::iter::once((key, false)).chain(without_currency.map(|name| (name, true)))
}

/// Whether a header is known, or says the currency of an amount.
pub(super) fn is_known(key: &str) -> bool {
    names_in(key).any(|(name, _)| NAMES.contains_key(name)) || matches!(key, "valor us" | "valor em us" | "valor usd")
}

/// Whether the header is that of the other party or of a remark, of which a cell counts only if it has a word.
pub(super) fn is_party(key: &str) -> bool {
    names_in(key).any(|(name, _)| PARTIES.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_of_a_header_has_a_digit() {
        assert!(!LISTS.concat().iter().any(|name| name.bytes().any(|byte| byte.is_ascii_digit())));
    }

    #[test]
    fn no_name_is_in_two_lists() {
        let names = LISTS.concat();
        let different: std::collections::HashSet<_> = names.iter().collect();
        assert_eq!(different.len(), names.len());
    }

    #[test]
    fn a_balance_is_told_by_its_first_word() {
        for name in ["saldo", "saldos r", "saldo em conta", "balance", "account balance", "running balance usd"] {
            assert!(is_balance(name), "{name}");
        }
        for name in ["", "saldobras", "data do saldo", "rebalance", "valor"] {
            assert!(!is_balance(name), "{name}");
        }
    }
}
