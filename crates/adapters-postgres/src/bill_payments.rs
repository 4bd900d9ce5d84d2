//! Payments of bills, and what the ledger of a card computes from them. `credit_bill_payments` has the payments that name a bill;
//! the others are transactions.

use diesel::QueryableByName;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Date as SqlDate, Nullable, Numeric, Text, Timestamptz};
use finance_domain::accounts::AccountKind;
use finance_domain::credit_bills::{
    BillPaymentRepo, CardHistory, CardPayment, ChangedBill, HeldDebt, LedgerBill, LedgerEntry, NewBillPayment,
    PaymentOrigin,
};
use finance_domain::openings::{Opening, OpeningRepo, OpeningState, StoredOpening};
use finance_domain::pending_bills::PendingBillStatus;
use finance_domain::transactions::{Kind, Source};
use finance_domain::{AccountId, BillId, Result, TransactionId};
use time::{Date, OffsetDateTime};

use crate::credit_bills::{ENTRY, EntryRow};
use crate::numeric::Hundredths;
use crate::repo::PgRepo;
use crate::row::row;
use crate::schema::credit_bill_payments;
use crate::sql::{Arguments, Cache, Fetch, column, unnest};
use crate::sums::{PAYS, ROW_OF_BILL};
use crate::transactions::Deletion;

#[derive(QueryableByName)]
struct LedgerBillRow {
    #[diesel(sql_type = BigInt)]
    id: i64,
    #[diesel(sql_type = SqlDate)]
    period_start: Date,
    #[diesel(sql_type = Numeric)]
    total: Hundredths,
    #[diesel(embed)]
    entry: EntryRow,
    #[diesel(sql_type = Nullable<Numeric>)]
    due_before: Option<Hundredths>,
}

row! {
    /// A payment, which is a row or names a bill, an opening balance, a held statement, or a first date of a card.
    struct HistoryRow {
        what: String [Text],
        id: Option<i64> [Nullable<BigInt>],
        date: Date [SqlDate],
        amount: Hundredths [Numeric],
        stored_at: OffsetDateTime [Timestamptz],
        /// The first day of the bill that a recorded payment names.
        of_bill: Option<Date> [Nullable<SqlDate>],
    }
}

row! { struct GonePayment { transfer_id: Option<i64> [Nullable<BigInt>] } }

row! { struct StaleRow { is_stale: bool [Bool] } }

