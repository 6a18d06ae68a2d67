//! Code around a tool call.

use std::fmt;
use std::sync::Arc;

use crate::{BoxFuture, CallError, ToolCall, ToolList, ToolOutcome, ToolService};

/// Code around a tool call: it may change the call, answer without making it, make it several
/// times, and change what comes back.
///
/// Closures are interceptors too; [`from_fn`] spares them the type annotations.
///
/// ```
/// use mcp_interceptors::{CallError, Interceptor, Next, ToolCall, ToolOutcome};
///
/// struct DoubleNumbers;
///
/// impl Interceptor for DoubleNumbers {
///     async fn intercept(&self, call: ToolCall, next: Next) -> Result<ToolOutcome, CallError> {
///         let mut args = call.args().clone();
///         for value in args.values_mut() {
///             if let Some(n) = value.as_i64() {
///                 *value = (n * 2).into();
///             }
///         }
///         next.run(call.with_args(args)).await
///     }
/// }
/// ```
pub trait Interceptor: Send + Sync + 'static {
    /// Handles one call.
    ///
    /// # Errors
    /// Whatever ends the call without an outcome; layers further out see it.
    ///
    /// # Cancel safety
    /// The future is dropped when the call is cancelled or times out.
    fn intercept(
        &self,
        call: ToolCall,
        next: Next,
    ) -> impl Future<Output = Result<ToolOutcome, CallError>> + Send;

    /// Changes what is listed: takes tools away, or changes how models see them
    /// ([`BoundTool::with_shown`](crate::BoundTool::with_shown)). By default nothing.
    ///
    /// A list is asked for often. A tool that is not changed stays the same `Arc`, and one that
    /// is changed becomes the same `Arc` each time; then nobody has to look at the list again.
    fn list(&self, tools: ToolList) -> ToolList {
        tools
    }
}

impl<F, Fut> Interceptor for F
where
    F: Fn(ToolCall, Next) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<ToolOutcome, CallError>> + Send,
{
    fn intercept(
        &self,
        call: ToolCall,
        next: Next,
    ) -> impl Future<Output = Result<ToolOutcome, CallError>> + Send {
        self(call, next)
    }
}

/// An interceptor from a closure whose argument types need not be written.
///
/// ```
/// use mcp_interceptors::from_fn;
/// let counted = from_fn(|call, next| async move {
///     let outcome = next.run(call).await?;
///     Ok(outcome)
/// });
/// # let _ = mcp_interceptors::intercept(counted);
/// ```
pub fn from_fn<F, Fut>(f: F) -> FromFn<F>
where
    F: Fn(ToolCall, Next) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<ToolOutcome, CallError>> + Send,
{
    FromFn(f)
}

/// What [`from_fn`] makes.
#[derive(Clone, Copy)]
pub struct FromFn<F>(F);

impl<F, Fut> Interceptor for FromFn<F>
where
    F: Fn(ToolCall, Next) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<ToolOutcome, CallError>> + Send,
{
    fn intercept(
        &self,
        call: ToolCall,
        next: Next,
    ) -> impl Future<Output = Result<ToolOutcome, CallError>> + Send {
        (self.0)(call, next)
    }
}

impl<F> fmt::Debug for FromFn<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FromFn")
    }
}

/// The rest of the chain, down to the server.
///
/// It may be run any number of times, also at once from clones; each run is a call of its own.
#[derive(Clone, Debug)]
pub struct Next(ToolService);

impl Next {
    pub(crate) const fn new(service: ToolService) -> Self {
        Self(service)
    }

    /// Makes the call with the rest of the chain.
    ///
    /// # Cancel safety
    /// Dropping the future cancels the call.
    pub fn run(&self, call: ToolCall) -> BoxFuture<'static, Result<ToolOutcome, CallError>> {
        self.0.call(call)
    }
}

/// An interceptor whose type is forgotten: one box per call.
pub(crate) trait AnyInterceptor: Send + Sync + 'static {
    fn intercept(
        self: Arc<Self>,
        call: ToolCall,
        next: Next,
    ) -> BoxFuture<'static, Result<ToolOutcome, CallError>>;

    fn list(&self, tools: ToolList) -> ToolList;
}

impl<I: Interceptor> AnyInterceptor for I {
    fn intercept(
        self: Arc<Self>,
        call: ToolCall,
        next: Next,
    ) -> BoxFuture<'static, Result<ToolOutcome, CallError>> {
        Box::pin(async move { Interceptor::intercept(&*self, call, next).await })
    }

    fn list(&self, tools: ToolList) -> ToolList {
        Interceptor::list(self, tools)
    }
}
