//! The answer to a call: one JSON body, or a stream that may break and be resumed.

use http::HeaderValue;
use mcp_jsonrpc::{DecodeError, Frame, Message, RawJson, Response};
use mcp_transport::{BoxFuture, CallError, TransportError, TransportErrorKind};

use super::body::ResponseBody;
use super::call::Exchange;
use super::events::Events;
use super::link::{broken, excerpt, plain};
use super::listen::{Backoff, Opened};
use crate::headers::has_media_type;

/// How often in a row a stream is resumed that brings no new event id.
const MAX_FRUITLESS: u32 = 5;

impl Exchange {
    /// Reads the answer out of a successful response.
    pub(super) async fn answer(
        &self,
        response: http::Response<ResponseBody>,
    ) -> Result<RawJson, CallError> {
        let limit = self.link.limits.message;
        plain(response.headers()).map_err(broken)?;
        if has_media_type(response.headers(), "application/json") {
            let body = response.into_body().collect(limit).await.map_err(broken)?;
            return match Frame::decode(body) {
                Ok(Frame::Single(Message::Response(Response { id, outcome, .. })))
                    if id.as_ref().is_none_or(|id| *id == self.id) =>
                {
                    outcome.map_err(CallError::Remote)
                }
                frame => {
                    let taking = self.link.take_frame(frame, &self.view, Some(&self.id));
                    let taking: BoxFuture<'_, _> = Box::pin(taking);
                    taking.await.unwrap_or_else(|| Err(no_answer()))
                }
            };
        }
        // Boxed, so that the usual way is a small one.
        let otherwise: BoxFuture<'_, _> = Box::pin(self.otherwise(response));
        otherwise.await
    }

    /// Reads the answer out of a response that is not JSON.
    async fn otherwise(
        &self,
        response: http::Response<ResponseBody>,
    ) -> Result<RawJson, CallError> {
        let limit = self.link.limits.message;
        if has_media_type(response.headers(), "text/event-stream") {
            return self
                .streamed(Events::new(response.into_body(), limit))
                .await;
        }
        let status = response.status();
        let text = response.into_body().excerpt(1024).await;
        Err(broken(TransportError::new(
            TransportErrorKind::Violation,
            format!(
                "the answer, HTTP {status}, is neither JSON nor events: {:?}",
                excerpt(&text, 200)
            ),
        )))
    }

    async fn streamed(&self, events: Events) -> Result<RawJson, CallError> {
        let mut events = Box::new(events);
        let mut backoff = Backoff::new(MAX_FRUITLESS);
        let mut last_id = None;
        loop {
            let end = match self.read(&mut events).await {
                Ok(answer) => {
                    events.finish();
                    return answer;
                }
                Err(e) if e.kind() == TransportErrorKind::Violation => return Err(broken(e)),
                Err(end) => end,
            };
            backoff.after(&events, &mut last_id);
            let resuming: BoxFuture<'_, _> =
                Box::pin(self.resume(&mut backoff, last_id.as_ref(), end));
            events = resuming.await?;
        }
    }

    /// Reads up to the answer, or to where the stream breaks.
    async fn read(
        &self,
        events: &mut Events,
    ) -> Result<Result<RawJson, CallError>, TransportError> {
        while let Some(data) = events.next().await? {
            if let Some(answer) = self.link.take(data, &self.view, Some(&self.id)).await {
                return Ok(answer);
            }
        }
        let message = "the event stream ended without the answer";
        Err(TransportError::new(TransportErrorKind::Ended, message))
    }

    /// Opens the stream again behind the last event that had an id. A call whose stream cannot
    /// be resumed is lost.
    async fn resume(
        &self,
        backoff: &mut Backoff,
        last_id: Option<&HeaderValue>,
        end: TransportError,
    ) -> Result<Box<Events>, CallError> {
        let Some(last_id) = last_id.filter(|_| !self.stateless) else {
            return Err(broken(end));
        };
        loop {
            if !backoff.wait().await {
                return Err(broken(end));
            }
            let extra = self.extra.as_ref();
            match self
                .link
                .open_stream(&self.view, Some(last_id), extra)
                .await
            {
                Opened::Stream(events) => return Ok(events),
                Opened::Later(error) => tracing::debug!(%error, "a stream is not resumed yet"),
                Opened::Never(error) => {
                    tracing::debug!(%error, "a stream cannot be resumed");
                    return Err(broken(end));
                }
            }
        }
    }
}

fn no_answer() -> CallError {
    CallError::Malformed(DecodeError::Syntax {
        detail: "the body holds no answer to this request".to_owned(),
    })
}
