//! What the server asks and tells, in the revisions in which it sends requests.

use mcp_client::{CallOptions, Elicitation, Handlers, Logging, Origin, Roots, Sampling};
use mcp_jsonrpc::ErrorObject;
use mcp_protocol::elicitation::{ElicitRequestParams, ElicitResult};
use mcp_protocol::roots::Root;
use mcp_protocol::sampling::{CreateMessageParams, CreateMessageResult};
use mcp_protocol::{LoggingLevel, LoggingMessageParams};
use mcp_transport::BoxFuture;
use serde_json::{Map, Value, json};
use tokio::sync::mpsc;

use crate::connects::{options, scripted};

/// Answers every form with the same name.
#[derive(Debug)]
pub(crate) struct Ada;

impl Elicitation for Ada {
    fn elicit(
        &self,
        params: ElicitRequestParams,
        _origin: Origin,
    ) -> BoxFuture<'_, Result<ElicitResult, ErrorObject>> {
        let answer: Map<String, Value> = match params.message() {
            "age?" => [("name".to_owned(), json!(7))].into_iter().collect(),
            _ => [("name".to_owned(), json!("Ada"))].into_iter().collect(),
        };
        Box::pin(std::future::ready(Ok(ElicitResult::accept(answer))))
    }
}

#[derive(Debug)]
struct Parrot;

impl Sampling for Parrot {
    fn create_message(
        &self,
        params: CreateMessageParams,
        origin: Origin,
    ) -> BoxFuture<'_, Result<CreateMessageResult, ErrorObject>> {
        assert_eq!(params.max_tokens, 5);
        assert!(origin.request.is_some());
        let result = CreateMessageResult::new("parrot", mcp_protocol::TextContent::new("hello"));
        Box::pin(std::future::ready(Ok(result)))
    }
}

#[derive(Debug)]
struct Desk;

impl Roots for Desk {
    fn roots(&self, _origin: Origin) -> BoxFuture<'_, Vec<Root>> {
        Box::pin(std::future::ready(vec![Root::new("file:///desk")]))
    }

    fn list_changed(&self) -> bool {
        true
    }
}

#[derive(Debug)]
struct Told(mpsc::UnboundedSender<(Value, Option<String>)>);

impl Logging for Told {
    fn log(&self, message: LoggingMessageParams, origin: Origin) -> BoxFuture<'_, ()> {
        let tool = origin.tool.map(|tool| tool.as_ref().to_owned());
        self.0.send((message.data, tool)).unwrap();
        Box::pin(std::future::ready(()))
    }
}

fn form(message: &str) -> Value {
    let schema = json!({"type": "object", "properties": {"name": {"type": "string"}}});
    json!({"message": message, "requestedSchema": schema})
}

#[tokio::test]
async fn life_30_only_what_is_registered_is_declared_and_answered() {
    let (_session, peer) = scripted(json!({}), options(), |mut peer| async move {
        for method in [
            "roots/list",
            "sampling/createMessage",
            "elicitation/create",
            "x/y",
        ] {
            peer.request("q", method, json!({})).await;
            let answer = peer.expect_answer("q").await;
            assert_eq!(answer["error"]["code"], -32601);
        }
    })
    .await;
    assert_eq!(Handlers::new().capabilities(), Default::default());
    peer.finish().await;
}

#[tokio::test]
async fn the_handlers_answer_the_server() {
    let handlers = Handlers::new()
        .with_roots(Desk)
        .with_sampling(Parrot)
        .with_elicitation(Ada);
    let capabilities = handlers.capabilities();
    assert_eq!(
        serde_json::to_value(&capabilities).unwrap(),
        json!({"roots": {"listChanged": true}, "sampling": {}, "elicitation": {}})
    );
    let options = options().with_handlers(handlers);
    let (_session, peer) = scripted(json!({}), options, |mut peer| async move {
        peer.request(1, "roots/list", json!({})).await;
        let roots = peer.expect_answer(1).await;
        assert_eq!(roots["result"]["roots"][0]["uri"], "file:///desk");

        let ask = json!({"messages": [], "maxTokens": 5});
        peer.request(2, "sampling/createMessage", ask.clone()).await;
        let message = peer.expect_answer(2).await;
        assert_eq!(message["result"]["content"]["text"], "hello");

        let mut with_tools = ask;
        with_tools["tools"] = json!([]);
        peer.request(3, "sampling/createMessage", with_tools).await;
        assert_eq!(peer.expect_answer(3).await["error"]["code"], -32602);

        peer.request(4, "elicitation/create", form("name?")).await;
        let answer = peer.expect_answer(4).await;
        assert_eq!(answer["result"], json!({"action": "accept", "content": {"name": "Ada"}}));

        // An answer that does not fit the form stays here.
        peer.request(5, "elicitation/create", form("age?")).await;
        assert_eq!(peer.expect_answer(5).await["error"]["code"], -32603);

        let url = json!({"mode": "url", "message": "m", "url": "https://a.example", "elicitationId": "e"});
        peer.request(6, "elicitation/create", url).await;
        assert_eq!(peer.expect_answer(6).await["error"]["code"], -32602);
    })
    .await;
    peer.finish().await;
}

#[tokio::test]
async fn proto_25_a_change_of_the_roots_is_announced() {
    let options = options().with_handlers(Handlers::new().with_roots(Desk));
    let (session, peer) = scripted(json!({}), options, |mut peer| async move {
        peer.expect("notifications/roots/list_changed").await;
    })
    .await;
    session.roots_changed().await.unwrap();
    peer.finish().await;
}

#[tokio::test]
async fn a_log_message_names_the_tool_while_one_call_is_in_flight() {
    let (told, mut logs) = mpsc::unbounded_channel();
    let options = options()
        .with_handlers(Handlers::new().with_logging(Told(told)))
        .with_log_level(LoggingLevel::Info);
    let capabilities = json!({"tools": {}, "logging": {}});
    let (session, peer) = scripted(capabilities, options, |mut peer| async move {
        let level = peer.expect("logging/setLevel").await;
        assert_eq!(level["params"]["level"], "info");
        peer.answer(&level, json!({})).await;
        let log = |text| json!({"level": "info", "data": text});
        peer.notify("notifications/message", log("idle")).await;
        let call = peer.expect("tools/call").await;
        peer.notify("notifications/message", log("busy")).await;
        let ping = peer.expect("ping").await;
        peer.answer(&ping, json!({})).await;
        peer.answer(&call, json!({"content": []})).await;
    })
    .await;
    assert_eq!(logs.recv().await.unwrap(), (json!("idle"), None));
    let call = mcp_protocol::CallToolParams::new("saw");
    let options = CallOptions::new();
    let called = session.call_tool(call, &options);
    let log = async {
        assert_eq!(
            logs.recv().await.unwrap(),
            (json!("busy"), Some("saw".to_owned()))
        );
        session.ping(&options).await.unwrap();
    };
    let (called, ()) = tokio::join!(called, log);
    called.unwrap();
    peer.finish().await;
}
