//! Inserting transactions, together with the instalments read from their descriptions.

use std::sync::LazyLock;

use diesel::prelude::*;
use diesel::sql_types::{Array, BigInt, Bool, Date as SqlDate, Nullable, Numeric, SmallInt, Text, Timestamptz};
use diesel::{QueryableByName, sql_query};
use finance_domain::tags::key;
use finance_domain::text::normalized;
use finance_domain::transactions::{NewTransaction, Source, StatementValues, Transaction};
use finance_domain::{Error, MemberId, ProfileId, Result, TransactionId, Word};
use time::{Date, OffsetDateTime};

use crate::constraints::error;
use crate::imports::other_base;
use crate::installments::{self, StoredReading, installment, is_card};
use crate::numeric::Hundredths;
use crate::repo::PgRepo;
use crate::statement::{Cache, Rows};
use crate::sums::{self, Change, Without};
use crate::tags;
use crate::transactions::lines::{self, LineColumns};

/// The columns of an insert, with their types. Each is bound as an array, from $2 on.
const INSERTED: [(&str, &str); 23] = [
    ("kind", "text"),
    ("category_id", "bigint"),
    ("account_id", "bigint"),
    ("date", "date"),
    ("original_date", "date"),
    ("external_id", "text"),
    ("external_id_base", "text"),
    ("source", "text"),
    ("description", "text"),
    ("description_normalized", "text"),
    ("statement_description", "text"),
    ("statement_description_normalized", "text"),
    ("amount", "numeric"),
    ("transfer_id", "bigint"),
    ("import_id", "bigint"),
    ("is_transfer", "boolean"),
    ("is_kept_unlinked", "boolean"),
    ("yield_from", "date"),
    ("note", "text"),
    ("note_normalized", "text"),
    ("tags", "text"),
    ("tag_keys", "text"),
    ("is_split", "boolean"),
];

/// A value in the form that a column takes: tags are bound as one text.
pub(super) fn as_stored(column: &str, value: String) -> String {
    match column {
        "tags" | "tag_keys" => tags::array(&value),
        _ => value,
    }
}

/// The columns of an insert, followed by the columns read from the descriptions.
fn all_inserted() -> impl Iterator<Item = (&'static str, &'static str)> {
    INSERTED.into_iter().chain(installments::COLUMNS)
}

/// The names of columns.
pub(super) fn names(columns: impl Iterator<Item = (&'static str, &'static str)>) -> String {
    columns.map(|(name, _)| name).collect::<Vec<_>>().join(", ")
}

/// The parameter number of a column in an insert.
fn inserted_at(column: &str) -> usize {
    INSERTED.iter().position(|(name, _)| *name == column).unwrap_or_default() + 2
}

/// The SQL of the member who created a row with that source.
fn created_by(source: &str) -> String {
    let by_members = Source::ALL.iter().filter(|source| source.is_by_a_member());
    let words: Vec<String> = by_members.map(|source| format!("'{}'", source.as_str())).collect();
    format!("case when {source} in ({}) then current_member_id() end", words.join(", "))
}

/// Inserts the rows of `source`, a `select`. Their ids follow the order of the rows.
fn inserting(source: &str, change: Change) -> String {
    format!(
        "with written as (
            insert into transactions (profile_id, created_by, {})
            {source}
            returning id, created_at, created_by, installment_number, installment_count, {}
        ) {}
        select id, created_at, created_by, installment_number, installment_count from written",
        names(all_inserted()),
        sums::COLUMNS,
        sums::keep(change)
    )
}

/// Inserts one row, for every value of [`Without`]. PostgreSQL reuses the plan, because it knows the number of rows. For arrays it
/// estimates ten elements, and plans each execution.
static INSERT_ONE: LazyLock<[String; 4]> = LazyLock::new(|| {
    Without::ALL.map(|without| {
        // `offset 0`: the card is looked up once, not for each column.
        let on_card = match without.cards {
            true => "false as on_card".to_string(),
            false => format!("{} as on_card offset 0", is_card(&first_of(inserted_at("account_id"), "bigint"))),
        };
        inserting(&row_where(&on_card), Change::WrittenOne(without))
    })
});

/// The only element of a bound array.
fn first_of(at: usize, of: &str) -> String {
    format!("(${at}::{of}[])[1]")
}

/// A `select` of one row to insert, from a select list that defines `on_card`.
fn row_where(on_card: &str) -> String {
    let own = INSERTED.iter().enumerate().map(|(at, (name, of))| as_stored(name, first_of(at + 2, of)));
    let said = installments::COLUMNS.iter().enumerate();
    let said =
        said.map(|(at, (_, of))| format!("case when on_card then {} end", first_of(at + 2 + INSERTED.len(), of)));
    format!(
        "select $1, {}, {} from (select {on_card}) as place",
        created_by(&first_of(inserted_at("source"), "text")),
        own.chain(said).collect::<Vec<_>>().join(", "),
    )
}

/// The most rows of [`INSERT_FEW`]: both legs of a transfer, and other manual entries.
const FEW_ROWS_MAX: usize = 10;

