//! Models and tools that do everything wrong: the history stays whole, and the run ends.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use mcp_agent::{
    ErrorKind, EventSink, HookOutput, Input, Interest, Jump, MemoryCheckpointer, OnError,
    ReactAgent, ReactState, ReactUpdate, RunOptions, Runtime, StopAfter, When,
};
use mcp_interceptors::{
    CallError, CallErrorKind, Command, LocalTools, Next, ToolCall, ToolOutcome, from_fn,
};
use mcp_model::{AssistantMessage, ChatMessage, ScriptedModel, ToolUse};
use mcp_protocol::{CallToolResult, ContentBlock, ResourceContents};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::agent::{Id, agent, call, shown, thread, tool, tools};

/// Whether each call has exactly one answer, right behind it, in call order.
pub(crate) fn assert_whole(messages: &[Arc<ChatMessage>]) {
    let mut open: Vec<&str> = Vec::new();
    for message in messages {
        match &**message {
            ChatMessage::Tool(answer) => {
                assert_eq!(
                    open.first(),
                    Some(&answer.tool_call_id.as_str()),
                    "{:?}",
                    shown(messages)
                );
                open.remove(0);
            }
            other => {
                assert!(open.is_empty(), "{open:?} in {:?}", shown(messages));
                if let ChatMessage::Assistant(asking) = other {
                    open.extend(asking.tool_calls.iter().map(|call| call.id.as_str()));
                }
            }
        }
    }
    assert!(open.is_empty(), "{open:?}");
}

#[tokio::test]
async fn a_thousand_calls_with_bad_ids_names_and_arguments_are_all_answered() {
    let calls = (0..1_000).map(|n| {
        let id = match n % 4 {
            0 => String::new(),
            1 => "same".to_owned(),
            2 => "x".repeat(10_000),
            _ => n.to_string(),
        };
        let name = match n % 5 {
            0 => "s__echo",
            1 => "",
            2 => "数据库",
            3 => "s__panics",
            _ => "s__nope",
        };
        let args = match n % 3 {
            0 => "{}",
            1 => "{\"a\":",
            _ => "[]",
        };
        ToolUse::new(id, name, args)
    });
    let model = ScriptedModel::new().calls(calls).says("done");
    let agent = agent(&model).tools(tools()).build().unwrap();
    let began = Instant::now();
    let output = agent.run("go", RunOptions::new()).await.unwrap();
    assert!(
        began.elapsed() < Duration::from_secs(20),
        "{:?}",
        began.elapsed()
    );
    assert_eq!(output.answer(), "done");
    assert_eq!(output.state.messages.len(), 1_003);
    assert_whole(&output.state.messages);
}

#[tokio::test]
async fn a_model_without_end_is_stopped_with_an_error_and_its_thread_goes_on_whole() {
    let model = (0..60).fold(ScriptedModel::new(), |model, n| {
        model.calls([call(&n.to_string(), "s__echo", &json!({}))])
    });
    let agent = agent(&model)
        .tools(tools())
        .checkpointer(Arc::new(MemoryCheckpointer::new()))
        .build()
        .unwrap();
    for limit in [7, 8] {
        let thread = || RunOptions::new().thread("t").step_limit(limit);
        let error = agent.run("go", thread()).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::StepLimit, "a limit is no success");
        let error = agent.run("again", thread()).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::StepLimit);
    }
    for request in model.requests() {
        assert_whole(&request.messages);
    }
}

