//! Card statements that were imported before their payment date. They are kept as pending until they are confirmed.

use std::collections::BTreeMap;

use time::{Date, OffsetDateTime};

use crate::error::{Refusal, Result};
use crate::ids::{AccountId, PendingBillId, ProfileId};
use crate::imports::{StatementFormat, StatementRow};
use crate::money::Money;
use crate::words::words;

words! {
    /// Whether a pending statement was confirmed.
    pub enum PendingBillStatus {
        /// Not yet. Its rows count as stored in the search for duplicates.
        Pending = "pending",
        /// It was confirmed: its rows are stored as transactions.
        Confirmed = "confirmed",
    }
}

/// A card statement that is kept until it is confirmed or discarded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingBill {
    /// Its id.
    pub id: PendingBillId,
    /// The profile that owns it.
    pub profile_id: ProfileId,
    /// The card. None if the import named none.
    pub account_id: Option<AccountId>,
    /// The date on which the bill is paid. It will be the date of its rows.
    pub payment_date: Date,
    /// The file's name.
    pub file_name: Option<String>,
    /// The file's format.
    pub format: StatementFormat,
    /// Expenses minus income of its rows, excluding those that will be transfers.
    pub total: Money,
    /// The number of its rows.
    pub row_count: usize,
    /// Whether it was confirmed.
    pub status: PendingBillStatus,
    /// The instant at which it was stored.
    pub created_at: OffsetDateTime,
}

impl PendingBill {
    /// What it asks for. A statement in credit asks for nothing.
    pub fn owed(&self) -> Money {
        self.total.max(Money::ZERO)
    }

    /// Refuses a statement that was already confirmed.
    pub(crate) fn unsettled(self) -> Result<Self> {
        match self.status {
            PendingBillStatus::Pending => Ok(self),
            PendingBillStatus::Confirmed => Err(Refusal::PendingBillSettled.into()),
        }
    }
}

/// What the held statements of a card for one payment date ask for together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeldDay {
    /// The card.
    pub account_id: AccountId,
    /// The payment date.
    pub payment_date: Date,
    /// The sum of their totals. Zero if they are in credit together.
    pub owed: Money,
}

/// What held statements ask for, by card and payment date. A statement may bring no more than a refund that an earlier one for the same
/// date lacks. Statements without a card are left out.
///
/// ```
/// use finance_domain::imports::StatementFormat;
/// use finance_domain::pending_bills::{PendingBill, PendingBillStatus, held_days};
/// use finance_domain::{AccountId, Money, PendingBillId, ProfileId};
/// use time::macros::{date, datetime};
///
/// let held = |cents| PendingBill {
///     id: PendingBillId(1), profile_id: ProfileId(1), account_id: Some(AccountId(1)), payment_date: date!(2026-04-05),
///     file_name: None, format: StatementFormat::Ofx, total: Money::from_cents(cents), row_count: 1,
///     status: PendingBillStatus::Pending, created_at: datetime!(2026-03-10 12:00 UTC),
/// };
/// assert_eq!(held_days(&[held(5000), held(-2000)])[0].owed, Money::from_cents(3000));
/// ```
pub fn held_days(held: &[PendingBill]) -> Vec<HeldDay> {
    let mut days: BTreeMap<(AccountId, Date), Money> = BTreeMap::new();
    for held in held {
        if let Some(account_id) = held.account_id {
            *days.entry((account_id, held.payment_date)).or_default() += held.total;
        }
    }
    let day = |((account_id, payment_date), total): (_, Money)| HeldDay {
        account_id,
        payment_date,
        owed: total.max(Money::ZERO),
    };
    days.into_iter().map(day).collect()
}

/// A statement to keep as pending. Its rows are checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPendingBill {
    /// The card.
    pub account_id: Option<AccountId>,
    /// The date on which the bill is paid.
    pub payment_date: Date,
    /// The file's name.
    pub file_name: Option<String>,
    /// The file's format.
    pub format: StatementFormat,
    /// Its rows, in the order of the file, with the external ids that they will be stored with.
    pub rows: Vec<NewHeldRow>,
}

/// A row of a statement to keep as pending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewHeldRow {
    /// The row.
    pub row: StatementRow,
    /// Whether it will be a transfer, such as the payment of the previous bill.
    pub is_transfer: bool,
    /// Whether it is stored already: as a leg of a transfer or an instalment that was made here, or [repeated](NewHeldRow::is_repeated).
    /// It counts there, and is told to be a row of the statement when that is confirmed.
    pub is_stored: bool,
    /// Whether another import or held statement brought it. It is not among the rows that the statement shows, and no row is compared
    /// with it.
    pub is_repeated: bool,
}

