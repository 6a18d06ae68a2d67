//! What depends on the revision of a request.

use std::time::Duration;

use mcp_jsonrpc::{ErrorCode, ErrorObject};
use mcp_protocol::{
    CallToolResult, ContentBlock, Implementation, Prompt, PromptMessage, ProtocolVersion, Resource,
    Tool, ToolExecution,
};
use mcp_server::{Context, Json, NoArgs, Server};
use serde_json::{Value, json};

use crate::rig::{Client, code, text};

fn tool(name: &str) -> Tool {
    Tool::new(name, json!({"type": "object"}))
}

fn server() -> Server {
    Server::builder("revisions", "1.2.3")
        .tool(tool("media"), |_: NoArgs, _: Context| async {
            Ok(vec![
                ContentBlock::audio([1, 2], "audio/wav"),
                ContentBlock::resource_link(
                    Resource::new("x:1", "one").with_description("the first"),
                ),
            ])
        })
        .tool(tool("list"), |_: NoArgs, _: Context| async {
            Ok(Json([1, 2]))
        })
        .tool(tool("bare"), |_: NoArgs, _: Context| async {
            Ok(CallToolResult::new(vec![]).with_structured_content(json!({"a": 1})))
        })
        .tool(tool("null"), |_: NoArgs, _: Context| async {
            Ok(Json(Value::Null))
        })
        .prompt(Prompt::new("listen"), |_: NoArgs, _: Context| async {
            Ok(PromptMessage::user(ContentBlock::audio(
                [1, 2],
                "audio/wav",
            )))
        })
        .fixed_resource(Resource::new("x:1", "one"), "1")
        .list_ttl(Duration::from_secs(5))
        .build()
}

fn kinds(result: &Value) -> Vec<&str> {
    let blocks = result["content"].as_array().unwrap();
    blocks
        .iter()
        .map(|block| block["type"].as_str().unwrap())
        .collect()
}

#[tokio::test]
async fn proto_45_content_is_of_kinds_that_the_revision_knows() {
    for (version, expected) in ProtocolVersion::ALL.into_iter().zip([
        ["resource", "text"],
        ["audio", "text"],
        ["audio", "resource_link"],
        ["audio", "resource_link"],
        ["audio", "resource_link"],
    ]) {
        let client = Client::new(&server(), version);
        let result = client.call_tool("media", json!({})).await;
        assert_eq!(kinds(&result), expected, "{version}");
    }
    let client = Client::new(&server(), ProtocolVersion::V2024_11_05);
    let result = client.call_tool("media", json!({})).await;
    assert_eq!(result["content"][0]["resource"]["blob"], "AQI=");
    assert_eq!(result["content"][0]["resource"]["mimeType"], "audio/wav");
    assert_eq!(result["content"][1]["text"], "one: x:1");
    let prompt = client
        .request("prompts/get", json!({"name": "listen"}))
        .await
        .unwrap();
    assert_eq!(prompt["messages"][0]["content"]["type"], "resource");
}

#[tokio::test]
async fn proto_40_structured_content_is_of_a_form_that_the_revision_knows() {
    for version in ProtocolVersion::ALL {
        let client = Client::new(&server(), version);
        let newest = version == ProtocolVersion::LATEST;
        let result = client.call_tool("list", json!({})).await;
        let expected = newest.then(|| json!([1, 2]));
        assert_eq!(
            result.get("structuredContent"),
            expected.as_ref(),
            "{version}"
        );
        assert_eq!(text(&result), "[1,2]");
        let result = client.call_tool("null", json!({})).await;
        assert_eq!(
            result.get("structuredContent").is_some(),
            newest,
            "{version}"
        );
    }
}

