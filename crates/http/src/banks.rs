//! Where banks offer statements that can be read.

use serde::Serialize;
use utoipa::ToSchema;

/// Where a bank gives statements that can be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Bank {
    /// Its name.
    #[schema(example = "Itaú")]
    pub name: String,
    /// Where to look: `app`, `site`, or both.
    #[schema(example = json!(["site"]))]
    pub channels: Vec<String>,
    /// What to look for there, in order, in the bank's own words.
    #[schema(example = json!(["Conta corrente", "Consultar extrato", "Salvar em OFX"]))]
    pub path: Vec<String>,
    /// Which files to choose, the best first.
    #[schema(example = json!(["OFX", "XLS"]))]
    pub formats: Vec<String>,
}
