//! Tools, resources, completion, logging, subscriptions and the errors about them.

use std::collections::BTreeMap;

use mcp_jsonrpc::{ErrorCode, ErrorObject, Id};
use mcp_protocol::error_code::{is_resource_not_found, resource_not_found};
use mcp_protocol::{
    ClientCapabilities, CompleteParams, Completion, CompletionArgument, CompletionContext,
    ElicitRequestURLParams, ElicitationCapability, LoggingLevel,
    MissingRequiredClientCapabilityError, PromptReference, ProtocolVersion, ResourcesCapability,
    ServerCapabilities, SubscriptionFilter, SubscriptionsAcknowledgedParams,
    SubscriptionsListenResult, Tool, ToolAnnotations, ToolsCapability, URLElicitationRequiredError,
    UnsupportedProtocolVersionError,
};
use serde_json::{Map, json};

use super::{read, round_trip};

#[test]
fn proto_19_the_error_that_sends_to_a_url_carries_where() {
    let url = ElicitRequestURLParams::new("log in", "https://example.com").with_elicitation_id("e");
    let object = ErrorObject::from(URLElicitationRequiredError::new(vec![url]));
    let json = serde_json::to_value(&object).unwrap();
    assert_eq!(json["code"], -32042);
    assert_eq!(
        json["data"],
        json!({"elicitations": [{
            "mode": "url",
            "message": "log in",
            "url": "https://example.com",
            "elicitationId": "e",
        }]})
    );
    assert!(URLElicitationRequiredError::read(&object).is_some());
    assert!(UnsupportedProtocolVersionError::read(&object).is_none());
}

#[test]
fn proto_28_a_completion_has_at_most_100_values_and_says_what_it_left_out() {
    let values = |n: usize| (0..n).map(|i| i.to_string()).collect::<Vec<_>>();
    let few = Completion::new(values(100));
    assert_eq!(
        (few.values.len(), few.total, few.has_more),
        (100, None, None)
    );
    let many = Completion::new(values(250));
    assert_eq!(
        (many.values.len(), many.total, many.has_more),
        (100, Some(250), Some(true))
    );
}

#[test]
fn proto_29_the_context_of_a_completion_round_trips() {
    let arguments = BTreeMap::from([("language".to_owned(), "rust".to_owned())]);
    let params = CompleteParams::new(
        PromptReference::new("review"),
        CompletionArgument::new("framework", "to"),
    )
    .with_context(CompletionContext::new().with_arguments(arguments));
    let json = json!({
        "ref": {"type": "ref/prompt", "name": "review"},
        "argument": {"name": "framework", "value": "to"},
        "context": {"arguments": {"language": "rust"}},
    });
    assert_eq!(serde_json::to_value(&params).unwrap(), json);
    assert_eq!(round_trip::<CompleteParams>(&json), json);
}

#[test]
fn proto_35_proto_36_levels_are_ordered_and_unknown_ones_can_be_told() {
    assert_eq!(LoggingLevel::Debug.severity(), Some(0));
    assert_eq!(LoggingLevel::Emergency.severity(), Some(7));
    assert_eq!(LoggingLevel::from("loud").severity(), None);
    assert!(LoggingLevel::Error.is_at_least(&LoggingLevel::Warning));
    assert!(!LoggingLevel::Notice.is_at_least(&LoggingLevel::Warning));
    for level in LoggingLevel::ALL {
        assert_eq!(LoggingLevel::from(level.as_str()), level);
    }
}

