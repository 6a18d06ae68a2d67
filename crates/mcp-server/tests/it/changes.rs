//! Changes that clients are told of, in both eras.

use std::sync::Arc;

use mcp_jsonrpc::{Id, RawJson};
use mcp_protocol::{Prompt, ProtocolVersion, Resource, ResourceTemplate, Tool};
use mcp_server::{Changes, Context, NoArgs, Server, TemplateVars};
use mcp_transport::{Handler, Session};
use serde_json::{Value, json};
use tokio::task::{JoinHandle, yield_now};

use crate::rig::{Client, ERAS, code};

const TOOLS: &str = "notifications/tools/list_changed";
const PROMPTS: &str = "notifications/prompts/list_changed";
const RESOURCES: &str = "notifications/resources/list_changed";
const UPDATED: &str = "notifications/resources/updated";
const ACKNOWLEDGED: &str = "notifications/subscriptions/acknowledged";
const ID: &str = "io.modelcontextprotocol/subscriptionId";

fn server(changes: &Changes) -> Server {
    Server::builder("news", "1.0.0")
        .tool(
            Tool::new("t", json!({"type": "object"})),
            |_: NoArgs, _: Context| async { Ok(()) },
        )
        .prompt(Prompt::new("p"), |_: NoArgs, _: Context| async { Ok("p") })
        .fixed_resource(Resource::new("news://today", "today"), "nothing")
        .resource_template(
            ResourceTemplate::new("news://{day}", "any"),
            |_: TemplateVars, _: Context| async { Ok("n") },
        )
        .unwrap()
        .changes(changes)
        .build()
}

async fn all_change(changes: &Changes) {
    changes.tools_changed().await;
    changes.prompts_changed().await;
    changes.resources_changed().await;
    changes.resource_updated("news://today").await;
    changes.resource_updated("news://other").await;
}

/// Lets everything that can go on go on.
async fn settle() {
    for _ in 0..16 {
        yield_now().await;
    }
}

fn listen(
    server: &Server,
    client: &Client,
    id: impl Into<Id>,
    filter: &Value,
) -> JoinHandle<Value> {
    let params = json!({ "notifications": filter }).to_string();
    let mut incoming = client.incoming("subscriptions/listen", Some(&params));
    incoming.message.id = id.into();
    let answer = Arc::new(server.clone()).request(incoming);
    tokio::spawn(async move {
        answer
            .await
            .map(|raw| RawJson::decode(&raw).unwrap())
            .unwrap()
    })
}

#[test]
fn proto_12_who_tells_of_changes_declares_it_for_what_there_is() {
    let declared = |server: &Server| serde_json::to_value(&server.identity().capabilities).unwrap();
    let changes = Changes::new();
    assert_eq!(
        declared(&server(&changes)),
        json!({
            "tools": {"listChanged": true},
            "prompts": {"listChanged": true},
            "resources": {"listChanged": true, "subscribe": true},
        })
    );
    let empty = Server::builder("empty", "1.0.0").changes(&changes).build();
    assert_eq!(declared(&empty), json!({}));
}

#[tokio::test]
async fn a_session_is_told_of_lists_and_of_what_it_has_subscribed_to() {
    let changes = Changes::new();
    let server = server(&changes);
    let client = Client::new(&server, ProtocolVersion::LATEST_HANDSHAKE);
    all_change(&changes).await;
    assert!(
        client.notifications(TOOLS).is_empty(),
        "nobody is known yet"
    );

    let subscribe = json!({"uri": "news://today"});
    let answer = client
        .request("resources/subscribe", subscribe.clone())
        .await;
    assert_eq!(answer.unwrap(), json!({}));
    all_change(&changes).await;
    for method in [TOOLS, PROMPTS, RESOURCES] {
        assert_eq!(client.notifications(method), [Value::Null], "{method}");
    }
    assert_eq!(client.notifications(UPDATED)[0], subscribe);

    client
        .request("resources/unsubscribe", subscribe)
        .await
        .unwrap();
    all_change(&changes).await;
    assert_eq!(client.notifications(UPDATED).len(), 1);
    assert_eq!(client.notifications(TOOLS).len(), 2);
}

