//! Rounds of input: what is asked again, what is remembered, what happens once.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use mcp_protocol::ProtocolVersion;
use mcp_server::{Context, NoArgs, Server, ToolError};
use serde_json::{Value, json};

use super::{accept, all, field, round, server, tool};
use crate::rig::{Client, code, text};

#[tokio::test]
async fn proto_60_what_is_no_answer_is_asked_again() {
    let client = Client::new(&server(), ProtocolVersion::LATEST).offering(all());
    for answers in [
        Value::Null,
        json!({}),
        json!({"other": accept(json!({"name": "Ada"}))}),
        json!({"user_name": 7}),
        json!({"user_name": null}),
        json!({"user_name": {"content": {"name": "Ada"}}}),
        json!({"user_name": accept(json!({}))}),
        json!({"user_name": accept(json!({"name": 7}))}),
        json!({"user_name": {"action": "accept"}}),
    ] {
        let again = round(&client, "greet", answers.clone(), None).await;
        assert_eq!(again["resultType"], "input_required", "{answers}");
        assert!(again["inputRequests"]["user_name"].is_object(), "{answers}");
    }
    let declined = json!({"user_name": {"action": "decline"}});
    assert_eq!(
        text(&round(&client, "greet", declined, None).await),
        "Hello, nobody!"
    );

    let malformed = json!({"name": "greet", "inputResponses": [1]});
    assert_eq!(code(&client.request("tools/call", malformed).await), -32602);
}

#[tokio::test]
async fn answers_of_earlier_rounds_are_remembered_by_the_state() {
    let client = Client::new(&server(), ProtocolVersion::LATEST).offering(all());
    let first = client.call_tool("two_steps", json!({})).await;
    assert!(first["inputRequests"]["step1"].is_object());

    let answers = json!({"step1": accept(json!({"name": "Ada"}))});
    let second = round(&client, "two_steps", answers, None).await;
    let asked: Vec<_> = second["inputRequests"]
        .as_object()
        .unwrap()
        .keys()
        .collect();
    assert_eq!(asked, ["step2"]);
    let state = second["requestState"].as_str().expect("a state");
    assert!(!state.is_empty());

    let answers = json!({"step2": accept(json!({"color": "green"}))});
    let third = round(&client, "two_steps", answers, second.get("requestState")).await;
    assert_eq!(text(&third), "Ada likes green");
}

#[tokio::test]
async fn questions_side_by_side_are_asked_in_one_round() {
    let client = Client::new(&server(), ProtocolVersion::LATEST).offering(all());
    let asked = client.call_tool("side_by_side", json!({})).await;
    let questions = &asked["inputRequests"];
    assert_eq!(questions.as_object().unwrap().len(), 3);
    assert_eq!(questions["greeting"]["method"], "sampling/createMessage");
    assert_eq!(questions["roots"]["method"], "roots/list");

    let spoken = json!({
        "role": "assistant", "model": "m", "content": {"type": "text", "text": "Hi"},
    });
    let answers = json!({
        "user_name": accept(json!({"name": "Ada"})),
        "greeting": spoken,
        "roots": {"roots": [{"uri": "file:///work"}]},
    });
    let result = round(&client, "side_by_side", answers, None).await;
    assert_eq!(text(&result), "Ada in file:///work");
}

async fn order(cx: Context, orders: Arc<AtomicUsize>) -> Result<String, ToolError> {
    let create = || async { orders.fetch_add(1, Ordering::SeqCst) + 1 };
    let order = cx.once("order", create).await;
    let name = field(&cx, "name", "name").await?;
    let color = field(&cx, "color", "color").await?;
    Ok(format!("{order} {name} {color}"))
}

#[tokio::test]
async fn what_is_to_happen_once_happens_once_whatever_the_rounds() {
    let orders = Arc::new(AtomicUsize::new(0));
    let counter = orders.clone();
    let server = Server::builder("shop", "1.0.0")
        .tool(tool("order"), move |_: NoArgs, cx: Context| {
            order(cx, counter.clone())
        })
        .build();
    let client = Client::new(&server, ProtocolVersion::LATEST).offering(all());
    let one = client.call_tool("order", json!({})).await;
    let answers = json!({"name": accept(json!({"name": "Ada"}))});
    let two = round(&client, "order", answers, one.get("requestState")).await;
    let answers = json!({"color": accept(json!({"color": "red"}))});
    let three = round(&client, "order", answers, two.get("requestState")).await;
    assert_eq!(text(&three), "1 Ada red");
    assert_eq!(orders.load(Ordering::SeqCst), 1);

    let older = Client::new(&server, ProtocolVersion::LATEST_HANDSHAKE)
        .offering(all())
        .answering(|_, _| accept(json!({"name": "Bob", "color": "blue"})));
    assert_eq!(
        text(&older.call_tool("order", json!({})).await),
        "2 Bob blue"
    );
}

async fn insist(cx: Context) -> Result<String, ToolError> {
    loop {
        let name = field(&cx, "name", "name").await?;
        if name != "nobody" {
            return Ok(name);
        }
    }
}

#[tokio::test]
async fn a_key_that_is_used_again_is_another_question() {
    let server = Server::builder("insists", "1.0.0")
        .tool(tool("insist"), |_: NoArgs, cx: Context| insist(cx))
        .build();
    let client = Client::new(&server, ProtocolVersion::LATEST).offering(all());
    let declined = json!({"name": {"action": "decline"}});
    let again = round(&client, "insist", declined, None).await;
    let asked: Vec<_> = again["inputRequests"].as_object().unwrap().keys().collect();
    assert_eq!(asked, ["name#2"]);
    let answers = json!({"name#2": accept(json!({"name": "Ada"}))});
    let result = round(&client, "insist", answers, again.get("requestState")).await;
    assert_eq!(text(&result), "Ada");
}
