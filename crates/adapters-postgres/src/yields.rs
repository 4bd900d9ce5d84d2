//! Yield: reading what is due, and storing what is paid.

use std::collections::{BTreeMap, HashMap};

use diesel::QueryableByName;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Date as SqlDate, Nullable, Numeric};
use finance_domain::transactions::{Kind, NewTransaction, Source};
use finance_domain::yields::{Accrual, Flow, YieldRepo};
use finance_domain::{AccountId, Money, Result};
use time::Date;

use crate::numeric::Hundredths;
use crate::repo::PgRepo;
use crate::row::row;
use crate::schema::accounts;
use crate::sql::{Arguments, Cache, Fetch};

row! {
    /// A day on which an account's balance changed.
    struct ChangeRow {
        account_id: i64 [BigInt],
        date: Date [SqlDate],
        change: Hundredths [Numeric],
    }
}

row! { struct PaidRow {
    paid_until: Option<Date> [Nullable<SqlDate>],
} }

row! {
    /// The income and expenses of an account on one date.
    struct FlowRow {
        account_id: i64 [BigInt],
        date: Date [SqlDate],
        income: Hundredths [Numeric],
        earned: Hundredths [Numeric],
        expenses: Hundredths [Numeric],
    }
}

impl YieldRepo for PgRepo<'_> {
    fn changes_after(&mut self, accounts: &[(AccountId, Date)]) -> Result<HashMap<AccountId, BTreeMap<Date, Money>>> {
        let query = self.sql(
            "select after.id as account_id, changes.date, changes.total as change
            from unnest($2, $3) as after (id, day)
            cross join lateral (
                select date, sum(case when kind = $4 then amount else -amount end) as total
                from transactions
                where profile_id = $1 and account_id = after.id and date > after.day
                group by date
            ) as changes",
        );
        let rows: Vec<ChangeRow> = query
            .arg(accounts.iter().map(|(id, _)| id.0).collect::<Vec<_>>())
            .arg(accounts.iter().map(|(_, day)| *day).collect::<Vec<_>>())
            .arg(Kind::Income.as_str())
            .rows(self.connection)?;
        let mut changes: HashMap<AccountId, BTreeMap<Date, Money>> = HashMap::new();
        for row in rows {
            changes.entry(AccountId(row.account_id)).or_default().insert(row.date, row.change.into());
        }
        Ok(changes)
    }

    fn account_flows(&mut self, ids: &[AccountId], until: Date) -> Result<HashMap<AccountId, BTreeMap<Date, Flow>>> {
        let query = self.sql(
            "select account_id, date,
                coalesce(sum(amount) filter (where kind = $4 and source <> $5), 0) as income,
                coalesce(sum(case when kind = $4 then amount else -amount end) filter (where source = $5), 0) as earned,
                coalesce(sum(amount) filter (where kind <> $4 and source <> $5), 0) as expenses
            from transactions
            where profile_id = $1 and account_id = any($2) and date <= $3
            group by account_id, date",
        );
        let rows: Vec<FlowRow> = query
            .arg(ids.iter().map(|id| id.0).collect::<Vec<_>>())
            .arg(until)
            .arg(Kind::Income.as_str())
            .arg(Source::Yield.as_str())
            .rows(self.connection)?;
        let mut flows: HashMap<AccountId, BTreeMap<Date, Flow>> = HashMap::new();
        for row in rows {
            let FlowRow { income, earned, expenses, .. } = row;
            let flow = Flow { income: income.into(), earned: earned.into(), expenses: expenses.into() };
            flows.entry(AccountId(row.account_id)).or_default().insert(row.date, flow);
        }
        Ok(flows)
    }

    fn yield_paid_until(&mut self, account_id: AccountId) -> Result<Option<Date>> {
        // A yield of an earlier version that was given an earlier date keeps no more than the first day that it pays for.
        let query = self.sql(
            "select max(greatest(coalesce(statement_date, date), yield_from)) as paid_until from transactions
            where profile_id = $1 and account_id = $2 and source = $3",
        );
        let row: PaidRow = query.arg(account_id.0).arg(Source::Yield.as_str()).row(self.connection)?;
        Ok(row.paid_until)
    }

    fn yield_post(&mut self, account_id: AccountId, last_yield_date: Date, accrual: &Accrual) -> Result<()> {
        if !accrual.postings.is_empty() && !self.has_room(accrual.postings.len())? {
            // Nobody asked for these transactions, so a full profile is no error: its accounts can still be listed.
            return Ok(());
        }
        self.touch("accounts", "id = any($2)", &[account_id.0])?;
        let moved = diesel::update(accounts::table.find((self.profile_id.0, account_id.0)))
            .filter(accounts::last_yield_date.eq(last_yield_date))
            .set(accounts::last_yield_date.eq(accrual.done_until))
            .exec_count(self.connection)?;
        if moved == 0 || accrual.postings.is_empty() {
            return Ok(());
        }
        let new: Vec<NewTransaction> = accrual.postings.iter().map(|posting| posting.transaction(account_id)).collect();
        let first_days = accrual.postings.iter().map(|posting| Some(posting.first_day)).collect();
        self.insert_transactions(&new, first_days)?;
        Ok(())
    }
}
