//! The node that carries out one tool call. A round has one task for each call.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt;
use http::Extensions;
use mcp_interceptors::{
    BoxFuture, CallError, CallErrorKind, Command, JsonMap, RawResult, Reports, Scope, ToolCall,
    ToolMessage, ToolOutcome,
};
use mcp_model::{ChatMessage, ToolAnswer, ToolUse};
use tokio::time::Instant;

use super::answer::{Answer, shown};
use super::events::Watched;
use super::reader;
use super::results::{FailureClass, StoredResult};
use super::settings::{Memo, Settings};
use super::state::{ReactState, ReactUpdate, read_command};
use super::table::{Entry, Table};
use crate::checkpoint::now_ms;
use crate::graph::{Failure, NodeError, NodeInput, NodeOutput, panic_text};
use crate::state::MessagesUpdate;
use crate::stream::{Interest, RunEvent};
use crate::{Node, Runtime, ToolRuntime};

/// Carries out the call whose index in the last round is the payload.
pub(crate) struct ToolNode(pub(crate) Arc<Settings>);

impl Node<ReactState> for ToolNode {
    fn run(
        &self,
        input: NodeInput<ReactState>,
        runtime: Runtime,
    ) -> BoxFuture<'static, Result<NodeOutput<ReactUpdate>, NodeError>> {
        let settings = Arc::clone(&self.0);
        Box::pin(async move { carry_out(&settings, input, runtime).await })
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
    let payload = input.payload.unwrap_or_default();
    let index = payload
        .as_u64()
        .and_then(|index| usize::try_from(index).ok());
    let call = index
        .and_then(|index| input.state.call(index))
        .cloned()
        .ok_or_else(|| NodeError::new("there is no such call in the last round"))?;

    let mut work = Work {
        watched: Watched::new(&runtime, memo.table.get(&call.name), &call),
        entry: memo.table.get(&call.name),
        call: &call,
        args: JsonMap::new(),
    };
    let (started_ms, began) = (now_ms(), Instant::now());
    let answer = work
        .answer(settings, &memo.table, &input.state, &runtime)
        .await?;
    work.watched.ended(&answer);
    let duration = began.elapsed().as_millis();
    let stored = StoredResult {
        server: work
            .entry
            .map_or_else(|| "".into(), |e| Arc::clone(e.tool.server())),
        tool: call.name.as_str().into(),
        args: std::mem::take(&mut work.args),
        content: Vec::new(),
        structured: None,
        is_error: answer.message.is_error(),
        failure: answer.failure,
        truncated: false,
        started_ms,
        duration_ms: u64::try_from(duration).unwrap_or(u64::MAX),
    };
    write(settings, &runtime, &call, answer, stored)
}

/// One call on its way.
struct Work<'a> {
    call: &'a ToolUse,
    entry: Option<&'a Entry>,
    args: JsonMap,
    watched: Watched,
}

impl Work<'_> {
    /// What came of the call. An error here ends the task: the call waits, or was given up.
    async fn answer(
        &mut self,
        settings: &Settings,
        table: &Table,
        state: &Arc<ReactState>,
        runtime: &Runtime,
    ) -> Result<Answer, NodeError> {
        self.args = match self.call.parsed_arguments() {
            Ok(args) => args,
            Err(error) => {
                self.watched.started(&JsonMap::new());
                return Ok(Answer::refused(bad_arguments(self.call, &error)));
            }
        };
        self.watched.started(&self.args);
        let Some(entry) = self.entry else {
            let own = settings.truncate.is_some() && self.call.name == reader::NAME;
            return Ok(if own {
                let message = reader::read(&state.tool_results, self.args.clone());
                Answer::of(message.into(), &RawResult::new())
            } else {
                Answer::refused(table.unknown(&self.call.name))
            });
        };
        let raw = RawResult::new();
        let tool_call = self.tool_call(entry, state, runtime, &raw);
        let done = AssertUnwindSafe(entry.service.call(tool_call)).catch_unwind();
        let outcome = done.await.unwrap_or_else(|panic| {
            let message = format!("it panicked: {}", panic_text(&*panic));
            Err(CallError::new(CallErrorKind::Tool, message))
        });
        self.judge(outcome, &raw, runtime)
    }

    fn tool_call(
        &self,
        entry: &Entry,
        state: &Arc<ReactState>,
        runtime: &Runtime,
        raw: &RawResult,
    ) -> ToolCall {
        let id = self.call.id.as_str();
        let mut extensions = Extensions::new();
        extensions.insert(ToolRuntime::new(runtime.clone(), Arc::clone(state), id));
        extensions.insert(raw.clone());
        if let Some(reports) = self.watched.reports() {
            extensions.insert::<Reports>(reports);
        }
        ToolCall::in_context(Arc::clone(&entry.tool), self.args.clone(), extensions)
    }

    fn judge(
        &mut self,
        outcome: Result<ToolOutcome, CallError>,
        raw: &RawResult,
        runtime: &Runtime,
    ) -> Result<Answer, NodeError> {
        let error = match outcome {
            Ok(outcome) => return Ok(Answer::of(outcome, raw)),
            Err(error) => error,
        };
        match error.kind() {
            CallErrorKind::Interrupted => {
                self.watched.interrupted();
                Err(interruption(&error, runtime))
            }
            CallErrorKind::Cancelled if runtime.cancellation().is_cancelled() => {
                Err(NodeError(Failure::Cancelled))
            }
            _ => Ok(Answer::error(&self.call.name, &error)),
        }
    }
}

