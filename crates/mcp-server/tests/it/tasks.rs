//! Tasks, in the shape of 2025-11-25 and in that of the extension.

use std::sync::Arc;
use std::time::Duration;

use mcp_protocol::elicitation::{ElicitRequestFormParams, RequestedSchema, StringSchema};
use mcp_protocol::{ProtocolVersion, TaskSupport, Tool, ToolExecution};
use mcp_server::{Changes, Context, NoArgs, Server, ServerBuilder, TaskOptions, ToolError};
use mcp_transport::{Handler, Progress, Session};
use serde_json::{Value, json};
use tokio::sync::Notify;
use tokio::time::advance;

use crate::rig::{Client, code, text};

const CORE: ProtocolVersion = ProtocolVersion::V2025_11_25;
const EXTENSION: &str = "io.modelcontextprotocol/tasks";

fn tool(name: &str, support: Option<TaskSupport>) -> Tool {
    let mut tool = Tool::new(name, json!({"type": "object"}));
    tool.execution = support.map(|support| ToolExecution::new().with_task_support(support));
    tool
}

async fn ask_name(cx: &Context) -> Result<String, ToolError> {
    let schema = RequestedSchema::new().with_required("name", StringSchema::new());
    let answer = cx
        .elicit("name", ElicitRequestFormParams::new("?", schema))
        .await?;
    let content = answer.content.unwrap_or_default();
    Ok(content["name"].as_str().unwrap_or_default().to_owned())
}

/// `go` lets the tools end that wait.
fn builder(go: &Arc<Notify>) -> ServerBuilder {
    let optional = Some(TaskSupport::Optional);
    let waits = go.clone();
    Server::builder("tasks", "1.0.0")
        .tool(
            tool("wait", optional.clone()),
            move |_: NoArgs, cx: Context| wait(cx, waits.clone()),
        )
        .tool(
            tool("fail", optional.clone()),
            |_: NoArgs, cx: Context| async move {
                cx.become_task().await;
                Err::<(), _>(ToolError::new("on purpose"))
            },
        )
        .tool(tool("ask", optional), |_: NoArgs, cx: Context| async move {
            cx.become_task().await;
            ask_name(&cx).await
        })
        .tool(
            tool("ask_first", None),
            |_: NoArgs, cx: Context| async move {
                let name = ask_name(&cx).await?;
                cx.become_task().await;
                Ok(name)
            },
        )
        .tool(
            tool("require", Some(TaskSupport::Required)),
            |_: NoArgs, cx: Context| async move {
                cx.require_task().await?;
                Ok("done")
            },
        )
        .tool(tool("never", None), |_: NoArgs, _: Context| async {
            Ok("never a task")
        })
        .tasks(TaskOptions::default())
}

async fn wait(cx: Context, go: Arc<Notify>) -> Result<String, ToolError> {
    cx.become_task().await;
    cx.progress(Progress::new(1.0)).await;
    go.notified().await;
    cx.progress(Progress::new(2.0)).await;
    Ok("waited".to_owned())
}

fn server() -> (Server, Arc<Notify>) {
    let go = Arc::new(Notify::new());
    (builder(&go).build(), go)
}

/// A client of the newest revision that declares the extension.
fn newest(server: &Server) -> Client {
    let extensions = json!({ EXTENSION: {} });
    let offered = json!({"elicitation": {}, "extensions": extensions});
    Client::new(server, ProtocolVersion::LATEST).offering(offered)
}

fn core(server: &Server) -> Client {
    Client::new(server, CORE).offering(json!({"elicitation": {}}))
}

async fn as_task(client: &Client, name: &str) -> Value {
    let params = json!({"name": name, "task": {}});
    client.request("tools/call", params).await.unwrap()
}

async fn tasks(client: &Client, method: &'static str, id: &Value) -> Value {
    client
        .request(method, json!({ "taskId": id }))
        .await
        .unwrap()
}

/// Looks at a task until it has this status.
async fn until(client: &Client, id: &Value, status: &str) -> Value {
    for _ in 0..100 {
        let task = tasks(client, "tasks/get", id).await;
        if task["status"] == status {
            return task;
        }
        tokio::task::yield_now().await;
    }
    panic!("the task did not become {status}");
}

