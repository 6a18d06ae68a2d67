//! The three things that a client can be asked: its user, its model, its roots.

use mcp_protocol::elicitation::{Elicit, ElicitationComplete, ElicitationCompleteParams};
use mcp_protocol::lifecycle::{NotNegotiated, client_allows_task};
use mcp_protocol::roots::ListRoots;
use mcp_protocol::sampling::{CreateMessage, IncludeContext};
use mcp_protocol::{
    CreateMessageParams, CreateMessageResult, ElicitAction, ElicitRequestParams, ElicitResult,
    Feature, RequestParams, Root, RpcRequest,
};

use super::AskError;
use crate::Context;

impl Context {
    /// Asks the user of the client: by a form, or by sending them to a URL.
    ///
    /// About `key` see [`ask`](Self::ask). An accepted form holds what its schema asks for;
    /// whether the user accepted, declined or went away is for the handler to look at.
    ///
    /// Since 2025-06-18; by URL since 2025-11-25, where a URL is given an id if it has none. In
    /// 2025-11-25 the question may be a task of the client, by `task` in the params: the client
    /// answers at once, and the task is followed to its end.
    ///
    /// # Errors
    /// [`AskError`]: the client does not offer that, or has not answered.
    ///
    /// # Cancel safety
    /// Dropping the future takes the question back.
    pub async fn elicit(
        &self,
        key: &str,
        params: impl Into<ElicitRequestParams>,
    ) -> Result<ElicitResult, AskError> {
        let mut params = params.into();
        self.can_elicit(&params)?;
        if params.task().is_some() {
            self.can_ask_as_task::<Elicit>()?;
        }
        let schema = match &mut params {
            ElicitRequestParams::Form(form) => Some(form.requested_schema.clone()),
            ElicitRequestParams::Url(url) => {
                let needs_id = self.version().has(Feature::UrlElicitationRequiredCode);
                let given = url.elicitation_id.take();
                url.elicitation_id = match given {
                    None if needs_id => Some(super::random_id()?),
                    given => given.filter(|_| needs_id),
                };
                None
            }
            _ => None,
        };
        self.ask_checked::<Elicit>(key, params, |answer| {
            let (Some(schema), ElicitAction::Accept) = (&schema, &answer.action) else {
                return true;
            };
            answer
                .content
                .as_ref()
                .is_some_and(|content| schema.check(content).is_ok())
        })
        .await
    }

    /// Says that what the user was sent to a URL for is done.
    ///
    /// 2025-11-25 only: elsewhere nothing is sent, the client calls again instead.
    ///
    /// # Cancel safety
    /// Dropping the future may lose the message.
    pub async fn elicitation_complete(&self, elicitation_id: &str) {
        let knows = self.version().has(Feature::UrlElicitationRequiredCode);
        if knows && self.client_capabilities().has_url_elicitation() {
            let mut params = ElicitationCompleteParams::new(elicitation_id);
            params.meta = self.related();
            self.notify::<ElicitationComplete>(&params).await;
        }
    }

    /// Has the client's model speak.
    ///
    /// About `key` see [`ask`](Self::ask), about `task` in the params [`elicit`](Self::elicit).
    /// Deprecated in 2026-07-28.
    ///
    /// # Errors
    /// [`AskError`]: the client does not offer that, or has not answered; or uses and results of
    /// tools in the messages do not match.
    ///
    /// # Cancel safety
    /// Dropping the future takes the question back.
    pub async fn sample(
        &self,
        key: &str,
        params: CreateMessageParams,
    ) -> Result<CreateMessageResult, AskError> {
        let client = self.client_capabilities();
        let tools = params.tools.is_some() || params.tool_choice.is_some();
        let context = params
            .include_context
            .as_ref()
            .is_some_and(|context| *context != IncludeContext::None)
            && self.version().has(Feature::SamplingTools);
        self.can_ask::<CreateMessage>()?;
        if tools && !client.has_sampling_tools() {
            return Err(self.not_offered::<CreateMessage>("sampling.tools"));
        }
        if context && !client.has_sampling_context() {
            return Err(self.not_offered::<CreateMessage>("sampling.context"));
        }
        if params.task.is_some() {
            self.can_ask_as_task::<CreateMessage>()?;
        }
        params.check_tool_uses()?;
        self.ask::<CreateMessage>(key, params).await
    }

    /// Asks for the directories that the client lets the server work in.
    ///
    /// Deprecated in 2026-07-28.
    ///
    /// # Errors
    /// [`AskError`]: the client does not offer that, or has not answered.
    ///
    /// # Cancel safety
    /// Dropping the future takes the question back.
    pub async fn roots(&self) -> Result<Vec<Root>, AskError> {
        let result = self.ask::<ListRoots>("roots", RequestParams::new()).await?;
        Ok(result.roots)
    }

    fn can_ask_as_task<M: RpcRequest>(&self) -> Result<(), AskError> {
        let version = self.version();
        client_allows_task(&M::METHOD, version, self.client_capabilities())
            .map_err(|reason| AskError::NotOffered { reason, version })
    }

    fn can_elicit(&self, params: &ElicitRequestParams) -> Result<(), AskError> {
        let version = self.version();
        let client = self.client_capabilities();
        let by_url = matches!(params, ElicitRequestParams::Url(_));
        let feature = if by_url {
            Feature::UrlElicitation
        } else {
            Feature::Elicitation
        };
        if !version.has(feature) {
            let method = Elicit::METHOD.as_str().to_owned();
            let reason = NotNegotiated::Revision { method, version };
            return Err(AskError::NotOffered { reason, version });
        }
        self.can_ask::<Elicit>()?;
        match by_url {
            true if !client.has_url_elicitation() => {
                Err(self.not_offered::<Elicit>("elicitation.url"))
            }
            false if !client.has_form_elicitation() => {
                Err(self.not_offered::<Elicit>("elicitation.form"))
            }
            _ => Ok(()),
        }
    }

    fn not_offered<M: RpcRequest>(&self, capability: &'static str) -> AskError {
        AskError::NotOffered {
            reason: NotNegotiated::Capability {
                method: M::METHOD.as_str().to_owned(),
                peer: "client",
                capability,
            },
            version: self.version(),
        }
    }
}
