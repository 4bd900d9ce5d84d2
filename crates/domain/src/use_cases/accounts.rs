//! Use cases of accounts.

use std::collections::{BTreeMap, HashMap};

use time::Date;

use crate::accounts::{self, ACCOUNTS_MAX, Account, AccountInput, AccountKind, MonthBalance};
use crate::anchors::Agreement;
use crate::context::Context;
use crate::credit_bills::CreditBill;
use crate::error::{Error, Refusal, Result};
use crate::gamification::Event;
use crate::ids::AccountId;
use crate::money::Money;
use crate::openings::Opening;
use crate::step::Step;
use crate::store::Repo;
use crate::transactions::NewTransaction;
use crate::use_cases::installments::{self, Outlook};
use crate::use_cases::ledger::{self, Written};
use crate::use_cases::references::require_account;
use crate::use_cases::{self, anchors, bill_refresh, credit_bills, openings};
use crate::yields::{DayCount, MonthYield, Rates, Taxes, YieldTax, month_yields, taxes};

/// An account, with the current bill of a card, and the balance of an investment after taxes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountState {
    /// The account.
    pub account: Account,
    /// The bill whose period contains today. None on an account that is not a card.
    pub current_bill: Option<CreditBill>,
    /// The unused part of a card's limit. None if the limit is not known.
    pub available_limit: Option<Money>,
    /// How days without a published CDI rate count: as the account says, or as the setting says if the account does not.
    pub day_count: DayCount,
    /// How far its rows agree with what it held on some days.
    pub agreement: Agreement,
    /// The taxes on its yield that would be due if it were emptied today. None if its yield is not taxed.
    pub taxes: Option<Taxes>,
}

impl AccountState {
    /// The balance after these taxes. None if its yield is not taxed.
    pub fn net_balance(&self) -> Option<Money> {
        self.taxes.map(|taxes| self.account.balance - taxes.total())
    }
}

/// All accounts of the caller, by name. Yield that is due is paid first, as far as published rates reach.
pub fn list(repo: &mut dyn Repo, context: &Context) -> Result<Step<Vec<AccountState>>> {
    let Context { today, day_count, .. } = *context;
    let accounts = repo.account_list(today)?;
    let due = use_cases::yields::due(repo, &accounts, today)?;
    let accounts = current_states(repo, context, accounts)?;
    let windows = due.windows(today);
    let context = context.clone();
    let next = move |rates: Rates| {
        if !due.is_payable(&rates, day_count, today) {
            return Step::Done(accounts);
        }
        Step::write(move |repo| {
            let accounts = repo.account_list(today)?;
            use_cases::yields::post(repo, &accounts, &rates, day_count, today)?;
            openings::follow(repo)?;
            states(repo, &context)
        })
    };
    Ok(match windows.is_empty() {
        true => next(Rates::default()),
        false => Step::Rates { windows, next: Box::new(next) },
    })
}

/// All accounts as stored, by name. Pays no yield.
pub fn states(repo: &mut dyn Repo, context: &Context) -> Result<Vec<AccountState>> {
    let accounts = repo.account_list(context.today)?;
    current_states(repo, context, accounts)
}

/// The states of accounts that were read already, with their current bills.
fn current_states(repo: &mut dyn Repo, context: &Context, accounts: Vec<Account>) -> Result<Vec<AccountState>> {
    let outlook = outlook(repo, &accounts, context)?;
    let bills = current_bills(repo, &accounts, context.today)?;
    states_of(repo, context, accounts, &outlook, &bills)
}

/// The bills whose period contains today, if there is a card.
fn current_bills(repo: &mut dyn Repo, accounts: &[Account], today: Date) -> Result<Vec<CreditBill>> {
    match accounts.iter().any(|account| account.kind == AccountKind::Credit) {
        true => repo.bill_list_holding(today),
        false => Ok(Vec::new()),
    }
}

/// Like [`states`], with bills that were read already. They include those whose period contains today.
pub(crate) fn states_with(repo: &mut dyn Repo, context: &Context, bills: &[CreditBill]) -> Result<Vec<AccountState>> {
    let accounts = repo.account_list(context.today)?;
    let outlook = outlook(repo, &accounts, context)?;
    states_of(repo, context, accounts, &outlook, bills)
}

