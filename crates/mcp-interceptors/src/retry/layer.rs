//! The layer and what it can be told.

use std::sync::Arc;

use super::backoff::Backoff;
use super::budget::Budget;
use super::rule::Rule;
use super::{Policy, Retry};
use crate::closure::{Closure, random};
use crate::layer::tower_layer;
use crate::{CallError, ToolCall, ToolOutcome};

/// Makes a call that failed again.
///
/// By default only where it provably did not run and the cause may pass: the server could not be
/// reached, the connection ended before the call was sent, too many calls were made. A call that
/// was cancelled, rejected or interrupted by a question is never made again.
///
/// Dropping the call ends a pause like anything else.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap().block_on(async {
/// use mcp_interceptors::{CallError, CallErrorKind, LocalTools, RetryLayer, ToolCall, ToolLayers, Toolset};
/// # use mcp_protocol::Tool;
/// # let ping = Tool::new("ping", serde_json::json!({"type": "object"}));
/// let tools = LocalTools::new("s").tool(ping, |call: ToolCall| async move {
///     match call.attempt() {
///         1 => Err(CallError::new(CallErrorKind::Connect, "nobody there")),
///         n => Ok(format!("answered the {n}nd time").into()),
///     }
/// });
/// let tools = ToolLayers::new().layer(RetryLayer::new(3)).around(std::sync::Arc::new(tools));
/// let call = ToolCall::new(tools.tools().await.tools.remove(0), Default::default());
/// assert_eq!(tools.call(call).await.unwrap().text(), "answered the 2nd time");
/// # });
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct RetryLayer(Policy);

impl RetryLayer {
    /// At most `attempts` attempts in all, the first included.
    ///
    /// Pauses are those of [`Backoff::default`]. All calls through this layer and its clones
    /// share a budget: 100 repeats at once, and one for each fifth call in the long run.
    pub fn new(attempts: u32) -> Self {
        Self(Policy {
            attempts,
            backoff: Backoff::default(),
            rule: Rule::default(),
            random: Closure(Arc::new(random)),
            budget: Arc::new(Budget::new(100, 20)),
        })
    }

    /// Sets the pauses.
    pub fn backoff(mut self, backoff: Backoff) -> Self {
        self.0.backoff = backoff;
        self
    }

    /// Sets how many repeats may be made at once, and how many in a hundred calls in the long
    /// run. When they are used up, a failure is given back at once.
    pub fn budget(mut self, reserve: u32, percent: u32) -> Self {
        self.0.budget = Arc::new(Budget::new(reserve, percent));
        self
    }

    /// Makes calls of unknown outcome again too, where the tool says that it only reads or that
    /// running it twice is as good as once. For servers that are trusted.
    pub fn trust_hints(mut self) -> Self {
        self.0.rule.hints = true;
        self
    }

    /// Makes calls again too whose tool reported a failure. It has run then.
    pub fn tool_errors(mut self) -> Self {
        self.0.rule.tool_errors = true;
        self
    }

    /// Decides itself which calls are made again, in place of all other rules.
    pub fn retry_if<F>(mut self, f: F) -> Self
    where
        F: Fn(&ToolCall, &Result<ToolOutcome, CallError>) -> bool + Send + Sync + 'static,
    {
        self.0.rule.custom = Some(Closure(Arc::new(f)));
        self
    }

    /// Sets where random numbers come from: any number from 0 to [`u64::MAX`].
    pub fn random(mut self, f: impl Fn() -> u64 + Send + Sync + 'static) -> Self {
        self.0.random = Closure(Arc::new(f));
        self
    }

    fn interceptor(&self) -> Retry {
        Retry(self.0.clone())
    }
}

tower_layer!(RetryLayer);
