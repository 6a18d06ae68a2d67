//! What all exchanges of one channel share, and how each is sent.

use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use http::header::{CONTENT_ENCODING, LOCATION};
use http::{Extensions, HeaderMap, HeaderValue, Method, Request, Response, StatusCode, Uri};
use http_body_util::Full;
use mcp_jsonrpc::{Id, Message};
use mcp_protocol::RequestContext;
use mcp_transport::{
    BoxFuture, CallError, Delivery, Handler, Rejection, TransportError, TransportErrorKind,
};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::body::ResponseBody;
use super::header_source::{HeaderRequest, Sourced};
use super::http::{Exchanger, RequestBody, SendError};
use super::inbox::Inbox;
use super::legacy::LegacySse;
use super::prepared::Prepared;
use super::session::{SessionCell, View};
use super::url;
use crate::alarm::Alarms;
use crate::progress::ProgressTable;

/// How much of a refusal's body is read, to find an error object in it.
const REFUSAL_LIMIT: usize = 64 * 1024;
/// How many redirects within the origin are followed.
const MAX_REDIRECTS: usize = 3;

/// The bounds of a channel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub(super) message: usize,
    pub(super) calls: usize,
    pub(super) incoming: usize,
    pub(super) notify: Duration,
    pub(super) close: Duration,
}

#[derive(Debug)]
pub(super) struct Link {
    pub(super) exchanger: Exchanger,
    pub(super) url: Uri,
    /// Sent with everything: the user's headers, `Host`.
    pub(super) headers: HeaderMap,
    pub(super) prepared: Prepared,
    /// Asked for more of them, for each request.
    pub(super) source: Option<Sourced>,
    pub(super) limits: Limits,
    pub(super) listen: bool,
    pub(super) legacy: LegacySse,
    pub(super) handler: Arc<dyn Handler<RequestContext>>,
    pub(super) calls: Semaphore,
    pub(super) alarms: Alarms,
    pub(super) next_id: AtomicU64,
    pub(super) session: SessionCell,
    pub(super) progress: Arc<ProgressTable>,
    pub(super) inbox: Inbox,
    /// Cancelled when the channel is to end.
    pub(super) closing: CancellationToken,
    pub(super) close_started: AtomicBool,
    /// Why it is to end, where that was not our wish.
    pub(super) fate: OnceLock<Arc<TransportError>>,
    /// Cancelled when it has ended.
    pub(super) ended: CancellationToken,
    pub(super) tasks: TaskTracker,
}

/// What is sent, before it has headers.
#[derive(Debug)]
pub(super) struct Parcel<'a> {
    pub(super) to: &'a Uri,
    pub(super) method: Method,
    pub(super) body: Bytes,
    /// What the caller has attached to the call that it carries.
    pub(super) attached: Option<&'a Arc<Extensions>>,
}

impl<'a> Parcel<'a> {
    pub(super) const fn post(to: &'a Uri, body: Bytes) -> Self {
        Self {
            to,
            method: Method::POST,
            body,
            attached: None,
        }
    }

    pub(super) const fn empty(to: &'a Uri, method: Method) -> Self {
        Self {
            to,
            method,
            body: Bytes::new(),
            attached: None,
        }
    }

    fn request(&self, to: &Uri, headers: HeaderMap) -> Request<RequestBody> {
        let mut request = Request::new(Full::new(self.body.clone()));
        *request.method_mut() = self.method.clone();
        *request.uri_mut() = to.clone();
        *request.headers_mut() = headers;
        request
    }
}

impl Link {
    /// Ids count up and are never used twice.
    pub(super) fn next_id(&self) -> Id {
        Id::from(self.next_id.fetch_add(1, Ordering::Relaxed))
    }

    /// Sends a parcel, following redirects within the origin that keep method and body. `headers`
    /// makes its headers, with what the source has given. Where the server wants others of the
    /// source, it is sent once more.
    pub(super) async fn send(
        &self,
        parcel: &Parcel<'_>,
        headers: impl Fn(Option<&HeaderMap>) -> HeaderMap,
    ) -> Result<Response<ResponseBody>, SendError> {
        match &self.source {
            None => self.send_with(parcel, &headers, None).await,
            // Boxed, since a future is as large as the largest way through it.
            Some(source) => Box::pin(self.send_sourced(source, parcel, &headers)).await,
        }
    }

    async fn send_sourced(
        &self,
        source: &Sourced,
        parcel: &Parcel<'_>,
        headers: &impl Fn(Option<&HeaderMap>) -> HeaderMap,
    ) -> Result<Response<ResponseBody>, SendError> {
        let asking = HeaderRequest {
            method: parcel.method.clone(),
            url: parcel.to.clone(),
            attached: parcel.attached.cloned().unwrap_or_default(),
        };
        let given = source.headers(asking.clone()).await?;
        let response = self.send_with(parcel, headers, Some(&given)).await?;
        if response.status() != StatusCode::UNAUTHORIZED {
            return Ok(response);
        }
        let Some(others) = source.others(&asking, &given).await else {
            return Ok(response);
        };
        response.into_body().finish();
        self.send_with(parcel, headers, Some(&others)).await
    }

