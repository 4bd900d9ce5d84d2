//! Accounts. `sums.rs` keeps their balances, so no read adds up transactions.

use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Date as SqlDate, Numeric, Text};
use diesel::{OptionalExtension, QueryableByName, sql_query};
use finance_domain::accounts::{Account, AccountKind, AccountRepo, NewAccount, YieldType};
use finance_domain::month::day_after;
use finance_domain::pending_bills::PendingBillStatus;
use finance_domain::text::name_key;
use finance_domain::transactions::Kind;
use finance_domain::yields::{DayCount, YieldTax};
use finance_domain::{AccountId, Money, ProfileId, Refusal, Result, Word};
use time::Date;

use crate::constraints::{error, in_use};
use crate::numeric::Hundredths;
use crate::repo::{PgRepo, counted};
use crate::schema::{account_balances, accounts};
use crate::statement::Cache;
use crate::transactions::{Deletion, FORGET_STATEMENT_ACCOUNT};
use crate::words::StoredWord;

#[derive(Queryable, Selectable)]
#[diesel(table_name = accounts)]
struct AccountRow {
    profile_id: i64,
    id: i64,
    name: String,
    kind: StoredWord<AccountKind>,
    yield_type: StoredWord<YieldType>,
    cdi_percentage: Hundredths,
    last_yield_date: Option<Date>,
    closing_day: Option<i16>,
    due_day: Option<i16>,
    credit_limit: Option<Hundredths>,
    yield_rate: Option<Hundredths>,
    yield_day_count: Option<StoredWord<DayCount>>,
    yield_tax: StoredWord<YieldTax>,
}

impl AccountRow {
    /// The account, with its balance. None is 0.
    fn with_balance(self, balance: Option<Hundredths>) -> Account {
        let row = self;
        let day = |day: Option<i16>| day.and_then(|day| u8::try_from(day).ok());
        Account {
            id: AccountId(row.id),
            profile_id: ProfileId(row.profile_id),
            name: row.name,
            kind: row.kind.0,
            yield_type: row.yield_type.0,
            cdi_percentage: row.cdi_percentage.into(),
            yield_rate: row.yield_rate.map(Into::into),
            yield_day_count: row.yield_day_count.map(|stored| stored.0),
            yield_tax: row.yield_tax.0,
            last_yield_date: row.last_yield_date,
            closing_day: day(row.closing_day),
            due_day: day(row.due_day),
            balance: balance.map_or(Money::ZERO, Into::into),
            credit_limit: row.credit_limit.map(Into::into),
        }
    }
}

/// The join condition of `account_balances` and `accounts`.
#[diesel::dsl::auto_type(no_type_alias)]
fn is_balance_of_account() -> _ {
    account_balances::profile_id.eq(accounts::profile_id).and(account_balances::account_id.eq(accounts::id))
}

#[derive(QueryableByName)]
struct ChangeRow {
    #[diesel(sql_type = SqlDate)]
    date: Date,
    #[diesel(sql_type = Numeric)]
    change: Hundredths,
}

