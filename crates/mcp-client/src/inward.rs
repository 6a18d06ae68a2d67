//! Takes what the server sends of its own accord.

use std::sync::Arc;

use http::Extensions;
use mcp_interceptors::{Report, Reports};
use mcp_jsonrpc::{ErrorObject, Id, Notification, RawJson, Request};
use mcp_protocol::elicitation::ElicitationComplete;
use mcp_protocol::logging::LoggingMessage;
use mcp_protocol::resources::ResourceUpdated;
use mcp_protocol::subscriptions::SubscriptionsAcknowledged;
use mcp_protocol::tasks::TaskNotification;
use mcp_protocol::{Feature, Meta, RequestContext, RpcNotification};
use mcp_transport::{BoxFuture, Handler, Incoming, PartOf};
use serde::Deserialize;

use crate::active::{Active, InFlight};
use crate::cache::Cache;
use crate::handlers::{Change, Handlers, Origin, Reporter, trace};
use crate::listen::Agreements;
use crate::sent_away::SentAway;
use crate::tasks::{Asked, Tasks};

/// The way in of a session.
#[derive(Debug)]
pub(crate) struct Inward {
    pub(crate) server: Arc<str>,
    pub(crate) handlers: Handlers,
    pub(crate) cache: Cache,
    pub(crate) active: Active,
    pub(crate) agreements: Agreements,
    pub(crate) sent_away: SentAway,
    tasks: Option<Tasks>,
}

/// What the params of a message say of where it belongs.
#[derive(Debug, Default)]
struct Belongs {
    task: Option<String>,
    subscription: Option<Id>,
}

impl Belongs {
    fn read(params: Option<&RawJson>) -> Self {
        #[derive(Deserialize)]
        struct Params {
            #[serde(rename = "_meta", default)]
            meta: Option<Meta>,
        }
        let params = params.and_then(|params| params.decode::<Params>().ok());
        let meta = params.and_then(|params| params.meta).unwrap_or_default();
        Self {
            task: meta.related_task().map(str::to_owned),
            subscription: meta.subscription_id(),
        }
    }
}

impl Inward {
    pub(crate) fn new(server: Arc<str>, handlers: Handlers) -> Self {
        Self {
            server,
            tasks: handlers.tasks.clone().map(Tasks::new),
            handlers,
            cache: Cache::default(),
            active: Active::default(),
            agreements: Agreements::default(),
            sent_away: SentAway::default(),
        }
    }

    /// Where a message comes from: what it says itself, what the transport knows, or the one
    /// call that is in flight.
    fn origin(&self, belongs: Belongs, extensions: &Extensions) -> Origin {
        let call = self.call(&belongs, extensions);
        let mut origin = Origin::new(Arc::clone(&self.server), call.as_ref());
        origin.subscription = belongs.subscription;
        origin
    }

    fn call(&self, belongs: &Belongs, extensions: &Extensions) -> Option<InFlight> {
        match (extensions.get::<PartOf>(), &belongs.task) {
            (_, Some(task)) => self.active.of_task(task),
            (Some(PartOf(id)), None) => self.active.of_request(id),
            (None, None) => self.active.only(),
        }
    }

    async fn notified(&self, notification: &Notification, extensions: &Extensions) {
        let params = notification.params.as_ref();
        let change = match &*notification.method {
            "notifications/tools/list_changed" => Change::Tools,
            "notifications/prompts/list_changed" => Change::Prompts,
            "notifications/resources/list_changed" => Change::Resources,
            "notifications/resources/updated" => match ResourceUpdated::decode_params(params) {
                Ok(params) => Change::Resource { uri: params.uri },
                Err(_) => return,
            },
            "notifications/tasks/status" | "notifications/tasks" => {
                let Ok(task) = TaskNotification::decode_params(params) else {
                    return;
                };
                self.active.task_changed(&task.task.task_id);
                Change::Task {
                    task: Box::new(task),
                }
            }
            "notifications/subscriptions/acknowledged" => {
                if let Ok(params) = SubscriptionsAcknowledged::decode_params(params) {
                    self.agreements.arrived(params);
                }
                return;
            }
            "notifications/message" => return self.log(params, extensions).await,
            "notifications/elicitation/complete" => return self.completed(params, extensions),
            method => return tracing::debug!(server = &*self.server, method, "not known, ignored"),
        };
        self.cache.forget(&change);
        if let Some(changes) = self.handlers.changes() {
            let origin = self.origin(Belongs::read(params), extensions);
            changes.changed(change, origin).await;
        }
    }

    async fn log(&self, params: Option<&RawJson>, extensions: &Extensions) {
        let Ok(message) = LoggingMessage::decode_params(params) else {
            return;
        };
        let origin = self.origin(Belongs::read(params), extensions);
        if let Some(reports) = origin.extensions.get::<Reports>() {
            reports.report(Report::Log(message.clone()));
        }
        match self.handlers.logging() {
            Some(logging) => logging.log(message, origin).await,
            None => trace(&message, &origin),
        }
    }

    fn completed(&self, params: Option<&RawJson>, extensions: &Extensions) {
        if let (Some(elicitation), Ok(done)) = (
            self.handlers.elicitation(),
            ElicitationComplete::decode_params(params),
        ) && self.sent_away.end(&done.elicitation_id)
        {
            let origin = self.origin(Belongs::read(params), extensions);
            elicitation.completed(&done.elicitation_id, origin);
        }
    }
}

impl Inward {
    /// Answers a request of the server.
    async fn answer(
        &self,
        incoming: Incoming<Request, RequestContext>,
    ) -> Result<RawJson, ErrorObject> {
        let Incoming {
            message: request,
            context,
            channel,
            extensions,
            ..
        } = incoming;
        let params = request.params.as_ref();
        let mut origin = self.origin(Belongs::read(params), &extensions);
        origin.request = Some(request.id.clone());
        origin.reporter = Reporter::new(&channel, context.progress_token);
        self.sent_away.by_request(&request.method, params);
        let tasks = self.tasks.as_ref();
        if let Some(tasks) = tasks.filter(|_| context.version.has(Feature::Tasks)) {
            let asked = Asked {
                request: &request,
                origin: &origin,
                channel: &channel,
            };
            if let Some(answer) = tasks.answer(&self.handlers, &asked).await {
                return answer;
            }
        }
        let reporter = origin.reporter.clone();
        let answer = self.handlers.answer(&request.method, params, origin).await;
        reporter.end();
        answer
    }
}

impl Handler<RequestContext> for Inward {
    fn request(
        self: Arc<Self>,
        request: Incoming<Request, RequestContext>,
    ) -> BoxFuture<'static, Result<RawJson, ErrorObject>> {
        Box::pin(async move { self.answer(request).await })
    }

    fn notification(
        self: Arc<Self>,
        notification: Incoming<Notification, RequestContext>,
    ) -> BoxFuture<'static, ()> {
        Box::pin(async move {
            let Incoming {
                message,
                extensions,
                ..
            } = notification;
            self.notified(&message, &extensions).await;
        })
    }
}
