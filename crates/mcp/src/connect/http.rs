//! Streamable HTTP as a way to connect a client.

use std::fmt;
use std::sync::Arc;

use mcp_client::{Connect, ConnectError, Link};
use mcp_protocol::RequestContext;
use mcp_protocol::lifecycle::Wire;
use mcp_transport::{BoxFuture, Handler};
use mcp_transport_http::{HeaderSource, HttpTransport};

/// Reaches a server over Streamable HTTP.
#[derive(Clone)]
pub struct HttpConnect {
    transport: HttpTransport,
}

impl HttpConnect {
    /// Connections over this transport.
    #[must_use]
    pub const fn new(transport: HttpTransport) -> Self {
        Self { transport }
    }

    /// The same with a hook that is asked for the headers of each HTTP request.
    #[must_use]
    pub fn with_header_source(mut self, source: Arc<dyn HeaderSource>) -> Self {
        self.transport = self.transport.with_header_source(source);
        self
    }
}

/// Shows no more of the URL than scheme, host and port: the rest may be secret.
impl fmt::Debug for HttpConnect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let url = self.transport.url();
        let (scheme, host) = (url.scheme_str(), url.authority().map(|host| host.as_str()));
        let origin = [scheme.unwrap_or_default(), host.unwrap_or_default()].join("://");
        f.debug_struct("HttpConnect")
            .field("origin", &origin)
            .finish_non_exhaustive()
    }
}

impl Connect for HttpConnect {
    fn connect(
        &self,
        handler: Arc<dyn Handler<RequestContext>>,
    ) -> BoxFuture<'_, Result<Link, ConnectError>> {
        let channel = Arc::new(self.transport.open(handler));
        Box::pin(async move { Ok(Link::new(channel, Wire::Http)) })
    }

    fn connect_once(
        &self,
        handler: Arc<dyn Handler<RequestContext>>,
    ) -> BoxFuture<'_, Result<Link, ConnectError>> {
        let transport = self.transport.clone().with_listen(false);
        let channel = Arc::new(transport.open(handler));
        Box::pin(async move { Ok(Link::new(channel, Wire::Http)) })
    }
}
