//! Servers of 2026-07-28 that ask for input within a call.

use std::sync::Arc;

use mcp_client::{CallOptions, ClientOptions, Error, Handlers, InputError, Session};
use mcp_protocol::CallToolParams;
use mcp_testkit::ScriptedPeer;
use serde_json::{Value, json};

use crate::connects::{Scripted, options, stateless};
use crate::handlers::Ada;

async fn session<F: Future<Output = ()> + Send + 'static>(
    options: ClientOptions,
    script: impl Fn(ScriptedPeer) -> F + Send + Sync + 'static,
) -> (Session, Arc<Scripted>) {
    stateless(json!({"tools": {}}), options, script).await
}

fn asks(requests: &Value, state: Option<&str>) -> Value {
    let mut result = json!({"resultType": "input_required", "inputRequests": requests});
    if let Some(state) = state {
        result["requestState"] = json!(state);
    }
    result
}

fn name_form() -> Value {
    let schema = json!({"type": "object", "properties": {"name": {"type": "string"}}});
    json!({"method": "elicitation/create", "params": {"message": "name?", "requestedSchema": schema}})
}

fn done() -> Value {
    json!({"resultType": "complete", "content": [{"type": "text", "text": "done"}]})
}

fn with_ada() -> ClientOptions {
    options().with_handlers(Handlers::new().with_elicitation(Ada))
}

#[tokio::test]
async fn proto_58_the_call_is_made_again_with_answers_and_state() {
    let (session, peer) = session(with_ada(), |mut peer| async move {
        let first = peer.expect("tools/call").await;
        let meta = &first["params"]["_meta"];
        assert_eq!(
            meta["io.modelcontextprotocol/clientCapabilities"],
            json!({"elicitation": {}})
        );
        assert_eq!(first["params"].get("inputResponses"), None);
        peer.answer(&first, asks(&json!({"who": name_form()}), Some("s1")))
            .await;

        let second = peer.expect("tools/call").await;
        assert_ne!(second["id"], first["id"]);
        let (old, new) = (&first["params"]["_meta"], &second["params"]["_meta"]);
        assert_ne!(new["progressToken"], old["progressToken"]);
        assert_eq!(second["params"]["arguments"], json!({"a": 1}));
        assert_eq!(second["params"]["requestState"], "s1");
        let answers = json!({"who": {"action": "accept", "content": {"name": "Ada"}}});
        assert_eq!(second["params"]["inputResponses"], answers);
        // A state that is not given again is not sent again.
        peer.answer(&second, asks(&json!({"who": name_form()}), None))
            .await;

        let third = peer.expect("tools/call").await;
        assert_eq!(third["params"].get("requestState"), None);
        peer.answer(&third, done()).await;
    })
    .await;
    let params = CallToolParams::new("t")
        .with_arguments(&json!({"a": 1}))
        .unwrap();
    let result = session
        .call_tool(params, &CallOptions::new())
        .await
        .unwrap();
    assert_eq!(result.first_text(), Some("done"));
    peer.finish().await;
}

#[tokio::test(start_paused = true)]
async fn a_state_alone_is_a_request_to_come_back_later() {
    let (session, peer) = session(options(), |mut peer| async move {
        let first = peer.expect("tools/call").await;
        let busy = json!({"resultType": "input_required", "requestState": "later"});
        peer.answer(&first, busy).await;
        let second = peer.expect("tools/call").await;
        assert_eq!(second["params"]["requestState"], "later");
        assert_eq!(second["params"].get("inputResponses"), None);
        peer.answer(&second, done()).await;
    })
    .await;
    let called = session
        .call_tool(CallToolParams::new("t"), &CallOptions::new())
        .await;
    called.unwrap();
    peer.finish().await;
}

#[tokio::test]
async fn proto_62_a_server_that_asks_for_ever_is_left() {
    let mut limited = with_ada();
    limited.max_rounds = 3;
    let (session, peer) = session(limited, |mut peer| async move {
        for _ in 0..4 {
            let call = peer.expect("tools/call").await;
            peer.answer(&call, asks(&json!({"who": name_form()}), None))
                .await;
        }
        assert_eq!(peer.receive().await, None);
    })
    .await;
    let error = session
        .call_tool(CallToolParams::new("t"), &CallOptions::new())
        .await
        .unwrap_err();
    assert!(
        matches!(error, Error::Input(InputError::TooMany { limit: 3 })),
        "{error}"
    );
    session.close().await;
    peer.finish().await;
}

#[tokio::test]
async fn what_is_not_declared_or_empty_ends_the_call() {
    for (result, message) in [
        (
            asks(&json!({"who": name_form()}), None),
            "the client does not offer elicitation, which elicitation/create needs",
        ),
        (
            asks(&json!({}), None),
            "the server asked for input but not for what",
        ),
    ] {
        let (session, _peer) = session(options(), move |mut peer| {
            let result = result.clone();
            async move {
                let call = peer.expect("tools/call").await;
                peer.answer(&call, result).await;
                peer.receive().await;
            }
        })
        .await;
        let called = session
            .call_tool(CallToolParams::new("t"), &CallOptions::new())
            .await;
        assert_eq!(called.unwrap_err().to_string(), message);
    }
}

#[tokio::test]
async fn proto_07_a_kind_of_result_that_is_not_known_is_an_error() {
    let (session, peer) = session(options(), |mut peer| async move {
        let call = peer.expect("tools/call").await;
        peer.answer(&call, json!({"resultType": "riddle", "content": []}))
            .await;
        let list = peer.expect("tools/list").await;
        peer.answer(&list, asks(&json!({"who": name_form()}), None))
            .await;
    })
    .await;
    let called = session
        .call_tool(CallToolParams::new("t"), &CallOptions::new())
        .await;
    assert!(matches!(called.unwrap_err(), Error::Result { .. }));
    let error = session.list_tools().await.unwrap_err();
    assert!(matches!(error, Error::ResultType { .. }), "{error}");
    peer.finish().await;
}
