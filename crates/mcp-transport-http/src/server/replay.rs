//! Streams that a client can come back to: what their events are called, which there are, how a
//! handler has its stream closed for a while.
//!
//! Source: basic/transports, Resumability and Redelivery, 2025-03-26 to 2025-11-25.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::exchange::Exchange;
use super::session::Session;

/// The label of the stream that belongs to the session itself.
pub(super) const LANE: u64 = 0;
/// How many streams of a session are known at once; the oldest finished ones go first.
const MAX_STREAMS: usize = 32;
/// How long a finished stream can be come back to.
const RETENTION: Duration = Duration::from_secs(60);

/// Unique in its session, and tells the stream.
pub(super) fn event_id(label: u64, number: u64) -> String {
    format!("{label}-{number}")
}

pub(super) fn parse_event_id(id: &str) -> Option<(u64, u64)> {
    let (label, number) = id.split_once('-')?;
    Some((label.parse().ok()?, number.parse().ok()?))
}

/// The streams of a session, by label.
#[derive(Debug, Default)]
pub(super) struct Streams(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    last: u64,
    streams: BTreeMap<u64, Arc<Exchange>>,
}

impl Streams {
    fn lock(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Forgets those that were finished a while ago.
    pub(super) fn prune(&self) {
        self.lock()
            .streams
            .retain(|_, stream| stream.outbox.done_for().is_none_or(|time| time < RETENTION));
    }

    pub(super) fn clear(&self) {
        let streams = std::mem::take(&mut self.lock().streams);
        drop(streams);
    }
}

impl Session {
    /// Makes a stream one that the client can come back to, and gives it a label.
    pub(super) fn register(&self, stream: &Arc<Exchange>) -> u64 {
        let mut known = self.streams.lock();
        if known.streams.len() >= MAX_STREAMS {
            let finished = known
                .streams
                .iter()
                .find(|(_, stream)| stream.outbox.is_done());
            let oldest = finished.or_else(|| known.streams.first_key_value());
            if let Some(label) = oldest.map(|(label, _)| *label) {
                known.streams.remove(&label);
            }
        }
        known.last += 1;
        let label = known.last;
        known.streams.insert(label, Arc::clone(stream));
        label
    }

    pub(super) fn stream(&self, label: u64) -> Option<Arc<Exchange>> {
        self.streams.lock().streams.get(&label).cloned()
    }
}

/// Lets a handler close the stream of its request for a while, in revision 2025-11-25: the client
/// comes back for the rest. So a request that takes long holds no connection.
///
/// It stands in the [extensions](mcp_transport::Incoming::extensions) of requests whose stream
/// can be come back to.
///
/// ```
/// use std::time::Duration;
/// use mcp_transport_http::StreamControl;
/// # fn f(extensions: &http::Extensions) {
/// if let Some(stream) = extensions.get::<StreamControl>() {
///     stream.release(Duration::from_secs(2));
/// }
/// # }
/// ```
#[derive(Clone)]
pub struct StreamControl(pub(super) Arc<Exchange>);

impl StreamControl {
    /// Closes the stream; the client comes back after `retry`. What is sent meanwhile waits.
    pub fn release(&self, retry: Duration) {
        self.0.outbox.release(retry);
    }
}

impl fmt::Debug for StreamControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StreamControl")
    }
}

#[cfg(test)]
mod tests {
    use super::{event_id, parse_event_id};

    #[test]
    fn http_44_an_event_id_tells_its_stream() {
        assert_eq!(parse_event_id(&event_id(3, 14)), Some((3, 14)));
        for bad in [
            "",
            "3",
            "3-",
            "-3",
            "a-b",
            "3-4-5",
            "99999999999999999999-1",
        ] {
            assert_eq!(parse_event_id(bad), None, "{bad:?}");
        }
    }
}
