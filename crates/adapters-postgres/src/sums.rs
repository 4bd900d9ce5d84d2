//! The sums that are kept beside transactions, so that no read adds up history: `account_balances`, `credit_bills.total`,
//! `month_totals`, `net_worth_months` and `anchors.rows_total`; and also `bills_complete_until` and `payments_stale` of `accounts`, which tell that the
//! bills or the ledger of a card must be brought up to date. The table `accounts` is written only for cards, because its checks
//! cost more than the row.
//!
//! Every statement that writes or removes transactions ends its `with` with [`keep`], which adds the written rows and subtracts
//! the removed ones. So rows and sums change in one statement and one round trip, without a trigger. Writers of one profile run
//! one after another, so no other writer changes a sum meanwhile.
//!
//! A split transaction counts in `month_totals` as its lines ([`parts`]): each is one transaction of its category there.
//!
//! The rules stay in `domain`, each with one counterpart here:
//!
//! - [`COUNTS`] is [`counts`](finance_domain::transactions::counts).
//! - [`ON_BILL`] needs no calendar. [`Cycles`](finance_domain::credit_bills::Cycles) computed the period and the payment dates
//!   (`following_end`, `paid_also`, `paid_except`) of a stored bill when the bill was created, and each row is matched against them. The alternative,
//!   `Cycles::period_of` for each row in Rust, would read the cards and their former days before every insert, and would load
//!   every removed row into Rust before its sums can change.

use std::sync::LazyLock;

use const_format::{concatcp, formatcp};
use diesel::{Connection, PgConnection, QueryResult};
use finance_domain::accounts::AccountKind;
use finance_domain::transactions::{Kind, Source};

use crate::repo::{all_profiles, bind_writer};
use crate::sql::{Arguments, Cache, IdRow, Rows, with_args};

/// The columns that `written` and `removed` must have.
pub(crate) const COLUMNS: &str =
    "account_id, category_id, date, original_date, source, is_transfer, transfer_id, kind, amount";

/// The transactions of `rows` with their [`COLUMNS`]. A split transaction is returned as its lines: each line has the columns of
/// the transaction, except its own category and amount. `lines` has the `transaction_id`, `category_id` and `amount` of each
/// line.
pub(crate) fn parts(rows: &str, lines: &str) -> String {
    format!(
        "select t.account_id, coalesce(l.category_id, t.category_id) as category_id, t.date, t.original_date, t.source,
            t.is_transfer, t.transfer_id, t.kind, coalesce(l.amount, t.amount) as amount
        from {rows} t
        left join {lines} l on l.transaction_id = t.id"
    )
}

/// The stored lines of the profile $1, for [`parts`].
pub(crate) const STORED_LINES: &str =
    "(select transaction_id, category_id, amount from transaction_lines where profile_id = $1)";

/// Condition: the transaction `t` counts as income or spending, in bills and in month totals. A balance includes all
/// transactions.
pub(crate) const COUNTS: &str =
    concatcp!("(not t.is_transfer and t.source <> '", Source::OpeningBalance.as_str(), "')");

/// Condition: the transaction `t` of the profile $1, if it is on a card, pays the card's bills without naming a bill, or takes money
/// out of the card. What pays is either the statement's own row of a payment, or a transfer to the card. A transfer made by `pay`
/// names its bill.
pub(crate) const PAYS: &str = formatcp!(
    "(t.is_transfer and (t.kind = '{}' or t.source <> '{}' or not exists (
        select from credit_bill_payments named where named.profile_id = $1 and named.transfer_id = t.transfer_id)))",
    Kind::Expense.as_str(),
    Source::Transfer.as_str(),
);

/// Condition: a transaction `t` that counts is on the bill `b` of its card. The first line states the range of both cases, for
/// the index.
const ON_BILL: &str = "t.date between b.period_start and coalesce(b.paid_also, b.following_end)
    and case when t.original_date is null then t.date <= b.period_end
        else t.date > b.period_end and t.date <= b.following_end and t.date is distinct from b.paid_except
            or t.date = b.paid_also end";

/// Condition: the transaction `t` of the profile $1 is a row of the bill `b`.
pub(crate) const ROW_OF_BILL: &str =
    formatcp!("t.profile_id = $1 and t.account_id = b.account_id and {COUNTS} and {ON_BILL}");

