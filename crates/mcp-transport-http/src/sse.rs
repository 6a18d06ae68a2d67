//! Server-sent events as bytes in and events out, without I/O.
//!
//! Source: the event stream format of the HTML standard, section 9.2; what of it the protocol
//! uses: basic/transports, every revision.

use std::time::Duration;

use bytes::{Buf, Bytes, BytesMut};
use mcp_jsonrpc::Message;

/// One event that carries data.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Event {
    /// The `event` field; `None` means `message`.
    pub name: Option<String>,
    /// The data lines joined by line feeds. Never empty.
    pub data: Bytes,
}

impl Event {
    /// Whether it is a `message` event; the protocol ignores all others.
    #[must_use]
    pub fn is_message(&self) -> bool {
        self.name.as_deref().is_none_or(|name| name == "message")
    }
}

/// A line or an event is longer than the receiver accepts. The stream cannot be read on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the peer sent an event of more than {limit} bytes")]
#[non_exhaustive]
pub struct EventTooLong {
    /// The limit in bytes.
    pub limit: usize,
}

/// Turns bytes, split anywhere, into events.
///
/// Lines end with LF, CR or CRLF. Comments and unknown fields are skipped. An event whose data
/// is empty is not handed out, but its `id` and `retry` count. An event that the end of the
/// stream cuts off is dropped.
///
/// ```
/// use mcp_transport_http::sse::Decoder;
/// let mut decoder = Decoder::new(1024);
/// decoder.feed(b"id: 7\ndata: {\"a\":");
/// assert!(decoder.next_event().unwrap().is_none());
/// decoder.feed(b"1}\n\n");
/// let event = decoder.next_event().unwrap().unwrap();
/// assert_eq!(event.data, r#"{"a":1}"#);
/// assert_eq!(decoder.last_event_id(), Some("7"));
/// ```
#[derive(Debug)]
pub struct Decoder {
    limit: usize,
    /// Bytes that are not yet cut into lines; the first `scanned` of them hold no line end.
    buffer: BytesMut,
    scanned: usize,
    first_line: bool,
    after_cr: bool,
    data: Data,
    name: Option<String>,
    /// The id of the event that is being read; counts when the event is complete.
    id: Option<String>,
    last_event_id: Option<String>,
    retry: Option<Duration>,
}

/// The data of an event: nothing, the one line as it came in, or several lines joined.
#[derive(Debug)]
enum Data {
    None,
    One(Bytes),
    Joined(Vec<u8>),
}

impl Decoder {
    /// A decoder for events of at most `limit` bytes.
    #[must_use]
    pub fn new(limit: usize) -> Self {
        Self {
            limit,
            buffer: BytesMut::new(),
            scanned: 0,
            first_line: true,
            after_cr: false,
            data: Data::None,
            name: None,
            id: None,
            last_event_id: None,
            retry: None,
        }
    }

    /// Takes the next bytes of the stream.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// The next complete event; `None` until more bytes are fed.
    ///
    /// # Errors
    /// When a line, or the data of an event, is longer than the limit.
    pub fn next_event(&mut self) -> Result<Option<Event>, EventTooLong> {
        while let Some(line) = self.next_line()? {
            if !line.is_empty() {
                self.field(&line)?;
            } else if let Some(event) = self.complete() {
                return Ok(Some(event));
            }
        }
        Ok(None)
    }

    /// The id that a resumption names: that of the last complete event that set one.
    #[must_use]
    pub fn last_event_id(&self) -> Option<&str> {
        self.last_event_id.as_deref().filter(|id| !id.is_empty())
    }

    /// How long the peer asks to wait before the stream is opened again.
    #[must_use]
    pub const fn retry(&self) -> Option<Duration> {
        self.retry
    }

