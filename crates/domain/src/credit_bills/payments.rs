//! Payments of bills.

use time::Date;

use super::allotment::{Allotment, CardPayment, PayableBill};
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
#[allow(clippy::missing_errors_doc)]
pub trait BillPaymentRepo {
    /// Stores payments.
    fn bill_payment_insert(&mut self, new: &[NewBillPayment]) -> Result<()>;
    /// Deletes a bill's payments, except those made by rows of statements. Also deletes the legs that this service created for
    /// the transfers of those payments. Returns how many payments were deleted, and the transactions that are no longer linked.
    fn bill_payments_delete(&mut self, id: BillId) -> Result<(u64, Vec<TransactionId>)>;
    /// Whether rows of any card changed since its payments were last allotted to bills.
    fn payments_are_stale(&mut self) -> Result<bool>;
    /// The rows of a card that pay its bills without naming one: rows of statements, and transfers to the card.
    fn card_payments(&mut self, account_id: AccountId) -> Result<Vec<CardPayment>>;
    /// The bills of a card.
    fn payable_bills(&mut self, account_id: AccountId) -> Result<Vec<PayableBill>>;
    /// Which bills the rows of a card pay.
    fn allotments(&mut self, account_id: AccountId) -> Result<Vec<Allotment>>;
    /// Deletes the allotments `gone` and stores `new`. After that, the payments of the card are not stale.
    fn allotments_replace(&mut self, account_id: AccountId, gone: &[Allotment], new: &[Allotment]) -> Result<()>;
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
