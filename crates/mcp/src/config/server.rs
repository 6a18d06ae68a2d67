//! One server of a configuration.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use mcp_client::{Connect, ServerOptions, SessionPolicy};
use mcp_protocol::lifecycle::Preference;
use mcp_transport::Timeouts;
use mcp_transport_http::HttpTransport;
use mcp_transport_stdio::ChildBuilder;

use crate::connect::{HttpConnect, StdioConnect};

/// One server of a [`Config`](crate::Config).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ServerConfig {
    /// How it is reached.
    pub transport: Transport,
    /// Whether its hints about its tools are believed.
    pub trusted: bool,
    /// When a connection is opened and how long it is kept.
    pub session: SessionPolicy,
    /// Which lifecycle is tried: the handshake alone for `"type": "sse"`.
    pub preference: Preference,
    /// How long one try to connect may take, where the file says so.
    pub startup_timeout: Option<Duration>,
    /// How long a call may take without progress, where the file says so.
    pub call_timeout: Option<Duration>,
    /// How many calls run at once, where the file says so.
    pub max_concurrent: Option<usize>,
    /// How often an open connection is asked whether the server is there, where the file says so.
    pub heartbeat: Option<Duration>,
}

/// How a server is reached. Debug output has no values of variables and headers, and of a URL only
/// scheme, host and port: the rest may be secret.
#[derive(Clone)]
#[non_exhaustive]
pub enum Transport {
    /// As a child process.
    Stdio(ChildBuilder),
    /// Over Streamable HTTP, or by the event stream of 2024-11-05.
    Http(HttpTransport),
}

impl fmt::Debug for Transport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stdio(child) => child.fmt(f),
            Self::Http(transport) => HttpConnect::new(transport.clone()).fmt(f),
        }
    }
}

impl ServerConfig {
    /// What connects to it.
    #[must_use]
    pub fn connector(&self) -> Arc<dyn Connect> {
        match &self.transport {
            Transport::Stdio(child) => Arc::new(StdioConnect::new(child.clone())),
            Transport::Http(transport) => Arc::new(HttpConnect::new(transport.clone())),
        }
    }

    /// How a pool treats it: the defaults, save what the file says.
    #[must_use]
    pub fn options(&self) -> ServerOptions {
        let mut options = ServerOptions::new()
            .with_trusted(self.trusted)
            .with_policy(self.session)
            .with_preference(self.preference);
        if let Some(limit) = self.startup_timeout {
            options = options.with_startup_timeout(limit);
        }
        if let Some(limit) = self.call_timeout {
            options = options.with_timeouts(within(limit));
        }
        if let Some(calls) = self.max_concurrent {
            options = options.with_max_concurrent(calls);
        }
        options.heartbeat = self.heartbeat;
        options
    }
}

/// This long without progress; in all as long as by default, or longer where that has to be.
fn within(limit: Duration) -> Timeouts {
    let mut timeouts = Timeouts::default();
    timeouts.idle = Some(limit);
    timeouts.total = timeouts.total.map(|total| total.max(limit));
    timeouts
}
