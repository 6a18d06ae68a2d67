//! Looking at threads, changing them from outside, going back in time.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use mcp_agent::state::{Append, Last};
use mcp_agent::{
    Clock, CompiledGraph, ErrorKind, Graph, Input, MemoryCheckpointer, NodeError, RunOptions,
    Runtime, START, Source, state,
};
use serde_json::json;

use crate::agent::thread;

state! {
    /// A log and a choice.
    pub struct S => U { log: Append<String>, choice: Last<String> }
}

fn log(text: impl Into<String>) -> U {
    U::default().log(vec![text.into()])
}

fn node(name: &'static str) -> impl mcp_agent::Node<S> {
    move |state: Arc<S>, _: Runtime| async move {
        Ok::<_, NodeError>(log(format!("{name}{}", *state.choice)))
    }
}

fn graph() -> CompiledGraph<S> {
    let graph = Graph::<S>::new()
        .node("a", node("a"))
        .node("b", node("b"))
        .node("c", node("c"))
        .edge(START, "a")
        .edge("a", "b")
        .edge("b", "c")
        .compile()
        .unwrap();
    graph.with_checkpointer(Arc::new(MemoryCheckpointer::new()))
}

#[tokio::test]
async fn a_thread_shows_its_state_at_each_checkpoint() {
    let graph = graph();
    assert!(graph.thread_state(&thread()).await.unwrap().is_none());
    graph.run(log("in"), thread()).await.unwrap();
    let history = graph.history(&thread(), 10).await.unwrap();
    let mut seen = Vec::new();
    for checkpoint in &history {
        let options = thread().checkpoint(Arc::clone(&checkpoint.id));
        let at = graph.thread_state(&options).await.unwrap().unwrap();
        seen.push((at.state.log.to_vec().join(" "), at.next.join(" ")));
    }
    let expected = [
        ("in a b c", ""),
        ("in a b", "c"),
        ("in a", "b"),
        ("in", "a"),
    ];
    let expected: Vec<_> = expected
        .iter()
        .map(|(l, n)| ((*l).to_owned(), (*n).to_owned()))
        .collect();
    assert_eq!(seen, expected);
    let unknown = graph
        .thread_state(&thread().checkpoint("nope"))
        .await
        .unwrap_err();
    assert_eq!(unknown.kind(), ErrorKind::Resume);
    let nowhere = graph.thread_state(&RunOptions::new()).await.unwrap_err();
    assert_eq!(nowhere.kind(), ErrorKind::NothingKeepsTheRun);
}

#[tokio::test]
async fn an_earlier_checkpoint_is_replayed_as_a_fork_and_the_rest_stays_in_the_history() {
    let graph = graph();
    graph.run(log("in"), thread()).await.unwrap();
    let history = graph.history(&thread(), 10).await.unwrap();
    let after_a = Arc::clone(&history[2].id);

    let output = graph
        .run(Input::Continue, thread().checkpoint(after_a.clone()))
        .await
        .unwrap();
    assert_eq!(output.state.log.to_vec(), ["in", "a", "b", "c"]);
    assert_eq!(output.steps, 2, "only what came after");

    // A change at that point, as if the node had written it.
    let changed = U::default().choice("!".to_owned());
    let fork = thread().checkpoint(after_a);
    let id = graph
        .update_thread(&fork, changed, Some("b"))
        .await
        .unwrap();
    let at = graph.thread_state(&thread()).await.unwrap().unwrap();
    assert_eq!(
        (at.checkpoint.id.clone(), at.checkpoint.source),
        (id, Source::Update)
    );
    assert_eq!(at.next, ["c"]);
    let output = graph.run(Input::Continue, thread()).await.unwrap();
    assert_eq!(output.state.log.to_vec(), ["in", "a", "c!"]);

    let all = graph.history(&thread(), 100).await.unwrap();
    assert_eq!(all.len(), 4 + 3 + 2);
    let old = thread().checkpoint(Arc::clone(&history[0].id));
    let old = graph.thread_state(&old).await.unwrap().unwrap();
    assert_eq!(old.state.log.to_vec(), ["in", "a", "b", "c"]);
}

#[tokio::test]
async fn a_change_without_a_node_leaves_what_comes_next() {
    let graph = graph();
    let early = U::default().choice("?".to_owned());
    graph.update_thread(&thread(), early, None).await.unwrap();
    let at = graph.thread_state(&thread()).await.unwrap().unwrap();
    assert_eq!(at.next, ["a"]);
    let output = graph.run(Input::Continue, thread()).await.unwrap();
    assert_eq!(output.state.log.to_vec(), ["a?", "b?", "c?"]);
    let wrong = graph
        .update_thread(&thread(), log("x"), Some("nope"))
        .await
        .unwrap_err();
    assert_eq!(wrong.kind(), ErrorKind::UnknownTarget);
}

