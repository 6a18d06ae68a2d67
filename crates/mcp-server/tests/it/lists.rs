//! Lists: order, pages, cursors; and which methods there are.

use mcp_protocol::{Prompt, ProtocolVersion, Resource, ResourceTemplate, Tool};
use mcp_server::{Context, NoArgs, RequestError, Server, TemplateVars};
use serde_json::{Value, json};

use crate::rig::{Client, ERAS, code};

fn with_tools(count: usize, page_size: usize) -> Server {
    (0..count)
        .fold(Server::builder("many", "1.0.0"), |builder, n| {
            let schema = json!({"type": "object", "properties": {"z": {}, "a": {}}});
            // Names in an order that is neither that of the alphabet nor that of a hash.
            builder.tool(
                Tool::new(format!("tool_{}", n * 7 % count), schema),
                |_: NoArgs, _: Context| async { Ok(()) },
            )
        })
        .page_size(page_size)
        .build()
}

async fn all_names(client: &Client) -> Vec<String> {
    let mut names = Vec::new();
    let mut cursor = Value::Null;
    loop {
        let page = client
            .request("tools/list", json!({ "cursor": cursor }))
            .await
            .unwrap();
        let tools = page["tools"].as_array().unwrap();
        names.extend(tools.iter().map(|t| t["name"].as_str().unwrap().to_owned()));
        match page.get("nextCursor") {
            Some(next) => cursor = next.clone(),
            None => return names,
        }
    }
}

#[tokio::test]
async fn proto_54_a_list_is_in_the_order_of_registration_on_every_connection() {
    let expected: Vec<String> = (0..50).map(|n| format!("tool_{}", n * 7 % 50)).collect();
    for page_size in [1, 7, 50, 1000] {
        let server = with_tools(50, page_size);
        for version in ERAS {
            assert_eq!(all_names(&Client::new(&server, version)).await, expected);
        }
        // The same list after a restart: a cursor is good for both.
        let again = with_tools(50, page_size);
        assert_eq!(all_names(&Client::new(&again, ERAS[0])).await, expected);
    }
}

#[tokio::test]
async fn proto_27_a_cursor_of_another_list_is_refused() {
    let server = with_tools(10, 4);
    let client = Client::new(&server, ERAS[0]);
    let page = client.request("tools/list", json!({})).await.unwrap();
    let cursor = page["nextCursor"].as_str().unwrap();
    let other = Client::new(&with_tools(11, 4), ERAS[0]);
    for (client, cursor) in [
        (&other, cursor),
        (&client, ""),
        (&client, "1"),
        (&client, "9.0"),
        (&client, "18446744073709551615.ffffffffffffffff"),
        (&client, &format!("9{cursor}")),
    ] {
        let answer = client
            .request("tools/list", json!({ "cursor": cursor }))
            .await;
        assert_eq!(code(&answer), -32602, "{cursor}");
    }
}

