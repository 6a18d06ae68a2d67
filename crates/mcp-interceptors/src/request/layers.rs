//! Interceptors of requests, and lists of them.

use std::fmt;
use std::sync::Arc;

use mcp_protocol::RpcRequest;

use super::{Reply, Request};
use crate::{BoxFuture, CallError};

/// Code around a request of the protocol: it may change the request, answer without making it,
/// make it several times, and change the reply. Closures are such code, too.
pub trait RequestInterceptor: Send + Sync + 'static {
    /// Handles one request.
    ///
    /// # Errors
    /// Whatever ends the request without a reply; layers further out see it.
    ///
    /// # Cancel safety
    /// The future is dropped when the request is cancelled or times out.
    fn intercept(
        &self,
        request: Request,
        next: RequestNext,
    ) -> impl Future<Output = Result<Reply, CallError>> + Send;
}

impl<F, Fut> RequestInterceptor for F
where
    F: Fn(Request, RequestNext) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<Reply, CallError>> + Send,
{
    fn intercept(
        &self,
        request: Request,
        next: RequestNext,
    ) -> impl Future<Output = Result<Reply, CallError>> + Send {
        self(request, next)
    }
}

/// An interceptor of one method.
struct Only<R, F>(F, std::marker::PhantomData<fn() -> R>);

impl<R, F, Fut> RequestInterceptor for Only<R, F>
where
    R: RpcRequest,
    F: Fn(Request, RequestNext) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<Reply, CallError>> + Send,
{
    async fn intercept(&self, request: Request, next: RequestNext) -> Result<Reply, CallError> {
        if request.is::<R>() {
            (self.0)(request, next).await
        } else {
            next.run(request).await
        }
    }
}

trait AnyInterceptor: Send + Sync {
    fn run(
        self: Arc<Self>,
        request: Request,
        next: RequestNext,
    ) -> BoxFuture<'static, Result<Reply, CallError>>;
}

impl<I: RequestInterceptor> AnyInterceptor for I {
    fn run(
        self: Arc<Self>,
        request: Request,
        next: RequestNext,
    ) -> BoxFuture<'static, Result<Reply, CallError>> {
        Box::pin(async move { self.intercept(request, next).await })
    }
}

/// Interceptors of requests; the first is the outermost.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// use mcp_interceptors::{Reply, Request, RequestLayers, RequestNext};
/// use mcp_protocol::{ReadResourceParams, ReadResourceResult, resources::ReadResource};
///
/// let layers = RequestLayers::new().on::<ReadResource, _, _>(|request: Request, next: RequestNext| async move {
///     let mut params = request.params::<ReadResource>()?;
///     params.uri = params.uri.replace("docs://", "https://example.com/docs/");
///     next.run(request.with_params::<ReadResource>(&params)?).await
/// });
///
/// let request = Request::of::<ReadResource>("wiki", &ReadResourceParams::new("docs://a")).unwrap();
/// let reply = layers.run(request, |request| Box::pin(async move {
///     assert_eq!(request.params::<ReadResource>()?.uri, "https://example.com/docs/a");
///     Reply::of::<ReadResource>(&ReadResourceResult::new(Vec::new()))
/// })).await.unwrap();
/// assert!(reply.result::<ReadResource>().unwrap().contents.is_empty());
/// # });
/// ```
#[derive(Clone, Default)]
pub struct RequestLayers(Arc<Vec<Arc<dyn AnyInterceptor>>>);

impl RequestLayers {
    /// An empty list.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an interceptor of all methods inside those that are there.
    #[must_use]
    pub fn intercept<I: RequestInterceptor>(mut self, interceptor: I) -> Self {
        Arc::make_mut(&mut self.0).push(Arc::new(interceptor));
        self
    }

    /// Adds an interceptor of one method inside those that are there.
    #[must_use]
    pub fn on<R, F, Fut>(self, f: F) -> Self
    where
        R: RpcRequest,
        F: Fn(Request, RequestNext) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Reply, CallError>> + Send,
    {
        self.intercept(Only::<R, F>(f, std::marker::PhantomData))
    }

    /// Whether there is no interceptor.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Makes a request through all interceptors; `last` is what carries it out.
    ///
    /// # Cancel safety
    /// Dropping the future drops every interceptor's and with them the request.
    pub fn run<F>(&self, request: Request, last: F) -> BoxFuture<'static, Result<Reply, CallError>>
    where
        F: Fn(Request) -> BoxFuture<'static, Result<Reply, CallError>> + Send + Sync + 'static,
    {
        let next = RequestNext {
            layers: self.clone(),
            at: 0,
            last: Arc::new(last),
        };
        next.run(request)
    }
}

impl fmt::Debug for RequestLayers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RequestLayers({})", self.0.len())
    }
}

type Last = dyn Fn(Request) -> BoxFuture<'static, Result<Reply, CallError>> + Send + Sync;

/// The rest of the chain. It may be run any number of times.
#[derive(Clone)]
pub struct RequestNext {
    layers: RequestLayers,
    at: usize,
    last: Arc<Last>,
}

impl RequestNext {
    /// Makes the request with the rest of the chain.
    ///
    /// # Cancel safety
    /// Dropping the future cancels the request.
    pub fn run(&self, request: Request) -> BoxFuture<'static, Result<Reply, CallError>> {
        match self.layers.0.get(self.at) {
            Some(layer) => {
                let mut next = self.clone();
                next.at += 1;
                Arc::clone(layer).run(request, next)
            }
            None => (self.last)(request),
        }
    }
}

impl fmt::Debug for RequestNext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RequestNext")
    }
}
