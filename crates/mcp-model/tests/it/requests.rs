//! What is sent.

use std::sync::Arc;

use http::header::{HeaderName, HeaderValue};
use mcp_model::{
    AnswerSchema, AssistantMessage, ChatMessage, ChatModel, ChatRequest, OpenAiModel, ToolAnswer,
    ToolChoice, ToolSpec, ToolUse,
};
use mcp_protocol::{Annotations, ContentBlock, Role, TextContent};
use serde_json::{Value, json};

use crate::server::{answer, asked, exchange, read_request, served};

#[tokio::test]
async fn a_request_has_the_shape_of_chat_completions() {
    let tool = ToolSpec::new("add", json!({"type": "object"})).with_description("Adds.");
    let mut request = ChatRequest::question("?")
        .with_system("Be brief.")
        .with_tools(vec![tool])
        .with_tool_choice(ToolChoice::Required);
    request.max_tokens = Some(7);
    request.temperature = Some(0.5);
    let (sent, _) = exchange("500 No", "", b"", request).await;
    assert!(sent.0.starts_with("POST /v1/chat/completions HTTP/1.1\r\n"));
    assert!(sent.0.contains("authorization: Bearer secret\r\n"));
    assert!(sent.0.contains("content-type: application/json\r\n"));
    assert_eq!(
        sent.body(),
        json!({
            "model": "m",
            "messages": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": "?"},
            ],
            "tools": [{"type": "function", "function": {
                "name": "add",
                "description": "Adds.",
                "parameters": {"type": "object", "properties": {}},
            }}],
            "tool_choice": "required",
            "max_tokens": 7,
            "temperature": 0.5,
        })
    );
    assert_eq!(
        asked(ChatRequest::question("?")).await,
        json!({"model": "m", "messages": [{"role": "user", "content": "?"}]}),
        "what was not set is not sent"
    );
}

#[tokio::test]
async fn the_rule_about_tools_is_sent_only_with_tools() {
    let request = ChatRequest::question("?").with_tool_choice(ToolChoice::Tool("t".to_owned()));
    assert!(asked(request.clone()).await.get("tool_choice").is_none());
    let tools = vec![ToolSpec::new("t", json!({}))];
    for (choice, expected) in [
        (ToolChoice::Auto, Value::Null),
        (ToolChoice::None, "none".into()),
        (ToolChoice::Required, "required".into()),
        (
            ToolChoice::Tool("t".to_owned()),
            json!({"type": "function", "function": {"name": "t"}}),
        ),
    ] {
        let request = request.clone().with_tools(tools.clone());
        let body = asked(request.with_tool_choice(choice)).await;
        assert_eq!(body["tool_choice"], expected);
    }
}

#[tokio::test]
async fn a_round_keeps_its_order_and_images_follow_it() {
    let calls = vec![
        ToolUse::new("1", "shot", ""),
        ToolUse::new("2", "fail", "{}"),
    ];
    let for_user = TextContent::new("hush")
        .with_annotations(Annotations::new().with_audience(vec![Role::User]));
    let shot = ToolAnswer::new(
        &calls[0],
        vec![
            ContentBlock::image([1, 2], "image/png"),
            ContentBlock::Text(for_user),
        ],
        false,
    );
    let fail = ToolAnswer::new(
        &calls[1],
        vec![ContentBlock::audio([0; 3], "audio/wav")],
        true,
    );
    let messages: Vec<Arc<ChatMessage>> = [
        ChatMessage::user("look"),
        ChatMessage::Assistant(AssistantMessage::new(vec![], calls)),
        ChatMessage::Tool(shot),
        ChatMessage::Tool(fail),
        ChatMessage::assistant("done"),
    ]
    .map(Arc::new)
    .into();
    let body = asked(ChatRequest::new(messages.into())).await;
    let messages = body["messages"].as_array().unwrap();
    assert_eq!(messages[1]["content"], Value::Null);
    assert_eq!(messages[1]["tool_calls"][0]["function"]["arguments"], "{}");
    assert_eq!(
        messages[2]["content"],
        "[images follow in the next message]"
    );
    assert_eq!(messages[3]["content"], "Error: [audio, audio/wav, 3 bytes]");
    assert_eq!(
        messages[4]["content"][1]["image_url"]["url"],
        "data:image/png;base64,AQI="
    );
    assert_eq!(messages[5]["role"], "assistant");
    assert!(!body.to_string().contains("hush"));
}

#[tokio::test]
async fn headers_of_ones_own_are_sent_and_a_redirect_is_not_followed() {
    let (listener, _) = served().await;
    let url = format!("http://{}", listener.local_addr().unwrap());
    let model = OpenAiModel::builder("m")
        .base_url(&url)
        .header(
            HeaderName::from_static("x-team"),
            HeaderValue::from_static("blue"),
        )
        .build()
        .unwrap();
    let serve = async {
        let (mut stream, _) = listener.accept().await.unwrap();
        let sent = read_request(&mut stream).await;
        let elsewhere = format!("location: {url}/elsewhere\r\n");
        answer(&mut stream, "307 Elsewhere", &elsewhere, b"").await;
        sent
    };
    let (sent, got) = tokio::join!(serve, model.generate(ChatRequest::question("?")));
    assert!(sent.0.contains("x-team: blue\r\n"));
    assert!(!sent.0.contains("authorization"), "no key was given");
    got.unwrap_err();
}

#[test]
fn the_key_is_not_shown() {
    let builder = OpenAiModel::builder("m").api_key("hush");
    assert!(!format!("{builder:?} {:?}", builder.clone().build().unwrap()).contains("hush"));
}

#[tokio::test]
async fn the_form_of_an_answer_is_sent_where_one_is_wanted() {
    let schema = json!({"type": "object", "properties": {"city": {"type": "string"}}});
    let mut request = ChatRequest::question("?");
    request.answer_schema = Some(Arc::new(AnswerSchema::new("place", schema.clone())));
    assert_eq!(
        asked(request).await["response_format"],
        json!({"type": "json_schema", "json_schema": {"name": "place", "schema": schema}})
    );
}
