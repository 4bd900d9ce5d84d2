//! What an account held at the end of a day, as its statement says.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashSet};

use time::Date;

use crate::text::fold;
use crate::{Reading, Reason};

/// Where a balance stands in a file. Of several for one day the later origin counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Origin {
    /// A line "saldo anterior".
    Before,
    /// The column of balances.
    Column,
    /// A line "saldo do dia".
    Line,
    /// `LEDGERBAL`.
    Ledger,
}

/// A balance of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Found {
    /// The position of the statement.
    pub(crate) statement: usize,
    pub(crate) origin: Origin,
    pub(crate) date: Date,
    pub(crate) cents: i64,
}

/// Gives each account the balances that were found and those of its lines. A card has none, and neither has an account in another
/// currency: balances are in reais.
pub(crate) fn assign(reading: &mut Reading, mut found: Vec<Found>) {
    found.extend(of_lines(reading));
    found.sort_by_key(|found| found.origin);
    let mut days = vec![BTreeMap::new(); reading.accounts.len()];
    for Found { statement, date, cents, .. } in found {
        if let Some(days) = days.get_mut(statement) {
            days.insert(date, cents);
        }
    }
    for (account, days) in reading.accounts.iter_mut().zip(days) {
        if !account.account.is_card() && account.currency.is_none() {
            account.balances = days.into_iter().collect();
        }
    }
}

/// The balances of lines. A balance before the day's transactions is that of the day before.
fn of_lines(reading: &Reading) -> Vec<Found> {
    let lines: Vec<(Origin, usize, Date, i64)> = reading
        .rejected
        .iter()
        .filter(|rejected| rejected.reason == Reason::BalanceLine)
        .filter_map(|line| {
            let text = fold(line.description.as_deref()?);
            // `SALDO DO DIA ===== >`
            let origin = match text.trim_matches(|mark: char| !mark.is_alphanumeric()) {
                "saldo anterior" => Origin::Before,
                "saldo do dia" | "saldo dia" => Origin::Line,
                _ => return None,
            };
            Some((origin, line.statement, line.date?, line.cents?))
        })
        .collect();
    if lines.is_empty() {
        return Vec::new();
    }
    let days: HashSet<(usize, Date)> = reading.rows.iter().map(|row| (row.statement, row.date)).collect();
    let found = lines.into_iter().filter_map(|(origin, statement, date, cents)| {
        let is_before = origin == Origin::Before && days.contains(&(statement, date));
        let date = if is_before { date.previous_day()? } else { date };
        Some(Found { statement, origin, date, cents })
    });
    found.collect()
}

/// The balances of a column beside the rows: the last of each day, in the order in which each is the one before plus its row, up or
/// down. None if neither order holds. Where both do the dates tell the order; of a file of one day those count in which both agree.
pub(crate) fn of_column(rows: &[Beside]) -> Vec<Found> {
    let (Some(first), Some(last)) = (rows.first(), rows.last()) else { return Vec::new() };
    let pairs: Vec<(i64, i64)> = rows.iter().map(|row| (row.cents, row.balance)).collect();
    let (adds_up, adds_down) = orders(&pairs);
    let days =
        |rows: &mut dyn Iterator<Item = &Beside>| rows.map(|row| (row.date, row.balance)).collect::<BTreeMap<_, _>>();
    let (up, down) = (days(&mut rows.iter()), days(&mut rows.iter().rev()));
    let found = match (adds_up, adds_down, first.date.cmp(&last.date)) {
        (true, true, Ordering::Equal) => {
            up.into_iter().filter(|(date, balance)| down.get(date) == Some(balance)).collect()
        }
        (true, false, _) | (true, true, Ordering::Less) => up,
        (false, true, _) | (true, true, Ordering::Greater) => down,
        (false, false, _) => BTreeMap::new(),
    };
    found.into_iter().map(|(date, cents)| Found { statement: 0, origin: Origin::Column, date, cents }).collect()
}

