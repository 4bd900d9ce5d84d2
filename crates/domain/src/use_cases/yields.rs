//! Use cases of yield.

use time::Date;

use crate::accounts::{Account, YieldType};
use crate::error::Result;
use crate::ids::AccountId;
use crate::month::day_before;
use crate::use_cases::ledger;
use crate::yields::{Accrual, AllDue, DayCount, Rates, SavingsDue, YieldDue, YieldRepo, accrue, accrue_savings};

/// Everything that is due on the accounts.
pub fn due(repo: &mut dyn YieldRepo, accounts: &[Account], today: Date) -> Result<AllDue> {
    Ok(AllDue { daily: daily_due(repo, accounts, today)?, savings: savings_due(repo, accounts, today)? })
}

fn daily_due(repo: &mut dyn YieldRepo, accounts: &[Account], today: Date) -> Result<Vec<YieldDue>> {
    let yesterday = day_before(today);
    let due = accounts.iter().filter_map(|account| Some((account, account.daily_rule()?, account.last_yield_date?)));
    let due: Vec<_> = due.filter(|(_, _, last)| *last < yesterday).collect();
    if due.is_empty() {
        return Ok(Vec::new());
    }
    let after: Vec<(AccountId, Date)> = due.iter().map(|(account, _, last)| (account.id, *last)).collect();
    let mut changes = repo.changes_after(&after)?;
    let due = due.into_iter().map(|(account, rule, last_yield_date)| {
        let changes = changes.remove(&account.id).unwrap_or_default();
        YieldDue {
            account_id: account.id,
            last_yield_date,
            rule,
            day_count: account.yield_day_count,
            balance_at_last: account.of_all_rows() - changes.values().copied().sum(),
            changes,
        }
    });
    Ok(due.collect())
}

fn savings_due(repo: &mut dyn YieldRepo, accounts: &[Account], today: Date) -> Result<Vec<SavingsDue>> {
    let savings = accounts.iter().filter(|account| account.yield_type == YieldType::Savings);
    let due: Vec<(AccountId, Date)> = savings
        .filter_map(|account| Some((account.id, account.last_yield_date?)))
        .filter(|(_, last)| *last < today)
        .collect();
    if due.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<AccountId> = due.iter().map(|(id, _)| *id).collect();
    let mut flows = repo.account_flows(&ids, today)?;
    let due = due.into_iter().map(|(account_id, last_yield_date)| SavingsDue {
        account_id,
        last_yield_date,
        flows: flows.remove(&account_id).unwrap_or_default(),
    });
    Ok(due.collect())
}

