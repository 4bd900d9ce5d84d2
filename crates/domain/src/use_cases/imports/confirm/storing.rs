//! Stores the new rows of an import, account by account.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use crate::accounts::{Account, AccountKind};
use crate::context::Context;
use crate::credit_bills::{NewBillPayment, payment_description};
use crate::error::{Refusal, Result};
use crate::gamification::{self as rules, Event};
use crate::ids::{AccountId, ImportId, TransactionId};
use crate::imports::{FileBalance, IMPORTS_MAX, ImportTarget, LeftOutRow, NewImport, SkipReason, StatementFormat};
use crate::store::Repo;
use crate::transactions::{Kind, NewTransaction, Transaction, TransferState};
use crate::transfers::{Choice, NewTransfer, OtherSide, StoredSide};
use crate::use_cases::anchors;
use crate::use_cases::ledger::{self, Written};
use crate::use_cases::payers;
use crate::use_cases::pix_on_credit;
use crate::webhooks;

use super::confirmed::{Imported, LinkedRow, SkippedRow};
use super::judged::{JudgedRows, NewRow};

/// An import while its rows are stored, account by account.
pub(super) struct Import {
    format: StatementFormat,
    file_name: Option<String>,
    /// The entry in the log, once something was inserted.
    id: Option<ImportId>,
    /// The accounts with new rows.
    accounts: Vec<Option<AccountId>>,
    /// The cards among them.
    cards: HashSet<AccountId>,
    /// The inserted transactions, by the positions of their rows.
    pub(super) transactions: BTreeMap<usize, Transaction>,
    linked: Vec<LinkedRow>,
    /// What is known of the other rows, of all accounts.
    others: JudgedRows,
}

impl Import {
    pub(super) fn new(
        format: StatementFormat,
        file_name: Option<String>,
        skipped: Vec<SkippedRow>,
        left_out: Vec<LeftOutRow>,
    ) -> Self {
        Import {
            format,
            file_name,
            id: None,
            accounts: Vec::new(),
            cards: HashSet::new(),
            transactions: BTreeMap::new(),
            linked: Vec::new(),
            others: JudgedRows { skipped, left_out, ..JudgedRows::default() },
        }
    }

    /// The entry in the log, made with the first rows. Its numbers are set at the end.
    fn entry(&mut self, repo: &mut dyn Repo, account_id: Option<AccountId>, inserted: usize) -> Result<ImportId> {
        if let Some(id) = self.id {
            return Ok(id);
        }
        // Writers of one profile wait for each other, so the count holds until the insert.
        if repo.import_count()? >= IMPORTS_MAX {
            return Err(Refusal::LimitReached { what: "imports", max: IMPORTS_MAX }.into());
        }
        let file_name = self.file_name.take();
        let new = NewImport { file_name, format: self.format, account_id, inserted, skipped: 0 };
        let id = ledger::new_import(repo, &new)?;
        self.id = Some(id);
        Ok(id)
    }

