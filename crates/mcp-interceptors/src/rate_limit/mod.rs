//! How many calls a time may see.

mod buckets;
mod error;
mod layer;

use std::sync::Arc;
use std::time::Duration;

pub use error::RateLimited;
pub use layer::RateLimitLayer;

use crate::closure::Closure;
use crate::{CallError, CallErrorKind, Interceptor, Next, ToolCall, ToolOutcome};
use buckets::Buckets;

/// What is counted together.
#[derive(Clone, Debug)]
enum Key {
    Server,
    Tool,
    Custom(Closure<dyn Fn(&ToolCall) -> Option<String> + Send + Sync>),
}

impl Key {
    fn of(&self, call: &ToolCall) -> Option<String> {
        match self {
            Self::Server => Some(call.server().to_owned()),
            Self::Tool => Some(format!("{}/{}", call.server(), call.name())),
            Self::Custom(f) => f(call),
        }
    }
}

#[derive(Debug)]
struct RateLimit {
    key: Key,
    buckets: Arc<Buckets>,
    most: Duration,
}

impl Interceptor for RateLimit {
    async fn intercept(&self, call: ToolCall, next: Next) -> Result<ToolOutcome, CallError> {
        let Some(key) = self.key.of(&call) else {
            return next.run(call).await;
        };
        match self.buckets.take(&key, self.most) {
            Ok(Duration::ZERO) => {}
            Ok(pause) => tokio::time::sleep(pause).await,
            Err(retry_after) => {
                let limited = RateLimited { key, retry_after };
                let message = "too many calls";
                let error = CallError::new(CallErrorKind::Refused, message);
                return Err(error.with_source(limited));
            }
        }
        next.run(call).await
    }
}
