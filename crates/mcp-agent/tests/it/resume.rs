//! Questions, answers, failures: a run that stops and goes on.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use mcp_agent::state::{Append, State, Write};
use mcp_agent::{
    Command, CompiledGraph, Durability, End, ErrorKind, Goto, Graph, Input, MemoryCheckpointer,
    NodeError, RunOptions, Runtime, START, Targets, on_payload, state,
};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::agent::thread;

state! {
    /// What was said.
    pub struct S => U { log: Append<String> }
}

fn log(text: impl Into<String>) -> U {
    U::default().log(vec![text.into()])
}

fn kept(graph: Graph<S>) -> CompiledGraph<S> {
    let graph = graph.compile().unwrap();
    graph.with_checkpointer(Arc::new(MemoryCheckpointer::new()))
}

/// A node that asks once and says the answer.
fn asks(name: &'static str) -> impl mcp_agent::Node<S> {
    move |_: Arc<S>, runtime: Runtime| async move {
        let answer = runtime.interrupt(name)?;
        Ok::<_, NodeError>(log(format!("{name}={answer}")))
    }
}

fn counting(calls: &Arc<AtomicUsize>) -> impl mcp_agent::Node<S> {
    let calls = Arc::clone(calls);
    move |_: Arc<S>, _: Runtime| {
        calls.fetch_add(1, Ordering::SeqCst);
        async { Ok::<_, NodeError>(log("counted")) }
    }
}

#[tokio::test]
async fn an_answer_lets_the_node_run_again_from_its_beginning() {
    let bodies = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&bodies);
    let graph = kept(Graph::<S>::new().edge(START, "ask").node(
        "ask",
        move |_: Arc<S>, runtime: Runtime| {
            counted.fetch_add(1, Ordering::SeqCst);
            async move {
                let first = runtime.interrupt("first?")?;
                let second = runtime.interrupt("second?")?;
                Ok::<_, NodeError>(log(format!("{first} {second}")))
            }
        },
    ));
    let output = graph.run(log("in"), thread()).await.unwrap();
    let first = output.interrupts()[0].clone();
    assert_eq!(
        (first.value, first.node),
        (json!("first?"), "ask".to_owned())
    );

    let output = graph.run(Input::Answer(json!(1)), thread()).await.unwrap();
    assert_eq!(output.interrupts()[0].value, "second?");
    assert_ne!(output.interrupts()[0].id, first.id);

    let output = graph.run(Input::Answer(json!(2)), thread()).await.unwrap();
    assert!(output.is_finished());
    assert_eq!(output.state.log[1], "1 2");
    assert_eq!(bodies.load(Ordering::SeqCst), 3);
}

#[tokio::test]
async fn p_a06_parallel_questions_have_ids_and_each_answer_reaches_its_own() {
    let calls = Arc::new(AtomicUsize::new(0));
    let graph = kept(
        Graph::<S>::new()
            .node("a", asks("a"))
            .node("b", asks("b"))
            .node("c", asks("c"))
            .node("done", counting(&calls))
            .edge(START, "a")
            .edge(START, "b")
            .edge(START, "c")
            .edge(START, "done"),
    );
    let output = graph.run(log("in"), thread()).await.unwrap();
    let open = output.interrupts().to_vec();
    assert_eq!(open.len(), 3);
    let id = |node: &str| open.iter().find(|i| i.node == node).unwrap().id.clone();

    let error = graph
        .run(Input::Answer(json!(1)), thread())
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Resume);
    assert!(error.to_string().contains("3 questions"), "{error}");
    let unknown = Input::Answers(HashMap::from([("nope".to_owned(), json!(1))]));
    assert_eq!(
        graph.run(unknown, thread()).await.unwrap_err().kind(),
        ErrorKind::Resume
    );

    // One answer: its task finishes, the others stay the same questions.
    let one = Input::Answers(HashMap::from([(id("c"), json!("C"))]));
    let output = graph.run(one, thread()).await.unwrap();
    let left: Vec<_> = output.interrupts().iter().map(|i| i.id.clone()).collect();
    assert_eq!(left, [id("a"), id("b")]);

    let rest = HashMap::from([(id("b"), json!("B")), (id("a"), json!("A"))]);
    let output = graph.run(Input::Answers(rest), thread()).await.unwrap();
    assert!(output.is_finished());
    assert_eq!(
        output.state.log.to_vec(),
        ["in", "a=\"A\"", "b=\"B\"", "c=\"C\"", "counted"]
    );
    assert_eq!(
        calls.load(Ordering::SeqCst),
        1,
        "a finished sibling is not repeated"
    );
}

