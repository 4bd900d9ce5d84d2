//! Transactions. Every statement that writes or removes them is in this folder, and updates the sums. For the same reason the
//! instalments in descriptions are read here, whichever code writes the description.

mod columns;
mod deletions;
pub(crate) mod filters;
mod inserts;
pub(crate) mod lines;
mod rows;
mod transfer_marks;
mod updates;

use std::collections::HashSet;

use diesel::QueryableByName;
use diesel::dsl::sql;
use diesel::pg::{Pg, PgRowByRowLoadingMode};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Numeric, Text};
pub(crate) use filters::literal;
use filters::{PAYEE_TEXT, Selection, T, filtered};
use finance_domain::transactions::{
    DESCRIPTIONS_SEARCHED_MAX, Edit, Kind, NewTransaction, Removed, Transaction, TransactionFilter, TransactionPlace,
    TransactionRepo, TransactionSummary, TransferState, UsedDescription,
};
use finance_domain::{AccountId, CategoryId, Error, ImportId, Month, Result, TransactionId, TransferId};
use rows::TransactionRow;

use crate::constraints::error;
use crate::numeric::Hundredths;
use crate::repo::PgRepo;
use crate::schema::transactions;
use crate::sql::{Arguments, Cache, Fetch};
use crate::sums::COUNTS;
use crate::words::StoredWord;

pub(crate) use deletions::{Deletion, FORGET_STATEMENT_ACCOUNT};

/// A description and the values that it was used with.
#[derive(QueryableByName)]
#[diesel(table_name = transactions)]
struct DescriptionRow {
    description: String,
    kind: StoredWord<Kind>,
    category_id: Option<i64>,
    account_id: Option<i64>,
}

impl PgRepo<'_> {
    /// Both legs of a transfer.
    pub(crate) fn transfer_legs(&mut self, id: TransferId) -> Result<Vec<Transaction>> {
        let legs = transactions::table
            .filter(transactions::profile_id.eq(self.profile_id.0))
            .filter(transactions::transfer_id.eq(id.0))
            .select(TransactionRow::as_select());
        let rows = legs.fetch(self.connection)?;
        self.with_lines(rows)
    }
}

