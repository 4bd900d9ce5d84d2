//! What a tool is.

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::api::{Api, Failure};

/// Rows of a list, at the most.
const LIMIT_MAX: u32 = 100;
/// Rows of a list where none are asked for.
const LIMIT_DEFAULT: u32 = 50;

/// What a tool does to what is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    /// It reads; a token needs the scope `read`.
    Reads,
    /// It adds something; a token needs the scope `write`.
    Adds,
    /// It changes something; a token needs the scope `write`.
    Changes,
}

/// A tool: what an assistant is told of it, and what it does.
pub(super) trait Tool {
    const NAME: &'static str;
    const TITLE: &'static str;
    const DESCRIPTION: &'static str;
    const EFFECT: Effect;
    type Arguments: DeserializeOwned + JsonSchema + Send + 'static;
    type Output: Serialize + JsonSchema + 'static;

    /// Asks the API.
    fn run(api: &impl Api, arguments: Self::Arguments) -> impl Future<Output = Result<Self::Output, Failure>> + Send;
}

/// The limit of a list.
pub(super) fn limited(limit: Option<u32>) -> Result<u32, Failure> {
    match limit.unwrap_or(LIMIT_DEFAULT) {
        limit @ 1..=LIMIT_MAX => Ok(limit),
        limit => Err(Failure::new(format!("limit must be 1 to {LIMIT_MAX}, not {limit}."))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_1_to_100() {
        assert_eq!((limited(None).unwrap(), limited(Some(100)).unwrap()), (50, 100));
        for limit in [0, 101, u32::MAX] {
            assert!(limited(Some(limit)).is_err());
        }
    }
}
