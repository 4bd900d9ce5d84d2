//! Reading a body up to a limit and within a time.
//!
//! A large body may come packed by gzip. It is unpacked while it arrives, up to a limit of its own.
//!
//! A body is parsed once. An ordinary one is collected and parsed where it arrives. A large one, such as the rows of
//! a statement, is parsed by a thread of its own while it arrives, so that its bytes are never in memory all at once.

use std::future::Future;
use std::io::{self, Read};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use actix_web::dev::Payload;
use actix_web::error::PayloadError;
use actix_web::http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use actix_web::web::{Bytes, BytesMut, Data};
use actix_web::{FromRequest, HttpRequest};
use flate2::read::MultiGzDecoder;
use futures_util::{Stream, StreamExt, future};
use serde::de::DeserializeOwned;
use tokio::sync::mpsc;

use super::json::{parse, parse_arriving};
use crate::middleware::body_timeout;
use crate::permits::Permit;
use crate::problem::Problem;
use crate::service::{Proved, Service};

/// The maximum size of an ordinary body, in bytes.
pub(crate) const BODY_BYTES_MAX: usize = 64 * 1024;
/// The maximum number of chunks of a large body that have arrived and are not parsed yet.
const CHUNKS_WAITING_MAX: usize = 8;

/// A JSON object as a request's body.
pub(crate) struct Body<T> {
    /// What was read.
    pub(crate) value: T,
}

impl<T: DeserializeOwned + 'static> FromRequest for Body<T> {
    type Error = Problem;
    type Future = Pin<Box<dyn Future<Output = Result<Self, Problem>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (is_json, payload) = (is_json(request), payload.take());
        Box::pin(async move {
            if !is_json {
                return Err(not_json());
            }
            parse(&read(payload, BODY_BYTES_MAX).await?).map(|value| Body { value })
        })
    }
}

/// The maximum size of a packed body after it is unpacked, in bytes.
const UNPACKED_BYTES_MAX: usize = 64 * 1024 * 1024;

/// A JSON object of at most `BYTES_MAX` bytes as a request's body, which may be packed by gzip. It is read once the caller is
/// [`Proved`].
pub(crate) struct LargeBody<T, const BYTES_MAX: usize> {
    /// What was read.
    pub(crate) value: T,
    /// Must be held as long as the value, and what is made from it, is in memory. An ordinary body needs none.
    pub(crate) permit: Option<Permit>,
}

impl<T: DeserializeOwned + Send + 'static, const BYTES_MAX: usize> FromRequest for LargeBody<T, BYTES_MAX> {
    type Error = Problem;
    type Future = Pin<Box<dyn Future<Output = Result<Self, Problem>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (is_json, packed, mut payload) = (is_json(request), is_packed(request), payload.take());
        let proving = Proved::from_request(request, &mut Payload::None);
        let service = request.app_data::<Data<Service>>().cloned();
        Box::pin(async move {
            let proved = proving.await?;
            if !is_json {
                return Err(not_json());
            }
            let is_packed = packed?;
            let Some(service) = service else { return Err(Problem::overloaded()) };
            let mut start = BytesMut::new();
            // A small packed body may become a large one.
            while start.len() <= BODY_BYTES_MAX && !is_packed {
                let Some(chunk) = payload.next().await else {
                    return parse(&start).map(|value| LargeBody { value, permit: None });
                };
                start.extend_from_slice(&chunk.map_err(|error| broke_off(&error))?);
            }
            let permit = service.large_body(&proved).await?;
            let (sender, chunks) = mpsc::channel(CHUNKS_WAITING_MAX);
            let arriving = Arriving { chunks, chunk: Bytes::new() };
            let parsing = service.read_body(&proved, move || match is_packed {
                true => Ok(parse_packed(arriving)),
                false => Ok(parse_arriving(arriving)),
            });
            let (forwarded, parsed) = future::join(forward(payload, start, sender, BYTES_MAX), parsing).await;
            // An error of the transfer takes precedence over any error of the part that arrived.
            forwarded?;
            Ok(LargeBody { value: parsed??, permit: Some(permit) })
        })
    }
}

/// Sends the bytes that have arrived, and those that still arrive, to the thread that parses them.
async fn forward(
    mut payload: Payload,
    start: BytesMut,
    parser: mpsc::Sender<Bytes>,
    bytes_max: usize,
) -> Result<(), Problem> {
    let mut total = start.len();
    let mut parser = parser.send(start.freeze()).await.is_ok().then_some(parser);
    while let Some(chunk) = payload.next().await {
        let chunk = chunk.map_err(|error| broke_off(&error))?;
        total += chunk.len();
        if total > bytes_max {
            parser = None;
        }
        if total > DRAINED_BYTES_MAX {
            break;
        }
        if let Some(open) = &parser
            && open.send(chunk).await.is_err()
        {
            // The parser has failed. The rest is read, so that the client, who is still sending, gets the answer.
            parser = None;
        }
    }
    if total > bytes_max { Err(Problem::too_large(bytes_max)) } else { Ok(()) }
}