/// A question as the graph knows it. One that a layer made by itself gets its id here.
fn interruption(error: &CallError, runtime: &Runtime) -> NodeError {
    let known = error.payload().cloned().unwrap_or_default();
    match serde_json::from_value(known.clone()) {
        Ok(interrupts) => NodeError(Failure::Interrupted(interrupts)),
        Err(_) => match runtime.interrupt(known) {
            Err(interruption) => interruption,
            Ok(_) => NodeError::new("a layer asked, and did not take the answer"),
        },
    }
}

fn bad_arguments(call: &ToolUse, error: &mcp_model::ArgumentsError) -> String {
    let shown: String = call.arguments.chars().take(200).collect();
    let more = if shown.len() < call.arguments.len() {
        " (cut short)"
    } else {
        ""
    };
    let name = &call.name;
    format!("{name} was not called: {error}. The arguments were: {shown}{more}")
}

/// Everything that the call writes: its answer, right behind the call; the whole result; what a
/// command asks for.
fn write(
    settings: &Settings,
    runtime: &Runtime,
    call: &ToolUse,
    answer: Answer,
    mut stored: StoredResult,
) -> Result<NodeOutput<ReactUpdate>, NodeError> {
    let Answer {
        mut message,
        command,
        failure,
    } = answer;
    let (update, goto, parent) = match command {
        None => (ReactUpdate::default(), Vec::new(), Vec::new()),
        Some(command) => obey(command, &mut message),
    };
    let own = settings.truncate.is_some() && call.name == reader::NAME;
    let mut content = shown(&message, settings.structured);
    if !own && let Some(truncate) = settings.truncate {
        let cut = truncate.content(&content, &call.id);
        stored.truncated = cut.is_some();
        content = cut.unwrap_or(content);
    }
    stored.is_error = message.is_error();
    stored.failure = failure.or_else(|| message.is_error().then_some(FailureClass::Call));
    stored.content = message.content;
    stored.structured = message.artifact;

    let answer = ToolAnswer::new(call, content, stored.is_error);
    let answer = Arc::new(ChatMessage::Tool(answer));
    runtime.emit(Interest::MESSAGES, || RunEvent::Message {
        message: Arc::clone(&answer),
    });
    let mut messages = MessagesUpdate::default().and(answer);
    messages.append(update.messages.unwrap_or_default());
    let mut written = ReactUpdate::default()
        .messages(messages)
        .active_server(None);
    written.values = update.values;
    if !own {
        let stored = std::iter::once((call.id.clone(), Arc::new(stored)));
        written.tool_results = Some(stored.collect());
    }
    let mut output = NodeOutput::from(written).last_wins();
    output.goto = goto;
    output.parent = parent;
    Ok(output)
}

/// What a command means for this graph, and for the one around it. A command that does not fit
/// the state is the tool's failure, for the model to read.
fn obey(
    command: Command,
    message: &mut ToolMessage,
) -> (ReactUpdate, Vec<mcp_interceptors::Goto>, Vec<Command>) {
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
