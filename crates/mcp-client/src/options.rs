//! What a session is to be like, and what a single call may differ in.

use std::fmt;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use http::{Extensions, HeaderMap, HeaderName, HeaderValue};
use mcp_interceptors::{JsonMap, RequestLayers};
use mcp_protocol::lifecycle::{ClientIdentity, Preference};
use mcp_protocol::{Implementation, LoggingLevel, ProtocolVersion, Tool};
use mcp_transport::{Progress, ProgressSink, Timeouts};

use crate::Handlers;

/// What a session is to be like.
///
/// ```
/// use mcp_client::ClientOptions;
/// let options = ClientOptions::new("notebook", "1.0.0").with_server("library");
/// assert_eq!(options.info.name, "notebook");
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ClientOptions {
    /// What we say that we are.
    pub info: Implementation,
    /// What the server is called here: in errors, logs and for handlers.
    pub server: Arc<str>,
    /// The revisions to speak. Default: all.
    pub versions: Vec<ProtocolVersion>,
    /// Which lifecycle to try. Default: find out.
    pub preference: Preference,
    /// What answers the server. Capabilities are declared for what is registered here.
    pub handlers: Handlers,
    /// How long the server may leave the question for its revision unanswered before the
    /// handshake is tried too. Default: 10 s.
    pub probe_timeout: Duration,
    /// How long `initialize` may take. Default: 60 s.
    pub initialize_timeout: Duration,
    /// How long a call may take, unless it says otherwise. Default: 60 s without progress, 10
    /// min in all.
    pub timeouts: Timeouts,
    /// From which level on the server's log messages are wanted. Default: the server decides
    /// until 2025-11-25; since then none are sent.
    pub log_level: Option<LoggingLevel>,
    /// Whether servers may answer calls of tools with tasks, which are then followed to their
    /// end: the extension `io.modelcontextprotocol/tasks`, since 2026-07-28. Default: no.
    ///
    /// In 2025-11-25 the client decides: a tool that says it has to be called as a task is.
    pub tasks: bool,
    /// Other extensions that this client speaks, by id, with their settings. Since 2026-07-28.
    pub extensions: JsonMap,
    /// Whether a session without handshake listens for changes by itself, where a handler of
    /// changes is registered. Default: yes.
    pub listen: bool,
    /// How often a server may ask for input within one call. Default: 16.
    pub max_rounds: usize,
    /// How many pages a list may have. Default: 1000.
    pub max_pages: usize,
    /// How many entries a list may have on all its pages. Default: 100,000. They may be 64 MiB
    /// together.
    pub max_entries: usize,
    /// The key of `_meta` under which the HTTP headers of a call go, as an object, where the
    /// connection is not HTTP. Default: none; they go nowhere then, with one warning.
    pub headers_in_meta: Option<Arc<str>>,
    /// What stands around each request, in both directions; but for those that agree on a
    /// revision. Default: nothing.
    pub layers: RequestLayers,
}

impl ClientOptions {
    /// The defaults, for a client of this name and version.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        Self {
            info: Implementation::new(name, version),
            server: Arc::from("server"),
            versions: ProtocolVersion::ALL.to_vec(),
            preference: Preference::Auto,
            handlers: Handlers::default(),
            probe_timeout: Duration::from_secs(10),
            initialize_timeout: Duration::from_secs(60),
            timeouts: Timeouts::default(),
            log_level: None,
            tasks: false,
            extensions: JsonMap::new(),
            listen: true,
            max_rounds: 16,
            max_pages: 1000,
            max_entries: 100_000,
            headers_in_meta: None,
            layers: RequestLayers::new(),
        }
    }

    /// The same options with what the server is called here.
    #[must_use]
    pub fn with_server(mut self, server: impl Into<Arc<str>>) -> Self {
        self.server = server.into();
        self
    }

    /// The same options with these revisions only.
    #[must_use]
    pub fn with_versions(mut self, versions: impl Into<Vec<ProtocolVersion>>) -> Self {
        self.versions = versions.into();
        self
    }

    /// The same options with a lifecycle.
    #[must_use]
    pub const fn with_preference(mut self, preference: Preference) -> Self {
        self.preference = preference;
        self
    }

    /// The same options with handlers.
    #[must_use]
    pub fn with_handlers(mut self, handlers: Handlers) -> Self {
        self.handlers = handlers;
        self
    }

    /// The same options with limits for calls.
    #[must_use]
    pub const fn with_timeouts(mut self, timeouts: Timeouts) -> Self {
        self.timeouts = timeouts;
        self
    }

    /// The same options with a key of `_meta` for HTTP headers where there is no HTTP.
    #[must_use]
    pub fn with_headers_in_meta(mut self, key: impl Into<Arc<str>>) -> Self {
        self.headers_in_meta = Some(key.into());
        self
    }

    /// The same options with layers around each request.
    #[must_use]
    pub fn with_layers(mut self, layers: RequestLayers) -> Self {
        self.layers = layers;
        self
    }

    /// The same options with a level for log messages.
    #[must_use]
    pub fn with_log_level(mut self, level: LoggingLevel) -> Self {
        self.log_level = Some(level);
        self
    }

    /// The same options with tasks as answers.
    #[must_use]
    pub const fn with_tasks(mut self) -> Self {
        self.tasks = true;
        self
    }

    /// The same options with one more extension.
    #[must_use]
    pub fn with_extension(mut self, id: impl Into<String>, settings: JsonMap) -> Self {
        self.extensions.insert(id.into(), settings.into());
        self
    }

    /// The handlers, with the layers around them.
    pub(crate) fn layered_handlers(&self) -> Handlers {
        let mut handlers = self.handlers.clone();
        handlers.layers = self.layers.clone();
        handlers
    }

    pub(crate) fn identity(&self) -> ClientIdentity {
        let mut capabilities = self.handlers.capabilities();
        if !self.extensions.is_empty() {
            capabilities.extensions = Some(self.extensions.clone());
        }
        ClientIdentity::new(self.info.clone(), capabilities).with_versions(self.versions.clone())
    }
}

