//! Whom the state between two rounds is good for.

use std::sync::Arc;

use mcp_protocol::ProtocolVersion;
use mcp_server::Server;
use serde_json::{Value, json};

use super::{accept, all, builder, round, server};
use crate::rig::{Client, code};

#[tokio::test]
async fn proto_61_a_state_that_was_changed_or_belongs_elsewhere_is_refused() {
    let client = Client::new(&server(), ProtocolVersion::LATEST).offering(all());
    let answers = json!({"step1": accept(json!({"name": "Ada"}))});
    let second = round(&client, "two_steps", answers, None).await;
    let state = second["requestState"].as_str().unwrap();

    for changed in [
        format!("{state}-TAMPERED"),
        format!("A{state}"),
        state[1..].to_owned(),
        state.split_once('.').unwrap().0.to_owned(),
        String::new(),
        ".".to_owned(),
        "x".repeat(100_000),
    ] {
        let params = json!({"name": "two_steps", "requestState": changed});
        assert_eq!(
            code(&client.request("tools/call", params).await),
            -32602,
            "{changed}"
        );
    }
    for params in [
        json!({"name": "greet", "requestState": state}),
        json!({"name": "two_steps", "arguments": {"a": 1}, "requestState": state}),
    ] {
        assert_eq!(code(&client.request("tools/call", params).await), -32602);
    }
    let elsewhere = Client::new(&server(), ProtocolVersion::LATEST).offering(all());
    let params = json!({"name": "two_steps", "requestState": state});
    assert_eq!(code(&elsewhere.request("tools/call", params).await), -32602);
}

#[tokio::test]
async fn proto_61_a_state_of_more_than_64_kib_is_not_made() {
    let client = Client::new(&server(), ProtocolVersion::LATEST).offering(all());
    let call = async |length: usize| {
        let answers = json!({"step1": accept(json!({"name": "x".repeat(length)}))});
        let params = json!({"name": "two_steps", "inputResponses": answers});
        client.request("tools/call", params).await
    };
    // The state is written in four thirds of what it holds.
    let state = call(48_000).await.unwrap()["requestState"].clone();
    assert!(state.as_str().unwrap().len() <= 64 * 1024);
    assert_eq!(code(&call(50_000).await), -32603);
}

#[tokio::test]
async fn proto_61_a_state_is_good_for_its_principal_only_and_for_servers_with_the_same_key() {
    #[derive(Clone)]
    struct User(&'static str);
    let build = || {
        builder()
            .state_key([7; 32])
            .principal(|extensions| extensions.get::<User>().map(|user| user.0.to_owned()))
            .build()
    };
    let send = async |server: &Server, user: Option<&'static str>, params: Value| {
        let client = Client::new(server, ProtocolVersion::LATEST).offering(all());
        let mut incoming = client.incoming("tools/call", Some(&params.to_string()));
        if let Some(user) = user {
            incoming.extensions.insert(User(user));
        }
        let answer = mcp_transport::Handler::request(Arc::new(server.clone()), incoming).await;
        answer.map(|raw| raw.decode::<Value>().unwrap())
    };
    let (one, other) = (build(), build());
    let answers = json!({"step1": accept(json!({"name": "Ada"}))});
    let params = json!({"name": "two_steps", "inputResponses": answers});
    let second = send(&one, Some("ada"), params).await.unwrap();
    let params = json!({"name": "two_steps", "requestState": second["requestState"]});

    assert!(send(&other, Some("ada"), params.clone()).await.is_ok());
    for user in [Some("eve"), None] {
        assert_eq!(
            code(&send(&one, user, params.clone()).await),
            -32602,
            "{user:?}"
        );
    }
}
