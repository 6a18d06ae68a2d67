//! How the fields of a state take what nodes write.

use std::sync::Arc;

use mcp_agent::state::{Append, JsonSchema, JsonState, Last, Overwrite, Sum};
use mcp_agent::{ErrorKind, Graph, Node, NodeError, NodeOutput, RunOptions, Runtime, START};
use mcp_interceptors::JsonMap;
use serde_json::{Value, json};

use super::{S, U, failed, log, logged, ran};

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
    let state = ran(graph, U::default()).await;
    assert_eq!(state.ordered.get(), "b");
    assert_eq!(state.map["k"], 2);
    assert_eq!(state.set.iter().collect::<Vec<_>>(), ["x", "y", "z"]);
}

/// Two nodes of one step that write these.
fn pair(first: fn() -> U, second: fn() -> U) -> Graph<S> {
    Graph::<S>::new()
        .node("a", move |_: Arc<S>, _: Runtime| async move { Ok(first()) })
        .node(
            "b",
            move |_: Arc<S>, _: Runtime| async move { Ok(second()) },
        )
        .edge(START, "a")
        .edge(START, "b")
}

#[tokio::test]
async fn two_values_for_a_plain_field_are_an_error_and_an_overwrite_wins() {
    let graph = pair(
        || U::default().one("a".to_owned()),
        || U::default().one("b".to_owned()),
    );
    let error = failed(graph).await;
    assert_eq!(error.kind(), ErrorKind::State);
    assert!(error.chain().contains("field one"), "{}", error.chain());

    let graph = pair(
        || log("lost"),
        || U::default().log(Overwrite::All(vec!["all".to_owned()])),
    );
    assert_eq!(logged(graph, log("in")).await, ["all"]);

    let all = || U::default().log(Overwrite::All(Vec::new()));
    let error = failed(pair(all, all)).await;
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
        .edge("b", "c");
    assert_eq!(logged(graph, U::default()).await, ["7 8", "0 8"]);
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

fn object(value: &Value) -> JsonMap {
    value.as_object().cloned().unwrap()
}

fn writes(value: &Value) -> impl Node<JsonState> + use<> {
    let update = object(value);
    move |_: Arc<JsonState>, _: Runtime| {
        let update = update.clone();
        async move { Ok::<_, NodeError>(update) }
    }
}

#[tokio::test]
async fn an_overwrite_can_be_said_in_json_and_other_writes_of_its_step_are_ignored() {
    let schema = JsonSchema::new()
        .field("log", Append::<Value>::default())
        .field("sum", Sum::<i64>::default());
    let all = json!({"log": {"__overwrite__": ["all"]}, "sum": {"__overwrite__": 7}});
    let graph = Graph::with_state(schema.build())
        .node("a", writes(&json!({"log": ["lost"], "sum": 1})))
        .node("b", writes(&all))
        .node("c", writes(&json!({"log": ["ignored"], "sum": 100})))
        .node("d", writes(&json!({"log": ["next"], "sum": 1})))
        .edge(START, "a")
        .edge(START, "b")
        .edge(START, "c")
        .edge("c", "d")
        .compile()
        .unwrap();
    let input = object(&json!({"log": ["in"]}));
    let output = graph.run(input, RunOptions::new()).await.unwrap();
    assert_eq!(output.state.get("log"), Some(json!(["all", "next"])));
    assert_eq!(output.state.get("sum"), Some(json!(8)));
}

#[tokio::test]
async fn a_node_that_writes_an_unknown_field_fails_by_name() {
    let schema = JsonSchema::new().field("log", Append::<Value>::default());
    let graph = Graph::with_state(schema.build())
        .node("a", writes(&json!({"log": ["a"], "nope": 1})))
        .edge(START, "a")
        .compile()
        .unwrap();
    let run = graph.run(JsonMap::new(), RunOptions::new());
    let error = run.await.unwrap_err();
    assert_eq!((error.kind(), error.node()), (ErrorKind::State, Some("a")));
    let text = error.chain();
    assert!(text.contains("no field nope; the fields are log"), "{text}");
}
