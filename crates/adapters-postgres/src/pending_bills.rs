//! Card statements that are pending until their payment date, with their rows.

use std::collections::HashMap;

use diesel::QueryableByName;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Integer, Numeric};
use finance_domain::accounts::AccountKind;
use finance_domain::imports::{StatementFormat, StatementRow, base_id};
use finance_domain::pending_bills::{NewHeldRow, NewPendingBill, PendingBill, PendingBillRepo, PendingBillStatus};
use finance_domain::text::normalized;
use finance_domain::transactions::{Details, Kind, Line};
use finance_domain::transfers::Choice;
use finance_domain::{AccountId, CategoryId, PendingBillId, ProfileId, Result};
use time::{Date, OffsetDateTime};

use crate::numeric::{Hundredths, bigints};
use crate::repo::{PgRepo, counted};
use crate::row::row;
use crate::schema::{pending_bill_rows, pending_bills};
use crate::sql::{Arguments, Cache, CountRow, Fetch, IdRow, column, inserting};
use crate::tags::joined;
use crate::transactions::lines::{self, LineColumns};
use crate::words::StoredWord;

#[derive(Queryable, Selectable)]
#[diesel(table_name = pending_bills)]
struct PendingBillRow {
    profile_id: i64,
    id: i64,
    account_id: Option<i64>,
    payment_date: Date,
    file_name: Option<String>,
    format: StoredWord<StatementFormat>,
    total: Hundredths,
    row_count: i32,
    status: StoredWord<PendingBillStatus>,
    created_at: OffsetDateTime,
}

impl From<PendingBillRow> for PendingBill {
    fn from(row: PendingBillRow) -> Self {
        PendingBill {
            id: PendingBillId(row.id),
            profile_id: ProfileId(row.profile_id),
            account_id: row.account_id.map(AccountId),
            payment_date: row.payment_date,
            file_name: row.file_name,
            format: row.format.0,
            total: row.total.into(),
            row_count: usize::try_from(row.row_count).unwrap_or(0),
            status: row.status.0,
            created_at: row.created_at,
        }
    }
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = pending_bill_rows)]
struct HeldRow {
    date: Date,
    description: String,
    statement_description: Option<String>,
    amount: Hundredths,
    kind: StoredWord<Kind>,
    external_id: Option<String>,
    category_id: Option<i64>,
    is_transfer: bool,
    is_kept_unlinked: bool,
    position: i32,
    note: Option<String>,
    tags: Option<Vec<String>>,
}

row! { struct HeldLine {
    row_position: i32 [Integer],
    category_id: i64 [BigInt],
    amount: Hundredths [Numeric],
} }

