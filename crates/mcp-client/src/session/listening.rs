//! Being told of changes: by subscription until 2025-11-25, by listening since 2026-07-28.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use mcp_jsonrpc::ErrorCode;
use mcp_protocol::lifecycle::{NotNegotiated, Wire};
use mcp_protocol::resources::{Subscribe, Unsubscribe};
use mcp_protocol::subscriptions::{
    SubscriptionFilter, SubscriptionsListen, SubscriptionsListenParams,
};
use mcp_protocol::{Feature, ResourceParams, RpcRequest};
use mcp_transport::{BoxFuture, CallError, CallId};
use tokio::sync::watch;
use tokio::time::Instant;

use super::Session;
use super::send::Way;
use crate::listen::{Listening, Wanted};
use crate::negotiate::unlimited;
use crate::{CallOptions, Error, backoff};

/// How long a request has to last for the next one to come soon.
const LASTED: Duration = Duration::from_secs(10);

type Request<'a> = BoxFuture<'a, Result<(), Error>>;

impl Session {
    /// Asks to be told when a resource changes, for as long as the session lasts; what is told
    /// goes to the [handler of changes](crate::Changes). In a pool the next session with the
    /// server asks again. Done when the server has agreed.
    ///
    /// Until 2025-11-25 it is a request of its own. Since then the session listens, by one
    /// request for all that it wants to be told of, which is made again when it ends.
    ///
    /// # Errors
    /// As [`request`](Self::request); [`Error::NotSubscribed`] if the server does not agree;
    /// [`Error::TooManySubscriptions`] beyond 1024 resources.
    ///
    /// # Cancel safety
    /// Dropping the future may leave the resource subscribed.
    pub async fn subscribe(&self, uri: impl Into<String> + Send) -> Result<(), Error> {
        let uri = uri.into();
        let wanted = &self.inner.wanted;
        if self.version().has(Feature::ResourceSubscribe) {
            let params = ResourceParams::new(&*uri);
            self.request::<Subscribe>(params).await?;
            return wanted.add(&uri).map(drop).ok_or(too_many());
        }
        if !self.capabilities().has_resource_subscriptions() {
            return Err(NotNegotiated::Capability {
                method: Subscribe::METHOD.as_str().to_owned(),
                peer: "server",
                capability: "resources.subscribe",
            }
            .into());
        }
        let count = wanted.add(&uri).ok_or(too_many())?;
        let mut listening = self.inner.listening.subscribe();
        self.start_listening();
        let settled = listening.wait_for(|listening| listening.settles(count));
        let limit = self.inner.timeouts.idle.unwrap_or(Duration::MAX);
        let refused = match tokio::time::timeout(limit, settled).await {
            Ok(Ok(now)) => match &*now {
                Listening::Agreed { filter, .. } if tells_of(filter, &uri) => return Ok(()),
                Listening::Refused(error) => error.clone().into(),
                _ => Error::NotSubscribed { uri: uri.clone() },
            },
            _ => CallError::TimedOut { after: limit }.into(),
        };
        wanted.remove(&uri);
        Err(refused)
    }

    /// Asks not to be told of a resource any more.
    ///
    /// # Errors
    /// As [`request`](Self::request).
    ///
    /// # Cancel safety
    /// Dropping the future may leave the resource subscribed.
    pub async fn unsubscribe(&self, uri: impl Into<String> + Send) -> Result<(), Error> {
        let uri = uri.into();
        self.inner.wanted.remove(&uri);
        if !self.version().has(Feature::ResourceSubscribe) {
            return Ok(());
        }
        let params = ResourceParams::new(uri);
        self.request::<Unsubscribe>(params).await.map(drop)
    }

    /// Asks to be told of changes, and waits for as long as the server tells: there is no time
    /// limit. What it tells makes the session forget stale lists and goes to the handler of
    /// changes. Since 2026-07-28; a new connection needs a new request.
    ///
    /// A session with a handler of changes [does so by itself](crate::ClientOptions::listen).
    ///
    /// # Errors
    /// As [`request`](Self::request).
    ///
    /// # Cancel safety
    /// Dropping the future ends the subscription.
    pub async fn listen(&self, filter: SubscriptionFilter) -> Result<(), Error> {
        self.listen_as(filter, &CallId::new()).await
    }

    /// As [`listen`](Self::listen), with a place for the id of the request: the handler of
    /// changes finds it in [`Origin::subscription`](crate::Origin).
    ///
    /// # Errors
    /// As [`request`](Self::request).
    ///
    /// # Cancel safety
    /// Dropping the future ends the subscription.
    pub async fn listen_as(&self, filter: SubscriptionFilter, id: &CallId) -> Result<(), Error> {
        let mut options = CallOptions::new();
        options.timeouts = Some(unlimited());
        let mut way = Way::new(&options);
        way.id = Some(id);
        let mut params = SubscriptionsListenParams::new(filter);
        let listened = self.request_by::<SubscriptionsListen>(&mut params, way);
        listened.await.map(drop)
    }

    /// Begins what a session does by itself to be told of changes.
    pub(super) fn want_changes(&self) {
        let wanted = self.inner.wanted.all();
        if self.version().has(Feature::SubscriptionsListen) {
            let heard = self.inner.listens && self.inner.inward.handlers.changes().is_some();
            if heard || !wanted.is_empty() {
                self.start_listening();
            }
        } else if !wanted.is_empty() {
            self.subscribe_again(wanted);
        }
    }

    /// Subscribes to what the session before this one was subscribed to.
    fn subscribe_again(&self, wanted: BTreeSet<String>) {
        self.run_inside(|session| async move {
            for uri in wanted {
                session.subscribe_once_more(&uri).await;
            }
        });
    }

