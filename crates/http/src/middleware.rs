//! Middleware, from the outside in.

pub(crate) mod access_log;
pub(crate) mod authentication;
pub(crate) mod body_timeout;
pub(crate) mod real_ip;
pub(crate) mod unread_answers;
