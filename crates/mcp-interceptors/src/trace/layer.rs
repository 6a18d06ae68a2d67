//! The layer and what it can be told.

use std::sync::Arc;

use mcp_protocol::TraceContext;

use super::Trace;
use crate::ToolCall;
use crate::closure::Closure;
use crate::layer::tower_layer;
use crate::redact::Rules;

/// A `tracing` span for each call, and the trace it belongs to in the request's `_meta`.
///
/// The span is `execute_tool` (for exporters: `tools/call NAME`, kind `client`) with the
/// attributes `mcp.method.name`, `gen_ai.operation.name`, `gen_ai.tool.name`,
/// `gen_ai.tool.call.id` for calls of a model, `error.type` (`tool_error` where the tool itself
/// reports a failure), and `rpc.response.status_code` for a server's JSON-RPC error. The
/// server's name here is `mcp.server.name`. Arguments and results are recorded only where that
/// is asked for.
///
/// Names: OpenTelemetry semantic conventions for MCP and for generative AI, status Development.
/// `_meta`: Model Context Protocol 2026-07-28, basic, `traceparent`, `tracestate`, `baggage`.
///
/// ```
/// use mcp_interceptors::{ToolCall, ToolLayers, TraceLayer};
/// use mcp_protocol::TraceContext;
/// let layers = ToolLayers::new().layer(
///     TraceLayer::new()
///         .record_arguments()
///         .hide("password")
///         // With OpenTelemetry: inject the context of `Span::current()`.
///         .propagate(|_: &ToolCall| {
///             Some(TraceContext::new("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"))
///         }),
/// );
/// # assert_eq!(layers.len(), 1);
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct TraceLayer(Trace);

impl Default for TraceLayer {
    fn default() -> Self {
        Self::new()
    }
}

impl TraceLayer {
    /// Sends the trace on that the caller has put into the call's extensions as a
    /// [`TraceContext`], if any.
    pub fn new() -> Self {
        Self(Trace {
            arguments: false,
            results: false,
            hidden: Rules::default(),
            context: Closure(Arc::new(|call| call.extensions().get().cloned())),
        })
    }

    /// Records arguments, as JSON.
    pub fn record_arguments(mut self) -> Self {
        self.0.arguments = true;
        self
    }

    /// Records the texts of results.
    pub fn record_results(mut self) -> Self {
        self.0.results = true;
        self
    }

    /// Records `[redacted]` as the value of members of this name, in any case of letters.
    pub fn hide(mut self, member: impl Into<String>) -> Self {
        self.0.hidden.members.push(member.into());
        self
    }

    /// Sends on the trace that the function gives; it is called within the span.
    pub fn propagate<F>(mut self, f: F) -> Self
    where
        F: Fn(&ToolCall) -> Option<TraceContext> + Send + Sync + 'static,
    {
        self.0.context = Closure(Arc::new(f));
        self
    }

    fn interceptor(&self) -> Trace {
        self.0.clone()
    }
}

tower_layer!(TraceLayer);
