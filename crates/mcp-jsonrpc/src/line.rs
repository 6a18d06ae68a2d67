//! Newline framing: bytes in, lines out, with a limit.

use bytes::{Buf, Bytes, BytesMut};

use crate::{DecodeError, Frame, Packet};

/// With less room than this left for a read, in bytes, the buffer is made larger.
const LITTLE: usize = 2 * 1024;
/// How much room is made then, in bytes: at first, and for a peer that fills it each time.
const ROOM: std::ops::RangeInclusive<usize> = 8 * 1024..=64 * 1024;
/// A buffer that a long line has grown beyond this many bytes is given back afterwards.
const KEEP: usize = 128 * 1024;
/// How much of each end of a line that is too long is kept, in bytes.
const ENDS: usize = 256;
const BOM: &[u8] = b"\xEF\xBB\xBF";

/// Splits a byte stream into lines.
///
/// Only the byte 0x0A ends a line; one 0x0D before it is dropped, as is a byte order mark before
/// the first line. Blank lines are skipped. A line longer than the limit is dropped up to its
/// end, in constant memory, and reported as [`Line::TooLong`]; the next line is read as usual.
/// Lines share the buffer that they were read into, and no byte is looked at twice.
///
/// Sources: the stdio transport of every revision (UTF-8, delimited by newlines).
///
/// ```
/// use mcp_jsonrpc::{Line, LineDecoder};
/// let mut decoder = LineDecoder::new(1024);
/// decoder.buffer().extend_from_slice(b"{}\r\n\n[]\n{\"half\":");
/// assert_eq!(decoder.next_line(), Some(Line::Text("{}".into())));
/// assert_eq!(decoder.next_line(), Some(Line::Text("[]".into())));
/// assert_eq!(decoder.next_line(), None);
/// ```
#[derive(Debug)]
pub struct LineDecoder {
    limit: usize,
    buffer: BytesMut,
    /// How many bytes of `buffer` are known to hold no line end.
    scanned: usize,
    /// How much room to make for a read.
    room: usize,
    /// Whether no line has begun yet, so that a byte order mark may follow.
    at_start: bool,
    /// Whether `buffer` has been grown beyond `KEEP`.
    grown: bool,
    /// The ends of the line that is being dropped.
    dropping: Option<Ends>,
}

/// One line without its end.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Line {
    /// A line within the limit, not blank; its bytes are not yet known to be UTF-8 or JSON.
    Text(Bytes),
    /// A line beyond the limit, of which only the ends are left.
    TooLong(Ends),
}

/// What is left of a line that was too long: its first and its last 256 bytes, where most
/// writers put the id.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ends {
    head: Vec<u8>,
    tail: Vec<u8>,
}

impl LineDecoder {
    /// The limit that fits most connections: 32 MiB, enough for a tool result with images.
    pub const DEFAULT_LIMIT: usize = 32 * 1024 * 1024;

    /// A decoder for lines of at most `limit` bytes, their ends not counted.
    #[must_use]
    pub fn new(limit: usize) -> Self {
        Self {
            limit,
            buffer: BytesMut::new(),
            scanned: 0,
            room: *ROOM.start(),
            at_start: true,
            grown: false,
            dropping: None,
        }
    }

    /// The longest line that is accepted, in bytes.
    #[must_use]
    pub const fn limit(&self) -> usize {
        self.limit
    }

    /// The buffer to append what was read to, with at least 2 KiB of room. Bytes that are in it
    /// already must stay.
    pub fn buffer(&mut self) -> &mut BytesMut {
        let left = self.buffer.capacity() - self.buffer.len();
        if left < LITTLE {
            if left == 0 && !self.at_start {
                self.room = (self.room * 2).min(*ROOM.end());
            }
            // To double a line that is still growing keeps the copying linear.
            self.buffer.reserve(self.room.max(self.buffer.len()));
            self.grown |= self.buffer.capacity() > KEEP;
        }
        &mut self.buffer
    }

    /// The next line that is complete; `None` when more bytes are needed.
    pub fn next_line(&mut self) -> Option<Line> {
        loop {
            let unscanned = self.buffer.get(self.scanned..).unwrap_or_default();
            let Some(end) = memchr::memchr(b'\n', unscanned) else {
                self.scanned = self.buffer.len();
                self.drop_excess();
                return None;
            };
            let end = self.scanned + end;
            self.scanned = 0;
            if let Some(line) = self.take_line(end, 1) {
                return Some(line);
            }
        }
    }

