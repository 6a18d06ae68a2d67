//! Layers around the tools of an agent, wherever the tools are.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_agent::{
    AgentStop, ErrorKind, Input, MemoryCheckpointer, MemoryStore, Namespace, ReactBuilder,
    ReactState, RunOptions, RuntimeExt, Store, StoreExt,
};
use mcp_client::{Connect, ConnectError, Link, ServerOptions, ServerPool, SessionPolicy};
use mcp_interceptors::{
    ApproveLayer, Backoff, CallError, CallErrorKind, FallbackLayer, Intercepted, JsonMap,
    LocalTools, Next, RetryLayer, ShowStructured, ShowStructuredLayer, ToolCall, ToolLayers,
    ToolMessage, Toolset, from_fn,
};
use mcp_model::{ChatMessage, ScriptedModel, ToolUse};
use mcp_peer::PeerOptions;
use mcp_protocol::lifecycle::Wire;
use mcp_protocol::{CallToolResult, ContentBlock, RequestContext, Resource};
use mcp_server::{NoArgs, Server, ToolError};
use mcp_transport::{BoxFuture, Handler, memory};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::agent::{agent, call, shown, tool};

/// A server in the same process with one tool, `work`; counts connections and calls.
#[derive(Clone, Debug, Default)]
struct Worker {
    connects: Arc<AtomicUsize>,
    calls: Arc<AtomicUsize>,
}

impl Worker {
    fn counts(&self) -> (usize, usize) {
        let count = |of: &AtomicUsize| of.load(Ordering::SeqCst);
        (count(&self.connects), count(&self.calls))
    }

    fn pool(&self, policy: SessionPolicy) -> ServerPool {
        let options = ServerOptions::new().with_policy(policy);
        ServerPool::builder()
            .server_with("s", Arc::new(self.clone()), options)
            .build()
    }
}

impl Connect for Worker {
    fn connect(
        &self,
        handler: Arc<dyn Handler<RequestContext>>,
    ) -> BoxFuture<'_, Result<Link, ConnectError>> {
        self.connects.fetch_add(1, Ordering::SeqCst);
        let calls = Arc::clone(&self.calls);
        let server = Server::builder("s", "1").tool(tool("work"), move |_: NoArgs, _| {
            calls.fetch_add(1, Ordering::SeqCst);
            async { Ok::<_, ToolError>("worked") }
        });
        let (ours, theirs) = memory(64);
        server.build().serve(theirs.0, theirs.1);
        let peer = mcp_peer::client(ours.0, ours.1, handler, PeerOptions::default());
        Box::pin(async move { Ok(Link::new(Arc::new(peer), Wire::Stream)) })
    }
}

/// One call of `s__work` or `work`, then an answer.
fn one_call(name: &str) -> ScriptedModel {
    ScriptedModel::new()
        .calls([call("c1", name, &json!({}))])
        .says("done")
}

/// What the model was told, by an agent that calls once.
async fn told(builder: ReactBuilder) -> String {
    let agent = builder.build().unwrap();
    let output = agent.run("go", RunOptions::new()).await.unwrap();
    assert_eq!(output.answer(), "done");
    shown(&output.state.messages).remove(2)
}

#[tokio::test]
async fn a04_an_answer_without_next_opens_no_connection() {
    let worker = Worker::default();
    let layers = ToolLayers::new().intercept(from_fn(|_, _| async { Ok("kept".into()) }));
    let tool = mcp_interceptors::BoundTool::new("s__work", "s", tool("work"));
    let call = ToolCall::new(Arc::new(tool), JsonMap::new());
    let pool = worker.pool(SessionPolicy::PerCall);
    let tools = layers.around(Arc::new(pool));
    assert_eq!(tools.call(call).await.unwrap().text(), "kept");
    assert_eq!(worker.counts(), (0, 0));
}

#[tokio::test]
async fn layers_stand_alike_around_sessions_of_every_kind_local_tools_and_direct_calls() {
    let worker = Worker::default();
    let pool = worker.pool(SessionPolicy::Pooled);
    let held = pool.hold("s").await.unwrap();
    let local = LocalTools::prefixed("s").tool(tool("work"), |_| async { Ok("worked".into()) });
    let toolsets: [Arc<dyn Toolset>; 4] = [
        Arc::new(pool),
        Arc::new(worker.pool(SessionPolicy::PerCall)),
        Arc::new(held),
        Arc::new(local),
    ];
    let marks = |call: ToolCall, next: Next| async move {
        let outcome = next.run(call).await?;
        Ok(format!("[{}]", outcome.text()).into())
    };
    for toolset in toolsets {
        let model = one_call("s__work");
        let by_agent = agent(&model).toolset(Arc::clone(&toolset));
        assert_eq!(told(by_agent.intercept(marks)).await, "c1: [worked]");

        let layers = ToolLayers::new().intercept(marks);
        let direct = Intercepted::new(toolset, &layers);
        let tool = direct.tools().await.tools.remove(0);
        let call = ToolCall::new(tool, JsonMap::new());
        assert_eq!(direct.call(call).await.unwrap().text(), "[worked]");
    }
}

