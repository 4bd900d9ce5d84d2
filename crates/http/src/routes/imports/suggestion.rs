//! The category that is suggested for a row of a preview, and why.

use finance_domain::suggestions::{Suggestion, SuggestionSource};
use serde::Serialize;
use utoipa::ToSchema;

use crate::words::WordView;

type SuggestionSourceView = WordView<SuggestionSource>;

/// A suggested category, and the source of the suggestion.
#[derive(Serialize, ToSchema)]
#[schema(as = CategorySuggestion)]
pub(crate) struct CategorySuggestionView {
    category_id: i64,
    source: SuggestionSourceView,
    /// The rule; null if the source is not a rule.
    rule_id: Option<i64>,
}

impl From<Suggestion> for CategorySuggestionView {
    fn from(Suggestion { category_id, source, rule_id }: Suggestion) -> Self {
        CategorySuggestionView { category_id: category_id.0, source: source.into(), rule_id: rule_id.map(|id| id.0) }
    }
}