#[test]
fn tasks_are_declared_as_each_revision_has_them() {
    let (server, _) = server();
    let identity = server.identity();
    let declared = |version| serde_json::to_value(identity.capabilities_in(version)).unwrap();
    let core = declared(CORE);
    assert_eq!(core["tasks"]["requests"], json!({"tools": {"call": {}}}));
    assert!(core.get("extensions").is_none());
    let newest = declared(ProtocolVersion::LATEST);
    assert!(newest.get("tasks").is_none());
    assert_eq!(newest["extensions"], json!({ EXTENSION: {} }));
    let older = declared(ProtocolVersion::V2025_06_18);
    assert!(older.get("tasks").is_none() && older.get("extensions").is_none());
}

#[tokio::test]
async fn proto_73_a_handler_makes_a_task_only_for_who_has_declared_the_extension() {
    let (server, go) = server();
    let client = newest(&server);
    let created = client.call_tool("wait", json!({})).await;
    assert_eq!(created["resultType"], "task");
    assert_eq!(created["status"], "working");
    assert!(created["ttlMs"].as_u64().unwrap() > 0);
    assert!(created["pollIntervalMs"].is_u64());
    for absent in ["task", "ttl", "pollInterval", "result", "content"] {
        assert!(created.get(absent).is_none(), "{absent}");
    }
    // It is there before the answer is.
    let id = &created["taskId"];
    let working = tasks(&client, "tasks/get", id).await;
    assert_eq!(
        (&working["status"], &working["resultType"]),
        (&json!("working"), &json!("complete"))
    );

    go.notify_one();
    let done = until(&client, id, "completed").await;
    assert_eq!(text(&done["result"]), "waited");
    assert!(done["result"].get("_meta").is_none());

    let plain = Client::new(&server, ProtocolVersion::LATEST);
    go.notify_one();
    let result = plain.call_tool("wait", json!({})).await;
    assert_eq!(
        (text(&result), &result["resultType"]),
        ("waited", &json!("complete"))
    );
}

#[tokio::test]
async fn proto_74_tasks_of_who_has_not_declared_the_extension_are_refused() {
    let (server, _) = server();
    let client = newest(&server);
    let created = client.call_tool("wait", json!({})).await;
    let id = json!({"taskId": created["taskId"], "inputResponses": {}});
    let plain = Client::new(&server, ProtocolVersion::LATEST);
    for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
        let error = plain.request(method, id.clone()).await.unwrap_err();
        assert_eq!(error.code.0, -32021, "{method}");
        let data: Value = serde_json::from_str(error.data.unwrap().get()).unwrap();
        assert_eq!(
            data,
            json!({"requiredCapabilities": {"extensions": { EXTENSION: {} }}})
        );
        assert!(client.request(method, id.clone()).await.is_ok(), "{method}");
    }
    for method in ["tasks/result", "tasks/list"] {
        assert_eq!(
            code(&client.request(method, id.clone()).await),
            -32601,
            "{method}"
        );
    }
    let older = Client::new(&server, ProtocolVersion::V2025_06_18);
    for method in [
        "tasks/get",
        "tasks/update",
        "tasks/cancel",
        "tasks/result",
        "tasks/list",
    ] {
        assert_eq!(
            code(&older.request(method, id.clone()).await),
            -32601,
            "{method}"
        );
    }
}

#[tokio::test]
async fn work_that_needs_a_task_is_refused_to_who_knows_none() {
    let (server, _) = server();
    let plain = Client::new(&server, ProtocolVersion::LATEST);
    let answer = plain
        .request("tools/call", json!({"name": "require"}))
        .await;
    assert_eq!(code(&answer), -32021);
    let created = newest(&server).call_tool("require", json!({})).await;
    assert_eq!(created["resultType"], "task");
}

#[tokio::test]
async fn a_tool_that_failed_is_completed_in_the_extension_and_failed_in_the_core() {
    let (server, _) = server();
    let client = newest(&server);
    let created = client.call_tool("fail", json!({})).await;
    let done = until(&client, &created["taskId"], "completed").await;
    assert_eq!(done["result"]["isError"], true);

    let client = core(&server);
    let created = as_task(&client, "fail").await;
    until(&client, &created["task"]["taskId"], "failed").await;
    let result = tasks(&client, "tasks/result", &created["task"]["taskId"]).await;
    assert_eq!(
        (text(&result), &result["isError"]),
        ("on purpose", &json!(true))
    );
}

