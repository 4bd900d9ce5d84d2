//! Yield: reading what is due, and storing what is paid.

use std::collections::BTreeMap;

use diesel::prelude::*;
use diesel::sql_types::{BigInt, Date as SqlDate, Nullable, Numeric, Text};
use diesel::{QueryableByName, sql_query};
use finance_domain::accounts::{AccountKind, YieldType};
use finance_domain::month::day_before;
use finance_domain::transactions::{Kind, NewTransaction};
use finance_domain::yields::{Accrual, YieldDue, YieldRepo};
use finance_domain::{AccountId, Money, Result, Word};
use time::Date;

use crate::constraints::error;
use crate::numeric::Hundredths;
use crate::repo::PgRepo;
use crate::schema::accounts;
use crate::statement::Cache;

/// A day on which an account's balance changed, or the account without a day where it did not change.
#[derive(QueryableByName)]
struct ChangeRow {
    #[diesel(sql_type = BigInt)]
    account_id: i64,
    #[diesel(sql_type = SqlDate)]
    last_yield_date: Date,
    #[diesel(sql_type = Numeric)]
    cdi_percentage: Hundredths,
    #[diesel(sql_type = Numeric)]
    balance: Hundredths,
    #[diesel(sql_type = Nullable<SqlDate>)]
    date: Option<Date>,
    #[diesel(sql_type = Numeric)]
    change: Hundredths,
}

impl YieldRepo for PgRepo<'_> {
    fn yield_due(&mut self, today: Date) -> Result<Vec<YieldDue>> {
        // The balance at the end of the last day done is today's, less the changes after that day.
        let rows: Vec<ChangeRow> = sql_query(
            "select accounts.id as account_id, accounts.last_yield_date, accounts.cdi_percentage, accounts.balance,
                changes.date, coalesce(changes.total, 0) as change
            from accounts
            left join lateral (
                select date, sum(case kind when $3 then amount else -amount end) as total
                from transactions
                where profile_id = $1 and account_id = accounts.id and date > accounts.last_yield_date
                group by date
            ) as changes on true
            where accounts.profile_id = $1 and accounts.kind = $4 and accounts.yield_type = $5
                and accounts.last_yield_date < $2
            order by accounts.id, changes.date",
        )
        .bind::<BigInt, _>(self.profile_id.0)
        .bind::<SqlDate, _>(day_before(today))
        .bind::<Text, _>(Kind::Income.as_str())
        .bind::<Text, _>(AccountKind::Investment.as_str())
        .bind::<Text, _>(YieldType::Cdi.as_str())
        .cached()
        .load(self.connection)
        .map_err(error)?;
        let mut due: Vec<YieldDue> = Vec::new();
        for row in rows {
            let account_id = AccountId(row.account_id);
            if due.last().is_none_or(|last| last.account_id != account_id) {
                due.push(YieldDue {
                    account_id,
                    last_yield_date: row.last_yield_date,
                    cdi_percentage: row.cdi_percentage.into(),
                    balance_at_last: row.balance.into(),
                    changes: BTreeMap::new(),
                });
            }
            if let (Some(account), Some(date)) = (due.last_mut(), row.date) {
                let change = Money::from(row.change);
                account.balance_at_last -= change;
                account.changes.insert(date, change);
            }
        }
        Ok(due)
    }

    fn yield_post(&mut self, account_id: AccountId, last_yield_date: Date, accrual: &Accrual) -> Result<()> {
        let moved = diesel::update(accounts::table.find((self.profile_id.0, account_id.0)))
            .filter(accounts::last_yield_date.eq(last_yield_date))
            .set(accounts::last_yield_date.eq(accrual.done_until))
            .execute(self.connection)
            .map_err(error)?;
        if moved == 0 || accrual.postings.is_empty() {
            return Ok(());
        }
        let new: Vec<NewTransaction> = accrual.postings.iter().map(|posting| posting.transaction(account_id)).collect();
        let first_days = accrual.postings.iter().map(|posting| Some(posting.first_day)).collect();
        self.insert_transactions(&new, first_days)?;
        Ok(())
    }
}
