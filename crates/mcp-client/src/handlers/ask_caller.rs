//! The user whom the maker of a call can ask, and the model that it has.

use mcp_interceptors::{Ask, CallError, Decision, JsonMap, Sampler};
use mcp_jsonrpc::{ErrorCode, ErrorObject};
use mcp_protocol::ElicitAction;
use mcp_protocol::elicitation::{ElicitRequestParams, ElicitResult};
use mcp_protocol::sampling::{CreateMessageParams, CreateMessageResult};
use mcp_transport::BoxFuture;
use serde::Serialize;
use serde_json::{Value, json};

use super::{Elicitation, Origin, Sampling, elicitation, sampling};

/// Passes what a server asks on to whoever made the call that it belongs to, such as an agent:
/// questions to the user through the [`Ask`] that the caller attached, and questions to a model
/// through its [`Sampler`], after the user has allowed them.
///
/// A question is an object with a `type`, the `server` and the `tool`:
///
/// * `elicitation`, with what the server wrote under `elicitation`. The answer is an
///   elicitation's result, `{"action", "content"}`. Where nobody can be asked the user counts as
///   gone away.
/// * `sampling`, with what the server wrote under `sampling`. The answer is a [`Decision`]:
///   `approve`, `edit` with all the params as `args`, `reject`, or `respond` in place of the
///   model. Where nobody can be asked, or there is no model, the server is refused.
///
/// An answer that does not fit comes back as the question with a `problem`, and is never sent. A
/// caller whose answer comes later makes the call once more then; a server that asks by a request,
/// as until 2025-11-25, is refused in that case.
#[derive(Clone, Copy, Debug, Default)]
pub struct AskCaller {
    url: bool,
    tools: bool,
}

impl AskCaller {
    /// For forms, and for questions to the model without tools.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            url: false,
            tools: false,
        }
    }

    /// The same where the user can be sent to a URL.
    #[must_use]
    pub const fn with_url(mut self) -> Self {
        self.url = true;
        self
    }

    /// The same where the model can be offered the server's tools.
    #[must_use]
    pub const fn with_tools(mut self) -> Self {
        self.tools = true;
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
            let Some(ask) = asks(&origin) else {
                return Ok(ElicitResult::new(ElicitAction::Cancel));
            };
            let question = question("elicitation", &origin, &params);
            let answer = ask.ask_for(question, |answer| filled_in(&params, answer));
            answer.await.map_err(|error| unanswered(&error))
        })
    }

    fn url(&self) -> bool {
        self.url
    }
}

impl Sampling for AskCaller {
    fn create_message(
        &self,
        params: CreateMessageParams,
        origin: Origin,
    ) -> BoxFuture<'_, Result<CreateMessageResult, ErrorObject>> {
        Box::pin(async move {
            let extensions = &origin.extensions;
            let (Some(ask), Some(model)) = (asks(&origin), extensions.get::<Sampler>()) else {
                return Err(refused("there is no model, or nobody to allow its use"));
            };
            let question = question("sampling", &origin, &params);
            let decided = ask.ask_for(question, |answer| self.decided(&params, answer));
            let params = match decided.await.map_err(|error| unanswered(&error))? {
                Leave::Given(params) => params,
                Leave::Refused(reason) => return Err(refused(&reason)),
                Leave::Answered(text) => return Ok(CreateMessageResult::new("user", text)),
            };
            let said = model.sample(*params).await;
            said.map_err(|error| ErrorObject::internal(format!("no answer: {}", error.chain())))
        })
    }

    fn tools(&self) -> bool {
        self.tools
    }
}

/// What the user says to the use of the model.
enum Leave {
    Given(Box<CreateMessageParams>),
    Refused(String),
    Answered(String),
}

impl AskCaller {
    fn decided(&self, params: &CreateMessageParams, answer: Value) -> Result<Leave, String> {
        Ok(match Decision::read(answer)? {
            Decision::Approve => Leave::Given(Box::new(params.clone())),
            Decision::Edit { args } => Leave::Given(Box::new(self.edited(args)?)),
            Decision::Reject { message } => Leave::Refused(message.unwrap_or_default()),
            Decision::Respond { message } => Leave::Answered(message),
            _ => return Err("this decision is not for a question to the model".to_owned()),
        })
    }

    fn edited(&self, args: JsonMap) -> Result<CreateMessageParams, String> {
        let params = serde_json::from_value(Value::Object(args));
        let params = params.map_err(|error| format!("args: {error}"))?;
        sampling::check(self, &params).map_err(|error| format!("args: {}", error.message))?;
        Ok(params)
    }
}

/// Whom to ask. A server that asks by a request waits for the answer within its call, which
/// cannot be made once more.
fn asks(origin: &Origin) -> Option<Ask> {
    let ask = origin.extensions.get::<Ask>()?;
    Some(match origin.request {
        Some(_) => ask.now(),
        None => ask.clone(),
    })
}

fn question(kind: &str, origin: &Origin, asked: &impl Serialize) -> Value {
    let (server, tool) = (&*origin.server, origin.tool.as_deref());
    let mut question = json!({"type": kind, "server": server, "tool": tool, kind: asked});
    if let (Some(members), "sampling") = (question.as_object_mut(), kind) {
        members.insert("decisions".to_owned(), json!(Decision::TYPES));
    }
    question
}

/// What the user filled in, if it fits the form.
fn filled_in(params: &ElicitRequestParams, answer: Value) -> Result<ElicitResult, String> {
    let mut result: ElicitResult =
        serde_json::from_value(answer).map_err(|error| format!("this is no answer: {error}"))?;
    let by_form = matches!(params, ElicitRequestParams::Form(_));
    if !(by_form && result.action == ElicitAction::Accept) {
        result.content = None;
        return Ok(result);
    }
    result.content.get_or_insert_default();
    elicitation::check_answer(params, &result).map_err(|error| error.message)?;
    Ok(result)
}

fn unanswered(error: &CallError) -> ErrorObject {
    ErrorObject::internal(format!("the user has not answered: {error}"))
}

/// The error that the specification has for a user who does not want it.
fn refused(reason: &str) -> ErrorObject {
    let reason = if reason.is_empty() { "" } else { ": " }.to_owned() + reason;
    ErrorObject::new(
        ErrorCode(-1),
        format!("the user rejected the sampling request{reason}"),
    )
}
