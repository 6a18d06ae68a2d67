//! Arguments of tools that HTTP repeats in headers.

use mcp::client::{CallOptions, ClientOptions, Session};
use mcp::protocol::{CallToolParams, Tool};
use mcp::server::{Context, NoArgs, Server};
use serde_json::{Value, json};

use crate::lines::{Played, modern};
use crate::web;
use crate::web_script::{self, WebScript};
use crate::wire::{Running, Wire, soon};

fn marked(name: &str) -> Value {
    json!({"type": "string", "x-mcp-header": name})
}

fn tool(name: &str, properties: Value) -> Value {
    json!({"name": name, "inputSchema": {"type": "object", "properties": properties}})
}

async fn script(tools: Vec<Value>) -> WebScript {
    WebScript::start(move |seen| {
        web_script::without_handshake(seen, &json!({"tools": {}})).unwrap_or_else(|| {
            let result = match seen.kind() {
                "tools/list" => json!({"resultType": "complete", "ttlMs": 3_600_000,
                    "cacheScope": "private", "tools": tools}),
                _ => json!({"resultType": "complete", "content": []}),
            };
            web_script::result(seen, &result)
        })
    })
    .await
}

/// The headers that arguments of a call have become.
async fn headers(script: &WebScript, client: &Session, arguments: &Value) -> Vec<(String, String)> {
    let params = CallToolParams::new("t").with_arguments(arguments).unwrap();
    client.call_tool(params, &CallOptions::new()).await.unwrap();
    let call = script.seen().pop().unwrap();
    assert_eq!(
        call.body["params"]["arguments"], *arguments,
        "the body has all of it"
    );
    let mut headers: Vec<_> = call
        .headers
        .iter()
        .filter_map(|(name, value)| {
            let name = name.as_str().strip_prefix("mcp-param-")?;
            Some((name.to_owned(), value.to_str().unwrap().to_owned()))
        })
        .collect();
    headers.sort();
    headers
}

#[tokio::test]
async fn http_34_marked_arguments_are_repeated_in_headers() {
    let properties = json!({
        "region": marked("Region"),
        "plain": {"type": "string"},
        "outer": {"type": "object", "properties": {
            "count": {"type": "integer", "x-mcp-header": "Count"},
            "inner": {"type": "object", "properties": {
                "dry": {"type": "boolean", "x-mcp-header": "Dry-Run"},
            }},
        }},
    });
    let script = script(vec![tool("t", properties)]).await;
    let client = script.connect(ClientOptions::new("test", "1")).await;
    client.list_tools().await.unwrap();
    for (arguments, expected) in [
        (
            json!({"region": "eu-west 1", "plain": "x",
                "outer": {"count": 42, "inner": {"dry": false}}}),
            vec![
                ("count", "42"),
                ("dry-run", "false"),
                ("region", "eu-west 1"),
            ],
        ),
        (
            json!({"region": null, "outer": {"count": -7}}),
            vec![("count", "-7")],
        ),
        (json!({"outer": null}), vec![]),
        (json!({"outer": {"inner": {}}}), vec![]),
        (json!({}), vec![]),
        (json!({"region": ""}), vec![("region", "")]),
        (json!({"region": " a"}), vec![("region", "=?base64?IGE=?=")]),
        (
            json!({"region": "日本語"}),
            vec![("region", "=?base64?5pel5pys6Kqe?=")],
        ),
        (
            json!({"region": "a\r\nX-Evil: 1"}),
            vec![("region", "=?base64?YQ0KWC1FdmlsOiAx?=")],
        ),
    ] {
        let found = headers(&script, &client, &arguments).await;
        let expected: Vec<_> = expected
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        assert_eq!(found, expected, "{arguments}");
    }
    client.close().await;
}

/// Tools whose marks break a rule, one each.
fn invalid() -> Vec<Value> {
    let property = |schema: Value| json!({"a": schema});
    let of_type = |kind: Value| property(json!({"type": kind, "x-mcp-header": "A"}));
    let mut tools = Vec::new();
    for (number, name) in ["", "a b", "a:b", "ä", "a\u{1}b", "a\nb", "(a)", "a\"b"]
        .iter()
        .enumerate()
    {
        tools.push(tool(&format!("name {number}"), property(marked(name))));
    }
    tools.push(tool(
        "no name",
        property(json!({"type": "string", "x-mcp-header": 7})),
    ));
    for kind in ["number", "array", "object", "null"] {
        tools.push(tool(kind, of_type(json!(kind))));
    }
    tools.push(tool("types", of_type(json!(["string", "integer"]))));
    tools.push(tool("no type", property(json!({"x-mcp-header": "A"}))));
    tools.push(tool(
        "twice",
        json!({"a": marked("Same"), "b": marked("sAME")}),
    ));
    let array = json!({"type": "array", "items": marked("A")});
    tools.push(tool("items", property(array)));
    let either = json!({"oneOf": [{"properties": {"b": marked("A")}}]});
    tools.push(tool("oneOf", property(either)));
    let mut reference = tool("$ref", property(json!({"$ref": "#/$defs/a"})));
    reference["inputSchema"]["$defs"] = property(marked("A"));
    tools.push(reference);
    for keyword in ["anyOf", "allOf"] {
        let mut tool = tool(keyword, json!({}));
        tool["inputSchema"][keyword] = json!([{"properties": {"b": marked("A")}}]);
        tools.push(tool);
    }
    for keyword in ["not", "if", "then", "else", "additionalProperties"] {
        let mut tool = tool(keyword, json!({}));
        tool["inputSchema"][keyword] = json!({"properties": {"b": marked("A")}});
        tools.push(tool);
    }
    tools
}

