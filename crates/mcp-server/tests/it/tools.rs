//! Tools: arguments, results, errors.

use mcp_jsonrpc::ErrorObject;
use mcp_protocol::{
    CallToolResult, ContentBlock, InvalidParamHeader, ParamHeader, SchemaCheck, SchemaError,
    SchemaValidator, Tool,
};
use mcp_server::{Context, Json, NoArgs, RegistrationError, Server, ToolError};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use crate::rig::{Client, ERAS, code, text};

fn tool(name: &str) -> Tool {
    Tool::new(name, json!({"type": "object"}))
}

#[derive(Deserialize)]
struct Sum {
    a: i64,
    b: i64,
    #[serde(default)]
    more: Vec<Inner>,
}

#[derive(Deserialize)]
struct Inner {
    n: i64,
}

fn server() -> Server {
    Server::builder("tools", "1.0.0")
        .tool(tool("sum"), |args: Sum, _: Context| async move {
            let more: i64 = args.more.iter().map(|inner| inner.n).sum();
            Ok((args.a + args.b + more).to_string())
        })
        .tool(tool("none"), |_: NoArgs, _: Context| async {
            Ok("nothing needed")
        })
        .tool(tool("raw"), |args: Box<RawValue>, _: Context| async move {
            Ok(args.get().to_owned())
        })
        .tool(
            tool("map"),
            |args: Map<String, Value>, _: Context| async move {
                Ok(args.keys().cloned().collect::<Vec<_>>().join(","))
            },
        )
        .tool(tool("fails"), |_: NoArgs, _: Context| async {
            "x".parse::<u8>()?;
            Ok(())
        })
        .tool(tool("refuses"), |_: NoArgs, _: Context| async {
            Err::<(), _>(ToolError::new("no such page"))
        })
        .tool(tool("breaks"), |_: NoArgs, _: Context| async {
            Err::<(), _>(ErrorObject::invalid_params("not like that").into())
        })
        .tool(tool("panics"), |_: NoArgs, _: Context| async {
            let nothing: Vec<String> = Vec::new();
            Ok(nothing[0].clone())
        })
        .tool(tool("structured"), |_: NoArgs, _: Context| async {
            Ok(Json(json!({"sum": 3})))
        })
        .tool(tool("by_hand"), |_: NoArgs, _: Context| async {
            Ok(CallToolResult::new(vec![ContentBlock::image(
                [1, 2],
                "image/png",
            )]))
        })
        .build()
}

#[tokio::test]
async fn arguments_arrive_in_the_type_of_the_closure() {
    for version in ERAS {
        let client = Client::new(&server(), version);
        let result = client
            .call_tool("sum", json!({"a": 1, "b": 2, "more": [{"n": 3}]}))
            .await;
        assert_eq!(text(&result), "6");
        assert!(result.get("isError").is_none());
    }
}

