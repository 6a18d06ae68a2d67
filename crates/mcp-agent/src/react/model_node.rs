//! The node that asks the model.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use mcp_model::{AssistantMessage, ChatMessage, ChatRequest, ToolUse};
use serde_json::Value;
use tokio::time::Instant;

use super::limits::{AtLimit, Reached};
use super::memo::Memo;
use super::model_chain::{Left, ModelCall, Notes};
use super::repair::{name_calls, repair};
use super::response::{ResponseFormat, Taken};
use super::settings::Settings;
use super::state::{AgentStop, ReactState, ReactUpdate};
use super::table::Table;
use super::tally::Count;
use crate::graph::{NodeError, NodeInput, NodeOutput};
use crate::state::{Field, MessagesUpdate, Write};
use crate::stream::{Interest, RunEvent};
use crate::{Error, ErrorKind, Node, Runtime};

/// Asks the model with the conversation so far and the tools of the run.
pub(crate) struct ModelNode(pub(crate) Arc<Settings>);

impl Node<ReactState> for ModelNode {
    fn tells_its_messages(&self) -> bool {
        true
    }

    fn run(
        &self,
        input: NodeInput<ReactState>,
        runtime: Runtime,
    ) -> mcp_interceptors::BoxFuture<'static, Result<NodeOutput<ReactUpdate>, NodeError>> {
        let settings = Arc::clone(&self.0);
        Box::pin(async move {
            let memo = runtime.extension::<Arc<Memo>>().cloned();
            let memo = memo.ok_or_else(|| NodeError::new("the node runs outside its agent"))?;
            let round = input.state.tally.run.model_calls + 1;
            let asking = Asking {
                table: memo.latest(&settings, &runtime).await,
                settings: &settings,
                memo: &memo,
                state: input.state,
                runtime: &runtime,
                round: u32::try_from(round).unwrap_or(u32::MAX),
            };
            asking.ask().await
        })
    }
}

/// A question to the model, and what it takes to ask it.
struct Asking<'a> {
    settings: &'a Settings,
    memo: &'a Memo,
    table: Arc<Table>,
    state: Arc<ReactState>,
    runtime: &'a Runtime,
    round: u32,
}

