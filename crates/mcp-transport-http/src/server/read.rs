//! The body of a POST.

use std::pin::pin;

use bytes::{Bytes, BytesMut};
use http::StatusCode;
use http_body::Body;
use http_body_util::BodyExt as _;

use super::Shared;
use super::reply::{self, Reply};

/// Reads a body of bounded length in bounded time.
pub(super) async fn read<B>(shared: &Shared, body: B) -> Result<Bytes, Box<Reply>>
where
    B: Body<Data = Bytes> + Send,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let refuse = |status, why: &str| Err(Box::new(reply::refuse(status, why)));
    let limit = shared.options.max_body;
    let too_long = || refuse(StatusCode::PAYLOAD_TOO_LARGE, "the body is too long");
    if body.size_hint().lower() > limit as u64 {
        return too_long();
    }
    match tokio::time::timeout(shared.options.body_timeout, collect(body, limit)).await {
        Ok(Collected::Whole(text)) => Ok(text),
        Ok(Collected::TooLong) => too_long(),
        Ok(Collected::Cut) => refuse(StatusCode::BAD_REQUEST, "the body is cut off"),
        Err(_) => refuse(
            StatusCode::REQUEST_TIMEOUT,
            "the body did not arrive in time",
        ),
    }
}

enum Collected {
    Whole(Bytes),
    TooLong,
    Cut,
}

async fn collect<B: Body<Data = Bytes>>(body: B, limit: usize) -> Collected {
    let mut body = pin!(body);
    let mut first = Bytes::new();
    let mut rest = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let Ok(frame) = frame else {
            return Collected::Cut;
        };
        let Ok(data) = frame.into_data() else {
            continue;
        };
        if first.len() + rest.len() + data.len() > limit {
            return Collected::TooLong;
        }
        // Most bodies come in one piece, which then need not be copied.
        if first.is_empty() && rest.is_empty() {
            first = data;
            continue;
        }
        rest.extend_from_slice(&std::mem::take(&mut first));
        rest.extend_from_slice(&data);
    }
    Collected::Whole(if rest.is_empty() {
        first
    } else {
        rest.freeze()
    })
}