/// Pays the yield that is due, as far as these rates reach. Returns how many accounts were paid or settled.
///
/// The accounts are those of the same transaction. What is due is read again, so that no day is paid that another request has
/// paid since the rates were requested. An account that these rates do not reach is left to the next call.
pub fn post(
    repo: &mut dyn YieldRepo,
    accounts: &[Account],
    rates: &Rates,
    day_count: DayCount,
    today: Date,
) -> Result<usize> {
    let AllDue { daily, savings } = due(repo, accounts, today)?;
    let daily = daily.iter().map(|due| (due.account_id, due.last_yield_date, accrue(due, rates, day_count, today)));
    let savings = savings.iter().map(|due| (due.account_id, due.last_yield_date, accrue_savings(due, rates, today)));
    let moves = |(_, last, accrual): &(AccountId, Date, Accrual)| accrual.done_until > *last;
    let accruals: Vec<_> = daily.chain(savings).filter(moves).collect();
    for (account_id, last_yield_date, accrual) in &accruals {
        ledger::post_yield(repo, *account_id, *last_yield_date, accrual)?;
    }
    Ok(accruals.len())
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, HashMap};

    use time::macros::date;

    use super::*;
    use crate::accounts::AccountKind;
    use crate::ids::ProfileId;
    use crate::money::{Money, Percentage};
    use crate::yields::{Flow, PublishedRates, Series, YieldPosting, YieldTax};

    /// Keeps accounts in memory as the store would.
    struct Fake {
        accounts: Vec<Account>,
        /// What came in and went out of every account.
        flows: BTreeMap<Date, Flow>,
        stored: Vec<(AccountId, YieldPosting)>,
    }

    impl YieldRepo for Fake {
        fn changes_after(&mut self, _: &[(AccountId, Date)]) -> Result<HashMap<AccountId, BTreeMap<Date, Money>>> {
            Ok(HashMap::new())
        }

        fn account_flows(&mut self, ids: &[AccountId], _: Date) -> Result<HashMap<AccountId, BTreeMap<Date, Flow>>> {
            Ok(ids.iter().map(|id| (*id, self.flows.clone())).collect())
        }

        fn yield_paid_until(&mut self, account_id: AccountId) -> Result<Option<Date>> {
            let own = self.stored.iter().filter(|(id, _)| *id == account_id);
            Ok(own.map(|(_, posting)| posting.last_day).max())
        }

        fn yield_post(&mut self, account_id: AccountId, last_yield_date: Date, accrual: &Accrual) -> Result<()> {
            for account in &mut self.accounts {
                if account.id == account_id && account.last_yield_date == Some(last_yield_date) {
                    account.last_yield_date = Some(accrual.done_until);
                    self.stored.extend(accrual.postings.iter().map(|posting| (account_id, *posting)));
                }
            }
            Ok(())
        }
    }

    impl Fake {
        fn new(accounts: Vec<Account>) -> Self {
            Fake { accounts, flows: BTreeMap::new(), stored: vec![] }
        }

        fn due(&mut self, today: Date) -> AllDue {
            let accounts = self.accounts.clone();
            due(self, &accounts, today).unwrap()
        }

        fn post(&mut self, rates: &Rates, today: Date) -> usize {
            let accounts = self.accounts.clone();
            post(self, &accounts, rates, DayCount::Calendar, today).unwrap()
        }
    }

    fn account(id: i64, yield_type: YieldType, last_yield_date: Date) -> Account {
        let kind = if yield_type == YieldType::Savings { AccountKind::Savings } else { AccountKind::Investment };
        Account {
            id: AccountId(id),
            profile_id: ProfileId(1),
            name: id.to_string(),
            kind,
            is_spendable: false,
            yield_type,
            cdi_percentage: Percentage::whole(100),
            yield_rate: None,
            yield_day_count: None,
            yield_tax: YieldTax::None,
            last_yield_date: Some(last_yield_date),
            cycles: None,
            balance: Money::from_cents(100_000),
            ahead: Money::ZERO,
            bought_ahead: Money::ZERO,
            has_later_rows: false,
            held: Money::ZERO,
            has_held: false,
            opening_is_derived: false,
            has_anchors: false,
            credit_limit: None,
            changed_bill: None,
        }
    }

    fn cdi(id: i64, last_yield_date: Date) -> Account {
        account(id, YieldType::Cdi, last_yield_date)
    }

    fn flat(first: Date, last: Date) -> Rates {
        let mut rates = PublishedRates::new(first, last);
        let mut day = first;
        while day <= last {
            rates.publish(day, "0.05".parse().unwrap());
            day = crate::month::day_after(day);
        }
        Rates::from_iter([(Series::Cdi, rates.clone()), (Series::Savings, rates)])
    }

    #[test]
    fn post_pays_once_however_often_it_runs() {
        let today = date!(2025 - 03 - 10);
        let rates = flat(date!(2025 - 01 - 20), date!(2025 - 03 - 09));
        let mut repo = Fake::new(vec![cdi(1, date!(2025 - 02 - 20)), cdi(2, date!(2025 - 03 - 09))]);
        assert!(repo.due(today).is_payable(&rates, DayCount::Calendar, today));
        assert_eq!(repo.post(&rates, today), 1, "the second was not due");
        assert_eq!(repo.stored.len(), 2, "a period for February and one for March");
        assert_eq!(repo.post(&rates, today), 0);
        assert_eq!(repo.stored.len(), 2);
    }

    #[test]
    fn post_leaves_an_account_that_the_rates_do_not_reach() {
        let today = date!(2025 - 03 - 10);
        let rates = flat(date!(2025 - 02 - 01), date!(2025 - 03 - 09));
        let mut repo = Fake::new(vec![cdi(1, date!(2025 - 03 - 02))]);
        assert_eq!(repo.post(&rates, today), 0, "needs those of 31 January");
        assert_eq!(repo.stored, vec![]);
        assert!(!repo.due(today).is_payable(&rates, DayCount::Calendar, today));
        repo.accounts[0].last_yield_date = Some(date!(2025 - 03 - 03));
        assert_eq!(repo.post(&rates, today), 1);
    }

    #[test]
    fn post_pays_poupanca_on_its_day_and_once() {
        let today = date!(2025 - 03 - 10);
        let mut repo = Fake::new(vec![account(3, YieldType::Savings, date!(2025 - 02 - 10))]);
        repo.flows.insert(date!(2025 - 02 - 10), Flow { income: Money::from_cents(100_000), ..Flow::default() });
        let none = Rates::default();
        assert!(repo.due(today).is_payable(&none, DayCount::Calendar, today), "up to the day before");
        assert_eq!(repo.post(&none, today), 1);
        assert_eq!((repo.stored.len(), repo.accounts[0].last_yield_date), (0, Some(date!(2025 - 03 - 09))));
        let rates = flat(date!(2025 - 02 - 01), date!(2025 - 03 - 09));
        assert_eq!(repo.post(&rates, today), 1);
        assert_eq!(repo.post(&rates, today), 0);
        assert_eq!(repo.stored.iter().map(|(_, posting)| posting.amount.cents()).collect::<Vec<_>>(), [50]);
    }

    #[test]
    fn accounts_that_do_not_accrue_are_never_due() {
        let today = date!(2025 - 03 - 10);
        let last = date!(2025 - 01 - 01);
        let mut repo = Fake::new(vec![account(1, YieldType::None, last), account(2, YieldType::Variable, last)]);
        assert_eq!(repo.due(today), AllDue::default());
    }
}