    /// Stores the new rows of one account.
    pub(super) fn take(
        &mut self,
        repo: &mut dyn Repo,
        written: &mut Written,
        account: Option<&Account>,
        target: &ImportTarget,
        judged: JudgedRows,
    ) -> Result<()> {
        let JudgedRows { new, skipped, left_out, legs, entered, candidates, bills, .. } = judged;
        self.others.skipped.extend(skipped);
        self.others.left_out.extend(left_out);
        self.others.legs.extend(legs);
        self.others.entered.extend(entered);
        self.others.candidates.extend(candidates);
        if new.is_empty() {
            return Ok(());
        }
        let account_id = target.account_id;
        let import_id = self.entry(repo, account_id, new.len())?;
        self.accounts.push(account_id);
        self.cards.extend(account.filter(|account| account.kind == AccountKind::Credit).map(|account| account.id));
        let (inserted, format) = (new.len(), self.format);
        let is_paired = |new: &&NewRow| new.transfer.is_some_and(|transfer| transfer.with.is_some());
        let mut transfer_ids = ledger::new_transfers(repo, new.iter().filter(is_paired).count())?.into_iter();
        let mut rows = Vec::with_capacity(new.len());
        let mut positions = Vec::with_capacity(new.len());
        let mut paying = Vec::new();
        let mut linked = Vec::new();
        let mut sides = Vec::new();
        for NewRow { position, row, transfer } in new {
            positions.push(position);
            let (is_transfer, with) = (transfer.is_some(), transfer.and_then(|transfer| transfer.with));
            let transfer_id = with.and_then(|_| transfer_ids.next());
            // A payment counts on the day on which it was made, even if the bill of its statement is paid on another day.
            let moved_to = target.effective_date().filter(|_| !(is_transfer && row.kind == Kind::Income));
            let mut link = LinkedRow { row: Some(position), transaction_id: None, transfer_id, bill_id: None };
            let paid = match with {
                Some(OtherSide::Transaction(id)) => {
                    link.transaction_id = Some(id);
                    sides.push(TransferState::side(id, transfer_id));
                    None
                }
                Some(OtherSide::Bill(id)) => {
                    link.bill_id = Some(id);
                    bills.get(&id).map(|bill| (bill.account_id, payment_description(bill.due_date)))
                }
                Some(OtherSide::Card(card)) => Some((card, row.description.clone())),
                Some(OtherSide::Row(_)) | None => None,
            };
            if let (Some((to_account_id, description)), Some(id), Some(from_account_id)) =
                (paid, transfer_id, account_id)
            {
                let (amount, date) = (row.amount, moved_to.unwrap_or(row.date));
                let transfer = NewTransfer { from_account_id, to_account_id, amount, date, description };
                paying.push((linked.len(), id, transfer, link.bill_id));
            }
            if is_transfer {
                linked.push(link);
            }
            rows.push(NewTransaction {
                category_id: row.category_id,
                account_id,
                original_date: moved_to.map(|_| row.date),
                external_id: row.external_id,
                statement_description: row.statement_description,
                source: format.source(),
                import_id: Some(import_id),
                transfer_id,
                is_transfer,
                is_kept_unlinked: row.choice == Choice::Ordinary,
                details: row.details,
                ..NewTransaction::new(row.kind, moved_to.unwrap_or(row.date), row.description, row.amount)
            });
        }
        rows.extend(paying.iter().map(|(_, id, transfer, _)| {
            let [_, card_leg] = transfer.legs(*id);
            card_leg
        }));
        let mut transactions = ledger::insert(repo, written, &rows)?;
        ledger::set_transfers(repo, written, &sides)?;
        let card_legs = transactions.split_off(inserted);
        let mut payments = Vec::with_capacity(paying.len());
        for ((at, transfer_id, transfer, bill_id), leg) in paying.into_iter().zip(card_legs) {
            linked[at].transaction_id = Some(leg.id);
            let NewTransfer { amount, date, .. } = transfer;
            let payment = |bill_id| NewBillPayment { bill_id, amount, date, transfer_id: Some(transfer_id) };
            payments.extend(bill_id.map(payment));
        }
        ledger::pay(repo, &payments)?;
        self.transactions.extend(positions.into_iter().zip(transactions));
        self.tell_first_sides(repo, &linked)?;
        self.linked.extend(linked);
        Ok(())
    }

    /// Completes what is answered for rows of earlier groups whose other side came now.
    fn tell_first_sides(&mut self, repo: &mut dyn Repo, linked: &[LinkedRow]) -> Result<()> {
        if self.accounts.len() < 2 {
            return Ok(());
        }
        let places: HashMap<TransactionId, usize> = self.transactions.iter().map(|(at, row)| (row.id, *at)).collect();
        let first = |link: &LinkedRow| {
            let id = link.transaction_id?;
            let other = link.row.and_then(|row| self.transactions.get(&row)).map(|row| row.id);
            Some((id, LinkedRow { row: Some(*places.get(&id)?), transaction_id: other, ..*link }))
        };
        let (ids, firsts): (Vec<TransactionId>, Vec<LinkedRow>) = linked.iter().filter_map(first).unzip();
        if ids.is_empty() {
            return Ok(());
        }
        let told: HashSet<Option<usize>> = firsts.iter().map(|first| first.row).collect();
        self.linked.retain(|known| !told.contains(&known.row));
        self.linked.extend(firsts);
        self.transactions.extend(repo.transaction_list_of(&ids)?.into_iter().map(|row| (places[&row.id], row)));
        Ok(())
    }

