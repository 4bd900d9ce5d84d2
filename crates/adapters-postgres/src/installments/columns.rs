//! What of an instalment is stored with a transaction.

use const_format::concatcp;
use finance_domain::accounts::AccountKind;
use finance_domain::installments::{Installment, Reading, read};

/// The columns of what a description says, in the order of [`StoredReading`], with their types.
pub(crate) const COLUMNS: [(&str, &str); 3] =
    [("installment_number", "smallint"), ("installment_count", "smallint"), ("installment_shop", "text")];

/// What is stored of what a description says.
#[derive(Debug, Clone, Default)]
pub(crate) struct StoredReading {
    pub(crate) number: Option<i16>,
    pub(crate) count: Option<i16>,
    pub(crate) shop: Option<String>,
}

impl StoredReading {
    /// What a description says, or else that of its statement, on a card: a new name leaves an instalment what it is.
    pub(crate) fn of(description: &str, statement_description: Option<&str>) -> Self {
        match read(description).or_else(|| statement_description.and_then(read)) {
            Some(Reading { installment: Installment { number, count }, shop, .. }) => {
                StoredReading { number: Some(number.into()), count: Some(count.into()), shop: Some(shop) }
            }
            None => StoredReading::default(),
        }
    }
}

/// The instalment of two columns.
pub(crate) fn installment(number: Option<i16>, count: Option<i16>) -> Option<Installment> {
    let small = |number: Option<i16>| number.and_then(|number| u8::try_from(number).ok());
    Some(Installment { number: small(number)?, count: small(count)? })
}

/// That an account is a card. Only there descriptions tell of instalments.
pub(crate) const KIND_OF_CARD: &str = concatcp!("kind = '", AccountKind::Credit.as_str(), "'");

/// That the account of that id of the profile $1 is a card.
pub(crate) fn is_card(account_id: &str) -> String {
    format!("exists (select 1 from accounts where profile_id = $1 and id = {account_id} and {KIND_OF_CARD})")
}
