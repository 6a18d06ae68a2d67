//! Calls and what came of them, written down.

mod cassette;
mod error;
mod layer;
mod written;

pub use cassette::Cassette;
pub(crate) use cassette::not_recorded;
pub use error::CassetteError;
pub use layer::RecordLayer;

use crate::{CallError, CallErrorKind, Interceptor, Next, ToolCall, ToolList, ToolOutcome};

#[derive(Debug)]
struct Record(Cassette);

impl Interceptor for Record {
    async fn intercept(&self, call: ToolCall, next: Next) -> Result<ToolOutcome, CallError> {
        let asked = call.clone();
        let result = next.run(call).await;
        if !result.as_ref().is_err_and(is_unfinished) {
            self.0.write(&asked, &result);
        }
        result
    }

    fn list(&self, tools: ToolList) -> ToolList {
        self.0.write_tools(&tools.tools);
        tools
    }
}

/// It goes on later, or nobody knows how it would have ended.
fn is_unfinished(error: &CallError) -> bool {
    matches!(
        error.kind(),
        CallErrorKind::Interrupted | CallErrorKind::Cancelled
    )
}