/// A tool that gives these outcomes one after the other; the last one again and again.
fn giving<const N: usize>(
    outcomes: [fn() -> Result<CallToolResult, CallError>; N],
) -> (LocalTools, Arc<AtomicUsize>) {
    let count = Arc::new(AtomicUsize::new(0));
    let calls = Arc::clone(&count);
    let tools = LocalTools::new("s").tool(tool("work"), move |_| {
        let nth = calls.fetch_add(1, Ordering::SeqCst);
        let outcome = outcomes.get(nth).or_else(|| outcomes.last()).unwrap();
        std::future::ready(outcome().map(Into::into))
    });
    (tools, count)
}

#[tokio::test(start_paused = true)]
async fn a07_a_tool_that_reports_errors_is_called_until_it_does_not() {
    let failed = || Ok(CallToolResult::error("not yet"));
    let (tools, calls) = giving([failed, failed, || Ok(CallToolResult::text("worked"))]);
    let model = one_call("work");
    let layer = RetryLayer::new(3).tool_errors();
    let text = told(agent(&model).tools(tools).layer(layer)).await;
    assert_eq!(text, "c1: worked");
    assert_eq!(calls.load(Ordering::SeqCst), 3);
    assert_eq!(model.requests().len(), 2);
}

#[tokio::test]
async fn a09_a_text_stands_in_for_a_call_that_timed_out() {
    let (tools, _) = giving([|| Err(CallError::new(CallErrorKind::TimedOut, "too slow"))]);
    let model = one_call("work");
    let layer = FallbackLayer::to("cached").on([CallErrorKind::TimedOut]);
    let text = told(agent(&model).tools(tools).layer(layer)).await;
    assert_eq!(text, "c1: cached", "no mark of an error, the call's own id");
}

