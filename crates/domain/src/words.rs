//! Enumerations whose values are stored and sent as words.
//!
//! A word such as `expense` is spelled only in the declaration of its enumeration. The database, the
//! API and the configuration all use [`Word`].

use std::str::FromStr;

use crate::violations::Violation;

/// An enumeration with one word for each value.
///
/// Reading an unknown word fails with a violation that lists the known ones.
///
/// ```
/// use finance_domain::Word;
/// use finance_domain::accounts::AccountKind;
///
/// assert_eq!(AccountKind::Credit.as_str(), "credit");
/// assert_eq!("credit".parse(), Ok(AccountKind::Credit));
/// let unknown = "cash".parse::<AccountKind>().unwrap_err();
/// assert_eq!(unknown.to_string(), "must be current, savings, investment or credit");
/// assert_eq!(AccountKind::ALL.len(), 4);
/// ```
pub trait Word: Copy + Eq + FromStr<Err = Violation> + 'static {
    /// Every value, in the order of the declaration.
    const ALL: &'static [Self];

    /// The word of the value, in `snake_case`. Each enumeration also has it as an inherent `const fn`, for use in constants.
    fn as_str(self) -> &'static str;
}

/// Declares an enumeration and implements [`Word`](crate::Word) for it.
///
/// ```
/// use finance_domain::Word;
///
/// finance_domain::words! {
///     /// How a list is sorted.
///     pub enum Order {
///         /// The newest first.
///         Newest = "newest",
///         /// The oldest first.
///         Oldest = "oldest",
///     }
/// }
///
/// assert_eq!(Order::Newest.as_str(), "newest");
/// assert_eq!("first".parse::<Order>().unwrap_err().to_string(), "must be newest or oldest");
/// ```
#[macro_export]
macro_rules! words {
    (
        $(#[$attribute:meta])*
        $visibility:vis enum $name:ident {
            $($(#[$variant_attribute:meta])* $variant:ident = $word:literal,)+
        }
    ) => {
        $(#[$attribute])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        $visibility enum $name {
            $($(#[$variant_attribute])* $variant,)+
        }

        impl $name {
            /// The word of the value, in `snake_case`. It can be used in constants.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $($name::$variant => $word,)+
                }
            }
        }

        impl $crate::Word for $name {
            const ALL: &'static [Self] = &[$($name::$variant,)+];

            fn as_str(self) -> &'static str {
                $name::as_str(self)
            }
        }

        impl ::std::str::FromStr for $name {
            type Err = $crate::Violation;

            /// Reads the word of a value.
            ///
            /// # Errors
            ///
            /// [`Violation`](crate::Violation) that lists the known words.
            fn from_str(text: &str) -> ::std::result::Result<Self, Self::Err> {
                match text {
                    $($word => Ok($name::$variant),)+
                    _ => Err($crate::Violation::not_one_of(&[$($word),+])),
                }
            }
        }
    };
}

pub(crate) use words;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accounts::{AccountKind, YieldType};
    use crate::credentials::{Role, Scope};
    use crate::credit_bills::BillStatus;
    use crate::gamification::{Action, CosmeticKind, Period};
    use crate::imports::StatementFormat;
    use crate::pending_bills::PendingBillStatus;
    use crate::recurring::Status;
    use crate::transactions::{Kind, Source};
    use crate::yields::DayCount;

    fn assert_reads_what_it_writes<T: Word + std::fmt::Debug>() {
        for value in T::ALL {
            let word = value.as_str();
            assert_eq!(word.parse(), Ok(*value));
            assert!(word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'), "{word:?}");
            assert!(word.to_uppercase().parse::<T>().is_err(), "{word:?} in capitals");
        }
        assert!("".parse::<T>().is_err());
    }

    #[test]
    fn every_word_reads_back_as_its_value() {
        assert_reads_what_it_writes::<AccountKind>();
        assert_reads_what_it_writes::<Action>();
        assert_reads_what_it_writes::<BillStatus>();
        assert_reads_what_it_writes::<CosmeticKind>();
        assert_reads_what_it_writes::<DayCount>();
        assert_reads_what_it_writes::<Kind>();
        assert_reads_what_it_writes::<PendingBillStatus>();
        assert_reads_what_it_writes::<Period>();
        assert_reads_what_it_writes::<Role>();
        assert_reads_what_it_writes::<Scope>();
        assert_reads_what_it_writes::<Source>();
        assert_reads_what_it_writes::<StatementFormat>();
        assert_reads_what_it_writes::<Status>();
        assert_reads_what_it_writes::<YieldType>();
    }

    #[test]
    fn an_unknown_word_is_answered_with_the_known_ones() {
        assert_eq!("".parse::<Kind>(), Err(Violation::not_one_of(&["income", "expense"])));
        let known = ["none", "cdi", "variable", "poupanca", "fixed", "ipca", "selic"];
        assert_eq!("".parse::<YieldType>(), Err(Violation::not_one_of(&known)));
    }
}
