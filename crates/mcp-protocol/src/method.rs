//! Methods: each is a unit struct that pairs its name with its params and its result.

use mcp_jsonrpc::{ErrorObject, MethodName, RawJson};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::RequestMeta;

/// A method that is answered.
///
/// Implemented by one unit struct per method, in the module of its page: `tools::CallTool`,
/// `resources::ReadResource`. Specification: basic protocol, Requests (all revisions).
///
/// ```
/// use mcp_protocol::{RpcRequest, tools::CallTool};
/// assert_eq!(&*CallTool::METHOD, "tools/call");
/// ```
pub trait RpcRequest: std::fmt::Debug + Send + Sync + 'static {
    /// The name on the wire.
    const METHOD: MethodName;
    /// What the request carries.
    type Params: HasMeta + Serialize + DeserializeOwned + std::fmt::Debug + Send + 'static;
    /// What answers it.
    type Result: Serialize + DeserializeOwned + std::fmt::Debug + Send + 'static;

    /// Decodes the params of a request; none are the same as `{}`.
    ///
    /// # Errors
    /// The error to answer with (`-32602`) if the params do not fit.
    fn decode_params(params: Option<&RawJson>) -> Result<Self::Params, ErrorObject> {
        params
            .unwrap_or(&RawJson::EMPTY)
            .decode()
            .map_err(|e| invalid_params(&Self::METHOD, &e))
    }
}

/// A method that is never answered.
///
/// Specification: basic protocol, Notifications (all revisions).
pub trait RpcNotification: std::fmt::Debug + Send + Sync + 'static {
    /// The name on the wire.
    const METHOD: MethodName;
    /// What the notification carries.
    type Params: Serialize + DeserializeOwned + std::fmt::Debug + Send + 'static;

    /// Decodes the params of a notification; none are the same as `{}`.
    ///
    /// # Errors
    /// If the params do not fit. Nobody is told: a notification has no answer.
    fn decode_params(params: Option<&RawJson>) -> Result<Self::Params, ErrorObject> {
        params
            .unwrap_or(&RawJson::EMPTY)
            .decode()
            .map_err(|e| invalid_params(&Self::METHOD, &e))
    }
}

/// Params of a request: all of them may carry `_meta`.
pub trait HasMeta {
    /// The `_meta` of the request.
    fn meta(&self) -> Option<&RequestMeta>;

    /// The `_meta` of the request, to be filled in.
    fn meta_mut(&mut self) -> &mut Option<RequestMeta>;
}

fn invalid_params(method: &str, error: &serde_json::Error) -> ErrorObject {
    ErrorObject::invalid_params(format!("invalid params of {method}: {error}"))
}
