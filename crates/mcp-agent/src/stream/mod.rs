//! What a run tells while it works.

mod event;
mod room;
mod run_stream;

use std::fmt;
use std::ops::BitOr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};

use tokio::sync::mpsc;

pub use event::{Emitted, RunEvent, ToolEnd, ToolRef};
use room::Room;
pub use run_stream::{RunStream, Streamed};

/// Which events a listener wants; what nobody wants is not made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interest(u16);

impl Interest {
    /// [`RunEvent::TaskStarted`] and [`RunEvent::TaskEnded`].
    pub const TASKS: Self = Self(1);
    /// [`RunEvent::Update`].
    pub const UPDATES: Self = Self(1 << 1);
    /// [`RunEvent::Values`]. Costs a copy of the whole state as JSON in each step.
    pub const VALUES: Self = Self(1 << 2);
    /// [`RunEvent::Custom`].
    pub const CUSTOM: Self = Self(1 << 3);
    /// [`RunEvent::Checkpointed`].
    pub const CHECKPOINTS: Self = Self(1 << 4);
    /// [`RunEvent::Message`].
    pub const MESSAGES: Self = Self(1 << 5);
    /// Rounds, tool calls, failed servers.
    pub const AGENT: Self = Self(1 << 6);
    /// [`RunEvent::Asked`] and [`RunEvent::Interrupted`].
    pub const INTERRUPTS: Self = Self(1 << 7);
    /// [`RunEvent::MessageDelta`].
    pub const DELTAS: Self = Self(1 << 8);
    /// Everything.
    pub const ALL: Self = Self(0x1ff);
    /// What a person wants to see of an agent: rounds, tools, own values, questions.
    pub const PROGRESS: Self = Self(Self::AGENT.0 | Self::CUSTOM.0 | Self::INTERRUPTS.0);

    const fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

impl BitOr for Interest {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// Where a run's events go. It never makes the run wait.
#[derive(Clone, Default)]
pub struct EventSink(Option<Wanted>);

/// A sink with what is wanted there.
#[derive(Clone)]
struct Wanted {
    interest: Interest,
    to: Arc<To>,
}

enum To {
    Channel {
        sender: mpsc::Sender<Emitted>,
        dropped: AtomicU64,
        /// Where the tasks of the run wait for room, if they do.
        room: Option<Arc<Room>>,
    },
    Function(Box<dyn Fn(Emitted) + Send + Sync>),
}

impl EventSink {
    /// Nobody listens.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// A channel of at most `capacity` waiting events (at least 1). When it is full, events are
    /// dropped, and the next that fits is preceded by [`RunEvent::Dropped`].
    #[must_use]
    pub fn channel(interest: Interest, capacity: usize) -> (Self, Events) {
        Self::to_channel(interest, capacity, None)
    }

    /// The same channel, but the tasks of the run wait while it is half full.
    pub(crate) fn roomy_channel(interest: Interest, capacity: usize) -> (Self, Events) {
        Self::to_channel(interest, capacity, Some(Arc::default()))
    }

    fn to_channel(interest: Interest, capacity: usize, room: Option<Arc<Room>>) -> (Self, Events) {
        let (sender, receiver) = mpsc::channel(capacity.max(1));
        let events = Events {
            receiver,
            room: room.clone(),
        };
        let dropped = AtomicU64::new(0);
        let to = Arc::new(To::Channel {
            sender,
            dropped,
            room,
        });
        (Self(Some(Wanted { interest, to })), events)
    }

    /// Events go to `f`, which is called where they happen and must return at once.
    pub fn from_fn(interest: Interest, f: impl Fn(Emitted) + Send + Sync + 'static) -> Self {
        let to = Arc::new(To::Function(Box::new(f)));
        Self(Some(Wanted { interest, to }))
    }

    /// The same sink for less: what `unwanted` names does not get there.
    #[must_use]
    pub fn without(mut self, unwanted: Interest) -> Self {
        if let Some(wanted) = &mut self.0 {
            wanted.interest = wanted.interest.without(unwanted);
        }
        self
    }

    /// Whether a task of the run has to wait until whoever polls the run's stream has taken
    /// more; it is woken then.
    pub(crate) fn is_short_of_room(&self, cx: &Context<'_>) -> bool {
        match self.0.as_ref().map(|wanted| &*wanted.to) {
            Some(To::Channel {
                sender,
                room: Some(room),
                ..
            }) => room.is_short(sender, cx),
            _ => false,
        }
    }

    /// Whether anybody wants such events.
    #[must_use]
    pub fn wants(&self, interest: Interest) -> bool {
        self.0
            .as_ref()
            .is_some_and(|sink| sink.interest.has(interest))
    }

    /// Makes and sends an event, if anybody wants it.
    pub(crate) fn emit(&self, interest: Interest, event: impl FnOnce() -> Emitted) {
        let Some(sink) = &self.0 else { return };
        if !sink.interest.has(interest) {
            return;
        }
        match &*sink.to {
            To::Function(f) => f(event()),
            To::Channel {
                sender, dropped, ..
            } => send(sender, dropped, event()),
        }
    }
}

fn send(sender: &mpsc::Sender<Emitted>, dropped: &AtomicU64, event: Emitted) {
    let missed = dropped.swap(0, Ordering::Relaxed);
    if missed > 0 {
        let gap = RunEvent::Dropped { count: missed };
        if sender
            .try_send(Emitted::new(&event.namespace, event.step, &event.tags, gap))
            .is_err()
        {
            dropped.fetch_add(missed + 1, Ordering::Relaxed);
            return;
        }
    }
    if sender.try_send(event).is_err() {
        dropped.fetch_add(1, Ordering::Relaxed);
    }
}

impl fmt::Debug for EventSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some(sink) => write!(f, "EventSink({:?})", sink.interest),
            None => f.write_str("EventSink(none)"),
        }
    }
}

/// The events of a run, in order.
#[derive(Debug)]
pub struct Events {
    receiver: mpsc::Receiver<Emitted>,
    room: Option<Arc<Room>>,
}

impl Events {
    /// The next event; `None` when the run and all who hold its sink are gone.
    ///
    /// # Cancel safety
    /// Cancel safe: an event is never lost.
    pub async fn next(&mut self) -> Option<Emitted> {
        self.receiver.recv().await
    }

    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Emitted>> {
        let event = self.receiver.poll_recv(cx);
        if let Some(room) = &self.room {
            room.taken(&self.receiver);
        }
        event
    }

    /// The next event, if one is waiting.
    pub fn try_next(&mut self) -> Option<Emitted> {
        self.receiver.try_recv().ok()
    }
}
