//! Which type of ours stands for which definition of the specification.

use std::fmt::Debug;

use mcp_jsonrpc::{ErrorObject, RawJson};
use mcp_protocol as p;
use mcp_protocol::{RpcNotification, RpcRequest};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// What came out of a type that JSON went into.
pub(super) struct Back {
    /// The JSON that it writes.
    pub(super) json: Value,
    /// Its fields.
    pub(super) fields: String,
}

type Outcome = Result<Back, Box<dyn std::error::Error>>;
pub(super) type RoundTrip = fn(&Value) -> Outcome;

/// A plain type. The text is decoded, as on the wire, not the tree.
fn value<T: Serialize + DeserializeOwned + Debug>(json: &Value) -> Outcome {
    let decoded: T = serde_json::from_str(&json.to_string())?;
    Ok(Back {
        json: serde_json::to_value(&decoded)?,
        fields: format!("{decoded:?}"),
    })
}

/// A member of an object, the rest of which belongs to the envelope.
fn member<T: Serialize + DeserializeOwned + Debug>(name: &str, json: &Value) -> Outcome {
    let mut back = value::<T>(json.get(name).ok_or("the member is missing")?)?;
    let mut envelope = json.clone();
    envelope[name] = back.json;
    back.json = envelope;
    Ok(back)
}

/// A request with its params.
fn request<R: RpcRequest>(json: &Value) -> Outcome {
    message(json, &R::METHOD, R::decode_params)
}

/// A notification with its params.
fn notification<N: RpcNotification>(json: &Value) -> Outcome {
    message(json, &N::METHOD, N::decode_params)
}

fn message<P: Serialize + Debug>(
    json: &Value,
    method: &str,
    decode: fn(Option<&RawJson>) -> Result<P, ErrorObject>,
) -> Outcome {
    if json["method"] != *method {
        return Err("another method".into());
    }
    let params = json.get("params").map(|p| RawJson::from(p.clone()));
    let decoded = decode(params.as_ref())?;
    let mut envelope = json.clone();
    if params.is_some() {
        envelope["params"] = serde_json::to_value(&decoded)?;
    }
    Ok(Back {
        json: envelope,
        fields: format!("{decoded:?}"),
    })
}

/// A response with its result.
fn response<T: Serialize + DeserializeOwned + Debug>(json: &Value) -> Outcome {
    member::<T>("result", json)
}

/// A response with its result, or with one that asks for input first.
fn answer<T: Serialize + DeserializeOwned + Debug>(json: &Value) -> Outcome {
    if json["result"].get("inputRequests").is_some() {
        response::<p::InputRequiredResult>(json)
    } else {
        response::<T>(json)
    }
}

/// An error response whose data have a type.
fn error<T: Into<ErrorObject> + Debug>(
    json: &Value,
    read: fn(&ErrorObject) -> Option<T>,
) -> Outcome {
    let error: ErrorObject = serde_json::from_value(json["error"].clone())?;
    let decoded = read(&error).ok_or("the data do not fit")?;
    let fields = format!("{decoded:?}");
    let mut again: ErrorObject = decoded.into();
    again.message = error.message;
    let mut envelope = json.clone();
    envelope["error"] = serde_json::to_value(&again)?;
    Ok(Back {
        json: envelope,
        fields,
    })
}

/// A request that stands alone or inside of an input-required result.
fn embedded<R: RpcRequest>(json: &Value) -> Outcome {
    let alone = request::<R>(json)?;
    let mut back = value::<p::InputRequest>(json)?;
    // Only the envelope of one that stands alone has these.
    for name in ["id", "jsonrpc"] {
        if let Some(member) = json.get(name) {
            back.json[name] = member.clone();
        }
    }
    if back.json != alone.json {
        return Err("the two ways of writing it differ".into());
    }
    Ok(alone)
}

