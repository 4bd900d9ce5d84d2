//! What became of a confirmed statement: the answer of a confirm, of an import and of a pending bill alike.

use finance_domain::use_cases::imports::Imported;
use serde::Serialize;
use utoipa::ToSchema;

use crate::routes::transactions::TransactionView;

/// The result of a confirm.
#[derive(Serialize, ToSchema)]
#[schema(as = Imported)]
pub(crate) struct ImportedView {
    #[schema(example = "imported")]
    status: &'static str,
    /// The entry in the log; null where nothing was inserted.
    import_id: Option<i64>,
    inserted: usize,
    skipped: Vec<SkippedView>,
    transactions: Vec<TransactionView>,
}

/// A row that was not inserted.
#[derive(Serialize, ToSchema)]
#[schema(as = SkippedRow)]
struct SkippedView {
    /// Its position in the request, from 0.
    row: usize,
    #[schema(example = "duplicate of transaction 7")]
    reason: String,
}

impl From<Imported> for ImportedView {
    fn from(imported: Imported) -> Self {
        ImportedView {
            status: "imported",
            import_id: imported.import_id.map(|id| id.0),
            inserted: imported.transactions.len(),
            skipped: imported
                .skipped
                .into_iter()
                .map(|skipped| SkippedView {
                    row: skipped.row,
                    reason: match skipped.duplicate_of {
                        Some(id) => format!("duplicate of transaction {id}"),
                        None => "duplicate of a row in a pending bill".to_string(),
                    },
                })
                .collect(),
            transactions: imported.transactions.into_iter().map(TransactionView::from).collect(),
        }
    }
}
