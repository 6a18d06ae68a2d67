//! Which nodes run when: snapshots, joins, sends, the end.

use std::sync::Arc;
use std::time::Duration;

use mcp_agent::{
    END, ErrorKind, Goto, Graph, NodeOptions, RunOptions, Runtime, START, Targets, on_payload,
};
use tokio::sync::Barrier;

use super::{S, U, failed, log, logged, ran, saying, says};

#[tokio::test(start_paused = true)]
async fn updates_go_in_by_node_name_whatever_finishes_first() {
    let graph = Graph::<S>::new()
        .node("a", says("a", 200))
        .node("b", says("b", 1))
        .node("c", says("c", 50))
        .edge(START, "b")
        .edge(START, "a")
        .edge(START, "c")
        .compile()
        .unwrap();
    let output = graph.run(log("in"), RunOptions::new()).await.unwrap();
    assert_eq!(output.state.log.to_vec(), ["in", "a", "b", "c"]);
    assert_eq!(output.steps, 1);
}

/// A node that waits until all are here.
fn meets(barrier: &Arc<Barrier>) -> impl mcp_agent::Node<S> {
    let barrier = Arc::clone(barrier);
    move |state: Arc<S>, _: Runtime| {
        let barrier = Arc::clone(&barrier);
        async move {
            barrier.wait().await;
            Ok::<_, mcp_agent::NodeError>(U::default().sum(*state.sum + 1))
        }
    }
}

#[tokio::test]
async fn the_tasks_of_a_step_run_at_the_same_time_and_see_one_snapshot() {
    let barrier = Arc::new(Barrier::new(3));
    let mut graph = Graph::<S>::new();
    for name in ["a", "b", "c"] {
        graph = graph.node(name, meets(&barrier)).edge(START, name);
    }
    let state = ran(graph, U::default().sum(10)).await;
    assert_eq!(*state.sum, 10 + 3 * 11);
}

#[tokio::test]
async fn a_join_waits_for_all_and_plain_edges_do_not() {
    let base = || {
        saying(["a", "b", "a2", "j"])
            .edge(START, "a")
            .edge(START, "b")
            .edge("a", "a2")
    };
    let plain = base().edge("a2", "j").edge("b", "j");
    let log = logged(plain, U::default()).await;
    assert_eq!(log, ["a", "b", "a2", "j", "j"]);
    let joined = base().join(["a2", "b"], "j");
    let log = logged(joined, U::default()).await;
    assert_eq!(log, ["a", "b", "a2", "j"]);
}

#[tokio::test]
async fn a_join_fires_again_in_a_loop() {
    let graph = saying(["a", "b", "j"])
        .edge(START, "a")
        .edge(START, "b")
        .join(["a", "b"], "j")
        .route("j", |state| -> Targets {
            if state.log.len() < 6 {
                ["a", "b"].into()
            } else {
                END.into()
            }
        });
    assert_eq!(
        logged(graph, U::default()).await,
        ["a", "b", "j", "a", "b", "j"]
    );
}

#[tokio::test]
async fn a_deferred_node_runs_once_at_the_end() {
    let graph = saying(["a", "b", "a2"])
        .node_with("last", NodeOptions::new().defer(), says("last", 0))
        .edge(START, "a")
        .edge(START, "b")
        .edge("a", "a2")
        .edge("a2", "last")
        .edge("b", "last");
    assert_eq!(logged(graph, U::default()).await, ["a", "b", "a2", "last"]);
}

#[tokio::test(start_paused = true)]
async fn sends_come_first_in_their_order_each_with_its_payload() {
    let graph = Graph::<S>::new()
        .node(
            "echo",
            on_payload(|ms: u64, _: Runtime| async move {
                // The first takes longest.
                tokio::time::sleep(Duration::from_millis(ms)).await;
                Ok(log(&ms.to_string()))
            }),
        )
        .node("a", says("a", 0))
        .route(START, |_| -> Targets {
            let send = |ms: u64| Goto::send("echo", ms);
            vec![Goto::Node("a".into()), send(300), send(20), send(100)].into()
        });
    assert_eq!(logged(graph, U::default()).await, ["300", "20", "100", "a"]);
}

#[tokio::test]
async fn n_steps_succeed_with_a_limit_of_n() {
    let graph = saying(["a", "b", "c"])
        .edge(START, "a")
        .edge("a", "b")
        .edge("b", "c")
        .edge("c", END)
        .compile()
        .unwrap();
    let limited = |steps| RunOptions::new().step_limit(steps);
    assert!(graph.run(U::default(), limited(3)).await.is_ok());
    let error = graph.run(U::default(), limited(2)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::StepLimit);
    assert_eq!(error.to_string(), "no end after 2 steps; c would be next");
}

#[tokio::test]
async fn a_run_without_end_stops_after_100_steps() {
    let graph = saying(["a"]).edge(START, "a").edge("a", "a");
    let error = failed(graph).await;
    assert_eq!(error.kind(), ErrorKind::StepLimit);
}
