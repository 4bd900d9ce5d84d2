//! Stores changes.
//!
//! The change of a request that only creates one transaction is stored by the statement that stores the row: a statement of its own
//! costs a fifth of such a request. Whatever else is found when the work is done replaces it.

use std::sync::LazyLock;

use finance_domain::changes::{ChangeKind, Count, Noun, RECORDED, Recording};
use finance_domain::{ChangeId, Result};

use super::{NewEntry, has_ranges};
use crate::recorder::RowChange;
use crate::repo::PgRepo;
use crate::sql::{Arguments, Binding, Cache, IdRow};

/// The table of the rows whose changes are stored with them.
const TRANSACTIONS: &str = "transactions";

/// The part of the statement that stores a change, with its created rows. `$14`: the number of other entries.
const CHANGE: &str = "with change as (
        insert into changes (profile_id, at, day, kind, subject, member_id, token_id, undoes, nouns, created, changed, removed, entries,
            made_table, made_ids)
        values ($1, $15, $16, $2, $3, case when $4 then current_member_id() end,
            (select id from tokens where profile_id = $1 and hash = $5), $6, $7, $8, $9, $10, $14 + cardinality($11::text[]),
            $17, $18::text::int8multirange)
        returning id
    ), made as (
        insert into change_entries (profile_id, change_id, position, table_name, op, is_derived, ids)
        select $1, change.id, $14 + made.number, made.table_name, 'c', made.is_derived, made.ids::int8multirange
        from change, unnest($11::text[], $12::text[], $13::boolean[]) with ordinality
            as made (table_name, ids, is_derived, number)
    )";

static INSERT_CREATED: LazyLock<String> = LazyLock::new(|| format!("{CHANGE} select id from change"));

static INSERT_ALL: LazyLock<String> = LazyLock::new(|| {
    format!(
        "{CHANGE}, cells as (
            select number, jsonb_object_agg(name, value) as columns
            from unnest($25::integer[], $26::text[], $27::text[]) as cell (number, name, value)
            group by number
        ), others as (
            insert into change_entries (profile_id, change_id, position, table_name, op, is_derived, row_id, key, columns)
            select $1, change.id, given.number, given.table_name, given.op::\"char\", given.is_derived, given.row_id,
                string_to_array(given.key, E'\\n'), cells.columns
            from change, unnest($19::integer[], $20::text[], $21::text[], $22::boolean[], $23::bigint[], $24::text[])
                as given (number, table_name, op, is_derived, row_id, key)
            left join cells on cells.number = given.number
        )
        select id from change"
    )
});

/// The part of a statement that stores a change: the creation of the transaction in `written`. It is the change of the request if
/// nothing more follows. The parameters from the number `first` on are those of [`bind_row_change`].
pub(crate) fn of_transaction(subject: &str, first: usize) -> String {
    let [kind, at, day, token] = std::array::from_fn(|offset| first + offset);
    format!(
        "change as (
            insert into changes (profile_id, kind, at, day, subject, member_id, token_id, nouns, created, changed, removed, entries,
                made_table, made_ids)
            select $1, ${kind}, ${at}, ${day}, {subject}, current_member_id(),
                (select id from tokens where profile_id = $1 and hash = ${token}), array['{}'], array[1], array[0], array[0], 0,
                '{TRANSACTIONS}', int8multirange(int8range(written.id, written.id, '[]'))
            from written
            returning id
        )",
        Noun::Transactions.as_str()
    )
}

/// Binds what [`of_transaction`] takes.
pub(crate) fn bind_row_change<'q, Q>(query: Binding<'q, Q>, recording: &Recording) -> Binding<'q, Q> {
    query
        .arg(recording.kind.as_str())
        .arg(recording.at)
        .arg(recording.today)
        .arg(recording.token.map(|hash| hash.0.to_vec()))
}

/// Numbers as PostgreSQL writes a multirange: `{[1,3],[7,7]}`.
fn multirange(mut numbers: Vec<i64>) -> String {
    numbers.sort_unstable();
    let ranges = numbers.chunk_by(|one, next| next - one <= 1);
    let text = |range: &[i64]| range.first().zip(range.last()).map(|(first, last)| format!("[{first},{last}]"));
    format!("{{{}}}", ranges.filter_map(text).collect::<Vec<String>>().join(","))
}

