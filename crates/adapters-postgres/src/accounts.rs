//! Accounts. `sums.rs` keeps the sums of their rows, so a read adds up only the rows of later days.

use std::collections::HashMap;

use const_format::{concatcp, formatcp};
use diesel::QueryableByName;
use diesel::prelude::*;
use diesel::sql_types::{Bool, Date as SqlDate, Numeric};
use finance_domain::accounts::{Account, AccountKind, AccountRepo, NewAccount, YieldType};
use finance_domain::credit_bills::ChangedBill;
use finance_domain::month::day_after;
use finance_domain::pending_bills::PendingBillStatus;
use finance_domain::text::name_key;
use finance_domain::transactions::Kind;
use finance_domain::yields::{DayCount, YieldTax};
use finance_domain::{AccountId, Money, ProfileId, Refusal, Result, Word};
use time::Date;

use crate::cards::{DAYS, DAYS_COLUMNS, DaysRow, cycles};
use crate::constraints::{error, in_use};
use crate::numeric::Hundredths;
use crate::repo::{PgRepo, counted};
use crate::row::row;
use crate::schema::accounts;
use crate::sql::{Arguments, Cache, Fetch};
use crate::transactions::{Deletion, FORGET_STATEMENT_ACCOUNT};
use crate::words::StoredWord;

#[derive(QueryableByName)]
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
    opening_is_derived: bool,
    /// Null in rows of earlier releases.
    is_spendable: Option<bool>,
    changed_bill_due_date: Option<Date>,
    changed_bill_before: Option<Hundredths>,
    changed_bill_after: Option<Hundredths>,
}

/// An account with its sums of a day. A card has one row for each of its former days and dates.
#[derive(QueryableByName)]
struct StateRow {
    #[diesel(embed)]
    account: AccountRow,
    #[diesel(embed)]
    days: DaysRow,
    #[diesel(sql_type = Numeric)]
    balance: Hundredths,
    #[diesel(sql_type = Numeric)]
    ahead: Hundredths,
    #[diesel(sql_type = Numeric)]
    bought_ahead: Hundredths,
    #[diesel(sql_type = Bool)]
    has_later_rows: bool,
    #[diesel(sql_type = Numeric)]
    held: Hundredths,
    #[diesel(sql_type = Bool)]
    has_held: bool,
    #[diesel(sql_type = Bool)]
    has_anchors: bool,
}

impl StateRow {
    /// The account. `rows` are all of its rows.
    fn account(&self, rows: &[StateRow]) -> Result<Account> {
        let row = &self.account;
        let present = row.closing_day.map(i32::from).zip(row.due_day.map(i32::from));
        Ok(Account {
            id: AccountId(row.id),
            profile_id: ProfileId(row.profile_id),
            name: row.name.clone(),
            kind: row.kind.0,
            is_spendable: row.is_spendable.unwrap_or(row.kind.0.is_spendable_at_first()),
            yield_type: row.yield_type.0,
            cdi_percentage: row.cdi_percentage.into(),
            yield_rate: row.yield_rate.map(Into::into),
            yield_day_count: row.yield_day_count.map(|stored| stored.0),
            yield_tax: row.yield_tax.0,
            last_yield_date: row.last_yield_date,
            cycles: present.map(|present| cycles(present, rows.iter().map(|row| &row.days))).transpose()?,
            balance: self.balance.into(),
            ahead: self.ahead.into(),
            bought_ahead: self.bought_ahead.into(),
            has_later_rows: self.has_later_rows,
            held: self.held.into(),
            has_held: self.has_held,
            opening_is_derived: row.opening_is_derived,
            has_anchors: self.has_anchors,
            credit_limit: row.credit_limit.map(Into::into),
            changed_bill: row.changed_bill_due_date.zip(row.changed_bill_before).zip(row.changed_bill_after).map(
                |((due_date, before), after)| ChangedBill { due_date, before: before.into(), after: after.into() },
            ),
        })
    }
}

/// The accounts of rows, of which those of an account follow each other.
fn accounts_of(rows: &[StateRow]) -> Result<Vec<Account>> {
    let accounts = rows.chunk_by(|row, next| row.account.id == next.account.id);
    accounts.filter_map(|rows| rows.first().map(|first| first.account(rows))).collect()
}

/// A query of the accounts `a` of the profile $1 with their sums of the day $2, up to its condition. `sums.rs` keeps the sum of
/// all rows; those of later days are looked up in the index, whatever the day (see `sql`). It names its columns, because
/// PostgreSQL refuses a prepared statement whose columns have changed, as those of `a.*` do when a later release adds one.
const STATES: &str = formatcp!(
    "select a.profile_id, a.id, a.name, a.kind, a.yield_type, a.cdi_percentage, a.last_yield_date, a.closing_day, a.due_day,
        a.credit_limit, a.yield_rate, a.yield_day_count, a.yield_tax, a.opening_is_derived, a.is_spendable,
        a.changed_bill_due_date, a.changed_bill_before, a.changed_bill_after,
        coalesce(b.balance, 0) - later.total as balance, later.total as ahead, later.bought - later.owed as bought_ahead,
        later.days > 0 as has_later_rows,
        coalesce(held.total, 0) + later.owed as held, held.account_id is not null as has_held,
        exists (select 1 from anchors n where n.profile_id = $1 and n.account_id = a.id) as has_anchors, {DAYS_COLUMNS}
    from accounts a
    left join {DAYS} own on own.account_id = a.id
    left join account_balances b on b.profile_id = $1 and b.account_id = a.id
    left join (
        select account_id, -sum(greatest(total, 0)) as total
        from (
            select account_id, sum(total) as total
            from pending_bills
            where profile_id = $1 and status = '{pending}'
            group by account_id, payment_date
        ) of_day
        group by account_id
    ) held on held.account_id = a.id
    cross join lateral (
        -- Rows that a statement dates at its payment are owed since their purchase, as before it was confirmed.
        select coalesce(sum(total), 0) as total, coalesce(sum(bought), 0) as bought, coalesce(sum(least(moved, 0)), 0) as owed,
            count(*) as days
        from (
            select sum(signed) as total, sum(signed) filter (where not is_transfer or signed < 0) as bought,
                sum(signed) filter (where a.kind = '{credit}' and original_date <= (select $2::date)) as moved
            from (
                select t.date, t.original_date, t.is_transfer, case t.kind when '{income}' then t.amount else -t.amount end as signed
                from transactions t
                where t.profile_id = $1 and t.account_id = a.id and t.date > (select $2::date)
                offset 0
            ) t
            group by date
        ) of_day
    ) later
    where a.profile_id = $1",
    pending = PendingBillStatus::Pending.as_str(),
    income = Kind::Income.as_str(),
    credit = AccountKind::Credit.as_str(),
);