/// A body as it arrives, for a thread that may block.
struct Arriving {
    chunks: mpsc::Receiver<Bytes>,
    chunk: Bytes,
}

impl Read for Arriving {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.chunk.is_empty() {
            match self.chunks.blocking_recv() {
                Some(chunk) => self.chunk = chunk,
                None => return Ok(0),
            }
        }
        let bytes = self.chunk.split_to(self.chunk.len().min(buffer.len()));
        buffer[..bytes.len()].copy_from_slice(&bytes);
        Ok(bytes.len())
    }
}

/// Whether a body is packed by gzip.
fn is_packed(request: &HttpRequest) -> Result<bool, Problem> {
    let mut encodings = request.headers().get_all(CONTENT_ENCODING);
    match (encodings.next().map(|encoding| encoding.to_str().unwrap_or_default().trim()), encodings.next()) {
        (None, _) => Ok(false),
        (Some(encoding), None) if encoding.eq_ignore_ascii_case("identity") => Ok(false),
        (Some(encoding), None) if encoding.eq_ignore_ascii_case("gzip") => Ok(true),
        _ => Err(Problem::unsupported_media("This route accepts bodies as they are, or packed by gzip.")),
    }
}

/// Parses a packed body while it arrives.
fn parse_packed<T: DeserializeOwned>(body: impl Read) -> Result<T, Problem> {
    let is_too_large = Arc::new(AtomicBool::new(false));
    let unpacked = Unpacked {
        bytes: MultiGzDecoder::new(body),
        left: UNPACKED_BYTES_MAX,
        is_too_large: Arc::clone(&is_too_large),
    };
    let parsed = parse_arriving(unpacked);
    if is_too_large.load(Ordering::Relaxed) { Err(Problem::too_large(UNPACKED_BYTES_MAX)) } else { parsed }
}

/// An unpacked body, up to its limit.
struct Unpacked<R> {
    bytes: R,
    left: usize,
    is_too_large: Arc<AtomicBool>,
}

impl<R: Read> Read for Unpacked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.bytes.read(buffer)?;
        match self.left.checked_sub(count) {
            Some(left) => self.left = left,
            None => {
                self.is_too_large.store(true, Ordering::Relaxed);
                return Err(io::Error::other("is too large"));
            }
        }
        Ok(count)
    }
}

/// A JSON object that may be absent or null, which means `{}`.
pub(crate) struct OptionalBody<T> {
    /// What was read.
    pub(crate) value: T,
}

impl<T: DeserializeOwned + 'static> FromRequest for OptionalBody<T> {
    type Error = Problem;
    type Future = Pin<Box<dyn Future<Output = Result<Self, Problem>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (is_json, payload) = (is_json(request), payload.take());
        Box::pin(async move {
            let bytes = read(payload, BODY_BYTES_MAX).await?;
            let is_left_out = bytes.is_empty() || (is_json && bytes.trim_ascii() == b"null");
            match (is_left_out, is_json) {
                (true, _) => parse(b"{}").map(|value| OptionalBody { value }),
                (false, true) => parse(&bytes).map(|value| OptionalBody { value }),
                (false, false) => Err(not_json()),
            }
        })
    }
}

pub(crate) fn is_json(request: &HttpRequest) -> bool {
    request.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).is_some_and(|kind| {
        let essence = kind.split(';').next().unwrap_or_default().trim();
        essence.eq_ignore_ascii_case("application/json")
    })
}

pub(crate) fn not_json() -> Problem {
    Problem::unsupported_media("This route accepts application/json.")
}

/// Reads a payload up to its limit.
pub(crate) async fn read(payload: Payload, bytes_max: usize) -> Result<BytesMut, Problem> {
    collect(payload.map(|chunk| chunk.map_err(|error| broke_off(&error))), bytes_max).await
}

/// The problem of a body that ended early.
pub(crate) fn broke_off(error: &PayloadError) -> Problem {
    if body_timeout::is_timeout(error) {
        Problem::too_slow()
    } else {
        Problem::malformed(format!("The body ended early: {error}."))
    }
}

/// The bytes of a body over its limit that are read and discarded, so that the client, which is still sending, gets the answer.
/// Beyond them the connection is closed.
const DRAINED_BYTES_MAX: usize = 64 * 1024 * 1024;

/// Collects chunks up to a limit.
pub(crate) async fn collect(
    mut chunks: impl Stream<Item = Result<Bytes, Problem>> + Unpin,
    bytes_max: usize,
) -> Result<BytesMut, Problem> {
    let mut bytes = BytesMut::new();
    let mut total = 0;
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk?;
        total += chunk.len();
        if total <= bytes_max {
            bytes.extend_from_slice(&chunk);
        } else if total > DRAINED_BYTES_MAX {
            break;
        }
    }
    if total > bytes_max { Err(Problem::too_large(bytes_max)) } else { Ok(bytes) }
}
