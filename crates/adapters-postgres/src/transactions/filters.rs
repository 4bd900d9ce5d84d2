//! Which transactions are requested: the conditions of a list and of its summary.

use diesel::dsl::sql;
use diesel::helper_types::IntoBoxed;
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::AsQuery;
use diesel::query_source::Alias;
use diesel::sql_query;
use diesel::sql_types::{BigInt, Bool, Date, Nullable, Text};
use finance_domain::transactions::{Referring, TransactionFilter};
use finance_domain::{AccountId, CategoryId, ProfileId};

use crate::schema::transactions;
use crate::statement::Cache;
use crate::sums::ROW_OF_BILL;

// Transactions under the name that they have in the texts of `sums.rs`.
diesel::alias! {
    pub(super) const T: Alias<Transactions> = transactions as t;
}

/// A query of transactions `t`.
pub(super) type Filtered<'f> = IntoBoxed<'f, <Alias<Transactions> as AsQuery>::Query, Pg>;

/// A pattern of `like` that matches only this text.
pub(crate) fn literal(text: &str) -> String {
    text.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_")
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
pub(super) fn filtered<'f>(
    connection: &mut PgConnection,
    profile_id: ProfileId,
    filter: &'f TransactionFilter,
) -> QueryResult<Option<Filtered<'f>>> {
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
    match filter.days() {
        (Some(first), Some(last)) => query = query.filter(date.between(first, last)),
        (Some(first), None) => query = query.filter(date.ge(first)),
        (None, Some(last)) => query = query.filter(date.le(last)),
        (None, None) => {}
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
    if let Some(key) = &filter.tag_key {
        let has_tag = sql::<Bool>("(").bind::<Text, _>(key).sql(" = any(t.tag_keys))");
        // The condition of the index of tagged rows.
        query = query.filter(T.field(transactions::tags).is_not_null()).filter(has_tag);
    }
    if let Some(part) = &filter.text_part {
        let pattern = format!("%{}%", literal(part));
        let told = T.field(transactions::statement_description_normalized);
        let told = told.is_not_null().and(told.assume_not_null().like(pattern.clone()));
        let noted = T.field(transactions::note_normalized);
        let noted = noted.is_not_null().and(noted.assume_not_null().like(pattern.clone()));
        query = query.filter(T.field(transactions::description_normalized).like(pattern).or(told).or(noted));
    }
    Ok(Some(query))
}
