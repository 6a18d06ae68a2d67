//! The events themselves.

use std::sync::Arc;
use std::time::Duration;

use mcp_interceptors::{JsonMap, Report, ServerFailure};
use mcp_model::{ChatMessage, Usage};
use serde::Serialize;
use serde_json::Value;

use crate::Interrupt;
use crate::state::Json;

/// One event, with where it comes from.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Emitted {
    /// The graph: empty for the outermost, else the way down to it.
    pub namespace: Arc<str>,
    /// The step of that graph, from 1; 0 is its input.
    pub step: u64,
    /// The tags of the run, and of the nodes on the way down to where it happened.
    pub tags: Arc<[String]>,
    /// What happened.
    pub event: RunEvent,
}

impl Emitted {
    pub(crate) fn new(
        namespace: &Arc<str>,
        step: u64,
        tags: &Arc<[String]>,
        event: RunEvent,
    ) -> Self {
        Self {
            namespace: Arc::clone(namespace),
            step,
            tags: Arc::clone(tags),
            event,
        }
    }
}

/// What a run tells.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum RunEvent {
    /// A task begins.
    TaskStarted {
        /// The task.
        task: Arc<str>,
        /// Its node.
        node: Arc<str>,
        /// The input that it was sent, if it was; otherwise it sees the state.
        payload: Option<Value>,
        /// The nodes that led to it, by an edge or a `goto`; [`START`](crate::START) for the
        /// first tasks.
        triggers: Vec<Arc<str>>,
    },
    /// A task has ended.
    TaskEnded {
        /// The task.
        task: Arc<str>,
        /// Its node.
        node: Arc<str>,
        /// Why it gave nothing back, if so.
        error: Option<String>,
        /// What it gave back.
        updates: Vec<Json>,
        /// The questions that it waits for.
        interrupts: Vec<Interrupt>,
    },
    /// What a task gave back, as it finished; one event for each update.
    Update {
        /// Its node.
        node: Arc<str>,
        /// The update.
        update: Json,
    },
    /// The state after the input and after each step.
    Values {
        /// All fields.
        state: JsonMap,
    },
    /// A value that a node or a tool wrote.
    Custom {
        /// The node.
        node: Arc<str>,
        /// The value.
        value: Value,
    },
    /// The step's checkpoint was handed to the checkpointer.
    Checkpointed {
        /// Its id.
        id: Arc<str>,
    },
    /// Something asks and waits for an answer while the run goes on; see
    /// [`LiveAnswers`](crate::LiveAnswers).
    Asked {
        /// The question.
        interrupt: Interrupt,
    },
    /// The run has stopped and waits for answers.
    Interrupted {
        /// The questions.
        interrupts: Vec<Interrupt>,
    },
    /// A server cannot be used; the run goes on without it.
    ServerFailed {
        /// Which, how far it got, and why.
        failure: ServerFailure,
    },
    /// Something is not as it was meant to be; the run goes on.
    Warning {
        /// What.
        message: String,
    },
    /// The model is asked; a round begins.
    RoundStarted {
        /// Which round of this run, from 1.
        round: u32,
        /// The model's name.
        model: Arc<str>,
    },
    /// The model has answered.
    ModelAnswered {
        /// What it said, and which tools it asks for.
        message: Arc<ChatMessage>,
        /// What it cost.
        usage: Usage,
        /// How long it took.
        duration: Duration,
    },
    /// The model has written a piece of its answer.
    MessageDelta {
        /// The node that asks the model.
        node: Arc<str>,
        /// Which round of an agent's run it belongs to, from 1; 0 in other graphs.
        round: u32,
        /// The piece.
        text: String,
    },
    /// A message goes into the conversation, from whatever node. Each is told once, also if it
    /// is handed on from graph to graph.
    Message {
        /// The node.
        node: Arc<str>,
        /// The message.
        message: Arc<ChatMessage>,
    },
    /// A tool call begins.
    ToolStarted {
        /// Which.
        call: ToolRef,
        /// Its arguments.
        args: JsonMap,
    },
    /// A server reported something about a call that is running.
    ToolReported {
        /// Which.
        call: ToolRef,
        /// Progress, or a log message.
        report: Report,
    },
    /// A tool call has ended.
    ToolEnded {
        /// Which.
        call: ToolRef,
        /// How it went.
        outcome: ToolEnd,
        /// How long it took.
        duration: Duration,
    },
    /// A listener was too slow, and so many events before this one were dropped.
    Dropped {
        /// How many.
        count: u64,
    },
}

/// Names one tool call in events.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ToolRef {
    /// The model's id of the call.
    pub id: Arc<str>,
    /// The tool, by the name that the model used.
    pub name: Arc<str>,
    /// The server. Empty if there is no such tool.
    pub server: Arc<str>,
    /// The server's own name for the tool. Empty if there is no such tool.
    pub tool: Arc<str>,
}

/// How a tool call went.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ToolEnd {
    /// It gave a result.
    Ok,
    /// The tool said that it failed.
    Failed {
        /// The first line of what it said.
        message: String,
    },
    /// There was no result: the server, the way to it or a layer failed, or the call was wrong.
    Error {
        /// Why, down to the cause.
        message: String,
    },
    /// It waits for an answer from outside.
    Interrupted,
    /// It was given up.
    Cancelled,
}