#[tokio::test]
async fn fifty_megabytes_of_every_kind_reach_the_model_in_short_and_are_kept_whole() {
    const SIZE: usize = 6 << 20;
    let long = || "数".repeat(SIZE / 3);
    let tools = LocalTools::new("s")
        .tool(tool("text"), move |_| async move {
            Ok("数".repeat((50 << 20) / 3).into())
        })
        .tool(tool("error"), move |_| async move {
            Ok(CallToolResult::error(long()).into())
        })
        .tool(tool("broken"), move |_| async move {
            Err(CallError::layer(long()))
        })
        .tool(tool("resource"), move |_| async move {
            let inner = ResourceContents::text("file:///a", long());
            Ok(CallToolResult::new(vec![ContentBlock::resource(inner)]).into())
        })
        .tool(tool("image"), |_| async {
            let image = ContentBlock::image(vec![0; SIZE], "image/png");
            Ok(CallToolResult::new(vec![image]).into())
        })
        .tool(tool("structured"), move |_| async move {
            Ok(CallToolResult::new(Vec::new())
                .with_structured_content(json!({"a": long()}))
                .into())
        });
    let names = ["text", "error", "broken", "resource", "image", "structured"];
    for name in names {
        let model = ScriptedModel::new()
            .calls([call("1", name, &json!({}))])
            .says("done");
        let agent = agent(&model).tools(tools.clone()).build().unwrap();
        let output = agent.run("go", RunOptions::new()).await.unwrap();
        let ChatMessage::Tool(answer) = &*output.state.messages[2] else {
            panic!("an answer");
        };
        let told = serde_json::to_string(&answer.content).unwrap();
        assert!(told.len() < 20_000, "{name}: {}", told.len());
        let kept = serde_json::to_string(&**output.state.tool_results.get("1").unwrap()).unwrap();
        assert!(kept.len() > SIZE / 2, "{name}: {}", kept.len());
    }
}

#[tokio::test]
async fn an_error_of_megabytes_is_cut_also_where_results_are_not() {
    let long = || "x".repeat(2_000_000);
    let tools = LocalTools::new("s").tool(tool("error"), move |_| async move {
        Ok(CallToolResult::error(long()).into())
    });
    let model = ScriptedModel::new()
        .calls([call("1", "error", &json!({}))])
        .says("done");
    let agent = agent(&model).tools(tools).truncate(None).build().unwrap();
    let output = agent.run("go", RunOptions::new()).await.unwrap();
    let line = &shown(&output.state.messages)[2];
    assert!(line.len() < 6_000 && line.ends_with("5000 of 2000000 characters]"));
    assert_eq!(output.state.tool_results["1"].text().len(), 2_000_000);
}

#[tokio::test]
async fn a_resource_in_a_result_is_cut_and_read_like_its_text() {
    let text: String = (0..4_000).map(|n| format!("{n} ")).collect();
    let whole = text.clone();
    let tools =
        LocalTools::new("s").tool(tool("t"), move |_| {
            let inner = ResourceContents::text("file:///a", whole.clone());
            async move {
                Ok(CallToolResult::new(vec!["see:".into(), ContentBlock::resource(inner)]).into())
            }
        });
    let read = json!({"tool_call_id": "1", "offset": 10_005, "limit": 20});
    let model = ScriptedModel::new()
        .calls([call("1", "t", &json!({}))])
        .calls([call("2", "read_tool_result", &read)])
        .says("done");
    let agent = agent(&model).tools(tools).build().unwrap();
    let output = agent.run("go", RunOptions::new()).await.unwrap();
    let lines = shown(&output.state.messages);
    assert!(lines[2].contains("[truncated"), "{}", lines[2].len());
    let expected: String = text.chars().skip(10_000).take(20).collect();
    assert!(lines[4].contains(&expected), "{}", lines[4]);
}

