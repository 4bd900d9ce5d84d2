//! What reads a request: bodies, query parameters, keys of retries, and who calls.

pub(crate) mod authenticated;
pub(crate) mod body;
pub(crate) mod idempotency;
pub(crate) mod json;
pub(crate) mod query;
