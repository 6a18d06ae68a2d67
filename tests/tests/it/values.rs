//! What a peer may put into its messages without harm, at both ends and over both wires.

use mcp::client::{
    CallOptions, ClientOptions, Error, Handlers, Logging, Origin, PagesError, Session,
};
use mcp::protocol::{
    CallToolParams, ContentBlock, LoggingMessageParams, ProtocolVersion, Resource, ResourceTemplate,
};
use mcp::server::{Context, NoArgs, RequestError, TemplateVars, ToolError};
use mcp::transport::BoxFuture;
use mcp::{Server, Tool};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::lines::{Lines, Played, of};
use crate::web::{header, modern_headers, post, session};
use crate::web_script::{self, WebScript};
use crate::wire::{LATEST_HANDSHAKE, MODERN, Running, Wire, soon};

/// Lists and results of a played server, each by the name of a tool or the method.
type Results = fn(&str, &Value) -> Value;

/// A client of a played server, over both wires; with what it logs.
async fn clients(capabilities: Value, results: Results, handlers: &Handlers) -> Vec<Session> {
    let (played, mut connections) = Played::new();
    let options = || ClientOptions::new("test", "1").with_handlers(handlers.clone());
    let declared = capabilities.clone();
    tokio::spawn(async move {
        let mut server = connections.recv().await.unwrap();
        server.discovered(declared).await;
        while let Some(line) = server.line().await {
            let message: Value = serde_json::from_str(&line).unwrap();
            if message.get("id").is_some() {
                for method in ["codex/event", "notifications/zzz"] {
                    server.notify(method, json!({"x": 1})).await;
                }
                let result = results(message["method"].as_str().unwrap(), &message["params"]);
                server.answer(&message, result).await;
            }
        }
    });
    let by_line = Session::connect(&played, options()).await.unwrap();
    let script = WebScript::start(move |seen| {
        web_script::without_handshake(seen, &capabilities).unwrap_or_else(|| {
            let result = results(seen.kind(), &seen.body["params"]);
            web_script::result(seen, &result)
        })
    })
    .await;
    let by_web = script.connect(options()).await;
    // The script has to live as long as its client.
    std::mem::forget(script);
    vec![by_line, by_web]
}

async fn call(client: &Session, name: &str) -> Result<mcp::protocol::CallToolResult, Error> {
    let none = CallOptions::new();
    soon(client.call_tool(CallToolParams::new(name), &none)).await
}

fn odd_results(_: &str, params: &Value) -> Value {
    let mut result = match params["name"].as_str().unwrap_or_default() {
        "unknown" => json!({"content": [
            {"type": "text", "text": "a", "annotations": {"audience": ["system"], "priority": 7, "x": {}},
                "mood": "fine"},
            {"type": "hologram", "x": 1},
        ], "somethingElse": [1]}),
        "no type" => json!({"content": [{"text": "a"}]}),
        "structured" => json!({"structuredContent": {"a": 1}}),
        "null" => json!({"content": null}),
        "null flag" => json!({"content": [], "isError": null}),
        other => panic!("{other}"),
    };
    result["resultType"] = "complete".into();
    result
}

#[derive(Debug)]
struct Told(mpsc::Sender<LoggingMessageParams>);

impl Logging for Told {
    fn log(&self, message: LoggingMessageParams, _: Origin) -> BoxFuture<'_, ()> {
        Box::pin(async move { self.0.send(message).await.unwrap() })
    }
}

#[tokio::test]
async fn t01_what_is_unknown_in_a_result_leaves_the_rest_readable() {
    for client in clients(json!({"tools": {}}), odd_results, &Handlers::new()).await {
        let result = call(&client, "unknown").await.unwrap();
        assert_eq!(result.first_text(), Some("a"));
        let ContentBlock::Other(hologram) = &result.content[1] else {
            panic!("{result:?}");
        };
        assert_eq!(
            serde_json::to_value(hologram).unwrap(),
            json!({"type": "hologram", "x": 1})
        );
        // A block that does not say what it is spoils its own result only.
        call(&client, "no type").await.unwrap_err();
        assert_eq!(call(&client, "unknown").await.unwrap().content.len(), 2);
    }
}

