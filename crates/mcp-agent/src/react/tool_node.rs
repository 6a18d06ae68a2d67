//! The node that carries out one tool call. A round has one task for each call.

use std::sync::Arc;

use mcp_interceptors::{BoxFuture, Command, Goto, Scope, ToolMessage};
use mcp_model::{ChatMessage, ToolAnswer, ToolUse};
use serde_json::Value;
use tokio::time::Instant;

use super::answer::{Answer, shown};
use super::results::{FailureClass, Index, StoredResult};
use super::settings::{Memo, Settings};
use super::state::{ReactState, ReactUpdate, read_command};
use super::tally::Count;
use super::tool_work::Work;
use crate::checkpoint::now_ms;
use crate::graph::{NodeError, NodeInput, NodeOutput};
use crate::state::MessagesUpdate;
use crate::stream::{Interest, RunEvent};
use crate::{Error, ErrorKind, Node, Runtime};

/// Carries out the call whose index in the last round is the payload.
pub(crate) struct ToolNode {
    pub(crate) settings: Arc<Settings>,
    /// Where a command to the end leads.
    pub(crate) exit: Goto,
}

impl Node<ReactState> for ToolNode {
    fn run(
        &self,
        input: NodeInput<ReactState>,
        runtime: Runtime,
    ) -> BoxFuture<'static, Result<NodeOutput<ReactUpdate>, NodeError>> {
        let (settings, exit) = (Arc::clone(&self.settings), self.exit.clone());
        Box::pin(async move {
            let mut output = carry_out(&settings, input, runtime).await?;
            let ends = output.goto.iter_mut().filter(|goto| **goto == Goto::End);
            ends.for_each(|goto| *goto = exit.clone());
            Ok(output)
        })
    }
}

async fn carry_out(
    settings: &Settings,
    input: NodeInput<ReactState>,
    runtime: Runtime,
) -> Result<NodeOutput<ReactUpdate>, NodeError> {
    let memo = runtime
        .extension::<Arc<Memo>>()
        .cloned()
        .ok_or_else(|| NodeError::new("the node runs outside its agent"))?;
    let index = input.payload.as_ref().and_then(Value::as_u64);
    let index = index.and_then(|index| usize::try_from(index).ok());
    let (round, index) = input
        .state
        .last_round()
        .zip(index)
        .ok_or_else(|| NodeError::new("there is no round to take a call from"))?;
    let call = round
        .0
        .tool_calls
        .get(index)
        .ok_or_else(|| NodeError::new("there is no such call in the last round"))?;

    let (started_ms, began) = (now_ms(), Instant::now());
    let mut work = Work::new(settings, &memo, &input.state, &runtime, call);
    let answer = match settings.limits.call(&input.state, round.0, index) {
        Some(reached) if reached.at_limit == super::AtLimit::Fail => {
            return Err(Error::new(ErrorKind::CallLimit, reached.what).into());
        }
        Some(reached) => Answer::refused(format!("not called: {}", reached.what)),
        None => work.answer().await?,
    };
    work.watched.ended(&answer);
    let duration = began.elapsed().as_millis();
    let stored = StoredResult {
        server: work.server(),
        tool: call.name.as_str().into(),
        args: std::mem::take(&mut work.args),
        content: Vec::new(),
        structured: None,
        is_error: answer.message.is_error(),
        failure: answer.failure,
        truncated: false,
        started_ms,
        duration_ms: u64::try_from(duration).unwrap_or(u64::MAX),
        index: Index::default(),
    };
    let mut output = write(settings, &runtime, call, answer, stored);
    if let Some(response) = work.response.take() {
        output = output.update(ReactUpdate::default().structured_response(response));
    }
    Ok(output)
}

/// Everything that the call writes: its answer, right behind the call; the whole result; what a
/// command asks for.
fn write(
    settings: &Settings,
    runtime: &Runtime,
    call: &ToolUse,
    answer: Answer,
    mut stored: StoredResult,
) -> NodeOutput<ReactUpdate> {
    let Answer {
        mut message,
        command,
        failure,
    } = answer;
    let (update, goto, parent) = match command {
        None => (ReactUpdate::default(), Vec::new(), Vec::new()),
        Some(command) => obey(command, &mut message),
    };
    let own = settings.is_own(&call.name);
    let mut content = shown(&message, settings.structured);
    if !own && let Some(truncate) = settings.truncate {
        let cut = truncate.content(&content, &call.id);
        stored.truncated = cut.is_some();
        content = cut.unwrap_or(content);
    }
    stored.is_error = message.is_error();
    stored.failure = failure.or_else(|| stored.is_error.then_some(FailureClass::Call));
    stored.content = message.content;
    stored.structured = message.artifact;

    let answer = Arc::new(ChatMessage::Tool(ToolAnswer::new(
        call,
        content,
        stored.is_error,
    )));
    runtime.emit(Interest::MESSAGES, || RunEvent::Message {
        message: Arc::clone(&answer),
    });
    let mut messages = MessagesUpdate::default().and(answer);
    messages.append(update.messages.unwrap_or_default());
    let mut written = ReactUpdate::default()
        .messages(messages)
        .active_server(None)
        .tally(vec![Count::Tool(settings.limits.counted(&call.name))]);
    written.values = update.values;
    if !own {
        let stored = std::iter::once((call.id.clone(), Arc::new(stored)));
        written.tool_results = Some(stored.collect());
    }
    let mut output = NodeOutput::from(written).last_wins();
    output.goto = goto;
    output.parent = parent;
    output
}

/// What a command means for this graph, and for the one around it. A command that does not fit
/// the state is the tool's failure, for the model to read.
fn obey(command: Command, message: &mut ToolMessage) -> (ReactUpdate, Vec<Goto>, Vec<Command>) {
    if command.graph == Scope::Parent {
        return (ReactUpdate::default(), Vec::new(), vec![command]);
    }
    match read_command(command.update) {
        Ok(update) => (update, command.goto, Vec::new()),
        Err(error) => {
            *message = ToolMessage::error(format!("the tool's command was not obeyed: {error}"));
            (ReactUpdate::default(), Vec::new(), Vec::new())
        }
    }
}
