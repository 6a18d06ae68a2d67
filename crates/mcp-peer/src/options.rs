//! The bounds of a connection.

use std::time::Duration;

use mcp_jsonrpc::Limits;

/// The bounds of a connection. The defaults suit both roles.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PeerOptions {
    /// How many of our calls are in flight at once, at least 1; further ones wait. Default: 1024.
    pub max_calls: usize,
    /// How many requests of the peer are in flight at once; further ones are answered with an
    /// error. Default: 1024.
    pub max_requests: usize,
    /// How many of these run at once, at least 1; the others wait their turn. A request whose
    /// handler does not wait for anything does not count. Default: 256.
    pub max_handlers: usize,
    /// How many notifications of the peer wait for those before them; further ones are dropped,
    /// with a line in the log. Default: 1024.
    pub max_notifications: usize,
    /// How many bytes wait to be written before our notifications wait, and before a server
    /// stops to read. Default: 4 MiB.
    pub max_unwritten: usize,
    /// How long the end of a connection may take: to write what is queued, to answer what is
    /// owed. Default: 2 s.
    pub grace: Duration,
}

impl Default for PeerOptions {
    fn default() -> Self {
        Self {
            max_calls: 1024,
            max_requests: 1024,
            max_handlers: 256,
            max_notifications: 1024,
            max_unwritten: 4 * 1024 * 1024,
            grace: Duration::from_secs(2),
        }
    }
}

impl PeerOptions {
    /// A client cannot stop to read, or its server might stop as well. So it ends a connection
    /// whose server sends requests but does not read the answers, at this many bytes of them.
    pub(crate) const fn max_unread_answers(&self) -> usize {
        self.max_unwritten.saturating_mul(16)
    }

    pub(crate) fn limits(&self) -> Limits {
        Limits {
            max_outgoing: self.max_calls.max(1),
            max_incoming: self.max_requests,
        }
    }
}
