//! Words of the domain as they enter and leave: one view for every enumeration.

use std::borrow::Cow;

use finance_domain::Word;
use finance_domain::accounts::{AccountKind, YieldType};
use finance_domain::credit_bills::BillStatus;
use finance_domain::gamification::{CosmeticKind, Period};
use finance_domain::imports::StatementFormat;
use finance_domain::pending_bills::PendingBillStatus;
use finance_domain::recurring::Status;
use finance_domain::transactions::{Kind, Source};
use serde::{Serialize, Serializer};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, SchemaType, Type};
use utoipa::{PartialSchema, ToSchema};

use crate::extract::json::{FieldValue, FromJson};

/// An enumeration as the OpenAPI document names and describes it.
pub(crate) trait WordSchema: Word {
    /// The name of the schema.
    const NAME: &'static str;
    /// What the schema says of itself.
    const DESCRIPTION: &'static str;
}

/// A value that is sent as its word.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WordView<T>(T);

impl<T: Word> From<T> for WordView<T> {
    fn from(value: T) -> Self {
        WordView(value)
    }
}

impl<T: Word> Serialize for WordView<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.as_str())
    }
}

impl<T: WordSchema> PartialSchema for WordView<T> {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(SchemaType::Type(Type::String))
            .description(Some(T::DESCRIPTION))
            .enum_values(Some(T::ALL.iter().map(|value| value.as_str())))
            .into()
    }
}

impl<T: WordSchema> ToSchema for WordView<T> {
    fn name() -> Cow<'static, str> {
        T::NAME.into()
    }
}

/// Names the schema of each enumeration, and lets a field of a body hold it.
macro_rules! words {
    ($($type:ty => $name:literal, $description:literal;)+) => {$(
        impl WordSchema for $type {
            const NAME: &'static str = $name;
            const DESCRIPTION: &'static str = $description;
        }

        impl FromJson for $type {
            fn from_json(value: FieldValue<'_>) -> Result<Self, &'static str> {
                String::from_json(value)?.parse()
            }
        }
    )+};
}

words! {
    AccountKind => "AccountKind", "What an account is.";
    BillStatus => "BillStatus", "Whether a bill is paid.";
    CosmeticKind => "CosmeticType", "Where a cosmetic is worn; one of each at a time.";
    Kind => "TransactionType", "Whether money came or went.";
    PendingBillStatus => "PendingBillStatus", "Whether a held statement was confirmed.";
    Period => "QuestType", "How long a quest lasts before it begins anew; weeks begin on Mondays.";
    Source => "TransactionSource", "Where a transaction came from.";
    StatementFormat => "StatementFormat", "The kind of file a statement came as.";
    Status => "RecurringStatus", "How a recurring item stands in a month.";
    YieldType => "YieldType", "Whether and how an investment yields.";
}
