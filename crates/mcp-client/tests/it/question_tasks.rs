//! Questions of a server that are tasks of the client, both ends: 2025-11-25.

use std::sync::Arc;
use std::time::Duration;

use mcp_client::{CallOptions, Elicitation, Handlers, Origin, Sampling, Session, TaskOptions};
use mcp_jsonrpc::ErrorObject;
use mcp_protocol::elicitation::{ElicitRequestFormParams, ElicitRequestParams, ElicitResult};
use mcp_protocol::lifecycle::Preference;
use mcp_protocol::sampling::{CreateMessageParams, CreateMessageResult};
use mcp_protocol::{
    CallToolParams, ClientNotification, ProtocolVersion, RequestedSchema, Role, SamplingMessage,
    StringSchema, TaskMetadata, TextContent, Tool,
};
use mcp_server::{AskError, Context, NoArgs, Server, ToolError};
use mcp_testkit::ScriptedPeer;
use mcp_transport::BoxFuture;
use serde_json::{Value, json};
use tokio::sync::{Notify, mpsc};

use crate::connects::{Local, options, scripted, stateless};

const CORE: ProtocolVersion = ProtocolVersion::V2025_11_25;

/// A user and a model that answer when they are let.
#[derive(Clone, Debug)]
struct Slow {
    go: Arc<Notify>,
    asked: mpsc::UnboundedSender<&'static str>,
}

/// Says that what it was in was dropped before its end.
struct Dropped(Option<mpsc::UnboundedSender<&'static str>>);

impl Drop for Dropped {
    fn drop(&mut self) {
        if let Some(asked) = &self.0 {
            asked.send("dropped").unwrap_or_default();
        }
    }
}

impl Slow {
    async fn wait(&self, what: &'static str) {
        self.asked.send(what).unwrap_or_default();
        let mut dropped = Dropped(Some(self.asked.clone()));
        self.go.notified().await;
        dropped.0 = None;
    }
}

impl Sampling for Slow {
    fn create_message(
        &self,
        params: CreateMessageParams,
        _: Origin,
    ) -> BoxFuture<'_, Result<CreateMessageResult, ErrorObject>> {
        Box::pin(async move {
            self.wait("model").await;
            match params.max_tokens {
                0 => Err(ErrorObject::new(mcp_jsonrpc::ErrorCode(-1), "refused")),
                _ => Ok(CreateMessageResult::new("slow", TextContent::new("hello"))),
            }
        })
    }
}

impl Elicitation for Slow {
    fn elicit(
        &self,
        _: ElicitRequestParams,
        _: Origin,
    ) -> BoxFuture<'_, Result<ElicitResult, ErrorObject>> {
        Box::pin(async move {
            self.wait("user").await;
            let content = [("name".to_owned(), json!("Ada"))].into_iter().collect();
            Ok(ElicitResult::accept(content))
        })
    }
}

type Asked = mpsc::UnboundedReceiver<&'static str>;

fn slow() -> (Slow, Asked) {
    let (sender, asked) = mpsc::unbounded_channel();
    let slow = Slow {
        go: Arc::new(Notify::new()),
        asked: sender,
    };
    (slow, asked)
}

fn handlers(slow: &Slow) -> Handlers {
    Handlers::new()
        .with_sampling(slow.clone())
        .with_elicitation(slow.clone())
        .with_tasks(TaskOptions::default())
}

fn question(max_tokens: u64) -> CreateMessageParams {
    let message = SamplingMessage::new(Role::User, TextContent::new("hi"));
    CreateMessageParams::new(vec![message], max_tokens).with_task(TaskMetadata::new())
}

fn form() -> ElicitRequestFormParams {
    let schema = RequestedSchema::new().with_required("name", StringSchema::new());
    ElicitRequestFormParams::new("name?", schema).with_task(TaskMetadata::new())
}

/// Tools that ask by tasks, and what clients tell the server.
fn server() -> (Server, mpsc::UnboundedReceiver<String>) {
    let (sender, told) = mpsc::unbounded_channel();
    let tool = |name: &str| Tool::new(name, json!({"type": "object"}));
    let server = Server::builder("asks", "1.0.0")
        .tool(tool("model"), |_: NoArgs, cx: Context| async move {
            Ok(cx.sample("model", question(5)).await?.model)
        })
        .tool(tool("refused"), |_: NoArgs, cx: Context| async move {
            let error = cx.sample("model", question(0)).await.unwrap_err();
            Ok(error.to_string() + ": " + &std::error::Error::source(&error).unwrap().to_string())
        })
        .tool(tool("user"), |_: NoArgs, cx: Context| async move {
            let answer = cx.elicit("name", form()).await?;
            Ok(answer.content.unwrap()["name"].as_str().unwrap().to_owned())
        })
        .tool(tool("gate"), |_: NoArgs, cx: Context| async move {
            match cx.sample("model", question(5)).await {
                Err(AskError::NotOffered { reason, .. }) => Ok(reason.to_string()),
                other => Err(ToolError::new(format!("{other:?}"))),
            }
        })
        .on_notification(move |notification, _| {
            let sender = sender.clone();
            async move {
                if let ClientNotification::TaskStatus(task) = notification {
                    drop(sender.send(task.task.status.to_string()));
                }
            }
        })
        .build();
    (server, told)
}

