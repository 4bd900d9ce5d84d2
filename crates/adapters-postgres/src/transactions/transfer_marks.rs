//! Marking transactions that may be sides of transfers, so that the cost of suggestions depends only on possible pairs.

use std::sync::LazyLock;

use diesel::QueryableByName;
use diesel::connection::SimpleConnection;
use diesel::sql_types::{BigInt, Bool};
use finance_domain::Result;
use finance_domain::transactions::Kind;
use finance_domain::transfers::NEAR_DAYS_MAX;

use crate::constraints::error;
use crate::repo::PgRepo;
use crate::row::row;
use crate::sql::{Arguments, Cache, CountRow, Fetch};
use crate::transfers::STATEMENT_DATE;

/// Marks the rows of the profile $1 that may be sides of transfers. It examines the rows after the row $2, the edited rows, and
/// the rows near them. A row is marked if there are more rows of its amount and the other type near it than on its own account.
/// Rows are counted in one pass over the days, so the work is linear, however many rows have equal amounts.
///
/// It writes no column that a sum depends on.
static SEEK: LazyLock<String> = LazyLock::new(|| {
    let near =
        format!("order by date range between '{NEAR_DAYS_MAX} days' preceding and '{NEAR_DAYS_MAX} days' following");
    let row = format!("select t.id, t.account_id, t.kind, t.amount, {STATEMENT_DATE} as date from transactions t");
    let others = |kind: Kind| {
        format!(
            "count(*) filter (where kind = '{0}') over near > count(*) filter (where kind = '{0}') over near_own",
            kind.as_str()
        )
    };
    format!(
        "with sought as materialized (
            {row} where t.profile_id = $1 and t.account_id is not null and t.id > $2
            union
            {row} where t.profile_id = $1 and t.account_id is not null and t.may_be_transfer is null
        ), days as materialized (
            select min(date) - {NEAR_DAYS_MAX} as first, max(date) + {NEAR_DAYS_MAX} as last from sought
        ), around as (
            {row}
            where t.profile_id = $1 and t.account_id is not null and t.amount in (select amount from sought) and (
                t.date between (select first from days) and (select last from days)
                or t.original_date between (select first from days) and (select last from days)
                or t.statement_date between (select first from days) and (select last from days)
            )
        ), paired as (
            select id, case when kind = '{income}' then {expenses} else {incomes} end as has_other
            from around
            window near as (partition by amount {near}), near_own as (partition by amount, account_id {near})
        ), found as (
            select id, has_other from paired where has_other
            union all
            select id, false from transactions
            where profile_id = $1 and may_be_transfer is null and id not in (select id from paired where has_other)
        ), noted as (
            update profiles
            set transfers_sought_until = coalesce((select max(id) from transactions where profile_id = $1), 0)
            where id = $1
        )
        update transactions t
        set may_be_transfer = has_other
        from found
        where t.profile_id = $1 and t.id = found.id and t.may_be_transfer is distinct from has_other",
        income = Kind::Income.as_str(),
        incomes = others(Kind::Income),
        expenses = others(Kind::Expense),
    )
});

/// Up to this number, rows are looked up one by one; more are joined as sets.
const FEW: i64 = 200;

row! {
    /// The last row of a profile that was examined for transfers, and whether other rows need it.
    struct MarkedRow {
        until: i64 [BigInt],
        is_all: bool [Bool],
    }
}

impl PgRepo<'_> {
    fn marked(&mut self) -> Result<MarkedRow> {
        // The last id is at the end of an index. Comparing each id with the known one would read all rows.
        let query = self.sql(
            "select transfers_sought_until as until,
                coalesce((select max(id) from transactions where profile_id = $1), 0) <= transfers_sought_until
                    and not exists (select 1 from transactions where profile_id = $1 and may_be_transfer is null) as is_all
            from profiles
            where id = $1",
        );
        query.row(self.connection)
    }

    /// Whether all rows that may be sides of transfers are marked.
    pub(crate) fn transfer_marks_are_current(&mut self) -> Result<bool> {
        Ok(self.marked()?.is_all)
    }

    /// Marks the rows that may be sides of transfers.
    pub(crate) fn transfer_marks_update(&mut self) -> Result<()> {
        let until = self.marked()?.until;
        // Planned for each execution: there may be one new row, or a file of ten thousand. If PostgreSQL expects few rows, for
        // example for a profile without rows at the last analysis, it would compare each of ten thousand with each.
        let are_many = self.are_many_unmarked(until)?;
        if are_many {
            self.allow_nested_loops(false)?;
        }
        let query = self.sql(SEEK.as_str()).arg(until);
        query.exec(self.connection)?;
        if are_many {
            self.allow_nested_loops(true)?;
        }
        Ok(())
    }

    /// Sets, for the rest of the transaction, whether PostgreSQL may use nested loops. Unlike `SET LOCAL`, the schema's function
    /// also sets it on the nodes of Citus.
    fn allow_nested_loops(&mut self, are_allowed: bool) -> Result<()> {
        let setting = if are_allowed { "on" } else { "off" };
        self.connection.batch_execute(&format!("SELECT set_local('enable_nestloop', '{setting}')")).map_err(error)
    }

    /// Whether more than [`FEW`] rows must be examined.
    fn are_many_unmarked(&mut self, until: i64) -> Result<bool> {
        let query = self.sql(
            "select (select count(*) from (select from transactions where profile_id = $1 and id > $2 limit $3) as entered)
                + (select count(*) from (
                    select from transactions where profile_id = $1 and may_be_transfer is null limit $3
                ) as edited) as count",
        );
        let counted: CountRow = query.arg(until).arg(FEW + 1).fetch_one(self.connection)?;
        Ok(counted.count > FEW)
    }
}
