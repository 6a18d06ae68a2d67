//! Where a node sends the run besides its edges.

use std::sync::Arc;

use mcp_agent::state::Append;
use mcp_agent::{
    END, ErrorKind, Graph, MemoryCheckpointer, NodeOptions, NodeOutput, RunOptions, Runtime, START,
    state,
};

state! {
    /// What was visited.
    pub struct S => U { log: Append<String> }
}

fn visit(name: &'static str) -> NodeOutput<U> {
    U::default().log(vec![name.to_owned()]).into()
}

fn graph() -> Graph<S> {
    let node = |name: &'static str| move |_: Arc<S>, _: Runtime| async move { Ok(visit(name)) };
    Graph::<S>::new()
        .node("x", node("x"))
        .node("y", node("y"))
        .node("z", node("z"))
}

async fn visited(graph: Graph<S>) -> Vec<String> {
    let graph = graph.compile().unwrap();
    let output = graph.run(U::default(), RunOptions::new()).await.unwrap();
    output.state.log.to_vec()
}

#[tokio::test]
async fn a_goto_comes_on_top_of_the_edges() {
    let graph = graph()
        .node("a", |_: Arc<S>, _: Runtime| async {
            Ok(visit("a").goto("x"))
        })
        .edge(START, "a")
        .edge("a", "y");
    assert_eq!(visited(graph).await, ["a", "x", "y"]);
}

#[tokio::test]
async fn a_goto_of_one_branch_leaves_the_others_edges_alone() {
    let graph = graph()
        .node("a", |_: Arc<S>, _: Runtime| async {
            Ok(visit("a").goto("x"))
        })
        .node("b", |_: Arc<S>, _: Runtime| async { Ok(visit("b")) })
        .edge(START, "a")
        .edge(START, "b")
        .edge("b", "y");
    assert_eq!(visited(graph).await, ["a", "b", "x", "y"]);
}

#[tokio::test]
async fn a_goto_to_the_end_keeps_from_following_the_nodes_edges() {
    let graph = graph()
        .node("a", |_: Arc<S>, _: Runtime| async {
            Ok(visit("a").goto(END))
        })
        .node("b", |_: Arc<S>, _: Runtime| async { Ok(visit("b")) })
        .edge(START, "a")
        .edge(START, "b")
        .edge("a", "x")
        .edge("b", "y");
    assert_eq!(visited(graph).await, ["a", "b", "y"]);
}

#[tokio::test]
async fn a_goto_replaces_the_edges_where_the_node_says_so() {
    let options = NodeOptions::new().goto_replaces_edges();
    let graph = graph()
        .node_with("a", options, |_: Arc<S>, _: Runtime| async {
            Ok(visit("a").goto("x"))
        })
        .edge(START, "a")
        .edge("a", "y");
    assert_eq!(visited(graph).await, ["a", "x"]);
}

#[tokio::test]
async fn an_unknown_target_is_an_error_that_names_it_and_the_known_ones() {
    let wrong = graph()
        .node("a", |_: Arc<S>, _: Runtime| async {
            Ok(visit("a").goto("nope"))
        })
        .edge(START, "a")
        .compile()
        .unwrap();
    let routed = graph().route(START, |_| "nope").compile().unwrap();
    let sent = graph()
        .node("a", |_: Arc<S>, _: Runtime| async {
            Ok(visit("a").send("nope", 1))
        })
        .edge(START, "a")
        .compile()
        .unwrap();
    let undeclared = graph()
        .route_among(START, ["x"], |_| "y")
        .compile()
        .unwrap();
    for (graph, named) in [
        (wrong, "a, x, y, z"),
        (sent, "a, x, y, z"),
        (routed, "x, y, z"),
        (undeclared, "declared"),
    ] {
        let error = graph
            .run(U::default(), RunOptions::new())
            .await
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::UnknownTarget);
        assert!(error.to_string().contains(named), "{error}");
    }
}

#[tokio::test]
async fn a_conditional_edge_sees_what_its_node_wrote() {
    let graph = graph()
        .edge(START, "x")
        .route("x", |state| if state.log.len() == 1 { "y" } else { END });
    assert_eq!(visited(graph).await, ["x", "y"]);
}

#[tokio::test]
async fn a_step_that_ends_at_an_unknown_node_leaves_the_thread_as_it_was() {
    let graph = graph()
        .node("a", |state: Arc<S>, _: Runtime| async move {
            let wrong = state.log.len() == 1;
            Ok(if wrong {
                visit("a").goto("nope")
            } else {
                visit("a")
            })
        })
        .edge(START, "x")
        .edge("x", "a")
        .compile()
        .unwrap()
        .with_checkpointer(Arc::new(MemoryCheckpointer::new()));
    let thread = || RunOptions::new().thread("t");
    let error = graph.run(U::default(), thread()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::UnknownTarget);
    let kept = graph.thread_state(&thread()).await.unwrap().unwrap();
    assert_eq!(
        (kept.state.log.to_vec(), kept.next),
        (vec!["x".to_owned()], vec!["a".to_owned()])
    );
    let output = graph.run(U::default(), thread()).await.unwrap();
    assert_eq!(output.state.log.to_vec(), ["x", "x", "a"]);
}

#[tokio::test]
async fn an_unequal_diamond_runs_its_end_once_with_a_join() {
    let node = |name: &'static str| move |_: Arc<S>, _: Runtime| async move { Ok(visit(name)) };
    let graph = graph()
        .node("a", node("a"))
        .node("b", node("b"))
        .edge(START, "a")
        .edge(START, "b")
        .edge("b", "x")
        .join(["a", "x"], "y")
        .edge("y", "z");
    assert_eq!(visited(graph).await, ["a", "b", "x", "y", "z"]);
}
