//! The model that a server may use.

use std::fmt;

use mcp_jsonrpc::ErrorObject;
use mcp_protocol::SamplingCapability;
use mcp_protocol::sampling::{CreateMessageParams, CreateMessageResult};
use mcp_transport::BoxFuture;
use serde_json::Map;

use super::Origin;

/// Lets a server use a model. It decides whether the user is asked first.
pub trait Sampling: fmt::Debug + Send + Sync + 'static {
    /// Answers as the model does, within `max_tokens`.
    ///
    /// # Errors
    /// The error for the server; code `-1` if the user refused.
    ///
    /// # Cancel safety
    /// The future is dropped when the server gives its request up.
    fn create_message(
        &self,
        params: CreateMessageParams,
        origin: Origin,
    ) -> BoxFuture<'_, Result<CreateMessageResult, ErrorObject>>;

    /// Whether the model uses tools that the server describes. Requests with tools are refused
    /// otherwise.
    fn tools(&self) -> bool {
        false
    }

    /// Whether context of servers is added on request.
    fn context(&self) -> bool {
        false
    }
}

pub(super) fn capability(sampling: &dyn Sampling) -> SamplingCapability {
    let mut capability = SamplingCapability::new();
    capability.tools = sampling.tools().then(Map::new);
    capability.context = sampling.context().then(Map::new);
    capability
}

/// Whether the request is one that was declared.
pub(super) fn check(
    sampling: &dyn Sampling,
    params: &CreateMessageParams,
) -> Result<(), ErrorObject> {
    if (params.tools.is_some() || params.tool_choice.is_some()) && !sampling.tools() {
        return Err(ErrorObject::invalid_params(
            "this client has not declared sampling.tools",
        ));
    }
    params
        .check_tool_uses()
        .map_err(|e| ErrorObject::invalid_params(e.to_string()))
}
