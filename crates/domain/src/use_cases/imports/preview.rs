//! A preview, which saves nothing.

use std::collections::HashMap;

use time::Date;

use crate::account_keys::AccountKey;
use crate::accounts::{Account, AccountKind};
use crate::context::Context;
use crate::error::{FieldErrors, Result};
use crate::ids::{AccountId, TransactionId};
use crate::imports::{DayBalance, FileStatement, ImportTarget, PreviewedStatement, StatementRow};
use crate::money::Money;
use crate::rules::Rules;
use crate::store::Repo;
use crate::suggestions::Suggestion;
use crate::transfers::{OtherSide, RowTransfer, TransferKind};
use crate::use_cases::recognition::{self, Depth};
use crate::violations::Violation;

use super::decision::{DecidedRow, Decision, decide, outcome};
use super::groups::{self, Group};
use super::rows::{Asking, check_target, suggested};

/// A file to preview, as it was read.
#[derive(Debug, Clone, Default)]
pub struct PreviewInput {
    /// What the client says of the whole file. Its account is that of the one statement.
    pub target: ImportTarget,
    /// The statements that the file consists of.
    pub statements: Vec<FileStatement>,
    /// The accounts that the client has chosen: the index of a statement, and its account.
    pub chosen: Vec<(Option<usize>, Option<AccountId>)>,
    /// The rows. Each names its statement by its position among them.
    pub rows: Vec<StatementRow>,
    /// Fields that could not be read. They are reported together with those that break a rule.
    pub errors: FieldErrors,
}

/// What a confirm of a file would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preview {
    /// The rows that are in reais, or that have no account.
    pub rows: Vec<PreviewRow>,
    /// The positions of the other rows in the input.
    pub foreign: Vec<usize>,
    /// The statements of the file.
    pub statements: Vec<PreviewedStatement>,
}

/// A row of a preview, and what becomes of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreviewRow {
    /// The row, with the id it would be stored under, the category suggested for it, and what the rules change in it.
    pub row: StatementRow,
    decision: Decision,
    /// A stored transaction that may be the same, if there is one.
    pub similar_to: Option<TransactionId>,
    /// The transfer that it is or may be.
    pub transfer: Option<RowTransfer>,
    /// Why its category is suggested, if one is.
    pub suggestion: Option<Suggestion>,
}

impl PreviewRow {
    fn new(decided: DecidedRow<'_>, suggestion: Option<Suggestion>) -> Self {
        let DecidedRow { mut row, similar_to, outcome, decision, transfer, .. } = decided;
        row.details.tags = outcome.tags_to_add();
        row.category_id = suggestion.map(|suggestion| suggestion.category_id);
        // A name that a person gave the row, as our own export tells it, stays.
        let renamed = outcome.description.filter(|_| row.statement_description.is_none());
        if let Some(renamed) = renamed.filter(|decided| decided.value != row.description) {
            row.statement_description = Some(std::mem::replace(&mut row.description, renamed.value.to_string()));
        }
        PreviewRow { row, decision, similar_to, transfer, suggestion }
    }

    /// Whether a confirm inserts it, if nothing is changed.
    pub fn is_new(&self) -> bool {
        self.decision == Decision::New
    }

    /// Whether it is already stored.
    pub fn is_duplicate(&self) -> bool {
        matches!(self.decision, Decision::Stored { .. })
    }

    /// The transaction that it duplicates. None if it duplicates a row of a pending statement, or nothing.
    pub fn duplicate_of(&self) -> Option<TransactionId> {
        match self.decision {
            Decision::Stored { transaction_id, .. } => transaction_id,
            _ => None,
        }
    }

    /// Whether a rule skips it.
    pub fn is_skipped_by_rule(&self) -> bool {
        matches!(self.decision, Decision::SkippedByRule(_) | Decision::AutomaticYield { is_skipped_by_rule: true })
    }

    /// Whether it reports yield on an account whose yield type is not `none`. Confirming the import skips such a row.
    pub fn is_automatic_yield(&self) -> bool {
        matches!(self.decision, Decision::AutomaticYield { .. })
    }
}

/// Finds the rows of a statement that are stored already and those that are transfers, applies rules, and suggests categories. Each
/// row is compared with what is stored on the account of its statement. Saves nothing.
///
/// # Errors
///
/// [`Error::Invalid`](crate::Error::Invalid) if the target or a choice is not valid.
pub fn preview(repo: &mut dyn Repo, context: &Context, input: PreviewInput) -> Result<Preview> {
    let prepared = prepare(repo, context, input)?;
    judged(repo, context, prepared)
}

