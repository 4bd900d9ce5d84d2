//! The number of rows, a checksum and sums for each table of a database, whatever the tables are. They show whether two
//! databases have the same content.

use std::collections::BTreeMap;

/// Values are written the same way whatever the settings of a role or a database are.
const SETTINGS: &str = "set datestyle = 'ISO'; set timezone = 'UTC'; set intervalstyle = 'postgres'; \
    set bytea_output = 'hex'; set extra_float_digits = 1; set client_min_messages = warning;\n";

/// A statement for each table, which psql runs: the name, the number of rows, a checksum over whole rows that does not depend
/// on their order or that of the columns, and the sum of each column with exact numbers.
///
/// PostgreSQL assigns rows to hash partitions with the same function, so it is the same in all major versions.
const COUNT: &str = r"select format(
    'select %L, count(*), coalesce(sum(hashtextextended(row(%s)::text, 0)::numeric), 0)%s from only %I.%I',
    nspname || '.' || relname, columns, sums, nspname, relname)
  from pg_class join pg_namespace on pg_namespace.oid = relnamespace
  cross join lateral (
    select coalesce(string_agg(quote_ident(attname), ', ' order by attname), '') as columns,
      coalesce(string_agg(format(', coalesce(sum(%I), 0)', attname), '' order by attname)
        filter (where atttypid in ('int2'::regtype, 'int4'::regtype, 'int8'::regtype, 'numeric'::regtype)), '') as sums
    from pg_attribute where attrelid = pg_class.oid and attnum > 0 and not attisdropped
  ) as of_table
  where relkind = 'r' and relpersistence <> 't' and nspname <> 'information_schema' and nspname not like 'pg\_%'
  order by nspname, relname \gexec
";

/// The counts of a database's content, as of one instant.
///
/// Two are equal if each table has the same rows in both.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Fingerprint {
    /// The number of rows, the checksum and the sums of each table, by its name.
    tables: BTreeMap<String, String>,
}

/// The script that psql runs for a fingerprint.
pub(crate) fn script() -> String {
    format!("{SETTINGS}{COUNT}")
}

impl Fingerprint {
    /// Reads what psql printed, a line for each table.
    pub(crate) fn read<'a>(lines: impl Iterator<Item = &'a str>) -> Fingerprint {
        let table = |line: &'a str| line.split_once('|').map(|(name, sums)| (name.to_owned(), sums.to_owned()));
        Fingerprint { tables: lines.filter_map(table).collect() }
    }

    /// The number of tables.
    pub fn tables(&self) -> usize {
        self.tables.len()
    }

    /// The number of rows in all tables.
    pub fn rows(&self) -> u64 {
        self.tables.values().filter_map(|sums| sums.split('|').next()?.parse::<u64>().ok()).sum()
    }

    /// The first table that differs in another fingerprint, with the figures of both.
    pub(crate) fn difference(&self, other: &Fingerprint) -> Option<String> {
        let names = self.tables.keys().chain(other.tables.keys());
        names.filter(|name| self.tables.get(*name) != other.tables.get(*name)).min().map(|name| {
            let figures = |fingerprint: &Fingerprint| {
                fingerprint.tables.get(name).map_or("no such table", String::as_str).to_owned()
            };
            format!("the table {name} (rows, checksum, sums) had {}, and has {}", figures(self), figures(other))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tally_names_the_first_table_that_differs() {
        let then = Fingerprint::read("public.a|3|12|6\npublic.b|0|0\n".lines());
        assert_eq!((then.tables(), then.rows()), (2, 3));
        assert_eq!(then.difference(&then), None);
        let now = Fingerprint::read("public.a|3|12|7\npublic.b|0|0".lines());
        assert!(then.difference(&now).unwrap().contains("public.a (rows, checksum, sums) had 3|12|6, and has 3|12|7"));
        let less = Fingerprint::read(["public.a|3|12|6"].into_iter());
        assert!(
            then.difference(&less).unwrap().ends_with("public.b (rows, checksum, sums) had 0|0, and has no such table")
        );
        assert!(less.difference(&then).is_some());
    }
}
