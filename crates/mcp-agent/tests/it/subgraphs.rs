//! Graphs within graphs, and agents that hand over to each other.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use mcp_agent::state::{Append, LastInOrder, Messages};
use mcp_agent::{
    Command, CompiledGraph, END, End, ErrorKind, Graph, Input, MemoryCheckpointer, NodeError,
    NodeOutput, Persistence, RunOptions, Runtime, START, state,
};
use mcp_interceptors::LocalTools;
use mcp_model::ScriptedModel;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::agent::{agent, call, shown, thread, tool};

state! {
    /// The outer state.
    pub struct Outer => OuterUpdate {
        log: Append<String>,
        a: LastInOrder<String>,
        b: LastInOrder<String>,
    }
}

state! {
    /// The inner state.
    pub struct Inner => InnerUpdate { log: Append<String> }
}

fn outer(text: &str) -> OuterUpdate {
    OuterUpdate::default().log(vec![text.to_owned()])
}

fn inner(text: impl Into<String>) -> InnerUpdate {
    InnerUpdate::default().log(vec![text.into()])
}

/// The inner graph as a node that gives back what is new.
fn nested(graph: &CompiledGraph<Inner>) -> mcp_agent::Subgraph<Outer, Inner> {
    graph.as_node(
        |outer: &Outer| InnerUpdate::default().log(outer.log.to_vec()),
        |before, inner| {
            OuterUpdate::default().log(
                inner
                    .log
                    .iter()
                    .skip(before.log.len())
                    .cloned()
                    .collect::<Vec<_>>(),
            )
        },
    )
}

fn says(name: &'static str) -> impl mcp_agent::Node<Outer> {
    move |_: Arc<Outer>, _: Runtime| async move { Ok::<_, NodeError>(outer(name)) }
}

fn kept<S: mcp_agent::State>(graph: CompiledGraph<S>) -> CompiledGraph<S> {
    graph.with_checkpointer(Arc::new(MemoryCheckpointer::new()))
}

#[tokio::test]
async fn what_gathers_is_not_doubled_by_a_subgraph() {
    let child = Graph::<Inner>::new()
        .node("in", |_: Arc<Inner>, _: Runtime| async { Ok(inner("in")) })
        .edge(START, "in")
        .compile()
        .unwrap();
    let graph = Graph::<Outer>::new()
        .node("a", says("a"))
        .node("sub", nested(&child))
        .edge(START, "a")
        .edge("a", "sub")
        .compile()
        .unwrap();
    let output = graph
        .run(OuterUpdate::default(), RunOptions::new())
        .await
        .unwrap();
    assert_eq!(output.state.log.to_vec(), ["a", "in"]);
}

#[tokio::test]
async fn a_command_for_the_parent_is_obeyed_there_after_the_steps_other_tasks() {
    let child = Graph::<Inner>::new()
        .node("one", |_: Arc<Inner>, _: Runtime| async {
            let command = Command::new().with_update("a", "A").goto("after");
            Ok(NodeOutput::none().to_parent(command))
        })
        .node("two", |_: Arc<Inner>, _: Runtime| async {
            let command = Command::new().with_update("b", "B");
            Ok(NodeOutput::from(inner("two")).to_parent(command))
        })
        .node("never", |_: Arc<Inner>, _: Runtime| async {
            Ok(inner("never"))
        })
        .edge(START, "one")
        .edge(START, "two")
        .edge("one", "never")
        .edge("two", "never")
        .compile()
        .unwrap();
    let graph = Graph::<Outer>::new()
        .node("sub", nested(&child))
        .node("after", says("after"))
        .node("static", says("static"))
        .edge(START, "sub")
        .edge("sub", "static")
        .compile()
        .unwrap();
    let output = graph
        .run(OuterUpdate::default(), RunOptions::new())
        .await
        .unwrap();
    assert_eq!(output.state.log.to_vec(), ["two", "after", "static"]);
    assert_eq!(
        (output.state.a.as_str(), output.state.b.as_str()),
        ("A", "B"),
        "p_r09: both"
    );

    let root = child
        .run(InnerUpdate::default(), RunOptions::new())
        .await
        .unwrap_err();
    assert_eq!(root.kind(), ErrorKind::UnknownTarget, "there is no parent");
}

