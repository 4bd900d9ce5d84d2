//! What an account earned by month.

use std::collections::BTreeMap;

use time::Date;

use super::flows::Flow;
use super::taxes::{TaxTables, Taxes, taxes};
use crate::money::Money;
use crate::month::Month;

/// The most months of [`month_yields`]. Each month counts all deposits once.
pub const YIELD_MONTHS_MAX: u32 = 24;

/// What an account earned in a month.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MonthYield {
    /// The month.
    pub month: Month,
    /// The yield that was paid in the month.
    pub gross: Money,
    /// The month's part of the taxes that would be due if the account were emptied today.
    pub taxes: Taxes,
}

impl MonthYield {
    /// The yield after these taxes.
    pub fn net(self) -> Money {
        self.gross - self.taxes.total()
    }
}

/// What an account earned in each of the last `months` months, the present one last. Without tables its yield is not taxed. Each
/// month has the taxes that it adds; together they are the taxes on all that was earned since the first month.
///
/// ```
/// use finance_domain::Money;
/// use finance_domain::yields::{Flow, month_yields};
/// use time::macros::date;
///
/// let earned = |cents| Flow { earned: Money::from_cents(cents), ..Flow::default() };
/// let flows = [(date!(2026-01-31), earned(1_000)), (date!(2026-03-31), earned(1_200)), (date!(2026-04-30), earned(99))];
/// let found = month_yields(&flows.into(), None, 3, date!(2026-04-10));
/// let told: Vec<String> = found.iter().map(|at| format!("{} {} {}", at.month, at.gross, at.net())).collect();
/// assert_eq!(told, ["2026-02 0.00 0.00", "2026-03 12.00 12.00", "2026-04 0.00 0.00"]);
/// ```
pub fn month_yields(
    flows: &BTreeMap<Date, Flow>,
    tables: Option<&TaxTables>,
    months: u32,
    today: Date,
) -> Vec<MonthYield> {
    // At most YIELD_MONTHS_MAX, so the cast keeps the value.
    let count = months.clamp(1, YIELD_MONTHS_MAX) as i32;
    let last = Month::of(today);
    let since = |month: Month| match tables {
        Some(tables) => taxes(flows, tables, Some(month.first_day()), today),
        None => Taxes::default(),
    };
    let mut found = Vec::new();
    // Nothing was earned after today.
    let mut later = Taxes::default();
    for back in 0..count {
        let month = last.minus(back);
        let days = month.first_day()..=month.last_day().min(today);
        let mut earned =
            flows.range(days).map(|(_, flow)| flow.earned).filter(|earned| *earned != Money::ZERO).peekable();
        // A month without yield adds nothing.
        let all = if earned.peek().is_none() { later } else { since(month) };
        let gross: Money = earned.sum();
        let taxes = Taxes { iof: all.iof - later.iof, income_tax: all.income_tax - later.income_tax };
        found.push(MonthYield { month, gross, taxes });
        later = all;
    }
    found.reverse();
    found
}

#[cfg(test)]
mod tests {
    use time::macros::date;

    use super::*;
    use crate::money::Percentage;
    use crate::yields::{Bracket, IncomeTaxTable, IofTable};

    fn tables() -> TaxTables {
        let valid_from = date!(2008 - 01 - 03);
        let iof = IofTable { valid_from, percent_by_day: vec![Percentage::whole(50); 29] };
        let brackets = vec![
            Bracket { days_max: Some(180), percent: Percentage::whole(20) },
            Bracket { days_max: None, percent: Percentage::whole(10) },
        ];
        TaxTables::new(vec![iof], vec![IncomeTaxTable { valid_from, brackets }]).expect("tables")
    }

    fn income(cents: i128) -> Flow {
        Flow { income: Money::from_cents(cents), ..Flow::default() }
    }

    fn earned(cents: i128) -> Flow {
        Flow { earned: Money::from_cents(cents), ..Flow::default() }
    }

    #[test]
    fn each_month_has_its_own_part_of_the_taxes() {
        let flows = BTreeMap::from([
            (date!(2026 - 01 - 01), income(100_000)),
            (date!(2026 - 01 - 31), earned(1_000)),
            (date!(2026 - 02 - 28), earned(2_000)),
            (date!(2026 - 04 - 05), earned(300)),
        ]);
        let found = month_yields(&flows, Some(&tables()), 4, date!(2026 - 04 - 10));
        let lines: Vec<String> =
            found.iter().map(|at| format!("{} {} {} {}", at.month, at.gross, at.taxes.total(), at.net())).collect();
        assert_eq!(
            lines,
            ["2026-01 10.00 2.00 8.00", "2026-02 20.00 4.00 16.00", "2026-03 0.00 0.00 0.00", "2026-04 3.00 0.60 2.40"]
        );
        let all = taxes(&flows, &tables(), None, date!(2026 - 04 - 10));
        assert_eq!(found.iter().map(|at| at.taxes.total()).sum::<Money>(), all.total());
    }

    #[test]
    fn what_was_withdrawn_bears_no_tax_any_more() {
        let flows = BTreeMap::from([
            (date!(2026 - 01 - 01), income(100_000)),
            (date!(2026 - 01 - 31), earned(1_000)),
            (date!(2026 - 02 - 10), Flow { expenses: Money::from_cents(101_000), ..Flow::default() }),
        ]);
        let found = month_yields(&flows, Some(&tables()), 2, date!(2026 - 02 - 15));
        assert_eq!((found[0].gross, found[0].taxes), (Money::from_cents(1_000), Taxes::default()));
    }
}