/// What a single call may differ in.
#[derive(Clone)]
#[non_exhaustive]
pub struct CallOptions {
    /// How long it may take. Default: as the session says.
    pub timeouts: Option<Timeouts>,
    /// Where its progress goes. It is called from the connection's reader and must not block.
    pub progress: Option<ProgressSink>,
    /// HTTP headers of this call; each wins over the connection's of that name. Where there is
    /// no HTTP see [`ClientOptions::headers_in_meta`].
    pub headers: HeaderMap,
    /// HTTP headers of the connection that this call is sent without.
    pub removed_headers: Vec<HeaderName>,
    /// What is added to the request's `_meta`.
    pub meta: JsonMap,
    /// The definition of the tool that is called: over HTTP it says which arguments are repeated
    /// in headers. Without it the list that the session keeps is asked.
    pub tool: Option<Arc<Tool>>,
    /// Whether the server may answer with a task, as
    /// [`ClientOptions::tasks`](crate::ClientOptions) says it for all calls.
    pub tasks: bool,
    /// Whether doing it twice is as good as once. A pool then makes the call again where the
    /// connection ended and nobody knows whether it has run.
    pub repeatable: bool,
    /// What the caller attaches. Handlers that this call leads to find it in
    /// [`Origin::extensions`](crate::Origin).
    pub extensions: Arc<Extensions>,
}

impl CallOptions {
    /// Nothing different.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The same options with a limit, progress or not.
    #[must_use]
    pub const fn with_timeout(mut self, limit: Duration) -> Self {
        self.timeouts = Some(Timeouts::within(limit));
        self
    }

    /// The same options with limits.
    #[must_use]
    pub const fn with_timeouts(mut self, timeouts: Timeouts) -> Self {
        self.timeouts = Some(timeouts);
        self
    }

    /// The same options with a taker of progress.
    #[must_use]
    pub fn with_progress(mut self, report: impl Fn(Progress) + Send + Sync + 'static) -> Self {
        self.progress = Some(ProgressSink::new(report));
        self
    }

    /// The same options for a call that the server may answer with a task.
    #[must_use]
    pub const fn with_tasks(mut self) -> Self {
        self.tasks = true;
        self
    }

    /// The same options for a call that may run twice.
    #[must_use]
    pub const fn with_repeatable(mut self) -> Self {
        self.repeatable = true;
        self
    }

    /// The same options with one more header.
    #[must_use]
    pub fn with_header(mut self, name: HeaderName, mut value: HeaderValue) -> Self {
        value.set_sensitive(true);
        self.headers.insert(name, value);
        self
    }

    /// The same options with one more member of `_meta`.
    #[must_use]
    pub fn with_meta(
        mut self,
        key: impl Into<String>,
        value: impl Into<serde_json::Value>,
    ) -> Self {
        self.meta.insert(key.into(), value.into());
        self
    }
}

impl Default for CallOptions {
    fn default() -> Self {
        /// Most calls have none, and share that.
        static NO_EXTENSIONS: LazyLock<Arc<Extensions>> = LazyLock::new(Arc::default);
        Self {
            timeouts: None,
            progress: None,
            headers: HeaderMap::new(),
            removed_headers: Vec::new(),
            meta: JsonMap::new(),
            tool: None,
            tasks: false,
            repeatable: false,
            extensions: Arc::clone(&NO_EXTENSIONS),
        }
    }
}

/// Headers may be secrets, so only their names show.
impl fmt::Debug for CallOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallOptions")
            .field("timeouts", &self.timeouts)
            .field("progress", &self.progress)
            .field("headers", &self.headers.keys().collect::<Vec<_>>())
            .field("removed_headers", &self.removed_headers)
            .field("meta", &self.meta)
            .field("tool", &self.tool.as_ref().map(|tool| &tool.name))
            .field("tasks", &self.tasks)
            .field("repeatable", &self.repeatable)
            .finish_non_exhaustive()
    }
}
