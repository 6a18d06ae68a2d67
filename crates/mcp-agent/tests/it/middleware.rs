//! Hooks, code around the model, limits, structured answers.

use std::sync::{Arc, Mutex};

use mcp_agent::{
    AgentStop, AtLimit, CallLimit, ClearToolResults, ErrorKind, HookOutput, Jump, Middleware,
    ModelCall, ModelFallback, ModelNext, ModelRetry, ReactBuilder, ReactState, ReactUpdate,
    ResponseFormat, RunOptions, Runtime, Summarise, Trigger, When,
};
use mcp_interceptors::{Command, LocalTools, from_fn};
use mcp_model::{ChatMessage, ModelError, ModelErrorKind, ScriptedModel};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::agent::{agent, call, shown, tool};

type Log = Arc<Mutex<Vec<String>>>;

/// Says everything that it is asked.
struct Says(&'static str, Log);

impl Middleware for Says {
    fn name(&self) -> std::borrow::Cow<'static, str> {
        self.0.into()
    }

    fn install(self, mut agent: ReactBuilder) -> ReactBuilder {
        let Self(name, log) = self;
        for when in [
            When::BeforeAgent,
            When::BeforeModel,
            When::AfterModel,
            When::AfterAgent,
        ] {
            let log = Arc::clone(&log);
            let hook = move |_: Arc<ReactState>, _: Runtime| {
                log.lock().unwrap().push(format!("{name}.{when:?}"));
                std::future::ready(Ok(HookOutput::none()))
            };
            agent = agent.hook(when, name, hook);
        }
        let (around_model, around_tool) = (Arc::clone(&log), log);
        agent
            .wrap_model(move |call: ModelCall, next: ModelNext| {
                around_model.lock().unwrap().push(format!("{name}>model"));
                next.run(call)
            })
            .intercept(from_fn(move |call, next: mcp_interceptors::Next| {
                around_tool.lock().unwrap().push(format!("{name}>tool"));
                next.run(call)
            }))
    }
}

fn tools() -> LocalTools {
    LocalTools::new("s")
        .tool(tool("t"), |_| async { Ok("result".into()) })
        .tool(tool("u"), |_| async { Ok("other".into()) })
}

fn twice() -> ScriptedModel {
    ScriptedModel::new()
        .calls([call("1", "t", &json!({}))])
        .says("done")
}

#[tokio::test]
async fn hooks_and_wraps_run_in_their_order() {
    let log = Log::default();
    let agent = agent(&twice())
        .tools(tools())
        .with(Says("A", Arc::clone(&log)))
        .with(Says("B", Arc::clone(&log)))
        .build()
        .unwrap();
    let output = agent.run("go", RunOptions::new()).await.unwrap();
    assert_eq!(output.answer(), "done");
    let round = [
        "A.BeforeModel",
        "B.BeforeModel",
        "A>model",
        "B>model",
        "B.AfterModel",
        "A.AfterModel",
    ];
    let mut expected = vec!["A.BeforeAgent", "B.BeforeAgent"];
    expected.extend(round);
    expected.extend(["A>tool", "B>tool"]);
    expected.extend(round);
    expected.extend(["B.AfterAgent", "A.AfterAgent"]);
    assert_eq!(*log.lock().unwrap(), expected);
    let drawing = agent.graph().to_mermaid();
    assert!(drawing.contains("A.before_agent"), "{drawing}");
}

#[test]
fn two_hooks_of_one_name_are_a_wiring_fault() {
    let log = Log::default();
    let twice = agent(&ScriptedModel::new())
        .with(Says("A", Arc::clone(&log)))
        .with(Says("A", log));
    let error = twice.build().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Wiring);
    assert!(
        error.to_string().contains("two middlewares are named A"),
        "{error}"
    );

    let fallback = || ModelFallback::new(Vec::new());
    let twice = agent(&ScriptedModel::new())
        .with(fallback())
        .with(fallback());
    assert_eq!(twice.build().unwrap_err().kind(), ErrorKind::Wiring);
}

#[tokio::test]
async fn a_command_to_the_end_still_runs_what_comes_after_the_agent() {
    let log = Log::default();
    let ends = LocalTools::new("s").tool(tool("t"), |_| async { Ok(Command::end().into()) });
    let agent = agent(&twice())
        .tools(ends)
        .with(Says("A", Arc::clone(&log)))
        .build()
        .unwrap();
    agent.run("go", RunOptions::new()).await.unwrap();
    assert_eq!(log.lock().unwrap().last().unwrap(), "A.AfterAgent");
}

