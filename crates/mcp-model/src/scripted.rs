//! A model for tests: its answers are written down beforehand.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use crate::{
    AssistantMessage, BoxFuture, ChatModel, ChatRequest, ChatResponse, Deltas, ModelError,
    ModelErrorKind, ToolUse,
};

type Reply = Box<dyn FnOnce(&ChatRequest) -> Result<ChatResponse, ModelError> + Send>;

/// A model that gives scripted answers in order and records what it was asked.
///
/// When the script is used up it fails with [`ModelErrorKind::Script`]. Clones share the script
/// and the record.
///
/// ```
/// use mcp_model::{ChatModel, ChatRequest, ScriptedModel, ToolUse};
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let model = ScriptedModel::new()
///     .calls([ToolUse::new("1", "time", "{}")])
///     .says("it is noon");
/// let first = model.generate(ChatRequest::question("time?")).await.unwrap();
/// assert_eq!(first.message.tool_calls[0].name, "time");
/// assert_eq!(model.requests().len(), 1);
/// # });
/// ```
#[derive(Clone, Default)]
pub struct ScriptedModel(Arc<Mutex<Script>>);

#[derive(Default)]
struct Script {
    replies: VecDeque<Reply>,
    requests: Vec<ChatRequest>,
}

impl ScriptedModel {
    /// A script without answers.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Then says this.
    #[must_use]
    pub fn says(self, text: impl Into<String>) -> Self {
        self.answers(AssistantMessage::text_only(text))
    }

    /// Then asks for these tools, without a word.
    #[must_use]
    pub fn calls(self, calls: impl IntoIterator<Item = ToolUse>) -> Self {
        self.answers(AssistantMessage::new(
            Vec::new(),
            calls.into_iter().collect(),
        ))
    }

    /// Then gives this message.
    #[must_use]
    pub fn answers(self, message: AssistantMessage) -> Self {
        self.replies(move |_| Ok(ChatResponse::new(message)))
    }

    /// Then fails.
    #[must_use]
    pub fn fails(self, error: ModelError) -> Self {
        self.replies(move |_| Err(error))
    }

    /// Then replies as `f` says, which may look at the request.
    #[must_use]
    pub fn replies(
        self,
        f: impl FnOnce(&ChatRequest) -> Result<ChatResponse, ModelError> + Send + 'static,
    ) -> Self {
        self.with(|script| script.replies.push_back(Box::new(f)));
        self
    }

    /// What it was asked so far, in order.
    #[must_use]
    pub fn requests(&self) -> Vec<ChatRequest> {
        self.with(|script| script.requests.clone())
    }

    /// How many answers of the script are left.
    #[must_use]
    pub fn left(&self) -> usize {
        self.with(|script| script.replies.len())
    }

    fn with<R>(&self, f: impl FnOnce(&mut Script) -> R) -> R {
        f(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl ChatModel for ScriptedModel {
    fn name(&self) -> &str {
        "scripted"
    }

    fn generate(&self, request: ChatRequest) -> BoxFuture<'_, Result<ChatResponse, ModelError>> {
        let reply = self.with(|script| {
            script.requests.push(request.clone());
            script.replies.pop_front()
        });
        let response = match reply {
            Some(reply) => reply(&request),
            None => Err(ModelError::new(
                ModelErrorKind::Script,
                "the script has no answer left",
            )),
        };
        Box::pin(std::future::ready(response))
    }

    /// Shows the scripted text word by word.
    fn stream(
        &self,
        request: ChatRequest,
        deltas: Deltas,
    ) -> BoxFuture<'_, Result<ChatResponse, ModelError>> {
        let response = self.generate(request);
        Box::pin(async move {
            let response = response.await?;
            for word in response.message.text().split_inclusive(' ') {
                deltas.write(word);
            }
            Ok(response)
        })
    }
}

impl fmt::Debug for ScriptedModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScriptedModel")
            .field("left", &self.left())
            .finish_non_exhaustive()
    }
}
