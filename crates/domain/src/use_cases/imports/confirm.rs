//! A confirm, which saves all or nothing.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use crate::account_keys::AccountKey;
use crate::accounts::{Account, AccountKind};
use crate::context::Context;
use crate::credit_bills::{NewBillPayment, payment_description};
use crate::error::{Error, FieldErrors, Refusal, Result};
use crate::gamification::{self as rules, Event};
use crate::ids::{AccountId, BillId, CategoryId, ImportId, InboxItemId, TransactionId, TransferId};
use crate::imports::{
    Candidate, FileBalance, ImportInput, ImportTarget, LEFT_OUT_MAX, LeftOutRow, NewImport, ROWS_MAX, STATEMENTS_MAX,
    SkipReason, StatementFormat, StatementInput, StatementRow,
};
use crate::inbox::InboxOutcome;
use crate::pending_bills::{NewHeldRow, NewPendingBill, PENDING_BILLS_MAX, PendingBill};
use crate::rules::Rules;
use crate::store::Repo;
use crate::transactions::{Kind, NewTransaction, Tie, Transaction};
use crate::transfers::{Choice, NewTransfer};
use crate::use_cases::known_rows::{self, KnownRow, MadeHere};
use crate::use_cases::ledger::{self, Written};
use crate::use_cases::payers::{self, AskedPayment};
use crate::use_cases::recognition::{self, Fate};
use crate::use_cases::{anchors, bill_refresh, credit_bills};
use crate::violations::Violation;
use crate::{tags, text, webhooks};

use super::groups::{self, Group};
use super::rows::{check_target, decide, is_automatic_yield};

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
    /// Its position in the request, from 0. None for a stored payment of a card that is a transfer since.
    pub row: Option<usize>,
    /// The other side, or that payment. None if it is not kept here.
    pub transaction_id: Option<TransactionId>,
    /// The transfer. None if the other side is not kept here.
    pub transfer_id: Option<TransferId>,
    /// The bill that it pays, if the card's leg was created here.
    pub bill_id: Option<BillId>,
}

/// Inserts the rows that are not stored yet, and links those that are transfers. It skips, and lists, the other rows: duplicates,
/// rows that a rule skips, and yield on an account that yields by itself. A card statement whose payment date is after today is
/// kept as pending instead, and nothing is inserted.
///
/// Duplicates and transfers are found as in [`preview`](super::preview). Writers of one profile run one after another
/// ([`Access::Write`](crate::Access::Write)), so of two concurrent confirms one inserts a row, and a transaction is
/// linked once.
///
/// # Errors
///
/// [`Error::Invalid`] with every invalid row, or [`Refusal::LimitReached`] if the statement would be kept as pending. Nothing is
/// saved then.
pub fn confirm(repo: &mut dyn Repo, context: &Context, mut input: ImportInput) -> Result<Confirmed> {
    let inbox_id = input.inbox_id;
    if let Some(id) = inbox_id
        && repo.inbox_get(id, context.today)?.is_none()
    {
        input.errors.push("inbox_id", Violation::NoSuchInboxItem);
    }
    let confirmed = store(repo, context, input)?;
    if let Some(id) = inbox_id {
        note(repo, id, &confirmed)?;
    }
    Ok(confirmed)
}

/// Notes what was done with a file of the inbox.
fn note(repo: &mut dyn Repo, id: InboxItemId, confirmed: &Confirmed) -> Result<()> {
    let outcome = match confirmed {
        Confirmed::Held(held) => InboxOutcome::Held(held.id),
        Confirmed::Imported(Imported { import_id: Some(id), .. }) => InboxOutcome::Imported(*id),
        Confirmed::Imported(Imported { import_id: None, .. }) => InboxOutcome::Nothing,
    };
    repo.inbox_note(id, outcome)
}

