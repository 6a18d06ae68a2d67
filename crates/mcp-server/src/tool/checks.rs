//! Arguments and results checked against the schemas of their tool.

use mcp_jsonrpc::ErrorObject;
use mcp_protocol::{CallToolResult, SchemaCheck, SchemaError, SchemaValidator, Tool};
use serde_json::Value;

type Check = Result<Box<dyn SchemaCheck>, SchemaError>;

/// The schemas of a tool, read.
pub(crate) struct Checks {
    input: Check,
    output: Option<Check>,
}

impl Checks {
    pub(super) fn of(tool: &Tool, validator: &dyn SchemaValidator) -> Self {
        let output = tool.output_schema.as_ref();
        Self {
            input: validator.compile(&tool.input_schema),
            output: output.map(|schema| validator.compile(schema)),
        }
    }

    /// What is wrong with the arguments, for the model that has made them.
    pub(super) fn arguments(
        &self,
        tool: &str,
        arguments: &str,
    ) -> Result<Option<String>, ErrorObject> {
        let check = usable(&self.input, tool)?;
        // Whatever is JSON is a value.
        let value: Value = serde_json::from_str(arguments)
            .map_err(|error| ErrorObject::invalid_params(error.to_string()))?;
        let fault = check.check(&value).err();
        Ok(fault.map(|fault| format!("invalid arguments: {fault}")))
    }

    /// The result, if it keeps what the output schema promises. A failure promises nothing.
    pub(super) fn result(
        &self,
        tool: &str,
        result: CallToolResult,
    ) -> Result<CallToolResult, ErrorObject> {
        let Some(check) = self.output.as_ref().filter(|_| !result.is_error()) else {
            return Ok(result);
        };
        let fault = match &result.structured_content {
            Some(value) => usable(check, tool)?.check(value).err(),
            None => Some(SchemaError::new("", "there is no structured content")),
        };
        Ok(match fault {
            None => result,
            Some(fault) => {
                tracing::error!(tool, %fault, "a result does not fit the tool's output schema");
                CallToolResult::error(format!(
                    "the tool {tool} gave a result that does not fit its output schema"
                ))
            }
        })
    }
}

fn usable<'a>(check: &'a Check, tool: &str) -> Result<&'a dyn SchemaCheck, ErrorObject> {
    check.as_deref().map_err(|error| {
        tracing::error!(tool, %error, "a schema of a tool cannot be used");
        ErrorObject::internal(format!("a schema of the tool {tool} cannot be used"))
    })
}
