//! Anchors. `sums.rs` keeps the sum of the rows up to the day of each, so no read adds up rows, however many there are.
//!
//! What counts of them is the rule [`checks`](finance_domain::anchors::checks); [`COUNTS`] is its counterpart here, which lets a
//! list or an account read only what it shows.

use std::collections::HashMap;

use const_format::{concatcp, formatcp};
use diesel::QueryableByName;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Date as SqlDate, Nullable, Numeric, Text};
use finance_domain::anchors::{
    Agreement, Anchor, AnchorRepo, Check, Followed, KnownAnchor, Span, Suspect, SuspectKind,
};
use finance_domain::imports::LeftOutRow;
use finance_domain::openings::{Opening, StoredOpening};
use finance_domain::transactions::{Kind, Source};
use finance_domain::{AccountId, AnchorId, ImportId, Money, Result, TransactionId};
use time::Date;

use crate::numeric::Hundredths;
use crate::repo::{PgRepo, counted};
use crate::row::row;
use crate::schema::anchors;
use crate::sql::{Arguments, Cache, Fetch, column, inserting, unnest};
use crate::words::StoredWord;

/// The most rows of a span that are looked at for suspects.
const SPAN_ROWS_MAX: i64 = 500;

/// The amount of the row `t` with its sign.
const SIGNED: &str = formatcp!("case t.kind when '{}' then t.amount else -t.amount end", Kind::Income.as_str());

/// The row `t` is an opening balance.
const IS_OPENING: &str = formatcp!("t.source = '{}'", Source::OpeningBalance.as_str());
/// Condition: a row of `transactions` is an opening balance that follows what a person said of another day.
pub(crate) const OPENING_FOLLOWS: &str = formatcp!(
    "source = '{}' and exists (select from anchors said
        where said.profile_id = $1 and said.account_id = transactions.account_id and said.import_id is null)",
    Source::OpeningBalance.as_str()
);

/// The anchors that opening balances follow, by account, and these opening balances. The service keeps one of each such account.
const FOLLOWING: &str = formatcp!(
    "following as materialized (
        select said.account_id, said.id, o.date, o.balance
        from (
            select account_id, min(id) as id from anchors
            where profile_id = $1 and import_id is null and ($2 is null or account_id = $2)
            group by account_id
        ) said
        left join lateral (
            select t.date, {SIGNED} as balance
            from transactions t
            where t.profile_id = $1 and t.account_id = said.account_id and {IS_OPENING}
            limit 1
        ) o on true
    )"
);

/// What the rows up to the day of the anchor `a` come to, beside the row `f` of [`FOLLOWING`].
const COMPUTED: &str = "(a.rows_total + case when f.date > a.date then f.balance else 0 end)";

/// An import later than that of the anchor `a` has a row of its day.
const HAS_LATER_ROWS: &str = "exists (select 1 from transactions t
    where t.profile_id = $1 and t.account_id = a.account_id and t.date = a.date and t.import_id > a.import_id)";

/// The anchor `a` of the profile $1 counts, beside the row `f` of [`FOLLOWING`].
const COUNTS: &str = formatcp!(
    "(a.import_id is null or (a.amount <> 0 or {COMPUTED} = 0)
        and not exists (select 1 from anchors other
            where other.profile_id = $1 and other.account_id = a.account_id and other.date = a.date
                and (other.import_id is null or other.import_id > a.import_id))
        and not {HAS_LATER_ROWS})"
);

row! { struct FollowedRow {
    account_id: i64 [BigInt],
    date: Date [SqlDate],
    amount: Hundredths [Numeric],
    rows_total: Hundredths [Numeric],
    first_row: Option<Date> [Nullable<SqlDate>],
    opening_id: Option<i64> [Nullable<BigInt>],
    opening_date: Option<Date> [Nullable<SqlDate>],
    opening_balance: Option<Hundredths> [Nullable<Numeric>],
} }

row! { struct CheckRow {
    id: i64 [BigInt],
    date: Date [SqlDate],
    amount: Hundredths [Numeric],
    import_id: Option<i64> [Nullable<BigInt>],
    computed: Hundredths [Numeric],
    is_followed: bool [Bool],
} }

impl From<CheckRow> for Check {
    fn from(row: CheckRow) -> Self {
        Check {
            anchor: Anchor {
                id: AnchorId(row.id),
                date: row.date,
                amount: row.amount.into(),
                import_id: row.import_id.map(ImportId),
            },
            computed: row.computed.into(),
            is_followed: row.is_followed,
        }
    }
}

row! { struct KnownRow {
    id: i64 [BigInt],
    date: Date [SqlDate],
    amount: Hundredths [Numeric],
    import_id: Option<i64> [Nullable<BigInt>],
    rows_total: Hundredths [Numeric],
    has_later_rows: bool [Bool],
} }

