//! The sums of reports that the kept sums do not have: one statement groups the transactions of a period.

use diesel::pg::{Pg, PgRowByRowLoadingMode};
use diesel::prelude::*;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::sql_types::{BigInt, Date as SqlDate, Nullable, Numeric, Text};
use finance_domain::refunds::Sums;
use finance_domain::reports::flow::Interval;
use finance_domain::reports::{Part, PartBy, PartKey, ReportRepo};
use finance_domain::transactions::{Kind, TransactionFilter};
use finance_domain::{Money, Result};
use time::Date;

use crate::constraints::error;
use crate::numeric::Hundredths;
use crate::repo::PgRepo;
use crate::schema::transactions;
use crate::sql::Fetch;
use crate::tags::SEPARATOR;
use crate::transactions::filters::{PAYEE_TEXT, Selection, T, date_of, filtered};

/// A statement that begins with the transactions `t` of a query. The profile is $1.
struct OfTransactions<Q> {
    query: Q,
    /// The text after `with t as (…)`.
    rest: String,
}

impl<Q: QueryFragment<Pg>> QueryFragment<Pg> for OfTransactions<Q> {
    fn walk_ast<'b>(&'b self, mut pass: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        pass.unsafe_to_cache_prepared();
        pass.push_sql("with t as (");
        self.query.walk_ast(pass.reborrow())?;
        pass.push_sql(") ");
        pass.push_sql(&self.rest);
        Ok(())
    }
}

impl<Q> QueryId for OfTransactions<Q> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<Q> Query for OfTransactions<Q> {
    type SqlType = PartTypes;
}

impl<Q, Connection> RunQueryDsl<Connection> for OfTransactions<Q> {}

/// The id, the text, the name, the position of the newest transaction, the first day of the interval, and the sums.
type PartTypes =
    (Nullable<BigInt>, Nullable<Text>, Nullable<Text>, Nullable<BigInt>, Nullable<SqlDate>, Numeric, Numeric, Numeric);

#[derive(Queryable)]
struct PartRow {
    id: Option<i64>,
    text: Option<String>,
    name: Option<String>,
    newest: Option<i64>,
    day: Option<Date>,
    income: Hundredths,
    expenses: Hundredths,
    refunds: Hundredths,
}

impl PartRow {
    fn into_part(self, by: PartBy) -> Part {
        let PartRow { id, text, name, newest, day, income, expenses, refunds } = self;
        let newest = newest.unwrap_or_default();
        let split = |text: Option<String>| -> Vec<String> {
            text.map(|text| text.split(SEPARATOR).map(str::to_string).collect()).unwrap_or_default()
        };
        let key = match by {
            PartBy::Category | PartBy::Account | PartBy::Member => PartKey::Id(id),
            PartBy::Text => {
                PartKey::Text { text: text.unwrap_or_default(), description: name.unwrap_or_default(), newest }
            }
            PartBy::Tags => PartKey::Tags { tags: split(name).into_iter().zip(split(text)).collect(), newest },
        };
        let money = |value: Hundredths| Money::from(value);
        Part { key, day, sums: Sums { income: money(income), expenses: money(expenses), refunds: money(refunds) } }
    }
}

/// The position of a transaction among those of all days, by date, then id: ids stay below 2^40, and dates are in the years from
/// 1900 to 2199.
const POSITION: &str = "(t.date - date '1900-01-01')::bigint * 1099511627776 + t.id";

/// The columns of a key: its id, its text and its name.
fn key_columns(by: PartBy) -> [String; 3] {
    let column = |text: &str| text.to_string();
    let (no_id, no_text) = (column("null::bigint"), column("null::text"));
    let id = |column: &str| [column.to_string(), no_text.clone(), no_text.clone()];
    match by {
        PartBy::Category => id("coalesce(l.category_id, t.category_id)"),
        PartBy::Account => id("t.account_id"),
        PartBy::Member => id("t.created_by"),
        // Compared byte by byte: the order of a language takes several times as long.
        PartBy::Text => [no_id, format!("{PAYEE_TEXT} collate \"C\""), column("t.description collate \"C\"")],
        PartBy::Tags => {
            let joined = |column: &str| format!("array_to_string({column}, E'\\n') collate \"C\"");
            [no_id, joined("t.tag_keys"), joined("t.tags")]
        }
    }
}

impl ReportRepo for PgRepo<'_> {
    fn report_parts(
        &mut self,
        filter: &TransactionFilter,
        by: PartBy,
        interval: Interval,
        visit: &mut dyn FnMut(Part),
    ) -> Result<()> {
        let Some(Selection { query, lines }) = filtered(self.connection, self.profile_id, filter).map_err(error)?
        else {
            return Ok(());
        };
        let unit = match interval {
            Interval::Month => Some("month"),
            Interval::Quarter => Some("quarter"),
            Interval::Year => Some("year"),
            Interval::None => None,
        };
        let date = date_of(filter.dates);
        let day =
            unit.map_or("null::date".to_string(), |unit| format!("date_trunc('{unit}', ({date})::timestamp)::date"));
        let [id, text, name] = key_columns(by);
        let newest = match by {
            PartBy::Text | PartBy::Tags => POSITION,
            PartBy::Category | PartBy::Account | PartBy::Member => "null::bigint",
        };
        let condition = lines.map_or("true".to_string(), |lines| lines.sql("coalesce(l.category_id, t.category_id)"));
        let (income, expense) = (Kind::Income.as_str(), Kind::Expense.as_str());
        let rest = format!(
            ", parts as (
                select {id} as id, {text} as text, {name} as name, {newest} as newest, {day} as day, t.kind,
                    coalesce(l.amount, t.amount) as amount, coalesce(c.nets_refunds, false) as nets_refunds
                from t
                left join transaction_lines l on l.profile_id = $1 and l.transaction_id = t.id and t.is_split
                left join categories c on c.profile_id = $1 and c.id = coalesce(l.category_id, t.category_id)
                where {condition}
            )
            select id, text, name, max(newest), day,
                coalesce(sum(amount) filter (where kind = '{income}'), 0),
                coalesce(sum(amount) filter (where kind = '{expense}'), 0),
                coalesce(sum(amount) filter (where kind = '{income}' and nets_refunds), 0)
            from parts
            group by id, text, name, day"
        );
        let query = query.select(T.fields((
            (transactions::id, transactions::kind, transactions::amount, transactions::category_id),
            (transactions::account_id, transactions::created_by, transactions::is_split),
            (transactions::date, transactions::original_date),
            (transactions::description, transactions::statement_description),
            (transactions::tags, transactions::tag_keys),
        )));
        let statement = OfTransactions { query, rest };
        let rows = statement.load_iter::<PartRow, PgRowByRowLoadingMode>(self.connection).map_err(error)?;
        for row in rows {
            visit(row.map_err(error)?.into_part(by));
        }
        Ok(())
    }

    fn report_days(&mut self, filter: &TransactionFilter) -> Result<Vec<Date>> {
        let Some(Selection { query, .. }) = filtered(self.connection, self.profile_id, filter).map_err(error)? else {
            return Ok(Vec::new());
        };
        let day = diesel::dsl::sql::<SqlDate>(date_of(filter.dates));
        let mut days: Vec<Date> = query.select(day).distinct().fetch(self.connection)?;
        days.sort_unstable();
        Ok(days)
    }
}
