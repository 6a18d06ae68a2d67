//! How a pool treats one of its servers.

use std::sync::Arc;
use std::time::Duration;

use mcp_protocol::lifecycle::Preference;
use mcp_transport::Timeouts;

/// How a pool treats one of its servers.
///
/// ```
/// use std::time::Duration;
/// use mcp_client::ServerOptions;
/// let options = ServerOptions::new().with_startup_timeout(Duration::from_secs(5));
/// assert_eq!(options.attempts, 3);
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ServerOptions {
    /// When a connection is opened and how long it is kept. Default: pooled.
    pub policy: SessionPolicy,
    /// How long one try may take to connect and agree on a revision. Default: 30 s.
    pub startup_timeout: Duration,
    /// How often that is tried, at least once; failures that another try cannot cure end it at
    /// once. Default: 3.
    pub attempts: u32,
    /// How long a call may take, unless it says otherwise. Default: 60 s without progress, 10
    /// min in all.
    pub timeouts: Timeouts,
    /// How many calls run at once; further ones wait. Default: 8.
    pub max_concurrent: usize,
    /// Which lifecycle to try. Default: find out.
    pub preference: Preference,
    /// How often an open connection is asked whether the server is still there, while no call is
    /// in flight and [`ServerPool::heartbeat`](crate::ServerPool::heartbeat) runs. Default:
    /// never.
    pub heartbeat: Option<Duration>,
    /// Whether the server's own hints are believed: a tool that it calls read-only or idempotent
    /// is then called again after a connection ended with an unknown outcome. Default: no.
    pub trusted: bool,
    /// The key of `_meta` under which the HTTP headers of a call go where the connection is not
    /// HTTP; see [`ClientOptions::headers_in_meta`](crate::ClientOptions). Default: none.
    pub headers_in_meta: Option<Arc<str>>,
}

/// When a connection is opened, and how long it is kept.
///
/// Whatever it is, [`ServerPool::hold`](crate::ServerPool::hold) opens one that its caller keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SessionPolicy {
    /// One connection, opened when it is first needed and kept; all calls share it.
    #[default]
    Pooled,
    /// A connection for each call, with nothing on it but the handshake and the call.
    PerCall,
}

impl Default for ServerOptions {
    fn default() -> Self {
        Self {
            policy: SessionPolicy::Pooled,
            startup_timeout: Duration::from_secs(30),
            attempts: 3,
            timeouts: Timeouts::default(),
            max_concurrent: 8,
            preference: Preference::Auto,
            heartbeat: None,
            trusted: false,
            headers_in_meta: None,
        }
    }
}

impl ServerOptions {
    /// The defaults.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The same options with a policy.
    #[must_use]
    pub const fn with_policy(mut self, policy: SessionPolicy) -> Self {
        self.policy = policy;
        self
    }

    /// The same options with a limit for each try to connect.
    #[must_use]
    pub const fn with_startup_timeout(mut self, limit: Duration) -> Self {
        self.startup_timeout = limit;
        self
    }

    /// The same options with a number of tries.
    #[must_use]
    pub const fn with_attempts(mut self, attempts: u32) -> Self {
        self.attempts = attempts;
        self
    }

    /// The same options with limits for calls.
    #[must_use]
    pub const fn with_timeouts(mut self, timeouts: Timeouts) -> Self {
        self.timeouts = timeouts;
        self
    }

    /// The same options with a number of calls at once.
    #[must_use]
    pub const fn with_max_concurrent(mut self, calls: usize) -> Self {
        self.max_concurrent = calls;
        self
    }

    /// The same options with a lifecycle.
    #[must_use]
    pub const fn with_preference(mut self, preference: Preference) -> Self {
        self.preference = preference;
        self
    }

    /// The same options with a heartbeat.
    #[must_use]
    pub const fn with_heartbeat(mut self, every: Duration) -> Self {
        self.heartbeat = Some(every);
        self
    }

    /// The same options for a server whose hints are believed, or not.
    #[must_use]
    pub const fn with_trusted(mut self, trusted: bool) -> Self {
        self.trusted = trusted;
        self
    }

    /// The same options with a key of `_meta` for HTTP headers where there is no HTTP.
    #[must_use]
    pub fn with_headers_in_meta(mut self, key: impl Into<Arc<str>>) -> Self {
        self.headers_in_meta = Some(key.into());
        self
    }
}
