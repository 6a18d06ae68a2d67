//! Nodes that are tried again: how often, when, and after which errors.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_agent::state::Append;
use mcp_agent::{
    ErrorKind, Graph, NodeError, NodeOptions, Retry, RunOptions, Runtime, START, state,
};
use mcp_model::{ModelError, ModelErrorKind};
use tokio::time::Instant;

state! {
    /// A log.
    pub struct S => U { log: Append<String> }
}

/// What a node that always fails has waited between its attempts, in seconds.
async fn waits(retry: Retry, fail: fn() -> NodeError) -> Vec<f64> {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let marks = Arc::clone(&seen);
    let node = move |_: Arc<S>, runtime: Runtime| {
        let mut marks = marks.lock().unwrap();
        marks.push(Instant::now());
        assert_eq!(runtime.info().attempt as usize, marks.len(), "from 1 on");
        async move { Err::<U, _>(fail()) }
    };
    let graph = Graph::<S>::new()
        .node_with("bad", NodeOptions::new().retry(retry), node)
        .edge(START, "bad")
        .compile()
        .unwrap();
    let error = graph
        .run(U::default(), RunOptions::new())
        .await
        .unwrap_err();
    assert_eq!(error.node(), Some("bad"));
    let marks = seen.lock().unwrap();
    let pairs = marks.iter().zip(marks.iter().skip(1));
    pairs.map(|(a, b)| (*b - *a).as_secs_f64()).collect()
}

fn broken() -> NodeError {
    std::io::Error::other("broken").into()
}

#[tokio::test(start_paused = true)]
async fn unless_said_otherwise_there_are_3_attempts_each_later_than_the_last() {
    let waited = waits(Retry::new(), broken).await;
    assert_eq!(waited.len(), 2);
    // Half a second, then a whole one, and up to one more.
    assert!((0.5..1.51).contains(&waited[0]), "{waited:?}");
    assert!((1.0..2.01).contains(&waited[1]), "{waited:?}");
}

#[tokio::test(start_paused = true)]
async fn the_wait_doubles_and_has_an_end() {
    let retry = Retry::new().attempts(12).jitter(Duration::ZERO);
    let waited = waits(retry, broken).await;
    let rounded: Vec<f64> = waited.iter().map(|w| (w * 10.0).round() / 10.0).collect();
    let expected = [
        0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 128.0, 128.0,
    ];
    assert_eq!(rounded, expected);
}

#[tokio::test(start_paused = true)]
async fn errors_that_would_come_again_are_not_tried_again() {
    let unreadable: fn() -> NodeError = || serde_json::from_str::<u8>("x").unwrap_err().into();
    let refused: fn() -> NodeError = || ModelError::new(ModelErrorKind::BadRequest, "no").into();
    let panics: fn() -> NodeError = || panic!("oh no");
    for fail in [unreadable, refused] {
        assert!(waits(Retry::new(), fail).await.is_empty());
    }
    let graph = Graph::<S>::new()
        .node_with(
            "bad",
            NodeOptions::new().retry(Retry::new()),
            move |_: Arc<S>, runtime: Runtime| async move {
                assert_eq!(runtime.info().attempt, 1, "not again");
                Err::<U, _>(panics())
            },
        )
        .edge(START, "bad")
        .compile()
        .unwrap();
    let error = graph
        .run(U::default(), RunOptions::new())
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Node);
    assert!(error.to_string().contains("oh no"), "{error}");

    let busy: fn() -> NodeError = || ModelError::new(ModelErrorKind::Overloaded, "busy").into();
    for fail in [busy, || NodeError::new("a sentence"), broken] {
        assert_eq!(waits(Retry::new(), fail).await.len(), 2);
    }
}

#[tokio::test(start_paused = true)]
async fn of_several_rules_the_first_that_fits_counts() {
    let only = |words: &'static str| {
        let retry = Retry::new().jitter(Duration::ZERO);
        retry.when(move |error| error.to_string() == words)
    };
    let rules = || {
        let first = only("one").attempts(2);
        first
            .or(only("two").attempts(4))
            .or(only("one").attempts(9))
    };
    assert_eq!(waits(rules(), || NodeError::new("one")).await.len(), 1);
    assert_eq!(waits(rules(), || NodeError::new("two")).await.len(), 3);
    assert_eq!(waits(rules(), || NodeError::new("three")).await.len(), 0);
}