#[tokio::test]
async fn untyped_arguments_arrive_as_they_came() {
    let client = Client::new(&server(), ERAS[1]);
    let raw = client
        .send(
            "tools/call",
            Some(r#"{"name":"raw","arguments":{"z": 1.50, "a":"\u00fc"}}"#),
        )
        .await
        .unwrap();
    assert_eq!(text(&raw), r#"{"z": 1.50, "a":"\u00fc"}"#);
    let map = client.call_tool("map", json!({"a": 1, "b": null})).await;
    assert_eq!(text(&map), "a,b");
}

#[tokio::test]
async fn t06_absent_and_null_arguments_are_none() {
    let client = Client::new(&server(), ERAS[1]);
    for params in [
        r#"{"name":"none"}"#,
        r#"{"name":"none","arguments":null}"#,
        r#"{"name":"none","arguments":{}}"#,
        r#"{"name":"none","arguments":{"unasked":1},"_meta":null,"task":null}"#,
    ] {
        let result = client.send("tools/call", Some(params)).await.unwrap();
        assert_eq!(text(&result), "nothing needed", "{params}");
    }
}

#[tokio::test]
async fn t06_arguments_that_are_no_object_are_refused() {
    let client = Client::new(&server(), ERAS[0]);
    for arguments in ["[1]", "\"x\"", "1", "true"] {
        let params = format!(r#"{{"name":"sum","arguments":{arguments}}}"#);
        let answer = client.send("tools/call", Some(&params)).await;
        assert_eq!(code(&answer), -32602, "{arguments}");
    }
}

#[tokio::test]
async fn t06_params_that_do_not_decode_are_refused() {
    let client = Client::new(&server(), ERAS[0]);
    for params in [
        None,
        Some("{}"),
        Some(r#"{"name":1}"#),
        Some(r#"{"name":null}"#),
    ] {
        assert_eq!(
            code(&client.send("tools/call", params).await),
            -32602,
            "{params:?}"
        );
    }
}

#[tokio::test]
async fn j13_a_member_twice_is_refused() {
    let client = Client::new(&server(), ERAS[0]);
    let params = r#"{"name":"none","name":"raw"}"#;
    assert_eq!(code(&client.send("tools/call", Some(params)).await), -32602);
    // Another spelling is another member, and is ignored.
    let params = r#"{"name":"none","Name":"raw"}"#;
    let result = client.send("tools/call", Some(params)).await.unwrap();
    assert_eq!(text(&result), "nothing needed");
}

#[tokio::test]
async fn proto_38_arguments_that_do_not_fit_are_told_to_the_model_by_member() {
    let client = Client::new(&server(), ERAS[1]);
    for (arguments, expected) in [
        (
            json!({"a": "abc", "b": 1}),
            "invalid argument `a`: invalid type: string \"abc\", expected i64",
        ),
        (json!({"a": 1}), "invalid arguments: missing field `b`"),
        (
            json!({"a": 1, "b": 2, "more": [{"n": 1}, {"n": []}]}),
            "invalid argument `more[1].n`: invalid type: sequence, expected i64",
        ),
    ] {
        let result = client.call_tool("sum", arguments).await;
        assert_eq!(result["isError"], true);
        assert_eq!(text(&result), expected);
    }
}

#[tokio::test]
async fn proto_37_an_unknown_tool_is_a_protocol_error_and_a_failure_a_result() {
    for version in ERAS {
        let client = Client::new(&server(), version);
        let unknown = client
            .request("tools/call", json!({"name": "nothing"}))
            .await;
        assert_eq!(code(&unknown), -32602);

        let failed = client.call_tool("fails", json!({})).await;
        assert_eq!(failed["isError"], true);
        assert_eq!(text(&failed), "invalid digit found in string");
        let refused = client.call_tool("refuses", json!({})).await;
        assert_eq!(
            (text(&refused), &refused["isError"]),
            ("no such page", &json!(true))
        );
    }
}

#[tokio::test]
async fn an_error_object_stays_a_protocol_error() {
    let client = Client::new(&server(), ERAS[0]);
    let answer = client
        .request("tools/call", json!({"name": "breaks"}))
        .await;
    assert_eq!(answer.unwrap_err().message, "not like that");
}

#[tokio::test]
async fn a_panic_of_a_tool_is_answered_and_the_server_lives_on() {
    let client = Client::new(&server(), ERAS[0]);
    let result = client.call_tool("panics", json!({})).await;
    assert_eq!(result["isError"], true);
    assert_eq!(text(&result), "the tool panics failed");
    client.call_tool("none", json!({})).await;
}

#[tokio::test]
async fn proto_41_a_structured_result_is_there_as_text_too() {
    let client = Client::new(&server(), ERAS[0]);
    let result = client.call_tool("structured", json!({})).await;
    assert_eq!(result["structuredContent"], json!({"sum": 3}));
    assert_eq!(text(&result), r#"{"sum":3}"#);
}

#[tokio::test]
async fn a_result_made_by_hand_is_sent_as_it_is() {
    let client = Client::new(&server(), ERAS[0]);
    let result = client.call_tool("by_hand", json!({})).await;
    let image = json!({"type": "image", "data": "AQI=", "mimeType": "image/png"});
    assert_eq!(result["content"][0], image);
}

#[tokio::test]
async fn of_two_tools_with_one_name_the_later_counts() {
    let server = Server::builder("twice", "1.0.0")
        .tool(tool("a"), |_: NoArgs, _: Context| async { Ok("first") })
        .tool(tool("b"), |_: NoArgs, _: Context| async { Ok("b") })
        .tool(tool("a"), |_: NoArgs, _: Context| async { Ok("second") })
        .build();
    let client = Client::new(&server, ERAS[0]);
    assert_eq!(text(&client.call_tool("a", json!({})).await), "second");
    let list = client.request("tools/list", json!({})).await.unwrap();
    assert_eq!(list["tools"].as_array().unwrap().len(), 2);
}

/// Knows two keywords: `required`, and `minimum` of the property `n`.
#[derive(Debug)]
struct Strict;

impl SchemaValidator for Strict {
    fn compile(&self, schema: &Value) -> Result<Box<dyn SchemaCheck>, SchemaError> {
        if schema.get("$schema").is_some() {
            return Err(SchemaError::new("/$schema", "unknown dialect"));
        }
        Ok(Box::new(Required(schema.clone())))
    }
}

struct Required(Value);

impl SchemaCheck for Required {
    fn check(&self, value: &Value) -> Result<(), SchemaError> {
        let required = self.0["required"].as_array().into_iter().flatten();
        for name in required.filter_map(Value::as_str) {
            if value.get(name).is_none() {
                return Err(SchemaError::new("", format!("{name} is missing")));
            }
        }
        let minimum = self.0["properties"]["n"]["minimum"].as_i64();
        if value["n"]
            .as_i64()
            .zip(minimum)
            .is_some_and(|(n, least)| n < least)
        {
            return Err(SchemaError::new("/n", "too small"));
        }
        Ok(())
    }
}

fn strict() -> Server {
    let input = json!({"type": "object", "properties": {"n": {"minimum": 0}}});
    let checked =
        |name: &str| Tool::new(name, input.clone()).with_output_schema(json!({"required": ["n"]}));
    let dialect = json!({"$schema": "https://example.com/mine", "type": "object"});
    Server::builder("strict", "1.0.0")
        .tool(checked("echo"), |args: Value, _: Context| async {
            Ok(Json(args))
        })
        .tool(checked("text"), |_: NoArgs, _: Context| async {
            Ok("no structure")
        })
        .tool(checked("fails"), |_: NoArgs, _: Context| async {
            Err::<(), _>(ToolError::new("on purpose"))
        })
        .tool(
            Tool::new("foreign", dialect),
            |_: NoArgs, _: Context| async { Ok(()) },
        )
        .schema_validator(Strict)
        .build()
}

#[tokio::test]
async fn proto_38_arguments_that_break_the_input_schema_are_told_to_the_model() {
    let client = Client::new(&strict(), ERAS[0]);
    let result = client.call_tool("echo", json!({"n": -1})).await;
    assert_eq!(result["isError"], true);
    assert_eq!(text(&result), "invalid arguments: at /n: too small");
    let result = client.call_tool("echo", json!({"n": 1})).await;
    assert_eq!(result["structuredContent"], json!({"n": 1}));
}

#[tokio::test]
async fn proto_39_a_result_that_breaks_the_output_schema_is_not_sent() {
    let client = Client::new(&strict(), ERAS[1]);
    for (name, arguments) in [("echo", json!({"m": 1})), ("text", json!({}))] {
        let result = client.call_tool(name, arguments).await;
        assert_eq!(result["isError"], true);
        assert!(result.get("structuredContent").is_none());
        assert!(
            text(&result).ends_with("does not fit its output schema"),
            "{result}"
        );
    }
    assert_eq!(
        text(&client.call_tool("fails", json!({})).await),
        "on purpose"
    );
}

#[tokio::test]
async fn proto_46_a_schema_that_cannot_be_used_is_an_error() {
    let client = Client::new(&strict(), ERAS[1]);
    let answer = client
        .request("tools/call", json!({"name": "foreign"}))
        .await;
    assert_eq!(code(&answer), -32603);
}

fn marked(name: &str) -> Tool {
    let schema = json!({"properties": {"a": {"type": "string", "x-mcp-header": name}}});
    Tool::new("t", schema)
}

#[tokio::test]
async fn http_35_a_tool_with_an_invalid_mark_is_refused_when_it_is_registered() {
    let builder = || Server::builder("marks", "1.0.0");
    let text = |_: NoArgs, _: Context| async { Ok("a") };
    let refusal = builder().tool(marked("a b"), text).try_build().unwrap_err();
    let RegistrationError::ParamHeader { tool: name, source } = &refusal else {
        panic!("{refusal}");
    };
    assert_eq!(name, "t");
    let name = InvalidParamHeader::Name {
        mark: r#""a b""#.to_owned(),
    };
    assert_eq!(*source, name);

    let server = builder().tool(marked("a b"), text).tool(tool("u"), text);
    assert!(server.build().tool("t").is_none());
    let server = builder().tool(marked("A"), text).try_build().unwrap();
    assert!(server.tool("t").is_some());

    // While it is at work, too: what was there stays.
    let mut refusals = 0;
    server
        .edit(|offer| {
            offer.tool(marked(""), text);
            refusals = offer.refusals().len();
        })
        .await;
    assert_eq!(refusals, 1);
    assert_eq!(server.tool("t"), Some(Tool::new("t", kept("A"))));
    let known = server.identity().param_headers.of("t");
    assert_eq!(*known, [ParamHeader::new("A", vec!["a".to_owned()])]);

    server
        .edit(|offer| {
            offer.tool(marked("B"), text);
        })
        .await;
    assert_eq!(server.identity().param_headers.of("t")[0].name, "B");
    assert!(server.identity().param_headers.of("none").is_empty());
}

fn kept(mark: &str) -> Value {
    let mut schema = marked(mark).input_schema;
    schema["type"] = "object".into();
    schema
}

#[tokio::test]
async fn j13_arguments_with_a_member_twice_reach_no_tool() {
    let server = server();
    for version in ERAS {
        let client = Client::new(&server, version);
        let arguments = [
            r#"{"a":1,"b":2,"b":3}"#,
            r#"{"a":1,"\u0062":2,"b":3}"#,
            r#"{"a":1,"b":2,"more":[{"n":1,"n":2}]}"#,
            r#"{"a":1,"b":2,"more":[],"x":{"y":{"z":1,"z":1}}}"#,
        ];
        // Whatever the tool decodes them into, or not at all.
        let calls = ["sum", "raw", "map", "none"]
            .iter()
            .flat_map(|tool| arguments.map(|a| format!(r#"{{"name":"{tool}","arguments":{a}}}"#)));
        for params in calls {
            let answer = client.send("tools/call", Some(&params)).await;
            assert_eq!(code(&answer), -32602, "{params}");
            let message = answer.unwrap_err().message;
            assert!(message.contains("duplicate field"), "{message}");
        }
    }
}
