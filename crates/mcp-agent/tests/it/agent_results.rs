//! Long results, and what the model is told before the conversation.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use mcp_agent::{EventSink, Interest, Preload, Preloaded, RunEvent, RunOptions};
use mcp_interceptors::{LocalTools, ToolCall, ToolMessage};
use mcp_model::{AssistantMessage, ChatMessage, ScriptedModel};
use serde_json::json;

use crate::agent::{Id, agent, call, shown, tool, tools};

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
