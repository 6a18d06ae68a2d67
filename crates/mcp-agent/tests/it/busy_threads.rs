//! One run of a thread at a time.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::FutureExt as _;
use mcp_agent::state::Append;
use mcp_agent::{
    CompiledGraph, Error, ErrorKind, EventSink, Graph, Input, Interest, MemoryCheckpointer,
    NodeError, Persistence, RunOptions, RunOutput, Runtime, START, state,
};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::agent::thread;

state! { struct S => U { log: Append<String> } }

fn log(text: &str) -> U {
    U::default().log(vec![text.to_owned()])
}

/// A graph whose only node waits for a permit, and panics at the word `panic`.
fn waits(gate: &Arc<Semaphore>) -> CompiledGraph<S> {
    let gate = Arc::clone(gate);
    let graph = Graph::<S>::new()
        .node("wait", move |state: Arc<S>, _: Runtime| {
            let gate = Arc::clone(&gate);
            async move {
                assert_ne!(state.log.last().map(String::as_str), Some("panic"));
                gate.acquire().await.map_err(NodeError::from)?.forget();
                Ok::<_, NodeError>(log("waited"))
            }
        })
        .edge(START, "wait");
    let graph = graph.compile().unwrap();
    graph.with_checkpointer(Arc::new(MemoryCheckpointer::new()))
}

/// What becomes of a run that has begun to wait.
type Begun = tokio::task::JoinHandle<Result<RunOutput<S>, Error>>;

async fn begin(graph: &CompiledGraph<S>, options: RunOptions) -> Begun {
    let (graph, begun) = (graph.clone(), options.clone());
    let run = tokio::spawn(async move { graph.run(log("go"), begun).await });
    tokio::task::yield_now().await;
    run
}

async fn refused(graph: &CompiledGraph<S>, options: RunOptions) {
    let error = graph.run(log("again"), options).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ThreadBusy);
    assert!(error.to_string().contains("thread t "), "{error}");
}

#[tokio::test]
async fn a_second_run_of_a_thread_is_refused_until_the_first_has_ended() {
    let gate = Arc::new(Semaphore::new(0));
    let graph = waits(&gate);
    let first = begin(&graph, thread()).await;
    refused(&graph, thread()).await;
    refused(&graph.clone(), thread()).await;
    let options = thread();
    let update = graph.update_thread(&options, log("from outside"), None);
    assert_eq!(update.await.unwrap_err().kind(), ErrorKind::ThreadBusy);
    let state = graph.thread_state(&thread()).await.unwrap().unwrap();
    assert_eq!(state.state.log.to_vec(), ["go"], "to look is allowed");

    gate.add_permits(2);
    first.await.unwrap().unwrap();
    graph
        .update_thread(&thread(), log("now"), None)
        .await
        .unwrap();
    let output = graph.run(log("again"), thread()).await.unwrap();
    let expected = ["go", "waited", "now", "again", "waited"];
    assert_eq!(output.state.log.to_vec(), expected, "nothing was lost");
}

#[tokio::test]
async fn a_thread_is_free_after_its_run_was_cancelled_dropped_or_has_panicked() {
    let gate = Arc::new(Semaphore::new(0));
    let graph = waits(&gate);
    let cancel = CancellationToken::new();
    let run = begin(&graph, thread().cancel(cancel.clone())).await;
    refused(&graph, thread()).await;
    cancel.cancel();
    assert_eq!(run.await.unwrap().unwrap_err().kind(), ErrorKind::Cancelled);

    let run = graph.run(log("go"), thread());
    let late = tokio::time::timeout(Duration::from_millis(1), run).await;
    assert!(late.is_err(), "dropped while it waits");

    let run = begin(&graph, thread()).await;
    refused(&graph, thread()).await;
    run.abort();
    assert!(run.await.unwrap_err().is_cancelled());

    let failed = graph.run(log("panic"), thread()).await.unwrap_err();
    assert_eq!(failed.kind(), ErrorKind::Node);
    gate.add_permits(1);
    graph.run(log("go"), thread()).await.unwrap();
}

#[tokio::test]
async fn who_hears_of_a_question_may_answer_it_at_once() {
    let asks = |_: Arc<S>, runtime: Runtime| async move {
        let answer = runtime.interrupt("sure?")?;
        Ok::<_, NodeError>(log(answer.as_str().unwrap_or_default()))
    };
    let graph = Graph::<S>::new().node("ask", asks).edge(START, "ask");
    let graph = graph.compile().unwrap();
    let graph = graph.with_checkpointer(Arc::new(MemoryCheckpointer::new()));
    let (answering, answered) = (graph.clone(), Arc::new(Mutex::new(None)));
    let outcome = Arc::clone(&answered);
    let events = EventSink::from_fn(Interest::INTERRUPTS, move |_| {
        let answer = answering.run(Input::Answer("yes".into()), thread());
        *outcome.lock().unwrap() = answer.now_or_never();
    });
    graph.run(log("go"), thread().events(events)).await.unwrap();
    let output = answered.lock().unwrap().take();
    let output = output.unwrap().unwrap();
    assert_eq!(output.state.log.to_vec(), ["go", "yes"]);
}

#[tokio::test]
async fn other_threads_runs_without_one_and_other_graphs_are_not_held_up() {
    let gate = Arc::new(Semaphore::new(0));
    let graph = waits(&gate);
    let mut runs = vec![begin(&graph, thread()).await];
    runs.push(begin(&graph, RunOptions::new().thread("other")).await);
    for _ in 0..2 {
        runs.push(begin(&graph, RunOptions::new()).await);
    }
    // Another storage has other threads, whatever their names.
    let elsewhere = graph.clone();
    let elsewhere = elsewhere.with_checkpointer(Arc::new(MemoryCheckpointer::new()));
    runs.push(begin(&elsewhere, thread()).await);
    gate.add_permits(runs.len());
    for run in runs {
        run.await.unwrap().unwrap();
    }
}

#[tokio::test]
async fn a_graph_may_be_a_node_of_another_and_run_in_its_thread_many_times_at_once() {
    let gate = Arc::new(Semaphore::new(3));
    let inner = waits(&gate);
    let node = || {
        let node = inner.as_node(|_: &S| log("in"), |_, inner: &S| log(&inner.log.join(" ")));
        node.persistence(Persistence::PerCall)
    };
    let outer = Graph::<S>::new()
        .node("a", node())
        .node("b", node())
        .edge(START, "a")
        .edge(START, "b");
    let outer = outer.compile().unwrap();
    let outer = outer.with_checkpointer(Arc::new(MemoryCheckpointer::new()));
    let (both, own) = tokio::join!(
        outer.run(log("out"), thread()),
        inner.run(log("own"), thread())
    );
    assert_eq!(
        both.unwrap().state.log.to_vec(),
        ["out", "in waited", "in waited"]
    );
    assert_eq!(own.unwrap().state.log.to_vec(), ["own", "waited"]);
}
