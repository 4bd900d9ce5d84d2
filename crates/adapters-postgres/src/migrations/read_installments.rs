//! Reads the instalments from the descriptions that are stored already.

use diesel::connection::SimpleConnection;
use diesel::sql_types::{BigInt, Bool, Nullable, Text};
use diesel::{PgConnection, QueryResult, QueryableByName, RunQueryDsl};
use finance_domain::accounts::AccountKind;
use finance_domain::transactions::Source;

use crate::installments::StoredReading;
use crate::row::row;
use crate::sql::{Arguments, with_args};

/// The number of rows that are read at once.
const BATCH_ROWS: i64 = 10_000;

row! { struct DescriptionRow {
    profile_id: i64 [BigInt],
    id: i64 [BigInt],
    description: String [Text],
    statement_description: Option<String> [Nullable<Text>],
    is_entered: bool [Bool],
} }

/// Stores what the descriptions of all rows on cards contain, for every profile. It may run again: it then overwrites the stored
/// values. The connection's role owns the tables, or is a superuser.
///
/// # Errors
///
/// The errors of PostgreSQL.
pub(super) fn run(connection: &mut PgConnection) -> QueryResult<()> {
    read_all(connection, "null::text", "true")
}

/// Like [`run`], for the rows that were renamed: what their statement says is read.
///
/// # Errors
///
/// The errors of PostgreSQL.
pub(super) fn run_renamed(connection: &mut PgConnection) -> QueryResult<()> {
    read_all(connection, "t.statement_description", "t.statement_description is not null")
}

fn read_all(connection: &mut PgConnection, statement_description: &str, condition: &str) -> QueryResult<()> {
    // Row-level security applies to the tables' owner too.
    connection.batch_execute(
        "alter table transactions no force row level security; alter table accounts no force row level security",
    )?;
    let mut after = (0, 0);
    loop {
        let query = with_args(format!(
            "select t.profile_id, t.id, t.description, {statement_description} as statement_description,
                t.source = '{}' as is_entered
            from transactions t
            join accounts card on card.profile_id = t.profile_id and card.id = t.account_id and card.kind = $4
            where (t.profile_id, t.id) > ($1, $2) and {condition}
            order by t.profile_id, t.id
            limit $3",
            Source::Installment.as_str()
        ));
        let rows: Vec<DescriptionRow> =
            query.arg(after.0).arg(after.1).arg(BATCH_ROWS).arg(AccountKind::Credit.as_str()).load(connection)?;
        let Some(last) = rows.last() else { break };
        after = (last.profile_id, last.id);
        store(connection, &rows)?;
    }
    connection.batch_execute(
        "alter table accounts force row level security; alter table transactions force row level security",
    )
}

/// Stores what is read from the descriptions that contain an instalment.
fn store(connection: &mut PgConnection, rows: &[DescriptionRow]) -> QueryResult<()> {
    let reading = |row: &DescriptionRow| {
        StoredReading::of(&row.description, row.statement_description.as_deref(), row.is_entered)
    };
    let readings = rows.iter().map(|row| (row, reading(row)));
    let (mut profile_ids, mut ids, mut numbers, mut counts, mut shops) = (vec![], vec![], vec![], vec![], vec![]);
    for (row, reading) in readings {
        if let StoredReading { number: Some(number), count: Some(count), shop: Some(shop) } = reading {
            profile_ids.push(row.profile_id);
            ids.push(row.id);
            numbers.push(number);
            counts.push(count);
            shops.push(shop);
        }
    }
    let query = with_args(
        "update transactions t
        set installment_number = said.number, installment_count = said.count, installment_shop = said.shop
        from unnest($1::bigint[], $2::bigint[], $3::smallint[], $4::smallint[], $5::text[])
            as said (profile_id, id, number, count, shop)
        where t.profile_id = said.profile_id and t.id = said.id",
    );
    query.arg(profile_ids).arg(ids).arg(numbers).arg(counts).arg(shops).execute(connection)?;
    Ok(())
}
