//! The framing of stdio over any pair of byte streams.

use std::fmt;

use mcp_jsonrpc::{Line, LineDecoder, Packet, encode_line};
use mcp_transport::{Frames, Reader, TransportError, TransportErrorKind, Writer};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};

/// Once a read has filled its room, the next ones ask for this many bytes: what a pipe holds.
const CHUNK: usize = 64 * 1024;
/// A write buffer gives room back from this many bytes on.
const KEEP: usize = 256 * 1024;

/// Reads one JSON text per line.
///
/// A line that is no message is passed on as what is wrong with it; the stream goes on behind it.
pub struct LineReader<R> {
    source: R,
    decoder: LineDecoder,
    full: bool,
    ended: bool,
}

impl<R: AsyncRead + Unpin> LineReader<R> {
    /// A reader that accepts lines of at most `limit` bytes.
    pub fn new(source: R, limit: usize) -> Self {
        Self {
            source,
            decoder: LineDecoder::new(limit),
            full: false,
            ended: false,
        }
    }

    /// Appends the frames that are there already, without the lines that `skips` takes.
    pub(crate) fn take(&mut self, into: &mut Frames, skips: impl Fn(&Line) -> bool) {
        let limit = self.decoder.limit();
        while let Some(line) = self.decoder.next_line() {
            if !skips(&line) {
                into.push(line.decode(limit));
            }
        }
        if self.ended {
            // What stands behind the last line end may have been cut off.
            let last = self
                .decoder
                .finish()
                .and_then(|line| line.decode(limit).ok());
            into.extend(last.map(Ok));
        }
    }

    /// Reads once.
    ///
    /// # Cancel safety
    /// What was read is in the decoder.
    pub(crate) async fn fill(&mut self) -> std::io::Result<()> {
        let buffer = self.decoder.buffer();
        if self.full {
            buffer.reserve(CHUNK);
        }
        let room = buffer.capacity() - buffer.len();
        let count = self.source.read_buf(buffer).await?;
        self.full = count == room;
        self.ended = count == 0;
        Ok(())
    }

    /// Whether the end of the stream has been read.
    pub(crate) const fn ended(&self) -> bool {
        self.ended
    }

    /// Stops waiting for the end of a stream that somebody else keeps open.
    pub(crate) const fn end(&mut self) {
        self.ended = true;
    }
}

impl<R: AsyncRead + Send + Unpin + 'static> Reader for LineReader<R> {
    async fn read(&mut self, into: &mut Frames) -> Result<bool, TransportError> {
        let before = into.len();
        loop {
            self.take(into, |_| false);
            if into.len() > before {
                return Ok(true);
            }
            if self.ended {
                return Ok(false);
            }
            self.fill().await?;
        }
    }
}

impl<R> fmt::Debug for LineReader<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LineReader")
            .field("limit", &self.decoder.limit())
            .field("ended", &self.ended)
            .finish_non_exhaustive()
    }
}

/// Writes one JSON text per line; all that was fed goes out in one write.
pub struct LineWriter<W> {
    sink: Option<W>,
    bytes: Vec<u8>,
    written: usize,
}

impl<W: AsyncWrite + Unpin> LineWriter<W> {
    /// A writer to `sink`.
    pub const fn new(sink: W) -> Self {
        Self {
            sink: Some(sink),
            bytes: Vec::new(),
            written: 0,
        }
    }

    async fn write_all(&mut self) -> Result<(), TransportError> {
        let Some(sink) = &mut self.sink else {
            let kind = TransportErrorKind::ClosedHere;
            return Err(TransportError::new(kind, "this stream was closed"));
        };
        while let Some(rest) = self.bytes.get(self.written..).filter(|r| !r.is_empty()) {
            match sink.write(rest).await? {
                0 => return Err(std::io::Error::from(std::io::ErrorKind::WriteZero).into()),
                n => self.written += n,
            }
            // Who never catches up with what is fed must not keep all that was ever written.
            if self.written >= KEEP && self.written >= self.bytes.len() / 2 {
                self.bytes.drain(..self.written);
                self.written = 0;
            }
        }
        sink.flush().await?;
        Ok(())
    }
}

impl<W: AsyncWrite + Send + Unpin + 'static> Writer for LineWriter<W> {
    fn feed(&mut self, packet: &Packet) {
        encode_line(packet, &mut self.bytes);
    }

    fn pending(&self) -> usize {
        self.bytes.len() - self.written
    }

    async fn flush(&mut self) -> Result<(), TransportError> {
        self.write_all().await?;
        self.bytes.clear();
        self.written = 0;
        if self.bytes.capacity() > KEEP {
            self.bytes = Vec::new();
        }
        Ok(())
    }

    async fn close(&mut self) {
        if let Some(mut sink) = self.sink.take() {
            // The peer sees the end when the sink is dropped, whatever this says.
            let _ = sink.shutdown().await;
        }
    }
}

impl<W> fmt::Debug for LineWriter<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LineWriter")
            .field("pending", &(self.bytes.len() - self.written))
            .field("closed", &self.sink.is_none())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use mcp_jsonrpc::{Message, RawJson, Request};

    use super::*;

    #[tokio::test]
    async fn a_writer_that_is_never_done_keeps_no_more_than_what_waits() {
        let (here, mut there) = tokio::io::duplex(1024);
        let mut writer = LineWriter::new(here);
        let text = RawJson::from(serde_json::Value::from("x".repeat(CHUNK)));
        let message: Packet = Message::from(Request::new(1, "a", Some(text))).into();
        writer.feed(&message);
        let mut sink = vec![0; CHUNK];
        for _ in 0..200 {
            writer.feed(&message);
            tokio::select! {
                biased;
                flushed = writer.flush() => flushed.unwrap(),
                read = there.read_exact(&mut sink) => assert!(read.is_ok()),
            }
            assert!(writer.pending() > 0, "never done");
        }
        assert!(
            writer.bytes.capacity() < 8 * KEEP,
            "{}",
            writer.bytes.capacity()
        );
    }
}
