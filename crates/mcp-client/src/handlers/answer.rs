//! One way to answer a server, whether it asks by a request or within a result.

use mcp_jsonrpc::{ErrorObject, RawJson};
use mcp_protocol::elicitation::{Elicit, ElicitRequestParams};
use mcp_protocol::input_required::InputRequest;
use mcp_protocol::roots::{ListRoots, ListRootsResult};
use mcp_protocol::sampling::{CreateMessage, CreateMessageParams};
use mcp_protocol::{RequestParams, RpcRequest};

use super::{Handlers, Origin, elicitation, sampling};

impl Handlers {
    /// Answers a request of a server.
    ///
    /// # Errors
    /// The error for the server: `-32601` where nothing is registered for the method, `-32602`
    /// for params that do not fit or were not declared, or the handler's own.
    ///
    /// # Cancel safety
    /// Dropping the future drops the handler's.
    pub(crate) async fn answer(
        &self,
        method: &str,
        params: Option<&RawJson>,
        origin: Origin,
    ) -> Result<RawJson, ErrorObject> {
        // What is not registered is not there, whatever its params are.
        let request = match method {
            m if *m == *ListRoots::METHOD && self.roots.is_some() => {
                InputRequest::ListRoots(RequestParams::new())
            }
            m if *m == *CreateMessage::METHOD && self.sampling.is_some() => {
                CreateMessage::decode_params(params)?.into()
            }
            m if *m == *Elicit::METHOD && self.elicitation.is_some() => {
                Elicit::decode_params(params)?.into()
            }
            _ => return Err(ErrorObject::method_not_found(method)),
        };
        self.fulfil(&request, origin).await
    }

    /// Answers a question that is part of a result.
    ///
    /// # Errors
    /// As [`answer`](Self::answer).
    ///
    /// # Cancel safety
    /// Dropping the future drops the handler's.
    pub(crate) async fn fulfil(
        &self,
        request: &InputRequest,
        origin: Origin,
    ) -> Result<RawJson, ErrorObject> {
        if self.layers.is_empty() {
            self.carry_out(request, origin).await
        } else {
            self.fulfil_layered(request, origin).await
        }
    }

    /// Has the handler answer.
    pub(super) async fn carry_out(
        &self,
        request: &InputRequest,
        origin: Origin,
    ) -> Result<RawJson, ErrorObject> {
        match request {
            InputRequest::ListRoots(_) => self.list_roots(origin).await,
            InputRequest::CreateMessage(params) => self.create_message(params, origin).await,
            InputRequest::Elicit(params) => self.elicit(params, origin).await,
            other => Err(ErrorObject::method_not_found(other.method())),
        }
    }

    async fn list_roots(&self, origin: Origin) -> Result<RawJson, ErrorObject> {
        let roots = self.roots.as_deref();
        let roots = roots.ok_or_else(|| ErrorObject::method_not_found(&ListRoots::METHOD))?;
        encode(&ListRootsResult::new(roots.roots(origin).await))
    }

    async fn create_message(
        &self,
        params: &CreateMessageParams,
        origin: Origin,
    ) -> Result<RawJson, ErrorObject> {
        let handler = self.sampling.as_deref();
        let handler =
            handler.ok_or_else(|| ErrorObject::method_not_found(&CreateMessage::METHOD))?;
        sampling::check(handler, params)?;
        encode(&handler.create_message(params.clone(), origin).await?)
    }

    async fn elicit(
        &self,
        params: &ElicitRequestParams,
        origin: Origin,
    ) -> Result<RawJson, ErrorObject> {
        let handler = self.elicitation.as_deref();
        let handler = handler.ok_or_else(|| ErrorObject::method_not_found(&Elicit::METHOD))?;
        elicitation::check(handler, params)?;
        let result = handler.elicit(params.clone(), origin).await?;
        elicitation::check_answer(params, &result)?;
        encode(&result)
    }
}

fn encode<T: serde::Serialize>(result: &T) -> Result<RawJson, ErrorObject> {
    RawJson::encode(result)
        .map_err(|e| ErrorObject::internal(format!("the result cannot be encoded: {e}")))
}
