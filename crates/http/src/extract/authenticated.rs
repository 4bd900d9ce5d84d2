//! Who calls, in a handler's arguments.

use std::future::{Ready, ready};

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpMessage, HttpRequest};
use finance_domain::Caller;

use crate::blocking::Requester;
use crate::problem::Problem;

/// A request with a token that holds.
pub(crate) struct Authenticated {
    /// The profile behind the token.
    pub(crate) caller: Caller,
}

impl Authenticated {
    /// Whose share of the service a request takes.
    pub(crate) fn requester(&self) -> Requester {
        Requester::Profile(self.caller.profile_id)
    }
}

impl FromRequest for Authenticated {
    type Error = Problem;
    type Future = Ready<Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let caller = request.extensions().get::<Caller>().copied();
        ready(caller.map(|caller| Authenticated { caller }).ok_or_else(Problem::unauthenticated))
    }
}
