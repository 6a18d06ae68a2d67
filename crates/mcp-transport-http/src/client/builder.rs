//! Settings of the client end.

use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use http::uri::Scheme;
use http::{HeaderMap, HeaderName, HeaderValue, Request, Response, Uri};
use mcp_protocol::RequestContext;
use mcp_transport::Handler;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower_service::Service;

use super::HttpChannel;
use super::body::ResponseBody;
use super::header_source::{HeaderSource, Sourced};
use super::http::{Exchanger, HttpClient, RequestBody};
use super::inbox::Inbox;
use super::legacy::LegacySse;
use super::link::{Limits, Link};
use super::origin::Origin;
use super::prepared::Prepared;
use super::session::SessionCell;
use super::url;
use crate::BuildError;
use crate::alarm::Alarms;
use crate::headers::is_protected;

/// A server that can be connected to, as often as wanted.
#[derive(Clone, Debug)]
pub struct HttpTransport {
    url: Uri,
    headers: HeaderMap,
    exchanger: Exchanger,
    limits: Limits,
    listen: bool,
    legacy: LegacySse,
    source: Option<Sourced>,
}

impl HttpTransport {
    /// Starts with the URL of the server's endpoint.
    pub fn builder(url: impl Into<String>) -> HttpTransportBuilder {
        HttpTransportBuilder {
            url: url.into(),
            headers: HeaderMap::new(),
            flaw: None,
            client: None,
            wrap: None,
            limits: Limits::default(),
            listen: true,
            legacy: LegacySse::default(),
            source: None,
        }
    }

    /// The same server, with headers from this source instead of any other.
    #[must_use]
    pub fn with_header_source(mut self, source: Arc<dyn HeaderSource>) -> Self {
        self.source = Some(Sourced::new(source));
        self
    }

    /// The same server; whether [the stream](HttpTransportBuilder::listen) of what it sends of
    /// its own accord is opened.
    #[must_use]
    pub const fn with_listen(mut self, yes: bool) -> Self {
        self.listen = yes;
        self
    }

    /// Opens a channel. Nothing is sent before the first call; what the server sends of its own
    /// accord goes to `handler`.
    #[must_use]
    pub fn open(&self, handler: Arc<dyn Handler<RequestContext>>) -> HttpChannel {
        let closing = CancellationToken::new();
        HttpChannel::open(Link {
            exchanger: self.exchanger.clone(),
            url: self.url.clone(),
            headers: self.headers.clone(),
            prepared: Prepared::default(),
            source: self.source.clone(),
            limits: self.limits,
            listen: self.listen,
            legacy: self.legacy,
            handler,
            calls: Semaphore::new(self.limits.calls),
            alarms: Alarms::default(),
            next_id: AtomicU64::new(1),
            session: SessionCell::new(&closing),
            progress: Arc::default(),
            inbox: Inbox::new(self.limits.incoming),
            closing,
            close_started: AtomicBool::new(false),
            fate: OnceLock::new(),
            ended: CancellationToken::new(),
            tasks: TaskTracker::new(),
        })
    }

    /// The URL of the server's endpoint.
    #[must_use]
    pub const fn url(&self) -> &Uri {
        &self.url
    }
}

type Wrap = Box<dyn FnOnce(HttpClient) -> Exchanger + Send>;

/// Settings of an [`HttpTransport`].
#[must_use]
pub struct HttpTransportBuilder {
    url: String,
    headers: HeaderMap,
    flaw: Option<BuildError>,
    client: Option<HttpClient>,
    wrap: Option<Wrap>,
    limits: Limits,
    listen: bool,
    legacy: LegacySse,
    source: Option<Sourced>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            message: 64 << 20,
            calls: 1024,
            incoming: 256,
            notify: Duration::from_secs(30),
            close: Duration::from_secs(5),
        }
    }
}

