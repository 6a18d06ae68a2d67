//! One client of the handshake era, from `initialize` to the end of its session.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use mcp_jsonrpc::{Id, Notification, RawJson};
use mcp_protocol::RequestContext;
use mcp_protocol::lifecycle::ServerHandshake;
use mcp_transport::{BoxFuture, Call, CallError, Channel, TransportError, TransportErrorKind};
use tokio::sync::oneshot;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::exchange::{Exchange, not_sent};
use super::notices::Notices;
use super::outbox::Outbox;
use super::replay::Streams;
use crate::progress::ProgressTable;

pub(super) type Answer = oneshot::Sender<Result<RawJson, CallError>>;

#[derive(Debug)]
pub(super) struct Session {
    pub(super) id: String,
    /// What the handshake has agreed on.
    pub(super) context: RequestContext,
    pub(super) handshake: Mutex<ServerHandshake>,
    /// Who opened it.
    pub(super) principal: Option<String>,
    /// What goes out by the stream that GET opens.
    pub(super) lane: Outbox,
    pub(super) notices: Notices,
    /// Those of its requests that the client can come back to.
    pub(super) streams: Streams,
    /// Our requests that the client has not answered.
    pub(super) asked: Mutex<HashMap<u64, Answer>>,
    pub(super) next_id: AtomicU64,
    pub(super) progress: Arc<ProgressTable>,
    pub(super) over: CancellationToken,
    /// What layers above see of it.
    pub(super) face: mcp_transport::Session,
    in_flight: Mutex<HashMap<Id, (CancellationToken, Arc<Exchange>)>>,
    users: AtomicUsize,
    last_used: Mutex<Instant>,
}

impl Session {
    pub(super) fn new(
        id: String,
        context: RequestContext,
        handshake: ServerHandshake,
        principal: Option<String>,
    ) -> Arc<Self> {
        Arc::new_cyclic(|this| Self {
            id,
            context,
            handshake: Mutex::new(handshake),
            principal,
            lane: Outbox::new(),
            notices: Notices::default(),
            streams: Streams::default(),
            asked: Mutex::default(),
            next_id: AtomicU64::new(1),
            progress: Arc::default(),
            over: CancellationToken::new(),
            face: mcp_transport::Session::new(Arc::new(Lane(Weak::clone(this)))),
            in_flight: Mutex::default(),
            users: AtomicUsize::new(0),
            last_used: Mutex::new(Instant::now()),
        })
    }

    fn in_flight(&self) -> MutexGuard<'_, HashMap<Id, (CancellationToken, Arc<Exchange>)>> {
        self.in_flight
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// `notifications/initialized` has come; `false` if it had come before.
    pub(super) fn initialized(&self) -> bool {
        self.handshake
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .initialized()
    }

    /// Notes a request, with what is cancelled when the client gives it up; `None` where one with
    /// its id is in flight.
    pub(super) fn begin(
        self: &Arc<Self>,
        id: &Id,
        token: &CancellationToken,
        exchange: &Arc<Exchange>,
    ) -> Option<InFlight> {
        match self.in_flight().entry(id.clone()) {
            Entry::Occupied(_) => return None,
            Entry::Vacant(free) => free.insert((token.clone(), Arc::clone(exchange))),
        };
        Some(InFlight {
            session: Arc::clone(self),
            id: id.clone(),
            exchange: Arc::clone(exchange),
        })
    }

    /// The client gives a request up; `false` if it is not in flight, and none of our business.
    pub(super) fn cancel(&self, id: &Id) -> bool {
        let Some((token, exchange)) = self.in_flight().remove(id) else {
            return false;
        };
        token.cancel();
        exchange.given_up();
        true
    }

    /// Ends all that belongs to the session.
    pub(super) fn end(&self) {
        self.over.cancel();
        self.face.ended().cancel();
        self.lane.finish();
        self.streams.clear();
        let requests = std::mem::take(&mut *self.in_flight());
        for (token, exchange) in requests.into_values() {
            token.cancel();
            exchange.given_up();
        }
    }

    pub(super) async fn ended(&self) -> Arc<TransportError> {
        self.over.cancelled().await;
        Arc::new(TransportError::new(
            TransportErrorKind::Ended,
            "the session has ended",
        ))
    }

    /// Marks the session as used, until the guard goes.
    pub(super) fn enter(self: &Arc<Self>) -> InUse {
        self.users.fetch_add(1, Ordering::AcqRel);
        InUse(Arc::clone(self))
    }

    pub(super) fn is_unused_since(&self, limit: Instant) -> bool {
        self.users.load(Ordering::Acquire) == 0
            && *self
                .last_used
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                < limit
    }
}

/// A request of the client that is being answered.
pub(super) struct InFlight {
    session: Arc<Session>,
    id: Id,
    exchange: Arc<Exchange>,
}

impl Drop for InFlight {
    fn drop(&mut self) {
        let mut in_flight = self.session.in_flight();
        // Once given up, its id may be in use again.
        if in_flight
            .get(&self.id)
            .is_some_and(|(_, e)| Arc::ptr_eq(e, &self.exchange))
        {
            in_flight.remove(&self.id);
        }
    }
}

/// Something that uses a session.
#[derive(Debug)]
pub(super) struct InUse(Arc<Session>);

impl InUse {
    pub(super) const fn session(&self) -> &Arc<Session> {
        &self.0
    }
}

impl Drop for InUse {
    fn drop(&mut self) {
        *self
            .0
            .last_used
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = Instant::now();
        self.0.users.fetch_sub(1, Ordering::AcqRel);
    }
}

/// The channel for what belongs to no request.
#[derive(Debug)]
struct Lane(Weak<Session>);

impl Lane {
    fn session(&self) -> Result<Arc<Session>, CallError> {
        self.0
            .upgrade()
            .ok_or_else(|| not_sent(TransportErrorKind::Ended, "the session has ended"))
    }
}

impl Channel for Lane {
    fn call(&self, call: Call) -> BoxFuture<'_, Result<RawJson, CallError>> {
        Box::pin(async {
            let session = self.session()?;
            session.ask(call, &session.lane).await
        })
    }

    fn notify(&self, notification: Notification) -> BoxFuture<'_, Result<(), CallError>> {
        Box::pin(async {
            let session = self.session()?;
            let sent = session.lane.push_in_turn(&notification.into()).await;
            sent.map_err(|_| not_sent(TransportErrorKind::Ended, "the session has ended"))
        })
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {
            if let Some(session) = self.0.upgrade() {
                session.end();
            }
        })
    }

    fn closed(&self) -> BoxFuture<'_, Arc<TransportError>> {
        Box::pin(async {
            match self.0.upgrade() {
                Some(session) => session.ended().await,
                None => Arc::new(TransportError::new(
                    TransportErrorKind::Ended,
                    "the session has ended",
                )),
            }
        })
    }

    fn negotiated(&self, _: &str) {}
}
