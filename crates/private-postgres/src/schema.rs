//! The information about the tables that a restore needs. Its caller provides a part; the rest is read from a database that has
//! the schema and no rows.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;

use crate::archive;
use crate::cluster::Cluster;
use crate::error::ClusterError;
use crate::programs;

/// Kinds of objects in an archive that a restore leaves out: privileges and comments. The caller grants what is needed.
const LEFT_OUT: [&str; 2] = ["ACL ", "COMMENT "];

/// Every table of the schema `public`, as the statement that pg_dump writes for its rows.
const COPY_STATEMENTS: &str = "select format('COPY public.%I (%s) FROM stdin;', relname, \
        string_agg(quote_ident(attname), ', ' order by attnum)) \
    from pg_class join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped \
    where relkind = 'r' and relnamespace = 'public'::regnamespace and attgenerated = '' \
    group by relname order by relname";
/// Every sequence of the schema `public`, as the beginning of the statement that pg_dump writes for its value.
const SETVAL_STATEMENTS: &str = "select format('SELECT pg_catalog.setval(%L', format('public.%I', relname)) \
    from pg_class where relkind = 'S' and relnamespace = 'public'::regnamespace order by relname";

/// What the caller of [`Cluster::restore`] knows about the schema.
///
/// ```
/// use std::error::Error;
///
/// use finance_private_postgres::Schema;
///
/// struct Notes;
///
/// impl Schema for Notes {
///     fn version_table(&self) -> &str {
///         "_migrations"
///     }
///
///     fn version_column(&self) -> &str {
///         "version"
///     }
///
///     fn build(&self, url: &str, versions: &[String]) -> Result<(), Box<dyn Error + Send + Sync>> {
///         // Connect to `url`, and apply the migrations that `versions` names, in order.
///         # let _ = (url, versions);
///         Ok(())
///     }
///
///     fn complete(&self, url: &str) -> Result<(), Box<dyn Error + Send + Sync>> {
///         // Connect to `url`, and apply the migrations that came later.
///         # let _ = url;
///         Ok(())
///     }
/// }
/// ```
pub trait Schema {
    /// The table in the schema `public` with the version of the schema: one row for each migration that was applied. Its name
    /// sorts before those of the other tables, so that its rows come first in an archive.
    fn version_table(&self) -> &str;

    /// The column of that table that holds the version.
    fn version_column(&self) -> &str;

    /// Builds the schema in an empty database, as it was when those versions were applied and no others.
    ///
    /// # Errors
    ///
    /// A version is unknown, or the schema cannot be built.
    fn build(&self, url: &str, versions: &[String]) -> Result<(), Box<dyn Error + Send + Sync>>;

    /// Migrates a database with the rows of the backup to the schema that the program needs.
    ///
    /// # Errors
    ///
    /// It cannot be done.
    fn complete(&self, url: &str) -> Result<(), Box<dyn Error + Send + Sync>>;
}

/// A schema that was built: its definition, and what an archive of it may hold.
#[derive(Debug)]
pub(crate) struct Built {
    /// An archive of the definition, without rows.
    definition: Vec<u8>,
    objects: BTreeSet<String>,
    /// The tables whose rows have not been taken yet, by name.
    tables: BTreeMap<String, Table>,
    /// The sequences whose values have not been taken yet: what their statement begins with.
    sequences: BTreeMap<String, String>,
}

/// The columns of a table. All names are as this server quotes them.
#[derive(Debug)]
struct Table {
    name: String,
    columns: Vec<String>,
}

impl Table {
    /// Reads the statement that pg_dump writes for the rows of a table.
    fn read(statement: &str) -> Option<Table> {
        let (name, columns) =
            statement.strip_prefix("COPY public.")?.strip_suffix(") FROM stdin;")?.split_once(" (")?;
        Some(Table { name: name.to_owned(), columns: columns.split(", ").map(str::to_owned).collect() })
    }

    /// This server's own statement for rows with the same columns as `other`, in its order.
    fn statement_for(&self, other: &Table) -> Option<String> {
        let own = |column: &String| self.columns.iter().find(|own| unquoted(own) == unquoted(column));
        let columns: Vec<&str> =
            other.columns.iter().map(|column| own(column).map(String::as_str)).collect::<Option<_>>()?;
        let distinct: BTreeSet<&str> = columns.iter().copied().collect();
        let is_same = columns.len() == self.columns.len() && distinct.len() == columns.len();
        is_same.then(|| format!("COPY public.{} ({}) FROM stdin;", self.name, columns.join(", ")))
    }
}

