//! Notices of members, and how members want to be told.

use const_format::concatcp;
use diesel::QueryableByName;
use diesel::sql_types::{
    Array, BigInt, Bool, Date as SqlDate, Integer, Nullable, Numeric, SmallInt, Text, Timestamptz,
};
use finance_domain::notices::{
    Channel, ClockTime, DAYS_LISTED, Due, ExpenseRow, KindPreferences, Language, NOTICES_LISTED_MAX, Notice,
    NoticeFilter, NoticeKind, NoticeParams, NoticeRepo, Preferences, StatementFact,
};
use finance_domain::pending_bills::PendingBillStatus;
use finance_domain::transactions::{Kind, Source};
use finance_domain::{
    AccountId, BillId, CategoryId, Error, MemberId, Month, NoticeId, RecurringId, Result, TransactionId,
};
use time::{Date, OffsetDateTime};

use crate::numeric::{Hundredths, bigint};
use crate::repo::{PgRepo, counted};
use crate::row::row;
use crate::sql::{Arguments, Cache, CountRow, Fetch, unnest};
use crate::words::StoredWord;

/// The columns of a [`NoticeRow`].
const COLUMNS: &str =
    "id, kind, subject, created_at, read_at, settled_at, snoozed_until, account_id, bill_id, category_id,
    recurring_id, transaction_id, repeated_id, name, date, month, amount, before, percent, days, row_count, due_count";

/// The state of a delivery that is still to be sent.
pub(crate) const PENDING: &str = "'pending'";
/// The device of a delivery to the member's address.
pub(crate) const ADDRESS: i64 = 0;
/// Where the notices of the member `$2` go, each as the `device_id` of a delivery.
const DESTINATIONS: &str = concatcp!(
    "(select id as device_id from push_devices where profile_id = $1 and member_id = $2
    union all
    select ",
    ADDRESS,
    "::bigint from notice_addresses where profile_id = $1 and member_id = $2 and is_confirmed)"
);
/// Makes the profile due.
pub(crate) const MAKE_DUE: &str = "update profiles set webhooks_due_at = least(webhooks_due_at, now()) where id = $1";

row! { struct NoticeRow {
    id: i64 [BigInt],
    kind: StoredWord<NoticeKind> [Text],
    subject: String [Text],
    created_at: OffsetDateTime [Timestamptz],
    read_at: Option<OffsetDateTime> [Nullable<Timestamptz>],
    settled_at: Option<OffsetDateTime> [Nullable<Timestamptz>],
    snoozed_until: Option<Date> [Nullable<SqlDate>],
    account_id: Option<i64> [Nullable<BigInt>],
    bill_id: Option<i64> [Nullable<BigInt>],
    category_id: Option<i64> [Nullable<BigInt>],
    recurring_id: Option<i64> [Nullable<BigInt>],
    transaction_id: Option<i64> [Nullable<BigInt>],
    repeated_id: Option<i64> [Nullable<BigInt>],
    name: Option<String> [Nullable<Text>],
    date: Option<Date> [Nullable<SqlDate>],
    month: Option<Date> [Nullable<SqlDate>],
    amount: Option<Hundredths> [Nullable<Numeric>],
    before: Option<Hundredths> [Nullable<Numeric>],
    percent: Option<i16> [Nullable<SmallInt>],
    days: Option<i16> [Nullable<SmallInt>],
    row_count: Option<i32> [Nullable<Integer>],
    due_count: Option<i32> [Nullable<Integer>],
} }

impl From<NoticeRow> for Notice {
    fn from(row: NoticeRow) -> Self {
        let params = NoticeParams {
            account_id: row.account_id.map(AccountId),
            bill_id: row.bill_id.map(BillId),
            category_id: row.category_id.map(CategoryId),
            recurring_id: row.recurring_id.map(RecurringId),
            transaction_id: row.transaction_id.map(TransactionId),
            repeated_id: row.repeated_id.map(TransactionId),
            name: row.name,
            date: row.date,
            month: row.month.map(Month::of),
            amount: row.amount.map(Into::into),
            before: row.before.map(Into::into),
            percent: row.percent,
            days: row.days,
            rows: row.row_count,
            due: row.due_count,
        };
        Notice {
            id: NoticeId(row.id),
            kind: row.kind.0,
            subject: row.subject,
            params,
            created_at: row.created_at,
            read_at: row.read_at,
            snoozed_until: row.snoozed_until,
            settled_at: row.settled_at,
        }
    }
}

