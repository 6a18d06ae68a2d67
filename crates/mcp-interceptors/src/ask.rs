//! Questions of layers to whoever made the call.

use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use crate::{BoxFuture, CallError};

type Asking = dyn Fn(Value) -> BoxFuture<'static, Result<Value, CallError>> + Send + Sync;

/// Answers questions of layers and of those that carry a call out: approvals, choices, values.
/// Who makes a call puts one into its extensions; layers use [`ToolCall::ask`].
///
/// [`ToolCall::ask`]: crate::ToolCall::ask
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// use mcp_interceptors::Ask;
/// let yes = Ask::new(|_question| async { Ok(true.into()) });
/// assert_eq!(yes.ask("may I?".into()).await.unwrap(), true);
/// # });
/// ```
#[derive(Clone)]
pub struct Ask(Arc<Asking>);

impl Ask {
    /// Questions go to `f`. Where the answer comes later it gives back a
    /// [`CallError::interrupted`].
    pub fn new<F, Fut>(f: F) -> Self
    where
        F: Fn(Value) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Value, CallError>> + Send + 'static,
    {
        Self(Arc::new(move |question| Box::pin(f(question))))
    }

    /// Asks.
    ///
    /// # Errors
    /// If there is no answer, or not yet.
    ///
    /// # Cancel safety
    /// Dropping the future gives the question up.
    pub fn ask(&self, question: Value) -> BoxFuture<'static, Result<Value, CallError>> {
        (self.0)(question)
    }
}

impl fmt::Debug for Ask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Ask")
    }
}
