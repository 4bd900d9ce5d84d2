//! Any table of an export, read page by page and stored again. The statements are made from the list of
//! tables given, whose names are those of the schema; a test holds the two together.

use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{BoxedSqlQuery, SqlQuery};
use diesel::result::{DatabaseErrorInformation, Error as DieselError};
use diesel::sql_types::{Array, BigInt, Nullable, Text};
use diesel::{QueryableByName, sql_query};
use finance_domain::export::{Column, ExportRepo, Key, Kind, RestoreRepo, Row, Table};
use finance_domain::imports::base_id;
use finance_domain::text::{name_key, normalized};
use finance_domain::{Error, Result};

use crate::constraints::error;
use crate::repo::PgRepo;
use crate::sums::{self, Change};

#[derive(QueryableByName)]
struct ValuesRow {
    #[diesel(sql_type = Array<Nullable<Text>>)]
    row_values: Vec<Option<String>>,
}

#[derive(QueryableByName)]
struct IdRow {
    #[diesel(sql_type = BigInt)]
    id: i64,
}

#[derive(QueryableByName)]
struct ObstacleRow {
    #[diesel(sql_type = Text)]
    table_name: String,
}

/// A stored column that follows from another, so that no document holds it.
struct Derived {
    name: &'static str,
    from: &'static str,
    rule: fn(&str) -> String,
}

const NAME_KEY: Derived = Derived { name: "name_key", from: "name", rule: name_key };
const DESCRIPTION_NORMALIZED: Derived =
    Derived { name: "description_normalized", from: "description", rule: normalized };
const EXTERNAL_ID_BASE: Derived =
    Derived { name: "external_id_base", from: "external_id", rule: |id| base_id(id).to_string() };

fn derived(table: &Table) -> &'static [Derived] {
    match table.name {
        "categories" | "accounts" => &[NAME_KEY],
        "transactions" | "pending_bill_rows" => &[DESCRIPTION_NORMALIZED, EXTERNAL_ID_BASE],
        _ => &[],
    }
}

/// The columns of a table that follow from others, so that no document holds them, each with the one it follows from.
pub fn derived_columns(table: &Table) -> impl Iterator<Item = (&'static str, &'static str)> + use<> {
    derived(table).iter().map(|derived| (derived.name, derived.from))
}

/// A column's value as the document writes it, whatever the server's settings are.
fn as_text(column: &Column) -> String {
    let name = column.name;
    match column.kind {
        Kind::Date => format!("to_char({name}, 'YYYY-MM-DD')"),
        Kind::Month => format!("to_char({name}, 'YYYY-MM')"),
        Kind::Instant => format!("to_char({name} at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')"),
        _ => format!("{name}::text"),
    }
}

/// The type of a column's values in the database.
fn type_of(kind: Kind) -> &'static str {
    match kind {
        Kind::Id | Kind::Reference(_) | Kind::Whole => "bigint",
        Kind::Money | Kind::Percentage => "numeric",
        Kind::Name | Kind::Text | Kind::Word => "text",
        Kind::Date | Kind::Month => "date",
        Kind::Instant => "timestamptz",
        Kind::Flag => "boolean",
    }
}

/// A value of the document, given as text, as the database holds it.
fn from_text(text: &str, kind: Kind) -> String {
    match kind {
        Kind::Month => format!("({text} || '-01')::date"),
        kind => format!("{text}::{}", type_of(kind)),
    }
}

fn names(columns: &[Column]) -> String {
    columns.iter().map(|column| column.name).collect::<Vec<_>>().join(", ")
}

/// The statement that reads a page; the key of the row before it follows the profile and the limit.
fn page_statement(table: &Table, continues: bool) -> String {
    let values: Vec<String> = table.columns.iter().map(as_text).collect();
    let key = table.key_columns();
    let place = if continues {
        let after: Vec<String> =
            key.iter().enumerate().map(|(at, column)| from_text(&format!("${}", at + 3), column.kind)).collect();
        format!("and ({}) > ({})", names(key), after.join(", "))
    } else {
        String::new()
    };
    let order = if key.is_empty() { String::new() } else { format!("order by {}", names(key)) };
    format!(
        "select array[{}] as row_values from {} where profile_id = $1 {place} {order} limit $2",
        values.join(", "),
        table.name
    )
}

/// The statement that stores rows, given as one array a column.
fn insert_statement(table: &Table) -> String {
    let derived = derived(table).iter().map(|derived| (derived.name, Kind::Text));
    let columns: Vec<(&str, Kind)> =
        table.columns.iter().map(|column| (column.name, column.kind)).chain(derived).collect();
    let list = |one: &dyn Fn(usize) -> String| (0..columns.len()).map(one).collect::<Vec<_>>().join(", ");
    format!(
        "insert into {} (profile_id, {}) overriding system value select $1, {} from unnest({}) as given ({})",
        table.name,
        list(&|at| columns[at].0.to_string()),
        list(&|at| from_text(&format!("c{at}"), columns[at].1)),
        list(&|at| format!("${}", at + 2)),
        list(&|at| format!("c{at}")),
    )
}

