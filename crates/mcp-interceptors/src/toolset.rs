//! Tools that can be listed and called, wherever they are.

use std::fmt;
use std::sync::Arc;

use mcp_protocol::Tool;
use serde::{Deserialize, Serialize};

use crate::{BoxFuture, CallError, ToolCall, ToolLayers, ToolOutcome, ToolService};

/// Tools that can be listed and called: a pool of servers, local functions, or a test double.
///
/// [`LocalTools`](crate::LocalTools) makes one of closures. One of one's own:
///
/// ```
/// use std::sync::Arc;
/// use mcp_interceptors::{BoundTool, BoxFuture, CallError, ToolCall, ToolList, ToolOutcome, Toolset};
/// use mcp_protocol::Tool;
///
/// #[derive(Debug)]
/// struct Echo;
///
/// impl Toolset for Echo {
///     fn tools(&self) -> BoxFuture<'_, ToolList> {
///         let tool = Tool::new("echo", serde_json::json!({"type": "object"}));
///         let echo = BoundTool::new("echo", "here", tool);
///         Box::pin(async move { ToolList::new(vec![Arc::new(echo)]) })
///     }
///
///     fn call(&self, call: ToolCall) -> BoxFuture<'static, Result<ToolOutcome, CallError>> {
///         Box::pin(async move { Ok(call.args()["text"].to_string().into()) })
///     }
/// }
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let echo = Echo.tools().await.tools.remove(0);
/// let call = ToolCall::new(echo, Default::default()).with_arg("text", "hi");
/// assert_eq!(Echo.call(call).await.unwrap().text(), "\"hi\"");
/// # });
/// ```
pub trait Toolset: fmt::Debug + Send + Sync + 'static {
    /// Lists the tools, in an order that stays the same from one time to the next. Servers that
    /// cannot be asked are named in [`ToolList::failures`]; they do not hide the others' tools.
    ///
    /// # Cancel safety
    /// Dropping the future gives the listing up; connections stay usable.
    fn tools(&self) -> BoxFuture<'_, ToolList>;

    /// Is another number when the list may have become another one: while it stays the same there
    /// is no need to list again. Cheap, as it is looked at before each question to a model.
    ///
    /// Of a list that never changes it is always the same, which is the default.
    fn list_version(&self) -> u64 {
        0
    }

    /// Calls a tool by [`ToolCall::server`] and [`ToolCall::name`].
    ///
    /// # Errors
    /// [`CallError`] for all that is not the tool's own answer.
    ///
    /// # Cancel safety
    /// Dropping the future cancels the call.
    fn call(&self, call: ToolCall) -> BoxFuture<'static, Result<ToolOutcome, CallError>>;
}

/// A tool, whose it is, and the name by which models know it.
#[derive(Clone, Debug, PartialEq)]
pub struct BoundTool {
    name: String,
    server: Arc<str>,
    tool: Arc<Tool>,
    shown: Option<Arc<Tool>>,
}

impl BoundTool {
    /// `name` is what models see (`^[A-Za-z0-9_-]{1,64}$`, unique within a list), `server` is
    /// the server's name here, and `tool` is the definition as the server sent it.
    pub fn new(
        name: impl Into<String>,
        server: impl Into<Arc<str>>,
        tool: impl Into<Arc<Tool>>,
    ) -> Self {
        Self {
            name: name.into(),
            server: server.into(),
            tool: tool.into(),
            shown: None,
        }
    }

    /// The same tool, of which models see another definition.
    #[must_use]
    pub fn with_shown(mut self, shown: impl Into<Arc<Tool>>) -> Self {
        self.shown = Some(shown.into());
        self
    }

    /// The name that models see.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The server's name here.
    #[must_use]
    pub const fn server(&self) -> &Arc<str> {
        &self.server
    }

    /// The definition as the server sent it; its `name` is the one that goes on the wire.
    #[must_use]
    pub const fn tool(&self) -> &Arc<Tool> {
        &self.tool
    }

