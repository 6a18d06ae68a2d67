//! What answers the server. Registering a handler is what declares the capability.

mod answer;
mod ask_caller;
mod changes;
mod elicitation;
mod layered;
mod logging;
mod progress;
mod reporter;
mod roots;
mod sampling;

use std::sync::Arc;

use http::Extensions;
use mcp_interceptors::{CallId, RequestLayers};
use mcp_jsonrpc::Id;
use mcp_protocol::ClientCapabilities;

use crate::active::InFlight;
use crate::tasks::{self, TaskOptions};

pub use ask_caller::AskCaller;
pub use changes::{Change, Changes};
pub use elicitation::Elicitation;
pub use logging::Logging;
pub(crate) use logging::trace;
pub use progress::ProgressReports;
pub use reporter::Reporter;
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
    /// Tells the server how far the answer to its request is. Until 2025-11-25.
    pub reporter: Reporter,
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
            reporter: Reporter::default(),
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
    pub(crate) tasks: Option<TaskOptions>,
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

    /// The same for servers that make tasks of their questions, in 2025-11-25: they are answered
    /// at once with a task of ours, and come back for what the handlers of sampling and
    /// elicitation say. Default: a server waits for its answer.
    #[must_use]
    pub fn with_tasks(mut self, options: TaskOptions) -> Self {
        self.tasks = Some(options);
        self
    }

    /// Whether a question of this method may be a task.
    pub(crate) fn runs_as_task(&self, method: &str) -> bool {
        match method {
            "sampling/createMessage" => self.sampling.is_some(),
            "elicitation/create" => self.elicitation.is_some(),
            _ => false,
        }
    }

    /// What is declared: exactly what is registered.
    #[must_use]
    pub fn capabilities(&self) -> ClientCapabilities {
        let mut capabilities = ClientCapabilities::new();
        capabilities.roots = self.roots.as_deref().map(roots::capability);
        capabilities.sampling = self.sampling.as_deref().map(sampling::capability);
        capabilities.elicitation = self.elicitation.as_deref().map(elicitation::capability);
        if self.tasks.is_some() {
            capabilities.tasks =
                tasks::capability(self.sampling.is_some(), self.elicitation.is_some());
        }
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
