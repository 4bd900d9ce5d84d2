//! An answer that is sent while it is produced: from blocking work, through a bounded queue, with time limits for slow
//! clients.

use std::io::{self, Write};
use std::pin::Pin;
use std::time::{Duration, Instant};

use actix_web::web::Bytes;
use finance_domain::{Error, Result};
use futures_util::stream::{self, LocalBoxStream, StreamExt};
use tokio::runtime::Handle;
use tokio::sync::mpsc;

use crate::read_deadline::ReadDeadline;

/// The size of a chunk.
const CHUNK_BYTES: usize = 64 * 1024;
/// The maximum number of chunks that wait for the client.
const CHUNKS_WAITING_MAX: usize = 8;
/// How long a client may take to read one chunk.
const CHUNK_WAIT_MAX: Duration = Duration::from_secs(30);
/// How long a client may take to read the whole answer.
const ANSWER_WAIT_MAX: Duration = Duration::from_secs(30 * 60);

/// The writer of an answer, on a thread that may block.
pub(crate) struct ChunkWriter {
    chunks: mpsc::Sender<Bytes>,
    buffer: Vec<u8>,
    runtime: Handle,
    chunk_wait: Duration,
    until: Instant,
    deadline: ReadDeadline,
    is_broken: bool,
}

/// The writer and the chunks of an answer. Must be called in the runtime that serves the client.
pub(crate) fn channel() -> (ChunkWriter, mpsc::Receiver<Bytes>) {
    channel_that_waits(CHUNK_WAIT_MAX)
}

fn channel_that_waits(chunk_wait: Duration) -> (ChunkWriter, mpsc::Receiver<Bytes>) {
    let (chunks, taken) = mpsc::channel(CHUNKS_WAITING_MAX);
    let writer = ChunkWriter {
        chunks,
        buffer: Vec::with_capacity(CHUNK_BYTES),
        runtime: Handle::current(),
        chunk_wait,
        until: Instant::now() + ANSWER_WAIT_MAX,
        deadline: ReadDeadline::after(chunk_wait),
        is_broken: false,
    };
    (writer, taken)
}

impl ChunkWriter {
    /// Sends the rest.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        if self.is_broken {
            return Err(io::Error::other("the client is gone"));
        }
        if self.buffer.is_empty() { Ok(()) } else { self.send() }
    }

    fn send(&mut self) -> io::Result<()> {
        let chunk = std::mem::replace(&mut self.buffer, Vec::with_capacity(CHUNK_BYTES));
        let left = self.until.saturating_duration_since(Instant::now());
        let wait = self.chunk_wait.min(self.deadline.remaining()).min(left);
        self.deadline.extend(chunk.len());
        let sent = self.runtime.block_on(self.chunks.send_timeout(chunk.into(), wait));
        sent.map_err(|error| {
            self.is_broken = true;
            match error {
                mpsc::error::SendTimeoutError::Timeout(_) => io::Error::other("the client reads the answer too slowly"),
                mpsc::error::SendTimeoutError::Closed(_) => io::Error::other("the client is gone"),
            }
        })
    }
}

impl Write for ChunkWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // After an error was returned, further bytes, such as the end of the format, are dropped.
        if !self.is_broken {
            self.buffer.extend_from_slice(bytes);
            if self.buffer.len() >= CHUNK_BYTES {
                self.send()?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The error of work whose client has hung up or reads too slowly.
pub(crate) fn client_gone(error: io::Error) -> Error {
    Error::Unavailable(Box::new(error))
}

/// The work that fills a [`ChunkWriter`].
pub(crate) type Working = Pin<Box<dyn Future<Output = Result<()>>>>;

/// The chunks of an answer.
pub(crate) type Chunks = LocalBoxStream<'static, io::Result<Bytes>>;

/// The chunks as a body. If the work fails before the first chunk, the answer is a problem; after that the connection is closed,
/// so that a client does not mistake a partial answer for the whole one.
pub(crate) async fn body(mut chunks: mpsc::Receiver<Bytes>, mut working: Working) -> Result<Chunks> {
    let first = tokio::select! {
        biased;
        first = chunks.recv() => first,
        // It has ended before the first chunk if the answer is short or the work never began.
        done = &mut working => {
            done?;
            working = Box::pin(std::future::ready(Ok(())));
            chunks.recv().await
        }
    };
    let Some(first) = first else {
        working.await?;
        return Err(Error::Internal("an answer of no bytes".into()));
    };
    let rest = stream::unfold(Some((chunks, working)), |state| async {
        let (mut chunks, working) = state?;
        match chunks.recv().await {
            Some(chunk) => Some((Ok(chunk), Some((chunks, working)))),
            None => match working.await {
                Ok(()) => None,
                Err(_) => Some((Err(io::Error::other("the answer ended early")), None)),
            },
        }
    });
    Ok(stream::once(std::future::ready(Ok(first))).chain(rest).boxed_local())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_client_that_takes_nothing_is_given_up() {
        let (mut writer, chunks) = channel_that_waits(Duration::from_millis(50));
        let written = tokio::task::spawn_blocking(move || {
            let begun = Instant::now();
            let chunk = vec![0; CHUNK_BYTES];
            let error = (0..CHUNKS_WAITING_MAX + 1).find_map(|_| writer.write_all(&chunk).err());
            let error = error.expect("the queue is bounded").to_string();
            assert!(writer.write_all(&chunk).is_ok() && writer.finish().is_err(), "what is broken stays so");
            (error, begun.elapsed())
        });
        let (error, took) = written.await.unwrap();
        assert_eq!(error, "the client reads the answer too slowly");
        assert!(took >= Duration::from_millis(50), "{took:?}");
        drop(chunks);
    }

    #[tokio::test]
    async fn a_client_that_hangs_up_ends_the_work() {
        let (mut writer, chunks) = channel();
        drop(chunks);
        let written = tokio::task::spawn_blocking(move || writer.write_all(&vec![0; CHUNK_BYTES]));
        assert_eq!(written.await.unwrap().unwrap_err().to_string(), "the client is gone");
    }

    #[tokio::test]
    async fn work_that_fails_after_its_first_chunk_breaks_the_body_off() {
        let (writer, chunks) = channel();
        let sender = writer.chunks.clone();
        drop(writer);
        sender.send(Bytes::from_static(b"half")).await.unwrap();
        drop(sender);
        let working: Working = Box::pin(async { Err(Error::Unavailable("gone".into())) });
        let body: Vec<_> = body(chunks, working).await.unwrap().collect().await;
        assert_eq!(body.len(), 2);
        assert!(body[0].is_ok() && body[1].is_err());
    }
}
