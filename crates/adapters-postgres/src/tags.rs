//! The tags of transactions.

use diesel::QueryableByName;
use diesel::sql_types::{BigInt, Text};
use finance_domain::tags::{TagRepo, UsedTag};
use finance_domain::{Error, Result};

use crate::numeric::bigint;
use crate::repo::PgRepo;
use crate::row::row;
use crate::sql::{Arguments, Cache};

/// The separator of a row's tags in a text. A tag contains no line break: its blanks are spaces.
pub(crate) const SEPARATOR: &str = "\n";

/// Tags as one text, the form that a statement takes; none if there are no tags.
pub(crate) fn joined(tags: impl Iterator<Item = String>) -> Option<String> {
    let tags: Vec<String> = tags.collect();
    (!tags.is_empty()).then(|| tags.join(SEPARATOR))
}

/// The SQL that turns such a text into an array.
pub(crate) fn array(text: &str) -> String {
    format!("string_to_array({text}, E'\\n')")
}

row! { struct TagRow {
    tag: String [Text],
    count: i64 [BigInt],
} }

impl TagRepo for PgRepo<'_> {
    fn tag_list(&mut self, limit: usize) -> Result<Vec<UsedTag>> {
        let limit = bigint(limit)?;
        let query = self.sql(
            "select (array_agg(used.tag order by t.date desc, t.id desc))[1] as tag, count(*) as count
            from transactions t
            cross join lateral unnest(t.tags, t.tag_keys) as used (tag, key)
            where t.profile_id = $1 and t.tags is not null
            group by used.key
            order by count(*) desc, used.key collate \"C\"
            limit $2",
        );
        let rows: Vec<TagRow> = query.arg(limit).rows(self.connection)?;
        let used = |row: TagRow| {
            let count = u64::try_from(row.count).map_err(|error| Error::Internal(Box::new(error)))?;
            Ok(UsedTag { tag: row.tag, count })
        };
        rows.into_iter().map(used).collect()
    }
}
