//! Imports: what a statement is compared with, what its rows were filed under before, and the log.

use std::collections::HashMap;

use diesel::prelude::*;
use diesel::sql_types::{Array, BigInt, Date as SqlDate, Nullable, Numeric, Text};
use diesel::{QueryableByName, sql_query};
use finance_domain::imports::{Comparison, Content, ImportRepo, NewImport, StatementFormat, Stored};
use finance_domain::{CategoryId, ImportId, Result, TransactionId};
use time::Date;

use crate::constraints::error;
use crate::numeric::Hundredths;
use crate::repo::PgRepo;
use crate::schema::imports;
use crate::transactions::kind_of;

#[derive(QueryableByName)]
struct StoredRow {
    #[diesel(sql_type = BigInt)]
    id: i64,
    #[diesel(sql_type = SqlDate)]
    date: Date,
    #[diesel(sql_type = Text)]
    kind: String,
    #[diesel(sql_type = Numeric)]
    amount: Hundredths,
    #[diesel(sql_type = Text)]
    description: String,
    #[diesel(sql_type = Nullable<Text>)]
    external_id: Option<String>,
}

#[derive(QueryableByName)]
struct SuggestionRow {
    #[diesel(sql_type = Text)]
    description: String,
    #[diesel(sql_type = BigInt)]
    category_id: i64,
}

pub(crate) fn format_text(format: StatementFormat) -> &'static str {
    match format {
        StatementFormat::Ofx => "ofx",
        StatementFormat::Csv => "csv",
    }
}

fn count(rows: usize) -> i32 {
    i32::try_from(rows).unwrap_or(i32::MAX)
}

impl ImportRepo for PgRepo<'_> {
    fn stored_rows(&mut self, comparison: &Comparison) -> Result<Vec<Stored>> {
        let (Some(first), Some(last)) = (comparison.first, comparison.last) else { return Ok(Vec::new()) };
        let rows: Vec<StoredRow> = sql_query(
            "select id, coalesce(original_date, date) as date, kind, amount,
                description_normalized as description, external_id
            from transactions
            where profile_id = $1
                and ($2 is null or account_id = $2 or account_id is null)
                and (coalesce(original_date, date) between $3 and $4 and amount = any($5)
                    or external_id_base = any($6))
            order by id",
        )
        .bind::<BigInt, _>(self.profile_id.0)
        .bind::<Nullable<BigInt>, _>(comparison.account_id.map(|id| id.0))
        .bind::<SqlDate, _>(first)
        .bind::<SqlDate, _>(last)
        .bind::<Array<Numeric>, _>(
            comparison.amounts.iter().map(|amount| Hundredths::from(*amount)).collect::<Vec<_>>(),
        )
        .bind::<Array<Text>, _>(&comparison.base_ids)
        .load(self.connection)
        .map_err(error)?;
        rows.into_iter()
            .map(|row| {
                Ok(Stored {
                    id: Some(TransactionId(row.id)),
                    content: Content {
                        date: row.date,
                        kind: kind_of(&row.kind)?,
                        amount: row.amount.into(),
                        description: row.description,
                    },
                    external_id: row.external_id,
                })
            })
            .collect()
    }

    fn category_suggestions(&mut self, descriptions: &[String]) -> Result<HashMap<String, CategoryId>> {
        let rows: Vec<SuggestionRow> = sql_query(
            "select wanted.description, latest.category_id
            from unnest($2) as wanted (description)
            cross join lateral (
                select category_id from transactions
                where profile_id = $1 and description_normalized = wanted.description and category_id is not null
                order by date desc, id desc
                limit 1
            ) as latest",
        )
        .bind::<BigInt, _>(self.profile_id.0)
        .bind::<Array<Text>, _>(descriptions)
        .load(self.connection)
        .map_err(error)?;
        Ok(rows.into_iter().map(|row| (row.description, CategoryId(row.category_id))).collect())
    }

    fn import_insert(&mut self, new: &NewImport) -> Result<ImportId> {
        diesel::insert_into(imports::table)
            .values((
                imports::profile_id.eq(self.profile_id.0),
                imports::file_name.eq(new.file_name.as_deref()),
                imports::format.eq(format_text(new.format)),
                imports::account_id.eq(new.account_id.map(|id| id.0)),
                imports::inserted.eq(count(new.inserted)),
                imports::skipped.eq(count(new.skipped)),
            ))
            .returning(imports::id)
            .get_result(self.connection)
            .map(ImportId)
            .map_err(error)
    }
}
