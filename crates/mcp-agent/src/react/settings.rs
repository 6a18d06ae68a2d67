//! What an agent was built with, and what it remembers of a run.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use mcp_interceptors::{CallError, Intercepted, Toolset};
use mcp_model::{ChatModel, ToolSpec, ToolUse};

use super::answer::ShowStructured;
use super::limits::Limits;
use super::memo::Memo;
use super::model_chain::ModelNext;
use super::preload::Part;
use super::reader;
use super::response::ResponseFormat;
use super::state::ReactState;
use super::table::LastTable;
use super::truncate::Truncate;

/// What an agent was built with.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) model: Arc<dyn ChatModel>,
    pub(crate) model_name: Arc<str>,
    pub(crate) system: SystemPrompt,
    /// What is loaded into the system prompt when the agent first runs.
    pub(crate) parts: Vec<Part>,
    /// The toolsets, with the agent's layers around them.
    pub(crate) sources: Vec<Intercepted>,
    pub(crate) last_table: LastTable,
    pub(crate) truncate: Option<Truncate>,
    pub(crate) structured: ShowStructured,
    pub(crate) stop_after: StopAfter,
    pub(crate) chain: ModelNext,
    pub(crate) limits: Limits,
    pub(crate) response: Option<ResponseFormat>,
    /// Tools whose results are the answer.
    pub(crate) direct: Vec<String>,
    /// What becomes of calls without an outcome.
    pub(crate) on_error: Option<ErrorPolicy>,
    /// What answers calls of tools that are not there.
    pub(crate) unknown: Option<Intercepted>,
    /// The fields that only the program writes.
    pub(crate) private: BTreeSet<String>,
}

impl Settings {
    /// The tools that are the agent's own.
    pub(crate) fn own_tools(&self) -> Vec<ToolSpec> {
        let reader = self.truncate.map(|_| reader::spec());
        let answer = self.response.as_ref();
        let answer = answer.filter(|format| format.is_by_tool(&*self.model));
        reader
            .into_iter()
            .chain(answer.map(|f| f.spec.clone()))
            .collect()
    }

    /// Is another number when a toolset's list may have become another one.
    pub(crate) fn list_version(&self) -> u64 {
        let versions = self.sources.iter().map(Toolset::list_version);
        versions.fold(0, |sum, version| sum.rotate_left(7).wrapping_add(version))
    }
}

type Judge = dyn Fn(&ToolUse, &CallError) -> OnError + Send + Sync;

/// What becomes of a call that has no outcome.
#[derive(Clone)]
pub(crate) struct ErrorPolicy(pub(crate) Arc<Judge>);

impl fmt::Debug for ErrorPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ErrorPolicy")
    }
}

/// What becomes of a call that has no outcome: of what went wrong around a tool, not of a tool
/// that reports an error.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum OnError {
    /// The model is told what happened, and goes on.
    #[default]
    Tell,
    /// The model is told this, and goes on.
    Say(String),
    /// The run ends with the error.
    Fail,
}

/// After how many rounds in a row in which every call failed an agent stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StopAfter {
    /// Where every failure was a server's or that of the way to it. 1 by default: the model
    /// cannot mend that.
    pub outside: u32,
    /// Where tools reported errors, or calls were wrong. 3 by default: the model may do better.
    pub any: u32,
}

impl Default for StopAfter {
    fn default() -> Self {
        Self { outside: 1, any: 3 }
    }
}

impl StopAfter {
    /// Stops after so many rounds. 0 never stops.
    #[must_use]
    pub const fn new(outside: u32, any: u32) -> Self {
        Self { outside, any }
    }
}

/// What a model is told before the conversation.
#[derive(Clone, Default)]
#[non_exhaustive]
pub enum SystemPrompt {
    /// Nothing.
    #[default]
    None,
    /// Always the same.
    Text(Arc<str>),
    /// What the function makes of the state, in each round.
    OfState(Arc<dyn Fn(&ReactState) -> String + Send + Sync>),
}

impl SystemPrompt {
    /// What the model is told in this round.
    pub(crate) fn of(&self, state: &ReactState, memo: &Memo) -> Option<Arc<str>> {
        match self {
            Self::None | Self::Text(_) => memo.system.clone(),
            Self::OfState(f) if memo.loaded.is_empty() => Some(f(state).into()),
            Self::OfState(f) => Some(format!("{}\n\n{}", f(state), memo.loaded).into()),
        }
    }
}

impl fmt::Debug for SystemPrompt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "None",
            Self::Text(_) => "Text",
            Self::OfState(_) => "OfState",
        })
    }
}
