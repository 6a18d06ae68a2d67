//! All messages of one direction behind one type, to be matched by method.
//!
//! A request or notification is decoded once, by its method; what this crate has no type for
//! stays as it came, in `Custom`. A result says nothing of what it answers, so it is decoded by
//! the request that waits for it. The names are those of the specification's schema.
//!
//! ```
//! use mcp_jsonrpc::{Id, RawJson, Request};
//! use mcp_protocol::ClientRequest;
//! let params = RawJson::parse(r#"{"name":"weather"}"#).ok();
//! let request = Request::new(Id::from(1), "tools/call", params);
//! let text = match ClientRequest::decode(&request.method, request.params.as_ref())? {
//!     ClientRequest::CallTool(params) => format!("calls {}", params.name),
//!     ClientRequest::Custom(other) => format!("asks for {}", other.method),
//!     other => format!("asks for {}", other.method()),
//! };
//! assert_eq!(text, "calls weather");
//! # Ok::<(), mcp_jsonrpc::ErrorObject>(())
//! ```

use mcp_jsonrpc::{ErrorObject, MethodName, RawJson};

use crate::cancelled::Cancelled;
use crate::completion::Complete;
use crate::discover::Discover;
use crate::elicitation::{Elicit, ElicitationComplete};
use crate::initialize::{Initialize, Initialized};
use crate::logging::{LoggingMessage, SetLevel};
use crate::ping::Ping;
use crate::progress::Progress;
use crate::prompts::{GetPrompt, ListPrompts, PromptListChanged};
use crate::resources::{
    ListResourceTemplates, ListResources, ReadResource, ResourceListChanged, ResourceUpdated,
    Subscribe, Unsubscribe,
};
use crate::roots::{ListRoots, RootsListChanged};
use crate::sampling::CreateMessage;
use crate::subscriptions::{SubscriptionsAcknowledged, SubscriptionsListen};
use crate::tasks::{
    CancelTask, GetTask, GetTaskPayload, ListTasks, TaskNotification, TaskStatusNotification,
    UpdateTask,
};
use crate::tools::{CallTool, ListTools, ToolListChanged};
use crate::{
    Answer, AnswerError, CreateTaskResult, InputRequiredResult, RpcNotification, RpcRequest,
};

/// A request or notification of a method that this crate has no type for, as it came.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CustomMessage {
    /// The method.
    pub method: MethodName,
    /// The params, undecoded.
    pub params: Option<RawJson>,
}

