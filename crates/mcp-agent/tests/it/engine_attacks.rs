//! Graphs, states and checkpoints that nobody should make, and many of everything.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use mcp_agent::state::{Append, Change, Changes, Fold, Folded, Json, Last, Messages};
use mcp_agent::{
    Checkpoint, Checkpointer, CompiledGraph, END, ErrorKind, Goto, Graph, Input,
    MemoryCheckpointer, NodeError, Place, RunOptions, Runtime, START, Targets, on_payload, state,
};
use serde_json::{Value, json};

use crate::agent::thread;

/// A rule that refuses a number by a panic.
#[derive(Debug)]
struct Fragile;

impl Fold for Fragile {
    type Value = i64;
    type Item = i64;

    fn fold(value: &mut i64, item: i64) {
        assert_ne!(item, 13, "not that number");
        *value += item;
    }
}

state! {
    /// A log, a rule that panics, a conversation.
    struct S => U {
        log: Append<String>,
        fragile: Folded<Fragile>,
        messages: Messages,
    }
}

fn log(text: impl Into<String>) -> U {
    U::default().log(vec![text.into()])
}

fn says(name: &'static str) -> impl mcp_agent::Node<S> {
    move |_: Arc<S>, _: Runtime| async move { Ok::<_, NodeError>(log(name)) }
}

fn kept(graph: Graph<S>) -> (CompiledGraph<S>, MemoryCheckpointer) {
    let memory = MemoryCheckpointer::new();
    let graph = graph.compile().unwrap();
    (graph.with_checkpointer(Arc::new(memory.clone())), memory)
}

fn many(node: &'static str, count: usize) -> Targets {
    let send = |n: usize| Goto::send(node, n);
    (0..count).map(send).collect::<Vec<_>>().into()
}

#[tokio::test]
async fn ten_thousand_sends_keep_their_order() {
    let running = Arc::new(AtomicUsize::new(0));
    let most = Arc::new(AtomicUsize::new(0));
    let (now, peak) = (Arc::clone(&running), Arc::clone(&most));
    let node = on_payload(move |n: usize, _: Runtime| {
        let (now, peak) = (Arc::clone(&now), Arc::clone(&peak));
        async move {
            peak.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            tokio::task::yield_now().await;
            now.fetch_sub(1, Ordering::SeqCst);
            Ok::<_, NodeError>(log(n.to_string()))
        }
    });
    let graph = Graph::<S>::new()
        .node("each", node)
        .route(START, |_| many("each", 10_000));
    let (graph, _) = kept(graph);
    let output = graph.run(U::default(), thread()).await.unwrap();
    let expected: Vec<String> = (0..10_000).map(|n| n.to_string()).collect();
    assert_eq!(output.state.log.to_vec(), expected);
    assert!(most.load(Ordering::SeqCst) <= 64, "so many run at once");
}

#[tokio::test]
async fn a_thousand_questions_are_answered_at_once() {
    let node = on_payload(|n: usize, runtime: Runtime| async move {
        let answer = runtime.interrupt(n)?;
        Ok::<_, NodeError>(log(answer.to_string()))
    });
    let graph = Graph::<S>::new()
        .node("each", node)
        .route(START, |_| many("each", 1_000));
    let (graph, _) = kept(graph);
    let output = graph.run(U::default(), thread()).await.unwrap();
    let answers: HashMap<String, Value> = output
        .interrupts()
        .iter()
        .map(|interrupt| (interrupt.id.clone(), interrupt.value.clone()))
        .collect();
    assert_eq!(answers.len(), 1_000, "each has its own name");
    let output = graph.run(Input::Answers(answers), thread()).await.unwrap();
    let expected: Vec<String> = (0..1_000).map(|n| n.to_string()).collect();
    assert_eq!(output.state.log.to_vec(), expected);
}

