//! HTTP headers of a call where there is no HTTP.

use std::fmt;
use std::sync::{Arc, Mutex};

use http::{HeaderName, HeaderValue};
use mcp_client::{ServerOptions, ServerPool};
use mcp_interceptors::{
    BoundTool, HeadersLayer, Intercepted, JsonMap, ToolCall, ToolLayers, Toolset,
};
use mcp_protocol::Tool;
use mcp_protocol::lifecycle::Preference;
use serde_json::{Value, json};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

use crate::connects::{Scripted, welcome};

const USER: HeaderName = HeaderName::from_static("x-user-id");

/// Two calls with a header, through a layer around a pool; what their `_meta` was.
async fn metas(options: ServerOptions) -> Vec<Value> {
    let metas = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&metas);
    let server = Scripted::new(move |_, mut peer| {
        let seen = Arc::clone(&seen);
        async move {
            welcome(&mut peer, &json!({"tools": {}})).await;
            for _ in 0..2 {
                let call = peer.expect("tools/call").await;
                let mut meta = call["params"]["_meta"].clone();
                if let Some(members) = meta.as_object_mut() {
                    members.remove("progressToken");
                }
                seen.lock().unwrap().push(meta);
                peer.answer(&call, json!({"content": []})).await;
            }
            peer.receive().await;
        }
    });
    let options = options.with_preference(Preference::Handshake);
    let pool = ServerPool::builder()
        .server_with("s", server, options)
        .build();
    let layers = ToolLayers::new().layer(
        HeadersLayer::new()
            .set(USER, HeaderValue::from_static("123"))
            .remove(http::header::COOKIE),
    );
    let tools = Intercepted::new(Arc::new(pool), &layers);
    let bound = BoundTool::new("s__t", "s", Tool::new("t", json!({"type": "object"})));
    let call = ToolCall::new(Arc::new(bound), JsonMap::new());
    for _ in 0..2 {
        tools.call(call.clone()).await.unwrap();
    }
    let metas = metas.lock().unwrap();
    metas.clone()
}

/// Notes warnings.
#[derive(Clone, Default)]
struct Warnings(Arc<Mutex<Vec<String>>>);

struct Text(String);

impl Visit for Text {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.0.push_str(&format!("{}={value:?} ", field.name()));
    }
}

impl Subscriber for Warnings {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() == Level::WARN
    }

    fn event(&self, event: &Event<'_>) {
        let mut text = Text(String::new());
        event.record(&mut text);
        self.0.lock().unwrap().push(text.0);
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

#[tokio::test]
async fn without_http_headers_go_into_meta_where_that_is_set() {
    let warnings = Warnings::default();
    let _guard = tracing::subscriber::set_default(warnings.clone());
    let options = ServerOptions::new().with_headers_in_meta("example.com/headers");
    let expected = json!({"example.com/headers": {"x-user-id": "123"}});
    assert_eq!(metas(options).await, [expected.clone(), expected]);
    assert!(warnings.0.lock().unwrap().is_empty());
}

#[tokio::test]
async fn without_http_and_without_a_key_there_is_one_warning() {
    let warnings = Warnings::default();
    let _guard = tracing::subscriber::set_default(warnings.clone());
    for options in [
        ServerOptions::new(),
        ServerOptions::new().with_headers_in_meta("io.modelcontextprotocol/headers"),
    ] {
        assert_eq!(metas(options).await, [json!({}), json!({})]);
        let warnings = std::mem::take(&mut *warnings.0.lock().unwrap());
        assert_eq!(warnings.len(), 1, "{warnings:?}");
        assert!(warnings[0].contains("x-user-id"), "{}", warnings[0]);
        assert!(!warnings[0].contains("123"), "the value is not told");
    }
}
