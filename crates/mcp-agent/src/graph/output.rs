//! What a run ends with.

use std::sync::Arc;

use mcp_interceptors::Command;

use crate::Interrupt;

/// What a run ends with.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RunOutput<S> {
    /// The state.
    pub state: Arc<S>,
    /// Why it ended.
    pub end: End,
    /// How many steps it took.
    pub steps: u64,
    /// The checkpoint of the state, if the run belongs to a thread.
    pub checkpoint: Option<Arc<str>>,
}

/// Why a run ended without an error.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum End {
    /// Nothing was left to do.
    Finished,
    /// It waits for answers to these questions.
    Interrupted(Vec<Interrupt>),
    /// It stopped before or after one of these nodes, as the graph says; continue it.
    Paused(Vec<String>),
    /// It was asked to stop at the end of a step; continue it.
    Drained,
}

impl<S> RunOutput<S> {
    /// Whether nothing was left to do.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.end == End::Finished
    }

    /// The questions that the run waits for.
    #[must_use]
    pub fn interrupts(&self) -> &[Interrupt] {
        match &self.end {
            End::Interrupted(interrupts) => interrupts,
            End::Finished | End::Paused(_) | End::Drained => &[],
        }
    }
}

/// A graph's end, with what the graph around it is to do.
pub(crate) struct Ended<S> {
    pub(crate) output: RunOutput<S>,
    pub(crate) parent: Vec<Command>,
}
