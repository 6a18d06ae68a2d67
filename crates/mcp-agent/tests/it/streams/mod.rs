//! What listeners hear of a run.

mod events;
mod listeners;
mod messages;

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use mcp_agent::state::Append;
use mcp_agent::{
    Emitted, Graph, Interest, MemoryCheckpointer, NodeError, RunEvent, RunOptions, Runtime, START,
    Streamed, state,
};
use serde_json::json;

state! {
    /// A log.
    pub struct S => U { log: Append<String> }
}

fn log(text: &str) -> U {
    U::default().log(vec![text.to_owned()])
}

fn node(name: &'static str, ms: u64) -> impl mcp_agent::Node<S> {
    move |_: Arc<S>, runtime: Runtime| async move {
        tokio::time::sleep(Duration::from_millis(ms)).await;
        runtime.write(json!({"from": name}));
        Ok::<_, NodeError>(log(name))
    }
}

/// What an event says, in short.
fn short(emitted: &Emitted) -> String {
    let what = match &emitted.event {
        RunEvent::Values { state } => format!("values {}", state["log"]),
        RunEvent::Update { node, update } => format!("update {node} {}", update.as_str()),
        RunEvent::Custom { node, value } => format!("custom {node} {value}"),
        RunEvent::TaskStarted { node, .. } => format!("start {node}"),
        RunEvent::TaskEnded { node, error, .. } => format!("end {node} {error:?}"),
        RunEvent::Checkpointed { .. } => "kept".to_owned(),
        RunEvent::Dropped { count } => format!("dropped {count}"),
        other => format!("{other:?}"),
    };
    let graph = emitted.namespace.split(':').next().unwrap_or_default();
    format!("{graph}/{} {what}", emitted.step)
}

async fn heard(graph: Graph<S>, interest: Interest) -> Vec<String> {
    let graph = graph.compile().unwrap();
    let graph = graph.with_checkpointer(Arc::new(MemoryCheckpointer::new()));
    let mut heard = Vec::new();
    let mut run = graph.stream(log("in"), RunOptions::new().thread("t"), interest);
    while let Some(item) = run.next().await {
        match item {
            Streamed::Event(event) => heard.push(short(&event)),
            Streamed::Ended(end) => assert!(end.unwrap().is_finished()),
            _ => {}
        }
    }
    heard
}

fn two() -> Graph<S> {
    Graph::<S>::new()
        .node("a", node("a", 50))
        .node("b", node("b", 1))
        .edge(START, "a")
        .edge(START, "b")
}