    fn next_line(&mut self) -> Result<Option<Bytes>, EventTooLong> {
        if self.after_cr && !self.buffer.is_empty() {
            if self.buffer.first() == Some(&b'\n') {
                self.buffer.advance(1);
            }
            self.after_cr = false;
        }
        let fresh = self.buffer.get(self.scanned..).unwrap_or_default();
        let Some(end) = memchr::memchr2(b'\n', b'\r', fresh) else {
            self.scanned = self.buffer.len();
            return if self.scanned > self.limit {
                Err(self.too_long())
            } else {
                Ok(None)
            };
        };
        let mut line = self.buffer.split_to(self.scanned + end).freeze();
        self.scanned = 0;
        self.after_cr = self.buffer.first() == Some(&b'\r');
        self.buffer.advance(1);
        if line.len() > self.limit {
            return Err(self.too_long());
        }
        if std::mem::take(&mut self.first_line) && line.starts_with(b"\xEF\xBB\xBF") {
            line.advance(3);
        }
        Ok(Some(line))
    }

    fn field(&mut self, line: &Bytes) -> Result<(), EventTooLong> {
        let (name, value) = match memchr::memchr(b':', line) {
            Some(0) => return Ok(()), // a comment
            Some(colon) => {
                let mut value = line.slice(colon + 1..);
                if value.first() == Some(&b' ') {
                    value.advance(1);
                }
                (line.get(..colon).unwrap_or_default(), value)
            }
            None => (line.as_ref(), Bytes::new()),
        };
        match name {
            b"data" => return self.data_line(value),
            b"event" => {
                self.name =
                    (!value.is_empty()).then(|| String::from_utf8_lossy(&value).into_owned());
            }
            b"id" if !value.contains(&0) => {
                self.id = Some(String::from_utf8_lossy(&value).into_owned());
            }
            b"retry" => self.retry = digits(&value).map(Duration::from_millis).or(self.retry),
            _ => {}
        }
        Ok(())
    }

    fn data_line(&mut self, value: Bytes) -> Result<(), EventTooLong> {
        let joined = match &mut self.data {
            Data::None => {
                self.data = Data::One(value);
                return Ok(());
            }
            Data::One(first) => {
                self.data = Data::Joined(first.to_vec());
                return self.data_line(value);
            }
            Data::Joined(joined) => joined,
        };
        if joined.len() + value.len() >= self.limit {
            return Err(self.too_long());
        }
        joined.push(b'\n');
        joined.extend_from_slice(&value);
        Ok(())
    }

    /// A blank line: what the event has set counts from now on.
    fn complete(&mut self) -> Option<Event> {
        if let Some(id) = self.id.take() {
            self.last_event_id = Some(id);
        }
        let name = self.name.take();
        let data = match std::mem::replace(&mut self.data, Data::None) {
            Data::None => return None,
            Data::One(line) => line,
            Data::Joined(lines) => lines.into(),
        };
        (!data.is_empty()).then_some(Event { name, data })
    }

    const fn too_long(&self) -> EventTooLong {
        EventTooLong { limit: self.limit }
    }
}

fn digits(value: &[u8]) -> Option<u64> {
    if value.is_empty() || !value.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(value).ok()?.parse().ok()
}

/// Appends an event that carries a message. An `id` must hold no line end and no NUL.
pub fn encode_message(id: Option<&str>, message: &Message, out: &mut Vec<u8>) {
    encode_id(id, out);
    out.extend_from_slice(b"event: message\ndata: ");
    message.encode_into(out);
    out.extend_from_slice(b"\n\n");
}

/// Appends an event without data: it tells the receiver an id from which to resume, and with
/// `retry` how long to wait before that.
pub fn encode_priming(id: &str, retry: Option<Duration>, out: &mut Vec<u8>) {
    encode_id(Some(id), out);
    if let Some(retry) = retry {
        out.extend_from_slice(format!("retry: {}\n", retry.as_millis()).as_bytes());
    }
    out.extend_from_slice(b"data: \n\n");
}

/// A comment line that keeps a quiet stream alive.
pub const KEEP_ALIVE: &[u8] = b": keep-alive\n\n";

fn encode_id(id: Option<&str>, out: &mut Vec<u8>) {
    if let Some(id) = id {
        out.extend_from_slice(b"id: ");
        out.extend_from_slice(id.as_bytes());
        out.push(b'\n');
    }
}
