//! What a handler is given besides its arguments.

mod log;
mod progress;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use http::Extensions;
use mcp_jsonrpc::{Notification, RawJson};
use mcp_protocol::{
    ClientCapabilities, Implementation, ProtocolVersion, RequestContext, RpcNotification,
};
use mcp_transport::{Channel, Incoming, Session};
use serde::Serialize;
use tokio_util::sync::CancellationToken;

use crate::ask::Rounds;
use crate::dispatch;
use crate::server::Shared;

pub(crate) use log::SessionLevel;
use progress::Meter;

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
    meter: Meter,
    rounds: Option<Rounds>,
    answered: AtomicBool,
}

impl Context {
    pub(crate) fn new(
        server: &Arc<Shared>,
        incoming: dispatch::Call,
        rounds: Option<Rounds>,
    ) -> Self {
        let Incoming {
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
            meter: Meter::default(),
            rounds,
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

    /// What the transport knows of the request: over HTTP an `Arc<http::request::Parts>` with
    /// its headers.
    #[must_use]
    pub fn extensions(&self) -> &Extensions {
        &self.0.extensions
    }

    /// Cancelled when the client gave the request up. The future of the handler is dropped then,
    /// so only what runs apart from it has to look here.
    #[must_use]
    pub fn cancellation(&self) -> &CancellationToken {
        &self.0.cancelled
    }

    /// Waits until the client gives the request up.
    ///
    /// # Cancel safety
    /// Dropping the future changes nothing.
    pub async fn cancelled(&self) {
        self.0.cancelled.cancelled().await;
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

    pub(crate) fn session(&self) -> Option<&Session> {
        self.0.session.as_ref()
    }

    pub(crate) fn rounds(&self) -> Option<&Rounds> {
        self.0.rounds.as_ref()
    }

    /// From when this is dropped, nothing more is sent that belongs to the request.
    pub(crate) fn until_answered(&self) -> impl Drop + Send + 'static {
        Answered(self.clone())
    }

    fn is_answered(&self) -> bool {
        self.0.answered.load(Ordering::Acquire)
    }

    /// Sends what belongs to this request. A failure means that the connection is ending, which
    /// the handler learns by its cancellation.
    async fn notify<N: RpcNotification>(&self, params: &(impl Serialize + Sync)) {
        let Ok(params) = RawJson::encode(params) else {
            tracing::error!(method = %N::METHOD, "a notification that JSON cannot express");
            return;
        };
        let notification = Notification::new(N::METHOD, Some(params));
        if let Err(error) = self.0.channel.notify(notification).await {
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

struct Answered(Context);

impl Drop for Answered {
    fn drop(&mut self) {
        self.0.0.answered.store(true, Ordering::Release);
        if let Some(rounds) = self.0.rounds() {
            rounds.end();
        }
    }
}
