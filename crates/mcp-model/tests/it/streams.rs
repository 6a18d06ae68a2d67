//! Answers that come in pieces.

use std::time::Duration;

use mcp_model::{ChatModel, ChatRequest, Deltas, ModelErrorKind, StopReason, ToolUse};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::mpsc;

use crate::server::{read_request, served, served_within, shown, streamed};

const SSE: &str = "text/event-stream; charset=utf-8";

fn event(data: &Value) -> String {
    format!("data: {data}\n\n")
}

/// A chunk with this delta.
fn chunk(delta: &Value) -> String {
    event(&json!({"object": "chat.completion.chunk", "model": "m-1",
        "choices": [{"index": 0, "delta": delta, "finish_reason": null}]}))
}

fn finish(reason: &str) -> String {
    event(&json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}))
}

const DONE: &str = "data: [DONE]\n\n";

/// An answer that asks for tools in these pieces.
async fn calls(pieces: &[Value]) -> Vec<ToolUse> {
    let pieces = pieces.iter();
    let pieces = pieces.map(|piece| chunk(&json!({"tool_calls": [piece]})));
    let body: String = pieces
        .chain([finish("tool_calls"), DONE.to_owned()])
        .collect();
    let (_, got, shown) = streamed("200 OK", SSE, body.as_bytes()).await;
    let got = got.unwrap();
    assert!(shown.is_empty(), "calls are not shown");
    assert_eq!(got.stop, StopReason::ToolUse);
    got.message.tool_calls
}

#[tokio::test]
async fn each_piece_is_shown_as_it_comes() {
    let (listener, model) = served().await;
    let (seen, mut shown) = mpsc::unbounded_channel();
    let deltas = Deltas::new(move |text| drop(seen.send(text.to_owned())));
    let serve = async {
        let (mut stream, _) = listener.accept().await.unwrap();
        let sent = read_request(&mut stream).await;
        let head = format!("HTTP/1.1 200 OK\r\ncontent-type: {SSE}\r\nconnection: close\r\n\r\n");
        stream.write_all(head.as_bytes()).await.unwrap();
        let start = chunk(&json!({"role": "assistant", "content": ""}));
        stream.write_all(start.as_bytes()).await.unwrap();
        // The next piece is sent only when the one before was shown.
        for word in ["Snow", " in", " \u{d8}slo"] {
            let piece = chunk(&json!({"content": word}));
            let (left, right) = piece.as_bytes().split_at(piece.len() / 2);
            stream.write_all(left).await.unwrap();
            stream.flush().await.unwrap();
            stream.write_all(right).await.unwrap();
            assert_eq!(shown.recv().await.as_deref(), Some(word));
        }
        let cost = event(&json!({"choices": [], "usage": {"prompt_tokens": 9,
            "completion_tokens": 4, "prompt_tokens_details": {"cached_tokens": 2}}}));
        let end = format!("{}{cost}{DONE}", finish("stop"));
        stream.write_all(end.as_bytes()).await.unwrap();
        sent
    };
    let (sent, got) = tokio::join!(serve, model.stream(ChatRequest::question("?"), deltas));
    let body = sent.body();
    assert_eq!(body["stream"], true);
    assert_eq!(body["stream_options"], json!({"include_usage": true}));
    let got = got.unwrap();
    assert_eq!(got.message.text(), "Snow in \u{d8}slo");
    assert_eq!(got.stop, StopReason::EndTurn);
    assert_eq!(got.model.as_deref(), Some("m-1"));
    let usage = got.usage;
    assert_eq!(
        (usage.input_tokens, usage.cached_tokens, usage.output_tokens),
        (9, 2, 4)
    );
}

#[tokio::test]
async fn pieces_of_calls_are_put_together_by_their_index() {
    let got = calls(&[
        json!({"index": 0, "id": "a", "type": "function", "function": {"name": "add", "arguments": ""}}),
        json!({"index": 1, "id": "b", "type": "function", "function": {"name": "now", "arguments": ""}}),
        json!({"index": 0, "function": {"arguments": "{\"x\""}}),
        json!({"index": 1, "function": {"arguments": "{}"}}),
        json!({"index": 0, "function": {"arguments": ":1}"}}),
        json!({"index": 2, "function": {"name": "bare"}}),
    ])
    .await;
    let expected = [
        ToolUse::new("a", "add", "{\"x\":1}"),
        ToolUse::new("b", "now", "{}"),
        ToolUse::new("call_3", "bare", ""),
    ];
    assert_eq!(got, expected);
}

