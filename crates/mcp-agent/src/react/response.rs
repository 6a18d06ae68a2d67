//! An answer in a form of one's own: a tool that the model calls to give it.

use std::fmt;
use std::sync::Arc;

use mcp_interceptors::JsonMap;
use mcp_model::ToolSpec;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

type Check = Arc<dyn Fn(JsonMap) -> Result<Value, String> + Send + Sync>;

/// The form of an agent's answer.
///
/// The model is offered a tool whose arguments are the answer, and must call a tool in each
/// round. What does not fit is told to the model, which may try again.
#[derive(Clone)]
pub struct ResponseFormat {
    pub(crate) spec: ToolSpec,
    check: Check,
}

impl ResponseFormat {
    /// The name of the tool.
    pub const TOOL: &'static str = "give_answer";

    /// The answer is a `T`, which this JSON Schema describes.
    #[must_use]
    pub fn of<T: DeserializeOwned + Serialize>(schema: Value) -> Self {
        Self::checked(schema, |args| {
            let typed: T =
                serde_json::from_value(Value::Object(args)).map_err(|e| e.to_string())?;
            serde_json::to_value(typed).map_err(|e| e.to_string())
        })
    }

    /// The answer is an object that this JSON Schema describes and that `check` lets pass, as it
    /// is or changed.
    pub fn checked(
        schema: Value,
        check: impl Fn(JsonMap) -> Result<Value, String> + Send + Sync + 'static,
    ) -> Self {
        let spec = ToolSpec::new(Self::TOOL, schema)
            .with_description("Gives the final answer. Call it once, when you know the answer.");
        Self {
            spec,
            check: Arc::new(check),
        }
    }

    pub(crate) fn read(&self, args: JsonMap) -> Result<Value, String> {
        (self.check)(args)
    }
}

impl fmt::Debug for ResponseFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ResponseFormat({})", self.spec.input_schema)
    }
}
