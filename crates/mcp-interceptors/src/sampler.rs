//! The model of whoever made a call, for the server that answers it.

use std::fmt;
use std::sync::Arc;

use mcp_protocol::{CreateMessageParams, CreateMessageResult};

use crate::{BoxFuture, CallError};

type Sampling = dyn Fn(CreateMessageParams) -> BoxFuture<'static, Result<CreateMessageResult, CallError>>
    + Send
    + Sync;

/// Lets the caller's model speak for the server that carries the call out. Who makes a call puts
/// one into its extensions; who carries it out asks the user first ([`Ask`](crate::Ask)).
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// use mcp_interceptors::Sampler;
/// use mcp_protocol::{CreateMessageParams, CreateMessageResult};
/// let model = Sampler::new(|_question| async { Ok(CreateMessageResult::new("m-1", "four")) });
/// let said = model.sample(CreateMessageParams::new(Vec::new(), 100)).await.unwrap();
/// assert_eq!(said.model, "m-1");
/// # });
/// ```
#[derive(Clone)]
pub struct Sampler(Arc<Sampling>);

impl Sampler {
    /// Questions to the model go to `f`.
    pub fn new<F, Fut>(f: F) -> Self
    where
        F: Fn(CreateMessageParams) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<CreateMessageResult, CallError>> + Send + 'static,
    {
        Self(Arc::new(move |params| Box::pin(f(params))))
    }

    /// Has the model speak. Nobody is asked for leave here.
    ///
    /// # Errors
    /// If the model gives no answer.
    ///
    /// # Cancel safety
    /// Dropping the future gives the answer up.
    pub fn sample(
        &self,
        params: CreateMessageParams,
    ) -> BoxFuture<'static, Result<CreateMessageResult, CallError>> {
        (self.0)(params)
    }
}

impl fmt::Debug for Sampler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Sampler")
    }
}