#[tokio::test]
async fn proto_41_structured_content_alone_gets_a_text() {
    for version in ProtocolVersion::ALL {
        let client = Client::new(&server(), version);
        let result = client.call_tool("bare", json!({})).await;
        assert_eq!(text(&result), r#"{"a":1}"#);
    }
}

#[tokio::test]
async fn proto_06_every_result_names_its_kind_where_the_revision_has_kinds() {
    let methods = [
        ("tools/list", json!({})),
        ("tools/call", json!({"name": "list"})),
        ("prompts/list", json!({})),
        ("prompts/get", json!({"name": "listen"})),
        ("resources/list", json!({})),
        ("resources/templates/list", json!({})),
        ("resources/read", json!({"uri": "x:1"})),
    ];
    for version in ProtocolVersion::ALL {
        let client = Client::new(&server(), version);
        for (method, params) in &methods {
            let result = client.request(method, params.clone()).await.unwrap();
            let kind = version.is_stateless().then(|| json!("complete"));
            assert_eq!(
                result.get("resultType"),
                kind.as_ref(),
                "{method} in {version}"
            );
        }
    }
}

#[tokio::test]
async fn proto_08_results_say_who_made_them_where_the_revision_wants_it() {
    for version in ProtocolVersion::ALL {
        let client = Client::new(&server(), version);
        for result in [
            client.call_tool("list", json!({})).await,
            client.request("tools/list", json!({})).await.unwrap(),
        ] {
            let info = json!({"name": "revisions", "version": "1.2.3"});
            let meta = json!({ "io.modelcontextprotocol/serverInfo": info });
            let meta = Some(&meta).filter(|_| version.is_stateless());
            assert_eq!(result.get("_meta"), meta, "{version}");
        }
    }
}

#[tokio::test]
async fn proto_50_results_that_may_be_kept_say_how_long_and_others_do_not() {
    for version in ProtocolVersion::ALL {
        let client = Client::new(&server(), version);
        for (method, params, kept) in [
            ("tools/list", json!({}), Some((5000, "public"))),
            ("prompts/list", json!({}), Some((5000, "public"))),
            ("resources/list", json!({}), Some((5000, "public"))),
            (
                "resources/templates/list",
                json!({}),
                Some((5000, "public")),
            ),
            (
                "resources/read",
                json!({"uri": "x:1"}),
                Some((0, "private")),
            ),
            ("tools/call", json!({"name": "list"}), None),
            ("prompts/get", json!({"name": "listen"}), None),
        ] {
            let result = client.request(method, params).await.unwrap();
            let kept = kept.filter(|_| version.is_stateless());
            assert_eq!(
                result.get("ttlMs").cloned(),
                kept.map(|(ttl, _)| json!(ttl))
            );
            assert_eq!(
                result.get("cacheScope").cloned(),
                kept.map(|(_, scope)| json!(scope))
            );
        }
    }
}

#[tokio::test]
async fn rpc_20_rpc_21_a_handler_cannot_send_a_code_that_the_revision_reserves() {
    let server = Server::builder("codes", "1.0.0")
        .tool(tool("code"), |args: Value, _: Context| async move {
            let code = ErrorCode(args["code"].as_i64().unwrap_or_default());
            Err::<(), _>(ErrorObject::new(code, "as told").into())
        })
        .resource(Resource::new("x:code", "code"), |_: Context| async {
            Err::<String, _>(ErrorObject::new(ErrorCode(-32002), "not here").into())
        })
        .build();
    let newest = Client::new(&server, ProtocolVersion::LATEST);
    let older = Client::new(&server, ProtocolVersion::V2025_11_25);
    for (told, in_newest, in_older) in [
        (-32002, -32602, -32002),
        (-32042, -32603, -32042),
        (-32020, -32603, -32020),
        (-32099, -32603, -32099),
        (-32021, -32021, -32021),
        (-32602, -32602, -32602),
        (7, 7, 7),
    ] {
        let params = json!({"name": "code", "arguments": {"code": told}});
        for (client, expected) in [(&newest, in_newest), (&older, in_older)] {
            let answer = client.request("tools/call", params.clone()).await;
            assert_eq!(code(&answer), expected, "{told}");
        }
    }
    let read = json!({"uri": "x:code"});
    assert_eq!(code(&newest.request("resources/read", read).await), -32602);
}

#[tokio::test]
async fn a_tool_is_described_by_what_the_revision_knows() {
    let described = tool("any")
        .with_output_schema(json!({"type": "array"}))
        .with_execution(ToolExecution::new());
    let server = Server::builder("schemas", "1.0.0")
        .tool(described, |_: NoArgs, _: Context| async { Ok(Json([1])) })
        .tool(
            tool("object").with_output_schema(json!({"type": "object"})),
            |_: NoArgs, _: Context| async { Ok(Json(json!({}))) },
        )
        .tool(Tool::new("anything", true), |_: Value, _: Context| async {
            Ok(())
        })
        .build();
    for version in ProtocolVersion::ALL {
        let client = Client::new(&server, version);
        let list = client.request("tools/list", json!({})).await.unwrap();
        let [any, object, anything] = [0, 1, 2].map(|n| &list["tools"][n]);
        let newest = version == ProtocolVersion::LATEST;
        assert_eq!(any.get("outputSchema").is_some(), newest, "{version}");
        assert!(object.get("outputSchema").is_some());
        let tasks = version == ProtocolVersion::V2025_11_25;
        assert_eq!(any.get("execution").is_some(), tasks, "{version}");
        assert_eq!(anything["inputSchema"], json!({"type": "object"}));
    }
}

#[tokio::test]
async fn rpc_22_codes_that_the_newest_revision_has_given_up_are_not_sent() {
    let failing = |code: i64| {
        let tool = tool("t");
        let server =
            Server::builder("codes", "1").tool(tool, move |_: NoArgs, _: Context| async move {
                Err::<(), _>(ErrorObject::new(ErrorCode(code), "as I say").into())
            });
        server.build()
    };
    for sent in [
        -32000, -32001, -32019, -32768, -32001, 7, -1, -31999, -32769,
    ] {
        let server = failing(sent);
        let call = async |version| {
            let client = Client::new(&server, version);
            code(&client.request("tools/call", json!({"name": "t"})).await)
        };
        assert_eq!(call(ProtocolVersion::LATEST_HANDSHAKE).await, sent);
        let reserved = (-32019..=-32000).contains(&sent);
        let expected = if reserved { -32603 } else { sent };
        assert_eq!(call(ProtocolVersion::LATEST).await, expected, "{sent}");
    }
}

#[tokio::test]
async fn proto_09_what_a_client_says_it_is_makes_no_difference() {
    let server = server();
    let seen = async |info: Option<Implementation>| {
        let mut client = Client::new(&server, ProtocolVersion::LATEST);
        client.context.client_info = info.map(Into::into);
        let mut answers = Vec::new();
        for (method, params) in [
            ("tools/list", json!({})),
            ("tools/call", json!({"name": "media"})),
            ("prompts/get", json!({"name": "listen"})),
            ("resources/read", json!({"uri": "x:1"})),
            ("resources/read", json!({"uri": "x:2"})),
        ] {
            answers.push(client.request(method, params).await);
        }
        answers
    };
    let nobody = seen(None).await;
    for info in [
        Implementation::new("mcp-inspector", "0.1"),
        Implementation::new("", ""),
        Implementation::new("revisions", "1.2.3").with_title("the server itself"),
    ] {
        assert_eq!(seen(Some(info.clone())).await, nobody, "{info:?}");
    }
}
