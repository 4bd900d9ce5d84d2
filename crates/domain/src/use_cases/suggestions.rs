//! Suggests categories for new rows of a statement, from what the household filed before.

use std::collections::HashMap;

use crate::accounts::{Account, AccountKind};
use crate::context::Context;
use crate::error::Result;
use crate::ids::CategoryId;
use crate::imports::StatementRow;
use crate::installments;
use crate::store::Repo;
use crate::suggestions::{History, LEARNED_ROWS_MAX, PlanRow, Suggestion, SuggestionSource};
use crate::transactions::Kind;

/// Suggestions for rows, each with the [normalized](crate::text::normalized) description of its statement. The result is in the
/// order of the rows. The rules were applied before, elsewhere.
///
/// # Errors
///
/// As [`Store::transact`](crate::Store::transact).
pub(crate) fn of_rows(
    repo: &mut dyn Repo,
    context: &Context,
    account: Option<&Account>,
    rows: &[(&StatementRow, &str)],
) -> Result<Vec<Option<Suggestion>>> {
    let mut found = of_descriptions(repo, rows)?;
    if let Some(card) = account.filter(|account| account.kind == AccountKind::Credit) {
        of_plans(repo, card, rows, &mut found)?;
    }
    of_payees(repo, context, rows, &mut found)?;
    Ok(found)
}

fn by(category_id: CategoryId, source: SuggestionSource) -> Suggestion {
    Suggestion { category_id, source, rule_id: None }
}

/// The positions of the rows that have no suggestion yet.
fn open<'f>(found: &'f [Option<Suggestion>]) -> impl Iterator<Item = usize> + 'f {
    (0..found.len()).filter(|at| found[*at].is_none())
}

fn of_descriptions(repo: &mut dyn Repo, rows: &[(&StatementRow, &str)]) -> Result<Vec<Option<Suggestion>>> {
    let mut wanted: Vec<(Kind, String)> = rows.iter().map(|(row, text)| (row.kind, text.to_string())).collect();
    wanted.sort_unstable();
    wanted.dedup();
    let known = if wanted.is_empty() { HashMap::new() } else { repo.categories_of_descriptions(&wanted)? };
    let suggestion = |(row, text): &(&StatementRow, &str)| {
        let category_id = known.get(&(row.kind, text.to_string()))?;
        Some(by(*category_id, SuggestionSource::History))
    };
    Ok(rows.iter().map(suggestion).collect())
}

/// An instalment takes the category of the newest earlier instalment that is filed.
fn of_plans(
    repo: &mut dyn Repo,
    card: &Account,
    rows: &[(&StatementRow, &str)],
    found: &mut [Option<Suggestion>],
) -> Result<()> {
    let mut asked: Vec<(usize, PlanRow)> = Vec::new();
    for at in open(found).filter(|at| rows[*at].0.kind == Kind::Expense) {
        let (row, text) = rows[at];
        asked.extend(
            installments::read(text).map(|reading| {
                (at, PlanRow { shop: reading.shop, installment: reading.installment, amount: row.amount })
            }),
        );
    }
    let mut shops: Vec<String> = asked.iter().map(|(_, row)| row.shop.clone()).collect();
    shops.sort_unstable();
    shops.dedup();
    if shops.is_empty() {
        return Ok(());
    }
    let mut plans: HashMap<(String, u8), Vec<(PlanRow, CategoryId)>> = HashMap::new();
    for (row, category_id) in repo.filed_installments(card.id, &shops)? {
        plans.entry((row.shop.clone(), row.installment.count)).or_default().push((row, category_id));
    }
    for (at, row) in asked {
        let filed = plans.get(&(row.shop.clone(), row.installment.count));
        let earlier = filed.and_then(|filed| filed.iter().find(|(earlier, _)| row.may_follow(earlier)));
        found[at] = earlier.map(|(_, category_id)| by(*category_id, SuggestionSource::Installment));
    }
    Ok(())
}

fn of_payees(
    repo: &mut dyn Repo,
    context: &Context,
    rows: &[(&StatementRow, &str)],
    found: &mut [Option<Suggestion>],
) -> Result<()> {
    let payees = &context.lexicon.payees;
    let asked: Vec<(usize, String)> = open(found).map(|at| (at, payees.key(rows[at].1))).collect();
    if asked.iter().all(|(_, key)| key.is_empty()) {
        return Ok(());
    }
    let history = History::learn(payees, &repo.learned_rows(LEARNED_ROWS_MAX)?);
    let categories = repo.category_list()?;
    let dictionary = context.lexicon.merchants.of(&categories);
    let mut known: HashMap<(Kind, String), Option<Suggestion>> = HashMap::new();
    for (at, key) in asked {
        let kind = rows[at].0.kind;
        found[at] = *known.entry((kind, key)).or_insert_with_key(|(kind, key)| {
            let suggested = history.suggest(payees, &dictionary, *kind, key);
            suggested.map(|(category_id, source)| by(category_id, source))
        });
    }
    Ok(())
}
