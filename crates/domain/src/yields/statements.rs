//! Rows of statements that report yield.

use crate::text::normalized;

/// The words with which banks begin the texts of yield. `renda` is an income of another kind.
const YIELD_WORDS: [&str; 3] = ["rend", "rendimento", "rendimentos"];

/// Whether the text of a statement's row begins with a word for yield. On an account that yields by itself, such a row reports
/// what was paid already.
///
/// ```
/// use finance_domain::yields::tells_of_yield;
///
/// assert!(tells_of_yield("REND PAGO APLIC AUT MAIS") && tells_of_yield("Rendimentos"));
/// assert!(tells_of_yield("  RENDIMENTO   LÍQUIDO") && tells_of_yield("REND.POUPANÇA"));
/// assert!(!tells_of_yield("Renda fixa") && !tells_of_yield("Crédito de rendimento") && !tells_of_yield("Rendas"));
/// ```
pub fn tells_of_yield(description: &str) -> bool {
    tells_of_yield_normalized(&normalized(description))
}

/// Like [`tells_of_yield`], for a [normalized](normalized) text.
pub fn tells_of_yield_normalized(description: &str) -> bool {
    let end = description.find(|character: char| !character.is_alphanumeric()).unwrap_or(description.len());
    YIELD_WORDS.contains(&&description[..end])
}
