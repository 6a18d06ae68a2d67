//! What a session and a pool ask of an HTTP channel, against one that only takes notes.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use mcp_client::{
    CallOptions, Called, ClientOptions, Connect, ConnectError, Link, PoolError, ServerOptions,
    ServerPool, Session,
};
use mcp_interceptors::{BoundTool, JsonMap, ToolCall, Toolset};
use mcp_jsonrpc::{ErrorCode, ErrorObject, Notification, RawJson};
use mcp_protocol::lifecycle::{Preference, Wire};
use mcp_protocol::{CallToolParams, RequestContext, Tool};
use mcp_transport::{
    BoxFuture, Call, CallError, Channel, Delivery, Handler, Rejection, TransportError,
    TransportErrorKind, WithoutHeaders,
};
use serde_json::{Value, json};

type Answer = dyn Fn(usize, &Call) -> Result<Value, CallError> + Send + Sync;

/// Answers calls by a closure, which is told on which connection they are made.
struct Notes {
    answer: Box<Answer>,
    connects: AtomicUsize,
    calls: Mutex<Vec<Call>>,
}

impl Notes {
    fn new(
        answer: impl Fn(usize, &Call) -> Result<Value, CallError> + Send + Sync + 'static,
    ) -> Arc<Self> {
        Arc::new(Self {
            answer: Box::new(answer),
            connects: AtomicUsize::new(0),
            calls: Mutex::default(),
        })
    }

    fn methods(&self) -> Vec<String> {
        let calls = self.calls.lock().unwrap();
        calls.iter().map(|call| call.method.to_string()).collect()
    }
}

impl fmt::Debug for Notes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Notes")
    }
}

#[derive(Debug)]
struct Connection(Arc<Notes>, usize);

impl Channel for Connection {
    fn call(&self, call: Call) -> BoxFuture<'_, Result<RawJson, CallError>> {
        let answer = (self.0.answer)(self.1, &call);
        self.0.calls.lock().unwrap().push(call);
        Box::pin(std::future::ready(answer.map(RawJson::from)))
    }

    fn notify(&self, _notification: Notification) -> BoxFuture<'_, Result<(), CallError>> {
        Box::pin(std::future::ready(Ok(())))
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }

    fn closed(&self) -> BoxFuture<'_, Arc<TransportError>> {
        Box::pin(std::future::pending())
    }

    fn negotiated(&self, _version: &str) {}
}

#[derive(Debug)]
struct Connects(Arc<Notes>);

impl Connect for Connects {
    fn connect(
        &self,
        _handler: Arc<dyn Handler<RequestContext>>,
    ) -> BoxFuture<'_, Result<Link, ConnectError>> {
        let count = self.0.connects.fetch_add(1, Ordering::SeqCst);
        let channel = Arc::new(Connection(Arc::clone(&self.0), count));
        Box::pin(std::future::ready(Ok(Link::new(channel, Wire::Http))))
    }
}

fn discovered() -> Value {
    json!({
        "resultType": "complete", "supportedVersions": ["2026-07-28"],
        "capabilities": {"tools": {}}, "ttlMs": 0, "cacheScope": "private",
    })
}

fn initialized() -> Value {
    json!({
        "protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
        "serverInfo": {"name": "s", "version": "1"},
    })
}

fn done() -> Value {
    json!({"resultType": "complete", "content": []})
}

fn rejected(status: StatusCode, session_lost: bool) -> CallError {
    let mut rejection = Rejection::new(status);
    rejection.session_lost = session_lost;
    CallError::Rejected(Box::new(rejection))
}

fn marked() -> Value {
    json!({"type": "object", "properties": {
        "region": {"type": "string", "x-mcp-header": "Region"},
    }})
}

async fn connect(notes: &Arc<Notes>) -> Session {
    let options = ClientOptions::new("c", "1");
    Session::connect(&Connects(Arc::clone(notes)), options)
        .await
        .unwrap()
}