#[tokio::test]
async fn a_panic_in_a_rule_a_condition_or_a_drawn_line_between_graphs_is_an_error() {
    let bad_number = Graph::<S>::new()
        .node("ok", says("ok"))
        .node("bad", |state: Arc<S>, _: Runtime| async move {
            let number = if state.log.len() == 2 { 13 } else { 1 };
            Ok(U::default().fragile(number))
        })
        .edge(START, "ok")
        .edge("ok", "bad");
    let (graph, _) = kept(bad_number);
    let error = graph.run(log("in"), thread()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::State);
    assert!(error.to_string().contains("not that number"), "{error}");
    // The step has left no trace, and the thread can be used.
    let at = graph.thread_state(&thread()).await.unwrap().unwrap();
    assert_eq!((at.state.log.len(), at.next), (2, vec!["bad".to_owned()]));
    let output = graph.run(log("again"), thread()).await.unwrap();
    assert_eq!(*output.state.fragile, 1);
    let error = graph
        .run(U::default().fragile(13), thread())
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::State, "from outside");
    let error = graph
        .update_thread(&thread(), U::default().fragile(13), None)
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::State, "an update of the thread");

    let (graph, _) = kept(
        Graph::<S>::new()
            .node("a", says("a"))
            .edge(START, "a")
            .route("a", |state| {
                assert!(state.log.is_empty(), "no way on");
                END
            }),
    );
    let error = graph.run(U::default(), thread()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::State);
    assert!(error.to_string().contains("no way on"), "{error}");

    let child = Graph::<S>::new().node("a", says("a")).edge(START, "a");
    let child = child.compile().unwrap();
    let node = child.as_node(
        |outer: &S| {
            assert!(!outer.log.is_empty(), "nothing goes in");
            U::default()
        },
        |_, _| U::default(),
    );
    let (graph, _) = kept(Graph::<S>::new().node("sub", node).edge(START, "sub"));
    let error = graph.run(U::default(), thread()).await.unwrap_err();
    assert_eq!(error.node(), Some("sub"));
    assert!(error.to_string().contains("nothing goes in"), "{error}");
}

/// A graph in a graph, so often.
fn nested(depth: usize) -> CompiledGraph<S> {
    let mut graph = Graph::<S>::new()
        .node("leaf", says("leaf"))
        .edge(START, "leaf");
    for _ in 0..depth {
        let inner = graph.compile().unwrap();
        let node = inner.as_node(
            |_: &S| U::default(),
            |_, inner| log(inner.log.first().cloned().unwrap_or_default()),
        );
        graph = Graph::<S>::new().node("sub", node).edge(START, "sub");
    }
    graph.compile().unwrap()
}

#[tokio::test]
async fn graphs_may_be_nested_32_deep_and_no_deeper() {
    let output = nested(32).run(U::default(), RunOptions::new()).await;
    assert_eq!(output.unwrap().state.log.to_vec(), ["leaf"]);
    let error = nested(33)
        .run(U::default(), RunOptions::new())
        .await
        .unwrap_err();
    assert!(error.chain().contains("more than 32 deep"), "{error}");
}

#[tokio::test]
async fn a_large_state_goes_through_a_thread_unchanged() {
    let (graph, _) = kept(Graph::<S>::new().node("a", says("a")).edge(START, "a"));
    let huge = "\u{1F980}".repeat(1 << 20);
    graph.run(log(huge.clone()), thread()).await.unwrap();
    let output = graph.run(log("b"), thread()).await.unwrap();
    assert_eq!(output.state.log[0], huge);
    assert_eq!(output.state.log.len(), 4);
}

#[tokio::test]
async fn a_graph_that_has_changed_says_what_does_not_fit() {
    let (old, memory) = kept(
        Graph::<S>::new()
            .node("a", says("a"))
            .node("b", says("b"))
            .edge(START, "a")
            .edge("a", "b")
            .pause_before(["b"]),
    );
    old.run(log("in"), thread()).await.unwrap();
    let memory = Arc::new(memory);
    let without_b = Graph::<S>::new().node("a", says("a")).edge(START, "a");
    let without_b = without_b.compile().unwrap();
    let without_b = without_b.with_checkpointer(memory.clone());
    let error = without_b.run(Input::Continue, thread()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::UnknownTarget);
    assert!(
        error.to_string().contains("the checkpoint goes to b"),
        "{error}"
    );
    let output = without_b.run(log("new"), thread()).await.unwrap();
    assert_eq!(
        output.state.log.to_vec(),
        ["in", "a", "new", "a"],
        "new input helps"
    );
}

state! {
    /// The log has become one value.
    pub struct Other => OtherUpdate { log: Last<String> }
}