/// Stores the rows.
fn store(repo: &mut dyn Repo, context: &Context, input: ImportInput) -> Result<Confirmed> {
    let due_date = input.due_date;
    let Checked { target, file_name, format, groups, rows, learned, skipped, balances, left_out } =
        check(repo, context, input)?;
    if let (Some(card), Some(due_date)) = (target.account_id.filter(|_| target.is_credit_card), due_date) {
        credit_bills::take_due_date(repo, card, due_date, context.today)?;
    }
    if !learned.is_empty() {
        repo.account_keys_learn(&learned)?;
    }
    let mut written = Written::default();
    let mut rows: Vec<Option<StatementRow>> = rows.into_iter().map(Some).collect();
    let own = |positions: Vec<usize>, rows: &mut [Option<StatementRow>]| -> Vec<(usize, StatementRow)> {
        positions.into_iter().filter_map(|at| Some((at, rows[at].take()?))).collect()
    };
    // Only the statement of one card is held.
    if let ([group], Some(payment_date)) = (&groups[..], target.effective_date().filter(|date| *date > context.today)) {
        let of_group = own(group.positions.clone(), &mut rows);
        let judged = judge_rows(repo, context, &mut written, group.account.as_ref(), &target, of_group)?;
        if !judged.new.is_empty() {
            // Duplicates are never saved: duplicates in held rows would count twice for the next file.
            let is_payment = |fate: &Fate| !matches!(fate, Fate::Ordinary { .. });
            let held = |new: NewRow| NewHeldRow { is_transfer: is_payment(&new.fate), row: new.row };
            let rows = judged.new.into_iter().map(held).collect();
            let new = NewPendingBill { account_id: group.target.account_id, payment_date, file_name, format, rows };
            let held = hold(repo, &new)?;
            ledger::finish(repo, context, written, &[])?;
            return Ok(Confirmed::Held(held));
        }
        let mut import = Import::new(format, file_name, skipped, left_out);
        import.take(repo, &mut written, group.account.as_ref(), &group.target, judged)?;
        return Ok(Confirmed::Imported(import.finish(repo, context, written, &balances)?));
    }
    let accounts: HashMap<usize, (AccountId, AccountKind)> = groups
        .iter()
        .filter_map(|group| Some((group.account.as_ref()?, &group.positions)))
        .flat_map(|(account, positions)| positions.iter().map(|at| (*at, (account.id, account.kind))))
        .collect();
    let mut pairs = Pairs::default();
    if groups.len() > 1 {
        let of_rows: Vec<&StatementRow> = rows.iter().flatten().collect();
        pairs = Pairs::new(groups::pairs(context, &of_rows, |at| accounts.get(&at).copied()));
    }
    let mut import = Import::new(format, file_name, skipped, left_out);
    let count = groups.len();
    for (at, group) in groups.into_iter().enumerate() {
        let mut of_group = own(group.positions, &mut rows);
        pairs.tell(repo, &mut of_group, &import.transactions)?;
        let judged = judge_rows(repo, context, &mut written, group.account.as_ref(), &group.target, of_group)?;
        import.take(repo, &mut written, group.account.as_ref(), &group.target, judged)?;
        if at + 1 < count {
            // The next group finds the bills as another import would.
            ledger::catch_up(repo, context, &written)?;
        }
    }
    Ok(Confirmed::Imported(import.finish(repo, context, written, &balances)?))
}

/// The pairs of rows of one file that are the sides of a transfer. The first side is stored as a transfer whose other side is not
/// kept here, and the second one is linked with it.
#[derive(Debug, Default)]
struct Pairs {
    other: HashMap<usize, usize>,
}

impl Pairs {
    fn new(pairs: Vec<(usize, usize)>) -> Self {
        Pairs { other: pairs.into_iter().flat_map(|(from, to)| [(from, to), (to, from)]).collect() }
    }

    /// Makes the choices for the rows of a group. `stored` has the transactions of the groups before, by their positions.
    fn tell(
        &self,
        repo: &mut dyn Repo,
        rows: &mut [(usize, StatementRow)],
        stored: &BTreeMap<usize, Transaction>,
    ) -> Result<()> {
        let others = |at: &usize| self.other.get(at).and_then(|other| stored.get(other)).map(|other| other.id);
        let named: Vec<TransactionId> = rows.iter().filter_map(|(at, _)| others(at)).collect();
        let known = if named.is_empty() { Vec::new() } else { repo.transaction_list_of(&named)? };
        // It may have been linked with a stored transaction.
        let free: HashSet<TransactionId> =
            known.iter().filter(|known| known.transfer_id.is_none()).map(|known| known.id).collect();
        for (at, row) in rows.iter_mut() {
            if let Some(id) = others(at).filter(|id| free.contains(id)) {
                row.choice = Choice::With(id);
            }
        }
        Ok(())
    }
}

/// An import, checked.
struct Checked {
    target: ImportTarget,
    file_name: Option<String>,
    format: StatementFormat,
    groups: Vec<Group>,
    rows: Vec<StatementRow>,
    /// The keys that accounts learn.
    learned: Vec<(AccountKey, AccountId)>,
    /// The rows that no account takes.
    skipped: Vec<SkippedRow>,
    /// What the file says that accounts held.
    balances: Vec<FileBalance>,
    /// The rows that the preview rejected.
    left_out: Vec<LeftOutRow>,
}