/// Like [`states_with`], with accounts and an outlook that were read already.
pub(crate) fn states_of(
    repo: &mut dyn Repo,
    context: &Context,
    accounts: Vec<Account>,
    outlook: &Outlook,
    bills: &[CreditBill],
) -> Result<Vec<AccountState>> {
    let current = bills.iter().filter(|bill| bill.is_open(context.today));
    let mut bills: HashMap<AccountId, CreditBill> = current.map(|bill| (bill.account_id, bill.clone())).collect();
    let mut taxes = taxes_of(repo, context, &accounts)?;
    let mut agreements = agreements(repo, &accounts)?;
    let state = |account: Account| AccountState {
        current_bill: bills.remove(&account.id),
        available_limit: account.available_limit(outlook.projected(account.id)),
        day_count: account.yield_day_count.unwrap_or(context.day_count),
        agreement: agreements.remove(&account.id).unwrap_or_default(),
        taxes: taxes.remove(&account.id),
        account,
    };
    Ok(accounts.into_iter().map(state).collect())
}

/// The agreements of the accounts with anchors.
fn agreements(repo: &mut dyn Repo, accounts: &[Account]) -> Result<HashMap<AccountId, Agreement>> {
    match accounts.iter().any(|account| account.has_anchors) {
        true => repo.anchor_agreements(match accounts {
            [only] => Some(only.id),
            _ => None,
        }),
        false => Ok(HashMap::new()),
    }
}

/// The taxes of the accounts whose yield is taxed.
fn taxes_of(repo: &mut dyn Repo, context: &Context, accounts: &[Account]) -> Result<HashMap<AccountId, Taxes>> {
    let taxed = accounts.iter().filter(|account| account.yield_tax == YieldTax::Regressive);
    let ids: Vec<AccountId> = taxed.map(|account| account.id).collect();
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let flows = repo.account_flows(&ids, context.today)?;
    let none = BTreeMap::new();
    let of = |id: &AccountId| taxes(flows.get(id).unwrap_or(&none), &context.taxes, None, context.today);
    Ok(ids.iter().map(|id| (*id, of(id))).collect())
}

/// The outlook on the cards, if one of them has a limit.
fn outlook(repo: &mut dyn Repo, accounts: &[Account], context: &Context) -> Result<Outlook> {
    match accounts.iter().any(|account| account.credit_limit.is_some()) {
        true => {
            let has_held = accounts.iter().any(|account| account.has_held);
            installments::outlook(repo, context, installments::calendars_of(accounts, context.today), has_held)
        }
        false => Ok(Outlook::default()),
    }
}

/// One account.
///
/// # Errors
///
/// [`Error::NotFound`] if the caller has no such account.
pub fn get(repo: &mut dyn Repo, context: &Context, id: AccountId) -> Result<AccountState> {
    let account = find(repo, id, context.today)?;
    ledger::only(current_states(repo, context, vec![account])?)
}

/// An account's balance at the end of each of the last `months` months, the present one last, from its stored transactions.
///
/// # Errors
///
/// [`Error::NotFound`] if the caller has no such account.
pub fn balances(repo: &mut dyn Repo, id: AccountId, months: u32, today: Date) -> Result<Vec<MonthBalance>> {
    let account = find(repo, id, today)?;
    let changes = repo.account_changes(id, accounts::first_balance_month(months, today).first_day(), today)?;
    Ok(accounts::balances(account.of_all_rows(), &changes, months, today))
}

/// What an account earned in each of the last `months` months, the present one last, from its posted yield.
///
/// # Errors
///
/// [`Error::NotFound`] if the caller has no such account.
pub fn yields(repo: &mut dyn Repo, context: &Context, id: AccountId, months: u32) -> Result<Vec<MonthYield>> {
    let account = find(repo, id, context.today)?;
    let flows = repo.account_flows(&[id], context.today)?;
    let none = BTreeMap::new();
    let tables = (account.yield_tax == YieldTax::Regressive).then_some(&*context.taxes);
    Ok(month_yields(flows.get(&id).unwrap_or(&none), tables, months, context.today))
}

