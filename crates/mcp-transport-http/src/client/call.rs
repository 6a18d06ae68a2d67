//! One call: its POST, its limits, its cancellation.

use std::sync::Arc;

use bytes::Bytes;
use http::{Extensions, HeaderMap, HeaderValue, StatusCode};
use mcp_jsonrpc::{Id, Message, MethodName, Notification, RawJson, Request};
use mcp_transport::{
    Attached, BoxFuture, Call, CallError, Delivery, Mirror, Rejection, WithoutHeaders,
};

use super::legacy::{LegacySse, hints_at_legacy};
use super::link::{Link, Parcel, closed};
use super::session::View;
use crate::deadline::Deadline;
use crate::headers::{SESSION_ID, leave_out, merge, single};
use crate::progress::ProgressGuard;

impl Link {
    #[expect(clippy::manual_async_fn, reason = "one would hold the call twice")]
    pub(super) fn call(
        self: &Arc<Self>,
        call: Call,
    ) -> impl Future<Output = Result<RawJson, CallError>> {
        async move {
            if self.closing.is_cancelled() {
                return Err(self.over(Delivery::NotSent));
            }
            let Ok(_permit) = self.calls.try_acquire() else {
                return Err(CallError::Busy {
                    limit: self.limits.calls,
                });
            };
            let exchange = Exchange::new(self, call.method, call.mirror, call.extensions);
            if let Some(place) = call.id {
                place.set(&exchange.id);
            }
            if exchange.view.over.is_cancelled() {
                return Err(session_lost());
            }
            let progress = call
                .progress
                .map(|(token, sink)| self.progress.begin(token, sink));
            let sign = progress.as_ref().map(ProgressGuard::sign);
            let deadline = Deadline::new(call.timeouts, sign);
            let mut cancel = CancelOnDrop {
                exchange: &exchange,
                armed: call.cancellable && !exchange.stateless,
            };
            // Boxed, since two small futures cost less than a large one.
            let running = Box::pin(exchange.run(exchange.message(call.params)));
            let outcome = tokio::select! {
                biased;
                outcome = running => outcome,
                () = exchange.view.over.cancelled() => Err(self.over(Delivery::Unknown)),
                // Only here does the server still work on it.
                after = deadline.reached(&self.alarms) => return Err(CallError::TimedOut { after }),
            };
            cancel.armed = false;
            outcome
        }
    }

    pub(super) fn over(&self, delivery: Delivery) -> CallError {
        CallError::Closed {
            reason: self.why_over(),
            delivery,
        }
    }
}

/// The id that a response gives; two are none, as one cannot know which is meant.
fn session_named(headers: &HeaderMap) -> Option<HeaderValue> {
    let id = single(headers, &SESSION_ID).unwrap_or_else(|_| {
        tracing::warn!("the server names two sessions at once, both are ignored");
        None
    });
    id.cloned()
}

/// The refusal of one way in, and how the other one failed.
fn with_fallback(refusal: CallError, other: CallError) -> CallError {
    match refusal {
        CallError::Rejected(mut rejection) => {
            rejection.fallback = Some(Arc::new(other));
            CallError::Rejected(rejection)
        }
        refusal => refusal,
    }
}

/// A call in a session that is known to be lost fails as the one did that found it out.
fn session_lost() -> CallError {
    let mut rejection = Rejection::new(StatusCode::NOT_FOUND);
    rejection.session_lost = true;
    "the session is lost".clone_into(&mut rejection.body);
    CallError::Rejected(Box::new(rejection))
}

/// A request on its way.
#[derive(Debug)]
pub(super) struct Exchange {
    pub(super) link: Arc<Link>,
    pub(super) view: Arc<View>,
    pub(super) id: Id,
    /// Whether the request stands alone, as since 2026-07-28.
    pub(super) stateless: bool,
    method: MethodName,
    mirror: Mirror,
    pub(super) extra: Option<HeaderMap>,
    without: Option<WithoutHeaders>,
    pub(super) attached: Option<Arc<Extensions>>,
}

impl Exchange {
    fn new(
        link: &Arc<Link>,
        method: MethodName,
        mirror: Mirror,
        mut extensions: Extensions,
    ) -> Self {
        let stateless = mirror.version.is_some();
        let view = if !stateless && &*method == "initialize" {
            link.session.begin()
        } else {
            link.session.view()
        };
        let id = link.next_id();
        Self {
            link: Arc::clone(link),
            stateless: stateless || !view.is_handshake_era(),
            view,
            id,
            method,
            mirror,
            extra: extensions.remove(),
            without: extensions.remove(),
            attached: extensions.remove::<Attached>().map(|attached| attached.0),
        }
    }

