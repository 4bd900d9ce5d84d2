//! Extractors of requests: bodies, query parameters, idempotency keys, and the caller.

pub(crate) mod authenticated;
pub(crate) mod body;
pub(crate) mod browser;
pub(crate) mod idempotency;
pub(crate) mod json;
mod proved;
pub(crate) mod query;
pub(crate) mod user_agent;