/// Whether each balance is the one before plus its row, up and down, of rows as their amount and the balance beside it.
fn orders(rows: &[(i64, i64)]) -> (bool, bool) {
    let adds_up = rows.windows(2).all(|pair| pair[0].1 + pair[1].0 == pair[1].1);
    let adds_down = rows.windows(2).all(|pair| pair[1].1 + pair[0].0 == pair[0].1);
    (adds_up, adds_down)
}

/// Whether the balances add up in either order.
pub(crate) fn add_up(rows: &[(i64, i64)]) -> bool {
    let (adds_up, adds_down) = orders(rows);
    adds_up || adds_down
}

/// A row and the balance beside it, in hundredths.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Beside {
    pub(crate) date: Date,
    pub(crate) cents: i64,
    pub(crate) balance: i64,
}

#[cfg(test)]
#[allow(clippy::inconsistent_digit_grouping, reason = "the last two digits are hundredths")]
mod tests {
    use time::macros::date;

    use crate::{Options, read};

    /// The balances of a CSV file.
    fn balances(file: &str) -> Vec<(time::Date, i64)> {
        let mut statement = read(file.as_bytes(), &Options::default()).unwrap();
        statement.accounts.remove(0).balances
    }

    #[test]
    fn a_column_counts_in_the_order_in_which_it_adds_up() {
        let days = vec![(date!(2026 - 03 - 02), 90_00), (date!(2026 - 03 - 03), 120_00)];
        let head = "Data;Histórico;Valor;Saldo\n";
        let rows = ["02/03/2026;A;-5,00;95,00\n", "02/03/2026;B;-5,00;90,00\n", "03/03/2026;C;30,00;120,00\n"];
        let up: String = rows.concat();
        let down: String = rows.iter().rev().copied().collect();
        assert_eq!(balances(&format!("{head}{up}")), days);
        assert_eq!(balances(&format!("{head}{down}")), days);
        assert_eq!(balances(&format!("{head}{up}").replace("90,00", "91,00")), [], "it does not add up");
        assert_eq!(balances(&format!("{head}{up}").replace(";90,00", ";")), [], "one is missing");
    }

    #[test]
    fn lines_are_the_balance_of_their_day_or_of_the_day_before() {
        let file = "Data;Histórico;Valor\n02/03/2026;SALDO ANTERIOR;100,00\n02/03/2026;PADARIA;-5,00\n\
                    02/03/2026;Saldo do dia;95,00\n05/03/2026;SALDO BLOQUEADO;7,00\n";
        assert_eq!(balances(file), [(date!(2026 - 03 - 01), 100_00), (date!(2026 - 03 - 02), 95_00)]);
        let file = "Data;Histórico;Valor\n01/03/2026;SALDO ANTERIOR;100,00\n02/03/2026;PADARIA;-5,00\n";
        assert_eq!(balances(file), [(date!(2026 - 03 - 01), 100_00)]);
        let marked = "Data;Histórico;Valor\n02/03/2026;SALDO ANTERIOR:;100,00C\n02/03/2026;PADARIA;5,00D\n\
                      02/03/2026;SALDO DO DIA ===== >;95,00C\n";
        assert_eq!(balances(marked), [(date!(2026 - 03 - 01), 100_00), (date!(2026 - 03 - 02), 95_00)]);
    }

    #[test]
    fn a_card_has_no_balances() {
        let file = "<OFX><CCSTMTRS><CCACCTFROM><ACCTID>4111</CCACCTFROM><BANKTRANLIST></BANKTRANLIST>\
                    <LEDGERBAL><BALAMT>-10.00<DTASOF>20260301</LEDGERBAL></CCSTMTRS></OFX>";
        assert_eq!(balances(file), []);
        let account =
            file.replace("CCSTMTRS", "STMTRS").replace("CCACCTFROM", "BANKACCTFROM").replace("-10.00", "R$ 5.326,43");
        assert_eq!(balances(&account), [(date!(2026 - 03 - 01), 5_326_43)]);
        assert_eq!(balances(&account.replace("R$ 5.326,43", "")), []);
        assert_eq!(balances(&account.replace("20260301", "00000000")), []);
    }
}
