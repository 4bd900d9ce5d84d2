//! Which transactions are requested: the conditions of a list and of its summary.

use diesel::dsl::sql;
use diesel::helper_types::IntoBoxed;
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::AsQuery;
use diesel::query_source::Alias;
use diesel::sql_query;
use diesel::sql_types::{Array, BigInt, Bool, Date, Nullable, Text};
use finance_domain::transactions::{DateBasis, FlowKind, Kind, Referring, TransactionFilter};
use finance_domain::{AccountId, CategoryId, MemberId, ProfileId};
use time::macros::date;

use crate::numeric::Hundredths;
use crate::schema::{categories, transactions};
use crate::sql::Cache;
use crate::sums::{COUNTS, ROW_OF_BILL};

// Transactions under the name that they have in the texts of `sums.rs`.
diesel::alias! {
    pub(crate) const T: Alias<Transactions> = transactions as t;
}

/// No date is before it ([`COMPUTED_YEARS`](finance_domain::month::COMPUTED_YEARS)). PostgreSQL does not know all the earlier dates of
/// Rust.
const EARLIEST: time::Date = date!(1899 - 01 - 01);

/// A query of transactions `t`.
pub(crate) type Filtered<'f> = IntoBoxed<'f, <Alias<Transactions> as AsQuery>::Query, Pg>;

/// A pattern of `like` that matches only this text.
pub(crate) fn literal(text: &str) -> String {
    text.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_")
}

/// The date of a transaction `t` that counts.
pub(crate) fn date_of(dates: DateBasis) -> &'static str {
    match dates {
        DateBasis::Effective => "t.date",
        DateBasis::Purchase => "coalesce(t.original_date, t.date)",
    }
}

/// The text of a transaction `t` from which its payee is read: the statement's, or else the description.
pub(crate) const PAYEE_TEXT: &str = "coalesce(t.statement_description, t.description)";

/// The transactions that pass a filter.
pub(crate) struct Selection<'f> {
    /// Their query.
    pub(crate) query: Filtered<'f>,
    /// The condition on single lines. A split transaction passes if one of its lines does.
    pub(crate) lines: Option<LineCondition>,
}

/// A condition that a line meets, or a transaction `t` that is not split.
pub(crate) struct LineCondition {
    category: Option<Referring<i64>>,
    /// The categories of the group. None of it: those of no group, or no category.
    group: Option<Referring<Vec<i64>>>,
    flow: Option<FlowKind>,
}

impl LineCondition {
    /// The condition, if the filter has one that a line must meet by itself.
    fn of(
        connection: &mut PgConnection,
        profile_id: ProfileId,
        filter: &TransactionFilter,
    ) -> QueryResult<Option<Self>> {
        let TransactionFilter { category, group_key, flow, .. } = filter;
        if category.is_none() && group_key.is_none() && flow.is_none() {
            return Ok(None);
        }
        let group = match group_key {
            Some(Referring::To(key)) => {
                let of_group = categories::table
                    .filter(categories::profile_id.eq(profile_id.0))
                    .filter(categories::group_key.eq(key))
                    .select(categories::id);
                Some(Referring::To(of_group.load(connection)?))
            }
            Some(Referring::Nothing) => Some(Referring::Nothing),
            None => None,
        };
        Ok(Some(LineCondition { category: category.map(|category| category.map(|id| id.0)), group, flow: *flow }))
    }

