//! What a server asks, through the layers of a session.

use std::sync::Arc;

use mcp_interceptors::{BoxFuture, CallError, CallErrorKind, Reply, Request};
use mcp_jsonrpc::{ErrorCode, ErrorObject, RawJson};
use mcp_protocol::input_required::InputRequest;
use serde_json::{Value, json};

use super::{Handlers, Origin};

impl Handlers {
    /// Answers a question of a server through the layers.
    ///
    /// # Errors
    /// The handler's, or what the layers make of it.
    ///
    /// # Cancel safety
    /// Dropping the future drops the layers' and the handler's.
    pub(super) async fn fulfil_layered(
        &self,
        request: &InputRequest,
        origin: Origin,
    ) -> Result<RawJson, ErrorObject> {
        let asked = serde_json::to_value(request).map_err(|e| unwritable(&e))?;
        let params = asked.get("params").cloned().unwrap_or(Value::Null);
        let asked = Request::new(
            Arc::clone(&origin.server),
            request.method().to_owned(),
            params,
        );
        let asked = asked
            .from_its_server()
            .in_context(Arc::clone(&origin.extensions));
        let handlers = self.clone();
        let last = move |request: Request| -> BoxFuture<'static, Result<Reply, CallError>> {
            let (handlers, origin) = (handlers.clone(), origin.clone());
            Box::pin(async move { handlers.reply(&request, origin).await })
        };
        let reply = self.layers.run(asked, last).await.map_err(refusal)?;
        RawJson::encode(reply.json()).map_err(|e| unwritable(&e))
    }

    async fn reply(&self, request: &Request, origin: Origin) -> Result<Reply, CallError> {
        let asked = match request.json() {
            Value::Null => json!({"method": request.method()}),
            params => json!({"method": request.method(), "params": params}),
        };
        let asked: InputRequest = serde_json::from_value(asked).map_err(CallError::layer)?;
        let answer = self.carry_out(&asked, origin).await;
        let raw = answer.map_err(|error| {
            let code = error.code.0;
            CallError::new(CallErrorKind::Protocol, error.message.clone())
                .with_code(code)
                .with_source(error)
        })?;
        Ok(Reply::from_json(raw.decode().map_err(CallError::layer)?))
    }
}

/// The error for the server: the handler's own, or one that says what the layers said.
fn refusal(error: CallError) -> ErrorObject {
    let code = error.code();
    let message = error.to_string();
    let source = error.into_source().map(|source| source.downcast());
    match (source, code) {
        (Some(Ok(own)), _) => *own,
        (_, Some(code)) => ErrorObject::new(ErrorCode(code), message),
        (_, None) => ErrorObject::internal(message),
    }
}

fn unwritable(error: &serde_json::Error) -> ErrorObject {
    ErrorObject::internal(format!("the question cannot be passed on: {error}"))
}