#[tokio::test]
async fn t01_a_log_message_of_an_unknown_level_comes_through() {
    let (sender, mut told) = mpsc::channel(1);
    let (played, mut connections) = Played::new();
    let options =
        ClientOptions::new("test", "1").with_handlers(Handlers::new().with_logging(Told(sender)));
    let connecting = tokio::spawn(async move { Session::connect(&played, options).await });
    let mut server = connections.recv().await.unwrap();
    server
        .welcome(LATEST_HANDSHAKE, json!({"logging": {}}))
        .await;
    let _client = soon(connecting).await.unwrap().unwrap();
    server
        .notify(
            "notifications/message",
            json!({"level": "trace", "data": [1]}),
        )
        .await;
    let message = soon(told.recv()).await.unwrap();
    assert_eq!(message.level.to_string(), "trace");
    assert_eq!(message.data, json!([1]));
}

#[tokio::test]
async fn t06_a_result_without_content_has_none() {
    for client in clients(json!({"tools": {}}), odd_results, &Handlers::new()).await {
        let result = call(&client, "structured").await.unwrap();
        assert_eq!(result.structured_content, Some(json!({"a": 1})));
        assert!(result.content.is_empty());
        for name in ["null", "null flag"] {
            let result = call(&client, name).await.unwrap();
            assert!(result.content.is_empty() && !result.is_error(), "{name}");
        }
    }
}

fn odd_lists(method: &str, params: &Value) -> Value {
    let tool = |name: &str| json!({"name": name, "inputSchema": {"type": "object"}});
    let cursor = params["cursor"].as_str();
    let mut page = match method {
        "tools/list" => json!({"tools": [
            null,
            {"name": "a"},
            {"name": "b", "inputSchema": null},
            {"name": "c", "inputSchema": {"type": "object"}, "description": null, "annotations": null},
        ]}),
        "prompts/list" => json!({"prompts": null}),
        "resources/list" => json!({}),
        // An empty cursor is one, and null is none.
        "resources/templates/list" => match cursor {
            None => {
                json!({"resourceTemplates": [{"name": "a", "uriTemplate": "a://"}], "nextCursor": ""})
            }
            Some("") => {
                json!({"resourceTemplates": [{"name": "b", "uriTemplate": "b://"}], "nextCursor": null})
            }
            Some(other) => panic!("{other}"),
        },
        other => panic!("{other} {}", tool("")),
    };
    page["resultType"] = "complete".into();
    page["ttlMs"] = 0.into();
    page["cacheScope"] = "private".into();
    page
}

fn everything() -> Value {
    json!({"tools": {}, "prompts": {}, "resources": {}})
}

#[tokio::test]
async fn t05_one_bad_tool_is_left_out_by_name_and_a_missing_list_is_an_error() {
    for client in clients(everything(), odd_lists, &Handlers::new()).await {
        let list = client.list_tools().await.unwrap();
        let names: Vec<_> = list.items.iter().map(|tool| tool.name.as_str()).collect();
        assert_eq!(names, ["c"]);
        assert_eq!(list.skipped.len(), 3, "{:?}", list.skipped);
        for name in ["a", "b"] {
            let told = |line: &String| {
                line.contains(&format!("\"{name}\"")) || line.contains(&format!("`{name}`"))
            };
            assert!(list.skipped.iter().any(told), "{:?}", list.skipped);
        }
        client.list_prompts().await.unwrap_err();
        client.list_resources().await.unwrap_err();
    }
}

