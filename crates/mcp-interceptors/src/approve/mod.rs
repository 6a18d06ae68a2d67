//! Calls that somebody has to allow.

mod decision;
mod layer;

use serde_json::{Value, json};

pub use decision::Decision;
pub use layer::ApproveLayer;

use crate::closure::Closure;
use crate::{
    BoxFuture, CallError, CallErrorKind, Delivery, Interceptor, Next, ToolCall, ToolMessage,
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
            Decision::Edit { args } => next.run(call.with_args(args)).await,
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

/// Asks whoever made the call.
async fn ask(call: ToolCall) -> Result<Decision, CallError> {
    let answer = call.ask(question(&call)).await?;
    serde_json::from_value(answer).map_err(|source| {
        let error = CallError::new(CallErrorKind::Layer, "the answer is no decision");
        error.with_source(source).with_delivery(Delivery::NotSent)
    })
}

/// The question as data.
fn question(call: &ToolCall) -> Value {
    let mut question = json!({
        "type": "approval",
        "server": call.server(),
        "tool": call.name(),
        "name": call.tool().name(),
        "args": call.args(),
        "decisions": ["approve", "edit", "reject", "respond"],
    });
    if let (Some(hints), Some(members)) = (call.annotations(), question.as_object_mut())
        && let Ok(hints) = serde_json::to_value(hints)
    {
        members.insert("annotations".to_owned(), hints);
    }
    question
}
