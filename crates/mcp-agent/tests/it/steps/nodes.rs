//! What a node may do, and what becomes of one that fails.

use std::sync::Arc;
use std::time::Duration;

use mcp_agent::{
    ErrorKind, Goto, Graph, Input, MemoryCheckpointer, Node, NodeError, NodeOptions, NodeTimeout,
    Retry, RunOptions, Runtime, START,
};
use tokio::time::Instant;

use super::{S, U, failed, log, logged, says};

#[tokio::test(start_paused = true)]
async fn a_node_is_tried_again_and_its_failed_attempts_write_nothing() {
    let graph = Graph::<S>::new()
        .node_with(
            "flaky",
            NodeOptions::new().retry(Retry::new().attempts(3)),
            |_: Arc<S>, runtime: Runtime| async move {
                let attempt = runtime.info().attempt;
                if attempt < 3 {
                    return Err(std::io::Error::other("not yet").into());
                }
                Ok(log(&attempt.to_string()))
            },
        )
        .edge(START, "flaky");
    assert_eq!(logged(graph, U::default()).await, ["3"]);
}

#[tokio::test(start_paused = true)]
async fn a_node_that_takes_too_long_fails_by_name() {
    let graph = Graph::<S>::new()
        .node_with(
            "slow",
            NodeOptions::new().timeout(Duration::from_secs(1)),
            says("slow", 5_000),
        )
        .edge(START, "slow");
    let error = failed(graph).await;
    assert_eq!(error.kind(), ErrorKind::Timeout);
    assert_eq!(error.node(), Some("slow"));
    assert!(error.to_string().contains("no result within 1s"), "{error}");
}

/// A node that takes 5 s and may take 2, sent to with this limit of its own.
fn sent(limit: Duration) -> Graph<S> {
    let options = NodeOptions::new().timeout(Duration::from_secs(2));
    let graph = Graph::new().node_with("slow", options, says("slow", 5_000));
    graph.route(START, move |_| Goto::send_within("slow", 1, limit))
}

#[tokio::test(start_paused = true)]
async fn a_send_may_have_a_limit_of_its_own_also_when_the_run_goes_on_from_a_checkpoint() {
    let limits = [Duration::from_secs(1), Duration::from_secs(9)];
    let error = failed(sent(limits[0])).await;
    assert_eq!(error.kind(), ErrorKind::Timeout);
    assert!(error.to_string().contains("no result within 1s"), "{error}");
    assert_eq!(logged(sent(limits[1]), U::default()).await, ["slow"]);

    for limit in limits {
        let keeper = Arc::new(MemoryCheckpointer::new());
        let graph = sent(limit).pause_before(["slow"]).compile().unwrap();
        let graph = graph.with_checkpointer(keeper);
        let thread = RunOptions::new().thread("t");
        graph.run(U::default(), thread.clone()).await.unwrap();
        let ended = graph.run(Input::Continue, thread).await;
        assert_eq!(ended.is_ok(), limit == limits[1], "{ended:?}");
    }
}

/// A node that shows a sign of life after 0.8 s, four times, and is silent for `silent` at its end.
fn beating(beat: impl Fn(&Runtime) + Copy + Send + Sync + 'static, silent: u64) -> impl Node<S> {
    move |_: Arc<S>, runtime: Runtime| async move {
        for _ in 0..4 {
            tokio::time::sleep(Duration::from_millis(800)).await;
            beat(&runtime);
        }
        tokio::time::sleep(Duration::from_millis(silent)).await;
        Ok::<_, NodeError>(log("beating"))
    }
}

/// A graph of a node that may be silent for a second.
fn watched(node: impl Node<S>) -> Graph<S> {
    let options = NodeOptions::new().idle_timeout(Duration::from_secs(1));
    let graph = Graph::new().node_with("watched", options, node);
    graph.edge(START, "watched")
}

