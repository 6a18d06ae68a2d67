//! Which calls may be made again.

use crate::closure::Closure;
use crate::{CallError, Delivery, ToolCall, ToolOutcome};

type Custom = dyn Fn(&ToolCall, &Result<ToolOutcome, CallError>) -> bool + Send + Sync;

/// Which calls may be made again.
#[derive(Clone, Debug, Default)]
pub(super) struct Rule {
    /// Whether a tool that calls itself harmless to repeat is believed.
    pub(super) hints: bool,
    /// Whether a failure that the tool itself reports counts.
    pub(super) tool_errors: bool,
    /// In place of the other rules.
    pub(super) custom: Option<Closure<Custom>>,
}

impl Rule {
    pub(super) fn allows(&self, call: &ToolCall, result: &Result<ToolOutcome, CallError>) -> bool {
        if result
            .as_ref()
            .is_err_and(|error| error.kind().is_decided())
        {
            return false;
        }
        if let Some(custom) = &self.custom {
            return custom(call, result);
        }
        match result {
            Ok(outcome) => self.tool_errors && outcome.is_error(),
            Err(error) => {
                error.kind().is_outage()
                    && (error.delivery() == Delivery::NotSent || self.hints && repeatable(call))
            }
        }
    }
}

fn repeatable(call: &ToolCall) -> bool {
    let hints = call.annotations();
    hints.is_some_and(|hints| hints.is_read_only() || hints.is_idempotent())
}
