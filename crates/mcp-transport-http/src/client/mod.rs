//! The client end: a channel whose every message is an HTTP exchange of its own.

mod answer;
mod body;
mod builder;
mod call;
mod close;
mod connect;
mod events;
mod expected;
mod header_source;
mod http;
mod http_builder;
mod inbox;
mod legacy;
mod link;
mod listen;
mod notify;
mod origin;
mod pool;
mod prepared;
mod proxy;
mod session;
#[cfg(feature = "tls")]
mod tls;
#[cfg(not(feature = "tls"))]
#[path = "no_tls.rs"]
mod tls;
mod url;

use std::fmt;
use std::sync::Arc;

use mcp_jsonrpc::{Notification, RawJson};
use mcp_protocol::ProtocolVersion;
use mcp_transport::{BoxFuture, Call, CallError, Channel, TransportError};

use self::link::Link;

pub use body::ResponseBody;
pub use builder::{HttpTransport, HttpTransportBuilder};
pub(crate) use connect::NO_TLS;
pub use header_source::{HeaderError, HeaderRequest, HeaderSource};
pub use http::{HttpClient, RequestBody, SendError};
pub use http_builder::HttpClientBuilder;
pub use legacy::LegacySse;

/// The way to one MCP server over Streamable HTTP. Clones are the same channel.
///
/// When the last clone is dropped, its session and all that runs for it end in the background;
/// [`close`](Channel::close) waits for that.
#[derive(Clone)]
pub struct HttpChannel {
    link: Arc<Link>,
    /// Not held by what the channel itself runs, so that this does not keep it open.
    _open: Option<Arc<CloseOnDrop>>,
}

struct CloseOnDrop(Arc<Link>);

impl Drop for CloseOnDrop {
    fn drop(&mut self) {
        self.0.start_close();
    }
}

impl HttpChannel {
    fn open(link: Link) -> Self {
        let link = Arc::new(link);
        let open = Arc::new(CloseOnDrop(Arc::clone(&link)));
        Self {
            link,
            _open: Some(open),
        }
    }

    /// For handlers of what comes in: it does not keep the channel open.
    const fn inside(link: Arc<Link>) -> Self {
        Self { link, _open: None }
    }
}

impl Channel for HttpChannel {
    fn call(&self, call: Call) -> BoxFuture<'_, Result<RawJson, CallError>> {
        Box::pin(self.link.call(call))
    }

    fn notify(&self, notification: Notification) -> BoxFuture<'_, Result<(), CallError>> {
        Box::pin(self.link.notify(notification))
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.link.close())
    }

    fn closed(&self) -> BoxFuture<'_, Arc<TransportError>> {
        Box::pin(async {
            self.link.closing.cancelled().await;
            self.link.why_over()
        })
    }

    fn negotiated(&self, version: &str) {
        match ProtocolVersion::parse(version) {
            Some(version) => self.link.session.negotiated(version),
            None => tracing::warn!(version, "a revision that is not known was negotiated"),
        }
    }
}

impl fmt::Debug for HttpChannel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpChannel")
            .field("url", &self.link.url)
            .finish_non_exhaustive()
    }
}
