//! What waits to be written to a stream: filled by handlers, drained by the response body.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use bytes::Bytes;
use mcp_jsonrpc::Message;
use tokio::sync::Notify;
use tokio::time::Instant;

use super::ring::{Keep, Ring};
use crate::sse::encode_message;

/// How many events, and how many bytes of them, wait before a notification has to.
const MAX_EVENTS: usize = 256;
const MAX_BYTES: usize = 1 << 20;

/// The events of one stream.
#[derive(Debug)]
pub(super) struct Outbox {
    state: Mutex<State>,
    room: Notify,
}

#[derive(Debug, Default)]
struct State {
    ring: Ring,
    /// When the last event was appended, if it was.
    done: Option<Instant>,
    /// The reader is to end, and to come back after this time.
    release: Option<Duration>,
    /// Counts the readers that there have been; only the newest reads.
    reader: u64,
    has_reader: bool,
    waker: Option<Waker>,
}

impl State {
    fn is_full(&self) -> bool {
        let (events, bytes) = self.ring.unread();
        events >= MAX_EVENTS || bytes >= MAX_BYTES
    }

    fn push(&mut self, event: Bytes) -> Option<Waker> {
        self.ring.push(event);
        self.waker.take()
    }

    fn attach(&mut self) -> u64 {
        self.reader += 1;
        self.has_reader = true;
        self.release = None;
        self.reader
    }

    fn wait(&mut self, cx: &Context<'_>) {
        match &self.waker {
            Some(waker) if waker.will_wake(cx.waker()) => {}
            _ => self.waker = Some(cx.waker().clone()),
        }
    }
}

/// What a reader finds.
#[derive(Debug)]
pub(super) enum Read {
    /// An event, with its number.
    Event(u64, Bytes),
    /// No more by this connection; the rest after this time by another one.
    Later(Duration),
    /// The stream is done, or another one reads.
    End,
}

/// The stream takes nothing more.
#[derive(Clone, Copy, Debug)]
pub(super) struct Done;