row! { struct PreferencesRow {
    hour: i16 [SmallInt],
    quiet_from: i16 [SmallInt],
    quiet_to: i16 [SmallInt],
    amounts: bool [Bool],
    language: StoredWord<Language> [Text],
} }

row! { struct KindRow {
    kind: StoredWord<NoticeKind> [Text],
    channels: Vec<StoredWord<Channel>> [Array<Text>],
    limits: Vec<i16> [Array<SmallInt>],
} }

row! { struct StoredExpenseRow {
    id: i64 [BigInt],
    account_id: Option<i64> [Nullable<BigInt>],
    date: Date [SqlDate],
    amount: Hundredths [Numeric],
    description: String [Text],
    text: String [Text],
} }

row! { struct StatementRow {
    account_id: i64 [BigInt],
    name: String [Text],
    date: Date [SqlDate],
} }

fn raw(ids: &[NoticeId]) -> Vec<i64> {
    ids.iter().map(|id| id.0).collect()
}

fn clock_time(minutes: i16) -> Result<ClockTime> {
    ClockTime::from_minutes(minutes).ok_or_else(|| Error::Internal("a stored time is not of a day".into()))
}

/// What the upsert of notices replaces.
const PARAMS: [(&str, &str); 15] = [
    ("account_id", "bigint"),
    ("bill_id", "bigint"),
    ("category_id", "bigint"),
    ("recurring_id", "bigint"),
    ("transaction_id", "bigint"),
    ("repeated_id", "bigint"),
    ("name", "text"),
    ("date", "date"),
    ("month", "date"),
    ("amount", "numeric"),
    ("before", "numeric"),
    ("percent", "smallint"),
    ("days", "smallint"),
    ("row_count", "integer"),
    ("due_count", "integer"),
];