#[tokio::test]
async fn calls_are_told_apart_where_a_server_does_not_number_them() {
    let whole = |index: Value, id: &str| json!({"index": index, "id": id, "function": {"name": "t", "arguments": {"id": id}}});
    let expected = [
        ToolUse::new("a", "t", "{\"id\":\"a\"}"),
        ToolUse::new("b", "t", "{\"id\":\"b\"}"),
    ];
    for index in [json!(0), Value::Null] {
        let got = calls(&[whole(index.clone(), "a"), whole(index.clone(), "b")]).await;
        assert_eq!(got, expected, "{index}");
    }
    // Neither number nor id: a name begins a call, what has none goes on with the last.
    let got = calls(&[
        json!({"function": {"name": "one", "arguments": "{"}}),
        json!({"function": {"arguments": "}"}}),
        json!({"function": {"name": "two", "arguments": "{}"}}),
    ])
    .await;
    let expected = [
        ToolUse::new("call_1", "one", "{}"),
        ToolUse::new("call_2", "two", "{}"),
    ];
    assert_eq!(got, expected);
    // An id in every piece, as some servers write.
    let piece =
        |text: &str| json!({"index": 0, "id": "a", "function": {"name": "t", "arguments": text}});
    let got = calls(&[piece("{"), piece("}")]).await;
    assert_eq!(got, [ToolUse::new("a", "t", "{}")]);
}

#[tokio::test]
async fn every_end_of_a_stream_has_its_reason() {
    for (reason, expected) in [
        ("stop", StopReason::EndTurn),
        ("length", StopReason::MaxTokens),
        ("content_filter", StopReason::ContentFilter),
        ("odd", StopReason::Other("odd".to_owned())),
    ] {
        // Not every server says that it is done.
        for end in [DONE, ""] {
            let body = format!("{}{}{end}", chunk(&json!({"content": "x"})), finish(reason));
            let (_, got, _) = streamed("200 OK", SSE, body.as_bytes()).await;
            assert_eq!(got.unwrap().stop, expected, "{reason}");
        }
    }
    let no = |text: &str| chunk(&json!({"content": null, "refusal": text}));
    let body = format!("{}{}{}{DONE}", no("I "), no("won't."), finish("stop"));
    let (_, got, shown) = streamed("200 OK", SSE, body.as_bytes()).await;
    let got = got.unwrap();
    assert_eq!(
        (got.message.text(), got.stop),
        ("I won't.".to_owned(), StopReason::Refusal)
    );
    assert_eq!(shown, ["I ", "won't."]);
}

#[tokio::test]
async fn a_server_that_knows_no_streams_answers_whole() {
    let body = json!({"choices": [{"message": {"content": "all of it"}}]}).to_string();
    let (_, got, shown) = streamed("200 OK", "application/json", body.as_bytes()).await;
    assert_eq!(got.unwrap().message.text(), "all of it");
    assert_eq!(shown, ["all of it"]);
}

#[tokio::test]
async fn a_stream_that_goes_wrong_fails_with_its_kind() {
    let begun = chunk(&json!({"content": "He"}));
    let said = |error: Value| format!("{begun}{}", event(&json!({"error": error})));
    for (status, kind, body, expected) in [
        ("200 OK", SSE, begun.clone(), ModelErrorKind::Transport),
        ("200 OK", SSE, String::new(), ModelErrorKind::Transport),
        (
            "200 OK",
            SSE,
            format!("{begun}data: {{\n\n"),
            ModelErrorKind::Decode,
        ),
        ("200 OK", SSE, DONE.to_owned(), ModelErrorKind::Decode),
        (
            "200 OK",
            SSE,
            said(json!({"message": "busy", "code": "503"})),
            ModelErrorKind::Overloaded,
        ),
        (
            "200 OK",
            SSE,
            said(json!({"message": "slow", "code": 429})),
            ModelErrorKind::RateLimited { retry_after: None },
        ),
        (
            "401 No",
            "application/json",
            json!({"error": {"message": "who?"}}).to_string(),
            ModelErrorKind::Auth,
        ),
        (
            "200 OK",
            "application/json",
            "{}".to_owned(),
            ModelErrorKind::Decode,
        ),
    ] {
        let (_, got, _) = streamed(status, kind, body.as_bytes()).await;
        assert_eq!(got.unwrap_err().kind(), expected, "{status} {body}");
    }
}

