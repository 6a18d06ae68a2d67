//! Calls that are answered as they were before.

mod layer;

pub use layer::ReplayLayer;

use crate::record::not_recorded;
use crate::{CallError, Cassette, Interceptor, Next, ToolCall, ToolOutcome};

#[derive(Clone, Debug)]
struct Replay {
    cassette: Cassette,
    call_others: bool,
}

impl Interceptor for Replay {
    async fn intercept(&self, call: ToolCall, next: Next) -> Result<ToolOutcome, CallError> {
        match self.cassette.play(&call) {
            Some(result) => result,
            None if self.call_others => next.run(call).await,
            None => Err(not_recorded(&call)),
        }
    }
}