impl TransactionRepo for PgRepo<'_> {
    fn transaction_list(
        &mut self,
        filter: &TransactionFilter,
        after: Option<TransactionPlace>,
        limit: u32,
    ) -> Result<Vec<Transaction>> {
        let (date, id) = (T.field(transactions::date), T.field(transactions::id));
        let Some(Selection { query, .. }) = filtered(self.connection, self.profile_id, filter).map_err(error)? else {
            return Ok(Vec::new());
        };
        let mut query = query.order((date.desc(), id.desc())).limit(i64::from(limit));
        if let Some(after) = after {
            let same_day = date.eq(after.date).and(id.lt(after.id.0));
            query = query.filter(date.le(after.date)).filter(date.lt(after.date).or(same_day));
        }
        let rows: Vec<TransactionRow> =
            query.select(T.fields(<TransactionRow as Selectable<Pg>>::construct_selection())).fetch(self.connection)?;
        self.with_lines(rows)
    }

    fn transaction_summary(&mut self, filter: &TransactionFilter) -> Result<TransactionSummary> {
        let Some(Selection { query, lines }) = filtered(self.connection, self.profile_id, filter).map_err(error)?
        else {
            return Ok(TransactionSummary::default());
        };
        // For a split transaction, only the requested lines.
        let amount = match lines {
            Some(lines) => format!(
                "case when t.is_split then (select sum(l.amount) from transaction_lines l
                    where l.profile_id = $1 and l.transaction_id = t.id and {}) else t.amount end",
                lines.sql("l.category_id")
            ),
            None => "t.amount".to_string(),
        };
        let sum = |kind: Kind| {
            let kind = kind.as_str();
            format!("coalesce(sum({amount}) filter (where t.kind = '{kind}' and {COUNTS}), 0)")
        };
        let sums = format!("count(*), {}, {}", sum(Kind::Income), sum(Kind::Expense));
        let query = query.select(sql::<(BigInt, Numeric, Numeric)>(&sums));
        let (count, income, expenses): (i64, Hundredths, Hundredths) = query.fetch_one(self.connection)?;
        let count = u64::try_from(count).map_err(|error| Error::Internal(Box::new(error)))?;
        Ok(TransactionSummary { count, income: income.into(), expenses: expenses.into() })
    }

    fn transaction_texts(&mut self, filter: &TransactionFilter, visit: &mut dyn FnMut(&str)) -> Result<()> {
        let Some(Selection { query, .. }) = filtered(self.connection, self.profile_id, filter).map_err(error)? else {
            return Ok(());
        };
        let query = query.select(sql::<Text>(PAYEE_TEXT)).distinct();
        let texts = query.load_iter::<String, PgRowByRowLoadingMode>(self.connection).map_err(error)?;
        for text in texts {
            visit(&text.map_err(error)?);
        }
        Ok(())
    }

    fn transaction_get(&mut self, id: TransactionId) -> Result<Option<Transaction>> {
        let query = transactions::table.find((self.profile_id.0, id.0)).select(TransactionRow::as_select());
        let row: Option<TransactionRow> = query.fetch_if_any(self.connection)?;
        Ok(self.with_lines(row.into_iter().collect())?.pop())
    }

    fn transaction_descriptions(&mut self, part: &str, limit: u32) -> Result<Vec<UsedDescription>> {
        let begins = format!("{}%", literal(part));
        let query = self.sql(format!(
            "with recent as (
                select t.date, t.id, t.description, t.description_normalized, t.kind, t.category_id, t.account_id
                from transactions t
                where t.profile_id = $1 and {COUNTS}
                order by t.date desc, t.id desc
                limit $4
            ), latest as (
                -- Compared byte by byte: the order of a language takes several times as long.
                select distinct on (description_normalized collate \"C\") *
                from recent
                where description_normalized like '%' || $2
                order by description_normalized collate \"C\", date desc, id desc
            )
            select description, kind, category_id, account_id
            from latest
            order by description_normalized not like $2, date desc, id desc
            limit $3"
        ));
        let rows: Vec<DescriptionRow> =
            query.arg(begins).arg(i64::from(limit)).arg(DESCRIPTIONS_SEARCHED_MAX).rows(self.connection)?;
        let used = rows.into_iter().map(|row| UsedDescription {
            description: row.description,
            kind: row.kind.0,
            category_id: row.category_id.map(CategoryId),
            account_id: row.account_id.map(AccountId),
        });
        Ok(used.collect())
    }

    fn transaction_insert(&mut self, new: &[NewTransaction]) -> Result<Vec<Transaction>> {
        self.insert_transactions(new, vec![None; new.len()])
    }

    fn transaction_update(&mut self, edits: &[Edit]) -> Result<Vec<Transaction>> {
        self.update_transactions(edits)
    }

    fn transaction_delete(&mut self, ids: &HashSet<TransactionId>) -> Result<Removed> {
        let ids: Vec<i64> = ids.iter().map(|id| id.0).collect();
        self.delete_transactions(Deletion::Ids(&ids))
    }

    fn transaction_delete_month(&mut self, month: Month) -> Result<Removed> {
        self.delete_transactions(Deletion::Month(month))
    }

    fn transaction_set_transfer(&mut self, states: &[TransferState]) -> Result<()> {
        self.set_transfer_states(states)
    }

    fn transaction_note_import(&mut self, ids: &[TransactionId], import_id: ImportId) -> Result<()> {
        self.note_import(ids, import_id)
    }

    fn transaction_list_of(&mut self, ids: &[TransactionId]) -> Result<Vec<Transaction>> {
        let ids: Vec<i64> = ids.iter().map(|id| id.0).collect();
        let query = self.sql("select * from transactions where profile_id = $1 and id = any($2) order by id");
        let rows = query.arg(&ids).about(ids.len()).fetch(self.connection)?;
        self.with_lines(rows)
    }
}
