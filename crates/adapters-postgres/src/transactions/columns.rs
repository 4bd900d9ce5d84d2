//! The columns of a transaction that the program writes. Inserts and updates are made from this one table: the name of a column, its
//! type and its value stand in one line, so no statement gives a value to another column.

use std::borrow::Cow;

use diesel::sql_types::{Array, BigInt, Bool, Date as SqlDate, Nullable, Numeric, SmallInt, Text};
use finance_domain::tags::key;
use finance_domain::text::normalized;
use finance_domain::transactions::{Edit, NewTransaction, Source, StatementValues};
use time::Date;

use crate::imports::other_base;
use crate::installments::StoredReading;
use crate::numeric::Hundredths;
use crate::sql::Binding;
use crate::tags;

use self::Value::{Amount, Day, Flag, Id, Small, Tags, Words};
use self::Written::{Always, Inserted, Updated};

/// What a statement writes to a row.
pub(super) struct Values<'a> {
    new: &'a NewTransaction,
    /// The description in its statement, if that differs.
    statement_description: Option<&'a str>,
    /// The other values of its statement. None in an insert.
    statement: Option<&'a StatementValues>,
    is_recognised: bool,
    /// The first day of the period that a yield pays for.
    yield_from: Option<Date>,
    reading: StoredReading,
}

impl<'a> Values<'a> {
    /// What an insert writes.
    pub(super) fn of_new(new: &'a NewTransaction, yield_from: Option<Date>) -> Self {
        let statement_description = new.statement_description.as_deref();
        let reading = reading(new, statement_description);
        Values { new, statement_description, statement: None, is_recognised: false, yield_from, reading }
    }

    /// What an update writes.
    pub(super) fn of_edit(edit: &'a Edit) -> Self {
        let (new, statement) = (edit.new_values(), edit.statement());
        let statement_description = statement.description.as_deref();
        let (is_recognised, reading) = (edit.is_recognised(), reading(new, statement_description));
        Values { new, statement_description, statement: Some(statement), is_recognised, yield_from: None, reading }
    }
}

fn reading(new: &NewTransaction, statement_description: Option<&str>) -> StoredReading {
    StoredReading::of(&new.description, statement_description, new.source == Source::Installment)
}

