//! Why there is no answer.

use std::time::Duration;

use mcp_model::{ChatModel, ChatRequest, ModelError, ModelErrorKind, OpenAiModel};
use serde_json::json;

use crate::server::{exchange, served_within};

/// Status, a header or nothing, message, code, and the kind that they stand for.
const FAILURES: &str = "
    429 Busy    | retry-after: 2 | slow down     |                         | RateLimited { retry_after: Some(2s) }
    429 Busy    |                | slow down     |                         | RateLimited { retry_after: None }
    429 Busy    |                | pay           | insufficient_quota      | Auth
    503 Away    |                | later         |                         | Overloaded
    500 Broken  |                |               |                         | Overloaded
    400 Bad     |                | the maximum context length is 8 |       | ContextTooLong
    400 Bad     |                | no            | context_length_exceeded | ContextTooLong
    400 Bad     |                | bad tool      |                         | BadRequest
    413 Long    |                |               |                         | ContextTooLong
    401 No      |                | who?          |                         | Auth
    403 No      |                | not you       |                         | Auth
    404 Missing |                | no such model |                         | BadRequest
    408 Slow    |                |               |                         | Transport
    302 Found   | location: http://127.0.0.1:1/ | |                        | BadRequest
    200 OK      |                | slow          | 429                     | RateLimited { retry_after: None }
    200 OK      |                |               |                         | Overloaded";

async fn failure(status: &str, header: &str, body: &str) -> ModelError {
    let header = format!("{header}\r\n");
    let header = if header.len() > 2 { &header } else { "" };
    let request = ChatRequest::question("?");
    let (_, got) = exchange(status, header, body.as_bytes(), request).await;
    got.unwrap_err()
}

#[tokio::test]
async fn every_failure_has_its_kind() {
    for row in FAILURES.lines().skip(1) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let body = json!({"error": {"message": cells[2], "code": cells[3]}}).to_string();
        let error = failure(cells[0], cells[1], &body).await;
        assert_eq!(format!("{:?}", error.kind()), cells[4], "{row}");
    }
}

#[tokio::test]
async fn how_long_to_wait_is_read_where_it_makes_sense() {
    for (header, expected) in [
        ("retry-after: 2", Some(Duration::from_secs(2))),
        ("retry-after: 0.5", Some(Duration::from_millis(500))),
        ("retry-after-ms: 250", Some(Duration::from_millis(250))),
        ("retry-after: 0", Some(Duration::ZERO)),
        ("retry-after: 86400", Some(Duration::from_secs(86_400))),
        ("retry-after: 86401", None),
        ("retry-after: -1", None),
        ("retry-after: soon", None),
        ("retry-after: NaN", None),
        ("retry-after: inf", None),
        ("retry-after-ms: 1e99", None),
    ] {
        let error = failure("429 Busy", header, "{}").await;
        let wanted = ModelErrorKind::RateLimited {
            retry_after: expected,
        };
        assert_eq!(error.kind(), wanted, "{header}");
        assert!(error.is_transient());
    }
}

#[tokio::test]
async fn a_failure_repeats_what_the_server_said_but_not_all_of_it() {
    let said = failure("400 Bad", "", r#"{"error":{"message":"no\n  such"}}"#).await;
    let expected = "the model's server answered 400 Bad Request: no such";
    assert_eq!(said.to_string(), expected);
    let said = failure("400 Bad", "", r#"{"error":"plain"}"#).await;
    assert!(said.to_string().ends_with(": plain"), "{said}");
    let long = "<html>".repeat(10_000);
    let said = failure("502 Bad", "", &long).await;
    assert!(said.to_string().len() < 700, "{said}");
}

#[tokio::test]
async fn an_answer_without_end_or_without_haste_is_given_up() {
    let huge = vec![b' '; 16 * 1024 * 1024 + 1];
    let (_, got) = exchange("200 OK", "", &huge, ChatRequest::question("?")).await;
    assert_eq!(got.unwrap_err().kind(), ModelErrorKind::Transport);

    let (_listener, model) = served_within(Duration::from_millis(50)).await;
    let got = model.generate(ChatRequest::question("?")).await;
    assert_eq!(got.unwrap_err().kind(), ModelErrorKind::Transport);
}

#[tokio::test]
async fn a_server_that_is_not_there_is_not_reached() {
    let (listener, model) = served_within(Duration::from_secs(60)).await;
    drop(listener);
    let error = model
        .generate(ChatRequest::question("?"))
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ModelErrorKind::Transport);
    assert_eq!(error.to_string(), "127.0.0.1 was not reached");
    assert!(std::error::Error::source(&error).is_some());
}

#[test]
fn a_model_that_cannot_be_asked_is_refused_before_it_is() {
    for (builder, kind) in [
        (OpenAiModel::builder("m"), ModelErrorKind::Auth),
        (
            OpenAiModel::builder("m").api_key("a\nb"),
            ModelErrorKind::Auth,
        ),
        (
            OpenAiModel::builder("m").base_url("ftp://x"),
            ModelErrorKind::BadRequest,
        ),
        (
            OpenAiModel::builder("m").base_url("not a url"),
            ModelErrorKind::BadRequest,
        ),
    ] {
        assert_eq!(builder.build().unwrap_err().kind(), kind);
    }
}
