//! Calls of tools that become tasks, in both shapes.

use std::sync::Arc;
use std::time::Duration;

use mcp_client::{
    CallOptions, Called, Change, Changes, ClientOptions, Error, Handlers, Origin, PoolError,
    ServerOptions, ServerPool, Session, TaskError, TaskHandle,
};
use mcp_protocol::elicitation::{ElicitRequestFormParams, RequestedSchema, StringSchema};
use mcp_protocol::lifecycle::Preference;
use mcp_protocol::tasks::ListTasks;
use mcp_protocol::{
    CallToolParams, ProtocolVersion, TaskMetadata, TaskStatus, TaskSupport, Tool, ToolExecution,
};
use mcp_server::{Context, NoArgs, Server, TaskOptions, ToolError};
use mcp_transport::{BoxFuture, CallError, Delivery, Progress};
use serde_json::{Value, json};
use tokio::sync::{Notify, mpsc};

use crate::connects::{
    Local, Scripted, discovered, options, scripted, session, stateless, welcome,
};
use crate::handlers::Ada;

const CORE: ProtocolVersion = ProtocolVersion::V2025_11_25;
const BOTH: [ProtocolVersion; 2] = [CORE, ProtocolVersion::V2026_07_28];
const EXTENSION: &str = "io.modelcontextprotocol/tasks";

fn tool(name: &str, support: TaskSupport) -> Tool {
    let execution = ToolExecution::new().with_task_support(support);
    Tool::new(name, json!({"type": "object"})).with_execution(execution)
}

async fn ask_name(cx: &Context) -> Result<String, ToolError> {
    let schema = RequestedSchema::new().with_required("name", StringSchema::new());
    let form = ElicitRequestFormParams::new("name?", schema);
    let answer = cx.elicit("name", form).await?;
    let content = answer.content.unwrap_or_default();
    Ok(content["name"].as_str().unwrap_or_default().to_owned())
}

async fn wait(cx: Context, go: Arc<Notify>) -> Result<String, ToolError> {
    cx.become_task().await;
    go.notified().await;
    cx.progress(Progress::new(0.5)).await;
    Ok("waited".to_owned())
}

/// `go` lets a tool end that waits.
fn server(go: &Arc<Notify>) -> Server {
    let waits = Arc::clone(go);
    Server::builder("tasks", "1.0.0")
        .tool(
            tool("wait", TaskSupport::Optional),
            move |_: NoArgs, cx: Context| wait(cx, Arc::clone(&waits)),
        )
        .tool(
            tool("must", TaskSupport::Required),
            |_: NoArgs, cx: Context| async move {
                cx.require_task().await?;
                Ok("done")
            },
        )
        .tool(
            tool("ask", TaskSupport::Optional),
            |_: NoArgs, cx: Context| async move {
                cx.become_task().await;
                ask_name(&cx).await
            },
        )
        .tool(
            tool("fail", TaskSupport::Optional),
            |_: NoArgs, cx: Context| async move {
                cx.become_task().await;
                Err::<(), _>(ToolError::new("on purpose"))
            },
        )
        .tool(
            tool("never", TaskSupport::Forbidden),
            |_: NoArgs, _: Context| async { Ok("at once") },
        )
        .tasks(TaskOptions::default())
        .build()
}

async fn connect(version: ProtocolVersion, options: ClientOptions) -> (Session, Arc<Notify>) {
    let go = Arc::new(Notify::new());
    let options = options.with_versions([version]);
    let local = Local::new(server(&go));
    let session = Session::connect(&*local, options).await.unwrap();
    (session, go)
}

async fn task(session: &Session, name: &str) -> TaskHandle {
    let params = CallToolParams::new(name);
    let called = session.call_tool_task(params, &CallOptions::new()).await;
    let task = match called.unwrap() {
        Called::Task(task) => Some(*task),
        Called::Done(_) => None,
    };
    task.unwrap()
}

fn call(name: &str) -> CallToolParams {
    CallToolParams::new(name)
}

