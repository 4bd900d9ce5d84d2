//! Inserting transactions, together with the instalments read from their descriptions.

use std::sync::LazyLock;

use diesel::QueryableByName;
use diesel::sql_types::{BigInt, Nullable, SmallInt, Timestamptz};
use finance_domain::transactions::{NewTransaction, Source, StatementValues, Transaction};
use finance_domain::{ChangeId, Error, MemberId, ProfileId, Result, TransactionId, Word};
use time::{Date, OffsetDateTime};

use crate::changes::storing::{bind_row_change, of_transaction};
use crate::installments::{KIND_OF_CARD, installment, is_card};
use crate::recorder::RowChange;
use crate::repo::PgRepo;
use crate::row::row;
use crate::sql::{Cache, Rows};
use crate::sums::{self, Change, Without};
use crate::transactions::columns::{Values, arrays, bind, first_of, inserted, names};
use crate::transactions::lines::{self, LineColumns};

/// The number of the parameter of the first column.
const FIRST: usize = 2;

/// The SQL of the member who created a row with that source.
fn created_by(source: &str) -> String {
    let by_members = Source::ALL.iter().filter(|source| source.is_by_a_member());
    let words: Vec<String> = by_members.map(|source| format!("'{}'", source.as_str())).collect();
    format!("case when {source} in ({}) then current_member_id() end", words.join(", "))
}

/// Inserts the rows of `source`, a `select`. Their ids follow the order of the rows.
fn inserting(source: &str, change: Change) -> String {
    inserting_with(source, change, "", "null::bigint")
}

/// As [`inserting`], with another part of the `with`, and the SQL of the id of the change that it stores.
fn inserting_with(source: &str, change: Change, part: &str, change_id: &str) -> String {
    format!(
        "with written as (
            insert into transactions (profile_id, created_by, {})
            {source}
            returning id, created_at, created_by, installment_number, installment_count, {}
        ) {part}{}
        select id, created_at, created_by, installment_number, installment_count, {change_id} as change_id from written",
        names(inserted()),
        sums::COLUMNS,
        sums::keep(change)
    )
}

/// Inserts one row, for every value of [`Without`]. PostgreSQL reuses the plan, because it knows the number of rows. For arrays it
/// estimates ten elements, and plans each execution.
static INSERT_ONE: LazyLock<[String; 4]> =
    LazyLock::new(|| Without::ALL.map(|without| inserting(&one(without), Change::WrittenOne(without))));

/// As [`INSERT_ONE`], and stores the change that the row is.
static INSERT_ONE_WITH_CHANGE: LazyLock<[String; 4]> = LazyLock::new(|| {
    let subject = first_of(inserted(), FIRST, "description");
    let part = format!(", {}", of_transaction(&subject, FIRST + inserted().count()));
    Without::ALL.map(|without| {
        inserting_with(&one(without), Change::WrittenOne(without), &part, "(select change.id from change)")
    })
});

/// A `select` of one row to insert.
fn one(without: Without) -> String {
    // `offset 0`: the card is looked up once, not for each column.
    let on_card = match without.cards {
        true => "false as on_card".to_string(),
        false => format!("{} as on_card offset 0", is_card(&first_of(inserted(), FIRST, "account_id"))),
    };
    row_where(&on_card)
}

/// A `select` of one row to insert, from a select list that defines `on_card`.
fn row_where(on_card: &str) -> String {
    let values: Vec<String> =
        arrays(inserted(), FIRST).map(|(array, column)| column.stored(format!("({array})[1]"), "on_card")).collect();
    format!(
        "select $1, {}, {} from (select {on_card}) as place",
        created_by(&first_of(inserted(), FIRST, "source")),
        values.join(", "),
    )
}

/// The most rows of [`INSERT_FEW`]: both legs of a transfer, and other manual entries.
const FEW_ROWS_MAX: usize = 10;

/// Inserts a few rows. No plan knows how many, so PostgreSQL plans it once for each connection: planning takes longer than
/// running.
static INSERT_FEW: LazyLock<String> = LazyLock::new(|| {
    let (arrays, given): (Vec<_>, Vec<_>) = arrays(inserted(), FIRST)
        .map(|(array, column)| (format!("{array} as {}", column.name), format!("given.{}", column.name)))
        .unzip();
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
        select id, created_at, created_by, installment_number, installment_count, null::bigint as change_id from inserted",
        names(inserted()),
        many(),
        sums::COLUMNS,
        lines::given(FIRST + inserted().count()),
        sums::parts("inserted", "lines"),
        sums::keep(Change::Written(Rows::Many))
    )
});

