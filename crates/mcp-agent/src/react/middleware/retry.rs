//! The same model once more.

use std::time::Duration;

use mcp_model::{ChatResponse, ModelError, ModelErrorKind};

use crate::hash::Hash;
use crate::react::{Middleware, ModelCall, ModelNext, ReactBuilder};

/// Asks the model again where the same question may be answered later: when there were too many
/// questions, the provider was busy, or the connection broke.
///
/// 3 attempts in all; 1 s before the second, twice that before each further one, at most 60 s,
/// and a little more so that many do not come at once. Where the provider says how long to wait
/// that counts, up to the same 60 s.
#[derive(Clone, Copy, Debug)]
pub struct ModelRetry {
    attempts: u32,
    first: Duration,
    longest: Duration,
}

impl Default for ModelRetry {
    fn default() -> Self {
        Self {
            attempts: 3,
            first: Duration::from_secs(1),
            longest: Duration::from_secs(60),
        }
    }
}

impl ModelRetry {
    /// So many attempts, the first included.
    #[must_use]
    pub fn new(attempts: u32) -> Self {
        Self {
            attempts,
            ..Self::default()
        }
    }

    /// How long to wait before the second attempt, and at most.
    #[must_use]
    pub const fn wait(mut self, first: Duration, longest: Duration) -> Self {
        self.first = first;
        self.longest = longest;
        self
    }

    fn pause(&self, attempt: u32, error: &ModelError, seed: u64) -> Option<Duration> {
        if attempt >= self.attempts || !error.is_transient() {
            return None;
        }
        let told = match error.kind() {
            ModelErrorKind::RateLimited { retry_after } => retry_after,
            _ => None,
        };
        let factor = 2_u32.saturating_pow(attempt.saturating_sub(1));
        let wait = told.unwrap_or_else(|| self.first.saturating_mul(factor));
        let jitter = Hash::new(seed).number(u64::from(attempt)).finish() % 250;
        Some(wait.min(self.longest) + Duration::from_millis(jitter))
    }
}

impl Middleware for ModelRetry {
    fn install(self, agent: ReactBuilder) -> ReactBuilder {
        agent.wrap_model(move |call, next| ask(call, next, self))
    }
}

async fn ask(
    call: ModelCall,
    next: ModelNext,
    retry: ModelRetry,
) -> Result<ChatResponse, ModelError> {
    let seed = call.runtime.task.seed;
    let mut attempt = 1;
    loop {
        let error = match next.run(call.clone()).await {
            Ok(answer) => return Ok(answer),
            Err(error) => error,
        };
        let Some(pause) = retry.pause(attempt, &error, seed) else {
            return Err(error);
        };
        tracing::warn!(%error, ?pause, attempt, "the model gave no answer");
        tokio::time::sleep(pause).await;
        attempt += 1;
    }
}
