//! An outcome in place of a failure.

mod layer;

pub use layer::FallbackLayer;

use crate::closure::Closure;
use crate::{BoxFuture, CallError, CallErrorKind, Interceptor, Next, ToolCall, ToolOutcome};

type Instead = dyn Fn(ToolCall, CallError, Next) -> BoxFuture<'static, Result<ToolOutcome, CallError>>
    + Send
    + Sync;

#[derive(Clone, Debug)]
struct Fallback {
    when: Closure<dyn Fn(&CallError) -> bool + Send + Sync>,
    instead: Closure<Instead>,
}

impl Interceptor for Fallback {
    async fn intercept(&self, call: ToolCall, next: Next) -> Result<ToolOutcome, CallError> {
        let kept = call.clone();
        match next.run(call).await {
            Err(error) if !is_decided(&error) && (self.when)(&error) => {
                (self.instead)(kept, error, next).await
            }
            result => result,
        }
    }
}

/// What somebody wants to be as it is: it must not be covered up.
fn is_decided(error: &CallError) -> bool {
    matches!(
        error.kind(),
        CallErrorKind::Cancelled | CallErrorKind::Interrupted | CallErrorKind::Rejected
    )
}

/// The server could not be used.
fn is_outage(error: &CallError) -> bool {
    matches!(
        error.kind(),
        CallErrorKind::Connect
            | CallErrorKind::Transport
            | CallErrorKind::TimedOut
            | CallErrorKind::Refused
    )
}
