//! The headers of every answer.

use actix_web::http::header::{
    CONTENT_SECURITY_POLICY, HeaderName, HeaderValue, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};

/// The Content Security Policy. It allows only scripts, styles and data of the same origin. The only inline script is the import
/// map, which the policy names by its hash. Text cannot become markup or script: Trusted Types are required, and their only
/// policy is for the address of the service worker.
const POLICY: &str = concat!(
    "default-src 'none'; script-src 'self' 'sha256-",
    env!("FINANCE_WEB_IMPORT_MAP_SHA256"),
    "'; style-src 'self'; img-src 'self'; connect-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; \
     form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types service-worker"
);

/// The names and values of the headers.
pub(crate) const HEADERS: [(HeaderName, HeaderValue); 6] = [
    (CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY)),
    (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    (HeaderName::from_static("cross-origin-opener-policy"), HeaderValue::from_static("same-origin")),
    (HeaderName::from_static("cross-origin-resource-policy"), HeaderValue::from_static("same-origin")),
    (
        HeaderName::from_static("permissions-policy"),
        HeaderValue::from_static("camera=(), geolocation=(), microphone=()"),
    ),
    (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
];
