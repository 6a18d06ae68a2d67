//! `mcp agent`: a question, a model, tools, an answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use mcp::agent::{
    AgentStop, Emitted, EventSink, Interest, ReactAgent, RunEvent, RunOptions, ToolEnd,
};
use mcp::interceptors::{BoxFuture, CallError, ToolList};
use mcp::model::{ChatMessage, ChatModel};
use mcp::{ServerPool, ToolCall, ToolOutcome, Toolset};

use crate::arguments::AgentArguments;
use crate::exit::{Exit, Failure, chain};
use crate::fleet::Fleet;
use crate::view::{CallLine, View};

/// What a language model is told before the question.
const SYSTEM: &str = "\
Answer the question with what the tools tell you, in a few plain sentences. Call tools rather than \
guess, several at once where one does not need another's result. Name files, lines and commits \
exactly. If the tools do not tell, say so.";

/// Steps of a run: rounds of the model and of the tools together.
const STEPS: u64 = 200;

/// What helps who asked the planner something that it does not know.
const FEW: &str = "mcp: the planner knows a few kinds of question, see mcp agent --help; \
                   --model openai:NAME asks a language model";

/// The model that was asked for, before anything is started.
///
/// # Errors
/// When there is none of that name, or it lacks a key.
pub(super) fn model(arguments: &AgentArguments) -> Result<Arc<dyn ChatModel>, Failure> {
    mcp::model::model_from_spec(&arguments.model).map_err(|e| Failure::usage(chain(&e)))
}

pub(super) async fn run(
    question: &str,
    model: Arc<dyn ChatModel>,
    view: &View,
    fleet: &Fleet,
) -> Result<Exit, Failure> {
    let servers: Vec<&str> = fleet.pool().servers().map(|name| &**name).collect();
    view.begin(model.name(), &servers);
    let is_planner = model.name() == "planner";
    let Some(tools) = Listed::of(fleet.pool(), view).await else {
        view.failed("no server could be used");
        return Ok(Exit::Failed);
    };
    let agent = ReactAgent::builder(model)
        .tools(tools)
        .system_prompt(SYSTEM)
        .build()
        .map_err(|e| Failure::failed(chain(&e)))?;
    let succeeded = Arc::new(AtomicBool::new(false));
    let events = {
        let (view, succeeded) = (view.clone(), Arc::clone(&succeeded));
        EventSink::from_fn(Interest::PROGRESS, move |event| {
            if let RunEvent::ToolEnded { outcome, .. } = &event.event {
                succeeded.fetch_or(*outcome == ToolEnd::Ok, Ordering::Relaxed);
            }
            show(&view, &event);
        })
    };
    let options = RunOptions::new().events(events).step_limit(STEPS);
    let ended = tokio::select! {
        ended = agent.run(question, options) => ended,
        never = view.animate() => match never {},
    };
    let output = match ended {
        Ok(output) => output,
        Err(error) => {
            view.failed(&chain(&error));
            return Ok(Exit::Failed);
        }
    };
    view.answer(&output.answer());
    Ok(match output.stop_reason() {
        // The planner knows nothing but what tools tell it.
        None if is_planner && !succeeded.load(Ordering::Relaxed) => {
            view.note(FEW);
            Exit::Failed
        }
        None => Exit::Done,
        Some(reason) => {
            view.note(stopped(reason));
            Exit::Failed
        }
    })
}

/// The servers' tools as they were listed once: a server that failed is not waited for again.
#[derive(Debug)]
struct Listed {
    pool: ServerPool,
    list: ToolList,
}

impl Listed {
    /// Starts the servers and lists their tools. `None` if none of them works.
    async fn of(pool: &ServerPool, view: &View) -> Option<Self> {
        let list = tokio::select! {
            list = pool.tools() => list,
            never = view.animate() => match never {},
        };
        view.servers_are_up();
        if list.tools.is_empty() && list.failures.len() >= pool.servers().len() {
            let failures = list.failures.iter();
            failures.for_each(|failure| view.failed_server(failure));
            return None;
        }
        let pool = pool.clone();
        Some(Self { pool, list })
    }
}

impl Toolset for Listed {
    fn tools(&self) -> BoxFuture<'_, ToolList> {
        Box::pin(std::future::ready(self.list.clone()))
    }

    fn call(&self, call: ToolCall) -> BoxFuture<'static, Result<ToolOutcome, CallError>> {
        Toolset::call(&self.pool, call)
    }
}

const fn stopped(reason: AgentStop) -> &'static str {
    match reason {
        AgentStop::AllToolsFailed => "mcp: stopped, since all calls of tools failed",
        AgentStop::ModelCallLimit => "mcp: stopped at the limit of rounds of the model",
        AgentStop::ToolCallLimit => "mcp: stopped at the limit of calls of tools",
        _ => "mcp: stopped before the model had finished",
    }
}

fn show(view: &View, emitted: &Emitted) {
    match &emitted.event {
        RunEvent::ServerFailed { failure } => view.failed_server(failure),
        RunEvent::ModelAnswered { message, .. } => {
            let ChatMessage::Assistant(said) = &**message else {
                return;
            };
            // Words without calls are the answer, which is shown at the end.
            if !said.tool_calls.is_empty() && !said.text().is_empty() {
                view.said(&said.text());
            }
        }
        RunEvent::ToolStarted { call, args } => view.call_begins(
            &CallLine {
                id: &call.id,
                server: &call.server,
                tool: if call.tool.is_empty() {
                    &call.name
                } else {
                    &call.tool
                },
            },
            args,
        ),
        RunEvent::ToolEnded {
            call,
            outcome,
            duration,
        } => {
            let failed = match outcome {
                ToolEnd::Ok => None,
                ToolEnd::Failed { message } | ToolEnd::Error { message } => Some(message.as_str()),
                ToolEnd::Interrupted => Some("waits for an answer from outside"),
                ToolEnd::Cancelled => Some("cancelled"),
                _ => Some("ended"),
            };
            let call = CallLine {
                id: &call.id,
                server: &call.server,
                tool: if call.tool.is_empty() {
                    &call.name
                } else {
                    &call.tool
                },
            };
            view.call_ends(&call, failed, *duration);
        }
        _ => {}
    }
}
