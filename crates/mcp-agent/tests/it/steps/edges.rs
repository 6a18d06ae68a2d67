//! Which nodes come next.

use std::sync::Arc;
use std::time::Duration;

use mcp_agent::{
    END, ErrorKind, Goto, Graph, Input, MemoryCheckpointer, NodeOutput, RunOptions, Runtime, START,
    Targets, on_payload,
};
use tokio_util::sync::CancellationToken;

use super::{S, U, failed, log, logged, saying};

#[tokio::test]
async fn a_node_runs_once_in_a_step_however_many_edges_lead_to_it() {
    let graph = saying(["a", "b", "j"])
        .edge(START, "a")
        .edge(START, "b")
        .edge("a", "j")
        .edge("b", "j")
        .route("a", |_| "j");
    assert_eq!(logged(graph, U::default()).await, ["a", "b", "j"]);
}

#[tokio::test]
async fn a_way_back_makes_no_join_of_the_node_it_leads_to() {
    // A model node has two edges to it: from the start, and from its tools.
    let graph = saying(["model", "tools"])
        .edge(START, "model")
        .edge("tools", "model")
        .route(
            "model",
            |state| if state.log.len() < 6 { "tools" } else { END },
        );
    let expected = ["in", "model", "tools", "model", "tools", "model"];
    assert_eq!(logged(graph, log("in")).await, expected);
}

fn send(text: &str) -> Goto {
    Goto::send("echo", text)
}

/// What runs where the edge from the start decides so.
async fn routed(decide: fn() -> Targets) -> String {
    let echo = on_payload(|text: String, _: Runtime| async move { Ok(log(&text)) });
    let graph = saying(["a", "b"])
        .node("echo", echo)
        .route(START, move |_| decide());
    logged(graph, U::default()).await.join(" ")
}

#[tokio::test]
async fn conditional_edges_lead_to_nodes_lists_and_sends() {
    assert_eq!(routed(|| "a".into()).await, "a");
    assert_eq!(routed(|| "a".to_owned().into()).await, "a");
    assert_eq!(routed(|| ["b", "a"].into()).await, "a b");
    assert_eq!(routed(|| vec!["b", END].into()).await, "b");
    assert_eq!(routed(|| END.into()).await, "");
    assert_eq!(routed(|| Vec::<Goto>::new().into()).await, "");
    assert_eq!(routed(|| send("1").into()).await, "1");
    let mixed = || vec![send("2"), Goto::Node("a".into()), send("1")].into();
    assert_eq!(routed(mixed).await, "2 1 a");
}

#[tokio::test]
async fn a_node_may_give_back_nothing_or_several_updates() {
    let graph = Graph::<S>::new()
        .node("none", |_: Arc<S>, _: Runtime| async {
            Ok(NodeOutput::none())
        })
        .node("two", |_: Arc<S>, _: Runtime| async {
            Ok(NodeOutput::from(log("x")).update(log("y").sum(2)))
        })
        .edge(START, "none")
        .edge("none", "two")
        .compile()
        .unwrap();
    let output = graph.run(U::default(), RunOptions::new()).await.unwrap();
    assert_eq!(output.state.log.to_vec(), ["x", "y"]);
    assert_eq!((*output.state.sum, output.steps), (2, 2));
}

/// A graph whose edge from `a` waits for a second and leads to where the log says.
fn waiting() -> Graph<S> {
    let last = |state: Arc<S>| async move {
        tokio::time::sleep(Duration::from_secs(1)).await;
        match state.log.last().map_or("", String::as_str) {
            "a" => "b",
            _ => END,
        }
    };
    let start = |_: Arc<S>| async { vec!["a", "a"] };
    let graph = saying(["a", "b"]).route_async(START, start);
    graph.route_async("a", last).route_async("b", last)
}

#[tokio::test(start_paused = true)]
async fn a_conditional_edge_may_wait_and_sees_what_its_node_wrote() {
    assert_eq!(logged(waiting(), U::default()).await, ["a", "b"]);
}

#[tokio::test]
async fn what_a_waiting_edge_does_wrong_is_an_error_of_the_run() {
    let panics = |_: Arc<S>| async {
        if true {
            panic!("oh no");
        }
        END
    };
    let error = failed(saying(["a"]).edge(START, "a").route_async("a", panics)).await;
    assert!(error.to_string().contains("oh no"), "{error}");
    let nowhere = |_: Arc<S>| async { "nowhere" };
    let error = failed(saying(["a"]).edge(START, "a").route_async("a", nowhere)).await;
    assert_eq!(error.kind(), ErrorKind::UnknownTarget);
}

#[tokio::test(start_paused = true)]
async fn a_run_that_is_cancelled_while_an_edge_waits_ends_and_has_not_taken_the_step() {
    let keeper = Arc::new(MemoryCheckpointer::new());
    let graph = waiting().compile().unwrap().with_checkpointer(keeper);
    let cancel = CancellationToken::new();
    let options = RunOptions::new().thread("t");
    let run = graph.run(U::default(), options.clone().cancel(cancel.clone()));
    let soon = async {
        tokio::time::sleep(Duration::from_millis(500)).await;
        cancel.cancel();
    };
    let (ended, ()) = tokio::join!(run, soon);
    assert_eq!(ended.unwrap_err().kind(), ErrorKind::Cancelled);
    let went_on = graph.run(Input::Continue, options).await.unwrap();
    assert_eq!(went_on.state.log.to_vec(), ["a", "b"]);
}