    async fn send_with(
        &self,
        parcel: &Parcel<'_>,
        headers: &impl Fn(Option<&HeaderMap>) -> HeaderMap,
        given: Option<&HeaderMap>,
    ) -> Result<Response<ResponseBody>, SendError> {
        let mut request = parcel.request(parcel.to, headers(given));
        let response = self.exchanger.send(&mut request).await?;
        if redirect(&response).is_none() {
            return Ok(response);
        }
        let make = |to: &Uri| parcel.request(to, headers(given));
        Box::pin(self.redirected(response, parcel.to, make)).await
    }

    async fn redirected(
        &self,
        mut response: Response<ResponseBody>,
        from: &Uri,
        request: impl Fn(&Uri) -> Request<RequestBody>,
    ) -> Result<Response<ResponseBody>, SendError> {
        let mut at = Cow::Borrowed(from);
        for _ in 0..MAX_REDIRECTS {
            let target = redirect(&response).and_then(|to| url::resolve(&at, to));
            let Some(to) = target.filter(|to| url::same_origin(to, &self.url)) else {
                break;
            };
            at = Cow::Owned(to);
            response = self.exchanger.send(&mut request(&at)).await?;
        }
        Ok(response)
    }

    /// POSTs a message that wants no answer.
    pub(super) async fn deliver(
        &self,
        message: Bytes,
        headers: impl Fn(Option<&HeaderMap>) -> HeaderMap,
        view: &View,
        attached: Option<&Arc<Extensions>>,
    ) -> Result<(), CallError> {
        let to = view.endpoint.as_ref().unwrap_or(&self.url);
        let mut parcel = Parcel::post(to, message);
        parcel.attached = attached;
        let sending = self.send(&parcel, headers);
        let response = sending.await.map_err(closed)?;
        if response.status().is_success() {
            // What a server may say besides is of no interest.
            response.into_body().finish();
            return Ok(());
        }
        Err(self.rejection(response, view).await)
    }

    /// What a status that is no success means for the request of a session, and for the session.
    pub(super) fn rejection<'a>(
        &'a self,
        response: Response<ResponseBody>,
        view: &'a View,
    ) -> BoxFuture<'a, CallError> {
        Box::pin(async move {
            let mut rejection = read_rejection(response).await;
            rejection.session_lost = rejection.status == StatusCode::NOT_FOUND && view.id.is_some();
            if rejection.session_lost {
                view.over.cancel();
            }
            CallError::Rejected(Box::new(rejection))
        })
    }

    /// Starts a task that the end of the channel waits for. Does nothing outside a runtime.
    pub(super) fn spawn<F>(self: &Arc<Self>, task: impl FnOnce(Arc<Self>) -> F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            self.tasks.spawn_on(task(Arc::clone(self)), &runtime);
        }
    }

    /// Why what waited under this token does not wait any more.
    pub(super) fn why_over(&self) -> Arc<TransportError> {
        let new = |kind, message| Arc::new(TransportError::new(kind, message));
        match self.fate.get() {
            Some(fate) => Arc::clone(fate),
            None if self.closing.is_cancelled() => new(
                TransportErrorKind::ClosedHere,
                "the connection was closed here",
            ),
            None => new(TransportErrorKind::Ended, "the session has ended"),
        }
    }
}

/// Reads what a refusal says.
pub(super) async fn read_rejection(response: Response<ResponseBody>) -> Rejection {
    let (head, body) = response.into_parts();
    let mut rejection = Rejection::new(head.status);
    rejection.headers = head.headers;
    let text = body.excerpt(REFUSAL_LIMIT).await;
    let target = rejection
        .headers
        .get(LOCATION)
        .and_then(|v| v.to_str().ok());
    rejection.body = match target {
        Some(target) if rejection.status.is_redirection() => {
            format!("the redirect to {target} is not followed")
        }
        _ => excerpt(&text, 4096),
    };
    if let Ok(Message::Response(answer)) = Message::decode(text) {
        rejection.error = answer.outcome.err();
    }
    rejection
}

/// The target of a redirect that keeps method and body.
fn redirect(response: &Response<ResponseBody>) -> Option<&str> {
    let keeps = matches!(
        response.status(),
        StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT
    );
    let target: &HeaderValue = keeps.then(|| response.headers().get(LOCATION))??;
    target.to_str().ok()
}

/// Refuses a body that is encoded, which we never ask for: a few bytes may stand for any number.
pub(super) fn plain(headers: &HeaderMap) -> Result<(), TransportError> {
    let encoded = |value: &&HeaderValue| !value.as_bytes().eq_ignore_ascii_case(b"identity");
    match headers.get_all(CONTENT_ENCODING).iter().find(encoded) {
        None => Ok(()),
        Some(how) => Err(TransportError::new(
            TransportErrorKind::Violation,
            format!("the answer is encoded as {how:?}, unasked"),
        )),
    }
}

/// The beginning of a body as text, cut at a character.
pub(super) fn excerpt(body: &[u8], limit: usize) -> String {
    let mut text = String::from_utf8_lossy(body.get(..limit).unwrap_or(body)).into_owned();
    while text.len() > limit {
        text.pop();
    }
    text
}

pub(super) fn closed(e: SendError) -> CallError {
    CallError::Closed {
        reason: Arc::new(e.error),
        delivery: e.delivery,
    }
}

/// A connection that broke after the request had been sent.
pub(super) fn broken(error: TransportError) -> CallError {
    CallError::Closed {
        reason: Arc::new(error),
        delivery: Delivery::Unknown,
    }
}
