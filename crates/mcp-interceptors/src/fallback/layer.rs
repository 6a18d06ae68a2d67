//! The layer and what it can be told.

use std::sync::Arc;

use super::Fallback;
use crate::closure::Closure;
use crate::layer::tower_layer;
use crate::{CallError, CallErrorKind, Next, ToolCall, ToolOutcome};

/// Gives another outcome where a call has none.
///
/// By default where the server could not be used: it was not reached, the connection broke, no
/// answer came in time, or the call was refused here. A call that was cancelled, rejected or
/// interrupted by a question never falls back. A failure that the tool reports is an outcome and
/// stays.
///
/// ```
/// use mcp_interceptors::{CallErrorKind, FallbackLayer, ToolCall, ToolLayers};
/// let layers = ToolLayers::new()
///     .layer(FallbackLayer::with(|call: ToolCall, error| async move {
///         Ok(match error.kind() {
///             CallErrorKind::TimedOut => format!("{} took too long, try it later", call.name()),
///             _ => "the service is down, these are yesterday's figures".to_owned(),
///         }
///         .into())
///     }));
/// # assert_eq!(layers.len(), 1);
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct FallbackLayer(Fallback);

impl FallbackLayer {
    /// Always the same outcome, such as a text.
    pub fn to(outcome: impl Into<ToolOutcome>) -> Self {
        let outcome = outcome.into();
        Self::with(move |_, _| std::future::ready(Ok(outcome.clone())))
    }

    /// Another tool of the same server, with the same arguments.
    pub fn to_tool(name: impl Into<String>) -> Self {
        let name = name.into();
        Self::with_next(move |call, _, next: Next| {
            let call = call.with_name(name.clone());
            async move { next.run(call).await }
        })
    }

    /// What the function makes of the call and the error. It may fail too.
    pub fn with<F, Fut>(f: F) -> Self
    where
        F: Fn(ToolCall, CallError) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<ToolOutcome, CallError>> + Send + 'static,
    {
        Self::with_next(move |call, error, _| f(call, error))
    }

    fn with_next<F, Fut>(f: F) -> Self
    where
        F: Fn(ToolCall, CallError, Next) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<ToolOutcome, CallError>> + Send + 'static,
    {
        Self(Fallback {
            when: Closure(Arc::new(|error| error.kind().is_outage())),
            instead: Closure(Arc::new(move |call, error, next| {
                Box::pin(f(call, error, next))
            })),
        })
    }

    /// Only for failures of these kinds.
    pub fn on(self, kinds: impl Into<Vec<CallErrorKind>>) -> Self {
        let kinds = kinds.into();
        self.when(move |error| kinds.contains(&error.kind()))
    }

    /// Only for these failures.
    pub fn when(mut self, f: impl Fn(&CallError) -> bool + Send + Sync + 'static) -> Self {
        self.0.when = Closure(Arc::new(f));
        self
    }

    fn interceptor(&self) -> Fallback {
        self.0.clone()
    }
}

tower_layer!(FallbackLayer);