#[tokio::test(start_paused = true)]
async fn proto_75_a_task_is_followed_to_its_end_in_both_shapes() {
    for version in BOTH {
        let (session, go) = connect(version, options()).await;
        let mut waits = task(&session, "wait").await;
        assert_eq!(waits.task().status, TaskStatus::Working);
        let looked = waits.refresh().await.unwrap();
        assert_eq!(looked.status, TaskStatus::Working, "{version}");
        go.notify_one();
        let result = waits.wait().await.unwrap();
        assert_eq!(result.first_text(), Some("waited"), "{version}");

        let result = task(&session, "fail").await.wait().await.unwrap();
        assert!(result.is_error(), "{version}");
        // A tool that cannot be a task is called as any.
        let options = CallOptions::new();
        let called = session.call_tool_task(call("never"), &options).await;
        let result = called.unwrap().wait().await.unwrap();
        assert_eq!(result.first_text(), Some("at once"));
    }
}

#[tokio::test(start_paused = true)]
async fn proto_72_a_tool_that_has_to_be_a_task_is_called_as_one() {
    // The list has not been fetched: the server's refusal shows that it is needed.
    let (session, _go) = connect(CORE, options()).await;
    let result = session.call_tool(call("must"), &CallOptions::new()).await;
    assert_eq!(result.unwrap().first_text(), Some("done"));

    // The wish of a program counts only where the tool allows it.
    let asked = call("never").with_task(TaskMetadata::new());
    let result = session.call_tool(asked, &CallOptions::new()).await;
    assert_eq!(result.unwrap().first_text(), Some("at once"));
}

#[tokio::test(start_paused = true)]
async fn a_task_that_the_server_makes_of_a_call_is_waited_for_where_that_was_declared() {
    let (session, _go) = connect(ProtocolVersion::LATEST, options().with_tasks()).await;
    let result = session.call_tool(call("must"), &CallOptions::new()).await;
    assert_eq!(result.unwrap().first_text(), Some("done"));

    let (session, _go) = connect(ProtocolVersion::LATEST, options()).await;
    let plain = session.call_tool(call("must"), &CallOptions::new()).await;
    assert_eq!(plain.unwrap_err().remote().unwrap().code.0, -32021);
    let options = CallOptions::new().with_tasks();
    let result = session.call_tool(call("must"), &options).await;
    assert_eq!(result.unwrap().first_text(), Some("done"));
}

#[tokio::test]
async fn proto_73_a_task_that_nobody_has_declared_is_no_answer() {
    let (session, peer) = stateless(json!({"tools": {}}), options(), |mut peer| async move {
        let call = peer.expect("tools/call").await;
        let meta = &call["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"];
        assert_eq!(*meta, json!({}));
        peer.answer(&call, created("t1", 1)).await;
    })
    .await;
    let error = session
        .call_tool(call("t"), &CallOptions::new())
        .await
        .unwrap_err();
    assert!(matches!(error, Error::ResultType { .. }), "{error}");
    peer.finish().await;
}

#[tokio::test(start_paused = true)]
async fn what_a_task_asks_is_answered_by_the_handlers_in_both_shapes() {
    for version in BOTH {
        let handlers = Handlers::new().with_elicitation(Ada);
        let (session, _go) = connect(version, options().with_handlers(handlers)).await;
        let result = task(&session, "ask").await.wait().await.unwrap();
        assert_eq!(result.first_text(), Some("Ada"), "{version}");
    }
}

fn created(id: &str, poll_ms: u64) -> Value {
    let mut task = detailed(id, "working");
    task["resultType"] = json!("task");
    task["pollIntervalMs"] = json!(poll_ms);
    task
}

fn detailed(id: &str, status: &str) -> Value {
    json!({
        "resultType": "complete", "taskId": id, "status": status, "ttlMs": null,
        "createdAt": "2026-12-01T00:00:00Z", "lastUpdatedAt": "2026-12-01T00:00:00Z",
    })
}

fn with_extension() -> Value {
    json!({"tools": {}, "extensions": { EXTENSION: {} }})
}