fn check(repo: &mut dyn Repo, context: &Context, input: ImportInput) -> Result<Checked> {
    let ImportInput { mut target, file_name, format, statements, rows, rejected, mut errors, .. } = input;
    let accounts = check_statements(repo, context, &mut target, &statements, &mut errors)?;
    let is_one = statements.len() <= 1;
    let file_name = file_name.and_then(|name| errors.check("file_name", text::optional(&name))).flatten();
    let rows = errors.require("rows", rows).unwrap_or_default();
    if rows.len() > ROWS_MAX {
        errors.push("rows", Violation::TooMany { max: ROWS_MAX as i64 });
        return Err(Error::Invalid(errors));
    }
    let categories: HashSet<CategoryId> = repo.category_list()?.into_iter().map(|category| category.id).collect();
    let indexes: HashSet<usize> = statements.iter().filter_map(|statement| statement.index).collect();
    // Otherwise rows name statements that are wrong themselves.
    let is_named = !indexes.is_empty() && indexes.len() == statements.len();
    let rows: Vec<_> = rows
        .into_iter()
        .enumerate()
        .filter_map(|(at, row)| {
            let row = row?;
            match row.statement {
                Some(index) if is_named && !indexes.contains(&index) => {
                    errors.push(format!("rows[{at}].statement"), Violation::NoSuchStatement);
                }
                None if !is_one => errors.push(format!("rows[{at}].statement"), Violation::Required),
                _ => {}
            }
            row.check(at, &categories, &mut errors)
        })
        .collect();
    let keyed = statements.iter().enumerate().filter_map(|(at, statement)| {
        let key = statement.key(at, &mut errors)?;
        Some((key, accounts.get(&statement.index?)?.id))
    });
    let learned = keyed.collect();
    errors.into_result()?;
    let stated =
        statements.iter().filter_map(|statement| Some((accounts.get(&statement.index?)?.id, &statement.balances)));
    let balances = stated
        .flat_map(|(account_id, balances)| {
            balances.iter().map(move |balance| FileBalance { account_id, date: balance.date, amount: balance.amount })
        })
        .collect();
    let mut rows = rows;
    if is_one {
        rows.iter_mut().for_each(|row| row.statement = 0);
    }
    let accounts: HashMap<usize, Account> = match is_one {
        true => accounts.into_values().map(|account| (0, account)).collect(),
        false => accounts,
    };
    let mut skipped = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        if let Some(currency) = &row.currency {
            skipped.push(SkippedRow { row: at, reason: SkipReason::OtherCurrency { currency: currency.clone() } });
        } else if !accounts.is_empty() && !accounts.contains_key(&row.statement) {
            skipped.push(SkippedRow { row: at, reason: SkipReason::NotChosen });
        }
    }
    let mut groups = groups::by_account(&target, &accounts, &rows, is_one);
    let out: HashSet<usize> = skipped.iter().map(|skipped| skipped.row).collect();
    if !out.is_empty() {
        groups.iter_mut().for_each(|group| group.positions.retain(|at| !out.contains(at)));
        groups.retain(|group| !group.positions.is_empty());
    }
    let format = format.unwrap_or(StatementFormat::Ofx);
    Ok(Checked { target, file_name, format, groups, rows, learned, skipped, balances, left_out: rejected })
}