#[tokio::test]
async fn p_r09_a_command_reaches_the_right_parent_at_any_depth() {
    let leaf = Graph::<Inner>::new()
        .node("leaf", |_: Arc<Inner>, _: Runtime| async {
            let command = Command::new()
                .with_update("log", json!(["from leaf"]))
                .goto(END);
            Ok(NodeOutput::none().to_parent(command))
        })
        .edge(START, "leaf")
        .compile()
        .unwrap();
    let middle = Graph::<Inner>::new()
        .node(
            "deep",
            leaf.as_node(
                |_: &Inner| InnerUpdate::default(),
                |_, _| InnerUpdate::default(),
            ),
        )
        .node("skipped", |_: Arc<Inner>, _: Runtime| async {
            Ok(inner("skipped"))
        })
        .edge(START, "deep")
        .edge("deep", "skipped")
        .compile()
        .unwrap();
    let graph = Graph::<Outer>::new()
        .node("sub", nested(&middle))
        .node("next", says("next"))
        .edge(START, "sub")
        .edge("sub", "next")
        .compile()
        .unwrap();
    let output = graph
        .run(OuterUpdate::default(), RunOptions::new())
        .await
        .unwrap();
    assert_eq!(output.state.log.to_vec(), ["from leaf", "next"]);
}

fn asking(bodies: &Arc<AtomicUsize>) -> CompiledGraph<Inner> {
    let bodies = Arc::clone(bodies);
    Graph::<Inner>::new()
        .node("before", move |_: Arc<Inner>, _: Runtime| {
            bodies.fetch_add(1, Ordering::SeqCst);
            async { Ok(inner("before")) }
        })
        .node("ask", |_: Arc<Inner>, runtime: Runtime| async move {
            let answer = runtime.interrupt("which?")?;
            Ok(inner(answer.as_str().unwrap_or_default()))
        })
        .edge(START, "before")
        .edge("before", "ask")
        .compile()
        .unwrap()
}

#[tokio::test]
async fn a_question_in_a_subgraph_stops_the_outer_run_and_the_inner_one_goes_on_from_there() {
    let bodies = Arc::new(AtomicUsize::new(0));
    let graph = Graph::<Outer>::new()
        .node("sub", nested(&asking(&bodies)))
        .node("other", says("other"))
        .edge(START, "sub")
        .edge(START, "other")
        // The subgraph is entered twice: the second time it begins anew.
        .route("sub", |outer| if outer.log.len() < 4 { "sub" } else { END })
        .compile()
        .unwrap();
    let graph = kept(graph);
    let output = graph.run(OuterUpdate::default(), thread()).await.unwrap();
    let first = output.interrupts()[0].clone();
    assert_eq!((first.node.as_str(), first.value), ("ask", json!("which?")));
    assert!(first.namespace.starts_with("sub:"), "{}", first.namespace);
    let output = graph
        .run(Input::Answer(json!("x")), thread())
        .await
        .unwrap();
    assert_eq!(output.state.log.to_vec(), ["other", "before", "x"]);
    let second = output.interrupts()[0].clone();
    assert_ne!(second.id, first.id);
    let output = graph
        .run(Input::Answer(json!("y")), thread())
        .await
        .unwrap();
    assert!(output.is_finished());
    assert_eq!(
        output.state.log.to_vec(),
        ["other", "before", "x", "before", "y"]
    );
    assert_eq!(
        bodies.load(Ordering::SeqCst),
        2,
        "finished inner nodes are not repeated"
    );
}

