//! Handlers of a client that note what they were asked, and answer.

use std::sync::{Arc, Mutex};

use mcp::client::{Elicitation, Handlers, Origin, Roots, Sampling};
use mcp::jsonrpc::ErrorObject;
use mcp::protocol::{
    CreateMessageParams, CreateMessageResult, ElicitRequestParams, ElicitResult, Root, TextContent,
};
use mcp::transport::BoxFuture;
use serde_json::{Map, Value};

/// What was asked, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asked(Arc<Mutex<Vec<String>>>);

impl Asked {
    fn note(&self, what: impl Into<String>) {
        self.0.lock().unwrap().push(what.into());
    }

    pub(crate) fn all(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }

    pub(crate) fn assert_nothing(&self) {
        assert_eq!(self.all(), [""; 0]);
    }
}

/// A client's handlers of everything, forms and URLs included.
pub(crate) fn asked() -> (Asked, Handlers) {
    let asked = Asked::default();
    let handlers = Handlers::new()
        .with_roots(asked.clone())
        .with_sampling(asked.clone())
        .with_elicitation(asked.clone());
    (asked, handlers)
}

impl Roots for Asked {
    fn roots(&self, _: Origin) -> BoxFuture<'_, Vec<Root>> {
        self.note("roots");
        Box::pin(async { vec![Root::new("file:///desk")] })
    }
}

impl Sampling for Asked {
    fn create_message(
        &self,
        _: CreateMessageParams,
        _: Origin,
    ) -> BoxFuture<'_, Result<CreateMessageResult, ErrorObject>> {
        self.note("sampling");
        Box::pin(async { Ok(CreateMessageResult::new("model", TextContent::new("hello"))) })
    }
}

/// A form is filled in with its own message, in each of its fields.
impl Elicitation for Asked {
    fn elicit(
        &self,
        params: ElicitRequestParams,
        _: Origin,
    ) -> BoxFuture<'_, Result<ElicitResult, ErrorObject>> {
        let message = params.message().to_owned();
        self.note(format!("elicit {message}"));
        let mut content = Map::new();
        if let ElicitRequestParams::Form(form) = &params {
            let fields = form.requested_schema.properties.keys();
            content.extend(fields.map(|name| (name.clone(), Value::from(message.clone()))));
        }
        let result = match params {
            ElicitRequestParams::Url(_) => ElicitResult::new(mcp::protocol::ElicitAction::Accept),
            _ => ElicitResult::accept(content),
        };
        Box::pin(async { Ok(result) })
    }

    fn url(&self) -> bool {
        true
    }

    fn completed(&self, elicitation_id: &str, _: Origin) {
        self.note(format!("completed {elicitation_id}"));
    }
}
