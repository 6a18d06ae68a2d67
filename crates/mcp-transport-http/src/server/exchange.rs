//! The way back to who sent a POST, for the handlers that answer it.

use std::sync::Arc;

use futures_util::task::AtomicWaker;
use mcp_jsonrpc::{Message, Notification, RawJson};
use mcp_transport::{
    BoxFuture, Call, CallError, Channel, Delivery, TransportError, TransportErrorKind,
};

use super::outbox::Outbox;
use super::session::Session;

/// The channel of the handlers of one POST: what they send goes out before their answer.
#[derive(Debug)]
pub(super) struct Exchange {
    pub(super) outbox: Outbox,
    /// In the handshake era, where there are sessions.
    pub(super) session: Option<Arc<Session>>,
    /// Wakes whoever runs the handlers, so that it looks at their tokens.
    pub(super) driver: AtomicWaker,
}

impl Exchange {
    pub(super) fn new(session: Option<Arc<Session>>) -> Self {
        Self {
            outbox: Outbox::new(),
            session,
            driver: AtomicWaker::new(),
        }
    }

    async fn send(&self, message: Message) -> Result<(), CallError> {
        let error = match self.outbox.push_in_turn(&message).await {
            Ok(()) => return Ok(()),
            Err(done) => done,
        };
        match &self.session {
            // The answer is out; what comes later belongs to the session.
            Some(session) => session.lane.push_in_turn(&message).await,
            None => Err(error),
        }
        .map_err(|_| answered())
    }
}

impl Channel for Exchange {
    fn call(&self, call: Call) -> BoxFuture<'_, Result<RawJson, CallError>> {
        Box::pin(async move {
            match &self.session {
                Some(session) => session.ask(call, &self.outbox).await,
                None => Err(not_here()),
            }
        })
    }

    fn notify(&self, notification: Notification) -> BoxFuture<'_, Result<(), CallError>> {
        Box::pin(self.send(notification.into()))
    }

    /// Does nothing: the exchange ends with its answer.
    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }

    fn closed(&self) -> BoxFuture<'_, Arc<TransportError>> {
        Box::pin(async {
            match &self.session {
                Some(session) => session.ended().await,
                None => std::future::pending().await,
            }
        })
    }

    fn negotiated(&self, _: &str) {}
}

fn answered() -> CallError {
    not_sent(TransportErrorKind::Ended, "the request has been answered")
}

fn not_here() -> CallError {
    not_sent(
        TransportErrorKind::Violation,
        "without a session the server sends no requests",
    )
}

pub(super) fn not_sent(kind: TransportErrorKind, message: &str) -> CallError {
    CallError::Closed {
        reason: Arc::new(TransportError::new(kind, message)),
        delivery: Delivery::NotSent,
    }
}
