//! Limits for clients that read their answers slowly or not at all.
//!
//! An answer in memory is passed to the server in slices. The unread bytes of each requester are counted; one with too many
//! is refused further requests until it reads. The connection of a client that reads too slowly is closed. If a client reads
//! nothing at all, the operating system closes it (see `server.rs`).

use std::collections::HashMap;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::middleware::Next;
use actix_web::web::{Bytes, Data};
use actix_web::{Error, HttpMessage, HttpResponse};
use finance_domain::Caller;

use crate::fair_queue::Requester;
use crate::middleware::real_ip;
use crate::permits::Permit;
use crate::problem::Problem;
use crate::read_deadline::ReadDeadline;

/// The size of a slice.
const SLICE_BYTES: usize = 64 * 1024;
/// The size up to which an answer is not sliced or counted, because connections are limited.
const SMALL_BYTES_MAX: usize = 16 * 1024;
/// Unread bytes of a requester beyond which its requests are refused.
const UNREAD_BYTES_MAX: usize = 8 * 1024 * 1024;

/// The grace period for reading an answer, before the rate counts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AnswerTimeout(pub(crate) Duration);

/// The unread bytes of each requester.
#[derive(Default)]
pub(crate) struct UnreadAnswers(Mutex<HashMap<Requester, usize>>);

impl UnreadAnswers {
    fn bytes_of(&self, requester: &Requester) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(requester).copied().unwrap_or(0)
    }

    fn add(&self, requester: &Requester, bytes: usize) {
        let mut unread = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *unread.entry(requester.clone()).or_default() += bytes;
    }

    fn take(&self, requester: &Requester, bytes: usize) {
        let mut unread = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(left) = unread.get_mut(requester) {
            *left = left.saturating_sub(bytes);
            if *left == 0 {
                unread.remove(requester);
            }
        }
    }
}

/// Counts the unread bytes of an answer and sends it in slices. A [`Permit`] in the response's extensions is held until the
/// answer is sent.
pub(crate) async fn wrap(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let unread = request.app_data::<Data<UnreadAnswers>>().cloned();
    let timeout = request.app_data::<Data<AnswerTimeout>>().map(|timeout| timeout.0);
    let (Some(unread), Some(timeout)) = (unread, timeout) else {
        return Ok(next.call(request).await?.map_into_boxed_body());
    };
    let requester = requester(&request);
    if unread.bytes_of(&requester) > UNREAD_BYTES_MAX {
        return Ok(request.into_response(HttpResponse::from_error(Problem::overloaded())));
    }
    let mut response = next.call(request).await?.map_into_boxed_body();
    let permit = response.response_mut().extensions_mut().remove::<Arc<Permit>>();
    if !matches!(response.response().body().size(), BodySize::Sized(bytes) if bytes > SMALL_BYTES_MAX as u64) {
        return Ok(response);
    }
    Ok(response.map_body(|_, body| match body.try_into_bytes() {
        Ok(bytes) => {
            unread.add(&requester, bytes.len());
            BoxBody::new(Slices {
                sent: 0,
                bytes,
                deadline: ReadDeadline::after(timeout),
                _permit: permit,
                requester,
                unread: unread.into_inner(),
            })
        }
        Err(streamed) => streamed,
    }))
}

/// The profile of an authenticated request, else the client's address.
fn requester(request: &ServiceRequest) -> Requester {
    match request.extensions().get::<Caller>() {
        Some(caller) => Requester::Profile(caller.profile_id),
        None => real_ip::client(request.request()).requester(),
    }
}

/// An answer in slices.
struct Slices {
    bytes: Bytes,
    sent: usize,
    deadline: ReadDeadline,
    requester: Requester,
    unread: Arc<UnreadAnswers>,
    _permit: Option<Arc<Permit>>,
}

impl MessageBody for Slices {
    type Error = Box<dyn std::error::Error>;

