//! One handler asks in both eras.

use mcp_protocol::{Prompt, ProtocolVersion, Resource};
use mcp_server::{Context, NoArgs, Server};
use serde_json::json;

use super::{accept, all, field, round, server};
use crate::rig::{Client, code, text};

#[tokio::test]
async fn one_handler_asks_by_a_request_before_2026() {
    for version in [ProtocolVersion::V2025_06_18, ProtocolVersion::V2025_11_25] {
        let client = Client::new(&server(), version)
            .offering(all())
            .answering(|_, _| accept(json!({"name": "Ada"})));
        let result = client.call_tool("greet", json!({})).await;
        assert_eq!(text(&result), "Hello, Ada!");
        let (method, params) = client.calls().remove(0);
        assert_eq!(method, "elicitation/create");
        assert_eq!(params["requestedSchema"]["required"], json!(["name"]));
    }
}

#[tokio::test]
async fn the_same_handler_asks_by_a_round_in_2026() {
    let client = Client::new(&server(), ProtocolVersion::LATEST).offering(all());
    let asked = client.call_tool("greet", json!({})).await;
    assert_eq!(asked["resultType"], "input_required");
    let question = &asked["inputRequests"]["user_name"];
    assert_eq!(question["method"], "elicitation/create");
    assert_eq!(question["params"]["message"], "?");
    assert!(question["params"].get("_meta").is_none());
    // Nothing has to be remembered yet.
    assert!(asked.get("requestState").is_none());
    assert!(asked.get("content").is_none());
    assert!(client.calls().is_empty());

    let answers = json!({"user_name": accept(json!({"name": "Ada"})), "unasked": 7});
    let result = round(&client, "greet", answers, None).await;
    assert_eq!(text(&result), "Hello, Ada!");
    assert_eq!(result["resultType"], "complete");
}

#[tokio::test]
async fn proto_55_prompts_and_resources_may_ask_and_completions_may_not() {
    let server = Server::builder("all", "1.0.0")
        .prompt(Prompt::new("ask"), |_: NoArgs, cx: Context| async move {
            Ok(field(&cx, "user_context", "context").await?)
        })
        .resource(Resource::new("x:ask", "ask"), |cx: Context| async move {
            Ok(field(&cx, "name", "name").await?)
        })
        .completion(|_, cx: Context| async move { Ok(vec![field(&cx, "name", "name").await?]) })
        .build();
    let client = Client::new(&server, ProtocolVersion::LATEST).offering(all());
    for (method, mut params, key, field) in [
        (
            "prompts/get",
            json!({"name": "ask"}),
            "user_context",
            "context",
        ),
        ("resources/read", json!({"uri": "x:ask"}), "name", "name"),
    ] {
        let asked = client.request(method, params.clone()).await.unwrap();
        assert_eq!(asked["resultType"], "input_required");
        assert!(asked.get("ttlMs").is_none(), "questions are not kept");
        params["inputResponses"] = json!({key: accept(json!({field: "Ada"}))});
        let result = client.request(method, params).await.unwrap();
        assert_eq!(result["resultType"], "complete");
        assert!(result.to_string().contains("Ada"));
    }
    let params = json!({
        "ref": {"type": "ref/prompt", "name": "ask"},
        "argument": {"name": "a", "value": ""},
    });
    assert_eq!(
        code(&client.request("completion/complete", params).await),
        -32603
    );
}

#[tokio::test]
async fn an_answer_that_does_not_fit_fails_the_tool_before_2026() {
    let client = Client::new(&server(), ProtocolVersion::V2025_11_25)
        .offering(all())
        .answering(|_, _| accept(json!({"name": 7})));
    let result = client.call_tool("greet", json!({})).await;
    assert_eq!(result["isError"], true);
    assert_eq!(
        text(&result),
        "the answer of the client does not fit the question"
    );

    // No answer at all.
    let client = Client::new(&server(), ProtocolVersion::V2025_11_25).offering(all());
    let result = client.call_tool("greet", json!({})).await;
    assert!(
        text(&result).starts_with("the client did not answer: "),
        "{result}"
    );
}
