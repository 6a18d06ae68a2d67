//! The client against a fake server on the loopback interface, and the wire format.

use std::sync::Arc;
use std::time::Duration;

use mcp_protocol::{Annotations, ContentBlock, Role, TextContent};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::lower;
use crate::{
    AssistantMessage, ChatMessage, ChatModel, ChatRequest, ChatResponse, ModelError,
    ModelErrorKind, OpenAiModel, StopReason, ToolAnswer, ToolChoice, ToolSpec, ToolUse,
};

/// Answers one request with `status` and `body`; gives back what the client sent and got.
async fn exchange(
    status: &str,
    headers: &str,
    body: Vec<u8>,
    request: ChatRequest,
) -> (String, Result<ChatResponse, ModelError>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/v1/", listener.local_addr().unwrap());
    let model = OpenAiModel::builder("m")
        .base_url(url)
        .api_key("secret")
        .build()
        .unwrap();
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-length: {}\r\n{headers}connection: close\r\n\r\n",
        body.len()
    );
    let serve = async {
        let (mut stream, _) = listener.accept().await.unwrap();
        let sent = read_request(&mut stream).await;
        let _ = stream.write_all(head.as_bytes()).await;
        let _ = stream.write_all(&body).await;
        let _ = stream.shutdown().await;
        sent
    };
    let (sent, got) = tokio::join!(serve, model.generate(request));
    (sent, got)
}

async fn read_request(stream: &mut tokio::net::TcpStream) -> String {
    let mut text = String::new();
    let mut buffer = [0; 4096];
    loop {
        let n = stream.read(&mut buffer).await.unwrap();
        text.push_str(std::str::from_utf8(&buffer[..n]).unwrap());
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            continue;
        };
        let length = head
            .lines()
            .find_map(|line| line.strip_prefix("content-length: "));
        if n == 0 || body.len() >= length.unwrap().parse().unwrap() {
            return text;
        }
    }
}

fn body_of(sent: &str) -> Value {
    serde_json::from_str(sent.split_once("\r\n\r\n").unwrap().1).unwrap()
}

fn lowered(request: &ChatRequest) -> Value {
    serde_json::from_slice(&lower::request("m", request, false).unwrap()).unwrap()
}

#[tokio::test]
async fn a_call_and_its_cost_are_read_and_the_key_is_sent() {
    let reply = json!({"model": "m-1", "choices": [{"finish_reason": "tool_calls", "message": {
        "role": "assistant", "content": null, "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "add", "arguments": "{\"x\":1}"}},
            {"function": {"name": "now"}},
            {"id": "a", "function": {"name": "sub", "arguments": {"y": 2}}},
        ]}}], "usage": {"prompt_tokens": 7, "completion_tokens": 3,
        "prompt_tokens_details": {"cached_tokens": 5}}});
    let tool = ToolSpec::new("add", json!({"type": "object"})).with_description("Adds.");
    let request = ChatRequest::question("?")
        .with_system("Be brief.")
        .with_tools(vec![tool]);
    let (sent, got) = exchange("200 OK", "", reply.to_string().into(), request).await;
    assert!(sent.starts_with("POST /v1/chat/completions HTTP/1.1\r\n"));
    assert!(sent.contains("authorization: Bearer secret\r\n"));
    let body = body_of(&sent);
    assert_eq!(
        body["messages"][0],
        json!({"role": "system", "content": "Be brief."})
    );
    assert_eq!(body["tools"][0]["function"]["name"], "add");
    let got = got.unwrap();
    assert_eq!(got.stop, StopReason::ToolUse);
    assert_eq!(got.model.as_deref(), Some("m-1"));
    assert_eq!(
        (
            got.usage.input_tokens,
            got.usage.cached_tokens,
            got.usage.output_tokens
        ),
        (7, 5, 3)
    );
    let calls = got.message.tool_calls;
    assert_eq!(calls[0], ToolUse::new("a", "add", "{\"x\":1}"));
    assert_eq!(calls[1], ToolUse::new("call_2", "now", ""));
    assert_eq!(calls[2], ToolUse::new("call_3", "sub", "{\"y\":2}"));
}

/// Status, a header or nothing, message, code, and the kind that they stand for.
const FAILURES: &str = "
    429 Busy    | retry-after: 2 | slow down     |                         | RateLimited { retry_after: Some(2s) }
    429 Busy    |                | slow down     |                         | RateLimited { retry_after: None }
    429 Busy    |                | pay           | insufficient_quota      | Auth
    503 Away    |                | later         |                         | Overloaded
    400 Bad     |                | the maximum context length is 8 |       | ContextTooLong
    400 Bad     |                | no            | context_length_exceeded | ContextTooLong
    400 Bad     |                | bad tool      |                         | BadRequest
    401 No      |                | who?          |                         | Auth
    404 Missing |                | no such model |                         | BadRequest
    302 Found   | location: http://127.0.0.1:1/ | |                        | BadRequest
    200 OK      |                | slow          | 429                     | RateLimited { retry_after: None }
    200 OK      |                |               |                         | Overloaded";

#[tokio::test]
async fn every_failure_has_its_kind() {
    for row in FAILURES.lines().skip(1) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let header = format!("{}\r\n", cells[1]);
        let header = if cells[1].is_empty() { "" } else { &header };
        let body = json!({"error": {"message": cells[2], "code": cells[3]}}).to_string();
        let request = ChatRequest::question("?");
        let (_, got) = exchange(cells[0], header, body.into(), request).await;
        assert_eq!(format!("{:?}", got.unwrap_err().kind()), cells[4], "{row}");
    }
    for body in ["nonsense", "{}", "[]"] {
        let (_, got) = exchange("200 OK", "", body.into(), ChatRequest::question("?")).await;
        assert_eq!(got.unwrap_err().kind(), ModelErrorKind::Decode, "{body}");
    }
}

#[tokio::test]
async fn an_answer_without_end_or_without_haste_is_given_up() {
    let huge = vec![b' '; crate::http::MAX_BODY + 1];
    let (_, got) = exchange("200 OK", "", huge, ChatRequest::question("?")).await;
    assert_eq!(got.unwrap_err().kind(), ModelErrorKind::Transport);

    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let model = OpenAiModel::builder("m")
        .base_url(url)
        .timeout(Duration::from_millis(50))
        .build()
        .unwrap();
    let got = model.generate(ChatRequest::question("?")).await;
    assert_eq!(got.unwrap_err().kind(), ModelErrorKind::Transport);
}

#[test]
fn the_key_is_not_shown() {
    let builder = OpenAiModel::builder("m").api_key("hush");
    assert!(!format!("{builder:?} {:?}", builder.clone().build().unwrap()).contains("hush"));
}

#[test]
fn a_round_keeps_its_order_and_images_follow_it() {
    let calls = vec![
        ToolUse::new("1", "shot", ""),
        ToolUse::new("2", "fail", "{}"),
    ];
    let for_user = TextContent::new("secret")
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
    let body = lowered(&ChatRequest::new(messages.into()));
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
    assert!(!body.to_string().contains("secret"));
}

#[test]
fn the_rule_about_tools_is_sent_only_with_tools() {
    let request = ChatRequest::question("?").with_tool_choice(ToolChoice::Tool("t".to_owned()));
    assert!(lowered(&request).get("tool_choice").is_none());
    let body = lowered(&request.with_tools(vec![ToolSpec::new("t", json!({}))]));
    assert_eq!(body["tool_choice"]["function"]["name"], "t");
}
