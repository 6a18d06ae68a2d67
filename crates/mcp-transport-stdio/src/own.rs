//! The own stdin and stdout of a server.

#[cfg_attr(unix, path = "own/unix.rs")]
#[cfg_attr(not(unix), path = "own/other.rs")]
mod streams;
mod thread;

use std::fmt;
use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use mcp_jsonrpc::{LineDecoder, Packet};
use mcp_transport::{Frames, Reader, TransportError, TransportErrorKind, Writer};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::runtime::Handle;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::lines::{LineReader, LineWriter};
use streams::Client;

/// How long the last bytes may take to leave when the stream is closed, at either end.
const LAST: Duration = Duration::from_secs(2);

type Source = Box<dyn AsyncRead + Send + Unpin>;
type Sink = Box<dyn AsyncWrite + Send + Unpin>;

static TAKEN: AtomicBool = AtomicBool::new(false);

/// Stdin and stdout of this process as the wire of a server.
#[derive(Clone, Copy, Debug)]
pub struct Stdio {
    limit: usize,
}

impl Stdio {
    /// Takes both, with lines of at most 32 MiB. See [`open`](Self::open).
    ///
    /// # Panics
    /// If the tokio runtime has been built without I/O.
    #[must_use]
    pub fn own() -> (StdioReader, StdioWriter) {
        Self::new().open()
    }

    /// The choice of a limit before [`open`](Self::open).
    #[must_use]
    pub const fn new() -> Self {
        Self {
            limit: LineDecoder::DEFAULT_LIMIT,
        }
    }

    /// The longest line that is accepted, in bytes.
    #[must_use]
    pub const fn max_line(mut self, bytes: usize) -> Self {
        self.limit = bytes;
        self
    }

    /// Takes both; to be called once, before anything else reads stdin.
    ///
    /// On Unix the wire moves to private descriptors: from then on stdin is empty, and what other
    /// code prints goes to stderr, so neither a stray `println!` nor a child process can get onto
    /// the wire. Pipes and sockets are used without blocking, and are set back when the halves
    /// are dropped; anything else, as a terminal or a file, keeps its mode and is read by a
    /// thread.
    ///
    /// Where the streams cannot be had, because they are taken or there is no tokio runtime, the
    /// first read and write say so.
    ///
    /// # Panics
    /// If the tokio runtime has been built without I/O.
    #[must_use]
    pub fn open(self) -> (StdioReader, StdioWriter) {
        let (source, sink, client) = match take() {
            Ok((source, sink, client)) => (source, sink, Some(client)),
            Err(e) => {
                let same = io::Error::new(e.kind(), e.to_string());
                let sink: Sink = Box::new(Broken(Some(same)));
                (Box::new(Broken(Some(e))) as Source, sink, None)
            }
        };
        let reader = StdioReader {
            lines: LineReader::new(source, self.limit),
            end: CancellationToken::new(),
        };
        let lines = LineWriter::new(sink);
        (reader, StdioWriter { lines, client })
    }
}

impl Default for Stdio {
    fn default() -> Self {
        Self::new()
    }
}

fn take() -> io::Result<(Source, Sink, Client)> {
    Handle::try_current().map_err(io::Error::other)?;
    if TAKEN.swap(true, Ordering::Relaxed) {
        return Err(io::Error::other("stdin and stdout are already a wire"));
    }
    streams::take()
}

/// Reads the own stdin.
#[derive(Debug)]
pub struct StdioReader {
    lines: LineReader<Source>,
    end: CancellationToken,
}

impl StdioReader {
    /// Ends the stream when `end` is cancelled, as if the client had ended it. A server then
    /// finishes the answers that it owes, which is the good way to react to SIGTERM.
    #[must_use]
    pub fn until(mut self, end: CancellationToken) -> Self {
        self.end = end;
        self
    }
}

impl Reader for StdioReader {
    async fn read(&mut self, into: &mut Frames) -> Result<bool, TransportError> {
        tokio::select! {
            biased;
            read = self.lines.read(into) => read,
            () = self.end.cancelled() => Ok(false),
        }
    }
}

/// Writes to the own stdout. A client that has closed its end of stdin and takes nothing for 2 s is
/// gone: the write fails, although its end of stdout is open.
pub struct StdioWriter {
    lines: LineWriter<Sink>,
    client: Option<Client>,
}

impl StdioWriter {
    fn is_client_gone(&self) -> bool {
        self.client.as_ref().is_some_and(Client::is_gone)
    }
}

impl Writer for StdioWriter {
    fn feed(&mut self, packet: &Packet) {
        self.lines.feed(packet);
    }

    fn pending(&self) -> usize {
        self.lines.pending()
    }

    async fn flush(&mut self) -> Result<(), TransportError> {
        loop {
            let waiting = self.lines.pending();
            tokio::select! {
                biased;
                flushed = self.lines.flush() => return flushed,
                // Made only when it is waited for.
                () = async { sleep(LAST).await } => {}
            }
            if self.lines.pending() == waiting && self.is_client_gone() {
                let kind = TransportErrorKind::Ended;
                let reason = "the client ended the connection and reads no answers";
                return Err(TransportError::new(kind, reason));
            }
        }
    }

    /// Sends off what is left, for at most 2 s, and closes.
    async fn close(&mut self) {
        let last = async {
            if self.lines.flush().await.is_ok() {
                self.lines.close().await;
            }
        };
        // Who does not read until then gets no more.
        let _ = timeout(LAST, last).await;
    }
}

impl fmt::Debug for StdioWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.lines.fmt(f)
    }
}

/// Streams that could not be had: fails with the reason, then is at its end.
struct Broken(Option<io::Error>);

impl Broken {
    fn fail<T>(&mut self, then: T) -> Poll<io::Result<T>> {
        Poll::Ready(self.0.take().map_or(Ok(then), Err))
    }
}

impl AsyncRead for Broken {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        _: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.fail(())
    }
}

impl AsyncWrite for Broken {
    fn poll_write(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        _: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.fail(0)
    }

    fn poll_flush(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.fail(())
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
