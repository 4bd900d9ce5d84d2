//! Pages of lists, and the links to the next ones.

use actix_web::http::header::{ContentType, LINK};
use actix_web::{HttpRequest, HttpResponse};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use finance_domain::{Error, Result};
use serde::{Serialize, Serializer};

/// The approximate bytes of a row in JSON, for the capacity of the buffer.
const ROW_BYTES: usize = 480;

/// A page of a list as JSON. It is serialized on the thread that read its rows.
pub(crate) struct Page {
    body: Vec<u8>,
    /// The cursor of the last row, if there is another page.
    next: Option<String>,
}

impl Page {
    /// The page of rows. One row more than the page has is read, which shows whether there is another page.
    pub(crate) fn new<V: From<T> + Serialize, T>(
        mut rows: Vec<T>,
        limit: u32,
        place: impl FnOnce(&T) -> String,
    ) -> Result<Self> {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let has_more = rows.len() > limit;
        rows.truncate(limit);
        let next = rows.last().filter(|_| has_more).map(place);
        let mut body = Vec::with_capacity(rows.len() * ROW_BYTES);
        serde_json::Serializer::new(&mut body)
            .collect_seq(rows.into_iter().map(V::from))
            .map_err(|error| Error::Internal(Box::new(error)))?;
        Ok(Page { body, next })
    }

    /// A page of a list that is part of an object.
    pub(crate) fn of(view: &impl Serialize, next: Option<String>) -> Result<Self> {
        let body = serde_json::to_vec(view).map_err(|error| Error::Internal(Box::new(error)))?;
        Ok(Page { body, next })
    }

    /// The answer, with the link to the next page if there is one.
    pub(crate) fn response(self, request: &HttpRequest) -> HttpResponse {
        let mut response = HttpResponse::Ok();
        response.insert_header(ContentType::json());
        if let Some(place) = self.next {
            response.insert_header((LINK, next_link(request, &cursor(&place))));
        }
        response.body(self.body)
    }
}

/// An opaque cursor for a position in a list.
fn cursor(place: &str) -> String {
    URL_SAFE_NO_PAD.encode(place)
}

/// The `Link` header to the next page: the query of this request with the cursor.
fn next_link(request: &HttpRequest, cursor: &str) -> String {
    let kept = request.query_string().split('&').filter(|part| !part.is_empty() && !part.starts_with("cursor="));
    let query: Vec<&str> = kept.collect();
    let separator = if query.is_empty() { "" } else { "&" };
    format!("<{}?{}{separator}cursor={cursor}>; rel=\"next\"", request.path(), query.join("&"))
}
