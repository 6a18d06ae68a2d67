//! Redaction: every place where a secret can stand.

use http::Extensions;
use mcp_interceptors::{
    CallError, CallErrorKind, Command, Delivery, RawResult, RedactLayer, ToolCall, ToolLayers,
    ToolMessage, ToolOutcome,
};
use mcp_protocol::{
    CallToolResult, ContentBlock, EmbeddedResource, Resource, ResourceContents, ToolAnnotations,
};
use serde_json::{Value, json};

use super::{Script, call, hinted};

fn layer() -> RedactLayer {
    RedactLayer::new()
        .text("hunter2")
        .text("")
        .member("Password")
        .with(|text| text.contains("PRIVATE KEY").then(|| "[a key]".to_owned()))
}

async fn through(layer: RedactLayer, outcome: ToolOutcome) -> ToolOutcome {
    let script = Script::new([Ok(outcome)]);
    let service = script.behind(&ToolLayers::new().layer(layer));
    service.call(call()).await.unwrap()
}

#[tokio::test]
async fn secrets_are_taken_out_of_every_kind_of_content() {
    let link = Resource::new("file:///hunter2", "hunter2").with_description("is hunter2");
    let result = CallToolResult::new(vec![
        "it is hunter2, hunter2!".into(),
        r#"{"user": "ada", "nested": [{"PASSWORD": {"a": 1}}]}"#.into(),
        "-----BEGIN PRIVATE KEY-----".into(),
        EmbeddedResource::new(ResourceContents::text("a://b", "hunter2")).into(),
        ContentBlock::resource_link(link),
        "nothing to hide".into(),
    ])
    .with_structured_content(json!({"password": "x", "list": ["hunter2", 2, {"a": "hunter2"}]}));
    let clean = through(layer(), result.into()).await;
    let ToolOutcome::Result(clean) = clean else {
        panic!("a result stays a result");
    };
    let text = serde_json::to_string(&clean).unwrap();
    assert!(
        !text.contains("hunter2") && !text.contains("PRIVATE"),
        "{text}"
    );
    assert_eq!(
        clean.content[0].as_text(),
        Some("it is [redacted], [redacted]!")
    );
    assert_eq!(
        clean.content[1].as_text(),
        Some(r#"{"user":"ada","nested":[{"PASSWORD":"[redacted]"}]}"#)
    );
    assert_eq!(clean.content[5].as_text(), Some("nothing to hide"));
    assert_eq!(
        clean.structured_content,
        Some(json!({"password": "[redacted]", "list": ["[redacted]", 2, {"a": "[redacted]"}]}))
    );
}

#[tokio::test]
async fn messages_and_commands_are_no_way_around() {
    let mut message = ToolMessage::text("hunter2");
    message.artifact = Some(json!({"password": 1}));
    let command = Command::new()
        .with_update("note", "hunter2")
        .with_message(message.clone());
    for outcome in [message.into(), command.into()] {
        let text = format!("{:?}", through(layer(), outcome).await);
        assert!(!text.contains("hunter2"), "{text}");
        assert!(text.matches("[redacted]").count() >= 2, "{text}");
    }
}

#[tokio::test]
async fn errors_lose_their_secrets_and_keep_their_kind() {
    let error = CallError::new(CallErrorKind::Transport, "the connection broke")
        .with_delivery(Delivery::NotSent)
        .with_code(-32000)
        .with_source(std::io::Error::other("at hunter2:80"));
    let script = Script::new([Err(error)]);
    let service = script.behind(&ToolLayers::new().layer(layer()));
    let error = service.call(call()).await.unwrap_err();
    assert_eq!(error.chain(), "the connection broke: at [redacted]:80");
    assert_eq!(error.kind(), CallErrorKind::Transport);
    assert_eq!(error.delivery(), Delivery::NotSent);
    assert_eq!(error.code(), Some(-32000));
}

#[tokio::test]
async fn what_was_put_aside_is_redacted_too() {
    let raw = RawResult::new();
    let mut extensions = Extensions::new();
    extensions.insert(raw.clone());
    let script = Script::new([Ok(CallToolResult::text("hunter2").into())]);
    let service = script.behind(&ToolLayers::new().layer(layer()));
    let call = hinted(ToolAnnotations::new(), extensions);
    service.call(call).await.unwrap();
    assert_eq!(raw.take().unwrap().text_content(), "[redacted]");
}

#[tokio::test]
async fn arguments_are_redacted_where_that_is_asked_for() {
    for (layer, expected) in [
        (layer(), json!({"q": "hunter2", "password": 1})),
        (
            layer().arguments(),
            json!({"q": "[redacted]", "password": "[redacted]"}),
        ),
    ] {
        let script = Script::default();
        let service = script.behind(&ToolLayers::new().layer(layer));
        let call = call().with_arg("q", "hunter2").with_arg("password", 1);
        service.call(call).await.unwrap();
        let seen = script.seen.lock().unwrap();
        let args: Vec<&ToolCall> = seen.iter().collect();
        assert_eq!(Value::Object(args[0].args().clone()), expected);
    }
}

#[tokio::test]
async fn deep_json_ends_somewhere() {
    let mut deep = json!("hunter2");
    for _ in 0..1_000 {
        deep = json!([deep]);
    }
    let result = CallToolResult::new(Vec::new()).with_structured_content(deep);
    let clean = through(layer(), result.into()).await;
    let text = format!("{clean:?}");
    assert!(text.contains("[redacted]") && !text.contains("hunter2"));
}
