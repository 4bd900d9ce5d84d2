//! Identifiers: one type for each noun, so that ids of different nouns cannot be confused.

use std::fmt;
use std::str::FromStr;

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
    /// A profile: a household and everything it owns.
    ProfileId
    /// A member of a profile.
    MemberId
    /// A login of a member.
    SessionId
    /// An invitation to a profile.
    InvitationId
    /// A token of a profile.
    TokenId
    /// A category of a profile.
    CategoryId
    /// An account of a profile.
    AccountId
    /// A transaction of a profile.
    TransactionId
    /// A transfer: two transactions, one expense and one income.
    TransferId
    /// An entry of the import log.
    ImportId
    /// A file in the inbox.
    InboxItemId
    /// A bill of a credit card.
    BillId
    /// A pending card statement.
    PendingBillId
    /// A recurring item.
    RecurringId
    /// What an account held at the end of a day.
    AnchorId
    /// A rule of a profile.
    RuleId
    /// A change of a profile: what one request wrote.
    ChangeId
    /// A webhook of a profile.
    WebhookId
    /// A delivery to a webhook.
    DeliveryId
    /// A notice of a member.
    NoticeId
    /// A device that notices are pushed to.
    PushDeviceId
    /// A delivery of a notice.
    NoticeDeliveryId
    /// XP that was earned.
    XpEventId
    /// A quest of the catalog.
    QuestId
    /// An achievement of the catalog or of a category.
    AchievementId
    /// A cosmetic of the catalog.
    CosmeticId
}

/// The credential of a member: 128 random bits. A new one is generated whenever the password changes, the member is disabled or
/// enabled, or the data is restored from a backup. A login is valid for one credential.
///
/// ```
/// use finance_domain::CredentialId;
///
/// let id = CredentialId(0xc0ffee);
/// assert_eq!(id.to_string(), "00000000000000000000000000c0ffee");
/// assert_eq!(id.to_string().parse(), Ok(id));
/// assert!("c0ffee".parse::<CredentialId>().is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CredentialId(pub u128);

impl fmt::Display for CredentialId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

/// The error for a text that is not the 32 hexadecimal digits of a [`CredentialId`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidCredentialId;

impl fmt::Display for InvalidCredentialId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a credential's id has 32 hexadecimal digits")
    }
}

impl std::error::Error for InvalidCredentialId {}

impl FromStr for CredentialId {
    type Err = InvalidCredentialId;

    fn from_str(text: &str) -> Result<Self, InvalidCredentialId> {
        let is_hex = text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let id = is_hex.then(|| u128::from_str_radix(text, 16).ok()).flatten();
        id.map(CredentialId).ok_or(InvalidCredentialId)
    }
}
