//! Which failure an HTTP status and an error body stand for.

use std::time::Duration;

use http::{HeaderMap, StatusCode};
use serde_json::Value;

use crate::http::Reply;
use crate::{ModelError, ModelErrorKind};

/// The longest part of a server's words that an error repeats, in characters.
const MESSAGE: usize = 500;

/// The error that a reply without success stands for.
pub(super) fn classify(reply: &Reply) -> ModelError {
    let said = Said::read(&reply.body);
    let kind = kind(reply.status, &reply.headers, &said);
    ModelError::new(
        kind,
        format!(
            "the model's server answered {}{}",
            reply.status,
            said.suffix()
        ),
    )
}

/// The error that a body stands for whose status said success.
pub(super) fn from_body(reply: &Reply) -> ModelError {
    let said = Said::read(&reply.body);
    let status = said
        .code
        .parse()
        .ok()
        .and_then(|code| StatusCode::from_u16(code).ok());
    let status = status.unwrap_or(StatusCode::BAD_GATEWAY);
    let kind = kind(status, &reply.headers, &said);
    ModelError::new(
        kind,
        format!("the model's server reported an error{}", said.suffix()),
    )
}

fn kind(status: StatusCode, headers: &HeaderMap, said: &Said) -> ModelErrorKind {
    if said.is_about_length() {
        return ModelErrorKind::ContextTooLong;
    }
    match status.as_u16() {
        401..=403 => ModelErrorKind::Auth,
        408 => ModelErrorKind::Transport,
        413 => ModelErrorKind::ContextTooLong,
        429 if said.code == "insufficient_quota" => ModelErrorKind::Auth,
        429 => ModelErrorKind::RateLimited {
            retry_after: retry_after(headers),
        },
        500.. => ModelErrorKind::Overloaded,
        _ => ModelErrorKind::BadRequest,
    }
}

/// How long the server asks to wait, at most a day.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let number = |name| headers.get(name)?.to_str().ok()?.trim().parse::<f64>().ok();
    let seconds = match number("retry-after-ms") {
        Some(millis) => millis / 1000.0,
        None => number("retry-after")?,
    };
    (0.0..=86_400.0)
        .contains(&seconds)
        .then(|| Duration::from_secs_f64(seconds))
}

/// What the body says.
struct Said {
    code: String,
    message: String,
}

impl Said {
    fn read(body: &[u8]) -> Self {
        let value: Value = serde_json::from_slice(body).unwrap_or_default();
        let error = value.get("error").unwrap_or(&value);
        let text = |key: &str| match error.get(key) {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Number(number)) => number.to_string(),
            _ => String::new(),
        };
        let mut message = error
            .as_str()
            .map_or_else(|| text("message"), str::to_owned);
        if message.is_empty() {
            message = String::from_utf8_lossy(body.get(..2048).unwrap_or(body)).into_owned();
        }
        let words = message.split_whitespace().collect::<Vec<_>>().join(" ");
        Self {
            code: text("code"),
            message: words.chars().take(MESSAGE).collect(),
        }
    }

    fn is_about_length(&self) -> bool {
        const SIGNS: &[&str] = &[
            "maximum context length",
            "context window",
            "context length",
            "too many tokens",
            "prompt is too long",
            "exceeds the available context size",
        ];
        let message = self.message.to_ascii_lowercase();
        self.code == "context_length_exceeded" || SIGNS.iter().any(|sign| message.contains(sign))
    }

    fn suffix(&self) -> String {
        if self.message.is_empty() {
            String::new()
        } else {
            format!(": {}", self.message)
        }
    }
}
