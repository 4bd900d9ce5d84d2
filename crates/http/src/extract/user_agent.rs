//! The client's `User-Agent`, an argument of handlers.

use std::convert::Infallible;
use std::future::{Ready, ready};

use actix_web::dev::Payload;
use actix_web::http::header::USER_AGENT;
use actix_web::{FromRequest, HttpRequest};

/// The `User-Agent` of a request, as it was sent. `None` if there is none.
pub(crate) struct UserAgent(pub(crate) Option<String>);

impl FromRequest for UserAgent {
    type Error = Infallible;
    type Future = Ready<Result<Self, Infallible>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let said = request.headers().get(USER_AGENT);
        ready(Ok(UserAgent(said.map(|said| String::from_utf8_lossy(said.as_bytes()).into_owned()))))
    }
}