/// A document that the database will not have is wrong, not the service.
fn refused(table: &'static Table) -> impl Fn(DieselError) -> Error {
    move |source| {
        let rule = match &source {
            DieselError::DatabaseError(_, told) => broken_rule(told.as_ref()),
            _ => None,
        };
        match (rule, error(source)) {
            // An outage stays one.
            (_, outage @ Error::Unavailable(_)) => outage,
            (Some(rule), _) => Error::invalid(table.name, rule),
            (None, other) => other,
        }
    }
}

fn broken_rule(told: &(dyn DatabaseErrorInformation + Send + Sync)) -> Option<String> {
    if let Some(rule) = told.constraint_name() {
        return Some(format!("a row breaks the rule {rule}"));
    }
    // What PostgreSQL says of values that are beyond their column; diesel passes no SQLSTATE on.
    let message = told.message();
    let beyond = ["out of range", "overflow", "too long", "violates not-null"];
    beyond.iter().any(|words| message.contains(words)).then(|| format!("a row has an impossible value: {message}"))
}

impl ExportRepo for PgRepo<'_> {
    fn export_page(&mut self, table: &'static Table, after: Option<&Row>, limit: u32) -> Result<Vec<Row>> {
        if after.is_some() && table.key == Key::Single {
            return Ok(Vec::new());
        }
        let mut query = bound(page_statement(table, after.is_some()))
            .bind::<BigInt, _>(self.profile_id.0)
            .bind::<BigInt, _>(i64::from(limit));
        for value in after.into_iter().flat_map(|row| row.iter().take(table.key_columns().len())) {
            query = query.bind::<Nullable<Text>, _>(value.clone());
        }
        let rows: Vec<ValuesRow> = query.load(self.connection).map_err(error)?;
        Ok(rows.into_iter().map(|row| row.row_values).collect())
    }
}

impl RestoreRepo for PgRepo<'_> {
    fn restore_obstacle(&mut self, tables: &'static [Table]) -> Result<Option<&'static str>> {
        let looks: Vec<String> = tables
            .iter()
            .map(|Table { name, .. }| {
                let beyond = if *name == "categories" { "and not is_standard" } else { "" };
                format!(
                    "select '{name}' as table_name where exists (select from {name} where profile_id = $1 {beyond})"
                )
            })
            .collect();
        let found: Option<ObstacleRow> = sql_query(format!("{} limit 1", looks.join(" union all ")))
            .bind::<BigInt, _>(self.profile_id.0)
            .get_result(self.connection)
            .optional()
            .map_err(error)?;
        Ok(found.and_then(|found| tables.iter().find(|table| table.name == found.table_name)).map(|table| table.name))
    }

    fn restore_clear(&mut self) -> Result<()> {
        sql_query("delete from categories where profile_id = $1")
            .bind::<BigInt, _>(self.profile_id.0)
            .execute(self.connection)
            .map_err(error)?;
        Ok(())
    }

    fn restore_ids(&mut self, table: &'static Table, count: usize) -> Result<Vec<i64>> {
        let statement = format!(
            "select nextval(pg_get_serial_sequence('{}', 'id')::regclass) as id from generate_series(1, $1)",
            table.name
        );
        let count = i64::try_from(count).map_err(|error| Error::Internal(Box::new(error)))?;
        let ids: Vec<IdRow> = sql_query(statement).bind::<BigInt, _>(count).load(self.connection).map_err(error)?;
        Ok(ids.into_iter().map(|row| row.id).collect())
    }

    fn restore_insert(&mut self, table: &'static Table, rows: &[Row]) -> Result<()> {
        let insert = insert_statement(table);
        let statement = match table.name {
            // Bills come before transactions: their totals begin at 0, as balances do.
            "transactions" => format!(
                "with written as ({insert} returning {}) {} select 1",
                sums::COLUMNS,
                sums::keep(Change::Written)
            ),
            _ => insert,
        };
        let mut query = bound(statement).bind::<BigInt, _>(self.profile_id.0);
        for at in 0..table.columns.len() {
            let column: Vec<Option<&str>> = rows.iter().map(|row| row.get(at).and_then(Option::as_deref)).collect();
            query = query.bind::<Array<Nullable<Text>>, _>(column);
        }
        for Derived { from, rule, .. } in derived(table) {
            let at = table.position(from);
            let from = |row: &Row| at.and_then(|at| row.get(at)).and_then(Option::as_deref).map(rule);
            query = query.bind::<Array<Nullable<Text>>, _>(rows.iter().map(from).collect::<Vec<Option<String>>>());
        }
        query.execute(self.connection).map_err(refused(table))?;
        Ok(())
    }
}

fn bound<'a>(statement: String) -> BoxedSqlQuery<'a, Pg, SqlQuery> {
    sql_query(statement).into_boxed()
}