/// Inserts a few rows. No plan knows how many, so PostgreSQL plans it once for each connection: planning takes longer than
/// running.
static INSERT_FEW: LazyLock<String> = LazyLock::new(|| {
    let (arrays, names): (Vec<_>, Vec<_>) =
        all_inserted().enumerate().map(|(at, (name, of))| (format!("${}::{of}[] as {name}", at + 2), name)).unzip();
    let given: Vec<String> = names.iter().map(|name| format!("given.{name}")).collect();
    let from =
        format!("(select {} offset 0) as given cross join lateral unnest({})", arrays.join(", "), given.join(", "));
    inserting(&rows_of(&from), Change::Written(Rows::Many))
});

/// Inserts any number of rows. Planned for each execution: for an import of thousands of rows the number matters.
static INSERT_MANY: LazyLock<String> = LazyLock::new(|| inserting(&many(), Change::Written(Rows::Many)));

/// Inserts any number of rows, and the lines of split ones. A line refers to its row by the row's number, from 1.
static INSERT_SPLIT: LazyLock<String> = LazyLock::new(|| {
    format!(
        "with inserted as (
            insert into transactions (profile_id, created_by, {})
            {}
            returning id, created_at, created_by, installment_number, installment_count, {}
        ), numbered as (
            select id, row_number() over (order by id) as number from inserted
        ), lines as (
            insert into transaction_lines (profile_id, transaction_id, position, category_id, amount)
            select $1, numbered.id, line.position, line.category_id, line.amount
            from {} join numbered using (number)
            returning transaction_id, category_id, amount
        ), written as (
            {}
        ) {}
        select id, created_at, created_by, installment_number, installment_count from inserted",
        names(all_inserted()),
        many(),
        sums::COLUMNS,
        lines::given(2 + all_inserted().count()),
        sums::parts("inserted", "lines"),
        sums::keep(Change::Written(Rows::Many))
    )
});

/// A `select` of any number of rows to insert.
fn many() -> String {
    let arrays: Vec<String> = all_inserted().enumerate().map(|(at, (_, of))| format!("${}::{of}[]", at + 2)).collect();
    rows_of(&format!("unnest({})", arrays.join(", ")))
}

/// A `select` of the rows that the `from` clause unnests.
fn rows_of(unnested: &str) -> String {
    let own = INSERTED.iter().map(|(name, _)| as_stored(name, format!("rows.{name}")));
    let said = installments::COLUMNS.iter().map(|(name, _)| format!("case when on_card then rows.{name} end"));
    format!(
        "select $1, {}, {}
        from {unnested} with ordinality as rows ({}, position)
        left join (select id as card_id, true as on_card from accounts where profile_id = $1 and {}) as card
            on card_id = rows.account_id
        order by rows.position",
        created_by("rows.source"),
        own.chain(said).collect::<Vec<_>>().join(", "),
        names(all_inserted()),
        installments::KIND_OF_CARD,
    )
}

/// The columns that PostgreSQL adds to an inserted row.
#[derive(QueryableByName)]
struct InsertedRow {
    #[diesel(sql_type = BigInt)]
    id: i64,
    #[diesel(sql_type = Timestamptz)]
    created_at: OffsetDateTime,
    #[diesel(sql_type = Nullable<BigInt>)]
    created_by: Option<i64>,
    #[diesel(sql_type = Nullable<SmallInt>)]
    installment_number: Option<i16>,
    #[diesel(sql_type = Nullable<SmallInt>)]
    installment_count: Option<i16>,
}

