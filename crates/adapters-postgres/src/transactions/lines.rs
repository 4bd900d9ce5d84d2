//! The lines of split transactions.

use std::collections::HashMap;

use diesel::QueryableByName;
use diesel::sql_types::{BigInt, Numeric};
use finance_domain::transactions::{Details, Line, Transaction};
use finance_domain::{CategoryId, Result};

use crate::constraints::error;
use crate::numeric::Hundredths;
use crate::repo::PgRepo;
use crate::row::row;
use crate::sql::{Arguments, Binding, Cache, Fetch, unnest};
use crate::sums;
use crate::transactions::rows::TransactionRow;

/// The lines of the rows to write, in the form that a statement binds: an array for each column.
#[derive(Default)]
pub(crate) struct LineColumns {
    /// The number of the row that each line belongs to.
    pub(crate) rows: Vec<i64>,
    pub(crate) positions: Vec<i16>,
    pub(crate) categories: Vec<i64>,
    pub(crate) amounts: Vec<Hundredths>,
}

impl LineColumns {
    /// The lines in the details of the rows, each under the number of its row.
    pub(crate) fn of<'d>(rows: impl Iterator<Item = (i64, &'d Details)>) -> Self {
        let mut columns = LineColumns::default();
        for (row, details) in rows {
            for (position, line) in (0..).zip(&details.lines) {
                columns.rows.push(row);
                columns.positions.push(position);
                columns.categories.push(line.category_id.0);
                columns.amounts.push(Hundredths::from(line.amount));
            }
        }
        columns
    }

    /// Binds the arrays.
    pub(super) fn bind<'v, Q>(self, query: Binding<'v, Q>) -> Binding<'v, Q> {
        query.arg(self.rows).arg(self.positions).arg(self.categories).arg(self.amounts)
    }
}

/// [`LineColumns`] as a table `line`, bound from the parameter with that number on.
pub(crate) fn given(first: usize) -> String {
    let types = ["bigint", "smallint", "bigint", "numeric"];
    format!("{} as line (number, position, category_id, amount)", unnest(first, &types))
}

row! { struct LineRow {
    transaction_id: i64 [BigInt],
    category_id: i64 [BigInt],
    amount: Hundredths [Numeric],
} }

impl PgRepo<'_> {
    /// The transactions of the rows, in the same order. Lines are read only if a row is split.
    pub(super) fn with_lines(&mut self, rows: Vec<TransactionRow>) -> Result<Vec<Transaction>> {
        let split: Vec<i64> = rows.iter().filter(|row| row.is_split).map(|row| row.id).collect();
        let mut lines: HashMap<i64, Vec<Line>> = HashMap::new();
        if !split.is_empty() {
            let query = self.sql(
                "select transaction_id, category_id, amount from transaction_lines
                where profile_id = $1 and transaction_id = any($2)
                order by transaction_id, position",
            );
            let stored: Vec<LineRow> = query.arg(split).rows(self.connection)?;
            for row in stored {
                let line = Line { category_id: CategoryId(row.category_id), amount: row.amount.into() };
                lines.entry(row.transaction_id).or_default().push(line);
            }
        }
        let transaction = |row: TransactionRow| {
            let lines = lines.remove(&row.id).unwrap_or_default();
            let mut transaction = Transaction::from(row);
            transaction.details.lines = lines;
            transaction
        };
        Ok(rows.into_iter().map(transaction).collect())
    }

    /// Marks the transactions that have lines, and recomputes the sums by their lines. Both are needed after rows were restored
    /// table by table.
    pub(crate) fn mark_restored_lines(&mut self) -> Result<()> {
        let query = self.sql(
            "update transactions set is_split = true
            where profile_id = $1 and id in (select transaction_id from transaction_lines where profile_id = $1)",
        );
        let marked = query.exec_count(self.connection)?;
        if marked > 0 {
            sums::rebuild(self.connection, self.profile_id.0).map_err(error)?;
            // It counted every row, those of this transaction too.
            self.transactions_added = 0;
        }
        Ok(())
    }
}
