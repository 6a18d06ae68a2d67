//! The one trait that every chat model speaks.

use std::fmt;

use crate::{BoxFuture, ChatRequest, ChatResponse, Deltas, ModelError};

/// A model that answers a conversation, with text or by asking for tools.
///
/// ```
/// use mcp_model::{ChatModel, ChatRequest, ScriptedModel};
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let model = ScriptedModel::new().says("four");
/// let answer = model.generate(ChatRequest::question("two and two?")).await.unwrap();
/// assert_eq!(answer.message.text(), "four");
/// # });
/// ```
pub trait ChatModel: fmt::Debug + Send + Sync + 'static {
    /// What the model is called, for logs and transcripts.
    fn name(&self) -> &str;

    /// Whether it keeps to a [form of its words](ChatRequest::answer_schema).
    fn takes_answer_schema(&self) -> bool {
        false
    }

    /// Answers the conversation once.
    ///
    /// # Errors
    /// When there is no answer; [`ModelError::kind`] says whose fault that is.
    ///
    /// # Cancel safety
    /// Dropping the future gives the answer up. The provider may have counted the tokens.
    fn generate(&self, request: ChatRequest) -> BoxFuture<'_, Result<ChatResponse, ModelError>>;

    /// Answers the conversation once and shows the text of the answer as it is written. A model
    /// that cannot do that shows nothing before its answer.
    ///
    /// # Errors
    /// As [`generate`](Self::generate). What was shown until then was not the answer.
    ///
    /// # Cancel safety
    /// As [`generate`](Self::generate).
    fn stream(
        &self,
        request: ChatRequest,
        deltas: Deltas,
    ) -> BoxFuture<'_, Result<ChatResponse, ModelError>> {
        drop(deltas);
        self.generate(request)
    }
}
