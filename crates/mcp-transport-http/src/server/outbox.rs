//! What waits to be written to a stream: filled by handlers, drained by the response body.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use mcp_jsonrpc::Message;
use tokio::sync::Notify;

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
    events: VecDeque<Bytes>,
    bytes: usize,
    done: bool,
    /// Counts the readers that there have been; only the newest reads.
    reader: u64,
    has_reader: bool,
    waker: Option<Waker>,
}

impl State {
    fn is_full(&self) -> bool {
        self.events.len() >= MAX_EVENTS || self.bytes >= MAX_BYTES
    }

    fn push(&mut self, event: Bytes) -> Option<Waker> {
        self.bytes += event.len();
        self.events.push_back(event);
        self.waker.take()
    }

    fn wait(&mut self, cx: &Context<'_>) {
        if !self
            .waker
            .as_ref()
            .is_some_and(|waker| waker.will_wake(cx.waker()))
        {
            self.waker = Some(cx.waker().clone());
        }
    }

    fn pop(&mut self) -> Option<Bytes> {
        let event = self.events.pop_front()?;
        self.bytes -= event.len();
        Some(event)
    }
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
        if state.done {
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
        if state.done {
            return Err(Done);
        }
        if state.is_full() {
            if state.has_reader {
                return Ok(false);
            }
            state.pop();
        }
        let waker = state.push(event.clone());
        drop(state);
        wake(waker);
        Ok(true)
    }

    /// Nothing more will come; what waits is still read.
    pub(super) fn finish(&self) {
        let mut state = self.lock();
        state.done = true;
        let waker = state.waker.take();
        drop(state);
        wake(waker);
        self.room.notify_waiters();
    }

    pub(super) fn is_done(&self) -> bool {
        self.lock().done
    }

    /// Whether somebody reads, so that what is pushed has a way out.
    pub(super) fn has_reader(&self) -> bool {
        self.lock().has_reader
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lock().events.is_empty()
    }

    /// Begins to read; a reader before this one reads no more.
    pub(super) fn attach(&self) -> u64 {
        let mut state = self.lock();
        state.reader += 1;
        state.has_reader = true;
        let (reader, waker) = (state.reader, state.waker.take());
        drop(state);
        wake(waker);
        reader
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

    /// The next event for this reader; `None` when the stream is done, or another one reads.
    pub(super) fn poll_next(&self, reader: u64, cx: &Context<'_>) -> Poll<Option<Bytes>> {
        let mut state = self.lock();
        if state.reader != reader {
            return Poll::Ready(None);
        }
        if let Some(event) = state.pop() {
            drop(state);
            self.room.notify_waiters();
            return Poll::Ready(Some(event));
        }
        if state.done {
            return Poll::Ready(None);
        }
        state.wait(cx);
        Poll::Pending
    }

    /// Ready as soon as there is something to read.
    pub(super) fn poll_any(&self, cx: &Context<'_>) -> Poll<()> {
        let mut state = self.lock();
        if !state.events.is_empty() || state.done {
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
