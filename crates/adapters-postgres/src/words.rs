//! Enumerations of the domain, stored as words.

use diesel::deserialize::{self, FromSql, FromSqlRow};
use diesel::pg::{Pg, PgValue};
use diesel::sql_types::Text;
use finance_domain::Word;

/// A value that is stored as its word.
#[derive(Debug, Clone, Copy, FromSqlRow)]
pub(crate) struct StoredWord<T>(pub(crate) T);

impl<T: Word> FromSql<Text, Pg> for StoredWord<T> {
    fn from_sql(value: PgValue<'_>) -> deserialize::Result<Self> {
        let word = std::str::from_utf8(value.as_bytes())?;
        let value = word.parse().map_err(|expected| format!("{word:?} is stored; it {expected}"))?;
        Ok(StoredWord(value))
    }
}
