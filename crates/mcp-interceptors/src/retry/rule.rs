//! Which calls may be made again.

use crate::closure::Closure;
use crate::{CallError, CallErrorKind, Delivery, ToolCall, ToolOutcome};

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
        if result.as_ref().is_err_and(is_final) {
            return false;
        }
        if let Some(custom) = &self.custom {
            return custom(call, result);
        }
        match result {
            Ok(outcome) => self.tool_errors && outcome.is_error(),
            Err(error) => {
                may_pass(error)
                    && (error.delivery() == Delivery::NotSent || self.hints && repeatable(call))
            }
        }
    }
}

/// What no repeat can change, or what nobody wants repeated.
fn is_final(error: &CallError) -> bool {
    matches!(
        error.kind(),
        CallErrorKind::Cancelled | CallErrorKind::Interrupted | CallErrorKind::Rejected
    )
}

/// Whether the cause may be gone the next time.
fn may_pass(error: &CallError) -> bool {
    matches!(
        error.kind(),
        CallErrorKind::Connect
            | CallErrorKind::Transport
            | CallErrorKind::TimedOut
            | CallErrorKind::Refused
    )
}

fn repeatable(call: &ToolCall) -> bool {
    let hints = call.annotations();
    hints.is_some_and(|hints| hints.is_read_only() || hints.is_idempotent())
}
