//! Questions of servers: what may be asked, and which answer belongs to which call.

use mcp::client::{CallOptions, ClientOptions, Session};
use mcp::protocol::{CallToolParams, ElicitRequestURLParams};
use mcp::server::{Context, NoArgs};
use mcp::{Server, Tool};
use serde_json::{Value, json};

use crate::asked::asked;
use crate::lines::{Lines, Played, call, modern_with, request};
use crate::web_script::{self, WebScript};
use crate::wire::{LATEST_HANDSHAKE, MODERN, soon};

fn opens() -> Server {
    let open = Tool::new("open", json!({"type": "object"}));
    Server::builder("opens", "1")
        .tool(open, |_: NoArgs, cx: Context| async move {
            let url = ElicitRequestURLParams::new("sign in", "https://example.com/sign-in");
            let answer = cx.elicit("open", url).await?;
            Ok(format!("{:?}", answer.action))
        })
        .build()
}

#[tokio::test]
async fn proto_15_nobody_is_sent_to_a_url_whose_client_shows_forms_only() {
    let server = opens();
    for elicitation in [json!({}), json!({"form": {}}), json!({"other": {}})] {
        let capabilities = json!({"elicitation": elicitation});
        let mut client =
            Lines::introduced_with(&server, LATEST_HANDSHAKE, capabilities.clone()).await;
        // The next message is the answer; there is no question.
        let answer = client.ask(&request(1, "tools/call", call("open"))).await;
        assert_eq!(answer["id"], 1, "{answer}");
        assert!(!answer.to_string().contains("https://"), "{answer}");

        let (mut client, _peer) = Lines::to(&server);
        let open = modern_with(2, "tools/call", call("open"), capabilities);
        let answer = client.ask(&open).await;
        assert_eq!(answer["id"], 2, "{answer}");
        assert_eq!(answer["error"]["code"], -32021, "{answer}");
        let required = &answer["error"]["data"]["requiredCapabilities"];
        assert_eq!(*required, json!({"elicitation": {"url": {}}}), "{answer}");
        client.silent(MODERN).await;
    }
}

#[tokio::test]
async fn proto_15_who_declares_urls_is_sent_there() {
    let server = opens();
    let capabilities = json!({"elicitation": {"url": {}}});
    let mut client = Lines::introduced_with(&server, LATEST_HANDSHAKE, capabilities.clone()).await;
    let question = client.ask(&request(1, "tools/call", call("open"))).await;
    assert_eq!(question["method"], "elicitation/create");
    assert_eq!(question["params"]["mode"], "url");
    assert!(question["params"]["elicitationId"].is_string());
    client.answer(&question, json!({"action": "decline"})).await;
    assert_eq!(client.next().await["id"], 1);

    let (mut client, _peer) = Lines::to(&server);
    let open = modern_with(2, "tools/call", call("open"), capabilities);
    let answer = client.ask(&open).await;
    let question = &answer["result"]["inputRequests"]["open"]["params"];
    assert_eq!(question["mode"], "url", "{answer}");
    assert_eq!(question.get("elicitationId"), None, "{answer}");
}

#[tokio::test]
async fn proto_18_the_end_of_an_unknown_or_finished_elicitation_is_ignored() {
    let (asked, handlers) = asked();
    let (played, mut connections) = Played::new();
    let options = ClientOptions::new("test", "1").with_handlers(handlers);
    let connecting = tokio::spawn(async move { Session::connect(&played, options).await });
    let mut server = connections.recv().await.unwrap();
    server.welcome(LATEST_HANDSHAKE, json!({"tools": {}})).await;
    let client = soon(connecting).await.unwrap().unwrap();

    let complete = "notifications/elicitation/complete";
    server
        .notify(complete, json!({"elicitationId": "never begun"}))
        .await;
    server.notify(complete, json!({"elicitationId": 7})).await;
    server.notify(complete, json!({})).await;
    let url = json!({"mode": "url", "message": "sign in", "url": "https://example.com",
        "elicitationId": "known"});
    let answer = server.ask(&request("q", "elicitation/create", url)).await;
    assert_eq!(answer["result"], json!({"action": "accept"}), "{answer}");
    for _ in 0..3 {
        server
            .notify(complete, json!({"elicitationId": "known"}))
            .await;
    }
    // Notifications are taken in order, so all of them have been when this is answered.
    let answer = server.ask(&request("end", "ping", json!({}))).await;
    assert_eq!(answer["result"], json!({}));
    let again = json!({"mode": "url", "message": "once more", "url": "https://example.com",
        "elicitationId": "other"});
    let answer = server
        .ask(&request("q2", "elicitation/create", again))
        .await;
    assert_eq!(answer["result"], json!({"action": "accept"}), "{answer}");
    client.close().await;
    assert_eq!(
        asked.all(),
        ["elicit sign in", "completed known", "elicit once more"]
    );
}

