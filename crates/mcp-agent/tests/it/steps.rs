//! Steps: one snapshot, order, reducers, parallel work, limits.

use std::sync::Arc;
use std::time::Duration;

use mcp_agent::state::{
    Append, Distinct, Ephemeral, JsonSchema, JsonState, Last, LastInOrder, Merge, Overwrite, Sum,
    Untracked,
};
use mcp_agent::{
    END, ErrorKind, Goto, Graph, NodeOptions, NodeOutput, Retry, RunOptions, Runtime, START,
    Targets, on_payload, state,
};
use serde_json::{Value, json};
use tokio::sync::Barrier;

state! {
    /// Everything at once.
    pub struct S => U {
        log: Append<String>,
        one: Last<String>,
        ordered: LastInOrder<String>,
        sum: Sum<i64>,
        map: Merge<i64>,
        set: Distinct<String>,
        brief: Ephemeral<i64>,
        hidden: Untracked<i64>,
    }
}

fn log(text: &str) -> U {
    U::default().log(vec![text.to_owned()])
}

/// A node that writes its name into the log after `ms` milliseconds.
fn says(
    name: &'static str,
    ms: u64,
) -> impl Fn(
    Arc<S>,
    Runtime,
) -> std::pin::Pin<Box<dyn Future<Output = Result<U, mcp_agent::NodeError>> + Send>>
+ Send
+ Sync
+ 'static {
    move |_, _| {
        Box::pin(async move {
            tokio::time::sleep(Duration::from_millis(ms)).await;
            Ok(log(name))
        })
    }
}

fn seen(state: &S) -> Vec<&str> {
    state.log.iter().map(String::as_str).collect()
}

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
    assert_eq!(seen(&output.state), ["in", "a", "b", "c"]);
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
    let output = graph
        .compile()
        .unwrap()
        .run(U::default().sum(10), RunOptions::new())
        .await
        .unwrap();
    assert_eq!(*output.state.sum, 10 + 3 * 11);
}

#[tokio::test]
async fn each_field_has_its_rule() {
    let graph = pair(
        || {
            U::default()
                .ordered("a".to_owned())
                .set(vec!["x".to_owned(), "y".to_owned()])
                .map(Overwrite::With(
                    [("k".to_owned(), Some(1))].into_iter().collect(),
                ))
        },
        || {
            U::default()
                .ordered("b".to_owned())
                .set(vec!["y".to_owned(), "z".to_owned()])
                .map(Overwrite::With(
                    [("k".to_owned(), Some(2))].into_iter().collect(),
                ))
        },
    );
    let output = graph.run(U::default(), RunOptions::new()).await.unwrap();
    assert_eq!(output.state.ordered.get(), "b");
    assert_eq!(output.state.map["k"], 2);
    assert_eq!(output.state.set.iter().collect::<Vec<_>>(), ["x", "y", "z"]);
}

fn pair(first: fn() -> U, second: fn() -> U) -> mcp_agent::CompiledGraph<S> {
    Graph::<S>::new()
        .node("a", move |_: Arc<S>, _: Runtime| async move { Ok(first()) })
        .node(
            "b",
            move |_: Arc<S>, _: Runtime| async move { Ok(second()) },
        )
        .edge(START, "a")
        .edge(START, "b")
        .compile()
        .unwrap()
}

#[tokio::test]
async fn two_values_for_a_plain_field_are_an_error_and_an_overwrite_wins() {
    let graph = pair(
        || U::default().one("a".to_owned()),
        || U::default().one("b".to_owned()),
    );
    let error = graph
        .run(U::default(), RunOptions::new())
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::State);
    assert!(error.chain().contains("field one"), "{}", error.chain());

    let graph = pair(
        || log("lost"),
        || U::default().log(Overwrite::All(vec!["all".to_owned()])),
    );
    let output = graph.run(log("in"), RunOptions::new()).await.unwrap();
    assert_eq!(seen(&output.state), ["all"]);

    let all = || U::default().log(Overwrite::All(Vec::new()));
    let error = pair(all, all)
        .run(U::default(), RunOptions::new())
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::State);
}

#[tokio::test]
async fn an_ephemeral_value_lives_for_one_step_and_an_untracked_one_on() {
    let graph = Graph::<S>::new()
        .node("a", |_: Arc<S>, _: Runtime| async {
            Ok(U::default().brief(7).hidden(8))
        })
        .node("b", |state: Arc<S>, _: Runtime| async move {
            Ok(log(&format!("{} {}", *state.brief, *state.hidden)))
        })
        .node("c", |state: Arc<S>, _: Runtime| async move {
            Ok(log(&format!("{} {}", *state.brief, *state.hidden)))
        })
        .edge(START, "a")
        .edge("a", "b")
        .edge("b", "c")
        .compile()
        .unwrap();
    let output = graph.run(U::default(), RunOptions::new()).await.unwrap();
    assert_eq!(seen(&output.state), ["7 8", "0 8"]);
}

