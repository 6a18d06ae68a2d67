//! How often model and tools were asked, and what it cost.

use std::collections::BTreeMap;

use mcp_model::Usage;
use serde::{Deserialize, Serialize};

use crate::state::Fold;

/// How often model and tools were asked, and what it cost.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Tally {
    /// Since the thread began.
    pub thread: Counts,
    /// Since the last input.
    pub run: Counts,
}

/// How often, and at what cost.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Counts {
    /// Answers of the model.
    #[serde(default, skip_serializing_if = "is_default")]
    pub model_calls: u64,
    /// Tool calls that were carried out or tried.
    #[serde(default, skip_serializing_if = "is_default")]
    pub tool_calls: u64,
    /// The same by tool, for the tools that have a limit of their own.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub by_tool: BTreeMap<String, u64>,
    /// Answers of the model to servers that used it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub sampled: u64,
    /// What all answers of the model cost, as far as its provider says.
    #[serde(default, skip_serializing_if = "is_default")]
    pub usage: Usage,
}

/// What is zero is not written: each checkpoint holds the counts.
fn is_default<T: Default + PartialEq>(count: &T) -> bool {
    *count == T::default()
}

impl Counts {
    fn add(&mut self, item: &Count) {
        match item {
            Count::Model(usage) => {
                self.model_calls += 1;
                self.usage += *usage;
            }
            Count::Sampled(usage) => {
                self.sampled += 1;
                self.usage += *usage;
            }
            Count::Tool(limited) => {
                self.tool_calls += 1;
                if let Some(name) = limited {
                    *self.by_tool.entry(name.clone()).or_default() += 1;
                }
            }
            Count::Input => *self = Self::default(),
        }
    }
}

/// One thing to be counted.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Count {
    /// An answer of the model.
    Model(Usage),
    /// An answer of the model to a server.
    Sampled(Usage),
    /// A tool call, with the tool's name if that has a limit of its own.
    Tool(Option<String>),
    /// New input: the run's counts begin anew.
    Input,
}

/// The rule by which counts come together.
#[derive(Clone, Copy, Debug)]
pub struct Counting;

impl Fold for Counting {
    type Value = Tally;
    type Item = Vec<Count>;

    fn fold(tally: &mut Tally, items: Vec<Count>) {
        for item in items {
            tally.run.add(&item);
            if !matches!(item, Count::Input) {
                tally.thread.add(&item);
            }
        }
    }
}