impl NewPendingBill {
    /// Expenses minus income of its rows, excluding transfers and what is stored already: the amount to pay.
    pub fn total(&self) -> Money {
        let counted = self.rows.iter().filter(|held| !held.is_transfer && !held.is_stored).map(|held| &held.row);
        -counted.map(|row| row.kind.sign(row.amount)).sum::<Money>()
    }
}

/// A pending or confirmed statement with its rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldStatement {
    /// The statement.
    pub bill: PendingBill,
    /// Its rows, with their purchase dates, in the order of the file.
    pub rows: Vec<StatementRow>,
}

/// The most pending statements of one profile. Confirmed ones do not count.
pub const PENDING_BILLS_MAX: usize = 200;
/// The most rows of the statements of one profile, pending or confirmed: as many as it may have transactions. Confirmed statements can
/// still be read, so their rows are kept.
pub const HELD_ROWS_MAX: usize = 1_000_000;

/// The port of pending statements. Every method may fail as [`Store::transact`](crate::Store::transact) does.
pub trait PendingBillRepo {
    /// The statements that are still pending, without their rows, by payment date, then id.
    fn pending_bill_list(&mut self) -> Result<Vec<PendingBill>>;
    /// How many statements are still pending.
    fn pending_bill_count(&mut self) -> Result<usize>;
    /// How many rows the statements have that are pending or confirmed, with those that are [repeated](NewHeldRow::is_repeated).
    fn pending_bill_row_count(&mut self) -> Result<usize>;
    /// The statement of that id, pending or confirmed, if the profile has one.
    fn pending_bill_get(&mut self, id: PendingBillId) -> Result<Option<PendingBill>>;
    /// The rows of a statement, in the order they were stored: those that are [repeated](NewHeldRow::is_repeated), or all others.
    fn pending_bill_rows(&mut self, id: PendingBillId, are_repeated: bool) -> Result<Vec<StatementRow>>;
    /// Stores a statement as pending, with its rows. From then on [`ImportRepo::stored_rows`] includes them.
    ///
    /// [`ImportRepo::stored_rows`]: crate::imports::ImportRepo::stored_rows
    fn pending_bill_insert(&mut self, new: &NewPendingBill) -> Result<PendingBill>;
    /// Records that a statement was confirmed. From then on its rows can still be read, but no longer
    /// count as stored in the search for duplicates.
    fn pending_bill_settle(&mut self, id: PendingBillId) -> Result<()>;
    /// Makes [repeated](NewHeldRow::is_repeated) rows of the statement `to` what rows of the statement `from` are, and its own. The pairs
    /// are places among the rows of each, as [`pending_bill_rows`](Self::pending_bill_rows) lists them.
    fn pending_bill_hand_over(
        &mut self,
        from: PendingBillId,
        to: PendingBillId,
        pairs: &[(usize, usize)],
    ) -> Result<()>;
    /// The statements that are still pending and have [repeated](NewHeldRow::is_repeated) rows, by id.
    fn pending_bill_repeating(&mut self) -> Result<Vec<PendingBillId>>;
    /// Makes [repeated](NewHeldRow::is_repeated) rows of a statement its own, which are stored nowhere else. Each is given by its place
    /// among them, as [`pending_bill_rows`](Self::pending_bill_rows) lists them, and whether it will be a transfer.
    fn pending_bill_own(&mut self, id: PendingBillId, rows: &[(usize, bool)]) -> Result<()>;
    /// Deletes a statement and its rows.
    fn pending_bill_delete(&mut self, id: PendingBillId) -> Result<()>;
}

#[cfg(test)]
mod tests {
    use time::macros::date;

    use super::*;
    use crate::transactions::Kind;

    #[test]
    fn the_total_is_what_the_statement_asks_for() {
        let held = |kind, cents, is_transfer| {
            let row = StatementRow::new(date!(2026 - 02 - 15), "Padaria", Money::from_cents(cents), kind);
            NewHeldRow { row, is_transfer, is_stored: false, is_repeated: false }
        };
        let bill = NewPendingBill {
            account_id: None,
            payment_date: date!(2026 - 03 - 20),
            file_name: None,
            format: StatementFormat::Csv,
            rows: vec![
                held(Kind::Expense, 1000, false),
                held(Kind::Income, 250, false),
                held(Kind::Expense, 5, false),
                held(Kind::Income, 700, true),
            ],
        };
        assert_eq!(bill.total(), Money::from_cents(755));
    }
}