/// A file whose statements have their accounts.
struct Prepared {
    statements: Vec<PreviewedStatement>,
    groups: Vec<Group>,
    rows: Vec<StatementRow>,
    foreign: Vec<usize>,
}

/// Finds the accounts of the statements, and sets rows in other currencies aside if they have an account.
fn prepare(repo: &mut dyn Repo, context: &Context, input: PreviewInput) -> Result<Prepared> {
    let PreviewInput { mut target, statements: files, chosen, rows, mut errors } = input;
    let is_one = files.len() <= 1;
    let secret = match files.iter().any(|file| file.account.is_some()) {
        true => Some(repo.account_key_secret()?),
        false => None,
    };
    let keys: Vec<Option<AccountKey>> =
        files.iter().map(|file| Some(secret.as_ref()?.key(file.account.as_ref()?))).collect();
    let references: Vec<&str> = keys.iter().flatten().map(|key| key.reference.as_str()).collect();
    let learned = if references.is_empty() { HashMap::new() } else { repo.account_keys_find(&references)? };
    let mut ids: Vec<Option<AccountId>> =
        keys.iter().map(|key| learned.get(&key.as_ref()?.reference).copied()).collect();
    let mut fields: HashMap<usize, String> = HashMap::new();
    for (at, (index, id)) in chosen.into_iter().enumerate() {
        match index.and_then(|index| Some((index, ids.get_mut(index)?))) {
            Some((index, _)) if fields.contains_key(&index) => {
                errors.push(format!("statements[{at}].index"), Violation::RepeatedStatement);
            }
            Some((index, known)) => {
                *known = id;
                fields.insert(index, format!("statements[{at}].account_id"));
            }
            None => errors.push(format!("statements[{at}].index"), Violation::NoSuchStatement),
        }
    }
    let mut accounts: HashMap<usize, Account> = HashMap::new();
    if is_one {
        let stated = target.account_id.or_else(|| fields.contains_key(&0).then(|| ids[0]).flatten());
        let is_learned = stated.is_none() && !fields.contains_key(&0);
        target.account_id = stated.or_else(|| ids.first().copied().flatten());
        let mut own = FieldErrors::default();
        let account = check_target(repo, context, &target, &mut own)?;
        // What was learned is no more than a proposal.
        if !own.is_empty() && is_learned {
            target.account_id = None;
        } else {
            let field =
                |name: &str| fields.get(&0).filter(|_| name == "account_id").cloned().unwrap_or(name.to_string());
            own.iter().for_each(|error| errors.push(field(&error.field), error.violation.clone()));
            accounts.extend(account.map(|account| (0, account)));
        }
    } else {
        for (index, id) in ids.iter().enumerate().filter_map(|(index, id)| Some((index, (*id)?))) {
            match repo.account_get(id, context.today)? {
                Some(account) => drop(accounts.insert(index, account)),
                None => fields.get(&index).into_iter().for_each(|field| errors.push(field, Violation::NoSuchAccount)),
            }
        }
    }
    errors.into_result()?;
    let is_foreign = |row: &StatementRow| row.currency.is_some() && accounts.contains_key(&row.statement);
    let (mut foreign, mut kept) = (Vec::new(), Vec::with_capacity(rows.len()));
    let mut counts = vec![0; files.len()];
    for (at, row) in rows.into_iter().enumerate() {
        if is_foreign(&row) {
            foreign.push(at);
            continue;
        }
        counts.get_mut(row.statement).into_iter().for_each(|count| *count += 1);
        kept.push(row);
    }
    let previewed = files.into_iter().zip(keys).zip(counts).enumerate().map(|(index, ((file, key), rows))| {
        let FileStatement { kind, currency, mut balances, .. } = file;
        // A balance of a later day is a forecast of the bank: it is never stored.
        balances.retain(|balance| balance.date <= context.today);
        let account_id = accounts.get(&index).map(|account| account.id);
        PreviewedStatement { key, kind, currency, rows, balances, balance_after: None, account_id }
    });
    let statements = previewed.collect();
    let groups = groups::by_account(&target, &accounts, &kept, is_one);
    Ok(Prepared { statements, groups, rows: kept, foreign })
}

