//! Net worth over time, from the changes by month and kind of account that `sums.rs` keeps.

use diesel::QueryableByName;
use diesel::sql_types::{Date as SqlDate, Numeric, Text};
use finance_domain::accounts::AccountKind;
use finance_domain::net_worth::{KindChange, NetWorthRepo};
use finance_domain::transactions::Kind;
use finance_domain::{Money, Month, Result};
use time::Date;

use crate::numeric::Hundredths;
use crate::repo::PgRepo;
use crate::row::row;
use crate::sql::{Arguments, Cache};
use crate::words::StoredWord;

row! { struct ChangeRow {
    month: Date [SqlDate],
    kind: StoredWord<AccountKind> [Text],
    change: Hundredths [Numeric],
} }

impl NetWorthRepo for PgRepo<'_> {
    fn kind_changes(&mut self, last: Month) -> Result<Vec<KindChange>> {
        let change =
            |row: ChangeRow| KindChange { month: Month::of(row.month), kind: row.kind.0, change: row.change.into() };
        let query = self.sql("select month, kind, change from net_worth_months where profile_id = $1 and month <= $2");
        query.arg(last.first_day()).rows_as(self.connection, change)
    }

    fn kind_changes_to_come(&mut self, today: Date) -> Result<Vec<(AccountKind, Money)>> {
        self.sql(
            "select (select $2::date) as month, accounts.kind,
                sum(case when t.kind = $4 then t.amount else -t.amount end) as change
            from transactions t
            join accounts on accounts.profile_id = $1 and accounts.id = t.account_id
            where t.profile_id = $1 and t.date > (select $2::date) and t.date <= (select $3::date)
            group by accounts.kind",
        )
        .arg(today)
        .arg(Month::of(today).last_day())
        .arg(Kind::Income.as_str())
        .rows_as(self.connection, |row: ChangeRow| (row.kind.0, row.change.into()))
    }
}
