//! The caller, an argument of handlers.

use std::future::{Ready, ready};

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpMessage, HttpRequest};
use finance_domain::{Caller, SessionId};

use crate::problem::Problem;

/// The caller of a request with a valid token.
pub(crate) struct Authenticated {
    /// The profile of the token.
    pub(crate) caller: Caller,
    /// The session of the token, if it has one.
    pub(crate) session: Option<SessionId>,
}

impl FromRequest for Authenticated {
    type Error = Problem;
    type Future = Ready<Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let extensions = request.extensions();
        let session = extensions.get::<SessionId>().copied();
        let caller = extensions.get::<Caller>().copied();
        ready(caller.map(|caller| Authenticated { caller, session }).ok_or_else(Problem::unauthenticated))
    }
}
