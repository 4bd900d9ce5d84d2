//! Changing transactions, together with the instalments read from their descriptions.

use std::collections::HashMap;
use std::sync::LazyLock;

use finance_domain::transactions::{Edit, Source, Transaction, TransferState};
use finance_domain::{ImportId, Result, TransactionId};

use crate::installments::is_card;
use crate::repo::PgRepo;
use crate::sql::{Arguments, Cache, Fetch, column};
use crate::sums::{self, Change};
use crate::transactions::columns::{Column, Values, arrays, bind, first_of, names, updated};
use crate::transactions::deletions::STATEMENT_SOURCE;
use crate::transactions::lines::{self, LineColumns};
use crate::transactions::rows::TransactionRow;

/// The number of the parameter of the first column. $2 is the array of ids.
const FIRST: usize = 3;

/// The assignment of a column in an update, given the SQL of the new value and account.
fn set_to(column: &Column, value: String, account_id: &str) -> String {
    format!("{} = {}", column.name, column.stored(value, &is_card(account_id)))
}

/// An update also clears this mark, so that the other side of a transfer is searched again.
const UNSOUGHT: &str = "may_be_transfer = null";

/// The transactions of the profile $1 with such ids. A split one is returned as its lines.
fn stored_parts(ids: &str) -> String {
    sums::parts(&format!("(select * from transactions where profile_id = $1 and id {ids})"), sums::STORED_LINES)
}

/// Updates the rows with such ids, and replaces their lines. `update` is the text that follows `update transactions`. A line that
/// keeps its position is updated, so no line is deleted and inserted in the same statement.
fn updating(ids: &str, update: &str) -> String {
    format!(
        "with removed as materialized (
            {}
        ), updated as (
            update transactions {update}
            returning transactions.*
        ), given_lines as (
            select line.* from {}
        ), dropped as (
            delete from transaction_lines
            where profile_id = $1 and transaction_id {ids} and not exists (select 1 from given_lines given
                where given.number = transaction_lines.transaction_id and given.position = transaction_lines.position)
        ), lines as (
            insert into transaction_lines (profile_id, transaction_id, position, category_id, amount)
            select $1, updated.id, given.position, given.category_id, given.amount
            from given_lines given join updated on updated.id = given.number
            on conflict (profile_id, transaction_id, position)
                do update set category_id = excluded.category_id, amount = excluded.amount
            returning transaction_id, category_id, amount
        ), written as (
            {}
        ) {}
        select * from updated",
        stored_parts(ids),
        lines::given(FIRST + updated().count()),
        sums::parts("updated", "lines"),
        sums::keep(Change::Replaced)
    )
}

/// Updates one row. Planned once, like the insert of one row.
static UPDATE_ONE: LazyLock<String> = LazyLock::new(|| {
    let account = first_of(updated(), FIRST, "account_id");
    let values: Vec<String> =
        arrays(updated(), FIRST).map(|(array, column)| set_to(column, format!("({array})[1]"), &account)).collect();
    let ids = "= ($2::bigint[])[1]";
    updating(ids, &format!("set {}, {UNSOUGHT} where profile_id = $1 and id {ids}", values.join(", ")))
});

/// Updates any number of rows.
static UPDATE_MANY: LazyLock<String> = LazyLock::new(|| {
    let arrays: Vec<String> = arrays(updated(), FIRST).map(|(array, _)| array).collect();
    let values = updated().map(|column| set_to(column, format!("given.{}", column.name), "given.account_id"));
    let update = format!(
        "set {}, {UNSOUGHT} from unnest($2::bigint[], {}) as given (id, {})
        where transactions.profile_id = $1 and transactions.id = given.id",
        values.collect::<Vec<_>>().join(", "),
        arrays.join(", "),
        names(updated())
    );
    updating("= any($2)", &update)
});

static SET_TRANSFERS: LazyLock<String> = LazyLock::new(|| {
    format!(
        "with removed as materialized (
            {}
        ), updated as (
            update transactions t
            set transfer_id = state.transfer_id, is_transfer = state.is_transfer, is_kept_unlinked = state.is_kept_unlinked,
                source = case when t.source = '{leg}' and state.transfer_id is null then {STATEMENT_SOURCE} else t.source end
            from unnest($2::bigint[], $3::bigint[], $4::boolean[], $5::boolean[])
                as state (id, transfer_id, is_transfer, is_kept_unlinked)
            where t.profile_id = $1 and t.id = state.id
            returning t.*
        ), written as (
            {}
        ) {}
        select count(*) from updated",
        stored_parts("= any($2)"),
        sums::parts("updated", sums::STORED_LINES),
        sums::keep(Change::Replaced),
        leg = Source::Transfer.as_str(),
    )
});