#[tokio::test]
async fn what_a_task_asks_is_answered_by_update() {
    let (server, _) = server();
    let client = newest(&server);
    let id = client.call_tool("ask", json!({})).await["taskId"].clone();
    let asking = until(&client, &id, "input_required").await;
    let question = &asking["inputRequests"]["name"];
    assert_eq!(question["method"], "elicitation/create");

    let update = async |answers: Value| {
        let params = json!({"taskId": id, "inputResponses": answers});
        client.request("tasks/update", params).await.unwrap()
    };
    let ack = update(json!({"unknown": {}, "name": {"action": "accept", "content": {}}})).await;
    assert_eq!(ack["resultType"], "complete");
    assert!(ack.get("status").is_none());
    // That was no answer: it is asked again, under a key that was not used before.
    tokio::task::yield_now().await;
    let asking = until(&client, &id, "input_required").await;
    let keys: Vec<_> = asking["inputRequests"]
        .as_object()
        .unwrap()
        .keys()
        .collect();
    assert_eq!(keys, ["name#2"]);
    update(json!({"name#2": {"action": "accept", "content": {"name": "Ada"}}})).await;
    let done = until(&client, &id, "completed").await;
    assert_eq!(text(&done["result"]), "Ada");
    assert!(done.get("inputRequests").is_none());
}

#[tokio::test]
async fn rounds_come_before_the_task() {
    let (server, _) = server();
    let client = newest(&server);
    let asked = client.call_tool("ask_first", json!({})).await;
    assert_eq!(asked["resultType"], "input_required");
    let answers = json!({"name": {"action": "accept", "content": {"name": "Ada"}}});
    let params = json!({"name": "ask_first", "inputResponses": answers});
    let created = client.request("tools/call", params).await.unwrap();
    assert_eq!(created["resultType"], "task");
    let done = until(&client, &created["taskId"], "completed").await;
    assert_eq!(text(&done["result"]), "Ada");
}

#[tokio::test]
async fn a_task_that_is_given_up_ends_at_once_and_for_good() {
    let (server, go) = server();
    let client = newest(&server);
    let id = client.call_tool("wait", json!({})).await["taskId"].clone();
    for _ in 0..2 {
        let ack = tasks(&client, "tasks/cancel", &id).await;
        assert_eq!(ack["resultType"], "complete");
        assert!(ack.get("taskId").is_none());
    }
    go.notify_one();
    tokio::task::yield_now().await;
    assert_eq!(
        tasks(&client, "tasks/get", &id).await["status"],
        "cancelled"
    );
}

#[tokio::test]
async fn proto_70_the_result_of_a_task_is_waited_for_and_names_it() {
    let (server, go) = server();
    let client = core(&server);
    let created = as_task(&client, "wait").await;
    let task = &created["task"];
    assert_eq!(task["status"], "working");
    assert!(task["ttl"].is_u64() && task["pollInterval"].is_u64());
    assert!(created.get("resultType").is_none());
    let id = task["taskId"].clone();

    let waiting = {
        let (client, id) = (client.clone(), id.clone());
        tokio::spawn(async move { tasks(&client, "tasks/result", &id).await })
    };
    tokio::task::yield_now().await;
    assert!(!waiting.is_finished());
    go.notify_one();
    let result = waiting.await.unwrap();
    assert_eq!(text(&result), "waited");
    let related = json!({"io.modelcontextprotocol/related-task": {"taskId": id}});
    assert_eq!(result["_meta"], related);
    let get = tasks(&client, "tasks/get", &id).await;
    assert_eq!(get["status"], "completed");
    assert!(get.get("result").is_none());
}

#[tokio::test]
async fn what_a_task_of_the_core_asks_goes_out_with_its_result() {
    let (server, _) = server();
    let client = core(&server).answering(|_, params| {
        assert!(params["_meta"]["io.modelcontextprotocol/related-task"]["taskId"].is_string());
        json!({"action": "accept", "content": {"name": "Ada"}})
    });
    let id = as_task(&client, "ask").await["task"]["taskId"].clone();
    until(&client, &id, "input_required").await;
    assert!(client.calls().is_empty());
    let result = tasks(&client, "tasks/result", &id).await;
    assert_eq!(text(&result), "Ada");
    assert_eq!(client.calls()[0].0, "elicitation/create");
}

#[tokio::test]
async fn proto_71_a_task_that_has_ended_cannot_be_given_up() {
    let (server, _) = server();
    let client = core(&server);
    let id = as_task(&client, "wait").await["task"]["taskId"].clone();
    let cancelled = tasks(&client, "tasks/cancel", &id).await;
    assert_eq!(
        (&cancelled["status"], &cancelled["taskId"]),
        (&json!("cancelled"), &id)
    );
    for (method, params) in [
        ("tasks/cancel", json!({ "taskId": id })),
        ("tasks/cancel", json!({"taskId": "nothing"})),
        ("tasks/get", json!({"taskId": "nothing"})),
        ("tasks/result", json!({"taskId": "nothing"})),
        ("tasks/get", json!({})),
        ("tasks/list", json!({"cursor": "nothing"})),
    ] {
        assert_eq!(
            code(&client.request(method, params).await),
            -32602,
            "{method}"
        );
    }
    let result = client
        .request("tasks/result", json!({ "taskId": id }))
        .await;
    assert_eq!(result.unwrap_err().message, "the task was cancelled");
}

