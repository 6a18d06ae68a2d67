//! What must not be passed on.

mod layer;
mod rules;

use std::sync::Arc;

pub use layer::RedactLayer;

use crate::{CallError, CallErrorKind, Interceptor, Next, RawResult, ToolCall, ToolOutcome};
pub(crate) use rules::Rules;

#[derive(Clone, Debug)]
struct Redact {
    rules: Arc<Rules>,
    arguments: bool,
}

impl Redact {
    /// The error without what must not be passed on. It then says everything in one line.
    fn error(&self, error: CallError) -> CallError {
        if error.kind() == CallErrorKind::Interrupted {
            return error;
        }
        let mut text = error.chain();
        if !self.rules.text(&mut text) {
            return error;
        }
        let clean = CallError::new(error.kind(), text).with_delivery(error.delivery());
        match error.code() {
            Some(code) => clean.with_code(code),
            None => clean,
        }
    }
}

impl Interceptor for Redact {
    async fn intercept(&self, mut call: ToolCall, next: Next) -> Result<ToolOutcome, CallError> {
        if self.arguments {
            let mut args = call.args().clone();
            self.rules.members(args.iter_mut());
            call = call.with_args(args);
        }
        let raw = call.extensions().get::<RawResult>().cloned();
        let result = next.run(call).await;
        // The model may be answered with what was put aside.
        if let Some(raw) = raw
            && let Some(mut result) = raw.take()
        {
            self.rules.result(&mut result);
            raw.put(result);
        }
        match result {
            Ok(mut outcome) => {
                self.rules.outcome(&mut outcome);
                Ok(outcome)
            }
            Err(error) => Err(self.error(error)),
        }
    }
}
