//! Sending the user to a URL.

use mcp_protocol::elicitation::ElicitRequestURLParams;
use mcp_protocol::{ProtocolVersion, URLElicitationRequiredError};
use mcp_server::{Context, NoArgs, Server, ToolError};
use serde_json::{Value, json};

use super::{server, tool};
use crate::rig::{Client, text};

#[tokio::test]
async fn a_url_has_an_id_only_in_the_revision_that_wants_one() {
    let offered = json!({"elicitation": {"url": {}}});
    let older = Client::new(&server(), ProtocolVersion::V2025_11_25)
        .offering(offered.clone())
        .answering(|_, _| json!({"action": "accept"}));
    let result = older.call_tool("open", json!({})).await;
    assert_eq!(text(&result), "true");
    assert_eq!(
        older.calls()[0].1["elicitationId"].as_str().unwrap().len(),
        32
    );

    let newest = Client::new(&server(), ProtocolVersion::LATEST).offering(offered);
    let asked = newest.call_tool("open", json!({})).await;
    let params = &asked["inputRequests"]["open"]["params"];
    assert_eq!(params["mode"], "url");
    assert!(params.get("elicitationId").is_none());
}

#[tokio::test]
async fn proto_19_a_tool_may_send_its_user_to_a_url_first_and_say_when_that_is_done() {
    let server = Server::builder("urls", "1.0.0")
        .tool(tool("first"), |_: NoArgs, _: Context| async {
            let url = ElicitRequestURLParams::new("Sign in", "https://example.com")
                .with_elicitation_id("e1");
            let error = URLElicitationRequiredError::new(vec![url]);
            Err::<(), _>(ToolError::protocol(error.into()))
        })
        .tool(tool("done"), |_: NoArgs, cx: Context| async move {
            cx.elicitation_complete("e1").await;
            Ok(())
        })
        .build();
    let offered = json!({"elicitation": {"url": {}}});
    let client = Client::new(&server, ProtocolVersion::V2025_11_25).offering(offered.clone());
    let error = client
        .request("tools/call", json!({"name": "first"}))
        .await
        .unwrap_err();
    assert_eq!(error.code.0, -32042);
    let data: Value = serde_json::from_str(error.data.unwrap().get()).unwrap();
    assert_eq!(data["elicitations"][0]["mode"], "url");
    assert_eq!(data["elicitations"][0]["elicitationId"], "e1");
    client.call_tool("done", json!({})).await;
    let told = client.notifications("notifications/elicitation/complete");
    assert_eq!(told, [json!({"elicitationId": "e1"})]);

    let newest = Client::new(&server, ProtocolVersion::LATEST).offering(offered);
    newest.call_tool("done", json!({})).await;
    assert!(
        newest
            .notifications("notifications/elicitation/complete")
            .is_empty()
    );
}