/// The accounts of the statements, by their indexes. A file of one statement takes the account of the whole import.
fn check_statements(
    repo: &mut dyn Repo,
    context: &Context,
    target: &mut ImportTarget,
    statements: &[StatementInput],
    errors: &mut FieldErrors,
) -> Result<HashMap<usize, Account>> {
    let mut accounts = HashMap::new();
    if statements.len() > STATEMENTS_MAX {
        errors.push("statements", Violation::TooMany { max: STATEMENTS_MAX as i64 });
        return Ok(accounts);
    }
    let mut seen = HashSet::new();
    for (at, statement) in statements.iter().enumerate() {
        match statement.index {
            None if statements.len() > 1 => errors.push(format!("statements[{at}].index"), Violation::Required),
            Some(index) if !seen.insert(index) => {
                errors.push(format!("statements[{at}].index"), Violation::RepeatedStatement);
            }
            _ => {}
        }
    }
    if let [] | [_] = statements {
        let only = statements.first();
        let chosen = only.and_then(|statement| statement.account_id).filter(|_| target.account_id.is_none());
        target.account_id = target.account_id.or(chosen);
        let mut own = FieldErrors::default();
        let account = check_target(repo, context, target, &mut own)?;
        let field = |name: &str| match name {
            "account_id" if chosen.is_some() => "statements[0].account_id".to_string(),
            name => name.to_string(),
        };
        own.iter().for_each(|error| errors.push(field(&error.field), error.violation.clone()));
        let index = only.and_then(|statement| statement.index).unwrap_or_default();
        accounts.extend(account.map(|account| (index, account)));
        return Ok(accounts);
    }
    if target.account_id.is_some() {
        errors.push("account_id", Violation::SeveralAccounts);
    }
    if target.payment_date.is_some() {
        errors.push("payment_date", Violation::SeveralAccounts);
    }
    for (at, statement) in statements.iter().enumerate() {
        let Some(id) = statement.account_id else { continue };
        match repo.account_get(id, context.today)? {
            Some(account) => accounts.extend(statement.index.map(|index| (index, account))),
            None => errors.push(format!("statements[{at}].account_id"), Violation::NoSuchAccount),
        }
    }
    Ok(accounts)
}

/// Inserts checked rows that are not stored yet, even before the payment date.
pub(crate) fn insert(
    repo: &mut dyn Repo,
    context: &Context,
    target: &ImportTarget,
    format: StatementFormat,
    file_name: Option<String>,
    rows: Vec<StatementRow>,
) -> Result<Imported> {
    let account = target.account_id.map_or(Ok(None), |id| repo.account_get(id, context.today))?;
    let mut written = Written::default();
    let rows = rows.into_iter().enumerate().collect();
    let judged = judge_rows(repo, context, &mut written, account.as_ref(), target, rows)?;
    let mut import = Import::new(format, file_name, Vec::new(), Vec::new());
    import.take(repo, &mut written, account.as_ref(), target, judged)?;
    import.finish(repo, context, written, &[])
}

/// The rows of an import: new and skipped ones.
struct JudgedRows {
    new: Vec<NewRow>,
    skipped: Vec<SkippedRow>,
    /// The first of the skipped rows, those that are stored already last.
    left_out: Vec<LeftOutRow>,
    /// The legs made here that rows are.
    legs: Vec<TransactionId>,
    /// What the rows were compared by.
    candidates: Vec<Candidate>,
}

/// A row that is not stored yet, with the external id to store.
struct NewRow {
    /// Its position in the request, from 0.
    position: usize,
    row: StatementRow,
    fate: Fate,
}

/// Judges rows, given with their positions in the request, and records the statement's values for rows that were created here.
fn judge_rows(
    repo: &mut dyn Repo,
    context: &Context,
    written: &mut Written,
    account: Option<&Account>,
    target: &ImportTarget,
    rows: Vec<(usize, StatementRow)>,
) -> Result<JudgedRows> {
    let (positions, rows): (Vec<usize>, Vec<StatementRow>) = rows.into_iter().unzip();
    let candidates: Vec<Candidate> = rows.iter().map(StatementRow::candidate).collect();
    let known = known_rows::compare(repo, context, account, target, &rows, &candidates)?;
    let rules = Rules::new(repo.rule_list()?);
    let mut judged = JudgedRows {
        new: Vec::new(),
        skipped: Vec::new(),
        left_out: Vec::new(),
        legs: Vec::new(),
        candidates: Vec::new(),
    };
    let mut duplicates: Vec<LeftOutRow> = Vec::new();
    let mut left: Vec<(usize, StatementRow)> = Vec::new();
    let mut told: Vec<(MadeHere, StatementRow)> = Vec::new();
    let compared = rows.into_iter().zip(&candidates).zip(known);
    for (at, ((row, candidate), KnownRow { judgement, made_here })) in positions.into_iter().zip(compared) {
        let mut row = StatementRow { external_id: judgement.external_id, ..row };
        let left_out = |row: &StatementRow| LeftOutRow {
            account_id: target.account_id,
            date: row.date,
            kind: row.kind,
            amount: row.amount,
            description: row.statement_description().to_string(),
        };
        let reason = if judgement.duplicate {
            keep_left_out(&mut duplicates, || left_out(&row));
            if let Some(MadeHere::Leg(id)) = made_here {
                judged.legs.push(id);
            }
            told.extend(made_here.map(|made_here| (made_here, row)));
            match judgement.duplicate_of {
                Some(id) => SkipReason::Duplicate { transaction_id: id.0 },
                None => SkipReason::DuplicateOfPending,
            }
        } else if !row.is_kept && is_automatic_yield(account, candidate) {
            keep_left_out(&mut judged.left_out, || left_out(&row));
            SkipReason::AutomaticYield
        } else {
            let outcome = decide(&rules, target.account_id, &row, candidate);
            match outcome.skip.filter(|_| !row.is_kept).and_then(|decided| decided.rule_id) {
                Some(id) => {
                    keep_left_out(&mut judged.left_out, || left_out(&row));
                    SkipReason::SkippedByRule { rule_id: id.0 }
                }
                None => {
                    if outcome.transfer.is_some() && row.choice == Choice::Unsaid && !row.details.is_split() {
                        row.choice = Choice::Transfer;
                    }
                    outcome.tags.iter().for_each(|tag| tags::add(&mut row.details.tags, tag));
                    left.push((at, row));
                    continue;
                }
            }
        };
        judged.skipped.push(SkippedRow { row: at, reason });
    }
    judged.left_out.append(&mut duplicates);
    if let Some(account) = account {
        known_rows::tell(repo, written, account, target, &told)?;
        if recognition::may_pay_bills(context, account, left.iter().map(|(_, row)| row)) {
            bill_refresh::refresh(repo, context.today)?;
        }
    }
    let (positions, rows): (Vec<usize>, Vec<StatementRow>) = left.into_iter().unzip();
    let of_rows: Vec<&StatementRow> = rows.iter().collect();
    let mut errors = FieldErrors::default();
    let fates = recognition::fates(repo, context, account, &of_rows, &positions, &mut errors)?;
    errors.into_result()?;
    let new = positions.into_iter().zip(rows).zip(fates);
    judged.candidates = candidates;
    judged.new = new.map(|((position, row), fate)| NewRow { position, row, fate }).collect();
    Ok(judged)
}

