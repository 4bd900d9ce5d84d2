//! Recurring items, and their confirmations and dismissals by month.

mod covering;

use const_format::formatcp;
use diesel::QueryableByName;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Date as SqlDate, Nullable, Numeric, SmallInt, Text};
use finance_domain::recurring::{
    AmountBand, DueDayCount, Every, Expects, HistoryRow, KnownRows, LinkableRow, Mark, MatchTransaction, NewRecurring,
    Note, NoteKey, NotedItem, PartRow, PartWindow, Recurring, RecurringRepo, Schedule, Status, Unit, Weekend,
};
use finance_domain::transactions::{Kind, Source};
use finance_domain::{AccountId, CategoryId, Error, Money, Month, ProfileId, RecurringId, Result, TransactionId};
use time::Date;

use crate::constraints::error;
use crate::dashboard::HAS_PENDING_BILLS;
use crate::numeric::{Hundredths, bigint};
use crate::repo::PgRepo;
use crate::row::row;
use crate::schema::{recurring, recurring_due_marks, recurring_links, recurring_marks, rejected_recurring};
use crate::sql::{Arguments, Cache, Fetch};
use crate::sums::COUNTS;
use crate::words::StoredWord;

row! {
    /// An item, with one of its notes if it has any.
    struct RecurringRow {
        id: i64 [BigInt],
        kind: StoredWord<Kind> [Text],
        description: String [Text],
        amount: Hundredths [Numeric],
        category_id: i64 [BigInt],
        account_id: Option<i64> [Nullable<BigInt>],
        day: i16 [SmallInt],
        every_n: i16 [SmallInt],
        every_unit: StoredWord<Unit> [Text],
        start_on: Option<Date> [Nullable<SqlDate>],
        until_on: Option<Date> [Nullable<SqlDate>],
        due_count: Option<i16> [Nullable<SmallInt>],
        day_count: StoredWord<DueDayCount> [Text],
        weekend: StoredWord<Weekend> [Text],
        amount_min: Option<Hundredths> [Nullable<Numeric>],
        amount_max: Option<Hundredths> [Nullable<Numeric>],
        expects: StoredWord<Expects> [Text],
        reserves: bool [Bool],
        noted_on: Option<Date> [Nullable<SqlDate>],
        is_by_due: Option<bool> [Nullable<Bool>],
        /// A mark. None of a link.
        mark: Option<StoredWord<Status>> [Nullable<Text>],
        transaction_id: Option<i64> [Nullable<BigInt>],
        transaction_amount: Option<Hundredths> [Nullable<Numeric>],
        has_held: bool [Bool],
        last_day: Option<Date> [Nullable<SqlDate>],
    }
}

impl RecurringRow {
    fn note(&self) -> Result<Option<(NoteKey, Note)>> {
        let (Some(on), Some(is_by_due)) = (self.noted_on, self.is_by_due) else { return Ok(None) };
        let key = note_key(is_by_due, on);
        let transaction = self.transaction_id.map(TransactionId).zip(self.transaction_amount.map(Money::from));
        let note = match (self.mark.map(|StoredWord(mark)| mark), transaction) {
            (Some(Status::Late), _) => Note::Late,
            (Some(Status::Ignored), _) => Note::Ignored,
            (Some(Status::Confirmed), Some((id, amount))) => Note::Confirmed(id, amount),
            (None, Some((id, amount))) => Note::Linked(id, amount),
            (mark, _) => return Err(Error::Internal(format!("unknown note {:?}", mark.map(Status::as_str)).into())),
        };
        Ok(Some((key, note)))
    }

    fn item(self, profile_id: ProfileId) -> Result<Recurring> {
        fn small<T: TryFrom<i16, Error: std::error::Error + Send + Sync + 'static>>(number: i16) -> Result<T> {
            T::try_from(number).map_err(|error| Error::Internal(Box::new(error)))
        }
        let schedule = Schedule {
            every: Every { n: small(self.every_n)?, unit: self.every_unit.0 },
            start_on: self.start_on,
            until: self.until_on,
            count: self.due_count.map(small).transpose()?,
            day_count: self.day_count.0,
            weekend: self.weekend.0,
            range: self.amount_min.map(Money::from).zip(self.amount_max.map(Money::from)),
            expects: self.expects.0,
            reserve: self.reserves,
        };
        Ok(Recurring {
            id: RecurringId(self.id),
            profile_id,
            kind: self.kind.0,
            description: self.description,
            amount: self.amount.into(),
            category_id: CategoryId(self.category_id),
            account_id: self.account_id.map(AccountId),
            day: small(self.day)?,
            schedule,
        })
    }
}