#[tokio::test]
async fn a10_a_layer_that_fails_is_told_to_the_model() {
    let (tools, calls) = giving([|| Ok(CallToolResult::text("worked"))]);
    let model = one_call("work");
    let fails = from_fn(|_, _| async { Err(CallError::layer("boom")) });
    let text = told(agent(&model).tools(tools).intercept(fails)).await;
    assert_eq!(text, "!c1: Tool work failed: boom");
    assert_eq!(model.requests().len(), 2);
    assert_eq!(calls.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn a17_an_answer_is_stamped_with_the_id_and_the_name_of_its_call() {
    let (tools, _) = giving([|| Ok(CallToolResult::text("worked"))]);
    let model = one_call("work");
    let wrong = from_fn(|_, _| async {
        let mut message = ToolMessage::text("mine");
        message.tool_call_id = Some("other".to_owned());
        message.name = Some("else".to_owned());
        Ok(message.into())
    });
    let agent = agent(&model).tools(tools).intercept(wrong).build().unwrap();
    let output = agent.run("go", RunOptions::new()).await.unwrap();
    let ChatMessage::Tool(answer) = &*output.state.messages[2] else {
        panic!("an answer");
    };
    assert_eq!((&*answer.tool_call_id, &*answer.name), ("c1", "work"));
}

struct User(&'static str);

/// What a layer finds of the run that makes the call.
async fn found(call: &ToolCall) -> Option<String> {
    let runtime = call.runtime()?;
    let state: &ReactState = runtime.state()?;
    let User(user) = runtime.context()?;
    let place = Namespace::new(["likes"]).ok()?;
    let likes = runtime.store()?.get(place, *user).await.ok()??;
    Some(format!(
        "{} messages, {user} likes {}, call {}, thread {}",
        state.messages.len(),
        likes.value,
        runtime.tool_call_id(),
        runtime.info().thread?
    ))
}

#[tokio::test]
async fn a18_a_layer_finds_state_context_store_id_and_thread_and_outside_a_graph_nothing() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let place = Namespace::new(["likes"]).unwrap();
    store.put(place, "ada", "lamps").await.unwrap();
    let tells = from_fn(|call: ToolCall, next: Next| async move {
        match found(&call).await {
            Some(found) => Ok(found.into()),
            None => next.run(call).await,
        }
    });
    let (tools, _) = giving([|| Ok(CallToolResult::text("worked"))]);
    let model = one_call("work");
    let agent = agent(&model)
        .tools(tools.clone())
        .intercept(tells)
        .store(store)
        .checkpointer(Arc::new(MemoryCheckpointer::new()))
        .build()
        .unwrap();
    let options = RunOptions::new().thread("t-1").context(User("ada"));
    let output = agent.run("go", options).await.unwrap();
    assert_eq!(
        shown(&output.state.messages)[2],
        "c1: 2 messages, ada likes \"lamps\", call c1, thread t-1"
    );

    let outside = ToolLayers::new().intercept(tells).around(Arc::new(tools));
    let tool = outside.tools().await.tools.remove(0);
    let call = ToolCall::new(tool, JsonMap::new());
    assert!(call.runtime().is_none());
    assert_eq!(outside.call(call).await.unwrap().text(), "worked");
}

#[tokio::test]
async fn j13_a_layer_and_the_tool_see_the_same_arguments() {
    let args = r#"{"path": "safe", "Path": "look-alike", "path": "evil", "path\u0000": "x"}"#;
    let model = ScriptedModel::new()
        .calls([ToolUse::new("c1", "work", args)])
        .says("done");
    let seen = Arc::new(Mutex::new(Vec::new()));
    let notes = Arc::clone(&seen);
    let tools = LocalTools::new("s").tool(tool("work"), move |call: ToolCall| {
        notes.lock().unwrap().push(call.args().clone());
        std::future::ready(Ok("worked".into()))
    });
    let notes = Arc::clone(&seen);
    let looks = from_fn(move |call: ToolCall, next: Next| {
        notes.lock().unwrap().push(call.args().clone());
        async move { next.run(call).await }
    });
    told(agent(&model).tools(tools).intercept(looks)).await;
    let seen = seen.lock().unwrap();
    assert_eq!(seen.len(), 2);
    assert_eq!(seen[0], seen[1]);
    assert_eq!(seen[0]["path"], "evil", "one value, whichever it is");
    assert_eq!(seen[0].len(), 3, "other spellings are other arguments");
}

#[tokio::test]
async fn i03_links_and_structure_reach_the_model_and_errors_stay_errors() {
    let result: fn() -> _ = || {
        let link = Resource::new("demo://r/1", "n").with_description("d");
        let mut result = CallToolResult::new(vec![ContentBlock::resource_link(link)])
            .with_structured_content(json!({"a": 1}));
        result.is_error = Some(true);
        Ok(result)
    };
    let (tools, _) = giving([result]);
    let model = one_call("work");
    let layer = ShowStructuredLayer::new(ShowStructured::Always);
    let agent = agent(&model).tools(tools).layer(layer).build().unwrap();
    let output = agent.run("go", RunOptions::new()).await.unwrap();
    let ChatMessage::Tool(answer) = &*output.state.messages[2] else {
        panic!("an answer");
    };
    assert!(answer.is_error);
    assert!(matches!(&answer.content[0], ContentBlock::ResourceLink(link) if link.name == "n"));
    assert_eq!(answer.content[1].as_text(), Some(r#"{"a":1}"#));
    let stored = &output.state.tool_results["c1"];
    assert_eq!(stored.structured, Some(json!({"a": 1})));
}

#[tokio::test]
async fn a_question_of_approval_stops_the_run_and_each_decision_is_obeyed() {
    for (decision, expected, calls) in [
        (json!(true), "c1: worked with {\"n\":1}", 1),
        (
            json!({"type": "edit", "args": {"n": 2}}),
            "c1: [The user had this call made with other arguments: {\"n\":2}]\n\
             worked with {\"n\":2}",
            1,
        ),
        (
            json!({"type": "respond", "message": "no need"}),
            "c1: no need",
            0,
        ),
        (
            json!({"type": "reject", "message": "too risky"}),
            "!c1: Tool work failed: the call was rejected: too risky",
            0,
        ),
    ] {
        let count = Arc::new(AtomicUsize::new(0));
        let counts = Arc::clone(&count);
        let tools = LocalTools::new("s").tool(tool("work"), move |call: ToolCall| {
            counts.fetch_add(1, Ordering::SeqCst);
            let args = Value::Object(call.into_args());
            std::future::ready(Ok(format!("worked with {args}").into()))
        });
        let model = ScriptedModel::new()
            .calls([call("c1", "work", &json!({"n": 1}))])
            .says("done");
        let agent = agent(&model)
            .tools(tools)
            .layer(ApproveLayer::new())
            .checkpointer(Arc::new(MemoryCheckpointer::new()))
            .build()
            .unwrap();
        let thread = || RunOptions::new().thread("t");
        let output = agent.run("go", thread()).await.unwrap();
        let question = &output.interrupts()[0].value;
        assert_eq!(question["args"], json!({"n": 1}));
        assert_eq!(count.load(Ordering::SeqCst), 0);
        let output = agent.run(Input::Answer(decision), thread()).await.unwrap();
        assert_eq!(shown(&output.state.messages)[2], expected);
        assert_eq!(count.load(Ordering::SeqCst), calls);
        assert_eq!(output.stop_reason(), None::<AgentStop>, "no failed round");
    }
}

#[tokio::test(start_paused = true)]
async fn a_run_that_is_cancelled_in_the_pause_of_a_retry_calls_no_more() {
    let (tools, calls) = giving([|| Err(CallError::new(CallErrorKind::Connect, "down"))]);
    let model = one_call("work");
    let minute = Duration::from_secs(60);
    let layer = RetryLayer::new(9).backoff(Backoff::new(minute, minute));
    let agent = agent(&model).tools(tools).layer(layer).build().unwrap();
    let cancel = CancellationToken::new();
    let options = RunOptions::new().cancel(cancel.clone());
    let run = tokio::spawn(async move { agent.run("go", options).await });
    tokio::time::sleep(Duration::from_secs(5)).await;
    cancel.cancel();
    let error = run.await.unwrap().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Cancelled);
    tokio::time::sleep(10 * minute).await;
    assert_eq!(calls.load(Ordering::SeqCst), 1);
}
