//! Distributed traces: the W3C headers as unprefixed `_meta` keys.

use serde_json::Value;

use crate::Extra;

/// Which trace a message belongs to, in the formats of W3C Trace Context and Baggage.
///
/// Specification: basic protocol, `_meta` (2026-07-28). Earlier revisions pass the keys through.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TraceContext {
    /// Version, trace id, parent id and flags.
    pub traceparent: String,
    /// What vendors add.
    pub tracestate: Option<String>,
    /// Values that travel along the trace.
    pub baggage: Option<String>,
}

impl TraceContext {
    /// A trace context with `traceparent` alone.
    pub fn new(traceparent: impl Into<String>) -> Self {
        Self {
            traceparent: traceparent.into(),
            tracestate: None,
            baggage: None,
        }
    }

    pub(super) fn read(meta: &Extra) -> Option<Self> {
        let text = |key| meta.get(key).and_then(Value::as_str).map(str::to_owned);
        Some(Self {
            traceparent: text("traceparent")?,
            tracestate: text("tracestate"),
            baggage: text("baggage"),
        })
    }

    pub(super) fn write(self, meta: &mut Extra) {
        let members = [
            ("traceparent", Some(self.traceparent)),
            ("tracestate", self.tracestate),
            ("baggage", self.baggage),
        ];
        for (key, value) in members {
            match value {
                Some(value) => meta.insert(key.to_owned(), value.into()),
                None => meta.remove(key),
            };
        }
    }
}

setters!(TraceContext {
    with_tracestate(tracestate: String),
    with_baggage(baggage: String),
});