#[tokio::test]
async fn payloads_survive_a_resume() {
    let graph = kept(
        Graph::<S>::new()
            .node(
                "each",
                on_payload(|n: i64, runtime: Runtime| async move {
                    let answer = runtime.interrupt(n)?;
                    Ok::<_, NodeError>(log(format!("{n}:{answer}")))
                }),
            )
            .route(START, |_| -> Targets {
                let send = |n: i64| Goto::send("each", n);
                (0..3).map(send).collect::<Vec<_>>().into()
            }),
    );
    let output = graph.run(U::default(), thread()).await.unwrap();
    let answers = output.interrupts().iter();
    let answers = answers.map(|i| (i.id.clone(), json!(i.value.as_i64().unwrap() * 10)));
    let output = graph
        .run(Input::Answers(answers.collect()), thread())
        .await
        .unwrap();
    assert_eq!(output.state.log.to_vec(), ["0:0", "1:10", "2:20"]);
}

#[tokio::test]
async fn a_question_without_anything_that_keeps_the_run_is_an_error() {
    let graph = Graph::<S>::new().node("ask", asks("q")).edge(START, "ask");
    let graph = graph.compile().unwrap();
    let error = graph
        .run(U::default(), RunOptions::new())
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NothingKeepsTheRun);
    let error = graph
        .run(Input::Answer(json!(1)), thread())
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Resume);
}

