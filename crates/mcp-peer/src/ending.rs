//! How a connection ends: which half is left, what is still to be done, and for how long.

use std::future::poll_fn;
use std::sync::Arc;

use mcp_transport::{Reader, TransportError, TransportErrorKind};
use tokio::time::Instant;

use crate::driver::{Driver, Role};
use crate::inward::Inward;
use crate::shared::{Shared, closed_here};

impl Driver {
    /// A client reads whatever happens: if it stopped while its server waits for it to read,
    /// both would wait for ever. A server may stop.
    pub(crate) fn may_read(&self) -> bool {
        let crowded = self.pending() > self.options.max_unwritten;
        self.reads && !(self.role == Role::Server && crowded)
    }

    /// A server asks and asks and does not read the answers.
    pub(crate) fn give_up(&mut self) {
        (self.reads, self.writes) = (false, false);
        let kind = TransportErrorKind::Violation;
        let reason = TransportError::new(kind, "the server sends requests and reads no answers");
        self.shared.stop(reason);
    }

    pub(crate) fn read(&mut self, read: Result<bool, TransportError>) {
        let reason = match read {
            Ok(true) => return,
            Ok(false) => {
                TransportError::new(TransportErrorKind::Ended, "the peer ended the connection")
            }
            Err(reason) => reason,
        };
        self.reads = false;
        // What came before the end counts.
        self.turn();
        while !self.frames.is_empty() {
            self.turn();
        }
        if !self.writes {
            self.shared.explain();
        }
        self.shared.stop(reason);
    }

    pub(crate) fn flushed(&mut self, flushed: Result<(), TransportError>) {
        let Err(reason) = flushed else { return };
        self.writes = false;
        match self.role {
            // The server may have answered before it stopped to listen, so calls in flight go on.
            Role::Client => self.shared.refuse(Arc::new(reason)),
            // Nobody hears what a server does any more.
            Role::Server => self.shared.stop(reason),
        }
    }

    pub(crate) fn is_over(&self) -> bool {
        let Some(deadline) = self.deadline else {
            return false;
        };
        let done = match self.role {
            Role::Client if !self.reads => true,
            Role::Client => self.writes && self.outlet.is_some() && self.pending() == 0,
            Role::Server if !self.writes => true,
            Role::Server => self.requests.is_idle() && self.pending() == 0,
        };
        done && self.frames.is_empty() || Instant::now() >= deadline
    }

    /// Ends the stream in good order. A peer that still writes must not block meanwhile.
    pub(crate) async fn end(mut self, mut reader: impl Reader) {
        self.shared.stop(closed_here("the connection was closed"));
        drop((self.requests, self.notifications));
        let mut outlet = match self.outlet {
            Some(outlet) => outlet,
            None => poll_fn(|cx| self.shared.poll_outlet(cx)).await,
        };
        let discard = async {
            while self.reads && matches!(reader.read(&mut self.frames).await, Ok(true)) {
                self.frames.clear();
            }
            std::future::pending::<()>().await;
        };
        tokio::select! {
            () = outlet.close() => {}
            () = discard => {}
        }
    }
}

/// However the driver ends, even if its runtime drops it, nobody waits for it any more.
pub(crate) struct Finish(Arc<Shared>, Inward);

impl Finish {
    pub(crate) const fn new(shared: Arc<Shared>, inward: Inward) -> Self {
        Self(shared, inward)
    }
}

impl Drop for Finish {
    fn drop(&mut self) {
        let Self(shared, inward) = self;
        inward.end();
        shared.finish(closed_here("the task of the connection was dropped"));
    }
}
