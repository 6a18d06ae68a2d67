//! What a node may do, and what becomes of one that fails.

use std::sync::Arc;
use std::time::Duration;

use mcp_agent::{ErrorKind, Graph, NodeOptions, Retry, RunOptions, Runtime, START};

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
    assert_eq!(error.kind(), ErrorKind::Node);
    assert_eq!(error.node(), Some("slow"));
    assert!(error.to_string().contains("no result within 1s"), "{error}");
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
