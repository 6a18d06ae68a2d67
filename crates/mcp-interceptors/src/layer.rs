//! Interceptors as tower layers, and lists of layers.

use std::fmt;
use std::sync::Arc;
use std::task::{Context, Poll};

use tower_layer::Layer;
use tower_service::Service;

use crate::interceptor::AnyInterceptor;
use crate::service::Answer;
use crate::{
    BoxFuture, CallError, Intercepted, Interceptor, Next, ToolCall, ToolList, ToolOutcome,
    ToolService, Toolset,
};

/// Makes a built-in a tower layer: `interceptor(&self)` makes the interceptor of each chain.
macro_rules! tower_layer {
    ($layer:ty) => {
        impl<S> tower_layer::Layer<S> for $layer
        where
            S: tower_service::Service<$crate::ToolCall, Response = $crate::ToolOutcome>
                + Clone
                + Send
                + Sync
                + 'static,
            S::Error: Into<$crate::CallError>,
            S::Future: Send,
        {
            type Service = $crate::Intercept;

            fn layer(&self, inner: S) -> $crate::Intercept {
                let layer = $crate::intercept(self.interceptor());
                tower_layer::Layer::layer(&layer, inner)
            }
        }
    };
}
pub(crate) use tower_layer;

/// Makes a layer of an interceptor.
///
/// In a `tower::ServiceBuilder` or in [`ToolLayers`] the first layer is the outermost.
pub fn intercept<I: Interceptor>(interceptor: I) -> InterceptLayer {
    InterceptLayer(Arc::new(interceptor))
}

/// What [`intercept`] makes: a [`tower_layer::Layer`].
#[derive(Clone)]
pub struct InterceptLayer(Arc<dyn AnyInterceptor>);

impl fmt::Debug for InterceptLayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("InterceptLayer")
    }
}

impl<S> Layer<S> for InterceptLayer
where
    S: Service<ToolCall, Response = ToolOutcome> + Clone + Send + Sync + 'static,
    S::Error: Into<CallError>,
    S::Future: Send,
{
    type Service = Intercept;

    fn layer(&self, inner: S) -> Intercept {
        Intercept {
            interceptor: Arc::clone(&self.0),
            next: Next::new(ToolService::new(inner)),
        }
    }
}

/// A service with an interceptor in front of it.
#[derive(Clone)]
pub struct Intercept {
    interceptor: Arc<dyn AnyInterceptor>,
    next: Next,
}

impl fmt::Debug for Intercept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Intercept")
    }
}

impl Answer for Intercept {
    fn answer(&self, call: ToolCall) -> BoxFuture<'static, Result<ToolOutcome, CallError>> {
        Arc::clone(&self.interceptor).intercept(call, self.next.clone())
    }

    fn list(&self, tools: ToolList) -> ToolList {
        self.interceptor.list(tools)
    }
}

impl Service<ToolCall> for Intercept {
    type Response = ToolOutcome;
    type Error = CallError;
    type Future = BoxFuture<'static, Result<ToolOutcome, CallError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), CallError>> {
        // The rest of the chain is polled to readiness by each run of it.
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, call: ToolCall) -> Self::Future {
        self.answer(call)
    }
}

/// A list of layers whose types are forgotten; the first is the outermost.
///
/// ```
/// use mcp_interceptors::{ToolLayers, from_fn};
/// let layers = ToolLayers::new()
///     .intercept(from_fn(|call, next| async move { next.run(call).await }))
///     .layer(tower::limit::ConcurrencyLimitLayer::new(4));
/// assert_eq!(layers.len(), 2);
/// ```
#[derive(Clone, Default)]
pub struct ToolLayers(Vec<Arc<dyn Wrap>>);

trait Wrap: Send + Sync {
    fn wrap(&self, inner: ToolService) -> ToolService;
}

impl<L> Wrap for L
where
    L: Layer<ToolService> + Send + Sync,
    L::Service: Service<ToolCall, Response = ToolOutcome> + Clone + Send + Sync + 'static,
    <L::Service as Service<ToolCall>>::Error: Into<CallError>,
    <L::Service as Service<ToolCall>>::Future: Send,
{
    fn wrap(&self, inner: ToolService) -> ToolService {
        ToolService::new(self.layer(inner))
    }
}

impl ToolLayers {
    /// An empty list.
    #[must_use]
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Adds a tower layer inside those that are there.
    #[must_use]
    pub fn layer<L>(mut self, layer: L) -> Self
    where
        L: Layer<ToolService> + Send + Sync + 'static,
        L::Service: Service<ToolCall, Response = ToolOutcome> + Clone + Send + Sync + 'static,
        <L::Service as Service<ToolCall>>::Error: Into<CallError>,
        <L::Service as Service<ToolCall>>::Future: Send,
    {
        self.0.push(Arc::new(layer));
        self
    }

    /// Adds an interceptor inside the layers that are there.
    #[must_use]
    pub fn intercept<I: Interceptor>(self, interceptor: I) -> Self {
        self.layer(intercept(interceptor))
    }

    /// How many layers there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no layer.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Builds the chain: `service` with all layers around it.
    #[must_use]
    pub fn wrap(&self, service: ToolService) -> ToolService {
        self.each_wrapped(&service).pop().unwrap_or(service)
    }

    /// Puts the layers around a toolset: around its calls, and around its list.
    #[must_use]
    pub fn around(&self, toolset: Arc<dyn Toolset>) -> Intercepted {
        Intercepted::new(toolset, self)
    }

    /// Each layer with all that is inside it; the outermost comes last.
    pub(crate) fn each_wrapped(&self, service: &ToolService) -> Vec<ToolService> {
        let mut wrapped: Vec<ToolService> = Vec::with_capacity(self.0.len());
        for layer in self.0.iter().rev() {
            let inner = wrapped.last().unwrap_or(service).clone();
            wrapped.push(layer.wrap(inner));
        }
        wrapped
    }
}

impl fmt::Debug for ToolLayers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ToolLayers({})", self.0.len())
    }
}
