//! Credit card bills. A bill whose days are new adds up its rows; from then on its total is kept by `sums.rs`, so that no
//! read adds up history.

use std::collections::HashMap;

use diesel::prelude::*;
use diesel::sql_types::{Array, BigInt, Bool, Date as SqlDate, Integer, Nullable, Numeric, Text, Timestamptz};
use diesel::{OptionalExtension, QueryableByName, sql_query};
use finance_domain::credit_bills::{
    BillFilter, BillSlot, BillStatus, Card, CreditBill, CreditBillRepo, Cycle, Cycles, NewBillPayment,
};
use finance_domain::{AccountId, BillId, Error, ProfileId, Result};
use time::{Date, OffsetDateTime};

use crate::constraints::error;
use crate::numeric::Hundredths;
use crate::repo::PgRepo;
use crate::schema::{accounts, card_cycles, credit_bill_payments};
use crate::statement::Keep;
use crate::sums::{COUNTS, ROW_OF_BILL, TOTAL_OF_BILL};
use crate::transactions::Doomed;

#[derive(QueryableByName)]
struct BillRow {
    #[diesel(sql_type = BigInt)]
    profile_id: i64,
    #[diesel(sql_type = BigInt)]
    id: i64,
    #[diesel(sql_type = BigInt)]
    account_id: i64,
    #[diesel(sql_type = SqlDate)]
    period_start: Date,
    #[diesel(sql_type = SqlDate)]
    period_end: Date,
    #[diesel(sql_type = SqlDate)]
    due_date: Date,
    #[diesel(sql_type = Numeric)]
    total: Hundredths,
    #[diesel(sql_type = Numeric)]
    paid_amount: Hundredths,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    paid_at: Option<OffsetDateTime>,
}

impl From<BillRow> for CreditBill {
    fn from(row: BillRow) -> Self {
        CreditBill {
            id: BillId(row.id),
            profile_id: ProfileId(row.profile_id),
            account_id: AccountId(row.account_id),
            period_start: row.period_start,
            period_end: row.period_end,
            due_date: row.due_date,
            total: row.total.into(),
            paid_amount: row.paid_amount.into(),
            paid_at: row.paid_at,
        }
    }
}

#[derive(QueryableByName)]
struct CardRow {
    #[diesel(sql_type = BigInt)]
    account_id: i64,
    #[diesel(sql_type = Integer)]
    closing_day: i32,
    #[diesel(sql_type = Integer)]
    due_day: i32,
    #[diesel(sql_type = Nullable<SqlDate>)]
    complete_until: Option<Date>,
    #[diesel(sql_type = Nullable<SqlDate>)]
    first_row: Option<Date>,
}

fn cycle(closing_day: i32, due_day: i32) -> Result<Cycle> {
    let day = |day: i32| u8::try_from(day).map_err(|error| Error::Internal(Box::new(error)));
    Ok(Cycle { closing_day: day(closing_day)?, due_day: day(due_day)? })
}

/// What is read of a bill `b` and its `payments`.
const BILL: &str = "b.profile_id, b.id, b.account_id, b.period_start, b.period_end, b.due_date,
    b.total, payments.paid_amount, payments.paid_at";
/// What was paid of the bill `b`: one look-up a bill, for questions about few of them.
const PAYMENTS: &str = "cross join lateral (
        select coalesce(sum(p.amount), 0) as paid_amount, max(p.created_at) as paid_at
        from credit_bill_payments p where p.profile_id = $1 and p.bill_id = b.id
    ) as payments";

/// Bills with what was paid of them, on a condition over `b` and `payments`.
fn bills_where(condition: &str) -> String {
    format!("select {BILL} from credit_bills b {PAYMENTS} where b.profile_id = $1 and {condition}")
}

