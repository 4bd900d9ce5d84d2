//! The taxes on yield that is not redeemed yet: IOF and income tax, by the age of each deposit.

use std::collections::{BTreeMap, VecDeque};

use bigdecimal::{BigDecimal, Zero};
use time::Date;

use super::flows::Flow;
use crate::error::ConfigError;
use crate::money::{Money, Percentage};
use crate::words::words;

words! {
    /// Whether the yield of an account is taxed.
    #[derive(Default)]
    pub enum YieldTax {
        /// It is not taxed, like that of LCI, LCA and poupança.
        #[default]
        None = "none",
        /// IOF in the first days, then income tax, which is lower the longer the money stays.
        Regressive = "regressive",
    }
}

/// The most days of an IOF table.
const IOF_DAYS_MAX: usize = 366;
/// The most brackets of an income tax table.
const BRACKETS_MAX: usize = 32;
/// The most tables of each tax.
const TABLES_MAX: usize = 100;
/// Units that a cent of the first deposit buys, so that shares are exact far below a cent.
const UNITS_OF_CENT: i128 = 1_000_000;

/// An IOF table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IofTable {
    /// The first day on which the table is in force.
    pub valid_from: Date,
    /// The percentage of the yield that is due on day 1, 2, …; nothing is due after the last.
    pub percent_by_day: Vec<Percentage>,
}

/// A bracket of the income tax.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bracket {
    /// The last day of age in the bracket. None on the last bracket, which has no end.
    pub days_max: Option<u32>,
    /// The percentage of the yield, less IOF.
    pub percent: Percentage,
}

/// An income tax table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IncomeTaxTable {
    /// The first day on which the table is in force.
    pub valid_from: Date,
    /// The brackets, the youngest age first.
    pub brackets: Vec<Bracket>,
}

/// The tables of both taxes. Read once, when the program starts. Without tables nothing is due.
///
/// ```
/// use finance_domain::yields::{Bracket, IncomeTaxTable, IofTable, TaxTables};
/// use finance_domain::Percentage;
/// use time::macros::date;
///
/// let income_tax = IncomeTaxTable {
///     valid_from: date!(2005-01-01),
///     brackets: vec![
///         Bracket { days_max: Some(180), percent: "22.5".parse()? },
///         Bracket { days_max: None, percent: Percentage::whole(20) },
///     ],
/// };
/// let percent_by_day = vec![Percentage::whole(96), Percentage::whole(93)];
/// let iof = IofTable { valid_from: date!(2005-01-01), percent_by_day };
/// let tables = TaxTables::new(vec![iof], vec![income_tax])?;
/// assert_eq!(tables.iof_percent(date!(2026-01-01), 1).to_string(), "96");
/// assert_eq!(tables.iof_percent(date!(2026-01-01), 3).to_string(), "0");
/// assert_eq!(tables.income_tax_percent(date!(2026-01-01), 180).to_string(), "22.5");
/// assert_eq!(tables.income_tax_percent(date!(2026-01-01), 181).to_string(), "20");
/// assert_eq!(tables.income_tax_percent(date!(2004-12-31), 1).to_string(), "0", "not in force yet");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaxTables {
    iof: Vec<IofTable>,
    income_tax: Vec<IncomeTaxTable>,
}

impl TaxTables {
    /// Checks the tables.
    ///
    /// # Errors
    ///
    /// If tables are not in the order of their dates, a percentage is not one, or brackets leave ages out.
    pub fn new(iof: Vec<IofTable>, income_tax: Vec<IncomeTaxTable>) -> Result<Self, ConfigError> {
        in_order("iof", iof.iter().map(|table| table.valid_from))?;
        in_order("income_tax", income_tax.iter().map(|table| table.valid_from))?;
        for IofTable { valid_from, percent_by_day } in &iof {
            let fault = |message| Err(ConfigError::new(format!("iof {valid_from}"), message));
            if percent_by_day.is_empty() || percent_by_day.len() > IOF_DAYS_MAX {
                return fault("must have the percentage of 1 to 366 days");
            }
            if !percent_by_day.iter().copied().all(is_share) {
                return fault("a percentage must be 0 to 100");
            }
        }
        for IncomeTaxTable { valid_from, brackets } in &income_tax {
            let fault = |message| Err(ConfigError::new(format!("income_tax {valid_from}"), message));
            let ends = || brackets.iter().map(|bracket| bracket.days_max);
            if brackets.is_empty() || brackets.len() > BRACKETS_MAX {
                return fault("must have 1 to 32 brackets");
            }
            if ends().position(|end| end.is_none()) != Some(brackets.len() - 1) {
                return fault("the last bracket, and no other, must be without days_max");
            }
            if !ends().flatten().zip(ends().flatten().skip(1)).all(|(one, next)| one < next) {
                return fault("days_max must increase from bracket to bracket");
            }
            if !brackets.iter().map(|bracket| bracket.percent).all(is_share) {
                return fault("a percentage must be 0 to 100");
            }
        }
        Ok(TaxTables { iof, income_tax })
    }