#[tokio::test]
async fn a_join_waits_for_all_and_plain_edges_do_not() {
    let base = || {
        Graph::<S>::new()
            .node("a", says("a", 0))
            .node("b", says("b", 0))
            .node("a2", says("a2", 0))
            .node("j", says("j", 0))
            .edge(START, "a")
            .edge(START, "b")
            .edge("a", "a2")
    };
    let plain = base().edge("a2", "j").edge("b", "j").compile().unwrap();
    let output = plain.run(U::default(), RunOptions::new()).await.unwrap();
    assert_eq!(seen(&output.state), ["a", "b", "a2", "j", "j"]);

    let joined = base().join(["a2", "b"], "j").compile().unwrap();
    let output = joined.run(U::default(), RunOptions::new()).await.unwrap();
    assert_eq!(seen(&output.state), ["a", "b", "a2", "j"]);
}

#[tokio::test]
async fn a_join_fires_again_in_a_loop() {
    let graph = Graph::<S>::new()
        .node("a", says("a", 0))
        .node("b", says("b", 0))
        .node("j", says("j", 0))
        .edge(START, "a")
        .edge(START, "b")
        .join(["a", "b"], "j")
        .route("j", |state| -> Targets {
            if state.log.len() < 6 {
                ["a", "b"].into()
            } else {
                END.into()
            }
        })
        .compile()
        .unwrap();
    let output = graph.run(U::default(), RunOptions::new()).await.unwrap();
    assert_eq!(seen(&output.state), ["a", "b", "j", "a", "b", "j"]);
}

#[tokio::test]
async fn a_deferred_node_runs_once_at_the_end() {
    let graph = Graph::<S>::new()
        .node("a", says("a", 0))
        .node("b", says("b", 0))
        .node("a2", says("a2", 0))
        .node_with("last", NodeOptions::new().defer(), says("last", 0))
        .edge(START, "a")
        .edge(START, "b")
        .edge("a", "a2")
        .edge("a2", "last")
        .edge("b", "last")
        .compile()
        .unwrap();
    let output = graph.run(U::default(), RunOptions::new()).await.unwrap();
    assert_eq!(seen(&output.state), ["a", "b", "a2", "last"]);
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
            let send = |ms: u64| Goto::Send {
                node: "echo".into(),
                input: ms.into(),
            };
            vec![Goto::Node("a".into()), send(300), send(20), send(100)].into()
        })
        .compile()
        .unwrap();
    let output = graph.run(U::default(), RunOptions::new()).await.unwrap();
    assert_eq!(seen(&output.state), ["300", "20", "100", "a"]);
}

#[tokio::test]
async fn n_steps_succeed_with_a_limit_of_n() {
    let graph = Graph::<S>::new()
        .node("a", says("a", 0))
        .node("b", says("b", 0))
        .node("c", says("c", 0))
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
    let graph = Graph::<S>::new()
        .node("a", says("a", 0))
        .edge(START, "a")
        .edge("a", "a")
        .compile()
        .unwrap();
    let error = graph
        .run(U::default(), RunOptions::new())
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::StepLimit);
}

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
        .edge(START, "flaky")
        .compile()
        .unwrap();
    let output = graph.run(U::default(), RunOptions::new()).await.unwrap();
    assert_eq!(seen(&output.state), ["3"]);
}

#[tokio::test(start_paused = true)]
async fn a_node_that_takes_too_long_fails_by_name() {
    let graph = Graph::<S>::new()
        .node_with(
            "slow",
            NodeOptions::new().timeout(Duration::from_secs(1)),
            says("slow", 5_000),
        )
        .edge(START, "slow")
        .compile()
        .unwrap();
    let error = graph
        .run(U::default(), RunOptions::new())
        .await
        .unwrap_err();
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
        .edge(START, "bad")
        .compile()
        .unwrap();
    let error = graph
        .run(U::default(), RunOptions::new())
        .await
        .unwrap_err();
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
    assert_eq!(seen(&output.state), ["ada who 1 8"]);
    let output = graph.run(U::default(), RunOptions::new()).await.unwrap();
    assert_eq!(seen(&output.state), [" who 1 99"]);
}

#[tokio::test]
async fn a_json_state_has_the_same_rules_and_knows_its_fields() {
    let schema = JsonSchema::new()
        .field("log", Append::<Value>::default())
        .field("sum", Sum::<i64>::default())
        .field("one", Last::<Value>::default());
    let update = |value: Value| value.as_object().cloned().unwrap();
    let graph = Graph::with_state(schema.build())
        .node("a", move |_: Arc<JsonState>, _: Runtime| async move {
            Ok(NodeOutput::from(update(json!({"log": ["a"], "sum": 2}))))
        })
        .node("b", move |_: Arc<JsonState>, _: Runtime| async move {
            Ok(update(json!({"log": ["b"], "sum": 3})))
        })
        .edge(START, "a")
        .edge(START, "b")
        .compile()
        .unwrap();
    let input = update(json!({"log": ["in"], "one": {"x": 1}}));
    let output = graph.run(input, RunOptions::new()).await.unwrap();
    assert_eq!(output.state.get("log"), Some(json!(["in", "a", "b"])));
    assert_eq!(output.state.get("sum"), Some(json!(5)));

    for (bad, named) in [(json!({"nope": 1}), "nope"), (json!({"sum": "x"}), "sum")] {
        let error = graph.run(update(bad), RunOptions::new()).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::State);
        assert!(error.chain().contains(named), "{}", error.chain());
    }
}
