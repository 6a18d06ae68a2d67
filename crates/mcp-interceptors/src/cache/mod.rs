//! Outcomes that are kept, so that an equal call need not be made.

mod key;
mod layer;
mod outcomes;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

pub use layer::CacheLayer;

use crate::closure::Closure;
use crate::{CallError, Interceptor, Next, RawResult, ToolCall, ToolOutcome};
use outcomes::Outcomes;

#[derive(Clone, Debug)]
struct Cache {
    kept: Arc<Mutex<Outcomes>>,
    ttl: Duration,
    key: Closure<dyn Fn(&ToolCall) -> Option<String> + Send + Sync>,
    which: Closure<dyn Fn(&ToolCall) -> bool + Send + Sync>,
}

impl Cache {
    fn kept(&self) -> MutexGuard<'_, Outcomes> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Interceptor for Cache {
    async fn intercept(&self, call: ToolCall, next: Next) -> Result<ToolOutcome, CallError> {
        let cached = (self.which)(&call).then(|| (self.key)(&call)).flatten();
        let Some(key) = cached else {
            return next.run(call).await;
        };
        let hit = self.kept().get(&key, Instant::now());
        if let Some(outcome) = hit {
            // As if the server had answered, for layers further out.
            if let (Some(raw), ToolOutcome::Result(result)) =
                (call.extensions().get::<RawResult>(), &outcome)
            {
                raw.put(result.clone());
            }
            return Ok(outcome);
        }
        let outcome = next.run(call).await?;
        if !outcome.is_error()
            && let Some(until) = Instant::now().checked_add(self.ttl)
        {
            self.kept().put(key, &outcome, until);
        }
        Ok(outcome)
    }
}