impl Outbox {
    /// An empty stream. Its first reader may come later.
    pub(super) fn new() -> Self {
        Self {
            state: Mutex::default(),
            room: Notify::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Appends a message, room or not: for those that must not be lost, which are bounded
    /// otherwise.
    pub(super) fn push(&self, message: &Message) -> Result<(), Done> {
        let event = encode(message);
        let mut state = self.lock();
        if state.done.is_some() {
            return Err(Done);
        }
        let waker = state.push(event);
        drop(state);
        wake(waker);
        Ok(())
    }

    /// Appends a message when there is room. Where nobody reads, the oldest make room.
    pub(super) async fn push_in_turn(&self, message: &Message) -> Result<(), Done> {
        let event = encode(message);
        if self.try_push(&event)? {
            return Ok(());
        }
        loop {
            let room = self.room.notified();
            tokio::pin!(room);
            // Before the look, so that room made after it is not missed.
            room.as_mut().enable();
            if self.try_push(&event)? {
                return Ok(());
            }
            room.await;
        }
    }

    fn try_push(&self, event: &Bytes) -> Result<bool, Done> {
        let mut state = self.lock();
        if state.done.is_some() {
            return Err(Done);
        }
        if state.is_full() && state.has_reader {
            return Ok(false);
        }
        while state.is_full() {
            state.ring.drop_oldest();
        }
        let waker = state.push(event.clone());
        drop(state);
        wake(waker);
        Ok(true)
    }

    /// Nothing more will come; what waits is still read.
    pub(super) fn finish(&self) {
        let mut state = self.lock();
        state.done.get_or_insert_with(Instant::now);
        let waker = state.waker.take();
        drop(state);
        wake(waker);
        self.room.notify_waiters();
    }

    pub(super) fn is_done(&self) -> bool {
        self.lock().done.is_some()
    }

    /// How long it has been done, if it is.
    pub(super) fn done_for(&self) -> Option<Duration> {
        self.lock().done.map(|at| at.elapsed())
    }

    /// Whether somebody reads, so that what is pushed has a way out.
    pub(super) fn has_reader(&self) -> bool {
        self.lock().has_reader
    }

    pub(super) fn is_empty(&self) -> bool {
        !self.lock().ring.has_unread()
    }

    /// From now on keeps what is read, for a reader that comes back.
    pub(super) fn keep(&self, keep: Keep) {
        self.lock().ring.keep(keep);
    }

    /// Begins to read; a reader before this one reads no more.
    pub(super) fn attach(&self) -> u64 {
        let mut state = self.lock();
        let reader = state.attach();
        let waker = state.waker.take();
        drop(state);
        wake(waker);
        reader
    }

    /// Begins to read again behind an event. `None` where that event is not known, or nothing
    /// will come after it.
    pub(super) fn attach_after(&self, number: u64) -> Option<u64> {
        let mut state = self.lock();
        let known = state.ring.rewind(number) && (state.ring.has_unread() || state.done.is_none());
        let reader = known.then(|| state.attach());
        let waker = state.waker.take();
        drop(state);
        wake(waker);
        reader
    }

    /// The number of the event that was read last.
    pub(super) fn position(&self) -> u64 {
        self.lock().ring.position()
    }

    /// Ends reading.
    pub(super) fn detach(&self, reader: u64) {
        let mut state = self.lock();
        if state.reader == reader {
            state.has_reader = false;
            state.waker = None;
        }
        drop(state);
        self.room.notify_waiters();
    }

    /// Has the reader end, to come back after this time.
    pub(super) fn release(&self, retry: Duration) {
        let mut state = self.lock();
        state.release = Some(retry);
        let waker = state.waker.take();
        drop(state);
        wake(waker);
    }

    /// What there is for this reader.
    pub(super) fn poll_next(&self, reader: u64, cx: &Context<'_>) -> Poll<Read> {
        let mut state = self.lock();
        if state.reader != reader {
            return Poll::Ready(Read::End);
        }
        if let Some(retry) = state.release.take() {
            return Poll::Ready(Read::Later(retry));
        }
        if let Some((number, event)) = state.ring.read() {
            drop(state);
            self.room.notify_waiters();
            return Poll::Ready(Read::Event(number, event));
        }
        if state.done.is_some() {
            return Poll::Ready(Read::End);
        }
        state.wait(cx);
        Poll::Pending
    }

    /// Ready as soon as a reader would find something.
    pub(super) fn poll_any(&self, cx: &Context<'_>) -> Poll<()> {
        let mut state = self.lock();
        if state.ring.has_unread() || state.done.is_some() || state.release.is_some() {
            return Poll::Ready(());
        }
        state.wait(cx);
        Poll::Pending
    }
}

fn encode(message: &Message) -> Bytes {
    let mut event = Vec::with_capacity(128);
    encode_message(None, message, &mut event);
    event.into()
}

fn wake(waker: Option<Waker>) {
    if let Some(waker) = waker {
        waker.wake();
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use mcp_jsonrpc::{Message, Notification, RawJson};

    use super::{Outbox, Read};

    fn of(bytes: usize) -> Message {
        let params = serde_json::json!({ "text": "x".repeat(bytes) });
        Notification::new("n", Some(RawJson::from(params))).into()
    }

    /// How many of these find room at once.
    fn fill(outbox: &Outbox, message: &Message) -> usize {
        let mut cx = Context::from_waker(Waker::noop());
        (0..2000)
            .take_while(|_| pin!(outbox.push_in_turn(message)).poll(&mut cx).is_ready())
            .count()
    }

    #[test]
    fn a_message_waits_while_256_events_or_1_mib_wait_for_the_reader() {
        for (bytes, fit) in [(0, 256), (300 * 1024, 4)] {
            let outbox = Outbox::new();
            let reader = outbox.attach();
            assert_eq!(fill(&outbox, &of(bytes)), fit, "of {bytes} bytes");

            let mut cx = Context::from_waker(Waker::noop());
            let waiting = of(bytes);
            let mut waiting = pin!(outbox.push_in_turn(&waiting));
            assert!(waiting.as_mut().poll(&mut cx).is_pending());
            let read = outbox.poll_next(reader, &cx);
            assert!(matches!(read, Poll::Ready(Read::Event(..))));
            assert!(waiting.poll(&mut cx).is_ready(), "there is room");
        }
    }

    #[test]
    fn where_nobody_reads_the_oldest_make_room() {
        let outbox = Outbox::new();
        assert_eq!(fill(&outbox, &of(0)), 2000);
        assert_eq!(outbox.lock().ring.unread().0, 256);
    }
}