    /// The next line that is complete, decoded; `None` when more bytes are needed.
    pub fn next_frame(&mut self) -> Option<Result<Frame, DecodeError>> {
        self.next_line().map(|line| line.decode(self.limit))
    }

    /// The last line, where the stream has ended without a line end. Call it when
    /// [`next_line`](Self::next_line) has nothing more.
    ///
    /// What such a line holds may have been cut off: process it if it decodes, else drop it.
    pub fn finish(&mut self) -> Option<Line> {
        self.scanned = 0;
        let end = self.buffer.len();
        self.take_line(end, 0)
    }

    /// Takes `end` bytes and the line end behind them off the buffer.
    fn take_line(&mut self, end: usize, line_end: usize) -> Option<Line> {
        if let Some(mut ends) = self.dropping.take() {
            ends.push(self.buffer.get(..end).unwrap_or_default());
            self.buffer.advance(end + line_end);
            self.give_back();
            return Some(Line::TooLong(ends));
        }
        let raw = self.buffer.get(..end).unwrap_or_default();
        let skip = if self.at_start && raw.starts_with(BOM) {
            BOM.len()
        } else {
            0
        };
        let body = content(raw.get(skip..).unwrap_or_default());
        let (from, to) = (skip, skip + body.len());
        let blank = body.trim_ascii().is_empty();
        let too_long = (body.len() > self.limit).then(|| Ends::of(body));
        if end + line_end > 0 {
            self.at_start = false;
        }
        let line = if blank || too_long.is_some() {
            self.buffer.advance(end + line_end);
            too_long.map(Line::TooLong)
        } else {
            let mut line = self.buffer.split_to(end + line_end).freeze();
            line.truncate(to);
            line.advance(from);
            Some(Line::Text(line))
        };
        self.give_back();
        line
    }

    /// Drops what is there of a line that is already too long, save its ends.
    fn drop_excess(&mut self) {
        // The byte order mark and a carriage return do not count.
        if self.dropping.is_none() && self.buffer.len() <= self.limit.saturating_add(BOM.len() + 1)
        {
            return;
        }
        let raw = &self.buffer[..];
        let raw = if self.at_start {
            raw.strip_prefix(BOM).unwrap_or(raw)
        } else {
            raw
        };
        self.dropping.get_or_insert_default().push(raw);
        self.at_start = false;
        self.buffer.clear();
        self.scanned = 0;
        self.give_back();
    }

    /// Leaves a buffer that a long line has grown, as soon as little is in it.
    fn give_back(&mut self) {
        if self.grown && self.buffer.len() <= LITTLE {
            self.buffer = BytesMut::from(&self.buffer[..]);
            self.grown = false;
        }
    }
}

impl Line {
    /// Decodes the line; `limit` is named where the line is too long.
    ///
    /// # Errors
    /// As [`Frame::decode`], and [`DecodeError::TooLong`] with the id if it could be found.
    pub fn decode(self, limit: usize) -> Result<Frame, DecodeError> {
        match self {
            Self::Text(text) => Frame::decode(text),
            Self::TooLong(ends) => Err(DecodeError::too_long(&ends.head, &ends.tail, limit)),
        }
    }
}

impl Ends {
    fn of(line: &[u8]) -> Self {
        let mut ends = Self::default();
        ends.push(line);
        ends
    }

    fn push(&mut self, bytes: &[u8]) {
        let head = bytes.len().min(ENDS - self.head.len());
        self.head.extend(bytes.iter().take(head));
        let fresh = bytes
            .get(bytes.len().saturating_sub(ENDS)..)
            .unwrap_or_default();
        let stale = (self.tail.len() + fresh.len()).saturating_sub(ENDS);
        self.tail.drain(..stale);
        self.tail.extend_from_slice(fresh);
    }
}

/// Appends a packet and its line end.
pub fn encode_line(packet: &Packet, out: &mut Vec<u8>) {
    packet.encode_into(out);
    out.push(b'\n');
}

/// The line without the carriage return of a CRLF line end.
fn content(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}