#[tokio::test]
async fn proto_72_a_tool_says_whether_it_is_called_as_a_task() {
    let (server, _) = server();
    let client = core(&server);
    let as_task = json!({"name": "never", "task": {}});
    assert_eq!(
        code(&client.request("tools/call", as_task.clone()).await),
        -32601
    );
    let not = json!({"name": "require"});
    assert_eq!(code(&client.request("tools/call", not).await), -32601);
    // The wish is none of the other revisions, nor of a server without tasks.
    for version in [ProtocolVersion::V2025_06_18, ProtocolVersion::LATEST] {
        let other = Client::new(&server, version);
        let result = other.request("tools/call", as_task.clone()).await.unwrap();
        assert_eq!(text(&result), "never a task");
    }
    let without = Server::builder("none", "1.0.0")
        .tool(tool("never", None), |_: NoArgs, cx: Context| async move {
            Ok(cx.become_task().await.to_string())
        })
        .build();
    for client in [core(&without), newest(&without)] {
        let result = client.request("tools/call", as_task.clone()).await.unwrap();
        assert_eq!(text(&result), "false");
    }
}

#[tokio::test]
async fn a_task_of_a_session_is_seen_by_no_other() {
    let (server, _) = server();
    let (one, other) = (core(&server), core(&server));
    let id = as_task(&one, "wait").await["task"]["taskId"].clone();
    let answer = other.request("tasks/get", json!({ "taskId": id })).await;
    assert_eq!(code(&answer), -32602);
    let list = async |client: &Client| {
        let list = client.request("tasks/list", json!({})).await.unwrap();
        list["tasks"].as_array().unwrap().len()
    };
    assert_eq!((list(&one).await, list(&other).await), (1, 0));
    // Nor in another era.
    let answer = newest(&server)
        .request("tasks/get", json!({ "taskId": id }))
        .await;
    assert_eq!(code(&answer), -32602);

    one.session.as_ref().unwrap().ended().cancel();
    until(&one, &id, "cancelled").await;
}

#[tokio::test]
async fn tasks_are_listed_in_pages_in_the_order_of_their_creation() {
    let go = Arc::new(Notify::new());
    let server = builder(&go).page_size(2).build();
    let client = core(&server);
    let mut ids = Vec::new();
    for _ in 0..5 {
        ids.push(as_task(&client, "wait").await["task"]["taskId"].clone());
    }
    let (mut listed, mut cursor) = (Vec::new(), Value::Null);
    loop {
        let page = client
            .request("tasks/list", json!({ "cursor": cursor }))
            .await
            .unwrap();
        let tasks = page["tasks"].as_array().unwrap();
        assert!(tasks.len() <= 2);
        listed.extend(tasks.iter().map(|task| task["taskId"].clone()));
        match page.get("nextCursor") {
            Some(next) => cursor = next.clone(),
            None => break,
        }
    }
    assert_eq!(listed, ids);
}

#[tokio::test]
async fn progress_of_a_task_of_the_core_goes_to_its_session() {
    let (server, go) = server();
    let mut client = core(&server);
    let stream = core(&server).channel;
    client.session = Some(Session::new(stream.clone()));
    client.context = client.context.with_progress_token("p");
    let id = as_task(&client, "wait").await["task"]["taskId"].clone();
    go.notify_one();
    tasks(&client, "tasks/result", &id).await;
    assert!(client.notifications("notifications/progress").is_empty());
    client.channel = stream;
    let sent = client.notifications("notifications/progress");
    assert_eq!(sent.len(), 2);
    let related = &sent[0]["_meta"]["io.modelcontextprotocol/related-task"];
    assert_eq!(related["taskId"], id);
}

