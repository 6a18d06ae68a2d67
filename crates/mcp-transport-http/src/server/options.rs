//! Settings of the server end.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use http::HeaderValue;
use http::request::Parts;

use super::origin::Allowed;

pub(super) type PrincipalOf = dyn Fn(&Parts) -> Option<String> + Send + Sync;

/// Settings of an [`HttpService`](crate::HttpService). The defaults are those of a server for
/// clients on the same machine.
#[derive(Clone)]
#[must_use]
pub struct HttpOptions {
    pub(super) path: Option<String>,
    pub(super) allowed: Allowed,
    pub(super) max_body: usize,
    pub(super) max_bodies: usize,
    pub(super) body_timeout: Duration,
    pub(super) max_in_flight: usize,
    pub(super) keep_alive: Duration,
    pub(super) sessions: bool,
    pub(super) max_sessions: usize,
    pub(super) session_idle: Duration,
    pub(super) replay_per_stream: usize,
    pub(super) replay_total: usize,
    pub(super) principal: Option<Arc<PrincipalOf>>,
}

impl Default for HttpOptions {
    fn default() -> Self {
        Self {
            path: Some("/mcp".to_owned()),
            allowed: Allowed::default(),
            max_body: 4 << 20,
            max_bodies: 256 << 20,
            body_timeout: Duration::from_secs(30),
            max_in_flight: 1024,
            keep_alive: Duration::from_secs(15),
            sessions: true,
            max_sessions: 10_000,
            session_idle: Duration::from_secs(30 * 60),
            replay_per_stream: 256 << 10,
            replay_total: 64 << 20,
            principal: None,
        }
    }
}

impl HttpOptions {
    /// The path of the endpoint. Default `/mcp`.
    pub fn path(mut self, path: impl Into<String>) -> Self {
        self.path = Some(path.into());
        self
    }

    /// Takes requests whatever their path. For services below a router that has looked at it.
    pub fn any_path(mut self) -> Self {
        self.path = None;
        self
    }

    /// Lets requests through that name this host, with any port, besides loopback hosts.
    pub fn allow_host(mut self, host: impl AsRef<str>) -> Self {
        self.allowed.host(host.as_ref());
        self
    }

    /// Lets requests through whatever host they name. For servers behind a proxy that checks it.
    pub const fn allow_any_host(mut self) -> Self {
        self.allowed.any_host();
        self
    }

    /// Lets web pages of this origin in, such as `https://app.example`, besides pages of
    /// loopback hosts, and tells browsers so.
    pub fn allow_origin(mut self, origin: impl AsRef<str>) -> Self {
        self.allowed.origin(origin.as_ref());
        self
    }

    /// The longest body of a POST, in bytes. Default 4 MiB; more is answered with 413.
    pub const fn max_body(mut self, bytes: usize) -> Self {
        self.max_body = bytes;
        self
    }

    /// How long the bodies of all POSTs that are read or answered at the moment may be together,
    /// in bytes, and never less than one may be. Default 256 MiB; more is answered with 503.
    pub const fn max_bodies(mut self, bytes: usize) -> Self {
        self.max_bodies = bytes;
        self
    }

    /// How long a body may take to arrive. Default 30 s; more is answered with 408.
    pub const fn body_timeout(mut self, limit: Duration) -> Self {
        self.body_timeout = limit;
        self
    }

    /// How many requests may be answered at once. Default 1,024; one more is answered with 503.
    pub const fn max_in_flight(mut self, limit: usize) -> Self {
        self.max_in_flight = limit;
        self
    }

    /// After how much silence a stream carries a comment. Default 15 s.
    pub const fn keep_alive(mut self, period: Duration) -> Self {
        self.keep_alive = period;
        self
    }

    /// Answers the handshake revisions without sessions: no session ids, no GET, no DELETE, and
    /// so no requests by the server.
    pub const fn without_sessions(mut self) -> Self {
        self.sessions = false;
        self
    }

    /// How many sessions there may be. Default 10,000. One more ends those that were not used for
    /// a minute; where there are none, it is answered with 503.
    pub const fn max_sessions(mut self, limit: usize) -> Self {
        self.max_sessions = limit;
        self
    }

    /// How long an unused session lasts. Default 30 min. One with a request in flight or an open
    /// stream is in use.
    pub const fn session_idle(mut self, limit: Duration) -> Self {
        self.session_idle = limit;
        self
    }

    /// How much of what was sent each stream of the handshake revisions keeps for a client that
    /// comes back, in bytes. Default 256 KiB, and always the last event. 0: streams cannot be
    /// come back to, and their events have no ids.
    pub const fn replay_per_stream(mut self, bytes: usize) -> Self {
        self.replay_per_stream = bytes;
        self
    }

    /// How much all streams together keep, in bytes. Default 64 MiB.
    pub const fn replay_total(mut self, bytes: usize) -> Self {
        self.replay_total = bytes;
        self
    }

    /// Binds each session to who opened it, as told by what an authorization layer has put into
    /// the request's extensions. To anyone else the session does not exist.
    pub fn principal(
        mut self,
        of: impl Fn(&Parts) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        self.principal = Some(Arc::new(of));
        self
    }
}

impl fmt::Debug for HttpOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpOptions")
            .field("path", &self.path)
            .field("allowed", &self.allowed)
            .field("sessions", &self.sessions)
            .finish_non_exhaustive()
    }
}

/// How long a client is asked to wait when there is too much to do, in seconds.
pub(super) const RETRY_AFTER: HeaderValue = HeaderValue::from_static("1");
