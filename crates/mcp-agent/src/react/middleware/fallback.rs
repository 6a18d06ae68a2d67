//! Other models where one fails.

use std::sync::Arc;

use mcp_model::{ChatModel, ChatResponse, ModelError};

use crate::react::{Middleware, ModelCall, ModelNext, ReactBuilder};

/// Asks other models, one after the other, where the agent's own gives no answer. The last error
/// counts.
#[derive(Clone, Debug)]
pub struct ModelFallback(Arc<[Arc<dyn ChatModel>]>);

impl ModelFallback {
    /// The other models, in the order in which they are asked.
    pub fn new(others: impl IntoIterator<Item = Arc<dyn ChatModel>>) -> Self {
        Self(others.into_iter().collect())
    }
}

impl Middleware for ModelFallback {
    fn install(self, agent: ReactBuilder) -> ReactBuilder {
        agent.wrap_model(move |call, next| ask(call, next, Arc::clone(&self.0)))
    }
}

async fn ask(
    call: ModelCall,
    next: ModelNext,
    others: Arc<[Arc<dyn ChatModel>]>,
) -> Result<ChatResponse, ModelError> {
    let mut answer = next.run(call.clone()).await;
    for other in others.iter() {
        let Err(error) = &answer else { break };
        tracing::warn!(%error, next = other.name(), "the model gave no answer");
        answer = next.run(call.clone().with_model(Arc::clone(other))).await;
    }
    answer
}
