//! Which transactions are asked for, and what a list of them comes to.

use time::Date;

use crate::error::FieldErrors;
use crate::ids::{AccountId, BillId, CategoryId, ImportId, TransactionId};
use crate::money::Money;
use crate::month::Month;
use crate::transactions::kinds::{Kind, Source};
use crate::violations::Violation;

/// Which transactions are asked for: those that pass every condition that is given.
#[derive(Debug, Clone, Default)]
pub struct TransactionFilter {
    /// Those dated in the month.
    pub month: Option<Month>,
    /// Those dated on the day or later.
    pub from: Option<Date>,
    /// Those dated on the day or before. Not before `from`.
    pub to: Option<Date>,
    /// Those of the account, or of none.
    pub account: Option<Referring<AccountId>>,
    /// Those of the category, or with a line of it; or those of no category that are not split.
    pub category: Option<Referring<CategoryId>>,
    /// Those of the kind.
    pub kind: Option<Kind>,
    /// Those that it created.
    pub source: Option<Source>,
    /// Those that the import brought.
    pub import_id: Option<ImportId>,
    /// The rows of the bill: what its total is the sum of.
    pub bill_id: Option<BillId>,
    /// Those whose [normalized](crate::text::normalized) description, the one of their statement or note contains this
    /// normalized text.
    pub text_part: Option<String>,
    /// Those that have the tag, in the [form](crate::tags::key) in which tags are compared.
    pub tag_key: Option<String>,
}

impl TransactionFilter {
    /// Adds an error where the dates exclude each other.
    pub fn check(&self, errors: &mut FieldErrors) {
        if self.from.zip(self.to).is_some_and(|(from, to)| from > to) {
            errors.push("to", Violation::BeforeFrom);
        }
    }

    /// The first and the last day that pass, where there are such: those of the month and of the range.
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

/// What rows refer to, or that they refer to nothing: looked for by a filter, or set by a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Referring<T> {
    /// They refer to it.
    To(T),
    /// They refer to nothing.
    Nothing,
}

impl<T> Referring<T> {
    /// What is referred to, if anything is.
    pub fn id(self) -> Option<T> {
        match self {
            Referring::To(id) => Some(id),
            Referring::Nothing => None,
        }
    }

    /// The same with another type of what is referred to.
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

/// What a list of transactions comes to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TransactionSummary {
    /// How many there are, whatever they are.
    pub count: u64,
    /// The income among those that [count](crate::transactions::counts).
    pub income: Money,
    /// The expenses among those that [count](crate::transactions::counts).
    pub expenses: Money,
}
