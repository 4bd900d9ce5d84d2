//! What a household needs for its yearly return of the income tax (IRPF).

use time::{Date, Month as CalendarMonth};

use crate::accounts::AccountKind;
use crate::categories::TaxKind;
use crate::error::Result;
use crate::ids::AccountId;
use crate::money::Money;

/// The most payees of one kind of expenses. They are those with most; the total has all.
pub const PAYEES_MAX: usize = 500;

/// Whom expenses of a kind were paid to: the description of the transactions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Payee {
    /// The description, as one of the transactions has it.
    pub description: String,
    /// All expenses of the year.
    pub total: Money,
}

/// The expenses of a kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaxKindTotal {
    /// The kind; never `None`.
    pub tax_kind: TaxKind,
    /// All expenses of the year in categories of the kind.
    pub total: Money,
    /// To whom, the most first; at most [`PAYEES_MAX`].
    pub payees: Vec<Payee>,
}

/// What an account held at the ends of two years.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct YearEndBalance {
    /// The account.
    pub account_id: AccountId,
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: AccountKind,
    /// The balance of 31 December of the year before.
    pub balance_previous: Money,
    /// The balance of 31 December of the year, by what is entered now.
    pub balance: Money,
}

/// What an account yielded in the year.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct YearYield {
    /// The account.
    pub account_id: AccountId,
    /// Its name.
    pub name: String,
    /// The yield of the year.
    pub gross: Money,
    /// The IOF on it that would be due if the account were emptied at the year's end, or today.
    pub iof: Money,
    /// The income tax on it, likewise.
    pub income_tax: Money,
}

/// The report of a year.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IrpfReport {
    /// The year.
    pub year: i32,
    /// Expenses by their kind, in the order of [`TaxKind`]; kinds without any are left out.
    pub categories: Vec<TaxKindTotal>,
    /// All accounts, by name.
    pub accounts: Vec<YearEndBalance>,
    /// The accounts that yielded anything, by name.
    pub yields: Vec<YearYield>,
}

/// The first and the last day of a year.
pub fn days_of(year: i32) -> Option<(Date, Date)> {
    let first = Date::from_calendar_date(year, CalendarMonth::January, 1).ok()?;
    let last = Date::from_calendar_date(year, CalendarMonth::December, 31).ok()?;
    Some((first, last))
}

/// What came and went on an account after the ends of two years, and its yield of the second.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct YearChanges {
    /// Incomes less expenses after the end of the year before.
    pub after_previous: Money,
    /// Incomes less expenses after the end of the year.
    pub after: Money,
    /// The yield of the year.
    pub earned: Money,
}

/// The port of the report. Every method may fail as [`Store::transact`](crate::Store::transact) does.
#[allow(clippy::missing_errors_doc)]
pub trait IrpfRepo {
    /// The expenses from `first` to `last` in categories that are of a kind, by kind, the payees with most first and at most
    /// [`PAYEES_MAX`] of each. Transfers do not count.
    fn tax_kind_totals(&mut self, first: Date, last: Date) -> Result<Vec<TaxKindTotal>>;
    /// How each account changed after the day before `first` and after `last`, and what it yielded between. Accounts without
    /// changes are left out.
    fn year_changes(&mut self, first: Date, last: Date) -> Result<Vec<(AccountId, YearChanges)>>;
}
