//! Cards: the days of their bills, their former days, and the dates of single bills.

use diesel::QueryableByName;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Date as SqlDate, Integer, Nullable};
use finance_domain::accounts::AccountKind;
use finance_domain::credit_bills::{BillDates, Card, CardRepo, Cycle, Cycles, Replaced};
use finance_domain::openings::OpeningState;
use finance_domain::pending_bills::PendingBillStatus;
use finance_domain::{AccountId, Error, Result};
use time::Date;

use crate::repo::PgRepo;
use crate::row::row;
use crate::schema::{accounts, bill_dates, card_cycles};
use crate::sql::{Arguments, Cache, Fetch};
use crate::sums::COUNTS;

row! {
    /// Either the days that a card had until a date, or the dates of one bill, identified by its closing date under the card's days.
    /// `closing_date` is the one of the bill, or that of the first bill after former days. A card has one row for each of these, or one of
    /// nulls.
    pub(crate) struct DaysRow {
        date: Option<Date> [Nullable<SqlDate>],
        closing_day_before: Option<i32> [Nullable<Integer>],
        due_day_before: Option<i32> [Nullable<Integer>],
        former_closing: Option<Date> [Nullable<SqlDate>],
        closing_date: Option<Date> [Nullable<SqlDate>],
        due_date: Option<Date> [Nullable<SqlDate>],
    }
}

/// The columns of [`DaysRow`], of a table `own`.
pub(crate) const DAYS_COLUMNS: &str =
    "own.date, own.closing_day_before, own.due_day_before, own.former_closing, own.closing_date, own.due_date";

/// The table that has them by `account_id`.
pub(crate) const DAYS: &str = "(
    select account_id, replaced_on as date, closing_day::integer as closing_day_before, due_day::integer as due_day_before,
        former_closing, closes_on as closing_date, null::date as due_date
    from card_cycles where profile_id = $1
    union all
    select account_id, scheduled_closing, null, null, null, closing_date, due_date
    from bill_dates where profile_id = $1
)";

/// A card, with one of its days or dates.
#[derive(QueryableByName)]
struct CardRow {
    #[diesel(embed)]
    card: CardRecord,
    #[diesel(embed)]
    days: DaysRow,
}

row! { struct CardRecord {
    account_id: i64 [BigInt],
    closing_day: i32 [Integer],
    due_day: i32 [Integer],
    complete_until: Option<Date> [Nullable<SqlDate>],
    first_row: Option<Date> [Nullable<SqlDate>],
    payments_stale: bool [Bool],
    opening_is_said: Option<bool> [Nullable<Bool>],
    opening_is_derived: bool [Bool],
    opening_follows: bool [Bool],
} }

fn cycle(closing_day: i32, due_day: i32) -> Result<Cycle> {
    let day = |day: i32| u8::try_from(day).map_err(|error| Error::Internal(Box::new(error)));
    Ok(Cycle { closing_day: day(closing_day)?, due_day: day(due_day)? })
}

/// When the bills of a card close, from its present days and what is stored of others.
pub(crate) fn cycles<'a>(
    (closing_day, due_day): (i32, i32),
    rows: impl IntoIterator<Item = &'a DaysRow>,
) -> Result<Cycles> {
    let (mut replaced, mut of_bills) = (Vec::new(), Vec::new());
    for row in rows {
        match (row.date, row.closing_day_before, row.due_day_before) {
            (Some(on), Some(closing_day), Some(due_day)) => replaced.push(Replaced {
                cycle: cycle(closing_day, due_day)?,
                on,
                closing: row.closing_date,
                former_closing: row.former_closing,
            }),
            (Some(scheduled), ..) => {
                of_bills.push((scheduled, BillDates { closing: row.closing_date, due: row.due_date }));
            }
            (None, ..) => {}
        }
    }
    Ok(Cycles::with_replaced(cycle(closing_day, due_day)?, replaced).with_dates(of_bills))
}

/// Builds the card from its rows. `of_card` is the first of them.
fn card(of_card: &CardRecord, rows: &[CardRow]) -> Result<Card> {
    Ok(Card {
        account_id: AccountId(of_card.account_id),
        cycles: cycles((of_card.closing_day, of_card.due_day), rows.iter().map(|row| &row.days))?,
        complete_until: of_card.complete_until,
        first_row: of_card.first_row,
        opening: OpeningState {
            is_said: of_card.opening_is_said,
            is_derived: of_card.opening_is_derived,
            follows: of_card.opening_follows,
        },
        payments_stale: of_card.payments_stale,
    })
}

