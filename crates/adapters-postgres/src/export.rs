//! Reads and restores the tables of an export. The statements are built from the given list of tables, whose names are
//! those of the schema, which a test checks.

use diesel::QueryableByName;
use diesel::prelude::*;
use diesel::query_builder::SqlQuery;
use diesel::result::Error as DieselError;
use diesel::sql_types::{Array, Nullable, Text};
use finance_domain::categories::group_key;
use finance_domain::changes::Recorded;
use finance_domain::export::{Column, ExportRepo, Key, Kind, RestoreRepo, Row, Table};
use finance_domain::imports::base_id;
use finance_domain::tags::key;
use finance_domain::text::{name_key, normalized};
use finance_domain::transactions::Source;
use finance_domain::{Error, Result, Violation};

use crate::constraints::{broken_rule, error};
use crate::imports::other_base;
use crate::installments::{StoredReading, is_card};
use crate::numeric::bigint;
use crate::profiles;
use crate::repo::PgRepo;
use crate::row::row;
use crate::sql::{Arguments, Binding, Fetch, IdRow, Rows, inserting, with_args};
use crate::sums::{self, Change};
use crate::tags::{SEPARATOR, array, joined};

row! { struct ValuesRow { row_values: Vec<Option<String>> [Array<Nullable<Text>>] } }

row! { struct ObstacleRow { table_name: String [Text] } }

/// A stored column that is computed from another one. Documents do not contain it.
struct Derived {
    name: &'static str,
    from: &'static str,
    /// The column that it is computed from if the first one gives nothing.
    or_from: Option<&'static str>,
    kind: Kind,
    rule: fn(&str) -> Option<String>,
    /// Whether only rows on cards have it.
    is_of_cards: bool,
}

const fn text(name: &'static str, from: &'static str, rule: fn(&str) -> Option<String>) -> Derived {
    Derived { name, from, or_from: None, kind: Kind::Text, rule, is_of_cards: false }
}

const fn of_cards(name: &'static str, kind: Kind, rule: fn(&str) -> Option<String>) -> Derived {
    Derived { name, from: "description", or_from: Some("statement_description"), kind, rule, is_of_cards: true }
}

const NAME_KEY: Derived = text("name_key", "name", |name| Some(name_key(name)));
const GROUP_KEY: Derived = text("group_key", "group_name", |group| Some(group_key(group)));
const DESCRIPTION_NORMALIZED: Derived = text("description_normalized", "description", |text| Some(normalized(text)));
/// Computed from the statement's description if there is one: the comparison of held rows uses it.
const HELD_DESCRIPTION_NORMALIZED: Derived = Derived {
    name: "description_normalized",
    from: "statement_description",
    or_from: Some("description"),
    kind: Kind::Text,
    rule: |text| Some(normalized(text)),
    is_of_cards: false,
};
const STATEMENT_DESCRIPTION_NORMALIZED: Derived =
    text("statement_description_normalized", "statement_description", |text| Some(normalized(text)));
const NOTE_NORMALIZED: Derived = text("note_normalized", "note", |note| Some(normalized(note)));
const TAG_KEYS: Derived = Derived {
    name: "tag_keys",
    from: "tags",
    or_from: None,
    kind: Kind::Tags,
    rule: |tags| joined(tags.split(SEPARATOR).map(key)),
    is_of_cards: false,
};
const EXTERNAL_ID_BASE: Derived = text("external_id_base", "external_id", |id| other_base(id).map(str::to_string));
const HELD_EXTERNAL_ID_BASE: Derived = text("external_id_base", "external_id", |id| Some(base_id(id).to_string()));
const INSTALLMENT_NUMBER: Derived = of_cards("installment_number", Kind::Whole, |text| {
    StoredReading::of(text, None, false).number.map(|number| number.to_string())
});
const INSTALLMENT_COUNT: Derived = of_cards("installment_count", Kind::Whole, |text| {
    StoredReading::of(text, None, false).count.map(|count| count.to_string())
});
const INSTALLMENT_SHOP: Derived =
    of_cards("installment_shop", Kind::Text, |text| StoredReading::of(text, None, false).shop);

