//! The agent's loop: rounds, answers in order, failures fed back, long results, limits.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mcp_agent::{
    AgentStop, ErrorKind, EventSink, Interest, MemoryCheckpointer, Preload, Preloaded, ReactAgent,
    ReactBuilder, RunEvent, RunOptions, StopAfter, ToolEnd,
};
use mcp_interceptors::{
    CallError, CallErrorKind, LocalTools, Phase, ServerFailure, ToolCall, ToolList, ToolMessage,
    ToolOutcome, Toolset,
};
use mcp_model::{
    AssistantMessage, ChatMessage, ModelError, ModelErrorKind, ScriptedModel, ToolUse,
};
use mcp_protocol::{CallToolResult, Tool};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

pub(crate) fn tool(name: &str) -> Tool {
    Tool::new(name, json!({"type": "object", "$schema": "x"}))
}

pub(crate) fn call(id: &str, name: &str, args: &Value) -> ToolUse {
    ToolUse::new(id, name, args.to_string())
}

pub(crate) fn agent(model: &ScriptedModel) -> ReactBuilder {
    ReactAgent::builder(Arc::new(model.clone()))
}

/// `echo` gives its text back after `ms`; `fail` says that it failed; `broken` has no outcome.
fn tools() -> LocalTools {
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

trait Id {
    fn runtime_id(&self) -> &str;
}

impl Id for ToolCall {
    fn runtime_id(&self) -> &str {
        mcp_agent::RuntimeExt::runtime(self).map_or("", |runtime| runtime.tool_call_id())
    }
}

#[tokio::test]
async fn a23_a_long_result_is_cut_for_the_model_and_kept_whole() {
    let text = "数据".repeat(4_000);
    let model = ScriptedModel::new()
        .calls([call("c1", "s__echo", &json!({"text": text}))])
        .calls([call(
            "c2",
            "read_tool_result",
            &json!({"tool_call_id": "c1", "offset": 2_000}),
        )])
        .says("done");
    let agent = agent(&model).tools(tools()).build().unwrap();
    let output = agent.run("go", RunOptions::new()).await.unwrap();

    let stored = &output.state.tool_results["c1"];
    assert_eq!(stored.text(), text);
    assert!(stored.truncated && !stored.is_error);
    assert_eq!((&*stored.server, &*stored.tool), ("s", "s__echo"));
    assert_eq!(
        output.state.tool_results.len(),
        1,
        "the reader's pages are not kept"
    );

    let lines = shown(&output.state.messages);
    assert!(
        lines[2].contains("kept 2000+1000 of 8000 chars"),
        "{}",
        lines[2]
    );
    assert!(lines[2].contains(r#"read_tool_result(tool_call_id="c1")"#));
    let page: String = text.chars().skip(2_000).take(4_000).collect();
    assert!(lines[4].contains(&page), "a page is not cut");

    let specs = &model.requests()[0].tools;
    assert!(specs.iter().any(|spec| spec.name == "read_tool_result"));
    let echo = specs.iter().find(|spec| spec.name == "s__echo").unwrap();
    assert_eq!(
        echo.input_schema,
        json!({"type": "object", "properties": {}})
    );
}

#[tokio::test]
async fn nothing_is_cut_and_no_reader_offered_where_that_is_switched_off() {
    let text = "x".repeat(9_000);
    let model = ScriptedModel::new()
        .calls([call("c1", "s__echo", &json!({"text": text}))])
        .says("done");
    let agent = agent(&model).tools(tools()).truncate(None).build().unwrap();
    let output = agent.run("go", RunOptions::new()).await.unwrap();
    assert_eq!(output.state.messages[2].text(), text);
    assert!(
        model.requests()[0]
            .tools
            .iter()
            .all(|spec| spec.name != "read_tool_result")
    );
}

#[tokio::test]
async fn a27_when_every_call_of_a_round_failed_the_agent_stops_and_says_why() {
    let calls = || {
        [
            call("", "s__fail", &json!({})),
            call("", "s__broken", &json!({})),
        ]
    };
    let model = ScriptedModel::new().calls(calls()).says("never asked");
    let agent = agent(&model)
        .tools(tools())
        .stop_after(StopAfter::new(1, 1))
        .build()
        .unwrap();
    let output = agent.run("go", RunOptions::new()).await.unwrap();
    assert_eq!(model.requests().len(), 1);
    assert_eq!(output.stop_reason(), Some(AgentStop::AllToolsFailed));
    let answer = output.answer();
    assert!(answer.contains("s__fail: no project"), "{answer}");
    assert!(
        answer.contains("s__broken: Tool s__broken failed: the server went away"),
        "{answer}"
    );
}

#[tokio::test]
async fn a28_one_that_went_well_is_enough_to_go_on() {
    let model = ScriptedModel::new()
        .calls([
            call("1", "s__fail", &json!({})),
            call("2", "s__echo", &json!({})),
        ])
        .says("done");
    let agent = agent(&model)
        .tools(tools())
        .stop_after(StopAfter::new(1, 1))
        .build()
        .unwrap();
    let output = agent.run("go", RunOptions::new()).await.unwrap();
    assert_eq!(output.answer(), "done");
    assert_eq!(
        shown(&model.requests()[1].messages)[2..],
        ["!1: no project", "2: -"]
    );
}

#[tokio::test]
async fn servers_that_fail_stop_the_agent_at_once_and_tools_that_fail_after_three_rounds() {
    for (name, rounds) in [("s__broken", 1), ("s__fail", 3), ("s__nope", 3)] {
        let model = (0..5).fold(ScriptedModel::new(), |model, n| {
            model.calls([call(&n.to_string(), name, &json!({}))])
        });
        let agent = agent(&model).tools(tools()).build().unwrap();
        let output = agent.run("go", RunOptions::new()).await.unwrap();
        assert_eq!(model.requests().len(), rounds, "{name}");
        assert_eq!(output.stop_reason(), Some(AgentStop::AllToolsFailed));
    }
}

#[tokio::test]
async fn a_model_that_fails_ends_the_run_with_its_reason() {
    let error = ModelError::new(ModelErrorKind::Auth, "the key is wrong");
    let model = ScriptedModel::new().fails(error);
    let agent = agent(&model).build().unwrap();
    let error = agent.run("go", RunOptions::new()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Model);
    assert!(error.to_string().contains("the key is wrong"), "{error}");
}

struct Dropped(Arc<AtomicUsize>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

#[tokio::test]
async fn a31_a_cancelled_run_drops_its_calls_and_the_thread_stays_usable() {
    let dropped = Arc::new(AtomicUsize::new(0));
    let cancel = CancellationToken::new();
    let (counts, trigger) = (Arc::clone(&dropped), cancel.clone());
    let tools = LocalTools::new("s")
        .tool(tool("hang"), move |_| {
            let guard = Dropped(Arc::clone(&counts));
            trigger.cancel();
            async move {
                let _guard = guard;
                std::future::pending::<Result<ToolOutcome, CallError>>().await
            }
        })
        .tool(tool("quick"), |_| async { Ok("quick".into()) });
    let model = ScriptedModel::new()
        .calls([call("1", "hang", &json!({})), call("2", "hang", &json!({}))])
        .says("after all");
    let memory = Arc::new(MemoryCheckpointer::new());
    let agent = agent(&model)
        .tools(tools)
        .checkpointer(memory)
        .build()
        .unwrap();
    let options = || RunOptions::new().thread("t");
    let error = agent.run("go", options().cancel(cancel)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Cancelled);
    assert!(
        dropped.load(Ordering::SeqCst) >= 1,
        "calls in flight are dropped before the run ends"
    );

    let output = agent.run("and now?", options()).await.unwrap();
    assert_eq!(output.answer(), "after all");
    let lines = shown(&output.state.messages);
    assert_eq!(lines[..2], ["go", "asks 1 2"]);
    assert!(
        lines[2].starts_with("!1: This call was not carried out"),
        "{}",
        lines[2]
    );
    assert!(lines[3].starts_with("!2: This call was not carried out"));
    assert_eq!(lines[4..], ["and now?", "after all"]);
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

#[derive(Debug)]
struct HalfDead(LocalTools);

impl Toolset for HalfDead {
    fn tools(&self) -> mcp_interceptors::BoxFuture<'_, ToolList> {
        Box::pin(async {
            let failure = ServerFailure::new("git", Phase::Spawn, "no such file");
            self.0.tools().await.with_failures(vec![failure])
        })
    }

    fn call(
        &self,
        call: ToolCall,
    ) -> mcp_interceptors::BoxFuture<'static, Result<ToolOutcome, CallError>> {
        self.0.call(call)
    }
}

#[tokio::test]
async fn a25_a_server_that_cannot_be_used_is_named_and_the_others_serve() {
    let model = ScriptedModel::new()
        .calls([call("1", "s__echo", &json!({}))])
        .says("done");
    let (sink, mut events) = EventSink::channel(Interest::AGENT, 64);
    let agent = agent(&model).tools(HalfDead(tools())).build().unwrap();
    let output = agent
        .run("go", RunOptions::new().events(sink))
        .await
        .unwrap();
    assert_eq!(output.answer(), "done");
    assert_eq!(output.state.server_failures[0].server, "git");
    let first = events.next().await.unwrap().event;
    assert!(matches!(first, RunEvent::ServerFailed { failure } if failure.phase == Phase::Spawn));
}

#[tokio::test]
async fn a21_two_tools_of_one_name_are_an_error_that_names_both_servers() {
    let one = LocalTools::new("fs").tool(tool("list"), |_| async { Ok("".into()) });
    let two = LocalTools::new("git").tool(tool("list"), |_| async { Ok("".into()) });
    let model = ScriptedModel::new().says("hi");
    let agent = agent(&model).tools(one).tools(two).build().unwrap();
    let error = agent.run("go", RunOptions::new()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Tools);
    assert_eq!(
        error.to_string(),
        "two tools are named list: of fs and of git"
    );
}

#[tokio::test]
async fn a_layer_may_answer_with_a_message_of_its_own() {
    let tools = LocalTools::new("s").tool(tool("t"), |_| async { Ok("inner".into()) });
    let wrong = mcp_interceptors::from_fn(|_, _| async {
        let mut message = ToolMessage::error("not allowed");
        message.tool_call_id = Some("other".to_owned());
        message.name = Some("else".to_owned());
        Ok(message.into())
    });
    let model = ScriptedModel::new()
        .calls([call("mine", "t", &json!({}))])
        .says("done");
    let agent = agent(&model).tools(tools).intercept(wrong).build().unwrap();
    let output = agent.run("go", RunOptions::new()).await.unwrap();
    let ChatMessage::Tool(answer) = &*output.state.messages[2] else {
        panic!("an answer");
    };
    assert_eq!(answer.tool_call_id, "mine", "a17: the id is the call's");
    assert_eq!(answer.name, "t");
    assert!(answer.is_error);
}

#[tokio::test]
async fn the_system_prompt_is_a_text_or_made_from_the_state() {
    let model = ScriptedModel::new()
        .answers(AssistantMessage::new(
            vec!["thinking".into()],
            vec![call("1", "s__echo", &json!({}))],
        ))
        .says("done");
    let agent = agent(&model)
        .tools(tools())
        .system_prompt_of(|state| format!("{} messages", state.messages.len()))
        .build()
        .unwrap();
    agent.run("go", RunOptions::new()).await.unwrap();
    let prompts: Vec<_> = model
        .requests()
        .iter()
        .map(|r| r.system.clone().unwrap())
        .collect();
    assert_eq!(
        prompts,
        ["1 messages".into(), "3 messages".into()] as [Arc<str>; 2]
    );
}

#[tokio::test]
async fn a34_preloaded_texts_go_behind_the_system_prompt_and_a_missing_one_is_a_warning() {
    let loads = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&loads);
    let model = ScriptedModel::new().says("one").says("two");
    let agent = agent(&model)
        .system_prompt("Be brief.")
        .preload(Preload::default(), move || {
            count.fetch_add(1, Ordering::SeqCst);
            async {
                let missing = Preloaded::missing("docs: b", "no such resource");
                vec![Preloaded::new("docs: a", "alpha"), missing]
            }
        })
        .system_prompt_from(|| async { Preloaded::new("prompt", "And friendly.") })
        .build()
        .unwrap();
    let (sink, mut events) = EventSink::channel(Interest::AGENT, 64);
    agent
        .run("go", RunOptions::new().events(sink))
        .await
        .unwrap();
    agent.run("go", RunOptions::new()).await.unwrap();
    assert_eq!(loads.load(Ordering::SeqCst), 1, "loaded once");
    for request in model.requests() {
        let system = request.system.unwrap();
        assert!(
            system.starts_with("Be brief.\n\n<resource name=\"docs: a\">\nalpha\n"),
            "{system}"
        );
        assert!(system.contains("And friendly."), "{system}");
    }
    let first = events.next().await.unwrap().event;
    assert!(matches!(first, RunEvent::Warning { message } if message.contains("docs: b")));
}

#[tokio::test]
async fn a29_a_server_that_breaks_off_once_does_not_end_the_run_where_that_is_allowed() {
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&calls);
    let tools = LocalTools::new("s").tool(tool("t"), move |_| {
        let first = counted.fetch_add(1, Ordering::SeqCst) == 0;
        let gone = || CallError::new(CallErrorKind::Transport, "the server exited");
        let outcome = (!first).then(|| "back".into()).ok_or_else(gone);
        std::future::ready(outcome)
    });
    let model = ScriptedModel::new()
        .calls([call("1", "t", &json!({}))])
        .calls([call("2", "t", &json!({}))])
        .says("done");
    let agent = agent(&model)
        .tools(tools)
        .stop_after(StopAfter::new(2, 3))
        .build()
        .unwrap();
    let output = agent.run("go", RunOptions::new()).await.unwrap();
    let lines = shown(&output.state.messages);
    assert_eq!(lines[2], "!1: Tool t failed: the server exited");
    assert_eq!(lines[4..], ["2: back", "done"]);
}

#[tokio::test]
async fn a84_ten_rounds_of_60_000_characters_stay_within_a_64k_window() {
    let tools = LocalTools::new("s").tool(tool("big"), |call: ToolCall| async move {
        let id = call.runtime_id().to_owned();
        Ok(format!("{}<middle {id}>{}", "a".repeat(30_000), "b".repeat(30_000)).into())
    });
    let rounds = 0..10;
    let model = rounds.clone().fold(ScriptedModel::new(), |model, n| {
        model.calls([call(&format!("c{n}"), "big", &json!({}))])
    });
    let find = json!({"tool_call_id": "c4", "offset": 29_990, "limit": 40});
    let model = model
        .calls([call("r", "read_tool_result", &find)])
        .says("done");
    let agent = agent(&model).tools(tools).build().unwrap();
    let output = agent.run("go", RunOptions::new()).await.unwrap();
    let texts = output
        .state
        .messages
        .iter()
        .map(|message| message.text().len());
    // Four bytes are about a token.
    assert!(texts.sum::<usize>() / 4 < 64_000);
    let lines = shown(&output.state.messages);
    assert!(
        lines[lines.len() - 2].contains("<middle c4>"),
        "any part can be read"
    );
}
