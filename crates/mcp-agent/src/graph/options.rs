//! How a graph is run, and with what.

use std::any::Any;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use mcp_interceptors::{Command, JsonMap};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::checkpoint::Durability;
use crate::state::State;
use crate::stream::EventSink;
use crate::{Clock, LiveAnswers};

/// What a run begins with.
#[derive(Debug)]
#[non_exhaustive]
pub enum Input<U> {
    /// New input. On a thread that has been used it goes on from the state that is there, and
    /// what was left to do of an earlier run is dropped.
    Update(U),
    /// Answers the one question that is open.
    Answer(Value),
    /// Answers questions by their ids. Those that are left out stay open.
    Answers(HashMap<String, Value>),
    /// Goes on where the thread stopped: after a failure, a pause or a drain.
    Continue,
}

impl<U> Input<U> {
    /// A command from outside: an answer if it has one, else an update.
    ///
    /// # Errors
    /// If its update does not fit the state.
    pub fn command<S>(command: Command) -> Result<Self, crate::Error>
    where
        S: State<Update = U>,
    {
        if let Some(answer) = command.resume {
            return Ok(Self::Answer(answer));
        }
        S::read(command.update).map(Self::Update).map_err(|error| {
            crate::Error::new(
                crate::ErrorKind::State,
                "the command does not fit the state",
            )
            .with_source(error)
        })
    }
}

impl<U> From<U> for Input<U> {
    fn from(update: U) -> Self {
        Self::Update(update)
    }
}

/// How a graph is run.
#[derive(Clone)]
#[non_exhaustive]
pub struct RunOptions {
    /// The thread that the run belongs to. Without one nothing is kept. One run of a thread at a
    /// time: a second one of the same graph is refused. That other graphs and other processes
    /// leave the thread alone meanwhile is for the program to see to; else the checkpoints of
    /// both stand side by side, and later runs go on from the one that was written last.
    pub thread: Option<Arc<str>>,
    /// Goes on from this checkpoint of the thread instead of the last.
    pub checkpoint: Option<Arc<str>>,
    /// Names the run; made up if `None`.
    pub run_id: Option<Arc<str>>,
    /// The time of day.
    pub clock: Clock,
    /// Tells names that this run makes up from those of other runs; random if `None`.
    pub salt: Option<u64>,
    /// What nodes and tools find under [`Runtime::context`](crate::Runtime::context).
    pub context: Option<Arc<dyn Any + Send + Sync>>,
    /// Cancels the run.
    pub cancel: CancellationToken,
    /// Stops the run at the end of a step, so that it can be continued.
    pub drain: CancellationToken,
    /// Where events go.
    pub events: EventSink,
    /// Answers questions while the run goes on, instead of stopping it.
    pub live_answers: Option<LiveAnswers>,
    /// How many steps the run may take. A run of so many steps succeeds.
    pub step_limit: u64,
    /// How many tasks of a step run at once; they are started in task order. With 1 they run
    /// one after the other.
    pub max_parallel: usize,
    /// When checkpoints are kept.
    pub durability: Durability,
    /// For filters and logs.
    pub tags: Arc<[String]>,
    /// Goes into checkpoints, and to nodes.
    pub metadata: Arc<JsonMap>,
}

/// No thread, no context, nobody listens; 100 steps, 64 tasks at once.
impl Default for RunOptions {
    fn default() -> Self {
        Self {
            thread: None,
            checkpoint: None,
            run_id: None,
            clock: Clock::default(),
            salt: None,
            context: None,
            cancel: CancellationToken::new(),
            drain: CancellationToken::new(),
            events: EventSink::none(),
            live_answers: None,
            step_limit: 100,
            max_parallel: 64,
            durability: Durability::default(),
            tags: Arc::new([]),
            metadata: Arc::default(),
        }
    }
}

impl RunOptions {
    /// The defaults.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes the run a part of a thread.
    #[must_use]
    pub fn thread(mut self, thread: impl Into<Arc<str>>) -> Self {
        self.thread = Some(thread.into());
        self
    }

    /// Goes on from an earlier checkpoint of the thread.
    #[must_use]
    pub fn checkpoint(mut self, id: impl Into<Arc<str>>) -> Self {
        self.checkpoint = Some(id.into());
        self
    }

    /// Names the run.
    #[must_use]
    pub fn run_id(mut self, id: impl Into<Arc<str>>) -> Self {
        self.run_id = Some(id.into());
        self
    }

    /// Sets the time of day. With [`salt`](Self::salt) a repeated run makes up the same names.
    #[must_use]
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    /// Sets the number that tells names that this run makes up from those of other runs.
    #[must_use]
    pub const fn salt(mut self, salt: u64) -> Self {
        self.salt = Some(salt);
        self
    }

    /// Gives nodes and tools a context. It is not kept.
    #[must_use]
    pub fn context<C: Any + Send + Sync>(mut self, context: C) -> Self {
        self.context = Some(Arc::new(context));
        self
    }

    /// Sets what cancels the run.
    #[must_use]
    pub fn cancel(mut self, token: CancellationToken) -> Self {
        self.cancel = token;
        self
    }

    /// Sets what stops the run at the end of a step.
    #[must_use]
    pub fn drain(mut self, token: CancellationToken) -> Self {
        self.drain = token;
        self
    }

    /// Sets where events go.
    #[must_use]
    pub fn events(mut self, events: EventSink) -> Self {
        self.events = events;
        self
    }

    /// Sets what answers questions while the run goes on.
    #[must_use]
    pub fn live_answers(mut self, answers: LiveAnswers) -> Self {
        self.live_answers = Some(answers);
        self
    }

    /// Limits the steps.
    #[must_use]
    pub const fn step_limit(mut self, steps: u64) -> Self {
        self.step_limit = steps;
        self
    }

    /// Limits how many tasks run at once, at least 1.
    #[must_use]
    pub fn max_parallel(mut self, tasks: usize) -> Self {
        self.max_parallel = tasks.max(1);
        self
    }

    /// Sets when checkpoints are kept.
    #[must_use]
    pub const fn durability(mut self, durability: Durability) -> Self {
        self.durability = durability;
        self
    }

    /// Sets the tags.
    #[must_use]
    pub fn tags(mut self, tags: impl IntoIterator<Item = String>) -> Self {
        self.tags = tags.into_iter().collect();
        self
    }

    /// Sets the metadata.
    #[must_use]
    pub fn metadata(mut self, metadata: JsonMap) -> Self {
        self.metadata = Arc::new(metadata);
        self
    }
}

impl fmt::Debug for RunOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunOptions")
            .field("thread", &self.thread)
            .field("checkpoint", &self.checkpoint)
            .field("run_id", &self.run_id)
            .field("events", &self.events)
            .field("step_limit", &self.step_limit)
            .field("durability", &self.durability)
            .finish_non_exhaustive()
    }
}