fn derived(table: &Table) -> &'static [Derived] {
    match table.name {
        "categories" => &[NAME_KEY, GROUP_KEY],
        "accounts" => &[NAME_KEY],
        "transactions" => &[
            DESCRIPTION_NORMALIZED,
            STATEMENT_DESCRIPTION_NORMALIZED,
            EXTERNAL_ID_BASE,
            NOTE_NORMALIZED,
            TAG_KEYS,
            INSTALLMENT_NUMBER,
            INSTALLMENT_COUNT,
            INSTALLMENT_SHOP,
        ],
        "pending_bill_rows" => &[HELD_DESCRIPTION_NORMALIZED, HELD_EXTERNAL_ID_BASE],
        _ => &[],
    }
}

/// The computed columns of a table, each with the column that it is computed from.
pub fn derived_columns(table: &Table) -> impl Iterator<Item = (&'static str, &'static str)> + use<> {
    derived(table).iter().map(|derived| (derived.name, derived.from))
}

/// The SQL of a column's value as the document writes it, independent of the server's settings.
pub(crate) fn as_text(column: &Column) -> String {
    let name = column.name;
    match column.kind {
        Kind::Date => format!("to_char({name}, 'YYYY-MM-DD')"),
        Kind::Month => format!("to_char({name}, 'YYYY-MM')"),
        Kind::Instant => format!("to_char({name} at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')"),
        Kind::Tags => format!("array_to_string({name}, E'\\n')"),
        // PostgreSQL breaks the lines of Base64.
        Kind::Bytes => format!("replace(encode({name}, 'base64'), E'\\n', '')"),
        _ => format!("{name}::text"),
    }
}

/// The SQL type of a column.
fn type_of(kind: Kind) -> &'static str {
    match kind {
        Kind::Id | Kind::Reference(_) | Kind::Whole => "bigint",
        Kind::Money | Kind::Percentage => "numeric",
        Kind::Name | Kind::Text | Kind::Note | Kind::Tags | Kind::Word => "text",
        Kind::Date | Kind::Month => "date",
        Kind::Instant => "timestamptz",
        Kind::Flag => "boolean",
        Kind::Bytes => "bytea",
    }
}

/// The SQL that converts a value of the document from text.
fn from_text(text: &str, kind: Kind) -> String {
    match kind {
        Kind::Month => format!("({text} || '-01')::date"),
        Kind::Tags => array(text),
        Kind::Bytes => format!("decode({text}, 'base64')"),
        kind => format!("{text}::{}", type_of(kind)),
    }
}

fn names(columns: &[Column]) -> String {
    columns.iter().map(|column| column.name).collect::<Vec<_>>().join(", ")
}

/// The SQL of a value in a document. A file of the inbox may name an import that was undone, which no document has.
fn value(table: &Table, column: &Column) -> String {
    match (table.name, column.kind) {
        ("inbox", Kind::Reference(to)) => {
            let named = |to: &str, column: &str| {
                format!(
                    "select named.id::text from {to} named where named.profile_id = inbox.profile_id and named.id = inbox.{column}"
                )
            };
            let value = named(to, column.name);
            match column.name {
                // A held statement alone means that it stored nothing new, and not that what it stored was undone.
                "pending_bill_id" => {
                    let import = named("imports", "import_id");
                    format!("(case when inbox.import_id is null or exists ({import}) then ({value}) end)")
                }
                _ => format!("({value})"),
            }
        }
        _ => as_text(column),
    }
}