#[tokio::test(start_paused = true)]
async fn a_task_is_kept_as_long_as_it_was_said_and_no_longer() {
    let go = Arc::new(Notify::new());
    let mut options = TaskOptions::default();
    options.max_ttl = Duration::from_secs(100);
    options.max_tasks = 2;
    let server = builder(&go).tasks(options).build();
    let client = core(&server);
    let create = async |ttl: u64| {
        let params = json!({"name": "wait", "task": {"ttl": ttl}});
        client.request("tools/call", params).await
    };
    let short = create(10_000).await.unwrap()["task"].clone();
    assert_eq!(short["ttl"], 10_000);
    let long = create(1_000_000).await.unwrap()["task"].clone();
    assert_eq!(long["ttl"], 100_000);
    assert_eq!(code(&create(1).await), -32603, "there are too many");

    advance(Duration::from_millis(9_999)).await;
    tasks(&client, "tasks/get", &short["taskId"]).await;
    advance(Duration::from_millis(1)).await;
    let gone = client
        .request("tasks/get", json!({"taskId": short["taskId"]}))
        .await;
    assert_eq!(code(&gone), -32602);
    assert!(create(1).await.is_ok());
}

#[tokio::test]
async fn where_there_are_too_many_tasks_a_call_does_without() {
    let go = Arc::new(Notify::new());
    let mut options = TaskOptions::default();
    options.max_tasks = 0;
    let server = builder(&go).tasks(options).build();
    let client = newest(&server);
    go.notify_one();
    assert_eq!(text(&client.call_tool("wait", json!({})).await), "waited");
    let required = client.call_tool("require", json!({})).await;
    assert_eq!(required["isError"], true);
}

#[tokio::test]
async fn who_listens_for_a_task_is_told_of_each_change() {
    let go = Arc::new(Notify::new());
    let changes = Changes::new();
    let server = builder(&go).changes(&changes).build();
    let client = newest(&server);
    let id = client.call_tool("wait", json!({})).await["taskId"].clone();
    let filter = json!({"taskIds": [id, "of somebody else"]});
    let params = json!({ "notifications": filter }).to_string();
    let incoming = client.incoming("subscriptions/listen", Some(&params));
    let listening = tokio::spawn(Handler::request(Arc::new(server.clone()), incoming));
    tokio::task::yield_now().await;
    let ack = client.notifications("notifications/subscriptions/acknowledged");
    assert_eq!(ack[0]["notifications"]["taskIds"], json!([id]));

    go.notify_one();
    until(&client, &id, "completed").await;
    for _ in 0..8 {
        tokio::task::yield_now().await;
    }
    let told = client.notifications("notifications/tasks");
    assert_eq!(told.len(), 1);
    assert_eq!(
        (&told[0]["taskId"], &told[0]["status"]),
        (&id, &json!("completed"))
    );
    assert_eq!(text(&told[0]["result"]), "waited");
    let subscription = &told[0]["_meta"]["io.modelcontextprotocol/subscriptionId"];
    assert_eq!(*subscription, 1);
    listening.abort();
}

#[tokio::test]
async fn who_answers_badly_again_and_again_is_not_asked_for_ever() {
    let (server, _) = server();
    let client = newest(&server);
    let id = client.call_tool("ask", json!({})).await["taskId"].clone();
    for n in 0..Context::MAX_TRIES {
        let asking = until(&client, &id, "input_required").await;
        let questions = asking["inputRequests"].as_object().unwrap();
        let key = questions.keys().next().unwrap();
        assert_eq!(
            *key,
            if n == 0 {
                "name".to_owned()
            } else {
                format!("name#{}", n + 1)
            }
        );
        let params = json!({"taskId": id, "inputResponses": { key: {"action": "accept"} }});
        client.request("tasks/update", params).await.unwrap();
        tokio::task::yield_now().await;
    }
    let done = until(&client, &id, "completed").await;
    assert_eq!(done["result"]["isError"], true);
}

#[tokio::test]
async fn tasks_of_a_server_that_is_gone_are_given_up() {
    struct Dropped(Arc<Notify>);
    impl Drop for Dropped {
        fn drop(&mut self) {
            self.0.notify_one();
        }
    }
    let dropped = Arc::new(Notify::new());
    let notify = dropped.clone();
    let server = Server::builder("gone", "1.0.0")
        .tool(tool("hang", None), move |_: NoArgs, cx: Context| {
            let guard = Dropped(notify.clone());
            async move {
                let _guard = guard;
                cx.become_task().await;
                std::future::pending::<Result<(), ToolError>>().await
            }
        })
        .tasks(TaskOptions::default())
        .build();
    let client = newest(&server);
    let created = client.call_tool("hang", json!({})).await;
    assert_eq!(created["status"], "working");
    drop((server, client));
    dropped.notified().await;
}
