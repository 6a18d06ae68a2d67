//! The definitions that were accepted.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use mcp_protocol::Tool;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::error::PinError;
use super::hash;
use crate::BoundTool;

/// The tool definitions that were accepted, as hashes: by being the first of their name, or by
/// [`accept`](Self::accept).
///
/// At most 10,000 tools are remembered. Clones share them. They can be stored and read again
/// with serde, as `{"server": {"tool": "hash"}}`.
///
/// ```
/// use mcp_interceptors::Pins;
/// let stored = r#"{"files":{"read":"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"}}"#;
/// let pins: Pins = serde_json::from_str(stored).unwrap();
/// assert_eq!(serde_json::to_string(&pins).unwrap(), stored);
/// assert!(pins.changed().is_empty());
/// ```
#[derive(Clone, Default)]
pub struct Pins(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    servers: BTreeMap<String, BTreeMap<String, Pinned>>,
    count: usize,
}

struct Pinned {
    hash: String,
    /// The definition that was looked at last, so that it is not hashed for each call.
    seen: Weak<Tool>,
    /// The definition that waits for being accepted.
    changed: Option<Arc<Tool>>,
}

/// A tool whose definition is another one than the one that was accepted.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ChangedTool {
    /// The server.
    pub server: String,
    /// The definition as it is now.
    pub tool: Arc<Tool>,
}

impl Pins {
    /// How many tools are remembered.
    pub const MAX: usize = 10_000;

    /// Nothing was accepted yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The tools that wait for being accepted.
    #[must_use]
    pub fn changed(&self) -> Vec<ChangedTool> {
        let state = self.lock();
        let of = |(server, tools): (&String, &BTreeMap<String, Pinned>)| {
            let changed = tools.values().filter_map(|pinned| pinned.changed.clone());
            let server = server.clone();
            let named = move |tool| ChangedTool {
                server: server.clone(),
                tool,
            };
            changed.map(named).collect::<Vec<_>>()
        };
        state.servers.iter().flat_map(of).collect()
    }

    /// Accepts a definition that has changed, as it was seen last. `false` if nothing of that
    /// name waits for it.
    pub fn accept(&self, server: &str, tool: &str) -> bool {
        let mut state = self.lock();
        let pinned = state.servers.get_mut(server).and_then(|t| t.get_mut(tool));
        let Some(pinned) = pinned else { return false };
        let Some(changed) = pinned.changed.take() else {
            return false;
        };
        pinned.hash = hash::of(&changed);
        true
    }

    /// Whether a tool may be used; the first of its name may.
    pub(super) fn check(&self, tool: &BoundTool) -> Result<(), PinError> {
        let (server, definition) = (tool.server().as_ref(), tool.tool());
        let mut state = self.lock();
        let full = state.count >= Self::MAX;
        let tools = state.servers.entry(server.to_owned()).or_default();
        let Some(pinned) = tools.get_mut(&definition.name) else {
            if full {
                return Err(PinError::TooMany {
                    server: server.to_owned(),
                    tool: definition.name.clone(),
                    limit: Self::MAX,
                });
            }
            let mut pinned = Pinned::new(hash::of(definition));
            pinned.seen = Arc::downgrade(definition);
            tools.insert(definition.name.clone(), pinned);
            state.count += 1;
            return Ok(());
        };
        pinned.look_at(definition);
        match &pinned.changed {
            None => Ok(()),
            Some(_) => Err(changed(server, &definition.name)),
        }
    }

    /// The same for a tool whose definition is not at hand: by what is known of it.
    pub(super) fn check_name(&self, server: &str, tool: &str) -> Result<(), PinError> {
        let state = self.lock();
        let pinned = state.servers.get(server).and_then(|tools| tools.get(tool));
        match pinned.and_then(|pinned| pinned.changed.as_ref()) {
            None => Ok(()),
            Some(_) => Err(changed(server, tool)),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn changed(server: &str, tool: &str) -> PinError {
    PinError::Changed {
        server: server.to_owned(),
        tool: tool.to_owned(),
    }
}

impl Pinned {
    const fn new(hash: String) -> Self {
        Self {
            hash,
            seen: Weak::new(),
            changed: None,
        }
    }

    fn look_at(&mut self, definition: &Arc<Tool>) {
        if std::ptr::eq(self.seen.as_ptr(), Arc::as_ptr(definition)) {
            return;
        }
        self.seen = Arc::downgrade(definition);
        let same = hash::of(definition) == self.hash;
        self.changed = (!same).then(|| Arc::clone(definition));
    }
}

impl fmt::Debug for Pins {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pins")
            .field("count", &self.lock().count)
            .finish_non_exhaustive()
    }
}

impl Serialize for Pins {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let state = self.lock();
        let hashes = |tools: &BTreeMap<String, Pinned>| -> BTreeMap<String, String> {
            let hash = |(tool, pinned): (&String, &Pinned)| (tool.clone(), pinned.hash.clone());
            tools.iter().map(hash).collect()
        };
        serializer.collect_map(state.servers.iter().map(|(s, tools)| (s, hashes(tools))))
    }
}

impl<'de> Deserialize<'de> for Pins {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        type Stored = BTreeMap<String, BTreeMap<String, String>>;
        let mut state = State::default();
        for (server, tools) in Stored::deserialize(deserializer)? {
            state.count += tools.len();
            let pinned = |(tool, hash)| (tool, Pinned::new(hash));
            let tools = tools.into_iter().map(pinned).collect();
            state.servers.insert(server, tools);
        }
        Ok(Self(Arc::new(Mutex::new(state))))
    }
}
