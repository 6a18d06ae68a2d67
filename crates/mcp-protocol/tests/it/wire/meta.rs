//! `_meta`: keys, tokens, traces, identity.

use mcp_jsonrpc::Id;
use mcp_protocol::{
    ClientCapabilities, Implementation, InitializeParams, InvalidMetaKey, Meta, ProgressParams,
    RequestMeta, RequestParams, TraceContext,
};
use serde_json::{Value, json};

use super::{read, round_trip};

#[test]
fn proto_02_initialize_has_version_capabilities_and_identity() {
    let params = InitializeParams::new(
        "2025-11-25",
        ClientCapabilities::new(),
        Implementation::new("a", "1"),
    );
    assert_eq!(
        serde_json::to_value(params).unwrap(),
        json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "a", "version": "1"},
        })
    );
}

#[test]
fn proto_03_proto_04_a_request_carries_version_capabilities_and_identity() {
    let meta = RequestMeta::new()
        .with_protocol_version("2026-07-28")
        .with_client_capabilities(ClientCapabilities::new())
        .with_client_info(Implementation::new("a", "1"));
    assert_eq!(
        serde_json::to_value(RequestParams::new().with_meta(meta)).unwrap(),
        json!({"_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": {"name": "a", "version": "1"},
        }})
    );
}

#[test]
fn proto_05_what_a_request_left_out_can_be_told() {
    let meta: RequestMeta = read(r#"{"io.modelcontextprotocol/clientCapabilities":{}}"#).unwrap();
    assert!(meta.protocol_version.is_none() && meta.client_info.is_none());
    assert_eq!(
        meta.client_capabilities.as_deref(),
        Some(&ClientCapabilities::new())
    );
}

#[test]
fn proto_10_keys_of_ones_own_follow_the_grammar() {
    let mut meta = Meta::new();
    for key in [
        "a",
        "a-b_c.d",
        "7",
        "example.com/",
        "example.com/a.b",
        "com.example.mcp/a",
        "a1-b.c2/d",
        "traceparent",
    ] {
        assert_eq!(meta.set(key, 1), Ok(()), "{key}");
    }
    let long = format!("{}/a", "-".repeat(10_000));
    for key in [
        "", "-a", "a-", "a b", "ä", "a/b/c", "/a", "a..b/c", "1a.b/c", "a-/b", "a.b-/c", &long,
    ] {
        let refused = InvalidMetaKey::Grammar {
            key: key.to_owned(),
        };
        assert_eq!(meta.set(key, 1), Err(refused));
    }
}

#[test]
fn proto_10_reserved_keys_are_refused_for_ones_own() {
    for key in [
        "progressToken",
        "io.modelcontextprotocol/serverInfo",
        "io.modelcontextprotocol/",
        "dev.mcp/a",
        "com.mcp.tools/a",
        "modelcontextprotocol.io/a",
        "mcp.dev/a",
        "tools.mcp.com/a",
        "api.modelcontextprotocol.org/a",
    ] {
        let refused = Err(InvalidMetaKey::Reserved {
            key: key.to_owned(),
        });
        assert_eq!(Meta::new().set(key, 1), refused);
        assert_eq!(RequestMeta::new().set(key, 1), refused);
    }
}

#[test]
fn proto_11_traces_pass_through_without_a_prefix() {
    let json = json!({"traceparent": "00-ab-cd-01", "tracestate": "v=1", "baggage": "k=v"});
    assert_eq!(round_trip::<RequestMeta>(&json), json);
    assert_eq!(round_trip::<Meta>(&json), json);
    let meta: RequestMeta = read(&json.to_string()).unwrap();
    let trace = meta.trace_context().unwrap();
    assert_eq!(trace.baggage.as_deref(), Some("k=v"));
    let mut other = Meta::new();
    other.set_trace_context(trace);
    assert_eq!(serde_json::to_value(&other).unwrap(), json);
    other.set_trace_context(TraceContext::new("00-ef-01-01"));
    assert_eq!(
        serde_json::to_value(&other).unwrap(),
        json!({"traceparent": "00-ef-01-01"})
    );
}

#[test]
fn proto_30_progress_tokens_come_back_as_they_went() {
    for token in [json!(1), json!("1"), json!(-7), json!(u64::MAX), json!("")] {
        let meta: RequestMeta = read(&json!({"progressToken": token}).to_string()).unwrap();
        let params = ProgressParams::new(meta.progress_token.unwrap(), 0.5);
        let json = serde_json::to_value(params).unwrap();
        assert_eq!(json, json!({"progressToken": token, "progress": 0.5}));
    }
    for token in ["1.5", "true", "[]", "{}"] {
        let text = format!(r#"{{"progressToken":{token}}}"#);
        assert!(read::<RequestMeta>(&text).is_err(), "{token}");
    }
}

#[test]
fn proto_31_progress_is_written_as_the_number_it_is_and_must_be_finite() {
    let text = |progress| serde_json::to_string(&ProgressParams::new(1, progress));
    assert_eq!(text(50.0).unwrap(), r#"{"progressToken":1,"progress":50}"#);
    assert_eq!(
        text(0.25).unwrap(),
        r#"{"progressToken":1,"progress":0.25}"#
    );
    assert!(text(f64::NAN).is_err() && text(f64::INFINITY).is_err());
    let params: ProgressParams = read(r#"{"progressToken":1,"progress":3,"total":7.5}"#).unwrap();
    assert_eq!((params.progress, params.total), (3.0, Some(7.5)));
}

#[test]
fn proto_65_a_subscription_id_keeps_its_type() {
    for id in [Id::from(7), Id::from("7"), Id::from(-7), Id::from(u64::MAX)] {
        let mut meta = Meta::new();
        meta.set_subscription_id(&id);
        let text = serde_json::to_string(&meta).unwrap();
        assert_eq!(read::<Meta>(&text).unwrap().subscription_id(), Some(id));
    }
    let mut meta = Meta::new();
    meta.set_server_info(Value::Null);
    assert_eq!(meta.server_info(), None);
}