impl PendingBillRepo for PgRepo<'_> {
    fn pending_bill_list(&mut self) -> Result<Vec<PendingBill>> {
        let pending = pending_bills::table
            .filter(pending_bills::profile_id.eq(self.profile_id.0))
            .filter(pending_bills::status.eq(PendingBillStatus::Pending.as_str()))
            .order((pending_bills::payment_date, pending_bills::id))
            .select(PendingBillRow::as_select());
        Ok(pending.fetch(self.connection)?.into_iter().map(PendingBill::from).collect())
    }

    fn pending_bill_count(&mut self) -> Result<usize> {
        let pending = pending_bills::table
            .filter(pending_bills::profile_id.eq(self.profile_id.0))
            .filter(pending_bills::status.eq(PendingBillStatus::Pending.as_str()));
        pending.count().fetch_one(self.connection).and_then(counted)
    }

    fn pending_bill_row_count(&mut self) -> Result<usize> {
        // The positions of a statement's rows begin at 1, so its last one is looked up, and no row is counted.
        let query = self.sql(
            "select coalesce(sum(tail.position), 0)::bigint as count
            from pending_bills bill
            cross join lateral (
                select held.position from pending_bill_rows held
                where held.profile_id = $1 and held.pending_bill_id = bill.id
                order by held.position desc limit 1
            ) tail
            where bill.profile_id = $1",
        );
        let row: CountRow = query.row(self.connection)?;
        counted(row.count)
    }

    fn pending_bill_get(&mut self, id: PendingBillId) -> Result<Option<PendingBill>> {
        let query = pending_bills::table.find((self.profile_id.0, id.0)).select(PendingBillRow::as_select());
        Ok(query.fetch_if_any(self.connection)?.map(PendingBill::from))
    }

    fn pending_bill_rows(&mut self, id: PendingBillId, are_repeated: bool) -> Result<Vec<StatementRow>> {
        let rows: Vec<HeldRow> = pending_bill_rows::table
            .filter(pending_bill_rows::profile_id.eq(self.profile_id.0))
            .filter(pending_bill_rows::pending_bill_id.eq(id.0))
            .filter(pending_bill_rows::is_repeated.eq(are_repeated))
            .order(pending_bill_rows::position)
            .select(HeldRow::as_select())
            .fetch(self.connection)?;
        let mut lines = self.held_lines(id)?;
        let held = rows.into_iter().map(|row| StatementRow {
            details: Details {
                lines: lines.remove(&row.position).unwrap_or_default(),
                tags: row.tags.unwrap_or_default(),
                note: row.note,
            },
            statement_description: row.statement_description,
            external_id: row.external_id,
            category_id: row.category_id.map(CategoryId),
            choice: match (row.is_transfer, row.is_kept_unlinked) {
                (true, _) => Choice::Transfer,
                (false, true) => Choice::Ordinary,
                (false, false) => Choice::Unsaid,
            },
            // Excluded rows were excluded when the statement arrived.
            is_kept: true,
            ..StatementRow::new(row.date, row.description, row.amount.into(), row.kind.0)
        });
        Ok(held.collect())
    }

    fn pending_bill_insert(&mut self, new: &NewPendingBill) -> Result<PendingBill> {
        let format: StatementFormat = new.format;
        let count = new.rows.iter().filter(|held| !held.is_repeated).count();
        let stored: PendingBillRow = diesel::insert_into(pending_bills::table)
            .values((
                pending_bills::profile_id.eq(self.profile_id.0),
                pending_bills::account_id.eq(new.account_id.map(|id| id.0)),
                pending_bills::payment_date.eq(new.payment_date),
                pending_bills::file_name.eq(new.file_name.as_deref()),
                pending_bills::format.eq(format.as_str()),
                pending_bills::total.eq(Hundredths::from(new.total())),
                pending_bills::row_count.eq(i32::try_from(count).unwrap_or(i32::MAX)),
            ))
            .returning(PendingBillRow::as_returning())
            .fetch_one(self.connection)?;
        self.note_created("pending_bills", [stored.id])?;
        self.sql(inserting(
            "insert into pending_bill_rows (profile_id, pending_bill_id, position, date, description,
                description_normalized, amount, kind, external_id, external_id_base, category_id, is_transfer, is_kept_unlinked,
                statement_description, note, tags, is_stored, is_repeated)
            select $1, $2, position, date, description,
                description_normalized, amount, kind, external_id, external_id_base, category_id, is_transfer, is_kept_unlinked,
                statement_description, note, string_to_array(tags, E'\\n'), is_stored, is_repeated
            from unnest($3::date[], $4::text[], $5::text[], $6::numeric[], $7::text[], $8::text[], $9::text[], $10::bigint[],
                    $11::boolean[], $12::boolean[], $13::text[], $14::text[], $15::text[], $16::boolean[],
                    $17::boolean[]) with ordinality as rows
                (date, description, description_normalized, amount, kind, external_id, external_id_base,
                category_id, is_transfer, is_kept_unlinked, statement_description, note, tags, is_stored, is_repeated, position)",
        ))
        .arg(stored.id)
        .arg(column(&new.rows, |held| held.row.date))
        .arg(column(&new.rows, |held| held.row.description.as_str()))
        .arg(column(&new.rows, |held| normalized(held.row.statement_description())))
        .arg(column(&new.rows, |held| Hundredths::from(held.row.amount)))
        .arg(column(&new.rows, |held| held.row.kind.as_str()))
        .arg(column(&new.rows, |held| held.row.external_id.as_deref()))
        .arg(column(&new.rows, |held| held.row.external_id.as_deref().map(base_id)))
        .arg(column(&new.rows, |held| held.row.category_id.map(|id| id.0)))
        .arg(column(&new.rows, |held| held.is_transfer))
        .arg(column(&new.rows, |held| held.row.choice == Choice::Ordinary))
        .arg(column(&new.rows, |held| held.row.statement_description.as_deref()))
        .arg(column(&new.rows, |held| held.row.details.note.as_deref()))
        .arg(column(&new.rows, |held| joined(held.row.details.tags.iter().cloned())))
        .arg(column(&new.rows, |held| held.is_stored))
        .arg(column(&new.rows, |held| held.is_repeated))
        .run(self.connection)?;
        self.insert_held_lines(stored.id, &new.rows)?;
        self.note_held_changed(stored.account_id)?;
        Ok(stored.into())
    }

    fn pending_bill_settle(&mut self, id: PendingBillId) -> Result<()> {
        self.touch("pending_bills", "id = any($2)", &[id.0])?;
        let card = diesel::update(pending_bills::table.find((self.profile_id.0, id.0)))
            .set(pending_bills::status.eq(PendingBillStatus::Confirmed.as_str()))
            .returning(pending_bills::account_id)
            .fetch_if_any(self.connection)?;
        self.note_held_changed(card.flatten())
    }

    fn pending_bill_hand_over(
        &mut self,
        from: PendingBillId,
        to: PendingBillId,
        pairs: &[(usize, usize)],
    ) -> Result<()> {
        self.touch("pending_bills", "id = any($2)", &[to.0])?;
        self.touch("pending_bill_rows", "pending_bill_id = any($2)", &[to.0])?;
        let query = self.sql(
            "with own as (
                select row_number() over (order by position) - 1 as place, is_transfer, is_stored, is_kept_unlinked
                from pending_bill_rows where profile_id = $1 and pending_bill_id = $2 and not is_repeated
            ), repeated as (
                select row_number() over (order by position) - 1 as place, position
                from pending_bill_rows where profile_id = $1 and pending_bill_id = $3 and is_repeated
            )
            update pending_bill_rows held
            set is_repeated = false, is_transfer = own.is_transfer, is_stored = own.is_stored,
                is_kept_unlinked = own.is_kept_unlinked
            from unnest($4::bigint[], $5::bigint[]) as pair (from_place, to_place)
            join own on own.place = pair.from_place
            join repeated on repeated.place = pair.to_place
            where held.profile_id = $1 and held.pending_bill_id = $3 and held.position = repeated.position",
        );
        query
            .arg(from.0)
            .arg(to.0)
            .arg(bigints(pairs, |pair| pair.0)?)
            .arg(bigints(pairs, |pair| pair.1)?)
            .exec(self.connection)?;
        self.sum_held(to)
    }

    fn pending_bill_repeating(&mut self) -> Result<Vec<PendingBillId>> {
        let query = self.sql(
            "select bill.id from pending_bills bill
            where bill.profile_id = $1 and bill.status = $2 and exists (
                select 1 from pending_bill_rows held
                where held.profile_id = $1 and held.pending_bill_id = bill.id and held.is_repeated)
            order by bill.id",
        );
        query.arg(PendingBillStatus::Pending.as_str()).rows_as(self.connection, |row: IdRow| PendingBillId(row.id))
    }

    fn pending_bill_own(&mut self, id: PendingBillId, rows: &[(usize, bool)]) -> Result<()> {
        self.touch("pending_bills", "id = any($2)", &[id.0])?;
        self.touch("pending_bill_rows", "pending_bill_id = any($2)", &[id.0])?;
        self.sql(
            "with repeated as (
                select row_number() over (order by position) - 1 as place, position
                from pending_bill_rows where profile_id = $1 and pending_bill_id = $2 and is_repeated
            )
            update pending_bill_rows held
            set is_repeated = false, is_stored = false, is_transfer = own.is_transfer
            from unnest($3::bigint[], $4::boolean[]) as own (place, is_transfer)
            join repeated on repeated.place = own.place
            where held.profile_id = $1 and held.pending_bill_id = $2 and held.position = repeated.position",
        )
        .arg(id.0)
        .arg(bigints(rows, |(place, _)| *place)?)
        .arg(column(rows, |(_, is_transfer)| *is_transfer))
        .exec(self.connection)?;
        self.sum_held(id)?;
        let own = pending_bills::table.find((self.profile_id.0, id.0)).select(pending_bills::account_id);
        let card: Option<Option<i64>> = own.fetch_if_any(self.connection)?;
        self.note_held_changed(card.flatten())
    }

    fn pending_bill_delete(&mut self, id: PendingBillId) -> Result<()> {
        self.touch_deleted("pending_bills", "id = any($2)", &[id.0])?;
        let card = diesel::delete(pending_bills::table.find((self.profile_id.0, id.0)))
            .returning(pending_bills::account_id)
            .fetch_if_any(self.connection)?;
        self.note_held_changed(card.flatten())
    }
}