impl NoticeRepo for PgRepo<'_> {
    fn notice_preferences(&mut self, member: MemberId) -> Result<Preferences> {
        let query = self.sql(
            "select hour, quiet_from, quiet_to, amounts, language from notice_preferences
            where profile_id = $1 and member_id = $2",
        );
        let row: Option<PreferencesRow> = query.arg(member.0).row_if_any(self.connection)?;
        let mut preferences = Preferences::default();
        // Both are stored together.
        let Some(row) = row else { return Ok(preferences) };
        preferences.hour = clock_time(row.hour)?;
        preferences.quiet_from = clock_time(row.quiet_from)?;
        preferences.quiet_to = clock_time(row.quiet_to)?;
        preferences.amounts = row.amounts;
        preferences.language = row.language.0;
        let query =
            self.sql("select kind, channels, limits from notice_kinds where profile_id = $1 and member_id = $2");
        let kinds: Vec<KindRow> = query.arg(member.0).rows(self.connection)?;
        for KindRow { kind, channels, limits } in kinds {
            let channels = channels.into_iter().map(|channel| channel.0).collect();
            preferences.put(kind.0, KindPreferences { channels, limits });
        }
        Ok(preferences)
    }

    fn notice_preferences_put(&mut self, member: MemberId, new: &Preferences) -> Result<()> {
        self.sql(
            "insert into notice_preferences (profile_id, member_id, hour, quiet_from, quiet_to, amounts, language)
            values ($1, $2, $3, $4, $5, $6, $7)
            on conflict (profile_id, member_id) do update set hour = excluded.hour, quiet_from = excluded.quiet_from,
                quiet_to = excluded.quiet_to, amounts = excluded.amounts, language = excluded.language",
        )
        .arg(member.0)
        .arg(new.hour.minutes())
        .arg(new.quiet_from.minutes())
        .arg(new.quiet_to.minutes())
        .arg(new.amounts)
        .arg(new.language.as_str())
        .exec(self.connection)?;
        // What waits for another hour is judged anew.
        let query = self.sql(format!(
            "with woken as (
                update notice_deliveries set next_attempt_at = now()
                where profile_id = $1 and member_id = $2 and state = {PENDING} and attempts = 0
                    and next_attempt_at > now()
                returning 1
            )
            {MAKE_DUE} and exists (select 1 from woken)"
        ));
        query.arg(member.0).exec(self.connection)?;
        // Ten kinds at most, each with arrays of its own.
        for (kind, of) in new.kinds() {
            let channels: Vec<&str> = of.channels.iter().map(|channel| channel.as_str()).collect();
            let query = self.sql(
                "insert into notice_kinds (profile_id, member_id, kind, channels, limits) values ($1, $2, $3, $4, $5)
                on conflict (profile_id, member_id, kind) do update
                set channels = excluded.channels, limits = excluded.limits",
            );
            query.arg(member.0).arg(kind.as_str()).arg(channels).arg(&of.limits).run(self.connection)?;
        }
        Ok(())
    }

    fn notice_stored(&mut self, member: MemberId, due: &[Due]) -> Result<Vec<Notice>> {
        let kinds: Vec<&str> = due.iter().map(|due| due.kind.as_str()).collect();
        let subjects: Vec<&str> = due.iter().map(|due| due.subject.as_str()).collect();
        let query = self.sql(format!(
            "select {COLUMNS} from notices n
            where profile_id = $1 and member_id = $2 and settled_at is null
            union all
            select {COLUMNS} from notices n
            where profile_id = $1 and member_id = $2 and settled_at is not null
                and (kind, subject) in (select * from {due})",
            due = unnest(3, &["text", "text"]),
        ));
        query.arg(member.0).arg(kinds).arg(subjects).rows_as(self.connection, |row: NoticeRow| row.into())
    }

    fn notice_store(&mut self, member: MemberId, due: &[&Due]) -> Result<()> {
        let names: Vec<&str> = PARAMS.iter().map(|(name, _)| *name).collect();
        let types: Vec<&str> = ["text", "text"].into_iter().chain(PARAMS.iter().map(|(_, of)| *of)).collect();
        let replaced: Vec<String> = names.iter().map(|name| format!("{name} = excluded.{name}")).collect();
        // In a `with`, see `inserting`.
        let query = format!(
            "with stored as (
                insert into notices (profile_id, member_id, kind, subject, {columns})
                select $1, $2, * from {values}
                on conflict (profile_id, member_id, kind, subject) do update set settled_at = null, {replaced}
                returning id, created_at = now() as is_new
            ), told as (
                insert into notice_deliveries (profile_id, member_id, notice_id, device_id)
                select $1, $2, s.id, d.device_id from stored s cross join {DESTINATIONS} as d where s.is_new
            ), open_again as (
                update notice_deliveries set state = {PENDING}, next_attempt_at = now()
                where profile_id = $1 and state = 'settled' and notice_id in (select id from stored where not is_new)
            ) select count(*) from stored",
            columns = names.join(", "),
            values = unnest(3, &types),
            replaced = replaced.join(", "),
        );
        let of = |value: fn(&NoticeParams) -> Option<i64>| -> Vec<Option<i64>> {
            due.iter().map(|due| value(&due.params)).collect()
        };
        let amounts = |value: fn(&NoticeParams) -> Option<finance_domain::Money>| -> Vec<Option<Hundredths>> {
            due.iter().map(|due| value(&due.params).map(Hundredths::from)).collect()
        };
        let small = |value: fn(&NoticeParams) -> Option<i16>| -> Vec<Option<i16>> {
            due.iter().map(|due| value(&due.params)).collect()
        };
        let whole = |value: fn(&NoticeParams) -> Option<i32>| -> Vec<Option<i32>> {
            due.iter().map(|due| value(&due.params)).collect()
        };
        let dates: Vec<Option<Date>> = due.iter().map(|due| due.params.date).collect();
        let months: Vec<Option<Date>> = due.iter().map(|due| due.params.month.map(Month::first_day)).collect();
        let kinds: Vec<&str> = due.iter().map(|due| due.kind.as_str()).collect();
        let subjects: Vec<&str> = due.iter().map(|due| due.subject.as_str()).collect();
        let called: Vec<Option<&str>> = due.iter().map(|due| due.params.name.as_deref()).collect();
        self.sql(query)
            .arg(member.0)
            .arg(kinds)
            .arg(subjects)
            .arg(of(|params| params.account_id.map(|id| id.0)))
            .arg(of(|params| params.bill_id.map(|id| id.0)))
            .arg(of(|params| params.category_id.map(|id| id.0)))
            .arg(of(|params| params.recurring_id.map(|id| id.0)))
            .arg(of(|params| params.transaction_id.map(|id| id.0)))
            .arg(of(|params| params.repeated_id.map(|id| id.0)))
            .arg(called)
            .arg(dates)
            .arg(months)
            .arg(amounts(|params| params.amount))
            .arg(amounts(|params| params.before))
            .arg(small(|params| params.percent))
            .arg(small(|params| params.days))
            .arg(whole(|params| params.rows))
            .arg(whole(|params| params.due))
            .run(self.connection)
    }

    fn notice_settle(&mut self, member: MemberId, ids: &[NoticeId]) -> Result<()> {
        let query =
            self.sql("update notices set settled_at = now() where profile_id = $1 and member_id = $2 and id = any($3)");
        query.arg(member.0).arg(raw(ids)).exec(self.connection)
    }

    fn notices_forget(&mut self, member: MemberId) -> Result<()> {
        let query = self.sql(format!(
            "delete from notices
            where profile_id = $1 and member_id = $2 and settled_at is not null
                and (created_at < now() - interval '{DAYS_LISTED} days' or id <= (
                    select id from notices where profile_id = $1 and member_id = $2
                    order by id desc offset {NOTICES_LISTED_MAX} limit 1))"
        ));
        query.arg(member.0).run(self.connection)
    }

    fn notice_list(&mut self, member: MemberId, kinds: &[NoticeKind], filter: &NoticeFilter) -> Result<Vec<Notice>> {
        let kinds: Vec<&str> = kinds.iter().map(|kind| kind.as_str()).collect();
        self.sql(format!(
            "select {COLUMNS} from (
                select * from notices
                where profile_id = $1 and member_id = $2 and kind = any((select $3::text[])::text[])
                    and created_at >= now() - interval '{DAYS_LISTED} days'
                order by id desc limit {NOTICES_LISTED_MAX}
            ) as newest
            where ($4::bigint is null or id < $4) and ($5::boolean is null or (read_at is null) = $5)
            order by id desc limit $6"
        ))
        .arg(member.0)
        .arg(kinds)
        .arg(filter.after.map(|id| id.0))
        .arg(filter.is_unread)
        .arg(i64::from(filter.limit))
        .rows_as(self.connection, |row: NoticeRow| row.into())
    }

    fn notice_get(&mut self, member: MemberId, id: NoticeId) -> Result<Option<Notice>> {
        let query =
            self.sql(format!("select {COLUMNS} from notices where profile_id = $1 and member_id = $2 and id = $3"));
        let row: Option<NoticeRow> = query.arg(member.0).arg(id.0).row_if_any(self.connection)?;
        Ok(row.map(Notice::from))
    }

    fn notice_count(&mut self, member: MemberId, ids: &[NoticeId]) -> Result<usize> {
        let query =
            self.sql("select count(*) as count from notices where profile_id = $1 and member_id = $2 and id = any($3)");
        let row: CountRow = query.arg(member.0).arg(raw(ids)).fetch_one(self.connection)?;
        counted(row.count)
    }

    fn notice_read(&mut self, member: MemberId, ids: Option<&[NoticeId]>) -> Result<usize> {
        let query = self.sql(
            "update notices set read_at = now()
            where profile_id = $1 and member_id = $2 and read_at is null and ($3::bigint[] is null or id = any($3))",
        );
        query.arg(member.0).arg(ids.map(raw)).exec_count(self.connection)
    }

    fn notice_snooze(&mut self, member: MemberId, id: NoticeId, until: Option<Date>) -> Result<()> {
        // It is sent again on that day, also where it was sent, and to whoever has come since. The turn that the statement asks for
        // judges when. No longer put off, it is sent only if it never was.
        let query = self.sql(format!(
            "with put_off as (
                update notices set snoozed_until = $4 where profile_id = $1 and member_id = $2 and id = $3 returning id
            ), again as (
                insert into notice_deliveries (profile_id, member_id, notice_id, device_id, again_on)
                select $1, $2, n.id, d.device_id, $4 from put_off n cross join {DESTINATIONS} as d where $4 is not null
                on conflict (profile_id, notice_id, device_id) do update set state = {PENDING}, attempts = 0,
                    next_attempt_at = now(), expires_at = null, sent_on = null, again_on = excluded.again_on, failure = null
            ), no_longer as (
                update notice_deliveries
                set state = case when delivered_at is null then {PENDING} else 'delivered' end, next_attempt_at = now(),
                    again_on = null
                where profile_id = $1 and $4 is null and notice_id in (select id from put_off) and state = {PENDING}
                    and again_on is not null
            )
            {MAKE_DUE} and exists (
                select 1 from put_off cross join {DESTINATIONS} as d)"
        ));
        query.arg(member.0).arg(id.0).arg(until).exec(self.connection)
    }

    fn notice_expenses(&mut self, first: Date, last: Date, limit: usize) -> Result<Vec<ExpenseRow>> {
        let limit = bigint(limit)?;
        let (expense, opening) = (Kind::Expense.as_str(), Source::OpeningBalance.as_str());
        // A row with a day of purchase is found by it: such days have an index of their own.
        let is_expense = format!(
            "t.profile_id = $1 and t.kind = '{expense}' and not t.is_transfer and t.source <> '{opening}'
                and t.installment_number is null"
        );
        let columns = "t.id, t.account_id, t.amount, t.description,
            coalesce(t.statement_description, t.description) as text";
        let expense = |row: StoredExpenseRow| ExpenseRow {
            id: TransactionId(row.id),
            account_id: row.account_id.map(AccountId),
            date: row.date,
            amount: row.amount.into(),
            description: row.description,
            text: row.text,
        };
        let query = self.sql(format!(
            "select {columns}, t.date as date from transactions t
            where {is_expense} and t.original_date is null and t.date between (select $2::date) and (select $3::date)
            union all
            select {columns}, t.original_date from transactions t
            where {is_expense} and t.original_date between (select $2::date) and (select $3::date)
            order by date desc, id desc limit $4"
        ));
        query.arg(first).arg(last).arg(limit).rows_as(self.connection, expense)
    }

    fn notice_statements(&mut self) -> Result<Vec<StatementFact>> {
        let (ofx, csv) = (Source::Ofx.as_str(), Source::Csv.as_str());
        // The last day with a row of a statement is found in the order of each account's index. A row that was entered here and that a
        // statement has too is one. The rows of a card's bill have one day, that of the payment: the last purchase among them counts. A
        // row of a held statement is one too.
        let in_statement = |row: &str| format!("({row}.source in ('{ofx}', '{csv}') or {row}.is_recognised)");
        let fact =
            |row: StatementRow| StatementFact { account_id: AccountId(row.account_id), name: row.name, date: row.date };
        self.sql(format!(
            "select a.id as account_id, a.name, greatest(newest.date, held.date) as date from accounts a
            cross join lateral (
                select max(coalesce(t.original_date, t.date)) as date from transactions t
                where t.profile_id = $1 and t.account_id = a.id and {of_day} and t.date = (
                    select n.date from transactions n
                    where n.profile_id = $1 and n.account_id = a.id and {of_account}
                    order by n.date desc, n.id desc limit 1)
            ) newest
            cross join lateral (
                select max(r.date) as date from pending_bills b
                join pending_bill_rows r on r.profile_id = $1 and r.pending_bill_id = b.id
                where b.profile_id = $1 and b.account_id = a.id and b.status = '{pending}'
            ) held
            where a.profile_id = $1 and greatest(newest.date, held.date) is not null
            order by a.id",
            of_day = in_statement("t"),
            of_account = in_statement("n"),
            pending = PendingBillStatus::Pending.as_str(),
        ))
        .rows_as(self.connection, fact)
    }
}

/// The notices with these ids.
pub(crate) fn notices_of(repo: &mut PgRepo<'_>, ids: Vec<i64>) -> Result<Vec<Notice>> {
    let query = repo.sql(format!(
        "select {COLUMNS} from notices where profile_id = $1 and id = any((select $2::bigint[])::bigint[])"
    ));
    query.arg(ids).rows_as(repo.connection, |row: NoticeRow| row.into())
}

/// Removes what a member was told, and how.
pub(crate) fn forget_member(repo: &mut PgRepo<'_>, member: MemberId) -> Result<()> {
    for table in
        ["notice_deliveries", "notice_addresses", "push_devices", "notices", "notice_preferences", "notice_kinds"]
    {
        let query = repo.sql(format!("delete from {table} where profile_id = $1 and member_id = $2"));
        query.arg(member.0).exec(repo.connection)?;
    }
    Ok(())
}