/// The columns of an item that a client sets.
#[derive(Insertable, AsChangeset)]
#[diesel(table_name = recurring, treat_none_as_null = true)]
struct ItemColumns<'a> {
    kind: &'static str,
    description: &'a str,
    amount: Hundredths,
    category_id: i64,
    account_id: Option<i64>,
    day: i16,
    every_n: i16,
    every_unit: &'static str,
    start_on: Option<Date>,
    until_on: Option<Date>,
    due_count: Option<i16>,
    day_count: &'static str,
    weekend: &'static str,
    amount_min: Option<Hundredths>,
    amount_max: Option<Hundredths>,
    expects: &'static str,
    reserves: bool,
}

impl<'a> ItemColumns<'a> {
    fn of(new: &'a NewRecurring) -> Result<Self> {
        let small = |number: u16| i16::try_from(number).map_err(|error| Error::Internal(Box::new(error)));
        let Schedule { every, start_on, until, count, day_count, weekend, range, expects, reserve } = new.schedule;
        Ok(ItemColumns {
            kind: new.kind.as_str(),
            description: &new.description,
            amount: Hundredths::from(new.amount),
            category_id: new.category_id.0,
            account_id: new.account_id.map(|id| id.0),
            day: i16::from(new.day),
            every_n: small(every.n)?,
            every_unit: every.unit.as_str(),
            start_on,
            until_on: until,
            due_count: count.map(small).transpose()?,
            day_count: day_count.as_str(),
            weekend: weekend.as_str(),
            amount_min: range.map(|(low, _)| Hundredths::from(low)),
            amount_max: range.map(|(_, high)| Hundredths::from(high)),
            expects: expects.as_str(),
            reserves: reserve,
        })
    }
}

row! { struct LinkableRecord {
    id: i64 [BigInt],
    kind: StoredWord<Kind> [Text],
    is_apart: bool [Bool],
    recurring_id: Option<i64> [Nullable<BigInt>],
    is_by_due: Option<bool> [Nullable<Bool>],
    noted_on: Option<Date> [Nullable<SqlDate>],
} }

row! { struct HistoryRecord {
    id: i64 [BigInt],
    kind: StoredWord<Kind> [Text],
    category_id: Option<i64> [Nullable<BigInt>],
    account_id: Option<i64> [Nullable<BigInt>],
    date: Date [SqlDate],
    amount: Hundredths [Numeric],
    payee: String [Text],
} }

row! { struct NotedDue {
    is_by_due: bool [Bool],
    noted_on: Date [SqlDate],
} }

/// What a note is kept by, as it is stored.
fn note_key(is_by_due: bool, on: Date) -> NoteKey {
    if is_by_due { NoteKey::Due(on) } else { NoteKey::Month(Month::of(on)) }
}

/// Whether the item `r` is due every so many days, so that what is said of a due is kept by its day and not by its month.
const BY_DAYS: &str = formatcp!("(r.every_unit in ('{}', '{}'))", Unit::Day.as_str(), Unit::Week.as_str());

/// The date by which the transaction `t` covers an item: that of its purchase.
const PURCHASE: &str = "coalesce(t.original_date, t.date)";