    /// The percentage of IOF on a date, on the yield of a deposit that is `age_days` days old.
    pub fn iof_percent(&self, on: Date, age_days: u32) -> Percentage {
        let table = self.iof.iter().rev().find(|table| table.valid_from <= on);
        // A deposit redeemed on its first day has earned nothing. Day 0 is treated as day 1.
        let place = usize::try_from(age_days.saturating_sub(1)).unwrap_or(usize::MAX);
        table.and_then(|table| table.percent_by_day.get(place)).copied().unwrap_or_default()
    }

    /// The percentage of income tax on a date, on the yield of a deposit that is `age_days` days old.
    pub fn income_tax_percent(&self, on: Date, age_days: u32) -> Percentage {
        let table = self.income_tax.iter().rev().find(|table| table.valid_from <= on);
        let mut brackets = table.into_iter().flat_map(|table| &table.brackets);
        let holds = |bracket: &&Bracket| bracket.days_max.is_none_or(|max| age_days <= max);
        brackets.find(holds).map(|bracket| bracket.percent).unwrap_or_default()
    }
}

fn in_order(list: &str, dates: impl Iterator<Item = Date>) -> Result<(), ConfigError> {
    let dates: Vec<Date> = dates.collect();
    let fault = |message| Err(ConfigError::new(list, message));
    match dates.windows(2).all(|pair| pair[0] < pair[1]) {
        _ if dates.is_empty() => fault("must not be empty"),
        _ if dates.len() > TABLES_MAX => fault("must have at most 100 tables"),
        false => fault("valid_from must increase from table to table"),
        true => Ok(()),
    }
}

fn is_share(percent: Percentage) -> bool {
    (Percentage::default()..=Percentage::whole(100)).contains(&percent)
}

/// The taxes that would be due if an account were emptied.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Taxes {
    /// IOF on the yield of deposits younger than 30 days.
    pub iof: Money,
    /// Income tax on the yield that is left after IOF.
    pub income_tax: Money,
}

impl Taxes {
    /// Both together.
    pub fn total(self) -> Money {
        self.iof + self.income_tax
    }
}

/// A deposit of which something is left.
#[derive(Debug, Clone, Copy)]
struct Lot {
    date: Date,
    /// Its share of the account.
    units: i128,
    /// What is left of the deposit itself.
    principal: Money,
}

/// The deposits of an account, oldest first. Yield is shared in proportion to what each is worth, so all of them grow at the same
/// rate. Each holds units of the account; the yield raises their price.
#[derive(Debug, Default)]
struct Lots {
    lots: VecDeque<Lot>,
    units: i128,
    value: Money,
    /// What went out beyond all lots. The next income pays it first.
    owed: Money,
}

impl Lots {
    fn earn(&mut self, date: Date, amount: Money) {
        match self.lots.is_empty() {
            true if amount > Money::ZERO => self.put(date, amount, Money::ZERO),
            true => {}
            false => self.value += amount,
        }
    }

    fn put(&mut self, date: Date, amount: Money, principal: Money) {
        let paid = amount.min(self.owed);
        self.owed -= paid;
        let amount = amount - paid;
        if amount <= Money::ZERO {
            return;
        }
        let units = match self.value > Money::ZERO {
            true => share(self.units, amount.cents(), self.value.cents()),
            false => amount.cents().saturating_mul(UNITS_OF_CENT),
        };
        self.lots.push_back(Lot { date, units, principal: principal.min(amount) });
        self.units += units;
        self.value += amount;
    }

