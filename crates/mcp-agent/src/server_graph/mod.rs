//! The calls to one server as a graph: check the connection, classify the calls, execute them,
//! format what came of them.

mod outcome;
mod source;

use std::sync::Arc;

use mcp_interceptors::{Goto, ToolLayers, ToolMessage, Toolset};
use mcp_model::{ArgumentsError, AssistantMessage, ToolUse};
use serde::{Deserialize, Serialize};

pub use outcome::{ContentType, McpOutcome};
pub use source::CallClass;
use source::Source;

use crate::graph::{CompiledGraph, END, Graph, NodeError, START, Targets, on_payload};
use crate::react::{FailureClass, Truncate};
use crate::state::{LastInOrder, Merge};
use crate::{Error, Runtime};

/// One call to a server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ServerCall {
    /// The model's id of the call.
    pub tool_call_id: String,
    /// The tool, by the name that models see or by the server's own.
    pub tool: String,
    /// The arguments, as JSON text.
    pub arguments: String,
}

impl From<&ToolUse> for ServerCall {
    fn from(call: &ToolUse) -> Self {
        Self {
            tool_call_id: call.id.clone(),
            tool: call.name.clone(),
            arguments: call.arguments.clone(),
        }
    }
}

/// What came of a call, before it is formatted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Raw {
    message: ToolMessage,
    failure: Option<FailureClass>,
}

crate::state! {
    /// What the graph of one server knows: calls go in, outcomes come out.
    pub struct ServerState => ServerUpdate {
        /// The calls.
        calls: LastInOrder<Vec<ServerCall>>,
        /// Why the server cannot be used, if it cannot.
        unavailable: LastInOrder<Option<String>>,
        /// Which of the calls can be made, by their ids.
        classes: LastInOrder<std::collections::BTreeMap<String, CallClass>>,
        /// What came of the calls, by their ids.
        raw: Merge<serde_json::Value>,
        /// The outcomes, in the order of the calls.
        outcomes: LastInOrder<Vec<McpOutcome>>,
    }
}

impl ServerUpdate {
    /// The calls of a model's answer.
    #[must_use]
    pub fn of(message: &AssistantMessage) -> Self {
        let calls: Vec<ServerCall> = message.tool_calls.iter().map(Into::into).collect();
        Self::default().calls(calls)
    }
}

/// A graph that carries out calls to one server of a toolset, with layers around them.
///
/// The calls of one run go out at the same time. Each ends in an outcome, in the order of the
/// calls: also where the server cannot be reached, the tool is unknown, the arguments are no
/// JSON, or the call fails. A parent makes it a node ([`CompiledGraph::as_node`]) and sends each
/// server its calls.
///
/// # Errors
/// If the graph is wired wrongly, which would be a fault of this function.
pub fn server_subgraph(
    server: &str,
    toolset: Arc<dyn Toolset>,
    layers: &ToolLayers,
    truncate: Option<Truncate>,
) -> Result<CompiledGraph<ServerState>, Error> {
    let source = Arc::new(Source::new(server, layers.around(toolset)));
    let (checks, classifies, executes, formats) = (
        Arc::clone(&source),
        Arc::clone(&source),
        Arc::clone(&source),
        source,
    );
    Graph::<ServerState>::new()
        .node("check", move |_: Arc<ServerState>, _: Runtime| {
            let source = Arc::clone(&checks);
            async move {
                let failure = source.check().await.err();
                Ok::<_, NodeError>(ServerUpdate::default().unavailable(failure))
            }
        })
        .node("classify", move |state: Arc<ServerState>, _: Runtime| {
            let source = Arc::clone(&classifies);
            async move {
                let classes = source.classify(&state.calls).await;
                Ok::<_, NodeError>(ServerUpdate::default().classes(classes))
            }
        })
        .node(
            "execute",
            on_payload(move |call: ServerCall, runtime: Runtime| {
                let source = Arc::clone(&executes);
                async move { execute(&source, call, runtime).await }
            }),
        )
        .node("format", move |state: Arc<ServerState>, _: Runtime| {
            let outcomes = format(&formats, &state, truncate);
            async move { Ok::<_, NodeError>(ServerUpdate::default().outcomes(outcomes?)) }
        })
        .edge(START, "check")
        .route_among("check", ["classify", "format"], |state| {
            match state.unavailable.get() {
                None => "classify",
                Some(_) => "format",
            }
        })
        .route_among("classify", ["execute", "format"], to_execute)
        .edge("execute", "format")
        .edge("format", END)
        .compile()
}

/// A task for each call that can be made; if none can, what is there is formatted.
fn to_execute(state: &ServerState) -> Targets {
    let can_run = |call: &&ServerCall| {
        let class = state.classes.get().get(&call.tool_call_id);
        class.is_some_and(CallClass::can_run)
    };
    let send = |call| Goto::send("execute", serde_json::to_value(call).unwrap_or_default());
    let sends: Vec<Goto> = state.calls.iter().filter(can_run).map(send).collect();
    match sends.is_empty() {
        true => "format".into(),
        false => sends.into(),
    }
}

async fn execute(
    source: &Source,
    call: ServerCall,
    runtime: Runtime,
) -> Result<ServerUpdate, NodeError> {
    let id = call.tool_call_id.clone();
    let (message, failure) = source.execute(call, runtime).await?;
    let raw = serde_json::to_value(Raw { message, failure })?;
    let entry: indexmap::IndexMap<_, _> = [(id, Some(raw))].into_iter().collect();
    Ok(ServerUpdate::default().raw(entry))
}

fn format(
    source: &Source,
    state: &ServerState,
    truncate: Option<Truncate>,
) -> Result<Vec<McpOutcome>, NodeError> {
    let outcomes = state.calls.iter().map(|call| {
        let id = &call.tool_call_id;
        let message = match (state.unavailable.get(), state.raw.get(id)) {
            (Some(failure), _) => {
                ToolMessage::error(format!("Tool {} failed: {failure}", call.tool))
            }
            (None, Some(raw)) => serde_json::from_value::<Raw>(raw.clone())?.message,
            (None, None) => {
                let class = state.classes.get().get(id);
                ToolMessage::error(class.map_or_else(String::new, CallClass::reason))
            }
        };
        Ok(McpOutcome::of(source.server(), call, &message, truncate))
    });
    outcomes.collect()
}

/// Reads a call's arguments.
fn arguments(call: &ServerCall) -> Result<mcp_interceptors::JsonMap, ArgumentsError> {
    ToolUse::new("", "", call.arguments.as_str()).parsed_arguments()
}