impl PgRepo<'_> {
    /// Notes which import brought transactions. No sum depends on it.
    pub(super) fn note_import(&mut self, ids: &[TransactionId], import_id: ImportId) -> Result<()> {
        self.touch("transactions", "id = any($2)", &ids.iter().map(|id| id.0).collect::<Vec<_>>())?;
        // A transfer that a person made has two legs made here, and does not go with an import.
        self.sql(
            "update transactions t set import_id = $3
            where t.profile_id = $1 and t.id = any($2) and exists (
                select from transactions other
                where other.profile_id = $1 and other.transfer_id = t.transfer_id and other.id <> t.id
                    and other.source <> $4)",
        )
        .arg(ids.iter().map(|id| id.0).collect::<Vec<_>>())
        .arg(import_id.0)
        .arg(Source::Transfer.as_str())
        .about(ids.len())
        .exec(self.connection)
    }

    /// Gives the transactions of an import that others also brought to the last of these. No sum depends on it.
    pub(crate) fn hand_over(&mut self, id: ImportId) -> Result<()> {
        self.touch(
            "repeated_rows",
            "transaction_id in (select id from transactions where profile_id = $1 and import_id = any($2))",
            &[id.0],
        )?;
        let query = self.sql(
            "with heirs as (
                select r.transaction_id, max(r.import_id) as import_id
                from transactions t join repeated_rows r on r.profile_id = $1 and r.transaction_id = t.id
                where t.profile_id = $1 and t.import_id = $2
                group by r.transaction_id
            ), noted as (
                delete from repeated_rows
                where profile_id = $1 and (transaction_id, import_id) in (select transaction_id, import_id from heirs)
            )
            update transactions t set import_id = heirs.import_id
            from heirs where t.profile_id = $1 and t.id = heirs.transaction_id",
        );
        query.arg(id.0).exec(self.connection)
    }

    /// Writes the new values of transactions, and the values from their statements, in one statement.
    pub(super) fn update_transactions(&mut self, edits: &[Edit]) -> Result<Vec<Transaction>> {
        let statement = if edits.len() == 1 { &UPDATE_ONE } else { &UPDATE_MANY };
        if self.is_recording() {
            let ids: Vec<i64> = edits.iter().map(|edit| edit.id().0).collect();
            self.touch("transactions", "id = any($2)", &ids)?;
            self.watch("transaction_lines", "transaction_id = any($2)", &ids)?;
        }
        self.anchors_moved = true;
        let lines = LineColumns::of(edits.iter().map(|edit| (edit.id().0, &edit.new_values().details)));
        let values: Vec<Values<'_>> = edits.iter().map(Values::of_edit).collect();
        let query = self.sql(statement.as_str()).arg(edits.iter().map(|edit| edit.id().0).collect::<Vec<_>>());
        let query = lines.bind(bind(query, updated(), &values));
        let rows: Vec<TransactionRow> = query.rows(self.connection)?;
        let places: HashMap<i64, usize> = edits.iter().enumerate().map(|(at, edit)| (edit.id().0, at)).collect();
        let place = |row: &TransactionRow| places.get(&row.id).copied();
        let mut updated: Vec<(Option<usize>, Transaction)> =
            rows.into_iter().map(|row| (place(&row), Transaction::from(row))).collect();
        updated.sort_unstable_by_key(|(place, _)| *place);
        let with_lines = |(place, mut transaction): (Option<usize>, Transaction)| {
            if let Some(edit) = place.and_then(|at| edits.get(at)) {
                transaction.details.lines.clone_from(&edit.new_values().details.lines);
            }
            transaction
        };
        Ok(updated.into_iter().map(with_lines).collect())
    }

    /// Links transactions to their transfers, or removes the links, in one statement.
    pub(super) fn set_transfer_states(&mut self, states: &[TransferState]) -> Result<()> {
        if states.is_empty() {
            return Ok(());
        }
        self.touch("transactions", "id = any($2)", &column(states, |state| state.id.0))?;
        self.sql(SET_TRANSFERS.as_str())
            .arg(column(states, |state| state.id.0))
            .arg(column(states, |state| state.transfer_id.map(|id| id.0)))
            .arg(column(states, |state| state.is_transfer))
            .arg(column(states, |state| state.is_kept_unlinked))
            .about(states.len())
            .exec(self.connection)
    }
}
