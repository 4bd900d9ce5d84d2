//! Payments of bills.

use time::Date;

use super::ledger::{CardHistory, ChangedBill, LedgerBill, LedgerEntry};
use crate::error::{FieldErrors, Result};
use crate::ids::{AccountId, BillId, TransactionId, TransferId};
use crate::money::Money;

/// A payment of a bill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewBillPayment {
    /// The bill.
    pub bill_id: BillId,
    /// The amount, above zero.
    pub amount: Money,
    /// The date of the payment.
    pub date: Date,
    /// The transfer that made the payment. The payment is deleted with it. None if the payment was only recorded.
    pub transfer_id: Option<TransferId>,
}

/// How to pay a bill, as a client sends it, not yet checked.
#[derive(Debug, Clone, Default)]
pub struct PayInput {
    /// One of the caller's accounts, not the card. The payment is a transfer from it to the card. If absent, the payment is only
    /// recorded.
    pub account_id: Option<AccountId>,
    /// Today if absent.
    pub date: Option<Date>,
    /// Fields that could not be read. They are reported together with those that break a rule.
    pub errors: FieldErrors,
}

/// The description of both legs of a payment.
pub(crate) fn payment_description(due: Date) -> String {
    format!("Pagamento de fatura {:02}/{:02}/{:04}", due.day(), u8::from(due.month()), due.year())
}

/// The port of payments. Every method may fail as [`Store::transact`](crate::Store::transact) does.
pub trait BillPaymentRepo {
    /// Stores payments.
    fn bill_payment_insert(&mut self, new: &[NewBillPayment]) -> Result<()>;
    /// Deletes the payments that name a bill, but for those of which statements have both rows. Also deletes the legs that this
    /// service created for the transfers of those payments and that are in no statement. Returns how many payments were deleted, and
    /// the transactions that are no longer linked.
    fn bill_payments_delete(&mut self, id: BillId) -> Result<(u64, Vec<TransactionId>)>;
    /// Whether rows of any card changed since its [`ledger`](super::ledger) was last computed, or a bill until today may be missing.
    fn bills_are_stale(&mut self, today: Date) -> Result<bool>;
    /// The payments of a card, whether they name a bill or not, and its opening balances.
    fn card_history(&mut self, account_id: AccountId) -> Result<CardHistory>;
    /// The stored bills of a card, oldest first.
    fn ledger_bills(&mut self, account_id: AccountId) -> Result<Vec<LedgerBill>>;
    /// Stores entries of the card's ledger. After that, its payments are not stale.
    fn ledger_put(&mut self, account_id: AccountId, entries: &[(BillId, LedgerEntry)]) -> Result<()>;
    /// Forgets what was due on the card's bills before the upgrade, and stores what it changed on the open one.
    fn changed_bill_put(&mut self, account_id: AccountId, changed: Option<ChangedBill>) -> Result<()>;
    /// Forgets what an upgrade changed on the bills of all cards.
    fn changed_bills_forget(&mut self) -> Result<()>;
    /// Deletes what documents and processes of earlier releases stored of payments that no bill names: the ledger computes that.
    fn bill_payments_forget_found(&mut self) -> Result<()>;
}

#[cfg(test)]
mod tests {
    use time::macros::date;

    use super::*;

    #[test]
    fn a_payment_names_the_bill_by_its_due_date() {
        assert_eq!(payment_description(date!(2026 - 03 - 05)), "Pagamento de fatura 05/03/2026");
    }
}
