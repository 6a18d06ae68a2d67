//! The built-in layers, by rule.

mod approve;
mod cache;
mod circuit_breaker;
mod fallback;
mod headers;
mod inject_args;
mod pin;
mod rate_limit;
mod record;
mod redact;
mod retry;
mod schema;
mod shown;
mod trace;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use http::Extensions;
use mcp_interceptors::{
    BoundTool, CallError, CallErrorKind, JsonMap, LocalTools, ToolCall, ToolLayers, ToolOutcome,
    ToolService,
};
use mcp_protocol::{CallToolResult, Tool, ToolAnnotations};
use serde_json::json;

type Outcome = Result<ToolOutcome, CallError>;

/// A tool that gives what it was told to, call by call, and then `ok`; and what it was called
/// with.
#[derive(Clone, Default)]
struct Script {
    outcomes: Arc<Mutex<VecDeque<Outcome>>>,
    seen: Arc<Mutex<Vec<ToolCall>>>,
}

impl Script {
    fn new(outcomes: impl IntoIterator<Item = Outcome>) -> Self {
        Self {
            outcomes: Arc::new(Mutex::new(outcomes.into_iter().collect())),
            seen: Arc::default(),
        }
    }

    fn tools(&self) -> LocalTools {
        ["t", "u"]
            .into_iter()
            .fold(LocalTools::new("s"), |tools, name| {
                let script = self.clone();
                tools.tool(tool(name), move |call| {
                    script.seen.lock().unwrap().push(call);
                    let outcome = script.outcomes.lock().unwrap().pop_front();
                    std::future::ready(outcome.unwrap_or_else(|| Ok("ok".into())))
                })
            })
    }

    fn behind(&self, layers: &ToolLayers) -> ToolService {
        layers.wrap(ToolService::from_toolset(Arc::new(self.tools())))
    }

    fn count(&self) -> usize {
        self.seen.lock().unwrap().len()
    }
}

fn tool(name: &str) -> Tool {
    Tool::new(name, json!({"type": "object"}))
}

/// A call of a tool of this server that says nothing of itself.
fn call_of(server: &str, name: &str) -> ToolCall {
    let bound = BoundTool::new(name, server, tool(name));
    ToolCall::new(Arc::new(bound), JsonMap::new())
}

fn call() -> ToolCall {
    call_of("s", "t")
}

/// A call of a tool with hints, and with what its caller attaches.
fn hinted(hints: ToolAnnotations, extensions: Extensions) -> ToolCall {
    let bound = BoundTool::new("t", "s", tool("t").with_annotations(hints));
    ToolCall::in_context(Arc::new(bound), JsonMap::new(), extensions)
}

fn fails(kind: CallErrorKind) -> Outcome {
    Err(CallError::new(kind, "it went wrong"))
}

fn tool_fails() -> Outcome {
    Ok(CallToolResult::error("no project").into())
}