/// The statement that reads a page. Its parameters are the profile, the limit, and the key of the row before the page.
fn page_statement(table: &Table, continues: bool) -> String {
    let values: Vec<String> = table.columns.iter().map(|column| value(table, column)).collect();
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

/// The statement that inserts rows, given as one array for each column. `beside`: columns that no document has. `unset`: columns that
/// are null in the new rows.
fn insert_statement(table: &Table, beside: &[Column], unset: &[&str]) -> String {
    let known = table.columns.iter().chain(beside).map(|column| (column.name, column.kind, false));
    let derived = derived(table).iter().map(|derived| (derived.name, derived.kind, derived.is_of_cards));
    let columns: Vec<(&str, Kind, bool)> = known.chain(derived).collect();
    // Accounts are restored before the rows that refer to them.
    let account = table.position("account_id").map(|at| from_text(&format!("c{at}"), Kind::Whole)).unwrap_or_default();
    let value = |at: usize| match columns[at] {
        (_, kind, true) => format!("case when {} then {} end", is_card(&account), from_text(&format!("c{at}"), kind)),
        (_, kind, false) => from_text(&format!("c{at}"), kind),
    };
    let list = |one: &dyn Fn(usize) -> String| (0..columns.len()).map(one).collect::<Vec<_>>().join(", ");
    format!(
        "insert into {} (profile_id, {}{}) overriding system value select $1, {}{} from unnest({}) as given ({})",
        table.name,
        list(&|at| columns[at].0.to_string()),
        unset.iter().map(|name| format!(", {name}")).collect::<String>(),
        list(&value),
        ", null".repeat(unset.len()),
        list(&|at| format!("${}", at + 2)),
        list(&|at| format!("c{at}")),
    )
}

/// Maps an error of an insert: data that the database refuses is an error in the document.
fn refused(table: &'static Table) -> impl Fn(DieselError) -> Error {
    move |source| {
        let fault = match broken_rule(&source) {
            Some(rule) => Some(format!("a row breaks the rule {rule}")),
            None => impossible_value(&source),
        };
        match (fault, error(source)) {
            // An outage stays an outage.
            (_, outage @ Error::Unavailable(_)) => outage,
            (Some(fault), _) => Error::invalid(table.name, Violation::document(fault)),
            (None, other) => other,
        }
    }
}

/// PostgreSQL's errors about values out of range; diesel does not pass their SQLSTATE on.
fn impossible_value(source: &DieselError) -> Option<String> {
    let DieselError::DatabaseError(_, details) = source else { return None };
    let message = details.message();
    let beyond = ["out of range", "overflow", "too long", "violates not-null"];
    beyond.iter().any(|words| message.contains(words)).then(|| format!("a row has an impossible value: {message}"))
}

/// Binds rows to the arrays of [`insert_statement`]: their first `columns` values, and those computed from them.
fn with_rows<'a>(
    mut query: Binding<'a, SqlQuery>,
    table: &Table,
    columns: usize,
    rows: &[Row],
) -> Binding<'a, SqlQuery> {
    for at in 0..columns {
        let column: Vec<Option<String>> = rows.iter().map(|row| row.get(at).cloned().flatten()).collect();
        query = query.arg(column);
    }
    let source = table.position("source");
    for Derived { from, or_from, rule, is_of_cards, .. } in derived(table) {
        let (at, or_at) = (table.position(from), or_from.and_then(|from| table.position(from)));
        let cell = |row: &Row, at: Option<usize>| at.and_then(|at| row.get(at)).cloned().flatten();
        let of = |row: &Row, at: Option<usize>| cell(row, at).as_deref().and_then(rule);
        // As `StoredReading` does: the statement's text goes first, but for what was entered here as a part of a plan.
        let is_entered = |row: &Row| cell(row, source).as_deref() == Some(Source::Installment.as_str());
        let from = |row: &Row| match *is_of_cards && !is_entered(row) {
            true => of(row, or_at).or_else(|| of(row, at)),
            false => of(row, at).or_else(|| of(row, or_at)),
        };
        query = query.arg(rows.iter().map(from).collect::<Vec<Option<String>>>());
    }
    query
}

/// The condition that no other row is in the place of a derived one that comes back: a bill of the same days, or another opening
/// balance of the account. The names are those of [`insert_statement`].
fn fits(table: &str, leaves_out: bool) -> &'static str {
    match (table, leaves_out) {
        ("credit_bills", true) => {
            "where not exists (select from credit_bills b where b.profile_id = $1 and b.account_id = c1::bigint
                and b.period_start <= c3::date and b.period_end >= c2::date)"
        }
        ("transactions", true) => {
            "where not exists (select from transactions t where t.profile_id = $1 and t.account_id = c3::bigint
                and t.source = 'opening_balance')"
        }
        _ => "",
    }
}

