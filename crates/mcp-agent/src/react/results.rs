//! The results of tools, whole, by call.

use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use indexmap::IndexMap;
use mcp_interceptors::{JsonMap, TextIndex, WholeText};
use mcp_protocol::{ContentBlock, ResourceContents};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::truncate::joined;
use crate::state::{Change, Field, Json, StateError, Write};

/// A result as it came, whatever the model was shown of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StoredResult {
    /// The server. Empty if there is no such tool.
    pub server: Arc<str>,
    /// The tool, by the name that the model used.
    pub tool: Arc<str>,
    /// The arguments of the call.
    #[serde(default)]
    pub args: JsonMap,
    /// All content.
    pub content: Vec<ContentBlock>,
    /// The structured content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub structured: Option<Value>,
    /// Whether the call failed.
    #[serde(default)]
    pub is_error: bool,
    /// Whose failure it was, if it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<FailureClass>,
    /// Whether the model was shown a part only.
    #[serde(default)]
    pub truncated: bool,
    /// When the call began, in milliseconds since 1970.
    pub started_ms: u64,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
    /// Where its characters are, for who reads a part.
    #[serde(skip)]
    pub(crate) index: Index,
}

/// Made when a part is first read; says nothing about the result that its content does not.
#[derive(Clone, Debug, Default)]
pub(crate) struct Index(OnceLock<TextIndex>);

impl PartialEq for Index {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl WholeText for StoredResult {
    fn content(&self) -> &[ContentBlock] {
        &self.content
    }

    fn index(&self) -> &TextIndex {
        self.index.0.get_or_init(|| TextIndex::of(&self.content))
    }
}

/// Whose failure a failed call was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FailureClass {
    /// The server's, or that of the way to it; the model cannot mend it.
    Outside,
    /// The tool's, a layer's or the call's own; another call may do better.
    Call,
    /// None: a person, or a rule, refused the call.
    Refused,
}

impl StoredResult {
    /// The text, blocks joined with line breaks.
    #[must_use]
    pub fn text(&self) -> String {
        joined(&self.content)
    }

    /// About how much memory it takes.
    fn size(&self) -> usize {
        let content = self.content.iter().map(|block| match block {
            ContentBlock::Text(text) => text.text.len(),
            ContentBlock::Image(image) => image.data.len(),
            ContentBlock::Audio(audio) => audio.data.len(),
            ContentBlock::Resource(embedded) => match &embedded.resource {
                ResourceContents::Text(contents) => contents.text.len(),
                ResourceContents::Blob(contents) => contents.blob.len(),
                _ => 1_024,
            },
            ContentBlock::Other(members) => members.values().map(weight).sum(),
            _ => 1_024,
        });
        let args = self.args.values().map(weight).sum::<usize>();
        let structured = self.structured.as_ref().map_or(0, weight);
        256 + content.sum::<usize>() + args + structured
    }
}

/// About how much memory a value takes.
fn weight(value: &Value) -> usize {
    32 + match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(weight).sum(),
        Value::Object(members) => {
            let members = members
                .iter()
                .map(|(name, value)| name.len() + weight(value));
            members.sum()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    }
}

/// The results of tools by call id, oldest first.
///
/// At most [`MAX_COUNT`](Self::MAX_COUNT) results of about [`MAX_BYTES`](Self::MAX_BYTES) in all
/// are kept; the oldest go first. A checkpoint keeps each result once.
#[derive(Clone, Debug, Default)]
pub struct ToolResults {
    results: Arc<IndexMap<String, Arc<StoredResult>>>,
    size: usize,
    /// The last checkpoint has this many of them, the oldest.
    kept: usize,
    /// How many of those are as it has them, the oldest.
    same: usize,
    /// What a checkpoint has and we do not any more.
    gone: Vec<String>,
    /// No checkpoint gets them.
    passing: bool,
}

impl ToolResults {
    /// How many results are kept.
    pub const MAX_COUNT: usize = 10_000;
    /// How many bytes the results may take in all, roughly: 64 MiB.
    pub const MAX_BYTES: usize = 64 << 20;

    /// No results yet, and whether checkpoints keep them.
    pub(crate) fn new(kept: bool) -> Self {
        Self {
            passing: !kept,
            ..Self::default()
        }
    }

    fn put(&mut self, id: String, result: Arc<StoredResult>) {
        self.size += result.size();
        let results = Arc::make_mut(&mut self.results);
        if let (at, Some(old)) = results.insert_full(id, result) {
            self.size = self.size.saturating_sub(old.size());
            self.same = self.same.min(at);
        }
        if results.len() <= Self::MAX_COUNT && self.size <= Self::MAX_BYTES {
            return;
        }
        // A quarter at once, so that the rest does not move up for each new result.
        let (count, bytes) = (Self::MAX_COUNT / 4 * 3, Self::MAX_BYTES / 4 * 3);
        let mut drop = 0;
        for result in results.values().take(results.len().saturating_sub(1)) {
            if results.len() - drop <= count && self.size <= bytes {
                break;
            }
            self.size = self.size.saturating_sub(result.size());
            drop += 1;
        }
        let dropped = results.drain(..drop).map(|(id, _)| id);
        self.gone.extend(dropped.take(self.kept));
        self.kept = self.kept.saturating_sub(drop);
        self.same = self.same.saturating_sub(drop);
    }

