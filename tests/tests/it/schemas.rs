//! JSON Schema at both ends of a tool call.

use mcp::client::CallOptions;
use mcp::protocol::{CallToolParams, CallToolResult, ProtocolVersion};
use mcp::server::{Context, Json, ToolError};
use mcp::{Server, Session, Tool};
use mcp_jsonschema::JsonSchema;
use serde_json::{Value, json};

use crate::wire::{Running, WIRES};

fn weather() -> Server {
    let input = json!({
        "type": "object",
        "properties": {
            "city": {"type": "string", "minLength": 2},
            "unit": {"$ref": "#/$defs/unit"},
        },
        "required": ["city"],
        "additionalProperties": false,
        "$defs": {"unit": {"enum": ["C", "F"]}},
    });
    let output = json!({
        "type": "object",
        "properties": {"degrees": {"type": "number"}},
        "required": ["degrees"],
    });
    let weather = Tool::new("weather", input).with_output_schema(output);
    let old = Tool::new(
        "old",
        json!({
            "$schema": "http://json-schema.org/draft-07/schema#",
            "type": "object",
            "properties": {"pair": {"items": [{"type": "string"}, {"type": "integer"}]}},
        }),
    );
    let foreign = json!({"type": "object", "$schema": "https://example.com/mine"});
    let remote = json!({"type": "object", "$ref": "https://example.com/schema.json"});
    Server::builder("weather", "1")
        .tool(weather, |arguments: Value, _: Context| async move {
            Ok::<_, ToolError>(Json(match arguments["city"].as_str() {
                Some("Nowhere") => json!({"degrees": "none"}),
                _ => json!({"degrees": 21.5}),
            }))
        })
        .tool(old, |_: Value, _: Context| async {
            Ok::<_, ToolError>("fine")
        })
        .tool(
            Tool::new("foreign", foreign),
            |_: Value, _: Context| async { Ok::<_, ToolError>("never") },
        )
        .tool(Tool::new("remote", remote), |_: Value, _: Context| async {
            Ok::<_, ToolError>("never")
        })
        .schema_validator(JsonSchema::new())
        .build()
}

async fn call(client: &Session, tool: &str, arguments: Value) -> CallToolResult {
    let params = CallToolParams::new(tool)
        .with_arguments(&arguments)
        .unwrap();
    client.call_tool(params, &CallOptions::new()).await.unwrap()
}

#[tokio::test]
async fn proto_38_arguments_that_break_the_schema_are_told_to_the_model_and_the_tool_is_not_run() {
    for (wire, version) in cases() {
        let running = Running::start(&weather(), wire).await;
        let client = running.client(version).await;
        for (arguments, why) in [
            (json!({}), "\"city\" is a required property"),
            (
                json!({"city": "x"}),
                "at /city: this is shorter than 2 characters",
            ),
            (
                json!({"city": 7}),
                "at /city: this is not of type \"string\"",
            ),
            (json!({"city": "Oslo", "unit": "K"}), "at /unit: "),
            (json!({"city": "Oslo", "town": 1}), "Additional properties"),
        ] {
            let result = call(&client, "weather", arguments).await;
            let text = result.text_content();
            assert!(result.is_error(), "{text}");
            assert!(text.starts_with("invalid arguments: "), "{text}");
            assert!(text.contains(why), "{text}");
        }
        let result = call(&client, "weather", json!({"city": "Oslo", "unit": "C"})).await;
        assert_eq!(result.structured_content, Some(json!({"degrees": 21.5})));
        client.close().await;
        running.stop().await;
    }
}

#[tokio::test]
async fn proto_39_a_result_that_breaks_the_output_schema_does_not_leave_the_server() {
    for (wire, version) in cases() {
        let running = Running::start(&weather(), wire).await;
        let client = running.client(version).await;
        let result = call(&client, "weather", json!({"city": "Nowhere"})).await;
        assert!(result.is_error());
        assert_eq!(result.structured_content, None);
        client.close().await;
        running.stop().await;
    }
}

#[tokio::test]
async fn proto_46_proto_47_a_dialect_counts_and_what_is_unknown_or_elsewhere_is_an_error() {
    for (wire, version) in cases() {
        let running = Running::start(&weather(), wire).await;
        let client = running.client(version).await;
        let fine = call(&client, "old", json!({"pair": ["a", 1]})).await;
        assert_eq!(fine.text_content(), "fine");
        let result = call(&client, "old", json!({"pair": [1, "a"]})).await;
        assert!(result.is_error());
        for tool in ["foreign", "remote"] {
            let params = CallToolParams::new(tool);
            let error = client.call_tool(params, &CallOptions::new()).await;
            let error = error.unwrap_err();
            assert_eq!(error.remote().unwrap().code.0, -32603, "{error:?}");
        }
        client.close().await;
        running.stop().await;
    }
}

fn cases() -> impl Iterator<Item = (crate::wire::Wire, ProtocolVersion)> {
    let versions = [ProtocolVersion::V2025_11_25, ProtocolVersion::V2026_07_28];
    WIRES
        .into_iter()
        .flat_map(move |wire| versions.map(|version| (wire, version)))
}
