//! Spans for calls, under the names that OpenTelemetry has for MCP and generative AI.

mod layer;

use mcp_protocol::{RequestMeta, TraceContext};
use tracing::field::Empty;
use tracing::{Instrument, Span};

pub use layer::TraceLayer;

use crate::closure::Closure;
use crate::redact::Rules;
use crate::{CallError, CallErrorKind, CallId, Interceptor, JsonMap, Next, ToolCall, ToolOutcome};

#[derive(Clone, Debug)]
struct Trace {
    arguments: bool,
    results: bool,
    hidden: Rules,
    context: Closure<dyn Fn(&ToolCall) -> Option<TraceContext> + Send + Sync>,
}

impl Interceptor for Trace {
    async fn intercept(&self, call: ToolCall, next: Next) -> Result<ToolOutcome, CallError> {
        let span = span(&call);
        if self.arguments && !span.is_disabled() {
            let args = self.clean(call.args());
            span.record("gen_ai.tool.call.arguments", args);
        }
        let context = span.in_scope(|| (self.context)(&call));
        let call = match context {
            Some(context) => with_context(call, context),
            None => call,
        };
        let result = next.run(call).instrument(span.clone()).await;
        self.record(&span, &result);
        result
    }
}

fn span(call: &ToolCall) -> Span {
    let name = call.name();
    tracing::info_span!(
        "execute_tool",
        otel.name = format!("tools/call {name}"),
        otel.kind = "client",
        otel.status_code = Empty,
        mcp.method.name = "tools/call",
        mcp.server.name = call.server(),
        gen_ai.operation.name = "execute_tool",
        gen_ai.tool.name = name,
        gen_ai.tool.call.id = CallId::of(call),
        gen_ai.tool.call.arguments = Empty,
        gen_ai.tool.call.result = Empty,
        error.type = Empty,
        rpc.response.status_code = Empty,
    )
}

/// The trace goes where every transport takes it along.
fn with_context(call: ToolCall, context: TraceContext) -> ToolCall {
    let mut meta = RequestMeta::new();
    meta.set_trace_context(context);
    let members = meta.extra.into_map().into_iter();
    members.fold(call, |call, (key, value)| call.with_meta(key, value))
}

impl Trace {
    fn clean(&self, args: &JsonMap) -> String {
        let mut args = args.clone();
        self.hidden.members(args.iter_mut());
        serde_json::Value::Object(args).to_string()
    }

    fn record(&self, span: &Span, result: &Result<ToolOutcome, CallError>) {
        match result {
            Ok(outcome) => {
                if outcome.is_error() {
                    failed(span, "tool_error");
                }
                if self.results && !span.is_disabled() {
                    let mut outcome = outcome.clone();
                    self.hidden.outcome(&mut outcome);
                    span.record("gen_ai.tool.call.result", outcome.text());
                }
            }
            Err(error) => match error.code() {
                Some(code) => {
                    let code = code.to_string();
                    span.record("rpc.response.status_code", code.as_str());
                    failed(span, &code);
                }
                // Not a failure: it goes on later.
                None if error.kind() == CallErrorKind::Interrupted => {}
                None => failed(span, error.kind().as_str()),
            },
        }
    }
}

fn failed(span: &Span, kind: &str) {
    span.record("error.type", kind);
    span.record("otel.status_code", "ERROR");
}