    /// The condition on the category in `column`.
    pub(crate) fn sql(&self, column: &str) -> String {
        let of_profile = |condition: &str| {
            format!("{column} in (select c.id from categories c where c.profile_id = $1 and {condition})")
        };
        let mut parts = Vec::new();
        match self.category {
            Some(Referring::To(id)) => parts.push(format!("{column} = {id}")),
            Some(Referring::Nothing) => parts.push(format!("{column} is null")),
            None => {}
        }
        match &self.group {
            Some(Referring::To(ids)) => {
                let ids: Vec<String> = ids.iter().map(i64::to_string).collect();
                parts.push(format!("{column} = any('{{{}}}'::bigint[])", ids.join(",")));
            }
            Some(Referring::Nothing) => {
                parts.push(format!("({column} is null or {})", of_profile("c.group_key is null")));
            }
            None => {}
        }
        let (expense, refund) = (Kind::Expense.as_str(), of_profile("c.nets_refunds"));
        match self.flow {
            Some(FlowKind::Expense) => parts.push(format!("(t.kind = '{expense}' or {refund})")),
            Some(FlowKind::Income) => parts.push(format!("(t.kind <> '{expense}' and ({refund}) is not true)")),
            Some(FlowKind::Both) | None => {}
        }
        if parts.is_empty() { "true".to_string() } else { parts.join(" and ") }
    }

    /// The condition that the transaction `t`, or one of its lines, meets.
    fn of_transaction(&self) -> String {
        format!(
            "case when t.is_split then exists (select 1 from transaction_lines l
                where l.profile_id = $1 and l.transaction_id = t.id and {}) else {} end",
            self.sql("l.category_id"),
            self.sql("t.category_id")
        )
    }
}

/// The days of a bill, as [`ROW_OF_BILL`] uses them.
#[derive(QueryableByName)]
#[diesel(check_for_backend(Pg))]
struct BillDays {
    #[diesel(sql_type = BigInt)]
    account_id: i64,
    #[diesel(sql_type = Date)]
    period_start: time::Date,
    #[diesel(sql_type = Date)]
    period_end: time::Date,
    #[diesel(sql_type = Date)]
    following_end: time::Date,
    #[diesel(sql_type = Nullable<Date>)]
    paid_also: Option<time::Date>,
    #[diesel(sql_type = Nullable<Date>)]
    paid_except: Option<time::Date>,
}

