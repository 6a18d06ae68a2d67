//! The agent's loop: rounds, answers in order, failures fed back, long results, limits.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mcp_agent::{ReactAgent, ReactBuilder, RunOptions};
use mcp_interceptors::{CallError, CallErrorKind, LocalTools, ToolCall};
use mcp_model::{ChatMessage, ScriptedModel, ToolUse};
use mcp_protocol::{CallToolResult, Tool};
use serde_json::{Value, json};

pub(crate) fn tool(name: &str) -> Tool {
    Tool::new(name, json!({"type": "object", "$schema": "x"}))
}

pub(crate) fn call(id: &str, name: &str, args: &Value) -> ToolUse {
    ToolUse::new(id, name, args.to_string())
}

/// Runs that go on where the last one ended.
pub(crate) fn thread() -> RunOptions {
    RunOptions::new().thread("t")
}

pub(crate) fn agent(model: &ScriptedModel) -> ReactBuilder {
    ReactAgent::builder(Arc::new(model.clone()))
}

/// `echo` gives its text back after `ms`; `fail` says that it failed; `broken` has no outcome.
pub(crate) fn tools() -> LocalTools {
    LocalTools::prefixed("s")
        .tool(tool("echo"), |call: ToolCall| async move {
            let ms = call.args().get("ms").and_then(Value::as_u64).unwrap_or(0);
            tokio::time::sleep(Duration::from_millis(ms)).await;
            let text = call
                .args()
                .get("text")
                .and_then(Value::as_str)
                .unwrap_or("-");
            Ok(CallToolResult::text(text).into())
        })
        .tool(tool("fail"), |_| async {
            Ok(CallToolResult::error("no project").into())
        })
        .tool(tool("broken"), |_| async {
            Err(CallError::new(
                CallErrorKind::Transport,
                "the server went away",
            ))
        })
        .tool(tool("panics"), |_| async { panic!("oh no") })
}

/// The conversation, one line each.
pub(crate) fn shown(messages: &[Arc<ChatMessage>]) -> Vec<String> {
    let line = |message: &Arc<ChatMessage>| match &**message {
        ChatMessage::Tool(answer) => {
            let mark = if answer.is_error { "!" } else { "" };
            format!("{mark}{}: {}", answer.tool_call_id, answer.text())
        }
        ChatMessage::Assistant(asking) if !asking.tool_calls.is_empty() => {
            let ids = asking.tool_calls.iter().map(|call| call.id.as_str());
            format!("asks {}", ids.collect::<Vec<_>>().join(" "))
        }
        other => other.text(),
    };
    messages.iter().map(line).collect()
}

#[tokio::test(start_paused = true)]
async fn p_a01_every_call_has_one_answer_in_call_order_whatever_became_of_it() {
    let model = ScriptedModel::new()
        .calls([
            call("c1", "s__echo", &json!({"text": "slow", "ms": 500})),
            call("c2", "s__fail", &json!({})),
            call("c3", "s__nope", &json!({})),
            call("c4", "s__echo", &json!({"text": "fast"})),
            call("c5", "s__echo", &json!({"text": "slow", "ms": 500})),
            call("", "s__broken", &json!({})),
            call("c1", "s__panics", &json!({})),
        ])
        .says("done");
    let agent = agent(&model).tools(tools()).build().unwrap();
    let output = agent.run("go", RunOptions::new()).await.unwrap();
    assert_eq!(output.answer(), "done");

    let ChatMessage::Assistant(asking) = &*output.state.messages[1] else {
        panic!("the model asks");
    };
    let asked: Vec<_> = asking
        .tool_calls
        .iter()
        .map(|call| call.id.clone())
        .collect();
    let answered: Vec<_> = output.state.messages[2..9]
        .iter()
        .map(|message| match &**message {
            ChatMessage::Tool(answer) => answer.tool_call_id.clone(),
            other => panic!("an answer, not {other:?}"),
        })
        .collect();
    assert_eq!(asked, answered);
    let different: std::collections::HashSet<_> = asked.iter().collect();
    assert_eq!(different.len(), 7, "{asked:?}");
    let lines = shown(&output.state.messages);
    assert_eq!(lines[2], "c1: slow");
    assert_eq!(lines[3], "!c2: no project");
    assert!(
        lines[4].contains("there is no tool named s__nope"),
        "{}",
        lines[4]
    );
    assert!(
        lines[4].contains("s__echo"),
        "names the tools: {}",
        lines[4]
    );
    assert_eq!(lines[5], "c4: fast");
    assert!(lines[7].ends_with("Tool s__broken failed: the server went away"));
    assert!(lines[8].ends_with("Tool s__panics failed: it panicked: oh no"));
    assert_eq!(model.requests().len(), 2);
    assert_eq!(shown(&model.requests()[1].messages), lines[..9]);
}

