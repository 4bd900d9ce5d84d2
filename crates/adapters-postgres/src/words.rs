//! Enumerations of the domain as the words that stand for them in the database.

use diesel::deserialize::{self, FromSql, FromSqlRow};
use diesel::pg::{Pg, PgValue};
use diesel::sql_types::Text;
use finance_domain::accounts::{AccountKind, YieldType};
use finance_domain::imports::StatementFormat;
use finance_domain::pending_bills::PendingBillStatus;
use finance_domain::transactions::{Kind, Source};

/// An enumeration with a word for each of its values.
pub(crate) trait Words: Sized {
    /// The word that is stored.
    fn word(self) -> &'static str;

    /// The value whose word that is.
    fn of_word(word: &[u8]) -> Option<Self>;
}

/// A stored word, read as the value that it stands for.
#[derive(Debug, Clone, Copy, FromSqlRow)]
pub(crate) struct Word<T>(pub(crate) T);

impl<T: Words> FromSql<Text, Pg> for Word<T> {
    fn from_sql(value: PgValue<'_>) -> deserialize::Result<Self> {
        let word = value.as_bytes();
        let unknown = || format!("{} is no {}", String::from_utf8_lossy(word), std::any::type_name::<T>());
        Ok(Word(T::of_word(word).ok_or_else(unknown)?))
    }
}

macro_rules! words {
    ($type:ident { $($variant:ident => $word:literal),+ $(,)? }) => {
        impl Words for $type {
            fn word(self) -> &'static str {
                match self {
                    $($type::$variant => $word,)+
                }
            }

            fn of_word(word: &[u8]) -> Option<Self> {
                match word {
                    $(stored if stored == $word.as_bytes() => Some($type::$variant),)+
                    _ => None,
                }
            }
        }
    };
}

words!(Kind { Income => "income", Expense => "expense" });
words!(Source {
    Manual => "manual",
    Ofx => "ofx",
    Csv => "csv",
    Yield => "yield",
    Transfer => "transfer",
    OpeningBalance => "opening_balance",
});
words!(AccountKind { Current => "current", Savings => "savings", Investment => "investment", Credit => "credit" });
words!(YieldType { None => "none", Cdi => "cdi", Variable => "variable" });
words!(StatementFormat { Ofx => "ofx", Csv => "csv" });
words!(PendingBillStatus { Pending => "pending", Confirmed => "confirmed" });
