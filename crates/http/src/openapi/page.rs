//! The page at `/docs`, which shows the document and sends its requests.

use std::sync::{Arc, LazyLock};

use actix_web::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, LOCATION};
use actix_web::web::{Bytes, Path};
use actix_web::{HttpResponse, get};

use crate::problem::Problem;

const PAGE: &str = r#"<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Finance API</title>
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<div id="swagger-ui"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
"#;
const START_SCRIPT: &str = "window.ui = SwaggerUIBundle({ url: '/api/openapi.json', dom_id: '#swagger-ui', \
     deepLinking: true, persistAuthorization: false, validatorUrl: null });\n";
/// Only scripts of this service. The library of the page uses inline styles and data images.
const PAGE_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
     img-src 'self' data:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// A page to read and try the API; works without the internet.
#[utoipa::path(tag = "document", security(()),
    responses((status = 200, description = "The page", body = String, content_type = "text/html")))]
#[get("/docs")]
pub(crate) async fn docs() -> HttpResponse {
    HttpResponse::Ok()
        .content_type("text/html; charset=utf-8")
        .insert_header((CONTENT_SECURITY_POLICY, PAGE_POLICY))
        .body(PAGE)
}

/// Redirects to the page, whose files have relative paths.
pub(crate) async fn docs_slash() -> HttpResponse {
    HttpResponse::PermanentRedirect().insert_header((LOCATION, "/docs")).finish()
}

/// A file of the page.
#[utoipa::path(tag = "document", security(()), responses((status = 200, description = "The file", body = String,
    content_type = "application/javascript")))]
#[get("/docs/{file}")]
pub(crate) async fn docs_asset(file: Path<String>) -> Result<HttpResponse, Problem> {
    let mut response = HttpResponse::Ok();
    response.insert_header((CACHE_CONTROL, "public, max-age=86400"));
    if file.as_str() == "start.js" {
        return Ok(response.content_type("application/javascript").body(START_SCRIPT));
    }
    match ASSETS.iter().find(|(name, ..)| *name == file.as_str()) {
        Some((_, content_type, bytes)) => Ok(response.content_type(content_type.as_str()).body(bytes.clone())),
        None => Err(Problem::not_found("route")),
    }
}

/// The files of the page's library: name, content type, bytes.
static ASSETS: LazyLock<Vec<(&str, String, Bytes)>> = LazyLock::new(|| {
    let config = Arc::new(utoipa_swagger_ui::Config::from("/api/openapi.json"));
    let asset = |name| {
        let found = utoipa_swagger_ui::serve(name, Arc::clone(&config)).ok().flatten()?;
        Some((name, found.content_type, Bytes::from(found.bytes.into_owned())))
    };
    ["swagger-ui.css", "swagger-ui-bundle.js"].into_iter().filter_map(asset).collect()
});