#[tokio::test]
async fn questions_are_asked_again_when_time_goes_back() {
    let bodies = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&bodies);
    let graph = Graph::<S>::new()
        .node("ask", move |_: Arc<S>, runtime: Runtime| {
            counted.fetch_add(1, Ordering::SeqCst);
            async move {
                let answer = runtime.interrupt("who?")?;
                Ok::<_, NodeError>(log(answer.as_str().unwrap_or_default()))
            }
        })
        .edge(START, "ask")
        .compile()
        .unwrap()
        .with_checkpointer(Arc::new(MemoryCheckpointer::new()));
    graph.run(log("in"), thread()).await.unwrap();
    let at = graph.thread_state(&thread()).await.unwrap().unwrap();
    assert_eq!(at.interrupts[0].value, "who?");
    graph
        .run(Input::Answer(json!("ann")), thread())
        .await
        .unwrap();

    let first = thread().checkpoint(at.checkpoint.id.clone());
    let output = graph.run(Input::Continue, first).await.unwrap();
    assert_eq!(output.interrupts().len(), 1);
    assert_ne!(
        output.interrupts()[0].id,
        at.interrupts[0].id,
        "a question of its own"
    );
    let output = graph
        .run(Input::Answer(json!("bob")), thread())
        .await
        .unwrap();
    assert_eq!(output.state.log.to_vec(), ["in", "bob"]);
    assert_eq!(bodies.load(Ordering::SeqCst), 4);
}

#[test]
fn a_graph_can_be_drawn() {
    let graph = Graph::<S>::new()
        .node("a", node("a"))
        .node("my node", node("b"))
        .edge(START, "a")
        .route_among("a", ["my node", mcp_agent::END], |_| mcp_agent::END)
        .compile()
        .unwrap();
    let mermaid = graph.to_mermaid();
    assert!(mermaid.starts_with("flowchart TD\n"));
    assert!(mermaid.contains("n_a -.-> n_my_20_node\n"), "{mermaid}");
    assert!(
        mermaid.contains("n_my_20_node --> "),
        "the last node leads to the end: {mermaid}"
    );
    let dot = graph.to_dot();
    assert!(dot.contains("\"__start__\" -> \"a\";"), "{dot}");
    assert!(
        dot.contains("\"a\" -> \"my node\" [style=dashed];"),
        "{dot}"
    );
}

#[tokio::test]
async fn steps_are_counted_on_after_a_fork_and_sources_say_what_happened() {
    let graph = graph();
    graph.run(log("in"), thread()).await.unwrap();
    let history = graph.history(&thread(), 10).await.unwrap();
    let after_a = thread().checkpoint(Arc::clone(&history[2].id));
    graph.run(Input::Continue, after_a.clone()).await.unwrap();
    let told = graph.history(&thread(), 3).await.unwrap();
    let told: Vec<_> = told.iter().rev().map(|c| (c.step, c.source)).collect();
    assert_eq!(
        told,
        [(1, Source::Fork), (2, Source::Step), (3, Source::Step)]
    );
    // New input at an earlier checkpoint goes on from there as well.
    let output = graph.run(log("other"), after_a).await.unwrap();
    let expected = ["in", "a", "other", "a", "b", "c"];
    assert_eq!(output.state.log.to_vec(), expected);
    let newest = graph.history(&thread(), 1).await.unwrap();
    assert_eq!(newest[0].step, 5, "2 is the input, then three steps");
}

#[tokio::test]
async fn new_input_on_a_finished_thread_begins_at_the_start_with_the_old_state() {
    let graph = graph();
    graph.run(log("one"), thread()).await.unwrap();
    let output = graph.run(log("two"), thread()).await.unwrap();
    let expected = ["one", "a", "b", "c", "two", "a", "b", "c"];
    assert_eq!(output.state.log.to_vec(), expected);
    // Nothing is left to go on with, and that is no error.
    let output = graph.run(Input::Continue, thread()).await.unwrap();
    assert!(output.is_finished());
    assert_eq!((output.steps, output.state.log.len()), (0, 8));
    let nowhere = graph
        .run(Input::Continue, RunOptions::new().thread("other"))
        .await
        .unwrap_err();
    assert_eq!(nowhere.kind(), ErrorKind::Resume);
}

#[tokio::test]
async fn with_a_clock_and_a_salt_of_ones_own_names_and_times_are_the_same_each_time() {
    use std::time::{Duration, UNIX_EPOCH};
    let at = |ms| Clock::new(move || UNIX_EPOCH + Duration::from_millis(ms));
    let run = async |salt| {
        let graph = graph();
        let options = thread().clock(at(0xabc)).salt(salt);
        graph.run(log("in"), options).await.unwrap();
        // A clock that goes back gives no smaller names.
        let output = graph.run(log("on"), thread().clock(at(1)).salt(2)).await;
        let history = graph.history(&thread(), 100).await.unwrap();
        assert_eq!(history[0].id, output.unwrap().checkpoint.unwrap());
        let kept = history.iter().rev();
        let kept = kept.map(|kept| format!("{} {} {}", kept.id, kept.run, kept.created_ms));
        kept.collect::<Vec<_>>()
    };
    let first = run(0x7_0000_00ff).await;
    let name = |count, salt| format!("000000000abc00000{count}000000{salt}");
    let expected = |count| match count {
        0..=3 => format!("{} 00000007000000ff 2748", name(count, "ff")),
        count => format!("{} 0000000000000002 1", name(count, "02")),
    };
    assert_eq!(first, (0..8).map(expected).collect::<Vec<_>>());
    assert_eq!(run(0x7_0000_00ff).await, first);
    let other = run(1).await;
    assert!(
        first
            .iter()
            .zip(&other)
            .take(4)
            .all(|(one, two)| one != two)
    );
}
