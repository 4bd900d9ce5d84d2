//! Identifiers: one type for each noun, so that they cannot be mixed up.

use std::fmt;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub i64);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    )*};
}

ids! {
    /// A profile: one user and everything that user owns.
    ProfileId
    /// A category of a profile.
    CategoryId
    /// An account of a profile.
    AccountId
    /// A transaction of a profile.
    TransactionId
    /// A transfer: two transactions, one leaving and one arriving.
    TransferId
    /// An entry of the import log.
    ImportId
    /// A bill of a credit card.
    BillId
    /// A pending card statement.
    PendingBillId
    /// A recurring item.
    RecurringId
    /// XP that was earned.
    XpEventId
    /// A quest of the catalog.
    QuestId
    /// An achievement: the catalog's, or a category's.
    AchievementId
    /// A cosmetic of the catalog.
    CosmeticId
}