fn judged(repo: &mut dyn Repo, context: &Context, prepared: Prepared) -> Result<Preview> {
    let Prepared { mut statements, groups, rows, foreign } = prepared;
    let mut rows: Vec<Option<StatementRow>> = rows.into_iter().map(Some).collect();
    let mut judged: Vec<Option<PreviewRow>> = rows.iter().map(|_| None).collect();
    for Group { target, account, positions } in &groups {
        let own = positions.iter().filter_map(|at| Some((*at, rows[*at].take()?))).collect();
        let found = preview_rows(repo, context, account.as_ref(), target, own)?;
        if let Some(account) = account {
            balances_after(repo, account, &found, &mut statements)?;
        }
        found.into_iter().for_each(|(at, row)| judged[at] = Some(row));
    }
    let mut rows: Vec<PreviewRow> = judged.into_iter().flatten().collect();
    let is_free = |row: &PreviewRow| {
        row.is_new() && !row.transfer.is_some_and(|found| found.is_certain() && found.with.is_some())
    };
    let of_rows: Vec<&StatementRow> = rows.iter().map(|row| &row.row).collect();
    for (at, other) in groups::pairs(context, &groups, &of_rows, |at| is_free(&rows[at])) {
        let transfer = RowTransfer::certain(TransferKind::OwnAccount, Some(OtherSide::Row(other)));
        (rows[at].transfer, rows[at].suggestion, rows[at].row.category_id) = (Some(transfer), None, None);
    }
    Ok(Preview { rows, foreign, statements })
}

/// What the account would hold at the end of the days of the balances that its statements state.
fn balances_after(
    repo: &mut dyn Repo,
    account: &Account,
    rows: &[(usize, PreviewRow)],
    statements: &mut [PreviewedStatement],
) -> Result<()> {
    if account.kind == AccountKind::Credit {
        return Ok(());
    }
    let (known, openings) = if account.has_anchors { repo.anchor_list(account.id)? } else { Default::default() };
    let stated = known.iter().map(|known| known.anchor).filter(|anchor| anchor.import_id.is_none());
    let followed = stated.min_by_key(|anchor| anchor.id);
    let added = |until: Date| -> Money {
        let new = rows.iter().filter(|(_, row)| row.is_new() && row.row.date <= until);
        new.map(|(_, row)| row.row.kind.sign(row.row.amount)).sum()
    };
    for statement in statements.iter_mut().filter(|statement| statement.account_id == Some(account.id)) {
        let Some(DayBalance { date, .. }) = statement.balance() else { continue };
        let Some(before) = repo.account_get(account.id, date)?.map(|account| account.balance) else { continue };
        // An opening balance that follows an anchor counts from ever, and moves against the rows up to the anchor's day.
        let moved = followed.map_or(Money::ZERO, |anchor| {
            let later = openings.iter().filter(|opening| opening.date > date).map(|opening| opening.balance);
            later.sum::<Money>() - added(anchor.date)
        });
        statement.balance_after = Some(before + added(date) + moved);
    }
    Ok(())
}

fn preview_rows(
    repo: &mut dyn Repo,
    context: &Context,
    account: Option<&Account>,
    target: &ImportTarget,
    rows: Vec<(usize, StatementRow)>,
) -> Result<Vec<(usize, PreviewRow)>> {
    let rules = Rules::new(repo.rule_list()?);
    let mut decided = decide(repo, context, account, target, &rules, rows)?;
    let open = decided.iter_mut().filter(|decided| decided.decision.may_be_transfer());
    let mut open: Vec<&mut DecidedRow<'_>> = open.collect();
    let rows: Vec<(usize, &StatementRow)> = open.iter().map(|decided| (decided.position, &decided.row)).collect();
    let found = recognition::transfers(repo, context, account, &rows, Depth::Likely)?.of_rows;
    open.iter_mut().zip(found).for_each(|(decided, found)| decided.transfer = found);
    let takes_category = |decided: &&DecidedRow<'_>| {
        decided.decision.may_be_transfer() && !decided.transfer.is_some_and(|transfer| transfer.is_certain())
    };
    let asking: Vec<Asking<'_>> = decided.iter().filter(takes_category).map(Asking::of).collect();
    let mut suggested = suggested(repo, context, account, &asking)?.into_iter();
    let row = |decided: DecidedRow<'_>| {
        let suggestion = if takes_category(&&decided) { suggested.next().flatten() } else { None };
        (decided.position, PreviewRow::new(decided, suggestion))
    };
    Ok(decided.into_iter().map(row).collect())
}

/// The category that a preview suggests for a row that is not stored yet and is no transfer.
pub(crate) fn suggestion(
    repo: &mut dyn Repo,
    context: &Context,
    account: Option<&Account>,
    row: StatementRow,
) -> Result<Option<Suggestion>> {
    let candidate = row.candidate();
    let rules = Rules::new(repo.rule_list()?);
    let outcome = outcome(&rules, account.map(|account| account.id), &row, &candidate);
    let found = suggested(repo, context, account, &[Asking { row: &row, candidate: &candidate, outcome: &outcome }])?;
    Ok(found.into_iter().next().flatten())
}
