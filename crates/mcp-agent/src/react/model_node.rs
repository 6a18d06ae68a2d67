//! The node that asks the model.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use mcp_model::{ChatMessage, ChatRequest, Deltas, ToolChoice};
use tokio::time::Instant;

use super::limits::{AtLimit, Reached};
use super::model_chain::ModelCall;
use super::repair::{name_calls, repair};
use super::settings::{Memo, Settings};
use super::state::{AgentStop, ReactState, ReactUpdate};
use super::tally::Count;
use crate::graph::{NodeError, NodeInput, NodeOutput};
use crate::state::{Field, MessagesUpdate, Write};
use crate::stream::{Interest, RunEvent};
use crate::{Error, ErrorKind, Node, Runtime};

/// Asks the model with the conversation so far and the tools of the run.
pub(crate) struct ModelNode(pub(crate) Arc<Settings>);

impl Node<ReactState> for ModelNode {
    fn run(
        &self,
        input: NodeInput<ReactState>,
        runtime: Runtime,
    ) -> mcp_interceptors::BoxFuture<'static, Result<NodeOutput<ReactUpdate>, NodeError>> {
        let settings = Arc::clone(&self.0);
        Box::pin(async move { ask(&settings, input.state, &runtime).await.map(Into::into) })
    }
}

async fn ask(
    settings: &Settings,
    state: Arc<ReactState>,
    runtime: &Runtime,
) -> Result<ReactUpdate, NodeError> {
    if let Some(reached) = settings.limits.model(&state) {
        return at_limit(reached, runtime);
    }
    let memo = runtime
        .extension::<Arc<Memo>>()
        .ok_or_else(|| NodeError::new("the node runs outside its agent"))?;
    let round = u32::try_from(state.tally.run.model_calls + 1).unwrap_or(u32::MAX);
    let (mut written, request) = request(settings, memo, &state, runtime)?;
    runtime.emit(Interest::AGENT, || RunEvent::RoundStarted {
        round,
        model: Arc::clone(&settings.model_name),
    });

    let began = Instant::now();
    let call = ModelCall {
        model: Arc::clone(&settings.model),
        request,
        state: Arc::clone(&state),
        runtime: runtime.clone(),
        deltas: deltas(runtime, round),
    };
    let mut response = settings.chain.run(call).await?;
    // Only now, as what was repaired is written together with the answer.
    memo.repaired.store(true, Ordering::Relaxed);
    let taken = |id: &str| state.tool_results.contains_key(id);
    name_calls(&mut response.message, runtime.task.seed, taken);
    let calls = &response.message.tool_calls;
    let active = calls.last().map(|call| memo.table.server_of(call));

    let message = Arc::new(ChatMessage::Assistant(response.message));
    runtime.emit(Interest::AGENT, || RunEvent::ModelAnswered {
        message: Arc::clone(&message),
        usage: response.usage,
        duration: began.elapsed(),
    });
    runtime.emit(Interest::MESSAGES, || RunEvent::Message {
        message: Arc::clone(&message),
    });
    written = written.and(message);
    let update = ReactUpdate::default()
        .messages(written)
        .tally(vec![Count::Model(response.usage)]);
    Ok(match active {
        Some(server) => update.active_server(server),
        None => update,
    })
}

/// Where the answer is shown as it is written.
fn deltas(runtime: &Runtime, round: u32) -> Option<Deltas> {
    let wanted = runtime.run.events.wants(Interest::DELTAS);
    wanted.then(|| {
        let runtime = runtime.clone();
        Deltas::new(move |text| {
            runtime.emit(Interest::DELTAS, || RunEvent::MessageDelta {
                round,
                text: text.to_owned(),
            });
        })
    })
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
        message: Arc::clone(&message),
    });
    Ok(ReactUpdate::default()
        .messages(message)
        .stop_reason(AgentStop::ModelCallLimit))
}

/// The question, and what has to be written for the history to be whole. The whole history is
/// looked at once in a run; after that every round leaves it whole.
fn request(
    settings: &Settings,
    memo: &Memo,
    state: &ReactState,
    runtime: &Runtime,
) -> Result<(MessagesUpdate, ChatRequest), NodeError> {
    let mut written = MessagesUpdate::default();
    let mut transcript = state.messages.transcript();
    if !memo.repaired.load(Ordering::Relaxed) {
        written = repair(&state.messages);
        if !written.items().is_empty() {
            let mut messages = state.messages.clone();
            let write = Write::new("model", runtime.task.step, runtime.task.seed);
            messages.apply(written.clone(), &write)?;
            transcript = messages.transcript();
        }
    }
    let mut request = ChatRequest::new(transcript).with_tools(Arc::clone(&memo.table.specs));
    request.system = settings.system.of(state, memo);
    if settings.response.is_some() {
        request.tool_choice = ToolChoice::Required;
    }
    Ok((written, request))
}