#[tokio::test]
async fn t05_a_tool_is_never_listed_with_a_schema_that_is_no_object() {
    let server = [Value::Null, json!([]), json!("x"), json!({})]
        .into_iter()
        .enumerate()
        .fold(Server::builder("odd", "1"), |builder, (number, schema)| {
            let tool = Tool::new(format!("t{number}"), schema);
            builder.tool(tool, |_: NoArgs, _: Context| async {
                Ok::<_, ToolError>(())
            })
        })
        .build();
    for wire in crate::wire::WIRES {
        let running = Running::start(&server, wire).await;
        let client = running.client(ProtocolVersion::LATEST).await;
        let list = client.list_tools().await.unwrap();
        assert_eq!(list.items.len(), 4);
        for tool in &list.items {
            assert_eq!(tool.input_schema, json!({"type": "object"}));
        }
        client.close().await;
        running.stop().await;
    }
}

#[tokio::test]
async fn t10_an_empty_cursor_is_followed_and_null_is_the_end() {
    for client in clients(everything(), odd_lists, &Handlers::new()).await {
        let list = client.list_resource_templates().await.unwrap();
        let names: Vec<_> = list.items.iter().map(|item| item.name.as_str()).collect();
        assert_eq!(names, ["a", "b"]);
    }
}

fn endless(method: &str, params: &Value) -> Value {
    let cursor = params["cursor"].as_str().unwrap_or("0");
    let next = match method {
        "tools/list" => "X".to_owned(),
        "prompts/list" => if cursor == "X" { "Y" } else { "X" }.to_owned(),
        _ => (cursor.parse::<u32>().unwrap() + 1).to_string(),
    };
    let items = match method {
        "tools/list" => "tools",
        "prompts/list" => "prompts",
        _ => "resources",
    };
    let item = json!({"name": "a", "uri": "a://", "inputSchema": {"type": "object"}});
    json!({"resultType": "complete", "ttlMs": 0, "cacheScope": "private",
        items: [item], "nextCursor": next})
}

#[tokio::test]
async fn t10_pages_that_never_end_are_an_error() {
    for client in clients(everything(), endless, &Handlers::new()).await {
        let still = client.list_tools().await.unwrap_err();
        assert!(
            matches!(still, Error::Pages(PagesError::Repeated { .. })),
            "{still:?}"
        );
        let circle = client.list_prompts().await.unwrap_err();
        assert!(
            matches!(circle, Error::Pages(PagesError::Repeated { .. })),
            "{circle:?}"
        );
        let endless = soon(client.list_resources()).await.unwrap_err();
        assert!(
            matches!(endless, Error::Pages(PagesError::TooMany { .. })),
            "{endless:?}"
        );
    }
}

#[derive(Deserialize)]
struct Number {
    n: i64,
}

fn server() -> Server {
    let tool = |name: &str| Tool::new(name, json!({"type": "object"}));
    Server::builder("values", "1")
        .tool(tool("none"), |_: NoArgs, _: Context| async {
            Ok::<_, ToolError>("fine")
        })
        .tool(tool("number"), |a: Number, _: Context| async move {
            Ok::<_, ToolError>(a.n.to_string())
        })
        .fixed_resource(Resource::new("res://fixed", "fixed"), "fixed")
        .resource_template(
            ResourceTemplate::new("res://x{/id*}{?tags*}", "exploded"),
            |vars: TemplateVars, _: Context| async move {
                Ok::<_, RequestError>(format!("{vars:?}").len().to_string())
            },
        )
        .unwrap()
        .build()
}

/// A server that is asked by line and by POST, in both eras.
struct Both {
    line: Lines,
    running: Running,
    headers: Vec<(String, String)>,
    version: &'static str,
}

impl Both {
    async fn new(version: &'static str) -> Self {
        let server = server();
        let running = Running::start(&server, Wire::Http).await;
        let (mut line, _peer) = Lines::to(&server);
        let headers = if version == MODERN {
            vec![header("mcp-protocol-version", MODERN)]
        } else {
            line.introduce(version, json!({})).await;
            session(running.url(), version, json!({})).await
        };
        Self {
            line,
            running,
            headers,
            version,
        }
    }

    async fn ask(&mut self, message: &Value) -> [Value; 2] {
        let headers = if self.version == MODERN {
            modern_headers(message)
        } else {
            self.headers.clone()
        };
        let reply = post(self.running.url(), &headers, message).await;
        [self.line.ask(message).await, reply.answer()]
    }
}

