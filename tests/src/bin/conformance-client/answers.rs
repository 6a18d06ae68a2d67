//! A user who accepts every form with what it shows first.

use mcp::client::{Elicitation, Origin};
use mcp::jsonrpc::ErrorObject;
use mcp::protocol::elicitation::{
    ElicitRequestParams, ElicitResult, PrimitiveSchemaDefinition as Field,
};
use mcp::transport::BoxFuture;
use serde_json::{Map, Value, json};

#[derive(Debug)]
pub(crate) struct Defaults;

impl Elicitation for Defaults {
    fn elicit(
        &self,
        params: ElicitRequestParams,
        _origin: Origin,
    ) -> BoxFuture<'_, Result<ElicitResult, ErrorObject>> {
        let result = match &params {
            ElicitRequestParams::Form(form) => {
                let fields = form.requested_schema.properties.iter();
                let filled: Map<String, Value> = fields
                    .map(|(name, field)| (name.clone(), shown_first(field)))
                    .collect();
                ElicitResult::accept(filled)
            }
            _ => ElicitResult::decline(),
        };
        Box::pin(async { Ok(result) })
    }
}

/// The default of a field, or the smallest thing that fits.
fn shown_first(field: &Field) -> Value {
    let schema = serde_json::to_value(field).unwrap_or_default();
    if let Some(default) = schema.get("default") {
        return default.clone();
    }
    match field {
        Field::Boolean(_) => json!(true),
        Field::Number(_) => schema.get("minimum").cloned().unwrap_or_else(|| json!(0)),
        Field::Enum(choice) => choice
            .options()
            .first()
            .map_or(Value::Null, |(value, _)| json!(value)),
        _ => json!("text"),
    }
}
