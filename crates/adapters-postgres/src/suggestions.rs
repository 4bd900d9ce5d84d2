//! Past categorizations, which suggestions are learned from.
//!
//! What is learned is read for each preview: payees, words and their votes from the newest 10,000 categorised rows, only if a
//! rule, the description or the plan does not decide every row. The same description is looked up in the whole history,
//! through an index.

use std::collections::HashMap;

use diesel::QueryableByName;
use diesel::sql_types::{BigInt, Numeric, SmallInt, Text};
use finance_domain::installments::ROWS_READ_MAX;
use finance_domain::suggestions::{LearnedRow, PlanRow, SuggestionRepo};
use finance_domain::transactions::Kind;
use finance_domain::{AccountId, CategoryId, Error, Result};

use crate::installments::installment;
use crate::numeric::Hundredths;
use crate::repo::PgRepo;
use crate::row::row;
use crate::sql::{Arguments, Cache};
use crate::words::StoredWord;

row! { struct FiledRow {
    description: String [Text],
    kind: StoredWord<Kind> [Text],
    category_id: i64 [BigInt],
} }

row! { struct FiledInstallmentRow {
    installment_shop: String [Text],
    installment_number: i16 [SmallInt],
    installment_count: i16 [SmallInt],
    amount: Hundredths [Numeric],
    category_id: i64 [BigInt],
} }

impl SuggestionRepo for PgRepo<'_> {
    // Looks descriptions up by the key that PostgreSQL keeps of each one, and also compares the text, because two descriptions
    // may have the same key. The key is computed inside `offset 0`: under row-level security PostgreSQL does not use an index for
    // a comparison with a function's result, so each description would read the whole history. The inner query must not filter by
    // category either: rows without a category are skipped outside `offset 0`.
    fn categories_of_descriptions(&mut self, wanted: &[(Kind, String)]) -> Result<HashMap<(Kind, String), CategoryId>> {
        self.sql(
            "select wanted.kind, wanted.description, latest.category_id
            from (
                select kind, description, hashtext(description) as key
                from unnest($2::text[], $3::text[]) as given (kind, description)
                offset 0
            ) as wanted
            cross join lateral (
                select category_id
                from (
                    select category_id, id
                    from (
                        select category_id, id, date from transactions
                        where profile_id = $1 and description_key = wanted.key and kind = wanted.kind and not is_transfer
                            and coalesce(statement_description_normalized, description_normalized) = wanted.description
                        order by date desc
                        offset 0
                    ) as described
                    where category_id is not null
                    -- In the order of the index, so the rows of one day are read and not all of one description.
                    order by date desc
                    fetch first row with ties
                ) as of_day
                order by id desc
                limit 1
            ) as latest",
        )
        .arg(wanted.iter().map(|(kind, _)| kind.as_str()).collect::<Vec<_>>())
        .arg(wanted.iter().map(|(_, description)| description.as_str()).collect::<Vec<_>>())
        .rows_as(self.connection, |row: FiledRow| ((row.kind.0, row.description), CategoryId(row.category_id)))
    }

    fn filed_installments(&mut self, account_id: AccountId, shops: &[String]) -> Result<Vec<(PlanRow, CategoryId)>> {
        let query = self.sql(
            "select installment_shop, installment_number, installment_count, amount, category_id from transactions
            where profile_id = $1 and account_id = $2 and installment_count is not null and installment_shop = any($3)
                and kind = $4 and category_id is not null and not is_transfer
            order by date desc, id desc
            limit $5",
        );
        let rows: Vec<FiledInstallmentRow> = query
            .arg(account_id.0)
            .arg(shops)
            .arg(Kind::Expense.as_str())
            .arg(i64::from(ROWS_READ_MAX))
            .rows(self.connection)?;
        let filed = |row: FiledInstallmentRow| {
            let installment = installment(Some(row.installment_number), Some(row.installment_count))
                .ok_or_else(|| Error::Internal("an instalment of no number".into()))?;
            let row_of_plan = PlanRow { shop: row.installment_shop, installment, amount: row.amount.into() };
            Ok((row_of_plan, CategoryId(row.category_id)))
        };
        rows.into_iter().map(filed).collect()
    }

    fn learned_rows(&mut self, limit: u32) -> Result<Vec<LearnedRow>> {
        let query = self.sql(
            "select kind, category_id, coalesce(statement_description_normalized, description_normalized) as description
            from transactions
            where profile_id = $1 and category_id is not null and not is_transfer
            order by date desc, id desc
            limit $2",
        );
        query.arg(i64::from(limit)).rows_as(self.connection, learned)
    }

    fn learned_rows_with(&mut self, limit: u32, parts: &[String]) -> Result<Vec<LearnedRow>> {
        self.sql(
            "select kind, category_id, description
            from (
                select kind, category_id, date, id,
                    coalesce(statement_description_normalized, description_normalized) as description
                from transactions
                where profile_id = $1 and category_id is not null and not is_transfer
                order by date desc, id desc
                limit $2
            ) as newest
            where description like any($3)
            order by date desc, id desc",
        )
        .arg(i64::from(limit))
        .arg(parts.iter().map(|part| format!("%{part}%")).collect::<Vec<_>>())
        .rows_as(self.connection, learned)
    }
}

fn learned(row: FiledRow) -> LearnedRow {
    LearnedRow { description: row.description, kind: row.kind.0, category_id: CategoryId(row.category_id) }
}
