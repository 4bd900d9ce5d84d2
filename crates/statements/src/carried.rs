//! Pairs of rows with which a bill carries a debt: Nubank's export of a late bill lists what the bill before left as an expense, and an
//! equal credit. Neither is a purchase or a payment, and the ledger of the card carries the debt already.

use std::collections::HashMap;

use crate::text::fold;
use crate::{Reading, Reason, Rejected};

/// The beginnings of the texts of pairs, folded: of the debts, and of the credits.
const PAIRS: [(&[&str], &[&str]); 3] = [
    (&["saldo em atraso"], &["credito de atraso"]),
    (&["saldo em rotativo", "saldo de rotativo", "saldo do rotativo"], &["credito de rotativo", "credito do rotativo"]),
    (&["encerramento de divida"], &["juros de divida encerrada"]),
];

/// The beginning of the texts that are a balance if they have no twin.
const BALANCE: &str = "saldo";

/// The most letters of a text that are compared.
const LETTERS_MAX: usize = 48;

/// Whether a row with this description may be one of a pair.
pub(crate) fn may_be_carried(description: &str) -> bool {
    let folded = beginning(description);
    PAIRS.iter().any(|(debts, credits)| begins(&folded, debts) || begins(&folded, credits))
}

/// Rejects the pairs among the rows: equal amounts of opposite signs. A balance without its twin is a balance line.
pub(crate) fn reject(reading: &mut Reading) {
    // The rows of the second text of each pair that have no twin yet, by their amount.
    let mut waiting: HashMap<(usize, i64), Vec<usize>> = HashMap::new();
    let texts: Vec<(usize, String)> = reading
        .rows
        .iter()
        .enumerate()
        .filter(|(_, row)| may_be_carried(&row.description))
        .map(|(at, row)| (at, beginning(&row.description)))
        .collect();
    if texts.is_empty() {
        return;
    }
    for (at, text) in texts.iter().rev() {
        for (pair, (_, credits)) in PAIRS.iter().enumerate() {
            if begins(text, credits) {
                waiting.entry((pair, reading.rows[*at].cents)).or_default().push(*at);
            }
        }
    }
    let mut reasons: HashMap<usize, Reason> = HashMap::new();
    for (at, text) in &texts {
        let cents = reading.rows[*at].cents;
        for (pair, _) in PAIRS.iter().enumerate().filter(|(_, (debts, _))| begins(text, debts)) {
            let twins = waiting.get_mut(&(pair, -cents));
            let twin =
                twins.and_then(|twins| std::iter::from_fn(|| twins.pop()).find(|twin| !reasons.contains_key(twin)));
            if let Some(twin) = twin.filter(|_| !reasons.contains_key(at)) {
                reasons.insert(*at, Reason::CarriedBalance);
                reasons.insert(twin, Reason::CarriedBalance);
            }
        }
        if text.starts_with(BALANCE) {
            reasons.entry(*at).or_insert(Reason::BalanceLine);
        }
    }
    let mut at = 0;
    reading.rows.retain(|row| {
        let reason = reasons.remove(&at);
        at += 1;
        let is_kept = reason.is_none();
        reading.rejected.extend(reason.map(|reason| Rejected::of_row(row, reason)));
        is_kept
    });
    reading.rejected.sort_by_key(|rejected| rejected.line);
}

fn beginning(text: &str) -> String {
    let end = text.char_indices().nth(LETTERS_MAX).map_or(text.len(), |(at, _)| at);
    fold(&text[..end])
}

/// Whether the text begins with the words of one of the beginnings.
fn begins(text: &str, beginnings: &[&str]) -> bool {
    let mut rests = beginnings.iter().filter_map(|beginning| text.strip_prefix(beginning));
    rests.any(|rest| !rest.starts_with(char::is_alphanumeric))
}

#[cfg(test)]
mod tests {
    use crate::{Options, read};

    /// The descriptions of the rows of a card's CSV file, and the codes of its rejected lines.
    fn read_rows(lines: &str) -> (Vec<String>, Vec<(usize, &'static str)>) {
        let statement = read(format!("date,title,amount\n{lines}").as_bytes(), &Options::default()).unwrap();
        let rows = statement.rows.into_iter().map(|row| row.description).collect();
        let rejected = statement.rejected.iter().map(|rejected| (rejected.line, rejected.reason.code())).collect();
        (rows, rejected)
    }

    #[test]
    fn a_debt_and_its_equal_credit_are_carried_and_what_has_no_twin_is_not() {
        let (rows, rejected) = read_rows(
            "2026-02-06,Saldo em atraso,456.02\n2026-02-06,Crédito de atraso,-456.02\n2026-02-06,Juros de dívida encerrada,12.40\n\
             2026-02-06,Saldo em rotativo,80.00\n2026-02-07,Crédito de rotativo,-81.00\n2026-02-10,Mercado,150.00\n\
             2026-02-11,Encerramento de dívida,30.00\n2026-02-11,Juros de dívida encerrada,-30.00\n",
        );
        assert_eq!(rows, ["Juros de dívida encerrada", "Crédito de rotativo", "Mercado"]);
        let carried = "carried_balance";
        let expected = [(2, carried), (3, carried), (5, "balance_line"), (8, carried), (9, carried)];
        assert_eq!(rejected, expected);
    }

    #[test]
    fn a_debt_and_its_credit_may_be_spelled_differently() {
        let (rows, rejected) = read_rows(
            "2026-02-06,Saldo do rotativo,80.00\n2026-02-06,Crédito de rotativo,-80.00\n2026-02-10,Mercado,1.00\n",
        );
        assert_eq!(rows, ["Mercado"]);
        assert_eq!(rejected, [(2, "carried_balance"), (3, "carried_balance")]);
    }

    #[test]
    fn each_row_has_one_twin() {
        let debt = "2026-02-06,Saldo em atraso,10.00\n";
        let credit = "2026-02-06,Crédito de atraso,-10.00\n";
        let (rows, rejected) = read_rows(&format!("{debt}{debt}{credit}{credit}{credit}2026-02-10,Mercado,1.00\n"));
        assert_eq!((rows.len(), rejected.len()), (2, 4), "{rows:?} {rejected:?}");
    }
}
