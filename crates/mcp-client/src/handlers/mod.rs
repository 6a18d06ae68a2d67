//! What answers the server. Registering a handler is what declares the capability.

mod answer;
mod ask_caller;
mod changes;
mod elicitation;
mod layered;
mod logging;
mod progress;
mod roots;
mod sampling;

use std::sync::Arc;

use http::Extensions;
use mcp_interceptors::{CallId, RequestLayers};
use mcp_jsonrpc::Id;
use mcp_protocol::ClientCapabilities;

use crate::active::InFlight;

pub use ask_caller::AskCaller;
pub use changes::{Change, Changes};
pub use elicitation::Elicitation;
pub use logging::Logging;
pub(crate) use logging::trace;
pub use progress::ProgressReports;
pub use roots::Roots;
pub use sampling::Sampling;

/// Where a message of a server comes from.
///
/// Which call it belongs to is never guessed. It is known where the server asks as part of a
/// result or of a task, where the report is one of progress, where the message came in the answer
/// stream of the call (over HTTP), and where exactly one call is in flight.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Origin {
    /// The server's name here.
    pub server: Arc<str>,
    /// The tool whose call it belongs to, where that is known.
    pub tool: Option<Arc<str>>,
    /// What the model calls that call, where the caller has attached that.
    pub tool_call: Option<CallId>,
    /// The id of the server's request; `None` for notifications and since 2026-07-28.
    pub request: Option<Id>,
    /// The subscription that a change was told of by: the id of its request, see
    /// [`CallOptions::id`](crate::CallOptions). Since 2026-07-28.
    pub subscription: Option<Id>,
    /// What the caller of that tool attached.
    pub extensions: Arc<Extensions>,
}

impl Origin {
    pub(crate) fn new(server: Arc<str>, call: Option<&InFlight>) -> Self {
        let extensions = call.map(InFlight::extensions).unwrap_or_default();
        Self {
            server,
            tool: call.and_then(InFlight::tool),
            tool_call: extensions.get().cloned(),
            request: None,
            subscription: None,
            extensions,
        }
    }
}

/// What answers a server. The default answers nothing and declares nothing.
///
/// ```
/// use mcp_client::Handlers;
/// use mcp_protocol::roots::Root;
/// let handlers = Handlers::new().with_roots(vec![Root::new("file:///srv/data")]);
/// assert!(handlers.capabilities().roots.is_some());
/// assert!(handlers.capabilities().sampling.is_none());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Handlers {
    roots: Option<Arc<dyn Roots>>,
    sampling: Option<Arc<dyn Sampling>>,
    elicitation: Option<Arc<dyn Elicitation>>,
    logging: Option<Arc<dyn Logging>>,
    progress: Option<Arc<dyn ProgressReports>>,
    changes: Option<Arc<dyn Changes>>,
    /// What stands around requests, the server's and our own.
    pub(crate) layers: RequestLayers,
}

impl Handlers {
    /// No handlers.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with what names the directories to work in.
    #[must_use]
    pub fn with_roots(mut self, roots: impl Roots) -> Self {
        self.roots = Some(Arc::new(roots));
        self
    }

    /// The same with a model that servers may use.
    #[must_use]
    pub fn with_sampling(mut self, sampling: impl Sampling) -> Self {
        self.sampling = Some(Arc::new(sampling));
        self
    }

    /// The same with a user who may be asked.
    #[must_use]
    pub fn with_elicitation(mut self, elicitation: impl Elicitation) -> Self {
        self.elicitation = Some(Arc::new(elicitation));
        self
    }

    /// The same with a taker of log messages.
    #[must_use]
    pub fn with_logging(mut self, logging: impl Logging) -> Self {
        self.logging = Some(Arc::new(logging));
        self
    }

    /// The same with a taker of progress, of all calls.
    #[must_use]
    pub fn with_progress(mut self, progress: impl ProgressReports) -> Self {
        self.progress = Some(Arc::new(progress));
        self
    }

    /// The same with one who wants to know of changes.
    #[must_use]
    pub fn with_changes(mut self, changes: impl Changes) -> Self {
        self.changes = Some(Arc::new(changes));
        self
    }

    /// What is declared: exactly what is registered.
    #[must_use]
    pub fn capabilities(&self) -> ClientCapabilities {
        let mut capabilities = ClientCapabilities::new();
        capabilities.roots = self.roots.as_deref().map(roots::capability);
        capabilities.sampling = self.sampling.as_deref().map(sampling::capability);
        capabilities.elicitation = self.elicitation.as_deref().map(elicitation::capability);
        capabilities
    }

    pub(crate) fn changes(&self) -> Option<&dyn Changes> {
        self.changes.as_deref()
    }

    pub(crate) fn logging(&self) -> Option<&dyn Logging> {
        self.logging.as_deref()
    }

    pub(crate) fn progress(&self) -> Option<&dyn ProgressReports> {
        self.progress.as_deref()
    }

    pub(crate) fn elicitation(&self) -> Option<&dyn Elicitation> {
        self.elicitation.as_deref()
    }
}
