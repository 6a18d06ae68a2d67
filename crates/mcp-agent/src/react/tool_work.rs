//! One call of the model: to its tool, to the agent's own tools, or to nobody.

use std::sync::{Arc, Mutex, PoisonError};

use mcp_interceptors::{BoundTool, CallError, JsonMap, Sampler};
use mcp_model::{ArgumentsError, ToolUse, Usage};
use mcp_protocol::Tool;
use serde_json::json;

use super::answer::Answer;
use super::events::Watched;
use super::memo::Memo;
use super::reader;
use super::sampling::sample;
use super::settings::{OnError, Settings};
use super::state::ReactState;
use super::table::{Entry, Table};
use crate::calling::{Calling, Unanswered};
use crate::graph::NodeError;
use crate::{Error, ErrorKind, Runtime, ToolRuntime};

/// One call on its way.
pub(crate) struct Work<'a> {
    settings: &'a Settings,
    memo: &'a Memo,
    table: Arc<Table>,
    state: &'a Arc<ReactState>,
    runtime: &'a Runtime,
    call: &'a ToolUse,
    entry: Option<Entry>,
    pub(crate) args: JsonMap,
    pub(crate) watched: Watched,
    /// What the server's use of the model cost.
    pub(crate) sampled: Arc<Mutex<Vec<Usage>>>,
}

impl<'a> Work<'a> {
    pub(crate) fn new(
        settings: &'a Settings,
        memo: &'a Memo,
        state: &'a Arc<ReactState>,
        runtime: &'a Runtime,
        call: &'a ToolUse,
    ) -> Self {
        let table = memo.table();
        let entry = table.get(&call.name).cloned();
        Self {
            settings,
            memo,
            state,
            runtime,
            call,
            args: JsonMap::new(),
            watched: Watched::new(runtime, entry.as_ref(), call),
            table,
            entry,
            sampled: Arc::default(),
        }
    }

    /// The server of the tool. Empty if there is no such tool.
    pub(crate) fn server(&self) -> Arc<str> {
        let entry = self.entry.as_ref();
        entry.map_or_else(|| "".into(), |entry| Arc::clone(entry.tool.server()))
    }

    /// The name of the tool, as the model wrote it.
    pub(crate) fn name(&self) -> Arc<str> {
        let entry = self.entry.as_ref();
        entry.map_or_else(
            || self.call.name.as_str().into(),
            |entry| Arc::clone(&entry.name),
        )
    }

    /// What came of the call. An error here ends the task: the call waits, was given up, or is to
    /// end the run.
    pub(crate) async fn answer(&mut self) -> Result<Answer, NodeError> {
        self.args = match self.call.parsed_arguments() {
            Ok(args) => args,
            Err(error) => {
                self.watched.started(&JsonMap::new());
                return Ok(Answer::refused(bad_arguments(self.call, &error)));
            }
        };
        self.watched.started(&self.args);
        let name = &self.call.name;
        if self.entry.is_none() && self.settings.is_own(name) {
            return Ok(reader::read(&self.state.tool_results, self.args.clone()));
        }
        let Some((tool, service)) = self.carrier() else {
            return Ok(Answer::refused(self.table.unknown(name)));
        };
        let id: Arc<str> = self.call.id.as_str().into();
        let calling = Calling {
            runtime: ToolRuntime::new(self.runtime.clone(), Arc::clone(self.state), id),
            reports: self.watched.reports(),
            model: Some(self.model()),
        };
        let active = self.memo.active.enter(tool.server());
        let made = calling.make(&service, &tool, self.args.clone()).await;
        drop(active);
        match made {
            Ok(answer) => Ok(answer),
            Err(Unanswered::Failed(error)) => self.failed(&error),
            Err(Unanswered::Stopped(stopped)) => {
                if stopped.interrupts().is_some() {
                    self.watched.interrupted();
                }
                Err(stopped)
            }
        }
    }

    /// Who carries the call out: the tool, or what was named for tools that are not there.
    fn carrier(&self) -> Option<(Arc<BoundTool>, mcp_interceptors::ToolService)> {
        if let Some(Entry { tool, service, .. }) = &self.entry {
            return Some((Arc::clone(tool), service.clone()));
        }
        let unknown = self.settings.unknown.as_ref()?;
        let name = self.call.name.as_str();
        let tool = BoundTool::new(name, "", Tool::new(name, json!({"type": "object"})));
        Some((Arc::new(tool), unknown.service().clone()))
    }

    /// The agent's model, for the server.
    fn model(&self) -> Sampler {
        let (model, costs) = (Arc::clone(&self.settings.model), Arc::clone(&self.sampled));
        Sampler::new(move |params| {
            let (model, costs) = (Arc::clone(&model), Arc::clone(&costs));
            async move {
                let (said, usage) = sample(&*model, params).await?;
                costs
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .push(usage);
                Ok(said)
            }
        })
    }

    fn failed(&self, error: &CallError) -> Result<Answer, NodeError> {
        let name = &self.call.name;
        let judged = self.settings.on_error.as_ref();
        match judged.map_or(OnError::Tell, |policy| (policy.0)(self.call, error)) {
            OnError::Tell => Ok(Answer::error(name, error)),
            OnError::Say(text) => Ok(Answer::error(name, error).saying(text)),
            OnError::Fail => {
                let message = format!("the call of {name} failed: {}", error.chain());
                Err(Error::new(ErrorKind::Node, message).into())
            }
        }
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
