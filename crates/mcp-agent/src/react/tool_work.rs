//! One call on its way to its tool and back.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt;
use http::Extensions;
use mcp_interceptors::{CallError, CallErrorKind, CallId, JsonMap, RawResult, Reports, ToolCall};
use mcp_model::{ArgumentsError, ToolUse};
use serde_json::Value;

use super::answer::Answer;
use super::events::Watched;
use super::settings::{Memo, Settings};
use super::state::ReactState;
use super::table::Entry;
use crate::graph::{Failure, NodeError, panic_text};
use crate::tool_runtime::OpenQuestions;
use crate::{Runtime, ToolRuntime};

/// One call on its way.
pub(crate) struct Work<'a> {
    settings: &'a Settings,
    memo: &'a Memo,
    state: &'a Arc<ReactState>,
    runtime: &'a Runtime,
    call: &'a ToolUse,
    entry: Option<&'a Entry>,
    pub(crate) args: JsonMap,
    pub(crate) watched: Watched,
    /// The structured answer, if the call gave it.
    pub(crate) response: Option<Value>,
}

impl<'a> Work<'a> {
    pub(crate) fn new(
        settings: &'a Settings,
        memo: &'a Memo,
        state: &'a Arc<ReactState>,
        runtime: &'a Runtime,
        call: &'a ToolUse,
    ) -> Self {
        let entry = memo.table.get(&call.name);
        Self {
            settings,
            memo,
            state,
            runtime,
            call,
            entry,
            args: JsonMap::new(),
            watched: Watched::new(runtime, entry, call),
            response: None,
        }
    }

    /// The server of the tool. Empty if there is no such tool.
    pub(crate) fn server(&self) -> Arc<str> {
        self.entry
            .map_or_else(|| "".into(), |entry| Arc::clone(entry.tool.server()))
    }

    /// What came of the call. An error here ends the task: the call waits, or was given up.
    pub(crate) async fn answer(&mut self) -> Result<Answer, NodeError> {
        self.args = match self.call.parsed_arguments() {
            Ok(args) => args,
            Err(error) => {
                self.watched.started(&JsonMap::new());
                return Ok(Answer::refused(bad_arguments(self.call, &error)));
            }
        };
        self.watched.started(&self.args);
        let Some(entry) = self.entry else {
            return Ok(self.without_server());
        };
        let (raw, open) = (RawResult::new(), OpenQuestions::default());
        let tool_call = self.tool_call(entry, &raw, &open);
        // A service may panic before it gives its future, too.
        let calling = async { entry.service.call(tool_call).await };
        let outcome = AssertUnwindSafe(calling).catch_unwind().await;
        let outcome = outcome.unwrap_or_else(|panic| {
            let message = format!("it panicked: {}", panic_text(&*panic));
            Err(CallError::new(CallErrorKind::Tool, message))
        });
        match outcome {
            Ok(outcome) => Ok(Answer::of(outcome, &raw)),
            Err(error) => self.judge(&error, &open),
        }
    }

    /// A tool of the agent's own, or none at all.
    fn without_server(&mut self) -> Answer {
        let name = &self.call.name;
        if !self.settings.is_own(name) {
            return Answer::refused(self.memo.table.unknown(name));
        }
        let own = self.settings.call_own(name, self.state, self.args.clone());
        self.response = own.response;
        Answer::of(own.message.into(), &RawResult::new())
    }

    fn tool_call(&self, entry: &Entry, raw: &RawResult, open: &OpenQuestions) -> ToolCall {
        let mut extensions = Extensions::new();
        let (runtime, state) = (self.runtime.clone(), Arc::clone(self.state));
        let id: Arc<str> = self.call.id.as_str().into();
        extensions.insert(CallId::new(Arc::clone(&id)));
        let runtime = ToolRuntime::new(runtime, state, id);
        extensions.insert(runtime.asking(open));
        extensions.insert(runtime);
        extensions.insert(raw.clone());
        if let Some(reports) = self.watched.reports() {
            extensions.insert::<Reports>(reports);
        }
        ToolCall::in_context(Arc::clone(&entry.tool), self.args.clone(), extensions)
    }

    /// Whether the call waits, was given up, or failed for the model to read.
    fn judge(&mut self, error: &CallError, open: &OpenQuestions) -> Result<Answer, NodeError> {
        if error.kind() == CallErrorKind::Interrupted {
            self.watched.interrupted();
            return Err(interruption(error, self.runtime));
        }
        if error.kind() == CallErrorKind::Cancelled && self.runtime.cancellation().is_cancelled() {
            return Err(NodeError(Failure::Cancelled));
        }
        // Who carried the call out may have asked, and said in other words that there is no
        // answer yet.
        if let Some(interruption) = open.interruption() {
            self.watched.interrupted();
            return Err(interruption);
        }
        Ok(Answer::error(&self.call.name, error))
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

fn bad_arguments(call: &ToolUse, error: &ArgumentsError) -> String {
    let shown: String = call.arguments.chars().take(200).collect();
    let more = if shown.len() < call.arguments.len() {
        " (cut short)"
    } else {
        ""
    };
    let name = &call.name;
    format!("{name} was not called: {error}. The arguments were: {shown}{more}")
}
