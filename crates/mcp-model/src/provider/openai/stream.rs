//! An answer of a Chat Completions server that comes in pieces.

use mcp_protocol::ContentBlock;
use serde::Deserialize;
use serde_json::Value;

use super::error::from_body;
use super::reply::{Answer, Tokens, WrittenCall, check_calls, text_of, words};
use crate::http::{Arriving, Reply};
use crate::sse::EventData;
use crate::{ChatRequest, ChatResponse, Deltas, ModelError, ModelErrorKind};

#[derive(Deserialize)]
struct Chunk {
    #[serde(default)]
    model: Option<String>,
    /// Empty in the chunk that carries the cost.
    #[serde(default)]
    choices: Option<Vec<Choice>>,
    #[serde(default)]
    usage: Option<Tokens>,
    #[serde(default)]
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Choice {
    #[serde(default)]
    index: u64,
    #[serde(default)]
    delta: Option<Delta>,
    #[serde(default)]
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Delta {
    #[serde(default)]
    content: Option<Value>,
    #[serde(default)]
    refusal: Option<String>,
    #[serde(default)]
    tool_calls: Option<Vec<CallDelta>>,
}

#[derive(Deserialize)]
struct CallDelta {
    /// Which call of the answer it belongs to. Some servers leave it out, or always say 0.
    #[serde(default)]
    index: Option<u64>,
    /// In the first piece of a call only.
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    function: Option<FunctionDelta>,
}

#[derive(Default, Deserialize)]
struct FunctionDelta {
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    arguments: Value,
}

/// Reads an answer to its end and shows its text as it comes.
pub(super) async fn read(
    mut arriving: Arriving,
    request: &ChatRequest,
    deltas: &Deltas,
) -> Result<ChatResponse, ModelError> {
    let (mut events, mut written) = (EventData::default(), Written::default());
    while !written.done {
        let Some(piece) = arriving.piece().await? else {
            return written.broke_off(request);
        };
        events.feed(&piece, |data| written.event(data, &arriving, deltas))?;
    }
    arriving.leave().await;
    written.finish(request)
}

/// What has been written so far.
#[derive(Default)]
struct Written {
    answer: Answer,
    /// The place in the answer of each call, by the server's index.
    indices: Vec<Option<u64>>,
    has_choice: bool,
    done: bool,
}

impl Written {
    fn event(
        &mut self,
        data: Vec<u8>,
        arriving: &Arriving,
        deltas: &Deltas,
    ) -> Result<(), ModelError> {
        if self.done || data.trim_ascii() == b"[DONE]" {
            self.done = true;
            return Ok(());
        }
        let chunk: Chunk = serde_json::from_slice(&data).map_err(|error| {
            let message = "a piece of the model's answer is not a chunk of a chat completion";
            ModelError::new(ModelErrorKind::Decode, message).with_source(error)
        })?;
        if chunk.error.is_some() {
            return Err(from_body(&Reply {
                status: arriving.status,
                headers: arriving.headers.clone(),
                body: data.into(),
            }));
        }
        self.take(chunk, deltas)
    }

    fn take(&mut self, chunk: Chunk, deltas: &Deltas) -> Result<(), ModelError> {
        if chunk.model.is_some() {
            self.answer.model = chunk.model;
        }
        if chunk.usage.is_some() {
            self.answer.usage = chunk.usage;
        }
        let choices = chunk.choices.into_iter().flatten();
        // One answer was asked for.
        for choice in choices.filter(|choice| choice.index == 0) {
            self.has_choice = true;
            if choice.finish_reason.is_some() {
                self.answer.finish = choice.finish_reason;
            }
            if let Some(delta) = choice.delta {
                self.delta(delta, deltas)?;
            }
        }
        Ok(())
    }

    fn delta(&mut self, delta: Delta, deltas: &Deltas) -> Result<(), ModelError> {
        if let Some(text) = delta.content.and_then(text_of).filter(|t| !t.is_empty()) {
            deltas.write(&text);
            self.answer.text.push_str(&text);
        }
        if let Some(text) = delta.refusal {
            if self.answer.text.is_empty() && !text.is_empty() {
                deltas.write(&text);
            }
            self.answer.refusal.get_or_insert_default().push_str(&text);
        }
        for call in delta.tool_calls.into_iter().flatten() {
            self.call(call)?;
        }
        Ok(())
    }

    fn call(&mut self, delta: CallDelta) -> Result<(), ModelError> {
        let function = delta.function.unwrap_or_default();
        let id = delta.id.filter(|id| !id.is_empty());
        let name = function.name.filter(|name| !name.is_empty());
        let at = match self.begun(delta.index, id.as_deref(), name.as_deref()) {
            Some(at) => at,
            None => {
                self.answer.calls.push(WrittenCall::default());
                self.indices.push(delta.index);
                check_calls(&self.answer.calls)?;
                self.answer.calls.len() - 1
            }
        };
        if let Some(call) = self.answer.calls.get_mut(at) {
            call.id = call.id.take().or(id);
            if call.name.is_empty() {
                call.name = name.unwrap_or_default();
            }
            call.arguments.push_str(&words(function.arguments));
        }
        Ok(())
    }

    /// The call that a piece belongs to, if it has begun. A piece with an id of its own begins
    /// another call whatever its index, as some servers number none or all alike.
    fn begun(&self, index: Option<u64>, id: Option<&str>, name: Option<&str>) -> Option<usize> {
        let last = self.answer.calls.len().checked_sub(1)?;
        let at = match index {
            Some(_) => self.indices.iter().rposition(|known| *known == index)?,
            None if name.is_some() => return None,
            None => last,
        };
        let known = self.answer.calls.get(at)?.id.as_deref();
        let other = id.is_some() && known.is_some() && id != known;
        (!other).then_some(at)
    }

    /// The body ended. Servers that follow OpenAI do not all say that they are done.
    fn broke_off(self, request: &ChatRequest) -> Result<ChatResponse, ModelError> {
        if self.answer.finish.is_some() {
            return self.finish(request);
        }
        let message = "the model's answer broke off before its end";
        Err(ModelError::new(ModelErrorKind::Transport, message))
    }

    fn finish(self, request: &ChatRequest) -> Result<ChatResponse, ModelError> {
        if !self.has_choice {
            let message = "the model's answer has no choice in it";
            return Err(ModelError::new(ModelErrorKind::Decode, message));
        }
        self.answer.response(request)
    }
}

/// Shows an answer that came whole where pieces were asked for.
pub(super) fn show(response: &ChatResponse, deltas: &Deltas) {
    let texts = response.message.content.iter();
    for text in texts.filter_map(ContentBlock::as_text) {
        deltas.write(text);
    }
}
