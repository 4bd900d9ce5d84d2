//! Recurring items, and their confirmations and dismissals by month.

use std::collections::HashMap;

use diesel::prelude::*;
use diesel::sql_types::{Array, BigInt, Bool, Date as SqlDate, Nullable, Numeric, SmallInt, Text};
use diesel::{QueryableByName, sql_query};
use finance_domain::pending_bills::PendingBillStatus;
use finance_domain::recurring::{
    AmountBand, CoveredBy, MatchTransaction, MonthMark, NewRecurring, Recurring, RecurringRepo, Status,
};
use finance_domain::transactions::Kind;
use finance_domain::{AccountId, CategoryId, Error, Month, ProfileId, RecurringId, Result, TransactionId};
use time::Date;

use crate::constraints::error;
use crate::numeric::Hundredths;
use crate::repo::{PgRepo, counted};
use crate::schema::{recurring, recurring_marks};
use crate::statement::Cache;
use crate::sums::COUNTS;
use crate::words::StoredWord;

/// An item, with one of its marks if it has any.
#[derive(QueryableByName)]
struct RecurringRow {
    #[diesel(sql_type = BigInt)]
    id: i64,
    #[diesel(sql_type = Text)]
    kind: StoredWord<Kind>,
    #[diesel(sql_type = Text)]
    description: String,
    #[diesel(sql_type = Numeric)]
    amount: Hundredths,
    #[diesel(sql_type = BigInt)]
    category_id: i64,
    #[diesel(sql_type = Nullable<BigInt>)]
    account_id: Option<i64>,
    #[diesel(sql_type = SmallInt)]
    day: i16,
    #[diesel(sql_type = Nullable<SqlDate>)]
    month: Option<Date>,
    #[diesel(sql_type = Nullable<Text>)]
    mark: Option<StoredWord<Status>>,
    #[diesel(sql_type = Nullable<BigInt>)]
    transaction_id: Option<i64>,
}

impl RecurringRow {
    fn mark(&self) -> Result<Option<(Month, MonthMark)>> {
        let (Some(month), Some(StoredWord(mark))) = (self.month, self.mark) else { return Ok(None) };
        let mark = match (mark, self.transaction_id) {
            (Status::Late, _) => MonthMark::Late,
            (Status::Ignored, _) => MonthMark::Ignored,
            (Status::Confirmed, Some(id)) => MonthMark::Confirmed(TransactionId(id)),
            _ => return Err(Error::Internal(format!("unknown mark {}", mark.as_str()).into())),
        };
        Ok(Some((Month::of(month), mark)))
    }

    fn item(self, profile_id: ProfileId) -> Result<Recurring> {
        Ok(Recurring {
            id: RecurringId(self.id),
            profile_id,
            kind: self.kind.0,
            description: self.description,
            amount: self.amount.into(),
            category_id: CategoryId(self.category_id),
            account_id: self.account_id.map(AccountId),
            day: u8::try_from(self.day).map_err(|error| Error::Internal(Box::new(error)))?,
        })
    }
}

#[derive(QueryableByName)]
struct PointRow {
    #[diesel(sql_type = BigInt)]
    id: i64,
    #[diesel(sql_type = SqlDate)]
    date: Date,
    #[diesel(sql_type = Text)]
    kind: StoredWord<Kind>,
    #[diesel(sql_type = BigInt)]
    category_id: i64,
    #[diesel(sql_type = Numeric)]
    amount: Hundredths,
    #[diesel(sql_type = Nullable<BigInt>)]
    account_id: Option<i64>,
    #[diesel(sql_type = Bool)]
    is_held: bool,
}

/// The date by which the transaction `t` covers an item: that of its purchase.
const PURCHASE: &str = "coalesce(t.original_date, t.date)";

/// How many months after its purchase a row may be paid: its bill closes within one, and is due at most two later.
const PAID_MONTHS_MAX: i32 = 3;

/// The amount band of the point `t` within its group.
const NUMBER: &str = "bands_before + nullif(width_bucket((t.amount * 100)::bigint, groups.cents), 0)";

/// Condition: the transaction of the point `t` confirms no recurring item.
const UNMARKED: &str =
    "not exists (select 1 from recurring_marks m where m.profile_id = $1 and m.transaction_id = t.id)";