impl CreditBillRepo for PgRepo<'_> {
    fn card_list(&mut self) -> Result<Vec<Card>> {
        let cards: Vec<CardRow> = sql_query(format!(
            "select a.id as account_id, a.closing_day::integer as closing_day, a.due_day::integer as due_day,
                a.bills_complete_until as complete_until,
                case when a.bills_complete_until is null then (
                    select min(t.date) from transactions t
                    where t.profile_id = $1 and t.account_id = a.id and {COUNTS}
                ) end as first_row
            from accounts a
            where a.profile_id = $1 and a.kind = 'credit'
            order by a.id"
        ))
        .bind::<BigInt, _>(self.profile_id.0)
        .kept()
        .load(self.connection)
        .map_err(error)?;
        if cards.is_empty() {
            return Ok(Vec::new());
        }
        let known: Vec<(i64, Date, i16, i16)> = card_cycles::table
            .filter(card_cycles::profile_id.eq(self.profile_id.0))
            .select((card_cycles::account_id, card_cycles::replaced_on, card_cycles::closing_day, card_cycles::due_day))
            .load(self.connection)
            .map_err(error)?;
        let mut replaced: HashMap<i64, Vec<(Date, Cycle)>> = HashMap::new();
        for (account_id, on, closing_day, due_day) in known {
            replaced.entry(account_id).or_default().push((on, cycle(closing_day.into(), due_day.into())?));
        }
        cards
            .into_iter()
            .map(|card| {
                let before = replaced.remove(&card.account_id).unwrap_or_default();
                Ok(Card {
                    account_id: AccountId(card.account_id),
                    cycles: Cycles::new(cycle(card.closing_day, card.due_day)?, before),
                    complete_until: card.complete_until,
                    first_row: card.first_row,
                })
            })
            .collect()
    }

    fn card_cycle_keep(&mut self, account_id: AccountId, cycle: Cycle, replaced_on: Date) -> Result<()> {
        diesel::insert_into(card_cycles::table)
            .values((
                card_cycles::profile_id.eq(self.profile_id.0),
                card_cycles::account_id.eq(account_id.0),
                card_cycles::replaced_on.eq(replaced_on),
                card_cycles::closing_day.eq(i16::from(cycle.closing_day)),
                card_cycles::due_day.eq(i16::from(cycle.due_day)),
            ))
            .on_conflict_do_nothing()
            .execute(self.connection)
            .map_err(error)?;
        diesel::update(accounts::table.find((self.profile_id.0, account_id.0)))
            .set(accounts::bills_complete_until.eq(None::<Date>))
            .execute(self.connection)
            .map_err(error)?;
        Ok(())
    }

    fn card_bills_forget_unused(&mut self, account_id: AccountId) -> Result<bool> {
        #[derive(QueryableByName)]
        struct Unused {
            #[diesel(sql_type = Bool)]
            unused: bool,
        }
        let row: Unused = sql_query(format!(
            "with usage as (
                select not exists (select from transactions t where t.profile_id = $1 and t.account_id = $2
                        and {COUNTS})
                    and not exists (select from credit_bill_payments p
                        join credit_bills b on b.profile_id = p.profile_id and b.id = p.bill_id
                        where p.profile_id = $1 and b.account_id = $2) as unused
            ), gone_bills as (
                delete from credit_bills where profile_id = $1 and account_id = $2 and (select unused from usage)
            ), gone_cycles as (
                delete from card_cycles where profile_id = $1 and account_id = $2 and (select unused from usage)
            ), forgotten as (
                update accounts set bills_complete_until = null
                where profile_id = $1 and id = $2 and (select unused from usage)
            )
            select unused from usage"
        ))
        .bind::<BigInt, _>(self.profile_id.0)
        .bind::<BigInt, _>(account_id.0)
        .kept()
        .get_result(self.connection)
        .map_err(error)?;
        Ok(row.unused)
    }

    fn bill_refresh(&mut self, slots: &[BillSlot]) -> Result<()> {
        fn column<T>(slots: &[BillSlot], value: impl Fn(&BillSlot) -> T) -> Vec<T> {
            slots.iter().map(value).collect()
        }
        // Not an upsert: that would use up an id for each bill it finds known.
        sql_query(format!(
            "with b as (
                select $1 as profile_id, slot.* from unnest($2::bigint[], $3::date[], $4::date[], $5::date[], $6::date[], $7::boolean[])
                    as slot (account_id, period_start, period_end, due_date, following_end, is_current)
            ), moved as (
                update credit_bills known
                set period_end = b.period_end, due_date = b.due_date, following_end = b.following_end, total = {total}
                from b
                where known.profile_id = $1 and known.account_id = b.account_id and known.period_start = b.period_start
                    and (known.period_end, known.due_date, known.following_end)
                        is distinct from (b.period_end, b.due_date, b.following_end)
            ), noted as (
                update accounts
                set bills_complete_until = b.period_end
                from b
                where accounts.profile_id = $1 and accounts.id = b.account_id and b.is_current
            )
            insert into credit_bills (profile_id, account_id, period_start, period_end, due_date, following_end, total)
            select $1, account_id, period_start, period_end, due_date, following_end, {total}
            from b
            where not exists (select from credit_bills known where known.profile_id = $1
                    and known.account_id = b.account_id and known.period_start = b.period_start)
                and (is_current or exists (select from transactions t where {row_of_bill}))
            order by period_start, account_id",
            total = *TOTAL_OF_BILL,
            row_of_bill = *ROW_OF_BILL,
        ))
        .bind::<BigInt, _>(self.profile_id.0)
        .bind::<Array<BigInt>, _>(column(slots, |slot| slot.account_id.0))
        .bind::<Array<SqlDate>, _>(column(slots, |slot| slot.period.start))
        .bind::<Array<SqlDate>, _>(column(slots, |slot| slot.period.end))
        .bind::<Array<SqlDate>, _>(column(slots, |slot| slot.period.due))
        .bind::<Array<SqlDate>, _>(column(slots, |slot| slot.following_end))
        .bind::<Array<Bool>, _>(column(slots, |slot| slot.is_current))
        .kept()
        .execute(self.connection)
        .map_err(error)?;
        Ok(())
    }

    fn bill_list(&mut self, filter: &BillFilter) -> Result<Vec<CreditBill>> {
        let status = filter.status.map(|status| match status {
            BillStatus::Paid => "paid",
            BillStatus::Unpaid => "unpaid",
        });
        let condition = "($2 is null or b.account_id = $2)
            and ($3 is null or (b.period_start, b.id) < ($3, $4))
            and ($5 is null or (payments.paid_at is not null and b.total <= payments.paid_amount) = ($5 = 'paid'))
            order by b.period_start desc, b.id desc
            limit $6";
        let rows: Vec<BillRow> = sql_query(bills_where(condition))
            .bind::<BigInt, _>(self.profile_id.0)
            .bind::<Nullable<BigInt>, _>(filter.account_id.map(|id| id.0))
            .bind::<Nullable<SqlDate>, _>(filter.after.map(|after| after.period_start))
            .bind::<Nullable<BigInt>, _>(filter.after.map(|after| after.id.0))
            .bind::<Nullable<Text>, _>(status)
            .bind::<BigInt, _>(i64::from(filter.limit))
            .kept()
            .load(self.connection)
            .map_err(error)?;
        Ok(rows.into_iter().map(CreditBill::from).collect())
    }

    fn bill_list_holding(&mut self, date: Date) -> Result<Vec<CreditBill>> {
        // A card's periods do not overlap: the last that began holds the date, if any does.
        let query = format!(
            "select {BILL}
            from accounts a
            cross join lateral (
                select * from credit_bills
                where profile_id = $1 and account_id = a.id and period_start <= $2
                order by period_start desc
                limit 1
            ) as b
            {PAYMENTS}
            where a.profile_id = $1 and a.kind = 'credit' and b.period_end >= $2
            order by b.account_id"
        );
        let rows: Vec<BillRow> = sql_query(query)
            .bind::<BigInt, _>(self.profile_id.0)
            .bind::<SqlDate, _>(date)
            .kept()
            .load(self.connection)
            .map_err(error)?;
        Ok(rows.into_iter().map(CreditBill::from).collect())
    }

    fn bill_list_outstanding(&mut self, date: Date) -> Result<Vec<CreditBill>> {
        // Every bill is looked at, so the payments are added up in one pass.
        let query = format!(
            "select {BILL}
            from credit_bills b
            left join (
                select bill_id, sum(amount) as amount, max(created_at) as at
                from credit_bill_payments where profile_id = $1 group by bill_id
            ) as paid on paid.bill_id = b.id
            cross join lateral (select coalesce(paid.amount, 0) as paid_amount, paid.at as paid_at) as payments
            where b.profile_id = $1 and (payments.paid_at is null or b.total > payments.paid_amount)
                and (b.total > payments.paid_amount or $2 between b.period_start and b.period_end)
            order by b.due_date, b.id"
        );
        let rows: Vec<BillRow> = sql_query(query)
            .bind::<BigInt, _>(self.profile_id.0)
            .bind::<SqlDate, _>(date)
            .kept()
            .load(self.connection)
            .map_err(error)?;
        Ok(rows.into_iter().map(CreditBill::from).collect())
    }

    fn bill_get(&mut self, id: BillId) -> Result<Option<CreditBill>> {
        let row: Option<BillRow> = sql_query(bills_where("b.id = $2"))
            .bind::<BigInt, _>(self.profile_id.0)
            .bind::<BigInt, _>(id.0)
            .kept()
            .get_result(self.connection)
            .optional()
            .map_err(error)?;
        Ok(row.map(CreditBill::from))
    }

    fn bill_payment_insert(&mut self, new: &NewBillPayment) -> Result<()> {
        diesel::insert_into(credit_bill_payments::table)
            .values((
                credit_bill_payments::profile_id.eq(self.profile_id.0),
                credit_bill_payments::bill_id.eq(new.bill_id.0),
                credit_bill_payments::amount.eq(Hundredths::from(new.amount)),
                credit_bill_payments::date.eq(new.date),
                credit_bill_payments::transfer_id.eq(new.transfer_id.map(|id| id.0)),
            ))
            .execute(self.connection)
            .map_err(error)?;
        Ok(())
    }

    fn bill_payments_delete(&mut self, id: BillId) -> Result<u64> {
        let gone: Vec<Option<i64>> = diesel::delete(
            credit_bill_payments::table
                .filter(credit_bill_payments::profile_id.eq(self.profile_id.0))
                .filter(credit_bill_payments::bill_id.eq(id.0)),
        )
        .returning(credit_bill_payments::transfer_id)
        .get_results(self.connection)
        .map_err(error)?;
        let transfers: Vec<i64> = gone.iter().flatten().copied().collect();
        if !transfers.is_empty() {
            self.delete_transactions(Doomed::Legs(&transfers))?;
        }
        Ok(gone.len() as u64)
    }
}
