//! One call on its way to who carries it out, and what it finds there of the run.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use futures_util::FutureExt;
use http::Extensions;
use mcp_interceptors::{
    BoundTool, CallError, CallErrorKind, CallId, JsonMap, RawResult, Reports, Sampler, ToolCall,
    ToolService,
};

use crate::graph::{Failure, NodeError, panic_text};
use crate::react::Answer;
use crate::tool_runtime::OpenQuestions;
use crate::{Runtime, ToolRuntime};

/// What a call finds of the run.
pub(crate) struct Calling {
    pub(crate) runtime: ToolRuntime,
    /// Where a server's reports go.
    pub(crate) reports: Option<Reports>,
    /// The model that a server may use.
    pub(crate) model: Option<Sampler>,
}

/// Why a call has no answer.
pub(crate) enum Unanswered {
    /// It waits for somebody, or was given up.
    Stopped(NodeError),
    /// It went wrong.
    Failed(CallError),
}

impl Calling {
    /// Makes the call. A panic of the tool, or of a layer, is its failure.
    ///
    /// The call itself is no part of the future, which stays small.
    pub(crate) fn make(
        self,
        service: &ToolService,
        tool: &Arc<BoundTool>,
        args: JsonMap,
    ) -> impl Future<Output = Result<Answer, Unanswered>> + Send + use<> {
        let (raw, open) = (RawResult::new(), OpenQuestions::default());
        let run = self.runtime.runtime().clone();
        let mut extensions = Extensions::new();
        extensions.insert(CallId::new(Arc::clone(self.runtime.shared_call_id())));
        extensions.insert(self.runtime.asking(&open));
        extensions.insert(self.runtime);
        extensions.insert(raw.clone());
        if let Some(reports) = self.reports {
            extensions.insert::<Reports>(reports);
        }
        if let Some(model) = self.model {
            extensions.insert::<Sampler>(model);
        }
        let call = ToolCall::in_context(Arc::clone(tool), args, extensions);
        // A service may panic before it gives its future, too.
        let begun = catch_unwind(AssertUnwindSafe(|| service.call(call)));
        async move {
            let outcome = match begun {
                Ok(calling) => AssertUnwindSafe(calling).catch_unwind().await,
                Err(panic) => Err(panic),
            };
            let outcome = outcome.unwrap_or_else(|panic| {
                let message = format!("it panicked: {}", panic_text(&*panic));
                Err(CallError::new(CallErrorKind::Tool, message))
            });
            match outcome {
                Ok(outcome) => Ok(Answer::of(outcome, &raw)),
                Err(error) => Err(judge(error, &open, &run)),
            }
        }
    }
}

/// Whether the call waits, was given up, or failed.
fn judge(error: CallError, open: &OpenQuestions, run: &Runtime) -> Unanswered {
    if error.kind() == CallErrorKind::Cancelled && run.cancellation().is_cancelled() {
        return Unanswered::Stopped(NodeError(Failure::Cancelled));
    }
    // Who carried the call out may have asked, and said in other words that there is no answer
    // yet.
    if let Some(interruption) = open.interruption() {
        return Unanswered::Stopped(interruption);
    }
    if error.kind() == CallErrorKind::Interrupted {
        return Unanswered::Stopped(interruption(&error, run));
    }
    Unanswered::Failed(error)
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
