//! Use cases of yield.

use time::Date;

use crate::error::Result;
use crate::yields::{DayCount, PublishedRates, YieldRepo, accrue};

/// Pays the yield that is due, as far as these rates reach. Returns how many accounts were paid or settled.
///
/// It reads what is due itself, so that no day is paid that another request has paid since the rates
/// were asked for. An account that these rates do not reach is left to the next call.
///
/// # Errors
///
/// As [`Store::transact`](crate::Store::transact).
pub fn post(repo: &mut dyn YieldRepo, rates: &PublishedRates, day_count: DayCount, today: Date) -> Result<usize> {
    let mut count = 0;
    for due in repo.yield_due(today)? {
        let accrual = accrue(&due, rates, day_count, today);
        if accrual.done_until > due.last_yield_date {
            repo.yield_post(due.account_id, due.last_yield_date, &accrual)?;
            count += 1;
        }
    }
    Ok(count)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use time::macros::date;

    use super::*;
    use crate::ids::AccountId;
    use crate::money::{Money, Percentage};
    use crate::month::day_before;
    use crate::yields::{Accrual, YieldDue, YieldPosting, is_payable};

    /// Keeps accounts in memory as the store would.
    struct Fake {
        accounts: Vec<YieldDue>,
        stored: Vec<(AccountId, YieldPosting)>,
    }

    impl YieldRepo for Fake {
        fn yield_due(&mut self, today: Date) -> Result<Vec<YieldDue>> {
            let yesterday = day_before(today);
            Ok(self.accounts.iter().filter(|due| due.last_yield_date < yesterday).cloned().collect())
        }

        fn yield_post(&mut self, account_id: AccountId, last_yield_date: Date, accrual: &Accrual) -> Result<()> {
            for due in &mut self.accounts {
                if due.account_id == account_id && due.last_yield_date == last_yield_date {
                    due.last_yield_date = accrual.done_until;
                    self.stored.extend(accrual.postings.iter().map(|posting| (account_id, *posting)));
                }
            }
            Ok(())
        }
    }

    fn account(id: i64, last_yield_date: Date) -> YieldDue {
        YieldDue {
            account_id: AccountId(id),
            last_yield_date,
            cdi_percentage: Percentage::whole(100),
            balance_at_last: Money::from_cents(100_000),
            changes: BTreeMap::new(),
        }
    }

    fn flat(first: Date, last: Date) -> PublishedRates {
        let mut rates = PublishedRates::new(first, last);
        let mut day = first;
        while day <= last {
            rates.publish(day, "0.05".parse().unwrap());
            day = crate::month::day_after(day);
        }
        rates
    }

    #[test]
    fn post_pays_once_however_often_it_runs() {
        let today = date!(2025 - 03 - 10);
        let rates = flat(date!(2025 - 01 - 20), date!(2025 - 03 - 09));
        let mut repo = Fake {
            accounts: vec![account(1, date!(2025 - 02 - 20)), account(2, date!(2025 - 03 - 09))],
            stored: vec![],
        };
        let listed = repo.yield_due(today).unwrap();
        assert!(is_payable(&listed, &rates, DayCount::Calendar, today));
        assert_eq!(post(&mut repo, &rates, DayCount::Calendar, today).unwrap(), 1, "the second was not due");
        assert_eq!(repo.stored.len(), 2, "a period for February and one for March");
        assert_eq!(post(&mut repo, &rates, DayCount::Calendar, today).unwrap(), 0);
        assert_eq!(repo.stored.len(), 2);
    }

    #[test]
    fn post_leaves_an_account_that_the_rates_do_not_reach() {
        let today = date!(2025 - 03 - 10);
        let rates = flat(date!(2025 - 02 - 01), date!(2025 - 03 - 09));
        let mut repo = Fake { accounts: vec![account(1, date!(2025 - 03 - 02))], stored: vec![] };
        assert_eq!(post(&mut repo, &rates, DayCount::Calendar, today).unwrap(), 0, "needs those of 31 January");
        assert_eq!(repo.stored, vec![]);
        assert!(!is_payable(&repo.accounts, &rates, DayCount::Calendar, today));
        repo.accounts[0].last_yield_date = date!(2025 - 03 - 03);
        assert_eq!(post(&mut repo, &rates, DayCount::Calendar, today).unwrap(), 1);
    }
}
