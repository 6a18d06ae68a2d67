//! The loop: moves messages between the streams, the protocol core and the handlers, and time
//! into the core.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use mcp_jsonrpc::{ErrorObject, Packet};
use mcp_transport::{Frames, Reader, TransportError, TransportErrorKind, Writer};
use tokio::time::Instant;

use crate::PeerOptions;
use crate::alarm::Alarm;
use crate::inward::Inward;
use crate::notifications::Notifications;
use crate::requests::Requests;
use crate::shared::{Shared, closed_here};
use crate::state::Work;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Client,
    Server,
}

pub(crate) struct Driver<R, W> {
    reader: R,
    writer: W,
    shared: Arc<Shared>,
    role: Role,
    options: PeerOptions,
    requests: Requests,
    notifications: Notifications,
    alarm: Alarm,
    /// What was read and not yet handed to the core.
    frames: Frames,
    /// What came out of the core and is not yet done; both empty between turns.
    work: Vec<Work>,
    packets: Vec<Packet>,
    /// When the core wants to hear of the time.
    timeout: Option<std::time::Instant>,
    /// Whether the stream can still be read, and written.
    reads: bool,
    writes: bool,
    /// When the connection has to be over, once it is ending.
    deadline: Option<Instant>,
    _finish: Finish,
}

impl<R: Reader, W: Writer> Driver<R, W> {
    pub(crate) fn new(
        (reader, writer): (R, W),
        shared: Arc<Shared>,
        inward: Inward,
        role: Role,
        options: PeerOptions,
    ) -> Self {
        Self {
            reader,
            writer,
            role,
            requests: Requests::new(inward.clone(), options.max_handlers),
            notifications: Notifications::new(inward.clone(), options.max_notifications),
            alarm: Alarm::new(),
            frames: Frames::new(),
            work: Vec::new(),
            packets: Vec::new(),
            timeout: None,
            reads: true,
            writes: true,
            deadline: None,
            _finish: Finish(Arc::clone(&shared), inward),
            options,
            shared,
        }
    }

    /// Runs the connection to its end.
    pub(crate) async fn run(mut self) {
        loop {
            self.turn();
            if self.is_over() {
                return self.end().await;
            }
            let reads = self.may_read();
            let flushes = self.writes && self.writer.pending() > 0;
            tokio::select! {
                flushed = self.writer.flush(), if flushes => self.flushed(flushed),
                read = self.reader.read(&mut self.frames), if reads => self.read(read),
                joined = self.requests.join() => self.requests.joined(joined),
                () = self.notifications.join() => self.notifications.joined(),
                () = self.shared.wake.notified() => {}
                () = self.alarm.ring() => {}
            }
        }
    }

    /// Brings everyone up to date, without waiting.
    fn turn(&mut self) {
        loop {
            self.exchange();
            if self.work.is_empty() {
                break;
            }
            let mut work = std::mem::take(&mut self.work);
            work.drain(..).for_each(|work| self.work(work));
            self.work = work;
            if self.requests.answers().is_empty() {
                break;
            }
        }
        for packet in self.packets.drain(..) {
            if self.writes {
                self.writer.feed(&packet);
            }
        }
        if self.role == Role::Client && self.writer.pending() > self.options.unread_answers() {
            let kind = TransportErrorKind::Violation;
            let reason = TransportError::new(kind, "the peer sends requests and reads no answers");
            (self.reads, self.writes) = (false, false);
            self.shared.stop(reason);
        }
    }

    /// Gives the core what there is for it, and takes what it has.
    fn exchange(&mut self) {
        let now = Instant::now();
        let mut state = self.shared.lock();
        for frame in self.frames.drain(..) {
            state.connection.handle_frame(now.into_std(), frame);
        }
        for (id, outcome) in self.requests.answers().drain(..) {
            state.connection.respond(&id, outcome);
        }
        if self
            .timeout
            .is_some_and(|timeout| timeout <= now.into_std())
        {
            state.connection.handle_timeout(now.into_std());
        }
        self.work.extend(std::iter::from_fn(|| state.poll_work()));
        self.packets
            .extend(std::iter::from_fn(|| state.connection.poll_transmit()));
        self.timeout = state.connection.poll_timeout();
        if state.ending.is_some() && self.deadline.is_none() {
            self.deadline = now.checked_add(self.options.grace);
        }
        self.shared.wrote(&mut state, self.writer.pending());
        drop(state);
        let due = self
            .timeout
            .map(Instant::from_std)
            .into_iter()
            .chain(self.deadline);
        due.for_each(|due| self.alarm.set(due));
    }

    fn work(&mut self, work: Work) {
        match work {
            Work::Request(request, _) if self.deadline.is_some() => {
                let error = ErrorObject::internal("the connection is closing");
                self.requests.answers().push((request.id, Err(error)));
            }
            Work::Request(request, context) => self.requests.take(request, context),
            Work::Notification(notification, context) => {
                self.notifications.take(notification, context);
            }
            Work::Cancelled(id) => self.requests.cancel(&id),
            Work::Progress(sink, progress) => {
                if catch_unwind(AssertUnwindSafe(|| sink.report(progress))).is_err() {
                    tracing::error!("a progress sink panicked");
                }
            }
            Work::Ended(reply, outcome) => {
                // Whoever has dropped the other end does not wait.
                let _gone = reply.send(outcome);
            }
        }
    }

    /// A client reads whatever happens: if it stopped while its server waits for it to read,
    /// both would wait for ever. A server may stop.
    fn may_read(&self) -> bool {
        let crowded = self.writer.pending() > self.options.max_unwritten;
        self.reads && !(self.role == Role::Server && crowded)
    }

    fn read(&mut self, read: Result<bool, TransportError>) {
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
        if !self.writes {
            // This reason says more than the broken pipe that came of it.
            self.shared.lock().ending = None;
        }
        self.shared.stop(reason);
    }

    fn flushed(&mut self, flushed: Result<(), TransportError>) {
        if let Err(reason) = flushed {
            self.writes = false;
            // The peer may have answered before it stopped to listen, so calls in flight go on.
            self.shared.refuse(Arc::new(reason));
        }
    }

    fn is_over(&self) -> bool {
        let Some(deadline) = self.deadline else {
            return false;
        };
        let done = match self.role {
            Role::Client if !self.reads => true,
            Role::Client => self.writes && self.writer.pending() == 0,
            Role::Server if !self.writes => true,
            Role::Server => self.requests.is_idle() && self.writer.pending() == 0,
        };
        done || Instant::now() >= deadline
    }

    /// Ends the stream in good order. A peer that still writes must not block meanwhile.
    async fn end(mut self) {
        self.shared.stop(closed_here("the connection was closed"));
        drop((self.requests, self.notifications));
        let discard = async {
            while self.reads && matches!(self.reader.read(&mut self.frames).await, Ok(true)) {
                self.frames.clear();
            }
            std::future::pending::<()>().await;
        };
        tokio::select! {
            () = self.writer.close() => {}
            () = discard => {}
        }
    }
}

/// However the driver ends, even if its runtime drops it, nobody waits for it any more.
struct Finish(Arc<Shared>, Inward);

impl Drop for Finish {
    fn drop(&mut self) {
        let Self(shared, inward) = self;
        inward.end();
        shared.finish(closed_here("the task of the connection was dropped"));
    }
}