/// The messages of one direction: an enumeration of params by method.
macro_rules! messages {
    ($(#[$meta:meta])* $name:ident: $kind:ident { $($method:ident = $variant:ident,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Debug)]
        #[non_exhaustive]
        pub enum $name {
            $(
                #[doc = concat!("The params of [`", stringify!($method), "`].")]
                $variant(Box<<$method as $kind>::Params>),
            )+
            /// A method that no type here stands for, such as one of an extension.
            Custom(CustomMessage),
        }

        impl $name {
            /// Decodes params by their method; none are the same as `{}`.
            ///
            /// # Errors
            /// The error to answer a request with (`-32602`) if the params do not fit.
            pub fn decode(
                method: &MethodName,
                params: Option<&RawJson>,
            ) -> Result<Self, ErrorObject> {
                match &**method {
                    $(
                        known if *known == *$method::METHOD => {
                            $method::decode_params(params).map(Box::new).map(Self::$variant)
                        }
                    )+
                    _ => Ok(Self::Custom(CustomMessage {
                        method: method.clone(),
                        params: params.cloned(),
                    })),
                }
            }

            /// The method.
            #[must_use]
            pub fn method(&self) -> MethodName {
                match self {
                    $(Self::$variant(_) => $method::METHOD,)+
                    Self::Custom(custom) => custom.method.clone(),
                }
            }

            /// The params as they go out.
            ///
            /// # Errors
            /// If they cannot be written as JSON.
            pub fn params(&self) -> Result<Option<RawJson>, serde_json::Error> {
                match self {
                    $(Self::$variant(params) => RawJson::encode(params).map(Some),)+
                    Self::Custom(custom) => Ok(custom.params.clone()),
                }
            }
        }
    };
}

/// The results that answer the requests of one direction.
macro_rules! results {
    (
        $(#[$meta:meta])* $name:ident to $requests:ident { $($method:ident = $variant:ident,)+ }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug)]
        #[non_exhaustive]
        pub enum $name {
            $(
                #[doc = concat!("The result of [`", stringify!($method), "`].")]
                $variant(Box<<$method as RpcRequest>::Result>),
            )+
            /// Something is asked first. Since 2026-07-28.
            InputRequired(Box<InputRequiredResult>),
            /// The request has become a task.
            CreateTask(Box<CreateTaskResult>),
            /// The result of a request that no type here stands for, undecoded.
            Custom(RawJson),
        }

        impl $requests {
            /// Decodes the result that answers this request.
            ///
            /// # Errors
            /// If it is of an unknown kind, or does not fit the request.
            pub fn decode_result(&self, result: &RawJson) -> Result<$name, AnswerError> {
                if self.asks_for_task() && has_task(result) {
                    let created = result.decode().map_err(malformed)?;
                    return Ok($name::CreateTask(Box::new(created)));
                }
                match self {
                    $(
                        Self::$variant(_) => Ok(match Answer::decode(result)? {
                            Answer::Complete(result) => $name::$variant(Box::new(result)),
                            Answer::InputRequired(asked) => $name::InputRequired(asked),
                            Answer::Task(created) => $name::CreateTask(created),
                        }),
                    )+
                    Self::Custom(_) => Ok($name::Custom(result.clone())),
                }
            }
        }
    };
}

/// Whether a result is a task of 2025-11-25.
fn has_task(result: &RawJson) -> bool {
    matches!(result.pick(["task"]), Some([Some(_)]))
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "used as a function of map_err"
)]
fn malformed(error: serde_json::Error) -> AnswerError {
    AnswerError::Malformed {
        detail: error.to_string(),
    }
}

macro_rules! both {
    ($($(#[$meta:meta])* $requests:ident => $(#[$result_meta:meta])* $results:ident $list:tt)+) => {
        $(
            messages! { $(#[$meta])* $requests: RpcRequest $list }
            results! { $(#[$result_meta])* $results to $requests $list }
        )+
    };
}

both! {
    /// A request of a client, in any revision.
    ClientRequest =>
    /// What a server answers a [`ClientRequest`] with, if not with an error.
    ServerResult {
        Initialize = Initialize,
        Ping = Ping,
        Discover = Discover,
        SetLevel = SetLevel,
        Complete = Complete,
        ListPrompts = ListPrompts,
        GetPrompt = GetPrompt,
        ListResources = ListResources,
        ListResourceTemplates = ListResourceTemplates,
        ReadResource = ReadResource,
        Subscribe = Subscribe,
        Unsubscribe = Unsubscribe,
        SubscriptionsListen = SubscriptionsListen,
        ListTools = ListTools,
        CallTool = CallTool,
        GetTask = GetTask,
        GetTaskPayload = GetTaskPayload,
        ListTasks = ListTasks,
        CancelTask = CancelTask,
        UpdateTask = UpdateTask,
    }

    /// A request of a server, until 2025-11-25. Later servers ask inside of a result, see
    /// [`InputRequest`](crate::InputRequest).
    ServerRequest =>
    /// What a client answers a [`ServerRequest`] with, if not with an error.
    ClientResult {
        Ping = Ping,
        CreateMessage = CreateMessage,
        ListRoots = ListRoots,
        Elicit = Elicit,
        GetTask = GetTask,
        GetTaskPayload = GetTaskPayload,
        ListTasks = ListTasks,
        CancelTask = CancelTask,
    }
}

messages! {
    /// A notification of a client, in any revision.
    ClientNotification: RpcNotification {
        Cancelled = Cancelled,
        Progress = Progress,
        Initialized = Initialized,
        RootsListChanged = RootsListChanged,
        TaskStatusNotification = TaskStatus,
    }
}

messages! {
    /// A notification of a server, in any revision.
    ServerNotification: RpcNotification {
        Cancelled = Cancelled,
        Progress = Progress,
        LoggingMessage = LoggingMessage,
        ToolListChanged = ToolListChanged,
        PromptListChanged = PromptListChanged,
        ResourceListChanged = ResourceListChanged,
        ResourceUpdated = ResourceUpdated,
        ElicitationComplete = ElicitationComplete,
        SubscriptionsAcknowledged = SubscriptionsAcknowledged,
        TaskStatusNotification = TaskStatus,
        TaskNotification = Task,
    }
}

impl ClientRequest {
    /// Whether it asks to be run as a task, as in 2025-11-25.
    #[must_use]
    pub fn asks_for_task(&self) -> bool {
        matches!(self, Self::CallTool(params) if params.task.is_some())
    }
}

impl ServerRequest {
    /// Whether it asks to be run as a task, as in 2025-11-25.
    #[must_use]
    pub fn asks_for_task(&self) -> bool {
        match self {
            Self::CreateMessage(params) => params.task.is_some(),
            Self::Elicit(params) => params.task().is_some(),
            _ => false,
        }
    }
}
