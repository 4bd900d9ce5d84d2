//! Filters of transactions, and the totals of a list of them.

use time::Date;

use crate::error::FieldErrors;
use crate::ids::{AccountId, BillId, CategoryId, ImportId, MemberId, TransactionId};
use crate::money::Money;
use crate::month::Month;
use crate::transactions::kinds::{Kind, Source};
use crate::violations::Violation;
use crate::words::words;

words! {
    /// Which rows a report is about, and which rows of the list belong to it. Only rows that
    /// [count](crate::transactions::counts) do. Of a split transaction each line is judged by itself.
    #[derive(Default)]
    pub enum FlowKind {
        /// Expenses, and the incomes that are [refunds](crate::refunds) of them.
        #[default]
        Expense = "expense",
        /// Incomes that are no refunds.
        Income = "income",
        /// All.
        Both = "both",
    }
}

words! {
    /// Which date of a row counts.
    #[derive(Default)]
    pub enum DateBasis {
        /// Its date: for a row of a card statement the day of the payment.
        #[default]
        Effective = "effective",
        /// The day of the purchase, if the row has one.
        Purchase = "purchase",
    }
}

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
    /// Those of this amount pass beside those with the text.
    pub amount: Option<Money>,
    /// Those with the tag, in the [form](crate::tags::key) used for comparison, or those without tags.
    pub tag_key: Option<Referring<String>>,
    /// Those of a category of the group, or with a line of one, in the [form](crate::categories::group_key) used for comparison;
    /// or those of no group. Together with `category` and `flow`, one line meets all of them.
    pub group_key: Option<Referring<String>>,
    /// Those of the payee with this [key](crate::suggestions::Payees::key), or those that name none. A use case turns it into
    /// `texts`.
    pub payee_key: Option<Referring<String>>,
    /// Those with one of these texts, which are the statement's, or else the descriptions.
    pub texts: Option<Vec<String>>,
    /// Those that the member entered or imported, or those of no known member.
    pub member: Option<Referring<MemberId>>,
    /// Those that a report of this kind is about.
    pub flow: Option<FlowKind>,
    /// Which date `month`, `from` and `to` are about.
    pub dates: DateBasis,
}

/// The amount that a searched text is, as a person in Brazil or a program writes it. None if it is not one.
///
/// ```
/// use finance_domain::transactions::searched_amount;
///
/// let amount = |text| searched_amount(text).map(|amount| amount.to_string());
/// for text in ["1299", "1.299", "1299,00", "1.299,00", "1299.00", " R$ 1.299,0 "] {
///     assert_eq!(amount(text).as_deref(), Some("1299.00"), "{text}");
/// }
/// assert_eq!(amount("12.5").as_deref(), Some("12.50"));
/// for text in ["", "1,299", "1.2999", "12a", "3/10", "0", "-5", "1..2"] {
///     assert_eq!(amount(text), None, "{text}");
/// }
/// ```
pub fn searched_amount(text: &str) -> Option<Money> {
    let text = text.trim();
    let text = text.strip_prefix("R$").or_else(|| text.strip_prefix("r$")).unwrap_or(text).trim_start();
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_cents = |text: &str| is_number(text) && text.len() <= 2;
    // Points between groups of three digits.
    let whole = |text: &str| {
        let mut groups = text.split('.');
        let first = groups.next().filter(|first| is_number(first))?;
        let groups: Vec<&str> = groups.collect();
        let is_grouped =
            groups.is_empty() || first.len() <= 3 && groups.iter().all(|group| is_number(group) && group.len() == 3);
        is_grouped.then(|| first.to_string() + &groups.concat())
    };
    let decimal = match (text.split_once(','), text.split_once('.')) {
        (Some((units, cents)), _) if is_cents(cents) => format!("{}.{cents}", whole(units)?),
        (None, Some((units, cents))) if is_number(units) && is_cents(cents) => text.to_string(),
        (None, _) => whole(text)?,
        _ => return None,
    };
    decimal.parse::<Money>().ok().filter(|amount| amount.transaction_amount().is_ok())
}

impl TransactionFilter {
    /// Adds an error if the dates exclude each other, or if a payee is searched for in all the books.
    pub fn check(&self, errors: &mut FieldErrors) {
        if self.from.zip(self.to).is_some_and(|(from, to)| from > to) {
            errors.push("to", Violation::BeforeFrom);
        }
        // The texts of the period are read.
        if self.payee_key.is_some() && self.month.is_none() && self.from.zip(self.to).is_none() {
            errors.push("payee", Violation::WithoutPeriod);
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
