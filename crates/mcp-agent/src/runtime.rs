//! What a node is given besides the state.

use std::any::Any;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use http::Extensions;
use mcp_interceptors::JsonMap;
use mcp_model::Deltas;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::graph::{Failure, NodeError, Pulse};
use crate::hash::Hash;
use crate::store::Store;
use crate::stream::{Emitted, EventSink, Interest, RunEvent};
use crate::{Clock, Interrupt, LiveAnswers};

/// What a node is given besides the state: the run's context, store, event sink and
/// cancellation, and where in the run it is. A clone costs two reference counts.
#[derive(Clone)]
pub struct Runtime {
    pub(crate) run: Arc<RunScope>,
    pub(crate) task: Arc<TaskScope>,
}

/// What all tasks of a run share, in one graph.
#[derive(Clone)]
pub(crate) struct RunScope {
    pub(crate) thread: Option<Arc<str>>,
    pub(crate) run_id: Arc<str>,
    pub(crate) clock: Clock,
    /// Tells the run from others, also from those of the same name.
    pub(crate) salt: u64,
    pub(crate) context: Option<Arc<dyn Any + Send + Sync>>,
    pub(crate) store: Option<Arc<dyn Store>>,
    pub(crate) events: EventSink,
    pub(crate) cancel: CancellationToken,
    pub(crate) drain: CancellationToken,
    pub(crate) answers: Arc<HashMap<String, Value>>,
    pub(crate) live: Option<LiveAnswers>,
    pub(crate) extensions: Arc<Extensions>,
    pub(crate) tags: Arc<[String]>,
    pub(crate) metadata: Arc<JsonMap>,
    pub(crate) step_limit: u64,
    pub(crate) max_parallel: usize,
    pub(crate) keeper: Option<crate::checkpoint::Keeper>,
    /// Of the innermost node that must not be silent for long.
    pub(crate) pulse: Option<Arc<Pulse>>,
}

/// Where in a run a task is.
#[derive(Debug)]
pub(crate) struct TaskScope {
    pub(crate) id: Hash,
    pub(crate) node: Arc<str>,
    pub(crate) namespace: Arc<str>,
    pub(crate) step: u64,
    pub(crate) steps_left: u64,
    pub(crate) attempt: u32,
    pub(crate) seed: u64,
    pub(crate) checkpoint: Option<Arc<str>>,
    pub(crate) asked: AtomicU64,
    pub(crate) began_ms: u64,
}

/// Where in a run a node or a tool is.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ExecutionInfo {
    /// The thread, if the run belongs to one.
    pub thread: Option<Arc<str>>,
    /// The run.
    pub run_id: Arc<str>,
    /// The checkpoint that the step began with, if checkpoints are kept.
    pub checkpoint: Option<Arc<str>>,
    /// The graph: empty for the outermost, else the way down to it.
    pub namespace: Arc<str>,
    /// The task; it has the same name when it is repeated.
    pub task: Arc<str>,
    /// The node.
    pub node: Arc<str>,
    /// The step, from 1.
    pub step: u64,
    /// How many steps are left after this one before the run ends with an error.
    pub steps_left: u64,
    /// Which attempt of the node this is, from 1.
    pub attempt: u32,
    /// When the first of these attempts began, in milliseconds since 1970.
    pub first_attempt_ms: u64,
    /// The run's tags, and those of the nodes on the way down to this one.
    pub tags: Arc<[String]>,
    /// The run's metadata.
    pub metadata: Arc<JsonMap>,
}

impl Runtime {
    /// The context that was given to the run, if it is a `C`.
    #[must_use]
    pub fn context<C: Any + Send + Sync>(&self) -> Option<&C> {
        self.run.context.as_deref()?.downcast_ref()
    }

    /// The store, if the graph has one.
    #[must_use]
    pub fn store(&self) -> Option<&Arc<dyn Store>> {
        self.run.store.as_ref()
    }

    /// Is cancelled when the run is.
    #[must_use]
    pub fn cancellation(&self) -> &CancellationToken {
        &self.run.cancel
    }

    /// Whether the run was asked to stop at the end of this step.
    #[must_use]
    pub fn is_draining(&self) -> bool {
        self.run.drain.is_cancelled()
    }

    /// Where in the run this is.
    #[must_use]
    pub fn info(&self) -> ExecutionInfo {
        ExecutionInfo {
            thread: self.run.thread.clone(),
            run_id: Arc::clone(&self.run.run_id),
            checkpoint: self.task.checkpoint.clone(),
            namespace: Arc::clone(&self.task.namespace),
            task: self.task.id.wide().into(),
            node: Arc::clone(&self.task.node),
            step: self.task.step,
            steps_left: self.task.steps_left,
            attempt: self.task.attempt,
            first_attempt_ms: self.task.began_ms,
            tags: Arc::clone(&self.run.tags),
            metadata: Arc::clone(&self.run.metadata),
        }
    }