#[tokio::test]
async fn p_a04_arguments_that_do_not_parse_are_answered_and_the_model_has_another_turn() {
    let long = format!("[{}", "1,".repeat(500_000));
    let bad = [r#"{"a":"#, "{}{}", "[1]", "NaN", &long];
    let good = ["", "null", "{}"];
    let calls = bad.iter().chain(&good).enumerate();
    let calls: Vec<_> = calls
        .map(|(n, args)| ToolUse::new(format!("c{n}"), "s__echo", *args))
        .collect();
    let model = ScriptedModel::new().calls(calls).says("done");
    let agent = agent(&model).tools(tools()).build().unwrap();
    let output = agent.run("go", RunOptions::new()).await.unwrap();
    let lines = shown(&output.state.messages);
    for line in &lines[2..7] {
        assert!(
            line.starts_with('!') && line.contains("was not called"),
            "{line}"
        );
        assert!(line.len() < 600, "{}", line.len());
    }
    assert_eq!(lines[7..10], ["c5: -", "c6: -", "c7: -"]);
    assert_eq!(output.answer(), "done");
}

#[tokio::test]
async fn i01_what_goes_wrong_is_for_the_model() {
    let model = ScriptedModel::new()
        .calls([call("1", "t", &json!({}))])
        .calls([call("2", "t", &json!({}))])
        .says("I see");
    let tools = LocalTools::new("s").tool(tool("t"), |_| async {
        Ok(CallToolResult::new(Vec::new()).into())
    });
    let boom =
        mcp_interceptors::from_fn(|call: ToolCall, next: mcp_interceptors::Next| async move {
            let outcome = next.run(call.clone()).await?;
            match call.runtime_id() {
                "1" => Err(CallError::layer("boom")),
                _ => Ok(outcome.map_result(|mut result| {
                    result.is_error = Some(true);
                    result
                })),
            }
        });
    let agent = agent(&model).tools(tools).intercept(boom).build().unwrap();
    let output = agent.run("go", RunOptions::new()).await.unwrap();
    let lines = shown(&output.state.messages);
    assert_eq!(lines[2], "!1: Tool t failed: boom");
    assert_eq!(
        lines[4],
        "!2: The tool reported an error without saying which."
    );
    assert_eq!(output.answer(), "I see");
}

pub(crate) trait Id {
    fn runtime_id(&self) -> &str;
}

impl Id for ToolCall {
    fn runtime_id(&self) -> &str {
        mcp_agent::RuntimeExt::runtime(self).map_or("", |runtime| runtime.tool_call_id())
    }
}

#[tokio::test]
async fn calls_run_one_after_the_other_in_call_order_where_that_is_asked_for() {
    let running = Arc::new(AtomicUsize::new(0));
    let order = Arc::new(std::sync::Mutex::new(Vec::new()));
    let (count, log) = (Arc::clone(&running), Arc::clone(&order));
    let tools = LocalTools::new("s").tool(tool("t"), move |call: ToolCall| {
        let (count, log) = (Arc::clone(&count), Arc::clone(&log));
        async move {
            assert_eq!(count.fetch_add(1, Ordering::SeqCst), 0, "alone");
            tokio::task::yield_now().await;
            log.lock().unwrap().push(call.runtime_id().to_owned());
            count.fetch_sub(1, Ordering::SeqCst);
            Ok("ok".into())
        }
    });
    let ids = ["a", "b", "c", "d"];
    let model = ScriptedModel::new()
        .calls(ids.map(|id| call(id, "t", &json!({}))))
        .says("done");
    let agent = agent(&model).tools(tools).build().unwrap();
    agent
        .run("go", RunOptions::new().max_parallel(1))
        .await
        .unwrap();
    assert_eq!(*order.lock().unwrap(), ids);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn answers_stay_in_call_order_on_many_threads() {
    for _ in 0..20 {
        let ids: Vec<String> = (0..16).map(|n| format!("c{n}")).collect();
        let calls = ids
            .iter()
            .map(|id| call(id, "s__echo", &json!({"text": id})));
        let model = ScriptedModel::new().calls(calls).says("done");
        let agent = agent(&model).tools(tools()).build().unwrap();
        let output = agent.run("go", RunOptions::new()).await.unwrap();
        let expected: Vec<_> = ids.iter().map(|id| format!("{id}: {id}")).collect();
        assert_eq!(shown(&output.state.messages)[2..18], expected);
    }
}
