//! What the server sends of its own accord, inside the streams of the handshake era.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use bytes::Bytes;
use http::HeaderMap;
use mcp_jsonrpc::{
    DecodeError, ErrorObject, Frame, Id, Message, Notification, RawJson, Request, Response,
};
use mcp_protocol::{ProtocolVersion, RequestContext};
use mcp_transport::{BoxFuture, CallError, Incoming, PartOf};
use tokio::sync::{Semaphore, mpsc};
use tokio_util::sync::CancellationToken;

use super::HttpChannel;
use super::expected::Expectations;
use super::link::Link;
use super::session::View;
use crate::panic::{caught, caught_silently};
use crate::progress::PROGRESS;

/// How many notifications wait for their handler before the streams are read no further.
const QUEUE: usize = 256;

/// Requests being answered, and notifications waiting for their turn.
#[derive(Debug)]
pub(super) struct Inbox {
    permits: Arc<Semaphore>,
    answering: Mutex<HashMap<Id, CancellationToken>>,
    queue: OnceLock<mpsc::Sender<Arrived>>,
    /// Calls whose answers come by a stream that they share.
    pub(super) expected: Expectations,
}

/// A notification on its way to the handler.
#[derive(Debug)]
struct Arrived {
    notification: Notification,
    context: RequestContext,
    /// The call in whose stream it came.
    part_of: Option<PartOf>,
}

impl Inbox {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            permits: Arc::new(Semaphore::new(limit)),
            answering: Mutex::default(),
            queue: OnceLock::new(),
            expected: Expectations::default(),
        }
    }

    /// Notes that a request is being answered; `None` where one with its id already is.
    fn begin(&self, id: &Id, view: &View) -> Option<CancellationToken> {
        match self.answering().entry(id.clone()) {
            Entry::Occupied(_) => None,
            Entry::Vacant(free) => Some(free.insert(view.over.child_token()).clone()),
        }
    }

    fn answering(&self) -> MutexGuard<'_, HashMap<Id, CancellationToken>> {
        self.answering
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

fn context(view: &View) -> RequestContext {
    RequestContext::new(view.version.unwrap_or(ProtocolVersion::LATEST_HANDSHAKE))
}

impl Link {
    /// Takes the text of one event or body. If it holds the answer to the call that waits, that
    /// is handed out; everything else goes where it belongs.
    pub(super) async fn take(
        self: &Arc<Self>,
        text: Bytes,
        view: &View,
        waiting: Option<&Id>,
    ) -> Option<Result<RawJson, CallError>> {
        self.take_frame(Frame::decode(text), view, waiting).await
    }

    /// As [`take`](Self::take), of what has been decoded.
    pub(super) async fn take_frame(
        self: &Arc<Self>,
        frame: Result<Frame, DecodeError>,
        view: &View,
        waiting: Option<&Id>,
    ) -> Option<Result<RawJson, CallError>> {
        match frame {
            Ok(Frame::Single(message)) => self.take_message(Ok(message), view, waiting).await,
            Ok(Frame::Batch(elements)) => {
                let mut answer = None;
                for element in elements {
                    let taken = self.take_message(element, view, waiting).await;
                    answer = answer.or(taken);
                }
                answer
            }
            Err(flaw) => self.take_message(Err(flaw), view, waiting).await,
        }
    }

    async fn take_message(
        self: &Arc<Self>,
        message: Result<Message, DecodeError>,
        view: &View,
        waiting: Option<&Id>,
    ) -> Option<Result<RawJson, CallError>> {
        match message {
            Ok(Message::Response(Response { id, outcome, .. })) => {
                // An error without id can only mean the request that this exchange carried.
                if waiting.is_some_and(|call| id.as_ref().is_none_or(|id| id == call)) {
                    return Some(outcome.map_err(CallError::Remote));
                }
                self.inbox
                    .expected
                    .hand_out(id.as_ref(), outcome.map_err(CallError::Remote));
            }
            Ok(Message::Notification(notification)) => {
                // Boxed, as both are large and most answers come alone.
                let taking: BoxFuture<'_, ()> =
                    Box::pin(self.notified(notification, view, waiting));
                taking.await;
            }
            Ok(Message::Request(request)) => {
                let taking: BoxFuture<'_, ()> = Box::pin(self.asked(request, view, waiting));
                taking.await;
            }
            Err(flaw) => return self.flawed(flaw, waiting),
        }
        None
    }

    /// Something unreadable: where it names a call, that call fails.
    fn flawed(
        &self,
        flaw: DecodeError,
        waiting: Option<&Id>,
    ) -> Option<Result<RawJson, CallError>> {
        tracing::warn!(error = %flaw, "the server sent something unreadable");
        let flaw = flaw.as_response();
        let DecodeError::Response { id: Some(id), .. } = &flaw else {
            return None;
        };
        let id = id.clone();
        let failed = Err(CallError::Malformed(flaw));
        if waiting == Some(&id) {
            return Some(failed);
        }
        self.inbox.expected.hand_out(Some(&id), failed);
        None
    }