row! { struct OpeningRow {
    date: Date [SqlDate],
    balance: Hundredths [Numeric],
} }

row! { struct AgreementRow {
    account_id: i64 [BigInt],
    id: Option<i64> [Nullable<BigInt>],
    date: Option<Date> [Nullable<SqlDate>],
    amount: Option<Hundredths> [Nullable<Numeric>],
    import_id: Option<i64> [Nullable<BigInt>],
    computed: Option<Hundredths> [Nullable<Numeric>],
    agrees_until: Option<Date> [Nullable<SqlDate>],
} }

row! { struct SuspectRow {
    id: Option<i64> [Nullable<BigInt>],
    import_id: Option<i64> [Nullable<BigInt>],
    date: Date [SqlDate],
    kind: StoredWord<Kind> [Text],
    amount: Hundredths [Numeric],
    description: String [Text],
} }

impl SuspectRow {
    fn suspect(self, kind: SuspectKind) -> Suspect {
        Suspect {
            kind,
            transaction_id: self.id.map(TransactionId),
            import_id: self.import_id.map(ImportId),
            date: self.date,
            amount: self.amount.into(),
            row_kind: self.kind.0,
            description: self.description,
        }
    }
}

row! { struct FollowsRow { follows: bool [Bool] } }

row! { struct MostRow { most: i64 [BigInt] } }