/// A `select` of any number of rows to insert.
fn many() -> String {
    let arrays: Vec<String> = arrays(inserted(), FIRST).map(|(array, _)| array).collect();
    rows_of(&format!("unnest({})", arrays.join(", ")))
}

/// A `select` of the rows that the `from` clause unnests.
fn rows_of(unnested: &str) -> String {
    let values: Vec<String> =
        inserted().map(|column| column.stored(format!("rows.{}", column.name), "on_card")).collect();
    format!(
        "select $1, {}, {}
        from {unnested} with ordinality as rows ({}, position)
        left join (select id as card_id, true as on_card from accounts where profile_id = $1 and {}) as card
            on card_id = rows.account_id
        order by rows.position",
        created_by("rows.source"),
        values.join(", "),
        names(inserted()),
        KIND_OF_CARD,
    )
}

row! {
    /// The columns that PostgreSQL adds to an inserted row.
    struct InsertedRow {
        id: i64 [BigInt],
        created_at: OffsetDateTime [Timestamptz],
        created_by: Option<i64> [Nullable<BigInt>],
        installment_number: Option<i16> [Nullable<SmallInt>],
        installment_count: Option<i16> [Nullable<SmallInt>],
        /// The change that was stored with it.
        change_id: Option<i64> [Nullable<BigInt>],
    }
}

impl PgRepo<'_> {
    /// Inserts transactions in one statement. For a yield, `yield_from` has the first day of the period that it pays for.
    pub(crate) fn insert_transactions(
        &mut self,
        new: &[NewTransaction],
        yield_from: Vec<Option<Date>>,
    ) -> Result<Vec<Transaction>> {
        if new.len() > FEW_ROWS_MAX {
            self.check_room(new.len())?;
        }
        let lines = LineColumns::of((1..).zip(new.iter().map(|new| &new.details)));
        let is_split = !lines.rows.is_empty();
        let anchors = new.iter().all(|new| self.is_off_anchors(new.account_id, new.date));
        self.anchors_moved |= !anchors;
        let mut recording = None;
        let statement = match Rows::of(new.len()) {
            _ if is_split => &INSERT_SPLIT,
            Rows::One => {
                let cards = new.iter().all(|new| self.is_off_cards(new.account_id));
                recording = self.recorder.of_one_row();
                let statements = if recording.is_some() { &INSERT_ONE_WITH_CHANGE } else { &INSERT_ONE };
                &statements[Without { cards, anchors }.index()]
            }
            Rows::Many if new.len() <= FEW_ROWS_MAX => &INSERT_FEW,
            Rows::Many => &INSERT_MANY,
        };
        let rows: Vec<Values<'_>> =
            new.iter().zip(yield_from).map(|(new, yield_from)| Values::of_new(new, yield_from)).collect();
        let query = self.sql(statement.as_str());
        let query = bind(query, inserted(), &rows);
        let query = match is_split {
            true => lines.bind(query),
            false => query,
        };
        let query = match &recording {
            Some(recording) => bind_row_change(query, recording),
            None => query,
        };
        let mut inserted: Vec<InsertedRow> = query.rows(self.connection)?;
        if inserted.len() != new.len() {
            return Err(Error::Internal(format!("{} of {} rows inserted", inserted.len(), new.len()).into()));
        }
        self.transactions_added += new.len() as i64;
        if let [only] = new
            && only.source != Source::OpeningBalance
        {
            self.recorder.name = Some(only.description.clone());
        }
        if let [InsertedRow { id, change_id: Some(change_id), .. }] = inserted.as_slice() {
            self.recorder.row_change = Some(RowChange { id: ChangeId(*change_id), row: *id });
        }
        self.note_created("transactions", inserted.iter().map(|row| row.id))?;
        inserted.sort_unstable_by_key(|row| row.id);
        let openings = inserted.iter().zip(new).filter(|(_, new)| new.source == Source::OpeningBalance);
        self.note_openings(openings.filter_map(|(row, new)| Some((row.id, new.account_id?.0))));
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
