//! The loop: moves messages between the streams, the protocol core and the handlers, and time
//! into the core.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::task::{Poll, Waker};

use mcp_jsonrpc::{ErrorObject, Message, Packet};
use mcp_transport::{Frames, Reader, TransportError};
use tokio::time::Instant;

use crate::PeerOptions;
use crate::alarm::Alarm;
use crate::ending::Finish;
use crate::inward::Inward;
use crate::notifications::Notifications;
use crate::outlet::Outlet;
use crate::reply;
use crate::requests::Requests;
use crate::shared::Shared;
use crate::state::Work;
use crate::wake::Wake;

/// How many messages from another process are worked on before what came of them is written: it
/// works on that while we work on the next ones. Each further write costs less than both waiting
/// for one another.
const AT_ONCE: usize = 16;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Client,
    Server,
}

/// All of a connection but its way in, whose type is not known here: so that what depends on that
/// type, and is compiled with it, is little.
pub(crate) struct Driver {
    /// The way out, while it is here. A client's rests in the shared state between turns.
    pub(crate) outlet: Option<Box<dyn Outlet>>,
    pub(crate) shared: Arc<Shared>,
    pub(crate) role: Role,
    pub(crate) options: PeerOptions,
    pub(crate) requests: Requests,
    pub(crate) notifications: Notifications,
    alarm: Alarm,
    /// What was read and not yet handed to the core.
    pub(crate) frames: Frames,
    /// What came out of the core and is not yet done; all empty between turns.
    work: Vec<Work>,
    packets: Vec<Packet>,
    /// The callers who have got their answers.
    woken: Vec<Waker>,
    /// How many calls of ours were in flight at the last turn.
    in_flight: usize,
    /// How many bytes of answers were fed while the peer did not read.
    unread_answers: usize,
    /// When the core wants to hear of the time.
    timeout: Option<std::time::Instant>,
    /// Whether the stream can still be read, and written.
    pub(crate) reads: bool,
    pub(crate) writes: bool,
    /// When the connection has to be over, once it is ending.
    pub(crate) deadline: Option<Instant>,
    _finish: Finish,
}

impl Driver {
    pub(crate) fn new(
        outlet: Box<dyn Outlet>,
        shared: Arc<Shared>,
        inward: Inward,
        role: Role,
        options: PeerOptions,
    ) -> Self {
        Self {
            outlet: Some(outlet),
            role,
            requests: Requests::new(inward.clone(), options.max_handlers),
            notifications: Notifications::new(inward.clone(), options.max_notifications),
            alarm: Alarm::new(),
            frames: Frames::new(),
            work: Vec::new(),
            packets: Vec::new(),
            woken: Vec::new(),
            in_flight: 0,
            unread_answers: 0,
            timeout: None,
            reads: true,
            writes: true,
            deadline: None,
            _finish: Finish::new(Arc::clone(&shared), inward),
            options,
            shared,
        }
    }

    /// Runs the connection to its end.
    pub(crate) async fn run(mut self, mut reader: impl Reader) {
        loop {
            self.turn();
            if self.is_over() {
                return self.end(reader).await;
            }
            if !self.frames.is_empty() {
                // Callers who have got their answers may call again meanwhile.
                tokio::task::yield_now().await;
                continue;
            }
            let reads = self.may_read();
            let flushes = self.writes && self.pending() > 0;
            tokio::select! {
                // What is always ready does not starve the others: a turn looks after all.
                biased;
                read = reader.read(&mut self.frames), if reads => self.read(read),
                flushed = flush(&mut self.outlet), if flushes => self.flushed(flushed),
                joined = self.requests.join() => self.requests.joined(joined),
                () = self.notifications.join() => self.notifications.joined(),
                () = idle(&self.shared.wake, &mut self.alarm) => gather(self.in_flight).await,
            }
        }
    }