/// And tools that break none, though they look odd.
fn valid() -> Vec<Value> {
    vec![
        tool("plain", json!({"a": {"type": "number"}})),
        tool("method", json!({"a": marked("Method")})),
        tool("token", json!({"a": marked("!#$%&'*+-.^_`|~09azAZ")})),
        tool(
            "a property of that name",
            json!({"x-mcp-header": {"type": "array"}}),
        ),
        tool("in a value", json!({"a": {"const": {"x-mcp-header": ""}}})),
    ]
}

#[tokio::test]
async fn http_35_a_tool_with_an_invalid_mark_is_left_out_by_name_and_the_others_stay() {
    let (bad, good) = (invalid(), valid());
    let mut tools = bad.clone();
    for (at, tool) in good.iter().enumerate() {
        tools.insert(at * 2, tool.clone());
    }
    let name = |tool: &Value| tool["name"].as_str().unwrap().to_owned();
    let script = script(tools.clone()).await;
    let client = script.connect(ClientOptions::new("test", "1")).await;
    let list = client.list_tools().await.unwrap();
    let names: Vec<_> = list.items.iter().map(|tool| tool.name.clone()).collect();
    assert_eq!(names, good.iter().map(name).collect::<Vec<_>>());
    // Each is told of, with its name and why.
    assert_eq!(list.skipped.len(), bad.len(), "{:?}", list.skipped);
    for tool in &bad {
        let quoted = format!("{:?}", name(tool));
        let told = list.skipped.iter().find(|line| line.contains(&quoted));
        assert!(told.unwrap().contains("x-mcp-header"), "{told:?}");
    }
    client.close().await;

    // Where nothing is repeated, nothing is wrong with them.
    let (played, mut connections) = Played::new();
    let peer = tokio::spawn(async move {
        let mut server = connections.recv().await.unwrap();
        server.discovered(json!({"tools": {}})).await;
        let list = server.expect("tools/list").await;
        let tools = json!({"resultType": "complete", "ttlMs": 0, "cacheScope": "private",
            "tools": tools});
        server.answer(&list, tools).await;
        server.line().await;
    });
    let options = ClientOptions::new("test", "1");
    let client = Session::connect(&played, options).await.unwrap();
    let list = client.list_tools().await.unwrap();
    assert_eq!(list.items.len(), bad.len() + good.len());
    client.close().await;
    soon(peer).await.unwrap();
}

/// A server of ours over HTTP whose one tool marks an argument.
#[tokio::test]
async fn http_36_a_server_checks_the_headers_of_marked_arguments_by_itself() {
    let schema = json!({"type": "object", "properties": {"region": marked("Region")}});
    let server = Server::builder("marks", "1.0.0")
        .tool(Tool::new("t", schema), |_: NoArgs, _: Context| async {
            Ok("done")
        })
        .build();
    let running = Running::start(&server, Wire::Http).await;
    for (header, arguments, code) in [
        (Some("eu"), json!({"region": "eu"}), None),
        (Some("us"), json!({"region": "eu"}), Some(-32020)),
        (None, json!({"region": "eu"}), Some(-32020)),
        (Some("eu"), json!({}), Some(-32020)),
        (None, json!({"region": null}), None),
        (None, json!({}), None),
    ] {
        let params = json!({"name": "t", "arguments": arguments});
        let message = modern("m", "tools/call", params);
        let mut headers = web::modern_headers(&message);
        headers.extend(header.map(|value| web::header("mcp-param-region", value)));
        let reply = web::post(running.url(), &headers, &message).await;
        assert_eq!(reply.status, if code.is_some() { 400 } else { 200 });
        let answer = reply.answer();
        assert_eq!(
            answer["error"]["code"].as_i64(),
            code,
            "{header:?} {arguments}"
        );
    }
    // And a client of ours knows what to send.
    let client = running.connect(ClientOptions::new("test", "1")).await;
    let params = CallToolParams::new("t")
        .with_arguments(&json!({"region": "eu"}))
        .unwrap();
    client.call_tool(params, &CallOptions::new()).await.unwrap();
    client.close().await;
    running.stop().await;
}
