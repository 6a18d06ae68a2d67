//! What a tool call finds of the graph that makes it.

use std::any::Any;
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mcp_interceptors::{Ask, BoundTool, CallError, CallErrorKind, JsonMap, ToolCall};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::graph::{Failure, NodeError};
use crate::react::Memo;
use crate::state::{State, StateError};
use crate::store::Store;
use crate::{ExecutionInfo, Interrupt, Runtime};

/// What a tool call finds of the graph that makes it: state, context, store, its own id, the
/// event stream, cancellation.
///
/// Layers and local tools get it with [`RuntimeExt::runtime`].
#[derive(Clone)]
pub struct ToolRuntime {
    runtime: Runtime,
    state: Arc<dyn AnyState>,
    call_id: Arc<str>,
}

trait AnyState: Send + Sync {
    fn any(&self) -> &(dyn Any + Send + Sync);
    fn json(&self) -> Result<JsonMap, StateError>;
}

impl<S: State> AnyState for S {
    fn any(&self) -> &(dyn Any + Send + Sync) {
        self
    }

    fn json(&self) -> Result<JsonMap, StateError> {
        self.to_json()
    }
}

impl ToolRuntime {
    /// For a node that calls tools: what its calls find.
    pub fn new<S: State>(runtime: Runtime, state: Arc<S>, call_id: impl Into<Arc<str>>) -> Self {
        Self {
            runtime,
            state,
            call_id: call_id.into(),
        }
    }

    /// The state as it was when the step began, if it is an `S`.
    #[must_use]
    pub fn state<S: State>(&self) -> Option<&S> {
        self.state.any().downcast_ref()
    }

    /// The state as JSON. It is made anew each time.
    ///
    /// # Errors
    /// If a value cannot be written as JSON.
    pub fn state_json(&self) -> Result<JsonMap, StateError> {
        self.state.json()
    }

    /// The context that was given to the run, if it is a `C`.
    #[must_use]
    pub fn context<C: Any + Send + Sync>(&self) -> Option<&C> {
        self.runtime.context()
    }

    /// The store, if the graph has one.
    #[must_use]
    pub fn store(&self) -> Option<&Arc<dyn Store>> {
        self.runtime.store()
    }

    /// The id of the call that the model made.
    #[must_use]
    pub fn tool_call_id(&self) -> &str {
        &self.call_id
    }

    /// The tools that the agent has now. Empty outside an agent.
    #[must_use]
    pub fn tools(&self) -> Arc<[Arc<BoundTool>]> {
        let memo = self.runtime.extension::<Arc<Memo>>();
        memo.map_or_else(Arc::default, |memo| memo.table().listed())
    }

    /// The servers that calls of the agent are running on now, this one's included, by name.
    #[must_use]
    pub fn active_servers(&self) -> Vec<Arc<str>> {
        let memo = self.runtime.extension::<Arc<Memo>>();
        memo.map_or_else(Vec::new, |memo| memo.active.servers())
    }

    /// Where in the run the call is.
    #[must_use]
    pub fn info(&self) -> ExecutionInfo {
        self.runtime.info()
    }

    /// Sends a value of one's own to whoever listens to the run.
    pub fn write(&self, value: impl Into<Value>) {
        self.runtime.write(value);
    }

    /// Is cancelled when the run is.
    #[must_use]
    pub fn cancellation(&self) -> &CancellationToken {
        self.runtime.cancellation()
    }

    pub(crate) const fn shared_call_id(&self) -> &Arc<str> {
        &self.call_id
    }

    /// The run.
    pub(crate) const fn runtime(&self) -> &Runtime {
        &self.runtime
    }

    /// What answers the questions of layers, and of servers: the outside world. The questions
    /// that stop the run are noted in `open`, as not everybody passes the interruption on.
    pub(crate) fn asking(&self, open: &OpenQuestions) -> Ask {
        let (runtime, open) = (self.runtime.clone(), open.clone());
        let (now, asked) = (runtime.clone(), open.clone());
        Ask::new(move |question| open.clone().ask(runtime.clone(), question))
            .with_now(move |question| asked.clone().ask_now(now.clone(), question))
    }

    /// Asks the outside world; see [`Runtime::interrupt`].
    ///
    /// # Errors
    /// The interruption, to be returned, as long as there is no answer.
    pub fn interrupt(&self, value: impl Into<Value>) -> Result<Value, CallError> {
        let asked = self.runtime.question(value.into());
        asked.map_err(|interrupt| interrupted(&interrupt))
    }

    /// The same, but where the run has [`LiveAnswers`](crate::LiveAnswers) it waits for an
    /// answer here first, without stopping the run.
    ///
    /// # Errors
    /// As [`interrupt`](Self::interrupt).
    ///
    /// # Cancel safety
    /// Dropping the future closes the question.
    pub async fn ask(&self, value: impl Into<Value>) -> Result<Value, CallError> {
        let asked = self.runtime.ask_live(value.into()).await;
        asked.map_err(|interrupt| interrupted(&interrupt))
    }
}

fn interrupted(interrupt: &Interrupt) -> CallError {
    match serde_json::to_value([interrupt]) {
        Ok(interrupts) => CallError::interrupted(interrupts),
        Err(error) => CallError::new(CallErrorKind::Layer, "the question cannot be written")
            .with_source(error),
    }
}

/// The questions of a call: those of layers, and those of servers.
///
/// What is asked is part of a question's name. A server that asks something else when the call is
/// made once more has asked a new question, and never gets the answer to the one before.
#[derive(Clone, Debug, Default)]
pub(crate) struct OpenQuestions(Arc<Mutex<Asked>>);

#[derive(Debug, Default)]
struct Asked {
    /// Those that have stopped the call.
    open: Vec<Interrupt>,
    /// How often the same was asked.
    times: HashMap<u64, u64>,
}

impl OpenQuestions {
    async fn ask(self, runtime: Runtime, question: Value) -> Result<Value, CallError> {
        self.put(runtime, question).await.map_err(|interrupt| {
            let error = interrupted(&interrupt);
            self.lock().open.push(*interrupt);
            error
        })
    }

    /// A question that nobody answers now stops nothing.
    async fn ask_now(self, runtime: Runtime, question: Value) -> Result<Value, CallError> {
        let asked = self.put(runtime, question).await;
        let unanswered = |_| CallError::new(CallErrorKind::Refused, "nobody has answered in time");
        asked.map_err(unanswered)
    }

    async fn put(&self, runtime: Runtime, question: Value) -> Result<Value, Box<Interrupt>> {
        let asked = runtime.task.id.text("question").value(&question);
        let nth = {
            let mut this = self.lock();
            let times = this.times.entry(asked.finish()).or_default();
            *times += 1;
            *times
        };
        runtime.ask_as(asked.number(nth), question).await
    }

    /// The interruption that they make, if there are any.
    pub(crate) fn interruption(&self) -> Option<NodeError> {
        let questions = std::mem::take(&mut self.lock().open);
        (!questions.is_empty()).then_some(NodeError(Failure::Interrupted(questions)))
    }

    fn lock(&self) -> MutexGuard<'_, Asked> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for ToolRuntime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolRuntime")
            .field("call_id", &self.call_id)
            .field("runtime", &self.runtime)
            .finish_non_exhaustive()
    }
}

/// Finds the graph that makes a call.
pub trait RuntimeExt {
    /// The graph that makes the call. `None` if it is made outside a graph.
    fn runtime(&self) -> Option<&ToolRuntime>;
}

impl RuntimeExt for ToolCall {
    fn runtime(&self) -> Option<&ToolRuntime> {
        self.extensions().get()
    }
}
