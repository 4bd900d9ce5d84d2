//! Transfers: a row that links two transactions, the rows that may be linked, and the pairs that must not be.
//!
//! The search for transfers reads marked rows only. `transactions.may_be_transfer` marks every row for which there is or was
//! another row of equal amount, other type and other account a few days away, even if either has changed since.
//! `transfer_marks_update` marks them: it looks at rows that are newer than `profiles.transfers_sought_until`, at edited ones
//! (null) and at the rows around them. So the cost of suggestions depends on the possible pairs, not on all stored rows.

use std::collections::HashSet;
use std::sync::LazyLock;

use const_format::{concatcp, formatcp};
use diesel::QueryableByName;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Date as SqlDate, Nullable, Numeric, Text};
use finance_domain::accounts::AccountKind;
use finance_domain::transactions::{DayKey, Kind, Source};
use finance_domain::transfers::{
    AmountWindow, CardPayment, LegKey, PAYERS_MAX, Payer, RejectedPairs, StoredLeg, StoredSide, StoredSides, Transfer,
    TransferRepo,
};
use finance_domain::{AccountId, Error, Money, Result, TransactionId, TransferId};
use time::Date;

use crate::numeric::{Hundredths, bigint};
use crate::repo::{PgRepo, counted};
use crate::row::row;
use crate::schema::{rejected_transfers, transfers};
use crate::sql::{Arguments, Cache, Fetch, IdRow, are_many, column, unnest};
use crate::transactions::literal;
use crate::words::StoredWord;

row! { struct DateRow { date: Option<Date> [Nullable<SqlDate>] } }

row! { struct SideRow {
    id: i64 [BigInt],
    account_id: i64 [BigInt],
    account_kind: StoredWord<AccountKind> [Text],
    kind: StoredWord<Kind> [Text],
    amount: Hundredths [Numeric],
    date: Date [SqlDate],
    description: String [Text],
    is_transfer: bool [Bool],
    is_refused: bool [Bool],
} }

impl From<SideRow> for StoredSide {
    fn from(row: SideRow) -> Self {
        StoredSide {
            id: TransactionId(row.id),
            account_id: AccountId(row.account_id),
            account_kind: row.account_kind.0,
            kind: row.kind.0,
            amount: row.amount.into(),
            date: row.date,
            description: row.description,
            is_transfer: row.is_transfer,
            is_refused: row.is_refused,
        }
    }
}

row! { struct LegRow {
    id: i64 [BigInt],
    kind: StoredWord<Kind> [Text],
    amount: Hundredths [Numeric],
    date: Date [SqlDate],
    other: Option<i64> [Nullable<BigInt>],
} }

row! { struct CardPaymentRow {
    id: i64 [BigInt],
    account_id: i64 [BigInt],
    amount: Hundredths [Numeric],
    date: Date [SqlDate],
    is_leg: bool [Bool],
    transfer_id: Option<i64> [Nullable<BigInt>],
    payer_id: Option<i64> [Nullable<BigInt>],
    payer_date: Option<Date> [Nullable<SqlDate>],
    payer_text: Option<String> [Nullable<Text>],
    payer_is_leg: bool [Bool],
} }

impl From<CardPaymentRow> for CardPayment {
    fn from(row: CardPaymentRow) -> Self {
        let payer = || {
            let payer = Payer {
                id: TransactionId(row.payer_id?),
                date: row.payer_date?,
                text: row.payer_text?,
                is_leg: row.payer_is_leg,
            };
            Some((TransferId(row.transfer_id?), payer))
        };
        CardPayment {
            payer: payer(),
            id: TransactionId(row.id),
            account_id: AccountId(row.account_id),
            amount: row.amount.into(),
            date: row.date,
            is_leg: row.is_leg,
        }
    }
}

/// Condition: this service made the side, and no statement has contained it.
const UNTOLD: &str = formatcp!(
    "source = '{}' and transfer_id is not null and not is_recognised and external_id is null
    and statement_description is null and statement_date is null",
    Source::Transfer.as_str(),
);

/// The date of the transaction `t` in its statement, written as in the index of the rows that may be sides: under row-level
/// security PostgreSQL does not use an index for a `coalesce`.
pub(crate) const STATEMENT_DATE: &str = "case when t.statement_date is not null then t.statement_date
    when t.original_date is not null then t.original_date else t.date end";

