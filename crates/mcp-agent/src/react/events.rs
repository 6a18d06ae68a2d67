//! What listeners are told about one tool call.

use std::sync::Arc;

use mcp_interceptors::{JsonMap, Reports};
use mcp_model::ToolUse;
use tokio::time::Instant;

use super::answer::Answer;
use super::table::Entry;
use super::truncate::joined;
use crate::Runtime;
use crate::stream::{Interest, RunEvent, ToolEnd, ToolRef};

/// Tells that a call begins and how it ends. A call that is dropped before it has ended was
/// given up.
pub(crate) struct Watched(Option<Watch>);

struct Watch {
    runtime: Runtime,
    call: ToolRef,
    began: Instant,
    running: bool,
}

impl Watched {
    /// Does nothing if nobody listens.
    pub(crate) fn new(runtime: &Runtime, entry: Option<&Entry>, call: &ToolUse) -> Self {
        if !runtime.is_watched(Interest::AGENT) {
            return Self(None);
        }
        let tool = entry.map(|entry| &entry.tool);
        Self(Some(Watch {
            runtime: runtime.clone(),
            call: ToolRef {
                id: call.id.as_str().into(),
                name: call.name.as_str().into(),
                server: tool.map_or_else(|| "".into(), |tool| Arc::clone(tool.server())),
                tool: tool.map_or("", |tool| tool.tool().name.as_str()).into(),
            },
            began: Instant::now(),
            running: false,
        }))
    }

    pub(crate) fn started(&mut self, args: &JsonMap) {
        let Some(watch) = &mut self.0 else { return };
        watch.running = true;
        let call = watch.call.clone();
        let args = args.clone();
        let event = move || RunEvent::ToolStarted { call, args };
        watch.runtime.emit(Interest::AGENT, event);
    }

    /// Where the server's reports go.
    pub(crate) fn reports(&self) -> Option<Reports> {
        let watch = self.0.as_ref()?;
        let (runtime, call) = (watch.runtime.clone(), watch.call.clone());
        Some(Reports::new(move |report| {
            let call = call.clone();
            let event = move || RunEvent::ToolReported { call, report };
            runtime.emit(Interest::AGENT, event);
        }))
    }

    pub(crate) fn ended(&mut self, answer: &Answer) {
        let Some(watch) = &mut self.0 else { return };
        let text = || joined(&answer.message.content);
        watch.end(match answer.failure {
            None => ToolEnd::Ok,
            Some(super::FailureClass::Outside) => ToolEnd::Error { message: text() },
            Some(_) => ToolEnd::Failed {
                message: text().lines().next().unwrap_or_default().to_owned(),
            },
        });
    }

    pub(crate) fn interrupted(&mut self) {
        if let Some(watch) = &mut self.0 {
            watch.end(ToolEnd::Interrupted);
        }
    }
}

impl Watch {
    fn end(&mut self, outcome: ToolEnd) {
        if !std::mem::take(&mut self.running) {
            return;
        }
        let call = self.call.clone();
        let duration = self.began.elapsed();
        let event = move || RunEvent::ToolEnded {
            call,
            outcome,
            duration,
        };
        self.runtime.emit(Interest::AGENT, event);
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.end(ToolEnd::Cancelled);
    }
}