fn find(repo: &mut dyn Repo, id: AccountId, today: Date) -> Result<Account> {
    repo.account_get(id, today)?.ok_or(Error::NotFound("account"))
}

/// Creates an account, with one transaction for its opening balance if that is not zero, and with the current bill of a card. If
/// its balance of today is said, the opening balance follows that.
///
/// # Errors
///
/// [`Error::Invalid`], [`Refusal::LimitReached`], or [`Refusal::AccountNameTaken`].
pub fn create(repo: &mut dyn Repo, context: &Context, input: AccountInput) -> Result<AccountState> {
    let today = context.today;
    let is_said = input.opening_balance.is_some();
    let opening_balance = input.opening_balance.unwrap_or_default();
    let opening_date = input.opening_date.unwrap_or(today);
    let balance_today = input.balance_today;
    let new = input.check(None, None, today, context.day_count)?;
    // Writers of one profile wait for each other, so the count holds until the insert.
    if repo.account_count()? >= ACCOUNTS_MAX {
        return Err(Refusal::LimitReached { what: "accounts", max: ACCOUNTS_MAX }.into());
    }
    let id = repo.account_insert(&new)?;
    let mut written = Written::without_cards();
    if is_said {
        repo.opening_say(id)?;
    }
    if opening_balance != Money::ZERO {
        let opening = Opening { date: opening_date, balance: opening_balance };
        ledger::insert_one(repo, &mut written, NewTransaction::opening(id, opening))?;
    }
    if let Some(balance) = balance_today {
        say_today(repo, id, today, balance)?;
    }
    if new.kind == AccountKind::Credit {
        bill_refresh::refresh(repo, today)?;
    }
    ledger::finish(repo, context, written, &[Event::AccountCreated { name: &new.name }])?;
    get(repo, context, id)
}

/// Replaces the fields of an account. New closing and due days apply from the current bill on. If its balance of today is said, that
/// is an anchor.
///
/// # Errors
///
/// [`Error::NotFound`], [`Error::Invalid`], or [`Refusal::AccountNameTaken`].
pub fn update(repo: &mut dyn Repo, context: &Context, id: AccountId, input: AccountInput) -> Result<AccountState> {
    let today = context.today;
    let before = find(repo, id, today)?;
    let paid_until = paid_until(repo, &before)?;
    let balance_today = input.balance_today;
    let new = input.check(Some(&before), paid_until, today, context.day_count)?;
    credit_bills::keep_days(repo, &before, &new, today)?;
    if !repo.account_update(id, &new)? {
        return Err(Error::NotFound("account"));
    }
    if let Some(balance) = balance_today {
        say_today(repo, id, today, balance)?;
    }
    if before.kind == AccountKind::Credit {
        bill_refresh::refresh(repo, today)?;
    }
    get(repo, context, id)
}

/// Stores what an account holds today. Its opening balance follows, which may be out of range.
fn say_today(repo: &mut dyn Repo, id: AccountId, today: Date, balance: Money) -> Result<()> {
    anchors::say(repo, id, today, balance)?;
    openings::follow(repo).map_err(|error| match error {
        Error::Invalid(errors) => Error::Invalid(errors.renamed("amount", "balance_today")),
        other => other,
    })
}

/// The last day for which an account whose yield is switched off was paid. No day until then is paid again, also if the yield was given
/// another date. None if no yield was paid: days without a balance may be paid after all, once their transactions are stored.
fn paid_until(repo: &mut dyn Repo, account: &Account) -> Result<Option<Date>> {
    let Some(done_until) = account.last_yield_date.filter(|_| !account.yield_type.is_accrued()) else {
        return Ok(None);
    };
    Ok(repo.yield_paid_until(account.id)?.map(|paid_until| paid_until.min(done_until)))
}

/// Deletes an account. Only its opening balance and unpaid bills without rows may refer to it.
///
/// # Errors
///
/// [`Error::NotFound`] or [`Refusal::AccountInUse`].
pub fn delete(repo: &mut dyn Repo, id: AccountId) -> Result<()> {
    require_account(repo, id)?;
    repo.account_delete(id)
}