/// What a server asks in the first round of a call, and keeps with the client.
fn first_round(name: &str) -> Value {
    let schema = json!({"type": "object", "properties": {"name": {"type": "string"}},
        "required": ["name"]});
    let elicit = json!({"method": "elicitation/create",
        "params": {"message": format!("for {name}"), "requestedSchema": schema}});
    json!({"resultType": "input_required", "inputRequests": {"k": elicit},
        "requestState": format!("state of {name}")})
}

/// In the second round there is no state any more.
fn second_round(name: &str) -> Value {
    let mut round = first_round(name);
    round.as_object_mut().unwrap().remove("requestState");
    round
}

fn last_round(name: &str) -> Value {
    json!({"resultType": "complete", "content": [{"type": "text", "text": name}]})
}

/// Checks that a round has brought what belongs to its own call, and nothing else.
fn check_round(params: &Value, round: usize) {
    let name = params["name"].as_str().unwrap();
    let answer = json!({"k": {"action": "accept", "content": {"name": format!("for {name}")}}});
    match round {
        0 => {
            assert_eq!(params.get("inputResponses"), None, "{params}");
            assert_eq!(params.get("requestState"), None, "{params}");
        }
        1 => {
            assert_eq!(params["inputResponses"], answer, "{params}");
            assert_eq!(
                params["requestState"],
                format!("state of {name}"),
                "{params}"
            );
        }
        _ => {
            assert_eq!(params["inputResponses"], answer, "{params}");
            assert_eq!(params.get("requestState"), None, "{params}");
        }
    }
}

async fn three_calls(client: &Session) {
    let calls = ["a", "b", "c"].map(|name| async move {
        let params = CallToolParams::new(name);
        let result = client.call_tool(params, &CallOptions::new()).await.unwrap();
        assert_eq!(result.text_content(), name);
    });
    soon(futures_util::future::join_all(calls)).await;
}

#[tokio::test]
async fn proto_59_what_is_asked_within_one_call_reaches_no_call_beside_it() {
    let (asked, handlers) = asked();
    let (played, mut connections) = Played::new();
    let options = ClientOptions::new("test", "1").with_handlers(handlers.clone());
    let peer = tokio::spawn(async move {
        let mut server = connections.recv().await.unwrap();
        server.discovered(json!({"tools": {}})).await;
        let mut ids = Vec::new();
        for (round, answer) in [first_round, second_round, last_round]
            .into_iter()
            .enumerate()
        {
            // All three calls are asked at once, and in another order than they came.
            let mut calls = Vec::new();
            for _ in 0..3 {
                calls.push(server.expect("tools/call").await);
            }
            calls.rotate_left(round);
            for call in calls {
                check_round(&call["params"], round);
                ids.push(call["id"].to_string());
                server
                    .answer(&call, answer(call["params"]["name"].as_str().unwrap()))
                    .await;
            }
        }
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), 9, "each round has an id of its own");
        server
    });
    let client = Session::connect(&played, options).await.unwrap();
    three_calls(&client).await;
    drop(soon(peer).await.unwrap());
    assert_eq!(asked.all().len(), 6);

    let script = WebScript::start(|seen| {
        web_script::without_handshake(seen, &json!({"tools": {}})).unwrap_or_else(|| {
            let params = &seen.body["params"];
            let name = params["name"].as_str().unwrap();
            let (round, answer) = match (params.get("inputResponses"), params.get("requestState")) {
                (None, None) => (0, first_round(name)),
                (_, Some(_)) => (1, second_round(name)),
                (Some(_), None) => (2, last_round(name)),
            };
            check_round(params, round);
            web_script::result(seen, &answer)
        })
    })
    .await;
    let client = script
        .connect(ClientOptions::new("test", "1").with_handlers(handlers))
        .await;
    three_calls(&client).await;
    client.close().await;
    let rounds = script
        .kinds()
        .iter()
        .filter(|kind| *kind == "tools/call")
        .count();
    assert_eq!(rounds, 9);
}
