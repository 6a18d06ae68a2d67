//! The chain itself: anything that answers tool calls, behind one pointer.

use std::any::Any;
use std::fmt;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context, Poll};

use tower_service::Service;

use crate::{BoxFuture, CallError, Intercept, ToolCall, ToolOutcome, Toolset};

/// What answers tool calls: a toolset with its layers around it.
///
/// It is a [`tower_service::Service`], so tower's layers fit around it, and it is made from any
/// such service. A clone costs a reference count; the chain is built once and shared.
#[derive(Clone)]
pub struct ToolService(Arc<dyn Answer>);

/// A service that needs neither `&mut self` nor readiness.
pub(crate) trait Answer: Send + Sync + 'static {
    fn answer(&self, call: ToolCall) -> BoxFuture<'static, Result<ToolOutcome, CallError>>;
}

impl ToolService {
    /// Wraps a tower service. Each call is made on a clone of it that was polled to readiness.
    pub fn new<S>(service: S) -> Self
    where
        S: Service<ToolCall, Response = ToolOutcome> + Clone + Send + Sync + 'static,
        S::Error: Into<CallError>,
        S::Future: Send,
    {
        // Our own services need no second box around their future.
        let any: &dyn Any = &service;
        if let Some(own) = any.downcast_ref::<Self>() {
            return own.clone();
        }
        if let Some(intercept) = any.downcast_ref::<Intercept>() {
            return Self(Arc::new(intercept.clone()));
        }
        Self(Arc::new(Tower(service)))
    }

    /// The service at the bottom of a chain: the toolset itself.
    #[must_use]
    pub fn from_toolset(toolset: Arc<dyn Toolset>) -> Self {
        Self(Arc::new(Base(toolset)))
    }

    /// Makes one call.
    ///
    /// # Cancel safety
    /// Dropping the future drops every layer's future and with it the call.
    pub fn call(&self, call: ToolCall) -> BoxFuture<'static, Result<ToolOutcome, CallError>> {
        self.0.answer(call)
    }
}

impl fmt::Debug for ToolService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ToolService")
    }
}

impl Service<ToolCall> for ToolService {
    type Response = ToolOutcome;
    type Error = CallError;
    type Future = BoxFuture<'static, Result<ToolOutcome, CallError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), CallError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, call: ToolCall) -> Self::Future {
        self.0.answer(call)
    }
}

struct Base(Arc<dyn Toolset>);

impl Answer for Base {
    fn answer(&self, call: ToolCall) -> BoxFuture<'static, Result<ToolOutcome, CallError>> {
        self.0.call(call)
    }
}

struct Tower<S>(S);

impl<S> Answer for Tower<S>
where
    S: Service<ToolCall, Response = ToolOutcome> + Clone + Send + Sync + 'static,
    S::Error: Into<CallError>,
    S::Future: Send,
{
    fn answer(&self, call: ToolCall) -> BoxFuture<'static, Result<ToolOutcome, CallError>> {
        let mut service = self.0.clone();
        Box::pin(async move {
            poll_fn(|cx| service.poll_ready(cx))
                .await
                .map_err(Into::into)?;
            service.call(call).await.map_err(Into::into)
        })
    }
}