pub(super) fn by_definition(definition: &str) -> Option<RoundTrip> {
    shared(definition)
        .or_else(|| server_feature(definition))
        .or_else(|| client_feature(definition))
        .or_else(|| resource(definition))
        .or_else(|| task(definition))
        .or_else(|| failure(definition))
}

fn shared(definition: &str) -> Option<RoundTrip> {
    Some(match definition {
        "Role" => value::<p::Role>,
        "Annotations" => value::<p::Annotations>,
        "Cursor" => value::<p::Cursor>,
        "Icon" => value::<p::Icon>,
        "Implementation" => value::<p::Implementation>,
        "LoggingLevel" => value::<p::LoggingLevel>,
        "ProgressToken" => value::<p::ProgressToken>,
        "ResourceContents" => |json| {
            // The part that text and bytes share.
            let mut json = json.clone();
            json["text"] = "text".into();
            let mut back = value::<p::ResourceContents>(&json)?;
            back.json.as_object_mut().ok_or("no object")?.remove("text");
            Ok(back)
        },
        "RequestParams" => value::<p::RequestParams>,
        "RequestMetaObject" => value::<p::RequestMeta>,
        "NotificationParams" => value::<p::NotificationParams>,
        "Result" | "EmptyResult" => value::<p::EmptyResult>,
        "ResultType" => value::<p::ResultType>,
        "InitializeRequest" => request::<p::initialize::Initialize>,
        "InitializeRequestParams" => value::<p::InitializeParams>,
        "InitializeResult" => value::<p::InitializeResult>,
        "InitializedNotification" => notification::<p::initialize::Initialized>,
        "PingRequest" => request::<p::ping::Ping>,
        "SetLevelRequest" => request::<p::logging::SetLevel>,
        "SetLevelRequestParams" => value::<p::SetLevelParams>,
        "ContentBlock" | "TextContent" | "ImageContent" | "AudioContent" | "EmbeddedResource"
        | "ResourceLink" => value::<p::ContentBlock>,
        "TextResourceContents" | "BlobResourceContents" => value::<p::ResourceContents>,
        "ClientCapabilities" => value::<p::ClientCapabilities>,
        "ServerCapabilities" => value::<p::ServerCapabilities>,
        "CancelledNotification" => notification::<p::cancelled::Cancelled>,
        "CancelledNotificationParams" => value::<p::CancelledParams>,
        "ProgressNotification" => notification::<p::progress::Progress>,
        "ProgressNotificationParams" => value::<p::ProgressParams>,
        "LoggingMessageNotification" => notification::<p::logging::LoggingMessage>,
        "LoggingMessageNotificationParams" => value::<p::LoggingMessageParams>,
        "PaginatedRequestParams" => value::<p::PaginatedParams>,
        "DiscoverRequest" => request::<p::discover::Discover>,
        "DiscoverResult" => value::<p::DiscoverResult>,
        "DiscoverResultResponse" => response::<p::DiscoverResult>,
        _ => return None,
    })
}

