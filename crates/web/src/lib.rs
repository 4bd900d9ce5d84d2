//! The web face: one page for all addresses, and its files, embedded in the program.
//!
//! `assets/` has standard modules. Modules and style sheets are sent without indentation, comments and types; `build.rs` joins modules
//! into a few files, and all style sheets into one. It hashes all files once, compresses each file, and computes the hash of the
//! inline import map for the Content Security Policy. A server needs only [`routes`].
//!
//! A debug build serves the files of the folder `FINANCE_WEB_ASSETS`, if it is set, so that a change is visible without a build.

#[cfg(test)]
mod bundles;
mod files;
mod headers;
#[cfg(test)]
mod joined;
mod layout;

use std::borrow::Cow;

use actix_web::http::header::{
    AcceptEncoding, CACHE_CONTROL, CONTENT_ENCODING, ContentEncoding, ETAG, Encoding, EntityTag, Header as _,
    IfNoneMatch, LOCATION, VARY,
};
use actix_web::web::{Bytes, Path, ServiceConfig, get, post};
use actix_web::{HttpRequest, HttpResponse};

use crate::files::{Content, HASH};
use crate::headers::HEADERS;

/// The addresses of the page. The page itself decides which view each of them shows.
pub const PAGES: [&str; 14] = [
    "/",
    "/login",
    "/transactions",
    "/accounts",
    "/cards",
    "/forecast",
    "/imports",
    "/recurring",
    "/categories",
    "/budgets",
    "/reports",
    "/changes",
    "/character",
    "/settings",
];
/// The address that password managers open to change a password.
const CHANGE_PASSWORD: &str = "/.well-known/change-password";
/// Where other apps of a phone share files and texts with the installed page. Its service worker takes them.
const SHARE: &str = "/share";
/// The address that only a demonstration has. The login page asks for it before it uses a name and a password from a link: anywhere
/// else, such a link could log somebody in to a stranger's profile.
const DEMONSTRATION: &str = "/demonstration";
/// The browser asks each time, and the answer is 304 if nothing has changed.
const REVALIDATED: &str = "no-cache";
/// The address of a file contains the hash of all files, so its content never changes.
const IMMUTABLE: &str = "public, max-age=31536000, immutable";
/// Files served from a folder may change at any time.
const UNKEPT: &str = "no-store";

/// Adds the pages of a demonstration: with them a link may log in (`/demonstration`).
pub fn demonstration_routes(config: &mut ServiceConfig) {
    routes(config);
    config.route(
        DEMONSTRATION,
        get().to(async || HttpResponse::NoContent().insert_header((CACHE_CONTROL, UNKEPT)).finish()),
    );
}

/// Adds the page, its files, its manifest and its service worker.
pub fn routes(config: &mut ServiceConfig) {
    for path in PAGES {
        config.route(path, get().to(async |request: HttpRequest| revalidated(&request, layout::PAGE)));
    }
    config
        .route("/sw.js", get().to(async |request: HttpRequest| revalidated(&request, "sw.js")))
        .route(
            "/manifest.webmanifest",
            get().to(async |request: HttpRequest| revalidated(&request, "manifest.webmanifest")),
        )
        .route(CHANGE_PASSWORD, get().to(change_password))
        .route(SHARE, post().to(share))
        .route("/assets/{hash}/{name:.+}", get().to(asset));
}

/// Where password managers look for the form that changes a password.
async fn change_password() -> HttpResponse {
    HttpResponse::SeeOther().insert_header((LOCATION, "/settings")).insert_header((CACHE_CONTROL, REVALIDATED)).finish()
}

/// What is shared while no service worker runs is not read: the page has nobody's token here.
async fn share() -> HttpResponse {
    HttpResponse::SeeOther().insert_header((LOCATION, "/imports")).insert_header((CACHE_CONTROL, UNKEPT)).finish()
}

async fn asset(request: HttpRequest, path: Path<(String, String)>) -> HttpResponse {
    let (hash, name) = path.into_inner();
    let is_own_address = matches!(name.as_str(), layout::PAGE | "sw.js" | "manifest.webmanifest");
    if hash != HASH || is_own_address {
        return HttpResponse::NotFound().finish();
    }
    answer(&request, &name, IMMUTABLE)
}

fn revalidated(request: &HttpRequest, name: &str) -> HttpResponse {
    answer(request, name, REVALIDATED)
}

fn answer(request: &HttpRequest, name: &str, cache: &str) -> HttpResponse {
    let Some(content) = files::find(name, accepted(request)) else {
        return HttpResponse::NotFound().finish();
    };
    let Content { media_type, bytes, coding, is_built } = content;
    let is_compressed = coding != ContentEncoding::Identity;
    let tag = if is_compressed { format!("{HASH}-{}", coding.as_str()) } else { HASH.to_string() };
    let tag = EntityTag::new_strong(tag);
    let is_known = is_built && is_known(request, &tag);
    let mut response = if is_known { HttpResponse::NotModified() } else { HttpResponse::Ok() };
    for (header, value) in HEADERS {
        response.insert_header((header, value));
    }
    response.insert_header((CACHE_CONTROL, if is_built { cache } else { UNKEPT }));
    if layout::is_compressible(name) {
        response.insert_header((VARY, "Accept-Encoding"));
    }
    if is_built {
        response.insert_header((ETAG, tag.to_string()));
    }
    if is_known {
        return response.finish();
    }
    if is_compressed {
        response.insert_header((CONTENT_ENCODING, coding));
    }
    let bytes = match bytes {
        Cow::Borrowed(bytes) => Bytes::from_static(bytes),
        Cow::Owned(bytes) => bytes.into(),
    };
    response.content_type(media_type).body(bytes)
}

/// The compression that the client likes best, Brotli among equals. Browsers accept it only over HTTPS and from their own machine.
fn accepted(request: &HttpRequest) -> ContentEncoding {
    let supported = [Encoding::brotli(), Encoding::gzip(), Encoding::identity()];
    let chosen = AcceptEncoding::parse(request).ok().and_then(|accepted| accepted.negotiate(supported.iter()));
    match chosen {
        Some(Encoding::Known(coding)) => coding,
        _ => ContentEncoding::Identity,
    }
}

/// Whether the client already has the content that would be sent.
fn is_known(request: &HttpRequest, tag: &EntityTag) -> bool {
    match IfNoneMatch::parse(request) {
        Ok(IfNoneMatch::Any) => true,
        Ok(IfNoneMatch::Items(known)) => known.iter().any(|known| known.weak_eq(tag)),
        Err(_) => false,
    }
}
