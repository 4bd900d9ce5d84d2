//! Filters of transactions, and the totals of a list of them.

use time::Date;

use crate::error::FieldErrors;
use crate::ids::{AccountId, BillId, CategoryId, ImportId, TransactionId};
use crate::money::Money;
use crate::month::Month;
use crate::transactions::kinds::{Kind, Source};
use crate::violations::Violation;

/// A filter of transactions. A transaction passes if it meets every given condition.
#[derive(Debug, Clone, Default)]
pub struct TransactionFilter {
    /// Those dated in the month.
    pub month: Option<Month>,
    /// Those dated on the day or later.
    pub from: Option<Date>,
    /// Those dated on the day or before. Not before `from`.
    pub to: Option<Date>,
    /// Those of the account, or those without an account.
    pub account: Option<Referring<AccountId>>,
    /// Those of the category, or with a line of it; or those without a category that are not split.
    pub category: Option<Referring<CategoryId>>,
    /// Those of the kind.
    pub kind: Option<Kind>,
    /// Those that this source created.
    pub source: Option<Source>,
    /// Those of the import.
    pub import_id: Option<ImportId>,
    /// The rows of the bill, whose sum is its total.
    pub bill_id: Option<BillId>,
    /// Those whose [normalized](crate::text::normalized) description, statement description or note contains this normalized
    /// text.
    pub text_part: Option<String>,
    /// Those with the tag, in the [form](crate::tags::key) used for comparison.
    pub tag_key: Option<String>,
}

impl TransactionFilter {
    /// Adds an error if the dates exclude each other.
    pub fn check(&self, errors: &mut FieldErrors) {
        if self.from.zip(self.to).is_some_and(|(from, to)| from > to) {
            errors.push("to", Violation::BeforeFrom);
        }
    }

    /// The first and the last day that pass, if there are such bounds: those of the month and of the range.
    ///
    /// ```
    /// use finance_domain::transactions::TransactionFilter;
    /// use time::macros::date;
    ///
    /// let from = Some(date!(2026-03-10));
    /// let filter = TransactionFilter { month: "2026-03".parse().ok(), from, ..Default::default() };
    /// assert_eq!(filter.days(), (from, Some(date!(2026-03-31))));
    /// ```
    pub fn days(&self) -> (Option<Date>, Option<Date>) {
        let month = self.month;
        let first = self.from.into_iter().chain(month.map(Month::first_day)).max();
        let last = self.to.into_iter().chain(month.map(Month::last_day)).min();
        (first, last)
    }
}

/// A reference of rows, or its absence. A filter searches for it; a change sets it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Referring<T> {
    /// They refer to it.
    To(T),
    /// They refer to nothing.
    Nothing,
}

impl<T> Referring<T> {
    /// What is referred to, if anything.
    pub fn id(self) -> Option<T> {
        match self {
            Referring::To(id) => Some(id),
            Referring::Nothing => None,
        }
    }

    /// Converts what is referred to to another type.
    pub fn map<U>(self, map: impl FnOnce(T) -> U) -> Referring<U> {
        match self {
            Referring::To(id) => Referring::To(map(id)),
            Referring::Nothing => Referring::Nothing,
        }
    }
}

/// A transaction's place in a list, newest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TransactionPlace {
    /// Its date.
    pub date: Date,
    /// Its id.
    pub id: TransactionId,
}

/// The totals of a list of transactions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TransactionSummary {
    /// The number of transactions, of every kind.
    pub count: u64,
    /// The income among those that [count](crate::transactions::counts).
    pub income: Money,
    /// The expenses among those that [count](crate::transactions::counts).
    pub expenses: Money,
}