impl HttpTransportBuilder {
    /// A header for every request to the server: of a POST, of a GET and of a DELETE. Its value
    /// never shows in logs. What is wrong with it, [`build`](Self::build) says.
    pub fn header(mut self, name: impl AsRef<str>, value: impl AsRef<[u8]>) -> Self {
        let given = name.as_ref();
        let parsed = HeaderName::try_from(given)
            .ok()
            .zip(HeaderValue::from_bytes(value.as_ref()).ok());
        let flaw = match parsed {
            None => BuildError::Header {
                name: given.to_owned(),
            },
            Some((name, _)) if is_protected(&name) => BuildError::ProtectedHeader {
                name: given.to_owned(),
            },
            Some((name, mut value)) => {
                value.set_sensitive(true);
                self.headers.append(name, value);
                return self;
            }
        };
        self.flaw.get_or_insert(flaw);
        self
    }

    /// Gives each request headers that change. Default: none.
    pub fn header_source(mut self, source: Arc<dyn HeaderSource>) -> Self {
        self.source = Some(Sourced::new(source));
        self
    }

    /// The HTTP client to use, and so the pool of connections to share. Default: one of its own.
    pub fn client(mut self, client: HttpClient) -> Self {
        self.client = Some(client);
        self
    }

    /// Puts a tower service around the HTTP client: the place for authorization. It sees every
    /// request to the server and its response.
    pub fn wrap<S>(mut self, around: impl FnOnce(HttpClient) -> S + Send + 'static) -> Self
    where
        S: Service<Request<RequestBody>, Response = Response<ResponseBody>>,
        S: Clone + Send + 'static,
        S::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
        S::Future: Send,
    {
        self.wrap = Some(Box::new(|client| {
            let service = around(client.clone());
            Exchanger::wrap(client, service)
        }));
        self
    }

    /// The longest answer or event, in bytes. Default 64 MiB. A call with a longer one fails.
    pub const fn max_message(mut self, bytes: usize) -> Self {
        self.limits.message = bytes;
        self
    }

    /// How many calls may wait for their answers at once. Default 1,024; one more fails as busy.
    pub const fn max_calls(mut self, limit: usize) -> Self {
        self.limits.calls = limit;
        self
    }

    /// How long the server may take to accept a notification or an answer of ours. Default 30 s.
    pub const fn notify_timeout(mut self, limit: Duration) -> Self {
        self.limits.notify = limit;
        self
    }

    /// How long the end of a session may take. Default 5 s.
    pub const fn close_timeout(mut self, limit: Duration) -> Self {
        self.limits.close = limit;
        self
    }

    /// Whether the stream of what the server sends of its own accord is opened, in the revisions
    /// that have it. Default: yes.
    pub const fn listen(mut self, yes: bool) -> Self {
        self.listen = yes;
        self
    }

    /// What to do with servers of 2024-11-05. Default: try their way where they refuse ours.
    pub const fn legacy_sse(mut self, when: LegacySse) -> Self {
        self.legacy = when;
        self
    }

    /// The transport.
    ///
    /// # Errors
    /// If the URL or a header is not usable, TLS cannot be set up, or there is none for an
    /// `https` URL.
    pub fn build(self) -> Result<HttpTransport, BuildError> {
        let url = url::endpoint(&self.url)?;
        if let Some(flaw) = self.flaw {
            return Err(flaw);
        }
        let own = self.client.is_none();
        let client = match self.client {
            Some(client) => client,
            None => HttpClient::new().map_err(BuildError::Client)?,
        };
        let exchanger = match self.wrap {
            Some(wrap) => wrap(client),
            None => Exchanger::direct(client, &url),
        };
        if url.scheme() == Some(&Scheme::HTTPS) && exchanger.lacks_tls() {
            return Err(BuildError::NoTls { url: self.url });
        }
        let mut headers = self.headers;
        if let Some(host) = Origin::of(&url).and_then(|origin| origin.host()) {
            headers.insert(http::header::HOST, host);
        }
        Ok(HttpTransport {
            url,
            headers,
            exchanger: exchanger.owning(own),
            limits: self.limits,
            listen: self.listen,
            legacy: self.legacy,
            source: self.source,
        })
    }
}

/// Headers may be secrets, so only their names show.
impl std::fmt::Debug for HttpTransportBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HttpTransportBuilder")
            .field("headers", &self.headers.keys().collect::<Vec<_>>())
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}
