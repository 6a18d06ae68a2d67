//! Long results: the beginning and the end for the model, the whole kept.

mod cut;
mod kept;
mod layer;
mod read;
mod whole;

use mcp_protocol::ContentBlock;

pub use cut::Truncate;
pub use kept::KeptResults;
pub use layer::TruncateLayer;
pub use read::{READ_TOOL_RESULT, read_tool_result, read_tool_result_tool};
pub use whole::{TextIndex, WholeText};

use crate::closure::Closure;
use crate::{CallError, Interceptor, Next, ToolCall, ToolOutcome};

type Keep = dyn Fn(&ToolCall, String) -> String + Send + Sync;

#[derive(Clone, Debug)]
struct Cutting {
    truncate: Truncate,
    keep: Closure<Keep>,
}

impl Cutting {
    fn cut(&self, call: &ToolCall, content: &mut Vec<ContentBlock>) {
        if !self.truncate.is_too_long(content) {
            return;
        }
        let id = (self.keep)(call, cut::joined(content));
        if let Some(cut) = self.truncate.content(content, &id) {
            *content = cut;
        }
    }
}

impl Interceptor for Cutting {
    async fn intercept(&self, call: ToolCall, next: Next) -> Result<ToolOutcome, CallError> {
        let kept = call.clone();
        let mut outcome = next.run(call).await?;
        match &mut outcome {
            ToolOutcome::Result(result) => self.cut(&kept, &mut result.content),
            ToolOutcome::Message(message) => self.cut(&kept, &mut message.content),
            ToolOutcome::Command(command) => {
                if let Some(message) = &mut command.message {
                    self.cut(&kept, &mut message.content);
                }
            }
        }
        Ok(outcome)
    }
}