/// The description of the transaction `t` in its statement, normalized.
const STATEMENT_TEXT: &str = "coalesce(t.statement_description_normalized, t.description_normalized)";

/// The columns that are read of the transaction `t` of the account `a` as a side of a transfer.
const SIDE: &str = formatcp!(
    "t.id, t.account_id, a.kind as account_kind, t.kind, t.amount, {STATEMENT_DATE} as date,
    {STATEMENT_TEXT} as description, t.is_transfer,
    t.is_kept_unlinked as is_refused"
);

/// Condition: the transaction `t` of the profile $1 may be one side of a transfer.
const IS_OPEN: &str = concatcp!(IS_SIDE, " and not t.is_kept_unlinked");

/// Condition: the transaction `t` of the profile $1 may be one side of a transfer, or a person said that it is none.
const IS_SIDE: &str = formatcp!(
    "t.profile_id = $1 and t.transfer_id is null and not t.is_split and t.source not in ('{}', '{}')",
    Source::Yield.as_str(),
    Source::OpeningBalance.as_str(),
);

/// Condition: the statement's date of the transaction `t` is from $2 to $3, if they are given.
const IN_DAYS: &str =
    formatcp!("{STATEMENT_DATE} between coalesce($2::date, '-infinity') and coalesce($3::date, 'infinity')");

/// Condition: the text of the transaction `t` may say that it pays a card. It is that of an index, and the same as the domain's
/// `may_pay_a_card`.
const MAY_PAY_A_CARD: &str = "(coalesce(t.statement_description_normalized, t.description_normalized) like '%fatura%'
    or coalesce(t.statement_description_normalized, t.description_normalized) like '%fat cartao%'
    or coalesce(t.statement_description_normalized, t.description_normalized) like '%cartao%credito%')";

/// The expenses that may pay a due amount: on accounts that are not cards, with one of the amounts, between its first and last
/// dates. The amounts and dates are bound as arrays from that parameter on. Each date that a row may have has its own index.
///
/// `offset 0`: each bill's days are looked up in that date's index. With a join of tables, PostgreSQL read all rows of an account and
/// compared them with the bills.
fn due_sides(first_bound: usize, condition: &str) -> String {
    ["date", "original_date", "statement_date"]
        .map(|date| {
            format!(
                "select {SIDE}
                from {} as due (amount, first, last)
                cross join lateral (
                    select * from transactions t
                    where {IS_OPEN} and t.kind = '{}' and t.amount = due.amount and t.{date} between due.first and due.last
                    offset 0
                ) t
                join accounts a on a.profile_id = $1 and a.id = t.account_id and a.kind <> '{}'
                where {STATEMENT_DATE} between due.first and due.last and {condition}",
                unnest(first_bound, &["numeric", "date", "date"]),
                Kind::Expense.as_str(),
                AccountKind::Credit.as_str(),
            )
        })
        .join(" union ")
}

/// The date of the oldest side of the profile $1.
static OLDEST_SIDE: LazyLock<String> = LazyLock::new(|| {
    format!(
        "select least(
            (select {STATEMENT_DATE} as date from transactions t where {IS_OPEN} and t.may_be_transfer order by 1 limit 1),
            (select min(due.date) from ({}) as due)
        ) as date",
        due_sides(2, "true")
    )
});

/// The sides that may be paired, and the sides that may pay a due amount. What a person refused is there too: its other side exists.
static PAIRED_SIDES: LazyLock<String> = LazyLock::new(|| sides(StoredSides::Paired));

/// The same sides, and income on cards.
static PAIRED_SIDES_OR_ON_CARDS: LazyLock<String> = LazyLock::new(|| sides(StoredSides::PairedOrOnCards));

fn sides(which: StoredSides) -> String {
    let side = |condition: &str| {
        format!(
            "select {SIDE}
            from transactions t
            join accounts a on a.profile_id = $1 and a.id = t.account_id
            where {IN_DAYS} and {condition}"
        )
    };
    let on_cards = match which {
        StoredSides::Paired => String::new(),
        StoredSides::PairedOrOnCards => {
            let (income, card) = (Kind::Income.as_str(), AccountKind::Credit.as_str());
            format!(" union {}", side(&format!("{IS_SIDE} and t.kind = '{income}' and a.kind = '{card}'")))
        }
    };
    let due = due_sides(4, IN_DAYS);
    format!("{} union {due}{on_cards} order by date desc, id desc", side(concatcp!(IS_SIDE, " and t.may_be_transfer")))
}

