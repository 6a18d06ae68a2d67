//! What listeners hear of a run.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use mcp_agent::state::Append;
use mcp_agent::{
    Emitted, EventSink, Graph, Interest, MemoryCheckpointer, NodeError, RunEvent, RunOptions,
    Runtime, START, Streamed, state,
};
use serde_json::json;

state! {
    /// A log.
    pub struct S => U { log: Append<String> }
}

fn log(text: &str) -> U {
    U::default().log(vec![text.to_owned()])
}

fn node(name: &'static str, ms: u64) -> impl mcp_agent::Node<S> {
    move |_: Arc<S>, runtime: Runtime| async move {
        tokio::time::sleep(Duration::from_millis(ms)).await;
        runtime.write(json!({"from": name}));
        Ok::<_, NodeError>(log(name))
    }
}

/// What an event says, in short.
fn short(emitted: &Emitted) -> String {
    let what = match &emitted.event {
        RunEvent::Values { state } => format!("values {}", state["log"]),
        RunEvent::Update { node, update } => format!("update {node} {}", update.as_str()),
        RunEvent::Custom { node, value } => format!("custom {node} {value}"),
        RunEvent::TaskStarted { node, .. } => format!("start {node}"),
        RunEvent::TaskEnded { node, error, .. } => format!("end {node} {error:?}"),
        RunEvent::Checkpointed { .. } => "kept".to_owned(),
        RunEvent::Dropped { count } => format!("dropped {count}"),
        other => format!("{other:?}"),
    };
    let graph = emitted.namespace.split(':').next().unwrap_or_default();
    format!("{graph}/{} {what}", emitted.step)
}

async fn heard(graph: Graph<S>, interest: Interest) -> Vec<String> {
    let graph = graph.compile().unwrap();
    let graph = graph.with_checkpointer(Arc::new(MemoryCheckpointer::new()));
    let mut heard = Vec::new();
    let mut run = graph.stream(log("in"), RunOptions::new().thread("t"), interest);
    while let Some(item) = run.next().await {
        match item {
            Streamed::Event(event) => heard.push(short(&event)),
            Streamed::Ended(end) => assert!(end.unwrap().is_finished()),
            _ => {}
        }
    }
    heard
}

fn two() -> Graph<S> {
    Graph::<S>::new()
        .node("a", node("a", 50))
        .node("b", node("b", 1))
        .edge(START, "a")
        .edge(START, "b")
}

#[tokio::test(start_paused = true)]
async fn values_come_after_the_input_and_each_step() {
    let heard = heard(two(), Interest::VALUES).await;
    assert_eq!(
        heard,
        [r#"/0 values ["in"]"#, r#"/1 values ["in","a","b"]"#]
    );
}

#[tokio::test(start_paused = true)]
async fn updates_come_as_tasks_finish_and_custom_values_as_they_are_written() {
    let heard = heard(two(), Interest::UPDATES | Interest::CUSTOM).await;
    assert_eq!(
        heard,
        [
            r#"/1 custom b {"from":"b"}"#,
            r#"/1 update b {"log":["b"]}"#,
            r#"/1 custom a {"from":"a"}"#,
            r#"/1 update a {"log":["a"]}"#,
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn tasks_and_checkpoints_are_told() {
    let heard = heard(two(), Interest::TASKS | Interest::CHECKPOINTS).await;
    assert_eq!(
        heard,
        [
            "/0 kept",
            "/1 start a",
            "/1 start b",
            "/1 end b None",
            "/1 end a None",
            "/1 kept"
        ]
    );
}

#[tokio::test]
async fn what_a_subgraph_tells_names_it() {
    let child = two().compile().unwrap();
    let graph = Graph::<S>::new()
        .node("sub", child.as_node(|_: &S| log("x"), |_, _| log("out")))
        .edge(START, "sub");
    let heard = heard(graph, Interest::CUSTOM | Interest::UPDATES).await;
    assert!(
        heard.contains(&r#"sub/1 custom a {"from":"a"}"#.to_owned()),
        "{heard:?}"
    );
    assert_eq!(heard.last().unwrap(), r#"/1 update sub {"log":["out"]}"#);
}

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