#[tokio::test(start_paused = true)]
async fn proto_75_a_question_is_answered_once_and_looks_come_as_often_as_the_server_says() {
    let options = options().with_handlers(Handlers::new().with_elicitation(Ada));
    let (session, peer) = stateless(with_extension(), options, |mut peer| async move {
        let call = peer.expect("tools/call").await;
        let declared = &call["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"];
        assert_eq!(declared["extensions"], json!({ EXTENSION: {} }));
        assert!(call["params"].get("task").is_none());
        peer.answer(&call, created("t1", 5000)).await;

        let schema = json!({"type": "object", "properties": {"name": {"type": "string"}}});
        let question = json!({"method": "elicitation/create",
            "params": {"message": "name?", "requestedSchema": schema}});
        let mut asking = detailed("t1", "input_required");
        asking["pollIntervalMs"] = json!(5000);
        asking["inputRequests"] = json!({"who": question});
        let look = peer.expect("tasks/get").await;
        assert_eq!(look["params"]["taskId"], "t1");
        peer.answer(&look, asking.clone()).await;
        let update = peer.expect("tasks/update").await;
        let answers = json!({"who": {"action": "accept", "content": {"name": "Ada"}}});
        assert_eq!(update["params"]["inputResponses"], answers);
        peer.answer(&update, json!({"resultType": "complete"}))
            .await;

        // The server has not seen the answer yet, and says the same again.
        let before = tokio::time::Instant::now();
        let look = peer.expect("tasks/get").await;
        assert_eq!(before.elapsed(), Duration::from_secs(5));
        peer.answer(&look, asking).await;
        let look = peer.expect("tasks/get").await;
        let mut done = detailed("t1", "completed");
        done["result"] = json!({"content": [{"type": "text", "text": "done"}]});
        peer.answer(&look, done).await;
    })
    .await;
    let result = task(&session, "t").await.wait().await.unwrap();
    assert_eq!(result.first_text(), Some("done"));
    peer.finish().await;
}

#[tokio::test(start_paused = true)]
async fn a_task_that_has_failed_ends_in_the_server_s_error() {
    let (session, peer) = stateless(with_extension(), options(), |mut peer| async move {
        for error in [json!({"code": -32000, "message": "no luck"}), Value::Null] {
            let call = peer.expect("tools/call").await;
            peer.answer(&call, created("t1", 1)).await;
            let look = peer.expect("tasks/get").await;
            let mut failed = detailed("t1", "failed");
            failed["error"] = error;
            failed["statusMessage"] = json!("out of luck");
            peer.answer(&look, failed).await;
        }
    })
    .await;
    let error = task(&session, "t").await.wait().await.unwrap_err();
    assert_eq!(error.remote().unwrap().message, "no luck");
    let error = task(&session, "t").await.wait().await.unwrap_err();
    assert_eq!(
        error.chain(),
        "the task `t1` of the call has no result: it has failed: out of luck"
    );
    peer.finish().await;
}