/// The statement and its rows that put recorded rows back: new ones, or other values of stored ones. Those that the service derives
/// are left out where others have taken their place.
pub(crate) fn putting<'a>(
    profile_id: i64,
    recorded: &Recorded,
    rows: &[Row],
    leaves_out: bool,
) -> Binding<'a, SqlQuery> {
    let table = recorded.exported();
    // A row that comes back may have another other side than when it was examined.
    let unset: &[&str] = if recorded.table == "transactions" { &["may_be_transfer"] } else { &[] };
    let insert = insert_statement(table, recorded.beside, unset);
    let key: Vec<&str> = recorded.columns().take(recorded.key_len()).map(|column| column.name).collect();
    let is_value = |name: &str| !key.contains(&name);
    let names = recorded.columns().map(|column| column.name).chain(derived(table).iter().map(|derived| derived.name));
    let names = names.chain(unset.iter().copied());
    let values: Vec<String> =
        names.filter(|name| is_value(name)).map(|name| format!("{name} = excluded.{name}")).collect();
    let of_key: String = key.iter().map(|name| format!(", {name}")).collect();
    let conflict = match leaves_out || values.is_empty() {
        true => format!("{} on conflict (profile_id{of_key}) do nothing", fits(recorded.table, leaves_out)),
        false => format!("on conflict (profile_id{of_key}) do update set {}", values.join(", ")),
    };
    let statement = inserting(&format!("{insert} {conflict}"));
    let columns = recorded.columns().count();
    with_rows(with_args(statement).arg(profile_id), table, columns, rows)
}

impl ExportRepo for PgRepo<'_> {
    fn export_page(&mut self, table: &'static Table, after: Option<&Row>, limit: u32) -> Result<Vec<Row>> {
        if after.is_some() && table.key == Key::Single {
            return Ok(Vec::new());
        }
        let mut query = self.sql(page_statement(table, after.is_some())).arg(i64::from(limit));
        for value in after.into_iter().flat_map(|row| row.iter().take(table.key_columns().len())) {
            query = query.arg(value.clone());
        }
        query.fetch_as(self.connection, |row: ValuesRow| row.row_values)
    }
}

impl RestoreRepo for PgRepo<'_> {
    fn restore_obstacle(&mut self, tables: &'static [Table]) -> Result<Option<&'static str>> {
        let looks: Vec<String> = tables
            .iter()
            .map(|Table { name, .. }| {
                let beyond = match *name {
                    "categories" => "and not is_standard",
                    // Every profile has one.
                    "account_key_secrets" => "and false",
                    _ => "",
                };
                format!(
                    "select '{name}' as table_name where exists (select 1 from {name} where profile_id = $1 {beyond})"
                )
            })
            .collect();
        let query = self.sql(format!("{} limit 1", looks.join(" union all ")));
        let found: Option<ObstacleRow> = query.fetch_if_any(self.connection)?;
        Ok(found.and_then(|found| tables.iter().find(|table| table.name == found.table_name)).map(|table| table.name))
    }

    fn restore_clear(&mut self) -> Result<()> {
        for statement in
            ["delete from categories where profile_id = $1", "delete from account_key_secrets where profile_id = $1"]
        {
            self.sql(statement).exec(self.connection)?;
        }
        Ok(())
    }

    fn restore_ids(&mut self, table: &'static Table, count: usize) -> Result<Vec<i64>> {
        let statement = format!(
            "select nextval(pg_get_serial_sequence('{}', 'id')::regclass) as id from generate_series(1, $1)",
            table.name
        );
        let count = bigint(count)?;
        let ids: Vec<IdRow> = with_args(statement).arg(count).fetch(self.connection)?;
        Ok(ids.into_iter().map(|row| row.id).collect())
    }

    fn restore_finish(&mut self) -> Result<()> {
        self.mark_restored_lines()?;
        // A document of an earlier release has none.
        profiles::make_account_key_secret(self.connection, self.profile_id)
    }

    fn restore_insert(&mut self, table: &'static Table, rows: &[Row]) -> Result<()> {
        let is_of_transactions = table.name == "transactions";
        self.anchors_moved |= is_of_transactions;
        if is_of_transactions {
            self.check_room(rows.len())?;
        }
        let insert = insert_statement(table, &[], &[]);
        let statement = match table.name {
            // Bills are restored before transactions, so their totals begin at 0, as balances do.
            "transactions" => format!(
                "with written as ({insert} returning {}) {} select 1",
                sums::COLUMNS,
                sums::keep(Change::Written(Rows::Many))
            ),
            _ => inserting(&insert),
        };
        let query = with_rows(self.sql(statement), table, table.columns.len(), rows);
        query.execute(self.connection).map_err(refused(table))?;
        if is_of_transactions {
            self.transactions_added += rows.len() as i64;
        }
        Ok(())
    }
}