fn server_feature(definition: &str) -> Option<RoundTrip> {
    Some(match definition {
        "ToolAnnotations" => value::<p::ToolAnnotations>,
        "ToolExecution" => value::<p::ToolExecution>,
        "Prompt" => value::<p::Prompt>,
        "PromptArgument" => value::<p::PromptArgument>,
        "PromptMessage" => value::<p::PromptMessage>,
        "PromptReference" | "ResourceReference" | "ResourceTemplateReference" => {
            value::<p::CompletionReference>
        }
        "SubscriptionFilter" => value::<p::SubscriptionFilter>,
        "SubscriptionsListenRequestParams" => value::<p::SubscriptionsListenParams>,
        "SubscriptionsAcknowledgedNotificationParams" => {
            value::<p::SubscriptionsAcknowledgedParams>
        }
        "Tool" => value::<p::Tool>,
        "ListToolsRequest" => request::<p::tools::ListTools>,
        "ListToolsResult" => value::<p::ListToolsResult>,
        "ListToolsResultResponse" => response::<p::ListToolsResult>,
        "CallToolRequest" => request::<p::tools::CallTool>,
        "CallToolRequestParams" => value::<p::CallToolParams>,
        "CallToolResult" => value::<p::CallToolResult>,
        "CallToolResultResponse" => answer::<p::CallToolResult>,
        "ToolListChangedNotification" => notification::<p::tools::ToolListChanged>,
        "ListPromptsRequest" => request::<p::prompts::ListPrompts>,
        "ListPromptsResult" => value::<p::ListPromptsResult>,
        "ListPromptsResultResponse" => response::<p::ListPromptsResult>,
        "GetPromptRequest" => request::<p::prompts::GetPrompt>,
        "GetPromptRequestParams" => value::<p::GetPromptParams>,
        "GetPromptResult" => value::<p::GetPromptResult>,
        "GetPromptResultResponse" => answer::<p::GetPromptResult>,
        "PromptListChangedNotification" => notification::<p::prompts::PromptListChanged>,
        "CompleteRequest" => request::<p::completion::Complete>,
        "CompleteRequestParams" => value::<p::CompleteParams>,
        "CompleteResult" => value::<p::CompleteResult>,
        "CompleteResultResponse" => response::<p::CompleteResult>,
        "SubscriptionsListenRequest" => request::<p::subscriptions::SubscriptionsListen>,
        "SubscriptionsListenResult" => value::<p::SubscriptionsListenResult>,
        "SubscriptionsListenResultResponse" => response::<p::SubscriptionsListenResult>,
        "SubscriptionsAcknowledgedNotification" => {
            notification::<p::subscriptions::SubscriptionsAcknowledged>
        }
        _ => return None,
    })
}

fn resource(definition: &str) -> Option<RoundTrip> {
    Some(match definition {
        "ResourceTemplate" => value::<p::ResourceTemplate>,
        "ReadResourceRequestParams" => value::<p::ReadResourceParams>,
        "ResourceRequestParams" | "SubscribeRequestParams" | "UnsubscribeRequestParams" => {
            value::<p::ResourceParams>
        }
        "SubscribeRequest" => request::<p::resources::Subscribe>,
        "UnsubscribeRequest" => request::<p::resources::Unsubscribe>,
        "Resource" => value::<p::Resource>,
        "ListResourcesRequest" => request::<p::resources::ListResources>,
        "ListResourcesResult" => value::<p::ListResourcesResult>,
        "ListResourcesResultResponse" => response::<p::ListResourcesResult>,
        "ListResourceTemplatesRequest" => request::<p::resources::ListResourceTemplates>,
        "ListResourceTemplatesResult" => value::<p::ListResourceTemplatesResult>,
        "ListResourceTemplatesResultResponse" => response::<p::ListResourceTemplatesResult>,
        "ReadResourceRequest" => request::<p::resources::ReadResource>,
        "ReadResourceResult" => value::<p::ReadResourceResult>,
        "ReadResourceResultResponse" => answer::<p::ReadResourceResult>,
        "ResourceListChangedNotification" => notification::<p::resources::ResourceListChanged>,
        "ResourceUpdatedNotification" => notification::<p::resources::ResourceUpdated>,
        "ResourceUpdatedNotificationParams" => value::<p::ResourceUpdatedParams>,
        _ => return None,
    })
}

