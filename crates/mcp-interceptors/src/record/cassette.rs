//! Recordings, in order.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::error::CassetteError;
use super::written::{Line, key};
use crate::{
    BoundTool, BoxFuture, CallError, CallErrorKind, Delivery, ToolCall, ToolList, ToolOutcome,
    Toolset,
};

/// Calls and what came of them, and the tools that were listed.
///
/// A cassette is a toolset: it lists the tools that were recorded and plays the calls. Each
/// recording is played once; equal calls get theirs in the order in which they were recorded.
/// Calls are equal if server, tool and arguments are.
///
/// It holds at most 64 MiB as JSON; what comes after that is not recorded, with one warning.
/// Arguments and results are in it as they were; headers and `_meta` are not. Clones share one
/// tape.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// use mcp_interceptors::{Cassette, LocalTools, RecordLayer, ToolCall, ToolLayers, Toolset};
/// # use mcp_protocol::Tool;
/// # let time = Tool::new("time", serde_json::json!({"type": "object"}));
/// let real = LocalTools::new("clock").tool(time, |_| async { Ok("12:30".into()) });
/// let cassette = Cassette::new();
/// let real = ToolLayers::new().layer(RecordLayer::new(&cassette)).around(std::sync::Arc::new(real));
/// let call = ToolCall::new(real.tools().await.tools.remove(0), Default::default());
/// real.call(call).await.unwrap();
///
/// // Later, without the clock:
/// let played = Cassette::from_json_lines(&cassette.to_json_lines()).unwrap();
/// let call = ToolCall::new(played.tools().await.tools.remove(0), Default::default());
/// assert_eq!(played.call(call).await.unwrap().text(), "12:30");
/// # });
/// ```
#[derive(Clone, Default)]
pub struct Cassette(Arc<Mutex<Tape>>);

#[derive(Default)]
struct Tape {
    /// Everything, as it was written.
    lines: String,
    tools: Vec<Arc<BoundTool>>,
    /// The calls that were not played yet.
    calls: HashMap<String, VecDeque<String>>,
    full: bool,
}

impl Cassette {
    /// How many bytes a cassette holds.
    pub const MAX_BYTES: usize = 64 << 20;

    /// An empty cassette.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads what [`to_json_lines`](Self::to_json_lines) wrote. Empty lines are skipped.
    ///
    /// # Errors
    /// [`CassetteError::Line`] for a line that is no recording.
    pub fn from_json_lines(text: &str) -> Result<Self, CassetteError> {
        let mut tape = Tape::default();
        for (n, line) in text.lines().enumerate() {
            if !line.trim().is_empty() {
                tape.read(line).map_err(|source| CassetteError::Line {
                    line: n + 1,
                    source,
                })?;
            }
        }
        Ok(Self(Arc::new(Mutex::new(tape))))
    }

    /// Everything that was recorded, one JSON object a line.
    #[must_use]
    pub fn to_json_lines(&self) -> String {
        self.lock().lines.clone()
    }

    pub(super) fn write(&self, call: &ToolCall, result: &Result<ToolOutcome, CallError>) {
        self.lock().add(&Line::of_call(call, result));
    }

    pub(super) fn write_tools(&self, tools: &[Arc<BoundTool>]) {
        let mut tape = self.lock();
        for tool in tools {
            let known = tape.tools.iter().any(|known| known == tool);
            if !known && tape.add(&Line::of_tool(tool)) {
                tape.put(Arc::clone(tool));
            }
        }
    }

    /// Plays a call.
    pub(crate) fn play(&self, call: &ToolCall) -> Option<Result<ToolOutcome, CallError>> {
        let key = key(call.server(), call.name(), call.args());
        let line = {
            let mut tape = self.lock();
            let recordings = tape.calls.get_mut(&key)?;
            recordings.pop_front()?
        };
        match serde_json::from_str(&line) {
            Ok(Line::Call { outcome, .. }) => Some(outcome.play()),
            _ => None,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Tape> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Tape {
    fn add(&mut self, line: &Line<'_>) -> bool {
        let Ok(text) = serde_json::to_string(line) else {
            return false;
        };
        if self.lines.len() + text.len() >= Cassette::MAX_BYTES {
            if !std::mem::replace(&mut self.full, true) {
                tracing::warn!("the cassette is full, nothing more is recorded");
            }
            return false;
        }
        self.lines.push_str(&text);
        self.lines.push('\n');
        if let Line::Call {
            server, tool, args, ..
        } = line
        {
            let recordings = self.calls.entry(key(server, tool, args)).or_default();
            recordings.push_back(text);
        }
        true
    }

    fn read(&mut self, line: &str) -> Result<(), serde_json::Error> {
        match serde_json::from_str(line)? {
            Line::Tool {
                name,
                server,
                tool,
                shown,
            } => {
                let bound = BoundTool::new(name, &*server, tool.into_owned());
                self.put(Arc::new(match shown {
                    Some(shown) => bound.with_shown(shown.into_owned()),
                    None => bound,
                }));
            }
            Line::Call {
                server, tool, args, ..
            } => {
                let recordings = self.calls.entry(key(&server, &tool, &args)).or_default();
                recordings.push_back(line.to_owned());
            }
        }
        self.lines.push_str(line);
        self.lines.push('\n');
        Ok(())
    }

    /// The latest definition of a tool counts.
    fn put(&mut self, tool: Arc<BoundTool>) {
        match self.tools.iter_mut().find(|t| t.name() == tool.name()) {
            Some(known) => *known = tool,
            None => self.tools.push(tool),
        }
    }
}

impl fmt::Debug for Cassette {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tape = self.lock();
        f.debug_struct("Cassette")
            .field("tools", &tape.tools.len())
            .field("bytes", &tape.lines.len())
            .finish_non_exhaustive()
    }
}

impl Toolset for Cassette {
    fn tools(&self) -> BoxFuture<'_, ToolList> {
        let list = ToolList::new(self.lock().tools.clone());
        Box::pin(std::future::ready(list))
    }

    fn call(&self, call: ToolCall) -> BoxFuture<'static, Result<ToolOutcome, CallError>> {
        let played = self.play(&call);
        let result = played.unwrap_or_else(|| Err(not_recorded(&call)));
        Box::pin(std::future::ready(result))
    }
}

/// What a call ends with that is not on the tape.
pub(crate) fn not_recorded(call: &ToolCall) -> CallError {
    let missing = CassetteError::NotRecorded {
        server: call.server().to_owned(),
        tool: call.name().to_owned(),
    };
    CallError::new(CallErrorKind::Layer, "the call cannot be replayed")
        .with_delivery(Delivery::NotSent)
        .with_source(missing)
}
