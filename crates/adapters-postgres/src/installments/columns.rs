//! The part of an instalment that is stored with a transaction.

use const_format::concatcp;
use finance_domain::accounts::AccountKind;
use finance_domain::installments::{Installment, Reading, read};

/// What is read from a description, as it is stored.
#[derive(Debug, Clone, Default)]
pub(crate) struct StoredReading {
    pub(crate) number: Option<i16>,
    pub(crate) count: Option<i16>,
    pub(crate) shop: Option<String>,
}

impl StoredReading {
    /// Reads the description in the statement of a row on a card, or else its own description: a new name does not change an
    /// instalment, and begins no other plan. What was entered here as a part of a plan keeps the name that the whole plan has.
    pub(crate) fn of(description: &str, statement_description: Option<&str>, is_entered: bool) -> Self {
        let from_statement = || statement_description.and_then(read);
        let reading = match is_entered {
            true => read(description).or_else(from_statement),
            false => from_statement().or_else(|| read(description)),
        };
        match reading {
            Some(Reading { installment: Installment { number, count }, shop, .. }) => {
                StoredReading { number: Some(number.into()), count: Some(count.into()), shop: Some(shop) }
            }
            None => StoredReading::default(),
        }
    }
}

/// The instalment from its two columns.
pub(crate) fn installment(number: Option<i16>, count: Option<i16>) -> Option<Installment> {
    let small = |number: Option<i16>| number.and_then(|number| u8::try_from(number).ok());
    Some(Installment { number: small(number)?, count: small(count)? })
}

/// Condition: an account is a card. Only descriptions on cards contain instalments.
pub(crate) const KIND_OF_CARD: &str = concatcp!("kind = '", AccountKind::Credit.as_str(), "'");

/// Condition: the account with that id of the profile $1 is a card.
pub(crate) fn is_card(account_id: &str) -> String {
    format!("exists (select 1 from accounts where profile_id = $1 and id = {account_id} and {KIND_OF_CARD})")
}
