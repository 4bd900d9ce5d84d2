//! The definition of a tool.

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::api::{Api, Failure};

/// The most rows of a list.
const LIMIT_MAX: u32 = 100;
/// The default number of rows of a list.
const LIMIT_DEFAULT: u32 = 50;

/// What a tool does to the stored data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    /// It only reads. A token needs the scope `read`.
    Reads,
    /// It adds something. A token needs the scope `write`.
    Adds,
    /// It changes something. A token needs the scope `write`.
    Changes,
}

/// A tool: the description that an assistant gets, and the requests that the tool makes.
pub(super) trait Tool {
    const NAME: &'static str;
    const TITLE: &'static str;
    const DESCRIPTION: &'static str;
    const EFFECT: Effect;
    type Arguments: DeserializeOwned + JsonSchema + Send + 'static;
    type Output: Serialize + JsonSchema + 'static;

    /// Runs the tool with requests to the API.
    fn run(api: &impl Api, arguments: Self::Arguments) -> impl Future<Output = Result<Self::Output, Failure>> + Send;
}

/// The limit of a list, or the default. Fails unless it is between 1 and the maximum.
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
