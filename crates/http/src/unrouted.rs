//! The answers to paths and methods without a route, according to the paths of the OpenAPI document.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use actix_web::HttpRequest;
use actix_web::dev::ResourceDef;
use utoipa::openapi::path::PathItem;

use crate::openapi::DOCUMENT;
use crate::problem::Problem;

/// The paths of the document with their methods.
static KNOWN: LazyLock<Vec<(ResourceDef, Vec<&str>)>> = LazyLock::new(|| {
    let methods = |item: &'static PathItem| {
        [("GET", &item.get), ("POST", &item.post), ("PUT", &item.put), ("DELETE", &item.delete)]
            .into_iter()
            .filter_map(|(method, operation)| operation.as_ref().map(|_| method))
            .collect()
    };
    DOCUMENT.paths.paths.iter().map(|(path, item)| (ResourceDef::new(path.as_str()), methods(item))).collect()
});

/// Whether the document has this literal path, such as `/api/members/invitations`, which also matches `/api/members/{id}`.
fn is_literal(path: &str) -> bool {
    DOCUMENT.paths.paths.contains_key(path)
}

/// The answer to a path with an invalid id: 404, or 405 if it is a literal path without that method.
pub(crate) fn unreadable_id(request: &HttpRequest) -> Problem {
    if is_literal(request.path()) { unrouted(request) } else { Problem::not_found("row") }
}

/// The answer to a request without a route: 405 if the path exists, else 404.
pub(crate) fn unrouted(request: &HttpRequest) -> Problem {
    let path = request.path();
    let known = KNOWN.iter().filter(|(known, _)| known.is_match(path));
    // A literal path takes the methods documented for it, not those of a path with an id.
    let known = known.filter(|(known, _)| !is_literal(path) || known.pattern() == Some(path));
    let mut allowed: BTreeSet<&str> = known.flat_map(|(_, methods)| methods.iter().copied()).collect();
    if allowed.contains("GET") {
        allowed.insert("HEAD");
    }
    if allowed.is_empty() {
        Problem::not_found("route")
    } else {
        Problem::method_not_allowed(allowed.into_iter().collect::<Vec<_>>().join(", "))
    }
}
