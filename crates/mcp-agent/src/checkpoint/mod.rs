//! What is kept of a run, so that it can go on later: memory within a thread.

mod error;
mod id;
mod keeper;
mod memory;
mod record;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use mcp_interceptors::{BoxFuture, Command, JsonMap};
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use error::CheckpointError;
pub(crate) use id::next_id;
pub use keeper::Durability;
pub(crate) use keeper::{Entry, Journal, Keeper};
pub use memory::MemoryCheckpointer;
pub use record::{StoredOutput, TaskRecord, TaskState};

use crate::state::Changes;

/// Keeps checkpoints. One is written after each step of a run that belongs to a thread.
///
/// A checkpoint holds what the step changed, not the state: to read one means to put the
/// changes of all checkpoints from the first one to it together. Checkpoints of one
/// [`Place`] are written in order, by one run at a time.
///
/// `mcp_testkit::checkpointer_contract` tries whether an implementation keeps these promises.
///
/// # Cancel safety
/// A run that is dropped drops what it waits for here. Then an order is carried out or not, and
/// never half; for what was not, the run goes on later as if the step had not been made.
pub trait Checkpointer: fmt::Debug + Send + Sync + 'static {
    /// Keeps a checkpoint. Its parent is already kept.
    ///
    /// # Errors
    /// If it cannot be kept; the run ends then.
    fn put(
        &self,
        place: Place,
        checkpoint: Arc<Checkpoint>,
    ) -> BoxFuture<'_, Result<(), CheckpointError>>;

    /// Keeps what became of a task of the step after `checkpoint`, in place of an earlier record
    /// of that task, so that it is not run again.
    ///
    /// # Errors
    /// If it cannot be kept.
    fn record(
        &self,
        place: Place,
        checkpoint: Arc<str>,
        record: TaskRecord,
    ) -> BoxFuture<'_, Result<(), CheckpointError>>;

    /// Reads the checkpoint `id` of a place, or the last one. `None` if there is none.
    ///
    /// # Errors
    /// If it cannot be read.
    fn load(
        &self,
        place: Place,
        id: Option<Arc<str>>,
    ) -> BoxFuture<'_, Result<Option<Loaded>, CheckpointError>>;

    /// Lists checkpoints of a thread, newest first.
    ///
    /// # Errors
    /// If they cannot be read.
    fn list(
        &self,
        query: ListCheckpoints,
    ) -> BoxFuture<'_, Result<Vec<Arc<Checkpoint>>, CheckpointError>>;

    /// Deletes, copies or shortens a thread.
    ///
    /// # Errors
    /// If it cannot be done; then nothing was done.
    fn manage(&self, order: Manage) -> BoxFuture<'_, Result<(), CheckpointError>>;
}

/// A thread and a graph within it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub struct Place {
    /// The thread. Any text; it is data, never a path.
    pub thread: Arc<str>,
    /// The graph: empty for the outermost, else the way down to it.
    pub namespace: Arc<str>,
}

impl Place {
    /// A graph within a thread.
    pub fn new(thread: impl Into<Arc<str>>, namespace: impl Into<Arc<str>>) -> Self {
        Self {
            thread: thread.into(),
            namespace: namespace.into(),
        }
    }
}

/// What is kept of one step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Checkpoint {
    /// Its name; later checkpoints of a place have greater names.
    pub id: Arc<str>,
    /// The checkpoint before it, from which its changes count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<Arc<str>>,
    /// The graph that it belongs to.
    #[serde(default)]
    pub namespace: Arc<str>,
    /// The step that it was written after; 0 is the first input.
    pub step: u64,
    /// What was done.
    pub source: Source,
    /// What changed in the state.
    #[serde(default)]
    pub changes: Changes,
    /// The tasks of the next step, in their order.
    #[serde(default)]
    pub next: Vec<PlannedTask>,
    /// What waits besides them.
    #[serde(default)]
    pub waiting: Waiting,
    /// The run that wrote it.
    pub run: Arc<str>,
    /// The task of the graph around that had called this one, if there is one around.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caller: Option<Arc<str>>,
    /// When, in milliseconds since 1970.
    pub created_ms: u64,
    /// The run's metadata.
    #[serde(default)]
    pub metadata: Arc<JsonMap>,
}

/// What a checkpoint was written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Source {
    /// New input.
    Input,
    /// A step.
    Step,
    /// The state was changed from outside.
    Update,
    /// A copy of an earlier checkpoint, to go on from there.
    Fork,
}

/// A task of the next step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PlannedTask {
    /// Its node.
    pub node: Arc<str>,
    /// The input that it was sent, if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payload: Option<Value>,
    /// The time limit that it was sent with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<Duration>,
    /// The nodes that led to it; see [`RunEvent::TaskStarted`](crate::RunEvent::TaskStarted).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub triggers: Vec<Arc<str>>,
}

/// What waits besides the tasks of the next step.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Waiting {
    /// Nodes that wait for several others, with those that have arrived.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub joins: Vec<(String, Vec<String>)>,
    /// Nodes that wait until nothing else is left to do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deferred: Vec<String>,
    /// For each of them the nodes that led to it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deferred_by: Vec<Vec<Arc<str>>>,
    /// What the graph around is to do, if this graph has ended with that.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parent: Vec<Command>,
}

/// A checkpoint with what is needed to go on from it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Loaded {
    /// From the first checkpoint to the one that was asked for, each the parent of the next. A
    /// storage may give fewer, with the changes of several put together.
    pub chain: Vec<Arc<Checkpoint>>,
    /// What became of the tasks of the step after it.
    pub records: Vec<TaskRecord>,
}

impl Loaded {
    /// What a storage found.
    #[must_use]
    pub const fn new(chain: Vec<Arc<Checkpoint>>, records: Vec<TaskRecord>) -> Self {
        Self { chain, records }
    }

    /// The checkpoint that was asked for.
    #[must_use]
    pub fn last(&self) -> Option<&Arc<Checkpoint>> {
        self.chain.last()
    }
}

/// Which checkpoints to list.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ListCheckpoints {
    /// Of this thread and graph.
    pub place: Place,
    /// Only those older than this one.
    pub before: Option<Arc<str>>,
    /// Only those written for this.
    pub source: Option<Source>,
    /// Only those whose metadata have these members with these values.
    pub metadata: JsonMap,
    /// At most so many.
    pub limit: usize,
}

impl ListCheckpoints {
    /// The newest 100 of a place.
    #[must_use]
    pub fn of(place: Place) -> Self {
        Self {
            place,
            before: None,
            source: None,
            metadata: JsonMap::new(),
            limit: 100,
        }
    }

    /// Whether a checkpoint is one of them, the limit aside.
    #[must_use]
    pub fn admits(&self, checkpoint: &Checkpoint) -> bool {
        let older = self
            .before
            .as_ref()
            .is_none_or(|before| checkpoint.id < *before);
        let fits = self.source.is_none_or(|source| checkpoint.source == source);
        let mut wanted = self.metadata.iter();
        older && fits && wanted.all(|(key, value)| checkpoint.metadata.get(key) == Some(value))
    }
}

/// What can be done with a whole thread.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Manage {
    /// Forget it, with all its graphs.
    Delete {
        /// The thread.
        thread: Arc<str>,
    },
    /// Copy it to a thread that does not exist.
    Copy {
        /// From here.
        from: Arc<str>,
        /// To here.
        to: Arc<str>,
    },
    /// Forget all but the newest checkpoints of each of its graphs. What older ones changed goes
    /// into the oldest that stays.
    Prune {
        /// The thread.
        thread: Arc<str>,
        /// How many stay, at least 1.
        keep: usize,
    },
}
