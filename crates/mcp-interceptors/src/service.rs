//! The chain itself: anything that answers tool calls, behind one pointer.

use std::any::Any;
use std::fmt;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context, Poll};

use tower_service::Service;

use crate::{BoxFuture, CallError, Intercept, RawResult, ToolCall, ToolList, ToolOutcome, Toolset};

/// What answers tool calls: a toolset with its layers around it.
///
/// It is a [`tower_service::Service`], so tower's layers fit around it, and it is made from any
/// such service. A clone costs a reference count; the chain is built once and shared.
///
/// It is as ready as the tower service that it was made from, so a layer that sheds load sees a
/// concurrency limit further in. An interceptor in between is always ready, as it may answer by
/// itself.
pub struct ToolService {
    shared: Arc<dyn Answer>,
    /// A clone of a tower service that is being, or was, polled to readiness.
    reserved: Option<Box<dyn Reserved>>,
}

/// A service that needs no `&mut self`.
pub(crate) trait Answer: Send + Sync + 'static {
    fn answer(&self, call: ToolCall) -> BoxFuture<'static, Result<ToolOutcome, CallError>>;

    /// What this layer makes of a list of tools; those further in have had theirs.
    fn list(&self, tools: ToolList) -> ToolList {
        tools
    }

    /// What has to be polled to readiness before a call; `None` if it is always ready.
    fn reserve(&self) -> Option<Box<dyn Reserved>> {
        None
    }
}

/// A place in a tower service.
pub(crate) trait Reserved: Send + Sync {
    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), CallError>>;
    fn call(self: Box<Self>, call: ToolCall) -> BoxFuture<'static, Result<ToolOutcome, CallError>>;
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
            return Self::over(intercept.clone());
        }
        Self::over(Tower(service))
    }

    fn over(answer: impl Answer) -> Self {
        Self {
            shared: Arc::new(answer),
            reserved: None,
        }
    }

    /// The service at the bottom of a chain: the toolset itself.
    #[must_use]
    pub fn from_toolset(toolset: Arc<dyn Toolset>) -> Self {
        Self::over(Base(toolset))
    }

    /// Makes one call.
    ///
    /// # Cancel safety
    /// Dropping the future drops every layer's future and with it the call.
    pub fn call(&self, call: ToolCall) -> BoxFuture<'static, Result<ToolOutcome, CallError>> {
        self.shared.answer(call)
    }

    pub(crate) fn list(&self, tools: ToolList) -> ToolList {
        self.shared.list(tools)
    }
}

impl Clone for ToolService {
    fn clone(&self) -> Self {
        Self {
            shared: Arc::clone(&self.shared),
            reserved: None,
        }
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

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), CallError>> {
        if self.reserved.is_none() {
            self.reserved = self.shared.reserve();
        }
        match &mut self.reserved {
            Some(reserved) => reserved.poll_ready(cx),
            None => Poll::Ready(Ok(())),
        }
    }

    fn call(&mut self, call: ToolCall) -> Self::Future {
        match self.reserved.take() {
            Some(reserved) => reserved.call(call),
            None => self.shared.answer(call),
        }
    }
}

struct Base(Arc<dyn Toolset>);

impl Answer for Base {
    fn answer(&self, call: ToolCall) -> BoxFuture<'static, Result<ToolOutcome, CallError>> {
        let Some(raw) = call.extensions().get::<RawResult>().cloned() else {
            return self.0.call(call);
        };
        let answer = self.0.call(call);
        Box::pin(async move {
            let outcome = answer.await;
            if let Ok(ToolOutcome::Result(result)) = &outcome {
                raw.put(result.clone());
            }
            outcome
        })
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

    fn reserve(&self) -> Option<Box<dyn Reserved>> {
        Some(Box::new(Self(self.0.clone())))
    }
}

impl<S> Reserved for Tower<S>
where
    S: Service<ToolCall, Response = ToolOutcome> + Clone + Send + Sync + 'static,
    S::Error: Into<CallError>,
    S::Future: Send,
{
    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), CallError>> {
        self.0.poll_ready(cx).map_err(Into::into)
    }

    fn call(
        mut self: Box<Self>,
        call: ToolCall,
    ) -> BoxFuture<'static, Result<ToolOutcome, CallError>> {
        Box::pin(async move { self.0.call(call).await.map_err(Into::into) })
    }
}
