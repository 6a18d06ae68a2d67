//! What callers and the driver share: the protocol core behind a lock, and ways to wake up.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use mcp_jsonrpc::{Id, Notification, Packet, Refused};
use mcp_protocol::ProtocolVersion;
use mcp_protocol::lifecycle::{Connection, OutgoingCall};
use mcp_transport::{Call, CallError, Delivery, TransportError, TransportErrorKind};
use tokio::sync::{Notify, Semaphore, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::PeerOptions;
use crate::outlet::Outlet;
use crate::pump;
use crate::reply::Reply;
use crate::state::State;
use crate::wake::Wake;

pub(crate) struct Shared {
    state: Mutex<State>,
    /// Wakes the driver.
    pub(crate) wake: Wake,
    /// Wakes notifications that wait for room.
    pub(crate) room: Notify,
    /// One permit per call in flight.
    pub(crate) permits: Semaphore,
    pub(crate) max_calls: usize,
    max_unwritten: usize,
    /// Whether the other end is in this process.
    pub(crate) local: bool,
    /// Cancelled once no more calls are taken.
    pub(crate) ending: CancellationToken,
    ended: watch::Sender<Option<Arc<TransportError>>>,
}

impl Shared {
    pub(crate) fn new(
        connection: Box<dyn Connection<Tag = Reply> + Send>,
        options: &PeerOptions,
        local: bool,
    ) -> Self {
        let max_calls = options.max_calls;
        Self {
            state: Mutex::new(State::new(connection)),
            wake: Wake::default(),
            room: Notify::new(),
            permits: Semaphore::new(max_calls.clamp(1, Semaphore::MAX_PERMITS)),
            max_calls,
            max_unwritten: options.max_unwritten,
            local,
            ending: CancellationToken::new(),
            ended: watch::Sender::new(None),
        }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        // A panic while it was held has at worst lost a message.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Queues a request.
    pub(crate) fn begin(&self, call: Call, reply: Reply) -> Result<Id, CallError> {
        let mut out = OutgoingCall::new(call.method, call.params);
        out.idle = call.timeouts.idle;
        out.total = call.timeouts.total;
        out.reset_on_progress = call.timeouts.reset_on_progress;
        out.cancellable = call.cancellable;
        let sink = call.progress.map(|(token, sink)| {
            out.progress_token = Some(token);
            sink
        });
        let now = Instant::now().into_std();
        let mut state = self.lock();
        if let Some(reason) = &state.ending {
            return Err(closed(reason, Delivery::NotSent));
        }
        match state.connection.call(now, out, reply) {
            Ok(id) => {
                if let Some(place) = &call.id {
                    place.set(&id);
                }
                state.calls.insert(id.clone(), sink);
                self.send(state);
                Ok(id)
            }
            Err((Refused::Busy { limit }, _)) => Err(CallError::Busy { limit }),
            Err(_) => {
                drop(state);
                Err(closed(&self.reason(), Delivery::NotSent))
            }
        }
    }

    /// Gives up a call whose caller is gone.
    pub(crate) fn give_up(&self, id: &Id) {
        let mut state = self.lock();
        state.calls.remove(id);
        let told = state
            .connection
            .cancel(id, Some("the caller waits no more"));
        drop(state);
        if told.is_some() {
            self.wake.wake();
        }
    }

    /// Queues a notification, or hands it back if there is no room.
    pub(crate) fn try_notify(
        &self,
        notification: Notification,
    ) -> Result<Option<Notification>, CallError> {
        let mut state = self.lock();
        if let Some(reason) = &state.ending {
            return Err(closed(reason, Delivery::NotSent));
        }
        if state.unwritten > self.max_unwritten {
            state.crowded = true;
            return Ok(Some(notification));
        }
        state.unwritten += notification.method.len()
            + notification
                .params
                .as_ref()
                .map_or(0, |params| params.as_bytes().len());
        state.connection.notify(notification);
        self.send(state);
        Ok(None)
    }

    /// Has what was queued sent.
    ///
    /// Who calls alone writes at once, without the detour by the driver's task. Where several
    /// calls are in flight the driver writes, and what has gathered by then goes out together.
    /// Within a process who calls alone has the other end act on it, too.
    fn send(&self, state: MutexGuard<'_, State>) {
        let alone = state.calls.len().max(state.in_flight) <= 1;
        if alone && self.local {
            pump::at_once(|| self.write(state, alone));
        } else {
            self.write(state, alone);
        }
    }

    fn write(&self, mut state: MutexGuard<'_, State>, alone: bool) {
        let due = state.connection.poll_timeout().map(Instant::from_std);
        let late = due.is_some_and(|due| state.alarm.is_none_or(|alarm| due < alarm));
        let outlet = state.outlet.take_if(|_| alone);
        let mut sent = false;
        if let Some(outlet) = outlet {
            // The oldest; if others wait behind it, the driver has been told of them.
            let packet = state.connection.poll_transmit();
            drop(state);
            let mut outlet = Borrowed::new(self, outlet);
            sent = outlet.write(packet.as_ref());
        } else {
            drop(state);
        }
        if !sent || late {
            self.wake.wake();
        }
    }

    /// Puts the way out back to where callers find it.
    pub(crate) fn give_back(&self, outlet: Box<dyn Outlet>) {
        let mut state = self.lock();
        if state.over {
            drop(state);
            return drop(outlet);
        }
        self.wrote(&mut state, outlet.pending());
        state.outlet = Some(outlet);
        let missed = std::mem::take(&mut state.missed);
        drop(state);
        if missed {
            self.wake.wake();
        }
    }

    /// Waits for the way out, where a caller has it.
    pub(crate) fn poll_outlet(&self, cx: &Context<'_>) -> Poll<Box<dyn Outlet>> {
        loop {
            self.wake.listen();
            let mut state = self.lock();
            if let Some(outlet) = state.outlet.take() {
                return Poll::Ready(outlet);
            }
            state.missed = true;
            drop(state);
            if self.wake.poll(cx).is_pending() {
                return Poll::Pending;
            }
        }
    }

    pub(crate) fn negotiated(&self, version: ProtocolVersion) {
        self.lock().connection.negotiated(version);
    }

    /// Notes how much waits to be written, and wakes who waits for room if there is some.
    pub(crate) fn wrote(&self, state: &mut State, unwritten: usize) {
        state.unwritten = unwritten;
        if unwritten <= self.max_unwritten && std::mem::take(&mut state.crowded) {
            self.room.notify_waiters();
        }
    }

    /// Takes no more calls from now on.
    pub(crate) fn refuse(&self, reason: Arc<TransportError>) {
        self.lock().ending.get_or_insert(reason);
        self.ending.cancel();
        self.wake.wake();
    }

    /// Makes way for the reason of the reading end, which says more than the broken pipe that
    /// came of it. That we closed the connection says most.
    pub(crate) fn explain(&self) {
        let broken = |reason: &mut Arc<TransportError>| reason.kind() == TransportErrorKind::Io;
        self.lock().ending.take_if(broken);
    }

    /// Takes no more calls and gives up those in flight; the peer is told.
    pub(crate) fn stop(&self, reason: TransportError) {
        let mut state = self.lock();
        let reason = Arc::clone(state.ending.get_or_insert_with(|| Arc::new(reason)));
        let replies = state.give_up_all("the connection is closing");
        drop(state);
        fail(replies, &reason);
        self.ending.cancel();
        self.wake.wake();
    }

    /// The end: nothing is sent or received any more.
    pub(crate) fn finish(&self, reason: TransportError) {
        let mut state = self.lock();
        let reason = Arc::clone(state.ending.get_or_insert_with(|| Arc::new(reason)));
        let replies = state.close();
        state.over = true;
        let outlet = state.outlet.take();
        drop(state);
        drop(outlet);
        fail(replies, &reason);
        self.ending.cancel();
        self.permits.close();
        self.room.notify_waiters();
        self.ended.send_replace(Some(reason));
    }

    /// Waits until [`finish`](Self::finish) was called.
    pub(crate) async fn finished(&self) -> Arc<TransportError> {
        let mut ended = self.ended.subscribe();
        // The sender lives as long as `self`, so this does not fail.
        let reason = ended
            .wait_for(Option::is_some)
            .await
            .ok()
            .and_then(|reason| reason.clone());
        reason.unwrap_or_else(|| self.reason())
    }

    /// Why the connection takes no more calls.
    pub(crate) fn reason(&self) -> Arc<TransportError> {
        let ending = self.lock().ending.clone();
        ending.unwrap_or_else(|| Arc::new(closed_here("the connection was closed")))
    }
}

/// The way out in the hands of a caller. However that ends, it is given back.
struct Borrowed<'a> {
    shared: &'a Shared,
    outlet: Option<Box<dyn Outlet>>,
}

impl<'a> Borrowed<'a> {
    const fn new(shared: &'a Shared, outlet: Box<dyn Outlet>) -> Self {
        Self {
            shared,
            outlet: Some(outlet),
        }
    }

    /// Whether all is written, and the driver has nothing to do.
    fn write(&mut self, packet: Option<&Packet>) -> bool {
        let Some(outlet) = &mut self.outlet else {
            return false;
        };
        if let Some(packet) = packet {
            outlet.feed(packet);
        }
        matches!(outlet.try_flush(), Poll::Ready(Ok(())))
    }
}

impl Drop for Borrowed<'_> {
    fn drop(&mut self) {
        if let Some(outlet) = self.outlet.take() {
            self.shared.give_back(outlet);
        }
    }
}

pub(crate) fn closed(reason: &Arc<TransportError>, delivery: Delivery) -> CallError {
    CallError::Closed {
        reason: Arc::clone(reason),
        delivery,
    }
}

pub(crate) fn closed_here(message: &str) -> TransportError {
    TransportError::new(TransportErrorKind::ClosedHere, message)
}

fn fail(replies: Vec<Reply>, reason: &Arc<TransportError>) {
    for reply in replies {
        if let Some(waker) = reply.fill(Err(closed(reason, Delivery::Unknown))) {
            waker.wake();
        }
    }
}
