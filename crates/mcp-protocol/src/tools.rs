//! Tools: what a model can have done.

use serde::ser::Error as _;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::{
    CacheScope, Cursor, Extra, Icon, InputResponses, Meta, NotificationParams, PaginatedParams,
    RequestMeta, ResultType, TaskMetadata, decode,
};

mod annotations;
mod param_header;
mod result;

pub use annotations::{TaskSupport, ToolAnnotations, ToolExecution};
pub use param_header::{InvalidParamHeader, ParamHeader};
pub use result::CallToolResult;

request! {
    /// `tools/list`: a page of the server's tools.
    ///
    /// Specification: Tools, Listing Tools (all revisions).
    ListTools = "tools/list": PaginatedParams => ListToolsResult
}

request! {
    /// `tools/call`: has a tool run.
    ///
    /// Specification: Tools, Calling Tools (all revisions).
    CallTool = "tools/call": CallToolParams => CallToolResult
}

notification! {
    /// `notifications/tools/list_changed`: the list of tools is another one now.
    ///
    /// Specification: Tools, List Changed Notification (all revisions).
    ToolListChanged = "notifications/tools/list_changed": NotificationParams
}

/// A tool, as a server describes it.
///
/// It does not decode without a name, or when `inputSchema` is not an object.
/// Specification: Tools, Tool (all revisions).
///
/// ```
/// use mcp_protocol::Tool;
/// let schema = serde_json::json!({"type": "object", "properties": {"city": {"type": "string"}}});
/// let tool = Tool::new("weather", schema).with_description("The weather in a city.");
/// assert_eq!(tool.display_name(), "weather");
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct Tool {
    /// The name for programs, unique in its server.
    pub name: String,
    /// The name for people. Since 2025-06-18.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What it does, for the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The JSON Schema of its arguments: an object whose `type` is `object`.
    #[serde(deserialize_with = "decode::object")]
    pub input_schema: Value,
    /// The JSON Schema of [`CallToolResult::structured_content`]. Since 2025-06-18; any type
    /// of content since 2026-07-28.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Value>,
    /// Hints about what it does. Since 2025-03-26.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub annotations: Option<ToolAnnotations>,
    /// How it runs. 2025-11-25 only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub execution: Option<ToolExecution>,
    /// Pictures of it. Since 2025-11-25.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub icons: Option<Vec<Icon>>,
    /// Since 2025-06-18.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

impl Tool {
    /// The longest name that the specification recommends, in characters.
    pub const MAX_NAME: usize = 128;

    /// A tool with name and schema alone.
    pub fn new(name: impl Into<String>, input_schema: impl Into<Value>) -> Self {
        Self {
            name: name.into(),
            title: None,
            description: None,
            input_schema: input_schema.into(),
            output_schema: None,
            annotations: None,
            execution: None,
            icons: None,
            meta: None,
            extra: Extra::new(),
        }
    }

    /// The name to show to people: the title, the title in the annotations, or the name.
    #[must_use]
    pub fn display_name(&self) -> &str {
        let hinted = || self.annotations.as_ref()?.title.as_deref();
        self.title.as_deref().or_else(hinted).unwrap_or(&self.name)
    }

    /// Whether the name is as recommended since 2025-11-25: 1 to 128 of `A-Z a-z 0-9 _ - .`.
    #[must_use]
    pub fn has_recommended_name(&self) -> bool {
        (1..=Self::MAX_NAME).contains(&self.name.len())
            && self
                .name
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'))
    }
}

setters!(Tool {
    with_title(title: String),
    with_description(description: String),
    with_output_schema(output_schema: Value),
    with_annotations(annotations: ToolAnnotations),
    with_execution(execution: ToolExecution),
    with_icons(icons: Vec<Icon>),
    with_meta(meta: Meta),
});

list_result! {
    /// Result of [`ListTools`].
    ///
    /// Specification: Tools, Listing Tools (all revisions).
    ListToolsResult {
        /// The tools of this page.
        tools: Tool,
        /// Where the next page begins. Absent: this was the last.
        #[serde(skip_serializing_if = "Option::is_none")]
        next_cursor: Option<Cursor>,
        /// The kind of the result. Since 2026-07-28.
        #[serde(skip_serializing_if = "Option::is_none")]
        result_type: Option<ResultType>,
        /// How long the page is fresh, in milliseconds. Since 2026-07-28.
        #[serde(default, deserialize_with = "decode::count", skip_serializing_if = "Option::is_none")]
        ttl_ms: Option<u64>,
        /// Who may be given the kept page. Since 2026-07-28.
        #[serde(skip_serializing_if = "Option::is_none")]
        cache_scope: Option<CacheScope>,
        /// What travels beside the result.
        #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
        meta: Option<Meta>,
    }
}

setters!(ListToolsResult {
    with_next_cursor(next_cursor: Cursor),
    with_meta(meta: Meta),
});
server_result!(ListToolsResult, cacheable);

/// Params of [`CallTool`] (`CallToolRequestParams`).
///
/// Specification: Tools, Calling Tools (all revisions).
#[derive(Clone, Debug, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct CallToolParams {
    /// Which tool.
    pub name: String,
    /// The arguments: an object, undecoded.
    #[serde(
        default,
        deserialize_with = "decode::raw_object",
        skip_serializing_if = "Option::is_none"
    )]
    pub arguments: Option<Box<RawValue>>,
    /// Asks for a task. 2025-11-25 only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskMetadata>,
    /// Answers to what the server asked before. Since 2026-07-28.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_responses: Option<InputResponses>,
    /// What the server wants back, byte for byte. Since 2026-07-28.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_state: Option<String>,
    /// What travels beside the params.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<RequestMeta>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

impl CallToolParams {
    /// Calls a tool without arguments.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            arguments: None,
            task: None,
            input_responses: None,
            request_state: None,
            meta: None,
            extra: Extra::new(),
        }
    }

    /// The same with arguments.
    ///
    /// # Errors
    /// If they cannot be encoded as a JSON object.
    pub fn with_arguments<T: Serialize>(
        mut self,
        arguments: &T,
    ) -> Result<Self, serde_json::Error> {
        let raw = serde_json::value::to_raw_value(arguments)?;
        self.arguments = match raw.get() {
            "null" => None,
            text if text.starts_with('{') => Some(raw),
            _ => return Err(serde_json::Error::custom("expected an object")),
        };
        Ok(self)
    }
}

setters!(CallToolParams {
    with_task(task: TaskMetadata),
    with_input_responses(input_responses: InputResponses),
    with_request_state(request_state: String),
    with_meta(meta: RequestMeta),
});
has_meta!(CallToolParams);
