//! The seam for what concerns every method: tower layers around the dispatch.

use std::error::Error;
use std::fmt;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context as Task, Poll};

use mcp_jsonrpc::{ErrorObject, RawJson, Request};
use mcp_protocol::{RequestContext, chain};
use mcp_transport::{BoxFuture, Incoming};
use tower_layer::Layer;
use tower_service::Service;

use crate::ServerBuilder;
use crate::dispatch::{self, Answer};
use crate::server::Shared;

/// Answers requests of any method: the dispatch of a server as a [`tower_service::Service`].
///
/// Layers are put around it by [`ServerBuilder::layer`].
#[derive(Clone)]
pub struct MethodService(Arc<dyn AnswerRequest>);

trait AnswerRequest: Send + Sync {
    fn answer(&self, request: Incoming<Request, RequestContext>) -> BoxFuture<'static, Answer>;
}

impl MethodService {
    pub(crate) fn new(server: Arc<Shared>) -> Self {
        Self(Arc::new(Innermost(server)))
    }

    pub(crate) fn answer(
        &self,
        request: Incoming<Request, RequestContext>,
    ) -> BoxFuture<'static, Answer> {
        self.0.answer(request)
    }
}

impl Service<Incoming<Request, RequestContext>> for MethodService {
    type Response = RawJson;
    type Error = ErrorObject;
    type Future = BoxFuture<'static, Answer>;

    fn poll_ready(&mut self, _: &mut Task<'_>) -> Poll<Result<(), ErrorObject>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Incoming<Request, RequestContext>) -> Self::Future {
        self.answer(request)
    }
}

impl fmt::Debug for MethodService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MethodService")
    }
}

struct Innermost(Arc<Shared>);

impl AnswerRequest for Innermost {
    fn answer(&self, request: Incoming<Request, RequestContext>) -> BoxFuture<'static, Answer> {
        dispatch::answer(&self.0, request)
    }
}

struct Layered<S>(S);

impl<S> AnswerRequest for Layered<S>
where
    S: Service<Incoming<Request, RequestContext>, Response = RawJson>,
    S: Clone + Send + Sync + 'static,
    S::Future: Send,
    S::Error: Into<Box<dyn Error + Send + Sync>>,
{
    fn answer(&self, request: Incoming<Request, RequestContext>) -> BoxFuture<'static, Answer> {
        let mut service = self.0.clone();
        Box::pin(async move {
            let refused = |error: S::Error| as_error_object(error.into());
            poll_fn(|task| service.poll_ready(task).map_err(refused)).await?;
            service.call(request).await.map_err(refused)
        })
    }
}

/// An error of a layer that is none of the protocol is told to nobody but the log.
fn as_error_object(error: Box<dyn Error + Send + Sync>) -> ErrorObject {
    match error.downcast::<ErrorObject>() {
        Ok(error) => *error,
        Err(error) => {
            tracing::error!(error = chain(&*error), "a layer refused a request");
            ErrorObject::internal("the server failed to answer")
        }
    }
}

type Wrap = Box<dyn FnOnce(MethodService) -> MethodService + Send>;

/// The layers of a server, the outermost first.
#[derive(Default)]
pub(crate) struct Stack(Vec<Wrap>);

impl Stack {
    /// `None` where there are no layers, so that they cost nothing then.
    pub(crate) fn around(self, innermost: MethodService) -> Option<MethodService> {
        let layered = !self.0.is_empty();
        let service = self.0.into_iter().rev().fold(innermost, |s, wrap| wrap(s));
        layered.then_some(service)
    }
}

impl fmt::Debug for Stack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Stack({})", self.0.len())
    }
}

impl ServerBuilder {
    /// Puts a tower layer around all methods: for logging, limits, authorization, time-outs.
    ///
    /// The first layer is the outermost. An [`ErrorObject`] that it fails with is sent as it is;
    /// any other error is logged, and the client told of an internal error.
    ///
    /// ```
    /// use std::time::Duration;
    /// use mcp_server::Server;
    /// use tower::limit::ConcurrencyLimitLayer;
    /// use tower::timeout::TimeoutLayer;
    /// let server = Server::builder("slow", "1.0.0")
    ///     .layer(TimeoutLayer::new(Duration::from_secs(30)))
    ///     .layer(ConcurrencyLimitLayer::new(16))
    ///     .build();
    /// ```
    pub fn layer<L>(mut self, layer: L) -> Self
    where
        L: Layer<MethodService> + Send + 'static,
        L::Service: Service<Incoming<Request, RequestContext>, Response = RawJson>,
        L::Service: Clone + Send + Sync + 'static,
        <L::Service as Service<Incoming<Request, RequestContext>>>::Future: Send,
        <L::Service as Service<Incoming<Request, RequestContext>>>::Error:
            Into<Box<dyn Error + Send + Sync>>,
    {
        self.stack.0.push(Box::new(move |inner| {
            MethodService(Arc::new(Layered(layer.layer(inner))))
        }));
        self
    }
}
