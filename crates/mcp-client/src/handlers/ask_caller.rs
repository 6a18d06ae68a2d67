//! The user whom the maker of a call can ask.

use mcp_interceptors::Ask;
use mcp_jsonrpc::ErrorObject;
use mcp_protocol::ElicitAction;
use mcp_protocol::elicitation::{ElicitRequestParams, ElicitResult};
use mcp_transport::BoxFuture;
use serde_json::json;

use super::{Elicitation, Origin};

/// Passes a server's questions on to whoever made the call that they belong to, such as an
/// agent: through the [`Ask`] that the caller attached. Where there is none the user counts as
/// gone away.
///
/// The question is `{"server", "tool", "elicitation"}`, the last as the server wrote it; the
/// answer is an elicitation's result, `{"action", "content"}`. A caller whose answer comes later
/// makes the call once more then.
#[derive(Clone, Copy, Debug, Default)]
pub struct AskCaller {
    url: bool,
}

impl AskCaller {
    /// For forms.
    #[must_use]
    pub const fn new() -> Self {
        Self { url: false }
    }

    /// For forms, and where the user can be sent to a URL.
    #[must_use]
    pub const fn with_url(mut self) -> Self {
        self.url = true;
        self
    }
}

impl Elicitation for AskCaller {
    fn elicit(
        &self,
        params: ElicitRequestParams,
        origin: Origin,
    ) -> BoxFuture<'_, Result<ElicitResult, ErrorObject>> {
        Box::pin(async move {
            let Some(ask) = origin.extensions.get::<Ask>() else {
                return Ok(ElicitResult::new(ElicitAction::Cancel));
            };
            let question = json!({
                "server": &*origin.server,
                "tool": origin.tool.as_deref(),
                "elicitation": params,
            });
            let answer = ask.ask(question).await;
            let answer = answer.map_err(|error| {
                ErrorObject::internal(format!("the user has not answered: {error}"))
            })?;
            serde_json::from_value(answer).map_err(|error| {
                ErrorObject::internal(format!("the answer cannot be read: {error}"))
            })
        })
    }

    fn url(&self) -> bool {
        self.url
    }
}
