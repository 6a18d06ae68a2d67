//! The server behind the graph.

use std::collections::BTreeMap;
use std::sync::Arc;

use mcp_interceptors::{BoundTool, Intercepted, ToolMessage, Toolset};
use serde::{Deserialize, Serialize};

use super::{ServerCall, ServerState, arguments};
use crate::calling::{Calling, Unanswered};
use crate::graph::NodeError;
use crate::react::{Answer, FailureClass};
use crate::{Runtime, ToolRuntime};

/// What kind of call it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CallClass {
    /// A tool that calls itself read-only. A hint, no promise.
    Reads,
    /// Any other tool.
    Acts,
    /// The server has no such tool.
    Unknown(String),
    /// The arguments cannot be read.
    Malformed(String),
}

impl CallClass {
    pub(super) const fn can_run(&self) -> bool {
        matches!(self, Self::Reads | Self::Acts)
    }

    /// Why the call cannot be made.
    pub(super) fn reason(&self) -> String {
        match self {
            Self::Unknown(reason) | Self::Malformed(reason) => reason.clone(),
            Self::Reads | Self::Acts => "the call was not made".to_owned(),
        }
    }
}

/// One server of a toolset.
#[derive(Debug)]
pub(super) struct Source {
    server: Arc<str>,
    toolset: Intercepted,
}

impl Source {
    pub(super) fn new(server: &str, toolset: Intercepted) -> Self {
        Self {
            server: server.into(),
            toolset,
        }
    }

    pub(super) fn server(&self) -> &str {
        &self.server
    }

    /// Whether the server can be used; if not, why.
    pub(super) async fn check(&self) -> Result<(), String> {
        let list = self.toolset.tools().await;
        let mut failures = list.failures.into_iter();
        let failed = failures.find(|failure| *failure.server == *self.server);
        failed.map_or(Ok(()), |failure| Err(failure.to_string()))
    }

    async fn tools(&self) -> Vec<Arc<BoundTool>> {
        let mut tools = self.toolset.tools().await.tools;
        tools.retain(|tool| *tool.server() == self.server);
        tools
    }

    pub(super) async fn classify(&self, calls: &[ServerCall]) -> BTreeMap<String, CallClass> {
        let tools = self.tools().await;
        let class = |call: &ServerCall| {
            let Some(tool) = find(&tools, &call.tool) else {
                let names: Vec<&str> = tools.iter().take(50).map(|tool| tool.name()).collect();
                let (server, name) = (&self.server, &call.tool);
                let names = names.join(", ");
                return CallClass::Unknown(format!(
                    "{server} has no tool named {name}; it has: {names}"
                ));
            };
            if let Err(error) = arguments(call) {
                return CallClass::Malformed(format!("{} was not called: {error}", call.tool));
            }
            let hints = tool.tool().annotations.as_ref();
            match hints.and_then(|hints| hints.read_only_hint) {
                Some(true) => CallClass::Reads,
                _ => CallClass::Acts,
            }
        };
        let named = calls
            .iter()
            .map(|call| (call.tool_call_id.clone(), class(call)));
        named.collect()
    }

    /// Makes a call.
    pub(super) async fn execute(
        &self,
        call: ServerCall,
        runtime: Runtime,
    ) -> Result<(ToolMessage, Option<FailureClass>), NodeError> {
        let tools = self.tools().await;
        let tool = find(&tools, &call.tool)
            .ok_or_else(|| NodeError::new(format!("{} is gone", call.tool)))?;
        let args = arguments(&call)?;
        let state = Arc::new(ServerState::default());
        let calling = Calling {
            runtime: ToolRuntime::new(runtime, state, call.tool_call_id.as_str()),
            reports: None,
            model: None,
        };
        let answer = match calling.make(self.toolset.service(), tool, args).await {
            Ok(answer) => answer,
            Err(Unanswered::Stopped(stopped)) => return Err(stopped),
            Err(Unanswered::Failed(error)) => Answer::error(&call.tool, &error),
        };
        Ok((answer.message, answer.failure))
    }
}

fn find<'a>(tools: &'a [Arc<BoundTool>], name: &str) -> Option<&'a Arc<BoundTool>> {
    let shown = tools.iter().find(|tool| tool.name() == name);
    shown.or_else(|| tools.iter().find(|tool| tool.tool().name == name))
}