#[tokio::test]
async fn nothing_at_all_is_an_answer() {
    let tools = LocalTools::new("s")
        .tool(tool("none"), |_| async {
            Ok(CallToolResult::new(Vec::new()).into())
        })
        .tool(tool("empty"), |_| async { Ok("".into()) });
    let calls = [
        call("1", "none", &json!({})),
        call("2", "empty", &json!({})),
    ];
    let model = ScriptedModel::new().calls(calls).says("");
    let agent = agent(&model).tools(tools).build().unwrap();
    let output = agent.run("", RunOptions::new()).await.unwrap();
    assert_eq!(output.answer(), "");
    assert_whole(&output.state.messages);
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_hangs_is_given_up_by_a_layer_and_told() {
    let tools = LocalTools::new("s").tool(tool("hang"), |_| {
        std::future::pending::<Result<ToolOutcome, CallError>>()
    });
    let model = ScriptedModel::new()
        .calls([call("1", "hang", &json!({}))])
        .says("done");
    let agent = agent(&model)
        .tools(tools)
        .intercept(from_fn(|call: ToolCall, next: Next| async move {
            let late = |_| CallError::new(CallErrorKind::TimedOut, "no answer within 3 s");
            let answer = tokio::time::timeout(Duration::from_secs(3), next.run(call)).await;
            answer.map_err(late)?
        }))
        .stop_after(StopAfter::new(0, 0))
        .build()
        .unwrap();
    let output = agent.run("go", RunOptions::new()).await.unwrap();
    assert!(shown(&output.state.messages)[2].starts_with("!1: Tool hang failed: "));
    assert_eq!(output.answer(), "done");
}

#[tokio::test]
async fn what_becomes_of_a_failed_call_is_for_the_program_to_say() {
    for (judged, expected) in [
        (
            OnError::Tell,
            Ok("!1: Tool s__broken failed: the server went away"),
        ),
        (OnError::Say("try later".to_owned()), Ok("!1: try later")),
        (
            OnError::Fail,
            Err("the call of s__broken failed: the server went away"),
        ),
    ] {
        let model = ScriptedModel::new()
            .calls([
                call("1", "s__broken", &json!({})),
                call("2", "s__fail", &json!({})),
            ])
            .says("done");
        let agent = agent(&model)
            .tools(tools())
            .on_tool_error(move |call, _| {
                assert_eq!(call.name, "s__broken", "a tool's own error is none");
                judged.clone()
            })
            .build()
            .unwrap();
        let outcome = agent.run("go", RunOptions::new()).await;
        match (outcome, expected) {
            (Ok(output), Ok(line)) => assert_eq!(shown(&output.state.messages)[2], line),
            (Err(error), Err(text)) => assert!(error.chain().contains(text), "{error}"),
            (outcome, _) => panic!("{outcome:?}"),
        }
    }
}

fn asking(asks: &Arc<AtomicUsize>) -> ReactAgent {
    let count = Arc::clone(asks);
    let tools = LocalTools::new("s").tool(tool("ask"), move |call: ToolCall| {
        count.fetch_add(1, Ordering::SeqCst);
        async move {
            let answer = call.ask(json!({"what": call.args()["what"]})).await?;
            Ok(answer.to_string().into())
        }
    });
    let ids = ["1", "2", "3"];
    let model = ScriptedModel::new()
        .calls(ids.map(|id| call(id, "ask", &json!({"what": id}))))
        .says("done");
    agent(&model)
        .tools(tools)
        .checkpointer(Arc::new(MemoryCheckpointer::new()))
        .build()
        .unwrap()
}

#[tokio::test]
async fn p_a06_answers_may_come_one_by_one_and_wrong_ids_answer_nothing() {
    let asks = Arc::new(AtomicUsize::new(0));
    let agent = asking(&asks);
    let mut open = agent
        .run("go", thread())
        .await
        .unwrap()
        .interrupts()
        .to_vec();
    assert_eq!(open.len(), 3);

    let wrong = HashMap::from([("nobody".to_owned(), json!(0))]);
    let error = agent
        .run(Input::Answers(wrong), thread())
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Resume, "{error}");
    let error = agent
        .run(Input::Answer(json!(0)), thread())
        .await
        .unwrap_err();
    assert_eq!(
        error.kind(),
        ErrorKind::Resume,
        "one answer for three questions: {error}"
    );

    let before = asks.load(Ordering::SeqCst);
    while let Some(last) = open.pop() {
        let answer = HashMap::from([(last.id.clone(), last.value["what"].clone())]);
        let output = agent.run(Input::Answers(answer), thread()).await.unwrap();
        let left: Vec<_> = output.interrupts().iter().map(|i| &i.id).collect();
        assert_eq!(left, open.iter().map(|i| &i.id).collect::<Vec<_>>());
        if open.is_empty() {
            let lines = shown(&output.state.messages);
            assert_eq!(lines[2..], ["1: \"1\"", "2: \"2\"", "3: \"3\"", "done"]);
        }
    }
    assert_eq!(
        asks.load(Ordering::SeqCst) - before,
        3,
        "each body once more"
    );
    let error = agent
        .run(Input::Answer(json!(0)), thread())
        .await
        .unwrap_err();
    assert_eq!(
        error.kind(),
        ErrorKind::Resume,
        "nothing is asked any more: {error}"
    );
}