    fn size(&self) -> BodySize {
        BodySize::Sized(self.bytes.len() as u64)
    }

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Bytes, Self::Error>>> {
        if self.sent == self.bytes.len() {
            return Poll::Ready(None);
        }
        if self.deadline.is_over() {
            let error = io::Error::new(io::ErrorKind::TimedOut, "the client reads the answer too slowly");
            return Poll::Ready(Some(Err(error.into())));
        }
        let slice = self.bytes.slice(self.sent..self.bytes.len().min(self.sent + SLICE_BYTES));
        self.sent += slice.len();
        // The server asks for the next slice once the connection has taken most of those before.
        self.unread.take(&self.requester, slice.len());
        self.deadline.extend(slice.len());
        Poll::Ready(Some(Ok(slice)))
    }
}

impl Drop for Slices {
    fn drop(&mut self) {
        self.unread.take(&self.requester, self.bytes.len() - self.sent);
    }
}

#[cfg(test)]
mod tests {
    use actix_web::body::to_bytes;
    use actix_web::middleware::from_fn;
    use actix_web::test::{TestRequest, call_service, init_service};
    use actix_web::{App, web};

    use super::*;

    const ANSWER_BYTES: usize = 1024 * 1024;

    async fn large() -> HttpResponse {
        HttpResponse::Ok().body(vec![b'a'; ANSWER_BYTES])
    }

    macro_rules! service {
        ($timeout:expr) => {
            init_service(
                App::new()
                    .app_data(Data::new(UnreadAnswers::default()))
                    .app_data(Data::new(AnswerTimeout($timeout)))
                    .route("/large", web::get().to(large))
                    .wrap(from_fn(wrap)),
            )
            .await
        };
    }

    fn from(address: &str) -> actix_web::test::TestRequest {
        TestRequest::get().uri("/large").peer_addr(format!("{address}:4711").parse().unwrap())
    }

    #[actix_web::test]
    async fn who_leaves_too_much_unread_is_refused_until_it_reads_and_others_are_not() {
        let service = service!(Duration::from_secs(30));
        let mut unread = Vec::new();
        for _ in 0..=UNREAD_BYTES_MAX / ANSWER_BYTES {
            let response = call_service(&service, from("198.51.100.7").to_request()).await;
            assert_eq!(response.status(), 200);
            unread.push(response);
        }
        assert_eq!(call_service(&service, from("198.51.100.7").to_request()).await.status(), 503);
        let other = call_service(&service, from("203.0.113.9").to_request()).await;
        assert_eq!(to_bytes(other.into_body()).await.unwrap().len(), ANSWER_BYTES);
        drop(unread.pop());
        assert_eq!(call_service(&service, from("198.51.100.7").to_request()).await.status(), 200);
    }

    #[actix_web::test]
    async fn what_was_read_of_an_answer_no_longer_counts() {
        let service = service!(Duration::from_secs(30));
        let mut unread = Vec::new();
        for _ in 0..=UNREAD_BYTES_MAX / ANSWER_BYTES {
            unread.push(Box::pin(call_service(&service, from("198.51.100.7").to_request()).await.into_body()));
        }
        assert_eq!(call_service(&service, from("198.51.100.7").to_request()).await.status(), 503);
        let slow = &mut unread[0];
        for _ in 0..ANSWER_BYTES / SLICE_BYTES {
            let slice = std::future::poll_fn(|context| slow.as_mut().poll_next(context)).await;
            assert_eq!(slice.unwrap().unwrap().len(), SLICE_BYTES);
        }
        // All of the slow answer was taken, though its end was not asked for yet.
        assert_eq!(call_service(&service, from("198.51.100.7").to_request()).await.status(), 200);
        drop(unread);
        assert_eq!(call_service(&service, from("198.51.100.7").to_request()).await.status(), 200);
    }

    #[actix_web::test]
    async fn an_answer_that_is_read_too_slowly_breaks_off() {
        let service = service!(Duration::ZERO);
        let mut body = Box::pin(call_service(&service, from("198.51.100.7").to_request()).await.into_body());
        std::thread::sleep(Duration::from_millis(5));
        let next = std::future::poll_fn(|context| body.as_mut().poll_next(context)).await;
        assert!(next.unwrap().is_err());
    }
}