#[tokio::test]
async fn t06_a_list_needs_no_params() {
    let client = Client::new(&with_tools(1, 4), ERAS[0]);
    for params in [
        None,
        Some("{}"),
        Some(r#"{"cursor":null}"#),
        Some(r#"{"_meta":{}}"#),
    ] {
        assert!(
            client.send("tools/list", params).await.is_ok(),
            "{params:?}"
        );
    }
    let answer = client.request("tools/list", json!({"cursor": 1})).await;
    assert_eq!(code(&answer), -32602);
}

#[tokio::test]
async fn rpc_12_proto_12_only_what_was_registered_is_declared_and_answered() {
    let empty = Server::builder("empty", "1.0.0").build();
    let capabilities = serde_json::to_value(&empty.identity().capabilities).unwrap();
    assert_eq!(capabilities, json!({}));
    for method in [
        "tools/list",
        "tools/call",
        "resources/list",
        "resources/templates/list",
        "resources/read",
        "resources/subscribe",
        "prompts/list",
        "prompts/get",
        "completion/complete",
        "logging/setLevel",
        "subscriptions/listen",
        "tasks/get",
        "nonsense",
    ] {
        for version in ERAS {
            let answer = Client::new(&empty, version)
                .request(method, json!({}))
                .await;
            assert_eq!(code(&answer), -32601, "{method}");
        }
    }
}

#[tokio::test]
async fn proto_12_all_that_was_registered_is_declared_and_answered() {
    let server = Server::builder("full", "1.0.0")
        .tool(
            Tool::new("t", json!({"type": "object"})),
            |_: NoArgs, _: Context| async { Ok(()) },
        )
        .fixed_resource(Resource::new("x:1", "one"), "1")
        .resource_template(
            ResourceTemplate::new("x:{n}", "any"),
            |_: TemplateVars, _: Context| async { Ok("n") },
        )
        .unwrap()
        .prompt(Prompt::new("p"), |_: NoArgs, _: Context| async { Ok("p") })
        .completion(|_, _: Context| async { Ok(Vec::new()) })
        .logging()
        .build();
    let capabilities = serde_json::to_value(&server.identity().capabilities).unwrap();
    let expected =
        json!({"tools": {}, "resources": {}, "prompts": {}, "completions": {}, "logging": {}});
    assert_eq!(capabilities, expected);
    let client = Client::new(&server, ERAS[0]);
    for (method, list) in [
        ("tools/list", "tools"),
        ("resources/list", "resources"),
        ("resources/templates/list", "resourceTemplates"),
        ("prompts/list", "prompts"),
    ] {
        let result = client.request(method, json!({})).await.unwrap();
        assert_eq!(result[list].as_array().unwrap().len(), 1, "{method}");
    }
}

#[tokio::test]
async fn proto_33_methods_of_the_handshake_era_are_unknown_without_it() {
    let server = Server::builder("logs", "1.0.0").logging().build();
    let set = json!({"level": "debug"});
    let newest = Client::new(&server, ProtocolVersion::LATEST);
    assert_eq!(
        code(&newest.request("logging/setLevel", set.clone()).await),
        -32601
    );
    let older = Client::new(&server, ProtocolVersion::LATEST_HANDSHAKE);
    assert_eq!(
        older.request("logging/setLevel", set).await.unwrap(),
        json!({})
    );
}

#[derive(serde::Deserialize)]
struct Params {
    n: u32,
}

#[tokio::test]
async fn a_method_of_an_extension_is_answered_like_any_other() {
    let settings = json!({"deep": true}).as_object().unwrap().clone();
    let server = Server::builder("extended", "1.0.0")
        .extension("com.example/double", settings)
        .method(
            "com.example/double",
            |params: Params, _: Context| async move { Ok(json!({"twice": params.n * 2})) },
        )
        .method("com.example/list", |_: Value, _: Context| async { Ok([1]) })
        .method("com.example/fails", |_: Value, _: Context| async {
            let error: Result<Value, _> = Err(RequestError::invalid_params("no"));
            error
        })
        .build();
    let declared = server.identity().capabilities_in(ProtocolVersion::LATEST);
    assert!(declared.has_extension("com.example/double"));
    for version in ERAS {
        let client = Client::new(&server, version);
        let result = client
            .request("com.example/double", json!({"n": 2}))
            .await
            .unwrap();
        assert_eq!(result["twice"], 4);
        let kind = version.is_stateless().then(|| json!("complete"));
        assert_eq!(result.get("resultType"), kind.as_ref());
        for (method, params, expected) in [
            ("com.example/double", json!({"n": "x"}), -32602),
            ("com.example/double", json!([2]), -32602),
            ("com.example/list", json!({}), -32603),
            ("com.example/fails", json!({}), -32602),
            ("com.example/other", json!({}), -32601),
        ] {
            assert_eq!(
                code(&client.request(method, params).await),
                expected,
                "{method}"
            );
        }
    }
}
