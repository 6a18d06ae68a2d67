//! What a handler is given besides its arguments.

mod log;
mod progress;
mod task;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::task::AtomicWaker;
use http::Extensions;
use mcp_jsonrpc::{Notification, RawJson, Request};
use mcp_protocol::{
    ClientCapabilities, Implementation, Meta, ProtocolVersion, RequestContext, RequestMeta,
    RpcNotification,
};
use mcp_transport::{Channel, Incoming, Session};
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use crate::ask::Rounds;
use crate::server::Shared;

pub(crate) use log::SessionLevel;
use progress::Meter;
use task::TaskSlot;

/// The request that a handler answers: who asks, under which rules, and what may be sent to the
/// client meanwhile.
///
/// Clones are the same request. Once it is answered, progress and log messages of a clone that
/// is still around go nowhere.
#[derive(Clone)]
pub struct Context(Arc<Call>);

struct Call {
    server: Arc<Shared>,
    request: RequestContext,
    channel: Arc<dyn Channel>,
    cancelled: CancellationToken,
    session: Option<Session>,
    extensions: Extensions,
    params: Option<RawJson>,
    meter: Meter,
    rounds: Option<Rounds>,
    task: TaskSlot,
    /// Wakes what drives the handler.
    driver: AtomicWaker,
    answered: AtomicBool,
}

impl Context {
    pub(crate) fn new<M: HasParams>(
        server: &Arc<Shared>,
        incoming: Incoming<M, RequestContext>,
        rounds: Option<Rounds>,
    ) -> Self {
        let Incoming {
            message,
            context,
            channel,
            cancelled,
            session,
            extensions,
            ..
        } = incoming;
        Self(Arc::new(Call {
            server: Arc::clone(server),
            request: context,
            channel,
            cancelled,
            session,
            extensions,
            params: message.into_params(),
            meter: Meter::default(),
            rounds,
            task: TaskSlot::default(),
            driver: AtomicWaker::new(),
            answered: AtomicBool::new(false),
        }))
    }

    /// The revision of the request.
    #[must_use]
    pub fn version(&self) -> ProtocolVersion {
        self.0.request.version
    }

    /// What the client has declared that it can do.
    #[must_use]
    pub fn client_capabilities(&self) -> &ClientCapabilities {
        &self.0.request.client_capabilities
    }

    /// What the client says it is. For logs, never a ground for a decision.
    #[must_use]
    pub fn client_info(&self) -> Option<&Implementation> {
        self.0.request.client_info.as_deref()
    }

    /// What the client sends beside the params: `_meta`, with keys of its own and, where it has
    /// one, the [trace](RequestMeta::trace_context) that the request belongs to. It is decoded
    /// each time that it is asked for.
    #[must_use]
    pub fn meta(&self) -> RequestMeta {
        #[derive(Deserialize)]
        struct Params {
            #[serde(rename = "_meta", default)]
            meta: Option<RequestMeta>,
        }
        let params = self.0.params.as_ref();
        let params = params.and_then(|params| params.decode::<Params>().ok());
        params.and_then(|params| params.meta).unwrap_or_default()
    }

    /// What the transport, and layers around the methods, know of the request.
    #[must_use]
    pub fn extensions(&self) -> &Extensions {
        &self.0.extensions
    }

    /// Over HTTP, the request that brought it: method, headers, and what layers have put into its
    /// extensions.
    #[must_use]
    pub fn http_request(&self) -> Option<&http::request::Parts> {
        self.extensions()
            .get::<Arc<http::request::Parts>>()
            .map(Arc::as_ref)
    }

    /// Cancelled when the client gave the request up, or the task that it has become. The future
    /// of the handler is dropped then, so only what runs apart from it has to look here.
    #[must_use]
    pub fn cancellation(&self) -> &CancellationToken {
        match self.task() {
            Some(work) => &work.cancelled,
            None => &self.0.cancelled,
        }
    }

    /// Waits until the client gives the request up.
    ///
    /// # Cancel safety
    /// Dropping the future changes nothing.
    pub async fn cancelled(&self) {
        self.cancellation().cancelled().await;
    }

    pub(crate) fn server(&self) -> &Arc<Shared> {
        &self.0.server
    }

    pub(crate) fn request(&self) -> &RequestContext {
        &self.0.request
    }

    pub(crate) fn channel(&self) -> &dyn Channel {
        &*self.0.channel
    }

    pub(crate) fn shared_channel(&self) -> Arc<dyn Channel> {
        Arc::clone(&self.0.channel)
    }

    pub(crate) fn session(&self) -> Option<&Session> {
        self.0.session.as_ref()
    }

    pub(crate) fn rounds(&self) -> Option<&Rounds> {
        self.0.rounds.as_ref()
    }

    /// From when this is dropped, nothing more is sent that belongs to the request.
    pub(crate) fn until_answered(&self) -> Answered {
        Answered(self.clone())
    }

    /// Who is to be woken when the handler cannot go on by itself.
    pub(crate) fn wake_by(&self, task: &std::task::Context<'_>) {
        self.0.driver.register(task.waker());
    }

    pub(crate) fn wake_driver(&self) {
        self.0.driver.wake();
    }

    /// By what the messages go that belong to the request. Those of a task have the session.
    fn outlet(&self) -> Option<&dyn Channel> {
        match self.task() {
            None => Some(&*self.0.channel),
            Some(_) => self.session().map(|session| &**session.channel()),
        }
    }

    /// What marks a message of the task that the request has become.
    pub(crate) fn related(&self) -> Option<Meta> {
        let work = self.task()?;
        let mut meta = Meta::new();
        meta.set_related_task(&work.id);
        Some(meta)
    }

    pub(crate) fn is_answered(&self) -> bool {
        self.0.answered.load(Ordering::Acquire)
    }

    /// Sends what belongs to this request. A failure means that the connection is ending, which
    /// the handler learns by its cancellation.
    pub(crate) async fn notify<N: RpcNotification>(&self, params: &(impl Serialize + Sync)) {
        let Some(outlet) = self.outlet() else {
            return;
        };
        let Ok(params) = RawJson::encode(params) else {
            tracing::error!(method = %N::METHOD, "a notification that JSON cannot express");
            return;
        };
        let notification = Notification::new(N::METHOD, Some(params));
        if let Err(error) = outlet.notify(notification).await {
            tracing::debug!(method = %N::METHOD, %error, "a notification was not sent");
        }
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context")
            .field("request", &self.0.request)
            .field("cancelled", &self.0.cancelled.is_cancelled())
            .finish_non_exhaustive()
    }
}

/// A message whose params outlive it.
pub(crate) trait HasParams {
    fn into_params(self) -> Option<RawJson>;
}

impl HasParams for Request {
    fn into_params(self) -> Option<RawJson> {
        self.params
    }
}

impl HasParams for Notification {
    fn into_params(self) -> Option<RawJson> {
        self.params
    }
}

/// A request that is not answered yet.
pub(crate) struct Answered(Context);

impl Drop for Answered {
    fn drop(&mut self) {
        self.0.0.answered.store(true, Ordering::Release);
        if let Some(rounds) = self.0.rounds() {
            rounds.end();
        }
    }
}
