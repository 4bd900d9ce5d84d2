//! `Idempotency-Key`: a POST that may be sent again, and is executed once.
//!
//! Handlers of POST take [`Idempotent`] and write through its [`Post`]. Some routes do not take the header. The login and the
//! acceptance of an invitation belong to no profile yet. A change of the password revokes the token of the request, and answers
//! with a new one. The creation of a token, an invitation, a webhook or a second factor answers with a secret, which must not
//! be stored. A repeated logout or preview of a statement creates nothing.

use std::cell::RefCell;
use std::pin::Pin;
use std::rc::Rc;

use actix_web::dev::Payload;
use actix_web::http::StatusCode;
use actix_web::http::header::{CONTENT_TYPE, HeaderMap, HeaderName, LOCATION};
use actix_web::{Error, FromRequest, HttpRequest, HttpResponse};
use finance_domain::idempotency::{Answer, Key, Outcome, Request};
use finance_domain::use_cases::idempotency;
use finance_domain::{Caller, ProfileId, Repo, Result, TimeLimit, Violation};
use futures_util::TryStreamExt;
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::authenticated::Authenticated;
use super::body;
use crate::changes;
use crate::problem::Problem;
use crate::service::Service;

/// The header's name, as the document and the problems spell it.
pub(crate) const KEY_HEADER: &str = "Idempotency-Key";
/// Set on a replayed answer; the name as the document spells it.
pub(crate) const REPLAYED_HEADER: &str = "Idempotency-Replayed";
/// The same, as the server reads it.
pub(crate) const KEY: HeaderName = HeaderName::from_static("idempotency-key");
/// The same, as the server writes it.
pub(crate) const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");
/// The POSTs that take no key, for the reasons above.
pub(crate) const WITHOUT_KEY: [&str; 14] = [
    "/api/auth/login",
    "/api/auth/accept",
    "/api/auth/renew",
    "/api/auth/change-password",
    "/api/logout",
    "/api/import/preview",
    "/api/entries/parse",
    "/api/inbox",
    "/api/tokens",
    "/api/members/invitations",
    "/api/members/{id}/password-link",
    "/api/webhooks",
    "/api/auth/second-factor",
    "/api/auth/second-factor/confirm",
];

/// A POST that is executed once for its key.
pub(crate) struct Idempotent<B = ()> {
    /// Runs the work once.
    pub(crate) post: Post,
    /// Its body.
    pub(crate) body: B,
}

/// The caller of a POST, and its key, if it has one.
pub(crate) struct Post {
    caller: Caller,
    request: Option<Request>,
    time_limit: TimeLimit,
}

impl Post {
    /// The profile whose data it changes.
    pub(crate) fn profile_id(&self) -> ProfileId {
        self.caller.profile_id
    }

    /// The same, for a use case that moves as many rows as a statement may hold.
    pub(crate) fn long(self) -> Self {
        Post { time_limit: TimeLimit::Long, ..self }
    }

    /// Runs a use case in one transaction and answers with its result. If the key was used for the same request before, repeats
    /// that answer. The answer is made inside the transaction only if it has to be stored.
    pub(crate) async fn write<T: Send + 'static>(
        self,
        service: &Service,
        work: impl FnOnce(&mut dyn Repo) -> Result<T> + Send + 'static,
        answer: impl FnOnce(T) -> Result<Answer> + Send + 'static,
    ) -> Result<HttpResponse, Problem> {
        let Some(request) = self.request else {
            return response(service.write_then(self.time_limit, self.caller, work, answer).await?, false);
        };
        let once = move |repo: &mut dyn Repo| idempotency::once(repo, &request, |repo| work(repo).and_then(answer));
        let outcome = service.write_then(self.time_limit, self.caller, once, Ok);
        match outcome.await? {
            Outcome::Done(answer) => response(answer, false),
            Outcome::Replayed(answer) => response(answer, true),
        }
    }
}

fn response(answer: Answer, replayed: bool) -> Result<HttpResponse, Problem> {
    let status = StatusCode::from_u16(answer.code).map_err(internal)?;
    let mut response = HttpResponse::build(status);
    if status != StatusCode::NO_CONTENT {
        response.insert_header((CONTENT_TYPE, "application/json"));
    }
    if let Some(location) = answer.location {
        response.insert_header((LOCATION, location));
    }
    if replayed {
        if let Some(id) = answer.change_id {
            changes::tell(id);
        }
        response.insert_header((REPLAYED, "true"));
    }
    Ok(response.body(answer.body))
}

/// 201 with the resource and its location.
pub(crate) fn created(location: String, view: impl Serialize) -> Result<Answer> {
    Ok(Answer { location: Some(location), ..answered(StatusCode::CREATED, view)? })
}

/// 204.
pub(crate) fn nothing() -> Answer {
    Answer { code: StatusCode::NO_CONTENT.as_u16(), location: None, body: Vec::new(), change_id: None }
}

/// An answer with that status.
pub(crate) fn answered(status: StatusCode, view: impl Serialize) -> Result<Answer> {
    let body = serde_json::to_vec(&view).map_err(internal)?;
    Ok(Answer { code: status.as_u16(), location: None, body, change_id: None })
}

fn internal(error: impl std::error::Error + Send + Sync + 'static) -> finance_domain::Error {
    finance_domain::Error::Internal(Box::new(error))
}

impl<B: FromRequest + 'static> FromRequest for Idempotent<B> {
    type Error = Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self, Error>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let caller = Authenticated::from_request(request, payload);
        let key = match key(request.headers()) {
            Ok(key) => key,
            Err(problem) => return Box::pin(async { Err(problem.into()) }),
        };
        let Some(key) = key else {
            let body = B::from_request(request, payload);
            return Box::pin(async move {
                let post = Post { caller: caller.await?.caller, request: None, time_limit: TimeLimit::Ordinary };
                Ok(Idempotent { post, body: body.await.map_err(Into::into)? })
            });
        };
        let digest = Rc::new(RefCell::new(Sha256::new()));
        digest.borrow_mut().update(format!("{} {}\n", request.method(), request.uri()));
        let beside = Rc::clone(&digest);
        let digested = payload.take().inspect_ok(move |chunk| beside.borrow_mut().update(chunk));
        let mut payload: Payload = Payload::Stream { payload: Box::pin(digested) };
        let body = B::from_request(request, &mut payload);
        Box::pin(async move {
            let caller = caller.await?.caller;
            let body = body.await.map_err(Into::into)?;
            // A body that the route did not read is part of the fingerprint too.
            body::read(payload, body::BODY_BYTES_MAX).await?;
            let fingerprint = digest.borrow().clone().finalize().into();
            let post = Post { caller, request: Some(Request { key, fingerprint }), time_limit: TimeLimit::Ordinary };
            Ok(Idempotent { post, body })
        })
    }
}

/// The request's key, if it has one.
fn key(headers: &HeaderMap) -> Result<Option<Key>, Problem> {
    let invalid = |violation| Problem::from(finance_domain::Error::invalid(KEY_HEADER, violation));
    let mut given = headers.get_all(KEY);
    match (given.next(), given.next()) {
        (None, _) => Ok(None),
        (Some(_), Some(_)) => Err(invalid(Violation::GivenTwice)),
        // A value that is not text fails the rule, which allows ASCII only.
        (Some(value), None) => Key::new(value.to_str().unwrap_or_default()).map(Some).map_err(invalid),
    }
}
