//! The calendar of a profile: what is due on which day.

use time::Date;

use crate::credit_bills::CreditBill;
use crate::ids::{AccountId, BillId, PendingBillId, RecurringId};
use crate::money::Money;
use crate::month::Month;
use crate::pending_bills::PendingBill;
use crate::recurring::{NoteKey, RecurringState};
use crate::transactions::Kind;

/// How many months before today the calendar begins.
pub const MONTHS_BACK: i32 = 1;
/// How many months after today the calendar ends.
pub const MONTHS_AHEAD: i32 = 12;

/// Something that is due on a day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// What is due. It identifies the entry in the profile, even if its day, name or amount changes.
    pub subject: Subject,
    /// The day.
    pub date: Date,
    /// The name to show: the card, the file of a statement or the description of an item. None if it has no name.
    pub name: Option<String>,
    /// How much is due, or expected.
    pub amount: Money,
}

/// What an entry is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Subject {
    /// An unpaid bill.
    Bill(BillId),
    /// A pending statement, which must be confirmed.
    PendingBill(PendingBillId),
    /// A due of a recurring item, by its month or, of a rhythm of days or weeks, by its day.
    Recurring(RecurringId, NoteKey, Kind),
}

/// The days of the calendar.
///
/// ```
/// use finance_domain::calendar::Window;
/// use time::macros::date;
///
/// let window = Window::around(date!(2026 - 03 - 31));
/// assert_eq!((window.first, window.last), (date!(2026 - 02 - 28), date!(2027 - 03 - 31)));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// The first day.
    pub first: Date,
    /// The last day.
    pub last: Date,
}

impl Window {
    /// From one month before today to twelve months after it.
    pub fn around(today: Date) -> Self {
        let month = Month::of(today);
        Window {
            first: month.minus(MONTHS_BACK).day_clamped(today.day()),
            last: month.plus(MONTHS_AHEAD).day_clamped(today.day()),
        }
    }

    /// Whether the window contains the day.
    pub fn contains(self, date: Date) -> bool {
        (self.first..=self.last).contains(&date)
    }
}

/// The data from which the entries of a calendar are made.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    /// Bills on which something is due.
    pub bills: Vec<CreditBill>,
    /// Pending statements.
    pub pending_bills: Vec<PendingBill>,
    /// Recurring items with their dues.
    pub recurring: Vec<RecurringState>,
    /// The names of the accounts.
    pub accounts: Vec<(AccountId, String)>,
}

/// The entries in the window, by date.
pub fn entries(window: Window, sources: Sources) -> Vec<Entry> {
    let Sources { bills, pending_bills, recurring, accounts } = sources;
    let named = |id: AccountId| accounts.iter().find(|(known, _)| *known == id).map(|(_, name)| name.clone());
    // A held statement has its own entry.
    let mut entries: Vec<Entry> = bills
        .iter()
        .filter(|bill| bill.due_beside_held() > Money::ZERO)
        .map(|bill| Entry {
            subject: Subject::Bill(bill.id),
            date: bill.due_date,
            name: named(bill.account_id),
            amount: bill.due_beside_held(),
        })
        .collect();
    entries.extend(pending_bills.into_iter().map(|held| Entry {
        subject: Subject::PendingBill(held.id),
        date: held.payment_date,
        name: held.account_id.and_then(named).or(held.file_name),
        amount: held.total,
    }));
    for RecurringState { item, occurrences, .. } in recurring {
        entries.extend(occurrences.into_iter().filter(|one| one.status.is_open()).map(|one| Entry {
            subject: Subject::Recurring(item.id, NoteKey::of(item.schedule.every, one.due), item.kind),
            date: one.date,
            name: Some(item.description.clone()),
            amount: one.amount,
        }));
    }
    entries.retain(|entry| window.contains(entry.date));
    entries.sort_by_key(|entry| entry.date);
    entries
}

#[cfg(test)]
mod tests {
    use time::macros::date;

    use super::*;
    use crate::credit_bills::LedgerEntry;
    use crate::ids::{CategoryId, ProfileId};
    use crate::recurring::{Occurrence, Recurring, Schedule, Status};

    fn bill(id: i64, due_date: Date) -> CreditBill {
        CreditBill {
            id: BillId(id),
            profile_id: ProfileId(1),
            account_id: AccountId(7),
            period_start: date!(2026 - 02 - 10),
            period_end: date!(2026 - 03 - 09),
            due_date,
            rows_total: Money::from_cents(1_000),
            entry: LedgerEntry { paid_amount: Money::from_cents(400), ..LedgerEntry::default() },
        }
    }

    fn item() -> RecurringState {
        let item = Recurring {
            id: RecurringId(3),
            profile_id: ProfileId(1),
            kind: Kind::Expense,
            description: "Aluguel".into(),
            amount: Money::from_cents(90_000),
            category_id: CategoryId(1),
            account_id: None,
            day: 31,
            schedule: Schedule::default(),
        };
        let occurrence = |date, status| Occurrence {
            due: date,
            date,
            amount: Money::from_cents(90_000),
            status,
            is_linked: false,
            transaction_ids: Vec::new(),
        };
        let occurrences = vec![
            occurrence(date!(2026 - 02 - 28), Status::Late),
            occurrence(date!(2026 - 03 - 31), Status::Covered),
            occurrence(date!(2026 - 04 - 30), Status::Pending),
            occurrence(date!(2026 - 05 - 31), Status::Ignored),
        ];
        RecurringState { item, next_on: None, occurrences }
    }

    #[test]
    fn entries_lie_in_the_window_by_date() {
        let window = Window::around(date!(2026 - 03 - 15));
        let sources = Sources {
            bills: vec![bill(1, date!(2026 - 03 - 20)), bill(2, date!(2026 - 02 - 14)), bill(3, date!(2026 - 02 - 15))],
            recurring: vec![item()],
            accounts: vec![(AccountId(7), "Cartão".into())],
            ..Default::default()
        };
        let seen: Vec<(Date, String, Money)> = entries(window, sources)
            .into_iter()
            .map(|entry| (entry.date, entry.name.unwrap_or_default(), entry.amount))
            .collect();
        let (due, rent) = (Money::from_cents(600), Money::from_cents(90_000));
        assert_eq!(
            seen,
            [
                (date!(2026 - 02 - 15), "Cartão".to_string(), due),
                (date!(2026 - 02 - 28), "Aluguel".to_string(), rent),
                (date!(2026 - 03 - 20), "Cartão".to_string(), due),
                (date!(2026 - 04 - 30), "Aluguel".to_string(), rent),
            ]
        );
    }
}