impl PgRepo<'_> {
    /// Sets what a statement asks for, and how many rows it shows, after its rows have changed.
    fn sum_held(&mut self, id: PendingBillId) -> Result<()> {
        let query = self.sql(
            "update pending_bills bill set total = own.total, row_count = own.row_count
            from (
                select coalesce(sum(case when kind = $3 then amount else -amount end) filter (where not is_transfer and not is_stored), 0)
                        as total,
                    count(*) filter (where not is_repeated) as row_count
                from pending_bill_rows where profile_id = $1 and pending_bill_id = $2
            ) own
            where bill.profile_id = $1 and bill.id = $2",
        );
        query.arg(id.0).arg(Kind::Expense.as_str()).exec(self.connection)
    }

    /// The lines of a statement's rows, by the positions of the rows.
    fn held_lines(&mut self, id: PendingBillId) -> Result<HashMap<i32, Vec<Line>>> {
        let query = self.sql(
            "select row_position, category_id, amount from pending_bill_lines
            where profile_id = $1 and pending_bill_id = $2
            order by row_position, position",
        );
        let stored: Vec<HeldLine> = query.arg(id.0).rows(self.connection)?;
        let mut lines: HashMap<i32, Vec<Line>> = HashMap::new();
        for line in stored {
            let of_row = lines.entry(line.row_position).or_default();
            of_row.push(Line { category_id: CategoryId(line.category_id), amount: line.amount.into() });
        }
        Ok(lines)
    }

    /// Stores the lines of the rows. The positions of rows begin at 1.
    fn insert_held_lines(&mut self, id: i64, rows: &[NewHeldRow]) -> Result<()> {
        let lines = LineColumns::of((1..).zip(rows.iter().map(|held| &held.row.details)));
        if lines.rows.is_empty() {
            return Ok(());
        }
        let query = self.sql(inserting(&format!(
            "insert into pending_bill_lines (profile_id, pending_bill_id, row_position, position, category_id, amount)
            select $1, $2, line.number, line.position, line.category_id, line.amount from {}",
            lines::given(3)
        )));
        query.arg(id).arg(lines.rows).arg(lines.positions).arg(lines.categories).arg(lines.amounts).run(self.connection)
    }

    /// Notes that what is held for a card has changed, so that its ledger must be computed.
    fn note_held_changed(&mut self, card: Option<i64>) -> Result<()> {
        let Some(card) = card else { return Ok(()) };
        let query =
            self.sql("update accounts set payments_stale = true where profile_id = $1 and id = $2 and kind = $3");
        query.arg(card).arg(AccountKind::Credit.as_str()).run(self.connection)
    }
}
