//! Commands from tools and layers, and what a call finds of its run.

use std::sync::Arc;

use mcp_agent::state::Sum;
use mcp_agent::{ErrorKind, Input, MemoryCheckpointer, ReactState, RunOptions, RuntimeExt};
use mcp_interceptors::{Command, LocalTools, Next, ToolCall, from_fn};
use mcp_model::ScriptedModel;
use mcp_protocol::CallToolResult;
use serde_json::json;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::agent::{agent, call, shown, tool};

fn orders() -> LocalTools {
    LocalTools::new("shop").tool(tool("submit_order"), |_| async {
        Ok(CallToolResult::text("order 17 is placed").into())
    })
}

#[tokio::test]
async fn a11_a_command_updates_the_state_and_the_call_has_its_answer() {
    let done = from_fn(|call, next: Next| async move {
        next.run(call).await?;
        Ok(Command::new()
            .with_update("task_status", "completed")
            .into())
    });
    let model = ScriptedModel::new()
        .calls([call("1", "submit_order", &json!({}))])
        .says("done");
    let agent = agent(&model)
        .tools(orders())
        .intercept(done)
        .build()
        .unwrap();
    let output = agent.run("go", RunOptions::new()).await.unwrap();
    assert_eq!(output.state.value("task_status"), Some(json!("completed")));
    let lines = shown(&output.state.messages);
    assert_eq!(lines, ["go", "asks 1", "1: order 17 is placed", "done"]);
}

#[tokio::test]
async fn a_command_to_the_end_ends_the_run_after_the_round() {
    let ends = from_fn(|call: ToolCall, next: Next| async move {
        match call.args().get("end") {
            Some(_) => Ok(Command::end().with_message("that is all").into()),
            None => next.run(call).await,
        }
    });
    let model = ScriptedModel::new()
        .calls([
            call("1", "submit_order", &json!({"end": true})),
            call("2", "submit_order", &json!({})),
        ])
        .says("never asked");
    let agent = agent(&model)
        .tools(orders())
        .intercept(ends)
        .build()
        .unwrap();
    let output = agent.run("go", RunOptions::new()).await.unwrap();
    assert_eq!(model.requests().len(), 1);
    let lines = shown(&output.state.messages);
    assert_eq!(lines[2..], ["1: that is all", "2: order 17 is placed"]);
}

#[tokio::test]
async fn a15_a_command_to_an_unknown_node_is_an_error_that_names_it() {
    let lost = from_fn(|_, _| async { Ok(Command::new().goto("nope").into()) });
    let model = ScriptedModel::new().calls([call("1", "submit_order", &json!({}))]);
    let agent = agent(&model)
        .tools(orders())
        .intercept(lost)
        .build()
        .unwrap();
    let error = agent.run("go", RunOptions::new()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::UnknownTarget);
    let text = error.to_string();
    assert!(
        text.contains("nope") && text.contains("model, stop, tools"),
        "{text}"
    );
}

#[tokio::test]
async fn a16_of_two_commands_for_one_key_the_later_call_wins() {
    for _ in 0..100 {
        let model = ScriptedModel::new()
            .calls([
                call("1", "set", &json!({"to": "a"})),
                call("2", "set", &json!({"to": "b"})),
            ])
            .says("done");
        let tools = LocalTools::new("s").tool(tool("set"), |call: ToolCall| async move {
            let to = call.args()["to"].clone();
            Ok(Command::new()
                .with_update("status", to)
                .with_update("count", 1)
                .into())
        });
        let agent = agent(&model)
            .tools(tools)
            .field("count", Sum::<i64>::default());
        let output = agent
            .build()
            .unwrap()
            .run("go", RunOptions::new())
            .await
            .unwrap();
        assert_eq!(output.state.value("status"), Some(json!("b")));
        assert_eq!(
            output.state.value("count"),
            Some(json!(2)),
            "a declared field has its rule"
        );
    }
}

#[tokio::test]
async fn a_command_that_does_not_fit_is_told_to_the_model() {
    let tools = LocalTools::new("s").tool(tool("t"), |_| async {
        Ok(Command::new().with_update("tool_results", json!({})).into())
    });
    let model = ScriptedModel::new()
        .calls([call("1", "t", &json!({}))])
        .says("done");
    let agent = agent(&model).tools(tools).build().unwrap();
    let output = agent.run("go", RunOptions::new()).await.unwrap();
    let lines = shown(&output.state.messages);
    assert!(
        lines[2].starts_with("!1: the tool's command was not obeyed"),
        "{}",
        lines[2]
    );
}

