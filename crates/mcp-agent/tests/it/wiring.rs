//! Faults that are found when a graph is compiled.

use std::sync::Arc;

use mcp_agent::state::Sum;
use mcp_agent::{END, ErrorKind, Graph, Runtime, START, state};

state! {
    /// A number.
    pub struct S => U { n: Sum<i64> }
}

async fn idle(_: Arc<S>, _: Runtime) -> Result<U, mcp_agent::NodeError> {
    Ok(U::default())
}

fn fault(graph: Graph<S>) -> String {
    let error = graph.compile().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Wiring);
    error.to_string()
}

#[test]
fn every_wiring_fault_is_named_at_once() {
    let graph = || Graph::<S>::new().node("a", idle);
    assert!(fault(graph()).contains("no edge leads from the start"));
    assert!(fault(graph().edge(START, "b")).contains("there is no node b"));
    assert!(fault(graph().edge(START, "a").edge(END, "a")).contains("there is no node __end__"));
    assert!(fault(graph().edge(START, "a").edge("a", START)).contains("__start__"));
    assert!(fault(graph().node("a", idle).edge(START, "a")).contains("two nodes are named a"));
    let reserved = fault(graph().node(END, idle).node("x|y", idle).edge(START, "a"));
    assert!(
        reserved.contains("__end__") && reserved.contains("x|y"),
        "{reserved}"
    );
    let among = graph().edge(START, "a").route_among("a", ["c"], |_| END);
    assert!(fault(among).contains("there is no node c"));
    assert!(fault(graph().edge(START, "a").join(["a", "d"], "a")).contains("there is no node d"));
    assert!(fault(graph().edge(START, "a").pause_before(["e"])).contains("there is no node e"));
    assert!(graph().edge(START, "a").compile().is_ok());
}
