//! Credit card bills. A bill whose days are new adds up its rows; from then on `sums.rs` keeps its total, so no read adds
//! up transactions.

use std::collections::HashMap;

use diesel::prelude::*;
use diesel::sql_types::{Array, BigInt, Bool, Date as SqlDate, Integer, Nullable, Numeric, Text, Timestamptz};
use diesel::{OptionalExtension, QueryableByName, sql_query};
use finance_domain::accounts::AccountKind;
use finance_domain::credit_bills::{
    Allotment, BillFilter, BillSlot, BillStatus, Card, CardPayment, CreditBill, CreditBillRepo, Cycle, Cycles,
    NewBillPayment, PayableBill,
};
use finance_domain::{AccountId, BillId, Error, ProfileId, Result, TransactionId, Word};
use time::{Date, OffsetDateTime};

use crate::constraints::error;
use crate::numeric::Hundredths;
use crate::repo::PgRepo;
use crate::schema::{accounts, card_cycles, credit_bill_payments};
use crate::statement::{Cache, unnest};
use crate::sums::{COUNTS, PAYS, ROW_OF_BILL, TOTAL_OF_BILL};
use crate::transactions::Deletion;

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
    #[diesel(sql_type = Bool)]
    payments_stale: bool,
}

#[derive(QueryableByName)]
struct PayableBillRow {
    #[diesel(sql_type = BigInt)]
    id: i64,
    #[diesel(sql_type = SqlDate)]
    period_start: Date,
    #[diesel(sql_type = SqlDate)]
    period_end: Date,
    #[diesel(sql_type = Numeric)]
    total: Hundredths,
    #[diesel(sql_type = Numeric)]
    paid: Hundredths,
    #[diesel(sql_type = Bool)]
    has_rows: bool,
}

#[derive(QueryableByName)]
struct CardPaymentRow {
    #[diesel(sql_type = BigInt)]
    id: i64,
    #[diesel(sql_type = SqlDate)]
    date: Date,
    #[diesel(sql_type = Numeric)]
    amount: Hundredths,
}

#[derive(QueryableByName)]
struct AllotmentRow {
    #[diesel(sql_type = BigInt)]
    transaction_id: i64,
    #[diesel(sql_type = BigInt)]
    bill_id: i64,
    #[diesel(sql_type = SqlDate)]
    date: Date,
    #[diesel(sql_type = Numeric)]
    amount: Hundredths,
}

#[derive(QueryableByName)]
struct StaleRow {
    #[diesel(sql_type = Bool)]
    is_stale: bool,
}

fn cycle(closing_day: i32, due_day: i32) -> Result<Cycle> {
    let day = |day: i32| u8::try_from(day).map_err(|error| Error::Internal(Box::new(error)));
    Ok(Cycle { closing_day: day(closing_day)?, due_day: day(due_day)? })
}

/// The columns of a bill `b` and its `payments`.
const BILL: &str = "b.profile_id, b.id, b.account_id, b.period_start, b.period_end, b.due_date,
    b.total, payments.paid_amount, payments.paid_at";
/// The payments of the bill `b`, by a look-up for each bill: for queries of few bills.
const PAYMENTS: &str = "cross join lateral (
        select coalesce(sum(p.amount), 0) as paid_amount, max(p.created_at) as paid_at
        from credit_bill_payments p where p.profile_id = $1 and p.bill_id = b.id
    ) as payments";

/// A query of bills with their payments, by a condition over `b` and `payments`.
fn bills_where(condition: &str) -> String {
    format!("select {BILL} from credit_bills b {PAYMENTS} where b.profile_id = $1 and {condition}")
}