#[tokio::test]
async fn messages_of_a_command_come_behind_all_answers_of_the_round() {
    let tools = LocalTools::new("s").tool(tool("t"), |call: ToolCall| async move {
        let id = call.runtime().unwrap().tool_call_id().to_owned();
        Ok(Command::new()
            .with_update("messages", json!([format!("note of {id}")]))
            .into())
    });
    let model = ScriptedModel::new()
        .calls([call("1", "t", &json!({})), call("2", "t", &json!({}))])
        .says("done");
    let agent = agent(&model).tools(tools).build().unwrap();
    let output = agent.run("go", RunOptions::new()).await.unwrap();
    assert_eq!(
        shown(&output.state.messages)[2..],
        ["1: ok", "2: ok", "note of 1", "note of 2", "done"]
    );
}

struct User {
    id: String,
}

#[tokio::test]
async fn a18_a_call_finds_state_context_and_its_id() {
    let tools = LocalTools::new("s").tool(tool("t"), |call: ToolCall| async move {
        let runtime = call.runtime().unwrap();
        let state: &ReactState = runtime.state().unwrap();
        let user: &User = runtime.context().unwrap();
        assert!(runtime.context::<String>().is_none());
        assert!(runtime.store().is_none());
        assert_eq!(
            runtime.state_json().unwrap()["messages"]
                .as_array()
                .unwrap()
                .len(),
            2
        );
        let info = runtime.info();
        runtime.write(json!({"seen": true}));
        Ok(format!(
            "{} messages, user {}, call {}, node {}, step {}, active {:?}",
            state.messages.len(),
            user.id,
            runtime.tool_call_id(),
            info.node,
            info.step,
            state.active_server.as_deref().unwrap_or_default(),
        )
        .into())
    });
    let outside = ToolCall::new(
        mcp_interceptors::Toolset::tools(&tools)
            .await
            .tools
            .remove(0),
        serde_json::Map::new(),
    );
    assert!(outside.runtime().is_none());

    let model = ScriptedModel::new()
        .calls([call("c7", "t", &json!({}))])
        .says("done");
    let agent = agent(&model).tools(tools).build().unwrap();
    let options = RunOptions::new().context(User {
        id: "123".to_owned(),
    });
    let output = agent.run("go", options).await.unwrap();
    assert_eq!(
        shown(&output.state.messages)[2],
        "c7: 2 messages, user 123, call c7, node tools, step 2, active \"s\""
    );
    assert_eq!(
        output.state.active_server.as_deref(),
        None,
        "no call is running any more"
    );
}

#[tokio::test]
async fn a39_a_resume_does_not_repeat_finished_calls() {
    let counted = Arc::new(AtomicUsize::new(0));
    let asked = Arc::new(AtomicUsize::new(0));
    let (counts, asks) = (Arc::clone(&counted), Arc::clone(&asked));
    let tools = LocalTools::new("s")
        .tool(tool("count"), move |_| {
            let n = counts.fetch_add(1, Ordering::SeqCst) + 1;
            async move { Ok(n.to_string().into()) }
        })
        .tool(tool("ask"), move |call: ToolCall| {
            asks.fetch_add(1, Ordering::SeqCst);
            async move {
                let runtime = call.runtime().cloned().unwrap();
                let answer = runtime.interrupt(json!({"approve": call.args()["what"]}))?;
                Ok(answer.to_string().into())
            }
        });
    let model = ScriptedModel::new()
        .calls([
            call("1", "count", &json!({})),
            call("2", "ask", &json!({"what": "a"})),
            call("3", "ask", &json!({"what": "b"})),
        ])
        .says("done");
    let memory = Arc::new(MemoryCheckpointer::new());
    let agent = agent(&model)
        .tools(tools)
        .checkpointer(memory)
        .build()
        .unwrap();
    let options = || RunOptions::new().thread("t");
    let output = agent.run("go", options()).await.unwrap();
    let open = output.interrupts().to_vec();
    assert_eq!(open.len(), 2);
    assert_ne!(open[0].id, open[1].id);

    let answers = open
        .iter()
        .rev()
        .map(|i| (i.id.clone(), i.value["approve"].clone()));
    let output = agent
        .run(Input::Answers(answers.collect()), options())
        .await
        .unwrap();
    assert_eq!(output.answer(), "done");
    assert_eq!(
        shown(&output.state.messages)[2..5],
        ["1: 1", "2: \"a\"", "3: \"b\""]
    );
    assert_eq!(counted.load(Ordering::SeqCst), 1);
    assert_eq!(asked.load(Ordering::SeqCst), 4, "each body twice");
}
