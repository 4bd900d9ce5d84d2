//! Checks an import, and finds the account of each row.

use std::collections::{HashMap, HashSet};

use crate::account_keys::AccountKey;
use crate::accounts::Account;
use crate::context::Context;
use crate::error::{Error, FieldErrors, Result};
use crate::ids::{AccountId, CategoryId};
use crate::imports::{
    FileBalance, ImportInput, ImportTarget, LeftOutRow, ROWS_MAX, STATEMENTS_MAX, SkipReason, StatementFormat,
    StatementInput, StatementRow,
};
use crate::store::Repo;
use crate::text;
use crate::use_cases::imports::groups::{self, Group};
use crate::use_cases::imports::rows::check_target;
use crate::violations::Violation;

use super::confirmed::SkippedRow;

/// An import, checked.
pub(super) struct Checked {
    pub(super) target: ImportTarget,
    pub(super) file_name: Option<String>,
    pub(super) format: StatementFormat,
    pub(super) groups: Vec<Group>,
    pub(super) rows: Vec<StatementRow>,
    /// The keys that accounts learn.
    pub(super) learned: Vec<(AccountKey, AccountId)>,
    /// The rows that no account takes.
    pub(super) skipped: Vec<SkippedRow>,
    /// What the file says that accounts held.
    pub(super) balances: Vec<FileBalance>,
    /// The rows that the preview rejected.
    pub(super) left_out: Vec<LeftOutRow>,
}

pub(super) fn check(repo: &mut dyn Repo, context: &Context, input: ImportInput) -> Result<Checked> {
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
