//! An outcome in place of a failure.

mod layer;

pub use layer::FallbackLayer;

use crate::closure::Closure;
use crate::{BoxFuture, CallError, Interceptor, Next, ToolCall, ToolOutcome};

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
            Err(error) if !error.kind().is_decided() && (self.when)(&error) => {
                (self.instead)(kept, error, next).await
            }
            result => result,
        }
    }
}