/// Adds a row that is left out, while there is room.
fn keep_left_out(rows: &mut Vec<LeftOutRow>, row: impl FnOnce() -> LeftOutRow) {
    if rows.len() < LEFT_OUT_MAX {
        rows.push(row());
    }
}

/// Keeps a statement as pending.
fn hold(repo: &mut dyn Repo, new: &NewPendingBill) -> Result<PendingBill> {
    // Writers of one profile wait for each other, so the count holds until the insert.
    if repo.pending_bill_count()? >= PENDING_BILLS_MAX {
        return Err(Refusal::LimitReached { what: "pending bills", max: PENDING_BILLS_MAX }.into());
    }
    repo.pending_bill_insert(new)
}

/// An import while its rows are stored, account by account.
struct Import {
    format: StatementFormat,
    file_name: Option<String>,
    /// The entry in the log, once something was inserted.
    id: Option<ImportId>,
    /// The accounts with new rows.
    accounts: Vec<Option<AccountId>>,
    /// The cards among them.
    cards: HashSet<AccountId>,
    /// The inserted transactions, by the positions of their rows.
    transactions: BTreeMap<usize, Transaction>,
    skipped: Vec<SkippedRow>,
    left_out: Vec<LeftOutRow>,
    linked: Vec<LinkedRow>,
    legs: Vec<TransactionId>,
    candidates: Vec<Candidate>,
}