    /// Works on what was read, or the beginning of it, and brings everyone up to date, without
    /// waiting.
    pub(crate) fn turn(&mut self) {
        self.shared.wake.listen();
        self.requests.collect();
        let mut frames = match self.shared.local {
            true => self.frames.len(),
            false => self.frames.len().min(AT_ONCE),
        };
        loop {
            self.sync(std::mem::take(&mut frames));
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
        reply::wake(&mut self.woken);
        self.write();
    }

    /// Writes what is to be sent, as far as the stream takes it.
    fn write(&mut self) {
        self.feed();
        let Some(outlet) = self.outlet.as_mut().filter(|_| self.writes) else {
            return;
        };
        if outlet.pending() > 0
            && let Poll::Ready(flushed) = outlet.try_flush()
        {
            self.flushed(flushed);
        }
        if self.role == Role::Client
            && self.deadline.is_none()
            && let Some(outlet) = self.outlet.take_if(|outlet| outlet.pending() == 0)
        {
            self.shared.give_back(outlet);
        }
    }

    /// Encodes what is to be sent, outside the lock.
    fn feed(&mut self) {
        let Some(outlet) = &mut self.outlet else {
            return;
        };
        if outlet.pending() <= self.options.max_unwritten {
            self.unread_answers = 0;
        }
        for packet in self.packets.drain(..).filter(|_| self.writes) {
            let before = outlet.pending();
            outlet.feed(&packet);
            if !matches!(
                packet,
                Packet::Single(Message::Request(_) | Message::Notification(_))
            ) {
                self.unread_answers += outlet.pending() - before;
            }
        }
        if self.role == Role::Client && self.unread_answers > self.options.max_unread_answers() {
            self.give_up();
        }
    }

    /// How many bytes wait to be written.
    pub(crate) fn pending(&self) -> usize {
        self.outlet.as_ref().map_or(0, |outlet| outlet.pending())
    }

    /// Gives the core what there is for it, and takes what it has.
    fn sync(&mut self, frames: usize) {
        let now = Instant::now();
        let mut state = self.shared.lock();
        self.in_flight = state.calls.len();
        state.in_flight = self.in_flight;
        // First, as the frames may give up the requests and use their ids again.
        for (id, outcome) in self.requests.answers().drain(..) {
            state.connection.respond(&id, outcome);
        }
        for frame in self.frames.drain(..frames) {
            state.connection.handle_frame(now.into_std(), frame);
        }
        // What was read has come in time, though it is looked at late.
        let late = self.timeout.filter(|_| self.frames.is_empty());
        if late.is_some_and(|timeout| timeout <= now.into_std()) {
            state.connection.handle_timeout(now.into_std());
        }
        self.work.extend(std::iter::from_fn(|| state.poll_work()));
        if state.ending.is_some() && self.deadline.is_none() {
            self.deadline = now.checked_add(self.options.grace);
        }
        let rests = self.role == Role::Client && self.deadline.is_none();
        self.outlet = state.take_packets(self.outlet.take(), rests, &mut self.packets);
        self.timeout = state.connection.poll_timeout();
        let due = self.timeout.map(Instant::from_std).into_iter();
        due.chain(self.deadline).for_each(|due| self.alarm.set(due));
        state.alarm = self.alarm.at();
        self.shared.wrote(&mut state, self.pending());
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
            Work::Ended(reply, outcome) => self.woken.extend(reply.fill(outcome)),
        }
    }
}

async fn flush(outlet: &mut Option<Box<dyn Outlet>>) -> Result<(), TransportError> {
    match outlet {
        Some(outlet) => outlet.flush().await,
        None => std::future::pending().await,
    }
}

/// Waits for a caller or the clock.
async fn idle(wake: &Wake, alarm: &mut Alarm) {
    std::future::poll_fn(|cx| {
        if wake.poll(cx).is_ready() {
            return Poll::Ready(());
        }
        alarm.poll(cx)
    })
    .await;
}

/// Lets others run before what they have to say is taken: callers whom an answer each has woken
/// are about to call again, and their calls go out in one write.
async fn gather(in_flight: usize) {
    if in_flight > 1 {
        tokio::task::yield_now().await;
    }
}
