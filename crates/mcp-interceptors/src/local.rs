//! Tools that are functions of this program.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use mcp_protocol::Tool;

use crate::{
    BoundTool, BoxFuture, CallError, CallErrorKind, ToolCall, ToolList, ToolOutcome, Toolset,
};

type Function =
    Arc<dyn Fn(ToolCall) -> BoxFuture<'static, Result<ToolOutcome, CallError>> + Send + Sync>;

/// A toolset of functions of this program. The same layers fit around them as around the tools
/// of servers.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// use mcp_interceptors::{LocalTools, ToolCall, Toolset};
/// use mcp_protocol::Tool;
///
/// let tools = LocalTools::new("local").tool(Tool::new("shout", serde_json::json!({"type": "object"})), |call: ToolCall| async move {
///     Ok(call.args()["text"].as_str().unwrap_or_default().to_uppercase().into())
/// });
/// let shout = tools.tools().await.tools.remove(0);
/// let call = ToolCall::new(shout, Default::default()).with_arg("text", "hi");
/// assert_eq!(tools.call(call).await.unwrap().text(), "HI");
/// # });
/// ```
#[derive(Clone)]
pub struct LocalTools {
    server: Arc<str>,
    prefix: bool,
    tools: Vec<Arc<BoundTool>>,
    functions: HashMap<String, Function>,
    other: Option<Function>,
}

impl LocalTools {
    /// An empty toolset. `server` is what [`ToolCall::server`] says for its tools; models see
    /// the tools' plain names.
    pub fn new(server: impl Into<Arc<str>>) -> Self {
        Self {
            server: server.into(),
            prefix: false,
            tools: Vec::new(),
            functions: HashMap::new(),
            other: None,
        }
    }

    /// An empty toolset whose tools models see as `server__tool`.
    pub fn prefixed(server: impl Into<Arc<str>>) -> Self {
        Self {
            prefix: true,
            ..Self::new(server)
        }
    }

    /// Adds a tool, in place of one of the same name.
    #[must_use]
    pub fn tool<F, Fut>(mut self, tool: Tool, function: F) -> Self
    where
        F: Fn(ToolCall) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<ToolOutcome, CallError>> + Send + 'static,
    {
        let name = if self.prefix {
            format!("{}__{}", self.server, tool.name)
        } else {
            tool.name.clone()
        };
        self.tools.retain(|bound| bound.name() != name);
        self.functions.insert(
            tool.name.clone(),
            Arc::new(move |call| Box::pin(function(call))),
        );
        let bound = BoundTool::new(name, Arc::clone(&self.server), tool);
        self.tools.push(Arc::new(bound));
        self
    }

    /// What answers calls of tools that are not listed.
    #[must_use]
    pub fn any_other<F, Fut>(mut self, function: F) -> Self
    where
        F: Fn(ToolCall) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<ToolOutcome, CallError>> + Send + 'static,
    {
        self.other = Some(Arc::new(move |call| Box::pin(function(call))));
        self
    }
}

impl fmt::Debug for LocalTools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalTools")
            .field("server", &self.server)
            .field("tools", &self.tools.len())
            .finish_non_exhaustive()
    }
}

impl Toolset for LocalTools {
    fn tools(&self) -> BoxFuture<'_, ToolList> {
        let list = ToolList::new(self.tools.clone());
        Box::pin(std::future::ready(list))
    }

    fn call(&self, call: ToolCall) -> BoxFuture<'static, Result<ToolOutcome, CallError>> {
        let function = self.functions.get(call.name());
        if let Some(function) = function.or(self.other.as_ref()) {
            return function(call);
        }
        let message = format!("{} has no tool named {}", self.server, call.name());
        let error = CallError::new(CallErrorKind::UnknownTool, message);
        Box::pin(std::future::ready(Err(error)))
    }
}