    async fn notified(
        self: &Arc<Self>,
        notification: Notification,
        view: &View,
        waiting: Option<&Id>,
    ) {
        match &*notification.method {
            PROGRESS if self.progress.report(notification.params.as_ref()) => {}
            "notifications/cancelled" => {
                let target = cancel_target(notification.params.as_ref());
                if let Some(token) = target.and_then(|id| self.inbox.answering().remove(&id)) {
                    token.cancel();
                }
            }
            _ => {
                let queue = self.inbox.queue.get_or_init(|| self.start_worker());
                // An error means that the channel is being closed.
                let _ = queue
                    .send(Arrived {
                        notification,
                        context: context(view),
                        part_of: waiting.cloned().map(PartOf),
                    })
                    .await;
            }
        }
    }

    /// Hands notifications to the handler, one after another, until the channel ends.
    fn start_worker(self: &Arc<Self>) -> mpsc::Sender<Arrived> {
        let (sender, mut queue) = mpsc::channel(QUEUE);
        let closing = self.closing.clone();
        // Weakly, since the queue ends when the link goes.
        let link = Arc::downgrade(self);
        let work = async move {
            while let Some(arrived) = queue.recv().await {
                match link.upgrade() {
                    Some(link) => link.hand_over(arrived).await,
                    None => return,
                }
            }
        };
        self.tasks
            .spawn(async move { closing.run_until_cancelled(work).await });
        sender
    }

    async fn hand_over(self: Arc<Self>, arrived: Arrived) {
        let handler = Arc::clone(&self.handler);
        let channel = Arc::new(HttpChannel::inside(self));
        let mut incoming = Incoming::new(arrived.notification, arrived.context, channel);
        if let Some(part_of) = arrived.part_of {
            incoming.extensions.insert(part_of);
        }
        caught_silently(async move { handler.notification(incoming).await }).await;
    }

    /// A request by the server: answered by a POST of its own.
    async fn asked(self: &Arc<Self>, request: Request, view: &View, waiting: Option<&Id>) {
        if !view.is_handshake_era() {
            tracing::warn!(method = %request.method, "this revision has no requests by the server");
            return;
        }
        let id = request.id.clone();
        let Ok(permit) = Arc::clone(&self.inbox.permits).try_acquire_owned() else {
            let refusal = ErrorObject::internal("too many requests are being answered");
            return self.respond(id, Err(refusal), view).await;
        };
        let Some(token) = self.inbox.begin(&id, view) else {
            let refusal = ErrorObject::invalid_request("a request with this id is being answered");
            return self.respond(id, Err(refusal), view).await;
        };
        let (link, view) = (Arc::clone(self), view.clone());
        let part_of = waiting.cloned().map(PartOf);
        self.tasks.spawn(async move {
            let answering = link.answer(request, token.clone(), part_of, &view);
            token.run_until_cancelled(answering).await;
            link.inbox.answering().remove(&id);
            drop(permit);
        });
    }

    async fn answer(
        self: &Arc<Self>,
        request: Request,
        token: CancellationToken,
        part_of: Option<PartOf>,
        view: &View,
    ) {
        let id = request.id.clone();
        let outcome = if &*request.method == "ping" {
            Ok(RawJson::EMPTY)
        } else {
            let channel = Arc::new(HttpChannel::inside(Arc::clone(self)));
            let mut incoming = Incoming::new(request, context(view), channel);
            incoming.cancelled = token;
            if let Some(part_of) = part_of {
                incoming.extensions.insert(part_of);
            }
            let handler = Arc::clone(&self.handler);
            caught(async move { handler.request(incoming).await }).await
        };
        self.respond(id, outcome, view).await;
    }

    async fn respond(&self, id: Id, outcome: Result<RawJson, ErrorObject>, view: &View) {
        let message = Message::from(Response::new(id, outcome)).encode();
        let headers = |given: Option<&HeaderMap>| self.session_headers(view, given);
        let posting = self.deliver(message.into(), headers, view, None);
        match tokio::time::timeout(self.limits.notify, posting).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::warn!(%error, "the server did not take an answer"),
            Err(_) => tracing::warn!("the server did not take an answer in time"),
        }
    }
}

fn cancel_target(params: Option<&RawJson>) -> Option<Id> {
    #[derive(serde::Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Cancelled {
        request_id: Id,
    }
    params?
        .decode_borrowed::<Cancelled>()
        .ok()
        .map(|params| params.request_id)
}