#[tokio::test]
async fn a_hook_may_write_and_send_the_agent_elsewhere() {
    let model = ScriptedModel::new().says("first").says("second");
    let again = |state: Arc<ReactState>, _: Runtime| async move {
        if state.answer() == "first" {
            let update = ReactUpdate::default().messages("are you sure?");
            return Ok(HookOutput::from(update).jump(Jump::Model));
        }
        Ok(HookOutput::none())
    };
    let doubting = agent(&model)
        .hook_with_jumps(When::AfterModel, "doubt", [Jump::Model], again)
        .build()
        .unwrap();
    let output = doubting.run("go", RunOptions::new()).await.unwrap();
    let expected = ["go", "first", "are you sure?", "second"];
    assert_eq!(shown(&output.state.messages), expected);

    let never = ScriptedModel::new();
    let refuse = |_: Arc<ReactState>, _: Runtime| async {
        let update = ReactUpdate::default().messages(ChatMessage::assistant("no"));
        Ok(HookOutput::from(update).jump(Jump::End))
    };
    let refusing = agent(&never)
        .hook_with_jumps(When::BeforeModel, "refuse", [Jump::End], refuse)
        .build()
        .unwrap();
    let output = refusing.run("go", RunOptions::new()).await.unwrap();
    assert_eq!(output.answer(), "no");
    assert!(never.requests().is_empty());
}

async fn ask_twice(
    call: ModelCall,
    next: ModelNext,
    other: Arc<ScriptedModel>,
) -> Result<mcp_model::ChatResponse, ModelError> {
    match next.run(call.clone()).await {
        Err(error) if error.is_transient() => {
            let call = call.map_request(|request| request.with_system("be brief"));
            next.run(call.with_model(other)).await
        }
        result => result,
    }
}

#[tokio::test]
async fn code_around_the_model_may_change_the_question_and_the_model() {
    let busy = || ModelError::new(ModelErrorKind::Overloaded, "busy");
    let first = ScriptedModel::new().fails(busy());
    let second = Arc::new(ScriptedModel::new().says("from the second"));
    let other = Arc::clone(&second);
    let agent = agent(&first)
        .tools(tools())
        .wrap_model(move |call: ModelCall, next: ModelNext| {
            ask_twice(call, next, Arc::clone(&other))
        })
        .build()
        .unwrap();
    let output = agent.run("go", RunOptions::new()).await.unwrap();
    assert_eq!(output.answer(), "from the second");
    assert_eq!(second.requests()[0].system.as_deref(), Some("be brief"));
}

fn endless() -> ScriptedModel {
    (0..9).fold(ScriptedModel::new(), |model, n| {
        let id = |m: usize| format!("{n}-{m}");
        model.calls([call(&id(0), "t", &json!({})), call(&id(1), "u", &json!({}))])
    })
}

#[tokio::test]
async fn the_model_is_asked_as_often_as_is_allowed() {
    let model = endless();
    let limited = agent(&model)
        .tools(tools())
        .model_limit(CallLimit::per_run(2));
    let output = limited
        .build()
        .unwrap()
        .run("go", RunOptions::new())
        .await
        .unwrap();
    assert_eq!(model.requests().len(), 2);
    assert_eq!(output.stop_reason(), Some(AgentStop::ModelCallLimit));
    assert_eq!(
        output.answer(),
        "I stopped: model call limits exceeded: run limit (2)."
    );
    assert_eq!(output.state.tally.run.tool_calls, 4);

    let limit = CallLimit::per_thread(1).at_limit(AtLimit::Fail);
    let failing = agent(&endless())
        .tools(tools())
        .model_limit(limit)
        .build()
        .unwrap();
    let error = failing.run("go", RunOptions::new()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::CallLimit);
}

#[tokio::test]
async fn tools_are_called_as_often_as_is_allowed_and_every_call_is_answered() {
    let model = endless();
    let limited = agent(&model)
        .tools(tools())
        .tools_limit(CallLimit::per_run(3));
    let output = limited
        .build()
        .unwrap()
        .run("go", RunOptions::new())
        .await
        .unwrap();
    assert_eq!(output.stop_reason(), Some(AgentStop::ToolCallLimit));
    let lines = shown(&output.state.messages);
    assert_eq!(lines[5], "1-0: result");
    assert_eq!(
        lines[6],
        "!1-1: not called: tool call limits exceeded: run limit (3)"
    );
    assert_eq!(
        lines[7],
        "I stopped: tool call limits exceeded: run limit (3)."
    );

    // One tool is used up; the other goes on.
    let model = ScriptedModel::new()
        .calls([
            call("1", "t", &json!({})),
            call("2", "t", &json!({})),
            call("3", "u", &json!({})),
        ])
        .says("done");
    let limit = CallLimit::per_run(1).at_limit(AtLimit::Continue);
    let limited = agent(&model)
        .tools(tools())
        .tool_limit("t", limit)
        .build()
        .unwrap();
    let output = limited.run("go", RunOptions::new()).await.unwrap();
    assert_eq!(output.answer(), "done");
    let lines = shown(&output.state.messages);
    assert_eq!((&*lines[2], &*lines[4]), ("1: result", "3: other"));
    assert!(
        lines[3].starts_with("!2: not called: tool call limits of t exceeded"),
        "{}",
        lines[3]
    );
}

#[derive(Serialize, Deserialize)]
struct Weather {
    city: String,
    degrees: i32,
}

