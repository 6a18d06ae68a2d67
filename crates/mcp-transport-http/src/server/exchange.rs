//! The way back to who sent a POST, for the handlers that answer it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Waker};

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
    /// Whoever runs the handlers.
    driver: Mutex<Option<Waker>>,
}

impl Exchange {
    pub(super) fn new(session: Option<Arc<Session>>) -> Self {
        Self {
            outbox: Outbox::new(),
            session,
            driver: Mutex::default(),
        }
    }

    fn driver(&self) -> MutexGuard<'_, Option<Waker>> {
        self.driver.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Who polls here runs the handlers from now on.
    pub(super) fn drive(&self, cx: &Context<'_>) {
        // Nobody else gives up what stands alone.
        if self.session.is_none() {
            return;
        }
        match &mut *self.driver() {
            Some(waker) => waker.clone_from(cx.waker()),
            none => *none = Some(cx.waker().clone()),
        }
    }

    /// Has whoever runs the handlers look at their tokens.
    pub(super) fn given_up(&self) {
        let driver = self.driver().take();
        if let Some(driver) = driver {
            driver.wake();
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
