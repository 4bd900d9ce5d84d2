//! The time limit of bodies, for clients that send slowly or never end.

use std::cell::RefCell;
use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};
use std::time::Duration;

use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::dev::{Payload, ServiceRequest, ServiceResponse};
use actix_web::error::PayloadError;
use actix_web::middleware::Next;
use actix_web::web::{Bytes, Data};
use actix_web::{Error, HttpMessage};
use futures_util::Stream;
use tokio::time::Sleep;

/// Bytes a second with which a body must arrive after its grace period: less than the slowest mobile network carries.
const BYTES_PER_SECOND_MIN: u64 = 8 * 1024;

/// The grace period of a body, before the rate counts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BodyTimeout(pub(crate) Duration);

/// Applies the time limit to every body, whether a handler reads it or not.
pub(crate) async fn wrap(
    mut request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let timeout = request.app_data::<Data<BodyTimeout>>().map(|timeout| timeout.0);
    match (timeout, request.take_payload()) {
        (_, Payload::None) | (None, _) => Ok(next.call(request).await?.map_into_boxed_body()),
        (Some(timeout), payload) => {
            let payload = Rc::new(RefCell::new(payload));
            let timed = TimedPayload { payload: Rc::clone(&payload), end: Box::pin(tokio::time::sleep(timeout)) };
            request.set_payload(Payload::Stream { payload: Box::pin(timed) });
            let response = next.call(request).await?;
            Ok(response.map_body(|_, body| BoxBody::new(Answer { body: body.boxed(), _unread: payload })))
        }
    }
}

/// Whether reading a body failed because of the time limit.
pub(crate) fn is_timeout(error: &PayloadError) -> bool {
    matches!(error, PayloadError::Io(error) if error.kind() == io::ErrorKind::TimedOut)
}

/// A body with a deadline, which arriving bytes extend.
struct TimedPayload {
    payload: Rc<RefCell<Payload>>,
    end: Pin<Box<Sleep>>,
}

impl Stream for TimedPayload {
    type Item = Result<Bytes, PayloadError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let polled = Pin::new(&mut *self.payload.borrow_mut()).poll_next(context);
        match polled {
            Poll::Ready(Some(Ok(chunk))) => {
                let earned = Duration::from_millis(chunk.len() as u64 * 1_000 / BYTES_PER_SECOND_MIN);
                let end = self.end.deadline() + earned;
                self.end.as_mut().reset(end);
                Poll::Ready(Some(Ok(chunk)))
            }
            Poll::Pending => match self.end.as_mut().poll(context) {
                Poll::Ready(()) => Poll::Ready(Some(Err(PayloadError::Io(io::ErrorKind::TimedOut.into())))),
                Poll::Pending => Poll::Pending,
            },
            ended => ended,
        }
    }
}

/// An answer that keeps the unread body of its request until it is sent. If the body is dropped, the server goes on reading
/// it; if it is kept unread, the server closes the connection after the answer.
struct Answer {
    body: BoxBody,
    _unread: Rc<RefCell<Payload>>,
}

impl MessageBody for Answer {
    type Error = Box<dyn std::error::Error>;

    fn size(&self) -> BodySize {
        self.body.size()
    }

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, Self::Error>>> {
        self.body.as_pin_mut().poll_next(context)
    }
}
