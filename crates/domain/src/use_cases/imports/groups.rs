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

/// The groups of rows: those of cards, then those of other accounts, and last those without an account. So the row with which a card
/// says that it was paid is stored, and the account's row of that payment is linked with it, whichever account is the older one.
/// `accounts` has the account of each statement.
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
    let mut groups: Vec<Group> = groups.into_values().collect();
    groups.sort_by_key(|group| match &group.account {
        Some(account) if account.kind == AccountKind::Credit => 0,
        Some(_) => 1,
        None => 2,
    });
    groups
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

/// The rows of one file that are the two sides of a transfer between own accounts, each with the other one, by their positions: an
/// expense and an income of one amount on one day, on two accounts that are no cards, whose texts both say that money moved, if no other
/// row of the file is alike, not even one that a person says is none. Only rows that are free may be sides.
pub(super) fn pairs(
    context: &Context,
    groups: &[Group],
    rows: &[&StatementRow],
    is_free: impl Fn(usize) -> bool,
) -> HashMap<usize, usize> {
    let may_pair = |from: &Side, to: &Side| is_open(rows[from.0]) && is_open(rows[to.0]) && from.1 != to.1;
    let pair = |(expenses, incomes): (Vec<Side>, Vec<Side>)| match (&expenses[..], &incomes[..]) {
        ([from], [to]) if may_pair(from, to) => Some([(from.0, to.0), (to.0, from.0)]),
        _ => None,
    };
    sides(context, groups, rows, is_free).into_values().filter_map(pair).flatten().collect()
}

/// Whether several rows may be one side of such a transfer. Then it matters which of them are new.
pub(super) fn are_alike(context: &Context, groups: &[Group], rows: &[&StatementRow]) -> bool {
    let are_several = |(expenses, incomes): &(Vec<Side>, Vec<Side>)| {
        !expenses.is_empty() && !incomes.is_empty() && expenses.len() + incomes.len() > 2
    };
    sides(context, groups, rows, |_| true).values().any(are_several)
}

/// Whether a person leaves open what a row is.
fn is_open(row: &StatementRow) -> bool {
    matches!(row.choice, Choice::Unsaid | Choice::Transfer)
}

/// The position of a row, and its account.
type Side = (usize, AccountId);

/// The expenses and incomes that may be sides, by day and amount.
type Sides = BTreeMap<(Date, Money), (Vec<Side>, Vec<Side>)>;

fn sides(context: &Context, groups: &[Group], rows: &[&StatementRow], is_free: impl Fn(usize) -> bool) -> Sides {
    let mut sides = Sides::new();
    if groups.len() <= 1 {
        return sides;
    }
    for Group { account, positions, .. } in groups {
        let Some(account) = account.as_ref().filter(|account| account.kind != AccountKind::Credit) else { continue };
        for at in positions.iter().copied().filter(|at| is_free(*at)) {
            let row = rows[at];
            let counts = (is_open(row) || row.choice == Choice::Ordinary) && !row.details.is_split();
            if counts && context.phrases.evidence(row.statement_description()).moved {
                let (expenses, incomes) = sides.entry((row.date, row.amount)).or_default();
                match row.kind {
                    Kind::Expense => expenses.push((at, account.id)),
                    Kind::Income => incomes.push((at, account.id)),
                }
            }
        }
    }
    sides
}
