//! Listeners that are slow, or go away.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::StreamExt;
use mcp_agent::{
    Emitted, EventSink, Graph, Interest, NodeError, RunEvent, RunOptions, Runtime, START, Streamed,
};

use super::{S, U, log, short};

#[tokio::test]
async fn a_slow_listener_is_told_how_much_it_missed() {
    let (sink, mut events) = EventSink::channel(Interest::CUSTOM, 1);
    let graph = Graph::<S>::new()
        .node("many", |_: Arc<S>, runtime: Runtime| async move {
            (0..5).for_each(|n| runtime.write(n));
            Ok::<_, NodeError>(log("many"))
        })
        .edge(START, "many")
        .compile()
        .unwrap();
    let options = || RunOptions::new().events(sink.clone());
    graph.run(log("in"), options()).await.unwrap();
    assert_eq!(short(&events.next().await.unwrap()), "/1 custom many 0");
    graph.run(log("in"), options()).await.unwrap();
    assert_eq!(short(&events.next().await.unwrap()), "/1 dropped 4");
}

#[tokio::test]
async fn a_dropped_stream_cancels_its_run() {
    let held = Arc::new(());
    let inside = Arc::clone(&held);
    let graph = Graph::<S>::new()
        .node("stuck", move |_: Arc<S>, runtime: Runtime| {
            let inside = Arc::clone(&inside);
            async move {
                let _inside = inside;
                runtime.write(1);
                std::future::pending::<Result<U, NodeError>>().await
            }
        })
        .edge(START, "stuck")
        .compile()
        .unwrap();
    let mut run = graph.stream(log("in"), RunOptions::new(), Interest::CUSTOM);
    assert!(matches!(run.next().await, Some(Streamed::Event(_))));
    assert_eq!(Arc::strong_count(&held), 3);
    drop(run);
    assert_eq!(Arc::strong_count(&held), 2);
}

async fn chatter(runtime: Runtime, written: Arc<AtomicUsize>) -> Result<U, NodeError> {
    for n in 0..EACH {
        runtime.write(n);
        written.fetch_add(1, Ordering::SeqCst);
        tokio::task::yield_now().await;
    }
    Ok(log("done"))
}

/// How many events each task of the test writes.
const EACH: usize = 5_000;

/// Gives the tasks the time to fill any channel.
async fn dawdle() {
    for _ in 0..6_000 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_slow_listener_of_a_stream_loses_nothing_and_the_tasks_wait_for_it() {
    let written = Arc::new(AtomicUsize::new(0));
    let node = || {
        let written = Arc::clone(&written);
        move |_: Arc<S>, runtime: Runtime| chatter(runtime, Arc::clone(&written))
    };
    let graph = Graph::<S>::new()
        .node("a", node())
        .node("b", node())
        .edge(START, "a")
        .edge(START, "b")
        .compile()
        .unwrap();
    let mut run = graph.stream(log("in"), RunOptions::new(), Interest::CUSTOM);
    let mut taken = 0;
    while let Some(item) = run.next().await {
        match item {
            Streamed::Event(Emitted {
                event: RunEvent::Custom { .. },
                ..
            }) => taken += 1,
            Streamed::Event(other) => panic!("{other:?}"),
            Streamed::Ended(end) => assert!(end.unwrap().is_finished()),
            _ => {}
        }
        if taken % 500 == 1 {
            dawdle().await;
        }
        let ahead = written.load(Ordering::SeqCst) - taken;
        assert!(ahead <= 4_096, "{ahead} events wait");
    }
    assert_eq!(taken, 2 * EACH);
}