#[tokio::test]
async fn new_input_in_place_of_answers_leaves_a_whole_history() {
    let agent = asking(&Arc::default());
    agent.run("go", thread()).await.unwrap();
    let output = agent.run("never mind", thread()).await.unwrap();
    assert_eq!(output.answer(), "done");
    assert_whole(&output.state.messages);
}

/// Cancels at the n-th event of the run, for all n: every phase is hit.
#[tokio::test]
async fn a_run_that_is_cancelled_anywhere_leaves_a_thread_that_goes_on_whole() {
    let mut ended = false;
    let mut n = 0;
    while !ended {
        let model = ScriptedModel::new()
            .calls([
                call("1", "s__echo", &json!({})),
                call("2", "s__fail", &json!({})),
                call("3", "s__echo", &json!({"ms": 1})),
            ])
            .says("done")
            .says("after all")
            .says("after all");
        let pass = |_: Arc<ReactState>, _: Runtime| async {
            tokio::task::yield_now().await;
            Ok(HookOutput::none())
        };
        let agent = agent(&model)
            .tools(tools())
            .hook(When::BeforeModel, "before", pass)
            .hook(When::AfterModel, "after", pass)
            .checkpointer(Arc::new(MemoryCheckpointer::new()))
            .build()
            .unwrap();
        let cancel = CancellationToken::new();
        let (seen, trigger) = (AtomicUsize::new(0), cancel.clone());
        let sink = EventSink::from_fn(Interest::ALL, move |_| {
            let now = seen.fetch_add(1, Ordering::SeqCst) == n;
            let _ = now.then(|| trigger.cancel());
        });
        let outcome = agent
            .run("go", thread().cancel(cancel.clone()).events(sink))
            .await;
        ended = !cancel.is_cancelled();
        match outcome {
            Ok(output) => assert_eq!(output.answer(), "done"),
            Err(error) => assert_eq!(error.kind(), ErrorKind::Cancelled, "at event {n}"),
        }
        let output = agent.run("go on", thread()).await.unwrap();
        assert_whole(&output.state.messages);
        for request in model.requests() {
            assert_whole(&request.messages);
        }
        n += 1;
    }
    assert!(n > 20, "many events: {n}");
}

#[tokio::test]
async fn a_hook_that_jumps_leaves_no_call_without_an_answer() {
    for (jump, answers) in [(Jump::End, 1), (Jump::Model, 2)] {
        let model = ScriptedModel::new()
            .answers(AssistantMessage::new(
                vec!["hm".into()],
                vec![call("1", "s__echo", &json!({}))],
            ))
            .says("done");
        let hook = move |state: Arc<ReactState>, _: Runtime| async move {
            let update = ReactUpdate::default().messages("wait");
            let jumping = HookOutput::from(update).jump(jump);
            let first = Some(jumping).filter(|_| state.messages.len() <= 2);
            Ok(first.unwrap_or_default())
        };
        let agent = agent(&model)
            .tools(tools())
            .hook_with_jumps(When::AfterModel, "jumps", [jump], hook)
            .build()
            .unwrap();
        let output = agent.run("go", RunOptions::new()).await.unwrap();
        assert_whole(&output.state.messages);
        assert_eq!(model.requests().len(), answers);
        for request in model.requests() {
            assert_whole(&request.messages);
        }
    }
}

