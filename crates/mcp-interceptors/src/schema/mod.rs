//! Arguments and results that have to fit the schemas of their tool.

mod checks;
mod layer;

use serde_json::Value;

use checks::{Checks, Kept};
pub use layer::SchemaLayer;

use crate::{CallError, CallErrorKind, Interceptor, Next, ToolCall, ToolOutcome};

#[derive(Clone, Debug)]
struct Fits(Kept);

impl Interceptor for Fits {
    async fn intercept(&self, call: ToolCall, next: Next) -> Result<ToolOutcome, CallError> {
        let tool = call.tool().tool();
        if call.name() != tool.name {
            // The definition of the tool that runs is not at hand.
            return next.run(call).await;
        }
        let checks = self.0.of(call.server(), tool);
        let args = Value::Object(call.args().clone());
        if let Err(error) = checks.input(&args) {
            let message = format!("the arguments do not fit the tool: {error}");
            return Err(CallError::new(CallErrorKind::InvalidArguments, message));
        }
        let outcome = next.run(call).await?;
        Ok(checked(outcome, &checks))
    }
}

/// A result that does not fit is an error that says so; all that the server gave stays.
fn checked(outcome: ToolOutcome, checks: &Checks) -> ToolOutcome {
    let ToolOutcome::Result(result) = outcome else {
        return outcome;
    };
    let fits = match (result.is_error(), &result.structured_content) {
        (true, _) => Ok(()),
        (false, Some(structured)) => checks.output(structured),
        (false, None) => checks.needs_no_output(),
    };
    let Err(wrong) = fits else {
        return result.into();
    };
    let mut failed = result;
    failed.is_error = Some(true);
    let note = format!("The result does not fit what the tool promises: {wrong}");
    ToolOutcome::from(failed).prefixed(note)
}
