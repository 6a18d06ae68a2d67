//! Calls that are made again when they failed.
//!
//! [`RetryLayer`] sees both what went wrong on the way and what the tool itself reports. By
//! default it makes a call again only where the first provably did not run.

mod backoff;
mod budget;
mod layer;
mod rule;

use std::sync::Arc;

pub use backoff::Backoff;
pub use layer::RetryLayer;

use crate::closure::Closure;
use crate::{CallError, Interceptor, Next, ToolCall, ToolOutcome};
use budget::Budget;
use rule::Rule;

/// What a layer was told.
#[derive(Clone, Debug)]
struct Policy {
    attempts: u32,
    backoff: Backoff,
    rule: Rule,
    random: Closure<dyn Fn() -> u64 + Send + Sync>,
    budget: Arc<Budget>,
}

impl Policy {
    /// Whether a call that came to this is made again.
    fn again(&self, call: &ToolCall, tried: u32, result: &Result<ToolOutcome, CallError>) -> bool {
        tried < self.attempts && self.rule.allows(call, result) && self.budget.withdraw()
    }
}

#[derive(Debug)]
struct Retry(Policy);

impl Interceptor for Retry {
    async fn intercept(&self, call: ToolCall, next: Next) -> Result<ToolOutcome, CallError> {
        let policy = &self.0;
        policy.budget.deposit();
        let first = call.attempt();
        let mut tried = 0;
        loop {
            let attempt = call.clone().with_attempt(first.saturating_add(tried));
            let result = next.run(attempt).await;
            tried += 1;
            if !policy.again(&call, tried, &result) {
                return result;
            }
            let pause = policy.backoff.pause(tried - 1, (policy.random)());
            tracing::debug!(
                server = call.server(),
                tool = call.name(),
                tried,
                ?pause,
                "the call is made again"
            );
            tokio::time::sleep(pause).await;
        }
    }
}
