//! One tool call on its way to the server.

use std::sync::Arc;
use std::time::Duration;

use http::{Extensions, HeaderMap, HeaderName, HeaderValue};
use mcp_protocol::ToolAnnotations;
use serde_json::Value;

use crate::{Ask, BoundTool, CallError, CallErrorKind, JsonMap};

/// A tool call, as every layer sees it.
///
/// What a layer may change it changes by taking the call and giving back another one
/// (`with_*`, `without_*`); a clone that it keeps is not affected. What decides where the call
/// goes has getters only: the server, the tool that was asked for, the attempt, and the typed
/// extensions that the caller put in.
///
/// ```
/// # use std::sync::Arc;
/// # use mcp_interceptors::{BoundTool, JsonMap, ToolCall};
/// # fn tool() -> Arc<BoundTool> { Arc::new(BoundTool::new("math__add", "math", mcp_protocol::Tool::new("add", serde_json::json!({"type": "object"})))) }
/// let call = ToolCall::new(tool(), JsonMap::new()).with_arg("a", 2);
/// let kept = call.clone();
/// let changed = call.with_arg("a", 10);
/// assert_eq!(kept.args()["a"], 2);
/// assert_eq!(changed.args()["a"], 10);
/// ```
///
/// The server cannot be replaced:
///
/// ```compile_fail,E0599
/// # fn f(call: mcp_interceptors::ToolCall) {
/// call.with_server("other");
/// # }
/// ```
///
/// Neither can the tool that was asked for, nor what the caller attached:
///
/// ```compile_fail,E0616
/// # fn f(mut call: mcp_interceptors::ToolCall) {
/// call.tool = todo!();
/// # }
/// ```
/// ```compile_fail,E0596
/// # fn f(mut call: mcp_interceptors::ToolCall) {
/// call.extensions().insert(1_u8);
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct ToolCall {
    tool: Arc<BoundTool>,
    name: Option<String>,
    args: JsonMap,
    headers: HeaderMap,
    removed: Vec<HeaderName>,
    meta: JsonMap,
    timeout: Option<Duration>,
    attempt: u32,
    extensions: Arc<Extensions>,
}

impl ToolCall {
    /// A first attempt to call `tool`.
    #[must_use]
    pub fn new(tool: Arc<BoundTool>, args: JsonMap) -> Self {
        Self::in_context(tool, args, Extensions::new())
    }

    /// A first attempt to call `tool`, with what the caller wants the layers to see.
    #[must_use]
    pub fn in_context(tool: Arc<BoundTool>, args: JsonMap, extensions: Extensions) -> Self {
        Self {
            tool,
            name: None,
            args,
            headers: HeaderMap::new(),
            removed: Vec::new(),
            meta: JsonMap::new(),
            timeout: None,
            attempt: 1,
            extensions: Arc::new(extensions),
        }
    }

    /// The tool that was asked for. It stays the same when [`with_name`](Self::with_name)
    /// redirects the call.
    #[must_use]
    pub fn tool(&self) -> &Arc<BoundTool> {
        &self.tool
    }

    /// The server that the call goes to.
    #[must_use]
    pub fn server(&self) -> &str {
        self.tool.server()
    }

    /// The name that goes on the wire: the server's own name for the tool.
    #[must_use]
    pub fn name(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.tool.tool().name)
    }

    /// The arguments.
    #[must_use]
    pub const fn args(&self) -> &JsonMap {
        &self.args
    }

    /// HTTP headers for this call alone; each wins over the connection's header of that name.
    #[must_use]
    pub const fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// Headers of the connection that this call is sent without.
    #[must_use]
    pub fn removed_headers(&self) -> &[HeaderName] {
        &self.removed
    }

    /// What is added to the request's `_meta`.
    #[must_use]
    pub const fn meta(&self) -> &JsonMap {
        &self.meta
    }

    /// How long the call may take; `None` leaves it to the connection.
    #[must_use]
    pub const fn timeout(&self) -> Option<Duration> {
        self.timeout
    }

    /// Which attempt this is, from 1.
    #[must_use]
    pub const fn attempt(&self) -> u32 {
        self.attempt
    }

    /// What the server says of the tool that runs: hints, for which it is not to be trusted
    /// blindly. `None` if it says nothing, or if the call was redirected to a tool whose
    /// definition is not at hand.
    #[must_use]
    pub fn annotations(&self) -> Option<&ToolAnnotations> {
        let tool = self.tool.tool();
        let same = self.name.as_ref().is_none_or(|name| *name == tool.name);
        tool.annotations.as_ref().filter(|_| same)
    }

    /// What the caller attached, by type.
    #[must_use]
    pub fn extensions(&self) -> &Extensions {
        &self.extensions
    }

    /// Calls another tool of the same server. The history keeps the name that the model used.
    #[must_use]
    pub fn with_name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Replaces all arguments.
    #[must_use]
    pub fn with_args(mut self, args: JsonMap) -> Self {
        self.args = args;
        self
    }

    /// Sets one argument.
    #[must_use]
    pub fn with_arg(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.args.insert(name.into(), value.into());
        self
    }

    /// Removes one argument.
    #[must_use]
    pub fn without_arg(mut self, name: &str) -> Self {
        // Keeps the order of the others.
        self.args.shift_remove(name);
        self
    }

    /// Sets one HTTP header for this call. Names are compared without regard to case.
    #[must_use]
    pub fn with_header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.removed.retain(|removed| *removed != name);
        self.headers.insert(name, value);
        self
    }

    /// Sends this call without the header of that name, even if the connection has one.
    #[must_use]
    pub fn without_header(mut self, name: HeaderName) -> Self {
        self.headers.remove(&name);
        if !self.removed.contains(&name) {
            self.removed.push(name);
        }
        self
    }

    /// Sets one member of the request's `_meta`.
    #[must_use]
    pub fn with_meta(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.meta.insert(key.into(), value.into());
        self
    }

    /// Limits how long the call may take.
    #[must_use]
    pub const fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// The same call as a later attempt.
    pub(crate) const fn with_attempt(mut self, attempt: u32) -> Self {
        self.attempt = attempt;
        self
    }

    /// Asks whoever made the call: a person, mostly. The answer comes from what
    /// [`Ask`] the caller attached.
    ///
    /// # Errors
    /// Of kind [`Refused`](crate::CallErrorKind::Refused) if nobody can be asked; of kind
    /// [`Interrupted`](crate::CallErrorKind::Interrupted), to be returned, if the answer comes
    /// later: then the call is made once more, and this gives it.
    ///
    /// # Cancel safety
    /// Dropping the future gives the question up.
    pub async fn ask(&self, question: Value) -> Result<Value, CallError> {
        self.asker()?.ask(question).await
    }

    /// The same, and reads the answer; see [`Ask::ask_for`].
    ///
    /// # Errors
    /// As [`ask`](Self::ask); of kind [`Layer`](crate::CallErrorKind::Layer) if no answer could
    /// be read.
    ///
    /// # Cancel safety
    /// Dropping the future gives the question up.
    pub async fn ask_for<T>(
        &self,
        question: Value,
        read: impl Fn(Value) -> Result<T, String>,
    ) -> Result<T, CallError> {
        self.asker()?.ask_for(question, read).await
    }

    fn asker(&self) -> Result<&Ask, CallError> {
        self.extensions
            .get()
            .ok_or_else(|| CallError::new(CallErrorKind::Refused, "nobody is there to be asked"))
    }

    /// The arguments, without a copy.
    #[must_use]
    pub fn into_args(self) -> JsonMap {
        self.args
    }
}