    /// A checkpoint has all of them, as they are.
    fn all_kept(&mut self) {
        (self.kept, self.same) = (self.results.len(), self.results.len());
    }
}

impl Deref for ToolResults {
    type Target = IndexMap<String, Arc<StoredResult>>;

    fn deref(&self) -> &Self::Target {
        &self.results
    }
}

impl Field for ToolResults {
    type Update = IndexMap<String, Arc<StoredResult>>;

    fn apply(&mut self, update: Self::Update, _: &Write<'_>) -> Result<(), StateError> {
        for (id, result) in update {
            self.put(id, result);
        }
        Ok(())
    }

    fn to_json(&self) -> Result<Value, StateError> {
        Ok(serde_json::to_value(&*self.results)?)
    }

    fn take_change(&mut self) -> Result<Option<Change>, StateError> {
        let removed = std::mem::take(&mut self.gone);
        let new = self.results.iter().skip(self.same);
        let set = new
            .filter(|_| !self.passing)
            .map(|(id, result)| Ok((id.clone(), Json::of(&**result)?)));
        let set = set.collect::<Result<_, StateError>>()?;
        self.all_kept();
        let change = Change::Entries { set, removed };
        Ok(Some(change).filter(|change| !change.is_empty()))
    }

    fn replay(&mut self, change: &Change) -> Result<(), StateError> {
        let Change::Entries { set, removed } = change else {
            return Err(change.unfit());
        };
        let results = Arc::make_mut(&mut self.results);
        for id in removed {
            if let Some(old) = results.shift_remove(id) {
                self.size = self.size.saturating_sub(old.size());
            }
        }
        for (id, result) in set {
            self.put(id.clone(), result.read::<StoredResult>()?.into());
        }
        self.all_kept();
        self.gone.clear();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{StoredResult, ToolResults};
    use crate::state::{Change, Field};
    use serde_json::json;
    use std::sync::Arc;

    fn result(text: &str) -> Arc<StoredResult> {
        let json = json!({"server": "s", "tool": "t", "started_ms": 0, "duration_ms": 0,
            "content": [{"type": "text", "text": text}]});
        Arc::new(serde_json::from_value(json).unwrap())
    }

    #[test]
    fn the_number_and_the_size_of_kept_results_are_bounded() {
        let mut results = ToolResults::default();
        let (small, large) = (result("x"), result(&"x".repeat(ToolResults::MAX_BYTES / 8)));
        for number in 0..=ToolResults::MAX_COUNT {
            results.put(number.to_string(), Arc::clone(&small));
        }
        assert!(results.len() <= ToolResults::MAX_COUNT);
        assert!(!results.contains_key("0"), "the oldest is gone");
        assert!(results.contains_key(&ToolResults::MAX_COUNT.to_string()));
        for number in 0..20 {
            results.put(format!("large {number}"), Arc::clone(&large));
            assert!(results.size <= ToolResults::MAX_BYTES);
        }
        let structured = json!({"a": ["x".repeat(ToolResults::MAX_BYTES / 8)]});
        let mut result = StoredResult::clone(&small);
        result.structured = Some(structured);
        assert!(
            result.size() > ToolResults::MAX_BYTES / 8,
            "all of it counts"
        );
        assert!(results.contains_key("large 19"));
        assert!(!results.contains_key("large 0"));
    }

    #[test]
    fn a_checkpoint_gets_each_result_once_and_hears_of_those_that_were_dropped() {
        let mut results = ToolResults::default();
        let mut copy = ToolResults::default();
        let mut follow = |results: &mut ToolResults| {
            let change = results.take_change().unwrap();
            let written = change.as_ref().map_or((0, 0), |change| match change {
                Change::Entries { set, removed } => (set.len(), removed.len()),
                _ => (usize::MAX, usize::MAX),
            });
            if let Some(change) = &change {
                copy.replay(change).unwrap();
            }
            assert_eq!(copy.results, results.results);
            assert_eq!(copy.size, results.size);
            written
        };
        let large = result(&"x".repeat(ToolResults::MAX_BYTES / 8));
        for number in 0..4 {
            results.put(number.to_string(), Arc::clone(&large));
            assert_eq!(follow(&mut results), (1, 0));
        }
        assert_eq!(follow(&mut results), (0, 0));
        results.put("2".to_owned(), result("another"));
        assert_eq!(follow(&mut results), (2, 0), "from the changed one on");
        // Some are dropped that a checkpoint has, some that none has yet.
        for number in 10..30 {
            results.put(number.to_string(), Arc::clone(&large));
        }
        let (written, gone) = follow(&mut results);
        assert_eq!((written, gone), (results.len(), 4));
        assert_eq!(follow(&mut results), (0, 0));
        // And some that have changed since, or stand behind one that has.
        let oldest = results.get_index(1).unwrap().0.clone();
        results.put(oldest, result("another"));
        for number in 30..34 {
            results.put(number.to_string(), Arc::clone(&large));
        }
        assert!(follow(&mut results).1 > 1);
    }
}