impl PgRepo<'_> {
    /// Deletes the change that was stored with a row, because it is not all that the transaction did.
    pub(super) fn drop_row_change(&mut self) -> Result<()> {
        let Some(RowChange { id, .. }) = self.recorder.row_change.take() else { return Ok(()) };
        self.sql("delete from changes where profile_id = $1 and id = $2").arg(id.0).run(self.connection)
    }

    /// Stores the change and its entries in one statement.
    pub(super) fn insert_change(
        &mut self,
        recording: &Recording,
        subject: Option<String>,
        counts: &[Count],
        entries: &[NewEntry],
    ) -> Result<ChangeId> {
        let signed = |count: u32| i32::try_from(count).unwrap_or(i32::MAX);
        let of = |value: fn(&Count) -> u32| counts.iter().map(|count| signed(value(count))).collect::<Vec<i32>>();
        let mut made: Vec<(&str, Vec<i64>, bool)> = Vec::new();
        for (at, ids) in &self.recorder.created {
            let recorded = &RECORDED[*at];
            let derived = self.recorder.derived.get(at);
            let is_derived = |id: &i64| recorded.is_derived || derived.is_some_and(|derived| derived.contains(id));
            let (of_service, of_people): (Vec<i64>, Vec<i64>) = ids.iter().partition(|id| is_derived(id));
            for (ids, derived) in [(of_people, false), (of_service, true)] {
                if !ids.is_empty() {
                    made.push((recorded.table, ids, derived));
                }
            }
        }
        if let Some(RowChange { id, row }) = self.recorder.row_change {
            let is_all = entries.is_empty() && self.recorder.undoes.is_none() && subject == self.recorder.name;
            if is_all && made == [(TRANSACTIONS, vec![row], false)] {
                return Ok(id);
            }
            self.drop_row_change()?;
        }
        let has_no_entries = entries.is_empty() && matches!(made.as_slice(), [(_, _, false)]);
        let (made_table, made_ids) =
            made.pop_if(|_| has_no_entries).map(|(table, ids, _)| (table, multirange(ids))).unzip();
        let made_tables: Vec<&str> = made.iter().map(|(table, ..)| *table).collect();
        let made_derived: Vec<bool> = made.iter().map(|(.., derived)| *derived).collect();
        let made_ranges: Vec<String> = made.into_iter().map(|(_, ids, _)| multirange(ids)).collect();
        let (mut numbers, mut names, mut values) = (Vec::new(), Vec::new(), Vec::new());
        for (number, entry) in (0_i32..).zip(entries) {
            for (name, value) in &entry.columns {
                numbers.push(number);
                names.push(*name);
                values.push(value.as_deref());
            }
        }
        // A key is joined by line breaks, which no value of a key has.
        let keys: Vec<Option<String>> =
            entries.iter().map(|entry| (!has_ranges(&RECORDED[entry.at])).then(|| entry.key.join("\n"))).collect();
        let statement = if entries.is_empty() { &*INSERT_CREATED } else { &*INSERT_ALL };
        let query = self
            .sql(statement.as_str())
            .arg(recording.kind.as_str())
            .arg(subject)
            .arg(recording.kind != ChangeKind::YieldsPost)
            .arg(recording.token.map(|hash| hash.0.to_vec()))
            .arg(self.recorder.undoes.map(|id| id.0))
            .arg(counts.iter().map(|count| count.noun.as_str()).collect::<Vec<_>>())
            .arg(of(|count| count.created))
            .arg(of(|count| count.changed))
            .arg(of(|count| count.removed))
            .arg(made_tables)
            .arg(made_ranges)
            .arg(made_derived)
            .arg(i32::try_from(entries.len()).unwrap_or(i32::MAX))
            .arg(recording.at)
            .arg(recording.today)
            .arg(made_table)
            .arg(made_ids);
        let row: IdRow = match entries.is_empty() {
            true => query.row(self.connection),
            false => query
                .arg((0_i32..).take(entries.len()).collect::<Vec<_>>())
                .arg(entries.iter().map(|entry| RECORDED[entry.at].table).collect::<Vec<_>>())
                .arg(entries.iter().map(|entry| entry.op).collect::<Vec<_>>())
                .arg(entries.iter().map(|entry| entry.is_derived).collect::<Vec<_>>())
                .arg(entries.iter().map(|entry| entry.row_id).collect::<Vec<_>>())
                .arg(keys)
                .arg(numbers)
                .arg(names)
                .arg(values)
                .row(self.connection),
        }?;
        if let Some(undone) = self.recorder.undoes {
            let query = self.sql("update changes set undone_by = $3 where profile_id = $1 and id = $2");
            query.arg(undone.0).arg(row.id).run(self.connection)?;
        }
        Ok(ChangeId(row.id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_follow_each_other_are_one_range() {
        assert_eq!(multirange(vec![7, 2, 3, 1]), "{[1,3],[7,7]}");
        assert_eq!(multirange(Vec::new()), "{}");
    }
}