row! { struct ChangeRow {
    date: Date [SqlDate],
    change: Hundredths [Numeric],
} }

impl AccountRepo for PgRepo<'_> {
    fn account_list(&mut self, today: Date) -> Result<Vec<Account>> {
        let query = self.sql(concatcp!(STATES, " order by a.name_key, a.id"));
        let rows: Vec<StateRow> = query.arg(today).rows(self.connection)?;
        accounts_of(&rows)
    }

    fn account_kinds(&mut self) -> Result<HashMap<AccountId, AccountKind>> {
        let rows: Vec<(i64, StoredWord<AccountKind>)> = accounts::table
            .filter(accounts::profile_id.eq(self.profile_id.0))
            .select((accounts::id, accounts::kind))
            .fetch(self.connection)?;
        Ok(rows.into_iter().map(|(id, kind)| (AccountId(id), kind.0)).collect())
    }

    fn account_count(&mut self) -> Result<usize> {
        let own = accounts::table.filter(accounts::profile_id.eq(self.profile_id.0));
        own.count().fetch_one(self.connection).and_then(counted)
    }

    fn account_get(&mut self, id: AccountId, today: Date) -> Result<Option<Account>> {
        let query = self.sql(concatcp!(STATES, " and a.id = $3"));
        let rows: Vec<StateRow> = query.arg(today).arg(id.0).rows(self.connection)?;
        Ok(accounts_of(&rows)?.pop())
    }

    fn account_changes(&mut self, id: AccountId, first: Date, last: Date) -> Result<Vec<(Date, Money)>> {
        self.sql(
            "select least(date, $4) as date, sum(case when kind = $5 then amount else -amount end) as change
            from transactions
            where profile_id = $1 and account_id = $2 and date >= $3
            group by 1
            order by 1",
        )
        .arg(id.0)
        .arg(first)
        .arg(day_after(last))
        .arg(Kind::Income.as_str())
        .rows_as(self.connection, |row: ChangeRow| (row.date, row.change.into()))
    }

    fn account_insert(&mut self, new: &NewAccount) -> Result<AccountId> {
        diesel::insert_into(accounts::table)
            .values((
                accounts::profile_id.eq(self.profile_id.0),
                accounts::name.eq(&new.name),
                accounts::name_key.eq(name_key(&new.name)),
                accounts::kind.eq(new.kind.as_str()),
                accounts::is_spendable.eq(new.is_spendable),
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
            .returning(accounts::id)
            .get_result(self.connection)
            .map(AccountId)
            .map_err(error)
            .and_then(|id| self.note_created("accounts", [id.0]).map(|()| id))
    }

    fn account_update(&mut self, id: AccountId, new: &NewAccount) -> Result<bool> {
        self.touch("accounts", "id = any($2)", &[id.0])?;
        let updated = diesel::update(accounts::table.find((self.profile_id.0, id.0)))
            .set((
                accounts::name.eq(&new.name),
                accounts::name_key.eq(name_key(&new.name)),
                accounts::is_spendable.eq(new.is_spendable),
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
            .exec_count(self.connection)?;
        Ok(updated > 0)
    }

    fn account_delete(&mut self, id: AccountId) -> Result<()> {
        row! { struct Use { is_held: bool [Bool] } }
        // Deleting a card cascades to its bills and their payments, so no foreign key refuses a card with paid bills.
        let query = self.sql(
            "select exists (select 1 from pending_bills where profile_id = $1 and account_id = $2 and status = $3)
                or exists (select 1 from credit_bills b
                    join credit_bill_payments p on p.profile_id = b.profile_id and p.bill_id = b.id
                    where b.profile_id = $1 and b.account_id = $2) as is_held",
        );
        let used: Use = query.arg(id.0).arg(PendingBillStatus::Pending.as_str()).row(self.connection)?;
        if used.is_held {
            return Err(Refusal::AccountInUse.into());
        }
        self.delete_transactions(Deletion::OpeningBalance(id))?;
        self.touch_deleted("accounts", "id = any($2)", &[id.0])?;
        // Rows that only refer to the account lose the reference. Rows that belong to it, such as its bills, are deleted by
        // foreign keys.
        let query = self.sql(format!(
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
        ));
        query.arg(id.0).cached().execute(self.connection).map_err(in_use(Refusal::AccountInUse))
    }
}