impl CardRepo for PgRepo<'_> {
    fn card_list(&mut self) -> Result<Vec<Card>> {
        let query = self.sql(format!(
            "with cards as materialized (
                select a.id as account_id, a.closing_day::integer as closing_day, a.due_day::integer as due_day,
                    a.bills_complete_until as complete_until, a.payments_stale,
                    a.opening_is_said, a.opening_is_derived, a.opening_follows,
                    case when a.bills_complete_until is null then (
                        select min(t.date) from transactions t
                        where t.profile_id = $1 and t.account_id = a.id and {COUNTS}
                    ) end as first_row
                from accounts a
                where a.profile_id = $1 and a.kind = $2
            )
            select cards.*, {DAYS_COLUMNS}
            from cards
            left join {DAYS} own using (account_id)
            order by account_id"
        ));
        let rows: Vec<CardRow> = query.arg(AccountKind::Credit.as_str()).rows(self.connection)?;
        let cards = rows.chunk_by(|row, next| row.card.account_id == next.card.account_id);
        cards.filter_map(|rows| rows.first().map(|first| card(&first.card, rows))).collect()
    }

    fn card_days_put(
        &mut self,
        account_id: AccountId,
        replaced: &[Replaced],
        dates: &[(Date, BillDates)],
    ) -> Result<()> {
        let (profile, account) = (self.profile_id.0, account_id.0);
        self.watch("card_cycles", "account_id = any($2)", &[account])?;
        self.watch("bill_dates", "account_id = any($2)", &[account])?;
        diesel::delete(
            card_cycles::table.filter(card_cycles::profile_id.eq(profile)).filter(card_cycles::account_id.eq(account)),
        )
        .exec(self.connection)?;
        diesel::delete(
            bill_dates::table.filter(bill_dates::profile_id.eq(profile)).filter(bill_dates::account_id.eq(account)),
        )
        .exec(self.connection)?;
        let cycles: Vec<_> = replaced
            .iter()
            .map(|replaced| {
                (
                    card_cycles::profile_id.eq(profile),
                    card_cycles::account_id.eq(account),
                    card_cycles::replaced_on.eq(replaced.on),
                    card_cycles::closing_day.eq(i16::from(replaced.cycle.closing_day)),
                    card_cycles::due_day.eq(i16::from(replaced.cycle.due_day)),
                    card_cycles::closes_on.eq(replaced.closing),
                    card_cycles::former_closing.eq(replaced.former_closing),
                )
            })
            .collect();
        diesel::insert_into(card_cycles::table).values(cycles).exec(self.connection)?;
        let of_bills: Vec<_> = dates
            .iter()
            .filter(|(_, dates)| !dates.is_empty())
            .map(|(scheduled, dates)| {
                (
                    bill_dates::profile_id.eq(profile),
                    bill_dates::account_id.eq(account),
                    bill_dates::scheduled_closing.eq(*scheduled),
                    bill_dates::closing_date.eq(dates.closing),
                    bill_dates::due_date.eq(dates.due),
                )
            })
            .collect();
        diesel::insert_into(bill_dates::table).values(of_bills).exec(self.connection)?;
        diesel::update(accounts::table.find((profile, account)))
            .set(accounts::bills_complete_until.eq(None::<Date>))
            .exec(self.connection)
    }

    fn card_bills_forget_unused(&mut self, account_id: AccountId) -> Result<bool> {
        row! { struct Unused { unused: bool [Bool] } }
        self.touch_deleted("credit_bills", "account_id = any($2)", &[account_id.0])?;
        self.touch("card_cycles", "account_id = any($2)", &[account_id.0])?;
        self.touch("bill_dates", "account_id = any($2)", &[account_id.0])?;
        let query = self.sql(format!(
            "with usage as (
                select not exists (select 1 from transactions t where t.profile_id = $1 and t.account_id = $2)
                    and not exists (select 1 from credit_bill_payments p
                        join credit_bills b on b.profile_id = p.profile_id and b.id = p.bill_id
                        where p.profile_id = $1 and b.account_id = $2)
                    and not exists (select 1 from pending_bills h where h.profile_id = $1 and h.account_id = $2
                        and h.status = '{pending}') as unused
            ), gone_bills as (
                delete from credit_bills where profile_id = $1 and account_id = $2 and (select unused from usage)
            ), gone_cycles as (
                delete from card_cycles where profile_id = $1 and account_id = $2 and (select unused from usage)
            ), gone_dates as (
                delete from bill_dates where profile_id = $1 and account_id = $2 and (select unused from usage)
            ), forgotten as (
                update accounts set bills_complete_until = null
                where profile_id = $1 and id = $2 and (select unused from usage)
            )
            select unused from usage",
            pending = PendingBillStatus::Pending.as_str(),
        ));
        let row: Unused = query.arg(account_id.0).row(self.connection)?;
        Ok(row.unused)
    }

    fn bill_dates_put(&mut self, account_id: AccountId, scheduled: Date, dates: &BillDates) -> Result<()> {
        self.watch("bill_dates", "account_id = any($2)", &[account_id.0])?;
        if dates.is_empty() {
            diesel::delete(bill_dates::table.find((self.profile_id.0, account_id.0, scheduled)))
                .exec(self.connection)?;
            return Ok(());
        }
        let of_bill = (bill_dates::closing_date.eq(dates.closing), bill_dates::due_date.eq(dates.due));
        diesel::insert_into(bill_dates::table)
            .values((
                bill_dates::profile_id.eq(self.profile_id.0),
                bill_dates::account_id.eq(account_id.0),
                bill_dates::scheduled_closing.eq(scheduled),
                of_bill,
            ))
            .on_conflict((bill_dates::profile_id, bill_dates::account_id, bill_dates::scheduled_closing))
            .do_update()
            .set(of_bill)
            .exec(self.connection)
    }
}