#[tokio::test(start_paused = true)]
async fn a_task_that_was_cancelled_says_so_in_both_shapes() {
    for version in BOTH {
        let (session, _go) = connect(version, options()).await;
        let mut waits = task(&session, "wait").await;
        waits.cancel().await.unwrap();
        let error = waits.wait().await.unwrap_err();
        let cancelled = matches!(
            &error,
            Error::Task {
                source: TaskError::Cancelled,
                ..
            }
        );
        assert!(cancelled, "{version}: {error}");
        assert_eq!(error.delivery(), Delivery::Unknown);
        // It can be found by its id, too.
        let id = waits.id().to_owned();
        let found = session.task(id, &CallOptions::new()).await.unwrap();
        assert_eq!(found.task().status, TaskStatus::Cancelled);
        let none = session.task("no such task", &CallOptions::new()).await;
        assert_eq!(none.unwrap_err().remote().unwrap().code.0, -32602);
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_nobody_waits_for_gives_its_task_up() {
    let script = |mut peer: mcp_testkit::ScriptedPeer| async move {
        for _ in 0..2 {
            let call = peer.expect("tools/call").await;
            peer.answer(&call, created("t1", 60_000)).await;
            let look = peer.expect("tasks/get").await;
            peer.answer(&look, detailed("t1", "working")).await;
            let cancel = peer.expect("tasks/cancel").await;
            assert_eq!(cancel["params"]["taskId"], "t1");
            peer.answer(&cancel, json!({"resultType": "complete"}))
                .await;
        }
    };
    let (session, peer) = stateless(with_extension(), options().with_tasks(), script).await;
    // Dropped.
    let limit = Duration::from_secs(3);
    let options = CallOptions::new();
    let called = tokio::time::timeout(limit, session.call_tool(call("t"), &options)).await;
    assert!(called.is_err());
    tokio::time::sleep(Duration::from_millis(1)).await;
    // Out of time: the limit in all is one for the task, too.
    let options = CallOptions::new().with_timeout(limit);
    let error = session.call_tool(call("t"), &options).await.unwrap_err();
    assert!(
        matches!(error, Error::Call(CallError::TimedOut { .. })),
        "{error}"
    );
    peer.finish().await;
}

#[tokio::test(start_paused = true)]
async fn a_task_whose_connection_ends_is_lost_and_its_call_not_repeated() {
    let server = Scripted::new(|_, mut peer| async move {
        discovered(&mut peer, &with_extension()).await;
        let call = peer.expect("tools/call").await;
        peer.answer(&call, created("t1", 1)).await;
        peer.expect("tasks/get").await;
        peer.hang_up().await;
    });
    let options = ServerOptions::new().with_preference(Preference::Stateless);
    let pool = ServerPool::builder()
        .tasks()
        .server_with("s", Arc::clone(&server) as _, options)
        .build();
    let called = pool.call_tool("s", call("t"), &CallOptions::new()).await;
    let error = called.unwrap_err();
    assert!(
        matches!(error, PoolError::OutcomeUnknown { .. }),
        "{error:?}"
    );
    let connects = server.connects.load(std::sync::atomic::Ordering::SeqCst);
    assert_eq!(connects, 1);
    server.finish().await;
}

#[tokio::test]
async fn the_tasks_of_a_server_are_listed_in_the_core_only() {
    let (session, _go) = connect(CORE, options()).await;
    let waits = task(&session, "wait").await;
    let list = session
        .list::<ListTasks>(&CallOptions::new())
        .await
        .unwrap();
    assert_eq!(list.items[0].task_id, waits.id());

    let (session, _go) = connect(ProtocolVersion::LATEST, options()).await;
    let error = session.list::<ListTasks>(&CallOptions::new()).await;
    assert!(matches!(error.unwrap_err(), Error::NotNegotiated(_)));
}

#[derive(Debug)]
struct Tell(mpsc::UnboundedSender<(Change, Origin)>);

impl Changes for Tell {
    fn changed(&self, change: Change, origin: Origin) -> BoxFuture<'_, ()> {
        self.0.send((change, origin)).unwrap();
        Box::pin(std::future::ready(()))
    }
}

fn core_task(status: &str) -> Value {
    json!({
        "taskId": "t1", "status": status, "ttl": 60000, "pollInterval": 3_600_000,
        "createdAt": "2026-12-01T00:00:00Z", "lastUpdatedAt": "2026-12-01T00:00:00Z",
    })
}

#[tokio::test]
async fn the_core_is_asked_for_its_result_and_reports_under_the_token_of_the_call() {
    let (told, mut changes) = mpsc::unbounded_channel();
    let capabilities = json!({"tools": {}, "tasks": {"requests": {"tools": {"call": {}}}}});
    let options = options().with_handlers(Handlers::new().with_changes(Tell(told)));
    let (session, peer) = scripted(capabilities, options, |mut peer| async move {
        let list = peer.expect("tools/list").await;
        let tool = json!({"name": "t", "inputSchema": {"type": "object"},
            "execution": {"taskSupport": "optional"}});
        peer.answer(&list, json!({ "tools": [tool] })).await;
        let call = peer.expect("tools/call").await;
        assert_eq!(call["params"]["task"], json!({"ttl": 1000}));
        let token = call["params"]["_meta"]["progressToken"].clone();
        peer.answer(&call, json!({"task": core_task("working")}))
            .await;
        let wait = peer.expect("tasks/result").await;
        peer.notify("notifications/tasks/status", core_task("working"))
            .await;
        let report = json!({"progressToken": token, "progress": 0.5});
        peer.notify("notifications/progress", report).await;
        peer.answer(&wait, json!({"content": []})).await;
    })
    .await;
    let (seen, mut reports) = mpsc::unbounded_channel();
    let options = CallOptions::new().with_progress(move |report| {
        seen.send(report.progress).unwrap();
    });
    let params = call("t").with_task(TaskMetadata::new().with_ttl(1000_u64));
    let called = session.call_tool_task(params, &options).await.unwrap();
    called.wait().await.unwrap();
    assert_eq!(reports.recv().await, Some(0.5));
    let (change, origin) = changes.recv().await.unwrap();
    let Change::Task { task } = change else {
        panic!("{change:?}");
    };
    assert_eq!(task.task.task_id, "t1");
    assert_eq!(origin.tool.as_deref(), Some("t"));
    peer.finish().await;
}

#[tokio::test(start_paused = true)]
async fn news_of_a_task_is_a_reason_to_look_at_once() {
    let (session, peer) = stateless(with_extension(), options(), |mut peer| async move {
        let call = peer.expect("tools/call").await;
        peer.answer(&call, created("t1", 3_600_000)).await;
        let look = peer.expect("tasks/get").await;
        peer.answer(&look, detailed("t1", "working")).await;
        let mut done = detailed("t1", "completed");
        done["result"] = json!({"content": []});
        let begun = tokio::time::Instant::now();
        peer.notify("notifications/tasks", done.clone()).await;
        let look = peer.expect("tasks/get").await;
        assert!(begun.elapsed() < Duration::from_secs(1));
        peer.answer(&look, done).await;
    })
    .await;
    task(&session, "t").await.wait().await.unwrap();
    peer.finish().await;
}

#[tokio::test]
async fn what_was_not_negotiated_is_refused_without_a_message() {
    let script = |mut peer: mcp_testkit::ScriptedPeer| async move {
        assert_eq!(peer.receive().await, None);
    };
    let (session, peer) = scripted(json!({"tools": {}}), options(), script).await;
    let error = session.task("t", &CallOptions::new()).await.unwrap_err();
    assert!(matches!(error, Error::NotNegotiated(_)), "{error}");
    session.close().await;
    peer.finish().await;

    // An old server that knows no tasks is called as ever.
    let plain = Scripted::new(|_, mut peer| async move {
        welcome(&mut peer, &json!({"tools": {}})).await;
        let call = peer.expect("tools/call").await;
        assert!(call["params"].get("task").is_none());
        peer.answer(&call, json!({"content": []})).await;
    });
    let options = options()
        .with_preference(Preference::Handshake)
        .with_tasks();
    let session = Session::connect(&*plain, options).await.unwrap();
    let called = session.call_tool_task(call("t"), &CallOptions::new()).await;
    assert!(matches!(called.unwrap(), Called::Done(_)));
    plain.finish().await;
}

#[tokio::test]
async fn proto_31_a_task_of_the_core_reports_by_the_token_of_its_call_until_it_has_ended() {
    let go = Arc::new(Notify::new());
    let session = session(server(&go), CORE).await;
    let (seen, mut reports) = mpsc::unbounded_channel();
    let options = CallOptions::new().with_progress(move |report| {
        seen.send(report.progress).unwrap();
    });
    let params = CallToolParams::new("wait");
    let called = session.call_tool_task(params, &options).await.unwrap();
    let Called::Task(mut task) = called else {
        panic!("no task");
    };
    // What is asked second is answered when the first has been asked.
    let let_go = async {
        session.list_tools().await.unwrap();
        go.notify_one();
    };
    let (result, ()) = tokio::join!(task.wait(), let_go);
    assert_eq!(result.unwrap().text_content(), "waited");
    assert_eq!(reports.recv().await, Some(0.5));
    session.close().await;
}