impl AnchorRepo for PgRepo<'_> {
    fn anchor_followed(&mut self) -> Result<Vec<Followed>> {
        if !self.anchors_moved {
            return Ok(Vec::new());
        }
        self.anchors_moved = false;
        let query = self.sql(formatcp!(
            "select a.account_id, a.date, a.amount, a.rows_total, (
                    select t.date from transactions t
                    where t.profile_id = $1 and t.account_id = a.account_id and not ({IS_OPENING})
                    order by t.date
                    limit 1
                ) as first_row, o.id as opening_id, o.date as opening_date, o.balance as opening_balance
            from (
                select min(id) as id from anchors where profile_id = $1 and import_id is null group by account_id
            ) said
            join anchors a on a.profile_id = $1 and a.id = said.id
            left join lateral (
                select t.id, t.date, {SIGNED} as balance
                from transactions t
                where t.profile_id = $1 and t.account_id = a.account_id and {IS_OPENING}
            ) o on true
            order by a.account_id, o.id"
        ));
        let rows: Vec<FollowedRow> = query.rows(self.connection)?;
        let of_accounts = rows.chunk_by(|row, next| row.account_id == next.account_id);
        Ok(of_accounts.filter_map(followed).collect())
    }

    fn anchor_follows(&mut self, accounts: &[AccountId]) -> Result<bool> {
        let query = self.sql(
            "select exists (select 1 from anchors
                where profile_id = $1 and account_id = any($2) and import_id is null) as follows",
        );
        let row: FollowsRow = query.arg(accounts.iter().map(|id| id.0).collect::<Vec<_>>()).row(self.connection)?;
        Ok(row.follows)
    }

    fn anchor_put(&mut self, account_id: AccountId, date: Date, amount: Money) -> Result<()> {
        self.watch("anchors", "account_id = any($2)", &[account_id.0])?;
        let stated = anchors::table
            .filter(anchors::profile_id.eq(self.profile_id.0))
            .filter(anchors::account_id.eq(account_id.0))
            .filter(anchors::date.eq(date))
            .filter(anchors::import_id.is_null());
        let updated =
            diesel::update(stated).set(anchors::amount.eq(Hundredths::from(amount))).exec_count(self.connection)?;
        self.note_anchors(account_id);
        if updated > 0 { Ok(()) } else { self.insert_anchors(account_id, None, &[(date, amount)]) }
    }

    fn anchor_delete(&mut self, account_id: AccountId, date: Date) -> Result<bool> {
        self.touch("anchors", "account_id = any($2)", &[account_id.0])?;
        let stated = anchors::table
            .filter(anchors::profile_id.eq(self.profile_id.0))
            .filter(anchors::account_id.eq(account_id.0))
            .filter(anchors::date.eq(date))
            .filter(anchors::import_id.is_null());
        let deleted = diesel::delete(stated).exec_count(self.connection)?;
        self.note_anchors(account_id);
        Ok(deleted > 0)
    }

    fn anchor_insert(&mut self, account_id: AccountId, import_id: ImportId, balances: &[(Date, Money)]) -> Result<()> {
        if balances.is_empty() {
            return Ok(());
        }
        self.watch("anchors", "account_id = any($2)", &[account_id.0])?;
        self.insert_anchors(account_id, Some(import_id), balances)
    }

    fn anchor_count(&mut self, account_id: AccountId) -> Result<usize> {
        let own = anchors::table
            .filter(anchors::profile_id.eq(self.profile_id.0))
            .filter(anchors::account_id.eq(account_id.0));
        own.count().fetch_one(self.connection).and_then(counted)
    }

    fn anchor_count_max(&mut self) -> Result<usize> {
        let query = self.sql(
            "select coalesce(max(own.count), 0) as most from (
                select count(*) as count from anchors where profile_id = $1 group by account_id
            ) own",
        );
        let row: MostRow = query.row(self.connection)?;
        counted(row.most)
    }

    fn anchor_list(&mut self, account_id: AccountId) -> Result<(Vec<KnownAnchor>, Vec<Opening>)> {
        let query = self.sql(formatcp!(
            "select a.id, a.date, a.amount, a.import_id, a.rows_total,
                a.import_id is not null and {HAS_LATER_ROWS} as has_later_rows
            from anchors a
            where a.profile_id = $1 and a.account_id = $2"
        ));
        let rows: Vec<KnownRow> = query.arg(account_id.0).rows(self.connection)?;
        let query = self.sql(formatcp!(
            "select t.date, {SIGNED} as balance
            from transactions t
            where t.profile_id = $1 and t.account_id = $2 and {IS_OPENING}"
        ));
        let openings: Vec<OpeningRow> = query.arg(account_id.0).rows(self.connection)?;
        let known = rows.into_iter().map(|row| KnownAnchor {
            anchor: Anchor {
                id: AnchorId(row.id),
                date: row.date,
                amount: row.amount.into(),
                import_id: row.import_id.map(ImportId),
            },
            rows: row.rows_total.into(),
            has_later_rows: row.has_later_rows,
        });
        let opening = |row: OpeningRow| Opening { date: row.date, balance: row.balance.into() };
        Ok((known.collect(), openings.into_iter().map(opening).collect()))
    }

    fn anchor_checks(&mut self, account_id: AccountId, before: Option<Date>, limit: u32) -> Result<Vec<Check>> {
        self.sql(formatcp!(
            "with {FOLLOWING}
            select a.id, a.date, a.amount, a.import_id, {COMPUTED} as computed, a.id is not distinct from f.id as is_followed
            from anchors a
            left join following f on f.account_id = a.account_id
            where a.profile_id = $1 and a.account_id = $2 and ($3 is null or a.date < $3) and {COUNTS}
            order by a.date desc
            limit $4"
        ))
        .arg(Some(account_id.0))
        .arg(before)
        .arg(i64::from(limit))
        .rows_as(self.connection, |row: CheckRow| row.into())
    }

    fn anchor_agreements(&mut self, account_id: Option<AccountId>) -> Result<HashMap<AccountId, Agreement>> {
        let agreement = |row: AgreementRow| {
            let first_difference = match (row.id, row.date, row.amount, row.computed) {
                (Some(id), Some(date), Some(amount), Some(computed)) => Some(Check {
                    anchor: Anchor {
                        id: AnchorId(id),
                        date,
                        amount: amount.into(),
                        import_id: row.import_id.map(ImportId),
                    },
                    computed: computed.into(),
                    // That one always agrees.
                    is_followed: false,
                }),
                _ => None,
            };
            (AccountId(row.account_id), Agreement { first_difference, agrees_until: row.agrees_until })
        };
        let query = self.sql(formatcp!(
            "with {FOLLOWING}, known as materialized (
                select distinct account_id from anchors where profile_id = $1 and ($2 is null or account_id = $2)
            )
            select known.account_id, d.id, d.date, d.amount, d.import_id, d.computed, g.date as agrees_until
            from known
            left join following f on f.account_id = known.account_id
            left join lateral (
                select a.id, a.date, a.amount, a.import_id, {COMPUTED} as computed
                from anchors a
                where a.profile_id = $1 and a.account_id = known.account_id and a.amount <> {COMPUTED} and {COUNTS}
                order by a.date
                limit 1
            ) d on true
            left join lateral (
                select a.date
                from anchors a
                where a.profile_id = $1 and a.account_id = known.account_id and a.id is distinct from f.id
                    and (d.date is null or a.date < d.date) and {COUNTS}
                order by a.date desc
                limit 1
            ) g on true"
        ));
        query.arg(account_id.map(|id| id.0)).rows_as(self.connection, agreement)
    }

    fn anchor_rows(&mut self, account_id: AccountId, span: &Span, amounts: &[Money]) -> Result<Vec<Suspect>> {
        self.sql(formatcp!(
            "select t.id, t.import_id, t.date, t.kind, t.amount, t.description
            from transactions t
            where t.profile_id = $1 and t.account_id = $2 and t.date > coalesce($3, '-infinity'::date) and t.date <= $4
                and t.amount = any($5) and not ({IS_OPENING})
            order by t.date desc, t.id desc
            limit $6"
        ))
        .arg(account_id.0)
        .arg(span.after)
        .arg(span.until)
        .arg(amounts.iter().map(|amount| Hundredths::from(*amount)).collect::<Vec<_>>())
        .arg(SPAN_ROWS_MAX)
        .rows_as(self.connection, |row: SuspectRow| row.suspect(SuspectKind::Extra))
    }

    fn left_out_list(&mut self, account_id: AccountId, span: &Span, amount: Money) -> Result<Vec<Suspect>> {
        self.sql(concatcp!(
            "select null::bigint as id, l.import_id, l.date, l.kind, l.amount, l.description
            from left_out_rows l
            where l.profile_id = $1 and l.date > coalesce($3, '-infinity'::date) and l.date <= $4
                and l.kind = $5 and l.amount = $6
                and (l.account_id = $2 or l.account_id is null and exists (select 1 from transactions t
                    where t.profile_id = $1 and t.import_id = l.import_id and t.account_id = $2))
            order by l.date desc, l.import_id desc, l.position
            limit $7"
        ))
        .arg(account_id.0)
        .arg(span.after)
        .arg(span.until)
        .arg(Kind::of(amount).as_str())
        .arg(Hundredths::from(amount.abs()))
        .arg(SPAN_ROWS_MAX)
        .rows_as(self.connection, |row: SuspectRow| row.suspect(SuspectKind::LeftOut))
    }

    fn left_out_insert(&mut self, import_id: ImportId, rows: &[LeftOutRow]) -> Result<()> {
        let positions = (0..rows.len()).filter_map(|at| i16::try_from(at).ok()).collect::<Vec<_>>();
        self.sql(inserting(&format!(
            "insert into left_out_rows (profile_id, import_id, position, account_id, date, kind, amount, description)
            select $1, $2, given.* from {} as given",
            unnest(3, &["smallint", "bigint", "date", "text", "numeric", "text"])
        )))
        .arg(import_id.0)
        .arg(positions)
        .arg(column(rows, |row| row.account_id.map(|id| id.0)))
        .arg(column(rows, |row| row.date))
        .arg(column(rows, |row| row.kind.as_str()))
        .arg(column(rows, |row| Hundredths::from(row.amount)))
        .arg(column(rows, |row| row.description.as_str()))
        .run(self.connection)
    }
}

