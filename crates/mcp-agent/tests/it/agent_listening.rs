//! What listeners hear of an agent.

use std::collections::HashMap;

use mcp_agent::{EventSink, Interest, RunEvent, RunOptions, ToolEnd};
use mcp_model::ScriptedModel;
use serde_json::json;

use crate::agent::{agent, call, tools};

fn kind(event: RunEvent) -> &'static str {
    match event {
        RunEvent::RoundStarted { .. } => "round",
        RunEvent::ModelAnswered { .. } => "answered",
        RunEvent::ToolStarted { call, args } => {
            assert_eq!(&*call.server, "s");
            assert_eq!(args.contains_key("text"), &*call.id == "1");
            "started"
        }
        RunEvent::ToolEnded { call, outcome, .. } => {
            let failed = ToolEnd::Failed {
                message: "no project".to_owned(),
            };
            let expected = if &*call.id == "1" {
                ToolEnd::Ok
            } else {
                failed
            };
            assert_eq!(outcome, expected);
            "ended"
        }
        other => panic!("not wanted: {other:?}"),
    }
}

#[tokio::test]
async fn listeners_hear_of_rounds_and_calls_and_never_hold_up_the_run() {
    let model = || {
        ScriptedModel::new()
            .calls([
                call("1", "s__echo", &json!({"text": "hi"})),
                call("2", "s__fail", &json!({})),
            ])
            .says("done")
    };
    let (sink, mut events) = EventSink::channel(Interest::AGENT, 64);
    let built = agent(&model()).tools(tools()).build().unwrap();
    built
        .run("go", RunOptions::new().events(sink))
        .await
        .unwrap();
    let mut kinds = HashMap::new();
    while let Some(event) = events.next().await {
        let name = kind(event.event);
        *kinds.entry(name).or_insert(0) += 1;
    }
    let expected = HashMap::from([("round", 2), ("answered", 2), ("started", 2), ("ended", 2)]);
    assert_eq!(kinds, expected);

    // A listener that never reads: the run ends all the same, and the gap is told.
    let (sink, mut events) = EventSink::channel(Interest::AGENT, 2);
    let built = agent(&model()).tools(tools()).build().unwrap();
    built
        .run("go", RunOptions::new().events(sink.clone()))
        .await
        .unwrap();
    assert!(events.try_next().is_some());
    assert!(events.try_next().is_some());
    assert!(events.try_next().is_none());
}
