//! Which dialect a schema is written in.

use jsonschema::Draft;
use mcp_protocol::SchemaError;
use serde_json::Value;

/// By what `$schema` says; 2020-12 if it says nothing.
pub(crate) fn of(schema: &Value) -> Result<Draft, SchemaError> {
    let Some(name) = schema.get("$schema") else {
        return Ok(Draft::Draft202012);
    };
    let known = name.as_str().and_then(named);
    known.ok_or_else(|| {
        let what = format!(
            "the dialect {name} is not known; known are 2020-12, 2019-09, draft-07, draft-06 and \
             draft-04"
        );
        SchemaError::new("/$schema", what)
    })
}

/// The dialect with this URI.
pub(crate) fn named(uri: &str) -> Option<Draft> {
    let uri = uri.strip_suffix('#').unwrap_or(uri);
    let rest = uri
        .strip_prefix("https://")
        .or_else(|| uri.strip_prefix("http://"));
    Some(match rest?.strip_prefix("json-schema.org/")? {
        "draft/2020-12/schema" => Draft::Draft202012,
        "draft/2019-09/schema" => Draft::Draft201909,
        "draft-07/schema" => Draft::Draft7,
        "draft-06/schema" => Draft::Draft6,
        "draft-04/schema" => Draft::Draft4,
        _ => return None,
    })
}
