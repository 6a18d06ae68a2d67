//! Servers and tools that fail, and runs that stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use mcp_agent::{
    AgentStop, ErrorKind, EventSink, Interest, MemoryCheckpointer, Retry, RunEvent, RunOptions,
    StopAfter,
};
use mcp_interceptors::{
    CallError, CallErrorKind, LocalTools, Phase, ServerFailure, ToolCall, ToolList, ToolOutcome,
    Toolset,
};
use mcp_model::{AssistantMessage, ChatMessage, ModelError, ModelErrorKind, ScriptedModel};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::agent::{agent, call, shown, tool, tools};

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

#[tokio::test(start_paused = true)]
async fn a_dangling_call_is_repaired_also_where_the_model_answers_at_the_second_attempt() {
    let busy = ModelError::new(ModelErrorKind::Overloaded, "busy");
    let model = ScriptedModel::new().fails(busy).says("done");
    let asks = AssistantMessage::new(vec![], vec![call("1", "s__echo", &json!({}))]);
    let history = vec![ChatMessage::Assistant(asks), ChatMessage::user("go on")];
    let agent = agent(&model).model_retry(Retry::new()).build().unwrap();
    let output = agent.run(history, RunOptions::new()).await.unwrap();
    let lines = shown(&output.state.messages);
    assert!(
        lines[1].starts_with("!1: This call was not carried out"),
        "{lines:?}"
    );
    assert_eq!(lines[2..], ["go on", "done"]);
    assert_eq!(shown(&model.requests()[1].messages), lines[..3]);
}
