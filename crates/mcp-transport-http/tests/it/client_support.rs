//! Channels to scripted servers, and a handler that says what it was given.

use std::sync::Arc;

use mcp_jsonrpc::{ErrorObject, Notification, RawJson, Request};
use mcp_protocol::RequestContext;
use mcp_transport::{BoxFuture, Call, CallError, Channel, Handler, Incoming, PartOf};
use mcp_transport_http::{HttpChannel, HttpTransport};
use serde_json::{Value, json};
use tokio::sync::mpsc;

/// Answers `roots/list`, waits for ever on `wait`, panics on `panic`.
#[derive(Debug)]
pub(crate) struct Roots(pub(crate) mpsc::UnboundedSender<String>);

impl Handler<RequestContext> for Roots {
    fn request(
        self: Arc<Self>,
        incoming: Incoming<Request, RequestContext>,
    ) -> BoxFuture<'static, Result<RawJson, ErrorObject>> {
        Box::pin(async move {
            let method = incoming.message.method.as_str().to_owned();
            let _ = self.0.send(format!("{method}{}", of(&incoming.extensions)));
            match method.as_str() {
                "roots/list" => Ok(RawJson::from(json!({"roots": []}))),
                "panic" => panic!("as asked"),
                "wait" => std::future::pending().await,
                other => Err(ErrorObject::method_not_found(other)),
            }
        })
    }

    fn notification(
        self: Arc<Self>,
        incoming: Incoming<Notification, RequestContext>,
    ) -> BoxFuture<'static, ()> {
        Box::pin(async move {
            let of = of(&incoming.extensions);
            let Notification { method, params, .. } = incoming.message;
            let _ = self.0.send(format!(
                "{method} {}{of}",
                params.as_ref().map_or("", |p| p.as_str())
            ));
        })
    }
}

fn of(extensions: &http::Extensions) -> String {
    extensions
        .get::<PartOf>()
        .map_or_else(String::new, |part_of| format!(" of {}", part_of.0))
}

/// A channel and what its handler says.
pub(crate) struct Client {
    pub(crate) channel: HttpChannel,
    pub(crate) log: mpsc::UnboundedReceiver<String>,
}

impl Client {
    pub(crate) fn new(url: &str) -> Self {
        Self::of(&HttpTransport::builder(url).build().unwrap())
    }

    pub(crate) fn of(transport: &HttpTransport) -> Self {
        let (sender, log) = mpsc::unbounded_channel();
        Self {
            channel: transport.open(Arc::new(Roots(sender))),
            log,
        }
    }

    /// Goes through the handshake.
    pub(crate) async fn handshake(url: &str, version: &str) -> Self {
        let client = Self::new(url);
        client.initialize(version).await;
        client
    }

    pub(crate) async fn initialize(&self, version: &str) {
        let mut call = Call::new(
            "initialize",
            Some(json!({"protocolVersion": version}).into()),
        );
        call.cancellable = false;
        self.channel.call(call).await.unwrap();
        self.channel.negotiated(version);
        let initialized = Notification::new("notifications/initialized", None);
        self.channel.notify(initialized).await.unwrap();
    }

    pub(crate) async fn call(&self, method: &'static str) -> Result<Value, CallError> {
        let call = Call::new(method, Some(RawJson::EMPTY));
        let answer = self.channel.call(call).await;
        answer.map(|raw| raw.decode().unwrap())
    }

    pub(crate) async fn next(&mut self) -> String {
        self.log.recv().await.unwrap()
    }
}

/// A call that stands alone.
pub(crate) fn modern_call(method: &'static str, name: Option<&str>) -> Call {
    let mut call = Call::new(method, Some(RawJson::EMPTY));
    call.mirror.version = Some("2026-07-28");
    call.mirror.name = name.map(str::to_owned);
    call
}

/// A clock that stands still until it is moved: sockets are not in a hurry then.
pub(crate) struct StillClock {
    _end: std::sync::mpsc::Sender<()>,
}

impl StillClock {
    pub(crate) fn new() -> Self {
        tokio::time::pause();
        let (sender, end) = std::sync::mpsc::channel();
        // As long as a blocking task runs, a paused clock does not move by itself.
        tokio::task::spawn_blocking(move || end.recv());
        Self { _end: sender }
    }

    pub(crate) async fn advance(&self, seconds: u64) {
        tokio::time::advance(std::time::Duration::from_secs(seconds)).await;
    }
}