    /// The headers of this call, with what the source has given; the user's own never replace
    /// those of the protocol.
    pub(super) fn headers(&self, given: Option<&HeaderMap>) -> HeaderMap {
        let (link, view) = (&self.link, &self.view);
        let mut headers = link.call_headers(view, &self.method, &self.mirror, given);
        leave_out(&mut headers, self.without.as_ref());
        merge(&mut headers, self.extra.as_ref());
        headers
    }

    fn message(&self, params: Option<RawJson>) -> Bytes {
        let request = Request::new(self.id.clone(), self.method.clone(), params);
        Message::from(request).encode().into()
    }

    fn is_initialize(&self) -> bool {
        !self.stateless && &*self.method == "initialize"
    }

    async fn run(&self, message: Bytes) -> Result<RawJson, CallError> {
        // Boxed, as these are large and rare.
        if self.view.endpoint.is_some() {
            return Box::pin(self.run_legacy(message, &self.view)).await;
        }
        if self.is_initialize() && self.link.legacy == LegacySse::Only {
            return Box::pin(self.begin_legacy(message)).await;
        }
        let mut named = None;
        // What is needed only up to the response ends here, and leaves its room to what follows.
        let answering = {
            let headers = |given: Option<&HeaderMap>| self.headers(given);
            let mut parcel = Parcel::post(&self.link.url, message);
            parcel.attached = self.attached.as_ref();
            let sending = self.link.send(&parcel, headers);
            let response = sending.await.map_err(closed)?;
            if !response.status().is_success() {
                let refusal = self.link.rejection(response, &self.view).await;
                return self.fall_back(parcel.body, refusal).await;
            }
            if self.is_initialize() {
                named = session_named(response.headers());
            }
            self.answer(response)
        };
        let outcome = answering.await;
        if let (Some(id), Ok(_)) = (named, &outcome) {
            self.link.session.named(&self.view, id);
        }
        outcome
    }

    /// A server of 2024-11-05 refuses the POST of `initialize`, and has another way in.
    fn fall_back(
        &self,
        message: Bytes,
        refusal: CallError,
    ) -> BoxFuture<'_, Result<RawJson, CallError>> {
        Box::pin(async move {
            let may = self.is_initialize() && self.link.legacy == LegacySse::Fallback;
            if !may || !hints_at_legacy(&refusal) {
                return Err(refusal);
            }
            match self.link.open_legacy(&self.view).await {
                Ok(view) => self.run_legacy(message, &view).await,
                Err(error) => Err(with_fallback(refusal, error)),
            }
        })
    }

    async fn begin_legacy(&self, message: Bytes) -> Result<RawJson, CallError> {
        let view = self.link.open_legacy(&self.view).await?;
        self.run_legacy(message, &view).await
    }

    async fn run_legacy(&self, message: Bytes, view: &View) -> Result<RawJson, CallError> {
        let answer = self.link.inbox.expected.expect(&self.id);
        let headers = |given: Option<&HeaderMap>| self.headers(given);
        let attached = self.attached.as_ref();
        let delivering = self.link.deliver(message, headers, view, attached);
        delivering.await?;
        answer.wait().await
    }
}

/// Tells the server of the handshake era that nobody waits any more. Since 2026-07-28 the end of
/// the exchange says it.
struct CancelOnDrop<'a> {
    exchange: &'a Exchange,
    armed: bool,
}

impl Drop for CancelOnDrop<'_> {
    fn drop(&mut self) {
        if !self.armed || self.exchange.view.over.is_cancelled() {
            return;
        }
        let Exchange {
            link,
            view,
            id,
            extra,
            without,
            attached,
            ..
        } = self.exchange;
        let params = serde_json::json!({
            "requestId": id,
            "reason": "nobody waits for the answer any more",
        });
        let notification = Notification::new("notifications/cancelled", Some(params.into()));
        let message = Message::from(notification).encode();
        let (view, extra, without) = (Arc::clone(view), extra.clone(), without.clone());
        let attached = attached.clone();
        link.spawn(|link| async move {
            let headers = |given: Option<&HeaderMap>| {
                let mut headers = link.session_headers(&view, given);
                leave_out(&mut headers, without.as_ref());
                merge(&mut headers, extra.as_ref());
                headers
            };
            let telling = link.deliver(message.into(), headers, &view, attached.as_ref());
            let told = tokio::time::timeout(link.limits.notify, telling).await;
            if !matches!(told, Ok(Ok(()))) {
                tracing::debug!("the server could not be told of a cancellation");
            }
        });
    }
}