#[tokio::test]
async fn an_answer_by_a_tool_is_checked_and_ends_the_agent() {
    let good = json!({"city": "Oslo", "degrees": -3});
    let model = ScriptedModel::new()
        .calls([call("1", "give_answer", &json!({"city": "Oslo"}))])
        .calls([
            call("2", "give_answer", &good),
            call("3", "give_answer", &good),
        ])
        .calls([call("4", "give_answer", &good)])
        .says("never asked");
    let agent = agent(&model)
        .tools(tools())
        .response(ResponseFormat::of::<Weather>(json!({"type": "object"})))
        .build()
        .unwrap();
    let output = agent.run("go", RunOptions::new()).await.unwrap();
    assert_eq!(output.state.structured_response.as_ref(), Some(&good));
    let lines = shown(&output.state.messages);
    assert!(lines[2].starts_with("!1: the answer does not fit its form: missing field `degrees`"));
    assert!(lines[4].starts_with("!2: give one answer"), "{}", lines[4]);
    assert_eq!(lines.last().unwrap(), "4: The answer was taken.");
    assert_eq!(model.requests().len(), 3);
}

#[tokio::test]
async fn the_result_of_a_direct_tool_is_the_answer() {
    let model = twice();
    let direct = agent(&model)
        .tools(tools())
        .return_direct("t")
        .build()
        .unwrap();
    let output = direct.run("go", RunOptions::new()).await.unwrap();
    assert_eq!(output.answer(), "result");
    assert_eq!(model.requests().len(), 1);

    let both = [call("1", "t", &json!({})), call("2", "u", &json!({}))];
    let model = ScriptedModel::new().calls(both).says("done");
    let mixed = agent(&model)
        .tools(tools())
        .return_direct("t")
        .build()
        .unwrap();
    let output = mixed.run("go", RunOptions::new()).await.unwrap();
    assert_eq!(output.answer(), "done");
}

#[tokio::test(start_paused = true)]
async fn a_busy_model_is_asked_again_and_then_another_one() {
    let busy = || ModelError::new(ModelErrorKind::Overloaded, "busy");
    let first = ScriptedModel::new()
        .fails(busy())
        .fails(busy())
        .says("third time");
    let retrying = agent(&first).with(ModelRetry::default()).build().unwrap();
    assert_eq!(
        retrying
            .run("go", RunOptions::new())
            .await
            .unwrap()
            .answer(),
        "third time"
    );

    let wrong = ModelError::new(ModelErrorKind::Auth, "no key");
    let first = ScriptedModel::new().fails(wrong);
    let second = ScriptedModel::new().fails(busy());
    let third = ScriptedModel::new().says("from the third");
    let others: [Arc<dyn mcp_model::ChatModel>; 2] = [Arc::new(second.clone()), Arc::new(third)];
    let falling = agent(&first)
        .with(ModelFallback::new(others))
        .with(ModelRetry::new(1));
    let output = falling
        .build()
        .unwrap()
        .run("go", RunOptions::new())
        .await
        .unwrap();
    assert_eq!(output.answer(), "from the third");
    assert_eq!((first.requests().len(), second.requests().len()), (1, 1));
}

#[tokio::test]
async fn a_long_conversation_is_summarised_and_a_call_keeps_its_answer() {
    let writer = ScriptedModel::new().says("they talked");
    let model = twice();
    let agent = agent(&model)
        .tools(tools())
        .with(Summarise::new(Arc::new(writer.clone()), Trigger::Messages(2)).keep(1))
        .build()
        .unwrap();
    let output = agent.run("go", RunOptions::new()).await.unwrap();
    let lines = shown(&output.state.messages);
    assert_eq!(
        lines,
        [
            "Summary of the conversation so far:\nthey talked",
            "asks 1",
            "1: result",
            "done"
        ]
    );
    assert_eq!(writer.requests()[0].messages[0].text(), "go");
}

#[tokio::test]
async fn old_results_are_cleared_from_the_conversation_and_stay_readable() {
    let long = "x".repeat(500);
    let text = long.clone();
    let tools = LocalTools::new("s").tool(tool("t"), move |_| {
        let text = text.clone();
        async move { Ok(text.into()) }
    });
    let model = ScriptedModel::new()
        .calls([call("1", "t", &json!({}))])
        .calls([call("2", "t", &json!({}))])
        .says("done");
    let agent = agent(&model)
        .tools(tools)
        .with(ClearToolResults::new(Trigger::Tokens(150), 1))
        .build()
        .unwrap();
    let output = agent.run("go", RunOptions::new()).await.unwrap();
    let lines = shown(&output.state.messages);
    assert!(
        lines[2].starts_with("1: [cleared; read_tool_result"),
        "{}",
        lines[2]
    );
    assert_eq!(lines[4], format!("2: {long}"));
    assert_eq!(output.state.tool_results["1"].text(), long);
    assert!(
        model.requests()[1].messages[2].text().starts_with("xxx"),
        "not yet too long"
    );
}
