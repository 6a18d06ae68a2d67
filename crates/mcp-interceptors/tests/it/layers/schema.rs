//! Arguments and results that have to fit the schemas of their tool.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use mcp_interceptors::{
    BoundTool, CallErrorKind, Delivery, JsonMap, SchemaLayer, ToolCall, ToolLayers, ToolOutcome,
};
use mcp_protocol::{CallToolResult, SchemaCheck, SchemaError, SchemaValidator, Tool};
use serde_json::{Value, json};

use super::{Script, tool};

/// Knows `required`, and counts the schemas that it reads.
#[derive(Clone, Debug, Default)]
struct Required(Arc<AtomicUsize>);

struct Members(Vec<String>);

impl SchemaValidator for Required {
    fn compile(&self, schema: &Value) -> Result<Box<dyn SchemaCheck>, SchemaError> {
        self.0.fetch_add(1, Ordering::SeqCst);
        if schema == "bad" {
            return Err(SchemaError::new("", "this is no schema"));
        }
        let names = schema["required"].as_array().into_iter().flatten();
        let names = names.filter_map(|name| name.as_str().map(str::to_owned));
        Ok(Box::new(Members(names.collect())))
    }
}

impl SchemaCheck for Members {
    fn check(&self, value: &Value) -> Result<(), SchemaError> {
        let missing = self.0.iter().find(|name| value.get(name).is_none());
        missing.map_or(Ok(()), |name| {
            Err(SchemaError::new("/", format!("{name} is missing")))
        })
    }
}

fn layers() -> (ToolLayers, Arc<AtomicUsize>) {
    let validator = Required::default();
    let read = Arc::clone(&validator.0);
    (ToolLayers::new().layer(SchemaLayer::new(validator)), read)
}

fn call_of(tool: Tool) -> ToolCall {
    ToolCall::new(Arc::new(BoundTool::new("t", "s", tool)), JsonMap::new())
}

fn strict() -> Tool {
    Tool::new("t", json!({"type": "object", "required": ["a"]}))
}

#[tokio::test]
async fn a_call_whose_arguments_do_not_fit_is_not_made_and_says_where_and_why() {
    let (layers, read) = layers();
    let script = Script::default();
    let service = script.behind(&layers);
    let error = service.call(call_of(strict())).await.unwrap_err();
    assert_eq!(error.kind(), CallErrorKind::InvalidArguments);
    assert_eq!(error.delivery(), Delivery::NotSent);
    let text = "the arguments do not fit the tool: at /: a is missing";
    assert_eq!(error.to_string(), text);
    assert_eq!(script.count(), 0);

    let good = call_of(strict()).with_arg("a", 1);
    service.call(good.clone()).await.unwrap();
    service.call(good.with_name("u")).await.unwrap();
    assert_eq!(script.count(), 2);
    assert_eq!(read.load(Ordering::SeqCst), 1, "a schema is read once");
}

#[tokio::test]
async fn a37_a_result_that_does_not_fit_is_an_error_and_nothing_of_it_is_lost() {
    let promises = || tool("t").with_output_schema(json!({"required": ["b"]}));
    let wrong = || CallToolResult::text("text").with_structured_content(json!({"a": 1}));
    let right = || CallToolResult::text("text").with_structured_content(json!({"b": 1}));
    for (result, error) in [
        (right(), None),
        (CallToolResult::error("no"), Some("no")),
        (
            wrong(),
            Some("The result does not fit what the tool promises: at /: b is missing\ntext"),
        ),
        (
            CallToolResult::text("text"),
            Some(
                "The result does not fit what the tool promises: there is no structured content\ntext",
            ),
        ),
    ] {
        let (layers, _) = layers();
        let structured = result.structured_content.clone();
        let script = Script::new([Ok(result.into())]);
        let outcome = script
            .behind(&layers)
            .call(call_of(promises()))
            .await
            .unwrap();
        assert_eq!(outcome.is_error(), error.is_some());
        assert_eq!(outcome.text(), error.unwrap_or("text"));
        let ToolOutcome::Result(result) = outcome else {
            panic!("a result");
        };
        assert_eq!(result.structured_content, structured);
    }
}

#[tokio::test]
async fn a_schema_that_cannot_be_read_checks_nothing_and_a_new_definition_is_read_anew() {
    let (layers, read) = layers();
    let script = Script::default();
    let service = script.behind(&layers);
    let bad = Tool::new("t", json!("bad"));
    service.call(call_of(bad)).await.unwrap();
    service.call(call_of(strict())).await.unwrap_err();
    assert_eq!(read.load(Ordering::SeqCst), 2);
    assert_eq!(script.count(), 1);
}
