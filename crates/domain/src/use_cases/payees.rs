//! Use cases of payees: the category of all transactions of one.

use crate::context::Context;
use crate::error::{Error, FieldErrors, Result};
use crate::ids::{CategoryId, TransactionId};
use crate::store::Repo;
use crate::transactions::{
    BULK_MAX, IdsInput, ReferenceChange, Referring, Source, Transaction, TransactionFilter, TransactionPlace,
};
use crate::use_cases::transactions;
use crate::violations::Violation;

/// The payee of a transaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Payee {
    /// Its [key](crate::suggestions::Payees::key). Empty if the text names nobody.
    pub key: String,
    /// Its name, as it is shown.
    pub name: String,
    /// How many other transactions of it, of the same type, have another category: at most [`BULK_MAX`].
    pub others: usize,
}

/// The payee of a transaction, and how many others of it have another category.
///
/// # Errors
///
/// [`Error::NotFound`] if the caller has no such transaction.
pub fn get(repo: &mut dyn Repo, context: &Context, id: TransactionId) -> Result<Payee> {
    let of = transactions::get(repo, id)?;
    let payees = &context.lexicon.payees;
    let (key, shown) = (payees.key(statement_text(&of)), payees.display(&of.description, Some(statement_text(&of))));
    let others = others(repo, context, &of, of.category_id, BULK_MAX)?.len();
    Ok(Payee { key, name: shown.name, others })
}

/// Changes the category of a transaction and of all others of its payee, all of them or none: the newest [`BULK_MAX`] that have
/// another one. Returns how many were changed. Transfers and split transactions stay as they are.
///
/// # Errors
///
/// [`Error::Invalid`], also if the caller has no such transaction, and as
/// [`transactions::update_many`].
pub fn file(
    repo: &mut dyn Repo,
    context: &Context,
    id: Option<TransactionId>,
    category: Option<Referring<CategoryId>>,
    mut errors: FieldErrors,
) -> Result<usize> {
    let of = match id {
        Some(id) => repo.transaction_get(id)?,
        None => None,
    };
    match &of {
        Some(of) if of.details.is_split() => errors.push("payee_of", Violation::IsSplit),
        None if !errors.has("payee_of") => errors.push("payee_of", Violation::NoSuchTransaction),
        _ => {}
    }
    if category.is_none() {
        errors.push("category_id", Violation::Required);
    }
    let mut ids: Vec<Option<TransactionId>> = Vec::new();
    if let Some(of) = of.filter(|of| !of.details.is_split()) {
        ids.push(Some(of.id));
        if let Some(category) = category {
            let others = others(repo, context, &of, category.id(), BULK_MAX - 1)?;
            ids.extend(others.into_iter().map(Some));
        }
    } else {
        // The fields that are wrong beside it are told too.
        errors.into_result()?;
        return Err(Error::NotFound("transaction"));
    }
    let change = ReferenceChange { category, account: None };
    transactions::update_many(repo, context, IdsInput { ids: Some(ids), errors }, &change)
}

/// The text by which a payee is known.
fn statement_text(of: &Transaction) -> &str {
    of.statement.description.as_deref().unwrap_or(&of.description)
}

/// The newest other transactions of the payee and type whose category is not `category`: at most `limit`.
fn others(
    repo: &mut dyn Repo,
    context: &Context,
    of: &Transaction,
    category: Option<CategoryId>,
    limit: usize,
) -> Result<Vec<TransactionId>> {
    let payees = &context.lexicon.payees;
    let key = payees.key(statement_text(of));
    if key.is_empty() {
        return Ok(Vec::new());
    }
    let mut filter = TransactionFilter { kind: Some(of.kind), ..TransactionFilter::default() };
    let mut texts = Vec::new();
    repo.transaction_texts(&filter, &mut |text| {
        if payees.key(text) == key {
            texts.push(text.to_string());
        }
    })?;
    filter.texts = Some(texts);
    let is_meant = |row: &Transaction| {
        let is_plain = !row.is_transfer && !row.details.is_split() && row.source != Source::OpeningBalance;
        row.id != of.id && is_plain && row.category_id != category
    };
    let (mut found, mut after) = (Vec::new(), None);
    loop {
        let page = repo.transaction_list(&filter, after, BULK_MAX as u32)?;
        found.extend(page.iter().filter(|row| is_meant(row)).map(|row| row.id));
        let last = page.last().filter(|_| page.len() == BULK_MAX && found.len() < limit);
        let Some(last) = last else { break };
        after = Some(TransactionPlace { date: last.date, id: last.id });
    }
    found.truncate(limit);
    Ok(found)
}