    /// Takes from the oldest first. A lot that is taken in part loses the same share of the deposit and of its yield.
    fn take(&mut self, amount: Money) {
        let mut left = amount;
        while left > Money::ZERO {
            let Some(lot) = self.lots.front_mut() else { break };
            let worth = Money::from_cents(share(self.value.cents(), lot.units, self.units));
            if left < worth {
                let units = share(lot.units, left.cents(), worth.cents());
                lot.principal -= Money::from_cents(share(lot.principal.cents(), left.cents(), worth.cents()));
                lot.units -= units;
                self.units -= units;
                self.value -= left;
                return;
            }
            self.units -= lot.units;
            self.value -= worth;
            left -= worth;
            self.lots.pop_front();
        }
        self.owed += left;
    }

    /// What each lot is worth, to the cent. The values sum to what all are worth.
    fn worth(&self) -> impl Iterator<Item = (Lot, Money)> + '_ {
        let (mut units, mut before) = (0, 0);
        self.lots.iter().map(move |lot| {
            units += lot.units;
            let until = share(self.value.cents(), units, self.units);
            let worth = until - before;
            before = until;
            (*lot, Money::from_cents(worth))
        })
    }

    /// Counts what was earned so far as part of the deposits.
    fn begin_anew(&mut self) {
        let worth: Vec<Money> = self.worth().map(|(_, worth)| worth).collect();
        for (lot, worth) in self.lots.iter_mut().zip(worth) {
            lot.principal = worth;
        }
    }
}

/// `whole × part / of`, rounded half up. `of` is above zero if there is a lot.
fn share(whole: i128, part: i128, of: i128) -> i128 {
    if of <= 0 {
        return 0;
    }
    let product = whole.saturating_mul(part);
    (product.saturating_mul(2) + of).div_euclid(of.saturating_mul(2))
}

/// The taxes that would be due if an account were emptied at the end of `on`, given what came in and went out by date.
///
/// Deposits are lots, and withdrawals are taken from the oldest. The yield of a date is shared among the lots of the day before,
/// in proportion to what each is worth. Each lot's yield bears IOF by the lot's age, and what is left of it bears income tax by
/// the same age. Each tax is rounded half-even to cents once. With `since`, only what was earned from that date on counts.
///
/// ```
/// use finance_domain::Money;
/// use finance_domain::yields::{Bracket, Flow, IncomeTaxTable, IofTable, TaxTables, taxes};
/// use time::macros::date;
///
/// let valid_from = date!(2008-01-03);
/// let iof = IofTable { valid_from, percent_by_day: vec!["66".parse()?; 10] };
/// let brackets = vec![Bracket { days_max: None, percent: "22.5".parse()? }];
/// let tables = TaxTables::new(vec![iof], vec![IncomeTaxTable { valid_from, brackets }])?;
/// let flows = [
///     (date!(2026-01-01), Flow { income: Money::from_cents(1000_00), ..Flow::default() }),
///     (date!(2026-01-10), Flow { earned: Money::from_cents(10_00), ..Flow::default() }),
/// ];
/// let due = taxes(&flows.into(), &tables, None, date!(2026-01-11));
/// assert_eq!((due.iof.to_string(), due.income_tax.to_string()), ("6.60".into(), "0.76".into()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn taxes(flows: &BTreeMap<Date, Flow>, tables: &TaxTables, since: Option<Date>, on: Date) -> Taxes {
    let mut lots = Lots::default();
    let mut since = since;
    for (date, flow) in flows.range(..=on) {
        if since.take_if(|since| *since <= *date).is_some() {
            lots.begin_anew();
        }
        lots.earn(*date, flow.earned);
        lots.put(*date, flow.income, flow.income);
        lots.take(flow.expenses);
    }
    if since.is_some() {
        lots.begin_anew();
    }
    let hundredth = || BigDecimal::new(1.into(), 2);
    let (mut iof, mut income_tax) = (BigDecimal::zero(), BigDecimal::zero());
    for (lot, worth) in lots.worth() {
        let earned = (worth - lot.principal).max(Money::ZERO).to_decimal();
        let age_days = u32::try_from((on - lot.date).whole_days()).unwrap_or(0);
        let taken = &earned * tables.iof_percent(on, age_days).to_decimal() * hundredth();
        income_tax += (earned - &taken) * tables.income_tax_percent(on, age_days).to_decimal() * hundredth();
        iof += taken;
    }
    Taxes { iof: Money::round(&iof), income_tax: Money::round(&income_tax) }
}

#[cfg(test)]
mod tests;
