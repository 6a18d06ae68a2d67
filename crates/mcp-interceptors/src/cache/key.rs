//! When two calls are equal.

use std::fmt::Write;

use crate::ToolCall;
use crate::canonical::{object, text};

/// What `_meta` says about the trace and the progress, not about the call.
const NOT_OF_THE_CALL: [&str; 4] = ["traceparent", "tracestate", "baggage", "progressToken"];

/// Server, tool, arguments, headers and `_meta`. The order of members makes no difference.
pub(super) fn of(call: &ToolCall) -> String {
    let mut key = String::new();
    text(&mut key, call.server());
    text(&mut key, call.name());
    object(&mut key, call.args(), &[]);
    object(&mut key, call.meta(), &NOT_OF_THE_CALL);
    let mut headers: Vec<_> = call.headers().iter().collect();
    headers.sort_by(|a, b| (a.0.as_str(), a.1.as_bytes()).cmp(&(b.0.as_str(), b.1.as_bytes())));
    for (name, value) in headers {
        let _ = write!(key, "{name}={:?};", value.as_bytes());
    }
    let mut removed: Vec<_> = call.removed_headers().iter().map(|n| n.as_str()).collect();
    removed.sort_unstable();
    for name in removed {
        let _ = write!(key, "-{name};");
    }
    key
}
