//! Stores transfers: pairs of two stored transactions, and expenses that pay a card, whose other side is created.

use time::Date;

use crate::credit_bills::{NewBillPayment, payment_description};
use crate::error::{Error, Result};
use crate::ids::{AccountId, BillId, TransactionId, TransferId};
use crate::store::Repo;
use crate::transactions::{Transaction, TransferState};
use crate::transfers::NewTransfer;
use crate::use_cases::ledger::{self, Written};

/// Links pairs of an expense and an income.
pub(crate) fn pair(
    repo: &mut dyn Repo,
    written: &mut Written,
    pairs: &[(TransactionId, TransactionId)],
) -> Result<Vec<TransferId>> {
    let ids = ledger::new_transfers(repo, pairs.len())?;
    let sides = |((from, to), id): (&(TransactionId, TransactionId), &TransferId)| {
        [*from, *to].map(|side| TransferState::side(side, Some(*id)))
    };
    let states: Vec<TransferState> = pairs.iter().zip(&ids).flat_map(sides).collect();
    ledger::set_transfers(repo, written, &states)?;
    Ok(ids)
}

/// An expense that pays a card.
pub(crate) struct Payment {
    /// The expense.
    pub(crate) from: Transaction,
    card: AccountId,
    /// The bill that is paid. None if the expense names none.
    pub(crate) bill_id: Option<BillId>,
    description: String,
}

impl Payment {
    /// The payment of a bill.
    pub(crate) fn of_bill(from: Transaction, card: AccountId, bill_id: BillId, due_date: Date) -> Self {
        Payment { from, card, bill_id: Some(bill_id), description: payment_description(due_date) }
    }

    /// The payment of a card, whatever is due on it.
    pub(crate) fn of_card(from: Transaction, card: AccountId) -> Self {
        let description = from.description.clone();
        Payment { from, card, bill_id: None, description }
    }
}

/// Makes expenses payments of cards: for each, the leg on the card is created.
pub(crate) fn pay_bills(repo: &mut dyn Repo, written: &mut Written, payments: &[Payment]) -> Result<Vec<TransferId>> {
    let ids = ledger::new_transfers(repo, payments.len())?;
    let (mut states, mut legs, mut noted) = (Vec::new(), Vec::new(), Vec::new());
    for (payment, id) in payments.iter().zip(&ids) {
        let Payment { from, card, bill_id, description } = payment;
        let from_account_id =
            from.account_id.ok_or_else(|| Error::Internal("a payment of a card is on no account".into()))?;
        let (amount, date, description) = (from.amount, from.statement_date(), description.clone());
        let [_, card_leg] = NewTransfer { from_account_id, to_account_id: *card, amount, date, description }.legs(*id);
        legs.push(card_leg);
        states.push(TransferState::side(from.id, Some(*id)));
        let named = |bill_id| NewBillPayment { bill_id, amount, date, transfer_id: Some(*id) };
        noted.extend(bill_id.map(named));
    }
    ledger::set_transfers(repo, written, &states)?;
    ledger::insert(repo, written, &legs)?;
    ledger::pay(repo, &noted)?;
    Ok(ids)
}