#[tokio::test]
async fn t06_null_is_absent_and_what_is_wrong_is_told_to_whom_it_concerns() {
    for version in [LATEST_HANDSHAKE, MODERN] {
        let mut server = Both::new(version).await;
        let mut lists = vec![json!({}), json!({"cursor": null})];
        if version != MODERN {
            lists.push(Value::Null);
        }
        for params in lists {
            let mut list = of(version, 1, "tools/list", json!({}));
            match params {
                Value::Null => list["params"] = Value::Null,
                params => {
                    let given = params.as_object().unwrap().clone();
                    list["params"].as_object_mut().unwrap().extend(given);
                }
            }
            for answer in server.ask(&list).await {
                assert_eq!(
                    answer["result"]["tools"].as_array().unwrap().len(),
                    2,
                    "{answer}"
                );
            }
        }
        if version != MODERN {
            let mut list = of(version, 1, "tools/list", json!({}));
            list.as_object_mut().unwrap().remove("params");
            for answer in server.ask(&list).await {
                assert!(answer["result"]["tools"].is_array(), "{answer}");
            }
        }
        for (params, outcome) in [
            (json!({"name": "none"}), Ok("fine")),
            (json!({"name": "none", "arguments": null}), Ok("fine")),
            (json!({"name": "number", "arguments": {"n": 7}}), Ok("7")),
            (json!({"name": "none", "arguments": [1]}), Err(-32602)),
            (json!({"name": "none", "arguments": "x"}), Err(-32602)),
            (json!({"name": "unknown"}), Err(-32602)),
            (json!({"name": 7}), Err(-32602)),
            (json!({}), Err(-32602)),
            (json!({"name": "number", "arguments": {"n": "abc"}}), Err(0)),
            (json!({"name": "number"}), Err(0)),
        ] {
            let message = of(version, 2, "tools/call", params);
            for answer in server.ask(&message).await {
                match outcome {
                    Ok(text) => {
                        assert_eq!(answer["result"]["content"][0]["text"], text, "{answer}");
                        assert_ne!(answer["result"]["isError"], true, "{answer}");
                    }
                    // For the model.
                    Err(0) => assert_eq!(answer["result"]["isError"], true, "{answer}"),
                    // A header that is missing comes first, where there are headers.
                    Err(code) => {
                        let found = answer["error"]["code"].as_i64().unwrap();
                        assert!([code, -32020].contains(&found), "{answer}");
                        assert_eq!(answer["id"], 2, "{answer}");
                    }
                }
            }
        }
        server.running.stop().await;
    }
}

#[tokio::test]
async fn t10_proto_27_a_cursor_of_nobody_is_invalid_params() {
    for version in [LATEST_HANDSHAKE, MODERN] {
        let mut server = Both::new(version).await;
        for cursor in ["bogus", "", "-1", "999999999999999999999"] {
            let list = of(version, 1, "tools/list", json!({"cursor": cursor}));
            for answer in server.ask(&list).await {
                assert_eq!(answer["error"]["code"], -32602, "{cursor}: {answer}");
            }
        }
        server.running.stop().await;
    }
}

#[tokio::test]
async fn t13_a_hostile_uri_is_answered() {
    for version in [LATEST_HANDSHAKE, MODERN] {
        let mut server = Both::new(version).await;
        for uri in [
            format!("res://x/{}!", "a,".repeat(50_000)),
            format!("res://x/{}", "a/".repeat(250_000)),
            format!("res://x?{}", "tags=a&".repeat(70_000)),
            format!("res://y{}", "/".repeat(500_000)),
        ] {
            let read = of(version, 1, "resources/read", json!({"uri": uri}));
            let [line, _] = if version == MODERN {
                // No header is as long as that.
                [server.line.ask(&read).await, Value::Null]
            } else {
                soon(server.ask(&read)).await
            };
            let found = line["result"]["contents"].is_array();
            assert!(
                found || line["error"]["code"].is_i64(),
                "{}",
                &line.to_string()[..200]
            );
        }
        server.running.stop().await;
    }
}