    /// Ends the import, and does what follows from it.
    pub(super) fn finish(
        self,
        repo: &mut dyn Repo,
        context: &Context,
        mut written: Written,
        balances: &[FileBalance],
    ) -> Result<Imported> {
        let Import { id, accounts, cards, transactions, mut linked, others, .. } = self;
        let JudgedRows { mut skipped, left_out, legs, entered, candidates, .. } = others;
        skipped.sort_by_key(|skipped| skipped.row);
        linked.sort_by_key(|linked| linked.row);
        let Some(import_id) = id else {
            ledger::finish(repo, context, written, &[])?;
            let linked = payers::ask_entered(repo, context, &entered)?.into_iter().map(LinkedRow::from).collect();
            return Ok(Imported { import_id: None, transactions: Vec::new(), skipped, linked });
        };
        let positions: HashMap<usize, TransactionId> = transactions.iter().map(|(at, row)| (*at, row.id)).collect();
        let mut transactions: Vec<Transaction> = transactions.into_values().collect();
        let (inserted, skipped_count) = (transactions.len(), skipped.len());
        let known: BTreeSet<AccountId> = accounts.iter().flatten().copied().collect();
        let account_id = known.first().copied().filter(|_| known.len() == 1);
        ledger::close_import(repo, import_id, inserted, skipped_count, &known)?;
        ledger::note_import(repo, &legs, import_id)?;
        let known = skipped.iter().filter_map(|skipped| match skipped.reason {
            SkipReason::Duplicate { transaction_id } => Some(TransactionId(transaction_id)),
            _ => None,
        });
        ledger::note_repeated(repo, &known.collect::<Vec<_>>(), import_id)?;
        written.tell(webhooks::Event::ImportConfirmed { import_id, account_id, inserted, skipped: skipped_count });
        let statement = rules::statement(&candidates);
        ledger::finish(repo, context, written, &[Event::ImportConfirmed { statement: &statement }])?;
        anchors::keep_of_import(repo, context, import_id, balances, left_out)?;
        let concerns_card = |row: &&Transaction| {
            let is_on_card = row.account_id.is_some_and(|id| cards.contains(&id));
            is_on_card || (row.kind == Kind::Expense && row.transfer_id.is_some())
        };
        let mut payments = payers::ask_entered(repo, context, &entered)?;
        payments.extend(payers::ask(repo, context, transactions.iter().filter(concerns_card))?);
        let are_stale = !payments.is_empty();
        linked.extend(payments.into_iter().map(LinkedRow::from));
        let mut written = Written::default();
        let halves = pix_on_credit::complete(repo, context, &mut written, &transactions)?;
        if !halves.is_empty() {
            ledger::finish(repo, context, written, &[])?;
            let half = |half: StoredSide| LinkedRow {
                row: None,
                transaction_id: Some(half.id),
                transfer_id: None,
                bill_id: None,
            };
            linked.extend(halves.into_iter().map(half));
        }
        let anew = payers::uncross(repo, context, &transactions)?;
        if !anew.is_empty() || are_stale {
            let ids: Vec<TransactionId> = transactions.iter().map(|transaction| transaction.id).collect();
            let places: HashMap<TransactionId, usize> = ids.iter().enumerate().map(|(at, id)| (*id, at)).collect();
            transactions = repo.transaction_list_of(&ids)?;
            transactions.sort_by_key(|transaction| places.get(&transaction.id).copied());
        }
        if !anew.is_empty() {
            let now: HashMap<TransactionId, &Transaction> = transactions.iter().map(|row| (row.id, row)).collect();
            let others: HashMap<TransactionId, TransactionId> =
                anew.into_iter().flat_map(|(from, to)| [(from, to), (to, from)]).collect();
            for link in &mut linked {
                let Some(own) = link.row.and_then(|row| now.get(positions.get(&row)?)) else { continue };
                if own.transfer_id != link.transfer_id {
                    let (transaction_id, transfer_id) = (others.get(&own.id).copied(), own.transfer_id);
                    *link = LinkedRow { transaction_id, transfer_id, bill_id: None, ..*link };
                }
            }
        }
        Ok(Imported { import_id: Some(import_id), transactions, skipped, linked })
    }
}
