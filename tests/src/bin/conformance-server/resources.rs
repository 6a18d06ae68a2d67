//! Resources and a resource template.

use mcp::protocol::{Resource, ResourceTemplate};
use mcp::server::{Context, ServerBuilder, TemplateError, TemplateVars};

use crate::media::PNG;

pub(crate) fn add(builder: ServerBuilder) -> Result<ServerBuilder, TemplateError> {
    builder
        .fixed_resource(
            Resource::new("test://static-text", "static-text")
                .with_description("A text that never changes.")
                .with_mime_type("text/plain"),
            "This is the content of the static text resource.",
        )
        .fixed_resource(
            Resource::new("test://static-binary", "static-binary")
                .with_description("An image that never changes.")
                .with_mime_type("image/png"),
            PNG.to_vec(),
        )
        .fixed_resource(
            Resource::new("test://watched-resource", "watched-resource")
                .with_description("A text to subscribe to.")
                .with_mime_type("text/plain"),
            "This is the content of the watched resource.",
        )
        .resource_template(
            ResourceTemplate::new("test://template/{id}/data", "template")
                .with_description("Data for any id.")
                .with_mime_type("application/json"),
            |vars: TemplateVars, _: Context| async move {
                let id = vars.get("id").unwrap_or_default();
                let data = format!("Data for ID: {id}");
                let json = serde_json::json!({"id": id, "templateTest": true, "data": data});
                Ok(json.to_string())
            },
        )
}
