//! Questions to the outside world that a run waits for.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A question that a run waits for: an approval, a choice, a value.
///
/// It stays the same question, with the same id, however often the run is resumed without an
/// answer to it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Interrupt {
    /// Names the question; answers are given by it.
    pub id: String,
    /// The question.
    pub value: Value,
    /// The node that asks.
    pub node: String,
    /// The graph of that node: empty for the outermost, else the way down to it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub namespace: String,
}

impl fmt::Display for Interrupt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} asks {}", self.node, self.value)
    }
}
