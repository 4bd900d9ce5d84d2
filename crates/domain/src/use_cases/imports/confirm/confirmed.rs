//! The result of a confirm.

use crate::ids::{BillId, ImportId, TransactionId, TransferId};
use crate::imports::SkipReason;
use crate::pending_bills::PendingBill;
use crate::transactions::Transaction;
use crate::use_cases::payers::AskedPayment;

/// What a confirm does with the rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Confirmed {
    /// The rows were inserted.
    Imported(Imported),
    /// The rows are kept as a pending statement, because the card is paid later.
    Held(PendingBill),
}

/// The result of a confirmed import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// The entry in the log. None if nothing was inserted.
    pub import_id: Option<ImportId>,
    /// The inserted transactions, in the order of the rows.
    pub transactions: Vec<Transaction>,
    /// The rows that were skipped: duplicates, rows that a rule skips, and yield on an account that yields by itself.
    pub skipped: Vec<SkippedRow>,
    /// The rows that are transfers.
    pub linked: Vec<LinkedRow>,
}

/// A row of a confirmed import that was not inserted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkippedRow {
    /// Its position in the request, from 0.
    pub row: usize,
    /// Why it was not inserted.
    pub reason: SkipReason,
}

/// A row of a confirmed import that is a transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinkedRow {
    /// Its position in the request, from 0. None for a stored row that is a transfer since: a payment of a card, or what a person
    /// entered and the statement has.
    pub row: Option<usize>,
    /// The other side, or that row. None if it is not kept here.
    pub transaction_id: Option<TransactionId>,
    /// The transfer. None if the other side is not kept here.
    pub transfer_id: Option<TransferId>,
    /// The bill that it pays, if the card's leg was created here.
    pub bill_id: Option<BillId>,
}

impl From<AskedPayment> for LinkedRow {
    fn from(asked: AskedPayment) -> Self {
        let AskedPayment { id, transfer_id, bill_id } = asked;
        LinkedRow { row: None, transaction_id: Some(id), transfer_id, bill_id }
    }
}