impl CreditBillRepo for PgRepo<'_> {
    fn card_list(&mut self) -> Result<Vec<Card>> {
        let cards: Vec<CardRow> = sql_query(format!(
            "select a.id as account_id, a.closing_day::integer as closing_day, a.due_day::integer as due_day,
                a.bills_complete_until as complete_until, a.payments_stale,
                case when a.bills_complete_until is null then (
                    select min(t.date) from transactions t
                    where t.profile_id = $1 and t.account_id = a.id and {COUNTS}
                ) end as first_row
            from accounts a
            where a.profile_id = $1 and a.kind = $2
            order by a.id"
        ))
        .bind::<BigInt, _>(self.profile_id.0)
        .bind::<Text, _>(AccountKind::Credit.as_str())
        .cached()
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
                    payments_stale: card.payments_stale,
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
        .cached()
        .get_result(self.connection)
        .map_err(error)?;
        Ok(row.unused)
    }

    fn bill_refresh(&mut self, slots: &[BillSlot]) -> Result<()> {
        fn column<T>(slots: &[BillSlot], value: impl Fn(&BillSlot) -> T) -> Vec<T> {
            slots.iter().map(value).collect()
        }
        // Not an upsert, which would use up an id for each existing bill.
        sql_query(format!(
            "with b as (
                select $1 as profile_id, slot.* from {slots}
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
            slots = unnest(2, &["bigint", "date", "date", "date", "date", "boolean"]),
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
        .cached()
        .execute(self.connection)
        .map_err(error)?;
        Ok(())
    }

    fn bill_insert(&mut self, slots: &[BillSlot]) -> Result<()> {
        fn column<T>(slots: &[BillSlot], value: impl Fn(&BillSlot) -> T) -> Vec<T> {
            slots.iter().map(value).collect()
        }
        sql_query(format!(
            "with b as (
                select * from {slots}
                    as slot (account_id, period_start, period_end, due_date, following_end)
            )
            insert into credit_bills (profile_id, account_id, period_start, period_end, due_date, following_end, total)
            select $1, account_id, period_start, period_end, due_date, following_end, {total}
            from b
            on conflict on constraint credit_bills_period_key do nothing",
            slots = unnest(2, &["bigint", "date", "date", "date", "date"]),
            total = *TOTAL_OF_BILL,
        ))
        .bind::<BigInt, _>(self.profile_id.0)
        .bind::<Array<BigInt>, _>(column(slots, |slot| slot.account_id.0))
        .bind::<Array<SqlDate>, _>(column(slots, |slot| slot.period.start))
        .bind::<Array<SqlDate>, _>(column(slots, |slot| slot.period.end))
        .bind::<Array<SqlDate>, _>(column(slots, |slot| slot.period.due))
        .bind::<Array<SqlDate>, _>(column(slots, |slot| slot.following_end))
        .cached()
        .execute(self.connection)
        .map_err(error)?;
        Ok(())
    }

    fn bill_list(&mut self, filter: &BillFilter) -> Result<Vec<CreditBill>> {
        let is_paid = filter.status.map(|status| status == BillStatus::Paid);
        let condition = "($2 is null or b.account_id = $2)
            and ($3 is null or (b.period_start, b.id) < ($3, $4))
            and ($5 is null or (payments.paid_at is not null and b.total <= payments.paid_amount) = $5)
            order by b.period_start desc, b.id desc
            limit $6";
        let rows: Vec<BillRow> = sql_query(bills_where(condition))
            .bind::<BigInt, _>(self.profile_id.0)
            .bind::<Nullable<BigInt>, _>(filter.account_id.map(|id| id.0))
            .bind::<Nullable<SqlDate>, _>(filter.after.map(|after| after.period_start))
            .bind::<Nullable<BigInt>, _>(filter.after.map(|after| after.id.0))
            .bind::<Nullable<Bool>, _>(is_paid)
            .bind::<BigInt, _>(i64::from(filter.limit))
            .cached()
            .load(self.connection)
            .map_err(error)?;
        Ok(rows.into_iter().map(CreditBill::from).collect())
    }

    fn bill_list_holding(&mut self, date: Date) -> Result<Vec<CreditBill>> {
        // A card's periods do not overlap, so only the last one that began can contain the date.
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
            where a.profile_id = $1 and a.kind = $3 and b.period_end >= $2
            order by b.account_id"
        );
        let rows: Vec<BillRow> = sql_query(query)
            .bind::<BigInt, _>(self.profile_id.0)
            .bind::<SqlDate, _>(date)
            .bind::<Text, _>(AccountKind::Credit.as_str())
            .cached()
            .load(self.connection)
            .map_err(error)?;
        Ok(rows.into_iter().map(CreditBill::from).collect())
    }

    fn bill_list_outstanding(&mut self, date: Date) -> Result<Vec<CreditBill>> {
        // All bills are read, so the payments are added up in one pass.
        let query = format!(
            "select {BILL}
            from credit_bills b
            left join (
                select bill_id, sum(amount) as amount, max(created_at) as at
                from credit_bill_payments where profile_id = $1 group by bill_id
            ) as paid on paid.bill_id = b.id
            cross join lateral (select coalesce(paid.amount, 0) as paid_amount, paid.at as paid_at) as payments
            where b.profile_id = $1 and (b.total > payments.paid_amount or b.period_end >= $2)
            order by b.due_date, b.id"
        );
        let rows: Vec<BillRow> = sql_query(query)
            .bind::<BigInt, _>(self.profile_id.0)
            .bind::<SqlDate, _>(date)
            .cached()
            .load(self.connection)
            .map_err(error)?;
        Ok(rows.into_iter().map(CreditBill::from).collect())
    }

    fn bill_get(&mut self, id: BillId) -> Result<Option<CreditBill>> {
        let row: Option<BillRow> = sql_query(bills_where("b.id = $2"))
            .bind::<BigInt, _>(self.profile_id.0)
            .bind::<BigInt, _>(id.0)
            .cached()
            .get_result(self.connection)
            .optional()
            .map_err(error)?;
        Ok(row.map(CreditBill::from))
    }

    fn bill_list_due(&mut self, first: Option<Date>, last: Option<Date>) -> Result<Vec<CreditBill>> {
        // Every bill is looked at, so the payments are added up in one pass.
        let query = format!(
            "select {BILL}
            from credit_bills b
            left join (
                select bill_id, sum(amount) as amount, max(created_at) as at
                from credit_bill_payments where profile_id = $1 group by bill_id
            ) as paid on paid.bill_id = b.id
            cross join lateral (select coalesce(paid.amount, 0) as paid_amount, paid.at as paid_at) as payments
            where b.profile_id = $1 and b.total > payments.paid_amount
                and ($2 is null or b.due_date >= $2) and ($3 is null or b.period_end < $3)
            order by b.due_date, b.id"
        );
        let rows: Vec<BillRow> = sql_query(query)
            .bind::<BigInt, _>(self.profile_id.0)
            .bind::<Nullable<SqlDate>, _>(first)
            .bind::<Nullable<SqlDate>, _>(last)
            .cached()
            .load(self.connection)
            .map_err(error)?;
        Ok(rows.into_iter().map(CreditBill::from).collect())
    }

    fn bill_payment_insert(&mut self, new: &[NewBillPayment]) -> Result<()> {
        fn column<T>(new: &[NewBillPayment], value: impl Fn(&NewBillPayment) -> T) -> Vec<T> {
            new.iter().map(value).collect()
        }
        if new.is_empty() {
            return Ok(());
        }
        sql_query(format!(
            "insert into credit_bill_payments (profile_id, bill_id, amount, date, transfer_id)
            select $1, bill_id, amount, date, transfer_id
            from {} as given (bill_id, amount, date, transfer_id)",
            unnest(2, &["bigint", "numeric", "date", "bigint"])
        ))
        .bind::<BigInt, _>(self.profile_id.0)
        .bind::<Array<BigInt>, _>(column(new, |new| new.bill_id.0))
        .bind::<Array<Numeric>, _>(column(new, |new| Hundredths::from(new.amount)))
        .bind::<Array<SqlDate>, _>(column(new, |new| new.date))
        .bind::<Array<Nullable<BigInt>>, _>(column(new, |new| new.transfer_id.map(|id| id.0)))
        .cached()
        .execute(self.connection)
        .map_err(error)?;
        Ok(())
    }

    fn bill_payments_delete(&mut self, id: BillId) -> Result<u64> {
        let gone: Vec<Option<i64>> = diesel::delete(
            credit_bill_payments::table
                .filter(credit_bill_payments::profile_id.eq(self.profile_id.0))
                .filter(credit_bill_payments::bill_id.eq(id.0))
                .filter(credit_bill_payments::transaction_id.is_null()),
        )
        .returning(credit_bill_payments::transfer_id)
        .get_results(self.connection)
        .map_err(error)?;
        let transfers: Vec<i64> = gone.iter().flatten().copied().collect();
        if !transfers.is_empty() {
            self.delete_transactions(Deletion::Legs(&transfers))?;
        }
        if !gone.is_empty() {
            // What statements tell of may pay this bill now.
            sql_query(
                "update accounts set payments_stale = true
                from credit_bills b
                where b.profile_id = $1 and b.id = $2 and accounts.profile_id = $1 and accounts.id = b.account_id",
            )
            .bind::<BigInt, _>(self.profile_id.0)
            .bind::<BigInt, _>(id.0)
            .cached()
            .execute(self.connection)
            .map_err(error)?;
        }
        Ok(gone.len() as u64)
    }

    fn payments_are_stale(&mut self) -> Result<bool> {
        let query = "select exists (select from accounts where profile_id = $1 and payments_stale) as is_stale";
        let row: StaleRow = sql_query(query)
            .bind::<BigInt, _>(self.profile_id.0)
            .cached()
            .get_result(self.connection)
            .map_err(error)?;
        Ok(row.is_stale)
    }

    fn card_payments(&mut self, account_id: AccountId) -> Result<Vec<CardPayment>> {
        let query = format!(
            "select t.id, coalesce(t.statement_date, t.original_date, t.date) as date, t.amount
            from transactions t where t.profile_id = $1 and t.account_id = $2 and {PAYS}"
        );
        let rows: Vec<CardPaymentRow> = sql_query(query)
            .bind::<BigInt, _>(self.profile_id.0)
            .bind::<BigInt, _>(account_id.0)
            .cached()
            .load(self.connection)
            .map_err(error)?;
        let payment =
            |row: CardPaymentRow| CardPayment { id: TransactionId(row.id), date: row.date, amount: row.amount.into() };
        Ok(rows.into_iter().map(payment).collect())
    }

    fn payable_bills(&mut self, account_id: AccountId) -> Result<Vec<PayableBill>> {
        let query = format!(
            "select b.id, b.period_start, b.period_end, b.total,
                (select coalesce(sum(p.amount), 0) from credit_bill_payments p
                    where p.profile_id = $1 and p.bill_id = b.id and p.transaction_id is null) as paid,
                exists (select from transactions t where {row_of_bill}) as has_rows
            from credit_bills b
            where b.profile_id = $1 and b.account_id = $2
            order by b.period_start",
            row_of_bill = *ROW_OF_BILL,
        );
        let rows: Vec<PayableBillRow> = sql_query(query)
            .bind::<BigInt, _>(self.profile_id.0)
            .bind::<BigInt, _>(account_id.0)
            .cached()
            .load(self.connection)
            .map_err(error)?;
        let bill = |row: PayableBillRow| PayableBill {
            id: BillId(row.id),
            period_start: row.period_start,
            period_end: row.period_end,
            total: row.total.into(),
            paid: row.paid.into(),
            has_rows: row.has_rows,
        };
        Ok(rows.into_iter().map(bill).collect())
    }

    fn allotments(&mut self, account_id: AccountId) -> Result<Vec<Allotment>> {
        let rows: Vec<AllotmentRow> = sql_query(
            "select p.transaction_id, p.bill_id, p.date, p.amount
            from credit_bills b
            join credit_bill_payments p on p.profile_id = $1 and p.bill_id = b.id and p.transaction_id is not null
            where b.profile_id = $1 and b.account_id = $2",
        )
        .bind::<BigInt, _>(self.profile_id.0)
        .bind::<BigInt, _>(account_id.0)
        .cached()
        .load(self.connection)
        .map_err(error)?;
        let allotment = |row: AllotmentRow| Allotment {
            transaction_id: TransactionId(row.transaction_id),
            bill_id: BillId(row.bill_id),
            date: row.date,
            amount: row.amount.into(),
        };
        Ok(rows.into_iter().map(allotment).collect())
    }

    fn allotments_replace(&mut self, account_id: AccountId, gone: &[Allotment], new: &[Allotment]) -> Result<()> {
        fn column<T>(allotments: &[Allotment], value: impl Fn(&Allotment) -> T) -> Vec<T> {
            allotments.iter().map(value).collect()
        }
        // Two statements: a key of the table holds within each.
        sql_query(format!(
            "with settled as (
                update accounts set payments_stale = false where profile_id = $1 and id = $2
            )
            delete from credit_bill_payments p
            using {} as gone (transaction_id, bill_id)
            where p.profile_id = $1 and p.transaction_id = gone.transaction_id and p.bill_id = gone.bill_id",
            unnest(3, &["bigint", "bigint"])
        ))
        .bind::<BigInt, _>(self.profile_id.0)
        .bind::<BigInt, _>(account_id.0)
        .bind::<Array<BigInt>, _>(column(gone, |gone| gone.transaction_id.0))
        .bind::<Array<BigInt>, _>(column(gone, |gone| gone.bill_id.0))
        .cached()
        .execute(self.connection)
        .map_err(error)?;
        if new.is_empty() {
            return Ok(());
        }
        sql_query(format!(
            "insert into credit_bill_payments (profile_id, bill_id, amount, date, transaction_id)
            select $1, bill_id, amount, date, transaction_id
            from {} as given (bill_id, amount, date, transaction_id)",
            unnest(2, &["bigint", "numeric", "date", "bigint"])
        ))
        .bind::<BigInt, _>(self.profile_id.0)
        .bind::<Array<BigInt>, _>(column(new, |new| new.bill_id.0))
        .bind::<Array<Numeric>, _>(column(new, |new| Hundredths::from(new.amount)))
        .bind::<Array<SqlDate>, _>(column(new, |new| new.date))
        .bind::<Array<BigInt>, _>(column(new, |new| new.transaction_id.0))
        .cached()
        .execute(self.connection)
        .map_err(error)?;
        Ok(())
    }
}
