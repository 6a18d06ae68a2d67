//! Resources and prompts of many servers.

use std::sync::Arc;

use mcp_client::{
    Body, Budget, CallOptions, Error, PoolError, Selection, ServerOptions, ServerPool,
};
use mcp_interceptors::Delivery;
use mcp_protocol::content::{EmbeddedResource, ImageContent};
use mcp_protocol::{
    GetPromptParams, Prompt, PromptArgument, PromptMessage, Resource, ResourceContents, Role,
};
use mcp_server::Server;
use serde_json::{Map, Value};

use crate::connects::{Local, Missing};

fn shelf() -> Server {
    let long = "x".repeat(50_000);
    Server::builder("shelf", "1")
        .fixed_resource(Resource::new("shelf://short", "short"), "a short text")
        .fixed_resource(Resource::new("shelf://long", "long"), long)
        .build()
}

fn attic() -> Server {
    let blob = ResourceContents::blob("attic://box", [0_u8, 255]).with_mime_type("image/png");
    Server::builder("attic", "1")
        .fixed_resource(Resource::new("attic://box", "box"), blob)
        .prompt(
            Prompt::new("show")
                .with_arguments(vec![PromptArgument::new("what").with_required(true)]),
            |arguments: Map<String, Value>, _cx| async move {
                let what = arguments["what"].as_str().unwrap_or_default().to_owned();
                let image = ImageContent::new("aGk=", "image/png");
                let embedded = ResourceContents::text("attic://note", "a note");
                Ok(vec![
                    PromptMessage::user(what),
                    PromptMessage::assistant("here"),
                    PromptMessage::user(image),
                    PromptMessage::user(EmbeddedResource::new(embedded)),
                ])
            },
        )
        .build()
}

fn pool() -> ServerPool {
    ServerPool::builder()
        .server("shelf", Local::new(shelf()))
        .server_with("missing", Arc::new(Missing), ServerOptions::new())
        .server("attic", Local::new(attic()))
        .build()
}

#[tokio::test]
async fn resources_and_prompts_of_all_servers_are_listed_in_order() {
    let pool = pool();
    let resources = pool.resources().await;
    let found: Vec<_> = resources
        .entries
        .iter()
        .map(|e| (&*e.server, &*e.item.uri))
        .collect();
    assert_eq!(
        found,
        [
            ("shelf", "shelf://short"),
            ("shelf", "shelf://long"),
            ("attic", "attic://box")
        ]
    );
    assert_eq!(resources.failures[0].server, "missing");
    let prompts = pool.prompts().await;
    assert_eq!(prompts.entries[0].item.name, "show");
    assert!(pool.resource_templates().await.entries.is_empty());
    pool.shutdown().await;
}

#[tokio::test]
async fn a34_resources_go_into_a_prompt_within_a_budget() {
    let pool = pool();
    let uris = ["shelf://short", "shelf://gone", "shelf://long"];
    let selection = Selection::of("shelf").with_uris(uris);
    let loaded = pool.load(&selection, &CallOptions::new()).await;
    assert_eq!(loaded.contents.len(), 2);
    let [failure] = loaded.failures.as_slice() else {
        panic!("{:?}", loaded.failures);
    };
    assert_eq!(failure.uri, "shelf://gone");

    let prompt = loaded.to_prompt(Budget::of(8_000));
    assert!(prompt.chars().count() <= 8_000);
    let short = prompt.find("a short text").unwrap();
    assert!(short < prompt.find("## shelf://long (from shelf)").unwrap());
    assert!(prompt.contains("[50000 characters in all]"));
    assert!(loaded.to_prompt(Budget::of(10)).chars().count() <= 10);
}

#[tokio::test]
async fn resources_are_found_by_uri_and_blobs_decoded() {
    let pool = pool();
    let selection = Selection::all().with_uris(["attic://box", "nowhere://x"]);
    let loaded = pool.load(&selection, &CallOptions::new()).await;
    let content = &loaded.contents[0];
    assert_eq!(
        (&*content.server, &content.body),
        ("attic", &Body::Blob(vec![0, 255]))
    );
    assert_eq!(content.mime_type.as_deref(), Some("image/png"));
    assert_eq!(content.resource.as_ref().unwrap().name, "box");
    assert_eq!(loaded.failures[0].message, "no server lists this resource");
    assert_eq!(loaded.servers[0].server, "missing");
    assert!(
        loaded
            .to_prompt(Budget::default())
            .contains("[image/png, 2 bytes]")
    );

    let all = pool.load(&Selection::all(), &CallOptions::new()).await;
    assert_eq!(all.contents.len(), 3);
}

#[tokio::test]
async fn a35_prompts_of_all_kinds_of_content() {
    let pool = pool();
    let params = GetPromptParams::new("show").with_argument("what", "the box");
    let result = pool
        .get_prompt("attic", params, &CallOptions::new())
        .await
        .unwrap();
    let roles: Vec<_> = result.messages.iter().map(|m| m.role.clone()).collect();
    assert_eq!(roles, [Role::User, Role::Assistant, Role::User, Role::User]);
    assert_eq!(result.messages[0].content.as_text(), Some("the box"));
}

#[tokio::test]
async fn a_prompt_without_a_required_argument_is_refused_here() {
    let pool = pool();
    let options = CallOptions::new();
    let refused = pool.get_prompt("attic", GetPromptParams::new("show"), &options);
    let error = refused.await.unwrap_err();
    assert_eq!(error.delivery(), Delivery::NotSent);
    let PoolError::Call { source, .. } = &error else {
        panic!("{error:?}");
    };
    assert!(matches!(**source, Error::MissingArgument { .. }));
    assert_eq!(
        source.to_string(),
        "the prompt show needs the argument what"
    );
}
