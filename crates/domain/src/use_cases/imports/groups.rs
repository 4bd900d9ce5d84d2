//! The rows of a file by their accounts: a file may have the statements of several.

use std::collections::{BTreeMap, HashMap};

use time::Date;

use crate::accounts::{Account, AccountKind};
use crate::context::Context;
use crate::ids::AccountId;
use crate::imports::{ImportTarget, StatementRow};
use crate::money::Money;
use crate::transactions::Kind;
use crate::transfers::Choice;

/// The rows of one account, or those without an account.
#[derive(Debug, Clone)]
pub(super) struct Group {
    pub(super) target: ImportTarget,
    pub(super) account: Option<Account>,
    /// The positions of the rows among all rows, in ascending order.
    pub(super) positions: Vec<usize>,
}

/// The groups of rows, those without an account last. `accounts` has the account of each statement.
pub(super) fn by_account(
    target: &ImportTarget,
    accounts: &HashMap<usize, Account>,
    rows: &[StatementRow],
    is_one: bool,
) -> Vec<Group> {
    let mut groups: BTreeMap<Option<AccountId>, Group> = BTreeMap::new();
    for (position, row) in rows.iter().enumerate() {
        let account = accounts.get(&row.statement);
        let group = groups.entry(account.map(|account| account.id)).or_insert_with(|| Group {
            target: match is_one {
                true => ImportTarget { account_id: account.map(|account| account.id), ..*target },
                false => of_one_account(account),
            },
            account: account.cloned(),
            positions: Vec::new(),
        });
        group.positions.push(position);
    }
    let (mut known, rest): (Vec<Group>, Vec<Group>) =
        groups.into_values().partition(|group| group.target.account_id.is_some());
    known.extend(rest);
    known
}

/// What is known about a statement of a file with several: it is a card's if its account is a card.
fn of_one_account(account: Option<&Account>) -> ImportTarget {
    ImportTarget {
        account_id: account.map(|account| account.id),
        is_credit_card: account.is_some_and(|account| account.kind == AccountKind::Credit),
        payment_date: None,
        held_at: None,
    }
}

/// The pairs of rows of one file that are the two sides of a transfer between own accounts: an expense and an income of one amount
/// on one day, on two accounts that are no cards, whose texts both say that money moved, if no other row of the file is alike, not
/// even one that a person says is none. `account_of` is the account of a row that may be one side.
pub(super) fn pairs(
    context: &Context,
    rows: &[&StatementRow],
    account_of: impl Fn(usize) -> Option<(AccountId, AccountKind)>,
) -> Vec<(usize, usize)> {
    let account = |at: usize| account_of(at).map(|(id, _)| id);
    let may_pair = |from: usize, to: usize| is_open(rows[from]) && is_open(rows[to]) && account(from) != account(to);
    let pair = |(expenses, incomes): (Vec<usize>, Vec<usize>)| match (&expenses[..], &incomes[..]) {
        ([from], [to]) if may_pair(*from, *to) => Some((*from, *to)),
        _ => None,
    };
    sides(context, rows, &account_of).into_values().filter_map(pair).collect()
}

/// Whether several rows may be one side of such a transfer. Then it matters which of them are new.
pub(super) fn are_alike(
    context: &Context,
    rows: &[&StatementRow],
    account_of: impl Fn(usize) -> Option<(AccountId, AccountKind)>,
) -> bool {
    let are_several = |(expenses, incomes): &(Vec<usize>, Vec<usize>)| {
        !expenses.is_empty() && !incomes.is_empty() && expenses.len() + incomes.len() > 2
    };
    sides(context, rows, &account_of).values().any(are_several)
}

/// Whether a person leaves open what a row is.
fn is_open(row: &StatementRow) -> bool {
    matches!(row.choice, Choice::Unsaid | Choice::Transfer)
}

/// The expenses and incomes that may be sides, by day and amount.
type Sides = BTreeMap<(Date, Money), (Vec<usize>, Vec<usize>)>;

fn sides(
    context: &Context,
    rows: &[&StatementRow],
    account_of: &impl Fn(usize) -> Option<(AccountId, AccountKind)>,
) -> Sides {
    let mut sides = Sides::new();
    for (at, row) in rows.iter().enumerate() {
        let counts = (is_open(row) || row.choice == Choice::Ordinary) && !row.details.is_split();
        let is_moved = || context.phrases.evidence(row.statement_description()).moved;
        let is_account = || account_of(at).is_some_and(|(_, kind)| kind != AccountKind::Credit);
        if counts && is_account() && is_moved() {
            let (expenses, incomes) = sides.entry((row.date, row.amount)).or_default();
            match row.kind {
                Kind::Expense => expenses.push(at),
                Kind::Income => incomes.push(at),
            }
        }
    }
    sides
}