#[tokio::test]
async fn a_jump_that_was_not_declared_is_an_error_that_names_the_hook() {
    let model = ScriptedModel::new().says("hi");
    let hook = |_: Arc<ReactState>, _: Runtime| async { Ok(HookOutput::none().jump(Jump::Model)) };
    let agent = agent(&model)
        .hook_with_jumps(When::AfterModel, "jumps", [Jump::End], hook)
        .build()
        .unwrap();
    let error = agent.run("go", RunOptions::new()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::UnknownTarget);
    assert!(
        error
            .to_string()
            .contains("jumps.after_model goes to Model"),
        "{error}"
    );
}

#[tokio::test]
async fn messages_that_a_hook_takes_away_leave_a_whole_history() {
    let model = ScriptedModel::new()
        .calls([call("1", "s__echo", &json!({}))])
        .calls([call("2", "s__echo", &json!({}))])
        .says("done");
    // Takes the first answer, then the first question, out of the conversation.
    let hook = |state: Arc<ReactState>, _: Runtime| async move {
        let at = match state.messages.len() {
            3 => 2,
            5.. => 1,
            _ => return Ok(HookOutput::none()),
        };
        let gone = mcp_agent::state::MessageUpdate::Remove(state.messages.ids()[at].clone());
        let messages = mcp_agent::state::MessagesUpdate::default().and(gone);
        Ok(ReactUpdate::default().messages(messages).into())
    };
    let agent = agent(&model)
        .tools(tools())
        .hook(When::BeforeModel, "forgets", hook)
        .build()
        .unwrap();
    let output = agent.run("go", RunOptions::new()).await.unwrap();
    assert_whole(&output.state.messages);
    for request in model.requests() {
        assert_whole(&request.messages);
    }
}

#[tokio::test]
async fn a_command_may_hold_the_answer_to_its_own_call_and_to_no_other() {
    let answers =
        |id: &str| json!({"role": "tool", "tool_call_id": id, "content": "from the command"});
    for (messages, expected) in [
        (json!([answers("1"), "and a note"]), "1: from the command"),
        (
            json!([answers("2")]),
            "!1: the tool's command was not obeyed: it answers 2",
        ),
        (
            json!([answers("1"), answers("1")]),
            "!1: the tool's command was not obeyed",
        ),
    ] {
        let command = Command::new().with_update("messages", messages);
        let tools = LocalTools::new("s").tool(tool("t"), move |call: ToolCall| {
            let first = Some(command.clone()).filter(|_| call.runtime_id() == "1");
            std::future::ready(Ok(first.map_or_else(|| "other".into(), ToolOutcome::from)))
        });
        let calls = [call("1", "t", &json!({})), call("2", "t", &json!({}))];
        let model = ScriptedModel::new().calls(calls).says("done");
        let agent = agent(&model).tools(tools).build().unwrap();
        let output = agent.run("go", RunOptions::new()).await.unwrap();
        let lines = shown(&output.state.messages);
        assert!(lines[2].starts_with(expected), "{lines:?}");
        assert_eq!(lines[3], "2: other");
        assert_whole(&output.state.messages);
    }
}

#[tokio::test]
async fn a_limit_that_is_an_error_lets_no_call_of_its_round_run() {
    let made = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&made);
    let tools = LocalTools::new("s").tool(tool("t"), move |_| {
        count.fetch_add(1, Ordering::SeqCst);
        async { Ok("ok".into()) }
    });
    let calls = ["1", "2", "3"].map(|id| call(id, "t", &Value::Null));
    let model = ScriptedModel::new().calls(calls);
    let limit = mcp_agent::CallLimit::per_run(2).at_limit(mcp_agent::AtLimit::Fail);
    let agent = agent(&model)
        .tools(tools)
        .tool_limit("t", limit)
        .build()
        .unwrap();
    let error = agent.run("go", RunOptions::new()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::CallLimit);
    assert_eq!(made.load(Ordering::SeqCst), 0);
}