#[tokio::test]
async fn a_state_that_has_changed_says_which_checkpoint_does_not_fit() {
    let (old, memory) = kept(Graph::<S>::new().node("a", says("a")).edge(START, "a"));
    old.run(log("in"), thread()).await.unwrap();
    let idle = |_: Arc<Other>, _: Runtime| async { Ok(OtherUpdate::default()) };
    let graph = Graph::<Other>::new().node("a", idle).edge(START, "a");
    let graph = graph.compile().unwrap();
    let graph = graph.with_checkpointer(Arc::new(memory));
    let error = graph
        .run(OtherUpdate::default(), thread())
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::State);
    let text = error.chain();
    assert!(
        text.contains("field log") && text.contains("checkpoint "),
        "{text}"
    );
}

/// A checkpoint as a broken storage might give it.
fn corrupt(id: &str, parent: Option<&str>, changes: &Changes) -> Arc<Checkpoint> {
    let whole = json!({
        "id": id, "parent": parent, "step": 0, "source": "input", "changes": changes,
        "next": [{"node": "a"}], "run": "r", "created_ms": 0,
    });
    Arc::new(serde_json::from_value(whole).unwrap())
}

#[tokio::test]
async fn checkpoints_that_contradict_themselves_are_an_error_and_no_loop() {
    let mut gap = Changes::default();
    let items = vec![Json::of("x").unwrap()];
    gap.put("log", Some(Change::Tail { from: 7, items }));
    let mut message = Changes::default();
    let items = vec![Json::of(&json!({"no": "message"})).unwrap()];
    message.put("messages", Some(Change::Tail { from: 0, items }));
    for changes in [gap, message] {
        let (graph, memory) = kept(Graph::<S>::new().node("a", says("a")).edge(START, "a"));
        let place = Place::new("t", "");
        memory
            .put(place, corrupt("001", None, &changes))
            .await
            .unwrap();
        let error = graph.run(log("in"), thread()).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::State);
        assert!(error.to_string().contains("001"), "{error}");
    }

    let (graph, memory) = kept(Graph::<S>::new().node("a", says("a")).edge(START, "a"));
    for (id, parent) in [("001", "002"), ("002", "001"), ("003", "003")] {
        let one = corrupt(id, Some(parent), &Changes::default());
        memory.put(Place::new("t", ""), one).await.unwrap();
    }
    let output = graph.run(Input::Continue, thread()).await.unwrap();
    assert_eq!(output.state.log.to_vec(), ["a"]);
}

#[tokio::test]
async fn runs_of_two_graphs_at_once_on_one_thread_do_not_mix() {
    let slow = |name: &'static str| {
        move |_: Arc<S>, _: Runtime| async move {
            tokio::task::yield_now().await;
            Ok::<_, NodeError>(log(name))
        }
    };
    let graph = || {
        Graph::<S>::new()
            .node("a", slow("a"))
            .node("b", slow("b"))
            .edge(START, "a")
            .edge("a", "b")
    };
    let (graph, memory) = kept(graph());
    // As in another process, which no guard here sees.
    let other = graph.clone().with_checkpointer(Arc::new(memory));
    graph.run(log("0"), thread()).await.unwrap();
    // Even under one name, as where a request is sent twice. The second begins with what the
    // first has kept until then, and from there each goes its own way.
    let same = || thread().run_id("same");
    let (one, two) = tokio::join!(graph.run(log("1"), same()), other.run(log("2"), same()));
    let expected = |names: &[&'static str]| [&["0", "a", "b"], names, &["a", "b"]].concat();
    let (first, second) = (expected(&["1"]), expected(&["1", "2"]));
    assert_eq!(one.unwrap().state.log.to_vec(), first);
    assert_eq!(two.unwrap().state.log.to_vec(), second);
    let history = graph.history(&thread(), 100).await.unwrap();
    let names: HashSet<_> = history.iter().map(|checkpoint| &checkpoint.id).collect();
    assert_eq!(
        names.len(),
        3 * 3,
        "no checkpoint took the place of another"
    );
    for checkpoint in &history {
        let at = thread().checkpoint(Arc::clone(&checkpoint.id));
        let at = graph.thread_state(&at).await.unwrap().unwrap();
        let log: Vec<&str> = at.state.log.iter().map(String::as_str).collect();
        assert!(
            first.starts_with(&log) || second.starts_with(&log),
            "{log:?}"
        );
    }
}
