//! Which of several columns of dates or of money is that of the rows, by words of their headers. Which cells are dates or amounts is
//! told by the cells.

use super::synonyms::{has_word, is_in_reais};

/// Words in the headers of amounts.
const AMOUNT_WORDS: &[&str] = &[
    "valor", "valores", "vlr", "vl", "total", "bruto", "liquido", "amount", "gross", "net", "importe", "monto",
    "quantia", "montante", "value", "betrag", "umsatz", "bedrag", "montant", "importo",
];

/// Words in the headers of an amount in the currency of a purchase, which need not be that of the account.
const ORIGINAL_WORDS: &[&str] = &["original", "originais", "foreign", "estrangeira", "estrangeiro", "exterior"];

/// Words in the headers of money that is not the amount of a row.
const OTHER_MONEY_WORDS: &[&str] = &[
    "cotacao",
    "taxa",
    "taxas",
    "tarifa",
    "tarifas",
    "fee",
    "fees",
    "rate",
    "iof",
    "imposto",
    "impostos",
    "tax",
    "juros",
    "multa",
    "encargos",
    "desconto",
    "descontos",
    "discount",
    "percentual",
    "limite",
    "quantidade",
    "qtd",
    "qtde",
    "quantity",
];

/// Words in the headers of dates.
const DATE_WORDS: &[&str] = &["data", "date", "dt", "fecha", "vencimento", "timestamp", "created"];

/// Words in the headers of the date on which money moves.
const BOOKING_WORDS: &[&str] = &[
    "completed",
    "settlement",
    "settled",
    "post",
    "posted",
    "booked",
    "booking",
    "effective",
    "efetiva",
    "efetivacao",
    "pagamento",
    "liquidacao",
    "processamento",
    "debito",
    "credito",
    "conclusao",
    "finalizacion",
    "finalizacao",
];

/// Words in the headers of the date on which something begins, or on which money is due.
const START_WORDS: &[&str] =
    &["started", "start", "created", "creation", "criacao", "due", "vencimento", "emissao", "abertura", "inicio"];

/// The place of a column of dates among several: one of the date on which money moves is the first.
pub(super) fn date_rank(key: &str) -> usize {
    if has_word(key, START_WORDS) {
        2
    } else if has_word(key, BOOKING_WORDS) {
        0
    } else {
        1
    }
}

/// The rank of a column of money that is not the amount of a row.
pub(super) const OTHER_MONEY: usize = 6;
/// The rank of a column whose header says nothing of money.
const NO_AMOUNT_WORD: usize = 5;

/// The place of a column of money among several. Amounts come first, those in reais before the others, then those in another currency,
/// and those in whatever currency a purchase was made; then what the header says nothing of, and at last [`OTHER_MONEY`].
pub(super) fn amount_rank(key: &str, is_foreign: bool) -> usize {
    let is_amount = has_word(key, AMOUNT_WORDS) || matches!(key, "r" | "rs" | "brl");
    match (is_amount, is_in_reais(key)) {
        _ if has_word(key, OTHER_MONEY_WORDS) => OTHER_MONEY,
        (_, false) if has_word(key, ORIGINAL_WORDS) => 4,
        _ if is_foreign => 3,
        (true, true) => 0,
        (true, false) => 1,
        (false, true) => 2,
        (false, false) => NO_AMOUNT_WORD,
    }
}

/// Whether the header has a word of amounts, or says that it is in reais.
pub(super) fn is_amount(key: &str) -> bool {
    amount_rank(key, false) < NO_AMOUNT_WORD
}

/// Words in the headers of what identifies a row, which describes nothing.
const ID_WORDS: &[&str] = &["id", "uuid", "guid", "hash", "nsu", "autenticacao", "identificador"];

/// Whether the header has a word of what identifies a row.
pub(super) fn is_id(key: &str) -> bool {
    has_word(key, ID_WORDS)
}

/// Whether the header has a word of dates.
pub(super) fn is_date(key: &str) -> bool {
    has_word(key, DATE_WORDS)
}

/// How the headers of descriptions begin: `Descrição da compra`, `Estabelecimento / Descrição`.
const TEXT_STARTS: [&str; 5] = ["descricao", "historico", "estabelecimento", "description", "merchant"];
/// Words in headers that begin so and tell something else of a row.
const NO_TEXT_WORDS: &[&str] = &["categoria", "tipo", "codigo", "category", "type", "code", "city", "cidade"];

/// Whether the header begins as that of a description.
pub(super) fn is_text(key: &str) -> bool {
    key.split(' ').next().is_some_and(|first| TEXT_STARTS.contains(&first)) && !has_word(key, NO_TEXT_WORDS)
}

/// Whether the header is that of the person who holds the card, who is the same in all rows of it.
pub(super) fn is_holder(key: &str) -> bool {
    has_word(key, &["portador", "titular", "cardholder", "holder"])
        || matches!(key, "adicional" | "nome no cartao" | "card member")
}
