//! Questions of layers and servers to the outside world.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mcp_agent::{
    EventSink, Input, Interest, LiveAnswers, MemoryCheckpointer, ReactAgent, RunEvent,
};
use mcp_interceptors::{
    CallError, CallErrorKind, LocalTools, Next, ToolCall, ToolOutcome, from_fn,
};
use mcp_model::ScriptedModel;
use mcp_protocol::CallToolResult;
use serde_json::{Value, json};

use crate::agent::{agent, call, shown, thread, tool};

/// A server that asks for an age before it does its work, as one of 2026-07-28 does: its first
/// answer is the question, and it is called again with what was said. What goes wrong on the way
/// ends as a plain error of the connection.
fn asks_for_age(called: &Arc<AtomicUsize>) -> LocalTools {
    let called = Arc::clone(called);
    LocalTools::new("s").tool(tool("register"), move |call: ToolCall| {
        called.fetch_add(1, Ordering::SeqCst);
        register(call)
    })
}

async fn register(call: ToolCall) -> Result<ToolOutcome, CallError> {
    loop {
        let asked = call.ask(json!({"elicit": "age"})).await;
        let unanswered = |_| CallError::new(CallErrorKind::Protocol, "no input was given");
        let answer = asked.map_err(unanswered)?;
        let age = answer.pointer("/content/age").and_then(Value::as_i64);
        let action = answer.get("action").and_then(Value::as_str).unwrap_or("?");
        let text = match (action, age) {
            ("accept", Some(age)) => format!("registered at {age}"),
            // What does not fit the form is not sent; it is asked again.
            ("accept", None) => continue,
            _ => format!("not registered: {action}"),
        };
        return Ok(CallToolResult::text(text).into());
    }
}

fn registering(called: &Arc<AtomicUsize>) -> ReactAgent {
    let model = ScriptedModel::new()
        .calls([call("1", "register", &json!({}))])
        .says("done");
    agent(&model)
        .tools(asks_for_age(called))
        .checkpointer(Arc::new(MemoryCheckpointer::new()))
        .build()
        .unwrap()
}

#[tokio::test]
async fn a38_a_servers_question_is_an_interrupt_that_is_answered_later() {
    for (answers, expected) in [
        (
            vec![json!({"action": "accept", "content": {"age": 25}})],
            "1: registered at 25",
        ),
        (
            vec![json!({"action": "decline"})],
            "1: not registered: decline",
        ),
        (
            vec![json!({"action": "cancel"})],
            "1: not registered: cancel",
        ),
        (
            vec![
                json!({"action": "accept", "content": {"age": "old"}}),
                json!({"action": "accept", "content": {"age": 26}}),
            ],
            "1: registered at 26",
        ),
    ] {
        let called = Arc::new(AtomicUsize::new(0));
        let agent = registering(&called);
        let mut output = agent.run("go", thread()).await.unwrap();
        for answer in answers {
            assert_eq!(output.interrupts()[0].value, json!({"elicit": "age"}));
            output = agent.run(Input::Answer(answer), thread()).await.unwrap();
        }
        assert_eq!(shown(&output.state.messages)[2], expected);
    }
}

#[tokio::test]
async fn a_question_may_be_answered_while_the_run_goes_on() {
    let called = Arc::new(AtomicUsize::new(0));
    let agent = registering(&called);
    let live = LiveAnswers::new(Duration::from_secs(60));
    let answers = live.clone();
    let sink = EventSink::from_fn(Interest::INTERRUPTS, move |emitted| {
        if let RunEvent::Asked { interrupt } = emitted.event {
            let answer = json!({"action": "accept", "content": {"age": 30}});
            assert!(answers.answer(&interrupt.id, answer));
        }
    });
    let options = thread().events(sink).live_answers(live.clone());
    let output = agent.run("go", options).await.unwrap();
    assert_eq!(output.answer(), "done");
    assert_eq!(called.load(Ordering::SeqCst), 1, "the call stayed open");
    assert!(!live.answer("nope", 1));
}

#[tokio::test(start_paused = true)]
async fn a_question_that_nobody_answers_in_time_stops_the_run() {
    let called = Arc::new(AtomicUsize::new(0));
    let agent = registering(&called);
    let live = || LiveAnswers::new(Duration::from_secs(60));
    let output = agent
        .run("go", thread().live_answers(live()))
        .await
        .unwrap();
    assert_eq!(output.interrupts().len(), 1);
    let answer = json!({"action": "decline"});
    let options = thread().live_answers(live());
    let output = agent.run(Input::Answer(answer), options).await.unwrap();
    assert_eq!(
        shown(&output.state.messages)[2],
        "1: not registered: decline"
    );
}

#[tokio::test]
async fn a_layer_may_ask_before_a_call_is_made() {
    let calls = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&calls);
    let tools = LocalTools::new("s").tool(tool("delete"), move |call: ToolCall| {
        count.fetch_add(1, Ordering::SeqCst);
        let text = format!("deleted {}", call.args()["path"]);
        async move { Ok(text.into()) }
    });
    let approve = from_fn(|call: ToolCall, next: Next| async move {
        let question = json!({"approve": call.name(), "args": call.args()});
        let answer = call.ask(question).await?;
        match answer["decision"].as_str() {
            Some("approve") => next.run(call).await,
            Some("edit") => {
                let args = answer["args"].as_object().cloned().unwrap_or_default();
                next.run(call.with_args(args)).await
            }
            Some("respond") => Ok(answer["text"].as_str().unwrap_or_default().into()),
            _ => Err(CallError::new(CallErrorKind::Rejected, "the user said no")),
        }
    });
    let ids = ["1", "2", "3", "4"];
    let model = ScriptedModel::new()
        .calls(ids.map(|id| call(id, "delete", &json!({"path": id}))))
        .says("done");
    let agent = agent(&model)
        .tools(tools)
        .intercept(approve)
        .checkpointer(Arc::new(MemoryCheckpointer::new()))
        .build()
        .unwrap();
    let output = agent.run("go", thread()).await.unwrap();
    let decide = |args: &Value| match args["path"].as_str() {
        Some("1") => json!({"decision": "approve"}),
        Some("2") => json!({"decision": "edit", "args": {"path": "other"}}),
        Some("3") => json!({"decision": "reject"}),
        _ => json!({"decision": "respond", "text": "use the bin instead"}),
    };
    let open = output.interrupts().iter();
    let answers = open.map(|i| (i.id.clone(), decide(&i.value["args"])));
    let output = agent
        .run(Input::Answers(answers.collect()), thread())
        .await
        .unwrap();
    assert_eq!(
        shown(&output.state.messages)[2..],
        [
            "1: deleted \"1\"",
            "2: deleted \"other\"",
            "!3: Tool delete failed: the user said no",
            "4: use the bin instead",
            "done"
        ]
    );
    assert_eq!(calls.load(Ordering::SeqCst), 2);
}
