#![doc = include_str!("../README.md")]

mod call;
mod command;
mod error;
mod interceptor;
mod layer;
mod local;
mod message;
mod outcome;
mod service;
mod toolset;
mod watch;

pub use call::ToolCall;
pub use command::{Command, Goto, Scope};
pub use error::{BoxError, CallError, CallErrorKind, Delivery};
pub use interceptor::{FromFn, Interceptor, Next, from_fn};
pub use layer::{Intercept, InterceptLayer, ToolLayers, intercept};
pub use local::LocalTools;
pub use message::{ToolMessage, ToolStatus};
pub use outcome::ToolOutcome;
pub use service::ToolService;
pub use toolset::{BoundTool, Intercepted, Phase, ServerFailure, ToolList, Toolset};
pub use watch::{CallId, RawResult, Report, Reports};

/// A future on the heap that may move between threads.
pub type BoxFuture<'a, T> = std::pin::Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A JSON object.
pub type JsonMap = serde_json::Map<String, serde_json::Value>;