fn task(definition: &str) -> Option<RoundTrip> {
    Some(match definition {
        "Task" => value::<p::Task>,
        "TaskStatus" => value::<p::TaskStatus>,
        "TaskMetadata" => value::<p::TaskMetadata>,
        "RelatedTaskMetadata" => |json| {
            let id = json["taskId"].as_str().ok_or("no taskId")?;
            let mut meta = p::Meta::new();
            meta.set_related_task(id);
            assert_eq!(meta.related_task(), Some(id));
            let json = meta.get(p::Meta::RELATED_TASK).cloned();
            Ok(Back {
                json: json.ok_or("not there")?,
                fields: String::new(),
            })
        },
        "CreateTaskResult" => value::<p::CreateTaskResult>,
        "GetTaskRequest" => request::<p::tasks::GetTask>,
        "GetTaskResult" | "TaskStatusNotificationParams" => value::<p::DetailedTask>,
        "GetTaskPayloadRequest" => request::<p::tasks::GetTaskPayload>,
        "GetTaskPayloadResult" => value::<Box<serde_json::value::RawValue>>,
        "CancelTaskRequest" => request::<p::tasks::CancelTask>,
        "CancelTaskResult" => value::<p::CancelTaskResult>,
        "ListTasksRequest" => request::<p::tasks::ListTasks>,
        "ListTasksResult" => value::<p::ListTasksResult>,
        "TaskStatusNotification" => notification::<p::tasks::TaskStatusNotification>,
        _ => return None,
    })
}

fn client_feature(definition: &str) -> Option<RoundTrip> {
    Some(match definition {
        "RootsListChangedNotification" => notification::<p::roots::RootsListChanged>,
        "ModelHint" => value::<p::ModelHint>,
        "ToolChoice" => value::<p::ToolChoice>,
        "SamplingMessageContentBlock" | "ToolUseContent" | "ToolResultContent" => {
            value::<p::SamplingMessageContentBlock>
        }
        "ElicitRequestParams" | "ElicitRequestFormParams" | "ElicitRequestURLParams" => {
            value::<p::ElicitRequestParams>
        }
        "ElicitationCompleteNotification" => notification::<p::elicitation::ElicitationComplete>,
        "EnumSchema"
        | "SingleSelectEnumSchema"
        | "MultiSelectEnumSchema"
        | "LegacyTitledEnumSchema" => value::<p::EnumSchema>,
        "InputRequest" => value::<p::InputRequest>,
        "CreateMessageRequest" => embedded::<p::sampling::CreateMessage>,
        "ElicitRequest" => embedded::<p::elicitation::Elicit>,
        "ListRootsRequest" => embedded::<p::roots::ListRoots>,
        "CreateMessageRequestParams" => value::<p::CreateMessageParams>,
        "CreateMessageResult" => value::<p::CreateMessageResult>,
        "SamplingMessage" => value::<p::SamplingMessage>,
        "ModelPreferences" => value::<p::ModelPreferences>,
        "ElicitResult" => value::<p::ElicitResult>,
        "PrimitiveSchemaDefinition"
        | "StringSchema"
        | "NumberSchema"
        | "BooleanSchema"
        | "UntitledSingleSelectEnumSchema"
        | "TitledSingleSelectEnumSchema"
        | "UntitledMultiSelectEnumSchema"
        | "TitledMultiSelectEnumSchema" => value::<p::PrimitiveSchemaDefinition>,
        "Root" => value::<p::Root>,
        "ListRootsResult" => value::<p::ListRootsResult>,
        "InputRequests" => value::<p::InputRequests>,
        "InputRequiredResult" => value::<p::InputRequiredResult>,
        "InputResponses" => value::<p::InputResponses>,
        _ => return None,
    })
}

fn failure(definition: &str) -> Option<RoundTrip> {
    Some(match definition {
        "Error"
        | "ParseError"
        | "InvalidRequestError"
        | "InvalidParamsError"
        | "InternalError"
        | "MethodNotFoundError" => value::<ErrorObject>,
        "UnsupportedProtocolVersionError" => {
            |json| error(json, p::UnsupportedProtocolVersionError::read)
        }
        "MissingRequiredClientCapabilityError" => {
            |json| error(json, p::MissingRequiredClientCapabilityError::read)
        }
        "URLElicitationRequiredError" => |json| error(json, p::URLElicitationRequiredError::read),
        // Its data are not defined.
        "HeaderMismatchError" => |json| {
            if json["error"]["code"] != p::HeaderMismatchError::CODE.0 {
                return Err("another code".into());
            }
            member::<ErrorObject>("error", json)
        },
        _ => return None,
    })
}