#[tokio::test]
async fn a_stream_without_end_is_given_up() {
    // One line without end, and many short ones.
    let line = format!("data: {}", "x".repeat(16 * 1024 * 1024));
    let events = ": nothing\n\n".repeat(1_600_000);
    for body in [line, events] {
        let (_, got, _) = streamed("200 OK", SSE, body.as_bytes()).await;
        assert_eq!(got.unwrap_err().kind(), ModelErrorKind::Transport);
    }
    let many: Vec<Value> = (0..1_001)
        .map(|n| json!({"index": n, "function": {"name": "t"}}))
        .collect();
    let body = format!("{}{DONE}", chunk(&json!({"tool_calls": many})));
    let (_, got, _) = streamed("200 OK", SSE, body.as_bytes()).await;
    assert_eq!(got.unwrap_err().kind(), ModelErrorKind::Decode);
}

#[tokio::test]
async fn a_stream_that_stands_still_is_given_up_in_time() {
    let (listener, model) = served_within(Duration::from_millis(200)).await;
    let serve = async {
        let (mut stream, _) = listener.accept().await.unwrap();
        read_request(&mut stream).await;
        let head = format!("HTTP/1.1 200 OK\r\ncontent-type: {SSE}\r\n\r\n");
        let begun = chunk(&json!({"content": "He"}));
        stream.write_all(head.as_bytes()).await.unwrap();
        stream.write_all(begun.as_bytes()).await.unwrap();
        // Until the client has gone away.
        let _ = stream.read(&mut [0; 1]).await;
    };
    let (deltas, _shown) = shown();
    let ask = model.stream(ChatRequest::question("?"), deltas);
    let ((), got) = tokio::join!(serve, ask);
    let error = got.unwrap_err();
    assert_eq!(error.kind(), ModelErrorKind::Transport);
    assert!(error.to_string().contains("within 200ms"), "{error}");
}

#[tokio::test]
async fn an_answer_that_is_given_up_ends_its_connection() {
    let (listener, model) = served().await;
    let (seen, mut shown) = mpsc::unbounded_channel();
    let deltas = Deltas::new(move |text| drop(seen.send(text.to_owned())));
    let serve = async {
        let (mut stream, _) = listener.accept().await.unwrap();
        read_request(&mut stream).await;
        let head = format!("HTTP/1.1 200 OK\r\ncontent-type: {SSE}\r\n\r\n");
        let begun = chunk(&json!({"content": "He"}));
        stream.write_all(head.as_bytes()).await.unwrap();
        stream.write_all(begun.as_bytes()).await.unwrap();
        stream.read(&mut [0; 1]).await.unwrap_or(0)
    };
    let ask = async {
        let stream = model.stream(ChatRequest::question("?"), deltas);
        tokio::select! {
            got = stream => panic!("no answer was given: {got:?}"),
            piece = shown.recv() => assert_eq!(piece.as_deref(), Some("He")),
        }
    };
    let (left, ()) = tokio::join!(serve, ask);
    assert_eq!(left, 0, "the connection was closed");
}

#[tokio::test]
async fn a_connection_is_used_again_after_a_stream() {
    let (listener, model) = served().await;
    let serve = async {
        // One connection for both questions.
        let (mut stream, _) = listener.accept().await.unwrap();
        for _ in 0..2 {
            read_request(&mut stream).await;
            let body = format!(
                "{}{}{DONE}",
                chunk(&json!({"content": "x"})),
                finish("stop")
            );
            let head = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: {SSE}\r\ntransfer-encoding: chunked\r\n\r\n"
            );
            let chunked = format!("{head}{:x}\r\n{body}\r\n0\r\n\r\n", body.len());
            stream.write_all(chunked.as_bytes()).await.unwrap();
        }
    };
    let ask = async {
        for _ in 0..2 {
            let (deltas, _shown) = shown();
            let got = model.stream(ChatRequest::question("?"), deltas).await;
            assert_eq!(got.unwrap().message.text(), "x");
        }
    };
    tokio::join!(serve, ask);
}
