//! Lines and tags of a transaction, as they are sent and answered.

use finance_domain::transactions::{Line, LineInput};
use finance_domain::{CategoryId, FieldErrors, Money, Violation};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::extract::json::{Field, take_fields};
use crate::views::{MoneyInput, MoneyView};

/// A part of a transaction with a category of its own.
#[derive(Deserialize, ToSchema)]
#[schema(as = TransactionLineBody)]
pub(crate) struct LineBody {
    #[schema(value_type = i64, minimum = 1)]
    category_id: Field<CategoryId>,
    /// Above 0, at most 9999999999.99.
    #[schema(value_type = MoneyInput)]
    amount: Field<Money>,
}

impl LineBody {
    pub(crate) fn into_input(self, errors: &mut FieldErrors) -> LineInput {
        take_fields!(self, errors => LineInput { category_id, amount })
    }
}

/// The tags of the request, if it has any. A tag that is not a string is None and adds an error.
pub(crate) fn take_tags(tags: Field<Vec<Field<String>>>, errors: &mut FieldErrors) -> Option<Vec<Option<String>>> {
    let tags = tags.take("tags", errors)?;
    Some(read_tags(tags, errors))
}

/// The tags of an array. A tag that is not a string is None and adds an error.
pub(crate) fn read_tags(tags: Vec<Field<String>>, errors: &mut FieldErrors) -> Vec<Option<String>> {
    let mut tag = |(at, tag): (usize, Field<String>)| {
        let name = format!("tags[{at}]");
        let tag = tag.take(&name, errors);
        if tag.is_none() {
            errors.push(name, Violation::NotAString);
        }
        tag
    };
    tags.into_iter().enumerate().map(&mut tag).collect()
}

/// A part of a transaction with a category of its own.
#[derive(Serialize, ToSchema)]
#[schema(as = TransactionLine)]
pub(crate) struct LineView {
    category_id: i64,
    amount: MoneyView,
}

impl LineView {
    /// The lines of a transaction; none if it is not split.
    pub(crate) fn of(lines: Vec<Line>) -> Option<Vec<Self>> {
        (!lines.is_empty()).then(|| lines.into_iter().map(LineView::from).collect())
    }
}

impl From<Line> for LineView {
    fn from(line: Line) -> Self {
        LineView { category_id: line.category_id.0, amount: MoneyView(line.amount) }
    }
}
