#![doc = include_str!("../README.md")]

mod approve;
mod ask;
mod cache;
mod call;
mod canonical;
mod circuit_breaker;
mod closure;
mod command;
mod error;
mod fallback;
mod headers;
mod inject_args;
mod interceptor;
mod layer;
mod local;
mod message;
mod outcome;
mod pin;
mod rate_limit;
mod record;
mod redact;
mod replay;
mod request;
mod retry;
mod sampler;
mod schema;
mod service;
mod show_structured;
mod toolset;
mod trace;
mod truncate;
mod watch;

pub use approve::{ApproveLayer, Decision, ask_approval};
pub use ask::Ask;
pub use cache::CacheLayer;
pub use call::ToolCall;
pub use circuit_breaker::{CircuitBreakerLayer, CircuitOpen};
pub use command::{Command, Goto, Scope};
pub use error::{BoxError, CallError, CallErrorKind, Delivery};
pub use fallback::FallbackLayer;
pub use headers::{BadHeader, HeadersLayer};
pub use inject_args::{InjectArgsLayer, MissingArg};
pub use interceptor::{FromFn, Interceptor, Next, from_fn};
pub use layer::{Intercept, InterceptLayer, ToolLayers, intercept};
pub use local::LocalTools;
pub use message::{ToolMessage, ToolStatus};
pub use outcome::ToolOutcome;
pub use pin::{ChangedTool, PinError, PinLayer, Pins};
pub use rate_limit::{RateLimitLayer, RateLimited};
pub use record::{Cassette, CassetteError, RecordLayer};
pub use redact::RedactLayer;
pub use replay::ReplayLayer;
pub use request::{Reply, Request, RequestInterceptor, RequestLayers, RequestNext};
pub use retry::{Backoff, RetryLayer};
pub use sampler::Sampler;
pub use schema::SchemaLayer;
pub use service::ToolService;
pub use show_structured::{ShowStructured, ShowStructuredLayer};
pub use toolset::{BoundTool, Intercepted, Phase, ServerFailure, ToolList, Toolset};
pub use trace::TraceLayer;
pub use truncate::{
    KeptResults, READ_TOOL_RESULT, TextIndex, Truncate, TruncateLayer, WholeText, read_tool_result,
    read_tool_result_tool,
};
pub use watch::{CallId, RawResult, Report, Reports};

/// A future on the heap that may move between threads.
pub type BoxFuture<'a, T> = std::pin::Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A JSON object.
pub type JsonMap = serde_json::Map<String, serde_json::Value>;