async fn connect(server: Server, version: ProtocolVersion, handlers: Handlers) -> Session {
    let options = options().with_versions([version]).with_handlers(handlers);
    let local = Local::new(server);
    Session::connect(&*local, options).await.unwrap()
}

async fn call(session: &Session, name: &str) -> String {
    let result = session
        .call_tool(CallToolParams::new(name), &CallOptions::new())
        .await
        .unwrap();
    result.text_content()
}

#[tokio::test]
async fn a_question_becomes_a_task_of_the_client_and_its_answer_comes_back() {
    let (server, mut told) = server();
    for (tool, asks, answer) in [("model", "model", "slow"), ("user", "user", "Ada")] {
        let (slow, mut asked) = slow();
        let session = connect(server.clone(), CORE, handlers(&slow)).await;
        let calling = tokio::spawn({
            let session = session.clone();
            async move { call(&session, tool).await }
        });
        assert_eq!(asked.recv().await.unwrap(), asks);
        slow.go.notify_one();
        assert_eq!(calling.await.unwrap(), answer);
        assert_eq!(told.recv().await.unwrap(), "completed");
        session.close().await;
    }
}

#[tokio::test]
async fn a_task_that_fails_has_the_error_of_its_question() {
    let (server, mut told) = server();
    let (slow, _asked) = slow();
    let session = connect(server, CORE, handlers(&slow)).await;
    slow.go.notify_one();
    let text = call(&session, "refused").await;
    assert!(text.contains("refused"), "{text}");
    assert_eq!(told.recv().await.unwrap(), "failed");
    session.close().await;
}

#[tokio::test]
async fn proto_13_a_question_is_no_task_where_the_client_has_declared_none() {
    let (server, _) = server();
    let (slow, _asked) = slow();
    let alone = Handlers::new().with_sampling(slow.clone());
    for (version, handlers, why) in [
        (CORE, alone, "tasks.requests.sampling.createMessage"),
        (
            ProtocolVersion::V2025_06_18,
            handlers(&slow),
            "revision 2025-06-18",
        ),
        (
            ProtocolVersion::V2026_07_28,
            handlers(&slow),
            "revision 2026-07-28",
        ),
    ] {
        let session = connect(server.clone(), version, handlers).await;
        let reason = call(&session, "gate").await;
        assert!(reason.contains(why), "{reason}");
        session.close().await;
    }
}

#[tokio::test]
async fn life_15_a_server_gives_a_task_of_the_client_up_by_tasks_cancel() {
    let (server, mut told) = server();
    let (slow, mut asked) = slow();
    let session = connect(server, CORE, handlers(&slow)).await;
    let calling = tokio::spawn({
        let session = session.clone();
        async move { call(&session, "model").await }
    });
    assert_eq!(asked.recv().await.unwrap(), "model");
    calling.abort();
    // The handler of the tool is dropped, and with it what it waits for.
    assert_eq!(asked.recv().await.unwrap(), "dropped");
    assert_eq!(told.recv().await.unwrap(), "cancelled");
    session.close().await;
}

#[tokio::test]
async fn tasks_of_a_session_that_is_over_are_given_up() {
    let (server, _told) = server();
    let (slow, mut asked) = slow();
    let session = connect(server, CORE, handlers(&slow)).await;
    let calling = tokio::spawn({
        let session = session.clone();
        async move {
            session
                .call_tool(CallToolParams::new("user"), &CallOptions::new())
                .await
        }
    });
    assert_eq!(asked.recv().await.unwrap(), "user");
    session.close().await;
    assert!(calling.await.unwrap().is_err());
    drop(session);
    assert_eq!(asked.recv().await.unwrap(), "dropped");
}

