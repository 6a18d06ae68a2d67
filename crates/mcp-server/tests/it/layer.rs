//! Tower layers around all methods.

use std::future::{Future, pending};
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context as Task, Poll};
use std::time::Duration;

use mcp_jsonrpc::{ErrorObject, RawJson, Request};
use mcp_protocol::{RequestContext, Tool};
use mcp_server::{Context, MethodService, NoArgs, Server};
use mcp_transport::Incoming;
use serde_json::json;
use tower::timeout::TimeoutLayer;
use tower::{Layer, Service};

use crate::rig::{Client, ERAS, code};

type Log = Arc<Mutex<Vec<String>>>;

/// Writes down each request, and refuses those that a word forbids.
#[derive(Clone)]
struct Watch {
    name: &'static str,
    forbidden: &'static str,
    log: Log,
}

#[derive(Clone)]
struct Watched {
    watch: Watch,
    inner: MethodService,
}

impl Layer<MethodService> for Watch {
    type Service = Watched;

    fn layer(&self, inner: MethodService) -> Watched {
        Watched {
            watch: self.clone(),
            inner,
        }
    }
}

impl Service<Incoming<Request, RequestContext>> for Watched {
    type Response = RawJson;
    type Error = ErrorObject;
    type Future = Pin<Box<dyn Future<Output = Result<RawJson, ErrorObject>> + Send>>;

    fn poll_ready(&mut self, task: &mut Task<'_>) -> Poll<Result<(), ErrorObject>> {
        self.inner.poll_ready(task)
    }

    fn call(&mut self, request: Incoming<Request, RequestContext>) -> Self::Future {
        let method = request.message.method.to_string();
        self.watch
            .log
            .lock()
            .unwrap()
            .push(format!("{} {method}", self.watch.name));
        if method == self.watch.forbidden {
            return Box::pin(async { Err(ErrorObject::invalid_request("forbidden")) });
        }
        self.inner.call(request)
    }
}

#[tokio::test]
async fn the_first_layer_is_the_outermost_and_an_error_of_the_protocol_is_sent() {
    let log = Log::default();
    let watch = |name, forbidden| Watch {
        name,
        forbidden,
        log: log.clone(),
    };
    let server = Server::builder("watched", "1.0.0")
        .tool(
            Tool::new("t", json!({"type": "object"})),
            |_: NoArgs, _: Context| async { Ok(()) },
        )
        .layer(watch("outer", "tools/list"))
        .layer(watch("inner", ""))
        .build();
    let client = Client::new(&server, ERAS[1]);
    client.call_tool("t", json!({})).await;
    let refused = client.request("tools/list", json!({})).await;
    assert_eq!(code(&refused), -32600);
    let unknown = client.request("what/ever", json!({})).await;
    assert_eq!(code(&unknown), -32601);
    assert_eq!(
        *log.lock().unwrap(),
        [
            "outer tools/call",
            "inner tools/call",
            "outer tools/list",
            "outer what/ever",
            "inner what/ever"
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn a_layer_of_tower_fits_and_its_own_errors_are_internal() {
    let server = Server::builder("slow", "1.0.0")
        .tool(
            Tool::new("stuck", json!({"type": "object"})),
            |_: NoArgs, _: Context| pending::<Result<(), mcp_server::ToolError>>(),
        )
        .layer(TimeoutLayer::new(Duration::from_secs(5)))
        .build();
    let client = Client::new(&server, ERAS[0]);
    let answer = client.request("tools/call", json!({"name": "stuck"})).await;
    assert_eq!(code(&answer), -32603);
}
