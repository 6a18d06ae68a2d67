//! What the steps of a graph tell.

use std::sync::Arc;

use futures_util::StreamExt;
use mcp_agent::{
    Goto, Graph, Input, Interest, MemoryCheckpointer, NodeError, NodeOptions, NodeOutput, RunEvent,
    RunOptions, Runtime, START, Streamed, Targets, on_payload,
};

use super::{S, U, heard, log, node, short, two};

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
async fn tasks_tell_what_they_were_sent_what_they_gave_back_and_what_they_ask() {
    let each = on_payload(|n: i64, runtime: Runtime| async move {
        if n == 2 {
            runtime.interrupt("two?")?;
        }
        Ok::<_, NodeError>(log(&n.to_string()))
    });
    let graph = Graph::<S>::new()
        .node("each", each)
        .route(START, |_| -> Targets {
            let send = |n: i64| Goto::send("each", n);
            vec![send(1), send(2)].into()
        })
        .compile()
        .unwrap()
        .with_checkpointer(Arc::new(MemoryCheckpointer::new()));
    let mut told = Vec::new();
    let mut run = graph.stream(log("in"), RunOptions::new().thread("t"), Interest::TASKS);
    while let Some(item) = run.next().await {
        let Streamed::Event(emitted) = item else {
            continue;
        };
        told.push(match emitted.event {
            RunEvent::TaskStarted { payload, .. } => format!("start {}", payload.unwrap()),
            RunEvent::TaskEnded {
                updates,
                interrupts,
                error,
                ..
            } => {
                let updates: Vec<_> = updates.iter().map(|u| u.as_str().to_owned()).collect();
                let asked: Vec<_> = interrupts.iter().map(|i| i.value.to_string()).collect();
                format!("end {updates:?} {asked:?} {}", error.is_some())
            }
            other => panic!("{other:?}"),
        });
    }
    told.sort();
    let expected = [
        r#"end ["{\"log\":[\"1\"]}"] [] false"#,
        r#"end [] ["\"two?\""] true"#,
        "start 1",
        "start 2",
    ];
    assert_eq!(told, expected);
}

#[tokio::test]
async fn several_kinds_come_in_the_order_in_which_they_happen() {
    let graph = Graph::<S>::new().node("a", node("a", 0)).edge(START, "a");
    let all = Interest::VALUES | Interest::UPDATES | Interest::CUSTOM | Interest::TASKS;
    let expected = [
        r#"/0 values ["in"]"#,
        "/1 start a",
        r#"/1 custom a {"from":"a"}"#,
        r#"/1 update a {"log":["a"]}"#,
        "/1 end a None",
        r#"/1 values ["in","a"]"#,
    ];
    assert_eq!(heard(graph, all).await, expected);
}

#[tokio::test]
async fn events_have_the_tags_of_the_run_and_of_the_nodes_on_the_way_down() {
    let inner = Graph::<S>::new()
        .node_with("deep", NodeOptions::new().tag("own"), node("deep", 0))
        .edge(START, "deep")
        .compile()
        .unwrap();
    let inner = inner.as_node(|_: &S| U::default(), |_: &S, _: &S| U::default());
    let graph = Graph::<S>::new()
        .node("plain", node("plain", 0))
        .node_with("sub", NodeOptions::new().tag("inner"), inner)
        .edge(START, "plain")
        .edge("plain", "sub")
        .compile()
        .unwrap();
    let options = RunOptions::new().tags(["run".to_owned()]);
    let mut told = Vec::new();
    let mut run = graph.stream(log("in"), options, Interest::CUSTOM | Interest::VALUES);
    while let Some(item) = run.next().await {
        if let Streamed::Event(emitted) = item {
            told.push(format!("{} {:?}", short(&emitted), emitted.tags));
        }
    }
    let expected = [
        r#"/0 values ["in"] ["run"]"#,
        r#"/1 custom plain {"from":"plain"} ["run"]"#,
        r#"/1 values ["in","plain"] ["run"]"#,
        r#"sub/0 values [] ["run", "inner"]"#,
        r#"sub/1 custom deep {"from":"deep"} ["run", "inner", "own"]"#,
        r#"sub/1 values ["deep"] ["run", "inner"]"#,
        r#"/2 values ["in","plain"] ["run"]"#,
    ];
    assert_eq!(told, expected);
}

#[tokio::test]
async fn tasks_tell_which_nodes_led_to_them_also_when_a_run_goes_on() {
    let graph = Graph::<S>::new()
        .node("a", |_: Arc<S>, _: Runtime| async {
            Ok::<_, NodeError>(NodeOutput::from(log("a")).send("sent", 1).goto("join"))
        })
        .node("b", node("b", 0))
        .node("sent", node("sent", 0))
        .node("join", node("join", 0))
        .node_with("last", NodeOptions::new().defer(), node("last", 0))
        .edge(START, "a")
        .edge(START, "b")
        .join(["a", "b"], "join")
        .edge("b", "last")
        .route("sent", |_| "last")
        .pause_before(["join"])
        .compile()
        .unwrap()
        .with_checkpointer(Arc::new(MemoryCheckpointer::new()));
    let told = |input: Input<U>| {
        let options = RunOptions::new().thread("t");
        let run = graph.stream(input, options, Interest::TASKS);
        run.filter_map(async |item| match item {
            Streamed::Event(emitted) => match emitted.event {
                RunEvent::TaskStarted { node, triggers, .. } => Some((node, triggers)),
                _ => None,
            },
            _ => None,
        })
        .map(|(node, triggers)| format!("{node} {triggers:?}"))
        .collect::<std::collections::BTreeSet<String>>()
    };
    let first = told(log("in").into()).await;
    let expected = [r#"a ["__start__"]"#, r#"b ["__start__"]"#];
    assert!(first.iter().eq(expected.iter()), "{first:?}");
    let then = told(Input::Continue).await;
    let expected = [
        r#"join ["a", "b"]"#,
        r#"last ["b", "sent"]"#,
        r#"sent ["a"]"#,
    ];
    assert!(then.iter().eq(expected.iter()), "{then:?}");
}
