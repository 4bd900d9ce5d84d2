//! Payments of bills: payments that name their bill, and payments found in statements, which are recomputed for a whole card.

use diesel::prelude::*;
use diesel::sql_types::{Array, BigInt, Bool, Date as SqlDate, Nullable, Numeric};
use diesel::{QueryableByName, sql_query};
use finance_domain::credit_bills::{Allotment, BillPaymentRepo, CardPayment, NewBillPayment, PayableBill};
use finance_domain::{AccountId, BillId, Result, TransactionId};
use time::Date;

use crate::constraints::error;
use crate::numeric::Hundredths;
use crate::repo::PgRepo;
use crate::schema::credit_bill_payments;
use crate::statement::{Cache, inserting, unnest};
use crate::sums::{PAYS, ROW_OF_BILL};
use crate::transactions::Deletion;

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

impl BillPaymentRepo for PgRepo<'_> {
    fn bill_payment_insert(&mut self, new: &[NewBillPayment]) -> Result<()> {
        fn column<T>(new: &[NewBillPayment], value: impl Fn(&NewBillPayment) -> T) -> Vec<T> {
            new.iter().map(value).collect()
        }
        if new.is_empty() {
            return Ok(());
        }
        sql_query(inserting(&format!(
            "insert into credit_bill_payments (profile_id, bill_id, amount, date, transfer_id)
            select $1, bill_id, amount, date, transfer_id
            from {} as given (bill_id, amount, date, transfer_id)",
            unnest(2, &["bigint", "numeric", "date", "bigint"])
        )))
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

    fn bill_payments_delete(&mut self, id: BillId) -> Result<(u64, Vec<TransactionId>)> {
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
        let parted = match transfers.is_empty() {
            true => Vec::new(),
            false => self.delete_transactions(Deletion::Legs(&transfers))?.parted,
        };
        if !gone.is_empty() {
            // A payment found in a statement may pay this bill now.
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
        Ok((gone.len() as u64, parted.iter().map(|parted| parted.id).collect()))
    }

    fn payments_are_stale(&mut self) -> Result<bool> {
        let query = "select exists (select 1 from accounts where profile_id = $1 and payments_stale) as is_stale";
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
                exists (select 1 from transactions t where {ROW_OF_BILL}) as has_rows
            from credit_bills b
            where b.profile_id = $1 and b.account_id = $2
            order by b.period_start",
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
        // Two statements, because a key of the table must hold within each statement.
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
        sql_query(inserting(&format!(
            "insert into credit_bill_payments (profile_id, bill_id, amount, date, transaction_id)
            select $1, bill_id, amount, date, transaction_id
            from {} as given (bill_id, amount, date, transaction_id)",
            unnest(2, &["bigint", "numeric", "date", "bigint"])
        )))
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
