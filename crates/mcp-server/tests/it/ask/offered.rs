//! What the client does not offer is not asked.

use mcp_protocol::ProtocolVersion;
use mcp_protocol::sampling::{CreateMessageParams, SamplingMessage};
use mcp_server::{AskError, Context, NoArgs, Server};
use serde_json::{Value, json};

use super::{all, field, server, tool};
use crate::rig::{Client, ERAS, code, text};

#[tokio::test]
async fn proto_57_what_the_client_does_not_offer_is_not_asked() {
    let newest = Client::new(&server(), ProtocolVersion::LATEST);
    for (offered, name, required) in [
        (json!({}), "greet", json!({"elicitation": {}})),
        (json!({"sampling": {}}), "greet", json!({"elicitation": {}})),
        (
            json!({"elicitation": {}}),
            "open",
            json!({"elicitation": {"url": {}}}),
        ),
        (
            json!({"elicitation": {"url": {}}}),
            "greet",
            json!({"elicitation": {"form": {}}}),
        ),
    ] {
        let client = newest.clone().offering(offered);
        let error = client
            .request("tools/call", json!({ "name": name }))
            .await
            .unwrap_err();
        assert_eq!(error.code.0, -32021);
        let data: Value = serde_json::from_str(error.data.unwrap().get()).unwrap();
        assert_eq!(data, json!({ "requiredCapabilities": required }));
    }
}

#[tokio::test]
async fn proto_13_before_2026_what_is_not_offered_fails_the_tool_and_nothing_is_sent() {
    for (version, offered, says) in [
        (
            ProtocolVersion::V2025_11_25,
            json!({}),
            "the client does not offer elicitation",
        ),
        (
            ProtocolVersion::V2025_03_26,
            all(),
            "revision 2025-03-26 has no elicitation/create",
        ),
    ] {
        let client = Client::new(&server(), version).offering(offered);
        let result = client.call_tool("greet", json!({})).await;
        assert_eq!(result["isError"], true);
        assert!(text(&result).contains(says), "{result}");
        assert!(client.calls().is_empty());
    }
}

#[tokio::test]
async fn a_handler_may_do_without_what_is_not_offered() {
    let server = Server::builder("modest", "1.0.0")
        .tool(tool("modest"), |_: NoArgs, cx: Context| async move {
            match field(&cx, "name", "name").await {
                Err(AskError::NotOffered { .. }) => Ok("Hello, stranger!".to_owned()),
                name => Ok(format!("Hello, {}!", name?)),
            }
        })
        .build();
    for version in ERAS {
        let result = Client::new(&server, version)
            .call_tool("modest", json!({}))
            .await;
        assert_eq!(text(&result), "Hello, stranger!");
    }
}

#[tokio::test]
async fn proto_21_sampling_with_tools_needs_its_capability() {
    let server = Server::builder("samples", "1.0.0")
        .tool(tool("sample"), |_: NoArgs, cx: Context| async move {
            let message = SamplingMessage::user("hi");
            let params = CreateMessageParams::new(vec![message], 10).with_tools(vec![tool("x")]);
            cx.sample("s", params).await?;
            Ok(())
        })
        .build();
    let client = Client::new(&server, ProtocolVersion::LATEST).offering(json!({"sampling": {}}));
    let answer = client
        .request("tools/call", json!({"name": "sample"}))
        .await;
    assert_eq!(code(&answer), -32021);
    let client = client.offering(json!({"sampling": {"tools": {}}}));
    let asked = client.call_tool("sample", json!({})).await;
    assert_eq!(
        asked["inputRequests"]["s"]["params"]["tools"][0]["name"],
        "x"
    );
}

#[tokio::test]
async fn proto_15_who_shows_forms_only_is_sent_to_no_url() {
    for offered in [
        json!({"elicitation": {}}),
        json!({"elicitation": {"form": {}}}),
    ] {
        let newest = Client::new(&server(), ProtocolVersion::LATEST).offering(offered.clone());
        let answer = newest.request("tools/call", json!({"name": "open"})).await;
        assert_eq!(code(&answer), -32021);

        let older = Client::new(&server(), ProtocolVersion::V2025_11_25).offering(offered);
        let result = older.call_tool("open", json!({})).await;
        assert_eq!(result["isError"], true);
        assert!(older.calls().is_empty());
    }
}