fn numerics(amounts: &[Money]) -> Vec<Hundredths> {
    amounts.iter().map(|amount| Hundredths::from(*amount)).collect()
}

impl PgRepo<'_> {
    /// The sides that a query finds whose texts contain one of these: `$2` to `$5` are the dates, the texts and the most of them.
    fn sides_by_text(
        &mut self,
        query: String,
        first: Option<Date>,
        last: Option<Date>,
        texts: &[&str],
    ) -> Result<Vec<StoredSide>> {
        let patterns: Vec<String> = texts.iter().map(|text| format!("%{}%", literal(text))).collect();
        let query = self.sql(query);
        query.arg(first).arg(last).arg(patterns).arg(PAYERS_MAX).rows_as(self.connection, |row: SideRow| row.into())
    }
}

impl TransferRepo for PgRepo<'_> {
    fn transfer_insert(&mut self, count: usize) -> Result<Vec<TransferId>> {
        if count == 0 {
            return Ok(Vec::new());
        }
        let count = bigint(count)?;
        let query = "with stored as (
                insert into transfers (profile_id) select $1 from generate_series(1, (select $2)) returning id
            )
            select id from stored";
        let query = self.sql(query).arg(count);
        let ids: Vec<IdRow> = query.rows(self.connection)?;
        self.note_created("transfers", ids.iter().map(|row| row.id))?;
        Ok(ids.into_iter().map(|row| TransferId(row.id)).collect())
    }

    fn transfer_get(&mut self, id: TransferId) -> Result<Option<Transfer>> {
        let (mut from, mut to) = (None, None);
        for leg in self.transfer_legs(id)? {
            match leg.kind {
                Kind::Expense => from = Some(leg),
                Kind::Income => to = Some(leg),
            }
        }
        match (from, to) {
            (Some(from), Some(to)) => Ok(Some(Transfer { id, from, to })),
            (None, None) => Ok(None),
            _ => Err(Error::Internal(format!("transfer {id} has one leg").into())),
        }
    }

    fn transfer_delete(&mut self, ids: &[TransferId]) -> Result<()> {
        let ids: Vec<i64> = ids.iter().map(|id| id.0).collect();
        self.touch_deleted("transfers", "id = any($2)", &ids)?;
        let own = transfers::table.filter(transfers::profile_id.eq(self.profile_id.0));
        diesel::delete(own.filter(transfers::id.eq_any(ids))).exec(self.connection)
    }

    fn stored_sides_near(&mut self, account_id: AccountId, windows: &[AmountWindow]) -> Result<Vec<StoredSide>> {
        // Planned for each execution, like the query for the rows that may be duplicates. The rows of other accounts are read
        // first: most files have no match there, and their own account has many rows of the same amounts.
        let query = format!(
            "with windows as (
                select * from unnest($3::numeric[], $4::text[], $5::date[], $6::date[]) as given (amount, kind, first, last)
            ), others as materialized (
                select distinct t.amount, t.kind
                from windows
                join transactions t on t.amount = windows.amount and {STATEMENT_DATE} between windows.first and windows.last
                where {IS_SIDE} and t.account_id <> $2
            ), wanted as materialized (
                select windows.*
                from windows
                where amount in (
                    select others.amount
                    from others join windows on windows.amount = others.amount and windows.kind <> others.kind
                )
            )
            select distinct {SIDE}
            from wanted
            join transactions t on t.amount = wanted.amount and {STATEMENT_DATE} between wanted.first and wanted.last
            join accounts a on a.profile_id = $1 and a.id = t.account_id
            where {IS_SIDE}
            order by id"
        );
        self.sql(query)
            .arg(account_id.0)
            .arg(column(windows, |window| Hundredths::from(window.amount)))
            .arg(column(windows, |window| window.kind.as_str()))
            .arg(column(windows, |window| window.first))
            .arg(column(windows, |window| window.last))
            .fetch_as(self.connection, |row: SideRow| row.into())
    }

    fn transfer_marks_are_current(&mut self) -> Result<bool> {
        PgRepo::transfer_marks_are_current(self)
    }

    fn transfer_marks_update(&mut self) -> Result<()> {
        PgRepo::transfer_marks_update(self)
    }

    fn stored_sides(
        &mut self,
        first: Option<Date>,
        last: Option<Date>,
        due: &[AmountWindow],
        which: StoredSides,
    ) -> Result<Vec<StoredSide>> {
        let query = match which {
            StoredSides::Paired => &PAIRED_SIDES,
            StoredSides::PairedOrOnCards => &PAIRED_SIDES_OR_ON_CARDS,
        };
        self.sql(query.as_str())
            .arg(first)
            .arg(last)
            .arg(due.iter().map(|due| Hundredths::from(due.amount)).collect::<Vec<_>>())
            .arg(due.iter().map(|due| due.first).collect::<Vec<_>>())
            .arg(due.iter().map(|due| due.last).collect::<Vec<_>>())
            .rows_as(self.connection, |row: SideRow| row.into())
    }

    fn stored_payers(&mut self, first: Option<Date>, last: Option<Date>, texts: &[&str]) -> Result<Vec<StoredSide>> {
        let query = format!(
            "select {SIDE}
            from transactions t
            join accounts a on a.profile_id = $1 and a.id = t.account_id and a.kind in ('{}', '{}')
            where {IS_OPEN} and {IN_DAYS} and t.kind = '{}' and {MAY_PAY_A_CARD}
                and coalesce(t.statement_description_normalized, t.description_normalized) like any($4)
            order by date desc, id desc
            limit $5",
            AccountKind::Current.as_str(),
            AccountKind::Savings.as_str(),
            Kind::Expense.as_str(),
        );
        self.sides_by_text(query, first, last, texts)
    }

    fn stored_loans(&mut self, first: Option<Date>, last: Option<Date>, texts: &[&str]) -> Result<Vec<StoredSide>> {
        let query = format!(
            "select {SIDE}
            from transactions t
            join accounts a on a.profile_id = $1 and a.id = t.account_id and a.kind <> '{}'
            where {IS_OPEN} and {IN_DAYS} and t.kind = '{}' and {STATEMENT_TEXT} like any($4)
            order by date desc, id desc
            limit $5",
            AccountKind::Credit.as_str(),
            Kind::Income.as_str(),
        );
        self.sides_by_text(query, first, last, texts)
    }

    fn sides_of_days(&mut self, keys: &[DayKey]) -> Result<Vec<StoredSide>> {
        const IS_WANTED: &str = "t.account_id = wanted.account_id and t.date = wanted.date and t.kind = wanted.kind
                and t.amount = wanted.amount";
        // A row whose date a person changed has another day.
        let found = match are_many(keys.len()) {
            // PostgreSQL knows how many there are, and may put them into a hash table.
            true => format!(
                "unnest($2::bigint[], $3::text[], $4::numeric[], $5::date[]) as wanted (account_id, kind, amount, date)
                join transactions t on {IS_OPEN} and {IS_WANTED}"
            ),
            // Each day is looked up in the index by account (see `sql`).
            false => format!(
                "{} as wanted (account_id, kind, amount, date)
                cross join lateral (select * from transactions t where {IS_OPEN} and {IS_WANTED} offset 0) t",
                unnest(2, &["bigint", "text", "numeric", "date"])
            ),
        };
        let query = format!(
            "select {SIDE} from {found} join accounts a on a.profile_id = $1 and a.id = t.account_id order by t.id"
        );
        self.sql(query)
            .arg(keys.iter().map(|key| key.account_id.0).collect::<Vec<_>>())
            .arg(keys.iter().map(|key| key.kind.as_str()).collect::<Vec<_>>())
            .arg(keys.iter().map(|key| Hundredths::from(key.amount)).collect::<Vec<_>>())
            .arg(keys.iter().map(|key| key.date).collect::<Vec<_>>())
            .about(keys.len())
            .fetch_as(self.connection, |row: SideRow| row.into())
    }

    fn oldest_side(&mut self, due: &[AmountWindow]) -> Result<Option<Date>> {
        let query = self.sql(OLDEST_SIDE.as_str());
        let oldest: DateRow = query
            .arg(due.iter().map(|due| Hundredths::from(due.amount)).collect::<Vec<_>>())
            .arg(due.iter().map(|due| due.first).collect::<Vec<_>>())
            .arg(due.iter().map(|due| due.last).collect::<Vec<_>>())
            .row(self.connection)?;
        Ok(oldest.date)
    }

    fn untold_legs(
        &mut self,
        account_id: AccountId,
        amounts: &[Money],
        first: Date,
        last: Date,
    ) -> Result<Vec<StoredLeg>> {
        // The condition that the row belongs to a transfer is redundant. With it PostgreSQL uses the index of these rows if an
        // account has many rows.
        let leg = |row: LegRow| StoredLeg {
            id: TransactionId(row.id),
            other: row.other.map(TransactionId),
            key: LegKey { account_id, kind: row.kind.0, amount: row.amount.into(), date: row.date },
        };
        let query = self.sql(formatcp!(
            "select id, kind, amount, date, (
                    select other.id from transactions other
                    where other.profile_id = $1 and other.transfer_id = t.transfer_id and other.id <> t.id
                ) as other
            from transactions t
            where profile_id = $1 and account_id = $2 and date between $3 and $4 and amount = any($5) and {UNTOLD}
            order by date, id"
        ));
        query.arg(account_id.0).arg(first).arg(last).arg(numerics(amounts)).fetch_as(self.connection, leg)
    }

    fn card_payments(&mut self, amounts: &[Money], first: Date, last: Date) -> Result<Vec<CardPayment>> {
        let query = format!(
            "select side.id, side.account_id, side.amount, side.date, side.is_leg, side.transfer_id, payer.id as payer_id,
                payer.date as payer_date, payer.text as payer_text, coalesce(payer.is_leg, false) as payer_is_leg
            from (
                select t.id, t.account_id, t.amount, t.transfer_id, {STATEMENT_DATE} as date, ({UNTOLD}) as is_leg
                from transactions t
                where t.profile_id = $1 and t.amount = any($2) and {STATEMENT_DATE} between $3 and $4 and t.kind = '{income}'
                    and t.is_transfer and not (t.transfer_id is null and t.is_kept_unlinked)
            ) as side
            join accounts a on a.profile_id = $1 and a.id = side.account_id and a.kind = '{card}'
            left join (
                select t.id, t.transfer_id, {STATEMENT_DATE} as date, {STATEMENT_TEXT} as text, ({UNTOLD}) as is_leg
                from transactions t
                where t.profile_id = $1 and t.kind = '{expense}' and t.transfer_id is not null and t.amount = any($2)
            ) as payer on payer.transfer_id = side.transfer_id
            order by side.id",
            income = Kind::Income.as_str(),
            expense = Kind::Expense.as_str(),
            card = AccountKind::Credit.as_str(),
        );
        let query = self.sql(query);
        query.arg(numerics(amounts)).arg(first).arg(last).fetch_as(self.connection, |row: CardPaymentRow| row.into())
    }

    fn rejected_pairs(&mut self, ids: &[TransactionId]) -> Result<RejectedPairs> {
        let ids: HashSet<i64> = ids.iter().map(|id| id.0).collect();
        let pairs: Vec<(i64, i64)> = rejected_transfers::table
            .filter(rejected_transfers::profile_id.eq(self.profile_id.0))
            .select((rejected_transfers::from_id, rejected_transfers::to_id))
            .fetch(self.connection)?;
        let among = pairs.into_iter().filter(|(from, to)| ids.contains(from) && ids.contains(to));
        Ok(among.map(|(from, to)| (TransactionId(from), TransactionId(to))).collect())
    }

    fn rejected_pair_count(&mut self) -> Result<usize> {
        let own = rejected_transfers::table.filter(rejected_transfers::profile_id.eq(self.profile_id.0));
        own.count().fetch_one(self.connection).and_then(counted)
    }

    fn rejected_pair_insert(&mut self, from: TransactionId, to: TransactionId) -> Result<()> {
        self.watch("rejected_transfers", "from_id = any($2)", &[from.0])?;
        diesel::insert_into(rejected_transfers::table)
            .values((
                rejected_transfers::profile_id.eq(self.profile_id.0),
                rejected_transfers::from_id.eq(from.0),
                rejected_transfers::to_id.eq(to.0),
            ))
            .on_conflict_do_nothing()
            .exec(self.connection)
    }
}
