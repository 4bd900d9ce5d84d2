//! Events: what a use case did, and the subject of its award.
//!
//! An award is given once for a subject, which is derived from the content of the action: repeating, retrying, deleting and
//! creating again earn nothing more. A unique key of `xp_events` enforces it.

use time::Date;

use crate::gamification::actions::Action;
use crate::gamification::subjects::bounded;
use crate::money::Money;
use crate::month::Month;
use crate::text::{name_key, normalized};
use crate::transactions::Kind;

/// What a use case did, with the data for its award.
#[derive(Debug, Clone, Copy)]
pub enum Event<'a> {
    /// A client created a transaction.
    TransactionCreated {
        /// Its date.
        date: Date,
        /// Income or expense.
        kind: Kind,
        /// The amount, above zero.
        amount: Money,
        /// Its description, 1 to 255 characters.
        description: &'a str,
    },
    /// A statement was imported, with at least one new row.
    ImportConfirmed {
        /// The subject of the statement, from [`statement`](super::statement).
        statement: &'a str,
    },
    /// The dashboard of a month that met the savings goal was read.
    SavingsChecked {
        /// The month.
        month: Month,
    },
    /// A category was created.
    CategoryCreated {
        /// Its name.
        name: &'a str,
    },
    /// The budget of a category was set or changed.
    CategoryBudgeted {
        /// Its name.
        name: &'a str,
    },
    /// An account was created.
    AccountCreated {
        /// Its name.
        name: &'a str,
    },
    /// A transfer was created.
    TransferCreated {
        /// Its date.
        date: Date,
        /// The amount, above zero.
        amount: Money,
        /// Its description, 1 to 255 characters.
        description: &'a str,
    },
    /// A bill was paid.
    BillPaid {
        /// The card's name.
        card: &'a str,
        /// When the bill is due.
        due_date: Date,
    },
    /// A recurring item was created.
    RecurringCreated {
        /// Income or expense.
        kind: Kind,
        /// Its description, 1 to 255 characters.
        description: &'a str,
    },
    /// A recurring income was confirmed.
    RecurringConfirmed {
        /// The description of the item.
        description: &'a str,
        /// The month it was confirmed for.
        month: Month,
    },
    /// The savings goal was set. Only the first time is awarded.
    SettingsChanged,
}

impl Event<'_> {
    /// The action.
    pub fn action(&self) -> Action {
        match self {
            Event::TransactionCreated { .. } => Action::TransactionCreated,
            Event::ImportConfirmed { .. } => Action::ImportConfirmed,
            Event::SavingsChecked { .. } => Action::SavingsChecked,
            Event::CategoryCreated { .. } => Action::CategoryCreated,
            Event::CategoryBudgeted { .. } => Action::CategoryBudgeted,
            Event::AccountCreated { .. } => Action::AccountCreated,
            Event::TransferCreated { .. } => Action::TransferCreated,
            Event::BillPaid { .. } => Action::BillPaid,
            Event::RecurringCreated { .. } => Action::RecurringCreated,
            Event::RecurringConfirmed { .. } => Action::RecurringConfirmed,
            Event::SettingsChanged => Action::SettingsChanged,
        }
    }

    /// The subject of its award, derived from its content.
    ///
    /// ```
    /// use finance_domain::gamification::Event;
    /// use finance_domain::{Money, transactions::Kind};
    /// use time::macros::date;
    ///
    /// let lunch = |description| Event::TransactionCreated {
    ///     date: date!(2026 - 01 - 31), kind: Kind::Expense, amount: Money::from_cents(3250), description,
    /// };
    /// assert_eq!(lunch("Padaria São João").subject(), "2026-01-31 expense 32.50 padaria sao joao");
    /// assert_eq!(lunch(" PADARIA  são joão").subject(), lunch("Padaria São João").subject());
    /// assert_ne!(lunch("Padaria").subject(), lunch("Mercado").subject());
    /// ```
    pub fn subject(&self) -> String {
        bounded(match self {
            Event::TransactionCreated { date, kind, amount, description } => {
                format!("{date} {} {amount} {}", kind.as_str(), normalized(description))
            }
            Event::ImportConfirmed { statement } => statement.to_string(),
            Event::SavingsChecked { month } => month.to_string(),
            Event::CategoryCreated { name } | Event::CategoryBudgeted { name } | Event::AccountCreated { name } => {
                name_key(name)
            }
            Event::TransferCreated { date, amount, description } => {
                format!("{date} {amount} {}", normalized(description))
            }
            Event::BillPaid { card, due_date } => format!("{due_date} {}", name_key(card)),
            Event::RecurringCreated { kind, description } => {
                format!("{} {}", kind.as_str(), normalized(description))
            }
            Event::RecurringConfirmed { description, month } => format!("{month} {}", normalized(description)),
            Event::SettingsChanged => "savings_goal_pct".to_string(),
        })
    }
}

#[cfg(test)]
mod tests {
    use time::macros::date;

    use super::*;
    use crate::gamification::subjects::SUBJECT_CHARS_MAX;

    #[test]
    fn a_long_subject_is_cut_and_still_told_apart() {
        let created = |description: &str| {
            let (kind, amount) = (Kind::Expense, Money::from_cents(1));
            Event::TransactionCreated { date: date!(2026 - 01 - 31), kind, amount, description }.subject()
        };
        let (one, other) = (created(&format!("{}a", "ç".repeat(254))), created(&format!("{}b", "ç".repeat(254))));
        assert_eq!(one.chars().count(), SUBJECT_CHARS_MAX);
        assert_ne!(one, other);
        assert_eq!(created("bar"), "2026-01-31 expense 0.01 bar");
    }

    #[test]
    fn names_are_the_same_whatever_their_case() {
        let category = |name| Event::CategoryCreated { name }.subject();
        assert_eq!(category("EDUCAÇÃO"), category("educação"));
    }
}
