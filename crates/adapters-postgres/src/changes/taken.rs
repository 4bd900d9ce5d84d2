//! What an import found of rows that were made here, as they were before.

use const_format::formatcp;
use diesel::QueryableByName;
use diesel::sql_types::{BigInt, Date as SqlDate, Nullable, Text};
use finance_domain::transactions::BeforeStatement;
use finance_domain::{ImportId, Result, TransactionId};
use time::Date;

use super::{CHANGED, CREATED};
use crate::repo::PgRepo;
use crate::row::row;
use crate::sql::{Arguments, Fetch};

row! { struct TakenRow {
    id: i64 [BigInt],
    date: Date [SqlDate],
    original_date: Option<Date> [Nullable<SqlDate>],
    external_id: Option<String> [Nullable<Text>],
} }

impl PgRepo<'_> {
    /// The transactions that no import brought and that the change of this import marked as rows of its statement.
    pub(crate) fn taken_by_import(&mut self, id: ImportId) -> Result<Vec<BeforeStatement>> {
        let before = |row: TakenRow| BeforeStatement {
            id: TransactionId(row.id),
            date: row.date,
            original_date: row.original_date,
            external_id: row.external_id,
        };
        let query = self.sql(formatcp!(
            "with made as (
                select max(e.change_id) as change_id from change_entries e
                where e.profile_id = $1 and e.table_name = 'imports' and e.op = '{CREATED}' and (e.ids @> $2 or e.row_id = $2)
            )
            select t.id, coalesce((e.columns ->> 'date')::date, t.date) as date,
                case when e.columns ? 'original_date' then (e.columns ->> 'original_date')::date else t.original_date end
                    as original_date,
                case when e.columns ? 'external_id' then e.columns ->> 'external_id' else t.external_id end as external_id
            from made
            join change_entries e on e.profile_id = $1 and e.change_id = made.change_id and e.table_name = 'transactions'
                and e.op = '{CHANGED}' and e.columns ->> 'is_recognised' = 'false'
            join transactions t on t.profile_id = $1 and t.id = e.row_id and t.is_recognised and t.import_id is null"
        ));
        query.arg(id.0).fetch_as(self.connection, before)
    }
}
