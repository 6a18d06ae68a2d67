//! A connected pair in memory, for tests and for a client and a server in one process.

use std::collections::VecDeque;

use bytes::{Bytes, BytesMut};
use mcp_jsonrpc::{Frame, Packet};
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TrySendError;

use crate::{Frames, Reader, TransportError, TransportErrorKind, Writer};

/// Packets up to `SMALL` bytes share buffers of `ROOM`; a larger one has its own.
const SMALL: usize = 4 * 1024;
const ROOM: usize = 16 * 1024;

/// The two halves of one end.
pub type MemoryEnd = (MemoryReader, MemoryWriter);

/// Two connected ends: what one writes, the other reads.
///
/// Packets travel as their JSON text, so both ends run the same encoder and decoder as over a
/// pipe. At most `capacity` packets (at least 1) wait in each direction; a writer then waits for
/// its reader.
#[must_use]
pub fn memory(capacity: usize) -> (MemoryEnd, MemoryEnd) {
    let (to_b, from_a) = mpsc::channel(capacity.max(1));
    let (to_a, from_b) = mpsc::channel(capacity.max(1));
    let a = (MemoryReader::new(from_b), MemoryWriter::new(to_b));
    let b = (MemoryReader::new(from_a), MemoryWriter::new(to_a));
    (a, b)
}

/// Reads what the other end has written.
#[derive(Debug)]
pub struct MemoryReader {
    texts: mpsc::Receiver<Bytes>,
    batch: Vec<Bytes>,
}

impl MemoryReader {
    /// The most packets that one [`read`](Reader::read) takes.
    const AT_ONCE: usize = 64;

    fn new(texts: mpsc::Receiver<Bytes>) -> Self {
        Self {
            texts,
            batch: Vec::new(),
        }
    }

    /// The next packet as the text that was written, undecoded; `None` at the end of the stream.
    ///
    /// # Cancel safety
    /// Dropping the future loses nothing.
    pub async fn read_text(&mut self) -> Option<Bytes> {
        self.texts.recv().await
    }
}

impl Reader for MemoryReader {
    async fn read(&mut self, into: &mut Frames) -> Result<bool, TransportError> {
        let count = self.texts.recv_many(&mut self.batch, Self::AT_ONCE).await;
        into.extend(self.batch.drain(..).map(Frame::decode));
        Ok(count > 0)
    }
}

/// Writes to the other end. Dropping it ends the stream there.
#[derive(Debug)]
pub struct MemoryWriter {
    texts: Option<mpsc::Sender<Bytes>>,
    fed: VecDeque<Bytes>,
    pending: usize,
    scratch: Vec<u8>,
    shared: BytesMut,
}

impl MemoryWriter {
    fn new(texts: mpsc::Sender<Bytes>) -> Self {
        Self {
            texts: Some(texts),
            fed: VecDeque::new(),
            pending: 0,
            scratch: Vec::new(),
            shared: BytesMut::new(),
        }
    }

    /// Feeds any text as one line, so that a test can play a peer that breaks the rules.
    pub fn feed_text(&mut self, text: impl Into<Bytes>) {
        let text = text.into();
        self.pending += text.len();
        self.fed.push_back(text);
    }

    /// What was encoded, as a text of its own.
    fn encoded(&mut self) -> Bytes {
        if self.scratch.len() > SMALL {
            return std::mem::take(&mut self.scratch).into();
        }
        if self.shared.capacity() < self.scratch.len() {
            // The same again, if nobody has any of it any more.
            self.shared.reserve(ROOM);
        }
        self.shared.extend_from_slice(&self.scratch);
        self.shared.split().freeze()
    }
}

impl Writer for MemoryWriter {
    fn feed(&mut self, packet: &Packet) {
        self.scratch.clear();
        packet.encode_into(&mut self.scratch);
        let text = self.encoded();
        self.feed_text(text);
    }

    fn is_local(&self) -> bool {
        true
    }

    fn pending(&self) -> usize {
        self.pending
    }

    async fn flush(&mut self) -> Result<(), TransportError> {
        let Some(texts) = &self.texts else {
            let kind = TransportErrorKind::ClosedHere;
            return Err(TransportError::new(kind, "this end was closed"));
        };
        while !self.fed.is_empty() {
            let permit = match texts.try_reserve() {
                Err(TrySendError::Full(())) => texts.reserve().await.ok(),
                tried => tried.ok(),
            };
            let Some(permit) = permit else {
                let kind = TransportErrorKind::Ended;
                return Err(TransportError::new(kind, "the other end is gone"));
            };
            if let Some(text) = self.fed.pop_front() {
                self.pending -= text.len();
                permit.send(text);
            }
        }
        Ok(())
    }

    async fn close(&mut self) {
        self.texts = None;
    }
}
