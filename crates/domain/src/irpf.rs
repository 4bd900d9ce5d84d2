//! The figures that a household needs for its yearly income tax return (IRPF).

use time::{Date, Month as CalendarMonth};

use crate::accounts::AccountKind;
use crate::categories::TaxKind;
use crate::error::{Error, Result};
use crate::ids::AccountId;
use crate::money::Money;
use crate::month::YEARS;
use crate::violations::Violation;

/// The most payees of one kind of expenses: those with the largest totals. The total of the kind includes all payees.
pub const PAYEES_MAX: usize = 500;

/// The most texts of one kind that are read, of which several may name one payee: those with the largest totals.
pub const TEXTS_MAX: usize = 20 * PAYEES_MAX;

/// The payee of expenses of a kind. The instalments of a purchase have one, though their texts differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Payee {
    /// Its [key](crate::suggestions::Payees::key). None if it cannot be told from the text, such as a number.
    pub key: Option<String>,
    /// The newest description of the text with the largest total.
    pub description: String,
    /// All expenses of the year.
    pub total: Money,
}

/// The expenses of a kind in transactions with one text: the statement's, or else the description.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextTotal {
    /// The text.
    pub text: String,
    /// The description of the newest of them.
    pub description: String,
    /// Their sum.
    pub total: Money,
}

/// The expenses of a kind, by text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaxKindTexts {
    /// The kind; never `None`.
    pub tax_kind: TaxKind,
    /// All expenses of the year in categories of the kind.
    pub total: Money,
    /// The texts, largest total first; at most [`TEXTS_MAX`].
    pub texts: Vec<TextTotal>,
}

/// The expenses of a kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaxKindTotal {
    /// The kind; never `None`.
    pub tax_kind: TaxKind,
    /// All expenses of the year in categories of the kind.
    pub total: Money,
    /// The payees, largest total first; at most [`PAYEES_MAX`].
    pub payees: Vec<Payee>,
}

/// The balances of an account at the ends of two years.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct YearEndBalance {
    /// The account.
    pub account_id: AccountId,
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: AccountKind,
    /// The balance on 31 December of the previous year.
    pub balance_previous: Money,
    /// The balance on 31 December of the year, from the transactions entered so far.
    pub balance: Money,
}

/// The yield of an account in the year.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct YearYield {
    /// The account.
    pub account_id: AccountId,
    /// Its name.
    pub name: String,
    /// The yield of the year.
    pub gross: Money,
    /// The IOF on it that would be due if the account were emptied at the end of the year, or today.
    pub iof: Money,
    /// The income tax on it, under the same assumption.
    pub income_tax: Money,
}

/// The report of a year.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IrpfReport {
    /// The year.
    pub year: i32,
    /// Expenses by kind, in the order of [`TaxKind`]. Kinds without expenses are left out.
    pub categories: Vec<TaxKindTotal>,
    /// All accounts, by name.
    pub accounts: Vec<YearEndBalance>,
    /// The accounts with any yield, by name.
    pub yields: Vec<YearYield>,
}

/// The first and the last day of a year that a report may be about.
///
/// # Errors
///
/// [`Error::Invalid`] at `year` if it is not a valid year or is after `this_year`.
pub fn days_of(year: i32, this_year: i32) -> Result<(Date, Date)> {
    let first_year = *YEARS.start();
    let day = |month, day| Date::from_calendar_date(year, month, day).ok().filter(|_| year >= first_year);
    let days = day(CalendarMonth::January, 1).zip(day(CalendarMonth::December, 31));
    let out_of_range = || Violation::out_of_range(i64::from(first_year), i64::from(this_year));
    days.filter(|_| year <= this_year).ok_or_else(|| Error::invalid("year", out_of_range()))
}

/// The changes of an account's balance after the ends of two consecutive years, and its yield in the second year.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct YearChanges {
    /// Income minus expenses after the end of the previous year.
    pub after_previous: Money,
    /// Income minus expenses after the end of the year.
    pub after: Money,
    /// The yield of the year.
    pub earned: Money,
}

/// The port of the report. Every method may fail as [`Store::transact`](crate::Store::transact) does.
pub trait IrpfRepo {
    /// The expenses from `first` to `last` in categories that have a tax kind, by kind. Transfers do not count.
    fn tax_kind_texts(&mut self, first: Date, last: Date) -> Result<Vec<TaxKindTexts>>;
    /// How the balance of each account changed from `first` on and after `last`, and its yield from `first` to `last`. Accounts
    /// without changes are left out.
    fn year_changes(&mut self, first: Date, last: Date) -> Result<Vec<(AccountId, YearChanges)>>;
}
