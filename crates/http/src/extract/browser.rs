//! What a browser says of a request besides its content, an argument of handlers.

use std::convert::Infallible;
use std::future::{Ready, ready};

use actix_web::dev::Payload;
use actix_web::http::header::{COOKIE, HeaderName, ORIGIN};
use actix_web::{FromRequest, HttpRequest};

use crate::devices;

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// The headers that only a browser sets. No script of a page can change them.
pub(crate) struct Browser {
    /// Whether the page was loaded by https.
    pub(crate) is_https: bool,
    /// Whether another site may have made the request.
    is_foreign: bool,
    /// The device of the cookie.
    device: Option<String>,
}

impl Browser {
    /// The device of the cookie. None if another site may have made the request.
    pub(crate) fn device(self) -> Option<String> {
        self.device.filter(|_| !self.is_foreign)
    }
}

impl FromRequest for Browser {
    type Error = Infallible;
    type Future = Ready<Result<Self, Infallible>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let headers = request.headers();
        let is_https = headers.get(ORIGIN).is_some_and(|origin| origin.as_bytes().starts_with(b"https://"));
        let is_foreign = headers.get_all(SEC_FETCH_SITE).any(|site| site.as_bytes() != b"same-origin");
        let pairs = headers.get_all(COOKIE).filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(';'));
        let device = pairs
            .filter_map(|pair| pair.trim().split_once('='))
            .find(|(name, _)| *name == devices::COOKIE)
            .map(|(_, value)| value.to_string());
        ready(Ok(Browser { is_https, is_foreign, device }))
    }
}
