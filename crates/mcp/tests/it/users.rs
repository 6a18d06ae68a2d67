//! Several users of one connection: their headers, and what the server says and asks meanwhile.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use futures_util::stream::{self, StreamExt as _};
use http::{Extensions, HeaderMap, HeaderName, HeaderValue};
use mcp::agent::{RunOptions, RuntimeExt as _};
use mcp::client::{
    CallOptions, Elicitation, Handlers, Logging, Origin, PoolBuilder, ServerOptions, ServerPool,
};
use mcp::http::{HeaderError, HeaderRequest, HeaderSource, HttpTransport};
use mcp::interceptors::{CallId, Next};
use mcp::jsonrpc::ErrorObject;
use mcp::model::{ScriptedModel, ToolUse};
use mcp::protocol::elicitation::{
    ElicitRequestFormParams, ElicitRequestParams, ElicitResult, RequestedSchema, StringSchema,
};
use mcp::protocol::lifecycle::Preference;
use mcp::protocol::{CallToolParams, LoggingLevel, LoggingMessageParams};
use mcp::server::{Context, NoArgs, ToolError};
use mcp::transport::BoxFuture;
use mcp::{HttpConnect, ReactAgent, Server, Tool, ToolCall};
use serde_json::{Map, Value, json};

use crate::served::Served;

const BOTH: [Preference; 2] = [Preference::Handshake, Preference::Stateless];
const USER: HeaderName = HeaderName::from_static("x-user-id");

/// Whom the request says that it is for.
async fn user(_: NoArgs, cx: Context) -> Result<String, ToolError> {
    // Others come in between.
    tokio::task::yield_now().await;
    let headers = cx.http_request().map(|parts| &parts.headers);
    let user = headers.and_then(|headers| headers.get(USER));
    let user = user.and_then(|user| user.to_str().ok());
    user.map(str::to_owned)
        .ok_or_else(|| ToolError::new("who are you?"))
}

/// Says its argument to the log and asks for it.
async fn echo(args: Map<String, Value>, cx: Context) -> Result<String, ToolError> {
    let text = args["text"].as_str().unwrap_or_default().to_owned();
    cx.log(LoggingLevel::Info, text.clone()).await;
    let schema = RequestedSchema::new().with_required("text", StringSchema::new());
    let form = ElicitRequestFormParams::new(text, schema);
    let answer = cx.elicit("text", form).await?;
    let content = answer.content.unwrap_or_default();
    Ok(content["text"].as_str().unwrap_or_default().to_owned())
}

fn server() -> Server {
    let tool = |name: &str| Tool::new(name, json!({"type": "object"}));
    Server::builder("s", "1.0.0")
        .tool(tool("user"), user)
        .tool(tool("echo"), echo)
        .logging()
        .build()
}

fn pool_of(
    url: &str,
    preference: Preference,
    of: impl FnOnce(PoolBuilder) -> PoolBuilder,
) -> ServerPool {
    let transport = HttpTransport::builder(url).build().unwrap();
    pool_over(transport, preference, of)
}

fn pool_over(
    transport: HttpTransport,
    preference: Preference,
    of: impl FnOnce(PoolBuilder) -> PoolBuilder,
) -> ServerPool {
    let options = ServerOptions::new()
        .with_preference(preference)
        .with_max_concurrent(50);
    of(ServerPool::builder())
        .server_with("s", Arc::new(HttpConnect::new(transport)), options)
        .build()
}

fn header_of(user: &str) -> CallOptions {
    CallOptions::new().with_header(USER, HeaderValue::from_str(user).unwrap())
}

#[tokio::test]
async fn a05_headers_of_two_users_on_one_session_are_never_mixed() {
    for preference in BOTH {
        let served = Served::start(&server()).await;
        let pool = pool_of(&served.url, preference, |pool| pool);
        let calls = stream::iter(0..1000).map(|n| {
            let pool = &pool;
            async move {
                let user = if n % 2 == 0 { "123" } else { "456" };
                let options = header_of(user);
                let called = pool.call_tool("s", CallToolParams::new("user"), &options);
                let result = called.await.unwrap();
                assert_eq!(result.first_text(), Some(user), "call {n}");
            }
        });
        calls.buffer_unordered(50).collect::<Vec<()>>().await;
        pool.shutdown().await;
        served.stop().await;
    }
}

#[tokio::test]
async fn a05_each_run_sends_the_user_of_its_own_context() {
    let served = Served::start(&server()).await;
    let pool = pool_of(&served.url, Preference::Auto, |pool| pool);
    let run = |user: Option<&'static str>| {
        let pool = pool.clone();
        async move {
            let model = ScriptedModel::new()
                .calls([ToolUse::new("1", "s__user", "{}")])
                .says("done");
            let agent = ReactAgent::builder(Arc::new(model))
                .tools(pool)
                .intercept(|call: ToolCall, next: Next| async move {
                    let runtime = call.runtime();
                    let user = runtime
                        .and_then(|runtime| runtime.context::<&str>())
                        .copied();
                    let call = match user {
                        Some(user) => call.with_header(USER, HeaderValue::from_static(user)),
                        None => call,
                    };
                    next.run(call).await
                })
                .build()
                .unwrap();
            let options = RunOptions::new();
            let options = match user {
                Some(user) => options.context(user),
                None => options,
            };
            let output = agent.run("who am I?", options).await.unwrap();
            let result = &output.state.tool_results["1"];
            (result.text(), result.is_error)
        }
    };
    let (one, two, none) = tokio::join!(run(Some("123")), run(Some("456")), run(None));
    assert_eq!(one, ("123".to_owned(), false));
    assert_eq!(two, ("456".to_owned(), false));
    assert_eq!(none, ("who are you?".to_owned(), true));
    pool.shutdown().await;
    served.stop().await;
}

