//! Suggests categories for new rows of a statement, from what the household filed before.

use std::collections::{HashMap, HashSet};

use crate::accounts::{Account, AccountKind};
use crate::categories::Category;
use crate::context::Context;
use crate::error::Result;
use crate::ids::CategoryId;
use crate::imports::StatementRow;
use crate::installments;
use crate::store::Repo;
use crate::suggestions::{History, LEARNED_ROWS_MAX, PlanRow, Suggestion, SuggestionSource, parts_of_key};
use crate::transactions::Kind;

/// Suggestions for rows, each with the [normalized](crate::text::normalized) description of its statement. The result is in the
/// order of the rows. The rules were applied before, elsewhere.
pub(crate) fn of_rows(
    repo: &mut dyn Repo,
    context: &Context,
    account: Option<&Account>,
    rows: &[(&StatementRow, &str)],
) -> Result<Vec<Option<Suggestion>>> {
    let mut categories = repo.category_list()?;
    // A hidden category is not suggested, so that the next source is asked.
    let hidden: HashSet<CategoryId> =
        categories.iter().filter(|category| category.planning.is_hidden).map(|category| category.id).collect();
    categories.retain(|category| !category.planning.is_hidden);
    let mut found = of_descriptions(repo, rows, &hidden)?;
    if let Some(card) = account.filter(|account| account.kind == AccountKind::Credit) {
        of_plans(repo, card, rows, &hidden, &mut found)?;
    }
    of_payees(repo, context, rows, &categories, &mut found)?;
    Ok(found)
}

fn by(category_id: CategoryId, source: SuggestionSource) -> Suggestion {
    Suggestion { category_id, source, rule_id: None }
}

/// The positions of the rows that have no suggestion yet.
fn open<'f>(found: &'f [Option<Suggestion>]) -> impl Iterator<Item = usize> + 'f {
    (0..found.len()).filter(|at| found[*at].is_none())
}

fn of_descriptions(
    repo: &mut dyn Repo,
    rows: &[(&StatementRow, &str)],
    hidden: &HashSet<CategoryId>,
) -> Result<Vec<Option<Suggestion>>> {
    let mut wanted: Vec<(Kind, String)> = rows.iter().map(|(row, text)| (row.kind, text.to_string())).collect();
    wanted.sort_unstable();
    wanted.dedup();
    let known = if wanted.is_empty() { HashMap::new() } else { repo.categories_of_descriptions(&wanted)? };
    let suggestion = |(row, text): &(&StatementRow, &str)| {
        let category_id = known.get(&(row.kind, text.to_string())).filter(|id| !hidden.contains(id))?;
        Some(by(*category_id, SuggestionSource::History))
    };
    Ok(rows.iter().map(suggestion).collect())
}

/// An instalment takes the category of the newest earlier instalment that is filed.
fn of_plans(
    repo: &mut dyn Repo,
    card: &Account,
    rows: &[(&StatementRow, &str)],
    hidden: &HashSet<CategoryId>,
    found: &mut [Option<Suggestion>],
) -> Result<()> {
    let mut plan_rows: Vec<(usize, PlanRow)> = Vec::new();
    for at in open(found).filter(|at| rows[*at].0.kind == Kind::Expense) {
        let (row, text) = rows[at];
        plan_rows.extend(
            installments::read(text).map(|reading| {
                (at, PlanRow { shop: reading.shop, installment: reading.installment, amount: row.amount })
            }),
        );
    }
    let mut shops: Vec<String> = plan_rows.iter().map(|(_, row)| row.shop.clone()).collect();
    shops.sort_unstable();
    shops.dedup();
    if shops.is_empty() {
        return Ok(());
    }
    let mut plans: HashMap<(String, u8), Vec<(PlanRow, CategoryId)>> = HashMap::new();
    let filed = repo.filed_installments(card.id, &shops)?;
    for (row, category_id) in filed.into_iter().filter(|(_, category_id)| !hidden.contains(category_id)) {
        plans.entry((row.shop.clone(), row.installment.count)).or_default().push((row, category_id));
    }
    for (at, row) in plan_rows {
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
    categories: &[Category],
    found: &mut [Option<Suggestion>],
) -> Result<()> {
    let payees = &context.lexicon.payees;
    let keys: Vec<(usize, String)> = open(found).map(|at| (at, payees.key(rows[at].1))).collect();
    if keys.iter().all(|(_, key)| key.is_empty()) {
        return Ok(());
    }
    let offered: HashSet<CategoryId> = categories.iter().map(|category| category.id).collect();
    let mut learned = match &keys[..] {
        [(_, key)] => repo.learned_rows_with(LEARNED_ROWS_MAX, &parts_of_key(payees, key))?,
        _ => repo.learned_rows(LEARNED_ROWS_MAX)?,
    };
    learned.retain(|row| offered.contains(&row.category_id));
    let history = History::learn(payees, &learned);
    let dictionary = context.lexicon.merchants.of(categories);
    let mut known: HashMap<(Kind, String), Option<Suggestion>> = HashMap::new();
    for (at, key) in keys {
        let kind = rows[at].0.kind;
        found[at] = *known.entry((kind, key)).or_insert_with_key(|(kind, key)| {
            let suggested = history.suggest(payees, &dictionary, *kind, key);
            suggested.map(|(category_id, source)| by(category_id, source))
        });
    }
    Ok(())
}