/// The transactions of a profile that pass the filter. None if the filter's bill does not exist, so that no transaction can pass.
/// The profile is $1, as in the texts of `sums.rs`.
pub(crate) fn filtered<'f>(
    connection: &mut PgConnection,
    profile_id: ProfileId,
    filter: &'f TransactionFilter,
) -> QueryResult<Option<Selection<'f>>> {
    let bill: Option<BillDays> = match filter.bill_id {
        Some(id) => {
            let found = sql_query(
                "select account_id, period_start, period_end, following_end, paid_also, paid_except from credit_bills
                where profile_id = $1 and id = $2",
            )
            .bind::<BigInt, _>(profile_id.0)
            .bind::<BigInt, _>(id.0)
            .cached()
            .get_result(connection)
            .optional()?;
            if found.is_none() {
                return Ok(None);
            }
            found
        }
        None => None,
    };
    let mut query = T.as_query().into_boxed().filter(T.field(transactions::profile_id).eq(profile_id.0));
    let date = T.field(transactions::date);
    match (filter.dates, filter.days()) {
        (DateBasis::Purchase, (first, last)) if first.or(last).is_some() => {
            // Each part is the range of an index.
            let (first, last) = (first.unwrap_or(EARLIEST), last.unwrap_or(time::Date::MAX));
            let bought = T.field(transactions::original_date);
            let by_date = bought.is_null().and(date.between(first, last));
            query = query.filter(bought.between(first, last).assume_not_null().or(by_date));
        }
        (_, (Some(first), Some(last))) => query = query.filter(date.between(first, last)),
        (_, (Some(first), None)) => query = query.filter(date.ge(first)),
        (_, (None, Some(last))) => query = query.filter(date.le(last)),
        (_, (None, None)) => {}
    }
    let account_id = T.field(transactions::account_id);
    match filter.account {
        Some(Referring::To(AccountId(id))) => query = query.filter(account_id.eq(id)),
        Some(Referring::Nothing) => query = query.filter(account_id.is_null()),
        None => {}
    }
    let category_id = T.field(transactions::category_id);
    match filter.category {
        Some(Referring::To(CategoryId(id))) => {
            let of_lines = sql::<Bool>(
                "(t.is_split and t.id in (select l.transaction_id from transaction_lines l
                    where l.profile_id = $1 and l.category_id = ",
            );
            query = query.filter(category_id.eq(id).assume_not_null().or(of_lines.bind::<BigInt, _>(id).sql("))")));
        }
        Some(Referring::Nothing) => {
            query = query.filter(category_id.is_null()).filter(T.field(transactions::is_split).eq(false));
        }
        None => {}
    }
    if let Some(kind) = filter.kind {
        query = query.filter(T.field(transactions::kind).eq(kind.as_str()));
    }
    if let Some(source) = filter.source {
        query = query.filter(T.field(transactions::source).eq(source.as_str()));
    }
    if let Some(import_id) = filter.import_id {
        query = query.filter(T.field(transactions::import_id).eq(import_id.0));
    }
    if let Some(bill) = bill {
        // The bill as constants: PostgreSQL then uses the index of the account. With a join of the bills' table it does not.
        let on_bill = sql::<Bool>("exists (select 1 from (select ")
            .bind::<BigInt, _>(bill.account_id)
            .sql(" as account_id, ")
            .bind::<Date, _>(bill.period_start)
            .sql(" as period_start, ")
            .bind::<Date, _>(bill.period_end)
            .sql(" as period_end, ")
            .bind::<Date, _>(bill.following_end)
            .sql(" as following_end, ")
            .bind::<Nullable<Date>, _>(bill.paid_also)
            .sql(" as paid_also, ")
            .bind::<Nullable<Date>, _>(bill.paid_except)
            .sql(&format!(" as paid_except) as b where {ROW_OF_BILL})"));
        query = query.filter(on_bill);
    }
    match &filter.tag_key {
        Some(Referring::To(key)) => {
            let has_tag = sql::<Bool>("(").bind::<Text, _>(key).sql(" = any(t.tag_keys))");
            // The condition of the index of tagged rows.
            query = query.filter(T.field(transactions::tags).is_not_null()).filter(has_tag);
        }
        Some(Referring::Nothing) => query = query.filter(T.field(transactions::tags).is_null()),
        None => {}
    }
    let created_by = T.field(transactions::created_by);
    match filter.member {
        Some(Referring::To(MemberId(id))) => query = query.filter(created_by.eq(id)),
        Some(Referring::Nothing) => query = query.filter(created_by.is_null()),
        None => {}
    }
    if let Some(texts) = &filter.texts {
        let named = sql::<Bool>(&format!("{PAYEE_TEXT} = any(")).bind::<Array<Text>, _>(texts).sql(")");
        query = query.filter(named);
    }
    let lines = LineCondition::of(connection, profile_id, filter)?;
    if filter.flow.is_some() {
        query = query.filter(sql::<Bool>(COUNTS));
    }
    if filter.flow.is_some() || filter.group_key.is_some() {
        let of_one_line = lines.as_ref().map(LineCondition::of_transaction).unwrap_or_default();
        query = query.filter(sql::<Bool>(&format!("({of_one_line})")));
    }
    if let Some(part) = &filter.text_part {
        let pattern = format!("%{}%", literal(part));
        let in_statement = T.field(transactions::statement_description_normalized);
        let in_statement = in_statement.is_not_null().and(in_statement.assume_not_null().like(pattern.clone()));
        let noted = T.field(transactions::note_normalized);
        let noted = noted.is_not_null().and(noted.assume_not_null().like(pattern.clone()));
        let named = T.field(transactions::description_normalized).like(pattern).or(in_statement).or(noted);
        query = match filter.amount {
            Some(amount) => query.filter(named.or(T.field(transactions::amount).eq(Hundredths::from(amount)))),
            None => query.filter(named),
        };
    }
    Ok(Some(Selection { query, lines }))
}