/// The sum of the rows of the bill `b` of the profile $1: for a bill whose days are new.
pub(crate) const TOTAL_OF_BILL: &str = formatcp!(
    "(select coalesce(sum(case when t.kind = '{}' then t.amount else -t.amount end), 0)
        from transactions t where {ROW_OF_BILL})",
    Kind::Expense.as_str(),
);

/// What a statement does to transactions of the profile $1. Its `with` has the rows under the names given here, with their
/// [`COLUMNS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Change {
    /// New rows: `written`.
    Written(Rows),
    /// One new row: `written`, without the parts about what it is known not to change.
    WrittenOne(Without),
    /// Deleted rows: `removed`.
    Removed,
    /// Changed rows: `written` with the new values, `removed` with the old ones.
    Replaced,
}

/// What one new row is known not to change. The set-up of each part takes a tenth of an insert even if it has nothing to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Without {
    /// Whether it is on no card.
    pub(crate) cards: bool,
    /// Whether it is later than the anchors of its account.
    pub(crate) anchors: bool,
}

impl Without {
    /// Every value, in the order of [`Without::index`].
    pub(crate) const ALL: [Without; 4] = [
        Without { cards: false, anchors: false },
        Without { cards: true, anchors: false },
        Without { cards: false, anchors: true },
        Without { cards: true, anchors: true },
    ];

    /// The position in a list of texts for every value.
    pub(crate) fn index(self) -> usize {
        usize::from(self.cards) + 2 * usize::from(self.anchors)
    }
}

/// The end of a `with`: adds `written` to the sums of the profile $1 and subtracts `removed` from them.
pub(crate) fn keep(change: Change) -> &'static str {
    static WRITTEN_ONE: LazyLock<[String; 4]> =
        LazyLock::new(|| Without::ALL.map(|without| keeping(Change::WrittenOne(without))));
    static WRITTEN_FIRST: LazyLock<String> = LazyLock::new(|| keeping(Change::Written(Rows::One)));
    static WRITTEN: LazyLock<String> = LazyLock::new(|| keeping(Change::Written(Rows::Many)));
    static REMOVED: LazyLock<String> = LazyLock::new(|| keeping(Change::Removed));
    static REPLACED: LazyLock<String> = LazyLock::new(|| keeping(Change::Replaced));
    match change {
        Change::WrittenOne(without) => &WRITTEN_ONE[without.index()],
        Change::Written(Rows::One) => &WRITTEN_FIRST,
        Change::Written(Rows::Many) => &WRITTEN,
        Change::Removed => &REMOVED,
        Change::Replaced => &REPLACED,
    }
}

