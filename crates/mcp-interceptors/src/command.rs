//! What a tool or a layer may ask of the graph that runs it: as data, for others to carry out.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{JsonMap, ToolMessage};

/// Changes to the state, and where the run goes next.
///
/// This crate only carries it; the graph that made the call checks and obeys it. Outside a
/// graph it is an outcome like any other.
///
/// ```
/// use mcp_interceptors::Command;
/// let done = Command::new()
///     .with_message("order 17 is placed")
///     .with_update("task_status", "completed")
///     .goto("summary_agent");
/// assert_eq!(done.update["task_status"], "completed");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Command {
    /// New values by the name of the state's field; each goes through the field's reducer.
    #[serde(default, skip_serializing_if = "JsonMap::is_empty")]
    pub update: JsonMap,
    /// The answer to the tool call that this command ends. Where it is missing the graph puts
    /// in a short one, so that the call is never left without an answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<ToolMessage>,
    /// Where to go. Empty leaves it to the graph's edges.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub goto: Vec<Goto>,
    /// Which graph `update` and `goto` are for.
    #[serde(default)]
    pub graph: Scope,
    /// The answer to an interrupt, where the command starts a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resume: Option<Value>,
}

/// A target of [`Command::goto`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Goto {
    /// Run this node next.
    Node(String),
    /// Run this node next with an input of its own instead of the state.
    #[non_exhaustive]
    Send {
        /// The node.
        node: String,
        /// Its whole input.
        input: Value,
        /// How long an attempt may take, instead of what the node allows.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        timeout: Option<Duration>,
    },
    /// End the run.
    End,
}

impl Goto {
    /// Runs this node next with an input of its own instead of the state.
    #[must_use]
    pub fn send(node: impl Into<String>, input: impl Into<Value>) -> Self {
        Self::Send {
            node: node.into(),
            input: input.into(),
            timeout: None,
        }
    }

    /// The same with a time limit of its own: how long an attempt may take, instead of what the
    /// node allows.
    #[must_use]
    pub fn send_within(
        node: impl Into<String>,
        input: impl Into<Value>,
        timeout: Duration,
    ) -> Self {
        Self::Send {
            node: node.into(),
            input: input.into(),
            timeout: Some(timeout),
        }
    }
}

/// Which graph a [`Command`] is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Scope {
    /// The graph that runs the node.
    #[default]
    This,
    /// The graph around it.
    Parent,
}

impl Command {
    /// A command that changes nothing and leaves the way to the graph's edges.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Ends the run: `Command::new().goto_end()`.
    #[must_use]
    pub fn end() -> Self {
        Self::new().goto_end()
    }

    /// Adds a value for one field of the state.
    #[must_use]
    pub fn with_update(mut self, field: impl Into<String>, value: impl Into<Value>) -> Self {
        self.update.insert(field.into(), value.into());
        self
    }

    /// Sets the answer to the tool call: a text, a result or a message.
    #[must_use]
    pub fn with_message(mut self, message: impl Into<ToolMessage>) -> Self {
        self.message = Some(message.into());
        self
    }

    /// Adds a node to go to. `__end__` is the end, as in [`goto_end`](Self::goto_end).
    #[must_use]
    pub fn goto(mut self, node: impl Into<String>) -> Self {
        let node = node.into();
        self.goto.push(if node == "__end__" {
            Goto::End
        } else {
            Goto::Node(node)
        });
        self
    }

    /// Adds a node to go to with an input of its own.
    #[must_use]
    pub fn goto_with(mut self, node: impl Into<String>, input: impl Into<Value>) -> Self {
        self.goto.push(Goto::send(node, input));
        self
    }

    /// Ends the run after this step.
    #[must_use]
    pub fn goto_end(mut self) -> Self {
        self.goto.push(Goto::End);
        self
    }

    /// Aims the command at the graph around the one that runs the node.
    #[must_use]
    pub const fn in_parent(mut self) -> Self {
        self.graph = Scope::Parent;
        self
    }

    /// Hands over to a node of the graph around this one. The graph passes the model's call and
    /// its answer on together.
    #[must_use]
    pub fn handoff(node: impl Into<String>) -> Self {
        Self::new().goto(node).in_parent()
    }

    /// Answers an interrupt.
    #[must_use]
    pub fn resume(value: impl Into<Value>) -> Self {
        Self {
            resume: Some(value.into()),
            ..Self::default()
        }
    }
}
