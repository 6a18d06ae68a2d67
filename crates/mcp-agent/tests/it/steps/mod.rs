//! Steps: one snapshot, order, reducers, parallel work, limits.

mod cost;
mod edges;
mod fields;
mod nodes;
mod order;

use std::sync::Arc;
use std::time::Duration;

use mcp_agent::state::{Append, Distinct, Ephemeral, Last, LastInOrder, Merge, Sum, Untracked};
use mcp_agent::{Error, Graph, Node, NodeError, RunOptions, Runtime, state};

state! {
    /// Everything at once.
    pub struct S => U {
        log: Append<String>,
        one: Last<String>,
        ordered: LastInOrder<String>,
        sum: Sum<i64>,
        map: Merge<i64>,
        set: Distinct<String>,
        brief: Ephemeral<i64>,
        hidden: Untracked<i64>,
    }
}

fn log(text: &str) -> U {
    U::default().log(vec![text.to_owned()])
}

/// A node that writes its name into the log after `ms` milliseconds.
fn says(name: &'static str, ms: u64) -> impl Node<S> {
    move |_: Arc<S>, _: Runtime| async move {
        tokio::time::sleep(Duration::from_millis(ms)).await;
        Ok::<_, NodeError>(log(name))
    }
}

/// A graph of nodes that write their names.
fn saying<const N: usize>(names: [&'static str; N]) -> Graph<S> {
    let node = |graph: Graph<S>, name| graph.node(name, says(name, 0));
    names.into_iter().fold(Graph::new(), node)
}

/// The state at the end of a run.
async fn ran(graph: Graph<S>, input: U) -> Arc<S> {
    let graph = graph.compile().unwrap();
    graph.run(input, RunOptions::new()).await.unwrap().state
}

/// The log at the end of a run.
async fn logged(graph: Graph<S>, input: U) -> Vec<String> {
    ran(graph, input).await.log.to_vec()
}

/// Why a run fails.
async fn failed(graph: Graph<S>) -> Error {
    let graph = graph.compile().unwrap();
    let run = graph.run(U::default(), RunOptions::new());
    run.await.unwrap_err()
}