#[tokio::test]
async fn only_what_failed_is_run_again() {
    let good = Arc::new(AtomicUsize::new(0));
    let bad = Arc::new(AtomicUsize::new(0));
    let fails = Arc::clone(&bad);
    let graph = kept(
        Graph::<S>::new()
            .node("good", counting(&good))
            .node("bad", move |_: Arc<S>, _: Runtime| {
                let first = fails.fetch_add(1, Ordering::SeqCst) == 0;
                async move {
                    // Lets the other one finish first.
                    tokio::task::yield_now().await;
                    tokio::task::yield_now().await;
                    (!first)
                        .then(|| log("bad"))
                        .ok_or_else(|| NodeError::new("boom"))
                }
            })
            .edge(START, "good")
            .edge(START, "bad"),
    );
    let error = graph.run(U::default(), thread()).await.unwrap_err();
    assert_eq!((error.kind(), error.node()), (ErrorKind::Node, Some("bad")));
    let output = graph.run(Input::Continue, thread()).await.unwrap();
    assert_eq!(output.state.log.to_vec(), ["bad", "counted"]);
    assert_eq!(good.load(Ordering::SeqCst), 1);
    assert_eq!(bad.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn new_input_goes_on_from_the_last_state_and_drops_what_was_left() {
    let graph = kept(Graph::<S>::new().node("ask", asks("q")).edge(START, "ask"));
    graph.run(log("one"), thread()).await.unwrap();
    let output = graph.run(log("two"), thread()).await.unwrap();
    assert_eq!(output.interrupts().len(), 1, "asks anew");
    let output = graph
        .run(Input::Answer(json!("yes")), thread())
        .await
        .unwrap();
    assert_eq!(output.state.log.to_vec(), ["one", "two", "q=\"yes\""]);
}

#[tokio::test]
async fn a_run_pauses_where_the_graph_says_and_goes_on() {
    let graph = kept(
        Graph::<S>::new()
            .node("a", |_: Arc<S>, _: Runtime| async { Ok(log("a")) })
            .node("b", |_: Arc<S>, _: Runtime| async { Ok(log("b")) })
            .edge(START, "a")
            .edge("a", "b")
            .pause_before(["b"])
            .pause_after(["b"]),
    );
    let output = graph.run(U::default(), thread()).await.unwrap();
    assert_eq!(output.end, End::Paused(vec!["b".to_owned()]));
    assert_eq!(output.state.log.to_vec(), ["a"]);
    let output = graph.run(Input::Continue, thread()).await.unwrap();
    assert_eq!(output.end, End::Paused(vec!["b".to_owned()]));
    assert_eq!(output.state.log.to_vec(), ["a", "b"]);
    let output = graph.run(Input::Continue, thread()).await.unwrap();
    assert!(output.is_finished());
}

#[tokio::test]
async fn a_drained_run_stops_after_its_step_and_can_be_continued() {
    let drain = CancellationToken::new();
    let trigger = drain.clone();
    let graph = kept(
        Graph::<S>::new()
            .node("a", move |_: Arc<S>, _: Runtime| {
                trigger.cancel();
                async { Ok(log("a")) }
            })
            .node("b", |_: Arc<S>, _: Runtime| async { Ok(log("b")) })
            .edge(START, "a")
            .edge("a", "b"),
    );
    let output = graph
        .run(U::default(), thread().drain(drain))
        .await
        .unwrap();
    assert_eq!(output.end, End::Drained);
    let output = graph.run(Input::Continue, thread()).await.unwrap();
    assert_eq!(output.state.log.to_vec(), ["a", "b"]);
}

#[tokio::test]
async fn a_cancelled_run_ends_at_once_with_its_own_error() {
    let cancel = CancellationToken::new();
    let trigger = cancel.clone();
    let graph = kept(
        Graph::<S>::new()
            .node("stuck", move |_: Arc<S>, _: Runtime| {
                trigger.cancel();
                std::future::pending::<Result<U, NodeError>>()
            })
            .node("other", |_: Arc<S>, _: Runtime| async { Ok(log("other")) })
            .edge(START, "stuck")
            .edge(START, "other"),
    );
    let error = graph
        .run(U::default(), thread().cancel(cancel))
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Cancelled);
}

#[tokio::test]
async fn p_r10_a_value_of_the_wrong_type_leaves_the_thread_usable() {
    let graph = kept(Graph::<S>::new().edge(START, "n").node(
        "n",
        |state: Arc<S>, _: Runtime| async move {
            let value: Value = if state.log.len() == 1 {
                json!([1])
            } else {
                json!(["ok"])
            };
            let map = [("log".to_owned(), value)].into_iter().collect();
            mcp_agent::read_update::<S>(map)
        },
    ));
    let error = graph.run(log("one"), thread()).await.unwrap_err();
    assert!(error.to_string().contains("log"), "{error}");
    let output = graph.run(log("two"), thread()).await.unwrap();
    assert_eq!(output.state.log.to_vec(), ["one", "two", "ok"]);
}

#[tokio::test]
async fn a_command_from_outside_answers_or_updates() {
    let graph = kept(Graph::<S>::new().node("ask", asks("q")).edge(START, "ask"));
    let update = Command::new().with_update("log", json!(["in"]));
    let input = Input::command::<S>(update).unwrap();
    assert_eq!(
        graph.run(input, thread()).await.unwrap().interrupts().len(),
        1
    );
    let answer = Input::command::<S>(Command::resume("yes")).unwrap();
    let output = graph.run(answer, thread()).await.unwrap();
    assert_eq!(output.state.log.to_vec(), ["in", "q=\"yes\""]);
    let wrong = Input::command::<S>(Command::new().with_update("nope", 1)).unwrap_err();
    assert_eq!(wrong.kind(), ErrorKind::State);
}

#[tokio::test]
async fn a_run_can_pause_at_every_node() {
    let graph = kept(
        Graph::<S>::new()
            .node("a", |_: Arc<S>, _: Runtime| async { Ok(log("a")) })
            .node("b", |_: Arc<S>, _: Runtime| async { Ok(log("b")) })
            .edge(START, "a")
            .edge("a", "b")
            .pause_before(["*"]),
    );
    let mut output = graph.run(U::default(), thread()).await.unwrap();
    let mut pauses = 0;
    while !output.is_finished() {
        pauses += 1;
        output = graph.run(Input::Continue, thread()).await.unwrap();
    }
    assert_eq!((pauses, output.state.log.len()), (2, 2));
}

#[tokio::test]
async fn a_question_survives_in_every_durability() {
    for durability in [Durability::Sync, Durability::Async, Durability::Exit] {
        let calls = Arc::new(AtomicUsize::new(0));
        let graph = kept(
            Graph::<S>::new()
                .node("ask", asks("q"))
                .node("done", counting(&calls))
                .edge(START, "ask")
                .edge(START, "done"),
        );
        let options = || thread().durability(durability);
        graph.run(log("in"), options()).await.unwrap();
        let output = graph.run(Input::Answer(json!(1)), options()).await.unwrap();
        assert_eq!(
            output.state.log.to_vec(),
            ["in", "q=1", "counted"],
            "{durability:?}"
        );
        assert_eq!(calls.load(Ordering::SeqCst), 1);
    }
}

#[tokio::test]
async fn payloads_of_tasks_that_failed_are_there_again() {
    let tries = Arc::new(AtomicUsize::new(0));
    let each = on_payload(move |n: i64, _: Runtime| {
        let fails = tries.fetch_add(1, Ordering::SeqCst) < 3 && n == 2;
        let outcome = (!fails).then(|| log(n.to_string()));
        std::future::ready(outcome.ok_or_else(|| NodeError::new("boom")))
    });
    let graph = kept(
        Graph::<S>::new()
            .node("each", each)
            .route(START, |_| -> Targets {
                let send = |n: i64| Goto::send("each", n);
                (0..3).map(send).collect::<Vec<_>>().into()
            }),
    );
    graph.run(U::default(), thread()).await.unwrap_err();
    let at = graph.thread_state(&thread()).await.unwrap().unwrap();
    assert_eq!(at.next, ["each", "each", "each"]);
    let output = graph.run(Input::Continue, thread()).await.unwrap();
    assert_eq!(output.state.log.to_vec(), ["0", "1", "2"]);
}

#[tokio::test]
async fn a_step_that_fails_leaves_the_state_as_it_was_also_where_a_node_is_alone() {
    let graph = kept(
        Graph::<S>::new()
            .node("good", |_: Arc<S>, _: Runtime| async { Ok(log("good")) })
            .node("bad", |state: Arc<S>, _: Runtime| async move {
                // A node's copy is its own.
                let mut own = S::clone(&state);
                let write = Write::new("bad", 1, 0);
                State::apply(&mut own, log("half done"), &write)?;
                Err::<U, _>(NodeError::new("boom"))
            })
            .edge(START, "good")
            .edge("good", "bad"),
    );
    for tries in 1..4 {
        graph.run(log("in"), thread()).await.unwrap_err();
        let at = graph.thread_state(&thread()).await.unwrap().unwrap();
        assert_eq!(at.state.log.to_vec(), ["in", "good"].repeat(tries));
    }
}

#[tokio::test]
async fn a_question_without_a_thread_is_an_error_although_there_is_a_checkpointer() {
    let graph = kept(Graph::<S>::new().node("ask", asks("q")).edge(START, "ask"));
    let error = graph
        .run(U::default(), RunOptions::new())
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NothingKeepsTheRun);
    assert_eq!(error.node(), Some("ask"));
}

#[tokio::test]
async fn a_pause_after_every_node_and_a_pause_beside_others() {
    let says = |name: &'static str| move |_: Arc<S>, _: Runtime| async move { Ok(log(name)) };
    let graph = kept(
        Graph::<S>::new()
            .node("a", says("a"))
            .node("b", says("b"))
            .node("c", says("c"))
            .edge(START, "a")
            .edge(START, "b")
            .join(["a", "b"], "c")
            .pause_after(["*"]),
    );
    let output = graph.run(U::default(), thread()).await.unwrap();
    let both = vec!["a".to_owned(), "b".to_owned()];
    assert_eq!(output.end, End::Paused(both), "the whole step has run");
    let output = graph.run(Input::Continue, thread()).await.unwrap();
    assert_eq!(output.end, End::Paused(vec!["c".to_owned()]));
    let output = graph.run(Input::Continue, thread()).await.unwrap();
    assert!(output.is_finished());
    assert_eq!(output.state.log.to_vec(), ["a", "b", "c"]);
}
