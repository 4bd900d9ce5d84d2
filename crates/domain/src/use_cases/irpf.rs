//! Use cases of the yearly return of the income tax.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use crate::accounts::Account;
use crate::context::Context;
use crate::error::Result;
use crate::ids::AccountId;
use crate::irpf::{
    IrpfReport, PAYEES_MAX, Payee, TaxKindTexts, TaxKindTotal, YearChanges, YearEndBalance, YearYield, days_of,
};
use crate::store::Repo;
use crate::suggestions::Payees;
use crate::yields::{Taxes, YieldTax, taxes};

/// The report of a year; of the previous year if none is named. Posts no yield.
///
/// # Errors
///
/// [`Error::Invalid`](crate::Error::Invalid) at `year` if it is not a valid year or is in the future.
pub fn report(repo: &mut dyn Repo, context: &Context, year: Option<i32>) -> Result<IrpfReport> {
    let this_year = context.today.year();
    let year = year.unwrap_or(this_year - 1);
    let (first, last) = days_of(year, this_year)?;
    let accounts = repo.account_list(context.today)?;
    let changes: HashMap<AccountId, YearChanges> = repo.year_changes(first, last)?.into_iter().collect();
    let changes_of = |account: &Account| changes.get(&account.id).copied().unwrap_or_default();
    let yielding: Vec<(&Account, YearChanges)> = accounts
        .iter()
        .map(|account| (account, changes_of(account)))
        .filter(|(_, changes)| changes.earned != Default::default())
        .collect();
    let taxed = yielding.iter().filter(|(account, _)| account.yield_tax == YieldTax::Regressive);
    let taxed: Vec<AccountId> = taxed.map(|(account, _)| account.id).collect();
    let until = last.min(context.today);
    let flows = if taxed.is_empty() { HashMap::new() } else { repo.account_flows(&taxed, until)? };
    let none = BTreeMap::new();
    let taxes_of = |id: AccountId| match taxed.contains(&id) {
        true => taxes(flows.get(&id).unwrap_or(&none), &context.taxes, Some(first), until),
        false => Taxes::default(),
    };
    let yields = yielding
        .iter()
        .map(|(account, changes)| {
            let Taxes { iof, income_tax } = taxes_of(account.id);
            YearYield { account_id: account.id, name: account.name.clone(), gross: changes.earned, iof, income_tax }
        })
        .collect();
    let balances = accounts
        .iter()
        .map(|account| {
            let changes = changes_of(account);
            YearEndBalance {
                account_id: account.id,
                name: account.name.clone(),
                kind: account.kind,
                balance_previous: account.of_all_rows() - changes.after_previous,
                balance: account.of_all_rows() - changes.after,
            }
        })
        .collect();
    let kinds = repo.tax_kind_texts(first, last)?;
    let categories = kinds.into_iter().map(|of| by_payee(&context.lexicon.payees, of)).collect();
    Ok(IrpfReport { year, categories, accounts: balances, yields })
}

/// Adds up the texts that name one payee. Two texts without a key are different payees.
fn by_payee(known: &Payees, TaxKindTexts { tax_kind, total, texts }: TaxKindTexts) -> TaxKindTotal {
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut payees: Vec<Payee> = Vec::new();
    for of in texts {
        let key = Some(known.key(&of.text)).filter(|key| !key.is_empty());
        match key.as_ref().and_then(|key| places.get(key)) {
            Some(place) => payees[*place].total += of.total,
            None => {
                places.extend(key.clone().map(|key| (key, payees.len())));
                payees.push(Payee { key, description: of.description, total: of.total });
            }
        }
    }
    payees.sort_by_key(|payee| Reverse(payee.total));
    payees.truncate(PAYEES_MAX);
    TaxKindTotal { tax_kind, total, payees }
}
