#![doc = include_str!("../README.md")]

#[macro_use]
mod macros;
mod decode;
mod encode;
mod extra;
mod tagged;

pub mod annotations;
pub mod caching;
pub mod cancelled;
pub mod capabilities;
mod chain;
pub mod completion;
pub mod content;
mod context;
pub mod discover;
pub mod elicitation;
mod error;
pub mod error_code;
pub mod icon;
pub mod implementation;
pub mod initialize;
pub mod input_required;
pub mod lifecycle;
pub mod logging;
pub mod message;
pub mod meta;
pub mod method;
pub mod pagination;
pub mod ping;
pub mod progress;
pub mod prompts;
pub mod resources;
mod revision;
pub mod roots;
pub mod sampling;
mod schema;
pub mod subscriptions;
pub mod tasks;
pub mod tools;
mod unique;
mod version;

pub use annotations::{Annotations, Role};
pub use caching::{CacheHint, CacheScope, EmptyResult, ResultType, Stamp};
pub use cancelled::CancelledParams;
pub use capabilities::{
    ClientCapabilities, ClientTaskRequests, ClientTasksCapability, ElicitationCapability,
    ElicitationTaskRequests, PromptsCapability, ResourcesCapability, RootsCapability,
    SamplingCapability, SamplingTaskRequests, ServerCapabilities, ServerTaskRequests,
    ServerTasksCapability, ToolsCapability, ToolsTaskRequests,
};
pub use chain::chain;
pub use completion::{
    CompleteParams, CompleteResult, Completion, CompletionArgument, CompletionContext,
    CompletionReference, PromptReference, ResourceTemplateReference,
};
pub use content::{
    AudioContent, ContentBlock, EmbeddedResource, ImageContent, ResourceLink, TextContent,
};
pub use context::RequestContext;
pub use discover::DiscoverResult;
pub use elicitation::{
    BooleanSchema, ElicitAction, ElicitRequestFormParams, ElicitRequestParams,
    ElicitRequestURLParams, ElicitResult, ElicitationCompleteParams, ElicitationMode, EnumOption,
    EnumSchema, InvalidAnswer, LegacyTitledEnumSchema, NumberSchema, NumberType,
    PrimitiveSchemaDefinition, RequestedSchema, StringFormat, StringSchema,
    TitledMultiSelectEnumSchema, TitledMultiSelectItems, TitledSingleSelectEnumSchema,
    UntitledMultiSelectEnumSchema, UntitledMultiSelectItems, UntitledSingleSelectEnumSchema,
};
pub use error_code::{
    HeaderMismatchError, MissingRequiredClientCapabilityError, URLElicitationRequiredError,
    UnsupportedProtocolVersionError,
};
pub use extra::Extra;
pub use icon::{Icon, IconTheme};
pub use implementation::Implementation;
pub use initialize::{InitializeParams, InitializeResult};
pub use input_required::{
    Answer, AnswerError, InputRequest, InputRequests, InputRequiredResult, InputResponses,
};
pub use logging::{LoggingLevel, LoggingMessageParams, SetLevelParams};
pub use message::{
    ClientNotification, ClientRequest, ClientResult, CustomMessage, ServerNotification,
    ServerRequest, ServerResult,
};
pub use meta::{InvalidMetaKey, Meta, ProgressToken, RequestMeta, TraceContext};
pub use method::{HasMeta, RpcNotification, RpcRequest};
pub use pagination::{Cursor, PaginatedParams};
pub use ping::{NotificationParams, RequestParams};
pub use progress::ProgressParams;
pub use prompts::{
    GetPromptParams, GetPromptResult, ListPromptsResult, Prompt, PromptArgument, PromptMessage,
};
pub use resources::{
    BlobResourceContents, ListResourceTemplatesResult, ListResourcesResult, ReadResourceParams,
    ReadResourceResult, Resource, ResourceContents, ResourceParams, ResourceTemplate,
    ResourceUpdatedParams, TextResourceContents,
};
pub use revision::Feature;
pub use roots::{ListRootsResult, Root};
pub use sampling::{
    CreateMessageParams, CreateMessageResult, IncludeContext, ModelHint, ModelPreferences,
    SamplingContent, SamplingMessage, SamplingMessageContentBlock, StopReason, ToolChoice,
    ToolChoiceMode, ToolResultContent, ToolUseContent, ToolUseImbalance,
};
pub use schema::{SchemaCheck, SchemaError, SchemaValidator};
pub use subscriptions::{
    SubscriptionFilter, SubscriptionsAcknowledgedParams, SubscriptionsListenParams,
    SubscriptionsListenResult,
};
pub use tasks::{
    CancelTaskResult, CreateTaskResult, DetailedTask, ListTasksResult, Task, TaskMetadata,
    TaskParams, TaskShape, TaskStatus, UpdateTaskParams,
};
pub use tools::{
    CallToolParams, CallToolResult, InvalidParamHeader, ListToolsResult, ParamHeader, TaskSupport,
    Tool, ToolAnnotations, ToolExecution,
};
pub use unique::check_unique_members;
pub use version::ProtocolVersion;
