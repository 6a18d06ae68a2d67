//! Blocking reads on a thread of their own.
//!
//! Reads of the runtime's own blocking threads would keep the runtime from ending: nobody can
//! end the wait for a key at a terminal. This thread is left to itself.

use std::io::{self, Read};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::thread;

use bytes::{Buf as _, Bytes};
use tokio::io::{AsyncRead, ReadBuf};
use tokio::sync::mpsc;

/// How much is read at once, in bytes.
const CHUNK: usize = 64 * 1024;

/// Reads that block, made asynchronous. One chunk is read ahead.
pub(super) struct ThreadReader {
    chunks: mpsc::Receiver<io::Result<Bytes>>,
    rest: Bytes,
}

impl ThreadReader {
    pub(super) fn new(mut source: impl Read + Send + 'static) -> io::Result<Self> {
        let (sender, chunks) = mpsc::channel(1);
        thread::Builder::new()
            .name("mcp stdin".to_owned())
            .spawn(move || pump(&mut source, &sender))?;
        Ok(Self {
            chunks,
            rest: Bytes::new(),
        })
    }
}

impl AsyncRead for ThreadReader {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.rest.is_empty() {
            match ready!(self.chunks.poll_recv(cx)) {
                Some(chunk) => self.rest = chunk?,
                None => return Poll::Ready(Ok(())),
            }
        }
        let count = self.rest.len().min(buf.remaining());
        buf.put_slice(self.rest.get(..count).unwrap_or_default());
        self.rest.advance(count);
        Poll::Ready(Ok(()))
    }
}

/// Passes on what comes until the end, an error, or nobody wants it any more.
fn pump(source: &mut impl Read, sender: &mpsc::Sender<io::Result<Bytes>>) {
    let mut chunk = vec![0; CHUNK];
    loop {
        let bytes = read(source, &mut chunk);
        let ended = !matches!(&bytes, Ok(bytes) if !bytes.is_empty());
        if sender.blocking_send(bytes).is_err() || ended {
            break;
        }
    }
}

fn read(source: &mut impl Read, chunk: &mut [u8]) -> io::Result<Bytes> {
    loop {
        match source.read(chunk) {
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
            Ok(count) => {
                let bytes = chunk.get(..count).unwrap_or_default();
                return Ok(Bytes::copy_from_slice(bytes));
            }
        }
    }
}
