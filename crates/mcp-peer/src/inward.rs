//! Where the peer's messages go, and what goes with them.

use std::sync::Arc;

use mcp_protocol::{Feature, RequestContext};
use mcp_transport::{Channel, Handler, Incoming, Session};

/// The handler of a connection, with what each message is handed over with.
#[derive(Clone)]
pub(crate) struct Inward {
    pub(crate) handler: Arc<dyn Handler<RequestContext>>,
    channel: Arc<dyn Channel>,
    session: Session,
}

impl Inward {
    pub(crate) fn new(
        handler: Arc<dyn Handler<RequestContext>>,
        channel: Arc<dyn Channel>,
    ) -> Self {
        Self {
            handler,
            session: Session::new(Arc::clone(&channel)),
            channel,
        }
    }

    pub(crate) fn message<M>(
        &self,
        message: M,
        context: RequestContext,
    ) -> Incoming<M, RequestContext> {
        let has_session = !context.version.has(Feature::Stateless);
        let mut incoming = Incoming::new(message, context, Arc::clone(&self.channel));
        incoming.session = has_session.then(|| self.session.clone());
        incoming
    }

    /// The connection has ended.
    pub(crate) fn end(&self) {
        self.session.ended().cancel();
    }
}