impl Import {
    fn new(
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
            skipped,
            left_out,
            linked: Vec::new(),
            legs: Vec::new(),
            candidates: Vec::new(),
        }
    }

    /// The entry in the log, made with the first rows. Its numbers are set at the end.
    fn entry(&mut self, repo: &mut dyn Repo, account_id: Option<AccountId>, inserted: usize) -> Result<ImportId> {
        if let Some(id) = self.id {
            return Ok(id);
        }
        let file_name = self.file_name.take();
        let new = NewImport { file_name, format: self.format, account_id, inserted, skipped: 0 };
        let id = ledger::new_import(repo, &new)?;
        self.id = Some(id);
        Ok(id)
    }

    /// Stores the new rows of one account.
    fn take(
        &mut self,
        repo: &mut dyn Repo,
        written: &mut Written,
        account: Option<&Account>,
        target: &ImportTarget,
        judged: JudgedRows,
    ) -> Result<()> {
        let JudgedRows { new, skipped, left_out, legs, candidates } = judged;
        self.skipped.extend(skipped);
        self.left_out.extend(left_out);
        self.legs.extend(legs);
        self.candidates.extend(candidates);
        if new.is_empty() {
            return Ok(());
        }
        let account_id = target.account_id;
        let import_id = self.entry(repo, account_id, new.len())?;
        self.accounts.push(account_id);
        self.cards.extend(account.filter(|account| account.kind == AccountKind::Credit).map(|account| account.id));
        let (inserted, format) = (new.len(), self.format);
        let is_paired = |new: &&NewRow| matches!(new.fate, Fate::Paired(_) | Fate::PaysBill(_) | Fate::PaysCard(_));
        let mut transfer_ids = ledger::new_transfers(repo, new.iter().filter(is_paired).count())?.into_iter();
        let mut rows = Vec::with_capacity(new.len());
        let mut positions = Vec::with_capacity(new.len());
        let mut paying = Vec::new();
        let mut linked = Vec::new();
        let mut ties = Vec::new();
        for NewRow { position, row, fate } in new {
            positions.push(position);
            let transfer_id = match fate {
                Fate::Paired(_) | Fate::PaysBill(_) | Fate::PaysCard(_) => transfer_ids.next(),
                Fate::Ordinary { .. } | Fate::Single => None,
            };
            let is_transfer = !matches!(fate, Fate::Ordinary { .. });
            // A payment counts on the day on which it was made, even if the bill of its statement is paid on another day.
            let moved_to = target.effective_date().filter(|_| !(is_transfer && row.kind == Kind::Income));
            let mut link = LinkedRow { row: Some(position), transaction_id: None, transfer_id, bill_id: None };
            match fate {
                Fate::Ordinary { .. } | Fate::Single | Fate::PaysCard(_) => {}
                Fate::Paired(id) => {
                    link.transaction_id = Some(id);
                    ties.push(Tie { id, transfer_id, is_transfer: true, is_kept_unlinked: false });
                }
                Fate::PaysBill(ref bill) => link.bill_id = Some(bill.id),
            }
            let paid = match &fate {
                Fate::PaysBill(bill) => Some((bill.account_id, payment_description(bill.due_date))),
                Fate::PaysCard(card) => Some((*card, row.description.clone())),
                Fate::Ordinary { .. } | Fate::Single | Fate::Paired(_) => None,
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
                is_kept_unlinked: fate == Fate::Ordinary { is_kept_unlinked: true },
                details: row.details,
                ..NewTransaction::new(row.kind, moved_to.unwrap_or(row.date), row.description, row.amount)
            });
        }
        rows.extend(paying.iter().map(|(_, id, transfer, _)| {
            let [_, card_leg] = transfer.legs(*id);
            card_leg
        }));
        let mut transactions = ledger::insert(repo, written, &rows)?;
        ledger::tie(repo, written, &ties)?;
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
        for link in linked {
            let Some(at) = link.transaction_id.and_then(|id| places.get(&id)) else { continue };
            let other = link.row.and_then(|row| self.transactions.get(&row)).map(|row| row.id);
            self.linked.retain(|known| known.row != Some(*at));
            self.linked.push(LinkedRow { row: Some(*at), transaction_id: other, ..*link });
            let first: Vec<TransactionId> = self.transactions.get(at).map(|row| row.id).into_iter().collect();
            self.transactions.extend(repo.transaction_list_of(&first)?.into_iter().map(|row| (*at, row)));
        }
        Ok(())
    }

    /// Ends the import, and does what follows from it.
    fn finish(
        self,
        repo: &mut dyn Repo,
        context: &Context,
        mut written: Written,
        balances: &[FileBalance],
    ) -> Result<Imported> {
        let Import { id, accounts, cards, transactions, mut skipped, left_out, mut linked, legs, candidates, .. } =
            self;
        skipped.sort_by_key(|skipped| skipped.row);
        linked.sort_by_key(|linked| linked.row);
        let Some(import_id) = id else {
            ledger::finish(repo, context, written, &[])?;
            return Ok(Imported { import_id: None, transactions: Vec::new(), skipped, linked: Vec::new() });
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
        let mut are_stale = false;
        if !cards.is_empty() {
            let is_on_card = |row: &&Transaction| row.account_id.is_some_and(|id| cards.contains(&id));
            let of_cards: Vec<Transaction> = transactions.iter().filter(is_on_card).cloned().collect();
            let asked = payers::ask(repo, context, &of_cards)?;
            are_stale = !asked.is_empty();
            linked.extend(asked.into_iter().map(|AskedPayment { id, transfer_id, bill_id }| LinkedRow {
                row: None,
                transaction_id: Some(id),
                transfer_id,
                bill_id,
            }));
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