#[tokio::test(start_paused = true)]
async fn a_node_that_shows_no_sign_of_life_fails_by_name_and_in_time() {
    let began = Instant::now();
    let error = failed(watched(beating(Runtime::heartbeat, 5_000))).await;
    assert_eq!(error.kind(), ErrorKind::Timeout);
    assert_eq!(error.node(), Some("watched"));
    let text = error.to_string();
    assert!(text.contains("no sign of life for 1s"), "{text}");
    let after = began.elapsed().as_millis();
    assert!((4_200..4_210).contains(&after), "{after}");
}

#[tokio::test(start_paused = true)]
async fn heartbeats_events_and_pieces_of_answers_are_signs_of_life_also_in_a_graph_in_the_node() {
    let write = |runtime: &Runtime| runtime.write(1);
    let piece = |runtime: &Runtime| runtime.deltas().unwrap().write("piece");
    let inner = |limit: u64| {
        let options = NodeOptions::new().idle_timeout(Duration::from_secs(limit));
        let graph = Graph::<S>::new()
            .node_with("inner", options, beating(Runtime::heartbeat, 0))
            .edge(START, "inner")
            .compile()
            .unwrap();
        graph.as_node(|_: &S| U::default(), |_: &S, inner: &S| log(&inner.log[0]))
    };
    let graphs = [
        watched(beating(Runtime::heartbeat, 0)),
        watched(beating(write, 0)),
        watched(beating(piece, 0)),
        watched(inner(1)),
        watched(inner(9)),
    ];
    for graph in graphs {
        assert_eq!(logged(graph, U::default()).await, ["beating"]);
    }
    assert_eq!(
        failed(watched(beating(|_| (), 0))).await.kind(),
        ErrorKind::Timeout
    );
}

#[tokio::test(start_paused = true)]
async fn a_node_that_beats_may_still_not_run_for_ever_and_each_attempt_has_its_own_time() {
    let options = || NodeOptions::new().idle_timeout(Duration::from_secs(1));
    let both = options().timeout(Duration::from_secs(2));
    let graph = Graph::new().node_with("slow", both, beating(Runtime::heartbeat, 0));
    let error = failed(graph.edge(START, "slow")).await;
    assert!(error.to_string().contains("no result within 2s"), "{error}");
    let idle = |error: &(dyn std::error::Error + 'static)| {
        matches!(error.downcast_ref(), Some(NodeTimeout::Idle(_)))
    };
    let again = options().retry(Retry::new().when(idle));
    let node = |_: Arc<S>, runtime: Runtime| async move {
        let attempt = runtime.info().attempt;
        let silent = if attempt < 3 { 5_000 } else { 900 };
        tokio::time::sleep(Duration::from_millis(silent)).await;
        Ok::<_, NodeError>(log(&attempt.to_string()))
    };
    let graph = Graph::new()
        .node_with("slow", again, node)
        .edge(START, "slow");
    assert_eq!(logged(graph, U::default()).await, ["3"]);
}

#[tokio::test]
async fn a_panic_in_a_node_is_an_error_by_name() {
    let graph = Graph::<S>::new()
        .node("bad", |_: Arc<S>, _: Runtime| async {
            if true {
                panic!("oh no");
            }
            Ok(U::default())
        })
        .edge(START, "bad");
    let error = failed(graph).await;
    assert!(error.to_string().contains("oh no"), "{error}");
}

#[tokio::test]
async fn a_node_finds_context_and_where_it_is() {
    let graph = Graph::<S>::new()
        .node("who", |_: Arc<S>, runtime: Runtime| async move {
            let info = runtime.info();
            let user = runtime.context::<String>().cloned().unwrap_or_default();
            assert!(runtime.context::<u8>().is_none());
            Ok(log(&format!(
                "{user} {} {} {}",
                info.node, info.step, info.steps_left
            )))
        })
        .edge(START, "who")
        .compile()
        .unwrap();
    let options = RunOptions::new().context("ada".to_owned()).step_limit(9);
    let output = graph.run(U::default(), options).await.unwrap();
    assert_eq!(output.state.log.to_vec(), ["ada who 1 8"]);
    let output = graph.run(U::default(), RunOptions::new()).await.unwrap();
    assert_eq!(output.state.log.to_vec(), [" who 1 99"]);
}
