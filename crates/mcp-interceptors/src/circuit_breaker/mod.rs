//! A server that keeps failing is left alone for a while.

mod circuits;
mod error;
mod layer;

use std::sync::Arc;

pub use error::CircuitOpen;
pub use layer::CircuitBreakerLayer;

use crate::closure::Closure;
use crate::{CallError, CallErrorKind, Interceptor, Next, ToolCall, ToolOutcome};
use circuits::Circuits;

#[derive(Debug)]
struct CircuitBreaker {
    circuits: Arc<Circuits>,
    fails: Closure<dyn Fn(&Result<ToolOutcome, CallError>) -> bool + Send + Sync>,
}

impl Interceptor for CircuitBreaker {
    async fn intercept(&self, call: ToolCall, next: Next) -> Result<ToolOutcome, CallError> {
        let server = Arc::clone(call.tool().server());
        let attempt = Circuits::enter(&self.circuits, &server).map_err(|retry_after| {
            let server = server.as_ref().to_owned();
            let open = CircuitOpen {
                server,
                retry_after,
            };
            let message = "the server is known to be down, it was not asked";
            CallError::new(CallErrorKind::Refused, message).with_source(open)
        })?;
        let result = next.run(call).await;
        if !result.as_ref().is_err_and(says_nothing) {
            attempt.ended((self.fails)(&result));
        }
        result
    }
}

/// What ended the call before the server was asked, or without waiting for it.
fn says_nothing(error: &CallError) -> bool {
    matches!(
        error.kind(),
        CallErrorKind::Cancelled
            | CallErrorKind::Interrupted
            | CallErrorKind::Refused
            | CallErrorKind::Rejected
    )
}

/// The server, or the way to it; what a tool itself reports says that the server is there.
fn is_servers(result: &Result<ToolOutcome, CallError>) -> bool {
    result.as_ref().is_err_and(|error| {
        matches!(
            error.kind(),
            CallErrorKind::Connect | CallErrorKind::Transport | CallErrorKind::TimedOut
        )
    })
}
