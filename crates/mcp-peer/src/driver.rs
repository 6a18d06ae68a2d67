//! The loop: moves messages between the streams, the protocol core and the handlers, and time
//! into the core.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use mcp_jsonrpc::{ErrorObject, Message, Packet};
use mcp_transport::{Frames, Reader, Writer};
use tokio::time::Instant;

use crate::PeerOptions;
use crate::alarm::Alarm;
use crate::ending::Finish;
use crate::inward::Inward;
use crate::notifications::Notifications;
use crate::requests::Requests;
use crate::shared::Shared;
use crate::state::Work;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Client,
    Server,
}

pub(crate) struct Driver<R, W> {
    pub(crate) reader: R,
    pub(crate) writer: W,
    pub(crate) shared: Arc<Shared>,
    pub(crate) role: Role,
    pub(crate) options: PeerOptions,
    pub(crate) requests: Requests,
    pub(crate) notifications: Notifications,
    alarm: Alarm,
    /// What was read and not yet handed to the core.
    pub(crate) frames: Frames,
    /// What came out of the core and is not yet done; both empty between turns.
    work: Vec<Work>,
    packets: Vec<Packet>,
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
    pub(crate) fn turn(&mut self) {
        loop {
            self.sync();
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
        self.feed();
    }

    /// Encodes what is to be sent, outside the lock.
    fn feed(&mut self) {
        if self.writer.pending() <= self.options.max_unwritten {
            self.unread_answers = 0;
        }
        for packet in self.packets.drain(..).filter(|_| self.writes) {
            let before = self.writer.pending();
            self.writer.feed(&packet);
            if !matches!(
                packet,
                Packet::Single(Message::Request(_) | Message::Notification(_))
            ) {
                self.unread_answers += self.writer.pending() - before;
            }
        }
        if self.role == Role::Client && self.unread_answers > self.options.max_unread_answers() {
            self.give_up();
        }
    }

    /// Gives the core what there is for it, and takes what it has.
    fn sync(&mut self) {
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
}
