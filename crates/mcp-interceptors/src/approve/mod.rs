//! Calls that somebody has to allow.

mod decision;
mod layer;

use serde_json::{Value, json};

pub use decision::Decision;
pub use layer::ApproveLayer;

use crate::closure::Closure;
use crate::{
    BoxFuture, CallError, CallErrorKind, Interceptor, JsonMap, Next, ToolCall, ToolMessage,
    ToolOutcome,
};

type Asking = dyn Fn(ToolCall) -> BoxFuture<'static, Result<Decision, CallError>> + Send + Sync;

#[derive(Clone, Debug)]
struct Approve {
    which: Closure<dyn Fn(&ToolCall) -> bool + Send + Sync>,
    ask: Closure<Asking>,
}

impl Interceptor for Approve {
    async fn intercept(&self, call: ToolCall, next: Next) -> Result<ToolOutcome, CallError> {
        if !(self.which)(&call) {
            return next.run(call).await;
        }
        match (self.ask)(call.clone()).await? {
            Decision::Approve => next.run(call).await,
            Decision::Edit { args } => {
                let note = edited(&args);
                let outcome = next.run(call.with_args(args)).await?;
                Ok(outcome.prefixed(note))
            }
            Decision::Respond { message } => Ok(ToolMessage::text(message).into()),
            Decision::Reject { message } => Err(CallError::new(
                CallErrorKind::Rejected,
                match message {
                    Some(message) => format!("the call was rejected: {message}"),
                    None => "the call was rejected".to_owned(),
                },
            )),
        }
    }
}

/// What the model reads before the result of a call that was made with other arguments.
fn edited(args: &JsonMap) -> String {
    let args = serde_json::to_string(args).unwrap_or_default();
    let shown: String = args.chars().take(MAX_NOTE).collect();
    let more = if shown.len() < args.len() { "..." } else { "" };
    format!("[The user had this call made with other arguments: {shown}{more}]")
}

/// How many characters of changed arguments a model is shown.
const MAX_NOTE: usize = 1_000;

/// Asks whoever made the call whether it is to be made, as [`ApproveLayer`] does.
///
/// # Errors
/// As [`ToolCall::ask_for`].
///
/// # Cancel safety
/// Dropping the future gives the question up.
pub async fn ask_approval(call: &ToolCall) -> Result<Decision, CallError> {
    call.ask_for(question(call), Decision::read).await
}

/// The question as data.
fn question(call: &ToolCall) -> Value {
    let mut question = json!({
        "type": "approval",
        "server": call.server(),
        "tool": call.name(),
        "name": call.tool().name(),
        "args": call.args(),
        "decisions": Decision::TYPES,
    });
    if let (Some(hints), Some(members)) = (call.annotations(), question.as_object_mut())
        && let Ok(hints) = serde_json::to_value(hints)
    {
        members.insert("annotations".to_owned(), hints);
    }
    question
}