#[test]
fn proto_42_proto_43_a_missing_resource_has_the_code_of_the_revision() {
    let (old, new) = (ProtocolVersion::V2025_11_25, ProtocolVersion::V2026_07_28);
    let error = resource_not_found(old, "a:b");
    assert_eq!(error.code, ErrorCode(-32002));
    let error = resource_not_found(new, "a:b");
    assert_eq!(error.code, ErrorCode::INVALID_PARAMS);
    assert_eq!(error.data.as_ref().unwrap().get(), r#"{"uri":"a:b"}"#);
    assert!(is_resource_not_found(new, &error));
    assert!(!is_resource_not_found(old, &error));
    assert!(is_resource_not_found(new, &resource_not_found(old, "a:b")));
}

#[test]
fn proto_49_names_outside_of_the_recommendation_can_be_told() {
    let recommended = |name: &str| Tool::new(name, json!({})).has_recommended_name();
    assert!(recommended("get_weather-2.x"));
    assert!(recommended(&"a".repeat(128)));
    for name in ["", "get weather", "wetter/heute", "größe", &"a".repeat(129)] {
        assert!(!recommended(name), "{name}");
    }
}

#[test]
fn proto_57_missing_capabilities_are_named_as_an_object() {
    let required = ClientCapabilities::new().with_elicitation(ElicitationCapability::new());
    let object = ErrorObject::from(MissingRequiredClientCapabilityError::new(required));
    let json = serde_json::to_value(&object).unwrap();
    assert_eq!(json["code"], -32021);
    assert_eq!(
        json["data"],
        json!({"requiredCapabilities": {"elicitation": {}}})
    );
    assert_eq!(json["message"], "missing client capability: elicitation");
}

#[test]
fn proto_63_a_server_honours_the_part_of_a_filter_that_it_can() {
    let filter = SubscriptionFilter::new()
        .with_tools_list_changed(true)
        .with_prompts_list_changed(true)
        .with_resources_list_changed(false)
        .with_resource_subscriptions(vec!["a:b".to_owned()])
        .with_task_ids(vec!["t".to_owned()]);
    let server = ServerCapabilities::new()
        .with_tools(ToolsCapability::new().with_list_changed(true))
        .with_resources(ResourcesCapability::new().with_list_changed(true));
    let honoured = filter.honoured_by(&server);
    assert_eq!(
        honoured,
        SubscriptionFilter::new().with_tools_list_changed(true)
    );
    let ack = SubscriptionsAcknowledgedParams::new(&Id::from(7), honoured);
    assert_eq!(
        serde_json::to_value(ack).unwrap(),
        json!({
            "notifications": {"toolsListChanged": true},
            "_meta": {"io.modelcontextprotocol/subscriptionId": 7},
        })
    );
    let server = server.with_resources(ResourcesCapability::new().with_subscribe(true));
    let uris = filter.honoured_by(&server).resource_subscriptions;
    assert_eq!(uris, Some(vec!["a:b".to_owned()]));
}

#[test]
fn proto_67_the_end_of_a_subscription_is_a_result_that_names_it() {
    let result = SubscriptionsListenResult::new(&Id::from("l"));
    assert_eq!(result.meta.unwrap().subscription_id(), Some(Id::from("l")));
}

#[test]
fn proto_76_a_tool_without_hints_may_do_anything() {
    let hints = ToolAnnotations::new();
    assert!(!hints.is_read_only() && hints.is_destructive());
    assert!(!hints.is_idempotent() && hints.is_open_world());
    let hints: ToolAnnotations = read(r#"{"readOnlyHint":true,"destructiveHint":true}"#).unwrap();
    assert!(hints.is_read_only() && !hints.is_destructive());
}

#[test]
fn the_name_to_show_is_the_title_then_the_annotated_title_then_the_name() {
    let tool = Tool::new("a", json!({}));
    assert_eq!(tool.display_name(), "a");
    let tool = tool.with_annotations(ToolAnnotations::new().with_title("B"));
    assert_eq!(tool.display_name(), "B");
    assert_eq!(tool.with_title("C").display_name(), "C");
}

#[test]
fn capabilities_say_what_they_hold() {
    let mut extensions = Map::new();
    extensions.insert("io.modelcontextprotocol/tasks".to_owned(), json!({}));
    let server = ServerCapabilities::new().with_extensions(extensions.clone());
    assert!(server.has_extension("io.modelcontextprotocol/tasks"));
    assert!(!server.has_extension("io.modelcontextprotocol/ui"));
    assert!(!server.has_resource_subscriptions());
    let client = ClientCapabilities::new().with_extensions(extensions);
    assert!(client.has_extension("io.modelcontextprotocol/tasks"));
    assert!(!client.has_sampling_tools() && !client.has_sampling_context());
}
