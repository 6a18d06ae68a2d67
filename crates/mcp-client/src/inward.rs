//! Takes what the server sends of its own accord.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use http::Extensions;
use mcp_interceptors::{Report, Reports};
use mcp_jsonrpc::{ErrorObject, Notification, RawJson, Request};
use mcp_protocol::elicitation::ElicitationComplete;
use mcp_protocol::logging::LoggingMessage;
use mcp_protocol::resources::ResourceUpdated;
use mcp_protocol::{RequestContext, RpcNotification};
use mcp_transport::{BoxFuture, Handler, Incoming};

use crate::cache::Cache;
use crate::handlers::{Change, Handlers, Origin, trace};

/// The way in of a session.
#[derive(Debug)]
pub(crate) struct Inward {
    pub(crate) server: Arc<str>,
    pub(crate) handlers: Handlers,
    pub(crate) cache: Cache,
    pub(crate) active: Active,
}

impl Inward {
    pub(crate) fn new(server: Arc<str>, handlers: Handlers) -> Self {
        Self {
            server,
            handlers,
            cache: Cache::default(),
            active: Active::default(),
        }
    }

    fn origin(&self) -> Origin {
        Origin::new(Arc::clone(&self.server), self.active.only())
    }

    async fn notified(&self, notification: &Notification) {
        let params = notification.params.as_ref();
        let change = match &*notification.method {
            "notifications/tools/list_changed" => Change::Tools,
            "notifications/prompts/list_changed" => Change::Prompts,
            "notifications/resources/list_changed" => Change::Resources,
            "notifications/resources/updated" => match ResourceUpdated::decode_params(params) {
                Ok(params) => Change::Resource { uri: params.uri },
                Err(_) => return,
            },
            "notifications/message" => return self.log(params).await,
            "notifications/elicitation/complete" => return self.completed(params),
            method => return tracing::debug!(server = &*self.server, method, "not known, ignored"),
        };
        self.cache.forget(&change);
        if let Some(changes) = self.handlers.changes() {
            changes.changed(change, self.origin()).await;
        }
    }

    async fn log(&self, params: Option<&RawJson>) {
        let Ok(message) = LoggingMessage::decode_params(params) else {
            return;
        };
        let origin = self.origin();
        if let Some(reports) = origin.extensions.get::<Reports>() {
            reports.report(Report::Log(message.clone()));
        }
        match self.handlers.logging() {
            Some(logging) => logging.log(message, origin).await,
            None => trace(&message, &origin),
        }
    }

    fn completed(&self, params: Option<&RawJson>) {
        if let (Some(elicitation), Ok(params)) = (
            self.handlers.elicitation(),
            ElicitationComplete::decode_params(params),
        ) {
            elicitation.completed(&params.elicitation_id, self.origin());
        }
    }
}

impl Handler<RequestContext> for Inward {
    fn request(
        self: Arc<Self>,
        request: Incoming<Request, RequestContext>,
    ) -> BoxFuture<'static, Result<RawJson, ErrorObject>> {
        Box::pin(async move {
            let request = request.message;
            let mut origin = self.origin();
            origin.request = Some(request.id.clone());
            self.handlers
                .answer(&request.method, request.params.as_ref(), origin)
                .await
        })
    }

    fn notification(
        self: Arc<Self>,
        notification: Incoming<Notification, RequestContext>,
    ) -> BoxFuture<'static, ()> {
        Box::pin(async move { self.notified(&notification.message).await })
    }
}

/// The calls of tools that are in flight.
#[derive(Clone, Debug, Default)]
pub(crate) struct Active(Arc<Mutex<Vec<InFlight>>>);

/// A call of a tool.
#[derive(Clone, Debug)]
pub(crate) struct InFlight {
    pub(crate) tool: Arc<str>,
    pub(crate) extensions: Arc<Extensions>,
}

impl Active {
    /// Notes a call until the guard is dropped.
    pub(crate) fn enter(&self, tool: &str, extensions: &Arc<Extensions>) -> ActiveCall {
        let call = InFlight {
            tool: tool.into(),
            extensions: Arc::clone(extensions),
        };
        self.lock().push(call.clone());
        ActiveCall {
            active: self.clone(),
            call,
        }
    }

    /// The one call in flight; `None` where there are more, or none.
    fn only(&self) -> Option<InFlight> {
        match self.lock().as_slice() {
            [call] => Some(call.clone()),
            _ => None,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<InFlight>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A call in flight, until this is dropped.
#[derive(Debug)]
pub(crate) struct ActiveCall {
    active: Active,
    pub(crate) call: InFlight,
}

impl Drop for ActiveCall {
    fn drop(&mut self) {
        let mut calls = self.active.lock();
        let ours = |call: &InFlight| Arc::ptr_eq(&call.tool, &self.call.tool);
        if let Some(at) = calls.iter().position(ours) {
            calls.swap_remove(at);
        }
    }
}