impl RecurringRepo for PgRepo<'_> {
    fn recurring_list(&mut self, first: Month, last: Month) -> Result<(Vec<NotedItem>, KnownRows)> {
        // The last day is that of the first entry of either index.
        let query = self.sql(formatcp!(
            "select r.id, r.kind, r.description, r.amount, r.category_id, r.account_id, r.day, r.every_n, r.every_unit,
                r.start_on, r.until_on, r.due_count, r.day_count, r.weekend, r.amount_min, r.amount_max, r.expects, r.reserves,
                n.noted_on, n.is_by_due, n.mark, n.transaction_id, n.transaction_amount,
                {HAS_PENDING_BILLS} as has_held,
                greatest(
                    (select date from transactions where profile_id = $1 order by date desc limit 1),
                    (select original_date from transactions where profile_id = $1 and original_date is not null
                    order by original_date desc limit 1)
                ) as last_day
            from recurring r
            left join (
                select noted.*, t.amount as transaction_amount, t.kind, t.is_transfer
                from (
                    select recurring_id, month as noted_on, false as is_by_due, mark, transaction_id from recurring_marks
                    where profile_id = $1 and month between (select $2::date) and (select $3::date)
                    union all
                    select recurring_id, due, true, mark, transaction_id from recurring_due_marks
                    where profile_id = $1 and due between (select $2::date) and (select $3::date)
                    union all
                    select recurring_id, due, is_by_due, null, transaction_id from recurring_links
                    where profile_id = $1 and due between (select $2::date) and (select $3::date)
                ) noted
                left join transactions t on t.profile_id = $1 and t.id = noted.transaction_id
            -- A linked row that has become a transfer since, or is of the other type, covers nothing. What is marked stays so.
            ) n on n.recurring_id = r.id and (n.mark is not null or n.kind = r.kind and not n.is_transfer)
            where r.profile_id = $1
            order by r.day, r.id, n.noted_on, n.transaction_id",
        ));
        let rows: Vec<RecurringRow> = query.arg(first.first_day()).arg(last.last_day()).rows(self.connection)?;
        let mut known_rows = KnownRows::default();
        let mut items: Vec<NotedItem> = Vec::new();
        for row in rows {
            known_rows = KnownRows { has_held: row.has_held, last_day: row.last_day };
            let note = row.note()?;
            match items.last_mut() {
                Some(noted) if noted.item.id.0 == row.id => noted.notes.extend(note),
                _ => items.push(NotedItem { item: row.item(self.profile_id)?, notes: note.into_iter().collect() }),
            }
        }
        Ok((items, known_rows))
    }

    fn recurring_insert(&mut self, new: &NewRecurring) -> Result<RecurringId> {
        diesel::insert_into(recurring::table)
            .values((recurring::profile_id.eq(self.profile_id.0), ItemColumns::of(new)?))
            .returning(recurring::id)
            .get_result(self.connection)
            .map(RecurringId)
            .map_err(error)
            .and_then(|id| self.note_created("recurring", [id.0]).map(|()| id))
    }

    fn recurring_update(&mut self, id: RecurringId, new: &NewRecurring) -> Result<bool> {
        self.touch("recurring", "id = any($2)", &[id.0])?;
        diesel::update(recurring::table.find((self.profile_id.0, id.0)))
            .set(ItemColumns::of(new)?)
            .execute(self.connection)
            .map(|count| count > 0)
            .map_err(error)
    }

    fn recurring_delete(&mut self, id: RecurringId) -> Result<bool> {
        self.touch_deleted("recurring", "id = any($2)", &[id.0])?;
        let deleted = diesel::delete(recurring::table.find((self.profile_id.0, id.0))).execute(self.connection);
        deleted.map(|count| count > 0).map_err(error)
    }

    fn recurring_mark_set(&mut self, id: RecurringId, key: NoteKey, mark: Mark) -> Result<()> {
        match key {
            NoteKey::Month(_) => self.watch("recurring_marks", "recurring_id = any($2)", &[id.0])?,
            NoteKey::Due(_) => self.watch("recurring_due_marks", "recurring_id = any($2)", &[id.0])?,
        }
        let transaction_id = match mark {
            Mark::Late | Mark::Ignored => None,
            Mark::Confirmed(transaction_id) => Some(transaction_id.0),
        };
        let word = mark.status().as_str();
        match key {
            NoteKey::Month(month) => {
                let noted = (recurring_marks::mark.eq(word), recurring_marks::transaction_id.eq(transaction_id));
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
            }
            NoteKey::Due(due) => {
                let noted =
                    (recurring_due_marks::mark.eq(word), recurring_due_marks::transaction_id.eq(transaction_id));
                diesel::insert_into(recurring_due_marks::table)
                    .values((
                        recurring_due_marks::profile_id.eq(self.profile_id.0),
                        recurring_due_marks::recurring_id.eq(id.0),
                        recurring_due_marks::due.eq(due),
                        noted,
                    ))
                    .on_conflict((
                        recurring_due_marks::profile_id,
                        recurring_due_marks::recurring_id,
                        recurring_due_marks::due,
                    ))
                    .do_update()
                    .set(noted)
                    .execute(self.connection)
            }
        }
        .map_err(error)?;
        Ok(())
    }

    fn recurring_mark_clear(&mut self, id: RecurringId, key: NoteKey) -> Result<()> {
        match key {
            NoteKey::Month(_) => self.touch("recurring_marks", "recurring_id = any($2)", &[id.0])?,
            NoteKey::Due(_) => self.touch("recurring_due_marks", "recurring_id = any($2)", &[id.0])?,
        }
        match key {
            NoteKey::Month(month) => {
                diesel::delete(recurring_marks::table.find((self.profile_id.0, id.0, month.first_day())))
                    .execute(self.connection)
            }
            NoteKey::Due(due) => {
                diesel::delete(recurring_due_marks::table.find((self.profile_id.0, id.0, due))).execute(self.connection)
            }
        }
        .map_err(error)?;
        Ok(())
    }

    fn recurring_note_keys(&mut self, id: RecurringId) -> Result<Vec<NoteKey>> {
        let query = self.sql(
            "select false as is_by_due, month as noted_on from recurring_marks where profile_id = $1 and recurring_id = $2
            union
            select true, due from recurring_due_marks where profile_id = $1 and recurring_id = $2
            union
            select is_by_due, due from recurring_links where profile_id = $1 and recurring_id = $2",
        );
        query.arg(id.0).fetch_as(self.connection, |row: NotedDue| note_key(row.is_by_due, row.noted_on))
    }

    fn recurring_notes_delete(&mut self, id: RecurringId, keys: &[NoteKey]) -> Result<()> {
        let stored = keys.iter().map(|key| match key {
            NoteKey::Month(month) => (false, month.first_day()),
            NoteKey::Due(due) => (true, *due),
        });
        let (by_due, days): (Vec<bool>, Vec<Date>) = stored.unzip();
        for (table, key) in [
            ("recurring_marks", "false, month"),
            ("recurring_due_marks", "true, due"),
            ("recurring_links", "is_by_due, due"),
        ] {
            self.touch(table, "recurring_id = any($2)", &[id.0])?;
            let query = self.sql(format!(
                "delete from {table} where profile_id = $1 and recurring_id = $2
                    and ({key}) in (select * from unnest($3::boolean[], $4::date[]))"
            ));
            query.arg(id.0).arg(&by_due).arg(&days).exec(self.connection)?;
        }
        Ok(())
    }

    fn recurring_linkable(&mut self, ids: &[TransactionId]) -> Result<Vec<LinkableRow>> {
        let linkable = |row: LinkableRecord| {
            let key = row.noted_on.zip(row.is_by_due).map(|(on, is_by_due)| note_key(is_by_due, on));
            let (id, of) = (TransactionId(row.id), row.recurring_id.map(RecurringId).zip(key));
            LinkableRow { id, kind: row.kind.0, is_apart: row.is_apart, of }
        };
        let query = self.sql(format!(
            "select t.id, t.kind, not ({COUNTS}) as is_apart, n.recurring_id, n.is_by_due, n.noted_on
            from transactions t
            left join (
                select m.transaction_id, m.recurring_id, false as is_by_due, m.month as noted_on, null as kind from recurring_marks m
                join recurring r on r.profile_id = $1 and r.id = m.recurring_id and not {BY_DAYS}
                where m.profile_id = $1 and m.transaction_id = any ($2)
                union all
                select m.transaction_id, m.recurring_id, true, m.due, null from recurring_due_marks m
                join recurring r on r.profile_id = $1 and r.id = m.recurring_id and {BY_DAYS}
                where m.profile_id = $1 and m.transaction_id = any ($2)
                union all
                select m.transaction_id, m.recurring_id, m.is_by_due, m.due, r.kind from recurring_links m
                join recurring r on r.profile_id = $1 and r.id = m.recurring_id and {BY_DAYS} = m.is_by_due
                where m.profile_id = $1 and m.transaction_id = any ($2)
            ) n on n.transaction_id = t.id and coalesce(n.kind, t.kind) = t.kind
            where t.profile_id = $1 and t.id = any ($2)"
        ));
        query.arg(ids.iter().map(|id| id.0).collect::<Vec<_>>()).rows_as(self.connection, linkable)
    }

    fn recurring_links_set(&mut self, id: RecurringId, key: NoteKey, ids: &[TransactionId]) -> Result<()> {
        let (is_by_due, due) = match key {
            NoteKey::Due(due) => (true, due),
            NoteKey::Month(month) => (false, month.first_day()),
        };
        self.watch("recurring_links", "recurring_id = any($2)", &[id.0])?;
        let of_due = recurring_links::table
            .filter(recurring_links::profile_id.eq(self.profile_id.0))
            .filter(recurring_links::recurring_id.eq(id.0))
            .filter(recurring_links::is_by_due.eq(is_by_due))
            .filter(recurring_links::due.eq(due));
        diesel::delete(of_due).exec(self.connection)?;
        if ids.is_empty() {
            return Ok(());
        }
        let ids: Vec<i64> = ids.iter().map(|id| id.0).collect();
        // Links that cover nothing any more.
        self.watch("recurring_links", "transaction_id = any($2)", &ids)?;
        let of_rows = recurring_links::table
            .filter(recurring_links::profile_id.eq(self.profile_id.0))
            .filter(recurring_links::transaction_id.eq_any(&ids));
        diesel::delete(of_rows).exec(self.connection)?;
        let link = |transaction: &i64| {
            (
                recurring_links::profile_id.eq(self.profile_id.0),
                recurring_links::transaction_id.eq(*transaction),
                recurring_links::recurring_id.eq(id.0),
                recurring_links::is_by_due.eq(is_by_due),
                recurring_links::due.eq(due),
            )
        };
        let links: Vec<_> = ids.iter().map(link).collect();
        diesel::insert_into(recurring_links::table).values(links).exec(self.connection)
    }

    fn recurring_parts(&mut self, windows: &[PartWindow], limit: usize) -> Result<Vec<PartRow>> {
        self.rows_in_windows(windows, limit)
    }

    fn recurring_history(&mut self, since: Date, limit: usize) -> Result<Vec<HistoryRow>> {
        let limit = bigint(limit)?;
        let row = |row: HistoryRecord| HistoryRow {
            id: TransactionId(row.id),
            kind: row.kind.0,
            category_id: row.category_id.map(CategoryId),
            account_id: row.account_id.map(AccountId),
            date: row.date,
            amount: row.amount.into(),
            payee: row.payee.into(),
            covers: None,
        };
        let query = self.sql(format!(
            "select t.id, t.kind, t.category_id, t.account_id, {PURCHASE} as date, t.amount,
                coalesce(t.statement_description_normalized, t.description_normalized) as payee
            from transactions t
            where t.profile_id = $1 and t.date >= (select $2::date) and {COUNTS} and t.source <> '{yields}'
                and t.installment_count is null
            order by t.date desc, t.id desc
            limit $3",
            yields = Source::Yield.as_str(),
        ));
        query.arg(since).arg(limit).rows_as(self.connection, row)
    }

    fn rejected_recurring_list(&mut self) -> Result<Vec<String>> {
        rejected_recurring::table
            .filter(rejected_recurring::profile_id.eq(self.profile_id.0))
            .select(rejected_recurring::suggestion)
            .fetch(self.connection)
    }

    fn rejected_recurring_insert(&mut self, suggestion: &str, of: Option<RecurringId>) -> Result<()> {
        self.watch("rejected_recurring", "true", &[])?;
        diesel::insert_into(rejected_recurring::table)
            .values((
                rejected_recurring::profile_id.eq(self.profile_id.0),
                rejected_recurring::suggestion.eq(suggestion),
                rejected_recurring::recurring_id.eq(of.map(|id| id.0)),
            ))
            .exec(self.connection)
    }

    fn recurring_transactions(
        &mut self,
        months: (Month, Month),
        bands: &[AmountBand],
        has_held: bool,
    ) -> Result<Vec<(Date, MatchTransaction)>> {
        self.rows_in_bands(months, bands, has_held)
    }
}
