//! Spans and trace context, by OpenTelemetry's names.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex};

use http::Extensions;
use mcp_interceptors::{CallErrorKind, CallId, ToolCall, ToolLayers, TraceLayer};
use mcp_protocol::{ToolAnnotations, TraceContext};
use serde_json::json;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use super::{Script, call, fails, hinted, tool_fails};

/// The fields of the spans of calls, as they were recorded.
#[derive(Clone, Default)]
struct Spans(Arc<Mutex<Vec<BTreeMap<String, String>>>>);

struct Fields<'a>(&'a mut BTreeMap<String, String>);

impl Visit for Fields<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let value = format!("{value:?}");
        self.0.insert(field.name().to_owned(), value);
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name().to_owned(), value.to_owned());
    }
}

impl Subscriber for Spans {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_span()
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut spans = self.0.lock().unwrap();
        let mut fields = BTreeMap::new();
        span.record(&mut Fields(&mut fields));
        fields.insert("name".to_owned(), span.metadata().name().to_owned());
        spans.push(fields);
        Id::from_u64(spans.len() as u64)
    }

    fn record(&self, span: &Id, values: &Record<'_>) {
        let mut spans = self.0.lock().unwrap();
        let at = usize::try_from(span.into_u64()).unwrap() - 1;
        values.record(&mut Fields(spans.get_mut(at).unwrap()));
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, _: &Event<'_>) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

impl Spans {
    fn only(&self) -> BTreeMap<String, String> {
        let mut spans = std::mem::take(&mut *self.0.lock().unwrap());
        assert_eq!(spans.len(), 1, "{spans:?}");
        spans.remove(0)
    }
}

#[tokio::test]
async fn a_call_has_a_span_with_the_names_of_the_conventions() {
    let spans = Spans::default();
    let _guard = tracing::subscriber::set_default(spans.clone());
    let service = Script::default().behind(&ToolLayers::new().layer(TraceLayer::new()));
    let mut extensions = Extensions::new();
    extensions.insert(CallId::new("call-7"));
    let call = hinted(ToolAnnotations::new(), extensions).with_arg("secret", 1);
    service.call(call).await.unwrap();
    let expected = [
        ("gen_ai.operation.name", "execute_tool"),
        ("gen_ai.tool.call.id", "call-7"),
        ("gen_ai.tool.name", "t"),
        ("mcp.method.name", "tools/call"),
        ("mcp.server.name", "s"),
        ("name", "execute_tool"),
        ("otel.kind", "client"),
        ("otel.name", "tools/call t"),
    ];
    let expected = expected.map(|(k, v)| (k.to_owned(), v.to_owned()));
    assert_eq!(spans.only(), BTreeMap::from(expected));
}

#[tokio::test]
async fn failures_have_their_type() {
    let spans = Spans::default();
    let _guard = tracing::subscriber::set_default(spans.clone());
    for (outcome, kind, code) in [
        (tool_fails(), Some("tool_error"), None),
        (fails(CallErrorKind::TimedOut), Some("timed_out"), None),
        (
            fails(CallErrorKind::Protocol).map_err(|e| e.with_code(-32602)),
            Some("-32602"),
            Some("-32602"),
        ),
        (fails(CallErrorKind::Interrupted), None, None),
    ] {
        let script = Script::new([outcome]);
        let service = script.behind(&ToolLayers::new().layer(TraceLayer::new()));
        let _ = service.call(call()).await;
        let span = spans.only();
        let of = |name: &str| span.get(name).map(String::as_str);
        assert_eq!(of("error.type"), kind);
        assert_eq!(of("otel.status_code"), kind.map(|_| "ERROR"));
        assert_eq!(of("rpc.response.status_code"), code);
    }
}

#[tokio::test]
async fn arguments_and_results_are_recorded_where_that_is_asked_for_and_hidden_members_are_not() {
    let spans = Spans::default();
    let _guard = tracing::subscriber::set_default(spans.clone());
    let layer = TraceLayer::new()
        .record_arguments()
        .record_results()
        .hide("password");
    let script = Script::new([Ok(r#"{"user":"ada","password":"x"}"#.into())]);
    let service = script.behind(&ToolLayers::new().layer(layer));
    let call = call()
        .with_arg("q", 1)
        .with_arg("auth", json!({"Password": "x"}));
    let outcome = service.call(call).await.unwrap();
    let span = spans.only();
    assert_eq!(
        span["gen_ai.tool.call.arguments"],
        r#"{"q":1,"auth":{"Password":"[redacted]"}}"#
    );
    assert_eq!(
        span["gen_ai.tool.call.result"],
        r#"{"user":"ada","password":"[redacted]"}"#
    );
    assert_eq!(outcome.text(), r#"{"user":"ada","password":"x"}"#);
    assert_eq!(
        script.seen.lock().unwrap()[0].args()["auth"]["Password"],
        "x"
    );
}

#[tokio::test]
async fn the_trace_goes_into_the_requests_meta() {
    let traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    let context = TraceContext::new(traceparent).with_baggage("user=ada");
    let script = Script::default();

    // From the caller, without any subscriber.
    let service = script.behind(&ToolLayers::new().layer(TraceLayer::new()));
    let mut extensions = Extensions::new();
    extensions.insert(context.clone());
    service
        .call(hinted(ToolAnnotations::new(), extensions))
        .await
        .unwrap();
    service.call(call()).await.unwrap();

    // From the function, within the span.
    let layer = TraceLayer::new().propagate(move |_: &ToolCall| Some(context.clone()));
    let service = script.behind(&ToolLayers::new().layer(layer));
    service.call(call().with_meta("own", 1)).await.unwrap();

    let seen = script.seen.lock().unwrap();
    let expected = json!({"traceparent": traceparent, "baggage": "user=ada"});
    assert_eq!(json!(seen[0].meta()), expected);
    assert_eq!(json!(seen[1].meta()), json!({}));
    let expected = json!({"own": 1, "traceparent": traceparent, "baggage": "user=ada"});
    assert_eq!(json!(seen[2].meta()), expected);
}
