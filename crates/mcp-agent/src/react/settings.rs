//! What an agent was built with, and what it remembers of a run.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use mcp_interceptors::Intercepted;
use mcp_model::ChatModel;

use super::answer::ShowStructured;
use super::limits::Limits;
use super::model_chain::ModelNext;
use super::preload::Part;
use super::response::ResponseFormat;
use super::state::ReactState;
use super::table::{LastTable, Table};
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

/// What an agent remembers of a run.
#[derive(Debug)]
pub(crate) struct Memo {
    pub(crate) table: Arc<Table>,
    /// What goes behind the system prompt.
    pub(crate) loaded: String,
    /// The system prompt, where it is the same in each round.
    pub(crate) system: Option<Arc<str>>,
    /// Whether the whole history was looked at in this run.
    pub(crate) repaired: AtomicBool,
}

impl Memo {
    pub(crate) fn new(table: Arc<Table>, system: &SystemPrompt, loaded: String) -> Self {
        let fixed = match system {
            SystemPrompt::None if loaded.is_empty() => None,
            SystemPrompt::None => Some(loaded.as_str().into()),
            SystemPrompt::Text(text) if loaded.is_empty() => Some(Arc::clone(text)),
            SystemPrompt::Text(text) => Some(format!("{text}\n\n{loaded}").into()),
            SystemPrompt::OfState(_) => None,
        };
        Self {
            table,
            loaded,
            system: fixed,
            repaired: AtomicBool::new(false),
        }
    }
}
