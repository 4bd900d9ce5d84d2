//! What each route requires of a credential.

use std::sync::LazyLock;

use actix_web::dev::ResourceDef;
use actix_web::http::Method;
use finance_domain::credentials::Need;

/// The routes whose need differs from the default: [`Need::Read`] for a GET, [`Need::Write`] for every other method.
const NEEDS: [(&str, &str, Need); 54] = [
    ("GET", "/api/auth/me", Need::Any),
    ("POST", "/api/auth/change-password", Need::Login),
    ("POST", "/api/logout", Need::Login),
    ("GET", "/api/auth/sessions", Need::Login),
    ("DELETE", "/api/auth/sessions", Need::Login),
    ("DELETE", "/api/auth/sessions/{id}", Need::Login),
    ("POST", "/api/auth/second-factor", Need::Login),
    ("POST", "/api/auth/second-factor/confirm", Need::Login),
    ("DELETE", "/api/auth/second-factor", Need::Login),
    ("GET", "/api/tokens", Need::Tokens),
    ("POST", "/api/tokens", Need::Tokens),
    ("DELETE", "/api/tokens/{id}", Need::Tokens),
    ("GET", "/api/members", Need::Members),
    ("GET", "/api/members/invitations", Need::Members),
    ("POST", "/api/members/invitations", Need::Members),
    ("DELETE", "/api/members/invitations/{id}", Need::Members),
    ("POST", "/api/members/{id}/password-link", Need::Members),
    ("PUT", "/api/members/{id}", Need::Members),
    ("DELETE", "/api/members/{id}", Need::Members),
    ("POST", "/api/webhooks", Need::Webhooks),
    ("GET", "/api/categories", Need::Reference),
    ("GET", "/api/categories/{id}", Need::Reference),
    ("GET", "/api/accounts", Need::Reference),
    ("GET", "/api/accounts/{id}", Need::Reference),
    ("GET", "/api/accounts/{id}/balances", Need::Reference),
    ("GET", "/api/accounts/{id}/yields", Need::Reference),
    ("GET", "/api/accounts/{id}/keys", Need::Reference),
    ("GET", "/api/accounts/{id}/anchors", Need::Reference),
    ("GET", "/api/accounts/{id}/anchors/{date}", Need::Reference),
    ("GET", "/api/imports", Need::Reference),
    ("POST", "/api/import/preview", Need::Import),
    ("POST", "/api/import/confirm", Need::Import),
    ("GET", "/api/inbox", Need::Reference),
    ("GET", "/api/inbox/{id}", Need::Reference),
    ("GET", "/api/inbox/{id}/file", Need::Reference),
    ("POST", "/api/inbox", Need::Import),
    ("PUT", "/api/inbox/{id}", Need::Import),
    ("DELETE", "/api/inbox/{id}", Need::Import),
    ("POST", "/api/entries/parse", Need::Enter),
    ("POST", "/api/transactions", Need::Enter),
    ("POST", "/api/installments", Need::Enter),
    ("POST", "/api/transfers", Need::Enter),
    ("POST", "/api/notices/read", Need::Own),
    ("POST", "/api/notices/{id}/snooze", Need::Own),
    ("PUT", "/api/notices/preferences", Need::Own),
    ("POST", "/api/notices/devices", Need::Own),
    ("DELETE", "/api/notices/devices/{id}", Need::Own),
    ("POST", "/api/notices/devices/{id}/test", Need::Own),
    ("POST", "/api/notices/email", Need::Own),
    ("POST", "/api/notices/email/confirm", Need::Own),
    ("DELETE", "/api/notices/email", Need::Own),
    ("GET", "/api/export", Need::Export),
    // Its token is in its address.
    ("GET", "/calendar.ics", Need::Calendar),
    // Each tool's own requests need what their routes need. The other scopes have no tool.
    ("POST", "/mcp", Need::Tools),
];

/// The rows of [`NEEDS`] with their paths as patterns.
static NEEDS_BY_PATH: LazyLock<Vec<(&str, ResourceDef, Need)>> =
    LazyLock::new(|| NEEDS.map(|(method, path, need)| (method, ResourceDef::new(path), need)).into());

/// What a request needs of its credential. A request to an unknown path needs what a route at that path would need by default.
pub(crate) fn need(method: &Method, path: &str) -> Need {
    let special = NEEDS_BY_PATH.iter().find(|(of, pattern, _)| method == of && pattern.is_match(path));
    let usual = if method == Method::GET { Need::Read } else { Need::Write };
    special.map_or(usual, |(_, _, need)| *need)
}
