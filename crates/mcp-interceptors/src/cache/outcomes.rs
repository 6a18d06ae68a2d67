//! Outcomes by key, bounded in number and size.

use std::collections::{BTreeMap, HashMap};

use tokio::time::Instant;

use crate::ToolOutcome;

#[derive(Debug)]
pub(super) struct Outcomes {
    max_count: usize,
    max_bytes: usize,
    bytes: usize,
    tick: u64,
    by_key: HashMap<String, Kept>,
    /// The keys in the order of their last use.
    by_use: BTreeMap<u64, String>,
}

#[derive(Debug)]
struct Kept {
    outcome: ToolOutcome,
    size: usize,
    until: Instant,
    used: u64,
}

impl Outcomes {
    pub(super) fn new(max_count: usize, max_bytes: usize) -> Self {
        Self {
            max_count,
            max_bytes,
            bytes: 0,
            tick: 0,
            by_key: HashMap::new(),
            by_use: BTreeMap::new(),
        }
    }

    pub(super) fn get(&mut self, key: &str, now: Instant) -> Option<ToolOutcome> {
        if self.by_key.get(key)?.until <= now {
            self.remove(key);
            return None;
        }
        self.tick += 1;
        let kept = self.by_key.get_mut(key)?;
        let key = self.by_use.remove(&kept.used)?;
        kept.used = self.tick;
        self.by_use.insert(self.tick, key);
        Some(kept.outcome.clone())
    }

    /// Keeps an outcome, unless it is too large or is a command to the run around the call.
    pub(super) fn put(&mut self, key: String, outcome: &ToolOutcome, until: Instant) {
        self.remove(&key);
        let Some(size) = size(outcome).map(|size| size + 2 * key.len()) else {
            return;
        };
        if size > self.max_bytes || self.max_count == 0 {
            return;
        }
        while self.by_key.len() >= self.max_count || self.bytes + size > self.max_bytes {
            let Some((_, oldest)) = self.by_use.pop_first() else {
                break;
            };
            self.forget(&oldest);
        }
        self.tick += 1;
        self.bytes += size;
        self.by_use.insert(self.tick, key.clone());
        let kept = Kept {
            outcome: outcome.clone(),
            size,
            until,
            used: self.tick,
        };
        self.by_key.insert(key, kept);
    }

    pub(super) fn clear(&mut self) {
        self.by_key.clear();
        self.by_use.clear();
        self.bytes = 0;
    }

    fn remove(&mut self, key: &str) {
        if let Some(used) = self.forget(key) {
            self.by_use.remove(&used);
        }
    }

    fn forget(&mut self, key: &str) -> Option<u64> {
        let kept = self.by_key.remove(key)?;
        self.bytes -= kept.size;
        Some(kept.used)
    }
}

/// How long an outcome is as JSON.
fn size(outcome: &ToolOutcome) -> Option<usize> {
    let mut count = Count(0);
    match outcome {
        ToolOutcome::Result(result) => serde_json::to_writer(&mut count, result).ok()?,
        ToolOutcome::Message(message) => serde_json::to_writer(&mut count, message).ok()?,
        ToolOutcome::Command(_) => return None,
    }
    Some(count.0)
}

struct Count(usize);

impl std::io::Write for Count {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
