//! The layer and what it can be told.

use std::sync::Arc;

use super::{Approve, Decision, ask_approval};
use crate::closure::Closure;
use crate::layer::tower_layer;
use crate::{CallError, ToolCall};

/// Asks before a call is made.
///
/// By default every call is asked about, and whoever made the call is asked ([`ToolCall::ask`])
/// with a question like
/// `{"type":"approval","server":"files","tool":"delete","name":"files__delete","args":{..},"annotations":{..},"decisions":[..]}`;
/// the answer is a [`Decision`] as JSON; one that is none is asked for again. If nobody can be
/// asked, the call is refused. A call that is rejected ends with [`CallErrorKind::Rejected`],
/// which no layer of ours makes up for. One that was made with other arguments says so before its
/// result.
///
/// What is asked about is the call as it is here. Put the layer inside of those that change
/// calls.
///
/// [`CallErrorKind::Rejected`]: crate::CallErrorKind::Rejected
///
/// ```
/// use mcp_interceptors::{ApproveLayer, Decision, ToolCall, ToolLayers};
/// let layers = ToolLayers::new().layer(
///     ApproveLayer::new()
///         .trust_hints_of(["files"])
///         .asking(|call: ToolCall| async move {
///             // A dialogue, in a real program.
///             Ok(match call.name() {
///                 "delete" => Decision::Reject { message: Some("not today".to_owned()) },
///                 _ => Decision::Approve,
///             })
///         }),
/// );
/// # assert_eq!(layers.len(), 1);
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct ApproveLayer(Approve);

impl Default for ApproveLayer {
    fn default() -> Self {
        Self::new()
    }
}

impl ApproveLayer {
    /// Asks about every call.
    pub fn new() -> Self {
        Self(Approve {
            which: Closure(Arc::new(|_| true)),
            ask: Closure(Arc::new(|call| {
                Box::pin(async move { ask_approval(&call).await })
            })),
        })
    }

    /// Does not ask about the tools of these servers that say of themselves that they only read,
    /// or destroy nothing. Hints are worth as much as the server that gives them.
    pub fn trust_hints_of<S: Into<String>>(self, servers: impl IntoIterator<Item = S>) -> Self {
        let trusted: Vec<String> = servers.into_iter().map(Into::into).collect();
        self.only_if(move |call| {
            let hints = call.annotations();
            let harmless = hints.is_some_and(|hints| !hints.is_destructive());
            !(harmless && trusted.iter().any(|server| server == call.server()))
        })
    }

    /// Asks about these calls only.
    pub fn only_if(mut self, f: impl Fn(&ToolCall) -> bool + Send + Sync + 'static) -> Self {
        self.0.which = Closure(Arc::new(f));
        self
    }

    /// Asks the function, in place of whoever made the call.
    pub fn asking<F, Fut>(mut self, f: F) -> Self
    where
        F: Fn(ToolCall) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Decision, CallError>> + Send + 'static,
    {
        self.0.ask = Closure(Arc::new(move |call| Box::pin(f(call))));
        self
    }

    fn interceptor(&self) -> Approve {
        self.0.clone()
    }
}

tower_layer!(ApproveLayer);