    /// Says that the node is at work, where it has a limit for its silence; see
    /// [`NodeOptions::idle_timeout`](crate::NodeOptions::idle_timeout). Events say that too.
    pub fn heartbeat(&self) {
        if let Some(pulse) = &self.run.pulse {
            pulse.beat();
        }
    }

    /// Whether anybody wants to know of what happens: a listener, or the limit of a silence.
    pub(crate) fn is_watched(&self, interest: Interest) -> bool {
        self.run.pulse.is_some() || self.run.events.wants(interest)
    }

    /// Sends a value of one's own to whoever listens to the run.
    pub fn write(&self, value: impl Into<Value>) {
        self.emit(Interest::CUSTOM, || RunEvent::Custom {
            node: Arc::clone(&self.task.node),
            value: value.into(),
        });
    }

    /// Where a model's answer is shown as it is written, for
    /// [`ChatModel::stream`](mcp_model::ChatModel::stream). `None` if nobody wants to see that
    /// and the node may be silent.
    #[must_use]
    pub fn deltas(&self) -> Option<Deltas> {
        self.deltas_of(0)
    }

    pub(crate) fn deltas_of(&self, round: u32) -> Option<Deltas> {
        let runtime = self.clone();
        let tell = move |text: &str| {
            runtime.emit(Interest::DELTAS, || RunEvent::MessageDelta {
                node: Arc::clone(&runtime.task.node),
                round,
                text: text.to_owned(),
            });
        };
        let wanted = self.is_watched(Interest::DELTAS);
        wanted.then(|| Deltas::new(tell))
    }

    /// Asks the outside world and waits for the answer.
    ///
    /// The first time this is an error to be returned with `?`: the run stops and reports the
    /// question. When it is resumed with an answer the node runs again from its beginning, and
    /// this gives the answer. A node that asks several times gets its answers in the order of
    /// its questions.
    ///
    /// # Errors
    /// The interruption, as long as there is no answer.
    pub fn interrupt(&self, value: impl Into<Value>) -> Result<Value, NodeError> {
        self.question(value.into())
            .map_err(|interrupt| NodeError(Failure::Interrupted(vec![*interrupt])))
    }

    /// The same, but where the run has [`LiveAnswers`] it waits for an
    /// answer here first, without stopping the run.
    ///
    /// # Errors
    /// As [`interrupt`](Self::interrupt).
    ///
    /// # Cancel safety
    /// Dropping the future closes the question.
    pub async fn ask(&self, value: impl Into<Value>) -> Result<Value, NodeError> {
        self.ask_live(value.into())
            .await
            .map_err(|interrupt| NodeError(Failure::Interrupted(vec![*interrupt])))
    }

    pub(crate) async fn ask_live(&self, value: Value) -> Result<Value, Box<Interrupt>> {
        let index = self.task.asked.fetch_add(1, Ordering::Relaxed);
        self.ask_as(self.task.id.number(index), value).await
    }

    /// Asks under a name of the question's own.
    pub(crate) async fn ask_as(&self, id: Hash, value: Value) -> Result<Value, Box<Interrupt>> {
        let interrupt = match self.question_as(id, value) {
            Ok(answer) => return Ok(answer),
            Err(interrupt) => interrupt,
        };
        let Some(live) = &self.run.live else {
            return Err(interrupt);
        };
        let asked = || {
            self.emit(Interest::INTERRUPTS, || RunEvent::Asked {
                interrupt: Interrupt::clone(&interrupt),
            });
        };
        live.wait(&interrupt.id, asked).await.ok_or(interrupt)
    }

    pub(crate) fn question(&self, value: Value) -> Result<Value, Box<Interrupt>> {
        let index = self.task.asked.fetch_add(1, Ordering::Relaxed);
        self.question_as(self.task.id.number(index), value)
    }

    fn question_as(&self, id: Hash, value: Value) -> Result<Value, Box<Interrupt>> {
        let id = id.wide();
        match self.run.answers.get(&id) {
            Some(answer) => Ok(answer.clone()),
            None => Err(Box::new(Interrupt {
                id,
                value,
                node: self.task.node.as_ref().to_owned(),
                namespace: self.task.namespace.as_ref().to_owned(),
            })),
        }
    }

    pub(crate) fn extension<T: Send + Sync + 'static>(&self) -> Option<&T> {
        self.run.extensions.get()
    }

    pub(crate) fn emit(&self, interest: Interest, event: impl FnOnce() -> RunEvent) {
        self.heartbeat();
        let (task, run) = (&self.task, &self.run);
        run.events.emit(interest, || {
            Emitted::new(&task.namespace, task.step, &run.tags, event())
        });
    }
}

impl fmt::Debug for Runtime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Runtime")
            .field("run", &self.run.run_id)
            .field("task", &self.task)
            .finish_non_exhaustive()
    }
}