/// The value of a column, by its type.
#[derive(Clone, Copy)]
enum Value {
    Words(for<'v> fn(&'v Values<'_>) -> Option<Cow<'v, str>>),
    /// An array of texts, bound as one text.
    Tags(fn(&Values<'_>) -> Option<String>),
    Id(fn(&Values<'_>) -> Option<i64>),
    Small(fn(&Values<'_>) -> Option<i16>),
    Day(fn(&Values<'_>) -> Option<Date>),
    Amount(fn(&Values<'_>) -> Option<Hundredths>),
    Flag(fn(&Values<'_>) -> bool),
}

/// The statements that write a column.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Written {
    Always,
    Inserted,
    Updated,
}

/// A column that the program writes.
pub(super) struct Column {
    pub(super) name: &'static str,
    written: Written,
    value: Value,
    /// Whether it is read from a description, and null unless the row is on a card.
    is_of_cards: bool,
}

const fn column(name: &'static str, written: Written, value: Value) -> Column {
    Column { name, written, value, is_of_cards: false }
}

const fn of_cards(name: &'static str, value: Value) -> Column {
    Column { name, written: Always, value, is_of_cards: true }
}

/// In the order in which statements name and bind them.
static COLUMNS: [Column; 31] = [
    column("kind", Always, Words(|row| Some(row.new.kind.as_str().into()))),
    column("category_id", Always, Id(|row| row.new.category_id.map(|id| id.0))),
    column("account_id", Always, Id(|row| row.new.account_id.map(|id| id.0))),
    column("date", Always, Day(|row| Some(row.new.date))),
    column("original_date", Always, Day(|row| row.new.original_date)),
    column("external_id", Always, Words(|row| row.new.external_id.as_deref().map(Cow::from))),
    column("external_id_base", Always, Words(|row| row.new.external_id.as_deref().and_then(other_base).map(Cow::from))),
    column("source", Inserted, Words(|row| Some(row.new.source.as_str().into()))),
    column("description", Always, Words(|row| Some(row.new.description.as_str().into()))),
    column("description_normalized", Always, Words(|row| Some(normalized(&row.new.description).into()))),
    column("statement_description", Always, Words(|row| row.statement_description.map(Cow::from))),
    column(
        "statement_description_normalized",
        Always,
        Words(|row| row.statement_description.map(|text| normalized(text).into())),
    ),
    column("statement_date", Updated, Day(|row| row.statement?.date)),
    column("statement_amount", Updated, Amount(|row| row.statement?.amount.map(Hundredths::from))),
    column("statement_kind", Updated, Words(|row| Some(row.statement?.kind?.as_str().into()))),
    column("statement_account_id", Updated, Id(|row| row.statement?.account_id.map(|id| id.0))),
    column("amount", Always, Amount(|row| Some(row.new.amount.into()))),
    column("transfer_id", Inserted, Id(|row| row.new.transfer_id.map(|id| id.0))),
    column("import_id", Inserted, Id(|row| row.new.import_id.map(|id| id.0))),
    column("is_transfer", Always, Flag(|row| row.new.is_transfer)),
    column("is_kept_unlinked", Always, Flag(|row| row.new.is_kept_unlinked)),
    column("is_recognised", Updated, Flag(|row| row.is_recognised)),
    column("yield_from", Inserted, Day(|row| row.yield_from)),
    column("note", Always, Words(|row| row.new.details.note.as_deref().map(Cow::from))),
    column("note_normalized", Always, Words(|row| row.new.details.note.as_deref().map(|note| normalized(note).into()))),
    column("tags", Always, Tags(|row| tags::joined(row.new.details.tags.iter().cloned()))),
    column("tag_keys", Always, Tags(|row| tags::joined(row.new.details.tags.iter().map(|tag| key(tag))))),
    column("is_split", Always, Flag(|row| row.new.details.is_split())),
    of_cards("installment_number", Small(|row| row.reading.number)),
    of_cards("installment_count", Small(|row| row.reading.count)),
    of_cards("installment_shop", Words(|row| row.reading.shop.as_deref().map(Cow::from))),
];

/// The columns that an insert writes.
pub(super) fn inserted() -> impl Iterator<Item = &'static Column> {
    COLUMNS.iter().filter(|column| column.written != Updated)
}

/// The columns that an update writes.
pub(super) fn updated() -> impl Iterator<Item = &'static Column> {
    COLUMNS.iter().filter(|column| column.written != Inserted)
}

/// The names of columns.
pub(super) fn names(columns: impl Iterator<Item = &'static Column>) -> String {
    columns.map(|column| column.name).collect::<Vec<_>>().join(", ")
}

/// The array that is bound for each column, in SQL, from the parameter with the number `first` on. With the column.
pub(super) fn arrays(
    columns: impl Iterator<Item = &'static Column>,
    first: usize,
) -> impl Iterator<Item = (String, &'static Column)> {
    columns.zip(first..).map(|(column, at)| (format!("${at}::{}[]", column.sql_type()), column))
}

/// The only element of the array that is bound for a column.
pub(super) fn first_of(columns: impl Iterator<Item = &'static Column>, first: usize, name: &str) -> String {
    let of = arrays(columns, first).find(|(_, column)| column.name == name);
    of.map(|(array, _)| format!("({array})[1]")).unwrap_or_default()
}

/// Binds an array for each column.
pub(super) fn bind<'v, Q>(
    query: Binding<'v, Q>,
    columns: impl Iterator<Item = &'static Column>,
    rows: &'v [Values<'v>],
) -> Binding<'v, Q> {
    fn all<'v, T>(rows: &'v [Values<'v>], value: impl Fn(&'v Values<'v>) -> T) -> Vec<T> {
        rows.iter().map(value).collect()
    }
    columns.fold(query, |query, column| match column.value {
        Words(value) => query.bind::<Array<Nullable<Text>>, _>(all(rows, value)),
        Tags(value) => query.bind::<Array<Nullable<Text>>, _>(all(rows, value)),
        Id(value) => query.bind::<Array<Nullable<BigInt>>, _>(all(rows, value)),
        Small(value) => query.bind::<Array<Nullable<SmallInt>>, _>(all(rows, value)),
        Day(value) => query.bind::<Array<Nullable<SqlDate>>, _>(all(rows, value)),
        Amount(value) => query.bind::<Array<Nullable<Numeric>>, _>(all(rows, value)),
        Flag(value) => query.bind::<Array<Bool>, _>(all(rows, value)),
    })
}

impl Column {
    fn sql_type(&self) -> &'static str {
        match self.value {
            Words(_) | Tags(_) => "text",
            Id(_) => "bigint",
            Small(_) => "smallint",
            Day(_) => "date",
            Amount(_) => "numeric",
            Flag(_) => "boolean",
        }
    }

    /// The SQL of what the column takes, given that of the bound value and that of whether the row is on a card.
    pub(super) fn stored(&self, value: String, on_card: &str) -> String {
        match self.value {
            Tags(_) => tags::array(&value),
            _ if self.is_of_cards => format!("case when {on_card} then {value} end"),
            _ => value,
        }
    }
}

#[cfg(test)]
mod tests {
    use finance_domain::transactions::{Details, Kind, Line};
    use finance_domain::{AccountId, CategoryId, ImportId, Money, TransferId};
    use time::macros::date;

    use super::*;

    fn shown(columns: impl Iterator<Item = &'static Column>, row: &Values<'_>) -> Vec<(&'static str, String)> {
        let text = |column: &Column| match column.value {
            Words(value) => value(row).map(String::from),
            Tags(value) => value(row),
            Id(value) => value(row).map(|id| id.to_string()),
            Small(value) => value(row).map(|number| number.to_string()),
            Day(value) => value(row).map(|date| date.to_string()),
            Amount(value) => value(row).map(|amount| Money::from(amount).to_string()),
            Flag(value) => Some(value(row).to_string()),
        };
        columns.map(|column| (column.name, text(column).unwrap_or_default())).collect()
    }

    #[test]
    fn each_column_takes_its_own_value() {
        let line = |category_id| Line { category_id: CategoryId(category_id), amount: Money::from_cents(500) };
        let new = NewTransaction {
            category_id: Some(CategoryId(2)),
            account_id: Some(AccountId(3)),
            original_date: Some(date!(2026 - 01 - 05)),
            external_id: Some("id6~00000000deadbeef~2".to_string()),
            source: Source::Ofx,
            statement_description: Some("LOJA Única 2/3".to_string()),
            transfer_id: Some(TransferId(7)),
            import_id: Some(ImportId(8)),
            is_transfer: true,
            details: Details {
                lines: vec![line(9), line(10)],
                tags: vec!["Férias".to_string(), "Casa".to_string()],
                note: Some("Na Promoção".to_string()),
            },
            ..NewTransaction::new(Kind::Expense, date!(2026 - 01 - 04), "Sofá", Money::from_cents(1000))
        };
        let row = Values::of_new(&new, Some(date!(2026 - 01 - 11)));
        let common = [
            ("kind", "expense"),
            ("category_id", "2"),
            ("account_id", "3"),
            ("date", "2026-01-04"),
            ("original_date", "2026-01-05"),
            ("external_id", "id6~00000000deadbeef~2"),
            ("external_id_base", "id6"),
            ("description", "Sofá"),
            ("description_normalized", "sofa"),
            ("statement_description", "LOJA Única 2/3"),
            ("statement_description_normalized", "loja unica 2/3"),
            ("amount", "10.00"),
            ("is_transfer", "true"),
            ("is_kept_unlinked", "false"),
            ("note", "Na Promoção"),
            ("note_normalized", "na promocao"),
            ("tags", "Férias\nCasa"),
            ("tag_keys", "férias\ncasa"),
            ("is_split", "true"),
            ("installment_number", "2"),
            ("installment_count", "3"),
            ("installment_shop", "loja unica"),
        ];
        let inserted_only = [("source", "ofx"), ("transfer_id", "7"), ("import_id", "8"), ("yield_from", "2026-01-11")];
        let expect = |mut shown: Vec<(&'static str, String)>, of: &[(&'static str, &str)]| {
            let mut of: Vec<_> = common.iter().chain(of).map(|(name, value)| (*name, value.to_string())).collect();
            shown.sort_unstable();
            of.sort_unstable();
            assert_eq!(shown, of);
        };
        expect(shown(inserted(), &row), &inserted_only);
        let statement = StatementValues {
            description: None,
            date: Some(date!(2026 - 01 - 12)),
            amount: Some(Money::from_cents(1300)),
            kind: Some(Kind::Income),
            account_id: Some(AccountId(14)),
        };
        let row = Values { statement: Some(&statement), is_recognised: true, ..row };
        let updated_only = [
            ("statement_date", "2026-01-12"),
            ("statement_amount", "13.00"),
            ("statement_kind", "income"),
            ("statement_account_id", "14"),
            ("is_recognised", "true"),
        ];
        expect(shown(updated(), &row), &updated_only);
    }

    #[test]
    fn parameters_follow_the_columns() {
        let parameters: Vec<String> = arrays(inserted(), 2).map(|(array, _)| array).take(4).collect();
        assert_eq!(parameters, ["$2::text[]", "$3::bigint[]", "$4::bigint[]", "$5::date[]"]);
        assert_eq!(first_of(updated(), 3, "account_id"), "($5::bigint[])[1]");
    }
}
