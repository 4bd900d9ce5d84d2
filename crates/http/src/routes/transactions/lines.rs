//! Lines and tags of a transaction, as they are sent and answered.

use finance_domain::transactions::{Line, LineInput};
use finance_domain::{CategoryId, FieldErrors, Money, Violation};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::extract::json::Field;
use crate::views::{MoneyInput, MoneyView};

/// A part of a transaction with a category of its own.
#[derive(Deserialize, ToSchema)]
#[schema(as = TransactionLineBody)]
pub(super) struct LineBody {
    #[schema(value_type = i64, minimum = 1)]
    category_id: Field<CategoryId>,
    /// Above 0, at most 9999999999.99.
    #[schema(value_type = MoneyInput)]
    amount: Field<Money>,
}

impl LineBody {
    pub(super) fn into_input(self, errors: &mut FieldErrors) -> LineInput {
        LineInput {
            category_id: self.category_id.take("category_id", errors),
            amount: self.amount.take("amount", errors),
        }
    }
}

/// The tags of the request, if it has any. A tag that is not a string is None and adds an error.
pub(crate) fn take_tags(tags: Field<Vec<Field<String>>>, errors: &mut FieldErrors) -> Option<Vec<Option<String>>> {
    let tags = tags.take("tags", errors)?;
    let mut tag = |(at, tag): (usize, Field<String>)| {
        let name = format!("tags[{at}]");
        let tag = tag.take(&name, errors);
        if tag.is_none() {
            errors.push(name, Violation::NotAString);
        }
        tag
    };
    Some(tags.into_iter().enumerate().map(&mut tag).collect())
}

/// A part of a transaction with a category of its own.
#[derive(Serialize, ToSchema)]
#[schema(as = TransactionLine)]
pub(super) struct LineView {
    category_id: i64,
    amount: MoneyView,
}

impl From<Line> for LineView {
    fn from(line: Line) -> Self {
        LineView { category_id: line.category_id.0, amount: MoneyView(line.amount) }
    }
}