fn keeping(change: Change) -> String {
    let without = match change {
        Change::WrittenOne(without) => without,
        _ => Without { cards: false, anchors: false },
    };
    let may_pay = if without.cards { "false" } else { PAYS };
    let moved = |rows: &str, sign: &str| {
        format!(
            "select account_id, category_id, date, original_date, {COUNTS} as counts, {may_pay} as pays, kind,
                {sign}amount as amount, {sign}1 as transactions
            from {rows} t"
        )
    };
    let (written, removed) = (moved("written", ""), moved("removed", "-"));
    let moved = match change {
        Change::Written(_) | Change::WrittenOne(_) => written,
        Change::Removed => removed,
        Change::Replaced => format!("{written} union all {removed}"),
    };
    // A month and category without transactions has no row.
    let (emptied, but_emptied) = match change {
        Change::Written(_) | Change::WrittenOne(_) => ("", ""),
        Change::Removed | Change::Replaced => (
            ", emptied as (
                delete from month_totals known
                using months
                where known.profile_id = $1 and known.month = months.month and known.category_id = months.category_id
                    and known.transactions + months.transactions = 0
                returning known.month, known.category_id
            )",
            "where (month, category_id) not in (select month, category_id from emptied)",
        ),
    };
    let rows = match change {
        Change::Written(rows) => rows,
        Change::WrittenOne(_) => Rows::One,
        Change::Removed | Change::Replaced => Rows::Many,
    };
    let (all, by) = (|aggregate, value: &str| rows.all(aggregate, value), |columns| rows.by(columns));
    let amount_of = |kind: Kind| format!("case when kind = '{}' then amount else 0 end", kind.as_str());
    // Added up by day first: an import of a year then updates each bill a few times, not once for each row.
    format!(
        ", moved as (
            {moved}
        ), days as (
            select account_id, category_id, date, original_date, counts, pays,
                {income} as income, {expenses} as expenses, {transactions} as transactions
            from moved
            {by_day}
        ), by_account as (
            select account_id, {balance} as total, {pays} as pays, {first_date} as first_date, {is_wide} as is_wide
            from days
            where account_id is not null
            {by_account}
        ), balances as (
            insert into account_balances as known (profile_id, account_id, balance)
            select $1, account_id, total
            from by_account
            on conflict (profile_id, account_id) do update set balance = known.balance + excluded.balance
        ){of_cards}{of_anchors}, kinds as (
            select date_trunc('month', t.date::timestamp)::date as month, a.kind, {kind_change} as change
            from days t
            join accounts a on a.profile_id = $1 and a.id = t.account_id
            {by_kind}
        ), kind_sums as (
            insert into net_worth_months as known (profile_id, month, kind, change)
            select $1, month, kind, change
            from kinds
            on conflict (profile_id, month, kind) do update set change = known.change + excluded.change
        ), months as (
            -- 0 stands for no category.
            select date_trunc('month', date::timestamp)::date as month, coalesce(category_id, 0) as category_id,
                {month_income} as income, {month_expenses} as expenses, {month_transactions} as transactions
            from days
            where counts
            {by_month}
        ){emptied}, month_sums as (
            insert into month_totals as known (profile_id, month, category_id, income, expenses, transactions)
            select $1, month, category_id, income, expenses, transactions
            from months {but_emptied}
            on conflict (profile_id, month, category_id) do update set
                income = known.income + excluded.income,
                expenses = known.expenses + excluded.expenses,
                transactions = known.transactions + excluded.transactions
        )",
        income = all("sum", &amount_of(Kind::Income)),
        expenses = all("sum", &amount_of(Kind::Expense)),
        transactions = all("sum", "transactions"),
        by_day = by("account_id, category_id, date, original_date, counts, pays"),
        balance = all("sum", "income - expenses"),
        pays = all("bool_or", "pays"),
        first_date = all("min", "date"),
        is_wide = all("bool_or", "not counts or original_date is not null"),
        by_account = by("account_id"),
        of_cards = if without.cards { String::new() } else { keeping_cards(rows) },
        of_anchors = if without.anchors { String::new() } else { keeping_anchors(rows) },
        kind_change = all("sum", "t.income - t.expenses"),
        by_kind = by("1, 2"),
        month_income = all("sum", "income"),
        month_expenses = all("sum", "expenses"),
        month_transactions = all("sum", "transactions"),
        by_month = by("1, 2"),
    )
}

/// The part of [`keeping`] about cards: whether their bills and payments must be checked again, and the totals of their bills.
///
/// Of a profile that its statistics do not have yet, the planner expects one bill, and would add up all of them for each one that it
/// updates. So they are added up apart.
fn keeping_cards(rows: Rows) -> String {
    format!(
        ", cards as (
            update accounts
            set -- Ends before the first row whose bill is not stored. It stays null where it is null.
                bills_complete_until = case when bills_complete_until is not null then
                    least(bills_complete_until, (
                        select min(t.date) - 1
                        from days t
                        where t.account_id = accounts.id and t.counts and t.date <= accounts.bills_complete_until
                            and not exists (select 1 from credit_bills b
                                where b.profile_id = $1 and b.account_id = accounts.id and {ON_BILL})
                    )) end,
                -- A purchase on the last bill changes no other one, unless it is the first bill too.
                payments_stale = payments_stale or opening_follows or moved.pays or moved.is_wide or coalesce(moved.first_date < (
                    select max(b.period_start) from credit_bills b where b.profile_id = $1 and b.account_id = accounts.id
                ), false)
            from by_account moved
            where accounts.profile_id = $1 and accounts.id = moved.account_id and accounts.kind = '{card}'
        ), of_bills as {once} (
            select b.id, {bill} as total
            from days t
            join credit_bills b on b.profile_id = $1 and b.account_id = t.account_id and {ON_BILL}
            where t.counts
            {by_bill}
        ), totals as (
            update credit_bills
            set total = credit_bills.total + moved.total
            from of_bills as moved
            where credit_bills.profile_id = $1 and credit_bills.id = moved.id
        )",
        card = AccountKind::Credit.as_str(),
        once = rows.only_many("materialized"),
        bill = rows.all("sum", "t.expenses - t.income"),
        by_bill = rows.by("b.id"),
    )
}

