//! The user whom a server may ask.

use std::fmt;

use mcp_jsonrpc::ErrorObject;
use mcp_protocol::ElicitationCapability;
use mcp_protocol::elicitation::{ElicitRequestParams, ElicitResult};
use mcp_transport::BoxFuture;
use serde_json::Map;

use super::Origin;

/// Asks the user on behalf of a server.
///
/// ```
/// use mcp_client::{ClientOptions, Elicitation, Handlers, Origin};
/// use mcp_jsonrpc::ErrorObject;
/// use mcp_protocol::{ElicitAction, ElicitRequestParams, ElicitResult};
/// use mcp_transport::BoxFuture;
///
/// /// Somebody who never wants to be asked.
/// #[derive(Debug)]
/// struct Busy;
///
/// impl Elicitation for Busy {
///     fn elicit(
///         &self,
///         _: ElicitRequestParams,
///         _: Origin,
///     ) -> BoxFuture<'_, Result<ElicitResult, ErrorObject>> {
///         Box::pin(async { Ok(ElicitResult::new(ElicitAction::Decline)) })
///     }
/// }
///
/// let handlers = Handlers::new().with_elicitation(Busy);
/// assert!(handlers.capabilities().elicitation.is_some());
/// let options = ClientOptions::new("example", "1.0.0").with_handlers(handlers);
/// # let _ = options;
/// ```
pub trait Elicitation: fmt::Debug + Send + Sync + 'static {
    /// Shows the form, or offers to open the URL, and gives back what the user did. What a form
    /// is answered with is checked before it is sent.
    ///
    /// # Errors
    /// The error for the server. A user who declines or cancels is a result.
    ///
    /// # Cancel safety
    /// The future is dropped when the server gives its request up.
    fn elicit(
        &self,
        params: ElicitRequestParams,
        origin: Origin,
    ) -> BoxFuture<'_, Result<ElicitResult, ErrorObject>>;

    /// Whether forms are shown.
    fn form(&self) -> bool {
        true
    }

    /// Whether the user can be sent to a URL.
    fn url(&self) -> bool {
        false
    }

    /// What the user was sent to a URL for is done. 2025-11-25 only. An id that is unknown, or
    /// done already, is not told.
    fn completed(&self, elicitation_id: &str, origin: Origin) {
        let _ = (elicitation_id, origin);
    }
}

/// Forms alone are declared without a mode: revisions that know no modes read that too.
pub(super) fn capability(elicitation: &dyn Elicitation) -> ElicitationCapability {
    let mut capability = ElicitationCapability::new();
    if elicitation.url() {
        capability.url = Some(Map::new());
        capability.form = elicitation.form().then(Map::new);
    }
    capability
}

/// Whether the request is one that was declared.
pub(super) fn check(
    elicitation: &dyn Elicitation,
    params: &ElicitRequestParams,
) -> Result<(), ErrorObject> {
    let declared = match params {
        ElicitRequestParams::Url(_) => elicitation.url(),
        _ => elicitation.form() || !elicitation.url(),
    };
    if declared {
        return Ok(());
    }
    Err(ErrorObject::invalid_params(format!(
        "this client has not declared elicitation by {}",
        params.mode()
    )))
}

/// Whether what the form was answered with fits the form.
pub(super) fn check_answer(
    params: &ElicitRequestParams,
    result: &ElicitResult,
) -> Result<(), ErrorObject> {
    let (ElicitRequestParams::Form(form), Some(content)) = (params, &result.content) else {
        return Ok(());
    };
    form.requested_schema
        .check(content)
        .map_err(|e| ErrorObject::internal(format!("the answer does not fit the form: {e}")))
}
