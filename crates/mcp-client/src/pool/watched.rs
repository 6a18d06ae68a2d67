//! How far an attempt to connect has come, for what to say when its time is over.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use mcp_interceptors::Phase;
use mcp_protocol::RequestContext;
use mcp_transport::{BoxFuture, Handler};

use crate::{Connect, ConnectError, Link, StderrTail};

/// Connects as another does, and notes how far that came.
#[derive(Debug)]
pub(super) struct Watched {
    connect: Arc<dyn Connect>,
    /// Whether it is for a single call.
    once: bool,
    open: Mutex<Option<Open>>,
}

/// What is known of an open connection.
#[derive(Debug)]
struct Open {
    stderr: Option<StderrTail>,
    hint: Option<Arc<str>>,
}

impl Watched {
    pub(super) fn new(connect: Arc<dyn Connect>, once: bool) -> Self {
        Self {
            connect,
            once,
            open: Mutex::default(),
        }
    }

    /// The error for an attempt that was given up after this long.
    pub(super) fn timed_out(&self, limit: Duration) -> ConnectError {
        let Some(open) = &*self.lock() else {
            return ConnectError::new(Phase::Connect, format!("no connection within {limit:?}"));
        };
        let stderr = open.stderr.as_ref().and_then(StderrTail::read);
        let mut message = format!("the server did not answer within {limit:?}");
        message.extend(open.hint.iter().flat_map(|hint| ["; ", hint]));
        ConnectError::new(Phase::Handshake, message).with_stderr(stderr)
    }

    fn lock(&self) -> MutexGuard<'_, Option<Open>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Connect for Watched {
    fn connect(
        &self,
        handler: Arc<dyn Handler<RequestContext>>,
    ) -> BoxFuture<'_, Result<Link, ConnectError>> {
        Box::pin(async move {
            let opening = if self.once {
                self.connect.connect_once(handler)
            } else {
                self.connect.connect(handler)
            };
            let link = opening.await?;
            *self.lock() = Some(Open {
                stderr: link.stderr.clone(),
                hint: link.hint.clone(),
            });
            Ok(link)
        })
    }
}
