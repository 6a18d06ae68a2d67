//! A client made by hand: its context, and a channel that records what the server sends.

use std::sync::{Arc, Mutex};

use mcp_jsonrpc::{ErrorObject, Id, Notification, RawJson, Request};
use mcp_protocol::{ClientCapabilities, ProtocolVersion, RequestContext};
use mcp_server::Server;
use mcp_transport::{
    BoxFuture, Call, CallError, Channel, Handler, Incoming, Session, TransportError,
};
use serde_json::{Value, json};

/// Both lifecycles, by the newest revision of each.
pub(crate) const ERAS: [ProtocolVersion; 2] =
    [ProtocolVersion::LATEST_HANDSHAKE, ProtocolVersion::LATEST];

/// What a client answers to a request of the server.
type Respond = Box<dyn Fn(&str, &Value) -> Value + Send + Sync>;

/// A channel that keeps what it is given.
#[derive(Default)]
pub(crate) struct Recorder {
    notifications: Mutex<Vec<(String, Value)>>,
    calls: Mutex<Vec<(String, Value)>>,
    respond: Option<Respond>,
    /// Whether it takes no notifications, and whoever sends one waits.
    stuck: bool,
}

impl std::fmt::Debug for Recorder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Recorder")
    }
}

impl Channel for Recorder {
    fn call(&self, call: Call) -> BoxFuture<'_, Result<RawJson, CallError>> {
        let params = value(call.params.as_ref());
        let answer = match &self.respond {
            Some(respond) => Ok(RawJson::from(respond(&call.method, &params))),
            None => Err(CallError::Busy { limit: 0 }),
        };
        self.calls
            .lock()
            .unwrap()
            .push((call.method.to_string(), params));
        Box::pin(std::future::ready(answer))
    }

    fn notify(&self, notification: Notification) -> BoxFuture<'_, Result<(), CallError>> {
        let params = value(notification.params.as_ref());
        self.notifications
            .lock()
            .unwrap()
            .push((notification.method.to_string(), params));
        if self.stuck {
            return Box::pin(std::future::pending());
        }
        Box::pin(std::future::ready(Ok(())))
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }

    fn closed(&self) -> BoxFuture<'_, Arc<TransportError>> {
        Box::pin(std::future::pending())
    }

    fn negotiated(&self, _: &str) {}
}

fn value(raw: Option<&RawJson>) -> Value {
    raw.map_or(Value::Null, |raw| raw.decode().unwrap())
}

/// A client of a server.
#[derive(Clone)]
pub(crate) struct Client {
    server: Server,
    pub(crate) context: RequestContext,
    pub(crate) channel: Arc<Recorder>,
    pub(crate) session: Option<Session>,
}

impl Client {
    pub(crate) fn new(server: &Server, version: ProtocolVersion) -> Self {
        let channel = Arc::new(Recorder::default());
        let session = Session::new(channel.clone());
        Self {
            server: server.clone(),
            context: RequestContext::new(version),
            channel,
            session: (!version.is_stateless()).then_some(session),
        }
    }

    /// The same client with these capabilities, as JSON.
    pub(crate) fn offering(mut self, capabilities: Value) -> Self {
        let capabilities: ClientCapabilities = serde_json::from_value(capabilities).unwrap();
        self.context = self.context.with_client_capabilities(capabilities);
        self
    }

    /// The same client, answering the server's requests.
    pub(crate) fn answering(
        mut self,
        respond: impl Fn(&str, &Value) -> Value + Send + Sync + 'static,
    ) -> Self {
        self.channel = Arc::new(Recorder {
            respond: Some(Box::new(respond)),
            ..Recorder::default()
        });
        self
    }

    /// The same client, who takes no notifications.
    pub(crate) fn stuck(mut self) -> Self {
        self.channel = Arc::new(Recorder {
            stuck: true,
            ..Recorder::default()
        });
        self
    }

    /// The same client, whose session goes by its channel.
    pub(crate) fn with_session(mut self) -> Self {
        self.session = Some(Session::new(self.channel.clone()));
        self
    }

    /// What the transport hands over for a request.
    pub(crate) fn incoming(
        &self,
        method: &'static str,
        params: Option<&str>,
    ) -> Incoming<Request, RequestContext> {
        let params = params.map(|text| RawJson::parse(text.to_owned()).unwrap());
        let request = Request::new(Id::from(1), method, params);
        let mut incoming = Incoming::new(request, self.context.clone(), self.channel.clone());
        incoming.session = self.session.clone();
        incoming
    }

    /// Sends params as text, and so exactly as they stand there.
    pub(crate) async fn send(
        &self,
        method: &'static str,
        params: Option<&str>,
    ) -> Result<Value, ErrorObject> {
        let answer = Arc::new(self.server.clone()).request(self.incoming(method, params));
        answer.await.map(|raw| raw.decode().unwrap())
    }

    pub(crate) async fn request(
        &self,
        method: &'static str,
        params: Value,
    ) -> Result<Value, ErrorObject> {
        self.send(method, Some(&params.to_string())).await
    }

    pub(crate) async fn call_tool(&self, name: &str, arguments: Value) -> Value {
        self.request("tools/call", json!({"name": name, "arguments": arguments}))
            .await
            .unwrap()
    }

    /// The notifications of this method, in order.
    pub(crate) fn notifications(&self, method: &str) -> Vec<Value> {
        let all = self.channel.notifications.lock().unwrap();
        all.iter()
            .filter(|(name, _)| name == method)
            .map(|(_, params)| params.clone())
            .collect()
    }

    /// The requests of the server, in order.
    pub(crate) fn calls(&self) -> Vec<(String, Value)> {
        self.channel.calls.lock().unwrap().clone()
    }
}

pub(crate) fn code(answer: &Result<Value, ErrorObject>) -> i64 {
    answer.as_ref().expect_err("an error").code.0
}

/// The text of the first block of a tool's result.
pub(crate) fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().expect("a text")
}
