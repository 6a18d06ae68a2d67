//! Whole texts in memory, and a tool that reads them.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use mcp_protocol::ContentBlock;

use super::read::{read_tool_result, read_tool_result_tool};
use super::whole::{TextIndex, WholeText};
use crate::{CallId, LocalTools, ToolCall};

/// Whole texts of results that were cut, in memory, and a tool that reads them.
///
/// At most 1,000 texts of 64 MiB in all are kept; the oldest go first. Clones share them.
///
/// ```
/// use mcp_interceptors::{KeptResults, ToolLayers, TruncateLayer};
/// let kept = KeptResults::new();
/// let layers = ToolLayers::new().layer(TruncateLayer::keeping(&kept));
/// let reader = kept.tools(); // to be listed beside the tools whose results are cut
/// # let _ = (layers, reader);
/// ```
#[derive(Clone, Default)]
pub struct KeptResults(Arc<Mutex<Texts>>);

#[derive(Default)]
struct Texts {
    by_id: HashMap<String, Arc<Kept>>,
    oldest: VecDeque<String>,
    bytes: usize,
    next: u64,
}

/// One of them.
pub(super) struct Kept {
    content: [ContentBlock; 1],
    index: OnceLock<TextIndex>,
}

impl Kept {
    pub(super) fn new(text: String) -> Self {
        Self {
            content: [ContentBlock::text(text)],
            index: OnceLock::new(),
        }
    }

    fn text(&self) -> &str {
        let [text] = &self.content;
        text.as_text().unwrap_or_default()
    }
}

impl WholeText for Kept {
    fn content(&self) -> &[ContentBlock] {
        &self.content
    }

    fn index(&self) -> &TextIndex {
        self.index.get_or_init(|| TextIndex::of(&self.content))
    }
}

impl KeptResults {
    /// How many texts are kept.
    pub const MAX_COUNT: usize = 1_000;
    /// How many bytes the texts may take in all.
    pub const MAX_BYTES: usize = 64 << 20;

    /// Nothing is kept yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The whole text that is kept under an id.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<String> {
        Some(self.kept(id)?.text().to_owned())
    }

    fn kept(&self, id: &str) -> Option<Arc<Kept>> {
        self.lock().by_id.get(id).cloned()
    }

    /// A toolset of one tool, `read_tool_result`.
    #[must_use]
    pub fn tools(&self) -> LocalTools {
        let kept = self.clone();
        LocalTools::new("kept-results").tool(read_tool_result_tool(), move |call: ToolCall| {
            let message = read_tool_result(call.into_args(), |id| kept.kept(id));
            std::future::ready(Ok(message.into()))
        })
    }

    /// Keeps a text under the id of the call, or under one of its own, and gives the id.
    pub(super) fn keep(&self, call: &ToolCall, text: String) -> String {
        let mut texts = self.lock();
        texts.next += 1;
        let id = match CallId::of(call) {
            Some(id) => id.to_owned(),
            None => format!("result-{}", texts.next),
        };
        texts.put(id.clone(), Arc::new(Kept::new(text)));
        id
    }

    fn lock(&self) -> MutexGuard<'_, Texts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Texts {
    fn put(&mut self, id: String, text: Arc<Kept>) {
        self.bytes += text.text().len();
        if let Some(old) = self.by_id.insert(id.clone(), text) {
            self.bytes -= old.text().len();
            self.oldest.retain(|known| *known != id);
        }
        self.oldest.push_back(id);
        while self.by_id.len() > KeptResults::MAX_COUNT || self.bytes > KeptResults::MAX_BYTES {
            let Some(text) = self
                .oldest
                .pop_front()
                .and_then(|id| self.by_id.remove(&id))
            else {
                break;
            };
            self.bytes -= text.text().len();
        }
    }
}

impl fmt::Debug for KeptResults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let texts = self.lock();
        f.debug_struct("KeptResults")
            .field("count", &texts.by_id.len())
            .field("bytes", &texts.bytes)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::{Arc, Kept, Texts};

    fn put(texts: &mut Texts, id: usize, bytes: usize) {
        texts.put(id.to_string(), Arc::new(Kept::new("x".repeat(bytes))));
    }

    #[test]
    fn a_thousand_texts_are_kept_and_the_oldest_goes() {
        let mut texts = Texts::default();
        (0..1_001).for_each(|id| put(&mut texts, id, 1));
        assert_eq!((texts.by_id.len(), texts.bytes), (1_000, 1_000));
        assert!(!texts.by_id.contains_key("0") && texts.by_id.contains_key("1"));
    }

    #[test]
    fn texts_of_64_mib_are_kept_and_the_oldest_goes() {
        let mut texts = Texts::default();
        put(&mut texts, 0, 32 << 20);
        put(&mut texts, 1, 32 << 20);
        assert_eq!(texts.by_id.len(), 2);
        put(&mut texts, 2, 1);
        assert!(!texts.by_id.contains_key("0"));
        assert_eq!((texts.by_id.len(), texts.bytes), (2, (32 << 20) + 1));
    }
}