/// A name or a statement without quotes: versions of PostgreSQL differ in which names they quote.
fn unquoted(text: &str) -> String {
    text.replace('"', "")
}

impl Built {
    /// Lets the caller build the schema of those versions in an empty database, and reads the result.
    pub(crate) fn read(
        cluster: &Cluster,
        url: &str,
        schema: &dyn Schema,
        versions: &[String],
    ) -> Result<Built, ClusterError> {
        schema.build(url, versions).map_err(ClusterError::Refused)?;
        let mut dump = cluster.client("pg_dump");
        dump.args(["--format=custom", "--schema-only", "--no-owner", "--no-privileges", "--no-password"]);
        dump.args(["--dbname", url]);
        let definition = programs::run("pg_dump", dump, b"")?;
        let mut list = cluster.client("pg_restore");
        list.args(["--format=custom", "--list"]);
        let list = programs::run("pg_restore", list, &definition)?;
        let objects = archive::objects(&String::from_utf8_lossy(&list)).into_iter().collect();
        let tables = cluster.psql(url, &[COPY_STATEMENTS])?;
        let tables = tables.lines().filter_map(Table::read).map(|table| (unquoted(&table.name), table)).collect();
        let sequences = cluster.psql(url, &[SETVAL_STATEMENTS])?;
        let sequences = sequences.lines().map(|statement| (unquoted(statement), statement.to_owned())).collect();
        Ok(Built { definition, objects, tables, sequences })
    }

    /// Rejects an archive that lists an object which the schema does not have.
    pub(crate) fn check(&self, listed: &[String]) -> Result<(), ClusterError> {
        let is_known = |object: &String| {
            let data_of = object.strip_prefix("TABLE DATA ").map(|name| format!("TABLE {name}"));
            let value_of = object.strip_prefix("SEQUENCE SET ").map(|name| format!("SEQUENCE {name}"));
            LEFT_OUT.iter().any(|kind| object.starts_with(kind))
                || self.objects.contains(&data_of.or(value_of).unwrap_or_else(|| object.clone()))
        };
        match listed.iter().find(|object| !is_known(object)) {
            None => Ok(()),
            Some(unknown) => Err(archive::unknown(unknown)),
        }
    }

    /// This server's own statement for the rows of a table. An archive has one part for each table.
    pub(crate) fn take_table(&mut self, statement: &str) -> Result<String, ClusterError> {
        let taken = Table::read(statement).and_then(|table| {
            let name = unquoted(&table.name);
            let own = self.tables.get(&name)?.statement_for(&table)?;
            self.tables.remove(&name);
            Some(own)
        });
        taken.ok_or_else(|| archive::unknown(statement))
    }

    /// The beginning of this server's own statement for the value of a sequence.
    pub(crate) fn take_sequence(&mut self, statement: &str) -> Result<String, ClusterError> {
        self.sequences.remove(&unquoted(statement)).ok_or_else(|| archive::unknown(statement))
    }

    /// Rejects an archive in which a table or a sequence was missing.
    pub(crate) fn check_complete(&self) -> Result<(), ClusterError> {
        match self.tables.keys().chain(self.sequences.keys()).next() {
            None => Ok(()),
            Some(missing) => Err(archive::not_a_backup(&format!("is not complete, it lacks the data of {missing}"))),
        }
    }

    /// Builds a section of the schema: `pre-data` has the tables, `post-data` their keys, indexes, triggers and policies.
    pub(crate) fn restore_section(&self, cluster: &Cluster, url: &str, section: &str) -> Result<(), ClusterError> {
        let mut restore = cluster.client("pg_restore");
        restore.args(["--format=custom", "--single-transaction", "--exit-on-error", "--no-owner", "--no-privileges"]);
        restore.args([&format!("--section={section}"), "--no-password", "--dbname", url]);
        programs::run("pg_restore", restore, &self.definition).map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_taken_under_the_server_s_own_names_in_the_archive_s_order() {
        let own = Table::read(r#"COPY public."order" (id, "position", text) FROM stdin;"#).unwrap();
        let statement_for = |columns: &str| {
            own.statement_for(&Table::read(&format!("COPY public.order ({columns}) FROM stdin;")).unwrap())
        };
        let expected = r#"COPY public."order" (text, id, "position") FROM stdin;"#;
        assert_eq!(statement_for("text, id, position").as_deref(), Some(expected));
        assert_eq!(statement_for(r#""text", "id", "position""#).as_deref(), Some(expected));
        for columns in ["id, position", "id, position, text, more", "id, id, text", "id, position, other", ""] {
            assert_eq!(statement_for(columns), None, "{columns}");
        }
    }
}