#[tokio::test]
async fn what_headers_repeat_is_told_to_the_transport() {
    let notes = Notes::new(|_, call| match &*call.method {
        "server/discover" => Ok(discovered()),
        "tools/list" => Ok(json!({
            "resultType": "complete", "ttlMs": 0, "cacheScope": "private",
            "tools": [
                {"name": "t", "inputSchema": marked()},
                {"name": "bad", "inputSchema": {"type": "string", "x-mcp-header": "X"}},
            ],
        })),
        _ => Ok(done()),
    });
    let session = connect(&notes).await;
    let list = session.list_tools().await.unwrap();
    assert_eq!(list.items.len(), 1);
    assert!(list.skipped[0].contains("\"bad\""), "{:?}", list.skipped);

    let params = CallToolParams::new("t")
        .with_arguments(&json!({"region": "north"}))
        .unwrap();
    let mut options = CallOptions::new().with_header(
        HeaderName::from_static("x-user"),
        HeaderValue::from_static("ada"),
    );
    options.removed_headers.push(http::header::AUTHORIZATION);
    session.call_tool(params, &options).await.unwrap();

    let calls = notes.calls.lock().unwrap();
    let [probe, list, call] = calls.as_slice() else {
        panic!("{calls:?}");
    };
    assert_eq!(probe.mirror.version, Some("2026-07-28"));
    assert_eq!(
        (list.mirror.version, list.mirror.name.as_ref()),
        (Some("2026-07-28"), None)
    );
    assert_eq!(call.mirror.name.as_deref(), Some("t"));
    assert_eq!(
        call.mirror.params,
        [("Region".to_owned(), "north".to_owned())]
    );
    assert_eq!(call.extensions.get::<HeaderMap>().unwrap()["x-user"], "ada");
    let without = call.extensions.get::<WithoutHeaders>().unwrap();
    assert_eq!(without.0, [http::header::AUTHORIZATION]);
}

#[tokio::test(start_paused = true)]
async fn requests_for_a_task_name_it_to_intermediaries() {
    let task = |status| {
        json!({
            "resultType": "complete", "taskId": "t1", "status": status, "ttlMs": null,
            "createdAt": "2026-12-01T00:00:00Z", "lastUpdatedAt": "2026-12-01T00:00:00Z",
        })
    };
    let notes = Notes::new(move |_, call| match &*call.method {
        "server/discover" => {
            let mut discovered = discovered();
            let extensions = json!({"io.modelcontextprotocol/tasks": {}});
            discovered["capabilities"]["extensions"] = extensions;
            Ok(discovered)
        }
        "tools/call" => {
            let mut created = task("working");
            created["resultType"] = json!("task");
            Ok(created)
        }
        // A look that fails on its way says nothing of the task.
        "tasks/get" => Err(rejected(StatusCode::BAD_GATEWAY, false)),
        _ => Ok(json!({"resultType": "complete"})),
    });
    let session = connect(&notes).await;
    let options = CallOptions::new();
    let called = session.call_tool_task(CallToolParams::new("t"), &options);
    let Called::Task(mut task) = called.await.unwrap() else {
        panic!("no task");
    };
    let error = task.wait().await.unwrap_err();
    let text = error.chain();
    assert!(
        text.ends_with("the server answered HTTP 502 Bad Gateway"),
        "{text}"
    );
    task.cancel().await.unwrap();
    let looks = ["tasks/get"; 4];
    let methods = ["server/discover", "tools/call"].into_iter().chain(looks);
    let methods: Vec<_> = methods.chain(["tasks/cancel"]).collect();
    assert_eq!(notes.methods(), methods);
    for call in notes.calls.lock().unwrap().iter().skip(2) {
        assert_eq!(call.mirror.name.as_deref(), Some("t1"));
    }
}

#[tokio::test]
async fn http_38_a_header_that_the_server_misses_is_looked_up_and_the_call_made_again() {
    let notes = Notes::new(|_, call| match &*call.method {
        "server/discover" => Ok(discovered()),
        "tools/list" => Ok(json!({
            "resultType": "complete", "ttlMs": 0, "cacheScope": "private",
            "tools": [{"name": "t", "inputSchema": marked()}],
        })),
        _ if call.mirror.params.is_empty() => {
            let mut rejection = Rejection::new(StatusCode::BAD_REQUEST);
            rejection.error = Some(ErrorObject::new(ErrorCode(-32020), "header missing"));
            Err(CallError::Rejected(Box::new(rejection)))
        }
        _ => Ok(done()),
    });
    let session = connect(&notes).await;
    let params = CallToolParams::new("t")
        .with_arguments(&json!({"region": "north"}))
        .unwrap();
    session
        .call_tool(params, &CallOptions::new())
        .await
        .unwrap();
    assert_eq!(
        notes.methods(),
        ["server/discover", "tools/call", "tools/list", "tools/call"]
    );
}