/// The part of [`keeping`] about anchors: the sums of the rows up to their days. They are added up apart, as those of bills are.
fn keeping_anchors(rows: Rows) -> String {
    format!(
        ", of_anchors as {once} (
            select a.id, {change} as change
            from days t
            join anchors a on a.profile_id = $1 and a.account_id = t.account_id and a.date >= t.date
            {by_anchor}
        ), anchored as (
            update anchors
            set rows_total = anchors.rows_total + moved.change
            from of_anchors as moved
            where anchors.profile_id = $1 and anchors.id = moved.id and moved.change <> 0
        )",
        once = rows.only_many("materialized"),
        change = rows.all("sum", "t.income - t.expenses"),
        by_anchor = rows.by("a.id"),
    )
}

/// Moves the transactions and lines of the category $2 of the profile $1 to the category $3, together with its sums. No other sum
/// depends on the category.
pub(crate) const RECATEGORIZE: &str = "
    with written as (
        update transactions set category_id = $3 where profile_id = $1 and category_id = $2
    ), lines as (
        update transaction_lines set category_id = $3 where profile_id = $1 and category_id = $2
    ), emptied as (
        delete from month_totals where profile_id = $1 and category_id = $2
        returning month, income, expenses, transactions
    ), filled as (
        insert into month_totals as known (profile_id, month, category_id, income, expenses, transactions)
        select $1, month, $3, income, expenses, transactions from emptied
        on conflict (profile_id, month, category_id) do update set
            income = known.income + excluded.income,
            expenses = known.expenses + excluded.expenses,
            transactions = known.transactions + excluded.transactions
        returning 1
    )
    select count(*) from filled";

/// Recomputes every sum of every profile from its transactions, in one transaction. Returns the number of profiles. Writers of a
/// profile wait until it ends.
///
/// # Errors
///
/// The errors of PostgreSQL.
pub(crate) fn rebuild_all(connection: &mut PgConnection) -> QueryResult<usize> {
    connection.transaction(|connection| {
        let profiles = all_profiles(connection)?;
        for IdRow { id } in &profiles {
            rebuild(connection, *id)?;
        }
        Ok(profiles.len())
    })
}

/// Recomputes every sum of a profile: as if it had no sums and all of its transactions were written at once.
pub(crate) fn rebuild(connection: &mut PgConnection, profile_id: i64) -> QueryResult<()> {
    // The policies then let it see the profile, and the profile's writers wait from then on.
    bind_writer(connection, profile_id)?;
    let statements = [
        "update profiles set upkept_on = null where id = $1".to_string(),
        "update accounts set bills_complete_until = null, payments_stale = false where profile_id = $1".to_string(),
        "delete from account_balances where profile_id = $1".to_string(),
        "update credit_bills set total = 0 where profile_id = $1".to_string(),
        "delete from month_totals where profile_id = $1".to_string(),
        "delete from net_worth_months where profile_id = $1".to_string(),
        "update anchors set rows_total = 0 where profile_id = $1".to_string(),
        "with counted as materialized (select count(*) as transactions from transactions where profile_id = $1)
        insert into transaction_counts (profile_id, transactions) select $1, transactions from counted
        on conflict (profile_id) do update set transactions = excluded.transactions"
            .to_string(),
        format!(
            "with written as ({}) {} select 1",
            parts("(select * from transactions where profile_id = $1)", STORED_LINES),
            keep(Change::Written(Rows::Many))
        ),
    ];
    for statement in statements {
        with_args(statement).arg(profile_id).cached().execute(connection)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use finance_domain::Word;
    use finance_domain::transactions::counts;

    use super::*;

    #[test]
    fn one_row_touches_no_table_that_it_is_known_not_to_change() {
        for without in Without::ALL {
            let kept = keep(Change::WrittenOne(without));
            for table in ["credit_bills", "credit_bill_payments"] {
                assert_eq!(kept.contains(table), !without.cards, "{table} {without:?}");
            }
            assert_eq!(kept.contains("update anchors"), !without.anchors, "{without:?}");
            for table in ["account_balances", "net_worth_months", "month_totals"] {
                assert!(kept.contains(&format!("insert into {table}")), "{table}");
            }
            assert_eq!(Without::ALL[without.index()], without);
        }
    }

    #[test]
    fn what_counts_is_the_rule_of_the_domain() {
        for source in Source::ALL.iter().copied() {
            let is_named = COUNTS.contains(&format!("t.source <> '{}'", source.as_str()));
            assert_eq!(!is_named, counts(source, false), "{source:?}");
            assert!(!counts(source, true) && COUNTS.contains("not t.is_transfer and "), "{source:?}");
        }
    }
}