#[tokio::test]
async fn a_session_that_has_ended_is_told_nothing() {
    let changes = Changes::new();
    let server = server(&changes);
    let client = Client::new(&server, ERAS[0]);
    client.request("tools/list", json!({})).await.unwrap();
    client.session.as_ref().unwrap().ended().cancel();
    all_change(&changes).await;
    assert!(client.notifications(TOOLS).is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_session_that_does_not_take_the_news_is_waited_for_5_seconds() {
    let changes = Changes::new();
    let client = Client::new(&server(&changes), ERAS[0])
        .stuck()
        .with_session();
    client.request("tools/list", json!({})).await.unwrap();
    let begun = tokio::time::Instant::now();
    changes.tools_changed().await;
    assert_eq!(client.notifications(TOOLS).len(), 1);
    assert_eq!(begun.elapsed().as_secs(), 5);
}

#[tokio::test]
async fn a_session_is_told_by_its_own_channel() {
    let changes = Changes::new();
    let server = server(&changes);
    let mut client = Client::new(&server, ERAS[0]);
    let stream = Client::new(&server, ERAS[0]).channel;
    client.session = Some(Session::new(stream.clone()));
    client.request("tools/list", json!({})).await.unwrap();
    changes.tools_changed().await;
    assert!(client.notifications(TOOLS).is_empty());
    client.channel = stream;
    assert_eq!(client.notifications(TOOLS).len(), 1);
}

#[tokio::test]
async fn what_cannot_be_subscribed_to_is_refused() {
    let changes = Changes::new();
    let server = server(&changes);
    let client = Client::new(&server, ERAS[0]);
    let unknown = json!({"uri": "other://x"});
    let answer = client.request("resources/subscribe", unknown).await;
    assert_eq!(code(&answer), -32002);
    let newest = Client::new(&server, ERAS[1]);
    let known = json!({"uri": "news://today"});
    let answer = newest.request("resources/subscribe", known).await;
    assert_eq!(code(&answer), -32601, "proto_33");

    for n in 0..=Changes::MAX_SUBSCRIPTIONS {
        let uri = json!({ "uri": format!("news://{n}") });
        let answer = client.request("resources/subscribe", uri).await;
        assert_eq!(answer.is_ok(), n < Changes::MAX_SUBSCRIPTIONS, "{n}");
    }
}

#[tokio::test]
async fn proto_63_a_subscription_begins_with_what_is_honoured() {
    let changes = Changes::new();
    let full = server(&changes);
    let tools_only = Server::builder("tools", "1.0.0")
        .tool(
            Tool::new("t", json!({"type": "object"})),
            |_: NoArgs, _: Context| async { Ok(()) },
        )
        .changes(&changes)
        .build();
    let filter = json!({
        "toolsListChanged": true,
        "promptsListChanged": true,
        "resourcesListChanged": false,
        "resourceSubscriptions": ["news://today"],
    });
    for (server, honoured) in [
        (
            &full,
            json!({
                "toolsListChanged": true,
                "promptsListChanged": true,
                "resourceSubscriptions": ["news://today"],
            }),
        ),
        (&tools_only, json!({"toolsListChanged": true})),
    ] {
        let client = Client::new(server, ERAS[1]);
        let listening = listen(server, &client, "s", &filter);
        settle().await;
        let ack = json!({"notifications": honoured, "_meta": {ID: "s"}});
        assert_eq!(client.notifications(ACKNOWLEDGED), [ack]);
        listening.abort();
    }
}

#[tokio::test]
async fn proto_64_proto_65_only_what_was_asked_for_is_told_and_under_its_id() {
    let changes = Changes::new();
    let server = server(&changes);
    let (one, two) = (Client::new(&server, ERAS[1]), Client::new(&server, ERAS[1]));
    let tools = json!({"toolsListChanged": true});
    let resource = json!({"resourceSubscriptions": ["news://today"]});
    let listening = [
        listen(&server, &one, 7, &tools),
        listen(&server, &two, "7", &resource),
    ];
    settle().await;
    all_change(&changes).await;
    settle().await;
    assert_eq!(one.notifications(TOOLS), [json!({"_meta": {ID: 7}})]);
    assert_eq!(
        two.notifications(UPDATED),
        [json!({"uri": "news://today", "_meta": {ID: "7"}})]
    );
    for client in [&one, &two] {
        assert!(client.notifications(PROMPTS).is_empty());
        assert!(client.notifications(RESOURCES).is_empty());
    }
    assert!(one.notifications(UPDATED).is_empty());
    assert!(two.notifications(TOOLS).is_empty());
    listening.iter().for_each(JoinHandle::abort);
}

#[tokio::test]
async fn the_same_change_many_times_is_news_once_for_who_is_slow() {
    let changes = Changes::new();
    let server = server(&changes);
    let client = Client::new(&server, ERAS[1]);
    let listening = listen(&server, &client, 1, &json!({"toolsListChanged": true}));
    settle().await;
    for _ in 0..1000 {
        changes.tools_changed().await;
    }
    settle().await;
    assert_eq!(client.notifications(TOOLS).len(), 1);
    changes.tools_changed().await;
    settle().await;
    assert_eq!(client.notifications(TOOLS).len(), 2);
    listening.abort();
}

#[tokio::test]
async fn proto_67_a_subscription_that_the_server_ends_is_answered() {
    let changes = Changes::new();
    let server = server(&changes);
    let client = Client::new(&server, ERAS[1]);
    let listening = listen(&server, &client, "s", &json!({"toolsListChanged": true}));
    settle().await;
    changes.tools_changed().await;
    changes.close();
    let result = listening.await.unwrap();
    assert_eq!(result["resultType"], "complete");
    assert_eq!(result["_meta"][ID], "s");
    assert_eq!(
        client.notifications(TOOLS).len(),
        1,
        "what was noted before is told"
    );
}

#[tokio::test]
async fn a_filter_that_cannot_be_is_refused() {
    let changes = Changes::new();
    let client = Client::new(&server(&changes), ERAS[1]);
    let many: Vec<_> = (0..=Changes::MAX_SUBSCRIPTIONS)
        .map(|n| n.to_string())
        .collect();
    for (params, expected) in [
        (json!({}), -32602),
        (json!({"notifications": 1}), -32602),
        (
            json!({"notifications": {"resourceSubscriptions": many}}),
            -32602,
        ),
        (json!({"notifications": {"taskIds": ["1"]}}), -32021),
    ] {
        let answer = client.request("subscriptions/listen", params).await;
        assert_eq!(code(&answer), expected);
    }
    let older = Client::new(&server(&changes), ERAS[0]);
    let params = json!({"notifications": {}});
    assert_eq!(
        code(&older.request("subscriptions/listen", params).await),
        -32601
    );
}

#[tokio::test]
async fn what_is_offered_can_be_changed_at_work_and_clients_are_told() {
    let changes = Changes::new();
    let server = server(&changes);
    let client = Client::new(&server, ERAS[0]);
    let names = async || {
        let list = client.request("tools/list", json!({})).await.unwrap();
        let tools = list["tools"].as_array().unwrap().clone();
        tools
            .iter()
            .map(|tool| tool["name"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(names().await, ["t"]);

    let schema = json!({"type": "object"});
    server
        .edit(|offer| {
            offer.tool(Tool::new("u", schema), |_: NoArgs, _: Context| async {
                Ok("new")
            });
            assert!(!offer.remove_prompt("nothing"));
        })
        .await;
    assert_eq!(names().await, ["t", "u"]);
    assert_eq!(client.notifications(TOOLS).len(), 1);
    assert_eq!(
        crate::rig::text(&client.call_tool("u", json!({})).await),
        "new"
    );

    server.edit(|offer| assert!(offer.remove_tool("t"))).await;
    assert_eq!(names().await, ["u"]);
    let gone = client.request("tools/call", json!({"name": "t"})).await;
    assert_eq!(code(&gone), -32602);

    server
        .edit(|offer| {
            offer.fixed_resource(Resource::new("news://today", "today"), "something");
        })
        .await;
    assert_eq!(client.notifications(RESOURCES).len(), 1);
    let read = client
        .request("resources/read", json!({"uri": "news://today"}))
        .await
        .unwrap();
    assert_eq!(read["contents"][0]["text"], "something");

    server.edit(|_| {}).await;
    assert_eq!(client.notifications(TOOLS).len(), 2);
    assert_eq!(client.notifications(RESOURCES).len(), 1);
    assert!(client.notifications(PROMPTS).is_empty());
}
