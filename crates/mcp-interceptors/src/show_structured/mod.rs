//! Structured content for models that read text.

mod layer;

use mcp_protocol::{CallToolResult, ContentBlock};
use serde_json::Value;

pub use layer::ShowStructuredLayer;

use crate::{CallError, Interceptor, Next, ToolCall, ToolMessage, ToolOutcome};

/// Whether a model is shown a result's structured content, as JSON text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ShowStructured {
    /// Never.
    Never,
    /// When there is no other content.
    #[default]
    IfNoText,
    /// Behind the other content, always.
    Always,
}

impl ShowStructured {
    /// Puts the structured content behind the other content, if that is to be.
    pub fn append(self, content: &mut Vec<ContentBlock>, structured: Option<&Value>) {
        let show = match self {
            Self::Never => false,
            Self::IfNoText => content.is_empty(),
            Self::Always => true,
        };
        if let Some(structured) = structured.filter(|_| show) {
            content.push(ContentBlock::text(structured.to_string()));
        }
    }
}

impl Interceptor for ShowStructured {
    async fn intercept(&self, call: ToolCall, next: Next) -> Result<ToolOutcome, CallError> {
        let mut outcome = next.run(call).await?;
        match &mut outcome {
            ToolOutcome::Result(CallToolResult {
                content,
                structured_content,
                ..
            }) => self.append(content, structured_content.as_ref()),
            ToolOutcome::Message(message) => self.append_to(message),
            ToolOutcome::Command(command) => {
                if let Some(message) = &mut command.message {
                    self.append_to(message);
                }
            }
        }
        Ok(outcome)
    }
}

impl ShowStructured {
    fn append_to(self, message: &mut ToolMessage) {
        let ToolMessage {
            content, artifact, ..
        } = message;
        self.append(content, artifact.as_ref());
    }
}
