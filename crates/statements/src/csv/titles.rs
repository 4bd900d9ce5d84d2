//! Lines that are no transactions: titles of sections, and totals.

use super::header::{Plan, key};
use super::split::{Place, Record, Records};

/// The first words in the titles of sections of future transactions.
pub(super) const FUTURE_TITLES: [&str; 12] = [
    "lancamentos futuros",
    "saidas futuras",
    "entradas futuras",
    "agendamentos",
    "lancamentos agendados",
    "lancamentos provisionados",
    "proximos lancamentos",
    "proximas faturas",
    "compras parceladas proximas faturas",
    "parcelas futuras",
    "compras pendentes",
    "transacoes pendentes",
];
/// The first words in the titles of the sections after them.
pub(super) const PAST_TITLES: [&str; 4] =
    ["lancamentos realizados", "lancamentos efetivados", "lancamentos processados", "ultimos lancamentos"];

/// The first words of the totals of a statement or a bill.
const TOTALS: [&str; 10] = [
    "subtotal",
    "total a pagar",
    "total da fatura",
    "total de compras",
    "total de creditos",
    "total de debitos",
    "total de despesas",
    "total de lancamentos",
    "total de pagamentos",
    "total dos lancamentos",
];

/// Whether a text is that of a total. A transaction with such a description would count the other rows again.
pub(super) fn is_total(text: &str) -> bool {
    let is_total = |key: &str| {
        matches!(key, "total" | "totais" | "total geral" | "total do periodo")
            || TOTALS
                .iter()
                .any(|start| key.strip_prefix(start).is_some_and(|rest| rest.is_empty() || rest.starts_with(' ')))
    };
    text.starts_with(['t', 'T', 's', 'S']) && text.len() <= 64 && is_total(&key(text))
}

/// Whether the line is the title of a section, one that begins with these words.
pub(super) fn has_title(record: &Record<'_>, titles: &[&str]) -> bool {
    let mut cells = record.cells().filter(|cell| !cell.is_empty());
    let (Some(title), None) = (cells.next(), cells.next()) else { return false };
    let title = key(title);
    titles.iter().any(|start| title.starts_with(start))
}

/// Whether the headers stand below the title of a section of future transactions.
pub(super) fn begins_in_future(text: &str, plan: &Plan) -> bool {
    let mut records = Records::new(plan.preamble(text), plan.separator, Place::START);
    let mut record = Record::default();
    let mut is_future = false;
    while records.next_into(&mut record) {
        if has_title(&record, &FUTURE_TITLES) {
            is_future = true;
        } else if has_title(&record, &PAST_TITLES) {
            is_future = false;
        }
    }
    is_future
}

/// Whether a text alone on its line is the title of a section.
pub(super) fn is_title(text: &str) -> bool {
    let title = key(text);
    PAST_TITLES.iter().chain(&FUTURE_TITLES).any(|start| title.starts_with(start))
}