impl RecurringRepo for PgRepo<'_> {
    fn recurring_list(&mut self, first: Month, last: Month) -> Result<Vec<(Recurring, HashMap<Month, MonthMark>)>> {
        let rows: Vec<RecurringRow> = sql_query(
            "select r.id, r.kind, r.description, r.amount, r.category_id, r.account_id, r.day, m.month, m.mark, m.transaction_id
            from recurring r
            left join recurring_marks m on m.profile_id = $1 and m.recurring_id = r.id
                and m.month between (select $2::date) and (select $3::date)
            where r.profile_id = $1
            order by r.day, r.id",
        )
        .bind::<BigInt, _>(self.profile_id.0)
        .bind::<SqlDate, _>(first.first_day())
        .bind::<SqlDate, _>(last.first_day())
        .cached()
        .load(self.connection)
        .map_err(error)?;
        let mut items: Vec<(Recurring, HashMap<Month, MonthMark>)> = Vec::new();
        for row in rows {
            let mark = row.mark()?;
            match items.last_mut() {
                Some((item, marks)) if item.id.0 == row.id => marks.extend(mark),
                _ => items.push((row.item(self.profile_id)?, mark.into_iter().collect())),
            }
        }
        Ok(items)
    }

    fn recurring_count(&mut self) -> Result<usize> {
        let own = recurring::table.filter(recurring::profile_id.eq(self.profile_id.0));
        own.count().get_result(self.connection).map_err(error).and_then(counted)
    }

    fn recurring_insert(&mut self, new: &NewRecurring) -> Result<RecurringId> {
        diesel::insert_into(recurring::table)
            .values((
                recurring::profile_id.eq(self.profile_id.0),
                recurring::kind.eq(new.kind.as_str()),
                recurring::description.eq(&new.description),
                recurring::amount.eq(Hundredths::from(new.amount)),
                recurring::category_id.eq(new.category_id.0),
                recurring::account_id.eq(new.account_id.map(|id| id.0)),
                recurring::day.eq(i16::from(new.day)),
            ))
            .returning(recurring::id)
            .get_result(self.connection)
            .map(RecurringId)
            .map_err(error)
            .and_then(|id| self.note_created("recurring", [id.0]).map(|()| id))
    }

    fn recurring_update(&mut self, id: RecurringId, new: &NewRecurring) -> Result<bool> {
        self.touch("recurring", "id = any($2)", &[id.0])?;
        diesel::update(recurring::table.find((self.profile_id.0, id.0)))
            .set((
                recurring::kind.eq(new.kind.as_str()),
                recurring::description.eq(&new.description),
                recurring::amount.eq(Hundredths::from(new.amount)),
                recurring::category_id.eq(new.category_id.0),
                recurring::account_id.eq(new.account_id.map(|id| id.0)),
                recurring::day.eq(i16::from(new.day)),
            ))
            .execute(self.connection)
            .map(|count| count > 0)
            .map_err(error)
    }

    fn recurring_delete(&mut self, id: RecurringId) -> Result<bool> {
        self.touch_deleted("recurring", "id = any($2)", &[id.0])?;
        let deleted = diesel::delete(recurring::table.find((self.profile_id.0, id.0))).execute(self.connection);
        deleted.map(|count| count > 0).map_err(error)
    }

    fn recurring_mark_set(&mut self, id: RecurringId, month: Month, mark: MonthMark) -> Result<()> {
        self.watch("recurring_marks", "recurring_id = any($2)", &[id.0])?;
        let transaction_id = match mark {
            MonthMark::Late | MonthMark::Ignored => None,
            MonthMark::Confirmed(transaction_id) => Some(transaction_id.0),
        };
        let noted =
            (recurring_marks::mark.eq(mark.status().as_str()), recurring_marks::transaction_id.eq(transaction_id));
        diesel::insert_into(recurring_marks::table)
            .values((
                recurring_marks::profile_id.eq(self.profile_id.0),
                recurring_marks::recurring_id.eq(id.0),
                recurring_marks::month.eq(month.first_day()),
                noted,
            ))
            .on_conflict((recurring_marks::profile_id, recurring_marks::recurring_id, recurring_marks::month))
            .do_update()
            .set(noted)
            .execute(self.connection)
            .map_err(error)?;
        Ok(())
    }

    fn recurring_mark_clear(&mut self, id: RecurringId, month: Month) -> Result<()> {
        self.touch("recurring_marks", "recurring_id = any($2)", &[id.0])?;
        diesel::delete(recurring_marks::table.find((self.profile_id.0, id.0, month.first_day())))
            .execute(self.connection)
            .map_err(error)?;
        Ok(())
    }

    // Each row is read once and finds its amount band by a binary search. A join with the items or their ranges would take time
    // in proportion to rows × items. `placed` is materialized so that the sort carries no arrays. `offset 0` makes the planner
    // use the index by category. Without it the planner, which does not know the parameters of a prepared statement, reads all
    // rows of the months. A split transaction is one point for each of its lines.
    fn recurring_transactions(
        &mut self,
        first: Month,
        last: Month,
        bands: &[AmountBand],
    ) -> Result<Vec<(Month, MatchTransaction)>> {
        let whole = |number: i128| i64::try_from(number).map_err(|error| Error::Internal(Box::new(error)));
        let cents = bands.iter().map(|band| whole(band.amount_min.cents())).collect::<Result<Vec<_>>>()?;
        let items = bands.iter().map(|band| whole(band.items as i128)).collect::<Result<Vec<_>>>()?;
        let rows: Vec<PointRow> = sql_query(format!(
            "with bands as (
                select * from unnest($4::bigint[], $5::text[], $6::bigint[], $7::bigint[]) with ordinality as band
                    (category_id, kind, cents, items, number)
            ), groups as (
                select category_id, kind, min(number) - 1 as bands_before, array_agg(cents order by number) as cents,
                    min(cents) / 100.0 as amount_min, max(cents) / 100.0 as amount_end
                from bands
                group by category_id, kind
            ), split as materialized (
                select t.id, {PURCHASE} as date, t.kind, l.category_id, l.amount, t.account_id
                from transactions t
                join transaction_lines l on l.profile_id = $1 and l.transaction_id = t.id
                where t.profile_id = $1 and t.is_split and t.date between $2 and $8 and {PURCHASE} between $2 and $3
                    and {COUNTS}
            ), held as materialized (
                select row_number() over (order by b.id, t.position) as id, t.date, t.kind, t.category_id, t.amount,
                    b.account_id
                from pending_bills b
                join pending_bill_rows t on t.profile_id = $1 and t.pending_bill_id = b.id
                where b.profile_id = $1 and b.status = '{pending}' and not t.is_transfer and t.date between $2 and $3
            ), placed as materialized (
                select t.id, t.date, t.kind, t.category_id, t.amount, t.account_id, false as is_held, {NUMBER} as number
                from groups
                cross join lateral (
                    select t.id, {PURCHASE} as date, t.kind, t.category_id, t.amount, t.account_id
                    from transactions t
                    where t.profile_id = $1 and t.category_id = groups.category_id and t.kind = groups.kind
                        and t.first_of_month between $2 and $8 and t.amount >= amount_min and t.amount < amount_end
                        and {PURCHASE} between $2 and $3 and {COUNTS}
                    offset 0
                ) t
                where {UNMARKED}
                union all
                select t.id, t.date, t.kind, t.category_id, t.amount, t.account_id, false, {NUMBER}
                from groups
                join split t on t.category_id = groups.category_id and t.kind = groups.kind
                where t.amount >= amount_min and t.amount < amount_end and {UNMARKED}
                union all
                select t.id, t.date, t.kind, t.category_id, t.amount, t.account_id, true, {NUMBER}
                from groups
                join held t on t.category_id = groups.category_id and t.kind = groups.kind
                where t.amount >= amount_min and t.amount < amount_end
            ), candidates as (
                select placed.*, bands.items,
                    row_number() over (
                        partition by date_trunc('month', placed.date::timestamp), placed.number
                        order by placed.amount, placed.is_held, placed.id
                    ) as place
                from placed
                join bands on bands.number = placed.number and bands.items > 0
            )
            select id, date, kind, category_id, amount, account_id, is_held from candidates where place <= items
            order by is_held, id",
            pending = PendingBillStatus::Pending.as_str(),
        ))
        .bind::<BigInt, _>(self.profile_id.0)
        .bind::<SqlDate, _>(first.first_day())
        .bind::<SqlDate, _>(last.last_day())
        .bind::<Array<BigInt>, _>(bands.iter().map(|band| band.category_id.0).collect::<Vec<_>>())
        .bind::<Array<Text>, _>(bands.iter().map(|band| band.kind.as_str()).collect::<Vec<_>>())
        .bind::<Array<BigInt>, _>(cents)
        .bind::<Array<BigInt>, _>(items)
        .bind::<SqlDate, _>(last.plus(PAID_MONTHS_MAX).last_day())
        .cached()
        .load(self.connection)
        .map_err(error)?;
        let found = rows.into_iter().map(|row| {
            let id = match row.is_held {
                true => CoveredBy::Held(row.id),
                false => CoveredBy::Transaction(TransactionId(row.id)),
            };
            let (category_id, account_id) = (CategoryId(row.category_id), row.account_id.map(AccountId));
            let amount = row.amount.into();
            (Month::of(row.date), MatchTransaction { id, kind: row.kind.0, category_id, amount, account_id })
        });
        Ok(found.collect())
    }
}