#[tokio::test]
async fn two_subgraphs_with_questions_at_once_both_get_their_answers() {
    let bodies = Arc::new(AtomicUsize::new(0));
    let child = asking(&bodies);
    let graph = Graph::<Outer>::new()
        .node("left", nested(&child))
        .node("right", nested(&child))
        .edge(START, "left")
        .edge(START, "right")
        .compile()
        .unwrap();
    let graph = kept(graph);
    let output = graph.run(OuterUpdate::default(), thread()).await.unwrap();
    let answers = output.interrupts().iter().map(|interrupt| {
        let side = interrupt.namespace.split(':').next().unwrap_or_default();
        (interrupt.id.clone(), json!(side))
    });
    let output = graph
        .run(Input::Answers(answers.collect()), thread())
        .await
        .unwrap();
    assert_eq!(
        output.state.log.to_vec(),
        ["before", "left", "before", "right"]
    );
    assert_eq!(bodies.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn a_subgraph_with_its_own_memory_goes_on_where_it_was() {
    let child = Graph::<Inner>::new()
        .node("count", |state: Arc<Inner>, _: Runtime| async move {
            Ok(inner(state.log.len().to_string()))
        })
        .edge(START, "count")
        .compile()
        .unwrap();
    let node = child
        .as_node(
            |_: &Outer| InnerUpdate::default(),
            |_, inner| outer(&inner.log.to_vec().join(" ")),
        )
        .persistence(Persistence::PerThread);
    let graph = Graph::<Outer>::new()
        .node("sub", node)
        .edge(START, "sub")
        .route("sub", |outer| if outer.log.len() < 3 { "sub" } else { END })
        .compile()
        .unwrap();
    let graph = kept(graph);
    let output = graph.run(OuterUpdate::default(), thread()).await.unwrap();
    assert_eq!(output.state.log.to_vec(), ["0", "0 1", "0 1 2"]);
    let output = graph.run(OuterUpdate::default(), thread()).await.unwrap();
    assert_eq!(output.state.log[3], "0 1 2 3");
}

#[tokio::test]
async fn a_subgraph_that_keeps_nothing_cannot_wait_for_answers() {
    let child = asking(&Arc::default());
    let node = nested(&child).persistence(Persistence::Never);
    let graph = Graph::<Outer>::new()
        .node("sub", node)
        .edge(START, "sub")
        .compile()
        .unwrap();
    let error = kept(graph)
        .run(OuterUpdate::default(), thread())
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NothingKeepsTheRun);
}

#[tokio::test]
async fn a_pause_in_a_subgraph_stops_the_outer_run() {
    let child = Graph::<Inner>::new()
        .node("in", |_: Arc<Inner>, _: Runtime| async { Ok(inner("in")) })
        .edge(START, "in")
        .pause_before(["in"])
        .compile()
        .unwrap();
    let graph = Graph::<Outer>::new()
        .node("sub", nested(&child))
        .edge(START, "sub");
    let graph = kept(graph.compile().unwrap());
    let output = graph.run(OuterUpdate::default(), thread()).await.unwrap();
    assert!(matches!(&output.end, End::Interrupted(i) if i[0].value == json!({"paused": ["in"]})));
    let output = graph
        .run(Input::Answer(json!(null)), thread())
        .await
        .unwrap();
    assert_eq!(output.state.log.to_vec(), ["in"]);
}

state! {
    /// A team's state.
    pub struct Team => TeamUpdate { messages: Messages }
}

#[tokio::test]
async fn a13_a_hand_over_carries_the_call_and_its_answer() {
    let tools = LocalTools::new("s")
        .tool(tool("hand_over"), |_| async {
            Ok(Command::handoff("summary_agent")
                .with_message("over to you")
                .into())
        })
        .tool(tool("look"), |_| async { Ok("seen".into()) });
    let worker_model = ScriptedModel::new()
        .calls([
            call("1", "hand_over", &json!({})),
            call("2", "look", &json!({})),
        ])
        .says("never asked");
    let summary_model = ScriptedModel::new().says("in short: done");
    let worker = agent(&worker_model).tools(tools).build().unwrap();
    let summary = agent(&summary_model).build().unwrap();
    let member = |agent: &mcp_agent::ReactAgent| {
        agent.as_node(
            |team: &Team| team.messages.since(0).into(),
            |team, agent| TeamUpdate::default().messages(agent.messages.beyond(&team.messages)),
        )
    };
    let graph = Graph::<Team>::new()
        .node("worker", member(&worker))
        .node("summary_agent", member(&summary))
        .edge(START, "worker")
        .edge("summary_agent", END)
        .compile()
        .unwrap();
    let task = tokio::spawn(async move {
        graph
            .run(TeamUpdate::default().messages("do it"), RunOptions::new())
            .await
    });
    let output = task.await.unwrap().unwrap();
    let expected = [
        "do it",
        "asks 1 2",
        "1: over to you",
        "2: seen",
        "in short: done",
    ];
    assert_eq!(shown(&output.state.messages), expected);
    assert_eq!(worker_model.requests().len(), 1);
    assert_eq!(shown(&summary_model.requests()[0].messages), expected[..4]);
}

#[tokio::test]
async fn a_drained_run_stops_within_a_subgraph_and_goes_on_there() {
    let drain = CancellationToken::new();
    let trigger = drain.clone();
    let child = Graph::<Inner>::new()
        .node("one", move |_: Arc<Inner>, _: Runtime| {
            trigger.cancel();
            async { Ok(inner("one")) }
        })
        .node("two", |_: Arc<Inner>, _: Runtime| async {
            Ok(inner("two"))
        })
        .edge(START, "one")
        .edge("one", "two")
        .compile()
        .unwrap();
    let graph = Graph::<Outer>::new()
        .node("sub", nested(&child))
        .edge(START, "sub");
    let graph = kept(graph.compile().unwrap());
    let drained = thread().drain(drain);
    let output = graph.run(OuterUpdate::default(), drained).await.unwrap();
    assert_eq!(output.end, End::Drained);
    assert!(output.state.log.is_empty());
    let output = graph.run(Input::Continue, thread()).await.unwrap();
    assert_eq!(output.state.log.to_vec(), ["one", "two"]);
}

#[tokio::test]
async fn commands_of_subgraphs_that_run_at_once_are_all_obeyed() {
    let leaf = |field: &'static str, next: &'static str| {
        let child = Graph::<Inner>::new()
            .node("leaf", move |_: Arc<Inner>, _: Runtime| async move {
                let command = Command::new().with_update(field, field).goto(next);
                Ok(NodeOutput::none().to_parent(command))
            })
            .edge(START, "leaf");
        nested(&child.compile().unwrap())
    };
    let graph = Graph::<Outer>::new()
        .node("left", leaf("a", "x"))
        .node("right", leaf("b", "y"))
        .node("x", says("x"))
        .node("y", says("y"))
        .edge(START, "left")
        .edge(START, "right")
        .compile()
        .unwrap();
    let output = graph
        .run(OuterUpdate::default(), RunOptions::new())
        .await
        .unwrap();
    assert_eq!(output.state.log.to_vec(), ["x", "y"]);
    let fields = (output.state.a.as_str(), output.state.b.as_str());
    assert_eq!(fields, ("a", "b"));
}

#[tokio::test]
async fn a_subgraph_that_fails_says_where_and_goes_on_there() {
    let tries = Arc::new(AtomicUsize::new(0));
    let before = Arc::new(AtomicUsize::new(0));
    let (again, counted) = (Arc::clone(&tries), Arc::clone(&before));
    let child = Graph::<Inner>::new()
        .node("before", move |_: Arc<Inner>, _: Runtime| {
            counted.fetch_add(1, Ordering::SeqCst);
            async { Ok(inner("before")) }
        })
        .node("bad", move |_: Arc<Inner>, _: Runtime| {
            let first = again.fetch_add(1, Ordering::SeqCst) == 0;
            async move {
                (!first)
                    .then(|| inner("good"))
                    .ok_or_else(|| NodeError::new("boom"))
            }
        })
        .edge(START, "before")
        .edge("before", "bad")
        .compile()
        .unwrap();
    let graph = Graph::<Outer>::new()
        .node("sub", nested(&child))
        .edge(START, "sub");
    let graph = kept(graph.compile().unwrap());
    let error = graph
        .run(OuterUpdate::default(), thread())
        .await
        .unwrap_err();
    assert_eq!((error.kind(), error.node()), (ErrorKind::Node, Some("sub")));
    let text = error.chain();
    assert!(text.contains("bad") && text.contains("boom"), "{text}");
    let output = graph.run(Input::Continue, thread()).await.unwrap();
    assert_eq!(output.state.log.to_vec(), ["before", "good"]);
    assert_eq!(before.load(Ordering::SeqCst), 1, "what had finished stays");
}