impl Asking<'_> {
    /// Asks; an answer in words that lacks its form is asked for again.
    async fn ask(&self) -> Result<NodeOutput<ReactUpdate>, NodeError> {
        let (mut written, mut request) = self.request()?;
        let mut counts = Vec::new();
        let mut output = NodeOutput::none();
        for _ in 0..ResponseFormat::TRIES {
            let tries = counts
                .iter()
                .filter(|count| matches!(count, Count::Model(_)));
            let tries = u64::try_from(tries.count()).unwrap_or(u64::MAX);
            if let Some(reached) = self.settings.limits.model(&self.state, tries) {
                let ended = at_limit(reached, self.runtime)?;
                return Ok(done(output, written, counts, None).update(ended));
            }
            let (said, left) = self.answer(request.clone(), &mut counts).await?;
            output.updates.extend(left.updates);
            let taken = left.asked.map_or_else(Taken::default, |(format, by_tool)| {
                format.take(by_tool, &said)
            });
            let active = self.active(&said);
            let message = Arc::new(ChatMessage::Assistant(said));
            for message in std::iter::once(&message).chain(&taken.answers) {
                self.tell(message);
                written = written.and(Arc::clone(message));
            }
            counts.extend(taken.answers.iter().map(|_| Count::Tool(None)));
            output.updates.extend(taken.response.map(responded));
            let Some(wrong) = taken.wrong else {
                return Ok(done(output, written, counts, active));
            };
            let note = Arc::new(ChatMessage::user(wrong));
            request.messages.extend([message, Arc::clone(&note)]);
            written = written.and(note);
        }
        let message = "the model's answer does not fit its form, however often it was asked";
        Err(Error::new(ErrorKind::Model, message).into())
    }

    /// One answer of the model, whose calls have ids and names that providers take, and what was
    /// left on the way.
    async fn answer(
        &self,
        request: ChatRequest,
        counts: &mut Vec<Count>,
    ) -> Result<(AssistantMessage, Left), NodeError> {
        let (settings, runtime) = (self.settings, self.runtime);
        runtime.emit(Interest::AGENT, || RunEvent::RoundStarted {
            round: self.round,
            model: Arc::clone(&settings.model_name),
        });
        let began = Instant::now();
        let notes = Notes::default();
        let call = ModelCall {
            model: Arc::clone(&settings.model),
            request,
            state: Arc::clone(&self.state),
            runtime: runtime.clone(),
            deltas: runtime.deltas_of(self.round),
            response: settings.response.clone(),
            notes: notes.clone(),
        };
        let mut response = settings.chain.run(call).await?;
        // Only now, as what was repaired is written together with the answer.
        self.memo.repaired.store(true, Ordering::Relaxed);
        let taken = |id: &str| self.state.tool_results.contains_key(id);
        name_calls(&mut response.message, runtime.task.seed, taken);
        if let Some(reached) = settings.limits.fails(&self.state, &response.message) {
            return Err(Error::new(ErrorKind::CallLimit, reached.what).into());
        }
        runtime.emit(Interest::AGENT, || RunEvent::ModelAnswered {
            message: Arc::new(ChatMessage::Assistant(response.message.clone())),
            usage: response.usage,
            duration: began.elapsed(),
        });
        counts.push(Count::Model(response.usage));
        Ok((response.message, notes.take()))
    }

    /// The server of the last call that a tool is to carry out, if there is such a call.
    fn active(&self, said: &AssistantMessage) -> Option<Option<Arc<str>>> {
        let answers = self.settings.response.is_some();
        let is_answer = |call: &&ToolUse| answers && call.name == ResponseFormat::TOOL;
        let last = said.tool_calls.iter().rev().find(|call| !is_answer(call))?;
        Some(self.table.server_of(last))
    }

    fn tell(&self, message: &Arc<ChatMessage>) {
        self.runtime.emit(Interest::MESSAGES, || RunEvent::Message {
            node: Arc::clone(&self.runtime.task.node),
            message: Arc::clone(message),
        });
    }

    /// The question, and what has to be written for the history to be whole. The whole history
    /// is looked at once in a run, and when somebody has changed it; after that every round
    /// leaves it whole.
    fn request(&self) -> Result<(MessagesUpdate, ChatRequest), NodeError> {
        let (state, runtime) = (&self.state, self.runtime);
        let mut written = MessagesUpdate::default();
        let mut transcript = state.messages.transcript();
        if !self.memo.repaired.load(Ordering::Relaxed) {
            written = repair(&state.messages);
            if !written.items().is_empty() {
                let mut messages = state.messages.clone();
                let write = Write::new("model", runtime.task.step, runtime.task.seed);
                messages.apply(written.clone(), &write)?;
                transcript = messages.transcript();
            }
        }
        let mut request = ChatRequest::new(transcript).with_tools(Arc::clone(&self.table.specs));
        request.system = self.settings.system.of(state, self.memo);
        Ok((written, request))
    }
}

/// Everything that is written, the messages first.
fn done(
    mut output: NodeOutput<ReactUpdate>,
    written: MessagesUpdate,
    counts: Vec<Count>,
    active: Option<Option<Arc<str>>>,
) -> NodeOutput<ReactUpdate> {
    let mut update = ReactUpdate::default().messages(written).tally(counts);
    update.active_server = active;
    output.updates.reserve_exact(1);
    output.updates.insert(0, update);
    output.last_wins()
}

fn responded(response: Value) -> ReactUpdate {
    ReactUpdate::default().structured_response(response)
}

/// Ends the agent, or the run.
fn at_limit(reached: Reached, runtime: &Runtime) -> Result<ReactUpdate, NodeError> {
    if reached.at_limit == AtLimit::Fail {
        return Err(Error::new(ErrorKind::CallLimit, reached.what).into());
    }
    let message = Arc::new(ChatMessage::assistant(format!(
        "I stopped: {}.",
        reached.what
    )));
    runtime.emit(Interest::MESSAGES, || RunEvent::Message {
        node: Arc::clone(&runtime.task.node),
        message: Arc::clone(&message),
    });
    Ok(ReactUpdate::default()
        .messages(message)
        .stop_reason(AgentStop::ModelCallLimit))
}