#[tokio::test(start_paused = true)]
async fn http_38_a_call_that_is_made_again_begins_anew_though_a_round_had_gone_well() {
    let calls = AtomicUsize::new(0);
    let notes = Notes::new(move |_, call| match &*call.method {
        "server/discover" => Ok(discovered()),
        "tools/list" => Ok(json!({
            "resultType": "complete", "ttlMs": 0, "cacheScope": "private",
            "tools": [{"name": "t", "inputSchema": marked()}],
        })),
        _ => match calls.fetch_add(1, Ordering::SeqCst) {
            0 => Ok(json!({"resultType": "input_required", "requestState": "of the round"})),
            1 => Err(CallError::Remote(ErrorObject::new(
                ErrorCode(-32020),
                "header missing",
            ))),
            _ => Ok(done()),
        },
    });
    let session = connect(&notes).await;
    let mut params = CallToolParams::new("t");
    params.request_state = Some("of the caller".to_owned());
    session
        .call_tool(params, &CallOptions::new())
        .await
        .unwrap();
    let calls = notes.calls.lock().unwrap();
    let calls = calls.iter().filter(|call| &*call.method == "tools/call");
    let states = calls.map(|call| {
        let params: Value = call.params.as_ref().unwrap().decode().unwrap();
        params["requestState"].as_str().unwrap().to_owned()
    });
    let states: Vec<_> = states.collect();
    assert_eq!(states, ["of the caller", "of the round", "of the caller"]);
}

#[tokio::test]
async fn a_pool_knows_the_definition_of_the_tool_it_calls() {
    let notes = Notes::new(|_, call| match &*call.method {
        "server/discover" => Ok(discovered()),
        _ => Ok(done()),
    });
    let pool = ServerPool::builder()
        .server("s", Arc::new(Connects(Arc::clone(&notes))))
        .build();
    let tool = Arc::new(BoundTool::new("s__t", "s", Tool::new("t", marked())));
    let call = ToolCall::new(tool, JsonMap::new()).with_arg("region", "north");
    Toolset::call(&pool, call).await.unwrap();
    let calls = notes.calls.lock().unwrap();
    assert_eq!(
        calls[1].mirror.params,
        [("Region".to_owned(), "north".to_owned())]
    );
}

fn handshake(notes: &Arc<Notes>) -> ServerPool {
    let options = ServerOptions::new()
        .with_preference(Preference::Handshake)
        .with_attempts(1);
    ServerPool::builder()
        .server_with("s", Arc::new(Connects(Arc::clone(notes))), options)
        .build()
}

async fn call(pool: &ServerPool) -> Result<mcp_protocol::CallToolResult, PoolError> {
    pool.call_tool("s", CallToolParams::new("t"), &CallOptions::new())
        .await
}

#[tokio::test]
async fn h07_a_lost_session_is_renewed_once_for_all_and_the_calls_sent_again() {
    let notes = Notes::new(|connection, call| match &*call.method {
        "initialize" => Ok(initialized()),
        _ if connection == 0 => Err(rejected(StatusCode::NOT_FOUND, true)),
        _ => Ok(done()),
    });
    let pool = handshake(&notes);
    let (one, two) = tokio::join!(call(&pool), call(&pool));
    one.and(two).unwrap();
    assert_eq!(notes.connects.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn h07_a_server_that_wants_no_new_session_is_an_error_and_no_loop() {
    let notes = Notes::new(|connection, call| match &*call.method {
        "initialize" if connection == 0 => Ok(initialized()),
        _ => Err(rejected(StatusCode::NOT_FOUND, true)),
    });
    let pool = handshake(&notes);
    let error = call(&pool).await.unwrap_err();
    assert!(matches!(error, PoolError::Connect { .. }), "{error:?}");
    assert_eq!(
        error.chain(),
        "server `s` is not available: the server answered initialize with HTTP 404"
    );
    assert_eq!(notes.connects.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn h07_a_404_that_is_about_no_session_changes_nothing() {
    let notes = Notes::new(|_, call| match &*call.method {
        "initialize" => Ok(initialized()),
        _ => Err(rejected(StatusCode::NOT_FOUND, false)),
    });
    let pool = handshake(&notes);
    let error = call(&pool).await.unwrap_err();
    assert!(matches!(error, PoolError::Call { .. }), "{error:?}");
    assert_eq!(notes.connects.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn an_exchange_that_breaks_off_leaves_the_session_as_it_is() {
    let notes = Notes::new(|_, call| match &*call.method {
        "initialize" => Ok(initialized()),
        _ => Err(CallError::Closed {
            reason: Arc::new(TransportError::new(TransportErrorKind::Ended, "cut off")),
            delivery: Delivery::Unknown,
        }),
    });
    let pool = handshake(&notes);
    for _ in 0..2 {
        let error = call(&pool).await.unwrap_err();
        assert!(
            matches!(error, PoolError::OutcomeUnknown { .. }),
            "{error:?}"
        );
    }
    assert_eq!(notes.connects.load(Ordering::SeqCst), 1);
}
