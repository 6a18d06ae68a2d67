//! The body of a POST.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::Poll;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::StatusCode;
use http_body::Body;
use http_body_util::BodyExt as _;
use tokio::time::error::Elapsed;
use tokio::time::timeout;

use super::Shared;
use super::reply::{self, Reply};
use super::ring::Budget;

/// What a body takes of the room that all share, until it is dropped.
pub(super) struct Room<'s> {
    budget: &'s Budget,
    bytes: usize,
}

impl Room<'_> {
    fn grow(&mut self, bytes: usize) -> bool {
        let granted = self.budget.take(bytes);
        self.bytes += if granted { bytes } else { 0 };
        granted
    }
}

impl Drop for Room<'_> {
    fn drop(&mut self) {
        self.budget.give_back(self.bytes);
    }
}

/// Reads a body of bounded length in bounded time.
pub(super) async fn read<B>(shared: &Shared, body: B) -> Result<(Bytes, Room<'_>), Box<Reply>>
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
    let mut room = Room {
        budget: &shared.bodies,
        bytes: 0,
    };
    let collected = {
        let collecting = pin!(collect(body, limit, &mut room));
        in_time(shared.options.body_timeout, collecting).await
    };
    match collected {
        Ok(Collected::Whole(text)) => Ok((text, room)),
        Ok(Collected::NoRoom) => Err(Box::new(reply::busy(None))),
        Ok(Collected::TooLong) => too_long(),
        Ok(Collected::Cut) => refuse(StatusCode::BAD_REQUEST, "the body is cut off"),
        Err(_) => refuse(
            StatusCode::REQUEST_TIMEOUT,
            "the body did not arrive in time",
        ),
    }
}

/// As `tokio::time::timeout`, with a timer only for what is not there already: most bodies have
/// come with their head.
async fn in_time<F: Future>(
    limit: Duration,
    mut future: Pin<&mut F>,
) -> Result<F::Output, Elapsed> {
    match poll_fn(|cx| Poll::Ready(future.as_mut().poll(cx))).await {
        Poll::Ready(done) => Ok(done),
        Poll::Pending => Box::pin(timeout(limit, future)).await,
    }
}

enum Collected {
    Whole(Bytes),
    TooLong,
    NoRoom,
    Cut,
}

async fn collect<B: Body<Data = Bytes>>(body: B, limit: usize, room: &mut Room<'_>) -> Collected {
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
        if !room.grow(data.len()) {
            return Collected::NoRoom;
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