/// Knows who a call is for by what its caller has attached.
#[derive(Debug, Default)]
struct Login(AtomicUsize);

impl HeaderSource for Login {
    fn headers(&self, request: HeaderRequest) -> BoxFuture<'_, Result<HeaderMap, HeaderError>> {
        Box::pin(async move {
            self.0.fetch_add(1, Ordering::SeqCst);
            tokio::task::yield_now().await;
            let user = request.attached.get::<CallId>().map(CallId::as_str);
            let value = HeaderValue::from_str(user.unwrap_or("app"))?;
            Ok(HeaderMap::from_iter([(USER, value)]))
        })
    }
}

fn attached(id: &str) -> CallOptions {
    let mut extensions = Extensions::new();
    extensions.insert(CallId::new(id));
    let mut options = CallOptions::new();
    options.extensions = Arc::new(extensions);
    options
}

#[tokio::test]
async fn a_hook_gives_each_request_the_headers_of_its_own_user() {
    for preference in BOTH {
        let served = Served::start(&server()).await;
        let login = Arc::new(Login::default());
        let transport = HttpTransport::builder(&served.url).build().unwrap();
        let transport = transport.with_header_source(Arc::clone(&login) as _);
        let pool = pool_over(transport, preference, |pool| pool);
        let calls = stream::iter(0..200).map(|n| {
            let pool = &pool;
            async move {
                let user = format!("user {}", n % 7);
                let options = attached(&user);
                let called = pool.call_tool("s", CallToolParams::new("user"), &options);
                assert_eq!(called.await.unwrap().first_text(), Some(&*user));
            }
        });
        calls.buffer_unordered(50).collect::<Vec<()>>().await;
        assert!(login.0.load(Ordering::SeqCst) > 200, "other requests, too");
        pool.shutdown().await;
        served.stop().await;
    }
}

/// Notes for which call each message came, by its text.
#[derive(Clone, Debug, Default)]
struct Notes(Arc<Mutex<HashMap<String, Vec<Option<String>>>>>);

impl Notes {
    fn note(&self, text: &str, origin: &Origin) {
        assert_eq!(&*origin.server, "s");
        let call = origin.tool_call.as_ref().map(|id| id.as_str().to_owned());
        assert_eq!(call.is_some(), origin.tool.as_deref() == Some("echo"));
        let mut notes = self.0.lock().unwrap();
        notes.entry(text.to_owned()).or_default().push(call);
    }
}

impl Logging for Notes {
    fn log(&self, message: LoggingMessageParams, origin: Origin) -> BoxFuture<'_, ()> {
        self.note(message.data.as_str().unwrap(), &origin);
        Box::pin(std::future::ready(()))
    }
}

impl Elicitation for Notes {
    fn elicit(
        &self,
        params: ElicitRequestParams,
        origin: Origin,
    ) -> BoxFuture<'_, Result<ElicitResult, ErrorObject>> {
        self.note(params.message(), &origin);
        let text = params.message().to_owned();
        let content: Map<String, Value> = [("text".to_owned(), text.into())].into_iter().collect();
        Box::pin(std::future::ready(Ok(ElicitResult::accept(content))))
    }
}

#[tokio::test]
async fn what_a_server_says_and_asks_names_its_call_also_where_many_run_side_by_side() {
    for preference in BOTH {
        let served = Served::start(&server()).await;
        let (logs, questions) = (Notes::default(), Notes::default());
        let handlers = Handlers::new()
            .with_logging(logs.clone())
            .with_elicitation(questions.clone());
        let pool = pool_of(&served.url, preference, |pool| {
            pool.handlers(handlers).log_level(LoggingLevel::Info)
        });
        let calls = stream::iter(0..100).map(|n| {
            let pool = &pool;
            async move {
                let text = format!("{n}");
                let params = CallToolParams::new("echo");
                let params = params.with_arguments(&json!({ "text": text })).unwrap();
                let called = pool.call_tool("s", params, &attached(&text)).await;
                assert_eq!(called.unwrap().first_text(), Some(&*text));
            }
        });
        calls.buffer_unordered(50).collect::<Vec<()>>().await;
        // The last log messages may still be on their way to the handler.
        while logs.0.lock().unwrap().len() < 100 {
            tokio::task::yield_now().await;
        }
        for notes in [logs, questions] {
            let notes = notes.0.lock().unwrap();
            assert_eq!(notes.len(), 100);
            for (text, calls) in notes.iter() {
                let own = |call: &Option<String>| call.as_deref() == Some(text);
                assert!(calls.iter().all(own), "{preference:?}: {text} {calls:?}");
            }
        }
        pool.shutdown().await;
        served.stop().await;
    }
}
