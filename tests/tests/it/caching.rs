//! What a client keeps of a server's answers, and what it must not keep.

use std::sync::Arc;

use mcp::client::{CallOptions, ClientOptions, Session};
use mcp::http::HttpTransport;
use mcp::protocol::tools::ListTools;
use mcp::{HttpConnect, ServerPool};
use serde_json::{Value, json};

use crate::asked::asked;
use crate::web_script::{self, Seen, WebScript};

/// How long everything may be kept.
const TTL: u64 = 3_600_000;

fn read(params: &Value) -> Value {
    let schema = json!({"type": "object", "properties": {"name": {"type": "string"}}});
    let elicit = json!({"method": "elicitation/create",
        "params": {"message": "who?", "requestedSchema": schema}});
    if params["uri"] == "r://asks" && params.get("inputResponses").is_none() {
        return json!({"resultType": "input_required", "inputRequests": {"who": elicit},
            "requestState": "state"});
    }
    let contents = json!([{"uri": params["uri"], "text": "contents"}]);
    json!({"resultType": "complete", "contents": contents, "ttlMs": TTL,
        "cacheScope": "public"})
}

/// The tools of whoever asks: one that is named after them.
fn tools_of(seen: &Seen) -> Value {
    let name = seen.header("authorization").unwrap_or("nobody");
    json!({"resultType": "complete", "ttlMs": TTL, "cacheScope": "private",
        "tools": [{"name": name, "inputSchema": {"type": "object"}}]})
}

async fn script() -> WebScript {
    WebScript::start(|seen| {
        web_script::without_handshake(seen, &json!({"tools": {}, "resources": {}})).unwrap_or_else(
            || match seen.kind() {
                "resources/read" => web_script::result(seen, &read(&seen.body["params"])),
                "tools/list" => web_script::result(seen, &tools_of(seen)),
                other => panic!("{other}"),
            },
        )
    })
    .await
}

#[tokio::test]
async fn proto_52_what_came_of_input_is_not_kept() {
    let script = script().await;
    let (asked, handlers) = asked();
    let options = ClientOptions::new("test", "1").with_handlers(handlers);
    let client = script.connect(options).await;
    for _ in 0..2 {
        let result = client.read_resource("r://asks", &CallOptions::new()).await;
        assert_eq!(result.unwrap().contents.len(), 1);
    }
    client.close().await;
    // Both times the server was asked, and asked back.
    assert_eq!(asked.all(), ["elicit who?", "elicit who?"]);
    let reads = script
        .kinds()
        .iter()
        .filter(|kind| *kind == "resources/read")
        .count();
    assert_eq!(reads, 4);
}

fn names(list: &mcp::client::Listed<mcp::Tool>) -> Vec<&str> {
    list.items.iter().map(|tool| tool.name.as_str()).collect()
}

#[tokio::test]
async fn proto_52_what_is_private_is_kept_for_its_own_user_only() {
    let script = script().await;
    // Two users by one pool of connections.
    let first = HttpTransport::builder(&script.url).header("authorization", "ada");
    let second = HttpTransport::builder(&script.url).header("authorization", "bob");
    let [ada, bob] = [first, second].map(|builder| HttpConnect::new(builder.build().unwrap()));
    let connect = async |connect: &HttpConnect| {
        let options = ClientOptions::new("test", "1");
        Session::connect(connect, options).await.unwrap()
    };
    let (as_ada, as_bob) = (connect(&ada).await, connect(&bob).await);
    for _ in 0..2 {
        assert_eq!(names(&as_ada.list_tools().await.unwrap()), ["ada"]);
        assert_eq!(names(&as_bob.list_tools().await.unwrap()), ["bob"]);
    }
    // A single request in somebody else's name leaves nothing behind.
    let mut options = CallOptions::new();
    options
        .headers
        .insert("authorization", "eve".parse().unwrap());
    let list = as_ada.list::<ListTools>(&options).await.unwrap();
    assert_eq!(names(&list), ["eve"]);
    assert_eq!(names(&as_ada.list_tools().await.unwrap()), ["ada"]);
    // Nor is what is kept given to them.
    let list = as_bob.list::<ListTools>(&options).await.unwrap();
    assert_eq!(names(&list), ["eve"]);

    let pool = ServerPool::builder()
        .server("ada", Arc::new(ada))
        .server("bob", Arc::new(bob))
        .build();
    for _ in 0..2 {
        let tools = pool.tools().await;
        let mut names: Vec<_> = tools
            .tools
            .iter()
            .map(|tool| tool.name().to_owned())
            .collect();
        names.sort();
        assert_eq!(names, ["ada__ada", "bob__bob"]);
    }
    pool.shutdown().await;
    as_ada.close().await;
    as_bob.close().await;
}