/// The rows of one account as one value.
fn followed(rows: &[FollowedRow]) -> Option<Followed> {
    let first = rows.first()?;
    let openings: Vec<StoredOpening> = rows
        .iter()
        .filter_map(|row| {
            let opening = Opening { date: row.opening_date?, balance: row.opening_balance?.into() };
            Some(StoredOpening { id: TransactionId(row.opening_id?), opening })
        })
        .collect();
    let counted = openings.iter().filter(|stored| stored.opening.date <= first.date);
    let counted: Money = counted.map(|stored| stored.opening.balance).sum();
    Some(Followed {
        account_id: AccountId(first.account_id),
        date: first.date,
        amount: first.amount.into(),
        others: Money::from(first.rows_total) - counted,
        first_row: first.first_row,
        openings,
    })
}

impl PgRepo<'_> {
    /// Notes that anchors of an account were written.
    fn note_anchors(&mut self, account_id: AccountId) {
        self.anchors_moved = true;
        self.anchored_until.remove(&account_id);
    }

    /// Stores new anchors of an account, with the sums of the rows up to their days: the balance less the rows of later days.
    fn insert_anchors(
        &mut self,
        account_id: AccountId,
        import_id: Option<ImportId>,
        balances: &[(Date, Money)],
    ) -> Result<()> {
        self.note_anchors(account_id);
        let (dates, amounts): (Vec<Date>, Vec<Hundredths>) =
            balances.iter().map(|(date, amount)| (*date, Hundredths::from(*amount))).unzip();
        let statement = format!(
            "with given as materialized (
                select date, amount from {} as given (date, amount)
            ), changes as (
                select date, 0 as change, true as is_given from given
                union all
                select t.date, sum({SIGNED}), false
                from transactions t
                where t.profile_id = $1 and t.account_id = $2 and t.date > (select min(date) from given)
                group by t.date
            ), later as (
                -- Of one day the anchor comes first: the rows of its day are not later.
                select date, is_given, sum(change) over (order by date desc, is_given desc rows unbounded preceding) as total
                from changes
            ), stored as (
                insert into anchors (profile_id, account_id, import_id, date, amount, rows_total)
                select $1, $2, $3, given.date, given.amount,
                    coalesce((select balance from account_balances where profile_id = $1 and account_id = $2), 0) - later.total
                from given join later on later.date = given.date and later.is_given
                order by given.date
                returning 1
            )
            select count(*) from stored",
            unnest(4, &["date", "numeric"])
        );
        self.sql(statement).arg(account_id.0).arg(import_id.map(|id| id.0)).arg(dates).arg(amounts).run(self.connection)
    }
}
