//! Arguments that models do not see.

use std::error::Error;
use std::sync::Arc;

use http::Extensions;
use mcp_interceptors::{
    CallErrorKind, Delivery, InjectArgsLayer, Intercepted, JsonMap, LocalTools, MissingArg,
    ToolCall, ToolLayers, Toolset,
};
use mcp_protocol::Tool;
use serde_json::{Value, json};

#[derive(Clone)]
struct User(&'static str);

fn user_of(call: &ToolCall) -> Option<Value> {
    call.extensions().get::<User>().map(|user| user.0.into())
}

/// Tools that give their arguments back: one that must know the user, one that may, and one
/// that takes anything.
fn tools() -> LocalTools {
    let schema = |required: &[&str]| {
        json!({
            "type": "object",
            "properties": {
                "first": {"type": "string"},
                "user_id": {"type": "string", "x-mcp-header": "User"},
                "last": {"type": "string"},
            },
            "required": required,
            "additionalProperties": false,
        })
    };
    [
        ("must", schema(&["user_id"])),
        ("may", schema(&["last"])),
        ("free", json!({"type": "object"})),
    ]
    .into_iter()
    .fold(LocalTools::new("shop"), |tools, (name, schema)| {
        tools.tool(Tool::new(name, schema), |call: ToolCall| async move {
            Ok(Value::Object(call.into_args()).to_string().into())
        })
    })
}

fn layered(layer: InjectArgsLayer) -> Intercepted {
    ToolLayers::new().layer(layer).around(Arc::new(tools()))
}

async fn call(tools: &Intercepted, name: &str, user: Option<User>) -> ToolCall {
    let list = tools.tools().await.tools;
    let tool = list.into_iter().find(|tool| tool.name() == name).unwrap();
    let mut extensions = Extensions::new();
    if let Some(user) = user {
        extensions.insert(user);
    }
    ToolCall::in_context(tool, JsonMap::new(), extensions)
}

#[tokio::test]
async fn a20_a_hidden_argument_is_not_shown_and_a_forged_one_is_overwritten() {
    let tools = layered(InjectArgsLayer::new().arg("user_id", user_of));
    for name in ["must", "may"] {
        let forged = call(&tools, name, Some(User("ada"))).await;
        let forged = forged.with_arg("user_id", "evil").with_arg("last", "x");
        let schema = &forged.tool().shown().input_schema;
        let properties = schema["properties"].as_object().unwrap();
        assert_eq!(properties.keys().collect::<Vec<_>>(), ["first", "last"]);
        assert!(!schema.to_string().contains("user_id"), "{schema}");
        let outcome = tools.call(forged).await.unwrap().text();
        assert_eq!(outcome, r#"{"last":"x","user_id":"ada"}"#);
    }
}

#[tokio::test]
async fn the_server_keeps_its_own_definition() {
    let tools = layered(InjectArgsLayer::new().arg("user_id", user_of));
    let call = call(&tools, "must", Some(User("ada"))).await;
    let own = &call.tool().tool().input_schema;
    assert_eq!(own["required"], json!(["user_id"]));
    assert_eq!(own["properties"]["user_id"]["x-mcp-header"], "User");
}

#[tokio::test]
async fn a_tool_that_does_not_name_it_gets_none_and_no_forged_one() {
    let tools = layered(InjectArgsLayer::new().arg("user_id", user_of));
    let forged = call(&tools, "free", Some(User("ada"))).await;
    let forged = forged.with_arg("user_id", "evil").with_arg("a", 1);
    assert!(Arc::ptr_eq(forged.tool().shown(), forged.tool().tool()));
    assert_eq!(tools.call(forged).await.unwrap().text(), r#"{"a":1}"#);
}

#[tokio::test]
async fn without_a_value_a_required_argument_ends_the_call_and_another_is_left_out() {
    let tools = layered(InjectArgsLayer::new().arg("user_id", user_of));
    let must = call(&tools, "must", None).await.with_arg("user_id", "evil");
    let error = tools.call(must).await.unwrap_err();
    assert_eq!(error.kind(), CallErrorKind::Layer);
    assert_eq!(error.delivery(), Delivery::NotSent);
    let missing: &MissingArg = error.source().unwrap().downcast_ref().unwrap();
    assert_eq!((&*missing.tool, &*missing.arg), ("must", "user_id"));
    let may = call(&tools, "may", None).await.with_arg("user_id", "evil");
    assert_eq!(tools.call(may).await.unwrap().text(), "{}");
}

#[tokio::test]
async fn other_tools_can_be_left_alone() {
    let layer = InjectArgsLayer::new()
        .arg("user_id", user_of)
        .only_for(|tool| tool.name() == "must");
    let tools = layered(layer);
    let may = call(&tools, "may", Some(User("ada"))).await;
    let shown = &may.tool().shown().input_schema;
    assert!(shown["properties"]["user_id"].is_object());
    let may = may.with_arg("user_id", "bob");
    assert_eq!(
        tools.call(may).await.unwrap().text(),
        r#"{"user_id":"bob"}"#
    );
}

#[tokio::test]
async fn a_list_that_has_not_changed_is_the_same_each_time() {
    let layers = ToolLayers::new()
        .layer(InjectArgsLayer::new().arg("user_id", user_of))
        .layer(InjectArgsLayer::new().arg("first", |_| Some("1".into())));
    let tools = layers.around(Arc::new(tools()));
    let (one, two) = (tools.tools().await.tools, tools.tools().await.tools);
    assert_eq!(one.len(), 3);
    for (one, two) in one.iter().zip(&two) {
        assert!(Arc::ptr_eq(one, two));
    }
    let shown = &one[0].shown().input_schema["properties"];
    assert_eq!(shown, &json!({"last": {"type": "string"}}), "both layers");
}
