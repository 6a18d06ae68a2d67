//! The node that carries out one tool call. A round has one task for each call.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use mcp_interceptors::{BoxFuture, Command, Goto, Scope, ToolMessage, ToolStatus};
use mcp_model::{ChatMessage, ToolAnswer, ToolUse};
use serde_json::Value;
use tokio::time::Instant;

use super::answer::{Answer, cut_error, shown};
use super::memo::Memo;
use super::results::{FailureClass, Index, StoredResult};
use super::settings::Settings;
use super::state::{ReactState, ReactUpdate, read_command};
use super::tally::Count;
use super::tool_work::Work;
use crate::graph::{NodeError, NodeInput, NodeOutput};
use crate::state::{MessageUpdate, MessagesUpdate};
use crate::stream::{Interest, RunEvent};
use crate::{Error, ErrorKind, Node, Runtime};

/// Carries out the call whose index in the last round is the payload.
pub(crate) struct ToolNode {
    pub(crate) settings: Arc<Settings>,
    /// Where a command to the end leads.
    pub(crate) exit: Arc<Goto>,
}

impl Node<ReactState> for ToolNode {
    fn tells_its_messages(&self) -> bool {
        true
    }

    fn run(
        &self,
        input: NodeInput<ReactState>,
        runtime: Runtime,
    ) -> BoxFuture<'static, Result<NodeOutput<ReactUpdate>, NodeError>> {
        let (settings, exit) = (Arc::clone(&self.settings), Arc::clone(&self.exit));
        Box::pin(async move {
            let mut output = carry_out(&settings, &input, &runtime).await?;
            let ends = output.goto.iter_mut().filter(|goto| **goto == Goto::End);
            ends.for_each(|goto| goto.clone_from(&exit));
            Ok(output)
        })
    }
}

async fn carry_out(
    settings: &Settings,
    input: &NodeInput<ReactState>,
    runtime: &Runtime,
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

    let (started_ms, began) = (runtime.run.clock.now_ms(), Instant::now());
    let mut work = Work::new(settings, &memo, &input.state, runtime, call);
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
        tool: work.name(),
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
    let command = answer.command.as_ref();
    if command.is_some_and(|command| command.update.contains_key("messages")) {
        // What a command writes may leave a history that has to be made whole.
        memo.repaired.store(false, Ordering::Relaxed);
    }
    let mut output = write(settings, runtime, call, answer, stored);
    let costs = std::mem::take(&mut *work.sampled.lock().unwrap_or_else(PoisonError::into_inner));
    if !costs.is_empty() {
        let counts: Vec<Count> = costs.into_iter().map(Count::Sampled).collect();
        output.updates.push(ReactUpdate::default().tally(counts));
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
    let Obeyed {
        update,
        goto,
        parent,
    } = command.map_or_else(Obeyed::default, |command| {
        obey(command, settings, call, &mut message)
    });
    let own = settings.is_own(&call.name);
    let mut content = shown(&message, settings.structured);
    let cut = match settings.truncate.filter(|_| !own) {
        Some(truncate) => truncate.content(&content, &call.id),
        None if message.is_error() => cut_error(&content),
        None => None,
    };
    stored.truncated = cut.is_some();
    content = cut.unwrap_or(content);
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
        node: Arc::clone(&runtime.task.node),
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

/// What a command means for this graph, and for the one around it.
#[derive(Default)]
struct Obeyed {
    update: ReactUpdate,
    goto: Vec<Goto>,
    parent: Vec<Command>,
}

/// Reads a command. One that does not fit the state is the tool's failure, for the model to read.
fn obey(
    command: Command,
    settings: &Settings,
    call: &ToolUse,
    message: &mut ToolMessage,
) -> Obeyed {
    if command.graph == Scope::Parent {
        return Obeyed {
            parent: vec![command],
            ..Obeyed::default()
        };
    }
    let read = read_command(command.update, &settings.private);
    let fits = read.and_then(|mut update| {
        let messages = update.messages.take().unwrap_or_default();
        let (own, others) = own_answer(&messages, &call.id)?;
        update.messages = Some(others).filter(|others| !others.items().is_empty());
        Ok((update, own))
    });
    match fits {
        Ok((update, own)) => {
            if let Some(own) = own {
                *message = own;
            }
            Obeyed {
                update,
                goto: command.goto,
                parent: Vec::new(),
            }
        }
        Err(error) => {
            *message = ToolMessage::error(format!("the tool's command was not obeyed: {error}"));
            Obeyed::default()
        }
    }
}

/// Takes the answer to this call out of the messages that a command writes. There may be one, and
/// none to another call.
fn own_answer(
    messages: &MessagesUpdate,
    call: &str,
) -> Result<(Option<ToolMessage>, MessagesUpdate), String> {
    let mut own = None;
    let mut others = MessagesUpdate::default();
    for item in messages.items().iter().cloned() {
        let answer = match &item {
            MessageUpdate::Put(_, message) => match &**message {
                ChatMessage::Tool(answer) => Some(answer),
                _ => None,
            },
            _ => None,
        };
        match answer {
            None => others = others.and(item),
            Some(answer) if answer.tool_call_id == call && own.is_none() => {
                let message = ToolMessage::new(answer.content.clone());
                own = Some(match answer.is_error {
                    true => message.with_status(ToolStatus::Error),
                    false => message,
                });
            }
            Some(answer) => {
                let other: String = answer.tool_call_id.chars().take(64).collect();
                return Err(format!("it answers {other}, and its own call is {call}"));
            }
        }
    }
    Ok((own, others))
}