impl BillPaymentRepo for PgRepo<'_> {
    fn bill_payment_insert(&mut self, new: &[NewBillPayment]) -> Result<()> {
        if new.is_empty() {
            return Ok(());
        }
        self.watch("credit_bill_payments", "bill_id = any($2)", &column(new, |new| new.bill_id.0))?;
        self.sql(format!(
            "with given as materialized (
                select * from {} as given (bill_id, amount, date, transfer_id)
            ), stale as (
                update accounts set payments_stale = true
                from given
                join credit_bills b on b.profile_id = $1 and b.id = given.bill_id
                where accounts.profile_id = $1 and accounts.id = b.account_id
            ), stored as (
                insert into credit_bill_payments (profile_id, bill_id, amount, date, transfer_id)
                select $1, bill_id, amount, date, transfer_id from given
                returning 1
            )
            select count(*) from stored",
            unnest(2, &["bigint", "numeric", "date", "bigint"])
        ))
        .arg(column(new, |new| new.bill_id.0))
        .arg(column(new, |new| Hundredths::from(new.amount)))
        .arg(column(new, |new| new.date))
        .arg(column(new, |new| new.transfer_id.map(|id| id.0)))
        .run(self.connection)
    }

    fn bill_payments_delete(&mut self, id: BillId) -> Result<(u64, Vec<TransactionId>)> {
        self.touch("credit_bill_payments", "bill_id = any($2)", &[id.0])?;
        // A payment of which the statements have both rows is theirs.
        let query = self.sql(format!(
            "delete from credit_bill_payments p
            where p.profile_id = $1 and p.bill_id = $2 and (p.transfer_id is null or exists (
                select 1 from transactions t
                where t.profile_id = $1 and t.transfer_id = p.transfer_id and t.source = '{}' and not t.is_recognised))
            returning p.transfer_id",
            Source::Transfer.as_str()
        ));
        let gone: Vec<GonePayment> = query.arg(id.0).rows(self.connection)?;
        let transfers: Vec<i64> = gone.iter().filter_map(|gone| gone.transfer_id).collect();
        let unlinked = match transfers.is_empty() {
            true => Vec::new(),
            false => self.delete_transactions(Deletion::Legs(&transfers))?.unlinked,
        };
        if !gone.is_empty() {
            // Other payments may count on this bill now.
            let query = self.sql(
                "update accounts set payments_stale = true
                from credit_bills b
                where b.profile_id = $1 and b.id = $2 and accounts.profile_id = $1 and accounts.id = b.account_id",
            );
            query.arg(id.0).run(self.connection)?;
        }
        Ok((gone.len() as u64, unlinked.iter().map(|unlinked| unlinked.id).collect()))
    }

    fn bills_are_stale(&mut self, today: Date) -> Result<bool> {
        let query = "select exists (
            select 1 from accounts
            where profile_id = $1 and kind = $2
                and (payments_stale or bills_complete_until is null or bills_complete_until < $3)
        ) as is_stale";
        let query = self.sql(query);
        let row: StaleRow = query.arg(AccountKind::Credit.as_str()).arg(today).row(self.connection)?;
        Ok(row.is_stale)
    }

    fn card_history(&mut self, account_id: AccountId) -> Result<CardHistory> {
        // A row of a statement counts on the day that a person gave it, a leg that was made here on that of the statement.
        let query = format!(
            "select 'row' as what, null::bigint as id,
                coalesce(case when t.is_recognised then t.statement_date end, t.original_date, t.date) as date,
                case t.kind when '{income}' then t.amount else -t.amount end as amount,
                t.created_at as stored_at, null::date as of_bill
            from transactions t where t.profile_id = $1 and t.account_id = $2 and {PAYS}
            union all
            select case when other.source = '{leg}' then 'named' else 'row' end, null,
                coalesce(leg.statement_date, p.date), p.amount, p.created_at,
                case when p.transfer_id is null then b.period_start end
            from credit_bills b
            join credit_bill_payments p on p.profile_id = $1 and p.bill_id = b.id
            left join transactions leg on leg.profile_id = $1 and leg.transfer_id = p.transfer_id and leg.account_id = $2
            left join transactions other on other.profile_id = $1 and other.transfer_id = p.transfer_id and other.id <> leg.id
            where b.profile_id = $1 and b.account_id = $2
            union all
            select 'opening', t.id, t.date, case t.kind when '{income}' then t.amount else -t.amount end, t.created_at, null
            from transactions t where t.profile_id = $1 and t.account_id = $2 and t.source = '{opening}'
            union all
            select 'held', null, payment_date, sum(total), min(created_at), null
            from pending_bills where profile_id = $1 and account_id = $2 and status = '{pending}'
            group by payment_date having sum(total) > 0
            union all
            (select 'first bill', null, b.period_start, 0, now(), null
            from credit_bills b
            where b.profile_id = $1 and b.account_id = $2 and exists (select from transactions t where {ROW_OF_BILL})
            order by b.period_start
            limit 1)
            union all
            (select 'first row', null, t.date, 0, now(), null
            from transactions t
            where t.profile_id = $1 and t.account_id = $2 and t.source <> '{opening}'
                and not (t.is_transfer and t.kind = '{income}')
            order by t.date
            limit 1)",
            leg = Source::Transfer.as_str(),
            income = Kind::Income.as_str(),
            opening = Source::OpeningBalance.as_str(),
            pending = PendingBillStatus::Pending.as_str(),
        );
        let rows: Vec<HistoryRow> = self.sql(query).arg(account_id.0).rows(self.connection)?;
        let mut history = CardHistory::default();
        for HistoryRow { what, id, date, amount, stored_at, of_bill } in rows {
            let amount = amount.into();
            match (what.as_str(), id) {
                ("opening", Some(id)) => {
                    let opening = Opening { date, balance: amount };
                    history.openings.push(StoredOpening { id: TransactionId(id), opening });
                }
                ("held", _) => history.held.push(HeldDebt { payment_date: date, owed: amount }),
                ("first bill", _) => history.first_bill = Some(date),
                ("first row", _) => history.first_row = Some(date),
                (what, _) => {
                    let origin = match (what, of_bill) {
                        (_, Some(start)) => PaymentOrigin::Recorded(start),
                        ("named", None) => PaymentOrigin::Named,
                        _ => PaymentOrigin::Row,
                    };
                    history.payments.push(CardPayment { date, amount, stored_at, origin });
                }
            }
        }
        Ok(history)
    }

    fn ledger_bills(&mut self, account_id: AccountId) -> Result<Vec<LedgerBill>> {
        let query = format!(
            "select b.id, b.period_start, b.total, {ENTRY}, b.due_before
            from credit_bills b where b.profile_id = $1 and b.account_id = $2
            order by b.period_start"
        );
        let bill = |row: LedgerBillRow| LedgerBill {
            id: BillId(row.id),
            period_start: row.period_start,
            total: row.total.into(),
            entry: row.entry.into(),
            due_before: row.due_before.map(Into::into),
        };
        self.sql(query).arg(account_id.0).rows_as(self.connection, bill)
    }

    fn ledger_put(&mut self, account_id: AccountId, entries: &[(BillId, LedgerEntry)]) -> Result<()> {
        self.sql(format!(
            "with fresh as (
                update accounts set payments_stale = false where profile_id = $1 and id = $2
            )
            update credit_bills b
            set held = given.held, previous = given.previous, paid_amount = given.paid_amount, paid_at = given.paid_at,
                carried = given.carried, statement = given.statement
            from {} as given (id, held, previous, paid_amount, paid_at, carried, statement)
            where b.profile_id = $1 and b.id = given.id",
            unnest(3, &["bigint", "numeric", "numeric", "numeric", "timestamptz", "numeric", "numeric"])
        ))
        .arg(account_id.0)
        .arg(entries.iter().map(|(id, _)| id.0).collect::<Vec<_>>())
        .arg(column(entries, |(_, entry)| Hundredths::from(entry.held)))
        .arg(column(entries, |(_, entry)| Hundredths::from(entry.previous)))
        .arg(column(entries, |(_, entry)| Hundredths::from(entry.paid_amount)))
        .arg(column(entries, |(_, entry)| entry.paid_at))
        .arg(column(entries, |(_, entry)| Hundredths::from(entry.carried)))
        .arg(column(entries, |(_, entry)| entry.statement.map(Hundredths::from)))
        .run(self.connection)
    }

    fn changed_bill_put(&mut self, account_id: AccountId, changed: Option<ChangedBill>) -> Result<()> {
        self.sql(
            "with known as (
                update credit_bills set due_before = null
                where profile_id = $1 and account_id = $2 and due_before is not null
            )
            update accounts set changed_bill_due_date = $3, changed_bill_before = $4, changed_bill_after = $5
            where profile_id = $1 and id = $2",
        )
        .arg(account_id.0)
        .arg(changed.map(|changed| changed.due_date))
        .arg(changed.map(|changed| Hundredths::from(changed.before)))
        .arg(changed.map(|changed| Hundredths::from(changed.after)))
        .run(self.connection)
    }

    fn changed_bills_forget(&mut self) -> Result<()> {
        self.sql(
            "update accounts set changed_bill_due_date = null, changed_bill_before = null, changed_bill_after = null
            where profile_id = $1 and changed_bill_due_date is not null",
        )
        .run(self.connection)
    }

    fn bill_payments_forget_found(&mut self) -> Result<()> {
        diesel::delete(
            credit_bill_payments::table
                .filter(credit_bill_payments::profile_id.eq(self.profile_id.0))
                .filter(credit_bill_payments::transaction_id.is_not_null()),
        )
        .exec(self.connection)
    }
}

impl OpeningRepo for PgRepo<'_> {
    fn opening_say(&mut self, account_id: AccountId) -> Result<()> {
        self.touch("accounts", "id = any($2)", &[account_id.0])?;
        // The ledger of a card must know.
        let query = self.sql(
            "update accounts set opening_is_said = true, payments_stale = payments_stale or kind = $3
            where profile_id = $1 and id = $2",
        );
        query.arg(account_id.0).arg(AccountKind::Credit.as_str()).run(self.connection)
    }

    fn opening_note(&mut self, account_id: AccountId, state: &OpeningState) -> Result<()> {
        self.touch("accounts", "id = any($2)", &[account_id.0])?;
        let query = self.sql(
            "update accounts set opening_is_said = $3, opening_is_derived = $4, opening_follows = $5
            where profile_id = $1 and id = $2",
        );
        query.arg(account_id.0).arg(state.is_said).arg(state.is_derived).arg(state.follows).run(self.connection)
    }
}