impl AccountRepo for PgRepo<'_> {
    fn account_list(&mut self) -> Result<Vec<Account>> {
        let rows: Vec<(AccountRow, Option<Hundredths>)> = accounts::table
            .left_join(account_balances::table.on(is_balance_of_account()))
            .filter(accounts::profile_id.eq(self.profile_id.0))
            .order((accounts::name_key, accounts::id))
            .select((AccountRow::as_select(), account_balances::balance.nullable()))
            .load(self.connection)
            .map_err(error)?;
        Ok(rows.into_iter().map(|(row, balance)| row.with_balance(balance)).collect())
    }

    fn account_count(&mut self) -> Result<usize> {
        let own = accounts::table.filter(accounts::profile_id.eq(self.profile_id.0));
        own.count().get_result(self.connection).map_err(error).and_then(counted)
    }

    fn account_get(&mut self, id: AccountId) -> Result<Option<Account>> {
        let found: Option<(AccountRow, Option<Hundredths>)> = accounts::table
            .left_join(account_balances::table.on(is_balance_of_account()))
            .filter(accounts::profile_id.eq(self.profile_id.0))
            .filter(accounts::id.eq(id.0))
            .select((AccountRow::as_select(), account_balances::balance.nullable()))
            .get_result(self.connection)
            .optional()
            .map_err(error)?;
        Ok(found.map(|(row, balance)| row.with_balance(balance)))
    }

    fn account_changes(&mut self, id: AccountId, first: Date, last: Date) -> Result<Vec<(Date, Money)>> {
        let rows: Vec<ChangeRow> = sql_query(
            "select least(date, $4) as date, sum(case when kind = $5 then amount else -amount end) as change
            from transactions
            where profile_id = $1 and account_id = $2 and date >= $3
            group by 1
            order by 1",
        )
        .bind::<BigInt, _>(self.profile_id.0)
        .bind::<BigInt, _>(id.0)
        .bind::<SqlDate, _>(first)
        .bind::<SqlDate, _>(day_after(last))
        .bind::<Text, _>(Kind::Income.as_str())
        .cached()
        .load(self.connection)
        .map_err(error)?;
        Ok(rows.into_iter().map(|row| (row.date, row.change.into())).collect())
    }

    fn account_insert(&mut self, new: &NewAccount) -> Result<Account> {
        diesel::insert_into(accounts::table)
            .values((
                accounts::profile_id.eq(self.profile_id.0),
                accounts::name.eq(&new.name),
                accounts::name_key.eq(name_key(&new.name)),
                accounts::kind.eq(new.kind.as_str()),
                accounts::yield_type.eq(new.yield_type.as_str()),
                accounts::cdi_percentage.eq(Hundredths::from(new.cdi_percentage)),
                accounts::yield_rate.eq(new.yield_rate.map(Hundredths::from)),
                accounts::yield_day_count.eq(new.yield_day_count.map(Word::as_str)),
                accounts::yield_tax.eq(new.yield_tax.as_str()),
                accounts::last_yield_date.eq(new.last_yield_date),
                accounts::closing_day.eq(new.closing_day.map(i16::from)),
                accounts::due_day.eq(new.due_day.map(i16::from)),
                accounts::credit_limit.eq(new.credit_limit.map(Hundredths::from)),
            ))
            .returning(AccountRow::as_returning())
            .get_result(self.connection)
            .map(|row| row.with_balance(None))
            .map_err(error)
    }

    fn account_update(&mut self, id: AccountId, new: &NewAccount) -> Result<Option<Account>> {
        let updated = diesel::update(accounts::table.find((self.profile_id.0, id.0)))
            .set((
                accounts::name.eq(&new.name),
                accounts::name_key.eq(name_key(&new.name)),
                accounts::yield_type.eq(new.yield_type.as_str()),
                accounts::cdi_percentage.eq(Hundredths::from(new.cdi_percentage)),
                accounts::yield_rate.eq(new.yield_rate.map(Hundredths::from)),
                accounts::yield_day_count.eq(new.yield_day_count.map(Word::as_str)),
                accounts::yield_tax.eq(new.yield_tax.as_str()),
                accounts::last_yield_date.eq(new.last_yield_date),
                accounts::closing_day.eq(new.closing_day.map(i16::from)),
                accounts::due_day.eq(new.due_day.map(i16::from)),
                accounts::credit_limit.eq(new.credit_limit.map(Hundredths::from)),
            ))
            .execute(self.connection)
            .map_err(error)?;
        if updated == 0 { Ok(None) } else { self.account_get(id) }
    }

    fn account_delete(&mut self, id: AccountId) -> Result<()> {
        #[derive(QueryableByName)]
        struct Use {
            #[diesel(sql_type = Bool)]
            is_held: bool,
        }
        // Deleting a card cascades to its bills and their payments, so no foreign key refuses a card with paid bills.
        let used: Use = sql_query(
            "select exists (select 1 from pending_bills where profile_id = $1 and account_id = $2 and status = $3)
                or exists (select 1 from credit_bills b
                    join credit_bill_payments p on p.profile_id = b.profile_id and p.bill_id = b.id
                    where b.profile_id = $1 and b.account_id = $2) as is_held",
        )
        .bind::<BigInt, _>(self.profile_id.0)
        .bind::<BigInt, _>(id.0)
        .bind::<Text, _>(PendingBillStatus::Pending.as_str())
        .cached()
        .get_result(self.connection)
        .map_err(error)?;
        if used.is_held {
            return Err(Refusal::AccountInUse.into());
        }
        self.delete_transactions(Deletion::OpeningBalance(id))?;
        // Rows that only refer to the account lose the reference. Rows that belong to it, such as its bills, are deleted by
        // foreign keys.
        sql_query(format!(
            "with imports_of as (
                update imports set account_id = null where profile_id = $1 and account_id = $2
            ), recurring_of as (
                update recurring set account_id = null where profile_id = $1 and account_id = $2
            ), pending_bills_of as (
                update pending_bills set account_id = null where profile_id = $1 and account_id = $2
            ), statements_of as (
                {FORGET_STATEMENT_ACCOUNT}
            )
            delete from accounts where profile_id = $1 and id = $2"
        ))
        .bind::<BigInt, _>(self.profile_id.0)
        .bind::<BigInt, _>(id.0)
        .cached()
        .execute(self.connection)
        .map_err(in_use(Refusal::AccountInUse))?;
        Ok(())
    }
}