    /// The definition that models are to see: the server's, unless a layer changed it.
    #[must_use]
    pub fn shown(&self) -> &Arc<Tool> {
        self.shown.as_ref().unwrap_or(&self.tool)
    }
}

/// What a [`Toolset`] found.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ToolList {
    /// The tools.
    pub tools: Vec<Arc<BoundTool>>,
    /// The servers that could not be asked.
    pub failures: Vec<ServerFailure>,
}

impl ToolList {
    /// A list of these tools, without failures.
    #[must_use]
    pub const fn new(tools: Vec<Arc<BoundTool>>) -> Self {
        Self {
            tools,
            failures: Vec::new(),
        }
    }

    /// The same list with failures.
    #[must_use]
    pub fn with_failures(mut self, failures: Vec<ServerFailure>) -> Self {
        self.failures = failures;
        self
    }

    /// Puts another list behind this one.
    pub fn append(&mut self, mut other: Self) {
        self.tools.append(&mut other.tools);
        self.failures.append(&mut other.failures);
    }
}

/// A server that could not be used, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ServerFailure {
    /// The server.
    pub server: String,
    /// How far it got.
    pub phase: Phase,
    /// What happened, down to the cause, in one line.
    pub message: String,
    /// The last lines that the server's process wrote to its standard error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stderr: Option<String>,
}

impl ServerFailure {
    /// A failure without anything from the server's standard error.
    pub fn new(server: impl Into<String>, phase: Phase, message: impl Into<String>) -> Self {
        Self {
            server: server.into(),
            phase,
            message: message.into(),
            stderr: None,
        }
    }

    /// The same failure with the last lines of the server's standard error.
    #[must_use]
    pub fn with_stderr(mut self, stderr: Option<String>) -> Self {
        self.stderr = stderr;
        self
    }
}

impl fmt::Display for ServerFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}): {}", self.server, self.phase, self.message)
    }
}

/// How far a server got before it failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Phase {
    /// Starting its process.
    Spawn,
    /// Reaching it.
    Connect,
    /// Agreeing on a revision.
    Handshake,
    /// Listing what it offers.
    List,
    /// Calling a tool.
    Call,
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Spawn => "spawn",
            Self::Connect => "connect",
            Self::Handshake => "handshake",
            Self::List => "list",
            Self::Call => "call",
        })
    }
}

/// A toolset with layers around its calls and its list; the chain is built once, here.
#[derive(Clone, Debug)]
pub struct Intercepted {
    toolset: Arc<dyn Toolset>,
    service: ToolService,
    /// The layers, each with what is inside it; the innermost first.
    layers: Arc<[ToolService]>,
}

impl Intercepted {
    /// Puts `layers` around the calls of `toolset`, and around its list.
    #[must_use]
    pub fn new(toolset: Arc<dyn Toolset>, layers: &ToolLayers) -> Self {
        let base = ToolService::from_toolset(Arc::clone(&toolset));
        let layers = layers.each_wrapped(&base);
        Self {
            service: layers.last().cloned().unwrap_or(base),
            toolset,
            layers: layers.into(),
        }
    }

    /// What answers the calls.
    #[must_use]
    pub const fn service(&self) -> &ToolService {
        &self.service
    }
}

impl Toolset for Intercepted {
    fn tools(&self) -> BoxFuture<'_, ToolList> {
        let listed = self.toolset.tools();
        if self.layers.is_empty() {
            return listed;
        }
        Box::pin(async move {
            let change = |tools, layer: &ToolService| layer.list(tools);
            self.layers.iter().fold(listed.await, change)
        })
    }

    fn list_version(&self) -> u64 {
        self.toolset.list_version()
    }

    fn call(&self, call: ToolCall) -> BoxFuture<'static, Result<ToolOutcome, CallError>> {
        self.service.call(call)
    }
}