    async fn subscribe_once_more(&self, uri: &str) {
        let subscribed = self.request::<Subscribe>(ResourceParams::new(uri)).await;
        if let Err(error) = subscribed {
            let (server, error) = (&**self.server(), error.chain());
            tracing::warn!(server, uri, error, "not subscribed any more");
        }
    }

    fn start_listening(&self) {
        let mut begin = false;
        self.inner.listening.send_if_modified(|listening| {
            begin = !listening.runs();
            if begin {
                *listening = Listening::Begun;
            }
            begin
        });
        if begin {
            self.run_inside(|session| async move { session.keep_listening().await });
        }
    }

    /// Listens until the session ends or the server does not do it. When more or less is wanted,
    /// the request before goes on until the next one has been agreed to, so that no change is
    /// missed.
    async fn keep_listening(&self) {
        let mut wanted = self.inner.wanted.watch();
        let mut before: Option<Request<'_>> = None;
        let mut failures = 0;
        loop {
            let count = *wanted.borrow_and_update();
            let filter = self.filter();
            if filter == SubscriptionFilter::new() {
                before = None;
                // It lives as long as the session.
                let _changed = wanted.changed().await;
                continue;
            }
            let begun = Instant::now();
            let ended = self.listen_once((filter, count), &mut wanted, before.take());
            let outcome = match ended.await {
                Ended::Replaced(request) => {
                    before = Some(request);
                    continue;
                }
                Ended::Over(outcome) => outcome,
            };
            if let Some(error) = self.refusal(outcome) {
                return self.refused(error);
            }
            failures = if begun.elapsed() >= LASTED {
                0
            } else {
                failures
            };
            tokio::select! {
                () = tokio::time::sleep(backoff::pause(failures)) => {}
                _ = wanted.changed() => {}
            }
            failures = failures.saturating_add(1);
        }
    }

    /// One request, until it ends or something else is wanted.
    async fn listen_once<'a>(
        &'a self,
        (filter, count): (SubscriptionFilter, u64),
        wanted: &mut watch::Receiver<u64>,
        before: Option<Request<'a>>,
    ) -> Ended<'a> {
        let id = CallId::new();
        let mut agreement = self.inner.inward.agreements.expect(&id);
        let mut request: Request<'a> = Box::pin(async move { self.listen_as(filter, &id).await });
        let gap = before.is_none();
        let mut before = before.unwrap_or_else(|| Box::pin(std::future::pending()));
        let agreed = loop {
            tokio::select! {
                biased;
                agreed = &mut agreement => break agreed.ok(),
                outcome = &mut request => return Ended::Over(outcome),
                _ = &mut before => before = Box::pin(std::future::pending()),
            }
        };
        drop(before);
        if let Some(filter) = agreed {
            if gap {
                // Nobody has told of changes in between.
                self.inner.inward.cache.forget_all();
            }
            let filter = Arc::new(filter);
            let listening = Listening::Agreed { count, filter };
            self.inner.listening.send_replace(listening);
        }
        tokio::select! {
            outcome = &mut request => Ended::Over(outcome),
            Ok(()) = wanted.changed() => Ended::Replaced(request),
        }
    }

    /// What of the wishes the server may be asked for.
    fn filter(&self) -> SubscriptionFilter {
        let mut filter = SubscriptionFilter::new();
        if self.inner.listens && self.inner.inward.handlers.changes().is_some() {
            filter.tools_list_changed = Some(true);
            filter.prompts_list_changed = Some(true);
            filter.resources_list_changed = Some(true);
        }
        let uris: Vec<_> = self.inner.wanted.all().into_iter().collect();
        filter.resource_subscriptions = Some(uris).filter(|uris| !uris.is_empty());
        filter.honoured_by(self.capabilities())
    }

    /// The error of a request that need not be made again.
    fn refusal(&self, outcome: Result<(), Error>) -> Option<CallError> {
        match outcome {
            Ok(()) => None,
            Err(Error::Call(error)) => match &error {
                CallError::Closed { .. } if self.inner.wire == Wire::Stream => Some(error),
                CallError::Rejected(rejection) => {
                    let code = rejection.error.as_ref().map(|error| error.code);
                    let status = rejection.status.as_u16();
                    let never = code.is_some_and(is_final) || matches!(status, 400 | 404 | 405);
                    never.then_some(error)
                }
                CallError::Remote(remote) if is_final(remote.code) => Some(error),
                _ => None,
            },
            Err(error) => {
                tracing::debug!(error = error.chain(), "listening ended");
                None
            }
        }
    }

    fn refused(&self, error: CallError) {
        tracing::debug!(server = &**self.server(), %error, "the server is not listened to");
        self.inner.listening.send_replace(Listening::Refused(error));
    }
}

/// How one request to listen has ended.
enum Ended<'a> {
    Over(Result<(), Error>),
    /// It goes on until the next one has been agreed to.
    Replaced(Request<'a>),
}

/// Whether an error will be the same the next time.
fn is_final(code: ErrorCode) -> bool {
    code == ErrorCode::METHOD_NOT_FOUND || code == ErrorCode::INVALID_PARAMS
}

fn tells_of(filter: &SubscriptionFilter, uri: &str) -> bool {
    let uris = filter.resource_subscriptions.iter().flatten();
    uris.into_iter().any(|agreed| agreed == uri)
}

const fn too_many() -> Error {
    Error::TooManySubscriptions {
        limit: Wanted::LIMIT,
    }
}