#[tokio::test]
async fn life_30_tasks_are_declared_for_what_is_registered_and_only_where_they_exist() {
    let (slow, _asked) = slow();
    let tasks = |handlers: Handlers| {
        let capabilities = serde_json::to_value(handlers.capabilities()).unwrap();
        capabilities["tasks"].clone()
    };
    let with_tasks = || Handlers::new().with_tasks(TaskOptions::default());
    assert_eq!(tasks(with_tasks()), Value::Null);
    let both = json!({"list": {}, "cancel": {}, "requests": {
        "sampling": {"createMessage": {}}, "elicitation": {"create": {}},
    }});
    assert_eq!(tasks(handlers(&slow)), both);
    let sampling = tasks(with_tasks().with_sampling(slow.clone()));
    assert_eq!(
        sampling["requests"],
        json!({"sampling": {"createMessage": {}}})
    );

    // Where requests stand alone there is no such capability.
    let options = options().with_handlers(handlers(&slow));
    let (session, script) = stateless(json!({"tools": {}}), options, |mut peer| async move {
        let call = peer.expect("tools/call").await;
        let key = "io.modelcontextprotocol/clientCapabilities";
        let declared = &call["params"]["_meta"][key];
        assert!(declared["sampling"].is_object());
        assert_eq!(declared.get("tasks"), None);
        peer.answer(&call, json!({"resultType": "complete", "content": []}))
            .await;
    })
    .await;
    call(&session, "t").await;
    session.close().await;
    script.finish().await;
}

/// Sends a request of the server and gives back what answers it.
async fn asked(peer: &mut ScriptedPeer, id: u32, method: &str, params: Value) -> Value {
    peer.request(id, method, params).await;
    loop {
        let message = peer.receive().await.unwrap();
        if message["id"] == id {
            return message;
        }
    }
}

fn sampling_as_task(ttl: impl Into<Value>) -> Value {
    let ttl: Value = ttl.into();
    let message = json!({"role": "user", "content": {"type": "text", "text": "hi"}});
    json!({"messages": [message], "maxTokens": 5, "task": {"ttl": ttl}})
}

async fn give_up(peer: &mut ScriptedPeer, task: &Value) {
    // One is given up, once; what comes of it is an error.
    let given_up = json!({"taskId": task["taskId"]});
    let cancelled = asked(peer, 8, "tasks/cancel", given_up.clone()).await;
    assert_eq!(cancelled["result"]["status"], "cancelled");
    let again = asked(peer, 9, "tasks/cancel", given_up.clone()).await;
    assert_eq!(again["error"]["code"], -32602);
    let result = asked(peer, 10, "tasks/result", given_up).await;
    assert_eq!(result["error"]["code"], -32603);
    for (n, method) in [
        (11, "tasks/get"),
        (12, "tasks/cancel"),
        (13, "tasks/result"),
    ] {
        let unknown = json!({"taskId": "unknown"});
        let answer = asked(peer, n, method, unknown).await;
        assert_eq!(answer["error"]["code"], -32602, "{method}");
    }
}

