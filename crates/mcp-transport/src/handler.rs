//! The way in: what answers the peer.

use std::fmt;
use std::sync::Arc;

use http::Extensions;
use mcp_jsonrpc::{ErrorObject, Notification, RawJson, Request};
use tokio_util::sync::CancellationToken;

use crate::{BoxFuture, Channel, Session};

/// A message from the peer, with all that is known about it.
///
/// `C` is what the layer above JSON-RPC has read off it; for MCP that is
/// `mcp_protocol::RequestContext`.
#[derive(Debug)]
#[non_exhaustive]
pub struct Incoming<M, C> {
    /// The message.
    pub message: M,
    /// What the protocol core knows: revision, capabilities, progress token.
    pub context: C,
    /// Sends to the peer what belongs to this message: progress, log messages, and where the
    /// revision allows it requests.
    pub channel: Arc<dyn Channel>,
    /// Cancelled when the peer gave the request up or the connection ended.
    pub cancelled: CancellationToken,
    /// The connection or session that it came in by, where the revision has any.
    pub session: Option<Session>,
    /// What a transport adds: over HTTP the `http::request::Parts` behind an `Arc`.
    pub extensions: Extensions,
}

impl<M, C> Incoming<M, C> {
    /// A message without extensions that nobody has cancelled.
    pub fn new(message: M, context: C, channel: Arc<dyn Channel>) -> Self {
        Self {
            message,
            context,
            channel,
            cancelled: CancellationToken::new(),
            session: None,
            extensions: Extensions::new(),
        }
    }
}

/// Answers requests and takes notifications.
///
/// The future of a request is polled where the message was read before anything is spawned, so
/// a handler that does not wait costs no task. A panic is answered as an internal error.
pub trait Handler<C>: fmt::Debug + Send + Sync + 'static {
    /// Answers one request.
    ///
    /// # Cancel safety
    /// The future is dropped when the peer cancels the request and its answer would be dropped.
    fn request(
        self: Arc<Self>,
        request: Incoming<Request, C>,
    ) -> BoxFuture<'static, Result<RawJson, ErrorObject>>;

    /// Takes one notification. Notifications of a connection come one after another, in order.
    ///
    /// # Cancel safety
    /// The future is dropped when the connection has ended.
    fn notification(
        self: Arc<Self>,
        notification: Incoming<Notification, C>,
    ) -> BoxFuture<'static, ()>;
}