impl PgRepo<'_> {
    /// Inserts transactions in one statement. For a yield, `yield_from` has the first day of the period that it pays for.
    pub(crate) fn insert_transactions(
        &mut self,
        new: &[NewTransaction],
        yield_from: Vec<Option<Date>>,
    ) -> Result<Vec<Transaction>> {
        fn column<'a, T>(new: &'a [NewTransaction], value: impl Fn(&'a NewTransaction) -> T) -> Vec<T> {
            new.iter().map(value).collect()
        }
        if new.len() > FEW_ROWS_MAX {
            self.check_room(new.len())?;
        }
        let lines = LineColumns::of((1..).zip(new.iter().map(|new| &new.details)));
        let is_split = !lines.rows.is_empty();
        let anchors = new.iter().all(|new| self.is_off_anchors(new.account_id, new.date));
        self.anchors_moved |= !anchors;
        let statement = match Rows::of(new.len()) {
            _ if is_split => &INSERT_SPLIT,
            Rows::One => {
                let cards = new.iter().all(|new| self.is_off_cards(new.account_id));
                &INSERT_ONE[Without { cards, anchors }.index()]
            }
            Rows::Many if new.len() <= FEW_ROWS_MAX => &INSERT_FEW,
            Rows::Many => &INSERT_MANY,
        };
        let said: Vec<StoredReading> = new
            .iter()
            .map(|new| {
                let is_entered = new.source == Source::Installment;
                StoredReading::of(&new.description, new.statement_description.as_deref(), is_entered)
            })
            .collect();
        let query = sql_query(statement.as_str())
            .bind::<BigInt, _>(self.profile_id.0)
            .bind::<Array<Text>, _>(column(new, |new| new.kind.as_str()))
            .bind::<Array<Nullable<BigInt>>, _>(column(new, |new| new.category_id.map(|id| id.0)))
            .bind::<Array<Nullable<BigInt>>, _>(column(new, |new| new.account_id.map(|id| id.0)))
            .bind::<Array<SqlDate>, _>(column(new, |new| new.date))
            .bind::<Array<Nullable<SqlDate>>, _>(column(new, |new| new.original_date))
            .bind::<Array<Nullable<Text>>, _>(column(new, |new| new.external_id.as_deref()))
            .bind::<Array<Nullable<Text>>, _>(column(new, |new| new.external_id.as_deref().and_then(other_base)))
            .bind::<Array<Text>, _>(column(new, |new| new.source.as_str()))
            .bind::<Array<Text>, _>(column(new, |new| new.description.as_str()))
            .bind::<Array<Text>, _>(column(new, |new| normalized(&new.description)))
            .bind::<Array<Nullable<Text>>, _>(column(new, |new| new.statement_description.as_deref()))
            .bind::<Array<Nullable<Text>>, _>(column(new, |new| new.statement_description.as_deref().map(normalized)))
            .bind::<Array<Numeric>, _>(column(new, |new| Hundredths::from(new.amount)))
            .bind::<Array<Nullable<BigInt>>, _>(column(new, |new| new.transfer_id.map(|id| id.0)))
            .bind::<Array<Nullable<BigInt>>, _>(column(new, |new| new.import_id.map(|id| id.0)))
            .bind::<Array<Bool>, _>(column(new, |new| new.is_transfer))
            .bind::<Array<Bool>, _>(column(new, |new| new.is_kept_unlinked))
            .bind::<Array<Nullable<SqlDate>>, _>(yield_from)
            .bind::<Array<Nullable<Text>>, _>(column(new, |new| new.details.note.as_deref()))
            .bind::<Array<Nullable<Text>>, _>(column(new, |new| new.details.note.as_deref().map(normalized)))
            .bind::<Array<Nullable<Text>>, _>(column(new, |new| tags::joined(new.details.tags.iter().cloned())))
            .bind::<Array<Nullable<Text>>, _>(column(new, |new| {
                tags::joined(new.details.tags.iter().map(|tag| key(tag)))
            }))
            .bind::<Array<Bool>, _>(column(new, |new| new.details.is_split()))
            .bind::<Array<Nullable<SmallInt>>, _>(said.iter().map(|said| said.number).collect::<Vec<_>>())
            .bind::<Array<Nullable<SmallInt>>, _>(said.iter().map(|said| said.count).collect::<Vec<_>>())
            .bind::<Array<Nullable<Text>>, _>(said.iter().map(|said| said.shop.as_deref()).collect::<Vec<_>>());
        let inserted: QueryResult<Vec<InsertedRow>> = match is_split {
            true => query
                .bind::<Array<BigInt>, _>(lines.rows)
                .bind::<Array<SmallInt>, _>(lines.positions)
                .bind::<Array<BigInt>, _>(lines.categories)
                .bind::<Array<Numeric>, _>(lines.amounts)
                .cached()
                .load(self.connection),
            false => query.cached().load(self.connection),
        };
        let mut inserted = inserted.map_err(error)?;
        if inserted.len() != new.len() {
            return Err(Error::Internal(format!("{} of {} rows inserted", inserted.len(), new.len()).into()));
        }
        self.transactions_added += new.len() as i64;
        if let [only] = new {
            self.recorder.name = Some(only.description.clone());
        }
        self.note_created("transactions", inserted.iter().map(|row| row.id))?;
        if new.iter().any(|new| new.source == Source::OpeningBalance) {
            self.note_derived("transactions", inserted.iter().map(|row| row.id))?;
        }
        inserted.sort_unstable_by_key(|row| row.id);
        Ok(inserted.into_iter().zip(new).map(|(row, new)| stored(self.profile_id, row, new)).collect())
    }
}

/// Builds a stored transaction from the sent values and the columns that PostgreSQL added, so that no value is sent back.
fn stored(profile_id: ProfileId, row: InsertedRow, new: &NewTransaction) -> Transaction {
    let new = new.clone();
    Transaction {
        id: TransactionId(row.id),
        profile_id,
        kind: new.kind,
        category_id: new.category_id,
        account_id: new.account_id,
        date: new.date,
        original_date: new.original_date,
        external_id: new.external_id,
        source: new.source,
        description: new.description,
        amount: new.amount,
        transfer_id: new.transfer_id,
        import_id: new.import_id,
        statement: StatementValues { description: new.statement_description, ..StatementValues::default() },
        is_transfer: new.is_transfer,
        is_kept_unlinked: new.is_kept_unlinked,
        installment: installment(row.installment_number, row.installment_count),
        is_recognised: false,
        details: new.details,
        created_by: row.created_by.map(MemberId),
        created_at: row.created_at,
    }
}