async fn get_result(peer: &mut ScriptedPeer, task: &Value, go: &Notify) {
    // The result waits for the end, and says of which task it is.
    let id = json!({"taskId": task["taskId"]});
    peer.request(14, "tasks/result", id.clone()).await;
    let now = asked(peer, 15, "tasks/get", id.clone()).await;
    assert_eq!(now["result"]["status"], "working");
    go.notify_waiters();
    let (mut result, mut status) = (Value::Null, Vec::new());
    while result.is_null() || status.len() < 2 {
        let message = peer.receive().await.unwrap();
        match message["method"].as_str() {
            Some("notifications/tasks/status") => status.push(message["params"].clone()),
            _ if message["id"] == 14 => result = message["result"].clone(),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(result["model"], "slow");
    let related = &result["_meta"]["io.modelcontextprotocol/related-task"];
    assert_eq!(related["taskId"], task["taskId"]);
    assert!(status.iter().all(|task| task["status"] == "completed"));
}

/// What a server may ask of the tasks of a client, line by line.
#[tokio::test]
async fn proto_70_proto_71_a_client_keeps_tasks_as_a_server_does() {
    let (slow, _asked) = slow();
    let go = Arc::clone(&slow.go);
    let mut kept = TaskOptions::default();
    kept.max_tasks = 3;
    kept.max_ttl = Duration::from_secs(100);
    let options = options()
        .with_handlers(handlers(&slow).with_tasks(kept))
        .with_preference(Preference::Handshake);
    let (session, script) = scripted(json!({}), options, move |mut peer| {
        let go = Arc::clone(&go);
        async move {
            let method = "sampling/createMessage";
            let created = asked(&mut peer, 1, method, sampling_as_task(5000)).await;
            let task = created["result"]["task"].clone();
            assert_eq!(
                (&task["status"], &task["ttl"]),
                (&json!("working"), &json!(5000))
            );
            let long = asked(&mut peer, 2, method, sampling_as_task(1_000_000_000)).await;
            assert_eq!(
                long["result"]["task"]["ttl"], 100_000,
                "as long as we allow"
            );
            let third = asked(&mut peer, 3, method, sampling_as_task(Value::Null)).await;
            let fourth = asked(&mut peer, 4, method, sampling_as_task(1)).await;
            assert_eq!(fourth["error"]["code"], -32603, "one too many");

            let id = json!({"taskId": task["taskId"]});
            let now = asked(&mut peer, 5, "tasks/get", id.clone()).await;
            assert_eq!(now["result"], task);
            let all = asked(&mut peer, 6, "tasks/list", json!({})).await;
            assert_eq!(all["result"]["tasks"].as_array().unwrap().len(), 3);
            let wrong = asked(&mut peer, 7, "tasks/list", json!({"cursor": "x"})).await;
            assert_eq!(wrong["error"]["code"], -32602);

            give_up(&mut peer, &third["result"]["task"]).await;
            get_result(&mut peer, &task, &go).await;
            let completed = asked(&mut peer, 16, "tasks/cancel", id).await;
            assert_eq!(completed["error"]["code"], -32602, "terminal is final");
        }
    })
    .await;
    script.finish().await;
    session.close().await;
}

/// Without the capability, the wish is ignored and the methods are not there.
#[tokio::test]
async fn proto_12_a_client_without_tasks_answers_at_once_and_knows_no_methods_of_tasks() {
    let (slow, _asked) = slow();
    let go = Arc::clone(&slow.go);
    let handlers = Handlers::new().with_sampling(slow);
    let options = options()
        .with_handlers(handlers)
        .with_preference(Preference::Handshake);
    let (session, script) = scripted(json!({}), options, move |mut peer| {
        let go = Arc::clone(&go);
        async move {
            go.notify_one();
            let method = "sampling/createMessage";
            let answer = asked(&mut peer, 1, method, sampling_as_task(5)).await;
            assert_eq!(answer["result"]["model"], "slow");
            for (id, method) in [(2, "tasks/get"), (3, "tasks/list"), (4, "tasks/cancel")] {
                let answer = asked(&mut peer, id, method, json!({"taskId": "1"})).await;
                assert_eq!(answer["error"]["code"], -32601, "{method}");
            }
        }
    })
    .await;
    script.finish().await;
    session.close().await;
}

#[tokio::test(start_paused = true)]
async fn a_task_of_a_client_that_never_ends_is_given_up_in_time() {
    let tool = Tool::new("model", json!({"type": "object"}));
    let server = Server::builder("impatient", "1.0.0")
        .tool(tool, |_: NoArgs, cx: Context| async move {
            Ok(cx.sample("model", question(5)).await?.model)
        })
        .ask_timeout(Duration::from_secs(7))
        .build();
    let (slow, mut asked) = slow();
    let session = connect(server, CORE, handlers(&slow)).await;
    let begun = tokio::time::Instant::now();
    let text = call(&session, "model").await;
    assert!(text.contains("did not answer"), "{text}");
    assert_eq!(begun.elapsed().as_secs(), 7);
    assert_eq!(asked.recv().await.unwrap(), "model");
    assert_eq!(asked.recv().await.unwrap(), "dropped");
    session.close().await;
}

#[tokio::test(start_paused = true)]
async fn a_task_of_ours_is_kept_as_long_as_it_was_said_and_no_longer() {
    let (slow, mut asked_of) = slow();
    let options = options()
        .with_handlers(handlers(&slow))
        .with_preference(Preference::Handshake);
    let (session, script) = scripted(json!({}), options, move |mut peer| async move {
        let method = "sampling/createMessage";
        let created = asked(&mut peer, 1, method, sampling_as_task(5000)).await;
        let id = json!({"taskId": created["result"]["task"]["taskId"]});
        tokio::time::sleep(Duration::from_millis(4900)).await;
        let now = asked(&mut peer, 2, "tasks/get", id.clone()).await;
        assert_eq!(now["result"]["status"], "working");
        let told = peer.expect("notifications/tasks/status").await;
        assert_eq!(told["params"]["status"], "cancelled");
        let gone = asked(&mut peer, 3, "tasks/get", id).await;
        assert_eq!(gone["error"]["code"], -32602);
    })
    .await;
    assert_eq!(asked_of.recv().await.unwrap(), "model");
    assert_eq!(asked_of.recv().await.unwrap(), "dropped");
    script.finish().await;
    session.close().await;
}
